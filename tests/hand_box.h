/*
 * hand_box — boxes for tests of the reference and the gate, made without harness/boxes, whose own
 * tests would otherwise lean on what leans on it.
 */
#ifndef PAIRMARK_TESTS_HAND_BOX_H
#define PAIRMARK_TESTS_HAND_BOX_H

#include "boxes/box.h"
#include "kernels/potentials/interaction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: one number in [0, 1). */
static inline double hand_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline struct box hand_box_empty(size_t n) {
    struct box box = { .n = n, .types = 1, .kind = "file", .density = NAN };
    box.position = calloc(3 * n + 1, sizeof(double));
    box.charge = calloc(n + 1, sizeof(double));
    box.type = calloc(n + 1, sizeof(int32_t));
    box.species = calloc(1, SPECIES_SIZE);
    if (!box.position || !box.charge || !box.type || !box.species) {
        abort();
    }
    box.species[0][0] = 'A';
    return box;
}

static inline void hand_box_free(struct box *box) {
    free(box->position);
    free(box->charge);
    free(box->velocity);
    free(box->mass);
    free(box->type);
    free(box->species);
    *box = (struct box){ 0 };
}

/* n particles on the first sites of a simple cubic lattice of this density, each moved by up to
 * `jitter` of the spacing along each axis. Where n is no cube the cell has a void. */
static inline struct box hand_box_lattice(size_t n, double density, double jitter, bool periodic,
                                          uint64_t seed) {
    struct box box = hand_box_empty(n);
    size_t sites = 1;
    while (sites * sites * sites < n) {
        sites++;
    }
    double spacing = cbrt(1.0 / density);
    for (size_t i = 0; i < n; i++) {
        size_t site[3] = { i % sites, i / sites % sites, i / sites / sites };
        for (size_t k = 0; k < 3; k++) {
            double move = jitter * (2.0 * hand_random(&seed) - 1.0);
            box.position[3 * i + k] = spacing * ((double)site[k] + 0.5 + move);
        }
    }
    box.periodic = periodic;
    for (int k = 0; k < 3 && periodic; k++) {
        box.edge[k] = spacing * (double)sites;
    }
    return box;
}

/* n particles anywhere in a cell of these edges. */
static inline struct box hand_box_random(size_t n, const double edge[3], bool periodic,
                                         uint64_t seed) {
    struct box box = hand_box_empty(n);
    for (size_t i = 0; i < 3 * n; i++) {
        box.position[i] = edge[i % 3] * hand_random(&seed);
    }
    box.periodic = periodic;
    if (periodic) {
        memcpy(box.edge, edge, sizeof box.edge);
    }
    return box;
}

/* As a float device gets the box. */
static inline void hand_box_round(struct box *box) {
    for (size_t i = 0; i < 3 * box->n; i++) {
        box->position[i] = (double)(float)box->position[i];
    }
    for (int k = 0; k < 3; k++) {
        box->edge[k] = (double)(float)box->edge[k];
    }
}

/* The length scale that box_length_scale() documents. */
static inline double hand_box_length(const struct box *box) {
    double longest = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double low = box->position[k];
        double high = low;
        for (size_t i = 0; i < box->n; i++) {
            low = fmin(low, box->position[3 * i + k]);
            high = fmax(high, box->position[3 * i + k]);
        }
        longest = fmax(longest, box->periodic ? box->edge[k] : high - low);
    }
    return longest;
}

static inline struct interaction hand_lj(double epsilon, double sigma) {
    struct interaction interaction = {
        .name = "lj",
        .parameter_count = 2,
        .functions = { { .name = "lj", .count = 2, .cutoff = INFINITY } },
        .function_count = 1
    };
    strcpy(interaction.parameters[0].name, "epsilon");
    strcpy(interaction.parameters[1].name, "sigma");
    interaction.parameters[0].value = epsilon;
    interaction.parameters[1].value = sigma;
    return interaction;
}

#endif
