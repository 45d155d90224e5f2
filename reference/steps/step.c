#include "reference/steps/step.h"

#include "reference/steps/step_motion.h"
#include "reference/steps/step_rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

void step_end_free(struct step_end *end) {
    free(end->displacement);
    free(end->position);
    free(end->image);
    free(end->velocity);
    free(end->force);
    free(end->crossing);
    free(end->carried);
    free(end->carried_error);
    free(end->doubt);
    free(end->displacement_error);
    free(end->velocity_error);
    *end = (struct step_end){ 0 };
}

static bool allocate(const struct box *box, struct motion *motion, struct error *error) {
    struct step_end *end = motion->end;
    const size_t n = box->n > 0 ? box->n : 1;
    const size_t faces = STEP_FACES * (size_t)(box->types > 0 ? box->types : 1);
    end->displacement = calloc(n, 3 * sizeof *end->displacement);
    end->position = calloc(n, 3 * sizeof *end->position);
    end->image = calloc(n, 3 * sizeof *end->image);
    end->velocity = calloc(n, 3 * sizeof *end->velocity);
    end->force = calloc(n, 3 * sizeof *end->force);
    end->crossing = calloc(faces, sizeof *end->crossing);
    end->carried = calloc(faces, sizeof *end->carried);
    end->carried_error = calloc(faces, sizeof *end->carried_error);
    end->doubt = calloc(faces, sizeof *end->doubt);
    end->displacement_error = calloc(n, sizeof *end->displacement_error);
    end->velocity_error = calloc(n, sizeof *end->velocity_error);
    motion->start = calloc(n, 3 * sizeof *motion->start);
    motion->pull = calloc(n, 3 * sizeof *motion->pull);
    motion->force_error = calloc(n, sizeof *motion->force_error);
    motion->was_near = calloc(n, sizeof *motion->was_near);
    return (end->displacement && end->position && end->image && end->velocity && end->force &&
            end->crossing && end->carried && end->carried_error && motion->was_near && end->doubt &&
            end->displacement_error && end->velocity_error && motion->start && motion->pull &&
            motion->force_error) ||
           fail_out_of_memory(error, "the steps of the reference");
}

static void free_motion(struct motion *motion) {
    step_forces_free(&motion->forces);
    step_rigid_free(&motion->rigid);
    free(motion->start);
    free(motion->pull);
    free(motion->force_error);
    free(motion->was_near);
}

/* ---- the start ---- */

static bool check(const struct box *box, const struct step_rules *rules, struct error *error) {
    const bool settle = rules->integrator == INTEGRATOR_SETTLE;
    const bool heats = motion_has_noise(rules) || rules->thermostat != THERMOSTAT_NONE;
    if (!(rules->dt > 0.0) || !isfinite(rules->dt)) {
        return fail(error, STATUS_BAD_INPUT, "time step %g: must be a positive time", rules->dt);
    }
    if (heats && !(rules->temperature >= 0.0 && isfinite(rules->temperature))) {
        return fail(error, STATUS_BAD_INPUT, "temperature %g: must be an energy",
                    rules->temperature);
    }
    if ((rules->integrator == INTEGRATOR_LANGEVIN && rules->thermostat != THERMOSTAT_NONE) ||
        (rules->integrator == INTEGRATOR_LEAPFROG && rules->thermostat == THERMOSTAT_NOSE_HOOVER) ||
        (!settle && rules->thermostat == THERMOSTAT_LANGEVIN)) {
        return fail(error, STATUS_BAD_INPUT, "the integrator cannot have this thermostat");
    }
    if (rules->thermostat == THERMOSTAT_NOSE_HOOVER &&
        (rules->chain < 1 || rules->chain > STEP_MAX_CHAIN || !(rules->time_constant > 0.0) ||
         !(rules->temperature > 0.0))) {
        return fail(error, STATUS_BAD_INPUT,
                    "nose-hoover: %d links, time %g, temperature %g: cannot be", rules->chain,
                    rules->time_constant, rules->temperature);
    }
    if ((rules->thermostat == THERMOSTAT_RESCALE && rules->interval < 1) ||
        (rules->thermostat == THERMOSTAT_BERENDSEN && !(rules->time_constant > 0.0))) {
        return fail(error, STATUS_BAD_INPUT, "the thermostat's interval or time must be positive");
    }
    for (size_t k = 0; box->velocity && k < 3 * box->n; k++) {
        if (!isfinite(box->velocity[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: a velocity is not finite",
                        k / 3 + 1);
        }
    }
    for (size_t i = 0; box->mass && i < box->n; i++) {
        if (!(box->mass[i] > 0.0) || !isfinite(box->mass[i])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: mass %g: must be positive", i + 1,
                        box->mass[i]);
        }
    }
    return true;
}

