/* The memory of a reference. */
#include "reference/pairs/scene.h"

#include <stdlib.h>

bool reference_allocate(size_t n, struct reference *reference, struct error *error) {
    *reference = (struct reference){ .n = n };
    reference->force = calloc(3 * n, sizeof *reference->force);
    reference->scale = calloc(n, sizeof *reference->scale);
    reference->largest = calloc(n, sizeof *reference->largest);
    reference->slope = calloc(n, sizeof *reference->slope);
    reference->condition = calloc(n, sizeof *reference->condition);
    reference->lost = calloc(n, sizeof *reference->lost);
    reference->neighbours = calloc(n, sizeof *reference->neighbours);
    if (!reference->force || !reference->scale || !reference->largest || !reference->slope ||
        !reference->condition || !reference->lost || !reference->neighbours) {
        reference_free(reference);
        return fail_out_of_memory(error, "the reference");
    }
    return true;
}

void reference_free(struct reference *reference) {
    free(reference->force);
    free(reference->scale);
    free(reference->largest);
    free(reference->slope);
    free(reference->condition);
    free(reference->lost);
    free(reference->neighbours);
    free(reference->share);
    free(reference->edge_pairs);
    free(reference->motion.velocity);
    free(reference->motion.displacement_error);
    free(reference->motion.velocity_error);
    free(reference->motion.crossing);
    free(reference->motion.doubt);
    free(reference->motion.carried);
    free(reference->motion.carried_error);
    *reference = (struct reference){ 0 };
}
