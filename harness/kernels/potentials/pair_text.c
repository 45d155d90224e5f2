#include "kernels/potentials/pair_text.h"

#include "core/embedded.h"
#include "core/files.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 20, PATH_SIZE = 4096 };

/* The least operations of a pair function: six that add the force, and one. */
static const double least_operations = 7;

bool pair_text_is_meant(const char *path) {
    static const char ending[] = ".omm";
    return strlen(path) > strlen(ending) && ends_with(path, ending);
}

/* ---- words of a declaration ---- */

/* Whether the harness defines the name for the text. */
static bool is_given(const struct pair_text *text, const char *name) {
    static const char *const of_pairs[] = { "atom1",      "atom2",      "r",     "r2",
                                            "invR",       "isExcluded", "posq1", "posq2",
                                            "tempEnergy", "dEdR",       "delta", NULL };
    static const char *const of_terms[] = { "index", "energy", "atom1", "atom2", "atom3", "atom4",
                                            "pos1",  "pos2",   "pos3",  "pos4",  NULL };
    return word_place(text->atoms > 0 ? of_terms : of_pairs, name) >= 0;
}

static bool is_taken(const struct pair_text *text, const char *name) {
    bool taken = is_given(text, name);
    for (int p = 0; p < text->parameter_count; p++) {
        taken = taken || strcmp(text->parameters[p].name, name) == 0;
    }
    for (int a = 0; a < text->array_count; a++) {
        taken = taken || strcmp(text->arrays[a].name, name) == 0;
    }
    for (int m = 0; m < text->macro_count; m++) {
        taken = taken || strcmp(text->macros[m].name, name) == 0;
    }
    return taken;
}

/* "FILE" [column WORD]: the numbers, of a file beside the text. */
static bool take_values(struct header_reader *reader, const struct pair_text *text,
                        const char **rest, struct particle_values **values) {
    static const char word[] = "column";
    char path[PATH_SIZE];
    char column[64] = "";
    if (**rest != '"') {
        return header_fail(reader, "expected the name of a file in quotes, not \"%.40s\"", *rest);
    }
    const size_t length = strcspn(*rest + 1, "\"");
    if ((*rest)[1 + length] != '"' ||
        !fs_beside(text->path, *rest + 1, length, path, sizeof path)) {
        return header_fail(reader, "the name of a file has no end; expected '\"'");
    }
    *rest = skip_blanks(*rest + length + 2);
    if (begins_with(*rest, word) && isspace((unsigned char)(*rest)[strlen(word)])) {
        *rest = skip_blanks(*rest + strlen(word));
        const size_t letters = strcspn(*rest, " \t\"");
        if (letters == 0 || letters >= sizeof column) {
            return header_fail(reader, "expected the name of a column");
        }
        (void)snprintf(column, sizeof column, "%.*s", (int)letters, *rest);
        *rest = skip_blanks(*rest + letters);
    }
    return particle_values_read(path, *column ? column : NULL, values, reader->error);
}

/* ---- declarations ---- */

static int components_of(const char *type) {
    static const char *const types[][2] = {
        { "real", "float" }, { "real2", "float2" }, { "real3", "float3" }, { "real4", "float4" }
    };
    for (int k = 0; k < 4; k++) {
        if (strcmp(type, types[k][0]) == 0 || strcmp(type, types[k][1]) == 0) {
            return k + 1;
        }
    }
    return 0;
}

