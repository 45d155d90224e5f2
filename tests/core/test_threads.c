/* Tasks shared among threads: each done once, by whoever is free, however many there are. */
#include "core/threads.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { TASKS = 1000 };

struct counts {
    atomic_int done[TASKS];
};

static void count(void *context, size_t task) {
    struct counts *counts = context;
    atomic_fetch_add(&counts->done[task], 1);
}

static void assert_each_done(const struct counts *counts, size_t tasks, int times) {
    for (size_t t = 0; t < TASKS; t++) {
        assert_int_equal(counts->done[t], t < tasks ? times : 0);
    }
}

TEST(every_task_is_done_once) {
    static const size_t tasks[] = { 0, 1, 2, 7, TASKS };
    for (int limit = 0; limit < 9; limit++) {
        threads_limit(limit);
        struct threads *threads = threads_open(TASKS);
        for (int t = 0; t < 5; t++) {
            struct counts counts = { { 0 } };
            threads_run(threads, tasks[t], count, &counts);
            assert_each_done(&counts, tasks[t], 1);
        }
        threads_close(threads);
    }
    threads_limit(0);
}

TEST(threads_do_one_round_after_another) {
    enum { ROUNDS = 300 };
    struct counts counts = { { 0 } };
    threads_limit(4);
    struct threads *threads = threads_open(TASKS);
    for (int round = 0; round < ROUNDS; round++) {
        threads_run(threads, 10, count, &counts);
    }
    threads_close(threads);
    threads_limit(0);
    assert_each_done(&counts, 10, ROUNDS);
}

TEST(there_are_as_many_as_are_of_use) {
    assert_true(threads_usable() >= 1);
    assert_null(threads_open(0));
    assert_null(threads_open(1));
    assert_int_equal(threads_count(NULL), 1);
    threads_limit(3);
    struct threads *threads = threads_open(2);
    assert_int_equal(threads_count(threads), 2);
    threads_close(threads);
    threads = threads_open(100);
    assert_int_equal(threads_count(threads), 3);
    threads_close(threads);
    threads_limit(1);
    assert_null(threads_open(100));
    threads_limit(0);
}

/* A worker is forked by a process that may have had threads. */
TEST(threads_work_after_a_fork) {
    struct counts before = { { 0 } };
    threads_limit(3);
    struct threads *threads = threads_open(TASKS);
    threads_run(threads, TASKS, count, &before);
    threads_close(threads);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct counts counts = { { 0 } };
        threads = threads_open(TASKS);
        threads_run(threads, TASKS, count, &counts);
        threads_close(threads);
        _exit(counts.done[0] == 1 && counts.done[TASKS - 1] == 1 ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    threads_limit(0);
}

struct ranges {
    atomic_int done[3 * THREADS_RANGE];
    atomic_bool astray; /* a range that begins elsewhere, or is too long */
};

static void do_some(void *context, size_t first, size_t end) {
    struct ranges *ranges = context;
    if (first % THREADS_RANGE != 0 || end <= first || end - first > THREADS_RANGE) {
        atomic_store(&ranges->astray, true);
    }
    for (size_t k = first; k < end; k++) {
        atomic_fetch_add(&ranges->done[k], 1);
    }
}

TEST(ranges_have_every_number_once) {
    static const size_t counts[] = { 0, 1, THREADS_RANGE, THREADS_RANGE + 1, 3 * THREADS_RANGE };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct threads *threads = threads_open(3);
        struct ranges *ranges = calloc(1, sizeof *ranges);
        assert_non_null(ranges);
        threads_each(counts[c], threads, do_some, ranges);
        threads_share(counts[c], do_some, ranges);
        threads_close(threads);
        assert_false(ranges->astray);
        for (size_t k = 0; k < 3 * THREADS_RANGE; k++) {
            assert_int_equal(ranges->done[k], k < counts[c] ? 2 : 0);
        }
        free(ranges);
    }
}
