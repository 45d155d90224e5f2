/* Takes time steps: copies the state from the arrays of the program to the device, launches the
 * steps, and copies the state back. */
#include "library/work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A state in host memory, in the axes of the plan. */
struct host_state {
    double *position, *velocity, *force; /* 3n each, in one piece of memory */
    double *away; /* 3n: what was taken off positions, to have them in the cell */
    int32_t *crossing;
};

static void state_free(struct host_state *state) {
    free(state->position);
    free(state->crossing);
}

static bool state_allocate(size_t n, struct host_state *state, struct error *error) {
    state->position = calloc(12 * n, sizeof *state->position);
    state->crossing = calloc(3 * n, sizeof *state->crossing);
    if (!state->position || !state->crossing) {
        state_free(state);
        return fail_out_of_memory(error, "the state");
    }
    state->velocity = state->position + 3 * n;
    state->force = state->position + 6 * n;
    state->away = state->position + 9 * n;
    return true;
}

/* ---- the program's arrays ---- */

static double number_at(const struct pm_motion *motion, const void *numbers, size_t at) {
    return motion->number == PM_FLOAT ? (double)((const float *)numbers)[at]
                                      : ((const double *)numbers)[at];
}

static void set_number(const struct pm_motion *motion, void *numbers, size_t at, double value) {
    if (motion->number == PM_FLOAT) {
        ((float *)numbers)[at] = (float)value;
    } else {
        ((double *)numbers)[at] = value;
    }
}

static size_t width(const struct pm_motion *motion) {
    return motion->width ? (size_t)motion->width : 3;
}

static bool take_vectors(const struct library_work *work, const struct pm_motion *motion,
                         const char *name, const void *from, double *to, struct error *error) {
    for (size_t i = 0; i < work->n; i++) {
        for (size_t d = 0; d < 3; d++) {
            to[3 * i + d] = number_at(motion, from, width(motion) * i + d);
            if (!isfinite(to[3 * i + d])) {
                return fail(error, STATUS_BAD_INPUT, "particle %zu: %s is not finite", i, name);
            }
        }
        library_rotate(&work->rotation, to + 3 * i);
    }
    return true;
}

static void give_vectors(const struct library_work *work, const struct pm_motion *motion,
                         const double *from, void *to) {
    for (size_t i = 0; to && i < work->n; i++) {
        double v[3] = { from[3 * i], from[3 * i + 1], from[3 * i + 2] };
        library_rotate_back(&work->rotation, v);
        for (size_t d = 0; d < width(motion); d++) {
            set_number(motion, to, width(motion) * i + d, d < 3 ? v[d] : 0);
        }
    }
}

/* Wraps positions into the cell, and records by how much. */
static void wrap_state(const struct library_work *work, struct host_state *state) {
    for (size_t i = 0; i < work->n && work->placed.periodic; i++) {
        double *place = state->position + 3 * i;
        double *away = state->away + 3 * i;
        memcpy(away, place, 3 * sizeof *place);
        cell_wrap(&work->placed.cell, place);
        for (size_t d = 0; d < 3; d++) {
            away[d] -= place[d];
        }
    }
}

static void unwrap_state(const struct library_work *work, struct host_state *state) {
    const struct cell *cell = &work->placed.cell;
    for (size_t i = 0; i < work->n && work->placed.periodic; i++) {
        const int32_t *by = state->crossing + 3 * i;
        double *place = state->position + 3 * i;
        place[0] += state->away[3 * i] + by[0] * cell->edge[0] + by[1] * cell->tilt[0] +
                    by[2] * cell->tilt[1];
        place[1] += state->away[3 * i + 1] + by[1] * cell->edge[1] + by[2] * cell->tilt[2];
        place[2] += state->away[3 * i + 2] + by[2] * cell->edge[2];
    }
}

