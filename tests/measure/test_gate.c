/* The gate: right kernels in plain float and double pass, wrong results of every kind do not.
 *
 * With PAIRMARK_GATE_REPORT set, prints how near to its bound each right kernel comes. */
#include "workloads/gate.h"

#include "hand_box.h"
#include "kernels/expressions/expression.h"
#include "kernels/potentials/pair_text.h"
#include "workloads/tolerances.h"

#include <unistd.h>

#include "support.h"

/* What right kernels may do with the coordinates before they subtract them. */
enum style {
    STYLE_PLAIN,     /* nothing */
    STYLE_WRAPPED,   /* move each into the cell */
    STYLE_FRACTIONAL /* divide by the edges, and multiply the difference */
};

#define NAIVE(name) float_##name
#define REAL float
#define ACCUM float
#define RINT rintf
#define FLOOR floorf
#include "naive_kernel.h"

#define NAIVE(name) mixed_##name
#define REAL float
#define ACCUM double
#define RINT rintf
#define FLOOR floorf
#include "naive_kernel.h"

#define NAIVE(name) double_##name
#define REAL double
#define ACCUM double
#define RINT rint
#define FLOOR floor
#include "naive_kernel.h"

static void kernel(enum precision precision, const struct box *box, double cutoff, enum style style,
                   struct evaluation *out) {
    switch (precision) {
    case PRECISION_FLOAT:
        float_kernel(box, cutoff, style, out);
        break;
    case PRECISION_MIXED:
        mixed_kernel(box, cutoff, style, out);
        break;
    default:
        double_kernel(box, cutoff, style, out);
    }
}

static const char *const precisions[] = { "float", "mixed", "double" };

/* ---- one box with its reference and a right result ---- */

struct scene {
    struct box box;
    double cutoff, length;
    enum precision precision;
    struct reference reference;
    struct evaluation right;
};

static struct evaluation evaluation_of(size_t n) {
    struct evaluation evaluation = { .n = n };
    evaluation.force = malloc(3 * n * sizeof(double));
    assert_non_null(evaluation.force);
    memset(evaluation.force, GATE_POISON_BYTE, 3 * n * sizeof(double));
    memset(&evaluation.energy, GATE_POISON_BYTE, sizeof evaluation.energy);
    memset(evaluation.virial, GATE_POISON_BYTE, sizeof evaluation.virial);
    return evaluation;
}

/* Takes the box over. Its right results are empty. */
static struct scene scene_without_results(struct box box, double cutoff, enum precision precision) {
    struct scene scene = { .box = box, .cutoff = cutoff, .precision = precision };
    struct interaction lj = hand_lj(1.0, 1.0);
    struct error error;
    if (precision != PRECISION_DOUBLE) {
        hand_box_round(&scene.box);
    }
    for (int k = 0; k < 3 && box.periodic; k++) {
        scene.cutoff = fmin(scene.cutoff, 0.5 * scene.box.edge[k]);
    }
    if (precision != PRECISION_DOUBLE) {
        scene.cutoff = (double)(float)scene.cutoff;
    }
    scene.length = hand_box_length(&scene.box);
    assert_done(reference_cells(&scene.box, &lj, scene.cutoff, &scene.reference, &error), &error);
    scene.right = evaluation_of(scene.box.n);
    return scene;
}

/* The same with what a kernel computes, which meets all pairs. */
static struct scene scene_of(struct box box, double cutoff, enum precision precision) {
    struct scene scene = scene_without_results(box, cutoff, precision);
    kernel(precision, &scene.box, scene.cutoff, STYLE_PLAIN, &scene.right);
    return scene;
}

static void scene_free(struct scene *scene) {
    hand_box_free(&scene->box);
    reference_free(&scene->reference);
    free(scene->right.force);
}

static struct verdict judge(const struct scene *scene, const struct evaluation *evaluation,
                            enum outputs outputs) {
    struct verdict verdict;
    gate_compare(&scene->reference, scene->length, scene->precision, outputs, evaluation, &verdict);
    return verdict;
}

static void assert_right(const struct scene *scene, const struct evaluation *evaluation,
                         const char *what) {
    struct verdict verdict = judge(scene, evaluation, OUTPUTS_VIRIAL);
    if (getenv("PAIRMARK_GATE_REPORT")) {
        printf("%-40s %-6s N %6zu L %7.2f worst_ratio %.4f max %.1e rms %.1e E %.1e W %.1e\n", what,
               precisions[scene->precision], scene->box.n, scene->length, verdict.worst_ratio,
               verdict.max_force_error, verdict.rms_force_error, verdict.energy_error,
               verdict.virial_error);
    }
    if (verdict.status != STATUS_OK || !(verdict.worst_ratio <= 1.0) || verdict.message[0]) {
        fail_msg("%s, %s, N = %zu: %s", what, precisions[scene->precision], scene->box.n,
                 verdict.message);
    }
    assert_int_equal(verdict.bitwise_repeatable, -1);
}

