/* The judge of reciprocal space: forces, energy and virial against the same sum on the same grid in
 * double, within what reference/pme/pme.h says that rounding moves them by. */
#include "reference/pme/pme.h"
#include "workloads/judges.h"
#include "workloads/pme/settings.h"
#include "workloads/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct expectation {
    struct pme_result result;
};

/* ---- what is expected ---- */

static bool find_problem(const struct judge_question *question, struct pme_problem *problem,
                         struct error *error) {
    struct pme_settings settings;
    if (!pme_settings_resolve(&question->spec->interaction, question->box, &settings, error)) {
        return false;
    }
    *problem = (struct pme_problem){
        .box = question->box,
        .alpha = settings.alpha,
        .coulomb = settings.coulomb,
        .grid = { settings.grid[0], settings.grid[1], settings.grid[2] },
        .order = settings.order,
    };
    return true;
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    const struct pme_rounding rounding = pme_rounding_of(question->spec->precision);
    struct pme_problem problem;
    (void)use; /* computed in seconds at most */
    if (!find_problem(question, &problem, error)) {
        return false;
    }
    struct expectation *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "what is expected");
    }
    if (!reference_pme(&problem, &rounding, &made->result, error)) {
        free(made);
        return false;
    }
    *expected = made;
    return true;
}

static void free_expected(struct expectation *expected) {
    if (expected) {
        pme_result_free(&expected->result);
        free(expected);
    }
}

/* All are computed, of which `count` particles stay, in the order of `particle`. */
static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct expectation *all = NULL;
    if (!expect(question, EXPECT_ONCE, &all, error)) {
        return false;
    }
    struct pme_result *result = &all->result;
    if (!numbers_pick(&result->force, 3, particle, count, error) ||
        !numbers_pick(&result->force_error, 3, particle, count, error)) {
        free_expected(all);
        return false;
    }
    result->n = count;
    *expected = all;
    return true;
}

static void hash_expected(const struct expectation *expected, struct hash_state *hash) {
    const struct pme_result *result = &expected->result;
    hash_add(hash, result, sizeof *result); /* never copied: its padding stays, too */
    hash_add(hash, result->force, 3 * result->n * sizeof *result->force);
    hash_add(hash, result->force_error, 3 * result->n * sizeof *result->force_error);
}

/* Bounds are of the precision. */
static void append_key(const struct case_spec *spec, struct strbuf *key) {
    strbuf_append(key, "|%s", precision_name(spec->precision));
}

static bool bounds(const struct judge_question *question, const struct expectation *expected,
                   enum judged_field field, double *wanted, double *tolerance,
                   struct error *error) {
    const struct pme_result *result = &expected->result;
    (void)question;
    (void)field; /* there is none but the result */
    (void)error;
    memcpy(wanted, result->force, 3 * result->n * sizeof *wanted);
    memcpy(tolerance, result->force_error, 3 * result->n * sizeof *tolerance);
    return true;
}

/* ---- comparing ---- */

struct comparing {
    const struct workload_words *words;
    struct verdict *verdict;
    double worst; /* ratio of what the message names first */
    char rest[256];
};

/* Notes a number; what is beyond its bound and the worst so far is what the message begins with. */
static void compare_number(struct comparing *comparing, const char *name, double got,
                           double expected, double allowed) {
    struct verdict *verdict = comparing->verdict;
    const double error = isnan(got - expected) ? INFINITY : fabs(got - expected);
    const double ratio = relative_error(error, allowed);
    verdict->worst_ratio = fmax(verdict->worst_ratio, ratio);
    if (error <= allowed || ratio <= comparing->worst) {
        return;
    }
    comparing->worst = ratio;
    verdict->status = STATUS_WRONG;
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "%s: got %.9g, expected %.9g, tolerance %.3g", name, got, expected, allowed);
}

