/* Makes one visit of a case: measures it, keeps its row, samples and stages, and reports how it
 * failed. */
#include "campaign/campaign_parts.h"

#include "boxes/random.h"
#include "campaign/progress.h"
#include "core/files.h"
#include "core/host.h"
#include "core/strings.h"
#include "measure/program.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME_SIZE = 61 }; /* in the progress line */

bool campaign_is_done(const struct campaign *campaign, const struct unit *unit) {
    return unit->has_row ||
           visits_are_done(&unit->visits, unit->wanted, campaign->settings->sampling.time_cap_s);
}

/* The case in a few words: all of it is in the name that rows have. */
static void name_shortly(const struct campaign *campaign, const struct entry *entry, char *name,
                         size_t size) {
    const struct case_spec *spec = spec_of(campaign, entry);
    struct strbuf words = { 0 };
    if (campaign->part_count > 1) {
        strbuf_append(&words, "%s: ", device_of(campaign, entry));
    }
    strbuf_append(&words, "%s", spec->variant->name);
    if (spec->box.n > 0) {
        strbuf_append(&words, ", N = %zu", spec->box.n);
    }
    strbuf_append(&words, ", %s", precision_name(spec->precision));
    if (axis_is_of(AXIS_KIND, spec->variant->workload)) {
        strbuf_append(&words, ", %s, %s",
                      *spec->box.path ? fs_last_name(spec->box.path) : spec->box.kind,
                      outputs_name(spec->outputs));
    }
    (void)snprintf(name, size, "%s", words.data ? words.data : spec->variant->name);
    strbuf_free(&words);
}

/* The first line of a message: a compiler's log goes on for pages. */
static void describe_failure(struct campaign *campaign, const char *status, const char *message) {
    int length = (int)strcspn(message, "\n");
    (void)snprintf(campaign->failure, sizeof campaign->failure, "%s%s%.*s", status,
                   length > 0 ? ": " : "", length, message);
}

void campaign_describe(struct campaign *campaign, const struct row *row,
                       struct gbench_outcome *outcome) {
    const char *status = row_text(row, COLUMN_STATUS);
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

/* Written in this order, so that a run that is killed leaves no row without its visits and no visit
 * without its samples: samples, stages, visit; the row later. */
static bool keep_visit(struct campaign *campaign, const struct campaign_record *record,
                       struct unit *unit, struct error *error) {
    struct row row;
    struct strbuf samples = { 0 };
    struct strbuf stages = { 0 };
    row_create(&row);
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
    visits_add(&unit->visits, &row);
    return true;
}

static bool keep_row(struct campaign *campaign, struct unit *unit, struct error *error) {
    visits_join(&unit->visits, &unit->row);
    unit->has_row = true;
    return row_append(campaign->rows, &unit->row, error);
}

/* Prints the first failure of a variant and status in full; campaign_report_failures() counts the
 * others. */
static void report_failure(struct campaign *campaign, const struct entry *entry,
                           const struct verdict *verdict) {
    const struct case_spec *spec = spec_of(campaign, entry);
    bool first = failures_note(&campaign->failures, spec->variant->name, verdict->status);
    campaign->stopped = campaign->settings->fail_fast;
    if (first || campaign->settings->verbose) {
        progress_print(&campaign->progress, "%s: %s: %s", entry->name, status_name(verdict->status),
                       verdict->message);
    }
}

void campaign_report_failures(struct campaign *campaign) {
    struct strbuf rest = { 0 };
    if (!campaign->settings->verbose) {
        failures_append_rest(&campaign->failures, &rest);
    }
    if (rest.data) {
        progress_print(&campaign->progress, "%s(--verbose prints each of them; rows.csv has them)",
                       rest.data);
    }
    if (campaign->stopped) {
        progress_print(&campaign->progress,
                       "stopped at the first failure (--fail-fast): --resume goes on");
    }
    strbuf_free(&rest);
}

/* The column `status` has no word for bad input and for failures of the system: they become
 * unsupported and crashed, and are counted for the exit status. A case that passed without a time
 * has failed to launch. */
static void normalise(struct campaign_tally *tally, struct verdict *verdict, bool timed) {
    if (verdict->status == STATUS_BAD_INPUT) {
        verdict->status = STATUS_UNSUPPORTED;
        tally->bad_input++;
    } else if (verdict->status == STATUS_SYSTEM) {
        verdict->status = STATUS_CRASHED;
        tally->system++;
    } else if (verdict->status == STATUS_OK && !timed) {
        verdict_say(verdict, STATUS_LAUNCH_ERROR, "passed, but no time could be measured");
    }
}

/* Repetitions and visits of a case are joined into one time, so all must run the same program. */
static bool is_same_program(const struct campaign *campaign, const struct entry *entry,
                            const char *hash, struct error *error) {
    const char *device = device_of(campaign, entry);
    const char *folder = campaign->settings->directory;
    char path[PATH_MAX];
    return run_path(folder, "rows.csv", path, error) &&
           recorded_check_program(&campaign->recorded, path, entry->id, device, hash, error) &&
           run_path(folder, "visits.csv", path, error) &&
           recorded_check_program(&campaign->recorded_visits, path, entry->id, device, hash, error);
}

/* How many repetitions of the part's cases have no row. */
static size_t count_open(const struct campaign *campaign, size_t part) {
    size_t open = 0;
    for (size_t u = 0; u < campaign->unit_count; u++) {
        const struct unit *unit = &campaign->units[u];
        open += unit->entry->part == part && is_open(campaign, unit);
    }
    return open;
}

/* Whether the system refused a case, on a device that does not open: that says nothing about the
 * case. The lock is not held. */
static bool does_not_open(const struct campaign_part *part, const struct verdict *verdict,
                          struct error *error) {
    return verdict->status == STATUS_SYSTEM && part->measurer.opens &&
           !part->measurer.opens(part->measurer.context, error);
}

static void lose_part(struct campaign *campaign, size_t part, const struct error *error) {
    const size_t open = count_open(campaign, part);
    campaign->lost[part] = true;
    campaign->tally->system++;
    campaign->stopped = campaign->stopped || campaign->settings->fail_fast;
    progress_print(&campaign->progress, "%s is lost: %s: %zu case%s %s no row; --resume goes on",
                   campaign->parts[part].info.name, error->message, open, open == 1 ? "" : "s",
                   open == 1 ? "has" : "have");
}

/* Measures an entry into `measurement`; the lock is released meanwhile. False: the result must not
 * be kept, since a signal came or the device is lost. */
static bool measure_next(struct campaign *campaign, struct measurement *measurement,
                         const struct entry *entry, const struct sampling *sampling,
                         double *wall_s) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    struct error error;
    char name[SHORT_NAME_SIZE];
    name_shortly(campaign, entry, name, sizeof name);
    progress_case(&campaign->progress, name);
    campaign_unlock(campaign);
    const double began = clock_s();
    memset(measurement, 0, sizeof *measurement);
    part->measurer.measure(part->measurer.context, entry->case_index, sampling, measurement);
    *wall_s = clock_s() - began;
    const bool lost = !signals_noted() && does_not_open(part, &measurement->verdict, &error);
    campaign_lock(campaign);
    if (signals_noted()) {
        return false; /* the signal may have ended the worker, too: no verdict */
    }
    if (lost) {
        lose_part(campaign, entry->part, &error);
    }
    return !lost;
}

