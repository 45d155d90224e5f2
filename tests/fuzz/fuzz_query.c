/* A query of anybody's over the files of a run: the query up to the first byte 0xff, then rows.csv,
 * samples.csv, visits.csv and environment.json. */
#include "answers/tables/analysis.h"
#include "core/strings.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "rows.csv", "samples.csv", "visits.csv",
                                         "environment.json", NULL };
    const uint8_t *end = memchr(data, 0xff, size);
    const size_t length = end ? (size_t)(end - data) : size;
    char *sql = fuzz_words(data, length);
    const uint8_t *rest = end ? end + 1 : data + size;
    const char *folder = fuzz_folder(names, rest, size - (size_t)(rest - data));
    struct analysis analysis;
    struct error error = { 0 };
    analysis_open(&analysis);
    if (!analysis_add_run(&analysis, folder, "run", NULL, &error)) {
        fuzz_require_reason(&error);
    }
    for (enum query_format format = QUERY_TABLE; format <= QUERY_JSON; format++) {
        const struct query query = { sql, format, 100, 0.2 };
        struct strbuf text = { 0 };
        bool cut;
        if (query_answer(&analysis, &query, &text, &cut, &error)) {
            fuzz_require(text.data && text.data[text.length - 1] == '\n');
        } else {
            fuzz_require_reason(&error);
        }
        strbuf_free(&text);
    }
    analysis_close(&analysis);
    free(sql);
    return 0;
}
