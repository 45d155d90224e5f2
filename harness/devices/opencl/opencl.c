#include "devices/opencl/opencl.h"
#include "core/strings.h"
#include "devices/kept_blocks/kept_blocks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is ---- */

static void squeeze(char *words) {
    char *to = words;
    for (const char *from = words; *from; from++) {
        bool blank = isspace((unsigned char)*from);
        if (!blank || (to > words && to[-1] != ' ')) {
            *to++ = blank ? ' ' : *from;
        }
    }
    while (to > words && to[-1] == ' ') {
        to--;
    }
    *to = '\0';
}

/* A text property, cut to `size`; "" where the driver has none. */
static void device_string(const struct opencl_api *api, cl_device_id id, cl_device_info what,
                          char *words, size_t size) {
    size_t length = 0;
    words[0] = '\0';
    if (api->clGetDeviceInfo(id, what, 0, NULL, &length) != CL_SUCCESS || length == 0) {
        return;
    }
    char *whole = calloc(length + 1, 1);
    if (whole && api->clGetDeviceInfo(id, what, length, whole, NULL) == CL_SUCCESS) {
        squeeze(whole);
        (void)snprintf(words, size, "%s", whole);
    }
    free(whole);
}

/* A number of any of the widths that OpenCL uses; 0 where the driver has none. */
static uint64_t device_number(const struct opencl_api *api, cl_device_id id, cl_device_info what) {
    unsigned char bytes[8] = { 0 };
    uint32_t narrow;
    uint64_t wide;
    size_t length = 0;
    if (api->clGetDeviceInfo(id, what, sizeof bytes, bytes, &length) != CL_SUCCESS) {
        return 0;
    }
    memcpy(&narrow, bytes, sizeof narrow);
    memcpy(&wide, bytes, sizeof wide);
    return length == sizeof narrow ? narrow : wide;
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static enum device_class class_of(cl_device_type type) {
    if (type & CL_DEVICE_TYPE_GPU) {
        return DEVICE_OPENCL_GPU;
    }
    return type & CL_DEVICE_TYPE_CPU ? DEVICE_OPENCL_CPU : DEVICE_OPENCL_OTHER;
}

static bool is_pocl(const struct opencl_api *api, cl_device_id id) {
    char version[256];
    device_string(api, id, CL_DEVICE_VERSION, version, sizeof version);
    return strcasestr(version, "pocl") != NULL;
}

/* PoCL from 5.0 to below 7, which compiles kernels wrongly where freed memory is used again. */
static bool reuses_notes(const struct opencl_api *api, cl_device_id id) {
    char driver[128];
    device_string(api, id, CL_DRIVER_VERSION, driver, sizeof driver);
    const long major = strtol(driver, NULL, 10);
    return is_pocl(api, id) && major >= 5 && major < 7;
}

static void explain_caution(const struct opencl_api *api, cl_device_id id,
                            struct device_info *info) {
    if (reuses_notes(api, id) && !pairmark_keep_blocks) {
        (void)snprintf(info->caution, sizeof info->caution,
                       "PoCL %.40s compiles some kernels wrongly, unless libpairmark_pocl.so is "
                       "preloaded (docs/devices.md#pocl-50-to-6x)",
                       info->driver);
    }
}

/* The width that PAIRMARK_SUBGROUPS names; 0: it is not set; 1: none. */
static unsigned asked_width(void) {
    const char *asked = getenv("PAIRMARK_SUBGROUPS");
    const char *const widths[] = { "8", "16", "32", "64" };
    unsigned width = asked && *asked;
    for (unsigned w = 0; asked && w < sizeof widths / sizeof widths[0]; w++) {
        width = strcmp(asked, widths[w]) == 0 ? 8U << w : width;
    }
    return width;
}

static void explain_unusable(const struct opencl_api *api, cl_device_id id,
                             struct device_info *info) {
    char version[64];
    int major = 0;
    int minor = 0;
    device_string(api, id, CL_DEVICE_VERSION, version, sizeof version);
    bool known = sscanf(version, "OpenCL %d.%d", &major, &minor) == 2;
    const char *why = NULL;
    if (!device_number(api, id, CL_DEVICE_AVAILABLE)) {
        why = "its driver says that it is not available";
    } else if (!device_number(api, id, CL_DEVICE_COMPILER_AVAILABLE)) {
        why = "its driver has no compiler";
    } else if (!known || major < 1 || (major == 1 && minor < 2)) {
        why = "it is older than OpenCL 1.2";
    } else if (!device_number(api, id, CL_DEVICE_ENDIAN_LITTLE)) {
        why = "it is big-endian";
    } else if (asked_width() == 1) {
        why = "PAIRMARK_SUBGROUPS is no width; expected 8, 16, 32 or 64";
    }
    (void)snprintf(info->unusable, sizeof info->unusable, "%s", why ? why : "");
}

/* The sizes of sub-groups that a kernel can demand, powers of two, added up. */
static unsigned demandable(const struct opencl_api *api, cl_device_id id) {
    enum { MAX_SIZES = 64, WIDEST = 64 };
    size_t sizes[MAX_SIZES];
    size_t bytes = 0;
    unsigned sum = 0;
    if (api->clGetDeviceInfo(id, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) !=
        CL_SUCCESS) {
        return 0;
    }
    for (size_t i = 0; i < bytes / sizeof *sizes; i++) {
        const bool is_power = (sizes[i] & (sizes[i] - 1)) == 0;
        sum |= is_power && sizes[i] > 1 && sizes[i] <= WIDEST ? (unsigned)sizes[i] : 0;
    }
    return sum;
}

/* The widths that the prelude's SHUFFLE works in. NVIDIA's is fixed by the hardware; elsewhere they
 * are known where kernels can demand them. PAIRMARK_SUBGROUPS leaves one of them, which a processor
 * that has none emulates. */
static void find_subgroups(const struct opencl_api *api, cl_device_id id, const char *extensions,
                           struct device_info *info) {
    enum { WARP = 32 };
    const unsigned only = asked_width();
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        info->subgroup_sizes = (unsigned)device_number(api, id, CL_DEVICE_WARP_SIZE_NV);
    } else if (has_word(extensions, "cl_khr_subgroup_shuffle") &&
               has_word(extensions, "cl_intel_required_subgroup_size")) {
        info->subgroup_sizes = demandable(api, id);
    } else if (info->is_cpu && only > 1) {
        info->subgroup_sizes = only;
        info->subgroups_emulated = true;
    }
    info->subgroup_sizes &= only ? only : ~0U;
    int widest = WARP;
    while (widest > 1 && !(info->subgroup_sizes & (unsigned)widest)) {
        widest /= 2;
    }
    info->subgroup_size = widest > 1 ? widest : info->subgroup_sizes > 1 ? 2 * WARP : 1;
}

