/*
 * water — models of water by name: --water spce stands for the options that share/water/spce.txt
 * has.
 */
#ifndef PAIRMARK_COMMANDS_WATER_H
#define PAIRMARK_COMMANDS_WATER_H

#include "core/error.h"

#include <stdbool.h>

/* Puts the options of the model in the place of --water NAME, except those that the words say
 * themselves: an interaction by a file takes the place of one by words, a box that is read that of
 * a kind. *words stays argv where there is no --water; else it and *text are to be freed.
 * STATUS_BAD_INPUT for a model that there is none of, and for two of them. */
bool water_expand(int *argc, char **argv, char ***words, char **text, struct error *error);

#endif
