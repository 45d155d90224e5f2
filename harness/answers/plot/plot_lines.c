/* The figures that are lines in panels (scripts/plot/lines.gp). */
#include "answers/plot/plot_sheet.h"
#include "core/strings.h"
#include "kernels/workload.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- what the script gets ---- */

enum { PLOT_NAMED = 8 };

/* Columns of the table, counted from 1, and axes; 0 and NULL: none. */
struct plot_axes {
    int panel, line, x, value, low, high;
    int ring; /* 1 there: the point is ringed */
    int end;  /* a line ends where this is largest; 0: at the largest x */
    const char *xlabel, *ylabel;
    const char *xformat, *yformat;           /* of axes over several decades */
    const char *xformat_fine, *yformat_fine; /* over fewer; NULL: the same */
    const char *backdrop;                    /* commands that draw behind the lines */
    double noise;                            /* as plot_set has it */
    double line_width;                       /* 0: 1.5 */
};

static void append_axes(const struct plot_axes *axes, struct strbuf *script) {
    const struct {
        const char *name, *words;
    } texts[] = { { "xlabel", axes->xlabel },
                  { "ylabel", axes->ylabel },
                  { "xformat", axes->xformat },
                  { "yformat", axes->yformat },
                  { "xformat_fine", axes->xformat_fine ? axes->xformat_fine : axes->xformat },
                  { "yformat_fine", axes->yformat_fine ? axes->yformat_fine : axes->yformat },
                  { "backdrop", axes->backdrop ? axes->backdrop : "" } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        plot_append_setting(script, texts[i].name, texts[i].words);
    }
    strbuf_append(script,
                  "panel_column = %d\nline_column = %d\nx_column = %d\nvalue = %d\nlow = %d\n"
                  "high = %d\nring_column = %d\nend_column = %d\nis_log = 'xy'\nnoise = "
                  "%.9g\nline_width = %.9g\n",
                  axes->panel, axes->line, axes->x, axes->value, axes->low, axes->high, axes->ring,
                  axes->end > 0 ? axes->end : axes->x, axes->noise > 0 ? axes->noise : 0.0,
                  axes->line_width > 0 ? axes->line_width : 1.5);
}

/* Lines by their names in the table (column 0) and what a reader is shown (column 1): those from
 * `named` on are grey. gnuplot has no empty arrays: the rest has one element at least. */
static void append_named(const struct answer *lines, size_t named, const size_t *styles,
                         struct strbuf *script) {
    const size_t count = lines->rows - named;
    plot_append_names(script, "lines", lines, 0, 0, named, PLOT_TITLE_LETTERS);
    plot_append_names(script, "line_label", lines, 1, 0, named, PLOT_LABEL_LETTERS);
    strbuf_append(script, "longest_label = %zu\narray line_style[%zu]\n",
                  plot_longest(lines, 1, named), named);
    for (size_t i = 0; i < named; i++) {
        strbuf_append(script, "line_style[%zu] = %zu\n", i + 1, styles[i]);
    }
    if (count > 0) {
        plot_append_names(script, "rest", lines, 0, named, count, PLOT_TITLE_LETTERS);
    } else {
        strbuf_append(script, "array rest[1]\nrest[1] = ''\n");
    }
    strbuf_append(script, "rest_count = %zu\n", count);
}

/* The variants that are shown, those that are named first; `named`: how many these are. */
static struct answer ask_lines(struct plot_sheet *sheet, size_t *named) {
    struct answer lines = analysis_ask(
        &sheet->data->analysis,
        "SELECT variant, variant, style, is_named FROM lines JOIN styles USING (variant)"
        " ORDER BY turn");
    for (*named = 0; *named < lines.rows && answer_number(&lines, *named, 3) == 1;) {
        ++*named;
    }
    return lines;
}

/* Axes, and lines of the variants that are shown, with styles that are near the variant's own.
 * Returns the rule by which some are named. */
