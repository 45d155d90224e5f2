/* Coordinations as the harness prepares them, whatever the kernel is: which particles the
 * parameters hold, in which order, and where what is computed of them goes. Judged by a plain loop
 * over the pairs, with the Lennard-Jones function in the place of a switching function. */
#include "prepare/kernel_plan.h"

#include "hand_box.h"

#include "device_fixture.h"

#include "kernels/header/read_variant.h"
#include "support.h"

enum { PARTICLES = 230 };

static const double cutoff = 2.5;

/* ---- kernels, as plain as can be ---- */

static const char one_group[] =
    "/*\n * one - one group, every pair from both sides\n"
    " * @workload coordination\n * @groups one\n * @structure none\n"
    " * @pass one item per particle\n */\n"
    "KERNEL void one(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 "
    "inverse_edge,\n"
    "                real cutoff2, GLOBAL accum4 *RESTRICT derivative,\n"
    "                GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        const real4 a = position[GLOBAL_ID];\n"
    "        accum x = 0, y = 0, z = 0;\n"
    "        for (int j = 0; j < n; j++) {\n"
    "            const real4 b = position[j];\n"
    "            const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);\n"
    "            const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);\n"
    "            const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);\n"
    "            const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "            COUNT_DISTANCE(&sums);\n"
    "            if (j != GLOBAL_ID && IN_CUTOFF(r2, cutoff2)) {\n"
    "                pair_energy energy = NO_ENERGY;\n"
    "                const real f = PAIR_FORCE(r2, a, b, GLOBAL_ID, j, &energy);\n"
    "                x -= f * dx; y -= f * dy; z -= f * dz;\n"
    "                add_to_sums(&sums, energy, f, dx, dy, dz);\n"
    "            }\n"
    "        }\n"
    "        derivative[GLOBAL_ID] = make_accum4(x, y, z, 0);\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 0.5);\n"
    "}\n";

/* One group through its cells, all of which are walked. */
static const char one_group_sorted[] =
    "/*\n * one_sorted - one group, in the order of cells\n"
    " * @workload coordination\n * @groups one\n * @structure sorted_cells\n"
    " * @pass one_sorted item per particle\n */\n"
    "KERNEL void one_sorted(int n, GLOBAL const real4 *RESTRICT sorted_position, int4 cells,\n"
    "                       GLOBAL const int *RESTRICT sorted_index,\n"
    "                       GLOBAL const int *RESTRICT cell_start, real4 edge,\n"
    "                       real4 inverse_edge, real cutoff2, GLOBAL accum4 *RESTRICT derivative,\n"
    "                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    if (GLOBAL_ID < n) {\n"
    "        const real4 a = sorted_position[GLOBAL_ID];\n"
    "        accum x = 0, y = 0, z = 0;\n"
    "        for (int j = cell_start[0]; j < cell_start[cells.w]; j++) {\n"
    "            const real4 b = sorted_position[j];\n"
    "            const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);\n"
    "            const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);\n"
    "            const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);\n"
    "            const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "            COUNT_DISTANCE(&sums);\n"
    "            if (j != GLOBAL_ID && IN_CUTOFF(r2, cutoff2)) {\n"
    "                pair_energy energy = NO_ENERGY;\n"
    "                const real f = PAIR_FORCE(r2, a, b, GLOBAL_ID, j, &energy);\n"
    "                x -= f * dx; y -= f * dy; z -= f * dz;\n"
    "                add_to_sums(&sums, energy, f, dx, dy, dz);\n"
    "            }\n"
    "        }\n"
    "        derivative[sorted_index[GLOBAL_ID]] = make_accum4(x, y, z, 0);\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 0.5);\n"
    "}\n";

