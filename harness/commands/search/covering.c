/* Builds a covering array greedily. Each row is the best of several candidates, and each candidate
 * grows from a tuple that no row has yet. */
#include "commands/search/search.h"

#include "boxes/random.h"
#include "measure/program.h"

#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 6, /* of each row */
    ATTEMPTS = 40,  /* rows that are tried for a tuple until it counts as refused */
    CHOICES = 3,    /* values of a factor that are tried in a row */
    CLASS_TRIES = 4 /* refused pairs until a pair of their classes counts as refused */
};

/* A set of factors: how many, and where the states of their tuples begin. */
struct tuple_set {
    size_t factors[COVERING_MAX_STRENGTH];
    int size;
    size_t first, count;
    /* Of a pair with classes: where their states begin, how many there are, and classes of the
     * second factor. */
    size_t first_of_classes, class_pairs, classes_of_second;
};

struct covering {
    struct covering_space space;
    struct covering_factor factors[COVERING_MAX_FACTORS];
    struct tuple_set *sets; /* of one factor, of two... */
    size_t set_count;
    unsigned char *states; /* of enum covering_state, of all sets */
    size_t state_count;
    unsigned char
        *classes; /* pairs of classes: how many pairs were refused; CLASS_TRIES: settled */
    size_t class_count;
    size_t *rows;
    size_t row_count, capacity;
    double seconds; /* that the rows take */
    struct random random;
};

/* A row that is being grown. */
struct growth {
    size_t row[COVERING_MAX_FACTORS];
    bool fixed[COVERING_MAX_FACTORS];
};

static size_t draw(struct covering *covering, size_t count) {
    return (size_t)(random_unit(&covering->random) * (double)count);
}

/* ---- tuples ---- */

static size_t class_of(const struct covering_factor *factor, size_t value) {
    return value < COVERING_MAX_VALUES ? factor->classes[value] : 0;
}

static size_t count_classes(const struct covering_factor *factor) {
    size_t most = 0;
    for (size_t v = 0; v < factor->values; v++) {
        most = class_of(factor, v) > most ? class_of(factor, v) : most;
    }
    return most + 1;
}

static void add_set(struct covering *covering, const size_t *factors, int size) {
    struct tuple_set *set = &covering->sets[covering->set_count++];
    *set = (struct tuple_set){ .size = size, .first = covering->state_count, .count = 1 };
    for (int k = 0; k < size; k++) {
        set->factors[k] = factors[k];
        set->count *= covering->factors[factors[k]].values;
    }
    covering->state_count += set->count;
    const struct covering_factor *one = &covering->factors[factors[0]];
    const struct covering_factor *other = &covering->factors[factors[size - 1]];
    if (size == 2 && !(one->text && other->text)) { /* two texts take compiling */
        set->first_of_classes = covering->class_count;
        set->classes_of_second = count_classes(other);
        set->class_pairs = count_classes(one) * set->classes_of_second;
        covering->class_count += set->class_pairs;
    }
}

/* Adds the sets of `size` factors. Sets larger than the strength are those of factors that are
 * declared to go together. */
static void add_sets(struct covering *covering, int size, int depth, size_t *factors) {
    if (depth == size || depth == COVERING_MAX_STRENGTH) {
        add_set(covering, factors, size);
        return;
    }
    const size_t from = depth ? factors[depth - 1] + 1 : 0;
    for (size_t f = from; f < covering->space.count; f++) {
        if (size <= covering->space.strength || covering->factors[f].closely) {
            factors[depth] = f;
            add_sets(covering, size, depth + 1, factors);
        }
    }
}

/* The state of the tuple of a set that a row has. */
static unsigned char *state_in(const struct covering *covering, const struct tuple_set *set,
                               const size_t *row) {
    size_t index = 0;
    for (int k = 0; k < set->size; k++) {
        const size_t factor = set->factors[k];
        index = index * covering->factors[factor].values + row[factor];
    }
    return &covering->states[set->first + index];
}

