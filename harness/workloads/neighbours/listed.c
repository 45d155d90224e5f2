/* The judge of neighbour lists: rows as sets, by the sums that neighbour_lists.c makes of them.
 * Where a row is not what it should be, it is read and compared entry by entry, to say what is
 * wrong. */
#include "boxes/random.h"
#include "core/host.h"
#include "reference/neighbours/neighbours.h"
#include "workloads/judges.h"
#include "workloads/neighbours/neighbour_lists.h"

#include <math.h>
#include <stdlib.h>
#include <threads.h>

/* ---- what is expected ---- */

struct expectation {
    struct neighbour_rows rows;
};

/* The expectation of a case serves all variants, so that keys are those of the process: its kernels
 * are given neither these nor the sums. */
static uint64_t process_keys[2];
static once_flag keys_are_drawn = ONCE_FLAG_INIT;

static void draw_keys(void) {
    process_keys[0] = draw_seed();
    process_keys[1] = draw_seed();
}

const uint64_t *neighbour_keys(void) {
    call_once(&keys_are_drawn, draw_keys);
    return process_keys;
}

static struct neighbours_asked asked_of(const struct judge_question *question) {
    const uint64_t *keys = neighbour_keys();
    return (struct neighbours_asked){
        .box = question->box,
        .cutoff = question->cutoff,
        .width = neighbour_width(question->spec, question->box, question->cutoff),
        .interaction = &question->spec->interaction,
        .key = { keys[0], keys[1] },
    };
}

static bool expect_rows(const struct judge_question *question, const uint32_t *particle,
                        size_t count, struct expectation **expected, struct error *error) {
    const struct neighbours_asked asked = asked_of(question);
    struct expectation *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "the neighbours");
    }
    if (!neighbour_rows_compute(&asked, particle, count, &made->rows, error)) {
        free(made);
        return false;
    }
    *expected = made;
    return true;
}

static bool expect(const struct judge_question *question, enum expect_use use,
                   struct expectation **expected, struct error *error) {
    (void)use; /* computed in about the time that it is read */
    return expect_rows(question, NULL, 0, expected, error);
}

static void free_expected(struct expectation *expected) {
    if (expected) {
        neighbour_rows_free(&expected->rows);
        free(expected);
    }
}

static void hash_expected(const struct expectation *expected, struct hash_state *hash) {
    const struct neighbour_rows *rows = &expected->rows;
    hash_add(hash, rows->shifted, NEIGHBOUR_NUMBERS * rows->n * sizeof *rows->shifted);
    hash_add(hash, rows->plain, NEIGHBOUR_NUMBERS * rows->n * sizeof *rows->plain);
    hash_add(hash, rows->within, rows->n * sizeof *rows->within);
    hash_add(hash, rows->edge, rows->n * sizeof *rows->edge);
}

/* The numbers of the rows, of the kind of entries that the case has. */
static const uint32_t *numbers_of(const struct judge_question *question,
                                  const struct expectation *expected) {
    return neighbour_images_known(question->spec) ? expected->rows.shifted : expected->rows.plain;
}

static bool bounds(const struct judge_question *question, const struct expectation *expected,
                   enum judged_field field, double *wanted, double *tolerance,
                   struct error *error) {
    const uint32_t *numbers = numbers_of(question, expected);
    (void)field; /* there is none but the result */
    (void)error;
    for (size_t k = 0; k < NEIGHBOUR_NUMBERS * expected->rows.n; k++) {
        wanted[k] = numbers[k];
        tolerance[k] = 0;
    }
    return true;
}

static void work(const struct judge_question *question, const struct expectation *expected,
                 struct expected_work *of_case) {
    const uint64_t listed = expected->rows.all_within;
    *of_case = (struct expected_work){
        .pairs = (int64_t)(question->spec->list_pairs == LIST_HALF ? listed / 2 : listed),
        .edge_pairs = expected->rows.all_edge,
    };
}

