/* A worker's process: started, asked over a socket, ended. */
#include "campaign/worker/confine.h"
#include "campaign/worker/worker_server.h"
#include "core/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const double farewell_s = 5; /* that a worker has to close its device */

/* ---- starting ---- */

/* Signals that report a fault of the program itself keep what a sanitizer has set for them. */
static bool is_fault(int signal_number) {
    return signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGFPE ||
           signal_number == SIGILL || signal_number == SIGABRT;
}

static void reset_signals(void) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        if (!is_fault(i)) {
            (void)signal(i, SIG_DFL);
        }
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Nothing of the parent's but stderr: stdout belongs to its results, and an end of another worker's
 * socket held here would keep that worker from seeing the parent go. Returns our end's new place.
 */
static int take_over_descriptors(int socket) {
    const int own = STDERR_FILENO + 1;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
    }
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    if (socket != own && dup2(socket, own) < 0) {
        return -1;
    }
    closefrom(own + 1);
    (void)fcntl(own, F_SETFD, FD_CLOEXEC);
    return own;
}

static _Noreturn void run_child(const struct worker *worker, int socket, pid_t parent) {
    /* Dies with the parent, also when that was killed; checked again for the time before. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        leave_process(EXIT_FAILURE);
    }
    reset_signals();
    int own = take_over_descriptors(socket);
    if (own < 0) {
        leave_process(EXIT_FAILURE);
    }
    if (!confine_process()) {
        leave_process(EXIT_FAILURE);
    }
    leave_process(worker_serve(own, worker->plan, worker->device, worker->server));
}

static bool worker_start(struct worker *worker, struct error *error) {
    int ends[2];
    (void)confine_works(); /* found out here, once for all workers */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(error, STATUS_SYSTEM, "no socket for a worker: %s", strerror(errno));
    }
    (void)fflush(NULL);
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0) {
        run_child(worker, ends[1], parent);
    }
    (void)close(ends[1]);
    if (process < 0) {
        int reason = errno;
        (void)close(ends[0]);
        return fail(error, STATUS_SYSTEM, "no process for a worker: %s", strerror(reason));
    }
    worker->process = process;
    worker->socket = ends[0];
    worker->memory_kills = worker->server->memory_kills();
    worker->suspects.served_count = 0; /* a new process has run nothing */
    return true;
}

/* ---- ending ---- */

/* Waits until the process is gone and forgets it; returns how it ended, as waitpid does. */
static int worker_reap(struct worker *worker) {
    int ending = 0;
    while (waitpid(worker->process, &ending, 0) < 0 && errno == EINTR) {
    }
    (void)close(worker->socket);
    worker->process = 0;
    worker->socket = -1;
    return ending;
}

static void worker_kill(struct worker *worker) {
    (void)kill(worker->process, SIGKILL);
    (void)worker_reap(worker);
}

/* Lets the process close its device, but not for ever. One runs. */
static void worker_dismiss(struct worker *worker) {
    double end = clock_s() + farewell_s;
    struct pollfd gone = { .fd = worker->socket, .events = POLLIN };
    (void)shutdown(worker->socket, SHUT_WR);
    for (double left = farewell_s; left > 0; left = end - clock_s()) {
        char ignored[4096];
        if (poll(&gone, 1, (int)(1000 * left) + 1) > 0 &&
            recv(worker->socket, ignored, sizeof ignored, MSG_DONTWAIT) <= 0) {
            break;
        }
    }
    worker_kill(worker);
}

void worker_renew(struct worker *worker) {
    if (worker->process != 0) {
        worker_dismiss(worker);
    }
}

/* SIGKILL is what the system ends a process with for want of memory, and it counts those. */
static bool fail_killed(const struct worker *worker, struct error *error) {
    const int64_t kills = worker->server->memory_kills();
    if (kills > worker->memory_kills) {
        return fail(error, STATUS_OUT_OF_MEMORY,
                    "the worker was killed by the system, which was out of memory");
    }
    return fail(error, STATUS_CRASHED, "the worker was killed from outside by signal 9 (Killed)%s",
                kills >= 0 ? "; the system killed nothing for want of memory" : "");
}

