/* The reference by threads: the same bits however many there are, and the plain serial sums but for
 * the order of adding up. */
#include "reference/eam/eam.h"
#include "reference/pairs/reference.h"
#include "reference/rdf/rdf.h"
#include "reference/three_body/three_body.h"

#include "core/threads.h"
#include "hand_box.h"
#include "kernels/potentials/exclusions.h"

#include <unistd.h>

#include "support.h"

#include "boxes/box.h"

static const char *const no_cache = "/dev/null/none";

/* What is summed: a box, what acts in it, between whom. */
struct scene_words {
    const char *kind;
    size_t n;
    double density;
    bool open;
    enum group_mode mode;
    const char *interaction;
    double cutoff;
    const char *a, *b;   /* NULL a: all particles */
    const char *exclude; /* "molecule", or "pairs": each particle and the next but six */
};

static const struct scene_words scenes[] = {
    { "fluid", 5000, 0, false, 0, "lj", 2.5, NULL, NULL, NULL },
    { "lattice", 2048, 0, true, 0, "lj:epsilon=0.3,sigma=1.1", 3.0, NULL, NULL, NULL },
    { "gas", 4000, 0, false, 0, "lj", 2.5, NULL, NULL, NULL },
    { "droplets", 3000, 0, false, 0, "lj", 2.5, NULL, NULL, NULL },
    { "fluid", 1501, 0, false, 0, "lj", INFINITY, NULL, NULL, NULL },
    { "fluid", 1501, 0, true, 0, "lj", INFINITY, NULL, NULL, NULL },
    { "cubic", 1000, 0, false, 0, "lj", 2.0, NULL, NULL, NULL },
    { "uniform", 3, 0.001, false, 0, "lj", 2.5, NULL, NULL, NULL },
    { "salt", 2000, 0, false, 0, "born-mayer-huggins+ewald-real:alpha=0.9", 2.5, NULL, NULL, NULL },
    { "brick", 3001, 0, false, 0, "lj+ewald-real:alpha=0.9,lj.cutoff=1.9,sigma.B=0.9,epsilon.C=0.5",
      2.5, NULL, NULL, "molecule" },
    { "brick", 900, 0, false, 0, "lj+ewald-real", 2.0, NULL, NULL, "pairs" },
    { "brick", 700, 0, true, 0, "lj:sigma.B=0.9,epsilon.C=0.5", INFINITY, NULL, NULL, NULL },
    { "cubic", 3000, 0, false, GROUPS_ONE, "rational:r0=1.1,n=6,m=12,d0=0.9,dmax=2.2", 2.2,
      "3-2700:2", "", NULL },
    { "cubic", 3000, 0, false, GROUPS_TWO, "rational:r0=1.1,n=6,m=12,dmax=2.2", 2.2, "1-2000",
      "1500-3000:3", NULL },
    { "cubic", 900, 0, false, GROUPS_TWO, "rational:r0=1.1,n=6,m=12,dmax=inf", INFINITY, "1-500",
      "400-900:3", NULL },
    { "cubic", 900, 0, false, GROUPS_PAIRS, "rational:r0=1.1,n=6,m=12,dmax=2.2", 2.2, "1-400,1,1",
      "401-800,2,2", NULL },
};

enum { SCENES = sizeof scenes / sizeof scenes[0] };

struct scene_made {
    struct box box;
    struct interaction interaction;
    struct exclusions *exclusions;
    struct particle_list *lists[2];
    struct groups groups;
    bool grouped;
};

static void make_groups(const struct scene_words *words, struct scene_made *made) {
    struct error error;
    struct group_spec spec = { .mode = words->mode };
    assert_true(particle_list_parse(words->a, &made->lists[0], &error));
    spec.a = made->lists[0];
    if (words->mode != GROUPS_ONE) {
        assert_true(particle_list_parse(words->b, &made->lists[1], &error));
        spec.b = made->lists[1];
    }
    assert_true(groups_resolve(&spec, words->n, 1, &made->groups, &error));
    made->grouped = true;
}

