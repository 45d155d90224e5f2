/*
 * results — what a case yields: an evaluation, a verdict on it, a measurement; and how to sample
 * one.
 */
#ifndef PAIRMARK_KERNELS_RESULTS_H
#define PAIRMARK_KERNELS_RESULTS_H

#include "boxes/box.h"
#include "core/error.h"
#include "devices/device.h"
#include "kernels/potentials/bonded.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEASURE_MAX_SAMPLES = 4096, MEASURE_MAX_STAGES = 32, STAGE_NAME_SIZE = 64 };

/* Entries of a row of a list, by the numbers of the box; NULL: the list has none of these. */
struct listed_row {
    size_t count;
    int32_t *j, *shift; /* 3 numbers a shift */
    double *vector, *distance;
};

/* How the rows of a list are read that lies on a device. */
struct evaluation;
struct listed_rows {
    void *context;
    /* Frees what the row had, and fills it; zeroed before the first time. At most so many entries
     * as there is room for. */
    bool (*read)(void *context, size_t particle, struct listed_row *row, struct error *error);
    /* Puts all entries in the place of evaluation->force, LISTED_NUMBERS each: i, j and the shift
     * (zeros where there is none); of more than LISTED_MOST none. */
    bool (*list)(void *context, struct evaluation *evaluation, struct error *error);
};
enum { LISTED_NUMBERS = 5, LISTED_MOST = 1 << 20 };
void listed_row_free(struct listed_row *row);

/* The scalars of a box of a batch, as struct evaluation has them of all. */
struct box_scalars {
    double energy, energy_vdw, energy_coulomb;
    double virial[9];
};

/* What a variant computed, in the words of `forces`: of another workload, force is its result (zero
 * outside the groups), energy its value, virial its tensor (workload.h). */
struct evaluation {
    size_t n;
    size_t numbers;          /* in `force`: 3n, or of draws n */
    double cutoff;           /* that of the case, resolved; INFINITY: none */
    struct cell cell;        /* of the box as the device had it; zeros: open */
    bool rotated;            /* the box's file had another cell, see struct box */
    bool reversed[3];        /* its vectors are these times -1; shifts of lists are of the file's */
    int32_t types;           /* of the faces below */
    int64_t pairs_in_cutoff; /* of the box, from the reference; -1: not known */
    double energy;           /* NaN where the outputs leave it out */
    double energy_vdw, energy_coulomb; /* its parts, where the interaction has both; else NaN */
    double virial[9];                  /* row-major; NaN likewise */
    struct box_scalars *of_box;        /* of a batch: of each box, where outputs ask for some; else
                                          NULL. The above are then their sums */
    size_t boxes;                      /* of these; else 0 */
    double kinetic_energy;             /* of time steps, at their end; else NaN */
    double thermostat_energy;          /* the same of their thermostat, if reported */
    double *force;                     /* 3n, input order; caller frees with evaluation_free */
    double *velocity;                  /* of time steps 3n, at their end; else NULL */
    /* Of time steps that count faces, 6 per type: how many particles left through each, as in
     * struct step_end, and the momentum that they carried (NaN: may be more than was counted), in
     * units that are added without rounding; else NULL */
    uint64_t *face_count;
    double *face_momentum, face_unit;
    uint64_t seed, step;            /* of draws */
    const struct listed_rows *rows; /* of lists: reads rows, as long as the prepared case is there
                                       and nothing is launched; else NULL. Not the evaluation's */
    int64_t listed; /* entries, where they are in `force`, or were too many; else 0 */
    /* How energy and virial were added up, which bounds their rounding errors. */
    double sum_items;  /* work-items that added terms one by one; 0: not known, may be one */
    double sum_serial; /* numbers then added one by one; 0: as a tree */
};
void evaluation_free(struct evaluation *evaluation);

/* What a result was compared with. */
struct judged {
    int64_t particles; /* whose forces the serial reference computed; -1: not known */
    int64_t seed;      /* of the sample that they are; -1: they are all */
    char rest[128];    /* what computed the others; empty: there are none */
};

/* How a result compares with the reference. Errors are relative: the force error to the RMS force
 * of the reference, energy and virial to their own scale (sum of absolute pair terms). In
 * the words of `forces`, as an evaluation is. */
