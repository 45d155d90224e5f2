/* Asks a worker for devices, evaluations, verdicts and measurements, and takes its answers. Has
 * kernels compiled before they are needed, by several workers, into the cache where those that
 * measure find them. */
#include "measure/worker/worker.h"

#include "core/threads.h"
#include "devices/machine/machine_watch.h"
#include "measure/program.h"
#include "measure/worker/worker_server.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const double enumerate_s = 120; /* that looking for devices may take */

struct worker *worker_create_with(const struct worker_server *server, struct worker_cases cases,
                                  const char *device, double deadline_s) {
    struct worker *worker = memory_zeroed(1, sizeof *worker);
    *worker = (struct worker){ .server = server,
                               .cases = cases,
                               .device = memory_copy(device ? device : ""),
                               .deadline_s = deadline_s,
                               .process_end = -1,
                               .socket = -1,
                               .words = { .pipe = -1 } };
    return worker;
}

struct worker *worker_create(struct worker_cases cases, const char *device, double deadline_s) {
    return worker_create_with(&worker_session_server, cases, device, deadline_s);
}

void worker_set_deadline(struct worker *worker, double deadline_s) {
    worker->deadline_s = deadline_s;
}

void worker_free(struct worker *worker) {
    if (!worker) {
        return;
    }
    worker_restart(worker);
    history_free(&worker->history);
    free(worker->device);
    free(worker);
}

int worker_process(const struct worker *worker) {
    return (int)worker->process;
}

/* A worker that dies on a request that is not about a case is a failure of the system. */
static bool fail_as_system(struct error *error) {
    if (error->status == STATUS_CRASHED || error->status == STATUS_TIMEOUT ||
        error->status == STATUS_OUT_OF_MEMORY) {
        error->status = STATUS_SYSTEM;
    }
    return false;
}

/* Asks a question that is not about a case and takes an answer that is one struct of `size` bytes.
 */
static bool worker_ask_once(struct worker *worker, enum worker_operation operation, void *answer,
                            size_t size, struct error *error) {
    struct worker_request request = { .operation = operation };
    void *payload = NULL;
    size_t length = 0;
    if (!worker_ask(worker, &request, size, &payload, &length, error)) {
        return fail_as_system(error);
    }
    memcpy(answer, payload, size);
    free(payload);
    return true;
}

bool worker_device(struct worker *worker, struct device_info *info, struct error *error) {
    return worker_ask_once(worker, WORKER_DEVICE, info, sizeof *info, error);
}

bool worker_rates(struct worker *worker, struct device_rates *rates, struct error *error) {
    return worker_ask_once(worker, WORKER_RATES, rates, sizeof *rates, error);
}

/* Moves forces and the scalars of a batch's boxes to the beginning of the payload, which becomes
 * the evaluation's memory. */
static void take_arrays(void *payload, size_t length, struct evaluation *evaluation) {
    const size_t arrays = length - sizeof(struct worker_evaluation);
    const size_t forces = evaluation->numbers * sizeof *evaluation->force;
    const size_t boxes = evaluation->boxes;
    const bool fits = evaluation->numbers <= arrays && forces <= arrays && boxes <= arrays &&
                      arrays - forces == boxes * sizeof *evaluation->of_box;
    evaluation->boxes = 0;
    if (arrays == 0 || !fits) {
        free(payload);
        return;
    }
    memmove(payload, (char *)payload + sizeof(struct worker_evaluation), arrays);
    evaluation->force = payload;
    evaluation->of_box = boxes > 0 ? malloc(arrays - forces) : NULL;
    if (evaluation->of_box) {
        memcpy(evaluation->of_box, (char *)payload + forces, arrays - forces);
        evaluation->boxes = boxes;
    }
}

bool worker_evaluate(struct worker *worker, size_t case_index, struct evaluation *evaluation,
                     struct verdict *verdict, struct error *error) {
    struct worker_request request = { .operation = WORKER_EVALUATE,
                                      .case_index = case_index,
                                      .compare = verdict != NULL };
    struct worker_evaluation result;
    void *payload = NULL;
    size_t length = 0;
    if (!worker_ask(worker, &request, sizeof result, &payload, &length, error)) {
        return false;
    }
    memcpy(&result, payload, sizeof result);
    *evaluation = result.evaluation;
    evaluation->force = NULL;
    evaluation->velocity = NULL; /* stays in the worker, as do these */
    evaluation->face_count = NULL;
    evaluation->face_momentum = NULL;
    evaluation->of_box = NULL;
    if (verdict) {
        *verdict = result.verdict;
    }
    take_arrays(payload, length, evaluation);
    return true;
}

void worker_check(struct worker *worker, size_t case_index, struct verdict *verdict) {
    struct worker_request request = { .operation = WORKER_CHECK, .case_index = case_index };
    struct error error;
    void *payload = NULL;
    size_t length = 0;
    if (!worker_ask_case(worker, &request, sizeof *verdict, &payload, &length, &error)) {
        *verdict = verdict_of(error.status);
        verdict_fail(verdict, &error);
        return;
    }
    memcpy(verdict, payload, sizeof *verdict);
    free(payload);
}

