#include "reference/steps/step_motion.h"

#include "reference/pairs/tilt.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* The longest number that arithmetic on a coordinate meets. */
static double longest(const struct motion *motion) {
    double most = motion->forces.now.length_scale;
    for (size_t k = 0; k < 3 * motion->box.n && !motion->box.periodic; k++) {
        most = fmax(most, fabs(motion->box.position[k]));
    }
    return most;
}

/* ---- the cell ---- */

static void measure_cell(struct motion *motion) {
    const double *edge = motion->box.edge;
    const double *tilt = motion->box.tilt;
    motion->triclinic = tilt_leans(tilt);
    /* The inverse of a lower triangle is one. */
    motion->inverse[0][0] = 1.0 / edge[0];
    motion->inverse[1][1] = 1.0 / edge[1];
    motion->inverse[2][2] = 1.0 / edge[2];
    motion->inverse[1][0] = -tilt[0] / (edge[0] * edge[1]);
    motion->inverse[2][1] = -tilt[2] / (edge[1] * edge[2]);
    motion->inverse[2][0] = (tilt[0] * tilt[2] - tilt[1] * edge[1]) / (edge[0] * edge[1] * edge[2]);
    for (int v = 0; v < 3; v++) {
        const double column[3] = { motion->inverse[0][v], motion->inverse[1][v],
                                   motion->inverse[2][v] };
        motion->height[v] = 1.0 / length_of(column);
        for (int k = 0; k < 3; k++) {
            motion->normal[v][k] = column[k] * motion->height[v];
        }
    }
}

static double fraction_of(const struct motion *motion, const double x[3], int v) {
    if (!motion->triclinic) {
        return x[v] / motion->box.edge[v];
    }
    return x[0] * motion->inverse[0][v] + x[1] * motion->inverse[1][v] +
           x[2] * motion->inverse[2][v];
}

static void add_vectors(const struct motion *motion, int v, double times, double x[3]) {
    const double *edge = motion->box.edge;
    const double *tilt = motion->box.tilt;
    const double vectors[3][3] = { { edge[0], 0.0, 0.0 },
                                   { tilt[0], edge[1], 0.0 },
                                   { tilt[1], tilt[2], edge[2] } };
    for (int k = 0; k <= v; k++) {
        x[k] += times * vectors[v][k];
    }
}

/* Into [0, edge) along one axis; returns how many edges were taken off. What rounding leaves at the
 * far face belongs to the near one. */
static double enter_edge(double *x, double edge) {
    double whole = floor(*x / edge);
    *x -= whole * edge;
    if (*x < 0.0) {
        *x += edge;
        whole -= 1.0;
    }
    if (*x >= edge) {
        *x = 0.0;
        whole += 1.0;
    }
    return whole;
}

/* The same along one vector of any cell. */
static double enter_along(const struct motion *motion, int v, double x[3]) {
    if (!motion->triclinic) {
        return enter_edge(&x[v], motion->box.edge[v]);
    }
    const double whole = floor(fraction_of(motion, x, v));
    add_vectors(motion, v, -whole, x);
    return whole;
}

/* Whether errors could put the particle on the other side of a face along the vector. Forces are
 * computed from positions rounded to the arithmetic of pairs: what that puts on the upper face has
 * not yet gone through the lower one, however well the rest of the position is kept. */
static bool is_near_face(const struct motion *motion, size_t i, int v, double roundings) {
    const double share = fraction_of(motion, motion->box.position + 3 * i, v);
    const double depth = fmin(share, 1.0 - share) * motion->height[v];
    const double width = motion->end->displacement_error[i] +
                         roundings * motion->units.arithmetic * motion->height[v];
    return width > 0.0 && depth <= width;
}

/* The speed along the normal of the faces along a vector. */
static double speed_across(const struct motion *motion, size_t i, int v) {
    const double *velocity = motion->end->velocity + 3 * i;
    double across = 0.0;
    for (int k = 0; k < 3; k++) {
        across += velocity[k] * motion->normal[v][k];
    }
    return fabs(across);
}

