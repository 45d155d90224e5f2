#include "reference/interpreter/dual.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- arithmetic ---- */

struct dual dual_negate(const struct dual *a) {
    return (struct dual){ -a->v, -a->d, -a->dd, a->error, a->d_error };
}

static struct dual sum_of(const struct dual *a, const struct dual *b) {
    struct dual sum = { .v = a->v + b->v, .d = a->d + b->d, .dd = a->dd + b->dd };
    sum.error = a->error + b->error + fabsl(sum.v);
    sum.d_error = a->d_error + b->d_error + fabsl(sum.d);
    return sum;
}

static struct dual product_of(const struct dual *a, const struct dual *b) {
    struct dual product = { .v = a->v * b->v,
                            .d = a->d * b->v + a->v * b->d,
                            .dd = a->dd * b->v + 2.0L * a->d * b->d + a->v * b->dd };
    product.error = fabsl(a->v) * b->error + fabsl(b->v) * a->error + fabsl(product.v);
    product.d_error = fabsl(a->v) * b->d_error + fabsl(b->v) * a->d_error + fabsl(a->d) * b->error +
                      fabsl(b->d) * a->error + fabsl(product.d) + fabsl(a->d * b->v) +
                      fabsl(a->v * b->d);
    return product;
}

/* f(a), of which f and its first two derivatives are known. */
struct dual dual_chain(const struct dual *a, long double f, long double f1, long double f2) {
    struct dual value = { .v = f, .d = 0.0L, .dd = 0.0L };
    if (a->d != 0.0L || a->dd != 0.0L) { /* a constant stays one where f1 is infinite */
        value.d = f1 * a->d;
        value.dd = f2 * a->d * a->d + f1 * a->dd;
    }
    value.error = 2.0L * fabsl(f) + (a->error != 0.0L ? fabsl(f1) * a->error : 0.0L);
    if (a->d != 0.0L || a->d_error != 0.0L) {
        value.d_error = 2.0L * fabsl(value.d) +
                        (a->d_error != 0.0L ? fabsl(f1) * a->d_error : 0.0L) +
                        (a->error != 0.0L ? fabsl(f2 * a->d) * a->error : 0.0L);
    }
    return value;
}

struct dual dual_add(const struct dual *x) {
    return sum_of(&x[0], &x[1]);
}

struct dual dual_subtract(const struct dual *x) {
    const struct dual minus = dual_negate(&x[1]);
    return sum_of(&x[0], &minus);
}

struct dual dual_multiply(const struct dual *x) {
    return product_of(&x[0], &x[1]);
}

struct dual dual_divide(const struct dual *x) {
    const long double inverse = 1.0L / x[1].v;
    struct dual reciprocal =
        dual_chain(&x[1], inverse, -inverse * inverse, 2.0L * inverse * inverse * inverse);
    reciprocal.error -= fabsl(inverse); /* it is rounded once, not twice */
    return product_of(&x[0], &reciprocal);
}

static long double whole_power(long double base, long exponent) {
    long double power = 1.0L;
    const bool inverse = exponent < 0;
    for (long left = inverse ? -exponent : exponent; left > 0; left /= 2) {
        power *= left % 2 ? base : 1.0L;
        base *= base;
    }
    return inverse ? 1.0L / power : power;
}

static long double power_of(long double base, long double exponent) {
    const long double most = 1024.0L;
    return exponent == rintl(exponent) && fabsl(exponent) <= most
               ? whole_power(base, (long)exponent)
               : powl(base, exponent);
}

static struct dual dual_exp(const struct dual *x) {
    const long double e = expl(x->v);
    return dual_chain(x, e, e, e);
}

static struct dual dual_log(const struct dual *x) {
    return dual_chain(x, logl(x->v), 1.0L / x->v, -1.0L / (x->v * x->v));
}

/* a^b; where b is a constant, negative bases have whole powers. */
struct dual dual_power(const struct dual *x) {
    const long double a = x[0].v;
    const long double b = x[1].v;
    if (x[1].d == 0.0L && x[1].dd == 0.0L) {
        const long double f1 = b == 0.0L ? 0.0L : b * power_of(a, b - 1.0L);
        const long double f2 =
            b == 0.0L || b == 1.0L ? 0.0L : b * (b - 1.0L) * power_of(a, b - 2.0L);
        struct dual power = dual_chain(&x[0], power_of(a, b), f1, f2);
        if (x[1].error != 0.0L && a > 0.0L) { /* an exponent that is rounded */
            power.error += fabsl(power.v * logl(a)) * x[1].error;
            power.d_error += fabsl(power.d) * (fabsl(logl(a)) + 1.0L / fabsl(b)) * x[1].error;
        }
        return power;
    }
    if (a == 0.0L && b > 1.0L) { /* as max(0, x) may be */
        return (struct dual){ .v = 0.0L };
    }
    const struct dual logarithm = dual_log(&x[0]);
    const struct dual exponent = product_of(&logarithm, &x[1]);
    return dual_exp(&exponent);
}