static void assert_wrong(const struct scene *scene, const struct evaluation *evaluation,
                         enum outputs outputs, const char *what) {
    struct verdict verdict = judge(scene, evaluation, outputs);
    if (verdict.status != STATUS_WRONG) {
        fail_msg("%s, %s, N = %zu: passed with ratio %g", what, precisions[scene->precision],
                 scene->box.n, verdict.worst_ratio);
    }
    assert_true(verdict.worst_ratio >= 1.0);
    assert_true(verdict.message[0] != '\0');
}

/* Sanitizers see the harness alone, which does the same over fewer particles; larger boxes take
 * most of the minute and a half of this test. */
static bool is_too_large(size_t n) {
#ifdef PAIRMARK_SANITIZE
    return n > 600;
#else
    (void)n;
    return false;
#endif
}

/* ---- right results pass ---- */

static void check_styles(struct box box, double cutoff, enum precision precision,
                         const char *what) {
    static const char *const styles[] = { "plain", "wrapped", "fractional" };
    struct scene scene = scene_without_results(box, cutoff, precision);
    char words[80];
    for (int style = STYLE_PLAIN; style <= STYLE_FRACTIONAL; style++) {
        (void)snprintf(words, sizeof words, "%s, %s", what, styles[style]);
        kernel(precision, &scene.box, scene.cutoff, (enum style)style, &scene.right);
        assert_right(&scene, &scene.right, words);
        if (!scene.box.periodic) {
            break;
        }
    }
    scene_free(&scene);
}

static struct box moved(struct box box, double by) {
    for (size_t i = 0; i < 3 * box.n; i++) {
        box.position[i] += by;
    }
    return box;
}

TEST(right_results_pass) {
    static const size_t counts[] = { 1, 2, 3, 4, 7, 16, 33, 100, 256, 1000, 2048 };
    for (int p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        enum precision precision = (enum precision)p;
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            size_t n = counts[c];
            if (is_too_large(n)) {
                continue;
            }
            check_styles(hand_box_lattice(n, 0.84, 0.1, true, n), 2.5, precision, "dense");
            check_styles(hand_box_lattice(n, 1.2, 0.02, true, n), 3.0, precision, "solid");
            check_styles(hand_box_lattice(n, 0.01, 0.45, true, n), 2.5, precision, "gas");
            check_styles(hand_box_lattice(n, 0.84, 0.1, false, n), 2.5, precision, "open");
            check_styles(hand_box_lattice(n, 0.5, 0.3, false, n), INFINITY, precision,
                         "open, no cutoff");
            check_styles(moved(hand_box_lattice(n, 0.84, 0.1, true, n), 1000.0), 2.5, precision,
                         "dense, far from the origin");
            check_styles(moved(hand_box_lattice(n, 0.5, 0.1, false, n), -3000.0), 2.5, precision,
                         "open, far from the origin");
        }
    }
}

/* One pair at many distances and in many directions, where no other pair hides its errors: across
 * the cell's face or not, at the minimum, at the inflection, in a cell hardly longer than r. */
TEST(right_pairs_pass) {
    uint64_t random = 41;
    for (int trial = 0; trial < 3000; trial++) {
        enum precision precision = (enum precision)(trial % 3);
        struct box box = hand_box_empty(2);
        double edge = 5.0 + (trial % 2 ? 0.0 : 200.0) * hand_random(&random);
        double r = trial % 5 == 0   ? 1.1224620483093730
                   : trial % 5 == 1 ? 1.2444550602
                                    : 0.8 + 1.7 * hand_random(&random);
        double z = 2.0 * hand_random(&random) - 1.0, angle = 6.283185307 * hand_random(&random);
        double across = sqrt(1.0 - z * z);
        double direction[3] = { across * cos(angle), across * sin(angle), z };
        box.periodic = trial % 7 != 0;
        for (size_t k = 0; k < 3; k++) {
            box.edge[k] = box.periodic ? edge : 0.0;
            box.position[k] = edge * hand_random(&random);
            box.position[3 + k] = box.position[k] + r * direction[k];
            if (box.periodic) {
                box.position[3 + k] -= edge * floor(box.position[3 + k] / edge);
            }
        }
        if (getenv("PAIRMARK_GATE_REPORT") && trial == 0) {
            printf("pairs:\n");
        }
        check_styles(box, 2.5, precision, "one pair");
    }
}

TEST(right_results_pass_at_16k) {
    if (is_too_large(16000)) {
        skip_because("built with sanitizers, under which large boxes take too long");
    }
    struct scene dense =
        scene_of(hand_box_lattice(16000, 0.84, 0.1, true, 1), 2.5, PRECISION_FLOAT);
    struct scene gas =
        scene_of(hand_box_lattice(16000, 0.01, 0.45, false, 2), 2.5, PRECISION_FLOAT);
    assert_true(dense.reference.edge_pair_count > 0);
    assert_right(&dense, &dense.right, "dense");
    assert_right(&gas, &gas.right, "open gas");
    scene_free(&dense);
    scene_free(&gas);
}

