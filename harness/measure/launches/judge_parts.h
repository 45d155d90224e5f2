/*
 * judge_parts — what the judge of launches consists of. Private to this folder.
 *
 * Each part is created for a case, which outlives it, begins each round, enqueues its work after
 * each launch and gives its verdict when the device is through with the round: STATUS_WRONG in a
 * *verdict that is STATUS_OK. Each is freed by the caller, whatever creating it returned, and can
 * be freed where it is zeroed. Errors: those of the device; no memory.
 *
 * Launch -1 stands for what lies in the outputs before the first: it is overwritten with garbage
 * like what a launch has written, and what is found of it is ignored.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_JUDGE_PARTS_H
#define PAIRMARK_MEASURE_LAUNCHES_JUDGE_PARTS_H

#include "kernels/results.h"
#include "measure/launches/launch_judge.h"
#include "prepare/kernel_plan.h"
#include "workloads/judges.h"

/* All are the caller's. */
struct judged_case {
    struct kernel_plan *plan;
    const struct expected *expected;
    const struct case_spec *spec;
    const struct launch_tools *tools;
    uint64_t random; /* of this round */
};

/* What is overwritten with garbage: each kind, and each of a kind, has garbage of its own. */
enum garbage {
    GARBAGE_OF_PLACES = 0,
    GARBAGE_OF_SUMS = MAX_SETS,
    GARBAGE_OF_PARTIAL_SUMS = GARBAGE_OF_SUMS + VARIANT_MAX_PASSES,
    GARBAGE_OF_SCRATCH = GARBAGE_OF_PARTIAL_SUMS + VARIANT_MAX_PASSES,
    GARBAGE_OF_TOTALS = GARBAGE_OF_SCRATCH + VARIANT_MAX_SCRATCH
};

/* The seed of garbage: of a round, a launch and a kind, plus which of that kind. */
static inline struct argument garbage_seed(const struct judged_case *judged, int launch,
                                           int which) {
    const uint64_t seed = judged->random ^ ((uint64_t)(launch + 2) * 0x9e3779b97f4a7c15U +
                                            (uint64_t)which * 0x632be5abU);
    return argument_int((int32_t)(seed ^ seed >> 32));
}

/* Where what a launch leaves is kept. */
static inline int launch_slot(int launch) {
    return launch < 0 ? 0 : launch;
}

static inline struct judge_question question_of(const struct judged_case *judged) {
    return (struct judge_question){ judged->spec, kernel_plan_box(judged->plan),
                                    judged->expected->cutoff, &judged->expected->groups };
}

/* Whether results are no vectors of particles, see workload.h. */
static inline bool judged_has_places(const struct judged_case *judged) {
    return judged->spec->variant->workload->places != NULL;
}

/* What was found of one launch, where that is not STATUS_OK, as what is found of the round. */
static inline void report_verdict_of_launch(int launch, const struct verdict *of_launch,
                                            struct verdict *verdict) {
    if (of_launch->status != STATUS_OK) {
        verdict->status = of_launch->status;
        (void)snprintf(verdict->message, sizeof verdict->message, "launch %d of a round, %.*s",
                       launch + 1, (int)sizeof verdict->message - 48, of_launch->message);
    }
}

/* ---- results of particles ---- */

/* And of time steps their velocities: compared with the reference on the device after each launch.
 *
 * What is wanted lies on the device covered by a key that no kernel knows. Of each launch the
 * device keeps how many results are off, and the first of them. */

enum { MAX_JUDGED = MAX_SETS + 1 }; /* results of sets; after them, of time steps, velocities */

struct judged_results {
    const struct judged_case *judged;
    int count;                         /* of those below that are judged */
    void *staged[MAX_JUDGED];          /* n accum4 as below, by member, on the host */
    struct buffer *wanted[MAX_JUDGED]; /* n accum4: x, y, z, and how far each may be off; covered */
    uint64_t cover;                    /* its key */
    struct buffer *found[MAX_JUDGED];  /* 2 ints per launch: see judge_results of launch_tools.cl */
    struct buffer *wrong[MAX_JUDGED];  /* accum4 per launch */
    struct buffer *velocity;           /* of time steps, in the order of results: n accum4 */
};

/* Takes what is expected of each. */
bool judged_results_create(const struct judged_case *judged, struct judged_results *results,
                           struct error *error);
void judged_results_free(struct judged_results *results);

/* Begins a round: nothing is found yet. */
bool judged_results_clear(struct judged_results *results, struct error *error);
/* Enqueues the comparison of what launch number `launch` has left, and garbage in its place unless
 * the next one is to find it. */
bool judged_results_launch(struct judged_results *results, int launch, bool poison,
                           struct error *error);
/* Describes the first result that is off. */
bool judged_results_end(const struct judged_results *results, int launches, struct verdict *verdict,
                        struct error *error);

/* ---- results that are not over particles ---- */

/* What each launch left at some places, kept on the device for the host, which compares it at the
 * end of a round (workloads/judges.h). A small
 * result is kept whole. In the first round of a case and in one of four after that, drawn, the
 * host compares many places of one launch besides, drawn from those after the first: that takes
 * longer than a launch. */

struct kept_places {
    const struct judged_case *judged;
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
    bool has_looked; /* at many results of a launch after the first of its round */
};

bool kept_places_create(const struct judged_case *judged, struct kept_places *kept,
                        struct error *error);
void kept_places_free(struct kept_places *kept);

