/* The reference of bond order parameters: known answers of crystals, the addition theorem, some
 * particles as all. */
#include "reference/steinhardt/steinhardt.h"

#include "hand_box.h"

#include "support.h"

static struct reference compute(const struct box *box, double cutoff, const uint32_t *some,
                                size_t count) {
    const struct steinhardt_asked asked = { box, cutoff };
    struct reference reference;
    struct error error;
    assert_done(reference_steinhardt(&asked, some, count, &reference, &error), &error);
    return reference;
}

/* Particles of a cell with these edges, in fractions of them. */
static void check_crystal(const double edge[3], size_t n, const double *fraction, double cutoff,
                          const double expected[3]) {
    struct box box = hand_box_empty(n);
    for (size_t k = 0; k < 3 * n; k++) {
        box.position[k] = edge[k % 3] * fraction[k];
    }
    box.periodic = true;
    memcpy(box.edge, edge, sizeof box.edge);
    struct reference at = compute(&box, cutoff, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        assert_near(at.force[3 * i], expected[0], 1e-5);
        assert_near(at.force[3 * i + 1], expected[1], 1e-5);
        assert_near(at.force[3 * i + 2], expected[2], 0);
    }
    reference_free(&at);
    hand_box_free(&box);
}

TEST(crystals) {
    const double one[3] = { 1, 1, 1 };
    const double fcc[12] = { 0, 0, 0, 0.5, 0.5, 0, 0.5, 0, 0.5, 0, 0.5, 0.5 };
    const double bcc[6] = { 0, 0, 0, 0.5, 0.5, 0.5 };
    const double hexagonal[3] = { 1, sqrt(3), sqrt(8.0 / 3) };
    const double hcp[12] = { 0, 0, 0, 0.5, 0.5, 0, 0.5, 5.0 / 6, 0.5, 0, 1.0 / 3, 0.5 };
    check_crystal(one, 4, fcc, 0.8, (const double[3]){ 0.19094, 0.57452, 12 });
    check_crystal(one, 2, bcc, 1.1, (const double[3]){ 0.03637, 0.51069, 14 });
    check_crystal(hexagonal, 4, hcp, 1.1, (const double[3]){ 0.09722, 0.48476, 12 });
    check_crystal(one, 1, fcc, 1.1, (const double[3]){ 0.76376, 0.35355, 6 });
}

static double legendre(int l, double c) {
    const double s = c * c;
    return l == 4 ? (35 * s * s - 30 * s + 3) / 8
                  : (231 * s * s * s - 315 * s * s + 105 * s - 5) / 16;
}

/* q_l^2 is the mean of P_l(cos) over all pairs of neighbours. */
TEST(addition_theorem) {
    const double cutoff = 2.5;
    struct box box = hand_box_lattice(27, 0.6, 0.2, false, 5);
    struct reference at = compute(&box, cutoff, NULL, 0);
    for (size_t i = 0; i < box.n; i++) {
        double d[27][3];
        size_t count = 0;
        double sum[2] = { 0, 0 };
        for (size_t j = 0; j < box.n; j++) {
            double r2 = 0;
            for (size_t k = 0; k < 3; k++) {
                d[count][k] = box.position[3 * j + k] - box.position[3 * i + k];
                r2 += d[count][k] * d[count][k];
            }
            for (size_t k = 0; k < 3; k++) {
                d[count][k] /= sqrt(r2);
            }
            count += j != i && r2 < cutoff * cutoff;
        }
        for (size_t a = 0; a < count; a++) {
            for (size_t b = 0; b < count; b++) {
                const double c = d[a][0] * d[b][0] + d[a][1] * d[b][1] + d[a][2] * d[b][2];
                sum[0] += legendre(4, c);
                sum[1] += legendre(6, c);
            }
        }
        assert_true(count > 3);
        assert_near(at.force[3 * i + 2], (double)count, 0);
        assert_near(at.force[3 * i], sqrt(sum[0]) / (double)count, 1e-12);
        assert_near(at.force[3 * i + 1], sqrt(sum[1]) / (double)count, 1e-12);
    }
    const uint32_t some[] = { 26, 3, 3 };
    struct reference few = compute(&box, cutoff, some, 3);
    for (size_t k = 0; k < 9; k++) {
        assert_near(few.force[k], at.force[3 * (size_t)some[k / 3] + k % 3], 0);
    }
    reference_free(&few);
    reference_free(&at);
    hand_box_free(&box);
}