static void compare_forces(struct comparing *comparing, const struct pme_result *expected,
                           const struct evaluation *got) {
    struct verdict *verdict = comparing->verdict;
    struct vector_errors errors = { 0 };
    size_t wrong = 0;
    for (size_t k = 0; k < 3 * expected->n; k++) {
        char name[80];
        wrong += !(fabs(got->force[k] - expected->force[k]) <= expected->force_error[k]);
        (void)snprintf(name, sizeof name, "%s %s particle %zu, %c", comparing->words->result,
                       comparing->words->preposition, k / 3 + 1, "xyz"[k % 3]);
        compare_number(comparing, name, got->force[k], expected->force[k],
                       expected->force_error[k]);
        vector_errors_add(&errors, k, got->force[k], expected->force[k]);
    }
    vector_errors_conclude(&errors, expected->n, verdict);
    verdict->net_force = vector_errors_net(&errors, expected->n);
    if (wrong > 0) {
        const size_t length = strlen(verdict->message);
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       "; out of tolerance: %zu of %zu %s components", wrong, 3 * expected->n,
                       comparing->words->result);
    }
}

/* How many units of rounding the additions of numbers of one sign may err by, relative to their
 * sum: work-items one by one, then a tree or one by one. */
static double adding_units(const struct evaluation *evaluation) {
    return 4 + log2(2 + evaluation->sum_items) + 2 * sqrt(evaluation->sum_serial);
}

static void compare_totals(struct comparing *comparing, const struct judge_question *question,
                           const struct pme_result *expected, const struct evaluation *got) {
    const enum outputs outputs = question->spec->outputs;
    const struct pme_rounding rounding = pme_rounding_of(question->spec->precision);
    const double added = rounding.sum_unit * adding_units(got);
    const double rounded = rounding.quantum * (8 + got->sum_items);
    struct verdict *verdict = comparing->verdict;
    if (outputs < OUTPUTS_ENERGY) {
        return;
    }
    compare_number(comparing, comparing->words->value, got->energy, expected->energy,
                   expected->energy_error + added * fabs(expected->energy) + rounded);
    verdict->energy_error =
        relative_error(fabs(got->energy - expected->energy), fabs(expected->energy));
    double largest = 0;
    for (int k = 0; k < 9 && outputs >= OUTPUTS_VIRIAL; k++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s %c%c", comparing->words->tensor, "xyz"[k / 3],
                       "xyz"[k % 3]);
        compare_number(comparing, name, got->virial[k], expected->virial[k],
                       expected->virial_error + added * expected->virial_scale + rounded);
        const double error = fabs(got->virial[k] - expected->virial[k]);
        largest = fmax(largest, isnan(error) ? INFINITY : error);
    }
    if (outputs >= OUTPUTS_VIRIAL) {
        verdict->virial_error = relative_error(largest, expected->virial_scale);
    }
}

static struct comparing comparing_begin(const struct judge_question *question,
                                        struct verdict *verdict) {
    *verdict = verdict_of(STATUS_OK);
    verdict->worst_ratio = 0;
    return (struct comparing){ .words = &question->spec->variant->workload->words,
                               .verdict = verdict };
}

/* Whether the precision does not hold what the charges come to: no kernel is to blame then. */
static bool is_beyond_precision(const struct judge_question *question,
                                const struct pme_result *expected, struct verdict *verdict) {
    const struct numeric numeric = precision_numeric(question->spec->precision);
    const struct box *box = question->box;
    const double coulomb = interaction_value(&question->spec->interaction, "coulomb");
    double all = 0, largest = 0, force = 0;
    for (size_t i = 0; i < box->n; i++) {
        all += fabs(box->charge[i]);
        largest = fmax(largest, fabs(box->charge[i]));
    }
    for (size_t k = 0; k < 3 * expected->n; k++) {
        force = fmax(force, fabs(expected->force[k]));
    }
    const double sums = 3 * fabs(expected->energy) + 2 * expected->virial_scale;
    const double product = largest * largest * fmin(1, fabs(coulomb));
    if (numeric_sums_are_fixed(numeric) &&
        (all >= 0x1p31 || force >= 0x1p31 ||
         (question->spec->outputs >= OUTPUTS_ENERGY && sums >= 0x1p30))) {
        verdict_say(verdict, STATUS_UNSUPPORTED,
                    "charges of %.3g, forces of %.3g or an energy of %.6g: sums of 64 bits in "
                    "units of 2^-32 hold less than 2^31",
                    largest, force, expected->energy);
        return true;
    }
    if (numeric.accumulation == FORMAT_FLOAT && product > 0 && product < 0x1p-96) {
        verdict_say(verdict, STATUS_UNSUPPORTED,
                    "charges of %.3g at most: float loses what their products come to", largest);
        return true;
    }
    return false;
}

