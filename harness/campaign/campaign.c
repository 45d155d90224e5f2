/* Runs a campaign: makes the entries, which are cases on devices, and their order; opens the
 * folder; runs the loop; counts what the rows say. campaign_run() at the end calls all of it. */
#include "campaign/campaign.h"

#include "campaign/campaign_parts.h"
#include "campaign/plan/plan.h"
#include "campaign/progress.h"
#include "campaign/rows/rows.h"
#include "campaign/rows/run_folder.h"
#include "core/error.h"
#include "core/files.h"
#include "measure/program.h"
#include "measure/worker/worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- what runs, in which order ---- */

static void name_entry(const struct campaign *campaign, struct entry *entry) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    const struct case_spec *spec = spec_of(campaign, entry);
    char name[NAME_SIZE - sizeof part->info.name];
    case_name(spec, name, sizeof name);
    if (campaign->part_count > 1) {
        (void)snprintf(entry->name, sizeof entry->name, "%s/%s", part->info.name, name);
    } else {
        (void)snprintf(entry->name, sizeof entry->name, "%s", name);
    }
    case_id(spec, entry->id);
}

/* Room for every case and a twin of each. */
static void allocate_entries(struct campaign *campaign, size_t cases) {
    campaign->entries = memory_zeroed(2 * cases + 1, sizeof *campaign->entries);
    campaign->names = memory_zeroed(2 * cases + 1, sizeof *campaign->names);
    campaign->units =
        memory_zeroed((2 * cases + 1) * campaign->repetitions, sizeof *campaign->units);
    campaign->measurement = memory_zeroed(1, sizeof *campaign->measurement);
    campaign->lost = memory_zeroed(campaign->part_count + 1, sizeof *campaign->lost);
    campaign->shares = memory_zeroed(campaign->part_count + 1, sizeof *campaign->shares);
}

static bool select_entries(struct campaign *campaign, struct error *error) {
    bool *chosen = memory_zeroed(campaign->count + 1, sizeof *chosen);
    for (size_t i = 0; i < campaign->count; i++) {
        campaign->names[i] = campaign->entries[i].name;
    }
    const bool selected =
        gbench_select(campaign->names, campaign->count, chosen, &campaign->selected, error);
    for (size_t i = 0; i < campaign->count; i++) {
        campaign->entries[i].chosen = chosen[i];
    }
    free(chosen);
    return selected;
}

/* An entry per case of every part. */
static void make_entries(struct campaign *campaign) {
    size_t cases = 0;
    for (size_t p = 0; p < campaign->part_count; p++) {
        cases += campaign->parts[p].plan->count;
    }
    allocate_entries(campaign, cases);
    for (size_t p = 0; p < campaign->part_count; p++) {
        for (size_t i = 0; i < campaign->parts[p].plan->count; i++) {
            struct entry *entry = &campaign->entries[campaign->count++];
            entry->part = p;
            entry->case_index = i;
            name_entry(campaign, entry);
        }
    }
}

/* Sorts by device, variant, precision and size, so that similar cases are neighbours. */
static int compare_alike(const void *a, const void *b, void *context) {
    const struct entry *left = a;
    const struct entry *right = b;
    const struct campaign_part *parts = context;
    const struct case_spec *one = &parts[left->part].plan->cases[left->case_index];
    const struct case_spec *other = &parts[right->part].plan->cases[right->case_index];
    int order = (left->part > right->part) - (left->part < right->part);
    order = order ? order : strcmp(one->variant->name, other->variant->name);
    order =
        order ? order : (one->precision > other->precision) - (one->precision < other->precision);
    order = order ? order : (one->box.n > other->box.n) - (one->box.n < other->box.n);
    return order ? order : strcmp(left->name, right->name);
}

static void append_twin(struct campaign *campaign, const struct entry *entry) {
    struct entry *twin = &campaign->entries[campaign->count++];
    char id[HASH_TEXT_SIZE];
    *twin = *entry;
    twin->twin = true;
    const size_t length = strlen(twin->name);
    (void)snprintf(twin->name + length, sizeof twin->name - length, "%s", TWIN_SUFFIX);
    twin_id(entry->id, id);
    memcpy(twin->id, id, sizeof twin->id);
    campaign->twins++;
}

/* Adds twins of selected cases, which are the first `candidates` entries. */
static void append_twins(struct campaign *campaign, size_t candidates) {
    const size_t wanted = twins_wanted(candidates, campaign->settings->twins);
    size_t *places = memory_zeroed(wanted + 1, sizeof *places);
    qsort_r(campaign->entries, candidates, sizeof *campaign->entries, compare_alike,
            (void *)campaign->parts);
    twins_choose(candidates, wanted, places);
    for (size_t k = 0; k < wanted; k++) {
        append_twin(campaign, &campaign->entries[places[k]]);
    }
    free(places);
}

