/* Derivatives of a coordination are those of its value, by finite differences: by the position of
 * a particle and by a strain of the box, of the reference and of variants in double. */
#include "campaign/plan/plan.h"
#include "measure/measure.h"
#include "reference/pairs/reference.h"

#include "hand_box.h"

#include <unistd.h>

#include "support.h"

#include "boxes/box.h"

static const double step = 1e-5;

enum { N = 90, STRAINS = 9 };

struct group_case {
    char *a, *b;
    bool pairs;
};

static const struct group_case group_cases[] = {
    { NULL, NULL, false },                        /* one group */
    { (char *)"1-50", (char *)"30-90:2", false }, /* two, with particles in both */
    { (char *)"1-80", (char *)"2-81", true },     /* pairs */
};

enum { GROUP_CASES = sizeof group_cases / sizeof group_cases[0] };

/* What a method gives for a box. */
struct result {
    double value, box[9];
    double derivative[3 * N];
};

typedef void method(void *context, const struct case_spec *spec, const struct box *box,
                    struct result *result);

/* ---- boxes ---- */

static struct box copy_of(const struct box *box) {
    struct box copy = hand_box_empty(box->n);
    copy.periodic = box->periodic;
    for (int k = 0; k < 3; k++) {
        copy.edge[k] = box->edge[k];
    }
    memcpy(copy.position, box->position, 3 * box->n * sizeof(double));
    return copy;
}

/* x_k += by * x_l for all particles; stretches the cell where k and l are the same. */
static void strain(struct box *box, int k, int l, double by) {
    for (size_t i = 0; i < box->n; i++) {
        box->position[3 * i + (size_t)k] += by * box->position[3 * i + (size_t)l];
    }
    if (k == l) {
        box->edge[k] *= 1.0 + by;
    }
}

/* ---- the differences ---- */

static void assert_near_in(double got, double expected, double allowed, const char *where,
                           const char *what) {
    char name[512];
    (void)snprintf(name, sizeof name, "%s, %s", where, what);
    assert_near_as(name, got, expected, allowed);
}

static double value_of(method *by, void *context, const struct case_spec *spec,
                       const struct box *box) {
    struct result result;
    by(context, spec, box, &result);
    return result.value;
}

static void check_positions(method *by, void *context, const struct case_spec *spec,
                            const struct box *box, const char *who, const struct result *base) {
    static const size_t places[] = { 3 * 2, 3 * 35 + 1, 3 * 60 + 2, 3 * 89 };
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        double value[2];
        for (int side = 0; side < 2; side++) {
            struct box moved = copy_of(box);
            moved.position[places[p]] += side ? step : -step;
            value[side] = value_of(by, context, spec, &moved);
            hand_box_free(&moved);
        }
        double difference = (value[1] - value[0]) / (2.0 * step);
        assert_near_in(base->derivative[places[p]], difference, 2e-7, who, "a derivative");
    }
}

/* Box derivatives are -dS by the strain; shears leave an open box alone. */
static void check_strains(method *by, void *context, const struct case_spec *spec,
                          const struct box *box, const char *who, const struct result *base) {
    for (int s = 0; s < STRAINS; s++) {
        double value[2];
        if (box->periodic && s / 3 != s % 3) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            struct box strained = copy_of(box);
            strain(&strained, s / 3, s % 3, side ? step : -step);
            value[side] = value_of(by, context, spec, &strained);
            hand_box_free(&strained);
        }
        double difference = (value[1] - value[0]) / (2.0 * step);
        assert_near_in(base->box[s], -difference, 5e-6, who, "a box derivative");
    }
}

static void check(method *by, void *context, const struct case_spec *spec, const struct box *box,
                  const char *who) {
    struct result base;
    by(context, spec, box, &base);
    assert_true(base.value > 1.0);
    check_positions(by, context, spec, box, who, &base);
    check_strains(by, context, spec, box, who, &base);
}

/* ---- the methods ---- */

