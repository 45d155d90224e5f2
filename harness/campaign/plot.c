#include "campaign/plot.h"

#include "base/text.h"
#include "campaign/plot_gnuplot.h"
#include "campaign/plot_points.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All that a figure is made from. */
struct sheet {
    const struct plot_data *data;
    const struct plot_set *set;
    const char *folder;  /* where tables and figures go */
    const char *scripts; /* where the gnuplot scripts are */
    unsigned formats;
    char slug[200]; /* what file names of this set have in common */
    size_t drawn;   /* figures so far */
};

/* The axes of one figure, padded. */
struct ranges {
    double xmin, xmax, ymin, ymax;
};

enum { TITLE_LENGTH = 100 };

/* ---- texts ---- */

/* Into a file name: letters, digits, dots; anything else becomes one '-'. */
static void slug_append(char *slug, size_t size, const char *words) {
    size_t length = strlen(slug);
    for (; *words && length + 1 < size; words++) {
        if (isalnum((unsigned char)*words) || *words == '.') {
            slug[length++] = (char)tolower((unsigned char)*words);
        } else if (length > 0 && slug[length - 1] != '-' && slug[length - 1] != '_') {
            slug[length++] = '-';
        }
    }
    while (length > 0 && slug[length - 1] == '-') {
        length--;
    }
    slug[length] = '\0';
}

static void slug_part(char *slug, size_t size, const char *words) {
    size_t length = strlen(slug);
    if (length > 0 && length + 1 < size) {
        slug[length] = '_';
        slug[length + 1] = '\0';
    }
    slug_append(slug, size, words);
}

/* A gnuplot string: single quotes, in which nothing is expanded and a quote is doubled. */
static void append_quoted(struct text *script, const char *words) {
    text_append_bytes(script, "'", 1);
    for (; *words; words++) {
        unsigned char character = (unsigned char)*words;
        if (character == '\'') {
            text_append_bytes(script, "''", 2);
        } else {
            text_append_bytes(script, character < ' ' || character == 127 ? " " : words, 1);
        }
    }
    text_append_bytes(script, "'", 1);
}

static void append_setting(struct text *script, const char *name, const char *words) {
    text_append(script, "%s = ", name);
    append_quoted(script, words);
    text_append_bytes(script, "\n", 1);
}

static const char *outputs_in_words(const char *outputs) {
    if (strcmp(outputs, "energy") == 0) {
        return "forces and energy";
    }
    if (strcmp(outputs, "virial") == 0) {
        return "forces, energy and virial";
    }
    return outputs;
}

/* 16k, 1.37k, 864: as the command line spells numbers, three digits where it is not round. */
static void count_in_words(double count, char *words, size_t size) {
    static const struct {
        double factor;
        const char *letter;
    } scales[] = { { 1e6, "M" }, { 1e3, "k" } };
    for (int i = 0; i < 2; i++) {
        if (count >= scales[i].factor) {
            double scaled = count / scales[i].factor;
            (void)snprintf(words, size, scaled >= 100 ? "%.0f%s" : "%.3g%s", scaled,
                           scales[i].letter);
            return;
        }
    }
    (void)snprintf(words, size, "%.0f", count);
}

/* ---- the table ---- */

/* Tabs and line ends would break the table. */
static void append_field(struct text *table, const char *words) {
    for (; *words; words++) {
        unsigned char character = (unsigned char)*words;
        text_append_bytes(table, character < ' ' || character == 127 ? " " : words, 1);
    }
}

