#include "measure/end_to_end.h"

#include "core/host.h"
#include "core/statistics.h"
#include "workloads/judges/gate.h"

enum { WARM_UPS = 5, MIN_EVER = 3, MIN_SAMPLES = 20, MAX_SAMPLES = 200 };

static const double cap_s = 0.5;    /* of sampling, past which fewer than the least will do */
static const double enough_s = 0.1; /* past which the least are enough */

static bool goes_on(int count, double spent_s) {
    if (count < MIN_SAMPLES) {
        return count < MIN_EVER || spent_s < cap_s;
    }
    return count < MAX_SAMPLES && spent_s < enough_s;
}

struct end_to_end {
    struct device *device;
    struct kernel_plan *plan;
    const struct launch_tools *tools;
    end_to_end_judge *judge;
    void *context;
};

/* Nothing of the last evaluation is left where this one could find it. */
static bool make_fresh(const struct end_to_end *run, struct error *error) {
    kernel_plan_end_to_end_poison(run->plan, GATE_POISON_BYTE);
    return kernel_plan_end_to_end_reorder(run->plan, run->tools, draw_seed(), error) &&
           fill_outputs_with_byte(run->plan, GATE_POISON_BYTE, error) &&
           device_finish(run->device, error);
}

static bool judge_one(const struct end_to_end *run, struct verdict *verdict, struct error *error) {
    struct evaluation evaluation = { 0 };
    bool collected = kernel_plan_end_to_end_collect(run->plan, &evaluation, error);
    if (collected) {
        run->judge(run->context, &evaluation, verdict);
    }
    evaluation_free(&evaluation);
    return collected;
}

static bool sample(const struct end_to_end *run, double *median_s, struct verdict *verdict,
                   struct error *error) {
    double samples[MAX_SAMPLES];
    double spent_s = 0;
    int count = 0;
    while (verdict->status == STATUS_OK && goes_on(count, spent_s)) {
        if (!make_fresh(run, error)) {
            return false;
        }
        const double before = clock_s();
        if (!kernel_plan_end_to_end(run->plan, error)) {
            return false;
        }
        samples[count] = clock_s() - before;
        spent_s += samples[count++];
        if (!judge_one(run, verdict, error)) {
            return false;
        }
    }
    sort_numbers(samples, (size_t)count);
    *median_s = quantile_of_sorted(samples, (size_t)count, 0.5);
    return true;
}

bool end_to_end_measure(struct device *device, struct kernel_plan *plan,
                        const struct launch_tools *tools, end_to_end_judge *judge, void *context,
                        double *median_s, struct verdict *verdict, struct error *error) {
    const struct end_to_end run = { device, plan, tools, judge, context };
    bool measured = kernel_plan_end_to_end_begin(plan, error);
    const double start = clock_s();
    for (int w = 0; measured && w < WARM_UPS && (w == 0 || clock_s() - start < cap_s); w++) {
        measured = kernel_plan_end_to_end(plan, error);
    }
    return measured && sample(&run, median_s, verdict, error);
}