static bool check_motion(const struct library_work *work, const struct pm_motion *motion,
                         struct error *error) {
    const enum outputs outputs = work->spec->outputs;
    if (motion->place != PM_HOST && motion->place != PM_DEVICE) {
        return fail(error, STATUS_BAD_INPUT, "place %d; expected PM_HOST or PM_DEVICE",
                    (int)motion->place);
    }
    if (motion->number != PM_FLOAT && motion->number != PM_DOUBLE) {
        return fail(error, STATUS_BAD_INPUT, "number %d; expected PM_FLOAT or PM_DOUBLE",
                    (int)motion->number);
    }
    if (width(motion) != 3 && width(motion) != 4) {
        return fail(error, STATUS_BAD_INPUT, "width %d; expected 3 or 4", motion->width);
    }
    if (work->n > 0 && (!motion->positions || !motion->velocities)) {
        return fail(error, STATUS_BAD_INPUT, "%s: a null pointer",
                    motion->positions ? "velocities" : "positions");
    }
    if ((motion->energy && outputs == OUTPUTS_FORCES) ||
        (motion->virial && outputs != OUTPUTS_VIRIAL)) {
        return fail(error, STATUS_BAD_INPUT, "%s: the kernel's outputs are %s",
                    motion->virial ? "virial" : "energy", outputs_name(outputs));
    }
    return true;
}

/* ---- the steps ---- */

static bool make_plan(struct library_work *work, const struct host_state *state,
                      struct error *error) {
    struct box *box = &work->box;
    if (work->plan) {
        return true;
    }
    memcpy(box->position, state->position, 3 * work->n * sizeof *box->position);
    return (box->velocity || box_add_velocities(box, error)) && work_make_plan(work, error);
}

/* Refuses particles that move by more than the cell in a step: kernels wrap a position by at most
 * one vector. */
static bool check_state(const struct library_work *work, const struct host_state *state,
                        uint64_t steps, struct error *error) {
    const struct box *box = &work->placed;
    const double fastest = box->periodic ? box_least_repeat(box) / work->spec->step.dt : DBL_MAX;
    for (size_t k = 0; k < 3 * work->n; k++) {
        if (!isfinite(state->position[k]) || !(fabs(state->velocity[k]) <= fastest)) {
            return fail(error, STATUS_BAD_INPUT,
                        "within %llu steps particle %zu comes to move by more than the cell in a "
                        "step, or is nowhere: is the time step too long, or do particles overlap?",
                        (unsigned long long)steps, k / 3);
        }
    }
    return true;
}

static bool advance(struct library_work *work, uint64_t steps, uint64_t first,
                    struct host_state *state, struct plan_motion_sums *sums, struct error *error) {
    struct thermostat_state none = { .heat = 0 };
    uint64_t last = 0;
    struct plan_motion moving = { .position = state->position,
                                  .velocity = state->velocity,
                                  .crossing = state->crossing,
                                  .thermostat = first == 0 ? none : work->thermostat,
                                  .step = first };
    if (!kernel_plan_write_motion(work->plan, &moving, error) ||
        !kernel_plan_advance(work->plan, steps, error) ||
        !kernel_plan_sum_motion(work->plan, 0, DBL_MAX, sums, error) ||
        !kernel_plan_read_thermostat(work->plan, &work->thermostat, &last, error)) {
        return false;
    }
    moving.force = state->force;
    return kernel_plan_read_motion(work->plan, &moving, error) &&
           check_state(work, state, steps, error);
}

static void give_sums(const struct library_work *work, const struct plan_motion_sums *sums,
                      const struct host_state *state, struct pm_motion *motion) {
    double kinetic = 0;
    for (size_t k = 0; k < 3 * work->n; k++) {
        kinetic += 0.5 * box_mass(&work->box, k / 3) * state->velocity[k] * state->velocity[k];
    }
    if (motion->kinetic) {
        *motion->kinetic = kinetic;
    }
    if (motion->energy) {
        *motion->energy = sums->potential;
    }
    if (motion->virial) { /* rotated back on both sides */
        double rows[9];
        for (size_t k = 0; k < 3; k++) {
            memcpy(rows + 3 * k, sums->virial + 3 * k, 3 * sizeof *rows);
            library_rotate_back(&work->rotation, rows + 3 * k);
        }
        for (size_t k = 0; k < 3; k++) {
            double column[3] = { rows[k], rows[3 + k], rows[6 + k] };
            library_rotate_back(&work->rotation, column);
            for (size_t l = 0; l < 3; l++) {
                motion->virial[3 * l + k] = column[l];
            }
        }
    }
}