static const char *append_lines(struct plot_sheet *sheet, const struct plot_axes *axes,
                                struct strbuf *script) {
    bool taken[PLOT_NAMED] = { false };
    size_t styles[PLOT_NAMED] = { 0 };
    size_t named = 0;
    struct answer lines = ask_lines(sheet, &named);
    for (size_t i = 0; i < named; i++) {
        size_t style = (size_t)answer_number(&lines, i, 2) % PLOT_NAMED;
        while (taken[style]) {
            style = (style + 1) % PLOT_NAMED;
        }
        taken[style] = true;
        styles[i] = style;
    }
    append_axes(axes, script);
    append_named(&lines, named, styles, script);
    const bool are_all = named == lines.rows;
    answer_free(&lines);
    return are_all ? ""
                   : "Named (up to eight): the fastest anywhere, the slowest, the fastest on each "
                     "structure that several variants use. Grey: the others";
}

static void append_panels(const struct answer *names, size_t count, struct strbuf *script) {
    plot_append_names(script, "panels", names, 0, 0, count, PLOT_TITLE_LETTERS);
    plot_append_names(script, "panel_label", names, 0, 0, count, PLOT_LABEL_LETTERS);
}

static struct answer ask_precisions(struct plot_sheet *sheet) {
    return analysis_ask(&sheet->data->analysis,
                        "SELECT precision FROM shown GROUP BY precision_rank, precision"
                        " ORDER BY precision_rank, precision");
}

/* A panel a precision. */
static void append_precisions(struct plot_sheet *sheet, struct strbuf *script) {
    struct answer precisions = ask_precisions(sheet);
    append_panels(&precisions, precisions.rows, script);
    answer_free(&precisions);
}

/* Whether there are two different x, without which there is no line to draw. */
static bool is_wide(const struct plot_figure *figure) {
    return figure->xmax > figure->xmin;
}

/* ---- time, pairs and energy against N ---- */

bool plot_write_set(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                    struct error *error) {
    struct strbuf table = { 0 };
    analysis_append_table(
        &sheet->data->analysis, &table,
        "SELECT precision, variant, CAST(n AS INTEGER) AS n, time_s, p05_s, p95_s,"
        " build_s, pairs / time_s AS pairs_per_s, pairs / p95_s AS pairs_per_s_low,"
        " pairs / p05_s AS pairs_per_s_high, error AS max_rel_force_error, repetitions,"
        " nj_per_pair, tunables FROM points WHERE part = %d ORDER BY point",
        (int)set->part);
    const bool written = analysis_passed(&sheet->data->analysis, error) &&
                         plot_write_table(sheet, slug, &table, error);
    strbuf_free(&table);
    return written;
}

enum curve { CURVE_TIME, CURVE_PAIRS, CURVE_ENERGY, CURVES };

/* How each is drawn; columns of the table that plot_write_set() writes. */
static const struct {
    const char *kind, *bars;
    int value, low, high;
    const char *format, *format_fine;
} curves[CURVES] = {
    [CURVE_TIME] = { "time", "; bars: 5th to 95th percentile", 4, 5, 6, "%.0s %cs", NULL },
    [CURVE_PAIRS] = { "pairs", "; bars: 5th to 95th percentile", 8, 9, 10, "10^{%L}",
                      "%.0t×10^{%T}" },
    [CURVE_ENERGY] = { "energy", "", 13, 0, 0, "10^{%L}", "%g" },
};

static const struct workload *workload_of(const struct plot_set *set) {
    const struct workload *workload = workload_find(set->workload);
    return workload ? workload : workload_default();
}

