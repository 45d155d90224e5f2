/*
 * command_table — the commands, and the options of each: one table, from which come the usage, what
 * is said of an option that there is not, and shell completion.
 */
#ifndef PAIRMARK_COMMANDS_COMMAND_TABLE_H
#define PAIRMARK_COMMANDS_COMMAND_TABLE_H

#include <stdbool.h>

struct command_option {
    const char *name;
    /* What follows it: NULL: nothing; OPTION_FILE, OPTION_FOLDER; "": anything; else one of these
     * words, separated by blanks. */
    const char *value;
};
#define OPTION_FILE "FILE"
#define OPTION_FOLDER "DIR"

struct command {
    const char *name;
    const char *summary;
    const struct command_option *options; /* ended by a NULL name; --help is every command's */
    const char *operands;                 /* what else it takes, likewise; NULL: nothing */
    bool takes_axes;
    bool runs_kernels; /* in workers, which are confined unless requested otherwise */
};

extern const struct command command_table[]; /* ended by a NULL name */

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

#endif
