/* constraints — distances that a step must keep: displacements without constraints become those
 * with them, or velocities do, for molecules of a box (kernels/potentials/bonded.h).
 *
 * The result is of all particles, those without constraints included. */
#include "kernels/bindings.h"

#include "core/quantity.h"
#include "kernels/case.h"
#include "kernels/potentials/bonded.h"
#include "kernels/text/kernel_text.h"
#include "reference/constraints/constraints.h"
#include "workloads/gate.h"
#include "workloads/tolerances.h"
#include "workloads/workload_buffers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_field fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "constrained", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { "constrained", 1 } } },
    { .name = NULL },
};

static const struct workload_scalar scalars[] = { { .name = NULL } };

/* Molecules of every size that the kinds have, the last of them cut short; velocities; as near as
 * double comes. */
static const struct workload_check checks[] = {
    { .options = "--kind water --n 999 --precision * --outputs forces", .for_user_n = true },
    { .options =
          "--kind hydrogens,oligomers --n 47,500 --precision float,double --outputs forces" },
    { .options = "--kind water@75:100:65,hydrogens@115:80:110 --n 330 --precision float,double "
                 "--outputs forces" },
    /* lengths and masses that differ, up to six constraints of a particle */
    { .options = "--kind triangles,stars,complexes --n 330 --precision float,double "
                 "--outputs forces" },
    { .options = "--kind polymers --n 1600 --precision float,double --outputs forces" },
    { .options =
          "--kind water,oligomers --n 330 --precision float,double --outputs forces --interaction "
          "constraints:velocities=1" },
    { .options =
          "--kind water,oligomers --n 330 --precision mixed,double --outputs forces --interaction "
          "constraints:tolerance=1e-8" },
    { .options = "--kind hydrogens --n 330 --precision double --outputs forces --interaction "
                 "constraints:tolerance=1e-8,velocities=1" },
    /* batches: molecules that are concatenated, boxes of one particle and of none */
    { .options =
          "--kind water --n 0-50 --batch 9 --open --precision float,double --outputs forces" },
    { .options = "--kind water,hydrogens@75:100:65 --n 360 --batch 3 --precision float,double "
                 "--outputs forces" },
    { .options = NULL },
};

/* Waters: 1025 and more molecules from 3075 particles on. */
static const struct workload_factor factors[] = {
    { .name = "precision",
      .values = WORKLOAD_VALUES("--precision float", "--precision double", "--precision mixed"),
      .text = true },
    { .name = "interaction",
      .values = WORKLOAD_VALUES("", "!--interaction constraints:velocities=1",
                                "--interaction constraints:tolerance=1e-8",
                                "--interaction constraints:tolerance=1e-8,velocities=1"),
      .text = true },
    { .name = "kind",
      .values = WORKLOAD_VALUES("!--kind water", "!--kind hydrogens", "--kind oligomers",
                                "!--kind polymers", "--kind triangles", "--kind stars",
                                "--kind complexes") },
    { .name = "cell", .values = WORKLOAD_VALUES("", WORKLOAD_OTHER_CELLS) },
    { .name = "n",
      .values = WORKLOAD_VALUES("--n 258", WORKLOAD_OTHER_SIZES, "--n 192", "--n 195",
                                "--n 0-5 --batch 17", "--n 360 --batch 4", "--n 0-5 --batch 1030",
                                WORKLOAD_REMAINDERS_OF_WATERS) },
    { .name = NULL },
};

static const char *const axes[] = {
    WORKLOAD_AXES_OF_BOXES, "--interaction", "--constraints", "--launch", "--batch", NULL
};

static const struct workload_refusal refusals[] = {
    { "--cutoff", "has none: its terms are listed" },
    { NULL, NULL },
};

static const char *const interactions[] = { "constraints", NULL };

