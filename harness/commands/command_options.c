/* What the commands share: their table, messages, options and help. */
#include "campaign/axes/axes.h"
#include "commands/commands.h"
#include "core/embedded.h"
#include "core/host.h"
#include "core/strings.h"
#include "measure/program.h"
#include "measure/worker/confine.h"
#include "reference/pairs/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command has all of them, or the last ones. */
enum { SHARED_REFERENCE, SHARED_NO_CONFINEMENT, SHARED_HELP };
static const struct command_option shared_options[] = {
    [SHARED_REFERENCE] = { "--reference", .placeholder = "WAY", .values = "threads serial",
                           .help = "how the reference computes: on all processors (threads) or "
                                   "by plain loops (serial), which differ in rounding alone "
                                   "(threads)" },
    [SHARED_NO_CONFINEMENT] = { "--no-confinement", .help =
                                                        "let kernels do all that you may do: see "
                                                        "docs/pairmark.1, SECURITY" },
    [SHARED_HELP] = { .name = "--help" },
    { .name = NULL },
};

enum { MAX_OPTIONS = 64 };

static const char *program = "pairmark";
static const struct command *const *all_commands;

void command_set_all(const struct command *const *commands) {
    all_commands = commands;
}

const struct command *const *command_all(void) {
    return all_commands;
}

const struct command *command_find(const char *name) {
    const struct command *const *command = all_commands;
    while (*command && strcmp((*command)->name, name) != 0) {
        command++;
    }
    return *command;
}

const char *command_program(void) {
    return program;
}

void command_set_program(const char *name) {
    program = name;
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

/* The error for a word that the command does not take, with the nearest of its options.
 * Returns false. */
static bool fail_unknown_option(const char *word, const char *command, struct error *error) {
    const struct command *known = command_find(command);
    const struct command_option *shared = command_shared_options(known);
    const char *choices[MAX_OPTIONS + AXIS_COUNT + 4] = { NULL };
    char name[64];
    char hint[HINT_SIZE];
    size_t count = 0;
    if (word[0] != '-') {
        return fail_stray_word(word, known->takes_axes, error);
    }
    for (const struct missing_option *one = known->missing; one && one->name; one++) {
        if (is_word_of(word, one->name)) {
            return fail(error, STATUS_BAD_INPUT, "%s %s", one->name, one->instead);
        }
    }
    for (; count < MAX_OPTIONS && known->options[count].name; count++) {
        choices[count] = known->options[count].name;
    }
    for (int i = 0; known->takes_axes && i < AXIS_COUNT; i++) {
        choices[count++] = axis_table[i].option;
    }
    for (; shared->name; shared++) {
        choices[count++] = shared->name;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *nearest = words_nearest(name, choices);
    if (nearest && strcmp(nearest, name) == 0 && strchr(word, '=')) {
        return fail(error, STATUS_BAD_INPUT, "%s takes no value; expected %s alone", name, name);
    }
    return nearest ? fail(error, STATUS_BAD_INPUT, "%.200s: there is no such option%s", name,
                          did_you_mean(nearest, '\'', hint))
                   : fail(error, STATUS_BAD_INPUT,
                          "%.200s: there is no such option; `pairmark help %s` has all of them",
                          name, command);
}

/* ---- the parser ---- */

static bool is_option(const char *word, const struct command_option *option) {
    if (!option->placeholder && !option->is_axis) {
        return strcmp(word, option->name) == 0 ||
               (option->brief && strcmp(word, option->brief) == 0);
    }
    return is_word_of(word, option->name) || is_word_of(word, option->brief);
}

/* Once: of words before, none is the option. */
static bool take_value(const struct command_option *option, struct command_words *words,
                       const char **value, struct error *error) {
    for (int i = 1; i < words->at; i++) {
        if (is_option(words->words[i], option)) {
            return fail(error, STATUS_BAD_INPUT, "%s: given twice", option->name);
        }
    }
    return command_words_value(words, option->name, value, error);
}

/* "60", "60s", "5m", "1h" */
static bool parse_seconds(const char *value, double *seconds) {
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
        return false;
    }
    *seconds *= factor;
    return true;
}

static bool parse_whole(const struct command_option *option, const char *value, uint64_t *whole) {
    return parse_count(value, whole) && (double)*whole >= option->least &&
           (option->most < 0 || (double)*whole <= option->most);
}

static bool store_number(const struct command_option *option, const char *value, void *member) {
    uint64_t whole;
    double *real = member;
    switch (option->kind) {
    case OPTION_SECONDS:
        return parse_seconds(value, real);
    case OPTION_REAL:
        return parse_double(value, real) && *real >= option->least &&
               !(option->above && *real == 0);
    case OPTION_WHOLE:
        return parse_whole(option, value, member);
    default: /* OPTION_INTEGER */
        if (!parse_whole(option, value, &whole)) {
            return false;
        }
        *(int *)member = (int)whole;
        return true;
    }
}

static bool fail_number(const struct command_option *option, const char *value,
                        struct error *error) {
    char expected[80];
    if (option->kind == OPTION_SECONDS) {
        (void)snprintf(expected, sizeof expected, "seconds, as 60, 60s, 5m or 1h");
    } else if (option->above) {
        (void)snprintf(expected, sizeof expected, "a positive number");
    } else if (option->kind == OPTION_REAL || option->most < 0) {
        (void)snprintf(expected, sizeof expected, "a %snumber, %.0f or more",
                       option->kind == OPTION_REAL ? "" : "whole ", option->least);
    } else {
        (void)snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", option->least,
                       option->most);
    }
    return fail(error, STATUS_BAD_INPUT, "%s '%.100s': expected %s", option->name, value, expected);
}

