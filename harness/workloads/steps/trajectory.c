/* The judge of time steps: how far each particle has come, its velocity and the energies at the
 * end, compared with the reference's own integrator.
 *
 * Trajectories part exponentially, so that a number is only as good as what the reference says of
 * the growth of errors (step.h): from the roundings of each step in the precision at hand, the
 * bound of each particle's place and velocity. What is summed over the box is off by what that
 * makes of it, and by what tolerances.h derives for pairs that lie where they lie at the end. */
#include "core/host.h"
#include "core/quantity.h"
#include "kernels/motion/step_rules.h"
#include "reference/steps/step.h"
#include "reference/steps/step_some.h"
#include "reference/steps/step_store.h"
#include "workloads/gate.h"
#include "workloads/pme/settings.h"
#include "workloads/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is expected ---- */

/* Two floats that together give a double hold 48 bits; what forces are computed from is the first
 * of them alone, which is off by as much as a difference of coordinates. */
static struct step_units units_of(enum precision precision) {
    const struct numeric numeric = precision_numeric(precision);
    const double pairs = format_unit(numeric.arithmetic);
    const double sums = format_unit(numeric.accumulation);
    const bool in_two = numeric.position != numeric.accumulation;
    return (struct step_units){ .arithmetic = in_two ? 2 * pairs : pairs,
                                .sum = sums,
                                .velocity = sums,
                                .position = in_two ? pairs * pairs : sums,
                                .coordinate = in_two ? pairs : 0 };
}

/* The box as it is at the end. */
static bool box_at_end(const struct box *box, const struct step_end *end, struct box *moved,
                       struct error *error) {
    if (!box_as_device(box, PRECISION_DOUBLE, moved, error)) {
        return false;
    }
    memcpy(moved->position, end->position, 3 * box->n * sizeof *moved->position);
    return true;
}

/* Whether the errors of n particles are smaller than what they are errors of: else there is nothing
 * to judge. */
static bool check_errors(const struct judge_question *question, const double *displacement,
                         const double *displacement_error, size_t n, struct error *error) {
    double way = 0;
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            way += displacement[3 * i + k] * displacement[3 * i + k];
        }
        largest = fmax(largest, displacement_error[i]);
    }
    way = sqrt(way / (double)n);
    return largest <= 0.5 * way || way == 0 ||
           fail(error, STATUS_UNSUPPORTED,
                "in %llu steps of %g, errors of %s arithmetic may grow to %.3g, and particles come "
                "no farther than %.3g: nothing is left to judge; take fewer or shorter steps",
                (unsigned long long)question->spec->step.steps, question->spec->step.dt,
                precision_name(question->spec->precision), largest, way);
}

/* Mass of a link of a chain; see step_rules.h. */
static double link_mass(const struct step_rules *rules, double freedom, int link) {
    return (link == 0 ? freedom : 1) * rules->temperature * rules->time_constant *
           rules->time_constant;
}

/* What rounding makes of a chain's energy, whose terms may cancel: each half step rounds the
 * velocity w and the position s of each link some ten times, and w carries its error into s. */
static double chain_error(const struct step_rules *rules, const struct step_end *end,
                          double freedom, double unit) {
    const double time = (double)rules->steps * rules->dt;
    double terms = 0;
    for (int k = 0; rules->thermostat == THERMOSTAT_NOSE_HOOVER && k < rules->chain; k++) {
        const double w = fabs(end->thermostat.velocity[k]);
        const double energy = (k == 0 ? freedom : 1) * rules->temperature;
        terms += link_mass(rules, freedom, k) * w * w +
                 energy * (fabs(end->thermostat.position[k]) + time * w);
    }
    return 20 * (double)rules->steps * unit * terms;
}

