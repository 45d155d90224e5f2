/*
 * summary_samples — cases that passed, with the median of their samples and an interval for it.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_SAMPLES_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_SAMPLES_H

#include "campaign/rows/rows.h"

struct timed_case {
    const struct row *row; /* one of its rows */
    double median_s;
    double low_s, high_s; /* interval of the median; NaN: too few samples for one */
    size_t samples;       /* hot ones, of all repetitions */
};

struct timed_cases {
    struct timed_case *cases;
    size_t count;
};

/* The cases of a device whose rows are all ok and that have samples. The interval is that of order
 * statistics, which assumes nothing of how samples are distributed: it holds the median with a
 * probability of at least 97.5 %, so that two of them hold together with 95 %. The rows must
 * outlive the cases. STATUS_BAD_INPUT when the samples cannot be read. */
bool timed_cases_read(const struct row_table *table, const char *samples_path,
                      struct timed_cases *cases, struct error *error);
void timed_cases_free(struct timed_cases *cases);

#endif
