#include "commands/trial_run.h"

#include "campaign/campaign_signals.h"
#include "core/confine.h"
#include "core/host.h"
#include "devices/machine/machine_watch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { FIRST_STEPS = 50, MOST_STEPS = 10000 };

/* What the other process hands back, in memory that both see. */
struct shared {
    bool done;
    struct error error;
    struct list_life life;
    struct trial_time time;
    double particles[]; /* positions, then velocities: 6n */
};

/* What is done there. */
struct work {
    const struct trial *trial;
    const struct box *box;
    bool times_steps; /* else it measures lives */
    double temperature, farthest, cap_s;
};

static bool open_engine(const struct trial *trial, struct engine **engine, struct error *error) {
    const struct case_spec *spec = trial->spec;
    return trial->by_reference
               ? engine_of_reference(&spec->interaction, trial->cutoff, &spec->step, engine, error)
               : engine_of_device(trial->device, spec, trial->cutoff, false, engine, error);
}

static bool copy_box(const struct box *box, struct box *copy, struct error *error) {
    /* in double nothing is rounded */
    return box_as_device(box, PRECISION_DOUBLE, copy, error);
}

static bool time_steps(struct engine *engine, struct simulation_state *state, double cap_s,
                       struct trial_time *time, struct error *error) {
    struct step_sums sums;
    struct machine_moment began;
    if (!engine->advance(engine, FIRST_STEPS, state, &sums, error)) {
        return false;
    }
    const double first_s = engine->seconds;
    const uint64_t lists = engine->lists;
    const double each_s = first_s / FIRST_STEPS;
    const double wanted = each_s > 0 ? cap_s / each_s : FIRST_STEPS;
    const uint64_t steps = (uint64_t)fmin(fmax(wanted, FIRST_STEPS), MOST_STEPS);
    machine_look(&began);
    if (!engine->advance(engine, steps, state, &sums, error)) {
        return false;
    }
    const uint64_t built = engine->lists - lists;
    time->machine_load = machine_load_since(&began);
    time->step_s = (engine->seconds - first_s) / (double)steps;
    time->steps_per_list = built > 0 ? (double)steps / (double)built : NAN;
    return true;
}

static bool do_work(const struct work *work, struct shared *shared) {
    const size_t numbers = 3 * work->box->n;
    struct simulation_state state = { 0 };
    struct engine *engine = NULL;
    struct box box;
    bool good = open_engine(work->trial, &engine, &shared->error) &&
                copy_box(work->box, &box, &shared->error) &&
                state_begin(&box, &state, &shared->error);
    if (good && work->times_steps) {
        good = time_steps(engine, &state, work->cap_s, &shared->time, &shared->error);
    } else if (good) {
        good = list_life_measure(engine, &state, work->temperature, work->farthest, work->cap_s,
                                 &shared->life, &shared->error);
    }
    if (good) {
        memcpy(shared->particles, state.box.position, numbers * sizeof(double));
        memcpy(shared->particles + numbers, state.box.velocity, numbers * sizeof(double));
    }
    state_free(&state);
    if (engine) {
        engine->free(engine);
    }
    return good;
}

static _Noreturn void run_child(const struct work *work, struct shared *shared, pid_t parent) {
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        (void)signal(signals[k], SIG_DFL);
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || !confine_process()) {
        leave_process(EXIT_FAILURE);
    }
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)alarm((unsigned)fmin(ceil(work->trial->deadline_s), 1e6));
    shared->done = do_work(work, shared);
    leave_process(EXIT_SUCCESS);
}

/* A signal that the caller notes ends it. */
static int await(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (campaign_signals_noted()) {
            (void)kill(child, SIGKILL);
        }
    }
    return status;
}

static bool run(const struct work *work, struct shared *shared, struct error *error) {
    const pid_t parent = getpid();
    (void)confine_works(); /* found out here, once for all */
    const pid_t child = fork();
    if (child < 0) {
        return fail(error, STATUS_SYSTEM, "no process for a short simulation: %s", strerror(errno));
    }
    if (child == 0) {
        run_child(work, shared, parent);
    }
    const int status = await(child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
        return fail(error, STATUS_TIMEOUT, "a short simulation took more than %.3g s",
                    work->trial->deadline_s);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail(error, STATUS_CRASHED, "the process of a short simulation crashed");
    }
    if (!shared->done) {
        *error = shared->error;
    }
    return shared->done;
}

/* Writes to `box` where it ended, unless that is NULL. */
static bool run_shared(const struct work *work, struct box *box, struct shared *result,
                       struct error *error) {
    const size_t numbers = 3 * work->box->n;
    const size_t bytes = sizeof(struct shared) + 2 * numbers * sizeof(double);
    struct shared *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return fail_out_of_memory(error, "a short simulation");
    }
    const bool good = run(work, shared, error);
    if (good) {
        memcpy(result, shared, sizeof *result);
    }
    if (good && box) {
        memcpy(box->position, shared->particles, numbers * sizeof(double));
        memcpy(box->velocity, shared->particles + numbers, numbers * sizeof(double));
    }
    (void)munmap(shared, bytes);
    return good;
}

bool trial_life(const struct trial *trial, struct box *box, double temperature, double farthest,
                double cap_s, struct list_life *life, struct error *error) {
    const struct work work = {
        .trial = trial, .box = box, .temperature = temperature, .farthest = farthest, .cap_s = cap_s
    };
    struct shared result;
    const bool good = run_shared(&work, box, &result, error);
    if (good) {
        *life = result.life;
    }
    return good;
}

bool trial_steps(const struct trial *trial, const struct box *box, double cap_s,
                 struct trial_time *time, struct error *error) {
    const struct work work = { .trial = trial, .box = box, .times_steps = true, .cap_s = cap_s };
    struct shared result;
    const bool good = run_shared(&work, NULL, &result, error);
    if (good) {
        *time = result.time;
    }
    return good;
}