/* Puts the selected entries first, the others after them, each in its order. */
static void selected_first(struct campaign *campaign) {
    struct entry *sorted = memory_zeroed(campaign->count + 1, sizeof *sorted);
    size_t next = 0;
    for (int wanted = 1; wanted >= 0; wanted--) {
        for (size_t i = 0; i < campaign->count; i++) {
            if (campaign->entries[i].chosen == (wanted == 1)) {
                sorted[next++] = campaign->entries[i];
            }
        }
    }
    memcpy(campaign->entries, sorted, next * sizeof *sorted);
    free(sorted);
}

/* All entries, with their twins, in the order in which they are to run, which of them the user's
 * words select, and their units. STATUS_BAD_INPUT: none. */
static bool order_entries(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    bool made = select_entries(campaign, error);
    campaign->cases_selected = campaign->selected;
    if (made && settings->twins > 0 && !settings->flags.lists_only) {
        selected_first(campaign);
        append_twins(campaign, campaign->selected);
    }
    if (made) {
        campaign_shuffle(campaign->entries, campaign->count, sizeof *campaign->entries,
                         settings->shuffle_seed);
        made = select_entries(campaign, error);
    }
    campaign->unit_count = campaign->count * campaign->repetitions;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        campaign->units[u].entry = &campaign->entries[u / campaign->repetitions];
        campaign->units[u].repetition = u % campaign->repetitions;
    }
    return made;
}

/* ---- the run ---- */

/* Whether the folder has visits that no row shows: the run was stopped between sweeps. */
static void warn_of_open_cases(const struct campaign *campaign) {
    size_t open = 0;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        open += !campaign->units[u].has_row && campaign->units[u].visits.count > 0;
    }
    if (open > 0) {
        log_warning(
            campaign->settings->log,
            "%zu case%s ha%s been visited, but not %zu times: visits.csv keeps that, and they "
            "have no row yet",
            open, open == 1 ? "" : "s", open == 1 ? "s" : "ve", campaign->visits);
    }
}

/* Counts what the rows of the selected cases say. */
static void count_rows(const struct campaign *campaign, struct campaign_tally *tally) {
    tally->cases = campaign->selected * campaign->repetitions;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        const struct unit *unit = &campaign->units[u];
        if (!unit->entry->chosen || !unit->has_row) {
            continue;
        }
        const char *status = row_text(&unit->row, COLUMN_STATUS);
        const bool is_ok = strcmp(status, status_name(STATUS_OK)) == 0;
        const bool is_unsupported = strcmp(status, status_name(STATUS_UNSUPPORTED)) == 0;
        tally->recorded++;
        tally->unsupported += is_unsupported;
        tally->failed += !is_ok && !is_unsupported;
    }
}

/* Runs all sweeps, as one report of Google Benchmark. */
static bool run_all(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const char *const context_words[] = { "pairmark_run_id", campaign->identity.run_id, NULL };
    char json_path[PATH_MAX];
    struct error ignored;
    if (!run_path(settings->directory, "benchmark.json", json_path, error) ||
        !gbench_open(&settings->flags, json_path, context_words, error)) {
        return false;
    }
    campaign_want_visits(campaign);
    progress_begin(&campaign->progress, settings->log, 0, campaign->visits);
    const bool swept = campaign_run_sweeps(campaign, error);
    const bool ran = gbench_close(swept ? error : &ignored) && swept;
    campaign_report_failures(campaign);
    count_rows(campaign, campaign->tally);
    progress_end(&campaign->progress, campaign->tally->recorded, campaign->tally->cases);
    warn_of_open_cases(campaign);
    if (ran && campaign->broken) {
        *error = campaign->broken_by;
        return false;
    }
    return ran;
}

/* Names the cases of a resumed run that have no row yet, the first ten of them. */
static void report_missing(const struct campaign *campaign) {
    enum { NAMED = 10 };
    size_t missing = 0;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        const struct unit *unit = &campaign->units[u];
        const bool is_missing = is_open(campaign, unit) && !unit->entry->twin;
        missing += is_missing;
        if (is_missing && missing <= NAMED) {
            log_warning(campaign->settings->log, "no row yet: %s", unit->entry->name);
        }
    }
    if (missing > NAMED) {
        log_warning(campaign->settings->log, "and %zu more", missing - NAMED);
    }
}