/* Moves what the integrator found into the reference of the end. */
static void take_end(const struct step_rules *rules, double unit, struct step_end *end,
                     struct reference *expected) {
    struct reference_motion *motion = &expected->motion;
    const struct step_sums *last = &end->last;
    const double time = (double)rules->steps * rules->dt / rules->time_constant;
    motion->thermostat = last->conserved - last->potential - last->field - last->kinetic;
    /* the last: of these differences */
    motion->thermostat_error =
        last->kinetic_error * (2 * (double)rules->steps + 4 * time * time) +
        chain_error(rules, end, 3 * (double)end->n, unit) +
        4 * DBL_EPSILON *
            (fabs(last->conserved) + fabs(last->potential) + fabs(last->field) + last->kinetic);
    free(expected->force);
    expected->force = end->displacement;
    motion->velocity = end->velocity;
    motion->displacement_error = end->displacement_error;
    motion->velocity_error = end->velocity_error;
    motion->types = end->types;
    motion->crossing = end->crossing;
    motion->doubt = end->doubt;
    motion->carried = end->carried;
    motion->carried_error = end->carried_error;
    end->crossing = NULL;
    end->doubt = NULL;
    end->carried = NULL;
    end->carried_error = NULL;
    end->displacement = NULL;
    end->velocity = NULL;
    end->displacement_error = NULL;
    end->velocity_error = NULL;
    motion->kinetic = end->last.kinetic;
    motion->kinetic_error = end->last.kinetic_error;
    motion->potential_error = end->last.potential_error;
    motion->virial_error = end->last.virial_error;
}

/* The case that the reference integrates; `long_range` is room for its long-range part. */
static bool case_of(const struct judge_question *question, const struct step_units *units,
                    struct step_long_range *long_range, struct step_case *step_case,
                    struct error *error) {
    const struct case_spec *spec = question->spec;
    const bool is_there = spec->long_range.variant != NULL;
    *step_case = (struct step_case){ .box = question->box,
                                     .interaction = &spec->interaction,
                                     .cutoff = question->cutoff,
                                     .rules = &spec->step,
                                     .units = units,
                                     .long_range = is_there ? long_range : NULL };
    return !is_there || pme_settings_of_steps(&spec->long_range, spec->precision, question->box,
                                              long_range, error);
}

/* Adds the long-range part to the sums at the end, which are of pairs alone. */
static void add_long_range(const struct step_long_sums *sums, struct reference *expected) {
    expected->energy += sums->energy;
    expected->kinds[TERM_COULOMB].value += sums->energy;
    for (int k = 0; k < 9; k++) {
        expected->virial[k] += sums->virial[k];
    }
    expected->motion.potential_error += sums->energy_error;
    expected->motion.virial_error += sums->virial_error;
}

/* What is summed over the box at the end. */
static bool compute_end(const struct judge_question *question, const struct box *moved,
                        struct reference *expected, struct error *error) {
    const struct interaction *interaction = &question->spec->interaction;
    const struct step_state state = {
        .box = moved,
        .interaction = interaction,
        .cutoff = question->cutoff,
        .unit = format_unit(precision_numeric(question->spec->precision).arithmetic)
    };
    return step_bodies_of(interaction) == STEP_PAIRS
               ? reference_compute_once(moved, interaction, question->cutoff, expected, error)
               : step_bodies_compute(&state, expected, error);
}

/* compute_end() leaves nothing of the state of the end on disk. */
static bool integrate(const struct judge_question *question, const struct step_case *step_case,
                      struct reference *expected, struct error *error) {
    const struct case_spec *spec = question->spec;
    struct step_end end = { 0 };
    struct box moved = { 0 };
    const bool computed =
        reference_integrate(step_case, &end, error) &&
        check_errors(question, end.displacement, end.displacement_error, end.n, error) &&
        box_at_end(question->box, &end, &moved, error) &&
        compute_end(question, &moved, expected, error);
    if (computed) {
        take_end(&spec->step, step_case->units->velocity, &end, expected);
        add_long_range(&end.last.long_range, expected);
    }
    box_free(&moved);
    step_end_free(&end);
    return computed;
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    const struct case_spec *spec = question->spec;
    const struct step_units units = units_of(spec->precision);
    char key[HASH_TEXT_SIZE] = "";
    struct step_long_range long_range;
    struct step_case step_case;
    if (!case_of(question, &units, &long_range, &step_case, error)) {
        return false;
    }
    struct expectation *made = sums_allocate(error);
    if (use == EXPECT_KEPT) {
        step_reference_key(&step_case, key);
    }
    if (made && step_reference_load(key, question->box->n, &made->reference)) {
        return sums_take(made, true, expected);
    }
    const double start = clock_s();
    const bool computed = made && integrate(question, &step_case, &made->reference, error);
    if (computed) {
        step_reference_store(key, &made->reference, clock_s() - start);
    }
    return sums_take(made, computed, expected);
}

