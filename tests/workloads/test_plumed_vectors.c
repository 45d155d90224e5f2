/* What PLUMED printed for boxes made for this project (data/vectors/README.md): the reference and
 * every coordination variant in double against it, and in float, with every way of reducing sums,
 * the gate. */
#include "campaign/plan/plan.h"
#include "measure/measure.h"
#include "reference/pairs/reference.h"

#include "support.h"

#include "boxes/box.h"

struct vector_set {
    const char *name;
    const char *a, *b; /* as in its plumed.dat; NULL b: one group */
    const char *interaction;
    bool pairs;
    bool thorough;  /* in float, too: once for each kind of groups */
    double allowed; /* of derivatives, absolute: PLUMED cancels near x = 1 where m is not 2n */
};

static const struct vector_set sets[] = {
    { "01-self-nopbc-6-12", "1-200", NULL, "rational:r0=0.4,n=6,m=12,d0=0", false, false, 1e-9 },
    { "02-self-ortho-6-12", "1-256", NULL, "rational:r0=0.4,n=6,m=12,d0=0", false, false, 1e-9 },
    { "03-self-ortho-8-12-dmax", "1-256", NULL, "rational:r0=0.45,n=8,m=12,d0=0,dmax=1.2", false,
      true, 1e-7 },
    { "04-self-ortho-6-12-d0-dmax", "1-216", NULL, "rational:r0=0.3,n=6,m=12,d0=0.15,dmax=1", false,
      false, 1e-9 },
    { "06-pair-ortho-6-12-d0-dmax", "1-150", "151-300", "rational:r0=0.8,n=6,m=12,d0=0.1,dmax=1.5",
      true, true, 1e-9 },
    { "08-two-overlap-nopbc-6-12", "1-120", "81-200", "rational:r0=0.45,n=6,m=12,d0=0.05", false,
      true, 1e-9 },
};

enum { SETS = sizeof sets / sizeof sets[0] };

/* ---- what PLUMED printed ---- */

struct printed {
    double value, box[9];
    double *derivatives; /* 3n, by particle */
};

static FILE *open_vector(const struct vector_set *set, const char *file) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/vectors/plumed/%s/%s", TEST_DATA, set->name, file);
    FILE *opened = fopen(path, "r");
    if (!opened) {
        fail_msg("%s cannot be read", path);
    }
    return opened;
}

static void pass_comment(FILE *file) {
    char line[256];
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(line[0], '#');
}

static double next_derivative(FILE *file, size_t index) {
    double time, value;
    size_t parameter;
    assert_int_equal(fscanf(file, "%lf %zu %lf", &time, &parameter, &value), 3);
    assert_int_equal(parameter, index);
    return value;
}

/* Derivatives stand in the order of group A, then of group B: those of a particle add up. */
static struct printed read_printed(const struct vector_set *set, const struct groups *groups,
                                   size_t n) {
    struct printed printed = { .derivatives = calloc(3 * n, sizeof(double)) };
    double time;
    size_t index = 0;
    assert_non_null(printed.derivatives);
    FILE *colvar = open_vector(set, "colvar");
    pass_comment(colvar);
    assert_int_equal(fscanf(colvar, "%lf %lf", &time, &printed.value), 2);
    (void)fclose(colvar);
    FILE *deriv = open_vector(set, "deriv");
    pass_comment(deriv);
    for (; index < 3 * (groups->n_a + groups->n_b); index++) {
        size_t place = index / 3;
        int32_t particle = place < groups->n_a ? groups->a[place] : groups->b[place - groups->n_a];
        printed.derivatives[3 * (size_t)particle + index % 3] += next_derivative(deriv, index);
    }
    for (int k = 0; k < 9; k++) {
        printed.box[k] = next_derivative(deriv, index++);
    }
    (void)fclose(deriv);
    return printed;
}

static void assert_near_in(double got, double expected, double allowed, const char *where,
                           const char *what) {
    char name[512];
    (void)snprintf(name, sizeof name, "%s, %s", where, what);
    assert_near_as(name, got, expected, allowed);
}

static void assert_printed(const struct vector_set *set, const char *who, size_t n, double value,
                           const double *derivatives, const double box[9]) {
    struct particle_list *lists[2] = { NULL, NULL };
    struct groups groups;
    struct error error;
    char what[256];
    assert_true(particle_list_parse(set->a, &lists[0], &error));
    assert_true(!set->b || particle_list_parse(set->b, &lists[1], &error));
    const struct group_spec spec = { .mode = set->pairs ? GROUPS_PAIRS
                                             : set->b   ? GROUPS_TWO
                                                        : GROUPS_ONE,
                                     .a = lists[0],
                                     .b = lists[1] };
    assert_true(groups_resolve(&spec, n, 0, &groups, &error));
    struct printed printed = read_printed(set, &groups, n);
    (void)snprintf(what, sizeof what, "%s: the value", who);
    assert_near_in(value, printed.value, 1e-13 * fabs(printed.value), set->name, what);
    for (size_t i = 0; i < 3 * n; i++) {
        (void)snprintf(what, sizeof what, "%s: derivative %zu", who, i);
        assert_near_in(derivatives[i], printed.derivatives[i], set->allowed, set->name, what);
    }
    for (int k = 0; k < 9; k++) {
        (void)snprintf(what, sizeof what, "%s: box derivative %d", who, k);
        assert_near_in(box[k], printed.box[k], set->allowed, set->name, what);
    }
    free(printed.derivatives);
    groups_free(&groups);
    particle_list_free(lists[0]);
    particle_list_free(lists[1]);
}

