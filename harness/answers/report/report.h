/*
 * report — writes recorded runs as one self-contained HTML page: summaries, environment.json and
 * figures.
 *
 * The page loads nothing and has no script: style and figures are in it, and its content security
 * policy forbids both.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_REPORT_H
#define PAIRMARK_ANSWERS_REPORT_REPORT_H

#include "answers/plot/plot.h"
#include "answers/tables/analysis.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/strings.h"

#include <stdio.h>

/* Writes the page of the runs to `output`, as a whole or not at all, and over nothing but a page of
 * pairmark's (core/output_file.h). A path is a run's folder or a
 * rows.csv. What is dropped or missing (cut lines, unknown columns, no environment.json, no
 * gnuplot) goes to `log`, a line each, and into the page; what was written, to `results`; either
 * may be NULL. Errors: STATUS_BAD_INPUT for rows that cannot be read, no rows at all, or an output
 * that is a folder or whose folder is missing; STATUS_SYSTEM where the page cannot be written. */
bool report_write(const char *const *paths, size_t count, const char *output, FILE *results,
                  FILE *log, struct error *error);

/* A file of all runs in folders and below. */
struct report_of_all {
    struct output_kind kind; /* over nothing but such a file */
    const char *sql;         /* what makes its tables */
    void (*print)(struct analysis *analysis, struct strbuf *text);
};

/* All cards on one page, in Markdown: what each does at best, and of each setting that two have in
 * common the fastest correct kernel of each at each N. */
extern const struct report_of_all report_devices;

/* The rows as results of T4, which auto-tuners share, in JSON. */
extern const struct report_of_all report_t4;

/* Errors as of report_write. */
bool report_of_all_write(const struct report_of_all *report, const char *const *folders,
                         size_t count, const char *output, FILE *log, struct error *error);

#endif
