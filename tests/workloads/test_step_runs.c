/*
 * Runs of time steps: many that are enqueued at once, against steps of which each waits until the
 * host has looked whether its list still serves. Bit by bit, whatever their number, for lists,
 * cells that each step builds, and what a variant keeps "when moved".
 */
#include "boxes/box.h"
#include "core/embedded.h"
#include "kernels/text/kernel_text.h"
#include "prepare/kernel_plan.h"

#include "device_fixture.h"

#include "kernels/header/read_variant.h"
#include "support.h"

enum { PARTICLES = 500, STEPS = 47 };

struct walk {
    double position[3 * PARTICLES], velocity[3 * PARTICLES], force[3 * PARTICLES];
    int32_t crossing[3 * PARTICLES];
    struct plan_motion motion;
};

static void make_box_of(const char *kind, size_t n, double density, enum precision precision,
                        struct box *box) {
    struct box made = { 0 };
    struct error error;
    assert_true(box_make(kind, n, density, 3, &made, &error));
    assert_true(box_set_temperature(&made, 3, 1, &error));
    assert_true(box_as_device(&made, precision, box, &error));
    box_free(&made);
}

static void make_box(struct box *box) {
    make_box_of("melt", PARTICLES, 0.8442, PRECISION_DOUBLE, box);
}

/* Blanks out the word and what stands behind it in the line. */
static void leave_out(char *text, const char *word) {
    for (char *at = strstr(text, word); at; at = strstr(at, word)) {
        memset(at, ' ', strcspn(at, "\n"));
    }
}

/* without: a word that its text does not have; NULL: as it is. */
static void find_variant(const char *integrator, const char *name, const char *without,
                         struct variant *variant) {
    static char text[16384];
    char path[128];
    struct error error;
    (void)snprintf(path, sizeof path, "variants/step/%s.cl", integrator);
    (void)snprintf(text, sizeof text, "%s", embedded_text(path));
    if (without) {
        assert_says(text, without);
        leave_out(text, without);
    }
    for (int k = 0; variant_parse_kth(path, text, k, variant, &error); k++) {
        if (strcmp(variant->name, name) == 0) {
            return;
        }
        variant_free(variant);
    }
    fail_msg("%s: %s", name, error.message);
}

static void set_tuning(struct tunings *tunings, const char *name, int value) {
    for (int k = 0; k < tunings->count; k++) {
        if (strcmp(tunings->items[k].name, name) == 0) {
            tunings->items[k].value = value;
        }
    }
}

/* From the start of the box, in two goes, with runs of `longest` steps at most. */
static void walk_plan(struct kernel_plan *plan, const struct box *box, uint64_t longest,
                      struct walk *walk) {
    struct error error;
    memcpy(walk->position, box->position, 3 * box->n * sizeof *walk->position);
    memcpy(walk->velocity, box->velocity, 3 * box->n * sizeof *walk->velocity);
    walk->motion = (struct plan_motion){ .position = walk->position,
                                         .velocity = walk->velocity,
                                         .force = walk->force,
                                         .crossing = walk->crossing };
    kernel_plan_limit_runs(plan, longest);
    assert_true(kernel_plan_write_motion(plan, &walk->motion, &error));
    if (!kernel_plan_advance(plan, STEPS, &error) ||
        !kernel_plan_read_motion(plan, &walk->motion, &error)) {
        fail_msg("%s", error.message);
    }
}

static void assert_same_walk(const struct walk *a, const struct walk *b) {
    assert_memory_equal(a->position, b->position, sizeof a->position);
    assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
    assert_memory_equal(a->force, b->force, sizeof a->force);
    assert_memory_equal(a->crossing, b->crossing, sizeof a->crossing);
    assert_int_equal(a->motion.step, b->motion.step);
}

/* list: one that has to be renewed on the way. Returns how often it was. */
static uint64_t compare_runs_of(struct device *device, const struct variant *variant,
                                const struct box *box, double cutoff, enum precision precision,
                                enum outputs outputs, bool list) {
    static struct walk each, some, many, again;
    struct error error;
    struct case_spec spec = {
        .variant = variant, .cutoff = cutoff_of(cutoff), .precision = precision, .outputs = outputs
    };
    assert_true(interaction_parse("lj", &spec.interaction, &error));
    assert_true(case_step_rules(variant, precision, &spec.step, &error));
    spec.step.dt = 0.005;
    case_preset_tunings(&spec);
    set_tuning(&spec.tunings, "STABLE_SORT", 1);
    struct kernel_plan *plan = NULL;
    if (!kernel_plan_create(&(struct plan_input){ device, &spec, BUILD_PLAIN, box, NULL, cutoff },
                            &plan, &error)) {
        fail_msg("%s", error.message);
    }
    walk_plan(plan, box, 1, &each);
    const uint64_t renewed = kernel_plan_renewals(plan);
    walk_plan(plan, box, 5, &some);
    walk_plan(plan, box, 0, &many);
    walk_plan(plan, box, 0, &again); /* of lengths that have come before */
    assert_same_walk(&each, &some);
    assert_same_walk(&each, &many);
    assert_same_walk(&each, &again);
    assert_true(!list || renewed >= 2);
    assert_int_equal(kernel_plan_renewals(plan), 4 * renewed);
    kernel_plan_free(plan);
    return renewed;
}