static bool steps_on_host(struct library_work *work, uint64_t steps, struct pm_motion *motion,
                          struct error *error) {
    struct host_state state = { 0 };
    struct plan_motion_sums sums = { .potential = 0 };
    if (!state_allocate(work->n + 1, &state, error)) {
        return false;
    }
    bool done =
        take_vectors(work, motion, "the position", motion->positions, state.position, error) &&
        take_vectors(work, motion, "the velocity", motion->velocities, state.velocity, error);
    if (done && work->n > 0) {
        done = make_plan(work, &state, error);
        if (done) {
            wrap_state(work, &state);
            done = advance(work, steps, motion->step, &state, &sums, error);
        }
    }
    if (done) {
        unwrap_state(work, &state);
        give_vectors(work, motion, state.position, motion->positions);
        give_vectors(work, motion, state.velocity, motion->velocities);
        give_vectors(work, motion, state.force, motion->forces);
        give_sums(work, &sums, &state, motion);
        motion->step += steps;
    }
    state_free(&state);
    return done;
}

/* ---- arrays of the device ---- */

enum { VECTORS = 3 }; /* positions, velocities, forces */

static bool copy_in(struct library_work *work, void *const memory[VECTORS],
                    struct buffer *buffer[VECTORS], unsigned char *host, size_t bytes,
                    struct error *error) {
    static const char *const names[VECTORS] = { "positions", "velocities", "forces" };
    bool copied = true;
    for (size_t v = 0; copied && v < VECTORS; v++) {
        copied = work_wrap(work, names[v], memory[v], bytes, &buffer[v], error) &&
                 (!buffer[v] || buffer_read(buffer[v], 0, host + v * bytes, bytes, error));
    }
    return copied;
}

static bool steps_in_queue(struct library_work *work, uint64_t steps, struct pm_motion *motion,
                           unsigned char *host, struct error *error) {
    const struct pm_arrays arrays = { .place = PM_DEVICE, .queue = motion->queue };
    const size_t bytes =
        work->n * width(motion) * (motion->number == PM_FLOAT ? sizeof(float) : sizeof(double));
    void *const memory[VECTORS] = { motion->positions, motion->velocities, motion->forces };
    struct buffer *buffer[VECTORS] = { NULL };
    struct pm_motion there = *motion;
    if (!device_adopt_queue(work->device, motion->queue, error)) {
        return false;
    }
    there.positions = host;
    there.velocities = host + bytes;
    there.forces = motion->forces ? host + 2 * bytes : NULL;
    bool done = copy_in(work, memory, buffer, host, bytes, error) &&
                steps_on_host(work, steps, &there, error);
    for (size_t v = 0; v < VECTORS; v++) {
        done = done && (!buffer[v] || buffer_write(buffer[v], 0, host + v * bytes, bytes, error));
        buffer_free(buffer[v]);
    }
    motion->step = done ? there.step : motion->step;
    return work_leave(work, &arrays, done, error);
}

bool library_work_steps(struct library_work *work, uint64_t steps, struct pm_motion *motion,
                        struct error *error) {
    if (!work->spec->variant->forces.variant) {
        return fail(error, STATUS_BAD_INPUT, "%s takes no time steps", work->spec->variant->name);
    }
    if (!check_motion(work, motion, error)) {
        return false;
    }
    if (motion->place != PM_DEVICE) {
        return steps_on_host(work, steps, motion, error);
    }
    double *host = calloc(VECTORS * (work->n + 1) * width(motion), sizeof *host);
    const bool done = host ? steps_in_queue(work, steps, motion, (unsigned char *)host, error)
                           : fail_out_of_memory(error, "the state");
    free(host);
    return done;
}
