/*
 * lanes — the arithmetic of rows.c, for many pairs at a time. Private to reference/.
 *
 * LANES sites side by side, each with a row of partners; step t of a lane is its t-th partner of
 * this batch. Element t * LANES + lane. Every lane adds its own terms in the order of its steps,
 * and no operation is fused or reordered, so that the bits do not depend on how wide the machine's
 * vectors are.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_LANES_H
#define PAIRMARK_REFERENCE_PAIRS_LANES_H

#include "reference/pairs/scene.h"
#include "reference/pairs/sum.h"

enum { LANES = 8, STEPS = 64, BATCH = LANES * STEPS };

/* The parameters of a term that depend on types, per pair of a batch. */
struct lanes_typed {
    double cutoff[BATCH]; /* less than 0: the pair has no such term */
    double parameter[PAIR_MAX_PARAMETERS][BATCH];
};

struct lanes_batch {
    int steps;                   /* of the longest lane */
    double above[LANES];         /* the first step whose partner's site is above the lane's own */
    double d[3][BATCH];          /* displacements; 0 where a lane has no such step */
    double r2[BATCH];            /* NaN there: no comparison holds */
    double charge[2][BATCH];     /* of the site and of the partner, where a term wants them */
    uint32_t particle[2][BATCH]; /* likewise */
    bool excluded[BATCH];        /* likewise */
    struct lanes_typed *typed[INTERACTION_MAX_FUNCTIONS]; /* NULL: the term is alike for all */
    /* what lanes_evaluate() finds: see struct pair_sums */
    double r[BATCH], over_r[BATCH], size[BATCH], slope[BATCH], force_condition[BATCH];
    double energy[TERM_KINDS][BATCH], scale[TERM_KINDS][BATCH], kind_size[TERM_KINDS][BATCH];
    struct { /* of one term, on the way */
        double energy[BATCH], over_r[BATCH], slope[BATCH];
    } term;
};

/* Compensated sums, one per lane. */
struct lanes_sum {
    double value[LANES], rest[LANES];
};

/* Sums of each lane's site, and its part of those over the box: of the pairs with sites above. */
struct lanes_sums {
    struct lanes_sum force[3];
    double scale[LANES], largest[LANES], slope[LANES], force_condition[LANES];
    double lost_below[LANES], lost[3][LANES]; /* of a second walk */
    struct lanes_sum energy[TERM_KINDS], virial[VIRIAL_COUNT];
    double energy_scale[TERM_KINDS][LANES], kind_slope[TERM_KINDS][LANES];
    double energy_slope[LANES], virial_scale[LANES], virial_slope[LANES];
};

/* Sites, planar; and room for as many displacements and squared distances. */
struct lanes_sites {
    const double *position[3];
    size_t count;
};
struct lanes_displacements {
    double *d[3], *r2;
};

/* The squared distances from a point to sites and their displacements point - site, as
 * displacement() has them in a box whose particles are all inside. `images`: of that scene; NULL:
 * the sites are nearest as they stand. */
void lanes_distances(const double at[3], const struct lanes_sites *to, const struct scene *images,
                     const struct lanes_displacements *out);

/* Whether any of the squared distances is from `least` to `most`; whether the size of any of the
 * displacements is within `width` of `from`. */
bool lanes_any_between(const double *r2, size_t count, double least, double most);
bool lanes_any_near(const double *d, size_t count, double from, double width);

/* What every pair of the batch comes to. */
void lanes_evaluate(const struct scene *scene, struct lanes_batch *batch);

/* Adds what of the components of its forces is small to `lost`. */
void lanes_add_lost(const struct lanes_batch *batch, struct lanes_sums *sums);

/* Adds the batch to the sums. */
void lanes_add(const struct scene *scene, const struct lanes_batch *batch, struct lanes_sums *sums);

#endif
