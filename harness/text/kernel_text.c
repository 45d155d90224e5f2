#include "text/kernel_text.h"

#include "base/strbuf.h"
#include "bindings/structure.h"
#include "device/compiled_code.h"
#include "expression/expression.h"
#include "files/embedded.h"
#include "header/library.h"
#include "interaction/bonded.h"
#include "interaction/exclusions.h"
#include "interaction/pair_text.h"
#include "interaction/switching.h"
#include "interaction/type_parameters.h"
#include "text/halting_text.h"
#include "text/sum_methods.h"
#include "variant/cuda_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

int kernel_text_sums(const struct case_spec *spec, enum build_kind build) {
    if (build == BUILD_COUNTING) {
        return 2;
    }
    if (spec->outputs == OUTPUTS_FORCES) {
        return 0;
    }
    return workload_sums(spec->variant->workload, spec->outputs) +
           interaction_energies_apart(&spec->interaction);
}

/* Messages of the compiler then name the file's own lines. */
static void append_line_word(struct strbuf *text, const char *path) {
    strbuf_append(text, "#line 1 ");
    strbuf_append_quoted(text, path);
    strbuf_append(text, "\n");
}

static void append_file(struct strbuf *text, const char *path, const char *content) {
    append_line_word(text, path);
    strbuf_append(text, "%s\n", content);
}

static void append_upper(struct strbuf *text, const char *word) {
    for (; *word; word++) {
        const char upper =
            isalnum((unsigned char)*word) ? (char)toupper((unsigned char)*word) : '_';
        strbuf_append_bytes(text, &upper, 1);
    }
}

/* born-mayer-huggins becomes born_mayer_huggins */
static void append_lower(struct strbuf *text, const char *word) {
    for (; *word; word++) {
        const char lower = isalnum((unsigned char)*word) ? *word : '_';
        strbuf_append_bytes(text, &lower, 1);
    }
}

/* Whether the function's parameters come from the table of types. */
static bool is_typed(const struct interaction *interaction,
                     const struct interaction_function *function) {
    return interaction_has_types(interaction) && interaction_function_may_be_typed(function);
}

/* LJ_EPSILON; of an expression, in which A and a are two names, EXPRESSION_P0. */
static void append_parameter_name(struct strbuf *text, const struct interaction *interaction,
                                  const struct interaction_function *function, int parameter) {
    append_upper(text, function->name);
    if (interaction->expression) {
        strbuf_append(text, "_P%d", parameter);
        return;
    }
    strbuf_append(text, "_");
    append_upper(text, interaction->parameters[function->first + parameter].name);
}

/* lj:epsilon=1 becomes #define LJ_EPSILON REAL(1.0e+00); the function's own cutoff LJ_CUTOFF2. An
 * infinite parameter becomes 0. */
static void append_parameters(struct strbuf *text, const struct interaction *interaction) {
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        for (int p = 0; p < function->count && !is_typed(interaction, function); p++) {
            strbuf_append(text, "#define ");
            append_parameter_name(text, interaction, function, p);
            double value = interaction->parameters[function->first + p].value;
            strbuf_append(text, " REAL(%.17e)\n", isfinite(value) ? value : 0.0);
        }
        if (isfinite(function->cutoff) && !is_typed(interaction, function)) {
            strbuf_append(text, "#define ");
            append_upper(text, function->name);
            strbuf_append(text, "_CUTOFF2 REAL(%.17e)\n", function->cutoff * function->cutoff);
        }
    }
}

/* What rational.cl asks for. Its base z is r2 / r0^2 where that will do, else x; n and m are z's
 * exponents, in step * p and step * q. */