/* Begins a round: chooses which results are looked at. No kernel knows. */
bool kept_places_choose(struct kept_places *kept, struct error *error);
/* Enqueues that the sample of launch number `launch` is kept, many results where it is drawn, and
 * garbage in the place of all results unless the next one is to find them. */
bool kept_places_launch(struct kept_places *kept, int launch, bool poison, struct error *error);
bool kept_places_end(struct kept_places *kept, int launches, struct verdict *verdict,
                     struct error *error);

/* ---- all results of a launch ---- */

/* Of constraints and of steps of rigid waters, those of one launch of a round, whichever is drawn,
 * kept on the device for the host.
 *
 * What is compared after every launch is each particle, and its bound is that of the worst case:
 * lengths that are off by some tolerances may stay within it. Along steps bounds of particles grow,
 * those of sides and of how fast they change do not: velocities along sides that are wrong by 10^4
 * times what rounding leaves there may stay within them. The host compares what is kept as it does
 * at the gate, lengths and momenta, or sides, included. It does so in the first round of a case and
 * in one of four after that, drawn, since it takes longer than a launch. */

struct kept_results {
    const struct judged_case *judged;
    struct buffer *kept;       /* NULL: of a case that is judged particle by particle */
    struct buffer *velocities; /* of time steps, by place in the state; else NULL */
    bool first;                /* no round like those that are timed has been looked at */
    bool scattered;
    bool looks; /* in this round */
    int launch; /* that was kept */
};

bool kept_results_create(const struct judged_case *judged, struct kept_results *kept,
                         struct error *error);
void kept_results_free(struct kept_results *kept);

/* Begins a round; `scattered`: in an order that no launch has that is timed. */
void kept_results_begin(struct kept_results *kept, bool scattered);
/* Enqueues that the results of launch number `launch`, which are not overwritten yet, are saved, if
 * it is drawn: all launches of a round are equally likely. */
bool kept_results_launch(struct kept_results *kept, int launch, struct error *error);
bool kept_results_end(struct kept_results *kept, struct verdict *verdict, struct error *error);

/* ---- sums ---- */

/* Energies, virials and whatever else kernels add up, kept on the device after each launch for the
 * host, which judges it at the end of a round. Of time steps the totals and what went through faces
 * are among it. */

struct kept_sums {
    const struct judged_case *judged;
    size_t room;                /* accum of a pass */
    int passes;                 /* and of time steps, after them, the totals */
    struct buffer *sums;        /* so many accum per launch and pass */
    size_t face_numbers;        /* of time steps that count at faces; else 0 */
    struct buffer *face_places; /* 0, 1, ...: so many ints */
    struct buffer *faces;       /* so many int64 per launch */
};

bool kept_sums_create(const struct judged_case *judged, struct kept_sums *kept,
                      struct error *error);
void kept_sums_free(struct kept_sums *kept);

/* Enqueues that the sums of launch number `launch` are kept, and garbage in their place, partial
 * ones included, unless the next one is to find them. */
bool kept_sums_launch(struct kept_sums *kept, int launch, bool poison, struct error *error);
/* Another status than STATUS_OK is that of the first launch that has it. */
bool kept_sums_end(const struct kept_sums *kept, int launches, struct verdict *verdict,
                   struct error *error);

/* ---- inputs ---- */

/* What kernels are only given to read: summed up before and behind each launch of a round, so that
 * one that changes it is found. */

enum { MAX_WATCHED_INPUTS = 48 };

struct watched_input {
    struct buffer *buffer;
    char name[VARIANT_NAME_SIZE];
};

struct watched_inputs {
    const struct kernel_plan *plan;
    const struct launch_tools *tools;
    struct watched_input items[MAX_WATCHED_INPUTS];
    int count;            /* so far: those that building does not make come first */
    struct buffer *marks; /* 2 ints per mark and input; marks: before a round, after each launch,
                             before and behind a building over other positions */
    int launches;         /* most of a round */
    bool built_in_launch; /* structures of a launch of this round are among them */
    uint64_t random;      /* of this round */
};

/* Makes room for rounds of so many launches. */
bool watched_inputs_create(const struct kernel_plan *plan, const struct launch_tools *tools,
                           int launches, struct watched_inputs *inputs, struct error *error);
void watched_inputs_free(struct watched_inputs *inputs);

/* Begins a round, before anything is built for it: finds the inputs that building does not make and
 * sums them up, by numbers that depend on `random`. Of time steps, which building begins, there are
 * none yet. */
bool watched_inputs_begin(struct watched_inputs *inputs, uint64_t random, struct error *error);
/* The same after what is built, of all that it makes. */
bool watched_inputs_built(struct watched_inputs *inputs, struct error *error);

/* The same before and behind a building that stands between the two, over positions that are not
 * those of the launches: between these marks nothing may change, either. */
bool watched_inputs_before_building(struct watched_inputs *inputs, struct error *error);
bool watched_inputs_behind_building(struct watched_inputs *inputs, struct error *error);
/* The mark before, within a launch that has built its structures: these are among the inputs from
 * then on. Only the first call in a round counts. */
bool watched_inputs_built_in_launch(struct watched_inputs *inputs, struct error *error);

/* Sums them up again: mark 1 is after the first launch. */
bool watched_inputs_mark(struct watched_inputs *inputs, int mark, struct error *error);

/* Names the first launch that changed one, and which. */
bool watched_inputs_judge(const struct watched_inputs *inputs, int launches,
                          struct verdict *verdict, struct error *error);

#endif
