#include "answers/tables/run_names.h"

#include "campaign/rows/rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The last part of a path that leads to a run's folder, or to the rows in it; of what names none,
 * such as "." or "rows.csv", that of the folder it leads to. */
static void name_folder(const char *path, char name[RUN_NAME_SIZE]) {
    char resolved[PATH_MAX];
    char file[PATH_MAX];
    struct error ignored;
    if (!rows_locate(path, file, sizeof file, &ignored) || !realpath(file, resolved)) {
        (void)snprintf(name, RUN_NAME_SIZE, "%.120s", path);
        return;
    }
    char *slash = strrchr(resolved, '/');
    *slash = '\0';
    slash = strrchr(resolved, '/');
    (void)snprintf(name, RUN_NAME_SIZE, "%.120s", slash ? slash + 1 : resolved);
}

void name_runs(const char *const *paths, size_t count, char (*names)[RUN_NAME_SIZE]) {
    for (size_t i = 0; i < count; i++) {
        name_folder(paths[i], names[i]);
    }
    for (size_t i = 0; i < count; i++) {
        bool met = false;
        for (size_t j = i + 1; j < count; j++) {
            if (strcmp(names[i], names[j]) == 0) {
                met = true;
                (void)snprintf(names[j], RUN_NAME_SIZE, "%.120s (%zu)", paths[j], j + 1);
            }
        }
        if (met) {
            (void)snprintf(names[i], RUN_NAME_SIZE, "%.120s (%zu)", paths[i], i + 1);
        }
    }
}
