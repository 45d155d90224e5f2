#include "core/strings.h"
#include "devices/cuda/cuda_device.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 64, JIT_LOG_SIZE = 8192 };

struct cuda_program {
    struct program head;
    CUmodule module;
    int group_size; /* 0: not fixed */
    char *code;     /* as NVRTC made it; NULL when it came from the cache */
    size_t code_bytes;
};

struct cuda_kernel {
    struct kernel head;
    CUfunction function;
    size_t known_parameters; /* how many of the sizes below have been asked of the driver */
    size_t parameter_bytes[MAX_PARAMETERS];
    size_t shared_allowed; /* dynamic shared memory that launches may ask for; 0: the default */
};

void cuda_definitions(const struct device *device, struct strbuf *text) {
    (void)device;
    (void)text; /* all that the prelude asks for, device.c has said */
}

/* ---- programs ---- */

/* `log` gets what the driver's own compiler says of PTX. */
static CUresult load_module(struct cuda_device *cuda, const void *code, CUmodule *module,
                            char log[JIT_LOG_SIZE]) {
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, NULL };
    const unsigned size = JIT_LOG_SIZE;
    memcpy(&values[1], &size, sizeof size); /* numbers go in the pointer's place */
    log[0] = '\0';
    return cuda->driver.cuModuleLoadDataEx(module, code, 2, options, values);
}

bool cuda_program_from_source(struct device *device, const struct program_request *request,
                              struct program **program, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    char log[JIT_LOG_SIZE];
    if (!device->compiles_only && !cuda_enter(cuda, error)) {
        return false;
    }
    struct cuda_program *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, request->name);
    }
    made->group_size = request->group_size;
    struct cuda_code code;
    if (!cuda_compile(cuda, request, &code, error)) {
        cuda_code_free(&code);
        free(made);
        return false;
    }
    device->programs_compiled++;
    made->code = code.bytes;
    made->code_bytes = code.length;
    made->head.log = code.log;
    CUresult result =
        device->compiles_only ? CUDA_SUCCESS : load_module(cuda, made->code, &made->module, log);
    if (result != CUDA_SUCCESS) {
        (void)cuda_library_fail(&cuda->driver, result, STATUS_COMPILE_ERROR, "loading the code",
                                error);
        (void)fail_within(error, "%s%s%.1000s", request->name, *log ? ": " : "", log);
        free(made->code);
        free(made);
        return false;
    }
    *program = &made->head;
    return true;
}

bool cuda_program_from_binary(struct device *device, const struct program_request *request,
                              const void *bytes, size_t length, struct program **program) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct error ignored;
    char log[JIT_LOG_SIZE];
    if (length == 0 || !cuda_enter(cuda, &ignored)) {
        return false;
    }
    struct cuda_program *made = calloc(1, sizeof *made);
    if (!made) {
        return false;
    }
    made->group_size = request->group_size;
    if (load_module(cuda, bytes, &made->module, log) != CUDA_SUCCESS) {
        free(made);
        return false;
    }
    *program = &made->head;
    return true;
}

bool cuda_program_binary(const struct program *program, void **bytes, size_t *length) {
    const struct cuda_program *made = (const struct cuda_program *)program;
    void *copy = made->code ? malloc(made->code_bytes) : NULL;
    if (!copy) {
        return false;
    }
    memcpy(copy, made->code, made->code_bytes);
    *bytes = copy;
    *length = made->code_bytes;
    return true;
}

void cuda_program_free(struct program *program) {
    struct cuda_program *made = (struct cuda_program *)program;
    struct cuda_device *cuda = cuda_device_of(program->device);
    struct error ignored;
    if (made->module && cuda_enter(cuda, &ignored)) {
        (void)cuda->driver.cuModuleUnload(made->module);
    }
    free(made->code);
    free(made);
}

