/*
 * processors — those that a process may use, dealt out among what runs at the same time.
 *
 * A share is a block of whole cores: threads of one core are neighbours in a share and shares of
 * one socket are neighbours in their order, as far as /sys/devices/system/cpu knows. Where it does
 * not, processors count as cores, in the order of their numbers.
 */
#ifndef PAIRMARK_CORE_PROCESSORS_H
#define PAIRMARK_CORE_PROCESSORS_H

#include <stddef.h>

/* From now on this thread, the threads that it starts and the processes that it forks use share
 * `share` (0, 1, ...) of `of`, and no other processors. Returns how many these are; 0 where there
 * are fewer than `of` to deal out, or the system refuses: then nothing has changed. */
int processors_take_share(size_t share, size_t of);

#endif
