/* The reference of embedded atoms: known answers of Sutton and Chen's metals, LAMMPS's numbers,
 * forces and virials as finite differences of the energy, some particles as all, and bad tables. */
#include "kernels/potentials/element_table.h"
#include "reference/eam/eam.h"

#include <stdio.h>

#include "many_body.h"

static struct reference compute(const struct box *box, const struct interaction *interaction,
                                double cutoff) {
    const struct eam_asked asked = { .box = box, .interaction = interaction, .cutoff = cutoff };
    struct reference reference;
    struct error error;
    assert_done(reference_eam(&asked, &reference, NULL, &error), &error);
    return reference;
}

/* ---- metals ---- */

/* Per atom of a face-centred cubic crystal, within eight lattice constants. */
static double crystal(const char *words, double constant) {
    static const double at[4][3] = {
        { 0, 0, 0 }, { 0.5, 0.5, 0 }, { 0.5, 0, 0.5 }, { 0, 0.5, 0.5 }
    };
    const struct interaction interaction = parsed(words);
    struct box box = hand_box_empty(4);
    for (size_t k = 0; k < 12; k++) {
        box.position[k] = constant * at[k / 3][k % 3];
    }
    box.periodic = true;
    for (int k = 0; k < 3; k++) {
        box.edge[k] = constant;
    }
    const double energy = energy_by(compute, &box, &interaction, 8.1 * constant) / 4;
    hand_box_free(&box);
    return energy;
}

/* The lattice constant of least energy, by a parabola through three. */
static double constant_of(const char *words, double near) {
    const double step = 0.01 * near;
    const double below = crystal(words, near - step);
    const double at = crystal(words, near);
    const double above = crystal(words, near + step);
    return near + step * (below - above) / (2 * (below - 2 * at + above));
}

TEST(metals) {
    const char *copper = "sutton-chen:epsilon=1.2382e-2,a=3.61,n=9,m=6,c=39.432";
    const char *silver = "sutton-chen:epsilon=2.5415e-3,a=4.09,n=12,m=6,c=144.41";
    /* Sutton and Chen fitted cohesive energies of 3.49 and 2.95 eV. */
    assert_near(crystal(copper, 3.61), -3.50, 0.02);
    assert_near(crystal(silver, 4.09), -2.96, 0.02);
    assert_near(constant_of(copper, 3.61), 3.61, 0.01);
    assert_near(constant_of(silver, 4.09), 4.09, 0.01);
}

/* ---- LAMMPS ---- */

static struct eam_table *read_table(const char *path) {
    struct eam_table *table;
    struct error error;
    assert_done(eam_table_read(path, &table, &error), &error);
    return table;
}

TEST(lammps) {
    struct eam_table *table = read_table(TEST_DATA "/vectors/manybody/ab.eam.alloy");
    struct interaction interaction = parsed("eam");
    struct box box;
    struct error error;
    assert_done(box_read(TEST_DATA "/vectors/manybody/cd-256.xyz", &box, &error), &error);
    FILE *file = fopen(TEST_DATA "/vectors/manybody/cd-256-forces.txt", "r");
    assert_non_null(file);
    interaction.eam = table;
    struct reference reference = compute(&box, &interaction, table->cutoff);
    assert_close(reference.energy, -356.9222949373403, 1e-14);
    for (size_t k = 0; k < 3 * box.n; k++) {
        double force;
        assert_int_equal(fscanf(file, "%lf", &force), 1);
        assert_near(reference.force[k], force, 1e-12);
    }
    (void)fclose(file);
    reference_free(&reference);
    eam_table_free(table);
    box_free(&box);
}

/* ---- Finnis and Sinclair ---- */

/* Per atom of a body-centred cubic crystal. */
static double bcc_crystal(const char *words, double constant, double cutoff) {
    const struct interaction interaction = parsed(words);
    struct box box = hand_box_empty(2);
    for (size_t k = 0; k < 3; k++) {
        box.position[3 + k] = constant / 2;
        box.edge[k] = constant;
    }
    box.periodic = true;
    const double energy = energy_by(compute, &box, &interaction, cutoff) / 2;
    hand_box_free(&box);
    return energy;
}

