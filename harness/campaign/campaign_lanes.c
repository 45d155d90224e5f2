/* Devices at the same time: which, and a thread for each lane of them. */
#include "campaign/campaign.h"

#include "campaign/campaign_parts.h"
#include "campaign/progress.h"
#include "core/error.h"
#include "core/host.h"
#include "core/strings.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- which ---- */

bool lanes_parse(const char *option, const char *value, enum concurrency *concurrency,
                 struct error *error) {
    static const char *const words[] = { "auto", "no", "yes" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *concurrency = (enum concurrency)i;
            return true;
        }
    }
    return fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected auto, no or yes", option, value);
}

/* The lanes of a shift. */
static size_t lanes_of_shift(const struct lane_place *places, size_t count, size_t shift) {
    size_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
        lanes = places[i].shift == shift && places[i].lane >= lanes ? places[i].lane + 1 : lanes;
    }
    return lanes;
}

/* Cards by their places on the bus, in the first shift; the others behind it, each by itself. */
static void place_by_card(const struct device_info *const *devices, size_t count,
                          struct lane_place *places) {
    size_t cards = 0;
    size_t shifts = 1;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        if (devices[i]->is_cpu || !devices[i]->place[0]) {
            places[i] = (struct lane_place){ .lane = 0, .shift = shifts++ };
            continue;
        }
        while (same < i && strcmp(devices[same]->place, devices[i]->place) != 0) {
            same++;
        }
        places[i] = same < i ? places[same] : (struct lane_place){ .lane = cards++, .shift = 0 };
    }
}

/* Places the devices: places[count]. Returns how many lanes the shift has that has most: with 1
 * nothing runs at the same time, and the shifts say nothing. */
static size_t lanes_place(const struct device_info *const *devices, size_t count,
                          enum concurrency concurrency, struct lane_place *places) {
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct lane_place){ .lane = concurrency == CONCURRENT_YES ? i : 0 };
    }
    if (concurrency == CONCURRENT_AUTO) {
        place_by_card(devices, count, places);
    }
    const size_t most = lanes_of_shift(places, count, 0); /* the other shifts have one */
    return most > 1 ? most : 1;
}

bool campaign_place_parts(struct campaign *campaign, struct error *error) {
    const size_t count = campaign->part_count;
    const struct device_info **devices = calloc(count + 1, sizeof *devices);
    campaign->places = calloc(count + 1, sizeof *campaign->places);
    bool placed = (devices && campaign->places) || fail_out_of_memory(error, "the devices");
    for (size_t p = 0; placed && p < count; p++) {
        devices[p] = &campaign->parts[p].info;
    }
    if (placed) {
        campaign->lanes =
            lanes_place(devices, count, campaign->settings->concurrency, campaign->places);
    }
    free((void *)devices);
    return placed;
}

/* ---- what a lane does ---- */

struct lane {
    struct campaign *campaign;
    struct lane_place place;
    size_t beside; /* lanes of its shift */
    size_t *order; /* of its units, in the sweep that it is in */
    size_t count;
    struct measurement *measurement;
    pthread_t thread;
    bool started, ended;
};

static bool is_of_lane(const struct lane *lane, size_t part) {
    const struct lane_place *place = &lane->campaign->places[part];
    return place->lane == lane->place.lane && place->shift == lane->place.shift;
}

/* What is measured next is measured by other processes, which are forked by this thread and use its
 * processors. Nobody else asks a worker of this lane. */
static void renew_lane(void *context) {
    const struct lane *lane = context;
    struct campaign *campaign = lane->campaign;
    campaign_unlock(campaign);
    for (size_t p = 0; p < campaign->part_count; p++) {
        if (is_of_lane(lane, p)) {
            campaign_renew_part(&campaign->parts[p]);
        }
    }
    campaign_lock(campaign);
}

/* Workers end with the thread that forked them: renewed at the end, too. */
static void run_sweeps(struct lane *lane) {
    const struct sweeps sweeps = { .of_all = lane->campaign->visits,
                                   .order = lane->order,
                                   .count = lane->count,
                                   .measurement = lane->measurement,
                                   .renew = renew_lane,
                                   .context = lane };
    renew_lane(lane);
    campaign_run_sweeps(lane->campaign, &sweeps);
}

static void *run_lane(void *argument) {
    struct lane *lane = argument;
    struct campaign *campaign = lane->campaign;
    if (lane->beside > 1) {
        (void)processors_take_share(lane->place.lane, lane->beside);
    }
    campaign_lock(campaign);
    run_sweeps(lane);
    lane->ended = true;
    (void)pthread_cond_signal(&campaign->lane_ended);
    campaign_unlock(campaign);
    return NULL;
}

/* ---- lanes at the same time ---- */