/* Errors grow by the precision, and with every step. */
static void append_key(const struct case_spec *spec, struct strbuf *key) {
    strbuf_append(key, "|%s|%llu ", precision_name(spec->precision),
                  (unsigned long long)spec->step.steps);
    step_rules_describe(&spec->step, key);
    strbuf_append(key, " ");
    long_range_describe(&spec->long_range, key);
}

static size_t places(const struct judge_question *question) {
    const struct case_spec *spec = question->spec;
    return spec->long_range.variant ? 0
                                    : reference_step_places(question->box, &spec->interaction,
                                                            question->cutoff, &spec->step);
}

/* Expects displacements of some particles, and no velocities or sums. */
static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    const struct case_spec *spec = question->spec;
    const struct step_units units = units_of(spec->precision);
    struct step_long_range long_range;
    struct step_case step_case;
    if (!case_of(question, &units, &long_range, &step_case, error)) {
        return false;
    }
    struct expectation *made = sums_allocate(error);
    struct step_some some = { 0 };
    const bool computed = made &&
                          reference_integrate_some(&step_case, particle, count, &some, error) &&
                          check_errors(question, some.displacement, some.error, count, error);
    if (computed) {
        made->reference = (struct reference){ .n = count,
                                              .cutoff = question->cutoff,
                                              .length_scale = box_length_scale(question->box),
                                              .force = some.displacement,
                                              .motion.displacement_error = some.error };
    } else {
        step_some_free(&some);
    }
    return sums_take(made, computed, expected);
}

/* ---- comparing ---- */

/* What is compared, and the worst of it. */
struct comparison {
    const struct judge_question *question;
    const struct reference *expected;
    struct verdict *verdict;
    struct tolerances tolerances;
    double rounding; /* rounding error of a displacement as the harness computes it */
    size_t wrong;    /* components of displacements and velocities */
    char worst[256];
};

/* The error of a displacement by adding it to a place and subtracting that again. */
static double displacement_rounding(const struct judge_question *question) {
    return 4 * format_unit(precision_numeric(question->spec->precision).accumulation) *
           box_length_scale(question->box);
}

/* Whether a number is within its bound; keeps the largest ratio. */
static bool within(struct comparison *comparison, double got, double expected, double bound,
                   bool *worse) {
    const double error = fabs(got - expected);
    const bool accepted = error <= bound; /* false for NaN */
    const double ratio = relative_error(error, bound);
    *worse = ratio > comparison->verdict->worst_ratio || (!accepted && !comparison->worst[0]);
    if (*worse) {
        comparison->verdict->worst_ratio = ratio;
    }
    return accepted;
}

/* Vectors to be compared, 3 numbers per particle. */
struct compared_vectors {
    const char *name;
    const double *got, *expected;
    const double *error; /* per particle */
    double more;         /* than that */
};