/* ---- what is wrong with a row ---- */

/* A row, entry by entry, beside what it should be. */
struct explaining {
    const struct judge_question *question;
    const struct listed_rows *rows;
    struct neighbour_finder *finder;
    size_t particle;
    const struct neighbour *expected; /* the finder's */
    size_t count;
    struct listed_row own, other; /* `other`: of the neighbour that is looked at */
    bool by_image;
    char *words;
    size_t size;
};

static void say_image(const struct explaining *e, const int32_t *shift, char words[64]) {
    words[0] = '\0';
    if (e->by_image && shift) {
        (void)snprintf(words, 64, " in image %d %d %d", shift[0], shift[1], shift[2]);
    }
}

static bool same_shift(const int32_t *a, const int32_t *b, int sign) {
    return a[0] == sign * b[0] && a[1] == sign * b[1] && a[2] == sign * b[2];
}

/* How often a row has particle j, in an image or its opposite (sign -1) where it says. */
static int times_listed(const struct listed_row *row, int32_t j, const int32_t *shift, int sign) {
    int times = 0;
    for (size_t k = 0; k < row->count; k++) {
        times += row->j[k] == j && (!row->shift || same_shift(row->shift + 3 * k, shift, sign));
    }
    return times;
}

/* r_j + S . cell - r_i */
static void vector_between(const struct box *box, size_t i, size_t j, const int32_t *shift,
                           double vector[3]) {
    const double rows[3][3] = { { box->edge[0], 0, 0 },
                                { box->tilt[0], box->edge[1], 0 },
                                { box->tilt[1], box->tilt[2], box->edge[2] } };
    for (size_t d = 0; d < 3; d++) {
        vector[d] = box->position[3 * j + d] - box->position[3 * i + d];
        for (size_t k = 0; k < 3 && shift; k++) {
            vector[d] += shift[k] * rows[k][d];
        }
    }
}

