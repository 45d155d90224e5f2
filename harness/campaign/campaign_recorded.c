#include "campaign/campaign_recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct recorded_key {
    const char *case_id, *device, *repetition;
};

static struct recorded_key key_of(const struct row *row) {
    return (struct recorded_key){ row_text(row, "case_id"), row_text(row, "device"),
                                  row_text(row, "repetition") };
}

static int compare_keys(const struct recorded_key *a, const struct recorded_key *b) {
    int order = strcmp(a->case_id, b->case_id);
    order = order ? order : strcmp(a->device, b->device);
    return order ? order : strcmp(a->repetition, b->repetition);
}

static int compare_rows(const void *a, const void *b) {
    struct recorded_key left = key_of(*(const struct row *const *)a);
    struct recorded_key right = key_of(*(const struct row *const *)b);
    return compare_keys(&left, &right);
}

static int compare_key_and_row(const void *key, const void *row) {
    struct recorded_key right = key_of(*(const struct row *const *)row);
    return compare_keys(key, &right);
}

/* A row of a hand or of another program is no result that a run may go on with. */
static bool check_row(const char *path, const struct row *row, struct error *error) {
    static const char remedy[] = "mend the line, or take it away to have the case measured again";
    enum status status;
    const double seconds = row_number(row, "force_s_median");
    if (!status_from_name(row_text(row, "status"), &status) || status >= STATUS_BAD_INPUT) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%zu: the status is '%.100s'; expected ok, wrong or another verdict: %s",
                    path, row->line, row_text(row, "status"), remedy);
    }
    if (status == STATUS_OK && !(seconds >= 0 && isfinite(seconds))) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s:%zu: the status is ok and force_s_median '%.100s'; expected seconds: %s",
                    path, row->line, row_text(row, "force_s_median"), remedy);
    }
    return true;
}

bool recorded_read(const char *path, FILE *log, struct recorded *recorded, struct error *error) {
    *recorded = (struct recorded){ 0 };
    if (!rows_read(path, log, &recorded->table, error)) {
        return false;
    }
    recorded->sorted = malloc((recorded->table.count + 1) * sizeof *recorded->sorted);
    if (!recorded->sorted) {
        recorded_free(recorded);
        return fail_out_of_memory(error, "the rows of the earlier run");
    }
    for (size_t i = 0; i < recorded->table.count; i++) {
        recorded->sorted[i] = &recorded->table.rows[i];
        if (!check_row(path, recorded->sorted[i], error)) {
            recorded_free(recorded);
            return false;
        }
    }
    qsort(recorded->sorted, recorded->table.count, sizeof *recorded->sorted, compare_rows);
    return true;
}

void recorded_free(struct recorded *recorded) {
    free(recorded->sorted);
    rows_free(&recorded->table);
    *recorded = (struct recorded){ 0 };
}

const struct row *recorded_find(const struct recorded *recorded, const char *case_id,
                                const char *device, size_t repetition) {
    char number[24];
    struct recorded_key key = { case_id, device, number };
    if (!recorded->sorted) {
        return NULL;
    }
    (void)snprintf(number, sizeof number, "%zu", repetition);
    const struct row **found = bsearch(&key, recorded->sorted, recorded->table.count,
                                       sizeof *recorded->sorted, compare_key_and_row);
    return found ? *found : NULL;
}
