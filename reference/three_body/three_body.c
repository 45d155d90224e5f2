#include "reference/three_body/three_body.h"

#include "core/host.h"
#include "core/threads.h"
#include "kernels/potentials/element_table.h"
#include "reference/bonded/nearest.h"
#include "reference/neighbours/neighbours.h"
#include "reference/pairs/scene.h"
#include "reference/pairs/store.h"
#include "reference/pairs/sum.h"
#include "reference/three_body/sw_term.h"
#include "reference/three_body/tersoff_term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By types: of the centre first. */
struct parameters {
    int32_t types;
    struct sw_pair *pair;   /* types^2 */
    struct sw_angle *angle; /* types^3 */
    /* With orders in place of these: of a centre, a bond and another leg, types^3. */
    struct tersoff_numbers *order;
};

/* Of the legs of a centre, where bonds have orders. */
struct bond_room {
    long double (*d)[3];
    int *type;
    struct doubtful (*force)[3];
    double *size;
};

/* What a centre's terms add to a particle. */
struct share {
    uint32_t particle, terms;
    long double force[3];
    double scale, slope, condition;
};

/* What a range of centres comes to. */
struct part {
    struct sw_leg *leg; /* of the centre that is looked at */
    size_t legs, room;
    struct bond_room bonds;
    struct share *share; /* of each centre, and of the ends of its legs */
    size_t shares, share_room;
    uint64_t count;
    struct sum energy;
    long double virial[9];
    double energy_scale, energy_slope, virial_scale, virial_slope;
};

/* Centres that are done before their shares are added up. */
enum { PARTS = 32, ROUND = PARTS * THREADS_RANGE };

/* What is being added up, over all particles of the box. */
struct adding {
    const struct three_body_asked *asked;
    struct parameters parameters;
    double length;                     /* the length scale */
    const uint32_t *centre;            /* NULL: all */
    size_t done;                       /* of them, in earlier rounds */
    struct part *part;                 /* PARTS */
    long double *force;                /* 3n */
    double *scale, *slope, *condition; /* n */
    uint32_t *terms;                   /* n */
    struct part total;                 /* without shares */
};

/* ---- parameters ---- */

static const struct triplet_record *look_up(const struct element_table *table,
                                            const char *const name[3]) {
    for (size_t r = 0; r < table->count; r++) {
        const struct triplet_record *record = &table->records[r];
        bool same = true;
        for (int k = 0; k < 3; k++) {
            same = same && strncmp(record->element[k], name[k], SPECIES_SIZE) == 0;
        }
        if (same) {
            return record;
        }
    }
    return NULL;
}

/* What the user said of a parameter, or its preset. */
static double said_of(const struct interaction *interaction, const char *name) {
    for (int p = 0; p < interaction->parameter_count; p++) {
        if (strcmp(interaction->parameters[p].name, name) == 0) {
            return interaction->parameters[p].value;
        }
    }
    return NAN;
}

static bool has_orders(const struct three_body_asked *asked) {
    return asked->interaction->functions[0].elements == ELEMENTS_ORDERS;
}

/* The numbers of three types: of the table, or what the user said for all. */
static bool numbers_of(const struct three_body_asked *asked, const int32_t type[3],
                       double number[TERSOFF_NUMBERS], struct error *error) {
    static const char *const said[SW_TOLERANCE] = { "epsilon", "sigma",     "reach", "lambda",
                                                    "gamma",   "costheta0", "A",     "B",
                                                    "p",       "q" };
    static const char *const said_of_orders[TERSOFF_NUMBERS] = {
        "m",    "gamma",   "lambda3", "c", "d",     "costheta0", "n",
        "beta", "lambda2", "B",       "R", "width", "lambda1",   "A"
    };
    const struct element_table *table = asked->interaction->elements;
    const int count = has_orders(asked) ? TERSOFF_NUMBERS : SW_TOLERANCE;
    const char *name[3] = { 0 };
    for (int k = 0; table && k < 3; k++) {
        name[k] = asked->box->species[type[k]];
    }
    const struct triplet_record *record = table ? look_up(table, name) : NULL;
    if (table && !record) {
        return fail(error, STATUS_BAD_INPUT, "%s: no record for %s %s %s", table->path, name[0],
                    name[1], name[2]);
    }
    for (int k = 0; k < count; k++) {
        const char *const word = has_orders(asked) ? said_of_orders[k] : said[k];
        number[k] = record ? record->value[k] : said_of(asked->interaction, word);
    }
    return true;
}

