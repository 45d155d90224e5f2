#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "commands/command_parts.h"
#include "commands/simulation/simulation.h"
#include "core/host.h"
#include "devices/machine/machine_watch.h"
#include "kernels/motion/step_rules.h"
#include "measure/program.h"
#include "measure/worker/confine.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* What the child process returns, in memory that both processes see. */
struct shared {
    bool done;
    struct error error;
    struct displacement_record record;
    struct trial_time time;
    double particles[]; /* positions, then velocities: 6n */
};

/* What the child does: it times steps, or records displacements until a particle has moved by
 * `farthest`, for RECORDED_STEPS steps at most and about `cap_s` seconds. */
struct work {
    const struct trial *trial;
    const struct box *box;
    bool times_steps;   /* else it records displacements */
    double temperature; /* > 0, about that of the box's velocities */
    double farthest, cap_s;
};

/* ---- how particles move away from where they were ---- */

/* How a box is brought to a temperature. */
enum { SETTLING_ROUNDS = 20, SETTLING_STEPS = 10 };
static const double settling_share = 0.5; /* of the time */

/* Adds the cell vectors that a particle has crossed: who leaves at one side has not moved far. */
static void unwrap(const struct simulation_state *state, size_t i, double place[3]) {
    const struct box *box = &state->box;
    const int32_t *image = &state->image[3 * i];
    place[0] = box->position[3 * i] + image[0] * box->edge[0] + image[1] * box->tilt[0] +
               image[2] * box->tilt[1];
    place[1] = box->position[3 * i + 1] + image[1] * box->edge[1] + image[2] * box->tilt[2];
    place[2] = box->position[3 * i + 2] + image[2] * box->edge[2];
}

static bool advance(struct engine *engine, uint64_t steps, struct simulation_state *state,
                    struct step_sums *sums, struct error *error) {
    return engine->advance(engine, steps, state, sums, error) &&
           engine->fetch(engine, state, error);
}

static void scale_velocities(struct simulation_state *state, double factor) {
    for (size_t k = 0; k < 3 * state->box.n; k++) {
        state->box.velocity[k] *= factor;
    }
}

static bool settle(struct engine *engine, struct simulation_state *state, double temperature,
                   double end_s, struct error *error) {
    for (int r = 0; r < SETTLING_ROUNDS && clock_s() < end_s; r++) {
        struct step_sums sums;
        if (!advance(engine, SETTLING_STEPS, state, &sums, error)) {
            return false;
        }
        if (sums.temperature > 0) {
            scale_velocities(state, sqrt(temperature / sums.temperature));
            engine->state_changed = true;
        }
    }
    return true;
}