/* Adds to B's derivatives what other work-items add to, too. */
static const char two_groups[] =
    "/*\n * two - two groups, each pair once\n"
    " * @workload coordination\n * @groups two\n * @structure none\n"
    " * @accumulates derivative\n * @pass two item per particle_a\n */\n"
    "KERNEL void two(int n_a, int n_b, GLOBAL const real4 *RESTRICT position_a,\n"
    "                GLOBAL const real4 *RESTRICT position_b, GLOBAL const int *RESTRICT index_a,\n"
    "                GLOBAL const int *RESTRICT index_b, real4 edge, real4 inverse_edge,\n"
    "                real cutoff2, GLOBAL accum4 *RESTRICT derivative_a,\n"
    "                GLOBAL accum *RESTRICT derivative_b,\n"
    "                GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    if (GLOBAL_ID < n_a) {\n"
    "        const real4 a = position_a[GLOBAL_ID];\n"
    "        accum x = 0, y = 0, z = 0;\n"
    "        for (int j = 0; j < n_b; j++) {\n"
    "            const real4 b = position_b[j];\n"
    "            const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);\n"
    "            const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);\n"
    "            const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);\n"
    "            const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "            COUNT_DISTANCE(&sums);\n"
    "            if (IN_CUTOFF(r2, cutoff2) &&\n"
    "                !(GROUPS_OVERLAP && index_a[GLOBAL_ID] == index_b[j])) {\n"
    "                pair_energy energy = NO_ENERGY;\n"
    "                const real f = PAIR_FORCE(r2, a, b, index_a[GLOBAL_ID], index_b[j], "
    "&energy);\n"
    "                x -= f * dx; y -= f * dy; z -= f * dz;\n"
    "                ATOMIC_ADD(&derivative_b[4 * j], f * dx);\n"
    "                ATOMIC_ADD(&derivative_b[4 * j + 1], f * dy);\n"
    "                ATOMIC_ADD(&derivative_b[4 * j + 2], f * dz);\n"
    "                add_to_sums(&sums, energy, f, dx, dy, dz);\n"
    "            }\n"
    "        }\n"
    "        derivative_a[GLOBAL_ID] = make_accum4(x, y, z, 0);\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 1.0);\n"
    "}\n";

/* A against the cells of B, which has no cells near some of A; then the cells of B against A, by
 * their places first: those of the two groups are of one scale. */