static uint64_t compare_runs_without(struct device *device, const char *integrator,
                                     const char *name, const char *without, enum outputs outputs,
                                     bool list) {
    struct box box;
    struct variant variant;
    make_box(&box);
    find_variant(integrator, name, without, &variant);
    const uint64_t renewed =
        compare_runs_of(device, &variant, &box, 2.5, PRECISION_DOUBLE, outputs, list);
    variant_free(&variant);
    box_free(&box);
    return renewed;
}

static void compare_runs(struct device *device, const char *integrator, const char *name,
                         enum outputs outputs, bool list) {
    (void)compare_runs_without(device, integrator, name, NULL, outputs, list);
}

/* Integrators that do not look by themselves how far particles have come. */
TEST(others_are_looked_after) {
    const uint64_t looked = compare_runs_without(
        *state, "verlet_fused", "verlet_fused+list_columns", NULL, OUTPUTS_FORCES, true);
    const uint64_t looks = compare_runs_without(*state, "verlet_fused", "verlet_fused+list_columns",
                                                "LOOK_HOW_FAR", OUTPUTS_FORCES, true);
    assert_int_equal(looks, looked);
}

/* Built for where particles are, lists were renewed seven times in these steps. */
TEST(lists_are_built_for_the_middle_of_their_life) {
    const uint64_t renewed =
        compare_runs_without(*state, "verlet", "verlet+list_columns", NULL, OUTPUTS_FORCES, true);
    assert_between(renewed, 2, 5);
}

TEST(runs_give_the_bits_of_single_steps) {
    compare_runs(*state, "verlet", "verlet+list_columns", OUTPUTS_VIRIAL, true);
    compare_runs(*state, "verlet", "verlet+list_walk", OUTPUTS_FORCES, true);
    compare_runs(*state, "verlet_fused", "verlet_fused+list_columns", OUTPUTS_ENERGY, true);
    compare_runs(*state, "verlet_fused", "verlet_fused+list_blocks", OUTPUTS_FORCES, true);
    compare_runs(*state, "leapfrog", "leapfrog+list_columns", OUTPUTS_ENERGY, true);
}

/* Both halves in one kernel, but where a run ends. */
TEST(rigid_waters_in_runs_do_too) {
    static const enum precision precisions[] = { PRECISION_FLOAT, PRECISION_MIXED,
                                                 PRECISION_DOUBLE };
    struct variant variant;
    find_variant("verlet_settle", "verlet_settle+list_lanes", NULL, &variant);
    for (size_t p = 0; p < sizeof precisions / sizeof precisions[0]; p++) {
        struct box box;
        make_box_of("water", PARTICLES / 3 * 3, 0.1, precisions[p], &box);
        (void)compare_runs_of(*state, &variant, &box, 6, precisions[p], OUTPUTS_FORCES, true);
        box_free(&box);
    }
    variant_free(&variant);
}

TEST(steps_are_numbered_in_runs_too) {
    compare_runs(*state, "langevin", "langevin+list_columns", OUTPUTS_FORCES, true);
    compare_runs(*state, "rescale", "rescale+list_columns", OUTPUTS_ENERGY, true);
    compare_runs(*state, "nose_hoover", "nose_hoover+list_columns", OUTPUTS_FORCES, true);
}

TEST(what_each_step_builds_needs_no_look) {
    compare_runs(*state, "verlet", "verlet+sorted_cells", OUTPUTS_FORCES, false);
    compare_runs(*state, "verlet", "verlet+all_pairs_loop", OUTPUTS_FORCES, false);
}

/* ---- parts ---- */

struct counts {
    uint64_t renewals, prunings, parts;
};

