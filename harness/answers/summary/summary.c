#include "answers/summary/summary.h"

#include "answers/summary/summary_points.h"
#include "campaign/campaign.h"
#include "core/files.h"
#include "core/host.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "kernels/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAILURES_SHOWN = 50, MAX_LINES_SHOWN = 4 };

static const char *const status_words[] = { "ok",           "wrong",         "stale",
                                            "unsupported",  "out_of_memory", "compile_error",
                                            "launch_error", "crashed",       "timeout" };

enum { STATUS_WORDS = sizeof status_words / sizeof status_words[0] };

/* ---- heading, counts, failures ---- */

static void write_devices(const struct row_table *table, struct strbuf *text) {
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = strcmp(row_text(&table->rows[j], COLUMN_DEVICE), row_text(row, COLUMN_DEVICE)) ==
                       0 &&
                   strcmp(row_text(&table->rows[j], COLUMN_HOST), row_text(row, COLUMN_HOST)) == 0;
        }
        if (!seen) {
            strbuf_append(text, "device   %s  %s, driver %s, on %s\n", row_text(row, COLUMN_DEVICE),
                          row_text(row, COLUMN_DEVICE_MODEL), row_text(row, COLUMN_DRIVER),
                          row_text(row, COLUMN_HOST));
        }
    }
}

static void write_heading(const struct row_table *table, char *const *command_line,
                          struct strbuf *text) {
    write_devices(table, text);
    if (table->count > 0) {
        const char *first = row_text(&table->rows[0], COLUMN_UTC);
        const char *last = row_text(&table->rows[table->count - 1], COLUMN_UTC);
        strbuf_append(text, "date     %s to %s\n", first, last);
    }
    if (command_line) {
        strbuf_append(text, "command ");
        for (; *command_line; command_line++) {
            bool plain = **command_line && !strpbrk(*command_line, " \t\n'\"*?[]$&;|<>()\\`");
            strbuf_append(text, plain ? " %s" : " '%s'", *command_line);
        }
        strbuf_append(text, "\n");
    }
}

/* Repeats are counted by themselves. */
static void write_counts(const struct row_table *table, struct strbuf *text) {
    size_t repeats = 0;
    for (size_t i = 0; i < table->count; i++) {
        repeats += row_is_repeat(&table->rows[i]);
    }
    strbuf_append(text, "rows     %zu", table->count - repeats);
    for (int s = 0; s < STATUS_WORDS; s++) {
        size_t count = 0;
        for (size_t i = 0; i < table->count; i++) {
            count += !row_is_repeat(&table->rows[i]) &&
                     strcmp(row_text(&table->rows[i], COLUMN_STATUS), status_words[s]) == 0;
        }
        if (count > 0 || s == 0) {
            strbuf_append(text, "%s%zu %s", s == 0 ? ": " : ", ", count, status_words[s]);
        }
    }
    if (repeats > 0) {
        strbuf_append(text, "; %zu more timed a second time", repeats);
    }
    strbuf_append(text, "\n");
}

static bool has_failed(const struct row *row) {
    const char *status = row_text(row, COLUMN_STATUS);
    return strcmp(status, "ok") != 0 && strcmp(status, "unsupported") != 0;
}

/* A compiler's log goes on for pages: rows.csv has all of it. */
static void write_message(const char *message, struct strbuf *text) {
    strbuf_append(text, "\n");
    for (int line = 0; *message && line < MAX_LINES_SHOWN; line++) {
        int length = (int)strcspn(message, "\n");
        strbuf_append(text, "      %.*s\n", length, message);
        message += length + (message[length] == '\n');
    }
}

static void write_failures(const struct row_table *table, struct strbuf *text) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        if (!has_failed(row) || ++count > MAX_FAILURES_SHOWN) {
            continue;
        }
        strbuf_append(text, "%s  %-13s %s", count == 1 ? "\nFAILED\n" : "",
                      row_text(row, COLUMN_STATUS), row_text(row, COLUMN_CASE_NAME));
        if (row_number(row, COLUMN_REPETITION) > 0) {
            strbuf_append(text, " (repetition %s)", row_text(row, COLUMN_REPETITION));
        }
        write_message(row_text(row, COLUMN_MESSAGE), text);
    }
    if (count > MAX_FAILURES_SHOWN) {
        strbuf_append(text, "  and %zu more: see rows.csv\n", count - MAX_FAILURES_SHOWN);
    }
}

static bool is_unsupported(const struct row *row) {
    return strcmp(row_text(row, COLUMN_STATUS), "unsupported") == 0;
}

