/* Covering arrays: every pair and triple that can stand together is in a row. */
#include "commands/search/search.h"

#include "support.h"

enum { FACTORS = 5 };
static const struct covering_factor factors[FACTORS] = { { .values = 4, .text = true },
                                                         { .values = 3 },
                                                         { .values = 6 },
                                                         { .values = 2, .text = true },
                                                         { .values = 5 } };

/* The last value of factor 0 goes with the first of factor 1 alone; two of factors 2 and 4 exclude
 * each other. */
static bool stands(void *context, const size_t *row) {
    (void)context;
    return !(row[0] == 3 && row[1] != 0) && !(row[2] == 5 && row[4] == 4);
}

static double row_seconds(void *context, const size_t *row) {
    (void)context;
    return row[2] == 4 ? 2 : 0.1;
}

static struct covering_space space_of(int strength, uint64_t seed, double seconds) {
    return (struct covering_space){ .factors = factors,
                                    .count = FACTORS,
                                    .strength = strength,
                                    .seed = seed,
                                    .seconds = seconds,
                                    .compile_second = 1,
                                    .stands = stands,
                                    .row_seconds = row_seconds };
}

static struct covering *make(int strength, uint64_t seed, double seconds) {
    const struct covering_space space = space_of(strength, seed, seconds);
    struct covering *covering = covering_make(&space);
    assert_non_null(covering);
    return covering;
}

static bool has(const struct covering *covering, const size_t *wanted) {
    for (size_t r = 0; r < covering_row_count(covering); r++) {
        const size_t *row = covering_row(covering, r);
        bool same = true;
        for (int f = 0; f < FACTORS; f++) {
            same = same && (wanted[f] == SIZE_MAX || row[f] == wanted[f]);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* Every row that stands is made of tuples that some row has: by all rows, one by one. */
static void check_all(const struct covering *covering, int strength) {
    const size_t total = 4 * 3 * 6 * 2 * 5;
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        size_t row[FACTORS];
        for (int f = 0; f < FACTORS; f++) {
            row[f] = rest % factors[f].values;
            rest /= factors[f].values;
        }
        for (unsigned set = 0; stands(NULL, row) && set < 1u << FACTORS; set++) {
            size_t wanted[FACTORS];
            int size = 0;
            for (int f = 0; f < FACTORS; f++) {
                const bool within = set >> f & 1u;
                wanted[f] = within ? row[f] : SIZE_MAX;
                size += within;
            }
            assert_true(size > strength || has(covering, wanted));
        }
    }
}

TEST(pairs) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct covering *covering = make(2, seed, 1e9);
        check_all(covering, 2);
        for (size_t r = 0; r < covering_row_count(covering); r++) {
            assert_true(stands(NULL, covering_row(covering, r)));
        }
        assert_in_range(covering_row_count(covering), 29, 60); /* 6 * 5 - 1 at least */
        covering_free(covering);
    }
}

TEST(triples) {
    struct covering *covering = make(3, 1, 1e9);
    check_all(covering, 3);
    covering_free(covering);
}

TEST(counts) {
    struct covering *covering = make(2, 1, 1e9);
    struct covering_counts counts = covering_count(covering, 2);
    assert_int_equal(counts.states[COVERING_MISSING], 0);
    assert_int_equal(counts.states[COVERING_REFUSED], 3); /* 3 with 1, 3 with 2, 5 with 4 */
    assert_int_equal(counts.states[COVERING_MET], 0);
    covering_meet(covering, 0);
    assert_int_equal(covering_count(covering, 2).states[COVERING_MET], 10);
    assert_int_equal(covering_count(covering, 1).states[COVERING_MET], 5);
    covering_reset(covering);
    assert_int_equal(covering_count(covering, 2).states[COVERING_MET], 0);
    covering_free(covering);
}

TEST(seeds) {
    struct covering *one = make(2, 7, 1e9), *again = make(2, 7, 1e9), *other = make(2, 8, 1e9);
    const size_t count = covering_row_count(one);
    const size_t bytes = count * FACTORS * sizeof(size_t);
    assert_int_equal(covering_row_count(again), count);
    assert_memory_equal(covering_row(again, 0), covering_row(one, 0), bytes);
    assert_false(covering_row_count(other) == count &&
                 memcmp(covering_row(other, 0), covering_row(one, 0), bytes) == 0);
    covering_free(one);
    covering_free(again);
    covering_free(other);
}

