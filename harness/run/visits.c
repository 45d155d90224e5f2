#include "run/visits.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sampling ---- */

static int share_count(int whole, size_t visits) {
    return (int)(((size_t)whole + visits - 1) / visits);
}

struct sampling visits_share(const struct sampling *whole, size_t visits, size_t visit) {
    struct sampling share = *whole;
    const double count = (double)visits;
    share.warm_up_s /= count;
    share.time_cap_s /= count;
    share.noise_target *= sqrt(count);
    share.least_samples = share_count(whole->least_samples, visits);
    share.most_samples = share_count(whole->most_samples, visits);
    share.cold_samples = visit == 0 ? whole->cold_samples : 0;
    return share;
}

/* ---- the visits of a case ---- */

bool visits_add(struct visits *visits, struct row *row, struct error *error) {
    struct row *rows = realloc(visits->rows, (visits->count + 1) * sizeof *rows);
    if (!rows) {
        row_free(row);
        return fail_out_of_memory(error, "a visit");
    }
    visits->rows = rows;
    visits->rows[visits->count++] = *row;
    *row = (struct row){ 0 };
    return true;
}

void visits_free(struct visits *visits) {
    for (size_t i = 0; i < visits->count; i++) {
        row_free(&visits->rows[i]);
    }
    free(visits->rows);
    *visits = (struct visits){ 0 };
}

static bool has_passed(const struct row *row) {
    return strcmp(row_text(row, "status"), status_name(STATUS_OK)) == 0;
}

static size_t visits_worth(double launch_s, double time_cap_s) {
    if (launch_s > time_cap_s / 4) {
        return 1;
    }
    return launch_s > time_cap_s / 20 ? 2 : SIZE_MAX;
}

bool visits_are_done(const struct visits *visits, size_t most, double time_cap_s) {
    if (visits->count == 0) {
        return false;
    }
    const double launch_s = row_number(&visits->rows[0], "force_s_median");
    return visits->count >= most || visits->count >= visits_worth(launch_s, time_cap_s) ||
           !has_passed(&visits->rows[visits->count - 1]);
}

/* ---- one row of them ---- */

enum joining { MEDIAN, SUM, LEAST, LARGEST };

/* What is not here is as in the last visit. */
static const struct {
    const char *column;
    enum joining joining;
} joined_columns[] = {
    { "build_s_median", MEDIAN },
    { "end_to_end_s_median", MEDIAN },
    { "force_s_median", MEDIAN },
    { "force_s_min", LEAST },
    { "force_s_p05", MEDIAN },
    { "force_s_p95", MEDIAN },
    { "force_s_mad", MEDIAN },
    { "cold_force_s_median", MEDIAN },
    { "fresh_force_s_median", MEDIAN },
    { "sm_clock_mhz", MEDIAN },
    { "temperature_c", MEDIAN },
    { "power_w", MEDIAN },
    { "energy_j", MEDIAN },
    { "nj_per_pair", MEDIAN },
    { "samples", SUM },
    { "samples_dropped", SUM },
    { "wall_s", SUM },
    { "bitwise_repeatable", LEAST },
    { "max_rel_force_error", LARGEST },
    { "rms_rel_force_error", LARGEST },
    { "rel_energy_error", LARGEST },
    { "rel_virial_error", LARGEST },
    { "net_force", LARGEST },
    { "worst_ratio", LARGEST },
    { "machine_load", LARGEST },
    { "short_kernel", LARGEST },
};

/* The numbers of a column, ascending; NaN are left out. */
static size_t collect(const struct visits *visits, const char *column, double *values) {
    size_t count = 0;
    for (size_t i = 0; i < visits->count; i++) {
        const double value = row_number(&visits->rows[i], column);
        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    sort_numbers(values, count);
    return count;
}

static double join(const double *sorted, size_t count, enum joining joining) {
    double sum = 0;
    if (count == 0) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
    }
    switch (joining) {
    case SUM:
        return sum;
    case LEAST:
        return sorted[0];
    case LARGEST:
        return sorted[count - 1];
    default:
        return quantile_of_sorted(sorted, count, 0.5);
    }
}

/* NaN for fewer than two. */
static double deviation_of(const double *values, size_t count) {
    double mean = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        mean += values[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return count > 1 ? sqrt(squares / ((double)count - 1)) : NAN;
}

/* The rates of the last visit are those of its time: as much more or less as that is shorter or
 * longer than the median. */
static void join_rates(const struct row *last, double median_s, struct row *row) {
    static const char *const rates[] = { "pairs_per_s", "evaluated_pairs_per_s",
                                         "percent_of_peak" };
    const double longer = row_number(last, "force_s_median") / median_s;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        row_set_number(row, rates[i], row_number(last, rates[i]) * longer);
    }
    row_set_number(row, "ns_per_particle", row_number(last, "ns_per_particle") / longer);
}

/* What slowed any of them slowed the case. */
static void join_throttling(const struct visits *visits, struct row *row) {
    for (size_t i = 0; i < visits->count; i++) {
        const char *reasons = row_text(&visits->rows[i], "throttle_reasons");
        if (*row_text(row, "throttle_reasons") == '\0' && *reasons) {
            row_set(row, "throttle_reasons", reasons);
        }
    }
}

static void join_times(const struct visits *visits, double *values, struct row *row) {
    for (size_t i = 0; i < sizeof joined_columns / sizeof joined_columns[0]; i++) {
        const char *column = joined_columns[i].column;
        const size_t count = collect(visits, column, values);
        row_set_number(row, column, join(values, count, joined_columns[i].joining));
    }
    const size_t count = collect(visits, "force_s_median", values);
    row_set_number(row, "visit_s_sd", deviation_of(values, count));
    join_rates(&visits->rows[visits->count - 1], row_number(row, "force_s_median"), row);
    join_throttling(visits, row);
}

bool visits_join(const struct visits *visits, struct row *row, struct error *error) {
    const struct row *last = &visits->rows[visits->count - 1];
    double *values = calloc(visits->count, sizeof *values);
    if (!values || !row_copy(last, row, error)) {
        free(values);
        return fail_out_of_memory(error, "a row");
    }
    row_set_count(row, "visits", (int64_t)visits->count);
    if (has_passed(last)) {
        join_times(visits, values, row);
    } else {
        row_set_number(row, "wall_s", join(values, collect(visits, "wall_s", values), SUM));
    }
    free(values);
    if (row->failed) {
        row_free(row);
        return fail_out_of_memory(error, "a row");
    }
    return true;
}