static bool store(const struct command_option *option, const char *value, void *request,
                  struct error *error) {
    void *member = (char *)request + option->offset;
    if (option->is_noted) {
        *(bool *)((char *)request + option->noted_at) = true;
    }
    if (option->kind != OPTION_WORDS) {
        return store_number(option, value ? value : "1", member) ||
               fail_number(option, value, error);
    }
    if (value) {
        *(const char **)member = value;
    } else {
        *(bool *)member = true;
    }
    return true;
}

/* An option that has results printed for programs, whatever the command. */
static bool is_for_programs(const struct command_option *option) {
    return strcmp(option->name, "--json") == 0 || strcmp(option->name, "--csv") == 0;
}

static bool take_option(const struct command *command, const struct command_option *option,
                        struct command_words *words, void *request, struct error *error) {
    const char *value = NULL;
    if (is_for_programs(option)) {
        terminal_leave_lines(stdout);
    }
    if (!option->placeholder) {
        words->at++;
    } else if (!take_value(option, words, &value, error)) {
        return false;
    }
    return option->kind == OPTION_OWN ? command->take_option(request, option->name, value, error)
                                      : store(option, value, request, error);
}

static const struct command_option *find_option(const struct command *command, const char *word) {
    const struct command_option *option = command->options;
    while (option->name && !is_option(word, option)) {
        option++;
    }
    return option->name ? option : NULL;
}

static bool takes_reference(const struct command *command) {
    return command->takes_axes && command->runs_kernels &&
           !find_option(command, shared_options[SHARED_REFERENCE].name);
}

const struct command_option *command_shared_options(const struct command *command) {
    return &shared_options[takes_reference(command) ? SHARED_REFERENCE
                           : command->runs_kernels  ? SHARED_NO_CONFINEMENT
                                                    : SHARED_HELP];
}

/* What the parser fills in besides options. */
static struct axes *axes_in(const struct command *command, void *request) {
    return command->has_axes ? (void *)((char *)request + command->axes_at) : NULL;
}

static struct command_paths *paths_in(const struct command *command, void *request) {
    return command->has_paths ? (void *)((char *)request + command->paths_at) : NULL;
}

