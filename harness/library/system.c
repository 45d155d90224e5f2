/* The functions of pairmark.h for systems: particles, their cell, and what acts between them. */
#include "core/strings.h"
#include "library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the particles ---- */

static bool is_finite(const double *numbers, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        finite = finite && isfinite(numbers[i]);
    }
    return finite;
}

static bool make_system(size_t n, const double *cell, struct pm_system **system,
                        struct error *error) {
    if (n > BOX_MAX_PARTICLES) {
        return fail(error, STATUS_BAD_INPUT, "%zu particles; expected 0 to %d", n,
                    BOX_MAX_PARTICLES);
    }
    struct pm_system *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a system");
    }
    if (!box_allocate(n > 0 ? n : 1, &made->box,
                      error)) { /* boxes have particles; systems may not */
        free(made);
        return false;
    }
    made->box.n = n;
    made->box.density = NAN;
    made->box.uncharged = n > 0;
    if (cell && !library_cell_take(cell, &made->box, &made->rotation, error)) {
        pm_system_free(made);
        return false;
    }
    if (cell) {
        memcpy(made->vectors, cell, sizeof made->vectors);
    }
    *system = made;
    return true;
}

enum pm_status pm_system_create(size_t n, const double *cell, pm_system **system, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system) {
        return library_fail_null("pm_system_create: system", error);
    }
    return make_system(n, cell, system, &reason) ? PM_OK : library_error(&reason, error);
}

void pm_system_free(pm_system *system) {
    if (system) {
        box_free(&system->box);
        free(system->interaction);
        free(system->table);
        free(system->exclude);
        free(system->long_range);
        free(system->box_vectors);
        free(system->pairs);
        bonded_free(&system->terms);
        groups_free(&system->groups);
        free(system);
    }
}

static bool take_images(struct pm_system *system, const int *along, struct error *error) {
    struct box changed = system->box; /* its arrays, too */
    struct rotation rotation;
    bool some = false;
    if (!changed.periodic || changed.cells) {
        return fail(error, STATUS_BAD_INPUT, "the system was made without a cell");
    }
    for (size_t axis = 0; axis < 3; axis++) {
        if (along[axis] && !box_has_images(&changed, axis)) {
            return fail(error, STATUS_BAD_INPUT, "images along %c, which were taken away before",
                        "abc"[axis]);
        }
        changed.open_along[axis] = !along[axis];
        some = some || along[axis];
    }
    if (!some) {
        return fail(error, STATUS_BAD_INPUT, "images along no vector; expected one at least");
    }
    if (!library_cell_take(system->vectors, &changed, &rotation, error)) {
        return false;
    }
    system->box = changed;
    system->rotation = rotation;
    return true;
}

enum pm_status pm_system_periodic(pm_system *system, const int *along, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !along) {
        return library_fail_null("pm_system_periodic", error);
    }
    return take_images(system, along, &reason) ? PM_OK : library_error(&reason, error);
}

/* ---- boxes of a batch ---- */

static bool check_begins(const size_t *begin, size_t count, size_t n, struct error *error) {
    bool good = count >= 1 && begin[0] == 0 && begin[count] == n;
    for (size_t b = 0; good && b < count; b++) {
        good = begin[b] <= begin[b + 1];
    }
    return good || fail(error, STATUS_BAD_INPUT,
                        "begin: expected 0, then where each box begins, none before the one before "
                        "it, then %zu",
                        n);
}

/* A box has no images along a vector of zeros. Returns whether it has any. */
static bool find_images(const double *vectors, struct box *box) {
    bool some = false;
    for (size_t k = 0; k < 3; k++) {
        const double *v = vectors + 3 * k;
        box->open_along[k] = v[0] == 0 && v[1] == 0 && v[2] == 0;
        some = some || !box->open_along[k];
    }
    return some;
}

/* Kernels of forces take the cells only if all are lower triangles with images along all
 * vectors. */
static bool take_cells(struct pm_system *system, const double *cells, struct error *error) {
    struct box *box = &system->box;
    for (size_t b = 0; b < box->batch; b++) {
        struct box one = { .n = box->begin[b + 1] - box->begin[b] };
        struct rotation rotation = { .rotates = false };
        const bool some = find_images(cells + 9 * b, &one);
        if (some && !library_cell_take(cells + 9 * b, &one, &rotation, error)) {
            return fail_within(error, "box %zu", b);
        }
        const bool of_lists = !some || rotation.rotates || box_is_partly_periodic(&one);
        system->only_lists = of_lists && !system->only_lists ? b + 1 : system->only_lists;
        box->cells[b] = one.cell;
    }
    system->box_vectors = malloc(9 * box->batch * sizeof *cells);
    if (!system->box_vectors) {
        return fail_out_of_memory(error, "boxes");
    }
    memcpy(system->box_vectors, cells, 9 * box->batch * sizeof *cells);
    if (!system->only_lists) {
        box_choose_cell(box);
        box->periodic = true;
    }
    return true;
}

