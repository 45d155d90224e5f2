#include "reference/terms/pair.h"

#include "reference/terms/rational.h"

#include <math.h>
#include <string.h>

/* u = 4 epsilon (s^12 - s^6), s = sigma / r. Factored by s^6, so that the difference is taken once
 * and of numbers near one. */
static void lennard_jones(const double *parameter, const struct pair *pair,
                          struct pair_value *value) {
    pair_lennard_jones(parameter[0], parameter[1], pair->r2, &value->energy, &value->over_r,
                       &value->slope);
    value->energy_condition = 0.0;
}

/* Of the functions that end at zero, terms cancel there, their rounding errors do not: what cancels
 * goes into energy_condition and force_condition, as for what a user writes (tolerances.h). */

/* The same less its value at parameter[2]. */
static void shifted_lennard_jones(const double *parameter, const struct pair *pair,
                                  struct pair_value *value) {
    double energy, over_r, slope;
    lennard_jones(parameter, pair, value);
    pair_lennard_jones(parameter[0], parameter[1], parameter[2] * parameter[2], &energy, &over_r,
                       &slope);
    value->energy -= energy;
    value->energy_condition = fabs(energy);
}

/* One power of the force-switched function: phi(r) = r^-n - a/3 d^3 - b/4 d^4 - c, d = r - inner
 * where that is positive; phi, its slope and the slope of that are 0 at `outer`. GROMACS's manual
 * has a, b and c. */
struct switched_power {
    long double energy, force, slope;      /* of the force */
    long double energy_terms, force_terms; /* the sums of their magnitudes */
};

static struct switched_power switch_power(int n, long double inner, long double outer,
                                          long double r) {
    const long double w = outer - inner;
    const long double d = r > inner ? r - inner : 0.0L;
    const long double unit = n / (powl(outer, n + 2) * w * w);
    const long double a = -unit * ((n + 4) * outer - (n + 1) * inner);
    const long double b = unit / w * ((n + 3) * outer - (n + 1) * inner);
    const long double c = powl(outer, -n) - a / 3 * w * w * w - b / 4 * w * w * w * w;
    const long double plain = powl(r, -n);
    const long double cubic = a / 3 * d * d * d, quartic = b / 4 * d * d * d * d;
    const long double square = a * d * d, cube = b * d * d * d;
    const struct switched_power power = {
        .energy = plain - cubic - quartic - c,
        .force = n * plain / r + square + cube,
        .slope = -n * (n + 1) * plain / (r * r) + 2 * a * d + 3 * b * d * d,
        .energy_terms = plain + fabsl(cubic) + fabsl(quartic) + fabsl(c),
        .force_terms = n * plain / r + fabsl(square) + fabsl(cube),
    };
    return power;
}

static void switched_lennard_jones(const double *parameter, const struct pair *pair,
                                   struct pair_value *value) {
    value->energy = value->over_r = value->slope = value->energy_condition = 0.0;
    if (pair->r >= parameter[3]) {
        return;
    }
    const struct switched_power high = switch_power(12, parameter[2], parameter[3], pair->r);
    const struct switched_power low = switch_power(6, parameter[2], parameter[3], pair->r);
    const long double sigma6 = powl(parameter[1], 6);
    const long double factor = 4.0L * parameter[0] * sigma6;
    value->energy = (double)(factor * (sigma6 * high.energy - low.energy));
    value->over_r = (double)(factor * (sigma6 * high.force - low.force) / pair->r);
    value->slope = (double)(factor * (sigma6 * high.slope - low.slope));
    value->energy_condition = (double)(factor * (sigma6 * high.energy_terms + low.energy_terms));
    value->force_condition = (double)(factor * (sigma6 * high.force_terms + low.force_terms));
}

