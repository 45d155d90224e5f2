/* Fills a row from a case and its measurement, as columns.def says where each column comes from,
 * and formats samples and stages. */
#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "core/strings.h"
#include "measure/program.h"

#include <inttypes.h>
#include <math.h>

const char *const sample_columns[] = { "case_id", "repetition", "sample", "cache", "seconds",
                                       "device",  "run_id",     "visit",  NULL };

const char *const stage_columns[] = { "case_id", "repetition", "visit",  "stage", "statistic",
                                      "value",   "device",     "run_id", NULL };

/* Whether the row has times: a case that fails the gate gets none. */
static bool is_timed(const struct measurement *measurement) {
    return measurement->verdict.status == STATUS_OK && measurement->timed;
}

static double ratio(double a, double b) {
    return a >= 0 && b > 0 ? a / b : NAN;
}

/* Columns that are computed from others: rates and ratios. */
static void fill_derived(const struct measurement *measurement, struct row *row) {
    const double n = (double)measurement->n;
    const double steps = (double)measurement->steps; /* of an evaluation; 0: it has none */
    const double seconds = measurement->force.median_s;
    const double pairs = (double)measurement->pairs_in_cutoff;
    const double computed = pairs * (steps > 0 ? steps : 1);
    const double evaluated = (double)measurement->pairs_evaluated;
    row_set_number(row, COLUMN_HIT_RATIO, ratio(computed, evaluated));
    row_set_number(row, COLUMN_PAIRS_PER_S, ratio(computed, seconds));
    row_set_number(row, COLUMN_EVALUATED_PAIRS_PER_S, ratio(evaluated, seconds));
    row_set_number(row, COLUMN_NS_PER_PARTICLE, ratio(1e9 * seconds, n));
    row_set_number(row, COLUMN_ATOM_STEPS_PER_S, ratio(steps > 0 ? steps * n : NAN, seconds));
    row_set_number(row, COLUMN_NJ_PER_PAIR, 1e9 * ratio(measurement->state.energy_j, pairs));
}

/* ---- what was measured ---- */

/* Whether the measurement has the columns of a source. */
static bool is_known(const struct campaign_record *record, enum column_source source) {
    const struct measurement *measurement = record->measurement;
    const struct workload *workload = record->spec->variant->workload;
    const enum status status = measurement->verdict.status;
    switch (source) {
    case SOURCE_BOX:
        return measurement->box_hash[0] != '\0';
    case SOURCE_GROUPS:
        return measurement->box_hash[0] && axis_is_of(AXIS_GROUP_A, workload);
    case SOURCE_PROGRAM:
        return measurement->kernel_hash[0] != '\0';
    case SOURCE_TERMS:
        return measurement->kernel_hash[0] && axis_is_of(AXIS_BONDS, workload);
    case SOURCE_VERDICT:
        return true;
    case SOURCE_ERRORS:
        return status == STATUS_OK || status == STATUS_WRONG || status == STATUS_STALE;
    case SOURCE_TIMES:
        return is_timed(measurement);
    default:
        return false;
    }
}

static void fill_member(const struct measurement *measurement, enum column column,
                        struct row *row) {
    const void *member = (const char *)measurement + column_table[column].member;
    switch (column_table[column].member_type) {
    case MEMBER_WORDS:
        row_set(row, column, member);
        break;
    case MEMBER_DOUBLE:
        row_set_number(row, column, *(const double *)member);
        break;
    case MEMBER_INT:
        row_set_count(row, column, *(const int *)member);
        break;
    case MEMBER_INT64:
        row_set_count(row, column, *(const int64_t *)member);
        break;
    case MEMBER_SIZE:
        row_set_count(row, column, (int64_t) * (const size_t *)member);
        break;
    case MEMBER_BOOL:
        row_set_count(row, column, *(const bool *)member);
        break;
    }
}

static void fill_measured(const struct campaign_record *record, struct row *row) {
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (is_known(record, column_table[column].source)) {
            fill_member(record->measurement, (enum column)column, row);
        }
    }
}

/* ---- what was asked for ---- */

/* The columns that the case alone decides (case_words). */
static void fill_case(const struct case_spec *spec, struct row *row) {
    for (int column = 0; column < COLUMN_COUNT; column++) {
        struct strbuf words = { 0 };
        if (case_words(spec, (enum column)column, &words)) {
            row_set(row, (enum column)column, strbuf_text(&words));
        }
        strbuf_free(&words);
    }
}

/* The cutoff of a case whose box was not made; NaN if it depends on a box from a file. */
static double planned_cutoff(const struct case_spec *spec) {
    const struct box_spec *box = &spec->box;
    const bool made = box->path[0] == '\0';
    return cutoff_in(
        spec->cutoff, made && box->open,
        made ? box_least_height(box->kind, box_spec_share(box), box->density, box->periodic) / 2
             : NAN);
}