/* Why a worker went away that nobody had asked to. */
static bool fail_ended(struct worker *worker, int ending, struct error *error) {
    if (WIFSIGNALED(ending) && WTERMSIG(ending) == SIGKILL) {
        return fail_killed(worker, error);
    }
    if (!WIFSIGNALED(ending) || is_fault(WTERMSIG(ending))) {
        worker->ending = ENDED_BY_FAULT;
    }
    if (WIFSIGNALED(ending)) {
        return fail(error, STATUS_CRASHED, "the worker was killed by signal %d (%s)",
                    WTERMSIG(ending), strsignal(WTERMSIG(ending)));
    }
    return fail(error, STATUS_CRASHED, "the worker ended by itself with exit status %d",
                WEXITSTATUS(ending));
}

/* ---- asking ---- */

/* Waits until there is something to read. */
static bool worker_wait(struct worker *worker, double end, struct error *error) {
    struct pollfd ready = { .fd = worker->socket, .events = POLLIN };
    for (;;) {
        double left_ms = 1000 * (end - clock_s());
        int answered = 0;
        if (left_ms > 0) {
            answered = poll(&ready, 1, left_ms < INT_MAX / 2 ? (int)left_ms + 1 : INT_MAX / 2);
        }
        if (answered > 0) {
            return true;
        }
        if (answered < 0) {
            int reason = errno;
            worker_kill(worker);
            return fail(error, STATUS_CRASHED, "%s",
                        reason == EINTR ? "interrupted" : strerror(reason));
        }
        if (clock_s() >= end) {
            worker_kill(worker);
            worker->ending = ENDED_BY_DEADLINE;
            return fail(error, STATUS_TIMEOUT, "no answer within %.6g s; the worker was killed",
                        worker->deadline_s);
        }
    }
}

static bool worker_receive(struct worker *worker, double end, void *data, size_t size,
                           struct error *error) {
    char *bytes = data;
    while (size > 0) {
        if (!worker_wait(worker, end, error)) {
            return false;
        }
        ssize_t got = recv(worker->socket, bytes, size, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return fail_ended(worker, worker_reap(worker), error);
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

/* What follows the head of an answer; a worker whose last answer it is goes. */
static bool worker_receive_body(struct worker *worker, double end,
                                const struct worker_answer *answer, void *body,
                                struct error *error) {
    if (!worker_receive(worker, end, body, answer->length, error)) {
        return false;
    }
    if (answer->last) {
        worker_dismiss(worker);
    }
    return true;
}

/* The payload of an answer. An error of the worker's own becomes ours. */
static bool worker_receive_payload(struct worker *worker, double end, void **payload,
                                   size_t *length, struct error *error) {
    struct worker_answer answer;
    if (!worker_receive(worker, end, &answer, sizeof answer, error)) {
        return false;
    }
    if (!answer.good) {
        struct error reported;
        if (worker_receive_body(worker, end, &answer, &reported, error)) {
            *error = reported;
        }
        return false;
    }
    *payload = malloc(answer.length + 1);
    if (!*payload) {
        worker_kill(worker); /* what it has to say cannot be taken in */
        return fail_out_of_memory(error, "the worker's answer");
    }
    *length = answer.length;
    if (!worker_receive_body(worker, end, &answer, *payload, error)) {
        free(*payload);
        return false;
    }
    return true;
}

/* Sends a request to a worker, which is started where none runs. One that died since the last
 * answer is replaced: that costs no case. */
static bool worker_send(struct worker *worker, const struct worker_request *request,
                        struct error *error) {
    if (worker->process != 0 && worker_send_all(worker->socket, request, sizeof *request)) {
        return true;
    }
    if (worker->process != 0) {
        worker_kill(worker);
    }
    if (!worker_start(worker, error)) {
        return false;
    }
    return worker_send_all(worker->socket, request, sizeof *request) ||
           fail_ended(worker, worker_reap(worker), error);
}

bool worker_ask(struct worker *worker, const struct worker_request *request, size_t least,
                void **payload, size_t *length, struct error *error) {
    double end = clock_s() + worker->deadline_s;
    worker->ending = ENDED_OTHERWISE;
    if (!worker_send(worker, request, error)) {
        return false;
    }
    if (!worker_receive_payload(worker, end, payload, length, error)) {
        return false;
    }
    if (*length < least) {
        free(*payload);
        worker_kill(worker);
        return fail(error, STATUS_CRASHED, "the worker's answer was cut short");
    }
    return true;
}
