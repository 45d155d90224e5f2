/* pairmark completion — what completes the words of a command line in a shell, from the tables of
 * commands and axes. */
#include "campaign/axes/axes.h"
#include "campaign/plan/plan.h"
#include "commands/commands.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/host.h"
#include "core/strings.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/interaction.h"
#include "kernels/variant.h"
#include "measure/program.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---- */

static void append_list(struct strbuf *text, const char *const *words) {
    for (size_t i = 0; words[i]; i++) {
        strbuf_append(text, "%s%s", i ? " " : "", words[i]);
    }
}

/* The names of variants, or of what they walk, each once. */
static void append_variants(struct strbuf *text, bool structures) {
    size_t count = 0;
    struct error ignored;
    const struct variant *variants = variants_embedded(&count, &ignored);
    for (size_t i = 0; variants && i < count; i++) {
        bool repeated = false;
        for (size_t j = 0; structures && j < i; j++) {
            repeated = repeated || strcmp(variants[i].structure, variants[j].structure) == 0;
        }
        if (!repeated) {
            strbuf_append(text, "%s%s", i ? " " : "",
                          structures ? variants[i].structure : variants[i].name);
        }
    }
}

/* What an axis knows by name, or the kind of file that it takes; nothing where it is open. */
static void append_axis_values(struct strbuf *text, enum axis axis) {
    const struct axis_entry *entry = &axis_table[axis];
    if (entry->values) {
        append_list(text, entry->values);
    } else if (axis == AXIS_VARIANT || axis == AXIS_STRUCTURE) {
        append_variants(text, axis == AXIS_STRUCTURE);
    } else if (axis == AXIS_INTERACTION) {
        interaction_append_names(text, " ");
    } else if (entry->placeholder && strcmp(entry->placeholder, OPTION_FOLDER) == 0) {
        strbuf_append(text, OPTION_FOLDER);
    } else if (entry->placeholder && strcmp(entry->placeholder, OPTION_FILE) == 0) {
        strbuf_append(text, OPTION_FILE);
    }
}

/* ---- tables ---- */

/* What the functions need to know: of each command its options and operands, of each option what
 * follows it. FILE and DIR stand for names of files and folders. */
static void append_options(struct strbuf *text, const struct command *command) {
    const struct command_option *shared = command_shared_options(command);
    strbuf_append(text, "    [%s]='", command->name);
    for (const struct command_option *option = command->options; option->name; option++) {
        strbuf_append(text, "%s%s%s ", option->brief ? option->brief : "", option->brief ? " " : "",
                      option->name);
    }
    for (int i = 0; command->takes_axes && i < AXIS_COUNT; i++) {
        strbuf_append(text, "%s ", axis_table[i].option);
    }
    for (; shared->name; shared++) {
        strbuf_append(text, "%s%s", shared->name, shared[1].name ? " " : "'\n");
    }
}

/* The values of an option or an operand, as struct command_option has them. */
static void append_choices(struct strbuf *text, const char *values) {
    if (strcmp(values, OPTION_KIND) == 0) {
        append_list(text, axis_table[AXIS_KIND].values);
    } else if (strcmp(values, OPTION_PRESET) == 0) {
        preset_append_names(text);
    } else {
        strbuf_append(text, "%s", values);
    }
}

static void append_value(struct strbuf *text, const struct command *command, const char *option,
                         const char *values) {
    if (option) {
        strbuf_append(text, "    ['%s %s']='", command->name, option);
        append_choices(text, values ? values : "-");
        strbuf_append(text, "'\n");
    }
}

/* Options without a value are not listed; "-" stands for one that takes anything. Those that are
 * called as axes are have the values of these. */
static void append_table_values(struct strbuf *text, const struct command *command,
                                const struct command_option *option) {
    for (; option->name; option++) {
        if (option->placeholder && axis_find(option->name) == AXIS_COUNT) {
            append_value(text, command, option->name, option->values);
            append_value(text, command, option->brief, option->values);
        }
    }
}

