#include "boxes/box.h"
#include "campaign/memory.h"
#include "campaign/plan/plan.h"
#include "campaign/rows/run_folder.h"
#include "core/strings.h"

#include <inttypes.h>
#include <math.h>

const char *const sample_columns[] = { "case_id", "repetition", "sample", "cache", "seconds",
                                       "device",  "run_id",     "visit",  NULL };

const char *const stage_columns[] = { "case_id", "repetition", "visit",  "stage", "statistic",
                                      "value",   "device",     "run_id", NULL };

/* Times stand for something only where the gate has passed. */
static bool is_timed(const struct measurement *measurement) {
    return measurement->verdict.status == STATUS_OK && measurement->timed;
}

static double ratio(double a, double b) {
    return a >= 0 && b > 0 ? a / b : NAN;
}

static struct campaign_rates campaign_rates_of(const struct measurement *measurement) {
    struct campaign_rates rates = { NAN, NAN, NAN, NAN, NAN };
    double in_cutoff = (double)measurement->pairs_in_cutoff;
    double evaluated = (double)measurement->pairs_evaluated;
    if (is_timed(measurement)) {
        const double steps = (double)measurement->steps;
        double seconds = measurement->force.median_s;
        in_cutoff *= steps > 0 ? steps : 1;
        rates.atom_steps_per_s = ratio(steps > 0 ? steps * (double)measurement->n : NAN, seconds);
        rates.pairs_per_s = ratio(in_cutoff, seconds);
        rates.evaluated_pairs_per_s = ratio(evaluated, seconds);
        rates.ns_per_particle = ratio(1e9 * seconds, (double)measurement->n);
        rates.hit_ratio = ratio(in_cutoff, evaluated);
    }
    return rates;
}

/* All that the case itself decides. */
static void fill_case(const struct case_spec *spec, struct row *row) {
    for (int column = 0; column < COLUMN_COUNT; column++) {
        struct strbuf words = { 0 };
        if (case_words(spec, (enum column)column, &words)) {
            row_set(row, (enum column)column, words.data ? words.data : "");
        }
        memory_check(!words.failed);
        strbuf_free(&words);
    }
}

static void fill_identity(const struct campaign_record *record, struct row *row) {
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
    row_set_count(row, COLUMN_TWIN, record->repeat);
    row_set_count(row, COLUMN_VISITS, 1);
}

/* Of a box that was never made; NaN where only the box has it. */
static double planned_cutoff(const struct case_spec *spec) {
    const struct box_spec *box = &spec->box;
    const bool made = box->path[0] == '\0';
    return cutoff_in(
        spec->cutoff, made && box->open,
        made ? box_least_height(box->kind, box_spec_share(box), box->density, box->periodic) / 2
             : NAN);
}

/* As it was asked for. */
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

/* The box as it came out; where the case ended before there was one, or its worker did and took
 * what it knew along, as it was asked for. */
static void fill_box(const struct campaign_record *record, struct row *row) {
    const struct measurement *measurement = record->measurement;
    if (measurement->box_hash[0]) {
        row_set(row, COLUMN_BOX_KIND, measurement->box_kind);
        row_set_count(row, COLUMN_N, (int64_t)measurement->n);
        row_set_number(row, COLUMN_DENSITY, measurement->density);
        row_set_number(row, COLUMN_CUTOFF, measurement->cutoff);
        row_set(row, COLUMN_BOX_HASH, measurement->box_hash);
        row_set_count(row, COLUMN_PAIRS_IN_CUTOFF, measurement->pairs_in_cutoff);
        row_set_count(row, COLUMN_PERIODIC, measurement->periodic);
        row_set(row, COLUMN_AXES, measurement->axes);
    } else {
        fill_asked_box(record->spec, row);
    }
    fill_seed(&record->spec->box, row);
}

static void fill_groups(const struct campaign_record *record, struct row *row) {
    if (axis_is_of(AXIS_GROUP_A, record->spec->variant->workload)) {
        const bool known = record->measurement->box_hash[0] != '\0';
        row_set_count(row, COLUMN_N_A, known ? record->measurement->n_a : -1);
        row_set_count(row, COLUMN_N_B, known ? record->measurement->n_b : -1);
    }
}

static void fill_terms(const struct campaign_record *record, struct row *row) {
    static const enum column columns[BONDED_KINDS] = { COLUMN_BONDS, COLUMN_ANGLES, COLUMN_TORSIONS,
                                                       COLUMN_RB_TORSIONS };
    if (!axis_is_of(AXIS_BONDS, record->spec->variant->workload) ||
        !record->measurement->kernel_hash[0]) {
        return;
    }
    for (int kind = 0; kind < BONDED_KINDS; kind++) {
        row_set_count(row, columns[kind], record->measurement->terms[kind]);
    }
}

static void fill_device(const struct campaign_record *record, struct row *row) {
    const struct device_info *device = record->device;
    const struct measurement *measurement = record->measurement;
    row_set(row, COLUMN_BACKEND, device->kind == DEVICE_CUDA ? "cuda" : "opencl");
    row_set(row, COLUMN_DEVICE, device->name);
    row_set(row, COLUMN_DEVICE_MODEL, device->model);
    row_set(row, COLUMN_DRIVER, device->driver);
    row_set(row, COLUMN_TOOLKIT, device->toolkit);
    if (measurement->kernel_hash[0]) { /* there was a program */
        row_set(row, COLUMN_COMPILER_OPTIONS, measurement->compiler_options);
        row_set(row, COLUMN_KERNEL_HASH, measurement->kernel_hash);
        row_set_count(row, COLUMN_REGISTERS, measurement->registers);
        row_set_count(row, COLUMN_LOCAL_BYTES, measurement->local_bytes);
    }
}

