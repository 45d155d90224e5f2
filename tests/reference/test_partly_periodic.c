/* Slabs and wires: the reference against sums over images that the test adds up itself, whatever
 * the edge along an axis without images is; and the room that kernels are given there. */
#include "reference/bonded/nearest.h"
#include "reference/pairs/reference.h"
#include "reference/steps/step.h"

#include "hand_box.h"

#include "support.h"

/* The six slabs and wires, upright and leaning: the tilts are those of vectors with images. */
static const struct shape {
    const char *axes;
    double tilt[3];
} shapes[] = {
    { "xy", { 0.0 } },
    { "xz", { 0.0 } },
    { "yz", { 0.0 } },
    { "x", { 0.0 } },
    { "y", { 0.0 } },
    { "z", { 0.0 } },
    { "xy", { 4.5, 0.0, 0.0 } },
    { "xz", { 0.0, -4.0, 0.0 } },
    { "yz", { 0.0, 0.0, 3.5 } },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], PARTICLES = 700 };
static const double reach = 2.0, true_edge = 9.0;

/* Somewhere in 9 x 9 x 9, kept apart; along axes without images also far outside. */
static struct box make_box(const struct shape *shape, double open_edge) {
    struct box box = hand_box_lattice(PARTICLES, PARTICLES / 729.0, 0.3, true, 11);
    memcpy(box.tilt, shape->tilt, sizeof box.tilt);
    for (size_t axis = 0; axis < 3; axis++) {
        box.open_along[axis] = !strchr(shape->axes, "xyz"[axis]);
        box.edge[axis] = box.open_along[axis] ? open_edge : true_edge;
        for (size_t i = 0; i < box.n && box.open_along[axis]; i++) {
            box.position[3 * i + axis] = 1.5 * box.position[3 * i + axis] - 4.0;
        }
    }
    return box;
}

struct plain_sums {
    double energy, virial, force[3 * PARTICLES];
    uint64_t pairs;
};

/* Lennard-Jones over all images that there are, the plain way. */
static void add_images(const struct box *box, struct plain_sums *sums) {
    memset(sums, 0, sizeof *sums);
    for (int image = 0; image < 27; image++) {
        const int n[3] = { image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1 };
        if ((n[0] && box->open_along[0]) || (n[1] && box->open_along[1]) ||
            (n[2] && box->open_along[2])) {
            continue;
        }
        const double shift[3] = { n[0] * true_edge + n[1] * box->tilt[0] + n[2] * box->tilt[1],
                                  n[1] * true_edge + n[2] * box->tilt[2], n[2] * true_edge };
        for (size_t i = 0; i < box->n; i++) {
            for (size_t j = 0; j < box->n; j++) {
                double d[3];
                double r2 = 0.0;
                for (size_t k = 0; k < 3; k++) {
                    d[k] = box->position[3 * i + k] - box->position[3 * j + k] - shift[k];
                    r2 += d[k] * d[k];
                }
                if (i == j || r2 > reach * reach) {
                    continue;
                }
                const double s = 1.0 / (r2 * r2 * r2);
                const double over_r2 = 24.0 * (2.0 * s * s - s) / r2;
                sums->energy += 2.0 * (s * s - s);
                sums->virial += 0.5 * over_r2 * r2;
                sums->pairs += i < j;
                for (size_t k = 0; k < 3; k++) {
                    sums->force[3 * i + k] += over_r2 * d[k];
                }
            }
        }
    }
}

TEST(pairs_by_images) {
    static struct plain_sums plain;
    struct interaction lj = hand_lj(1.0, 1.0);
    for (int s = 0; s < SHAPES; s++) {
        for (int way = 0; way < 6; way++) {
            struct reference reference;
            struct error error = { STATUS_OK, "" };
            struct box box = make_box(&shapes[s], way % 2 ? 0.01 : 5.0);
            add_images(&box, &plain);
            const bool done = way < 2 ? reference_direct(&box, &lj, reach, &reference, &error)
                              : way < 4
                                  ? reference_cells(&box, &lj, reach, &reference, &error)
                                  : reference_compute_once(&box, &lj, reach, &reference, &error);
            assert_done(done, &error);
            assert_int_equal(reference.pairs_in_cutoff, plain.pairs);
            assert_near(reference.energy, plain.energy, 1e-10 * fabs(plain.energy));
            assert_near(reference.virial[0] + reference.virial[4] + reference.virial[8],
                        plain.virial, 1e-9 * fabs(plain.virial) + 1e-9);
            for (size_t k = 0; k < 3 * box.n; k++) {
                assert_near(reference.force[k], plain.force[k], 1e-10 * (1 + fabs(plain.force[k])));
            }
            reference_free(&reference);
            hand_box_free(&box);
        }
    }
}