static const char *refuse_case(const struct case_spec *spec) {
    const char *why = batch_refuse_lists(
        spec, "has constraints of one box: a batch takes kinds that have their own");
    if (why) {
        return why;
    }
    if (spec->interaction.bonded) {
        return NULL;
    }
    if (!constraints_kind_has(spec->box.kind)) {
        return "needs constraints: --constraints, or a box of kind water, hydrogens, oligomers, "
               "polymers, triangles, stars or complexes, which have their own";
    }
    if (variant_takes(spec->variant, "water_atoms") && !box_is_of_waters(spec->box.kind) &&
        !box_is_of_kind(spec->box.kind, "triangles")) {
        return "takes rigid waters alone: a box of kind water or triangles, or --constraints";
    }
    return variant_takes(spec->variant, "star_atoms") &&
                   !box_is_of_kind(spec->box.kind, "hydrogens") &&
                   !box_is_of_kind(spec->box.kind, "stars")
               ? "takes clusters alone: a box of kind hydrogens or stars, or --constraints"
               : NULL;
}

/* ---- what kernels may bind ---- */

static const struct kernel_parameter constraint_parameters[] = {
    { "constraint_count", "int", FROM_INT(constraints_arguments, constraint_count) },
    { "molecule_count", "int", FROM_INT(constraints_arguments, molecule_count) },
    { "displacement", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, displacement) },
    { "molecule_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, molecule_start) },
    { "molecule_particles", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, molecule_particles) },
    { "constraint_start", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, constraint_start) },
    { "constraint_atoms", "GLOBAL const int4 *",
      FROM_BUFFER(constraints_arguments, constraint_atoms) },
    { "constraint_length", "GLOBAL const accum *",
      FROM_BUFFER(constraints_arguments, constraint_length) },
    { "block_constraints", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, block_constraints) },
    { "block_particles", "GLOBAL const int *",
      FROM_BUFFER(constraints_arguments, block_particles) },
    { "joint_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, joint_start) },
    { "joints", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, joints) },
    { "inverse_start", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, inverse_start) },
    { "inverse_column", "GLOBAL const int *", FROM_BUFFER(constraints_arguments, inverse_column) },
    { "inverse_value", "GLOBAL const accum *", FROM_BUFFER(constraints_arguments, inverse_value) },
    { "water_atoms", "GLOBAL const int4 *", FROM_BUFFER(constraints_arguments, water_atoms) },
    { "water_shape", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, water_shape) },
    { "star_atoms", "GLOBAL const int4 *", FROM_BUFFER(constraints_arguments, star_atoms) },
    { "star_lengths", "GLOBAL const accum4 *", FROM_BUFFER(constraints_arguments, star_lengths) },
    { 0 },
};
static const struct parameter_table parameter_tables[] = {
    { bindings_of_case, 0 },
    { constraint_parameters, offsetof(struct case_arguments, constraints) },
    { NULL, 0 }
};
static const char *const units[] = { "particle", "compute_unit", "box", "constraint",
                                     "molecule", "block",        NULL };

static void append_words(const struct case_spec *spec, struct strbuf *text) {
    kernel_text_append_words_with(spec, "variants/rigid.cl", text);
}

static const char *const columns[] = { "batch", "batch_sizes", NULL };

extern const struct judge judge_constrained;
extern const struct workload workload_constraints;
const struct workload workload_constraints = {
    .name = "constraints",
    .summary = "displacements or velocities under constraints of distances",
    .judge = &judge_constrained,
    .fields = fields,
    .scalars = scalars,
    .buffers = &constraint_buffers,
    .words = WORKLOAD_WORDS_WITHOUT_SUMS("constrained displacement", "displacements", "constraint",
                                         "constr./s", "shake"),
    .axes = axes,
    .columns = columns,
    .parameter_tables = parameter_tables,
    .units = { [GROUPS_ONE] = units },
    .append_words = append_words,
    .refusals = refusals,
    .interactions = interactions,
    .refuse_case = refuse_case,
    .suits_kind = constraints_kind_has,
    .takes_cutoff = workload_takes_any_cutoff,
    .groups = GROUPS_ONE_BIT,
    .default_interaction = "constraints",
    .default_kind = "water",
    .default_outputs = OUTPUTS_FORCES,
    .checks = checks,
    .factors = factors,
};

