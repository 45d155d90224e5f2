#include "reference/eam/eam.h"

#include "reference/bonded/nearest.h"
#include "reference/eam/eam_curve.h"
#include "reference/neighbours/neighbours.h"
#include "reference/pairs/scene.h"
#include "reference/pairs/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double functions = 4; /* 16 u of the sizes, over GATE_FACTOR */

/* The embedding of a particle. */
struct atom {
    long double rho;
    struct eam_curve f;
    double doubt; /* D_i */
};

/* What a pair that rounding may count or not does to one particle. */
struct edge {
    size_t particle;
    double gap, force[3], energy, virial;
};

struct adding {
    const struct eam_asked *asked;
    struct eam_model model;
    double length;
    struct neighbour_finder *finder;
    struct atom *atom; /* n; of those that are needed */
    struct edge *edge;
    size_t edges, room;
    struct sum energy;
    long double virial[9];
    double energy_scale, energy_slope, virial_scale, virial_slope;
    uint64_t pairs;
};

/* One pair as seen from i: the vector to j, and the functions. */
struct seen {
    size_t j;
    long double d[3], r;
    struct eam_curve pair, of_i, of_j;
    bool within, sure;
    double gap;
};

/* Where it is, without the functions. */
static void look(const struct adding *adding, size_t i, const struct neighbour *entry,
                 struct seen *seen) {
    const struct box *box = adding->asked->box;
    const double vector[9] = {
        box->edge[0], 0, 0, box->tilt[0], box->edge[1], 0, box->tilt[1], box->tilt[2], box->edge[2]
    };
    seen->j = (size_t)entry->j;
    long double r2 = 0;
    for (size_t k = 0; k < 3; k++) {
        seen->d[k] =
            (long double)box->position[3 * seen->j + k] - (long double)box->position[3 * i + k];
        for (size_t v = 0; v < 3; v++) {
            seen->d[k] += (long double)entry->shift[v] * vector[3 * v + k];
        }
        r2 += seen->d[k] * seen->d[k];
    }
    seen->r = sqrtl(r2);
    seen->within = entry->within;
    seen->sure = entry->sure;
    seen->gap = (double)fabsl(seen->r - (long double)adding->asked->cutoff);
}

static void see(const struct adding *adding, size_t i, const struct neighbour *entry,
                struct seen *seen) {
    const struct box *box = adding->asked->box;
    look(adding, i, entry, seen);
    seen->pair = eam_pair(&adding->model, box->type[i], box->type[seen->j], seen->r);
    seen->of_i = eam_density(&adding->model, box->type[i], seen->r);
    seen->of_j = eam_density(&adding->model, box->type[seen->j], seen->r);
}

static bool list_of(struct adding *adding, size_t i, const struct neighbour **list, size_t *count,
                    struct error *error) {
    return neighbour_finder_list(adding->finder, i, list, count, error);
}

/* ---- densities ---- */

static bool embed(struct adding *adding, size_t i, struct error *error) {
    const struct neighbour *list;
    size_t count;
    struct atom *atom = &adding->atom[i];
    double sizes = 0;
    double slopes = 0;
    double terms = 0;
    if (!list_of(adding, i, &list, &count, error)) {
        return false;
    }
    *atom = (struct atom){ .rho = 0 };
    for (size_t k = 0; k < count; k++) {
        struct seen seen;
        look(adding, i, &list[k], &seen);
        if (seen.within) {
            const struct eam_curve density =
                eam_density(&adding->model, adding->asked->box->type[seen.j], seen.r);
            atom->rho += density.value;
            sizes += density.size;
            slopes += (double)fabsl(density.slope);
            terms += 1;
        }
    }
    atom->doubt =
        (8 + sqrt(terms)) * sizes + 4 * adding->length * slopes + (double)fabsl(atom->rho);
    atom->f = eam_embedding(&adding->model, adding->asked->box->type[i], atom->rho);
    return true;
}

/* ---- forces ---- */

/* The slope of the energy along a pair by r, and what it is made of. */
struct along {
    long double slope;
    double scale, curve, bend;
};

/* How far the slope of the embedding may be off, in units of u. */
static double doubt_of_slope(const struct atom *atom) {
    return atom->f.curve * atom->doubt + 4 * functions * atom->f.slope_size;
}

