/*
 * sites — the particles in the order in which rows.c sums over them, and who may meet whom. Private
 * to reference/.
 *
 * A site is a place for a particle. Sites are sorted by cell where there are cells, otherwise in
 * the order of the box; the partners of a site come in ascending order of their sites. That order
 * is all that the bits of a sum depend on.
 */
#ifndef PAIRMARK_REFERENCE_PAIRS_SITES_H
#define PAIRMARK_REFERENCE_PAIRS_SITES_H

#include "core/threads.h"
#include "reference/pairs/scene.h"

struct sites {
    size_t count;        /* of the particles that are in a group */
    uint32_t *particle;  /* per site */
    double *position[3]; /* per site: those of the box */
    unsigned char *side; /* per site, in which of two groups it is; NULL: all are one group */
    /* linked cells; 0 cells: none */
    size_t cells[3];
    const bool *images; /* of the scene */
    uint32_t *cell;     /* per site */
    uint32_t *start;    /* first site of each cell; one more at the end */
    /* two groups without cells: A alone, both, B alone end here */
    size_t end_of_side[3];
    /* listed pairs: partners of site s are partner[first[s]] up to the next's, ascending */
    size_t *first;
    uint32_t *partner;
};

/* Bits of `side`. */
enum { IN_A = 1, IN_B = 2 };

/* Sites first..last-1, which may meet a site, across the border of the cell or not. */
struct run {
    size_t first, last;
    bool images;
};
enum { MAX_RUNS = 18 };

/* NULL groups: all particles. STATUS_OUT_OF_MEMORY. */
bool sites_begin(const struct scene *scene, const struct groups *groups, struct threads *threads,
                 struct sites *sites, struct error *error);
void sites_free(struct sites *sites); /* also of zeroed ones */

/* The runs that hold every partner of a site (and itself), ascending; of listed pairs none. */
int sites_runs(const struct sites *sites, size_t site, struct run runs[MAX_RUNS]);

/* How often two sites are paired: 0, 1, or 2 in two groups that both have both. */
static inline int sites_times(const struct sites *sites, size_t a, size_t b) {
    if (!sites->side) {
        return 1;
    }
    return ((sites->side[a] & IN_A) && (sites->side[b] & IN_B)) +
           ((sites->side[b] & IN_A) && (sites->side[a] & IN_B));
}

#endif
