/*
 * one_case — a case on its way from box to row, and what it meets there. Private to this folder.
 */
#ifndef PAIRMARK_MEASURE_ONE_CASE_H
#define PAIRMARK_MEASURE_ONE_CASE_H

#include "devices/machine/machine_watch.h"
#include "kernels/text/launch_tools.h"
#include "measure/judge/expected.h"
#include "measure/launches/launch_judge.h"
#include "measure/launches/staleness.h"
#include "measure/measure.h"
#include "prepare/kernel_plan.h"

/* ---- the session ---- */

/* What a worker process keeps from case to case on one device. */

enum { MAX_COUNTED = 1024 };

struct session {
    struct device *device;
    struct expected_store *store; /* boxes and their expected results */
    struct clock_watch clocks;
    struct launch_tools tools[PRECISION_COUNT]; /* made when first needed */
    bool rates_known;
    struct device_rates rates;
    char counted[MAX_COUNTED][HASH_TEXT_SIZE]; /* cases whose counts were right, the latest */
    size_t counted_count;
};

/* NULL with *error set where they do not compile. They belong to the session. */
const struct launch_tools *session_tools(struct session *session, enum precision precision,
                                         struct error *error);

/* Whether the counts of this case were judged before. Notes that they were. */
bool session_has_counted(struct session *session, const struct case_spec *spec,
                         const struct expected *expected);

/* ---- the case ---- */

struct one_case {
    struct session *session;
    struct device *device;
    const struct case_spec *spec;
    const struct expected *expected;  /* the box as the device has it, and the expected result */
    struct kernel_plan *plan;         /* kernels, buffers and the structure */
    const struct launch_tools *tools; /* of its precision */
    struct launch_judge *judge;       /* NULL until the first launches are right */
};

/* ---- the gate ---- */

/* Its launches, one kind a function.
 *
 * Each finds the case prepared, and does nothing where *verdict is not STATUS_OK. A result that is
 * wrong goes into *verdict, with when it was; false and *error mean that the device failed or that
 * memory ran out. */

/* The host compares. */

/* One or two runs, both compared with the reference, and with each other bit by bit: what is right
 * once may race the second time. *first, zeroed before, is what the first gave; the caller frees
 * it. */
bool gate_first(const struct one_case *one, bool twice, struct evaluation *first,
                struct verdict *verdict, struct error *error);

/* A run over outputs that are neither unwritten nor right, though what the kernel keeps for itself
 * stays: finds those that compute only where they see that they must. */