static void compare_scalars(const struct judge_question *question,
                            const struct expectation *expected, const struct evaluation *got,
                            struct verdict *verdict) {
    struct comparing comparing = comparing_begin(question, verdict);
    if (!is_beyond_precision(question, &expected->result, verdict)) {
        compare_totals(&comparing, question, &expected->result, got);
    }
}

static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    struct comparing comparing = comparing_begin(question, verdict);
    if (got->n != expected->result.n || !got->force) {
        verdict->status = STATUS_WRONG;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "forces on %zu particles were computed, expected %zu",
                       got->force ? got->n : 0, expected->result.n);
        return;
    }
    if (!is_beyond_precision(question, &expected->result, verdict)) {
        compare_forces(&comparing, &expected->result, got);
        compare_totals(&comparing, question, &expected->result, got);
    }
}

/* ---- charges that are added up ---- */

static bool expect_charges(const struct judge_question *question, double *const charge[SUPERPOSED],
                           struct pme_result results[SUPERPOSED], struct error *error) {
    const double unit = pme_rounding_of(question->spec->precision).sum_unit;
    const struct pme_rounding of_sums = { .unit = unit, .sum_unit = unit };
    struct box box = *question->box; /* its other arrays are shared */
    struct pme_problem problem;
    bool computed = find_problem(question, &problem, error);
    problem.box = &box;
    for (int k = 0; computed && k < SUPERPOSED; k++) {
        box.charge = charge[k];
        computed = reference_pme(&problem, &of_sums, &results[k], error);
    }
    return computed;
}

/* Of particle i, where a_i = b_i, f_a + f_b is half of f_(a + b), else of f_(a - b). */
static void compare_superposed_forces(struct comparing *comparing,
                                      const struct pme_result expected[SUPERPOSED],
                                      double *const charge[SUPERPOSED],
                                      const struct evaluation got[SUPERPOSED]) {
    for (size_t k = 0; k < 3 * expected->n; k++) {
        const int both = charge[2][k / 3] != 0 ? 2 : 3;
        char name[80];
        (void)snprintf(name, sizeof name, "%s %s particle %zu, %c", comparing->words->result,
                       comparing->words->preposition, k / 3 + 1, "xyz"[k % 3]);
        compare_number(comparing, name, got[0].force[k] + got[1].force[k], got[both].force[k] / 2,
                       expected[0].force_error[k] + expected[1].force_error[k] +
                           expected[both].force_error[k] / 2);
    }
}

/* Totals are of second order in the charges: 2 (E_a + E_b) = E_(a + b) + E_(a - b). */
static void compare_superposed_totals(struct comparing *comparing, enum outputs outputs,
                                      const struct pme_result expected[SUPERPOSED],
                                      const struct evaluation got[SUPERPOSED], double unit) {
    double energy_error = 0;
    double virial_error = 0;
    for (int k = 0; k < SUPERPOSED; k++) {
        const double times = k < 2 ? 2 : 1;
        const double added = unit * adding_units(&got[k]);
        energy_error += times * (expected[k].energy_error + added * fabs(expected[k].energy));
        virial_error += times * (expected[k].virial_error + added * expected[k].virial_scale);
    }
    if (outputs >= OUTPUTS_ENERGY) {
        compare_number(comparing, comparing->words->value, 2 * (got[0].energy + got[1].energy),
                       got[2].energy + got[3].energy, energy_error);
    }
    for (int k = 0; k < 9 && outputs >= OUTPUTS_VIRIAL; k++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s %c%c", comparing->words->tensor, "xyz"[k / 3],
                       "xyz"[k % 3]);
        compare_number(comparing, name, 2 * (got[0].virial[k] + got[1].virial[k]),
                       got[2].virial[k] + got[3].virial[k], virial_error);
    }
}