/* ---- the judge ---- */

/* How well the lengths hold, whether momenta are as they were, and what each particle has come to,
 * compared with a direct solve (reference/constraints/constraints.h). */

/* ---- the judge: what is asked ---- */

/* The constraints of a case, with what the reference takes of it. */
struct problem {
    struct bonded_terms made;
    double *mass, *given;
    struct constrained asked;
};

static void problem_free(struct problem *problem) {
    bonded_free(&problem->made);
    free(problem->mass);
    free(problem->given);
}

static bool problem_make(const struct judge_question *question, struct problem *problem,
                         struct error *error) {
    const struct interaction *interaction = &question->spec->interaction;
    const struct box *box = question->box;
    const struct bonded_terms *terms;
    memset(problem, 0, sizeof *problem);
    if (!constraints_resolve(interaction->bonded, box, &problem->made, &terms, error)) {
        return false;
    }
    problem->mass = malloc(box->n * sizeof *problem->mass);
    problem->given = malloc(3 * box->n * sizeof *problem->given);
    if (!problem->mass || !problem->given) {
        return fail_out_of_memory(error, "the constraints");
    }
    for (size_t i = 0; i < box->n; i++) {
        problem->mass[i] = constraints_mass(box, i);
        constraints_displacement(box, i, &problem->given[3 * i]);
    }
    problem->asked = (struct constrained){
        .box = box,
        .list = &terms->lists[LISTED_CONSTRAINTS],
        .mass = problem->mass,
        .given = problem->given,
        .tolerance = interaction_value(interaction, "tolerance"),
        .unit = format_unit(precision_numeric(question->spec->precision).accumulation),
        .velocities = interaction_value(interaction, "velocities") > 0.5,
    };
    return true;
}

/* ---- the judge: what is expected ---- */

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    struct problem problem = { 0 };
    struct expectation *made = sums_allocate(error);
    (void)use; /* computed in less time than it is read */
    const bool computed = made && problem_make(question, &problem, error) &&
                          reference_constraints(&problem.asked, &made->reference, NULL, error);
    problem_free(&problem);
    return sums_take(made, computed, expected);
}

/* All molecules are solved, of which `count` particles stay, in the order of `particle`. */
static bool expect_some(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    struct expectation *all = NULL;
    if (!expect(question, EXPECT_ONCE, &all, error)) {
        return false;
    }
    struct reference *reference = &all->reference;
    if (!numbers_pick(&reference->force, 3, particle, count, error) ||
        !numbers_pick(&reference->motion.displacement_error, 1, particle, count, error)) {
        sums_free(all);
        return false;
    }
    reference->n = count;
    *expected = all;
    return true;
}

/* Tolerances are of the precision. */
static void append_key(const struct case_spec *spec, struct strbuf *key) {
    strbuf_append(key, "|%s", precision_name(spec->precision));
}

static bool bounds(const struct judge_question *question, const struct expectation *expected,
                   enum judged_field field, double *wanted, double *tolerance,
                   struct error *error) {
    const struct reference *reference = &expected->reference;
    (void)question;
    (void)field;
    (void)error;
    memcpy(wanted, reference->force, 3 * reference->n * sizeof *wanted);
    for (size_t k = 0; k < 3 * reference->n; k++) {
        tolerance[k] = reference->motion.displacement_error[k / 3];
    }
    return true;
}

/* ---- the judge: comparing ---- */

static bool is_wrong(const struct constraint_fault *fault) {
    return !(fault->error <= fault->allowed);
}

static void take_ratio(const struct constraint_fault *fault, struct verdict *verdict) {
    verdict->worst_ratio = fmax(verdict->worst_ratio, relative_error(fault->error, fault->allowed));
}

/* The most iterations of a variant that iterates until all lengths hold. */
static int iterations_of(const struct case_spec *spec) {
    return tunings_value(&spec->tunings, "ITERATIONS", 0);
}

