/* Programs, kernels and their arguments, as device.h has them, whatever the backend. */
#include "devices/backend.h"
#include "devices/device.h"

#include "core/cache.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/quantity.h"
#include "core/strings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ---- */

/* Definitions, prelude and source in one. */
static bool assemble(const struct device *device, const struct program_source *source,
                     struct numeric numeric, struct strbuf *whole, struct error *error) {
    if (source->language == SOURCE_COMPILED) {
        strbuf_append(whole, "%s", source->text);
        return !whole->failed || fail_out_of_memory(error, "the text of a program");
    }
    const char *path = device->backend->prelude_path;
    const char *prelude = source->language == SOURCE_CUDA ? ""
                          : source->of_case               ? embedded_text(path)
                                                          : embedded_original(path);
    if (!prelude) {
        return fail(error, STATUS_SYSTEM, "%s is not in this binary", path);
    }
    strbuf_append(whole, "#define REAL_IS_DOUBLE %d\n#define ACCUM_IS_DOUBLE %d\n",
                  numeric_real_is_double(numeric), numeric_accum_is_double(numeric));
    strbuf_append(whole, "#define ACCUM_IS_FIXED %d\n", numeric_sums_are_fixed(numeric));
    strbuf_append(whole,
                  "#define HAVE_FP64 %d\n#define HAVE_ATOMICS64 %d\n#define DEVICE_IS_CPU %d\n",
                  device->info.fp64, device->info.atomics64, device->info.is_cpu);
    if (source->group_size > 0) {
        strbuf_append(whole, "#define GROUP_SIZE %d\n", source->group_size);
    }
    if (source->warp_size > 1) {
        strbuf_append(whole, "#define WITH_WARPS 1\n");
        if (device->info.kind != DEVICE_CUDA) {
            strbuf_append(whole, "#define SUBGROUP_SIZE %d\n", source->warp_size);
        }
    }
    device->backend->definitions(device, whole);
    strbuf_append(whole, "%s\n#line 1 ", prelude);
    strbuf_append_quoted(whole, source->name);
    strbuf_append(whole, "\n%s\n", source->text);
    return !whole->failed || fail_out_of_memory(error, "the text of a program");
}

/* All but the lines that say where a text comes from: a kernel is what it says, wherever it lies.
 */
static void hash_code(struct hash_state *hash, const char *code) {
    static const char directive[] = "#line ";
    while (code && *code) {
        const char *end = strchr(code, '\n');
        const size_t length = end ? (size_t)(end + 1 - code) : strlen(code);
        if (strncmp(code, directive, sizeof directive - 1) != 0) {
            hash_add(hash, code, length);
        }
        code += length;
    }
}

static void hash_program(const struct device *device, const char *whole, const char *options,
                         char text[HASH_TEXT_SIZE]) {
    struct hash_state *hash = hash_begin();
    hash_add_string(hash, device->backend->name);
    hash_add_string(hash, device->info.model);
    hash_add_string(hash, device->info.driver);
    hash_add_string(hash, device->info.toolkit);
    hash_add_string(hash, options);
    hash_code(hash, whole);
    hash_end(hash, text);
}

static void store_binary(const struct program *program, const char *key) {
    void *bytes;
    size_t length;
    if (program->device->backend->program_binary(program, &bytes, &length)) {
        cache_store("kernels", key, bytes, length);
        free(bytes);
    }
}

/* Builds a program from the disk cache if the driver accepts what is there, else from the text. */
static bool build_program(struct device *device, const struct program_request *request,
                          const char *key, struct program **program, struct error *error) {
    void *bytes;
    size_t length;
    key = device->compiles_only ? "" : key; /* the cache knows no log */
    if (*key && cache_load("kernels", key, &bytes, &length)) {
        bool taken = device->backend->program_from_binary(device, request, bytes, length, program);
        free(bytes);
        if (taken) {
            (*program)->device = device;
            return true;
        }
    }
    if (!device->backend->program_from_source(device, request, program, error)) {
        return false;
    }
    (*program)->device = device;
    if (*key) {
        store_binary(*program, key);
    }
    return true;
}

