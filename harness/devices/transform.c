/* Transforms: by the device's library where it has one, else by the kernels of transform.cl,
 * through the same calls that variants use. */
#include "core/embedded.h"
#include "core/strings.h"
#include "devices/backend.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 3, GROUP = 64, MOST_LINES = 8 };

enum line_kernel { LINES, ROWS, ROWS_BACK, LINE_KERNELS };

/* What transforms lines of so many points; axes of the same have one in common. */
struct line_kernels {
    struct program *program;
    struct kernel *kernels[LINE_KERNELS];
    struct buffer *roots;
    size_t lines; /* of a group; of rows half as many, as pairs_of() has it */
};

struct transform {
    struct device *device;
    size_t size[AXES];
    enum transform_extent extent;
    bool is_double;
    void *plan; /* of the device's library; NULL: the kernels */
    struct line_kernels axes[AXES];
};

static size_t real_bytes(const struct transform *transform) {
    return transform->is_double ? sizeof(double) : sizeof(float);
}

/* Numbers from a row to the next. */
static size_t grid_row(const struct transform *transform) {
    return transform->extent == TRANSFORM_PLANES ? transform_row(transform->size[2])
                                                 : transform->size[2];
}

/* Points likewise. */
static size_t spectrum_row(const struct transform *transform) {
    return transform->extent == TRANSFORM_PLANES ? transform_row(transform->size[2]) / 2
                                                 : transform->size[2] / 2 + 1;
}

/* ---- sizes ---- */

bool transform_takes(size_t n) {
    for (size_t radix = 2; radix <= 7; radix++) {
        while (n > 1 && n % radix == 0) {
            n /= radix;
        }
    }
    return n == 1;
}

bool transform_upload_roots(struct device *device, size_t n, bool are_doubles,
                            struct buffer **buffer, struct error *error) {
    const double full = 6.283185307179586477;
    double *roots = calloc(n, 2 * sizeof *roots);
    if (!roots) {
        return fail_out_of_memory(error, "a transform");
    }
    for (size_t j = 0; j < n; j++) {
        roots[2 * j] = cos(full * (double)j / (double)n);
        roots[2 * j + 1] = -sin(full * (double)j / (double)n);
    }
    const bool uploaded =
        buffer_upload_reals(device, "roots of a transform",
                            &(struct reals){ roots, 2 * n, are_doubles }, buffer, error);
    free(roots);
    return uploaded;
}

static bool check_size(const struct transform *transform, struct error *error) {
    const size_t *size = transform->size;
    const struct device_info *info = &transform->device->info;
    for (int a = 0; a < AXES; a++) {
        if (size[a] < 2 || !transform_takes(size[a])) {
            return fail(error, STATUS_UNSUPPORTED,
                        "a transform of %zu points; expected a product of 2, 3, 5 and 7", size[a]);
        }
    }
    if ((double)size[0] * (double)size[1] * (double)(size[2] + 2) > INT32_MAX / 2) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a transform of %zu x %zu x %zu points, which are more than 2^30", size[0],
                    size[1], size[2]);
    }
    return !transform->is_double || info->fp64 ||
           fail(error, STATUS_UNSUPPORTED, "%s has no double precision", info->name);
}

/* ---- by kernels ---- */

/* What a group of so many lines takes: they, padded, and the roots. */
static size_t local_bytes_of(const struct transform *transform, int axis, const size_t parts[2],
                             size_t lines) {
    return (lines * parts[0] * (parts[1] | 1) + transform->size[axis]) * 2 * real_bytes(transform);
}

static bool fit_lines(const struct transform *transform, int axis, size_t parts[2], size_t *lines,
                      struct error *error) {
    const struct device_info *info = &transform->device->info;
    const size_t points = transform->size[axis];
    if (!transform_line_factors(points, parts)) {
        return fail(error, STATUS_UNSUPPORTED,
                    "a transform of lines of %zu points, which are no product of two numbers that "
                    "kernels transform at once",
                    points);
    }
    *lines = MOST_LINES;
    while (*lines > 1 && local_bytes_of(transform, axis, parts, *lines) > info->local_bytes) {
        *lines /= 2;
    }
    const size_t bytes = local_bytes_of(transform, axis, parts, *lines);
    return bytes <= info->local_bytes ||
           fail(error, STATUS_UNSUPPORTED,
                "a transform of lines of %zu points, which take %zu bytes of local memory; %s has "
                "%zu",
                points, bytes, info->name, (size_t)info->local_bytes);
}

