#include "reference/eam/eam_curve.h"

#include <math.h>
#include <string.h>

static double said_of(const struct interaction *interaction, const char *name) {
    for (int p = 0; p < interaction->parameter_count; p++) {
        if (strcmp(interaction->parameters[p].name, name) == 0) {
            return interaction->parameters[p].value;
        }
    }
    return NAN;
}

struct eam_model eam_model_of(const struct interaction *interaction, const struct box *box) {
    return (struct eam_model){ .table = interaction->eam,
                               .box = box,
                               .epsilon = said_of(interaction, "epsilon"),
                               .a = said_of(interaction, "a"),
                               .n = said_of(interaction, "n"),
                               .m = said_of(interaction, "m"),
                               .c = said_of(interaction, "c"),
                               .ends = strcmp(interaction->name, "finnis-sinclair") == 0,
                               .A = said_of(interaction, "A"),
                               .d = said_of(interaction, "d"),
                               .beta = said_of(interaction, "beta"),
                               .end = said_of(interaction, "c"),
                               .factor = { said_of(interaction, "c0"), said_of(interaction, "c1"),
                                           said_of(interaction, "c2") } };
}

/* ---- splines ---- */

/* The slope at knot k, per interval. */
static long double slope_at(const double *v, int count, int k) {
    if (k == 0) {
        return (long double)v[1] - v[0];
    }
    if (k == count - 1) {
        return (long double)v[k] - v[k - 1];
    }
    if (k == 1 || k == count - 2) {
        return 0.5L * ((long double)v[k + 1] - v[k - 1]);
    }
    return (((long double)v[k - 2] - v[k + 2]) + 8 * ((long double)v[k + 1] - v[k - 1])) / 12;
}

/* The cubic of an interval: value v0 + s0 p + b p^2 + a p^3 for 0 <= p <= 1. */
struct cubic {
    long double v0, s0, b, a;
};

static struct cubic cubic_of(const double *v, int count, int k) {
    const long double s0 = slope_at(v, count, k);
    const long double s1 = slope_at(v, count, k + 1);
    const long double rise = (long double)v[k + 1] - v[k];
    return (struct cubic){ v[k], s0, 3 * rise - 2 * s0 - s1, s0 + s1 - 2 * rise };
}

/* The most that the second derivative is in interval k and those beside it, per interval^2. */
static double curve_near(const double *v, int count, int k) {
    double most = 0;
    for (int near = k - 1; near <= k + 1; near++) {
        if (near >= 0 && near < count - 1) {
            const struct cubic c = cubic_of(v, count, near);
            most = fmax(most, (double)fmaxl(fabsl(2 * c.b), fabsl(2 * c.b + 6 * c.a)));
        }
    }
    return most;
}

/* At x, in which the first knot is at 0. Beyond the last knot the value there; below `least`, the
 * first interval goes on. */
static struct eam_curve spline_at(const double *v, int count, double step, long double x) {
    const long double along = x / step;
    int k = along < count - 2 ? (int)along : count - 2;
    k = k > 0 ? k : 0;
    const long double p = fminl(along - k, 1);
    const struct cubic c = cubic_of(v, count, k);
    const long double size = fabsl(c.v0) + fabsl(c.s0) + fabsl(c.b) + fabsl(c.a);
    const long double slope_size = fabsl(c.s0) + 2 * fabsl(c.b) + 3 * fabsl(c.a);
    return (struct eam_curve){ .value = ((c.a * p + c.b) * p + c.s0) * p + c.v0,
                               .slope = ((3 * c.a * p + 2 * c.b) * p + c.s0) / step,
                               .size = (double)size,
                               .slope_size = (double)(slope_size / step),
                               .curve = curve_near(v, count, k) / (step * step) };
}

static int element_of(const struct eam_model *model, int32_t type) {
    for (int e = 0; e < model->table->elements; e++) {
        if (!*model->table->element[e] ||
            strncmp(model->table->element[e], model->box->species[type], SPECIES_SIZE) == 0) {
            return e;
        }
    }
    return -1; /* eam_table_fits() has refused it */
}

/* ---- the functions ---- */

/* Whole powers by repeated squaring, ten times as fast as powl() and as accurate. */
static long double raise_to(long double x, double power) {
    const double most = 64;
    if (!(power >= 0 && power <= most && power == floor(power))) {
        return powl(x, power);
    }
    long double result = 1;
    for (unsigned rest = (unsigned)power; rest > 0; rest >>= 1) {
        result *= rest & 1 ? x : 1;
        x *= x;
    }
    return result;
}

