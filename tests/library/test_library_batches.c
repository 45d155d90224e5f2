/* libpairmark: boxes of a batch, each as if it were alone: forces, energies and virials, in cells
 * of their own, of any sizes, wherever particles are; what is no batch is refused. */

#include "library_calls.h"

#include "support.h"

enum { BOXES = 4, MOST = 200 };
static const size_t begin[BOXES + 1] = { 0, 64, 64, 65, 190 };
static const double cells[9 * BOXES] = { 6, 0, 0, 0,    6, 0, 0,   0,    6,   /* cubic */
                                         6, 0, 0, 0,    6, 0, 0,   0,    6,   /* of nobody */
                                         7, 0, 0, 0,    5, 0, 0,   0,    5,   /* of one */
                                         8, 0, 0, -1.5, 7, 0, 0.8, -1.0, 9 }; /* leans */

/* Particles of each box, some of them outside of its cell. */
static void place_particles(bool periodic, double *x) {
    for (size_t b = 0; b < BOXES; b++) {
        const double *v = cells + 9 * b;
        for (size_t i = begin[b]; i < begin[b + 1]; i++) {
            const size_t k = i - begin[b];
            const size_t sites[3] = { k % 5, k / 5 % 5, k / 25 };
            for (size_t d = 0; d < 3; d++) {
                x[3 * i + d] = 0.07 * sin(1.3 * (double)(3 * i + d));
                for (size_t l = 0; l < 3; l++) {
                    const double more = periodic && k % 7 == l ? 2.0 : 0.0;
                    x[3 * i + d] += v[3 * l + d] * (0.2 * (double)sites[l] + more);
                }
            }
        }
    }
}

static pm_system *system_of(size_t n, const double *cell) {
    pm_error e;
    pm_system *system = NULL;
    assert_ok(pm_system_create(n, cell, &system, &e), &e);
    assert_ok(pm_system_potential(system, "lj", NULL, 2.4, &e), &e);
    return system;
}

/* The boxes, periodic or open. */
static pm_system *system_of_boxes(bool periodic) {
    pm_system *system = system_of(begin[BOXES], NULL);
    pm_error e;
    assert_ok(pm_system_boxes(system, begin, BOXES, periodic ? cells : NULL, &e), &e);
    return system;
}

static pm_kernel *kernel_of(pm_context *context, const pm_system *system, const char *variant) {
    const pm_choice choice = PM_CHOICE(.variant = variant, .precision = PM_PRECISION_DOUBLE,
                                       .outputs = PM_OUTPUTS_VIRIAL);
    pm_error e;
    pm_kernel *kernel = NULL;
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    return kernel;
}

struct results {
    double force[3 * MOST], energy[BOXES], virial[9 * BOXES];
};

/* Box by box, by a kernel of one box. */
static void evaluate_alone(pm_context *context, bool periodic, const double *x,
                           struct results *results) {
    memset(results, 0, sizeof *results);
    for (size_t b = 0; b < BOXES; b++) {
        const size_t n = begin[b + 1] - begin[b];
        const pm_arrays arrays =
            PM_ARRAYS(.positions = x + 3 * begin[b], .forces = results->force + 3 * begin[b],
                      .energy = &results->energy[b], .virial = &results->virial[9 * b]);
        pm_system *system = system_of(n, periodic ? cells + 9 * b : NULL);
        pm_kernel *kernel = kernel_of(context, system, "all_pairs_loop");
        pm_error e;
        assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
}

static void assert_all_near(const double *got, const double *expected, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(got[k] - expected[k]) <= 1e-9 * (1 + fabs(expected[k])))) {
            fail_msg("number %zu: %.17g, expected %.17g", k, got[k], expected[k]);
        }
    }
}

