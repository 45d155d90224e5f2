#include "workloads/pairs/sampled_reference.h"

#include "boxes/box.h"
#include "boxes/random.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/strings.h"
#include "core/threads.h"
#include "kernels/text/kernel_text.h"
#include "workloads/gate.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel's numbers are rounded to double on their way, not only at the end. */
static const double kernel_unit = 0x1p-53;

/* The reference that is being made, and what it is made from. */
struct making {
    const struct kernel_runner *runner;
    const struct case_spec *spec; /* of the case that asks */
    const struct box *box;
    double cutoff;
    double length;
    const struct sampled_judges *judges;
    uint32_t *sample;
    size_t sample_size;
};

bool sampled_judges_usual(const struct kernel_runner *runner, struct sampled_judges *judges,
                          struct error *error) {
    static const char *const names[2] = { "sorted_cells", "linked_cells_by_cell" };
    size_t count = 0;
    const struct variant *variants = runner->built_in(&count, error);
    *judges = (struct sampled_judges){ 0 };
    for (size_t v = 0; variants && v < count; v++) {
        for (int k = 0; k < 2; k++) {
            if (variants[v].workload->judge->expect_by_kernels &&
                strcmp(variants[v].name, names[k]) == 0) {
                judges->kernels[k] = &variants[v];
            }
        }
    }
    return variants && ((judges->kernels[0] && judges->kernels[1]) ||
                        fail(error, STATUS_SYSTEM,
                             "the kernels that judge large boxes, %s and %s, "
                             "are not in this binary",
                             names[0], names[1]));
}

/* ---- the sample ---- */

static bool draw_sample(struct making *making, struct error *error) {
    const uint64_t n = making->box->n;
    const uint64_t asked = making->spec->judging.sample;
    const uint64_t k = asked < n ? asked : n;
    struct random random = random_from_seed(making->spec->judging.seed);
    making->sample = calloc(k + 1, sizeof *making->sample);
    if (!making->sample) {
        return fail_out_of_memory(error, "the sample of particles");
    }
    making->sample_size = k;
    for (uint64_t s = 0; s < k; s++) { /* n < 2^29 and k <= n: no product overflows */
        const uint64_t first = s * n / k;
        const uint64_t end = (s + 1) * n / k;
        making->sample[s] = (uint32_t)(first + random_next(&random) % (end - first));
    }
    return true;
}

/* ---- kernels ---- */

/* The case that a judging kernel is: everything, in double. */
static struct case_spec judge_spec(const struct case_spec *asked, const struct variant *variant) {
    struct case_spec spec = case_of_forces_alone(asked);
    spec.variant = variant;
    spec.precision = PRECISION_DOUBLE;
    spec.outputs = OUTPUTS_VIRIAL;
    case_preset_tunings(&spec);
    return spec;
}

static bool evaluate(const struct making *making, const struct case_spec *spec,
                     const struct box *box, double cutoff, struct evaluation *evaluation,
                     struct error *error) {
    const struct kernel_runner *runner = making->runner;
    return runner->evaluate(runner->context, spec, box, cutoff, evaluation, error);
}

/* ---- conditioning ---- */

/* How far a distance may be off in the arithmetic that is judged: what the gate allows, see
 * tolerances.h. */
static double distance_error(const struct making *making) {
    const double unit = format_unit(precision_numeric(making->spec->precision).arithmetic);
    return GATE_FACTOR * unit * (making->length + making->cutoff);
}

/* conditioning.cl for this box. Caller frees with variant_free(). */
static bool conditioning_variant(const struct making *making, struct variant *variant,
                                 struct error *error) {
    static const char path[] = "harness/workloads/pairs/conditioning.cl";
    const char *source = embedded_text(path);
    const double step = distance_error(making);
    /* A tolerance multiplies the slope by the error of a length alone, not of length and cutoff. */
    const double per_step = (1 + making->cutoff / making->length) / step;
    struct strbuf text = { 0 };
    if (!source) {
        return fail(error, STATUS_SYSTEM, "%s is not in this binary", path);
    }
    if (!making->runner->parse(path, source, variant, error)) {
        return false;
    }
    strbuf_append(&text, "#define CONDITION_STEP %.17e\n#define CONDITION_PER_STEP %.17e\n", step,
                  per_step);
    strbuf_append(&text, "#define CONDITION_CUTOFF2 %.17e\n%s", making->cutoff * making->cutoff,
                  source);
    if (text.failed) {
        strbuf_free(&text);
        variant_free(variant);
        return fail_out_of_memory(error, path);
    }
    free(variant->text);
    variant->text = text.data;
    return true;
}