static struct along along_pair(const struct atom *i, const struct atom *j,
                               const struct seen *seen) {
    const double of_i = (double)fabsl(i->f.slope);
    const double of_j = (double)fabsl(j->f.slope);
    const double scale =
        seen->pair.slope_size + of_i * seen->of_j.slope_size + of_j * seen->of_i.slope_size;
    return (struct along){
        .slope = seen->pair.slope + i->f.slope * seen->of_j.slope + j->f.slope * seen->of_i.slope,
        .scale = scale,
        .curve = seen->pair.curve + of_i * seen->of_j.curve + of_j * seen->of_i.curve +
                 scale / (double)seen->r,
        .bend = functions * scale + ((double)fabsl(seen->of_j.slope) * doubt_of_slope(i) +
                                     (double)fabsl(seen->of_i.slope) * doubt_of_slope(j)) /
                                        4
    };
}

static void add_pair_to_box(struct adding *adding, const struct seen *seen,
                            const struct along *along) {
    const double r = (double)seen->r;
    sum_add(&adding->energy, (double)(seen->pair.value / 2));
    for (int k = 0; k < 9; k++) { /* d is r_j - r_i, and the force on i is along it */
        adding->virial[k] -= along->slope * seen->d[k / 3] * seen->d[k % 3] / seen->r / 2;
    }
    adding->energy_scale += (1 + functions) * seen->pair.size / 2;
    adding->energy_slope += (double)fabsl(seen->pair.slope) / 2;
    adding->virial_scale += r * (along->scale + along->bend) / 2;
    adding->virial_slope += (along->scale + r * along->curve) / 2;
}

static bool keep_edge(struct adding *adding, const struct edge *edge, struct error *error) {
    if (adding->edges == adding->room) {
        const size_t room = adding->room ? 2 * adding->room : 64;
        struct edge *grown = realloc(adding->edge, room * sizeof *grown);
        if (!grown) {
            return fail_out_of_memory(error, "the reference");
        }
        adding->edge = grown;
        adding->room = room;
    }
    adding->edge[adding->edges++] = *edge;
    return true;
}

/* By how much the slope of the embedding changes where the density of i has `by` more or less; half
 * as much again, for several pairs may be at the cutoff. */
static double slope_change(const struct adding *adding, size_t i, double by) {
    const int32_t type = adding->asked->box->type[i];
    const struct atom *atom = &adding->atom[i];
    const long double rest = atom->rho - (long double)by;
    const long double less = rest > 1e-9L * atom->rho ? rest : 0; /* all that there was */
    const long double slope = atom->f.slope;
    const long double up = eam_embedding(&adding->model, type, atom->rho + (long double)by).slope;
    const long double down = eam_embedding(&adding->model, type, less).slope;
    return 1.5 * (double)fmaxl(fabsl(up - slope), fabsl(down - slope));
}

