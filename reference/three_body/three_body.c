#include "reference/three_body/three_body.h"

#include "kernels/potentials/element_table.h"
#include "reference/bonded/nearest.h"
#include "reference/neighbours/neighbours.h"
#include "reference/pairs/scene.h"
#include "reference/pairs/sum.h"
#include "reference/three_body/sw_term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By types: of the centre first. */
struct parameters {
    int32_t types;
    struct sw_pair *pair;   /* types^2 */
    struct sw_angle *angle; /* types^3 */
};

/* What is being added up, over all particles of the box. */
struct adding {
    const struct three_body_asked *asked;
    struct parameters parameters;
    long double *force;           /* 3n */
    double *scale, *slope, *bend; /* n */
    uint32_t *terms;              /* n */
    struct sw_leg *leg;           /* of the centre that is looked at */
    uint32_t *end;                /* and the particles there */
    size_t legs, room;
    uint64_t count;
    struct sum energy;
    long double virial[9];
    double energy_scale, energy_slope, virial_scale, virial_slope;
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

/* The ten numbers of three types: of the table, or what the user said for all. */
static bool numbers_of(const struct three_body_asked *asked, const int32_t type[3],
                       double number[SW_TOLERANCE], struct error *error) {
    static const char *const names[SW_TOLERANCE] = { "epsilon", "sigma",     "reach", "lambda",
                                                     "gamma",   "costheta0", "A",     "B",
                                                     "p",       "q" };
    const struct element_table *table = asked->interaction->elements;
    const char *name[3] = { 0 };
    for (int k = 0; table && k < 3; k++) {
        name[k] = asked->box->species[type[k]];
    }
    const struct triplet_record *record = table ? look_up(table, name) : NULL;
    if (table && !record) {
        return fail(error, STATUS_BAD_INPUT, "%s: no record for %s %s %s", table->path, name[0],
                    name[1], name[2]);
    }
    for (int k = 0; k < SW_TOLERANCE; k++) {
        number[k] = record ? record->value[k] : said_of(asked->interaction, names[k]);
    }
    return true;
}

static void parameters_free(struct parameters *parameters) {
    free(parameters->pair);
    free(parameters->angle);
}

static bool parameters_make(const struct three_body_asked *asked, struct parameters *parameters,
                            struct error *error) {
    const int32_t types = asked->interaction->elements ? asked->box->types : 1;
    const size_t pairs = (size_t)types * (size_t)types;
    double n[SW_TOLERANCE] = { 0 };
    parameters->types = types;
    parameters->pair = calloc(pairs, sizeof *parameters->pair);
    parameters->angle = calloc(pairs * (size_t)types, sizeof *parameters->angle);
    if (!parameters->pair || !parameters->angle) {
        return fail_out_of_memory(error, "the reference");
    }
    for (int32_t k = 0; k < types * types * types; k++) {
        const int32_t type[3] = { k / types / types, k / types % types, k % types };
        if (!numbers_of(asked, type, n, error)) {
            return false;
        }
        parameters->angle[k] = (struct sw_angle){ n[SW_LAMBDA] * n[SW_EPSILON], n[SW_COS_THETA0] };
        if (type[1] == type[2]) {
            parameters->pair[type[0] * types + type[1]] =
                (struct sw_pair){ n[SW_EPSILON], n[SW_SIGMA], n[SW_A], n[SW_GAMMA],
                                  n[SW_BIG_A],   n[SW_BIG_B], n[SW_P], n[SW_Q] };
        }
    }
    return true;
}

/* ---- memory ---- */

static void adding_free(struct adding *adding) {
    parameters_free(&adding->parameters);
    free(adding->force);
    free(adding->scale);
    free(adding->slope);
    free(adding->bend);
    free(adding->terms);
    free(adding->leg);
    free(adding->end);
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
    adding->force = calloc(3 * n + 1, sizeof *adding->force);
    adding->scale = calloc(n + 1, sizeof *adding->scale);
    adding->slope = calloc(n + 1, sizeof *adding->slope);
    adding->bend = calloc(n + 1, sizeof *adding->bend);
    adding->terms = calloc(n + 1, sizeof *adding->terms);
    return (adding->force && adding->scale && adding->slope && adding->bend && adding->terms)
               ? parameters_make(asked, &adding->parameters, error)
               : fail_out_of_memory(error, "the reference");
}

/* ---- a centre ---- */

static int32_t type_of(const struct adding *adding, size_t i) {
    return adding->asked->interaction->elements ? adding->asked->box->type[i] : 0;
}

/* In long double, so that it is rounded once however far the image is. */
static void step_to(const struct box *box, size_t i, const struct neighbour *entry,
                    long double d[3]) {
    const double vector[9] = {
        box->edge[0], 0, 0, box->tilt[0], box->edge[1], 0, box->tilt[1], box->tilt[2], box->edge[2]
    };
    for (size_t k = 0; k < 3; k++) {
        d[k] = (long double)box->position[3 * (size_t)entry->j + k] -
               (long double)box->position[3 * i + k];
        for (size_t v = 0; v < 3; v++) {
            d[k] += (long double)entry->shift[v] * vector[3 * v + k];
        }
    }
}

static bool make_room(struct adding *adding, size_t legs, struct error *error) {
    if (legs <= adding->room) {
        return true;
    }
    free(adding->leg);
    free(adding->end);
    adding->room = 2 * legs;
    adding->leg = malloc(adding->room * sizeof *adding->leg);
    adding->end = malloc(adding->room * sizeof *adding->end);
    return (adding->leg && adding->end) || fail_out_of_memory(error, "the reference");
}

/* The legs from a centre to its neighbours within their cutoffs. */
static bool find_legs(struct adding *adding, struct neighbour_finder *finder, size_t centre,
                      struct error *error) {
    const struct neighbour *list;
    size_t count;
    if (!neighbour_finder_list(finder, centre, &list, &count, error) ||
        !make_room(adding, count + 1, error)) {
        return false;
    }
    adding->legs = 0;
    for (size_t k = 0; k < count; k++) {
        struct sw_leg *leg = &adding->leg[adding->legs];
        leg->pair = &adding->parameters.pair[type_of(adding, centre) * adding->parameters.types +
                                             type_of(adding, (size_t)list[k].j)];
        step_to(adding->asked->box, centre, &list[k], leg->d);
        leg->r = sqrtl(leg->d[0] * leg->d[0] + leg->d[1] * leg->d[1] + leg->d[2] * leg->d[2]);
        if (leg->r < (long double)leg->pair->a * leg->pair->sigma) {
            adding->end[adding->legs++] = (uint32_t)list[k].j;
        }
    }
    return true;
}

static void add_to_particle(struct adding *adding, size_t i, const struct sw_result *result,
                            int place) {
    for (size_t d = 0; d < 3; d++) {
        adding->force[3 * i + d] += result->force[place][d];
    }
    adding->scale[i] += result->scale[place];
    adding->slope[i] += result->slope[place];
    adding->bend[i] += result->bend[place];
    adding->terms[i]++;
}

/* `part` of the term's own: what is met from both sides counts half from each. */
static void add_to_box(struct adding *adding, const struct sw_result *result, double part) {
    sum_add(&adding->energy, (double)(part * result->energy));
    for (int k = 0; k < 9; k++) {
        adding->virial[k] += part * result->virial[k];
    }
    adding->energy_scale += part * result->energy_scale;
    adding->energy_slope += part * result->energy_slope;
    adding->virial_scale += part * result->virial_scale;
    adding->virial_slope += part * result->virial_slope;
}

static void add_centre(struct adding *adding, size_t centre) {
    const int32_t types = adding->parameters.types;
    const double unit = adding->asked->unit;
    struct sw_result result;
    for (size_t j = 0; j < adding->legs; j++) {
        sw_pair_evaluate(&adding->leg[j], unit, &result);
        add_to_particle(adding, centre, &result, SW_CENTRE);
        add_to_box(adding, &result, 0.5);
        adding->count += adding->end[j] > centre;
        for (size_t k = j + 1; k < adding->legs; k++) {
            const struct sw_angle *angle =
                &adding->parameters
                     .angle[(type_of(adding, centre) * types + type_of(adding, adding->end[j])) *
                                types +
                            type_of(adding, adding->end[k])];
            sw_triplet_evaluate(&adding->leg[j], &adding->leg[k], angle, unit, &result);
            add_to_particle(adding, centre, &result, SW_CENTRE);
            add_to_particle(adding, adding->end[j], &result, SW_FIRST);
            add_to_particle(adding, adding->end[k], &result, SW_SECOND);
            add_to_box(adding, &result, 1);
            adding->count++;
        }
    }
}

/* ---- the whole ---- */

/* Marks the neighbours of the particles, and these. */
static bool mark_centres(struct neighbour_finder *finder, const uint32_t *particle, size_t count,
                         uint8_t *centre, struct error *error) {
    for (size_t k = 0; k < count; k++) {
        const struct neighbour *list;
        size_t found;
        centre[particle[k]] = 1;
        if (!neighbour_finder_list(finder, particle[k], &list, &found, error)) {
            return false;
        }
        for (size_t e = 0; e < found; e++) {
            centre[list[e].j] = 1;
        }
    }
    return true;
}

/* `centre`: flags of those that are wanted; NULL: all. */
static bool add_all(struct adding *adding, struct neighbour_finder *finder, const uint8_t *centre,
                    struct error *error) {
    for (size_t i = 0; i < adding->asked->box->n; i++) {
        if (centre && !centre[i]) {
            continue;
        }
        if (!find_legs(adding, finder, i, error)) {
            return false;
        }
        add_centre(adding, i);
    }
    return true;
}

static bool adding_run(const struct three_body_asked *asked, const uint32_t *particle, size_t count,
                       struct adding *adding, struct error *error) {
    const struct interaction none = { .function_count = 0 };
    const struct neighbours_asked near = { .box = asked->box,
                                           .cutoff = asked->cutoff,
                                           .interaction = &none };
    struct neighbour_finder *finder = NULL;
    uint8_t *centre = particle ? calloc(asked->box->n + 1, 1) : NULL;
    bool run = !particle || centre || fail_out_of_memory(error, "the reference");
    run = run && adding_make(asked, adding, error) &&
          neighbour_finder_make(&near, &finder, error) &&
          (!particle || mark_centres(finder, particle, count, centre, error)) &&
          add_all(adding, finder, centre, error);
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
    reference->bend[place] = adding->bend[i];
    reference->neighbours[place] = adding->terms[i];
}

static void fill_totals(const struct adding *adding, struct reference *reference) {
    reference->pairs_in_cutoff = adding->count;
    reference->energy = sum_total(&adding->energy);
    reference->energy_scale = adding->energy_scale;
    reference->energy_slope = adding->energy_slope;
    reference->virial_scale = adding->virial_scale;
    reference->virial_slope = adding->virial_slope;
    for (int k = 0; k < 9; k++) {
        reference->virial[k] = (double)adding->virial[k];
    }
}

/* What is summed over the box is not known of some particles alone. */
static void forget_totals(struct reference *reference) {
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
        (particle ? forget_totals(reference) : fill_totals(&adding, reference));
    }
    adding_free(&adding);
    return made;
}

bool reference_three_body(const struct three_body_asked *asked, struct reference *reference,
                          struct error *error) {
    return compute(asked, NULL, 0, reference, error);
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
