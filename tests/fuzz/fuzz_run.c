/* A run's folder as `compare` reads it: rows.csv, samples.csv and environment.json, by 0xff. */
#include "answers/compare/compare.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "rows.csv", "samples.csv", "environment.json", NULL };
    struct error error = { 0 };
    struct run run;
    if (!run_read(fuzz_folder(names, data, size), NULL, &run, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    for (size_t i = 0; i < run.table.count; i++) {
        struct log_median median;
        (void)run_time_of(&run, &run.table.rows[i], NULL, &median);
    }
    run_free(&run);
    return 0;
}
