/*
 * student — quantiles of Student's t distribution, for few degrees of freedom and small tails;
 * tails of Fisher's F distribution.
 */
#ifndef PAIRMARK_CORE_STUDENT_H
#define PAIRMARK_CORE_STUDENT_H

/* The value that a t-distributed number of `freedom` degrees exceeds with probability `tail`; 0 <
 * tail <= 1/2. `freedom` need not be whole. Infinite where freedom is not positive: nothing is
 * known then. Right to a relative 1e-9. */
double student_quantile(double tail, double freedom);

/* The probability that an F-distributed number, the ratio of two mean squares of so many degrees of
 * freedom (both positive), exceeds `value`. 1 where value is not positive. */
double fisher_tail(double value, double numerator, double denominator);

#endif
