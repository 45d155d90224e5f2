/* The run loop: sweeps over the cases. A sweep is one run of Google Benchmark over the cases that
 * are still undecided, in another order each time; an iteration of a benchmark is one visit of its
 * case (one_visit.c).
 *
 * campaign_run_sweeps() at the end has the loop. */
#include "campaign/campaign_parts.h"

#include "boxes/random.h"
#include "campaign/progress.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- an order of the cases ---- */

void campaign_shuffle(void *items, size_t count, size_t size, uint64_t seed) {
    struct random random = random_from_seed(seed);
    random_shuffle(items, count, size, &random);
}

/* ---- more visits where those of all cases leave one unclear ---- */

/* A change of less than this is none: what `compare` takes for one unless asked otherwise. */
static const double unclear_within = 0.03;

void campaign_want_visits(struct campaign *campaign) {
    const struct campaign_settings *settings = campaign->settings;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        struct unit *unit = &campaign->units[u];
        const bool is_cpu = campaign->parts[unit->entry->part].info.is_cpu;
        const bool more = !is_cpu || settings->more_on_processors;
        unit->wanted = more && settings->most_visits > campaign->visits ? settings->most_visits
                                                                        : campaign->visits;
        campaign->wants_more = campaign->wants_more || unit->wanted > campaign->visits;
    }
}

/* Adds up how long visits took: the first ones, which every case has, and those beyond. */
static void add_times(const struct campaign *campaign, const struct unit *unit, double *first_s,
                      double *more_s) {
    for (size_t v = 0; v < unit->visits.count; v++) {
        const double wall_s = row_number(&unit->visits.rows[v], COLUMN_WALL_S);
        *(v < campaign->visits ? first_s : more_s) += isnan(wall_s) ? 0 : wall_s;
    }
}

/* How much the visits of a unit differ; false: it has no row and no visits yet. A row from an
 * earlier run counts, too. `row` owns the words of *spread. */
static bool add_spread(const struct unit *unit, struct row *row, struct visit_spread *spread) {
    if (unit->has_row) {
        row_copy(&unit->row, row);
    } else if (unit->visits.count > 0) {
        visits_join(&unit->visits, row);
    } else {
        return false;
    }
    return visits_spread(row, spread);
}

/* Ends the visits of those units of a part that are clear; the others go on. */
static void want_more_of_part(struct campaign *campaign, size_t part) {
    const size_t units = campaign->unit_count;
    struct noise_pool pool = noise_pool_make(units);
    struct row *rows = memory_zeroed(units, sizeof *rows);
    for (size_t u = 0; u < units; u++) {
        const struct unit *unit = &campaign->units[u];
        if (unit->entry->chosen && unit->entry->part == part &&
            add_spread(unit, &rows[u], &pool.spreads[pool.count])) {
            pool.owner[pool.count++] = u;
        }
    }
    noise_pool_moderate(&pool);
    for (size_t i = 0; i < pool.count; i++) {
        struct unit *unit = &campaign->units[pool.owner[i]];
        if (!unit->has_row &&
            visits_suffice(&pool.moderated[i], unit->visits.count, unclear_within)) {
            unit->wanted = unit->visits.count;
        }
    }
    for (size_t u = 0; u < units; u++) {
        row_free(&rows[u]);
    }
    free(rows);
    noise_pool_free(&pool);
}

/* Whether the visits beyond the first ones have used up the time that they may take. */
static bool has_spent_its_time(const struct campaign *campaign) {
    double first_s = 0;
    double more_s = 0;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        add_times(campaign, &campaign->units[u], &first_s, &more_s);
    }
    return visits_have_spent(first_s, more_s);
}

/* Decides which units get one visit more; the others get their rows. Returns how many. */
static size_t want_more(struct campaign *campaign) {
    size_t unclear = 0;
    const bool has_time = !has_spent_its_time(campaign);
    for (size_t p = 0; has_time && p < campaign->part_count; p++) {
        want_more_of_part(campaign, p);
    }
    for (size_t u = 0; u < campaign->unit_count; u++) {
        struct unit *unit = &campaign->units[u];
        if (is_open(campaign, unit)) {
            unit->wanted = has_time ? unit->wanted : unit->visits.count;
            unclear += !campaign_is_done(campaign, unit);
            campaign_keep_if_done(campaign, unit);
        }
    }
    return unclear;
}

/* ---- one sweep ---- */