static bool compare_superposed(const struct judge_question *question,
                               double *const charge[SUPERPOSED],
                               const struct evaluation got[SUPERPOSED], struct verdict *verdict,
                               struct error *error) {
    struct comparing comparing = comparing_begin(question, verdict);
    struct pme_result expected[SUPERPOSED] = { 0 };
    const bool computed = expect_charges(question, charge, expected, error);
    if (computed) {
        compare_superposed_forces(&comparing, expected, charge, got);
        compare_superposed_totals(&comparing, question->spec->outputs, expected, got,
                                  pme_rounding_of(question->spec->precision).sum_unit);
    }
    for (int k = 0; k < SUPERPOSED; k++) {
        pme_result_free(&expected[k]);
    }
    return computed;
}

/* All terms of the energy have one sign. */
static bool totals_are_small(const struct expectation *expected, enum outputs outputs) {
    const struct pme_result *result = &expected->result;
    return is_finer_than_fixed(result->energy) &&
           (outputs < OUTPUTS_VIRIAL || is_finer_than_fixed(result->virial_scale));
}

static void count_work(const struct judge_question *question, const struct expectation *expected,
                       struct expected_work *work) {
    (void)question;
    *work = (struct expected_work){ .pairs = (int64_t)expected->result.n };
}

/* ---- beside the results ---- */

/* Particles times vectors of the reciprocal lattice for which a direct sum takes seconds. */
static const double most_direct_terms = 1e8;

/* The error of the grid: of forces, in the root of the mean square, relative. NaN where the direct
 * sum takes too long. */
static bool find_grid_error(const struct pme_problem *problem, double *relative,
                            struct error *error) {
    const struct box *box = problem->box;
    const double reach = 6.6 * problem->alpha / 3.14159265358979; /* of vectors, in a direct sum */
    const double modes = 4 * reach * reach * reach * box->edge[0] * box->edge[1] * box->edge[2];
    struct pme_result direct;
    struct pme_result by_grid;
    *relative = NAN;
    if (!(modes * (double)box->n <= most_direct_terms)) {
        return true;
    }
    if (!reference_ewald(problem, (struct ewald_reach){ 0, 0 }, &direct, error)) {
        return false;
    }
    if (!reference_pme(problem, NULL, &by_grid, error)) {
        pme_result_free(&direct);
        return false;
    }
    double square = 0;
    double square_error = 0;
    for (size_t k = 0; k < 3 * box->n; k++) {
        const double off = by_grid.force[k] - direct.force[k];
        square += direct.force[k] * direct.force[k];
        square_error += off * off;
    }
    *relative = relative_error(sqrt(square_error), sqrt(square));
    pme_result_free(&direct);
    pme_result_free(&by_grid);
    return true;
}

static bool find_excluded(const struct pme_problem *problem, double *energy, struct error *error) {
    struct exclusions *molecules = NULL;
    struct ewald_excluded excluded = { 0 };
    const bool found = exclusions_read("molecule", &molecules, error) &&
                       ewald_find_excluded(problem, molecules, &excluded, error);
    *energy = excluded.energy;
    exclusions_free(molecules);
    return found;
}

/* Names are keys of JSON. */
static bool find_beside(const struct judge_question *question, struct beside *numbers,
                        size_t *count, struct error *error) {
    struct pme_problem problem;
    double grid_error;
    if (!find_problem(question, &problem, error) ||
        !find_grid_error(&problem, &grid_error, error)) {
        return false;
    }
    numbers[(*count)++] = (struct beside){ "self_energy", ewald_self_energy(&problem) };
    numbers[(*count)++] = (struct beside){ "background_energy", ewald_background_energy(&problem) };
    if (question->box->molecule) {
        double excluded;
        if (!find_excluded(&problem, &excluded, error)) {
            return false;
        }
        numbers[(*count)++] = (struct beside){ "excluded_energy", excluded };
    }
    if (isfinite(grid_error)) {
        numbers[(*count)++] = (struct beside){ "grid_error", grid_error };
    }
    return true;
}

extern const struct judge judge_reciprocal;
const struct judge judge_reciprocal = { .name = "reciprocal",
                                        .expect = expect,
                                        .expect_some = expect_some,
                                        .free = free_expected,
                                        .hash = hash_expected,
                                        .append_key = append_key,
                                        .compare = compare,
                                        .compare_scalars = compare_scalars,
                                        .compare_superposed = compare_superposed,
                                        .totals_are_small = totals_are_small,
                                        .bounds = bounds,
                                        .work = count_work,
                                        .beside = find_beside };
