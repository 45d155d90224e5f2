#include "summary/summary_balance.h"

#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_product = 0.05;

/* A point of two groups that passed. */
struct ratio_point {
    const struct summary_point *point;
    double n_a, n_b;
};

struct ratio_points {
    struct ratio_point *items;
    size_t count;
};

/* What stays the same along a sweep of the ratio. */
static bool same_sweep(const struct ratio_point *a, const struct ratio_point *b) {
    for (const enum column *column = summary_setting_columns; *column != COLUMN_COUNT; column++) {
        /* Groups are what varies. */
        if (*column != COLUMN_GROUPS &&
            strcmp(row_text(a->point->row, *column), row_text(b->point->row, *column)) != 0) {
            return false;
        }
    }
    double product = a->n_a * a->n_b;
    return fabs(b->n_a * b->n_b - product) <= same_product * product;
}

static bool gather(const struct summary_points *points, struct ratio_points *gathered,
                   struct error *error) {
    *gathered =
        (struct ratio_points){ .items = calloc(points->count + 1, sizeof *gathered->items) };
    for (size_t i = 0; gathered->items && i < points->count; i++) {
        const struct summary_point *point = &points->points[i];
        struct ratio_point item = { point, row_number(point->row, COLUMN_N_A),
                                    row_number(point->row, COLUMN_N_B) };
        const char *groups = row_text(point->row, COLUMN_GROUPS);
        if (point->passed && item.n_b > 0 && !strstr(groups, "pairs")) {
            gathered->items[gathered->count++] = item;
        }
    }
    return gathered->items || fail_out_of_memory(error, "the summary");
}

/* The fastest of a variant at a ratio of the sweep; NaN: none. */
static double time_at(const struct ratio_points *points, const struct ratio_point *even,
                      const char *variant, double n_a, double n_b) {
    double fastest = NAN;
    for (size_t i = 0; i < points->count; i++) {
        const struct ratio_point *item = &points->items[i];
        if (item->n_a == n_a && item->n_b == n_b && same_sweep(even, item) &&
            strcmp(row_text(item->point->row, COLUMN_VARIANT), variant) == 0 &&
            !(fastest <= item->point->force_s)) {
            fastest = item->point->force_s;
        }
    }
    return fastest;
}

static int compare_ratios(const void *a, const void *b) {
    const struct ratio_point *left = a;
    const struct ratio_point *right = b;
    double difference = left->n_a / left->n_b - right->n_a / right->n_b;
    return (difference > 0) - (difference < 0);
}

/* One of the points of every ratio of the sweep, by ratio. Caller frees. */
static struct ratio_point *ratios_of(const struct ratio_points *points,
                                     const struct ratio_point *even, size_t *count) {
    struct ratio_point *ratios = calloc(points->count + 1, sizeof *ratios);
    *count = 0;
    for (size_t i = 0; ratios && i < points->count; i++) {
        const struct ratio_point *item = &points->items[i];
        bool known = !same_sweep(even, item);
        for (size_t r = 0; r < *count; r++) {
            known = known || (ratios[r].n_a == item->n_a && ratios[r].n_b == item->n_b);
        }
        if (!known) {
            ratios[(*count)++] = *item;
        }
    }
    if (ratios) {
        qsort(ratios, *count, sizeof *ratios, compare_ratios);
    }
    return ratios;
}

static void write_heading(const struct ratio_point *even, const struct ratio_point *ratios,
                          size_t count, struct text *text) {
    const struct row *row = even->point->row;
    text_append(text,
                "\n%s of A:B particles, %.10g pairs, %s on %s: time over the own at 1:1; *: the "
                "longest\n",
                row_text(row, COLUMN_WORKLOAD), even->n_a * even->n_b,
                row_text(row, COLUMN_PRECISION), row_text(row, COLUMN_DEVICE));
    text_append(text, "  %-26s %9s", "variant", "at 1:1");
    for (size_t r = 0; r < count; r++) {
        char ratio[32];
        (void)snprintf(ratio, sizeof ratio, "%.0f:%.0f", ratios[r].n_a, ratios[r].n_b);
        text_append(text, " %13s", ratio);
    }
    text_append(text, "\n");
}

static void write_line(const struct ratio_points *points, const struct ratio_point *even,
                       const char *variant, const struct ratio_point *ratios, size_t count,
                       struct text *text) {
    char seconds[24];
    double own = time_at(points, even, variant, even->n_a, even->n_b);
    double largest = 0;
    for (size_t r = 0; r < count; r++) {
        largest = fmax(largest, time_at(points, even, variant, ratios[r].n_a, ratios[r].n_b));
    }
    quantity_seconds(own, seconds, sizeof seconds);
    text_append(text, "  %-26s %9s", variant, seconds);
    for (size_t r = 0; r < count; r++) {
        double at = time_at(points, even, variant, ratios[r].n_a, ratios[r].n_b);
        char cell[24] = "-";
        if (isfinite(at / own)) {
            (void)snprintf(cell, sizeof cell, "%.2f", at / own);
        }
        text_append(text, " %12s%c", cell, at == largest ? '*' : ' ');
    }
    text_append(text, "\n");
}

/* Whether the point stands for its sweep: the first of those that are 1:1. */
static bool begins_sweep(const struct ratio_points *points, size_t index) {
    const struct ratio_point *item = &points->items[index];
    bool first = item->n_a == item->n_b;
    for (size_t i = 0; first && i < index; i++) {
        const struct ratio_point *other = &points->items[i];
        first = other->n_a != other->n_b || !same_sweep(other, item);
    }
    return first;
}

static bool write_sweep(const struct ratio_points *points, const struct ratio_point *even,
                        struct text *text, struct error *error) {
    size_t count = 0;
    struct ratio_point *ratios = ratios_of(points, even, &count);
    if (!ratios) {
        return fail_out_of_memory(error, "the summary");
    }
    if (count > 1) {
        write_heading(even, ratios, count, text);
    }
    for (size_t i = 0; count > 1 && i < points->count; i++) {
        const struct ratio_point *item = &points->items[i];
        const char *variant = row_text(item->point->row, COLUMN_VARIANT);
        bool told = !same_sweep(even, item);
        for (size_t j = 0; j < i && !told; j++) {
            told = same_sweep(even, &points->items[j]) &&
                   strcmp(row_text(points->items[j].point->row, COLUMN_VARIANT), variant) == 0;
        }
        if (!told) {
            write_line(points, even, variant, ratios, count, text);
        }
    }
    free(ratios);
    return true;
}

bool summary_balance(const struct summary_points *points, struct text *text, struct error *error) {
    struct ratio_points gathered;
    bool written = gather(points, &gathered, error);
    for (size_t i = 0; written && i < gathered.count; i++) {
        if (begins_sweep(&gathered, i)) {
            written = write_sweep(&gathered, &gathered.items[i], text, error);
        }
    }
    free(gathered.items);
    return written;
}
