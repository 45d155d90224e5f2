/* What the times of launches say about a kernel that remembers. */
#include "measure/launches/staleness.h"

#include "boxes/random.h"
#include "support.h"

static const struct staleness_limits limits = { 2e-6, 0.25 };
static const struct staleness_limits slow_launch = { 1e-3, 0.25 };

/* Rounds of four launches, the first of which takes `first` times a millisecond. */
static struct staleness rounds_of(size_t rounds, double first, double over_own) {
    struct staleness staleness = { 0 };
    for (size_t r = 0; r < rounds; r++) {
        const double seconds[] = { first * 1e-3, 1.1e-3, 0.9e-3, 1e-3 };
        staleness_add(&staleness, seconds, 4, over_own * 1e-3);
    }
    return staleness;
}

TEST(first_launches_are_compared_with_their_rounds) {
    struct staleness honest = rounds_of(5, 1.2, NAN);
    struct staleness remembers = rounds_of(5, 2, NAN);
    assert_false(staleness_in_rounds(&honest, &limits));
    assert_true(staleness_in_rounds(&remembers, &limits));
    assert_true(fabs(staleness_first(&remembers) - 2e-3) < 1e-12);
    assert_true(fabs(staleness_others(&remembers) - 1e-3) < 1e-12);
    /* what a launch costs explains it */
    assert_false(staleness_in_rounds(&remembers, &slow_launch));
    /* one round in which the first was quick shows that it can be */
    const double quick[] = { 1e-3, 1e-3, 1e-3 };
    staleness_add(&remembers, quick, 3, NAN);
    assert_false(staleness_in_rounds(&remembers, &limits));
}

TEST(few_rounds_tell_nothing) {
    struct staleness two = rounds_of(2, 100, 0.001);
    assert_false(staleness_in_rounds(&two, &limits));
    assert_false(staleness_over_own(&two, &limits));
    /* every launch of a round of one is a first one */
    struct staleness ones = { 0 };
    for (int r = 0; r < 5; r++) {
        const double seconds[] = { 1e-3 };
        staleness_add(&ones, seconds, 1, NAN);
    }
    assert_false(staleness_in_rounds(&ones, &limits));
    assert_true(isnan(staleness_others(&ones)));
}

TEST(launches_over_their_own_results_may_not_be_idle) {
    struct staleness honest = rounds_of(4, 1, 0.7);
    struct staleness idle = rounds_of(4, 1, 0.01);
    assert_false(staleness_over_own(&honest, &limits));
    assert_true(staleness_over_own(&idle, &limits));
    /* a busy machine: half of them look idle, half do not */
    const double seconds[] = { 1e-3, 1e-3 };
    struct staleness busy = rounds_of(3, 1, 0.01);
    for (int r = 0; r < 3; r++) {
        staleness_add(&busy, seconds, 2, 1e-3);
    }
    assert_false(staleness_over_own(&busy, &limits));
    assert_true(staleness_try_own(&busy, &limits));
    assert_false(staleness_try_own(&honest, &limits));
    /* a third one cannot make two idle ones of two that were not */
    const struct staleness once = rounds_of(1, 1, 0.7);
    const struct staleness twice = rounds_of(2, 1, 0.7);
    const struct staleness two_idle = rounds_of(2, 1, 0.01);
    assert_true(staleness_try_own(&once, &limits));
    assert_false(staleness_try_own(&twice, &limits));
    assert_true(staleness_try_own(&two_idle, &limits));
    /* rounds in which it was not tried do not count */
    for (int r = 0; r < 20; r++) {
        staleness_add(&idle, seconds, 2, NAN);
    }
    assert_true(staleness_over_own(&idle, &limits));
}

TEST(moved_particles_may_not_take_longer) {
    struct staleness staleness = { .moved_s = { 3e-3, 2e-3 }, .moved = 2 };
    assert_true(staleness_in_moved(&staleness, 1e-3, &limits));
    staleness.moved_s[staleness.moved++] = 5e-3;
    assert_true(staleness_in_moved(&staleness, 1e-3, &limits));
    assert_true(fabs(staleness_moved(&staleness) - 3e-3) < 1e-12);
    staleness.moved_s[staleness.moved++] = 1.1e-3;
    assert_false(staleness_in_moved(&staleness, 1e-3, &limits));
}

/* A busy machine keeps launches by themselves waiting, whatever they are over. */
TEST(launches_by_themselves_are_compared_with_their_like) {
    struct staleness busy = {
        .moved_s = { 8e-3, 3e-3, 9e-3 }, .moved = 3, .unmoved_s = { 2e-3, 9e-3, 7e-3 }, .unmoved = 3
    };
    struct staleness remembers = busy;
    remembers.unmoved_s[1] = remembers.unmoved_s[2] = 1e-3;
    assert_true(staleness_slow_if_moved(&busy, 1e-3, &limits));
    assert_false(staleness_in_moved(&busy, 1e-3, &limits));
    assert_true(staleness_in_moved(&remembers, 1e-3, &limits));
    struct staleness woken = rounds_of(3, 10, 1);
    assert_true(staleness_in_rounds(&woken, &limits));
    for (; woken.unmoved < 3; woken.unmoved++) {
        woken.unmoved_s[woken.unmoved] = woken.first_s[0];
    }
    assert_false(staleness_in_rounds(&woken, &limits));
}

/* A kernel that works in launches by themselves alone; and a machine that keeps all of these
 * waiting.
 */