bool cuda_program_write_constant(struct program *program, const char *name, const void *data,
                                 size_t bytes, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(program->device);
    CUdeviceptr address = 0;
    size_t room = 0;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    CUresult result = cuda->driver.cuModuleGetGlobal(
        &address, &room, ((struct cuda_program *)program)->module, name);
    if (result == CUDA_ERROR_NOT_FOUND) {
        return fail(error, STATUS_COMPILE_ERROR, "there is no constant array named %s", name);
    }
    if (result == CUDA_SUCCESS && bytes > room) {
        return fail(error, STATUS_UNSUPPORTED, "%s: %zu bytes for %zu of constant memory", name,
                    bytes, room);
    }
    if (result == CUDA_SUCCESS) {
        result = cuda->driver.cuMemcpyHtoDAsync(address, data, bytes, cuda->stream);
    }
    if (result == CUDA_SUCCESS) { /* the caller may reuse the data */
        result = cuda->driver.cuStreamSynchronize(cuda->stream);
    }
    return cuda_check(cuda, result, name, error);
}

/* ---- kernels ---- */

bool cuda_kernel_create(struct program *program, const char *name, struct kernel **kernel,
                        struct error *error) {
    struct cuda_device *cuda = cuda_device_of(program->device);
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    struct cuda_kernel *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, name);
    }
    CUresult result = cuda->driver.cuModuleGetFunction(
        &made->function, ((struct cuda_program *)program)->module, name);
    if (result != CUDA_SUCCESS) {
        free(made);
        return result == CUDA_ERROR_NOT_FOUND
                   ? fail(error, STATUS_COMPILE_ERROR, "there is no kernel named %s", name)
                   : cuda_check(cuda, result, name, error);
    }
    *kernel = &made->head;
    return true;
}

void cuda_kernel_free(struct kernel *kernel) {
    free(kernel); /* its head is the first member; the function belongs to the module */
}

void cuda_kernel_resources(const struct kernel *kernel, int *registers, int64_t *local_bytes) {
    const struct cuda_device *cuda = cuda_device_of(kernel->program->device);
    CUfunction function = ((const struct cuda_kernel *)kernel)->function;
    int value = 0;
    *registers = -1;
    *local_bytes = -1;
    if (cuda->driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function) ==
        CUDA_SUCCESS) {
        *registers = value;
    }
    if (cuda->driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) ==
        CUDA_SUCCESS) {
        *local_bytes = value;
    }
}

void cuda_kernel_divide(struct kernel *kernel, int local_percent) {
    const struct cuda_device *cuda = cuda_device_of(kernel->program->device);
    (void)cuda->driver.cuFuncSetAttribute(((const struct cuda_kernel *)kernel)->function,
                                          CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                          local_percent);
}

/* Asks the driver for the sizes of parameters, which it knows since CUDA 12.4, to catch wrong
 * arguments: the driver itself checks none. It is asked for as many as there are arguments and no
 * more, since memory checkers report a question beyond the last parameter; so too few arguments go
 * unnoticed. */
static bool learn_parameters(const struct cuda_device *cuda, struct cuda_kernel *kernel,
                             size_t count, struct error *error) {
    for (; kernel->known_parameters < count; kernel->known_parameters++) {
        size_t offset;
        if (cuda->driver.parameter_info(kernel->function, kernel->known_parameters, &offset,
                                        &kernel->parameter_bytes[kernel->known_parameters]) !=
            CUDA_SUCCESS) {
            return fail(error, STATUS_LAUNCH_ERROR, "%s: %zu arguments for %zu parameters",
                        kernel->head.name, count, kernel->known_parameters);
        }
    }
    return true;
}

