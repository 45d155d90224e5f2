/* chains, proteins — molecules for bonded terms: chains of up to 50 particles that follow each
 * other in memory and wind up columns of a jittered simple-cubic lattice; or a backbone with side
 * groups that does.
 *
 * A column is two sites wide along x and y. A chain goes round its four sites and then up to the
 * next four, there round the other way: every step is to a neighbouring site, every angle is about
 * a right one, torsions are about 0 or a quarter turn to either side, and no two particles are
 * nearer than three quarters of a step. A chain ends at the end of its column. The whole is shifted
 * by a random vector, so that chains cross the faces of the cell.
 *
 * A protein has a residue of four particles per layer: two of the backbone, which goes on from the
 * second one to the layer above, and two of a side group that begins there, too. It has up to 150
 * residues.
 */
#include "boxes/kinds/makers.h"

#include <stdlib.h>

enum { CHAIN_LENGTH = 50, PROTEIN_LENGTH = 600, LAYER = 4 };

static const double chain_jitter = 0.12; /* of the step along each axis */

/* As few sites as will do, along each axis about as far apart; even numbers along x and y. */
static void choose_sites(size_t n, size_t repeats[3]) {
    repeats[0] = repeats[1] = 2;
    repeats[2] = 1;
    while (repeats[0] * repeats[1] * repeats[2] < n) {
        int fewest = 2;
        for (int axis = 0; axis < 2; axis++) {
            if (repeats[axis] < repeats[fewest]) {
                fewest = axis;
            }
        }
        repeats[fewest] += fewest == 2 ? 1 : 2;
    }
}

/* Where the chains' i-th site is, in steps along each axis. */
static void find_site(size_t i, const size_t repeats[3], bool branches, size_t site[3]) {
    static const size_t round[LAYER][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    const size_t column = i / (LAYER * repeats[2]);
    const size_t layer = i / LAYER % repeats[2];
    const size_t corner = layer % 2 == 0 || branches ? i % LAYER : LAYER - 1 - i % LAYER;
    size_t own[2] = { round[corner][0], round[corner][1] };
    if (branches) { /* the backbone along y, the side group along x */
        own[0] = round[corner][1];
        own[1] = layer % 2 == 0 ? round[corner][0] : 1 - round[corner][0];
    }
    site[0] = column % (repeats[0] / 2) * 2 + own[0];
    site[1] = column / (repeats[0] / 2) * 2 + own[1];
    site[2] = layer;
}

/* Molecules of up to `length` particles. */
static bool wind_up(struct box *box, size_t length, bool branches, struct random *random,
                    struct threads *threads, struct error *error) {
    size_t repeats[3];
    double shift[3];
    int32_t molecule = -1;
    choose_sites(box->n, repeats);
    const size_t column = LAYER * repeats[2];
    box->molecule = malloc(box->n * sizeof *box->molecule);
    if (!box->molecule) {
        return fail_out_of_memory(error, "the molecules of a box");
    }
    for (size_t axis = 0; axis < 3; axis++) {
        shift[axis] = box->edge[axis] * random_unit(random);
    }
    for (size_t i = 0; i < box->n; i++) {
        size_t site[3];
        find_site(i, repeats, branches, site);
        for (size_t axis = 0; axis < 3; axis++) {
            const double step = box->edge[axis] / (double)repeats[axis];
            const double off = chain_jitter * random_signed(random);
            box->position[3 * i + axis] = ((double)site[axis] + off) * step + shift[axis];
        }
        molecule += i % column % length == 0;
        box->molecule[i] = molecule;
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

bool make_chains(struct box *box, struct random *random, struct threads *threads,
                 struct error *error) {
    return wind_up(box, CHAIN_LENGTH, false, random, threads, error);
}

bool make_proteins(struct box *box, struct random *random, struct threads *threads,
                   struct error *error) {
    return wind_up(box, PROTEIN_LENGTH, true, random, threads, error);
}