static bool allocate_reference(const struct making *making, struct reference *reference,
                               struct error *error) {
    const size_t n = making->box->n;
    *reference = (struct reference){
        .n = n, .cutoff = making->cutoff, .length_scale = making->length, .unit = kernel_unit
    };
    reference->energies_apart = interaction_energies_apart(&making->spec->interaction);
    reference->scale = calloc(n, sizeof *reference->scale);
    reference->slope = calloc(n, sizeof *reference->slope);
    reference->neighbours = calloc(n, sizeof *reference->neighbours);
    return (reference->scale && reference->slope && reference->neighbours) ||
           fail_out_of_memory(error, "what a large box is compared with");
}

struct conditioning {
    const struct evaluation *term;
    struct reference *reference;
};

static void condition_some(void *context, size_t first, size_t end) {
    const struct conditioning *conditioning = context;
    for (size_t i = first; i < end; i++) {
        conditioning->reference->scale[i] += conditioning->term->force[3 * i];
        conditioning->reference->slope[i] += conditioning->term->force[3 * i + 1];
        conditioning->reference->neighbours[i] = (uint32_t)conditioning->term->force[3 * i + 2];
    }
}

/* Adds what one term amounts to. */
static void add_conditioning(const struct evaluation *term, enum term_kind kind,
                             struct reference *reference) {
    threads_share(reference->n, condition_some, &(struct conditioning){ term, reference });
    reference->kinds[kind].scale += term->energy;
    reference->kinds[kind].slope += term->virial[0];
    reference->energy_scale += term->energy;
    reference->energy_slope += term->virial[0];
    reference->virial_scale += term->virial[1];
    reference->virial_slope += term->virial[2];
}

/* conditioning.cl over the box: one term, or -1. */
static bool evaluate_term(const struct making *making, const struct variant *conditioning, int term,
                          struct evaluation *evaluation, struct error *error) {
    struct case_spec spec = judge_spec(making->spec, conditioning);
    const int place = tunings_place(&spec.tunings, JUDGED_TERM_TUNABLE);
    if (place >= 0) {
        spec.tunings.items[place].value = term;
    }
    return evaluate(making, &spec, making->box, making->cutoff + distance_error(making), evaluation,
                    error);
}

/* S_i, T_i and all scales, term by term; *edges: the pairs whose counting rounding may decide. */
static bool find_conditioning(const struct making *making, struct reference *reference,
                              double *edges, struct error *error) {
    const struct interaction *interaction = &making->spec->interaction;
    struct variant variant;
    if (!conditioning_variant(making, &variant, error)) {
        return false;
    }
    bool found = true;
    for (int f = 0; found && f < interaction->function_count; f++) {
        struct evaluation term = { 0 };
        found = evaluate_term(making, &variant, f, &term, error);
        if (found) {
            add_conditioning(&term, interaction->functions[f].kind, reference);
            reference->pairs_in_cutoff = (uint64_t)term.virial[4];
            *edges = term.virial[5];
        }
        evaluation_free(&term);
    }
    variant_free(&variant);
    return found;
}

/* ---- agreement ---- */

static bool judges_failed(const char *what, const struct verdict *verdict, struct error *error) {
    const enum status status = verdict->status == STATUS_WRONG ? STATUS_SYSTEM : verdict->status;
    return fail(error, status, "%s: %s", what, verdict->message);
}

static const struct workload_words *words_of(const struct making *making) {
    return &making->spec->variant->workload->words;
}

static bool compare_all(const struct making *making, const struct reference *reference,
                        const struct evaluation *evaluation, const char *what,
                        struct error *error) {
    struct verdict verdict;
    gate_compare_in_words(&(struct gate_expected){ words_of(making), reference, making->length,
                                                   PRECISION_DOUBLE, OUTPUTS_VIRIAL },
                          evaluation, &verdict);
    return verdict.status == STATUS_OK || judges_failed(what, &verdict, error);
}

