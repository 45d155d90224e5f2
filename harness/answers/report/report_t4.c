/* report --kernel-tuner: rows as Kernel Tuner and other auto-tuners read them. */
#include "answers/report/report.h"
#include "answers/tables/analysis.h"
#include "core/output_file.h"

#include <string.h>

static const char head[] = "{\"schema_version\": \"1.0.0\",\n \"results\": [";

static bool is_ours(const char *text) {
    return begins_with(text, head);
}

bool report_t4_write(const char *const *folders, size_t count, const char *output, FILE *log,
                     struct error *error) {
    static const struct output_kind kind = { "such a file of pairmark's", is_ours };
    struct analysis analysis;
    struct strbuf text = { 0 };
    if (!output_check(output, &kind, error)) {
        return fail_within(error, "-o");
    }
    if (!analysis_open(&analysis, error)) {
        return false;
    }
    bool done = analysis_add_runs_below(&analysis, folders, count, log, error);
    if (done) {
        analysis_run_file(&analysis, "harness/answers/report/t4.sql");
        struct answer results = analysis_ask(&analysis, "SELECT result FROM t4");
        strbuf_append(&text, "%s", head);
        for (size_t i = 0; i < results.rows; i++) {
            strbuf_append(&text, "%s\n  %s", i > 0 ? "," : "", answer_text(&results, i, 0));
        }
        strbuf_append(&text, "]}\n");
        answer_free(&results);
        done = analysis_passed(&analysis, error) &&
               (!text.failed || fail_out_of_memory(error, "the results")) &&
               output_write(output, &kind, text.data, text.length, error);
    }
    strbuf_free(&text);
    analysis_close(&analysis);
    return done;
}