static bool take_only_cell(struct pm_system *system, const double *cell, struct error *error) {
    if (!cell || !find_images(cell, &system->box)) {
        memset(system->box.open_along, 0, sizeof system->box.open_along);
        return true;
    }
    memcpy(system->vectors, cell, sizeof system->vectors);
    return library_cell_take(cell, &system->box, &system->rotation, error);
}

static bool take_boxes(struct pm_system *system, const size_t *begin, size_t count,
                       const double *cells, struct error *error) {
    struct box *box = &system->box;
    if (box->periodic || box->begin) {
        return fail(error, STATUS_BAD_INPUT, "the system was made with a cell, or has boxes");
    }
    if (!check_begins(begin, count, box->n, error)) {
        return false;
    }
    if (count == 1) {
        return take_only_cell(system, cells, error);
    }
    box->begin = malloc((count + 1) * sizeof *box->begin);
    box->cells = calloc(count, sizeof *box->cells);
    if (!box->begin || !box->cells) {
        return fail_out_of_memory(error, "boxes");
    }
    memcpy(box->begin, begin, (count + 1) * sizeof *begin);
    box->batch = count;
    return !cells || take_cells(system, cells, error);
}

enum pm_status pm_system_boxes(pm_system *system, const size_t *begin, size_t count,
                               const double *cells, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !begin) {
        return library_fail_null("pm_system_boxes", error);
    }
    if (take_boxes(system, begin, count, cells, &reason)) {
        return PM_OK;
    }
    if (system->box.batch > 1 || system->box.cells) { /* as it was */
        free(system->box.begin);
        free(system->box.cells);
        free(system->box_vectors);
        system->box_vectors = NULL;
        system->only_lists = 0;
        system->box.begin = NULL;
        system->box.cells = NULL;
        system->box.batch = 0;
        box_open(&system->box);
    }
    return library_error(&reason, error);
}

/* ---- what each of them is ---- */

static bool take_names(struct box *box, const char *const *names, int types, struct error *error) {
    char(*species)[SPECIES_SIZE] = calloc((size_t)types, sizeof *species);
    if (!species) {
        return fail_out_of_memory(error, "the types");
    }
    for (int t = 0; t < types; t++) {
        const size_t length = names[t] ? strlen(names[t]) : 0;
        bool good = length >= 1 && length < SPECIES_SIZE;
        for (int other = 0; good && other < t; other++) {
            good = strcmp(names[t], names[other]) != 0;
        }
        if (!good) {
            free(species);
            return fail(error, STATUS_BAD_INPUT,
                        "type %d: '%.50s'; expected a word of 1 to %d characters that no other "
                        "type has",
                        t, names[t] ? names[t] : "", SPECIES_SIZE - 1);
        }
        memcpy(species[t], names[t], length);
    }
    free(box->species);
    box->species = species;
    box->types = types;
    return true;
}

/* Limits types as in files: names are compared pairwise, and tables have types^3 rows. */
enum { MOST_TYPES = 1000 };

static bool take_types(struct box *box, const int *type, const char *const *names, int types,
                       struct error *error) {
    if (types < 1 || types > MOST_TYPES) {
        return fail(error, STATUS_BAD_INPUT, "%d types; expected 1 to %d", types, MOST_TYPES);
    }
    for (size_t i = 0; i < box->n; i++) {
        if (type[i] < 0 || type[i] >= types) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: type %d; expected 0 to %d", i,
                        type[i], types - 1);
        }
    }
    if (!take_names(box, names, types, error)) {
        return false;
    }
    for (size_t i = 0; i < box->n; i++) {
        box->type[i] = type[i];
    }
    return true;
}

enum pm_status pm_system_types(pm_system *system, const int *type, const char *const *names,
                               int types, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !type || !names) {
        return library_fail_null("pm_system_types", error);
    }
    return take_types(&system->box, type, names, types, &reason) ? PM_OK
                                                                 : library_error(&reason, error);
}

