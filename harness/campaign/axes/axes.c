/* The tables of axes and columns, and what commands do with axes: they read them and their values
 * from options, fill in those that are open, and print their help. */
#include "campaign/axes/axes.h"

#include "boxes/box.h"
#include "core/error.h"
#include "core/strings.h"
#include "kernels/case.h"
#include "kernels/results.h"
#include "kernels/workload.h"
#include "measure/program.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array that ends in NULL. */
#define WORDS(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

#define WORKLOAD(name) #name,
static const char *const workload_names[] = {
#include "workloads/workloads.def"
    NULL
};
#undef WORKLOAD

#define AXIS(id, member, kind, word, value, says, ...)                                             \
    [AXIS_##id] = { .option = word,                                                                \
                    .placeholder = value,                                                          \
                    .help = says,                                                                  \
                    .shape = AXIS_##kind,                                                          \
                    .offset = offsetof(struct axes, member),                                       \
                    __VA_ARGS__ },
const struct axis_entry axis_table[AXIS_COUNT] = {
#include "campaign/axes/axes.def"
};
#undef AXIS

enum axis axis_find(const char *option) {
    int i = 0;
    while (i < AXIS_COUNT && strcmp(axis_table[i].option, option) != 0) {
        i++;
    }
    return (enum axis)i;
}

const char *axis_value_name(enum axis axis, size_t value) {
    const char *const *values = axis_table[axis].values;
    for (size_t i = 0; values && values[i]; i++) {
        if (i == value) {
            return values[i];
        }
    }
    return "unknown";
}

/* ---- what was said ---- */

static void *member_of(struct axes *axes, enum axis axis) {
    return (char *)axes + axis_table[axis].offset;
}

char **axes_word(struct axes *axes, enum axis axis) {
    return member_of(axes, axis);
}

static char ***axes_list(struct axes *axes, enum axis axis) {
    return member_of(axes, axis);
}

static bool *axes_switch(struct axes *axes, enum axis axis) {
    return member_of(axes, axis);
}

bool axes_say(const struct axes *axes, enum axis axis) {
    struct axes *all = (struct axes *)axes;
    switch (axis_table[axis].shape) {
    case AXIS_WORD:
        return *axes_word(all, axis) != NULL;
    case AXIS_LIST:
        return *axes_list(all, axis) != NULL;
    default:
        return *axes_switch(all, axis);
    }
}

const char *axes_value(const struct axes *axes, enum axis axis) {
    const char *said = *axes_word((struct axes *)axes, axis);
    return said ? said : axis_table[axis].otherwise;
}

void axes_borrow(struct axes *axes, const struct axes *from, enum axis axis) {
    struct axes *all = (struct axes *)from;
    switch (axis_table[axis].shape) {
    case AXIS_WORD:
        *axes_word(axes, axis) = *axes_word(all, axis);
        break;
    case AXIS_LIST:
        *axes_list(axes, axis) = *axes_list(all, axis);
        break;
    default:
        *axes_switch(axes, axis) = *axes_switch(all, axis);
    }
}

void axes_free(struct axes *axes) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        const enum axis axis = (enum axis)i;
        if (axis_table[i].shape == AXIS_WORD) {
            free(*axes_word(axes, axis));
        } else if (axis_table[i].shape == AXIS_LIST) {
            char **list = *axes_list(axes, axis);
            for (size_t item = 0; list && list[item]; item++) {
                free(list[item]);
            }
            free(list);
        }
    }
    *axes = (struct axes){ 0 };
}

bool axes_tune(const struct axes *axes, const char *tunable) {
    const size_t length = strlen(tunable);
    for (char **tune = axes->tunes; tune && *tune; tune++) {
        if (strncmp(*tune, tunable, length) == 0 && (*tune)[length] == '=') {
            return true;
        }
    }
    return false;
}

/* ---- workloads ---- */

bool axis_is_of(enum axis axis, const struct workload *workload) {
    const char *option = axis_table[axis].option;
    bool is_listed = false;
    for (size_t w = 0; !is_listed && workloads[w]; w++) {
        is_listed = workload_lists_axis(workloads[w], option);
    }
    return !is_listed || workload_lists_axis(workload, option);
}

