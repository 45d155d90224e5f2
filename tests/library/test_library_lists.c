/* Lists of neighbours of libpairmark: in every form, in cells that lean and are smaller than the
 * cutoff, of particles outside of the cell, beside all pairs and images in double precision; what
 * is too small stays as it was; memory of the host and of OpenCL. */
#include "library_calls.h"

#include "support.h"

enum { N = 40, GUARD = 77 };

/* ---- a case ---- */

/* Of examples, what is not said is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct example {
    const char *variant;
    enum pm_precision precision;
    enum pm_form list;
    enum pm_pairs pairs;
    int entries;
    const double *cell; /* NULL: an open box */
    double cutoff;
    const char *exclude, *table;
    const int *along;     /* the vectors with images; NULL: all */
    const char *tunables; /* NULL: the presets */
    size_t offset;        /* bytes from a multiple of the largest vector to arrays of lists */
    bool by_first;
};

static const double leaning[9] = { 5, 0, 0, 1.5, 6, 0, -1, 2, 7 };
static const double reversed[9] = { 5, 0, 0, -1.5, -6, 0, -1, 2, 7 };
static const double left_handed[9] = { 7, 0, 0, 0, 6, 0, 0, 0, -8 };
static const double straight[9] = { 7, 0, 0, 0, 6, 0, 0, 0, 8 };
static const double upright[9] = { 5, 0, 0, 1.5, 6, 0, 0, 0, 1 };
static const double mirrored[9] = { 0, 5, 1, 5, 0, -1, 0, 1, 6 }; /* left-handed, along no axis */
static const int of_slab[3] = { 1, 1, 0 };
static const int of_wire[3] = { 0, 1, 0 };
static const char table[] = "type_a,type_b,function,cutoff\n"
                            "A,A,neighbours,3\nA,B,neighbours,2\nB,B,neighbours,1.5\n";

static const struct example examples[] = {
    { "neighbours_tile", PM_PRECISION_DOUBLE, PM_MATRIX, PM_FULL_LIST, PM_SHIFTS, leaning, 3, NULL,
      NULL },
    { "neighbours_tile", PM_PRECISION_DOUBLE, PM_CSR, PM_HALF_LIST, PM_SHIFTS, leaning, 8, NULL,
      NULL },
    { "neighbours_loop", PM_PRECISION_FLOAT, PM_CSR, PM_FULL_LIST, PM_SHIFTS | PM_DISTANCES,
      leaning, 3, NULL, NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_CSR, PM_FULL_LIST,
      PM_SHIFTS | PM_VECTORS | PM_DISTANCES, straight, 2.5, NULL, NULL },
    { "neighbours_cells", PM_PRECISION_FLOAT, PM_MATRIX, PM_HALF_LIST, PM_VECTORS | PM_SHIFTS,
      straight, 2.5, NULL, NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_COO, PM_FULL_LIST, PM_SHIFTS | PM_VECTORS,
      leaning, 3, "next:2", NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_COO, PM_HALF_LIST, PM_SHIFTS, straight, 4, NULL,
      NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_COO, PM_FULL_LIST, PM_SHIFTS | PM_VECTORS,
      reversed, 3, NULL, NULL },
    { "neighbours_tile", PM_PRECISION_DOUBLE, PM_MATRIX, PM_FULL_LIST, PM_SHIFTS, reversed, 8, NULL,
      NULL },
    { "neighbours_cells", PM_PRECISION_FLOAT, PM_CSR, PM_FULL_LIST, PM_SHIFTS | PM_VECTORS,
      left_handed, 2.5, NULL, NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_MATRIX, PM_FULL_LIST, 0, straight, 2.5, NULL,
      NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_CSR, PM_FULL_LIST, PM_SHIFTS, NULL, 3, NULL,
      NULL },
    { "neighbours_tile", PM_PRECISION_FLOAT, PM_MATRIX, PM_HALF_LIST, PM_VECTORS, NULL, 3, "next:1",
      NULL },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_CSR, PM_FULL_LIST, PM_SHIFTS, straight, 3, NULL,
      table },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_CSR, PM_FULL_LIST, PM_SHIFTS, upright, 2.2, NULL,
      NULL, of_slab },
    { "neighbours_tile", PM_PRECISION_FLOAT, PM_COO, PM_HALF_LIST, PM_SHIFTS | PM_VECTORS, straight,
      7, NULL, NULL, of_wire },
    { "neighbours", PM_PRECISION_DOUBLE, PM_COO, PM_FULL_LIST,
      PM_DISTANCES | PM_VECTORS | PM_SHIFTS, straight, 2.5, NULL, NULL },
    { "neighbours", PM_PRECISION_FLOAT, PM_CSR, PM_FULL_LIST, PM_SHIFTS, leaning, 8, NULL, NULL },
    { "neighbours", PM_PRECISION_DOUBLE, PM_COO, PM_FULL_LIST,
      PM_DISTANCES | PM_VECTORS | PM_SHIFTS, mirrored, 2.2, .by_first = true },
    { "neighbours_tile", PM_PRECISION_FLOAT, PM_COO, PM_HALF_LIST, PM_VECTORS | PM_SHIFTS, straight,
      7, .along = of_wire, .by_first = true },
    { "neighbours_cells", PM_PRECISION_DOUBLE, PM_MATRIX, PM_HALF_LIST, PM_SHIFTS | PM_VECTORS,
      mirrored, 2.2, NULL, NULL },
    { "neighbours_cells", PM_PRECISION_FLOAT, PM_COO, PM_FULL_LIST, PM_SHIFTS | PM_VECTORS,
      mirrored, 2.2, NULL, NULL, of_slab },
    { "neighbours_tile", PM_PRECISION_DOUBLE, PM_CSR, PM_FULL_LIST,
      PM_SHIFTS | PM_VECTORS | PM_DISTANCES, mirrored, 7, NULL, NULL },
};