/* Where the card sits on the bus, if the driver reports it: in the same words as CUDA's, so that
 * one card is known by both. */
static void find_place(const struct opencl_api *api, cl_device_id id, const char *extensions,
                       char *place, size_t size) {
    cl_device_pci_bus_info_khr info = { 0 };
    const bool known = has_word(extensions, "cl_khr_pci_bus_info") &&
                       api->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof info, &info,
                                            NULL) == CL_SUCCESS;
    if (!known && has_word(extensions, "cl_nv_device_attribute_query")) {
        enum { BUS_NV = 0x4008, SLOT_NV = 0x4009, DOMAIN_NV = 0x400A }; /* slot: device * 8 + f */
        info.pci_domain = (cl_uint)device_number(api, id, DOMAIN_NV);
        info.pci_bus = (cl_uint)device_number(api, id, BUS_NV);
        info.pci_device = (cl_uint)device_number(api, id, SLOT_NV) >> 3;
    } else if (!known) {
        return;
    }
    (void)snprintf(place, size, "%04x:%02x:%02x", info.pci_domain & 0xffff, info.pci_bus & 0xff,
                   info.pci_device & 0xff);
}

static void describe(const struct opencl_api *api, cl_platform_id platform, cl_device_id id,
                     struct device_info *info) {
    char extensions[8192];
    device_string(api, id, CL_DEVICE_NAME, info->model, sizeof info->model);
    device_string(api, id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_string(api, id, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    (void)api->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof info->toolkit - 1,
                                 info->toolkit, NULL);
    squeeze(info->toolkit);
    info->kind = class_of(device_number(api, id, CL_DEVICE_TYPE));
    info->is_cpu = info->kind == DEVICE_OPENCL_CPU;
    info->in_place = info->is_cpu && is_pocl(api, id);
    info->memory_bytes = device_number(api, id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->l2_bytes = device_number(api, id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->local_bytes = device_number(api, id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->constant_bytes = device_number(api, id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    info->argument_bytes = device_number(api, id, CL_DEVICE_MAX_PARAMETER_SIZE);
    info->compute_units = (int)device_number(api, id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = (int)device_number(api, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->max_group_size = (int)device_number(api, id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    find_subgroups(api, id, extensions, info);
    info->fp64 = has_word(extensions, "cl_khr_fp64") ||
                 device_number(api, id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->atomics64 = has_word(extensions, "cl_khr_int64_base_atomics");
    find_place(api, id, extensions, info->place, sizeof info->place);
    explain_caution(api, id, info);
    explain_unusable(api, id, info);
}

/* The devices of one platform, in its own order; caller frees. NULL where it has none. */
static cl_device_id *platform_devices(const struct opencl_api *api, cl_platform_id platform,
                                      cl_uint *count) {
    *count = 0;
    if (api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, count) != CL_SUCCESS ||
        *count == 0) {
        *count = 0;
        return NULL;
    }
    cl_device_id *ids = calloc(*count, sizeof(cl_device_id));
    if (!ids ||
        api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, *count, ids, NULL) != CL_SUCCESS) {
        free(ids);
        *count = 0;
        return NULL;
    }
    return ids;
}

static bool list_platform(const struct opencl_api *api, cl_platform_id platform, cl_uint place,
                          struct device_list *list, struct error *error) {
    cl_uint count;
    cl_device_id *ids = platform_devices(api, platform, &count);
    bool listed = true;
    for (cl_uint d = 0; listed && d < count; d++) {
        struct device_info info = { 0 };
        (void)snprintf(info.name, sizeof info.name, "opencl:%u:%u", place, d);
        describe(api, platform, ids[d], &info);
        listed = device_list_add(list, &info, error);
    }
    free(ids);
    return listed;
}

static bool opencl_enumerate(struct device_list *list, struct strbuf *note, struct error *error) {
    struct opencl_api api;
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    if (!opencl_load(&api, &platforms, &count, note)) {
        return true;
    }
    size_t before = list->count;
    bool listed = true;
    for (cl_uint p = 0; listed && p < count; p++) {
        listed = list_platform(&api, platforms[p], p, list, error);
    }
    free(platforms);
    if (listed && list->count == before) {
        strbuf_append(note,
                      "%sthe OpenCL platforms here have no device (PoCL has none where it cannot "
                      "write its cache: POCL_CACHE_DIR names another folder)",
                      note->length ? "; " : "");
    }
    return listed;
}

/* ---- one device ---- */

static bool find_id(struct opencl_device *device, const char *name, struct error *error) {
    unsigned place = 0;
    unsigned number = 0;
    struct strbuf note = { 0 };
    cl_platform_id *platforms = NULL;
    cl_uint platform_count = 0;
    cl_uint count = 0;
    bool loaded = opencl_load(&device->api, &platforms, &platform_count, &note);
    if (loaded && sscanf(name, "opencl:%u:%u", &place, &number) == 2 && place < platform_count) {
        cl_device_id *ids = platform_devices(&device->api, platforms[place], &count);
        device->id = number < count ? ids[number] : NULL;
        free(ids);
    }
    free(platforms);
    bool found = device->id != NULL;
    if (!found) {
        (void)fail(error, STATUS_SYSTEM, "%s", loaded ? "it is gone" : note.data);
    }
    strbuf_free(&note);
    return found;
}

static void opencl_close(struct device *head) {
    struct opencl_device *device = (struct opencl_device *)head;
    opencl_primitives_free(device->primitives);
    opencl_release_built(device);
    if (device->queue) {
        (void)device->api.clFinish(device->queue);
        (void)device->api.clReleaseCommandQueue(device->queue);
    }
    if (device->example) {
        (void)device->api.clReleaseMemObject(device->example);
    }
    if (device->context) {
        (void)device->api.clReleaseContext(device->context);
    }
    free(device);
}

/* A queue in the device's context, or in one that is made. */
static bool open_queue(struct opencl_device *device, bool is_cpu, struct error *error) {
    char vendor[128];
    char version[256];
    cl_int code = CL_SUCCESS;
    device_string(&device->api, device->id, CL_DEVICE_VENDOR, vendor, sizeof vendor);
    device->nvidia = strstr(vendor, "NVIDIA") != NULL && !is_cpu;
    device_string(&device->api, device->id, CL_DEVICE_VERSION, version, sizeof version);
    device->pocl = is_pocl(&device->api, device->id);
    device->keeps_blocks = reuses_notes(&device->api, device->id) && pairmark_keep_blocks;
    if (device->keeps_blocks) {
        pairmark_keep_blocks();
    }
    device->oclgrind = strcasestr(version, "oclgrind") != NULL;
    if (!device->context) {
        device->context = device->api.clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    }
    if (code == CL_SUCCESS) {
        device->queue = device->api.clCreateCommandQueue(device->context, device->id,
                                                         CL_QUEUE_PROFILING_ENABLE, &code);
    }
    return opencl_check(error, STATUS_SYSTEM, code, "opening the device");
}

/* The device, once it is opened; else it is closed. */
static bool give_opened(struct opencl_device *device, bool is_opened, struct device **head) {
    if (is_opened) {
        *head = &device->head;
    } else {
        opencl_close(&device->head);
    }
    return is_opened;
}

static bool opencl_open(const struct device_info *info, struct device **head, struct error *error) {
    struct opencl_device *device = calloc(1, sizeof *device);
    return device ? give_opened(device,
                                find_id(device, info->name, error) &&
                                    open_queue(device, info->is_cpu, error),
                                head)
                  : fail_out_of_memory(error, "a device");
}

/* Which of the listed devices a program means: its name and its platform. */
static bool find_handle(struct opencl_device *device, cl_device_id wanted, struct device_info *info,
                        struct error *error) {
    struct strbuf note = { 0 };
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    if (!opencl_load(&device->api, &platforms, &count, &note)) {
        (void)fail(error, STATUS_SYSTEM, "%s", note.data);
    } else {
        (void)fail(error, STATUS_BAD_INPUT, "the cl_device_id is none of the OpenCL devices here");
    }
    strbuf_free(&note);
    for (cl_uint p = 0; p < count && !device->id; p++) {
        cl_uint of_platform;
        cl_device_id *ids = platform_devices(&device->api, platforms[p], &of_platform);
        for (cl_uint d = 0; d < of_platform && !device->id; d++) {
            if (ids[d] == wanted) {
                device->id = wanted;
                (void)snprintf(info->name, sizeof info->name, "opencl:%u:%u", p, d);
                describe(&device->api, platforms[p], wanted, info);
            }
        }
        free(ids);
    }
    free(platforms);
    return device->id && (!info->unusable[0] || fail(error, STATUS_SYSTEM, "%s cannot be used: %s",
                                                     info->name, info->unusable));
}

/* Keeps the program's context, with a buffer in it that shows what its objects begin with. */
static bool take_context(struct opencl_device *device, void *context, struct error *error) {
    if (device->api.clRetainContext(context) == CL_SUCCESS) {
        device->context = context;
        device->example = device->api.clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, NULL);
    }
    return device->example || fail(error, STATUS_BAD_INPUT, "no cl_context that OpenCL knows");
}

static bool opencl_open_within(void *context, void *id, struct device_info *info,
                               struct device **head, struct error *error) {
    struct opencl_device *device = calloc(1, sizeof *device);
    return device ? give_opened(device,
                                find_handle(device, id, info, error) &&
                                    take_context(device, context, error) &&
                                    open_queue(device, info->is_cpu, error),
                                head)
                  : fail_out_of_memory(error, "a device");
}

static bool opencl_finish(struct device *head, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    return opencl_check(error, STATUS_LAUNCH_ERROR, device->api.clFinish(device->queue),
                        "waiting for the device");
}

/* ---- buffers ---- */

static bool opencl_buffer_allocate(struct device *head, size_t bytes, struct buffer **result,
                                   struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    /* Checked here as well: some drivers promise more than there is and fail at the first use. */
    if (bytes > device->head.info.memory_bytes - device->allocated) {
        return fail(error, STATUS_OUT_OF_MEMORY,
                    "%zu bytes do not fit the %llu bytes of %s, of which %llu are taken", bytes,
                    (unsigned long long)device->head.info.memory_bytes, device->head.info.name,
                    (unsigned long long)device->allocated);
    }
    struct opencl_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return fail_out_of_memory(error, "a buffer");
    }
    cl_int code = CL_SUCCESS;
    buffer->memory =
        device->api.clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS) {
        free(buffer);
        return fail(error, STATUS_OUT_OF_MEMORY, "%s cannot give %zu bytes: OpenCL says %s (%d)",
                    device->head.info.name, bytes, opencl_error_name(code), code);
    }
    buffer->device = device;
    buffer->bytes = bytes;
    device->allocated += bytes;
    *result = &buffer->head;
    return true;
}

static void opencl_buffer_free(struct buffer *head) {
    struct opencl_buffer *buffer = (struct opencl_buffer *)head;
    buffer->device->allocated -= buffer->bytes;
    (void)buffer->device->api.clReleaseMemObject(buffer->memory);
    free(buffer);
}

static bool opencl_buffer_view(struct buffer *head, size_t offset, size_t bytes,
                               struct buffer **view, struct error *error) {
    const struct opencl_buffer *whole = (const struct opencl_buffer *)head;
    const struct opencl_api *api = &whole->device->api;
    const cl_buffer_region region = { offset, bytes };
    cl_int code = CL_SUCCESS;
    struct opencl_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return fail_out_of_memory(error, "a buffer");
    }
    buffer->device = whole->device;
    buffer->memory = api->clCreateSubBuffer(whole->memory, CL_MEM_READ_WRITE,
                                            CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != CL_SUCCESS) {
        free(buffer);
        return opencl_check(error, STATUS_LAUNCH_ERROR, code, "a part of a buffer");
    }
    *view = &buffer->head;
    return true;
}

static bool copy_in(struct buffer *head, size_t offset, const void *data, size_t bytes,
                    cl_bool waits, struct error *error) {
    struct opencl_buffer *buffer = (struct opencl_buffer *)head;
    cl_int code = buffer->device->api.clEnqueueWriteBuffer(
        buffer->device->queue, buffer->memory, waits, offset, bytes, data, 0, NULL, NULL);
    return opencl_check(error, STATUS_LAUNCH_ERROR, code, "copying to the device");
}

static bool copy_out(const struct buffer *head, size_t offset, void *data, size_t bytes,
                     cl_bool waits, struct error *error) {
    const struct opencl_buffer *buffer = (const struct opencl_buffer *)head;
    cl_int code = buffer->device->api.clEnqueueReadBuffer(
        buffer->device->queue, buffer->memory, waits, offset, bytes, data, 0, NULL, NULL);
    return opencl_check(error, STATUS_LAUNCH_ERROR, code, "copying from the device");
}

static bool opencl_buffer_write(struct buffer *buffer, size_t offset, const void *data,
                                size_t bytes, struct error *error) {
    return copy_in(buffer, offset, data, bytes, CL_TRUE, error);
}

static bool opencl_buffer_read(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                               struct error *error) {
    return copy_out(buffer, offset, data, bytes, CL_TRUE, error);
}

static bool opencl_buffer_write_enqueued(struct buffer *buffer, size_t offset, const void *data,
                                         size_t bytes, struct error *error) {
    return copy_in(buffer, offset, data, bytes, CL_FALSE, error);
}

static bool opencl_buffer_read_enqueued(const struct buffer *buffer, size_t offset, void *data,
                                        size_t bytes, struct error *error) {
    return copy_out(buffer, offset, data, bytes, CL_FALSE, error);
}

static bool fill_from_host(struct buffer *buffer, unsigned char value, size_t bytes,
                           struct error *error) {
    unsigned char *data = malloc(bytes);
    if (!data) {
        return fail_out_of_memory(error, "the filling of a buffer");
    }
    memset(data, value, bytes);
    const bool filled = copy_in(buffer, 0, data, bytes, CL_TRUE, error);
    free(data);
    return filled;
}

/* Drivers fill one pattern at a time, so the widest that divides the length is taken; where not
 * even 4 bytes do, the rest is filled by itself. */
static bool opencl_buffer_fill(struct buffer *head, unsigned char value, size_t bytes,
                               struct error *error) {
    struct opencl_buffer *buffer = (struct opencl_buffer *)head;
    const struct opencl_api *api = &buffer->device->api;
    unsigned char pattern[16];
    if (buffer->device->oclgrind) {
        return fill_from_host(head, value, bytes, error);
    }
    memset(pattern, value, sizeof pattern);
    size_t width = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
    size_t bulk = bytes - bytes % width;
    cl_int code = CL_SUCCESS;
    if (bulk > 0) {
        code = api->clEnqueueFillBuffer(buffer->device->queue, buffer->memory, pattern, width, 0,
                                        bulk, 0, NULL, NULL);
    }
    if (code == CL_SUCCESS && bulk < bytes) {
        code = api->clEnqueueFillBuffer(buffer->device->queue, buffer->memory, pattern, 1, bulk,
                                        bytes - bulk, 0, NULL, NULL);
    }
    return opencl_check(error, STATUS_LAUNCH_ERROR, code, "filling a buffer");
}

/* ---- memory and queues of a program ---- */

/* Drivers follow whatever address they are given as an object. Each object of a driver begins with
 * the address of its table of functions (cl_khr_icd), so that what does not is none. */
static bool begins_like(const void *theirs, const void *ours) {
    return theirs && ours && memcmp(theirs, ours, sizeof(void *)) == 0;
}

static bool opencl_buffer_wrap(struct device *head, void *memory, size_t bytes,
                               struct buffer **result, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    const struct opencl_api *api = &device->api;
    size_t size = 0;
    cl_context context = NULL;
    if (!device->example) {
        return fail(
            error, STATUS_BAD_INPUT,
            "%s was opened by its name: memory of the device needs a context of the program",
            head->info.name);
    }
    if (!begins_like(memory, device->example) ||
        api->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL) != CL_SUCCESS ||
        api->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) !=
            CL_SUCCESS ||
        context != device->context) {
        return fail(error, STATUS_BAD_INPUT, "no cl_mem of the context that %s was opened in",
                    head->info.name);
    }
    if (size < bytes) {
        return fail(error, STATUS_BAD_INPUT, "a cl_mem of %zu bytes; expected %zu or more", size,
                    bytes);
    }
    struct opencl_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return fail_out_of_memory(error, "a buffer");
    }
    (void)api->clRetainMemObject(memory);
    buffer->device = device;
    buffer->memory = memory;
    *result = &buffer->head;
    return true;
}