static void count_crossing(struct motion *motion, size_t i, int v, double whole) {
    struct step_end *end = motion->end;
    const size_t face = 6 * (size_t)motion->box.type[i] + 2 * (size_t)v + (whole > 0.0);
    const double momentum = box_mass(&motion->box, i) * speed_across(motion, i, v);
    end->image[3 * i + (size_t)v] += (int32_t)whole;
    end->crossing[face] += (uint64_t)fabs(whole);
    end->carried[face] += fabs(whole) * momentum;
    end->carried_error[face] += fabs(whole) * (box_mass(&motion->box, i) * end->velocity_error[i] +
                                               8.0 * motion->units.velocity * momentum);
}

/* Where errors may decide otherwise, and in the step after: by either face. */
static void doubt_crossing(struct motion *motion, size_t i, int v, double roundings) {
    struct step_end *end = motion->end;
    const size_t face = 6 * (size_t)motion->box.type[i] + 2 * (size_t)v;
    const uint8_t bit = (uint8_t)(1U << (unsigned)v);
    const bool is_near = is_near_face(motion, i, v, roundings);
    if (is_near || (motion->was_near[i] & bit)) {
        const double momentum =
            box_mass(&motion->box, i) * (speed_across(motion, i, v) + 2.0 * end->velocity_error[i]);
        for (size_t side = 0; side < 2; side++) {
            end->doubt[face + side] += is_near;
            end->carried_error[face + side] += momentum;
        }
    }
    motion->was_near[i] = (uint8_t)((motion->was_near[i] & ~bit) | (is_near ? bit : 0));
}

static const double roundings_entering = 16; /* a cell that leans */

/* A wall is in one image of the cell: a particle on a face, which errors put at either end of the
 * cell's vector, is pulled from there or from here. */
static bool check_walls(const struct motion *motion, size_t i, int v, struct error *error) {
    double vector[3] = { 0, 0, 0 };
    bool pulled = false;
    add_vectors(motion, v, 1, vector);
    for (int k = 0; k < 3; k++) {
        pulled = pulled || (motion->rules->field.wall[k].present && vector[k] != 0.0);
    }
    return !pulled || !is_near_face(motion, i, v, roundings_entering) ||
           fail(error, STATUS_UNSUPPORTED,
                "particle %zu lies on a face of the cell, within errors, and a wall pulls it by "
                "its place: which of its images has it is not known",
                i + 1);
}

