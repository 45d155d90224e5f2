#include "reference/steps/step_forces.h"

#include "reference/eam/eam.h"
#include "reference/pairs/rows.h"
#include "reference/pairs/tally.h"
#include "reference/three_body/three_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the cutoff. Wide enough for some ten steps of a liquid, narrow enough for few idle pairs. */
static const double skin_share = 0.1;

/* Cells of at least the list's radius, along the vectors of the cell or the axes of an open box. */
struct step_cells {
    const struct scene *scene;
    double reach, reach2;
    double origin[3], length[3]; /* of an open or orthorhombic box, and where it is open */
    ptrdiff_t count[3];
    uint32_t *start; /* of cell c: start[c] to start[c + 1] in `particle` */
    uint32_t *particle;
    uint32_t *cell; /* of each particle */
};

bool step_forces_begin(size_t n, const struct interaction *interaction, double cutoff,
                       struct step_forces *forces, struct error *error) {
    *forces = (struct step_forces){ .interaction = interaction,
                                    .cutoff = cutoff,
                                    .every_pair = isinf(cutoff) != 0 };
    forces->built_place = calloc(3 * n, sizeof *forces->built_place);
    return forces->built_place || fail_out_of_memory(error, "the pairs of a step");
}

void step_forces_free(struct step_forces *forces) {
    free(forces->built_place);
    free(forces->pairs);
    reference_free(&forces->now);
    long_range_free(&forces->long_state);
    *forces = (struct step_forces){ 0 };
}

/* ---- cells ---- */

static void cells_free(struct step_cells *cells) {
    free(cells->start);
    free(cells->particle);
    free(cells->cell);
}

static void choose_cells(const struct scene *scene, struct step_cells *cells) {
    const struct box *box = scene->box;
    const double most = 4.0 * cbrt((double)box->n) + 1.0;
    for (size_t k = 0; k < 3; k++) {
        const bool images = scene->images[k];
        double low = 0.0;
        double high = images ? box->edge[k] : 0.0;
        for (size_t i = 0; i < box->n && !images; i++) {
            const double x = box->position[3 * i + k];
            low = i == 0 || x < low ? x : low;
            high = i == 0 || x > high ? x : high;
        }
        cells->origin[k] = low;
        cells->length[k] = high - low;
        const double height = scene->triclinic && images ? scene->height[k] : cells->length[k];
        const double fit = fmin(floor(height / cells->reach), most);
        cells->count[k] = fit >= 1.0 ? (ptrdiff_t)fit : 1;
        if (images && cells->count[k] < 3) {
            cells->count[k] = 1; /* its neighbours on both sides would be one and the same */
        }
    }
}

static uint32_t cell_of(const struct step_cells *cells, const double *x) {
    double share[3] = { 0.0, 0.0, 0.0 };
    ptrdiff_t at[3];
    if (cells->scene->triclinic) {
        scene_fractions(cells->scene, x, share);
    }
    for (int k = 0; k < 3; k++) {
        if (!cells->scene->triclinic || !cells->scene->images[k]) {
            const double length = cells->length[k];
            share[k] = length > 0.0 ? (x[k] - cells->origin[k]) / length : 0.0;
        }
        /* What rounding puts outside belongs to the cell at that face; the reach has room for it.
         */
        const double scaled = fmax(share[k], 0.0) * (double)cells->count[k];
        at[k] = scaled < (double)cells->count[k] ? (ptrdiff_t)scaled : cells->count[k] - 1;
    }
    return (uint32_t)((at[2] * cells->count[1] + at[1]) * cells->count[0] + at[0]);
}

static bool fill_cells(struct step_cells *cells, struct error *error) {
    const struct box *box = cells->scene->box;
    const size_t total = (size_t)(cells->count[0] * cells->count[1] * cells->count[2]);
    cells->start = calloc(total + 2, sizeof *cells->start);
    cells->particle = malloc(box->n * sizeof *cells->particle);
    cells->cell = calloc(box->n, sizeof *cells->cell);
    if (!cells->start || !cells->particle || !cells->cell) {
        return fail_out_of_memory(error, "the cells of a step");
    }
    for (size_t i = 0; i < box->n; i++) {
        cells->cell[i] = cell_of(cells, box->position + 3 * i);
        cells->start[cells->cell[i] + 2]++;
    }
    for (size_t c = 2; c < total + 2; c++) {
        cells->start[c] += cells->start[c - 1];
    }
    for (size_t i = 0; i < box->n; i++) {
        cells->particle[cells->start[cells->cell[i] + 1]++] = (uint32_t)i;
    }
    return true;
}

