/* What stands in for the reference of large boxes is what the reference would say; and it is
 * refused where the kernels that it comes from are wrong. */
#include "measure/judge/expected.h"
#include "reference/pairs/reference.h"
#include "workloads/pairs/sampled_reference.h"

#include "device_fixture.h"

#include "boxes/box.h"
#include "kernels/header/read_variant.h"
#include "support.h"

enum { LARGE = 4000 };

struct scene {
    struct case_spec spec;
    struct box box;
    double cutoff;
};

static struct scene scene_of(const char *kind, const char *words, enum precision precision) {
    struct scene scene = { .cutoff = 2.5 };
    struct error error;
    struct box made;
    scene.spec = (struct case_spec){ .precision = precision, .cutoff = { .length = 2.5 } };
    scene.spec.judging = (struct judging){ .all_below = 1000, .sample = 300, .seed = 5 };
    scene.spec.box = (struct box_spec){ .n = LARGE, .seed = 3 };
    (void)snprintf(scene.spec.box.kind, sizeof scene.spec.box.kind, "%s", kind);
    assert_true(interaction_parse(words, &scene.spec.interaction, &error));
    assert_true(box_make(kind, LARGE, 0, 3, &made, &error));
    assert_true(box_as_device(&made, precision, &scene.box, &error));
    box_free(&made);
    return scene;
}

static bool make(struct device *device, struct scene *scene, const struct sampled_judges *judges,
                 struct reference *reference, struct judged *judged, struct error *error) {
    struct sampled_judges usual;
    const struct kernel_runner runner = kernel_runner_of(device);
    assert_true(sampled_judges_usual(&runner, &usual, error));
    scene->spec.variant = usual.kernels[0];
    const struct judge_question question = { &scene->spec, &scene->box, scene->cutoff, NULL };
    return sampled_reference_make(&runner, &question, judges ? judges : &usual, reference, judged,
                                  error);
}

static void compare(const struct reference *sampled, const struct reference *full) {
    assert_int_equal(sampled->n, full->n);
    assert_int_equal(sampled->pairs_in_cutoff, full->pairs_in_cutoff);
    assert_close(sampled->length_scale, full->length_scale, 0);
    assert_close(sampled->energy, full->energy, 1e-12);
    assert_close(sampled->energy_scale, full->energy_scale, 1e-9);
    assert_close(sampled->virial_scale, full->virial_scale, 1e-9);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(sampled->virial[k] - full->virial[k]) <= 1e-12 * full->virial_scale);
    }
    for (size_t i = 0; i < full->n; i++) {
        for (size_t k = 0; k < 3; k++) {
            assert_true(fabs(sampled->force[3 * i + k] - full->force[3 * i + k]) <=
                        1e-11 * full->scale[i]);
        }
        assert_close(sampled->scale[i], full->scale[i], 1e-9);
        assert_true(sampled->slope[i] >= 0.98 * full->slope[i]);
        assert_true(sampled->neighbours[i] >= full->neighbours[i]);
    }
}

/* Slopes may be wider by what jumps at the cutoff, for few particles, and by a length. */
static void assert_slopes_close(const struct reference *sampled, const struct reference *full) {
    size_t wide = 0;
    for (size_t i = 0; i < full->n; i++) {
        wide += sampled->slope[i] > 1.5 * full->slope[i];
    }
    assert_true(wide <= full->n / 20);
}

TEST(says_what_the_reference_says) {
    static const char *const interactions[] = { "lj", "lj+ewald-real:alpha=0.9" };
    static const enum precision precisions[] = { PRECISION_FLOAT, PRECISION_DOUBLE };
    for (int p = 0; p < 4; p++) {
        struct scene scene = scene_of("salt", interactions[p / 2], precisions[p % 2]);
        struct reference sampled;
        struct reference full;
        struct judged judged;
        struct error error;
        assert_done(make(*state, &scene, NULL, &sampled, &judged, &error), &error);
        assert_true(reference_cells(&scene.box, &scene.spec.interaction, 2.5, &full, &error));
        compare(&sampled, &full);
        assert_slopes_close(&sampled, &full);
        assert_int_equal(judged.particles, 300);
        assert_int_equal(judged.seed, 5);
        reference_free(&sampled);
        reference_free(&full);
        box_free(&scene.box);
    }
}

/* tests/data/mutants/large.cl with this fault. */
static struct variant mutant(int mutation) {
    struct variant variant;
    struct error error;
    assert_done(variant_read_kth(TEST_DATA "/mutants/large.cl", 0, &variant, &error), &error);
    for (int t = 0; t < variant.tunable_count; t++) {
        if (strcmp(variant.tunables[t].name, "MUTATION") == 0) {
            variant.tunables[t].preset = mutation;
        }
    }
    return variant;
}

/* Whether judges with these faults are found out, and by which words. */
static void assert_found_out(struct device *device, int first, int second, const char *words) {
    struct scene scene = scene_of("fluid", "lj", PRECISION_FLOAT);
    struct variant one = mutant(first);
    struct variant other = mutant(second);
    const struct sampled_judges judges = { { &one, &other } };
    struct reference reference;
    struct judged judged;
    struct error error;
    assert_false(make(device, &scene, &judges, &reference, &judged, &error));
    assert_int_equal(error.status, STATUS_SYSTEM);
    assert_says(error.message, words);
    variant_free(&one);
    variant_free(&other);
    box_free(&scene.box);
}

TEST(one_wrong_kernel_is_found_out_by_the_other) {
    assert_found_out(*state, 1, 0, "disagree");
    assert_found_out(*state, 0, 1, "disagree: force on particle 2719");
    assert_found_out(*state, 0, 4, "disagree: energy");
}

TEST(two_kernels_wrong_alike_are_found_out_by_the_sample) {
    assert_found_out(*state, 3, 3, "disagrees with the serial reference on a sample");
    assert_found_out(*state, 2, 2, "disagrees with the serial reference on a sample");
    assert_found_out(*state, 4, 4, "every particle's own add up to");
}

TEST(right_mutants_may_judge) {
    struct scene scene = scene_of("fluid", "lj", PRECISION_FLOAT);
    struct variant one = mutant(0);
    const struct sampled_judges judges = { { &one, &one } };
    struct reference reference;
    struct judged judged;
    struct error error;
    assert_done(make(*state, &scene, &judges, &reference, &judged, &error), &error);
    reference_free(&reference);
    variant_free(&one);
    box_free(&scene.box);
}

TEST(which_cases_are_sampled) {
    struct scene scene = scene_of("fluid", "lj", PRECISION_FLOAT);
    struct sampled_judges usual;
    struct error error;
    const struct kernel_runner runner = kernel_runner_of(*state);
    assert_true(sampled_judges_usual(&runner, &usual, &error));
    scene.spec.variant = usual.kernels[0];
    const struct device_info gpu = { .is_cpu = false };
    const struct device_info processor = { .is_cpu = true };
    assert_true(expected_by_kernels(&scene.spec, &processor, 1001, true));
    assert_false(expected_by_kernels(&scene.spec, &gpu, 1000, true));
    assert_false(expected_by_kernels(&scene.spec, &gpu, 1001, false));
    scene.spec.judging.all_below = JUDGE_BY_COST;
    assert_false(expected_by_kernels(&scene.spec, &gpu, 1000000, true));
    assert_true(expected_by_kernels(&scene.spec, &gpu, 4000000, true));
    assert_false(expected_by_kernels(&scene.spec, &processor, 400000000, true));
    scene.spec.judging.sample = 0;
    assert_false(expected_by_kernels(&scene.spec, &gpu, 4000000, true));
    box_free(&scene.box);
}
