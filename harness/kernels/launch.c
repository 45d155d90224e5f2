#include "kernels/launch.h"

#include "core/strings.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts and @holds ---- */

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

/* Unlike fmin() and fmax(), these return NaN where either is NaN. */
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

/* Reads digits, with a point or without; no exponents. */
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

typedef bool read_operand_fn(struct reading *reading, double *value);

static double combine(char sign, double a, double b) {
    return sign == '*' ? a * b : sign == '/' ? a / b : sign == '+' ? a + b : a - b;
}

/* Operands with one of the signs between each two, worked out from left to right. */
static bool read_operands(struct reading *reading, const char *signs, read_operand_fn *read,
                          double *value) {
    double operand = 0;
    if (!read(reading, value)) {
        return false;
    }
    while (*reading->at && strchr(signs, *reading->at)) {
        const char sign = *reading->at;
        (void)take(reading, sign);
        if (!read(reading, &operand)) {
            return false;
        }
        *value = combine(sign, *value, operand);
    }
    return true;
}

static bool read_product(struct reading *reading, double *value) {
    return read_operands(reading, "*/", read_factor, value);
}

static bool read_sum(struct reading *reading, double *value) {
    if (++reading->depth > MAX_DEPTH) {
        return fail_here(reading, "fewer parentheses within each other");
    }
    const bool is_read = read_operands(reading, "+-", read_product, value);
    reading->depth--;
    return is_read;
}

bool holds_value(const char *words, holds_find find, const void *context, double *value,
                 struct error *error) {
    struct reading reading = {
        .at = skip_blanks(words), .find = find, .context = context, .error = error
    };
    return read_sum(&reading, value) &&
           (!*reading.at || fail_here(&reading, "the end, or +, -, * or /"));
}

/* ---- parsing ---- */

/* One to three counts, separated by commas. */
static bool take_dimensions(const char **words, struct count counts[LAUNCH_DIMENSIONS]) {
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        if (!count_parse(words, &counts[d])) {
            return false;
        }
        if (**words != ',') {
            return true;
        }
        ++*words;
    }
    return false;
}

/* The word, and the blanks after it, if the words begin with it. */
static bool take_keyword(const char **words, const char *keyword) {
    const size_t length = strlen(keyword);
    if (strncmp(*words, keyword, length) != 0 || !isspace((unsigned char)(*words)[length])) {
        return false;
    }
    *words = skip_blanks(*words + length);
    return true;
}

bool launch_parse(const char *words, struct launch_grid *launch) {
    *launch = (struct launch_grid){ 0 };
    if (!take_dimensions(&words, launch->grid) || !take_keyword(&words, "block") ||
        !take_dimensions(&words, launch->block)) {
        return false;
    }
    while (*words) {
        const bool parsed =
            take_keyword(&words, "shared")
                ? launch->shared.factor_count == 0 && count_parse(&words, &launch->shared)
            : take_keyword(&words, "cluster")
                ? launch->cluster[0].factor_count == 0 && take_dimensions(&words, launch->cluster)
                : false;
        if (!parsed) {
            return false;
        }
    }
    return true;
}

static void describe_dimensions(const char *keyword, const struct count counts[LAUNCH_DIMENSIONS],
                                struct strbuf *words) {
    for (int d = 0; d < LAUNCH_DIMENSIONS && counts[d].factor_count > 0; d++) {
        strbuf_append(words, d == 0 ? "%s" : ", ", keyword);
        count_describe(&counts[d], words);
    }
}

void launch_describe(const struct launch_grid *launch, struct strbuf *words) {
    describe_dimensions("grid ", launch->grid, words);
    describe_dimensions(" block ", launch->block, words);
    if (launch->shared.factor_count > 0) {
        strbuf_append(words, " shared ");
        count_describe(&launch->shared, words);
    }
    describe_dimensions(" cluster ", launch->cluster, words);
}

/* ---- working out ---- */

/* Units of the case, and types, which stand for their bytes. */
static bool units_and_types(const void *context, const char *unit, size_t *count) {
    const struct launch_counts *counts = context;
    if (counts->units(counts->context, unit, count)) {
        return true;
    }
    const size_t bytes = scratch_type_bytes(unit, counts->numeric);
    *count = bytes;
    return bytes > 0;
}

static bool dimensions(const struct count expressions[LAUNCH_DIMENSIONS], const char *what,
                       const struct launch_counts *counts, size_t sizes[LAUNCH_DIMENSIONS],
                       struct error *error) {
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        sizes[d] = 1;
        if (expressions[d].factor_count > 0 &&
            !count_value(&expressions[d], what, counts, &sizes[d], error)) {
            return false;
        }
        sizes[d] = sizes[d] ? sizes[d] : 1;
    }
    return true;
}

