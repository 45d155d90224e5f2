#include "case/results.h"

#include <math.h>
#include <stdlib.h>

void evaluation_free(struct evaluation *evaluation) {
    free(evaluation->force);
    evaluation->force = NULL;
    free(evaluation->velocity);
    evaluation->velocity = NULL;
    free(evaluation->face_count);
    evaluation->face_count = NULL;
    free(evaluation->face_momentum);
    evaluation->face_momentum = NULL;
}

struct verdict verdict_of(enum status status) {
    return (struct verdict){ .status = status,
                             .max_force_error = NAN,
                             .rms_force_error = NAN,
                             .energy_error = NAN,
                             .virial_error = NAN,
                             .worst_ratio = NAN,
                             .net_force = NAN,
                             .bitwise_repeatable = -1,
                             .pairs_in_cutoff = -1,
                             .judged = { .particles = -1, .seed = -1 } };
}

struct sampling sampling_defaults(void) {
    return (struct sampling){ .warm_up_s = 0.02,
                              .noise_target = 0.005,
                              .min_samples = 11,
                              .max_samples = 1000,
                              .time_cap_s = 0.5,
                              .cold_samples = 5,
                              .max_builds = 30,
                              .stages = true };
}
