/* Measures on several devices at the same time: decides on which, and runs a thread for each lane
 * of them. */
#include "campaign/campaign.h"

#include "campaign/campaign_parts.h"
#include "core/error.h"
#include "core/host.h"
#include "core/strings.h"
#include "measure/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- which ---- */

bool lanes_parse(const char *option, const char *value, enum concurrency *concurrency,
                 struct error *error) {
    static const char *const words[] = { "auto", "no", "yes", NULL };
    const int place = word_place(words, value);
    if (place < 0) {
        return fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected auto, no or yes", option,
                    value);
    }
    *concurrency = (enum concurrency)place;
    return true;
}

/* The lanes of a shift. */
static size_t lanes_of_shift(const struct lane_place *places, size_t count, size_t shift) {
    size_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
        lanes = places[i].shift == shift && places[i].lane >= lanes ? places[i].lane + 1 : lanes;
    }
    return lanes;
}

/* Cards by their places on the bus, in the first shift; the others after it, each by itself. */
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

/* Gives each device a lane and a shift: places[count]. Returns the number of lanes in the largest
 * shift; if that is 1, nothing runs at the same time and shifts do not matter. */
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

void campaign_place_parts(struct campaign *campaign) {
    const size_t count = campaign->part_count;
    const struct device_info **devices = memory_zeroed(count + 1, sizeof *devices);
    campaign->places = memory_zeroed(count + 1, sizeof *campaign->places);
    for (size_t p = 0; p < count; p++) {
        devices[p] = &campaign->parts[p].info;
    }
    campaign->lanes =
        lanes_place(devices, count, campaign->settings->concurrency, campaign->places);
    free((void *)devices);
}

/* ---- what a lane does ---- */

struct lane {
    struct lanes *all;
    struct lane_place place;
    struct measurement *measurement;
    pthread_t thread;
    bool started, ended;
};

/* The lanes of one sweep. */
struct lanes {
    struct campaign *campaign;
    const size_t *cases;
    size_t case_count;
    struct lane *items;
    size_t count;
};

static bool is_of_lane(const struct lane *lane, size_t part) {
    const struct lane_place *place = &lane->all->campaign->places[part];
    return place->lane == lane->place.lane && place->shift == lane->place.shift;
}

/* Ends the workers of the lane; this thread starts the next ones. No other thread asks them, so the
 * lock is not needed meanwhile. */
static void restart_lane(const struct lane *lane) {
    struct campaign *campaign = lane->all->campaign;
    campaign_unlock(campaign);
    for (size_t p = 0; p < campaign->part_count; p++) {
        if (is_of_lane(lane, p)) {
            campaign_restart_part(&campaign->parts[p]);
        }
    }
    campaign_lock(campaign);
}

/* Waits until the lanes of earlier shifts have ended. Locked. */
static void await_shift(const struct lane *lane) {
    for (size_t i = 0; i < lane->all->count; i++) {
        const struct lane *other = &lane->all->items[i];
        while (other->place.shift < lane->place.shift && other->started && !other->ended) {
            (void)pthread_cond_wait(&lane->all->campaign->lane_went_on,
                                    &lane->all->campaign->state);
        }
    }
}

static void visit_all(struct lane *lane) {
    struct campaign *campaign = lane->all->campaign;
    for (size_t i = 0; i < lane->all->case_count; i++) {
        const size_t entry = lane->all->cases[i];
        for (size_t r = 0;
             r < campaign->repetitions && is_of_lane(lane, campaign->entries[entry].part); r++) {
            campaign_visit(campaign, lane->measurement, campaign_unit(campaign, entry, r));
            (void)pthread_cond_broadcast(&campaign->lane_went_on);
        }
    }
}

static void *run_lane(void *argument) {
    struct lane *lane = argument;
    struct campaign *campaign = lane->all->campaign;
    const size_t beside = lanes_of_shift(campaign->places, campaign->part_count, lane->place.shift);
    if (beside > 1) {
        (void)processors_take_share(lane->place.lane, beside);
    }
    campaign_lock(campaign);
    await_shift(lane);
    restart_lane(lane);
    visit_all(lane);
    restart_lane(lane);
    lane->ended = true;
    (void)pthread_cond_broadcast(&campaign->lane_went_on);
    campaign_unlock(campaign);
    return NULL;
}

