/*
 * summary — what the rows of a folder say: what failed, which correct variant is the fastest for
 * each box and precision, what every other variant takes, and from which N on cells beat all pairs.
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
    bool questions;            /* answer those of the article (summary_questions), too */
    FILE *results;             /* gets the summary beside its file; NULL: nothing does */
};

/* Appends the summary, without the questions, to `text`. */
bool summary_write(const struct row_table *table, const struct summary_settings *settings,
                   struct strbuf *text, struct error *error);

/* Summarises DIRECTORY/rows.csv into DIRECTORY/summary.txt and, unless NULL, into
 * `settings->results`; `log` gets the warnings about rows. */
bool summary_of_folder(const char *directory, const struct summary_settings *settings, FILE *log,
                       struct error *error);

/* The same as the end of a campaign (campaign/campaign.h): `settings` is a struct summary_settings.
 */
bool summary_conclude(void *settings, const char *directory, FILE *log, struct error *error);

/* Appends how far the times of a run can be trusted, a line each: its noise floor, kernels too
 * short, clocks throttled, processors taken by others (beyond machine_load_bound). Nothing where
 * there is nothing to say. `analysis` has the tables of summary.sql. STATUS_OUT_OF_MEMORY. */
bool summary_notes(struct analysis *analysis, const struct row_table *table, struct strbuf *text,
                   struct error *error);

/* Appends answers to the questions of the article that the preset `article` measures: its claim
 * beside what was measured, then pairs of cases that differ in one thing, each with the ratio of
 * their times and a confidence interval. Only cases all of whose rows are ok count.
 * STATUS_BAD_INPUT when the samples cannot be read. */
bool summary_questions(const struct row_table *table, const char *samples_path, struct strbuf *text,
                       struct error *error);

#endif
