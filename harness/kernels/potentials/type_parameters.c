
#include "core/strings.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/eam_table.h"
#include "kernels/potentials/element_table.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int type_parameters_offset(const struct interaction *interaction, int f) {
    int offset = 0;
    for (int g = 0; g < f; g++) {
        if (interaction_function_may_be_typed(&interaction->functions[g])) {
            offset += 1 + interaction->functions[g].count;
        }
    }
    return offset;
}

int type_parameters_stride(const struct interaction *interaction) {
    return type_parameters_offset(interaction, interaction->function_count);
}

void type_parameters_powers(const double *entry, double powers[2]) {
    const double sixth = pow(entry[2], 6);
    powers[0] = entry[0] > 0 ? 48 * entry[1] * sixth * sixth : 0;
    powers[1] = entry[0] > 0 ? 24 * entry[1] * sixth : 0;
}

/* Far from where a float, or what is multiplied by one of r^-14, overflows or underflows. */
static bool powers_fit(double epsilon, double sigma) {
    const double entry[] = { INFINITY, epsilon, sigma };
    double powers[2];
    type_parameters_powers(entry, powers);
    return epsilon == 0 || (powers[0] > 1e-24 && powers[0] < 1e24 && sigma > 1e-2 && sigma < 1e2);
}

/* The value that a type has of parameter p of the first function, or all types without one. */
static double value_or_all(const struct interaction *interaction, int v, int p) {
    const struct interaction_type_value *own = v < 0 ? NULL : &interaction->type_values[v];
    return own && own->parameter == p ? own->value : interaction->parameters[p].value;
}

/* Mixed values lie between those that are mixed. */
static bool mixed_powers_fit(const struct interaction *interaction, int first) {
    bool fit = true;
    for (int v = -1; v < interaction->type_value_count; v++) {
        for (int w = -1; w < interaction->type_value_count; w++) {
            fit = fit && powers_fit(value_or_all(interaction, v, first),
                                    value_or_all(interaction, w, first + 1));
        }
    }
    return fit;
}

bool type_parameters_as_powers(const struct interaction *interaction) {
    const struct interaction_function *lj = NULL;
    int typed = 0;
    for (int f = 0; f < interaction->function_count; f++) {
        if (interaction_function_may_be_typed(&interaction->functions[f])) {
            lj = &interaction->functions[f];
            typed++;
        }
    }
    if (typed != 1 || strcmp(lj->name, "lj") != 0 || isfinite(lj->cutoff) ||
        interaction->value_count > 0 || !interaction_has_types(interaction)) {
        return false;
    }
    const struct type_table *table = interaction->table;
    bool fit = table || mixed_powers_fit(interaction, lj->first);
    for (size_t e = 0; table && e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        fit = fit && !isfinite(entry->cutoff) && powers_fit(entry->value[0], entry->value[1]);
    }
    return fit;
}

