/* Bonded terms: what files say and what of them is refused; their reference against known answers,
 * finite differences and what is defined where a coordinate has no derivative. */
#include "boxes/box.h"
#include "reference/bonded/bonded.h"
#include "reference/terms/bonded_term.h"

#include "hand_box.h"

#include <unistd.h>

#include "support.h"

static const double unit_of_double = 0x1p-53;

/* ---- files ---- */

static const char *file_of(const char *text) {
    static char path[TEST_FOLDER_SIZE + 16];
    (void)snprintf(path, sizeof path, "%s/terms.csv", test_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    return path;
}

static void assert_read(enum bonded_kind kind, const char *text, struct bonded_terms *terms) {
    struct error error = { 0 };
    memset(terms, 0, sizeof *terms);
    assert_done(bonded_read(file_of(text), kind, terms, &error), &error);
    bonded_close(terms);
}

static void assert_refused(enum bonded_kind kind, const char *text, const char *message) {
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    assert_false(bonded_read(file_of(text), kind, &terms, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, message);
    bonded_free(&terms);
}

TEST(files) {
    struct bonded_terms terms;
    assert_read(
        BONDED_TORSIONS,
        "\xef\xbb\xbf# four in a row\r\ni, j,k,l,force_constant,multiplicity,phi0_degrees\r\n"
        "\r\n 4,3 ,2,1, 5.5,3,180 # trans\r\n1,2,3,5,-1e0,1,0",
        &terms);
    const struct bonded_list *list = &terms.lists[BONDED_TORSIONS];
    assert_int_equal(list->count, 2);
    assert_int_equal(bonded_count(&terms), 2);
    assert_int_equal(list->atom[0], 3);
    assert_int_equal(list->atom[7], 4);
    assert_true(list->parameter[0] == 5.5 && list->parameter[2] == 180);
    assert_true(list->parameter[3] == -1 && list->parameter[4] == 1);
    assert_int_equal(list->line[0], 4);
    assert_int_equal(list->line[1], 5);
    bonded_free(&terms);
    assert_read(BONDED_BONDS, "i,j,k,r0\n", &terms);
    assert_int_equal(bonded_count(&terms), 0);
    bonded_free(&terms);
}

TEST(refusals) {
    assert_refused(BONDED_BONDS, "", "is empty; expected the columns i,j,k,r0");
    assert_refused(BONDED_BONDS, "1,2,3,4\n", "terms.csv:1: \"1,2,3,4\"; expected the columns");
    assert_refused(BONDED_BONDS, "i,j,k,r0,x\n", ":1: \"i,j,k,r0,x\"; expected the columns");
    assert_refused(BONDED_BONDS, "i,j,k\n", ":1: \"i,j,k\"; expected the columns i,j,k,r0");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3\n",
                   ":2: \"1,2,3\"; expected i,j,k,r0: 2 numbers");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3,4,5\n", ":2: \"1,2,3,4,5\"; expected i,j,k,r0");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n\n0,2,3,4\n", ":3: \"0,2,3,4\"; expected");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n-1,2,3,4\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1.5,2,3,4\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,99999999999999999999,3,4\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,nan,4\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3x,4\n", ":2: \"1,2,3x,4\"; expected");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3,1e999\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3,\n", ":2:");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n1,2,3,-1\n", "expected r0 of at least 0");
    assert_refused(BONDED_BONDS, "i,j,k,r0\n3,3,1,1\n", ":2: particle 3 stands twice in a bond");
    assert_refused(BONDED_ANGLES, "i,j,k,force_constant,theta0_degrees\n1,2,1,1,90\n",
                   ":2: particle 1 stands twice in an angle");
    assert_refused(BONDED_ANGLES, "i,j,k,force_constant,theta0_degrees\n1,2,3,1,181\n",
                   "expected theta0_degrees between 0 and 180");
    assert_refused(BONDED_TORSIONS,
                   "i,j,k,l,force_constant,multiplicity,phi0_degrees\n1,2,3,4,1,1.5,0\n",
                   "expected a multiplicity that is a whole number");
    assert_refused(BONDED_TORSIONS,
                   "i,j,k,l,force_constant,multiplicity,phi0_degrees\n1,2,3,4,1,13,0\n",
                   "expected a multiplicity");
    assert_refused(BONDED_RB_TORSIONS, "i,j,k,l,c0,c1,c2,c3,c4,c5\n1,2,3,4,1,2,3,4,5\n",
                   "4 numbers of particles, 1 or more, and 6 numbers");
}

