/* pairmark query — one SQL statement over recorded runs. */
#include "answers/tables/analysis.h"
#include "commands/commands.h"
#include "core/files.h"
#include "core/strings.h"
#include "measure/program.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct command_paths words; /* the statement or its file, then the paths */
    char *file;                 /* its text; NULL: there is none */
    uint64_t rows;              /* 0: as many as the format shows */
    struct query query;
    bool despite_checksums;
};

/* ---- the arguments ---- */

static bool take_format(struct request *request, enum query_format format, struct error *error) {
    if (request->query.format != QUERY_TABLE && request->query.format != format) {
        return fail(error, STATUS_BAD_INPUT, "--csv and --json: one of them");
    }
    request->query.format = format;
    return true;
}

static bool take_option(void *context, const char *option, const char *value, struct error *error) {
    (void)value;
    return take_format(context, strcmp(option, "--csv") == 0 ? QUERY_CSV : QUERY_JSON, error);
}

static const struct command_option options[] = {
    { "--csv", .help = "CSV, numbers in full, instead of an aligned table" },
    { "--json", .help = "an array of objects" },
    { "--rows", .placeholder = "N",
      .help = "the most rows: of a table the others are left out (1k), of CSV and JSON more are an "
              "error (1M)",
      OPTION_COUNT(struct request, rows, 1, OPTION_ANY) },
    { "--timeout", .placeholder = "S", .help = "the most seconds that the query takes (60)",
      OPTION_POSITIVE(struct request, query.max_seconds) },
    OPTION_DESPITE_CHECKSUMS(struct request),
    { .name = NULL },
};

static bool check_request(struct request *request, struct error *error) {
    const size_t most = request->query.format == QUERY_TABLE ? 1000 : 1000000;
    if (request->words.count < 2) {
        return fail(error, STATUS_BAD_INPUT,
                    "expected a query, then the folders or rows.csv files of runs, as "
                    "\"SELECT variant, n, force_s_median FROM rows\" DIR");
    }
    const char *statement = request->words.words[0];
    if (ends_with(statement, ".sql") &&
        !input_read_text(statement, INPUT_KERNEL_BYTES, &request->file, error)) {
        return false;
    }
    request->query.sql = request->file ? request->file : statement;
    request->query.max_rows = request->rows > 0 ? (size_t)request->rows : most;
    return true;
}

/* ---- the answer ---- */

static bool add_runs(struct analysis *analysis, const char *const *paths, size_t count,
                     struct error *error) {
    char(*names)[RUN_NAME_SIZE] = memory_zeroed(count, sizeof *names);
    bool added = true;
    name_runs(paths, count, names);
    for (size_t i = 0; added && i < count; i++) {
        added = analysis_add_run(analysis, paths[i], names[i], stderr, error);
    }
    free(names);
    return added;
}

static void begin(void *request) {
    ((struct request *)request)->query.max_seconds = 60;
}

static void end(void *request) {
    free(((struct request *)request)->file);
}

static int run(void *context, struct error *error) {
    struct request *request = context;
    struct analysis analysis;
    struct strbuf text = { 0 };
    bool cut = false;
    if (!check_request(request, error)) {
        return COMMAND_FAILED;
    }
    analysis_open(&analysis);
    const char *const *paths = request->words.words + 1;
    const size_t count = request->words.count - 1;
    const bool done = runs_verify(paths, count, request->despite_checksums, stderr, error) &&
                      add_runs(&analysis, paths, count, error) &&
                      query_answer(&analysis, &request->query, &text, &cut, error);
    if (done) {
        (void)fputs(text.data, stdout);
    }
    if (done && cut) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "pairmark query: only the first %zu rows: --rows N shows more\n",
                      request->query.max_rows);
    }
    strbuf_free(&text);
    analysis_close(&analysis);
    return done ? 0 : COMMAND_FAILED;
}

const struct command query_command = { .name = "query",
                                       .summary = "ask recorded rows in SQL",
                                       .run = run,
                                       .options = options,
                                       .take_option = take_option,
                                       COMMAND_REQUEST(struct request),
                                       .begin = begin,
                                       .end = end,
                                       COMMAND_PATHS(struct request, words),
                                       .operands = OPTION_FILE };
