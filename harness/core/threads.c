#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Opening a thread takes about 20 us, as long as the work on a few ten thousand numbers. */
enum { MAX_THREADS = 256, LEAST_SHARE = 65536 };

struct threads {
    pthread_mutex_t lock;
    pthread_cond_t begin; /* `round` has moved on, or `closing` */
    pthread_cond_t done;  /* `working` has come to 0 */
    pthread_t thread[MAX_THREADS];
    int count;      /* besides the caller */
    int working;    /* of them, in this round */
    unsigned round; /* of threads_run() */
    bool closing;
    size_t tasks;
    threads_task *task;
    void *context;
    atomic_size_t next;
};

static _Thread_local int limit; /* 0: none */

int threads_usable(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return usable > 1 ? usable : 1;
}

void threads_limit(int most) {
    limit = most;
}

static void do_tasks(struct threads *threads) {
    for (;;) {
        const size_t task = atomic_fetch_add(&threads->next, 1);
        if (task >= threads->tasks) {
            return;
        }
        threads->task(threads->context, task);
    }
}

static void *work(void *argument) {
    struct threads *threads = argument;
    unsigned seen = 0;
    (void)pthread_mutex_lock(&threads->lock);
    for (;;) {
        while (threads->round == seen && !threads->closing) {
            (void)pthread_cond_wait(&threads->begin, &threads->lock);
        }
        if (threads->closing) {
            break;
        }
        seen = threads->round;
        (void)pthread_mutex_unlock(&threads->lock);
        do_tasks(threads);
        (void)pthread_mutex_lock(&threads->lock);
        if (--threads->working == 0) {
            (void)pthread_cond_signal(&threads->done);
        }
    }
    (void)pthread_mutex_unlock(&threads->lock);
    return NULL;
}

struct threads *threads_open(size_t tasks) {
    size_t wanted = (size_t)(limit > 0 ? limit : threads_usable());
    wanted = wanted < tasks ? wanted : tasks;
    wanted = wanted <= MAX_THREADS ? wanted : MAX_THREADS;
    struct threads *threads = wanted > 1 ? calloc(1, sizeof *threads) : NULL;
    if (!threads) {
        return NULL;
    }
    (void)pthread_mutex_init(&threads->lock, NULL);
    (void)pthread_cond_init(&threads->begin, NULL);
    (void)pthread_cond_init(&threads->done, NULL);
    for (size_t t = 1; t < wanted; t++) { /* where the system gives no more, fewer do it */
        threads->count +=
            pthread_create(&threads->thread[threads->count], NULL, work, threads) == 0;
    }
    return threads;
}

void threads_close(struct threads *threads) {
    if (!threads) {
        return;
    }
    (void)pthread_mutex_lock(&threads->lock);
    threads->closing = true;
    (void)pthread_cond_broadcast(&threads->begin);
    (void)pthread_mutex_unlock(&threads->lock);
    for (int t = 0; t < threads->count; t++) {
        (void)pthread_join(threads->thread[t], NULL);
    }
    (void)pthread_cond_destroy(&threads->begin);
    (void)pthread_cond_destroy(&threads->done);
    (void)pthread_mutex_destroy(&threads->lock);
    free(threads);
}

int threads_count(const struct threads *threads) {
    return threads ? threads->count + 1 : 1;
}

void threads_run(struct threads *threads, size_t tasks, threads_task *task, void *context) {
    if (!threads || tasks < 2) {
        for (size_t t = 0; t < tasks; t++) {
            task(context, t);
        }
        return;
    }
    (void)pthread_mutex_lock(&threads->lock);
    threads->tasks = tasks;
    threads->task = task;
    threads->context = context;
    atomic_store(&threads->next, 0);
    threads->working = threads->count;
    threads->round++;
    (void)pthread_cond_broadcast(&threads->begin);
    (void)pthread_mutex_unlock(&threads->lock);
    do_tasks(threads);
    (void)pthread_mutex_lock(&threads->lock);
    while (threads->working > 0) {
        (void)pthread_cond_wait(&threads->done, &threads->lock);
    }
    (void)pthread_mutex_unlock(&threads->lock);
}

/* ---- by ranges ---- */

struct ranges {
    size_t n;
    threads_some *some;
    void *context;
};

static void do_range(void *context, size_t task) {
    const struct ranges *ranges = context;
    const size_t end = (task + 1) * THREADS_RANGE;
    ranges->some(ranges->context, task * THREADS_RANGE, end < ranges->n ? end : ranges->n);
}

void threads_each(size_t n, struct threads *threads, threads_some *some, void *context) {
    struct ranges ranges = { n, some, context };
    threads_run(threads, (n + THREADS_RANGE - 1) / THREADS_RANGE, do_range, &ranges);
}

void threads_share(size_t n, threads_some *some, void *context) {
    struct threads *threads = threads_open(n / LEAST_SHARE);
    threads_each(n, threads, some, context);
    threads_close(threads);
}
