/* The rules of time steps, from what a variant's header says and what the user does. */
#include "kernels/case.h"

#include <stdio.h>
#include <string.h>

/* "rescale" of "rescale:temperature=1". */
static size_t name_length(const char *words) {
    return strcspn(words, ":");
}

static bool same_name(const char *one, const char *other) {
    const size_t length = name_length(one);
    return length == name_length(other) && strncmp(one, other, length) == 0;
}

/* The user's numbers of the variant's thermostat, or of an integrator that is one itself. */
static bool take_thermostat(const struct variant *variant, const char *words,
                            struct step_rules *rules, struct error *error) {
    const bool of_integrator = same_name(words, variant->integrator);
    if (!of_integrator && !same_name(words, *variant->thermostat ? variant->thermostat : "none")) {
        return fail(error, STATUS_BAD_INPUT,
                    "--thermostat: %.100s: that of %s is %s; other variants have others", words,
                    variant->name, *variant->thermostat ? variant->thermostat : "none");
    }
    return (of_integrator ? step_integrator_parse(words, rules, error)
                          : step_thermostat_parse(words, rules, error)) ||
           fail_within(error, "--thermostat");
}

static bool takes_field(const struct variant *variant) {
    for (int p = 0; p < variant->pass_count; p++) {
        for (int a = 0; a < variant->passes[p].argument_count; a++) {
            if (strcmp(variant->passes[p].arguments[a], "field") == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Periods of passes stand in the header. */
static bool check_interval(const struct variant *variant, uint64_t interval,
                           const struct step_rules *rules, struct error *error) {
    return rules->thermostat != THERMOSTAT_RESCALE || rules->interval == interval ||
           fail(error, STATUS_BAD_INPUT,
                "--thermostat: interval=%llu: the passes of %s run every %llu steps; its file says "
                "so, in a copy you may say otherwise",
                (unsigned long long)rules->interval, variant->name, (unsigned long long)interval);
}

bool case_step_rules(const struct variant *variant, enum precision precision,
                     const char *thermostat, const char *field, struct step_rules *rules,
                     struct error *error) {
    *rules = step_rules_default();
    rules->float_noise = precision_numeric(precision).position == FORMAT_FLOAT;
    if (!step_integrator_parse(variant->integrator, rules, error) ||
        (*variant->thermostat && !step_thermostat_parse(variant->thermostat, rules, error))) {
        return fail_within(error, "%s", variant->path);
    }
    const uint64_t interval = rules->interval;
    if (field && !takes_field(variant)) {
        return fail(error, STATUS_BAD_INPUT, "--field: %s knows of none", variant->name);
    }
    return (!thermostat || take_thermostat(variant, thermostat, rules, error)) &&
           check_interval(variant, interval, rules, error) &&
           (!field || step_field_parse(field, &rules->field, error) ||
            fail_within(error, "--field"));
}
