/* What a program has set for its threads, and what the library computes, writes and reads numbers
 * by: they differ where a program rounds otherwise, flushes small numbers to zero, traps invalid
 * operations, or writes numbers with a comma. */
#include "library/library.h"

struct caller caller_enter(void) {
    struct caller caller = { .locale = (locale_t)0 };
    (void)fegetenv(&caller.floats);
    (void)fesetenv(FE_DFL_ENV);
    caller.own = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* which exists: nothing is allocated */
    if (caller.own != (locale_t)0) {
        caller.locale = uselocale(caller.own);
    }
    return caller;
}

void caller_leave(const struct caller *caller) {
    if (caller->own != (locale_t)0) {
        (void)uselocale(caller->locale);
        freelocale(caller->own);
    }
    (void)fesetenv(&caller->floats);
}