/* A pipe is not waited for. */
TEST(irregular_files) {
    char path[TEST_FOLDER_SIZE + 16];
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    (void)snprintf(path, sizeof path, "%s/pipe", test_folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(bonded_read(path, BONDED_BONDS, &terms, &error));
    assert_says(error.message, "is a pipe");
    bonded_free(&terms);
    assert_false(bonded_read("/nowhere/terms.csv", BONDED_BONDS, &terms, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    bonded_free(&terms);
}

TEST(missing_particles) {
    struct bonded_terms terms;
    struct error error = { 0 };
    struct box box = hand_box_empty(3);
    assert_read(BONDED_BONDS, "i,j,k,r0\n1,2,3,4\n# a comment\n2,4,3,4\n", &terms);
    assert_false(bonded_fit(&terms, &box, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "terms.csv:4: there is no particle 4; the box has 3");
    struct reference reference;
    assert_false(reference_bonded(&box, &terms, unit_of_double, &reference, NULL, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    hand_box_free(&box);
    bonded_free(&terms);
}

TEST(written) {
    struct bonded_terms terms;
    struct bonded_terms again;
    struct strbuf text = { 0 };
    assert_read(BONDED_ANGLES, "i,j,k,force_constant,theta0_degrees\n1,2,3,0.1,109.47\n", &terms);
    bonded_write(&terms, BONDED_ANGLES, &text);
    assert_read(BONDED_ANGLES, text.data, &again);
    assert_string_equal(again.hash, terms.hash);
    again.lists[BONDED_ANGLES].parameter[0] = 0.2;
    bonded_close(&again);
    assert_string_not_equal(again.hash, terms.hash);
    strbuf_free(&text);
    bonded_free(&terms);
    bonded_free(&again);
}

/* ---- known answers ---- */

/* Numbers of a line behind its words. */
static void take_numbers(const char *line, double *numbers, int count) {
    const char *at = strchr(line, ':') ? strchr(line, ':') + 1 : line;
    for (int k = 0; k < count; k++) {
        char *end = NULL;
        while (*at == ' ' || *at == ',') {
            at++;
        }
        numbers[k] = strtod(at, &end);
        assert_true(end != at);
        at = end;
    }
}

static void compare_with_file(const struct reference *got, const char *path) {
    char line[1024];
    double numbers[9];
    double largest = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t k = 0; k < 3 * got->n; k++) {
        largest = fmax(largest, fabs(got->force[k]));
    }
    size_t i = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "# energy", 8) == 0) {
            take_numbers(line + 8, numbers, 1);
            assert_close(got->energy, numbers[0], 1e-12);
        } else if (strncmp(line, "# virial", 8) == 0) {
            take_numbers(line, numbers, 9);
            for (int k = 0; k < 9; k++) {
                assert_near_as("virial", got->virial[k], numbers[k], 1e-12 * got->virial_scale);
            }
        } else if (line[0] != '#') {
            take_numbers(line, numbers, 3);
            for (size_t d = 0; d < 3; d++) {
                assert_near_as("force", got->force[3 * i + d], numbers[d], 1e-12 * largest);
            }
            i++;
        }
    }
    (void)fclose(file);
    assert_int_equal(i, got->n);
}

static void compare_vectors(enum bonded_kind kind, const char *name, size_t count) {
    char path[512];
    struct box box;
    struct error error = { 0 };
    struct bonded_terms terms = { 0 };
    struct reference reference;
    struct bonded_energies apart;
    assert_true(box_read(TEST_DATA "/vectors/bonded/positions.xyz", &box, &error));
    (void)snprintf(path, sizeof path, TEST_DATA "/vectors/bonded/%s.csv", name);
    assert_true(bonded_read(path, kind, &terms, &error));
    assert_int_equal(terms.lists[kind].count, count);
    assert_true(bonded_fit(&terms, &box, &error));
    assert_true(reference_bonded(&box, &terms, unit_of_double, &reference, &apart, &error));
    (void)snprintf(path, sizeof path, TEST_DATA "/vectors/bonded/%s.expected", name);
    compare_with_file(&reference, path);
    assert_int_equal(reference.pairs_in_cutoff, count);
    assert_int_equal(apart.terms[kind], count);
    assert_true(apart.energy[kind] == reference.energy);
    reference_free(&reference);
    bonded_free(&terms);
    box_free(&box);
}

TEST(bonds_of_vectors) {
    compare_vectors(BONDED_BONDS, "bonds", 24);
}

TEST(angles_of_vectors) {
    compare_vectors(BONDED_ANGLES, "angles", 30);
}

/* By make_torsions.py beside the vectors. */
TEST(torsions_of_vectors) {
    compare_vectors(BONDED_TORSIONS, "torsions", 31);
    compare_vectors(BONDED_RB_TORSIONS, "rb_torsions", 16);
}

/* ---- torsions by hand ---- */

/* Four particles whose torsion is phi: j above k, i and l at right angles to the bond. */
static struct box box_of_torsion(double phi) {
    struct box box = hand_box_empty(4);
    const double place[4][3] = {
        { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, -1.5 }, { 1.2 * cos(phi), 1.2 * sin(-phi), -1.5 }
    };
    memcpy(box.position, place, sizeof place);
    return box;
}

static double torsion_energy(enum bonded_kind kind, const double *parameter, double phi) {
    static const int32_t atom[] = { 0, 1, 2, 3 };
    struct bonded_terms terms = { 0 };
    struct reference reference;
    struct error error = { 0 };
    struct box box = box_of_torsion(phi);
    assert_true(bonded_add(&terms, kind, atom, parameter, &error));
    assert_true(reference_bonded(&box, &terms, unit_of_double, &reference, NULL, &error));
    const double energy = reference.energy;
    reference_free(&reference);
    bonded_free(&terms);
    hand_box_free(&box);
    return energy;
}

/* Seen from j (above) down to k, x to -y is a turn clockwise: phi is positive. */
TEST(torsions) {
    const double pi = acos(-1);
    const double k[] = { 2.5, 3, 50 };
    const double c[] = { 9.28, 12.16, -13.12, -3.06, 26.24, -31.5 };
    for (int step = -17; step <= 18; step++) {
        const double phi = step * pi / 18;
        const double x = cos(phi - pi);
        double polynomial = 0;
        for (int m = 0; m < 6; m++) {
            polynomial += c[m] * pow(x, m);
        }
        assert_near(torsion_energy(BONDED_TORSIONS, k, phi),
                    2.5 * (1 + cos(3 * phi - 50 * pi / 180)), 1e-13);
        assert_near(torsion_energy(BONDED_RB_TORSIONS, c, phi), polynomial, 1e-12);
    }
}

/* ---- finite differences ---- */

static const double parameters[BONDED_KINDS][BONDED_MAX_PARAMETERS] = {
    [BONDED_BONDS] = { 700, 1.3 },
    [BONDED_ANGLES] = { 200, 108.5 },
    [BONDED_TORSIONS] = { 5, 3, 30 },
    [BONDED_RB_TORSIONS] = { 9.28, 12.16, -13.12, -3.06, 26.24, -31.5 },
};

static void evaluate(enum bonded_kind kind, long double x[4][3], struct bonded_result *result) {
    long double step[3][3] = { { 0 } };
    for (int a = 0; a + 1 < bonded_forms[kind].atoms; a++) {
        for (int d = 0; d < 3; d++) {
            step[a][d] = x[a + 1][d] - x[a][d];
        }
    }
    bonded_term_evaluate(kind, parameters[kind], step, unit_of_double, result);
}

/* Forces are minus the gradient, virials the derivative by a strain, to `allowed` of the scale. */
static void assert_gradient(enum bonded_kind kind, long double x[4][3], long double h,
                            double allowed) {
    struct bonded_result at;
    struct bonded_result up;
    struct bonded_result down;
    const int atoms = bonded_forms[kind].atoms;
    evaluate(kind, x, &at);
    for (int k = 0; k < 3 * atoms; k++) {
        const long double kept = x[k / 3][k % 3];
        x[k / 3][k % 3] = kept + h;
        evaluate(kind, x, &up);
        x[k / 3][k % 3] = kept - h;
        evaluate(kind, x, &down);
        x[k / 3][k % 3] = kept;
        assert_near_as(bonded_forms[kind].name, (double)at.force[k / 3][k % 3],
                       (double)((down.energy - up.energy) / (2 * h)), allowed * at.scale[k / 3]);
    }
    for (int k = 0; k < 9; k++) {
        long double strained[2][4][3];
        for (int sign = 0; sign < 2; sign++) {
            memcpy(strained[sign], x, sizeof strained[sign]);
            for (int a = 0; a < atoms; a++) {
                strained[sign][a][k % 3] += (sign ? -h : h) * x[a][k / 3];
            }
        }
        evaluate(kind, strained[0], &up);
        evaluate(kind, strained[1], &down);
        assert_near_as("virial", (double)at.virial[k],
                       (double)((down.energy - up.energy) / (2 * h)), allowed * at.virial_scale);
    }
    /* No force and no torque on the whole: the virial is symmetric. */
    for (int d = 0; d < 3; d++) {
        long double net = 0;
        for (int a = 0; a < atoms; a++) {
            net += at.force[a][d];
        }
        assert_near_as("net force", (double)net, 0, 1e-15 * at.scale[0]);
        assert_near_as("torque",
                       (double)(at.virial[3 * d + (d + 1) % 3] - at.virial[3 * ((d + 1) % 3) + d]),
                       0, 1e-14 * at.virial_scale);
    }
}

TEST(gradients) {
    uint64_t random = 5;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        for (int trial = 0; trial < 50; trial++) {
            long double x[4][3];
            for (int k = 0; k < 12; k++) {
                const int atom = k / 3;
                x[atom][k % 3] = 1.5L * atom * (k % 3 == 0) + (long double)hand_random(&random);
            }
            assert_gradient((enum bonded_kind)kind, x, 1e-6L, 1e-9);
        }
    }
}

/* Angles down to 1e-4 from 0 and 180 degrees; torsions whose particles are as near to one line. */
TEST(gradients_near_a_line) {
    for (long double off = 0.1L; off > 0.5e-4L; off *= 0.1L) {
        long double straight[4][3] = { { 0, off, 0 }, { 1, 0, 0 }, { 2.1L, 0, 0 }, { 3, 1, 0.3L } };
        long double folded[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0.2L, off, 0 }, { 0, 0, 0 } };
        assert_gradient(BONDED_ANGLES, straight, 1e-3L * off, 1e-6);
        assert_gradient(BONDED_ANGLES, folded, 1e-3L * off, 1e-6);
        assert_gradient(BONDED_TORSIONS, straight, 1e-3L * off, 1e-5);
        assert_gradient(BONDED_RB_TORSIONS, straight, 1e-3L * off, 1e-5);
    }
}

