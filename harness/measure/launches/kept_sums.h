/*
 * kept_sums — energies, virials and whatever else kernels add up, kept on the device behind each
 * launch for the host, which judges it at the end of a round. Of time steps the totals and what
 * went through faces are among it.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_KEPT_SUMS_H
#define PAIRMARK_MEASURE_LAUNCHES_KEPT_SUMS_H

#include "measure/launches/judged_case.h"

struct kept_sums {
    const struct judged_case *of;
    struct buffer *sums;        /* MAX_SUMS accum per launch and pass */
    size_t face_numbers;        /* of time steps that count at faces; else 0 */
    struct buffer *face_places; /* 0, 1, ...: so many ints */
    struct buffer *faces;       /* so many int64 per launch */
};

/* `judged` outlives *kept. Errors: those of the device; no memory. *kept is freed by the caller,
 * whatever is returned. */
bool kept_sums_create(const struct judged_case *judged, struct kept_sums *kept,
                      struct error *error);
void kept_sums_free(struct kept_sums *kept); /* also of zeroed ones */

/* Enqueues that the sums of launch number `launch` are kept, and garbage in their place, partial
 * ones included, unless the next one is to find them. Errors: those of the device. */
bool kept_sums_launch(struct kept_sums *kept, int launch, bool poison, struct error *error);
/* The device is through with a round of so many launches: another status than STATUS_OK in
 * *verdict, which is STATUS_OK, is that of the first launch that has it. Errors: those of the
 * device; no memory. */
bool kept_sums_end(const struct kept_sums *kept, int launches, struct verdict *verdict,
                   struct error *error);

#endif