static void measurement_from_error(const struct case_spec *spec, const struct error *error,
                                   struct measurement *measurement) {
    measurement_clear(measurement);
    verdict_fail(&measurement->verdict, error);
    (void)snprintf(measurement->box_kind, sizeof measurement->box_kind, "%s", spec->box.kind);
    measurement->n = spec->box.n;
}

static void measure_once(struct worker *worker, size_t case_index, const struct sampling *sampling,
                         struct measurement *measurement) {
    struct worker_request request = { .operation = WORKER_MEASURE,
                                      .case_index = case_index,
                                      .sampling = *sampling };
    struct error error;
    void *payload = NULL;
    size_t length = 0;
    if (!worker_ask_case(worker, &request, sizeof *measurement, &payload, &length, &error)) {
        measurement_from_error(&worker->cases.items[case_index], &error, measurement);
        return;
    }
    memcpy(measurement, payload, sizeof *measurement);
    measurement->force.stop_reason[sizeof measurement->force.stop_reason - 1] = '\0';
    free(payload);
}

/* On a busy processor a late launch can make a kernel look stale, as if it reused results. There it
 * counts as stale only if it is so in each of several tries, as a kernel that reuses results is. */
void worker_measure(struct worker *worker, size_t case_index, const struct sampling *sampling,
                    struct measurement *measurement) {
    enum { TRIES = 3 };
    bool again = true;
    for (int try = 0; again && try < TRIES; try++) {
        measure_once(worker, case_index, sampling, measurement);
        again = measurement->verdict.status == STATUS_STALE &&
                measurement->machine_load > machine_load_bound && !signals_noted();
    }
}

static void take_devices(const void *payload, size_t length, struct worker_devices *devices,
                         struct device_info **list) {
    memcpy(devices, payload, sizeof *devices);
    const size_t bytes = length - sizeof *devices;
    *list = memory_zeroed(bytes, 1);
    memcpy(*list, (const char *)payload + sizeof *devices, bytes);
}

bool worker_enumerate_with(const struct worker_server *server, struct device_info **list,
                           size_t *count, char *notes, size_t notes_size, struct error *error) {
    struct worker_request request = { .operation = WORKER_ENUMERATE };
    const struct worker_cases none = { 0 };
    struct worker *worker = worker_create_with(server, none, NULL, enumerate_s);
    void *payload = NULL;
    size_t length = 0;
    const bool good =
        worker_ask(worker, &request, sizeof(struct worker_devices), &payload, &length, error);
    if (good) {
        struct worker_devices devices;
        take_devices(payload, length, &devices, list);
        free(payload);
        *count = devices.count;
        if (notes && notes_size > 0) {
            (void)snprintf(notes, notes_size, "%s", devices.notes);
        }
    } else {
        (void)fail_as_system(error);
        (void)fail_within(error, "looking for devices");
    }
    worker_free(worker);
    return good;
}

bool worker_enumerate(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                      struct error *error) {
    return worker_enumerate_with(&worker_session_server, list, count, notes, notes_size, error);
}

/* ---- compiling ahead: processes, with a thread each ---- */

/* Each process has a compiler, some hundred megabytes, and a context on the device. */
enum { MOST_AT_ONCE = 8 };
/* With fewer cases, starting processes takes longer than it saves. */
enum { LEAST_KERNELS = 4 };

struct ahead {
    const struct worker *like;
    const size_t *cases;
    size_t count;
    atomic_size_t next;
};

/* Compiles cases until none is left. Failures are ignored: the case fails again when measured. */
static void *compile_some(void *context) {
    struct ahead *ahead = context;
    const struct worker *like = ahead->like;
    struct worker *worker =
        worker_create_with(like->server, like->cases, like->device, like->deadline_s);
    bool goes_on = true;
    while (goes_on && !signals_noted()) {
        const size_t next = atomic_fetch_add(&ahead->next, 1);
        if (next >= ahead->count) {
            break;
        }
        const struct worker_request request = { .operation = WORKER_COMPILE,
                                                .case_index = ahead->cases[next] };
        struct error ignored;
        void *payload = NULL;
        size_t length = 0;
        goes_on = worker_ask(worker, &request, sizeof(bool), &payload, &length, &ignored);
        free(payload);
    }
    worker_free(worker);
    return NULL;
}

/* Signals are delivered to the thread that waits; it notes them, and the other threads see the
 * note. */
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
    struct ahead ahead = { .like = worker, .cases = cases, .count = count };
    const size_t most = usable < MOST_AT_ONCE ? usable : MOST_AT_ONCE;
    const size_t processes = count < most ? count : most;
    if (count >= LEAST_KERNELS && processes > 1) {
        compile_at_once(&ahead, processes);
    }
}