/* Whether a row before has the same variant and the same reason. */
static bool is_said_before(const struct row_table *table, size_t i) {
    const struct row *row = &table->rows[i];
    bool said = false;
    for (size_t j = 0; j < i && !said; j++) {
        const struct row *other = &table->rows[j];
        said = is_unsupported(other) &&
               strcmp(row_text(other, COLUMN_VARIANT), row_text(row, COLUMN_VARIANT)) == 0 &&
               strcmp(row_text(other, COLUMN_MESSAGE), row_text(row, COLUMN_MESSAGE)) == 0;
    }
    return said;
}

/* Why a variant does not take the case, once per variant and reason. */
static void write_unsupported(const struct row_table *table, struct strbuf *text) {
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        if (!is_unsupported(row) || is_said_before(table, i) || ++count > MAX_FAILURES_SHOWN) {
            continue;
        }
        strbuf_append(text, "%s  %s", count == 1 ? "\nunsupported\n" : "",
                      row_text(row, COLUMN_VARIANT));
        write_message(row_text(row, COLUMN_MESSAGE), text);
    }
    if (count > MAX_FAILURES_SHOWN) {
        strbuf_append(text, "  and %zu more: see rows.csv\n", count - MAX_FAILURES_SHOWN);
    }
}

/* ---- the fastest ---- */

static bool is_structured(const struct summary_point *point) {
    return strcmp(row_text(point->row, COLUMN_STRUCTURE), "none") != 0;
}

/* Whether cases of the workload are also timed with their transfers. */
static bool has_end_to_end(const struct row *row) {
    return column_is_of(COLUMN_END_TO_END_S_MEDIAN, row_text(row, COLUMN_WORKLOAD));
}

/* Which box, or of draws which distribution. */
static void write_box(const struct row *row, struct strbuf *text) {
    const char *density = row_text(row, COLUMN_DENSITY);
    const char *cutoff = row_text(row, COLUMN_CUTOFF);
    bool open = strcmp(row_text(row, COLUMN_PERIODIC), "0") == 0;
    if (*row_text(row, COLUMN_DISTRIBUTION)) {
        strbuf_append(text, "random numbers, %s", row_text(row, COLUMN_DISTRIBUTION));
        return;
    }
    strbuf_append(text, "%s", row_text(row, COLUMN_BOX_KIND));
    if (*density) {
        strbuf_append(text, ", density %s", density);
    }
    strbuf_append(text, "%s, ", open ? ", open box" : "");
    if (isinf(row_number(row, COLUMN_CUTOFF))) {
        strbuf_append(text, "no cutoff");
    } else {
        strbuf_append(text, "cutoff %s", *cutoff ? cutoff : "unknown");
    }
    strbuf_append(text, ", %s, outputs %s", row_text(row, COLUMN_INTERACTION),
                  row_text(row, COLUMN_OUTPUTS));
}

/* "pairs/s": the heading of what rows of the workload count per second. */
static const char *rate_of(const struct row *row) {
    const struct workload *workload = workload_find(row_text(row, COLUMN_WORKLOAD));
    return (workload ? workload : workload_default())->words.rate;
}

/* A table of the fastest variant at each N. */
struct fastest_table {
    const char *other;       /* the variant that the fastest is compared with */
    int name, gain;          /* characters of the columns */
    const struct row **rows; /* of all points: knobs that all of a variant share are not shown */
    size_t count;
    bool verbose; /* shown all the same */
};

static int longer(int length, const char *words) {
    return (int)strlen(words) > length ? (int)strlen(words) : length;
}

static bool fastest_table_make(const struct summary_points *points, size_t begin, size_t end,
                               const struct summary_settings *settings, struct fastest_table *table,
                               struct error *error) {
    *table = (struct fastest_table){ .verbose = settings->verbose,
                                     .name = (int)strlen("fastest"),
                                     .rows = calloc(end - begin + 1, sizeof *table->rows),
                                     .other = settings->baseline
                                                  ? settings->baseline
                                                  : summary_plainest(points->points[begin].row) };
    if (!table->rows) {
        return fail_out_of_memory(error, "the summary");
    }
    for (size_t i = begin; i < end; i++) {
        table->rows[table->count++] = points->points[i].row;
        table->name = longer(table->name, row_text(points->points[i].row, COLUMN_VARIANT));
    }
    table->gain = longer(5, table->other) + (int)strlen("vs ");
    return true;
}

static void write_setting(const struct row *row, const struct fastest_table *table,
                          struct strbuf *text) {
    strbuf_append(text, "\n%s on %s: ", row_text(row, COLUMN_PRECISION),
                  row_text(row, COLUMN_DEVICE));
    write_box(row, text);
    if (*row_text(row, COLUMN_GROUPS)) {
        strbuf_append(text, ", %s of groups %s", row_text(row, COLUMN_WORKLOAD),
                      row_text(row, COLUMN_GROUPS));
    }
    strbuf_append(text, "\n");
    bool both_ways = has_end_to_end(row);
    strbuf_append(text, "  %8s  %-*s %8s  %8s %s%8s %8s %*s%s\n", "N", table->name, "fastest",
                  both_ways                             ? "kernels"
                  : *row_text(row, COLUMN_DISTRIBUTION) ? "draws"
                                                        : "force",
                  "build", both_ways ? "end to end " : "", rate_of(row), "of peak",
                  table->gain - (int)strlen(table->other), "vs ", table->other);
}