/* An energy, no force, all numbers finite; torsions as those of phi = 0. */
TEST(on_a_line) {
    const double pi = acos(-1);
    struct bonded_result result;
    for (int fold = 0; fold < 3; fold++) {
        long double x[4][3] = { { 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 1, 0.3L } };
        x[2][0] = fold == 0 ? 2 : fold == 1 ? 0.5L : 1; /* 180 degrees, 0, two in one place */
        for (int kind = 0; kind < BONDED_KINDS; kind++) {
            evaluate((enum bonded_kind)kind, x, &result);
            assert_true(isfinite((double)result.energy));
            for (int a = 0; a < 4; a++) {
                assert_true(isfinite(result.scale[a]) && isfinite((double)result.force[a][0]));
                for (int d = 0; kind != BONDED_BONDS && d < 3; d++) {
                    assert_true(result.force[a][d] == 0);
                }
            }
        }
        evaluate(BONDED_TORSIONS, x, &result);
        assert_near((double)result.energy, 5 * (1 + cos(-30 * pi / 180)), 1e-14);
        evaluate(BONDED_ANGLES, x, &result);
        const double theta = fold == 0 ? pi : 0;
        assert_near((double)result.energy, 100 * pow(theta - 108.5 * pi / 180, 2), 1e-12);
    }
    long double apart[4][3] = { { 1, 2, 3 }, { 1, 2, 3 } };
    evaluate(BONDED_BONDS, apart, &result);
    assert_near((double)result.energy, 350 * 1.3 * 1.3, 1e-12);
    assert_true(result.force[0][0] == 0 && result.force[1][2] == 0);
}