/* All types of this name: a file may give one name to several. */
static bool has_type(const struct box *box, const char *name) {
    for (int32_t t = 0; t < box->types; t++) {
        if (strcmp(box->species[t], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool fail_type(const struct box *box, const char *place, const char *name,
                      struct error *error) {
    enum { NAMED = 12 };
    struct strbuf choices = { 0 };
    for (int32_t t = 0; t < box->types && t < NAMED; t++) {
        strbuf_append(&choices, "%s%s", t ? ", " : "", box->species[t]);
    }
    (void)fail(error, STATUS_BAD_INPUT, "%s: the box has no type \"%s\"; expected one of %s%s",
               place, name, choices.data ? choices.data : "", box->types > NAMED ? ", ..." : "");
    strbuf_free(&choices);
    return false;
}

static bool check_types(const struct interaction *interaction, const struct box *box,
                        struct error *error) {
    const struct type_table *table = interaction->table;
    for (size_t e = 0; table && e < table->count; e++) {
        for (int k = 0; k < 2; k++) {
            if (!has_type(box, table->entries[e].type[k])) {
                char place[600];
                (void)snprintf(place, sizeof place, "%.512s:%d", table->path,
                               table->entries[e].line);
                return fail_type(box, place, table->entries[e].type[k], error);
            }
        }
    }
    for (int v = 0; v < interaction->type_value_count; v++) {
        const struct interaction_type_value *value = &interaction->type_values[v];
        if (!has_type(box, value->type)) {
            char place[160];
            (void)snprintf(place, sizeof place, "interaction %s: %s.%s", interaction->name,
                           interaction->parameters[value->parameter].name, value->type);
            return fail_type(box, place, value->type, error);
        }
    }
    return true;
}

static void fill_from_table(const struct interaction *interaction, const struct box *box, int32_t a,
                            int32_t b, double *values) {
    const struct type_table *table = interaction->table;
    struct table_entry pair = { .line = 0 };
    memcpy(pair.type[0], box->species[a], SPECIES_SIZE);
    memcpy(pair.type[1], box->species[b], SPECIES_SIZE);
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        values[type_parameters_offset(interaction, f)] = -1; /* no such term */
    }
    for (size_t e = 0; e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        if (table_entries_same_pair(entry, &pair)) {
            const struct interaction_function *function = &interaction->functions[entry->function];
            double *slot = values + type_parameters_offset(interaction, entry->function);
            slot[0] = isfinite(entry->cutoff) ? entry->cutoff : function->cutoff;
            memcpy(slot + 1, entry->value, (size_t)function->count * sizeof *slot);
        }
    }
}

/* The value of a parameter for one type. */
static double value_for(const struct interaction *interaction, int parameter, const char *type) {
    for (int v = 0; v < interaction->type_value_count; v++) {
        if (interaction->type_values[v].parameter == parameter &&
            strcmp(interaction->type_values[v].type, type) == 0) {
            return interaction->type_values[v].value;
        }
    }
    return interaction->parameters[parameter].value;
}

/* Mixes a parameter as its header says: Lorentz for lengths, Berthelot for energies. One without a
 * rule has no values for single types. */
static double mix(const struct interaction *interaction, int parameter, const char *a,
                  const char *b) {
    double of_a = value_for(interaction, parameter, a);
    double of_b = value_for(interaction, parameter, b);
    switch (interaction->parameters[parameter].mixing) {
    case MIXING_ARITHMETIC:
        return 0.5 * (of_a + of_b);
    case MIXING_GEOMETRIC:
        return of_a == of_b ? of_a : sqrt(of_a * of_b);
    default:
        return of_a;
    }
}

static void fill_by_mixing(const struct interaction *interaction, const struct box *box, int32_t a,
                           int32_t b, double *values) {
    for (int f = 0; next_van_der_waals(interaction, &f); f++) {
        const struct interaction_function *function = &interaction->functions[f];
        double *slot = values + type_parameters_offset(interaction, f);
        slot[0] = function->cutoff;
        for (int p = 0; p < function->count; p++) {
            slot[1 + p] = mix(interaction, function->first + p, box->species[a], box->species[b]);
        }
    }
}

static bool has_term(const struct interaction *interaction,
                     const struct type_parameters *parameters, int type) {
    for (int other = 0; other < parameters->types; other++) {
        const double *entry =
            parameters->values + (type * parameters->types + other) * parameters->stride;
        for (int f = 0; next_van_der_waals(interaction, &f); f++) {
            if (entry[type_parameters_offset(interaction, f)] >= 0) {
                return true;
            }
        }
    }
    return false;
}

int32_t type_parameters_bare(const struct interaction *interaction,
                             const struct type_parameters *parameters) {
    enum { BITS = 31 };
    int32_t bare = 0;
    for (int type = 0; type < parameters->types && type < BITS; type++) {
        bare |= has_term(interaction, parameters, type) ? 0 : INT32_C(1) << type;
    }
    return bare;
}

bool type_parameters_resolve(const struct interaction *interaction, const struct box *box,
                             struct type_parameters *parameters, struct error *error) {
    *parameters = (struct type_parameters){ 0 };
    if (!interaction_has_types(interaction)) {
        return true;
    }
    if (!check_types(interaction, box, error)) {
        return false;
    }
    parameters->types = box->types;
    parameters->stride = type_parameters_stride(interaction);
    const size_t types = (size_t)box->types;
    const size_t stride = (size_t)parameters->stride;
    parameters->values = calloc(types * types * stride + 1, sizeof *parameters->values);
    if (!parameters->values) {
        return fail_out_of_memory(error, "the parameters of the types");
    }
    for (size_t k = 0; k < types * types; k++) {
        (interaction->table ? fill_from_table : fill_by_mixing)(
            interaction, box, (int32_t)(k / types), (int32_t)(k % types),
            parameters->values + k * stride);
    }
    return true;
}

void type_parameters_free(struct type_parameters *parameters) {
    free(parameters->values);
    *parameters = (struct type_parameters){ 0 };
}

/* ---- whether all fits ---- */

static const struct interaction_function *
function_of_longest_cutoff(const struct interaction *interaction) {
    const struct interaction_function *longest = NULL;
    for (int f = 0; f < interaction->function_count; f++) {
        const struct interaction_function *function = &interaction->functions[f];
        if (isfinite(function->cutoff) && (!longest || function->cutoff > longest->cutoff)) {
            longest = function;
        }
    }
    return longest;
}

static const struct table_entry *entry_of_longest_cutoff(const struct interaction *interaction) {
    const struct type_table *table = interaction->table;
    const struct table_entry *longest = NULL;
    for (size_t e = 0; table && e < table->count; e++) {
        const struct table_entry *entry = &table->entries[e];
        if (isfinite(entry->cutoff) && (!longest || entry->cutoff > longest->cutoff)) {
            longest = entry;
        }
    }
    return longest;
}

double interaction_longest_cutoff(const struct interaction *interaction) {
    const struct interaction_function *function = function_of_longest_cutoff(interaction);
    const struct table_entry *entry = entry_of_longest_cutoff(interaction);
    return fmax(function ? function->cutoff : 0, entry ? entry->cutoff : 0);
}

/* The longest is named, so that a cutoff of which the message speaks will do. */
bool interaction_accepts_cutoff(const struct interaction *interaction, double cutoff,
                                struct error *error) {
    const struct interaction_function *function = function_of_longest_cutoff(interaction);
    const struct table_entry *entry = entry_of_longest_cutoff(interaction);
    const double least = interaction_longest_cutoff(interaction);
    if (least <= cutoff) {
        return true;
    }
    if (entry && entry->cutoff == least) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%s:%d: the cutoff %.9g of types %s and %s is longer than the case's, %.9g; expected "
            "a cutoff of at least %.15g",
            interaction->table->path, entry->line, least, entry->type[0], entry->type[1], cutoff,
            least);
    }
    return fail(error, STATUS_BAD_INPUT,
                "interaction %s: the cutoff %.9g of %s is longer than the case's, %.9g; expected a "
                "cutoff of at least %.15g",
                interaction->name, least, function->name, cutoff, least);
}

static bool check_values(const struct interaction *interaction, const struct box *box,
                         struct error *error) {
    for (int v = 0; v < interaction->value_count; v++) {
        const struct particle_values *values = interaction->values[v];
        if (values->count != box->n) {
            return fail(error, STATUS_BAD_INPUT,
                        "%s: %zu values; the box has %zu particles, expected one for each",
                        values->path, values->count, box->n);
        }
    }
    return true;
}

bool interaction_fits(const struct interaction *interaction, const struct box *box, double cutoff,
                      struct error *error) {
    return (!interaction_has_charges(interaction) ||
            box_says_charges(box, interaction->name, error)) &&
           interaction_accepts_cutoff(interaction, cutoff, error) &&
           check_types(interaction, box, error) && check_values(interaction, box, error) &&
           (!interaction->exclusions || exclusions_fit(interaction->exclusions, box, error)) &&
           (!interaction->eam || eam_table_fits(interaction->eam, box, error)) &&
           (!interaction->elements || element_table_fits(interaction->elements, box, error)) &&
           (!interaction->bonded || bonded_fit(interaction->bonded, box, error));
}