static bool take_word(const struct command *command, struct command_words *words, void *request,
                      struct error *error) {
    struct axes *axes = axes_in(command, request);
    struct command_paths *paths = paths_in(command, request);
    const char *word = words->words[words->at];
    const struct command_option *option = find_option(command, word);
    bool taken = false;
    if (option && !option->is_axis) {
        return take_option(command, option, words, request, error);
    }
    const struct command_option *reference = &shared_options[SHARED_REFERENCE];
    if (takes_reference(command) && is_option(word, reference)) {
        const char *value;
        return take_value(reference, words, &value, error) &&
               command_choose_reference(value, NULL, error);
    }
    if ((option || command->takes_axes) && !axes_take_option(axes, words, &taken, error)) {
        return false;
    }
    if (taken) {
        return true;
    }
    if (word[0] == '-' || !(command->take_operand || paths)) {
        return fail_unknown_option(word, command->name, error);
    }
    words->at++;
    if (paths) {
        paths->words[paths->count++] = word;
    }
    return paths || command->take_operand(request, word, error);
}

static bool takes_boxes(const struct command *command) {
    return command->takes_axes && command->has_axes &&
           (command->runs_kernels || command->makes_boxes);
}

bool command_parse(const struct command *command, int argc, char **argv, void *request, bool *help,
                   struct error *error) {
    struct command_words words = { argc, argv, 1 };
    bool good = true;
    *help = false;
    while (good && !*help && words.at < argc) {
        const char *word = argv[words.at];
        *help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
        good = *help || take_word(command, &words, request, error);
    }
    return good && (*help || !takes_boxes(command) ||
                    command_take_boxes(command->name, axes_in(command, request), error));
}

bool command_choose_reference(const char *value, bool *none, struct error *error) {
    const bool serial = strcmp(value, "serial") == 0;
    if (none && strcmp(value, "none") == 0) {
        *none = true;
        return true;
    }
    if (!serial && strcmp(value, "threads") != 0) {
        return fail(error, STATUS_BAD_INPUT, "--reference: '%.100s'; expected threads or serial%s",
                    value, none ? ", or none" : "");
    }
    reference_choose_way(serial ? REFERENCE_SERIAL : REFERENCE_THREADS);
    return true;
}

bool command_open_device(struct worker *worker, const char *name, struct device_info *info,
                         struct error *error) {
    return worker_device(worker, info, error) ||
           (name && *name && error->status == STATUS_BAD_INPUT && fail_within(error, "--device"));
}

bool command_describe_device(const char *name, double deadline_s, struct device_info *info,
                             struct error *error) {
    const struct worker_cases none = { 0 };
    struct worker *worker = worker_create(none, name, deadline_s);
    const bool described = command_open_device(worker, name, info, error);
    worker_free(worker);
    return described;
}

/* ---- help ---- */

static void append_options(const struct command *command, struct strbuf *text) {
    const struct command_option *option = command->options;
    strbuf_append(text, "%s", option->name ? "\nOptions (defaults in parentheses):\n" : "");
    for (; option->name; option++) {
        char head[64];
        enum axis axis = axis_find(option->name);
        const struct axis_entry *entry = option->is_axis ? &axis_table[axis] : NULL;
        (void)snprintf(head, sizeof head, "%s%s%s", option->brief ? option->brief : "",
                       option->brief ? ", " : "", option->name);
        help_append_option(text, head, entry ? entry->placeholder : option->placeholder,
                           entry ? entry->help : option->help);
    }
}

static void append_shared_options(const struct command *command, struct strbuf *text) {
    const struct command_option *shared = command_shared_options(command);
    for (; shared < &shared_options[SHARED_HELP]; shared++) {
        help_append_option(text, shared->name, shared->placeholder, shared->help);
    }
}

void command_append_axes(const char *what, struct strbuf *text) {
    strbuf_append(text, "\nAxes, which say what runs (`pairmark help axes` explains them; %s):\n",
                  what);
    axes_append_names(text);
}