/* "Terms per second", and what stands at the axis. */
static void words_of(const struct plot_set *set, enum curve curve, char title[64],
                     char ylabel[80]) {
    const struct workload_words *words = &workload_of(set)->words;
    (void)snprintf(title, 64, "Time against N");
    (void)snprintf(ylabel, 80, "time of one evaluation");
    if (curve == CURVE_PAIRS) {
        (void)snprintf(title, 64, "%c%s per second", toupper((unsigned char)*words->counted),
                       words->counted + 1);
        (void)snprintf(ylabel, 80, "%s per second", words->counted);
    } else if (curve == CURVE_ENERGY) {
        (void)snprintf(title, 64, "Energy per %s against N", words->counted_one);
        (void)snprintf(ylabel, 80, "nanojoules per %s", words->counted_one);
    }
}

static void append_curve(struct plot_sheet *sheet, const struct plot_set *set, enum curve curve,
                         struct plot_figure *figure) {
    char title[64];
    char ylabel[80];
    words_of(set, curve, title, ylabel);
    const struct plot_axes axes = { .panel = 1,
                                    .line = 2,
                                    .x = 3,
                                    .value = curves[curve].value,
                                    .low = curves[curve].low,
                                    .high = curves[curve].high,
                                    .xlabel = workload_of(set)->words.size,
                                    .ylabel = ylabel,
                                    .xformat = "%.0s%c",
                                    .yformat = curves[curve].format,
                                    .yformat_fine = curves[curve].format_fine,
                                    .noise = curve != CURVE_ENERGY ? set->noise : 0 };
    struct strbuf *settings = &figure->settings;
    plot_append_set_titles(set, title, "", figure);
    plot_append_ranges(figure, 1);
    const char *rule = append_lines(sheet, &axes, settings);
    plot_append_set_notes(set, curves[curve].bars, "", rule, settings);
    append_precisions(sheet, settings);
    plot_append_ticks(sheet, 0, plot_count_in_words, settings);
}

bool plot_curves(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                 struct error *error) {
    bool drawn = true;
    for (int curve = 0; drawn && curve < CURVES; curve++) {
        struct plot_figure figure = { .kind = curves[curve].kind, .script = "lines", .data = slug };
        (void)snprintf(figure.slug, sizeof figure.slug, "%s", slug);
        if (plot_show(sheet, curves[curve].kind, set->part, NULL, &figure) > 0 &&
            is_wide(&figure)) {
            append_curve(sheet, set, (enum curve)curve, &figure);
            drawn = plot_draw(sheet, &figure, error);
        }
        plot_figure_free(&figure);
    }
    return drawn && analysis_passed(&sheet->data->analysis, error);
}

/* ---- time against error ---- */

/* The front from fast to accurate, as arrays: its points are few. */
static void append_front(struct plot_sheet *sheet, struct strbuf *settings) {
    struct answer front =
        analysis_ask(&sheet->data->analysis, "SELECT x, time_s FROM fronts WHERE on_front"
                                             " GROUP BY time_s ORDER BY time_s");
    for (size_t i = 0; i < front.rows; i++) {
        strbuf_append(settings, "front_x%zu = %.9g\nfront_y%zu = %.9g\n", i + 1,
                      answer_number(&front, i, 0), i + 1, answer_number(&front, i, 1));
    }
    strbuf_append(settings, "front_count = %zu\n", front.rows);
    answer_free(&front);
}

/* One mark a precision, which a key above the panel explains; a line joins those of a variant. */
static void append_marks(struct plot_sheet *sheet, struct strbuf *settings) {
    struct answer precisions = ask_precisions(sheet);
    for (size_t p = 0; p < precisions.rows; p++) {
        char setting[32];
        (void)snprintf(setting, sizeof setting, "precision%zu", p + 1);
        plot_append_setting(settings, setting, answer_text(&precisions, p, 0));
    }
    strbuf_append(settings,
                  "precision_count = %zu\nmarks_of_points = 'precision'\n"
                  "shape(p) = p eq 'float' ? 7 : (p eq 'mixed' ? 9 : (p eq 'double' ? 5 : 13))\n"
                  "mark(l) = shape(strcol(1))\n",
                  precisions.rows);
    answer_free(&precisions);
}