/* How much was pruned in a walk of runs of so many steps at most. */
static struct counts count_pruned(struct kernel_plan *plan, const struct box *box, uint64_t longest,
                                  struct walk *walk) {
    const struct counts before = { kernel_plan_renewals(plan), kernel_plan_prunings(plan),
                                   kernel_plan_parts_renewed(plan) };
    walk_plan(plan, box, longest, walk);
    return (struct counts){ kernel_plan_renewals(plan) - before.renewals,
                            kernel_plan_prunings(plan) - before.prunings,
                            kernel_plan_parts_renewed(plan) - before.parts };
}

/* Which part is pruned in which step does not hang on how many steps make a run. Forces are added
 * up by atomics, in whatever order. */
TEST(parts_are_pruned_in_the_same_steps) {
    static struct walk each, many;
    struct box box;
    struct variant variant;
    struct error error;
    make_box(&box);
    find_variant("verlet_fused", "verlet_fused+clusters_8x8", NULL, &variant);
    struct case_spec spec = { .variant = &variant,
                              .cutoff = cutoff_of(1.5),
                              .precision = PRECISION_DOUBLE,
                              .outputs = OUTPUTS_FORCES };
    assert_true(interaction_parse("lj", &spec.interaction, &error));
    assert_true(case_step_rules(&variant, PRECISION_DOUBLE, &spec.step, &error));
    spec.step.dt = 0.002;
    case_preset_tunings(&spec);
    set_tuning(&spec.tunings, "SKIN", 20);
    set_tuning(&spec.tunings, "OUTER", 30);
    set_tuning(&spec.tunings, "PARTS", 3);
    struct kernel_plan *plan = NULL;
    if (!kernel_plan_create(&(struct plan_input){ *state, &spec, BUILD_PLAIN, &box, NULL, 1.5 },
                            &plan, &error)) {
        fail_msg("%s", error.message);
    }
    const struct counts of_each = count_pruned(plan, &box, 1, &each);
    const struct counts of_many = count_pruned(plan, &box, 0, &many);
    assert_between(of_each.renewals, 1, STEPS / 2);
    assert_true(of_each.parts > 3 * of_each.renewals);
    assert_memory_equal(&of_each, &of_many, sizeof of_each);
    for (size_t k = 0; k < sizeof each.velocity / sizeof each.velocity[0]; k++) {
        assert_true(fabs(each.velocity[k] - many.velocity[k]) < 1e-6);
    }
    kernel_plan_free(plan);
    variant_free(&variant);
    box_free(&box);
}

/* ---- the text ---- */

static void assert_early_exit(const char *kernels, const char *expected) {
    struct strbuf text = { 0 };
    early_exit_append(&text, EARLY_EXIT_FORCES, kernels);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    strbuf_free(&text);
}

TEST(kernels_look_before_their_first_statement) {
    assert_early_exit("KERNEL void one(int n PAIR_PARAMETERS)\n{\n    n = 1;\n}\n",
                      "KERNEL void one(int n PAIR_PARAMETERS, GLOBAL const int *RESTRICT "
                      "step_halted)\n{ STEP_HALTS\n    n = 1;\n}\n");
    assert_early_exit("/* KERNEL void no(int n) { */ int KERNELS(int n) { }\nKERNEL void a( ) { }",
                      "/* KERNEL void no(int n) { */ int KERNELS(int n) { }\n"
                      "KERNEL void a(  GLOBAL const int *RESTRICT step_halted) { STEP_HALTS }");
    assert_early_exit(
        "KERNEL void a(int n /* ( */, real x) // {\n{ }",
        "KERNEL void a(int n /* ( */, real x, GLOBAL const int *RESTRICT step_halted) "
        "// {\n{ STEP_HALTS }");
    assert_early_exit("KERNEL void declared(int n);", "KERNEL void declared(int n);");
    assert_early_exit("KERNEL void open(int n", "KERNEL void open(int n");
    assert_early_exit("", "");
}

TEST(kernels_of_integrators_may_halt_their_own_step) {
    struct strbuf text = { 0 };
    early_exit_append(&text, EARLY_EXIT_INTEGRATOR, "KERNEL void a(int n) { }");
    assert_false(text.failed);
    assert_string_equal(text.data,
                        "KERNEL void a(int n, GLOBAL int *RESTRICT step_halted, GLOBAL const real4 "
                        "*RESTRICT step_built, real step_way2, int step_mark) { "
                        "STEP_HALTS_BEFORE }");
    strbuf_free(&text);
    assert_true(early_exit_looks_how_far("KERNEL void a(int n) { LOOK_HOW_FAR(n, x, box); }"));
    assert_false(early_exit_looks_how_far("/* LOOK_HOW_FAR */ KERNEL void a(int n) { LOOK_HOW; }"));
}
