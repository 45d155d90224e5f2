/* What the commands share: their messages and their options. */
#include "campaign/axes/axes.h"
#include "campaign/progress.h"
#include "commands/commands.h"
#include "core/confine.h"
#include "core/strings.h"
#include "reference/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is no axis, but goes with them. */
static const struct {
    const char *option, *placeholder, *help;
} beside_axes[] = {
    { "--reference", "WAY",
      "what results are compared with: threads (all processors; unless given) or serial, the plain "
      "sums, which differ in rounding alone" },
    { "--no-confinement", NULL,
      "let kernels do all that you may do: see the manual page, SECURITY" },
};

enum { MAX_OPTIONS = 64 };

static const char *program = "pairmark";

const char *command_program(void) {
    return program;
}

void command_set_program(const char *name) {
    program = name;
}

void command_print_axes(void) {
    struct strbuf help = { 0 };
    strbuf_append(&help, "axes (lists by comma, globs for names, ranges for numbers: 1k:1M:x4, "
                         "100:500:+100):\n");
    axes_append_help(&help);
    for (size_t i = 0; i < sizeof beside_axes / sizeof beside_axes[0]; i++) {
        help_append_option(&help, beside_axes[i].option, beside_axes[i].placeholder,
                           beside_axes[i].help);
    }
    (void)fputs(help.data ? help.data : "", stdout);
    strbuf_free(&help);
}

int command_fail(const char *command, const struct error *error) {
    int code = status_exit_code(error->status);
    (void)fflush(stdout);
    (void)fprintf(stderr, "pairmark %s: %s\n", command, error->message);
    return code ? code : status_exit_code(STATUS_SYSTEM);
}

void command_report_confinement(const char *command, const struct axes *axes) {
    if (axes->variant_files && axes->variant_files[0] && !confine_works()) {
        (void)fprintf(
            stderr, "pairmark %s: kernels of files are programs, and are not confined here (%s)\n",
            command, confine_words());
    }
}

bool command_is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* A file that stands alone: which option takes such a one. */
static bool fail_stray_word(const char *word, bool takes_axes, struct error *error) {
    const char *option = !takes_axes                                            ? NULL
                         : ends_with(word, ".cl")                               ? "--variant-file "
                         : ends_with(word, ".cu")                               ? "--variant-file "
                         : ends_with(word, ".ptx") || ends_with(word, ".cubin") ? "--variant-file "
                         : ends_with(word, ".xyz")                              ? "--box "
                                                                                : NULL;
    char meant[HINT_SIZE];
    char hint[HINT_SIZE];
    (void)snprintf(meant, sizeof meant, "%s%.200s", option ? option : "", word);
    return fail(error, STATUS_BAD_INPUT, "'%.200s': options alone are expected%s", word,
                did_you_mean(option ? meant : NULL, '\'', hint));
}

bool command_unknown_option(const char *word, const char *command, struct error *error) {
    const struct command *known = command_find(command);
    const char *choices[MAX_OPTIONS + AXIS_COUNT + 3] = { NULL };
    char name[64];
    char hint[HINT_SIZE];
    size_t count = 0;
    if (word[0] != '-') {
        return fail_stray_word(word, known->takes_axes, error);
    }
    for (; count < MAX_OPTIONS && known->options[count].name; count++) {
        choices[count] = known->options[count].name;
    }
    for (int i = 0; known->takes_axes && i < AXIS_COUNT; i++) {
        choices[count++] = axis_table[i].option;
    }
    choices[count++] = "--help";
    choices[count++] = known->takes_axes && known->runs_kernels ? "--reference" : NULL;
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    return fail(error, STATUS_BAD_INPUT, "%.200s: there is no such option%s", name,
                did_you_mean(words_nearest(name, choices), '\'', hint));
}