static void parameters_free(struct parameters *parameters) {
    free(parameters->pair);
    free(parameters->angle);
    free(parameters->order);
}

static void take_sw(const double *n, const int32_t type[3], int32_t place,
                    struct parameters *parameters) {
    parameters->angle[place] = (struct sw_angle){ n[SW_LAMBDA] * n[SW_EPSILON], n[SW_COS_THETA0] };
    if (type[1] == type[2]) {
        parameters->pair[place / parameters->types] =
            (struct sw_pair){ n[SW_EPSILON], n[SW_SIGMA], n[SW_A], n[SW_GAMMA],
                              n[SW_BIG_A],   n[SW_BIG_B], n[SW_P], n[SW_Q] };
    }
}

static void take_order(const double *n, int32_t place, struct parameters *parameters) {
    parameters->order[place] =
        (struct tersoff_numbers){ n[TERSOFF_M],       n[TERSOFF_GAMMA], n[TERSOFF_LAMBDA3],
                                  n[TERSOFF_C],       n[TERSOFF_D],     n[TERSOFF_COS_THETA0],
                                  n[TERSOFF_N],       n[TERSOFF_BETA],  n[TERSOFF_LAMBDA2],
                                  n[TERSOFF_BIG_B],   n[TERSOFF_R],     n[TERSOFF_WIDTH],
                                  n[TERSOFF_LAMBDA1], n[TERSOFF_BIG_A] };
}

static bool parameters_make(const struct three_body_asked *asked, struct parameters *parameters,
                            struct error *error) {
    const int32_t types = asked->interaction->elements ? asked->box->types : 1;
    const size_t pairs = (size_t)types * (size_t)types;
    double n[TERSOFF_NUMBERS] = { 0 };
    parameters->types = types;
    parameters->pair = calloc(pairs, sizeof *parameters->pair);
    parameters->angle = calloc(pairs * (size_t)types, sizeof *parameters->angle);
    parameters->order = calloc(pairs * (size_t)types, sizeof *parameters->order);
    if (!parameters->pair || !parameters->angle || !parameters->order) {
        return fail_out_of_memory(error, "the reference");
    }
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t type[3] = { k / types / types, k / types % types, k % types };
        if (!numbers_of(asked, type, n, error)) {
            return false;
        }
        if (has_orders(asked)) {
            take_order(n, k, parameters);
        } else {
            take_sw(n, type, k, parameters);
        }
    }
    return true;
}

/* ---- memory ---- */

static void bond_room_free(struct bond_room *bonds) {
    free(bonds->d);
    free(bonds->type);
    free(bonds->force);
    free(bonds->size);
    *bonds = (struct bond_room){ 0 };
}

static bool bond_room_make(size_t room, struct bond_room *bonds) {
    bond_room_free(bonds);
    bonds->d = malloc(room * sizeof *bonds->d);
    bonds->type = malloc(room * sizeof *bonds->type);
    bonds->force = malloc(room * sizeof *bonds->force);
    bonds->size = malloc(room * sizeof *bonds->size);
    return bonds->d && bonds->type && bonds->force && bonds->size;
}

static void adding_free(struct adding *adding) {
    for (size_t p = 0; adding->part && p < PARTS; p++) {
        free(adding->part[p].leg);
        bond_room_free(&adding->part[p].bonds);
        free(adding->part[p].share);
    }
    free(adding->part);
    parameters_free(&adding->parameters);
    free(adding->force);
    free(adding->scale);
    free(adding->slope);
    free(adding->condition);
    free(adding->terms);
}

