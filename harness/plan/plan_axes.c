#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* Options that take one value, and where it goes. */
struct word_axis {
    const char *option;
    size_t offset; /* of a char * in struct axes */
    bool made_box; /* says how a box is made: makes no sense beside --box */
};

static const struct word_axis word_axes[] = {
    { "--workload", offsetof(struct axes, workload), false },
    { "--variant", offsetof(struct axes, variant), false },
    { "--structure", offsetof(struct axes, structure), false },
    { "--precision", offsetof(struct axes, precision), false },
    { "--outputs", offsetof(struct axes, outputs), false },
    { "--interaction", offsetof(struct axes, interaction), false },
    { "--table", offsetof(struct axes, table), false },
    { "--exclude", offsetof(struct axes, exclude), false },
    { "--cutoff", offsetof(struct axes, cutoff), false },
    { "--device", offsetof(struct axes, device), false },
    { "--reduction", offsetof(struct axes, reduction), false },
    { "--judge-all-below", offsetof(struct axes, judge_all_below), false },
    { "--judge-sample", offsetof(struct axes, judge_sample), false },
    { "--judge-seed", offsetof(struct axes, judge_seed), false },
    { "--group-a", offsetof(struct axes, group_a), false },
    { "--group-b", offsetof(struct axes, group_b), false },
    { "--ratio", offsetof(struct axes, ratio), false },
    { "--kind", offsetof(struct axes, kind), true },
    { "--n", offsetof(struct axes, n), true },
    { "--density", offsetof(struct axes, density), true },
    { "--seed", offsetof(struct axes, seed), true },
};

/* Options without a value. */
struct flag_axis {
    const char *option;
    size_t offset; /* of a bool in struct axes */
};

static const struct flag_axis flag_axes[] = {
    { "--open", offsetof(struct axes, open) },
    { "--pairs", offsetof(struct axes, pairs) },
};

enum { FLAG_AXES = sizeof flag_axes / sizeof flag_axes[0] };

enum { WORD_AXES = sizeof word_axes / sizeof word_axes[0] };

/* Options that may be given several times. */
struct list_axis {
    const char *option;
    size_t offset; /* of a char ** in struct axes */
};

static const struct list_axis list_axes[] = {
    { "--box", offsetof(struct axes, box_files) },
    { "--variant-file", offsetof(struct axes, variant_files) },
    { "--tune", offsetof(struct axes, tunes) },
};

enum { LIST_AXES = sizeof list_axes / sizeof list_axes[0] };

static char **word_of(struct axes *axes, const struct word_axis *axis) {
    return (char **)((char *)axes + axis->offset);
}

static char ***list_of(struct axes *axes, const struct list_axis *axis) {
    return (char ***)((char *)axes + axis->offset);
}

/* The value of `option` if `word` is "--option" or "--option=value"; *value is NULL for the former.
 */
static bool option_matches(const char *option, const char *word, const char **value) {
    size_t length = strlen(option);
    if (strncmp(word, option, length) != 0 || (word[length] != '\0' && word[length] != '=')) {
        return false;
    }
    *value = word[length] == '=' ? word + length + 1 : NULL;
    return true;
}

/* Moves past an option whose value may be the next word. An empty value is a missing one. */
static bool take_value(const char *option, const char *attached, int argc, char **argv, int *index,
                       const char **value, struct error *error) {
    *value = attached;
    *index += 1;
    if (!attached && *index < argc) {
        *value = argv[*index];
        *index += 1;
    }
    if (!*value || !**value || strncmp(*value, "--", 2) == 0) {
        return fail(error, STATUS_BAD_INPUT, "%s: a value is missing", option);
    }
    return true;
}

static bool list_append(char ***list, const char *value, struct error *error) {
    size_t count = 0;
    while (*list && (*list)[count]) {
        count++;
    }
    char **longer = realloc(*list, (count + 2) * sizeof *longer);
    if (!longer) {
        return fail_out_of_memory(error, value);
    }
    *list = longer;
    longer[count + 1] = NULL;
    longer[count] = strdup(value);
    return longer[count] || fail_out_of_memory(error, value);
}

/* A box is read or made. The commands fill in defaults only after the options are taken, so that
 * what is set by now was said by the user. */
static bool check_box_axes(const struct axes *axes, struct error *error) {
    const char *made = axes->open ? "--open" : NULL;
    for (int i = 0; i < WORD_AXES && axes->box_files; i++) {
        if (word_axes[i].made_box && *word_of((struct axes *)axes, &word_axes[i])) {
            made = word_axes[i].option;
        }
    }
    if (axes->box_files && made) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: says how a box is made, and --box reads one: give one of the two", made);
    }
    return true;
}

static bool take_word_axis(struct axes *axes, int argc, char **argv, int *index, bool *taken,
                           struct error *error) {
    const char *value;
    for (int i = 0; i < WORD_AXES; i++) {
        const struct word_axis *axis = &word_axes[i];
        if (!option_matches(axis->option, argv[*index], &value)) {
            continue;
        }
        *taken = true;
        char **word = word_of(axes, axis);
        if (!take_value(axis->option, value, argc, argv, index, &value, error)) {
            return false;
        }
        if (*word) {
            return fail(error, STATUS_BAD_INPUT, "%s: given twice (several values go into a list)",
                        axis->option);
        }
        *word = strdup(value);
        return *word || fail_out_of_memory(error, axis->option);
    }
    return true;
}

static bool take_list_axis(struct axes *axes, int argc, char **argv, int *index, bool *taken,
                           struct error *error) {
    const char *value;
    for (int i = 0; i < LIST_AXES; i++) {
        const struct list_axis *axis = &list_axes[i];
        if (option_matches(axis->option, argv[*index], &value)) {
            *taken = true;
            return take_value(axis->option, value, argc, argv, index, &value, error) &&
                   list_append(list_of(axes, axis), value, error);
        }
    }
    return true;
}

static bool take_flag_axis(struct axes *axes, const char *word) {
    for (int i = 0; i < FLAG_AXES; i++) {
        if (strcmp(word, flag_axes[i].option) == 0) {
            *(bool *)((char *)axes + flag_axes[i].offset) = true;
            return true;
        }
    }
    return false;
}

bool axes_take_option(struct axes *axes, int argc, char **argv, int *index, bool *taken,
                      struct error *error) {
    *taken = false;
    if (*index >= argc) {
        return true;
    }
    if (take_flag_axis(axes, argv[*index])) {
        *taken = true;
        *index += 1;
        return check_box_axes(axes, error);
    }
    if (!take_word_axis(axes, argc, argv, index, taken, error)) {
        return false;
    }
    if (!*taken && !take_list_axis(axes, argc, argv, index, taken, error)) {
        return false;
    }
    return !*taken || check_box_axes(axes, error);
}

void axes_free(struct axes *axes) {
    for (int i = 0; i < WORD_AXES; i++) {
        free(*word_of(axes, &word_axes[i]));
    }
    for (int i = 0; i < LIST_AXES; i++) {
        char **list = *list_of(axes, &list_axes[i]);
        for (size_t item = 0; list && list[item]; item++) {
            free(list[item]);
        }
        free(list);
    }
    *axes = (struct axes){ 0 };
}
