/*
 * moved — a case's particles a little off their places, and what is then expected.
 *
 * Another order is not enough where a kernel has memory of its own: it could look forces up by
 * positions. Positions that it has never seen leave it nothing to look up. Each particle is moved
 * by up to a thousandth of the mean spacing along each axis, so that the work stays the same. What
 * promises to serve until a particle has moved by some length is tried with moves of nearly that:
 * a wave along z, so that particles near each other stay so and those a cutoff apart come nearer.
 * The reference is computed anew, of all particles where there are few, else of a sample that no
 * kernel can predict: from anywhere in the box, or from a few places of it that are drawn, where
 * what is expected of a particle takes those around it to be followed (judges.h).
 */
#ifndef PAIRMARK_MEASURE_JUDGE_MOVED_H
#define PAIRMARK_MEASURE_JUDGE_MOVED_H

#include "kernels/case.h"
#include "kernels/results.h"
#include "workloads/judges.h"

enum {
    MAX_MOVED_WHOLE = 4096, /* particles up to which all are judged */
    MOVED_SAMPLE = 64       /* and how many are, above */
};

struct moved_box {
    struct box box;     /* as the device gets it */
    uint32_t *particle; /* the sample; NULL: all */
    size_t count;       /* of it; 0: not made */
    const struct judge *judge;
    struct expectation *reference; /* of all particles, or of the sample */
    int number;                    /* the caller's */
    char hash[HASH_TEXT_SIZE];     /* of all but the number, by who keeps it */
};

/* Moves the particles of `box`, as the device has it, within the cell or, in an open box, within
 * the bounds that they had. reach: how far some of them go; 0: a little, by chance. */
bool moved_box_make(const struct box *box, const struct case_spec *spec, double cutoff,
                    const struct groups *groups, double reach, struct moved_box *moved,
                    struct error *error);
void moved_box_free(struct moved_box *moved); /* also of a zeroed one */

/* Fills in status and message of *verdict: STATUS_OK or STATUS_WRONG. The question is that of the
 * case, whose particles were moved. */
bool moved_box_judge(const struct moved_box *moved, const struct judge_question *of_case,
                     const struct evaluation *evaluation, struct verdict *verdict,
                     struct error *error);

#endif
