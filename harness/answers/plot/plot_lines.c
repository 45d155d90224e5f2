#include "answers/plot/plot_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which lines are named ---- */

double plot_place_n(const struct plot_point *point) {
    return point->n;
}

/* What decides whether a variant is named. */
struct candidate {
    const char *variant, *structure;
    size_t wins;   /* places at which it is the fastest of a precision */
    double last;   /* the last place at which it has a point */
    double last_s; /* its least time there */
    double slower; /* than the fastest there: the ratio of times */
};

struct choice {
    struct candidate *candidates;
    size_t count;
    struct plot_lines *lines;
};

static struct candidate *candidate_of(struct choice *choice, const char *variant) {
    for (size_t i = 0; i < choice->count; i++) {
        if (strcmp(choice->candidates[i].variant, variant) == 0) {
            return &choice->candidates[i];
        }
    }
    return NULL;
}

static bool is_fastest(const struct plot_point *points, size_t count, plot_place *place,
                       const struct plot_point *point) {
    for (size_t i = 0; i < count; i++) {
        if (place(&points[i]) == place(point) && points[i].time_s < point->time_s &&
            strcmp(points[i].precision, point->precision) == 0) {
            return false;
        }
    }
    return true;
}

static double fastest_at(const struct plot_point *points, size_t count, plot_place *place,
                         double where) {
    double fastest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        fastest = place(&points[i]) == where ? fmin(fastest, points[i].time_s) : fastest;
    }
    return fastest;
}

static void gather(struct choice *choice, const struct plot_point *points, size_t count,
                   plot_place *place) {
    for (size_t i = 0; i < count; i++) {
        const double where = place(&points[i]);
        struct candidate *candidate = candidate_of(choice, points[i].variant);
        if (!candidate) {
            candidate = &choice->candidates[choice->count++];
            *candidate = (struct candidate){ .variant = points[i].variant,
                                             .structure = points[i].structure,
                                             .last = where,
                                             .last_s = INFINITY };
        }
        if (where > candidate->last) {
            candidate->last = where;
            candidate->last_s = INFINITY;
        }
        if (where == candidate->last) {
            candidate->last_s = fmin(candidate->last_s, points[i].time_s);
        }
        candidate->wins += is_fastest(points, count, place, &points[i]);
    }
    for (size_t i = 0; i < choice->count; i++) {
        struct candidate *candidate = &choice->candidates[i];
        candidate->slower = candidate->last_s / fastest_at(points, count, place, candidate->last);
    }
}

static bool is_named(const struct plot_lines *lines, const char *variant) {
    for (size_t i = 0; i < lines->named_count; i++) {
        if (strcmp(lines->named[i], variant) == 0) {
            return true;
        }
    }
    return false;
}

static void name(struct choice *choice, const struct candidate *candidate) {
    struct plot_lines *lines = choice->lines;
    if (candidate && lines->named_count < PLOT_NAMED && !is_named(lines, candidate->variant)) {
        lines->named[lines->named_count++] = candidate->variant;
    }
}

static int compare_wins(const void *left, const void *right) {
    const struct candidate *a = left;
    const struct candidate *b = right;
    int order = (a->wins < b->wins) - (a->wins > b->wins);
    if (order == 0) {
        order = (a->slower > b->slower) - (a->slower < b->slower);
    }
    return order != 0 ? order : strcmp(a->variant, b->variant);
}

static size_t users_of(const struct choice *choice, const char *structure) {
    size_t users = 0;
    for (size_t i = 0; i < choice->count; i++) {
        users += strcmp(choice->candidates[i].structure, structure) == 0;
    }
    return users;
}

/* Candidates are sorted, so that the first of several that are alike is named. */
static void name_slowest(struct choice *choice) {
    const struct candidate *slowest = NULL;
    for (size_t i = 0; i < choice->count; i++) {
        const struct candidate *candidate = &choice->candidates[i];
        slowest = !slowest || candidate->slower > slowest->slower ? candidate : slowest;
    }
    name(choice, slowest);
}

static void name_best_of(struct choice *choice, const char *structure) {
    const struct candidate *best = NULL;
    for (size_t i = 0; i < choice->count; i++) {
        const struct candidate *candidate = &choice->candidates[i];
        if (strcmp(candidate->structure, structure) == 0 &&
            (!best || candidate->last > best->last ||
             (candidate->last == best->last && candidate->last_s < best->last_s))) {
            best = candidate;
        }
    }
    name(choice, best);
}

static void name_landmarks(struct choice *choice) {
    for (size_t users = choice->count; users >= 2; users--) {
        for (size_t i = 0; i < choice->count; i++) {
            const char *structure = choice->candidates[i].structure;
            if (users_of(choice, structure) == users) {
                name_best_of(choice, structure);
            }
        }
    }
}