static bool write_table(const struct sheet *sheet, struct error *error) {
    struct text table = { 0 };
    char path[PATH_MAX];
    text_append(&table,
                "# precision\tvariant\tn\ttime_s\tp05_s\tp95_s\tbuild_s\tpairs_per_s\t"
                "pairs_per_s_low\tpairs_per_s_high\tmax_rel_force_error\trepetitions\ttunables\n");
    for (size_t i = 0; i < sheet->set->count; i++) {
        const struct plot_point *point = &sheet->set->point[i];
        double pairs = point->pairs_per_s > 0 ? point->pairs_per_s * point->time_s : NAN;
        append_field(&table, point->precision);
        text_append_bytes(&table, "\t", 1);
        append_field(&table, point->variant);
        text_append(&table, "\t%.0f\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%zu\t",
                    point->n, point->time_s, point->p05_s, point->p95_s, fabs(point->build_s),
                    pairs / point->time_s, pairs / point->p95_s, pairs / point->p05_s,
                    fabs(point->error), point->repetitions);
        append_field(&table, *point->tunables ? point->tunables : "-");
        text_append_bytes(&table, "\n", 1);
    }
    (void)snprintf(path, sizeof path, "%s/%s.dat", sheet->folder, sheet->slug);
    bool written = !table.failed ? text_write_file(path, table.data, table.length, error)
                                 : fail_out_of_memory(error, "the table of a figure");
    text_free(&table);
    return written;
}

/* ---- what gnuplot is told ---- */

static void append_names(struct text *script, const char *array, const char *const *names,
                         size_t count) {
    text_append(script, "array %s[%zu]\n", array, count);
    for (size_t i = 0; i < count; i++) {
        text_append(script, "%s[%zu] = ", array, i + 1);
        append_quoted(script, names[i]);
        text_append_bytes(script, "\n", 1);
    }
}

/* The variants and precisions of the set, in order, with the index that decides a variant's
 * colour. */
static bool append_lists(const struct sheet *sheet, struct text *script) {
    const struct plot_set *set = sheet->set;
    const struct plot_data *data = sheet->data;
    const char **names = calloc(data->variant_count + set->count, sizeof *names);
    size_t count = 0;
    size_t longest = 0;
    if (!names) {
        return false;
    }
    for (size_t i = 0; i < set->count; i++) {
        if (count == 0 || strcmp(names[count - 1], set->point[i].precision) != 0) {
            names[count++] = set->point[i].precision;
        }
    }
    append_names(script, "precisions", names, count);
    count = 0;
    for (size_t v = 0; v < data->variant_count; v++) {
        for (size_t i = 0; i < set->count; i++) {
            if (strcmp(set->point[i].variant, data->variants[v]) == 0) {
                names[count++] = data->variants[v];
                break;
            }
        }
    }
    append_names(script, "variants", names, count);
    text_append(script, "array variant_index[%zu]\n", count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        longest = length > longest ? length : longest;
        text_append(script, "variant_index[%zu] = %zu\n", i + 1,
                    plot_variant_index(data, names[i]));
    }
    text_append(script, "legend_width = %zu\n", 70 + 8 * (longest > 10 ? longest : 10));
    free(names);
    return true;
}

static void append_titles(const struct sheet *sheet, const char *what, const char *where,
                          struct text *script) {
    const struct plot_set *set = sheet->set;
    char line[TITLE_LENGTH + 1];
    (void)snprintf(line, sizeof line, "%s: %s%s", what, outputs_in_words(set->outputs), where);
    append_setting(script, "title1", line);
    (void)snprintf(line, sizeof line, "%s (%s)", set->device, set->backend);
    append_setting(script, "title2", line);
    (void)snprintf(line, sizeof line, "%s, %s%s, cutoff %s, %s", set->kind,
                   *set->density ? "density " : "open box", set->density, set->cutoff,
                   set->interaction);
    append_setting(script, "title3", line);
}

/* The factor by which a range is widened on both sides: a little, and to `least` times in all. */
static double padding(double from, double to, double least) {
    return fmax(fmax(pow(to / from, 0.06), 1.2), sqrt(least * from / to));
}

/* Widens ranges that were begun with xmin = ymin = inf, xmax = ymax = 0 and appends them. Any
 * six-fold range holds two of the labels 1, 2, 5, 10; an axis of Ns has its labels at the Ns. */
static void append_ranges(struct ranges ranges, double least_x, struct text *script) {
    double x = padding(ranges.xmin, ranges.xmax, least_x);
    double y = padding(ranges.ymin, ranges.ymax, 6);
    text_append(script, "xmin = %.9g\nxmax = %.9g\nymin = %.9g\nymax = %.9g\n", ranges.xmin / x,
                ranges.xmax * x, ranges.ymin / y, ranges.ymax * y);
}

