#include "measure/gate.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* The precision as the tolerances need it. */
struct arithmetic {
    double unit;     /* unit roundoff of the arithmetic */
    double sum_unit; /* unit roundoff of the sums */
    double largest;  /* largest finite number */
    double smallest; /* numbers below this may be flushed to zero */
};

struct gate {
    const struct reference *reference;
    const struct evaluation *evaluation;
    struct verdict *verdict;
    struct arithmetic arithmetic;
    enum outputs outputs;
    double length;     /* L */
    double *allowance; /* 3n: forces of pairs at the edge of the cutoff; NULL: there are none */
    double edge_energy[TERM_KINDS]; /* the same for the energy */
    double edge_virial;             /* and for each virial */
    size_t force_wrong;             /* components out of tolerance */
    double worst_ratio;             /* of what `worst` describes */
    char worst[256];                /* the worst offender, in words */
    char rest[256];                 /* the others, in short */
};

struct verdict verdict_of(enum status status) {
    return (struct verdict){ .status = status,
                             .max_force_error = NAN,
                             .rms_force_error = NAN,
                             .energy_error = NAN,
                             .virial_error = NAN,
                             .worst_ratio = NAN,
                             .net_force = NAN,
                             .bitwise_repeatable = -1 };
}

/* An intermediate is up to some powers of two smaller than the force it becomes part of. */
static const double underflow_margin = 1024.0;

static struct arithmetic arithmetic_of(enum precision precision) {
    struct arithmetic arithmetic = { 0x1p-24, 0x1p-24, FLT_MAX, underflow_margin * FLT_MIN };
    if (precision == PRECISION_MIXED) {
        arithmetic.sum_unit = 0x1p-53;
    } else if (precision == PRECISION_DOUBLE) {
        arithmetic = (struct arithmetic){ 0x1p-53, 0x1p-53, DBL_MAX, underflow_margin * DBL_MIN };
    }
    return arithmetic;
}

/* error / scale, with 0/0 = 0 and anything unbounded as infinity. */
static double relative(double error, double scale) {
    if (error == 0.0) {
        return 0.0;
    }
    double ratio = error / scale;
    return isnan(ratio) ? INFINITY : ratio;
}

/* ---- what numbers are called ---- */

static const char *force_word(const struct reference *reference) {
    return reference->coordination ? "derivative" : "force";
}

static const char *energy_word(const struct reference *reference) {
    return reference->coordination ? "coordination" : "energy";
}

static const char *virial_word(const struct reference *reference) {
    return reference->coordination ? "box derivative" : "virial";
}

/* ---- a reference that cannot be compared with ---- */

static bool particle_usable(const struct gate *gate, size_t i) {
    const struct reference *reference = gate->reference;
    const double *f = reference->force + 3 * i;
    double largest = gate->arithmetic.largest;
    return reference->scale[i] <= largest && reference->slope[i] <= largest &&
           fabs(f[0]) <= largest && fabs(f[1]) <= largest && fabs(f[2]) <= largest;
}

static bool totals_usable(const struct gate *gate) {
    const struct reference *reference = gate->reference;
    double largest = gate->arithmetic.largest;
    if (gate->outputs < OUTPUTS_ENERGY) {
        return true;
    }
    bool usable = fabs(reference->energy) <= largest && reference->energy_scale <= largest &&
                  reference->energy_slope <= largest && reference->virial_scale <= largest &&
                  reference->virial_slope <= largest;
    for (int k = 0; k < 9; k++) {
        usable = usable && fabs(reference->virial[k]) <= largest;
    }
    return usable;
}

/* True when the reference is finite and fits the arithmetic; else the verdict says where not. */
static bool reference_usable(struct gate *gate) {
    enum { NAMED = 8 };
    const struct reference *reference = gate->reference;
    struct verdict *verdict = gate->verdict;
    char names[NAMED * 24] = "";
    size_t length = 0;
    size_t unusable = 0;
    for (size_t i = 0; i < reference->n; i++) {
        if (!particle_usable(gate, i) && unusable++ < NAMED) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%zu",
                                       length ? ", " : "", i + 1);
        }
    }
    if (unusable == 0 && totals_usable(gate)) {
        return true;
    }
    verdict->status = STATUS_UNSUPPORTED;
    if (unusable == 0) {
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "the reference %s (%g) or %s is not finite in this precision",
                       energy_word(reference), reference->energy, virial_word(reference));
        return false;
    }
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "the reference %ss are not finite in this precision on %zu particles: %s%s; "
                   "they coincide with others, or nearly so",
                   force_word(reference), unusable, names, unusable > NAMED ? ", ..." : "");
    return false;
}