static bool field_is_there(const struct step_field *field) {
    bool there = false;
    for (int k = 0; k < 3; k++) {
        there = there || field->per_charge[k] != 0.0 || field->per_mass[k] != 0.0 ||
                field->wall[k].present;
    }
    return there;
}

static bool begin(const struct step_case *step_case, struct motion *motion, struct error *error) {
    const struct box *box = step_case->box;
    const struct step_rules *rules = step_case->rules;
    const size_t bytes = 3 * box->n * sizeof(double);
    if (!check(box, rules, error) || !allocate(box, motion, error) ||
        !step_forces_begin(box->n, step_case->interaction, step_case->cutoff, &motion->forces,
                           error)) {
        return false;
    }
    motion->forces.long_range = step_case->long_range;
    motion->forces.unit = motion->units.arithmetic;
    motion->forces.sum_unit = motion->units.sum;
    struct step_end *end = motion->end;
    end->n = box->n;
    end->types = box->types;
    motion->box = *box;
    motion->box.position = memcpy(end->position, box->position, bytes);
    motion->way = end->displacement;
    if (box->velocity) {
        memcpy(end->velocity, box->velocity, bytes);
    }
    const bool stays = !motion_has_noise(rules) && box->n > 1 && !field_is_there(&rules->field);
    motion->degrees = 3.0 * (double)box->n - (stays ? 3.0 : 0.0);
    if (!step_rigid_begin(motion, error) || !motion_enter_cell(motion, error)) {
        return false;
    }
    memcpy(motion->start, motion->box.position, bytes);
    return motion_compute_forces(motion, error);
}

/* ---- sums ---- */

static double field_energy(const struct motion *motion) {
    const struct step_field *field = &motion->rules->field;
    const struct box *box = &motion->box;
    double energy = 0.0;
    for (size_t i = 0; i < box->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const struct step_wall *wall = &field->wall[k];
            const double x = box->position[3 * i + k];
            const double unwrapped = motion->start[3 * i + k] + motion->way[3 * i + k];
            const double beyond = x > wall->high ? x - wall->high : fmin(x - wall->low, 0.0);
            energy -=
                (box->charge[i] * field->per_charge[k] + box_mass(box, i) * field->per_mass[k]) *
                unwrapped;
            energy += wall->present ? 0.5 * wall->strength * beyond * beyond : 0.0;
        }
    }
    return energy;
}

/* v(k) of a leapfrog, in the place of v(k - 1/2), and back. */
static void shift_leapfrog(struct motion *motion, double *kept, double *kept_error) {
    const size_t n = motion->box.n;
    struct step_end *end = motion->end;
    memcpy(kept, end->velocity, 3 * n * sizeof *kept);
    memcpy(kept_error, end->velocity_error, n * sizeof *kept_error);
    motion_kick(motion, 0.5 * motion->rules->dt);
}

/* By how much a number changes when it is rounded. */
static double rounding_of(double x, double unit) {
    int exponent;
    (void)frexp(x, &exponent);
    const double last_place = ldexp(unit, exponent);
    return unit > 0.0 ? rint(x / last_place) * last_place - x : 0.0;
}

/* Coordinates that are rounded for pairs alone change the potential by -sum f . dx. Where particles
 * have come less than half a unit in the last place, all of that is lost, and no chance has it
 * cancel: who starts at rest goes along the force. */
static double rounded_coordinates(const struct motion *motion) {
    double work = 0.0;
    for (size_t k = 0; k < 3 * motion->box.n; k++) {
        work += motion->forces.now.force[k] *
                rounding_of(motion->box.position[k], motion->units.coordinate);
    }
    return fabs(work);
}