static double length_of(const double vector[3]) {
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/* The cutoff of two particles, by their types. */
static double pair_cutoff(const struct explaining *e, size_t i, size_t j) {
    const struct neighbours_asked asked = asked_of(e->question);
    return neighbours_cutoff(&asked, i, j);
}

/* Says why an entry of the row of particle i should not be there; shift: NULL where a row has none.
 */
static void say_stranger(struct explaining *e, size_t i, size_t j, const int32_t *shift) {
    char image[64];
    double vector[3];
    say_image(e, shift, image);
    vector_between(e->question->box, i, j, shift, vector);
    const double r = length_of(vector);
    const double cutoff = pair_cutoff(e, i, j);
    if (cutoff < 0) {
        (void)snprintf(e->words, e->size,
                       "particle %zu: neighbour %zu%s is listed, but the table has no cutoff of "
                       "their types",
                       i + 1, j + 1, image);
    } else if (!shift) {
        (void)snprintf(e->words, e->size,
                       "particle %zu: neighbour %zu is listed, and has no image within the cutoff "
                       "%.9g",
                       i + 1, j + 1, cutoff);
    } else if (j == i && r == 0) {
        (void)snprintf(e->words, e->size, "particle %zu: lists itself", i + 1);
    } else if (r <= cutoff) {
        (void)snprintf(e->words, e->size, "particle %zu: neighbour %zu%s is listed, but excluded",
                       i + 1, j + 1, image);
    } else {
        (void)snprintf(e->words, e->size,
                       "particle %zu: neighbour %zu%s is listed at a distance of %.9g, beyond the "
                       "cutoff %.9g",
                       i + 1, j + 1, image, r, cutoff);
    }
}

/* Whether an entry is no particle of this one's box; says which. */
static bool find_foreign(struct explaining *e) {
    const size_t share = box_share(e->question->box);
    for (size_t k = 0; k < e->own.count; k++) {
        const int32_t j = e->own.j[k];
        if (j < 0 || (size_t)j >= e->question->box->n) {
            (void)snprintf(e->words, e->size,
                           "particle %zu: entry %zu of its row is %d (expected 0 to %zu)",
                           e->particle + 1, k + 1, (int)j, e->question->box->n - 1);
            return true;
        }
        if ((size_t)j / share != e->particle / share) {
            (void)snprintf(e->words, e->size,
                           "particle %zu, of box %zu: neighbour %d is listed, which is of box %zu",
                           e->particle + 1, e->particle / share + 1, (int)j + 1,
                           (size_t)j / share + 1);
            return true;
        }
    }
    return false;
}

static bool has_mirror(struct explaining *e, const struct neighbour *entry, bool *has,
                       struct error *error) {
    *has = true;
    if (e->question->spec->list_pairs == LIST_HALF) {
        return true;
    }
    if (!e->rows->read(e->rows->context, (size_t)entry->j, &e->other, error)) {
        return false;
    }
    *has = times_listed(&e->other, (int32_t)e->particle, entry->shift, -1) ==
           times_listed(&e->own, entry->j, entry->shift, 1);
    return true;
}

/* Finds a pair at the edge of the cutoff that only one of its two particles lists. */
static bool find_one_sided(struct explaining *e, bool *found, struct error *error) {
    for (size_t k = 0; k < e->count && !*found; k++) {
        const struct neighbour *entry = &e->expected[k];
        char image[64];
        bool mirrored = true;
        if (!entry->sure && !has_mirror(e, entry, &mirrored, error)) {
            return false;
        }
        *found = !mirrored;
        say_image(e, entry->shift, image);
        if (!mirrored) {
            const bool by_own = times_listed(&e->own, entry->j, entry->shift, 1) > 0;
            const size_t i = e->particle + 1;
            const size_t j = (size_t)entry->j + 1;
            (void)snprintf(
                e->words, e->size,
                "particle %zu: neighbour %zu%s (distance %.9g, cutoff %.9g) is listed by "
                "%zu and not by %zu",
                i, j, image, entry->distance, pair_cutoff(e, e->particle, (size_t)entry->j),
                by_own ? i : j, by_own ? j : i);
        }
    }
    return true;
}

/* Whether the vector or the distance of an entry is wrong; says which. */
static bool find_far(struct explaining *e) {
    const double width = neighbour_width(e->question->spec, e->question->box, e->question->cutoff);
    for (size_t k = 0; k < e->own.count && e->own.shift; k++) {
        double vector[3];
        vector_between(e->question->box, e->particle, (size_t)e->own.j[k], e->own.shift + 3 * k,
                       vector);
        for (size_t d = 0; d < 3 && e->own.vector; d++) {
            if (!(fabs(e->own.vector[3 * k + d] - vector[d]) <= width)) {
                (void)snprintf(e->words, e->size,
                               "particle %zu: the vector to neighbour %d is %.9g along %c, "
                               "expected %.9g",
                               e->particle + 1, (int)e->own.j[k] + 1, e->own.vector[3 * k + d],
                               "xyz"[d], vector[d]);
                return true;
            }
        }
        if (e->own.distance && !(fabs(e->own.distance[k] - length_of(vector)) <= width)) {
            (void)snprintf(e->words, e->size,
                           "particle %zu: the distance to neighbour %d is %.9g, expected %.9g",
                           e->particle + 1, (int)e->own.j[k] + 1, e->own.distance[k],
                           length_of(vector));
            return true;
        }
    }
    return false;
}

/* What the device found, where no entry says it; by bits of neighbour_tools.cl, the worst first. */
static void say_faults(struct explaining *e, double number) {
    static const char *const faults[] = {
        "its count is negative, or more than the room that was asked for",
        "the rest of its row is not -1",
        "row_begin, neighbour_count and pair_count disagree",
        "an entry is no particle",
        "it lists itself, or has an entry of the other half (j < i, or a first shift < 0)",
        "an entry is beyond the cutoff",
        "a vector or a distance is not that of its entry",
        "an entry is listed twice",
        "an entry is listed by one of the two particles and not by the other",
        "its row has more entries near the cutoff than there can be",
        "an entry is of another box",
    };
    const int bits = number <= NEIGHBOUR_FAULTS ? (int)(NEIGHBOUR_FAULTS - number) : 0;
    (void)snprintf(e->words, e->size, "particle %zu: its row is wrong", e->particle + 1);
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        if (bits >> f & 1) {
            (void)snprintf(e->words, e->size, "particle %zu: %s", e->particle + 1, faults[f]);
            return;
        }
    }
}