/* Particles in the cell or, `spread` cells away, outside of it. */
static void place_particles(double *x, double spread, unsigned seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < N; i++) {
        for (size_t d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double uniform = (double)(state >> 11) / 9007199254740992.0;
            x[3 * i + d] = (float)(6 * (spread * (uniform - 0.5) + 0.5));
        }
    }
}

static pm_kernel *kernel_of(pm_context *context, const struct example *example) {
    static const char *const names[] = { "A", "B" };
    int types[N];
    pm_error error;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    const pm_choice choice =
        PM_CHOICE(.variant = example->variant, .tunables = example->tunables,
                  .precision = example->precision, .list = example->list,
                  .list_pairs = example->pairs, .list_entries = example->entries);
    for (int i = 0; i < N; i++) {
        types[i] = i % 2;
    }
    assert_ok(pm_system_create(N, example->cell, &system, &error), &error);
    assert_ok(pm_system_types(system, types, names, 2, &error), &error);
    assert_ok(pm_system_exclude(system, example->exclude, &error), &error);
    if (example->along) {
        assert_ok(pm_system_periodic(system, example->along, &error), &error);
    }
    assert_ok(pm_system_potential(system, NULL, example->table, example->cutoff, &error), &error);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
    pm_system_free(system);
    return kernel;
}

/* ---- a list, and what it should be ---- */

enum { LARGEST_VECTOR = 128 };

/* Arrays with room for so many entries, and something behind them. */
struct arrays {
    size_t room, entries, whole; /* whole: bytes of a whole number of an entry */
    int *count, *row_begin, *first, *neighbours, *shifts;
    void *vectors, *distances;
};

static void *guarded(size_t offset, int wanted, size_t bytes) {
    const size_t whole = (offset + bytes + 64) / LARGEST_VECTOR * LARGEST_VECTOR + LARGEST_VECTOR;
    unsigned char *memory = wanted ? aligned_alloc(LARGEST_VECTOR, whole) : NULL;
    if (!memory) {
        return NULL;
    }
    memset(memory, GUARD, whole);
    return memory + offset;
}

static void free_guarded(size_t offset, void *memory) {
    free(memory ? (unsigned char *)memory - offset : NULL);
}

static void assert_guarded(const void *memory, size_t bytes) {
    for (size_t b = bytes; memory && b < bytes + 64; b++) {
        assert_int_equal(((const unsigned char *)memory)[b], GUARD);
    }
}

static size_t real_of(const struct example *example) {
    return example->precision == PM_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
}

static void allocate(const struct example *example, size_t room, struct arrays *a) {
    const bool is_matrix = example->list == PM_MATRIX;
    const bool is_coo = example->list == PM_COO;
    const size_t real = real_of(example);
    a->room = room;
    a->entries = is_matrix ? N * room : room;
    a->whole = example->by_first ? sizeof(int64_t) : sizeof(int);
    a->count = guarded(example->offset, !is_coo, N * sizeof(int));
    a->row_begin = guarded(example->offset, !is_coo && !is_matrix, (N + 1) * sizeof(int));
    a->first = guarded(example->offset, is_coo, a->entries * a->whole);
    a->neighbours = guarded(example->offset, true, a->entries * a->whole);
    a->shifts = guarded(example->offset, example->entries & PM_SHIFTS, 3 * a->entries * a->whole);
    a->vectors = guarded(example->offset, example->entries & PM_VECTORS, 3 * a->entries * real);
    a->distances = guarded(example->offset, example->entries & PM_DISTANCES, a->entries * real);
}

static void release(const struct example *example, struct arrays *a) {
    const size_t real = real_of(example);
    assert_guarded(a->count, N * sizeof(int));
    assert_guarded(a->row_begin, (N + 1) * sizeof(int));
    assert_guarded(a->first, a->entries * a->whole);
    assert_guarded(a->neighbours, a->entries * a->whole);
    assert_guarded(a->shifts, 3 * a->entries * a->whole);
    assert_guarded(a->vectors, 3 * a->entries * real);
    assert_guarded(a->distances, a->entries * real);
    free_guarded(example->offset, a->count);
    free_guarded(example->offset, a->row_begin);
    free_guarded(example->offset, a->first);
    free_guarded(example->offset, a->neighbours);
    free_guarded(example->offset, a->shifts);
    free_guarded(example->offset, a->vectors);
    free_guarded(example->offset, a->distances);
}

