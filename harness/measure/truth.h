/*
 * truth — boxes as the device gets them, with their references, kept for the cases that share them.
 *
 * Cases come shuffled; making a box or its reference again for each would cost more than the
 * measurement.
 */
#ifndef PAIRMARK_MEASURE_TRUTH_H
#define PAIRMARK_MEASURE_TRUTH_H

#include "measure/case.h"
#include "reference/reference.h"

struct truth {
    struct box box;       /* wrapped and rounded for the precision */
    double cutoff;        /* resolved; INFINITY: none */
    struct groups groups; /* of a coordination; all particles in one group for forces */
    bool has_reference;
    /* Of a coordination: `energy` is its value, `force` its derivatives by the positions (the
     * negative of forces), `virial` its box derivatives. */
    struct reference reference;
    char box_hash[HASH_TEXT_SIZE];
};

struct truth_store;

struct truth_store *truth_store_create(void); /* NULL when memory ran out */
void truth_store_free(struct truth_store *store);

/* The truth for a case, made if it is not kept; belongs to the store and stays until the next call.
 * The reference is computed only where asked for. Errors: those of box_make, box_read,
 * box_accepts_cutoff, groups_resolve and reference_compute. A coordination without a cutoff is
 * taken in a periodic box, too: every pair at its nearest image. */
const struct truth *truth_for(struct truth_store *store, const struct case_spec *spec,
                              bool with_reference, struct error *error);

#endif
