#include "record/campaign_row.h"

#include <inttypes.h>
#include <math.h>

const char *const sample_columns[] = { "case_id", "repetition", "sample", "cache", "seconds",
                                       "device",  "run_id",     "visit",  NULL };

/* Times stand for something only where the gate has passed. */
static bool is_timed(const struct measurement *measurement) {
    return measurement->verdict.status == STATUS_OK && measurement->timed;
}

static double ratio(double a, double b) {
    return a >= 0 && b > 0 ? a / b : NAN;
}

struct campaign_rates campaign_rates_of(const struct measurement *measurement) {
    struct campaign_rates rates = { NAN, NAN, NAN, NAN };
    double in_cutoff = (double)measurement->pairs_in_cutoff;
    double evaluated = (double)measurement->pairs_evaluated;
    if (is_timed(measurement)) {
        double seconds = measurement->force.median_s;
        rates.pairs_per_s = ratio(in_cutoff, seconds);
        rates.evaluated_pairs_per_s = ratio(evaluated, seconds);
        rates.ns_per_particle = ratio(1e9 * seconds, (double)measurement->n);
        rates.hit_ratio = ratio(in_cutoff, evaluated);
    }
    return rates;
}

static void fill_identity(const struct campaign_record *record, struct row *row) {
    const struct case_spec *spec = record->spec;
    char utc[32];
    char tunables[TUNINGS_WORDS_SIZE];
    struct text interaction = { 0 };
    environment_utc(utc, sizeof utc);
    tunings_describe(&spec->tunings, tunables, sizeof tunables);
    interaction_describe(&spec->interaction, &interaction);
    row->failed = row->failed || interaction.failed;
    row_set(row, "run_id", record->identity->run_id);
    row_set(row, "case_id", record->case_id);
    row_set(row, "utc", utc);
    row_set(row, "host", record->identity->host);
    row_set(row, "git_commit", record->identity->git_commit);
    row_set(row, "workload", spec->variant->workload);
    row_set(row, "interaction", interaction.data ? interaction.data : spec->interaction.name);
    row_set(row, "variant", spec->variant->name);
    row_set(row, "structure", spec->variant->structure);
    row_set(row, "precision", precision_name(spec->precision));
    row_set(row, "outputs", outputs_name(spec->outputs));
    row_set(row, "tunables", tunables);
    if (spec->tuned) {
        row_set(row, "tuned", "1");
    }
    row_set(row, "case_name", record->case_name);
    row_set_count(row, "repetition", (int64_t)record->repetition);
    row_set_number(row, "wall_s", record->wall_s);
    row_set_count(row, "twin", record->twin);
    row_set_count(row, "visits", 1);
    text_free(&interaction);
}

/* Of a made box that never came to be; NaN where only the box can tell. */
static double planned_cutoff(const struct case_spec *spec) {
    const struct box_spec *box = &spec->box;
    if (!isnan(spec->cutoff)) {
        return spec->cutoff;
    }
    return box->open ? INFINITY : box_shortest_edge(box->kind, box->n, box->density) / 2;
}

/* The box as it came out; where the case ended before there was one, or its worker did and took
 * what it knew along, as it was asked for. */
static void fill_box(const struct campaign_record *record, struct row *row) {
    const struct measurement *measurement = record->measurement;
    const struct box_spec *asked = &record->spec->box;
    if (measurement->box_hash[0]) {
        row_set(row, "box_kind", measurement->box_kind);
        row_set_count(row, "n", (int64_t)measurement->n);
        row_set_number(row, "density", measurement->density);
        row_set_number(row, "cutoff", measurement->cutoff);
        row_set(row, "box_hash", measurement->box_hash);
        row_set_count(row, "pairs_in_cutoff", measurement->pairs_in_cutoff);
        row_set_count(row, "periodic", isfinite(measurement->density));
    } else if (asked->path[0]) {
        row_set(row, "box_kind", "file");
        row_set_number(row, "cutoff", record->spec->cutoff);
    } else {
        row_set(row, "box_kind", asked->kind);
        row_set_count(row, "n", (int64_t)asked->n);
        if (!asked->open) {
            row_set_number(row, "density",
                           asked->density > 0 ? asked->density : box_default_density(asked->kind));
        }
        row_set_number(row, "cutoff", planned_cutoff(record->spec));
        row_set_count(row, "periodic", !asked->open);
    }
    if (!asked->path[0]) {
        row_set_count(row, "seed", (int64_t)asked->seed);
    }
}

/* Groups as they were asked for, in the words of the case's name; what reduces the sums where there
 * are any. */
