/*
 * report_sections — the parts of the page, each appended as one <section> with an id.
 *
 * Every text from rows, environment or figures is escaped. Memory that runs out is remembered by
 * the struct strbuf.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_REPORT_SECTIONS_H
#define PAIRMARK_ANSWERS_REPORT_REPORT_SECTIONS_H

#include "answers/report/report_data.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdbool.h>
#include <stdio.h>

/* #failures: rows whose status is not ok with their messages, and what reading warned of. */
void report_failures(const struct report_data *data, struct strbuf *html);

/* #runs: devices, drivers, hosts, commits, dates and commands; noise, throttling and load; all of
 * environment.json. False when memory ran out. */
bool report_runs(const struct report_data *data, struct strbuf *html, struct error *error);

/* #winners: the crossover map, setting by N, and for each setting the fastest correct variant at
 * each N. False when memory ran out. */
bool report_winners(const struct report_data *data, struct strbuf *html, struct error *error);

/* #figures: what plot draws, in line. Where gnuplot is missing or nothing can be drawn, the section
 * and `log` say why. Runs that are drawn apart are called as in the tables. False when memory ran
 * out. */
bool report_figures(const struct report_data *data, struct strbuf *html, size_t *figures, FILE *log,
                    struct error *error);

/* #rows: the table of all rows. */
void report_rows(const struct report_data *data, struct strbuf *html);

#endif