static void append_errors(struct plot_sheet *sheet, const struct plot_set *set,
                          struct plot_figure *figure) {
    static const struct plot_axes axes = { .line = 2,
                                           .x = 5,
                                           .value = 4,
                                           .ring = 6,
                                           .xlabel = "largest force error / RMS force",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "10^{%L}",
                                           .xformat_fine = "%.0t×10^{%T}",
                                           .yformat = "%.0s %cs",
                                           .backdrop = "load share.'/front.gp'",
                                           .line_width = 0.8 };
    struct analysis *analysis = &sheet->data->analysis;
    struct strbuf *settings = &figure->settings;
    char where[64];
    (void)snprintf(where, sizeof where, ", N = %.0f",
                   analysis_ask_number(analysis, "SELECT n FROM shown"));
    analysis_append_table(analysis, &figure->table,
                          "SELECT precision, variant, CAST(n AS INTEGER) AS n, time_s,"
                          " x AS shown_error, on_front, error FROM fronts");
    plot_append_set_titles(set, "Time against error", where, figure);
    plot_append_ranges(figure, 6);
    const char *rule = append_lines(sheet, &axes, settings);
    plot_append_set_notes(set, "; on the front: no other is faster and at most 10 % less accurate",
                          figure->xmin <= 1e-17 ? "an error of zero is drawn at 1e-17" : "", rule,
                          settings);
    strbuf_append(settings, "array panels[1]\npanels[1] = ''\n"
                            "array panel_label[1]\npanel_label[1] = ''\n");
    append_front(sheet, settings);
    strbuf_append(settings, "xtick_count = 0\n");
    append_marks(sheet, settings);
}

bool plot_accuracy(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    struct plot_figure figure = { .kind = "error", .script = "lines" };
    bool drawn = true;
    (void)snprintf(figure.slug, sizeof figure.slug, "%s", slug);
    if (plot_show(sheet, "error", set->part, NULL, &figure) > 0) {
        append_errors(sheet, set, &figure);
        drawn = plot_draw(sheet, &figure, error);
    }
    plot_figure_free(&figure);
    return drawn && analysis_passed(&sheet->data->analysis, error);
}

/* ---- time against the ratio of two groups ---- */

/* 1:16, 4:1. */
static void ratio_in_words(double ratio, char *words, size_t size) {
    char count[32];
    double times = ratio >= 1 ? ratio : 1 / ratio;
    (void)snprintf(count, sizeof count, times >= 100 ? "%.0f" : "%.3g", times);
    (void)snprintf(words, size, ratio >= 1 ? "%s:1" : "1:%s", count);
}

static void append_ratios(struct plot_sheet *sheet, const struct plot_set *set,
                          struct plot_figure *figure) {
    static const struct plot_axes axes = { .panel = 1,
                                           .line = 2,
                                           .x = 3,
                                           .value = 4,
                                           .low = 5,
                                           .high = 6,
                                           .xlabel = "particles of A to particles of B",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "%g",
                                           .yformat = "%.0s %cs" };
    struct analysis *analysis = &sheet->data->analysis;
    struct strbuf *settings = &figure->settings;
    struct plot_set shown = *set;
    char pairs[32];
    char where[64];
    shown.groups[0] = '\0'; /* it is the axis */
    plot_count_in_words(analysis_ask_number(analysis, "SELECT n_a * n_b FROM shown"), pairs,
                        sizeof pairs);
    (void)snprintf(where, sizeof where, ", |A| |B| = %s", pairs);
    analysis_append_table(analysis, &figure->table,
                          "SELECT precision, variant, x AS ratio, time_s, p05_s, p95_s,"
                          " CAST(n_a AS INTEGER) AS n_a, CAST(n_b AS INTEGER) AS n_b FROM shown");
    plot_append_set_titles(&shown, "Time against the ratio of two groups", where, figure);
    plot_append_ranges(figure, 1);
    plot_slug_device(figure->slug, set);
    plot_slug_box(figure->slug, set);
    plot_slug_part(figure->slug, PLOT_SLUG_SIZE, pairs);
    plot_slug_rest(sheet->data, figure->slug, set);
    const char *rule = append_lines(sheet, &axes, settings);
    plot_append_set_notes(&shown, "; bars: 5th to 95th percentile", "", rule, settings);
    append_precisions(sheet, settings);
    plot_append_ticks(sheet, 0.99, ratio_in_words, settings);
}

