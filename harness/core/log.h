/*
 * log — lines for people, on stderr or wherever warnings go.
 */
#ifndef PAIRMARK_CORE_LOG_H
#define PAIRMARK_CORE_LOG_H

#include <stdio.h>

/* A line of a log, made printable, and a line break. Nothing where the log is NULL. */
void log_warning(FILE *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
