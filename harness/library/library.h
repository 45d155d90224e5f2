/*
 * library — what the functions of pairmark.h share. Private to this folder.
 *
 * Private functions report by struct error, as in all of harness/. Public ones check pointers and
 * processes, lock the context, call them and translate the error.
 */
#ifndef PAIRMARK_LIBRARY_LIBRARY_H
#define PAIRMARK_LIBRARY_LIBRARY_H

#include "kernels/case.h"
#include "kernels/potentials/bonded.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"
#include "library/pairmark.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sys/types.h>

/* ---- the calling thread (context.c) ---- */

/* The rounding mode, traps and locale of the calling thread. */
struct caller {
    fenv_t floats;
    locale_t locale, own; /* own: of the library, while it is called */
};

/* Saves these and sets them as a C program starts; restores them. */
struct caller caller_enter(void);
void caller_leave(const struct caller *caller);
/* The same until the end of a function of pairmark.h that has no context. */
#define CALLER_IS_SET_ASIDE                                                                        \
    __attribute__((cleanup(caller_leave), unused)) const struct caller caller = caller_enter()

/* ---- contexts (context.c) ---- */

struct pm_context {
    pthread_mutex_t lock;
    struct caller caller; /* of the call that has the lock */
    struct device *device;
    pid_t process; /* that opened it */
    int users;     /* kernels, and the context itself until it is closed */
    bool busy;     /* with a call, of the thread that has the lock */
    bool closed;
    char name[192];
    void (*say)(void *data, const char *line); /* NULL: nobody listens */
    void *say_to;
};

/* Writes a line to the log, if the program has set one. */
__attribute__((format(printf, 2, 3))) void context_say(const struct pm_context *context,
                                                       const char *format, ...);

/* Writes *from to *error, unless that is NULL, and returns its status. */
enum pm_status library_error(const struct error *from, pm_error *error);
/* Fails with PM_NO_ROOM: there is room for `room` entries, and `needed` are needed. */
enum pm_status library_no_room(size_t room, size_t needed, pm_error *error);
/* Copies a struct that begins with its size to the one that the library knows, of `known` bytes. A
 * program with an older header passes fewer bytes (`least` at the least), one with a newer header
 * more. */
bool library_take_struct(const char *name, const void *given, size_t least, void *taken,
                         size_t known, struct error *error);
/* Fails: `what` is a null pointer. */
enum pm_status library_fail_null(const char *what, pm_error *error);

/* Locks the context for this thread and enters its device. In a child of its process, and after it
 * was closed, fails and locks nothing. */
enum pm_status context_begin(struct pm_context *context, pm_error *error);
/* Ends the call and returns PM_OK or, where the work was not `done`, the status of *error. */
enum pm_status context_end(struct pm_context *context, bool done, const struct error *from,
                           pm_error *error);
void context_take(struct pm_context *context); /* by one that has begun */
/* Drops a user outside of a call. The last one closes the device. Before that `free_parts` (may be
 * NULL) is called on the device, if this process can use it. */
void context_leave(struct pm_context *context, void (*free_parts)(void *parts), void *parts);

/* ---- systems (system.c), cells (cells.c) ---- */

/* Turns the cell of a program into that of a box, a lower triangle; mirrors left-handed ones. */
struct rotation {
    double rows[9]; /* a point x becomes rows x */
    bool rotates;   /* else nothing is */
};

struct pm_system {
    struct box box; /* positions are zeros */
    char *interaction, *table;
    double cutoff;
    char *long_range;             /* words; NULL: pairs are all there is */
    bool pairs_alone;             /* kernels leave out what long_range adds to its pairs */
    const struct workload *owner; /* that alone computes the interaction; NULL: it is of pairs */
    char *exclude;                /* word; NULL: */
    int *pairs;                   /* 2 pair_count; NULL: none either */
    size_t pair_count;
    struct bonded_terms terms;
    struct groups groups;     /* zeroed: all particles, one group */
    double vectors[9];        /* of the cell, as they were given */
    struct rotation rotation; /* to that of the box */
    double *box_vectors;      /* of the cells of boxes, likewise, 9 each; NULL: they are open */
    size_t only_lists;        /* boxes, up to the first whose cell only lists take; 0: none does */
};

/* Sets the cell of a box from 9 numbers. It becomes periodic along the vectors that it was before.
 * Also finds the rotation. */
bool library_cell_take(const double *vectors, struct box *box, struct rotation *rotation,
                       struct error *error);
void library_rotate(const struct rotation *rotation, double point[3]);
void library_rotate_back(const struct rotation *rotation, double point[3]);

/* How many copies of all particles must stand side by side along each vector of the cell, so that
 * none is within the cutoff twice. */
enum { MOST_COPIES = 1 << 10 };
void library_copies(const struct box *box, double cutoff, int copies[3]);
size_t library_product(const int copies[3]);
void library_cell_copy(const int copies[3], struct cell *cell);
/* Copies the cell and everything that particles have, except positions: copy c of particle i is
 * particle c n + i. */
bool library_box_copy(const int copies[3], struct box *box, struct error *error);

/* ---- from words to a case (choice.c) ---- */

struct library_work; /* the plan, and what brings arrays to it and back */