/* NAME TYPE, with which @parameter begins, of a pair or of a bonded term. */
static bool begin_parameter(struct header_reader *reader, const char **rest, bool of_term,
                            const struct pair_text *text, struct pair_text_parameter *parameter,
                            char type[PAIR_TEXT_NAME_SIZE]) {
    *parameter = (struct pair_text_parameter){ .first = text->value_count };
    type[0] = '\0';
    if (!cut_identifier(rest, parameter->name, PAIR_TEXT_NAME_SIZE) ||
        !cut_identifier(rest, type, PAIR_TEXT_NAME_SIZE) ||
        !(parameter->components = components_of(type)) || (of_term && parameter->components == 3)) {
        return header_fail(
            reader,
            "expected: @parameter NAME TYPE %s ..., TYPE one of real, real2, %sreal4 "
            "and the same of float, not \"%.32s\"",
            of_term ? "COLUMN" : "\"FILE\" [column WORD]", of_term ? "" : "real3, ", type);
    }
    return !is_taken(text, parameter->name) ||
           header_fail(reader, "'%s' is named twice, or has a meaning of its own", parameter->name);
}

static bool declare_parameter(struct header_reader *reader, const char *rest,
                              struct pair_text *text) {
    struct pair_text_parameter parameter;
    char type[PAIR_TEXT_NAME_SIZE];
    if (!begin_parameter(reader, &rest, false, text, &parameter, type)) {
        return false;
    }
    if (text->value_count + parameter.components > PAIR_TEXT_MAX_VALUES) {
        return header_fail(reader, "more than %d numbers per particle", PAIR_TEXT_MAX_VALUES);
    }
    for (int c = 0; c < parameter.components; c++) {
        if (!take_values(reader, text, &rest, &text->values[text->value_count])) {
            return false;
        }
        text->value_count++;
    }
    if (*rest) {
        return header_fail(reader, "%s takes %d files or columns; expected no \"%.40s\"", type,
                           parameter.components, rest);
    }
    text->parameters[text->parameter_count++] = parameter;
    return true;
}

/* @parameter NAME TYPE COLUMN...: of a bonded term, from the columns of its file. What a type has
 * beyond them is 0. */
static bool declare_columns(struct header_reader *reader, const char *rest,
                            const struct pair_text_columns *columns, struct pair_text *text) {
    struct pair_text_parameter parameter;
    char type[PAIR_TEXT_NAME_SIZE];
    char word[PAIR_TEXT_NAME_SIZE];
    if (!begin_parameter(reader, &rest, true, text, &parameter, type)) {
        return false;
    }
    for (int c = 0; c < parameter.components; c++) {
        int column = -1;
        if (c > 0 && !*rest) {
            break;
        }
        if (!cut_identifier(&rest, word, PAIR_TEXT_NAME_SIZE)) {
            return header_fail(reader, "expected a column of the terms' file, not \"%.40s\"", rest);
        }
        for (int k = 0; k < columns->count; k++) {
            column = strcmp(columns->name[k], word) == 0 ? k : column;
        }
        if (column < 0) {
            return header_fail(reader, "the terms' file has no column '%s'", word);
        }
        if (text->value_count == PAIR_TEXT_MAX_VALUES) {
            return header_fail(reader, "more than %d numbers per term", PAIR_TEXT_MAX_VALUES);
        }
        text->column[text->value_count++] = column;
    }
    if (*rest) {
        return header_fail(reader, "%s takes up to %d columns; expected no \"%.40s\"", type,
                           parameter.components, rest);
    }
    parameter.given = text->value_count - parameter.first;
    text->parameters[text->parameter_count++] = parameter;
    return true;
}

static bool declare_array(struct header_reader *reader, const char *rest, struct pair_text *text) {
    struct pair_text_array array = { .numbers = NULL };
    if (!cut_identifier(&rest, array.name, PAIR_TEXT_NAME_SIZE) || is_taken(text, array.name)) {
        return header_fail(reader, "expected: @argument NAME \"FILE\", NAME one that is new");
    }
    if (text->array_count == PAIR_TEXT_MAX_ARRAYS) {
        return header_fail(reader, "more than %d arrays", PAIR_TEXT_MAX_ARRAYS);
    }
    if (!take_values(reader, text, &rest, &array.numbers)) {
        return false;
    }
    text->arrays[text->array_count++] = array;
    return !*rest || header_fail(reader, "expected no more than one file, not \"%.40s\"", rest);
}

