/*
 * structure_list — what variants walk, listed: what each structure offers to kernels, is built from
 * and looks at.
 */
#ifndef PAIRMARK_COMMANDS_CONSOLE_STRUCTURE_LIST_H
#define PAIRMARK_COMMANDS_CONSOLE_STRUCTURE_LIST_H

#include <stdbool.h>

/* Prints all of them on standard output, as words or as one JSON array. */
void structure_list_print(bool json);

#endif
