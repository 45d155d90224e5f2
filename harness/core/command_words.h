/* The words of a command line, one after the other. */
#ifndef PAIRMARK_CORE_COMMAND_WORDS_H
#define PAIRMARK_CORE_COMMAND_WORDS_H

#include "core/error.h"

/* They, and at which of them a parser stands. */
struct command_words {
    int count;
    char **words;
    int at;
};

/* Moves past an option with a value, which stands behind '=' or is the next word.
 * STATUS_BAD_INPUT, naming the option, where it is empty or looks like another option. */
bool command_words_value(struct command_words *words, const char *option, const char **value,
                         struct error *error);

#endif
