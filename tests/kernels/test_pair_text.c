/* Kernel text as the reference understands it: its forces are finite differences of the energy that
 * the text adds, whatever it does to dEdR; excluded pairs are told so. */
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/pair_text.h"
#include "reference/pairs/reference.h"

#include <unistd.h>

#include "support.h"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

struct found {
    double energy, force;
};

/* Of two particles of an open box, r apart along x. */
static struct found at(const struct pair_text *text, const struct exclusions *exclusions,
                       double r) {
    struct box box;
    struct error error;
    struct interaction interaction;
    struct reference reference;
    assert_true(box_allocate(2, &box, &error));
    box.position[3] = r;
    box.charge[0] = 0.5;
    box.charge[1] = -1.25;
    interaction_of_text(text, &interaction);
    interaction.exclusions = exclusions;
    assert_done(reference_compute(&box, &interaction, 4.0, &reference, &error), &error);
    const struct found found = { reference.energy, reference.force[3] };
    reference_free(&reference);
    box_free(&box);
    return found;
}

/* -du/dr by central differences, extrapolated twice (L. F. Richardson, 1911). */
static double difference(const struct pair_text *text, const struct exclusions *exclusions,
                         double r) {
    double d[3];
    for (int k = 0; k < 3; k++) {
        const double h = 1e-2 / (1 << k);
        d[k] = -(at(text, exclusions, r + h).energy - at(text, exclusions, r - h).energy) / (2 * h);
    }
    const double once[2] = { (4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3 };
    return (16 * once[1] - once[0]) / 15;
}

TEST(forces_are_differences) {
    static const char plain[] =
        "/* @parameter k real2 \"k.dat\" \"l.dat\"\n"
        " * @argument table \"k.dat\"\n"
        " * @define ADDED 0.25f */\n"
        "#if !defined(USE_PERIODIC) && NUM_ATOMS == 2 && defined(USE_CUTOFF)\n"
        "#define HERE 1\n"
        "#else\n"
        "this is not read\n"
        "#endif\n"
        "real x = isExcluded ? r : r2, y;\n"
        "y = POW(x, 1.5f) - min(x, (real) 100)*invR + HERE;\n"
        "int n = 3.7f; /* 3 */\n"
        "while (n > 1) { y *= 1.125f; n -= 1; }\n"
        "for (int m = 0; m < 2; m++)\n"
        "    y += table[m]*EXP(-ADDED*r2)*k1.x*k2.x;\n"
        "if (r < CUTOFF/2 && !(posq1.w == 0)) { y += posq1.w*posq2.w*erfc(r)/r; }\n"
        "else y -= sqrt(k1.y + k2.y)*RSQRT(r2);\n"
        "tempEnergy += y;\n"
        "dEdR += 1e10f; // whatever that is\n";
    const double distances[] = { 0.7, 1.3, 1.9, 2.6, 3.7 };
    struct pair_text *text = NULL;
    struct exclusions *excluded = NULL;
    struct error error;
    char folder[TEST_FOLDER_SIZE];
    make_test_folder(folder);
    assert_int_equal(chdir(folder), 0);
    write_file("k.dat", "1.5\n-0.5\n");
    write_file("l.dat", "0.75\n2\n");
    write_file("pairs.dat", "1 2\n");
    write_file("mine.omm", plain);
    if (!pair_text_read("mine.omm", &text, &error) ||
        !exclusions_read("pairs.dat", &excluded, &error)) {
        fail_msg("%s", error.message);
    }
    for (size_t k = 0; k < sizeof distances / sizeof distances[0]; k++) {
        for (int out = 0; out < 2; out++) {
            const struct exclusions *exclusions = out ? excluded : NULL;
            const double force = at(text, exclusions, distances[k]).force;
            const double expected = difference(text, exclusions, distances[k]);
            assert_true(fabs(force - expected) <= 1e-9 * (1 + fabs(expected)));
        }
        assert_true(at(text, NULL, 1.3).energy != at(text, excluded, 1.3).energy);
    }
    exclusions_free(excluded);
    pair_text_free(text);
    remove_test_folder(folder);
}
