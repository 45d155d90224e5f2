/* Reads the words by which a program asks for charges beyond the cutoff:
 * "pme:alpha=0.35,order=5". */
#include "kernels/expressions/expression.h"
#include "library/library.h"
#include "workloads/pme/settings.h"

#include <math.h>
#include <string.h>

static struct interaction_parameter *parameter_of(struct interaction *interaction,
                                                  const char *name) {
    for (int p = 0; p < interaction->parameter_count; p++) {
        if (strcmp(interaction->parameters[p].name, name) == 0) {
            return &interaction->parameters[p];
        }
    }
    return NULL;
}

bool library_long_range_check(const char *words, struct interaction *interaction,
                              struct error *error) {
    return (interaction_parse(words, interaction, error) &&
            (strcmp(interaction->name, "pme") == 0 ||
             fail(error, STATUS_BAD_INPUT, "%s; expected pme", interaction->name))) ||
           fail_within(error, "long_range");
}

bool library_long_range_resolve(const struct pm_system *system, struct interaction *interaction,
                                struct error *error) {
    struct pme_settings settings;
    if (!library_long_range_check(system->long_range, interaction, error)) {
        return false;
    }
    struct interaction_parameter *cutoff = parameter_of(interaction, "real_cutoff");
    cutoff->value = cutoff->value > 0 ? cutoff->value : system->cutoff;
    if (!(cutoff->value > 0) || isinf(cutoff->value)) {
        return fail(error, STATUS_BAD_INPUT, "long_range: the system has no cutoff");
    }
    if (!pme_settings_resolve(interaction, &system->box, &settings, error)) {
        return fail_within(error, "long_range");
    }
    parameter_of(interaction, "alpha")->value = settings.alpha;
    return true;
}

/* Refuses a potential that has charges itself: they would count twice. */
static bool takes_no_charges(const char *words, struct error *error) {
    struct interaction interaction;
    if (expression_is_meant(words)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "long_range: stands beside functions by their "
                    "names, and not beside an expression");
    }
    if (!interaction_parse(words, &interaction, error)) {
        return false;
    }
    for (int f = 0; f < interaction.function_count; f++) {
        if (interaction.functions[f].kind == TERM_COULOMB) {
            return fail(error, STATUS_BAD_INPUT,
                        "long_range: the potential has charges by itself, %s",
                        interaction.functions[f].name);
        }
    }
    return true;
}

bool library_long_range_pairs(const struct pm_system *system, struct strbuf *words,
                              struct error *error) {
    const char *given = system->interaction;
    struct interaction interaction;
    if (!library_long_range_resolve(system, &interaction, error) ||
        (given && !takes_no_charges(given, error))) {
        return false;
    }
    const int names = given ? (int)strcspn(given, ":") : 0;
    const char *parameters = given && given[names] ? given + names + 1 : "";
    strbuf_append(words, "%.*s%sewald-real:%s%sewald-real.alpha=%.17g,ewald-real.coulomb=%.17g",
                  names, given ? given : "", given ? "+" : "", parameters, *parameters ? "," : "",
                  interaction_value(&interaction, "alpha"),
                  interaction_value(&interaction, "coulomb"));
    return true;
}