/* The box as the plan describes it. */
static void fill_asked_box(const struct case_spec *spec, struct row *row) {
    const struct box_spec *asked = &spec->box;
    row_set_number(row, COLUMN_CUTOFF, planned_cutoff(spec));
    if (asked->path[0]) {
        row_set(row, COLUMN_BOX_KIND, "file");
        return;
    }
    row_set(row, COLUMN_BOX_KIND, asked->kind);
    row_set_count(row, COLUMN_N, (int64_t)asked->n);
    row_set(row, COLUMN_AXES, asked->periodic);
    if (!asked->open && !*asked->periodic) {
        row_set_number(row, COLUMN_DENSITY,
                       asked->density > 0 ? asked->density : box_default_density(asked->kind));
    }
    row_set_count(row, COLUMN_PERIODIC, !asked->open);
}

static void fill_seed(const struct box_spec *asked, struct row *row) {
    if (!asked->path[0]) {
        row_set_count(row, COLUMN_SEED, (int64_t)asked->seed);
    }
}

/* ---- the run and the device ---- */

static void fill_record(const struct campaign_record *record, struct row *row) {
    char utc[32];
    environment_utc(utc, sizeof utc);
    row_set(row, COLUMN_RUN_ID, record->identity->run_id);
    row_set(row, COLUMN_CASE_ID, record->case_id);
    row_set(row, COLUMN_UTC, utc);
    row_set(row, COLUMN_HOST, record->identity->host);
    row_set(row, COLUMN_GIT_COMMIT, record->identity->git_commit);
    row_set(row, COLUMN_CASE_NAME, record->case_name);
    row_set_count(row, COLUMN_REPETITION, (int64_t)record->repetition);
    row_set_number(row, COLUMN_WALL_S, record->wall_s);
    row_set_count(row, COLUMN_TWIN, record->twin);
    row_set_count(row, COLUMN_VISITS, 1);
    row_set(row, COLUMN_STATUS, status_name(record->measurement->verdict.status));
    row_set(row, COLUMN_BACKEND, backend_of_class(record->device->kind));
    row_set(row, COLUMN_DEVICE, record->device->name);
    row_set(row, COLUMN_DEVICE_MODEL, record->device->model);
    row_set(row, COLUMN_DRIVER, record->device->driver);
    row_set(row, COLUMN_TOOLKIT, record->device->toolkit);
}

void campaign_fill_case(const struct case_spec *spec, struct row *row) {
    fill_case(spec, row);
    fill_asked_box(spec, row);
    fill_seed(&spec->box, row);
}

/* If no box was measured, as when the case failed early or its worker died, the row has the box of
 * the plan. */
void campaign_fill_row(const struct campaign_record *record, struct row *row) {
    fill_record(record, row);
    fill_case(record->spec, row);
    fill_seed(&record->spec->box, row);
    fill_measured(record, row);
    if (!is_known(record, SOURCE_BOX)) {
        fill_asked_box(record->spec, row);
    }
    if (is_timed(record->measurement)) {
        fill_derived(record->measurement, row);
    }
}

/* ---- samples.csv and stages.csv ---- */

void campaign_format_samples(const struct campaign_record *record, struct strbuf *records) {
    const struct measurement *measurement = record->measurement;
    char repetition[24], index[24], seconds[32], visit[24];
    const char *fields[] = {
        record->case_id,          repetition, index, "hot", seconds, record->device->name,
        record->identity->run_id, visit
    };
    (void)snprintf(repetition, sizeof repetition, "%zu", record->repetition);
    (void)snprintf(visit, sizeof visit, "%zu", record->visit);
    for (int i = 0; is_timed(measurement) && i < measurement->sample_count; i++) {
        (void)snprintf(index, sizeof index, "%d", i);
        (void)snprintf(seconds, sizeof seconds, "%.9g", (double)measurement->samples[i]);
        record_format(records, fields, sizeof fields / sizeof fields[0]);
    }
}

static void format_statistic(const struct campaign_record *record, const char *stage,
                             const char *statistic, double value, struct strbuf *records) {
    char repetition[24], visit[24], words[32];
    const char *fields[] = {
        record->case_id,         repetition, visit, stage, statistic, words, record->device->name,
        record->identity->run_id
    };
    (void)snprintf(repetition, sizeof repetition, "%zu", record->repetition);
    (void)snprintf(visit, sizeof visit, "%zu", record->visit);
    (void)snprintf(words, sizeof words, "%.9g", value);
    record_format(records, fields, sizeof fields / sizeof fields[0]);
}

void campaign_format_stages(const struct campaign_record *record, struct strbuf *records) {
    const struct measurement *measurement = record->measurement;
    for (int s = 0; is_timed(measurement) && s < measurement->stage_count; s++) {
        const struct stage_time *stage = &measurement->stages[s];
        format_statistic(record, stage->name, "median_s", stage->median_s, records);
        format_statistic(record, stage->name, "min_s", stage->min_s, records);
        format_statistic(record, stage->name, "samples", stage->samples, records);
    }
}
