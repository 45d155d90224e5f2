/* Bonded terms as kernel text, as the reference understands them: forces are finite differences of
 * the energy that the text adds, whatever it says of forces; the examples are the built-in terms.
 */
#include "kernels/potentials/bonded.h"
#include "reference/bonded/bonded.h"

#include <unistd.h>

#include "support.h"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void read_terms(enum bonded_kind kind, const char *text, struct bonded_terms *terms) {
    struct error error;
    memset(terms, 0, sizeof *terms);
    write_file("terms.csv", text);
    assert_done(bonded_read("terms.csv", kind, terms, &error), &error);
    bonded_close(terms);
}

static struct reference look(const struct box *box, const struct bonded_terms *terms) {
    struct error error;
    struct reference reference;
    assert_done(reference_bonded(box, terms, 1e-16, &reference, NULL, &error), &error);
    return reference;
}

static double energy_of(const struct box *box, const struct bonded_terms *terms) {
    struct reference reference = look(box, terms);
    const double energy = reference.energy;
    reference_free(&reference);
    return energy;
}

/* Four particles that are nowhere near a line. */
static struct box small_box(void) {
    static const double place[12] = {
        0.1, 0.2, -0.3, 1.2, 0.5, 0.1, 1.6, 1.7, -0.2, 2.9, 1.8, 0.7
    };
    struct box box;
    struct error error;
    assert_true(box_allocate(4, &box, &error));
    memcpy(box.position, place, sizeof place);
    return box;
}

/* Minus dE/dx by central differences, extrapolated (L. F. Richardson, 1911). */
static double difference(struct box *box, const struct bonded_terms *terms, size_t coordinate) {
    const double at = box->position[coordinate];
    double d[2];
    for (int k = 0; k < 2; k++) {
        const double h = 1e-3 / (1 << k);
        box->position[coordinate] = at + h;
        const double above = energy_of(box, terms);
        box->position[coordinate] = at - h;
        d[k] = -(above - energy_of(box, terms)) / (2 * h);
    }
    box->position[coordinate] = at;
    return (4 * d[1] - d[0]) / 3;
}

static void assert_differences(const struct bonded_terms *terms) {
    struct box box = small_box();
    struct reference reference = look(&box, terms);
    for (size_t k = 0; k < 12; k++) {
        const double expected = difference(&box, terms, k);
        if (!(fabs(reference.force[k] - expected) <= 1e-8 * (1 + fabs(expected)))) {
            fail_msg("coordinate %zu: %.17g, by differences %.17g", k, reference.force[k],
                     expected);
        }
    }
    reference_free(&reference);
    box_free(&box);
}

/* The slope of a particle is no less than how its force moves with all places, by differences, and
 * little more than how any does. */
static void assert_slopes(const struct bonded_terms *terms) {
    const double h = 1e-6;
    struct box box = small_box();
    struct reference reference = look(&box, terms);
    double squares[4] = { 0 };
    double most = 0;
    for (size_t k = 0; k < 12; k++) {
        box.position[k] += h;
        struct reference moved = look(&box, terms);
        box.position[k] -= h;
        for (size_t m = 0; m < 12; m++) {
            squares[m / 3] += pow((moved.force[m] - reference.force[m]) / h, 2);
        }
        reference_free(&moved);
    }
    for (int a = 0; a < 4; a++) {
        most = fmax(most, sqrt(squares[a]));
    }
    for (int a = 0; a < 4; a++) {
        assert_true(reference.slope[a] >= 0.99 * sqrt(squares[a]));
        assert_true(reference.slope[a] <= 6 * most);
        assert_true(reference.scale[a] >= fabs(reference.force[3 * a]));
    }
    reference_free(&reference);
    box_free(&box);
}

TEST(forces_are_differences) {
    struct bonded_terms terms;
    write_file("numbers.dat", "0.5\n0.25\n");
    write_file(
        "t.omm",
        "/* @parameter A float2 k a\n * @parameter B real b\n * @argument c \"numbers.dat\"\n"
        " * @define HALF 0.5f */\n"
        "real3 u = trimTo3(pos1 - pos2), w = make_real3(pos3.x, pos3.y, pos3.z);\n"
        "w -= trimTo3(pos2);\n"
        "#if APPLY_PERIODIC\nAPPLY_PERIODIC_TO_DELTA(u)\n#endif\n"
        "real4 d = pos4 - pos3;\n"
        "APPLY_PERIODIC_TO_DELTA(d);\n"
        "real3 n = cross(u, w);\n"
        "real x = dot(normalize(n), trimTo3(d))*HALF + SQRT(dot(u, u))*B[index];\n"
        "for (int k = 0; k < 2; k++) x += c[k]*EXP(-length(w)*A[index].y);\n"
        "x = x > 0 ? x*x : 2*x*x*x;\n"
        "energy += A[index].x*x + max(ACOS(dot(u, w)*RSQRT(dot(u, u)*dot(w, w))), 0.5f);\n"
        "real3 force1 = 1e9f*u, force2 = -u, force3 = w;\n"
        "real4 force4 = d; // whatever they are\n");
    read_terms(
        BONDED_TORSIONS,
        "energy = kernel \"t.omm\"\ni,j,k,l,k,a,b\n1,2,3,4,1.5,0.5,0.75\n4,2,1,3,0.5,0.25,2\n",
        &terms);
    assert_differences(&terms);
    assert_slopes(&terms);
    bonded_free(&terms);
    write_file("b.omm", "real4 d = pos2 - pos1;\nreal r2 = dot(d, d);\n"
                        "energy += LOG(r2)*POW(r2, 1.5f);\nreal3 force1, force2;\n");
    read_terms(BONDED_BONDS, "energy = kernel \"b.omm\"\ni,j\n1,2\n3,4\n4,1\n", &terms);
    assert_differences(&terms);
    assert_slopes(&terms);
    bonded_free(&terms);
}