TEST(boxes_are_as_if_alone) {
    static const char *const variants[] = { "boxes_tile", "boxes_half", "list_boxes" };
    pm_context *context = open_context();
    for (int k = 0; k < 6; k++) {
        const bool periodic = k % 2 == 0;
        double x[3 * MOST];
        struct results alone;
        struct results together;
        pm_error e;
        place_particles(periodic, x);
        evaluate_alone(context, periodic, x, &alone);
        pm_system *system = system_of_boxes(periodic);
        pm_kernel *kernel = kernel_of(context, system, variants[k / 2]);
        const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = together.force,
                                           .energy = together.energy, .virial = together.virial);
        for (int again = 0; again < 2; again++) {
            memset(&together, 0xff, sizeof together);
            assert_ok(pm_evaluate(kernel, &arrays, &e), &e);
            assert_all_near(together.force, alone.force, 3 * begin[BOXES]);
            assert_all_near(together.energy, alone.energy, BOXES);
            assert_all_near(together.virial, alone.virial, (size_t)9 * BOXES);
        }
        assert_true(alone.energy[0] != 0 && alone.energy[3] != 0 && together.energy[1] == 0);
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
    pm_close(context);
}

/* A kernel of lists for two boxes of two particles, which evaluates where they are now. */
struct two_boxes {
    double x[12], force[12];
    pm_context *context;
    pm_system *system;
    pm_kernel *kernel;
};

static void evaluate(struct two_boxes *two) {
    const pm_arrays arrays = PM_ARRAYS(.positions = two->x, .forces = two->force);
    pm_error e;
    assert_ok(pm_evaluate(two->kernel, &arrays, &e), &e);
}

static void open_two_boxes(struct two_boxes *two, const double *two_cells) {
    static const size_t of_two[] = { 0, 2, 4 };
    const pm_choice choice = PM_CHOICE(.variant = "list_boxes", .precision = PM_PRECISION_DOUBLE);
    pm_error e;
    two->context = open_context();
    two->system = system_of(4, NULL);
    assert_ok(pm_system_boxes(two->system, of_two, 2, two_cells, &e), &e);
    assert_ok(pm_kernel_create(two->context, two->system, &choice, &two->kernel, &e), &e);
    evaluate(two);
}

static void close_two_boxes(struct two_boxes *two) {
    pm_kernel_free(two->kernel);
    pm_system_free(two->system);
    pm_close(two->context);
}

/* Through a face of the second box, by as much as the edges differ: seen in the first box's cell
 * the particle is where it was, and a list that reaches 2.69 would still serve. */
TEST(lists_see_who_crosses_a_face) {
    static const double edges[18] = {
        10, 0, 0, 0, 10, 0, 0, 0, 10, 10.4, 0, 0, 0, 10, 0, 0, 0, 10
    };
    struct two_boxes two = { .x = { 1, 1, 1, 2, 1, 1, 0.1, 5, 5, 10.4 - 2.6, 5, 5 } };
    open_two_boxes(&two, edges);
    assert_true(two.force[0] != 0 && two.force[6] == 0); /* 2.7 apart */
    two.x[6] += 10.4 - 0.4;
    evaluate(&two);
    assert_true(two.force[6] != 0 && two.force[6] == -two.force[9]); /* 2.3 */
    close_two_boxes(&two);
}

/* Half a height and more apart along the third vector, the nearest image is not the one that
 * rounding finds; as they come nearer, it is the only one within the cutoff. */
TEST(lists_have_the_nearest_image) {
    static const double leaning[18] = { 8, 0, 0, 0, 7, 0, 2, 0, 4.8, 8, 0, 0, 0, 7, 0, 2, 0, 4.8 };
    struct two_boxes two = { .x = { 1, 1, 1, 1, 1, 3.64, 4, 3, 0.5, 4, 3, 3.14 } };
    open_two_boxes(&two, leaning);
    assert_true(two.force[2] == 0 && two.force[8] == 0); /* 2.64 apart */
    for (size_t d = 2; d < 12; d += 6) {
        two.x[d] += 0.13;
        two.x[d + 3] -= 0.13;
    }
    evaluate(&two);
    assert_true(two.force[2] > 0 && two.force[5] == -two.force[2] && two.force[8] > 0); /* 2.38 */
    close_two_boxes(&two);
}

