/* Groups of particles: their words, what they come to in a box, and what is refused. */
#include "boxes/groups.h"
#include "core/strings.h"

#include "support.h"

/* A spec from words; NULL a: all, NULL b: one group. */
struct fixture {
    struct particle_list *a, *b;
    struct group_spec spec;
};

static struct particle_list *list_of(const char *words) {
    struct particle_list *list = NULL;
    struct error error;
    assert_true(particle_list_parse(words, &list, &error));
    return list;
}

static struct fixture fixture_of(const char *a, const char *b, bool pairs) {
    struct fixture fixture = { .a = a ? list_of(a) : NULL, .b = b ? list_of(b) : NULL };
    fixture.spec.mode = pairs ? GROUPS_PAIRS : b ? GROUPS_TWO : GROUPS_ONE;
    fixture.spec.a = fixture.a;
    fixture.spec.b = fixture.b;
    return fixture;
}

static void fixture_free(struct fixture *fixture) {
    particle_list_free(fixture->a);
    particle_list_free(fixture->b);
}

static void resolve(const char *a, const char *b, bool pairs, size_t n, struct groups *groups) {
    struct fixture fixture = fixture_of(a, b, pairs);
    struct error error;
    assert_true(groups_resolve(&fixture.spec, n, 1, groups, &error));
    fixture_free(&fixture);
}

TEST(names) {
    for (int i = 0; i <= GROUPS_PAIRS; i++) {
        enum group_mode mode = GROUPS_ONE;
        assert_true(group_mode_from_name(group_mode_name((enum group_mode)i), &mode));
        assert_int_equal(mode, i);
    }
    enum group_mode mode;
    assert_false(group_mode_from_name("three", &mode));
}

TEST(lists) {
    static const int32_t expected[] = { 0, 4, 6, 7, 8, 1, 3, 5 };
    struct groups groups;
    resolve("1,5,7-9", "2-7:2,1", false, 9, &groups);
    assert_int_equal(groups.n_a, 5);
    assert_int_equal(groups.n_b, 4);
    assert_memory_equal(groups.a, expected, 5 * sizeof *expected);
    assert_memory_equal(groups.b, expected + 5, 3 * sizeof *expected);
    assert_int_equal(groups.b[3], 0);
    assert_true(groups.overlap);
    assert_int_equal(groups.common, 1);
    groups_free(&groups);
}

TEST(everything) {
    struct groups groups;
    resolve(NULL, NULL, false, 5, &groups);
    assert_true(groups.everything);
    assert_int_equal(groups.n_a, 5);
    assert_null(groups.b);
    groups_free(&groups);
    resolve("1-5", NULL, false, 5, &groups);
    assert_true(groups.everything);
    groups_free(&groups);
    resolve("2,1,3-5", NULL, false, 5, &groups); /* in another order: not as it lies there */
    assert_false(groups.everything);
    groups_free(&groups);
}

TEST(pairs) {
    struct groups groups;
    resolve("1-3,1", "4-6,5", true, 6, &groups); /* a particle may be in several pairs */
    assert_int_equal(groups.n_a, 4);
    assert_int_equal(groups.n_b, 4);
    assert_int_equal(groups.b[3], 4);
    assert_false(groups.overlap);
    groups_free(&groups);
}

TEST(ratio) {
    const struct group_spec spec = { .mode = GROUPS_TWO, .ratio_a = 30, .ratio_b = 7 };
    struct groups groups, again, other;
    struct error error;
    bool taken[50] = { false };
    assert_true(groups_resolve(&spec, 50, 1, &groups, &error));
    assert_true(groups_resolve(&spec, 50, 1, &again, &error));
    assert_true(groups_resolve(&spec, 50, 2, &other, &error));
    assert_int_equal(groups.n_a, 30);
    assert_int_equal(groups.n_b, 7);
    assert_false(groups.overlap);
    assert_memory_equal(groups.a, again.a, 30 * sizeof *groups.a);
    assert_memory_not_equal(groups.a, other.a, 30 * sizeof *groups.a);
    for (size_t i = 0; i < 37; i++) {
        int32_t index = i < 30 ? groups.a[i] : groups.b[i - 30];
        assert_between(index, 0, 49);
        assert_false(taken[index]);
        taken[index] = true;
    }
    groups_free(&groups);
    groups_free(&again);
    groups_free(&other);
}