/* ---- plans ---- */

/* Every variant for a set. */
static struct plan plan_set(const struct vector_set *set, char *precision, char *reduction) {
    char path[512];
    char *boxes[2] = { path, NULL };
    (void)snprintf(path, sizeof path, "%s/vectors/plumed/%s/traj.xyz", TEST_DATA, set->name);
    struct axes axes = { .workload = (char *)"coordination",
                         .interaction = (char *)set->interaction,
                         .group_a = (char *)set->a,
                         .group_b = (char *)set->b,
                         .pairs = set->pairs,
                         .precision = precision,
                         .reduction = reduction,
                         .box_files = boxes };
    struct plan plan;
    struct error error;
    if (!plan_make(&axes, &plan, &error)) {
        fail_msg("%s: %s", set->name, error.message);
    }
    return plan;
}

/* ---- the tests ---- */

TEST(reference_agrees) {
    for (int s = 0; s < SETS; s++) {
        struct plan plan = plan_set(&sets[s], (char *)"double", NULL);
        const struct case_spec *spec = &plan.cases[0];
        struct box box;
        struct groups groups;
        struct reference walked[2];
        struct error error;
        assert_true(box_read(spec->box.path, &box, &error));
        assert_true(groups_resolve(&spec->group, box.n, 0, &groups, &error));
        assert_true(reference_direct_groups(&box, &spec->interaction,
                                            cutoff_in(spec->cutoff, true, 0), &groups, &walked[0],
                                            &error));
        assert_true(reference_cells_groups(&box, &spec->interaction,
                                           cutoff_in(spec->cutoff, true, 0), &groups, &walked[1],
                                           &error));
        for (int w = 0; w < 2; w++) {
            for (size_t i = 0; i < 3 * box.n; i++) {
                walked[w].force[i] = -walked[w].force[i];
            }
            assert_printed(&sets[s], w ? "reference, by cells" : "reference", box.n,
                           walked[w].energy, walked[w].force, walked[w].virial);
            reference_free(&walked[w]);
        }
        groups_free(&groups);
        box_free(&box);
        plan_free(&plan);
    }
}

static struct session *open_session(void) {
    struct session *session = NULL;
    struct error error;
    assert_done(session_open(NULL, &session, &error), &error);
    return session;
}

TEST(variants_agree_in_double) {
    struct session *session = open_session();
    size_t compared = 0;
    for (int s = 0; s < SETS && session_device(session)->fp64; s++) {
        struct plan plan = plan_set(&sets[s], (char *)"double", NULL);
        for (size_t c = 0; c < plan.count; c++) {
            struct evaluation evaluation;
            struct error error;
            char name[256];
            case_name(&plan.cases[c], name, sizeof name);
            if (session_evaluate(session, &plan.cases[c], &evaluation, NULL, &error)) {
                assert_printed(&sets[s], name, evaluation.n, evaluation.energy, evaluation.force,
                               evaluation.virial);
                evaluation_free(&evaluation);
                compared++;
            } else if (error.status != STATUS_UNSUPPORTED) {
                fail_msg("%s: %s", name, error.message);
            }
        }
        plan_free(&plan);
    }
    assert_true(!session_device(session)->fp64 || compared >= SETS);
    session_close(session);
}

TEST(variants_pass_the_gate_in_float) {
    struct session *session = open_session();
    for (int s = 0; s < SETS; s++) {
        if (!sets[s].thorough) {
            continue;
        }
        struct plan plan = plan_set(&sets[s], (char *)"float", (char *)"warp,atomic,cub");
        size_t passed = 0;
        for (size_t c = 0; c < plan.count; c++) {
            struct verdict verdict;
            char name[256];
            case_name(&plan.cases[c], name, sizeof name);
            session_check(session, &plan.cases[c], &verdict);
            passed += verdict.status == STATUS_OK;
            if (verdict.status != STATUS_OK && verdict.status != STATUS_UNSUPPORTED) {
                fail_msg("%s: %s", name, verdict.message);
            }
        }
        assert_true(passed > 0);
        plan_free(&plan);
    }
    session_close(session);
}
