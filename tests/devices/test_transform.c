/* The device's transform: against the reference's of the same numbers, for sizes of every kind;
 * there and back; the same bits each time; sizes that it refuses. Opens a device: device_open. */
#include "devices/device.h"
#include "reference/pme/transform.h"

#include "device_fixture.h"

static void require(bool done, const struct error *error) {
    if (!done) {
        fail_msg("%s", error->message);
    }
}

/* What one case works on. */
struct trial {
    size_t size[3], points, kept;
    size_t planes;        /* that are transformed one by one, in place; 0: the grid is */
    size_t row;           /* numbers of the grid from a row to the next */
    size_t points_of_row; /* of the spectrum likewise */
    bool is_double;
    double *numbers;
    struct point *expected;
    struct transform *transform;
    struct buffer *grid, *spectrum;
};

static void trial_expect(const struct trial *trial) {
    struct error error;
    const size_t planes = trial->planes > 0 ? trial->planes : 1;
    const size_t own[3] = { trial->size[0] / planes, trial->size[1], trial->size[2] };
    for (size_t p = 0; p < planes; p++) {
        require(transform_grid(trial->expected + p * own[0] * own[1] * own[2], own, -1, &error),
                &error);
    }
}

/* Where rows have room for more, that holds anything. */
static void write_grid(const struct trial *trial) {
    struct error error;
    const size_t count = trial->size[0] * trial->size[1] * trial->row;
    double *padded = malloc(count * sizeof *padded);
    assert_non_null(padded);
    for (size_t p = 0; p < count; p++) {
        const size_t z = p % trial->row;
        padded[p] = z < trial->size[2] ? trial->numbers[p / trial->row * trial->size[2] + z] : 1e30;
    }
    require(buffer_write_reals(trial->grid, padded, count, trial->is_double, &error), &error);
    free(padded);
}

static void trial_make(struct device *device, const size_t size[3], enum transform_extent extent,
                       bool is_double, struct trial *trial) {
    struct error error;
    *trial = (struct trial){ .size = { size[0], size[1], size[2] }, .is_double = is_double };
    trial->points = size[0] * size[1] * size[2];
    trial->kept = size[0] * size[1] * (size[2] / 2 + 1);
    trial->planes = extent == TRANSFORM_PLANES ? size[0] : 0;
    trial->row = trial->planes > 0 ? transform_row(size[2]) : size[2];
    trial->points_of_row = trial->planes > 0 ? trial->row / 2 : size[2] / 2 + 1;
    trial->numbers = malloc(trial->points * sizeof *trial->numbers);
    trial->expected = malloc(trial->points * sizeof *trial->expected);
    assert_non_null(trial->numbers);
    assert_non_null(trial->expected);
    for (size_t p = 0; p < trial->points; p++) {
        trial->numbers[p] = sin(1.0 + 37.0 * (double)p + 0.01 * (double)(p % 97 * p % 89));
        trial->expected[p] = (struct point){ trial->numbers[p], 0 };
    }
    trial_expect(trial);
    require(transform_create(device, size, extent, is_double, &trial->transform, &error), &error);
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    require(buffer_allocate(device, size[0] * size[1] * trial->row * real, &trial->grid, &error),
            &error);
    trial->spectrum = trial->grid;
    if (trial->planes == 0) {
        require(buffer_allocate(device, 2 * trial->kept * real, &trial->spectrum, &error), &error);
        require(buffer_fill(trial->spectrum, 0xFF, 2 * trial->kept * real, &error), &error);
    }
    write_grid(trial);
}

static void trial_free(struct trial *trial) {
    transform_free(trial->transform);
    if (trial->spectrum != trial->grid) {
        buffer_free(trial->spectrum);
    }
    buffer_free(trial->grid);
    free(trial->numbers);
    free(trial->expected);
}

static void *read_all(const struct buffer *buffer) {
    struct error error;
    void *bytes = malloc(buffer_bytes(buffer));
    assert_non_null(bytes);
    require(buffer_read(buffer, 0, bytes, buffer_bytes(buffer), &error), &error);
    return bytes;
}