static void assert_list_refused(const char *words, const char *reason) {
    struct particle_list *list = NULL;
    struct error error;
    assert_false(particle_list_parse(words, &list, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, reason);
}

TEST(refused_lists) {
    assert_list_refused("", "empty");
    assert_list_refused(",", "empty");
    assert_list_refused("0", "'0' is no particle");
    assert_list_refused("1,,2", "'' is no particle");
    assert_list_refused("5-3", "'5-3' ends before it begins");
    assert_list_refused("1-", "'1-'");
    assert_list_refused("1-4:0", "'1-4:0'");
    assert_list_refused("3,-4", "'-4'");
    assert_list_refused("1.5", "'1.5'");
    assert_list_refused("2 3", "'2 3'");
    assert_list_refused("99999999999999999999", "is no particle");
}

static void assert_groups_refused(const char *a, const char *b, bool pairs, const char *option,
                                  const char *reason) {
    struct fixture fixture = fixture_of(a, b, pairs);
    struct groups groups;
    struct error error;
    assert_false(groups_resolve(&fixture.spec, 10, 1, &groups, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_true(strncmp(error.message, option, strlen(option)) == 0);
    assert_says(error.message, reason);
    assert_null(groups.a);
    fixture_free(&fixture);
}

TEST(refused_groups) {
    struct group_spec spec = { .mode = GROUPS_TWO, .ratio_a = 10, .ratio_b = 1 };
    struct groups groups;
    struct error error;
    assert_groups_refused("5-11", NULL, false, "--group-a:", "particle 11: the box has 10");
    assert_groups_refused("1-5", "6,9-12", false, "--group-b:", "particle 12: the box has 10");
    assert_groups_refused("1-5,3", NULL, false, "--group-a:", "particle 3 is given twice");
    assert_groups_refused("1-5", "7,7", false, "--group-b:", "particle 7 is given twice");
    assert_groups_refused("1-5", "6-9", true, "--pairs:", "5 particles and --group-b 4");
    assert_groups_refused("1-3", "4,2,5", true, "--pairs:", "pair 2");
    assert_false(groups_resolve(&spec, 10, 1, &groups, &error));
    assert_says(error.message, "--ratio: 10:1");
    spec = (struct group_spec){ .mode = GROUPS_PAIRS, .ratio_a = 4, .ratio_b = 3 };
    assert_false(groups_resolve(&spec, 10, 1, &groups, &error));
    assert_says(error.message, "--pairs");
}

static void assert_described(struct group_spec spec, const char *a, const char *b,
                             const char *expected) {
    struct strbuf text = { 0 };
    struct particle_list *lists[2] = { a ? list_of(a) : NULL, b ? list_of(b) : NULL };
    spec.a = lists[0];
    spec.b = lists[1];
    group_spec_describe(&spec, &text);
    assert_string_equal(text.data, expected);
    strbuf_free(&text);
    particle_list_free(lists[0]);
    particle_list_free(lists[1]);
}

TEST(descriptions) {
    const struct group_spec one = { 0 };
    const struct group_spec two = { .mode = GROUPS_TWO };
    assert_true(group_spec_is_default(&one));
    assert_false(group_spec_is_default(&two));
    assert_described(one, NULL, NULL, "all");
    assert_described(one, "1-100", NULL, "a=1-100");
    assert_described(one, "01,3-3,4-9:1", NULL, "a=1,3,4-9"); /* however it is spelled */
    assert_described(two, "1-100", "101-300:2", "a=1-100 b=101-300:2");
    assert_described(two, NULL, "1", "a=all b=1");
    assert_described((struct group_spec){ .mode = GROUPS_PAIRS }, "1", "2", "a=1 b=2 pairs");
    assert_described((struct group_spec){ .mode = GROUPS_TWO, .ratio_a = 1000, .ratio_b = 1 }, NULL,
                     NULL, "ratio=1000:1");
}

/* What is too long to be shown is told apart all the same. */
TEST(long_lists) {
    static const char first[] = "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35";
    static const char second[] = "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,36";
    struct fixture one = fixture_of(first, NULL, false);
    struct fixture other = fixture_of(second, NULL, false);
    struct strbuf words[2] = { { 0 }, { 0 } };
    group_spec_describe(&one.spec, &words[0]);
    group_spec_describe(&other.spec, &words[1]);
    assert_true(words[0].length < 48);
    assert_string_not_equal(words[0].data, words[1].data);
    strbuf_free(&words[0]);
    strbuf_free(&words[1]);
    fixture_free(&one);
    fixture_free(&other);
}
