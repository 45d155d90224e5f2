/* Sweeps over the cases: one visit of one case, what is recorded and reported of it. */
#include "campaign/campaign_parts.h"

#include "boxes/random.h"
#include "campaign/progress.h"
#include "core/files.h"
#include "core/host.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NAME_SIZE = 61 }; /* in the progress line */

static bool is_done(const struct campaign *campaign, const struct unit *unit) {
    return unit->has_row ||
           visits_are_done(&unit->visits, unit->wanted, campaign->settings->sampling.time_cap_s);
}

size_t campaign_count_recorded(const struct campaign *campaign) {
    size_t count = 0;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        count += campaign->chosen[u / campaign->repetitions] && campaign->units[u].has_row;
    }
    return count;
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

/* The first of its variant and status in full; campaign_report_failures() counts the others. */
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
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const size_t entry = u / campaign->repetitions;
        open += campaign->chosen[entry] && campaign->entries[entry].part == part &&
                !campaign->units[u].has_row;
    }
    return open;
}

/* A case that the system refused, on a device that does not open: that is nothing about the case.
 * The lock is not held. */
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

/* The visit that a unit has next, into `measurement`. Unlocked while it is measured. False when it
 * is not to be kept: it was interrupted, or the device is lost. */
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
    const bool lost =
        !campaign_signals_noted() && does_not_open(part, &measurement->verdict, &error);
    campaign_lock(campaign);
    if (campaign_signals_noted()) {
        return false; /* the signal may have ended the worker, too: no verdict */
    }
    if (lost) {
        lose_part(campaign, entry->part, &error);
    }
    return !lost;
}

/* False when the visit is not kept: it is not to be, or cannot be. */
static bool measure(struct campaign *campaign, struct measurement *measurement,
                    const struct entry *entry, size_t repetition, struct unit *unit) {
    const struct campaign_part *part = &campaign->parts[entry->part];
    struct sampling sampling =
        visits_share(&campaign->settings->sampling, campaign->visits, unit->visits.count);
    sampling.settled.distances = unit->settled.distances;
    sampling.settled.pairs = unit->settled.pairs;
    struct campaign_record record = {
        .identity = &campaign->identity,
        .spec = spec_of(campaign, entry),
        .case_id = entry->id,
        .case_name = entry->name,
        .device = &part->info,
        .measurement = measurement,
        .repetition = repetition,
        .visit = unit->visits.count,
        .repeat = entry->repeat,
    };
    struct verdict *verdict = &measurement->verdict;
    if (!measure_next(campaign, measurement, entry, &sampling, &record.wall_s) ||
        campaign->broken) {
        return false;
    }
    normalise(campaign->tally, verdict, measurement->timed);
    unit->settled.distances = measurement->pairs_evaluated;
    unit->settled.pairs = measurement->pairs_counted;
    if (!is_same_program(campaign, entry, measurement->kernel_hash, &campaign->broken_by) ||
        !keep_visit(campaign, &record, unit, &campaign->broken_by)) {
        campaign->broken = true;
        return false;
    }
    campaign_add_to_estimate(campaign, entry, unit, record.wall_s);
    if (verdict->status != STATUS_OK && verdict->status != STATUS_UNSUPPORTED) {
        report_failure(campaign, entry, verdict);
    }
    return true;
}

static void keep_if_done(struct campaign *campaign, struct unit *unit) {
    if (!unit->has_row && is_done(campaign, unit) &&
        !keep_row(campaign, unit, &campaign->broken_by)) {
        campaign->broken = true;
    }
}

/* Brings a unit up to `wanted` visits, and its row to the file when it is done. Locked, but while
 * something is measured, which `measurement` is room for. */
static void campaign_visit(struct campaign *campaign, struct measurement *measurement,
                           size_t unit_index, size_t wanted) {
    struct unit *unit = &campaign->units[unit_index];
    const struct entry *entry = &campaign->entries[unit_index / campaign->repetitions];
    bool good = !campaign->broken && !campaign_signals_noted() && !campaign->lost[entry->part];
    while (good && !campaign->stopped && !unit->has_row && unit->visits.count < wanted &&
           !is_done(campaign, unit)) {
        good = measure(campaign, measurement, entry, unit_index % campaign->repetitions, unit);
    }
    if (good) {
        keep_if_done(campaign, unit);
        progress_done(&campaign->progress);
    }
}