bool program_compile(struct device *device, const struct program_source *source,
                     struct program **program, struct error *error) {
    enum precision precision;
    if (!source->precision_words || !precision_from_name(source->precision_words, &precision)) {
        return fail(error, STATUS_BAD_INPUT,
                    "unknown precision '%s'; expected float, mixed, double or fixed",
                    source->precision_words ? source->precision_words : "");
    }
    const struct numeric numeric = precision_numeric(precision);
    if (numeric_accum_is_double(numeric) && !device->info.fp64) {
        return fail(error, STATUS_UNSUPPORTED, "%s has no double precision", device->info.name);
    }
    if (source->language != SOURCE_DIALECT && device->info.kind != DEVICE_CUDA) {
        return fail(error, STATUS_UNSUPPORTED, "%s %s", device->info.name,
                    source->language == SOURCE_CUDA ? "compiles no CUDA C++"
                                                    : "runs no code of CUDA");
    }
    struct strbuf whole = { 0 };
    struct strbuf options = { 0 };
    strbuf_append_bytes(&options, "", 0);
    device->backend->options(device, source, &options);
    bool built = false;
    if (options.failed) {
        (void)fail_out_of_memory(error, "compiler options");
    } else if (assemble(device, source, numeric, &whole, error)) {
        char key[HASH_TEXT_SIZE];
        hash_program(device, whole.data, options.data, key);
        const struct program_request request = { .name = source->name,
                                                 .text = whole.data,
                                                 .options = options.data,
                                                 .group_size = source->group_size,
                                                 .language = source->language,
                                                 .standard = source->standard,
                                                 .arch_specific = source->arch_specific,
                                                 .by_nvcc = source->by_nvcc };
        built = build_program(device, &request, key, program, error);
        if (built) {
            memcpy((*program)->hash, key, sizeof key);
            (*program)->options = options.data; /* the program's from here on */
            options = (struct strbuf){ 0 };
        }
    }
    strbuf_free(&whole);
    strbuf_free(&options);
    return built;
}

uint64_t device_programs_compiled(const struct device *device) {
    return device->programs_compiled;
}

void program_free(struct program *program) {
    if (!program) {
        return;
    }
    const struct device_backend *backend = program->device->backend;
    while (program->kernels) {
        struct kernel *next = program->kernels->next;
        backend->kernel_free(program->kernels);
        program->kernels = next;
    }
    free(program->options);
    free(program->log);
    backend->program_free(program);
}

void program_hash(const struct program *program, char text[HASH_TEXT_SIZE]) {
    memcpy(text, program->hash, HASH_TEXT_SIZE);
}

const char *program_options(const struct program *program) {
    return program->options;
}

const char *program_log(const struct program *program) {
    return program->log ? program->log : "";
}

bool program_write_constant(struct program *program, const char *name, const void *data,
                            size_t bytes, struct error *error) {
    const struct device_backend *backend = program->device->backend;
    if (!backend->program_write_constant) {
        return fail(error, STATUS_UNSUPPORTED, "programs of %s have no constant arrays",
                    program->device->info.name);
    }
    return bytes == 0 || backend->program_write_constant(program, name, data, bytes, error);
}

/* ---- kernels ---- */

bool program_kernel(struct program *program, const char *name, struct kernel **kernel,
                    struct error *error) {
    for (struct kernel *made = program->kernels; made; made = made->next) {
        if (strcmp(made->name, name) == 0) {
            *kernel = made;
            return true;
        }
    }
    if (strlen(name) >= KERNEL_NAME_SIZE) {
        return fail(error, STATUS_COMPILE_ERROR, "kernel name '%s' is longer than %d characters",
                    name, KERNEL_NAME_SIZE - 1);
    }
    if (!program->device->backend->kernel_create(program, name, kernel, error)) {
        return false;
    }
    (*kernel)->program = program;
    (void)snprintf((*kernel)->name, sizeof(*kernel)->name, "%s", name);
    (*kernel)->next = program->kernels;
    program->kernels = *kernel;
    return true;
}

bool program_build(struct device *device, const struct program_source *source, struct strbuf *text,
                   const struct named_kernels *kernels, struct program **program,
                   struct error *error) {
    struct program_source whole = *source;
    whole.text = text->data;
    bool built = text->failed ? fail_out_of_memory(error, source->name)
                              : program_compile(device, &whole, program, error);
    strbuf_free(text);
    for (size_t k = 0; built && kernels && k < kernels->count; k++) {
        built = program_kernel(*program, kernels->names[k], &kernels->kernels[k], error);
    }
    return built;
}

bool program_build_embedded(struct device *device, const struct program_source *source,
                            const char *const *paths, struct program **program,
                            struct error *error) {
    struct strbuf text = { 0 };
    for (; *paths; paths++) {
        strbuf_append_file(&text, *paths, embedded_text(*paths));
    }
    return program_build(device, source, &text, NULL, program, error);
}

void kernel_resources(const struct kernel *kernel, int *registers, int64_t *local_bytes) {
    *registers = -1;
    *local_bytes = -1;
    const struct device_backend *backend = kernel->program->device->backend;
    if (backend->kernel_resources) {
        backend->kernel_resources(kernel, registers, local_bytes);
    }
}

void kernel_divide(struct kernel *kernel, int local_percent) {
    const struct device_backend *backend = kernel->program->device->backend;
    if (backend->kernel_divide) {
        backend->kernel_divide(kernel, local_percent);
    }
}

struct argument argument_buffer(struct buffer *buffer) {
    return (struct argument){ .buffer = buffer };
}

struct argument argument_local(size_t bytes) {
    return (struct argument){ .size = bytes, .is_local = true };
}