static bool adding_make(const struct three_body_asked *asked, struct adding *adding,
                        struct error *error) {
    const size_t n = asked->box->n;
    *adding = (struct adding){ .asked = asked };
    for (size_t k = 0; k < 3 * n; k++) {
        if (!isfinite(asked->box->position[k])) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: coordinate %g is not finite",
                        k / 3 + 1, asked->box->position[k]);
        }
    }
    adding->part = calloc(PARTS, sizeof *adding->part);
    adding->force = calloc(3 * n + 1, sizeof *adding->force);
    adding->scale = calloc(n + 1, sizeof *adding->scale);
    adding->slope = calloc(n + 1, sizeof *adding->slope);
    adding->condition = calloc(n + 1, sizeof *adding->condition);
    adding->terms = calloc(n + 1, sizeof *adding->terms);
    return (adding->part && adding->force && adding->scale && adding->slope && adding->condition &&
            adding->terms)
               ? parameters_make(asked, &adding->parameters, error)
               : fail_out_of_memory(error, "the reference");
}

/* ---- a centre ---- */

static int32_t type_of(const struct adding *adding, size_t i) {
    return adding->asked->interaction->elements ? adding->asked->box->type[i] : 0;
}

/* Of so many legs, and of shares as many more and one. */
static bool make_room(struct part *part, size_t legs, struct error *error) {
    bool made = true;
    if (legs > part->room) {
        free(part->leg);
        part->room = 2 * legs;
        part->leg = malloc(part->room * sizeof *part->leg);
        made = bond_room_make(part->room, &part->bonds) && part->leg;
    }
    if (part->shares + legs + 1 > part->share_room) {
        const size_t room = 2 * (part->shares + legs + 1);
        struct share *grown = realloc(part->share, room * sizeof *grown);
        made = made && grown;
        if (grown) {
            part->share_room = room;
            part->share = grown;
        }
    }
    return made || fail_out_of_memory(error, "the reference");
}

/* The legs from a centre to its neighbours within their cutoffs, with a share for each after that
 * of the centre: returned; NULL: no memory. */
static struct share *find_legs(const struct adding *adding, struct neighbour_finder *finder,
                               size_t centre, struct part *part, struct error *error) {
    const struct neighbour *list;
    size_t count;
    if (!neighbour_finder_list(finder, centre, &list, &count, error) ||
        !make_room(part, count, error)) {
        return NULL;
    }
    struct share *share = &part->share[part->shares++];
    *share = (struct share){ .particle = (uint32_t)centre };
    part->legs = 0;
    for (size_t k = 0; k < count; k++) {
        struct sw_leg *leg = &part->leg[part->legs];
        leg->pair = &adding->parameters.pair[type_of(adding, centre) * adding->parameters.types +
                                             type_of(adding, (size_t)list[k].j)];
        neighbour_vector(adding->asked->box, centre, &list[k], leg->d);
        leg->r = sqrtl(leg->d[0] * leg->d[0] + leg->d[1] * leg->d[1] + leg->d[2] * leg->d[2]);
        if (has_orders(adding->asked) || leg->r < (long double)leg->pair->a * leg->pair->sigma) {
            part->share[part->shares++] = (struct share){ .particle = (uint32_t)list[k].j };
            part->legs++;
        }
    }
    return share;
}

static void add_to_share(struct share *share, const struct sw_result *result, int place) {
    for (size_t d = 0; d < 3; d++) {
        share->force[d] += result->force[place][d];
    }
    share->scale += result->scale[place];
    share->slope += result->slope[place];
    share->condition += result->condition[place];
    share->terms++;
}

