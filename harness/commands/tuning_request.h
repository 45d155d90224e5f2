/*
 * tuning_request — what `pairmark tune` (command_tune.c) and `pairmark best` have in common:
 * options, the sweep over tunables, the store of the best, and a worker that tries them.
 */
#ifndef PAIRMARK_COMMANDS_TUNING_REQUEST_H
#define PAIRMARK_COMMANDS_TUNING_REQUEST_H

#include "campaign/plan/plan.h"
#include "campaign/tune/tuning.h"
#include "campaign/tune/tuning_sweep.h"
#include "campaign/worker/worker.h"

#include <limits.h>

struct tuning_request {
    struct axes axes;
    const char *store_option; /* NULL: not given */
    double budget_s;          /* INFINITY: none */
    uint64_t seed;
    double deadline_s;
    struct tuning_effort effort;
    /* from tuning_request_begin() on */
    char store[PATH_MAX];
    struct tuning_sweep sweep;
    /* of the device that is being asked */
    struct worker *worker;
    struct device_info info;
    size_t wrong, without; /* combinations that were wrong; questions with none that passed */
};

struct tuning_request tuning_request_defaults(void);

/* Spans the sweep and finds the store. `breadth`: see tuning_sweep_make(). */
bool tuning_request_begin(struct tuning_request *request, enum tuning_breadth breadth,
                          struct error *error);
void tuning_request_end(struct tuning_request *request);

/* Starts the device's worker, to be released by worker_free() whatever is returned. */
bool tuning_request_open(struct tuning_request *request, const char *device, struct error *error);

/* The case that stands for a question of the sweep. */
const struct case_spec *tuning_request_case(const struct tuning_request *request, size_t question);

/* STATUS_WRONG's where something was wrong or nothing passed, else 0; `what` was wrong, for a
 * message in the name of the command. */
int tuning_request_exit_code(const struct tuning_request *request, const char *command,
                             const char *what);

#endif
