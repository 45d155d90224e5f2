/* The reference of three-body terms: known answers of silicon by Stillinger and Weber and by
 * Tersoff, LAMMPS's numbers, forces and virials as finite differences of the energy, some particles
 * as all, and bad tables. */
#include "kernels/potentials/element_table.h"
#include "reference/three_body/three_body.h"

#include <stdio.h>

#include "many_body.h"

static const double edge_of_silicon = 5.431;
static const double gigapascal = 160.2176634; /* of one eV per cubic angstrom */

static struct interaction silicon(void) {
    return parsed("stillinger-weber");
}

static struct reference compute(const struct box *box, const struct interaction *interaction,
                                double cutoff) {
    const struct three_body_asked asked = { box, interaction, cutoff, 0x1p-53, false };
    struct reference reference;
    struct error error;
    assert_done(reference_three_body(&asked, &reference, &error), &error);
    return reference;
}

/* ---- silicon ---- */

static const double cutoff_of_silicon = 1.80 * 2.0951;

/* Eight atoms of a cube that is strained by x += strain x, and whose second sublattice is moved
 * along z besides. A cell as small as this has each neighbour in its own image. */
static struct box strained(double edge, const double strain[9], double shift) {
    static const double face[4][3] = {
        { 0, 0, 0 }, { 0.5, 0.5, 0 }, { 0.5, 0, 0.5 }, { 0, 0.5, 0.5 }
    };
    struct box box = hand_box_empty(8);
    for (size_t i = 0; i < 8; i++) {
        double at[3];
        for (size_t k = 0; k < 3; k++) {
            at[k] = edge * (face[i % 4][k] + (i < 4 ? 0.1 : 0.35));
        }
        for (size_t k = 0; k < 3; k++) {
            box.position[3 * i + k] = at[k] + strain[3 * k] * at[0] + strain[3 * k + 1] * at[1] +
                                      strain[3 * k + 2] * at[2] + (k == 2 && i >= 4 ? shift : 0);
        }
    }
    box.periodic = true;
    for (size_t k = 0; k < 3; k++) {
        box.edge[k] = edge * (1 + strain[4 * k]);
    }
    box.tilt[0] = edge * strain[1];
    return box;
}

static double energy_strained(double edge, const double strain[9], double shift) {
    const struct interaction interaction = silicon();
    struct box box = strained(edge, strain, shift);
    const double energy = energy_by(compute, &box, &interaction, cutoff_of_silicon);
    hand_box_free(&box);
    return energy;
}

/* The second derivative of the energy per volume by the size of a strain, in GPa. */
static double stiffness(const double shape[9], double shift_per_strain) {
    const double size = 1e-4;
    const double volume = edge_of_silicon * edge_of_silicon * edge_of_silicon;
    double energy[3];
    for (int side = 0; side < 3; side++) {
        double strain[9];
        const double by = size * (side - 1);
        for (int k = 0; k < 9; k++) {
            strain[k] = by * shape[k];
        }
        energy[side] = energy_strained(edge_of_silicon, strain, by * shift_per_strain);
    }
    return (energy[0] - 2 * energy[1] + energy[2]) / (size * size * volume) * gigapascal;
}

/* By how much the second sublattice moves per strain where that leaves no force on it. */
static double relaxed_shift(const double shape[9]) {
    const double size = 1e-4;
    const struct interaction interaction = silicon();
    double strain[9];
    double pull[2]; /* on the second sublattice along z, of two shifts */
    for (int k = 0; k < 9; k++) {
        strain[k] = size * shape[k];
    }
    for (int s = 0; s < 2; s++) {
        struct box box = strained(edge_of_silicon, strain, s * size);
        struct reference reference = compute(&box, &interaction, cutoff_of_silicon);
        pull[s] = 0;
        for (size_t i = 4; i < 8; i++) {
            pull[s] += reference.force[3 * i + 2];
        }
        reference_free(&reference);
        hand_box_free(&box);
    }
    return pull[0] / (pull[0] - pull[1]);
}