static void append_switching(struct strbuf *text, const struct interaction *interaction,
                             enum precision precision) {
    const bool wide = numeric_real_is_double(precision_numeric(precision));
    const double largest_exponent = wide ? 1000.0 : 120.0;
    struct switching s;
    if (!switching_of(interaction, &s)) {
        return;
    }
    const bool root = s.d0 != 0.0 || s.common % 2 != 0;
    const int step = root ? s.common : s.common / 2;
    const double scale = root ? 1.0 / s.r0 : 1.0 / s.r0 / s.r0;
    /* -(1/r) ds/dr = -(ds/dz) (1/r) dz/dr, where (1/r) dz/dr is scale / r or 2 scale. */
    const double slope = (root ? 1.0 : 2.0) * step * scale * s.stretch * (s.n < s.m ? 1.0 : -1.0);
    strbuf_append(text, "#define RATIONAL_STEP %d\n#define RATIONAL_P %d\n#define RATIONAL_Q %d\n",
                  step, s.n / s.common, s.m / s.common);
    strbuf_append(text, "#define RATIONAL_ROOT %d\n#define RATIONAL_DIRECT %d\n", root,
                  switching_is_direct(&s, largest_exponent));
    strbuf_append(text, "#define RATIONAL_SCALE REAL(%.17e)\n#define RATIONAL_SLOPE REAL(%.17e)\n",
                  scale, slope);
    strbuf_append(text,
                  "#define RATIONAL_STRETCH REAL(%.17e)\n#define RATIONAL_SHIFT REAL(%.17e)\n",
                  s.stretch, s.shift);
}

/* NAME_force_over_r(r2, particle_i, particle_j, parameters, &term) */
static void append_call(struct strbuf *text, const struct interaction *interaction, int f,
                        const char *energy) {
    const struct interaction_function *function = &interaction->functions[f];
    const int offset = type_parameters_offset(interaction, f);
    append_lower(text, function->name);
    strbuf_append(text, "_force_over_r(r2, particle_i, particle_j");
    for (int p = 0; p < function->count; p++) {
        strbuf_append(text, ", ");
        if (is_typed(interaction, function)) {
            strbuf_append(text, "entry[%d]", offset + 1 + p);
        } else {
            append_parameter_name(text, interaction, function, p);
        }
    }
    for (int v = 0; v < interaction->value_count; v++) {
        const char component = "xyzw"[v % 4];
        strbuf_append(text, ", of_i_%d.%c, of_j_%d.%c", v / 4, component, v / 4, component);
    }
    strbuf_append(text, ", %s)", energy);
}

/* One term of a sum, within its own cutoff where it has one. */
static void append_term(struct strbuf *text, const struct interaction *interaction, int f,
                        struct cutoff cutoff) {
    const struct interaction_function *function = &interaction->functions[f];
    strbuf_append(text, "    ");
    if (is_typed(interaction, function)) {
        strbuf_append(text, "if (r2 <= entry[%d]) ", type_parameters_offset(interaction, f));
    } else if (isfinite(function->cutoff) && !cutoff_same(cutoff_of(function->cutoff), cutoff)) {
        strbuf_append(text, "if (r2 <= ");
        append_upper(text, function->name);
        strbuf_append(text, "_CUTOFF2) ");
    }
    strbuf_append(text, "{\n        real term = REAL(0.0);\n        force += ");
    append_call(text, interaction, f, "&term");
    strbuf_append(text, ";\n        %s(energy, term);\n    }\n",
                  function->kind == TERM_COULOMB ? "ADD_COULOMB" : "ADD_VAN_DER_WAALS");
}

/* What looks types and exclusions up by input index, and calls pair_force_of_types. */
static void append_pair_force_between(struct strbuf *text, const struct interaction *interaction) {
    strbuf_append(text,
                  "DEVICE real pair_force_between(real r2, real4 particle_i, real4 particle_j, "
                  "int i, int j, pair_energy *energy PAIR_PARAMETERS)\n{\n");
    if (interaction->exclusions) {
        strbuf_append(text, "    if (pair_is_excluded(i, j PAIR_EXCLUSION_ARGUMENTS)) {\n"
                            "        *energy = NO_ENERGY;\n        return REAL(0.0);\n    }\n");
    }
    if (interaction->value_count > 0) {
        strbuf_append(text,
                      "    return pair_force_of_indices(r2, particle_i, particle_j, i, j, energy "
                      "PAIR_ARGUMENTS);\n}\n");
        return;
    }
    strbuf_append(text, "    return pair_force_of_types(r2, particle_i, particle_j, PAIR_TYPE(i), "
                        "PAIR_TYPE(j), energy PAIR_ARGUMENTS);\n}\n");
}

