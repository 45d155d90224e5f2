/*
 * environment — environment.json: where, when and how the rows of a folder were measured.
 */
#ifndef PAIRMARK_CAMPAIGN_ROWS_ENVIRONMENT_H
#define PAIRMARK_CAMPAIGN_ROWS_ENVIRONMENT_H

#include "campaign/plan/plan.h"
#include "campaign/rows/rows.h"
#include "devices/machine/peak.h"
#include "kernels/results.h"

/* What every row of one run repeats. */
struct run_identity {
    char run_id[128]; /* date and host: identifies a run in its folder */
    char utc[32];     /* ISO 8601, of the start */
    char host[65];
    char git_commit[64]; /* that the binary was built from; "" where unknown */
};

void run_identify(struct run_identity *identity);

/* Now, as 2026-01-31T23:59:59Z. */
void environment_utc(char *text, size_t size);

/* "results-20260131T235959Z-host": where a run without -o goes. */
void environment_default_folder(char *text, size_t size);

struct environment_device {
    const struct device_info *info;
    const struct device_rates *rates; /* NULL: not known */
    size_t beside;                    /* other devices that were timed at the same time */
};

/* The share of a plan that a run has (campaign/plan/plan.h). */
struct environment_shard {
    size_t index, of, cases; /* share 1, 2, ... of so many; cases of the whole plan */
    const char *plan;        /* hash of them all */
};

struct json_object;

struct environment {
    const struct run_identity *identity;
    const struct environment_device *devices;
    size_t device_count;
    const struct sampling *sampling;
    char *const *command_line;                     /* NULL-terminated */
    const char *preset;                            /* NULL: none */
    size_t cases, selected, left_out, repetitions; /* without the repeats */
    size_t repeats;
    size_t visits; /* of every case */
    uint64_t shuffle_seed;
    double deadline_s;
    const struct environment_shard *shard; /* NULL: all of the plan */
};

/* Writes environment.json. One that is there is kept inside the new one, under "earlier_runs": a
 * resumed folder describes all its runs. One of the same run_id is replaced. STATUS_BAD_INPUT: the
 * one that is there is no JSON object. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
bool environment_write(const char *folder, const struct environment *environment,
                       struct error *error);
/* Writes what somebody else has made, and releases it. NULL: STATUS_OUT_OF_MEMORY. */
bool environment_write_object(const char *folder, struct json_object *object, struct error *error);

/* Adds what is known only at the end of the run, from the rows of the whole folder: "noise_floor":
 * {"ratio_spread": R, "pairs": K}, R being null where there is no pair. STATUS_SYSTEM,
 * STATUS_OUT_OF_MEMORY. */
bool environment_add_noise_floor(const char *folder, struct error *error);

/* The command line that it records, NULL-terminated, one free() for all; with the seed of the
 * order. STATUS_BAD_INPUT when there is no such file or it says nothing of them. */
bool environment_read_command(const char *folder, char ***command_line, uint64_t *shuffle_seed,
                              struct error *error);

#endif