static struct vector_errors compare_vectors(struct comparison *comparison,
                                            const struct compared_vectors *vectors) {
    const struct workload_words *words = &comparison->question->spec->variant->workload->words;
    struct vector_errors errors = { 0 };
    for (size_t k = 0; k < 3 * comparison->expected->n; k++) {
        const double got = vectors->got[k];
        const double expected = vectors->expected[k];
        const double bound = vectors->error[k / 3] + vectors->more;
        bool worse;
        vector_errors_add(&errors, k, got, expected);
        if (!within(comparison, got, expected, bound, &worse)) {
            comparison->wrong++;
            if (worse) {
                (void)snprintf(comparison->worst, sizeof comparison->worst,
                               "%s %s particle %zu, %c: got %.9g, expected %.9g, tolerance %.3g",
                               vectors->name, words->preposition, k / 3 + 1, "xyz"[k % 3],
                               unsigned_nan(got), expected, bound);
            }
        }
    }
    return errors;
}

/* ---- digits ---- */

enum { MIN_WITH_DIGITS = 64 };
static const double least_with_digits = 0x1p-16;

static bool is_float(double number) {
    return number == (double)(float)number;
}

/* Bounds leave room for forces in float, and what is kept in float lies within them. So a number
 * that is to be kept in more has to show it. Of those looked at hardly one in a hundred is a float
 * by chance: what is expected is none, and larger than `least`. */
static void judge_digits(struct comparison *comparison, const struct compared_vectors *vectors,
                         double least) {
    size_t seen = 0;
    size_t floats = 0;
    for (size_t k = 0; k < 3 * comparison->expected->n; k++) {
        const double expected = vectors->expected[k];
        if (!is_float(expected) && fabs(expected) > least) {
            seen++;
            floats += is_float(vectors->got[k]);
        }
    }
    if (seen >= MIN_WITH_DIGITS && 2 * floats > seen && !comparison->worst[0]) {
        (void)snprintf(comparison->worst, sizeof comparison->worst,
                       "%s: %zu of %zu components that were looked at have no more digits than a "
                       "float: under %s they are to be kept in double%s",
                       vectors->name, floats, seen,
                       precision_name(comparison->question->spec->precision),
                       vectors->more > 0 ? ", positions as two floats (position_rest)" : "");
        comparison->verdict->worst_ratio = INFINITY;
    }
}

/* A displacement is a difference of positions: small ones have few digits left. */
static double least_displacement(const struct judge_question *question) {
    return least_with_digits * box_length_scale(question->box);
}

static bool keeps_more_than_float(const struct judge_question *question) {
    const struct numeric numeric = precision_numeric(question->spec->precision);
    return numeric.position != numeric.accumulation;
}

/* ---- vectors ---- */

static void compare_displacements(struct comparison *comparison, const struct evaluation *got) {
    const struct reference *expected = comparison->expected;
    const struct compared_vectors vectors = {
        .name = comparison->question->spec->variant->workload->words.result,
        .got = got->force,
        .expected = expected->force,
        .error = expected->motion.displacement_error,
        .more = comparison->rounding
    };
    const struct vector_errors errors = compare_vectors(comparison, &vectors);
    if (keeps_more_than_float(comparison->question)) {
        judge_digits(comparison, &vectors, least_displacement(comparison->question));
    }
    vector_errors_conclude(&errors, expected->n, comparison->verdict);
}

/* Compares velocities of a sample; where none were read, displacements stand for them. */
static void compare_velocities(struct comparison *comparison, const struct evaluation *got) {
    const struct reference *expected = comparison->expected;
    const struct compared_vectors vectors = { .name = "velocity",
                                              .got = got->velocity,
                                              .expected = expected->motion.velocity,
                                              .error = expected->motion.velocity_error };
    if (got->velocity && expected->n == comparison->question->box->n) {
        (void)compare_vectors(comparison, &vectors);
        if (keeps_more_than_float(comparison->question)) {
            judge_digits(comparison, &vectors, 0);
        }
    }
}

/* ---- rigid waters ---- */

static void compare_total(struct comparison *comparison, const char *name, double got,
                          double expected, double bound);

/* How fast the forces at the end can have made a particle in half a step. */
static double half_kick(const struct comparison *comparison, size_t i) {
    const struct judge_question *question = comparison->question;
    return 0.5 * question->spec->step.dt * comparison->expected->scale[i] /
           box_mass(question->box, i);
}

