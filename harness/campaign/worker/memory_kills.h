/*
 * memory_kills — how many processes the system has killed for want of memory.
 *
 * Two readings around the end of a process show whether one that died of SIGKILL died of that.
 */
#ifndef PAIRMARK_CAMPAIGN_WORKER_MEMORY_KILLS_H
#define PAIRMARK_CAMPAIGN_WORKER_MEMORY_KILLS_H

#include <stdint.h>

/* Of this process's own control group where it has such a count (cgroup
 * v2: memory.events, v1: memory.oom_control), else of the whole system (/proc/vmstat); -1 where
 * neither can be read. */
int64_t memory_kills(void);

/* The number behind the word oom_kill that begins a line of the file; -1 where there is none. */
int64_t memory_kills_in(const char *path);

#endif
