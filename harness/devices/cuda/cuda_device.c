#include "devices/cuda/cuda_device.h"

#include <stdlib.h>

/* Makes our stream wait for what the stream that was adopted before had been given. */
static bool follow(struct cuda_device *cuda, struct error *error) {
    cuda->waits = cuda->waits &&
                  !cuda_check(cuda, cuda->driver.cuStreamWaitEvent(cuda->own_stream, cuda->left, 0),
                              "ordering streams", error);
    return !cuda->waits;
}

bool cuda_enter(struct cuda_device *cuda, struct error *error) {
    const bool adopted = cuda->stream != cuda->own_stream;
    cuda->adopted_all = cuda->adopted_all && adopted;
    cuda->idle = false;
    return (cuda->entered || cuda_check(cuda, cuda->driver.cuCtxSetCurrent(cuda->context),
                                        "entering the device's context", error)) &&
           (adopted || follow(cuda, error));
}

bool cuda_check(const struct cuda_device *cuda, CUresult result, const char *what,
                struct error *error) {
    return result == CUDA_SUCCESS ||
           cuda_library_fail(&cuda->driver, result, STATUS_LAUNCH_ERROR, what, error);
}

bool cuda_scratch_grow(struct cuda_device *cuda, struct cuda_scratch *scratch, size_t bytes,
                       struct error *error) {
    if (scratch->bytes >= bytes) {
        return true;
    }
    cuda_scratch_free(cuda, scratch);
    CUresult result = cuda->driver.cuMemAlloc(&scratch->address, bytes);
    if (result != CUDA_SUCCESS) {
        scratch->address = 0;
        return cuda_check(cuda, result, "scratch memory", error);
    }
    scratch->bytes = bytes;
    return true;
}

void cuda_scratch_free(struct cuda_device *cuda, struct cuda_scratch *scratch) {
    if (scratch->bytes > 0) {
        (void)cuda->driver.cuStreamSynchronize(cuda->stream);
        (void)cuda->driver.cuMemFree(scratch->address);
        *scratch = (struct cuda_scratch){ 0 };
    }
}

/* ---- in the process of another program ---- */

void cuda_enter_shared(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->driver.cuCtxGetCurrent(&cuda->outside) != CUDA_SUCCESS) {
        cuda->outside = NULL;
    }
    cuda->entered = cuda->outside == cuda->context ||
                    cuda->driver.cuCtxSetCurrent(cuda->context) == CUDA_SUCCESS;
}

void cuda_leave_shared(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    cuda->entered = false;
    if (cuda->outside != cuda->context) {
        (void)cuda->driver.cuCtxSetCurrent(cuda->outside);
    }
}

/* An address that the driver does not know is memory of the host. */
bool cuda_buffer_wrap(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                      struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
    unsigned type = 0;
    (void)bytes;
    if (cuda->driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
        CUDA_SUCCESS) {
        return fail(error, STATUS_BAD_INPUT, "%p is no address that CUDA knows", memory);
    }
    struct cuda_buffer *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a buffer");
    }
    made->address = address;
    made->is_view = true;
    *buffer = &made->head;
    return true;
}

/* An event behind all that is in a stream so far. */
static CUresult record(struct cuda_device *cuda, CUevent *event, CUstream stream) {
    const CUresult made =
        *event ? CUDA_SUCCESS : cuda->driver.cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
    return made == CUDA_SUCCESS ? cuda->driver.cuEventRecord(*event, stream) : made;
}

/* All that is in one stream so far comes before what is enqueued in the other from now on. */
static bool put_behind(struct cuda_device *cuda, CUstream before, CUstream after,
                       struct error *error) {
    CUresult result = record(cuda, &cuda->order, before);
    if (result == CUDA_SUCCESS) {
        result = cuda->driver.cuStreamWaitEvent(after, cuda->order, 0);
    }
    return cuda_check(cuda, result, "ordering streams", error);
}

bool cuda_adopt_queue(struct device *device, void *queue, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    unsigned long long number = 0;
    const bool known =
        cuda->driver.stream_number && cuda->driver.stream_number(queue, &number) == CUDA_SUCCESS;
    const bool in_order = cuda->adopted_all && known && number == cuda->adopted;
    if (!in_order &&
        !(cuda_enter(cuda, error) && put_behind(cuda, cuda->own_stream, queue, error))) {
        return false;
    }
    cuda->stream = queue;
    cuda->adopted = number;
    cuda->adopted_all = known;
    return true;
}