/* `weight` of the term's own: what is met from both sides counts half from each. */
static void add_to_box(struct part *part, const struct sw_result *result, double weight) {
    sum_add(&part->energy, (double)(weight * result->energy));
    for (int k = 0; k < 9; k++) {
        part->virial[k] += weight * result->virial[k];
    }
    part->energy_scale += weight * result->energy_scale;
    part->energy_slope += weight * result->energy_slope;
    part->virial_scale += weight * result->virial_scale;
    part->virial_slope += weight * result->virial_slope;
}

/* share[0] is the centre's, share[1 + j] that of the end of leg j. */
static void add_centre(const struct adding *adding, struct part *part, struct share *share) {
    const int32_t types = adding->parameters.types;
    const double unit = adding->asked->unit;
    const size_t centre = share->particle;
    struct sw_result result;
    for (size_t j = 0; j < part->legs; j++) {
        sw_pair_evaluate(&part->leg[j], unit, &result);
        add_to_share(share, &result, SW_CENTRE);
        add_to_box(part, &result, 0.5);
        part->count += share[1 + j].particle > centre;
        for (size_t k = j + 1; k < part->legs; k++) {
            const int32_t ends[2] = { type_of(adding, share[1 + j].particle),
                                      type_of(adding, share[1 + k].particle) };
            const struct sw_angle *angle =
                &adding->parameters
                     .angle[(type_of(adding, centre) * types + ends[0]) * types + ends[1]];
            sw_triplet_evaluate(&part->leg[j], &part->leg[k], angle, unit, &result);
            add_to_share(share, &result, SW_CENTRE);
            add_to_share(&share[1 + j], &result, SW_FIRST);
            add_to_share(&share[1 + k], &result, SW_SECOND);
            add_to_box(part, &result, 1);
            part->count++;
        }
    }
}

/* What a bond adds to the end of a leg, and to the centre. */
static void add_bond_to_ends(struct part *part, struct share *share) {
    const struct bond_room *bonds = &part->bonds;
    for (size_t k = 0; k < part->legs; k++) {
        const struct sw_leg *leg = &part->leg[k];
        struct share *both[2] = { &share[1 + k], &share[0] };
        double doubt = 0;
        for (int x = 0; x < 3; x++) {
            const struct doubtful *f = &bonds->force[k][x];
            doubt += f->doubt * f->doubt;
            for (int y = 0; y < 3; y++) {
                part->virial[3 * y + x] += leg->d[y] * f->value;
            }
            both[0]->force[x] += f->value;
            both[1]->force[x] -= f->value;
        }
        doubt = sqrt(doubt) / REFERENCE_EDGE_WIDTH; /* bends are in units of u over GATE_FACTOR */
        for (int e = 0; e < 2 && bonds->size[k] + doubt > 0; e++) {
            both[e]->scale += bonds->size[k];
            both[e]->condition += doubt;
            both[e]->terms++;
        }
        part->virial_scale += (double)leg->r * (bonds->size[k] + doubt);
        part->virial_slope += bonds->size[k];
    }
}

/* With orders: halves of bonds, each with what it hangs on. */
static void add_bonds(const struct adding *adding, struct part *part, struct share *share) {
    const int32_t types = adding->parameters.types;
    const int32_t own_type = type_of(adding, share->particle);
    struct bond_room *bonds = &part->bonds;
    const struct tersoff_centre centre = {
        .legs = part->legs,
        .d = (const long double(*)[3])bonds->d,
        .type = bonds->type,
        .types = types,
        .numbers = adding->parameters.order + (size_t)own_type * (size_t)types * (size_t)types,
        .length = adding->length,
        .unit = adding->asked->unit
    };
    for (size_t k = 0; k < part->legs; k++) {
        memcpy(bonds->d[k], part->leg[k].d, sizeof bonds->d[k]);
        bonds->type[k] = type_of(adding, share[1 + k].particle);
    }
    for (size_t j = 0; j < part->legs; j++) {
        struct doubtful energy = { 0, 0 };
        if (tersoff_bond(&centre, j, &energy, bonds->force, bonds->size)) {
            add_bond_to_ends(part, share);
            sum_add(&part->energy, (double)energy.value);
            part->energy_scale += (double)fabsl(energy.value) + energy.doubt / REFERENCE_EDGE_WIDTH;
            part->count += (share[1 + j].particle > share->particle) + tersoff_partners(&centre, j);
        }
    }
}

