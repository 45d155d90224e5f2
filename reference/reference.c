#include "reference/reference.h"

#include "reference/store.h"
#include "reference/tally.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Up to here the direct sum takes a fraction of a second, and nothing is plainer. */
enum { DIRECT_MOST = 4096 };

/* Every unordered pair of all particles. */
static void walk_all(struct tally *tally) {
    for (size_t i = 0; i < tally->box->n; i++) {
        for (size_t j = i + 1; j < tally->box->n; j++) {
            tally_pair(tally, i, j);
        }
    }
}

static void walk_groups(struct tally *tally, const struct groups *groups) {
    for (size_t k = 0; k < groups->n_a; k++) {
        const size_t a = (size_t)groups->a[k];
        if (groups->mode == GROUPS_PAIRS) {
            tally_pair(tally, a, (size_t)groups->b[k]);
            continue;
        }
        const bool one = groups->mode == GROUPS_ONE;
        const int32_t *other = one ? groups->a : groups->b;
        const size_t end = one ? groups->n_a : groups->n_b;
        for (size_t m = one ? k + 1 : 0; m < end; m++) {
            if ((size_t)other[m] != a) {
                tally_pair(tally, a, (size_t)other[m]);
            }
        }
    }
}

bool reference_direct_groups(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct groups *groups,
                             struct reference *reference, struct error *error) {
    struct tally tally;
    *reference = (struct reference){ 0 };
    if (!tally_begin(box, interaction, cutoff, &tally, error)) {
        tally_free(&tally);
        return false;
    }
    if (groups) {
        walk_groups(&tally, groups);
    } else {
        walk_all(&tally);
    }
    return tally_end(&tally, reference, error);
}

bool reference_direct(const struct box *box, const struct interaction *interaction, double cutoff,
                      struct reference *reference, struct error *error) {
    return reference_direct_groups(box, interaction, cutoff, NULL, reference, error);
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool reference_compute_groups(const struct box *box, const struct interaction *interaction,
                              double cutoff, const struct groups *groups,
                              struct reference *reference, struct error *error) {
    const uint64_t direct_most = (uint64_t)DIRECT_MOST * DIRECT_MOST / 2;
    char key[HASH_TEXT_SIZE];
    groups = groups && groups->everything ? NULL : groups;
    *reference = (struct reference){ 0 };
    reference_key(box, interaction, cutoff, groups, key);
    if (reference_load(key, box->n, reference)) {
        return true;
    }
    double start = now();
    bool direct = groups ? groups_pairs(groups) <= direct_most : box->n <= DIRECT_MOST;
    bool computed =
        direct ? reference_direct_groups(box, interaction, cutoff, groups, reference, error)
               : reference_cells_groups(box, interaction, cutoff, groups, reference, error);
    if (computed) {
        reference_store(key, reference, now() - start);
    }
    return computed;
}

bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error) {
    return reference_compute_groups(box, interaction, cutoff, NULL, reference, error);
}

void reference_free(struct reference *reference) {
    free(reference->force);
    free(reference->scale);
    free(reference->slope);
    free(reference->neighbours);
    free(reference->edge_pairs);
    *reference = (struct reference){ 0 };
}

bool reference_pair(const struct interaction *interaction, double r, double *energy, double *force,
                    double *slope, struct error *error) {
    struct pair_model model = { 0 };
    struct pair pair = { .r2 = r * r, .r = r, .charge = { 1.0, 1.0 } };
    *energy = 0.0;
    *force = 0.0;
    *slope = 0.0;
    if (!pair_model_bind(interaction, NULL, &model, error)) {
        return false;
    }
    for (int t = 0; t < model.count; t++) {
        struct pair_value value;
        const double *parameter;
        if (r <= pair_term_for(&model, t, &pair, &parameter)) {
            model.terms[t].evaluate(parameter, &pair, &value);
            *energy += value.energy;
            *force += value.force;
            *slope += value.slope;
        }
    }
    return true;
}
