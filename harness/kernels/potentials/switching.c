#include "kernels/potentials/interaction.h"

#include <math.h>
#include <string.h>

static const char function_name[] = "rational";

/* The parameters of `rational`, in the order of its header. */
enum { PARAMETER_R0, PARAMETER_N, PARAMETER_M, PARAMETER_D0, PARAMETER_DMAX, PARAMETERS };

enum { LARGEST_EXPONENT = 1000 };

/* No value of the function may be larger (n > m), so that it fits a float with room to spare. */
static const double largest_value = 1e30;

/* Where the function ends when nobody says, by its value there: PLUMED's rule. */
static const double default_end = 1e-5;

static int find_rational(const struct interaction *interaction) {
    for (int f = 0; f < interaction->function_count; f++) {
        if (strcmp(interaction->functions[f].name, function_name) == 0 &&
            interaction->functions[f].count >= PARAMETERS) {
            return f;
        }
    }
    return -1;
}

static int common_divisor(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* 1 + w + ... + w^(terms-1) for 0 <= w <= 1 */
static long double geometric(long double w, int terms) {
    long double sum = 0.0L;
    for (int k = 0; k < terms; k++) {
        sum = sum * w + 1.0L;
    }
    return sum;
}

/* s at x = (r - d0) / r0, unstretched. All terms are positive: nothing cancels. */
static long double value_at(const struct switching *s, long double r) {
    const int p = s->n / s->common;
    const int q = s->m / s->common;
    long double x = (r - s->d0) / s->r0;
    if (!(x > 0.0L)) {
        return 1.0L;
    }
    if (x <= 1.0L) {
        long double w = powl(x, s->common);
        return geometric(w, p) / geometric(w, q);
    }
    long double w = powl(x, -s->common);
    return powl(x, s->n - s->m) * geometric(w, p) / geometric(w, q);
}

/* s(0) - s(dmax); for d0 >= 0 it is 1 - s(dmax) = (Q - P) / Q, the terms that both have left out.
 */
static long double fall_to(const struct switching *s, double dmax) {
    const int least = s->n < s->m ? s->n : s->m;
    const int more = s->n < s->m ? s->m - s->n : s->n - s->m;
    long double x = ((long double)dmax - s->d0) / s->r0;
    if (s->d0 < 0.0 || x > 1.0L) {
        return value_at(s, 0.0L) - value_at(s, dmax);
    }
    long double w = powl(x, s->common);
    long double fall =
        powl(x, least) * geometric(w, more / s->common) / geometric(w, s->m / s->common);
    return s->n < s->m ? fall : -fall;
}

static bool take_exponent(const struct interaction_parameter *parameter, int least, int *exponent,
                          struct error *error) {
    double value = parameter->value;
    if (!(value >= least && value <= LARGEST_EXPONENT) || value != rint(value)) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: %s = %g; expected a whole number from %d to %d", function_name,
                    parameter->name, value, least, LARGEST_EXPONENT);
    }
    *exponent = (int)value;
    return true;
}

static bool take_parameters(const struct interaction_parameter *parameter, struct switching *s,
                            struct error *error) {
    s->r0 = parameter[PARAMETER_R0].value;
    s->d0 = parameter[PARAMETER_D0].value;
    if (!(s->r0 > 0.0 && isfinite(s->r0)) || !isfinite(s->d0)) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: r0 = %g, d0 = %g; expected r0 greater than 0 and both finite",
                    function_name, s->r0, s->d0);
    }
    if (!take_exponent(&parameter[PARAMETER_N], 1, &s->n, error) ||
        !take_exponent(&parameter[PARAMETER_M], 0, &s->m, error)) {
        return false;
    }
    s->m = s->m == 0 ? 2 * s->n : s->m;
    if (s->m > LARGEST_EXPONENT) {
        return fail(error, STATUS_BAD_INPUT, "interaction %s: m = 2n = %d; expected at most %d",
                    function_name, s->m, LARGEST_EXPONENT);
    }
    if (s->n == s->m) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: n = m = %d makes it 1 everywhere; expected different ones",
                    function_name, s->n);
    }
    s->common = common_divisor(s->n, s->m);
    return true;
}

