/* For how many steps a neighbour list lasts: the largest displacement after each step. */
#include "commands/simulation/simulation.h"

#include "boxes/box.h"
#include "core/host.h"

#include <math.h>
#include <stdlib.h>

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

static bool record(struct engine *engine, struct simulation_state *state,
                   const struct record_until *until, struct list_life *life, struct error *error) {
    double temperatures = 0;
    while (life->steps < LIST_LIFE_STEPS && life->moved[life->steps] <= until->farthest &&
           (life->steps < 2 || clock_s() < until->end_s)) {
        struct step_sums sums;
        if (!advance(engine, 1, state, &sums, error)) {
            return false;
        }
        temperatures += sums.temperature;
        life->steps++;
        life->moved[life->steps] =
            fmax(farthest_from(state, until->origin), life->moved[life->steps - 1]);
    }
    life->temperature = temperatures / (double)life->steps;
    return true;
}

bool list_life_measure(struct engine *engine, struct simulation_state *state,
                       const struct list_life_wanted *wanted, struct list_life *life,
                       struct error *error) {
    const double began_s = clock_s();
    double *origin = malloc(3 * state->box.n * sizeof *origin);
    *life = (struct list_life){ 0 };
    if (!origin) {
        return fail_out_of_memory(error, "where particles were");
    }
    bool good =
        settle(engine, state, wanted->temperature, began_s + settling_share * wanted->cap_s, error);
    for (size_t i = 0; good && i < state->box.n; i++) {
        unwrap(state, i, &origin[3 * i]);
    }
    const struct record_until until = { origin, wanted->farthest, began_s + wanted->cap_s };
    good = good && record(engine, state, &until, life, error);
    free(origin);
    return good;
}

double list_life_of(const struct list_life *life, double skin) {
    const double half = 0.5 * skin;
    const double last = life->moved[life->steps];
    size_t served = 0;
    while (served < life->steps && life->moved[served] <= half) {
        served++;
    }
    if (life->moved[served] <= half && last > 0) {
        return (double)life->steps * half / last;
    }
    return served < 1 ? 1 : (double)served;
}