/* Compares a kernel's forces on the sampled particles with the serial ones. */
static bool compare_sample(const struct making *making, const struct reference *some,
                           const double *force, const struct variant *kernel, struct error *error) {
    char what[160];
    struct verdict verdict;
    struct evaluation picked = { .n = some->n };
    picked.force = malloc(3 * some->n * sizeof *picked.force);
    if (!picked.force) {
        return fail_out_of_memory(error, "the sample of particles");
    }
    for (size_t k = 0; k < some->n; k++) {
        memcpy(picked.force + 3 * k, force + 3 * (size_t)making->sample[k], 3 * sizeof *force);
    }
    gate_compare_in_words(&(struct gate_expected){ words_of(making), some, making->length,
                                                   PRECISION_DOUBLE, OUTPUTS_FORCES },
                          &picked, &verdict);
    evaluation_free(&picked);
    (void)snprintf(what, sizeof what,
                   "%s, which judges this box, disagrees with the serial reference on a sample "
                   "(whose places are counted here)",
                   kernel->name);
    return verdict.status == STATUS_OK || judges_failed(what, &verdict, error);
}

/* Differences over a step are as good as this; a jump at the cutoff makes a slope larger. */
static bool compare_conditioning(const struct making *making, const struct reference *some,
                                 const struct reference *reference, struct error *error) {
    static const double slack = 0.02;
    static const double wide = 1.5;
    /* Rounding of the force itself, over a step. */
    const double noise = 64 * kernel_unit / distance_error(making);
    size_t edge = 0; /* of the edge pairs, which stand in the order of nothing */
    bool *has_edge = calloc(some->n + 1, sizeof *has_edge);
    if (!has_edge) {
        return fail_out_of_memory(error, "the sample of particles");
    }
    for (; edge < some->edge_pair_count; edge++) {
        has_edge[some->edge_pairs[edge].i] = true;
    }
    bool agrees = true;
    for (size_t k = 0; agrees && k < some->n; k++) {
        const size_t i = making->sample[k];
        const double wider = wide * (1 + making->cutoff / making->length);
        const double least = some->slope[k] * (1 - slack);
        const double most = some->slope[k] * wider + noise * some->scale[k];
        agrees =
            fabs(reference->scale[i] - some->scale[k]) <= slack * some->scale[k] || has_edge[k];
        agrees =
            agrees && reference->slope[i] >= least && (reference->slope[i] <= most || has_edge[k]);
        if (!agrees) {
            (void)fail(error, STATUS_SYSTEM,
                       "conditioning.cl, by which this box is judged, has S %.9g and T %.9g for "
                       "particle %zu; the serial reference %.9g and %.9g",
                       reference->scale[i], reference->slope[i], i + 1, some->scale[k],
                       some->slope[k]);
        }
    }
    free(has_edge);
    return agrees;
}

/* Compares the shares of the sample with the serial ones; S_i takes the place of the sum of
 * |u_ij|. */
static bool compare_shares(const struct making *making, const struct reference *some,
                           const struct evaluation *shares, struct error *error) {
    static const char *const names[2] = { "energy", "virial" };
    for (size_t k = 0; k < some->n; k++) {
        const size_t i = making->sample[k];
        for (size_t w = 0; w < 2; w++) {
            const double expected = some->share[2 * k + w];
            const double got = shares->force[3 * i + w];
            const double allowed = 16 * GATE_FACTOR * kernel_unit *
                                   (fabs(expected) + making->length * some->scale[k] +
                                    making->cutoff * some->slope[k]);
            if (!(fabs(got - expected) <= allowed) && !isnan(expected)) {
                return fail(error, STATUS_SYSTEM,
                            "conditioning.cl, by which this box is judged, has %.17g for the %s of "
                            "particle %zu; the serial reference %.17g",
                            got, names[w], i + 1, expected);
            }
        }
    }
    return true;
}

/* Half of the sum of what every particle has, compensated (Knuth's two-sum). */
static double half_sum(const struct evaluation *shares, size_t place) {
    double sum = 0;
    double rest = 0;
    for (size_t i = 0; i < shares->n; i++) {
        const double term = shares->force[3 * i + place];
        const double total = sum + term;
        const double part = total - sum;
        rest += (sum - (total - part)) + (term - part);
        sum = total;
    }
    return 0.5 * (sum + rest);
}

/* Energy and virial of the kernels, which one device adds up in one way, with what the host adds up
 * from every particle's own. */