static void fill_verdict(const struct verdict *verdict, struct row *row) {
    row_set(row, COLUMN_STATUS, status_name(verdict->status));
    row_set(row, COLUMN_MESSAGE, verdict->message);
    if (verdict->status == STATUS_OK || verdict->status == STATUS_WRONG ||
        verdict->status == STATUS_STALE) {
        row_set_number(row, COLUMN_MAX_REL_FORCE_ERROR, verdict->max_force_error);
        row_set_number(row, COLUMN_RMS_REL_FORCE_ERROR, verdict->rms_force_error);
        row_set_number(row, COLUMN_REL_ENERGY_ERROR, verdict->energy_error);
        row_set_number(row, COLUMN_REL_VIRIAL_ERROR, verdict->virial_error);
        row_set_number(row, COLUMN_NET_FORCE, verdict->net_force);
        row_set_number(row, COLUMN_WORST_RATIO, verdict->worst_ratio);
        row_set_count(row, COLUMN_BITWISE_REPEATABLE, verdict->bitwise_repeatable);
        row_set(row, COLUMN_REPEATABLE, verdict->repeatable);
        row_set(row, COLUMN_RESULT_HASH, verdict->result_hash);
    }
    row_set_count(row, COLUMN_JUDGED_PARTICLES, verdict->judged.particles);
    row_set_count(row, COLUMN_JUDGE_SEED, verdict->judged.seed);
    row_set(row, COLUMN_JUDGED_REST, verdict->judged.rest);
}

static void fill_times(const struct measurement *measurement, struct row *row) {
    const struct timing *force = &measurement->force;
    const struct device_state *state = &measurement->state;
    struct campaign_rates rates = campaign_rates_of(measurement);
    row_set_number(row, COLUMN_BUILD_S_MEDIAN, measurement->build_s_median);
    row_set_number(row, COLUMN_END_TO_END_S_MEDIAN, measurement->end_to_end_s_median);
    row_set_number(row, COLUMN_FORCE_S_MEDIAN, force->median_s);
    row_set_number(row, COLUMN_FORCE_S_MIN, force->min_s);
    row_set_number(row, COLUMN_FORCE_S_P05, force->p05_s);
    row_set_number(row, COLUMN_FORCE_S_P95, force->p95_s);
    row_set_number(row, COLUMN_FORCE_S_MAD, force->mad_s);
    row_set_number(row, COLUMN_COLD_FORCE_S_MEDIAN, measurement->cold_force_s_median);
    row_set_number(row, COLUMN_FRESH_FORCE_S_MEDIAN, measurement->fresh_force_s_median);
    row_set_number(row, COLUMN_AMORTIZED_S_MEDIAN, measurement->amortized_s_median);
    row_set_count(row, COLUMN_SAMPLES, force->samples);
    row_set(row, COLUMN_STOP_REASON, force->stop_reason ? force->stop_reason : "");
    row_set_count(row, COLUMN_PAIRS_EVALUATED, measurement->pairs_evaluated);
    row_set_number(row, COLUMN_HIT_RATIO, rates.hit_ratio);
    row_set_number(row, COLUMN_PAIRS_PER_S, rates.pairs_per_s);
    row_set_number(row, COLUMN_EVALUATED_PAIRS_PER_S, rates.evaluated_pairs_per_s);
    row_set_number(row, COLUMN_NS_PER_PARTICLE, rates.ns_per_particle);
    row_set_number(row, COLUMN_ATOM_STEPS_PER_S, rates.atom_steps_per_s);
    row_set_number(row, COLUMN_PERCENT_OF_PEAK, measurement->percent_of_peak);
    row_set_number(row, COLUMN_COUNTED_PERCENT_OF_PEAK, measurement->counted_percent_of_peak);
    row_set_number(row, COLUMN_SM_CLOCK_MHZ, state->sm_clock_mhz);
    row_set_number(row, COLUMN_TEMPERATURE_C, state->temperature_c);
    row_set_number(row, COLUMN_POWER_W, state->power_w);
    row_set_number(row, COLUMN_ENERGY_J, state->energy_j);
    row_set(row, COLUMN_THROTTLE_REASONS, state->throttle_reasons);
    row_set_count(row, COLUMN_SAMPLES_DROPPED, measurement->samples_dropped);
    row_set_count(row, COLUMN_SHORT_KERNEL, measurement->short_kernel);
    row_set_number(row, COLUMN_MACHINE_LOAD, measurement->machine_load);
    row_set_number(row, COLUMN_NJ_PER_PAIR,
                   1e9 * ratio(state->energy_j, (double)measurement->pairs_in_cutoff));
}

void campaign_fill_case(const struct case_spec *spec, struct row *row) {
    fill_case(spec, row);
    fill_asked_box(spec, row);
    fill_seed(&spec->box, row);
}

void campaign_fill_row(const struct campaign_record *record, struct row *row) {
    fill_identity(record, row);
    fill_case(record->spec, row);
    fill_box(record, row);
    fill_groups(record, row);
    fill_terms(record, row);
    fill_device(record, row);
    fill_verdict(&record->measurement->verdict, row);
    if (is_timed(record->measurement)) {
        fill_times(record->measurement, row);
    }
}

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