/* One side after the steps: its length, and how fast that changes. Positions are rounded as they
 * are kept, and computing a displacement costs as much again; velocities are corrected along sides
 * that are off by that. What is corrected holds the half kick of the forces, those along the side
 * included, of which nothing is left, and so of the speed by which the positions were corrected. */
static void compare_side(struct comparison *comparison, const struct evaluation *got, size_t i,
                         size_t j, double length, double correction) {
    const struct box *box = comparison->question->box;
    const struct step_units units = units_of(comparison->question->spec->precision);
    const double off = 2 * (comparison->rounding + 8 * units.position * box_length_scale(box)) +
                       100 * units.velocity * length;
    double end[2][3];
    double side[3];
    char name[96];
    for (size_t k = 0; k < 3; k++) {
        end[0][k] = box->position[3 * i + k] + got->force[3 * i + k];
        end[1][k] = box->position[3 * j + k] + got->force[3 * j + k];
    }
    box_vector(box, end[1], end[0], side);
    const double now = sqrt(vector_dot(side, side));
    (void)snprintf(name, sizeof name, "the side of the rigid particles %zu and %zu", i + 1, j + 1);
    compare_total(comparison, name, now, length, off);
    double rate = 0;
    double speed = half_kick(comparison, i) + half_kick(comparison, j) + correction +
                   off / step_rules_drift(&comparison->question->spec->step);
    for (size_t k = 0; got->velocity && k < 3; k++) {
        const double v = got->velocity[3 * i + k];
        const double w = got->velocity[3 * j + k];
        rate += side[k] / now * (v - w);
        speed += fabs(v) + fabs(w);
    }
    (void)snprintf(name, sizeof name, "how fast the side of the rigid particles %zu and %zu grows",
                   i + 1, j + 1);
    compare_total(comparison, name, rate, 0, speed * (200 * units.velocity + 4 * off / length));
}

static double side_is_off(const struct box *box, size_t i, size_t j, double length) {
    double side[3];
    box_vector(box, &box->position[3 * j], &box->position[3 * i], side);
    return fabs(sqrt(vector_dot(side, side)) - length);
}

/* How fast a water becomes in the first step because its sides are not as long as they shall be:
 * particles are rounded, and moved. A later step finds sides that have been corrected. */
static double correction_of(const struct comparison *comparison, const int32_t *atom) {
    const struct box *box = comparison->question->box;
    const struct step_rules *rules = &comparison->question->spec->step;
    const size_t o = (size_t)atom[0], g = (size_t)atom[1], h = (size_t)atom[2];
    return rules->steps == 1
               ? (side_is_off(box, o, g, rules->oh) + side_is_off(box, o, h, rules->oh) +
                  side_is_off(box, g, h, rules->hh)) /
                     step_rules_drift(rules)
               : 0;
}

/* Compares the side lengths of rigid molecules, of all particles in the order of the box. */
static void compare_sides(struct comparison *comparison, const struct evaluation *got) {
    const struct judge_question *question = comparison->question;
    const struct step_rules *rules = &question->spec->step;
    struct rigid_molecules molecules = { 0 };
    struct error ignored;
    if (rules->integrator != INTEGRATOR_SETTLE || comparison->expected->n != question->box->n ||
        !rigid_molecules_find(question->box, rules, &molecules, &ignored)) {
        return;
    }
    for (size_t m = 0; m < molecules.count; m++) {
        const int32_t *atom = molecules.atom + 4 * m;
        if (atom[1] >= 0) {
            const double correction = correction_of(comparison, atom);
            compare_side(comparison, got, (size_t)atom[0], (size_t)atom[1], rules->oh, correction);
            compare_side(comparison, got, (size_t)atom[0], (size_t)atom[2], rules->oh, correction);
            compare_side(comparison, got, (size_t)atom[1], (size_t)atom[2], rules->hh, correction);
        }
    }
    rigid_molecules_free(&molecules);
}