/* The same of the classes of two values. */
static unsigned char *classes_of(const struct covering *covering, const struct tuple_set *set,
                                 size_t first, size_t second) {
    const struct covering_factor *one = &covering->factors[set->factors[0]];
    const struct covering_factor *other = &covering->factors[set->factors[1]];
    return &covering
                ->classes[set->first_of_classes + class_of(one, first) * set->classes_of_second +
                          class_of(other, second)];
}

static unsigned char *classes_in(const struct covering *covering, const struct tuple_set *set,
                                 const size_t *row) {
    return classes_of(covering, set, row[set->factors[0]], row[set->factors[1]]);
}

static void values_of(const struct covering *covering, const struct tuple_set *set, size_t index,
                      size_t *values) {
    for (int k = set->size - 1; k >= 0; k--) {
        const size_t count = covering->factors[set->factors[k]].values;
        values[k] = index % count;
        index /= count;
    }
}

static const struct tuple_set *set_of_state(const struct covering *covering, size_t state) {
    size_t s = 0;
    while (state >= covering->sets[s].first + covering->sets[s].count) {
        s++;
    }
    return &covering->sets[s];
}

static bool is_alone(const struct covering *covering, size_t factor, size_t value) {
    return value < 64 && (covering->factors[factor].alone >> value & 1) != 0;
}

static bool is_bare(const struct covering *covering, size_t factor, size_t value) {
    return is_alone(covering, factor, value) ||
           (value < 64 && (covering->factors[factor].bare >> value & 1) != 0);
}

/* Whether a value is none that larger tuples than those of the strength are asked of. */
static bool is_far(const struct covering *covering, const struct tuple_set *set, size_t factor,
                   size_t value) {
    const uint64_t close = covering->factors[factor].close;
    return set->size > covering->space.strength && close != 0 &&
           !(value < 64 && (close >> value & 1) != 0);
}

/* Whether a row meets the tuple of a set that it has: no bare value stands beside it, and
 * none of several stands alone or is far. */
static bool meets(const struct covering *covering, const struct tuple_set *set, const size_t *row) {
    bool is_part[COVERING_MAX_FACTORS] = { false };
    bool met = true;
    for (int k = 0; k < set->size; k++) {
        is_part[set->factors[k]] = true;
    }
    for (size_t f = 0; f < covering->space.count; f++) {
        met = met && (is_part[f] ? set->size == 1 || !(is_alone(covering, f, row[f]) ||
                                                       is_far(covering, set, f, row[f]))
                                 : !is_bare(covering, f, row[f]));
    }
    return met;
}

/* What a new tuple is worth. Single values come before pairs: a mistake that one value shows, it
 * mostly shows beside any others. So does one that two classes show. */
static size_t worth(const struct covering *covering, const struct tuple_set *set,
                    const size_t *row) {
    const size_t of_value = 1000, of_classes = 500;
    const bool is_of_classes =
        set->class_pairs > 0 && *classes_in(covering, set, row) < CLASS_TRIES;
    return set->size == 1 ? of_value : is_of_classes ? of_classes : 1;
}

static size_t count_new(const struct covering *covering, const size_t *row) {
    size_t count = 0;
    for (size_t s = 0; s < covering->set_count; s++) {
        const struct tuple_set *set = &covering->sets[s];
        const bool is_new = *state_in(covering, set, row) == COVERING_MISSING;
        count += is_new && meets(covering, set, row) ? worth(covering, set, row) : 0;
    }
    return count;
}

/* New tuples of the factor, as the row has it, with those that are fixed. */
static size_t count_new_of(const struct covering *covering, const struct growth *growth,
                           size_t factor) {
    size_t count = 0;
    for (size_t s = 0; s < covering->set_count; s++) {
        const struct tuple_set *set = &covering->sets[s];
        bool within = false, all = true;
        for (int k = 0; k < set->size; k++) {
            within = within || set->factors[k] == factor;
            all = all && (set->factors[k] == factor || growth->fixed[set->factors[k]]);
        }
        const bool is_new = within && all &&
                            *state_in(covering, set, growth->row) == COVERING_MISSING &&
                            meets(covering, set, growth->row);
        count += is_new ? worth(covering, set, growth->row) : 0;
    }
    return count;
}

