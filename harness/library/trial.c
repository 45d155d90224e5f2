/* Times evaluations and checks their results, by which pm_kernel_best() chooses a kernel. */
#include "core/host.h"
#include "library/work.h"
#include "workloads/gate.h"
#include "workloads/judges.h"

#include <math.h>
#include <stdlib.h>

/* ---- how long ---- */

/* Times one evaluation after pm_moved(`moved`). */
static bool time_some(struct library_work *work, const struct pm_arrays *arrays,
                      struct brought *brought, double moved, double *seconds, struct error *error) {
    enum { LEAST = 3, MOST = 20 };
    const double enough_s = 2e-3;
    const double began = clock_s();
    bool done = true;
    int count = 0;
    for (*seconds = 0; done && (count < LEAST || (count < MOST && *seconds < enough_s)); count++) {
        work->announced = moved;
        done = work_compute(work, arrays, brought, error) && device_finish(work->device, error);
        *seconds = clock_s() - began;
    }
    *seconds /= count;
    return done;
}

bool library_work_time(struct library_work *work, const struct pm_arrays *arrays, double steps,
                       double *seconds, struct error *error) {
    struct brought brought = { 0 };
    double kept = 0;
    double built = 0;
    *seconds = 0;
    if (work->box.n == 0) {
        return work_check_arrays(work, arrays, error);
    }
    bool done = work_check_arrays(work, arrays, error) && work_bring(work, arrays, &brought, error);
    if (done) {
        done = work_compute(work, arrays, &brought, error) && device_finish(work->device, error) &&
               time_some(work, arrays, &brought, 0, &kept, error) &&
               time_some(work, arrays, &brought, INFINITY, &built, error);
        done = work_leave(work, arrays, done, error);
    }
    work_release(&brought);
    *seconds = kept + (built - kept) / (library_work_reach(work) > 0 ? steps : 1);
    return done;
}

/* ---- whether right ---- */

/* Larger boxes are compared by a sample: the serial reference would take as long as everything
 * else. */
enum { ALL_UP_TO = 32768, SAMPLE = 512 };

static bool take_sample(size_t n, struct library_expected *expected, struct error *error) {
    expected->particle = calloc(SAMPLE, sizeof *expected->particle);
    for (size_t k = 0; expected->particle && k < SAMPLE; k++) {
        expected->particle[k] = (uint32_t)(k * n / SAMPLE);
    }
    return expected->particle || fail_out_of_memory(error, "a sample");
}

static bool expect(const struct judge_question *question, struct library_expected *expected,
                   struct error *error) {
    const struct judge *judge = judge_of(question->spec);
    const size_t n = question->box->n;
    if (expected->result) {
        return true;
    }
    expected->judge = judge;
    expected->failed =
        n > ALL_UP_TO
            ? !take_sample(n, expected, error) ||
                  !judge_expect_some(question, expected->particle, SAMPLE, &expected->result, error)
            : !judge_expect(question, EXPECT_ONCE, &expected->result, error);
    return !expected->failed || fail_within(error, "what a kernel is compared with");
}

static bool compare_sample(const struct judge_question *question,
                           const struct library_expected *expected, const struct evaluation *got,
                           struct error *error) {
    double wanted[3 * SAMPLE];
    double tolerance[3 * SAMPLE];
    bool right = got->force &&
                 judge_bounds(question, expected->result, JUDGED_RESULT, wanted, tolerance, error);
    for (size_t k = 0; right && k < 3 * SAMPLE; k++) {
        const double number = got->force[3 * expected->particle[k / 3] + k % 3];
        right = fabs(number - wanted[k]) <= tolerance[k] ||
                fail(error, STATUS_WRONG, "particle %u: %g, expected %g within %g",
                     expected->particle[k / 3], number, wanted[k], tolerance[k]);
    }
    return right;
}

static bool compare(const struct judge_question *question, const struct library_expected *expected,
                    const struct evaluation *got, struct error *error) {
    struct verdict verdict;
    if (expected->particle) {
        return compare_sample(question, expected, got, error);
    }
    judge_compare(question, expected->result, got, &verdict);
    return verdict.status == STATUS_OK || fail(error, verdict.status, "%s", verdict.message);
}

/* Evaluates into arrays full of NaN, with a structure that is built anew. */
static bool evaluate(struct library_work *work, const struct pm_arrays *arrays,
                     struct evaluation *got, struct error *error) {
    const struct pm_arrays bare = { .place = arrays->place,
                                    .number = arrays->number,
                                    .width = arrays->width,
                                    .positions = arrays->positions,
                                    .queue = arrays->queue };
    struct brought brought = { 0 };
    bool done = work_bring(work, &bare, &brought, error);
    if (done) {
        done = work_compute(work, &bare, &brought, error) && /* kernels have the plan's array */
               fill_outputs_with_byte(work->plan, GATE_POISON_BYTE, error);
        work->announced = INFINITY;
        done = done && work_compute(work, &bare, &brought, error) &&
               kernel_plan_collect(work->plan, got, error);
        done = work_leave(work, &bare, done, error);
    }
    work_release(&brought);
    return done;
}

bool library_work_judge(struct library_work *work, const struct pm_arrays *arrays,
                        struct library_expected *expected, struct error *error) {
    const double cutoff = cutoff_in(work->spec->cutoff, !work->box.periodic, INFINITY);
    const struct judge_question question = { work->spec, &work->placed, cutoff, work->groups };
    struct evaluation got = { 0 };
    if (work->box.n == 0) {
        return true;
    }
    const bool evaluated =
        expect(&question, expected, error) && evaluate(work, arrays, &got, error);
    const bool right = evaluated && compare(&question, expected, &got, error);
    evaluation_free(&got); /* also where reading it was all that went well */
    return right || (evaluated && fail_within(error, "%s", work->spec->variant->name));
}

void library_expected_free(struct library_expected *expected) {
    if (expected->result) {
        expected->judge->free(expected->result);
    }
    free(expected->particle);
}