/* Wide numbers become narrow ones where they are. */
static void narrow(const struct arrays *a, int *numbers, size_t count) {
    for (size_t k = 0; a->whole > sizeof(int) && numbers && k < count; k++) {
        int64_t wide;
        memcpy(&wide, (unsigned char *)numbers + k * sizeof wide, sizeof wide);
        const int number = (int)wide;
        assert_true(number == wide);
        memcpy((unsigned char *)numbers + k * sizeof number, &number, sizeof number);
    }
}

static void narrow_list(const struct arrays *a, size_t needed) {
    narrow(a, a->first, needed);
    narrow(a, a->neighbours, needed);
    narrow(a, a->shifts, 3 * needed);
    for (size_t e = 1; a->whole > sizeof(int) && e < needed; e++) {
        assert_true(a->first[e - 1] <= a->first[e]);
    }
}

static pm_list list_of(const struct arrays *a) {
    return (pm_list)PM_LIST(.by_first = a->whole > sizeof(int), .room = a->room, .count = a->count,
                            .row_begin = a->row_begin, .first = a->first,
                            .neighbours = a->neighbours, .shifts = a->shifts, .vectors = a->vectors,
                            .distances = a->distances);
}

static double number_at(const struct example *example, const void *numbers, size_t at) {
    const unsigned char *bytes = numbers; /* at an address that may not be one of a number */
    float narrow;
    double wide;
    if (real_of(example) == sizeof narrow) {
        memcpy(&narrow, bytes + at * sizeof narrow, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, bytes + at * sizeof wide, sizeof wide);
    return wide;
}

static double cutoff_of(const struct example *example, int i, int j) {
    static const double cutoffs[] = { 3, 2, 1.5 };
    return example->table ? cutoffs[i % 2 + j % 2] : example->cutoff;
}

static bool is_excluded(const struct example *example, int i, int j) {
    const int next = example->exclude ? atoi(example->exclude + strlen("next:")) : 0;
    return i != j && abs(i - j) <= next;
}

static void vector_to(const struct example *example, const double *x, int i, int j, const int *s,
                      double r[4]) {
    r[3] = 0;
    for (int d = 0; d < 3; d++) {
        r[d] = x[3 * j + d] - x[3 * i + d];
        for (int k = 0; k < 3 && example->cell; k++) {
            r[d] += s[k] * example->cell[3 * k + d];
        }
        r[3] += r[d] * r[d];
    }
    r[3] = sqrt(r[3]);
}

/* How many times the list has (i, j, S); of those without images any S counts. */
static int times_listed(const struct arrays *a, size_t total, int i, int j, const int *s) {
    int times = 0;
    const size_t from = a->first ? 0 : a->row_begin ? (size_t)a->row_begin[i] : (size_t)i * a->room;
    const size_t stop = a->first ? total : from + (size_t)a->count[i];
    for (size_t e = from; e < stop; e++) {
        times += a->neighbours[e] == j && (!a->first || a->first[e] == i) &&
                 (!s || !a->shifts || memcmp(a->shifts + 3 * e, s, 3 * sizeof *s) == 0);
    }
    return times;
}

enum { FARTHEST = 7, EDGE = 2 * FARTHEST + 1 };

struct image {
    int shift[3];
    double vector[3];
};

/* Within reach of particles anywhere. */
static size_t list_images(const struct example *example, struct image *images) {
    const int most = !example->cell ? 0 : example->cutoff > 5 ? FARTHEST : 5;
    const int edge = 2 * most + 1;
    size_t count = 0;
    for (int s = 0; s < edge * edge * edge; s++) {
        struct image image = { .shift = { s % edge - most, s / edge % edge - most,
                                          s / edge / edge - most } };
        bool has = true;
        for (int k = 0; k < 3; k++) {
            has = has && (!example->along || example->along[k] || image.shift[k] == 0);
            for (int d = 0; d < 3 && example->cell; d++) {
                image.vector[d] += image.shift[k] * example->cell[3 * k + d];
            }
        }
        if (has) {
            images[count++] = image;
        }
    }
    return count;
}

static double distance2(const double *x, int i, int j, const struct image *image) {
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const double r = x[3 * j + d] - x[3 * i + d] + image->vector[d];
        sum += r * r;
    }
    return sum;
}

