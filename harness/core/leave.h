/*
 * leave — the end of a process that must write nothing of its parent's.
 */
#ifndef PAIRMARK_CORE_LEAVE_H
#define PAIRMARK_CORE_LEAVE_H

#include <unistd.h>

#ifdef PAIRMARK_COVERAGE
void __gcov_dump(void); /* of the compiler: writes what was counted, which _exit() does not */
#endif

/* _exit(): what the parent left in its streams' buffers is not ours to write. */
_Noreturn static inline void leave_process(int status) {
#ifdef PAIRMARK_COVERAGE
    __gcov_dump();
#endif
    _exit(status);
}

#endif