TEST(best_kernel_of_boxes) {
    double x[3 * MOST];
    struct results results;
    const pm_choice choice = PM_CHOICE(.outputs = PM_OUTPUTS_ENERGY);
    const pm_arrays arrays =
        PM_ARRAYS(.positions = x, .forces = results.force, .energy = results.energy);
    pm_context *context = open_context();
    pm_kernel *kernel = NULL;
    pm_error e;
    place_particles(true, x);
    pm_system *system = system_of_boxes(true);
    assert_ok(pm_kernel_best(context, system, &choice,
                             &(pm_trial)PM_TRIAL(.arrays = &arrays, .steps = 10, .milliseconds = 1),
                             &kernel, &e),
              &e);
    assert_non_null(strstr(pm_kernel_words(kernel), "boxes"));
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
}

static void refused(pm_context *context, const pm_system *system, const char *variant,
                    const char *words) {
    const bool steps = strchr(variant, '+') != NULL;
    const pm_choice choice = PM_CHOICE(.variant = variant, .dt = steps ? 0.001 : 0);
    pm_kernel *kernel = NULL;
    pm_error e;
    assert_int_equal(pm_kernel_create(context, system, &choice, &kernel, &e), PM_UNSUPPORTED);
    assert_says(e.message, words);
}

/* ---- lists ---- */

enum { LIST_BOXES = 6, LISTED = 160, MOST_ENTRIES = 60000 };
static const size_t list_begin[LIST_BOXES + 1] = { 0, 40, 40, 41, 90, 120, 160 };
static const double list_cells[9 * LIST_BOXES] = {
    5,   0, 0, 0.5, 6,    0, -0.7, 0.3, 5.5, /* leans */
    6,   0, 0, 0,   6,    0, 0,    0,   6,   /* of nobody */
    1.5, 0, 0, 0,   1.25, 0, 0,    0,   0,   /* small, two vectors with images */
    0.3, 5, 1, 6,   0,    1, 0.2,  1,   -5,  /* of the other hand */
    0,   0, 0, 0,   0,    0, 0,    0,   0,   /* open */
    0,   0, 0, 1,   2,    3, 0,    0,   0,   /* one vector */
};

/* Entries in an order of their own: of the first particles, then the second, then images. */
struct entry {
    int first, second, shift[3];
    double vector[3], distance;
};
struct entries {
    size_t count;
    struct entry all[MOST_ENTRIES];
};

static int compare(const void *one, const void *other) {
    const size_t bytes = offsetof(struct entry, shift[3]); /* without what pads them */
    return memcmp(one, other, bytes);
}

/* From brute force, which has no cells and no choice of images. */
static void list_by_force(const double *x, double cutoff, bool half, struct entries *to) {
    enum { FAR = 6 };
    to->count = 0;
    for (size_t b = 0; b < LIST_BOXES; b++) {
        const double *v = list_cells + 9 * b;
        for (size_t k = list_begin[b]; k < list_begin[b + 1]; k++) {
            for (size_t l = half ? k : list_begin[b]; l < list_begin[b + 1]; l++) {
                for (int image = 0; image < 2197; image++) {
                    const int s[3] = { image % 13 - FAR, image / 13 % 13 - FAR, image / 169 - FAR };
                    struct entry e = { .first = (int)k,
                                       .second = (int)l,
                                       .shift = { s[0], s[1], s[2] } };
                    bool is_image = true;
                    double square = 0;
                    for (size_t d = 0; d < 3; d++) {
                        is_image = is_image && (s[d] == 0 || v[3 * d] != 0 || v[3 * d + 1] != 0 ||
                                                v[3 * d + 2] != 0);
                        e.vector[d] = x[3 * l + d] - x[3 * k + d] + s[0] * v[d] + s[1] * v[3 + d] +
                                      s[2] * v[6 + d];
                        square += e.vector[d] * e.vector[d];
                    }
                    const int sign = s[0] ? s[0] : s[1] ? s[1] : s[2];
                    e.distance = sqrt(square);
                    if (is_image && square <= cutoff * cutoff &&
                        (k != l || (half ? sign > 0 : sign != 0))) {
                        assert_true(to->count < MOST_ENTRIES);
                        to->all[to->count++] = e;
                    }
                }
            }
        }
    }
    qsort(to->all, to->count, sizeof *to->all, compare);
}

/* What a call writes: arrays with a number behind the room. */
struct written {
    int count[LISTED], row_begin[LISTED + 1];
    int first[MOST_ENTRIES + 1], second[MOST_ENTRIES + 1], shifts[3 * MOST_ENTRIES + 1];
    double vectors[3 * MOST_ENTRIES + 1], distances[MOST_ENTRIES + 1];
};

