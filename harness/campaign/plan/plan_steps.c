/* Reads what time steps have: their number and length, the exchange of molecules, and the variant
 * of pme that computes the reciprocal part of an Ewald sum. */
#include "campaign/plan/plan_parts.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/header/read_variant.h"
#include "kernels/workload.h"
#include "measure/program.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1000000 };

static const char of_workload[] = "pme";
static const char default_variant[] = "pme_tiles";
static const char streams_word[] = "STREAMS=";
static const char precision_word[] = "PRECISION=";

/* ---- --long-range: which variant ---- */

static bool is_reciprocal(const struct variant *variant) {
    return strcmp(variant->workload->name, of_workload) == 0;
}

static const struct variant *find_variant(const char *name, size_t length) {
    struct error ignored;
    size_t count = 0;
    const struct variant *all = variants_embedded(&count, &ignored);
    for (size_t v = 0; all && v < count; v++) {
        if (is_reciprocal(&all[v]) && is_spelt(name, length, all[v].name)) {
            return &all[v];
        }
    }
    return NULL;
}

/* Appends a variant and the parameters of its item, as a string of its own. */
static void append_word(struct strbuf *text, const char *name, const char *given) {
    strbuf_append(text, "%s%s;", name, given);
}

/* Returns how many words the item stands for. */
static size_t expand_item(const char *item, struct strbuf *text) {
    struct error ignored;
    size_t count = 0;
    size_t matches = 0;
    const struct variant *all = variants_embedded(&count, &ignored);
    char pattern[VARIANT_NAME_SIZE];
    const size_t length = strcspn(item, ":");
    (void)snprintf(pattern, sizeof pattern, "%.*s", (int)length, item);
    if (strcmp(item, "none") == 0) {
        append_word(text, "none", "");
        return 1;
    }
    if (strcmp(pattern, of_workload) == 0) {
        append_word(text, default_variant, item + length);
        return 1;
    }
    for (size_t v = 0; all && v < count; v++) {
        if (is_reciprocal(&all[v]) && matches_pattern(pattern, all[v].name)) {
            append_word(text, all[v].name, item + length);
            matches++;
        }
    }
    return matches;
}

bool long_range_expand(const char *list, char ***words, struct error *error) {
    struct strbuf text = { 0 };
    char **items = memory_split(list, ';');
    bool good = true;
    for (size_t k = 0; good && items[k]; k++) {
        good = expand_item(items[k], &text) > 0 ||
               fail(error, STATUS_BAD_INPUT,
                    "'%.60s'; expected none, or pme, pme_tiles or another variant of workload pme, "
                    "with :order=5,grid_x=64,STREAMS=2 and the like",
                    items[k]);
    }
    free(items);
    if (good && text.data) {
        text.data[strlen(text.data) - 1] = '\0'; /* the last ';' */
        *words = memory_split(text.data, ';');
    }
    strbuf_free(&text);
    return good;
}

/* ---- --long-range: what it is given ---- */

static bool take_streams(const char *item, struct long_range *made, struct error *error) {
    made->streams = strcmp(item, "STREAMS=2") == 0 ? 2 : 1;
    return made->streams == 2 || strcmp(item, "STREAMS=1") == 0 ||
           fail(error, STATUS_BAD_INPUT, "'%s'; expected STREAMS=1 or STREAMS=2", item);
}

/* PRECISION=float computes the reciprocal part of mixed steps in float. In steps in float it
 * changes nothing. */
static bool take_precision(const char *item, enum precision of_steps, struct long_range *made,
                           struct error *error) {
    if (strcmp(item, "PRECISION=float") != 0) {
        return fail(error, STATUS_BAD_INPUT, "'%s'; expected PRECISION=float", item);
    }
    made->in_float = of_steps == PRECISION_MIXED;
    return made->in_float || of_steps == PRECISION_FLOAT ||
           fail(error, STATUS_BAD_INPUT, "'%s'; expected --precision mixed", item);
}

