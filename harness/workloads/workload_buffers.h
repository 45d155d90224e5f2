/*
 * workload_buffers — what kernels of a workload are given besides particles: lists of bonded
 * terms, constraints. A class for each; struct workload points to its own (share/help/names.txt
 * says what kernels see).
 */
#ifndef PAIRMARK_WORKLOADS_WORKLOAD_BUFFERS_H
#define PAIRMARK_WORKLOADS_WORKLOAD_BUFFERS_H

#include "boxes/box.h"
#include "devices/device.h"
#include "kernels/bindings.h"
#include "kernels/case.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"
#include "kernels/results.h"
#include "kernels/variant.h"
#include "workloads/member_order.h"

/* Called for each buffer that kernels only read, with the name of its parameter. */
typedef void workload_buffer_visitor(void *context, struct buffer *buffer, const char *name);

/* What a launch left, and for which particles. All outlive the call. */
struct launched {
    struct buffer *position; /* n real4, in the order of places */
    const struct pair_buffers *pair;
    const struct box *box;
    const struct member_order *order;
    double cutoff;
    struct buffer *result; /* n accum4, by places */
};

/* What a workload needs whose kernels write something else than a vector for each particle, into
 * buffers of its class: results are computed from these after a launch, outside of its time. */
struct workload_outputs {
    /* Whether the room is known that kernels need; then there is ample room. Else launches show it.
     */
    bool (*keep_room)(void *buffers, bool *known, struct error *error);
    /* Waits. Whether the kernels had the room that they asked for; where they had not, there is
     * more: arguments have changed, and they are launched again. */
    bool (*make_room)(void *buffers, const struct launched *launched, bool *fits,
                      struct error *error);
    /* Waits. After a launch over outputs of 0xFF: the first place whose row has entries and no
     * count; as many as there are places: there is none. */
    bool (*find_stray)(void *buffers, size_t *place, struct error *error);
    /* Fills what kernels write with a byte, enqueued. */
    bool (*fill)(void *buffers, unsigned char value, struct error *error);
    /* Enqueues that launched->result is computed. */
    bool (*compute)(void *buffers, const struct launched *launched, struct error *error);
    /* Fills in evaluation->rows, which reads the list that was computed from last. */
    void (*collect)(void *buffers, struct evaluation *evaluation);
};

/* What kernels are passed of them: a member of their struct, and that of struct case_arguments that
 * it becomes. Its parameters are the table that the workload has of the latter. */
struct workload_arguments {
    size_t own, at, size; /* of 0 bytes: none */
};
enum { WORKLOAD_MAX_ARGUMENTS = 2 };
#define WORKLOAD_ARGUMENTS(STRUCT, OWN, OF_CASE)                                                   \
    {                                                                                              \
        offsetof(struct STRUCT, OWN), offsetof(struct case_arguments, OF_CASE),                    \
            sizeof(((struct STRUCT *)0)->OWN)                                                      \
    }

struct workload_buffers {
    size_t size; /* of their struct */
    struct workload_arguments arguments[WORKLOAD_MAX_ARGUMENTS];
    /* Makes and fills them, of the device's own reals: what the variant names; *buffers is zeroed,
     * and freed also after a failure. STATUS_UNSUPPORTED where the precision or the variant cannot
     * hold such terms; STATUS_BAD_INPUT where the terms do not fit the box; errors of the device.
     */
    bool (*create)(struct device *device, const struct case_spec *spec, const struct box *box,
                   double cutoff, void *buffers, struct error *error);
    /* Frees what they hold besides the buffers among their arguments. NULL: nothing. */
    void (*free)(void *buffers);
    /* Writes what depends on the places of particles for particles in another order, and waits.
     * NULL: nothing does. */
    bool (*reorder)(void *buffers, const struct member_order *order, struct error *error);
    /* How many there are of a launch unit; false for units of others. NULL: it has none. */
    bool (*unit)(const void *buffers, const char *unit, size_t *count);
    /* The points along each vector of a grid, which the device transforms. NULL: there is none. */
    void (*grid)(const void *buffers, size_t size[3]);
    /* How many terms of each kind kernels are given. NULL: the workload has no such kinds. */
    void (*count)(const void *buffers, int64_t count[BONDED_KINDS]);
    const struct workload_outputs *outputs; /* NULL: kernels write the results */
};

/* The buffers of a workload: frees what they hold, not their struct; fills in their part of what
 * kernels may be passed; calls `visit` for each buffer that kernels only read. */
void workload_buffers_free(const struct workload *workload, void *buffers);
void workload_buffers_fill(const struct workload *workload, const void *buffers,
                           struct case_arguments *arguments);
