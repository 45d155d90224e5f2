#include "workloads/tolerances.h"

#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* An intermediate is up to some powers of two smaller than the force it becomes part of. */
static const double underflow_margin = 1024.0;

static struct arithmetic arithmetic_of(enum precision precision) {
    const struct numeric numeric = precision_numeric(precision);
    const bool wide = numeric.arithmetic == FORMAT_DOUBLE;
    return (struct arithmetic){ format_unit(numeric.arithmetic),
                                format_unit(numeric.accumulation),
                                numeric_sums_are_fixed(numeric) ? FIXED_POINT_ERROR : 0.0,
                                0.0,
                                wide ? DBL_MAX : FLT_MAX,
                                underflow_margin * (wide ? DBL_MIN : FLT_MIN) };
}

double relative_error(double error, double scale) {
    if (error == 0.0) {
        return 0.0;
    }
    double ratio = error / scale;
    return isnan(ratio) ? INFINITY : ratio;
}

/* A work-item's sum is taken for twice what its share of the pairs comes to in the mean. */
static const double lost_rows = 2.0;

/* What the tolerance of a number of the whole box is made of; see tolerances.h. */
struct total {
    double scale, slope; /* sums over pairs of the sizes of its terms and of their slopes */
    double coherent, spread, shift;
    double equal; /* how much of it is terms that are the same number; 0: not known, or few */
    const double *small; /* sums of small terms, REFERENCE_SMALL_BINS; see reference_spread */
};

/* ---- pairs at the edge of the cutoff ---- */

static void add_near_pair(struct edge_sums *near, double roundings, double energy, double weight) {
    near->of_class[(int)fmin(roundings, GAP_CLASSES - 1)] += weight * energy;
    near->all += weight * energy;
    near->largest = fmax(near->largest, energy);
}

/* What they may come to in the energy: a few all of it, many not all with one sign. */
static double near_energy(const struct edge_sums *near) {
    double root = 0.0;
    for (int c = 0; c < GAP_CLASSES; c++) {
        root = hypot(root, near->of_class[c]);
    }
    return fmin(near->all, 1.5 * root + near->largest);
}

/* What is added to a length before it is rounded. */
static double longest_distance(const struct reference *reference, double length) {
    return isfinite(reference->cutoff) ? reference->cutoff : length;
}

size_t tolerances_edge_pairs(const struct reference *reference, double length_scale,
                             enum precision precision) {
    const double length = fmax(length_scale, reference->length_scale);
    const double width = GATE_FACTOR * arithmetic_of(precision).unit *
                         (length + longest_distance(reference, length));
    size_t count = 0;
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        count += reference->edge_pairs[p].gap <= width;
    }
    /* Those of a sample are listed, and all are counted. */
    return reference->edge_weight > 0.0 ? (size_t)reference->edge_total : count;
}

/* No rounding of an edge pair is among the scales of its particles. */
static const double edge_pair_and_rounding = 1.001;

/* Coordinates that are off by u L turn a pair at distance r by u L / r, and so change a component
 * of its force by no more than |f| u L / r. */
static double error_of_coordinates(const struct tolerances *tolerances,
                                   const struct reference_edge_pair *pair) {
    const double *f = pair->force;
    const double square = f[0] * f[0] + f[1] * f[1] + f[2] * f[2]; /* and r |f| is the virial */
    return pair->virial > 0.0 ? GATE_FACTOR * tolerances->arithmetic.unit * tolerances->length *
                                    square / pair->virial
                              : 0.0;
}