/* In the norm over all, relative: units of rounding times the logarithm of the number of points. */
static void check_spectrum(const struct trial *trial) {
    const double unit = trial->is_double ? 0x1p-53 : 0x1p-24;
    const size_t row = trial->size[2] / 2 + 1;
    void *got = read_all(trial->spectrum);
    double square = 0;
    double error = 0;
    for (size_t k = 0; k < trial->kept; k++) {
        const struct point *expected = &trial->expected[k / row * trial->size[2] + k % row];
        const size_t at = 2 * (k / row * trial->points_of_row + k % row);
        const double re = real_at(got, trial->is_double, at) - expected->re;
        const double im = real_at(got, trial->is_double, at + 1) - expected->im;
        square += expected->re * expected->re + expected->im * expected->im;
        error += re * re + im * im;
    }
    free(got);
    const double allowed = unit * log2((double)trial->points + 2);
    assert_near(sqrt(error / square) / allowed, 0, 1);
}

static void check_return(const struct trial *trial) {
    const double unit = trial->is_double ? 0x1p-53 : 0x1p-24;
    const double points = (double)trial->points / (double)(trial->planes > 0 ? trial->planes : 1);
    void *got = read_all(trial->grid);
    for (size_t p = 0; p < trial->points; p++) {
        const size_t at = p / trial->size[2] * trial->row + p % trial->size[2];
        assert_near(real_at(got, trial->is_double, at) / points, trial->numbers[p],
                    8 * unit * log2(points + 2));
    }
    free(got);
}

static void check_case(struct device *device, const size_t size[3], enum transform_extent extent,
                       bool is_double) {
    struct error error;
    struct trial trial;
    trial_make(device, size, extent, is_double, &trial);
    require(transform_forward(trial.transform, trial.grid, trial.spectrum, &error), &error);
    check_spectrum(&trial);
    void *first = read_all(trial.spectrum);
    write_grid(&trial);
    require(transform_forward(trial.transform, trial.grid, trial.spectrum, &error), &error);
    void *second = read_all(trial.spectrum);
    assert_memory_equal(first, second, buffer_bytes(trial.spectrum));
    free(first);
    free(second);
    if (trial.grid != trial.spectrum) {
        require(buffer_fill(trial.grid, 0xFF, buffer_bytes(trial.grid), &error), &error);
    }
    require(transform_backward(trial.transform, trial.spectrum, trial.grid, &error), &error);
    check_return(&trial);
    require(device_check_guards(device, &error), &error);
    trial_free(&trial);
}

TEST(sizes) {
    static const size_t sizes[][3] = { { 2, 2, 2 },    { 4, 6, 5 },   { 7, 9, 10 }, { 5, 3, 7 },
                                       { 16, 15, 14 }, { 8, 27, 32 }, { 3, 5, 25 }, { 49, 2, 48 },
                                       { 3, 150, 5 },  { 2, 6, 1000 } };
    struct device *device = *state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        check_case(device, sizes[s], TRANSFORM_GRID, false);
        check_case(device, sizes[s], TRANSFORM_PLANES, false);
        if (device_describe(device)->fp64) {
            check_case(device, sizes[s], TRANSFORM_GRID, true);
            check_case(device, sizes[s], TRANSFORM_PLANES, true);
        }
    }
}

TEST(refusals) {
    struct device *device = *state;
    struct error error;
    struct transform *transform = NULL;
    static const size_t prime[3] = { 8, 11, 8 };
    static const size_t none[3] = { 8, 8, 1 };
    static const size_t huge[3] = { 2048, 2048, 2048 };
    assert_true(transform_takes(210));
    assert_false(transform_takes(22));
    assert_false(transform_create(device, prime, TRANSFORM_GRID, false, &transform, &error));
    assert_int_equal(error.status, STATUS_UNSUPPORTED);
    assert_false(transform_create(device, none, TRANSFORM_GRID, false, &transform, &error));
    assert_false(transform_create(device, huge, TRANSFORM_GRID, false, &transform, &error));
    transform_free(NULL);
    /* buffers that are too short */
    static const size_t small[3] = { 4, 4, 4 };
    struct buffer *grid = NULL;
    require(transform_create(device, small, TRANSFORM_GRID, false, &transform, &error), &error);
    require(buffer_allocate(device, 63 * sizeof(float), &grid, &error), &error);
    assert_false(transform_forward(transform, grid, grid, &error));
    buffer_free(grid);
    transform_free(transform);
}
