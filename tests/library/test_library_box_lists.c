/* libpairmark: lists of neighbours of many boxes, which no variant makes and no gate judges: drawn
 * boxes beside brute force, and texts of box_lists.cl that are wrong on purpose, each of which
 * these draws find. PAIRMARK_SEED repeats a run. */

#include "core/embedded.h"
#include "library_calls.h"

#include "support.h"

enum { MOST_BOXES = 300, MOST = 700, MOST_ENTRIES = 100000, DRAWS = 12, FAR = 8 };

/* ---- texts ---- */

/* In place of what pm_open() and later calls find (the linker's --wrap). */
const char *__wrap_embedded_text(const char *path);
const char *__real_embedded_text(const char *path);
static const char *changed; /* NULL: the text as it is */

const char *__wrap_embedded_text(const char *path) {
    const bool meant = changed && strcmp(path, "harness/library/box_lists.cl") == 0;
    return meant ? changed : __real_embedded_text(path);
}

/* The text with other words in the place of some, wherever they stand. */
static char *change_text(const char *words, const char *others) {
    struct strbuf text = { 0 };
    const char *next = embedded_original("harness/library/box_lists.cl");
    const char *found = strstr(next, words);
    if (!found) {
        fail_msg("box_lists.cl has no \"%s\"", words);
    }
    for (; found; found = strstr(next, words)) {
        strbuf_append(&text, "%.*s%s", (int)(found - next), next, others);
        next = found + strlen(words);
    }
    strbuf_append(&text, "%s", next);
    assert_false(text.failed);
    return text.data;
}

/* ---- draws ---- */

static uint64_t state_of_draws;

static double draw(double low, double high) {
    state_of_draws = state_of_draws * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state_of_draws >> 11) * 0x1p-53;
}

static size_t draw_below(size_t below) {
    return (size_t)draw(0, (double)below);
}

struct entry {
    int first, second, shift[3];
    double vector[3];
};

struct drawn {
    size_t boxes, n, begin[MOST_BOXES + 1];
    double cells[9 * MOST_BOXES], x[3 * MOST], cutoff;
    bool half;
    size_t count; /* of entries, in ascending order of first, second and shifts */
    struct entry entries[MOST_ENTRIES];
};

/* Vectors of any hand and direction; zeros along which there are no images. */
static void draw_cell(double v[9]) {
    const size_t turn = draw_below(3);
    const double hand = draw_below(2) ? 1 : -1;
    for (size_t k = 0; k < 3; k++) {
        const size_t axis = (k + turn) % 3;
        const bool has = draw_below(4) > 0;
        const double edge = has ? draw(1.1, 6) : 0;
        for (size_t d = 0; d < 3; d++) {
            v[3 * k + d] = d == axis ? hand * edge : edge * draw(-0.2, 0.2);
        }
    }
}

static void draw_places(struct drawn *drawn, size_t box, bool periodic) {
    const double *v = drawn->cells + 9 * box;
    for (size_t i = drawn->begin[box]; i < drawn->begin[box + 1]; i++) {
        const double along[3] = { draw(-1, 2), draw(-1, 2), draw(-1, 2) };
        for (size_t d = 0; d < 3; d++) {
            const double edge = v[d] != 0 || v[3 + d] != 0 || v[6 + d] != 0 ? 0 : 5;
            double place = draw(-0.5, 0.5) + edge * draw(0, 1);
            for (size_t k = 0; k < 3 && periodic; k++) {
                place += along[k] * v[3 * k + d];
            }
            drawn->x[3 * i + d] = (float)place;
        }
    }
}

/* Of one kind after the other: boxes of some particles; many small ones; two, one of them long. */
static void draw_boxes(struct drawn *drawn, size_t kind) {
    const size_t boxes[] = { 2 + draw_below(7), 260 + draw_below(40), 2 };
    drawn->boxes = boxes[kind];
    drawn->cutoff = kind == 2 ? 40 : draw(1.2, 2.4);
    drawn->begin[0] = 0;
    for (size_t b = 0; b < drawn->boxes; b++) {
        const size_t sizes[] = { draw_below(4) ? draw_below(45) : draw_below(3), draw_below(4),
                                 b ? 17 : 270 };
        drawn->begin[b + 1] = drawn->begin[b] + sizes[kind];
        if (kind < 2) {
            draw_cell(drawn->cells + 9 * b);
        } else {
            memset(drawn->cells + 9 * b, 0, 9 * sizeof *drawn->cells);
        }
        draw_places(drawn, b, kind < 2);
    }
    drawn->n = drawn->begin[drawn->boxes];
}

/* ---- brute force ---- */

