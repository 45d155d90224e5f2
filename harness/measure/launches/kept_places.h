/*
 * kept_places — of results that are not over particles: what each launch left at some places, kept
 * on the device for the host, which compares it at the end of a round (workloads/judges.h). A small
 * result is kept whole. In the first round of a case and in one of four behind that, drawn, the
 * host compares many places of one launch besides, drawn from those behind the first: that takes
 * longer than a launch.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_KEPT_PLACES_H
#define PAIRMARK_MEASURE_LAUNCHES_KEPT_PLACES_H

#include "measure/launches/judged_case.h"

struct kept_places {
    const struct judged_case *of;
    int32_t place[PLACES_SAMPLE]; /* of this round */
    size_t place_count;
    struct buffer *places,
        *sampled;    /* PLACES_SAMPLE results per launch, as the kernel wrote them */
    size_t n, bytes; /* results of a launch, and of one of them */
    uint64_t step_of[LAUNCH_JUDGE_MAX]; /* the step that each launch was */
    int32_t *many_place;                /* PLACES_MANY, of this round */
    size_t many_count;                  /* 0: many results are looked at in another round */
    struct buffer *many_places, *many_kept;
    int many_launch; /* that they were kept of */
    bool has_looked; /* at many results of a launch behind the first of its round */
};

/* `judged` outlives *kept. Errors: those of the device. *kept is freed by the caller, whatever is
 * returned. */
bool kept_places_create(const struct judged_case *judged, struct kept_places *kept,
                        struct error *error);
void kept_places_free(struct kept_places *kept); /* also of zeroed ones */

/* Begins a round: chooses which results are looked at. No kernel knows. */
bool kept_places_choose(struct kept_places *kept, struct error *error);
/* Enqueues that the sample of launch number `launch` is kept, many results where it is drawn, and
 * garbage in the place of all
 * results unless the next one is to find them. Errors: those of the device. */
bool kept_places_launch(struct kept_places *kept, int launch, bool poison, struct error *error);
/* The device is through with a round of so many launches: STATUS_WRONG in *verdict, which is
 * STATUS_OK, names the first launch that is wrong. Errors: those of the device; no memory. */
bool kept_places_end(struct kept_places *kept, int launches, struct verdict *verdict,
                     struct error *error);

#endif
