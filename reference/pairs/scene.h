/*
 * scene — a box, what acts in it and how far: what every way of summing over the pairs is given,
 * and what one pair comes to by itself. Private to reference/.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_SCENE_H
#define PAIRMARK_REFERENCE_PAIRS_SCENE_H

#include "reference/pairs/reference.h"
#include "reference/terms/model.h"

#include <math.h>

struct scene {
    const struct box *box;
    struct pair_model model;
    bool images[3];         /* along which vectors of the cell there are any */
    double inverse_edge[3]; /* 0 where there are none; of an orthorhombic cell */
    bool triclinic;
    double vectors[3]
                  [3]; /* of a triclinic cell, and its inverse: x times it are the fractions of */
    double inverse[3][3]; /* the three vectors that come to x */
    double height[3];     /* of the cell, along each of them; INFINITY where there are no images */
    double cutoff, cutoff2;
    double edge_width;    /* |r - cutoff| up to which a pair is an edge pair */
    double reach, reach2; /* cutoff + edge_width: no pair farther apart matters */
    bool every_image;     /* no cutoff in a periodic box: every pair at its nearest image */
    bool inside; /* all coordinates of a periodic box are in [0, edge), where there are images */
    double length_scale; /* see struct reference */
};

/* Errors as reference_direct(). */
bool scene_begin(const struct box *box, const struct interaction *interaction, double cutoff,
                 struct scene *scene, struct error *error);
void scene_free(struct scene *scene); /* also of a zeroed one */

/* All zero, for n particles, as those that are in no group stay. STATUS_OUT_OF_MEMORY. */
bool reference_allocate(size_t n, struct reference *reference, struct error *error);

/* Edge pairs as they are found. */
struct edge_list {
    struct reference_edge_pair *pairs;
    size_t count, capacity;
    bool out_of_memory; /* one could not be kept */
};

/* What one pair amounts to: its terms together, and their sizes. */
struct pair_sums {
    double r, over_r;  /* distance, f/r */
    double gap, force; /* of edge pairs: how far from a cutoff, f */
    double energy[TERM_KINDS];
    double size, slope;       /* sums over the terms of |f| and of max(|df/dr|, |f|/r) */
    double scale[TERM_KINDS]; /* and of |u| */
    double kind_size[TERM_KINDS];
    double energy_condition,
        force_condition; /* sums over the terms of what struct pair_value has */
};

/* The displacement a - b to the nearest image in a triclinic cell, rounded once. Right of all pairs
 * with an image within half the least height: of that image, no fraction is beyond a half, so that
 * it is among the eight around where the fractions of the difference lie. */
void scene_nearest_image(const struct scene *scene, const double a[3], const double b[3],
                         double d[3]);

/* The fractions of a point in a triclinic cell. */
void scene_fractions(const struct scene *scene, const double point[3], double fraction[3]);

/* A pair of particles a and b, and the displacement a - b. */
struct placed_pair {
    const double *d; /* 3 */
    double r2;
    uint32_t a, b;
};

/* The terms of a pair that is at most `reach` apart; each kind of edge pair that it is goes to the
 * list. False for an excluded pair, which has no terms: kernels may count it, so it can be an edge
 * pair, too. */
bool scene_pair(const struct scene *scene, const struct placed_pair *at, struct pair_sums *sums,
                struct edge_list *edges);

/* Rounds to the nearest whole number, ties to even, for |x| < 2^51: adding 1.5 * 2^52 leaves no
 * room for a fraction. Faster than rint() where that is a call. */
static inline double nearest(double x) {
    const double shift = 6755399441055744.0;
    return fabs(x) < 2251799813685248.0 ? (x + shift) - shift : x;
}

/* The displacement a - b along one axis, to the nearest image. When an image is taken, the error of
 * the first difference is found exactly and put back, so that the result is rounded as if the two
 * particles had been neighbours in the cell. */
static inline double displacement(double a, double b, double edge, double inverse_edge) {
    double difference = a - b;
    double images = nearest(difference * inverse_edge);
    if (images == 0.0) {
        return difference;
    }
    double part = difference - a;
    double lost = (a - (difference - part)) - (b + part);
    return fma(-images, edge, difference) + lost;
}

/* The same along all three, in a cell of any kind. */
static inline void scene_displacement(const struct scene *scene, const double a[3],
                                      const double b[3], double d[3]) {
    if (scene->triclinic) {
        scene_nearest_image(scene, a, b, d);
        return;
    }
    for (int k = 0; k < 3; k++) {
        d[k] = displacement(a[k], b[k], scene->box->edge[k], scene->inverse_edge[k]);
    }
}

#endif