/* --benchmark_list_tests: Google Benchmark prints the names, nothing runs. */
static bool list_names(const struct campaign *campaign, struct error *error) {
    size_t *all = memory_zeroed(campaign->count + 1, sizeof *all);
    for (size_t e = 0; e < campaign->count; e++) {
        all[e] = e;
    }
    const struct gbench_sweep sweep = { .names = campaign->names,
                                        .cases = all,
                                        .count = campaign->count };
    const bool listed = gbench_open(&campaign->settings->flags, NULL, NULL, error) &&
                        gbench_run(&sweep, error) && gbench_close(error);
    free(all);
    return listed;
}

static bool run_in_folder(struct campaign *campaign, struct error *error) {
    struct error ignored;
    const struct campaign_settings *settings = campaign->settings;
    if (!campaign_open_folder(campaign, error)) {
        return false;
    }
    campaign_take_recorded(campaign);
    if (!signals_noted() && !campaign_write_environment(campaign, true, error)) {
        return false;
    }
    if (settings->resume) {
        report_missing(campaign);
    }
    if (campaign->lanes > 1) {
        campaign_report_lanes(campaign);
    }
    bool ran = run_all(campaign, error);
    const bool kept =
        environment_end(settings->directory, ran && !signals_noted(), ran ? error : &ignored);
    ran = ran && kept;
    const bool concluded =
        !settings->conclude ||
        settings->conclude(settings->context, settings->directory,
                           settings->resume ? NULL : settings->log, ran ? error : &ignored);
    return ran && concluded;
}

/* A signal from before the folder exists on ends the run as one later does: what is there is whole,
 * and --resume goes on with it. */
static bool run_caught(struct campaign *campaign, struct error *error) {
    struct signals signals;
    signals_catch(&signals);
    run_identify(&campaign->identity);
    const bool ran = run_in_folder(campaign, error);
    campaign->tally->signal = signals_noted();
    signals_restore(&signals);
    return ran;
}

static void campaign_free(struct campaign *campaign) {
    for (size_t u = 0; u < campaign->unit_count; u++) {
        visits_free(&campaign->units[u].visits);
        row_free(&campaign->units[u].row);
    }
    record_file_close(campaign->rows);
    record_file_close(campaign->visit_rows);
    record_file_close(campaign->samples);
    record_file_close(campaign->stages);
    recorded_free(&campaign->recorded);
    recorded_free(&campaign->recorded_visits);
    failures_free(&campaign->failures);
    kept_kernels_free(&campaign->kept);
    strbuf_free(&campaign->changed);
    folder_unlock(campaign->lock);
    (void)pthread_mutex_destroy(&campaign->state);
    (void)pthread_cond_destroy(&campaign->lane_went_on);
    free(campaign->places);
    free(campaign->lost);
    free(campaign->shares);
    free(campaign->units);
    free(campaign->measurement);
    free(campaign->names);
    free(campaign->entries);
}

bool campaign_run(const struct campaign_part *parts, size_t part_count,
                  const struct campaign_settings *settings, struct campaign_tally *tally,
                  struct error *error) {
    struct campaign campaign = {
        .parts = parts,
        .part_count = part_count,
        .settings = settings,
        .tally = tally,
        .repetitions = settings->flags.repetitions > 0 ? settings->flags.repetitions : 1,
        .visits = settings->visits > 0 ? settings->visits : 1,
        .lock = -1,
    };
    *tally = (struct campaign_tally){ 0 };
    (void)pthread_mutex_init(&campaign.state, NULL);
    (void)pthread_cond_init(&campaign.lane_went_on, NULL);
    campaign_place_parts(&campaign);
    make_entries(&campaign);
    bool ran = order_entries(&campaign, error);
    if (ran) {
        ran = settings->flags.lists_only ? list_names(&campaign, error)
                                         : run_caught(&campaign, error);
    }
    campaign_free(&campaign);
    return ran;
}

/* ---- a worker as a campaign measures by it ---- */

static bool rates_of(void *context, struct device_rates *rates, struct error *error) {
    return worker_rates(context, rates, error);
}

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

static void compile_by(void *context, const size_t *cases, size_t count) {
    worker_compile_ahead(context, cases, count);
}

static void restart(void *context) {
    worker_restart(context);
}

static bool opens(void *context, struct error *error) {
    struct device_info info;
    return worker_device(context, &info, error);
}

struct campaign_measurer worker_measurer(struct worker *worker) {
    return (struct campaign_measurer){ .context = worker,
                                       .rates = rates_of,
                                       .measure = measure_by,
                                       .compile = compile_by,
                                       .restart = restart,
                                       .opens = opens };
}
