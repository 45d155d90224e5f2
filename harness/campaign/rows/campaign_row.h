/*
 * campaign_row — a measurement as rows.csv, samples.csv and stages.csv record it.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_ROW_H
#define PAIRMARK_CAMPAIGN_ROWS_CAMPAIGN_ROW_H

#include "campaign/rows/environment.h"
#include "campaign/rows/rows.h"
#include "core/strings.h"

/* What was measured, and as part of what. */
struct campaign_record {
    const struct run_identity *identity;
    const struct case_spec *spec;
    const char *case_id, *case_name;
    const struct device_info *device;
    const struct measurement *measurement;
    size_t repetition, visit; /* 0, 1, ... */
    double wall_s;            /* what it cost in all */
    bool repeat;
};

/* Fills a created row, of one visit. What is not known, and every time of a case that failed, stays
 * empty. */
void campaign_fill_row(const struct campaign_record *record, struct row *row);

/* The same of a case that never ran: what it decides by itself, and its box as it was asked for. */
void campaign_fill_case(const struct case_spec *spec, struct row *row);

/* The columns of samples.csv, and one record for each sample. */
extern const char *const sample_columns[];
void campaign_format_samples(const struct campaign_record *record, struct strbuf *records);

/* The columns of stages.csv, and three records for each stage: median_s, min_s, samples. */
extern const char *const stage_columns[];
void campaign_format_stages(const struct campaign_record *record, struct strbuf *records);

/* Interacting pairs and evaluated pairs per second, nanoseconds per particle, hit ratio; NaN where
 * not known. */
struct campaign_rates {
    double pairs_per_s, evaluated_pairs_per_s, ns_per_particle, hit_ratio;
    double atom_steps_per_s; /* of time steps */
};

#endif
