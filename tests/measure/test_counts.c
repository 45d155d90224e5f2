/* Counts of distances and pairs, and rates: what is taken for possible. */
#include "measure/judge/counts.h"

#include "support.h"

static enum status judged(int64_t distances, int64_t pairs, struct pair_counts_bounds bounds) {
    const struct pair_counts counts = { distances, pairs };
    struct verdict verdict = verdict_of(STATUS_OK);
    pair_counts_judge(&counts, &bounds, &verdict);
    assert_int_equal(verdict.status == STATUS_OK, verdict.message[0] == '\0');
    return verdict.status;
}

TEST(counts_are_of_one_side_or_both) {
    const struct pair_counts_bounds bounds = { .pairs = 100, .max_distances = 10000 };
    assert_int_equal(judged(100, 100, bounds), STATUS_OK);
    assert_int_equal(judged(10000, 100, bounds), STATUS_OK);
    assert_int_equal(judged(200, 200, bounds), STATUS_OK);
    assert_int_equal(judged(10000, 101, bounds), STATUS_WRONG);
    assert_int_equal(judged(10000, 99, bounds), STATUS_WRONG);
    assert_int_equal(judged(10000, 150, bounds), STATUS_WRONG);
    assert_int_equal(judged(10000, 0, bounds), STATUS_WRONG);
    assert_int_equal(judged(10000, 1000, bounds), STATUS_WRONG);
    assert_int_equal(judged(10000, -100, bounds), STATUS_WRONG);
    assert_int_equal(judged(99, 100, bounds), STATUS_WRONG);
    assert_int_equal(judged(-1, 100, bounds), STATUS_WRONG);
    assert_int_equal(judged(10001, 100, bounds), STATUS_WRONG);
    assert_int_equal(judged(INT64_MAX, INT64_MIN, bounds), STATUS_WRONG);
}

TEST(pairs_at_the_cutoff_count_or_not) {
    const struct pair_counts_bounds bounds = { .pairs = 100,
                                               .edge_pairs = 3,
                                               .max_distances = 1e4 };
    assert_int_equal(judged(1000, 97, bounds), STATUS_OK);
    assert_int_equal(judged(1000, 103, bounds), STATUS_OK);
    assert_int_equal(judged(1000, 206, bounds), STATUS_OK);
    assert_int_equal(judged(1000, 96, bounds), STATUS_WRONG);
    assert_int_equal(judged(1000, 207, bounds), STATUS_WRONG);
    const struct pair_counts_bounds none = { .pairs = 0, .edge_pairs = 1, .max_distances = 4 };
    assert_int_equal(judged(0, 0, none), STATUS_OK);
    assert_int_equal(judged(1, 1, none), STATUS_OK);
    assert_int_equal(judged(4, -1, none), STATUS_WRONG);
}

static const struct peaks peaks = { .fp32_operations_per_s = 1e12,
                                    .fp64_operations_per_s = 1e11,
                                    .copy_bytes_per_s = 1e11,
                                    .error = 0.05,
                                    .machine_load = NAN };

static bool can_be(struct rate_work work, enum precision precision, double seconds,
                   const char *why) {
    struct verdict verdict = verdict_of(STATUS_OK);
    const bool can = rate_judge(&work, &peaks, precision, seconds, &verdict);
    assert_int_equal(verdict.status, can ? STATUS_OK : STATUS_WRONG);
    if (!can) {
        assert_says(verdict.message, why);
    }
    return can;
}

TEST(rates_beyond_the_device_are_wrong) {
    const struct rate_work counted = { .operations = 1e9, .min_operations = 1e6 };
    assert_true(can_be(counted, PRECISION_FLOAT, 1.0e-3, ""));
    assert_true(can_be(counted, PRECISION_FLOAT, 0.96e-3, "")); /* within the error of the peak */
    assert_false(can_be(counted, PRECISION_FLOAT, 0.9e-3, "that the variant counts"));
    assert_false(can_be(counted, PRECISION_DOUBLE, 1.0e-3, "that the variant counts"));
    assert_true(can_be(counted, PRECISION_MIXED, 1.0e-3, ""));
    const struct rate_work idle = { .operations = 1.0, .min_operations = 1e9 };
    assert_true(can_be(idle, PRECISION_FLOAT, 1e-3, ""));
    assert_false(can_be(idle, PRECISION_FLOAT, 0.5e-3, "pairs within the cutoff alone"));
    struct rate_work memory = { .min_bytes = 1e8, .cache_bytes = 0.0 };
    assert_true(can_be(memory, PRECISION_FLOAT, 1e-3, ""));
    assert_false(can_be(memory, PRECISION_FLOAT, 0.5e-3, "reading the positions"));
    memory.cache_bytes = 0.3e8; /* of which as much again may stay there in the end */
    assert_true(can_be(memory, PRECISION_FLOAT, 0.5e-3, ""));
    memory.cache_bytes = -1.0;
    assert_true(can_be(memory, PRECISION_FLOAT, 0.5e-6, ""));
}

TEST(unknown_peaks_refuse_nothing) {
    const struct rate_work work = { .operations = 1e9, .min_operations = 1e9, .min_bytes = 1e9 };
    struct peaks unknown = { NAN, NAN, NAN, NAN, NAN, 0.05, NAN, "", false };
    struct peaks busy = peaks;
    struct verdict verdict;
    busy.machine_load = 0.5;
    assert_true(rate_judge(&work, &unknown, PRECISION_FLOAT, 1e-9, &verdict));
    assert_true(rate_judge(&work, &busy, PRECISION_FLOAT, 1e-9, &verdict));
    assert_false(rate_judge(&work, &peaks, PRECISION_FLOAT, 1e-9, &verdict));
}
