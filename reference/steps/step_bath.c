/* What keeps the temperature: see kernels/motion/step_rules.h. */
#include "reference/random/random.h"
#include "reference/steps/step_motion.h"
#include "reference/steps/step_rigid.h"

#include <math.h>

void motion_add_kinetic(struct motion *motion) {
    const struct step_units *units = &motion->units;
    const size_t n = motion->box.n;
    motion->kinetic = 0.0;
    motion->kinetic_error = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *v = motion->end->velocity + 3 * i;
        const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const double off = motion->end->velocity_error[i];
        motion->kinetic += 0.5 * box_mass(&motion->box, i) * square;
        motion->kinetic_error += box_mass(&motion->box, i) * (sqrt(square) + 0.5 * off) * off;
    }
    motion->kinetic_error +=
        motion->kinetic * (4.0 * units->velocity + units->sum * sqrt(3.0 * (double)n));
}

/* v *= factor, which may be off by `error`; sums scale with it. */
static void scale_motion(struct motion *motion, double factor, double error) {
    for (size_t i = 0; i < motion->box.n; i++) {
        double *v = motion->end->velocity + 3 * i;
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int k = 0; k < 3; k++) {
            v[k] *= factor;
        }
        motion->end->velocity_error[i] = factor * motion->end->velocity_error[i] +
                                         length * (error + 4.0 * motion->units.velocity * factor);
    }
    motion->kinetic_error =
        factor * (factor * motion->kinetic_error + 2.0 * motion->kinetic * error);
    motion->kinetic *= factor * factor;
}

/* ---- langevin ---- */

void motion_randomize(struct motion *motion, uint64_t step) {
    const struct step_rules *rules = motion->rules;
    const struct random_stream stream = { rules->seed, step, STEP_NOISE_USE };
    const double keep = exp(-rules->friction * rules->dt);
    const double spread = sqrt(-expm1(-2.0 * rules->friction * rules->dt) * rules->temperature);
    const double noise_unit =
        motion->units.velocity > 0.0
            ? fmax(motion->units.velocity, rules->float_noise ? 0x1p-24 : 0x1p-53)
            : 0.0;
    const double before = step_rigid_kinetic(motion);
    for (size_t i = 0; i < motion->box.n; i++) {
        const double sigma = spread / sqrt(box_mass(&motion->box, i));
        double *v = motion->end->velocity + 3 * i;
        double square[2] = { 0.0, 0.0 };
        for (size_t k = 0; k < 3; k++) {
            const double drawn =
                sigma * random_stream_gaussian(&stream, 4 * (uint64_t)(motion->box.first + i) + k,
                                               !rules->float_noise);
            square[0] += v[k] * v[k];
            square[1] += drawn * drawn;
            v[k] = keep * v[k] + drawn;
        }
        motion->end->velocity_error[i] = keep * motion->end->velocity_error[i] +
                                         4.0 * motion->units.velocity * sqrt(square[0]) +
                                         16.0 * noise_unit * (sqrt(square[1]) + sigma);
    }
    motion->end->thermostat.heat += step_rigid_kinetic(motion) - before;
}

/* ---- nose-hoover ---- */

static double link_mass(const struct motion *motion, int j) {
    const struct step_rules *rules = motion->rules;
    const double mass = rules->temperature * rules->time_constant * rules->time_constant;
    return j == 0 ? motion->degrees * mass : mass;
}

/* G_j / Q_j, and what it may be off by. */
static double link_force(const struct motion *motion, int j, double *off) {
    const double temperature = motion->rules->temperature;
    const double mass = link_mass(motion, j);
    if (j == 0) {
        *off = 2.0 * motion->kinetic_error / mass;
        return (2.0 * motion->kinetic - motion->degrees * temperature) / mass;
    }
    const double other = link_mass(motion, j - 1);
    const double velocity = motion->end->thermostat.velocity[j - 1];
    *off = 2.0 * other * fabs(velocity) * motion->link_error[j - 1] / mass;
    return (other * velocity * velocity - temperature) / mass;
}

