/*
 * report_data — the runs that a report is made of, read and put in order.
 */
#ifndef PAIRMARK_ANSWERS_REPORT_REPORT_DATA_H
#define PAIRMARK_ANSWERS_REPORT_REPORT_DATA_H

#include "answers/plot/plot_points.h"
#include "answers/summary/summary_points.h"
#include "campaign/rows/rows.h"

#include <json-c/json.h>

enum { REPORT_COLOURS = 14 };

struct report_run {
    const char *path;                /* as it was given */
    char label[24];                  /* A, B, ..., Z, 27, ...: what tables call it */
    const struct row_table *rows;    /* all of them */
    struct summary_points points;    /* of the rows, second timings left out */
    double noise;                    /* as plot_set has it */
    struct json_object *environment; /* NULL: not there, or not readable */
    char *warnings;                  /* a line each; never NULL */
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

/* A row with status ok. */
bool report_passed(const struct row *row);

/* The number of a variant's colour, 0 to REPORT_COLOURS - 1. */
size_t report_colour(const struct report_data *data, const char *variant);

/* The string at a path of keys in environment.json, NULL-terminated; "" where there is none. */
const char *report_environment_text(const struct report_run *run, const char *const *keys);

#endif
