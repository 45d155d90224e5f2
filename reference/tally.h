/*
 * tally — the sums that every way of walking over the pairs fills. Private to reference/.
 *
 * A walk calls tally_pair() once for each unordered pair that may lie within `reach`; the tally
 * decides from the box's own coordinates whether the pair counts. So all walks count the same
 * pairs, and differ in the order of summation alone.
 */
#ifndef PAIRMARK_REFERENCE_TALLY_H
#define PAIRMARK_REFERENCE_TALLY_H

#include "reference/pair.h"
#include "reference/reference.h"
#include "variant/exclusions.h"

/* A compensated sum: value + rest is the sum to about twice the precision. */
struct sum {
    double value, rest;
};

/* One particle, in the order of the walk. */
struct tally_site {
    double position[3];
    struct sum force[3];
    double scale, slope;
    uint32_t neighbours;
    uint32_t particle; /* its index in the box */
};

struct tally {
    const struct box *box;
    struct pair_model model;
    bool energies_apart;
    const struct exclusions *exclusions;
    struct excluded_partners excluded; /* of listed exclusions */
    double inverse_edge[3];            /* 0 in an open box: no images */
    double cutoff, cutoff2;
    double edge_width;    /* |r - cutoff| up to which a pair is an edge pair; 0: no cutoff */
    double reach, reach2; /* cutoff + edge_width: no pair farther apart matters */
    bool every_image;     /* no cutoff in a periodic box: every pair at its nearest image */
    struct tally_site *sites;
    size_t site_count; /* of the particles that are in a group */
    uint64_t pairs;
    struct sum energy, kinds[TERM_KINDS];
    double kind_scale[TERM_KINDS], kind_slope[TERM_KINDS];
    struct sum virial[6]; /* xx yy zz xy xz yz */
    double energy_scale, energy_slope, virial_scale, virial_slope;
    double length_scale;
    struct reference_edge_pair *edge_pairs;
    size_t edge_pair_count, edge_pair_capacity;
    bool out_of_memory; /* an edge pair could not be kept */
};

/* Sites in the order of the box. Errors as reference_direct(). */
bool tally_begin(const struct box *box, const struct interaction *interaction, double cutoff,
                 struct tally *tally, struct error *error);
void tally_free(struct tally *tally);

/* Makes site s particle order[s], for `count` particles of the box: others stay without sums.
 * Before any tally_pair(). */
void tally_reorder(struct tally *tally, const uint32_t *order, size_t count);

/* Adds the pair of sites a and b if it counts. */
void tally_pair(struct tally *tally, size_t a, size_t b);

/* Moves the sums into *reference and releases the tally, also on failure. */
bool tally_end(struct tally *tally, struct reference *reference, struct error *error);

#endif