/* ---- boxes ---- */

static void add_all_kinds(struct bonded_terms *terms, size_t n) {
    struct error error = { 0 };
    memset(terms, 0, sizeof *terms);
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        for (int32_t i = 0; i + 3 < (int32_t)n; i++) {
            const int32_t atom[] = { i, i + 1, i + 2, i + 3 };
            assert_true(bonded_add(terms, (enum bonded_kind)kind, atom, parameters[kind], &error));
        }
    }
    bonded_close(terms);
}

/* A chain, and the same with every particle in some other image. */
static void compare_images(const double tilt[3]) {
    enum { N = 12 };
    uint64_t random = 11;
    struct error error = { 0 };
    struct bonded_terms terms;
    struct reference open;
    struct reference periodic;
    struct box box = hand_box_empty(N);
    add_all_kinds(&terms, N);
    for (size_t k = 0; k < 3 * N; k++) {
        const size_t particle = k / 3;
        box.position[k] = 0.8 * (double)particle + hand_random(&random);
    }
    assert_true(reference_bonded(&box, &terms, unit_of_double, &open, NULL, &error));
    box.periodic = true;
    for (size_t d = 0; d < 3; d++) {
        box.edge[d] = 6 + (double)d;
        box.tilt[d] = tilt[d];
    }
    for (size_t i = 0; i < N; i++) {
        cell_wrap(&box.cell, box.position + 3 * i);
    }
    assert_true(reference_bonded(&box, &terms, unit_of_double, &periodic, NULL, &error));
    assert_close(periodic.energy, open.energy, 1e-12);
    for (size_t k = 0; k < 3 * N; k++) {
        assert_near_as("force", periodic.force[k], open.force[k], 1e-12 * open.scale[k / 3]);
    }
    for (int k = 0; k < 9; k++) {
        assert_near_as("virial", periodic.virial[k], open.virial[k], 1e-12 * open.virial_scale);
    }
    reference_free(&open);
    reference_free(&periodic);
    bonded_free(&terms);
    hand_box_free(&box);
}