/* ---- the list ---- */

static bool add_pair(struct step_forces *forces, uint32_t i, uint32_t j, struct error *error) {
    if (forces->count == forces->capacity) {
        const size_t capacity = forces->capacity ? 2 * forces->capacity : 1024;
        struct step_pair *grown = realloc(forces->pairs, capacity * sizeof *grown);
        if (!grown) {
            return fail_out_of_memory(error, "the pairs of a step");
        }
        forces->pairs = grown;
        forces->capacity = capacity;
    }
    forces->pairs[forces->count++] = (struct step_pair){ i, j };
    return true;
}

static bool add_near(struct step_forces *forces, const struct step_cells *cells, uint32_t i,
                     size_t cell, struct error *error) {
    const double *position = cells->scene->box->position;
    for (uint32_t place = cells->start[cell]; place < cells->start[cell + 1]; place++) {
        const uint32_t j = cells->particle[place];
        double d[3];
        if (j <= i) {
            continue;
        }
        scene_displacement(cells->scene, position + 3 * (size_t)i, position + 3 * (size_t)j, d);
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= cells->reach2 &&
            !add_pair(forces, i, j, error)) {
            return false;
        }
    }
    return true;
}

static int by_other(const void *a, const void *b) {
    const uint32_t one = ((const struct step_pair *)a)->j;
    const uint32_t other = ((const struct step_pair *)b)->j;
    return (one > other) - (one < other);
}

/* The partners of higher number of one particle, ascending. */
static bool add_row(struct step_forces *forces, const struct step_cells *cells, uint32_t i,
                    struct error *error) {
    const ptrdiff_t *count = cells->count;
    const size_t first = forces->count;
    const ptrdiff_t cell = (ptrdiff_t)cells->cell[i];
    const ptrdiff_t at[3] = { cell % count[0], cell / count[0] % count[1],
                              cell / count[0] / count[1] };
    for (int near = 0; near < 27; near++) {
        const int offset[3] = { near % 3 - 1, near / 3 % 3 - 1, near / 9 - 1 };
        ptrdiff_t place[3];
        bool there = true;
        for (int k = 0; k < 3; k++) {
            place[k] = at[k] + offset[k];
            if (cells->scene->images[k] && count[k] > 1) {
                place[k] = (place[k] + count[k]) % count[k];
            }
            there = there && place[k] >= 0 && place[k] < count[k];
        }
        if (there &&
            !add_near(forces, cells, i,
                      (size_t)((place[2] * count[1] + place[1]) * count[0] + place[0]), error)) {
            return false;
        }
    }
    if (forces->count > first) {
        qsort(forces->pairs + first, forces->count - first, sizeof *forces->pairs, by_other);
    }
    return true;
}

static bool build(struct step_forces *forces, const struct scene *scene, const double *way,
                  struct error *error) {
    struct step_cells cells = { .scene = scene };
    /* Rounding of what is wrapped and of cells' edges is less than a second edge width. */
    cells.reach = forces->cutoff * (1.0 + skin_share) + 2.0 * scene->edge_width;
    cells.reach2 = cells.reach * cells.reach;
    choose_cells(scene, &cells);
    bool built = fill_cells(&cells, error);
    forces->count = 0;
    for (size_t i = 0; built && i < scene->box->n; i++) {
        built = add_row(forces, &cells, (uint32_t)i, error);
    }
    cells_free(&cells);
    memcpy(forces->built_place, way, 3 * scene->box->n * sizeof *way);
    forces->built_width = scene->edge_width;
    forces->lists++;
    return built;
}

/* Whether a pair beyond the list may have come within reach: the two that moved farthest may have
 * moved towards each other. */