struct verdict {
    enum status status;     /* STATUS_OK, STATUS_WRONG, STATUS_STALE, or what stopped the case */
    char message[1024];     /* what is wrong, worst first; empty when ok */
    double max_force_error; /* largest component error / RMS force; NaN: not known */
    double rms_force_error;
    double energy_error;
    double virial_error;
    bool box_overflows;     /* wrong, as any kernel may be: fixed point does not hold the sums */
    double worst_ratio;     /* largest error / tolerance over everything compared: ok means <= 1 */
    double net_force;       /* |sum of forces| / RMS force */
    int bitwise_repeatable; /* 1, 0; -1: not known */
    char repeatable[40];    /* "run, order, not shape": measure/other_times.c; empty: not tried */
    char result_hash[HASH_TEXT_SIZE]; /* of its bits; empty: not known */
    int64_t pairs_in_cutoff; /* of the case, from the reference; -1: not known, or not checked */
    struct judged judged;
};

/* A verdict that nothing but the status is known of. */
struct verdict verdict_of(enum status status);
/* Gives a verdict a status and a message, and leaves the rest; fail: those of an error. */
void verdict_say(struct verdict *verdict, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verdict_fail(struct verdict *verdict, const struct error *error);

/* What an earlier visit of a case found, so that a later one need not look again. */
struct earlier_visit {
    bool gated;               /* it passed the gate as a whole, and each launch that it timed */
    int64_t distances, pairs; /* as its counting build found, and right; 0: not counted */
};

/* How to sample. sampling_defaults() fills in the documented defaults. */
struct sampling {
    double warm_up_s;    /* least time to run before sampling */
    double noise_target; /* stop when the median's relative error falls under this */
    int min_samples;
    int max_samples;   /* <= MEASURE_MAX_SAMPLES */
    double time_cap_s; /* of sampling, whatever the noise */
    int cold_samples;  /* launches with the cache flushed before each; 0: none */
    int max_builds;    /* timed by themselves, of what is built; 0: none */
    bool stages;       /* times each stage by itself, in launches after the others */
    bool energy;       /* launches on until the energy counter resolves one launch */
    struct earlier_visit earlier;
};
struct sampling sampling_defaults(void);

struct timing {
    double median_s, min_s, p05_s, p95_s, mad_s;
    int samples;
    char stop_reason[16]; /* "noise", "most_samples", "time_cap" */
};

/* One stage of an evaluation or of what it needs: "build sorted_cells", "pass NAME", "reduce NAME",
 * "zero forces". */
struct stage_time {
    char name[STAGE_NAME_SIZE];
    double median_s, min_s;
    int samples;
};

/* All that one repetition of one case yields; NaN and -1 where not known. */
struct measurement {
    struct verdict verdict;
    /* the box as it came out */
    char box_kind[BOX_KIND_SIZE];
    size_t n;
    int64_t steps;    /* of an evaluation; 0: it has none */
    int64_t n_a, n_b; /* particles of the groups; n_b is 0 for one group */
    double density, cutoff;
    char box_hash[HASH_TEXT_SIZE];
    int64_t pairs_in_cutoff, pairs_evaluated;
    int64_t terms[BONDED_KINDS]; /* bonded ones, by kind; -1: the workload has none */
    int64_t pairs_counted; /* of pairs_evaluated, those that it applies the pair function to */
    /* the program */
    char compiler_options[256];
    char kernel_hash[HASH_TEXT_SIZE];
    int registers;
    int64_t local_bytes;
    bool periodic;        /* the box as it came out has images */
    char axes[AXES_SIZE]; /* along which, where only along some; else empty */
    /* time */
    bool timed;
    struct timing force;
    double build_s_median;      /* structure; NaN where there is none to build */
    double end_to_end_s_median; /* host memory to host memory; NaN where it is not timed */
    double cold_force_s_median;
    double amortized_s_median;      /* of one of several in a launch; NaN where there are none */
    double fresh_force_s_median;    /* over particles where the kernel has never seen them */
    double repeated_force_s_min;    /* after the first launch of a round: of the quickest round */
    double percent_of_peak;         /* of the least operations; NaN where these are not known */
    double counted_percent_of_peak; /* of those that the kernel counts; NaN where it counts none */
    struct device_state state; /* read while sampling; energy_j is the joules of one evaluation */
    int samples_dropped;       /* taken while the device was throttled; -1: not known */
    int short_kernel;          /* 1: shorter than 3 launch overheads; -1: not known */
    double machine_load;       /* see devices/machine/machine_watch.h; NaN but on a CPU device */
    int stage_count;           /* 0 where they were not timed */
    struct stage_time stages[MEASURE_MAX_STAGES];
    int sample_count; /* samples[0..sample_count-1]: hot samples in order, seconds */
    float samples[MEASURE_MAX_SAMPLES];
};

/* Nothing is known yet: STATUS_OK, zeros, and NaN and -1 where a number may be missing. */
void measurement_clear(struct measurement *measurement);

#endif
