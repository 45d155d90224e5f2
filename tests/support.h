/*
 * support — cmocka, the standard headers that tests need, and what many of them share: main(),
 * which runs a list of tests that writes itself, numbers that must be near each other, folders that
 * go again.
 *
 * Include it last: cmocka's fail() is not ours, which core/error.h declares.
 */
#ifndef PAIRMARK_TESTS_SUPPORT_H
#define PAIRMARK_TESTS_SUPPORT_H

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
 * **state`. They run in the order in which they stand. TEST_GROUP(set_up, tear_down)
 * names what is called before the first and after the last of a file.
 */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void test_##name(void **state);                                                         \
    __attribute__((constructor)) static void list_test_##name(void) {                              \
        list_test((struct CMUnitTest){ "test_" #name, test_##name, set_up, tear_down, NULL },      \
                  __LINE__);                                                                       \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **state)
#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void set_file_group(void) {                                \
        set_group(set_up, tear_down);                                                              \
    }
void list_test(struct CMUnitTest test, int line);
void set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);
int run_listed_tests(void); /* for a file with a main() of its own */

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
void assert_near_as(const char *what, double got, double expected, double allowed);
#define assert_near(got, expected, allowed) assert_near_as(#got, got, expected, allowed)
/* |got - expected| <= relative |expected| */
void assert_close_as(const char *what, double got, double expected, double relative);
#define assert_close(got, expected, relative) assert_close_as(#got, got, expected, relative)

/* low <= got <= high, of any whole numbers below 2^63. cmocka's own has another name in 2.0. */
void assert_between_as(const char *what, long long got, long long low, long long high);
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
void make_test_folder(char folder[TEST_FOLDER_SIZE]);
/* Removes it and all that is in it; 0 where that worked. */
int remove_test_folder(const char *folder);

/* Of one test: *state is a folder of its own. */
int open_own_folder(void **state);
int close_own_folder(void **state);

/* Of a group of tests: a folder, gone when they end. */
extern char test_folder[TEST_FOLDER_SIZE];
int open_test_folder(void **state);
int close_test_folder(void **state);

/* The same: the cache is a folder of its own. */
extern char test_cache[TEST_FOLDER_SIZE];
int open_test_cache(void **state);
int close_test_cache(void **state);

#endif