TEST(images) {
    compare_images((const double[3]){ 0, 0, 0 });
    compare_images((const double[3]){ 2.9, -2.5, 3 });
}

TEST(some) {
    enum { N = 20 };
    static const uint32_t wanted[] = { 7, 0, 19, 7 };
    uint64_t random = 3;
    struct error error = { 0 };
    struct bonded_terms terms;
    struct reference all;
    struct reference some;
    struct box box = hand_box_empty(N);
    add_all_kinds(&terms, N);
    for (size_t k = 0; k < 3 * N; k++) {
        const size_t particle = k / 3;
        box.position[k] = 0.8 * (double)particle + hand_random(&random);
    }
    assert_true(reference_bonded(&box, &terms, unit_of_double, &all, NULL, &error));
    assert_true(reference_bonded_some(&(struct bonded_case){ &box, &terms, unit_of_double }, wanted,
                                      4, &some, &error));
    for (size_t k = 0; k < 4; k++) {
        for (size_t d = 0; d < 3; d++) {
            assert_true(some.force[3 * k + d] == all.force[3 * wanted[k] + d]);
        }
        assert_true(some.scale[k] == all.scale[wanted[k]]);
        assert_true(some.slope[k] == all.slope[wanted[k]]);
        assert_int_equal(some.neighbours[k], all.neighbours[wanted[k]]);
    }
    assert_true(isnan(some.energy));
    reference_free(&some);
    assert_false(reference_bonded_some(&(struct bonded_case){ &box, &terms, unit_of_double },
                                       (const uint32_t[]){ N }, 1, &some, &error));
    reference_free(&all);
    bonded_free(&terms);
    hand_box_free(&box);
}

TEST_GROUP(open_test_folder, close_test_folder)
