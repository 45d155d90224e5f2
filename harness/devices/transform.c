/* Transforms: by the device's library where it has one, else by the kernels of transform.cl,
 * through the same calls that variants use. */
#include "core/embedded.h"
#include "core/strings.h"
#include "devices/backend.h"
#include "devices/device.h"

#include <math.h>
#include <stdlib.h>

/* ---- the text of short transforms ---- */

/* Kernel text of the transforms of a few points, written out: what a work-item of a kernel for
 * lines of points has in registers (variants/grid_lines.cl). Compilers unroll loops over them in
 * part, and PoCL 3.1 leaves some out. */

enum { MOST_POINTS = 64, NAME = 16 };

static const double full_turn = 6.283185307179586477;

/* A complex number: the names of its parts, which the text gives them once. */
struct named {
    char re[NAME], im[NAME];
};

struct writer {
    struct strbuf *text;
    int count; /* of names */
};

static struct named next_name(struct writer *writer) {
    struct named made;
    (void)snprintf(made.re, sizeof made.re, "r%d", writer->count);
    (void)snprintf(made.im, sizeof made.im, "i%d", writer->count);
    writer->count = (writer->count + 1) % 100000;
    return made;
}

/* (re + i im) a */
static struct named multiply(struct writer *writer, double re, double im, const struct named *a) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = ACCUM(%.17g) * %s - ACCUM(%.17g) * %s;\n",
                  made.re, re, a->re, im, a->im);
    strbuf_append(writer->text, "    const accum %s = ACCUM(%.17g) * %s + ACCUM(%.17g) * %s;\n",
                  made.im, re, a->im, im, a->re);
    return made;
}

static struct named add(struct writer *writer, const struct named *a, const char *sign,
                        const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s %s %s, %s = %s %s %s;\n", made.re, a->re,
                  sign, b->re, made.im, a->im, sign, b->im);
    return made;
}

/* a + i b, or a - i b */
static struct named add_turned(struct writer *writer, const struct named *a, bool back,
                               const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s %s %s, %s = %s %s %s;\n", made.re, a->re,
                  back ? "+" : "-", b->im, made.im, a->im, back ? "-" : "+", b->re);
    return made;
}

/* a, which may be none, plus a real number times b. */
static struct named add_times(struct writer *writer, const struct named *a, double times,
                              const struct named *b) {
    const struct named made = next_name(writer);
    strbuf_append(writer->text, "    const accum %s = %s + ACCUM(%.17g) * %s;\n", made.re,
                  a ? a->re : "ACCUM(0.0)", times, b->re);
    strbuf_append(writer->text, "    const accum %s = %s + ACCUM(%.17g) * %s;\n", made.im,
                  a ? a->im : "ACCUM(0.0)", times, b->im);
    return made;
}

/* x exp(-2 pi i power / of) */
static struct named multiply_by_root(struct writer *writer, const struct named *x, size_t power,
                                     size_t order) {
    const double angle = full_turn * (double)(power % order) / (double)order;
    return power % order == 0 ? *x : multiply(writer, cos(angle), -sin(angle), x);
}

/* 3, 5 or 7 points: j and -j have the same cosines and opposite sines. */
static void write_odd(struct writer *writer, size_t count, struct named *x) {
    struct named sum[3];
    struct named difference[3];
    struct named all = x[0];
    const struct named first = x[0];
    for (size_t j = 1; j <= count / 2; j++) {
        sum[j - 1] = add(writer, &x[j], "+", &x[count - j]);
        difference[j - 1] = add(writer, &x[j], "-", &x[count - j]);
        all = add(writer, &all, "+", &sum[j - 1]);
    }
    x[0] = all;
    for (size_t k = 1; k <= count / 2; k++) {
        struct named even = first;
        struct named odd;
        for (size_t j = 1; j <= count / 2; j++) {
            const double angle = full_turn * (double)(j * k % count) / (double)count;
            even = add_times(writer, &even, cos(angle), &sum[j - 1]);
            odd = add_times(writer, j > 1 ? &odd : NULL, sin(angle), &difference[j - 1]);
        }
        x[k] = add_turned(writer, &even, true, &odd);
        x[count - k] = add_turned(writer, &even, false, &odd);
    }
}

static void write_two(struct writer *writer, struct named *x) {
    const struct named sum = add(writer, &x[0], "+", &x[1]);
    x[1] = add(writer, &x[0], "-", &x[1]);
    x[0] = sum;
}