/* Tunables, which have capital letters, go to one list, parameters to the other. */
static bool sort_given(const char *given, struct strbuf *parameters, struct strbuf *tunables,
                       enum precision of_steps, struct long_range *made, struct error *error) {
    static const char *const shared[] = { "alpha=", "coulomb=", NULL };
    char **items = memory_split(given, ',');
    bool good = true;
    for (size_t k = 0; good && items[k]; k++) {
        const char *item = items[k];
        for (size_t s = 0; good && shared[s]; s++) {
            good = !begins_with(item, shared[s]) ||
                   fail(error, STATUS_BAD_INPUT, "'%s'; it is that of the pair function ewald-real",
                        item);
        }
        if (begins_with(item, streams_word)) {
            good = good && take_streams(item, made, error);
        } else if (begins_with(item, precision_word)) {
            good = good && take_precision(item, of_steps, made, error);
        } else if (good) {
            strbuf_append(isupper((unsigned char)item[0]) ? tunables : parameters, ",%s", item);
        }
    }
    free(items);
    return good;
}

static bool make(const struct variant *variant, const char *given, const struct case_spec *spec,
                 struct long_range *made, struct error *error) {
    struct strbuf parameters = { 0 };
    struct strbuf tunables = { 0 };
    struct case_spec own = *spec;
    *made = (struct long_range){ .variant = variant, .streams = 1 };
    own.variant = variant;
    strbuf_append(&parameters, "%s:alpha=%.17g,coulomb=%.17g", of_workload,
                  interaction_value(&spec->interaction, "alpha"),
                  interaction_value(&spec->interaction, "coulomb"));
    const bool good =
        (!*given || sort_given(given, &parameters, &tunables, spec->precision, made, error)) &&
        interaction_parse(parameters.data, &made->interaction, error) &&
        (own.interaction = made->interaction, case_set_tunings(&own, tunables.data, error));
    made->tunings = own.tunings;
    strbuf_free(&parameters);
    strbuf_free(&tunables);
    return good;
}

bool long_range_parse(const char *words, const struct case_spec *spec, struct long_range *made,
                      struct error *error) {
    const size_t length = strcspn(words, ":");
    const struct variant *variant = find_variant(words, length);
    *made = (struct long_range){ .variant = NULL };
    if (strcmp(words, "none") == 0) {
        return true;
    }
    if (!variant) {
        return fail(error, STATUS_BAD_INPUT, "'%.60s': workload pme has no such variant", words);
    }
    if (!interaction_has_function(&spec->interaction, "ewald-real") ||
        !(interaction_value(&spec->interaction, "alpha") > 0)) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s is the reciprocal part of an Ewald sum; expected an --interaction with "
                    "its real part, as lj+ewald-real:alpha=0.35",
                    variant->name);
    }
    return make(variant, words[length] ? words + length + 1 : "", spec, made, error);
}

/* ---- time steps ---- */

static bool choose_counts(const struct axes *axes, struct step_choices *steps,
                          struct error *error) {
    if (!axis_numbers("--steps", axes_value(axes, AXIS_STEPS), &steps->counts, error)) {
        return false;
    }
    for (size_t i = 0; i < steps->counts.count; i++) {
        const double count = steps->counts.values[i];
        if (!(count >= 1 && count <= MAX_STEPS) || count != floor(count)) {
            return fail(error, STATUS_BAD_INPUT, "--steps: %.15g; expected 1 to %d, a whole number",
                        count, MAX_STEPS);
        }
    }
    return true;
}

static bool choose_dts(const struct axes *axes, struct step_choices *steps, struct error *error) {
    if (!axis_numbers("--dt", axes_value(axes, AXIS_DT), &steps->dts, error)) {
        return false;
    }
    for (size_t i = 0; i < steps->dts.count; i++) {
        if (!(steps->dts.values[i] > 0) || !isfinite(steps->dts.values[i])) {
            return fail(error, STATUS_BAD_INPUT, "--dt: %.15g is not positive",
                        steps->dts.values[i]);
        }
    }
    return true;
}

