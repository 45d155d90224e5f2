#include "kernels/bindings.h"

#include "core/strings.h"
#include "kernels/launch.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- the case as a whole ---- */

static const struct offered_case *as_case(const void *offerer) {
    return offerer;
}

struct argument bindings_box(const struct cell *cell, bool periodic, bool is_double) {
    const bool triclinic = cell_is_triclinic(cell);
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

static struct argument value_of_box(const void *offerer) {
    const struct offered_case *of_case = as_case(offerer);
    return bindings_box(&of_case->cell, of_case->periodic, of_case->is_double);
}

/* A vector of box_args by itself. */
static struct argument vector_of_box(const void *offerer, int which) {
    const struct argument box = value_of_box(offerer);
    const size_t size = 4 * (as_case(offerer)->is_double ? sizeof(double) : sizeof(float));
    return argument_value((const char *)argument_bytes(&box) + (size_t)which * size, size);
}

static struct argument value_of_edge(const void *offerer) {
    return vector_of_box(offerer, 0);
}

static struct argument value_of_inverse_edge(const void *offerer) {
    return vector_of_box(offerer, 1);
}

static struct argument value_of_cutoff2(const void *offerer) {
    const double cutoff = as_case(offerer)->cutoff;
    return argument_real(cutoff * cutoff, as_case(offerer)->is_double);
}

/* Of time steps. Without rules (a header that is checked) there is nothing to give. */
static struct argument accum_of(const void *offerer, double value) {
    return argument_real(value, as_case(offerer)->accum_is_double);
}

static struct argument value_of_dt(const void *offerer) {
    return accum_of(offerer, as_case(offerer)->rules->dt);
}

static struct argument value_of_temperature(const void *offerer) {
    return accum_of(offerer, as_case(offerer)->rules->temperature);
}

static struct argument value_of_thermostat_time(const void *offerer) {
    return accum_of(offerer, as_case(offerer)->rules->time_constant);
}

static struct argument value_of_freedom(const void *offerer) {
    return accum_of(offerer, as_case(offerer)->freedom);
}

static struct argument value_of_links(const void *offerer) {
    return argument_int(as_case(offerer)->rules->chain);
}

/* What velocities keep in a step, and how much noise they get, per root of a mass. */
static struct argument value_of_noise_keep(const void *offerer) {
    const struct step_rules *rules = as_case(offerer)->rules;
    return accum_of(offerer, exp(-rules->friction * rules->dt));
}

static struct argument value_of_noise_size(const void *offerer) {
    const struct step_rules *rules = as_case(offerer)->rules;
    return accum_of(offerer, sqrt(-expm1(-2.0 * rules->friction * rules->dt) * rules->temperature));
}

static struct argument value_of_noise_seed(const void *offerer) {
    const int64_t seed = (int64_t)as_case(offerer)->rules->seed;
    return argument_value(&seed, sizeof seed);
}

static struct argument value_of_face_scale(const void *offerer) {
    return accum_of(offerer, as_case(offerer)->face_scale);
}

static const struct offer case_offers[] = {
    { "edge", "real4", OFFERED_BY(value_of_edge) },
    { "inverse_edge", "real4", OFFERED_BY(value_of_inverse_edge) },
    { "box", "box_args", OFFERED_BY(value_of_box) },
    { "cutoff2", "real", OFFERED_BY(value_of_cutoff2) },
    { "partial_sums", "GLOBAL accum *", OFFERED_BUFFER(offered_case, partial_sums) },
    { 0 },
};

/* Where there is no box, but numbers that are drawn. */
static const struct offer draw_offers[] = {
    { "seed", "long64", OFFERED_LONG(offered_case, seed) },
    { "step", "long64", OFFERED_LONG(offered_case, step) },
    { 0 },
};

static const struct offer *case_offers_of(const struct variant *variant) {
    return variant->workload->is_of_draws ? draw_offers : case_offers;
}

/* ---- bonded terms ---- */

static const struct offer term_offers[] = {
    { "term_count", "int", OFFERED_INT(offered_terms, term_count) },
    { "bond_count", "int", OFFERED_INT(offered_terms, counts[BONDED_BONDS]) },
    { "angle_count", "int", OFFERED_INT(offered_terms, counts[BONDED_ANGLES]) },
    { "torsion_count", "int", OFFERED_INT(offered_terms, counts[BONDED_TORSIONS]) },
    { "rb_torsion_count", "int", OFFERED_INT(offered_terms, counts[BONDED_RB_TORSIONS]) },
    { "term_atoms", "GLOBAL const int4 *", OFFERED_BUFFER(offered_terms, term_atoms) },
    { "term_ranks", "GLOBAL const int4 *", OFFERED_BUFFER(offered_terms, term_ranks) },
    { "incidence_start", "GLOBAL const int *", OFFERED_BUFFER(offered_terms, incidence_start) },
    { "incidences", "GLOBAL const int *", OFFERED_BUFFER(offered_terms, incidences) },
    { "bond_parameters", "GLOBAL const real2 *",
      OFFERED_BUFFER(offered_terms, parameters[BONDED_BONDS]) },
    { "angle_parameters", "GLOBAL const real2 *",
      OFFERED_BUFFER(offered_terms, parameters[BONDED_ANGLES]) },
    { "torsion_parameters", "GLOBAL const real4 *",
      OFFERED_BUFFER(offered_terms, parameters[BONDED_TORSIONS]) },
    { "rb_torsion_parameters", "GLOBAL const real2 *",
      OFFERED_BUFFER(offered_terms, parameters[BONDED_RB_TORSIONS]) },
    { 0 },
};
static const char *const term_units[] = { "term", "force_buffer", NULL };

/* ---- constraints ---- */

static const struct offer constraint_offers[] = {
    { "constraint_count", "int", OFFERED_INT(offered_constraints, constraint_count) },
    { "molecule_count", "int", OFFERED_INT(offered_constraints, molecule_count) },
    { "displacement", "GLOBAL const accum4 *", OFFERED_BUFFER(offered_constraints, displacement) },
    { "molecule_start", "GLOBAL const int *", OFFERED_BUFFER(offered_constraints, molecule_start) },
    { "molecule_particles", "GLOBAL const int *",
      OFFERED_BUFFER(offered_constraints, molecule_particles) },
    { "constraint_start", "GLOBAL const int *",
      OFFERED_BUFFER(offered_constraints, constraint_start) },
    { "constraint_atoms", "GLOBAL const int4 *",
      OFFERED_BUFFER(offered_constraints, constraint_atoms) },
    { "constraint_length", "GLOBAL const accum *",
      OFFERED_BUFFER(offered_constraints, constraint_length) },
    { "block_constraints", "GLOBAL const int *",
      OFFERED_BUFFER(offered_constraints, block_constraints) },
    { "block_particles", "GLOBAL const int *",
      OFFERED_BUFFER(offered_constraints, block_particles) },
    { "joint_start", "GLOBAL const int *", OFFERED_BUFFER(offered_constraints, joint_start) },
    { "joints", "GLOBAL const int *", OFFERED_BUFFER(offered_constraints, joints) },
    { "inverse_start", "GLOBAL const int *", OFFERED_BUFFER(offered_constraints, inverse_start) },
    { "inverse_column", "GLOBAL const int *", OFFERED_BUFFER(offered_constraints, inverse_column) },
    { "inverse_value", "GLOBAL const accum *", OFFERED_BUFFER(offered_constraints, inverse_value) },
    { "water_atoms", "GLOBAL const int4 *", OFFERED_BUFFER(offered_constraints, water_atoms) },
    { "water_shape", "GLOBAL const accum4 *", OFFERED_BUFFER(offered_constraints, water_shape) },
    { "star_atoms", "GLOBAL const int4 *", OFFERED_BUFFER(offered_constraints, star_atoms) },
    { "star_lengths", "GLOBAL const accum4 *", OFFERED_BUFFER(offered_constraints, star_lengths) },
    { 0 },
};
static const char *const constraint_units[] = { "constraint", "molecule", "block", NULL };

/* What listed terms offer, and in which units. */
static const struct offer *terms_offered(const struct workload *workload, size_t *at) {
    *at = workload->constrains ? offsetof(struct offered_case, constraints)
                               : offsetof(struct offered_case, terms);
    return !workload->takes_terms ? NULL : workload->constrains ? constraint_offers : term_offers;
}

static const char *const *units_of_terms(const struct workload *workload) {
    static const char *const step_units[] = { "molecule", NULL };
    return workload->forces_of      ? step_units
           : !workload->takes_terms ? NULL
           : workload->constrains   ? constraint_units
                                    : term_units;
}

static const struct offer step_offers[] = {
    { "dt", "accum", OFFERED_BY(value_of_dt) },
    { "totals", "GLOBAL accum *", OFFERED_BUFFER(offered_case, totals) },
    { "bath", "GLOBAL accum *", OFFERED_BUFFER(offered_case, thermostat) },
    { "field", "GLOBAL const accum *", OFFERED_BUFFER(offered_case, field) },
    { "face_sums", "GLOBAL long64 *", OFFERED_BUFFER(offered_case, face_sums) },
    { "face_scale", "accum", OFFERED_BY(value_of_face_scale) },
    { "molecule_count", "int", OFFERED_INT(offered_case, molecule_count) },
    { "water_atoms", "GLOBAL const int4 *", OFFERED_BUFFER(offered_case, water_atoms) },
    { "water_sides", "GLOBAL const accum *", OFFERED_BUFFER(offered_case, water_sides) },
    { "temperature", "accum", OFFERED_BY(value_of_temperature) },
    { "thermostat_time", "accum", OFFERED_BY(value_of_thermostat_time) },
    { "freedom", "accum", OFFERED_BY(value_of_freedom) },
    { "links", "int", OFFERED_BY(value_of_links) },
    { "noise_keep", "accum", OFFERED_BY(value_of_noise_keep) },
    { "noise_size", "accum", OFFERED_BY(value_of_noise_size) },
    { "noise_seed", "long64", OFFERED_BY(value_of_noise_seed) },
    { "step", "long64", OFFERED_LONG(offered_case, step) },
    { 0 },
};

/* ---- a set of particles ---- */

static const struct offer count_offers[] = { { "n", "int", OFFERED_INT(offered_set, n) },
                                             { "force_plane", "int",
                                               OFFERED_INT(offered_set, force_plane) },
                                             { 0 } };
static const struct offer listing_offers[] = { { "n_pairs", "int", OFFERED_INT(offered_set, n) },
                                               { 0 } };

/* What there is in each kind of groups, besides the fields of the workload. */
struct set_offers {
    const struct offer *each;     /* of each set; by its name alone where there is one */
    const struct offer *together; /* of all sets, from the first */
    int sets;
    const char *const *units; /* NULL-terminated */
};

static const struct set_offers *set_offers_of(const struct variant *variant) {
    static const char *const one_units[] = { "particle", "compute_unit", "box", NULL };
    static const char *const two_units[] = { "particle_a", "particle_b", "compute_unit", NULL };
    static const char *const draw_units[] = { "draw", "stream", "compute_unit", NULL };
    static const char *const pairs_units[] = { "pair", "compute_unit", NULL };
    static const struct set_offers of_groups[] = {
        [GROUPS_ONE] = { count_offers, NULL, 1, one_units },
        [GROUPS_TWO] = { count_offers, NULL, 2, two_units },
        [GROUPS_PAIRS] = { NULL, listing_offers, 2, pairs_units },
    };
    static const struct set_offers of_draws = { count_offers, NULL, 1, draw_units };
    return variant->workload->is_of_draws ? &of_draws : &of_groups[variant->groups];
}

/* ---- fields of the workload ---- */

static const struct offer position_offer = { "position", "GLOBAL const real4 *",
                                             OFFERED_BUFFER(offered_set, position) };
static const struct offer index_offer = { "index", "GLOBAL const int *",
                                          OFFERED_BUFFER(offered_set, index) };
static const struct offer result_offer = {
    "result", "GLOBAL accum4 * or GLOBAL accum * or GLOBAL force_sum *",
    OFFERED_BUFFER(offered_set, result)
};

static const struct offer draws_offer = { "result", "GLOBAL drawn *",
                                          OFFERED_BUFFER(offered_set, result) };

/* Of time steps. */
static const struct offer kept_offers[] = {
    { "position", "GLOBAL real4 *", OFFERED_BUFFER(offered_set, position) },
    { "position_rest", "GLOBAL real4 *", OFFERED_BUFFER(offered_set, position_rest) },
    { "velocity", "GLOBAL accum4 *", OFFERED_BUFFER(offered_set, velocity) },
    { "crossing", "GLOBAL int4 *", OFFERED_BUFFER(offered_set, crossing) },
    { "force", "GLOBAL accum4 * or GLOBAL accum * or GLOBAL force_sum *",
      OFFERED_BUFFER(offered_set, force) },
    { 0 },
};

/* Where a field lies. */
static const struct offer *offer_of_field(const struct workload_field *field) {
    if (field->use == FIELD_KEPT) {
        const struct offers kept[] = { { kept_offers, 0 }, { NULL, 0 } };
        return offers_find(kept, field->name, NULL);
    }
    if (field->use != FIELD_IN) {
        return strcmp(field->element, "drawn") == 0 ? &draws_offer : &result_offer;
    }
    return strcmp(field->name, index_offer.name) == 0 ? &index_offer : &position_offer;
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
    if (set_offers_of(variant)->sets > 1) {
        return binding_set(name, plain) >= 0 ? find_parameter(variant, field, plain) : NULL;
    }
    return find_parameter(variant, field, name);
}

static bool find_in_table(const struct offer *table, const char *name, size_t at,
                          struct binding *binding) {
    const struct offers of_table[] = { { table, at }, { NULL, 0 } };
    binding->offer = offers_find(of_table, name, &binding->at);
    return binding->offer != NULL;
}

/* Of one set, without _a or _b; `at` is where the set lies. */
static bool find_of_set(const struct variant *variant, const char *name, size_t at,
                        struct binding *binding) {
    const struct set_offers *offers = set_offers_of(variant);
    if (offers->each && find_in_table(offers->each, name, at, binding)) {
        return true;
    }
    for (const struct workload_field *field = variant->workload->fields; field->name; field++) {
        if (find_parameter(variant, field, name)) {
            binding->offer = offer_of_field(field);
            binding->at = at;
            return true;
        }
    }
    return false;
}

static bool find_of_sets(const struct variant *variant, const char *name, struct binding *binding) {
    const struct set_offers *offers = set_offers_of(variant);
    const size_t first = offsetof(struct offered_case, sets);
    char plain[VARIANT_NAME_SIZE];
    if (offers->together && find_in_table(offers->together, name, first, binding)) {
        return true;
    }
    if (offers->sets == 1) {
        return find_of_set(variant, name, first, binding);
    }
    const int side = binding_set(name, plain);
    return side >= 0 &&
           find_of_set(variant, plain, first + (size_t)side * sizeof(struct offered_set), binding);
}

static bool find_of_structure(const struct variant *variant, const char *name,
                              struct binding *binding) {
    const struct structure_class *structure = structure_find(variant->structure);
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
    for (; structure && !binding->offer; structure = structure_below(structure)) {
        binding->structure = structure;
        binding->offer = offers_find(structure->offers, two ? plain : name, &binding->at);
    }
    return binding->offer != NULL;
}

bool bindings_find_offer(const struct variant *variant, const char *name, struct binding *binding) {
    *binding = (struct binding){ .source = BINDING_CASE };
    const bool has_steps = variant->workload->forces_of != NULL;
    size_t terms;
    const struct offer *of_terms = terms_offered(variant->workload, &terms);
    const bool found = find_in_table(case_offers_of(variant), name, 0, binding) ||
                       (of_terms && find_in_table(of_terms, name, terms, binding)) ||
                       (has_steps && find_in_table(step_offers, name, 0, binding)) ||
                       find_of_sets(variant, name, binding) ||
                       find_of_structure(variant, name, binding);
    if (found) {
        (void)snprintf(binding->type, sizeof binding->type, "%s", binding->offer->type);
    }
    return found;
}

bool binding_find(const struct variant *variant, const char *name, struct binding *binding) {
    if (bindings_find_offer(variant, name, binding)) {
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

struct argument binding_value(const struct binding *binding, const void *offerer) {
    return offer_value(binding->offer, (const char *)offerer + binding->at);
}

/* ---- units ---- */

static bool is_among(const char *name, const char *const *offered) {
    for (; offered && *offered; offered++) {
        if (strcmp(name, *offered) == 0) {
            return true;
        }
    }
    return false;
}

bool bindings_have_unit(const struct variant *variant, const char *unit) {
    const struct structure_class *structure = structure_find(variant->structure);
    char plain[VARIANT_NAME_SIZE];
    if (is_among(unit, set_offers_of(variant)->units) ||
        is_among(unit, units_of_terms(variant->workload))) {
        return true;
    }
    if (has_two_structures(variant)) {
        if (binding_set(unit, plain) < 0) {
            return false;
        }
        unit = plain;
    }
    while (structure && !is_among(unit, structure->units)) {
        structure = structure_below(structure);
    }
    return structure != NULL;
}

/* ---- words ---- */

static void append_name(struct strbuf *names, const char *name) {
    strbuf_append(names, "%s%s", names->length ? ", " : "", name);
}

/* Each name once, or with _a and _b where there are two. */
static void append_sides(struct strbuf *names, const char *name, bool two) {
    if (!two) {
        append_name(names, name);
        return;
    }
    strbuf_append(names, "%s%s_a, %s_b", names->length ? ", " : "", name, name);
}

static void append_table(struct strbuf *names, const struct offer *table, bool two) {
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
    const struct structure_class *structure = structure_find(variant->structure);
    const struct set_offers *of_sets = set_offers_of(variant);
    size_t terms;
    append_table(names, of_sets->together, false);
    append_table(names, of_sets->each, of_sets->sets > 1);
    append_fields(names, variant, of_sets->sets > 1);
    append_table(names, case_offers_of(variant), false);
    append_table(names, terms_offered(variant->workload, &terms), false);
    append_table(names, variant->workload->forces_of ? step_offers : NULL, false);
    for (; structure; structure = structure_below(structure)) {
        for (const struct offers *o = structure->offers; o && o->table; o++) {
            append_table(names, o->table, has_two_structures(variant));
        }
    }
    for (int s = 0; s < variant->scratch_count; s++) {
        append_name(names, variant->scratch[s].name);
    }
}

void bindings_list_units(const struct variant *variant, struct strbuf *units) {
    const struct structure_class *structure = structure_find(variant->structure);
    for (const char *const *unit = set_offers_of(variant)->units; *unit; unit++) {
        append_name(units, *unit);
    }
    for (const char *const *unit = units_of_terms(variant->workload); unit && *unit; unit++) {
        append_name(units, *unit);
    }
    for (; structure; structure = structure_below(structure)) {
        for (const char *const *unit = structure->units; unit && *unit; unit++) {
            append_sides(units, *unit, has_two_structures(variant));
        }
    }
}
