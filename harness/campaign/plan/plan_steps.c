#include "campaign/plan/plan_parts.h"

#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "core/host.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1000000 };

static bool choose_counts(const struct axes *axes, struct step_choices *steps,
                          struct error *error) {
    if (!axis_numbers("--steps", axes->steps ? axes->steps : axis_table[AXIS_STEPS].otherwise,
                      &steps->counts, &steps->count_count, error)) {
        return false;
    }
    for (size_t i = 0; i < steps->count_count; i++) {
        const double count = steps->counts[i];
        if (!(count >= 1 && count <= MAX_STEPS) || count != floor(count)) {
            return fail(error, STATUS_BAD_INPUT, "--steps: %.15g; expected 1 to %d, a whole number",
                        count, MAX_STEPS);
        }
    }
    return true;
}

static bool choose_dts(const struct axes *axes, struct step_choices *steps, struct error *error) {
    if (!axis_numbers("--dt", axes->dt ? axes->dt : axis_table[AXIS_DT].otherwise, &steps->dts,
                      &steps->dt_count, error)) {
        return false;
    }
    for (size_t i = 0; i < steps->dt_count; i++) {
        if (!(steps->dts[i] > 0) || !isfinite(steps->dts[i])) {
            return fail(error, STATUS_BAD_INPUT, "--dt: %.15g is not positive", steps->dts[i]);
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
    const char *words = axes->exchange ? axes->exchange : axis_table[AXIS_EXCHANGE].otherwise;
    char **items = split_list(words, ',');
    bool good = items || fail_out_of_memory(error, "the words of --exchange");
    size_t count = 0;
    while (good && items[count]) {
        count++;
    }
    steps->exchanges = good ? calloc(count + 1, sizeof *steps->exchanges) : NULL;
    good = good && (steps->exchanges || fail_out_of_memory(error, "the words of --exchange"));
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

bool steps_choose(const struct axes *axes, const struct variant_choice *variants,
                  struct step_choices *steps, struct error *error) {
    *steps = (struct step_choices){ .total = 1 };
    if (!axis_is_of(AXIS_STEPS, variants->workload)) {
        return true;
    }
    if (!choose_counts(axes, steps, error) || !choose_dts(axes, steps, error) ||
        !choose_exchanges(axes, steps, error)) {
        return false;
    }
    steps->total = steps->count_count * steps->dt_count * steps->exchange_count;
    steps->thermostat = axes->thermostat;
    steps->field = axes->field;
    return true;
}

void steps_release(struct step_choices *steps) {
    free(steps->counts);
    free(steps->dts);
    free(steps->exchanges);
    *steps = (struct step_choices){ 0 };
}

bool steps_set(const struct step_choices *steps, size_t index, struct case_spec *spec,
               struct error *error) {
    if (!axis_is_of(AXIS_STEPS, spec->variant->workload)) {
        spec->step = (struct step_rules){ 0 };
        spec->exchange = (struct exchange_rule){ 0 };
        return true;
    }
    if (!case_step_rules(spec->variant, spec->precision, steps->thermostat, steps->field,
                         &spec->step, error)) {
        return false;
    }
    spec->exchange = steps->exchanges[index % steps->exchange_count];
    index /= steps->exchange_count;
    spec->step.steps = (uint64_t)steps->counts[index / steps->dt_count];
    spec->step.dt = steps->dts[index % steps->dt_count];
    return step_rules_check(&spec->step, error);
}

/* ---- how large boxes are judged ---- */

static const uint64_t default_sample = 1000;
static const uint64_t seeds = 1000000000; /* short enough to be typed again */

static bool take_count(const char *option, const char *word, uint64_t least, uint64_t *count,
                       struct error *error) {
    return !word || (parse_count(word, count) && *count >= least) ||
           fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected a whole number from %d to 2^53",
                option, word, (int)least);
}

bool judging_choose(const struct axes *axes, struct judging *judging, struct error *error) {
    *judging = (struct judging){ .all_below = JUDGE_BY_COST, .sample = default_sample };
    judging->seed = axes->judge_seed ? 0 : draw_seed() % seeds;
    return take_count("--judge-all-below", axes->judge_all_below, 0, &judging->all_below, error) &&
           take_count("--judge-sample", axes->judge_sample, 1, &judging->sample, error) &&
           take_count("--judge-seed", axes->judge_seed, 0, &judging->seed, error);
}
