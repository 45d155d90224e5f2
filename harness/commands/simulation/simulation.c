/* Steps of a box, with a log and a trajectory; its particles between two steps, and the box that
 * run and best begin with. */
#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "core/host.h"
#include "core/output_file.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/type_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char log_header[] =
    "step,time,temperature,potential,kinetic,pressure,conserved,face_pressure\n";

/* Sums over the lines of the log. */
struct course {
    double count, time, time2;           /* of times since the first line */
    double temperature, temperature2;    /* of differences from the first */
    double conserved, conserved2, mixed; /* likewise; and times time */
    double pressure;
    double first_time, first_temperature, first_conserved;
};

struct running {
    const struct simulation *simulation;
    struct simulation_state *state;
    FILE *log, *trajectory;
    struct course course;
};

/* ---- files ---- */

static bool check_new(const char *option, const char *path, struct error *error) {
    return !path || growing_file_check(path, error) || fail_within(error, "%s", option);
}

static bool open_new(const char *option, const char *path, FILE **file, struct error *error) {
    return !path || growing_file_create(path, file, error) || fail_within(error, "%s", option);
}

/* None is made before both are accepted. */
static bool open_files(struct running *running, struct error *error) {
    const struct simulation *simulation = running->simulation;
    if (!check_new("--log", simulation->log, error) ||
        !check_new("--trajectory", simulation->trajectory, error) ||
        !open_new("--log", simulation->log, &running->log, error) ||
        !open_new("--trajectory", simulation->trajectory, &running->trajectory, error)) {
        return false;
    }
    if (running->log) {
        (void)fputs(log_header, running->log);
    }
    return true;
}

static bool close_files(struct running *running, bool good, struct error *error) {
    struct error later = { 0 };
    const bool log = growing_file_close(running->simulation->log, running->log, &later);
    const bool frames =
        growing_file_close(running->simulation->trajectory, running->trajectory, &later);
    if (good && !(log && frames)) {
        *error = later;
    }
    return good && log && frames;
}

/* ---- lines and frames ---- */

static void note_course(struct course *course, double time, const struct step_sums *sums) {
    if (course->count == 0.0) {
        course->first_time = time;
        course->first_temperature = sums->temperature;
        course->first_conserved = sums->conserved;
    }
    const double t = time - course->first_time;
    const double temperature = sums->temperature - course->first_temperature;
    const double conserved = sums->conserved - course->first_conserved;
    course->count += 1.0;
    course->time += t;
    course->time2 += t * t;
    course->temperature += temperature;
    course->temperature2 += temperature * temperature;
    course->conserved += conserved;
    course->conserved2 += conserved * conserved;
    course->mixed += conserved * t;
    course->pressure += sums->pressure;
}

static double face_pressure(const struct running *running) {
    const struct simulation *simulation = running->simulation;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += simulation_crossing_pressure(running->state, simulation->dt, k);
    }
    return simulation->engine->carries ? sum / 3 : NAN;
}

static bool write_line(struct running *running, const struct step_sums *sums, struct error *error) {
    const struct simulation *simulation = running->simulation;
    const double time = (double)running->state->step * simulation->dt;
    note_course(&running->course, time, sums);
    if (simulation->show) {
        simulation->show(simulation->context, running->state, sums);
    }
    if (!running->log) {
        return true;
    }
    const double last[3] = { sums->pressure, sums->conserved, /* NaN: there is none */
                             face_pressure(running) };
    (void)fprintf(running->log, "%llu,%.15g,%.17g,%.17g,%.17g",
                  (unsigned long long)running->state->step, time, sums->temperature,
                  sums->potential + sums->field, sums->kinetic);
    for (int k = 0; k < 3; k++) {
        (void)fprintf(running->log, isfinite(last[k]) ? ",%.17g" : ",", last[k]);
    }
    (void)fputc('\n', running->log);
    return growing_file_flush(simulation->log, running->log, error);
}

