#include "campaign/campaign.h"

#include "campaign/campaign_parts.h"
#include "campaign/progress.h"
#include "campaign/rows/campaign_recorded.h"
#include "core/error.h"
#include "core/files.h"

#include <stdlib.h>

/* A run that was stopped between the sweeps has less to show than it has measured. */
static void tell_open_cases(const struct campaign *campaign) {
    size_t open = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
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

static bool run_all(struct campaign *campaign, struct error *error) {
    const struct campaign_settings *settings = campaign->settings;
    const char *seed_name = "pairmark_run_id";
    const char *const context_words[] = { seed_name, campaign->identity.run_id, NULL };
    char *json_path = NULL;
    if (!settings->wishes.own_output) {
        json_path = fs_join(settings->directory, "benchmark.json", error);
        if (!json_path) {
            return false;
        }
    }
    struct gbench_campaign benchmarks = {
        .names = campaign->names,
        .count = campaign->count,
        .run = campaign_run_entry,
        .context = campaign,
        .json_path = json_path,
        .context_words = context_words,
    };
    const size_t units = campaign->selected * campaign->repetitions;
    campaign_want_visits(campaign);
    progress_begin(&campaign->progress, settings->log, units, campaign->visits);
    campaign_begin_estimate(campaign);
    campaign->progress.left = campaign_seconds_left;
    campaign->progress.context = campaign;
    bool ran = (campaign->lanes > 1 ? campaign_run_lanes(campaign, error)
                                    : campaign_run_first_sweeps(campaign, error)) &&
               gbench_run(&benchmarks, &settings->wishes, error);
    campaign_report_failures(campaign);
    campaign->tally->cases = units;
    campaign->tally->recorded = campaign_count_recorded(campaign);
    progress_end(&campaign->progress, campaign->tally->recorded, units);
    tell_open_cases(campaign);
    free(json_path);
    if (ran && campaign->broken) {
        *error = campaign->broken_by;
        return false;
    }
    return ran;
}

/* Which cases of a run that goes on have no row yet: the first of them by name. */
static void report_missing(const struct campaign *campaign) {
    enum { NAMED = 10 };
    size_t missing = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t entry = u / campaign->repetitions;
        const bool is_open = campaign->chosen[entry] && !campaign->entries[entry].repeat &&
                             !campaign->units[u].has_row;
        missing += is_open;
        if (is_open && missing <= NAMED) {
            log_warning(campaign->settings->log, "no row yet: %s", campaign->names[entry]);
        }
    }
    if (missing > NAMED) {
        log_warning(campaign->settings->log, "and %zu more", missing - NAMED);
    }
}

static bool list_names(const struct campaign *campaign, struct error *error) {
    struct gbench_campaign benchmarks = { .names = campaign->names, .count = campaign->count };
    return gbench_run(&benchmarks, &campaign->settings->wishes, error);
}

/* Into environment.json, from the rows of the whole folder. */
static bool keep_noise_floor(const char *directory, struct error *error) {
    struct row_table table;
    struct noise_floor floor;
    char *rows_path = fs_join(directory, "rows.csv", error);
    char *path = fs_join(directory, "environment.json", error);
    bool kept = rows_path && path && rows_read(rows_path, NULL, &table, error);
    if (kept) {
        kept = noise_floor_find(&table, &floor, error) &&
               environment_add_noise_floor(path, &floor, error);
        rows_free(&table);
    }
    free(path);
    free(rows_path);
    return kept;
}

static bool run_in_folder(struct campaign *campaign, struct error *error) {
    struct error ignored;
    const struct campaign_settings *settings = campaign->settings;
    if (!campaign_open_folder(campaign, error) || !campaign_take_recorded(campaign, error) ||
        (!campaign_signals_noted() && !campaign_write_environment(campaign, true, error))) {
        return false;
    }
    if (settings->resume) {
        report_missing(campaign);
    }
    if (campaign->lanes > 1) {
        campaign_report_lanes(campaign);
    }
    bool ran = run_all(campaign, error);
    bool kept = keep_noise_floor(settings->directory, ran ? error : &ignored);
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
    struct campaign_signals signals;
    campaign_signals_catch(&signals);
    run_identify(&campaign->identity);
    const bool ran = run_in_folder(campaign, error);
    campaign->tally->signal = campaign_signals_noted();
    campaign_signals_restore(&signals);
    return ran;
}

static void campaign_free(struct campaign *campaign) {
    for (size_t u = 0; campaign->units && u < campaign->count * campaign->repetitions; u++) {
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
    folder_unlock(campaign->lock);
    (void)pthread_mutex_destroy(&campaign->state);
    (void)pthread_cond_destroy(&campaign->lane_ended);
    free(campaign->places);
    free(campaign->lost);
    free(campaign->units);
    free(campaign->measurement);
    free(campaign->chosen);
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
        .repetitions = settings->wishes.repetitions > 0 ? settings->wishes.repetitions : 1,
        .visits = settings->visits > 0 ? settings->visits : 1,
        .lock = -1,
    };
    *tally = (struct campaign_tally){ 0 };
    (void)pthread_mutex_init(&campaign.state, NULL);
    (void)pthread_cond_init(&campaign.lane_ended, NULL);
    bool ran = campaign_place_parts(&campaign, error) && campaign_make_entries(&campaign, error) &&
               campaign_order_entries(&campaign, error);
    if (ran) {
        ran = settings->wishes.lists_only ? list_names(&campaign, error)
                                          : run_caught(&campaign, error);
    }
    campaign_free(&campaign);
    return ran;
}