static void sum_errors(const struct motion *motion, struct step_sums *sums) {
    const struct reference *now = &motion->forces.now;
    for (size_t i = 0; i < motion->box.n; i++) {
        const double off = motion->end->displacement_error[i];
        const double *f = now->force + 3 * i;
        sums->potential_error +=
            off * (sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) + now->slope[i] * off);
    }
    sums->potential_error += rounded_coordinates(motion);
    sums->virial_error = 2.0 * motion->largest_error * now->virial_slope;
    for (size_t p = 0; p < now->edge_pair_count && motion->units.arithmetic > 0.0; p++) {
        sums->potential_error += now->edge_pairs[p].energy[0] + now->edge_pairs[p].energy[1];
        sums->virial_error += now->edge_pairs[p].virial;
    }
    sums->kinetic_error = motion->kinetic_error;
}

static void fill_sums(struct motion *motion, struct step_sums *sums) {
    const struct reference *now = &motion->forces.now;
    const struct box *box = &motion->box;
    const double trace = now->virial[0] + now->virial[4] + now->virial[8];
    motion_add_kinetic(motion);
    *sums = (struct step_sums){ .potential = now->energy,
                                .field = field_energy(motion),
                                .kinetic = motion->kinetic,
                                .temperature = 2.0 * motion->kinetic / motion->degrees,
                                .long_range = motion->forces.long_state.sums,
                                .pressure = NAN };
    memcpy(sums->virial, now->virial, sizeof sums->virial);
    const bool volume_known =
        box->periodic && !box->open_along[0] && !box->open_along[1] && !box->open_along[2];
    if (volume_known && motion->rigid.count == 0) { /* forces of constraints are not summed */
        const double volume = box->edge[0] * box->edge[1] * box->edge[2];
        sums->pressure = (2.0 * sums->kinetic + trace) / (3.0 * volume);
    }
    for (size_t i = 0; i < box->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            sums->momentum[k] += box_mass(box, i) * motion->end->velocity[3 * i + k];
        }
    }
    sums->conserved = sums->potential + sums->field + sums->kinetic +
                      motion_thermostat_energy(motion) - motion->end->thermostat.heat;
    sum_errors(motion, sums);
}

static bool take_sums(struct motion *motion, struct step_sums *sums, struct error *error) {
    const size_t n = motion->box.n;
    if (motion->rules->integrator != INTEGRATOR_LEAPFROG) {
        fill_sums(motion, sums);
        return true;
    }
    double *kept = calloc(n, 3 * sizeof *kept);
    double *kept_error = calloc(n, sizeof *kept_error);
    const bool good = kept && kept_error;
    if (!good) {
        (void)fail_out_of_memory(error, "the sums of a step");
    } else {
        shift_leapfrog(motion, kept, kept_error);
        fill_sums(motion, sums);
        memcpy(motion->end->velocity, kept, 3 * n * sizeof *kept);
        memcpy(motion->end->velocity_error, kept_error, n * sizeof *kept_error);
    }
    free(kept);
    free(kept_error);
    return good;
}

/* ---- steps ---- */

/* A drift, which leaves waters rigid. */
static bool drift(struct motion *motion, double h, struct error *error) {
    step_rigid_note(motion);
    motion_drift(motion, h);
    return step_rigid_place(motion, error);
}

static bool drift_with_noise(struct motion *motion, uint64_t step, struct error *error) {
    const double half = 0.5 * motion->rules->dt;
    if (!drift(motion, half, error)) {
        return false;
    }
    motion_randomize(motion, motion->rules->first + step);
    return drift(motion, half, error);
}

static bool move(struct motion *motion, uint64_t step, struct error *error) {
    const struct step_rules *rules = motion->rules;
    const bool leapfrog = rules->integrator == INTEGRATOR_LEAPFROG;
    const bool thermostat = rules->thermostat == THERMOSTAT_NOSE_HOOVER;
    if (thermostat && !motion_half_thermostat(motion, error)) {
        return false;
    }
    motion_kick(motion, leapfrog ? rules->dt : 0.5 * rules->dt);
    if (!(motion_has_noise(rules) ? drift_with_noise(motion, step, error)
                                  : drift(motion, rules->dt, error)) ||
        !motion_cross(motion, error) || !motion_compute_forces(motion, error)) {
        return false;
    }
    if (!leapfrog) {
        motion_kick(motion, 0.5 * rules->dt);
    }
    step_rigid_velocities(motion);
    if (thermostat && !motion_half_thermostat(motion, error)) {
        return false;
    }
    motion_rescale(motion, step + 1);
    return true;
}

