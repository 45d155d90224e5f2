#include "reference/pair.h"

#include <math.h>
#include <string.h>

struct pair_function {
    const char *name;
    pair_evaluate *evaluate;
    const char *parameters[INTERACTION_MAX_PARAMETERS]; /* ends at the first NULL */
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

static const struct pair_function pair_functions[] = {
    { "lj", lennard_jones, { "epsilon", "sigma" } },
};

enum { PAIR_FUNCTION_COUNT = sizeof pair_functions / sizeof pair_functions[0] };

static bool bind_parameters(const struct pair_function *function,
                            const struct interaction *interaction, struct pair_model *model,
                            struct error *error) {
    model->evaluate = function->evaluate;
    for (int i = 0; i < INTERACTION_MAX_PARAMETERS && function->parameters[i]; i++) {
        model->parameter[i] = interaction_value(interaction, function->parameters[i]);
        if (isnan(model->parameter[i])) {
            return fail(error, STATUS_UNSUPPORTED,
                        "interaction %s has no parameter %s, which its reference needs",
                        interaction->name, function->parameters[i]);
        }
    }
    return true;
}

bool pair_model_bind(const struct interaction *interaction, struct pair_model *model,
                     struct error *error) {
    for (int i = 0; i < PAIR_FUNCTION_COUNT; i++) {
        if (strcmp(interaction->name, pair_functions[i].name) == 0) {
            return bind_parameters(&pair_functions[i], interaction, model, error);
        }
    }
    return fail(error, STATUS_UNSUPPORTED, "interaction %s has no serial reference",
                interaction->name);
}
