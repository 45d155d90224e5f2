/*
 * worker_server — what a worker process does with a request: the session's functions, or a test's.
 */
#ifndef PAIRMARK_CAMPAIGN_WORKER_WORKER_SERVER_H
#define PAIRMARK_CAMPAIGN_WORKER_WORKER_SERVER_H

#include "campaign/worker/worker.h"
#include "measure/measure.h"

#include <stdint.h>

/* As the functions of measure.h and device.h. Called in the worker process alone. */
struct worker_server {
    bool (*open)(const char *name, struct session **session, struct error *error);
    void (*close)(struct session *session);
    bool (*works)(struct session *session);
    bool (*intact)(const struct session *session);
    const struct device_info *(*device)(const struct session *session);
    bool (*evaluate)(struct session *session, const struct case_spec *spec,
                     struct evaluation *evaluation, struct verdict *verdict, struct error *error);
    void (*check)(struct session *session, const struct case_spec *spec, struct verdict *verdict);
    void (*measure)(struct session *session, const struct case_spec *spec,
                    const struct sampling *sampling, struct measurement *measurement);
    const struct device_rates *(*rates)(struct session *session);
    bool (*enumerate)(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                      struct error *error);
    int64_t (*memory_kills)(void); /* see memory_kills(); in the process of the user, this one */
};

extern const struct worker_server worker_session_server;

/* ---- the messages ---- */

enum worker_operation {
    WORKER_DEVICE,
    WORKER_RATES,
    WORKER_EVALUATE,
    WORKER_CHECK,
    WORKER_MEASURE,
    WORKER_ENUMERATE
};

struct worker_request {
    enum worker_operation operation;
    size_t case_index;
    bool compare; /* of WORKER_EVALUATE: with the reference */
    struct sampling sampling;
};

/* Comes before `length` bytes of payload. When `good` is false the payload is a struct error. */
struct worker_answer {
    size_t length;
    bool good;
    bool last; /* the worker has lost its device and ends after this answer */
};

/* A pointer to words does not cross from process to process: the words do. */
enum { WORKER_STOP_REASON_SIZE = 32, WORKER_NOTES_SIZE = 2048 };

struct worker_evaluation {
    struct evaluation evaluation; /* its forces follow */
    struct verdict verdict;       /* where it was compared */
};

struct worker_measurement {
    struct measurement measurement;
    char stop_reason[WORKER_STOP_REASON_SIZE];
};

struct worker_devices {
    size_t count; /* struct device_info that follow */
    char notes[WORKER_NOTES_SIZE];
};

/* Answers requests on the socket until the other end closes. Returns the worker's exit status. */
int worker_serve(int socket, const struct plan *plan, const char *device,
                 const struct worker_server *server);

bool worker_send_all(int socket, const void *data, size_t size);

/* worker_create and worker_enumerate with other functions behind them. */
bool worker_create_with(const struct worker_server *server, const struct plan *plan,
                        const char *device, double deadline_s, struct worker **worker,
                        struct error *error);
bool worker_enumerate_with(const struct worker_server *server, struct device_info **list,
                           size_t *count, char *notes, size_t notes_size, struct error *error);

/* The process of the worker, 0 when none runs. */
int worker_process(const struct worker *worker);

/* How many processes the system has killed for want of memory.
 *
 * Two readings around the end of a process show whether one that died of SIGKILL died of that. */

/* Of this process's own control group where it has such a count (cgroup
 * v2: memory.events, v1: memory.oom_control), else of the whole system (/proc/vmstat); -1 where
 * neither can be read. */
int64_t memory_kills(void);

/* The number behind the word oom_kill that begins a line of the file; -1 where there is none. */
int64_t memory_kills_in(const char *path);

#endif
