#include "reference/three_body/sw_term.h"

#include <math.h>
#include <string.h>

static const double functions = 4; /* 16 u of the sizes, over GATE_FACTOR */

static double size_of(const long double d[3]) {
    return (double)sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* ---- exponents ---- */

/* E = strength sigma / (r - a sigma) and its derivatives; `error` is its own, and `steep` that of
 * its derivative relative to itself, in units of u. */
struct exponent {
    long double value, first, second;
    double error, steep;
};

static struct exponent exponent_of(const struct sw_leg *leg, double strength) {
    const long double end = (long double)leg->pair->a * leg->pair->sigma;
    const long double gap = leg->r - end;
    const long double top = (long double)strength * leg->pair->sigma;
    const double quotient = (double)((leg->r + end) / -gap);
    const struct exponent made = { .value = top / gap,
                                   .first = -top / (gap * gap),
                                   .second = 2 * top / (gap * gap * gap),
                                   .steep = 2 * quotient };
    struct exponent whole = made;
    whole.error = (double)fabsl(made.value) * (2 + quotient);
    return whole;
}

/* Whether its exponential is below the smallest normal number, or near it. */
static int may_underflow(long double exponent, double unit) {
    const double limit = unit > 1e-10 ? 85 : 700;
    return exponent < -limit;
}

/* ---- what is common ---- */

/* Forces on the ends give that on the centre, and with the legs the virial. */
static void finish(const struct sw_leg *const leg[2], int legs, double lost,
                   struct sw_result *result) {
    for (int e = 0; e < legs; e++) {
        const int place = SW_FIRST + e;
        const double r = (double)leg[e]->r;
        result->condition[place] += lost * result->scale[place];
        for (int k = 0; k < 9; k++) {
            result->virial[k] += leg[e]->d[k / 3] * result->force[place][k % 3];
        }
        for (int d = 0; d < 3; d++) {
            result->force[SW_CENTRE][d] -= result->force[place][d];
        }
        result->scale[SW_CENTRE] += result->scale[place];
        result->condition[SW_CENTRE] += result->condition[place];
        result->virial_scale += r * (result->scale[place] + result->condition[place]);
        result->virial_slope += result->scale[place] + r * result->slope[place];
    }
    result->energy_scale += lost * result->energy_scale;
}

/* ---- pairs ---- */

static double power_error(double power) {
    return power == floor(power) ? fabs(power) / 4 : 8;
}

void sw_pair_evaluate(const struct sw_leg *leg, double unit, struct sw_result *result) {
    const struct sw_pair *pair = leg->pair;
    const struct exponent e = exponent_of(leg, 1);
    const long double x = (long double)pair->sigma / leg->r;
    const long double whole = (long double)pair->A * pair->epsilon * expl(e.value);
    const long double term[2] = { whole * pair->B * powl(x, pair->p), -whole * powl(x, pair->q) };
    const double power[2] = { pair->p, pair->q };
    long double slope = 0; /* of the energy by r */
    double curve = 0;
    memset(result, 0, sizeof *result);
    for (int t = 0; t < 2; t++) {
        const long double steep = -power[t] / leg->r + e.first; /* of the logarithm */
        const double size = (double)fabsl(term[t]);
        const double scale = (double)fabsl(term[t] * steep);
        result->energy += term[t];
        slope += term[t] * steep;
        curve += size * (double)(steep * steep + power[t] / (leg->r * leg->r) + fabsl(e.second)) +
                 scale / (double)leg->r;
        result->scale[SW_FIRST] += scale;
        result->condition[SW_FIRST] +=
            scale * (functions + power_error(power[t]) + (e.error + e.steep) / 4);
        result->energy_scale += size * (1 + functions + power_error(power[t]) + e.error / 4);
        result->energy_slope += scale;
    }
    for (int d = 0; d < 3; d++) {
        result->force[SW_FIRST][d] = -slope * leg->d[d] / leg->r;
    }
    result->slope[SW_FIRST] = result->slope[SW_CENTRE] = curve;
    const struct sw_leg *const legs[2] = { leg, leg };
    finish(legs, 1, may_underflow(e.value, unit) ? 1 / unit : 0, result);
}

/* ---- triplets ---- */

/* A triplet's energy by r1, r2 and c: its derivatives, and the sizes of what these are made of. */
struct derivatives {
    long double by_r[2], by_c;
    double rr[2], r1r2, rc[2], cc;
};

/* Norms of the blocks of the Hessian: of leg e with itself, and of both. */
static double block_of_leg(const struct derivatives *by, int e, double r, double s, double c) {
    const double of_c = (double)fabsl(by->by_c);
    return by->rr[e] + (double)fabsl(by->by_r[e]) / r + by->rc[e] * s / r +
           by->cc * s * s / (r * r) + of_c * (s + c) / (r * r);
}

static double block_of_both(const struct derivatives *by, const double r[2], double s) {
    return by->r1r2 + by->rc[0] * s / r[1] + by->rc[1] * s / r[0] +
           (by->cc * s * s + (double)fabsl(by->by_c)) / (r[0] * r[1]);
}

void sw_triplet_evaluate(const struct sw_leg *first, const struct sw_leg *second,
                         const struct sw_angle *angle, double unit, struct sw_result *result) {
    const struct sw_leg *const leg[2] = { first, second };
    const struct exponent g[2] = { exponent_of(first, first->pair->gamma),
                                   exponent_of(second, second->pair->gamma) };
    const double r[2] = { (double)first->r, (double)second->r };
    const long double c =
        (first->d[0] * second->d[0] + first->d[1] * second->d[1] + first->d[2] * second->d[2]) /
        (first->r * second->r);
    const long double off = c - angle->cos_theta0;
    const long double strength = angle->lambda_epsilon * expl(g[0].value + g[1].value);
    const long double energy = strength * off * off;
    const double exponents = (g[0].error + g[1].error) / 4;
    struct derivatives by = { .by_c = 2 * strength * off, .cc = 2 * (double)fabsl(strength) };
    long double across[2][3]; /* of leg e: perpendicular to it, towards the other */
    memset(result, 0, sizeof *result);
    for (int e = 0; e < 2; e++) {
        by.by_r[e] = energy * g[e].first;
        by.rr[e] = (double)fabsl(energy) * (double)(g[e].first * g[e].first + fabsl(g[e].second));
        by.rc[e] = (double)fabsl(by.by_c * g[e].first);
        for (int d = 0; d < 3; d++) {
            across[e][d] = leg[1 - e]->d[d] / leg[1 - e]->r - c * leg[e]->d[d] / leg[e]->r;
        }
    }
    by.r1r2 = (double)fabsl(energy * g[0].first * g[1].first);
    const double s = size_of(across[0]);
    const double cosine = (double)fabsl(c);
    const double both = block_of_both(&by, r, s);
    for (int e = 0; e < 2; e++) {
        const int place = SW_FIRST + e;
        const double turn = (double)fabsl(by.by_c) / r[e];
        const double own = block_of_leg(&by, e, r[e], s, cosine);
        for (int d = 0; d < 3; d++) {
            result->force[place][d] =
                -by.by_r[e] * leg[e]->d[d] / leg[e]->r - by.by_c * across[e][d] / leg[e]->r;
        }
        result->scale[place] = (double)fabsl(by.by_r[e]) + turn * (1 + cosine);
        result->slope[place] = own + both;
        result->slope[SW_CENTRE] += own + both;
        result->condition[place] = result->scale[place] * (functions + exponents + g[e].steep / 4) +
                                   2 * (by.rc[e] + by.cc * s / r[e]);
        result->energy_slope += (double)fabsl(by.by_r[e]) + turn * s;
    }
    result->energy = energy;
    result->energy_scale =
        (double)fabsl(energy) * (1 + functions + exponents) + 2 * (double)fabsl(by.by_c);
    const long double least = fminl(g[0].value + g[1].value, fminl(g[0].value, g[1].value));
    finish(leg, 2, may_underflow(least, unit) ? 1 / unit : 0, result);
}