static bool check_arguments(const struct cuda_device *cuda, struct cuda_kernel *kernel,
                            const struct argument *arguments, size_t count, struct error *error) {
    if (count > MAX_PARAMETERS) {
        return fail(error, STATUS_LAUNCH_ERROR, "%s: %zu arguments; at most %d are passed",
                    kernel->head.name, count, (int)MAX_PARAMETERS);
    }
    if (!cuda->driver.parameter_info) {
        return true;
    }
    if (!learn_parameters(cuda, kernel, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_pointer = arguments[i].buffer || arguments[i].is_local;
        size_t bytes = is_pointer ? sizeof(CUdeviceptr) : arguments[i].size;
        if (bytes != kernel->parameter_bytes[i]) {
            return fail(error, STATUS_LAUNCH_ERROR,
                        "%s: argument %zu has %zu bytes, its parameter %zu", kernel->head.name,
                        i + 1, bytes, kernel->parameter_bytes[i]);
        }
    }
    return true;
}

/* Where the values of arguments lie; `local_bytes` gets the local memory that they ask for. */
struct parameters {
    void *places[MAX_PARAMETERS];
    CUdeviceptr nowhere; /* the kernel finds its local memory by itself (LOCAL_ARGUMENT) */
    size_t local_bytes;
};

static void place_arguments(const struct argument *arguments, size_t count,
                            struct parameters *parameters) {
    parameters->nowhere = 0;
    parameters->local_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cuda_buffer *buffer = (const struct cuda_buffer *)arguments[i].buffer;
        parameters->places[i] =
            buffer ? (void *)&buffer->address : (void *)argument_bytes(&arguments[i]);
        if (arguments[i].is_local) {
            parameters->places[i] = &parameters->nowhere;
            parameters->local_bytes = arguments[i].size;
        }
    }
}

bool cuda_kernel_launch(struct kernel *kernel, size_t groups, size_t group_size,
                        const struct argument *arguments, size_t argument_count,
                        struct error *error) {
    struct cuda_device *cuda = cuda_device_of(kernel->program->device);
    struct cuda_kernel *made = (struct cuda_kernel *)kernel;
    int fixed = ((const struct cuda_program *)kernel->program)->group_size;
    struct parameters parameters;
    if (fixed && group_size != (size_t)fixed) {
        return fail(error, STATUS_LAUNCH_ERROR, "%s: launched in groups of %zu, compiled for %d",
                    kernel->name, group_size, fixed);
    }
    if (groups > INT_MAX) {
        return fail(error, STATUS_LAUNCH_ERROR, "%s: %zu groups; CUDA takes %d", kernel->name,
                    groups, INT_MAX);
    }
    if (!cuda_enter(cuda, error) ||
        !check_arguments(cuda, made, arguments, argument_count, error)) {
        return false;
    }
    place_arguments(arguments, argument_count, &parameters);
    CUresult result = cuda->driver.cuLaunchKernel(
        made->function, (unsigned)groups, 1, 1, (unsigned)group_size, 1, 1,
        (unsigned)parameters.local_bytes, cuda->stream, parameters.places, NULL);
    return cuda_check(cuda, result, kernel->name, error);
}

/* ---- grids ---- */

static size_t cluster_blocks(const struct kernel_shape *shape) {
    return shape->cluster[0] * shape->cluster[1] * shape->cluster[2];
}

/* `attribute` is the room for that of a cluster, which the configuration points to. */
static CUlaunchConfig configuration(const struct cuda_device *cuda,
                                    const struct kernel_shape *shape, size_t shared_bytes,
                                    CUlaunchAttribute *attribute) {
    CUlaunchConfig config = { .gridDimX = (unsigned)shape->grid[0],
                              .gridDimY = (unsigned)shape->grid[1],
                              .gridDimZ = (unsigned)shape->grid[2],
                              .blockDimX = (unsigned)shape->block[0],
                              .blockDimY = (unsigned)shape->block[1],
                              .blockDimZ = (unsigned)shape->block[2],
                              .sharedMemBytes = (unsigned)shared_bytes,
                              .hStream = cuda->stream };
    if (cluster_blocks(shape) > 1) {
        *attribute = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
        attribute->value.clusterDim.x = (unsigned)shape->cluster[0];
        attribute->value.clusterDim.y = (unsigned)shape->cluster[1];
        attribute->value.clusterDim.z = (unsigned)shape->cluster[2];
        config.attrs = attribute;
        config.numAttrs = 1;
    }
    return config;
}