static bool declare_macro(struct header_reader *reader, const char *rest, struct pair_text *text) {
    struct pair_text_macro macro = { .words = NULL };
    if (!cut_identifier(&rest, macro.name, PAIR_TEXT_NAME_SIZE) || is_taken(text, macro.name) ||
        text->macro_count == PAIR_TEXT_MAX_MACROS) {
        return header_fail(reader,
                           "expected: @define NAME [WORDS], NAME one that is new, at most %d",
                           PAIR_TEXT_MAX_MACROS);
    }
    macro.words = strdup(rest);
    if (!macro.words) {
        return fail_out_of_memory(reader->error, "a kernel text");
    }
    text->macros[text->macro_count++] = macro;
    return true;
}

static bool declare(struct header_reader *reader, const char *line,
                    const struct pair_text_columns *columns, struct pair_text *text) {
    const char *rest;
    if (header_word(line, "parameter", &rest)) {
        return columns ? declare_columns(reader, rest, columns, text)
                       : declare_parameter(reader, rest, text);
    }
    if (header_word(line, "argument", &rest)) {
        return declare_array(reader, rest, text);
    }
    if (header_word(line, "define", &rest)) {
        return declare_macro(reader, rest, text);
    }
    if (!columns && header_word(line, "dEdR", &rest)) {
        text->is_derivative = true;
        return strcmp(rest, "derivative") == 0 ||
               header_fail(reader, "expected: @dEdR derivative, not \"%.40s\"", rest);
    }
    return line[0] != '@' || header_fail(reader, "expected @parameter, @argument%s, not \"%.40s\"",
                                         columns ? " or @define" : ", @define or @dEdR", line);
}

/* The comment, where the text begins with one. *body: what is after it. */
static bool read_comment(const char *whole, const struct pair_text_columns *columns,
                         struct pair_text *text, const char **body, struct error *error) {
    struct header_reader reader;
    char line[HEADER_LINE_SIZE];
    const char *begin = whole + strspn(whole, " \t\r\n");
    *body = whole;
    if (strncmp(begin, "/*", 2) != 0) {
        return true;
    }
    bool good = header_begin(text->path, whole, &reader, error);
    while (good && header_next(&reader, line)) {
        good = (!reader.cut || header_fail(&reader, "the line is too long")) &&
               declare(&reader, line, columns, text);
    }
    const char *end = strstr(begin + 2, "*/");
    *body = end ? end + 2 : whole + strlen(whole);
    return good;
}

/* ---- the pair function ---- */

static void append_parameters(struct strbuf *kernel, const struct pair_text *text) {
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        for (int side = 0; side < 2; side++) {
            strbuf_append(kernel, "    const real");
            if (parameter->components > 1) {
                strbuf_append(kernel, "%d", parameter->components);
            }
            strbuf_append(kernel, " %s%d = ", parameter->name, side + 1);
            if (parameter->components > 1) {
                strbuf_append(kernel, "make_real%d(", parameter->components);
            }
            for (int c = 0; c < parameter->components; c++) {
                const int value = parameter->first + c;
                strbuf_append(kernel, "%sof_%c_%d.%c", c ? ", " : "", "ij"[side], value / 4,
                              "xyzw"[value % 4]);
            }
            strbuf_append(kernel, parameter->components > 1 ? ");\n" : ";\n");
        }
    }
}

static const char macros_before[] = "#define NUM_ATOMS pair_atoms\n"
                                    "#define PADDED_NUM_ATOMS ((pair_atoms + 31) / 32 * 32)\n"
                                    "#if WITH_CUTOFF\n"
                                    "#define USE_CUTOFF\n"
                                    "#define CUTOFF pair_cutoff\n"
                                    "#define CUTOFF_SQUARED (pair_cutoff * pair_cutoff)\n"
                                    "#endif\n"
                                    "#if PERIODIC\n"
                                    "#define USE_PERIODIC\n"
                                    "#endif\n"
                                    "#if REAL_IS_DOUBLE\n"
                                    "#define USE_DOUBLE_PRECISION\n"
                                    "#endif\n";
