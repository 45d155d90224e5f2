#include "core/strings.h"
#include "devices/cuda/cub.h"
#include "devices/cuda/cuda_device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_ARCHITECTURE = 75, /* of cub.cu's code */
    BUS_ID_SIZE = 32
};

struct cuda_event {
    struct event head;
    CUevent event;
};

/* ---- what there is ---- */

/* 0 where the driver does not know the attribute. */
static int attribute(const struct cuda_library *driver, CUdevice device,
                     CUdevice_attribute attribute) {
    int value = 0;
    return driver->cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

static int architecture_of(const struct cuda_library *driver, CUdevice device) {
    return 10 * attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

static struct nvml *open_nvml(const struct cuda_library *driver, CUdevice device) {
    char bus_id[BUS_ID_SIZE];
    return driver->cuDeviceGetPCIBusId(bus_id, sizeof bus_id, device) == CUDA_SUCCESS
               ? nvml_open(bus_id)
               : NULL;
}

static void describe_driver(const struct cuda_library *driver, CUdevice device,
                            struct device_info *info) {
    char version[64] = "";
    struct nvml *nvml = open_nvml(driver, device);
    if (nvml) {
        nvml_driver_version(nvml, version, sizeof version);
        info->power_limit_w = nvml_power_limit_w(nvml);
        nvml_close(nvml);
    }
    (void)snprintf(info->driver, sizeof info->driver, "%s%sCUDA %d.%d", version,
                   *version ? ", " : "", driver->version / 1000, driver->version % 1000 / 10);
}

static void describe_compiler(const struct cuda_library *driver, struct device_info *info) {
    struct nvrtc_library nvrtc;
    struct error error;
    if (!nvrtc_library_open(driver->version / 1000, &nvrtc, &error)) {
        (void)snprintf(info->unusable, sizeof info->unusable, "%.*s",
                       (int)sizeof info->unusable - 1, error.message);
        return;
    }
    (void)snprintf(info->toolkit, sizeof info->toolkit, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
    nvrtc_library_close(&nvrtc);
}

/* Later reasons overwrite earlier ones: the one that takes most to change stays. */
static void find_unusable(const struct cuda_library *driver, CUdevice device,
                          struct device_info *info) {
    int architecture = architecture_of(driver, device);
    int built_with = cub_runtime_version();
    if (attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED) {
        (void)snprintf(info->unusable, sizeof info->unusable,
                       "its compute mode prohibits computing");
    }
    if (driver->version / 1000 < built_with / 1000) {
        (void)snprintf(info->unusable, sizeof info->unusable,
                       "the driver supports CUDA %d.%d, pairmark was built with %d.%d",
                       driver->version / 1000, driver->version % 1000 / 10, built_with / 1000,
                       built_with % 1000 / 10);
    }
    if (architecture < MIN_ARCHITECTURE) {
        (void)snprintf(info->unusable, sizeof info->unusable,
                       "compute capability %d.%d; %d.%d is the least", architecture / 10,
                       architecture % 10, MIN_ARCHITECTURE / 10, MIN_ARCHITECTURE % 10);
    }
}

/* Since CUDA 12.1 devices of the Volta generation and later take more than the 4 KB of old. */
static uint64_t argument_bytes_of(const struct cuda_library *driver, CUdevice device) {
    enum { SINCE_VERSION = 12010, SINCE_ARCHITECTURE = 70, BEFORE = 4096, SINCE = 32764 };
    return driver->version >= SINCE_VERSION && architecture_of(driver, device) >= SINCE_ARCHITECTURE
               ? SINCE
               : BEFORE;
}

static void describe(const struct cuda_library *driver, int index, struct device_info *info) {
    CUdevice device = 0;
    size_t bytes = 0;
    *info = (struct device_info){ .kind = DEVICE_CUDA };
    (void)snprintf(info->name, sizeof info->name, "cuda:%d", index);
    if (driver->cuDeviceGet(&device, index) != CUDA_SUCCESS ||
        driver->cuDeviceGetName(info->model, sizeof info->model, device) != CUDA_SUCCESS ||
        driver->cuDeviceTotalMem(&bytes, device) != CUDA_SUCCESS) {
        (void)snprintf(info->unusable, sizeof info->unusable, "the driver cannot describe it");
        return;
    }
    info->memory_bytes = bytes;
    info->l2_bytes = (uint64_t)attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    info->local_bytes =
        (uint64_t)attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info->dynamic_local_bytes =
        (uint64_t)attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->architecture = architecture_of(driver, device);
    info->argument_bytes = argument_bytes_of(driver, device);
    info->compute_units = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->constant_bytes =
        (uint64_t)attribute(driver, device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    info->clock_mhz = attribute(driver, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    info->max_group_size = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->subgroup_size = attribute(driver, device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    info->subgroup_sizes = (unsigned)info->subgroup_size;
    info->fp64 = true;
    info->atomics64 = true;
    (void)snprintf(info->place, sizeof info->place, "%04x:%02x:%02x",
                   (unsigned)attribute(driver, device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) & 0xffff,
                   (unsigned)attribute(driver, device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) & 0xff,
                   (unsigned)attribute(driver, device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) & 0xff);
    describe_driver(driver, device, info);
    describe_compiler(driver, info);
    find_unusable(driver, device, info);
}

static bool cuda_enumerate(struct device_list *list, struct strbuf *note, struct error *error) {
    struct cuda_library driver;
    struct error reason;
    int count = 0;
    if (!cuda_library_open(&driver, &reason)) {
        strbuf_append(note, "%s", reason.message);
        return true;
    }
    bool listed = true;
    if (driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
        strbuf_append(note, "no NVIDIA GPU here");
    }
    for (int index = 0; listed && index < count; index++) {
        struct device_info info;
        describe(&driver, index, &info);
        listed = device_list_add(list, &info, error);
    }
    cuda_library_close(&driver);
    return listed;
}

/* ---- one device ---- */

/* Gives the thread back the context that it had before, unless that is the device's own, which is
 * released here. */
static void leave_for_good(struct cuda_device *cuda) {
    unsigned flags = 0;
    int active = 0;
    (void)cuda->driver.cuCtxSetCurrent(NULL);
    (void)cuda->driver.cuDevicePrimaryCtxRelease(cuda->device);
    (void)cuda->driver.cuDevicePrimaryCtxGetState(cuda->device, &flags, &active);
    if (cuda->outside && (active || cuda->outside != cuda->context)) {
        (void)cuda->driver.cuCtxSetCurrent(cuda->outside);
    }
}

static void cuda_close(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct error ignored;
    if (cuda->context && cuda_enter(cuda, &ignored)) {
        cuda_scratch_free(cuda, &cuda->scratch);
        cuda_scratch_free(cuda, &cuda->tickets);
        if (cuda->stream) {
            (void)cuda->driver.cuStreamSynchronize(cuda->stream);
            (void)cuda->driver.cuStreamDestroy(cuda->stream);
        }
        if (cuda->beside) {
            (void)cuda->driver.cuStreamDestroy(cuda->beside);
        }
        if (cuda->order) {
            (void)cuda->driver.cuEventDestroy(cuda->order);
        }
        if (cuda->left) {
            (void)cuda->driver.cuEventDestroy(cuda->left);
        }
    }
    if (cuda->context) {
        leave_for_good(cuda);
    }
    nvml_close(cuda->nvml);
    cufft_library_close(&cuda->fft);
    nvrtc_library_close(&cuda->nvrtc);
    cuda_library_close(&cuda->driver);
    free(cuda);
}

/* Chooses the architecture that kernels are compiled for. A device newer than NVRTC gets the newest
 * PTX that NVRTC makes. */
static void choose_architecture(struct cuda_device *cuda) {
    cuda->architecture = architecture_of(&cuda->driver, cuda->device);
    cuda->as_ptx = !nvrtc_library_supports(&cuda->nvrtc, cuda->architecture);
    if (cuda->as_ptx && cuda->architecture > cuda->nvrtc.max_architecture) {
        cuda->architecture = cuda->nvrtc.max_architecture;
    }
}

static bool open_libraries(struct cuda_device *cuda, struct error *error) {
    return cuda_library_open(&cuda->driver, error) &&
           nvrtc_library_open(cuda->driver.version / 1000, &cuda->nvrtc, error);
}

static bool open_context(struct cuda_device *cuda, int index, struct error *error) {
    const struct cuda_library *driver = &cuda->driver;
    CUresult result = driver->cuDeviceGet(&cuda->device, index);
    if (result == CUDA_SUCCESS) {
        result = driver->cuDevicePrimaryCtxRetain(&cuda->context, cuda->device);
    }
    if (result == CUDA_SUCCESS) {
        result = driver->cuCtxGetCurrent(&cuda->outside);
    }
    if (result == CUDA_SUCCESS) {
        result = driver->cuCtxSetCurrent(cuda->context);
    }
    if (result == CUDA_SUCCESS) {
        result = driver->cuStreamCreate(&cuda->stream, CU_STREAM_NON_BLOCKING);
        cuda->own_stream = cuda->stream;
    }
    return result == CUDA_SUCCESS ||
           cuda_library_fail(driver, result, STATUS_SYSTEM, "opening the device", error);
}

static bool cuda_open(const struct device_info *info, struct device **device, struct error *error) {
    const size_t prefix = sizeof "cuda:" - 1;
    const int index = (int)strtol(info->name + prefix, NULL, 10); /* as describe() wrote it */
    struct cuda_device *cuda = calloc(1, sizeof *cuda);
    if (!cuda) {
        return fail_out_of_memory(error, info->name);
    }
    if (!open_libraries(cuda, error) || !open_context(cuda, index, error)) {
        error->status = STATUS_SYSTEM;
        cuda_close(&cuda->head);
        return false;
    }
    choose_architecture(cuda);
    cuda->nvml = open_nvml(&cuda->driver, cuda->device);
    *device = &cuda->head;
    return true;
}

/* "sm_90", "sm_90, sm_100": those that NVRTC makes machine code for. */
static void list_architectures(const struct nvrtc_library *nvrtc, struct strbuf *names) {
    for (int a = nvrtc->min_architecture; a <= nvrtc->max_architecture; a++) {
        if (nvrtc_library_supports(nvrtc, a)) {
            strbuf_append(names, "%ssm_%d", names->length ? ", " : "", a);
        }
    }
}

static bool choose_named_architecture(struct cuda_device *cuda, const char *name,
                                      struct error *error) {
    static const char prefix[] = "sm_";
    char *end = NULL;
    const bool prefixed = strncmp(name, prefix, sizeof prefix - 1) == 0;
    const long number = prefixed ? strtol(name + sizeof prefix - 1, &end, 10) : 0;
    if (prefixed && !*end && number > 0 && number < 10000 &&
        nvrtc_library_supports(&cuda->nvrtc, (int)number)) {
        cuda->architecture = (int)number;
        return true;
    }
    struct strbuf names = { 0 };
    list_architectures(&cuda->nvrtc, &names);
    (void)fail(error, STATUS_BAD_INPUT,
               "there is no architecture '%.50s' for NVRTC %d.%d; expected one of %s", name,
               cuda->nvrtc.major, cuda->nvrtc.minor, names.data ? names.data : "");
    strbuf_free(&names);
    return false;
}

static bool cuda_open_compiler(const char *name, struct device **device, struct device_info *info,
                               struct error *error) {
    enum { BLOCK = 1024, SHARED = 48 << 10, WARP = 32 };
    struct cuda_device *cuda = calloc(1, sizeof *cuda);
    if (!cuda) {
        return fail_out_of_memory(error, name);
    }
    if (!nvrtc_library_open(cub_runtime_version() / 1000, &cuda->nvrtc, error) ||
        !choose_named_architecture(cuda, name, error)) {
        cuda_close(&cuda->head);
        return false;
    }
    *info = (struct device_info){ .kind = DEVICE_CUDA,
                                  .max_group_size = BLOCK,
                                  .local_bytes = SHARED,
                                  .subgroup_size = WARP,
                                  .subgroup_sizes = WARP,
                                  .architecture = cuda->architecture,
                                  .fp64 = true,
                                  .atomics64 = true };
    (void)snprintf(info->name, sizeof info->name, "%s", name);
    (void)snprintf(info->toolkit, sizeof info->toolkit, "NVRTC %d.%d", cuda->nvrtc.major,
                   cuda->nvrtc.minor);
    *device = &cuda->head;
    return true;
}

static bool cuda_finish(struct device *device, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    cuda->idle =
        cuda_enter(cuda, error) && cuda_check(cuda, cuda->driver.cuStreamSynchronize(cuda->stream),
                                              "waiting for the device", error);
    return cuda->idle;
}

/* Polls the word in memory. Now and then it asks the driver, too, which takes longer but knows of
 * failures. */
static bool cuda_wait_for_word(struct device *device, const int32_t *word, int32_t wanted,
                               struct error *error) {
    enum { LOOKS = 1 << 12 };
    struct cuda_device *cuda = cuda_device_of(device);
    const volatile int32_t *seen = word;
    for (unsigned look = 1; *seen != wanted; look++) {
        if (look % LOOKS == 0 && cuda->driver.cuStreamQuery(cuda->stream) != CUDA_ERROR_NOT_READY) {
            return cuda_finish(device, error);
        }
    }
    atomic_thread_fence(memory_order_acquire);
    return true;
}

static void cuda_read_state(struct device *device, struct device_state *state) {
    const struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->nvml) {
        nvml_read(cuda->nvml, state);
    }
}

static void cuda_read_clock(struct device *device, struct device_state *state) {
    const struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->nvml) {
        nvml_read_clock(cuda->nvml, state);
    }
}

/* ---- memory ---- */

static bool cuda_buffer_allocate(struct device *device, size_t bytes, struct buffer **buffer,
                                 struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    struct cuda_buffer *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a buffer");
    }
    CUresult result = cuda->driver.cuMemAlloc(&made->address, bytes);
    if (result != CUDA_SUCCESS) {
        char what[64];
        (void)snprintf(what, sizeof what, "%zu bytes of device memory", bytes);
        free(made);
        return cuda_check(cuda, result, what, error);
    }
    *buffer = &made->head;
    return true;
}

static void cuda_buffer_free(struct buffer *buffer) {
    struct cuda_device *cuda = cuda_device_of(buffer->device);
    struct error ignored;
    if (!((struct cuda_buffer *)buffer)->is_view && cuda_enter(cuda, &ignored)) {
        (void)cuda->driver.cuStreamSynchronize(cuda->stream); /* work on it may be enqueued */
        (void)cuda->driver.cuMemFree(cuda_address(buffer));
    }
    free(buffer); /* its head is the first member */
}

static bool cuda_buffer_view(struct buffer *whole, size_t offset, size_t bytes,
                             struct buffer **view, struct error *error) {
    struct cuda_buffer *made = calloc(1, sizeof *made);
    (void)bytes;
    if (!made) {
        return fail_out_of_memory(error, "a buffer");
    }
    made->address = cuda_address(whole) + offset;
    made->is_view = true;
    *view = &made->head;
    return true;
}

static bool cuda_buffer_write_enqueued(struct buffer *buffer, size_t offset, const void *data,
                                       size_t bytes, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(buffer->device);
    return cuda_enter(cuda, error) &&
           cuda_check(cuda,
                      cuda->driver.cuMemcpyHtoDAsync(cuda_address(buffer) + offset, data, bytes,
                                                     cuda->stream),
                      "copying to the device", error);
}

static bool cuda_buffer_read_enqueued(const struct buffer *buffer, size_t offset, void *data,
                                      size_t bytes, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(buffer->device);
    return cuda_enter(cuda, error) &&
           cuda_check(cuda,
                      cuda->driver.cuMemcpyDtoHAsync(data, cuda_address(buffer) + offset, bytes,
                                                     cuda->stream),
                      "copying from the device", error);
}

/* Waits, since the driver may read pageable memory after an asynchronous copy has returned. */
static bool cuda_buffer_write(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                              struct error *error) {
    return cuda_buffer_write_enqueued(buffer, offset, data, bytes, error) &&
           cuda_finish(buffer->device, error);
}

static bool cuda_buffer_read(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                             struct error *error) {
    return cuda_buffer_read_enqueued(buffer, offset, data, bytes, error) &&
           cuda_finish(buffer->device, error);
}

static bool cuda_host_allocate(struct device *device, size_t bytes, void **memory,
                               struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    return cuda_enter(cuda, error) &&
           cuda_check(cuda, cuda->driver.cuMemHostAlloc(memory, bytes, 0), "page-locked memory",
                      error);
}

static void cuda_host_free(struct device *device, void *memory) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct error ignored;
    if (cuda_enter(cuda, &ignored)) {
        (void)cuda->driver.cuStreamSynchronize(cuda->stream); /* copies may be enqueued */
        (void)cuda->driver.cuMemFreeHost(memory);
    }
}

static bool cuda_buffer_fill(struct buffer *buffer, unsigned char value, size_t bytes,
                             struct error *error) {
    struct cuda_device *cuda = cuda_device_of(buffer->device);
    CUdeviceptr address = cuda_address(buffer);
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    CUresult result =
        bytes % 4 == 0
            ? cuda->driver.cuMemsetD32Async(address, value * 0x01010101u, bytes / 4, cuda->stream)
            : cuda->driver.cuMemsetD8Async(address, value, bytes, cuda->stream);
    return cuda_check(cuda, result, "filling device memory", error);
}

/* ---- time ---- */

static bool cuda_event_create(struct device *device, struct event **event, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    struct cuda_event *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a time stamp");
    }
    CUresult result = cuda->driver.cuEventCreate(&made->event, CU_EVENT_DEFAULT);
    if (result != CUDA_SUCCESS) {
        free(made);
        return cuda_check(cuda, result, "making a time stamp", error);
    }
    *event = &made->head;
    return true;
}

static void cuda_event_free(struct event *event) {
    struct cuda_device *cuda = cuda_device_of(event->device);
    struct error ignored;
    if (cuda_enter(cuda, &ignored)) {
        (void)cuda->driver.cuEventDestroy(((struct cuda_event *)event)->event);
    }
    free(event); /* its head is the first member */
}

static bool cuda_event_record(struct event *event, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(event->device);
    return cuda_enter(cuda, error) &&
           cuda_check(cuda,
                      cuda->driver.cuEventRecord(((struct cuda_event *)event)->event, cuda->stream),
                      "setting a time stamp", error);
}

static bool cuda_event_wait(struct event *event, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(event->device);
    return cuda_enter(cuda, error) &&
           cuda_check(cuda, cuda->driver.cuEventSynchronize(((struct cuda_event *)event)->event),
                      "waiting for a time stamp", error);
}

static bool cuda_event_elapsed(struct event *from, struct event *to, double *seconds,
                               struct error *error) {
    struct cuda_device *cuda = cuda_device_of(from->device);
    CUevent first = ((struct cuda_event *)from)->event;
    CUevent last = ((struct cuda_event *)to)->event;
    float milliseconds = 0;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    CUresult result = cuda->driver.cuEventSynchronize(first);
    if (result == CUDA_SUCCESS) {
        result = cuda->driver.cuEventSynchronize(last);
    }
    if (result == CUDA_SUCCESS) {
        result = cuda->driver.cuEventElapsedTime(&milliseconds, first, last);
    }
    if (!cuda_check(cuda, result, "reading time stamps", error)) {
        return false;
    }
    *seconds = 1e-3 * (double)milliseconds;
    return true;
}

const struct device_backend device_backend_cuda = {
    .name = "cuda",
    .prelude_path = "harness/devices/cuda/prelude_cuda.h",
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .open_compiler = cuda_open_compiler,
    .close = cuda_close,
    .enter = cuda_enter_shared,
    .leave = cuda_leave_shared,
    .buffer_wrap = cuda_buffer_wrap,
    .adopt_queue = cuda_adopt_queue,
    .return_queue = cuda_return_queue,
    .finish = cuda_finish,
    .wait_for_word = cuda_wait_for_word,
    .read_state = cuda_read_state,
    .read_clock = cuda_read_clock,
    .buffer_allocate = cuda_buffer_allocate,
    .buffer_free = cuda_buffer_free,
    .buffer_view = cuda_buffer_view,
    .buffer_write = cuda_buffer_write,
    .buffer_read = cuda_buffer_read,
    .buffer_fill = cuda_buffer_fill,
    .buffer_write_enqueued = cuda_buffer_write_enqueued,
    .buffer_read_enqueued = cuda_buffer_read_enqueued,
    .host_allocate = cuda_host_allocate,
    .host_free = cuda_host_free,
    .beside_begin = cuda_beside_begin,
    .beside_end = cuda_beside_end,
    .beside_join = cuda_beside_join,
    .capture_begin = cuda_capture_begin,
    .capture_end = cuda_capture_end,
    .graph_is_stale = cuda_graph_is_stale,
    .graph_launch = cuda_graph_launch,
    .graph_free = cuda_graph_free,
    .definitions = cuda_definitions,
    .options = cuda_options,
    .program_from_source = cuda_program_from_source,
    .program_from_binary = cuda_program_from_binary,
    .program_binary = cuda_program_binary,
    .program_free = cuda_program_free,
    .program_write_constant = cuda_program_write_constant,
    .kernel_create = cuda_kernel_create,
    .kernel_free = cuda_kernel_free,
    .kernel_resources = cuda_kernel_resources,
    .kernel_divide = cuda_kernel_divide,
    .kernel_launch = cuda_kernel_launch,
    .kernel_allow_shape = cuda_kernel_allow_shape,
    .kernel_launch_grid = cuda_kernel_launch_grid,
    .event_create = cuda_event_create,
    .event_free = cuda_event_free,
    .event_record = cuda_event_record,
    .event_wait = cuda_event_wait,
    .event_elapsed = cuda_event_elapsed,
    .sort_pairs = cuda_sort_pairs,
    .exclusive_scan = cuda_exclusive_scan,
    .sum = cuda_sum,
    .library_sum = cuda_library_sum,
    .transform_create = cuda_transform_create,
    .transform_run = cuda_transform_run,
    .transform_free = cuda_transform_free,
};
