/* pairmark — finds the fastest correct pair kernel on a device. See `pairmark --help`. */
#include "campaign/axes/axis_words.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/water.h"
#include "core/confine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What runs each; of the commands of command_table.h. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} runs[] = {
    { "devices", command_devices },
    { "list", command_list },
    { "init", command_init },
    { "box", command_box },
    { "eval", command_eval },
    { "check", command_check },
    { "judge", command_judge },
    { "bench", command_bench },
    { "tune", command_tune },
    { "best", command_best },
    { "run", command_run },
    { "plot", command_plot },
    { "merge", command_merge },
    { "compare", command_compare },
    { "report", command_report },
    { "query", command_query },
    { "completion", command_completion },
};

/* argv[0] is the name of a command that there is. */
static int run_command(int argc, char **argv) {
    size_t i = 0;
    while (strcmp(runs[i].name, argv[0]) != 0) {
        i++;
    }
    return runs[i].run(argc, argv);
}

static void print_usage(FILE *stream) {
    (void)fprintf(stream, "usage: pairmark COMMAND [options]\n\n"
                          "Finds the fastest correct way to compute short-range pair interactions "
                          "on a device.\n\n"
                          "commands:\n");
    for (const struct command *command = command_table; command->name; command++) {
        (void)fprintf(stream, "  %-10s %s\n", command->name, command->summary);
    }
    (void)fprintf(stream, "\n"
                          "  pairmark help COMMAND   what a command takes\n"
                          "  pairmark --version\n"
                          "  man pairmark            everything (from the source folder: man -l "
                          "docs/pairmark.1)\n\n"
                          "exit status: 0 all passed, 1 a case failed, 2 unusable arguments or "
                          "input, 3 a device or system failure\n");
}

static int fail_unknown_command(const char *name) {
    enum { MAX_COMMANDS = 64 };
    const char *names[MAX_COMMANDS + 1] = { NULL };
    struct error error;
    for (int i = 0; i < MAX_COMMANDS && command_table[i].name; i++) {
        names[i] = command_table[i].name;
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
    const struct command *command = command_find(argv[2]);
    if (command && argc > 3) {
        (void)fprintf(stderr, "pairmark help: '%.60s' after %s; expected one command\n", argv[3],
                      argv[2]);
        return status_exit_code(STATUS_BAD_INPUT);
    }
    char help[] = "--help";
    char *arguments[] = { argv[2], help, NULL };
    return command ? run_command(2, arguments) : fail_unknown_command(argv[2]);
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
    const struct command *command = command_find(argv[1]);
    if (command && command->runs_kernels) {
        take_confinement(&argc, argv);
    }
    if (!command || !command->runs_kernels) {
        return command ? run_command(argc - 1, argv + 1) : fail_unknown_command(argv[1]);
    }
    struct error error = { 0 };
    char **words;
    char *text;
    if (!water_expand(&argc, argv, &words, &text, &error)) {
        return command_fail(argv[1], &error);
    }
    const int status = run_command(argc - 1, words + 1);
    if (words != argv) {
        free(words);
    }
    free(text);
    return status;
}

int main(int argc, char **argv) {
    /* `pairmark list | head` ends quietly, also where whoever started it ignores the signal. */
    (void)signal(SIGPIPE, SIG_DFL);
    if (argc > 0) {
        command_set_program(argv[0]);
    }
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