struct dual dual_sqrt(const struct dual *x) {
    const long double root = sqrtl(x->v);
    return dual_chain(x, root, 0.5L / root, -0.25L / (root * x->v));
}

/* Of a, and half of b. */
static void halve_exponent(const struct dual *x, struct dual both[2]) {
    both[0] = x[0];
    both[1] = (struct dual){ .v = 0.5L * x[1].v,
                             .d = 0.5L * x[1].d,
                             .dd = 0.5L * x[1].dd,
                             .error = 0.5L * x[1].error,
                             .d_error = 0.5L * x[1].d_error };
}

struct dual dual_root_power(const struct dual *x) {
    struct dual both[2];
    halve_exponent(x, both);
    if (x[0].v < 0.0L) {
        both[0].v = (long double)NAN;
    }
    return dual_power(both);
}

static struct dual dual_sin(const struct dual *x) {
    return dual_chain(x, sinl(x->v), cosl(x->v), -sinl(x->v));
}

static struct dual dual_cos(const struct dual *x) {
    return dual_chain(x, cosl(x->v), -sinl(x->v), -cosl(x->v));
}

static struct dual dual_tan(const struct dual *x) {
    const long double t = tanl(x->v);
    return dual_chain(x, t, 1.0L + t * t, 2.0L * t * (1.0L + t * t));
}

static struct dual dual_asin(const struct dual *x) {
    const long double w = 1.0L - x->v * x->v;
    return dual_chain(x, asinl(x->v), 1.0L / sqrtl(w), x->v / (w * sqrtl(w)));
}

static struct dual dual_acos(const struct dual *x) {
    const long double w = 1.0L - x->v * x->v;
    return dual_chain(x, acosl(x->v), -1.0L / sqrtl(w), -x->v / (w * sqrtl(w)));
}

static struct dual dual_atan(const struct dual *x) {
    const long double w = 1.0L + x->v * x->v;
    return dual_chain(x, atanl(x->v), 1.0L / w, -2.0L * x->v / (w * w));
}

static struct dual dual_sinh(const struct dual *x) {
    return dual_chain(x, sinhl(x->v), coshl(x->v), sinhl(x->v));
}

static struct dual dual_cosh(const struct dual *x) {
    return dual_chain(x, coshl(x->v), sinhl(x->v), coshl(x->v));
}

static struct dual dual_tanh(const struct dual *x) {
    const long double t = tanhl(x->v);
    return dual_chain(x, t, 1.0L - t * t, -2.0L * t * (1.0L - t * t));
}

/* The bell under erf and erfc. */
static long double bell(long double x) {
    return 2.0L / sqrtl(acosl(-1.0L)) * expl(-x * x);
}

static struct dual dual_erf(const struct dual *x) {
    return dual_chain(x, erfl(x->v), bell(x->v), -2.0L * x->v * bell(x->v));
}

static struct dual dual_erfc(const struct dual *x) {
    return dual_chain(x, erfcl(x->v), -bell(x->v), 2.0L * x->v * bell(x->v));
}

struct dual dual_abs(const struct dual *x) {
    return x->v < 0.0L ? dual_negate(x) : *x;
}

struct dual dual_floor(const struct dual *x) {
    return (struct dual){ .v = floorl(x->v) };
}

struct dual dual_ceil(const struct dual *x) {
    return (struct dual){ .v = ceill(x->v) };
}

struct dual dual_step(const struct dual *x) {
    return (struct dual){ .v = x->v < 0.0L ? 0.0L : 1.0L };
}

static struct dual dual_delta(const struct dual *x) {
    return (struct dual){ .v = x->v == 0.0L ? 1.0L : 0.0L };
}

struct dual dual_min(const struct dual *x) {
    return x[1].v < x[0].v ? x[1] : x[0];
}

struct dual dual_max(const struct dual *x) {
    return x[1].v > x[0].v ? x[1] : x[0];
}

