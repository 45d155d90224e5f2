#include "commands/water.h"

#include "core/embedded.h"
#include "core/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "share/water/";
static const char ending[] = ".txt";
enum { MOST_OPTIONS = 16 };

/* Whether a word is an option, by itself or as --option=value. */
static bool is_option(const char *word, const char *option) {
    const size_t length = strlen(option);
    return strncmp(word, option, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static bool says(int argc, char **argv, const char *option) {
    bool said = false;
    for (int i = 1; i < argc; i++) {
        said = said || is_option(argv[i], option);
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
        if (strncmp(file->path, folder, strlen(folder)) == 0 &&
            strcmp(file->path + length - strlen(ending), ending) == 0) {
            strbuf_append(&names, "%s%.*s", names.length ? ", " : "",
                          (int)(length - strlen(folder) - strlen(ending)),
                          file->path + strlen(folder));
        }
    }
    (void)fail(error, STATUS_BAD_INPUT, "--water '%s'; expected one of %s", name,
               names.data ? names.data : "");
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
    char *text = strdup(model);
    if (!text) {
        (void)fail_out_of_memory(error, "--water");
    }
    return text;
}

bool water_expand(int *argc, char **argv, char ***words, char **text, struct error *error) {
    int count = 0;
    *words = argv;
    *text = NULL;
    if (!says(*argc, argv, "--water")) {
        return true;
    }
    char **all = calloc((size_t)*argc + 2 * MOST_OPTIONS + 1, sizeof *all);
    if (!all) {
        return fail_out_of_memory(error, "--water");
    }
    bool good = true;
    for (int i = 0; good && i < *argc; i++) {
        if (i == 0 || !is_option(argv[i], "--water")) {
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