static const char macros_behind[] = "#undef NUM_ATOMS\n#undef PADDED_NUM_ATOMS\n#undef USE_CUTOFF\n"
                                    "#undef CUTOFF\n#undef CUTOFF_SQUARED\n#undef USE_PERIODIC\n"
                                    "#undef USE_DOUBLE_PRECISION\n";

/* Undefines the macros that the text defines, so that they end with it. */
static void append_undefined(struct strbuf *kernel, const char *body) {
    static const char word[] = "define";
    for (const char *line = body; *line; line = line_after(line)) {
        const char *at = skip_blanks(line);
        at = *at == '#' ? skip_blanks(at + 1) : "";
        at = begins_with(at, word) ? skip_blanks(at + strlen(word)) : "";
        if (identifier_length(at) > 0) {
            strbuf_append(kernel, "#undef %.*s\n", (int)identifier_length(at), at);
        }
    }
}

/* Appends `macros`, the body and, in the same braces, `results`; then undefines all macros, those
 * of `macros` by `ends`. */
static void append_body(const struct pair_text *text, const char *macros, const char *results,
                        const char *ends, struct strbuf *kernel) {
    strbuf_append(kernel, "%s", macros);
    for (int m = 0; m < text->macro_count; m++) {
        strbuf_append(kernel, "#define %s %s\n", text->macros[m].name, text->macros[m].words);
    }
    strbuf_append(kernel, "    {\n");
    strbuf_append_line(kernel, text->line, text->path);
    strbuf_append(kernel, "%s\n#line 1 \"behind the text\"\n%s    }\n%s", text->body, results,
                  ends);
    for (int m = 0; m < text->macro_count; m++) {
        strbuf_append(kernel, "#undef %s\n", text->macros[m].name);
    }
    append_undefined(kernel, text->body);
}

static void append_kernel(struct strbuf *kernel, const struct pair_text *text) {
    strbuf_append(kernel, "DEVICE real text_force_over_r(real r2, real4 posq1, real4 posq2, int "
                          "atom1, int atom2, int excluded");
    for (int quad = 0; 4 * quad < text->value_count; quad++) {
        strbuf_append(kernel, ", real4 of_i_%d, real4 of_j_%d", quad, quad);
    }
    strbuf_append(kernel, ", real *energy PAIR_VALUE_PARAMETERS)\n{\n"
                          "    const real invR = RSQRT(r2);\n"
                          "    const real r = r2 * invR;\n"
                          "    const bool isExcluded = excluded != 0;\n"
                          "    real tempEnergy = REAL(0.0);\n"
                          "    real dEdR = REAL(0.0);\n");
    append_parameters(kernel, text);
    for (int a = 0; a < text->array_count; a++) {
        strbuf_append(kernel, "    GLOBAL const real *%s = text_array_%d;\n", text->arrays[a].name,
                      a);
    }
    append_body(text, macros_before, "", macros_behind, kernel);
    strbuf_append(kernel, "#if WITH_ENERGY\n    *energy = tempEnergy;\n#endif\n    return %s;\n}\n",
                  text->is_derivative ? "-dEdR * invR" : "dEdR");
}

bool pair_text_has_word(const struct pair_text *text, const char *name) {
    const char *all[1 + PAIR_TEXT_MAX_MACROS] = { text->body };
    bool found = false;
    for (int m = 0; m < text->macro_count; m++) {
        all[1 + m] = text->macros[m].words;
    }
    for (int t = 0; t <= text->macro_count; t++) {
        for (const char *at = all[t]; at && *at; at++) {
            const size_t length = identifier_length(at);
            found = found || is_spelt(at, length, name);
            at += length > 0 ? length - 1 : 0;
        }
    }
    return found;
}

/* ---- what it is called ---- */