void campaign_run_entry(void *context, size_t index, struct gbench_outcome *outcome) {
    struct campaign *campaign = context;
    const size_t repetition = campaign->entries[index].repetitions++;
    if (repetition >= campaign->repetitions) {
        outcome->failure = "not measured: one repetition more than was asked for";
        return;
    }
    const size_t unit_index = index * campaign->repetitions + repetition;
    const struct unit *unit = &campaign->units[unit_index];
    if (campaign->lanes == 1 && !(campaign->wants_more && unit->has_row)) {
        campaign_lock(campaign);
        campaign_visit(campaign, campaign->measurement, unit_index, unit->wanted);
        campaign_unlock(campaign);
    }
    if (campaign->broken) {
        outcome->failure = "not measured: the rows could not be written";
    } else if (unit->has_row) {
        report(campaign, &unit->row, outcome);
    } else if (campaign->stopped) {
        outcome->failure = "not measured: stopped at the first failure";
    } else if (campaign->lost[campaign->entries[index].part]) {
        outcome->failure = "not measured: the device is lost";
    } else {
        outcome->failure = "not measured: interrupted";
    }
}

/* What differs between processes is to differ between the visits of a case. */
void campaign_renew_part(const struct campaign_part *part) {
    if (part->measurer.renew) {
        part->measurer.renew(part->measurer.context);
    }
}

/* ---- orders ---- */

static void swap(char *one, char *other, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char moved = one[i];
        one[i] = other[i];
        other[i] = moved;
    }
}

void campaign_shuffle(void *items, size_t count, size_t size, uint64_t seed) {
    struct random random = random_from_seed(seed);
    char *bytes = items;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(random_next(&random) % i);
        swap(bytes + j * size, bytes + (i - 1) * size, size);
    }
}

/* ---- more visits where those of all cases leave one unclear ---- */

/* A change of less than this is none: what `compare` takes for one unless asked otherwise. */
static const double unclear_within = 0.03;

void campaign_want_visits(struct campaign *campaign) {
    const struct campaign_settings *settings = campaign->settings;
    for (size_t u = 0; u < campaign->count * campaign->repetitions; u++) {
        const struct entry *entry = &campaign->entries[u / campaign->repetitions];
        const bool more = !campaign->parts[entry->part].info.is_cpu || settings->more_on_processors;
        campaign->units[u].wanted = more && settings->most_visits > campaign->visits
                                        ? settings->most_visits
                                        : campaign->visits;
        campaign->wants_more = campaign->wants_more || campaign->units[u].wanted > campaign->visits;
    }
}

/* How long the visits of all cases took, and those beyond. */
static void add_times(const struct campaign *campaign, const struct unit *unit, double *first_s,
                      double *more_s) {
    for (size_t v = 0; v < unit->visits.count; v++) {
        const double wall_s = row_number(&unit->visits.rows[v], COLUMN_WALL_S);
        *(v < campaign->visits ? first_s : more_s) += isnan(wall_s) ? 0 : wall_s;
    }
}

/* What is known of the units of one device: `order` has theirs and others'. */
struct noise_of_units {
    struct visit_spread *spreads;
    struct moderated *moderated;
    struct row *rows; /* which the spreads' words are of */
    size_t *units;
    size_t count;
};

static bool noise_make(size_t count, struct noise_of_units *noise) {
    *noise = (struct noise_of_units){ .spreads = calloc(count + 1, sizeof *noise->spreads),
                                      .moderated = calloc(count + 1, sizeof *noise->moderated),
                                      .rows = calloc(count + 1, sizeof *noise->rows),
                                      .units = calloc(count + 1, sizeof *noise->units) };
    return noise->spreads && noise->moderated && noise->rows && noise->units;
}

static void noise_clear(struct noise_of_units *noise) {
    for (size_t i = 0; i < noise->count; i++) {
        row_free(&noise->rows[i]);
    }
    noise->count = 0;
}

static void noise_free_units(struct noise_of_units *noise) {
    noise_clear(noise);
    free(noise->spreads);
    free(noise->moderated);
    free(noise->rows);
    free(noise->units);
}

/* A case with a row from an earlier run adds to its class, too. */
static void noise_add(const struct campaign *campaign, size_t unit_index,
                      struct noise_of_units *noise) {
    const struct unit *unit = &campaign->units[unit_index];
    struct row *row = &noise->rows[noise->count];
    struct error ignored;
    if (!(unit->has_row ? row_copy(&unit->row, row, &ignored)
                        : unit->visits.count > 0 && visits_join(&unit->visits, row, &ignored))) {
        return;
    }
    if (visits_spread(row, &noise->spreads[noise->count])) {
        noise->units[noise->count++] = unit_index;
    } else {
        row_free(row);
    }
}

