/* Constraints: what files and boxes say and what of it is refused; their reference against closed
 * forms, against iterations of SHAKE, and what it says of results that are off. */
#include "kernels/case.h"
#include "kernels/potentials/bonded.h"
#include "reference/constraints/constraints.h"
#include "workloads/constraints/constraint_molecules.h"

#include "support.h"

#include "boxes/box.h"

/* ---- problems ---- */

struct problem {
    struct box box;
    struct bonded_terms terms;
    double *mass, *given;
    struct constrained asked;
};

static void complete(struct problem *problem, double tolerance, bool velocities) {
    const struct box *box = &problem->box;
    problem->mass = calloc(box->n, sizeof *problem->mass);
    problem->given = calloc(3 * box->n, sizeof *problem->given);
    assert_non_null(problem->mass);
    assert_non_null(problem->given);
    for (size_t i = 0; i < box->n; i++) {
        problem->mass[i] = constraints_mass(box, i);
        constraints_displacement(box, i, &problem->given[3 * i]);
    }
    problem->asked = (struct constrained){ .box = box,
                                           .list = &problem->terms.lists[LISTED_CONSTRAINTS],
                                           .mass = problem->mass,
                                           .given = problem->given,
                                           .tolerance = tolerance,
                                           .unit = 0x1p-53,
                                           .velocities = velocities };
}

static void problem_free(struct problem *problem) {
    box_free(&problem->box);
    bonded_free(&problem->terms);
    free(problem->mass);
    free(problem->given);
}

/* Of a box that is made. */
static void make_problem(const char *kind, size_t n, double tolerance, bool velocities,
                         struct problem *problem) {
    struct error error;
    const struct bonded_terms *terms;
    memset(problem, 0, sizeof *problem);
    if (!box_make(kind, n, 0, 7, &problem->box, &error) ||
        !constraints_resolve(NULL, &problem->box, &problem->terms, &terms, &error)) {
        fail_msg("%s", error.message);
    }
    complete(problem, tolerance, velocities);
}

/* Of particles at rest in an open box, joined as said. */
static void hand_problem(size_t n, const double *position, size_t count, const int32_t *atom,
                         const double *length, struct problem *problem) {
    struct error error;
    memset(problem, 0, sizeof *problem);
    assert_true(box_allocate(n, &problem->box, &error));
    assert_true(box_add_velocities(&problem->box, &error));
    memcpy(problem->box.position, position, 3 * n * sizeof *position);
    for (size_t c = 0; c < count; c++) {
        assert_true(
            bonded_add(&problem->terms, LISTED_CONSTRAINTS, &atom[2 * c], &length[c], &error));
    }
    bonded_close(&problem->terms);
    complete(problem, 1e-8, false);
}

static void solve(const struct problem *problem, struct reference *reference, double *multiplier) {
    struct error error;
    assert_done(reference_constraints(&problem->asked, reference, multiplier, &error), &error);
}

static void assert_faultless(const struct problem *problem, const double *got) {
    struct constraint_faults faults;
    struct error error;
    assert_true(reference_constraint_faults(&problem->asked, got, &faults, &error));
    assert_int_equal(faults.violated, 0);
    assert_true(faults.length.error <= faults.length.allowed);
    assert_true(faults.momentum.error <= faults.momentum.allowed);
    assert_true(faults.angular.error <= faults.angular.allowed);
}

/* ---- closed forms ---- */

static const double apart[] = { 0, 0, 0, 1, 0, 0 };
static const int32_t one_pair[] = { 0, 1 };
static const double length_one[] = { 1 };

/* Of two particles of masses 1 and 3, the first moves aside by 0.6: along the line between them 0.2
 * has to go, three quarters of it by the first. */
TEST(two_particles) {
    struct problem problem;
    struct reference reference;
    double multiplier = NAN;
    hand_problem(2, apart, 1, one_pair, length_one, &problem);
    problem.mass[1] = 3;
    problem.given[1] = 0.6;
    solve(&problem, &reference, &multiplier);
    assert_near(reference.force[0], 0.15, 1e-16);
    assert_near(reference.force[1], 0.6, 1e-16);
    assert_near(reference.force[3], -0.05, 1e-16);
    assert_near(multiplier, -0.15, 1e-16); /* r points from the second to the first */
    assert_int_equal(reference.neighbours[0], 1);
    assert_int_equal(reference.pairs_in_cutoff, 1);
    assert_faultless(&problem, reference.force);
    reference_free(&reference);
    problem_free(&problem);
}