/* ---- lanes at the same time ---- */

static void wake(int number) {
    (void)number;
}

/* Interrupts threads that wait for their workers by a signal: the process itself receives signals
 * in its main thread. A thread that is only about to wait does not notice, so this is repeated.
 * Locked. */
static void wait_a_little(struct campaign *campaign) {
    struct timespec until;
    for (size_t i = 0; i < campaign->running->count; i++) {
        const struct lane *lane = &campaign->running->items[i];
        if (lane->started && !lane->ended && signals_noted()) {
            (void)pthread_kill(lane->thread, SIGUSR1);
        }
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&campaign->lane_went_on, &campaign->state, &until);
}

static bool has_ended(const struct lanes *lanes, size_t part) {
    bool ended = true;
    for (size_t i = 0; i < lanes->count; i++) {
        const struct lane *lane = &lanes->items[i];
        ended = ended && (!is_of_lane(lane, part) || !lane->started || lane->ended);
    }
    return ended;
}

void campaign_await_visit(struct campaign *campaign, const struct unit *unit) {
    while (unit->swept < campaign->sweep && !unit->has_row &&
           !has_ended(campaign->running, unit->entry->part)) {
        wait_a_little(campaign);
    }
}

static bool start_threads(struct lanes *lanes, struct error *error) {
    sigset_t ours;
    sigset_t before;
    int refused = 0;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGINT);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &ours, &before);
    campaign_lock(lanes->campaign);
    for (size_t i = 0; refused == 0 && i < lanes->count; i++) {
        refused = pthread_create(&lanes->items[i].thread, NULL, run_lane, &lanes->items[i]);
        lanes->items[i].started = refused == 0;
    }
    campaign_unlock(lanes->campaign);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused == 0 ||
           fail(error, STATUS_SYSTEM, "no thread for a device: %s", strerror(refused));
}

/* A lane of each shift and place. */
static void make_lanes(struct lanes *lanes) {
    const struct campaign *campaign = lanes->campaign;
    lanes->items = memory_zeroed(campaign->part_count + 1, sizeof *lanes->items);
    size_t in_shift = 1;
    for (size_t shift = 0; in_shift > 0; shift++) {
        in_shift = lanes_of_shift(campaign->places, campaign->part_count, shift);
        for (size_t i = 0; i < in_shift; i++) {
            struct lane *lane = &lanes->items[lanes->count++];
            *lane = (struct lane){ .all = lanes,
                                   .place = { .lane = i, .shift = shift },
                                   .measurement = memory_zeroed(1, sizeof *lane->measurement) };
        }
    }
}

void lanes_end(struct lanes *lanes) {
    struct campaign *campaign = lanes->campaign;
    campaign_lock(campaign);
    for (size_t p = 0; p < campaign->part_count; p++) {
        while (!has_ended(lanes, p)) {
            wait_a_little(campaign);
        }
    }
    campaign->running = NULL;
    campaign_unlock(campaign);
    for (size_t i = 0; i < lanes->count; i++) {
        if (lanes->items[i].started) {
            (void)pthread_join(lanes->items[i].thread, NULL);
        }
        free(lanes->items[i].measurement);
    }
    free(lanes->items);
    free(lanes);
}

bool lanes_start(struct campaign *campaign, const size_t *cases, size_t count, struct lanes **lanes,
                 struct error *error) {
    struct sigaction waking = { .sa_handler = wake };
    struct lanes *made = memory_zeroed(1, sizeof *made);
    *made = (struct lanes){ .campaign = campaign, .cases = cases, .case_count = count };
    campaign->running = made;
    (void)sigemptyset(&waking.sa_mask);
    (void)sigaction(SIGUSR1, &waking, NULL);
    make_lanes(made);
    if (!start_threads(made, error)) {
        lanes_end(made);
        return false;
    }
    *lanes = made;
    return true;
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
