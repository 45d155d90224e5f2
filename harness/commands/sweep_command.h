/*
 * sweep_command — what judge, tune and best have in common: they take axes beside options of their
 * own, ask one device after the other, and end between two answers where a signal comes.
 */
#ifndef PAIRMARK_COMMANDS_SWEEP_COMMAND_H
#define PAIRMARK_COMMANDS_SWEEP_COMMAND_H

#include "commands/commands.h"

/* `context` is the command's own. What returns false has filled in the error. */
struct sweep_command {
    const char *name;
    const char *help, *help_after; /* before and after the axes */
    take_option_fn *take_option;   /* an option of its own with its value */
    /* Any other word; *taken false: there is no such option. */
    bool (*take_word)(void *context, const char *word, bool *taken, struct error *error);
    bool (*check)(void *context, struct error *error); /* of all arguments; NULL: all are right */
    bool (*begin)(void *context, struct error *error); /* what all devices share */
    bool (*ask_device)(void *context, const char *device, struct error *error);
    /* Prints what is left to say after the last device; returns the exit status, which counts where
     * no signal ended the sweep. */
    int (*conclude)(void *context, bool interrupted);
    void (*end)(void *context); /* releases what begin made, or part of it */
};

/* The whole of such a command; `axes` is a part of the context, zero at first, and is released.
 * Returns the exit status. */
int sweep_command_run(const struct sweep_command *command, int argc, char **argv, struct axes *axes,
                      void *context);

#endif
