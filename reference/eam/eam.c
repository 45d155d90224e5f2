#include "reference/eam/eam.h"

#include "core/host.h"
#include "core/threads.h"
#include "reference/bonded/nearest.h"
#include "reference/eam/eam_curve.h"
#include "reference/neighbours/neighbours.h"
#include "reference/pairs/scene.h"
#include "reference/pairs/store.h"
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
    bool unsure;  /* a neighbour is at the cutoff */
};

/* What an edge pair, which rounding may count or not, changes at one particle. */
struct edge {
    size_t particle;
    double gap, force[3], energy, virial;
};

/* What a range of particles adds. */
struct part {
    struct edge *edge;
    size_t edges, room;
    struct sum energy;
    long double virial[9];
    double energy_scale, energy_slope, virial_scale, virial_slope;
    uint64_t pairs;
};

struct adding {
    const struct eam_asked *asked;
    struct eam_model model;
    double length;
    struct neighbour_finder *finder;
    struct atom *atom;        /* n; of those that are needed */
    uint8_t *mark;            /* n; see mark_wanted() */
    const uint32_t *particle; /* what is asked for; NULL: all */
    struct part *part;        /* of each range of what is walked over */
    struct reference *reference;
};

/* A thread that looks at a range. */
struct looking {
    const struct adding *adding;
    struct neighbour_finder *finder;
    struct part *part;
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
    long double r2 = 0;
    seen->j = (size_t)entry->j;
    neighbour_vector(adding->asked->box, i, entry, seen->d);
    for (size_t k = 0; k < 3; k++) {
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
    seen->of_i = eam_density(&adding->model, box->type[i], box->type[seen->j], seen->r);
    seen->of_j = eam_density(&adding->model, box->type[seen->j], box->type[i], seen->r);
}

static struct looking looking_at(const struct adding *adding, struct neighbour_finder *finder,
                                 size_t first) {
    return (struct looking){ adding, finder, &adding->part[first / THREADS_RANGE] };
}

/* ---- densities ---- */

static bool embed(const struct adding *adding, struct neighbour_finder *finder, size_t i,
                  struct error *error) {
    const struct neighbour *list;
    size_t count;
    struct atom *atom = &adding->atom[i];
    double sizes = 0;
    double slopes = 0;
    double terms = 0;
    if (!neighbour_finder_list(finder, i, &list, &count, error)) {
        return false;
    }
    *atom = (struct atom){ .rho = 0 };
    for (size_t k = 0; k < count; k++) {
        struct seen seen;
        look(adding, i, &list[k], &seen);
        atom->unsure = atom->unsure || !seen.sure;
        if (seen.within) {
            const struct eam_curve density =
                eam_density(&adding->model, adding->asked->box->type[seen.j],
                            adding->asked->box->type[i], seen.r);
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

static bool embed_some(void *context, struct neighbour_finder *finder, size_t first, size_t end,
                       struct error *error) {
    const struct adding *adding = context;
    bool embedded = true;
    for (size_t i = first; embedded && i < end; i++) {
        embedded = !adding->mark[i] || embed(adding, finder, i, error);
    }
    return embedded;
}

/* ---- forces ---- */

/* The slope of the energy along a pair by r, and what it is made of. */
struct along {
    long double slope;
    double scale, curve, condition;
};

/* The error of the slope of the embedding, in units of u. */
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
        .condition = functions * scale + ((double)fabsl(seen->of_j.slope) * doubt_of_slope(i) +
                                          (double)fabsl(seen->of_i.slope) * doubt_of_slope(j)) /
                                             4
    };
}

static void add_pair_to_box(struct part *part, const struct seen *seen, const struct along *along) {
    const double r = (double)seen->r;
    sum_add(&part->energy, (double)(seen->pair.value / 2));
    for (int k = 0; k < 9; k++) { /* d is r_j - r_i, and the force on i is along it */
        part->virial[k] -= along->slope * seen->d[k / 3] * seen->d[k % 3] / seen->r / 2;
    }
    part->energy_scale += (1 + functions) * seen->pair.size / 2;
    part->energy_slope += (double)fabsl(seen->pair.slope) / 2;
    part->virial_scale += r * (along->scale + along->condition) / 2;
    part->virial_slope += (along->scale + r * along->curve) / 2;
}

static bool keep_edge(struct part *part, const struct edge *edge, struct error *error) {
    struct edge *grown =
        with_room(part->edge, part->edges, &part->room, sizeof *grown, "the reference", error);
    if (!grown) {
        return false;
    }
    part->edge = grown;
    part->edge[part->edges++] = *edge;
    return true;
}

/* By how much the slope of the embedding changes where the density of i changes by `by`; times 1.5,
 * since several pairs may be at the cutoff. */
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
static bool keep_density_edges(struct looking *looking, size_t i, double rho, double gap,
                               struct error *error) {
    const struct adding *adding = looking->adding;
    const struct neighbour *list;
    size_t count;
    const double slope = slope_change(adding, i, rho);
    struct edge own = { .particle = i, .gap = gap };
    if (!(rho > 0)) {
        return true;
    }
    if (!neighbour_finder_list(looking->finder, i, &list, &count, error)) {
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
        if (!keep_edge(looking->part, &other, error)) {
            return false;
        }
    }
    return keep_edge(looking->part, &own, error);
}

/* The edge pair as seen from i: its force on i, and what the change of i's density does. */
static bool keep_pair_edges(struct looking *looking, size_t i, const struct seen *seen,
                            struct error *error) {
    const struct adding *adding = looking->adding;
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
    return keep_edge(looking->part, &edge, error) &&
           keep_density_edges(looking, i, of_j, seen->gap, error);
}

static bool add_particle(struct looking *looking, size_t i, size_t place, struct error *error) {
    const struct adding *adding = looking->adding;
    struct reference *reference = adding->reference;
    struct part *part = looking->part;
    const struct neighbour *list;
    size_t count;
    long double force[3] = { 0 };
    const struct atom *atom = &adding->atom[i];
    if (!neighbour_finder_list(looking->finder, i, &list, &count, error)) {
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
        reference->condition[place] += along.condition;
        reference->neighbours[place]++;
        part->pairs += seen.j > i || (seen.j == i && k % 2 == 0);
        add_pair_to_box(part, &seen, &along);
    }
    sum_add(&part->energy, (double)atom->f.value);
    part->energy_scale +=
        (1 + functions) * atom->f.size + (double)fabsl(atom->f.slope) * atom->doubt / 4;
    for (size_t d = 0; d < 3; d++) {
        reference->force[3 * place + d] = (double)force[d];
    }
    return true;
}

static bool add_some(void *context, struct neighbour_finder *finder, size_t first, size_t end,
                     struct error *error) {
    const struct adding *adding = context;
    struct looking looking = looking_at(adding, finder, first);
    bool added = true;
    for (size_t k = first; added && k < end; k++) {
        added = add_particle(&looking, adding->particle ? adding->particle[k] : k, k, error);
    }
    return added;
}

static bool find_edges(struct looking *looking, size_t i, struct error *error) {
    const struct neighbour *list;
    size_t count;
    struct neighbour *own = NULL;
    if (!neighbour_finder_list(looking->finder, i, &list, &count, error)) {
        return false;
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
            see(looking->adding, i, &own[k], &seen);
            found = keep_pair_edges(looking, i, &seen, error);
        }
    }
    free(own);
    return found;
}

static bool find_some_edges(void *context, struct neighbour_finder *finder, size_t first,
                            size_t end, struct error *error) {
    const struct adding *adding = context;
    struct looking looking = looking_at(adding, finder, first);
    bool found = true;
    for (size_t i = first; found && i < end; i++) {
        const bool counts = adding->mark[i] == 1 || adding->mark[i] == 2;
        found = !(counts && adding->atom[i].unsure) || find_edges(&looking, i, error);
    }
    return found;
}

/* ---- the whole ---- */

/* Marks neighbours of what is marked `from`, with `from` + 1 at most. */
static bool mark_around(struct adding *adding, uint8_t from, struct error *error) {
    uint8_t *mark = adding->mark;
    for (size_t i = 0; i < adding->asked->box->n; i++) {
        const struct neighbour *list;
        size_t count;
        if (mark[i] != from) {
            continue;
        }
        if (!neighbour_finder_list(adding->finder, i, &list, &count, error)) {
            return false;
        }
        for (size_t k = 0; k < count; k++) {
            mark[list[k].j] = mark[list[k].j] ? mark[list[k].j] : (uint8_t)(from + 1);
        }
    }
    return true;
}

/* 1: wanted; 2, 3: their neighbours, and theirs: edge pairs of the second touch the first, and need
 * the densities of both. */
static bool mark_wanted(struct adding *adding, size_t places, struct error *error) {
    const size_t n = adding->asked->box->n;
    if (!adding->particle) {
        memset(adding->mark, 1, n);
        return true;
    }
    for (size_t k = 0; k < places; k++) {
        const size_t i = adding->particle[k];
        if (i >= n) {
            return fail(error, STATUS_BAD_INPUT, "there is no particle %zu; the box has %zu", i + 1,
                        n);
        }
        adding->mark[i] = 1;
    }
    return mark_around(adding, 1, error) && mark_around(adding, 2, error);
}

static bool add_all(struct adding *adding, size_t places, struct error *error) {
    const size_t n = adding->asked->box->n;
    return mark_wanted(adding, places, error) &&
           neighbour_finder_each(adding->finder, n, embed_some, adding, error) &&
           neighbour_finder_each(adding->finder, places, add_some, adding, error) &&
           neighbour_finder_each(adding->finder, n, find_some_edges, adding, error);
}

/* Ranges in their order, whichever thread did them. */
static bool join_parts(const struct adding *adding, size_t parts, struct part *all,
                       struct error *error) {
    *all = (struct part){ 0 };
    for (size_t p = 0; p < parts; p++) {
        const struct part *part = &adding->part[p];
        all->room += part->edges;
        sum_add(&all->energy, part->energy.value);
        sum_add(&all->energy, part->energy.rest);
        for (int k = 0; k < 9; k++) {
            all->virial[k] += part->virial[k];
        }
        all->energy_scale += part->energy_scale;
        all->energy_slope += part->energy_slope;
        all->virial_scale += part->virial_scale;
        all->virial_slope += part->virial_slope;
        all->pairs += part->pairs;
    }
    all->edge = malloc((all->room + 1) * sizeof *all->edge);
    if (!all->edge) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t p = 0; p < parts; p++) {
        const struct part *part = &adding->part[p];
        for (size_t e = 0; e < part->edges; e++) {
            all->edge[all->edges++] = part->edge[e];
        }
    }
    return true;
}

