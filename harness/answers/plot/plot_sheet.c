/* Writes what a figure is made of, its table and its script, and runs gnuplot. */
#include "answers/plot/plot.h"

#include "campaign/axes/axes.h"
#include "core/host.h"
#include "core/output_file.h"
#include "core/strings.h"
#include "measure/program.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names of files ---- */

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

void plot_slug_part(char *slug, size_t size, const char *words) {
    size_t length = strlen(slug);
    if (length > 0 && length + 1 < size) {
        slug[length] = '_';
        slug[length + 1] = '\0';
    }
    slug_append(slug, size, words);
}

void plot_slug_device(char *slug, const struct plot_set *set) {
    plot_slug_part(slug, 48, set->device);
    plot_slug_part(slug, 60, set->backend);
    if (*set->run) {
        plot_slug_part(slug, 90, set->run);
    }
}

void plot_slug_box(char *slug, const struct plot_set *set) {
    const size_t size = PLOT_SLUG_SIZE;
    char number[40];
    plot_slug_part(slug, size, set->kind);
    (void)snprintf(number, sizeof number, "d%s", *set->density ? set->density : "open");
    plot_slug_part(slug, size, number);
    (void)snprintf(number, sizeof number, "c%s", set->cutoff);
    plot_slug_part(slug, size, number);
}

static bool several_interactions(const struct plot_data *data) {
    for (size_t s = 1; s < data->count; s++) {
        if (strcmp(data->sets[s].interaction, data->sets[0].interaction) != 0) {
            return true;
        }
    }
    return false;
}

/* "lj+ewald-real" of "lj+ewald-real:epsilon=1,alpha=0.5,coulomb=1": parameters are in the title,
 * and figures that differ in nothing else get a number. */
static void slug_interaction(char *slug, const char *interaction) {
    char names[64];
    (void)snprintf(names, sizeof names, "%.*s", (int)strcspn(interaction, ":"), interaction);
    plot_slug_part(slug, 180, names);
}

void plot_slug_rest(const struct plot_data *data, char *slug, const struct plot_set *set) {
    plot_slug_part(slug, 150, set->outputs);
    if (several_interactions(data)) {
        slug_interaction(slug, set->interaction);
    }
}

/* ---- texts ---- */

/* A gnuplot string: single quotes, in which nothing is expanded. A quote is a string of its own,
 * joined to the rest: gnuplot takes a doubled one at the beginning for an empty string, and what
 * follows for a command. What is not UTF-8 would make an SVG that no reader takes. */
static void append_quoted(struct strbuf *script, const char *words) {
    strbuf_append_bytes(script, "'", 1);
    while (*words) {
        size_t length = utf8_length(words);
        if (*words == '\'') {
            strbuf_append(script, "'.\"'\".'");
        } else if (length == 0) {
            strbuf_append_bytes(script, "?", 1);
        } else if (length == 1 && iscntrl((unsigned char)*words)) {
            strbuf_append_bytes(script, " ", 1);
        } else {
            strbuf_append_bytes(script, words, length);
        }
        words += length > 0 ? length : 1;
    }
    strbuf_append_bytes(script, "'", 1);
}

void plot_append_setting(struct strbuf *script, const char *name, const char *words) {
    strbuf_append(script, "%s = ", name);
    append_quoted(script, words);
    strbuf_append_bytes(script, "\n", 1);
}

enum { LINE_SIZE = 2 * PLOT_TITLE_LETTERS };

/* Shortens words to `letters` bytes, with three dots where something is missing. */
static void shorten(const char *words, size_t letters, char line[LINE_SIZE]) {
    size_t length = strlen(words);
    if (length <= letters) {
        (void)snprintf(line, LINE_SIZE, "%s", words);
        return;
    }
    length = letters - 3;
    while (length > 0 && ((unsigned char)words[length] & 0xc0) == 0x80) {
        length--; /* not in the middle of a character */
    }
    (void)snprintf(line, LINE_SIZE, "%.*s...", (int)length, words);
}

void plot_append_names(struct strbuf *script, const char *array, const struct plot_names *names,
                       size_t letters) {
    strbuf_append(script, "array %s[%zu]\n", array, names->count);
    for (size_t i = 0; i < names->count; i++) {
        char line[LINE_SIZE];
        shorten(answer_text(names->answer, names->first + i, names->column), letters, line);
        strbuf_append(script, "%s[%zu] = ", array, i + 1);
        append_quoted(script, line);
        strbuf_append_bytes(script, "\n", 1);
    }
}

size_t plot_longest(const struct answer *names, size_t column, size_t count) {
    size_t longest = 6;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(answer_text(names, i, column));
        longest = length > longest ? length : longest;
    }
    return longest < PLOT_LABEL_LETTERS ? longest : PLOT_LABEL_LETTERS;
}

