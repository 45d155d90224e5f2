#include "kernels/potentials/pair_text.h"

#include "kernels/expressions/expression.h"

/* `float` of a text is the precision's real, so that double is double. CUDA's make_float2 and the
 * like are what make_real2 comes to in float. */
static const char macros_before[] =
    "#define float real\n#define float2 real2\n#define float3 real3\n#define float4 real4\n"
    "#if REAL_IS_DOUBLE || defined(__OPENCL_VERSION__)\n"
    "#define make_float2 make_real2\n#define make_float3 make_real3\n"
    "#define make_float4 make_real4\n"
    "#endif\n"
    "#if REAL_IS_DOUBLE\n#define USE_DOUBLE_PRECISION\n#endif\n"
    "#if PERIODIC\n#define USE_PERIODIC\n#endif\n"
    "#define APPLY_PERIODIC 0\n#define APPLY_PERIODIC_TO_DELTA(delta)\n";
static const char macros_behind[] = "#undef float\n#undef float2\n#undef float3\n#undef float4\n"
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

static void append_kernel(struct strbuf *kernel, const struct pair_text *text,
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
    pair_text_append_body(text, macros_before, behind.data ? behind.data : "", macros_behind,
                          kernel);
    strbuf_append(kernel, "    return energy;\n}\n");
    kernel->failed = kernel->failed || behind.failed;
    strbuf_free(&behind);
}

bool term_text_read(const char *path, const struct pair_text_columns *columns, const char *function,
                    struct pair_text **text, struct error *error) {
    struct strbuf kernel = { 0 };
    if (!pair_text_take(path, columns, text, error)) {
        return false;
    }
    bool good = arrays_are_short(*text, error);
    if (good) {
        (*text)->uses_atoms = uses_atoms(*text);
        append_kernel(&kernel, *text, function);
        (*text)->kernel = kernel.data;
        good = !kernel.failed || fail_out_of_memory(error, "a kernel text");
    }
    if (!good) {
        pair_text_free(*text);
        *text = NULL;
    }
    return good;
}
