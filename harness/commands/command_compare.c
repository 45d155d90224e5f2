/* pairmark compare — what became faster or slower between runs, and whether that can be known. */
#include "answers/compare/compare.h"
#include "campaign/axes/axes.h"
#include "campaign/rows/rows.h"
#include "commands/commands.h"
#include "core/files.h"
#include "core/host.h"
#include "core/output_file.h"
#include "core/quantity.h"
#include "core/strings.h"
#include "measure/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
    struct command_paths paths;
    struct compare_settings settings;
    struct compare_view view;
    const char *output; /* NULL: stdout */
    bool strict, despite_checksums;
};

/* ---- the arguments ---- */

static bool to_threshold(const char *value, double *threshold, struct error *error) {
    const size_t length = strlen(value);
    const bool percent = length > 0 && value[length - 1] == '%';
    char word[32];
    (void)snprintf(word, sizeof word, "%.*s", (int)(percent ? length - 1 : length), value);
    if (!parse_double(word, threshold) || *threshold < 0 || *threshold >= (percent ? 100 : 1)) {
        return fail(error, STATUS_BAD_INPUT,
                    "--threshold '%s': expected a share under 1, as 3%% or 0.03", value);
    }
    *threshold *= percent ? 0.01 : 1;
    return true;
}

static bool to_choice(const char *option, const char *what, const char *value,
                      const char *const *choices, int *choice, struct error *error) {
    *choice = word_place(choices, value);
    return *choice >= 0 || words_fail_unknown(option, what, value, choices, error);
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    struct request *request = context;
    static const char *const columns[] = { "device", "variant", "precision", "commit", NULL };
    static const char *const formats[] = { "table", "csv", "markdown", NULL };
    int choice = 0;
    if (strcmp(option, "--by") == 0) {
        bool known = to_choice(option, "column", value, columns, &choice, error);
        request->settings.by = (enum compare_by)(BY_DEVICE + choice);
        return known;
    }
    if (strcmp(option, "--format") == 0) {
        bool known = to_choice(option, "format", value, formats, &choice, error);
        request->view.format = (enum compare_format)choice;
        return known;
    }
    if (strcmp(option, "--threshold") == 0) {
        return to_threshold(value, &request->settings.threshold, error);
    }
    request->output = strcmp(value, "-") == 0 ? NULL : value; /* -o; - is the screen */
    request->view.columns = request->output ? TERMINAL_DEFAULT_COLUMNS : request->view.columns;
    return true;
}

static bool check_request(const struct request *request, struct error *error) {
    if (request->paths.count == 0) {
        return fail(error, STATUS_BAD_INPUT, "expected the folders or rows.csv files of runs");
    }
    return request->paths.count > 1 || request->settings.by != BY_RUN ||
           fail(error, STATUS_BAD_INPUT,
                "one run is given: expected a second one, or --by device, variant, precision or "
                "commit");
}

static const struct command_option options[] = {
    { "--by", .placeholder = "WHAT", .values = "device variant precision commit",
      .help = "compare the devices, variants, precisions or commits that the rows hold: device, "
              "variant (each at its best tunables), precision, commit" },
    { "--baseline", .placeholder = "NAME",
      .help = "what to compare with, as the table names it; globs are fine (the first run; the "
              "first device, variant, ...)",
      OPTION_STORED(struct request, settings.baseline) },
    { "--threshold", .placeholder = "T",
      .help = "what counts as a difference at all: 3% or 0.03 (3%)" },
    { "--format", .placeholder = "F", .values = "table csv markdown",
      .help = "table, csv or markdown (table)" },
    { "--output", "-o", "FILE", .values = OPTION_FILE,
      .help = "where it goes instead of the screen; the summary goes to both. Of files that are "
              "there, only comparisons are replaced" },
    { "--list-unmatched", .help = "also list the cases that have no partner",
      OPTION_STORED(struct request, view.list_unmatched) },
    { "--verbose",
      .help = "show all tunables; without it those that differ between lines of a variant",
      OPTION_STORED(struct request, view.verbose) },
    { "--strict",
      .help = "for CI: fail, too, where what was asked cannot be known: a case that is unclear, "
              "that has no partner, or that is the same only within more than the threshold; no "
              "case at all",
      OPTION_STORED(struct request, strict) },
    OPTION_DESPITE_CHECKSUMS(struct request),
    { .name = NULL },
};