bool plot_balances(struct plot_sheet *sheet, struct error *error) {
    struct plot_data *data = sheet->data;
    struct answer products =
        analysis_ask(&data->analysis, "SELECT turn, first FROM products ORDER BY turn");
    bool drawn = true;
    for (size_t i = 0; drawn && i < products.rows; i++) {
        struct plot_figure figure = { .kind = "balance", .script = "lines" };
        const size_t turn = (size_t)answer_number(&products, i, 0);
        const size_t first = (size_t)answer_number(&products, i, 1);
        if (plot_show(sheet, "balance", turn, NULL, &figure) > 0 && is_wide(&figure)) {
            append_ratios(sheet, &data->sets[first - 1], &figure);
            drawn = plot_draw(sheet, &figure, error);
        }
        plot_figure_free(&figure);
    }
    answer_free(&products);
    return drawn && analysis_passed(&data->analysis, error);
}

/* ---- the same variants on several devices ---- */

/* Notes that hold for any of the sets hold for the figure. */
static struct plot_set join_sets(struct plot_sheet *sheet, size_t but_device, const char **what) {
    struct answer joined = analysis_ask(&sheet->data->analysis,
                                        "SELECT min(part), max(tuned), max(built), max(averaged),"
                                        " count(DISTINCT model || char(10) || backend) > 1,"
                                        " max(label <> '') FROM sets WHERE but_device = %d",
                                        (int)but_device);
    struct plot_set set = { 0 };
    *what = "";
    if (joined.rows > 0) {
        set = sheet->data->sets[(size_t)answer_number(&joined, 0, 0) - 1];
        set.tuned = answer_number(&joined, 0, 1) == 1;
        set.built = answer_number(&joined, 0, 2) == 1;
        set.averaged = answer_number(&joined, 0, 3) == 1;
        *what = !(answer_number(&joined, 0, 4) == 1) ? "in several runs"
                : answer_number(&joined, 0, 5) == 1  ? "on several devices, in several runs"
                                                     : "on several devices";
    }
    answer_free(&joined);
    return set;
}

/* A line a device, which the table has by its number. */
static void append_devices(struct plot_sheet *sheet, size_t but_device, struct strbuf *script) {
    static const size_t styles[PLOT_NAMED] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    struct answer devices = analysis_ask(
        &sheet->data->analysis,
        "SELECT device, label FROM rivals WHERE but_device = %d ORDER BY part", (int)but_device);
    append_named(&devices, devices.rows < PLOT_NAMED ? devices.rows : PLOT_NAMED, styles, script);
    answer_free(&devices);
}