static size_t pairs_of(size_t lines) {
    return (lines + 1) / 2;
}

static void append_text(const struct transform *transform, int axis, const size_t parts[2],
                        size_t lines, struct strbuf *text) {
    strbuf_append(text, "typedef real2 complex_number;\n");
    transform_append_short(parts[0], text);
    if (parts[1] != parts[0]) {
        transform_append_short(parts[1], text);
    }
    strbuf_append(text,
                  "#define POINTS %zu\n#define FIRST %zu\n#define SECOND %zu\n#define LINES "
                  "%zu\n#define PAIRS %zu\n"
                  "#define TRANSFORM_FIRST transform_%zu\n#define TRANSFORM_SECOND transform_%zu\n",
                  transform->size[axis], parts[0], parts[1], lines, pairs_of(lines), parts[0],
                  parts[1]);
}

static bool make_axis(struct transform *transform, int axis, struct error *error) {
    static const char path[] = "harness/devices/transform.cl";
    static const char *const names[] = { "transform_lines", "transform_rows",
                                         "transform_rows_back" };
    struct line_kernels *made = &transform->axes[axis];
    const char *text = embedded_text(path);
    struct strbuf whole = { 0 };
    size_t parts[2];
    if (!text) {
        return fail(error, STATUS_SYSTEM, "%s is not in this binary", path);
    }
    if (!fit_lines(transform, axis, parts, &made->lines, error) ||
        !transform_upload_roots(transform->device, transform->size[axis], transform->is_double,
                                &made->roots, error)) {
        return false;
    }
    if (transform->device->compiles_only) {
        return true;
    }
    append_text(transform, axis, parts, made->lines, &whole);
    strbuf_append_file(&whole, path, text);
    const struct program_source source = { .name = path,
                                           .precision_words =
                                               transform->is_double ? "double" : "float",
                                           .group_size = GROUP };
    const struct named_kernels kernels = { names, LINE_KERNELS, made->kernels };
    return program_build(transform->device, &source, &whole, &kernels, &made->program, error);
}

/* The first axis that is transformed. */
static int first_axis(const struct transform *transform) {
    return transform->extent == TRANSFORM_PLANES ? 1 : 0;
}

/* The first axis that is as long; itself where there is none before it. */
static int same_axis(const struct transform *transform, int axis) {
    int first = first_axis(transform);
    while (transform->size[first] != transform->size[axis]) {
        first++;
    }
    return first;
}

static bool make_kernels(struct transform *transform, struct error *error) {
    bool made = true;
    for (int axis = first_axis(transform); made && axis < AXES; axis++) {
        const int same = same_axis(transform, axis);
        made = same < axis || make_axis(transform, axis, error);
        transform->axes[axis] = transform->axes[same];
    }
    return made;
}

static size_t groups_of(size_t lines, size_t of_group) {
    return (lines + of_group - 1) / of_group;
}

/* All lines along one axis but the last. */
static bool run_lines(const struct transform *transform, int axis, double sign,
                      struct buffer *spectrum, struct error *error) {
    const struct line_kernels *kernels = &transform->axes[axis];
    const size_t plane = transform->size[1] * spectrum_row(transform);
    const size_t inner = axis == 1 ? spectrum_row(transform) : plane;
    const size_t lines = axis == 1 ? transform->size[0] * inner : inner;
    return kernel_launch(kernels->kernels[LINES], groups_of(lines, kernels->lines), GROUP,
                         ARGUMENTS(argument_buffer(spectrum), argument_buffer(kernels->roots),
                                   argument_int((int32_t)inner), argument_int((int32_t)lines),
                                   argument_real(sign, transform->is_double)),
                         error);
}

/* Along the last. */
static bool run_rows(const struct transform *transform, enum line_kernel which, struct buffer *grid,
                     struct buffer *spectrum, struct error *error) {
    const struct line_kernels *kernels = &transform->axes[2];
    const size_t rows = transform->size[0] * transform->size[1];
    return kernel_launch(
        kernels->kernels[which], groups_of((rows + 1) / 2, pairs_of(kernels->lines)), GROUP,
        ARGUMENTS(argument_buffer(grid), argument_buffer(spectrum), argument_buffer(kernels->roots),
                  argument_int((int32_t)rows), argument_int((int32_t)grid_row(transform)),
                  argument_int((int32_t)spectrum_row(transform))),
        error);
}

