
#include "core/embedded.h"
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/interaction.h"
#include "kernels/potentials/pair_text.h"
#include "kernels/potentials/type_table.h"
#include "kernels/text/kernel_text.h"

#include <ctype.h>
#include <math.h>

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

/* NAME_REACH: up to where the function is computed, by its own cutoff or the case's; 0 where that
 * is not known. */
static void append_reach(struct strbuf *text, const struct interaction *interaction,
                         struct cutoff cutoff) {
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        const double of_case = cutoff.kind == CUTOFF_LENGTH ? cutoff.length : INFINITY;
        const double reach = fmin(function->cutoff, of_case);
        if (function->asks_reach) {
            strbuf_append(text, "#define ");
            append_upper(text, function->name);
            strbuf_append(text, "_REACH REAL(%.17e)\n", isfinite(reach) ? reach : 0.0);
        }
    }
}

/* Defines the macros of rational.cl. Its base z is r2 / r0^2 where that suffices, else x; n and m
 * are the exponents of z, in step * p and step * q. */
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

/* Defines the rest of PAIR_PARAMETERS: values of particles, four in each array; and of a text its
 * arrays, the number of particles and the cutoff. */
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
    strbuf_append(text,
                  "#define ENERGIES_APART %d\n#define WITH_TYPES %d\n#define WITH_CHARGES %d\n",
                  interaction_energies_apart(interaction), interaction_has_types(interaction),
                  interaction_has_charges(interaction));
    strbuf_append(text, "#define EXCLUDE_MOLECULES %d\n#define EXCLUDE_LISTED %d\n", molecules,
                  interaction->exclusions && !molecules);
    if (interaction_has_types(interaction)) {
        strbuf_append(text, "#define PAIR_TABLE_STRIDE %d\n",
                      type_parameters_as_powers(interaction) ? 2
                                                             : type_parameters_stride(interaction));
    }
    append_values(text, interaction);
}

