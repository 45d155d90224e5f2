#include "core/quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    double size;
    const char *name;
};

static const struct unit times[] = {
    { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " us" }, { 1e-9, " ns" }
};
static const struct unit prefixes[] = { { 1e15, " P" }, { 1e12, " T" }, { 1e9, " G" },
                                        { 1e6, " M" },  { 1e3, " k" },  { 1, "" } };
enum { TIMES = sizeof times / sizeof times[0], PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* The largest in which three digits do not come to less than one. */
static const struct unit *unit_of(double value, const struct unit *units, size_t count) {
    size_t u = 0;
    while (u + 1 < count && value < 0.9995 * units[u].size) {
        u++;
    }
    return &units[u];
}

/* How many decimals make so many digits of a number, once it is rounded. */
static int decimals_of(double value, int digits) {
    int decimals = digits - 1;
    while (decimals > 0 && value >= pow(10, digits - decimals) - 0.5 * pow(10, -decimals)) {
        decimals--;
    }
    return decimals;
}

/* What stands for a number that is not known. */
static const struct quantity unknown = { "-" };

/* "24.00" becomes "24". */
static void drop_zeros(char *number) {
    if (strchr(number, '.')) {
        char *end = number + strlen(number);
        while (end[-1] == '0') {
            *--end = '\0';
        }
        if (end[-1] == '.') {
            end[-1] = '\0';
        }
    }
}

/* How a number is written: in which units, with how many digits, and whether with all their zeros.
 */
struct number_form {
    const struct unit *units;
    size_t count;
    int digits;
    bool even;
};

static struct quantity number_in_words(double value, const struct number_form *form) {
    const struct unit *unit = unit_of(fabs(value), form->units, form->count);
    const double number = value / unit->size;
    struct quantity words;
    if (!isfinite(value)) {
        return unknown;
    }
    (void)snprintf(words.text, sizeof words.text, "%.*f", decimals_of(fabs(number), form->digits),
                   number);
    if (!form->even) {
        drop_zeros(words.text);
    }
    const size_t length = strlen(words.text);
    (void)snprintf(words.text + length, sizeof words.text - length, "%s", unit->name);
    return words;
}

double unsigned_nan(double value) {
    return isnan(value) ? (double)NAN : value;
}

struct quantity quantity_seconds(double seconds) {
    return number_in_words(seconds, &(struct number_form){ times, TIMES, 3, false });
}

struct quantity quantity_seconds_to(double seconds, int digits) {
    return number_in_words(seconds, &(struct number_form){ times, TIMES, digits, true });
}

struct quantity quantity_even_seconds(double seconds) {
    return quantity_seconds_to(seconds, 3);
}

struct quantity quantity_large(double value) {
    return number_in_words(value, &(struct number_form){ prefixes, PREFIXES, 3, false });
}

struct quantity quantity_percent(double share) {
    const double percent = 100 * share;
    struct quantity words;
    if (isnan(share)) {
        return unknown;
    }
    if (percent >= 999.5) {
        return (struct quantity){ "over 999 %" };
    }
    if (percent > 0 && percent < 0.005) {
        return (struct quantity){ "below 0.01 %" };
    }
    (void)snprintf(words.text, sizeof words.text, "%.*f %%",
                   percent < 0.995  ? 2
                   : percent < 9.95 ? 1
                                    : 0,
                   percent);
    return words;
}

struct quantity quantity_ratio(double ratio) {
    struct quantity words;
    if (!isfinite(ratio)) {
        return unknown;
    }
    if (ratio < 0.005) {
        return (struct quantity){ "<0.01" };
    }
    (void)snprintf(words.text, sizeof words.text, "%.*f", ratio < 99.995 ? 2 : 0, ratio);
    return words;
}

struct quantity quantity_exact(double value) {
    struct quantity words;
    (void)snprintf(words.text, sizeof words.text, "%.15g", value);
    if (strtod(words.text, NULL) != value) {
        (void)snprintf(words.text, sizeof words.text, "%.17g", value);
    }
    return words;
}

struct quantity quantity_shortest(double value) {
    struct quantity words;
    const double most_digits = 1e15;
    int digits = 1;
    if (value == rint(value) && fabs(value) < most_digits) { /* 300, not 3e+02 */
        (void)snprintf(words.text, sizeof words.text, "%.0f", value == 0.0 ? 0.0 : value);
        return words;
    }
    do {
        (void)snprintf(words.text, sizeof words.text, "%.*g", digits, value);
    } while (digits++ < 17 && strtod(words.text, NULL) != value);
    return words;
}

/* ---- formats of numbers ---- */

static const struct {
    const char *name;
    struct numeric numeric;
} precisions[] = {
    [PRECISION_FLOAT] = { "float", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_FLOAT } },
    [PRECISION_MIXED] = { "mixed", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_DOUBLE } },
    [PRECISION_DOUBLE] = { "double", { FORMAT_DOUBLE, FORMAT_DOUBLE, FORMAT_DOUBLE } },
    [PRECISION_FIXED] = { "fixed", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_FIXED } },
};

const char *precision_name(enum precision precision) {
    return precisions[precision].name;
}

bool precision_from_name(const char *name, enum precision *precision) {
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (strcmp(name, precisions[i].name) == 0) {
            *precision = (enum precision)i;
            return true;
        }
    }
    return false;
}

struct numeric precision_numeric(enum precision precision) {
    return precisions[precision].numeric;
}

size_t format_bytes(enum number_format format) {
    return format == FORMAT_FLOAT ? sizeof(float) : sizeof(double);
}

double format_unit(enum number_format format) {
    return format == FORMAT_FLOAT ? 0x1p-24 : 0x1p-53;
}