static void ranges_take(struct ranges *ranges, double x, double low, double high) {
    ranges->xmin = fmin(ranges->xmin, x);
    ranges->xmax = fmax(ranges->xmax, x);
    ranges->ymin = fmin(ranges->ymin, low);
    ranges->ymax = fmax(ranges->ymax, high);
}

/* Draws `figure`_SLUG by the script figure.gp, once a format. The file that says so stays beside
 * the figure: gnuplot run on it by hand draws it again. */
static bool draw(struct sheet *sheet, const char *figure, struct text *settings,
                 struct error *error) {
    static const char *const formats[] = { "svg", "png" };
    struct text script = { 0 };
    char name[256];
    char path[PATH_MAX];
    (void)snprintf(name, sizeof name, "%s_%s", figure, sheet->slug);
    text_append(&script, "# gnuplot -d %s.plt draws this figure again\n", name);
    append_setting(&script, "share", sheet->scripts);
    append_setting(&script, "name", name);
    text_append(&script, "data = '%s.dat'\n", sheet->slug);
    text_append_bytes(&script, settings->data, settings->length);
    for (int i = 0; i < 2; i++) {
        if (sheet->formats & (1U << i)) {
            text_append(&script, "reset\nformat = '%s'\nload share.'/%s.gp'\n", formats[i], figure);
        }
    }
    bool failed = script.failed || settings->failed;
    (void)snprintf(path, sizeof path, "%s/%s.plt", sheet->folder, name);
    bool written = !failed ? text_write_file(path, script.data, script.length, error)
                           : fail_out_of_memory(error, "the script of a figure");
    text_free(&script);
    (void)snprintf(path, sizeof path, "%s.plt", name);
    if (!written || !gnuplot_run(sheet->folder, path, error)) {
        return false;
    }
    sheet->drawn++;
    return true;
}

/* ---- figures against N ---- */

static int compare_numbers(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Labels at the Ns that were run, leaving out those that would touch the one before. */
static bool append_ticks(const struct plot_set *set, struct text *script) {
    double *n = calloc(set->count + 1, sizeof *n);
    size_t count = 0;
    char words[32];
    if (!n) {
        return false;
    }
    for (size_t i = 0; i < set->count; i++) {
        n[i] = set->point[i].n;
    }
    qsort(n, set->count, sizeof *n, compare_numbers);
    double least = pow(n[set->count - 1] / n[0], 1.0 / 7);
    for (size_t i = 0; i < set->count; i++) {
        if (count == 0 || n[i] > n[count - 1] * fmax(least, 1.0001)) {
            n[count++] = n[i];
        }
    }
    text_append(script, "array xtick[%zu]\narray xtick_label[%zu]\n", count, count);
    for (size_t i = 0; i < count; i++) {
        count_in_words(n[i], words, sizeof words);
        text_append(script, "xtick[%zu] = %.9g\nxtick_label[%zu] = '%s'\n", i + 1, n[i], i + 1,
                    words);
    }
    free(n);
    return true;
}

/* Up to two lines under the figure; `extra` has its say in the second. */
static void append_notes(const struct plot_set *set, const char *bars, const char *extra,
                         struct text *script) {
    char line[256];
    (void)snprintf(line, sizeof line, "Medians%s%s%s",
                   set->averaged ? " over launches and repetitions" : " over launches", bars,
                   set->built ? "; building the structure is not included" : "");
    append_setting(script, "note1", line);
    (void)snprintf(line, sizeof line, "%s%s%s",
                   set->tuned ? "Tunables: the fastest correct choice at each point" : "",
                   set->tuned && *extra ? "; " : "", extra);
    append_setting(script, "note2", line);
}

/* Time or pairs/s against N. Left out where no variant has two Ns, for there is no line to draw. */
static bool draw_against_n(struct sheet *sheet, bool pairs, struct error *error) {
    const struct plot_set *set = sheet->set;
    struct ranges ranges = { INFINITY, 0, INFINITY, 0 };
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        double scale = pairs ? point->pairs_per_s * point->time_s : 1;
        if (scale > 0 && pairs) {
            ranges_take(&ranges, point->n, scale / point->p95_s, scale / point->p05_s);
        } else if (scale > 0) {
            ranges_take(&ranges, point->n, point->p05_s, point->p95_s);
        }
    }
    if (!(ranges.xmax > ranges.xmin)) {
        return true;
    }
    struct text settings = { 0 };
    append_titles(sheet, pairs ? "Interacting pairs per second" : "Time against N", "", &settings);
    append_notes(set, "; bars: 5th to 95th percentile", "", &settings);
    append_ranges(ranges, 1, &settings);
    bool drawn = append_lists(sheet, &settings) && append_ticks(set, &settings)
                     ? draw(sheet, pairs ? "pairs" : "time", &settings, error)
                     : fail_out_of_memory(error, "the script of a figure");
    text_free(&settings);
    return drawn;
}

