#include "reference/pairs/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tally_begin(const struct box *box, const struct interaction *interaction, double cutoff,
                 struct tally *tally, struct error *error) {
    *tally = (struct tally){ .site_count = box->n };
    if (!scene_begin(box, interaction, cutoff, &tally->scene, error)) {
        return false;
    }
    tally->sites = calloc(box->n, sizeof *tally->sites);
    if (!tally->sites) {
        return fail_out_of_memory(error, "the sums of the reference");
    }
    for (size_t i = 0; i < box->n; i++) {
        tally->sites[i].particle = (uint32_t)i;
        memcpy(tally->sites[i].position, box->position + 3 * i, 3 * sizeof(double));
    }
    return true;
}

void tally_free(struct tally *tally) {
    free(tally->sites);
    free(tally->edges.pairs);
    scene_free(&tally->scene);
    *tally = (struct tally){ 0 };
}

void tally_reorder(struct tally *tally, const uint32_t *order, size_t count) {
    tally->site_count = count;
    for (size_t s = 0; s < count; s++) {
        tally->sites[s].particle = order[s];
        memcpy(tally->sites[s].position, tally->scene.box->position + 3 * (size_t)order[s],
               3 * sizeof(double));
    }
}

/* Adds a pair that counts to the sums over the whole box. */
static void add_to_box(struct tally *tally, const struct pair_sums *pair, const double d[3]) {
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        sum_add(&tally->energy, pair->energy[kind]);
        sum_add(&tally->kinds[kind], pair->energy[kind]);
        tally->energy_scale += pair->scale[kind];
        tally->kind_scale[kind] += pair->scale[kind];
        tally->kind_slope[kind] += pair->kind_size[kind];
    }
    for (int k = 0; k < VIRIAL_COUNT; k++) {
        sum_add(&tally->virial[k], pair->over_r * d[virial_row[k]] * d[virial_column[k]]);
    }
    tally->energy_slope += pair->size;
    tally->virial_scale += pair->r * pair->size;
    tally->virial_slope += pair->size + pair->r * pair->slope;
}

/* Adds the force of a pair that counts to one of its sites. */
static void add_to_site(struct tally_site *site, double force_over_r, const double d[3],
                        const struct pair_sums *pair) {
    for (int k = 0; k < 3; k++) {
        sum_add(&site->force[k], force_over_r * d[k]);
    }
    site->scale += pair->size;
    site->largest = fmax(site->largest, pair->size);
    site->slope += pair->slope;
    site->force_condition += pair->force_condition;
    site->neighbours++;
}

static void add_lost(struct tally_site *site, double force_over_r, const double d[3]) {
    for (int k = 0; k < 3; k++) {
        const double size = fabs(force_over_r * d[k]);
        site->lost[k] += size < site->lost_below ? size : 0.0;
    }
}

bool tally_walk_again(struct tally *tally) {
    for (size_t s = 0; s < tally->site_count; s++) {
        struct tally_site *site = &tally->sites[s];
        const double force[3] = { sum_total(&site->force[0]), sum_total(&site->force[1]),
                                  sum_total(&site->force[2]) };
        site->lost_below = sum_lost_below(force, site->scale, site->neighbours,
                                          site->scale + tally->scene.length_scale * site->slope);
        tally->is_second = tally->is_second || site->lost_below > 0.0;
    }
    return tally->is_second;
}

/* A pair within reach. */
static void add_pair(struct tally *tally, const struct placed_pair *at, struct tally_site *one,
                     struct tally_site *other) {
    struct pair_sums sums;
    const bool counts = at->r2 <= tally->scene.cutoff2;
    const size_t edges = tally->edges.count;
    const bool acts = scene_pair(&tally->scene, at, &sums, &tally->edges) && counts;
    if (tally->is_second) {
        tally->edges.count = edges;
        if (acts) {
            add_lost(one, sums.over_r, at->d);
            add_lost(other, sums.over_r, at->d);
        }
        return;
    }
    tally->pairs += counts;
    if (acts) {
        add_to_box(tally, &sums, at->d);
        add_to_site(one, sums.over_r, at->d, &sums);
        add_to_site(other, -sums.over_r, at->d, &sums);
    }
}

void tally_pair(struct tally *tally, size_t a, size_t b) {
    const struct scene *scene = &tally->scene;
    struct tally_site *one = &tally->sites[a];
    struct tally_site *other = &tally->sites[b];
    double d[3];
    if (scene->triclinic) {
        scene_nearest_image(scene, one->position, other->position, d);
    }
    for (int k = 0; k < 3 && !scene->triclinic; k++) {
        d[k] = displacement(one->position[k], other->position[k], scene->box->edge[k],
                            scene->inverse_edge[k]);
        if (fabs(d[k]) > scene->reach) {
            return; /* most pairs of a direct sum are told from one coordinate */
        }
    }
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 <= scene->reach2) {
        add_pair(tally, &(struct placed_pair){ d, r2, one->particle, other->particle }, one, other);
    }
}

static void move_box_sums(struct tally *tally, struct reference *reference) {
    reference->pairs_in_cutoff = tally->pairs;
    reference->cutoff = tally->scene.cutoff;
    reference->energy = sum_total(&tally->energy);
    reference->energies_apart = tally->scene.model.energies_apart;
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        reference->kinds[kind] =
            (struct reference_energy){ sum_total(&tally->kinds[kind]), tally->kind_scale[kind],
                                       tally->kind_slope[kind] };
    }
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = sum_total(&tally->virial[virial_place[k]]);
    }
    reference->energy_scale = tally->energy_scale;
    reference->energy_slope = tally->energy_slope;
    reference->virial_scale = tally->virial_scale;
    reference->virial_slope = tally->virial_slope;
    reference->length_scale = tally->scene.length_scale;
    reference->edge_pairs = tally->edges.pairs;
    reference->edge_pair_count = tally->edges.count;
    tally->edges.pairs = NULL;
}

bool tally_end(struct tally *tally, struct reference *reference, struct error *error) {
    size_t n = tally->scene.box->n;
    if (tally->edges.out_of_memory || !reference_allocate(n, reference, error)) {
        tally_free(tally);
        *reference = (struct reference){ 0 };
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t s = 0; s < tally->site_count; s++) {
        const struct tally_site *site = &tally->sites[s];
        size_t i = site->particle;
        for (int k = 0; k < 3; k++) {
            reference->force[3 * i + (size_t)k] = sum_total(&site->force[k]);
        }
        reference->scale[i] = site->scale;
        reference->largest[i] = site->largest;
        reference->slope[i] = site->slope;
        reference->condition[i] = site->force_condition;
        reference->lost[i] = fmax(site->lost[0], fmax(site->lost[1], site->lost[2]));
        reference->neighbours[i] = site->neighbours;
    }
    move_box_sums(tally, reference);
    tally_free(tally);
    return true;
}