static bool compare_totals(const struct making *making, const struct reference *some,
                           const struct reference *reference, struct error *error) {
    struct variant variant;
    struct evaluation shares = { 0 };
    if (!conditioning_variant(making, &variant, error)) {
        return false;
    }
    bool good = evaluate_term(making, &variant, -1, &shares, error);
    variant_free(&variant);
    if (good && compare_shares(making, some, &shares, error)) {
        const double trace = reference->virial[0] + reference->virial[4] + reference->virial[8];
        const double sums[2] = { half_sum(&shares, 0), half_sum(&shares, 1) };
        const double unit = 4 * GATE_FACTOR * kernel_unit;
        const double allowed[2] = {
            unit * (reference->energy_scale + making->length * reference->energy_slope),
            unit * (reference->virial_scale + making->length * reference->virial_slope)
        };
        good =
            fabs(sums[0] - reference->energy) <= allowed[0] && fabs(sums[1] - trace) <= allowed[1];
        if (!good) {
            (void)fail(error, STATUS_SYSTEM,
                       "%s and %s, which judge this box, have the energy %.17g and the trace of "
                       "the virial %.17g; every particle's own add up to %.17g and %.17g",
                       making->judges->kernels[0]->name, making->judges->kernels[1]->name,
                       reference->energy, trace, sums[0], sums[1]);
        }
    } else {
        good = false;
    }
    evaluation_free(&shares);
    return good;
}

static bool compare_counts(const struct making *making, const struct reference *reference,
                           double edges, struct error *error) {
    const struct kernel_runner *runner = making->runner;
    const struct case_spec spec = judge_spec(making->spec, making->judges->kernels[1]);
    int64_t pairs;
    if (!runner->count_pairs(runner->context, &spec, making->box, making->cutoff, &pairs, error)) {
        return false;
    }
    const double once = (double)reference->pairs_in_cutoff;
    const double sides =
        (double)pairs > 1.5 * once ? 2 : 1; /* that the kernel computes pairs from */
    return fabs((double)pairs - sides * once) <= sides * edges ||
           fail(error, STATUS_SYSTEM,
                "%s counts %lld pairs within the cutoff and conditioning.cl %llu: neither can "
                "judge this box",
                making->judges->kernels[1]->name, (long long)pairs,
                (unsigned long long)reference->pairs_in_cutoff);
}

/* ---- a small box ---- */

/* The size of the smallest box that the cutoff allows; 0: none is smaller than the box itself. */
static size_t small_size(const struct making *making) {
    const struct box_spec *box = &making->spec->box;
    size_t n = 2048;
    while (!box->open && n < making->box->n &&
           box_least_height(box->kind, n, box->density, box->periodic) < 2.5 * making->cutoff) {
        n *= 2;
    }
    return n < making->box->n ? n : 0;
}

/* Compares both kernels with the serial reference over all of a small box of the same kind. For a
 * box from a file there is none, and the sample alone decides. */
static bool judge_small_box(const struct making *making, struct error *error) {
    const struct box_spec *asked = &making->spec->box;
    const size_t n = *asked->path ? 0 : small_size(making);
    struct box made = { 0 };
    struct making small = *making;
    struct reference reference = { 0 };
    if (n == 0) {
        return true;
    }
    struct box_spec smaller = *asked;
    smaller.n = n;
    bool good = box_of_spec(&smaller, &made, error);
    struct box box = { 0 };
    good = good && case_box_as_device(making->spec, &made, making->cutoff, &box, error);
    box_free(&made);
    small.box = &box;
    good = good &&
           reference_compute(&box, &making->spec->interaction, making->cutoff, &reference, error);
    small.length = good ? reference.length_scale : 0;
    for (int k = 0; good && k < 2; k++) {
        struct evaluation evaluation = { 0 };
        const struct case_spec spec = judge_spec(making->spec, making->judges->kernels[k]);
        char what[128];
        (void)snprintf(what, sizeof what, "%s, which is to judge a large box, fails in a small one",
                       spec.variant->name);
        good = evaluate(making, &spec, &box, making->cutoff, &evaluation, error) &&
               compare_all(&small, &reference, &evaluation, what, error);
        evaluation_free(&evaluation);
    }
    reference_free(&reference);
    box_free(&box);
    return good;
}

/* ---- all of it ---- */

/* Takes the first kernel's numbers into the reference. */
static void take_evaluation(struct evaluation *evaluation, struct reference *reference) {
    reference->force = evaluation->force;
    evaluation->force = NULL;
    reference->energy = evaluation->energy;
    memcpy(reference->virial, evaluation->virial, sizeof reference->virial);
    reference->kinds[TERM_VAN_DER_WAALS].value = evaluation->energy_vdw;
    reference->kinds[TERM_COULOMB].value = evaluation->energy_coulomb;
}