static void note_farthest(struct motion *motion, size_t from) {
    double most = 0.0;
    for (size_t i = from; i < motion->box.n; i++) {
        const double *way = motion->way + 3 * i;
        most = fmax(most, way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    }
    motion->cone->farthest = fmax(motion->cone->farthest, sqrt(most));
}

/* Those from which nothing reaches the first in so many steps. */
static void give_up(struct motion *motion, uint64_t left) {
    const struct step_cone *cone = motion->cone;
    const double reach = (double)left * cone->layer + cone->way;
    size_t n = motion->box.n;
    while (n > 1 && cone->depth[n - 1] > reach) {
        n--;
    }
    note_farthest(motion, n);
    if (n < motion->box.n) {
        motion->box.n = n;
        motion->end->n = n;
        motion->forces.lists = 0; /* a list of more particles is of no use */
    }
}

/* Errors never shrink. Where one is larger already than particles will have come at the end, going
 * on tells nothing, and takes ever longer, since ever more pairs may be within the cutoff or not:
 * long before any is judged. The fastest that particles get is taken to be four times the speed
 * that they have now, and errors that are small beside the cutoff cost nothing. */
static bool still_tells(const struct motion *motion, uint64_t left, struct error *error) {
    const struct step_end *end = motion->end;
    const double tells_from = 0.01 * motion->forces.cutoff;
    double way = 0.0;
    double speed = 0.0;
    if (left == 0 || !(motion->largest_error > tells_from)) {
        return true;
    }
    for (size_t i = 0; i < 3 * motion->box.n; i++) {
        way += motion->way[i] * motion->way[i];
        speed += end->velocity[i] * end->velocity[i];
    }
    const double n = (double)motion->box.n;
    const double farthest =
        sqrt(way / n) + 4.0 * (double)left * motion->rules->dt * sqrt(speed / n);
    return motion->largest_error <= farthest ||
           fail(
               error, STATUS_UNSUPPORTED,
               "in step %llu of %llu of %g, errors of the arithmetic to be compared may have grown "
               "to %.3g, and particles come no farther than some %.3g: nothing is left to judge; "
               "take fewer or shorter steps",
               (unsigned long long)(motion->rules->steps - left),
               (unsigned long long)motion->rules->steps, motion->rules->dt, motion->largest_error,
               farthest);
}

static bool integrate(struct motion *motion, uint64_t state_step, struct error *error) {
    struct step_end *end = motion->end;
    if (!take_sums(motion, &end->first, error)) {
        return false;
    }
    end->step = state_step;
    for (uint64_t k = 0; k < motion->rules->steps; k++) {
        if (motion->cone) {
            give_up(motion, motion->rules->steps - k);
        }
        if (!move(motion, end->step, error)) {
            return fail_within(error, "step %llu", (unsigned long long)end->step + 1);
        }
        end->step++;
        if (!still_tells(motion, motion->rules->steps - k - 1, error)) {
            return false;
        }
    }
    if (motion->cone) {
        note_farthest(motion, 0);
    }
    memcpy(end->force, motion->forces.now.force, 3 * end->n * sizeof *end->force);
    end->lists = motion->forces.lists;
    return take_sums(motion, &end->last, error);
}

static bool run(const struct step_case *step_case, struct motion *motion, struct error *error) {
    const bool done =
        begin(step_case, motion, error) && integrate(motion, step_case->state_step, error);
    free_motion(motion);
    if (!done) {
        step_end_free(motion->end);
    }
    return done;
}

static bool run_cone(const struct step_case *step_case, struct step_cone *cone,
                     struct step_end *end, struct error *error) {
    struct motion motion = { .rules = step_case->rules, .cone = cone, .end = end };
    *end = (struct step_end){ 0 };
    if (step_case->thermostat) {
        end->thermostat = *step_case->thermostat;
    }
    if (step_case->units) {
        motion.units = *step_case->units;
    }
    return run(step_case, &motion, error);
}

bool reference_integrate(const struct step_case *step_case, struct step_end *end,
                         struct error *error) {
    return run_cone(step_case, NULL, end, error);
}

bool reference_integrate_cone(const struct step_case *step_case, struct step_cone *cone,
                              struct step_end *end, struct error *error) {
    cone->farthest = 0.0;
    return run_cone(step_case, cone, end, error);
}