static const char two_groups_sorted[] =
    "/*\n * two_sorted - two groups, each in the order of its cells\n"
    " * @workload coordination\n * @groups two\n * @structure sorted_cells\n"
    " * @pass of_a item per particle_a\n * @pass of_b item per cell_b\n */\n"
    "KERNEL void of_a(int n_a, int4 cells_b, GLOBAL const real4 *RESTRICT position_a,\n"
    "                 GLOBAL const real4 *RESTRICT sorted_position_b,\n"
    "                 GLOBAL const int *RESTRICT sorted_index_b,\n"
    "                 GLOBAL const int *RESTRICT cell_start_b,\n"
    "                 GLOBAL const int *RESTRICT index_a, GLOBAL const int *RESTRICT index_b,\n"
    "                 real4 edge, real4 inverse_edge, real cutoff2,\n"
    "                 GLOBAL accum4 *RESTRICT derivative_a,\n"
    "                 GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    if (GLOBAL_ID < n_a) {\n"
    "        const real4 a = position_a[GLOBAL_ID];\n"
    "        accum x = 0, y = 0, z = 0;\n"
    "        for (int j = 0; j < cell_start_b[cells_b.w]; j++) {\n"
    "            const real4 b = sorted_position_b[j];\n"
    "            const int other = index_b[sorted_index_b[j]];\n"
    "            const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);\n"
    "            const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);\n"
    "            const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);\n"
    "            const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "            COUNT_DISTANCE(&sums);\n"
    "            if (IN_CUTOFF(r2, cutoff2) && index_a[GLOBAL_ID] != other) {\n"
    "                pair_energy energy = NO_ENERGY;\n"
    "                const real f = PAIR_FORCE(r2, a, b, index_a[GLOBAL_ID], other, &energy);\n"
    "                x -= f * dx; y -= f * dy; z -= f * dz;\n"
    "                add_to_sums(&sums, energy, f, dx, dy, dz);\n"
    "            }\n"
    "        }\n"
    "        derivative_a[GLOBAL_ID] = make_accum4(x, y, z, 0);\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 1.0);\n"
    "}\n"
    "KERNEL void of_b(int4 cells_a, int4 cells_b, GLOBAL const real4 *RESTRICT sorted_position_a,\n"
    "                 GLOBAL const int *RESTRICT sorted_place_a, real4 screen_scale_a,\n"
    "                 GLOBAL const int *RESTRICT sorted_place_b,\n"
    "                 GLOBAL const int *RESTRICT sorted_index_a,\n"
    "                 GLOBAL const int *RESTRICT cell_start_a,\n"
    "                 GLOBAL const real4 *RESTRICT position_b,\n"
    "                 GLOBAL const int *RESTRICT sorted_index_b,\n"
    "                 GLOBAL const int *RESTRICT cell_start_b,\n"
    "                 GLOBAL const int *RESTRICT index_a, GLOBAL const int *RESTRICT index_b,\n"
    "                 real4 edge, real4 inverse_edge, real cutoff2,\n"
    "                 GLOBAL accum4 *RESTRICT derivative_b,\n"
    "                 GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    if (GLOBAL_ID < cells_b.w) {\n"
    "        for (int k = cell_start_b[GLOBAL_ID]; k < cell_start_b[GLOBAL_ID + 1]; k++) {\n"
    "            const int own = sorted_index_b[k];\n"
    "            const real4 b = position_b[own];\n"
    "            accum x = 0, y = 0, z = 0;\n"
    "            for (int j = 0; j < cell_start_a[cells_a.w]; j++) {\n"
    "                const int limit = screen_limit(screen_scale_a, cutoff2);\n"
    "                if (SCREEN_BIT(0u, sorted_place_b[k], sorted_place_a[j], limit) == 0) {\n"
    "                    continue;\n"
    "                }\n"
    "                const real4 a = sorted_position_a[j];\n"
    "                const int other = index_a[sorted_index_a[j]];\n"
    "                const real dx = nearest_image(b.x - a.x, edge.x, inverse_edge.x);\n"
    "                const real dy = nearest_image(b.y - a.y, edge.y, inverse_edge.y);\n"
    "                const real dz = nearest_image(b.z - a.z, edge.z, inverse_edge.z);\n"
    "                const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "                if (IN_CUTOFF(r2, cutoff2) && index_b[own] != other) {\n"
    "                    pair_energy energy = NO_ENERGY;\n"
    "                    const real f = PAIR_FORCE(r2, b, a, index_b[own], other, &energy);\n"
    "                    x -= f * dx; y -= f * dy; z -= f * dz;\n"
    "                }\n"
    "            }\n"
    "            derivative_b[own] = make_accum4(x, y, z, 0);\n"
    "        }\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 1.0);\n"
    "}\n";

static const char listed_pairs[] =
    "/*\n * listed - a pair a work-item\n"
    " * @workload coordination\n * @groups pairs\n * @structure none\n"
    " * @pass listed item per pair\n */\n"
    "KERNEL void listed(int n_pairs, GLOBAL const real4 *RESTRICT position_a,\n"
    "                   GLOBAL const real4 *RESTRICT position_b, real4 edge, real4 inverse_edge,\n"
    "                   real cutoff2, GLOBAL accum4 *RESTRICT derivative_a,\n"
    "                   GLOBAL accum4 *RESTRICT derivative_b,\n"
    "                   GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS) {\n"
    "    SUM_SCRATCH\n"
    "    pair_sums sums;\n"
    "    clear_sums(&sums);\n"
    "    const int k = GLOBAL_ID;\n"
    "    if (k < n_pairs) {\n"
    "        const real4 a = position_a[k];\n"
    "        const real4 b = position_b[k];\n"
    "        const real dx = nearest_image(a.x - b.x, edge.x, inverse_edge.x);\n"
    "        const real dy = nearest_image(a.y - b.y, edge.y, inverse_edge.y);\n"
    "        const real dz = nearest_image(a.z - b.z, edge.z, inverse_edge.z);\n"
    "        const real r2 = dx * dx + dy * dy + dz * dz;\n"
    "        pair_energy energy = NO_ENERGY;\n"
    "        real f = 0;\n"
    "        COUNT_DISTANCE(&sums);\n"
    "        if (IN_CUTOFF(r2, cutoff2)) {\n"
    "            f = PAIR_FORCE(r2, a, b, k, k, &energy);\n"
    "            add_to_sums(&sums, energy, f, dx, dy, dz);\n"
    "        }\n"
    "        derivative_a[k] = make_accum4(-f * dx, -f * dy, -f * dz, 0);\n"
    "        derivative_b[k] = make_accum4(f * dx, f * dy, f * dz, 0);\n"
    "    }\n"
    "    STORE_SUMS(partial_sums, &sums, 1.0);\n"
    "}\n";

/* ---- groups ---- */

/* Fills indices with every `step`th particle from `first`, in an order that is not the box's. */
static int32_t *members(size_t count, size_t first, size_t step) {
    int32_t *indices = malloc((count ? count : 1) * sizeof *indices);
    assert_non_null(indices);
    for (size_t k = 0; k < count; k++) {
        const size_t shuffled = (k * 7 + 3) % count; /* counts are not multiples of 7 */
        indices[k] = (int32_t)(first + step * shuffled);
    }
    return indices;
}

static struct groups groups_of(enum group_mode mode, size_t n_a, size_t n_b, size_t first_b) {
    struct groups groups = { .mode = mode, .n_a = n_a, .n_b = n_b };
    groups.a = members(n_a, 0, 2);
    groups.b = mode == GROUPS_ONE ? NULL : members(n_b, first_b, 1);
    for (size_t i = 0; mode == GROUPS_TWO && i < n_a; i++) {
        for (size_t j = 0; j < n_b; j++) {
            groups.overlap = groups.overlap || groups.a[i] == groups.b[j];
        }
    }
    return groups;
}

static void free_groups(struct groups *groups) {
    free(groups->a);
    free(groups->b);
}

/* ---- a plain loop ---- */

struct expected {
    double value, virial[9];
    double derivative[3 * PARTICLES];
    int64_t pairs;
};

static void add_pair(const struct box *box, size_t i, size_t j, struct expected *expected) {
    double d[3];
    double r2 = 0;
    for (size_t k = 0; k < 3; k++) {
        d[k] = box->position[3 * i + k] - box->position[3 * j + k];
        d[k] -= box->periodic ? box->edge[k] * rint(d[k] / box->edge[k]) : 0;
        r2 += d[k] * d[k];
    }
    if (r2 > cutoff * cutoff) {
        return;
    }
    const double s6 = 1 / (r2 * r2 * r2);
    const double f = 24 * (2 * s6 * s6 - s6) / r2;
    expected->pairs++;
    expected->value += 4 * (s6 * s6 - s6);
    for (size_t k = 0; k < 3; k++) {
        expected->derivative[3 * i + k] -= f * d[k];
        expected->derivative[3 * j + k] += f * d[k];
    }
    for (size_t k = 0; k < 9; k++) {
        expected->virial[k] += f * d[k / 3] * d[k % 3];
    }
}

static void expect(const struct box *box, const struct groups *groups, struct expected *expected) {
    memset(expected, 0, sizeof *expected);
    for (size_t k = 0; k < groups->n_a; k++) {
        const size_t i = (size_t)groups->a[k];
        if (groups->mode == GROUPS_PAIRS) {
            add_pair(box, i, (size_t)groups->b[k], expected);
            continue;
        }
        const int32_t *others = groups->mode == GROUPS_ONE ? groups->a : groups->b;
        const size_t count = groups->mode == GROUPS_ONE ? k : groups->n_b;
        for (size_t l = 0; l < count; l++) {
            if ((size_t)others[l] != i) {
                add_pair(box, i, (size_t)others[l], expected);
            }
        }
    }
}

/* ---- evaluation ---- */

static void assert_expected(const struct evaluation *evaluation, const struct expected *expected,
                            const char *what) {
    assert_int_equal(evaluation->n, PARTICLES);
    assert_near_as(what, evaluation->energy, expected->value,
                   1e-12 * (100 + fabs(expected->value)));
    for (size_t k = 0; k < 9; k++) {
        assert_near_as(what, evaluation->virial[k], expected->virial[k],
                       1e-12 * (1000 + fabs(expected->virial[k])));
    }
    for (size_t k = 0; k < (size_t)3 * PARTICLES; k++) {
        assert_near_as(what, evaluation->force[k], expected->derivative[k],
                       1e-12 * (1000 + fabs(expected->derivative[k])));
    }
}

struct scene {
    struct device *device;
    struct variant variant;
    struct case_spec spec;
    struct box box;
};

static void scene_begin(struct device *device, const char *kernel, bool periodic,
                        struct scene *scene) {
    struct error error;
    *scene = (struct scene){ .device = device };
    assert_done(variant_parse("test.cl", kernel, &scene->variant, &error), &error);
    scene->box = hand_box_lattice(PARTICLES, 0.7, 0.1, periodic, 5);
    scene->spec = (struct case_spec){ .variant = &scene->variant,
                                      .precision = PRECISION_DOUBLE,
                                      .outputs = OUTPUTS_VIRIAL,
                                      .cutoff = cutoff_of(cutoff) };
    assert_true(interaction_parse("lj", &scene->spec.interaction, &error));
    tunings_preset(&scene->variant, &scene->spec.tunings);
}

static void scene_end(struct scene *scene) {
    variant_free(&scene->variant);
    hand_box_free(&scene->box);
}

static void assert_same(double one, double other) {
    if (!(fabs(one - other) <= 1e-11 * (1 + fabs(one))) && !(isnan(one) && isnan(other))) {
        fail_msg("end to end %.17g, %.17g by itself", other, one);
    }
}

/* From host memory to host memory, again and again: the same, and nothing of it from before. */
static void evaluate_end_to_end(struct kernel_plan *plan, const struct evaluation *expected) {
    struct error error;
    struct evaluation evaluation;
    bool done = kernel_plan_end_to_end_begin(plan, &error);
    for (int run = 0; done && run < 3; run++) {
        kernel_plan_end_to_end_poison(plan, 0xFF);
        done = fill_outputs_with_byte(plan, 0xFF, &error) && kernel_plan_end_to_end(plan, &error) &&
               kernel_plan_end_to_end_collect(plan, &evaluation, &error);
        if (done) {
            assert_same(expected->energy, evaluation.energy);
            for (size_t k = 0; k < 9; k++) {
                assert_same(expected->virial[k], evaluation.virial[k]);
            }
            for (size_t k = 0; k < 3 * evaluation.n; k++) {
                assert_same(expected->force[k], evaluation.force[k]);
            }
            evaluation_free(&evaluation);
        }
    }
    assert_done(done, &error);
}

/* Evaluates twice from poison: what accumulates has to begin anew. */
static void evaluate(const struct scene *scene, const struct groups *groups,
                     struct evaluation *evaluation) {
    struct error error;
    struct kernel_plan *plan = NULL;
    bool evaluated =
        kernel_plan_create(&(struct plan_input){ scene->device, &scene->spec, BUILD_PLAIN,
                                                 &scene->box, groups, cutoff },
                           &plan, &error) &&
        fill_outputs_with_byte(plan, 0xFF, &error);
    for (int run = 0; evaluated && run < 2; run++) {
        evaluated = kernel_plan_build(plan, &error) && kernel_plan_enqueue(plan, &error);
    }
    if (!evaluated || !kernel_plan_collect(plan, evaluation, &error)) {
        fail_msg("%s: %s", scene->variant.name, error.message);
    }
    evaluate_end_to_end(plan, evaluation);
    kernel_plan_free(plan);
}

static int64_t count_pairs(const struct scene *scene, const struct groups *groups) {
    struct error error;
    struct kernel_plan *plan = NULL;
    int64_t distances = 0;
    int64_t pairs = 0;
    if (!kernel_plan_create(&(struct plan_input){ scene->device, &scene->spec, BUILD_COUNTING,
                                                  &scene->box, groups, cutoff },
                            &plan, &error) ||
        !kernel_plan_build(plan, &error) || !kernel_plan_enqueue(plan, &error) ||
        !kernel_plan_counts(plan, &distances, &pairs, &error)) {
        fail_msg("%s", error.message);
    }
    kernel_plan_free(plan);
    assert_true(distances >= pairs);
    return pairs;
}

static void check(struct device *device, const char *kernel, bool periodic,
                  const struct groups *groups) {
    struct scene scene;
    struct evaluation evaluation;
    struct expected expected;
    scene_begin(device, kernel, periodic, &scene);
    expect(&scene.box, groups, &expected);
    assert_true(expected.pairs > 0);
    evaluate(&scene, groups, &evaluation);
    assert_expected(&evaluation, &expected, scene.variant.name);
    evaluation_free(&evaluation);
    const int64_t each = scene.variant.groups == GROUPS_ONE ? 2 : 1; /* met from both sides */
    assert_true(count_pairs(&scene, groups) == each * expected.pairs);
    scene_end(&scene);
}

/* ---- tests ---- */

TEST(one_group) {
    struct groups everything = groups_of(GROUPS_ONE, PARTICLES, 0, 0);
    for (int32_t i = 0; i < PARTICLES; i++) {
        everything.a[i] = i;
    }
    everything.everything = true;
    struct groups some = groups_of(GROUPS_ONE, PARTICLES / 2, 0, 0);
    for (int periodic = 0; periodic < 2; periodic++) {
        check(*state, one_group, periodic, &everything);
        check(*state, one_group, periodic, &some);
        check(*state, one_group_sorted, periodic, &everything);
        check(*state, one_group_sorted, periodic, &some);
    }
    free_groups(&everything);
    free_groups(&some);
}

TEST(two_groups) {
    struct groups apart = groups_of(GROUPS_TWO, 50, 111, 100);
    struct groups overlapping = groups_of(GROUPS_TWO, 50, 60, 40);
    struct groups unequal = groups_of(GROUPS_TWO, 1, 200, 1);
    assert_false(apart.overlap);
    assert_true(overlapping.overlap);
    const struct groups *const all[] = { &apart, &overlapping, &unequal };
    for (size_t g = 0; g < sizeof all / sizeof all[0]; g++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            check(*state, two_groups, periodic, all[g]);
            check(*state, two_groups_sorted, periodic, all[g]);
        }
    }
    free_groups(&apart);
    free_groups(&overlapping);
    free_groups(&unequal);
}

