#include "plan/plan_steps.h"

#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 1000000 };

/* The first option of time steps that is given; NULL: none is. */
static const char *option_of_steps(const struct axes *axes) {
    return axes->steps        ? "--steps"
           : axes->dt         ? "--dt"
           : axes->thermostat ? "--thermostat"
           : axes->field      ? "--field"
                              : NULL;
}

static bool choose_counts(const struct axes *axes, struct step_choices *steps,
                          struct error *error) {
    if (!plan_numbers("--steps", axes->steps ? axes->steps : axis_table[AXIS_STEPS].otherwise,
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
    if (!plan_numbers("--dt", axes->dt ? axes->dt : axis_table[AXIS_DT].otherwise, &steps->dts,
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

bool steps_choose(const struct axes *axes, const struct variant_choice *variants,
                  struct step_choices *steps, struct error *error) {
    const char *option = option_of_steps(axes);
    *steps = (struct step_choices){ .total = 1 };
    if (!variants->workload->forces_of) {
        return !option || fail(error, STATUS_BAD_INPUT,
                               "%s: workload %s has no time steps; expected --workload step",
                               option, variants->workload->name);
    }
    if (!choose_counts(axes, steps, error) || !choose_dts(axes, steps, error)) {
        return false;
    }
    steps->total = steps->count_count * steps->dt_count;
    steps->thermostat = axes->thermostat;
    steps->field = axes->field;
    return true;
}

void steps_release(struct step_choices *steps) {
    free(steps->counts);
    free(steps->dts);
    *steps = (struct step_choices){ 0 };
}

bool steps_set(const struct step_choices *steps, size_t index, struct case_spec *spec,
               struct error *error) {
    if (!spec->variant->workload->forces_of) {
        spec->step = (struct step_rules){ 0 };
        return true;
    }
    if (!case_step_rules(spec->variant, spec->precision, steps->thermostat, steps->field,
                         &spec->step, error)) {
        return false;
    }
    spec->step.steps = (uint64_t)steps->counts[index / steps->dt_count];
    spec->step.dt = steps->dts[index % steps->dt_count];
    return step_rules_check(&spec->step, error);
}
