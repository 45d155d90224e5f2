/* The figures of `pairmark plot`, drawn into a folder that goes away again. */
#include "base/text.h"
#include "campaign/plot.h"
#include "report/html.h"
#include "report/report_sections.h"
#include "report/report_svg.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURE_PATH = PATH_MAX + NAME_MAX + 2 };

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

/* ---- the order of figures ---- */

/* A figure's file is KIND_SLUG.svg: the kinds in the order in which they are read. Others follow,
 * under their own names. */
static const struct {
    const char *name, *heading;
} kinds[] = {
    { "crossover", "Crossover map" },
    { "time", "Time against N" },
    { "pairs", "Interacting pairs per second" },
    { "devices", "Several devices" },
    { "error", "Error against time" },
    { "pareto", "Error against time" },
    { "roofline", "Roofline" },
    { "energy", "Energy a pair" },
};

enum { KINDS = sizeof kinds / sizeof kinds[0], FEW_FIGURES = 12 };

/* Up to its first '_'. */
static size_t kind_length(const char *name) {
    return strcspn(name, "_.");
}

static int rank_of(const char *name) {
    for (int i = 0; i < KINDS; i++) {
        if (strlen(kinds[i].name) == kind_length(name) &&
            strncmp(kinds[i].name, name, kind_length(name)) == 0) {
            return i;
        }
    }
    return KINDS;
}

static bool is_same_kind(const char *a, const char *b) {
    return kind_length(a) == kind_length(b) && strncmp(a, b, kind_length(a)) == 0;
}

static int is_figure(const struct dirent *entry) {
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".svg") == 0;
}

static int compare_figures(const struct dirent **a, const struct dirent **b) {
    int order = rank_of((*a)->d_name) - rank_of((*b)->d_name);
    return order ? order : strcmp((*a)->d_name, (*b)->d_name);
}

/* ---- titles ---- */

/* The words of the line "SETTING = 'words'" of a gnuplot script, in which a quote is doubled. */
static void append_setting(const char *script, const char *setting, struct text *words) {
    const char *line = strstr(script, setting);
    if (!line) {
        return;
    }
    for (line += strlen(setting); *line && *line != '\n'; line++) {
        if (*line == '\'' && *++line != '\'') {
            return;
        }
        text_append_bytes(words, line, 1);
    }
}

/* The three lines above a figure, which its script beside it holds; else the name of its file. */
static bool read_title(const char *folder, const char *name, struct text *title) {
    static const char *const settings[] = { "\ntitle1 = '", "\ntitle2 = '", "\ntitle3 = '", NULL };
    struct error error;
    char path[FIGURE_PATH];
    char *script = NULL;
    (void)snprintf(path, sizeof path, "%s/%.*s.plt", folder, (int)(strlen(name) - 4), name);
    if (!text_read_file(path, &script, NULL, &error)) {
        text_append(title, "%.*s", (int)(strlen(name) - 4), name);
        return !title->failed;
    }
    for (const char *const *setting = settings; *setting; setting++) {
        size_t before = title->length;
        text_append(title, "%s", title->length > 0 ? "; " : "");
        append_setting(script, *setting, title);
        if (title->length == before + 2 && before > 0) {
            title->length = before; /* an empty line of the title */
            title->data[before] = '\0';
        }
    }
    if (title->length == 0) {
        text_append(title, "%.*s", (int)(strlen(name) - 4), name);
    }
    free(script);
    return !title->failed;
}

/* ---- figures ---- */

static bool append_figure(const char *folder, const char *name, size_t index, struct text *html,
                          struct error *error) {
    struct text title = { 0 };
    struct text drawing = { 0 };
    char path[FIGURE_PATH];
    char prefix[24];
    char *svg = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)snprintf(prefix, sizeof prefix, "f%zu-", index);
    bool made = (read_title(folder, name, &title) || fail_out_of_memory(error, "a title")) &&
                text_read_file(path, &svg, NULL, error) &&
                (svg_append(&drawing, svg, prefix, title.data, error) ||
                 fail_within(error, "the figure %s", name));
    if (made) {
        text_append(html, "<figure>");
        text_append_bytes(html, drawing.data, drawing.length);
        text_append(html, "<figcaption>");
        html_text(html, title.data);
        text_append(html, "</figcaption></figure>\n");
        html->failed = html->failed || drawing.failed;
    }
    free(svg);
    text_free(&drawing);
    text_free(&title);
    return made;
}

static void note(struct text *html, FILE *log, const char *what, const struct error *error) {
    text_append(html, "<p class=note>%s: ", what);
    html_text(html, error->message);
    text_append(html, "</p>\n");
    if (log) {
        (void)fprintf(log, "%s: %s\n", what, error->message);
    }
}

/* Figures [first, end) are of one kind. */
static void append_kind(const char *folder, struct dirent *const *entries, int first, int end,
                        bool is_open, struct text *html, size_t *figures, FILE *log) {
    struct error error = { 0 };
    const char *name = entries[first]->d_name;
    int rank = rank_of(name);
    text_append(html, "<details%s><summary><h3>", is_open ? " open" : "");
    if (rank < KINDS) {
        text_append(html, "%s", kinds[rank].heading);
    } else {
        text_append(html, "%.*s", (int)kind_length(name), name);
    }
    text_append(html, "</h3> (%d)</summary>\n<div class=figures>\n", end - first);
    for (int i = first; i < end; i++) {
        if (append_figure(folder, entries[i]->d_name, *figures + 1, html, &error)) {
            ++*figures;
        } else {
            note(html, log, "A figure is missing", &error);
        }
    }
    text_append(html, "</div></details>\n");
}

/* Where there are many, all but those of the first kind are folded. */
static void append_figures(const char *folder, struct text *html, size_t *figures, FILE *log) {
    struct dirent **entries = NULL;
    struct error error = { 0 };
    int count = scandir(folder, &entries, is_figure, compare_figures);
    if (count < 0) {
        (void)fail(&error, STATUS_SYSTEM, "%s: %s", folder, strerror(errno));
        note(html, log, "No figures", &error);
        return;
    }
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && is_same_kind(entries[first]->d_name, entries[end]->d_name); end++) {
        }
        append_kind(folder, entries, first, end, first == 0 || count <= FEW_FIGURES, html, figures,
                    log);
    }
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
}

bool report_figures(const char *const *paths, size_t count, struct text *html, size_t *figures,
                    FILE *log, struct error *error) {
    char folder[PATH_MAX];
    *figures = 0;
    text_append(html, "<section id=figures>\n<h2>Figures</h2>\n");
    bool made = make_folder(folder, sizeof folder, error);
    bool drawn = made && plot_paths(paths, count, folder, PLOT_SVG, NULL, error);
    /* Those that were drawn before one failed are shown. */
    if (made) {
        append_figures(folder, html, figures, log);
        remove_folder(folder);
    }
    if (!drawn) {
        note(html, log, *figures > 0 ? "Further figures are missing" : "No figures", error);
    }
    text_append(html, "</section>\n");
    return drawn || error->status != STATUS_OUT_OF_MEMORY;
}