/* A particle in several pairs, and a pair that is listed twice. */
TEST(pairs) {
    struct groups pairs = groups_of(GROUPS_PAIRS, 100, 100, 1);
    for (size_t k = 0; k < pairs.n_a; k++) {
        pairs.b[k] = (pairs.a[k] + 1 + (int32_t)(k % 3)) % PARTICLES;
    }
    pairs.a[1] = pairs.a[0];
    pairs.b[1] = pairs.b[0];
    pairs.a[2] = pairs.b[0];
    check(*state, listed_pairs, true, &pairs);
    check(*state, listed_pairs, false, &pairs);
    free_groups(&pairs);
}

TEST(groups_of_another_kind_are_refused) {
    struct scene scene;
    struct error error;
    struct kernel_plan *plan = NULL;
    struct groups two = groups_of(GROUPS_TWO, 50, 60, 100);
    scene_begin(*state, one_group, true, &scene);
    assert_false(kernel_plan_create(
        &(struct plan_input){ *state, &scene.spec, BUILD_PLAIN, &scene.box, &two, cutoff }, &plan,
        &error));
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_says(error.message, "two");
    scene_end(&scene);
    free_groups(&two);
}

/* Whether the device adds up in this way; if not, it must say so. */
static bool reduces(const struct scene *scene, const struct groups *groups) {
    struct error error;
    struct kernel_plan *plan = NULL;
    const struct device_info *info = device_describe(scene->device);
    const enum reduction reduction = scene->spec.reduction;
    const bool expected = (reduction != REDUCTION_CUB || info->kind == DEVICE_CUDA) &&
                          (reduction != REDUCTION_WARP || info->subgroup_size > 1);
    const bool created =
        kernel_plan_create(&(struct plan_input){ scene->device, &scene->spec, BUILD_PLAIN,
                                                 &scene->box, groups, cutoff },
                           &plan, &error);
    assert_int_equal(created, expected);
    if (!created) {
        assert_int_equal(error.status, STATUS_UNSUPPORTED);
        assert_says(error.message, reduction_names[reduction]);
    }
    kernel_plan_free(plan);
    return created;
}

