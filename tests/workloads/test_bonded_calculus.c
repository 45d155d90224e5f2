/* Forces and virials that variants of bonded terms compute are the derivatives of the energy that
 * they compute, by finite differences in double: by the position of a particle and by a strain. */
#include "boxes/box.h"
#include "campaign/plan/plan.h"
#include "measure/measure.h"

#include "hand_box.h"

#include <unistd.h>

#include "support.h"

enum { N = 9, PATH_SIZE = TEST_FOLDER_SIZE + 32 };

static const double step = 1e-5;

static int boxes; /* written so far: a session keeps boxes by their path */

static const char *const columns[] = { "i,j,k,r0", "i,j,k,force_constant,theta0_degrees",
                                       "i,j,k,l,force_constant,multiplicity,phi0_degrees",
                                       "i,j,k,l,c0,c1,c2,c3,c4,c5" };
static const char *const parameters[] = { "50,1.2", "20,100", "3,2,40",
                                          "9.28,12.16,-13.12,-3.06,26.24,-31.5" };

/* A term of the kind for every run of particles that is long enough. */
static void write_terms(int kind, char path[PATH_SIZE]) {
    static const int atoms[] = { 2, 3, 4, 4 };
    (void)snprintf(path, PATH_SIZE, "%s/terms-%d.csv", test_folder, kind);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "%s\n", columns[kind]);
    for (int i = 1; i + atoms[kind] - 1 <= N; i++) {
        for (int a = 0; a < atoms[kind]; a++) {
            (void)fprintf(file, "%d,", i + a);
        }
        (void)fprintf(file, "%s\n", parameters[kind]);
    }
    (void)fclose(file);
}

static struct box chain(void) {
    uint64_t random = 7;
    struct box box = hand_box_empty(N);
    for (size_t i = 0; i < N; i++) {
        const double turn = 1.9 * (double)i;
        box.position[3 * i] = cos(turn) + 0.2 * hand_random(&random);
        box.position[3 * i + 1] = sin(turn) + 0.2 * hand_random(&random);
        box.position[3 * i + 2] = 0.5 * (double)i + 0.2 * hand_random(&random);
    }
    return box;
}

static struct plan plan_of(const struct box *box, const char *variant) {
    char file[PATH_SIZE];
    char terms[4][PATH_SIZE];
    char *files[2] = { file, NULL };
    struct plan plan;
    struct error error;
    (void)snprintf(file, sizeof file, "%s/box.xyz", test_folder);
    assert_done(box_write(file, box, NULL, NULL, &error), &error);
    for (int kind = 0; kind < 4; kind++) {
        write_terms(kind, terms[kind]);
    }
    struct axes axes = { .variant = (char *)variant,
                         .precision = (char *)"double",
                         .outputs = (char *)"virial",
                         .bonds = terms[0],
                         .angles = terms[1],
                         .torsions = terms[2],
                         .rb_torsions = terms[3],
                         .box_files = files };
    assert_done(plan_make(&axes, &plan, &error), &error);
    (void)unlink(file);
    return plan;
}

static struct evaluation evaluate(struct session *session, const struct case_spec *spec,
                                  const struct box *box) {
    struct case_spec own = *spec;
    struct evaluation evaluation = { 0 };
    struct error error;
    (void)snprintf(own.box.path, sizeof own.box.path, "%s/box-%d.xyz", test_folder, boxes++);
    assert_true(box_write(own.box.path, box, NULL, NULL, &error));
    if (!session_evaluate(session, &own, &evaluation, NULL, &error)) {
        fail_msg("%s: %s", spec->variant->name, error.message);
    }
    return evaluation;
}

static double energy_of(struct session *session, const struct case_spec *spec,
                        const struct box *box) {
    struct evaluation evaluation = evaluate(session, spec, box);
    const double energy = evaluation.energy;
    evaluation_free(&evaluation);
    return energy;
}

static void check_position(struct session *session, const struct case_spec *spec, struct box *box,
                           const struct evaluation *at, size_t k) {
    const double kept = box->position[k];
    box->position[k] = kept + step;
    const double up = energy_of(session, spec, box);
    box->position[k] = kept - step;
    const double down = energy_of(session, spec, box);
    box->position[k] = kept;
    assert_near_as(spec->variant->name, at->force[k], (down - up) / (2 * step), 2e-6);
}

static void check_strain(struct session *session, const struct case_spec *spec,
                         const struct box *box, const struct evaluation *at, size_t k) {
    double energy[2];
    for (int side = 0; side < 2; side++) {
        struct box strained = chain();
        for (size_t i = 0; i < N; i++) {
            strained.position[3 * i + k % 3] +=
                (side ? step : -step) * box->position[3 * i + k / 3];
        }
        energy[side] = energy_of(session, spec, &strained);
        hand_box_free(&strained);
    }
    assert_near_as(spec->variant->name, at->virial[k], (energy[0] - energy[1]) / (2 * step), 1e-5);
}

static void check_variant(struct session *session, const char *variant) {
    static const size_t places[] = { 0, 4, 14, 20, 26 };
    static const size_t strains[] = { 0, 1, 5, 8 };
    struct box box = chain();
    struct plan plan = plan_of(&box, variant);
    struct evaluation at = evaluate(session, &plan.cases[0], &box);
    assert_true(at.energy > 1);
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        check_position(session, &plan.cases[0], &box, &at, places[p]);
    }
    for (size_t s = 0; s < sizeof strains / sizeof strains[0]; s++) {
        check_strain(session, &plan.cases[0], &box, &at, strains[s]);
    }
    evaluation_free(&at);
    plan_free(&plan);
    hand_box_free(&box);
}

TEST(variants) {
    static const char *const variants[] = { "bonded_atomic", "bonded_gather", "bonded_buffers" };
    struct session *session = NULL;
    struct error error;
    assert_done(session_open(NULL, &session, &error), &error);
    for (size_t v = 0; v < 3 && session_device(session)->fp64; v++) {
        check_variant(session, variants[v]);
    }
    session_close(session);
}

static int open_folder(void **state) {
    return open_test_folder(state) || open_test_cache(state);
}

static int close_folder(void **state) {
    return close_test_folder(state) || close_test_cache(state);
}

TEST_GROUP(open_folder, close_folder)
