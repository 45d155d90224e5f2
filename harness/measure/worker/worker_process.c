/* Starts the process of a worker, asks it over a socket, and ends it. */
#include "core/host.h"
#include "core/strings.h"
#include "measure/worker/confine.h"
#include "measure/worker/worker_server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double farewell_s = 5; /* that a worker has to close its device */
static const double silence_s = 1;  /* that one may live on whose end of the socket is closed */

/* ---- what the worker says ---- */

/* Reads what the worker has written, up to a limit, so that one that never stops cannot hold us. */
static void words_hear(struct worker_words *words) {
    for (int turn = 0; words->pipe >= 0 && turn < 64; turn++) {
        char bytes[4096];
        const ssize_t got = read(words->pipe, bytes, sizeof bytes);
        const size_t room = sizeof words->kept - words->length;
        if (got == 0) {
            (void)close(words->pipe);
            words->pipe = -1;
        }
        if (got <= 0) {
            return;
        }
        const size_t kept = (size_t)got < room ? (size_t)got : room;
        memcpy(words->kept + words->length, bytes, kept);
        words->length += kept;
        words->dropped += (size_t)got - kept;
    }
}

/* Prints the worker's first lines, each marked as the worker's and without control characters. */
static void words_repeat(struct worker_words *words) {
    enum { MOST_LINES = 64 };
    char *rest = words->kept;
    words_hear(words);
    for (int count = 0; words->length > 0 && count < MOST_LINES; count++) {
        char line[1024];
        const char *end = memchr(rest, '\n', words->length);
        const size_t length = end ? (size_t)(end - rest) : words->length;
        const size_t shown = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, rest, shown);
        line[shown] = '\0';
        for (char *zero; (zero = memchr(line, '\0', shown));) {
            *zero = '?';
        }
        make_printable(line, PRINTABLE_LINES);
        (void)fprintf(stderr, "pairmark: the worker says: \"%s\"%s\n", line,
                      shown < length ? "..." : "");
        rest += length + (end != NULL);
        words->length -= length + (end != NULL);
    }
    if (words->length + words->dropped > 0) {
        (void)fprintf(stderr, "pairmark: the worker says %zu bytes more\n",
                      words->length + words->dropped);
    }
    words->length = words->dropped = 0;
}

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

/* Closes all of the parent's descriptors but the socket: an open end of another worker's socket
 * would keep that worker from noticing that the parent is gone. Standard output and error go to the
 * pipe. Returns the socket's new number. */
static int take_over_descriptors(int socket, int pipe) {
    const int own = STDERR_FILENO + 1;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
    }
    if (dup2(pipe, STDOUT_FILENO) < 0 || dup2(pipe, STDERR_FILENO) < 0) {
        return -1;
    }
    if (socket != own && dup2(socket, own) < 0) {
        return -1;
    }
    closefrom(own + 1);
    (void)fcntl(own, F_SETFD, FD_CLOEXEC);
    return own;
}

/* Asks Linux to kill the worker first when memory runs out, not the user's process. */
static void prefer_to_be_killed(void) {
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)(write(file, "1000", 4) + 1);
        (void)close(file);
    }
}

static _Noreturn void run_child(const struct worker *worker, int socket, int pipe, pid_t parent) {
    /* Dies with the parent, also when that was killed; checked again for the time before. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        leave_process(EXIT_FAILURE);
    }
    (void)setpgid(0, 0);
    reset_signals();
    strbuf_ran_out = NULL; /* an error of the case, not of the process */
    prefer_to_be_killed();
    int own = take_over_descriptors(socket, pipe);
    if (own < 0) {
        leave_process(EXIT_FAILURE);
    }
    if (!confine_process()) {
        leave_process(EXIT_FAILURE);
    }
    leave_process(worker_serve(own, &worker->cases, worker->device, worker->server));
}

/* Makes a socket for requests and answers, and a pipe for what the worker prints, read without
 * waiting. */
