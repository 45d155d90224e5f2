#include "variant/scratch.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* An element is so many numbers of one kind. */
enum number { NUMBER_INT, NUMBER_LONG, NUMBER_REAL, NUMBER_ACCUM };

static const struct element {
    const char *type;
    enum number number;
    int count;
    const char *single; /* the type of one number, where there are four */
} elements[] = {
    { "int", NUMBER_INT, 1, NULL },         { "uint", NUMBER_INT, 1, NULL },
    { "int4", NUMBER_INT, 4, "int" },       { "long64", NUMBER_LONG, 1, NULL },
    { "real", NUMBER_REAL, 1, NULL },       { "real2", NUMBER_REAL, 2, "real" },
    { "real4", NUMBER_REAL, 4, "real" },    { "accum", NUMBER_ACCUM, 1, NULL },
    { "accum4", NUMBER_ACCUM, 4, "accum" },
};

static const struct element *element_of(const char *type) {
    for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
        if (strcmp(elements[e].type, type) == 0) {
            return &elements[e];
        }
    }
    return NULL;
}

const char *scratch_types(void) {
    return "int, uint, int4, long64, real, real2, real4, accum or accum4";
}

/* ---- parsing ---- */

static const char *skip_blanks(const char *words) {
    return words + strspn(words, " \t");
}

static size_t identifier_length(const char *words) {
    size_t length = 0;
    if (isalpha((unsigned char)*words) || *words == '_') {
        while (isalnum((unsigned char)words[length]) || words[length] == '_') {
            length++;
        }
    }
    return length;
}

/* One identifier, and the blanks behind it. */
static bool take_identifier(const char **words, char name[VARIANT_NAME_SIZE]) {
    const size_t length = identifier_length(*words);
    if (length == 0 || length >= VARIANT_NAME_SIZE) {
        return false;
    }
    memcpy(name, *words, length);
    name[length] = '\0';
    *words = skip_blanks(*words + length);
    return true;
}

/* A unit, a tunable, or a number from 1 on. */
static bool take_factor(const char **words, struct scratch_factor *factor) {
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

bool scratch_parse(const char *words, struct scratch_buffer *scratch, const char **expected) {
    *scratch = (struct scratch_buffer){ 0 };
    *expected = "expected: @scratch NAME TYPE COUNT";
    words = skip_blanks(words);
    if (!take_identifier(&words, scratch->name) || !take_identifier(&words, scratch->type)) {
        return false;
    }
    if (!element_of(scratch->type)) {
        *expected = NULL;
        return false;
    }
    *expected = "expected a COUNT of launch units, tunables and whole numbers from 1 to 2^24, at "
                "most 12, with *, / or + between them: particle * COPIES + 64";
    for (char sign = '+';; sign = *words, words = skip_blanks(words + 1)) {
        struct scratch_factor *factor = &scratch->factors[scratch->factor_count];
        if (scratch->factor_count == SCRATCH_MAX_FACTORS || !take_factor(&words, factor)) {
            return false;
        }
        factor->sign = sign;
        scratch->factor_count++;
        if (!*words) {
            return true;
        }
        if (!strchr("*/+", *words)) {
            return false;
        }
    }
}

void scratch_describe(const struct scratch_buffer *scratch, char *words, size_t size) {
    int length = snprintf(words, size, "%s %s", scratch->name, scratch->type);
    for (int f = 0; f < scratch->factor_count && length > 0 && (size_t)length < size; f++) {
        const struct scratch_factor *factor = &scratch->factors[f];
        char sign[] = { ' ', factor->sign, '\0' };
        char number[16];
        (void)snprintf(number, sizeof number, "%d", factor->number);
        length += snprintf(words + length, size - (size_t)length, "%s %s", f ? sign : "",
                           *factor->name ? factor->name : number);
    }
}

/* ---- types ---- */

size_t scratch_element_bytes(const struct scratch_buffer *scratch, bool real_is_double,
                             bool accum_is_double) {
    const struct element *element = element_of(scratch->type);
    const bool wide = element->number == NUMBER_LONG ||
                      (element->number == NUMBER_REAL && real_is_double) ||
                      (element->number == NUMBER_ACCUM && accum_is_double);
    return (size_t)element->count * (wide ? sizeof(double) : sizeof(float));
}

void scratch_parameter_type(const struct scratch_buffer *scratch, char *type, size_t size) {
    const struct element *element = element_of(scratch->type);
    (void)snprintf(type, size, "GLOBAL %s *%s%s%s", element->type,
                   element->single ? " or GLOBAL " : "", element->single ? element->single : "",
                   element->single ? " *" : "");
}

/* ---- counting ---- */

static bool value_of(const struct scratch_buffer *scratch, const struct scratch_factor *factor,
                     const struct tunings *tunings, scratch_units units, const void *context,
                     size_t *value, struct error *error) {
    *value = (size_t)factor->number;
    if (!*factor->name || units(context, factor->name, value)) {
        return true;
    }
    const int chosen = tunings_value(tunings, factor->name, 0);
    *value = (size_t)chosen;
    return chosen >= 1 ||
           fail(error, STATUS_UNSUPPORTED, "@scratch %s: %s is %d; expected at least 1",
                scratch->name, factor->name, chosen);
}

bool scratch_count(const struct scratch_buffer *scratch, const struct tunings *tunings,
                   scratch_units units, const void *context, size_t *count, struct error *error) {
    const double most = INT32_MAX;
    size_t sum = 0;
    size_t product = 0;
    for (int f = 0; f < scratch->factor_count; f++) {
        const struct scratch_factor *factor = &scratch->factors[f];
        size_t value = 0;
        if (!value_of(scratch, factor, tunings, units, context, &value, error)) {
            return false;
        }
        if (factor->sign == '/' && value == 0) {
            return fail(error, STATUS_UNSUPPORTED, "@scratch %s: there is no %s to divide by",
                        scratch->name, factor->name);
        }
        sum += factor->sign == '+' ? product : 0;
        if (factor->sign != '/' &&
            (factor->sign == '+' ? 1.0 : (double)product) * (double)value + (double)sum > most) {
            return fail(error, STATUS_UNSUPPORTED,
                        "@scratch %s: more elements than kernels can number by int (2^31 - 1)",
                        scratch->name);
        }
        product = factor->sign == '+'   ? value
                  : factor->sign == '*' ? product * value
                                        : (product + value - 1) / value;
    }
    *count = sum + product;
    return true;
}