static struct dual dual_select(const struct dual *x) {
    return x[0].v == 0.0L ? x[2] : x[1];
}

struct dual dual_recip(const struct dual *x) {
    const struct dual both[2] = { { .v = 1.0L }, *x };
    return dual_divide(both);
}

struct dual dual_rsqrt(const struct dual *x) {
    const struct dual root = dual_sqrt(x);
    return dual_recip(&root);
}

struct dual dual_fma(const struct dual *x) {
    const struct dual both[2] = { dual_multiply(x), x[2] };
    return dual_add(both);
}

static struct dual dual_square(const struct dual *x) {
    return product_of(x, x);
}

static struct dual dual_cube(const struct dual *x) {
    const struct dual square = product_of(x, x);
    return product_of(&square, x);
}

static struct dual dual_sec(const struct dual *x) {
    const struct dual cosine = dual_cos(x);
    return dual_recip(&cosine);
}

static struct dual dual_csc(const struct dual *x) {
    const struct dual sine = dual_sin(x);
    return dual_recip(&sine);
}

static struct dual dual_cot(const struct dual *x) {
    const struct dual both[2] = { dual_cos(x), dual_sin(x) };
    return dual_divide(both);
}

static struct dual dual_sign(const struct dual *x) {
    return (struct dual){ .v = x->v > 0.0L ? 1.0L : x->v < 0.0L ? -1.0L : 0.0L };
}

/* The angle of (x, y), arguments y and x: its derivatives are those of the arc tangent of the
 * quotient whose denominator is the larger of the two. */
static struct dual dual_atan2(const struct dual *a) {
    const bool steep = fabsl(a[0].v) > fabsl(a[1].v);
    const struct dual both[2] = { a[steep ? 1 : 0], a[steep ? 0 : 1] };
    const struct dual quotient = dual_divide(both);
    struct dual angle = dual_atan(&quotient);
    if (steep) {
        angle = dual_negate(&angle);
    }
    angle.v = atan2l(a[0].v, a[1].v);
    angle.error += 2.0L * fabsl(angle.v);
    return angle;
}

/* ---- near where a function ends ---- */

/* How far a^b moves, in units of roundoff, where a errs by so many. Near a zero of higher order the
 * derivative says nothing; the whole step is taken. */
static long double power_moves(long double a, long double b, long double error, long double unit) {
    return b > 0.0L ? (powl(fabsl(a) + error * unit, b) - powl(fabsl(a), b)) / unit : 0.0L;
}

static void allow_whole_step(const struct dual *a, long double b, long double unit,
                             struct dual *power) {
    const long double reach = a->error * unit;
    if (reach == 0.0L || b <= 1.0L || isnan(power->v)) {
        return;
    }
    const long double moves = power_moves(a->v, b, a->error, unit);
    const long double d_moves = b * power_moves(a->v, b - 1.0L, a->error, unit) * fabsl(a->d);
    power->error = moves > power->error ? moves : power->error;
    power->d_error = d_moves > power->d_error ? d_moves : power->d_error;
    if (b < 2.0L && fabsl(a->v) < reach) { /* how fast the slope changes, infinite at 0 */
        power->dd = b * (b - 1.0L) * powl(reach, b - 2.0L) * a->d * a->d + power->d / a->d * a->dd;
    }
}

/* The argument, or the border where it is beyond by rounding alone; `pole`: the function is
 * infinite there, and has what is as far within. */
static void take_inside(struct dual *x, long double low, long double high, bool pole,
                        long double unit) {
    const long double reach = x->error * unit;
    if (x->v < low && low - x->v <= reach) {
        x->v = pole ? low + reach : low;
    } else if (x->v > high && x->v - high <= reach) {
        x->v = high;
    }
}

void dual_keep_inside(dual_function *apply, struct dual *x, long double unit) {
    if (apply == dual_log || apply == dual_sqrt) { /* a root has no slope at 0 */
        take_inside(x, 0.0L, INFINITY, true, unit);
    } else if (apply == dual_acos || apply == dual_asin) {
        take_inside(x, -1.0L, 1.0L, false, unit);
    } else if (apply == dual_power || apply == dual_root_power) {
        const bool varies = x[1].d != 0.0L || x[1].dd != 0.0L;
        if (varies || apply == dual_root_power || x[1].v != rintl(x[1].v)) {
            take_inside(x, 0.0L, INFINITY, varies || x[1].v < 0.0L, unit);
        }
    }
}

