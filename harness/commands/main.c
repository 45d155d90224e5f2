/* pairmark — finds the fastest correct pair kernel on a device. See `pairmark --help`. */
#include "commands/commands.h"
#include "plan/plan_words.h"
#include "system/confine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    bool runs_kernels; /* in workers, which are confined unless told otherwise */
};

static const struct command commands[] = {
    { "devices", command_devices, "what can run here", true },
    { "list", command_list, "the variants: structure, tunables, source", false },
    { "box", command_box, "make a box of particles (extended XYZ)", false },
    { "eval", command_eval, "one evaluation, compared with the reference: numbers, no timing",
      true },
    { "check", command_check, "compare variants with the reference; exit status 1 if any fails",
      true },
    { "bench", command_bench, "check, time and record variants", true },
    { "tune", command_tune, "find the best tunables of variants on this device", true },
    { "plot", command_plot, "figures from recorded rows, with gnuplot", false },
    { "compare", command_compare, "what became faster or slower between runs", false },
    { "report", command_report, "recorded rows as one page: winners, figures, a table", false },
    { "query", command_query, "an SQL question to recorded rows", false },
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *stream) {
    (void)fprintf(stream, "usage: pairmark COMMAND [options]\n\n"
                          "Finds the fastest correct way to compute short-range pair interactions "
                          "on a device.\n\n"
                          "commands:\n");
    for (int i = 0; i < COMMANDS; i++) {
        (void)fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    (void)fprintf(stream, "\n"
                          "  pairmark help COMMAND   what a command takes\n"
                          "  pairmark --version\n"
                          "  man pairmark            everything (from the source folder: man -l "
                          "docs/pairmark.1)\n\n"
                          "exit status: 0 all passed, 1 a case failed, 2 unusable arguments or "
                          "input, 3 a device or system failure\n");
}

static const struct command *find_command(const char *name) {
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int fail_unknown_command(const char *name) {
    const char *names[COMMANDS + 1] = { NULL };
    struct error error;
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
    }
    (void)words_fail_unknown("COMMAND", "command", name, names, &error);
    (void)fprintf(stderr, "pairmark: %s\n", error.message);
    return status_exit_code(STATUS_BAD_INPUT);
}

/* Takes --no-confinement out of the words of a command; what follows `--` is not ours. */
static void take_confinement(int *argc, char **argv) {
    int kept = 0;
    bool ours = true;
    for (int i = 0; i < *argc; i++) {
        ours = ours && strcmp(argv[i], "--") != 0;
        if (ours && strcmp(argv[i], "--no-confinement") == 0) {
            confine_disable();
        } else {
            argv[kept++] = argv[i];
        }
    }
    argv[kept] = NULL;
    *argc = kept;
}

static int run_help(int argc, char **argv) {
    if (argc < 3) {
        print_usage(stdout);
        return 0;
    }
    const struct command *command = find_command(argv[2]);
    char help[] = "--help";
    char *arguments[] = { argv[2], help, NULL };
    return command ? command->run(2, arguments) : fail_unknown_command(argv[2]);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return status_exit_code(STATUS_BAD_INPUT);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        return run_help(argc, argv);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        (void)puts("pairmark " PAIRMARK_VERSION);
        return 0;
    }
    const struct command *command = find_command(argv[1]);
    if (command && command->runs_kernels) {
        take_confinement(&argc, argv);
    }
    return command ? command->run(argc - 1, argv + 1) : fail_unknown_command(argv[1]);
}

int main(int argc, char **argv) {
    /* `pairmark list | head` ends quietly, also where whoever started it ignores the signal. */
    (void)signal(SIGPIPE, SIG_DFL);
    int status = run(argc, argv);
    /* What was printed counts only once it is written: a full disk is no success. */
    bool written = !ferror(stdout);
    errno = 0;
    if (fflush(stdout) != 0 || !written) {
        (void)fprintf(stderr, "pairmark: standard output: %s\n",
                      errno ? strerror(errno) : "write error");
        return status ? status : status_exit_code(STATUS_SYSTEM);
    }
    return status;
}