/* Whether a tuple within this one is refused already. */
static bool has_refused_part(const struct covering *covering, const struct tuple_set *set,
                             const size_t *row) {
    bool is_part[COVERING_MAX_FACTORS] = { false };
    for (int k = 0; k < set->size; k++) {
        is_part[set->factors[k]] = true;
    }
    for (size_t s = 0; s < covering->set_count && covering->sets[s].size < set->size; s++) {
        bool within = true;
        for (int k = 0; k < covering->sets[s].size; k++) {
            within = within && is_part[covering->sets[s].factors[k]];
        }
        if (within && *state_in(covering, &covering->sets[s], row) == COVERING_REFUSED) {
            return true;
        }
    }
    return false;
}

/* ---- a row ---- */

static bool stands(const struct covering *covering, const size_t *row) {
    return covering->space.stands(covering->space.context, row);
}

/* Whether an earlier row has these values of text: its kernel is compiled. */
static bool is_compiled(const struct covering *covering, const size_t *row) {
    for (size_t r = 0; r < covering->row_count; r++) {
        const size_t *other = covering_row(covering, r);
        bool same = true;
        for (size_t f = 0; f < covering->space.count; f++) {
            same = same && (!covering->factors[f].text || row[f] == other[f]);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static double seconds_of(const struct covering *covering, const size_t *row) {
    return covering->space.row_seconds(covering->space.context, row) +
           (is_compiled(covering, row) ? 0 : covering->space.compile_second);
}

/* One of the rows that have a value of a factor, at random; NULL: there is none. */
static const size_t *row_with(struct covering *covering, size_t factor, size_t value) {
    const size_t *found = NULL;
    size_t count = 0;
    for (size_t r = 0; r < covering->row_count; r++) {
        const size_t *row = covering_row(covering, r);
        if (row[factor] == value && draw(covering, ++count) == 0) {
            found = row;
        }
    }
    return found;
}

/* The start of the attempt-th try to find a valid row for a tuple. Odd tries start from a row that
 * has one of its values, since such a row holds what this value needs beside it; every other of
 * these mixes in a row that has the next value. Even tries start from the plain row (all factors 0)
 * with more and more factors at random. */
static void begin_row(struct covering *covering, const struct tuple_set *set, const size_t *values,
                      int attempt, size_t *row) {
    const size_t k = (size_t)attempt / 2 % (size_t)set->size;
    const size_t next = (k + 1) % (size_t)set->size;
    const size_t *kept = attempt % 2 == 1 ? row_with(covering, set->factors[k], values[k]) : NULL;
    const size_t *other =
        attempt % 4 == 3 ? row_with(covering, set->factors[next], values[next]) : NULL;
    for (size_t f = 0; f < covering->space.count; f++) {
        const bool changed = !kept && attempt > 0 && draw(covering, ATTEMPTS) < (size_t)attempt;
        row[f] = kept ? kept[f] : changed ? draw(covering, covering->factors[f].values) : 0;
        row[f] = kept && other && draw(covering, 2) == 0 ? other[f] : row[f];
    }
}

/* Tries the plain row with one other factor changed, for a value that few others may stand beside.
 */
static bool find_beside(struct covering *covering, const struct tuple_set *set,
                        const size_t *values, struct growth *growth) {
    for (size_t f = 0; f < covering->space.count; f++) {
        for (size_t v = 1; f != set->factors[0] && v < covering->factors[f].values; v++) {
            memset(growth->row, 0, sizeof growth->row);
            growth->row[f] = v;
            growth->row[set->factors[0]] = values[0];
            if (meets(covering, set, growth->row) && stands(covering, growth->row)) {
                return true;
            }
        }
    }
    return false;
}

/* Finds a valid row that has the tuple; false: none was found. */
static bool find_base(struct covering *covering, const struct tuple_set *set, const size_t *values,
                      const size_t *compiled, struct growth *growth) {
    *growth = (struct growth){ .row = { 0 } };
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        begin_row(covering, set, values, attempt, growth->row);
        for (size_t f = 0; compiled && f < covering->space.count; f++) {
            growth->row[f] = covering->factors[f].text ? compiled[f] : growth->row[f];
        }
        for (int k = 0; k < set->size; k++) {
            growth->row[set->factors[k]] = values[k];
            growth->fixed[set->factors[k]] = true;
        }
        if (attempt == 0 && has_refused_part(covering, set, growth->row)) {
            return false;
        }
        if (meets(covering, set, growth->row) && stands(covering, growth->row)) {
            return true;
        }
    }
    return !compiled && set->size == 1 && find_beside(covering, set, values, growth);
}

/* Gives a factor the valid value with the most new tuples, if that beats its present one. One that
 * is bare would take from others what they meet. */
static void improve_factor(struct covering *covering, struct growth *growth, size_t factor) {
    const size_t count = covering->factors[factor].values;
    const size_t begin = draw(covering, count);
    size_t kept = growth->row[factor];
    size_t least = count_new_of(covering, growth, factor);
    size_t ceiling = SIZE_MAX; /* the new tuples of what was tried last and did not stand */
    for (int choice = 0; choice < CHOICES; choice++) {
        size_t best = kept, most = least;
        for (size_t v = 0; v < count; v++) {
            growth->row[factor] = (begin + v) % count;
            const size_t gain = count_new_of(covering, growth, factor);
            if (gain > most && gain < ceiling && !is_bare(covering, factor, growth->row[factor])) {
                most = gain;
                best = growth->row[factor];
            }
        }
        growth->row[factor] = best;
        if (best == kept || stands(covering, growth->row)) {
            break;
        }
        growth->row[factor] = kept;
        ceiling = most;
    }
    growth->fixed[factor] = true;
}

static void grow_row(struct covering *covering, bool keeps_text, struct growth *growth) {
    size_t order[COVERING_MAX_FACTORS];
    for (size_t f = 0; f < covering->space.count; f++) {
        const size_t place = draw(covering, f + 1);
        order[f] = order[place];
        order[place] = f;
        growth->fixed[f] = growth->fixed[f] || (keeps_text && covering->factors[f].text);
    }
    for (size_t f = 0; f < covering->space.count; f++) {
        if (!growth->fixed[order[f]]) {
            improve_factor(covering, growth, order[f]);
        }
    }
}

/* ---- the next row ---- */

/* Tuples that go together closely are looked for beside those of the strength. */
static int turn_of(const struct covering *covering, const struct tuple_set *set) {
    return set->size < covering->space.strength ? set->size : covering->space.strength;
}

/* Whether a pair of classes is left that no row has. */
static bool is_unsettled(const struct covering *covering, const struct tuple_set *set) {
    size_t k = 0;
    while (k < set->class_pairs && covering->classes[set->first_of_classes + k] == CLASS_TRIES) {
        k++;
    }
    return k < set->class_pairs;
}

/* One of the states that is missing, at random; state_count: there is none. `of_classes`: of a pair
 * of classes that no row has. */
static size_t find_state(struct covering *covering, size_t first, size_t count,
                         const struct tuple_set *of_classes) {
    const size_t begin = draw(covering, count);
    for (size_t k = 0; k < count; k++) {
        const size_t state = first + (begin + k) % count;
        size_t values[COVERING_MAX_STRENGTH];
        if (covering->states[state] != COVERING_MISSING) {
            continue;
        }
        if (!of_classes) {
            return state;
        }
        values_of(covering, of_classes, state - first, values);
        if (*classes_of(covering, of_classes, values[0], values[1]) < CLASS_TRIES) {
            return state;
        }
    }
    return covering->state_count;
}

/* The same of a pair, of any two factors. */
static size_t find_classes(struct covering *covering) {
    const size_t begin = draw(covering, covering->set_count);
    for (size_t k = 0; k < covering->set_count; k++) {
        const struct tuple_set *set = &covering->sets[(begin + k) % covering->set_count];
        const bool is_open = is_unsettled(covering, set);
        const size_t state =
            is_open ? find_state(covering, set->first, set->count, set) : covering->state_count;
        if (state < covering->state_count) {
            return state;
        }
    }
    return covering->state_count;
}

/* A tuple that no row has yet, at random but the small ones first, and pairs of classes before
 * other pairs; state_count: there is none. */
static size_t find_missing(struct covering *covering) {
    size_t s = 0;
    while (s < covering->set_count) {
        size_t end = s;
        while (end < covering->set_count &&
               turn_of(covering, &covering->sets[end]) == turn_of(covering, &covering->sets[s])) {
            end++;
        }
        const size_t first = covering->sets[s].first;
        const size_t last = covering->sets[end - 1].first + covering->sets[end - 1].count;
        size_t state = covering->sets[s].size == 2 ? find_classes(covering) : covering->state_count;
        state =
            state < covering->state_count ? state : find_state(covering, first, last - first, NULL);
        if (state < covering->state_count) {
            return state;
        }
        s = end;
    }
    return covering->state_count;
}

static void refuse(struct covering *covering, const struct tuple_set *set, size_t state,
                   const size_t *values) {
    covering->states[state] = COVERING_REFUSED;
    if (set->class_pairs > 0) {
        unsigned char *tries = classes_of(covering, set, values[0], values[1]);
        *tries = (unsigned char)(*tries < CLASS_TRIES ? *tries + 1 : CLASS_TRIES);
    }
}

/* A candidate from a tuple that is missing. False: the tuple is refused now. */
static bool make_candidate(struct covering *covering, size_t state, bool reuse,
                           struct growth *growth) {
    const struct tuple_set *set = set_of_state(covering, state);
    size_t values[COVERING_MAX_STRENGTH];
    values_of(covering, set, state - set->first, values);
    /* Tuples of several values, one of which stands alone, were refused before. */
    const bool alone = is_alone(covering, set->factors[0], values[0]);
    if (reuse && !alone && covering->row_count > 0) {
        const size_t *compiled = covering_row(covering, draw(covering, covering->row_count));
        if (find_base(covering, set, values, compiled, growth)) {
            grow_row(covering, true, growth);
            return true;
        }
    }
    if (!find_base(covering, set, values, NULL, growth)) {
        refuse(covering, set, state, values);
        return false;
    }
    if (!alone) {
        grow_row(covering, false, growth);
    }
    return true;
}

static void set_states(struct covering *covering, const size_t *row, enum covering_state state) {
    for (size_t s = 0; s < covering->set_count; s++) {
        if (meets(covering, &covering->sets[s], row)) {
            *state_in(covering, &covering->sets[s], row) = (unsigned char)state;
            if (covering->sets[s].class_pairs > 0) {
                *classes_in(covering, &covering->sets[s], row) = CLASS_TRIES;
            }
        }
    }
}

static void keep_row(struct covering *covering, const size_t *row) {
    const size_t row_bytes = covering->space.count * sizeof *row;
    covering->rows =
        memory_room(covering->rows, covering->row_count, &covering->capacity, row_bytes);
    covering->seconds += seconds_of(covering, row);
    memcpy(covering->rows + covering->row_count * covering->space.count, row, row_bytes);
    covering->row_count++;
    set_states(covering, row, COVERING_PLANNED);
}

/* Whether the time is up: the rows that were made must do. */
static bool is_late(const struct covering *covering) {
    const struct covering_space *space = &covering->space;
    return covering->row_count > 0 && space->is_late && space->is_late(space->context);
}

/* *best: the best candidate; false: there is nothing left to cover, or no time for more. */
static bool find_row(struct covering *covering, struct growth *best) {
    double most = 0;
    for (int made = 0; made < CANDIDATES && !is_late(covering);) {
        struct growth growth;
        const size_t state = find_missing(covering);
        if (state == covering->state_count) {
            break;
        }
        if (!make_candidate(covering, state, made % 3 != 0, &growth)) {
            continue;
        }
        made++;
        const double gain =
            (double)count_new(covering, growth.row) / seconds_of(covering, growth.row);
        if (gain > most) {
            most = gain;
            *best = growth;
        }
    }
    return most > 0;
}

/* ---- the array ---- */

static size_t count_sets(size_t factors, int strength) {
    size_t sets = factors;
    size_t of_size = factors;
    for (int size = 2; size <= strength; size++) {
        of_size = of_size * (factors - (size_t)size + 1) / (size_t)size;
        sets += of_size;
    }
    return sets;
}

/* Those with a value that stands alone or is far. */
static void refuse_tuples(struct covering *covering, const struct tuple_set *set) {
    for (size_t i = 0; set->size > 1 && i < set->count; i++) {
        size_t values[COVERING_MAX_STRENGTH];
        values_of(covering, set, i, values);
        for (int k = 0; k < set->size; k++) {
            if (is_alone(covering, set->factors[k], values[k]) ||
                is_far(covering, set, set->factors[k], values[k])) {
                covering->states[set->first + i] = COVERING_REFUSED;
            }
        }
    }
}

static void make_sets(struct covering *covering) {
    size_t factors[COVERING_MAX_STRENGTH] = { 0 };
    const size_t count = covering->space.count;
    const int strength =
        (size_t)covering->space.strength < count ? covering->space.strength : (int)count;
    covering->space.strength = strength;
    const int most = count < COVERING_MAX_STRENGTH ? (int)count : COVERING_MAX_STRENGTH;
    covering->sets = memory_zeroed(count_sets(count, most), sizeof *covering->sets);
    for (int size = 1; size <= most; size++) {
        add_sets(covering, size, 0, factors);
    }
    covering->states = memory_zeroed(covering->state_count, 1);
    covering->classes = memory_zeroed(covering->class_count + 1, 1);
    for (size_t s = 0; s < covering->set_count; s++) {
        refuse_tuples(covering, &covering->sets[s]);
    }
}

struct covering *covering_make(const struct covering_space *space) {
    struct covering *covering = memory_zeroed(1, sizeof *covering);
    struct growth growth;
    covering->space = *space;
    covering->random = random_from_seed(space->seed);
    memcpy(covering->factors, space->factors, space->count * sizeof *space->factors);
    make_sets(covering);
    while (covering->seconds < space->seconds && find_row(covering, &growth)) {
        keep_row(covering, growth.row);
    }
    return covering;
}

void covering_free(struct covering *covering) {
    if (covering) {
        free(covering->sets);
        free(covering->states);
        free(covering->classes);
        free(covering->rows);
        free(covering);
    }
}

size_t covering_row_count(const struct covering *covering) {
    return covering->row_count;
}

const size_t *covering_row(const struct covering *covering, size_t index) {
    return covering->rows + index * covering->space.count;
}

void covering_meet(struct covering *covering, size_t index) {
    set_states(covering, covering_row(covering, index), COVERING_MET);
}

void covering_reset(struct covering *covering) {
    for (size_t i = 0; i < covering->state_count; i++) {
        if (covering->states[i] == COVERING_MET) {
            covering->states[i] = COVERING_PLANNED;
        }
    }
}

struct covering_counts covering_count(const struct covering *covering, int size) {
    struct covering_counts counts = { .states = { 0 } };
    for (size_t s = 0; s < covering->set_count; s++) {
        const struct tuple_set *set = &covering->sets[s];
        for (size_t i = 0; set->size == size && i < set->count; i++) {
            counts.states[covering->states[set->first + i]]++;
        }
    }
    return counts;
}

void covering_list(const struct covering *covering, int size, enum covering_state state,
                   covering_visit *visit, void *context) {
    for (size_t s = 0; s < covering->set_count; s++) {
        const struct tuple_set *set = &covering->sets[s];
        for (size_t i = 0; set->size == size && i < set->count; i++) {
            size_t values[COVERING_MAX_STRENGTH];
            if (covering->states[set->first + i] == state) {
                values_of(covering, set, i, values);
                visit(context, size, set->factors, values);
            }
        }
    }
}