bool plot_lines_choose(const struct plot_point *points, size_t count, plot_place *place,
                       struct plot_lines *lines) {
    struct choice choice = { .candidates = calloc(count + 1, sizeof *choice.candidates),
                             .lines = lines };
    *lines = (struct plot_lines){ .rest = calloc(count + 1, sizeof *lines->rest) };
    const bool chosen = choice.candidates && lines->rest;
    if (chosen) {
        gather(&choice, points, count, place);
        qsort(choice.candidates, choice.count, sizeof *choice.candidates, compare_wins);
        for (size_t i = 0; i < choice.count; i++) {
            if (choice.candidates[i].wins > 0 || choice.count <= PLOT_NAMED) {
                name(&choice, &choice.candidates[i]);
            }
        }
        name_slowest(&choice);
        name_landmarks(&choice);
        for (size_t i = 0; i < choice.count; i++) {
            if (!is_named(lines, choice.candidates[i].variant)) {
                lines->rest[lines->rest_count++] = choice.candidates[i].variant;
            }
        }
    }
    free(choice.candidates);
    return chosen;
}

const char *plot_lines_rule(const struct plot_lines *lines) {
    return lines->rest_count > 0
               ? "Named (up to eight): the fastest anywhere, the slowest, the fastest on each "
                 "structure that several variants use. Grey: the others"
               : "";
}

void plot_lines_free(struct plot_lines *lines) {
    free(lines->rest);
    *lines = (struct plot_lines){ 0 };
}

/* ---- what the script gets ---- */

static size_t longest_of(const char *const *words, size_t count) {
    size_t longest = 6;
    for (size_t i = 0; i < count; i++) {
        longest = strlen(words[i]) > longest ? strlen(words[i]) : longest;
    }
    return longest < PLOT_LABEL_LETTERS ? longest : PLOT_LABEL_LETTERS;
}

/* gnuplot has no empty arrays: the rest has one element more than it needs. */
static void append_rest(const char *const *rest, size_t count, struct strbuf *script) {
    static const char *const none[] = { "" };
    plot_append_names(script, "rest", count > 0 ? rest : none, count > 0 ? count : 1,
                      PLOT_TITLE_LETTERS);
    strbuf_append(script, "rest_count = %zu\n", count);
}

static void append_variants(const struct plot_data *data, const struct plot_lines *lines,
                            struct strbuf *script) {
    bool taken[PLOT_NAMED] = { false };
    plot_append_names(script, "lines", lines->named, lines->named_count, PLOT_TITLE_LETTERS);
    plot_append_names(script, "line_label", lines->named, lines->named_count, PLOT_LABEL_LETTERS);
    strbuf_append(script, "longest_label = %zu\narray line_style[%zu]\n",
                  longest_of(lines->named, lines->named_count), lines->named_count);
    for (size_t i = 0; i < lines->named_count; i++) {
        size_t style = plot_variant_index(data, lines->named[i]) % PLOT_NAMED;
        while (taken[style]) {
            style = (style + 1) % PLOT_NAMED;
        }
        taken[style] = true;
        strbuf_append(script, "line_style[%zu] = %zu\n", i + 1, style);
    }
    append_rest(lines->rest, lines->rest_count, script);
}

void plot_append_labelled(const char *const *names, const char *const *labels, size_t count,
                          struct strbuf *script) {
    const size_t named = count < PLOT_NAMED ? count : PLOT_NAMED;
    plot_append_names(script, "lines", names, named, PLOT_TITLE_LETTERS);
    plot_append_names(script, "line_label", labels, named, PLOT_LABEL_LETTERS);
    strbuf_append(script, "longest_label = %zu\narray line_style[%zu]\n", longest_of(labels, named),
                  named);
    for (size_t i = 0; i < named; i++) {
        strbuf_append(script, "line_style[%zu] = %zu\n", i + 1, i);
    }
    append_rest(names + named, count - named, script);
}

void plot_append_panels(const char *const *names, size_t count, struct strbuf *script) {
    plot_append_names(script, "panels", names, count, PLOT_TITLE_LETTERS);
    plot_append_names(script, "panel_label", names, count, PLOT_LABEL_LETTERS);
}

bool plot_append_precisions(const struct plot_point *points, size_t count, struct strbuf *script) {
    const char **names = calloc(count + 1, sizeof *names);
    if (!names) {
        return false;
    }
    plot_append_panels(names, plot_list_precisions(points, count, names), script);
    free(names);
    return true;
}

void plot_append_axes(const struct plot_axes *axes, struct strbuf *script) {
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

bool plot_append_lines(const struct plot_data *data, const struct plot_point *points, size_t count,
                       plot_place *place, const struct plot_axes *axes, const char **rule,
                       struct strbuf *script) {
    struct plot_lines lines;
    const bool chosen = plot_lines_choose(points, count, place, &lines);
    *rule = chosen ? plot_lines_rule(&lines) : "";
    if (chosen) {
        plot_append_axes(axes, script);
        append_variants(data, &lines, script);
    }
    plot_lines_free(&lines);
    return chosen;
}
