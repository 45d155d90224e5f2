#include "variant/bindings.h"

#include <string.h>

/* ---- the case as a whole ---- */

static const struct offered_case *as_case(const void *offerer) {
    return offerer;
}

static void inverse_edges(const struct offered_case *of_case, double inverse[4]) {
    for (int d = 0; d < 3; d++) {
        inverse[d] = of_case->periodic ? 1 / of_case->edge[d] : 0;
    }
    inverse[3] = 0;
}

static struct argument value_of_edge(const void *offerer) {
    const double *edge = as_case(offerer)->edge;
    const double four[4] = { edge[0], edge[1], edge[2], 0 };
    return argument_real4(four, as_case(offerer)->is_double);
}

static struct argument value_of_inverse_edge(const void *offerer) {
    double four[4];
    inverse_edges(as_case(offerer), four);
    return argument_real4(four, as_case(offerer)->is_double);
}

static struct argument value_of_box(const void *offerer) {
    const struct offered_case *of_case = as_case(offerer);
    struct box_args_double wide = { .edge = { of_case->edge[0], of_case->edge[1],
                                              of_case->edge[2] } };
    struct box_args_float narrow;
    inverse_edges(of_case, wide.inverse_edge);
    for (int d = 0; d < 4; d++) {
        narrow.edge[d] = (float)wide.edge[d];
        narrow.inverse_edge[d] = (float)wide.inverse_edge[d];
    }
    return of_case->is_double ? argument_value(&wide, sizeof wide)
                              : argument_value(&narrow, sizeof narrow);
}

static struct argument value_of_cutoff2(const void *offerer) {
    const double cutoff = as_case(offerer)->cutoff;
    return argument_real(cutoff * cutoff, as_case(offerer)->is_double);
}

DEFINE_BUFFER_VALUE(offered_case, partial_sums)

static const struct offer case_offers[] = {
    { "edge", "real4", value_of_edge },
    { "inverse_edge", "real4", value_of_inverse_edge },
    { "box", "box_args", value_of_box },
    { "cutoff2", "real", value_of_cutoff2 },
    { "partial_sums", "GLOBAL accum *", value_of_partial_sums },
    { NULL, NULL, NULL },
};

/* ---- a set of particles ---- */

DEFINE_INT_VALUE(offered_set, n)
DEFINE_BUFFER_VALUE(offered_set, position)
DEFINE_BUFFER_VALUE(offered_set, index)
DEFINE_BUFFER_VALUE(offered_set, result)

#define N_OFFER                                                                                    \
    { "n", "int", value_of_n }
#define POSITION_OFFER                                                                             \
    { "position", "GLOBAL const real4 *", value_of_position }
#define INDEX_OFFER                                                                                \
    { "index", "GLOBAL const int *", value_of_index }
#define RESULT_OFFER(name)                                                                         \
    { name, "GLOBAL accum4 * or GLOBAL accum *", value_of_result }
#define END_OF_OFFERS                                                                              \
    { NULL, NULL, NULL }

static const struct offer forces_offers[] = { N_OFFER, POSITION_OFFER, RESULT_OFFER("force"),
                                              END_OF_OFFERS };
static const struct offer one_offers[] = { N_OFFER, POSITION_OFFER, RESULT_OFFER("derivative"),
                                           END_OF_OFFERS };
static const struct offer two_offers[] = { N_OFFER, POSITION_OFFER, INDEX_OFFER,
                                           RESULT_OFFER("derivative"), END_OF_OFFERS };
static const struct offer pairs_offers[] = { POSITION_OFFER, RESULT_OFFER("derivative"),
                                             END_OF_OFFERS };
static const struct offer listing_offers[] = { { "n_pairs", "int", value_of_n }, END_OF_OFFERS };

/* What the sets of a case offer, and the launch units that go with them. */
struct set_offers {
    const struct offer *table;    /* of each set; by its name alone where there is one */
    const struct offer *together; /* of all sets, from the first; NULL: nothing */
    int sets;
    const char *const *units; /* NULL-terminated */
};

static const struct set_offers *set_offers_of(const struct variant *variant) {
    static const char *const one_units[] = { "particle", "compute_unit", NULL };
    static const char *const two_units[] = { "particle_a", "particle_b", "compute_unit", NULL };
    static const char *const pairs_units[] = { "pair", "compute_unit", NULL };
    static const struct set_offers of_forces = { forces_offers, NULL, 1, one_units };
    static const struct set_offers of_groups[] = {
        [GROUPS_ONE] = { one_offers, NULL, 1, one_units },
        [GROUPS_TWO] = { two_offers, NULL, 2, two_units },
        [GROUPS_PAIRS] = { pairs_offers, listing_offers, 2, pairs_units },
    };
    return variant_is_coordination(variant) ? &of_groups[variant->groups] : &of_forces;
}

