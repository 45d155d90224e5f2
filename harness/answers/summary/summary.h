/*
 * summary — what the rows of a folder say: what failed, which correct variant is the fastest for
 * each box and precision, what every variant takes beside it, and from which N on cells beat all
 * pairs.
 *
 * A case of which any repetition failed is never ranked. Repetitions of a case become their median;
 * where tunables vary, a variant stands with its fastest.
 */
#ifndef PAIRMARK_ANSWERS_SUMMARY_SUMMARY_H
#define PAIRMARK_ANSWERS_SUMMARY_SUMMARY_H

#include "campaign/rows/rows.h"
#include "core/strings.h"

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

#endif