/* All pairs, in all images. */
static size_t assert_all_listed(const struct example *example, const double *x,
                                const struct arrays *a, size_t total) {
    static struct image images[EDGE * EDGE * EDGE];
    const size_t count = list_images(example, images);
    const bool half = example->pairs == PM_HALF_LIST;
    size_t expected = 0;
    for (int i = 0; i < N; i++) {
        for (int j = half ? i : 0; j < N; j++) {
            const double cutoff = cutoff_of(example, i, j);
            const bool excluded = is_excluded(example, i, j);
            int within = 0;
            for (size_t k = 0; k < count; k++) {
                const int *s = images[k].shift;
                const int sign = s[0] ? s[0] : s[1] ? s[1] : s[2];
                const double r2 = distance2(x, i, j, &images[k]);
                if (r2 > (cutoff + 1) * (cutoff + 1)) {
                    continue; /* most of them */
                }
                assert_true(fabs(sqrt(r2) - cutoff) > 1e-5); /* no rounding decides */
                if (r2 > cutoff * cutoff || excluded ||
                    (i == j && (sign == 0 || (half && sign < 0)))) {
                    continue;
                }
                within++;
                if (a->shifts) {
                    assert_int_equal(times_listed(a, total, i, j, s), 1);
                }
            }
            expected += (size_t)within;
            if (!a->shifts) {
                assert_int_equal(times_listed(a, total, i, j, NULL), within);
            }
        }
    }
    return expected;
}

static void assert_numbers(const struct example *example, const double *x, const struct arrays *a,
                           int i, size_t e) {
    double r[4];
    if (a->shifts || !example->cell) {
        static const int none[3] = { 0 };
        vector_to(example, x, i, a->neighbours[e], a->shifts ? a->shifts + 3 * e : none, r);
        for (size_t d = 0; d < 3 && a->vectors; d++) {
            assert_near(number_at(example, a->vectors, 3 * e + d), r[d], 1e-4);
        }
        if (a->distances) {
            assert_near(number_at(example, a->distances, e), r[3], 1e-4);
        }
    }
}

/* Nothing else is listed, and rows are what they should be. */
static void assert_list(const struct example *example, const double *x, const struct arrays *a,
                        size_t needed) {
    const size_t expected = assert_all_listed(example, x, a, needed);
    size_t total = 0;
    size_t longest = 0;
    for (int i = 0; i < N && !a->first; i++) {
        const size_t count = (size_t)a->count[i];
        const size_t from = a->row_begin ? (size_t)a->row_begin[i] : (size_t)i * a->room;
        assert_true(!a->row_begin || from + count == (size_t)a->row_begin[i + 1]);
        for (size_t e = from; e < from + count; e++) {
            assert_numbers(example, x, a, i, e);
        }
        for (size_t e = from + count; !a->row_begin && e < from + a->room; e++) {
            assert_int_equal(a->neighbours[e], -1);
        }
        total += count;
        longest = count > longest ? count : longest;
    }
    for (size_t e = 0; a->first && e < needed; e++) {
        assert_numbers(example, x, a, a->first[e], e);
        total++;
    }
    assert_int_equal(total, expected);
    assert_int_equal(needed, a->first || a->row_begin ? total : longest);
}

/* ---- the tests ---- */

/* First what is needed is asked for, then there is too little room, then enough, then plenty. */
static void list_and_compare(pm_kernel *kernel, const struct example *example, const double *x) {
    const pm_arrays arrays = PM_ARRAYS(.positions = x);
    pm_error error;
    size_t needed = 0;
    size_t again = 0;
    expect_refusal(pm_neighbours(kernel, &arrays, &(pm_list)PM_LIST(), &needed, &error), &error,
                   PM_NO_ROOM, "room for 0 entries; the list needs ");
    const size_t rooms[] = { needed / 2, needed - 1, needed, needed + 37 };
    for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++) {
        struct arrays a;
        allocate(example, rooms[r], &a);
        const pm_list list = list_of(&a);
        const enum pm_status status = pm_neighbours(kernel, &arrays, &list, &again, &error);
        assert_int_equal(again, needed);
        if (rooms[r] < needed) {
            expect_refusal(status, &error, PM_NO_ROOM, "the list needs ");
        } else {
            assert_ok(status, &error);
            narrow_list(&a, needed);
            assert_list(example, x, &a, needed);
        }
        release(example, &a);
    }
}

TEST(lists_are_complete) {
    pm_context *context = open_context();
    double x[3 * N];
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        pm_kernel *kernel = kernel_of(context, &examples[e]);
        place_particles(x, 1, 1);
        list_and_compare(kernel, &examples[e], x);
        place_particles(x, 2.5, 2); /* of an open box, beyond the bounds that it had */
        list_and_compare(kernel, &examples[e], x);
        pm_kernel_free(kernel);
    }
    pm_close(context);
}

/* Sub-groups are emulated in OpenCL C 2.0, which some PoCL of 6.0 lack. */
static bool can_be_compiled(pm_kernel *kernel) {
    pm_error e;
    if (pm_compile(kernel, &e) == PM_OK) {
        return true;
    }
    assert_says(e.message, "OpenCL C version");
    return false;
}

/* Kernels store vectors where they know that their own arrays allow it: those with sub-groups,
 * which PoCL emulates, of up to four doubles. */