/* ---- error against time ---- */

/* How many points at this N have an error to show. */
static size_t points_with_error(const struct plot_set *set, double n) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        count += set->point[i].n == n && set->point[i].error >= 0;
    }
    return count;
}

/* The N that most variants and precisions have in common; of several, the largest. */
static double common_n(const struct plot_set *set) {
    double chosen = 0;
    size_t most = 0;
    for (size_t i = 0; i < set->count; i++) {
        double n = set->point[i].n;
        size_t count = points_with_error(set, n);
        if (count > most || (count == most && n > chosen)) {
            most = count;
            chosen = n;
        }
    }
    return most >= 2 ? chosen : 0;
}

/* An error of exactly zero has no place on a logarithmic axis: it is drawn where half an ulp of
 * double would be. */
static const double error_floor = 1e-17;

static bool draw_error(struct sheet *sheet, struct error *error) {
    const struct plot_set *set = sheet->set;
    struct ranges ranges = { INFINITY, 0, INFINITY, 0 };
    double n = common_n(set);
    bool exact = false;
    char words[32];
    char where[64];
    if (n == 0) {
        return true;
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct plot_point *point = &set->point[i];
        if (point->n == n && point->error >= 0) {
            double shown = fmax(point->error, error_floor);
            exact = exact || point->error == 0;
            ranges_take(&ranges, point->time_s, shown, shown);
        }
    }
    struct text settings = { 0 };
    count_in_words(n, words, sizeof words);
    (void)snprintf(where, sizeof where, ", N = %.0f", n);
    append_titles(sheet, "Error against time", where, &settings);
    append_notes(set, "", exact ? "an error of zero is drawn at 1e-17" : "", &settings);
    append_ranges(ranges, 6, &settings);
    text_append(&settings, "chosen_n = %.0f\nerror_floor = %.9g\n", n, error_floor);
    bool drawn = append_lists(sheet, &settings)
                     ? draw(sheet, "error", &settings, error)
                     : fail_out_of_memory(error, "the script of a figure");
    text_free(&settings);
    return drawn;
}

/* ---- sets ---- */

static bool several_interactions(const struct plot_data *data) {
    for (size_t s = 1; s < data->count; s++) {
        if (strcmp(data->sets[s].interaction, data->sets[0].interaction) != 0) {
            return true;
        }
    }
    return false;
}

static void name_set(const struct sheet *sheet, char *slug, size_t size) {
    const struct plot_set *set = sheet->set;
    char number[40];
    slug[0] = '\0';
    slug_part(slug, 48, set->device);
    slug_part(slug, 60, set->backend);
    slug_part(slug, size, set->kind);
    (void)snprintf(number, sizeof number, "d%s", *set->density ? set->density : "open");
    slug_part(slug, size, number);
    (void)snprintf(number, sizeof number, "c%s", set->cutoff);
    slug_part(slug, size, number);
    slug_part(slug, size, set->outputs);
    if (several_interactions(sheet->data)) {
        slug_part(slug, 180, set->interaction);
    }
}

/* Different sets can come to the same file name, since it leaves characters out: those get a
 * number. */