static void append_values_of_pair(struct strbuf *text, const struct interaction *interaction) {
    for (int quad = 0; 4 * quad < interaction->value_count; quad++) {
        strbuf_append(text,
                      "    const real4 of_i_%d = pair_values_%d[i];\n"
                      "    const real4 of_j_%d = pair_values_%d[j];\n",
                      quad, quad, quad, quad);
    }
}

/* What calls a text (interaction/pair_text.h), which excluded pairs reach, too. */
static void append_pair_text(struct strbuf *text, const struct interaction *interaction) {
    strbuf_append(text,
                  "#line 1 \"pair_force\"\n"
                  "DEVICE real pair_force_between(real r2, real4 particle_i, real4 particle_j, "
                  "int i, int j, pair_energy *energy PAIR_PARAMETERS)\n{\n");
    append_values_of_pair(text, interaction);
    strbuf_append(text, "    return text_force_over_r(r2, particle_i, particle_j, i, j, %s",
                  interaction->exclusions ? "pair_is_excluded(i, j PAIR_EXCLUSION_ARGUMENTS)"
                                          : "0");
    for (int quad = 0; 4 * quad < interaction->value_count; quad++) {
        strbuf_append(text, ", of_i_%d, of_j_%d", quad, quad);
    }
    strbuf_append(text, ", energy PAIR_VALUE_ARGUMENTS);\n}\n");
}

/* The pair function: one, called as it is, or terms that are added up; of these `only` one, unless
 * that is negative. */
static void append_pair_force(struct strbuf *text, const struct interaction *interaction,
                              struct cutoff cutoff, int only) {
    static const char particles[] = "real r2, real4 particle_i, real4 particle_j";
    const bool typed = interaction_has_types(interaction);
    const bool valued = interaction->value_count > 0;
    const bool between = typed || valued || interaction->exclusions;
    const struct interaction_function *first = &interaction->functions[0];
    strbuf_append(text, "#line 1 \"pair_force\"\n");
    if (valued) {
        strbuf_append(text,
                      "DEVICE real pair_force_of_indices(%s, int i, int j, pair_energy *energy "
                      "PAIR_PARAMETERS)\n{\n",
                      particles);
        append_values_of_pair(text, interaction);
    } else if (between) {
        strbuf_append(text,
                      "DEVICE real pair_force_of_types(%s, int type_i, int type_j, "
                      "pair_energy *energy PAIR_PARAMETERS)\n{\n",
                      particles);
    } else {
        strbuf_append(text, "DEVICE real pair_force_over_r(%s, pair_energy *energy)\n{\n",
                      particles);
        if (interaction->function_count == 1 &&
            (!isfinite(first->cutoff) || cutoff_same(cutoff_of(first->cutoff), cutoff))) {
            strbuf_append(text, "    return ");
            append_call(text, interaction, 0, "energy");
            strbuf_append(text, ";\n}\n");
            return;
        }
    }
    strbuf_append(text, "    real force = REAL(0.0);\n    *energy = NO_ENERGY;\n");
    if (typed) {
        strbuf_append(text,
                      "    PAIR_TABLE_SPACE const real *entry = pair_table + (%s * "
                      "pair_types + %s) * PAIR_TABLE_STRIDE;\n",
                      valued ? "PAIR_TYPE(i)" : "type_i", valued ? "PAIR_TYPE(j)" : "type_j");
    }
    for (int f = 0; f < interaction->function_count; f++) {
        if (only < 0 || f == only) {
            append_term(text, interaction, f, cutoff);
        }
    }
    strbuf_append(text, "    return force;\n}\n");
    if (between) {
        append_pair_force_between(text, interaction);
    }
}