/* factor (a/r)^power; a power takes as many products. */
static struct eam_curve power_at(double factor, double a, double power, long double r) {
    const long double value = factor * raise_to(a / r, power);
    const double size = (double)fabsl(value);
    const double products = power == floor(power) ? 1 + power / 4 : 9;
    const double by = power / (double)r;
    return (struct eam_curve){ .value = value,
                               .slope = -value * power / r,
                               .size = size * products,
                               .slope_size = size * by * products,
                               .curve = size * by * (power + 1) / (double)r };
}

/* (r - end)^2 times a polynomial of r, for r < end. Of the sizes of what is added up: r - end is
 * off by as much as r is. Beyond the end by less than a thousandth the curve is that at the end. */
static struct eam_curve ending_at(double end, const double factor[3], long double r) {
    const double near_end = 1.001;
    const long double at = fminl(r, end);
    const long double x = at - end;
    const long double sum = factor[0] + at * (factor[1] + at * factor[2]);
    const long double by_r = factor[1] + 2 * at * factor[2];
    const double length = (double)(at + end); /* the size of x, with its errors */
    const double sums =
        fabs(factor[0]) + (double)at * (fabs(factor[1]) + (double)at * fabs(factor[2]));
    const double slopes = fabs(factor[1]) + 2 * (double)at * fabs(factor[2]);
    const double gap = (double)fabsl(x);
    if (r > near_end * end) {
        return (struct eam_curve){ .value = 0 };
    }
    return (
        struct eam_curve){ .value = x * x * sum,
                           .slope = x * (2 * sum + x * by_r),
                           .size = gap * (gap + length) * sums,
                           .slope_size = (gap + length) * 2 * sums + gap * (gap + length) * slopes,
                           .curve = 2 * sums + 4 * gap * slopes + 2 * gap * gap * fabs(factor[2]) };
}

/* x^2 (1 + beta x / d) as a polynomial of r. */
static struct eam_curve ending_density(const struct eam_model *model, long double r) {
    const double factor[3] = { 1 - model->beta, model->beta / model->d, 0 };
    return ending_at(model->d, factor, r);
}

static struct eam_curve root_of(double factor, long double rho) {
    const long double root = rho > 0 ? sqrtl(rho) : 0;
    const double size = (double)fabsl(factor * root);
    const double slope = rho > 0 ? (double)fabsl(factor / (2 * root)) : 0;
    return (struct eam_curve){ .value = -factor * root,
                               .slope = rho > 0 ? -factor / (2 * root) : 0,
                               .size = size,
                               .slope_size = slope,
                               .curve = rho > 0 ? slope / (2 * (double)rho) : 0 };
}

struct eam_curve eam_density(const struct eam_model *model, int32_t from, int32_t at,
                             long double r) {
    if (model->ends) {
        return ending_density(model, r);
    }
    if (!model->table) {
        return power_at(1, model->a, model->m, r);
    }
    const struct eam_table *table = model->table;
    const int first = element_of(model, from);
    const int place = table->by_place ? first * table->elements + element_of(model, at) : first;
    return spline_at(table->density + (size_t)place * (size_t)table->r_knots, table->r_knots,
                     table->dr, r);
}

struct eam_curve eam_pair(const struct eam_model *model, int32_t one, int32_t other,
                          long double r) {
    if (model->ends) {
        return ending_at(model->end, model->factor, r);
    }
    if (!model->table) {
        return power_at(model->epsilon, model->a, model->n, r);
    }
    const struct eam_table *table = model->table;
    const int a = element_of(model, one);
    const int b = element_of(model, other);
    const int place = a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
    const struct eam_curve z = spline_at(table->pair + (size_t)place * (size_t)table->r_knots,
                                         table->r_knots, table->dr, r);
    const double length = (double)r;
    return (struct eam_curve){
        .value = z.value / r,
        .slope = (z.slope - z.value / r) / r,
        .size = z.size / length,
        .slope_size = (z.slope_size + z.size / length) / length,
        .curve = (z.curve + 2 * (z.slope_size + (double)fabsl(z.value) / length) / length) / length
    };
}

struct eam_curve eam_embedding(const struct eam_model *model, int32_t type, long double rho) {
    if (!model->table) {
        return root_of(model->ends ? model->A : model->epsilon * model->c, rho);
    }
    const struct eam_table *table = model->table;
    const long double last = (table->rho_knots - 1) * (long double)table->drho;
    struct eam_curve f =
        spline_at(table->embedding + (size_t)element_of(model, type) * (size_t)table->rho_knots,
                  table->rho_knots, table->drho, rho);
    if (rho > last) { /* goes on along its slope */
        f.value += f.slope * (rho - last);
        f.size += f.slope_size * (double)(rho - last);
    }
    return f;
}
