/* Rounds over the cases: one visit of one case, what is kept and told of it. */
#include "run/campaign_parts.h"

#include "base/strbuf.h"
#include "files/fs.h"
#include "run/campaign_signals.h"
#include "system/clock.h"

#include <stdlib.h>
#include <string.h>

static bool is_done(const struct campaign *campaign, const struct unit *unit) {
    return unit->has_row || visits_are_done(&unit->visits, campaign->visits,
                                            campaign->settings->sampling.time_cap_s);
}

size_t campaign_count_recorded(const struct campaign *campaign) {
    size_t count = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const struct unit *unit = &campaign->units[u];
        if (campaign->chosen[u / campaign->repetitions]) {
            count += is_done(campaign, unit) ? campaign->visits : unit->visits.count;
        }
    }
    return count;
}

/* The first line of a message: a compiler's log goes on for pages. */
static void describe_failure(struct campaign *campaign, const char *status, const char *message) {
    int length = (int)strcspn(message, "\n");
    (void)snprintf(campaign->failure, sizeof campaign->failure, "%s%s%.*s", status,
                   length > 0 ? ": " : "", length, message);
}

static void count_status(struct campaign_tally *tally, const char *status) {
    if (strcmp(status, status_name(STATUS_OK)) == 0) {
        tally->ok++;
    } else if (strcmp(status, status_name(STATUS_UNSUPPORTED)) == 0) {
        tally->unsupported++;
    } else {
        tally->failed++;
    }
}

/* Google Benchmark hears of what the row says. */
static void report(struct campaign *campaign, const struct row *row,
                   struct gbench_outcome *outcome) {
    const char *status = row_text(row, COLUMN_STATUS);
    count_status(campaign->tally, status);
    if (strcmp(status, status_name(STATUS_OK)) != 0) {
        describe_failure(campaign, status, row_text(row, COLUMN_MESSAGE));
        outcome->failure = campaign->failure;
    }
    outcome->seconds = row_number(row, COLUMN_FORCE_S_MEDIAN);
    outcome->pairs_per_s = row_number(row, COLUMN_PAIRS_PER_S);
    outcome->evaluated_pairs_per_s = row_number(row, COLUMN_EVALUATED_PAIRS_PER_S);
    outcome->ns_per_particle = row_number(row, COLUMN_NS_PER_PARTICLE);
    outcome->hit_ratio = row_number(row, COLUMN_HIT_RATIO);
}

/* Samples and stages first, the visit next, its row last: where there is a row, its visits are
 * there, and where there is a visit, its samples are whole. */
static bool keep_visit(struct campaign *campaign, const struct campaign_record *record,
                       struct unit *unit, struct error *error) {
    struct row row;
    struct strbuf samples = { 0 };
    struct strbuf stages = { 0 };
    if (!row_create(&row, error)) {
        return false;
    }
    campaign_fill_row(record, &row);
    campaign_format_samples(record, &samples);
    campaign_format_stages(record, &stages);
    bool kept = (samples.length == 0 || record_file_append(campaign->samples, &samples, error)) &&
                (stages.length == 0 || record_file_append(campaign->stages, &stages, error)) &&
                (campaign->visits == 1 || row_append(campaign->visit_rows, &row, error));
    strbuf_free(&samples);
    strbuf_free(&stages);
    if (!kept) {
        row_free(&row);
        return false;
    }
    return visits_add(&unit->visits, &row, error);
}

static bool keep_row(struct campaign *campaign, struct unit *unit, struct error *error) {
    unit->has_row = visits_join(&unit->visits, &unit->row, error);
    return unit->has_row && row_append(campaign->rows, &unit->row, error);
}

/* The first of its variant and status in full; campaign_tell_failures() counts the others. */
static void tell_failure(struct campaign *campaign, const struct entry *entry,
                         const struct verdict *verdict) {
    const struct case_spec *spec = &campaign->parts[entry->part].plan->cases[entry->case_index];
    bool first = failures_note(&campaign->failures, spec->variant->name, verdict->status);
    campaign->stopped = campaign->settings->fail_fast;
    if (first || campaign->settings->verbose) {
        progress_tell(&campaign->progress, "%s: %s: %s", entry->name, status_name(verdict->status),
                      verdict->message);
    }
}

void campaign_tell_failures(struct campaign *campaign) {
    struct strbuf rest = { 0 };
    if (!campaign->settings->verbose) {
        failures_append_rest(&campaign->failures, &rest);
    }
    if (rest.data) {
        progress_tell(&campaign->progress, "%s(--verbose tells each of them; rows.csv has them)",
                      rest.data);
    }
    if (campaign->stopped) {
        progress_tell(&campaign->progress,
                      "stopped at the first failure (--fail-fast): --resume goes on");
    }
    strbuf_free(&rest);
}

/* A row has eight words for its status; the two others become the nearest of them, and are counted
 * for the exit status. A case that passed and has no time is no result either. */
static void normalise(struct campaign_tally *tally, struct verdict *verdict, bool timed) {
    if (verdict->status == STATUS_BAD_INPUT) {
        verdict->status = STATUS_UNSUPPORTED;
        tally->bad_input++;
    } else if (verdict->status == STATUS_SYSTEM) {
        verdict->status = STATUS_CRASHED;
        tally->system++;
    } else if (verdict->status == STATUS_OK && !timed) {
        verdict->status = STATUS_LAUNCH_ERROR;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "passed, but no time could be measured");
    }
}

