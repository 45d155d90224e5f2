#include "devices/opencl/opencl.h"

#include "core/embedded.h"
#include "core/strings.h"

#include <stdlib.h>

/*
 * Sort, scan and sum by the kernels of primitives.cl, through the same calls that variants use.
 */

enum { ORDER_PROGRAM, SUM_PROGRAM, PROGRAM_COUNT = SUM_PROGRAM + 3 };

/* Scratch memory by use. A scan of 2^31 numbers has two levels of sums above it. */
enum {
    SCRATCH_SCAN_LOW,
    SCRATCH_SCAN_HIGH,
    SCRATCH_SORT,
    SCRATCH_SUM_EVEN,
    SCRATCH_SUM_ODD,
    SCRATCH_COUNT
};

enum {
    GROUP = 256,
    SCAN_ITEMS = 16,
    SUM_ITEMS = 8,
    SUM_SHORT_BITS = 6,
    RADIX = 16,
    RADIX_BITS = 4
};

struct opencl_primitives {
    int group;      /* work-items a group, a power of two: 256 where the device can */
    int sort_items; /* keys a work-item */
    struct program *programs[PROGRAM_COUNT]; /* NULL until needed */
    struct buffer *scratch[SCRATCH_COUNT];   /* NULL until needed; they only grow */
};

void opencl_primitives_free(struct opencl_primitives *primitives) {
    if (!primitives) {
        return;
    }
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        program_free(primitives->programs[i]);
    }
    for (int i = 0; i < SCRATCH_COUNT; i++) {
        buffer_free(primitives->scratch[i]);
    }
    free(primitives);
}

/* The primitives of the device; NULL until they are made. */
static struct opencl_primitives *made_primitives(struct device *head) {
    return ((struct opencl_device *)head)->primitives;
}

/* Makes them at the first call; NULL when memory ran out. */
static struct opencl_primitives *primitives_of(struct device *head, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    if (!device->primitives) {
        device->primitives = calloc(1, sizeof *device->primitives);
        if (!device->primitives) {
            (void)fail_out_of_memory(error, "sort, scan and sum");
            return NULL;
        }
        int group = GROUP;
        while (group > head->info.max_group_size && group > RADIX) {
            group /= 2;
        }
        device->primitives->group = group;
        /* On a GPU many groups; on a CPU few, so that the table of counts is worth its walk. */
        device->primitives->sort_items = head->info.is_cpu ? 64 : 8;
    }
    return device->primitives;
}

/* The program of the scan and the sort (number NULL), or of the sums over a type. */
static bool compile(struct device *device, const char *number, const char *precision,
                    struct program **program, struct error *error) {
    static const char path[] = "harness/devices/opencl/primitives.cl";
    const struct opencl_primitives *primitives = made_primitives(device);
    const char *text = embedded_text(path);
    struct strbuf whole = { 0 };
    if (!text) {
        return fail(error, STATUS_SYSTEM, "%s is not in this binary", path);
    }
    if (number) {
        strbuf_append(&whole,
                      "#define NUMBER %s\n#define SUM_ITEMS %d\n#define SUM_SHORT_BITS %d\n",
                      number, SUM_ITEMS, SUM_SHORT_BITS);
    } else {
        strbuf_append(&whole, "#define SCAN_ITEMS %d\n#define SORT_ITEMS %d\n", SCAN_ITEMS,
                      primitives->sort_items);
    }
    strbuf_append_line(&whole, 1, path);
    strbuf_append(&whole, "%s", text);
    const struct program_source source = { .name = path,
                                           .precision_words = precision,
                                           .group_size = primitives->group };
    return program_build(device, &source, &whole, NULL, program, error);
}

/* Launches a kernel of one of the programs, compiled at its first use. */
static bool launch(struct device *device, int which, const char *name, size_t groups,
                   struct arguments arguments, struct error *error) {
    static const struct {
        const char *number;
        const char *precision;
    } choices[PROGRAM_COUNT] = {
        [ORDER_PROGRAM] = { NULL, "float" },
        [SUM_PROGRAM + SUM_FLOAT] = { "real", "float" },
        [SUM_PROGRAM + SUM_DOUBLE] = { "real", "double" },
        [SUM_PROGRAM + SUM_INT64] = { "long64", "float" },
    };
    struct opencl_primitives *primitives = made_primitives(device);
    struct kernel *kernel;
    struct program **program = &primitives->programs[which];
    if (!*program &&
        !compile(device, choices[which].number, choices[which].precision, program, error)) {
        return false;
    }
    return program_kernel(*program, name, &kernel, error) &&
           kernel_launch(kernel, groups, (size_t)primitives->group, arguments.items,
                         arguments.count, error);
}

/* Scratch memory of at least `bytes`; what it held is lost when it grows. Freeing a buffer that
 * enqueued work still uses is fine: OpenCL keeps it until then. */
static bool reserve(struct device *device, int which, size_t bytes, struct buffer **buffer,
                    struct error *error) {
    struct buffer **slot = &made_primitives(device)->scratch[which];
    if ((!*slot || buffer_bytes(*slot) < bytes) && !buffer_replace(device, bytes, slot, error)) {
        return false;
    }
    *buffer = *slot;
    return true;
}

static size_t tiles_of(size_t n, size_t tile) {
    return (n + tile - 1) / tile;
}

/* ---- scan ---- */