/* ---- pairs at the edge of the cutoff ---- */

static bool allow_edge_pairs(struct gate *gate) {
    const struct reference *reference = gate->reference;
    double longest = isfinite(reference->cutoff) ? reference->cutoff : gate->length;
    double width = GATE_FACTOR * gate->arithmetic.unit * (gate->length + longest);
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        const struct reference_edge_pair *pair = &reference->edge_pairs[p];
        if (pair->gap > width) {
            continue;
        }
        if (!gate->allowance) {
            gate->allowance = calloc(3 * reference->n, sizeof *gate->allowance);
            if (!gate->allowance) {
                gate->verdict->status = STATUS_OUT_OF_MEMORY;
                (void)snprintf(gate->verdict->message, sizeof gate->verdict->message,
                               "out of memory for the gate");
                return false;
            }
        }
        for (size_t k = 0; k < 3; k++) {
            gate->allowance[3 * (size_t)pair->i + k] += pair->force[k];
            gate->allowance[3 * (size_t)pair->j + k] += pair->force[k];
        }
        for (int kind = 0; kind < TERM_KINDS; kind++) {
            gate->edge_energy[kind] += pair->energy[kind];
        }
        gate->edge_virial += pair->virial;
    }
    return true;
}

/* ---- comparisons ---- */

/* The tolerance of a number whose terms have this scale and slope. */
static double tolerance(const struct gate *gate, double scale, double slope, double terms) {
    const struct arithmetic *arithmetic = &gate->arithmetic;
    return GATE_FACTOR * arithmetic->unit * (scale + gate->length * slope) +
           arithmetic->sum_unit * sqrt(terms) * scale + arithmetic->smallest * terms;
}

/* True when within tolerance, after what pairs at the edge of the cutoff may account for; keeps the
 * largest ratio of error to tolerance. *worse: it is now this one's. */
static bool within(struct gate *gate, double got, double expected, double allowed, double edge,
                   bool *worse) {
    double error = fabs(got - expected) - edge;
    if (error < 0.0) {
        error = 0.0;
    }
    bool accepted = error <= allowed; /* false for NaN, as for an infinity */
    double ratio = relative(error, allowed);
    /* A number that fails outweighs any that passes, also where a division rounds to 1. */
    *worse = ratio > gate->worst_ratio || (!accepted && gate->worst[0] == '\0');
    if (*worse) {
        gate->worst_ratio = ratio;
    }
    return accepted;
}

static void compare_force(struct gate *gate, size_t i, int k) {
    const struct reference *reference = gate->reference;
    size_t place = 3 * i + (size_t)k;
    double got = gate->evaluation->force[place];
    double expected = reference->force[place];
    double allowed =
        tolerance(gate, reference->scale[i], reference->slope[i], reference->neighbours[i]);
    double edge = gate->allowance ? gate->allowance[place] : 0.0;
    bool worse;
    if (!within(gate, got, expected, allowed, edge, &worse)) {
        gate->force_wrong++;
        if (worse) {
            (void)snprintf(gate->worst, sizeof gate->worst,
                           "%s %s particle %zu, %c: got %.9g, expected %.9g, tolerance %.3g",
                           force_word(reference), reference->coordination ? "of" : "on", i + 1,
                           "xyz"[k], got, expected, allowed + edge);
        }
    }
}

/* Fills in the force errors relative to the RMS force. */
static void force_errors(struct gate *gate) {
    const double *got = gate->evaluation->force;
    const double *expected = gate->reference->force;
    double square = 0.0, square_error = 0.0, largest = 0.0;
    double net[3] = { 0.0, 0.0, 0.0 };
    size_t n = gate->reference->n;
    for (size_t i = 0; i < 3 * n; i++) {
        double error = fabs(got[i] - expected[i]);
        error = isnan(error) ? INFINITY : error;
        square += expected[i] * expected[i];
        square_error += error * error;
        largest = fmax(largest, error);
        net[i % 3] += got[i];
    }
    double rms = sqrt(square / (double)n);
    gate->verdict->max_force_error = relative(largest, rms);
    gate->verdict->rms_force_error = relative(sqrt(square_error / (double)n), rms);
    gate->verdict->net_force =
        relative(sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]), rms);
}

static void compare_forces(struct gate *gate) {
    for (size_t i = 0; i < gate->reference->n; i++) {
        for (int k = 0; k < 3; k++) {
            compare_force(gate, i, k);
        }
    }
    force_errors(gate);
}

