/*
 * summary — says what the rows of a folder show: what failed, which correct variant is the fastest
 * for each box and precision, and how long every other variant takes.
 *
 * A case of which any repetition failed is never ranked. Repetitions of a case become their median;
 * where tunables vary, a variant stands with its fastest.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_H

#include "answers/tables/analysis.h"
#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>

struct summary_settings {
    char *const *command_line; /* NULL-terminated; may be NULL */
    const char *baseline;      /* variant that times are set against; NULL: the fastest */
    bool verbose;              /* all tunables; else those that differ between rows of a variant */
    FILE *results;             /* gets the summary beside its file; NULL: nothing does */
};

/* Appends the summary to `text`. */
void summary_write(const struct row_table *table, const struct summary_settings *settings,
                   struct strbuf *text);

/* Summarises DIRECTORY/rows.csv into DIRECTORY/summary.txt and, unless NULL, into
 * `settings->results`; `log` gets the warnings about rows. */
bool summary_of_folder(const char *directory, const struct summary_settings *settings, FILE *log,
                       struct error *error);

/* The same as the end of a campaign (campaign/campaign.h): `settings` is a struct summary_settings.
 */
bool summary_conclude(void *settings, const char *directory, FILE *log, struct error *error);

/* Appends how far the times of a run can be trusted, a line each: its noise floor, kernels too
 * short, clocks throttled, processors taken by others (beyond machine_load_bound). Nothing where
 * there is nothing to say. `analysis` has the tables of summary.sql. */
void summary_notes(struct analysis *analysis, const struct row_table *table, struct strbuf *text);

/* ---- points: rows gathered and ranked in SQL (summary.sql) ----
 *
 * A point is one variant with its tunables, box and precision. Points are sorted so that what is to
 * be compared stands together: by setting, then N, then variant, then time. */

/* What a table of the summary is about: all but N, variant and its knobs (ROLE_KNOB). Its heading
 * says the columns before COLUMN_HOST in words, and those from there on where tables differ in
 * them. Ended by COLUMN_COUNT. */
extern const enum column summary_setting_columns[];

/* An analysis of the rows, which must outlive it, with the tables of summary.sql. Release with
 * analysis_close. */
void summary_points_make(const struct row_table *table, struct analysis *analysis);

#endif
