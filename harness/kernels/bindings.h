/*
 * bindings — the values for the parameters of a variant's kernels, and where each comes from.
 *
 * The case as a whole has some, each set of particles some, the structure some. What there is
 * depends on the fields of the workload and on the groups (share/help/names.txt). Where there are
 * two sets of particles, those of each are asked for with _a or _b after its name; where there
 * are two groups, so are those of the structure over each of them.
 */
#ifndef PAIRMARK_KERNELS_BINDINGS_H
#define PAIRMARK_KERNELS_BINDINGS_H

#include "boxes/cell.h"
#include "core/strings.h"
#include "kernels/motion/step_rules.h"
#include "kernels/potentials/bonded.h"
#include "kernels/structure.h"

#include <stdbool.h>

enum { MAX_SETS = 2 };

/* Numbers of a thermostat, STEP_MAX_CHAIN positions and velocities and the heat; of a field, six
 * forces and three numbers for each of three walls. */
enum { THERMOSTAT_NUMBERS = 21, FIELD_NUMBERS = 15 };

/* What face_sums has per type: how many particles left through each face, and the momentum that
 * they carried, in units of which no particle carries more than 2^FACE_BITS in a step. */
enum { FACE_NUMBERS = 2 * STEP_FACES, FACE_BITS = 44, COUNT_FACES = 2 /* COUNT_CROSSINGS */ };

/* What kernels of time steps write to `totals`, a number each. */
enum step_total {
    TOTAL_KINETIC_ENERGY,    /* at the end of the step, in passes that run when asked */
    TOTAL_THERMOSTAT_ENERGY, /* the same of a thermostat's energy: what it has taken out */
    TOTAL_NUMBERS = 8
};

/* What kernels of a case may be passed. Buffers are as kernels see them, and the caller's. */
struct set_arguments {
    size_t n;                /* particles, or listed pairs */
    int32_t force_plane;     /* see variants/accumulation.cl */
    struct buffer *position; /* n real4 */
    struct buffer *index;    /* n int: input indices; NULL where nobody asks for them */
    struct buffer *result;   /* n accum4, or planes: what kernels write */
    /* of time steps; else NULL */
    struct buffer *position_rest; /* n real4: what the type of `position` does not hold */
    struct buffer *velocity;      /* n accum4: velocity, one over the mass */
    struct buffer *crossing;      /* n int4: faces crossed upwards less downwards, by axis;
                                           the particle's type */
    struct buffer *force;         /* n accum4 */
};
/* Bonded terms, see share/help/names.txt; buffers that nobody asks for are NULL. */
struct terms_arguments {
    int32_t term_count, counts[BONDED_KINDS];
    int32_t force_buffers; /* terms of the particle that has most */
    struct buffer *term_atoms, *term_ranks, *incidence_start, *incidences;
    struct buffer *parameters[BONDED_KINDS];
};
/* Constraints, likewise. */
struct constraints_arguments {
    int32_t constraint_count, molecule_count;
    struct buffer *displacement; /* n accum4: what is corrected, one over the mass */
    struct buffer *molecule_start, *molecule_particles, *constraint_start, *constraint_atoms;
    struct buffer *constraint_length;
    struct buffer *block_constraints, *block_particles, *joint_start, *joints;
    struct buffer *inverse_start, *inverse_column, *inverse_value;
    struct buffer *water_atoms, *water_shape, *star_atoms, *star_lengths;
};
/* Lists of neighbours that are a result, likewise: see variants/neighbours.cl. */
struct lists_arguments {
    int32_t capacity, images[3];          /* images that the cutoff can reach along each vector */
    int32_t box_count, particles_per_box; /* of a batch; else 1 and n */
    struct buffer *count, *neighbours, *row_begin, *pair_first, *pair_count;
    struct buffer *shifts, *vectors, *distances;
};
/* Boxes of a batch, likewise; of one box, that it is the only one. */
struct batch_arguments {
    int32_t box_count, particles_per_box; /* the latter where all boxes have as many */
    struct buffer *box_begin, *box_cells; /* box_count + 1 int; box_args of each */
};
/* The grid of reciprocal space, likewise: see variants/pme.cl. */
enum { EWALD_NUMBERS = 8 /* numbers of ewald_args */ };
struct grid_arguments {
    int size[3];
    double ewald[EWALD_NUMBERS];
    bool is_double;        /* accum is */
    struct buffer *moduli; /* accum, of each point along x, then y, then z */
    struct buffer *roots;  /* 2 accum of each along x: exp(-2 pi i x / size[0]); NULL: not taken */
};
/* Parameters of many-body terms by types, likewise: see variants/interactions/stillinger-weber.cl.
 */
