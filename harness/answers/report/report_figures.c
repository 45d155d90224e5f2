/* Draws the figures of a report into a temporary folder, and takes them into the page. */
#include "answers/report/report.h"
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
    strbuf_append_markup(html, title);
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
    strbuf_append_markup(html, item->caption);
    strbuf_append(html, "</figcaption></figure>\n");
    free(svg);
    return true;
}

static void note(struct strbuf *html, FILE *log, const char *what, const struct error *error) {
    strbuf_append(html, "<p class=note>%s: ", what);
    strbuf_append_markup(html, error->message);
    strbuf_append(html, "</p>\n");
    log_warning(log, "%s: %s", what, error->message);
}

/* Those that were drawn; returns how many could be read. */
static size_t append_figures(const char *folder, const struct plot_list *list, struct strbuf *html,
                             FILE *log) {
    size_t figures = 0;
    strbuf_append(html, "<div class=figures>\n");
    for (size_t i = 0; i < list->count; i++) {
        struct error error = { 0 };
        if (append_figure(folder, &list->items[i], html, &error)) {
            figures++;
        } else {
            note(html, log, "A figure is missing", &error);
        }
    }
    strbuf_append(html, "</div>\n");
    return figures;
}

size_t report_figures(const struct plot_runs *runs, struct strbuf *html, FILE *log) {
    struct plot_list list = { 0 };
    struct error error;
    char folder[PATH_MAX];
    size_t figures = 0;
    strbuf_append(html, "<section id=figures>\n<h2>Figures</h2>\n");
    struct plot_runs drawing = *runs;
    drawing.output = folder;
    drawing.formats = PLOT_SVG;
    const bool made = make_folder(folder, sizeof folder, &error);
    const bool drawn = made && plot_paths(&drawing, NULL, &list, &error);
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