enum { LONGEST_NAME = 64 };

/* The file's name where it is plain; else "text". */
static const char *name_for_rows(const struct pair_text *text) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    const char *name = fs_last_name(text->path);
    const size_t length = strlen(name);
    return length <= LONGEST_NAME && strspn(name, plain) == length ? name : "text";
}

/* The hash by which builds are kept: of the text, its values and arrays, but of no file's name. */
static void take_hash(struct pair_text *text, const char *contents) {
    hash_bytes(contents, strlen(contents) + 1, text->hash);
    (void)snprintf(text->kernel_path, sizeof text->kernel_path,
                   "variants/interactions/text-%.16s.cl", text->hash);
}

static bool add_identity(struct pair_text *text, const char *whole, struct error *error) {
    const char *name = name_for_rows(text);
    const size_t contents = strlen(name) + 1;
    struct strbuf identity = { 0 };
    char of_text[HASH_TEXT_SIZE];
    hash_bytes(whole, strlen(whole) + 1, of_text);
    strbuf_append(&identity, "%s %.16s", name, of_text);
    for (int p = 0; text->atoms == 0 && p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        strbuf_append(&identity, "; %s = particles", parameter->name);
        for (int c = 0; c < parameter->components; c++) {
            strbuf_append(&identity, " %.16s", text->values[parameter->first + c]->hash);
        }
    }
    for (int a = 0; a < text->array_count; a++) {
        strbuf_append(&identity, "; %s = numbers %.16s", text->arrays[a].name,
                      text->arrays[a].numbers->hash);
    }
    if (identity.failed) {
        strbuf_free(&identity);
        return fail_out_of_memory(error, "a kernel text");
    }
    text->identity = identity.data;
    take_hash(text, identity.data + contents);
    return true;
}

static bool complete(struct pair_text *text, const char *whole,
                     const struct pair_text_columns *columns, struct error *error) {
    const char *body = NULL;
    if (!read_comment(whole, columns, text, &body, error)) {
        return false;
    }
    text->line = 1;
    for (const char *c = whole; c < body; c++) {
        text->line += *c == '\n';
    }
    if (!body[strspn(body, " \t\r\n")]) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: no text; expected one that adds to tempEnergy and dEdR", text->path);
    }
    text->body = strdup(body);
    if (!text->body) {
        return fail_out_of_memory(error, "a kernel text");
    }
    return add_identity(text, whole, error);
}

/* Reads one of either kind, all but its kernel; NULL columns: of pairs. */
static bool take_text(const char *path, const struct pair_text_columns *columns,
                      struct pair_text **text, struct error *error) {
    char *whole = NULL;
    *text = NULL;
    if (!input_read_text(path, MAX_BYTES, &whole, error)) {
        return false;
    }
    struct pair_text *made = calloc(1, sizeof *made);
    if (!made || !(made->path = strdup(path))) {
        free(made);
        free(whole);
        return fail_out_of_memory(error, "a kernel text");
    }
    made->atoms = columns ? columns->atoms : 0;
    const bool good = complete(made, whole, columns, error);
    free(whole);
    if (!good) {
        pair_text_free(made);
        return false;
    }
    *text = made;
    return true;
}

bool pair_text_read(const char *path, struct pair_text **text, struct error *error) {
    struct strbuf kernel = { 0 };
    if (!take_text(path, NULL, text, error)) {
        return false;
    }
    append_kernel(&kernel, *text);
    (*text)->kernel = kernel.data;
    if (kernel.failed) {
        pair_text_free(*text);
        *text = NULL;
        return fail_out_of_memory(error, "a kernel text");
    }
    return true;
}

void pair_text_free(struct pair_text *text) {
    if (!text) {
        return;
    }
    for (int v = 0; v < PAIR_TEXT_MAX_VALUES; v++) {
        particle_values_free(text->values[v]);
    }
    for (int a = 0; a < text->array_count; a++) {
        particle_values_free(text->arrays[a].numbers);
    }
    for (int m = 0; m < text->macro_count; m++) {
        free(text->macros[m].words);
    }
    free(text->path);
    free(text->body);
    free(text->identity);
    free(text->kernel);
    free(text);
}