/* Every way to add up, for groups of work-items smaller than a warp and larger, and particles that
 * fill no work-group. */
TEST(reductions) {
    static const int group_sizes[] = { 16, 32, 256 };
    static const size_t counts[] = { 1, 115 };
    for (int r = REDUCTION_TREE; r <= REDUCTION_CUB; r++) {
        for (size_t t = 0; t < sizeof group_sizes / sizeof group_sizes[0]; t++) {
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                struct scene scene;
                struct evaluation evaluation;
                struct expected expected;
                struct groups groups = groups_of(GROUPS_ONE, counts[c], 0, 0);
                scene_begin(*state, one_group, true, &scene);
                scene.spec.reduction = (enum reduction)r;
                scene.spec.tunings.items[0].value = group_sizes[t]; /* GROUP_SIZE, the only one */
                scene.spec.outputs = c == 0 ? OUTPUTS_ENERGY : OUTPUTS_VIRIAL;
                if (reduces(&scene, &groups)) {
                    expect(&scene.box, &groups, &expected);
                    evaluate(&scene, &groups, &evaluation);
                    if (c == 0) {
                        assert_true(evaluation.energy == 0);
                    } else {
                        assert_expected(&evaluation, &expected, reduction_names[r]);
                    }
                    evaluation_free(&evaluation);
                    assert_true(count_pairs(&scene, &groups) == 2 * expected.pairs);
                }
                scene_end(&scene);
                free_groups(&groups);
            }
        }
    }
}