static bool run_forward(const struct transform *transform, struct buffer *grid,
                        struct buffer *spectrum, struct error *error) {
    return run_rows(transform, ROWS, grid, spectrum, error) &&
           run_lines(transform, 1, 1, spectrum, error) &&
           (transform->extent == TRANSFORM_PLANES || run_lines(transform, 0, 1, spectrum, error));
}

static bool run_backward(const struct transform *transform, struct buffer *grid,
                         struct buffer *spectrum, struct error *error) {
    return (transform->extent == TRANSFORM_PLANES ||
            run_lines(transform, 0, -1, spectrum, error)) &&
           run_lines(transform, 1, -1, spectrum, error) &&
           run_rows(transform, ROWS_BACK, grid, spectrum, error);
}

/* ---- which of both ---- */

/* On an H200 cuFFT is as fast as kernels for planes of 64, 100, 128 and 144 points along an edge,
 * and takes 31 us there and 32 back for 150, where they take 24 and 25: odd factors are what it
 * lacks. */
static bool suits_kernels(const struct transform *transform) {
    enum { LARGE_ODD = 27, MOST_FOR_ALL = 1000 };
    bool suits = transform->extent == TRANSFORM_PLANES;
    size_t largest = 1;
    for (int a = 1; a < AXES; a++) {
        size_t parts[2];
        size_t odd = transform->size[a];
        suits = suits && odd <= MOST_FOR_ALL && transform_line_factors(odd, parts);
        while (odd % 2 == 0) {
            odd /= 2;
        }
        largest = odd > largest ? odd : largest;
    }
    return suits && largest >= LARGE_ODD;
}

static bool make_plan(struct transform *transform, struct error *error) {
    const struct device_backend *backend = transform->device->backend;
    return !backend->transform_create || suits_kernels(transform) ||
           backend->transform_create(transform->device, transform->size, transform->extent,
                                     transform->is_double, &transform->plan, error);
}

/* ---- what others call ---- */

bool transform_create(struct device *device, const size_t size[3], enum transform_extent extent,
                      bool is_double, struct transform **transform, struct error *error) {
    struct transform *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a transform");
    }
    made->device = device;
    made->extent = extent;
    made->is_double = is_double;
    for (int a = 0; a < AXES; a++) {
        made->size[a] = size[a];
    }
    const bool created = check_size(made, error) && make_plan(made, error) &&
                         (made->plan || make_kernels(made, error));
    if (!created) {
        transform_free(made);
        return false;
    }
    *transform = made;
    return true;
}

void transform_free(struct transform *transform) {
    if (!transform) {
        return;
    }
    if (transform->plan) {
        transform->device->backend->transform_free(transform->device, transform->plan);
    }
    for (int a = first_axis(transform); a < AXES; a++) {
        if (same_axis(transform, a) == a) {
            program_free(transform->axes[a].program);
            buffer_free(transform->axes[a].roots);
        }
    }
    free(transform);
}

static bool check_buffers(const struct transform *transform, struct buffer *grid,
                          struct buffer *spectrum, struct error *error) {
    const size_t rows = transform->size[0] * transform->size[1];
    return (grid->bytes >= rows * grid_row(transform) * real_bytes(transform) &&
            spectrum->bytes >= 2 * rows * spectrum_row(transform) * real_bytes(transform)) ||
           fail(error, STATUS_LAUNCH_ERROR,
                "a transform of %zu x %zu x %zu points: buffers of %zu and %zu bytes do not hold "
                "them",
                transform->size[0], transform->size[1], transform->size[2], grid->bytes,
                spectrum->bytes);
}

bool transform_forward(const struct transform *transform, struct buffer *grid,
                       struct buffer *spectrum, struct error *error) {
    if (!check_buffers(transform, grid, spectrum, error) || transform->device->compiles_only) {
        return transform->device->compiles_only;
    }
    return transform->plan ? transform->device->backend->transform_run(
                                 transform->device, transform->plan, true, grid, spectrum, error)
                           : run_forward(transform, grid, spectrum, error);
}

bool transform_backward(const struct transform *transform, struct buffer *spectrum,
                        struct buffer *grid, struct error *error) {
    if (!check_buffers(transform, grid, spectrum, error) || transform->device->compiles_only) {
        return transform->device->compiles_only;
    }
    return transform->plan ? transform->device->backend->transform_run(
                                 transform->device, transform->plan, false, grid, spectrum, error)
                           : run_backward(transform, grid, spectrum, error);
}