void interaction_of_text(const struct pair_text *text, struct interaction *interaction) {
    memset(interaction, 0, sizeof *interaction);
    struct interaction_function *function = &interaction->functions[0];
    interaction->text = text;
    interaction->expression_text = text->identity;
    interaction->values = text->values;
    interaction->value_count = text->value_count;
    interaction->flops_distance = 9;
    interaction->flops_pair = least_operations;
    interaction->function_count = 1;
    (void)snprintf(interaction->name, sizeof interaction->name, "text");
    *function = (struct interaction_function){ .path = text->kernel_path,
                                               .source = text->kernel,
                                               .kind = TERM_VAN_DER_WAALS,
                                               .cutoff = INFINITY,
                                               .cutoff_parameter = -1 };
    (void)snprintf(function->name, sizeof function->name, "text");
}

/* ---- terms between listed particles ---- */

/* `float` of a text is the precision's real, so that double is double. CUDA's make_float2 and the
 * like are what make_real2 comes to in float. */
static const char term_macros[] =
    "#define float real\n#define float2 real2\n#define float3 real3\n#define float4 real4\n"
    "#if REAL_IS_DOUBLE || defined(__OPENCL_VERSION__)\n"
    "#define make_float2 make_real2\n#define make_float3 make_real3\n"
    "#define make_float4 make_real4\n"
    "#endif\n"
    "#if REAL_IS_DOUBLE\n#define USE_DOUBLE_PRECISION\n#endif\n"
    "#if PERIODIC\n#define USE_PERIODIC\n#endif\n"
    "#define APPLY_PERIODIC 0\n#define APPLY_PERIODIC_TO_DELTA(delta)\n";
static const char term_macros_end[] = "#undef float\n#undef float2\n#undef float3\n#undef float4\n"
                                      "#undef make_float2\n#undef make_float3\n#undef make_float4\n"
                                      "#undef USE_PERIODIC\n#undef USE_DOUBLE_PRECISION\n"
                                      "#undef APPLY_PERIODIC\n#undef APPLY_PERIODIC_TO_DELTA\n";

/* Where the numbers of a parameter begin, in units of the number of terms: the widest stand first,
 * so that each is aligned. */
static int begin_of(const struct pair_text *text, int parameter) {
    const int own = text->parameters[parameter].components;
    int begin = 0;
    for (int p = 0; p < text->parameter_count; p++) {
        const int other = text->parameters[p].components;
        begin += other > own || (other == own && p < parameter) ? other : 0;
    }
    return begin;
}

/* Where the first of a term's particles stands: after all parameters. */
static int begin_of_atoms(const struct pair_text *text) {
    int begin = 0;
    for (int p = 0; p < text->parameter_count; p++) {
        begin += text->parameters[p].components;
    }
    return begin;
}

int term_text_width(const struct pair_text *text) {
    return begin_of_atoms(text) + (text->uses_atoms ? text->atoms : 0);
}

void term_text_place(const struct pair_text *text, const double *values, const int32_t *atom,
                     size_t index, size_t terms, double *numbers) {
    for (int a = 0; text->uses_atoms && a < text->atoms; a++) {
        numbers[(size_t)(begin_of_atoms(text) + a) * terms + index] = atom[a];
    }
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        const size_t each = (size_t)parameter->components;
        double *place = numbers + (size_t)begin_of(text, p) * terms + index * each;
        for (int c = 0; c < parameter->components; c++) {
            place[c] = c < parameter->given ? values[text->column[parameter->first + c]] : 0.0;
        }
    }
}

