/*
 * report_sections — the parts of the page, each appended as one <section> with an id.
 *
 * Every text from rows, environment or figures is escaped. Memory that runs out is remembered by
 * the struct strbuf.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_REPORT_SECTIONS_H
#define PAIRMARK_ANSWERS_REPORT_REPORT_SECTIONS_H

#include "answers/plot/plot.h"
#include "answers/summary/summary.h"
#include "campaign/rows/rows.h"
#include "core/error.h"
#include "core/strings.h"

#include <json.h>

#include <stdbool.h>
#include <stdio.h>

/* ---- the runs of a report, read and put in order ---- */

enum { REPORT_COLOURS = 48 }; /* of report.css */

struct report_run {
    const char *path;                /* as it was given */
    char label[24];                  /* A, B, ..., Z, 27, ...: what tables call it */
    const struct row_table *rows;    /* all of them */
    struct analysis analysis;        /* of the rows, with the tables of summary.sql */
    double noise;                    /* as plot_set has it */
    struct json_object *environment; /* NULL: not there, or not readable */
    char *warnings;                  /* a line each; never NULL */
    struct strbuf doubts;            /* checksums_doubt */
};

struct report_data {
    struct report_run *runs;
    struct row_table *tables; /* of the runs */
    size_t count;
    size_t rows;                /* of all runs */
    struct plot_data plot_data; /* as figures have it: it decides the colours of variants */
};

/* Errors: STATUS_BAD_INPUT when rows cannot be read or there are none in any run. Warnings go to
 * `log` too (may be NULL). The paths must outlive the data. */
bool report_data_read(const char *const *paths, size_t count, FILE *log, struct report_data *data,
                      struct error *error);
void report_data_free(struct report_data *data);

/* The number of a variant's colour, 0 to REPORT_COLOURS - 1. */
size_t report_colour(struct report_data *data, const char *variant);

/* ---- text from outside, escaped: safe between tags and within a quoted attribute ----
 *
 * < > & " ' become references, and control characters, which HTML does not allow, the replacement
 * character. */

void html_text(struct strbuf *html, const char *words);

/* As html_text, for long names between tags: a line may be broken after _ = , / : and ;. */
void html_name(struct strbuf *html, const char *name);

/* `count` and a noun, plural where it is: "1 row", "2 rows". */
void html_count(struct strbuf *html, size_t count, const char *noun);

/* As quantity_seconds, with the letter µ. */
void html_seconds(struct strbuf *html, double seconds);

/* ---- sections ---- */

/* #failures: rows whose status is not ok with their messages, and what reading warned of. */
void report_failures(struct report_data *data, struct strbuf *html);

/* #runs: devices, drivers, hosts, commits, dates and commands; noise, throttling and load; all of
 * environment.json. */
void report_runs(struct report_data *data, struct strbuf *html);

/* #winners: the crossover map, setting by N, and for each setting the fastest correct variant at
 * each N. */
void report_winners(struct report_data *data, struct strbuf *html);

/* #figures: what plot draws, in line. Where gnuplot is missing or nothing can be drawn, the section
 * and `log` say why. Runs that are drawn apart are called as in the tables. Returns how many. */
size_t report_figures(const struct report_data *data, struct strbuf *html, FILE *log);

/* #rows: the table of all rows. */
void report_rows(const struct report_data *data, struct strbuf *html);

#endif
