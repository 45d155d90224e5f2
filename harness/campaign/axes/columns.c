#include "campaign/axes/columns.h"

#include "kernels/workload.h"

#include <stddef.h>
#include <string.h>

#define COLUMN(id, word, kind, title, says, ...)                                                   \
    [COLUMN_##id] = {                                                                              \
        .name = word, .type = COLUMN_TYPE_##kind, .heading = title, .meaning = says, __VA_ARGS__   \
    },
const struct column_entry column_table[COLUMN_COUNT] = {
#include "campaign/axes/columns.def"
};
#undef COLUMN

#define COLUMN(id, word, ...) word,
const char *const column_names[COLUMN_COUNT + 1] = {
#include "campaign/axes/columns.def"
    NULL
};
#undef COLUMN

int column_find(const char *name) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (strcmp(column_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

enum column column_next(unsigned roles, int column) {
    do {
        column++;
    } while (column < COLUMN_COUNT && !(column_table[column].role & roles));
    return (enum column)column;
}

bool column_is_of(enum column column, const char *workload) {
    const struct workload *asked = workload_find(workload);
    return asked ? workload_fills_column(asked, column_table[column].name)
                 : column_is_of_all(column);
}

bool column_is_of_all(enum column column) {
    for (size_t w = 0; workloads[w]; w++) {
        if (!workload_fills_column(workloads[w], column_table[column].name)) {
            return false;
        }
    }
    return true;
}

const char *column_unit(enum column column) {
    const struct column_entry *entry = &column_table[column];
    if (entry->unit) {
        return entry->unit;
    }
    return entry->type == COLUMN_TYPE_SECONDS ? "s" : entry->type == COLUMN_TYPE_PERCENT ? "%" : "";
}