/* OpenCL promises to show what kernels wrote once the buffer is mapped; on a processor PoCL's
 * buffers are that memory itself. */
static bool opencl_buffer_in_place(struct device *head, void *memory, size_t bytes,
                                   struct buffer **result, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    cl_int code = CL_SUCCESS;
    struct opencl_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return fail_out_of_memory(error, "a buffer");
    }
    buffer->device = device;
    buffer->memory = device->api.clCreateBuffer(
        device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &code);
    if (code != CL_SUCCESS) {
        free(buffer);
        return opencl_check(error, STATUS_OUT_OF_MEMORY, code, "memory of the host");
    }
    *result = &buffer->head;
    return true;
}

/* All that is in one queue so far comes before what is enqueued in the other from now on, in order
 * or not. */
static cl_int put_behind(const struct opencl_api *api, cl_command_queue before,
                         cl_command_queue after) {
    cl_event event = NULL;
    cl_int code = api->clEnqueueMarkerWithWaitList(before, 0, NULL, &event);
    if (code != CL_SUCCESS) {
        return code;
    }
    code = api->clFlush(before);
    if (code == CL_SUCCESS) {
        code = api->clEnqueueBarrierWithWaitList(after, 1, &event, NULL);
    }
    (void)api->clReleaseEvent(event);
    return code;
}

