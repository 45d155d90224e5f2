#include "kernels/scratch.h"

#include "core/strings.h"

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

static const char *skip_blanks(const char *words) {
    return words + strspn(words, " \t");
}

/* One word, and the blanks behind it. */
static bool take_word(const char **words, char name[VARIANT_NAME_SIZE]) {
    const size_t length = strcspn(*words, " \t");
    bool good = length > 0 && length < VARIANT_NAME_SIZE && !isdigit((unsigned char)**words);
    for (size_t i = 0; good && i < length; i++) {
        good = isalnum((unsigned char)(*words)[i]) || (*words)[i] == '_';
        name[i] = (*words)[i];
        name[i + 1] = '\0';
    }
    *words = skip_blanks(*words + length);
    return good;
}

bool scratch_parse(const char *words, struct scratch_buffer *scratch, const char **expected) {
    *scratch = (struct scratch_buffer){ 0 };
    *expected = "expected: @scratch NAME TYPE COUNT";
    words = skip_blanks(words);
    if (!take_word(&words, scratch->name) || !take_word(&words, scratch->type)) {
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
    (void)snprintf(words, size, "%s %s %s", scratch->name, scratch->type,
                   text.data ? text.data : "");
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
    return count_value(&scratch->count, what, tunings, units, context, count, error);
}
