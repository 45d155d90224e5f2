#include "reference/pairs/reference.h"

#include "core/host.h"
#include "reference/pairs/rows.h"
#include "reference/pairs/store.h"
#include "reference/pairs/tally.h"

#include <math.h>

/* The most particles for the direct sum, the plainest way: it takes a fraction of a second. */
enum { MAX_DIRECT = 4096 };

/* Whether every particle is in the one group, in the order of the box. */
static bool is_everything(const struct groups *groups, size_t n) {
    bool everything = groups && groups->mode == GROUPS_ONE && groups->n_a == n;
    for (size_t i = 0; everything && i < n; i++) {
        everything = (size_t)groups->a[i] == i;
    }
    return everything;
}

static uint64_t max_pairs(const struct groups *groups) {
    const uint64_t n_a = groups->n_a;
    return groups->mode == GROUPS_ONE ? n_a * n_a / 2
                                      : n_a * (groups->mode == GROUPS_TWO ? groups->n_b : 1);
}

static enum reference_way way = REFERENCE_THREADS;

void reference_choose_way(enum reference_way chosen) {
    way = chosen;
}

/* The plain sum: pair by pair, up to so many of them, else over cells. */
static bool compute_serially(const struct box *box, const struct interaction *interaction,
                             double cutoff, const struct groups *groups,
                             struct reference *reference, struct error *error) {
    const uint64_t direct_most = (uint64_t)MAX_DIRECT * MAX_DIRECT / 2;
    const bool direct = groups ? max_pairs(groups) <= direct_most : box->n <= MAX_DIRECT;
    return (direct ? reference_direct_groups : reference_cells_groups)(box, interaction, cutoff,
                                                                       groups, reference, error);
}

bool reference_is_serial(void) {
    return way == REFERENCE_SERIAL;
}

bool reference_compute_once(const struct box *box, const struct interaction *interaction,
                            double cutoff, struct reference *reference, struct error *error) {
    const struct reference_case asked = { box, interaction, cutoff, NULL };
    *reference = (struct reference){ 0 };
    return reference_is_serial()
               ? compute_serially(box, interaction, cutoff, NULL, reference, error)
               : reference_rows(&asked, NULL, 0, reference, error);
}

bool reference_compute_groups(const struct box *box, const struct interaction *interaction,
                              double cutoff, const struct groups *groups,
                              struct reference *reference, struct error *error) {
    char key[HASH_TEXT_SIZE];
    groups = is_everything(groups, box->n) ? NULL : groups;
    *reference = (struct reference){ 0 };
    reference_key(box, interaction, cutoff, groups, way, key);
    if (reference_load(key, box->n, reference)) {
        return true;
    }
    const double start = clock_s();
    const bool computed =
        way == REFERENCE_SERIAL
            ? compute_serially(box, interaction, cutoff, groups, reference, error)
            : reference_rows(&(struct reference_case){ box, interaction, cutoff, groups }, NULL, 0,
                             reference, error);
    if (computed) {
        reference_store(key, reference, clock_s() - start);
    }
    return computed;
}

bool reference_compute_some(const struct reference_case *asked, const uint32_t *particle,
                            size_t count, struct reference *reference, struct error *error) {
    struct reference_case whole = *asked;
    if (is_everything(asked->groups, asked->box->n)) {
        whole.groups = NULL;
    }
    return reference_rows(&whole, particle, count, reference, error);
}

bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error) {
    return reference_compute_groups(box, interaction, cutoff, NULL, reference, error);
}

bool reference_pair(const struct interaction *interaction, double r, double *energy, double *force,
                    double *slope, struct error *error) {
    struct pair_model model = { 0 };
    struct pair pair = { .r2 = r * r, .r = r, .charge = { 1.0, 1.0 } };
    *energy = 0.0;
    *force = 0.0;
    *slope = 0.0;
    if (!pair_model_bind(interaction, NULL, INFINITY, &model, error)) {
        return false;
    }
    for (int t = 0; t < model.count; t++) {
        struct pair_value value;
        const double *parameter;
        if (r <= pair_term_for(&model, t, &pair, &parameter)) {
            pair_term_evaluate(&model.terms[t], parameter, &pair, &value);
            *energy += value.energy;
            *force += value.over_r * r;
            *slope += value.slope;
        }
    }
    pair_model_free(&model);
    return true;
}
