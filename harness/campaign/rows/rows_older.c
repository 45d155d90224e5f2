#include "campaign/rows/rows_older.h"

#include "boxes/box.h"
#include "boxes/kinds/make.h"

#include <math.h>
#include <string.h>

static void complete_cutoff(struct row *row) {
    const double n = row_number(row, COLUMN_N);
    const double density = row_number(row, COLUMN_DENSITY);
    const char *kind = row_text(row, COLUMN_BOX_KIND);
    if (isnan(row_number(row, COLUMN_CUTOFF)) && row_number(row, COLUMN_PERIODIC) == 1 && n >= 1 &&
        n <= BOX_MAX_PARTICLES && strcmp(kind, "file") != 0) {
        row_set_number(row, COLUMN_CUTOFF, 0.5 * box_least_height(kind, (size_t)n, density));
    }
}

/* Rows of made boxes said that they were periodic where they were open. */
static void complete_open(struct row *row) {
    if (*row_text(row, COLUMN_SEED) && strstr(row_text(row, COLUMN_CASE_NAME), "/open/")) {
        row_set(row, COLUMN_PERIODIC, "0");
    }
}

/* Where there are pairs. */
static void complete_energy(struct row *row) {
    const double pairs = row_number(row, COLUMN_PAIRS_IN_CUTOFF);
    if (isnan(row_number(row, COLUMN_NJ_PER_PAIR)) && pairs >= 1) {
        row_set_number(row, COLUMN_NJ_PER_PAIR, 1e9 * row_number(row, COLUMN_ENERGY_J) / pairs);
    }
}

void row_complete_older(struct row *row) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (column_table[i].absent && !row->fields[i]) {
            row_set(row, (enum column)i, column_table[i].absent);
        }
    }
    complete_open(row);
    complete_cutoff(row);
    complete_energy(row);
}