TEST(arrays_may_lie_anywhere) {
    static const size_t offsets[] = { 4, 8, 16, 32, 64, 0 };
    static const struct example lines = { "neighbours_cells",
                                          PM_PRECISION_DOUBLE,
                                          PM_COO,
                                          PM_FULL_LIST,
                                          PM_SHIFTS | PM_VECTORS | PM_DISTANCES,
                                          straight,
                                          3.5,
                                          .tunables = "GROUP_SIZE=32" };
    double x[3 * N];
    place_particles(x, 1, 6);
    for (int emulated = 0; emulated < 2; emulated++) {
        assert_int_equal(
            emulated ? setenv("PAIRMARK_SUBGROUPS", "32", 1) : unsetenv("PAIRMARK_SUBGROUPS"), 0);
        pm_context *context = open_context();
        /* Emulated they compile for ten seconds each: where entries begin anywhere. */
        for (size_t form = emulated ? PM_COO : PM_MATRIX; form <= PM_COO; form++) {
            struct example example = lines;
            example.list = (enum pm_form)form;
            pm_kernel *kernel = kernel_of(context, &example);
            const size_t tried = can_be_compiled(kernel) ? sizeof offsets / sizeof offsets[0] : 0;
            assert_true(tried > 0 || emulated);
            for (size_t o = 0; o < tried; o++) {
                example.offset = offsets[o];
                list_and_compare(kernel, &example, x);
            }
            pm_kernel_free(kernel);
        }
        pm_close(context);
    }
    assert_int_equal(unsetenv("PAIRMARK_SUBGROUPS"), 0);
}

/* Images are those of the cell that there is. */
TEST(cells_may_change) {
    static const double wider[9] = { 8, 0, 0, 0, 6.5, 0, 0, 0, 7 };
    struct example example = examples[3];
    pm_context *context = open_context();
    pm_kernel *kernel = kernel_of(context, &example);
    pm_error error;
    double x[3 * N];
    place_particles(x, 2.5, 5);
    list_and_compare(kernel, &example, x);
    example.cell = wider;
    assert_ok(pm_set_cell(kernel, wider, &error), &error);
    list_and_compare(kernel, &example, x);
    example.cell = leaning;
    assert_ok(pm_set_cell(kernel, leaning, &error), &error);
    list_and_compare(kernel, &example, x);
    pm_kernel_free(kernel);
    pm_close(context);
}

/* Floats, quadruples. */
TEST(positions_have_other_shapes) {
    const struct example *example = &examples[3];
    pm_context *context = open_context();
    pm_kernel *kernel = kernel_of(context, example);
    double x[3 * N];
    float four[4 * N] = { 0 };
    struct arrays a;
    pm_error error;
    size_t needed = 0;
    place_particles(x, 2.5, 3);
    for (size_t i = 0; i < N; i++) {
        for (size_t d = 0; d < 3; d++) {
            four[4 * i + d] = (float)x[3 * i + d];
        }
    }
    allocate(example, 10 * N * N, &a);
    const pm_arrays arrays = PM_ARRAYS(.number = PM_FLOAT, .width = 4, .positions = four);
    const pm_list list = list_of(&a);
    assert_ok(pm_neighbours(kernel, &arrays, &list, &needed, &error), &error);
    assert_list(example, x, &a, needed);
    release(example, &a);
    pm_kernel_free(kernel);
    pm_close(context);
}

/* A list with so much room in the program's memory: written where that suffices, refused with what
 * is needed where not. */
static void list_into_memory(struct program_of_opencl *program, pm_kernel *kernel,
                             const struct example *example, const pm_arrays *arrays,
                             const double *x, size_t room, size_t needed) {
    const struct opencl_api *api = &program->api;
    size_t again = 0;
    pm_error error;
    struct arrays a;
    allocate(example, room, &a);
    const size_t real = real_of(example);
    const size_t bytes[7] = { N * sizeof(int),     (N + 1) * sizeof(int),   a.entries * a.whole,
                              a.entries * a.whole, 3 * a.entries * a.whole, 3 * a.entries * real,
                              a.entries * real };
    void *const host[7] = { a.count,  a.row_begin, a.first,    a.neighbours,
                            a.shifts, a.vectors,   a.distances };
    cl_mem memory[7] = { NULL };
    for (int p = 0; p < 7; p++) {
        if (host[p]) {
            memory[p] = make_memory(program, bytes[p] + 64);
            assert_int_equal(api->clEnqueueWriteBuffer(program->queue, memory[p], CL_TRUE, 0,
                                                       bytes[p] + 64, host[p], 0, NULL, NULL),
                             CL_SUCCESS);
        }
    }
    const pm_list list =
        PM_LIST(.room = room, .count = (int *)memory[0], .row_begin = (int *)memory[1],
                .first = (int *)memory[2], .neighbours = (int *)memory[3],
                .shifts = (int *)memory[4], .vectors = memory[5], .distances = memory[6],
                .by_first = example->by_first);
    const bool asks = room != needed || a.first;
    const enum pm_status status =
        pm_neighbours(kernel, arrays, &list, asks ? &again : NULL, &error);
    assert_int_equal(status, room < needed ? PM_NO_ROOM : PM_OK);
    assert_true(!asks || again == needed);
    for (int p = 0; p < 7; p++) {
        if (memory[p]) {
            assert_int_equal(api->clEnqueueReadBuffer(program->queue, memory[p], CL_TRUE, 0,
                                                      bytes[p] + 64, host[p], 0, NULL, NULL),
                             CL_SUCCESS);
            (void)api->clReleaseMemObject(memory[p]);
        }
    }
    if (room >= needed) {
        narrow_list(&a, needed);
        assert_list(example, x, &a, needed);
    }
    release(example, &a);
}

