#include "kernels/potentials/bonded.h"

#include "boxes/random.h"
#include "core/error.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- boxes that are made ---- */

static const char *const kinds[] = { "water",     "warm-water", "hydrogens",
                                     "oligomers", "polymers",   "triangles",
                                     "stars",     "complexes",  NULL };

static const double bond_to_hydrogen = 1.09;
static const double bond_of_water = 1.0;
static const double bond_of_chain = 1.0;

/* Molecules keep their shape in a triclinic cell, but for polymers, which wind through the cell and
 * are sheared with it. */
bool constraints_kind_has(const char *kind) {
    bool has = false;
    for (int k = 0; kinds[k]; k++) {
        has = has || box_is_of_kind(kind, kinds[k]);
    }
    return has && !(strchr(kind, '@') && box_is_of_kind(kind, "polymers"));
}

static bool add_pair(struct bonded_terms *terms, size_t i, size_t j, double length,
                     struct error *error) {
    const int32_t atom[2] = { (int32_t)i, (int32_t)j };
    return bonded_add(terms, LISTED_CONSTRAINTS, atom, &length, error);
}

/* Adds the constraints that end with particle i, the `place`-th of its molecule. */
static bool add_of_particle(const struct box *box, size_t i, size_t place,
                            struct bonded_terms *terms, struct error *error) {
    if (place == 0) {
        return true;
    }
    if (box_is_of_waters(box->kind)) {
        return add_pair(terms, i - place, i, bond_of_water, error) &&
               (place < 2 || add_pair(terms, i - 1, i, bond_of_water * sqrt(8.0 / 3.0), error));
    }
    if (box_is_of_kind(box->kind, "hydrogens")) {
        return add_pair(terms, i - place, i, bond_to_hydrogen, error);
    }
    if (box_is_of_kind(box->kind, "oligomers") || box_is_of_kind(box->kind, "polymers")) {
        return add_pair(terms, i - 1, i, bond_of_chain, error);
    }
    const size_t tip = i - place;
    const bool closes = place == 2 && box_is_of_kind(box->kind, "triangles");
    return add_pair(terms, tip, i, box_bond_length(box, tip, i), error) &&
           (!closes || add_pair(terms, i - 1, i, box_triangle_base(box, tip, i), error));
}

static bool of_kind(const struct box *box, struct bonded_terms *terms, struct error *error) {
    bool added = true;
    size_t place = 0;
    for (size_t i = 0; added && i < box->n; i++, place++) {
        place = i > 0 && box->molecule[i - 1] == box->molecule[i] ? place : 0;
        added = add_of_particle(box, i, place, terms, error);
    }
    bonded_close(terms);
    return added;
}

static bool is_made(const struct box *box) {
    return box->molecule && constraints_kind_has(box->kind);
}

double constraints_mass(const struct box *box, size_t i) {
    static const struct {
        char species;
        double mass;
    } masses[] = { { 'C', 12.011 }, { 'H', 1.008 }, { 'N', 14.007 }, { 'O', 15.999 } };
    if (box->mass || !is_made(box)) {
        return box_mass(box, i);
    }
    for (size_t m = 0; m < sizeof masses / sizeof masses[0]; m++) {
        if (box->species[box->type[i]][0] == masses[m].species) {
            return masses[m].mass;
        }
    }
    return 1.0;
}

void constraints_displacement(const struct box *box, size_t i, double displacement[3]) {
    static const double reach = 0.12; /* of a particle of mass 1 */
    if (box->velocity) {
        memcpy(displacement, &box->velocity[3 * i], 3 * sizeof *displacement);
        return;
    }
    struct random random = random_from_seed(box->seed ^ (uint64_t)(box->first + i + 1) << 24);
    const double most = reach / sqrt(constraints_mass(box, i));
    for (int d = 0; d < 3; d++) {
        displacement[d] = rint(most * random_signed(&random) * 0x1p24) * 0x1p-24;
    }
}

/* ---- molecules ---- */

size_t constraints_molecules(const struct bonded_list *list, size_t n, int32_t *molecule) {
    size_t count = 0;
    joined_begin(n, molecule);
    for (size_t c = 0; c < list->count; c++) {
        joined_add(molecule, list->atom[2 * c], list->atom[2 * c + 1]);
    }
    joined_end(n, molecule);
    for (size_t i = 0; i < n; i++) {
        const int32_t first = molecule[i]; /* numbered already, unless it is i */
        molecule[i] = (size_t)first == i ? (int32_t)count++ : molecule[first];
    }
    return count;
}

/* ---- what cannot be ---- */

static bool refuse(const struct bonded_list *list, size_t c, struct error *error,
                   const char *reason) {
    return fail(error, STATUS_BAD_INPUT, "%s:%d: %s",
                list->path ? list->path : bonded_forms[LISTED_CONSTRAINTS].name,
                list->line ? (int)list->line[c] : (int)c + 1, reason);
}

