#include "reference/pair.h"

#include "reference/rational.h"

#include <math.h>
#include <string.h>

struct pair_function {
    const char *name;
    pair_evaluate *evaluate;
    const char *parameters[INTERACTION_MAX_PARAMETERS]; /* ends at the first NULL */
    void (*prepare)(double *parameter);                 /* NULL: nothing follows from them */
    double (*corner)(const double *parameter);          /* see struct pair_term; NULL: none */
};

/* u = 4 epsilon (s^12 - s^6), s = sigma / r. Factored by s^6, so that the difference is taken once
 * and of numbers near one. */
static void lennard_jones(const double *parameter, const struct pair *pair,
                          struct pair_value *value) {
    double epsilon = parameter[0];
    double sigma = parameter[1];
    double s2 = sigma * sigma / pair->r2;
    double s6 = s2 * s2 * s2;
    value->energy = 4.0 * epsilon * s6 * (s6 - 1.0);
    value->force = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0) / pair->r;
    value->slope = -24.0 * epsilon * s6 * (26.0 * s6 - 7.0) / pair->r2;
}

/* u = a exp(-r / rho) - c / r^6 */
static void buckingham(const double *parameter, const struct pair *pair, struct pair_value *value) {
    double repulsion = parameter[0] * exp(-pair->r / parameter[1]);
    double dispersion = parameter[2] / (pair->r2 * pair->r2 * pair->r2);
    value->energy = repulsion - dispersion;
    value->force = repulsion / parameter[1] - 6.0 * dispersion / pair->r;
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
    value->force = repulsion / rho - (6.0 * c_term + 8.0 * d_term) / pair->r;
    value->slope = -repulsion / (rho * rho) + (42.0 * c_term + 72.0 * d_term) / pair->r2;
}

/* u = k q q erfc(alpha r) / r; the derivative of erfc(x) is -2 / sqrt(pi) exp(-x^2) */
static void ewald_real(const double *parameter, const struct pair *pair, struct pair_value *value) {
    double alpha = parameter[0];
    double charges = parameter[1] * pair->charge[0] * pair->charge[1];
    double r = pair->r;
    double screened = charges * erfc(alpha * r) / r;
    double gradient = charges * M_2_SQRTPI * alpha * exp(-(alpha * r) * (alpha * r)) / r;
    value->energy = screened;
    value->force = screened / r + gradient;
    value->slope =
        -2.0 * screened / pair->r2 - 2.0 * gradient / r - 2.0 * alpha * alpha * r * gradient;
}

static const struct pair_function pair_functions[] = {
    { "lj", lennard_jones, { "epsilon", "sigma" }, NULL, NULL },
    { "buckingham", buckingham, { "A", "rho", "C" }, NULL, NULL },
    { "born-mayer-huggins", born_mayer_huggins, { "A", "sigma", "rho", "C", "D" }, NULL, NULL },
    { "ewald-real", ewald_real, { "alpha", "coulomb" }, NULL, NULL },
    { "rational",
      rational_evaluate,
      { "r0", "n", "m", "d0", "dmax" },
      rational_prepare,
      rational_corner },
};

enum { PAIR_FUNCTION_COUNT = sizeof pair_functions / sizeof pair_functions[0] };

static bool bind_parameters(const struct pair_function *known,
                            const struct interaction *interaction,
                            const struct interaction_function *function, struct pair_term *term,
                            struct error *error) {
    term->evaluate = known->evaluate;
    for (int i = 0; i < INTERACTION_MAX_PARAMETERS && known->parameters[i]; i++) {
        const struct interaction_parameter *parameter =
            &interaction->parameters[function->first + i];
        if (i >= function->count || function->first + i >= interaction->parameter_count ||
            strcmp(parameter->name, known->parameters[i]) != 0) {
            return fail(error, STATUS_UNSUPPORTED,
                        "interaction %s has no parameter %s in the place where its reference "
                        "needs it",
                        function->name, known->parameters[i]);
        }
        term->parameter[i] = parameter->value;
    }
    if (known->prepare) {
        known->prepare(term->parameter);
    }
    term->corner = known->corner ? known->corner(term->parameter) : INFINITY;
    return true;
}

static bool bind_term(const struct interaction *interaction, int f, struct pair_term *term,
                      struct error *error) {
    const struct interaction_function *function = &interaction->functions[f];
    term->kind = function->kind;
    term->cutoff = function->cutoff;
    term->typed = -1;
    if (interaction_has_types(interaction) && interaction_function_may_be_typed(function)) {
        term->typed = type_parameters_offset(interaction, f);
    }
    for (int i = 0; i < PAIR_FUNCTION_COUNT; i++) {
        if (strcmp(function->name, pair_functions[i].name) == 0) {
            return bind_parameters(&pair_functions[i], interaction, function, term, error);
        }
    }
    return fail(error, STATUS_UNSUPPORTED, "interaction %s has no serial reference",
                function->name);
}

bool pair_model_bind(const struct interaction *interaction, const struct box *box,
                     struct pair_model *model, struct error *error) {
    *model = (struct pair_model){ .count = interaction->function_count };
    for (int f = 0; f < interaction->function_count; f++) {
        if (!bind_term(interaction, f, &model->terms[f], error)) {
            return false;
        }
    }
    if (interaction->function_count == 0) {
        return fail(error, STATUS_UNSUPPORTED, "interaction %s has no serial reference",
                    interaction->name);
    }
    return !box || type_parameters_resolve(interaction, box, &model->types, error);
}

void pair_model_free(struct pair_model *model) {
    type_parameters_free(&model->types);
    *model = (struct pair_model){ 0 };
}

double pair_term_for(const struct pair_model *model, int term, const struct pair *pair,
                     const double **parameter) {
    const struct pair_term *own = &model->terms[term];
    const struct type_parameters *types = &model->types;
    if (own->typed < 0 || !types->values) {
        *parameter = own->parameter;
        return own->cutoff;
    }
    const double *entry = types->values +
                          ((size_t)pair->type[0] * (size_t)types->types + (size_t)pair->type[1]) *
                              (size_t)types->stride +
                          own->typed;
    *parameter = entry + 1;
    return entry[0];
}
