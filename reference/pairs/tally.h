/*
 * tally — the sums that the plain, serial ways of walking over the pairs fill. Private to
 * reference/.
 *
 * A walk calls tally_pair() once for each unordered pair that may lie within `reach`; the tally
 * decides from the box's own coordinates whether the pair counts. So all walks count the same
 * pairs, and differ in the order of summation alone.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_TALLY_H
#define PAIRMARK_REFERENCE_PAIRS_TALLY_H

#include "reference/pairs/scene.h"
#include "reference/pairs/sum.h"

/* One particle, in the order of the walk. */
struct tally_site {
    double position[3];
    struct sum force[3];
    double scale, largest, slope, force_condition;
    double lost_below, lost[3]; /* of a second walk */
    uint32_t neighbours;
    uint32_t particle; /* its index in the box */
};

struct tally {
    struct scene scene;
    struct tally_site *sites;
    size_t site_count; /* of the particles that are in a group */
    bool is_second;    /* walk, which looks for terms that may be lost */
    uint64_t pairs;
    struct sum energy, kinds[TERM_KINDS];
    double kind_scale[TERM_KINDS], kind_slope[TERM_KINDS];
    struct sum virial[VIRIAL_COUNT];
    double energy_scale, energy_slope, virial_scale, virial_slope;
    struct edge_list edges;
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

/* Whether the same walk has to be made again, for what small terms come to: it finds nothing else.
 */
bool tally_walk_again(struct tally *tally);

/* Moves the sums into *reference and releases the tally, also on failure. */
bool tally_end(struct tally *tally, struct reference *reference, struct error *error);

#endif
