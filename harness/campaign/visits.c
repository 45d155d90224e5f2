/* Divides the sampling of a case among its visits, joins their rows to one, and estimates how well
 * its time is known. */
#include "campaign/visits.h"

#include "core/statistics.h"
#include "measure/program.h"

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
    share.min_samples = share_count(whole->min_samples, visits);
    share.max_samples = share_count(whole->max_samples, visits);
    share.cold_samples = visit == 0 ? whole->cold_samples : 0;
    share.max_builds = share_count(whole->max_builds, visits);
    share.stages = whole->stages && visit == 0;
    share.earlier.gated = visit > 0;
    return share;
}

/* ---- the visits of a case ---- */

void visits_add(struct visits *visits, struct row *row) {
    visits->rows = memory_grown(visits->rows, visits->count + 1, sizeof *visits->rows);
    visits->rows[visits->count++] = *row;
    *row = (struct row){ 0 };
}

void visits_free(struct visits *visits) {
    for (size_t i = 0; i < visits->count; i++) {
        row_free(&visits->rows[i]);
    }
    free(visits->rows);
    *visits = (struct visits){ 0 };
}

static size_t visits_worth(double launch_s, double time_cap_s) {
    if (launch_s > time_cap_s / 4) {
        return 1;
    }
    return launch_s > time_cap_s / 20 ? 2 : SIZE_MAX;
}

/* How many visits there will be, as far as is known; `most` before the first. */
static size_t count_wanted(const struct visits *visits, size_t most, double time_cap_s) {
    if (visits->count == 0) {
        return most;
    }
    if (!row_passed(&visits->rows[visits->count - 1])) {
        return visits->count;
    }
    const double launch_s = row_number(&visits->rows[0], COLUMN_FORCE_S_MEDIAN);
    const size_t worth = visits_worth(launch_s, time_cap_s);
    return worth < most ? worth : most;
}

bool visits_are_done(const struct visits *visits, size_t most, double time_cap_s) {
    return visits->count > 0 && visits->count >= count_wanted(visits, most, time_cap_s);
}

/* ---- one row of them ---- */