/* What a change of the density of i by `rho` does to i and to its neighbours. */
static bool keep_density_edges(struct adding *adding, size_t i, double rho, double gap,
                               struct error *error) {
    const struct neighbour *list;
    size_t count;
    const double slope = slope_change(adding, i, rho);
    struct edge own = { .particle = i, .gap = gap };
    if (!(rho > 0)) {
        return true;
    }
    if (!list_of(adding, i, &list, &count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        struct seen seen;
        see(adding, i, &list[k], &seen);
        const double force = slope * (double)fabsl(seen.of_j.slope);
        struct edge other = { .particle = seen.j, .gap = gap };
        for (int d = 0; d < 3; d++) {
            other.force[d] = force * (double)fabsl(seen.d[d] / seen.r);
            own.force[d] += other.force[d];
        }
        own.virial += force * (double)seen.r;
        if (!keep_edge(adding, &other, error)) {
            return false;
        }
    }
    return keep_edge(adding, &own, error);
}

/* From the side of i: its own part, and that of its density. */
static bool keep_pair_edges(struct adding *adding, size_t i, const struct seen *seen,
                            struct error *error) {
    const struct box *box = adding->asked->box;
    struct atom one = adding->atom[i];
    struct atom other = adding->atom[seen->j];
    const double of_j = (double)fabsl(seen->of_j.value);
    one.f = eam_embedding(&adding->model, box->type[i], fmaxl(one.rho, (long double)of_j));
    other.f = eam_embedding(&adding->model, box->type[seen->j],
                            fmaxl(other.rho, fabsl(seen->of_i.value)));
    const struct along along = along_pair(&one, &other, seen);
    struct edge edge = { .particle = i, .gap = seen->gap };
    for (int d = 0; d < 3; d++) {
        edge.force[d] = along.scale * (double)fabsl(seen->d[d] / seen->r);
    }
    edge.energy = (double)fabsl(seen->pair.value) / 2 + (double)fabsl(one.f.slope) * of_j +
                  slope_change(adding, i, of_j) * of_j;
    edge.virial = along.scale * (double)seen->r / 2;
    return keep_edge(adding, &edge, error) && keep_density_edges(adding, i, of_j, seen->gap, error);
}

static bool add_particle(struct adding *adding, size_t i, size_t place, struct reference *reference,
                         struct error *error) {
    const struct neighbour *list;
    size_t count;
    long double force[3] = { 0 };
    const struct atom *atom = &adding->atom[i];
    if (!list_of(adding, i, &list, &count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        struct seen seen;
        see(adding, i, &list[k], &seen);
        if (!seen.within) {
            continue;
        }
        const struct along along = along_pair(atom, &adding->atom[seen.j], &seen);
        for (int d = 0; d < 3; d++) {
            force[d] += along.slope * seen.d[d] / seen.r;
        }
        reference->scale[place] += along.scale;
        reference->slope[place] += along.curve;
        reference->bend[place] += along.bend;
        reference->neighbours[place]++;
        adding->pairs += seen.j > i || (seen.j == i && k % 2 == 0);
        add_pair_to_box(adding, &seen, &along);
    }
    sum_add(&adding->energy, (double)atom->f.value);
    adding->energy_scale +=
        (1 + functions) * atom->f.size + (double)fabsl(atom->f.slope) * atom->doubt / 4;
    for (size_t d = 0; d < 3; d++) {
        reference->force[3 * place + d] = (double)force[d];
    }
    return true;
}

static bool find_edges(struct adding *adding, size_t i, struct error *error) {
    const struct neighbour *list;
    size_t count;
    size_t unsure = 0;
    struct neighbour *own = NULL;
    if (!list_of(adding, i, &list, &count, error)) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        unsure += !list[k].sure;
    }
    if (unsure == 0) {
        return true;
    }
    own = malloc(count * sizeof *own); /* the finder's list goes */
    if (!own) {
        return fail_out_of_memory(error, "the reference");
    }
    memcpy(own, list, count * sizeof *own);
    bool found = true;
    for (size_t k = 0; found && k < count; k++) {
        struct seen seen;
        if (!own[k].sure) {
            see(adding, i, &own[k], &seen);
            found = keep_pair_edges(adding, i, &seen, error);
        }
    }
    free(own);
    return found;
}

/* ---- the whole ---- */

/* Marks neighbours of what is marked `from`, with `from` + 1 at most. */
static bool mark_around(struct adding *adding, uint8_t *mark, uint8_t from, struct error *error) {
    for (size_t i = 0; i < adding->asked->box->n; i++) {
        const struct neighbour *list;
        size_t count;
        if (mark[i] != from) {
            continue;
        }
        if (!list_of(adding, i, &list, &count, error)) {
            return false;
        }
        for (size_t k = 0; k < count; k++) {
            mark[list[k].j] = mark[list[k].j] ? mark[list[k].j] : (uint8_t)(from + 1);
        }
    }
    return true;
}

/* 1: wanted; 2, 3, 4: their neighbours, theirs, and theirs: edge pairs of the third touch the
 * first, and need the densities of both. */
static bool mark_wanted(struct adding *adding, const uint32_t *particle, size_t count,
                        uint8_t *mark, struct error *error) {
    const size_t n = adding->asked->box->n;
    if (!particle) {
        memset(mark, 1, n);
        return true;
    }
    for (size_t k = 0; k < count; k++) {
        if (particle[k] >= n) {
            return fail(error, STATUS_BAD_INPUT, "there is no particle %zu; the box has %zu",
                        (size_t)particle[k] + 1, n);
        }
        mark[particle[k]] = 1;
    }
    return mark_around(adding, mark, 1, error) && mark_around(adding, mark, 2, error);
}

static bool add_all(struct adding *adding, const uint32_t *particle, size_t places, uint8_t *mark,
                    struct reference *reference, struct error *error) {
    const size_t n = adding->asked->box->n;
    bool added = mark_wanted(adding, particle, places, mark, error);
    for (size_t i = 0; added && i < n; i++) {
        added = !mark[i] || embed(adding, i, error);
    }
    for (size_t k = 0; added && k < places; k++) {
        added = add_particle(adding, particle ? particle[k] : k, k, reference, error);
    }
    for (size_t i = 0; added && i < n; i++) {
        added = !(mark[i] == 1 || mark[i] == 2) || find_edges(adding, i, error);
    }
    return added;
}

/* One for each place of an edge's particle. */
static bool take_edges(const struct adding *adding, const uint32_t *particle, size_t places,
                       struct reference *reference, struct error *error) {
    size_t room = 0;
    size_t most = 0;
    for (size_t k = 0; particle && k < places; k++) {
        for (size_t e = 0; e < adding->edges; e++) {
            room += adding->edge[e].particle == particle[k];
        }
    }
    most = particle ? room : adding->edges;
    reference->edge_pairs = calloc(most + 1, sizeof *reference->edge_pairs);
    if (!reference->edge_pairs) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t e = 0; e < adding->edges; e++) {
        const struct edge *edge = &adding->edge[e];
        for (size_t k = particle ? 0 : edge->particle; k < places; k++) {
            if (particle && particle[k] != edge->particle) {
                continue;
            }
            struct reference_edge_pair *pair = &reference->edge_pairs[reference->edge_pair_count++];
            *pair = (struct reference_edge_pair){ .i = (uint32_t)k,
                                                  .j = REFERENCE_ELSEWHERE,
                                                  .gap = edge->gap,
                                                  .energy = { edge->energy },
                                                  .virial = edge->virial };
            memcpy(pair->force, edge->force, sizeof pair->force);
            if (!particle) {
                break;
            }
        }
    }
    return true;
}