/* Whether the unit gets a visit in this sweep: not if --resume found it ahead of the others. */
static bool is_due_in(const struct campaign *campaign, const struct unit *unit, size_t sweep) {
    return !campaign_is_done(campaign, unit) &&
           (sweep > campaign->visits || unit->visits.count < sweep);
}

/* Whether a sweep has something to do for a case. The first one also reports what is recorded. */
static bool is_of_sweep(const struct campaign *campaign, size_t entry, size_t sweep) {
    bool is_due = false;
    for (size_t r = 0; r < campaign->repetitions; r++) {
        const struct unit *unit = campaign_unit(campaign, entry, r);
        is_due = is_due || (unit->has_row ? sweep == 1 : is_due_in(campaign, unit, sweep));
    }
    const struct entry *asked = &campaign->entries[entry];
    return asked->chosen && is_due && !campaign->lost[asked->part];
}

static size_t choose_cases(const struct campaign *campaign, size_t sweep, size_t *cases) {
    size_t count = 0;
    for (size_t e = 0; e < campaign->count; e++) {
        if (is_of_sweep(campaign, e, sweep)) {
            cases[count++] = e;
        }
    }
    if (sweep > 1) { /* the entries are in an order of the seed already */
        campaign_shuffle(cases, count, sizeof *cases, campaign->settings->shuffle_seed + sweep);
    }
    return count;
}

/* How many visits a sweep over these cases makes. */
static size_t count_visits(const struct campaign *campaign, const size_t *cases, size_t count,
                           size_t sweep) {
    size_t visits = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t r = 0; r < campaign->repetitions; r++) {
            visits += is_due_in(campaign, campaign_unit(campaign, cases[i], r), sweep);
        }
    }
    return visits;
}

/* Why a repetition has no visit in this sweep. */
static const char *explain_missing(const struct campaign *campaign, const struct entry *entry) {
    return campaign->broken              ? "not measured: the rows could not be written"
           : campaign->stopped           ? "not measured: stopped at the first failure"
           : campaign->lost[entry->part] ? "not measured: the device is lost"
                                         : "not measured: interrupted";
}

/* An iteration of a benchmark: a gbench_visit_function. Lanes measure ahead of the library, which
 * waits for them; else the visit is made here. */
static void iterate(void *context, size_t index, struct gbench_outcome *outcome) {
    struct campaign *campaign = context;
    struct entry *entry = &campaign->entries[index];
    const size_t repetition = entry->repetitions++;
    if (repetition >= campaign->repetitions) {
        outcome->failure = "not measured: one repetition more than was asked for";
        return;
    }
    struct unit *unit = campaign_unit(campaign, index, repetition);
    campaign_lock(campaign);
    if (campaign->lanes > 1) {
        campaign_await_visit(campaign, unit);
    } else {
        campaign_visit(campaign, campaign->measurement, unit);
    }
    if (unit->swept == campaign->sweep) {
        campaign_describe(campaign, &unit->visits.rows[unit->visits.count - 1], outcome);
    } else if (unit->has_row) {
        campaign_describe(campaign, &unit->row, outcome);
    } else {
        outcome->failure = explain_missing(campaign, entry);
    }
    campaign_unlock(campaign);
}

/* A worker process may be slower than another in all that it times: on an H200 by 0.25 us a launch.
 * With one process a sweep, all cases would shift together, and the visits of a case would show
 * only as many values of the shift as there are sweeps. So a sweep has several processes, and its
 * cases another order each time. On processors a sweep has one: loading kernels takes a second
 * there. */
enum { PROCESSES_IN_SWEEP = 4, PROCESSES_IN_FURTHER_SWEEP = 2 };

static size_t processes_of(const struct campaign *campaign, size_t part) {
    if (campaign->parts[part].info.is_cpu) {
        return 1;
    }
    return campaign->sweep > campaign->visits ? PROCESSES_IN_FURTHER_SWEEP : PROCESSES_IN_SWEEP;
}

static void share_sweep(const struct campaign *campaign, const size_t *cases, size_t count) {
    for (size_t p = 0; p < campaign->part_count; p++) {
        const size_t processes = processes_of(campaign, p);
        size_t visits = 0;
        for (size_t i = 0; i < count; i++) {
            visits += campaign->entries[cases[i]].part == p ? campaign->repetitions : 0;
        }
        campaign->shares[p] =
            (struct process_share){ .visits =
                                        processes > 1 ? (visits + processes - 1) / processes : 0 };
    }
}

/* Ends all workers, so that the next visit of each case is made by another process: processes
 * differ in speed, and the visits of a case should show that. */
