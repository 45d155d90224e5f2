/* Where an interaction has no value, for those who ask why a sum is none. */
#include "reference/pairs/reference.h"
#include "reference/pairs/scene.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_LOOKED_AT = 1 << 28 }; /* pairs: a second or two */

static bool is_valueless(const struct scene *scene, uint32_t i, uint32_t j, double largest,
                         struct edge_list *edges, struct reference_valueless *found) {
    const double *position = scene->box->position;
    struct pair_sums sums;
    double d[3];
    scene_displacement(scene, position + 3 * (size_t)i, position + 3 * (size_t)j, d);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (!(r2 <= scene->cutoff2) || r2 <= 0.0) {
        return false;
    }
    const bool acts = scene_pair(scene, &(struct placed_pair){ d, r2, i, j }, &sums, edges);
    edges->count = 0;
    if (!acts) {
        return false;
    }
    *found = (struct reference_valueless){ i, j, sums.r, sums.energy[0], sums.force };
    for (int kind = 1; kind < TERM_KINDS; kind++) {
        found->energy += sums.energy[kind];
    }
    return !(fabs(found->energy) <= largest) || !(fabs(found->force) <= largest) ||
           !(fabs(sums.slope) <= largest);
}

bool reference_find_valueless(const struct box *box, const struct interaction *interaction,
                              double cutoff, double largest, struct reference_valueless *found,
                              struct error *error) {
    struct scene scene;
    struct edge_list edges = { 0 };
    bool is_found = false;
    size_t left = MAX_LOOKED_AT;
    if (!scene_begin(box, interaction, cutoff, &scene, error)) {
        scene_free(&scene);
        return false;
    }
    for (size_t i = 0; i < box->n && !is_found && left > 0; i++) {
        for (size_t j = i + 1; j < box->n && !is_found && left > 0; j++, left--) {
            is_found = is_valueless(&scene, (uint32_t)i, (uint32_t)j, largest, &edges, found);
        }
    }
    free(edges.pairs);
    scene_free(&scene);
    return is_found;
}