static pm_kernel *kernel_of_boxes(pm_context *context, bool csr, bool half) {
    const pm_choice choice =
        PM_CHOICE(.variant = "neighbours", .precision = PM_PRECISION_DOUBLE,
                  .list = csr ? PM_CSR : PM_COO, .list_pairs = half ? PM_HALF_LIST : PM_FULL_LIST,
                  .list_entries = PM_SHIFTS + PM_VECTORS + PM_DISTANCES);
    pm_error e;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(LISTED, NULL, &system, &e), &e);
    assert_ok(pm_system_boxes(system, list_begin, LIST_BOXES, list_cells, &e), &e);
    assert_ok(pm_system_potential(system, NULL, NULL, 2.1, &e), &e);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    assert_string_equal(pm_kernel_words(kernel), "box_lists");
    pm_system_free(system);
    return kernel;
}

static enum pm_status list_them(pm_kernel *kernel, const double *x, bool csr, size_t room,
                                struct written *to, size_t *needed, pm_error *e) {
    pm_list list = PM_LIST(.room = room, .neighbours = to->second, .shifts = to->shifts,
                           .vectors = to->vectors, .distances = to->distances);
    const pm_arrays arrays = PM_ARRAYS(.positions = x);
    memset(to, 0x55, sizeof *to);
    list.first = csr ? NULL : to->first;
    list.row_begin = csr ? to->row_begin : NULL;
    list.count = csr ? to->count : NULL;
    return pm_neighbours(kernel, &arrays, &list, needed, e);
}

static void assert_untouched(const struct written *to, size_t room) {
    assert_true(to->second[room] == 0x55555555 && to->shifts[3 * room] == 0x55555555);
    assert_true(memcmp(&to->vectors[3 * room], &to->distances[room], sizeof(double)) == 0);
}

static void assert_listed(const struct written *to, bool csr, const struct entries *expected) {
    struct entries *got = test_malloc(sizeof *got);
    got->count = expected->count;
    int row = 0;
    for (size_t k = 0; k < got->count; k++) {
        while (csr && to->row_begin[row + 1] <= (int)k) {
            row++;
        }
        struct entry one = { .first = csr ? row : to->first[k], .second = to->second[k] };
        memcpy(one.shift, to->shifts + 3 * k, sizeof one.shift);
        memcpy(one.vector, to->vectors + 3 * k, sizeof one.vector);
        one.distance = to->distances[k];
        assert_true(k == 0 || one.first >= got->all[k - 1].first);
        got->all[k] = one;
    }
    qsort(got->all, got->count, sizeof *got->all, compare);
    for (size_t k = 0; k < got->count; k++) {
        const struct entry *one = &got->all[k];
        assert_int_equal(compare(one, &expected->all[k]), 0);
        assert_all_near(one->vector, expected->all[k].vector, 3);
        assert_all_near(&one->distance, &expected->all[k].distance, 1);
    }
    test_free(got);
}

static void place_listed(double *x) {
    for (size_t k = 0; k < 3 * LISTED; k++) {
        x[k] = fmod(1.37 * (double)(k + 1) * (double)(k % 7 + 1), 9.0) - 2;
    }
}

/* Boxes that lean, are of the other hand, smaller than the cutoff, have images along some vectors
 * or none: all in one pass. */
