/*
 * worker_parts — the user's side of a worker. Private to worker*.c.
 */
#ifndef PAIRMARK_CAMPAIGN_WORKER_WORKER_PARTS_H
#define PAIRMARK_CAMPAIGN_WORKER_WORKER_PARTS_H

#include "campaign/plan/plan.h"
#include "campaign/worker/worker_server.h"

#include <sys/types.h>

/* Who may have damaged a worker process: what it ran since it began, which variants
 * share a process with no other any more, and what was found against whom.
 *
 * On a CPU a kernel runs in the worker's own memory. One that writes where it may not can take down
 * a later case of another variant, which is not to be blamed. */

struct accusation {
    const struct variant *variant; /* NULL: nobody could be found */
    char message[640];             /* one line */
};

/* Empty when zeroed. Where memory runs out something is forgotten, and blame stays with the case
 * that crashed. */
struct suspects {
    size_t *served; /* cases of the plan, by index, that the process ran since it began */
    size_t served_count;
    const struct variant **distrusted;
    size_t distrusted_count;
    struct accusation *accusations;
    size_t accusation_count;
};

void suspects_free(struct suspects *suspects);

/* How the last process ended, as far as a kernel may be why. */
enum ending { ENDED_OTHERWISE, ENDED_BY_FAULT, ENDED_BY_DEADLINE };

struct worker {
    const struct worker_server *server;
    const struct plan *plan; /* NULL for one that only enumerates */
    char *device;
    double deadline_s;
    pid_t process; /* 0: none runs */
    int socket;    /* our end; -1: none */
    enum ending ending;
    int64_t memory_kills; /* of the system when the process began */
    bool isolates;        /* variants share no process */
    struct suspects suspects;
};

/* Sends a request and returns the answer's payload, of at least `least` bytes; caller frees. Starts
 * a process where none runs; worker->ending says how one ended. */
bool worker_ask(struct worker *worker, const struct worker_request *request, size_t least,
                void **payload, size_t *length, struct error *error);

/* As worker_ask(), about a case of the plan. A process that a case took down does not cost another
 * variant's. */
bool worker_ask_case(struct worker *worker, const struct worker_request *request, size_t least,
                     void **payload, size_t *length, struct error *error);

#endif
