#include "kernels/holds.h"

#include "core/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool holds_is_quantity(const char *name) {
    return strcmp(name, "n") == 0 || strcmp(name, "density") == 0 || strcmp(name, "cutoff") == 0;
}

int holds_choose(const struct tunable *tunable, double need) {
    int largest = tunable->values[0];
    int least = -1;
    if (isnan(need) || need <= 0) {
        return tunable->preset;
    }
    for (int v = 0; v < tunable->value_count; v++) {
        const int value = tunable->values[v];
        largest = value > largest ? value : largest;
        least = value >= need && (least < 0 || value < least) ? value : least;
    }
    return least < 0 ? largest : least;
}

/* ---- the expression ---- */

enum { MAX_DEPTH = 32 }; /* of parentheses */

/* What is left to read. */
struct reading {
    const char *at;
    holds_find find;
    const void *context;
    int depth;
    struct error *error;
};

static bool read_sum(struct reading *reading, double *value);

static void skip_blanks(struct reading *reading) {
    reading->at += strspn(reading->at, " \t");
}

/* Takes one letter and the blanks behind it. */
static bool take(struct reading *reading, char letter) {
    if (*reading->at != letter) {
        return false;
    }
    reading->at++;
    skip_blanks(reading);
    return true;
}

static bool fail_here(const struct reading *reading, const char *expected) {
    return fail(reading->error, STATUS_BAD_INPUT, "\"%.40s\": expected %s", reading->at, expected);
}

static bool take_name(struct reading *reading, char name[VARIANT_NAME_SIZE]) {
    size_t length = 0;
    while (isalnum((unsigned char)reading->at[length]) || reading->at[length] == '_') {
        length++;
    }
    if (length == 0 || length >= VARIANT_NAME_SIZE) {
        return fail_here(reading, "a number, a name or an expression in parentheses");
    }
    memcpy(name, reading->at, length);
    name[length] = '\0';
    reading->at += length;
    skip_blanks(reading);
    return true;
}

/* What is not known stays that, unlike with fmin() and fmax(). */
static double smaller(double a, double b) {
    return isnan(a) || a < b ? a : b;
}

static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

/* "(a)" or "(a, b)" behind a function's name. */
static bool read_call(struct reading *reading, const char *name, double *value) {
    const bool is_ceil = strcmp(name, "ceil") == 0;
    double second = 0;
    if (!take(reading, '(')) {
        return fail_here(reading, "(");
    }
    if (!read_sum(reading, value)) {
        return false;
    }
    if (!is_ceil && !take(reading, ',')) {
        return fail_here(reading, ", and a second value");
    }
    if (!is_ceil && !read_sum(reading, &second)) {
        return false;
    }
    if (!take(reading, ')')) {
        return fail_here(reading, ")");
    }
    *value = is_ceil                    ? ceil(*value)
             : strcmp(name, "min") == 0 ? smaller(*value, second)
                                        : larger(*value, second);
    return true;
}

static bool read_name(struct reading *reading, double *value) {
    char name[VARIANT_NAME_SIZE];
    if (!take_name(reading, name)) {
        return false;
    }
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0 || strcmp(name, "ceil") == 0) {
        return read_call(reading, name, value);
    }
    return reading->find(reading->context, name, value) ||
           fail(reading->error, STATUS_BAD_INPUT,
                "there is no \"%s\"; expected n, density, cutoff, a @tunable, or min, max or ceil",
                name);
}

/* Digits, with a point or without; what else a number may be written by is not needed here. */
static bool read_number(struct reading *reading, double *value) {
    char word[32];
    const size_t length = strspn(reading->at, "0123456789.");
    const char next = reading->at[length];
    (void)snprintf(word, sizeof word, "%.*s", (int)length, reading->at);
    if (length >= sizeof word || isalpha((unsigned char)next) || next == '_' ||
        !parse_double(word, value)) {
        return fail_here(reading, "a number such as 8 or 0.5");
    }
    reading->at += length;
    skip_blanks(reading);
    return true;
}

static bool read_factor(struct reading *reading, double *value) {
    if (isdigit((unsigned char)*reading->at)) {
        return read_number(reading, value);
    }
    if (!take(reading, '(')) {
        return read_name(reading, value);
    }
    return read_sum(reading, value) && (take(reading, ')') || fail_here(reading, ")"));
}

static bool read_product(struct reading *reading, double *value) {
    double factor = 0;
    if (!read_factor(reading, value)) {
        return false;
    }
    while (*reading->at == '*' || *reading->at == '/') {
        const bool divides = *reading->at == '/';
        (void)take(reading, *reading->at);
        if (!read_factor(reading, &factor)) {
            return false;
        }
        *value = divides ? *value / factor : *value * factor;
    }
    return true;
}

static bool read_sum(struct reading *reading, double *value) {
    double term = 0;
    if (++reading->depth > MAX_DEPTH) {
        return fail_here(reading, "fewer parentheses within each other");
    }
    if (!read_product(reading, value)) {
        return false;
    }
    while (*reading->at == '+' || *reading->at == '-') {
        const bool less = *reading->at == '-';
        (void)take(reading, *reading->at);
        if (!read_product(reading, &term)) {
            return false;
        }
        *value += less ? -term : term;
    }
    reading->depth--;
    return true;
}

bool holds_value(const char *words, holds_find find, const void *context, double *value,
                 struct error *error) {
    struct reading reading = { .at = words, .find = find, .context = context, .error = error };
    skip_blanks(&reading);
    return read_sum(&reading, value) &&
           (!*reading.at || fail_here(&reading, "the end, or +, -, * or /"));
}