void plot_append_titles(struct plot_figure *figure, const char *first, const char *second,
                        const char *third) {
    static const char *const names[] = { "title1", "title2", "title3" };
    const char *const titles[] = { first, second, third };
    for (int i = 0; i < 3; i++) {
        char line[LINE_SIZE];
        const size_t length = strlen(figure->caption);
        shorten(titles[i], PLOT_TITLE_LETTERS, line);
        plot_append_setting(&figure->settings, names[i], line);
        (void)snprintf(figure->caption + length, sizeof figure->caption - length, "%s%s",
                       length > 0 && *line ? "; " : "", line);
    }
}

const char *plot_outputs_in_words(const struct plot_set *set) {
    const struct workload *workload = workload_find(set->workload);
    for (int i = 0; workload && i < OUTPUTS_COUNT; i++) {
        if (strcmp(set->outputs, outputs_name((enum outputs)i)) == 0) {
            return workload->words.outputs[i];
        }
    }
    return set->outputs;
}

void plot_box_in_words(const struct plot_set *set, char *words, size_t size) {
    const struct workload *workload = workload_find(set->workload);
    if (workload && !axis_is_of(AXIS_KIND, workload)) {
        (void)snprintf(words, size, "no box");
        return;
    }
    const bool ends = !workload || axis_is_of(AXIS_CUTOFF, workload) || workload->own_cutoff;
    (void)snprintf(words, size, "%s, %s%s%s%s%s%s", set->kind,
                   *set->density ? "density " : "open box", set->density, ends ? ", cutoff " : "",
                   ends ? set->cutoff : "", *set->groups ? ", " : "", set->groups);
}

void plot_append_box_titles(const struct plot_set *set, const char *title, const char *box,
                            struct plot_figure *figure) {
    char device[256];
    char last[512];
    plot_device_in_words(set, device, sizeof device);
    (void)snprintf(last, sizeof last, "%s%s%s", box, *set->interaction ? ", " : "",
                   set->interaction);
    plot_append_titles(figure, title, device, last);
}

void plot_append_set_titles(const struct plot_set *set, const char *what, const char *where,
                            struct plot_figure *figure) {
    char title[256];
    char box[400];
    (void)snprintf(title, sizeof title, "%s: %s%s", what, plot_outputs_in_words(set), where);
    plot_box_in_words(set, box, sizeof box);
    plot_append_box_titles(set, title, box, figure);
}

void plot_append_notes(const char *first, const char *second, const char *third,
                       struct strbuf *script) {
    plot_append_setting(script, "note1", first);
    plot_append_setting(script, "note2", second);
    plot_append_setting(script, "note3", third);
}

void plot_append_set_notes(const struct plot_set *set, const char *bars, const char *extra,
                           const char *third, struct strbuf *script) {
    char first[256];
    char second[256];
    (void)snprintf(first, sizeof first, "Medians%s%s%s",
                   set->averaged ? " over launches and repetitions" : " over launches", bars,
                   set->built ? "; building the structure is not included" : "");
    (void)snprintf(second, sizeof second, "%s%s%s",
                   set->tuned ? "Tunables: the fastest correct choice at each point" : "",
                   set->tuned && *extra ? "; " : "", extra);
    plot_append_notes(first, second, third, script);
}

void plot_count_in_words(double count, char *words, size_t size) {
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

/* ---- axes ---- */

/* The factor by which a range is widened on both sides: a little, and to `least` times in all. */
static double padding(double from, double to, double least) {
    return fmax(fmax(pow(to / from, 0.06), 1.2), sqrt(least * from / to));
}

void plot_append_ranges(struct plot_figure *figure, double least_x) {
    const double x = padding(figure->xmin, figure->xmax, least_x);
    const double y = padding(figure->ymin, figure->ymax, 6);
    strbuf_append(&figure->settings, "xmin = %.9g\nxmax = %.9g\nymin = %.9g\nymax = %.9g\n",
                  figure->xmin / x, figure->xmax * x, figure->ymin / y, figure->ymax * y);
}

/* The places that get a label, from the first on: each that is at least a factor beyond the one
 * before. Returns how many there are. */
static size_t choose_ticks(const struct answer *places, double *ticks) {
    const size_t rows = places->rows;
    if (rows == 0) {
        return 0;
    }
    const double range = answer_number(places, rows - 1, 0) / answer_number(places, 0, 0);
    const double factor = fmax(pow(range, 1.0 / 7), 1.0001);
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        const double place = answer_number(places, i, 0);
        if (count == 0 || place > factor * ticks[count - 1]) {
            ticks[count++] = place;
        }
    }
    return count;
}

