/*
 * commands — what `pairmark COMMAND ...` runs.
 *
 * Each command is called with argv[0] its own name and returns the exit status: 0 all passed, 1 a
 * case failed, 2 unusable arguments or input, 3 a device or system failure. Each answers --help by
 * itself. Messages go to stderr as "pairmark COMMAND: ...", results to stdout.
 */
#ifndef PAIRMARK_COMMANDS_COMMANDS_H
#define PAIRMARK_COMMANDS_COMMANDS_H

#include "campaign/plan/plan.h"
#include "campaign/worker/worker.h"
#include "core/error.h"

#include <stdbool.h>

int command_devices(int argc, char **argv);
int command_list(int argc, char **argv);
int command_init(int argc, char **argv);
int command_box(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_check(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_tune(int argc, char **argv);
int command_best(int argc, char **argv);
int command_run(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_report(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_query(int argc, char **argv);

/* Prints "pairmark COMMAND: message" to stderr and returns the exit status that goes with it; never
 * 0. */
int command_fail(const char *command, const struct error *error);

/* The program as it was called ("./pairmark"), for commands that are printed for the user to run.
 */
const char *command_program(void);
void command_set_program(const char *name);

/* Says on stderr where kernels of the user's own files run unconfined. */
void command_report_confinement(const char *command, const struct axes *axes);

/* Whether the word asks for the command's help: --help or -h. */
bool command_is_help(const char *word);

/* The error for a word that the command does not take, with the nearest of its options.
 * Returns false. */
bool command_unknown_option(const char *word, const char *command, struct error *error);

/* Takes "--NAME VALUE" or "--NAME=VALUE" at argv[*index] and moves *index past it; *value points
 * into argv. *taken says whether it was this option. STATUS_BAD_INPUT for a missing value, or
 * where the option stands in argv before. */
bool command_take_value(const char *name, int argc, char **argv, int *index, const char **value,
                        bool *taken, struct error *error);

/* What a command does with the value of an option of its own. */
typedef bool take_option_fn(void *request, const char *option, const char *value,
                            struct error *error);

/* Takes any option with a value of the command, as
 * command_take_value(). */
bool command_take_own(const char *command, int argc, char **argv, int *index, take_option_fn *take,
                      void *request, bool *taken, struct error *error);

/* Adds argv[*index], a word that no option took, to the paths of the command's request, and moves
 * *index past it. STATUS_BAD_INPUT for what begins with a dash. */
bool command_take_path(const char *command, char **argv, int *index, const char **paths,
                       size_t *count, struct error *error);

/* What a command that reads runs was given. */
struct command_paths {
    const char **words; /* room for argc of them, by the caller */
    size_t count;
    bool help; /* --help, behind which nothing was looked at */
};

/* Takes all arguments of such a command: options of its own, those of axes where it has any (else
 * NULL), and paths. Errors: those of the three. */
bool command_take_paths(const char *command, int argc, char **argv, take_option_fn *take,
                        void *request, struct axes *axes, struct command_paths *paths,
                        struct error *error);

/* The value of such an option as seconds: 60, 60s, 5m, 1h. */
bool command_take_duration(const char *option, const char *value, double *seconds,
                           struct error *error);

/* Takes --reference threads or serial in the same way, for this process and those that it forks;
 * and none, which sets *none, unless that is NULL. */
bool command_take_reference(int argc, char **argv, int *index, bool *none, bool *taken,
                            struct error *error);

/* As worker_device; the error of an unknown name names the option that gave it. */
bool command_open_device(struct worker *worker, const char *name, struct device_info *info,
                         struct error *error);

/* Prints the axes and what else all such commands take, for the help of a command that takes them.
 */
void command_print_axes(void);

/* What judge, tune and best have in common: they take axes beside options of their
 * own, ask one device after the other, and end between two answers where a signal comes. */

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

/* The commands, and the options of each: one table, from which come the usage, what
 * is said of an option that there is not, and shell completion. */

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