static bool opencl_adopt_queue(struct device *head, void *queue, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    cl_context context = NULL;
    if (!device->example || !begins_like(queue, device->queue) ||
        device->api.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                          NULL) != CL_SUCCESS ||
        context != device->context) {
        return fail(error, STATUS_BAD_INPUT,
                    "no cl_command_queue of the context that %s was opened in", head->info.name);
    }
    device->adopted = queue;
    return opencl_check(error, STATUS_LAUNCH_ERROR,
                        put_behind(&device->api, device->adopted, device->queue),
                        "following a queue");
}

static bool opencl_return_queue(struct device *head, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)head;
    const cl_command_queue queue = device->adopted;
    device->adopted = NULL;
    return opencl_check(error, STATUS_LAUNCH_ERROR, put_behind(&device->api, device->queue, queue),
                        "leading a queue");
}

/* ---- time ---- */

/* A stamp is a marker: in an in-order queue it completes after all that was enqueued before it and
 * before anything enqueued after it starts, so the end of its own profiling is the time wanted. */
static bool opencl_event_create(struct device *head, struct event **result, struct error *error) {
    struct opencl_event *event = calloc(1, sizeof *event);
    if (!event) {
        return fail_out_of_memory(error, "a time stamp");
    }
    event->device = (struct opencl_device *)head;
    *result = &event->head;
    return true;
}