bool launch_shape(const struct launch_grid *launch, const char *kernel,
                  const struct launch_counts *counts, struct kernel_shape *shape,
                  struct error *error) {
    char what[VARIANT_NAME_SIZE + sizeof "kernel "];
    (void)snprintf(what, sizeof what, "kernel %s", kernel);
    *shape = (struct kernel_shape){ 0 };
    if (!dimensions(launch->grid, what, counts, shape->grid, error) ||
        !dimensions(launch->block, what, counts, shape->block, error) ||
        !dimensions(launch->cluster, what, counts, shape->cluster, error)) {
        return false;
    }
    for (int d = 0; d < LAUNCH_DIMENSIONS; d++) {
        const size_t clusters = (shape->grid[d] + shape->cluster[d] - 1) / shape->cluster[d];
        shape->grid[d] = clusters * shape->cluster[d];
    }
    const struct launch_counts of_bytes = { .tunings = counts->tunings,
                                            .units = units_and_types,
                                            .context = counts };
    return launch->shared.factor_count == 0 ||
           count_value(&launch->shared, what, &of_bytes, &shape->shared_bytes, error);
}

bool arch_from_name(const char *name, int *arch, bool *is_exact) {
    static const char prefix[] = "sm_";
    char *end = NULL;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        !isdigit((unsigned char)name[sizeof prefix - 1])) {
        return false;
    }
    const long number = strtol(name + sizeof prefix - 1, &end, 10);
    *is_exact = *end == 'a';
    *arch = (int)number;
    return number >= 50 && number < 1000 && (!*end || strcmp(end, "a") == 0);
}

/* ---- @scratch ---- */

/* An element is so many numbers of one kind. */
enum number { NUMBER_INT, NUMBER_LONG, NUMBER_REAL, NUMBER_ACCUM };

static const struct element {
    const char *type;
    enum number number;
    int count;
    const char *single; /* the type of one number, where there are four */
} elements[] = {
    { "int", NUMBER_INT, 1, NULL },      { "uint", NUMBER_INT, 1, NULL },
    { "uint4", NUMBER_INT, 4, "uint" },  { "int4", NUMBER_INT, 4, "int" },
    { "long64", NUMBER_LONG, 1, NULL },  { "real", NUMBER_REAL, 1, NULL },
    { "real2", NUMBER_REAL, 2, "real" }, { "real4", NUMBER_REAL, 4, "real" },
    { "accum", NUMBER_ACCUM, 1, NULL },  { "accum4", NUMBER_ACCUM, 4, "accum" },
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
    return "int, uint, int4, uint4, long64, real, real2, real4, accum or accum4";
}

/* ---- parsing ---- */

bool scratch_parse(const char *words, struct scratch_buffer *scratch, const char **expected) {
    *scratch = (struct scratch_buffer){ 0 };
    *expected = "expected: @scratch NAME TYPE COUNT";
    words = skip_blanks(words);
    if (!cut_word(&words, scratch->name, VARIANT_NAME_SIZE) || !is_identifier(scratch->name) ||
        !cut_word(&words, scratch->type, VARIANT_NAME_SIZE) || !is_identifier(scratch->type)) {
        return false;
    }
    if (!element_of(scratch->type)) {
        *expected = NULL;
        return false;
    }
    *expected = count_expected;
    return count_parse(&words, &scratch->count) && !*words;
}

void scratch_describe(const struct scratch_buffer *scratch, char *words, size_t size) {
    struct strbuf text = { 0 };
    count_describe(&scratch->count, &text);
    (void)snprintf(words, size, "%s %s %s", scratch->name, scratch->type, strbuf_text(&text));
    strbuf_free(&text);
}

/* ---- types ---- */

size_t scratch_type_bytes(const char *type, struct numeric numeric) {
    const struct element *element = element_of(type);
    if (!element) {
        return 0;
    }
    const bool wide = element->number == NUMBER_LONG ||
                      (element->number == NUMBER_REAL && numeric_real_is_double(numeric)) ||
                      (element->number == NUMBER_ACCUM && numeric_accum_is_double(numeric));
    return (size_t)element->count * (wide ? sizeof(double) : sizeof(float));
}

size_t scratch_element_bytes(const struct scratch_buffer *scratch, struct numeric numeric) {
    return scratch_type_bytes(scratch->type, numeric);
}

void scratch_parameter_type(const struct scratch_buffer *scratch, char *type, size_t size) {
    const struct element *element = element_of(scratch->type);
    (void)snprintf(type, size, "GLOBAL %s *%s%s%s", element->type,
                   element->single ? " or GLOBAL " : "", element->single ? element->single : "",
                   element->single ? " *" : "");
}

/* ---- counting ---- */

bool scratch_count(const struct scratch_buffer *scratch, const struct tunings *tunings,
                   count_units_of units, const void *context, size_t *count, struct error *error) {
    char what[VARIANT_NAME_SIZE + sizeof "@scratch "];
    (void)snprintf(what, sizeof what, "@scratch %s", scratch->name);
    const struct launch_counts counts = { .tunings = tunings, .units = units, .context = context };
    return count_value(&scratch->count, what, &counts, count, error);
}
