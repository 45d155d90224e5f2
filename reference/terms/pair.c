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
    value->lean = 0.0;
}

/* u = a exp(-r / rho) - c / r^6 */
static void buckingham(const double *parameter, const struct pair *pair, struct pair_value *value) {
    double repulsion = parameter[0] * exp(-pair->r / parameter[1]);
    double dispersion = parameter[2] / (pair->r2 * pair->r2 * pair->r2);
    value->energy = repulsion - dispersion;
    value->lean = fabs(repulsion * pair->r / parameter[1]);
    value->bend = value->lean / parameter[1];
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
    value->lean = fabs(repulsion * (fabs(parameter[1]) + pair->r) / rho);
    value->bend = value->lean / rho;
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
    value->lean = fabs(gradient) * r;
    value->over_r = (screened / r + gradient) / r;
    value->slope =
        -2.0 * screened / pair->r2 - 2.0 * gradient / r - 2.0 * alpha * alpha * r * gradient;
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
      .corner = rational_corner },
};

const struct pair_function *pair_function_named(const char *name) {
    for (size_t i = 0; i < sizeof pair_functions / sizeof pair_functions[0]; i++) {
        if (strcmp(name, pair_functions[i].name) == 0) {
            return &pair_functions[i];
        }
    }
    return NULL;
}
