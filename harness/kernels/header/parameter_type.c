#include "kernels/header/header_parts.h"

#include "boxes/box.h"
#include "core/strings.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char between[] = " or "; /* of types that fit */

static bool is_among(const char *word, size_t length, const char *const *words) {
    for (; *words; words++) {
        if (strlen(*words) == length && strncmp(word, *words, length) == 0) {
            return true;
        }
    }
    return false;
}

/* What says nothing about the type that matters here. */
static bool is_idle(const char *word, size_t length) {
    static const char *const idle[] = {
        "RESTRICT", "restrict", "__restrict", "__restrict__",      "volatile",
        "struct",   "signed",   "register",   "__grid_constant__", NULL
    };
    return is_among(word, length, idle);
}

/* The dialect's name of an address space, whichever way it is written; NULL when it is none. */
static const char *space_of(const char *word, size_t length) {
    static const char *const global[] = { "GLOBAL", "__global", "global", NULL };
    static const char *const constant[] = { "CONSTANT_ARG", "__constant", "constant", NULL };
    static const char *const local[] = { "LOCAL_ARG", "__local", "local", NULL };
    if (is_among(word, length, global)) {
        return global[0];
    }
    if (is_among(word, length, constant)) {
        return constant[0];
    }
    return is_among(word, length, local) ? local[0] : NULL;
}

static void append_base(struct parameter_type *type, const char *word, size_t length) {
    const size_t used = strlen(type->base);
    (void)snprintf(type->base + used, sizeof type->base - used, "%s%.*s", used ? " " : "",
                   (int)(length < sizeof type->base ? length : sizeof type->base), word);
}

static void take_word(struct parameter_type *type, const char *word, size_t length) {
    const char *space = space_of(word, length);
    if (space) {
        (void)snprintf(type->space, sizeof type->space, "%s", space);
    } else if (length == strlen("const") && strncmp(word, "const", length) == 0) {
        type->is_const = type->is_const || type->pointers == 0; /* else of the pointer itself */
    } else if (!is_idle(word, length)) {
        append_base(type, word, length);
    }
}

/* "signed" by itself is an int, and "unsigned" an unsigned int. */
static void complete_base(struct parameter_type *type, bool is_signed) {
    if (strcmp(type->base, "unsigned") == 0 || (!*type->base && is_signed)) {
        append_base(type, "int", strlen("int"));
    }
}

void parameter_type_read(const char *start, const char *end, struct parameter_type *type) {
    bool is_signed = false;
    *type = (struct parameter_type){ 0 };
    while (start < end) {
        size_t length = 0;
        while (start + length < end && is_word_character(start[length])) {
            length++;
        }
        if (length > 0) {
            is_signed =
                is_signed || (length == strlen("signed") && strncmp(start, "signed", length) == 0);
            take_word(type, start, length);
            start += length;
            continue;
        }
        if (*start == '*') {
            type->pointers++;
        } else if (!isspace((unsigned char)*start)) {
            append_base(type, isprint((unsigned char)*start) ? start : "?", 1);
        }
        start++;
    }
    complete_base(type, is_signed);
}

/* What CUDA C++ has for a type of the dialect, in float and in double. */
static const struct cuda_type {
    const char *type;
    const char *narrow[4], *wide[4];
} cuda_types[] = {
    { "real", { "float" }, { "double" } },
    { "real2", { "float2" }, { "double2" } },
    { "real4", { "float4" }, { "double4", "double4_16a", "double4_32a" } },
    { "accum", { "float" }, { "double" } },
    { "accum4", { "float4" }, { "double4", "double4_16a", "double4_32a" } },
    { "long64",
      { "long long", "long long int", "int64_t" },
      { "long long", "long long int", "int64_t" } },
    { "uint", { "unsigned int", "uint32_t" }, { "unsigned int", "uint32_t" } },
    { "int", { "int", "int32_t" }, { "int", "int32_t" } },
};

static const struct cuda_type *find_cuda_type(const char *type) {
    for (size_t t = 0; t < sizeof cuda_types / sizeof cuda_types[0]; t++) {
        if (strcmp(cuda_types[t].type, type) == 0) {
            return &cuda_types[t];
        }
    }
    return NULL;
}

/* Whether a type is the one of the dialect in that precision, in CUDA's words or in its own. */
static bool is_cuda_type(const char *declared, const char *expected, enum precision precision) {
    const struct cuda_type *type = find_cuda_type(expected);
    const bool sums = begins_with(expected, "accum");
    const bool is_wide = sums ? precision != PRECISION_FLOAT : precision == PRECISION_DOUBLE;
    if (strcmp(declared, expected) == 0) {
        return true;
    }
    return type && word_place(is_wide ? type->wide : type->narrow, declared) >= 0;
}

