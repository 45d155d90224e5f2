#include "support.h"

#include <ftw.h>

enum { MOST_TESTS = 100 };
static struct CMUnitTest file_tests[MOST_TESTS];
static int file_test_lines[MOST_TESTS];
static size_t file_test_count;
static CMFixtureFunction group_set_up, group_tear_down;

char test_folder[TEST_FOLDER_SIZE];
char test_cache[TEST_FOLDER_SIZE];

/* Before main(), in whatever order the compiler chose: each test goes to its place by line. */
void list_test(struct CMUnitTest test, int line) {
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

void set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    group_set_up = set_up;
    group_tear_down = tear_down;
}

int run_listed_tests(void) {
    return _cmocka_run_group_tests("tests", file_tests, file_test_count, group_set_up,
                                   group_tear_down);
}

/* Of a file that has none. */
__attribute__((weak)) int main(void) {
    return run_listed_tests();
}

void assert_near_as(const char *what, double got, double expected, double allowed) {
    if (!(fabs(got - expected) <= allowed)) {
        fail_msg("%s: got %.17g, expected %.17g, allowed %g", what, got, expected, allowed);
    }
}

void assert_close_as(const char *what, double got, double expected, double relative) {
    assert_near_as(what, got, expected, relative * fabs(expected));
}

void assert_between_as(const char *what, long long got, long long low, long long high) {
    if (got < low || got > high) {
        fail_msg("%s: got %lld, expected %lld to %lld", what, got, low, high);
    }
}

void make_test_folder(char folder[TEST_FOLDER_SIZE]) {
    (void)snprintf(folder, TEST_FOLDER_SIZE, "/tmp/pairmark-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static int remove_test_entry(const char *path, const struct stat *status, int type,
                             struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

int remove_test_folder(const char *folder) {
    return nftw(folder, remove_test_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int open_own_folder(void **state) {
    *state = malloc(TEST_FOLDER_SIZE);
    assert_non_null(*state);
    make_test_folder(*state);
    return 0;
}

int close_own_folder(void **state) {
    const int removed = remove_test_folder(*state);
    free(*state);
    return removed;
}

int open_test_folder(void **state) {
    (void)state;
    make_test_folder(test_folder);
    return 0;
}

int close_test_folder(void **state) {
    (void)state;
    return remove_test_folder(test_folder);
}

int open_test_cache(void **state) {
    (void)state;
    make_test_folder(test_cache);
    return setenv("PAIRMARK_CACHE", test_cache, 1);
}

int close_test_cache(void **state) {
    (void)state;
    return remove_test_folder(test_cache);
}