/* A pair that float puts on the other side of the cutoff than double does: neither is wrong. */
TEST(pairs_at_the_cutoff_may_go_either_way) {
    struct box box = hand_box_empty(3);
    box.position[3] = 2.5;
    box.position[4] = 1e-4; /* r = 2.5 + 2e-9 */
    box.position[6] = 1.2;
    struct scene scene = scene_of(box, 2.5, PRECISION_FLOAT);
    assert_int_equal(scene.reference.pairs_in_cutoff, 2);
    assert_int_equal(scene.reference.edge_pair_count, 1);
    assert_right(&scene, &scene.right, "counted or not");
    struct evaluation nearer = evaluation_of(3);
    kernel(PRECISION_FLOAT, &scene.box, 2.51, STYLE_PLAIN, &nearer);
    assert_true(fabs(nearer.force[0] - scene.right.force[0]) > 0.03 ||
                fabs(nearer.force[0] - scene.reference.force[0]) > 0.03);
    assert_right(&scene, &nearer, "counted");
    kernel(PRECISION_FLOAT, &scene.box, 2.49, STYLE_PLAIN, &nearer);
    assert_right(&scene, &nearer, "not counted");
    scene.precision = PRECISION_DOUBLE; /* double can tell */
    kernel(PRECISION_DOUBLE, &scene.box, 2.5, STYLE_PLAIN, &nearer);
    assert_right(&scene, &nearer, "not counted");
    kernel(PRECISION_DOUBLE, &scene.box, 2.51, STYLE_PLAIN, &nearer);
    assert_wrong(&scene, &nearer, OUTPUTS_FORCES, "counted");
    free(nearer.force);
    scene_free(&scene);
}

/* ---- wrong results fail ---- */

/* The displacement of a pair, and its force divided by its distance; 0 beyond 0.999 cutoffs. */
static double pair_of(const struct scene *scene, size_t i, size_t j, double d[3]) {
    const struct box *box = &scene->box;
    double r2 = 0.0;
    for (size_t k = 0; k < 3; k++) {
        d[k] = box->position[3 * i + k] - box->position[3 * j + k];
        d[k] -= box->periodic ? box->edge[k] * rint(d[k] / box->edge[k]) : 0.0;
        r2 += d[k] * d[k];
    }
    double s6 = 1.0 / (r2 * r2 * r2);
    return sqrt(r2) <= 0.999 * scene->cutoff ? 24.0 * s6 * (2.0 * s6 - 1.0) / r2 : 0.0;
}

/* True when the pair's force is more than the tolerance of either particle hides, by the formula
 * that tolerances.h documents: the change is seen against a result that may err by as much itself.
 */
static bool visible(const struct scene *scene, size_t i, size_t j, double factor,
                    const double d[3]) {
    const struct reference *reference = &scene->reference;
    double unit = scene->precision == PRECISION_DOUBLE ? 0x1p-53 : 0x1p-24;
    double sum_unit = scene->precision == PRECISION_FLOAT ? 0x1p-24 : 0x1p-53;
    const size_t ends[2] = { i, j };
    double largest = fabs(factor) * fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
    for (int e = 0; e < 2; e++) {
        size_t p = ends[e];
        double hidden =
            4.0 * unit * (reference->scale[p] + reference->length_scale * reference->slope[p]) +
            sum_unit * sqrt(reference->neighbours[p]) * reference->scale[p];
        if (0.5 * largest <= 2.0 * hidden) {
            return false; /* half: one of the mutants drops only half of the force */
        }
    }
    return true;
}

/* Of the pairs of some particles, the weakest that is visible. Of all pairs within the cutoff, few
 * may be too weak to be seen: `share` is how many are to be visible at least. */
static bool find_pair(const struct scene *scene, uint64_t seed, double share, size_t *one,
                      size_t *other) {
    size_t n = scene->box.n;
    double weakest = INFINITY;
    double seen = 0.0, all = 0.0;
    for (size_t trial = 0; trial < 20; trial++) {
        size_t i = (size_t)(hand_random(&seed) * (double)n);
        for (size_t j = 0; j < n; j++) {
            double d[3];
            double factor = i == j ? 0.0 : pair_of(scene, i, j, d);
            double force = fabs(factor) * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            all += factor != 0.0;
            if (factor == 0.0 || !visible(scene, i, j, factor, d)) {
                continue;
            }
            seen += 1.0;
            if (force < weakest) {
                weakest = force;
                *one = i;
                *other = j;
            }
        }
    }
    if (getenv("PAIRMARK_GATE_REPORT")) {
        printf("%-6s N %6zu L %6.2f: %5.1f %% of pairs visible, weakest force %.2g\n",
               precisions[scene->precision], n, scene->length, 100.0 * seen / all, weakest);
    }
    assert_true(seen >= share * all);
    return weakest < INFINITY;
}

static struct evaluation copy_of(const struct evaluation *evaluation) {
    struct evaluation copy = *evaluation;
    copy.force = malloc(3 * copy.n * sizeof(double));
    assert_non_null(copy.force);
    memcpy(copy.force, evaluation->force, 3 * copy.n * sizeof(double));
    return copy;
}

