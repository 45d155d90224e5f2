#include "kernels/count.h"

#include "core/strings.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

const char count_expected[] =
    "expected a COUNT of launch units, tunables and whole numbers from 1 to 2^24, at most 12, with "
    "*, / or + between them: particle * COPIES + 64";

/* ---- parsing ---- */

static const char *skip_blanks(const char *words) {
    return words + strspn(words, " \t");
}

/* One identifier, and the blanks behind it. */
static bool take_identifier(const char **words, char name[VARIANT_NAME_SIZE]) {
    size_t length = 0;
    if (isalpha((unsigned char)**words) || **words == '_') {
        while (isalnum((unsigned char)(*words)[length]) || (*words)[length] == '_') {
            length++;
        }
    }
    if (length == 0 || length >= VARIANT_NAME_SIZE) {
        return false;
    }
    memcpy(name, *words, length);
    name[length] = '\0';
    *words = skip_blanks(*words + length);
    return true;
}

/* A unit, a tunable, or a number from 1 on. */
static bool take_factor(const char **words, struct count_factor *factor) {
    long value = 0;
    if (take_identifier(words, factor->name)) {
        return true;
    }
    const char *digits = *words;
    while (isdigit((unsigned char)**words) && value <= VARIANT_LARGEST_VALUE) {
        value = 10 * value + (**words - '0');
        (*words)++;
    }
    factor->number = (int)value;
    const bool ends = !isalnum((unsigned char)**words) && **words != '_' && **words != '.';
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
                     const struct tunings *tunings, count_units_of units, const void *context,
                     size_t *value, struct error *error) {
    *value = (size_t)factor->number;
    if (!*factor->name || units(context, factor->name, value)) {
        return true;
    }
    const int chosen = tunings_value(tunings, factor->name, 0);
    *value = (size_t)chosen;
    return chosen >= 1 || fail(error, STATUS_UNSUPPORTED, "%s: %s is %d; expected at least 1", what,
                               factor->name, chosen);
}

bool count_value(const struct count *count, const char *what, const struct tunings *tunings,
                 count_units_of units, const void *context, size_t *value, struct error *error) {
    const double most = INT32_MAX;
    size_t sum = 0;
    size_t product = 0;
    for (int f = 0; f < count->factor_count; f++) {
        const struct count_factor *factor = &count->factors[f];
        size_t number = 0;
        if (!value_of(factor, what, tunings, units, context, &number, error)) {
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
