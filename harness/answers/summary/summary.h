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

/* The plainest variant for what a row computes, which the fastest is compared with. */
const char *summary_plainest(const struct row *row);

/* Makes the table `cells`: a row for each part of the table `settings`, variant and N of the part,
 * in this order.
 *
 *   seconds   the column of `points` to rank by
 *   place     the variant's fastest point that passed there; NULL: none did
 *   time_s    its time
 *   rank      its rank among all variants, from 1; of equal times the first place is first
 *   failed    the status of a point that did not pass; one that is unsupported only if all are
 *   is_built  some point of the variant builds a structure */
void summary_rank(struct analysis *analysis, const char *seconds);

/* Every variant's time at every N of a setting, and its ratio to a baseline: a line a variant, a
 * column an N, as many N side by side as fit in 100 characters. `baseline` is a variant's name;
 * NULL: the fastest at each N. A cell has the time of the fastest tunables and sums that passed,
 * and that time over the baseline's ("1.50x": takes half as long again); the status of what failed
 * where nothing passed; "not run" where there is no row; "-" for the ratio where the baseline has
 * no time. '*' is shorter than 3 launch overheads, '!': others of its tunables failed. Under a
 * variant that walks a structure stands the time of building it. Nothing for one variant alone.
 * `end_to_end`: times with transfers. What is ranked are the settings. */
void summary_variants(struct analysis *analysis, size_t setting, const char *baseline,
                      bool end_to_end, struct strbuf *text);

#endif