TEST(silicon) {
    const double none[9] = { 0 };
    const double uniaxial[9] = { 1 };
    const double biaxial[9] = { 1, 0, 0, 0, 1 };
    const double shear[9] = { 0, 1 };
    const double at = energy_strained(edge_of_silicon, none, 0);
    assert_near(at / 8, -4.3366, 1e-6);
    assert_near(at / 8, -2 * 2.1683, 1e-6);
    assert_true(energy_strained(edge_of_silicon * 0.999, none, 0) > at);
    assert_true(energy_strained(edge_of_silicon * 1.001, none, 0) > at);
    const double c11 = stiffness(uniaxial, 0);
    const double c12 = stiffness(biaxial, 0) / 2 - c11;
    assert_near(c11, 151.4, 0.1);
    assert_near(c12, 76.4, 0.1);
    assert_near(stiffness(shear, relaxed_shift(shear)), 56.4, 0.1);
    assert_true(stiffness(shear, 0) > 100); /* 117: the atoms must be relaxed */
}

/* T3: -4.63 eV per atom at 5.432 angstrom. All bonds are alike there, so that lambda3 does nothing,
 * and each has the three others of its atom. */
TEST(tersoff_silicon) {
    const double edge_by_tersoff = 5.432;
    const double none[9] = { 0 };
    double energy[3];
    for (int k = 0; k < 3; k++) {
        const struct interaction interaction = parsed("tersoff");
        struct box box = strained(edge_by_tersoff * (1 + 1e-3 * (k - 1)), none, 0);
        energy[k] = energy_by(compute, &box, &interaction, 3.0) / 8;
        hand_box_free(&box);
    }
    assert_near(energy[1], -4.63, 0.005);
    assert_true(energy[0] > energy[1] && energy[2] > energy[1]);

    const double r = edge_by_tersoff * sqrt(3) / 4;
    const double off = -0.59825 + 1.0 / 3.0;
    const double c2 = 1.0039e5 * 1.0039e5;
    const double d2 = 16.217 * 16.217;
    const double order = 1.1e-6 * 3 * (1 + c2 / d2 - c2 / (d2 + off * off));
    const double strength = pow(1 + pow(order, 0.78734), -1 / (2 * 0.78734));
    assert_close(energy[1], 2 * (1830.8 * exp(-2.4799 * r) - strength * 471.18 * exp(-1.7322 * r)),
                 1e-9);
}

/* ---- LAMMPS ---- */

static struct element_table *read_table(const char *path, enum element_form form) {
    struct element_table *table;
    struct error error;
    assert_done(element_table_read(path, form, &table, &error), &error);
    return table;
}

TEST(lammps) {
    struct element_table *table =
        read_table(TEST_DATA "/vectors/manybody/si.sw", ELEMENTS_TRIPLETS);
    struct interaction interaction = silicon();
    struct box box;
    struct error error;
    assert_done(box_read(TEST_DATA "/vectors/manybody/si-64.xyz", &box, &error), &error);
    FILE *file = fopen(TEST_DATA "/vectors/manybody/si-64-forces.txt", "r");
    assert_non_null(file);
    struct reference by_name = compute(&box, &interaction, cutoff_of_silicon);
    interaction.elements = table;
    struct reference by_table = compute(&box, &interaction, element_table_cutoff(table));
    assert_close(by_table.energy, -139.58967866463104, 1e-14);
    assert_close(by_name.energy, by_table.energy, 1e-10); /* the file has -1/3 by 12 digits */
    for (size_t k = 0; k < 3 * box.n; k++) {
        double force;
        assert_int_equal(fscanf(file, "%lf", &force), 1);
        assert_near(by_table.force[k], force, 1e-12);
        assert_near(by_table.force[k], force,
                    8 * 0x1p-53 * (by_table.scale[k / 3] + 11 * by_table.slope[k / 3]));
    }
    (void)fclose(file);
    reference_free(&by_name);
    reference_free(&by_table);
    element_table_free(table);
    box_free(&box);
}

