#include "reference/terms/text_term.h"

#include "reference/interpreter/dual.h"
#include "reference/interpreter/text_program.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    PROBES = 8,
    MOST_FORCE_ERROR = 2 /* times what an error of the places as large as they are would do */
};

typedef long double places[BONDED_MAX_ATOMS][3];

static void add_up(int atoms, long double step[3][3], places place) {
    memset(place, 0, sizeof(places));
    for (int a = 1; a < atoms; a++) {
        for (int d = 0; d < 3; d++) {
            place[a][d] = place[a - 1][d] + step[a - 1][d];
        }
    }
}

/* Signs of a direction that look as if they were drawn: those of a multiplicative generator. */
static void choose_direction(int probe, int atoms, places direction) {
    uint64_t state = (uint64_t)(probe + 1) * 0x9e3779b97f4a7c15U;
    for (int a = 1; a < atoms; a++) {
        for (int d = 0; d < 3; d++) {
            state = state * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
            direction[a][d] = (state >> 63) != 0 ? 1.0L : -1.0L;
        }
    }
}

/* The norm of what is beside the diagonal of the second derivatives. */
static double norm_beside(const struct text_program *program, int atoms,
                          const struct kernel_term *term, places place, long double trace) {
    long double squares = 0.0L;
    for (int probe = 0; probe < PROBES; probe++) {
        places direction = { { 0 } };
        choose_direction(probe, atoms, direction);
        const long double beside =
            text_program_evaluate_term(program, term, place, direction).dd - trace;
        squares += beside * beside;
    }
    return (double)sqrtl(squares / (2 * PROBES));
}

static double length_of(const long double a[3]) {
    return (double)sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Of the second derivatives along the axes: their sum, and that of their squares. */
struct curvature {
    long double trace, squares;
};

/* The force on a particle by the derivatives along each axis; what rounding does to it. */
static double push_one(const struct text_program *program, int a, const struct kernel_term *term,
                       places place, struct bonded_result *result, struct curvature *sum) {
    long double squares = 0.0L;
    for (int d = 0; d < 3; d++) {
        places direction = { { 0 } };
        direction[a][d] = 1.0L;
        const struct dual u = text_program_evaluate_term(program, term, place, direction);
        result->force[a][d] = -u.d;
        result->force[0][d] += u.d;
        squares += u.d_error * u.d_error;
        sum->trace += u.dd;
        sum->squares += u.dd * u.dd;
        result->energy = u.v;
        result->energy_scale = (double)(fabsl(u.v) + u.error / 4);
    }
    return (double)sqrtl(squares) / 4;
}

/* No number stays none. */
static double least_of(double a, double b) {
    return a > b ? b : a;
}

void text_term_evaluate(const struct text_program *program, int atoms,
                        const struct kernel_term *term, long double step[3][3],
                        struct bonded_result *result) {
    places place;
    struct curvature sum = { 0.0L, 0.0L };
    add_up(atoms, step, place);
    result->coordinate = NAN;
    double force_error[BONDED_MAX_ATOMS] = { 0.0 };
    double longest = 0.0;
    for (int a = 1; a < atoms; a++) {
        force_error[a] = push_one(program, a, term, place, result, &sum);
        force_error[0] += force_error[a];
        longest = fmax(longest, length_of(place[a]));
        for (int k = 0; k < 9; k++) {
            result->virial[k] += place[a][k / 3] * result->force[a][k % 3];
        }
    }
    const double beside = norm_beside(program, atoms, term, place, sum.trace);
    const double slope = 2.0 * sqrt((double)sum.squares + beside * beside);
    for (int a = 0; a < atoms; a++) {
        const double r = length_of(place[a]);
        const double force = length_of(result->force[a]);
        result->slope[a] = slope;
        result->scale[a] =
            force + least_of(force_error[a], MOST_FORCE_ERROR * (force + slope * longest));
        result->energy_slope += force;
        result->virial_scale += r * result->scale[a];
        result->virial_slope += result->scale[a] + r * slope;
    }
}

bool text_term_stays(const struct text_program *program, int atoms, const struct kernel_term *term,
                     long double step[3][3]) {
    static const long double shift[3] = { 0.4375L, -0.8125L, 1.1875L };
    places place, moved;
    places direction = { { 0 } };
    add_up(atoms, step, place);
    for (int a = 0; a < atoms; a++) {
        for (int d = 0; d < 3; d++) {
            moved[a][d] = place[a][d] + shift[d];
        }
    }
    const struct dual u = text_program_evaluate_term(program, term, place, direction);
    const struct dual other = text_program_evaluate_term(program, term, moved, direction);
    const long double allowed = 1e3L * LDBL_EPSILON * (u.error + other.error + fabsl(u.v));
    return !(fabsl(u.v - other.v) > allowed);
}