/* A case and all that it points to. */
struct library_case {
    struct case_spec spec;
    struct variant *read; /* of a file; NULL: the variant is built in */
    struct type_table *table;
    struct element_table *elements;
    struct eam_table *eam;
    struct expression *expression;
    struct exclusions *exclusions;
    struct bonded_terms terms;
    struct groups groups; /* of which there are some or, zeroed, none */
    int copies[3];        /* of the particles side by side, which box.n and the groups count */
    bool lists_boxes;     /* by no variant: box_lists.c */
};

/* Reads the first answer of `pairmark best --json`: its best variant and the tunables of that. */
bool library_answer_read(const char *path, char variant[VARIANT_NAME_SIZE],
                         char tunables[TUNINGS_WORDS_SIZE], struct error *error);
/* Whether the library computes a workload. */
bool library_has_workload(const struct workload *workload);
/* Makes a case of a choice without an answer: fills in a zeroed one. Free it even after a
 * failure. */
bool library_case_make(const struct pm_system *system, const struct pm_choice *choice,
                       struct library_case *made, struct error *error);
void library_case_free(struct library_case *made);
/* Finds how many copies of n particles the cutoff needs in a cell, and the groups then. The case
 * changes only with library_case_take_copies(), which takes over what is allocated. */
struct library_copied {
    int copies[3];
    struct groups groups;
    bool more; /* than the case has */
};
bool library_case_copy(const struct library_case *made, const struct box *box, size_t n,
                       struct library_copied *copied, struct error *error);
void library_case_take_copies(struct library_case *made, size_t n,
                              const struct library_copied *copied);
/* Whether time steps are possible in a box of so many copies: not where particles may leave without
 * bounds. True for other cases. */
bool library_steps_fit(const struct case_spec *spec, const struct box *box, const int copies[3],
                       struct error *error);
/* What is wrong with a potential, its table and its cutoff by themselves, whatever particles there
 * are and whoever computes it. words NULL: of lists of neighbours. *owner: the workload that alone
 * computes it; NULL: it is of pairs. */
struct library_potential {
    const char *words, *table;
    double cutoff;
};
bool library_potential_check(const struct library_potential *potential, bool periodic,
                             const struct workload **owner, struct error *error);
/* Charges beyond the cutoff (long_range_words.c): what is wrong with the words; what they stand
 * for, with the alpha of the cutoff unless they say another; the potential of pairs with the part
 * of them that is in real space; and the rest, by kernels beside those of the pairs (long_range.c).
 */
bool library_long_range_check(const char *words, struct interaction *interaction,
                              struct error *error);
bool library_long_range_resolve(const struct pm_system *system, struct interaction *interaction,
                                struct error *error);
bool library_long_range_pairs(const struct pm_system *system, struct strbuf *words,
                              struct error *error);
/* Adds the long-range part to the case of time steps, whose kernels compute it within a step. */
bool library_steps_add_long_range(const struct pm_context *context, const struct pm_system *system,
                                  struct case_spec *spec, struct error *error);
bool library_work_add_long_range(struct library_work *work, const struct pm_system *system,
                                 struct error *error);
/* Whether the cutoff and the potential of the case fit a box. */
bool library_case_fits(const struct case_spec *spec, const struct box *box, struct error *error);

/* ---- evaluations (work.c, evaluate.c, trial.c), neighbours (lists.c), draws
 * (draws.c) ---- */

/* The case must outlive the work. */
bool library_work_create(const struct pm_context *context, struct library_case *made,
                         const struct pm_system *system, struct library_work **work,
                         struct error *error);
void library_work_free(struct library_work *work); /* NULL is fine */
bool library_work_compile(struct library_work *work, struct error *error);
bool library_work_evaluate(struct library_work *work, const struct pm_arrays *arrays,
                           struct error *error);
/* Sets *needed where it is known: with arrays on the device, `needed` may be NULL. */
bool library_work_list(struct library_work *work, const struct pm_arrays *arrays,
                       const struct pm_list *list, size_t *needed, struct error *error);
bool library_work_draw(struct library_work *work, const struct pm_draw *draw, struct error *error);
bool library_work_steps(struct library_work *work, uint64_t steps, struct pm_motion *motion,
                        struct error *error);
/* Measures the seconds of a step with these arrays, where a list serves that many steps. */
bool library_work_time(struct library_work *work, const struct pm_arrays *arrays, double steps,
                       double *seconds, struct error *error);
/* Results of the serial reference for some positions; zeroed at first. */
struct judge;
struct expectation;
struct library_expected {
    const struct judge *judge;
    struct expectation *result;
    uint32_t *particle; /* a sample of them; NULL: all */
    bool failed;        /* it says nothing */
};
/* Whether the results for the positions that were timed are within the tolerance of the gate:
 * STATUS_WRONG if not. The expected results are computed once. */
bool library_work_judge(struct library_work *work, const struct pm_arrays *arrays,
                        struct library_expected *expected, struct error *error);
void library_expected_free(struct library_expected *expected);
bool library_work_set_cell(struct library_work *work, const double *cell, struct error *error);
void library_work_moved(struct library_work *work, double distance);
double library_work_reach(const struct library_work *work);

#endif