static void compare_total(struct comparison *comparison, const char *name, double got,
                          double expected, double bound) {
    bool worse;
    if (!within(comparison, got, expected, bound, &worse) && worse) {
        (void)snprintf(comparison->worst, sizeof comparison->worst,
                       "%s: got %.15g, expected %.15g, tolerance %.3g", name, unsigned_nan(got),
                       expected, bound);
    }
}

static double sum_of(struct bound bound) {
    return bound.allowed + bound.edge;
}

static void compare_totals(struct comparison *comparison, const struct evaluation *got) {
    const struct reference *expected = comparison->expected;
    const struct reference_motion *motion = &expected->motion;
    const enum outputs outputs = comparison->question->spec->outputs;
    const double sum_unit = comparison->tolerances.arithmetic.sum_unit;
    const double n = (double)comparison->question->box->n;
    if (outputs < OUTPUTS_ENERGY) {
        return;
    }
    compare_total(comparison, "energy", got->energy, expected->energy,
                  sum_of(bound_of_energy(&comparison->tolerances, got)) + motion->potential_error);
    for (int kind = 0; expected->energies_apart && kind < TERM_KINDS; kind++) {
        compare_total(comparison, kind == TERM_COULOMB ? "Coulomb energy" : "van der Waals energy",
                      kind == TERM_COULOMB ? got->energy_coulomb : got->energy_vdw,
                      expected->kinds[kind].value,
                      sum_of(bound_of_kind(&comparison->tolerances, kind)) +
                          motion->potential_error);
    }
    compare_total(comparison, "kinetic energy", got->kinetic_energy, motion->kinetic,
                  motion->kinetic_error + sum_unit * (16 + sqrt(n)) * motion->kinetic);
    if (step_rules_have_bath(&comparison->question->spec->step)) {
        compare_total(comparison, "the thermostat's energy", got->thermostat_energy,
                      motion->thermostat,
                      motion->thermostat_error +
                          sum_unit * (16 + sqrt(n)) * (motion->kinetic + fabs(motion->thermostat)) *
                              (double)(2 * comparison->question->spec->step.steps));
    }
    comparison->verdict->energy_error =
        relative_error(fabs(got->energy - expected->energy), expected->energy_scale);
    for (int k = 0; outputs >= OUTPUTS_VIRIAL && k < 9; k++) {
        char name[32];
        (void)snprintf(name, sizeof name, "virial %c%c", "xyz"[k / 3], "xyz"[k % 3]);
        compare_total(comparison, name, got->virial[k], expected->virial[k],
                      sum_of(bound_of_virial(&comparison->tolerances, got)) + motion->virial_error);
        comparison->verdict->virial_error = fmax(
            comparison->verdict->virial_error,
            relative_error(fabs(got->virial[k] - expected->virial[k]), expected->virial_scale));
    }
}

/* What went through each face. Momenta are in whole units, rounded in the arithmetic of pairs
 * (count_at_face() of variants/step.cl). */
static void compare_faces(struct comparison *comparison, const struct evaluation *got) {
    const struct reference_motion *motion = &comparison->expected->motion;
    const double unit =
        units_of(comparison->question->spec->precision).arithmetic; /* a product and a sum */
    static const char *const sides[] = { "lower", "upper" };
    if (!got->face_count || comparison->expected->n != comparison->question->box->n) {
        return;
    }
    for (int32_t f = 0; f < STEP_FACES * motion->types; f++) {
        const int face = f % STEP_FACES;
        const double crossed = (double)motion->crossing[f] + (double)motion->doubt[f];
        char name[96];
        (void)snprintf(name, sizeof name, "particles of type %d out through the %s face along %c",
                       f / STEP_FACES, sides[face % 2], "abc"[face / 2]);
        compare_total(comparison, name, (double)got->face_count[f], (double)motion->crossing[f],
                      (double)motion->doubt[f]);
        (void)snprintf(name, sizeof name,
                       "momentum of particles of type %d out through the %s face along %c",
                       f / STEP_FACES, sides[face % 2], "abc"[face / 2]);
        compare_total(comparison, name, got->face_momentum[f], motion->carried[f],
                      motion->carried_error[f] +
                          16 * unit * (motion->carried[f] + motion->carried_error[f]) +
                          crossed * got->face_unit);
    }
}