static double farthest_from(const struct simulation_state *state, const double *origin) {
    double most = 0;
    for (size_t i = 0; i < state->box.n; i++) {
        double place[3];
        double square = 0;
        unwrap(state, i, place);
        for (int k = 0; k < 3; k++) {
            const double way = place[k] - origin[3 * i + (size_t)k];
            square += way * way;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* How particles move away from `origin`, until one is farther or the time is over. */
struct record_until {
    const double *origin;
    double farthest, end_s;
};

static bool record_steps(struct engine *engine, struct simulation_state *state,
                         const struct record_until *until, struct displacement_record *record,
                         struct error *error) {
    double temperatures = 0;
    while (record->steps < RECORDED_STEPS && record->moved[record->steps] <= until->farthest &&
           (record->steps < 2 || clock_s() < until->end_s)) {
        struct step_sums sums;
        if (!advance(engine, 1, state, &sums, error)) {
            return false;
        }
        temperatures += sums.temperature;
        record->steps++;
        record->moved[record->steps] =
            fmax(farthest_from(state, until->origin), record->moved[record->steps - 1]);
    }
    record->temperature = temperatures / (double)record->steps;
    return true;
}

/* Leaves the state where the record begins. */
static bool measure_record(struct engine *engine, struct simulation_state *state,
                           const struct work *work, struct displacement_record *record,
                           struct error *error) {
    const double began_s = clock_s();
    double *origin = malloc(3 * state->box.n * sizeof *origin);
    *record = (struct displacement_record){ 0 };
    if (!origin) {
        return fail_out_of_memory(error, "where particles were");
    }
    bool good =
        settle(engine, state, work->temperature, began_s + settling_share * work->cap_s, error);
    for (size_t i = 0; good && i < state->box.n; i++) {
        unwrap(state, i, &origin[3 * i]);
    }
    const struct record_until until = { origin, work->farthest, began_s + work->cap_s };
    good = good && record_steps(engine, state, &until, record, error);
    free(origin);
    return good;
}

double steps_within_skin(const struct displacement_record *record, double skin) {
    const double half = 0.5 * skin;
    const double last = record->moved[record->steps];
    size_t served = 0;
    while (served < record->steps && record->moved[served] <= half) {
        served++;
    }
    if (record->moved[served] <= half && last > 0) {
        return (double)record->steps * half / last;
    }
    return served < 1 ? 1 : (double)served;
}

/* ---- a simulation in a process of its own ---- */

enum { FIRST_STEPS = 50, MOST_STEPS = 10000 };

static bool open_engine(const struct trial *trial, struct engine **engine, struct error *error) {
    const struct case_spec *spec = trial->spec;
    return trial->by_reference
               ? engine_of_reference(&spec->interaction, trial->cutoff, &spec->step,
                                     &spec->long_range, engine, error)
               : engine_of_device(trial->device, spec, trial->cutoff, false, engine, error);
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
                /* in double nothing is rounded */
                box_as_device(work->box, PRECISION_DOUBLE, &box, &shared->error) &&
                state_begin(&box, &state, &shared->error);
    if (good && work->times_steps) {
        good = time_steps(engine, &state, work->cap_s, &shared->time, &shared->error);
    } else if (good) {
        good = measure_record(engine, &state, work, &shared->record, &shared->error);
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
    strbuf_ran_out = NULL; /* an error of the simulation, not of the process */
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    (void)alarm((unsigned)fmin(ceil(work->trial->deadline_s), 1e6));
    shared->done = do_work(work, shared);
    leave_process(EXIT_SUCCESS);
}

/* A signal that the caller notes ends it. */
static int await(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (signals_noted()) {
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

bool trial_steps(const struct trial *trial, const struct box *box, double cap_s,
                 struct trial_time *time, struct error *error) {
    const struct work work = { .trial = trial, .box = box, .times_steps = true, .cap_s = cap_s };
    struct shared result = { .time = *time };
    const bool good = run_shared(&work, NULL, &result, error);
    *time = result.time;
    return good;
}

/* ---- how long lists last in the box that best is asked about ---- */

/* Kernels on a processor take longer to compile than the reference takes for fewer particles. Of
 * more than the second, the reference takes a second per step. */
enum { REFERENCE_ON_CPU = 8192, REFERENCE_AT_MOST = 262144 };
/* What a short simulation may take beside its time: compiling, opening the device. */
static const double least_deadline_s = 60;

/* Rigid waters keep their shape where nobody says otherwise and no pair of a molecule interacts. */
static void choose_integrator(const struct case_spec *spec, struct best_motion *motion) {
    struct rigid_molecules molecules = { 0 };
    struct step_rules rules = motion->rules;
    struct error none;
    rules.integrator = INTEGRATOR_SETTLE;
    if (spec->interaction.exclusions && motion->box.molecule &&
        rigid_molecules_find(&motion->box, &rules, &molecules, &none) && molecules.rigid > 0) {
        motion->rules = rules;
    }
    rigid_molecules_free(&molecules);
}

static bool choose_rules(const struct motion_words *words, const struct case_spec *spec,
                         struct best_motion *motion, struct error *error) {
    motion->rules = step_rules_default();
    motion->rules.dt = words->dt;
    motion->rules.temperature = motion->temperature; /* of langevin */
    if (!words->integrator) {
        choose_integrator(spec, motion);
        return true;
    }
    return (step_integrator_parse(words->integrator, &motion->rules, error) &&
            step_rules_check(&motion->rules, error)) ||
           fail_within(error, "--integrator");
}

static bool give_velocities(const struct motion_words *words, const struct case_spec *spec,
                            struct best_motion *motion, struct error *error) {
    struct box *box = &motion->box;
    const bool drawn = words->temperature >= 0 || motion->assumed;
    return (!drawn || box_set_temperature(box, motion->temperature,
                                          spec->box.seed ? spec->box.seed : 1, error)) &&
           (motion->rules.integrator != INTEGRATOR_SETTLE ||
            rigid_set_velocities(box, &motion->rules, motion->temperature, error));
}

bool best_motion_prepare(const struct motion_words *words, const struct case_spec *spec,
                         struct best_motion *motion, struct error *error) {
    const struct step_rules plain = step_rules_default();
    *motion = (struct best_motion){ 0 };
    if (!moving_box(&spec->box, &plain, -1, &motion->box, error)) {
        return false;
    }
    const double own = motion->box.velocity ? box_temperature(&motion->box) : 0;
    motion->assumed = words->temperature < 0 && !(own > 0);
    motion->temperature = words->temperature >= 0 ? words->temperature : own > 0 ? own : 1;
    const bool good = choose_rules(words, spec, motion, error) &&
                      give_velocities(words, spec, motion, error) &&
                      moving_box_round(spec->precision, &motion->box, error) &&
                      moving_cutoff(spec, &motion->box, &motion->cutoff, error);
    if (!good) {
        best_motion_free(motion);
    }
    return good;
}

void best_motion_free(struct best_motion *motion) {
    box_free(&motion->box);
    *motion = (struct best_motion){ 0 };
}

/* A case of time steps that moves the box of another case. */
static bool plan_steps(const struct case_spec *spec, const struct best_motion *motion,
                       struct plan *plan, struct error *error) {
    const struct workload *forces = workload_find(spec->variant->workload->forces_by);
    char outputs[] = "virial";
    char variant[48];
    struct axes axes = { .workload = (char *)workload_of_steps(forces)->name,
                         .outputs = outputs,
                         .variant = variant };
    moving_variant(&motion->rules, forces, !motion->box.periodic, variant, sizeof variant);
    if (!plan_make(&axes, plan, error)) {
        return false;
    }
    struct case_spec *steps = &plan->cases[0];
    const bool float_noise = steps->step.float_noise;
    steps->box = spec->box;
    steps->interaction = spec->interaction;
    steps->cutoff = spec->cutoff;
    steps->precision = spec->precision == PRECISION_FIXED ? PRECISION_FLOAT : spec->precision;
    steps->step = motion->rules;
    steps->step.float_noise = float_noise;
    case_preset_tunings(steps);
    return true;
}

/* The record as if each particle kept its velocity. */
static void go_straight_on(struct best_motion *motion) {
    const double *velocity = motion->box.velocity;
    double fastest = 0; /* its square */
    for (size_t i = 0; i < 3 * motion->box.n; i += 3) {
        fastest = fmax(fastest, velocity[i] * velocity[i] + velocity[i + 1] * velocity[i + 1] +
                                    velocity[i + 2] * velocity[i + 2]);
    }
    motion->record =
        (struct displacement_record){ .temperature = motion->temperature, .steps = RECORDED_STEPS };
    for (size_t k = 0; k <= RECORDED_STEPS; k++) {
        motion->record.moved[k] = (double)k * motion->rules.dt * sqrt(fastest);
    }
    motion->measured = motion->straight = true;
}

/* The box gets the positions and velocities that the record begins with.
 * Errors: those of the engine; STATUS_CRASHED, STATUS_TIMEOUT. */
static bool measure_by(const struct trial *trial, double widest_skin, double cap_s,
                       struct best_motion *motion, struct error *error) {
    const struct work work = { .trial = trial,
                               .box = &motion->box,
                               .temperature = motion->temperature,
                               .farthest = 0.5 * widest_skin,
                               .cap_s = cap_s };
    struct shared result = { .record = motion->record };
    motion->by_reference = trial->by_reference;
    motion->measured = run_shared(&work, &motion->box, &result, error);
    motion->record = result.record;
    return motion->measured;
}

bool best_motion_measure(const struct case_spec *spec, const struct device_info *device,
                         const struct best_motion_wanted *wanted, struct best_motion *motion,
                         struct error *error) {
    struct plan plan = { 0 };
    if (!plan_steps(spec, motion, &plan, error)) {
        return false;
    }
    struct trial trial = { .device = device->name,
                           .spec = &plan.cases[0],
                           .cutoff = motion->cutoff,
                           .by_reference = device->is_cpu && motion->box.n <= REFERENCE_ON_CPU,
                           .deadline_s = fmax(wanted->deadline_s, least_deadline_s) };
    bool good = measure_by(&trial, wanted->widest_skin, wanted->cap_s, motion, error);
    const bool kernels_cannot = !good && !trial.by_reference && error->status != STATUS_BAD_INPUT &&
                                motion->box.n <= REFERENCE_AT_MOST;
    if (kernels_cannot) {
        trial.by_reference = true;
        good = measure_by(&trial, wanted->widest_skin, wanted->cap_s, motion, error);
    }
    plan_free(&plan);
    if (!good && !signals_noted()) {
        (void)fprintf(stderr,
                      "pairmark best: no simulation says how long lists last, speeds alone do: "
                      "%s\n  (--dt, --temperature and --integrator say how particles move)\n",
                      error->message);
        go_straight_on(motion);
        good = true;
    }
    return good;
}