/* Calls itself for the sums of the tiles; `level` is how deep. */
static bool scan_level(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                       int level, struct error *error) {
    size_t tiles = tiles_of(n, (size_t)made_primitives(device)->group * SCAN_ITEMS);
    struct buffer *sums = in; /* stands in where there is one tile: not read */
    if (tiles > 1) {
        if (!reserve(device, SCRATCH_SCAN_LOW + level, tiles * sizeof(int32_t), &sums, error)) {
            return false;
        }
        if (!launch(device, ORDER_PROGRAM, "scan_sums", tiles,
                    (struct arguments){ ARGUMENTS(argument_buffer(in), argument_buffer(sums),
                                                  argument_int((int32_t)n)) },
                    error) ||
            !scan_level(device, sums, sums, tiles, level + 1, error)) {
            return false;
        }
    }
    return launch(device, ORDER_PROGRAM, "scan_tiles", tiles,
                  (struct arguments){ ARGUMENTS(argument_buffer(in), argument_buffer(out),
                                                argument_buffer(sums), argument_int((int32_t)n),
                                                argument_int(tiles > 1)) },
                  error);
}

bool opencl_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                           struct error *error) {
    return primitives_of(device, error) && scan_level(device, in, out, n, 0, error);
}

/* ---- sort ---- */

/* The digit of the key that a pass sorts by. */
struct digit {
    int shift, mask;
};

static bool sort_pass(struct device *device, struct key_values from, struct key_values to, size_t n,
                      struct digit digit, struct error *error) {
    const struct opencl_primitives *primitives = made_primitives(device);
    const size_t tiles = tiles_of(n, (size_t)primitives->group * (size_t)primitives->sort_items);
    struct buffer *counts;
    if (!reserve(device, SCRATCH_SORT, RADIX * tiles * sizeof(int32_t), &counts, error)) {
        return false;
    }
    return launch(
               device, ORDER_PROGRAM, "sort_count", tiles,
               (struct arguments){ ARGUMENTS(argument_buffer(from.keys), argument_buffer(counts),
                                             argument_int((int32_t)n), argument_int((int32_t)tiles),
                                             argument_int(digit.shift), argument_int(digit.mask)) },
               error) &&
           scan_level(device, counts, counts, RADIX * tiles, 0, error) &&
           launch(device, ORDER_PROGRAM, "sort_scatter", tiles,
                  (struct arguments){ ARGUMENTS(
                      argument_buffer(from.keys), argument_buffer(from.values),
                      argument_buffer(to.keys), argument_buffer(to.values), argument_buffer(counts),
                      argument_int((int32_t)n), argument_int((int32_t)tiles),
                      argument_int(digit.shift), argument_int(digit.mask)) },
                  error);
}

static bool copy(struct opencl_device *device, struct buffer *from, struct buffer *to, size_t bytes,
                 struct error *error) {
    cl_int code = device->api.clEnqueueCopyBuffer(
        device->queue, ((struct opencl_buffer *)from)->memory, ((struct opencl_buffer *)to)->memory,
        0, 0, bytes, 0, NULL, NULL);
    return opencl_check(error, STATUS_LAUNCH_ERROR, code, "copying on the device");
}

bool opencl_sort_pairs(struct device *device, struct key_values from, struct key_values to,
                       size_t n, int key_bits, struct error *error) {
    if (!primitives_of(device, error)) {
        return false;
    }
    int passes = (key_bits + RADIX_BITS - 1) / RADIX_BITS;
    if (passes % 2 == 0) { /* the last pass has to end in the output, so begin there */
        struct opencl_device *opencl = (struct opencl_device *)device;
        if (!copy(opencl, from.keys, to.keys, n * sizeof(uint32_t), error) ||
            !copy(opencl, from.values, to.values, n * sizeof(uint32_t), error)) {
            return false;
        }
        const struct key_values inputs = from;
        from = to;
        to = inputs;
    }
    for (int pass = 0; pass < passes; pass++) {
        int shift = pass * RADIX_BITS;
        int bits = key_bits - shift < RADIX_BITS ? key_bits - shift : RADIX_BITS;
        const struct digit digit = { shift, (1 << bits) - 1 };
        if (!sort_pass(device, from, to, n, digit, error)) {
            return false;
        }
        struct key_values swapped = from;
        from = to;
        to = swapped;
    }
    return true;
}

/* ---- sum ---- */

bool opencl_sum(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error) {
    struct opencl_primitives *primitives = primitives_of(device, error);
    const size_t size = summands->type == SUM_FLOAT ? sizeof(float) : 8;
    const int program = SUM_PROGRAM + (int)summands->type;
    const size_t segments = summands->segments;
    struct buffer *in = summands->in;
    size_t n = summands->n;
    if (!primitives) {
        return false;
    }
    if (n < (size_t)1 << SUM_SHORT_BITS) {
        return launch(device, program, "sum_short", tiles_of(segments, (size_t)primitives->group),
                      (struct arguments){ ARGUMENTS(argument_buffer(in), argument_buffer(out),
                                                    argument_int((int32_t)n),
                                                    argument_int((int32_t)segments)) },
                      error);
    }
    for (int level = 0; n > 1; level++) {
        size_t tiles = tiles_of(n, (size_t)primitives->group * SUM_ITEMS);
        struct buffer *to = out;
        int scratch = level % 2 ? SCRATCH_SUM_ODD : SCRATCH_SUM_EVEN;
        if (tiles > 1 && !reserve(device, scratch, tiles * segments * size, &to, error)) {
            return false;
        }
        if (!launch(device, program, "sum_tiles", tiles * segments,
                    (struct arguments){ ARGUMENTS(argument_buffer(in), argument_buffer(to),
                                                  argument_int((int32_t)n),
                                                  argument_int((int32_t)tiles)) },
                    error)) {
            return false;
        }
        in = to;
        n = tiles;
    }
    return true;
}
