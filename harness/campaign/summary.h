/*
 * summary — what the rows of a folder say: what failed, which correct variant is the fastest for
 * each box and precision, and from which N on cells beat all pairs.
 *
 * A case of which any repetition failed is never ranked. Repetitions of a case become their median;
 * where tunables vary, a variant stands with its fastest.
 */
#ifndef PAIRMARK_CAMPAIGN_SUMMARY_H
#define PAIRMARK_CAMPAIGN_SUMMARY_H

#include "campaign/rows.h"

/* Appends the summary to `text`. `command_line` (NULL-terminated) may be NULL. */
bool summary_write(const struct row_table *table, char *const *command_line, struct text *text,
                   struct error *error);

/* Summarises DIRECTORY/rows.csv into DIRECTORY/summary.txt and, unless NULL, into `results`; `log`
 * gets the warnings about rows. With the questions of the article (summary_questions) where asked.
 */
bool summary_of_folder(const char *directory, char *const *command_line, bool questions,
                       FILE *results, FILE *log, struct error *error);

#endif
