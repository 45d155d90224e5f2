/*
 * commands — what `pairmark COMMAND ...` runs.
 *
 * A command is one file, command_NAME.c, that ends in its `struct command` (four that read runs
 * share recorded_runs.c), one line of the table in main.c, and what --help says of it in
 * share/help/commands.txt. command_call() makes its
 * request, has the words of the command line parsed into that, runs it and returns the exit status:
 * 0 all passed, 1 a case failed, 2 unusable arguments or input, 3 a device or system failure.
 * Messages go to stderr as "pairmark COMMAND: ...", results to stdout.
 */
#ifndef PAIRMARK_COMMANDS_COMMANDS_H
#define PAIRMARK_COMMANDS_COMMANDS_H

#include "campaign/plan/plan.h"
#include "core/error.h"
#include "core/strings.h"
#include "measure/worker/worker.h"

#include <stdbool.h>
#include <stddef.h>

/* Prints "pairmark COMMAND: message" to stderr and returns the exit status that goes with it; never
 * 0. */
int command_fail(const char *command, const struct error *error);

/* The program as it was called ("./pairmark"), for commands that are printed for the user to run.
 */
const char *command_program(void);
void command_set_program(const char *name);

/* Where boxes are read and nobody says what acts in them: of a LAMMPS data file the axes get its
 * coefficients, as by --interaction and --table; a box that hardly means the default is warned of
 * on stderr. STATUS_BAD_INPUT for coefficients that are of an unknown style, or malformed. */
bool command_take_boxes(const char *command, struct axes *axes, struct error *error);

/* Says of a box without periodic images that it is open, and where its file makes it so. */
void command_append_open(const struct box_spec *box, struct strbuf *text);

/* Says on stderr how much of a box's file is left out; of a plan each file once. */
void command_report_frames(const char *command, const char *path, size_t frames);
void command_report_left_out(const char *command, const struct plan *plan);

/* Says on stderr where kernels of the user's own files run unconfined. */
void command_report_confinement(const char *command, const struct axes *axes);

/* As worker_device; the error of an unknown name names the option that gave it. */
bool command_open_device(struct worker *worker, const char *name, struct device_info *info,
                         struct error *error);
/* The same by a worker of its own, before there are cases: what a plan depends on. */
bool command_describe_device(const char *name, double deadline_s, struct device_info *info,
                             struct error *error);

/* Calls `ask` with each name of --device, "" where it is not said, until one returns false or a
 * signal comes. */
typedef bool ask_device_fn(void *context, const char *device, struct error *error);
bool command_each_device(const struct axes *axes, ask_device_fn *ask, void *context,
                         struct error *error);

/* ---- the table ---- */

/* An option of a command. From this come the parser, --help, shell completion, and the nearest
 * option to a word that is none. */
struct command_option {
    const char *name, *brief; /* "--output", "-o"; NULL: there is no short form */
    const char *placeholder;  /* what its value is called; NULL: a switch, whose number is 1 */
    const char *help;
    const char *values; /* one of OPTION_..., or words separated by blanks; NULL: any */
    enum option_kind {
        OPTION_OWN,     /* take_option() gets it */
        OPTION_WORDS,   /* what follows is stored in the request by the parser: a bool, or words */
        OPTION_REAL,    /* a double */
        OPTION_WHOLE,   /* a uint64_t */
        OPTION_INTEGER, /* an int */
        OPTION_SECONDS  /* a double, of 60, 60s, 5m or 1h */
    } kind;
    bool is_axis;       /* an axis (campaign/axes/axes.def), which says all but the name */
    bool above;         /* where least is 0, an OPTION_REAL is more than that */
    bool is_noted;      /* that it was given is stored, too: a bool, at noted_at */
    size_t offset;      /* where */
    double least, most; /* numbers from here to there; OPTION_SECONDS are more than 0 */
    size_t noted_at;
};
#define OPTION_FILE "FILE"
#define OPTION_FOLDER "DIR"
#define OPTION_KIND "KIND"     /* of a box */
#define OPTION_PRESET "PRESET" /* of bench */
#define OPTION_STORED(type, member) .kind = OPTION_WORDS, .offset = offsetof(type, member)
#define OPTION_POSITIVE(type, member)                                                              \
    .kind = OPTION_REAL, .offset = offsetof(type, member), .above = true
#define OPTION_AT_LEAST(type, member, number)                                                      \
    .kind = OPTION_REAL, .offset = offsetof(type, member), .least = (number)
#define OPTION_COUNT(type, member, from, to)                                                       \
    .kind = OPTION_WHOLE, .offset = offsetof(type, member), .least = (from), .most = (to)
#define OPTION_INT(type, member, from, to)                                                         \
    .kind = OPTION_INTEGER, .offset = offsetof(type, member), .least = (from), .most = (to)
