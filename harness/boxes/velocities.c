/* velocities — Maxwell's, the same on every machine. */
#include "boxes/box.h"
#include "boxes/random.h"

#include <math.h>

static const uint64_t stream = 0x76656c6f63697479u; /* other numbers than those of positions */

/* ---- normal draws, by comparisons of uniform ones alone: C. F. F. Karney, "Sampling exactly from
 * the normal distribution", ACM TOMS 42, 3 (2016), algorithm N. Logarithms differ between C
 * libraries. ---- */

/* True with probability exp(-1/2): how long a run of draws below 1/2 falls, after von Neumann. */
static bool by_half(struct random *random) {
    double last = 0.5;
    for (bool even = true;; even = !even) {
        const double drawn = random_unit(random);
        if (!(drawn < last)) {
            return even;
        }
        last = drawn;
    }
}

/* True with probability exp(-x (2k + x) / (2k + 2)). */
static bool by_excess(struct random *random, double k, double x) {
    const double share = (2.0 * k + x) / (2.0 * k + 2.0);
    double last = x;
    for (bool even = true;; even = !even) {
        const double drawn = random_unit(random);
        if (!(drawn < last) || !(random_unit(random) < share)) {
            return even;
        }
        last = drawn;
    }
}

/* True with probability exp(-k (k - 1) / 2). */
static bool keeps_whole(struct random *random, int k) {
    for (int times = k * (k - 1); times > 0; times--) {
        if (!by_half(random)) {
            return false;
        }
    }
    return true;
}

static bool keeps_rest(struct random *random, int k, double x) {
    for (int times = k + 1; times > 0; times--) {
        if (!by_excess(random, k, x)) {
            return false;
        }
    }
    return true;
}

static double draw_normal(struct random *random) {
    for (;;) {
        int k = 0;
        while (by_half(random)) {
            k++;
        }
        if (!keeps_whole(random, k)) {
            continue;
        }
        const double x = random_unit(random);
        if (keeps_rest(random, k, x)) {
            return random_unit(random) < 0.5 ? -(k + x) : k + x;
        }
    }
}

/* ---- temperature ---- */

static double twice_kinetic(const struct box *box) {
    double sum = 0.0;
    for (size_t i = 0; i < box->n; i++) {
        const double *v = box->velocity + 3 * i;
        sum += box_mass(box, i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

double box_temperature(const struct box *box) {
    if (!box->velocity) {
        return NAN;
    }
    return twice_kinetic(box) / (3.0 * (double)box->n - (box->n > 1 ? 3.0 : 0.0));
}

void box_momentum(const struct box *box, double momentum[3]) {
    momentum[0] = momentum[1] = momentum[2] = 0.0;
    for (size_t k = 0; box->velocity && k < 3 * box->n; k++) {
        momentum[k % 3] += box_mass(box, k / 3) * box->velocity[k];
    }
}

static void stop_drifting(struct box *box) {
    double momentum[3];
    double mass = 0.0;
    box_momentum(box, momentum);
    for (size_t i = 0; i < box->n; i++) {
        mass += box_mass(box, i);
    }
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] -= momentum[k % 3] / mass;
    }
}

bool box_set_temperature(struct box *box, double temperature, uint64_t seed, struct error *error) {
    struct random random = random_from_seed(seed ^ stream);
    if (!(temperature >= 0.0) || !isfinite(temperature)) {
        return fail(error, STATUS_BAD_INPUT, "temperature %g; expected an energy, 0 or more",
                    temperature);
    }
    if (!box_add_velocities(box, error)) {
        return false;
    }
    for (size_t i = 0; i < box->n; i++) {
        const double width = 1.0 / sqrt(box_mass(box, i));
        for (size_t k = 0; k < 3; k++) {
            box->velocity[3 * i + k] = width * draw_normal(&random);
        }
    }
    stop_drifting(box);
    const double drawn = twice_kinetic(box);
    const double wanted = (3.0 * (double)box->n - 3.0) * temperature;
    const double factor = box->n > 1 && drawn > 0.0 ? sqrt(wanted / drawn) : 0.0;
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] *= factor;
    }
    box->temperature = temperature;
    return true;
}