/* Whether the word is the option NAME, or NAME=VALUE. */
static bool is_option(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

bool command_take_value(const char *name, int argc, char **argv, int *index, const char **value,
                        bool *taken, struct error *error) {
    size_t length = strlen(name);
    const char *word = argv[*index];
    *taken = is_option(word, name);
    if (!*taken) {
        return true;
    }
    for (int i = 1; i < *index; i++) {
        if (is_option(argv[i], name)) {
            return fail(error, STATUS_BAD_INPUT, "%s: given twice", name);
        }
    }
    *index += 1;
    if (word[length] == '=') {
        *value = word + length + 1;
    } else if (*index < argc) {
        *value = argv[(*index)++];
    } else {
        *value = "";
    }
    if (**value == '\0' || strncmp(*value, "--", 2) == 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: a value is missing", name);
    }
    return true;
}

bool command_take_own(const char *command, int argc, char **argv, int *index, take_option_fn *take,
                      void *request, bool *taken, struct error *error) {
    *taken = false;
    for (const struct command_option *option = command_find(command)->options; option->name;
         option++) {
        const char *value = NULL;
        if (option->value &&
            !command_take_value(option->name, argc, argv, index, &value, taken, error)) {
            return false;
        }
        if (*taken) {
            return take(request, option->name, value, error);
        }
    }
    return true;
}

bool command_take_path(const char *command, char **argv, int *index, const char **paths,
                       size_t *count, struct error *error) {
    if (argv[*index][0] == '-') {
        return command_unknown_option(argv[*index], command, error);
    }
    paths[(*count)++] = argv[(*index)++];
    return true;
}

bool command_take_paths(const char *command, int argc, char **argv, take_option_fn *take,
                        void *request, struct axes *axes, struct command_paths *paths,
                        struct error *error) {
    bool good = true;
    for (int i = 1; good && i < argc;) {
        bool taken = false;
        if (command_is_help(argv[i])) {
            paths->help = true;
            return true;
        }
        good = command_take_own(command, argc, argv, &i, take, request, &taken, error) &&
               (taken || !axes || axes_take_option(axes, argc, argv, &i, &taken, error)) &&
               (taken || command_take_path(command, argv, &i, paths->words, &paths->count, error));
    }
    return good;
}

bool command_take_duration(const char *option, const char *value, double *seconds,
                           struct error *error) {
    static const struct {
        char letter;
        double factor;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
    char number[64];
    double factor = 1;
    size_t length = strlen(value);
    (void)snprintf(number, sizeof number, "%s", value);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (length > 1 && length < sizeof number && value[length - 1] == units[i].letter) {
            number[length - 1] = '\0';
            factor = units[i].factor;
        }
    }
    if (!parse_double(number, seconds) || *seconds <= 0) {
        return fail(error, STATUS_BAD_INPUT, "%s '%s': expected seconds, as 60, 60s, 5m or 1h",
                    option, value);
    }
    *seconds *= factor;
    return true;
}

bool command_take_reference(int argc, char **argv, int *index, bool *none, bool *taken,
                            struct error *error) {
    const char *value = "";
    if (!command_take_value("--reference", argc, argv, index, &value, taken, error)) {
        return false;
    }
    const bool serial = strcmp(value, "serial") == 0;
    if (*taken && none && strcmp(value, "none") == 0) {
        *none = true;
        return true;
    }
    if (*taken && !serial && strcmp(value, "threads") != 0) {
        return fail(error, STATUS_BAD_INPUT, "--reference: '%.100s'; expected threads or serial%s",
                    value, none ? ", or none" : "");
    }
    if (*taken) {
        reference_choose_way(serial ? REFERENCE_SERIAL : REFERENCE_THREADS);
    }
    return true;
}

bool command_open_device(struct worker *worker, const char *name, struct device_info *info,
                         struct error *error) {
    return worker_device(worker, info, error) ||
           (name && *name && error->status == STATUS_BAD_INPUT && fail_within(error, "--device"));
}

/* ---- commands that ask one device after the other ---- */

static bool take_arguments(const struct sweep_command *command, int argc, char **argv,
                           struct axes *axes, void *context, bool *help, struct error *error) {
    for (int i = 1; i < argc;) {
        bool taken;
        if (!command_take_own(command->name, argc, argv, &i, command->take_option, context, &taken,
                              error) ||
            (!taken && !command_take_reference(argc, argv, &i, NULL, &taken, error)) ||
            (!taken && !axes_take_option(axes, argc, argv, &i, &taken, error))) {
            return false;
        }
        if (taken) {
            continue;
        }
        if (command_is_help(argv[i])) {
            *help = true;
        } else if (!command->take_word(context, argv[i], &taken, error)) {
            return false;
        } else if (!taken) {
            return command_unknown_option(argv[i], command->name, error);
        }
        i++;
    }
    return *help || !command->check || command->check(context, error);
}

static bool ask_devices(const struct sweep_command *command, const struct axes *axes, void *context,
                        int *status, struct error *error) {
    struct campaign_signals signals;
    char **devices = split_list(axes->device ? axes->device : "", ',');
    campaign_signals_catch(&signals);
    bool done =
        (devices || fail_out_of_memory(error, "--device")) && command->begin(context, error);
    for (size_t i = 0; done && devices[i] && !campaign_signals_noted(); i++) {
        done = command->ask_device(context, devices[i], error);
    }
    const int noted = campaign_signals_noted();
    if (done) {
        const int exit_code = command->conclude(context, noted != 0);
        *status = noted ? 128 + noted : exit_code;
    }
    campaign_signals_restore(&signals);
    command->end(context);
    free(devices);
    return done;
}

int sweep_command_run(const struct sweep_command *command, int argc, char **argv, struct axes *axes,
                      void *context) {
    struct error error;
    bool help = false;
    int status = 0;
    bool ran = take_arguments(command, argc, argv, axes, context, &help, &error);
    if (ran && help) {
        (void)fputs(command->help, stdout);
        command_print_axes();
        (void)fputs(command->help_after, stdout);
    } else if (ran) {
        command_report_confinement(command->name, axes);
        ran = ask_devices(command, axes, context, &status, &error);
    }
    axes_free(axes);
    return ran ? status : command_fail(command->name, &error);
}