/* ---- finite differences ---- */

/* In a cell that leans. */
static struct box mixed_box(void) {
    struct box box = box_of_three(hand_box_lattice(27, 0.6, 0.2, true, 5), "CAB");
    box.tilt[0] = 0.7;
    box.tilt[1] = -0.4;
    box.tilt[2] = 0.3;
    return box;
}

/* By a strain of the upper triangle, which a cell keeps: x_k += by x_l, k <= l. */
static void check_virial(const struct interaction *interaction, double cutoff,
                         const struct reference *at, size_t k, size_t l) {
    const double step = 1e-6;
    double energy[2];
    for (int side = 0; side < 2; side++) {
        struct box box = mixed_box();
        const double by = side ? step : -step;
        for (size_t i = 0; i < box.n; i++) {
            box.position[3 * i + k] += by * box.position[3 * i + l];
        }
        if (k == l) {
            box.edge[k] *= 1 + by;
            box.tilt[0] *= k == 0 ? 1 + by : 1;
            box.tilt[1] *= k == 0 ? 1 + by : 1;
            box.tilt[2] *= k == 1 ? 1 + by : 1;
        } else {
            box.tilt[0] += k == 0 ? by * (l == 1 ? box.edge[1] : 0) : 0;
            box.tilt[1] += k == 0 ? by * (l == 1 ? box.tilt[2] : box.edge[2]) : 0;
            box.tilt[2] += k == 1 ? by * box.edge[2] : 0;
        }
        energy[side] = energy_by(compute, &box, interaction, cutoff);
        hand_box_free(&box);
    }
    const double expected = (energy[0] - energy[1]) / (2 * step);
    assert_near(at->virial[3 * k + l], expected, 1e-5 * (1 + fabs(expected)));
    assert_near(at->virial[3 * l + k], at->virial[3 * k + l], 1e-9 * (1 + fabs(expected)));
}

static void check_differences(const char *name, const char *path, enum element_form form) {
    struct element_table *table = read_table(path, form);
    struct interaction interaction = parsed(name);
    struct box box = mixed_box();
    const double cutoff = element_table_cutoff(table);
    interaction.elements = table;
    struct reference at = compute(&box, &interaction, cutoff);
    assert_true(at.pairs_in_cutoff > 100);
    for (size_t k = 0; k < 3 * box.n; k += 5) {
        check_force(compute, &box, &interaction, &at, k);
    }
    for (size_t k = 0; k < 3; k++) {
        for (size_t l = k; l < 3; l++) {
            check_virial(&interaction, cutoff, &at, k, l);
        }
    }
    const uint32_t some[] = { 26, 3, 3, 11 };
    const struct three_body_asked asked = { &box, &interaction, cutoff, 0x1p-53, false };
    struct reference few;
    struct error error;
    assert_true(reference_three_body_some(&asked, some, 4, &few, &error));
    for (size_t k = 0; k < 12; k++) {
        const size_t place = 3 * (size_t)some[k / 3] + k % 3;
        assert_near(few.force[k], at.force[place], 1e-13 * at.scale[place / 3]);
        assert_close(few.slope[k / 3], at.slope[place / 3], 1e-12);
    }
    assert_true(isnan(few.energy));
    reference_free(&few);
    reference_free(&at);
    hand_box_free(&box);
    element_table_free(table);
}

TEST(differences) {
    check_differences("stillinger-weber", EMBEDDED_PREFIX "share/interactions/brick.sw",
                      ELEMENTS_TRIPLETS);
    check_differences("tersoff", EMBEDDED_PREFIX "share/interactions/brick.tersoff",
                      ELEMENTS_ORDERS);
}

/* ---- tables ---- */

static void check_refused_orders(const char *text, const char *words) {
    struct element_table *table = NULL;
    struct error error;
    assert_false(element_table_parse("file.tersoff", text, ELEMENTS_ORDERS, &table, &error));
    assert_says(error.message, words);
}

