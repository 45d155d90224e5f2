/*
 * session — what a process keeps between the cases of one device. Private to this folder.
 */
#ifndef PAIRMARK_MEASURE_SESSION_H
#define PAIRMARK_MEASURE_SESSION_H

#include "devices/machine/machine_watch.h"
#include "kernels/text/launch_tools.h"
#include "measure/judge/expected.h"
#include "measure/measure.h"

enum { MAX_COUNTED = 1024 };

struct session {
    struct device *device;
    struct expected_store *store; /* boxes and their expected results */
    struct clock_watch clocks;
    struct launch_tools tools[PRECISION_COUNT]; /* made when first needed */
    bool rates_known;
    struct device_rates rates;
    char counted[MAX_COUNTED][HASH_TEXT_SIZE]; /* cases whose counts were right, the latest */
    size_t counted_count;
};

/* NULL with *error set where they do not compile. They belong to the session. */
const struct launch_tools *session_tools(struct session *session, enum precision precision,
                                         struct error *error);

/* Whether the counts of this case were judged before. Notes that they were. */
bool session_has_counted(struct session *session, const struct case_spec *spec,
                         const struct expected *expected);

#endif