/* ---- the whole ---- */

/* The particles and their neighbours, in ascending order: *centre, which the caller frees. */
static bool find_centres(struct neighbour_finder *finder, size_t n, const uint32_t *particle,
                         size_t *count, uint32_t **centre, struct error *error) {
    uint8_t *mark = calloc(n + 1, 1);
    bool found = mark != NULL || fail_out_of_memory(error, "the reference");
    size_t marked = 0;
    for (size_t k = 0; found && k < *count; k++) {
        const struct neighbour *list;
        size_t neighbours;
        found = neighbour_finder_list(finder, particle[k], &list, &neighbours, error);
        marked += found ? 1 + neighbours : 0;
        for (size_t e = 0; found && e < neighbours; e++) {
            mark[list[e].j] = 1;
        }
        mark[particle[k]] = 1;
    }
    *centre = malloc((marked + 1) * sizeof **centre);
    found = found && (*centre || fail_out_of_memory(error, "the reference"));
    *count = 0;
    for (size_t i = 0; found && i < n; i++) {
        (*centre)[*count] = (uint32_t)i;
        *count += mark[i];
    }
    free(mark);
    return found;
}

static bool add_some(void *context, struct neighbour_finder *finder, size_t first, size_t end,
                     struct error *error) {
    const struct adding *adding = context;
    struct part *part = &adding->part[first / THREADS_RANGE];
    for (size_t k = adding->done + first; k < adding->done + end; k++) {
        const size_t centre = adding->centre ? adding->centre[k] : k;
        struct share *share = find_legs(adding, finder, centre, part, error);
        if (!share) {
            return false;
        }
        (has_orders(adding->asked) ? add_bonds : add_centre)(adding, part, share);
    }
    return true;
}

/* Takes what a range has come to, and leaves it empty. */
static void take_part(struct adding *adding, struct part *part) {
    struct part *total = &adding->total;
    for (size_t k = 0; k < part->shares; k++) {
        const struct share *share = &part->share[k];
        const size_t i = share->particle;
        for (size_t d = 0; d < 3; d++) {
            adding->force[3 * i + d] += share->force[d];
        }
        adding->scale[i] += share->scale;
        adding->slope[i] += share->slope;
        adding->condition[i] += share->condition;
        adding->terms[i] += share->terms;
    }
    sum_add(&total->energy, part->energy.value);
    sum_add(&total->energy, part->energy.rest);
    for (int k = 0; k < 9; k++) {
        total->virial[k] += part->virial[k];
    }
    total->energy_scale += part->energy_scale;
    total->energy_slope += part->energy_slope;
    total->virial_scale += part->virial_scale;
    total->virial_slope += part->virial_slope;
    total->count += part->count;
    *part = (struct part){ .leg = part->leg,
                           .bonds = part->bonds,
                           .room = part->room,
                           .share = part->share,
                           .share_room = part->share_room };
}

static bool add_all(struct adding *adding, struct neighbour_finder *finder, size_t centres,
                    struct error *error) {
    for (adding->done = 0; adding->done < centres; adding->done += ROUND) {
        const size_t left = centres - adding->done;
        if (!neighbour_finder_each(finder, left < ROUND ? left : ROUND, add_some, adding, error)) {
            return false;
        }
        for (size_t p = 0; p < PARTS; p++) { /* in their order, whichever thread did them */
            take_part(adding, &adding->part[p]);
        }
    }
    return true;
}