/* Adds `times` the pair's force, along a displacement moved by `image` along x. */
static void add_pair(const struct scene *scene, struct evaluation *evaluation, size_t i, size_t j,
                     double times, double image, bool both) {
    double d[3];
    double factor = times * pair_of(scene, i, j, d);
    d[0] += image;
    for (size_t k = 0; k < 3; k++) {
        evaluation->force[3 * i + k] += factor * d[k];
        evaluation->force[3 * j + k] -= both ? factor * d[k] : 0.0;
    }
}

/* Mutants of one pair. */
static void reject_wrong_pairs(const struct scene *scene, size_t i, size_t j) {
    static const struct {
        const char *what;
        double times;
        bool both;
    } mutants[] = {
        { "one pair dropped", -1.0, true },
        { "one pair counted twice", 1.0, true },
        { "one pair with flipped sign", -2.0, true },
        { "one pair dropped from one side", -1.0, false },
        { "one pair at half its force", -0.5, true },
    };
    for (size_t m = 0; m < sizeof mutants / sizeof mutants[0]; m++) {
        struct evaluation mutant = copy_of(&scene->right);
        add_pair(scene, &mutant, i, j, mutants[m].times, 0.0, mutants[m].both);
        assert_wrong(scene, &mutant, OUTPUTS_FORCES, mutants[m].what);
        free(mutant.force);
    }
    if (scene->box.periodic) {
        struct evaluation mutant = copy_of(&scene->right);
        add_pair(scene, &mutant, i, j, -1.0, 0.0, true);
        add_pair(scene, &mutant, i, j, 1.0, scene->box.edge[0], true);
        assert_wrong(scene, &mutant, OUTPUTS_FORCES, "wrong image");
        free(mutant.force);
    }
}

static void reject_scaled(const struct scene *scene, double force, double energy, double virial,
                          enum outputs outputs, const char *what) {
    struct evaluation mutant = copy_of(&scene->right);
    for (size_t i = 0; i < 3 * mutant.n; i++) {
        mutant.force[i] *= force;
    }
    mutant.energy *= energy;
    for (int k = 0; k < 9; k++) {
        mutant.virial[k] *= virial;
    }
    assert_wrong(scene, &mutant, outputs, what);
    free(mutant.force);
}

/* Mutants of the whole result. */
static void reject_wrong_totals(const struct scene *scene) {
    reject_scaled(scene, -1.0, 1.0, 1.0, OUTPUTS_FORCES, "flipped sign");
    reject_scaled(scene, 0.0, 0.0, 0.0, OUTPUTS_FORCES, "does nothing");
    reject_scaled(scene, 2.0, 1.0, 1.0, OUTPUTS_FORCES, "every pair twice");
    reject_scaled(scene, 1.0, 2.0, 1.0, OUTPUTS_ENERGY, "twice the energy");
    reject_scaled(scene, 1.0, 0.5, 1.0, OUTPUTS_ENERGY, "half the energy");
    reject_scaled(scene, 1.0, 1.0, 0.5, OUTPUTS_VIRIAL, "half the virial");
    reject_scaled(scene, 1.0, 1.0, -1.0, OUTPUTS_VIRIAL, "flipped virial");
}

static void reject_values(const struct scene *scene) {
    static const double values[] = { NAN, INFINITY, -INFINITY };
    for (size_t v = 0; v < 3; v++) {
        struct evaluation mutant = copy_of(&scene->right);
        mutant.force[3 * mutant.n - 1] = values[v];
        assert_wrong(scene, &mutant, OUTPUTS_FORCES, "a force not finite");
        mutant.force[3 * mutant.n - 1] = scene->right.force[3 * mutant.n - 1];
        mutant.energy = values[v];
        assert_int_equal(judge(scene, &mutant, OUTPUTS_FORCES).status, STATUS_OK);
        assert_wrong(scene, &mutant, OUTPUTS_ENERGY, "an energy not finite");
        mutant.energy = scene->right.energy;
        mutant.virial[5] = values[v];
        assert_int_equal(judge(scene, &mutant, OUTPUTS_ENERGY).status, STATUS_OK);
        assert_wrong(scene, &mutant, OUTPUTS_VIRIAL, "a virial not finite");
        free(mutant.force);
    }
    struct evaluation unwritten = evaluation_of(scene->box.n);
    assert_wrong(scene, &unwritten, OUTPUTS_FORCES, "poison");
    free(unwritten.force);
}

/* What a float kernel gives, called double. */
static void reject_float_as_double(const struct scene *scene) {
    struct evaluation mutant = evaluation_of(scene->box.n);
    kernel(PRECISION_FLOAT, &scene->box, scene->cutoff, STYLE_PLAIN, &mutant);
    assert_wrong(scene, &mutant, OUTPUTS_FORCES, "float under a double label");
    kernel(PRECISION_MIXED, &scene->box, scene->cutoff, STYLE_PLAIN, &mutant);
    assert_wrong(scene, &mutant, OUTPUTS_FORCES, "mixed under a double label");
    memcpy(mutant.force, scene->right.force, 3 * mutant.n * sizeof(double));
    assert_wrong(scene, &mutant, OUTPUTS_ENERGY, "energy in float under a double label");
    free(mutant.force);
}