void interaction_text_define(const struct case_spec *spec, struct strbuf *text) {
    append_switches(text, &spec->interaction);
    append_parameters(text, &spec->interaction);
    append_reach(text, &spec->interaction, spec->cutoff);
    append_switching(text, &spec->interaction, spec->precision);
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

/* Appends one term of a sum, within its own cutoff where it has one. A term of types is computed
 * where `terms` says that the pair has one, unless types are looked up by indices. */
static void append_term(struct strbuf *text, const struct interaction *interaction, int f,
                        struct cutoff cutoff) {
    const struct interaction_function *function = &interaction->functions[f];
    const bool powers = is_typed(interaction, function) && type_parameters_as_powers(interaction);
    strbuf_append(text, "    ");
    if (powers) {
        strbuf_append(text,
                      "if (terms) {\n"
                      "        const real2 entry = PAIR_TABLE_TWO(type_i * pair_types + type_j);\n"
                      "        real term = REAL(0.0);\n        force += "
                      "lj_force_over_r_of_powers(r2, entry.x, entry.y, &term);\n"
                      "        ADD_VAN_DER_WAALS(energy, term);\n    }\n");
        return;
    }
    if (is_typed(interaction, function)) {
        strbuf_append(text, "if (%sr2 <= entry[%d]) ",
                      interaction->value_count > 0 ? "" : "terms && ",
                      type_parameters_offset(interaction, f));
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

/* Appends the function that looks up types and exclusions by input index, and calls
 * pair_force_of_terms. */
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
    strbuf_append(text, "    return PAIR_FORCE_OF_TYPES(r2, particle_i, particle_j, PAIR_TYPE(i), "
                        "PAIR_TYPE(j), energy);\n}\n");
}

/* Reads the values of both particles and puts the two in order: by charges, then values, then
 * types. */
static void append_values_of_pair(struct strbuf *text, const struct interaction *interaction) {
    for (int quad = 0; 4 * quad < interaction->value_count; quad++) {
        strbuf_append(text,
                      "    real4 of_i_%d = pair_values_%d[i];\n"
                      "    real4 of_j_%d = pair_values_%d[j];\n",
                      quad, quad, quad, quad);
    }
    strbuf_append(
        text,
        "    const int is_last = particle_i.w != particle_j.w ? particle_i.w > particle_j.w :");
    for (int v = 0; v < interaction->value_count; v++) {
        const char c = "xyzw"[v % 4];
        strbuf_append(text, "of_i_%d.%c != of_j_%d.%c ? of_i_%d.%c > of_j_%d.%c : ", v / 4, c,
                      v / 4, c, v / 4, c, v / 4, c);
    }
    strbuf_append(text, "PAIR_TYPE(i) > PAIR_TYPE(j);\n"
                        "    PAIR_IN_ORDER(real4, particle_i, particle_j, is_last)\n"
                        "    PAIR_IN_ORDER(int, i, j, is_last)\n");
    for (int quad = 0; 4 * quad < interaction->value_count; quad++) {
        strbuf_append(text, "    PAIR_IN_ORDER(real4, of_i_%d, of_j_%d, is_last)\n", quad, quad);
    }
}

/* Appends the function that calls a text (kernels/potentials/pair_text.h), for excluded pairs,
 * too. */
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

/* Appends the pair function: a single one is called as it is; the terms of a sum are added up, or
 * only the term `only` unless that is negative. */
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
                      "DEVICE real pair_force_of_terms(%s, int terms, int type_i, int type_j, "
                      "pair_energy *energy PAIR_PARAMETERS)\n{\n"
                      "    const int is_last = type_i > type_j || (type_i == type_j && "
                      "particle_i.w > particle_j.w);\n"
                      "    PAIR_IN_ORDER(real4, particle_i, particle_j, is_last)\n"
                      "    PAIR_IN_ORDER(int, type_i, type_j, is_last)\n",
                      particles);
    } else {
        strbuf_append(text,
                      "DEVICE real pair_force_over_r(%s, pair_energy *energy)\n{\n"
                      "    PAIR_IN_ORDER(real4, particle_i, particle_j, "
                      "particle_i.w > particle_j.w)\n",
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
    if (typed && !type_parameters_as_powers(interaction)) {
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

/* Defines SLOPE_OF_BOND(t, r, energy) and the like, where a file of terms gives the energy. */
static void append_written_energies(struct strbuf *text, const struct bonded_terms *terms) {
    static const char *const words[] = {
        [BONDED_BONDS] = "BOND", [BONDED_ANGLES] = "ANGLE", [BONDED_TORSIONS] = "TORSION"
    };
    for (int kind = BONDED_BONDS; kind <= BONDED_TORSIONS; kind++) {
        const struct bonded_energy *written = &terms->lists[kind].written;
        const int width = kind == BONDED_TORSIONS ? 4 : 2;
        if (written->text) {
            strbuf_append_file(text, written->text->kernel_path, written->text->kernel);
            strbuf_append(text, "#define TEXT_OF_%s text_of_%s\n", words[kind],
                          bonded_forms[kind].name);
        }
        if (!written->expression) {
            continue;
        }
        strbuf_append_file(text, written->expression->path, written->expression->kernel[1]);
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

/* Whether the interaction contains kernel text, which may compute with vectors. */
static bool uses_vectors(const struct interaction *interaction) {
    bool uses = interaction->text != NULL;
    for (int kind = 0; interaction->bonded && kind < BONDED_KINDS; kind++) {
        uses = uses || interaction->bonded->lists[kind].written.text;
    }
    return uses;
}

void interaction_text_append(const struct case_spec *spec, struct strbuf *text) {
    const struct interaction *interaction = &spec->interaction;
    if (uses_vectors(interaction)) {
        strbuf_append_file(text, "variants/vectors.cl", embedded_text("variants/vectors.cl"));
    }
    if (interaction->bonded) {
        append_written_energies(text, interaction->bonded);
    }
    for (int f = 0; f < interaction->function_count; f++) {
        strbuf_append_file(text, interaction->functions[f].path, interaction->functions[f].source);
    }
    if (interaction->text) {
        append_pair_text(text, interaction);
    } else if (spec->variant->workload->all_pairs_exceed &&
               !interaction->functions[0].workload[0]) {
        append_pair_force(text, interaction, spec->cutoff,
                          tunings_value(&spec->tunings, JUDGED_TERM_TUNABLE, -1));
    }
}