struct argument argument_value(const void *bytes, size_t size) {
    struct argument argument = { .size = size };
    if (size <= sizeof argument.value) {
        memcpy(argument.value, bytes, size);
    } else {
        argument.far_value = bytes;
    }
    return argument;
}

const void *argument_bytes(const struct argument *argument) {
    return argument->far_value ? argument->far_value : argument->value;
}

struct argument argument_int(int32_t value) {
    return argument_value(&value, sizeof value);
}

struct argument argument_real(double value, bool is_double) {
    const float narrow = (float)value;
    return is_double ? argument_value(&value, sizeof value)
                     : argument_value(&narrow, sizeof narrow);
}

struct argument argument_real4(const double values[4], bool is_double) {
    float narrow[4];
    for (int i = 0; i < 4; i++) {
        narrow[i] = (float)values[i];
    }
    return is_double ? argument_value(values, 4 * sizeof *values)
                     : argument_value(narrow, sizeof narrow);
}

struct argument argument_real3(const double values[3], bool is_double) {
    const double four[4] = { values[0], values[1], values[2], 0 };
    return argument_real4(four, is_double);
}

struct argument argument_int4(const int values[3], int fourth) {
    struct argument argument = { .size = 4 * sizeof(int32_t) };
    const int32_t four[4] = { values[0], values[1], values[2], fourth };
    memcpy(argument.value, four, sizeof four);
    return argument;
}

/* Something that can be passed: a buffer of the device, a value, or local memory that it has. */
static bool is_passable(const struct device *device, const struct argument *argument) {
    if (argument->buffer) {
        return argument->buffer->device == device;
    }
    if (argument->is_local) {
        return argument->size >= 1 && argument->size <= device->info.local_bytes;
    }
    return argument->size >= 1 && (argument->far_value || argument->size <= ARGUMENT_OWN_BYTES);
}

/* One local argument at most: CUDA gives a launch one piece of local memory. */
static bool check_arguments(const struct kernel *kernel, const struct argument *arguments,
                            size_t count, struct error *error) {
    const struct device *device = kernel->program->device;
    const size_t most = (size_t)device->info.argument_bytes;
    int local_arguments = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct argument *argument = &arguments[i];
        local_arguments += argument->is_local;
        bytes += argument->buffer || argument->is_local ? sizeof(uint64_t) : argument->size;
        if (!is_passable(device, argument) || local_arguments > 1) {
            return fail(error, STATUS_LAUNCH_ERROR,
                        "%s: argument %zu is neither a buffer of %s nor a value nor its local "
                        "memory",
                        kernel->name, i, device->info.name);
        }
    }
    return most == 0 || bytes <= most ||
           fail(error, STATUS_UNSUPPORTED,
                "%s: its arguments take %zu bytes; %s passes %zu at most to a kernel", kernel->name,
                bytes, device->info.name, most);
}

bool kernel_launch(struct kernel *kernel, size_t groups, size_t group_size,
                   const struct argument *arguments, size_t argument_count, struct error *error) {
    struct device *device = kernel->program->device;
    if (groups < 1 || group_size < 1 || group_size > (size_t)device->info.max_group_size) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "%s: %zu groups of %zu work-items cannot be launched on %s (1 to %d a group)",
                    kernel->name, groups, group_size, device->info.name,
                    device->info.max_group_size);
    }
    if (groups > INT32_MAX / group_size) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "%s: %zu groups of %zu are more work-items than an int numbers (2^31 - 1)",
                    kernel->name, groups, group_size);
    }
    return check_arguments(kernel, arguments, argument_count, error) &&
           (!device->backend->kernel_launch ||
            device->backend->kernel_launch(kernel, groups, group_size, arguments, argument_count,
                                           error));
}

/* ---- grids ---- */

static size_t volume(const size_t sizes[3]) {
    return sizes[0] * sizes[1] * sizes[2];
}

bool kernel_allow_shape(struct kernel *kernel, const struct kernel_shape *shape,
                        struct error *error) {
    const struct device *device = kernel->program->device;
    const size_t most = (size_t)device->info.max_group_size;
    if (!device->backend->kernel_allow_shape) {
        return fail(error, STATUS_UNSUPPORTED, "%s launches no grids of CUDA C++",
                    device->info.name);
    }
    if (volume(shape->block) > most) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a block of %zu x %zu x %zu threads; %s takes %zu at most", kernel->name,
                    shape->block[0], shape->block[1], shape->block[2], device->info.name, most);
    }
    return device->backend->kernel_allow_shape(kernel, shape, error);
}

bool kernel_launch_grid(struct kernel *kernel, const struct kernel_shape *shape,
                        const struct argument *arguments, size_t argument_count,
                        struct error *error) {
    return check_arguments(kernel, arguments, argument_count, error) &&
           kernel->program->device->backend->kernel_launch_grid(kernel, shape, arguments,
                                                                argument_count, error);
}