void plot_append_ticks(struct plot_sheet *sheet, struct strbuf *script) {
    struct answer places =
        analysis_ask(&sheet->data->analysis, "SELECT place FROM shown ORDER BY place");
    double *ticks = memory_zeroed(places.rows + 1, sizeof *ticks);
    const size_t count = choose_ticks(&places, ticks);
    strbuf_append(script, "xtick_count = %zu\narray xtick[%zu]\narray xtick_label[%zu]\n", count,
                  count, count);
    for (size_t t = 0; t < count; t++) {
        char words[32];
        plot_count_in_words(ticks[t], words, sizeof words);
        strbuf_append(script, "xtick[%zu] = %.9g\nxtick_label[%zu] = '%s'\n", t + 1, ticks[t],
                      t + 1, words);
    }
    free(ticks);
    answer_free(&places);
}

/* ---- points and their table ---- */

size_t plot_show(struct plot_sheet *sheet, const char *view, size_t key, const char *precision,
                 struct plot_figure *figure) {
    struct analysis *analysis = &sheet->data->analysis;
    analysis_run(
        analysis,
        "DELETE FROM shown; INSERT INTO shown SELECT * FROM points_of_%s WHERE key = %d AND"
        " (%Q IS NULL OR precision = %Q) ORDER BY precision_rank, precision, variant,"
        " place, point",
        view, (int)key, precision, precision);
    struct answer ranges =
        analysis_ask(analysis, "SELECT count(*), min(x), max(x), min(low), max(high) FROM shown");
    const size_t count = (size_t)answer_number(&ranges, 0, 0);
    if (count > 0) {
        figure->xmin = answer_number(&ranges, 0, 1);
        figure->xmax = answer_number(&ranges, 0, 2);
        figure->ymin = answer_number(&ranges, 0, 3);
        figure->ymax = answer_number(&ranges, 0, 4);
    }
    answer_free(&ranges);
    return count;
}

static bool is_table(const char *head) {
    return head[0] == '#' && strstr(head, "variant");
}

static const struct output_kind table_output = { "a table of a figure", is_table };

bool plot_write_table(const struct plot_sheet *sheet, const char *slug, const struct strbuf *table,
                      struct error *error) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s.dat", sheet->folder, slug);
    struct strbuf text = { 0 };
    if (sheet->doubts) {
        strbuf_append(&text, "# doubtful: %s\n", sheet->doubts);
    }
    strbuf_append(&text, "%s", strbuf_text(table));
    const bool written = output_write(path, &table_output, strbuf_text(&text), text.length, error);
    strbuf_free(&text);
    return written;
}

/* ---- the scripts of gnuplot ---- */

/* BASE + REST, made absolute, when it holds the scripts. */
static bool scripts_in(const char *base, const char *rest, char *folder, size_t size) {
    char path[PATH_MAX];
    char resolved[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/lines.gp", base, rest);
    if (length < 0 || (size_t)length >= sizeof path || !realpath(path, resolved)) {
        return false;
    }
    char *end = strrchr(resolved, '/');
    *end = '\0';
    length = snprintf(folder, size, "%s", resolved);
    return length >= 0 && (size_t)length < size;
}

static bool scripts_beside_program(char *folder, size_t size) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash) {
        return false;
    }
    *slash = '\0';
    return scripts_in(program, "/../share/pairmark/plot", folder, size);
}

bool gnuplot_scripts(char *folder, size_t size, struct error *error) {
    const char *share = getenv("PAIRMARK_SHARE");
    if (share && *share) {
        return scripts_in(share, "/plot", folder, size) ||
               fail(error, STATUS_BAD_INPUT,
                    "PAIRMARK_SHARE is %s, which holds no plot/lines.gp: no gnuplot scripts",
                    share);
    }
    return scripts_beside_program(folder, size) ||
           scripts_in(PAIRMARK_SOURCE_SHARE, "/plot", folder, size) ||
           fail(error, STATUS_SYSTEM,
                "the gnuplot scripts are neither in ../share/pairmark/plot from the program nor in "
                "%s/plot; name the folder above plot/ by PAIRMARK_SHARE",
                PAIRMARK_SOURCE_SHARE);
}

/* ---- running gnuplot ---- */

/* Runs `gnuplot SCRIPT` in a folder. STATUS_SYSTEM where it is missing (naming the package) or
 * fails (with what it said). */
