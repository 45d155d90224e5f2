#include "kernels/results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void evaluation_free(struct evaluation *evaluation) {
    free(evaluation->force);
    evaluation->force = NULL;
    free(evaluation->of_box);
    evaluation->of_box = NULL;
    free(evaluation->velocity);
    evaluation->velocity = NULL;
    free(evaluation->face_count);
    evaluation->face_count = NULL;
    free(evaluation->face_momentum);
    evaluation->face_momentum = NULL;
}

void listed_row_free(struct listed_row *row) {
    free(row->j);
    free(row->shift);
    free(row->vector);
    free(row->distance);
    *row = (struct listed_row){ 0 };
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

void verdict_say(struct verdict *verdict, enum status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verdict->status = status;
    (void)vsnprintf(verdict->message, sizeof verdict->message, format, arguments);
    va_end(arguments);
}

void verdict_fail(struct verdict *verdict, const struct error *error) {
    verdict_say(verdict, error->status, "%.*s", (int)sizeof verdict->message - 1, error->message);
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

void measurement_clear(struct measurement *measurement) {
    memset(measurement, 0, sizeof *measurement);
    measurement->verdict = verdict_of(STATUS_OK);
    measurement->n_a = -1;
    measurement->n_b = -1;
    measurement->density = NAN;
    measurement->cutoff = NAN;
    measurement->pairs_in_cutoff = -1;
    measurement->pairs_evaluated = -1;
    measurement->pairs_counted = -1;
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        measurement->terms[kind] = -1;
    }
    measurement->registers = -1;
    measurement->local_bytes = -1;
    measurement->force = (struct timing){ NAN, NAN, NAN, NAN, NAN, 0, "" };
    measurement->build_s_median = NAN;
    measurement->end_to_end_s_median = NAN;
    measurement->cold_force_s_median = NAN;
    measurement->fresh_force_s_median = NAN;
    measurement->amortized_s_median = NAN;
    measurement->repeated_force_s_min = NAN;
    measurement->percent_of_peak = NAN;
    measurement->counted_percent_of_peak = NAN;
    measurement->samples_dropped = -1;
    measurement->short_kernel = -1;
    measurement->machine_load = NAN;
    measurement->state = (struct device_state){ NAN, NAN, NAN, NAN, "" };
}