TEST(nearest_steps) {
    for (int s = 0; s < SHAPES; s++) {
        struct box box = make_box(&shapes[s], 0.01);
        box.n = 2;
        for (int k = 0; k < 3; k++) {
            box.position[k] = 0.5;
            box.position[3 + k] = 8.5;
        }
        long double d[3];
        nearest_step(&box, 0, 1, d);
        for (int k = 0; k < 3 && shapes[s].tilt[0] + shapes[s].tilt[1] + shapes[s].tilt[2] == 0.0;
             k++) {
            assert_near((double)d[k], box.open_along[k] ? 8.0 : -1.0, 1e-14);
        }
        for (int k = 0; k < 3; k++) { /* along a vector without images nothing is taken off */
            assert_true(!box.open_along[k] || d[k] == 8.0L);
        }
        hand_box_free(&box);
    }
}

/* ---- steps ---- */

/* One particle that flies through a face along x and never enters another along z. */
TEST(flights) {
    static const struct flight {
        double speed, end;
        bool refused;
    } along_z[] = {
        { 2.0, 7.0, false }, { -3.9, 1.1, false }, { 4.1, 0.0, true }, { -6, 0, true }
    };
    struct interaction lj = hand_lj(1.0, 1.0);
    const struct step_rules rules = { .integrator = INTEGRATOR_VERLET, .dt = 0.1, .steps = 10 };
    for (size_t f = 0; f < sizeof along_z / sizeof along_z[0]; f++) {
        double velocity[3] = { 7.0, 0.0, along_z[f].speed };
        struct box box = hand_box_empty(1);
        struct step_end end;
        struct error error = { STATUS_OK, "" };
        box.periodic = true;
        box.open_along[2] = true;
        box.edge[0] = box.edge[1] = box.edge[2] = 10.0;
        box.position[0] = box.position[1] = box.position[2] = 5.0;
        box.velocity = velocity;
        const bool done = reference_integrate(
            &(struct step_case){ &box, &lj, 2.0, &rules, 0, NULL, NULL, NULL }, &end, &error);
        assert_true(done != along_z[f].refused);
        if (done) {
            assert_near(end.position[0], 2.0, 1e-12);
            assert_int_equal(end.image[0], 1);
            assert_near(end.position[2], along_z[f].end, 1e-12);
            assert_int_equal(end.image[2], 0);
            step_end_free(&end);
        } else {
            assert_says(error.message, "leaves along z, where the box has no images");
        }
        box.velocity = NULL;
        hand_box_free(&box);
    }
}

/* ---- the room that kernels have ---- */

TEST(room_for_kernels) {
    static const double margins[] = { 0.5, 3.0, INFINITY };
    for (int m = 0; m < 3; m++) {
        struct box box = make_box(&shapes[0], 1.0);
        const struct box before = make_box(&shapes[0], 1.0);
        double least = INFINITY;
        double most = -INFINITY;
        box_make_room(&box, margins[m], NULL);
        for (size_t i = 0; i < box.n; i++) {
            least = fmin(least, box.position[3 * i + 2]);
            most = fmax(most, box.position[3 * i + 2]);
            assert_true(box.position[3 * i] == before.position[3 * i]);
        }
        assert_true(box.edge[0] == true_edge);
        assert_near(least, box.edge[2] - most, 1e-12);
        assert_true(least >= fmin(margins[m], 0.75 * (most - least)) * (1 - 1e-12));
        assert_true(isfinite(margins[m]) || box.edge[2] > 2 * (most - least));
        hand_box_free(&box);
        struct box copy = before;
        hand_box_free(&copy);
    }
}

TEST(axes_kept) {
    struct error error;
    char axes[AXES_SIZE];
    struct box box = make_box(&shapes[6], 5.0);
    assert_near(box_least_repeat(&box), 9.0 * 9.0 / hypot(9.0, 4.5), 1e-12);
    assert_false(box_keep_axes(&box, "xyz", &error)); /* there are none along z */
    assert_false(box_keep_axes(&box, "y", &error));   /* b leans along x */
    assert_false(box_keep_axes(&box, "q", &error));
    assert_true(box_keep_axes(&box, "x", &error)); /* b may be straightened */
    assert_true(box.tilt[0] == 0.0 && box_least_repeat(&box) == 9.0);
    box_axes(&box, axes);
    assert_string_equal(axes, "x");
    box_open(&box);
    box_axes(&box, axes);
    assert_string_equal(axes, "");
    assert_false(box_is_partly_periodic(&box));
    hand_box_free(&box);
}