static bool run_gnuplot(const char *folder, const char *script, struct error *error) {
    enum { SHOWN = 1499 };
    /* -d leaves the user's own start-up file out. */
    const char *const words[] = { "gnuplot", "-d", script, NULL };
    struct strbuf said = { 0 };
    const int code = program_run(folder, words, true, &said);
    if (code == 0) {
        strbuf_free(&said);
        return true;
    }
    const int reason = errno;
    size_t length = said.length < SHOWN ? said.length : SHOWN;
    while (length > 0 && strchr("\n ", said.data[length - 1])) {
        length--;
    }
    if (code < 0 && reason == ENOENT) {
        (void)fail(error, STATUS_SYSTEM,
                   "gnuplot is not installed (Debian, Ubuntu: apt-get install gnuplot-nox); "
                   "once it is, pairmark plot draws the figures");
    } else if (code < 0 && reason != 0) {
        (void)fail(error, STATUS_SYSTEM, "cannot run gnuplot: %s", strerror(reason));
    } else {
        (void)fail(error, STATUS_SYSTEM, "gnuplot failed on %s/%s: %.*s", folder, script,
                   (int)length, length > 0 ? said.data : "");
    }
    strbuf_free(&said);
    return false;
}

/* ---- drawing ---- */

static bool is_taken(const struct plot_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* KIND_SLUG, with a number where that is taken: names leave characters out, so that different
 * figures can come to the same. */
static void name_figure(const struct plot_sheet *sheet, const struct plot_figure *figure,
                        char *name, size_t size) {
    (void)snprintf(name, size, "%s_%s", figure->kind, figure->slug);
    for (int number = 2; is_taken(sheet->list, name); number++) {
        (void)snprintf(name, size, "%s_%s_%d", figure->kind, figure->slug, number);
    }
}

static void list_figure(const struct plot_sheet *sheet, const struct plot_figure *figure,
                        const char *name) {
    struct plot_list *list = sheet->list;
    list->items = memory_grown(list->items, list->count + 1, sizeof *list->items);
    struct plot_item *item = &list->items[list->count++];
    (void)snprintf(item->name, sizeof item->name, "%s", name);
    (void)snprintf(item->caption, sizeof item->caption, "%s%.380s",
                   sheet->doubts ? "doubtful; " : "", figure->caption);
}

static bool is_script(const char *head) {
    return begins_with(head, "# gnuplot -d ");
}

static const struct output_kind script_output = { "a script of a figure", is_script };

/* gnuplot itself writes the drawings, over whatever is there: a drawing without its script beside
 * it is none of ours. */
static bool spare_others(const struct plot_sheet *sheet, const char *name, struct error *error) {
    static const char *const endings[] = { "svg", "png" };
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s.plt", sheet->folder, name);
    const bool ours = access(path, F_OK) == 0;
    for (int i = 0; !ours && i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s.%s", sheet->folder, name, endings[i]);
        if (sheet->formats & (1U << i) && access(path, F_OK) == 0) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s is there already, and is no figure of pairmark's: name another folder, "
                        "or remove it first",
                        path);
        }
    }
    return true;
}

/* The file that says how the figure is drawn stays beside it: gnuplot run on it by hand draws it
 * again. */
static bool write_script(const struct plot_sheet *sheet, const struct plot_figure *figure,
                         const char *name, struct error *error) {
    static const char *const formats[] = { "svg", "png" };
    struct strbuf script = { 0 };
    char path[PATH_MAX], doubts[LINE_SIZE];
    strbuf_append(&script, "# gnuplot -d %s.plt draws this figure again\n", name);
    plot_append_setting(&script, "share", sheet->scripts);
    plot_append_setting(&script, "name", name);
    shorten(sheet->doubts ? sheet->doubts : "", PLOT_TITLE_LETTERS, doubts);
    plot_append_setting(&script, "doubts", doubts);
    strbuf_append(&script, "data = '%s.dat'\n", figure->data ? figure->data : name);
    strbuf_append_bytes(&script, figure->settings.data, figure->settings.length);
    for (int i = 0; i < 2; i++) {
        if (sheet->formats & (1U << i)) {
            strbuf_append(&script, "reset\nformat = '%s'\nload share.'/%s.gp'\n", formats[i],
                          figure->script);
        }
    }
    (void)snprintf(path, sizeof path, "%s/%s.plt", sheet->folder, name);
    const bool written = spare_others(sheet, name, error) &&
                         output_write(path, &script_output, script.data, script.length, error);
    strbuf_free(&script);
    return written;
}

void plot_figure_free(struct plot_figure *figure) {
    strbuf_free(&figure->table);
    strbuf_free(&figure->settings);
}

bool plot_draw(struct plot_sheet *sheet, const struct plot_figure *figure, struct error *error) {
    char name[sizeof sheet->list->items->name];
    char script[sizeof name + 8];
    name_figure(sheet, figure, name, sizeof name);
    (void)snprintf(script, sizeof script, "%s.plt", name);
    if ((!figure->data && !plot_write_table(sheet, name, &figure->table, error)) ||
        !write_script(sheet, figure, name, error) || !run_gnuplot(sheet->folder, script, error)) {
        return false;
    }
    list_figure(sheet, figure, name);
    return true;
}