/* Widens the tolerances of the two particles of an edge pair. */
static bool allow_forces(struct tolerances *tolerances, const struct reference_edge_pair *pair,
                         struct error *error) {
    if (!tolerances->edge_components) {
        tolerances->edge_components =
            calloc(3 * tolerances->reference->n, sizeof *tolerances->edge_components);
        if (!tolerances->edge_components) {
            return fail_out_of_memory(error, "the gate");
        }
    }
    const double rounded = error_of_coordinates(tolerances, pair);
    for (size_t k = 0; k < 3; k++) {
        const double most = edge_pair_and_rounding * pair->force[k] + rounded;
        tolerances->edge_components[3 * (size_t)pair->i + k] += most;
        if (pair->j != REFERENCE_ELSEWHERE) {
            tolerances->edge_components[3 * (size_t)pair->j + k] += most;
        }
    }
    return true;
}

static bool allow_edge_pairs(struct tolerances *tolerances, struct error *error) {
    const struct reference *reference = tolerances->reference;
    double longest = longest_distance(reference, tolerances->length);
    double width = GATE_FACTOR * tolerances->arithmetic.unit * (tolerances->length + longest);
    const double weight =
        edge_pair_and_rounding * (reference->edge_weight > 0.0 ? reference->edge_weight : 1.0);
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        const struct reference_edge_pair *pair = &reference->edge_pairs[p];
        if (pair->gap > width) {
            continue;
        }
        if (!(reference->edge_weight > 0.0) && !allow_forces(tolerances, pair, error)) {
            return false;
        }
        for (int kind = 0; kind < TERM_KINDS; kind++) {
            tolerances->edge_energy[kind] += weight * pair->energy[kind];
        }
        tolerances->edge_virial += weight * pair->virial;
        if (pair->gap <= 0.5 * width) {
            add_near_pair(&tolerances->near, pair->gap / (tolerances->arithmetic.unit * longest),
                          pair->energy[TERM_VAN_DER_WAALS] + pair->energy[TERM_COULOMB], weight);
        }
    }
    return true;
}

/* ---- bounds ---- */

/* What sums of few terms in float make of the sum of `terms` of like size; 0 where u covers
 * them. */
static double adding_few(const struct tolerances *tolerances, double terms) {
    const double few = 64.0;
    const double spread = 96.0; /* 6 standard deviations */
    return tolerances->arithmetic.few_unit * spread / sqrt(fmax(terms, few));
}

/* The tolerance of a number whose terms have this scale and slope; `alike`, at most `terms`: how
 * many of the largest size would come to the scale. */
static double tolerance(const struct tolerances *tolerances, double scale, double slope,
                        double terms, double alike) {
    const struct arithmetic *arithmetic = &tolerances->arithmetic;
    return GATE_FACTOR * arithmetic->unit * (scale + tolerances->length * slope) +
           (1.5 * arithmetic->sum_unit * sqrt(terms) + adding_few(tolerances, alike)) * scale +
           (arithmetic->smallest + arithmetic->quantum) * terms;
}

/* How many units of rounding a sum of `terms` numbers may err by, relative to the sum of their
 * sizes; `alike`, 0 to 1, is how much of them errs alike. */
static double adding_units(const struct evaluation *evaluation, double terms, double alike) {
    if (evaluation->sum_items <= 0.0) {
        return sqrt(terms);
    }
    const double each = terms / evaluation->sum_items;
    const double one_by_one =
        sqrt(terms) / evaluation->sum_items + alike * sqrt(each) + alike * alike * each;
    const double serial =
        2.0 * sqrt(evaluation->sum_serial) + alike * alike * evaluation->sum_serial;
    const double levels = log2(2.0 + evaluation->sum_items);
    return 2.0 + alike * levels + one_by_one + serial;
}

/* What is lost for being less than half a unit in the last place of what it is added to. */
static double lost_terms(const struct tolerances *tolerances, const struct total *total,
                         const struct evaluation *evaluation) {
    const double items = fmax(evaluation->sum_items, 1.0);
    const double rows = (double)tolerances->reference->n / items; /* that a work-item's sum holds */
    const double limit = lost_rows * fmax(rows, 1.0) * tolerances->arithmetic.sum_unit;
    const int end = (int)ceil(log2(limit)) + REFERENCE_SMALL_BINS;
    double sum = 0.0;
    for (int bin = 0; bin < end && bin < REFERENCE_SMALL_BINS; bin++) {
        sum += total->small[bin];
    }
    return sum;
}