/* The workload's own reason to lack an axis, or that which holds for all; NULL: none. */
static const char *reason_to_refuse(enum axis axis, const struct workload *workload) {
    const struct workload_refusal *refusal = workload->refusals;
    while (refusal && refusal->option && strcmp(refusal->option, axis_table[axis].option) != 0) {
        refusal++;
    }
    return refusal && refusal->option ? refusal->words : axis_table[axis].lacking;
}

/* Whether the word says what the workload has without it. */
static bool is_own_word(const struct axes *axes, enum axis axis, const struct workload *workload) {
    const char *own = axis == AXIS_KIND        ? workload->default_kind
                      : axis == AXIS_OUTPUTS   ? outputs_name(workload->default_outputs)
                      : axis == AXIS_REDUCTION ? axis_table[axis].otherwise
                                               : NULL;
    return own && strcmp(*axes_word((struct axes *)axes, axis), own) == 0;
}

bool axes_check_workload(const struct axes *axes, const struct workload *workload,
                         struct error *error) {
    for (int a = 0; a < AXIS_COUNT; a++) {
        const enum axis axis = (enum axis)a;
        const char *reason = NULL;
        if (axes_say(axes, axis) && !axis_is_of(axis, workload) &&
            !is_own_word(axes, axis, workload)) {
            reason = reason_to_refuse(axis, workload);
        }
        if (reason) {
            const bool with_value = ends_with(reason, "=");
            return fail(error, STATUS_BAD_INPUT, "%s: workload %s %s%.100s", axis_table[a].option,
                        workload->name, reason,
                        with_value ? *axes_word((struct axes *)axes, axis) : "");
        }
    }
    return true;
}

const struct workload *axes_implied_workload(const struct axes *axes) {
    for (size_t w = 0; workloads[w]; w++) {
        for (int a = 0; a < AXIS_COUNT; a++) {
            if (axis_table[a].implies_workload && axes_say(axes, (enum axis)a) &&
                workload_lists_axis(workloads[w], axis_table[a].option)) {
                return workloads[w];
            }
        }
    }
    return NULL;
}

/* ---- options ---- */

bool is_word_of(const char *word, const char *option) {
    const size_t length = option ? strlen(option) : 0;
    return option && strncmp(word, option, length) == 0 &&
           (word[length] == '\0' || word[length] == '=');
}

static void list_append(char ***list, const char *value) {
    size_t count = 0;
    while (*list && (*list)[count]) {
        count++;
    }
    *list = memory_grown(*list, count + 2, sizeof **list);
    (*list)[count + 1] = NULL;
    (*list)[count] = memory_copy(value);
}

bool axes_allow_open(const char *periodic, bool open, struct error *error) {
    return !periodic || !open ||
           fail(error, STATUS_BAD_INPUT,
                "--periodic %s beside --open, which leaves no images; expected one of them",
                periodic);
}

/* A box is read or made, open or periodic. The commands fill in defaults only after the options are
 * taken, so that what is set by now was said by the user. */
static bool check_box_axes(const struct axes *axes, struct error *error) {
    if (!axes_allow_open(axes->periodic, axes->open, error)) {
        return false;
    }
    for (int i = 0; i < AXIS_COUNT && axes->box_files; i++) {
        if (axis_table[i].makes_box && axes_say(axes, (enum axis)i)) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: says how a box is made, and --box reads one: give one of the two",
                        axis_table[i].option);
        }
    }
    return true;
}

static bool set_word(char **word, const char *option, const char *value, struct error *error) {
    if (*word) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: given twice, as '%.60s' and as '%.60s'; expected it once (a list where it "
                    "takes several)",
                    option, *word, value);
    }
    *word = memory_copy(value);
    return true;
}

