/*
 * child_compiler — compilers that run as child processes, in a temporary folder of their own.
 * Private to harness/devices.
 */
#ifndef PAIRMARK_DEVICES_CHILD_COMPILER_H
#define PAIRMARK_DEVICES_CHILD_COMPILER_H

#include "core/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The program of that name in a folder of PATH; one with a slash is a path. */
bool child_find(const char *name, char *path, size_t size);

struct child_folder {
    char path[PATH_MAX - 300];
};

bool child_folder_make(struct child_folder *folder, struct error *error);
void child_folder_file(const struct child_folder *folder, const char *file, char path[PATH_MAX]);
/* With the files in it. */
void child_folder_remove(const struct child_folder *folder);

/* Runs words[0], a path, to its end; `words` end with NULL. *log gets what it said, by malloc,
 * without the line breaks at the end; NULL: nothing. Returns the status as waitpid() has it; -1
 * where it could not be started, with errno. */
int child_run(const struct child_folder *folder, char *const *words, char **log);

#endif
