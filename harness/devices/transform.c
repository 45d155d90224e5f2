/* Transforms: by the device's library where it has one, else by the kernels of transform.cl,
 * through the same calls that variants use. */
#include "core/embedded.h"
#include "core/strings.h"
#include "devices/backend.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 3, GROUP = 64, MOST_AT_ONCE = 8, BASE = 8 };

struct transform {
    struct device *device;
    size_t size[AXES];
    enum transform_extent extent;
    bool is_double;
    void *plan; /* of the device's library; NULL: the kernels */
    struct program *program;
    struct kernel *kernel;
    struct buffer *roots[AXES];
    int32_t factors[AXES];
    size_t at_once[AXES]; /* lines of a group */
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

/* The radices 4, 2, 7, 5 and 3 of which n is the product, digits of a number to the base of 8; 0
 * where it is none, or has more than ten. */
static int32_t factors_of(size_t n) {
    static const size_t radices[] = { 4, 2, 7, 5, 3 };
    int32_t factors = 0;
    for (size_t r = 0; r < sizeof radices / sizeof radices[0]; r++) {
        while (n % radices[r] == 0 && factors < INT32_MAX / BASE) {
            factors = factors * BASE + (int32_t)radices[r];
            n /= radices[r];
        }
    }
    return n == 1 ? factors : 0;
}

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

/* As many lines as local memory has room for twice. */
static bool fit_lines(struct transform *transform, int axis, struct error *error) {
    const size_t line = 4 * transform->size[axis] * real_bytes(transform);
    const size_t room = transform->device->info.local_bytes;
    size_t at_once = MOST_AT_ONCE;
    while (at_once > 1 && at_once * line > room) {
        at_once /= 2;
    }
    transform->at_once[axis] = at_once;
    transform->factors[axis] = factors_of(transform->size[axis]);
    return (line <= room && transform->factors[axis] > 0) ||
           fail(error, STATUS_UNSUPPORTED,
                "a transform of lines of %zu points, which take %zu bytes of local memory; %s has "
                "%zu",
                transform->size[axis], line, transform->device->info.name, room);
}

static bool make_kernels(struct transform *transform, struct error *error) {
    static const char path[] = "harness/devices/transform.cl";
    static const char *const names[] = { "transform_lines" };
    const char *text = embedded_text(path);
    struct strbuf whole = { 0 };
    if (!text) {
        return fail(error, STATUS_SYSTEM, "%s is not in this binary", path);
    }
    for (int a = 0; a < AXES; a++) {
        if (!fit_lines(transform, a, error) ||
            !transform_upload_roots(transform->device, transform->size[a], transform->is_double,
                                    &transform->roots[a], error)) {
            return false;
        }
    }
    if (transform->device->compiles_only) {
        return true;
    }
    strbuf_append_file(&whole, path, text);
    const struct program_source source = { .name = path,
                                           .precision_words =
                                               transform->is_double ? "double" : "float",
                                           .group_size = GROUP };
    const struct named_kernels kernels = { names, 1, &transform->kernel };
    return program_build(transform->device, &source, &whole, &kernels, &transform->program, error);
}

/* All lines along one axis. */
static bool run_axis(const struct transform *transform, int axis, int sign, struct buffer *grid,
                     struct buffer *spectrum, struct error *error) {
    const size_t *size = transform->size;
    const size_t rows = size[0] * size[1];
    const size_t inner = axis == 2   ? 0
                         : axis == 1 ? spectrum_row(transform)
                                     : size[1] * spectrum_row(transform);
    const size_t lines = axis == 2 ? (rows + 1) / 2 : axis == 1 ? size[0] * inner : inner;
    const size_t at_once = transform->at_once[axis];
    return kernel_launch(
        transform->kernel, (lines + at_once - 1) / at_once, GROUP,
        ARGUMENTS(argument_buffer(grid), argument_buffer(spectrum),
                  argument_buffer(transform->roots[axis]), argument_int((int32_t)size[axis]),
                  argument_int((int32_t)inner), argument_int((int32_t)lines),
                  argument_int((int32_t)at_once), argument_int(transform->factors[axis]),
                  argument_int(sign), argument_int((int32_t)rows),
                  argument_int((int32_t)grid_row(transform)),
                  argument_int((int32_t)spectrum_row(transform)),
                  argument_local(4 * size[axis] * at_once * real_bytes(transform))),
        error);
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
    const struct device_backend *backend = device->backend;
    const bool created =
        check_size(made, error) &&
        (!backend->transform_create ||
         backend->transform_create(device, size, extent, is_double, &made->plan, error)) &&
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
    program_free(transform->program);
    for (int a = 0; a < AXES; a++) {
        buffer_free(transform->roots[a]);
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
                           : run_axis(transform, 2, -1, grid, spectrum, error) &&
                                 run_axis(transform, 1, -1, grid, spectrum, error) &&
                                 (transform->extent == TRANSFORM_PLANES ||
                                  run_axis(transform, 0, -1, grid, spectrum, error));
}

bool transform_backward(const struct transform *transform, struct buffer *spectrum,
                        struct buffer *grid, struct error *error) {
    if (!check_buffers(transform, grid, spectrum, error) || transform->device->compiles_only) {
        return transform->device->compiles_only;
    }
    return transform->plan ? transform->device->backend->transform_run(
                                 transform->device, transform->plan, false, grid, spectrum, error)
                           : (transform->extent == TRANSFORM_PLANES ||
                              run_axis(transform, 0, 1, grid, spectrum, error)) &&
                                 run_axis(transform, 1, 1, grid, spectrum, error) &&
                                 run_axis(transform, 2, 1, grid, spectrum, error);
}