static void fill_totals(const struct adding *adding, bool known, struct reference *reference) {
    reference->pairs_in_cutoff = known ? adding->pairs : 0;
    reference->energy = known ? sum_total(&adding->energy) : NAN;
    reference->energy_scale = known ? adding->energy_scale : NAN;
    reference->energy_slope = known ? adding->energy_slope : NAN;
    reference->virial_scale = known ? adding->virial_scale : NAN;
    reference->virial_slope = known ? adding->virial_slope : NAN;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = known ? (double)adding->virial[k] : NAN;
    }
}

static bool check_positions(const struct box *box, struct error *error) {
    for (size_t k = 0; k < 3 * box->n; k++) {
        if (!isfinite(box->position[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %g is not finite",
                        k / 3 + 1, box->position[k]);
        }
    }
    return true;
}

/* particle NULL: all. */
static bool compute(const struct eam_asked *asked, const uint32_t *particle, size_t count,
                    struct reference *reference, double *density, struct error *error) {
    const struct box *box = asked->box;
    const size_t places = particle ? count : box->n;
    const struct interaction none = { .function_count = 0 };
    struct adding adding = { .asked = asked,
                             .model = eam_model_of(asked->interaction, box),
                             .length = nearest_length(box) };
    const struct neighbours_asked near = { .box = box,
                                           .cutoff = asked->cutoff,
                                           .width = 1.01 * REFERENCE_EDGE_WIDTH * 0x1p-24 *
                                                    (adding.length + asked->cutoff),
                                           .interaction = &none };
    uint8_t *mark = calloc(box->n + 1, 1);
    adding.atom = calloc(box->n + 1, sizeof *adding.atom);
    bool made = (mark && adding.atom) || fail_out_of_memory(error, "the reference");
    made = made && check_positions(box, error) &&
           neighbour_finder_make(&near, &adding.finder, error) &&
           reference_allocate(places, reference, error) &&
           add_all(&adding, particle, places, mark, reference, error) &&
           take_edges(&adding, particle, places, reference, error);
    if (made) {
        reference->cutoff = asked->cutoff;
        reference->length_scale = adding.length;
        fill_totals(&adding, !particle, reference);
    }
    for (size_t i = 0; made && density && i < box->n; i++) {
        density[i] = (double)adding.atom[i].rho;
    }
    neighbour_finder_free(adding.finder);
    free(adding.atom);
    free(adding.edge);
    free(mark);
    return made;
}

bool reference_eam(const struct eam_asked *asked, struct reference *reference, double *density,
                   struct error *error) {
    return compute(asked, NULL, 0, reference, density, error);
}

bool reference_eam_some(const struct eam_asked *asked, const uint32_t *particle, size_t count,
                        struct reference *reference, struct error *error) {
    return compute(asked, particle, count, reference, NULL, error);
}
