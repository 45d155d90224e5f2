#include "workloads/gate.h"

#include "core/quantity.h"
#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gate {
    const struct workload_words *words;
    const struct reference *reference;
    const struct evaluation *evaluation;
    struct verdict *verdict;
    struct tolerances tolerances;
    enum outputs outputs;
    bool with_forces;   /* else totals alone are looked at */
    size_t force_wrong; /* components out of tolerance */
    double worst_ratio; /* of what `worst` describes */
    char worst[256];    /* the worst offender, in words */
    char rest[256];     /* the others, in short */
};

/* ---- a reference that cannot be compared with ---- */

static bool particle_usable(const struct gate *gate, size_t i) {
    const struct reference *reference = gate->reference;
    const double *f = reference->force + 3 * i;
    double largest = gate->tolerances.arithmetic.largest;
    return reference->scale[i] <= largest && reference->slope[i] <= largest &&
           fabs(f[0]) <= largest && fabs(f[1]) <= largest && fabs(f[2]) <= largest;
}

static bool totals_usable(const struct gate *gate) {
    const struct reference *reference = gate->reference;
    double largest = gate->tolerances.arithmetic.largest;
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

struct usability {
    const struct gate *gate;
    atomic_bool unusable;
};

static void use_some(void *context, size_t first, size_t end) {
    struct usability *usability = context;
    bool usable = true;
    for (size_t i = first; i < end; i++) {
        usable = usable && particle_usable(usability->gate, i);
    }
    if (!usable) {
        atomic_store(&usability->unusable, true);
    }
}

static bool all_usable(const struct gate *gate) {
    struct usability usability = { .gate = gate };
    threads_share(gate->reference->n, use_some, &usability);
    return !atomic_load(&usability.unusable);
}

/* Why a force cannot be judged: small errors of positions may change it without bound. */
static const char *why_unusable(const struct reference *reference, size_t i) {
    return isinf(reference->slope[i]) && isfinite(reference->scale[i])
               ? "three particles of a torsion on one line, or two of an angle in one place, "
                 "nearly "
                 "so, have forces without a bound"
               : "they coincide with others, or nearly so";
}

/* True when the reference is finite and fits the arithmetic; else the verdict says where not. */
static bool reference_usable(struct gate *gate) {
    enum { NAMED = 8 };
    const struct reference *reference = gate->reference;
    struct verdict *verdict = gate->verdict;
    char names[NAMED * 24] = "";
    size_t length = 0;
    size_t unusable = 0;
    const char *why = "";
    const bool looked = gate->with_forces && !all_usable(gate);
    for (size_t i = 0; looked && i < reference->n; i++) {
        if (!particle_usable(gate, i) && unusable++ < NAMED) {
            why = why_unusable(reference, i);
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
                   "the reference %ss are not finite in this precision on %zu particles: %s%s; %s",
                   gate->words->result, unusable, names, unusable > NAMED ? ", ..." : "", why);
    return false;
}

/* ---- comparisons ---- */

/* True when within tolerance, after what pairs at the edge of the cutoff may account for. *ratio:
 * of the error to the tolerance. */
static bool accept(double got, double expected, struct bound bound, double *ratio) {
    double error = fabs(got - expected) - bound.edge;
    if (error < 0.0) {
        error = 0.0;
    }
    *ratio = relative_error(error, bound.allowed);
    return error <= bound.allowed; /* false for NaN, as for an infinity */
}

/* Whether a number, or the worst of some, is the worst so far; keeps the largest ratio. */
static bool outweighs(struct gate *gate, double ratio, bool accepted) {
    /* A number that fails outweighs any that passes, also where a division rounds to 1. */
    const bool worse = ratio > gate->worst_ratio || (!accepted && gate->worst[0] == '\0');
    if (worse) {
        gate->worst_ratio = ratio;
    }
    return worse;
}

/* What a range of particles comes to. */
struct forces_part {
    size_t wrong;       /* components out of tolerance */
    size_t worst;       /* the place of the first of the worst of them */
    double worst_ratio; /* of all components */
    struct vector_errors errors;
};

struct comparing {
    const struct gate *gate;
    struct forces_part *part; /* one per THREADS_RANGE particles */
};

static void compare_force(const struct gate *gate, size_t place, struct forces_part *part) {
    const double got = gate->evaluation->force[place];
    const double expected = gate->reference->force[place];
    double ratio;
    const bool accepted = accept(
        got, expected, bound_of_force(&gate->tolerances, place / 3, (int)(place % 3)), &ratio);
    if (!accepted && (part->wrong == 0 || ratio > part->worst_ratio)) {
        part->worst = place;
    }
    part->wrong += !accepted;
    part->worst_ratio = fmax(part->worst_ratio, ratio);
    vector_errors_add(&part->errors, place, got, expected);
}

static void compare_some(void *context, size_t first, size_t end) {
    const struct comparing *comparing = context;
    for (size_t place = 3 * first; place < 3 * end; place++) {
        compare_force(comparing->gate, place, &comparing->part[first / THREADS_RANGE]);
    }
}

static void describe_force(struct gate *gate, size_t place) {
    const double expected = gate->reference->force[place];
    const struct bound bound = bound_of_force(&gate->tolerances, place / 3, (int)(place % 3));
    (void)snprintf(gate->worst, sizeof gate->worst,
                   "%s %s particle %zu, %c: got %.9g, expected %.9g, tolerance %.3g",
                   gate->words->result, gate->words->preposition, place / 3 + 1, "xyz"[place % 3],
                   unsigned_nan(gate->evaluation->force[place]), expected,
                   bound.allowed + bound.edge);
}

/* Parts in the order of the particles, so that no sum depends on the threads. */
static void add_force_part(struct gate *gate, const struct forces_part *part,
                           struct forces_part *whole) {
    gate->force_wrong += part->wrong;
    if (outweighs(gate, part->worst_ratio, part->wrong == 0) && part->wrong > 0) {
        describe_force(gate, part->worst);
    }
    vector_errors_join(&whole->errors, &part->errors);
}

/* ---- sums kept in float under `mixed` ---- */

enum { MIN_TERMS = 16, MIN_SEEN = 64, MAX_SEEN = 256 };

/* How many different numbers were seen, and how many of them a float can hold. */
struct seen {
    double number[MAX_SEEN]; /* at a place of its own; 0: none */
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
    /* One number that no float holds is enough. */
    for (size_t i = 0; i < reference->n && seen.floats == seen.count; i++) {
        const double terms = reference->neighbours[i];
        const double least = 4.0 * reference->scale[i] / terms;
        for (size_t k = 0; k < 3 && terms >= MIN_TERMS; k++) {
            const double size = fabs(gate->evaluation->force[3 * i + k]);
            if (size >= least && size > gate->tolerances.arithmetic.smallest) {
                see(&seen, size);
            }
        }
    }
    if (seen.count >= MIN_SEEN && seen.floats == seen.count && !gate->worst[0]) {
        (void)snprintf(gate->worst, sizeof gate->worst,
                       "%ss of %zu components that were looked at have no more digits than a "
                       "float: under mixed they are to be summed in double",
                       gate->words->result, seen.count);
        gate->worst_ratio = INFINITY;
    }
}

/* ---- sums in coarser units under `fixed` ---- */

/* Of terms that are dyadic numbers themselves, as on a lattice, sums are whole units, and all may
 * be even. */
static bool is_whole(double units) {
    return fabs(units - round(units)) < 0x1p-10;
}

/* Sums in units of fixed point, odd ones among them; see gate.h. */
static void judge_units(struct gate *gate) {
    const struct reference *reference = gate->reference;
    const double unit = 2.0 * gate->tolerances.arithmetic.quantum;
    struct seen seen = { .count = 0 };
    bool odd = false;
    for (size_t i = 0; i < reference->n && !odd; i++) {
        for (size_t k = 0; k < 3 && is_finer_than_fixed(reference->scale[i]); k++) {
            const double units = fabs(gate->evaluation->force[3 * i + k]) / unit;
            if (units >= 1.0 && !is_whole(reference->force[3 * i + k] / unit)) {
                see(&seen, units);
                odd = odd || fmod(units, 2.0) != 0.0;
            }
        }
    }
    if (seen.count >= MIN_SEEN && !odd && !gate->worst[0]) {
        (void)snprintf(gate->worst, sizeof gate->worst,
                       "%ss of %zu components that were looked at are multiples of twice the unit, "
                       "2^-32: under fixed each term is to be rounded to that",
                       gate->words->result, seen.count);
        gate->worst_ratio = INFINITY;
    }
}

/* ---- sums that fixed point does not hold ---- */

static const double fixed_limit = 0x1p31;

/* Kernels return such a sum as infinity. */
static bool overflows(double got, double expected) {
    return isinf(got) || fabs(expected) >= fixed_limit;
}

/* Whether sums of the box's own terms may come to too much for what kernels add up beside them, the
 * sizes of all terms (variants/accumulation.cl, pair.cl): then no kernel is to blame. */
static bool box_overflows(const struct gate *gate) {
    const struct reference *reference = gate->reference;
    const double limit_of_item = 0x1p30;
    const double sums = 2 * reference->energy_scale + 4 * reference->virial_scale;
    bool any = gate->outputs >= OUTPUTS_ENERGY && sums >= limit_of_item;
    for (size_t i = 0; gate->with_forces && !any && i < reference->n; i++) {
        any = 2 * reference->scale[i] >= fixed_limit; /* |x| + |y| + |z| */
    }
    return any;
}

/* The first that is too large, in words: a reason of its own, not a wrong number among others. */
static bool find_overflow(struct gate *gate) {
    const struct reference *reference = gate->reference;
    const struct evaluation *evaluation = gate->evaluation;
    char what[64] = "";
    double expected = 0.0;
    if (!(gate->tolerances.arithmetic.quantum > 0.0)) {
        return false;
    }
    for (size_t k = 0; gate->with_forces && k < 3 * reference->n && !*what; k++) {
        expected = reference->force[k];
        if (overflows(evaluation->force[k], expected)) {
            (void)snprintf(what, sizeof what, "%s %s particle %zu, %c", gate->words->result,
                           gate->words->preposition, k / 3 + 1, "xyz"[k % 3]);
        }
    }
    if (!*what && gate->outputs >= OUTPUTS_ENERGY &&
        overflows(evaluation->energy, reference->energy)) {
        expected = reference->energy;
        (void)snprintf(what, sizeof what, "%s", gate->words->value);
    }
    for (int k = 0; !*what && gate->outputs >= OUTPUTS_VIRIAL && k < 9; k++) {
        expected = reference->virial[k];
        if (overflows(evaluation->virial[k], expected)) {
            (void)snprintf(what, sizeof what, "%s", gate->words->tensor);
        }
    }
    if (*what) {
        gate->verdict->status = STATUS_WRONG;
        gate->verdict->worst_ratio = INFINITY;
        gate->verdict->box_overflows = box_overflows(gate);
        (void)snprintf(gate->verdict->message, sizeof gate->verdict->message,
                       "overflow: %s: expected %.6g; sums of 64 bits in units of 2^-32 hold, and "
                       "what is added to them may come to, less than 2^31",
                       what, expected);
    }
    return *what != '\0';
}

static bool compare_forces(struct gate *gate) {
    const size_t n = gate->reference->n;
    const size_t parts = (n + THREADS_RANGE - 1) / THREADS_RANGE;
    struct comparing comparing = { gate, calloc(parts + 1, sizeof *comparing.part) };
    struct forces_part whole = { .wrong = 0 };
    if (!comparing.part) {
        verdict_say(gate->verdict, STATUS_OUT_OF_MEMORY, "out of memory for the gate");
        return false;
    }
    threads_share(n, compare_some, &comparing);
    for (size_t p = 0; p < parts; p++) {
        add_force_part(gate, &comparing.part[p], &whole);
    }
    free(comparing.part);
    vector_errors_conclude(&whole.errors, n, gate->verdict);
    gate->verdict->net_force = vector_errors_net(&whole.errors, n);
    if (gate->tolerances.arithmetic.quantum > 0.0) {
        judge_units(gate);
    } else if (gate->tolerances.arithmetic.unit > gate->tolerances.arithmetic.sum_unit) {
        judge_bits(gate);
    }
    return true;
}

/* Compares one number of the whole box. What is not the worst is appended to `rest`. */
static void compare_total(struct gate *gate, const char *name, double got, double expected,
                          struct bound bound) {
    char words[200];
    double ratio;
    const bool accepted = accept(got, expected, bound, &ratio);
    const bool worse = outweighs(gate, ratio, accepted);
    if (accepted) {
        return;
    }
    (void)snprintf(words, sizeof words, "%s: got %.15g, expected %.15g, tolerance %.3g", name,
                   unsigned_nan(got), expected, bound.allowed + bound.edge);
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
    compare_total(gate, gate->words->value, got, reference->energy,
                  bound_of_energy(&gate->tolerances, gate->evaluation));
    for (int kind = 0; reference->energies_apart && kind < TERM_KINDS; kind++) {
        compare_total(gate, kind == TERM_COULOMB ? "Coulomb energy" : "van der Waals energy",
                      kind == TERM_COULOMB ? gate->evaluation->energy_coulomb
                                           : gate->evaluation->energy_vdw,
                      reference->kinds[kind].value, bound_of_kind(&gate->tolerances, kind));
    }
    gate->verdict->energy_error =
        relative_error(fabs(got - reference->energy), reference->energy_scale);
}

static void compare_virial(struct gate *gate) {
    const struct reference *reference = gate->reference;
    const struct bound bound = bound_of_virial(&gate->tolerances, gate->evaluation);
    double largest = 0.0;
    char name[32];
    for (int k = 0; k < 9; k++) {
        double got = gate->evaluation->virial[k];
        double error = fabs(got - reference->virial[k]);
        (void)snprintf(name, sizeof name, "%s %c%c", gate->words->tensor, "xyz"[k / 3],
                       "xyz"[k % 3]);
        compare_total(gate, name, got, reference->virial[k], bound);
        largest = fmax(largest, isnan(error) ? INFINITY : error);
    }
    gate->verdict->virial_error = relative_error(largest, reference->virial_scale);
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

/* Whether there is something to compare; else the verdict says why not. Out of memory is a verdict,
 * too. */
static bool gate_open(struct gate *gate, double length_scale, enum precision precision) {
    const struct evaluation *evaluation = gate->evaluation;
    struct verdict *verdict = gate->verdict;
    struct error error;
    *verdict = verdict_of(STATUS_OK);
    if (gate->with_forces && (evaluation->n != gate->reference->n || !evaluation->force)) {
        verdict_say(verdict, STATUS_WRONG, "forces on %zu particles were computed, expected %zu",
                    evaluation->force ? evaluation->n : 0, gate->reference->n);
        return false;
    }
    if (!tolerances_make(gate->reference, length_scale, precision, &gate->tolerances, &error)) {
        verdict_fail(verdict, &error);
        return false;
    }
    return reference_usable(gate);
}

/* Runs the gate from opening it to the verdict. */
static void gate_pass(struct gate *gate, double length_scale, enum precision precision) {
    if (gate_open(gate, length_scale, precision) && !find_overflow(gate) &&
        (!gate->with_forces || compare_forces(gate))) {
        if (gate->outputs >= OUTPUTS_ENERGY) {
            compare_energy(gate);
        }
        if (gate->outputs >= OUTPUTS_VIRIAL) {
            compare_virial(gate);
        }
        conclude(gate);
    }
    tolerances_free(&gate->tolerances);
}

/* A gate for scalars alone. */
static struct gate gate_of(const struct workload_words *words, const struct reference *reference,
                           enum outputs outputs, const struct evaluation *evaluation,
                           struct verdict *verdict) {
    return (struct gate){ .words = words,
                          .reference = reference,
                          .evaluation = evaluation,
                          .verdict = verdict,
                          .outputs = outputs };
}

void gate_compare_in_words(const struct gate_expected *expected,
                           const struct evaluation *evaluation, struct verdict *verdict) {
    struct gate gate =
        gate_of(expected->words, expected->reference, expected->outputs, evaluation, verdict);
    gate.with_forces = true;
    gate_pass(&gate, expected->length_scale, expected->precision);
}

void gate_compare_totals(const struct gate_expected *expected, const struct evaluation *evaluation,
                         struct verdict *verdict) {
    struct gate gate =
        gate_of(expected->words, expected->reference, expected->outputs, evaluation, verdict);
    gate_pass(&gate, expected->length_scale, expected->precision);
}

/* ---- the judges of sums ---- */

/* ---- what is expected ---- */

struct expectation *sums_allocate(struct error *error) {
    struct expectation *made = calloc(1, sizeof *made);
    if (!made) {
        (void)fail_out_of_memory(error, "what is expected");
    }
    return made;
}

bool sums_take(struct expectation *made, bool computed, struct expectation **expected) {
    if (!computed) {
        free(made);
        made = NULL;
    }
    *expected = made;
    return computed;
}

void sums_free(struct expectation *expected) {
    if (expected) {
        for (size_t b = 0; b < expected->box_count; b++) {
            sums_free(expected->boxes[b]);
        }
        free(expected->boxes);
        free(expected->box);
        reference_free(&expected->reference);
        free(expected);
    }
}

void sums_hash(const struct expectation *expected, struct hash_state *hash) {
    const struct reference *reference = &expected->reference;
    const struct reference_motion *motion = &reference->motion;
    const size_t n = reference->n;
    const size_t faces = STEP_FACES * (size_t)motion->types;
    for (size_t b = 0; b < expected->box_count; b++) {
        sums_hash(expected->boxes[b], hash);
    }
    hash_add(hash, reference, sizeof *reference); /* never copied: its padding stays, too */
    hash_add(hash, reference->force, 3 * n * sizeof *reference->force);
    hash_add(hash, reference->scale, n * sizeof *reference->scale);
    hash_add(hash, reference->largest, n * sizeof *reference->largest);
    hash_add(hash, reference->slope, n * sizeof *reference->slope);
    hash_add(hash, reference->condition, n * sizeof *reference->condition);
    hash_add(hash, reference->neighbours, n * sizeof *reference->neighbours);
    hash_add(hash, reference->share, 2 * n * sizeof *reference->share);
    hash_add(hash, motion->velocity, 3 * n * sizeof *motion->velocity);
    hash_add(hash, motion->displacement_error, n * sizeof *motion->displacement_error);
    hash_add(hash, motion->velocity_error, n * sizeof *motion->velocity_error);
    hash_add(hash, motion->crossing, faces * sizeof *motion->crossing);
    hash_add(hash, motion->doubt, faces * sizeof *motion->doubt);
    hash_add(hash, motion->carried, faces * sizeof *motion->carried);
    hash_add(hash, motion->carried_error, faces * sizeof *motion->carried_error);
    hash_add(hash, reference->edge_pairs,
             reference->edge_pair_count * sizeof *reference->edge_pairs);
}

/* ---- comparing ---- */

static struct gate_expected expected_by_gate(const struct judge_question *question,
                                             const struct expectation *expected) {
    const struct case_spec *spec = question->spec;
    return (struct gate_expected){ &spec->variant->workload->words, &expected->reference,
                                   box_length_scale(question->box), spec->precision,
                                   spec->outputs };
}

void sums_compare(const struct judge_question *question, const struct expectation *expected,
                  const struct evaluation *got, struct verdict *verdict) {
    const struct gate_expected all = expected_by_gate(question, expected);
    gate_compare_in_words(&all, got, verdict);
}

void sums_compare_totals(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *got, struct verdict *verdict) {
    const struct gate_expected all = expected_by_gate(question, expected);
    gate_compare_totals(&all, got, verdict);
}

void sums_compare_orders(const struct judge_question *question, const struct expectation *expected,
                         const struct evaluation *before, const struct evaluation *got,
                         struct verdict *verdict) {
    struct expectation other = *expected; /* its arrays are shared */
    struct reference *reference = &other.reference;
    reference->is_of_other_order = true;
    reference->force = before->force;
    if (reference->energy_size > 0) { /* sums alone differ, whatever is rounded within a term */
        reference->energy_scale = reference->energy_size;
        reference->virial_scale = reference->virial_size;
    }
    if (question->spec->outputs >= OUTPUTS_ENERGY) {
        reference->energy = before->energy;
        reference->kinds[TERM_VAN_DER_WAALS].value = before->energy_vdw;
        reference->kinds[TERM_COULOMB].value = before->energy_coulomb;
    }
    for (int k = 0; k < 9 && question->spec->outputs >= OUTPUTS_VIRIAL; k++) {
        reference->virial[k] = before->virial[k];
    }
    sums_compare(question, &other, got, verdict);
}

bool sums_totals_are_small(const struct expectation *expected, enum outputs outputs) {
    double energy = expected->reference.energy_scale;
    double virial = expected->reference.virial_scale;
    for (size_t k = 0; k < expected->box_count; k++) { /* of a batch, in their place */
        energy += expected->boxes[k]->reference.energy_scale;
        virial += expected->boxes[k]->reference.virial_scale;
    }
    return is_finer_than_fixed(energy) && (outputs < OUTPUTS_VIRIAL || is_finer_than_fixed(virial));
}

bool sums_bounds(const struct judge_question *question, const struct expectation *expected,
                 enum judged_field field, double *wanted, double *tolerance, struct error *error) {
    const struct reference *reference = &expected->reference;
    (void)field; /* there is none but the result */
    memcpy(wanted, reference->force, 3 * reference->n * sizeof *wanted);
    return tolerances_of_forces(reference, box_length_scale(question->box),
                                question->spec->precision, tolerance, error);
}

void sums_work(const struct judge_question *question, const struct expectation *expected,
               struct expected_work *work) {
    const struct reference *reference = &expected->reference;
    *work = (struct expected_work){
        .pairs = (int64_t)reference->pairs_in_cutoff,
        .edge_pairs = tolerances_edge_pairs(reference, box_length_scale(question->box),
                                            question->spec->precision),
    };
}
