#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "core/host.h"
#include "core/output_file.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char log_header[] =
    "step,time,temperature,potential,kinetic,pressure,conserved,face_pressure\n";
/* Of logs that were begun before faces were counted. */
static const char older_header[] = "step,time,temperature,potential,kinetic,pressure,conserved\n";

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
    bool log_is_older; /* it has no face_pressure */
    struct course course;
};

/* ---- what is there already ---- */

/* The number that a line of a log begins with; false: it begins with none, or has no end. */
static bool step_of_line(const char *line, uint64_t *step) {
    char *end;
    *step = strtoull(line, &end, 10);
    return end > line && *line >= '0' && *line <= '9' && *end == ',' && strchr(line, '\n');
}

/* The steps of what is kept, of which there is a line or a frame. */
struct kept_steps {
    uint64_t last, widest; /* the latest, and the most from one to the next */
    bool any;
};

static void note_kept(struct kept_steps *kept, uint64_t step) {
    if (kept->any && step > kept->last && step - kept->last > kept->widest) {
        kept->widest = step - kept->last;
    }
    kept->last = step;
    kept->any = true;
}

/* A log that ends before the checkpoint is truncated, or of another simulation. A larger spacing
 * that the log already has is no gap: the period was changed. */
static bool check_gap(const struct kept_steps *kept, uint64_t every, uint64_t step,
                      const char *what, struct error *error) {
    const uint64_t apart = every > kept->widest ? every : kept->widest;
    return !kept->any || step < kept->last || step - kept->last < apart ||
           fail(error, STATUS_BAD_INPUT,
                "its last %s before the checkpoint's step %llu is of step %llu; those in between "
                "are missing, and it would go on with a gap: name another file, or a checkpoint of "
                "its end",
                what, (unsigned long long)step, (unsigned long long)kept->last);
}

/* Lines up to the step; what was not written to its end goes. */
static bool keep_log(void *context, const char *text, size_t length, size_t *kept,
                     struct error *error) {
    struct running *running = context;
    const uint64_t last = running->state->step;
    struct kept_steps steps = { 0 };
    uint64_t step;
    (void)length; /* the text ends with a NUL */
    running->log_is_older = begins_with(text, older_header);
    if (!running->log_is_older && !begins_with(text, log_header)) {
        return fail(error, STATUS_BAD_INPUT, "no log of a simulation");
    }
    const char *line = text + strlen(running->log_is_older ? older_header : log_header);
    while (step_of_line(line, &step) && step <= last) {
        note_kept(&steps, step);
        line = strchr(line, '\n') + 1;
    }
    *kept = (size_t)(line - text);
    return check_gap(&steps, running->simulation->log_every, last, "line", error);
}

/* Behind the frame that begins here; NULL: there is none to its end. */
static const char *end_of_frame(const char *frame, uint64_t *step) {
    char *end;
    const unsigned long long rows = strtoull(frame, &end, 10);
    const char *line = strchr(frame, '\n');
    const char *key = line ? strstr(line, " step=") : NULL;
    const char *comment_end = line ? strchr(line + 1, '\n') : NULL;
    if (end == frame || *end != '\n' || !key || !comment_end || key > comment_end) {
        return NULL;
    }
    *step = strtoull(key + strlen(" step="), NULL, 10);
    line = comment_end;
    for (unsigned long long r = 0; r < rows && line; r++) {
        line = strchr(line + 1, '\n');
    }
    return line ? line + 1 : NULL;
}

static bool keep_frames(void *context, const char *text, size_t length, size_t *kept,
                        struct error *error) {
    const struct running *running = context;
    const uint64_t last = running->state->step;
    struct kept_steps steps = { 0 };
    const char *at = text;
    uint64_t step = 0;
    (void)length;
    const char *end = end_of_frame(at, &step);
    if (!end) {
        return fail(error, STATUS_BAD_INPUT, "no trajectory of a simulation");
    }
    while (end && step <= last) {
        note_kept(&steps, step);
        at = end;
        end = end_of_frame(at, &step);
    }
    *kept = (size_t)(at - text);
    return check_gap(&steps, running->simulation->frames_every, last, "frame", error);
}

/* ---- files ---- */

static bool open_one(struct running *running, const char *option, const char *path,
                     growing_file_keep *keep, FILE **file, size_t *kept, struct error *error) {
    *kept = GROWING_FILE_ALL;
    if (!path) {
        return true;
    }
    return (running->simulation->goes_on
                ? growing_file_continue(path, keep, running, file, kept, error)
                : growing_file_create(path, file, error)) ||
           fail_within(error, "%s", option);
}

static bool check_new(const char *option, const char *path, struct error *error) {
    struct stat status;
    return !path || stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
           fail(error, STATUS_BAD_INPUT,
                "%s: %s is there already, and is not replaced: name another file, remove it, or "
                "go on with --resume",
                option, path);
}

