/* The figures of `pairmark plot`, drawn into a folder that goes away again. */
#include "answers/plot/plot.h"
#include "answers/report/report_sections.h"
#include "campaign/memory.h"
#include "core/error.h"
#include "core/files.h"
#include "core/strings.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURE_PATH = PATH_MAX + NAME_MAX + 8 };

/* ---- the folder ---- */

static bool make_folder(char *folder, size_t size, struct error *error) {
    const char *base = getenv("TMPDIR");
    int length = snprintf(folder, size, "%s/pairmark-report-XXXXXX", base && *base ? base : "/tmp");
    if (length < 0 || (size_t)length >= size) {
        return fail(error, STATUS_BAD_INPUT, "TMPDIR is too long");
    }
    return mkdtemp(folder) || fail(error, STATUS_SYSTEM, "%s: %s", folder, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_folder(const char *folder) {
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- kinds of figures ---- */

/* The kinds in the order in which they are read; others follow as they were drawn. */
static const struct {
    const char *name, *heading;
} kinds[] = {
    { "crossover", "Crossover map" },
    { "crossover_built", "Crossover map, building counted" },
    { "devices", "The variants on several devices, in several runs" },
    { "time", "Time against N" },
    { "pairs", "Interacting pairs per second against N" },
    { "balance", "Time against the ratio of groups" },
    { "error", "Time against error" },
    { "roofline", "Roofline" },
    { "energy", "Energy a pair" },
};

enum { KINDS = sizeof kinds / sizeof kinds[0], FEW_FIGURES = 12 };

static int rank_of(const char *kind) {
    int rank = 0;
    while (rank < KINDS && strcmp(kinds[rank].name, kind) != 0) {
        rank++;
    }
    return rank;
}

/* ---- figures ---- */

/* An image in the page itself. What an image holds runs no script and shares no ids with others. */
static void append_image(const char *svg, const char *title, struct strbuf *html) {
    strbuf_append(html, "<img src=\"data:image/svg+xml,");
    for (; *svg; svg++) {
        const unsigned char byte = (unsigned char)*svg;
        if (byte <= ' ' || byte >= 127 || strchr("\"#%&'<>", byte)) {
            strbuf_append(html, "%%%02X", byte);
        } else {
            strbuf_append_bytes(html, svg, 1);
        }
    }
    strbuf_append(html, "\" alt=\"");
    html_text(html, title);
    strbuf_append(html, "\">");
}

static bool append_figure(const char *folder, const struct plot_item *item, struct strbuf *html,
                          struct error *error) {
    char path[FIGURE_PATH];
    char *svg = NULL;
    (void)snprintf(path, sizeof path, "%s/%s.svg", folder, item->name);
    if (!fs_read(path, &svg, NULL, error)) {
        return false;
    }
    strbuf_append(html, "<figure>");
    append_image(svg, item->caption, html);
    strbuf_append(html, "<figcaption>");
    html_text(html, item->caption);
    strbuf_append(html, "</figcaption></figure>\n");
    free(svg);
    return true;
}

static void note(struct strbuf *html, FILE *log, const char *what, const struct error *error) {
    strbuf_append(html, "<p class=note>%s: ", what);
    html_text(html, error->message);
    strbuf_append(html, "</p>\n");
    log_warning(log, "%s: %s", what, error->message);
}

/* All figures of the kind that `first` is the first of; returns how many. */
static size_t append_kind(const char *folder, const struct plot_list *list, size_t first,
                          bool is_open, struct strbuf *html, FILE *log) {
    size_t figures = 0;
    struct error error = { 0 };
    const char *kind = list->items[first].kind;
    size_t count = 0;
    for (size_t i = first; i < list->count; i++) {
        count += strcmp(list->items[i].kind, kind) == 0;
    }
    strbuf_append(html, "<details%s><summary><h3>", is_open ? " open" : "");
    html_text(html, rank_of(kind) < KINDS ? kinds[rank_of(kind)].heading : kind);
    strbuf_append(html, "</h3> (%zu)</summary>\n<div class=figures>\n", count);
    for (size_t i = first; i < list->count; i++) {
        if (strcmp(list->items[i].kind, kind) != 0) {
            continue;
        }
        if (append_figure(folder, &list->items[i], html, &error)) {
            figures++;
        } else {
            note(html, log, "A figure is missing", &error);
        }
    }
    strbuf_append(html, "</div></details>\n");
    return figures;
}

static bool is_first_of_kind(const struct plot_list *list, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (strcmp(list->items[i].kind, list->items[index].kind) == 0) {
            return false;
        }
    }
    return true;
}

/* Where there are many, all but those of the first kind are folded. Returns how many. */
static size_t append_figures(const char *folder, const struct plot_list *list, struct strbuf *html,
                             FILE *log) {
    bool is_open = true;
    size_t figures = 0;
    for (int rank = 0; rank <= KINDS; rank++) {
        for (size_t i = 0; i < list->count; i++) {
            if (rank_of(list->items[i].kind) == rank && is_first_of_kind(list, i)) {
                figures +=
                    append_kind(folder, list, i, is_open || list->count <= FEW_FIGURES, html, log);
                is_open = false;
            }
        }
    }
    return figures;
}

enum { RUN_NAME = 32 };

/* The figures into the folder; runs by the letters that tables call them by. */
static bool draw(const struct report_data *data, const char *folder, struct plot_list *list,
                 struct error *error) {
    const char **paths = memory_zeroed(data->count + 1, sizeof *paths);
    const char **labels = memory_zeroed(data->count + 1, sizeof *labels);
    char(*names)[RUN_NAME] = memory_zeroed(data->count + 1, sizeof *names);
    for (size_t r = 0; r < data->count; r++) {
        (void)snprintf(names[r], sizeof names[r], "run %s", data->runs[r].label);
        paths[r] = data->runs[r].path;
        labels[r] = names[r];
    }
    const struct plot_runs runs = { .paths = paths,
                                    .labels = labels,
                                    .count = data->count,
                                    .output = folder,
                                    .formats = PLOT_SVG };
    const bool drawn = plot_paths(&runs, NULL, list, error);
    free(names);
    free(labels);
    free(paths);
    return drawn;
}

size_t report_figures(const struct report_data *data, struct strbuf *html, FILE *log) {
    struct plot_list list = { 0 };
    struct error error;
    char folder[PATH_MAX];
    size_t figures = 0;
    strbuf_append(html, "<section id=figures>\n<h2>Figures</h2>\n");
    const bool made = make_folder(folder, sizeof folder, &error);
    const bool drawn = made && draw(data, folder, &list, &error);
    /* Those that were drawn before one failed are shown. */
    if (made) {
        figures = append_figures(folder, &list, html, log);
        remove_folder(folder);
    }
    plot_list_free(&list);
    if (!drawn) {
        note(html, log, figures > 0 ? "Further figures are missing" : "No figures", &error);
    }
    strbuf_append(html, "</section>\n");
    return figures;
}