/* SLOPE_OF_BOND(t, r, energy) and the like, where a file of terms says the energy. */
static void append_written_energies(struct strbuf *text, const struct bonded_terms *terms) {
    static const char *const words[] = {
        [BONDED_BONDS] = "BOND", [BONDED_ANGLES] = "ANGLE", [BONDED_TORSIONS] = "TORSION"
    };
    for (int kind = BONDED_BONDS; kind <= BONDED_TORSIONS; kind++) {
        const struct bonded_energy *written = &terms->lists[kind].written;
        const int width = kind == BONDED_TORSIONS ? 4 : 2;
        if (written->text) {
            append_file(text, written->text->kernel_path, written->text->kernel);
            strbuf_append(text, "#define TEXT_OF_%s text_of_%s\n", words[kind],
                          bonded_forms[kind].name);
        }
        if (!written->expression) {
            continue;
        }
        append_file(text, written->expression->path, written->expression->kernel[1]);
        strbuf_append(text, "#define SLOPE_OF_%s(t, q, energy) slope_of_%s((q)", words[kind],
                      bonded_forms[kind].variable);
        for (int p = 0; p < written->constants; p++) {
            strbuf_append(text, ", REAL(%.17e)", written->constant[p]);
        }
        for (int p = 0; p < written->columns; p++) {
            strbuf_append(text, ", ");
            if (kind == BONDED_TORSIONS) {
                strbuf_append(text, "torsion_parameters[2 * (t) + %d].%c", p / width,
                              "xyzw"[p % width]);
            } else {
                strbuf_append(text, "%s_parameters[3 * (t) + %d].%c",
                              kind == BONDED_BONDS ? "bond" : "angle", p / width, "xy"[p % width]);
            }
        }
        strbuf_append(text, ", (energy))\n");
    }
}

/* Whether a piece of kernel text is among what it is: that may compute with vectors. */
static bool uses_vectors(const struct interaction *interaction) {
    bool uses = interaction->text != NULL;
    for (int kind = 0; interaction->bonded && kind < BONDED_KINDS; kind++) {
        uses = uses || interaction->bonded->lists[kind].written.text;
    }
    return uses;
}

static void append_interaction(struct strbuf *text, const struct case_spec *spec) {
    const struct interaction *interaction = &spec->interaction;
    if (uses_vectors(interaction)) {
        append_file(text, "variants/vectors.cl", embedded_text("variants/vectors.cl"));
    }
    if (spec->variant->workload->takes_terms && interaction->bonded) {
        append_written_energies(text, interaction->bonded);
    }
    for (int f = 0; f < interaction->function_count; f++) {
        append_file(text, interaction->functions[f].path, interaction->functions[f].source);
    }
    if (interaction->text) {
        append_pair_text(text, interaction);
    } else if (!spec->variant->workload->takes_terms) {
        append_pair_force(text, interaction, spec->cutoff,
                          tunings_value(&spec->tunings, KERNEL_TEXT_TERM, -1));
    }
}

#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* The next word of the code, or NULL behind the last; comments and strings are passed over. */
static const char *next_word(const char *code, size_t *length) {
    while (*code) {
        if (strncmp(code, "/*", 2) == 0) {
            const char *end = strstr(code + 2, "*/");
            code = end ? end + 2 : code + strlen(code);
        } else if (strncmp(code, "//", 2) == 0) {
            code += strcspn(code, "\n");
        } else if (*code == '"') {
            code += 1 + strcspn(code + 1, "\"\n");
            code += *code != '\0';
        } else if (isalpha((unsigned char)*code) || *code == '_') {
            *length = strspn(code, WORD_CHARACTERS);
            return code;
        } else {
            code += isdigit((unsigned char)*code) ? strspn(code, WORD_CHARACTERS) : 1;
        }
    }
    return NULL;
}