/* Whether the fault is of the row as a whole: no entry shows it. */
static bool is_of_whole_row(const struct judge_question *question, double number) {
    enum { COUNT_PADDING_OFFSETS = 7, HALF = 16 };
    const int half = question->spec->list_pairs == LIST_HALF ? HALF : 0;
    return number <= NEIGHBOUR_FAULTS &&
           ((int)(NEIGHBOUR_FAULTS - number) & (COUNT_PADDING_OFFSETS | half)) != 0;
}

/* An entry of a row, or one that is expected of it. */
struct row_entry {
    int32_t j, shift[3];
    bool is_others;                   /* the row of j has it, in the opposite image */
    const struct neighbour *expected; /* NULL of what is listed */
};

static int compare_entries(const void *a, const void *b) {
    const struct row_entry *one = a;
    const struct row_entry *other = b;
    int order = (one->j > other->j) - (one->j < other->j);
    for (int d = 0; order == 0 && d < 3; d++) {
        order = (one->shift[d] > other->shift[d]) - (one->shift[d] < other->shift[d]);
    }
    return order;
}

/* Of a row; without shifts all of a neighbour are alike. */
struct row_entries {
    struct row_entry *items;
    size_t count, capacity;
};

static bool append_entry(struct row_entries *all, int32_t j, const int32_t *shift, bool is_others,
                         struct error *error) {
    if (all->count == all->capacity) {
        const size_t capacity = 2 * all->capacity + 64;
        struct row_entry *items = realloc(all->items, capacity * sizeof *items);
        if (!items) {
            return fail_out_of_memory(error, "a row of a list");
        }
        all->items = items;
        all->capacity = capacity;
    }
    struct row_entry *entry = &all->items[all->count++];
    *entry = (struct row_entry){ .j = j, .is_others = is_others };
    for (int d = 0; d < 3 && shift; d++) {
        entry->shift[d] = is_others ? -shift[d] : shift[d];
    }
    return true;
}

static void sort_entries(struct row_entries *all) {
    if (all->count > 0) {
        qsort(all->items, all->count, sizeof *all->items, compare_entries);
    }
}

static bool append_expected(const struct explaining *e, struct row_entries *all,
                            struct error *error) {
    for (size_t k = 0; k < e->count; k++) {
        const struct neighbour *one = &e->expected[k];
        if (!append_entry(all, one->j, e->own.shift ? one->shift : NULL, false, error)) {
            return false;
        }
        all->items[k].expected = one;
    }
    return true;
}

/* What a half list has of the pairs in the rows of the others, of whom `all` has the expected
 * entries in order. */