static void reject_stale(const struct scene *scene, struct box other) {
    struct evaluation mutant = evaluation_of(scene->box.n);
    kernel(scene->precision, &other, scene->cutoff, STYLE_PLAIN, &mutant);
    assert_wrong(scene, &mutant, OUTPUTS_FORCES, "stale forces of another box");
    hand_box_free(&other);
    free(mutant.force);
}

TEST(wrong_results_fail) {
    static const size_t counts[] = { 2, 3, 8, 30, 125, 600, 2000, 4096 };
    static const double densities[] = { 0.84, 0.3, 1.1 };
    for (int p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (size_t d = 0; d < sizeof densities / sizeof densities[0]; d++) {
                size_t n = counts[c], i = 0, j = 0;
                if ((n > 2000 && d > 0) || is_too_large(n)) {
                    continue; /* time */
                }
                double share = p == PRECISION_DOUBLE ? 0.99 : 0.3;
                bool periodic = n > 2 && (c + d) % 3 != 0;
                struct box box = hand_box_lattice(n, densities[d], 0.1, periodic, c + 1);
                struct scene scene = scene_of(box, 2.5, (enum precision)p);
                assert_right(&scene, &scene.right, "not a mutant");
                for (uint64_t seed = 1; seed <= 3 && find_pair(&scene, seed, share, &i, &j);
                     seed++) {
                    reject_wrong_pairs(&scene, i, j);
                }
                reject_wrong_totals(&scene);
                reject_values(&scene);
                reject_stale(&scene, hand_box_lattice(n, densities[d], 0.1, periodic, c + 2));
                if (p == PRECISION_DOUBLE) {
                    reject_float_as_double(&scene);
                }
                scene_free(&scene);
            }
        }
    }
}

/* ---- small errors of what is summed over the box ---- */

/* Right to the last bit, as a tree adds up: the reference's own results, rounded. All pairs of 64
 * 000 particles would take a minute. */
static void round_results(struct scene *scene) {
    const bool rounded = scene->precision == PRECISION_FLOAT;
    const struct reference *reference = &scene->reference;
    struct evaluation *right = &scene->right;
    right->sum_items = (double)reference->n;
    right->sum_serial = 0.0;
    right->energy = rounded ? (double)(float)reference->energy : reference->energy;
    for (size_t k = 0; k < 3 * reference->n; k++) {
        right->force[k] = rounded ? (double)(float)reference->force[k] : reference->force[k];
    }
    for (int k = 0; k < 9; k++) {
        right->virial[k] = rounded ? (double)(float)reference->virial[k] : reference->virial[k];
    }
}

/* In liquids an energy off by 1e-6 of sum|u| and a virial off by 1e-5 of its scale, in float; with
 * double sums and in double far less. */
TEST(small_errors_of_totals_fail) {
    static const size_t counts[] = { 4000, 64000 };
    for (int p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        for (size_t c = 0; c < (is_too_large(counts[1]) ? 1 : 2); c++) {
            struct scene scene = scene_without_results(
                hand_box_lattice(counts[c], 0.65, 0.1, true, c + 1), 3.5, (enum precision)p);
            const double unit = p == PRECISION_DOUBLE ? 0x1p-29 : 1.0;
            round_results(&scene);
            assert_right(&scene, &scene.right, "rounded totals");
            for (int sign = -1; sign <= 1; sign += 2) {
                struct evaluation mutant = copy_of(&scene.right);
                mutant.energy += sign * unit * 1e-6 * scene.reference.energy_scale;
                assert_wrong(&scene, &mutant, OUTPUTS_ENERGY, "energy off by 1e-6");
                mutant.energy = scene.right.energy;
                for (int k = 0; k < 9; k++) {
                    mutant.virial[k] += sign * unit * 1e-5 * scene.reference.virial_scale;
                    assert_wrong(&scene, &mutant, OUTPUTS_VIRIAL, "virial off by 1e-5");
                    mutant.virial[k] = scene.right.virial[k];
                }
                free(mutant.force);
            }
            scene_free(&scene);
        }
    }
}

/* Sites without jitter: all pairs of a shell err alike, and so do the sums of all particles. */
TEST(lattices_pass) {
    static const double densities[] = { 1.0, 0.84, 0.7071067, 1.3 };
    const size_t n = is_too_large(4096) ? 512 : 4096;
    for (int p = PRECISION_FLOAT; p <= PRECISION_DOUBLE; p++) {
        for (size_t d = 0; d < sizeof densities / sizeof densities[0]; d++) {
            for (int periodic = 0; periodic < 2; periodic++) {
                struct box box = hand_box_lattice(n, densities[d], 0.0, periodic, 1);
                check_styles(moved(box, d == 3 ? 100.3 : 0.0), 2.5, (enum precision)p, "sites");
            }
        }
    }
}

