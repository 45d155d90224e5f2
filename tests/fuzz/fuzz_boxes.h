/*
 * fuzz_boxes — what every box that was read must be fit for.
 */
#ifndef PAIRMARK_TESTS_FUZZ_BOXES_H
#define PAIRMARK_TESTS_FUZZ_BOXES_H

#include "boxes/box.h"
#include "fuzz_input.h"

#include <math.h>

static inline void require_usable(const struct box *box) {
    fuzz_require(box->n >= 1 && box->types >= 1);
    for (size_t i = 0; i < box->n; i++) {
        fuzz_require(box->type[i] >= 0 && box->type[i] < box->types);
        fuzz_require(isfinite(box->charge[i]));
        fuzz_require(box_mass(box, i) > 0 && isfinite(box_mass(box, i)));
        for (size_t k = 0; k < 3; k++) {
            fuzz_require(isfinite(box->position[3 * i + k]));
            fuzz_require(!box->velocity || isfinite(box->velocity[3 * i + k]));
        }
    }
    for (int k = 0; k < 3; k++) {
        fuzz_require(!box->periodic || (isfinite(box->edge[k]) && box->edge[k] > 0));
    }
}

static inline void require_round_trip(const struct box *box) {
    struct error error = { 0 };
    struct box again;
    char hashes[2][HASH_TEXT_SIZE];
    const char *path = fuzz_file(FUZZ_FILES - 1, NULL, 0);
    fuzz_require(box_write(path, box, NULL, NULL, &error));
    fuzz_require(box_read(path, &again, &error));
    box_hash(box, hashes[0]);
    box_hash(&again, hashes[1]);
    fuzz_require(strcmp(hashes[0], hashes[1]) == 0);
    box_free(&again);
}

/* A box of the file at `path`, if it is one. */
static inline void fuzz_box_at(const char *path) {
    struct error error = { 0 };
    struct box box;
    if (!box_read(path, &box, &error)) {
        fuzz_require_reason(&error);
        return;
    }
    require_usable(&box);
    require_round_trip(&box);
    box_free(&box);
}

#endif