static int compare(const void *one, const void *other) {
    const int *a = one;
    const int *b = other;
    for (size_t k = 0; k < 5; k++) { /* first, second and shifts lie one after the other */
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

static void list_image(struct drawn *drawn, const double *v, struct entry e, double *nearest) {
    double square = 0;
    for (size_t d = 0; d < 3; d++) {
        e.vector[d] = drawn->x[3 * e.second + (int)d] - drawn->x[3 * e.first + (int)d] +
                      e.shift[0] * v[d] + e.shift[1] * v[3 + d] + e.shift[2] * v[6 + d];
        square += e.vector[d] * e.vector[d];
    }
    const int sign = e.shift[0] ? e.shift[0] : e.shift[1] ? e.shift[1] : e.shift[2];
    const bool listed = drawn->half ? e.second > e.first || (e.second == e.first && sign > 0)
                                    : e.second != e.first || sign != 0;
    *nearest = listed ? fmin(*nearest, fabs(sqrt(square) - drawn->cutoff)) : *nearest;
    if (listed && square <= drawn->cutoff * drawn->cutoff) {
        for (size_t k = 0; k < 3; k++) {
            assert_true(abs(e.shift[k]) < FAR); /* beyond there are none */
        }
        assert_true(drawn->count < MOST_ENTRIES);
        drawn->entries[drawn->count++] = e;
    }
}

static void list_pair(struct drawn *drawn, const double *v, struct entry e, double *nearest) {
    int reach[3];
    for (size_t k = 0; k < 3; k++) {
        const bool has = v[3 * k] != 0 || v[3 * k + 1] != 0 || v[3 * k + 2] != 0;
        reach[k] = has ? FAR : 0;
    }
    for (e.shift[0] = -reach[0]; e.shift[0] <= reach[0]; e.shift[0]++) {
        for (e.shift[1] = -reach[1]; e.shift[1] <= reach[1]; e.shift[1]++) {
            for (e.shift[2] = -reach[2]; e.shift[2] <= reach[2]; e.shift[2]++) {
                list_image(drawn, v, e, nearest);
            }
        }
    }
}

/* Returns how near to the cutoff a distance comes. */
static double list_by_force(struct drawn *drawn) {
    double nearest = INFINITY;
    drawn->count = 0;
    for (size_t b = 0; b < drawn->boxes; b++) {
        for (size_t k = drawn->begin[b]; k < drawn->begin[b + 1]; k++) {
            for (size_t l = drawn->begin[b]; l < drawn->begin[b + 1]; l++) {
                const struct entry pair = { .first = (int)k, .second = (int)l };
                list_pair(drawn, drawn->cells + 9 * b, pair, &nearest);
            }
        }
    }
    qsort(drawn->entries, drawn->count, sizeof *drawn->entries, compare);
    return nearest;
}

/* So that no distance is so near to the cutoff that rounding, also that of floats, decides. */
static void draw_all(struct drawn *draws) {
    const char *given = getenv("PAIRMARK_SEED");
    state_of_draws = given ? strtoull(given, NULL, 10) : 1;
    for (size_t k = 0; k < DRAWS; k++) {
        struct drawn *drawn = &draws[k];
        drawn->half = k / 3 % 2 == 1;
        do {
            draw_boxes(drawn, k % 3);
        } while (list_by_force(drawn) < 2e-5);
    }
}

/* ---- the library ---- */

/* What a call writes: arrays with a number behind the room, which PoCL writes in place. */
enum { PLACE = 128 };
struct written {
    _Alignas(PLACE) int count[MOST];
    _Alignas(PLACE) int row_begin[MOST + 1];
    _Alignas(PLACE) int first[MOST_ENTRIES + 1];
    _Alignas(PLACE) int second[MOST_ENTRIES + 1];
    _Alignas(PLACE) int shifts[3 * MOST_ENTRIES + 1];
    _Alignas(PLACE) double vectors[3 * MOST_ENTRIES + 1];
    _Alignas(PLACE) double distances[MOST_ENTRIES + 1];
};

static pm_kernel *make_kernel(pm_context *context, const struct drawn *drawn, bool csr,
                              enum pm_precision precision) {
    const pm_choice choice =
        PM_CHOICE(.variant = "neighbours", .precision = precision, .list = csr ? PM_CSR : PM_COO,
                  .list_pairs = drawn->half ? PM_HALF_LIST : PM_FULL_LIST,
                  .list_entries = PM_SHIFTS + PM_VECTORS + PM_DISTANCES);
    pm_error e;
    pm_system *system = NULL;
    pm_kernel *kernel = NULL;
    assert_ok(pm_system_create(drawn->n, NULL, &system, &e), &e);
    assert_ok(pm_system_boxes(system, drawn->begin, drawn->boxes, drawn->cells, &e), &e);
    assert_ok(pm_system_potential(system, NULL, NULL, drawn->cutoff, &e), &e);
    assert_ok(pm_kernel_create(context, system, &choice, &kernel, &e), &e);
    assert_string_equal(pm_kernel_words(kernel), "box_lists");
    pm_system_free(system);
    return kernel;
}

static enum pm_status ask(pm_kernel *kernel, const struct drawn *drawn, bool csr, size_t room,
                          struct written *to, size_t *needed) {
    pm_list list = PM_LIST(.room = room, .neighbours = to->second, .shifts = to->shifts,
                           .vectors = to->vectors, .distances = to->distances);
    const pm_arrays arrays = PM_ARRAYS(.positions = drawn->x);
    pm_error e;
    memset(to, 0x55, sizeof *to);
    list.first = csr ? NULL : to->first;
    list.row_begin = csr ? to->row_begin : NULL;
    list.count = csr ? to->count : NULL;
    return pm_neighbours(kernel, &arrays, &list, needed, &e);
}

static double number_at(const void *array, size_t k, bool is_double) {
    return is_double ? ((const double *)array)[k] : (double)((const float *)array)[k];
}

/* Whether entry k is the expected one; of csr its row is known by row_begin. */
static bool is_entry(const struct written *got, size_t k, int first, const struct entry *expected,
                     bool is_double) {
    const double most = is_double ? 1e-9 : 3e-5;
    const int *shift = got->shifts + 3 * k;
    double square = 0;
    bool good = first == expected->first && got->second[k] == expected->second;
    for (size_t d = 0; d < 3; d++) {
        good = good && shift[d] == expected->shift[d] &&
               fabs(number_at(got->vectors, 3 * k + d, is_double) - expected->vector[d]) <= most;
        square += expected->vector[d] * expected->vector[d];
    }
    return good && fabs(number_at(got->distances, k, is_double) - sqrt(square)) <= most;
}

static bool are_rows(const struct written *got, const struct drawn *drawn) {
    bool good = got->row_begin[0] == 0 && got->row_begin[drawn->n] == (int)drawn->count;
    for (size_t i = 0; i < drawn->n && good; i++) {
        good = got->count[i] == got->row_begin[i + 1] - got->row_begin[i] && got->count[i] >= 0;
    }
    return good;
}

/* Entries are in the order of first particles and of second ones; of images of one pair in any. */
static bool are_entries(const struct written *got, const struct drawn *drawn, bool csr,
                        bool is_double) {
    bool *seen = test_calloc(drawn->count + 1, sizeof *seen);
    bool good = true;
    size_t pair = 0; /* where the expected entries of a pair begin */
    int row = 0;
    for (size_t k = 0; k < drawn->count && good; k++) {
        while (csr && got->row_begin[row + 1] <= (int)k) {
            row++;
        }
        const struct entry *all = drawn->entries;
        pair = all[k].first == all[pair].first && all[k].second == all[pair].second ? pair : k;
        size_t at = pair;
        while (at < drawn->count && all[at].first == all[k].first &&
               all[at].second == all[k].second &&
               (seen[at] || !is_entry(got, k, csr ? row : got->first[k], &all[at], is_double))) {
            at++;
        }
        good =
            at < drawn->count && all[at].first == all[k].first && all[at].second == all[k].second;
        seen[at] = true;
    }
    test_free(seen);
    return good;
}

static bool is_untouched(const struct written *got, size_t room, bool is_double) {
    const size_t each = is_double ? sizeof(double) : sizeof(float);
    const char *vectors = (const char *)got->vectors + 3 * room * each;
    const char *distances = (const char *)got->distances + room * each;
    return got->second[room] == 0x55555555 && got->shifts[3 * room] == 0x55555555 &&
           *vectors == 0x55 && *distances == 0x55;
}

/* Also with too little room. */
static bool is_right(pm_context *context, const struct drawn *drawn, bool csr,
                     enum pm_precision precision, struct written *to) {
    const bool is_double = precision == PM_PRECISION_DOUBLE;
    const size_t less = drawn->count - drawn->count / 3;
    size_t needed = 0;
    pm_kernel *kernel = make_kernel(context, drawn, csr, precision);
    const enum pm_status short_of = ask(kernel, drawn, csr, less, to, &needed);
    bool good = short_of == (less < drawn->count ? PM_NO_ROOM : PM_OK) && needed == drawn->count &&
                is_untouched(to, less, is_double);
    good = good && ask(kernel, drawn, csr, drawn->count, to, &needed) == PM_OK &&
           needed == drawn->count && (!csr || are_rows(to, drawn)) &&
           are_entries(to, drawn, csr, is_double) && is_untouched(to, drawn->count, is_double);
    pm_kernel_free(kernel);
    return good;
}

/* ---- tests ---- */

static struct drawn *draws;
static struct written written;

static int begin(void **state) {
    (void)state;
    draws = test_malloc(DRAWS * sizeof *draws);
    draw_all(draws);
    return 0;
}

static int end(void **state) {
    (void)state;
    test_free(draws);
    return 0;
}

TEST(drawn_boxes_are_listed) {
    pm_context *context = open_context();
    for (size_t k = 0; k < 4 * DRAWS; k++) {
        const bool csr = k % 2 == 1;
        const struct drawn *drawn = &draws[k / 4];
        if (!is_right(context, drawn, csr, k / 2 % 2 ? PM_PRECISION_DOUBLE : PM_PRECISION_FLOAT,
                      &written)) {
            fail_msg("draw %zu (%zu boxes, %zu particles, cutoff %g) is not listed rightly", k / 4,
                     drawn->boxes, drawn->n, drawn->cutoff);
        }
    }
    pm_close(context);
}

/* Words of box_lists.cl, and what stands in their place. */
static const char *const mutants[][2] = {
    { "const int box = box_of[i];", "const int box = box_of[i] & 15;" },
    { "const int box = box_of[i];", "const int box = box_of[i] & 255;" },
    { "begin[box + 1];", "begin[box + 1] - (box == 1);" },
    { "j < stop;", "j <= stop && j < list.n;" },
    { "list.once ? i : begin[box];", "list.once ? i + 1 : begin[box];" },
    { "list.once ? i : begin[box];", "list.once ? i : begin[box] + (box == 1);" },
    { "BOX_NUMBERS * box;", "BOX_NUMBERS * 0;" },
    { "BOX_NUMBERS * box_of[i];", "BOX_NUMBERS * 0;" },
    { "FRAME_REAL(19)", "FRAME_REAL(18)" },
    { "a <= most_a", "a < most_a" },
    { "int b = LEAST_IMAGE(along_b, reach_b)", "int b = max(LEAST_IMAGE(along_b, reach_b), -1)" },
    { "FMA(dy, vy, dz * vz)", "dy * vy" },
    { " - c * frame[6]);", ");" },
    { " - crossing[3 * (long64)j + 2];", ";" },
    { "b + crossing[", "crossing[" },
    { "a + crossing[3 * (long64)i] - crossing[3 * (long64)j];",
      "((a + crossing[3 * (long64)i] - crossing[3 * (long64)j] + 2) & 3) - 2;" },
    { "once ? sign > 0", "once ? sign >= 0" },
    { "once ? sign > 0", "once ? sign != 0" },
    { ": sign != 0);", ": sign > 0);" },
    { "r.w <= cutoff2", "r.w <= REAL(0.98) * cutoff2" },
    { "= r.y;", "= -r.y;" },
    { "= SQRT(r.w);", "= r.w;" },
    { "neighbours[e] = j;", "neighbours[e] = j & 255;" },
    { "first[e] = i;", "first[e] = i & 255;" },
    { "    neighbours[e] = j;", "    e = e & 65535;\n    neighbours[e] = j;" },
    { "is_none ? -1 : sums[i];", "is_none ? -1 : sums[i] & 65535;" },
    { "is_none ? -1 : sums[i + 1] - sums[i];", "is_none ? -1 : (sums[i + 1] - sums[i]) & 255;" },
    { "&& sums[i] < list.room)", "&& sums[i + 1] < list.room)" },
    /* What is behind the room is seen where the kernel writes to the caller's memory. */
    { "at + count < list.room", "at + count <= list.room" },
};

TEST(wrong_texts_are_found) {
    const bool in_place = strncmp(device_name(), "opencl", 6) == 0;
    const size_t count = sizeof mutants / sizeof mutants[0] - !in_place;
    pm_context *context = open_context();
    for (size_t m = 0; m < count; m++) {
        char *text = change_text(mutants[m][0], mutants[m][1]);
        size_t k = 0;
        changed = text;
        while (k < 2 * DRAWS &&
               is_right(context, &draws[k / 2], k % 2 == 1, PM_PRECISION_DOUBLE, &written)) {
            k++;
        }
        changed = NULL;
        free(text);
        if (k == 2 * DRAWS) {
            fail_msg("no draw finds \"%s\" in the place of \"%s\"", mutants[m][1], mutants[m][0]);
        }
    }
    pm_close(context);
}

TEST_GROUP(begin, end)