bool gate_over_others(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Finds out whether the bits of a result stay the same in another run, with another order of
 * particles, and with work-groups of another size. Reported in words, "run, order, not shape"; what
 * is not named was not tried. The particles are then in another order. */
bool gate_repeats(const struct one_case *one, const struct evaluation *first,
                  struct verdict *verdict, struct error *error);
/* Writes the hash of the bits of a result into the verdict. */
void gate_note_hash(const struct evaluation *evaluation, struct verdict *verdict);

/* The judge of launches compares; one->judge is there where the verdict is STATUS_OK. */

/* Over what the last launch left, as often as costs little: finds what is wrong now and then, or
 * from some launch on, and what takes particles that are near in space for near in memory. */
bool gate_again(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Over particles in other orders, then a little off their places; of random numbers, another seed.
 */
bool gate_orders(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Where sums are in more digits than what is added: evaluations that differ by the errors of sums
 * alone. Over the same pairs in other orders, in an open box; of reciprocal space, over charges
 * that are added up. The particles are then elsewhere. */
bool gate_sums(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Looks whether small energies and virials in fixed point are in units that are coarser than
 * promised. The particles are then elsewhere. */
bool gate_units(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Evaluates over particles moved as far as a list with a skin must tolerate. */
bool gate_far(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Compares one launch after launches that were not judged. */
bool gate_afterwards(const struct one_case *one, struct verdict *verdict, struct error *error);

/* Builds the structure, then evaluates once from poisoned outputs; the caller frees the evaluation.
 */
bool gate_evaluate(struct kernel_plan *plan, struct evaluation *evaluation, struct error *error);

/* A write outside of the buffers is a fault of its own, and may be why results are wrong. To be
 * called while the buffers of the case are there. */
void gate_guards(struct device *device, struct verdict *verdict);

/* Compares with what is expected of the case; what *verdict says of repetitions stays. */
void expected_compare(const struct expected *expected, const struct case_spec *spec,
                      const struct evaluation *evaluation, struct verdict *verdict);

/* Prefixes the message with when the result turned out wrong. */
void verdict_say_when(struct verdict *verdict, const char *when);
/* Puts one verdict's status and message in the place of another's, if it is not ok; the errors of
 * the gate stay. */
void verdict_take_over(struct verdict *verdict, const struct verdict *later, const char *when);

/* ---- sampling ---- */

/* How often to launch, and what the times come to.
 *
 * One sample is one evaluation between two device time stamps. Hot samples are enqueued in batches
 * after work that lets the host run ahead, so that its latency does not show; each batch is a
 * round of measure/launches/launch_judge.h, and each of its launches is judged between the stamps
 * of one sample and the next. Cold ones are taken one by one after a flush of the last-level
 * cache, each a round of its own. Sampling stops when the relative standard error of the median
 * falls under the target, with least and most counts and a cap on the time; which of them stopped
 * it is recorded.
 *
 * The clock is read once a batch, while it works. A batch that ran throttled
 * (devices/machine/machine_watch.h) is dropped, its samples are counted, and another one takes its
 * place: at most 20 batches, and none once the cap on the time has passed. What still comes
 * throttled then is what the device can sustain: it is kept, and state.throttle_reasons says so.
 *
 * Energy: from the sampling, where its window is at least half a second; it then holds the building
 * between batches, too. energy_measure() measures it where sampling.energy asks for that. */

/* What a sampler launches and reads the device's state from. */
struct sampler_source {
    struct device *device;
    struct kernel_plan *plan;
    struct launch_judge *judge;       /* of the prepared case */
    const struct launch_tools *tools; /* of its precision */
    double launch_s;                  /* what a launch costs; NaN: not known */
    struct clock_watch *clocks;       /* of the device, over all that was sampled on it */
    /* device_read_clock and device_read_state, or a test's */
    void (*read_clock)(struct device *device, struct device_state *state);
    void (*read_state)(struct device *device, struct device_state *state);
};

/* Fills the time and state fields of *measurement from hot (and, where asked for, cold) samples,
 * and the time to build the structure. measurement->verdict, STATUS_OK before, becomes STATUS_WRONG
 * or STATUS_STALE where a timed launch shows it. The structure must have been built. */
bool sampler_run(const struct sampler_source *source, const struct sampling *sampling,
                 struct measurement *measurement, struct error *error);

/* STATUS_STALE where evaluations that stand for themselves take by far less time than
 * measurement->repeated_force_s_min: `where` says which. */
void judge_quickness(struct measurement *measurement, double seconds, const char *where,
                     const struct staleness_limits *limits);

/* ---- other times ---- */

/* What is measured besides the time of an evaluation: the energy that it takes, each
 * stage of a case, and evaluations with transfers. */

/* Fills in the energy of a launch and the power, where the device has a counter. Launches alone go
 * on until two steps of the counter, which moves about ten times a second, lie half a second apart
 * or more: the joules between them over the launches between them. Nobody judges these launches;
 * measurement->verdict is STATUS_STALE where they are faster than those that were judged. */
bool energy_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error);

/* Fills in measurement->stages, the times of structures, passes and sums, from a few launches, each
 * judged as any that is timed; measurement->verdict is STATUS_WRONG where one of them is. There is
 * a stamp between every two stages. A stamp costs the device something, and stages that would
 * overlap do not: they add up to somewhat more than an evaluation. */
bool stages_measure(const struct sampler_source *source, struct measurement *measurement,
                    struct error *error);

/* The time of one of spec->evaluations that follow each other between two stamps, as one graph
 * where the case asks for graphs. Each is prepared by itself, with its own buffers, and meets
 * particles in places where nobody has seen them, so that none can use what another has found; the
 * host compares the results of each. The median over at least 3 such launches, for cap_s seconds;
 * NULL: one launch, which is judged alone. *verdict, STATUS_OK before, has what was wrong. */
bool amortized_measure(const struct one_case *one, double cap_s, double *median_s,
                       struct verdict *verdict, struct error *error);

/* How long an evaluation takes from positions in host memory to results in host memory, by the
 * host's clock: copies, structure, kernels and sums. The median over evaluations one at a time, at
 * least 20 unless they take longer than half a second together. Each meets the particles in another
 * order, finds outputs on both sides poisoned, and is judged; the first that is wrong ends it, and
 * *verdict says why. */
bool end_to_end_measure(const struct one_case *one, double *median_s, struct verdict *verdict,
                        struct error *error);

#endif