/* A place that is none, where nobody waits: numbers of entries are -1. */
static void spoil(const struct program_of_opencl *program, pm_kernel *kernel,
                  const struct example *example, const pm_arrays *arrays) {
    const struct opencl_api *api = &program->api;
    const double none = NAN;
    double kept = 0;
    int counts[N];
    pm_error error;
    if (example->list == PM_COO) {
        return; /* waits for what is needed */
    }
    cl_mem count = make_memory(program, sizeof counts);
    cl_mem positions = (cl_mem)arrays->positions;
    (void)api->clEnqueueReadBuffer(program->queue, positions, CL_TRUE, 0, sizeof kept, &kept, 0,
                                   NULL, NULL);
    (void)api->clEnqueueWriteBuffer(program->queue, positions, CL_TRUE, 0, sizeof none, &none, 0,
                                    NULL, NULL);
    const enum pm_status status =
        pm_neighbours(kernel, arrays, &(pm_list)PM_LIST(.count = (int *)count), NULL, &error);
    (void)api->clEnqueueReadBuffer(program->queue, count, CL_TRUE, 0, sizeof counts, counts, 0,
                                   NULL, NULL);
    (void)api->clEnqueueWriteBuffer(program->queue, positions, CL_TRUE, 0, sizeof kept, &kept, 0,
                                    NULL, NULL);
    if (example->cell && !example->along) {
        assert_ok(status, &error);
        for (int i = 0; i < N; i++) {
            assert_int_equal(counts[i], -1);
        }
    } else { /* there the call waits anyway */
        assert_true(status == PM_OK || status == PM_BAD_INPUT);
        assert_true(status == PM_BAD_INPUT || counts[0] == -1);
    }
    (void)api->clReleaseMemObject(count);
}

/* A list is of the cell that the program has, or there is none. */
static void compare_cells(const struct program_of_opencl *program, pm_kernel *kernel,
                          const struct example *example, const pm_arrays *arrays) {
    const double *own = example->cell ? example->cell : leaning;
    const size_t bytes = 9 * sizeof *own;
    cl_mem there = make_memory(program, bytes);
    const pm_list list =
        PM_LIST(.cell = arrays->place == PM_HOST ? (const void *)own : (const void *)there);
    pm_error error;
    size_t needed = 0;
    (void)program->api.clEnqueueWriteBuffer(program->queue, there, CL_TRUE, 0, bytes, own, 0, NULL,
                                            NULL);
    expect_refusal(pm_neighbours(kernel, arrays, &list, &needed, &error), &error,
                   example->cell ? PM_NO_ROOM : PM_BAD_INPUT,
                   example->cell ? "needs" : "cell: the system was made without one");
    for (size_t k = 0; k < 9; k++) {
        double other[9];
        memcpy(other, own, bytes);
        other[k] = k == 4 ? NAN : other[k] + 1e-9;
        (void)program->api.clEnqueueWriteBuffer(program->queue, there, CL_TRUE, 0, bytes, other, 0,
                                                NULL, NULL);
        const pm_list changed =
            PM_LIST(.cell = arrays->place == PM_HOST ? (const void *)other : (const void *)there);
        expect_refusal(pm_neighbours(kernel, arrays, &changed, &needed, &error), &error,
                       PM_BAD_INPUT, "cell: ");
    }
    (void)program->api.clReleaseMemObject(there);
}