static bool list_exclusions(size_t n, struct exclusions **exclusions, struct error *error) {
    char path[] = "/tmp/pairmark-test-XXXXXX";
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    assert_non_null(file);
    for (size_t i = 1; i + 7 <= n; i++) {
        (void)fprintf(file, "%zu %zu\n", i + 7, i);
    }
    (void)fclose(file);
    const bool read = exclusions_read(path, exclusions, error);
    (void)unlink(path);
    return read;
}

static bool exclude(const struct scene_words *words, struct exclusions **exclusions,
                    struct error *error) {
    if (!words->exclude) {
        return true;
    }
    return strcmp(words->exclude, "pairs") == 0
               ? list_exclusions(words->n, exclusions, error)
               : exclusions_read(words->exclude, exclusions, error);
}

static struct scene_made make(const struct scene_words *words) {
    struct scene_made made = { .exclusions = NULL };
    struct error error;
    if (!box_make(words->kind, words->n, words->density, 5, &made.box, &error) ||
        !interaction_parse(words->interaction, &made.interaction, &error) ||
        !exclude(words, &made.exclusions, &error)) {
        fail_msg("%s", error.message);
    }
    made.interaction.exclusions = made.exclusions;
    if (words->open) {
        made.box.periodic = false;
        memset(made.box.edge, 0, sizeof made.box.edge);
    }
    if (words->a) {
        make_groups(words, &made);
    }
    return made;
}

static void made_free(struct scene_made *made) {
    box_free(&made->box);
    exclusions_free(made->exclusions);
    particle_list_free(made->lists[0]);
    particle_list_free(made->lists[1]);
    groups_free(&made->groups);
}

static struct reference compute(const struct scene_made *made, double cutoff) {
    struct reference reference;
    struct error error = { STATUS_OK, "" };
    assert_done(reference_compute_groups(&made->box, &made->interaction, cutoff,
                                         made->grouped ? &made->groups : NULL, &reference, &error),
                &error);
    return reference;
}

static void assert_same_bits(const struct reference *a, const struct reference *b) {
    const double sums[2][6] = { { a->energy, a->energy_scale, a->energy_slope, a->virial_scale,
                                  a->virial_slope, a->length_scale },
                                { b->energy, b->energy_scale, b->energy_slope, b->virial_scale,
                                  b->virial_slope, b->length_scale } };
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->force, b->force, 3 * a->n * sizeof(double));
    assert_memory_equal(a->scale, b->scale, a->n * sizeof(double));
    assert_memory_equal(a->slope, b->slope, a->n * sizeof(double));
    assert_memory_equal(a->lost, b->lost, a->n * sizeof(double));
    assert_memory_equal(a->neighbours, b->neighbours, a->n * sizeof(uint32_t));
    assert_memory_equal(a->virial, b->virial, sizeof a->virial);
    assert_memory_equal(a->kinds, b->kinds, sizeof a->kinds);
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    assert_int_equal(a->pairs_in_cutoff, b->pairs_in_cutoff);
    assert_int_equal(a->edge_pair_count, b->edge_pair_count);
    for (size_t p = 0; p < a->edge_pair_count; p++) {
        assert_memory_equal(&a->edge_pairs[p], &b->edge_pairs[p], sizeof a->edge_pairs[p]);
    }
}

TEST(bits_do_not_depend_on_threads) {
    static const int threads[] = { 2, 3, 7 };
    for (int s = 0; s < SCENES; s++) {
        struct scene_made made = make(&scenes[s]);
        threads_limit(1);
        struct reference one = compute(&made, scenes[s].cutoff);
        for (int t = 0; t < 3; t++) {
            threads_limit(threads[t]);
            struct reference many = compute(&made, scenes[s].cutoff);
            assert_same_bits(&one, &many);
            reference_free(&many);
        }
        threads_limit(0);
        reference_free(&one);
        made_free(&made);
    }
}