/* Where numbers that do not change with the distance, charges for example, are within rounding of a
 * step, as those of step(q1*q2/0.1 - 10) are, either side is right. (Steps in the distance are met
 * by formula.c, which looks on both sides of them.) */
static void allow_either_side(dual_function *apply, const struct dual *x, long double unit,
                              struct dual *value) {
    const bool whole = apply == dual_floor || apply == dual_ceil;
    const bool steps = apply == dual_step || apply == dual_delta || apply == dual_sign;
    const bool selects = apply == dual_select;
    const long double reach = x->error * unit;
    const long double away = whole ? fabsl(x->v - rintl(x->v)) : fabsl(x->v);
    const long double tolerances = 16.0L / unit; /* that come to the step */
    if (!(whole || steps || selects) || x->d != 0.0L || reach == 0.0L || away > reach) {
        return;
    }
    value->error += tolerances * (selects ? fabsl(x[1].v - x[2].v) : 1.0L);
    value->d_error += selects ? tolerances * fabsl(x[1].d - x[2].d) : 0.0L;
}

struct dual dual_apply(dual_function *apply, const struct dual *x, long double unit) {
    struct dual value = apply(x);
    allow_either_side(apply, x, unit, &value);
    if (apply == dual_power && x[1].d == 0.0L && x[1].dd == 0.0L) {
        allow_whole_step(&x[0], x[1].v, unit, &value);
    } else if (apply == dual_root_power && x[1].d == 0.0L && x[1].dd == 0.0L) {
        allow_whole_step(&x[0], 0.5L * x[1].v, unit, &value);
    }
    return value;
}

static const struct dual_known functions[] = {
    { "sqrt", 1, dual_sqrt },     { "exp", 1, dual_exp },     { "log", 1, dual_log },
    { "sin", 1, dual_sin },       { "cos", 1, dual_cos },     { "tan", 1, dual_tan },
    { "asin", 1, dual_asin },     { "acos", 1, dual_acos },   { "atan", 1, dual_atan },
    { "sinh", 1, dual_sinh },     { "cosh", 1, dual_cosh },   { "tanh", 1, dual_tanh },
    { "erf", 1, dual_erf },       { "erfc", 1, dual_erfc },   { "abs", 1, dual_abs },
    { "floor", 1, dual_floor },   { "ceil", 1, dual_ceil },   { "step", 1, dual_step },
    { "delta", 1, dual_delta },   { "min", 2, dual_min },     { "max", 2, dual_max },
    { "sec", 1, dual_sec },       { "csc", 1, dual_csc },     { "cot", 1, dual_cot },
    { "square", 1, dual_square }, { "cube", 1, dual_cube },   { "recip", 1, dual_recip },
    { "sign", 1, dual_sign },     { "atan2", 2, dual_atan2 }, { "pow", 2, dual_power },
    { "select", 3, dual_select },
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

const struct dual_known *dual_find(const char *name, size_t length) {
    for (int f = 0; f < FUNCTIONS; f++) {
        if (strlen(functions[f].name) == length && strncmp(functions[f].name, name, length) == 0) {
            return &functions[f];
        }
    }
    return NULL;
}

const struct dual_known *dual_find_c(const char *name, size_t length) {
    static const char *const others[] = { "step", "delta", "select", "sec",  "csc",
                                          "cot",  "sign",  "square", "cube", "recip" };
    for (int f = 0; f < FUNCTIONS; f++) {
        bool same = strlen(functions[f].name) == length &&
                    strncasecmp(functions[f].name, name, length) == 0;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            same = same && strcmp(functions[f].name, others[k]) != 0;
        }
        if (same) {
            return &functions[f];
        }
    }
    return NULL;
}

struct dual dual_constant(long double value) {
    const bool exact = (long double)(float)value == value;
    return (struct dual){ .v = value, .error = exact ? 0.0L : fabsl(value) };
}

double dual_energy_condition(const struct dual *u, long double r) {
    const long double found = 0.25L * u->error;
    const long double allowed = 8.0L * fabsl(u->v) + 2.0L * r * fabsl(u->d);
    return found > allowed ? (double)(0.5L * (found - allowed)) : 0.0;
}

double dual_force_condition(const struct dual *u, long double r) {
    const long double found = 0.25L * u->d_error;
    const long double across = fabsl(u->d) / r;
    const long double along = fabsl(u->dd);
    const long double allowed = fabsl(u->d) + r * (along > across ? along : across);
    return found > allowed && isfinite(found) ? (double)(found - allowed) : 0.0;
}
