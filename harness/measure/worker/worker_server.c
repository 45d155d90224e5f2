/* The worker's side of the socket: receives requests, calls the session, and seals the answers. */
#include "measure/worker/worker_server.h"

#include "core/host.h"
#include "devices/kept_blocks/kept_blocks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const struct worker_server worker_session_server = {
    .open = session_open,
    .close = session_close,
    .works = session_works,
    .intact = session_intact,
    .device = session_device,
    .evaluate = session_evaluate,
    .compile = session_compile,
    .check = session_check,
    .measure = session_measure,
    .rates = session_rates,
    .enumerate = devices_enumerate,
    .memory_kills = memory_kills,
};

bool worker_send_all(int socket, const void *data, size_t size) {
    const char *bytes = data;
    while (size > 0) {
        ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Reads or writes exactly `size` bytes, however long it takes; false at the end of the stream. */
static bool worker_receive_all(int socket, void *data, size_t size) {
    char *bytes = data;
    while (size > 0) {
        ssize_t got = recv(socket, bytes, size, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

void worker_seal(const unsigned char key[WORKER_KEY_BYTES], const struct worker_answer *answer,
                 char seal[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add(hash, key, WORKER_KEY_BYTES);
    hash_add(hash, &answer->length, sizeof answer->length);
    hash_add(hash, &answer->good, sizeof answer->good);
    hash_add(hash, &answer->last, sizeof answer->last);
    hash_add(hash, answer->payload_hash, sizeof answer->payload_hash);
    hash_end(hash, seal);
}

/* What the worker holds while it serves. */
struct serving {
    int socket;
    const struct worker_cases *cases;
    const char *device;
    const struct worker_server *server;
    struct session *session; /* NULL until the first request that needs it */
};

/* Whether this answer is the worker's last: a case has taken the device down, so that all later
 * cases would fail. The next worker opens the device anew. */
static bool is_last(const struct serving *serving) {
    return serving->session && !serving->server->works(serving->session);
}

/* Sends an answer in two pieces, the second of which may be empty. False: it was the last one, or
 * the parent is gone. */
static bool send_answer(const struct serving *serving, bool good, const void *head,
                        size_t head_size, const void *tail, size_t tail_size) {
    struct worker_answer message;
    struct hash_state *hash = hash_begin();
    unsigned char key[WORKER_KEY_BYTES];
    memset(&message, 0, sizeof message);
    message.length = head_size + tail_size;
    message.good = good;
    message.last = is_last(serving);
    hash_add(hash, head, head_size);
    hash_add(hash, tail, tail_size);
    hash_end(hash, message.payload_hash);
    /* Came with the request. It is not there: somebody else has read it. */
    if (recv(serving->socket, key, sizeof key, MSG_DONTWAIT) != (ssize_t)sizeof key) {
        return false;
    }
    worker_seal(key, &message, message.seal);
    explicit_bzero(key, sizeof key);
    return worker_send_all(serving->socket, &message, sizeof message) &&
           worker_send_all(serving->socket, head, head_size) &&
           worker_send_all(serving->socket, tail, tail_size) && !message.last;
}

static bool answer(const struct serving *serving, const void *head, size_t head_size,
                   const void *tail, size_t tail_size) {
    return send_answer(serving, true, head, head_size, tail, tail_size);
}

static bool answer_error(const struct serving *serving, const struct error *error) {
    return send_answer(serving, false, error, sizeof *error, NULL, 0);
}

/* The scalars of boxes follow the forces. */
static bool append_boxes(struct evaluation *evaluation, struct error *error) {
    const size_t bytes = evaluation->numbers * sizeof *evaluation->force;
    const size_t of_boxes = evaluation->boxes * sizeof *evaluation->of_box;
    if (!evaluation->force || of_boxes == 0) {
        evaluation->boxes = 0;
        return true;
    }
    double *longer = realloc(evaluation->force, bytes + of_boxes);
    if (!longer) {
        return fail_out_of_memory(error, "the sums of boxes");
    }
    memcpy((char *)longer + bytes, evaluation->of_box, of_boxes);
    evaluation->force = longer;
    return true;
}

static bool serve_evaluate(const struct serving *serving, const struct case_spec *spec,
                           bool compare) {
    struct worker_evaluation result;
    struct error error;
    memset(&result, 0, sizeof result);
    if (!serving->server->evaluate(serving->session, spec, &result.evaluation,
                                   compare ? &result.verdict : NULL, &error)) {
        return answer_error(serving, &error);
    }
    struct evaluation *evaluation = &result.evaluation;
    if (!append_boxes(evaluation, &error)) {
        evaluation_free(evaluation);
        return answer_error(serving, &error);
    }
    const size_t of_boxes = evaluation->boxes * sizeof *evaluation->of_box;
    bool sent =
        answer(serving, &result, sizeof result, evaluation->force,
               evaluation->force ? evaluation->numbers * sizeof *evaluation->force + of_boxes : 0);
    evaluation_free(evaluation);
    return sent;
}

/* Aborts if the expected results, which lie in this process, were overwritten by a kernel: a
 * verdict from them would mean nothing. The parent sees a crash, as for any other damage to memory.
 */
static void abort_if_damaged(const struct serving *serving, const struct verdict *verdict) {
    if (verdict->status != STATUS_OK && !serving->server->intact(serving->session)) {
        (void)fprintf(stderr, "expected results were written over in memory\n");
        abort();
    }
}

static bool serve_compile(const struct serving *serving, const struct case_spec *spec) {
    const bool done = true;
    serving->server->compile(serving->session, spec);
    return answer(serving, &done, sizeof done, NULL, 0);
}

static bool serve_check(const struct serving *serving, const struct case_spec *spec) {
    struct verdict verdict;
    memset(&verdict, 0, sizeof verdict);
    serving->server->check(serving->session, spec, &verdict);
    abort_if_damaged(serving, &verdict);
    return answer(serving, &verdict, sizeof verdict, NULL, 0);
}

static bool serve_measure(const struct serving *serving, const struct case_spec *spec,
                          const struct sampling *sampling) {
    struct measurement *result = calloc(1, sizeof *result);
    struct error error;
    if (!result) {
        (void)fail_out_of_memory(&error, "a measurement");
        return answer_error(serving, &error);
    }
    serving->server->measure(serving->session, spec, sampling, result);
    abort_if_damaged(serving, &result->verdict);
    bool sent = answer(serving, result, sizeof *result, NULL, 0);
    free(result);
    return sent;
}

static bool serve_enumerate(const struct serving *serving) {
    struct worker_devices devices;
    struct device_info *list = NULL;
    struct error error;
    memset(&devices, 0, sizeof devices);
    if (!serving->server->enumerate(&list, &devices.count, devices.notes, sizeof devices.notes,
                                    &error)) {
        return answer_error(serving, &error);
    }
    bool sent = answer(serving, &devices, sizeof devices, list, devices.count * sizeof *list);
    free(list);
    return sent;
}

static bool serve_request(struct serving *serving, const struct worker_request *request) {
    struct error error;
    if (request->operation == WORKER_ENUMERATE) {
        return serve_enumerate(serving);
    }
    if (!serving->session && !serving->server->open(serving->device, &serving->session, &error)) {
        serving->session = NULL;
        return answer_error(serving, &error);
    }
    if (request->operation == WORKER_DEVICE) {
        return answer(serving, serving->server->device(serving->session),
                      sizeof(struct device_info), NULL, 0);
    }
    if (request->operation == WORKER_RATES) {
        return answer(serving, serving->server->rates(serving->session),
                      sizeof(struct device_rates), NULL, 0);
    }
    if (request->case_index >= serving->cases->count) {
        (void)fail(&error, STATUS_SYSTEM, "the plan has no case %zu", request->case_index);
        return answer_error(serving, &error);
    }
    const struct case_spec *spec = &serving->cases->items[request->case_index];
    switch (request->operation) {
    case WORKER_EVALUATE:
        return serve_evaluate(serving, spec, request->compare);
    case WORKER_COMPILE:
        return serve_compile(serving, spec);
    case WORKER_CHECK:
        return serve_check(serving, spec);
    default:
        return serve_measure(serving, spec, &request->sampling);
    }
}

int worker_serve(int socket, const struct worker_cases *cases, const char *device,
                 const struct worker_server *server) {
    struct serving serving = {
        .socket = socket, .cases = cases, .device = device, .server = server
    };
    struct worker_request request;
    while (worker_receive_all(socket, &request, sizeof request) &&
           serve_request(&serving, &request)) {
        if (pairmark_release_blocks) {
            pairmark_release_blocks(); /* nothing is compiled between two answers */
        }
    }
    if (serving.session) {
        server->close(serving.session);
    }
    return 0;
}