/* The particles of a term, from 0, by the order of the box. */
TEST(particles_are_told) {
    struct bonded_terms terms;
    struct box box = small_box();
    write_file("t.omm", "/* @argument q \"numbers.dat\" */\nreal4 d = pos3 - pos2;\n"
                        "energy += q[atom1]*q[atom3] + 10*atom2;\n"
                        "real3 force1 = d, force2, force3;\n");
    write_file("numbers.dat", "2\n3\n5\n7\n");
    read_terms(BONDED_ANGLES, "energy = kernel \"t.omm\"\ni,j,k\n1,2,3\n4,3,1\n", &terms);
    assert_true(energy_of(&box, &terms) == (2 * 5 + 10) + (7 * 2 + 20));
    bonded_free(&terms);
    box_free(&box);
}

/* Texts of share/interactions, which say what the forms do: the same energy and forces, and
 * tolerances of the same size. */
static void assert_alike(enum bonded_kind kind, const char *form, const char *text) {
    struct bonded_terms known, written;
    struct box box = small_box();
    read_terms(kind, form, &known);
    read_terms(kind, text, &written);
    struct reference expected = look(&box, &known);
    struct reference got = look(&box, &written);
    assert_true(fabs(got.energy - expected.energy) <= 1e-13 * fabs(expected.energy));
    for (size_t k = 0; k < 12; k++) {
        assert_true(fabs(got.force[k] - expected.force[k]) <=
                    1e-12 * (1 + fabs(expected.force[k])));
        assert_true(got.scale[k / 3] <= 30 * expected.scale[k / 3]);
    }
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(got.virial[k] - expected.virial[k]) <= 1e-12 * expected.virial_scale);
    }
    assert_slopes(&written);
    reference_free(&expected);
    reference_free(&got);
    bonded_free(&known);
    bonded_free(&written);
    box_free(&box);
}

TEST(examples_are_the_forms) {
    assert_alike(BONDED_BONDS, "i,j,k,r0\n1,2,300,1.25\n2,3,250,1.1\n3,4,100,1.5\n",
                 "energy = kernel \"" TEST_DATA "/../../share/interactions/bond.omm\"\n"
                 "i,j,k,r0\n1,2,300,1.25\n2,3,250,1.1\n3,4,100,1.5\n");
    assert_alike(BONDED_TORSIONS,
                 "i,j,k,l,force_constant,multiplicity,phi0_degrees\n1,2,3,4,2,3,60\n",
                 "energy = kernel \"" TEST_DATA "/../../share/interactions/torsion.omm\"\n"
                 "i,j,k,l,k,n,phi0\n1,2,3,4,2,3,1.0471975511965976\n");
}

static void refused(const char *text, const char *words) {
    struct bonded_terms terms;
    struct error error;
    struct reference reference;
    struct box box = small_box();
    write_file("t.omm", text);
    read_terms(BONDED_BONDS, "energy = kernel \"t.omm\"\ni,j,k\n1,2,3\n", &terms);
    assert_false(reference_bonded(&box, &terms, 1e-16, &reference, NULL, &error));
    if (!strstr(error.message, words) || error.status != STATUS_BAD_INPUT) {
        fail_msg("%s; expected %s", error.message, words);
    }
    bonded_free(&terms);
    box_free(&box);
}

TEST(what_is_refused) {
    static const char head[] = "/* @parameter K real k */\nreal4 d = pos2 - pos1;\n";
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "energy += K[index]*dot(d, d);\nreal3 force1 = d;", "t.omm:5: expected a declaration" },
        { "if (true) { real3 force1, force2; }", "force on particle 1, outside of all braces" },
        { "real force1, force2;", "the force on particle 1" },
        { "energy += K[0];", "t.omm:3: expected index, not '0'" },
        { "energy += K;", "t.omm:3: expected '['" },
        { "energy += index;", "'index' changes with the order of the terms" },
        { "energy += atom3;", "nothing is named 'atom3'; the nearest is 'atom1'" },
        { "energy += pos1.w;", "pos1.w is not given" },
        { "energy += pos3.x;", "nothing is named 'pos3'; the nearest is 'pos1'" },
        { "energy += r;", "nothing is named 'r'" },
        { "energy += pos2.x*pos1.y + pos2.x;\nreal3 force1, force2;", "are moved alike" },
        { "energy += LOG(-dot(d, d));\nreal3 force1, force2;",
          "terms.csv:3: energy or derivatives of this term are no numbers by t.omm" },
        { "while (1) energy += 1;\nreal3 force1, force2;", "terms.csv:3: energy or derivatives" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s", head, cases[k].text);
        refused(text, cases[k].words);
    }
}

int main(void) {
    char folder[] = "/tmp/pairmark-term-text-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    const int failed = run_listed_tests();
    static const char *const files[] = { "terms.csv", "t.omm", "b.omm", "numbers.dat" };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        (void)unlink(files[k]);
    }
    return chdir("/") != 0 || rmdir(folder) != 0 ? 1 : failed;
}
