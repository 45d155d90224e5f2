#include "campaign/axes/axis_numbers.h"

#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 10000, LONGEST_NUMBER = 64 };

struct numbers {
    double *values;
    size_t count;
    size_t capacity;
};

/* A number with an optional k, M or G behind it. */
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
static bool numbers_add(struct numbers *numbers, const char *option, double value,
                        struct error *error) {
    for (size_t i = 0; i < numbers->count; i++) {
        if (numbers->values[i] == value) {
            return true;
        }
    }
    if (numbers->count == MAX_NUMBERS) {
        return fail(error, STATUS_BAD_INPUT, "%s: more than %d values", option, MAX_NUMBERS);
    }
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity ? 2 * numbers->capacity : 16;
        double *values = realloc(numbers->values, capacity * sizeof *values);
        if (!values) {
            return fail_out_of_memory(error, option);
        }
        numbers->values = values;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->count++] = value;
    return true;
}

/* FROM, FROM + STEP, ... or FROM, FROM * FACTOR, ...; the end counts as reached in spite of
 * rounding. Each value comes from the first one, so that errors do not add up. */
static bool numbers_add_range(struct numbers *numbers, const char *option, double from, double to,
                              bool multiply, double step, struct error *error) {
    double end = multiply ? to * (1 + 1e-12) : to + 1e-9 * step;
    double value = from;
    for (int i = 1; value <= end; i++) {
        if (!numbers_add(numbers, option, value, error)) {
            return false;
        }
        if (i > MAX_NUMBERS) {
            return fail(error, STATUS_BAD_INPUT, "%s: the range has more than %d values", option,
                        MAX_NUMBERS);
        }
        value = multiply ? from * pow(step, i) : from + i * step;
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
static bool numbers_add_parts(struct numbers *numbers, const char *option, const char *item,
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
    return numbers_add_range(numbers, option, from, to, multiply, step, error);
}

static bool numbers_add_item(struct numbers *numbers, const char *option, const char *item,
                             struct error *error) {
    char **parts = split_list(item, ':');
    if (!parts) {
        return fail_out_of_memory(error, option);
    }
    bool good = numbers_add_parts(numbers, option, item, parts, error);
    free(parts);
    return good;
}

bool axis_numbers(const char *option, const char *list, double **values, size_t *count,
                  struct error *error) {
    struct numbers numbers = { 0 };
    char **items = split_list(list, ',');
    bool good = items != NULL || fail_out_of_memory(error, option);
    for (size_t i = 0; good && items[i]; i++) {
        good = numbers_add_item(&numbers, option, items[i], error);
    }
    free(items);
    if (!good) {
        free(numbers.values);
        return false;
    }
    *values = numbers.values;
    *count = numbers.count;
    return true;
}