bool motion_enter_cell(struct motion *motion, struct error *error) {
    if (!motion->box.periodic) {
        return true;
    }
    measure_cell(motion);
    for (size_t i = 0; i < motion->box.n; i++) {
        for (int v = 2; v >= 0; v--) {
            if (motion->box.open_along[v]) {
                continue;
            }
            (void)enter_along(motion, v, motion->box.position + 3 * i);
            /* a cell that does not lean is entered without rounding; which side of a face a
             * particle begins on is not known in another */
            if (motion->triclinic) {
                doubt_crossing(motion, i, v, roundings_entering);
                if (!check_walls(motion, i, v, error)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Along an axis without images kernels are given an edge, of which they need to know images if
 * particles were nearer than a cutoff, or at infinity half an edge, across it. */
static bool check_room(const struct motion *motion, size_t i, int v, struct error *error) {
    const double edge = motion->box.edge[v];
    const double x = motion->box.position[3 * i + (size_t)v];
    const double cutoff = motion->forces.cutoff;
    const double margin = isfinite(cutoff) ? 0.5 * cutoff : 0.25 * edge;
    return (x >= margin && x <= edge - margin) ||
           fail(error, STATUS_BAD_INPUT,
                "particle %zu leaves along %c, where the box has no images, the room that kernels "
                "have there: is the time step too long? Else take fewer steps",
                i + 1, "xyz"[v]);
}

/* A trajectory that kernels are compared with may not cross a cell twice in a step: they take one
 * vector of the cell off a position at most. */
static bool check_crossing(const struct motion *motion, size_t i, double whole,
                           struct error *error) {
    static const double most = 1e6; /* nothing is meant to move as far */
    const bool exact = motion->units.arithmetic == 0.0;
    if (fabs(whole) > most) {
        return fail(error, STATUS_BAD_INPUT,
                    "particle %zu goes through the cell %g times in a step: is the time step "
                    "too long, or do particles overlap at the start?",
                    i + 1, fabs(whole));
    }
    return exact || fabs(whole) <= 1 ||
           fail(error, STATUS_UNSUPPORTED,
                "particle %zu goes through the cell %g times in a step, of which kernels count "
                "one: take fewer or shorter steps",
                i + 1, fabs(whole));
}

static bool cross_particle(struct motion *motion, size_t i, struct error *error) {
    double *x = motion->box.position + 3 * i;
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        return fail(error, STATUS_BAD_INPUT,
                    "particle %zu is thrown out of what double can hold: is the time step too "
                    "long, or do particles overlap at the start?",
                    i + 1);
    }
    for (int v = 2; v >= 0 && motion->box.periodic; v--) {
        if (motion->box.open_along[v]) {
            if (!check_room(motion, i, v, error)) {
                return false;
            }
            continue;
        }
        const double whole = enter_along(motion, v, x);
        if (!check_crossing(motion, i, whole, error)) {
            return false;
        }
        if (whole != 0.0) {
            count_crossing(motion, i, v, whole);
        }
        doubt_crossing(motion, i, v, 1);
        if (!check_walls(motion, i, v, error)) {
            return false;
        }
    }
    return true;
}

bool motion_cross(struct motion *motion, struct error *error) {
    const struct box *box = &motion->box;
    for (size_t i = 0; i < box->n; i++) {
        if (!cross_particle(motion, i, error)) {
            return false;
        }
        double *way = motion->way + 3 * i;
        for (int k = 0; k < 3; k++) {
            way[k] = box->position[3 * i + (size_t)k] - motion->start[3 * i + (size_t)k];
        }
        for (int v = 0; v < 3 && box->periodic; v++) {
            add_vectors(motion, v, motion->end->image[3 * i + (size_t)v], way);
        }
    }
    return true;
}

/* ---- forces ---- */

/* Depth beyond a wall, with the sign of the side; 0 between the walls. */
static double depth_of(const struct step_wall *wall, double x) {
    return !wall->present   ? 0.0
           : x > wall->high ? x - wall->high
           : x < wall->low  ? x - wall->low
                            : 0.0;
}

static void pull_particles(struct motion *motion) {
    const struct step_field *field = &motion->rules->field;
    const struct box *box = &motion->box;
    for (size_t i = 0; i < box->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const double depth = depth_of(&field->wall[k], box->position[3 * i + k]);
            motion->pull[3 * i + k] = box->charge[i] * field->per_charge[k] +
                                      box_mass(box, i) * field->per_mass[k] -
                                      field->wall[k].strength * depth;
        }
    }
}

/* F_i, see step.h. */
static void bound_forces(struct motion *motion) {
    static const double three = 1.7320508075688772; /* the root: components to lengths */
    const struct reference *now = &motion->forces.now;
    const struct step_units *units = &motion->units;
    double stiffest = 0.0;
    for (int k = 0; k < 3; k++) {
        stiffest = fmax(stiffest, motion->rules->field.wall[k].strength);
    }
    for (size_t i = 0; i < motion->box.n; i++) {
        const double off = motion->end->displacement_error[i];
        const double arithmetic =
            4.0 * units->arithmetic * (now->scale[i] + now->length_scale * now->slope[i]) +
            1.5 * units->sum * sqrt((double)now->neighbours[i]) * now->scale[i] +
            (units->sum >= REFERENCE_FLOAT_UNIT ? now->lost[i] : 0.0);
        motion->force_error[i] =
            three * arithmetic + now->slope[i] * (off + motion->largest_error) + stiffest * off;
        if (motion->forces.long_range) {
            motion->force_error[i] += motion->forces.long_state.force_error[i];
        }
    }
    for (size_t p = 0; p < now->edge_pair_count; p++) {
        const struct reference_edge_pair *pair = &now->edge_pairs[p];
        motion->force_error[pair->i] += length_of(pair->force);
        if (pair->j != REFERENCE_ELSEWHERE) {
            motion->force_error[pair->j] += length_of(pair->force);
        }
    }
}

bool motion_compute_forces(struct motion *motion, struct error *error) {
    const bool exact = motion->units.arithmetic == 0.0;
    motion->largest_error = 0.0;
    for (size_t i = 0; i < motion->box.n; i++) {
        motion->largest_error = fmax(motion->largest_error, motion->end->displacement_error[i]);
    }
    if (!step_forces_compute(&motion->forces, &motion->box, motion->way,
                             exact ? 0.0 : 2.0 * motion->largest_error, exact, error)) {
        return false;
    }
    pull_particles(motion);
    if (!exact) {
        bound_forces(motion);
    }
    return true;
}

/* ---- moves ---- */

/* A task of kicks and drifts: each particle by itself, so that no bit depends on the threads. */
enum { PARTICLES_PER_TASK = 16384 };

struct moving {
    struct motion *motion;
    double h, rounding;
};

static void run_moves(struct motion *motion, double h, double rounding, threads_task *task) {
    struct moving moving = { .motion = motion, .h = h, .rounding = rounding };
    const size_t tasks = (motion->box.n + PARTICLES_PER_TASK - 1) / PARTICLES_PER_TASK;
    struct threads *threads = threads_open(tasks);
    threads_run(threads, tasks, task, &moving);
    threads_close(threads);
}

static size_t end_of_task(const struct motion *motion, size_t task) {
    const size_t end = (task + 1) * PARTICLES_PER_TASK;
    return end < motion->box.n ? end : motion->box.n;
}

static void kick_some(void *context, size_t task) {
    const struct moving *moving = context;
    const struct motion *motion = moving->motion;
    const double *force = motion->forces.now.force;
    for (size_t i = task * PARTICLES_PER_TASK; i < end_of_task(motion, task); i++) {
        const double factor = moving->h / box_mass(&motion->box, i);
        double *v = motion->end->velocity + 3 * i;
        double push[3];
        for (size_t k = 0; k < 3; k++) {
            push[k] = factor * (force[3 * i + k] + motion->pull[3 * i + k]);
            v[k] += push[k];
        }
        motion->end->velocity_error[i] +=
            factor * motion->force_error[i] +
            4.0 * motion->units.velocity * (length_of(v) + length_of(push));
    }
}

bool motion_has_noise(const struct step_rules *rules) {
    return rules->integrator == INTEGRATOR_LANGEVIN || rules->thermostat == THERMOSTAT_LANGEVIN;
}

void motion_kick(struct motion *motion, double h) {
    run_moves(motion, h, 0.0, kick_some);
}

static void drift_some(void *context, size_t task) {
    const struct moving *moving = context;
    const struct motion *motion = moving->motion;
    const double h = moving->h;
    for (size_t i = task * PARTICLES_PER_TASK; i < end_of_task(motion, task); i++) {
        const double *v = motion->end->velocity + 3 * i;
        for (size_t k = 0; k < 3; k++) {
            motion->box.position[3 * i + k] += h * v[k];
        }
        motion->end->displacement_error[i] +=
            h * (motion->end->velocity_error[i] + 4.0 * motion->units.velocity * length_of(v)) +
            moving->rounding;
    }
}

void motion_drift(struct motion *motion, double h) {
    run_moves(motion, h, 4.0 * motion->units.position * longest(motion), drift_some);
}
