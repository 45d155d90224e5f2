#include "campaign/rows/samples.h"

enum { CASE_ID, REPETITION, VISIT, SAMPLE, CACHE, DEVICE, RUN_ID };

static const char *const sample_words[] = { "case_id", "repetition", "visit",  "sample",
                                            "cache",   "device",     "run_id", NULL };
static const char *const stage_words[] = { "case_id",   "repetition", "visit",  "stage",
                                           "statistic", "device",     "run_id", NULL };

const struct long_table samples_table = {
    .words = sample_words, .number = "seconds", .record = "sample", .records = "samples"
};
const struct long_table stages_table = { .words = stage_words,
                                         .number = "value",
                                         .may_be_zero = true,
                                         .record = "number of a stage",
                                         .records = "numbers of stages" };

struct reader {
    samples_visit *visit;
    void *context;
};

static bool take_sample(void *context, const struct long_record *record, struct error *error) {
    const struct reader *reader = context;
    const char *const *words = record->words;
    const struct sample sample = { .line = record->line,
                                   .case_id = words[CASE_ID],
                                   .repetition = words[REPETITION],
                                   .visit = words[VISIT],
                                   .sample = words[SAMPLE],
                                   .cache = words[CACHE],
                                   .device = words[DEVICE],
                                   .run_id = words[RUN_ID],
                                   .seconds = record->number };
    return reader->visit(reader->context, &sample, error);
}

bool samples_read(const char *path, samples_visit *visit, void *context, FILE *log,
                  struct error *error) {
    struct reader reader = { visit, context };
    return long_table_read(path, &samples_table, take_sample, &reader, log, error);
}