static bool check_numbers(const char *what, const double *numbers, size_t n, bool positive,
                          struct error *error) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i]) || (positive && !(numbers[i] > 0))) {
            return fail(error, STATUS_BAD_INPUT, "particle %zu: %s %g; expected %s", i, what,
                        numbers[i], positive ? "more than 0" : "a finite number");
        }
    }
    return true;
}

enum pm_status pm_system_charges(pm_system *system, const double *charge, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !charge) {
        return library_fail_null("pm_system_charges", error);
    }
    if (!check_numbers("charge", charge, system->box.n, false, &reason)) {
        return library_error(&reason, error);
    }
    memcpy(system->box.charge, charge, system->box.n * sizeof *charge);
    system->box.uncharged = false;
    return PM_OK;
}

enum pm_status pm_system_masses(pm_system *system, const double *mass, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !mass) {
        return library_fail_null("pm_system_masses", error);
    }
    if (!check_numbers("mass", mass, system->box.n, true, &reason) ||
        (!system->box.mass && !box_add_masses(&system->box, &reason))) {
        return library_error(&reason, error);
    }
    memcpy(system->box.mass, mass, system->box.n * sizeof *mass);
    return PM_OK;
}

enum pm_status pm_system_molecules(pm_system *system, const int *molecule, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || !molecule) {
        return library_fail_null("pm_system_molecules", error);
    }
    struct box *box = &system->box;
    if (!box->molecule && !(box->molecule = calloc(box->n, sizeof *box->molecule))) {
        (void)fail_out_of_memory(&reason, "the molecules");
        return library_error(&reason, error);
    }
    for (size_t i = 0; i < box->n; i++) {
        box->molecule[i] = molecule[i];
    }
    return PM_OK;
}

/* ---- what acts between them ---- */

/* Replaces *kept by a copy of `words`; NULL: by nothing. */
static bool keep_words(const char *words, char **kept, struct error *error) {
    char *copy = words ? strdup(words) : NULL;
    if (words && !copy) {
        return fail_out_of_memory(error, "words");
    }
    free(*kept);
    *kept = copy;
    return true;
}

static void drop_pairs(struct pm_system *system) {
    free(system->pairs);
    system->pairs = NULL;
    system->pair_count = 0;
}

enum pm_status pm_system_exclude(pm_system *system, const char *word, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system) {
        return library_fail_null("pm_system_exclude: system", error);
    }
    if (!keep_words(word, &system->exclude, &reason)) {
        return library_error(&reason, error);
    }
    drop_pairs(system);
    return PM_OK;
}

static bool keep_pairs(struct pm_system *system, const int *pairs, size_t count,
                       struct error *error) {
    const size_t n = system->box.n;
    for (size_t p = 0; p < count; p++) {
        const int *pair = &pairs[2 * p];
        if (pair[0] < 0 || pair[1] < 0 || (size_t)pair[0] >= n || (size_t)pair[1] >= n ||
            pair[0] == pair[1]) {
            return fail(error, STATUS_BAD_INPUT,
                        "pair %zu: particles %d and %d; expected two of 0 to %zu", p, pair[0],
                        pair[1], n - 1);
        }
    }
    int *copy = malloc(2 * (count + 1) * sizeof *copy);
    if (!copy) {
        return fail_out_of_memory(error, "the exclusions");
    }
    if (count > 0) {
        memcpy(copy, pairs, 2 * count * sizeof *copy);
    }
    drop_pairs(system);
    system->pairs = copy;
    system->pair_count = count;
    return keep_words(NULL, &system->exclude, error);
}

enum pm_status pm_system_exclude_pairs(pm_system *system, const int *pairs, size_t count,
                                       pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || (!pairs && count > 0)) {
        return library_fail_null("pm_system_exclude_pairs", error);
    }
    return keep_pairs(system, pairs, count, &reason) ? PM_OK : library_error(&reason, error);
}

enum pm_status pm_system_potential(pm_system *system, const char *interaction, const char *table,
                                   double cutoff, pm_error *error) {
    const struct library_potential potential = { interaction, table, cutoff };
    const struct workload *owner = NULL;
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system) {
        return library_fail_null("pm_system_potential: system", error);
    }
    if (!(cutoff > 0)) {
        (void)fail(&reason, STATUS_BAD_INPUT, "cutoff %g; expected more than 0", cutoff);
        return library_error(&reason, error);
    }
    if (!library_potential_check(&potential, system->box.periodic, &owner, &reason) ||
        !keep_words(interaction, &system->interaction, &reason) ||
        !keep_words(table, &system->table, &reason)) {
        return library_error(&reason, error);
    }
    system->cutoff = cutoff;
    system->owner = owner;
    return PM_OK;
}

