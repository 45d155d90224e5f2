/*
 * program — what a program does and a library must not: where memory runs out, it prints a message
 * and exits, so that no caller above the library checks; and it notes the signals that end it. The
 * library, and what it is made of, return STATUS_OUT_OF_MEMORY instead.
 */
#ifndef PAIRMARK_MEASURE_PROGRAM_H
#define PAIRMARK_MEASURE_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- memory: none is NULL; all are freed by free() ---- */

void *memory_zeroed(size_t count, size_t size);
void *memory_grown(void *memory, size_t count, size_t size);
char *memory_copy(const char *words);
char *memory_begin(const char *words, size_t length); /* of words, so many characters at most */

/* Makes room for one more item in an array of `count` items: returns it as it is, or moved, with
 * *capacity doubled. */
void *memory_room(void *array, size_t count, size_t *capacity, size_t size);
char **memory_split(const char *text, char separator); /* split_list() */

_Noreturn void memory_ran_out(void); /* of texts, too: main() makes it strbuf_ran_out */
/* Checks what others have allocated. */
static inline void memory_check(bool had_enough) {
    if (!had_enough) {
        memory_ran_out();
    }
}

/* ---- signals: Ctrl-C and its kin end a run between two rows, not within one ---- */

struct signals {
    struct sigaction before[4]; /* what to go back to */
};

/* From here on SIGINT, SIGTERM and SIGHUP are noted (a second one ends the process at once), and
 * a file that may not grow is an error of the write. */
void signals_catch(struct signals *signals);

/* The signal noted since signals_catch(); 0: none. */
int signals_noted(void);

void signals_restore(const struct signals *signals);

#endif