/* ---- the comparison ---- */

static size_t count_joined(const struct comparison *comparison) {
    return comparison->joined_count - comparison_count(comparison, SIZE_MAX, CHANGE_ONLY_BASELINE) -
           comparison_count(comparison, SIZE_MAX, CHANGE_ONLY_OTHER);
}

/* A table, in Markdown or not, or CSV. */
static bool is_comparison(const char *head) {
    static const char csv[] = "baseline_side,other_side,verdict,";
    return begins_with(head, csv) || (strstr(head, "baseline ") && strstr(head, "\nthreshold "));
}

static const struct output_kind comparison_output = { "a comparison that pairmark wrote",
                                                      is_comparison };

static bool write_result(const struct request *request, const struct comparison *comparison,
                         struct error *error) {
    struct strbuf summary = { 0 };
    struct strbuf text = { 0 };
    bool written = true;
    compare_summarise(comparison, &summary);
    compare_format(comparison, &request->view, &text);
    if (request->view.format != COMPARE_CSV) {
        strbuf_append(&text, "%s", strbuf_text(&summary));
    }
    if (request->output) {
        written = output_write(request->output, &comparison_output, text.data, text.length, error);
        (void)fputs(written ? summary.data : "", stdout);
    } else {
        if (request->view.format != COMPARE_TABLE) {
            terminal_leave_lines(stdout);
        }
        (void)fputs(text.data, stdout);
        /* Beside CSV, which stays a table. */
        (void)fputs(request->view.format == COMPARE_CSV ? summary.data : "", stderr);
    }
    strbuf_free(&summary);
    strbuf_free(&text);
    return written;
}

/* Whether every case has the requested answer; cases without one are reported. */
static bool is_known(const struct comparison *comparison) {
    const struct comparison_gaps gaps = comparison_find_gaps(comparison);
    if (comparison->joined_count == 0 || count_joined(comparison) == 0) {
        (void)fprintf(stderr, "pairmark compare: --strict: no case in common\n");
        return false;
    }
    if (gaps.total == 0) {
        return true;
    }
    (void)fprintf(stderr,
                  "pairmark compare: --strict: whether anything is slower by %s is not known of "
                  "%zu case%s: %zu unclear, %zu the same within more than that, %zu without a "
                  "partner, %zu without a time\n",
                  quantity_percent(comparison->threshold).text, gaps.total,
                  gaps.total == 1 ? "" : "s", gaps.unclear, gaps.too_wide, gaps.unmatched,
                  gaps.untimed);
    return false;
}

static bool compare_all(const struct request *request, const struct run *runs, size_t run_count,
                        bool *worse, struct error *error) {
    struct comparison comparison;
    if (!compare_runs(runs, run_count, &request->settings, &comparison, error)) {
        return false;
    }
    bool done = write_result(request, &comparison, error);
    if (done && !request->strict && count_joined(&comparison) == 0) {
        done = fail(error, STATUS_BAD_INPUT, "no case in common%s",
                    request->view.list_unmatched ? "" : ": --list-unmatched lists what there is");
    }
    *worse = comparison_count(&comparison, SIZE_MAX, CHANGE_SLOWER) > 0 ||
             comparison_count(&comparison, SIZE_MAX, CHANGE_NEWLY_WRONG) > 0 ||
             (done && request->strict && !is_known(&comparison));
    comparison_free(&comparison);
    return done;
}

/* The paths of all runs, those joined by a comma apart; sides[i] is the argument that words[i] is
 * from. `split` keeps the words. */
