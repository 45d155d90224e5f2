#include "judge/gate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The precision as the tolerances need it. */
struct arithmetic {
    double unit;     /* unit roundoff of the arithmetic */
    double sum_unit; /* unit roundoff of the sums */
    double largest;  /* largest finite number */
    double smallest; /* numbers below this may be flushed to zero */
};

enum { GAP_CLASSES = 64 };

/* Energies of pairs of which some may be decided otherwise than by the reference: by how far they
 * are from their cutoff, in roundings of it, for those as far may all be decided alike. */
struct edge_sums {
    double of_class[GAP_CLASSES];
    double all, largest;
};

struct gate {
    const struct workload_words *words;
    const struct reference *reference;
    const struct evaluation *evaluation;
    struct verdict *verdict;
    struct arithmetic arithmetic;
    enum outputs outputs;
    double length;     /* L */
    double *allowance; /* 3n: forces of pairs at the edge of the cutoff; NULL: there are none */
    double edge_energy[TERM_KINDS]; /* the same for the energy */
    double edge_virial;             /* and for each virial */
    struct edge_sums near;          /* of the energy, of those so near that totals may show them */
    size_t force_wrong;             /* components out of tolerance */
    double worst_ratio;             /* of what `worst` describes */
    char worst[256];                /* the worst offender, in words */
    char rest[256];                 /* the others, in short */
};

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

/* What the tolerance of a number of the whole box is made of; see gate.h. */
struct total {
    double scale, slope; /* sums over pairs of the sizes of its terms and of their slopes */
    double coherent, spread, shift;
};

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
                       gate->words->value, reference->energy, gate->words->tensor);
        return false;
    }
    (void)snprintf(verdict->message, sizeof verdict->message,
                   "the reference %ss are not finite in this precision on %zu particles: %s%s; "
                   "they coincide with others, or nearly so",
                   gate->words->result, unusable, names, unusable > NAMED ? ", ..." : "");
    return false;
}

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

size_t gate_edge_pairs(const struct reference *reference, double length_scale,
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

/* Of the particles of one edge pair. */
static bool allow_forces(struct gate *gate, const struct reference_edge_pair *pair) {
    if (!gate->allowance) {
        gate->allowance = calloc(3 * gate->reference->n, sizeof *gate->allowance);
        if (!gate->allowance) {
            gate->verdict->status = STATUS_OUT_OF_MEMORY;
            (void)snprintf(gate->verdict->message, sizeof gate->verdict->message,
                           "out of memory for the gate");
            return false;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        gate->allowance[3 * (size_t)pair->i + k] += pair->force[k];
        if (pair->j != REFERENCE_ELSEWHERE) {
            gate->allowance[3 * (size_t)pair->j + k] += pair->force[k];
        }
    }
    return true;
}

static bool allow_edge_pairs(struct gate *gate) {
    const struct reference *reference = gate->reference;
    double longest = longest_distance(reference, gate->length);
    double width = GATE_FACTOR * gate->arithmetic.unit * (gate->length + longest);
    const double weight = reference->edge_weight > 0.0 ? reference->edge_weight : 1.0;
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        const struct reference_edge_pair *pair = &reference->edge_pairs[p];
        if (pair->gap > width) {
            continue;
        }
        if (!(reference->edge_weight > 0.0) && !allow_forces(gate, pair)) {
            return false;
        }
        for (int kind = 0; kind < TERM_KINDS; kind++) {
            gate->edge_energy[kind] += weight * pair->energy[kind];
        }
        gate->edge_virial += weight * pair->virial;
        if (pair->gap <= 0.5 * width) {
            add_near_pair(&gate->near, pair->gap / (gate->arithmetic.unit * longest),
                          pair->energy[TERM_VAN_DER_WAALS] + pair->energy[TERM_COULOMB], weight);
        }
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

/* How many units of rounding a sum of `terms` numbers may err by, relative to the sum of their
 * sizes; `alike`, 0 to 1, is how much of them errs alike. */
static double adding_units(const struct evaluation *evaluation, double terms, double alike) {
    if (evaluation->sum_items <= 0.0) {
        return sqrt(terms);
    }
    const double each = terms / evaluation->sum_items;
    const double one_by_one =
        sqrt(terms) / evaluation->sum_items + alike * sqrt(each) + alike * alike * each;
    const double turns = 2.0 * sqrt(evaluation->sum_turns) + alike * alike * evaluation->sum_turns;
    const double levels = log2(2.0 + evaluation->sum_items);
    return 2.0 + alike * levels + one_by_one + turns;
}

/* The tolerance of a number of the whole box. */
static double total_tolerance(const struct gate *gate, const struct total *total) {
    const struct arithmetic *arithmetic = &gate->arithmetic;
    const struct reference *reference = gate->reference;
    const double terms = 2.0 * (double)reference->pairs_in_cutoff;
    if (!(reference->spread.energy > 0.0)) { /* not known, or there is nothing to sum */
        return tolerance(gate, total->scale, total->slope, terms);
    }
    const double whole = 8.0 * reference->energy_scale + 2.0 * reference->virial_scale;
    const double alike = fmin(1.0, relative(reference->spread.energy, whole));
    return arithmetic->unit *
               (total->coherent + 2.0 * total->spread + 1.5 * gate->length * total->shift) +
           arithmetic->sum_unit * adding_units(gate->evaluation, terms, alike) * total->scale +
           arithmetic->smallest * terms;
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
                           gate->words->result, gate->words->of, i + 1, "xyz"[k], got, expected,
                           allowed + edge);
        }
    }
}

