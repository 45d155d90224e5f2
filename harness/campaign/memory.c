#include "campaign/memory.h"

#include "core/strings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD = 2 }; /* as of any other failure */

void memory_ran_out(void) {
    (void)fputs("pairmark: out of memory\n", stderr);
    exit(EXIT_BAD);
}

void *memory_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    memory_check(memory != NULL);
    return memory;
}

void *memory_grown(void *memory, size_t count, size_t size) {
    memory_check(count < SIZE_MAX / size);
    void *grown = realloc(memory, (count ? count : 1) * size);
    memory_check(grown != NULL);
    return grown;
}

char *memory_copy(const char *words) {
    return memory_begin(words, strlen(words));
}

char *memory_begin(const char *words, size_t length) {
    char *copy = strndup(words, length);
    memory_check(copy != NULL);
    return copy;
}

void *memory_room(void *array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return array;
    }
    *capacity = *capacity ? 2 * *capacity : 64;
    return memory_grown(array, *capacity, size);
}

char **memory_split(const char *text, char separator) {
    char **words = split_list(text, separator);
    memory_check(words != NULL);
    return words;
}