struct pair {
    int32_t low, high;
    size_t constraint;
};

static int compare_pairs(const void *left, const void *right) {
    const struct pair *a = left;
    const struct pair *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->constraint < b->constraint ? -1 : a->constraint > b->constraint;
}

static bool check_pairs(const struct bonded_list *list, struct error *error) {
    struct pair *pairs = malloc((list->count + 1) * sizeof *pairs);
    char reason[128];
    bool good = true;
    if (!pairs) {
        return fail_out_of_memory(error, "the constraints");
    }
    for (size_t c = 0; c < list->count; c++) {
        const int32_t i = list->atom[2 * c];
        const int32_t j = list->atom[2 * c + 1];
        pairs[c] = (struct pair){ i < j ? i : j, i < j ? j : i, c };
    }
    qsort(pairs, list->count, sizeof *pairs, compare_pairs);
    for (size_t c = 1; good && c < list->count; c++) {
        if (pairs[c].low == pairs[c - 1].low && pairs[c].high == pairs[c - 1].high) {
            (void)snprintf(reason, sizeof reason,
                           "particles %d and %d are constrained by an earlier line, too",
                           (int)pairs[c].low + 1, (int)pairs[c].high + 1);
            good = refuse(list, pairs[c].constraint, error, reason);
        }
    }
    free(pairs);
    return good;
}

static size_t most_constraints(size_t particles) {
    return particles < 3 ? particles - 1 : 3 * particles - 6;
}

static bool count_freedom(const struct bonded_list *list, size_t n, const int32_t *molecule,
                          size_t *particles, size_t *constraints, struct error *error) {
    char reason[192];
    for (size_t i = 0; i < n; i++) {
        particles[molecule[i]]++;
    }
    for (size_t c = 0; c < list->count; c++) {
        constraints[molecule[list->atom[2 * c]]]++;
    }
    for (size_t c = 0; c < list->count; c++) {
        const size_t m = (size_t)molecule[list->atom[2 * c]];
        if (constraints[m] > most_constraints(particles[m])) {
            (void)snprintf(reason, sizeof reason,
                           "particle %d is in a molecule of %zu particles with %zu constraints; "
                           "expected at most %zu",
                           (int)list->atom[2 * c] + 1, particles[m], constraints[m],
                           most_constraints(particles[m]));
            return refuse(list, c, error, reason);
        }
    }
    return true;
}

static bool check_freedom(const struct bonded_list *list, size_t n, struct error *error) {
    int32_t *molecule = malloc((n + 1) * sizeof *molecule);
    size_t *counts = calloc(2 * n + 1, sizeof *counts);
    bool good = molecule && counts ? true : fail_out_of_memory(error, "the constraints");
    if (good) {
        (void)constraints_molecules(list, n, molecule);
        good = count_freedom(list, n, molecule, counts, counts + n, error);
    }
    free(molecule);
    free(counts);
    return good;
}

static bool check_lengths(const struct bonded_list *list, const struct box *box,
                          struct error *error) {
    const double most = 0.5 * box_least_repeat(box);
    char reason[128];
    for (size_t c = 0; c < list->count; c++) {
        if (!(list->parameter[c] < most)) {
            (void)snprintf(reason, sizeof reason,
                           "the length %.9g is not below half the least height of the cell, %.9g",
                           list->parameter[c], most);
            return refuse(list, c, error, reason);
        }
    }
    return true;
}

bool constraints_resolve(const struct bonded_terms *given, const struct box *box,
                         struct bonded_terms *made, const struct bonded_terms **terms,
                         struct error *error) {
    memset(made, 0, sizeof *made);
    *terms = given ? given : made;
    if (!given && !is_made(box)) {
        return fail(error, STATUS_BAD_INPUT,
                    "a box of kind %s has no constraints; expected --constraints with a file, or "
                    "--kind water, hydrogens, oligomers, polymers, triangles, stars or complexes",
                    box->kind);
    }
    if (!box->velocity && !is_made(box)) {
        return fail(error, STATUS_BAD_INPUT,
                    "the box has no velocities (a column velo of three), which are what particles "
                    "would move by without constraints");
    }
    const struct bonded_list *list = &(*terms)->lists[LISTED_CONSTRAINTS];
    return (given ? bonded_fit(given, box, error) && check_pairs(list, error)
                  : of_kind(box, made, error)) &&
           (list->count > 0 || box->batch == 1 ||
            fail(error, STATUS_BAD_INPUT, "%s: there are no constraints",
                 list->path ? list->path : box->kind)) &&
           check_freedom(list, box->n, error) && check_lengths(list, box, error);
}
