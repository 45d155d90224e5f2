/* pairmark — checks and times kernels for particles, and finds the fastest correct one. See
 * `pairmark --help`. */
#include "campaign/axes/axes.h"
#include "commands/commands.h"
#include "core/embedded.h"
#include "core/host.h"
#include "core/strings.h"
#include "measure/program.h"
#include "measure/worker/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- --water spce stands for the options that share/water/spce.txt has ---- */

static const char folder[] = "share/water/";
static const char ending[] = ".txt";
enum { MOST_OPTIONS = 16 };

static bool says(int argc, char **argv, const char *option) {
    bool said = false;
    for (int i = 1; i < argc; i++) {
        said = said || is_word_of(argv[i], option);
    }
    return said;
}

/* What the words say in the place of an option of the model. */
static bool is_said(int argc, char **argv, const char *option) {
    return says(argc, argv, option) ||
           (strcmp(option, "--interaction") == 0 && says(argc, argv, "--interaction-file")) ||
           (strcmp(option, "--kind") == 0 && says(argc, argv, "--box"));
}

static bool fail_model(const char *name, struct error *error) {
    struct strbuf names = { 0 };
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        const size_t length = strlen(file->path);
        if (begins_with(file->path, folder) &&
            strcmp(file->path + length - strlen(ending), ending) == 0) {
            strbuf_append(&names, "%s%.*s", names.length ? ", " : "",
                          (int)(length - strlen(folder) - strlen(ending)),
                          file->path + strlen(folder));
        }
    }
    (void)fail(error, STATUS_BAD_INPUT, "--water '%s'; expected one of %s", name,
               strbuf_text(&names));
    strbuf_free(&names);
    return false;
}

/* Adds the options of a model, a line for each: "--charges O=-0.8476,H=0.4238". */
static int add_options(int argc, char **argv, char *text, char **words, int count) {
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *blank = strchr(line, ' ');
        if (*line != '-' || !blank) {
            continue; /* a comment */
        }
        *blank = '\0';
        if (!is_said(argc, argv, line)) {
            words[count++] = line;
            words[count++] = blank + 1;
        }
    }
    return count;
}

/* The model's text, to be freed; NULL: there is none of that name, or no memory. */
static char *copy_model(const char *name, struct error *error) {
    char path[64];
    (void)snprintf(path, sizeof path, "%s%.20s%s", folder, name, ending);
    const char *model = embedded_text(path);
    if (!model) {
        (void)fail_model(name, error);
        return NULL;
    }
    return memory_copy(model);
}

/* Puts the options of the model in the place of --water NAME, except those that the words say
 * themselves: an interaction by a file takes the place of one by words, a box that is read that of
 * a kind. *words stays argv where there is no --water; else it and *text are to be freed.
 * STATUS_BAD_INPUT for a model that there is none of, and for two of them. */
static bool water_expand(int *argc, char **argv, char ***words, char **text, struct error *error) {
    int count = 0;
    *words = argv;
    *text = NULL;
    if (!says(*argc, argv, "--water")) {
        return true;
    }
    char **all = memory_zeroed((size_t)*argc + 2 * MOST_OPTIONS + 1, sizeof *all);
    bool good = true;
    for (int i = 0; good && i < *argc; i++) {
        if (i == 0 || !is_word_of(argv[i], "--water")) {
            all[count++] = argv[i];
        } else if (*text) {
            good = fail(error, STATUS_BAD_INPUT, "--water is given twice; expected it once");
        } else {
            const char *equals = strchr(argv[i], '=');
            *text = copy_model(equals ? equals + 1 : i + 1 < *argc ? argv[++i] : "", error);
            good = *text != NULL;
            count = good ? add_options(*argc, argv, *text, all, count) : count;
        }
    }
    if (!good) {
        free(all);
        free(*text);
        *text = NULL;
        return false;
    }
    *argc = count;
    *words = all;
    return true;
}

/* ---- the commands ---- */

static const struct command *const command_table[] = {
    &devices_command, &list_command,       &init_command,
    &box_command,     &eval_command,       &check_command,
    &judge_command,   &bench_command,      &tune_command,
    &best_command,    &run_command,        &plot_command,
    &merge_command,   &compare_command,    &report_command,
    &query_command,   &rows_command,       &history_command,
    &export_command,  &completion_command, NULL,
};

static void print_usage(FILE *stream) {
    (void)fprintf(stream, "usage: pairmark COMMAND [options]\n\n"
                          "Checks and times GPU kernels for particles: forces, neighbour lists, "
                          "bonds, time\nsteps... Finds the fastest correct one for your box and "
                          "device.\n\n"
                          "commands:\n");
    for (const struct command *const *command = command_table; *command; command++) {
        (void)fprintf(stream, "  %-11s %s\n", (*command)->name, (*command)->summary);
    }
    (void)fprintf(stream,
                  "\n"
                  "  pairmark help COMMAND   what a command takes\n"
                  "  pairmark help axes      what says which kernels run, on what\n"
                  "  pairmark help kernels   the words of kernel files\n"
                  "  pairmark --version\n"
                  "  man pairmark            everything, where there is man (in the source\n"
                  "                          folder: man -l docs/pairmark.1)\n\n"
                  "exit status: 0 all passed, 1 a case failed, 2 unusable arguments or "
                  "input,\n3 a device or system failure\n");
}

static int fail_unknown_command(const char *name) {
    const char *names[sizeof command_table / sizeof *command_table] = { NULL };
    struct error error;
    for (int i = 0; command_table[i]; i++) {
        names[i] = command_table[i]->name;
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
    if (argc < 3 || strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
        print_usage(stdout);
        return 0;
    }
    if (strcmp(argv[2], "axes") == 0 && argc == 3) {
        command_print_axes();
        return 0;
    }
    if (strcmp(argv[2], "kernels") == 0 && argc == 3) {
        (void)fputs(embedded_text("share/help/kernels.txt"), stdout);
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
    return command ? command_call(command, 2, arguments) : fail_unknown_command(argv[2]);
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
        return command ? command_call(command, argc - 1, argv + 1) : fail_unknown_command(argv[1]);
    }
    struct error error = { 0 };
    char **words;
    char *text;
    if (!water_expand(&argc, argv, &words, &text, &error)) {
        return command_fail(argv[1], &error);
    }
    const int status = command_call(command, argc - 1, words + 1);
    if (words != argv) {
        free(words);
    }
    free(text);
    return status;
}

/* A standard stream that whoever started the program has closed would be the next file that is
 * opened, and what is printed would go there. To what takes its place nothing can be written. */
static void keep_standard_streams(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) {
            (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int main(int argc, char **argv) {
    keep_standard_streams();
    /* `pairmark list | head` ends quietly, also where whoever started it ignores the signal. */
    (void)signal(SIGPIPE, SIG_DFL);
    /* A child whose end is ignored leaves no status: workers and probes need theirs. */
    (void)signal(SIGCHLD, SIG_DFL);
    stdout = terminal_wrapped(stdout);
    stderr = terminal_wrapped(stderr);
    strbuf_ran_out = memory_ran_out;
    command_set_all(command_table);
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