TEST(launches_at_the_end_of_rounds_tell_what_is_slow_on_purpose) {
    struct staleness remembers = {
        .moved_s = { 9e-3, 8e-3, 9e-3 }, .moved = 3, .unmoved_s = { 9e-3, 9e-3, 8e-3 }, .unmoved = 3
    };
    struct staleness busy = remembers;
    const struct staleness quick = { .moved_s = { 9e-3, 1e-3 }, .moved = 2 };
    struct staleness found = remembers;
    char words[256];
    assert_true(staleness_is_doubtful(&remembers, 1e-3, &limits));
    assert_false(staleness_is_doubtful(&quick, 1e-3, &limits));
    found.unmoved_s[0] = found.unmoved_s[1] = found.unmoved_s[2] = 1e-3;
    assert_true(staleness_in_moved(&found, 1e-3, &limits));
    assert_false(staleness_is_doubtful(&found, 1e-3, &limits));
    for (; remembers.alone < STALENESS_LEAST_ALONE; remembers.alone++, busy.alone++) {
        remembers.alone_s[remembers.alone] = remembers.alone == 0 ? 9e-3 : 1e-3;
        busy.alone_s[busy.alone] = 5e-3;
    }
    assert_true(staleness_in_alone(&remembers, &limits));
    assert_true(staleness_describe(&remembers, 1e-3, &limits, words, sizeof words));
    assert_non_null(strstr(words, "by themselves in rounds 0.001 s"));
    assert_false(staleness_in_alone(&busy, &limits));
    assert_false(staleness_describe(&busy, 1e-3, &limits, words, sizeof words));
    assert_true(staleness_too_quick(1e-3, 4e-3, &limits));
    assert_false(staleness_too_quick(1e-3, 2.9e-3, &limits));
    assert_false(staleness_too_quick(NAN, 4e-3, &limits));
    const double alone_in_round[] = { 1e-3 };
    struct staleness rounds = rounds_of(2, 1, NAN);
    staleness_add(&rounds, alone_in_round, 1, NAN);
    assert_true(fabs(staleness_least_others(&rounds) - 1e-3) < 1e-12);
    assert_true(isnan(staleness_least_others(&quick)));
    /* lists of other places, over which a launch takes twice as long */
    for (size_t k = 0; k < busy.alone; k++) {
        busy.alone_s[k] = 9e-3 / 2.1;
    }
    assert_false(staleness_in_alone(&busy, &limits));
}

/* Twelve pairs over orders of the particles with each of which the kernel takes from once to three
 * times `unmoved_s`, or by `ratio` longer where they have moved. One launch in ten takes twice as
 * long. */
static struct staleness draw_pairs(uint64_t seed, double unmoved_s, double ratio) {
    struct random random = random_from_seed(seed);
    struct staleness drawn = { 0 };
    for (int p = 0; p < STALENESS_MOST_MOVED; p++) {
        const double order = 1 + 2 * random_unit(&random);
        const double moved = random_unit(&random) < 0.1 ? 2 : 1;
        const double unmoved = random_unit(&random) < 0.1 ? 2 : 1;
        drawn.moved_s[drawn.moved++] = unmoved_s * order * ratio * moved;
        drawn.unmoved_s[drawn.unmoved++] = unmoved_s * order * unmoved;
    }
    return drawn;
}

/* Timed launches were of better lists, built over other places: all of the moved ones are slower.
 */
TEST(neither_orders_nor_hiccups_are_memory) {
    enum { DRAWS = 2000 };
    const struct staleness_limits device = staleness_limits_of(2e-6, false);
    int accused = 0;
    int found = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        const struct staleness honest = draw_pairs(seed, 2.64e-5, 1);
        const struct staleness remembers = draw_pairs(seed, 5e-6, 6);
        assert_true(staleness_slow_if_moved(&honest, 1.5e-5, &device));
        accused += staleness_in_moved(&honest, 1.5e-5, &device);
        found += staleness_in_moved(&remembers, 5e-6, &device);
    }
    assert_int_equal(accused, 0);
    assert_int_equal(found, DRAWS);
}

TEST(processors_have_other_work) {
    const struct staleness_limits device = staleness_limits_of(NAN, false);
    const struct staleness_limits processor = staleness_limits_of(1e-5, true);
    struct staleness fifth = rounds_of(3, 1.2, 1);
    struct staleness tenfold = rounds_of(3, 10, 1);
    assert_true(staleness_in_rounds(&fifth, &device));
    assert_false(staleness_in_rounds(&fifth, &processor));
    assert_true(staleness_in_rounds(&tenfold, &processor));
}

/* What is said is what was compared, not the median of launches in rounds. */
TEST(the_words_have_the_times_that_were_compared) {
    char words[256];
    struct staleness moved = rounds_of(5, 1, NAN);
    struct staleness own = rounds_of(4, 1, 0.01);
    assert_false(staleness_describe(&moved, 1e-3, &limits, words, sizeof words));
    for (int m = 0; m < 3; m++) {
        moved.moved_s[moved.moved++] = 9e-3;
        moved.unmoved_s[moved.unmoved++] = 4e-3;
    }
    assert_true(staleness_describe(&moved, 1e-3, &limits, words, sizeof words));
    assert_non_null(strstr(words, "have moved take 0.009 s, over the same particles moved back "
                                  "0.004 s (medians; launches in rounds: 0.001 s)"));
    moved.unmoved = 0;
    assert_true(staleness_describe(&moved, 1e-3, &limits, words, sizeof words));
    assert_non_null(strstr(words, "0.009 s, launches in rounds 0.001 s"));
    assert_true(staleness_describe(&own, 7e-3, &limits, words, sizeof words));
    assert_non_null(strstr(words, "their own results take 1e-05 s, the quickest of their rounds "
                                  "0.0009 s"));
}