/* Makes a visit and writes its files. False: it was interrupted, or could not be written. */
static bool measure(struct campaign *campaign, struct measurement *measurement, struct unit *unit) {
    const struct entry *entry = unit->entry;
    const struct campaign_part *part = &campaign->parts[entry->part];
    struct sampling sampling =
        visits_share(&campaign->settings->sampling, campaign->visits, unit->visits.count);
    sampling.earlier.distances = unit->earlier.distances;
    sampling.earlier.pairs = unit->earlier.pairs;
    struct campaign_record record = {
        .identity = &campaign->identity,
        .spec = spec_of(campaign, entry),
        .case_id = entry->id,
        .case_name = entry->name,
        .device = &part->info,
        .measurement = measurement,
        .repetition = unit->repetition,
        .visit = unit->visits.count,
        .twin = entry->twin,
    };
    struct verdict *verdict = &measurement->verdict;
    if (!measure_next(campaign, measurement, entry, &sampling, &record.wall_s) ||
        campaign->broken) {
        return false;
    }
    normalise(campaign->tally, verdict, measurement->timed);
    unit->earlier.distances = measurement->pairs_evaluated;
    unit->earlier.pairs = measurement->pairs_counted;
    if (!is_same_program(campaign, entry, measurement->kernel_hash, &campaign->broken_by) ||
        !keep_visit(campaign, &record, unit, &campaign->broken_by)) {
        campaign->broken = true;
        return false;
    }
    if (status_failed(verdict->status)) {
        report_failure(campaign, entry, verdict);
    }
    return true;
}

void campaign_keep_if_done(struct campaign *campaign, struct unit *unit) {
    if (!unit->has_row && campaign_is_done(campaign, unit) &&
        !keep_row(campaign, unit, &campaign->broken_by)) {
        campaign->broken = true;
    }
}

bool campaign_is_stopped(const struct campaign *campaign) {
    return campaign->broken || campaign->stopped || signals_noted();
}

/* Counts a visit of the part's worker process and, once it has made its share of the sweep, ends
 * it. The lock is released meanwhile. */
static void pass_on(struct campaign *campaign, size_t part) {
    struct process_share *share = &campaign->shares[part];
    share->made++;
    if (share->made == share->visits) {
        share->made = 0;
        campaign_unlock(campaign);
        campaign_restart_part(&campaign->parts[part]);
        campaign_lock(campaign);
    }
}

void campaign_visit(struct campaign *campaign, struct measurement *measurement, struct unit *unit) {
    const bool is_due = unit->swept < campaign->sweep && !campaign_is_stopped(campaign) &&
                        is_open(campaign, unit) && !campaign_is_done(campaign, unit);
    if (is_due && measure(campaign, measurement, unit)) {
        unit->swept = campaign->sweep;
        campaign_keep_if_done(campaign, unit);
        progress_done(&campaign->progress);
        pass_on(campaign, unit->entry->part);
    }
}

void campaign_restart_part(const struct campaign_part *part) {
    if (part->measurer.restart) {
        part->measurer.restart(part->measurer.context);
    }
}
