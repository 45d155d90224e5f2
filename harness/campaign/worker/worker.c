/* Asks a worker for devices, evaluations, verdicts and measurements, and takes its answers. Has
 * kernels compiled before they are needed, by several workers, into the cache where those that
 * measure find them; and makes of a worker what a campaign measures by. */
#include "campaign/worker/worker.h"

#include "campaign/memory.h"
#include "campaign/progress.h"
#include "campaign/worker/worker_server.h"
#include "core/threads.h"
#include "devices/machine/machine_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const double enumerate_s = 120; /* that looking for devices may take */

struct worker *worker_create_with(const struct worker_server *server, const struct plan *plan,
                                  const char *device, double deadline_s) {
    struct worker *worker = memory_zeroed(1, sizeof *worker);
    *worker = (struct worker){ .server = server,
                               .plan = plan,
                               .device = memory_copy(device ? device : ""),
                               .deadline_s = deadline_s,
                               .process_end = -1,
                               .socket = -1,
                               .words = { .pipe = -1 } };
    return worker;
}

struct worker *worker_create(const struct plan *plan, const char *device, double deadline_s) {
    return worker_create_with(&worker_session_server, plan, device, deadline_s);
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

/* A worker that ends on a request about no case is a failure of the system. */
static bool fail_as_system(struct error *error) {
    if (error->status == STATUS_CRASHED || error->status == STATUS_TIMEOUT ||
        error->status == STATUS_OUT_OF_MEMORY) {
        error->status = STATUS_SYSTEM;
    }
    return false;
}

/* An answer that is one struct of `size` bytes, to a question that is about no case. */
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

/* The words for how sampling ended, in this process's own memory. */
static const char *stop_reason_from(const char *words) {
    static const char *const reasons[] = { "noise", "most_samples", "time_cap" };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(words, reasons[i]) == 0) {
            return reasons[i];
        }
    }
    return words[0] ? "other" : NULL;
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
    if (!worker_ask_case(worker, &request, sizeof(struct worker_measurement), &payload, &length,
                         &error)) {
        measurement_from_error(&worker->plan->cases[case_index], &error, measurement);
        return;
    }
    struct worker_measurement *result = payload;
    *measurement = result->measurement;
    measurement->force.stop_reason = stop_reason_from(result->stop_reason);
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
                measurement->machine_load > machine_load_bound && !campaign_signals_noted();
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
    struct worker *worker = worker_create_with(server, NULL, NULL, enumerate_s);
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

/* ---- compiling ahead: which kernels ---- */

/* Each process has a compiler, some hundred megabytes, and a context on the device. */
enum { MOST_AT_ONCE = 8 };
/* For fewer it is not worth starting processes. */
enum { LEAST_KERNELS = 4 };

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

/* ---- compiling ahead: processes, with a thread each ---- */

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