/* The fastest that passed of points [first, last): those of one N; NULL where none did. */
static const struct summary_point *find_fastest(const struct summary_points *points, size_t first,
                                                size_t last, const char *variant) {
    const struct summary_point *best = NULL;
    for (size_t i = first; i < last; i++) {
        const struct summary_point *point = &points->points[i];
        if (point->passed && (!best || point->force_s < best->force_s) &&
            (!variant || strcmp(row_text(point->row, COLUMN_VARIANT), variant) == 0)) {
            best = point;
        }
    }
    return best;
}

/* Below the line, where it would be too long with them. */
static void write_knobs(const struct fastest_table *table, const struct row *row, size_t from,
                        struct strbuf *text) {
    enum { INDENT = 12 };
    struct strbuf knobs = { 0 };
    if (table->verbose) {
        row_append_knobs(row, &knobs);
    } else {
        row_append_varied(row, table->rows, table->count, &knobs);
    }
    if (knobs.length > 0) {
        const bool fits = text->length - from + 2 + knobs.length <= TERMINAL_DEFAULT_COLUMNS;
        strbuf_append(text, "%s%*s%s", fits ? "" : "\n", fits ? 2 : INDENT, "", knobs.data);
    }
    text->failed = text->failed || knobs.failed;
    strbuf_free(&knobs);
}

static void write_fastest(const struct summary_points *points, size_t first, size_t last,
                          const struct fastest_table *table, struct strbuf *text) {
    const struct summary_point *best = find_fastest(points, first, last, NULL);
    const struct summary_point *second = find_fastest(points, first, last, table->other);
    char force[QUANTITY_SIZE], build[QUANTITY_SIZE], both_ways[QUANTITY_SIZE] = "";
    char pairs[QUANTITY_SIZE], peak[QUANTITY_SIZE], gain[QUANTITY_SIZE];
    const size_t from = text->length;
    if (!best) {
        strbuf_append(text, "  %8.0f  none passed\n", points->points[first].n);
        return;
    }
    quantity_seconds(best->force_s, force, sizeof force);
    quantity_seconds(best->build_s, build, sizeof build);
    if (has_end_to_end(best->row)) {
        quantity_seconds(best->end_to_end_s, both_ways, sizeof both_ways);
    }
    quantity_large(best->pairs_per_s, pairs, sizeof pairs);
    quantity_percent(0.01 * best->percent_of_peak, peak, sizeof peak);
    quantity_ratio(second ? second->force_s / best->force_s : NAN, gain, sizeof gain);
    strbuf_append(text, "  %8.0f  %-*s %8s%s %8s %*s%s%8s %8s %*s%s", best->n, table->name,
                  row_text(best->row, COLUMN_VARIANT), force, best->is_short ? "*" : " ", build,
                  *both_ways ? 10 : 0, both_ways, *both_ways ? " " : "", pairs, peak,
                  table->gain - 1, gain, second ? "x" : " ");
    write_knobs(table, best->row, from, text);
    strbuf_append(text, "\n");
}

/* ---- where cells overtake ---- */

/* The best of both families at one N. */
struct rivals {
    double n, pairs_s, cells_s; /* NaN: none passed */
};

static struct rivals find_rivals(const struct summary_points *points, size_t first, size_t last,
                                 bool with_build) {
    struct rivals rivals = { points->points[first].n, NAN, NAN };
    for (size_t i = first; i < last; i++) {
        const struct summary_point *point = &points->points[i];
        double *best = is_structured(point) ? &rivals.cells_s : &rivals.pairs_s;
        double seconds = point->force_s;
        if (with_build && is_structured(point)) {
            seconds += point->build_s;
        }
        if (point->passed && !isnan(seconds) && !(*best <= seconds)) {
            *best = seconds;
        }
    }
    return rivals;
}

/* Follows both families along N. `gain` is log(cells / pairs): negative where cells are faster. */
struct crossing {
    bool known;     /* both families passed at some N */
    double first_n; /* where they are first compared */
    double last_n;  /* and last */
    double last_gain;
    double n; /* where cells overtook for good; NaN: ahead from first_n on, or never */
};