/* The tolerance of a number of the whole box. */
static double total_tolerance(const struct tolerances *tolerances, const struct total *total,
                              const struct evaluation *evaluation) {
    const struct arithmetic *arithmetic = &tolerances->arithmetic;
    const struct reference *reference = tolerances->reference;
    const double terms = 2.0 * (double)reference->pairs_in_cutoff;
    if (!(reference->spread.energy > 0.0)) { /* not known, or there is nothing to sum */
        return tolerance(tolerances, total->scale, total->slope, terms, terms);
    }
    const double whole = 8.0 * reference->energy_scale + 2.0 * reference->virial_scale;
    const double alike =
        fmin(1.0, fmax(relative_error(reference->spread.energy, whole), total->equal));
    return arithmetic->unit *
               (total->coherent + 2.0 * total->spread + 1.5 * tolerances->length * total->shift) +
           (arithmetic->sum_unit * adding_units(evaluation, terms, alike) +
            adding_few(tolerances, terms)) *
               total->scale +
           lost_terms(tolerances, total, evaluation) +
           (arithmetic->smallest + arithmetic->quantum) * terms;
}

struct bound bound_of_force(const struct tolerances *tolerances, size_t particle, int component) {
    const struct reference *reference = tolerances->reference;
    const double *edge = tolerances->edge_components;
    const double condition = reference->condition ? reference->condition[particle] : 0.0;
    const double scale = reference->scale[particle];
    const double largest = reference->largest ? reference->largest[particle] : 0.0;
    const double lost = reference->lost && tolerances->arithmetic.sum_unit >= REFERENCE_FLOAT_UNIT
                            ? reference->lost[particle]
                            : 0.0;
    return (struct bound){ .allowed = tolerance(tolerances, scale, reference->slope[particle],
                                                reference->neighbours[particle],
                                                largest > 0.0 ? scale / largest : 0.0) +
                                      GATE_FACTOR * tolerances->arithmetic.unit * condition + lost,
                           .edge = edge ? edge[3 * particle + (size_t)component] : 0.0 };
}

struct bound bound_of_energy(const struct tolerances *tolerances,
                             const struct evaluation *evaluation) {
    const struct reference *reference = tolerances->reference;
    const struct reference_spread *spread = &reference->spread;
    const double trace = reference->virial[0] + reference->virial[4] + reference->virial[8];
    const struct total total = { .scale = reference->energy_scale,
                                 .slope = reference->energy_slope,
                                 .coherent =
                                     reference->energy_scale + 2.0 * spread->energy_condition +
                                     fmax(0.25 * reference->virial_scale, 1.5 * fabs(trace)),
                                 .spread = spread->energy,
                                 .shift = spread->energy_shift,
                                 .equal =
                                     relative_error(spread->energy_equal, reference->energy_scale),
                                 .small = spread->energy_small };
    return (struct bound){ .allowed = total_tolerance(tolerances, &total, evaluation),
                           .edge = near_energy(&tolerances->near) };
}

struct bound bound_of_kind(const struct tolerances *tolerances, int kind) {
    const struct reference_energy *expected = &tolerances->reference->kinds[kind];
    const double terms = 2.0 * (double)tolerances->reference->pairs_in_cutoff;
    return (struct bound){ .allowed = tolerance(tolerances, expected->scale, expected->slope, terms,
                                                terms),
                           .edge = tolerances->edge_energy[kind] };
}