static bool append_others(struct explaining *e, struct row_entries *all, struct error *error) {
    const size_t expected = all->count;
    for (size_t k = 0; k < expected; k++) {
        const int32_t j = all->items[k].j;
        if (k > 0 && all->items[k - 1].j == j) {
            continue;
        }
        if (!e->rows->read(e->rows->context, (size_t)j, &e->other, error)) {
            return false;
        }
        for (size_t m = 0; m < e->other.count; m++) {
            const int32_t *shift = e->other.shift ? e->other.shift + 3 * m : NULL;
            if ((size_t)e->other.j[m] == e->particle && !append_entry(all, j, shift, true, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool append_own(const struct explaining *e, struct row_entries *all, struct error *error) {
    bool appended = true;
    for (size_t k = 0; appended && k < e->own.count; k++) {
        const int32_t *shift = e->own.shift ? e->own.shift + 3 * k : NULL;
        appended = append_entry(all, e->own.j[k], shift, false, error);
    }
    return appended;
}

/* Says that a neighbour, listed so often, is missing or there too often. */
static void say_times(struct explaining *e, const struct neighbour *one, size_t listed,
                      bool is_missing) {
    char image[64];
    say_image(e, one->shift, image);
    if (is_missing) {
        (void)snprintf(e->words, e->size,
                       "particle %zu: neighbour %d%s is missing (distance %.9g, cutoff %.9g)",
                       e->particle + 1, (int)one->j + 1, image, one->distance,
                       pair_cutoff(e, e->particle, (size_t)one->j));
    } else {
        (void)snprintf(e->words, e->size, "particle %zu: neighbour %d%s is listed %zu times%s",
                       e->particle + 1, (int)one->j + 1, image, listed,
                       e->question->spec->list_pairs == LIST_HALF ? ", from both sides together"
                                                                  : "");
    }
}

/* The same of an entry, in the words of the row that has it. */
static void say_entry(struct explaining *e, const struct row_entry *entry) {
    int32_t shift[3];
    for (int d = 0; d < 3; d++) {
        shift[d] = entry->is_others ? -entry->shift[d] : entry->shift[d];
    }
    const size_t j = (size_t)entry->j;
    say_stranger(e, entry->is_others ? j : e->particle, entry->is_others ? e->particle : j,
                 e->own.shift ? shift : NULL);
}

/* Finds an entry, all being in order, that is listed too often or too rarely: of those that are
 * expected, or of the others; says which. */
static bool find_uneven(struct explaining *e, const struct row_entries *all, bool is_expected) {
    for (size_t first = 0, end = 0; first < all->count; first = end) {
        const struct row_entry *entry = &all->items[first];
        const struct neighbour *expected = NULL;
        size_t listed = 0;
        size_t sure = 0;
        for (; end < all->count && compare_entries(entry, &all->items[end]) == 0; end++) {
            const struct neighbour *one = all->items[end].expected;
            entry = all->items[end].is_others ? entry : &all->items[end];
            listed += !one;
            sure += one && one->sure;
            if (one && (!expected || one->distance < expected->distance)) {
                expected = one;
            }
        }
        if (is_expected == (expected != NULL) && (listed < sure || listed > end - first - listed)) {
            if (expected) {
                say_times(e, expected, listed, listed < sure);
            } else {
                say_entry(e, entry);
            }
            return true;
        }
    }
    return false;
}

/* Compares what is listed with what is expected, in the time that sorting takes: the longest rows
 * have 30,000 entries. */
static bool compare_row(struct explaining *e, bool *found, struct error *error) {
    struct row_entries all = { .count = 0 };
    bool compared = append_expected(e, &all, error);
    sort_entries(&all);
    compared = compared &&
               (e->question->spec->list_pairs != LIST_HALF || append_others(e, &all, error)) &&
               append_own(e, &all, error);
    sort_entries(&all);
    *found = compared && (find_uneven(e, &all, false) || find_uneven(e, &all, true));
    free(all.items);
    return compared;
}

/* What is wrong with the entries of a row, one by one; *found: something is. */
static bool find_wrong_entry(struct explaining *e, bool *found, struct error *error) {
    e->by_image = list_entries_of(e->question->spec->list_entries).shifts != SHIFTS_NONE;
    if (!neighbours_of(e->finder, e->particle, &e->expected, &e->count, error) ||
        !e->rows->read(e->rows->context, e->particle, &e->own, error)) {
        return false;
    }
    *found = find_foreign(e);
    if ((!*found && !compare_row(e, found, error)) ||
        (!*found && !find_one_sided(e, found, error))) {
        return false;
    }
    *found = *found || find_far(e);
    return true;
}

static void explaining_free(struct explaining *e) {
    neighbour_finder_free(e->finder);
    listed_row_free(&e->own);
    listed_row_free(&e->other);
}

static bool explain(struct explaining *e, double number, struct error *error) {
    const struct neighbours_asked asked = asked_of(e->question);
    bool found = false;
    if (!is_of_whole_row(e->question, number) && e->rows &&
        (!neighbour_finder_make(&asked, &e->finder, error) ||
         !find_wrong_entry(e, &found, error))) {
        return false;
    }
    if (!found) {
        say_faults(e, number);
    }
    return true;
}

static void say_what_is_wrong(const struct judge_question *question, const struct evaluation *got,
                              size_t particle, char *words, size_t size) {
    struct explaining e = {
        .question = question, .rows = got->rows, .particle = particle, .words = words, .size = size
    };
    struct error error;
    if (!explain(&e, got->force[NEIGHBOUR_NUMBERS * particle], &error)) {
        (void)snprintf(words, size, "particle %zu: its row is wrong (%.200s)", particle + 1,
                       error.message);
    }
    explaining_free(&e);
}

/* ---- comparing ---- */

static void compare(const struct judge_question *question, const struct expectation *expected,
                    const struct evaluation *got, struct verdict *verdict) {
    const uint32_t *numbers = numbers_of(question, expected);
    size_t wrong = 0;
    size_t first = 0;
    *verdict = verdict_of(STATUS_OK);
    verdict->worst_ratio = 0;
    for (size_t i = expected->rows.n; i-- > 0;) {
        bool same = true;
        for (size_t k = NEIGHBOUR_NUMBERS * i; k < NEIGHBOUR_NUMBERS * (i + 1); k++) {
            same = same && got->force[k] == numbers[k];
        }
        wrong += !same;
        first = same ? first : i;
    }
    if (wrong > 0) {
        char words[512];
        say_what_is_wrong(question, got, first, words, sizeof words);
        verdict->status = STATUS_WRONG;
        verdict->worst_ratio = INFINITY;
        (void)snprintf(verdict->message, sizeof verdict->message, "%s; wrong rows: %zu of %zu",
                       words, wrong, expected->rows.n);
    }
}

/* Compares entries themselves, besides the sums of rows, which another list might have, too. */
static bool compare_rows(const struct judge_question *question, const struct listed_rows *rows,
                         uint64_t random, struct verdict *verdict, struct error *error) {
    enum { LOOKED_AT = 8 };
    const size_t n = question->box->n;
    const struct neighbours_asked asked = asked_of(question);
    struct random drawn = random_from_seed(random);
    char words[512];
    struct explaining e = {
        .question = question, .rows = rows, .words = words, .size = sizeof words
    };
    bool looked = neighbour_finder_make(&asked, &e.finder, error);
    bool found = false;
    for (size_t k = 0; looked && !found && k < LOOKED_AT && k < n; k++) {
        const size_t begin = k * n / LOOKED_AT; /* one of each part, or each of a few */
        const size_t width = n < LOOKED_AT ? 1 : (k + 1) * n / LOOKED_AT - begin;
        e.particle = (n < LOOKED_AT ? k : begin) + random_next(&drawn) % width;
        looked = find_wrong_entry(&e, &found, error);
    }
    if (looked && found) {
        verdict->status = STATUS_WRONG;
        verdict->worst_ratio = INFINITY;
        (void)snprintf(verdict->message, sizeof verdict->message, "a drawn row: %s", words);
    }
    explaining_free(&e);
    return looked;
}

extern const struct judge judge_listed;
const struct judge judge_listed = { .name = "listed",
                                    .expect = expect,
                                    .expect_some = expect_rows,
                                    .free = free_expected,
                                    .hash = hash_expected,
                                    .compare = compare,
                                    .compare_rows = compare_rows,
                                    .bounds = bounds,
                                    .work = work };