static void follow(struct crossing *crossing, const struct rivals *rivals) {
    double gain = log(rivals->cells_s / rivals->pairs_s);
    if (isnan(gain)) {
        return;
    }
    if (!crossing->known) {
        crossing->known = true;
        crossing->first_n = rivals->n;
        crossing->n = NAN;
    } else if (crossing->last_gain >= 0 && gain < 0) {
        /* Times are close to powers of N between two sizes: straight lines in logarithms. */
        double share = crossing->last_gain / (crossing->last_gain - gain);
        crossing->n = crossing->last_n * pow(rivals->n / crossing->last_n, share);
    }
    crossing->last_n = rivals->n;
    crossing->last_gain = gain;
}

/* Of a number of at least 1. */
static double two_digits(double value) {
    const double unit = pow(10, fmax(0, floor(log10(value)) - 1));
    return unit * round(value / unit);
}

static void write_crossing(const struct crossing *crossing, const char *what, struct strbuf *text) {
    if (!crossing->known) {
        return;
    }
    if (crossing->last_gain >= 0) {
        strbuf_append(text, "  cells%s do not overtake all pairs up to N = %.0f\n", what,
                      crossing->last_n);
    } else if (isnan(crossing->n)) {
        strbuf_append(text, "  cells%s are ahead of all pairs from the smallest N on, %.0f\n", what,
                      crossing->first_n);
    } else {
        strbuf_append(text, "  cells%s overtake all pairs at about N = %.0f\n", what,
                      two_digits(crossing->n));
    }
}

/* ---- one setting after another ---- */

static size_t end_of_n(const struct summary_points *points, size_t first, size_t end) {
    size_t last = first + 1;
    while (last < end && points->points[last].n == points->points[first].n) {
        last++;
    }
    return last;
}

static bool write_table(struct summary_points *points, size_t begin, size_t end,
                        const struct summary_settings *settings, struct strbuf *text,
                        struct error *error) {
    struct crossing walk = { 0 };
    struct crossing built = { 0 };
    struct fastest_table table;
    const bool several_n = points->points[begin].n != points->points[end - 1].n;
    if (!fastest_table_make(points, begin, end, settings, &table, error)) {
        return false;
    }
    write_setting(points->points[begin].row, &table, text);
    for (size_t first = begin, last; first < end; first = last) {
        last = end_of_n(points, first, end);
        write_fastest(points, first, last, &table, text);
        struct rivals rivals = find_rivals(points, first, last, false);
        follow(&walk, &rivals);
        rivals = find_rivals(points, first, last, true);
        follow(&built, &rivals);
    }
    if (several_n) {
        write_crossing(&walk, "", text);
        write_crossing(&built, ", building them counted,", text);
    }
    free(table.rows);
    return summary_variants(points, begin, end, settings->baseline, text, error);
}

static bool write_tables(struct summary_points *points, const struct summary_settings *settings,
                         struct strbuf *text, struct error *error) {
    for (size_t first = 0, end; first < points->count; first = end) {
        end = first + 1;
        while (end < points->count &&
               points->points[end].setting == points->points[first].setting) {
            end++;
        }
        if (!write_table(points, first, end, settings, text, error)) {
            return false;
        }
    }
    return true;
}

bool summary_write(const struct row_table *table, const struct summary_settings *settings,
                   struct strbuf *text, struct error *error) {
    struct summary_points points;
    if (!summary_points_make(table, &points, error)) {
        return false;
    }
    write_heading(table, settings->command_line, text);
    write_counts(table, text);
    bool noted = summary_notes(table, text, error);
    write_failures(table, text);
    write_unsupported(table, text);
    const bool written = noted && write_tables(&points, settings, text, error) &&
                         summary_balance(&points, text, error);
    summary_points_free(&points);
    return written && (!text->failed || fail_out_of_memory(error, "the summary"));
}

static bool write_questions(const char *directory, const struct row_table *table,
                            struct strbuf *text, struct error *error) {
    char *path = fs_join(directory, "samples.csv", error);
    bool written = path && summary_questions(table, path, text, error);
    free(path);
    return written;
}

bool summary_of_folder(const char *directory, const struct summary_settings *settings, FILE *log,
                       struct error *error) {
    struct row_table table;
    struct strbuf text = { 0 };
    char *rows_path = fs_join(directory, "rows.csv", error);
    char *path = fs_join(directory, "summary.txt", error);
    bool summed = rows_path && path && rows_read(rows_path, log, &table, error);
    if (summed) {
        summed = summary_write(&table, settings, &text, error) &&
                 (!settings->questions || write_questions(directory, &table, &text, error));
        if (summed && settings->results) {
            (void)fputs(text.data, settings->results);
            (void)fflush(settings->results);
        }
        summed = summed && fs_write(path, text.data, text.length, error);
        rows_free(&table);
    }
    strbuf_free(&text);
    free(path);
    free(rows_path);
    return summed;
}

bool summary_conclude(void *settings, const char *directory, FILE *log, struct error *error) {
    return summary_of_folder(directory, settings, log, error);
}