static void name_uniquely(struct sheet *sheet) {
    char other[sizeof sheet->slug];
    size_t same = 0;
    const struct plot_set *mine = sheet->set;
    name_set(sheet, sheet->slug, sizeof sheet->slug);
    for (sheet->set = sheet->data->sets; sheet->set < mine; sheet->set++) {
        name_set(sheet, other, sizeof other);
        same += strcmp(other, sheet->slug) == 0;
    }
    if (same > 0) {
        size_t length = strlen(sheet->slug);
        (void)snprintf(sheet->slug + length, sizeof sheet->slug - length, "_%zu", same + 1);
    }
}

static bool draw_sets(const struct plot_data *data, const char *folder, unsigned formats, FILE *log,
                      struct error *error) {
    char scripts[PATH_MAX];
    if (!gnuplot_scripts(scripts, sizeof scripts, error) || !text_make_directories(folder, error)) {
        return false;
    }
    struct sheet sheet = { .data = data, .folder = folder, .scripts = scripts, .formats = formats };
    for (size_t s = 0; s < data->count; s++) {
        sheet.set = &data->sets[s];
        name_uniquely(&sheet);
        if (!write_table(&sheet, error)) {
            return false;
        }
    }
    for (size_t s = 0; s < data->count; s++) {
        sheet.set = &data->sets[s];
        name_uniquely(&sheet);
        if (!draw_against_n(&sheet, false, error) || !draw_against_n(&sheet, true, error) ||
            !draw_error(&sheet, error)) {
            return false;
        }
    }
    if (log) {
        (void)fprintf(log, "%zu figures in %s\n", sheet.drawn, folder);
    }
    return true;
}

/* ---- runs ---- */

static bool read_tables(const char *const *paths, size_t count, FILE *log, struct row_table *tables,
                        struct error *error) {
    char path[PATH_MAX];
    for (size_t i = 0; i < count; i++) {
        if (!rows_locate(paths[i], path, sizeof path, error) ||
            !rows_read(path, log, &tables[i], error)) {
            return false;
        }
    }
    return true;
}

/* figures/ beside the first path's rows. */
static bool default_output(const char *path, char *output, size_t size, struct error *error) {
    char rows[PATH_MAX];
    if (!rows_locate(path, rows, sizeof rows, error)) {
        return false;
    }
    char *slash = strrchr(rows, '/');
    int length = slash ? snprintf(output, size, "%.*s/figures", (int)(slash - rows), rows)
                       : snprintf(output, size, "figures");
    return (length >= 0 && (size_t)length < size) ||
           fail(error, STATUS_BAD_INPUT, "%.200s...: the path is too long", path);
}

static bool plot_tables(const struct row_table *tables, size_t count, const char *first,
                        const char *output, unsigned formats, FILE *log, struct error *error) {
    struct plot_data data;
    char folder[PATH_MAX];
    if (!output && !default_output(first, folder, sizeof folder, error)) {
        return false;
    }
    if (!plot_points_collect(tables, count, &data, error)) {
        return false;
    }
    bool drawn = data.count > 0
                     ? draw_sets(&data, output ? output : folder, formats, log, error)
                     : fail(error, STATUS_BAD_INPUT,
                            "%s: nothing to draw: none of %zu rows has status ok and a time", first,
                            data.rows);
    if (drawn && log && data.ok_rows < data.rows) {
        (void)fprintf(log, "%zu of %zu rows are not drawn: no status ok, or no time\n",
                      data.rows - data.ok_rows, data.rows);
    }
    plot_points_free(&data);
    return drawn;
}

bool plot_paths(const char *const *paths, size_t count, const char *output, unsigned formats,
                FILE *log, struct error *error) {
    if (count == 0) {
        return fail(error, STATUS_BAD_INPUT, "nothing to plot: name a run's folder or a rows.csv");
    }
    struct row_table *tables = calloc(count, sizeof *tables);
    if (!tables) {
        return fail_out_of_memory(error, "the recorded rows");
    }
    bool done = read_tables(paths, count, log, tables, error) &&
                plot_tables(tables, count, paths[0], output, formats, log, error);
    for (size_t i = 0; i < count; i++) {
        rows_free(&tables[i]);
    }
    free(tables);
    return done;
}

bool plot_directory(const char *directory, FILE *log, struct error *error) {
    return plot_paths(&directory, 1, NULL, PLOT_SVG | PLOT_PNG, log, error);
}
