/*
 * fuzz_input — what the fuzz targets share: bytes as a file or as words.
 *
 * Each fuzz_NAME.c feeds a reader of the public headers as a command does, and uses what came of
 * it; libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer look on. What is refused must be
 * refused with a message. Seeds: corpus/NAME/. See `make fuzz`.
 */
#ifndef PAIRMARK_TESTS_FUZZ_INPUT_H
#define PAIRMARK_TESTS_FUZZ_INPUT_H

#include "core/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FUZZ_FILES = 4, FUZZ_PATH_SIZE = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which libFuzzer reports with the input. */
static inline void fuzz_require(bool holds) {
    if (!holds) {
        abort();
    }
}

/* A reader either succeeds or says why not, in one line. */
static inline void fuzz_require_reason(const struct error *error) {
    fuzz_require(error->status != STATUS_OK);
    fuzz_require(error->message[0] != '\0' && strchr(error->message, '\n') == NULL);
}

/* File `number` (0 to FUZZ_FILES - 1), in memory, holds the bytes; its path. */
static inline const char *fuzz_file(int number, const uint8_t *data, size_t size) {
    static int descriptors[FUZZ_FILES] = { -1, -1, -1, -1 };
    static char paths[FUZZ_FILES][FUZZ_PATH_SIZE];
    if (descriptors[number] < 0) {
        descriptors[number] = memfd_create("fuzz", MFD_CLOEXEC);
        fuzz_require(descriptors[number] >= 0);
        (void)snprintf(paths[number], FUZZ_PATH_SIZE, "/proc/self/fd/%d", descriptors[number]);
    }
    fuzz_require(ftruncate(descriptors[number], 0) == 0);
    fuzz_require(lseek(descriptors[number], 0, SEEK_SET) == 0);
    fuzz_require(pwrite(descriptors[number], data, size, 0) == (ssize_t)size);
    return paths[number];
}

/* A folder in which `names` (NULL-terminated) are those files, of which file k holds what stands
 * between the k-th and the next byte 0xff; its path. A process makes one. */
static inline const char *fuzz_folder(const char *const *names, const uint8_t *data, size_t size) {
    static char folder[] = "/tmp/pairmark-fuzz-XXXXXX";
    static bool made = false;
    if (!made) {
        fuzz_require(mkdtemp(folder) != NULL);
    }
    for (int k = 0; names[k]; k++) {
        const uint8_t *end = memchr(data, 0xff, size);
        const size_t length = end ? (size_t)(end - data) : size;
        const char *path = fuzz_file(k, data, length);
        if (!made) {
            char link[2 * FUZZ_PATH_SIZE];
            (void)snprintf(link, sizeof link, "%s/%s", folder, names[k]);
            fuzz_require(symlink(path, link) == 0);
        }
        data += length + (end ? 1 : 0);
        size -= length + (end ? 1 : 0);
    }
    made = true;
    return folder;
}

/* The bytes as a command's argument: up to the first NUL. To be freed. */
static inline char *fuzz_words(const uint8_t *data, size_t size) {
    char *words = strndup((const char *)data, size);
    fuzz_require(words != NULL);
    return words;
}

#endif
