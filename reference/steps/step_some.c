#include "reference/steps/step_some.h"

#include "reference/pairs/tilt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 8 };

/* Of the work of all particles: what a sample may cost, and where a part is not worth the sorting.
 */
static const double wanted_share = 0.1;
static const double most_share = 0.7;

void step_some_free(struct step_some *some) {
    free(some->displacement);
    free(some->error);
    *some = (struct step_some){ 0 };
}

/* ---- how much matters ---- */

/* Whether a particle depends on those near it alone, and not on its number. */
static bool is_local(const struct box *box, const struct interaction *interaction, double cutoff,
                     const struct step_rules *rules) {
    return box->periodic && !box->open_along[0] && !box->open_along[1] && !box->open_along[2] &&
           !tilt_leans(box->tilt) && isfinite(cutoff) &&
           (rules->integrator == INTEGRATOR_VERLET || rules->integrator == INTEGRATOR_LEAPFROG) &&
           rules->thermostat == THERMOSTAT_NONE && !interaction->exclusions &&
           step_bodies_of(interaction) == STEP_PAIRS && interaction->value_count == 0 &&
           !interaction->text;
}

/* How far anybody moves in all steps, as the header says. */
static double way_of_all(const struct box *box, double cutoff, const struct step_rules *rules) {
    double fastest = 0.0;
    for (size_t i = 0; box->velocity && i < box->n; i++) {
        const double *v = box->velocity + 3 * i;
        fastest = fmax(fastest, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return 1.5 * sqrt(fastest) * (double)rules->steps * rules->dt + 0.1 * cutoff;
}

/* A place is a cutoff wide to each side. Pairs that rounding may take to be within the cutoff
 * count.
 */
static struct step_cone cone_of(const struct box *box, double cutoff,
                                const struct step_rules *rules) {
    return (struct step_cone){ .layer = 1.01 * cutoff,
                               .way = way_of_all(box, cutoff, rules) + cutoff };
}

static double deepest(const struct step_cone *cone, uint64_t steps) {
    return (double)steps * cone->layer + cone->way;
}

/* Of the forces of all particles in all steps, those that so many places need, evenly filled. */
static double share_of(const struct box *box, const struct step_cone *cone, uint64_t steps,
                       size_t places) {
    const double volume = box->edge[0] * box->edge[1] * box->edge[2];
    double sum = 0.0;
    for (uint64_t left = 0; left <= steps; left++) {
        const double r = deepest(cone, left);
        sum += fmin(1.0, 4.18879 * r * r * r * (double)places / volume);
    }
    return sum / (double)(steps + 1);
}

size_t reference_step_places(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct step_rules *rules) {
    if (!is_local(box, interaction, cutoff, rules)) {
        return 0;
    }
    const struct step_cone cone = cone_of(box, cutoff, rules);
    size_t places = share_of(box, &cone, rules->steps, 1) <= most_share ? 1 : 0;
    while (places > 0 && places < MOST_PLACES &&
           share_of(box, &cone, rules->steps, places + 1) <= wanted_share) {
        places++;
    }
    return places;
}

/* ---- who matters ---- */

/* A particle, and how far it is from the nearest place. */
struct member {
    double depth;
    uint32_t particle;
};

/* The particles that take part; those that are asked for come first. */
struct subset {
    struct member *members;
    size_t count;
    struct box box;
    double *depth;
    struct step_cone cone;
};

/* Those that are asked for. */
struct asked {
    const uint32_t *particle;
    size_t count;
};

static void subset_free(struct subset *subset) {
    free(subset->members);
    free(subset->depth);
    free(subset->box.position);
    free(subset->box.charge);
    free(subset->box.velocity);
    free(subset->box.mass);
    free(subset->box.type);
    *subset = (struct subset){ 0 };
}

static double distance(const struct box *box, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double d = a[k] - b[k];
        d -= box->edge[k] * rint(d / box->edge[k]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* The particles that stand for places: each of those asked for is within a cutoff of one. 0: they
 * lie at more places than are worth it. */
static size_t find_places(const struct box *box, double cutoff, const uint32_t *particle,
                          size_t count, uint32_t place[MOST_PLACES]) {
    size_t places = 0;
    for (size_t k = 0; k < count; k++) {
        const double *x = box->position + 3 * (size_t)particle[k];
        bool near = false;
        for (size_t p = 0; p < places && !near; p++) {
            near = distance(box, x, box->position + 3 * (size_t)place[p]) <= cutoff;
        }
        if (!near && places == MOST_PLACES) {
            return 0;
        }
        if (!near) {
            place[places++] = particle[k];
        }
    }
    return places;
}

static int by_depth(const void *a, const void *b) {
    const struct member *one = a;
    const struct member *other = b;
    return one->depth != other->depth
               ? (one->depth > other->depth ? 1 : -1)
               : (one->particle > other->particle) - (one->particle < other->particle);
}

/* Those who are no deeper than `most`, in order. */
static bool find_members(const struct box *box, const uint32_t *place, size_t places, double most,
                         struct subset *subset, struct error *error) {
    size_t capacity = 1024;
    subset->members = malloc(capacity * sizeof *subset->members);
    if (!subset->members) {
        return fail_out_of_memory(error, "the particles around a sample");
    }
    for (size_t i = 0; i < box->n; i++) {
        double depth = INFINITY;
        for (size_t p = 0; p < places; p++) {
            depth = fmin(
                depth, distance(box, box->position + 3 * i, box->position + 3 * (size_t)place[p]));
        }
        if (depth > most) {
            continue;
        }
        if (subset->count == capacity) {
            capacity *= 2;
            struct member *grown = realloc(subset->members, capacity * sizeof *grown);
            if (!grown) {
                return fail_out_of_memory(error, "the particles around a sample");
            }
            subset->members = grown;
        }
        subset->members[subset->count++] = (struct member){ depth, (uint32_t)i };
    }
    qsort(subset->members, subset->count, sizeof *subset->members, by_depth);
    return true;
}

/* Their box: the same cell. */
static bool gather(const struct box *box, struct subset *subset, struct error *error) {
    const size_t n = subset->count;
    struct box *part = &subset->box;
    *part = *box;
    part->n = n;
    part->molecule = NULL;
    part->position = malloc((3 * n + 1) * sizeof *part->position);
    part->charge = malloc((n + 1) * sizeof *part->charge);
    part->velocity = box->velocity ? malloc((3 * n + 1) * sizeof *part->velocity) : NULL;
    part->mass = box->mass ? malloc((n + 1) * sizeof *part->mass) : NULL;
    part->type = malloc((n + 1) * sizeof *part->type);
    subset->depth = malloc((n + 1) * sizeof *subset->depth);
    if (!part->position || !part->charge || (box->velocity && !part->velocity) ||
        (box->mass && !part->mass) || !part->type || !subset->depth) {
        return fail_out_of_memory(error, "the particles around a sample");
    }
    for (size_t k = 0; k < n; k++) {
        const size_t i = subset->members[k].particle;
        memcpy(part->position + 3 * k, box->position + 3 * i, 3 * sizeof *part->position);
        if (box->velocity) {
            memcpy(part->velocity + 3 * k, box->velocity + 3 * i, 3 * sizeof *part->velocity);
        }
        if (box->mass) {
            part->mass[k] = box->mass[i];
        }
        part->charge[k] = box->charge[i];
        part->type[k] = box->type[i];
        subset->depth[k] = subset->members[k].depth;
    }
    return true;
}

/* ---- results ---- */

/* Of those at the places that their particles have among `members`; NULL: all, in their order. */
static bool pick(const struct step_end *end, const struct member *members,
                 const struct asked *asked, struct step_some *some, struct error *error) {
    const uint32_t *particle = asked->particle;
    const size_t count = asked->count;
    some->displacement = malloc((3 * count + 1) * sizeof *some->displacement);
    some->error = malloc((count + 1) * sizeof *some->error);
    if (!some->displacement || !some->error) {
        return fail_out_of_memory(error, "the displacements of a sample");
    }
    for (size_t k = 0; k < count; k++) {
        size_t at = particle[k];
        for (size_t m = 0; members && m < end->n; m++) {
            at = m;
            if (members[m].particle == particle[k]) {
                break;
            }
        }
        memcpy(some->displacement + 3 * k, end->displacement + 3 * at,
               3 * sizeof *some->displacement);
        some->error[k] = end->displacement_error[at];
    }
    return true;
}

static bool integrate_all(const struct step_case *step_case, const struct asked *asked,
                          struct step_some *some, struct error *error) {
    struct step_end end = { 0 };
    const bool done =
        reference_integrate(step_case, &end, error) && pick(&end, NULL, asked, some, error);
    some->integrated = step_case->box->n;
    step_end_free(&end);
    return done;
}

/* *far: somebody went farther than was thought, and nothing is known. */
static bool integrate_subset(const struct step_case *whole, struct subset *subset,
                             const struct asked *asked, struct step_some *some, bool *far,
                             struct error *error) {
    struct step_case step_case = *whole;
    struct step_end end = { 0 };
    step_case.box = &subset->box;
    bool done = reference_integrate_cone(&step_case, &subset->cone, &end, error);
    *far = done && subset->cone.farthest > subset->cone.way - step_case.cutoff;
    done = done && (*far || pick(&end, subset->members, asked, some, error));
    some->integrated = subset->count;
    step_end_free(&end);
    return done;
}

bool reference_integrate_some(const struct step_case *step_case, const uint32_t *particle,
                              size_t count, struct step_some *some, struct error *error) {
    const struct box *box = step_case->box;
    const struct step_rules *rules = step_case->rules;
    const struct asked asked = { particle, count };
    uint32_t place[MOST_PLACES];
    bool far = false;
    *some = (struct step_some){ 0 };
    const size_t places =
        !step_case->long_range && is_local(box, step_case->interaction, step_case->cutoff, rules)
            ? find_places(box, step_case->cutoff, particle, count, place)
            : 0;
    struct subset subset = { .cone = cone_of(box, step_case->cutoff, rules) };
    if (places == 0 || share_of(box, &subset.cone, rules->steps, places) > most_share) {
        return integrate_all(step_case, &asked, some, error);
    }
    bool done =
        find_members(box, place, places, deepest(&subset.cone, rules->steps), &subset, error) &&
        gather(box, &subset, error);
    subset.cone.depth = subset.depth;
    done = done && integrate_subset(step_case, &subset, &asked, some, &far, error);
    subset_free(&subset);
    return done && far ? integrate_all(step_case, &asked, some, error) : done;
}