/* Beside a bare value nothing shows: pairs without it are in rows without it, and it stands in no
 * row that was not made for it. */
TEST(bare_values) {
    struct covering_factor some_bare[FACTORS];
    memcpy(some_bare, factors, sizeof factors);
    some_bare[4].bare = 1u << 1 | 1u << 2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct covering_space space = space_of(2, seed, 1e9);
        space.factors = some_bare;
        struct covering *covering = covering_make(&space);
        size_t full = 0;
        bool met[4][6] = { { false } };
        for (size_t r = 0; r < covering_row_count(covering); r++) {
            const size_t *row = covering_row(covering, r);
            const bool is_bare = row[4] == 1 || row[4] == 2;
            full += !is_bare;
            met[row[0]][row[2]] = met[row[0]][row[2]] || !is_bare;
        }
        for (size_t i = 0; i < sizeof met; i++) {
            assert_true(met[i / 6][i % 6]);
        }
        assert_in_range(full, 24, 60);
        assert_int_equal(covering_count(covering, 2).states[COVERING_MISSING], 0);
        covering_meet(covering, 0);
        const size_t *first = covering_row(covering, 0);
        const bool is_bare = first[4] == 1 || first[4] == 2;
        assert_int_equal(covering_count(covering, 2).states[COVERING_MET], is_bare ? 4 : 10);
        covering_free(covering);
    }
}

/* A value that stands alone is in one row, beside the plainest, and in no pair. */
TEST(values_alone) {
    struct covering_factor some_alone[FACTORS];
    memcpy(some_alone, factors, sizeof factors);
    some_alone[4].alone = 1u << 4;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct covering_space space = space_of(2, seed, 1e9);
        space.factors = some_alone;
        struct covering *covering = covering_make(&space);
        size_t found = 0;
        for (size_t r = 0; r < covering_row_count(covering); r++) {
            const size_t *row = covering_row(covering, r);
            if (row[4] == 4) {
                found++;
                assert_int_equal(row[0] + row[1] + row[2] + row[3], 0);
                covering_meet(covering, r);
            }
        }
        assert_int_equal(found, 1);
        assert_int_equal(covering_count(covering, 1).states[COVERING_MET], 1);
        assert_int_equal(covering_count(covering, 2).states[COVERING_MET], 0);
        assert_int_equal(covering_count(covering, 2).states[COVERING_MISSING], 0);
        covering_free(covering);
    }
}

/* The last value of factor 2 goes with one of factor 4 alone, and the last of factor 0 with one of
 * factor 1: both are met, and before pairs are. */
static bool stands_beside(void *context, const size_t *row) {
    (void)context;
    return !(row[2] == 5 && row[4] != 3) && !(row[0] == 3 && row[1] != 2);
}

TEST(values_first) {
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct covering_space space = { .factors = factors,
                                              .count = FACTORS,
                                              .strength = 2,
                                              .seed = seed,
                                              .seconds = 12,
                                              .compile_second = 1,
                                              .stands = stands_beside,
                                              .row_seconds = row_seconds };
        struct covering *covering = covering_make(&space);
        assert_non_null(covering);
        const struct covering_counts values = covering_count(covering, 1);
        assert_int_equal(values.states[COVERING_PLANNED], 4 + 3 + 6 + 2 + 5);
        assert_true(covering_count(covering, 2).states[COVERING_MISSING] > 0);
        covering_free(covering);
    }
}

/* Pairs of classes come before other pairs: a few rows have them all. */
TEST(classes_first) {
    struct covering_factor some[FACTORS];
    memcpy(some, factors, sizeof some);
    for (size_t v = 0; v < 6; v++) {
        some[2].classes[v] = v > 3;
        some[4].classes[v] = (unsigned char)(v / 2);
    }
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct covering_space space = space_of(2, seed, 14);
        bool met[2][3] = { { false } };
        space.factors = some;
        struct covering *covering = covering_make(&space);
        assert_non_null(covering);
        for (size_t r = 0; r < covering_row_count(covering); r++) {
            const size_t *row = covering_row(covering, r);
            met[row[2] > 3][row[4] / 2] = true;
        }
        assert_true(met[0][0] && met[0][1] && met[0][2] && met[1][0] && met[1][1] && met[1][2]);
        assert_true(covering_count(covering, 2).states[COVERING_MISSING] > 0);
        covering_free(covering);
    }
}