/* Repetitions and visits of a case become one time, so they are of one program. */
static bool is_same_program(const struct campaign *campaign, const struct entry *entry,
                            struct error *error) {
    const char *hash = campaign->measurement->kernel_hash;
    const char *device = device_of(campaign, entry);
    const char *folder = campaign->settings->directory;
    char *rows = fs_join(folder, "rows.csv", error);
    char *visits = fs_join(folder, "visits.csv", error);
    bool same =
        rows && visits &&
        recorded_check_program(&campaign->recorded, rows, entry->id, device, hash, error) &&
        recorded_check_program(&campaign->recorded_visits, visits, entry->id, device, hash, error);
    free(rows);
    free(visits);
    return same;
}

/* False when the visit is not to be kept: it was interrupted, or cannot be kept. */
static bool measure(struct campaign *campaign, const struct entry *entry, size_t repetition,
                    struct unit *unit) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    const struct sampling sampling =
        visits_share(&campaign->settings->sampling, campaign->visits, unit->visits.count);
    struct campaign_record record = {
        .identity = &campaign->identity,
        .spec = &part->plan->cases[entry->case_index],
        .case_id = entry->id,
        .case_name = entry->name,
        .device = &part->info,
        .measurement = campaign->measurement,
        .repetition = repetition,
        .visit = unit->visits.count,
        .repeat = entry->repeat,
    };
    struct verdict *verdict = &campaign->measurement->verdict;
    double began = clock_s();
    progress_case(&campaign->progress, entry->name);
    memset(campaign->measurement, 0, sizeof *campaign->measurement);
    part->measurer.measure(part->measurer.context, entry->case_index, &sampling,
                           campaign->measurement);
    record.wall_s = clock_s() - began;
    if (campaign_signals_noted()) {
        return false; /* the signal may have ended the worker, too: no verdict */
    }
    normalise(campaign->tally, verdict, campaign->measurement->timed);
    if (!is_same_program(campaign, entry, &campaign->broken_by) ||
        !keep_visit(campaign, &record, unit, &campaign->broken_by)) {
        campaign->broken = true;
        return false;
    }
    if (verdict->status != STATUS_OK && verdict->status != STATUS_UNSUPPORTED) {
        tell_failure(campaign, entry, verdict);
    }
    return true;
}

/* Brings a repetition up to `wanted` visits, and its row to the file when it is done. */
static void visit(struct campaign *campaign, size_t entry_index, size_t repetition, size_t wanted) {
    struct unit *unit = &campaign->units[entry_index * campaign->repetitions + repetition];
    bool measured = false;
    bool good = !campaign->broken && !campaign_signals_noted();
    while (good && !campaign->stopped && !unit->has_row && unit->visits.count < wanted &&
           !is_done(campaign, unit)) {
        good = measure(campaign, &campaign->entries[entry_index], repetition, unit);
        measured = true;
    }
    if (good && !unit->has_row && is_done(campaign, unit) &&
        !keep_row(campaign, unit, &campaign->broken_by)) {
        campaign->broken = true;
    }
    if (good) {
        progress_done(&campaign->progress, !measured);
    }
}

void campaign_run_entry(void *context, size_t index, struct gbench_outcome *outcome) {
    struct campaign *campaign = context;
    const size_t repetition = campaign->entries[index].repetitions++;
    if (repetition >= campaign->repetitions) {
        outcome->failure = "not measured: one repetition more than was asked for";
        return;
    }
    const struct unit *unit = &campaign->units[index * campaign->repetitions + repetition];
    visit(campaign, index, repetition, campaign->visits);
    if (campaign->broken) {
        outcome->failure = "not measured: the rows could not be written";
    } else if (unit->has_row) {
        report(campaign, &unit->row, outcome);
    } else if (campaign->stopped) {
        outcome->failure = "not measured: stopped at the first failure";
    } else {
        outcome->failure = "not measured: interrupted";
    }
}

/* What differs between processes is to differ between the visits of a case. */
static void renew_workers(const struct campaign *campaign) {
    for (size_t p = 0; p < campaign->part_count; p++) {
        const struct campaign_measurer *measurer = &campaign->parts[p].measurer;
        if (measurer->renew) {
            measurer->renew(measurer->context);
        }
    }
}

bool campaign_run_first_rounds(struct campaign *campaign, struct error *error) {
    const size_t units = campaign->count * campaign->repetitions;
    size_t *order = calloc(units + 1, sizeof *order);
    size_t count = 0;
    if (!order) {
        return fail_out_of_memory(error, "the order of the cases");
    }
    for (size_t u = 0; u < units; u++) {
        if (campaign->chosen[u / campaign->repetitions]) {
            order[count++] = u;
        }
    }
    for (size_t round = 1; round < campaign->visits; round++) {
        campaign_shuffle(order, count, sizeof *order, campaign->settings->shuffle_seed + round);
        for (size_t i = 0; i < count; i++) {
            visit(campaign, order[i] / campaign->repetitions, order[i] % campaign->repetitions,
                  round);
        }
        renew_workers(campaign);
    }
    free(order);
    return true;
}