/* The units of a part that stay unclear keep the visits that they want; the others have enough. */
static void want_more_of_part(struct campaign *campaign, size_t part, const size_t *order,
                              size_t count, struct noise_of_units *noise) {
    for (size_t i = 0; i < count; i++) {
        if (campaign->entries[order[i] / campaign->repetitions].part == part) {
            noise_add(campaign, order[i], noise);
        }
    }
    moderate(noise->spreads, noise->count, noise->moderated);
    for (size_t i = 0; i < noise->count; i++) {
        struct unit *unit = &campaign->units[noise->units[i]];
        if (!unit->has_row &&
            visits_suffice(&noise->moderated[i], unit->visits.count, unclear_within)) {
            unit->wanted = unit->visits.count;
        }
    }
    noise_clear(noise);
}

/* Which units need one visit more; the others get their rows. None where the further visits have
 * taken as long as the first ones. */
static size_t want_more(struct campaign *campaign, const size_t *order, size_t count) {
    struct noise_of_units noise;
    double first_s = 0;
    double more_s = 0;
    size_t unclear = 0;
    const bool knows = noise_make(count, &noise);
    for (size_t p = 0; knows && p < campaign->part_count; p++) {
        want_more_of_part(campaign, p, order, count, &noise);
    }
    noise_free_units(&noise);
    for (size_t i = 0; i < count; i++) {
        add_times(campaign, &campaign->units[order[i]], &first_s, &more_s);
    }
    for (size_t i = 0; i < count; i++) {
        struct unit *unit = &campaign->units[order[i]];
        if (!knows || more_s >= first_s) {
            unit->wanted = unit->visits.count;
        }
        if (!campaign->lost[campaign->entries[order[i] / campaign->repetitions].part]) {
            unclear += !is_done(campaign, unit);
            keep_if_done(campaign, unit);
        }
    }
    return unclear;
}

/* ---- sweeps ---- */

static bool is_stopped(const struct campaign *campaign) {
    return campaign->broken || campaign->stopped || campaign_signals_noted();
}

/* Before a sweep beyond those of all cases. */
static bool goes_on(struct campaign *campaign, const size_t *order, size_t count, size_t sweep) {
    const size_t unclear =
        campaign->wants_more && !is_stopped(campaign) ? want_more(campaign, order, count) : 0;
    if (unclear > 0 && sweep == campaign->visits + 1) {
        progress_print(
            &campaign->progress,
            "%zu of %zu cases differ too much between visits to detect a change of 3 %%: "
            "visiting these again",
            unclear, count);
    }
    progress_add(&campaign->progress, unclear);
    return unclear > 0;
}

void campaign_run_sweeps(struct campaign *campaign, const struct sweeps *sweeps) {
    const uint64_t seed = campaign->settings->shuffle_seed;
    for (size_t sweep = 1;
         sweep <= sweeps->of_all ||
         (sweep > campaign->visits && goes_on(campaign, sweeps->order, sweeps->count, sweep));
         sweep++) {
        if (sweep > 1 || sweeps->of_all < campaign->visits) { /* one sweep is in their own order */
            campaign_shuffle(sweeps->order, sweeps->count, sizeof *sweeps->order, seed + sweep);
        }
        for (size_t i = 0; i < sweeps->count; i++) {
            if (sweep <= campaign->visits || !campaign->units[sweeps->order[i]].has_row) {
                campaign_visit(campaign, sweeps->measurement, sweeps->order[i], sweep);
            }
        }
        sweeps->renew(sweeps->context);
    }
}

static void renew_all(void *context) {
    const struct campaign *campaign = context;
    for (size_t p = 0; p < campaign->part_count; p++) {
        campaign_renew_part(&campaign->parts[p]);
    }
}

bool campaign_run_first_sweeps(struct campaign *campaign, struct error *error) {
    const size_t units = campaign->count * campaign->repetitions;
    struct sweeps sweeps = { .of_all =
                                 campaign->wants_more ? campaign->visits : campaign->visits - 1,
                             .order = calloc(units + 1, sizeof *sweeps.order),
                             .measurement = campaign->measurement,
                             .renew = renew_all,
                             .context = campaign };
    if (!sweeps.order) {
        return fail_out_of_memory(error, "the order of the cases");
    }
    for (size_t u = 0; u < units; u++) {
        if (campaign->chosen[u / campaign->repetitions]) {
            sweeps.order[sweeps.count++] = u;
        }
    }
    campaign_lock(campaign);
    campaign_run_sweeps(campaign, &sweeps);
    campaign_unlock(campaign);
    free(sweeps.order);
    return true;
}