static bool adding_run(const struct three_body_asked *asked, const uint32_t *particle, size_t count,
                       struct adding *adding, struct error *error) {
    const size_t n = asked->box->n;
    const struct interaction none = { .function_count = 0 };
    const double length = nearest_length(asked->box);
    const double margin =
        has_orders(asked) ? tersoff_margin(length + asked->cutoff, asked->unit) : 0;
    const struct neighbours_asked near = { .box = asked->box,
                                           .cutoff = asked->cutoff + margin,
                                           .interaction = &none };
    struct neighbour_finder *finder = NULL;
    uint32_t *centre = NULL;
    size_t centres = particle ? count : n;
    bool run = adding_make(asked, adding, error) && neighbour_finder_make(&near, &finder, error) &&
               (!particle || find_centres(finder, n, particle, &centres, &centre, error));
    adding->centre = centre;
    adding->length = length;
    run = run && add_all(adding, finder, centres, error);
    adding->centre = NULL;
    neighbour_finder_free(finder);
    free(centre);
    return run;
}

static void fill_place(const struct adding *adding, size_t i, size_t place,
                       struct reference *reference) {
    for (size_t d = 0; d < 3; d++) {
        reference->force[3 * place + d] = (double)adding->force[3 * i + d];
    }
    reference->scale[place] = adding->scale[i];
    reference->slope[place] = adding->slope[i];
    reference->condition[place] = adding->condition[i];
    reference->neighbours[place] = adding->terms[i];
}

static void fill_totals(const struct part *total, struct reference *reference) {
    reference->pairs_in_cutoff = total->count;
    reference->energy = sum_total(&total->energy);
    reference->energy_scale = total->energy_scale;
    reference->energy_slope = total->energy_slope;
    reference->virial_scale = total->virial_scale;
    reference->virial_slope = total->virial_slope;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = (double)total->virial[k];
    }
}

/* What is summed over the box is not known of some particles alone. */
static void clear_totals(struct reference *reference) {
    reference->energy = reference->energy_scale = reference->energy_slope = NAN;
    reference->virial_scale = reference->virial_slope = NAN;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = NAN;
    }
}

/* particle NULL: all. */
static bool compute(const struct three_body_asked *asked, const uint32_t *particle, size_t count,
                    struct reference *reference, struct error *error) {
    const size_t places = particle ? count : asked->box->n;
    struct adding adding = { .asked = NULL };
    bool made = adding_run(asked, particle, count, &adding, error) &&
                reference_allocate(places, reference, error);
    for (size_t k = 0; made && k < places; k++) {
        fill_place(&adding, particle ? particle[k] : k, k, reference);
    }
    if (made) {
        reference->cutoff = asked->cutoff;
        reference->length_scale = nearest_length(asked->box);
        (particle ? clear_totals(reference) : fill_totals(&adding.total, reference));
    }
    adding_free(&adding);
    return made;
}

bool reference_three_body(const struct three_body_asked *asked, struct reference *reference,
                          struct error *error) {
    char key[HASH_TEXT_SIZE] = "";
    char what[64];
    (void)snprintf(what, sizeof what, "three_body %a", asked->unit);
    if (asked->kept) {
        reference_key_of(what, asked->box, asked->interaction, asked->cutoff, key);
    }
    if (reference_load(key, asked->box->n, reference)) {
        return true;
    }
    const double start = clock_s();
    const bool computed = compute(asked, NULL, 0, reference, error);
    if (computed) {
        reference_store(key, reference, clock_s() - start);
    }
    return computed;
}

bool reference_three_body_some(const struct three_body_asked *asked, const uint32_t *particle,
                               size_t count, struct reference *reference, struct error *error) {
    for (size_t k = 0; k < count; k++) {
        if (particle[k] >= asked->box->n) {
            return fail(error, STATUS_BAD_INPUT, "there is no particle %zu; the box has %zu",
                        (size_t)particle[k] + 1, asked->box->n);
        }
    }
    return compute(asked, particle, count, reference, error);
}