/* Compares both kernels over the box, and takes the first one's numbers into the reference. */
static bool judge_all(const struct making *making, const struct reference *some,
                      struct reference *reference, struct error *error) {
    const struct variant *const *kernels = making->judges->kernels;
    char what[192];
    (void)snprintf(what, sizeof what, "%s and %s, which judge this box, disagree", kernels[0]->name,
                   kernels[1]->name);
    for (int k = 0; k < 2; k++) {
        struct evaluation evaluation = { 0 };
        const struct case_spec spec = judge_spec(making->spec, kernels[k]);
        bool good = evaluate(making, &spec, making->box, making->cutoff, &evaluation, error) &&
                    compare_sample(making, some, evaluation.force, kernels[k], error);
        if (good && k == 0) {
            take_evaluation(&evaluation, reference);
            good = reference_fill_spread(making->box, &making->spec->interaction, making->cutoff,
                                         reference, error);
        } else if (good) {
            good = compare_all(making, reference, &evaluation, what, error);
        }
        evaluation_free(&evaluation);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* The sample's edge pairs stand for all, each seen from one of its two particles. Their forces
 * are in the slopes. */
static void take_edges(const struct making *making, struct reference *some, double edges,
                       struct reference *reference) {
    reference->edge_pairs = some->edge_pairs;
    reference->edge_pair_count = some->edge_pair_count;
    some->edge_pairs = NULL;
    some->edge_pair_count = 0;
    for (size_t p = 0; p < reference->edge_pair_count; p++) {
        struct reference_edge_pair *pair = &reference->edge_pairs[p];
        pair->i = making->sample[pair->i];
        memset(pair->force, 0, sizeof pair->force);
    }
    reference->edge_weight = 0.5 * (double)reference->n / (double)some->n;
    reference->edge_total = (uint64_t)edges;
}

/* Takes the serial forces on the sampled particles, which are better than a kernel's. */
static void take_sample(const struct making *making, const struct reference *some,
                        struct reference *reference) {
    for (size_t k = 0; k < some->n; k++) {
        memcpy(reference->force + 3 * (size_t)making->sample[k], some->force + 3 * k,
               3 * sizeof *some->force);
    }
}

static bool make(struct making *making, struct reference *reference, struct error *error) {
    struct reference some = { 0 };
    double edges = 0;
    bool made =
        draw_sample(making, error) &&
        reference_compute_some(&(struct reference_case){ making->box, &making->spec->interaction,
                                                         making->cutoff, NULL },
                               making->sample, making->sample_size, &some, error);
    making->length = made ? some.length_scale : 0;
    made = made && judge_small_box(making, error) && allocate_reference(making, reference, error) &&
           find_conditioning(making, reference, &edges, error) &&
           compare_conditioning(making, &some, reference, error) &&
           judge_all(making, &some, reference, error) &&
           compare_totals(making, &some, reference, error) &&
           compare_counts(making, reference, edges, error);
    if (made) {
        take_sample(making, &some, reference);
        take_edges(making, &some, edges, reference);
    } else {
        reference_free(reference);
    }
    reference_free(&some);
    return made;
}

bool sampled_reference_make(const struct kernel_runner *runner,
                            const struct judge_question *question,
                            const struct sampled_judges *judges, struct reference *reference,
                            struct judged *judged, struct error *error) {
    const struct box *box = question->box;
    struct making making = { .runner = runner,
                             .spec = question->spec,
                             .box = box,
                             .cutoff = question->cutoff,
                             .judges = judges };
    *reference = (struct reference){ 0 };
    if (!runner->has_double) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s has no double precision, in which %zu particles are to be judged; "
                    "--judge-all-below %zu has the serial reference judge all of them",
                    runner->device, box->n, box->n);
    }
    const bool made = make(&making, reference, error);
    free(making.sample);
    if (made) {
        *judged = (struct judged){ .particles = (int64_t)making.sample_size,
                                   .seed = (int64_t)question->spec->judging.seed };
        (void)snprintf(judged->rest, sizeof judged->rest, "%s and %s in double",
                       judges->kernels[0]->name, judges->kernels[1]->name);
    }
    return made;
}