static bool take_exchange(const char *words, struct exchange_rule *rule) {
    *rule = (struct exchange_rule){ 0 };
    if (strcmp(words, "none") == 0) {
        return true;
    }
    const size_t length = strcspn(words, ":");
    rule->by_hilbert = strncmp(words, "hilbert", length) == 0 && length == strlen("hilbert");
    return rule->by_hilbert &&
           (words[length] == '\0' || (parse_count(words + length + 1, &rule->every) &&
                                      rule->every >= 1 && rule->every <= MAX_STEPS));
}

static bool choose_exchanges(const struct axes *axes, struct step_choices *steps,
                             struct error *error) {
    char **items = memory_split(axes_value(axes, AXIS_EXCHANGE), ',');
    bool good = true;
    const size_t count = words_count((const char *const *)items);
    steps->exchanges = memory_zeroed(count, sizeof *steps->exchanges);
    for (size_t k = 0; good && k < count; k++) {
        good = take_exchange(items[k], &steps->exchanges[k]) ||
               fail(error, STATUS_BAD_INPUT,
                    "--exchange: '%.60s'; expected none, hilbert or hilbert:K, K from 1 to %d",
                    items[k], MAX_STEPS);
    }
    steps->exchange_count = count;
    free(items);
    return good;
}

static bool choose_long_ranges(const struct axes *axes, struct step_choices *steps,
                               struct error *error) {
    if (!long_range_expand(axes_value(axes, AXIS_LONG_RANGE), &steps->long_ranges, error)) {
        return fail_within(error, "--long-range");
    }
    steps->long_range_count = words_count((const char *const *)steps->long_ranges);
    return true;
}

bool steps_choose(const struct axes *axes, const struct variant_choice *variants,
                  struct step_choices *steps, struct error *error) {
    *steps = (struct step_choices){ .total = 1 };
    if (!axis_is_of(AXIS_STEPS, variants->workload)) {
        return true;
    }
    if (!choose_counts(axes, steps, error) || !choose_dts(axes, steps, error) ||
        !choose_exchanges(axes, steps, error) || !choose_long_ranges(axes, steps, error)) {
        return false;
    }
    steps->total =
        steps->counts.count * steps->dts.count * steps->exchange_count * steps->long_range_count;
    steps->thermostat = axes->thermostat;
    steps->field = axes->field;
    return true;
}

void steps_release(struct step_choices *steps) {
    free(steps->counts.values);
    free(steps->dts.values);
    free(steps->exchanges);
    free(steps->long_ranges);
    *steps = (struct step_choices){ 0 };
}

bool steps_set(const struct step_choices *steps, size_t index, struct case_spec *spec,
               struct error *error) {
    if (!axis_is_of(AXIS_STEPS, spec->variant->workload)) {
        spec->step = (struct step_rules){ 0 };
        spec->exchange = (struct exchange_rule){ 0 };
        spec->long_range = (struct long_range){ 0 };
        return true;
    }
    const struct variant *variant = spec->variant;
    if (!case_step_rules(variant, spec->precision, &spec->step, error)) {
        return false;
    }
    if (!case_take_thermostat(variant, steps->thermostat, &spec->step, error)) {
        return fail_within(error, "--thermostat");
    }
    if (!case_take_field(variant, steps->field, &spec->step, error)) {
        return fail_within(error, "--field");
    }
    if (!long_range_parse(steps->long_ranges[index % steps->long_range_count], spec,
                          &spec->long_range, error)) {
        return fail_within(error, "--long-range");
    }
    index /= steps->long_range_count;
    spec->exchange = steps->exchanges[index % steps->exchange_count];
    index /= steps->exchange_count;
    spec->step.steps = (uint64_t)steps->counts.values[index / steps->dts.count];
    spec->step.dt = steps->dts.values[index % steps->dts.count];
    return step_rules_check(&spec->step, error);
}