/* Compares one number of the whole box. What is not the worst is appended to `rest`. */
static void compare_total(struct gate *gate, const char *name, double got, double expected,
                          double allowed, double edge) {
    bool worse;
    char words[200];
    if (within(gate, got, expected, allowed, edge, &worse)) {
        return;
    }
    (void)snprintf(words, sizeof words, "%s: got %.15g, expected %.15g, tolerance %.3g", name, got,
                   expected, allowed + edge);
    if (worse) {
        (void)snprintf(gate->worst, sizeof gate->worst, "%s", words);
    }
    size_t length = strlen(gate->rest);
    (void)snprintf(gate->rest + length, sizeof gate->rest - length, "%s%s", length ? ", " : "",
                   name);
}

static void compare_energy(struct gate *gate) {
    const struct reference *reference = gate->reference;
    double got = gate->evaluation->energy;
    double terms = 2.0 * (double)reference->pairs_in_cutoff;
    compare_total(gate, energy_word(reference), got, reference->energy,
                  tolerance(gate, reference->energy_scale, reference->energy_slope, terms),
                  gate->edge_energy[TERM_VAN_DER_WAALS] + gate->edge_energy[TERM_COULOMB]);
    for (int kind = 0; reference->energies_apart && kind < TERM_KINDS; kind++) {
        const struct reference_energy *expected = &reference->kinds[kind];
        compare_total(gate, kind == TERM_COULOMB ? "Coulomb energy" : "van der Waals energy",
                      kind == TERM_COULOMB ? gate->evaluation->energy_coulomb
                                           : gate->evaluation->energy_vdw,
                      expected->value, tolerance(gate, expected->scale, expected->slope, terms),
                      gate->edge_energy[kind]);
    }
    gate->verdict->energy_error = relative(fabs(got - reference->energy), reference->energy_scale);
}

static void compare_virial(struct gate *gate) {
    const struct reference *reference = gate->reference;
    double terms = 2.0 * (double)reference->pairs_in_cutoff;
    double allowed = tolerance(gate, reference->virial_scale, reference->virial_slope, terms);
    double largest = 0.0;
    char name[32];
    for (int k = 0; k < 9; k++) {
        double got = gate->evaluation->virial[k];
        double error = fabs(got - reference->virial[k]);
        (void)snprintf(name, sizeof name, "%s %c%c", virial_word(reference), "xyz"[k / 3],
                       "xyz"[k % 3]);
        compare_total(gate, name, got, reference->virial[k], allowed, gate->edge_virial);
        largest = fmax(largest, isnan(error) ? INFINITY : error);
    }
    gate->verdict->virial_error = relative(largest, reference->virial_scale);
}

static void conclude(struct gate *gate) {
    struct verdict *verdict = gate->verdict;
    verdict->worst_ratio = gate->worst_ratio;
    verdict->status = gate->worst[0] ? STATUS_WRONG : STATUS_OK;
    if (verdict->status == STATUS_OK) {
        return;
    }
    (void)snprintf(verdict->message, sizeof verdict->message, "%s; out of tolerance:", gate->worst);
    size_t length = strlen(verdict->message);
    if (gate->force_wrong > 0) {
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       " %zu of %zu %s components%s", gate->force_wrong, 3 * gate->reference->n,
                       force_word(gate->reference), gate->rest[0] ? "," : "");
        length = strlen(verdict->message);
    }
    if (gate->rest[0]) {
        (void)snprintf(verdict->message + length, sizeof verdict->message - length, " %s",
                       gate->rest);
    }
}

void gate_compare(const struct reference *reference, double length_scale, enum precision precision,
                  enum outputs outputs, const struct evaluation *evaluation,
                  struct verdict *verdict) {
    struct gate gate = { .reference = reference,
                         .evaluation = evaluation,
                         .verdict = verdict,
                         .arithmetic = arithmetic_of(precision),
                         .outputs = outputs,
                         .length = fmax(length_scale, reference->length_scale) };
    *verdict = verdict_of(STATUS_OK);
    if (evaluation->n != reference->n || !evaluation->force) {
        verdict->status = STATUS_WRONG;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "forces on %zu particles were computed, expected %zu",
                       evaluation->force ? evaluation->n : 0, reference->n);
        return;
    }
    if (reference_usable(&gate) && allow_edge_pairs(&gate)) {
        compare_forces(&gate);
        if (outputs >= OUTPUTS_ENERGY) {
            compare_energy(&gate);
        }
        if (outputs >= OUTPUTS_VIRIAL) {
            compare_virial(&gate);
        }
        conclude(&gate);
    }
    free(gate.allowance);
}
