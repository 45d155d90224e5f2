#include "core/strings.h"
#include "devices/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void opencl_definitions(const struct device *head, struct strbuf *text) {
    const struct opencl_device *device = (const struct opencl_device *)head;
    strbuf_append(text, "#define DEVICE_IS_NVIDIA %d\n", device->nvidia);
    if (head->info.subgroups_emulated) {
        strbuf_append(text, "#define SUBGROUPS_ARE_EMULATED 1\n");
    }
}

/* No fast-math of any kind: kernels add and subtract a large number to round, which such options
 * would remove. A fused multiply-add is welcome, as it is to CUDA's compiler. */
void opencl_options(const struct device *head, const struct program_source *source,
                    struct strbuf *options) {
    const struct opencl_device *device = (const struct opencl_device *)head;
    const bool emulated = head->info.subgroups_emulated && source->warp_size > 1;
    strbuf_append(options, "-cl-std=%s -cl-mad-enable", emulated ? "CL2.0" : "CL1.2");
    if (device->nvidia) {
        strbuf_append(options, " -cl-nv-verbose"); /* the log then has registers */
    }
}

/* ---- building ---- */

/* The compiler's log; NULL when memory ran out. */
static char *build_log(const struct opencl_device *device, cl_program program) {
    size_t length = 0;
    if (device->api.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                          &length) != CL_SUCCESS) {
        length = 0;
    }
    char *log = calloc(length + 1, 1);
    if (log && length > 0) {
        (void)device->api.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, length,
                                                log, NULL);
    }
    if (log) {
        trim_end(log, " \r\n");
    }
    return log;
}

/* Whether a line is the count that clang puts on standard error, as "1 warning and 1 error
 * generated.", beside a log that says more. */
static bool is_count_of_clang(const char *line) {
    static const char end[] = " generated.\n";
    const size_t length = strlen(line);
    return length >= sizeof end && line[0] >= '0' && line[0] <= '9' &&
           strcmp(line + length - (sizeof end - 1), end) == 0;
}

/* Passes on to standard error what was written into `kept`, without such counts. */
static void pass_on(int kept) {
    FILE *stream = fdopen(kept, "r");
    char line[1024];
    if (!stream) {
        (void)close(kept);
        return;
    }
    rewind(stream);
    while (fgets(line, sizeof line, stream)) {
        if (!is_count_of_clang(line)) {
            (void)fputs(line, stderr);
        }
    }
    (void)fclose(stream);
}

/* clBuildProgram, without clang's counts on standard error: of a kernel that is wrong in many cases
 * there would be a line per case. */
static cl_int build_quietly(const struct opencl_device *device, cl_program program,
                            const char *options) {
    const int kept = memfd_create("compiler", MFD_CLOEXEC);
    const int terminal = kept < 0 ? -1 : dup(STDERR_FILENO);
    const bool aside = terminal >= 0 && dup2(kept, STDERR_FILENO) >= 0;
    const cl_int code = device->api.clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    if (aside) {
        (void)dup2(terminal, STDERR_FILENO);
        pass_on(kept);
    } else if (kept >= 0) {
        (void)close(kept);
    }
    if (terminal >= 0) {
        (void)close(terminal);
    }
    return code;
}

/* Builds with up to two more options that change no code. BLOCKS_ARE_KEPT makes PoCL's cache, which
 * goes by text and options, miss what was compiled without kept blocks. -w replaces the silencing
 * of standard error in the process of another program, whose standard error is left alone. */
static cl_int build(const struct opencl_device *device, cl_program program, const char *options) {
    struct strbuf all = { 0 };
    strbuf_append(&all, "%s%s%s", options, device->keeps_blocks ? " -DBLOCKS_ARE_KEPT" : "",
                  device->head.is_shared ? " -w" : "");
    const cl_int code =
        all.failed ? CL_OUT_OF_HOST_MEMORY
        : device->head.is_shared
            ? device->api.clBuildProgram(program, 1, &device->id, all.data, NULL, NULL)
            : build_quietly(device, program, all.data);
    strbuf_free(&all);
    return code;
}

/* Builds and wraps `program`, which it owns from here on; one that was built before is left as it
 * is. */
static bool finish_program(struct opencl_device *device, const struct program_request *request,
                           cl_program program, bool is_built, struct program **result,
                           struct error *error) {
    cl_int code = is_built ? CL_SUCCESS : build(device, program, request->options);
    char *log = build_log(device, program);
    struct opencl_program *wrapped = calloc(1, sizeof *wrapped);
    if (code == CL_SUCCESS && log && wrapped) {
        wrapped->device = device;
        wrapped->program = program;
        wrapped->log = log;
        *result = &wrapped->head;
        return true;
    }
    if (!log || !wrapped) {
        (void)fail_out_of_memory(error, "a program");
    } else {
        (void)fail(error, STATUS_COMPILE_ERROR, "%s: OpenCL says %s (%d)%s%s", request->name,
                   opencl_error_name(code), code, *log ? ":\n" : "", log);
    }
    free(log);
    free(wrapped);
    (void)device->api.clReleaseProgram(program);
    return false;
}

