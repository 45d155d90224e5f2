/*
 * watched_inputs — what kernels are only given to read: summed up before and behind each launch
 * of a round, so that one that changes it is found.
 */
#ifndef PAIRMARK_MEASURE_LAUNCHES_WATCHED_INPUTS_H
#define PAIRMARK_MEASURE_LAUNCHES_WATCHED_INPUTS_H

#include "kernels/results.h"
#include "measure/prepare/kernel_plan.h"

enum { MAX_WATCHED_INPUTS = 48 };

struct watched_input {
    const struct buffer *buffer;
    char name[VARIANT_NAME_SIZE];
};

struct watched_inputs {
    const struct kernel_plan *plan;
    const struct launch_tools *tools;
    struct watched_input items[MAX_WATCHED_INPUTS];
    int count;            /* so far: those that building does not make come first */
    struct buffer *marks; /* 2 ints per mark and input; marks: before a round, after each launch,
                             before and behind a building over other positions */
    int launches;         /* most of a round */
    uint64_t random;      /* of this round */
};

/* Makes room for rounds of so many launches. Errors: those of the device. */
bool watched_inputs_create(const struct kernel_plan *plan, const struct launch_tools *tools,
                           int launches, struct watched_inputs *inputs, struct error *error);
void watched_inputs_free(struct watched_inputs *inputs); /* also of zeroed ones */

/* Begins a round, before anything is built for it: finds the inputs that building does not make and
 * sums them up, by numbers that depend on `random`. Of time steps, which building begins, there are
 * none yet. Errors: those of the device. */
bool watched_inputs_begin(struct watched_inputs *inputs, uint64_t random, struct error *error);
/* The same behind what is built, of all that it makes. */
bool watched_inputs_built(struct watched_inputs *inputs, struct error *error);

/* The same before and behind a building that stands between the two, over positions that are not
 * those of the launches: between these marks nothing may change, either. */
bool watched_inputs_before_building(struct watched_inputs *inputs, struct error *error);
bool watched_inputs_behind_building(struct watched_inputs *inputs, struct error *error);

/* Sums them up again: mark 1 is behind the first launch. Errors: those of the device. */
bool watched_inputs_mark(struct watched_inputs *inputs, int mark, struct error *error);

/* When the device is through: STATUS_WRONG in *verdict, which is STATUS_OK, names the first launch
 * that changed one, and which. Errors: those of the device; no memory. */
bool watched_inputs_judge(const struct watched_inputs *inputs, int launches,
                          struct verdict *verdict, struct error *error);

#endif
