#include "reference/reference.h"

#include "reference/store.h"
#include "reference/tally.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Up to here the direct sum takes a fraction of a second, and nothing is plainer. */
enum { DIRECT_MOST = 4096 };

bool reference_direct(const struct box *box, const struct interaction *interaction, double cutoff,
                      struct reference *reference, struct error *error) {
    struct tally tally;
    *reference = (struct reference){ 0 };
    if (!tally_begin(box, interaction, cutoff, &tally, error)) {
        tally_free(&tally);
        return false;
    }
    for (size_t i = 0; i < box->n; i++) {
        for (size_t j = i + 1; j < box->n; j++) {
            tally_pair(&tally, i, j);
        }
    }
    return tally_end(&tally, reference, error);
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool reference_compute(const struct box *box, const struct interaction *interaction, double cutoff,
                       struct reference *reference, struct error *error) {
    char key[HASH_TEXT_SIZE];
    *reference = (struct reference){ 0 };
    reference_key(box, interaction, cutoff, key);
    if (reference_load(key, box->n, reference)) {
        return true;
    }
    double start = now();
    bool computed = box->n <= DIRECT_MOST
                        ? reference_direct(box, interaction, cutoff, reference, error)
                        : reference_cells(box, interaction, cutoff, reference, error);
    if (computed) {
        reference_store(key, reference, now() - start);
    }
    return computed;
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