/* ---- many-body terms and histograms ---- */

static struct box fluid_of(size_t n) {
    struct box box;
    struct error error;
    assert_done(box_make("fluid", n, 0.0, 3, &box, &error), &error);
    return box;
}

static struct interaction parsed(const char *words) {
    struct interaction interaction;
    struct error error;
    assert_done(interaction_parse(words, &interaction, &error), &error);
    return interaction;
}

/* Two ranges of particles and a part of a third. */
enum { MANY = 2 * THREADS_RANGE + 900 };

static struct reference embedded(const struct box *box, bool kept) {
    const struct interaction interaction =
        parsed("sutton-chen:epsilon=1,a=1.6,n=9,m=6,c=30,rc=2.4");
    const struct eam_asked asked = {
        .box = box, .interaction = &interaction, .cutoff = 2.4, .kept = kept
    };
    struct reference reference;
    struct error error;
    assert_true(reference_eam(&asked, &reference, NULL, &error));
    return reference;
}

static struct reference triplets(const struct box *box, bool kept) {
    const struct interaction interaction = parsed("stillinger-weber:epsilon=1,sigma=1");
    const struct three_body_asked asked = { box, &interaction, 1.8, 0x1p-53, kept };
    struct reference reference;
    struct error error;
    assert_true(reference_three_body(&asked, &reference, &error));
    return reference;
}

/* With more threads, then as the disk keeps it. */
static void check_many_body(struct reference (*compute_one)(const struct box *, bool)) {
    struct box box = fluid_of(MANY);
    threads_limit(1);
    struct reference one = compute_one(&box, false);
    for (int use = 0; use < 3; use++) {
        threads_limit(2 + use);
        struct reference many = compute_one(&box, use > 0);
        assert_same_bits(&one, &many);
        assert_memory_equal(one.condition, many.condition, one.n * sizeof *one.condition);
        reference_free(&many);
    }
    threads_limit(0);
    reference_free(&one);
    box_free(&box);
}

TEST(many_body_terms_do_not_depend_on_threads) {
    char folder[TEST_FOLDER_SIZE];
    make_test_folder(folder);
    (void)setenv("PAIRMARK_CACHE", folder, 1);
    check_many_body(embedded);
    check_many_body(triplets);
    char kept[TEST_FOLDER_SIZE + 16];
    (void)snprintf(kept, sizeof kept, "%s/references", folder);
    assert_int_equal(access(kept, F_OK), 0);
    (void)setenv("PAIRMARK_CACHE", no_cache, 1);
    remove_test_folder(folder);
}

TEST(histograms_are_those_of_all_pairs) {
    enum { BINS = 64 };
    const double cutoff = 1.6;
    struct box box = fluid_of(MANY);
    const struct interaction interaction = parsed("rdf:bins=64,rc=1.6");
    const struct rdf_asked asked = { &box, &interaction, cutoff, 0, BINS, 1 };
    struct error error;
    uint64_t expected[BINS] = { 0 };
    for (size_t i = 0; i < box.n; i++) {
        for (size_t j = i + 1; j < box.n; j++) {
            double sum = 0;
            for (size_t k = 0; k < 3; k++) {
                const double d = box.position[3 * j + k] - box.position[3 * i + k];
                const double nearest = d - box.edge[k] * nearbyint(d / box.edge[k]);
                sum += nearest * nearest;
            }
            if (sum < cutoff * cutoff) {
                expected[(size_t)(sqrt(sum) / (cutoff / BINS))]++;
            }
        }
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        struct rdf_counts counts;
        threads_limit(threads);
        assert_true(reference_rdf(&asked, &counts, &error));
        assert_memory_equal(counts.count, expected, sizeof expected);
        rdf_counts_free(&counts);
    }
    threads_limit(0);
    box_free(&box);
}

/* ---- against the plain sums ---- */

