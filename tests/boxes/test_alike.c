/* Molecules that are identical. */
#include "boxes/box.h"

#include "support.h"

/* Types a letter each; molecules a digit each, NULL: none said. */
static void make(const char *types, const char *molecules, struct box *box) {
    struct error error;
    assert_true(box_allocate(strlen(types), box, &error));
    free(box->species);
    box->types = 2;
    box->species = calloc(2, sizeof *box->species);
    box->molecule = molecules ? malloc(box->n * sizeof *box->molecule) : NULL;
    assert_non_null(box->species);
    for (size_t i = 0; i < box->n; i++) {
        box->type[i] = types[i] - 'A';
        if (molecules) {
            box->molecule[i] = molecules[i] - '0';
        }
    }
}

static void find(const struct box *box, struct alike *alike) {
    struct error error;
    assert_true(alike_find(box, alike, &error));
}

TEST(groups) {
    static const int32_t particles[] = { 0, 1, 2, 4, 3, 5, 6, 7, 8 };
    static const int32_t starts[] = { 0, 2, 4, 6, 8, 9 };
    static const int32_t groups[] = { 0, 0, 1, 0, 2 };
    struct box box;
    struct alike alike;
    make("ABABBAABA", "771313225",
         &box); /* A B, A B, B A, A B, A: the second and the third interleaved */
    find(&box, &alike);
    assert_int_equal(alike.molecules, 5);
    assert_int_equal(alike.groups, 3);
    assert_memory_equal(alike.particle, particles, sizeof particles);
    assert_memory_equal(alike.start, starts, sizeof starts);
    assert_memory_equal(alike.group, groups, sizeof groups);
    assert_int_equal(alike.first[0], 0);
    assert_int_equal(alike.first[1], 2);
    assert_int_equal(alike.first[2], 4);
    assert_int_equal(alike.count[0], 3);
    assert_int_equal(alike.count[1], 1);
    assert_int_equal(alike.count[2], 1);
    alike_free(&alike);
    box_free(&box);
}

/* A charge or a mass that differs makes another group; a zero of another sign does not. */
TEST(charges_and_masses) {
    struct box box;
    struct alike alike;
    struct error error;
    make("AAAAAA", "112233", &box);
    box.charge[1] = -0.0;
    find(&box, &alike);
    assert_int_equal(alike.groups, 1);
    alike_free(&alike);
    box.charge[3] = 1;
    find(&box, &alike);
    assert_int_equal(alike.groups, 2);
    assert_int_equal(alike.group[1], 1);
    alike_free(&alike);
    assert_true(box_add_masses(&box, &error));
    box.mass[4] = 2;
    find(&box, &alike);
    assert_int_equal(alike.groups, 3);
    alike_free(&alike);
    box_free(&box);
}

/* Without molecules every particle is one. */
TEST(no_molecules) {
    struct box box;
    struct alike alike;
    make("ABA", NULL, &box);
    find(&box, &alike);
    assert_int_equal(alike.molecules, 3);
    assert_int_equal(alike.groups, 2);
    assert_int_equal(alike.count[0], 2);
    alike_free(&alike);
    box_free(&box);
}