void workload_buffers_visit(const struct workload *workload, const void *buffers,
                            workload_buffer_visitor *visit, void *context);

extern const struct workload_buffers bonded_buffers, constraint_buffers, neighbour_buffers,
    element_buffers, eam_buffers, pme_buffers, batch_buffers;

/* ---- batches: boxes that are computed in one launch and know nothing of each other ---- */

/* What batch_buffers hold. */
struct batch_on_device {
    const struct box *box;
    bool is_double;
    size_t cell_bytes; /* of a box_args */
    struct batch_arguments arguments;
};

/* Parameters of kernels, with values of struct batch_arguments. How batches are judged: judges.h.
 */
extern const struct kernel_parameter batch_parameters[];

/* An order of a batch of drawn sizes, drawn by the bits: boxes stay whole; they begin with another
 * one, and all particles may be turned round. Of boxes of one size member_order_draw() has more. */
struct member_order batch_order_draw(const struct box *box, uint64_t bits);

/* Where kernels find the boxes. */
struct batch_places {
    size_t *box;    /* of each place: which box is there */
    int32_t *begin; /* ... and its first particle, by places; one more: n */
};
bool batch_places_find(const struct box *box, const struct member_order *order,
                       struct batch_places *places, struct error *error);
void batch_places_free(struct batch_places *places); /* also of zeroed ones */

/* Why kernels of pairs cannot run a batch; NULL: they can, or it is none. */
const char *batch_refuse(const struct case_spec *spec);
/* Likewise for kernels of terms or constraints, whose lists are concatenated. `of_files`: the
 * reason where files hold the lists of one box. Cells that differ are those of box_cells. */
const char *batch_refuse_lists(const struct case_spec *spec, const char *of_files);

/* ---- pairs ---- */

/* What PAIR_PARAMETERS stands for on the device: the types and their parameters,
 * the pairs that are left out, and what each particle has a value of. */

enum { PAIR_BUFFERS_MAX_QUADS = 2, PAIR_BUFFERS_MAX_ARRAYS = 4 };

/* Each is NULL where the interaction has no use for it. */
struct pair_buffers {
    int types;
    int32_t bare_types; /* type_parameters_bare() */
    enum type_table_place place;
    struct buffer *type;           /* n int */
    struct buffer *table;          /* types x types entries of reals, cutoffs squared; NULL in the
                                      program's own constant array */
    size_t local_bytes;            /* of the copy that each group makes of the table; 0: none */
    struct buffer *molecule;       /* n int */
    struct buffer *excluded_start; /* n + 1 int */
    struct buffer *excluded;       /* int: partners in ascending order */
    struct buffer *values[PAIR_BUFFERS_MAX_QUADS];  /* n real4: values of particles, four in each */
    struct buffer *arrays[PAIR_BUFFERS_MAX_ARRAYS]; /* of kernel text: reals */
    bool is_of_text;                                /* then the two below are arguments, too */
    int atoms;
    double cutoff; /* 0 without one */
    bool real_is_double;
};

/* Whether kernels need them at all. */
bool pair_buffers_needed(const struct interaction *interaction);

/* What they are made from. */
struct pair_input {
    struct program *const *programs; /* of the case, NULL-terminated */
    const struct case_spec *spec;
    const struct box *box;
    double cutoff; /* resolved; INFINITY: none */
};

/* Makes and fills them, of the device's own reals. Frees what it made
 * when it fails. STATUS_UNSUPPORTED where the table is larger than the memory that TYPE_TABLE asks
 * for.
 */
bool pair_buffers_create(struct device *device, const struct pair_input *input,
                         struct pair_buffers *buffers, struct error *error);
void pair_buffers_free(struct pair_buffers *buffers);

/* Writes the lists of excluded partners anew for particles in another order, and waits. */
bool pair_buffers_reorder(struct pair_buffers *buffers, const struct exclusions *exclusions,
                          const struct box *box, const struct member_order *order,
                          struct error *error);

/* The lists of n particles in buffers of their own; written anew for particles in another order. */
bool excluded_partners_upload(struct device *device, const struct excluded_partners *partners,
                              size_t n, struct buffer **start, struct buffer **partner,
                              struct error *error);
bool excluded_partners_place(const struct excluded_partners *partners, size_t n,
                             const struct member_order *order, struct buffer *start,
                             struct buffer *partner, struct error *error);

enum { PAIR_BUFFERS_MAX_ARGUMENTS = 6 + PAIR_BUFFERS_MAX_QUADS + PAIR_BUFFERS_MAX_ARRAYS + 2 };
/* Writes the arguments in the order of PAIR_PARAMETERS; returns how many. */
size_t pair_buffers_arguments(const struct pair_buffers *buffers, struct argument *arguments);

#endif
