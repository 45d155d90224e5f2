/* A device that there is not: it hands over the texts that it would compile, or has them compiled,
 * and does nothing. */
#include "devices/backend.h"

#include "core/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text_device {
    struct device head;
    struct text_receiver receiver;
};

static void close_device(struct device *device) {
    if (device->compiler) {
        device->compiler->close(device);
    } else {
        free(device);
    }
}

/* ---- memory ---- */

static bool allocate(struct device *device, size_t bytes, struct buffer **buffer,
                     struct error *error) {
    (void)device;
    (void)bytes;
    *buffer = calloc(1, sizeof **buffer);
    return *buffer || fail_out_of_memory(error, "a buffer");
}

static void free_buffer(struct buffer *buffer) {
    free(buffer);
}

/* ---- programs ---- */

static void define_cuda(const struct device *device, struct strbuf *text) {
    if (device->compiler) {
        device->compiler->definitions(device, text);
    }
}

static void define_opencl(const struct device *device, struct strbuf *text) {
    (void)device;
    strbuf_append(text, "#define DEVICE_IS_NVIDIA 0\n");
}

static void choose_options(const struct device *device, const struct program_source *source,
                           struct strbuf *options) {
    if (device->compiler) {
        device->compiler->options(device, source, options);
    }
}

/* Keeps what the compiler said, and no code. */
static bool compile(struct device *device, const struct program_request *request, char **log,
                    struct error *error) {
    const struct compile_listener *listener = device->listener;
    char hash[HASH_TEXT_SIZE];
    struct program *compiled = NULL;
    hash_bytes(request->text, strlen(request->text), hash);
    if (listener && !listener->wants(listener->context, hash)) {
        return true;
    }
    const bool done = device->compiler->program_from_source(device, request, &compiled, error);
    if (done) {
        compiled->device = device;
        *log = compiled->log;
        device->compiler->program_free(compiled);
    }
    if (listener) {
        listener->compiled(listener->context, request->name, done && *log ? *log : "",
                           done ? NULL : error);
    }
    return done;
}

static bool take_program(struct device *device, const struct program_request *request,
                         struct program **program, struct error *error) {
    char *log = NULL;
    if (device->compiler) {
        if (!compile(device, request, &log, error)) {
            return false;
        }
    } else {
        const struct text_receiver *receiver = &((struct text_device *)device)->receiver;
        if (!receiver->take(receiver->context, request->name, request->text, request->language,
                            error)) {
            return false;
        }
    }
    *program = calloc(1, sizeof **program);
    if (!*program) {
        free(log);
        return fail_out_of_memory(error, "a program");
    }
    (*program)->log = log;
    return true;
}

static void free_program(struct program *program) {
    free(program);
}

static bool write_constant(struct program *program, const char *name, const void *data,
                           size_t bytes, struct error *error) {
    (void)program;
    (void)name;
    (void)data;
    (void)bytes;
    (void)error;
    return true;
}

static bool create_kernel(struct program *program, const char *name, struct kernel **kernel,
                          struct error *error) {
    (void)program;
    (void)name;
    *kernel = calloc(1, sizeof **kernel);
    return *kernel || fail_out_of_memory(error, "a kernel");
}

static void free_kernel(struct kernel *kernel) {
    free(kernel);
}

static bool allow_any(struct kernel *kernel, const struct kernel_shape *shape,
                      struct error *error) {
    (void)kernel;
    (void)shape;
    (void)error;
    return true;
}

/* ---- making one ---- */

#define COMMON                                                                                     \
    .close = close_device, .buffer_allocate = allocate, .buffer_free = free_buffer,                \
    .options = choose_options, .program_from_source = take_program, .program_free = free_program,  \
    .kernel_create = create_kernel, .kernel_free = free_kernel

static const struct device_backend of_cuda = { COMMON,
                                               .name = "cuda",
                                               .prelude_path =
                                                   "harness/devices/cuda/prelude_cuda.h",
                                               .definitions = define_cuda,
                                               .program_write_constant = write_constant,
                                               .kernel_allow_shape = allow_any };
static const struct device_backend of_opencl = { COMMON, .name = "opencl",
                                                 .prelude_path =
                                                     "harness/devices/opencl/prelude_opencl.h",
                                                 .definitions = define_opencl };

const struct device_backend *text_device_backend(enum device_class kind) {
    return kind == DEVICE_CUDA ? &of_cuda : &of_opencl;
}

bool text_device_make(enum device_class kind, int compute_units,
                      const struct text_receiver *receiver, struct device **device,
                      struct error *error) {
    enum { GROUP = 1024, LOCAL = 48 << 10, CONSTANT = 64 << 10, WARP = 32, HOPPER = 90 };
    const bool cuda = kind == DEVICE_CUDA;
    struct text_device *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a device");
    }
    made->receiver = *receiver;
    made->head.backend = text_device_backend(kind);
    made->head.compiles_only = true;
    made->head.info = (struct device_info){ .kind = kind,
                                            .memory_bytes = UINT64_MAX,
                                            .local_bytes = LOCAL,
                                            .dynamic_local_bytes = cuda ? LOCAL : 0,
                                            .constant_bytes = CONSTANT,
                                            .compute_units = compute_units,
                                            .max_group_size = GROUP,
                                            .subgroup_size = cuda ? WARP : 1,
                                            .subgroup_sizes = cuda ? WARP : 0,
                                            .architecture = cuda ? HOPPER : 0,
                                            .fp64 = true,
                                            .atomics64 = true };
    (void)snprintf(made->head.info.name, sizeof made->head.info.name, "%s",
                   made->head.backend->name);
    *device = &made->head;
    return true;
}