static void fill_groups(const struct campaign_record *record, struct row *row) {
    const struct case_spec *spec = record->spec;
    struct text words = { 0 };
    if (case_is_coordination(spec)) {
        group_spec_describe(&spec->group, &words);
        row->failed = row->failed || words.failed;
        row_set(row, "groups", words.data ? words.data : "");
        const bool known = record->measurement->box_hash[0] != '\0';
        row_set_count(row, "n_a", known ? record->measurement->n_a : -1);
        row_set_count(row, "n_b", known ? record->measurement->n_b : -1);
    }
    if (spec->outputs != OUTPUTS_FORCES) {
        row_set(row, "reduction", reduction_name(spec->reduction));
    }
    text_free(&words);
}

static void fill_device(const struct campaign_record *record, struct row *row) {
    const struct device_info *device = record->device;
    const struct measurement *measurement = record->measurement;
    row_set(row, "backend", device->kind == DEVICE_CUDA ? "cuda" : "opencl");
    row_set(row, "device", device->name);
    row_set(row, "device_model", device->model);
    row_set(row, "driver", device->driver);
    row_set(row, "toolkit", device->toolkit);
    if (measurement->kernel_hash[0]) { /* there was a program */
        row_set(row, "compiler_options", measurement->compiler_options);
        row_set(row, "kernel_hash", measurement->kernel_hash);
        row_set_count(row, "registers", measurement->registers);
        row_set_count(row, "local_bytes", measurement->local_bytes);
    }
}

static void fill_verdict(const struct verdict *verdict, struct row *row) {
    row_set(row, "status", status_name(verdict->status));
    row_set(row, "message", verdict->message);
    if (verdict->status == STATUS_OK || verdict->status == STATUS_WRONG ||
        verdict->status == STATUS_STALE) {
        row_set_number(row, "max_rel_force_error", verdict->max_force_error);
        row_set_number(row, "rms_rel_force_error", verdict->rms_force_error);
        row_set_number(row, "rel_energy_error", verdict->energy_error);
        row_set_number(row, "rel_virial_error", verdict->virial_error);
        row_set_number(row, "net_force", verdict->net_force);
        row_set_number(row, "worst_ratio", verdict->worst_ratio);
        row_set_count(row, "bitwise_repeatable", verdict->bitwise_repeatable);
    }
    row_set_count(row, "judged_particles", verdict->judged.particles);
    row_set_count(row, "judge_seed", verdict->judged.seed);
    row_set(row, "judged_rest", verdict->judged.rest);
}

static void fill_times(const struct measurement *measurement, struct row *row) {
    const struct timing *force = &measurement->force;
    const struct device_state *state = &measurement->state;
    struct campaign_rates rates = campaign_rates_of(measurement);
    row_set_number(row, "build_s_median", measurement->build_s_median);
    row_set_number(row, "end_to_end_s_median", measurement->end_to_end_s_median);
    row_set_number(row, "force_s_median", force->median_s);
    row_set_number(row, "force_s_min", force->min_s);
    row_set_number(row, "force_s_p05", force->p05_s);
    row_set_number(row, "force_s_p95", force->p95_s);
    row_set_number(row, "force_s_mad", force->mad_s);
    row_set_number(row, "cold_force_s_median", measurement->cold_force_s_median);
    row_set_number(row, "fresh_force_s_median", measurement->fresh_force_s_median);
    row_set_count(row, "samples", force->samples);
    row_set(row, "stop_reason", force->stop_reason ? force->stop_reason : "");
    row_set_count(row, "pairs_evaluated", measurement->pairs_evaluated);
    row_set_number(row, "hit_ratio", rates.hit_ratio);
    row_set_number(row, "pairs_per_s", rates.pairs_per_s);
    row_set_number(row, "evaluated_pairs_per_s", rates.evaluated_pairs_per_s);
    row_set_number(row, "ns_per_particle", rates.ns_per_particle);
    row_set_number(row, "percent_of_peak", measurement->percent_of_peak);
    row_set_number(row, "sm_clock_mhz", state->sm_clock_mhz);
    row_set_number(row, "temperature_c", state->temperature_c);
    row_set_number(row, "power_w", state->power_w);
    row_set_number(row, "energy_j", state->energy_j);
    row_set(row, "throttle_reasons", state->throttle_reasons);
    row_set_count(row, "samples_dropped", measurement->samples_dropped);
    row_set_count(row, "short_kernel", measurement->short_kernel);
    row_set_number(row, "machine_load", measurement->machine_load);
    row_set_number(row, "nj_per_pair",
                   1e9 * ratio(state->energy_j, (double)measurement->pairs_in_cutoff));
}

void campaign_fill_row(const struct campaign_record *record, struct row *row) {
    fill_identity(record, row);
    fill_box(record, row);
    fill_groups(record, row);
    fill_device(record, row);
    fill_verdict(&record->measurement->verdict, row);
    if (is_timed(record->measurement)) {
        fill_times(record->measurement, row);
    }
}

void campaign_format_samples(const struct campaign_record *record, struct text *records) {
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