static int by_particles(const void *left, const void *right) {
    const struct reference_edge_pair *a = left;
    const struct reference_edge_pair *b = right;
    if (a->i != b->i || a->j != b->j) {
        return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
    }
    return a->gap != b->gap ? (a->gap > b->gap) - (a->gap < b->gap)
                            : (a->virial > b->virial) - (a->virial < b->virial);
}

static void assert_same_edges(struct reference *a, struct reference *b) {
    assert_int_equal(a->edge_pair_count, b->edge_pair_count);
    if (a->edge_pair_count == 0) {
        return; /* there may be no list */
    }
    qsort(a->edge_pairs, a->edge_pair_count, sizeof *a->edge_pairs, by_particles);
    qsort(b->edge_pairs, b->edge_pair_count, sizeof *b->edge_pairs, by_particles);
    for (size_t p = 0; p < a->edge_pair_count; p++) {
        assert_memory_equal(&a->edge_pairs[p], &b->edge_pairs[p], sizeof a->edge_pairs[p]);
    }
}

/* Sums of the same terms in another order: of compensated ones the last bit, of others a rounding
 * error a term. */
static void assert_reordered(const struct reference *a, const struct reference *b) {
    const double last = 0x1p-52;
    assert_int_equal(a->pairs_in_cutoff, b->pairs_in_cutoff);
    for (size_t i = 0; i < a->n; i++) {
        const double terms = a->neighbours[i] + 1.0;
        assert_int_equal(a->neighbours[i], b->neighbours[i]);
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            assert_near_as("force", a->force[k], b->force[k],
                           last * fabs(b->force[k]) + terms * terms * 0x1p-104 * b->scale[i]);
        }
        assert_near_as("scale", a->scale[i], b->scale[i], terms * last * b->scale[i]);
        assert_near_as("slope", a->slope[i], b->slope[i], terms * last * b->slope[i]);
        assert_near_as("lost", a->lost[i], b->lost[i], terms * last * b->lost[i]);
    }
    const double terms = 2.0 * (double)a->pairs_in_cutoff + 1.0;
    const double tiny = terms * 0x1p-100; /* beside the last bit */
    assert_near_as("energy", a->energy, b->energy, last * fabs(b->energy) + tiny * b->energy_scale);
    for (int k = 0; k < 9; k++) {
        assert_near_as("virial", a->virial[k], b->virial[k],
                       last * fabs(b->virial[k]) + tiny * b->virial_scale);
    }
    for (int kind = 0; kind < TERM_KINDS; kind++) {
        const struct reference_energy *one = &a->kinds[kind];
        const struct reference_energy *other = &b->kinds[kind];
        assert_near_as("energy of a kind", one->value, other->value,
                       last * fabs(other->value) + tiny * other->scale);
        assert_near_as("its scale", one->scale, other->scale, terms * last * other->scale);
        assert_near_as("its slope", one->slope, other->slope, terms * last * other->slope);
    }
    const double scales = terms * last;
    assert_near_as("energy scale", a->energy_scale, b->energy_scale, scales * b->energy_scale);
    assert_near_as("energy slope", a->energy_slope, b->energy_slope, scales * b->energy_slope);
    assert_near_as("virial scale", a->virial_scale, b->virial_scale, scales * b->virial_scale);
    assert_near_as("virial slope", a->virial_slope, b->virial_slope, scales * b->virial_slope);
    assert_true(a->length_scale == b->length_scale && a->cutoff == b->cutoff);
    assert_int_equal(a->energies_apart, b->energies_apart);
}

static void compare_with_plain(const struct scene_made *made, double cutoff) {
    const struct groups *groups = made->grouped ? &made->groups : NULL;
    struct reference threads = compute(made, cutoff);
    struct reference plain;
    struct error error;
    assert_true(
        reference_direct_groups(&made->box, &made->interaction, cutoff, groups, &plain, &error));
    assert_reordered(&threads, &plain);
    assert_same_edges(&threads, &plain);
    if (isinf(cutoff) && !groups) {
        assert_memory_equal(threads.force, plain.force, 3 * plain.n * sizeof(double));
    }
    reference_free(&threads);
    reference_free(&plain);
}

