#include "kernels/launch.h"

#include "core/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char count_expected[] =
    "expected a COUNT of launch units, tunables and whole numbers from 1 to 2^24, at most 12, with "
    "*, / or + between them: particle * COPIES + 64";

/* ---- parsing ---- */

/* A unit, a tunable, or a number from 1 on. */
static bool take_factor(const char **words, struct count_factor *factor) {
    long value = 0;
    if (cut_identifier(words, factor->name, VARIANT_NAME_SIZE)) {
        return true;
    }
    const char *digits = *words;
    while (isdigit((unsigned char)**words) && value <= VARIANT_LARGEST_VALUE) {
        value = 10 * value + (**words - '0');
        (*words)++;
    }
    factor->number = (int)value;
    const bool ends = !is_word_character(**words) && **words != '.';
    *words = skip_blanks(*words);
    return *words != digits && ends && value >= 1 && value <= VARIANT_LARGEST_VALUE;
}

bool count_parse(const char **words, struct count *count) {
    *count = (struct count){ .factor_count = 0 };
    *words = skip_blanks(*words);
    for (char sign = '+';; sign = **words, *words = skip_blanks(*words + 1)) {
        struct count_factor *factor = &count->factors[count->factor_count];
        if (count->factor_count == COUNT_MAX_FACTORS || !take_factor(words, factor)) {
            return false;
        }
        factor->sign = sign;
        count->factor_count++;
        if (!**words || !strchr("*/+", **words)) {
            return true;
        }
    }
}

void count_describe(const struct count *count, struct strbuf *words) {
    for (int f = 0; f < count->factor_count; f++) {
        const struct count_factor *factor = &count->factors[f];
        if (f > 0) {
            strbuf_append(words, " %c ", factor->sign);
        }
        if (*factor->name) {
            strbuf_append(words, "%s", factor->name);
        } else {
            strbuf_append(words, "%d", factor->number);
        }
    }
}

/* ---- counting ---- */

static bool value_of(const struct count_factor *factor, const char *what,
                     const struct launch_counts *counts, size_t *value, struct error *error) {
    *value = (size_t)factor->number;
    if (!*factor->name || counts->units(counts->context, factor->name, value)) {
        return true;
    }
    const int chosen = tunings_value(counts->tunings, factor->name, 0);
    *value = (size_t)chosen;
    return chosen >= 1 || fail(error, STATUS_UNSUPPORTED, "%s: %s is %d; expected at least 1", what,
                               factor->name, chosen);
}

bool count_value(const struct count *count, const char *what, const struct launch_counts *counts,
                 size_t *value, struct error *error) {
    const double most = INT32_MAX;
    size_t sum = 0;
    size_t product = 0;
    for (int f = 0; f < count->factor_count; f++) {
        const struct count_factor *factor = &count->factors[f];
        size_t number = 0;
        if (!value_of(factor, what, counts, &number, error)) {
            return false;
        }
        if (factor->sign == '/' && number == 0) {
            return fail(error, STATUS_UNSUPPORTED, "%s: there is no %s to divide by", what,
                        factor->name);
        }
        sum += factor->sign == '+' ? product : 0;
        if (factor->sign != '/' &&
            (factor->sign == '+' ? 1.0 : (double)product) * (double)number + (double)sum > most) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s: more elements than kernels can number by int (2^31 - 1)", what);
        }
        product = factor->sign == '+'   ? number
                  : factor->sign == '*' ? product * number
                                        : (product + number - 1) / number;
    }
    *value = sum + product;
    return true;
}

/* ---- @holds ---- */

bool holds_is_quantity(const char *name) {
    return strcmp(name, "n") == 0 || strcmp(name, "density") == 0 || strcmp(name, "cutoff") == 0 ||
           strcmp(name, "particles_per_box") == 0;
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

/* Takes one letter and the blanks after it. */
static bool take(struct reading *reading, char letter) {
    if (*reading->at != letter) {
        return false;
    }
    reading->at = skip_blanks(reading->at + 1);
    return true;
}

static bool fail_here(const struct reading *reading, const char *expected) {
    return fail(reading->error, STATUS_BAD_INPUT, "\"%.40s\": expected %s", reading->at, expected);
}

/* What is not known stays that, unlike with fmin() and fmax(). */
static double smaller(double a, double b) {
    return isnan(a) || a < b ? a : b;
}

static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

/* "(a)" or "(a, b)" after a function's name. */
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
    if (!cut_identifier(&reading->at, name, VARIANT_NAME_SIZE)) {
        return fail_here(reading, "a number, a name or an expression in parentheses");
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
    reading->at = skip_blanks(reading->at + length);
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
    struct reading reading = {
        .at = skip_blanks(words), .find = find, .context = context, .error = error
    };
    return read_sum(&reading, value) &&
           (!*reading.at || fail_here(&reading, "the end, or +, -, * or /"));
}