/* What of a velocity is along the line is shared by the masses; what is across stays. */
TEST(velocities_of_two) {
    struct problem problem;
    struct reference reference;
    hand_problem(2, apart, 1, one_pair, length_one, &problem);
    problem.asked.velocities = true;
    problem.mass[1] = 3;
    problem.given[0] = 2;
    problem.given[4] = 5;
    solve(&problem, &reference, NULL);
    assert_near(reference.force[0], 0.5, 1e-16);
    assert_near(reference.force[3], 0.5, 1e-16);
    assert_near(reference.force[4], 5, 0);
    assert_faultless(&problem, reference.force);
    reference_free(&reference);
    problem_free(&problem);
}

/* A water that is a tenth too large shrinks about its centre of mass. */
TEST(shrinking_water) {
    static const double position[] = { 0, 0, 0, 0.88, 0.66, 0, -0.88, 0.66, 0 };
    static const int32_t atom[] = { 0, 1, 2, 0, 2, 1 };
    static const double length[] = { 1, 1, 1.6 };
    struct problem problem;
    struct reference reference;
    double centre[3] = { 0, 0, 0 };
    hand_problem(3, position, 3, atom, length, &problem);
    problem.mass[0] = 16;
    for (size_t k = 0; k < 9; k++) {
        centre[k % 3] += problem.mass[k / 3] * position[k] / 18;
    }
    solve(&problem, &reference, NULL);
    for (size_t k = 0; k < 9; k++) {
        assert_near(reference.force[k], (1 / 1.1 - 1) * (position[k] - centre[k % 3]), 1e-15);
    }
    assert_faultless(&problem, reference.force);
    reference_free(&reference);
    problem_free(&problem);
}

/* ---- other ways to the same ---- */

/* SHAKE as it was published: constraint after constraint until all hold. */
static void shake(const struct problem *problem, double tolerance, double *moved) {
    const struct bonded_list *list = problem->asked.list;
    const struct box *box = &problem->box;
    bool again = true;
    for (int sweep = 0; again && sweep < 10000; sweep++) {
        again = false;
        for (size_t c = 0; c < list->count; c++) {
            const size_t i = (size_t)list->atom[2 * c];
            const size_t j = (size_t)list->atom[2 * c + 1];
            const double wanted = list->parameter[c];
            double r[3], s[3], s2 = 0, rs = 0;
            for (size_t d = 0; d < 3; d++) {
                r[d] = box->position[3 * i + d] - box->position[3 * j + d];
                r[d] -= box->periodic ? box->edge[d] * rint(r[d] / box->edge[d]) : 0;
                s[d] = r[d] + moved[3 * i + d] - moved[3 * j + d];
                s2 += s[d] * s[d];
                rs += r[d] * s[d];
            }
            const double off = wanted * wanted - s2;
            const double g = off / (2 * rs * (1 / problem->mass[i] + 1 / problem->mass[j]));
            again = again || fabs(off) > 2 * tolerance * wanted * wanted;
            for (size_t d = 0; d < 3; d++) {
                moved[3 * i + d] += g * r[d] / problem->mass[i];
                moved[3 * j + d] -= g * r[d] / problem->mass[j];
            }
        }
    }
    assert_false(again);
}

/* Whether results that end within the tolerance are within what is said of each particle, and that
 * not by so much that it would say nothing. */
static void assert_bounded(const char *kind, size_t n, double tolerance) {
    struct problem problem;
    struct reference reference;
    make_problem(kind, n, tolerance, false, &problem);
    double *moved = malloc(3 * n * sizeof *moved);
    assert_non_null(moved);
    memcpy(moved, problem.given, 3 * n * sizeof *moved);
    solve(&problem, &reference, NULL);
    assert_faultless(&problem, reference.force);
    shake(&problem, tolerance, moved);
    assert_faultless(&problem, moved);
    for (size_t k = 0; k < 3 * n; k++) {
        const double allowed = reference.motion.displacement_error[k / 3];
        assert_true(fabs(moved[k] - reference.force[k]) <= allowed);
        assert_true(allowed < 15 * tolerance);
    }
    free(moved);
    reference_free(&reference);
    problem_free(&problem);
}