/* u = a exp(-r / rho) - c / r^6 */
static void buckingham(const double *parameter, const struct pair *pair, struct pair_value *value) {
    double repulsion = parameter[0] * exp(-pair->r / parameter[1]);
    double dispersion = parameter[2] / (pair->r2 * pair->r2 * pair->r2);
    value->energy = repulsion - dispersion;
    value->energy_condition = fabs(repulsion * pair->r / parameter[1]);
    value->force_condition = value->energy_condition / parameter[1];
    value->over_r = repulsion / (parameter[1] * pair->r) - 6.0 * dispersion / pair->r2;
    value->slope = -repulsion / (parameter[1] * parameter[1]) + 42.0 * dispersion / pair->r2;
}

/* u = a exp((sigma - r) / rho) - c / r^6 - d / r^8 */
static void born_mayer_huggins(const double *parameter, const struct pair *pair,
                               struct pair_value *value) {
    double rho = parameter[2];
    double repulsion = parameter[0] * exp((parameter[1] - pair->r) / rho);
    double r6 = pair->r2 * pair->r2 * pair->r2;
    double c_term = parameter[3] / r6;
    double d_term = parameter[4] / (r6 * pair->r2);
    value->energy = repulsion - c_term - d_term;
    value->energy_condition = fabs(repulsion * (fabs(parameter[1]) + pair->r) / rho);
    value->force_condition = value->energy_condition / rho;
    value->over_r = repulsion / (rho * pair->r) - (6.0 * c_term + 8.0 * d_term) / pair->r2;
    value->slope = -repulsion / (rho * rho) + (42.0 * c_term + 72.0 * d_term) / pair->r2;
}

/* u = k q q erfc(alpha r) / r; the derivative of erfc(x) is -2 / sqrt(pi) exp(-x^2) */
static void ewald_real(const double *parameter, const struct pair *pair, struct pair_value *value) {
    double alpha = parameter[0];
    double charges = parameter[1] * (pair->charge[0] * pair->charge[1]);
    double r = pair->r;
    double screened = charges * erfc(alpha * r) / r;
    double gradient = charges * M_2_SQRTPI * alpha * exp(-(alpha * r) * (alpha * r)) / r;
    value->energy = screened;
    value->energy_condition = fabs(gradient) * r;
    value->over_r = (screened / r + gradient) / r;
    value->slope =
        -2.0 * screened / pair->r2 - 2.0 * gradient / r - 2.0 * alpha * alpha * r * gradient;
}

/* u = k q q (1/r + f r^2 - g), f = (e - 1) / ((2 e + 1) rc^3), g = 1/rc + f rc^2; e = 0 stands for
 * infinity, and an infinite rc for plain Coulomb */
static void reaction_field(const double *parameter, const struct pair *pair,
                           struct pair_value *value) {
    const double rc = parameter[0], e = parameter[1];
    const double charges = parameter[2] * (pair->charge[0] * pair->charge[1]);
    const double field =
        isinf(rc) ? 0.0 : (e > 0.0 ? (e - 1.0) / (2.0 * e + 1.0) : 0.5) / (rc * rc * rc);
    const double end = isinf(rc) ? 0.0 : 1.0 / rc + field * rc * rc;
    value->energy = charges * (1.0 / pair->r + field * pair->r2 - end);
    value->energy_condition = fabs(charges) * (1.0 / pair->r + field * pair->r2 + end);
    value->force_condition = fabs(charges) * (1.0 / pair->r2 + 2.0 * field * pair->r);
    value->over_r = charges * (1.0 / (pair->r * pair->r2) - 2.0 * field);
    value->slope = -charges * (2.0 / (pair->r * pair->r2) + 2.0 * field);
}