/* They fitted cohesive energies and lattice constants: of tungsten 8.90 eV and 3.1652 angstrom, of
 * iron 4.28 eV and 2.8665 angstrom. */
TEST(finnis_sinclair) {
    const char *tungsten = "finnis-sinclair";
    const char *iron = "finnis-sinclair:A=1.828905,d=3.569745,beta=1.8,c=3.40,c0=1.2371147,"
                       "c1=-0.3592185,c2=-0.0385607";
    assert_near(bcc_crystal(tungsten, 3.1652, 4.400224), -8.90, 0.005);
    assert_near(bcc_crystal(iron, 2.8665, 3.569745), -4.28, 0.005);
    for (int side = -1; side <= 1; side += 2) {
        const double by = 1 + 2e-3 * side;
        assert_true(bcc_crystal(tungsten, 3.1652 * by, 4.400224) >
                    bcc_crystal(tungsten, 3.1652, 4.400224));
        assert_true(bcc_crystal(iron, 2.8665 * by, 3.569745) > bcc_crystal(iron, 2.8665, 3.569745));
    }
}

/* ---- finite differences ---- */

static struct box mixed_box(void) {
    struct box box = box_of_three(hand_box_lattice(64, 0.7, 0.2, true, 5), "BCA");
    box.tilt[0] = 0.7;
    return box;
}

TEST(differences) {
    struct eam_table *table = read_table(EMBEDDED_PREFIX "share/interactions/brick.eam.alloy");
    struct interaction interaction = parsed("eam");
    struct box box = mixed_box();
    interaction.eam = table;
    struct reference at = compute(&box, &interaction, table->cutoff);
    for (size_t k = 0; k < 3 * box.n; k += 11) {
        check_force(compute, &box, &interaction, &at, k);
    }
    double trace = 0;
    double energy[2];
    const double step = 1e-6;
    for (int side = 0; side < 2; side++) {
        struct box scaled = mixed_box();
        const double by = 1 + (side ? step : -step);
        for (size_t k = 0; k < 3 * scaled.n; k++) {
            scaled.position[k] *= by;
        }
        for (int k = 0; k < 3; k++) {
            scaled.edge[k] *= by;
            scaled.tilt[k] *= by;
        }
        energy[side] = energy_by(compute, &scaled, &interaction, table->cutoff);
        hand_box_free(&scaled);
    }
    for (int k = 0; k < 3; k++) {
        trace += at.virial[4 * k];
    }
    assert_close(trace, (energy[0] - energy[1]) / (2 * step), 1e-5);
    const uint32_t some[] = { 63, 3, 3, 11 };
    const struct eam_asked asked = { .box = &box,
                                     .interaction = &interaction,
                                     .cutoff = table->cutoff };
    struct reference few;
    struct error error;
    assert_true(reference_eam_some(&asked, some, 4, &few, &error));
    for (size_t k = 0; k < 12; k++) {
        const size_t place = 3 * (size_t)some[k / 3] + k % 3;
        assert_near(few.force[k], at.force[place], 0);
        assert_near(few.condition[k / 3], at.condition[place / 3], 0);
    }
    reference_free(&few);
    reference_free(&at);
    hand_box_free(&box);
    eam_table_free(table);
}

TEST(differences_of_polynomials) {
    const struct interaction interaction =
        parsed("finnis-sinclair:A=1.5,d=2.2,beta=0.4,c=1.9,c0=12,c1=-9,c2=2");
    struct box box = mixed_box();
    struct reference at = compute(&box, &interaction, 2.2);
    for (size_t k = 0; k < 3 * box.n; k += 11) {
        check_force(compute, &box, &interaction, &at, k);
    }
    reference_free(&at);
    hand_box_free(&box);
}