static void append_values(struct strbuf *text, const struct command *command) {
    append_table_values(text, command, command->options);
    append_table_values(text, command, command_shared_options(command));
}

static void append_axes(struct strbuf *text) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        struct strbuf values = { 0 };
        if (axis_table[i].shape == AXIS_SWITCH) {
            continue;
        }
        append_axis_values(&values, (enum axis)i);
        strbuf_append(text, "    ['%s']='%s'\n", axis_table[i].option,
                      values.data && *values.data ? values.data : "-");
        text->failed = text->failed || values.failed;
        strbuf_free(&values);
    }
}

static void append_operands(struct strbuf *text, const struct command *command) {
    if (command->operands) {
        strbuf_append(text, "    [%s]='", command->name);
        append_choices(text, command->operands);
        strbuf_append(text, "'\n");
    }
}

static void append_table(struct strbuf *text, const char *name,
                         void (*append)(struct strbuf *, const struct command *)) {
    strbuf_append(text, "%s=(\n", name);
    for (const struct command *const *command = command_all(); *command; command++) {
        append(text, *command);
    }
}

/* The same tables in both shells. */
static const struct shell {
    const char *name;
    const char *begin; /* of what is printed; declares the tables */
    const char *functions;
} shells[] = {
    { "bash",
      "# Completion of pairmark's words in bash; made by `pairmark completion bash`.\n"
      "declare -gA _pairmark_options _pairmark_operands _pairmark_values\n",
      "share/completion/pairmark.bash" },
    { "zsh",
      "#compdef pairmark\n"
      "# Completion of pairmark's words in zsh; made by `pairmark completion zsh`.\n"
      "typeset -gA _pairmark_options _pairmark_operands _pairmark_values\n",
      "share/completion/pairmark.zsh" },
};
enum { SHELLS = sizeof shells / sizeof shells[0] };

static void print_script(const struct shell *shell) {
    struct strbuf text = { 0 };
    strbuf_append(&text, "%s", shell->begin);
    append_table(&text, "_pairmark_options", append_options);
    strbuf_append(&text, ")\n");
    append_table(&text, "_pairmark_operands", append_operands);
    strbuf_append(&text, "    [help]='%s", "");
    for (const struct command *const *command = command_all(); *command; command++) {
        strbuf_append(&text, "%s%s", command == command_all() ? "" : " ", (*command)->name);
    }
    strbuf_append(&text, "'\n)\n");
    append_table(&text, "_pairmark_values", append_values);
    append_axes(&text);
    strbuf_append(&text, ")\n%s", embedded_text(shell->functions));
    (void)fputs(text.data, stdout);
    strbuf_free(&text);
}

struct request {
    const struct shell *shell;
};

static bool fail_shell(struct error *error) {
    return fail(error, STATUS_BAD_INPUT, "expected the name of a shell: bash or zsh");
}

static bool take_shell(void *context, const char *word, struct error *error) {
    struct request *request = context;
    int i = 0;
    while (i < SHELLS && strcmp(word, shells[i].name) != 0) {
        i++;
    }
    if (i == SHELLS || request->shell) {
        return fail_shell(error);
    }
    request->shell = &shells[i];
    return true;
}

static int run(void *context, struct error *error) {
    const struct request *request = context;
    terminal_leave_lines(stdout);
    if (!request->shell) {
        (void)fail_shell(error);
        return COMMAND_FAILED;
    }
    print_script(request->shell);
    return 0;
}

static const struct command_option no_options[] = { { .name = NULL } };

const struct command completion_command = {
    .name = "completion",
    .summary = "completion of commands and options in bash and zsh",
    .run = run,
    COMMAND_REQUEST(struct request),
    .take_operand = take_shell,
    .options = no_options,
    .operands = "bash zsh"
};