static void parts_free(struct part *part, size_t parts) {
    for (size_t p = 0; part && p < parts; p++) {
        free(part[p].edge);
    }
    free(part);
}

/* Takes an edge pair once for each place that its particle has in the result. */
static bool take_edges(const struct part *all, const uint32_t *particle, size_t places,
                       struct reference *reference, struct error *error) {
    size_t room = 0;
    size_t most = 0;
    for (size_t k = 0; particle && k < places; k++) {
        for (size_t e = 0; e < all->edges; e++) {
            room += all->edge[e].particle == particle[k];
        }
    }
    most = particle ? room : all->edges;
    reference->edge_pairs = calloc(most + 1, sizeof *reference->edge_pairs);
    if (!reference->edge_pairs) {
        return fail_out_of_memory(error, "the reference");
    }
    for (size_t e = 0; e < all->edges; e++) {
        const struct edge *edge = &all->edge[e];
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

static void fill_totals(const struct part *all, bool known, struct reference *reference) {
    reference->pairs_in_cutoff = known ? all->pairs : 0;
    reference->energy = known ? sum_total(&all->energy) : NAN;
    reference->energy_scale = known ? all->energy_scale : NAN;
    reference->energy_slope = known ? all->energy_slope : NAN;
    reference->virial_scale = known ? all->virial_scale : NAN;
    reference->virial_slope = known ? all->virial_slope : NAN;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = known ? (double)all->virial[k] : NAN;
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

static bool fill(struct adding *adding, size_t places, size_t parts, struct error *error) {
    struct reference *reference = adding->reference;
    struct part all = { .edge = NULL };
    const bool filled = reference_allocate(places, reference, error) &&
                        add_all(adding, places, error) && join_parts(adding, parts, &all, error) &&
                        take_edges(&all, adding->particle, places, reference, error);
    if (filled) {
        reference->cutoff = adding->asked->cutoff;
        reference->length_scale = adding->length;
        fill_totals(&all, !adding->particle, reference);
    } else {
        reference_free(reference);
    }
    free(all.edge);
    return filled;
}

/* particle NULL: all. */
static bool compute(const struct eam_asked *asked, const uint32_t *particle, size_t count,
                    struct reference *reference, double *density, struct error *error) {
    const struct box *box = asked->box;
    const size_t places = particle ? count : box->n;
    const size_t parts = (places > box->n ? places : box->n) / THREADS_RANGE + 1;
    const struct interaction none = { .function_count = 0 };
    struct adding adding = { .asked = asked,
                             .model = eam_model_of(asked->interaction, box),
                             .length = nearest_length(box),
                             .particle = particle,
                             .reference = reference };
    const struct neighbours_asked near = { .box = box,
                                           .cutoff = asked->cutoff,
                                           .width = 1.01 * REFERENCE_EDGE_WIDTH * 0x1p-24 *
                                                        (adding.length + asked->cutoff) +
                                                    asked->wider,
                                           .interaction = &none };
    *reference = (struct reference){ 0 };
    adding.mark = calloc(box->n + 1, 1);
    adding.atom = calloc(box->n + 1, sizeof *adding.atom);
    adding.part = calloc(parts, sizeof *adding.part);
    bool made =
        (adding.mark && adding.atom && adding.part) || fail_out_of_memory(error, "the reference");
    made = made && check_positions(box, error) &&
           neighbour_finder_make(&near, &adding.finder, error) &&
           fill(&adding, places, parts, error);
    for (size_t i = 0; made && density && i < box->n; i++) {
        density[i] = (double)adding.atom[i].rho;
    }
    neighbour_finder_free(adding.finder);
    parts_free(adding.part, parts);
    free(adding.atom);
    free(adding.mark);
    return made;
}

bool reference_eam(const struct eam_asked *asked, struct reference *reference, double *density,
                   struct error *error) {
    char key[HASH_TEXT_SIZE] = "";
    if (asked->kept && !density) {
        reference_key_of("eam", asked->box, asked->interaction, asked->cutoff, key);
    }
    if (reference_load(key, asked->box->n, reference)) {
        return true;
    }
    const double start = clock_s();
    const bool computed = compute(asked, NULL, 0, reference, density, error);
    if (computed) {
        reference_store(key, reference, clock_s() - start);
    }
    return computed;
}

bool reference_eam_some(const struct eam_asked *asked, const uint32_t *particle, size_t count,
                        struct reference *reference, struct error *error) {
    return compute(asked, particle, count, reference, NULL, error);
}
