/*
 * threads — tasks shared out among threads.
 *
 * Tasks are taken in their order by whichever thread is free. What a task computes must therefore
 * depend on its number alone: then no result depends on how many threads there are.
 *
 * Threads are opened for one piece of work and closed after it: none outlives it into a fork() or
 * stands beside a measurement.
 */
#ifndef PAIRMARK_SYSTEM_THREADS_H
#define PAIRMARK_SYSTEM_THREADS_H

#include <stddef.h>

struct threads;

/* The processors that this process may use: sched_setaffinity(2), taskset(1). At least 1. */
int threads_usable(void);

/* At most so many threads from now on, the caller's included; 0: as many as are usable. For tests
 * and for whoever wants to leave processors to others. */
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

#endif
