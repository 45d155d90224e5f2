#include "measure/program.h"

#include "core/strings.h"

#include <signal.h>
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

/* ---- signals ---- */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };

enum { CAUGHT = sizeof caught / sizeof caught[0], NOTED = CAUGHT - 1 };

/* Only such a variable may be shared between a signal handler and the rest of the process. */
static volatile sig_atomic_t noted_signal;

static void note(int number) {
    noted_signal = number;
}

void signals_catch(struct signals *signals) {
    struct sigaction action;
    noted_signal = 0;
    for (int i = 0; i < CAUGHT; i++) {
        memset(&action, 0, sizeof action);
        (void)sigemptyset(&action.sa_mask);
        action.sa_handler = i < NOTED ? note : SIG_IGN;
        action.sa_flags = i < NOTED ? (int)SA_RESETHAND : 0;
        (void)sigaction(caught[i], NULL, &signals->before[i]);
        /* What was ignored stays so: nohup means it. */
        if (signals->before[i].sa_handler != SIG_IGN) {
            (void)sigaction(caught[i], &action, NULL);
        }
    }
}

int signals_noted(void) {
    return noted_signal;
}

void signals_restore(const struct signals *signals) {
    for (int i = 0; i < CAUGHT; i++) {
        (void)sigaction(caught[i], &signals->before[i], NULL);
    }
}