/* ---- special cases ---- */

/* The force of Born-Mayer-Huggins as right kernels write it: the exponent from a quotient, or from
 * products with 1 / rho. */
static double huggins_force(double r2, bool products) {
    const double rho = 0.08;
    const double per_rho = 1.0 / rho;
    const double r = sqrt(r2);
    const double exponent = products ? per_rho - r * per_rho : (1.0 - r) / rho;
    const double per_r2 = 1.0 / r2;
    const double r6 = per_r2 * per_r2 * per_r2;
    return exp(exponent) * per_rho - (6.0 * r6 + 8.0 * 0.5 * r6 * per_r2) / r;
}

/* Two particles in the well, where the slopes of the exponential and of the powers cancel. */
static void look_at_rounded_exponents(const struct interaction *huggins) {
    for (int step = 0; step < 2000; step++) {
        struct error error;
        struct box box = hand_box_empty(2);
        struct reference reference;
        struct evaluation evaluation = { .n = 2 };
        double force[6] = { 0.0 };
        box.position[3] = 1.05 + 1e-4 * step;
        assert_true(reference_compute(&box, huggins, 2.5, &reference, &error));
        evaluation.force = force;
        for (int products = 0; products < 2; products++) {
            struct verdict verdict;
            const double f = huggins_force(box.position[3] * box.position[3], products);
            force[3] = f;
            force[0] = -f;
            gate_compare(&reference, hand_box_length(&box), PRECISION_DOUBLE, OUTPUTS_FORCES,
                         &evaluation, &verdict);
            assert_int_equal(verdict.status, STATUS_OK);
            force[3] = f * (1.0 + 1e-12);
            gate_compare(&reference, hand_box_length(&box), PRECISION_DOUBLE, OUTPUTS_FORCES,
                         &evaluation, &verdict);
            assert_true(fabs(f) < 0.1 || verdict.status == STATUS_WRONG);
        }
        reference_free(&reference);
        hand_box_free(&box);
    }
}

/* How much of the energy of particles in a row is terms that are one number, and how much of it is
 * pairs at one distance. */
static void find_alike(const char *words, double *equal, double *distances) {
    enum { PARTICLES = 20 };
    struct error error;
    struct expression *expression = NULL;
    struct interaction interaction;
    struct reference reference;
    struct box box = hand_box_empty(PARTICLES);
    double at = 0.0;
    assert_true(expression_parse(words, NULL, &expression, &error));
    assert_true(interaction_of_expression(expression, &interaction, &error));
    for (int i = 0; i < PARTICLES; i++) { /* no distance is there twice */
        box.position[3 * i] = at;
        at += 1.0 + sqrt(i + 2.0) / 16.0;
    }
    assert_true(reference_compute(&box, &interaction, 1e3, &reference, &error));
    *equal = reference.spread.energy_equal / reference.energy_scale;
    *distances =
        reference.spread.energy / (8.0 * reference.energy_scale + 2.0 * reference.virial_scale);
    reference_free(&reference);
    hand_box_free(&box);
    expression_free(expression);
}

/* Additions err alike where the same number is added, at whatever distance; no other tolerance
 * grows by it. */
TEST(equal_energies_are_known) {
    double equal, distances;
    find_alike("energy = atan(1/r) + atan(r)", &equal, &distances);
    assert_true(equal > 0.999 && distances < 0.5);
    find_alike("energy = 1/r^12 - 1/r^6", &equal, &distances);
    assert_true(equal > 0.0 && equal <= 1.05 * distances);
}

/* Sums in float whose terms all have one sign, as on the surface of a box: 20,000 of them are as
 * right as each is. */
TEST(one_sided_sums_pass) {
    enum { SUMS = 60000, TERMS = 5200 };
    double zeros[3] = { 0.0 };
    double scale = 0.0;
    uint32_t terms = TERMS;
    uint32_t draw = 1;
    struct error error;
    struct tolerances tolerances;
    struct reference reference = { .n = 1, .force = zeros, .scale = &scale, .slope = zeros };
    reference.neighbours = &terms;
    reference.is_exact = true;
    assert_true(tolerances_make(&reference, 0.0, PRECISION_FLOAT, &tolerances, &error));
    for (int k = 0; k < SUMS; k++) {
        float sum = 0.0F;
        scale = 0.0;
        for (int t = 0; t < TERMS; t++) {
            draw = 1664525 * draw + 1013904223;
            const float term = (float)(draw >> 8) * 0x1p-24F;
            sum += term;
            scale += (double)term;
        }
        assert_true(fabs((double)sum - scale) <= bound_of_force(&tolerances, 0, 0).allowed);
    }
    tolerances_free(&tolerances);
}

/* A particle at the corner of a cloud, and a partner where the slope of the force is least: beside
 * its force those of the cloud are lost in float, all of one sign. */