static void by_reference(void *context, const struct case_spec *spec, const struct box *box,
                         struct result *result) {
    struct reference reference;
    struct groups groups;
    struct error error;
    (void)context;
    assert_true(groups_resolve(&spec->group, box->n, 0, &groups, &error));
    assert_true(reference_direct_groups(box, &spec->interaction, cutoff_in(spec->cutoff, true, 0),
                                        &groups, &reference, &error));
    result->value = reference.energy;
    memcpy(result->box, reference.virial, sizeof result->box);
    for (size_t i = 0; i < 3 * box->n; i++) {
        result->derivative[i] = -reference.force[i];
    }
    reference_free(&reference);
    groups_free(&groups);
}

static char path[] = "/tmp/pairmark-calculus-XXXXXX";

/* A session keeps boxes by their path: each gets a new one. */
struct device_context {
    struct session *session;
    int boxes;
};

static void by_variant(void *context, const struct case_spec *spec, const struct box *box,
                       struct result *result) {
    struct device_context *device = context;
    struct case_spec own = *spec;
    struct evaluation evaluation;
    struct error error;
    (void)snprintf(own.box.path, sizeof own.box.path, "%s-%d.xyz", path, device->boxes++);
    assert_true(box_write(own.box.path, box, NULL, NULL, &error));
    if (!session_evaluate(device->session, &own, &evaluation, NULL, &error)) {
        fail_msg("%s: %s", spec->variant->name, error.message);
    }
    (void)unlink(own.box.path);
    result->value = evaluation.energy;
    memcpy(result->box, evaluation.virial, sizeof result->box);
    memcpy(result->derivative, evaluation.force, sizeof result->derivative);
    evaluation_free(&evaluation);
}

/* ---- the tests ---- */

/* Variants with groups of particles of a box in a file. */
static struct plan plan_of(const struct group_case *groups, const struct box *box, char *variant,
                           const char *interaction) {
    char file[64];
    char *boxes[2] = { file, NULL };
    struct plan plan;
    struct error error;
    (void)snprintf(file, sizeof file, "%s.xyz", path);
    assert_true(box_write(file, box, NULL, NULL, &error));
    struct axes axes = { .workload = (char *)"coordination",
                         .variant = variant,
                         .interaction = (char *)interaction,
                         .precision = (char *)"double",
                         .group_a = groups->a,
                         .group_b = groups->b,
                         .pairs = groups->pairs,
                         .box_files = boxes };
    assert_done(plan_make(&axes, &plan, &error), &error);
    (void)unlink(file);
    return plan;
}

TEST(reference_is_consistent) {
    static const char *const interactions[] = { "rational:r0=0.9,n=6,m=12,dmax=2",
                                                "rational:r0=0.7,n=5,m=11,d0=0.2,dmax=2",
                                                "rational:r0=1,n=8,m=3,d0=0.1,dmax=1.9" };
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(N, 0.84, 0.2, periodic, 3);
        for (int c = 0; c < GROUP_CASES; c++) {
            for (size_t i = 0; i < sizeof interactions / sizeof interactions[0]; i++) {
                struct plan plan = plan_of(&group_cases[c], &box, NULL, interactions[i]);
                check(by_reference, NULL, &plan.cases[0], &box, interactions[i]);
                plan_free(&plan);
            }
        }
        hand_box_free(&box);
    }
}

TEST(variants_are_consistent) {
    static const char *const variants[GROUP_CASES] = { "coordination_tile", "two_groups_one_pass",
                                                       "pairs_direct" };
    struct device_context device = { 0 };
    struct error error;
    assert_done(session_open(NULL, &device.session, &error), &error);
    struct box box = hand_box_lattice(N, 0.84, 0.2, false, 3);
    for (int c = 0; c < GROUP_CASES && session_device(device.session)->fp64; c++) {
        struct plan plan = plan_of(&group_cases[c], &box, (char *)variants[c],
                                   "rational:r0=0.7,n=5,m=11,d0=0.2,dmax=2");
        check(by_variant, &device, &plan.cases[0], &box, variants[c]);
        plan_free(&plan);
    }
    hand_box_free(&box);
    session_close(device.session);
}

static int make_path(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

TEST_GROUP(make_path, remove_path)