static void opencl_event_free(struct event *head) {
    struct opencl_event *event = (struct opencl_event *)head;
    if (event->event) {
        (void)event->device->api.clReleaseEvent(event->event);
    }
    free(event);
}

static bool opencl_event_record(struct event *head, struct error *error) {
    struct opencl_event *event = (struct opencl_event *)head;
    const struct opencl_api *api = &event->device->api;
    if (event->event) {
        (void)api->clReleaseEvent(event->event);
        event->event = NULL;
    }
    return opencl_check(
        error, STATUS_LAUNCH_ERROR,
        api->clEnqueueMarkerWithWaitList(event->device->queue, 0, NULL, &event->event),
        "setting a time stamp");
}

static bool opencl_event_wait(struct event *head, struct error *error) {
    const struct opencl_event *event = (const struct opencl_event *)head;
    return opencl_check(error, STATUS_LAUNCH_ERROR,
                        event->device->api.clWaitForEvents(1, &event->event),
                        "waiting for a time stamp");
}

static bool opencl_event_elapsed(struct event *from_head, struct event *to_head, double *seconds,
                                 struct error *error) {
    const struct opencl_event *from = (const struct opencl_event *)from_head;
    const struct opencl_event *to = (const struct opencl_event *)to_head;
    const struct opencl_api *api = &from->device->api;
    const cl_event events[2] = { from->event, to->event };
    cl_ulong times[2] = { 0 };
    cl_int code = api->clWaitForEvents(2, events);
    for (int i = 0; i < 2 && code == CL_SUCCESS; i++) {
        code = api->clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof times[i],
                                            &times[i], NULL);
    }
    if (code != CL_SUCCESS) {
        return opencl_check(error, STATUS_LAUNCH_ERROR, code, "reading time stamps");
    }
    *seconds = 1e-9 * (double)(int64_t)(times[1] - times[0]);
    return true;
}