static void conclude(struct comparison *comparison) {
    struct verdict *verdict = comparison->verdict;
    verdict->status = comparison->worst[0] ? STATUS_WRONG : STATUS_OK;
    (void)snprintf(verdict->message, sizeof verdict->message, "%s", comparison->worst);
    if (comparison->wrong > 0) {
        const size_t length = strlen(verdict->message);
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       "; out of tolerance: %zu of %zu components", comparison->wrong,
                       6 * comparison->expected->n);
    }
}

/* What is compared. */
enum compared { COMPARE_VECTORS = 1, COMPARE_SUMS = 2 };

static void compare_some(const struct judge_question *question, const struct reference *expected,
                         const struct evaluation *got, int compared, struct verdict *verdict) {
    struct comparison comparison = { .question = question,
                                     .expected = expected,
                                     .verdict = verdict,
                                     .rounding = displacement_rounding(question) };
    struct error error;
    *verdict = verdict_of(STATUS_OK);
    verdict->worst_ratio = 0;
    verdict->virial_error = question->spec->outputs >= OUTPUTS_VIRIAL ? 0 : NAN;
    if (!tolerances_make(expected, box_length_scale(question->box), question->spec->precision,
                         &comparison.tolerances, &error)) {
        tolerances_free(&comparison.tolerances);
        verdict_fail(verdict, &error);
        return;
    }
    if (compared & COMPARE_VECTORS) {
        compare_displacements(&comparison, got);
        compare_velocities(&comparison, got);
        compare_sides(&comparison, got);
    }
    if (compared & COMPARE_SUMS) {
        compare_faces(&comparison, got);
        compare_totals(&comparison, got);
    }
    conclude(&comparison);
    tolerances_free(&comparison.tolerances);
}

static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    compare_some(question, &expected->reference, got, COMPARE_VECTORS | COMPARE_SUMS, verdict);
}

static void compare_all(const struct judge_question *question, const struct expectation *expected,
                        const struct evaluation *got, struct verdict *verdict) {
    compare_some(question, &expected->reference, got, COMPARE_VECTORS, verdict);
}

static void compare_scalars(const struct judge_question *question,
                            const struct expectation *expected, const struct evaluation *got,
                            struct verdict *verdict) {
    compare_some(question, &expected->reference, got, COMPARE_SUMS, verdict);
}

static bool bounds(const struct judge_question *question, const struct expectation *expected,
                   enum judged_field field, double *wanted, double *tolerance,
                   struct error *error) {
    const struct reference *reference = &expected->reference;
    const struct reference_motion *motion = &reference->motion;
    const bool moves = field == JUDGED_RESULT;
    const double rounding = moves ? displacement_rounding(question) : 0;
    (void)error;
    memcpy(wanted, moves ? reference->force : motion->velocity, 3 * reference->n * sizeof *wanted);
    for (size_t k = 0; k < 3 * reference->n; k++) {
        tolerance[k] =
            (moves ? motion->displacement_error : motion->velocity_error)[k / 3] + rounding;
    }
    return true;
}

extern const struct judge judge_trajectory;
const struct judge judge_trajectory = { .name = "trajectory",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .places = places,
                                        .free = sums_free,
                                        .hash = sums_hash,
                                        .append_key = append_key,
                                        .compare = compare,
                                        .compare_all = compare_all,
                                        .compare_scalars = compare_scalars,
                                        .bounds = bounds,
                                        .work = sums_work,
                                        .by_box = true };
