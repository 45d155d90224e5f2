/*
 * worker_server — the messages between the user's process and a worker, and what the worker does
 * with a request: it calls the session's functions, or a test's.
 */
#ifndef PAIRMARK_MEASURE_WORKER_WORKER_SERVER_H
#define PAIRMARK_MEASURE_WORKER_WORKER_SERVER_H

#include "core/cache.h"
#include "devices/machine/machine_watch.h"
#include "measure/measure.h"
#include "measure/worker/worker.h"

#include <stdint.h>
#include <sys/types.h>

/* The functions of measure.h and device.h that a worker process calls; tests put others in their
 * place. */
struct worker_server {
    bool (*open)(const char *name, struct session **session, struct error *error);
    void (*close)(struct session *session);
    bool (*works)(struct session *session);
    bool (*intact)(const struct session *session);
    const struct device_info *(*device)(const struct session *session);
    bool (*evaluate)(struct session *session, const struct case_spec *spec,
                     struct evaluation *evaluation, struct verdict *verdict, struct error *error);
    void (*compile)(struct session *session, const struct case_spec *spec);
    void (*check)(struct session *session, const struct case_spec *spec, struct verdict *verdict);
    void (*measure)(struct session *session, const struct case_spec *spec,
                    const struct sampling *sampling, struct measurement *measurement);
    const struct device_rates *(*rates)(struct session *session);
    bool (*enumerate)(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                      struct error *error);
    int64_t (*memory_kills)(void); /* of core/host.h; in the process of the user, this one */
};

extern const struct worker_server worker_session_server;

/* ---- the messages ---- */

enum worker_operation {
    WORKER_DEVICE,
    WORKER_RATES,
    WORKER_EVALUATE,
    WORKER_COMPILE,
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

/* A kernel that runs in the worker can write to the socket, too. So each request brings a key that
 * is drawn for it, and the answer is sealed with that. Until the case is done the key stays unread
 * in the socket: it is nowhere in the memory that a kernel can search. */
enum { WORKER_KEY_BYTES = 32 };

/* A request with its key, sent in one piece so that the key is there when the request is. */
struct worker_message {
    struct worker_request request;
    unsigned char key[WORKER_KEY_BYTES];
};

/* Comes before `length` bytes of payload. When `good` is false the payload is a struct error. */
struct worker_answer {
    size_t length;
    bool good;
    bool last; /* the worker has lost its device and ends after this answer */
    char payload_hash[HASH_TEXT_SIZE];
    char seal[HASH_TEXT_SIZE]; /* worker_seal() of the others */
};

/* A hash of the key and the answer but for its seal. "": memory ran out. */
void worker_seal(const unsigned char key[WORKER_KEY_BYTES], const struct worker_answer *answer,
                 char seal[HASH_TEXT_SIZE]);

enum { WORKER_NOTES_SIZE = 2048 };

struct worker_evaluation {
    struct evaluation evaluation; /* its forces follow */
    struct verdict verdict;       /* where it was compared */
};

struct worker_devices {
    size_t count; /* struct device_info that follow */
    char notes[WORKER_NOTES_SIZE];
};

/* Answers requests on the socket until the other end closes. Returns the worker's exit status. */
int worker_serve(int socket, const struct worker_cases *cases, const char *device,
                 const struct worker_server *server);

bool worker_send_all(int socket, const void *data, size_t size);

/* worker_create() and worker_enumerate() for tests, which give the functions that the process
 * calls. */
struct worker *worker_create_with(const struct worker_server *server, struct worker_cases cases,
                                  const char *device, double deadline_s);
bool worker_enumerate_with(const struct worker_server *server, struct device_info **list,
                           size_t *count, char *notes, size_t notes_size, struct error *error);

/* The process id of the worker; 0 when none runs. */
int worker_process(const struct worker *worker);

/* ---- the user's side ---- */

/* A worker as the calling process sees it. Private to worker*.c. */

/* Who may have damaged a worker process: what it ran since it began, which variants
 * share a process with no other any more, and what was found against whom.
 *
 * On a CPU a kernel runs in the worker's own memory. One that writes where it may not can take down
 * a later case of another variant, which is not to be blamed. */

struct blame {
    const struct variant *variant; /* NULL: nobody could be found */
    char message[640];             /* one line */
};

/* Empty when zeroed. */
struct process_history {
    size_t *served; /* cases, by index, that the process ran since it began */
    size_t served_count;
    const struct variant **isolated;
    size_t isolated_count;
    struct blame *blames;
    size_t blame_count;
};

void history_free(struct process_history *history);

/* How the last process ended, if a kernel may have caused it. */
enum ending { ENDED_OTHERWISE, ENDED_BY_FAULT, ENDED_BY_DEADLINE };

/* What the process writes to its standard output and error: libraries and compilers do, and kernels
 * can. */
enum { WORKER_WORDS_BYTES = 1 << 15 };

struct worker_words {
    int pipe; /* our end; -1: none, or closed by all of theirs */
    char kept[WORKER_WORDS_BYTES];
    size_t length, dropped;
};

struct worker {
    const struct worker_server *server;
    struct worker_cases cases; /* none for one that only enumerates */
    char *device;
    double deadline_s;
    double asked_s;                      /* of clock_s(): when it was asked last */
    struct machine_moment asked;         /* and what the machine had done by then */
    pid_t process;                       /* 0: none runs */
    int process_end;                     /* can be read once it has ended; -1: none, or not known */
    int socket;                          /* our end; -1: none */
    unsigned char key[WORKER_KEY_BYTES]; /* of the request that it is on */
    struct worker_words words;
    enum ending ending;
    int64_t memory_kills; /* of the system when the process began */
    bool isolates;        /* variants share no process */
    struct process_history history;
};

/* Sends a request and returns the answer's payload, of at least `least` bytes; caller frees. Starts
 * a process where none runs; worker->ending says how one ended. */
bool worker_ask(struct worker *worker, const struct worker_request *request, size_t least,
                void **payload, size_t *length, struct error *error);

/* As worker_ask(), about one of its cases. A process that a case took down does not cost another
 * variant's. */
bool worker_ask_case(struct worker *worker, const struct worker_request *request, size_t least,
                     void **payload, size_t *length, struct error *error);

#endif
