#include "devices/compiled_code.h"

#include "core/strings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char ptx_mark[] = ".version";
static const char cubin_mark[] = ".cubin";
/* Before PTX that was a file of its own, so that errors have its lines. */
static const char file_mark[] = "//@ptx\n";

/* ---- the text ---- */

const char *compiled_code_begin(const char *text) {
    for (const char *line = text; *line; line = line_after(line)) {
        const char *word = line + strspn(line, " \t");
        if (begins_with(line, file_mark)) {
            return line + sizeof file_mark - 1;
        }
        if (begins_with(word, ptx_mark) || begins_with(word, cubin_mark)) {
            return line;
        }
    }
    return NULL;
}

static void append_digits(const unsigned char *bytes, size_t length, struct strbuf *text) {
    static const char digits[] = "0123456789abcdef";
    enum { PER_LINE = 60 };
    char line[2 * PER_LINE];
    for (size_t at = 0; at < length; at += PER_LINE) {
        const size_t count = length - at < PER_LINE ? length - at : PER_LINE;
        for (size_t i = 0; i < count; i++) {
            line[2 * i] = digits[bytes[at + i] >> 4];
            line[2 * i + 1] = digits[bytes[at + i] & 0xf];
        }
        strbuf_append_bytes(text, line, 2 * count);
        strbuf_append(text, "\n");
    }
}

void compiled_code_append(const char *data, size_t length, bool is_ptx, struct strbuf *text) {
    strbuf_append(text, "\n");
    if (is_ptx) {
        strbuf_append(text, "%s", file_mark);
        strbuf_append_bytes(text, data, length);
    } else {
        strbuf_append(text, "%s\n", cubin_mark);
        append_digits((const unsigned char *)data, length, text);
    }
}

static int digit_of(char c) {
    return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: something else than digits, or half a byte. */
static bool read_digits(const char *text, struct compiled_code *code) {
    for (const char *c = skip_whitespace(text); *c; c = skip_whitespace(c + 2)) {
        const int upper = digit_of(c[0]);
        const int lower = upper < 0 ? -1 : digit_of(c[1]);
        if (lower < 0) {
            return false;
        }
        code->bytes[code->length++] = (unsigned char)(upper << 4 | lower);
    }
    return true;
}

bool compiled_code_read(const char *begin, struct compiled_code *code, struct error *error) {
    int architecture;
    const char *word = begin + strspn(begin, " \t");
    *code = (struct compiled_code){ .ptx = begin };
    if (!begins_with(word, cubin_mark)) {
        return true;
    }
    word += sizeof cubin_mark - 1;
    code->ptx = NULL;
    code->bytes = malloc(strlen(word) / 2 + 1);
    if (!code->bytes) {
        return fail_out_of_memory(error, "machine code");
    }
    if (!read_digits(word, code) || !cubin_architecture(code->bytes, code->length, &architecture)) {
        compiled_code_free(code);
        return fail(error, STATUS_BAD_INPUT, "this is no machine code of CUDA (a cubin)");
    }
    return true;
}

void compiled_code_free(struct compiled_code *code) {
    free(code->bytes);
    *code = (struct compiled_code){ .ptx = NULL };
}

/* ---- what PTX says of itself ---- */

static const char *skip_idle(const char *c) {
    for (const char *next = skip_comment(skip_whitespace(c)); next != c;
         next = skip_comment(skip_whitespace(c))) {
        c = next;
    }
    return c;
}

static bool is_of_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static size_t word_length(const char *c) {
    size_t length = 0;
    while (is_of_word(c[length])) {
        length++;
    }
    return length;
}

/* The place after the next word that is this one, outside of comments and strings; NULL after the
 * last. */
static const char *find_word(const char *c, const char *word) {
    for (c = skip_idle(c); *c; c = skip_idle(c)) {
        const size_t length = word_length(c);
        if (is_spelt(c, length, word)) {
            return skip_idle(c + length);
        }
        c = *c == '"' ? skip_quoted(c) : c + (length ? length : 1);
    }
    return NULL;
}

static bool ptx_target(const char *ptx, int *architecture, bool *exact) {
    static const char prefix[] = "sm_";
    const char *target = find_word(ptx, ".target");
    char *end = NULL;
    if (!target || !begins_with(target, prefix)) {
        return false;
    }
    const long number = strtol(target + sizeof prefix - 1, &end, 10);
    *architecture = (int)number;
    *exact = *end == 'a';
    return number > 0 && number < 10000;
}

/* Bytes of .u64, .f32, .b8. */
static size_t bytes_of_type(const char *word, size_t length) {
    static const struct {
        const char *end;
        size_t bytes;
    } sizes[] = { { "128", 16 }, { "64", 8 }, { "32", 4 }, { "16", 2 }, { "8", 1 } };
    if (length < 3 || word[0] != '.' || !strchr("bufs", word[1])) {
        return 0;
    }
    const size_t kind = begins_with(word, ".bf") ? 3 : 2;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        if (is_spelt(word + kind, length - kind, sizes[s].end)) {
            return sizes[s].bytes;
        }
    }
    return 0;
}

/* Reads the type of one .param, and how many there are of an array. *c goes on after it. */
static size_t take_ptx_parameter(const char **c) {
    size_t bytes = 0;
    size_t count = 1;
    for (*c = skip_idle(*c); **c && **c != ',' && **c != ')'; *c = skip_idle(*c)) {
        const size_t length = word_length(*c);
        const size_t of_type = bytes_of_type(*c, length);
        bytes = of_type ? of_type : bytes;
        if (**c == '[') {
            count = (size_t)strtoul(*c + 1, NULL, 10);
        }
        *c += length ? length : 1;
    }
    return bytes * count;
}

static bool ptx_parameters(const char *ptx, const char *kernel,
                           struct compiled_parameters *parameters) {
    *parameters = (struct compiled_parameters){ .count = 0 };
    for (const char *c = find_word(ptx, ".entry"); c; c = find_word(c, ".entry")) {
        const size_t length = word_length(c);
        if (!is_spelt(c, length, kernel)) {
            continue;
        }
        c = skip_idle(c + length);
        while (*c == '(' || *c == ',') {
            c = skip_idle(c + 1);
            if (*c == ')' || parameters->count == COMPILED_MAX_PARAMETERS) {
                break;
            }
            parameters->bytes[parameters->count++] = take_ptx_parameter(&c);
        }
        return true;
    }
    return false;
}

static void ptx_list_kernels(const char *ptx, struct strbuf *names) {
    const char *between = "";
    for (const char *c = find_word(ptx, ".entry"); c; c = find_word(c, ".entry")) {
        const size_t length = word_length(c);
        strbuf_append(names, "%s%.*s", between, (int)(length < 100 ? length : 100), c);
        between = ", ";
    }
}

/* ---- of either ---- */

bool compiled_code_target(const struct compiled_code *code, int *architecture, bool *exact) {
    *exact = false;
    return code->ptx ? ptx_target(code->ptx, architecture, exact)
                     : cubin_architecture(code->bytes, code->length, architecture);
}

bool compiled_code_parameters(const struct compiled_code *code, const char *kernel,
                              struct compiled_parameters *parameters) {
    return code->ptx ? ptx_parameters(code->ptx, kernel, parameters)
                     : cubin_parameters(code->bytes, code->length, kernel, parameters);
}

void compiled_code_list_kernels(const struct compiled_code *code, struct strbuf *names) {
    if (code->ptx) {
        ptx_list_kernels(code->ptx, names);
    } else {
        cubin_list_kernels(code->bytes, code->length, names);
    }
}