TEST(plain_sums_are_the_same) {
    for (int s = 0; s < SCENES; s++) {
        struct scene_made made = make(&scenes[s]);
        compare_with_plain(&made, scenes[s].cutoff);
        made_free(&made);
    }
}

/* Particles may stand cells away from the cell, on its faces and half an edge apart. */
TEST(particles_anywhere) {
    static const double cutoffs[] = { 1.5, 2.5, INFINITY };
    for (int c = 0; c < 3; c++) {
        struct scene_made made = make(&scenes[6]);
        uint64_t random = 3;
        for (size_t i = 0; i < 3 * made.box.n; i++) {
            made.box.position[i] += floor(7.0 * hand_random(&random) - 3.0) * made.box.edge[i % 3];
        }
        compare_with_plain(&made, cutoffs[c]);
        for (size_t i = 0; i < 3 * made.box.n; i += 7) {
            made.box.position[i] = made.box.edge[i % 3] * floor(9.0 * hand_random(&random)) / 4.0;
        }
        compare_with_plain(&made, cutoffs[c]);
        made_free(&made);
    }
}

/* An exact lattice without a cutoff: many pairs half an edge apart. */
TEST(pairs_that_turn) {
    struct scene_made made = make(&scenes[6]);
    for (size_t i = 0; i < made.box.n; i++) {
        const size_t site[3] = { i % 10, i / 10 % 10, i / 100 };
        for (size_t k = 0; k < 3; k++) {
            made.box.position[3 * i + k] = made.box.edge[k] * 0.1 * (double)site[k];
        }
    }
    compare_with_plain(&made, INFINITY);
    compare_with_plain(&made, 2.0);
    made_free(&made);
}

TEST(a_way_can_be_chosen) {
    struct scene_made made = make(&scenes[0]);
    struct reference plain;
    struct error error;
    assert_true(reference_cells(&made.box, &made.interaction, scenes[0].cutoff, &plain, &error));
    reference_choose_way(REFERENCE_SERIAL);
    struct reference serial = compute(&made, scenes[0].cutoff);
    assert_same_bits(&serial, &plain);
    reference_choose_way(REFERENCE_THREADS);
    struct reference threads = compute(&made, scenes[0].cutoff);
    assert_reordered(&threads, &plain);
    assert_true(memcmp(threads.scale, plain.scale, plain.n * sizeof(double)) != 0);
    reference_free(&serial);
    reference_free(&threads);
    reference_free(&plain);
    made_free(&made);
}

TEST(some_of_groups) {
    static const uint32_t particle[] = { 2999, 1500, 0, 7, 1501, 1498 };
    enum { COUNT = sizeof particle / sizeof particle[0] };
    for (int s = 12; s < 14; s++) {
        struct scene_made made = make(&scenes[s]);
        struct reference all = compute(&made, scenes[s].cutoff);
        struct reference some;
        struct error error;
        assert_true(
            reference_compute_some(&(struct reference_case){ &made.box, &made.interaction,
                                                             scenes[s].cutoff, &made.groups },
                                   particle, COUNT, &some, &error));
        for (size_t k = 0; k < COUNT; k++) {
            const size_t i = particle[k];
            assert_memory_equal(some.force + 3 * k, all.force + 3 * i, 3 * sizeof(double));
            assert_memory_equal(some.scale + k, all.scale + i, sizeof(double));
            assert_int_equal(some.neighbours[k], all.neighbours[i]);
        }
        reference_free(&some);
        reference_free(&all);
        made_free(&made);
    }
}

int main(void) {
    /* Nothing is kept: what is compared is computed. */
    (void)setenv("PAIRMARK_CACHE", no_cache, 1);
    return run_listed_tests();
}