/* Whether a structure stands over each of two groups. */
static bool has_two_structures(const struct variant *variant) {
    return variant_is_coordination(variant) && variant->groups == GROUPS_TWO;
}

int binding_side(const char *name, char plain[VARIANT_NAME_SIZE]) {
    const size_t length = strlen(name);
    if (length < 3 || length >= VARIANT_NAME_SIZE || name[length - 2] != '_' ||
        (name[length - 1] != 'a' && name[length - 1] != 'b')) {
        return -1;
    }
    memcpy(plain, name, length - 2);
    plain[length - 2] = '\0';
    return name[length - 1] - 'a';
}

/* ---- finding ---- */

static bool find_in_table(const struct offer *table, const char *name, size_t at,
                          struct binding *binding) {
    const struct offers of_table[] = { { table, at }, { NULL, 0 } };
    binding->offer = offers_find(of_table, name, &binding->at);
    return binding->offer != NULL;
}

static bool find_of_sets(const struct variant *variant, const char *name, struct binding *binding) {
    const struct set_offers *offers = set_offers_of(variant);
    const size_t first = offsetof(struct offered_case, sets);
    char plain[VARIANT_NAME_SIZE];
    if (offers->together && find_in_table(offers->together, name, first, binding)) {
        return true;
    }
    if (offers->sets == 1) {
        return find_in_table(offers->table, name, first, binding);
    }
    const int side = binding_side(name, plain);
    return side >= 0 && find_in_table(offers->table, plain,
                                      first + (size_t)side * sizeof(struct offered_set), binding);
}

static bool find_of_structure(const struct variant *variant, const char *name,
                              struct binding *binding) {
    const struct structure_class *structure = structure_find(variant->structure);
    char plain[VARIANT_NAME_SIZE];
    const bool two = has_two_structures(variant);
    const int side = two ? binding_side(name, plain) : 0;
    if (!structure || side < 0) {
        return false;
    }
    binding->source = BINDING_STRUCTURE;
    binding->set = side;
    for (; structure && !binding->offer; structure = structure_below(structure)) {
        binding->structure = structure;
        binding->offer = offers_find(structure->offers, two ? plain : name, &binding->at);
    }
    return binding->offer != NULL;
}

bool binding_find(const struct variant *variant, const char *name, struct binding *binding) {
    *binding = (struct binding){ .source = BINDING_CASE };
    return find_in_table(case_offers, name, 0, binding) || find_of_sets(variant, name, binding) ||
           find_of_structure(variant, name, binding);
}

struct argument binding_value(const struct binding *binding, const void *offerer) {
    return binding->offer->value((const char *)offerer + binding->at);
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
    if (is_among(unit, set_offers_of(variant)->units)) {
        return true;
    }
    if (has_two_structures(variant)) {
        if (binding_side(unit, plain) < 0) {
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

static void append_name(struct text *names, const char *name) {
    text_append(names, "%s%s", names->length ? ", " : "", name);
}

/* Each name once, or with _a and _b where there are two. */
static void append_sides(struct text *names, const char *name, bool two) {
    if (!two) {
        append_name(names, name);
        return;
    }
    text_append(names, "%s%s_a, %s_b", names->length ? ", " : "", name, name);
}

static void append_table(struct text *names, const struct offer *table, bool two) {
    for (; table && table->name; table++) {
        append_sides(names, table->name, two);
    }
}

void bindings_list(const struct variant *variant, struct text *names) {
    const struct structure_class *structure = structure_find(variant->structure);
    const struct set_offers *of_sets = set_offers_of(variant);
    append_table(names, of_sets->together, false);
    append_table(names, of_sets->table, of_sets->sets > 1);
    append_table(names, case_offers, false);
    for (; structure; structure = structure_below(structure)) {
        for (const struct offers *o = structure->offers; o && o->table; o++) {
            append_table(names, o->table, has_two_structures(variant));
        }
    }
}

void bindings_list_units(const struct variant *variant, struct text *units) {
    const struct structure_class *structure = structure_find(variant->structure);
    for (const char *const *unit = set_offers_of(variant)->units; *unit; unit++) {
        append_name(units, *unit);
    }
    for (; structure; structure = structure_below(structure)) {
        for (const char *const *unit = structure->units; unit && *unit; unit++) {
            append_sides(units, *unit, has_two_structures(variant));
        }
    }
}