bool simulation_check(const struct simulation *simulation, struct error *error) {
    if (!simulation->goes_on && (!check_new("--log", simulation->log, error) ||
                                 !check_new("--trajectory", simulation->trajectory, error))) {
        return false;
    }
    return !simulation->checkpoint || checkpoint_check(simulation->checkpoint, error) ||
           fail_within(error, "--checkpoint");
}

/* None is cut before both are accepted: what is refused leaves both as they are. */
static bool open_files(struct running *running, struct error *error) {
    const struct simulation *simulation = running->simulation;
    size_t kept_log;
    size_t kept_frames;
    if (!open_one(running, "--log", simulation->log, keep_log, &running->log, &kept_log, error) ||
        !open_one(running, "--trajectory", simulation->trajectory, keep_frames,
                  &running->trajectory, &kept_frames, error) ||
        !growing_file_cut(simulation->log, running->log, kept_log, error) ||
        !growing_file_cut(simulation->trajectory, running->trajectory, kept_frames, error)) {
        return false;
    }
    if (running->log &&
        (!simulation->goes_on || running->state->step == 0 || ftello(running->log) == 0)) {
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
    for (int k = 0; k < (running->log_is_older ? 2 : 3); k++) {
        (void)fprintf(running->log, isfinite(last[k]) ? ",%.17g" : ",", last[k]);
    }
    (void)fputc('\n', running->log);
    return growing_file_flush(simulation->log, running->log, error);
}

static bool write_frame(const struct running *running, struct error *error) {
    char comment[96];
    if (!running->trajectory) {
        return true;
    }
    (void)snprintf(comment, sizeof comment, " step=%llu time=%.15g",
                   (unsigned long long)running->state->step,
                   (double)running->state->step * running->simulation->dt);
    box_write_frame(running->trajectory, &running->state->box, running->state->image, comment);
    return growing_file_flush(running->simulation->trajectory, running->trajectory, error);
}

static bool write_checkpoint(const struct running *running, struct error *error) {
    const struct simulation *simulation = running->simulation;
    return !simulation->checkpoint ||
           checkpoint_write(simulation->checkpoint, running->state, &simulation->words, error) ||
           fail_within(error, "--checkpoint");
}

/* ---- the steps ---- */

/* Whether particles are written behind the step, and not their sums alone. */
static bool are_due(const struct running *running) {
    const struct simulation *simulation = running->simulation;
    const uint64_t step = running->state->step;
    const bool last = step == simulation->steps;
    return (running->trajectory && (last || step % simulation->frames_every == 0)) ||
           (simulation->checkpoint && (last || step % simulation->checkpoint_every == 0));
}

static bool fetch(const struct running *running, struct error *error) {
    struct engine *engine = running->simulation->engine;
    return engine->fetch(engine, running->state, error);
}

/* What is due behind the step; the sums are those of the state. */
static bool write_due(struct running *running, const struct step_sums *sums, bool first,
                      struct error *error) {
    const struct simulation *simulation = running->simulation;
    const uint64_t step = running->state->step;
    const bool last = step == simulation->steps;
    if (first && simulation->goes_on) {
        note_course(&running->course, (double)step * simulation->dt, sums);
        return true; /* it was written before */
    }
    if (are_due(running) && !fetch(running, error)) {
        return false;
    }
    if ((step % simulation->log_every == 0 || last) && !write_line(running, sums, error)) {
        return false;
    }
    if ((step % simulation->frames_every == 0 || last) && !write_frame(running, error)) {
        return false;
    }
    return first || last || step % simulation->checkpoint_every != 0 ||
           write_checkpoint(running, error);
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
    if (!simulation->engine->advance(simulation->engine, 0, state, &sums, error) ||
        !write_due(running, &sums, true, error)) {
        return false;
    }
    const double start = clock_s();
    while (state->step < simulation->steps && !is_ended(simulation)) {
        uint64_t steps = least(until(state->step, simulation->log_every),
                               until(state->step, simulation->checkpoint_every));
        steps = least(steps, until(state->step, simulation->frames_every));
        steps = least(steps, simulation->steps - state->step);
        if (!simulation->engine->advance(simulation->engine, steps, state, &sums, error) ||
            !write_due(running, &sums, false, error)) {
            return false;
        }
        outcome->steps += steps;
        outcome->seconds = clock_s() - start;
    }
    outcome->ended = state->step < simulation->steps;
    return (!simulation->checkpoint || fetch(running, error)) && write_checkpoint(running, error);
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
    bool good = simulation_check(simulation, error) && open_files(&running, error) &&
                advance(&running, outcome, error);
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