struct elements_arguments {
    int32_t count;                   /* of types */
    struct buffer *types;            /* n int: of each particle */
    struct buffer *pairs, *triplets; /* real4, 3 for two types; real2 for three */
};
/* Splines of embedded atoms by types, likewise: see variants/eam.cl. */
struct eam_arguments {
    int32_t count, rho_knots, r_knots;         /* of types; of each spline */
    double per_rho, per_r;                     /* intervals per density, per length */
    bool is_double;                            /* real is */
    struct buffer *types;                      /* n int: of each particle */
    struct buffer *embedding, *density, *pair; /* real4 per knot */
};
struct case_arguments {
    struct set_arguments sets[MAX_SETS];
    struct terms_arguments terms;             /* zeros where the workload takes none */
    struct constraints_arguments constraints; /* likewise */
    struct lists_arguments lists;             /* likewise */
    struct batch_arguments batch;             /* likewise */
    struct grid_arguments grid;               /* likewise */
    struct elements_arguments elements;       /* likewise */
    struct eam_arguments eam;                 /* likewise */
    struct buffer *partial_sums;              /* of the pass that is bound */
    /* of time steps; else NULL */
    struct buffer *totals; /* TOTAL_NUMBERS accum, of the whole case */
    struct buffer
        *thermostat;      /* THERMOSTAT_NUMBERS accum: what a thermostat keeps from step to step */
    struct buffer *field; /* FIELD_NUMBERS accum, see variants/step.cl */
    struct buffer *face_sums; /* FACE_NUMBERS int64 per type, see variants/step.cl */
    double face_scale;        /* units of these per momentum */
    int32_t molecule_count;   /* of rigid waters and single particles; 0: nothing is rigid */
    struct buffer *water_atoms, *water_sides; /* int4 per molecule; 2 accum */
    struct buffer *molecule_begin;            /* of each box the first, and the end: int */
    const struct step_rules *rules;           /* by which particles are moved */
    double freedom;                           /* degrees of freedom */
    bool accum_is_double;                     /* accum is double, else float */
    struct cell cell;
    bool periodic;
    double cutoff;
    bool is_double;      /* real is double, else float */
    uint64_t seed, step; /* of draws; of time steps, the number of the state before the next */
};

/* The box as kernels have it by value: box_args of variants/box.cl, in float and in double.
 */
struct box_args_float {
    float edge[4], inverse_edge[4];
    float tilt[4]; /* of a triclinic cell alone */
};
struct box_args_double {
    double edge[4], inverse_edge[4];
    double tilt[4];
};

/* The parameters of the case as a whole, where there is a box: edges, cutoff, partial sums. A table
 * of struct parameter_table of a workload. */
extern const struct kernel_parameter bindings_of_case[];

/* The cell as a box_args, by value: the tilts of a triclinic cell alone. */
struct argument bindings_box(const struct cell *cell, bool periodic, bool is_double);
/* The same with or without tilts, whatever the cell has: of a batch, some of whose cells are
 * tilted. */
struct argument bindings_box_of_kind(const struct cell *cell, bool triclinic, bool periodic,
                                     bool is_double);

enum binding_source { BINDING_CASE, BINDING_STRUCTURE, BINDING_SCRATCH, BINDING_NULL };

/* A parameter that was found, and where to get its value. */
struct binding {
    enum binding_source source;
    int set;                                 /* of a structure: the set that it stands over */
    const struct structure_class *structure; /* whose it is: the variant's or one below that */
    const struct kernel_parameter
        *parameter; /* its value is given what lies `at` bytes into the owner */
    size_t at;
    int scratch; /* which of the variant's own; `parameter` is then NULL */
    char type[PARAMETER_TYPE_SIZE];
};

/* Finds the parameter of that name that kernels of the variant may have; false when there is none.
 * Workload, groups and structure of the variant are known. */
bool binding_find(const struct variant *variant, const char *name, struct binding *binding);
/* The same without the variant's own memory (@scratch). */
bool bindings_look_up(const struct variant *variant, const char *name, struct binding *binding);

/* The parameter of the workload's result that the name stands for, with _a or _b after it where
 * there are two sets; NULL where it stands for something else. */
const struct workload_parameter *binding_result(const struct variant *variant, const char *name);

/* The value of a parameter; `owner` is a struct case_arguments, or the state of binding->structure
 * over binding->set. */
struct argument binding_value(const struct binding *binding, const void *owner);

/* Whether there is a launch unit of that name. */
bool bindings_have_unit(const struct variant *variant, const char *unit);

/* The names that there are, "a, b, c", for messages. */
void bindings_list(const struct variant *variant, struct strbuf *names);
void bindings_list_units(const struct variant *variant, struct strbuf *units);

#endif
