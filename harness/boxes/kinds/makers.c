/* What makers share. */
#include "boxes/kinds/makers.h"

#include "boxes/box.h"
#include "core/error.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool make_begin(size_t n, double density, struct box *box, struct error *error) {
    if (!box_allocate(n, box, error)) {
        return false;
    }
    double edge = cube_root((double)n / density);
    box->periodic = true;
    box->density = density;
    for (int axis = 0; axis < 3; axis++) {
        box->edge[axis] = edge;
    }
    return true;
}

bool box_room_for_types(struct box *box, int types, struct error *error) {
    char(*species)[SPECIES_SIZE] = calloc((size_t)types, sizeof *species);
    box->molecule = malloc(box->n * sizeof *box->molecule);
    if (!species || !box->molecule) {
        free(species);
        return fail_out_of_memory(error, "the species and molecules of a box");
    }
    free(box->species);
    box->species = species;
    box->types = 0;
    return true;
}

int32_t box_type_of(struct box *box, char species) {
    int32_t type = 0;
    while (type < box->types && box->species[type][0] != species) {
        type++;
    }
    if (type == box->types) {
        box->species[box->types++][0] = species;
    }
    return type;
}

void draw_perpendicular(struct random *random, const double first[3], double second[3]) {
    double length2;
    do {
        draw_direction(random, second);
        const double along = first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
        length2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            second[axis] -= along * first[axis];
            length2 += second[axis] * second[axis];
        }
    } while (!(length2 > 0.01));
    for (size_t axis = 0; axis < 3; axis++) {
        second[axis] /= sqrt(length2);
    }
}

void draw_order(int32_t *order, size_t n, struct random *random) {
    for (size_t i = 0; i < n; i++) {
        const size_t other = (size_t)(random_unit(random) * (double)(i + 1));
        order[i] = order[other];
        order[other] = (int32_t)i;
    }
}
