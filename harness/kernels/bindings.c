#include "kernels/bindings.h"

#include "kernels/launch.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- tables of parameters ---- */

struct argument kernel_parameter_value(const struct kernel_parameter *parameter,
                                       const void *owner) {
    const char *member = (const char *)owner + parameter->at;
    struct buffer *buffer;
    int32_t narrow;
    size_t wide;
    switch (parameter->kind) {
    case VALUE_BUFFER:
        memcpy(&buffer, member, sizeof buffer);
        return argument_buffer(buffer);
    case VALUE_INT:
        if (parameter->size == sizeof wide) {
            memcpy(&wide, member, sizeof wide);
            return argument_int((int32_t)wide);
        }
        memcpy(&narrow, member, sizeof narrow);
        return argument_int(narrow);
    case VALUE_LONG:
        return argument_value(member, sizeof(int64_t));
    case VALUE_COMPUTED:
        break;
    }
    return parameter->compute(owner);
}

/* The parameter of that name and its place in the owner; NULL when there is none. `at` may be NULL.
 */
static const struct kernel_parameter *find_in_tables(const struct parameter_table *tables,
                                                     const char *name, size_t *at) {
    for (; tables && tables->table; tables++) {
        for (const struct kernel_parameter *parameter = tables->table; parameter->name;
             parameter++) {
            if (strcmp(parameter->name, name) == 0) {
                if (at) {
                    *at = tables->at;
                }
                return parameter;
            }
        }
    }
    return NULL;
}

bool parameter_tables_value(const struct parameter_table *tables, const void *owner,
                            const char *name, struct argument *argument) {
    size_t at = 0;
    const struct kernel_parameter *parameter = find_in_tables(tables, name, &at);
    if (parameter) {
        *argument = kernel_parameter_value(parameter, (const char *)owner + at);
    }
    return parameter != NULL;
}

/* ---- what is requested ---- */

int binding_set(const char *name, char plain[VARIANT_NAME_SIZE]) {
    const size_t length = strlen(name);
    if (length < 3 || length >= VARIANT_NAME_SIZE || name[length - 2] != '_' ||
        (name[length - 1] != 'a' && name[length - 1] != 'b')) {
        return -1;
    }
    memcpy(plain, name, length - 2);
    plain[length - 2] = '\0';
    return name[length - 1] - 'a';
}

