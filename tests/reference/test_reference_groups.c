/* The reference of groups: against a plain loop that knows nothing of it, cells against the direct
 * sum, and boxes where every pair counts at its nearest image. */
#include "reference/pairs/reference.h"

#include "hand_box.h"

#include "support.h"

/* ---- the plain loop ---- */

/* What it adds up, naively. */
struct plain {
    double energy, virial[9];
    double *force;
    uint64_t pairs;
};

static void add_pair(const struct box *box, double cutoff, int32_t i, int32_t j,
                     struct plain *plain) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    double d[3], u, f, s, r2 = 0;
    struct error error;
    for (int k = 0; k < 3; k++) {
        d[k] = box->position[3 * i + k] - box->position[3 * j + k];
        d[k] -= box->periodic ? box->edge[k] * round(d[k] / box->edge[k]) : 0.0;
        r2 += d[k] * d[k];
    }
    double r = sqrt(r2);
    if (i == j || r > cutoff) {
        return;
    }
    assert_true(reference_pair(&lj, r, &u, &f, &s, &error));
    plain->pairs++;
    plain->energy += u;
    for (int k = 0; k < 3; k++) {
        plain->force[3 * i + k] += f / r * d[k];
        plain->force[3 * j + k] -= f / r * d[k];
        for (int l = 0; l < 3; l++) {
            plain->virial[3 * k + l] += f / r * d[k] * d[l];
        }
    }
}

static struct plain plain_sum(const struct box *box, double cutoff, const struct groups *groups) {
    struct plain plain = { .force = calloc(3 * box->n, sizeof(double)) };
    assert_non_null(plain.force);
    for (size_t p = 0; p < groups->n_a; p++) {
        switch (groups->mode) {
        case GROUPS_ONE:
            for (size_t q = p + 1; q < groups->n_a; q++) {
                add_pair(box, cutoff, groups->a[p], groups->a[q], &plain);
            }
            break;
        case GROUPS_TWO:
            for (size_t q = 0; q < groups->n_b; q++) {
                add_pair(box, cutoff, groups->a[p], groups->b[q], &plain);
            }
            break;
        default:
            add_pair(box, cutoff, groups->a[p], groups->b[p], &plain);
        }
    }
    return plain;
}

static void assert_is_plain(const struct reference *reference, const struct plain *plain) {
    double scale = 1e-13 * (1.0 + reference->energy_scale + reference->virial_scale);
    assert_int_equal(reference->pairs_in_cutoff, plain->pairs);
    assert_near(reference->energy, plain->energy, scale);
    for (int k = 0; k < 9; k++) {
        assert_near(reference->virial[k], plain->virial[k], scale);
    }
    for (size_t i = 0; i < 3 * reference->n; i++) {
        assert_near(reference->force[i], plain->force[i], 1e-13 * (1.0 + reference->scale[i / 3]));
    }
}

/* ---- groups ---- */

static struct groups groups_of(enum group_mode mode, const char *a, const char *b, size_t n) {
    struct particle_list *lists[2] = { NULL, NULL };
    struct groups groups;
    struct error error;
    assert_true(particle_list_parse(a, &lists[0], &error));
    assert_true(mode == GROUPS_ONE || particle_list_parse(b, &lists[1], &error));
    const struct group_spec spec = { .mode = mode, .a = lists[0], .b = lists[1] };
    assert_true(groups_resolve(&spec, n, 1, &groups, &error));
    particle_list_free(lists[0]);
    particle_list_free(lists[1]);
    return groups;
}

static const struct {
    enum group_mode mode;
    const char *a, *b;
} cases[] = {
    { GROUPS_ONE, "1-600", "" },
    { GROUPS_ONE, "3-500:2", "" },
    { GROUPS_ONE, "17", "" },
    { GROUPS_TWO, "1-300", "301-600" },
    { GROUPS_TWO, "1-400", "200-600:3" }, /* with particles in both */
    { GROUPS_TWO, "1-600", "1-600" },
    { GROUPS_TWO, "5", "1-600" },
    { GROUPS_TWO, "9,3,4", "600,2" },
    { GROUPS_PAIRS, "1-300", "301-600" },
    { GROUPS_PAIRS, "1,1,2,1", "2,2,1,7" }, /* a pair may be listed often */
};