/* Kernels write to the program's own memory, and to no more of it than is said. */
TEST(memory_may_be_the_devices) {
    struct program_of_opencl program = { 0 };
    pm_context *context = NULL;
    pm_error error;
    double x[3 * N];
    if (!start_opencl(&program, 0)) {
        skip_because("no OpenCL device");
    }
    const struct opencl_api *api = &program.api;
    assert_ok(pm_open_opencl(program.context, program.id, &context, &error), &error);
    place_particles(x, 2.5, 4);
    cl_mem from = make_memory(&program, sizeof x);
    assert_int_equal(
        api->clEnqueueWriteBuffer(program.queue, from, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        const struct example *example = &examples[e];
        const pm_arrays arrays =
            PM_ARRAYS(.place = PM_DEVICE, .positions = from, .queue = program.queue);
        pm_kernel *kernel = kernel_of(context, example);
        size_t needed = 0;
        expect_refusal(pm_neighbours(kernel, &arrays, &(pm_list)PM_LIST(), &needed, &error), &error,
                       PM_NO_ROOM, "needs");
        for (size_t room = needed - 1; room < needed + 2; room++) {
            list_into_memory(&program, kernel, example, &arrays, x, room, needed);
        }
        spoil(&program, kernel, example, &arrays);
        compare_cells(&program, kernel, example, &arrays);
        compare_cells(&program, kernel, example, &(pm_arrays)PM_ARRAYS(.positions = x));
        pm_kernel_free(kernel);
    }
    (void)api->clReleaseMemObject(from);
    pm_close(context);
    (void)api->clReleaseCommandQueue(program.queue);
    (void)api->clReleaseContext(program.context);
}

/* Places that are none, from the first call on; the list after them is right. */
TEST(positions_that_are_none_are_found) {
    static const double places[] = { NAN, INFINITY, -INFINITY, 1e300 };
    pm_context *context = open_context();
    double x[3 * N];
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        pm_kernel *kernel = kernel_of(context, &examples[e]);
        const pm_arrays arrays = PM_ARRAYS(.positions = x);
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            const size_t particle = 3 + 7 * p;
            pm_error error;
            size_t needed = 0;
            char words[32];
            (void)snprintf(words, sizeof words, "particle %zu:", particle);
            place_particles(x, 1, 1);
            x[3 * particle + p % 3] = places[p];
            expect_refusal(pm_neighbours(kernel, &arrays, &(pm_list)PM_LIST(), &needed, &error),
                           &error, PM_BAD_INPUT, words);
        }
        place_particles(x, 1, 1);
        list_and_compare(kernel, &examples[e], x);
        pm_kernel_free(kernel);
    }
    pm_close(context);
}

/* There is nothing to list, or the images of one particle. */
TEST(few_have_lists) {
    static const double cell[9] = { 2, 0, 0, 0, 3, 0, 0, 0, 4 };
    static const enum pm_form forms[] = { PM_MATRIX, PM_CSR, PM_COO };
    pm_context *context = open_context();
    for (size_t k = 0; k < 12; k++) {
        const size_t n = k / 3 % 2;
        const pm_choice choice =
            PM_CHOICE(.variant = "neighbours", .list = forms[k % 3], .list_entries = PM_SHIFTS);
        const double x[3] = { 1, 2, 3 };
        const pm_arrays arrays = PM_ARRAYS(.positions = n ? x : NULL);
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        pm_error error;
        int begin[2] = { -7, -7 };
        int first[2] = { 0 };
        int entries[2] = { 0 };
        int shifts[6] = { 0 };
        size_t needed = 99;
        const pm_list list =
            PM_LIST(.room = 2, .row_begin = k % 3 == 1 ? begin : NULL,
                    .first = k % 3 == 2 ? first : NULL, .neighbours = entries, .shifts = shifts);
        assert_ok(pm_system_create(n, k < 6 ? cell : NULL, &system, &error), &error);
        assert_ok(pm_system_potential(system, NULL, NULL, 2.5, &error), &error);
        assert_ok(pm_kernel_create(context, system, &choice, &kernel, &error), &error);
        assert_ok(pm_neighbours(kernel, &arrays, &list, &needed, &error), &error);
        assert_int_equal(needed, n && k < 6 ? 2 : 0); /* its image on either side along a */
        assert_true(k % 3 != 1 || (begin[0] == 0 && (n == 0 || begin[1] == (int)needed)));
        assert_true(needed == 0 || (entries[1] == 0 && shifts[0] + shifts[3] == 0));
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
    pm_close(context);
}

TEST(calls_are_checked) {
    pm_context *context = open_context();
    pm_kernel *csr = kernel_of(context, &examples[1]);
    pm_kernel *coo = kernel_of(context, &examples[6]);
    double x[3 * N];
    int ints[2 * N];
    int shifts[3 * N];
    double reals[3];
    size_t needed = 0;
    pm_error e;
    place_particles(x, 1, 1);
    pm_arrays arrays = PM_ARRAYS(.positions = x);
    assert_int_equal(pm_neighbours(NULL, &arrays, &(pm_list)PM_LIST(), NULL, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_neighbours(csr, NULL, &(pm_list)PM_LIST(), NULL, NULL), PM_BAD_INPUT);
    assert_int_equal(pm_neighbours(csr, &arrays, NULL, NULL, NULL), PM_BAD_INPUT);
    expect_refusal(pm_neighbours(coo, &arrays, &(pm_list)PM_LIST(), NULL, &e), &e, PM_BAD_INPUT,
                   "needed: a null");
    expect_refusal(pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(.by_first = 1), NULL, &e), &e,
                   PM_BAD_INPUT, "by_first 1; expected 0, or 1 of coo");
    expect_refusal(pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(.vectors = reals), NULL, &e), &e,
                   PM_BAD_INPUT, "vectors: lists of this kernel have none");
    expect_refusal(
        pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(.room = 1, .neighbours = ints), NULL, &e), &e,
        PM_BAD_INPUT, "row_begin: a null");
    expect_refusal(pm_neighbours(csr, &arrays,
                                 &(pm_list)PM_LIST(.room = (size_t)1 << 31, .row_begin = ints,
                                                   .neighbours = ints, .shifts = ints),
                                 NULL, &e),
                   &e, PM_BAD_INPUT, "room 2147483648");
    /* Arrays that overlap. */
    expect_refusal(pm_neighbours(csr, &arrays,
                                 &(pm_list)PM_LIST(.room = N, .row_begin = ints + 1,
                                                   .neighbours = ints, .shifts = shifts),
                                 NULL, &e),
                   &e, PM_BAD_INPUT, "neighbours and row_begin: the same memory");
    expect_refusal(pm_neighbours(csr, &arrays,
                                 &(pm_list)PM_LIST(.row_begin = ints, .count = ints + N), NULL, &e),
                   &e, PM_BAD_INPUT, "row_begin and count: the same memory");
    expect_refusal(pm_evaluate(csr, &arrays, &e), &e, PM_BAD_INPUT, "is of workload neighbours");
    arrays.forces = x;
    expect_refusal(pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(), NULL, &e), &e, PM_BAD_INPUT,
                   "forces: ");
    arrays.forces = NULL;
    arrays.virial = x;
    expect_refusal(pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(), NULL, &e), &e, PM_BAD_INPUT,
                   "virial: ");
    arrays.virial = NULL;
    /* Counts alone. */
    expect_refusal(pm_neighbours(csr, &arrays, &(pm_list)PM_LIST(.row_begin = ints), &needed, &e),
                   &e, PM_NO_ROOM, "needs");
    assert_int_equal(ints[N], needed);
    pm_kernel_free(csr);
    pm_kernel_free(coo);
    pm_close(context);
}

