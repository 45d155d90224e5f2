#include "summary/summary_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum column summary_setting_columns[] = { COLUMN_HOST,        COLUMN_DEVICE,  COLUMN_WORKLOAD,
                                                COLUMN_INTERACTION, COLUMN_OUTPUTS, COLUMN_BOX_KIND,
                                                COLUMN_PERIODIC,    COLUMN_DENSITY, COLUMN_CUTOFF,
                                                COLUMN_PRECISION,   COLUMN_GROUPS,  COLUMN_COUNT };

/* What tells points of one setting apart; seed and repetition do not. */
static const enum column point_columns[] = { COLUMN_N,       COLUMN_N_A,      COLUMN_N_B,
                                             COLUMN_VARIANT, COLUMN_TUNABLES, COLUMN_REDUCTION,
                                             COLUMN_COUNT };

/* Numbers by value, words by letter. */
static int compare_column(const struct row *a, const struct row *b, enum column column) {
    double left = row_number(a, column);
    double right = row_number(b, column);
    if (!isnan(left) && !isnan(right)) {
        return (left > right) - (left < right);
    }
    return strcmp(row_text(a, column), row_text(b, column));
}

static int compare_columns(const struct row *a, const struct row *b, const enum column *columns) {
    int order = 0;
    for (; *columns != COLUMN_COUNT && order == 0; columns++) {
        order = compare_column(a, b, *columns);
    }
    return order;
}

/* Boxes read from files differ though kind and density may not. */
static int compare_files(const struct row *a, const struct row *b) {
    bool files = strcmp(row_text(a, COLUMN_BOX_KIND), "file") == 0 &&
                 strcmp(row_text(b, COLUMN_BOX_KIND), "file") == 0;
    return files ? strcmp(row_text(a, COLUMN_BOX_HASH), row_text(b, COLUMN_BOX_HASH)) : 0;
}

static int compare_rows(const void *a, const void *b) {
    const struct row *left = *(const struct row *const *)a;
    const struct row *right = *(const struct row *const *)b;
    int order = compare_columns(left, right, summary_setting_columns);
    order = order ? order : compare_columns(left, right, point_columns);
    return order ? order : compare_files(left, right);
}

bool summary_same_setting(const struct summary_point *a, const struct summary_point *b) {
    return compare_columns(a->row, b->row, summary_setting_columns) == 0;
}

static int compare_points(const void *a, const void *b) {
    const struct summary_point *left = a;
    const struct summary_point *right = b;
    int order = compare_columns(left->row, right->row, summary_setting_columns);
    order = order ? order : compare_column(left->row, right->row, COLUMN_N);
    order = order ? order : compare_files(left->row, right->row);
    order = order ? order : compare_column(left->row, right->row, COLUMN_VARIANT);
    if (order || isnan(left->force_s) || isnan(right->force_s)) {
        return order ? order : isnan(left->force_s) - isnan(right->force_s);
    }
    return (left->force_s > right->force_s) - (left->force_s < right->force_s);
}

static int compare_numbers(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Median of a column over rows, of those that know it; twins are no results. `values` is room for
 * as many. */
static double median_of(const struct row *const *rows, size_t count, enum column column,
                        double *values) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double value = row_number(rows[i], column);
        if (!isnan(value) && !row_is_twin(rows[i])) {
            values[known++] = value;
        }
    }
    if (known == 0) {
        return NAN;
    }
    qsort(values, known, sizeof *values, compare_numbers);
    return 0.5 * (values[(known - 1) / 2] + values[known / 2]);
}

/* The first that is no twin's; NULL when there is none. */
static const struct row *first_result(const struct row *const *rows, size_t count) {
    size_t i = 0;
    while (i < count && row_is_twin(rows[i])) {
        i++;
    }
    return i < count ? rows[i] : NULL;
}

/* Whether two rows are of one repetition of one case in all but the kernel. Only a folder of before
 * kernels were kept has such rows. */