enum { CASES = sizeof cases / sizeof cases[0] };

static void compare_all(const struct box *box, double cutoff) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    for (int c = 0; c < CASES; c++) {
        struct groups groups = groups_of(cases[c].mode, cases[c].a, cases[c].b, box->n);
        struct plain plain = plain_sum(box, cutoff, &groups);
        struct reference walked[3];
        struct error error;
        assert_true(reference_direct_groups(box, &lj, cutoff, &groups, &walked[0], &error) &&
                    reference_cells_groups(box, &lj, cutoff, &groups, &walked[1], &error) &&
                    reference_compute_groups(box, &lj, cutoff, &groups, &walked[2], &error));
        for (int w = 0; w < 3; w++) {
            assert_is_plain(&walked[w], &plain);
            assert_int_equal(walked[w].edge_pair_count, walked[0].edge_pair_count);
            reference_free(&walked[w]);
        }
        free(plain.force);
        groups_free(&groups);
    }
}

TEST(groups_agree_with_a_plain_loop) {
    for (int periodic = 0; periodic < 2; periodic++) {
        struct box box = hand_box_lattice(600, 0.84, 0.1, periodic, 7);
        compare_all(&box, 2.0);
        compare_all(&box, INFINITY);
        hand_box_free(&box);
    }
}

TEST(all_particles_are_the_usual_reference) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(600, 0.84, 0.1, true, 7);
    struct groups groups = groups_of(GROUPS_ONE, "1-600", "", 600);
    struct reference usual, grouped;
    struct error error;
    assert_true(reference_compute(&box, &lj, 2.5, &usual, &error));
    assert_true(reference_compute_groups(&box, &lj, 2.5, &groups, &grouped, &error));
    assert_true(usual.energy == grouped.energy);
    assert_memory_equal(usual.force, grouped.force, 3 * box.n * sizeof(double));
    reference_free(&usual);
    reference_free(&grouped);
    groups_free(&groups);
    hand_box_free(&box);
}

/* Half an edge apart, without a cutoff: the sign of one component is open, the energy is not. */
TEST(pair_at_half_an_edge_without_a_cutoff) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_empty(2);
    struct groups groups = groups_of(GROUPS_ONE, "1-2", "", 2);
    struct reference reference;
    struct error error;
    box.periodic = true;
    box.edge[0] = box.edge[1] = box.edge[2] = 4.0;
    box.position[3] = 2.0;
    box.position[4] = 0.5;
    assert_true(reference_compute_groups(&box, &lj, INFINITY, &groups, &reference, &error));
    assert_int_equal(reference.pairs_in_cutoff, 1);
    assert_int_equal(reference.edge_pair_count, 1);
    const struct reference_edge_pair *pair = &reference.edge_pairs[0];
    assert_near(pair->force[0], 2.0 * fabs(reference.force[0]), 1e-15);
    assert_true(pair->force[0] > 0.0 && pair->force[1] == 0.0 && pair->force[2] == 0.0);
    assert_true(pair->energy[TERM_VAN_DER_WAALS] == 0.0);
    assert_near(pair->virial, 2.0 * reference.virial_scale, 1e-15);
    reference_free(&reference);
    groups_free(&groups);
    hand_box_free(&box);
}

/* Groups of the same sizes are told apart in the cache. */
TEST(cache_tells_groups_apart) {
    const struct interaction lj = hand_lj(1.0, 1.0);
    struct box box = hand_box_lattice(3000, 0.84, 0.1, true, 7);
    static const char *const lists[3] = { "1-1500", "2-1501", "1-1500" };
    double energy[3];
    for (int g = 0; g < 3; g++) {
        struct groups groups = groups_of(GROUPS_TWO, lists[g], "1501-3000", 3000);
        struct reference reference;
        struct error error;
        assert_true(reference_compute_groups(&box, &lj, 2.5, &groups, &reference, &error));
        energy[g] = reference.energy;
        reference_free(&reference);
        groups_free(&groups);
    }
    assert_true(energy[0] == energy[2]);
    assert_true(energy[0] != energy[1]);
    hand_box_free(&box);
}

TEST_GROUP(open_test_cache, close_test_cache)