struct paths {
    char **split;       /* of each argument */
    const char **words; /* pointing into them */
    size_t *sides;
    size_t count;
};

static void paths_free(struct paths *paths, size_t arguments) {
    for (size_t a = 0; paths->split && a < arguments; a++) {
        free(paths->split[a]);
    }
    free(paths->split);
    free(paths->words);
    free(paths->sides);
}

/* An argument that is a path as it stands is one, commas or not. */
static bool paths_make(const struct request *request, struct paths *paths, struct error *error) {
    size_t most = 0;
    for (size_t a = 0; a < request->paths.count; a++) {
        most += strlen(request->paths.words[a]) + 1;
    }
    *paths = (struct paths){ .split = memory_zeroed(request->paths.count, sizeof *paths->split),
                             .words = memory_zeroed(most, sizeof *paths->words),
                             .sides = memory_zeroed(most, sizeof *paths->sides) };
    for (size_t a = 0; a < request->paths.count; a++) {
        char *rest = paths->split[a] = memory_copy(request->paths.words[a]);
        const char *separators = access(rest, F_OK) == 0 ? "" : ",";
        for (char *word; (word = strsep(&rest, separators));) {
            if (*word == '\0') {
                return fail(error, STATUS_BAD_INPUT, "'%.200s': the name of a run is empty",
                            request->paths.words[a]);
            }
            paths->sides[paths->count] = a;
            paths->words[paths->count++] = word;
        }
    }
    return true;
}

/* A run that is counted twice would seem to know better how long it took. */
static bool refuse_twice_on_a_side(const struct run *runs, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (runs[i].side == runs[k].side &&
                fs_same_file(runs[i].rows_path, runs[k].rows_path)) {
                return fail(error, STATUS_BAD_INPUT, "%s: the same run as %s, on one side",
                            runs[i].name, runs[k].name);
            }
        }
    }
    return true;
}

static bool read_and_compare(const struct request *request, bool *worse, struct error *error) {
    struct paths paths;
    struct run *runs = NULL;
    size_t opened = 0;
    bool done = paths_make(request, &paths, error);
    if (done) {
        runs = memory_zeroed(paths.count, sizeof *runs);
    }
    for (size_t i = 0; done && request->output && i < paths.count; i++) {
        done = rows_spare(paths.words[i], request->output, error);
    }
    if (done && request->output && !output_check(request->output, &comparison_output, error)) {
        done = fail_within(error, "-o");
    }
    done = done && runs_verify(paths.words, paths.count, request->despite_checksums, stderr, error);
    for (; done && opened < paths.count; opened += done) {
        done = run_read(paths.words[opened], stderr, &runs[opened], error);
        runs[opened].side = paths.sides[opened];
        runs[opened].side_name = request->paths.words[paths.sides[opened]];
    }
    done = done && refuse_twice_on_a_side(runs, opened, error) &&
           compare_all(request, runs, paths.count, worse, error);
    for (size_t r = 0; r < opened; r++) {
        run_free(&runs[r]);
    }
    free(runs);
    paths_free(&paths, request->paths.count);
    return done;
}

static void begin(void *context) {
    struct request *request = context;
    request->settings = (struct compare_settings){ .threshold = compare_threshold, .log = stderr };
    request->view.columns = terminal_columns(stdout);
}

static int run(void *request, struct error *error) {
    bool worse = false;
    if (!check_request(request, error) || !read_and_compare(request, &worse, error)) {
        return COMMAND_FAILED;
    }
    return worse ? status_exit_code(STATUS_WRONG) : 0;
}

const struct command compare_command = { .name = "compare",
                                         .summary = "what became faster or slower between runs",
                                         .run = run,
                                         .options = options,
                                         .take_option = take_option,
                                         COMMAND_REQUEST(struct request),
                                         .begin = begin,
                                         COMMAND_PATHS(struct request, paths),
                                         .operands = OPTION_FILE };