#define OPTION_DURATION(type, member) .kind = OPTION_SECONDS, .offset = offsetof(type, member)
#define OPTION_NOTED(type, member) .is_noted = true, .noted_at = offsetof(type, member)
/* Of commands that read recorded rows, whose request has a member `despite_checksums`. */
#define OPTION_DESPITE_CHECKSUMS(type)                                                             \
    {                                                                                              \
        "--despite-checksums",                                                                     \
            .help = "also runs that do not fit their checksums: what is written says so",          \
            OPTION_STORED(type, despite_checksums)                                                 \
    }
/* An option that other commands have. */
struct missing_option {
    const char *name, *instead; /* the rest of the message */
};

enum { OPTION_ANY = -1 }; /* as `to`: as much as is wanted */

/* The options that a command has besides its own and axes: --help, and --reference and
 * --no-confinement of those that run kernels. Ended by a NULL name. */
struct command;
const struct command_option *command_shared_options(const struct command *command);

/* What a command does with an option that the parser does not store; `value` is NULL of a switch.
 * `option` is its name in the table, also where its short form was given. */
typedef bool take_option_fn(void *request, const char *option, const char *value,
                            struct error *error);
/* ... and with a word that is no option. */
typedef bool take_operand_fn(void *request, const char *word, struct error *error);

/* Paths, or other words that are no options: words of argv. */
struct command_paths {
    const char **words;
    size_t count;
};

enum { COMMAND_FAILED = -1 };

struct command {
    const char *name, *summary;
    /* Does what is asked for; returns the exit status, or COMMAND_FAILED and why in *error. */
    int (*run)(void *request, struct error *error);
    size_t request_size;
    void (*begin)(void *request); /* what is asked for before any word is read; NULL: zeros */
    void (*end)(void *request);   /* releases what it holds besides axes and paths; NULL: nothing */
    /* Keeps all words of the command line, and returns how many are options and operands; NULL: all
     * are. */
    int (*cut_words)(void *request, int argc, char **argv);
    bool has_axes, has_paths;
    size_t axes_at, paths_at; /* members of the request, which the parser fills in */
    void (*append_help)(struct strbuf *text); /* what --help adds before the options; NULL */
    const struct command_option *options;     /* ended by a NULL name; --help is every command's */
    const struct missing_option *missing;     /* likewise; NULL: none */
    take_option_fn *take_option;              /* NULL: the parser stores all of them */
    take_operand_fn *take_operand;            /* NULL: there are none, or they are has_paths */
    const char *operands;                     /* for completion, as values of an option */
    bool takes_axes;
    bool makes_boxes;  /* others without kernels choose recorded rows by their axes */
    bool runs_kernels; /* in workers, which are confined unless requested otherwise */
};
#define COMMAND_REQUEST(type) .request_size = sizeof(type)
#define COMMAND_AXES(type, member) .has_axes = true, .axes_at = offsetof(type, member)
#define COMMAND_PATHS(type, member) .has_paths = true, .paths_at = offsetof(type, member)

extern const struct command devices_command, list_command, init_command, box_command, eval_command,
    check_command, judge_command, bench_command, tune_command, best_command, run_command,
    plot_command, export_command, merge_command, compare_command, report_command, query_command,
    rows_command, history_command, completion_command;

/* All of them, ended by NULL: the table of main.c, which sets it before any command runs. */
void command_set_all(const struct command *const *commands);
const struct command *const *command_all(void);
/* What --help of a command says of axes: their names; `what`: how many values each may have. And
 * what `pairmark help axes` says. */
void command_append_axes(const char *what, struct strbuf *text);
void command_print_axes(void);

/* NULL: there is none of that name. */
const struct command *command_find(const char *name);

/* Runs a command by its words, of which the first is its name. Returns the exit status. */
int command_call(const struct command *command, int argc, char **argv);

/* Takes all words: the command's own options into the request, its axes and operands, and
 * --reference where it runs kernels; then command_take_boxes(). --help ends that and sets *help. */
bool command_parse(const struct command *command, int argc, char **argv, void *request, bool *help,
                   struct error *error);

/* Chooses how the reference computes, for this process and those that it forks: threads or serial;
 * and none, which sets *none, unless that is NULL. STATUS_BAD_INPUT. */
bool command_choose_reference(const char *value, bool *none, struct error *error);

/* ---- judge, tune and best: axes beside own options, and one device after the other ---- */

/* `request` is the command's own. What returns false has filled in the error. */
struct sweep {
    bool (*begin)(void *request, struct error *error); /* what all devices share */
    ask_device_fn *ask_device;
    /* Prints what is left to say after the last device; returns the exit status, which counts where
     * no signal ended the sweep. */
    int (*conclude)(void *request, bool interrupted);
    void (*end)(void *request); /* releases what begin made, or part of it */
};

/* Asks the devices of --device, and ends between two of them where a signal comes. Returns as
 * command->run() does. */
int command_sweep(const struct command *command, const struct sweep *sweep, void *request,
                  struct error *error);

#endif
