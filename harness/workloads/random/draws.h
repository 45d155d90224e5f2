/*
 * draws — whether random numbers are those that their generator, seed and step ask for.
 *
 * Words and uniform draws must be the same to the last bit. A Gaussian draw z follows from u and v,
 * which are exact, by a logarithm, a root, a sine or cosine and a product. OpenCL 1.2 (7.4) allows
 * 3 ulp for the logarithm, which the root halves, 3 for the root in float (none in double), 4 for
 * sinpi and cospi; CUDA needs less of each; the product takes half of one. An ulp is at most 2
 * units of rounding u of the arithmetic (2^-24, 2^-53), relative to the number:
 *
 *     |got - z| <= 2 u (1.5 + 3 + 4 + 0.5) |z| = 18 u |z|
 *
 * A kick is the sum of four of them; three additions in any order err by at most 3 u sum |z|, to
 * first order: 22 u sum |z| leaves room for the second. The reference's own errors are of 2^-53,
 * and where the arithmetic is in double they count, too: 4 more units.
 *
 * Every launch has numbers of its own. So a sample of results is kept aside behind each, at places
 * drawn for the round, and compared by the host at the end of it; in the gate, all are compared. A
 * kernel that leaves out a share p of its results is found in a launch with probability
 * 1 - (1 - p)^DRAWS_SAMPLE, in the gate with certainty. One that leaves out a single one in steps
 * that the gate does not see would mostly pass: so of some launches up to DRAWS_MANY are compared,
 * which are all where there are no more (measure/launches/kept_draws.h).
 */
#ifndef PAIRMARK_WORKLOADS_JUDGES_DRAWS_H
#define PAIRMARK_WORKLOADS_JUDGES_DRAWS_H

#include "kernels/case.h"
#include "kernels/results.h"

enum { DRAWS_SAMPLE = 2048, DRAWS_MANY = 1 << 18 };

/* The results of one launch, all or some of them. */
struct drawn_numbers {
    const struct case_spec *spec;
    size_t n;             /* results of the launch */
    uint64_t seed, step;  /* of it */
    const double *got;    /* of place k, or of place[k] where there are places */
    const int32_t *place; /* NULL: all n */
    size_t count;         /* of `got` */
};

/* Fills in status, message and worst_ratio of *verdict: STATUS_OK or STATUS_WRONG, of which the
 * message names the first wrong one, counted from 0, and how many there are. */
void draws_compare(const struct drawn_numbers *drawn, struct verdict *verdict);

/* Draws the places of a sample, at most DRAWS_SAMPLE of n: all of them where there are no more.
 * Those of one stream of the variant's generator stand together, in the order in which it makes
 * them. Returns how many. */
size_t draws_choose(const struct case_spec *spec, size_t n, uint64_t random,
                    int32_t place[DRAWS_SAMPLE]);

/* The same of at most DRAWS_MANY: results that follow each other, or streams that do, each of them
 * whole unless it is longer than that. */
size_t draws_choose_many(const struct case_spec *spec, size_t n, uint64_t random,
                         int32_t place[DRAWS_MANY]);

#endif
