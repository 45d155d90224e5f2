/*
 * campaign_parts — what the files of a campaign share: its entries and units, its folder, its
 * lanes, its visits and its loop.
 */
#ifndef PAIRMARK_CAMPAIGN_CAMPAIGN_PARTS_H
#define PAIRMARK_CAMPAIGN_CAMPAIGN_PARTS_H

#include "campaign/campaign.h"
#include "campaign/progress.h"
#include "campaign/rows/run_folder.h"
#include "campaign/visits.h"
#include "core/strings.h"

#include <pthread.h>

enum { NAME_SIZE = 512 };

/* One case on one device, in the order in which they run. */
struct entry {
    size_t part, case_index;
    size_t repetitions; /* begun so far in this sweep */
    bool chosen;        /* selected by the user's words */
    bool twin;
    char name[NAME_SIZE];
    char id[HASH_TEXT_SIZE];
};

/* One repetition of an entry. */
struct unit {
    const struct entry *entry;
    size_t repetition; /* 0, 1, ... of the entry */
    struct visits visits;
    size_t swept;                 /* the sweep of the latest visit; 0: none in this run */
    size_t wanted;                /* how many visits it gets, if they all pass */
    struct earlier_visit earlier; /* by those of this run */
    struct row row;               /* made of them once they are done, or that of an earlier run */
    bool has_row;
};

/* How many visits of a sweep one worker process of a part makes. */
struct process_share {
    size_t visits;
    size_t made; /* so far by the one that runs */
};

struct campaign {
    const struct campaign_part *parts;
    size_t part_count;
    const struct campaign_settings *settings;
    struct campaign_tally *tally;
    struct entry *entries;
    const char **names; /* of the entries */
    struct unit *units; /* those of an entry follow each other: campaign_unit() */
    size_t unit_count;
    size_t repetitions, visits;
    bool wants_more;     /* some unit may get more visits than `visits` */
    size_t count, twins; /* of the entries; of them twins */
    size_t selected;     /* by the user's words, twins included */
    size_t cases_selected;
    struct run_identity identity;
    struct recorded recorded, recorded_visits; /* of the run that is resumed */
    struct kept_kernels kept;                  /* in the folder */
    struct strbuf changed;                     /* its files that do not fit checksums.txt */
    int lock;                                  /* of the folder; -1: none */
    struct record_file *rows, *visit_rows, *samples, *stages;
    struct progress progress;
    struct failures failures;        /* measured in this run */
    struct measurement *measurement; /* too large for a stack; of what runs outside of lanes */
    /* Devices at the same time: campaign_lanes.c. What is here belongs to whoever holds `state`,
     * which all do but while they measure. */
    struct lane_place *places; /* of the parts */
    size_t lanes;              /* at the same time; 1: the parts take turns */
    pthread_mutex_t state;
    struct lanes *running;        /* NULL: none */
    pthread_cond_t lane_went_on;  /* a lane has made a visit, or has ended */
    size_t sweep;                 /* 1, 2, ... */
    bool *lost;                   /* of the parts: the device does not open any more */
    struct process_share *shares; /* of the parts */
    char failure[1280];           /* the last one, as Google Benchmark gets it */
    bool stopped;                 /* by a failure, with --fail-fast */
    bool broken;                  /* rows cannot be written: nothing more is measured */
    struct error broken_by;
};

static inline const char *device_of(const struct campaign *campaign, const struct entry *entry) {
    return campaign->parts[entry->part].info.name;
}

static inline const struct case_spec *spec_of(const struct campaign *campaign,
                                              const struct entry *entry) {
    return &campaign->parts[entry->part].plan->cases[entry->case_index];
}

static inline struct unit *campaign_unit(const struct campaign *campaign, size_t entry,
                                         size_t repetition) {
    return &campaign->units[entry * campaign->repetitions + repetition];
}

/* Whether a unit is to have a row and has none, on a device that is not lost. */
static inline bool is_open(const struct campaign *campaign, const struct unit *unit) {
    return unit->entry->chosen && !unit->has_row && !campaign->lost[unit->entry->part];
}

/* ---- what keeps it: campaign_folder.c ---- */

/* Locks the folder and opens its files. Changes nothing in it before it is known that what an
 * earlier run recorded fits this one; then writes the request, so that the run can be resumed from
 * there on. Errors as of campaign_run(). */
bool campaign_open_folder(struct campaign *campaign, struct error *error);

/* Gives each unit its row or its visits from the earlier run. */
void campaign_take_recorded(struct campaign *campaign);

/* environment.json: the request and, `with_rates`, how fast the devices are, which takes a second
 * or two to measure. */
bool campaign_write_environment(const struct campaign *campaign, bool with_rates,
                                struct error *error);

/* ---- devices at the same time: campaign_lanes.c ---- */

static inline void campaign_lock(struct campaign *campaign) {
    (void)pthread_mutex_lock(&campaign->state);
}

static inline void campaign_unlock(struct campaign *campaign) {
    (void)pthread_mutex_unlock(&campaign->state);
}

/* Fills in places and lanes. */
void campaign_place_parts(struct campaign *campaign);

/* Says which devices are measured at the same time. */
void campaign_report_lanes(const struct campaign *campaign);

/* A thread per lane begins to visit the lane's cases in the order given. Lanes of a later shift
 * wait for those before. STATUS_SYSTEM: no thread can be had. */
struct lanes;
bool lanes_start(struct campaign *campaign, const size_t *cases, size_t count, struct lanes **lanes,
                 struct error *error);
/* Waits until all have ended, and frees. */
void lanes_end(struct lanes *lanes);

/* Waits until the unit's visit of this sweep has been made, or its lane has ended. Locked. */
void campaign_await_visit(struct campaign *campaign, const struct unit *unit);

/* ---- one visit: one_visit.c ---- */

/* Whether a unit has as many visits as it wants, or its last one did not pass. */
bool campaign_is_done(const struct campaign *campaign, const struct unit *unit);

/* Nothing more is measured. */
bool campaign_is_stopped(const struct campaign *campaign);

/* Makes a unit's next visit, if it is due, and keeps it: in visits.csv, and in rows.csv when it was
 * the last. Locked, but while something is measured, which `measurement` is room for. */
void campaign_visit(struct campaign *campaign, struct measurement *measurement, struct unit *unit);

/* Brings the row of a unit that is done to the file. Locked. */
void campaign_keep_if_done(struct campaign *campaign, struct unit *unit);

/* What Google Benchmark reports of a row. Locked. */
void campaign_describe(struct campaign *campaign, const struct row *row,
                       struct gbench_outcome *outcome);

/* Ends the part's worker: the next visit starts a new one. */
void campaign_restart_part(const struct campaign_part *part);

/* Reports how many failures were only counted, and why nothing more is measured. */
void campaign_report_failures(struct campaign *campaign);

/* ---- the run loop: run_loop.c ---- */

/* `items` in an order that the seed decides. */
void campaign_shuffle(void *items, size_t count, size_t size, uint64_t seed);

/* Sets how many visits each unit gets: more than `visits` where those may leave it unclear. */
void campaign_want_visits(struct campaign *campaign);

/* Sweeps until every selected case is decided. STATUS_SYSTEM; `broken` says
 * that something cannot be kept. */
bool campaign_run_sweeps(struct campaign *campaign, struct error *error);

#endif
