#include "variant/interaction.h"

#include "variant/embedded.h"
#include "variant/header.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char interactions_folder[] = "variants/interactions/";

/* "variants/interactions/lj.cl" -> "lj"; false for other files. */
static bool interaction_name_of(const char *path, char name[INTERACTION_NAME_SIZE]) {
    size_t folder = strlen(interactions_folder);
    if (strncmp(path, interactions_folder, folder) != 0) {
        return false;
    }
    size_t length = strcspn(path + folder, ".");
    (void)snprintf(name, INTERACTION_NAME_SIZE, "%.*s", (int)length, path + folder);
    return true;
}

static const struct embedded_file *find_file(const char *name) {
    char candidate[INTERACTION_NAME_SIZE];
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (interaction_name_of(file->path, candidate) && strcmp(candidate, name) == 0) {
            return file;
        }
    }
    return NULL;
}

static bool fail_unknown(const char *name, struct error *error) {
    char choices[512] = "";
    char candidate[INTERACTION_NAME_SIZE];
    for (const struct embedded_file *file = embedded_files; file->path; file++) {
        if (interaction_name_of(file->path, candidate)) {
            size_t length = strlen(choices);
            (void)snprintf(choices + length, sizeof choices - length, "%s%s", length ? ", " : "",
                           candidate);
        }
    }
    return fail(error, STATUS_BAD_INPUT, "unknown interaction \"%s\"; expected one of %s", name,
                choices);
}

/* @parameter NAME PRESET [positive] what it is */
static bool declare_parameter(struct header_reader *reader, const char *rest,
                              struct interaction *interaction, struct error *error) {
    struct interaction_parameter *parameter =
        &interaction->parameters[interaction->parameter_count];
    int read = 0;
    if (interaction->parameter_count == INTERACTION_MAX_PARAMETERS ||
        sscanf(rest, "%31s %lf %n", parameter->name, &parameter->value, &read) != 2) {
        return header_fail(reader, error, "expected: @parameter NAME PRESET [positive] what it is");
    }
    parameter->positive = strncmp(rest + read, "positive ", strlen("positive ")) == 0;
    interaction->parameter_count++;
    return true;
}

/* @flops distance|pair COUNT how it was counted */
static bool declare_flops(struct header_reader *reader, const char *rest,
                          struct interaction *interaction, struct error *error) {
    char what[16];
    double count;
    if (sscanf(rest, "%15s %lf", what, &count) != 2 ||
        (strcmp(what, "distance") != 0 && strcmp(what, "pair") != 0)) {
        return header_fail(reader, error,
                           "expected: @flops distance|pair COUNT how it was counted");
    }
    *(what[0] == 'd' ? &interaction->flops_distance : &interaction->flops_pair) = count;
    return true;
}

static bool read_header(const struct embedded_file *file, struct interaction *interaction,
                        struct error *error) {
    struct header_reader reader;
    char line[HEADER_LINE_SIZE];
    const char *rest;
    if (!header_begin(file->path, file->text, &reader, error)) {
        return false;
    }
    while (header_next(&reader, line)) {
        if (header_word(line, "parameter", &rest)) {
            if (!declare_parameter(&reader, rest, interaction, error)) {
                return false;
            }
        } else if (header_word(line, "flops", &rest) &&
                   !declare_flops(&reader, rest, interaction, error)) {
            return false;
        }
    }
    return true;
}

static struct interaction_parameter *find_parameter(struct interaction *interaction,
                                                    const char *name) {
    for (int i = 0; i < interaction->parameter_count; i++) {
        if (strcmp(interaction->parameters[i].name, name) == 0) {
            return &interaction->parameters[i];
        }
    }
    return NULL;
}

static bool set_parameter(struct interaction *interaction, char *assignment, struct error *error) {
    char *equals = strchr(assignment, '=');
    if (equals) {
        *equals = '\0';
    }
    struct interaction_parameter *parameter = find_parameter(interaction, assignment);
    if (!parameter) {
        struct text choices = { 0 };
        for (int i = 0; i < interaction->parameter_count; i++) {
            text_append(&choices, "%s%s", i ? ", " : "", interaction->parameters[i].name);
        }
        (void)fail(error, STATUS_BAD_INPUT,
                   "interaction %s has no parameter \"%s\"; expected one of %s", interaction->name,
                   assignment, choices.data ? choices.data : "none");
        text_free(&choices);
        return false;
    }
    if (!equals || !text_to_double(equals + 1, &parameter->value)) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: %s is \"%s\"; expected %s=NUMBER",
                    interaction->name, assignment, equals ? equals + 1 : "", assignment);
    }
    return true;
}

static bool check_values(const struct interaction *interaction, struct error *error) {
    for (int i = 0; i < interaction->parameter_count; i++) {
        const struct interaction_parameter *parameter = &interaction->parameters[i];
        if (parameter->positive && !(parameter->value > 0)) {
            return fail(error, STATUS_BAD_INPUT, "interaction %s: %s must be greater than 0",
                        interaction->name, parameter->name);
        }
    }
    return true;
}

bool interaction_parse(const char *words, struct interaction *interaction, struct error *error) {
    memset(interaction, 0, sizeof *interaction);
    size_t length = strcspn(words, ":");
    char name[INTERACTION_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64), words);
    const struct embedded_file *file = find_file(name);
    if (!file) {
        return fail_unknown(name, error);
    }
    memcpy(interaction->name, name, sizeof name);
    interaction->source = file->text;
    if (!read_header(file, interaction, error)) {
        return false;
    }
    if (words[length] == '\0') {
        return true;
    }
    char **assignments = text_split(words + length + 1, ',');
    if (!assignments) {
        return fail_out_of_memory(error, "the interaction's parameters");
    }
    bool parsed = true;
    for (char **assignment = assignments; parsed && *assignment; assignment++) {
        parsed = set_parameter(interaction, *assignment, error);
    }
    free(assignments);
    return parsed && check_values(interaction, error);
}

double interaction_value(const struct interaction *interaction, const char *parameter) {
    for (int i = 0; i < interaction->parameter_count; i++) {
        if (strcmp(interaction->parameters[i].name, parameter) == 0) {
            return interaction->parameters[i].value;
        }
    }
    return NAN;
}

/* The shortest spelling that reads back as the same number. */
static void append_number(struct text *text, double value) {
    char word[40];
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(word, sizeof word, "%.*g", digits, value);
        if (strtod(word, NULL) == value) {
            break;
        }
    }
    text_append(text, "%s", word);
}

void interaction_describe(const struct interaction *interaction, struct text *text) {
    text_append(text, "%s", interaction->name);
    for (int i = 0; i < interaction->parameter_count; i++) {
        text_append(text, "%c%s=", i ? ',' : ':', interaction->parameters[i].name);
        append_number(text, interaction->parameters[i].value);
    }
}