/* A kick of link j, by h / 2, between two halves of the drag of the next link. */
static void push_link(struct motion *motion, int j, double h) {
    double *velocity = motion->end->thermostat.velocity;
    double *error = motion->link_error;
    double off;
    const double force = link_force(motion, j, &off);
    const bool last = j == motion->rules->chain - 1;
    const double drag = last ? 1.0 : exp(-0.25 * h * velocity[j + 1]);
    const double drag_off = last ? 0.0 : drag * 0.25 * h * error[j + 1];
    error[j] = error[j] * drag * drag + 2.0 * fabs(velocity[j]) * drag * drag_off +
               0.5 * h * (off * drag + fabs(force) * drag_off) +
               4.0 * motion->units.velocity * (fabs(velocity[j]) + 0.5 * h * fabs(force));
    velocity[j] = (velocity[j] * drag + 0.5 * h * force) * drag;
}

bool motion_half_thermostat(struct motion *motion, struct error *error) {
    struct thermostat_state *thermostat = &motion->end->thermostat;
    const double h = 0.5 * motion->rules->dt;
    const int links = motion->rules->chain;
    motion_add_kinetic(motion);
    const double before = motion->kinetic + motion_thermostat_energy(motion);
    const double scale = motion->kinetic + 0.5 * motion->degrees * motion->rules->temperature;
    for (int j = links - 1; j >= 0; j--) {
        push_link(motion, j, h);
    }
    const double factor = exp(-h * thermostat->velocity[0]);
    scale_motion(motion, factor, factor * h * motion->link_error[0]);
    for (int j = 0; j < links; j++) {
        thermostat->position[j] += h * thermostat->velocity[j];
    }
    for (int j = 0; j < links; j++) {
        push_link(motion, j, h);
    }
    const double gained = motion->kinetic + motion_thermostat_energy(motion) - before;
    return fabs(gained) <= scale ||
           fail(error, STATUS_UNSUPPORTED,
                "the chain of thermostats diverges: half a step of %g more than doubles the energy "
                "that it keeps; expected shorter steps, a longer time, or a temperature nearer to "
                "that of the particles",
                motion->rules->dt);
}

double motion_thermostat_energy(const struct motion *motion) {
    const struct thermostat_state *thermostat = &motion->end->thermostat;
    const double temperature = motion->rules->temperature;
    double energy = 0.0;
    if (motion->rules->thermostat != THERMOSTAT_NOSE_HOOVER) {
        return 0.0;
    }
    for (int j = 0; j < motion->rules->chain; j++) {
        energy += 0.5 * link_mass(motion, j) * thermostat->velocity[j] * thermostat->velocity[j] +
                  (j == 0 ? motion->degrees : 1.0) * temperature * thermostat->position[j];
    }
    return energy;
}

/* ---- rescale, berendsen ---- */

void motion_rescale(struct motion *motion, uint64_t step) {
    const struct step_rules *rules = motion->rules;
    const bool rescale = rules->thermostat == THERMOSTAT_RESCALE && step % rules->interval == 0;
    if (!rescale && rules->thermostat != THERMOSTAT_BERENDSEN) {
        return;
    }
    motion_add_kinetic(motion);
    if (!(motion->kinetic > 0.0)) {
        return; /* what rests has no direction to be sent in */
    }
    const double before = motion->kinetic;
    const double ratio = 0.5 * motion->degrees * rules->temperature / before;
    const double share = rescale ? 1.0 : rules->dt / rules->time_constant;
    const double square = fmax(1.0 + share * (ratio - 1.0), 0.0);
    const double factor = sqrt(square);
    const double relative = motion->kinetic_error / before;
    scale_motion(motion, factor,
                 factor > 0.0 ? 0.5 * share * ratio * relative / factor : sqrt(ratio * relative));
    motion->end->thermostat.heat += motion->kinetic - before;
}
