/* A layer of OpenCL's loader (OPENCL_LAYERS), which counts calls that cost time on their way to the
 * driver. */
#include "driver_calls.h"

#include <CL/cl_layer.h>

#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED struct driver_calls driver_calls;

static const cl_icd_dispatch *driver;
static cl_icd_dispatch counting;

/* A blocking call waits, too. */
static void count_copy(cl_bool blocks) {
    driver_calls.copies++;
    driver_calls.waits += blocks ? 1 : 0;
}

// NOLINTBEGIN(readability-function-size): OpenCL's own interfaces
static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *items, const size_t *group,
                                 cl_uint count, const cl_event *events, cl_event *event) {
    driver_calls.kernels++;
    return driver->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, items, group, count,
                                          events, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocks,
                                      size_t offset, size_t bytes, void *to, cl_uint count,
                                      const cl_event *events, cl_event *event) {
    count_copy(blocks);
    return driver->clEnqueueReadBuffer(queue, memory, blocks, offset, bytes, to, count, events,
                                       event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory, cl_bool blocks,
                                       size_t offset, size_t bytes, const void *from, cl_uint count,
                                       const cl_event *events, cl_event *event) {
    count_copy(blocks);
    return driver->clEnqueueWriteBuffer(queue, memory, blocks, offset, bytes, from, count, events,
                                        event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory, const void *pattern,
                                      size_t each, size_t offset, size_t bytes, cl_uint count,
                                      const cl_event *events, cl_event *event) {
    count_copy(CL_FALSE);
    return driver->clEnqueueFillBuffer(queue, memory, pattern, each, offset, bytes, count, events,
                                       event);
}
// NOLINTEND(readability-function-size)

static cl_int CL_API_CALL finish(cl_command_queue queue) {
    driver_calls.waits++;
    return driver->clFinish(queue);
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events) {
    driver_calls.waits++;
    return driver->clWaitForEvents(count, events);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                        void *memory, cl_int *code) {
    driver_calls.allocations++;
    return driver->clCreateBuffer(context, flags, bytes, memory, code);
}

static cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                                      const void *part, cl_int *code) {
    driver_calls.allocations++;
    return driver->clCreateSubBuffer(whole, flags, type, part, code);
}

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
                                           void *param_value, size_t *param_value_size_ret) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (param_name != CL_LAYER_API_VERSION || (param_value && param_value_size < sizeof version)) {
        return CL_INVALID_VALUE;
    }
    if (param_value) {
        memcpy(param_value, &version, sizeof version);
    }
    if (param_value_size_ret) {
        *param_value_size_ret = sizeof version;
    }
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                        cl_uint *num_entries_ret,
                                        const cl_icd_dispatch **layer_dispatch_ret) {
    const size_t known = sizeof counting / sizeof(void *);
    if (num_entries < known) {
        return CL_INVALID_VALUE;
    }
    driver = target_dispatch;
    counting = *target_dispatch;
    counting.clEnqueueNDRangeKernel = launch;
    counting.clEnqueueReadBuffer = read_buffer;
    counting.clEnqueueWriteBuffer = write_buffer;
    counting.clEnqueueFillBuffer = fill_buffer;
    counting.clFinish = finish;
    counting.clWaitForEvents = wait_for;
    counting.clCreateBuffer = create_buffer;
    counting.clCreateSubBuffer = create_part;
    *num_entries_ret = (cl_uint)known;
    *layer_dispatch_ret = &counting;
    return CL_SUCCESS;
}