/* Goes back to our own stream. Work there waits for what the adopted stream was left with, and only
 * once there is such work: a stream that waits would delay whoever synchronises the device. */
bool cuda_return_queue(struct device *device, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    const CUstream queue = cuda->stream;
    const bool recorded =
        cuda->idle || cuda_check(cuda, record(cuda, &cuda->left, queue), "ordering streams", error);
    cuda->waits = recorded && !cuda->idle;
    cuda->adopted_all = cuda->adopted_all && recorded;
    cuda->stream = cuda->own_stream;
    return recorded;
}

/* ---- work beside other work ---- */

/* The second stream has the highest priority (numbers beyond a device's range are taken as its
 * highest). With equal ones, all blocks of a large kernel launched earlier would run before those
 * of small kernels beside it. */
enum { HIGHEST_PRIORITY = -1000 };

/* Goes on in a second stream; after a failure, in the first. */
bool cuda_beside_begin(struct device *device, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    CUresult result = CUDA_SUCCESS;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    if (!cuda->beside) {
        result = cuda->driver.cuStreamCreateWithPriority(&cuda->beside, CU_STREAM_NON_BLOCKING,
                                                         HIGHEST_PRIORITY);
    }
    if (!cuda_check(cuda, result, "creating a stream", error) ||
        !put_behind(cuda, cuda->stream, cuda->beside, error)) {
        return false;
    }
    cuda->main = cuda->stream;
    cuda->stream = cuda->beside;
    return true;
}

void cuda_beside_end(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    cuda->stream = cuda->main;
}

bool cuda_beside_join(struct device *device, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    return cuda_enter(cuda, error) && put_behind(cuda, cuda->beside, cuda->stream, error);
}

/* ---- graphs ---- */

/* CUDA graphs: what is enqueued on the stream, captured once and launched as one. A graph ignores
 * the priority of the stream that its kernels were captured from, unless it is asked not to, which
 * drivers know since CUDA 11.7. */

enum { FIRST_NODE_PRIORITIES = 11070, USE_NODE_PRIORITY = 8 };

struct cuda_graph {
    CUgraphExec graph;
    CUdeviceptr scratch, tickets; /* what the captured primitives work in */
};

bool cuda_capture_begin(struct device *device, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    return cuda_enter(cuda, error) &&
           cuda_check(
               cuda,
               cuda->driver.cuStreamBeginCapture(cuda->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "beginning a capture", error);
}

bool cuda_capture_end(struct device *device, void **graph, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    CUgraph captured = NULL;
    struct cuda_graph *made = calloc(1, sizeof *made);
    CUresult result = cuda->driver.cuStreamEndCapture(cuda->stream, &captured);
    if (!made) {
        if (result == CUDA_SUCCESS) {
            (void)cuda->driver.cuGraphDestroy(captured);
        }
        return fail_out_of_memory(error, "a graph");
    }
    if (result == CUDA_SUCCESS) {
        const unsigned flags =
            cuda->driver.version >= FIRST_NODE_PRIORITIES ? USE_NODE_PRIORITY : 0;
        result = cuda->driver.cuGraphInstantiateWithFlags(&made->graph, captured, flags);
        (void)cuda->driver.cuGraphDestroy(captured);
    }
    if (result == CUDA_SUCCESS) { /* else the first launch waits for that */
        result = cuda->driver.cuGraphUpload(made->graph, cuda->stream);
    }
    if (result != CUDA_SUCCESS) {
        free(made);
        return cuda_check(cuda, result, "capturing", error);
    }
    made->scratch = cuda->scratch.address;
    made->tickets = cuda->tickets.address;
    *graph = made;
    return true;
}

bool cuda_graph_is_stale(struct device *device, const void *graph) {
    const struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_graph *made = graph;
    return made->scratch != cuda->scratch.address || made->tickets != cuda->tickets.address;
}

bool cuda_graph_launch(struct device *device, void *graph, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_graph *made = graph;
    return cuda_enter(cuda, error) &&
           cuda_check(cuda, cuda->driver.cuGraphLaunch(made->graph, cuda->stream),
                      "launching a graph", error);
}

void cuda_graph_free(struct device *device, void *graph) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct error ignored;
    if (cuda_enter(cuda, &ignored)) {
        (void)cuda->driver.cuStreamSynchronize(cuda->stream); /* it may be enqueued */
        (void)cuda->driver.cuGraphExecDestroy(((struct cuda_graph *)graph)->graph);
    }
    free(graph);
}