/* No tuple that stands is refused, however few others it stands with. */
TEST(none_refused) {
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct covering_space space = { .factors = factors,
                                              .count = FACTORS,
                                              .strength = 2,
                                              .seed = seed,
                                              .seconds = 1e9,
                                              .compile_second = 1,
                                              .stands = stands_beside,
                                              .row_seconds = row_seconds };
        struct covering *covering = covering_make(&space);
        assert_non_null(covering);
        /* 3 of factor 0 with 0 and 1, 5 of factor 2 with 0, 1, 2 and 4 */
        assert_int_equal(covering_count(covering, 2).states[COVERING_REFUSED], 6);
        covering_free(covering);
    }
}

/* Triples of some factors beside pairs of all. */
TEST(closely) {
    struct covering_factor close[FACTORS];
    memcpy(close, factors, sizeof close);
    close[1].closely = close[3].closely = close[4].closely = true;
    struct covering_space space = space_of(2, 3, 1e9);
    space.factors = close;
    struct covering *covering = covering_make(&space);
    assert_non_null(covering);
    check_all(covering, 2);
    for (size_t i = 0; i < 3 * 2 * 5; i++) {
        const size_t wanted[FACTORS] = { SIZE_MAX, i % 3, SIZE_MAX, i / 3 % 2, i / 6 };
        assert_true(has(covering, wanted));
    }
    assert_int_equal(covering_count(covering, 3).states[COVERING_PLANNED], 3 * 2 * 5);
    covering_free(covering);
}

/* Triples of some values of some factors. */
TEST(close) {
    struct covering_factor close[FACTORS];
    memcpy(close, factors, sizeof close);
    close[1].closely = close[3].closely = close[4].closely = true;
    close[1].close = 1 << 2;
    close[4].close = 1 << 1 | 1 << 3;
    struct covering_space space = space_of(2, 3, 1e9);
    space.factors = close;
    struct covering *covering = covering_make(&space);
    assert_non_null(covering);
    check_all(covering, 2);
    for (size_t i = 0; i < 2 * 2; i++) {
        const size_t wanted[FACTORS] = { SIZE_MAX, 2, SIZE_MAX, i % 2, i / 2 * 2 + 1 };
        assert_true(has(covering, wanted));
    }
    assert_int_equal(covering_count(covering, 3).states[COVERING_PLANNED], 2 * 2);
    covering_free(covering);
}

/* What there is no time for is missing, not refused. */
TEST(time) {
    struct covering *covering = make(2, 1, 3);
    assert_in_range(covering_row_count(covering), 2, 20);
    assert_true(covering_count(covering, 2).states[COVERING_MISSING] > 0);
    covering_free(covering);
}

/* Calls until choosing takes too long. */
struct patience {
    int calls;
};

static bool is_late(void *context) {
    struct patience *patience = context;
    return patience->calls-- <= 0;
}

/* Where choosing takes too long: the first row, and those chosen in time, which are the same. */
TEST(late) {
    struct patience patience = { 0 };
    struct covering_space space = space_of(2, 1, 1e9);
    space.is_late = is_late;
    space.context = &patience;
    struct covering *whole = make(2, 1, 1e9), *first = covering_make(&space);
    assert_int_equal(covering_row_count(first), 1);
    patience.calls = 60; /* six candidates a row */
    struct covering *some = covering_make(&space);
    const size_t count = covering_row_count(some);
    assert_in_range(count, 5, covering_row_count(whole) - 1);
    assert_memory_equal(covering_row(some, 0), covering_row(whole, 0),
                        (count - 1) * FACTORS * sizeof(size_t)); /* the last was chosen of fewer */
    covering_free(whole);
    covering_free(first);
    covering_free(some);
}
