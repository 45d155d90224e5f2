#include "kernels/launch.h"

#include "core/strings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    *launch = (struct launch_grid){ .is_given = true };
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