static struct box draw_cloud(size_t n, uint64_t seed) {
    struct box box = hand_box_empty(n);
    for (size_t i = 1; i < n; i++) {
        double *at = box.position + 3 * i;
        double r2;
        do {
            r2 = 0.0;
            for (int k = 0; k < 3; k++) {
                at[k] = (double)(float)(25.0 * hand_random(&seed));
                r2 += at[k] * at[k];
            }
        } while (r2 < 225.0 || r2 > 625.0);
    }
    for (int k = 0; k < 3; k++) {
        box.position[3 + k] = 0.71875;
    }
    return box;
}

/* The largest share of its bound, or with what is `lost` left out, that the force on the first
 * particle errs by: forces in double, rounded, summed in float from the partner on. */
static double share_of_bound(const struct box *box, bool with_lost) {
    const uint32_t first = 0;
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct reference some;
    struct tolerances tolerances;
    struct error error;
    float sum[3] = { 0.0F };
    double share = 0.0;
    for (size_t j = 1; j < box->n; j++) {
        const double *at = box->position + 3 * j;
        const double inverse = 1.0 / (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        const double sixth = inverse * inverse * inverse;
        for (int k = 0; k < 3; k++) {
            sum[k] += (float)(-24.0 * sixth * inverse * (2.0 * sixth - 1.0) * at[k]);
        }
    }
    assert_true(reference_compute_some(&(struct reference_case){ box, &lj, INFINITY, NULL }, &first,
                                       1, &some, &error));
    if (!with_lost) {
        some.lost[0] = 0.0;
    }
    assert_true(tolerances_make(&some, 0.0, PRECISION_FLOAT, &tolerances, &error));
    for (int k = 0; k < 3; k++) {
        share = fmax(share, fabs((double)sum[k] - some.force[k]) /
                                bound_of_force(&tolerances, 0, k).allowed);
    }
    tolerances_free(&tolerances);
    reference_free(&some);
    return share;
}

TEST(terms_too_small_for_a_sum_in_float_may_be_lost) {
    enum { DRAWS = 24 };
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        struct box box = draw_cloud(6000, seed);
        assert_true(share_of_bound(&box, false) > 1.0);
        const double share = share_of_bound(&box, true);
        assert_true(share <= 0.9 && share > 0.3); /* nor is the bound wide */
        hand_box_free(&box);
    }
}

TEST(exponents_that_are_rounded_pass) {
    struct interaction huggins;
    struct error error;
    assert_true(interaction_parse("born-mayer-huggins", &huggins, &error));
    look_at_rounded_exponents(&huggins);
}

/* The same where the user said it: nothing tells the tolerance of exponents but the words. */
TEST(exponents_in_words_pass) {
    struct interaction huggins;
    struct error error;
    struct expression *expression;
    assert_true(expression_parse("energy = A*exp((s - r)/rho) - C/r^6 - D/r^8; A = 1; s = 1; "
                                 "rho = 0.08; C = 1; D = 0.5",
                                 NULL, &expression, &error));
    assert_true(interaction_of_expression(expression, &huggins, &error));
    look_at_rounded_exponents(&huggins);
    expression_free(expression);
}

TEST(exponents_in_kernel_text_pass) {
    static const char words[] = "const real rho = 0.08;\n"
                                "const real r6 = RECIP(r2*r2*r2);\n"
                                "const real repulsion = EXP((1 - r)/rho);\n"
                                "tempEnergy += repulsion - r6 - 0.5f*r6*RECIP(r2);\n"
                                "dEdR += (repulsion/rho*r - 6*r6 - 4*r6*RECIP(r2))*RECIP(r2);\n";
    struct interaction huggins;
    struct error error;
    struct pair_text *text;
    char path[] = "/tmp/pairmark-gate-XXXXXX.omm";
    const int handle = mkstemps(path, 4);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, words, strlen(words)), strlen(words));
    assert_int_equal(close(handle), 0);
    assert_true(pair_text_read(path, &text, &error));
    assert_int_equal(unlink(path), 0);
    interaction_of_text(text, &huggins);
    look_at_rounded_exponents(&huggins);
    pair_text_free(text);
}

TEST(zero_forces) {
    for (size_t n = 1; n <= 2; n++) {
        struct box box = hand_box_empty(n);
        if (n == 2) {
            box.position[3] = 30.0;
        }
        struct scene scene = scene_of(box, 2.5, PRECISION_FLOAT);
        struct verdict verdict = judge(&scene, &scene.right, OUTPUTS_VIRIAL);
        assert_int_equal(verdict.status, STATUS_OK);
        assert_true(verdict.worst_ratio == 0.0 && verdict.max_force_error == 0.0);
        assert_true(verdict.rms_force_error == 0.0 && verdict.net_force == 0.0);
        assert_true(verdict.energy_error == 0.0 && verdict.virial_error == 0.0);
        scene.right.force[2] = 1e-30;
        assert_wrong(&scene, &scene.right, OUTPUTS_FORCES, "not zero");
        scene.right.force[2] = NAN;
        assert_wrong(&scene, &scene.right, OUTPUTS_FORCES, "NaN for zero");
        scene.right.force[2] = 0.0;
        scene.right.virial[3] = 1e-30;
        assert_int_equal(judge(&scene, &scene.right, OUTPUTS_ENERGY).status, STATUS_OK);
        assert_wrong(&scene, &scene.right, OUTPUTS_VIRIAL, "virial not zero");
        scene_free(&scene);
    }
}