enum pm_status pm_system_long_range(pm_system *system, const char *words, pm_error *error) {
    struct interaction ignored;
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system) {
        return library_fail_null("pm_system_long_range: system", error);
    }
    return (!words || library_long_range_check(words, &ignored, &reason)) &&
                   keep_words(words, &system->long_range, &reason)
               ? PM_OK
               : library_error(&reason, error);
}

static bool check_terms(enum bonded_kind kind, const int *particles, const double *parameters,
                        size_t count, size_t n, struct error *error) {
    const struct bonded_form *form = &bonded_forms[kind];
    for (size_t t = 0; t < count; t++) {
        const int *atom = &particles[t * (size_t)form->atoms];
        const double *parameter = &parameters[t * (size_t)form->parameters];
        bool good = is_finite(parameter, (size_t)form->parameters);
        for (int a = 0; good && a < form->atoms; a++) {
            good = atom[a] >= 0 && (size_t)atom[a] < n;
            for (int b = 0; good && b < a; b++) {
                good = atom[a] != atom[b];
            }
        }
        const char *expected =
            good ? bonded_expected(kind, parameter)
                 : "different particles of the system, counted from 0, and finite numbers";
        if (expected) {
            return fail(error, STATUS_BAD_INPUT, "%s %zu; expected %s", form->name, t, expected);
        }
    }
    return true;
}

/* Adds all terms or, after a failure, none. */
static bool add_terms(struct pm_system *system, enum bonded_kind kind, const int *particles,
                      const double *parameters, size_t count, struct error *error) {
    const struct bonded_form *form = &bonded_forms[kind];
    struct bonded_list *list = &system->terms.lists[kind];
    const size_t before = list->count;
    bool added = check_terms(kind, particles, parameters, count, system->box.n, error);
    for (size_t t = 0; added && t < count; t++) {
        added = bonded_add(&system->terms, kind, &particles[t * (size_t)form->atoms],
                           &parameters[t * (size_t)form->parameters], error);
    }
    list->count = added ? list->count : before;
    return added;
}

enum pm_status pm_system_terms(pm_system *system, enum pm_terms kind, const int *particles,
                               const double *parameters, size_t count, pm_error *error) {
    struct error reason;
    CALLER_IS_SET_ASIDE;
    if (!system || ((!particles || !parameters) && count > 0)) {
        return library_fail_null("pm_system_terms", error);
    }
    const bool done =
        (int)kind >= 0 && (int)kind < BONDED_KINDS
            ? add_terms(system, (enum bonded_kind)kind, particles, parameters, count, &reason)
            : fail(&reason, STATUS_BAD_INPUT,
                   "kind of terms %d; expected PM_BONDS to PM_RB_TORSIONS", (int)kind);
    return done ? PM_OK : library_error(&reason, error);
}

/* Both NULL: zeros. */
static bool make_groups(const struct pm_groups *given, size_t n, struct groups *groups,
                        struct error *error) {
    const enum group_mode mode = given->paired ? GROUPS_PAIRS : given->b ? GROUPS_TWO : GROUPS_ONE;
    if ((!given->a && given->count_a > 0) || (!given->b && (given->count_b > 0 || given->paired))) {
        return fail(error, STATUS_BAD_INPUT, "pm_groups: a null pointer for particles");
    }
    return (!given->a && !given->b) ||
           groups_of_particles(mode, n, (struct particle_numbers){ given->a, given->count_a },
                               (struct particle_numbers){ given->b, given->count_b }, groups,
                               error);
}

enum pm_status pm_system_groups(pm_system *system, const pm_groups *groups, pm_error *error) {
    struct error reason;
    struct pm_groups taken;
    struct groups made = { 0 };
    CALLER_IS_SET_ASIDE;
    if (!system || !groups) {
        return library_fail_null("pm_system_groups", error);
    }
    if (!library_take_struct("pm_groups", groups, offsetof(struct pm_groups, b), &taken,
                             sizeof taken, &reason) ||
        !make_groups(&taken, system->box.n, &made, &reason)) {
        return library_error(&reason, error);
    }
    groups_free(&system->groups);
    system->groups = made;
    return PM_OK;
}
