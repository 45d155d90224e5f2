/*
 * confine — what the process that runs kernels may still do, and how it ends.
 *
 * A kernel file is a program: through an OpenCL driver for the processor it runs in the worker
 * process itself and can make any system call. A confined process writes nothing but the caches
 * (pairmark's, which has its temporary files, and those of the drivers), /dev/shm and the devices
 * of GPUs; reaches no network; and neither signals nor schedules anybody outside. So do the
 * programs that it starts. It reads what the user may read, and shares processor and memory with
 * all.
 *
 * By Landlock (Linux 5.19 or newer, with it switched on) and a seccomp filter (x86-64, AArch64).
 * Before Linux 6.2 files elsewhere can still be truncated, before 6.12 processes signalled. Modes,
 * owners and times of files, and sockets of the machine itself, are not guarded.
 */
#ifndef PAIRMARK_MEASURE_WORKER_CONFINE_H
#define PAIRMARK_MEASURE_WORKER_CONFINE_H

#include <stdbool.h>
#include <unistd.h>

/* Switches confine_process() off: --no-confinement. */
void confine_disable(void);

/* Whether confine_process confines. Tried out once, in a process of its own. */
bool confine_works(void);

/* Whether confine_process confines, and what it confines can write the file all the same. */
bool confine_reaches(const char *file);

/* How, or why not, in a few words: "landlock 7, seccomp", "off, as asked for", "not available:
 * ...". Static. */
const char *confine_words(void);

/* Confines the calling process, of a single thread, for good, where confine_works. False: that
 * failed, and the process must not go on. */
bool confine_process(void);

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