static bool fits_pointer(const struct parameter_type *declared,
                         const struct parameter_type *expected, bool any_space) {
    const bool is_pointer = expected->pointers > 0;
    return declared->pointers == expected->pointers &&
           (strcmp(declared->space, expected->space) == 0 ||
            (any_space && is_pointer && !*declared->space)) &&
           (!is_pointer || declared->is_const || !expected->is_const);
}

static bool fits_one(const struct parameter_type *declared, const struct parameter_type *expected,
                     bool any_space) {
    return strcmp(declared->base, expected->base) == 0 &&
           fits_pointer(declared, expected, any_space);
}

static unsigned fits_one_cuda(const struct parameter_type *declared,
                              const struct parameter_type *expected) {
    unsigned fits = 0;
    for (unsigned p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        if (fits_pointer(declared, expected, true) &&
            is_cuda_type(declared->base, expected->base, (enum precision)p)) {
            fits |= 1U << p;
        }
    }
    return fits;
}

unsigned parameter_type_fits_cuda(const struct parameter_type *declared, const char *expected) {
    unsigned fits = 0;
    for (const char *type = expected; type;) {
        const char *end = strstr(type, between);
        struct parameter_type one;
        parameter_type_read(type, end ? end : type + strlen(type), &one);
        fits |= fits_one_cuda(declared, &one);
        type = end ? end + strlen(between) : NULL;
    }
    return fits;
}

bool parameter_type_fits(const struct parameter_type *declared, const char *expected,
                         bool any_space) {
    for (const char *type = expected;;) {
        const char *end = strstr(type, between);
        struct parameter_type one;
        parameter_type_read(type, end ? end : type + strlen(type), &one);
        if (fits_one(declared, &one, any_space)) {
            return true;
        }
        if (!end) {
            return false;
        }
        type = end + strlen(between);
    }
}

size_t parameter_type_bytes(const struct parameter_type *declared) {
    static const struct {
        const char *type;
        size_t bytes;
    } sizes[] = { { "void", 0 },          { "int", 4 },         { "int32_t", 4 },
                  { "unsigned int", 4 },  { "uint", 4 },        { "uint32_t", 4 },
                  { "float", 4 },         { "double", 8 },      { "long long", 8 },
                  { "long long int", 8 }, { "int64_t", 8 },     { "long64", 8 },
                  { "float2", 8 },        { "double2", 16 },    { "float4", 16 },
                  { "int4", 16 },         { "uint4", 16 },      { "double4", 32 },
                  { "double4_16a", 32 },  { "double4_32a", 32 } };
    for (size_t t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        if (strcmp(declared->base, sizes[t].type) == 0) {
            return declared->pointers > 0 ? sizeof(uint64_t) : sizes[t].bytes;
        }
    }
    return 0;
}

const char *parameter_type_article(const char *type) {
    return strchr("aeio", *type) || begins_with(type, "unsigned") ? "an" : "a";
}

void parameter_type_describe(const struct parameter_type *type, char words[PARAMETER_TYPE_SIZE]) {
    char plain[PARAMETER_TYPE_SIZE];
    char stars[] = "***";
    const int most = (int)sizeof stars - 1;
    if (!*type->base && type->pointers == 0) {
        (void)snprintf(words, PARAMETER_TYPE_SIZE, "without a type");
        return;
    }
    stars[type->pointers < most ? type->pointers : most] = '\0';
    (void)snprintf(plain, sizeof plain, "%s%s%s%s%s%s", type->space, *type->space ? " " : "",
                   type->is_const && type->pointers > 0 ? "const " : "", type->base,
                   type->pointers > 0 ? " " : "", stars);
    (void)snprintf(words, PARAMETER_TYPE_SIZE, "%s %.*s", parameter_type_article(plain),
                   PARAMETER_TYPE_SIZE - 8, plain);
}

void parameter_type_append_cuda(const char *expected, struct strbuf *words) {
    for (const char *type = expected; type;) {
        const char *end = strstr(type, between);
        struct parameter_type one;
        parameter_type_read(type, end ? end : type + strlen(type), &one);
        const struct cuda_type *cuda = find_cuda_type(one.base);
        const char *names[] = { cuda ? cuda->narrow[0] : one.base,
                                cuda ? cuda->wide[0] : one.base };
        for (size_t k = 0; k < (strcmp(names[0], names[1]) == 0 ? 1U : 2U); k++) {
            strbuf_append(words, "%s%s%s%s%.*s", type == expected && k == 0 ? "" : between,
                          one.is_const && one.pointers > 0 ? "const " : "", names[k],
                          one.pointers > 0 ? " " : "", one.pointers, "***");
        }
        type = end ? end + strlen(between) : NULL;
    }
}
