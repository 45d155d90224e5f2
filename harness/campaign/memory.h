/*
 * memory — allocation for the program: where memory runs out, it prints a message and exits, so
 * that no caller above the library checks. The library, and what it is made of, return
 * STATUS_OUT_OF_MEMORY instead.
 */
#ifndef PAIRMARK_CAMPAIGN_MEMORY_H
#define PAIRMARK_CAMPAIGN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* None is NULL; all are freed by free(). */
void *memory_zeroed(size_t count, size_t size);
void *memory_grown(void *memory, size_t count, size_t size);
char *memory_copy(const char *words);
char *memory_begin(const char *words, size_t length); /* of words, so many characters at most */

/* An array of `count` items with room for one more: as it is, or moved, with *capacity doubled. */
void *memory_room(void *array, size_t count, size_t *capacity, size_t size);
char **memory_split(const char *text, char separator); /* split_list() */

_Noreturn void memory_ran_out(void);
/* Of others' allocations, such as a text that is put together (strbuf.failed). */
static inline void memory_check(bool had_enough) {
    if (!had_enough) {
        memory_ran_out();
    }
}

#endif