TEST(against_shake) {
    assert_bounded("water", 300, 1e-5);
    assert_bounded("water", 300, 1e-8);
    assert_bounded("hydrogens", 190, 1e-8);
    assert_bounded("oligomers", 330, 1e-8);
    assert_bounded("triangles", 330, 1e-8);
    assert_bounded("stars", 330, 1e-8);
    assert_bounded("complexes", 330, 1e-8);
    assert_bounded("polymers", 3002, 1e-5); /* by the comparison matrix */
}

TEST(velocities_of_kinds) {
    static const char *const kinds[] = { "water",     "hydrogens", "oligomers", "polymers",
                                         "triangles", "stars",     "complexes" };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct problem problem;
        struct reference reference;
        make_problem(kinds[k], 1599, 1e-8, true, &problem);
        solve(&problem, &reference, NULL);
        assert_faultless(&problem, reference.force);
        reference_free(&reference);
        problem_free(&problem);
    }
}

/* ---- results that are off ---- */

TEST(faults) {
    struct problem problem;
    struct reference reference;
    struct constraint_faults faults;
    struct error error;
    make_problem("water", 30, 1e-8, false, &problem);
    solve(&problem, &reference, NULL);
    reference.force[12] += 1e-6; /* particle 5: in the second molecule, constraints 4 and 6 */
    assert_true(reference_constraint_faults(&problem.asked, reference.force, &faults, &error));
    assert_true(faults.violated >= 1 && faults.violated <= 2);
    assert_true(faults.length.place == 3 || faults.length.place == 5);
    assert_true(faults.length.error > 1e-8 && faults.length.error < 1e-6);
    assert_true(faults.momentum.error > faults.momentum.allowed);
    assert_true(faults.momentum.place >= 3 && faults.momentum.place < 6);
    for (size_t k = 9; k < 18;
         k++) { /* all of the molecule, as one, with another particle's place */
        reference.force[k] += k == 12 ? 0 : k % 3 == 0 ? 1e-6 : 0;
    }
    assert_true(reference_constraint_faults(&problem.asked, reference.force, &faults, &error));
    assert_int_equal(faults.violated, 0);
    assert_true(faults.momentum.error > faults.momentum.allowed);
    reference.force[0] = NAN;
    assert_true(reference_constraint_faults(&problem.asked, reference.force, &faults, &error));
    assert_true(faults.violated > 0 && isnan(faults.length.error));
    reference_free(&reference);
    problem_free(&problem);
}

/* ---- what is refused ---- */

