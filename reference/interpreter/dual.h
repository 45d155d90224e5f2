/*
 * dual — numbers that carry their derivatives along: a value, its first two derivatives by the
 * distance, and how far rounding may move the value and the first derivative, to first order, in
 * units of roundoff. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_INTERPRETER_DUAL_H
#define PAIRMARK_REFERENCE_INTERPRETER_DUAL_H

#include <stdbool.h>
#include <stddef.h>

struct dual {
    long double v, d, dd; /* the value, its first two derivatives */
    long double error;    /* of the value */
    long double d_error;  /* of the first derivative */
};

/* Of as many arguments as it takes. */
typedef struct dual dual_function(const struct dual *arguments);

dual_function dual_add, dual_subtract, dual_multiply, dual_divide, dual_negate, dual_power,
    dual_recip, dual_sqrt, dual_root_power, dual_rsqrt, dual_fma, dual_abs, dual_floor, dual_ceil,
    dual_step, dual_min, dual_max;

/* dual_root_power() is sqrt(a)^b: where a is 0, the root has no slope, and its powers above 2 have.
 */

/* f(a), of which f and its first two derivatives are known. */
struct dual dual_chain(const struct dual *a, long double f, long double f1, long double f2);

/* What a function comes to in arithmetic of this unit of roundoff: near a zero of higher order a
 * power errs by more than its derivative says. */
struct dual dual_apply(dual_function *apply, const struct dual *x, long double unit);

/* Moves the argument of a root, a power, log, acos or asin that is outside of where it is defined
 * by no more than it may err to the border, as kernels of expressions do. */
void dual_keep_inside(dual_function *apply, struct dual *x, long double unit);

/* A constant that float holds is exact in every precision. */
struct dual dual_constant(long double value);

/* A function by its name, NULL where there is none: those of expressions (docs/interactions.md),
 * and of these those of C, in letters of either case. */
struct dual_known {
    const char *name;
    int arguments;
    dual_function *apply;
};
const struct dual_known *dual_find(const char *name, size_t length);
const struct dual_known *dual_find_c(const char *name, size_t length);

/* Errors of the value in units of roundoff, of those that a tolerance has for |u| and r |f| anyway
 * (tolerances.h): what is beyond goes into `energy_condition`. The errors found are the worst that
 * could be, of the words as they stand; those of kernels are a quarter of that at most. */
double dual_energy_condition(const struct dual *u, long double r);

/* The same of the force: errors of the first derivative beyond what a tolerance has for |f| and
 * r max(|df/dr|, |f|/r) anyway. Where what is in an exponent moves f and the slopes of what is
 * added cancel, that is more than either tells. A tolerance has four units of roundoff of it. */
double dual_force_condition(const struct dual *u, long double r);

#endif