static bool is_outdated(const struct step_forces *forces, const struct scene *scene,
                        const double *way) {
    double farthest = 0.0;
    for (size_t i = 0; i < scene->box->n; i++) {
        const double *from = forces->built_place + 3 * i;
        const double d[3] = { way[3 * i] - from[0], way[3 * i + 1] - from[1],
                              way[3 * i + 2] - from[2] };
        farthest = fmax(farthest, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    const double grown = fmax(scene->edge_width - forces->built_width, 0.0);
    return forces->lists == 0 ||
           2.0 * sqrt(farthest) + grown >= skin_share * forces->cutoff * (1.0 - 1e-9);
}

/* ---- forces ---- */

static void walk(struct tally *tally, const struct step_forces *forces) {
    const size_t n = tally->scene.box->n;
    for (size_t i = 0; i < n && forces->every_pair; i++) {
        for (size_t j = i + 1; j < n; j++) {
            tally_pair(tally, i, j);
        }
    }
    for (size_t p = 0; p < forces->count; p++) {
        tally_pair(tally, forces->pairs[p].i, forces->pairs[p].j);
    }
}

/* Up to here one thread takes milliseconds per step, and nothing is plainer. */
enum { MAX_SERIAL = 4096 };

static bool compute_pairs(struct step_forces *forces, const struct box *box, const double *way,
                          double wider, struct error *error) {
    struct tally tally;
    reference_free(&forces->now);
    if (box->n > MAX_SERIAL && !forces->every_pair && !reference_is_serial()) {
        return reference_rows_of_step(
            &(struct reference_case){ box, forces->interaction, forces->cutoff, NULL }, wider,
            &forces->now, error);
    }
    bool begun = tally_begin(box, forces->interaction, forces->cutoff, &tally, error);
    struct scene *scene = &tally.scene;
    if (begun) {
        scene->edge_width += wider;
        scene->reach = scene->cutoff + scene->edge_width;
        scene->reach2 = scene->reach * scene->reach;
        begun = forces->every_pair || !is_outdated(forces, scene, way) ||
                build(forces, scene, way, error);
    }
    if (!begun) {
        tally_free(&tally);
        return false;
    }
    walk(&tally, forces);
    if (forces->sum_unit >= REFERENCE_FLOAT_UNIT && tally_walk_again(&tally)) {
        walk(&tally, forces);
    }
    return tally_end(&tally, &forces->now, error);
}

/* ---- many bodies ---- */

enum step_bodies step_bodies_of(const struct interaction *interaction) {
    const char *workload =
        interaction->function_count > 0 ? interaction->functions[0].workload : "";
    return strcmp(workload, "eam") == 0          ? STEP_EMBEDDED
           : strcmp(workload, "three_body") == 0 ? STEP_TRIPLETS
                                                 : STEP_PAIRS;
}

bool step_bodies_compute(const struct step_state *state, struct reference *now,
                         struct error *error) {
    if (step_bodies_of(state->interaction) == STEP_EMBEDDED) {
        return reference_eam(&(struct eam_asked){ .box = state->box,
                                                  .interaction = state->interaction,
                                                  .cutoff = state->cutoff,
                                                  .wider = state->wider },
                             now, NULL, error);
    }
    return reference_three_body(&(struct three_body_asked){ .box = state->box,
                                                            .interaction = state->interaction,
                                                            .cutoff = state->cutoff,
                                                            .unit = state->unit },
                                now, error);
}

/* The slopes become those that step.h takes, by e_i + X: a particle moves with two others, and what
 * they do to densities comes through `condition`. */
static void take_slopes(struct reference *now) {
    const double by_length = now->length_scale > 0.0 ? 1.0 / now->length_scale : 0.0; /* of one */
    for (size_t i = 0; i < now->n; i++) {
        now->slope[i] = 2.0 * (now->slope[i] + now->condition[i] * by_length);
    }
    now->virial_slope = 2.0 * (now->virial_slope + now->virial_scale * by_length);
}

static bool compute_bodies(struct step_forces *forces, const struct box *box, double wider,
                           struct error *error) {
    reference_free(&forces->now);
    const struct step_state state = { box, forces->interaction, forces->cutoff, wider,
                                      forces->unit };
    const bool computed = step_bodies_compute(&state, &forces->now, error);
    if (computed) {
        take_slopes(&forces->now);
    }
    return computed;
}

bool step_forces_compute(struct step_forces *forces, const struct box *box, const double *way,
                         double wider, bool exact, struct error *error) {
    if (step_bodies_of(forces->interaction) != STEP_PAIRS) {
        return compute_bodies(forces, box, wider, error);
    }
    forces->long_state.exact = exact;
    return compute_pairs(forces, box, way, wider, error) &&
           (!forces->long_range ||
            long_range_add(forces->long_range, box, forces->interaction->exclusions,
                           &forces->long_state, &forces->now, error));
}