/* ---- what PoCL built before ---- */

static void hash_request(const struct program_request *request, char hash[HASH_TEXT_SIZE]) {
    struct hash_state *state = hash_begin();
    hash_add_string(state, request->options);
    hash_add_string(state, request->text);
    hash_end(state, hash);
}

/* Retained for the caller; NULL where there is none. */
static cl_program find_built(const struct opencl_device *device, const char *hash) {
    for (int i = 0; i < BUILT_PROGRAMS && *hash; i++) {
        if (strcmp(device->built[i].hash, hash) == 0 &&
            device->api.clRetainProgram(device->built[i].program) == CL_SUCCESS) {
            return device->built[i].program;
        }
    }
    return NULL;
}

static void release_built(const struct opencl_device *device, struct built_program *built) {
    if (built->hash[0]) {
        (void)device->api.clReleaseProgram(built->program);
        built->hash[0] = '\0';
    }
}

/* Keeps a program in place of the oldest. */
static void keep_built(struct opencl_device *device, const char *hash, cl_program program) {
    struct built_program *place = &device->built[device->next_built];
    release_built(device, place);
    if (*hash && device->api.clRetainProgram(program) == CL_SUCCESS) {
        memcpy(place->hash, hash, sizeof place->hash);
        place->program = program;
        device->next_built = (device->next_built + 1) % BUILT_PROGRAMS;
    }
}

void opencl_release_built(struct opencl_device *device) {
    for (int i = 0; i < BUILT_PROGRAMS; i++) {
        release_built(device, &device->built[i]);
    }
}

/* PoCL puts the whole text through its preprocessor before it looks into its cache, which takes
 * longer than a small case: a text that was built before serves again. */
bool opencl_program_from_source(struct device *head, const struct program_request *request,
                                struct program **program, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    const char *text = request->text;
    char hash[HASH_TEXT_SIZE] = "";
    cl_int code = CL_SUCCESS;
    if (device->pocl) {
        hash_request(request, hash);
    }
    cl_program made = find_built(device, hash);
    if (made) {
        return finish_program(device, request, made, true, program, error);
    }
    made = device->api.clCreateProgramWithSource(device->context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS) {
        return opencl_check(error, STATUS_COMPILE_ERROR, code, request->name);
    }
    if (!finish_program(device, request, made, false, program, error)) {
        return false;
    }
    keep_built(device, hash, made);
    head->programs_compiled++;
    return true;
}

bool opencl_program_from_binary(struct device *head, const struct program_request *request,
                                const void *bytes, size_t length, struct program **program) {
    struct opencl_device *device = (struct opencl_device *)head;
    const unsigned char *binary = bytes;
    struct error ignored;
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    cl_program made = device->api.clCreateProgramWithBinary(device->context, 1, &device->id,
                                                            &length, &binary, &status, &code);
    if (code != CL_SUCCESS || status != CL_SUCCESS) {
        if (made) {
            (void)device->api.clReleaseProgram(made);
        }
        return false;
    }
    return finish_program(device, request, made, false, program, &ignored);
}

/* PoCL compiles a kernel when it is first launched, for the size of its work-groups, and keeps that
 * in a cache of its own. Asked for a binary, it compiles each kernel of the program once more, for
 * work-groups of any size, which takes as long again and serves nobody. */
bool opencl_program_binary(const struct program *head, void **bytes, size_t *length) {
    const struct opencl_program *program = (const struct opencl_program *)head;
    const struct opencl_api *api = &program->device->api;
    size_t size = 0; /* the context has one device, so there is one binary */
    if (program->device->pocl) {
        return false;
    }
    if (api->clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
                              NULL) != CL_SUCCESS ||
        size == 0) {
        return false;
    }
    unsigned char *binary = malloc(size);
    if (!binary) {
        return false;
    }
    if (api->clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                              NULL) != CL_SUCCESS) {
        free(binary);
        return false;
    }
    *bytes = binary;
    *length = size;
    return true;
}

void opencl_program_free(struct program *head) {
    struct opencl_program *program = (struct opencl_program *)head;
    (void)program->device->api.clReleaseProgram(program->program);
    free(program->log);
    free(program);
}

/* ---- kernels ---- */

