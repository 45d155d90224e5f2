/*
 * expected — boxes as the device gets them, with their references, kept for the cases that share
 * them.
 *
 * Cases come shuffled; making a box or its reference again for each would cost more than the
 * measurement.
 */
#ifndef PAIRMARK_MEASURE_JUDGE_EXPECTED_H
#define PAIRMARK_MEASURE_JUDGE_EXPECTED_H

#include "kernels/case.h"
#include "kernels/results.h"
#include "workloads/judges.h"

struct expected {
    struct box box;       /* wrapped and rounded for the precision */
    double cutoff;        /* resolved; INFINITY: none */
    struct groups groups; /* all particles in one group where the workload takes none */
    bool has_reference;
    struct expectation *reference; /* what the judge of the workload expects (judges.h) */
    struct judged judged;          /* how the reference came about */
    struct moved_box *moved;       /* MOVED_BOXES, made when asked for */
    char box_hash[HASH_TEXT_SIZE];
};

enum { MOVED_BOXES = 2 };
enum moved_use {
    MOVED_KEPT,  /* the same for all cases that share the box: for a check of results */
    MOVED_NEW,   /* places that no case has seen, nearly half the skin of the case away, and the
                    same work: for times */
    MOVED_FAR,   /* as far, in waves: for results of what outlives moves */
    MOVED_LATEST /* that which was new last */
};

/* Has a device's kernels compute what a judge asks for. */
struct kernel_runner kernel_runner_of(struct device *device);

/* Whether the particles of this case are more than are all to be judged by the serial reference:
 * JUDGE_BY_COST means 2M, but any number on a processor, whose kernels are no quicker than the
 * reference. Of judges that know how, and never where every pair counts (`ends` is false): no
 * kernel that could stand in is quick there. */
bool expected_by_kernels(const struct case_spec *spec, const struct device_info *info, size_t n,
                         bool ends);

struct expected_store;

struct expected_store *expected_store_create(void); /* NULL when memory ran out */
void expected_store_free(struct expected_store *store);

/* The device whose kernels judge boxes that are too large for the serial reference, and whose
 * memory cases have to fit. Without one, every box is computed serially. */
void expected_store_use_device(struct expected_store *store, struct device *device);

/* What is expected of a case, made if it is not kept; belongs to the store and stays until the next
 * call. The reference is computed only where asked for, of a large box as the judge has it by
 * kernels. Errors: those of memory_on_host() and memory_on_device(), before anything is allocated;
 * of box_make, box_read, box_accepts_cutoff, groups_resolve, the judges. Where the interaction has
 * its own, there may be no cutoff in a periodic box either: every pair at its nearest image. */
const struct expected *expected_for(struct expected_store *store, const struct case_spec *spec,
                                    bool with_reference, struct error *error);

/* The work of the case as its judge has it; no pairs where no reference was computed. */
struct expected_work expected_work_of(const struct case_spec *spec,
                                      const struct expected *expected);

/* How far the particles of MOVED_NEW go. */
struct moves expected_moves_new(const struct expected *expected, const struct case_spec *spec);
/* A moved box of what expected_for() gave last; belongs to it. */
const struct moved_box *expected_moved(const struct expected *expected,
                                       const struct case_spec *spec, enum moved_use use,
                                       struct error *error);

/* How far a particle may move before a list of the case is built again: half the skin, or of what
 * the cell has room for. 0: nothing outlives moves, or all pairs are listed. */
double expected_half_skin(const struct expected *expected, const struct case_spec *spec);

/* Whether all that is kept still hold what was computed, by their hashes. Else a kernel
 * that shares this process's memory wrote over them, and nothing judged by them counts. */
bool expected_store_intact(const struct expected_store *store);

/* ---- particles that have moved ---- */

/* A case's particles a little off their places, and what is then expected.
 *
 * Another order is not enough where a kernel has memory of its own: it could look forces up by
 * positions. Positions that it has never seen leave it nothing to look up. Each particle is moved
 * by up to a thousandth of the mean spacing along each axis, so that the work stays the same. What
 * promises to serve until a particle has moved by some length is tried with moves of nearly that.
 * For times all go together, since the work has to stay the same. For results there is a wave along
 * z: particles near each other stay so and those a cutoff apart come nearer. In a crystal a wave
 * brings a shell of neighbours within the cutoff: twice the triplets in diamond.
 * The reference is computed anew, of all particles where there are few, else of a sample that no
 * kernel can predict: from anywhere in the box, or from a few places of it that are drawn, where
 * what is expected of a particle takes those around it to be followed (judges.h). */

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

/* How far some particles go in waves; without waves, how far all go together, besides a little by
 * chance. */
struct moves {
    double waves, together;
    bool anywhere; /* together, by any vector of a cell that is periodic along all axes */
};

/* Moves the particles of the case's box, as the device has it, within the cell or, in an open box,
 * within the bounds that they had. */
bool moved_box_make(const struct judge_question *of_case, const struct moves *moves,
                    struct moved_box *moved, struct error *error);
void moved_box_free(struct moved_box *moved); /* also of a zeroed one */

/* Fills in status and message of *verdict: STATUS_OK or STATUS_WRONG. The question is that of the
 * case, whose particles were moved. */
bool moved_box_judge(const struct moved_box *moved, const struct judge_question *of_case,
                     const struct evaluation *evaluation, struct verdict *verdict,
                     struct error *error);

#endif