TEST(lists_of_boxes) {
    double x[3 * LISTED];
    pm_context *context = open_context();
    struct entries *expected = test_malloc(sizeof *expected);
    struct written *to = test_malloc(sizeof *to);
    place_listed(x);
    for (int k = 0; k < 4; k++) {
        const bool csr = k % 2 == 1;
        size_t needed = 0;
        pm_error e;
        pm_kernel *kernel = kernel_of_boxes(context, csr, k / 2 == 1);
        list_by_force(x, 2.1, k / 2 == 1, expected);
        assert_true(expected->count > 300);
        for (size_t room = expected->count - 200; room <= expected->count + 100; room += 100) {
            const enum pm_status status = list_them(kernel, x, csr, room, to, &needed, &e);
            assert_int_equal(status, room < expected->count ? PM_NO_ROOM : PM_OK);
            assert_int_equal(needed, expected->count);
            assert_untouched(to, room);
            assert_true(!csr || to->row_begin[LISTED] == (int)needed);
            assert_true(!csr || to->count[LISTED - 1] == (int)needed - to->row_begin[LISTED - 1]);
        }
        assert_listed(to, csr, expected);
        x[3 * 95 + 1] = k == 0 ? NAN : INFINITY;
        assert_int_equal(list_them(kernel, x, csr, 9, to, &needed, &e), PM_BAD_INPUT);
        assert_says(e.message, "box 4: particle 5: a position that is not finite");
        place_listed(x);
        assert_ok(list_them(kernel, x, csr, MOST_ENTRIES, to, &needed, &e), &e);
        assert_listed(to, csr, expected);
        pm_kernel_free(kernel);
    }
    test_free(to);
    test_free(expected);
    pm_close(context);
}

TEST(lists_that_boxes_have_not) {
    static const size_t two[] = { 0, 1, 2 };
    static const double small[18] = {
        1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 5, 0, 0, 0, 5, 0, 0, 0, 5
    };
    static const double flat[18] = { 5, 0, 0, 10, 0, 0, 0, 0, 5, 5, 0, 0, 0, 5, 0, 0, 0, 5 };
    pm_context *context = open_context();
    pm_system *system = system_of(2, NULL);
    pm_kernel *kernel = NULL;
    pm_choice choice = PM_CHOICE(.variant = "neighbours");
    pm_error e;
    assert_int_equal(pm_system_boxes(system, two, 2, flat, &e), PM_BAD_INPUT);
    assert_says(e.message, "box 0: cell");
    assert_ok(pm_system_boxes(system, two, 2, small, &e), &e);
    choice.list = PM_CSR;
    assert_int_equal(pm_kernel_create(context, system, &choice, &kernel, &e), PM_UNSUPPORTED);
    assert_says(e.message, "box 0: the cutoff reaches");
    choice.list = PM_MATRIX;
    assert_int_equal(pm_kernel_create(context, system, &choice, &kernel, &e), PM_UNSUPPORTED);
    assert_says(e.message, "list: of boxes");
    choice.precision = PM_PRECISION_MIXED;
    choice.list = PM_COO;
    assert_int_equal(pm_kernel_create(context, system, &choice, &kernel, &e), PM_UNSUPPORTED);
    assert_says(e.message, "precision: of lists");
    pm_system_free(system);
    pm_close(context);
}

TEST(what_is_no_batch) {
    static const size_t falls[] = { 0, 4, 2, 190 };
    static const double turned[18] = { 0, 6, 0, 6, 0, 0, 0, 0, 6, 6, 0, 0, 0, 6, 0, 0, 0, 6 };
    static const size_t two[] = { 0, 64, 190 };
    pm_context *context = open_context();
    pm_error e;
    pm_system *system = system_of(begin[BOXES], NULL);
    assert_int_equal(pm_system_boxes(system, falls, 3, NULL, &e), PM_BAD_INPUT);
    assert_says(e.message, "begin: expected 0");
    assert_ok(pm_system_boxes(system, two, 2, turned, &e), &e);
    const pm_choice forces = PM_CHOICE(.variant = "boxes_half");
    pm_kernel *kernel = NULL;
    assert_int_equal(pm_kernel_create(context, system, &forces, &kernel, &e), PM_BAD_INPUT);
    assert_says(e.message, "box 0: cell: expected a along x and b in the plane of x and y");
    pm_system_free(system);
    system = system_of(begin[BOXES], NULL);
    assert_int_equal(pm_system_boxes(system, falls, 3, NULL, &e), PM_BAD_INPUT);
    assert_ok(pm_system_boxes(system, two, 2, NULL, &e), &e); /* it is as it was */
    refused(context, system, "list_lanes", "computes one box: a batch takes");
    refused(context, system, "neighbours_tile", "lists boxes of one size");
    refused(context, system, "verlet_inside+boxes_tile", "is of one box, not of boxes");
    pm_system_free(system);
    pm_close(context);
}