TEST(coincident_particles_are_unsupported) {
    struct box box = hand_box_lattice(64, 0.8, 0.1, true, 1);
    memcpy(box.position + 3 * 11, box.position + 3 * 40, 3 * sizeof(double));
    struct scene scene = scene_of(box, 1.5, PRECISION_DOUBLE);
    struct verdict verdict = judge(&scene, &scene.right, OUTPUTS_FORCES);
    assert_int_equal(verdict.status, STATUS_UNSUPPORTED);
    assert_says(verdict.message, "on 2 particles: 12, 41;");
    scene_free(&scene);
}

/* Totals alone are judged as they are beside forces: right, wrong, or not to be compared. */
TEST(totals_alone_are_judged) {
    struct scene scene = scene_of(hand_box_lattice(64, 0.8, 0.1, true, 1), 1.5, PRECISION_FLOAT);
    const struct workload_words *words = &workload_default()->words;
    struct evaluation got = scene.right;
    struct verdict verdict;
    got.force = NULL;
    gate_compare_totals(&(struct gate_expected){ words, &scene.reference, scene.length,
                                                 scene.precision, OUTPUTS_VIRIAL },
                        &got, &verdict);
    assert_int_equal(verdict.status, STATUS_OK);
    got.energy *= 1.01;
    gate_compare_totals(&(struct gate_expected){ words, &scene.reference, scene.length,
                                                 scene.precision, OUTPUTS_VIRIAL },
                        &got, &verdict);
    assert_int_equal(verdict.status, STATUS_WRONG);
    scene.reference.energy = 1e39;
    gate_compare_totals(&(struct gate_expected){ words, &scene.reference, scene.length,
                                                 scene.precision, OUTPUTS_VIRIAL },
                        &got, &verdict);
    assert_int_equal(verdict.status, STATUS_UNSUPPORTED);
    assert_says(verdict.message, "energy (1e+39)");
    scene_free(&scene);
}

TEST(forces_beyond_float_are_unsupported) {
    struct box box = hand_box_empty(2);
    box.position[3] = 1e-4;
    struct scene scene = scene_of(box, 2.5, PRECISION_FLOAT);
    assert_int_equal(judge(&scene, &scene.right, OUTPUTS_FORCES).status, STATUS_UNSUPPORTED);
    scene.precision = PRECISION_DOUBLE;
    kernel(PRECISION_DOUBLE, &scene.box, scene.cutoff, STYLE_PLAIN, &scene.right);
    assert_right(&scene, &scene.right, "close pair");
    scene_free(&scene);
}

TEST(messages_and_errors) {
    struct scene scene = scene_of(hand_box_lattice(100, 0.8, 0.1, true, 1), 2.0, PRECISION_DOUBLE);
    struct evaluation mutant = copy_of(&scene.right);
    double rms = 0.0;
    for (size_t i = 0; i < 300; i++) {
        rms += scene.reference.force[i] * scene.reference.force[i] / 100.0;
    }
    rms = sqrt(rms);
    mutant.force[3 * 16 + 1] += 0.5 * rms;
    mutant.force[3 * 20] -= 0.1 * rms;
    mutant.energy += 1e-9 * scene.reference.energy_scale;
    struct verdict verdict = judge(&scene, &mutant, OUTPUTS_VIRIAL);
    assert_int_equal(verdict.status, STATUS_WRONG);
    assert_true(strncmp(verdict.message, "force on particle 17, y: got ", 29) == 0);
    assert_says(verdict.message, "out of tolerance: 2 of 300 force components, energy");
    assert_true(fabs(verdict.max_force_error - 0.5) < 1e-12);
    assert_true(fabs(verdict.rms_force_error - sqrt(0.26 / 100.0)) < 1e-12);
    assert_true(fabs(verdict.net_force - sqrt(0.26)) < 1e-10);
    assert_true(fabs(verdict.energy_error - 1e-9) < 1e-14);
    assert_true(verdict.virial_error < 1e-14);
    mutant.force[5] = NAN;
    verdict = judge(&scene, &mutant, OUTPUTS_FORCES);
    assert_true(strncmp(verdict.message, "force on particle 2, z: got ", 28) == 0);
    assert_true(isinf(verdict.worst_ratio) && isinf(verdict.max_force_error));
    assert_true(isnan(verdict.energy_error) && isnan(verdict.virial_error));
    mutant.n = 99;
    assert_int_equal(judge(&scene, &mutant, OUTPUTS_FORCES).status, STATUS_WRONG);
    free(mutant.force);
    scene_free(&scene);
}

TEST(poison_is_not_a_number) {
    float single;
    double wide;
    memset(&single, GATE_POISON_BYTE, sizeof single);
    memset(&wide, GATE_POISON_BYTE, sizeof wide);
    assert_true(isnan(single) && isnan(wide));
}