static void say_lengths(const struct judge_question *question, const struct constrained *asked,
                        const struct constraint_faults *faults, struct verdict *verdict) {
    const struct constraint_fault *fault = &faults->length;
    const int iterations = iterations_of(question->spec);
    char reason[80] = "";
    if (iterations > 0 && isfinite(fault->error)) {
        (void)snprintf(reason, sizeof reason, "; it did not converge within ITERATIONS=%d",
                       iterations);
    }
    verdict_say(verdict, STATUS_WRONG,
                "constraint %zu, particles %d and %d: the %s is off by %.3g, relative; tolerance "
                "%.3g; %zu of %zu constraints do not hold%s",
                fault->place + 1, (int)asked->list->atom[2 * fault->place] + 1,
                (int)asked->list->atom[2 * fault->place + 1] + 1,
                asked->velocities ? "rate of change of the length" : "length", fault->error,
                fault->allowed, faults->violated, asked->list->count, reason);
}

static void say_momentum(const struct constraint_fault *fault, const char *name,
                         struct verdict *verdict) {
    verdict_say(verdict, STATUS_WRONG,
                "the %s of the molecule of particle %zu has changed by %.3g, tolerance %.3g", name,
                fault->place + 1, fault->error, fault->allowed);
}

static void judge_faults(const struct judge_question *question, const struct evaluation *got,
                         struct verdict *verdict) {
    struct problem problem;
    struct constraint_faults faults;
    struct error error;
    if (!problem_make(question, &problem, &error) ||
        !reference_constraint_faults(&problem.asked, got->force, &faults, &error)) {
        verdict_fail(verdict, &error);
        problem_free(&problem);
        return;
    }
    take_ratio(&faults.length, verdict);
    take_ratio(&faults.momentum, verdict);
    take_ratio(&faults.angular, verdict);
    if (is_wrong(&faults.length)) {
        say_lengths(question, &problem.asked, &faults, verdict);
    } else if (is_wrong(&faults.momentum)) {
        say_momentum(&faults.momentum, "momentum", verdict);
    } else if (is_wrong(&faults.angular)) {
        say_momentum(&faults.angular, "angular momentum", verdict);
    }
    problem_free(&problem);
}

static void compare_particles(const struct judge_question *question,
                              const struct reference *expected, const struct evaluation *got,
                              struct verdict *verdict) {
    const struct workload_words *words = &question->spec->variant->workload->words;
    struct vector_errors errors = { 0 };
    double worst = 0;
    for (size_t k = 0; k < 3 * expected->n; k++) {
        const double wanted = expected->force[k];
        const double error = fabs(got->force[k] - wanted);
        const double allowed = expected->motion.displacement_error[k / 3];
        const double ratio = isnan(error) ? INFINITY : relative_error(error, allowed);
        vector_errors_add(&errors, k, got->force[k], wanted);
        verdict->worst_ratio = fmax(verdict->worst_ratio, ratio);
        if (!(error <= allowed) && ratio > worst && verdict->status == STATUS_OK) {
            (void)snprintf(verdict->message, sizeof verdict->message,
                           "%s %s particle %zu, %c: got %.9g, expected %.9g, tolerance %.3g",
                           words->result, words->preposition, k / 3 + 1, "xyz"[k % 3],
                           unsigned_nan(got->force[k]), wanted, allowed);
            worst = ratio;
        }
    }
    if (worst > 0) {
        verdict->status = STATUS_WRONG;
    }
    vector_errors_conclude(&errors, expected->n, verdict);
}

/* Lengths first: they say more than what follows from them. */
static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    *verdict = verdict_of(STATUS_OK);
    verdict->worst_ratio = 0;
    judge_faults(question, got, verdict);
    compare_particles(question, &expected->reference, got, verdict);
}

const struct judge judge_constrained = { .name = "constrained",
                                         .expect = expect,
                                         .expect_some = expect_some,
                                         .free = sums_free,
                                         .hash = sums_hash,
                                         .append_key = append_key,
                                         .compare = compare,
                                         .compare_all = compare,
                                         .bounds = bounds,
                                         .work = sums_work,
                                         .by_box = true };