/* The axis whose option the word is; AXIS_COUNT: none's. */
static enum axis find_axis(const char *word) {
    const bool has_value = strchr(word, '=') != NULL;
    int i = 0;
    while (i < AXIS_COUNT && !(is_word_of(word, axis_table[i].option) &&
                               (axis_table[i].shape != AXIS_SWITCH || !has_value))) {
        i++;
    }
    return (enum axis)i;
}

bool command_words_value(struct command_words *words, const char *option, const char **value,
                         struct error *error) {
    const char *equals = strchr(words->words[words->at++], '=');
    *value = equals ? equals + 1 : words->at < words->count ? words->words[words->at++] : "";
    return (**value && strncmp(*value, "--", 2) != 0) ||
           fail(error, STATUS_BAD_INPUT, "%s: a value is missing", option);
}

bool axes_take_option(struct axes *axes, struct command_words *words, bool *taken,
                      struct error *error) {
    const enum axis axis =
        words->at < words->count ? find_axis(words->words[words->at]) : AXIS_COUNT;
    *taken = axis < AXIS_COUNT;
    if (!*taken) {
        return true;
    }
    const struct axis_entry *entry = &axis_table[axis];
    const char *value;
    if (entry->shape == AXIS_SWITCH) {
        *axes_switch(axes, axis) = true;
        words->at++;
        return check_box_axes(axes, error);
    }
    if (!command_words_value(words, entry->option, &value, error)) {
        return false;
    }
    if (entry->shape == AXIS_LIST) {
        list_append(axes_list(axes, axis), value);
    } else if (!set_word(axes_word(axes, axis), entry->option, value, error)) {
        return false;
    }
    return check_box_axes(axes, error);
}

bool axes_put_first(struct axes *axes, enum axis axis, const char *value, struct error *error) {
    char ***list = axes_list(axes, axis);
    if (!*value) {
        return fail(error, STATUS_BAD_INPUT, "%s: a value is missing", axis_table[axis].option);
    }
    list_append(list, value);
    size_t last = 0;
    while ((*list)[last + 1]) {
        last++;
    }
    char *first = (*list)[last];
    memmove(*list + 1, *list, last * sizeof **list);
    (*list)[0] = first;
    return true;
}

void axes_fill(struct axes *axes, const struct axes *from) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        if (!axes_say(axes, (enum axis)i)) {
            axes_borrow(axes, from, (enum axis)i);
        }
    }
}

/* Cuts a line into its words, in place; returns how many. Between quotes, '...', blanks are a part
 * of a word. */
static int cut_words(char *line, char **words) {
    int count = 0;
    for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
        const bool quoted = *line == '\'';
        words[count++] = line += quoted;
        line += strcspn(line, quoted ? "'" : " ");
        if (*line) {
            *line++ = '\0';
        }
    }
    return count;
}

bool axes_parse(struct axes *axes, const char *line, axes_other_fn *other, void *context,
                struct error *error) {
    char *text = memory_copy(line);
    char **words = memory_zeroed(strlen(line) + 1, sizeof *words); /* more than it has */
    struct command_words reader = { cut_words(text, words), words, 0 };
    bool good = true;
    while (good && reader.at < reader.count) {
        bool taken = false;
        good = axes_take_option(axes, &reader, &taken, error) &&
               (taken || !other || other(context, &reader, &taken, error)) &&
               (taken || fail(error, STATUS_BAD_INPUT, "%s: not an axis", words[reader.at]));
    }
    free(words);
    free(text);
    return good;
}

/* ---- values: lists of names and globs ---- */

