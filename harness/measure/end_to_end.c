#include "measure/end_to_end.h"

#include "base/clock.h"
#include "measure/gate.h"
#include "measure/statistics.h"

enum { WARM_UPS = 5, LEAST_EVER = 3, LEAST_SAMPLES = 20, MOST_SAMPLES = 200 };

static const double cap_s = 0.5;    /* of sampling, past which fewer than the least will do */
static const double enough_s = 0.1; /* past which the least are enough */

static bool goes_on(int count, double spent_s) {
    if (count < LEAST_SAMPLES) {
        return count < LEAST_EVER || spent_s < cap_s;
    }
    return count < MOST_SAMPLES && spent_s < enough_s;
}

static bool sample(struct prepared *prepared, double *median_s, struct error *error) {
    double samples[MOST_SAMPLES];
    int count = 0;
    const double start = clock_s();
    while (goes_on(count, clock_s() - start)) {
        const double before = clock_s();
        if (!prepared_end_to_end(prepared, error)) {
            return false;
        }
        samples[count++] = clock_s() - before;
    }
    sort_numbers(samples, (size_t)count);
    *median_s = quantile_of_sorted(samples, (size_t)count, 0.5);
    return true;
}

bool end_to_end_measure(struct device *device, struct prepared *prepared, double *median_s,
                        struct evaluation *last, struct error *error) {
    bool measured = prepared_end_to_end_begin(prepared, error);
    const double start = clock_s();
    for (int w = 0; measured && w < WARM_UPS && (w == 0 || clock_s() - start < cap_s); w++) {
        measured = prepared_end_to_end(prepared, error);
    }
    if (!measured || !sample(prepared, median_s, error)) {
        return false;
    }
    prepared_end_to_end_poison(prepared, GATE_POISON_BYTE);
    return prepared_fill_outputs(prepared, GATE_POISON_BYTE, error) &&
           device_finish(device, error) && prepared_end_to_end(prepared, error) &&
           prepared_end_to_end_collect(prepared, last, error);
}