/* The particles in the order of the box, whatever order those are in that the kernel moves. */
static void append_atoms(struct strbuf *kernel, const struct pair_text *text) {
    for (int a = 0; text->uses_atoms && a < text->atoms; a++) {
        strbuf_append(kernel, "    const int atom%d = (int)numbers[(long64)%d * terms + index];\n",
                      a + 1, begin_of_atoms(text) + a);
    }
}

static bool uses_atoms(const struct pair_text *text) {
    bool found = false;
    for (int a = 0; a < text->atoms; a++) {
        const char name[] = { 'a', 't', 'o', 'm', (char)('1' + a), '\0' };
        found = found || pair_text_has_word(text, name);
    }
    return found;
}

static void append_arrays(struct strbuf *kernel, const struct pair_text *text) {
    for (int p = 0; p < text->parameter_count; p++) {
        const struct pair_text_parameter *parameter = &text->parameters[p];
        char type[16] = "real";
        if (parameter->components > 1) {
            (void)snprintf(type, sizeof type, "real%d", parameter->components);
        }
        strbuf_append(kernel,
                      "    GLOBAL const %s *%s = (GLOBAL const %s *)(numbers + (long64)%d * "
                      "terms);\n",
                      type, parameter->name, type, begin_of(text, p));
    }
    for (int a = 0; a < text->array_count; a++) {
        const struct particle_values *array = text->arrays[a].numbers;
        strbuf_append(kernel, "    const real %s[%zu] = {", text->arrays[a].name, array->count);
        for (size_t k = 0; k < array->count; k++) {
            strbuf_append(kernel, "%s REAL(%.17e)", k ? "," : "", array->value[k]);
        }
        strbuf_append(kernel, " };\n");
    }
}

enum { MAX_ARRAY = 256 }; /* numbers: the kernel's text has them */

static bool arrays_are_short(const struct pair_text *text, struct error *error) {
    for (int a = 0; a < text->array_count; a++) {
        if (text->arrays[a].numbers->count > MAX_ARRAY) {
            return fail(error, STATUS_BAD_INPUT, "%s: @argument %s has more than %d numbers",
                        text->path, text->arrays[a].name, MAX_ARRAY);
        }
    }
    return true;
}

static void append_term_kernel(struct strbuf *kernel, const struct pair_text *text,
                               const char *function) {
    struct strbuf behind = { 0 };
    strbuf_append(kernel, "DEVICE real %s(int index, int terms, GLOBAL const real *numbers",
                  function);
    for (int a = 1; a < text->atoms; a++) {
        strbuf_append(kernel, ", real4 pos%d", a + 1);
    }
    for (int a = 0; a < text->atoms; a++) {
        strbuf_append(kernel, ", real4 *on_%d", a + 1);
        strbuf_append(&behind, "    *on_%d = make_real4(force%d.x, force%d.y, force%d.z, 0);\n",
                      a + 1, a + 1, a + 1, a + 1);
    }
    strbuf_append(kernel, ")\n{\n    const real4 pos1 = make_real4(0, 0, 0, 0);\n"
                          "    real energy = 0;\n");
    append_arrays(kernel, text);
    append_atoms(kernel, text);
    append_body(text, term_macros, strbuf_text(&behind), term_macros_end, kernel);
    strbuf_append(kernel, "    return energy;\n}\n");
    kernel->failed = kernel->failed || behind.failed;
    strbuf_free(&behind);
}

bool term_text_read(const char *path, const struct pair_text_columns *columns, const char *function,
                    struct pair_text **text, struct error *error) {
    struct strbuf kernel = { 0 };
    if (!take_text(path, columns, text, error)) {
        return false;
    }
    bool good = arrays_are_short(*text, error);
    if (good) {
        (*text)->uses_atoms = uses_atoms(*text);
        append_term_kernel(&kernel, *text, function);
        (*text)->kernel = kernel.data;
        good = !kernel.failed || fail_out_of_memory(error, "a kernel text");
    }
    if (!good) {
        pair_text_free(*text);
        *text = NULL;
    }
    return good;
}