/* A pair at the cutoff may be counted or not: then all that it changes is within the edges. */
TEST(edges) {
    const struct interaction interaction = parsed("sutton-chen:epsilon=1,a=1,n=9,m=6,c=30,rc=2");
    const double nudge = 1e-9;
    struct reference at[2];
    for (int side = 0; side < 2; side++) {
        struct box box = hand_box_empty(4);
        const double x[4] = { 0, 1, 2 + (side ? nudge : -nudge),
                              3.1 }; /* 0 and 2 are at the cutoff */
        for (size_t i = 0; i < 4; i++) {
            box.position[3 * i] = x[i];
        }
        at[side] = compute(&box, &interaction, 2);
        hand_box_free(&box);
    }
    for (size_t i = 0; i < 4; i++) {
        double allowed = 1e-7 * at[0].scale[i];
        for (size_t e = 0; e < at[0].edge_pair_count; e++) {
            allowed += at[0].edge_pairs[e].i == i ? at[0].edge_pairs[e].force[0] : 0;
        }
        const double moved = fabs(at[0].force[3 * i] - at[1].force[3 * i]);
        assert_true(moved > 1e-3);
        assert_true(moved <= allowed);
        assert_true(allowed < 20 * moved);
    }
    reference_free(&at[0]);
    reference_free(&at[1]);
}

/* ---- tables ---- */

#define HEAD "a\nb\nc\n1 X\n"
#define ELEMENT "1 2 3 fcc\n0 1 2 3 4\n0 1 2 3 4\n"

static void check_refused(const char *text, const char *words) {
    struct eam_table *table = NULL;
    struct error error;
    assert_false(eam_table_parse("file", text, &table, &error));
    assert_null(table);
    assert_says(error.message, words);
}

#define FUNCFL "one element\n29 63.5 3.615 FCC\n6 1 6 1 4\n"

/* Charges are squared; the last knots are left out, as LAMMPS does. */
TEST(funcfl) {
    struct eam_table *table = NULL;
    struct error error;
    struct box box = mixed_box();
    assert_true(
        eam_table_parse("file", FUNCFL "0 1 2 3 4 5\n1 2 3 4 5 6\n9 8 7 6 5 4", &table, &error));
    assert_int_equal(table->elements, 1);
    assert_int_equal(table->r_knots, 5);
    assert_int_equal(table->rho_knots, 5);
    assert_near(table->embedding[4], 4, 0);
    assert_near(table->pair[2], 27.2 * 0.529 * 9, 1e-12);
    assert_near(table->density[1], 8, 0);
    assert_int_equal(eam_table_element(table, "anything"), 0);
    assert_false(eam_table_fits(table, &box, &error));
    assert_says(error.message, "expected a box of one species");
    hand_box_free(&box);
    eam_table_free(table);
}

TEST(tables) {
    struct eam_table *table = NULL;
    struct error error;
    assert_true(
        eam_table_parse("file", HEAD "5 0.5 5 0.5 2\n" ELEMENT "5 6 7 8 9\n", &table, &error));
    assert_int_equal(eam_table_element(table, "X"), 0);
    assert_near(table->pair[4], 9, 0);
    struct box box = hand_box_empty(1);
    assert_false(eam_table_fits(table, &box, &error));
    assert_says(error.message, "file: no element A");
    hand_box_free(&box);
    eam_table_free(table);
    check_refused("", "expected how many elements");
    check_refused("a\nb\nc\n33 X", "file:4: \"33\"; expected how many elements");
    check_refused("a\nb\nc\n2 X X", "file:4: \"X\"; expected the name of an element, each once");
    check_refused(HEAD "4 1 5 1 2", "file:5: \"4\"; expected how many densities");
    check_refused(HEAD "5 0 5 1 2", "file:5: \"0\"; expected the step of densities");
    check_refused(HEAD "5 1 5 1 -2", "file:5: \"-2\"; expected the cutoff");
    check_refused(HEAD "5 1 5 1 2\n1 2 3 fcc\n0 1 two",
                  "file:7: \"two\"; expected an embedding energy");
    check_refused(HEAD "5 1 5 1 2\n" ELEMENT "5 6 7",
                  "the file ends here; expected r times a pair energy");
    check_refused(HEAD "5 1 5 1 2\n" ELEMENT "5 6 7 8 9 10", "more numbers; expected the end");
    check_refused(FUNCFL "0 1 2 3 4 5\n1 2 3 4 5", "the file ends here; expected a charge");
    check_refused(FUNCFL "0 1 2 3 4 5\n1 2 3 4 5 6 1 2 3 4 5 6 7",
                  "more numbers; expected the end");
}