bool opencl_kernel_create(struct program *head, const char *name, struct kernel **result,
                          struct error *error) {
    struct opencl_program *program = (struct opencl_program *)head;
    const struct opencl_api *api = &program->device->api;
    struct opencl_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel) {
        return fail_out_of_memory(error, "a kernel");
    }
    cl_int code = CL_SUCCESS;
    kernel->kernel = api->clCreateKernel(program->program, name, &code);
    if (code != CL_SUCCESS) {
        free(kernel);
        if (code == CL_INVALID_KERNEL_NAME) {
            return fail(error, STATUS_COMPILE_ERROR, "the program has no kernel called '%s'", name);
        }
        return opencl_check(error, STATUS_COMPILE_ERROR, code, name);
    }
    code = api->clGetKernelInfo(kernel->kernel, CL_KERNEL_NUM_ARGS, sizeof kernel->argument_count,
                                &kernel->argument_count, NULL);
    if (code != CL_SUCCESS) {
        (void)api->clReleaseKernel(kernel->kernel);
        free(kernel);
        return opencl_check(error, STATUS_COMPILE_ERROR, code, name);
    }
    kernel->program = program;
    *result = &kernel->head;
    return true;
}

void opencl_kernel_free(struct kernel *head) {
    struct opencl_kernel *kernel = (struct opencl_kernel *)head;
    (void)kernel->program->device->api.clReleaseKernel(kernel->kernel);
    free(kernel);
}

/* Reads registers from the log of NVIDIA's assembler: "... entry function 'name' ... Used 32
 * registers". */
static int registers_in_log(const char *log, const char *name) {
    char entry[KERNEL_NAME_SIZE + 24];
    int registers = -1;
    (void)snprintf(entry, sizeof entry, "entry function '%s'", name);
    const char *at = strstr(log, entry);
    const char *used = at ? strstr(at, "Used ") : NULL;
    const char *next = at ? strstr(at + 1, "entry function '") : NULL;
    if (used && (!next || used < next) && sscanf(used, "Used %d registers", &registers) != 1) {
        registers = -1;
    }
    return registers;
}

void opencl_kernel_resources(const struct kernel *head, int *registers, int64_t *local_bytes) {
    const struct opencl_kernel *kernel = (const struct opencl_kernel *)head;
    const struct opencl_device *device = kernel->program->device;
    cl_ulong bytes = 0;
    *registers = registers_in_log(kernel->program->log, kernel->head.name);
    if (device->api.clGetKernelWorkGroupInfo(kernel->kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                             sizeof bytes, &bytes, NULL) == CL_SUCCESS) {
        /* NVIDIA's driver says 1 of a kernel that uses none. */
        *local_bytes = device->nvidia && bytes == 1 ? 0 : (int64_t)bytes;
    }
}

static bool set_argument(const struct opencl_kernel *kernel, cl_uint place,
                         const struct argument *argument, struct error *error) {
    const struct opencl_buffer *buffer = (const struct opencl_buffer *)argument->buffer;
    size_t size = buffer ? sizeof buffer->memory : argument->size;
    const void *value = buffer               ? (const void *)&buffer->memory
                        : argument->is_local ? NULL
                                             : argument_bytes(argument);
    cl_int code = kernel->program->device->api.clSetKernelArg(kernel->kernel, place, size, value);
    if (code != CL_SUCCESS) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "%s: argument %u (%s of %zu bytes) is refused: OpenCL says %s (%d)",
                    kernel->head.name, place,
                    buffer               ? "a buffer"
                    : argument->is_local ? "local memory"
                                         : "a value",
                    buffer ? buffer->bytes : argument->size, opencl_error_name(code), code);
    }
    return true;
}

bool opencl_kernel_launch(struct kernel *head, size_t groups, size_t group_size,
                          const struct argument *arguments, size_t argument_count,
                          struct error *error) {
    struct opencl_kernel *kernel = (struct opencl_kernel *)head;
    const struct opencl_device *device = kernel->program->device;
    if (argument_count != kernel->argument_count) {
        return fail(error, STATUS_LAUNCH_ERROR, "%s takes %u arguments and was given %zu",
                    head->name, kernel->argument_count, argument_count);
    }
    for (size_t i = 0; i < argument_count; i++) {
        if (!set_argument(kernel, (cl_uint)i, &arguments[i], error)) {
            return false;
        }
    }
    size_t items = groups * group_size;
    cl_int code = device->api.clEnqueueNDRangeKernel(device->queue, kernel->kernel, 1, NULL, &items,
                                                     &group_size, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        (void)opencl_check(error, STATUS_LAUNCH_ERROR, code, head->name);
        return fail_within(error, "launching %zu groups of %zu", groups, group_size);
    }
    return true;
}