/* A panel a variant: of more than eight those that figures of lines name. */
static void append_rivals(struct plot_sheet *sheet, size_t but_device, const char *precision,
                          struct plot_figure *figure) {
    static const struct plot_axes axes = { .panel = 2,
                                           .line = 1,
                                           .x = 3,
                                           .value = 4,
                                           .low = 5,
                                           .high = 6,
                                           .xlabel = "N (particles)",
                                           .ylabel = "time of one evaluation",
                                           .xformat = "%.0s%c",
                                           .yformat = "%.0s %cs" };
    struct strbuf *settings = &figure->settings;
    const char *what;
    const struct plot_set set = join_sets(sheet, but_device, &what);
    char title[256];
    char box[400];
    size_t named = 0;
    struct answer variants = ask_lines(sheet, &named);
    const char *rule = named < variants.rows
                           ? "Shown (up to eight): the fastest anywhere, the slowest, the "
                             "fastest on each structure that several variants use"
                           : "";
    analysis_append_table(&sheet->data->analysis, &figure->table,
                          "SELECT device, variant, CAST(n AS INTEGER) AS n, time_s, p05_s, p95_s"
                          " FROM shown JOIN rivals USING (part) ORDER BY part, point");
    plot_append_ranges(figure, 1);
    (void)snprintf(title, sizeof title, "The same variants %s: %s, %s", what,
                   plot_outputs_in_words(&set), precision);
    plot_box_in_words(&set, box, sizeof box);
    plot_append_titles(figure, title, box, set.interaction);
    plot_append_set_notes(&set, "; bars: 5th to 95th percentile", "", rule, settings);
    append_axes(&axes, settings);
    append_panels(&variants, named, settings);
    append_devices(sheet, but_device, settings);
    plot_append_ticks(sheet, 0, plot_count_in_words, settings);
    plot_slug_part(figure->slug, PLOT_SLUG_SIZE, precision);
    plot_slug_box(figure->slug, &set);
    plot_slug_rest(sheet->data, figure->slug, &set);
    answer_free(&variants);
}

bool plot_devices(struct plot_sheet *sheet, struct error *error) {
    struct answer figures = analysis_ask(
        &sheet->data->analysis,
        "SELECT but_device, precision FROM points JOIN sets USING (part)"
        " GROUP BY but_device, precision HAVING count(DISTINCT part) > 1 ORDER BY"
        " (SELECT min(part) FROM sets AS s WHERE s.but_device = sets.but_device), min(part),"
        " precision_rank, precision");
    bool drawn = true;
    for (size_t i = 0; drawn && i < figures.rows; i++) {
        struct plot_figure figure = { .kind = "devices", .script = "lines" };
        const size_t but_device = (size_t)answer_number(&figures, i, 0);
        const char *precision = answer_text(&figures, i, 1);
        if (plot_show(sheet, "devices", but_device, precision, &figure) > 0 && is_wide(&figure)) {
            append_rivals(sheet, but_device, precision, &figure);
            drawn = plot_draw(sheet, &figure, error);
        }
        plot_figure_free(&figure);
    }
    answer_free(&figures);
    return drawn && analysis_passed(&sheet->data->analysis, error);
}

/* ---- the roofline ---- */

/* Named among the notes: what has no dot, variants whose operations are not known, since they rule
 * pairs out by other means than a distance. */
static void append_roofline_notes(struct plot_sheet *sheet, const struct plot_set *set,
                                  const char *rule, struct strbuf *settings) {
    enum { NAMED = 2 };
    struct answer missing = analysis_ask(
        &sheet->data->analysis,
        "SELECT variant FROM points WHERE part = %d AND variant NOT IN (SELECT variant FROM shown)"
        " GROUP BY variant ORDER BY min(point)",
        (int)set->part);
    struct strbuf words = { 0 };
    strbuf_append(&words, "A line joins one variant's Ns; the largest is ringed");
    for (size_t i = 0; i < missing.rows && i < NAMED; i++) {
        strbuf_append(&words, "%s%s", i == 0 ? ". Operations not known: " : ", ",
                      answer_text(&missing, i, 0));
    }
    if (missing.rows > NAMED) {
        strbuf_append(&words, " and %zu more", missing.rows - NAMED);
    }
    plot_append_notes(
        "Operations: the documented count per distance and pair function. Bytes: each "
        "position read and each force written once",
        words.data ? words.data : "", rule, settings);
    strbuf_free(&words);
    answer_free(&missing);
}