bool words_fail_unknown(const char *option, const char *what, const char *word,
                        const char *const *choices, struct error *error) {
    struct strbuf list = { 0 };
    char hint[HINT_SIZE];
    if (strcmp(what, "variant") == 0) { /* too many to read in a message */
        return fail(error, STATUS_BAD_INPUT,
                    "%s: there is no %s '%.200s'%s; `pairmark list` names them", option, what, word,
                    did_you_mean(words_nearest(word, choices), '\'', hint));
    }
    for (size_t i = 0; choices[i]; i++) {
        strbuf_append(&list, "%s%s", i ? ", " : "", choices[i]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "%s: there is no %s '%.200s'%s; there %s: %.1500s", option,
               what, word, did_you_mean(words_nearest(word, choices), '\'', hint),
               choices[0] && choices[1] ? "are" : "is", list.data ? list.data : "none");
    strbuf_free(&list);
    return false;
}

/* Adds the choices that one item selects to those taken. */
static bool select_item(const char *item, const char *const *choices, bool *taken, size_t *indices,
                        size_t *count) {
    bool matched = false;
    for (size_t i = 0; choices[i]; i++) {
        if (!matches_pattern(item, choices[i])) {
            continue;
        }
        matched = true;
        if (!taken[i]) {
            taken[i] = true;
            indices[(*count)++] = i;
        }
    }
    return matched;
}

bool select_names(const char *option, const char *what, const char *list,
                  const char *const *choices, struct selection *selection, struct error *error) {
    const size_t choice_count = words_count(choices);
    char **items = memory_split(list, ',');
    bool *taken = memory_zeroed(choice_count + 1, sizeof *taken);
    size_t *selected = memory_zeroed(choice_count + 1, sizeof *selected);
    bool good = true;
    selection->count = 0;
    for (size_t i = 0; good && items[i]; i++) {
        good = select_item(items[i], choices, taken, selected, &selection->count) ||
               words_fail_unknown(option, what, items[i], choices, error);
    }
    free(items);
    free(taken);
    if (!good) {
        free(selected);
        return false;
    }
    selection->indices = selected;
    return true;
}

bool words_select_axis(const struct axes *axes, enum axis axis, const char *usual, size_t **indices,
                       size_t *count, struct error *error) {
    const struct axis_entry *entry = &axis_table[axis];
    const char *list = usual && !axes_say(axes, axis) ? usual : axes_value(axes, axis);
    struct selection selection;
    if (!select_names(entry->option, entry->noun, list, entry->values, &selection, error)) {
        return false;
    }
    *indices = selection.indices;
    *count = selection.count;
    return true;
}

/* ---- values: numbers and ranges ---- */

enum { MAX_NUMBERS = 10000, LONGEST_NUMBER = 64 };

/* A number with an optional k, M or G after it. */
static bool number_from_word(const char *word, double *value) {
    static const char suffixes[] = "kMG";
    static const double units[] = { 1e3, 1e6, 1e9 };
    char digits[LONGEST_NUMBER];
    size_t length = strlen(word);
    double unit = 1;
    if (length == 0 || length >= sizeof digits) {
        return false;
    }
    memcpy(digits, word, length + 1);
    const char *suffix = strchr(suffixes, digits[length - 1]);
    if (suffix) {
        unit = units[suffix - suffixes];
        digits[length - 1] = '\0';
    }
    if (!parse_double(digits, value)) {
        return false;
    }
    *value *= unit;
    return isfinite(*value);
}

/* Adds a value unless it is there already: a case is run once. */
static bool numbers_add(struct number_list *numbers, const char *option, double value,
                        struct error *error) {
    for (size_t i = 0; i < numbers->count; i++) {
        if (numbers->values[i] == value) {
            return true;
        }
    }
    if (numbers->count == MAX_NUMBERS) {
        return fail(error, STATUS_BAD_INPUT, "%s: more than %d values", option, MAX_NUMBERS);
    }
    numbers->values = memory_grown(numbers->values, numbers->count + 1, sizeof *numbers->values);
    numbers->values[numbers->count++] = value;
    return true;
}

/* FROM, FROM + STEP, ... or FROM, FROM * FACTOR, ...; the end counts as reached in spite of
 * rounding. Each value comes from the first one, so that errors do not add up. */
struct range {
    double from, to, step;
    bool multiply;
};

static bool numbers_add_range(struct number_list *numbers, const char *option,
                              const struct range *range, struct error *error) {
    const double from = range->from;
    const double step = range->step;
    double end = range->multiply ? range->to * (1 + 1e-12) : range->to + 1e-9 * step;
    double value = from;
    for (int i = 1; value <= end; i++) {
        if (!numbers_add(numbers, option, value, error)) {
            return false;
        }
        if (i > MAX_NUMBERS) {
            return fail(error, STATUS_BAD_INPUT, "%s: the range has more than %d values", option,
                        MAX_NUMBERS);
        }
        value = range->multiply ? from * pow(step, i) : from + i * step;
    }
    return true;
}

static bool fail_item(const char *option, const char *item, const char *why, struct error *error) {
    return fail(error, STATUS_BAD_INPUT,
                "%s: '%.100s' %s; expected numbers such as 64, 2.5, 16k, 1M, or ranges such as "
                "1k:1M:x4, 100:500:+100, separated by commas",
                option, item, why);
}

/* The parts of a range, which split_list has cut at the colons. */
static bool numbers_add_parts(struct number_list *numbers, const char *option, const char *item,
                              char **parts, struct error *error) {
    double from;
    double to;
    double step = 2;
    bool multiply = true;
    if (!parts[1]) {
        return number_from_word(parts[0], &from) ? numbers_add(numbers, option, from, error)
                                                 : fail_item(option, item, "is no number", error);
    }
    if (!number_from_word(parts[0], &from) || !number_from_word(parts[1], &to)) {
        return fail_item(option, item, "is no range", error);
    }
    if (parts[2]) {
        multiply = parts[2][0] == 'x';
        if (parts[3] || (parts[2][0] != 'x' && parts[2][0] != '+') ||
            !number_from_word(parts[2] + 1, &step)) {
            return fail_item(option, item, "is no range", error);
        }
    }
    if (from > to) {
        return fail_item(option, item, "ends before it begins", error);
    }
    if (multiply ? !(from > 0 && step > 1) : !(step > 0)) {
        return fail_item(option, item, "would never end", error);
    }
    const struct range range = { from, to, step, multiply };
    return numbers_add_range(numbers, option, &range, error);
}

static bool numbers_add_item(struct number_list *numbers, const char *option, const char *item,
                             struct error *error) {
    char **parts = memory_split(item, ':');
    bool good = numbers_add_parts(numbers, option, item, parts, error);
    free(parts);
    return good;
}

bool axis_numbers(const char *option, const char *list, struct number_list *numbers,
                  struct error *error) {
    char **items = memory_split(list, ',');
    bool good = true;
    *numbers = (struct number_list){ 0 };
    for (size_t i = 0; good && items[i]; i++) {
        good = numbers_add_item(numbers, option, items[i], error);
    }
    free(items);
    if (!good) {
        free(numbers->values);
        *numbers = (struct number_list){ 0 };
    }
    return good;
}

bool numbers_check_whole(const char *option, const struct number_list *numbers, double least,
                         double most, struct error *error) {
    for (size_t i = 0; i < numbers->count; i++) {
        const double value = numbers->values[i];
        if (value != floor(value)) {
            return fail(error, STATUS_BAD_INPUT, "%s: %.15g is not a whole number", option, value);
        }
        if (!(value >= least && value <= most)) {
            return fail(error, STATUS_BAD_INPUT, "%s: %.15g is outside %.15g to %.15g", option,
                        value, least, most);
        }
    }
    return true;
}

/* ---- help ---- */

void axes_append_help(struct strbuf *text) {
    for (int i = 0; i < AXIS_COUNT; i++) {
        help_append_option(text, axis_table[i].option, axis_table[i].placeholder,
                           axis_table[i].help);
    }
}

void axes_append_names(struct strbuf *text) {
    enum { INDENT = 2 };
    struct strbuf names = { 0 };
    for (int i = 0; i < AXIS_COUNT; i++) {
        strbuf_append(&names, "%s%s", i > 0 ? ", " : "", axis_table[i].option);
    }
    strbuf_append(text, "%*s", INDENT, "");
    help_append_lines(text, strbuf_text(&names), INDENT, INDENT, HELP_WIDTH);
    text->failed = text->failed || names.failed;
    strbuf_free(&names);
}

void axes_append_row_options(struct strbuf *text) {
    const char *separator = "";
    for (int i = 0; i < AXIS_COUNT; i++) {
        if (axis_table[i].chooses != ROWS_BY_NOTHING) {
            strbuf_append(text, "%s%s", separator, axis_table[i].option);
            separator = ", ";
        }
    }
}

/* ---- options as --help lists them ---- */

enum { HELP_COLUMN = 23 };

/* How many letters fit into the width, to the end of a word; one word where none fits. */
static size_t line_length(const char *words, size_t width) {
    size_t length = strlen(words);
    if (length <= width) {
        return length;
    }
    for (length = width; length > 0 && words[length] != ' ';) {
        length--;
    }
    return length > 0 ? length : strcspn(words, " ");
}

void help_append_lines(struct strbuf *text, const char *words, size_t at, size_t indent,
                       size_t width) {
    do {
        const size_t length = line_length(words, at < width ? width - at : 1);
        strbuf_append(text, "%.*s\n", (int)length, words);
        words += length + strspn(words + length, " ");
        at = indent;
        strbuf_append(text, "%*s", *words ? (int)indent : 0, "");
    } while (*words);
}

void help_append_option(struct strbuf *text, const char *option, const char *placeholder,
                        const char *help) {
    char head[80];
    (void)snprintf(head, sizeof head, "  %s%s%s", option, placeholder ? " " : "",
                   placeholder ? placeholder : "");
    const bool fits = strlen(head) < HELP_COLUMN;
    strbuf_append(text, "%-*s%s%*s", fits ? HELP_COLUMN : 0, head, fits ? "" : "\n",
                  fits ? 0 : HELP_COLUMN, "");
    help_append_lines(text, help, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH);
}

/* ---- columns ---- */

#define RECORDED .source = SOURCE_RECORDED
#define SETTING .source = SOURCE_SETTING
#define DERIVED .source = SOURCE_DERIVED
#define JOINED .source = SOURCE_JOINED
#define MEASURED(when, name)                                                                       \
    .source = SOURCE_##when, .member = offsetof(struct measurement, name),                         \
    .member_type = _Generic(((struct measurement *)0)->name,                                       \
        char *: MEMBER_WORDS,                                                                      \
        double: MEMBER_DOUBLE,                                                                     \
        int: MEMBER_INT,                                                                           \
        int64_t: MEMBER_INT64,                                                                     \
        size_t: MEMBER_SIZE,                                                                       \
        bool: MEMBER_BOOL)
#define COLUMN(id, word, kind, from, ...)                                                          \
    [COLUMN_##id] = { .name = word, .type = COLUMN_TYPE_##kind, from, .meaning = __VA_ARGS__ },
const struct column_entry column_table[COLUMN_COUNT] = {
#include "campaign/axes/columns.def"
};
#undef COLUMN

#define COLUMN(id, word, ...) word,
const char *const column_names[COLUMN_COUNT + 1] = {
#include "campaign/axes/columns.def"
    NULL
};
#undef COLUMN

int column_find(const char *name) {
    return word_place(column_names, name);
}

enum column column_next(unsigned roles, int column) {
    do {
        column++;
    } while (column < COLUMN_COUNT && !(column_table[column].role & roles));
    return (enum column)column;
}

bool column_is_setting(enum column column) {
    const unsigned role = column_table[column].role;
    return (role & ROLE_IDENTITY) && !(role & (ROLE_BY_VARIANT | ROLE_KNOB | ROLE_WITHIN));
}

bool column_is_of(enum column column, const char *workload) {
    const struct workload *asked = workload_find(workload);
    return asked ? workload_fills_column(asked, column_table[column].name)
                 : column_is_of_all(column);
}

bool column_is_of_all(enum column column) {
    for (size_t w = 0; workloads[w]; w++) {
        if (!workload_fills_column(workloads[w], column_table[column].name)) {
            return false;
        }
    }
    return true;
}

const char *column_unit(enum column column) {
    const struct column_entry *entry = &column_table[column];
    if (entry->unit) {
        return entry->unit;
    }
    return entry->type == COLUMN_TYPE_SECONDS ? "s" : entry->type == COLUMN_TYPE_PERCENT ? "%" : "";
}
