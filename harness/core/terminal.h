/*
 * terminal — how wide what is printed may be.
 */
#ifndef PAIRMARK_CORE_TERMINAL_H
#define PAIRMARK_CORE_TERMINAL_H

#include <stdio.h>

enum { TERMINAL_DEFAULT_COLUMNS = 100 };

/* The characters in a line: the environment's COLUMNS, or the width of the terminal that the stream
 * is, else TERMINAL_DEFAULT_COLUMNS. 40 at least. */
int terminal_columns(FILE *stream);

#endif