/* The roofs above the dots. The ridge, where the two roofs meet, belongs into the figure. */
static void append_roofs(struct plot_sheet *sheet, const struct plot_set *set, double copy_rate,
                         struct plot_figure *figure) {
    struct answer roofs = analysis_ask(
        &sheet->data->analysis,
        "SELECT rate FROM shown JOIN arithmetic USING (precision) JOIN peaks_of_sets USING (part,"
        " kind) WHERE part = %d GROUP BY precision_rank, precision"
        " ORDER BY precision_rank, precision",
        (int)set->part);
    for (size_t i = 0; i < roofs.rows; i++) {
        const double peak = answer_number(&roofs, i, 0);
        strbuf_append(&figure->settings, "roof%zu = %.9g\n", i + 1, peak);
        figure->xmin = fmin(figure->xmin, peak / copy_rate / 4);
        figure->xmax = fmax(figure->xmax, peak / copy_rate / 4);
        figure->ymax = fmax(figure->ymax, peak);
    }
    strbuf_append(&figure->settings, "copy_rate = %.9g\n", copy_rate);
    answer_free(&roofs);
}

static void append_roofline(struct plot_sheet *sheet, const struct plot_set *set, double copy_rate,
                            struct plot_figure *figure) {
    static const struct plot_axes axes = { .panel = 1,
                                           .line = 2,
                                           .x = 4,
                                           .value = 5,
                                           .ring = 6,
                                           .end = 3,
                                           .xlabel = "operations per byte of the least traffic",
                                           .ylabel = "operations per second",
                                           .xformat = "10^{%L}",
                                           .xformat_fine = "%g",
                                           .yformat = "10^{%L}",
                                           .yformat_fine = "%.0t×10^{%T}",
                                           .backdrop = "load share.'/roofline.gp'",
                                           .line_width = 0.8 };
    struct strbuf *settings = &figure->settings;
    analysis_append_table(&sheet->data->analysis, &figure->table,
                          "SELECT precision, variant, CAST(n AS INTEGER) AS n,"
                          " x AS operations_per_byte, low AS operations_per_s, is_largest"
                          " FROM shown");
    plot_append_set_titles(set, "Roofline", "", figure);
    append_roofs(sheet, set, copy_rate, figure);
    plot_append_ranges(figure, 30);
    const char *rule = append_lines(sheet, &axes, settings);
    append_roofline_notes(sheet, set, rule, settings);
    strbuf_append(settings, "xtick_count = 0\n");
    append_precisions(sheet, settings);
}

/* The rate at which the device copies its memory; NaN where it is not known, which the log hears of
 * once a device. */
static double find_copy_rate(struct plot_sheet *sheet, const struct plot_set *set) {
    struct answer device = analysis_ask(
        &sheet->data->analysis,
        "SELECT (SELECT rate FROM peaks_of_sets AS p WHERE p.part = sets.part AND kind = 'copy'),"
        " is_first_of_device, EXISTS (SELECT 1 FROM peaks WHERE peaks.model = sets.model AND"
        " peaks.backend = sets.backend AND (label = '' OR peaks.run = sets.run))"
        " FROM sets WHERE part = %d",
        (int)set->part);
    const double rate = device.rows > 0 ? answer_number(&device, 0, 0) : NAN;
    if (isnan(rate) && device.rows > 0 && answer_number(&device, 0, 1) == 1) {
        log_warning(sheet->log, "no roofline for %s (%s): %s", set->device, set->backend,
                    answer_number(&device, 0, 2) == 1
                        ? "environment.json has no rate of copying in device memory"
                        : "environment.json beside the rows has no peaks of it");
    }
    answer_free(&device);
    return rate;
}

bool plot_roofline(struct plot_sheet *sheet, const struct plot_set *set, const char *slug,
                   struct error *error) {
    struct plot_figure figure = { .kind = "roofline", .script = "lines" };
    const double copy_rate = find_copy_rate(sheet, set);
    bool drawn = true;
    (void)snprintf(figure.slug, sizeof figure.slug, "%s", slug);
    if (!isnan(copy_rate) && plot_show(sheet, "roofline", set->part, NULL, &figure) > 0) {
        append_roofline(sheet, set, copy_rate, &figure);
        drawn = plot_draw(sheet, &figure, error);
    }
    plot_figure_free(&figure);
    return drawn && analysis_passed(&sheet->data->analysis, error);
}