/* u = k q q (1/r - 1/rc + (r - rc) / rc^2) */
static void shifted_coulomb(const double *parameter, const struct pair *pair,
                            struct pair_value *value) {
    const double rc = parameter[0];
    const double charges = parameter[1] * (pair->charge[0] * pair->charge[1]);
    const double beyond = isinf(rc) ? 0.0 : (pair->r - rc) / (rc * rc) - 1.0 / rc;
    value->energy = charges * (1.0 / pair->r + beyond);
    value->energy_condition = fabs(charges) * (1.0 / pair->r + fabs(beyond));
    value->force_condition = fabs(charges) * (1.0 / pair->r2 + 1.0 / (rc * rc));
    value->over_r = charges * (1.0 / pair->r2 - 1.0 / (rc * rc)) / pair->r;
    value->slope = -2.0 * charges / (pair->r * pair->r2);
}

static double first_parameter(const double *parameter) {
    return parameter[0];
}

static const struct pair_function pair_functions[] = {
    { .name = "lj",
      .evaluate = lennard_jones,
      .in_lanes = true,
      .kind = TERM_VAN_DER_WAALS,
      .typed = true,
      .parameters = { { "epsilon", PAIR_BERTHELOT }, { "sigma", PAIR_LORENTZ } } },
    { .name = "buckingham",
      .evaluate = buckingham,
      .kind = TERM_VAN_DER_WAALS,
      .typed = true,
      .parameters = { { "A", PAIR_UNMIXED }, { "rho", PAIR_UNMIXED }, { "C", PAIR_UNMIXED } } },
    { .name = "born-mayer-huggins",
      .evaluate = born_mayer_huggins,
      .kind = TERM_VAN_DER_WAALS,
      .typed = true,
      .parameters = { { "A", PAIR_UNMIXED },
                      { "sigma", PAIR_UNMIXED },
                      { "rho", PAIR_UNMIXED },
                      { "C", PAIR_UNMIXED },
                      { "D", PAIR_UNMIXED } } },
    { .name = "ewald-real",
      .evaluate = ewald_real,
      .kind = TERM_COULOMB,
      .parameters = { { "alpha", PAIR_UNMIXED }, { "coulomb", PAIR_UNMIXED } } },
    { .name = "lj-shift",
      .evaluate = shifted_lennard_jones,
      .kind = TERM_VAN_DER_WAALS,
      .typed = true,
      .parameters = { { "epsilon", PAIR_BERTHELOT },
                      { "sigma", PAIR_LORENTZ },
                      { "zero", PAIR_LORENTZ } } },
    { .name = "lj-switch",
      .evaluate = switched_lennard_jones,
      .kind = TERM_VAN_DER_WAALS,
      .typed = true,
      .parameters = { { "epsilon", PAIR_BERTHELOT },
                      { "sigma", PAIR_LORENTZ },
                      { "inner", PAIR_LORENTZ },
                      { "outer", PAIR_LORENTZ } } },
    { .name = "reaction-field",
      .evaluate = reaction_field,
      .kind = TERM_COULOMB,
      .parameters = { { "rc", PAIR_UNMIXED },
                      { "dielectric", PAIR_UNMIXED },
                      { "coulomb", PAIR_UNMIXED } },
      .reach = first_parameter },
    { .name = "coulomb-shift",
      .evaluate = shifted_coulomb,
      .kind = TERM_COULOMB,
      .parameters = { { "rc", PAIR_UNMIXED }, { "coulomb", PAIR_UNMIXED } },
      .reach = first_parameter },
    { .name = "rational",
      .evaluate = rational_evaluate,
      .kind = TERM_VAN_DER_WAALS,
      .parameters = { { "r0", PAIR_UNMIXED },
                      { "n", PAIR_UNMIXED },
                      { "m", PAIR_UNMIXED },
                      { "d0", PAIR_UNMIXED },
                      { "dmax", PAIR_UNMIXED } },
      .prepare = rational_prepare,
      .reach = rational_reach,
      .jump = rational_jump },
};

const struct pair_function *pair_function_named(const char *name) {
    for (size_t i = 0; i < sizeof pair_functions / sizeof pair_functions[0]; i++) {
        if (strcmp(name, pair_functions[i].name) == 0) {
            return &pair_functions[i];
        }
    }
    return NULL;
}