/* ---- sums kept in float under `mixed` ---- */

enum { LEAST_TERMS = 16, LEAST_SEEN = 64, MOST_SEEN = 256 };

/* How many different numbers were seen, and how many of them a float can hold. */
struct seen {
    double number[MOST_SEEN]; /* at a place of its own; 0: none */
    size_t count, floats;
};

static void see(struct seen *seen, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    double *place = &seen->number[(bits * 0x9e3779b97f4a7c15u) >> 56];
    if (*place == 0.0) {
        *place = number;
        seen->count++;
        seen->floats += number == (double)(float)number;
    }
}

/* A sum of floats in double has bits that no float has, but for one in two of the numbers at most;
 * see gate.h. */
static void judge_bits(struct gate *gate) {
    const struct reference *reference = gate->reference;
    struct seen seen = { .count = 0 };
    for (size_t i = 0; i < reference->n; i++) {
        const double terms = reference->neighbours[i];
        const double least = 4.0 * reference->scale[i] / terms;
        for (size_t k = 0; k < 3 && terms >= LEAST_TERMS; k++) {
            const double size = fabs(gate->evaluation->force[3 * i + k]);
            if (size >= least && size > gate->arithmetic.smallest) {
                see(&seen, size);
            }
        }
    }
    if (seen.count >= LEAST_SEEN && seen.floats == seen.count && !gate->worst[0]) {
        (void)snprintf(gate->worst, sizeof gate->worst,
                       "%ss of %zu components that were looked at have no more digits than a "
                       "float: under mixed they are to be summed in double",
                       gate->words->result, seen.count);
        gate->worst_ratio = INFINITY;
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
    if (gate->arithmetic.unit > gate->arithmetic.sum_unit) {
        judge_bits(gate);
    }
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
    const struct reference_spread *spread = &reference->spread;
    double got = gate->evaluation->energy;
    double terms = 2.0 * (double)reference->pairs_in_cutoff;
    const double trace = reference->virial[0] + reference->virial[4] + reference->virial[8];
    const struct total total = { .scale = reference->energy_scale,
                                 .slope = reference->energy_slope,
                                 .coherent =
                                     reference->energy_scale + 2.0 * spread->energy_lean +
                                     fmax(0.25 * reference->virial_scale, 1.5 * fabs(trace)),
                                 .spread = spread->energy,
                                 .shift = spread->energy_shift };
    compare_total(gate, gate->words->value, got, reference->energy, total_tolerance(gate, &total),
                  near_energy(&gate->near));
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
    const struct reference_spread *spread = &reference->spread;
    const struct total total = { .scale = reference->virial_scale,
                                 .slope = reference->virial_slope,
                                 .coherent = reference->virial_scale + 2.0 * spread->virial_stretch,
                                 .spread = spread->virial,
                                 .shift = spread->virial_shift };
    double allowed = total_tolerance(gate, &total);
    double largest = 0.0;
    char name[32];
    for (int k = 0; k < 9; k++) {
        double got = gate->evaluation->virial[k];
        double error = fabs(got - reference->virial[k]);
        (void)snprintf(name, sizeof name, "%s %c%c", gate->words->tensor, "xyz"[k / 3],
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
    const bool counted = gate->force_wrong > 0 || gate->rest[0];
    (void)snprintf(verdict->message, sizeof verdict->message, "%s%s", gate->worst,
                   counted ? "; out of tolerance:" : "");
    size_t length = strlen(verdict->message);
    if (gate->force_wrong > 0) {
        (void)snprintf(verdict->message + length, sizeof verdict->message - length,
                       " %zu of %zu %s components%s", gate->force_wrong, 3 * gate->reference->n,
                       gate->words->result, gate->rest[0] ? "," : "");
        length = strlen(verdict->message);
    }
    if (gate->rest[0]) {
        (void)snprintf(verdict->message + length, sizeof verdict->message - length, " %s",
                       gate->rest);
    }
}

static struct gate gate_for(const struct workload_words *words, const struct reference *reference,
                            double length_scale, enum precision precision, enum outputs outputs,
                            const struct evaluation *evaluation, struct verdict *verdict) {
    struct gate gate = { .words = words,
                         .reference = reference,
                         .evaluation = evaluation,
                         .verdict = verdict,
                         .arithmetic = arithmetic_of(precision),
                         .outputs = outputs,
                         .length = fmax(length_scale, reference->length_scale) };
    gate.arithmetic.unit += reference->unit;
    gate.arithmetic.sum_unit += reference->unit;
    *verdict = verdict_of(STATUS_OK);
    return gate;
}

static void compare_totals(struct gate *gate) {
    if (gate->outputs >= OUTPUTS_ENERGY) {
        compare_energy(gate);
    }
    if (gate->outputs >= OUTPUTS_VIRIAL) {
        compare_virial(gate);
    }
}

void gate_compare_in_words(const struct workload_words *words, const struct reference *reference,
                           double length_scale, enum precision precision, enum outputs outputs,
                           const struct evaluation *evaluation, struct verdict *verdict) {
    struct gate gate =
        gate_for(words, reference, length_scale, precision, outputs, evaluation, verdict);
    if (evaluation->n != reference->n || !evaluation->force) {
        verdict->status = STATUS_WRONG;
        (void)snprintf(verdict->message, sizeof verdict->message,
                       "forces on %zu particles were computed, expected %zu",
                       evaluation->force ? evaluation->n : 0, reference->n);
        return;
    }
    if (reference_usable(&gate) && allow_edge_pairs(&gate)) {
        compare_forces(&gate);
        compare_totals(&gate);
        conclude(&gate);
    }
    free(gate.allowance);
}

void gate_compare(const struct reference *reference, double length_scale, enum precision precision,
                  enum outputs outputs, const struct evaluation *evaluation,
                  struct verdict *verdict) {
    gate_compare_in_words(&workloads[0]->words, reference, length_scale, precision, outputs,
                          evaluation, verdict);
}

void gate_compare_totals(const struct workload_words *words, const struct reference *reference,
                         double length_scale, enum precision precision, enum outputs outputs,
                         const struct evaluation *evaluation, struct verdict *verdict) {
    struct gate gate =
        gate_for(words, reference, length_scale, precision, outputs, evaluation, verdict);
    if (totals_usable(&gate) && allow_edge_pairs(&gate)) {
        compare_totals(&gate);
        conclude(&gate);
    }
    free(gate.allowance);
}

bool gate_force_tolerances(const struct reference *reference, double length_scale,
                           enum precision precision, double *tolerances, struct error *error) {
    struct verdict verdict;
    struct gate gate =
        gate_for(NULL, reference, length_scale, precision, OUTPUTS_FORCES, NULL, &verdict);
    if (!allow_edge_pairs(&gate)) {
        return fail(error, verdict.status, "%s", verdict.message);
    }
    for (size_t place = 0; place < 3 * reference->n; place++) {
        const size_t i = place / 3;
        tolerances[place] =
            tolerance(&gate, reference->scale[i], reference->slope[i], reference->neighbours[i]) +
            (gate.allowance ? gate.allowance[place] : 0.0);
    }
    free(gate.allowance);
    return true;
}