const struct device_backend device_backend_opencl = {
    .name = "opencl",
    .prelude_path = "harness/devices/opencl/prelude_opencl.h",
    .enumerate = opencl_enumerate,
    .open = opencl_open,
    .open_within = opencl_open_within,
    .buffer_wrap = opencl_buffer_wrap,
    .buffer_in_place = opencl_buffer_in_place,
    .adopt_queue = opencl_adopt_queue,
    .return_queue = opencl_return_queue,
    .close = opencl_close,
    .finish = opencl_finish,
    .buffer_allocate = opencl_buffer_allocate,
    .buffer_free = opencl_buffer_free,
    .buffer_view = opencl_buffer_view,
    .buffer_write = opencl_buffer_write,
    .buffer_read = opencl_buffer_read,
    .buffer_fill = opencl_buffer_fill,
    .buffer_write_enqueued = opencl_buffer_write_enqueued,
    .buffer_read_enqueued = opencl_buffer_read_enqueued,
    .definitions = opencl_definitions,
    .options = opencl_options,
    .program_from_source = opencl_program_from_source,
    .program_from_binary = opencl_program_from_binary,
    .program_binary = opencl_program_binary,
    .program_free = opencl_program_free,
    .kernel_create = opencl_kernel_create,
    .kernel_free = opencl_kernel_free,
    .kernel_resources = opencl_kernel_resources,
    .kernel_launch = opencl_kernel_launch,
    .event_create = opencl_event_create,
    .event_free = opencl_event_free,
    .event_record = opencl_event_record,
    .event_wait = opencl_event_wait,
    .event_elapsed = opencl_event_elapsed,
    .sort_pairs = opencl_sort_pairs,
    .exclusive_scan = opencl_exclusive_scan,
    .sum = opencl_sum,
};