static bool take_dmax(const struct interaction_parameter *parameter, struct switching *s,
                      struct error *error) {
    s->dmax = parameter->value;
    if (s->n > s->m && !(parameter->given && isfinite(s->dmax))) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: n = %d greater than m = %d grows without bound; expected a "
                    "finite dmax",
                    function_name, s->n, s->m);
    }
    if (!parameter->given) {
        s->dmax = s->d0 + s->r0 * pow(default_end, 1.0 / (s->n - s->m));
    }
    if (!(s->dmax > s->d0) || !(s->dmax > 0.0)) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: dmax = %g; expected more than d0 = %g and than 0",
                    function_name, s->dmax, s->d0);
    }
    return true;
}

static bool stretch(struct switching *s, struct error *error) {
    s->stretch = 1.0;
    s->shift = 0.0;
    if (isinf(s->dmax)) {
        return true;
    }
    long double end = value_at(s, s->dmax);
    long double fall = fall_to(s, s->dmax);
    if (!(fabsl(fall) >= 1.0L / (long double)largest_value) ||
        !(fmaxl(end, value_at(s, 0.0L)) <= (long double)largest_value)) {
        return fail(error, STATUS_BAD_INPUT,
                    "interaction %s: it goes from %Lg at r = 0 to %Lg at dmax = %g, which cannot "
                    "be stretched to go from 1 to 0",
                    function_name, value_at(s, 0.0L), end, s->dmax);
    }
    s->stretch = (double)(1.0L / fall);
    s->shift = (double)(-end / fall);
    return true;
}

static bool derive(const struct interaction_parameter *parameter, struct switching *switching,
                   struct error *error) {
    return take_parameters(parameter, switching, error) &&
           take_dmax(&parameter[PARAMETER_DMAX], switching, error) && stretch(switching, error);
}

bool switching_complete(struct interaction *interaction, struct error *error) {
    struct switching switching;
    int f = find_rational(interaction);
    if (f < 0) {
        return true;
    }
    struct interaction_function *function = &interaction->functions[f];
    struct interaction_parameter *parameter = &interaction->parameters[function->first];
    if (!derive(parameter, &switching, error)) {
        return false;
    }
    parameter[PARAMETER_M].filled_in = parameter[PARAMETER_M].value == 0.0;
    parameter[PARAMETER_M].value = switching.m;
    parameter[PARAMETER_DMAX].filled_in = !parameter[PARAMETER_DMAX].given;
    parameter[PARAMETER_DMAX].value = switching.dmax;
    parameter[PARAMETER_DMAX].given = true; /* given or by the rule above */
    function->cutoff = switching.dmax;
    return true;
}

bool switching_of(const struct interaction *interaction, struct switching *switching) {
    struct error error;
    int f = find_rational(interaction);
    return f >= 0 &&
           derive(&interaction->parameters[interaction->functions[f].first], switching, &error);
}

/* log2 of 1 + w + ... + w^(terms-1), or more, for w = 2^log_w >= 1 */
static double log_sum(double log_w, int terms) {
    return log2(terms) + log_w * (terms - 1);
}

bool switching_is_direct(const struct switching *s, double largest_exponent) {
    const int p = s->n / s->common;
    const int q = s->m / s->common;
    const int least = p < q ? p : q;
    const int most = p < q ? q : p;
    if (isinf(s->dmax)) {
        return false;
    }
    double log_x = fmax(0.0, log2((s->dmax - s->d0) / s->r0));
    double log_w = s->common * log_x;
    double squared = 2.0 * log_sum(log_w, q);
    double slope = 3.0 * log2(most) + log_w * (most + least - 1) +
                   fmax(0.0, log2(fabs(s->stretch))) + log2(1.0 + 1.0 / (s->r0 * s->r0));
    return fmax(fmax(squared, slope), log_sum(log_w, p)) < largest_exponent;
}