TEST(tables_of_orders) {
    check_refused_orders("X X X 3 1 0 1 1",
                         "the file ends within a record; expected three elements "
                         "and 14 numbers");
    check_refused_orders("X X X 2 1 0 1 1 0 1 1 1 1 2 0.1 1 1",
                         "file.tersoff:1: X X X: expected m to be 1 or 3");
    check_refused_orders("X X X 3 1 0 1 1 0 0.4 1 1 1 2 0.1 1 1", "expected n to be 0.5 at least");
    check_refused_orders("X X X 3 1 0 1 1 0 1 1 1 1 2 2 1 1", "expected D to be less than R");
    check_refused_orders("X X X 3 1 0 1 0 0 1 1 1 1 2 0.1 1 1",
                         "\"0\"; expected d of X X X, a number greater than 0");
}

#define NUMBERS " 1 1 1.8 21 1.2 -0.333 7 0.6 4 0 0"

static void check_refused(const char *text, const char *words) {
    struct element_table *table = NULL;
    struct error error;
    assert_false(element_table_parse("file.sw", text, ELEMENTS_TRIPLETS, &table, &error));
    assert_null(table);
    assert_says(error.message, words);
}

static void check_misfit(const char *text, const char *words) {
    struct element_table *table = NULL;
    struct box box = hand_box_empty(1);
    struct error error;
    free(box.species);
    box.species = calloc(2, SPECIES_SIZE);
    assert_non_null(box.species);
    box.species[0][0] = 'X';
    box.species[1][0] = 'Y';
    box.types = 2;
    assert_true(element_table_parse("file.sw", text, ELEMENTS_TRIPLETS, &table, &error));
    assert_false(element_table_fits(table, &box, &error));
    assert_says(error.message, words);
    element_table_free(table);
    hand_box_free(&box);
}

TEST(tables) {
    struct element_table *table = NULL;
    struct error error;
    assert_true(element_table_parse(
        "file.sw", "# by lines\nX X X 1 2\n 1.5 21 # a comment\n1.2 -0.3 7\r\n0.6 4 0 0",
        ELEMENTS_TRIPLETS, &table, &error));
    assert_int_equal(table->count, 1);
    assert_int_equal(table->records[0].line, 2);
    assert_near(element_table_cutoff(table), 3, 1e-15);
    element_table_free(table);
    check_refused("", "file.sw: no record");
    check_refused("# nothing\n\n", "file.sw: no record");
    check_refused("X X X 1 2 3\n", "file.sw:1: the file ends within a record");
    check_refused("X X 1" NUMBERS, "file.sw:1: \"1\"; expected the name of an element");
    check_refused("\nX X X 1 1 what 21", "file.sw:2: \"what\"; expected a of X X X, a number");
    check_refused("X X X 1 0 1.8", "\"0\"; expected sigma of X X X, a number greater than 0");
    check_refused("X X X 1 nan", "\"nan\"; expected sigma");
    check_refused("X X X" NUMBERS "\nX X X" NUMBERS, "file.sw:2: X X X stands in line 1 already");
    check_misfit("X X X" NUMBERS, "file.sw: no record for X X Y");
    check_misfit("X X X" NUMBERS "\nX X Y" NUMBERS "\nX Y X" NUMBERS "\nX Y Y" NUMBERS
                 "\nY X Y" NUMBERS "\nY Y X" NUMBERS "\nY Y Y" NUMBERS
                 "\nY X X 1 1 1.7 21 1.2 -0.333 7 0.6 4 0 0",
                 "file.sw:8: a of Y X X is 1.7, but 1.8 of X Y Y in line 4");
    check_misfit("X X X" NUMBERS "\nX X Y" NUMBERS
                 "\nX Y X 1 1 1.8 22 1.2 -0.333 7 0.6 4 0 0\nX Y Y" NUMBERS "\nY X Y" NUMBERS
                 "\nY Y X" NUMBERS "\nY Y Y" NUMBERS "\nY X X" NUMBERS,
                 "file.sw:3: lambda of X Y X is 22, but 21 of X X Y in line 2");
}