static void write_four(struct writer *writer, struct named *x) {
    struct named even[2] = { x[0], x[2] };
    struct named odd[2] = { x[1], x[3] };
    write_two(writer, even);
    write_two(writer, odd);
    x[0] = add(writer, &even[0], "+", &odd[0]);
    x[1] = add_turned(writer, &even[1], true, &odd[1]);
    x[2] = add(writer, &even[0], "-", &odd[0]);
    x[3] = add_turned(writer, &even[1], false, &odd[1]);
}

/* 1, 2, 3, 4, 5 or 7 points. */
static void write_least(struct writer *writer, size_t count, struct named *x) {
    if (count == 2) {
        write_two(writer, x);
    } else if (count == 4) {
        write_four(writer, x);
    } else if (count > 1) {
        write_odd(writer, count, x);
    }
}

typedef void write_transform(struct writer *writer, size_t count, struct named *x);

/* Writes a transform of first * second points, with points second a + b and frequencies c + first
 * d: over a, times roots, then over b by write_second(). */
static void write_product(struct writer *writer, const size_t factors[2],
                          write_transform *write_second, struct named *x) {
    const size_t first = factors[0];
    const size_t second = factors[1];
    struct named part[MOST_POINTS];
    struct named all[MOST_POINTS];
    for (size_t b = 0; b < second; b++) {
        for (size_t a = 0; a < first; a++) {
            part[a] = x[second * a + b];
        }
        write_least(writer, first, part);
        for (size_t c = 0; c < first; c++) {
            all[c * second + b] = multiply_by_root(writer, &part[c], b * c, first * second);
        }
    }
    for (size_t c = 0; c < first; c++) {
        write_second(writer, second, &all[c * second]);
        for (size_t d = 0; d < second; d++) {
            x[c + first * d] = all[c * second + d];
        }
    }
}

/* Numbers of points, and one of the two factors by which they are transformed; 1: at once. */
static const size_t taken[][2] = {
    { 64, 4 }, { 63, 7 }, { 60, 5 }, { 56, 7 }, { 50, 2 }, { 49, 7 }, { 48, 4 },
    { 45, 5 }, { 42, 7 }, { 40, 5 }, { 36, 4 }, { 35, 5 }, { 32, 4 }, { 30, 5 },
    { 28, 4 }, { 27, 3 }, { 25, 5 }, { 24, 3 }, { 21, 3 }, { 20, 4 }, { 18, 3 },
    { 16, 4 }, { 15, 3 }, { 14, 2 }, { 12, 3 }, { 10, 2 }, { 9, 3 },  { 8, 2 },
    { 7, 1 },  { 6, 2 },  { 5, 1 },  { 4, 1 },  { 3, 1 },  { 2, 1 },  { 1, 1 },
};
enum { TAKEN = sizeof taken / sizeof taken[0] };

static size_t factor_of(size_t count) {
    size_t t = 0;
    while (t + 1 < TAKEN && taken[t][0] != count) {
        t++;
    }
    return taken[t][1];
}

static void write_pair(struct writer *writer, size_t count, struct named *x) {
    const size_t first = factor_of(count);
    write_product(writer, (size_t[2]){ first, count / first }, write_least, x);
}

static void write_short(struct writer *writer, size_t count, struct named *x) {
    const size_t first = factor_of(count);
    const size_t second = count / first;
    if (first == 1) {
        write_least(writer, count, x);
    } else {
        write_product(writer, (size_t[2]){ first, second },
                      factor_of(second) > 1 ? write_pair : write_least, x);
    }
}

bool transform_line_factors(size_t points, size_t factors[2]) {
    for (size_t a = 0; a < TAKEN; a++) {
        for (size_t b = 0; b <= a; b++) {
            if (taken[a][0] * taken[b][0] == points) {
                factors[0] = taken[a][0];
                factors[1] = taken[b][0];
                return true;
            }
        }
    }
    return false;
}

void transform_append_short(size_t count, struct strbuf *text) {
    struct writer writer = { text, 0 };
    struct named x[MOST_POINTS];
    strbuf_append(text, "DEVICE void transform_%zu(complex_number *x)\n{\n", count);
    for (size_t j = 0; j < count; j++) {
        x[j] = next_name(&writer);
        strbuf_append(text, "    const accum %s = x[%zu].x, %s = x[%zu].y;\n", x[j].re, j, x[j].im,
                      j);
    }
    write_short(&writer, count, x);
    for (size_t j = 0; j < count; j++) {
        strbuf_append(text, "    x[%zu].x = %s;\n    x[%zu].y = %s;\n", j, x[j].re, j, x[j].im);
    }
    strbuf_append(text, "}\n");
}

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
    size_t parts[2] = { 0 };
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
        size_t parts[2] = { 0 };
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