static bool lane_make(struct campaign *campaign, size_t shift, size_t index, struct lane *lane,
                      struct error *error) {
    *lane = (struct lane){
        .campaign = campaign,
        .place = { .lane = index, .shift = shift },
        .beside = lanes_of_shift(campaign->places, campaign->part_count, shift),
        .order = calloc(campaign->count * campaign->repetitions + 1, sizeof *lane->order),
        .measurement = calloc(1, sizeof *lane->measurement),
    };
    if (!lane->order || !lane->measurement) {
        return fail_out_of_memory(error, "the order of the cases");
    }
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t entry = u / campaign->repetitions;
        if (campaign->chosen[entry] && is_of_lane(lane, campaign->entries[entry].part)) {
            lane->order[lane->count++] = u;
        }
    }
    return true;
}

static void wake(int number) {
    (void)number;
}

/* A thread that waits for its worker is woken by a signal, the campaign's own being this thread's.
 * One that was about to wait is not: so until it has ended. Locked. */
static void wait_for_lanes(struct campaign *campaign, const struct lane *lanes, size_t count) {
    for (size_t running = 1; running > 0;) {
        struct timespec until;
        running = 0;
        for (size_t i = 0; i < count; i++) {
            const bool runs = lanes[i].started && !lanes[i].ended;
            running += runs;
            if (runs && campaign_signals_noted()) {
                (void)pthread_kill(lanes[i].thread, SIGUSR1);
            }
        }
        if (running > 0) {
            (void)clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 50000000;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            (void)pthread_cond_timedwait(&campaign->lane_ended, &campaign->state, &until);
        }
    }
}

static bool start_lanes(struct lane *lanes, size_t count, struct error *error) {
    sigset_t ours;
    sigset_t before;
    int refused = 0;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGINT);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &ours, &before);
    for (size_t i = 0; refused == 0 && i < count; i++) {
        refused = pthread_create(&lanes[i].thread, NULL, run_lane, &lanes[i]);
        lanes[i].started = refused == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused == 0 ||
           fail(error, STATUS_SYSTEM, "no thread for a device: %s", strerror(refused));
}

static bool run_shift(struct campaign *campaign, size_t shift, struct error *error) {
    const size_t count = lanes_of_shift(campaign->places, campaign->part_count, shift);
    struct lane *lanes = calloc(count + 1, sizeof *lanes);
    bool ran = lanes || fail_out_of_memory(error, "the devices");
    for (size_t i = 0; ran && i < count; i++) {
        ran = lane_make(campaign, shift, i, &lanes[i], error);
    }
    if (ran) {
        campaign_lock(campaign);
        ran = start_lanes(lanes, count, error);
        wait_for_lanes(campaign, lanes, count);
        campaign_unlock(campaign);
    }
    for (size_t i = 0; lanes && i < count; i++) {
        if (lanes[i].started) {
            (void)pthread_join(lanes[i].thread, NULL);
        }
        free(lanes[i].order);
        free(lanes[i].measurement);
    }
    free(lanes);
    return ran;
}

/* The devices of a lane, as "cuda:0" or "cuda:0 and opencl:0:0 (one card)". */
static void name_lane(const struct campaign *campaign, size_t shift, size_t lane,
                      struct strbuf *words) {
    size_t named = 0;
    for (size_t p = 0; p < campaign->part_count; p++) {
        if (campaign->places[p].lane == lane && campaign->places[p].shift == shift) {
            strbuf_append(words, "%s%s", named++ > 0 ? " and " : "", campaign->parts[p].info.name);
        }
    }
    strbuf_append(words, "%s", named > 1 ? " (one card)" : "");
}

void campaign_report_lanes(const struct campaign *campaign) {
    struct strbuf words = { 0 };
    for (size_t lane = 0; lane < campaign->lanes; lane++) {
        strbuf_append(&words, "%s", lane > 0 ? ", " : "at the same time: ");
        name_lane(campaign, 0, lane, &words);
    }
    for (size_t shift = 1; lanes_of_shift(campaign->places, campaign->part_count, shift); shift++) {
        strbuf_append(&words, "%s", shift > 1 ? ", " : "; after them, alone: ");
        name_lane(campaign, shift, 0, &words);
    }
    if (campaign->settings->log && words.data) {
        (void)fprintf(campaign->settings->log, "%s\n", words.data);
    }
    strbuf_free(&words);
}

bool campaign_run_lanes(struct campaign *campaign, struct error *error) {
    struct sigaction waking = { .sa_handler = wake };
    struct sigaction before;
    bool ran = true;
    (void)sigemptyset(&waking.sa_mask);
    (void)sigaction(SIGUSR1, &waking, &before);
    for (size_t shift = 0; ran && lanes_of_shift(campaign->places, campaign->part_count, shift) > 0;
         shift++) {
        ran = run_shift(campaign, shift, error);
    }
    (void)sigaction(SIGUSR1, &before, NULL);
    return ran;
}