static void assert_unsolvable(const struct problem *problem, const char *message) {
    struct reference reference;
    struct error error;
    assert_false(reference_constraints(&problem->asked, &reference, NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, message);
}

TEST(no_solution) {
    static const double line[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
    static const int32_t all[] = { 0, 1, 1, 2, 0, 2 };
    static const double lengths[] = { 1, 1, 2 };
    struct problem problem;
    hand_problem(3, line, 3, all, lengths, &problem);
    assert_unsolvable(&problem, "the constraint depends on others of its molecule");
    problem_free(&problem);
    hand_problem(2, apart, 1, one_pair, length_one, &problem);
    problem.given[1] = 1.5; /* aside by more than the length: nothing along the line helps */
    assert_unsolvable(&problem, "constraints:1: particles 1 and 2: ");
    problem_free(&problem);
}

static void assert_refused(const char *text, const struct box *box, const char *message) {
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    struct bonded_terms made = { 0 };
    const struct bonded_terms *resolved;
    char path[TEST_FOLDER_SIZE + 16];
    (void)snprintf(path, sizeof path, "%s/c.csv", test_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    assert_false(bonded_read(path, LISTED_CONSTRAINTS, &terms, &error) &&
                 constraints_resolve(&terms, box, &made, &resolved, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, message);
    bonded_free(&terms);
    bonded_free(&made);
}

TEST(refusals) {
    struct box box;
    struct error error;
    assert_true(box_make("lattice", 8, 0, 1, &box, &error));
    assert_refused("i,j,length\n1,2,1\n", &box, "the box has no velocities");
    assert_true(box_add_velocities(&box, &error));
    assert_refused("i,j,length\n1,2,0\n", &box, "c.csv:2: \"1,2,0\"; expected a length above 0");
    assert_refused("i,j,length\n1,2,-1\n", &box, "expected a length above 0");
    assert_refused("i,j,length\n1,2,nan\n", &box, "c.csv:2: \"1,2,nan\"; expected i,j,length");
    assert_refused("i,j,k\n1,2,1\n", &box, "c.csv:1: \"i,j,k\"; expected the columns i,j,length");
    assert_refused("i,j,length\n1,1,1\n", &box, "particle 1 stands twice in a constraint");
    assert_refused("i,j,length\n1,9,1\n", &box, "c.csv:2: there is no particle 9; the box has 8");
    assert_refused("i,j,length\n1,2,.5\n2,3,.5\n\n2,1,.5\n", &box,
                   "c.csv:5: particles 1 and 2 are constrained by an earlier line, too");
    assert_refused("i,j,length\n1,2,50\n", &box,
                   "c.csv:2: the length 50 is not below half the least height of the cell");
    assert_refused("i,j,length\n1,2,.5\n1,3,.5\n1,4,.5\n1,5,.5\n2,3,.5\n2,4,.5\n2,5,.5\n3,4,.5\n"
                   "3,5,.5\n4,5,.5\n",
                   &box,
                   "c.csv:2: particle 1 is in a molecule of 5 particles with 10 constraints; "
                   "expected at most 9");
    box_free(&box);
    struct bonded_terms made;
    const struct bonded_terms *terms;
    assert_true(box_make("fluid", 8, 0, 1, &box, &error));
    assert_false(constraints_resolve(NULL, &box, &made, &terms, &error));
    assert_true(strstr(error.message, "a box of kind fluid has no constraints") != NULL);
    box_free(&box);
}

/* ---- the inverse of CCMA ---- */

/* Of a chain with right angles but one of 60 degrees between its second and third bond, and
 * particles of mass 1: the bonds' matrix is 2 on the diagonal, and minus a half where those two
 * meet. */
TEST(inverse) {
    static const int32_t slot[] = { 0, 1, 1, 2, 2, 3, 3, 4 };
    static const int32_t start[] = { 0, 1, 3, 5, 7, 8 };
    static const int32_t joint[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    static const double inverse_mass[] = { 1, 1, 1, 1, 1 };
    const double vector[] = { 1, 0, 0, 0, 1, 0, 0, 0.5, sqrt(0.75), 1, 0, 0 };
    const struct constraint_joints joints = { .count = 4,
                                              .slots = 5,
                                              .slot = slot,
                                              .vector = vector,
                                              .inverse_mass = inverse_mass,
                                              .start = start,
                                              .joint = joint };
    static const int32_t rows[] = { 0, 1, 3, 5, 6 };
    static const int32_t columns[] = { 0, 1, 2, 2, 1, 3 };
    const double values[] = { 0.5, 2 / 3.75, 0.5 / 3.75, 2 / 3.75, 0.5 / 3.75, 0.5 };
    struct constraint_inverse inverse;
    struct error error;
    assert_true(constraint_inverse_make(&joints, &inverse, &error));
    assert_memory_equal(inverse.start, rows, sizeof rows);
    assert_memory_equal(inverse.column, columns, sizeof columns);
    for (size_t k = 0; k < 6; k++) {
        assert_near(inverse.value[k], values[k], 1e-15);
    }
    constraint_inverse_free(&inverse);
}

/* ---- molecules ---- */

TEST(molecules) {
    static const double position[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0 };
    static const int32_t atom[] = { 5, 3, 1, 4, 3, 1 };
    static const double length[] = { 1, 1, 1 };
    static const int32_t expected[] = { 0, 1, 2, 1, 1, 1 };
    struct problem problem;
    int32_t molecule[6];
    hand_problem(6, position, 3, atom, length, &problem);
    assert_int_equal(constraints_molecules(problem.asked.list, 6, molecule), 3);
    assert_memory_equal(molecule, expected, sizeof molecule);
    problem_free(&problem);
}

TEST(kinds) {
    struct problem problem;
    make_problem("water", 12, 1e-5, false, &problem);
    assert_int_equal(problem.asked.list->count, 12);
    assert_true(problem.mass[0] == 15.999 && problem.mass[1] == 1.008);
    problem_free(&problem);
    make_problem("hydrogens", 18, 1e-5, false, &problem);
    assert_int_equal(problem.asked.list->count, 12);
    assert_true(problem.mass[0] == 12.011 && problem.mass[8] == 1.008);
    problem_free(&problem);
    make_problem("oligomers", 22, 1e-5, false, &problem);
    assert_int_equal(problem.asked.list->count, 20);
    problem_free(&problem);
    make_problem("polymers", 3002, 1e-5, false, &problem);
    assert_int_equal(problem.asked.list->count, 3000);
    for (size_t k = 0; k < 3 * problem.box.n; k++) { /* numbers that float holds */
        assert_true(problem.given[k] == (double)(float)problem.given[k]);
    }
    problem_free(&problem);
    make_problem("complexes", 18, 1e-5, false, &problem); /* of 5, 6 and 7 particles */
    assert_int_equal(problem.asked.list->count, 15);
    problem_free(&problem);
    make_problem("triangles", 11, 1e-5, false, &problem); /* two are by themselves */
    assert_int_equal(problem.asked.list->count, 9);
    problem_free(&problem);
    assert_true(constraints_kind_has("water"));
    assert_false(constraints_kind_has("polymers@80:90:90"));
}

/* ---- without images ---- */

/* The length of a pair: by the nearest image of a whole cell, or along the axes that have images.
 */
static double length_of_pair(const struct box *box, const int32_t *pair) {
    const double vector[3][3] = { { box->edge[0], 0, 0 },
                                  { box->tilt[0], box->edge[1], 0 },
                                  { box->tilt[1], box->tilt[2], box->edge[2] } };
    double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = box->position[3 * (size_t)pair[1] + k] - box->position[3 * (size_t)pair[0] + k];
    }
    for (size_t v = 3; v-- > 0;) {
        const double times = box_has_images(box, v) ? rint(d[v] / vector[v][v]) : 0;
        for (size_t k = 0; k < 3; k++) {
            d[k] -= times * vector[v][k];
        }
    }
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Bonds and constraints are as long as in the cell with all images. */
static void compare_lengths(const struct box_spec *spec, const struct box *whole) {
    struct error error;
    struct box box;
    const bool constrained = constraints_kind_has(spec->kind);
    for (size_t b = 0; b < box_count(whole); b++) {
        const struct box with = whole->batch > 1 ? box_of_batch(whole, b) : *whole;
        const struct bonded_terms *terms;
        struct bonded_terms made;
        assert_done(box_of_spec(spec, &box, &error), &error);
        const struct box without = whole->batch > 1 ? box_of_batch(&box, b) : box;
        assert_done(constrained ? constraints_resolve(NULL, &with, &made, &terms, &error)
                                : bonded_resolve(NULL, &with, &made, &terms, &error),
                    &error);
        const struct bonded_list *list =
            &terms->lists[constrained ? LISTED_CONSTRAINTS : BONDED_BONDS];
        assert_true(list->count > 0);
        for (size_t t = 0; t < list->count; t++) {
            const int32_t *pair = &list->atom[2 * t];
            const double expected = length_of_pair(&with, pair);
            if (fabs(length_of_pair(&without, pair) - expected) > 1e-9) {
                fail_msg(
                    "%s, %zu particles, seed %d, along '%s': particles %d and %d are %g apart, "
                    "not %g",
                    spec->kind, spec->n, (int)spec->seed, spec->periodic, (int)pair[0] + 1,
                    (int)pair[1] + 1, length_of_pair(&without, pair), expected);
            }
        }
        bonded_free(&made);
        box_free(&box);
    }
}

/* What crosses a face of the cell is whole where the face is none. */
TEST(molecules_without_images) {
    static const char *const kinds[] = { "water",      "hydrogens",      "oligomers",
                                         "polymers",   "chains",         "proteins",
                                         "degenerate", "water@90:75:90", "chains@90:90:70",
                                         "triangles",  "stars",          "complexes" };
    static const char *const axes[] = { "", "xy", "x" };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++) {
            struct error error;
            struct box whole;
            struct box_spec spec = { .n = 1500 + 300 * (k + a), .seed = 1 + 7 * k + a };
            (void)snprintf(spec.kind, sizeof spec.kind, "%s", kinds[k]);
            spec.batch = box_is_of_kind(kinds[k], "water") && a == 0 ? 3 : 0;
            assert_done(box_of_spec(&spec, &whole, &error), &error);
            spec.open = !*axes[a];
            (void)snprintf(spec.periodic, sizeof spec.periodic, "%s", axes[a]);
            if (!strchr(kinds[k], '@') || spec.open) {
                compare_lengths(&spec, &whole);
            }
            box_free(&whole);
        }
    }
}

TEST_GROUP(open_test_folder, close_test_folder)