static bool make_channels(int ends[2], int words[2], struct error *error) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(error, STATUS_SYSTEM, "no socket for a worker: %s", strerror(errno));
    }
    if (pipe2(words, O_CLOEXEC) != 0 || fcntl(words[0], F_SETFL, O_NONBLOCK) != 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return fail(error, STATUS_SYSTEM, "no pipe for a worker: %s", strerror(errno));
    }
    return true;
}

static bool worker_start(struct worker *worker, struct error *error) {
    int ends[2], words[2];
    (void)confine_works(); /* found out here, once for all workers */
    if (!make_channels(ends, words, error)) {
        return false;
    }
    (void)fflush(NULL);
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0) {
        run_child(worker, ends[1], words[1], parent);
    }
    const int reason = errno;
    (void)close(ends[1]);
    (void)close(words[1]);
    if (process < 0) {
        (void)close(ends[0]);
        (void)close(words[0]);
        return fail(error, STATUS_SYSTEM, "no process for a worker: %s", strerror(reason));
    }
    (void)setpgid(process, process); /* whoever is first */
    worker->process = process;
    worker->process_end = (int)syscall(SYS_pidfd_open, process, 0);
    worker->socket = ends[0];
    worker->words.pipe = words[0];
    worker->memory_kills = worker->server->memory_kills();
    worker->history.served_count = 0; /* a new process has run nothing */
    return true;
}

/* ---- ending ---- */