struct bound bound_of_virial(const struct tolerances *tolerances,
                             const struct evaluation *evaluation) {
    const struct reference *reference = tolerances->reference;
    const struct reference_spread *spread = &reference->spread;
    const struct total total = { .scale = reference->virial_scale,
                                 .slope = reference->virial_slope,
                                 .coherent =
                                     reference->virial_scale + 2.0 * spread->virial_coherent,
                                 .spread = spread->virial,
                                 .shift = spread->virial_shift,
                                 .small = spread->virial_small };
    return (struct bound){ .allowed = total_tolerance(tolerances, &total, evaluation),
                           .edge = tolerances->edge_virial };
}

/* ---- making ---- */

/* Where pairs are computed exactly, only sums have errors. */
static void expect_exact_pairs(struct arithmetic *arithmetic, bool whole) {
    const bool is_fixed = arithmetic->quantum > 0.0;
    if (arithmetic->unit > arithmetic->sum_unit && (!is_fixed || whole)) {
        arithmetic->few_unit = is_fixed ? 0.0 : arithmetic->unit;
        arithmetic->unit = arithmetic->sum_unit;
        arithmetic->quantum = 0.0;
    }
}

bool tolerances_make(const struct reference *reference, double length_scale,
                     enum precision precision, struct tolerances *tolerances, struct error *error) {
    *tolerances = (struct tolerances){ .reference = reference,
                                       .arithmetic = arithmetic_of(precision),
                                       .length = fmax(length_scale, reference->length_scale) };
    if (reference->is_exact || reference->is_of_other_order) {
        expect_exact_pairs(&tolerances->arithmetic, reference->is_whole);
    }
    if (reference->is_of_other_order) { /* which errs as much */
        tolerances->arithmetic.few_unit *= sqrt(2);
    }
    tolerances->arithmetic.unit += reference->unit;
    tolerances->arithmetic.sum_unit += reference->unit;
    return allow_edge_pairs(tolerances, error);
}

void tolerances_free(struct tolerances *tolerances) {
    free(tolerances->edge_components);
    tolerances->edge_components = NULL;
}

struct numbering {
    const struct tolerances *tolerances;
    double *numbers;
};

static void number_some(void *context, size_t first, size_t end) {
    const struct numbering *numbering = context;
    for (size_t k = 3 * first; k < 3 * end; k++) {
        const struct bound bound = bound_of_force(numbering->tolerances, k / 3, (int)(k % 3));
        numbering->numbers[k] = bound.allowed + bound.edge;
    }
}

bool tolerances_of_forces(const struct reference *reference, double length_scale,
                          enum precision precision, double *numbers, struct error *error) {
    struct tolerances tolerances;
    const bool made = tolerances_make(reference, length_scale, precision, &tolerances, error);
    if (made) {
        threads_share(reference->n, number_some, &(struct numbering){ &tolerances, numbers });
    }
    tolerances_free(&tolerances);
    return made;
}

/* ---- errors of all vectors together ---- */

void vector_errors_add(struct vector_errors *errors, size_t k, double got, double expected) {
    const double error = isnan(got - expected) ? INFINITY : fabs(got - expected);
    errors->square += expected * expected;
    errors->square_error += error * error;
    errors->largest = fmax(errors->largest, error);
    errors->net[k % 3] += got;
}

void vector_errors_join(struct vector_errors *errors, const struct vector_errors *others) {
    errors->square += others->square;
    errors->square_error += others->square_error;
    errors->largest = fmax(errors->largest, others->largest);
    for (int d = 0; d < 3; d++) {
        errors->net[d] += others->net[d];
    }
}

static double root_mean_square(const struct vector_errors *errors, size_t n) {
    return sqrt(errors->square / (double)n);
}

void vector_errors_conclude(const struct vector_errors *errors, size_t n, struct verdict *verdict) {
    const double rms = root_mean_square(errors, n);
    verdict->max_force_error = relative_error(errors->largest, rms);
    verdict->rms_force_error = relative_error(sqrt(errors->square_error / (double)n), rms);
}

double vector_errors_net(const struct vector_errors *errors, size_t n) {
    return relative_error(sqrt(vector_dot(errors->net, errors->net)), root_mean_square(errors, n));
}
