/*
 * clock — the host's clock, for spans of time.
 */
#ifndef PAIRMARK_CORE_CLOCK_H
#define PAIRMARK_CORE_CLOCK_H

/* Seconds since some moment before the process began; nothing sets it back. */
double clock_s(void);

#endif