static bool write_frame(const struct running *running, struct error *error) {
    struct engine *engine = running->simulation->engine;
    char comment[96];
    if (!running->trajectory) {
        return true;
    }
    if (!engine->fetch(engine, running->state, error)) {
        return false;
    }
    (void)snprintf(comment, sizeof comment, " step=%llu time=%.15g",
                   (unsigned long long)running->state->step,
                   (double)running->state->step * running->simulation->dt);
    box_write_frame(running->trajectory, &running->state->box, running->state->image, comment);
    return growing_file_flush(running->simulation->trajectory, running->trajectory, error);
}

/* ---- the steps ---- */

/* What is due after the step; the sums are those of the state. */
static bool write_due(struct running *running, const struct step_sums *sums, struct error *error) {
    const struct simulation *simulation = running->simulation;
    const uint64_t step = running->state->step;
    const bool last = step == simulation->steps;
    if ((step % simulation->log_every == 0 || last) && !write_line(running, sums, error)) {
        return false;
    }
    return !(step % simulation->frames_every == 0 || last) || write_frame(running, error);
}

/* Steps up to the next multiple of `every`. */
static uint64_t until(uint64_t step, uint64_t every) {
    return every - step % every;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static bool is_ended(const struct simulation *simulation) {
    return simulation->is_ended && simulation->is_ended();
}

static bool advance(struct running *running, struct simulation_outcome *outcome,
                    struct error *error) {
    const struct simulation *simulation = running->simulation;
    struct simulation_state *state = running->state;
    struct step_sums sums;
    const double began = clock_s();
    if (!simulation->engine->advance(simulation->engine, 0, state, &sums, error)) {
        return false;
    }
    outcome->start_s = clock_s() - began;
    if (!write_due(running, &sums, error)) {
        return false;
    }
    const double start = clock_s();
    while (state->step < simulation->steps && !is_ended(simulation)) {
        uint64_t steps = least(until(state->step, simulation->log_every),
                               until(state->step, simulation->frames_every));
        steps = least(steps, simulation->steps - state->step);
        if (!simulation->engine->advance(simulation->engine, steps, state, &sums, error) ||
            !write_due(running, &sums, error)) {
            return false;
        }
        outcome->steps += steps;
        outcome->seconds = clock_s() - start;
    }
    outcome->ended = state->step < simulation->steps;
    return true;
}

static void sum_up(const struct course *course, double n, struct simulation_outcome *outcome) {
    const double count = course->count;
    const double spread = course->time2 - course->time * course->time / count;
    const double mixed = course->mixed - course->time * course->conserved / count;
    const double slope = spread > 0.0 ? mixed / spread : 0.0;
    const double rest =
        course->conserved2 - course->conserved * course->conserved / count - slope * mixed;
    const double mean = course->temperature / count;
    outcome->lines = (uint64_t)count;
    outcome->temperature = course->first_temperature + mean;
    outcome->temperature_deviation = sqrt(fmax(course->temperature2 / count - mean * mean, 0.0));
    outcome->pressure = course->pressure / count;
    outcome->conserved = course->first_conserved;
    outcome->drift = slope / n;
    outcome->fluctuation = sqrt(fmax(rest / count, 0.0));
}

bool simulation_run(const struct simulation *simulation, struct simulation_state *state,
                    struct simulation_outcome *outcome, struct error *error) {
    struct running running = { .simulation = simulation, .state = state };
    *outcome = (struct simulation_outcome){ 0 };
    bool good = open_files(&running, error) && advance(&running, outcome, error);
    good = close_files(&running, good, error);
    if (good) {
        sum_up(&running.course, (double)state->box.n, outcome);
    }
    return good;
}

double simulation_crossing_pressure(const struct simulation_state *state, double dt, int k) {
    const struct box *box = &state->box;
    double height[3];
    double carried = 0.0;
    if (!box->periodic || state->step == 0) {
        return NAN;
    }
    for (int32_t type = 0; type < box->types; type++) {
        carried += state->carried[STEP_FACES * type + 2 * k] +
                   state->carried[STEP_FACES * type + 2 * k + 1];
    }
    cell_heights(&box->cell, height);
    const double volume = box->edge[0] * box->edge[1] * box->edge[2];
    return carried * height[k] / (volume * (double)state->step * dt);
}

/* ---- particles between two steps ---- */

bool state_begin(struct box *box, struct simulation_state *state, struct error *error) {
    const size_t faces = STEP_FACES * (size_t)box->types;
    *state = (struct simulation_state){ .box = *box };
    *box = (struct box){ 0 };
    strcpy(state->box.kind, "file");
    state->image = calloc(3 * state->box.n, sizeof *state->image);
    state->carried = calloc(faces, sizeof *state->carried);
    const bool made = (state->image && state->carried) ||
                      fail_out_of_memory(error, "the particles of a simulation");
    if (!made || !box_add_velocities(&state->box, error)) {
        state_free(state);
        return false;
    }
    return true;
}

void state_free(struct simulation_state *state) {
    box_free(&state->box);
    free(state->image);
    free(state->carried);
    *state = (struct simulation_state){ 0 };
}

/* ---- the box that run and best begin with ---- */

bool moving_box(const struct box_spec *spec, const struct step_rules *rules, double temperature,
                struct box *box, struct error *error) {
    if (!box_of_spec(spec, box, error)) {
        return false;
    }
    if (box_is_partly_periodic(box)) {
        char axes[AXES_SIZE];
        box_axes(box, axes);
        box_free(box);
        return fail(error, STATUS_BAD_INPUT,
                    "the box is periodic along %s only, which particles that move on and on leave; "
                    "expected one that is periodic along all axes, or --open (`bench --workload "
                    "step` takes it for some steps)",
                    axes);
    }
    const bool good = case_field_fits(&rules->field, spec, box, error) &&
                      (temperature < 0.0 ||
                       box_set_temperature(box, temperature, spec->seed ? spec->seed : 1, error)) &&
                      (rules->integrator != INTEGRATOR_SETTLE ||
                       rigid_set_velocities(box, rules, temperature, error));
    if (!good) {
        box_free(box);
    }
    return good;
}

bool moving_box_round(enum precision precision, struct box *box, struct error *error) {
    struct box rounded;
    if (!box_as_device(box, precision, &rounded, error)) {
        return false;
    }
    box_free(box);
    *box = rounded;
    return true;
}

bool moving_cutoff(const struct case_spec *spec, const struct box *box, double *cutoff,
                   struct error *error) {
    *cutoff = cutoff_in(spec->cutoff, !box->periodic, 0.5 * box_least_repeat(box));
    return box_accepts_cutoff(box, *cutoff, error) &&
           interaction_fits(&spec->interaction, box, *cutoff, error);
}

void moving_variant(const struct step_rules *rules, const struct workload *forces, bool open,
                    char *words, size_t size) {
    static const char *const of_thermostat[] = { [THERMOSTAT_NONE] = "verlet",
                                                 [THERMOSTAT_RESCALE] = "rescale",
                                                 [THERMOSTAT_BERENDSEN] = "berendsen",
                                                 [THERMOSTAT_NOSE_HOOVER] = "nose_hoover" };
    static const char *const of_waters[] = { [THERMOSTAT_NONE] = "verlet_settle",
                                             [THERMOSTAT_NOSE_HOOVER] = "settle_hoover",
                                             [THERMOSTAT_LANGEVIN] = "settle_langevin" };
    const bool plain = rules->integrator == INTEGRATOR_VERLET;
    const char *name =
        plain ? of_thermostat[rules->thermostat] : integrator_name(rules->integrator);
    if (plain && rules->thermostat == THERMOSTAT_NONE && step_field_is_there(&rules->field)) {
        name = "verlet_field";
    }
    if (rules->integrator == INTEGRATOR_SETTLE) {
        name = of_waters[rules->thermostat];
    }
    (void)snprintf(words, size, "%s+%s", name,
                   open ? forces->words.all_pairs[0] : forces->default_mover);
}
