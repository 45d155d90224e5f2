/* rows.csv: read, summed up, and collected for figures. */
#include "answers/plot/plot.h"
#include "answers/summary/summary.h"
#include "campaign/rows/rows.h"
#include "core/strings.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct row_table table;
    struct plot_data points;
    struct strbuf summary = { 0 };
    if (!rows_read(fuzz_file(0, data, size), NULL, &table, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    char *command_line[] = { NULL };
    const struct summary_settings settings = { .command_line = command_line };
    summary_write(&table, &settings, &summary);
    strbuf_free(&summary);
    plot_points_collect(&table, NULL, 1, NULL, &points);
    plot_points_free(&points);
    rows_free(&table);
    return 0;
}