static bool are_of_two_kernels(const struct row *a, const struct row *b) {
    static const enum column same[] = { COLUMN_SEED, COLUMN_REPETITION, COLUMN_TWIN };
    static const enum column other[] = { COLUMN_CASE_ID, COLUMN_KERNEL_HASH };
    bool are = true;
    for (size_t c = 0; are && c < sizeof same / sizeof same[0]; c++) {
        are = strcmp(row_text(a, same[c]), row_text(b, same[c])) == 0;
    }
    for (size_t c = 0; are && c < sizeof other / sizeof other[0]; c++) {
        const char *left = row_text(a, other[c]);
        const char *right = row_text(b, other[c]);
        are = *left && *right && strcmp(left, right) != 0;
    }
    return are;
}

/* Their times belong to neither. */
static bool mixes_kernels(const struct row *const *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (are_of_two_kernels(rows[i], rows[j])) {
                return true;
            }
        }
    }
    return false;
}

/* `row` of the point is NULL where all are twins'. */
static struct summary_point gather(const struct row *const *rows, size_t count, double *values) {
    const struct row *result = first_result(rows, count);
    struct summary_point point = { .row = result, .passed = true, .status = "ok" };
    if (!result) {
        return point;
    }
    point.n = row_number(result, COLUMN_N);
    for (size_t i = 0; i < count; i++) {
        const char *status = row_text(rows[i], COLUMN_STATUS);
        const bool is_ok = strcmp(status, "ok") == 0;
        if (point.passed && !(is_ok && row_number(rows[i], COLUMN_FORCE_S_MEDIAN) > 0)) {
            point.passed = false;
            point.status = is_ok ? "no time" : status;
        }
    }
    if (mixes_kernels(rows, count)) {
        point.passed = false;
        point.status = "two kernels";
    }
    point.is_short = row_number(result, COLUMN_SHORT_KERNEL) == 1;
    point.force_s = median_of(rows, count, COLUMN_FORCE_S_MEDIAN, values);
    point.build_s = median_of(rows, count, COLUMN_BUILD_S_MEDIAN, values);
    point.end_to_end_s = median_of(rows, count, COLUMN_END_TO_END_S_MEDIAN, values);
    point.pairs_per_s = median_of(rows, count, COLUMN_PAIRS_PER_S, values);
    point.percent_of_peak = median_of(rows, count, COLUMN_PERCENT_OF_PEAK, values);
    return point;
}

bool summary_points_make(const struct row_table *table, struct summary_points *points,
                         struct error *error) {
    size_t count = table->count;
    const struct row **sorted = malloc((count + 1) * sizeof *sorted);
    double *values = malloc((count + 1) * sizeof *values);
    *points = (struct summary_points){ .points = malloc((count + 1) * sizeof *points->points) };
    bool made = (sorted && values && points->points) || fail_out_of_memory(error, "the summary");
    for (size_t i = 0; made && i < count; i++) {
        sorted[i] = &table->rows[i];
    }
    if (made) {
        qsort(sorted, count, sizeof *sorted, compare_rows);
    }
    for (size_t first = 0, next; made && first < count; first = next) {
        next = first + 1;
        while (next < count && compare_rows(&sorted[first], &sorted[next]) == 0) {
            next++;
        }
        points->points[points->count] = gather(sorted + first, next - first, values);
        points->count += points->points[points->count].row != NULL;
    }
    if (made) {
        qsort(points->points, points->count, sizeof *points->points, compare_points);
    } else {
        summary_points_free(points);
    }
    free(values);
    free(sorted);
    return made;
}

void summary_points_free(struct summary_points *points) {
    free(points->points);
    *points = (struct summary_points){ 0 };
}

const char *summary_plainest(const struct row *row) {
    if (strcmp(row_text(row, COLUMN_WORKLOAD), "coordination") != 0) {
        return "all_pairs_loop";
    }
    return row_number(row, COLUMN_N_B) > 0 ? "two_groups_two_pass" : "coordination_loop";
}
