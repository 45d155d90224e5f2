/*
 * threads — tasks shared out among threads.
 *
 * Tasks are taken in their order by whichever thread is free. What a task computes must therefore
 * depend on its number alone: then no result depends on how many threads there are.
 *
 * Threads are opened for one piece of work and closed after it: none outlives it into a fork() or
 * stands beside a measurement.
 */
#ifndef PAIRMARK_CORE_THREADS_H
#define PAIRMARK_CORE_THREADS_H

#include <stddef.h>

struct threads;

/* The processors that this process may use: sched_setaffinity(2), taskset(1). At least 1. */
int threads_usable(void);

/* At most so many threads for who calls from this thread, itself included; 0: as many as are
 * usable. For tests and for whoever wants to leave processors to others. */
void threads_limit(int most);

/* Threads for tasks of which there will be at most `tasks` at a time. NULL, where one is enough or
 * no more can be had, is as good below: the caller does it all. */
struct threads *threads_open(size_t tasks);
void threads_close(struct threads *threads);

/* How many there are, the caller included. */
int threads_count(const struct threads *threads);

typedef void threads_task(void *context, size_t task);

/* Does tasks 0..tasks-1; returns when all are done. */
void threads_run(struct threads *threads, size_t tasks, threads_task *task, void *context);

/* Numbers that are one task of what follows: first..end-1, `first` being a multiple of it. */
enum { THREADS_RANGE = 4096 };
typedef void threads_some(void *context, size_t first, size_t end);

/* Does 0..n-1 by ranges, in any order. Sums are the same however many threads there are where each
 * range has its own and these are added in their order. */
void threads_each(size_t n, struct threads *threads, threads_some *some, void *context);

/* The same by threads of its own, or by the caller where n is so small that opening them would take
 * longer. */
void threads_share(size_t n, threads_some *some, void *context);

#endif