static bool code_uses(const char *code, const char *name) {
    size_t length = 0;
    for (const char *word = next_word(code, &length); word;
         word = next_word(word + length, &length)) {
        if (length == strlen(name) && strncmp(word, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Those that the code uses: what a structure's builder alone asks for must not cost a compilation
 * for each value. */
static void append_tunings(struct strbuf *text, const struct tunings *tunings, const char *code) {
    for (int i = 0; i < tunings->count; i++) {
        const char *name = tunings->items[i].name;
        /* GROUP_SIZE is the device's own definition. */
        if (strcmp(name, "GROUP_SIZE") != 0 && code_uses(code, name)) {
            strbuf_append(text, "#define %s %d\n", name, tunings->items[i].value);
        }
    }
}

/* What PAIR_PARAMETERS has besides: values of particles, four in each array; and what a text finds:
 * arrays, the number of particles, the cutoff. */
static void append_values(struct strbuf *text, const struct interaction *interaction) {
    const struct pair_text *own = interaction->text;
    for (int part = 0; (own || interaction->value_count > 0) && part < 2; part++) {
        strbuf_append(text, "#define PAIR_VALUE_%s ", part == 0 ? "PARAMETERS" : "ARGUMENTS");
        for (int quad = 0; 4 * quad < interaction->value_count; quad++) {
            strbuf_append(text,
                          part == 0 ? ", GLOBAL const real4 *RESTRICT pair_values_%d"
                                    : ", pair_values_%d",
                          quad);
        }
        for (int a = 0; own && a < own->array_count; a++) {
            strbuf_append(
                text, part == 0 ? ", GLOBAL const real *RESTRICT text_array_%d" : ", text_array_%d",
                a);
        }
        if (own) {
            strbuf_append(text, part == 0 ? ", int pair_atoms, real pair_cutoff"
                                          : ", pair_atoms, pair_cutoff");
        }
        strbuf_append(text, "\n");
    }
}

static void append_switches(struct strbuf *text, const struct interaction *interaction) {
    const bool molecules =
        interaction->exclusions && exclusions_by_molecule(interaction->exclusions);
    strbuf_append(text, "#define ENERGIES_APART %d\n#define WITH_TYPES %d\n",
                  interaction_energies_apart(interaction), interaction_has_types(interaction));
    strbuf_append(text, "#define EXCLUDE_MOLECULES %d\n#define EXCLUDE_LISTED %d\n", molecules,
                  interaction->exclusions && !molecules);
    if (interaction_has_types(interaction)) {
        strbuf_append(text, "#define PAIR_TABLE_STRIDE %d\n", type_parameters_stride(interaction));
    }
    append_values(text, interaction);
}

static bool code_uses_any(const char *code, const char *const *words) {
    while (*words && !code_uses(code, *words)) {
        words++;
    }
    return *words != NULL;
}

/* The words of a structure behind those of what it is built from, each text once. */
static void append_structure_words(struct strbuf *text, const struct structure_class *structure) {
    const struct structure_class *below = structure_below(structure);
    if (below) {
        append_structure_words(text, below);
    }
    const char *words = structure->words;
    for (; below && words; below = structure_below(below)) {
        words = below->words && strcmp(below->words, words) == 0 ? NULL : words;
    }
    if (words) {
        append_file(text, words, embedded_text(words));
    }
}

/* Whether it uses any of the words for random numbers. */
static bool code_draws(const char *code) {
    static const char *const words[] = { "philox4x32_10",        "random_block",
                                         "random_uniform4",      "random_gaussian4",
                                         "random_uniform_float", "random_uniform_double",
                                         "random_uniform_quad",  "random_uniform_pair",
                                         "random_gaussian_quad", "random_gaussian_pair",
                                         "random_box_muller",    "random_radial_float",
                                         "RANDOM_DRAWS",         NULL };
    return code_uses_any(code, words);
}

/* Whether the variant's text does, or that of the forces of its steps. */
static bool variant_uses_any(const struct variant *variant, const char *const *words) {
    return code_uses_any(variant->text, words) ||
           (variant->forces.variant && code_uses_any(variant->forces.variant->text, words));
}

/* Whether forces are added up by the words for it; others may have functions of those names. */
static bool accumulates_by_words(const struct case_spec *spec) {
    static const char *const words[] = { "force_sum", "own_force", NULL };
    return numeric_sums_are_fixed(precision_numeric(spec->precision)) ||
           variant_uses_any(spec->variant, words);
}

static const char step_words[] = "variants/step.cl";
static const char member_order[] = "harness/buffers/member_order.cl";
static const char step_tools[] = "harness/text/step_tools.cl";
static const char fixed_tools[] = "harness/text/fixed_tools.cl";

/* The words that every variant of the dialect finds before its own text. Kernels of the harness
 * that need them are among them: what a variant defines does not reach those. */
static void append_words(const struct case_spec *spec, struct strbuf *text) {
    static const char *const rigid_words[] = { "settle_displacements", "settle_velocities",
                                               "nearest_accum", NULL };
    static const char *const screen_words[] = { "SCREEN_BIT", "screen_32", NULL };
    const struct structure_class *structure = structure_find(spec->variant->structure);
    if (spec->variant->workload->is_of_draws) {
        append_file(text, "variants/random.cl", embedded_text("variants/random.cl"));
        append_file(text, "variants/draws.cl", embedded_text("variants/draws.cl"));
        return;
    }
    if (accumulates_by_words(spec)) {
        append_file(text, "variants/accumulation.cl", embedded_text("variants/accumulation.cl"));
    }
    append_file(text, "variants/box.cl", embedded_text("variants/box.cl"));
    append_file(text, "variants/pair.cl", embedded_text("variants/pair.cl"));
    if (spec->variant->workload->constrains || variant_uses_any(spec->variant, rigid_words)) {
        append_file(text, "variants/rigid.cl", embedded_text("variants/rigid.cl"));
    }
    append_interaction(text, spec);
    if (structure) {
        append_structure_words(text, structure);
    }
    if (spec->variant->groups == GROUPS_TWO) {
        append_file(text, "variants/group_tile.cl", embedded_text("variants/group_tile.cl"));
    }
    if (variant_uses_any(spec->variant, screen_words)) {
        append_file(text, "variants/screen.cl", embedded_text("variants/screen.cl"));
    }
    if (code_draws(spec->variant->text)) {
        append_file(text, "variants/random.cl", embedded_text("variants/random.cl"));
    }
    if (spec->precision == PRECISION_FIXED) {
        append_file(text, fixed_tools, embedded_text(fixed_tools));
    }
}

/* A text in CUDA C++ has the words, and the dialect's, where it includes them. */
static void append_cuda(const struct case_spec *spec, struct strbuf *text) {
    static const char prelude[] = "harness/device/cuda/prelude_cuda.h";
    const char *whole = spec->variant->text;
    const char *begin = NULL;
    const char *end = NULL;
    const int line = cuda_text_find_include(whole, "pairmark/pair.cuh", &begin, &end);
    if (line > 0) {
        strbuf_append(text, "#line 1 ");
        strbuf_append_quoted(text, spec->variant->path);
        strbuf_append(text, "\n%.*s", (int)(begin - whole), whole);
        append_file(text, prelude, embedded_text(prelude));
        append_words(spec, text);
        strbuf_append(text, "#line %d ", line + 1);
        strbuf_append_quoted(text, spec->variant->path);
        strbuf_append(text, "\n%s\n", end);
    } else {
        append_file(text, spec->variant->path, whole);
    }
}

/* Kernels of a step, which halt. */
static void append_halting(const struct variant *variant, enum halting_kind kind,
                           struct strbuf *text) {
    append_line_word(text, variant->path);
    halting_text_append(text, kind, variant->text);
    strbuf_append(text, "\n");
}

/* What the harness launches around the kernels, the kernels of the forces, and those of the
 * integrator. */
static void append_steps(const struct case_spec *spec, struct strbuf *text) {
    append_file(text, step_words, embedded_text(step_words));
    append_file(text, member_order, embedded_text(member_order));
    append_file(text, step_tools, embedded_text(step_tools));
    halting_text_append_words(text);
    append_halting(spec->variant->forces.variant, HALTING_FORCES, text);
    append_halting(spec->variant, HALTING_OWN, text);
}

/* What follows the definitions. */
static void append_code(const struct case_spec *spec, struct strbuf *text) {
    if (spec->variant->language == LANGUAGE_CUDA) {
        append_cuda(spec, text);
        return;
    }
    append_words(spec, text);
    if (spec->variant->forces.variant) {
        append_steps(spec, text);
    } else {
        append_file(text, spec->variant->path, spec->variant->text);
    }
}

static bool begins_with(const char *words, const char *beginning) {
    return strncmp(words, beginning, strlen(beginning)) == 0;
}

bool kernel_text_is_shared(const char *path, enum device_class kind) {
    if (begins_with(path, "variants/")) {
        return !variant_is_built_in(path) && !begins_with(path, "variants/interactions/");
    }
    return strcmp(path, member_order) == 0 || strcmp(path, step_tools) == 0 ||
           strcmp(path, fixed_tools) == 0 ||
           strcmp(path, kind == DEVICE_CUDA ? "harness/device/cuda/prelude_cuda.h"
                                            : "harness/device/opencl/prelude_opencl.h") == 0;
}

bool kernel_text_shuffles(const struct case_spec *spec) {
    static const char *const words[] = { "HAVE_SHUFFLE", "SHUFFLE", "WARP_SIZE", NULL };
    return sum_method_of(spec)->by_warps || variant_uses_any(spec->variant, words);
}

/* What the words of pairs are compiled by. */
static void append_pair_definitions(const struct case_spec *spec, enum build_kind build,
                                    bool periodic, bool with_cutoff, bool groups_overlap,
                                    struct strbuf *text) {
    const bool plain = build == BUILD_PLAIN;
    strbuf_append(text, "#define PERIODIC %d\n#define WITH_CUTOFF %d\n", periodic, with_cutoff);
    strbuf_append(text, "#define WITH_ENERGY %d\n#define WITH_VIRIAL %d\n#define COUNT_PAIRS %d\n",
                  plain && spec->outputs != OUTPUTS_FORCES,
                  plain && spec->outputs == OUTPUTS_VIRIAL, !plain);
    sum_method_define(sum_method_of(spec), text);
    if (spec->variant->workload->takes_groups) {
        strbuf_append(text, "#define GROUPS_OVERLAP %d\n", groups_overlap);
    }
    append_switches(text, &spec->interaction);
    append_parameters(text, &spec->interaction);
    append_switching(text, &spec->interaction, spec->precision);
}

void kernel_text_append(const struct case_spec *spec, enum build_kind build, bool periodic,
                        bool with_cutoff, bool groups_overlap, struct strbuf *text) {
    struct strbuf code = { 0 };
    if (kernel_language_is_compiled(spec->variant->language)) {
        strbuf_append(text, "%s", compiled_code_begin(spec->variant->text));
        return;
    }
    if (spec->variant->workload->is_of_draws) {
        strbuf_append(text, "#define DISTRIBUTION %d\n", (int)spec->distribution);
    } else {
        append_pair_definitions(spec, build, periodic, with_cutoff, groups_overlap, text);
    }
    append_code(spec, &code);
    if (!code.failed) {
        append_tunings(text, &spec->tunings, code.data);
        strbuf_append_bytes(text, code.data, code.length);
    }
    text->failed = text->failed || code.failed;
    strbuf_free(&code);
}

bool kernel_text_compile(struct device *device, const struct case_spec *spec,
                         const struct kernel_build *build, struct program **program,
                         struct error *error) {
    const struct variant *variant = spec->variant;
    struct strbuf text = { 0 };
    const bool is_compiled = kernel_language_is_compiled(variant->language);
    strbuf_append(&text, "%s%s", build->triclinic && !is_compiled ? "#define TRICLINIC 1\n" : "",
                  build->never_halts && !is_compiled ? "#define STEP_HALTS\n" : "");
    kernel_text_append(spec, build->kind, build->periodic, build->with_cutoff,
                       build->groups_overlap, &text);
    if (text.failed) {
        strbuf_free(&text);
        return fail_out_of_memory(error, "the kernel text");
    }
    const struct program_source source = { .name = variant->name,
                                           .text = text.data,
                                           .precision_words = precision_name(spec->precision),
                                           .group_size =
                                               tunings_value(&spec->tunings, "GROUP_SIZE", 128),
                                           .with_warps = kernel_text_shuffles(spec),
                                           .of_case = true,
                                           .language = is_compiled ? SOURCE_COMPILED
                                                       : variant->language == LANGUAGE_CUDA
                                                           ? SOURCE_CUDA
                                                           : SOURCE_DIALECT,
                                           .standard = variant->standard,
                                           .by_nvcc = variant->by_nvcc,
                                           .arch_specific = variant->arch_is_exact };
    bool compiled = program_compile(device, &source, program, error);
    strbuf_free(&text);
    return compiled;
}

/* What a text says it needs: an architecture, precisions by the types that it takes. */
static bool check_cuda(const struct case_spec *spec, const char *device, int architecture,
                       struct error *error) {
    const struct variant *variant = spec->variant;
    if (spec->precision == PRECISION_FIXED && !variant_adds_in_fixed_point(variant)) {
        return fail(error, STATUS_UNSUPPORTED, "%s %s", variant->name, variant_not_fixed);
    }
    if (!(variant->precisions >> spec->precision & 1U)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s does not compute in %s: the types of its kernels' parameters are of other "
                    "precisions%s",
                    variant->name, precision_name(spec->precision),
                    kernel_language_is_compiled(variant->language)
                        ? ""
                        : " (real4 and accum4 of pairmark/pair.cuh are right in each)");
    }
    if (!variant->names_arch) {
        return true;
    }
    /* Machine code runs on architectures of its generation that are not older. */
    const bool same_generation =
        variant->language != LANGUAGE_CUBIN || architecture / 10 == variant->arch / 10;
    return (variant->arch_is_exact ? architecture == variant->arch
                                   : same_generation && architecture >= variant->arch) ||
           fail(error, STATUS_UNSUPPORTED, "%s %s sm_%d%s; %s is sm_%d", variant->name,
                kernel_language_is_compiled(variant->language) ? "is compiled for" : "says @arch",
                variant->arch,
                variant->arch_is_exact                ? "a"
                : variant->language == LANGUAGE_CUBIN ? " (and up, of that generation)"
                                                      : " (and up)",
                device, architecture);
}

/* What a text does not compute that was written for one interaction, or has no sums. */
static bool check_computed(const struct case_spec *spec, struct error *error) {
    const struct variant *variant = spec->variant;
    struct strbuf words = { 0 };
    bool same = true;
    if (*variant->interaction) {
        interaction_describe(&spec->interaction, &words);
        same = words.failed ? fail_out_of_memory(error, "an interaction")
                            : strcmp(words.data, variant->interaction) == 0 ||
                                  fail(error, STATUS_UNSUPPORTED,
                                       "%s says @interaction %s, which alone it computes",
                                       variant->name, variant->interaction);
        strbuf_free(&words);
    }
    static const char *const by_type[] = { "PAIR_FORCE_OF_TYPES", NULL };
    if (same && (spec->interaction.value_count > 0 || spec->interaction.text) &&
        variant_uses_any(variant, by_type)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s keeps the types of particles beside their positions, not their indices, by "
                    "which %s",
                    variant->name,
                    spec->interaction.text
                        ? "kernel text of an interaction is given particles; and excluded pairs "
                          "are left out before it is reached"
                        : "values of particles are found");
    }
    const bool has_sums = spec->outputs == OUTPUTS_FORCES ||
                          variant->language == LANGUAGE_DIALECT || variant->workload->is_of_draws ||
                          variant_takes_sums(variant);
    return same && (has_sums ||
                    fail(error, STATUS_UNSUPPORTED,
                         "%s computes forces alone: no kernel takes partial_sums", variant->name));
}

bool kernel_text_check(const struct case_spec *spec, const struct device_info *info,
                       struct error *error) {
    const struct variant *variant = spec->variant;
    if (variant->needs_cuda && info->kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "%s %s", variant->name,
                    variant->language == LANGUAGE_CUDA
                        ? "is written in CUDA C++, and needs a CUDA device"
                    : kernel_language_is_compiled(variant->language)
                        ? "is compiled for NVIDIA's GPUs, and needs a CUDA device"
                        : "needs a CUDA device");
    }
    return check_computed(spec, error) && check_cuda(spec, info->name, info->architecture, error);
}