/* Whether the process has ended, within so many seconds. */
static bool worker_ends_within(const struct worker *worker, double seconds) {
    const double end = clock_s() + seconds;
    for (;;) {
        siginfo_t info = { .si_pid = 0 };
        if (waitid(P_PID, (id_t)worker->process, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
            info.si_pid != 0) {
            return true;
        }
        if (clock_s() >= end) {
            return false;
        }
        (void)poll(NULL, 0, 1);
    }
}

/* Waits until the process has ended, ends the children that it has left, and clears its id; returns
 * how it ended, as waitpid does. */
static int worker_reap(struct worker *worker) {
    int ending = 0;
    siginfo_t info;
    while (waitid(P_PID, (id_t)worker->process, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    (void)kill(-worker->process, SIGKILL);
    while (waitpid(worker->process, &ending, 0) < 0 && errno == EINTR) {
    }
    (void)close(worker->socket);
    words_repeat(&worker->words);
    if (worker->words.pipe >= 0) {
        (void)close(worker->words.pipe);
    }
    if (worker->process_end >= 0) {
        (void)close(worker->process_end);
    }
    worker->words.pipe = -1;
    worker->process = 0;
    worker->process_end = -1;
    worker->socket = -1;
    return ending;
}

/* Waits for an answer, or for the end of the process: a child that it has left may keep the socket
 * open. Meanwhile reads what the worker prints, so that it never blocks on a full pipe. Returns 0
 * if there is no answer yet, below 0 as poll(). */
static int worker_poll(struct worker *worker, double most_ms) {
    struct pollfd ready[] = { { .fd = worker->socket, .events = POLLIN },
                              { .fd = worker->words.pipe, .events = POLLIN },
                              { .fd = worker->process_end, .events = POLLIN } };
    const int count = poll(ready, 3, most_ms < INT_MAX / 2 ? (int)most_ms + 1 : INT_MAX / 2);
    if (count > 0 && ready[1].revents != 0) {
        words_hear(&worker->words);
    }
    return count > 0 ? ready[0].revents != 0 || ready[2].revents != 0 : count;
}

static void worker_kill(struct worker *worker) {
    (void)kill(worker->process, SIGKILL);
    (void)worker_reap(worker);
}

/* Gives a running process a limited time to close its device. */
static void worker_dismiss(struct worker *worker) {
    double end = clock_s() + farewell_s;
    (void)shutdown(worker->socket, SHUT_WR);
    for (double left = farewell_s; left > 0; left = end - clock_s()) {
        char ignored[4096];
        if (worker_poll(worker, 1000 * left) > 0 &&
            recv(worker->socket, ignored, sizeof ignored, MSG_DONTWAIT) <= 0) {
            break;
        }
    }
    worker_kill(worker);
}

void worker_restart(struct worker *worker) {
    if (worker->process != 0) {
        worker_dismiss(worker);
    }
}

/* A worker that died of SIGKILL ran out of memory if the system's count of such kills has grown. */
static bool fail_killed(const struct worker *worker, struct error *error) {
    const int64_t kills = worker->server->memory_kills();
    if (kills > worker->memory_kills) {
        return fail(error, STATUS_OUT_OF_MEMORY,
                    "the worker was killed by the system, which was out of memory");
    }
    return fail(error, STATUS_CRASHED, "the worker was killed from outside by signal 9 (Killed)%s",
                kills >= 0 ? "; the system killed nothing for want of memory" : "");
}

/* The error of a worker that ended by itself, or has closed its end of the socket and lives on. */
static bool fail_ended(struct worker *worker, struct error *error) {
    if (!worker_ends_within(worker, silence_s)) {
        worker_kill(worker);
        worker->ending = ENDED_BY_FAULT;
        return fail(error, STATUS_CRASHED,
                    "the worker closed its descriptors and went on; it was killed");
    }
    const int ending = worker_reap(worker);
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

/* Reads the state of the machine; the worker itself does not count as another process. */
static void look_beside(const struct worker *worker, struct machine_moment *moment) {
    clockid_t clock;
    struct timespec used;
    machine_look(moment);
    if (clock_getcpuclockid(worker->process, &clock) == 0 && clock_gettime(clock, &used) == 0) {
        moment->own_s += (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
    }
}

/* When the deadline is up: the share of the time that other processes take does not count, so that
 * a right kernel passes on a busy machine. One that waits for nothing ends all the same. */
static double find_end(const struct worker *worker) {
    const double most = 10;
    struct machine_moment now;
    look_beside(worker, &now);
    const double load =
        machine_load_between(&worker->asked, &now, sysconf(_SC_NPROCESSORS_ONLN)); /* or NaN */
    const double others = load > 0 ? load * (clock_s() - worker->asked_s) : 0;
    return worker->asked_s + fmin(worker->deadline_s + others, most * worker->deadline_s);
}

/* Waits until the worker's socket has something to read. */
static bool worker_wait(struct worker *worker, struct error *error) {
    double end = worker->asked_s + worker->deadline_s;
    for (;;) {
        const double left_ms = 1000 * (end - clock_s());
        const int answered = left_ms > 0 ? worker_poll(worker, left_ms) : 0;
        if (answered > 0) {
            return true;
        }
        if (answered < 0) {
            int reason = errno;
            worker_kill(worker);
            return fail(error, STATUS_CRASHED, "%s",
                        reason == EINTR ? "interrupted" : strerror(reason));
        }
        end = clock_s() >= end ? find_end(worker) : end;
        if (clock_s() >= end) {
            worker_kill(worker);
            worker->ending = ENDED_BY_DEADLINE;
            return fail(error, STATUS_TIMEOUT, "no answer within %.6g s; the worker was killed",
                        worker->deadline_s);
        }
    }
}

static bool worker_receive(struct worker *worker, void *data, size_t size, struct error *error) {
    char *bytes = data;
    while (size > 0) {
        if (!worker_wait(worker, error)) {
            return false;
        }
        const bool ended = worker_ends_within(worker, 0); /* before the look at what it sent */
        ssize_t got = recv(worker->socket, bytes, size, MSG_DONTWAIT);
        if (!ended && got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return fail_ended(worker, error);
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

/* Ends a worker whose answer has a wrong seal. */
static bool fail_forged(struct worker *worker, struct error *error) {
    worker_kill(worker);
    worker->ending = ENDED_BY_FAULT;
    return fail(error, STATUS_CRASHED,
                "what came from the worker is not sealed as its answer: a kernel wrote to the "
                "worker's descriptors, or read from them");
}

/* Receives the head of an answer and checks by its seal that the worker sent it. */
static bool worker_receive_head(struct worker *worker, struct worker_answer *answer,
                                struct error *error) {
    char seal[HASH_TEXT_SIZE];
    if (!worker_receive(worker, answer, sizeof *answer, error)) {
        return false;
    }
    worker_seal(worker->key, answer, seal);
    return (*seal && memcmp(seal, answer->seal, sizeof seal) == 0) || fail_forged(worker, error);
}

/* Receives the payload after the head, and ends a worker that said that this is its last answer.
 */
static bool worker_receive_body(struct worker *worker, const struct worker_answer *answer,
                                void *body, struct error *error) {
    char hash[HASH_TEXT_SIZE];
    if (!worker_receive(worker, body, answer->length, error)) {
        return false;
    }
    hash_bytes(body, answer->length, hash);
    if (memcmp(hash, answer->payload_hash, sizeof hash) != 0) {
        return fail_forged(worker, error);
    }
    if (answer->last) {
        worker_dismiss(worker);
    }
    return true;
}

/* Whether an answer can have so many bytes. Of an evaluation come its forces, too, and particles
 * are counted by 31 bits; of an enumeration devices. */
static bool has_length(const struct worker_answer *answer, const struct worker_request *request,
                       size_t least) {
    const size_t more = request->operation == WORKER_EVALUATE    ? (size_t)INT32_MAX * 24
                        : request->operation == WORKER_ENUMERATE ? 4096 * sizeof(struct device_info)
                                                                 : 0;
    return answer->good ? answer->length >= least && answer->length - least <= more
                        : answer->length == sizeof(struct error);
}

/* Sends a request to a worker, which is started where none runs. One that died since the last
 * answer is replaced: that costs no case. */
static bool worker_send(struct worker *worker, const struct worker_request *request,
                        struct error *error) {
    struct worker_message message;
    memset(&message, 0, sizeof message);
    message.request = *request;
    if (getrandom(worker->key, sizeof worker->key, 0) != (ssize_t)sizeof worker->key) {
        return fail(error, STATUS_SYSTEM, "no random bytes: %s", strerror(errno));
    }
    memcpy(message.key, worker->key, sizeof message.key);
    if (worker->process != 0 && worker_send_all(worker->socket, &message, sizeof message)) {
        return true;
    }
    if (worker->process != 0) {
        worker_kill(worker);
    }
    if (!worker_start(worker, error)) {
        return false;
    }
    return worker_send_all(worker->socket, &message, sizeof message) || fail_ended(worker, error);
}

/* Takes the answer, whose payload the caller frees. An error that the worker reports is returned as
 * the caller's. */
static bool worker_take_answer(struct worker *worker, const struct worker_answer *answer,
                               void **payload, struct error *error) {
    *payload = malloc(answer->length + 1);
    if (!*payload) {
        worker_kill(worker); /* what it has to say cannot be taken in */
        return fail_out_of_memory(error, "the worker's answer");
    }
    const bool received = worker_receive_body(worker, answer, *payload, error);
    if (received && answer->good) {
        return true;
    }
    if (received) {
        memcpy(error, *payload, sizeof *error);
        error->message[sizeof error->message - 1] = '\0';
    }
    free(*payload);
    return false;
}

bool worker_ask(struct worker *worker, const struct worker_request *request, size_t least,
                void **payload, size_t *length, struct error *error) {
    struct worker_answer answer;
    worker->ending = ENDED_OTHERWISE;
    if (!worker_send(worker, request, error)) {
        return false;
    }
    worker->asked_s = clock_s();
    look_beside(worker, &worker->asked);
    if (!worker_receive_head(worker, &answer, error)) {
        return false;
    }
    if (!has_length(&answer, request, least)) {
        worker_kill(worker);
        return fail(error, STATUS_CRASHED, "the worker's answer has %zu bytes", answer.length);
    }
    *length = answer.length;
    const bool answered = worker_take_answer(worker, &answer, payload, error);
    words_repeat(&worker->words);
    return answered;
}
