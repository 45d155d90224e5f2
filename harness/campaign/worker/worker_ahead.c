/* Compiles kernels before they are needed, in several processes, into the cache where the processes
 * that measure find them; and makes of a worker what a campaign measures by. */
#include "campaign/worker/worker.h"

#include "campaign/memory.h"
#include "campaign/progress.h"
#include "campaign/worker/worker_server.h"
#include "core/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Each process has a compiler, some hundred megabytes, and a context on the device. */
enum { MOST_AT_ONCE = 8 };
/* For fewer it is not worth starting processes. */
enum { LEAST_KERNELS = 4 };

/* ---- which kernels ---- */

/* One case of those that differ only in N or seed, and so have the same kernels: the one with the
 * smallest N, whose box is made fastest. */
struct compiled_case {
    size_t index, n;
    char id[HASH_TEXT_SIZE];
};

static int compare_ids(const void *left, const void *right) {
    const struct compiled_case *a = left;
    const struct compiled_case *b = right;
    const int order = strcmp(a->id, b->id);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static int compare_indices(const void *left, const void *right) {
    const struct compiled_case *a = left;
    const struct compiled_case *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Keeps of cases with the same id the smallest, in the order of the plan; returns how many stay. */
static size_t keep_different(struct compiled_case *cases, size_t count) {
    size_t kept = 0;
    qsort(cases, count, sizeof *cases, compare_ids);
    for (size_t c = 0; c < count; c++) {
        if (kept == 0 || strcmp(cases[kept - 1].id, cases[c].id) != 0) {
            cases[kept++] = cases[c];
        }
    }
    qsort(cases, kept, sizeof *cases, compare_indices);
    return kept;
}

static void describe_case(const struct plan *plan, size_t index, struct compiled_case *described) {
    struct case_spec spec = plan->cases[index];
    described->index = index;
    described->n = spec.box.n;
    spec.box.n = 0;
    spec.box.seed = 0;
    case_id(&spec, described->id);
}

/* ---- processes, with a thread each ---- */

struct ahead {
    const struct worker *like;
    const struct compiled_case *cases;
    size_t count;
    atomic_size_t next;
};

/* Compiles cases until none is left. Failures are ignored: the case fails again when measured. */
static void *compile_some(void *context) {
    struct ahead *ahead = context;
    const struct worker *like = ahead->like;
    struct worker *worker =
        worker_create_with(like->server, like->plan, like->device, like->deadline_s);
    bool goes_on = true;
    while (goes_on && !campaign_signals_noted()) {
        const size_t next = atomic_fetch_add(&ahead->next, 1);
        if (next >= ahead->count) {
            break;
        }
        const struct worker_request request = { .operation = WORKER_COMPILE,
                                                .case_index = ahead->cases[next].index };
        struct error ignored;
        void *payload = NULL;
        size_t length = 0;
        goes_on = worker_ask(worker, &request, sizeof(bool), &payload, &length, &ignored);
        free(payload);
    }
    worker_free(worker);
    return NULL;
}

/* Signals go to the thread that waits: it notes them, and the others see that. */
static void compile_at_once(struct ahead *ahead, size_t processes) {
    pthread_t threads[MOST_AT_ONCE];
    size_t started = 0;
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    while (started < processes &&
           pthread_create(&threads[started], NULL, compile_some, ahead) == 0) {
        started++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (size_t t = 0; t < started; t++) {
        (void)pthread_join(threads[t], NULL);
    }
}

void worker_compile_ahead(struct worker *worker, const size_t *cases, size_t count) {
    const size_t usable = (size_t)threads_usable();
    struct compiled_case *compiled = memory_zeroed(count + 1, sizeof *compiled);
    for (size_t c = 0; c < count; c++) {
        describe_case(worker->plan, cases[c], &compiled[c]);
    }
    struct ahead ahead = { .like = worker,
                           .cases = compiled,
                           .count = keep_different(compiled, count) };
    const size_t most = usable < MOST_AT_ONCE ? usable : MOST_AT_ONCE;
    const size_t processes = ahead.count < most ? ahead.count : most;
    if (ahead.count >= LEAST_KERNELS && processes > 1) {
        compile_at_once(&ahead, processes);
    }
    free(compiled);
}

/* ---- a worker as a campaign measures by it ---- */

static bool rates_of(void *context, struct device_rates *rates, struct error *error) {
    return worker_rates(context, rates, error);
}

static void measure_by(void *context, size_t case_index, const struct sampling *sampling,
                       struct measurement *measurement) {
    worker_measure(context, case_index, sampling, measurement);
}

static void compile_by(void *context, const size_t *cases, size_t count) {
    worker_compile_ahead(context, cases, count);
}

static void restart(void *context) {
    worker_restart(context);
}

static bool opens(void *context, struct error *error) {
    struct device_info info;
    return worker_device(context, &info, error);
}

struct campaign_measurer worker_measurer(struct worker *worker) {
    return (struct campaign_measurer){ .context = worker,
                                       .rates = rates_of,
                                       .measure = measure_by,
                                       .compile = compile_by,
                                       .restart = restart,
                                       .opens = opens };
}