/* Static and dynamic shared memory together must be what a block can have. */
static bool allow_shared(struct cuda_device *cuda, struct cuda_kernel *kernel,
                         const struct kernel_shape *shape, struct error *error) {
    const uint64_t most = cuda->head.info.dynamic_local_bytes;
    int registers;
    int64_t own;
    cuda_kernel_resources(&kernel->head, &registers, &own);
    own = own > 0 ? own : 0;
    if ((uint64_t)own + shape->shared_bytes > most) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: %zu bytes of dynamic shared memory and %lld of its own; a block has "
                    "%llu at most on %s",
                    kernel->head.name, shape->shared_bytes, (long long)own,
                    (unsigned long long)most, cuda->head.info.name);
    }
    if (shape->shared_bytes <= kernel->shared_allowed) {
        return true;
    }
    const CUresult result = cuda->driver.cuFuncSetAttribute(
        kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        (int)shape->shared_bytes);
    if (!cuda_check(cuda, result, kernel->head.name, error)) {
        return false;
    }
    kernel->shared_allowed = shape->shared_bytes;
    return true;
}

/* More than eight blocks are allowed where the device can have them resident together. */
static bool allow_cluster(struct cuda_device *cuda, struct cuda_kernel *kernel,
                          const struct kernel_shape *shape, struct error *error) {
    enum { PORTABLE = 8, SINCE_ARCHITECTURE = 90 };
    const size_t blocks = cluster_blocks(shape);
    CUlaunchAttribute attribute;
    const CUlaunchConfig config = configuration(cuda, shape, shape->shared_bytes, &attribute);
    CUresult result = CUDA_SUCCESS;
    int resident = 0;
    if (blocks <= 1) {
        return true;
    }
    if (cuda->head.info.architecture < SINCE_ARCHITECTURE) {
        return fail(error, STATUS_UNSUPPORTED, "%s: clusters of blocks need sm_90; %s is sm_%d",
                    kernel->head.name, cuda->head.info.name, cuda->head.info.architecture);
    }
    if (blocks > PORTABLE) {
        result = cuda->driver.cuFuncSetAttribute(
            kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    if (result == CUDA_SUCCESS) {
        result = cuda->driver.cuOccupancyMaxActiveClusters(&resident, kernel->function, &config);
    }
    return (result == CUDA_SUCCESS && resident > 0) ||
           fail(error, STATUS_UNSUPPORTED,
                "%s: %s cannot run a cluster of %zu blocks of this size at once; expected a "
                "smaller one (%d or less run where blocks are small)",
                kernel->head.name, cuda->head.info.name, blocks, (int)PORTABLE);
}

bool cuda_kernel_allow_shape(struct kernel *kernel, const struct kernel_shape *shape,
                             struct error *error) {
    static const size_t most[] = { INT_MAX, 65535, 65535 };
    struct cuda_device *cuda = cuda_device_of(kernel->program->device);
    struct cuda_kernel *made = (struct cuda_kernel *)kernel;
    const size_t threads = shape->block[0] * shape->block[1] * shape->block[2];
    int allowed = 0;
    if (cuda_enter(cuda, error) &&
        cuda->driver.cuFuncGetAttribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                        made->function) == CUDA_SUCCESS &&
        threads > (size_t)allowed) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a block of %zu threads; it was compiled for %d at most (registers, or "
                    "what its text says)",
                    kernel->name, threads, allowed);
    }
    for (int d = 0; d < 3; d++) {
        if (shape->grid[d] > most[d]) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s: a grid of %zu blocks along its dimension %d; CUDA takes %zu",
                        kernel->name, shape->grid[d], d + 1, most[d]);
        }
    }
    return cuda_enter(cuda, error) && allow_shared(cuda, made, shape, error) &&
           allow_cluster(cuda, made, shape, error);
}

bool cuda_kernel_launch_grid(struct kernel *kernel, const struct kernel_shape *shape,
                             const struct argument *arguments, size_t argument_count,
                             struct error *error) {
    struct cuda_device *cuda = cuda_device_of(kernel->program->device);
    struct cuda_kernel *made = (struct cuda_kernel *)kernel;
    CUlaunchAttribute attribute;
    struct parameters parameters;
    if (!cuda_enter(cuda, error) ||
        !check_arguments(cuda, made, arguments, argument_count, error)) {
        return false;
    }
    place_arguments(arguments, argument_count, &parameters);
    const CUlaunchConfig config =
        configuration(cuda, shape, shape->shared_bytes + parameters.local_bytes, &attribute);
    return cuda_check(
        cuda, cuda->driver.cuLaunchKernelEx(&config, made->function, parameters.places, NULL),
        kernel->name, error);
}