bool requested_names_have(const struct requested_names *requested, const char *name) {
    for (size_t i = 0; i < requested->count; i++) {
        if (strcmp(requested->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds a name, unless it is there. Names beyond REQUESTED_NAMES_MAX are dropped. */
static void add_requested(struct requested_names *requested, const char *name) {
    if (requested->count < REQUESTED_NAMES_MAX && !requested_names_have(requested, name)) {
        (void)snprintf(requested->names[requested->count++], VARIANT_NAME_SIZE, "%s", name);
    }
}

static void add_word(struct requested_names *requested, const char *word) {
    char plain[VARIANT_NAME_SIZE];
    add_requested(requested, word);
    if (binding_set(word, plain) >= 0) {
        add_requested(requested, plain);
    }
}

void requested_names_of_variant(const struct variant *variant, struct requested_names *requested) {
    for (int p = 0; p < variant->pass_count; p++) {
        const struct pass *pass = &variant->passes[p];
        add_word(requested, pass->unit);
        for (int a = 0; a < pass->argument_count; a++) {
            add_word(requested, pass->arguments[a]);
        }
    }
}

/* ---- the case as a whole ---- */

static const struct case_arguments *as_case(const void *owner) {
    return owner;
}

struct argument bindings_box(const struct cell *cell, bool periodic, bool is_double) {
    return bindings_box_of_kind(cell, cell_is_triclinic(cell), periodic, is_double);
}

struct argument bindings_box_of_kind(const struct cell *cell, bool triclinic, bool periodic,
                                     bool is_double) {
    struct box_args_double wide = { .edge = { 0 } };
    struct box_args_float narrow;
    memcpy(wide.edge, cell->edge, sizeof cell->edge);
    memcpy(wide.tilt, cell->tilt, sizeof cell->tilt);
    for (int d = 0; d < 3; d++) {
        wide.inverse_edge[d] = periodic ? 1 / cell->edge[d] : 0;
    }
    for (int d = 0; d < 4; d++) {
        narrow.edge[d] = (float)wide.edge[d];
        narrow.inverse_edge[d] = (float)wide.inverse_edge[d];
        narrow.tilt[d] = (float)wide.tilt[d];
    }
    return is_double ? argument_value(&wide, triclinic ? sizeof wide
                                                       : offsetof(struct box_args_double, tilt))
                     : argument_value(&narrow, triclinic ? sizeof narrow
                                                         : offsetof(struct box_args_float, tilt));
}

static struct argument value_of_box(const void *owner) {
    const struct case_arguments *of_case = as_case(owner);
    return bindings_box(&of_case->cell, of_case->periodic, of_case->is_double);
}

/* A vector of box_args by itself. */
static struct argument vector_of_box(const void *owner, int which) {
    const struct argument box = value_of_box(owner);
    const size_t size = 4 * (as_case(owner)->is_double ? sizeof(double) : sizeof(float));
    return argument_value((const char *)argument_bytes(&box) + (size_t)which * size, size);
}

static struct argument value_of_edge(const void *owner) {
    return vector_of_box(owner, 0);
}

static struct argument value_of_inverse_edge(const void *owner) {
    return vector_of_box(owner, 1);
}

static struct argument value_of_cutoff2(const void *owner) {
    const double cutoff = as_case(owner)->cutoff;
    return argument_real(cutoff * cutoff, as_case(owner)->is_double);
}

const struct kernel_parameter bindings_of_case[] = {
    { "edge", "real4", FROM_FUNCTION(value_of_edge) },
    { "inverse_edge", "real4", FROM_FUNCTION(value_of_inverse_edge) },
    { "box", "box_args", FROM_FUNCTION(value_of_box) },
    { "cutoff2", "real", FROM_FUNCTION(value_of_cutoff2) },
    { "partial_sums", "GLOBAL accum *", FROM_BUFFER(case_arguments, partial_sums) },
    { 0 },
};

/* ---- a set of particles ---- */

static const struct kernel_parameter count_parameters[] = {
    { "n", "int", FROM_INT(set_arguments, n) },
    { "force_plane", "int", FROM_INT(set_arguments, force_plane) },
    { 0 }
};
static const struct kernel_parameter listing_parameters[] = {
    { "n_pairs", "int", FROM_INT(set_arguments, n) }, { 0 }
};

/* The parameters that kernels of each kind of groups have, besides the fields of the workload. */
struct set_parameters {
    const struct kernel_parameter *each;     /* of each set; by its name alone where there is one */
    const struct kernel_parameter *together; /* of all sets, from the first */
    int sets;
};

static const struct set_parameters *parameters_of_sets(const struct variant *variant) {
    static const struct set_parameters of_groups[] = {
        [GROUPS_ONE] = { count_parameters, NULL, 1 },
        [GROUPS_TWO] = { count_parameters, NULL, 2 },
        [GROUPS_PAIRS] = { NULL, listing_parameters, 2 },
    };
    return &of_groups[variant->groups];
}

/* ---- fields of the workload ---- */

static const struct kernel_parameter position_parameter = { "position", "GLOBAL const real4 *",
                                                            FROM_BUFFER(set_arguments, position) };
static const struct kernel_parameter index_parameter = { "index", "GLOBAL const int *",
                                                         FROM_BUFFER(set_arguments, index) };
static const struct kernel_parameter result_parameter = {
    "result", "GLOBAL accum4 * or GLOBAL accum * or GLOBAL force_sum *",
    FROM_BUFFER(set_arguments, result)
};

/* What time steps keep from launch to launch. */
static const struct kernel_parameter kept_parameters[] = {
    { "position", "GLOBAL real4 *", FROM_BUFFER(set_arguments, position) },
    { "position_rest", "GLOBAL real4 *", FROM_BUFFER(set_arguments, position_rest) },
    { "velocity", "GLOBAL accum4 *", FROM_BUFFER(set_arguments, velocity) },
    { "crossing", "GLOBAL int4 *", FROM_BUFFER(set_arguments, crossing) },
    { "force", "GLOBAL accum4 * or GLOBAL accum * or GLOBAL force_sum *",
      FROM_BUFFER(set_arguments, force) },
    { 0 },
};

/* The parameter through which kernels reach a field. */
static const struct kernel_parameter *parameter_of_field(const struct workload *workload,
                                                         const struct workload_field *field) {
    if (field->use == FIELD_KEPT) {
        const struct parameter_table kept[] = { { kept_parameters, 0 }, { NULL, 0 } };
        return find_in_tables(kept, field->name, NULL);
    }
    if (field->use != FIELD_IN) {
        return workload->places ? workload->places->result : &result_parameter;
    }
    return strcmp(field->name, index_parameter.name) == 0 ? &index_parameter : &position_parameter;
}

static bool has_field(const struct variant *variant, const struct workload_field *field) {
    return (field->groups >> variant->groups & 1U) != 0;
}

/* Whether a structure stands over each of two groups. */
static bool has_two_structures(const struct variant *variant) {
    return variant->groups == GROUPS_TWO;
}

/* ---- finding ---- */

/* The parameter of a field of one set that has that name, without _a or _b. */
static const struct workload_parameter *find_parameter(const struct variant *variant,
                                                       const struct workload_field *field,
                                                       const char *name) {
    for (int p = 0; has_field(variant, field) && p < WORKLOAD_MAX_PARAMETERS; p++) {
        const struct workload_parameter *parameter = &field->parameters[p];
        if (parameter->name && strcmp(parameter->name, name) == 0) {
            return parameter;
        }
    }
    return NULL;
}

const struct workload_parameter *binding_result(const struct variant *variant, const char *name) {
    const struct workload_field *field = workload_result(variant->workload);
    char plain[VARIANT_NAME_SIZE];
    if (parameters_of_sets(variant)->sets > 1) {
        return binding_set(name, plain) >= 0 ? find_parameter(variant, field, plain) : NULL;
    }
    return find_parameter(variant, field, name);
}

static bool find_in_table(const struct kernel_parameter *table, const char *name, size_t at,
                          struct binding *binding) {
    const struct parameter_table of_table[] = { { table, at }, { NULL, 0 } };
    binding->parameter = find_in_tables(of_table, name, &binding->at);
    return binding->parameter != NULL;
}

/* Finds a name, without _a or _b, among the parameters of one set; `at` is where the set lies. */
static bool find_of_set(const struct variant *variant, const char *name, size_t at,
                        struct binding *binding) {
    const struct set_parameters *tables = parameters_of_sets(variant);
    if (tables->each && find_in_table(tables->each, name, at, binding)) {
        return true;
    }
    for (const struct workload_field *field = variant->workload->fields; field->name; field++) {
        if (find_parameter(variant, field, name)) {
            binding->parameter = parameter_of_field(variant->workload, field);
            binding->at = at;
            return true;
        }
    }
    return false;
}

static bool find_of_sets(const struct variant *variant, const char *name, struct binding *binding) {
    const struct set_parameters *tables = parameters_of_sets(variant);
    const size_t first = offsetof(struct case_arguments, sets);
    char plain[VARIANT_NAME_SIZE];
    if (tables->together && find_in_table(tables->together, name, first, binding)) {
        return true;
    }
    if (tables->sets == 1) {
        return find_of_set(variant, name, first, binding);
    }
    const int side = binding_set(name, plain);
    return side >= 0 && find_of_set(variant, plain,
                                    first + (size_t)side * sizeof(struct set_arguments), binding);
}

static bool find_of_structure(const struct variant *variant, const char *name,
                              struct binding *binding) {
    const struct structure_class *structure = variant->structure_class;
    char plain[VARIANT_NAME_SIZE];
    const bool two = has_two_structures(variant);
    const int side = two ? binding_set(name, plain) : 0;
    if (!structure || side < 0) {
        return false;
    }
    binding->source = BINDING_STRUCTURE;
    binding->set = side;
    binding->structure = structure;
    if (*variant->fills && structure->filled &&
        find_in_table(structure->filled, name, 0, binding)) {
        return true;
    }
    for (; structure && !binding->parameter; structure = structure->needs) {
        binding->structure = structure;
        binding->parameter =
            find_in_tables(structure->parameter_tables, two ? plain : name, &binding->at);
    }
    return binding->parameter != NULL;
}

bool bindings_look_up(const struct variant *variant, const char *name, struct binding *binding) {
    *binding = (struct binding){ .source = BINDING_CASE };
    binding->parameter = find_in_tables(variant->workload->parameter_tables, name, &binding->at);
    const bool found = binding->parameter || find_of_sets(variant, name, binding) ||
                       find_of_structure(variant, name, binding);
    if (found) {
        (void)snprintf(binding->type, sizeof binding->type, "%s", binding->parameter->type);
    }
    return found;
}

bool binding_find(const struct variant *variant, const char *name, struct binding *binding) {
    if (bindings_look_up(variant, name, binding)) {
        return true;
    }
    for (int s = 0; s < variant->scratch_count; s++) {
        if (strcmp(variant->scratch[s].name, name) == 0) {
            *binding = (struct binding){ .source = BINDING_SCRATCH, .scratch = s };
            scratch_parameter_type(&variant->scratch[s], binding->type, sizeof binding->type);
            return true;
        }
    }
    for (int i = 0; i < variant->null_count; i++) {
        if (strcmp(variant->nulls[i], name) == 0) {
            *binding = (struct binding){ .source = BINDING_NULL };
            (void)snprintf(binding->type, sizeof binding->type, "void *");
            return true;
        }
    }
    return false;
}

struct argument binding_value(const struct binding *binding, const void *owner) {
    return kernel_parameter_value(binding->parameter, (const char *)owner + binding->at);
}

/* ---- units ---- */

bool bindings_have_unit(const struct variant *variant, const char *unit) {
    const struct structure_class *structure = variant->structure_class;
    char plain[VARIANT_NAME_SIZE];
    if (word_place(variant->workload->units[variant->groups], unit) >= 0) {
        return true;
    }
    if (has_two_structures(variant)) {
        if (binding_set(unit, plain) < 0) {
            return false;
        }
        unit = plain;
    }
    while (structure && word_place(structure->units, unit) < 0) {
        structure = structure->needs;
    }
    return structure != NULL;
}

/* ---- words ---- */

static void append_name(struct strbuf *names, const char *name) {
    strbuf_append(names, "%s%s", names->length ? ", " : "", name);
}

/* Appends each name once or, of two sets, with _a and with _b. */
static void append_sides(struct strbuf *names, const char *name, bool two) {
    if (!two) {
        append_name(names, name);
        return;
    }
    strbuf_append(names, "%s%s_a, %s_b", names->length ? ", " : "", name, name);
}

static void append_table(struct strbuf *names, const struct kernel_parameter *table, bool two) {
    for (; table && table->name; table++) {
        append_sides(names, table->name, two);
    }
}

static void append_fields(struct strbuf *names, const struct variant *variant, bool two) {
    for (const struct workload_field *field = variant->workload->fields; field->name; field++) {
        for (int p = 0; has_field(variant, field) && p < WORKLOAD_MAX_PARAMETERS; p++) {
            if (field->parameters[p].name) {
                append_sides(names, field->parameters[p].name, two);
            }
        }
    }
}

void bindings_list(const struct variant *variant, struct strbuf *names) {
    const struct structure_class *structure = variant->structure_class;
    const struct set_parameters *of_sets = parameters_of_sets(variant);
    append_table(names, of_sets->together, false);
    append_table(names, of_sets->each, of_sets->sets > 1);
    append_fields(names, variant, of_sets->sets > 1);
    for (const struct parameter_table *o = variant->workload->parameter_tables; o->table; o++) {
        append_table(names, o->table, false);
    }
    for (; structure; structure = structure->needs) {
        for (const struct parameter_table *o = structure->parameter_tables; o && o->table; o++) {
            append_table(names, o->table, has_two_structures(variant));
        }
    }
    for (int s = 0; s < variant->scratch_count; s++) {
        append_name(names, variant->scratch[s].name);
    }
}

void bindings_list_units(const struct variant *variant, struct strbuf *units) {
    const struct structure_class *structure = variant->structure_class;
    const char *const *own = variant->workload->units[variant->groups];
    for (; own && *own; own++) {
        append_name(units, *own);
    }
    for (; structure; structure = structure->needs) {
        for (const char *const *unit = structure->units; unit && *unit; unit++) {
            append_sides(units, *unit, has_two_structures(variant));
        }
    }
}
