/*
 * worker_parts — the user's side of a worker. Private to worker*.c.
 */
#ifndef PAIRMARK_CAMPAIGN_WORKER_WORKER_PARTS_H
#define PAIRMARK_CAMPAIGN_WORKER_WORKER_PARTS_H

#include "campaign/worker/suspects.h"
#include "campaign/worker/worker_server.h"

#include <sys/types.h>

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

/* Lets the process close its device, but not for ever. One runs. */
void worker_dismiss(struct worker *worker);

/* As worker_ask(), about a case of the plan. A process that a case took down does not cost another
 * variant's. */
bool worker_ask_case(struct worker *worker, const struct worker_request *request, size_t least,
                     void **payload, size_t *length, struct error *error);

#endif