void command_print_axes(void) {
    struct strbuf text = { 0 };
    strbuf_append(&text,
                  "Axes say which kernels run, on what. Lists by comma, globs for names, "
                  "ranges for\nnumbers: 1k:1M:x4, 100:500:+100; defaults in parentheses.\n\n");
    axes_append_help(&text);
    (void)fputs(strbuf_text(&text), stdout);
    strbuf_free(&text);
}

/* What share/help/commands.txt says of the command, up to the next one, and what of that stands
 * after its options; "" where nothing does. */
static const char *find_help(const struct command *command, const char **end, const char **behind) {
    static const char divide[] = "\nbehind the options\n";
    char heading[64];
    (void)snprintf(heading, sizeof heading, "\ncommand %s\n", command->name);
    const char *help = strstr(embedded_text("share/help/commands.txt"), heading) + strlen(heading);
    const char *next = strstr(help, "\ncommand ");
    *end = next ? next + 1 : help + strlen(help);
    *behind = strstr(help, divide);
    *behind = *behind && *behind < *end ? *behind + strlen(divide) : *end;
    return help;
}

static void print_help(const struct command *command) {
    struct strbuf text = { 0 };
    const char *end, *behind;
    const char *help = find_help(command, &end, &behind);
    for (; help < behind && strncmp(help, "behind ", 7) != 0; help = line_after(help)) {
        strbuf_append_bytes(&text, help, (size_t)(line_after(help) - help));
    }
    if (command->append_help) {
        command->append_help(&text);
    }
    append_options(command, &text);
    if (command->takes_axes && command->runs_kernels) {
        append_shared_options(command, &text);
        command_append_axes("lists by comma", &text);
    }
    strbuf_append(&text, "%s%.*s", behind < end ? "\n" : "", (int)(end - behind), behind);
    (void)fputs(strbuf_text(&text), stdout);
    strbuf_free(&text);
}

/* ---- a command from its words to its exit status ---- */

int command_call(const struct command *command, int argc, char **argv) {
    struct error error = { 0 };
    int status = COMMAND_FAILED;
    bool help = false;
    void *request = memory_zeroed(1, command->request_size);
    const char **words = memory_zeroed((size_t)argc + 1, sizeof *words);
    if (command->begin) {
        command->begin(request);
    }
    if (command->has_paths) {
        paths_in(command, request)->words = words;
    }
    argc = command->cut_words ? command->cut_words(request, argc, argv) : argc;
    if (command_parse(command, argc, argv, request, &help, &error)) {
        status = help ? 0 : command->run(request, &error);
    }
    if (help) {
        print_help(command);
    }
    if (command->end) {
        command->end(request);
    }
    if (command->has_axes) {
        axes_free(axes_in(command, request));
    }
    free(words);
    free(request);
    return status == COMMAND_FAILED ? command_fail(command->name, &error) : status;
}

/* ---- commands that ask one device after the other ---- */

bool command_each_device(const struct axes *axes, ask_device_fn *ask, void *context,
                         struct error *error) {
    char **devices = memory_split(axes->device ? axes->device : "", ',');
    bool good = true;
    for (size_t i = 0; good && devices[i] && !signals_noted(); i++) {
        good = ask(context, devices[i], error);
    }
    free(devices);
    return good;
}

int command_sweep(const struct command *command, const struct sweep *sweep, void *request,
                  struct error *error) {
    const struct axes *axes = axes_in(command, request);
    struct signals signals;
    int status = COMMAND_FAILED;
    command_report_confinement(command->name, axes);
    signals_catch(&signals);
    const bool begun = sweep->begin(request, error);
    const bool done = begun && command_each_device(axes, sweep->ask_device, request, error);
    const int noted = signals_noted();
    if (done || (begun && noted)) { /* what a signal cut short is no failure */
        const int exit_code = sweep->conclude(request, noted != 0);
        status = noted ? 128 + noted : exit_code;
    }
    signals_restore(&signals);
    sweep->end(request);
    return status;
}