static void restart_parts(const struct campaign *campaign) {
    for (size_t p = 0; p < campaign->part_count; p++) {
        campaign_restart_part(&campaign->parts[p]);
    }
}

static bool run_sweep(struct campaign *campaign, const size_t *cases, size_t count,
                      struct error *error) {
    const struct gbench_sweep sweep = { .names = campaign->names,
                                        .cases = cases,
                                        .count = count,
                                        .visit = iterate,
                                        .context = campaign };
    struct lanes *lanes = NULL;
    for (size_t e = 0; e < campaign->count; e++) {
        campaign->entries[e].repetitions = 0;
    }
    share_sweep(campaign, cases, count);
    if (campaign->lanes > 1 && !lanes_start(campaign, cases, count, &lanes, error)) {
        return false;
    }
    const bool ran = gbench_run(&sweep, error);
    if (lanes) {
        lanes_end(lanes);
    } else {
        restart_parts(campaign);
    }
    return ran;
}

/* ---- the loop ---- */

/* Whether there is another sweep after those that visit every case; says so when it is the first.
 */
static bool goes_on(struct campaign *campaign, size_t sweep) {
    const size_t unclear =
        campaign->wants_more && !campaign_is_stopped(campaign) ? want_more(campaign) : 0;
    if (unclear > 0 && sweep == campaign->visits + 1) {
        progress_print(&campaign->progress,
                       "%zu of %zu cases are not known well enough to detect a change of 3 %%: "
                       "visiting these again",
                       unclear, campaign->selected * campaign->repetitions);
    }
    return unclear > 0;
}

/* Whether some unit has fewer visits than every case gets, as --resume may find it. */
static bool has_short_units(const struct campaign *campaign) {
    bool any = false;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        const struct unit *unit = &campaign->units[u];
        any = any || (is_open(campaign, unit) && unit->visits.count < campaign->visits &&
                      !campaign_is_done(campaign, unit));
    }
    return any && !campaign_is_stopped(campaign);
}

/* A run that was killed may have kept a unit's last visit and not its row. */
static void keep_what_is_done(struct campaign *campaign) {
    for (size_t u = 0; u < campaign->unit_count; u++) {
        struct unit *unit = &campaign->units[u];
        if (unit->entry->chosen && unit->visits.count > 0) {
            campaign_keep_if_done(campaign, unit);
        }
    }
}

/* A compiler takes three times as long as a GPU for what a case asks of it, and leaves most of the
 * machine's processors idle: before anything is timed they compile together. Compilers for
 * processors do without: PoCL compiles when a kernel is launched. */
static void compile_part(struct campaign *campaign, size_t part) {
    const struct campaign_measurer *measurer = &campaign->parts[part].measurer;
    size_t *cases = memory_zeroed(campaign->count + 1, sizeof *cases);
    size_t count = 0;
    for (size_t e = 0; e < campaign->count; e++) {
        const struct entry *entry = &campaign->entries[e];
        if (entry->part == part && entry->chosen && !entry->twin &&
            !campaign_unit(campaign, e, 0)->has_row) {
            cases[count++] = entry->case_index;
        }
    }
    if (count > 0) { /* a run that goes on may have all its rows */
        progress_print(&campaign->progress, "compiling the kernels of %zu cases", count);
        count = plan_choose_kernels(campaign->parts[part].plan, cases, count);
        measurer->compile(measurer->context, cases, count);
    }
    free(cases);
}

static void compile_all(struct campaign *campaign) {
    for (size_t p = 0; p < campaign->part_count; p++) {
        if (!campaign->parts[p].info.is_cpu && campaign->parts[p].measurer.compile) {
            compile_part(campaign, p);
        }
    }
}

bool campaign_run_sweeps(struct campaign *campaign, struct error *error) {
    size_t *cases = memory_zeroed(campaign->count + 1, sizeof *cases);
    bool ran = true;
    keep_what_is_done(campaign);
    compile_all(campaign);
    for (size_t sweep = 1; ran && (sweep <= campaign->visits || has_short_units(campaign) ||
                                   goes_on(campaign, sweep));
         sweep++) {
        const size_t count = choose_cases(campaign, sweep, cases);
        campaign->sweep = sweep;
        progress_sweep(&campaign->progress, sweep, count_visits(campaign, cases, count, sweep));
        if (count > 0 && (sweep == 1 || !campaign_is_stopped(campaign))) {
            ran = run_sweep(campaign, cases, count, error);
        }
    }
    free(cases);
    return ran;
}
