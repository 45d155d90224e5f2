/*
 * best_report — an answer of `pairmark best`, as a table of 80 columns or as JSON.
 */
#ifndef PAIRMARK_COMMANDS_BEST_REPORT_H
#define PAIRMARK_COMMANDS_BEST_REPORT_H

#include "campaign/tune/best.h"
#include "commands/best_life.h"
#include "commands/tuning_request.h"

#include <json.h>

/* What a time is of. */
enum best_time {
    BEST_EVALUATION, /* nothing that is built counts */
    BEST_STATED,     /* a list lasts for so many steps as the user says */
    BEST_MEASURED,   /* as many as were measured */
    BEST_WHOLE_STEP  /* workload step: integrator, forces and lists as they come */
};

struct best_report {
    const struct tuning_request *request;
    enum best_time time;
    const struct best_life *life; /* of the box; BEST_MEASURED, BEST_WHOLE_STEP */
    const double *steps_per_list; /* of each case of the sweep, NaN: none; BEST_WHOLE_STEP */
    double steps_per_build;       /* BEST_STATED */
    bool verbose;                 /* the tunables of each line, and how long each skin lasts */
};

void best_report_print(const struct best_report *report, const struct best_answer *answer);

struct json_object *best_report_json(const struct best_report *report,
                                     const struct best_answer *answer);

#endif