static const struct {
    pm_choice choice;
    double cutoff;
    enum pm_status status;
    const char *words;
} refused[] = {
    { PM_CHOICE(.variant = "neighbours_tile", .list = (enum pm_form)3), 3, PM_BAD_INPUT, "list 3" },
    { PM_CHOICE(.variant = "neighbours_tile", .list_pairs = (enum pm_pairs)2), 3, PM_BAD_INPUT,
      "list_pairs 2" },
    { PM_CHOICE(.variant = "neighbours", .list_entries = 8), 3, PM_BAD_INPUT, "list_entries 8" },
    { PM_CHOICE(.variant = "neighbours", .list_entries = -1), 3, PM_BAD_INPUT, "list_entries -1" },
    { PM_CHOICE(.variant = "neighbours", .outputs = PM_OUTPUTS_ENERGY), 3, PM_BAD_INPUT,
      "outputs: neighbours" },
    { PM_CHOICE(.variant = "neighbours", .distribution = PM_WORDS), 3, PM_BAD_INPUT,
      "distribution: neighbours" },
    { PM_CHOICE(.variant = "neighbours_tile", .precision = PM_PRECISION_MIXED), 3, PM_UNSUPPORTED,
      "sums nothing" },
    { PM_CHOICE(.variant = "neighbours_tile", .precision = PM_PRECISION_FIXED), 3, PM_UNSUPPORTED,
      "" },
    { PM_CHOICE(.variant = "neighbours_tile"), INFINITY, PM_BAD_INPUT, "cutoff inf" },
    { PM_CHOICE(.variant = "sorted_cells"), 2.5, PM_BAD_INPUT, "potential: the system has none" },
    { { .variant = "neighbours_tile" }, 3, PM_BAD_INPUT, "size 0 of pm_choice" },
    { { .size = SIZE_MAX, .variant = "neighbours_tile" }, 3, PM_BAD_INPUT, "of pm_choice" },
};

TEST(choices_are_checked) {
    pm_context *context = open_context();
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        pm_error e = { 0 };
        pm_system *system = NULL;
        pm_kernel *kernel = NULL;
        assert_ok(pm_system_create(N, straight, &system, &e), &e);
        assert_ok(pm_system_potential(system, NULL, NULL, refused[r].cutoff, &e), &e);
        expect_refusal(pm_kernel_create(context, system, &refused[r].choice, &kernel, &e), &e,
                       refused[r].status, refused[r].words);
        pm_system_free(system);
    }
    /* What only the first call can see. */
    struct example far = examples[3];
    far.cutoff = 20;
    pm_kernel *kernel = kernel_of(context, &far);
    double x[3 * N];
    pm_error e;
    place_particles(x, 1, 1);
    const pm_arrays arrays = PM_ARRAYS(.positions = x);
    expect_refusal(pm_neighbours(kernel, &arrays, &(pm_list)PM_LIST(), NULL, &e), &e,
                   PM_UNSUPPORTED, "one image");
    pm_kernel_free(kernel);
    pm_close(context);
}

TEST_GROUP(open_test_cache, close_test_cache)
