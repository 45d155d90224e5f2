/*
 * support — cmocka, and what many tests need besides: a list of tests that writes itself, numbers
 * that must be near each other, folders that go again.
 *
 * Include it last: cmocka's fail() is not ours, which core/error.h declares.
 */
#ifndef PAIRMARK_TESTS_SUPPORT_H
#define PAIRMARK_TESTS_SUPPORT_H

#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/*
 * TEST(name) { ... } is a test of its file, TEST_WITH(name, set_up, tear_down) { ... } one with
 * functions of its own before and after it, NULL where there is none. Its parameter is `void
 * **state`. main() returns run_listed_tests(), which runs them all, in the order in which they
 * stand.
 */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void test_##name(void **state);                                                         \
    __attribute__((constructor)) static void list_test_##name(void) {                              \
        list_test((struct CMUnitTest){ "test_" #name, test_##name, set_up, tear_down, NULL },      \
                  __LINE__);                                                                       \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **state)

enum { MOST_TESTS = 100 };
static struct CMUnitTest file_tests[MOST_TESTS];
static int file_test_lines[MOST_TESTS];
static size_t file_test_count;

/* Before main(), in whatever order the compiler chose: each test goes to its place by line. */
static inline void list_test(struct CMUnitTest test, int line) {
    size_t at = file_test_count++;
    if (at == MOST_TESTS) {
        (void)fputs("more tests in a file than MOST_TESTS\n", stderr);
        abort();
    }
    for (; at > 0 && file_test_lines[at - 1] > line; at--) {
        file_tests[at] = file_tests[at - 1];
        file_test_lines[at] = file_test_lines[at - 1];
    }
    file_tests[at] = test;
    file_test_lines[at] = line;
}

static inline int run_listed_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    return _cmocka_run_group_tests("tests", file_tests, file_test_count, set_up, tear_down);
}

/* What can fail worked; else its message shows. */
#define assert_done(done, error)                                                                   \
    do {                                                                                           \
        const bool worked = done;                                                                  \
        if (!worked) {                                                                             \
            print_error("%s\n", (error)->message);                                                 \
        }                                                                                          \
        assert_true(worked);                                                                       \
    } while (0)

/* The words are in the text. */
#define assert_says(text, words)                                                                   \
    do {                                                                                           \
        const bool says = strstr(text, words) != NULL;                                             \
        if (!says) {                                                                               \
            print_error("\"%s\" does not say \"%s\"\n", text, words);                              \
        }                                                                                          \
        assert_true(says);                                                                         \
    } while (0)

/* |got - expected| <= allowed; a NaN fails. `what` says what it is of. */
static inline void assert_near_as(const char *what, double got, double expected, double allowed) {
    if (!(fabs(got - expected) <= allowed)) {
        fail_msg("%s: got %.17g, expected %.17g, allowed %g", what, got, expected, allowed);
    }
}
#define assert_near(got, expected, allowed) assert_near_as(#got, got, expected, allowed)
/* |got - expected| <= relative |expected| */
static inline void assert_close_as(const char *what, double got, double expected, double relative) {
    assert_near_as(what, got, expected, relative * fabs(expected));
}
#define assert_close(got, expected, relative) assert_close_as(#got, got, expected, relative)

/* low <= got <= high, of any whole numbers below 2^63. cmocka's own has another name in 2.0. */
static inline void assert_between_as(const char *what, long long got, long long low,
                                     long long high) {
    if (got < low || got > high) {
        fail_msg("%s: got %lld, expected %lld to %lld", what, got, low, high);
    }
}
#define assert_between(got, low, high)                                                             \
    assert_between_as(#got, (long long)(got), (long long)(low), (long long)(high))

/* Skips a test; scripts/run_tests repeats the line, which says what would enable it. */
#define skip_because(why)                                                                          \
    do {                                                                                           \
        print_message("skipped: " why "\n");                                                       \
        skip();                                                                                    \
    } while (0)

enum { TEST_FOLDER_SIZE = 64 };

/* Makes an empty folder of a new name. */
static inline void make_test_folder(char folder[TEST_FOLDER_SIZE]) {
    (void)snprintf(folder, TEST_FOLDER_SIZE, "/tmp/pairmark-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline int remove_test_entry(const char *path, const struct stat *status, int type,
                                    struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Removes it and all that is in it; 0 where that worked. */
static inline int remove_test_folder(const char *folder) {
    return nftw(folder, remove_test_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Of one test: *state is a folder of its own. */
static inline int open_own_folder(void **state) {
    *state = malloc(TEST_FOLDER_SIZE);
    assert_non_null(*state);
    make_test_folder(*state);
    return 0;
}

static inline int close_own_folder(void **state) {
    const int removed = remove_test_folder(*state);
    free(*state);
    return removed;
}

/* Of a group of tests: a folder, gone when they end. */
static char test_folder[TEST_FOLDER_SIZE];

static inline int open_test_folder(void **state) {
    (void)state;
    make_test_folder(test_folder);
    return 0;
}

static inline int close_test_folder(void **state) {
    (void)state;
    return remove_test_folder(test_folder);
}

/* The same: the cache is a folder of its own. */
static char test_cache[TEST_FOLDER_SIZE];

static inline int open_test_cache(void **state) {
    (void)state;
    make_test_folder(test_cache);
    return setenv("PAIRMARK_CACHE", test_cache, 1);
}

static inline int close_test_cache(void **state) {
    (void)state;
    return remove_test_folder(test_cache);
}

#endif
