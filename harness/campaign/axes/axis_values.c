/* Reads the values of an axis: lists of names and globs, numbers and ranges. */
#include "campaign/axes/axes.h"
#include "campaign/memory.h"
#include "core/error.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- numbers and ranges ---- */

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
