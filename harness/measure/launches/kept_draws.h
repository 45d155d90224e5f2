/*
 * kept_draws — of random numbers, a sample of the results of each launch, kept on the device for
 * the host, which compares it at the end of a round (workloads/random/draws.h). In the first round
 * of a case and in one of four behind that, drawn, it compares many results of one launch besides,
 * drawn from those behind the first: that takes longer than a launch.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_KEPT_DRAWS_H
#define PAIRMARK_MEASURE_LAUNCHES_KEPT_DRAWS_H

#include "measure/launches/judged_case.h"
#include "workloads/random/draws.h"

struct kept_draws {
    const struct judged_case *of;
    int32_t place[DRAWS_SAMPLE]; /* of this round */
    size_t place_count;
    struct buffer *places, *sampled; /* DRAWS_SAMPLE results per launch, as the kernel wrote them */
    uint64_t step_of[LAUNCH_JUDGE_MAX]; /* the step that each launch was */
    int32_t *many_place;                /* DRAWS_MANY, of this round */
    size_t many_count;                  /* 0: many results are looked at in another round */
    struct buffer *many_places, *many;
    int many_launch; /* that they were kept of */
    bool has_looked; /* at many results of a launch behind the first of its round */
};

/* `judged` outlives *draws. Errors: those of the device. *draws is freed by the caller, whatever is
 * returned. */
bool kept_draws_create(const struct judged_case *judged, struct kept_draws *draws,
                       struct error *error);
void kept_draws_free(struct kept_draws *draws); /* also of zeroed ones */

/* Begins a round: chooses which results are looked at. No kernel knows. */
bool kept_draws_choose(struct kept_draws *draws, struct error *error);
/* Enqueues that the sample of launch number `launch` is kept, many results where it is drawn, and
 * garbage in the place of all
 * results unless the next one is to find them. Errors: those of the device. */
bool kept_draws_launch(struct kept_draws *draws, int launch, bool poison, struct error *error);
/* The device is through with a round of so many launches: STATUS_WRONG in *verdict, which is
 * STATUS_OK, names the first launch that is wrong. Errors: those of the device; no memory. */
bool kept_draws_end(struct kept_draws *draws, int launches, struct verdict *verdict,
                    struct error *error);

#endif