/* The numbers of a column, ascending; NaN are left out. */
static size_t collect(const struct visits *visits, enum column column, double *values) {
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

static double join_numbers(const double *sorted, size_t count, enum column_join join) {
    double sum = 0;
    if (count == 0) {
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        sum += sorted[i];
    }
    switch (join) {
    case JOIN_SUM:
        return sum;
    case JOIN_LEAST:
        return sorted[0];
    case JOIN_LARGEST:
        return sorted[count - 1];
    default:
        return quantile_of_sorted(sorted, count, 0.5);
    }
}

static double mean_of(const double *values, size_t count) {
    double mean = 0;
    for (size_t i = 0; i < count; i++) {
        mean += values[i] / (double)count;
    }
    return mean;
}

/* The standard deviation; NaN for fewer than two numbers. */
static double deviation_of(const double *values, size_t count) {
    const double mean = mean_of(values, count);
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return count > 1 ? sqrt(squares / ((double)count - 1)) : NAN;
}

/* The first word that any visit has, where the last has none. */
static void join_words(const struct visits *visits, enum column column, struct row *row) {
    for (size_t i = 0; i < visits->count && *row_text(row, column) == '\0'; i++) {
        row_set(row, column, row_text(&visits->rows[i], column));
    }
}

/* `longer`: the time of the last visit over the median. Its rates are those of its time: as much
 * more or less as that is shorter or longer than the median. */
static void join_column(const struct visits *visits, enum column column, double longer,
                        double *values, struct row *row) {
    const double last = row_number(&visits->rows[visits->count - 1], column);
    switch (column_table[column].join) {
    case JOIN_LAST:
        break;
    case JOIN_PER_TIME:
        row_set_number(row, column, last * longer);
        break;
    case JOIN_AS_TIME:
        row_set_number(row, column, last / longer);
        break;
    case JOIN_FIRST_KNOWN:
        join_words(visits, column, row);
        break;
    default:
        row_set_number(
            row, column,
            join_numbers(values, collect(visits, column, values), column_table[column].join));
    }
}

/* The first visit says whether the case is repeatable. If a later visit has another hash of the
 * results, it is not. */
static void join_bits(const struct visits *visits, struct row *row) {
    const char *first = row_text(&visits->rows[0], COLUMN_RESULT_HASH);
    for (size_t i = 1; i < visits->count; i++) {
        const char *hash = row_text(&visits->rows[i], COLUMN_RESULT_HASH);
        if (*hash && *first && strcmp(hash, first) != 0) {
            row_set_count(row, COLUMN_BITWISE_REPEATABLE, 0);
            row_set(row, COLUMN_REPEATABLE, "not run");
        }
    }
}

static void join_columns(const struct visits *visits, double *values, struct row *row) {
    const struct row *last = &visits->rows[visits->count - 1];
    const size_t count = collect(visits, COLUMN_FORCE_S_MEDIAN, values);
    const double median_s = join_numbers(values, count, JOIN_MEDIAN);
    const double longer = row_number(last, COLUMN_FORCE_S_MEDIAN) / median_s;
    row_set_number(row, COLUMN_VISIT_S_SD, deviation_of(values, count));
    row_set_number(row, COLUMN_VISIT_S_MEAN, mean_of(values, count));
    for (int column = 0; column < COLUMN_COUNT; column++) {
        join_column(visits, (enum column)column, longer, values, row);
    }
    join_bits(visits, row);
}

void visits_join(const struct visits *visits, struct row *row) {
    const struct row *last = &visits->rows[visits->count - 1];
    double *values = memory_zeroed(visits->count, sizeof *values);
    row_copy(last, row);
    row_set_count(row, COLUMN_VISITS, (int64_t)visits->count);
    if (row_passed(last)) {
        join_columns(visits, values, row);
    } else {
        row_set_number(row, COLUMN_WALL_S,
                       join_numbers(values, collect(visits, COLUMN_WALL_S, values), JOIN_SUM));
    }
    free(values);
}

/* ---- how well a case is known ---- */

bool visits_spread(const struct row *row, struct visit_spread *spread) {
    const double visits = row_number(row, COLUMN_VISITS);
    const double median = row_number(row, COLUMN_FORCE_S_MEDIAN);
    const double deviation = visits == 1 ? 0 : row_number(row, COLUMN_VISIT_S_SD) / median;
    if (!row_passed(row) || !(visits >= 1 && visits <= MAX_VISITS && floor(visits) == visits) ||
        !(median > 0 && isfinite(median)) || !(deviation >= 0 && isfinite(deviation))) {
        return false;
    }
    const double scatter = row_number(row, COLUMN_FORCE_S_MAD) / median;
    *spread = (struct visit_spread){ .variant = row_text(row, COLUMN_VARIANT),
                                     .log_seconds = log(median),
                                     .variance = deviation * deviation,
                                     .freedom = visits - 1,
                                     .scatter = isfinite(scatter) ? scatter : NAN };
    return true;
}

struct noise_pool noise_pool_make(size_t most) {
    struct noise_pool pool = { .spreads = memory_zeroed(most, sizeof *pool.spreads),
                               .moderated = memory_zeroed(most, sizeof *pool.moderated),
                               .owner = memory_zeroed(most, sizeof *pool.owner) };
    return pool;
}

void noise_pool_moderate(struct noise_pool *pool) {
    moderate(pool->spreads, pool->count, pool->moderated);
}

void noise_pool_free(struct noise_pool *pool) {
    free(pool->spreads);
    free(pool->moderated);
    free(pool->owner);
}

/* The median of a time that has two values has one of them, however many visits there are. */
enum { MEDIAN_OF_AT_MOST = 3 };

double visits_variance(size_t count) {
    return count > MEDIAN_OF_AT_MOST ? 1 / (double)count : moderate_variance_of_median(count);
}

double visits_seconds(const struct row *row) {
    const double mean = row_number(row, COLUMN_VISIT_S_MEAN);
    return row_number(row, COLUMN_VISITS) > MEDIAN_OF_AT_MOST && mean > 0
               ? mean
               : row_number(row, COLUMN_FORCE_S_MEDIAN);
}

bool visits_have_spent(double first_s, double more_s) {
    return more_s >= 2 * first_s;
}

/* The other run is off by chance too: by less than two standard errors, 19 times in 20; two and a
 * half, for the noise is known no better, and visits end where it looks least. Of a case
 * whose time has two values, three visits have the same one in a quarter of all runs, and do not
 * know it. */
bool visits_suffice(const struct moderated *visit, size_t count, double within) {
    const double own_tail = 0.05;
    const double errors = 2.5;
    const double error = sqrt(2 * visit->variance * visits_variance(count));
    return count > MEDIAN_OF_AT_MOST &&
           (student_quantile(own_tail, 2 * visit->freedom) + errors) * error <= log1p(within);
}
