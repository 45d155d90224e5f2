/*
 * cuda_device — the CUDA backend's own structs and functions. Private to it.
 *
 * cuda.c lists and opens devices, and has buffers and stamps; cuda_compile.c compiles,
 * cuda_program.c loads and launches; cuda_device.c has the context and graphs; cuda_primitives.c
 * sorts, scans, sums and transforms. The device's primary context is used, so that the runtime
 * inside cub.cu shares it, with one stream of our own.
 */
#ifndef PAIRMARK_DEVICES_CUDA_CUDA_DEVICE_H
#define PAIRMARK_DEVICES_CUDA_CUDA_DEVICE_H

#include "core/strings.h"
#include "devices/backend.h"
#include "devices/cuda/cuda_library.h"
#include "devices/device.h"

struct nvml;

/* Device memory that grows on demand and is kept. */
struct cuda_scratch {
    CUdeviceptr address;
    size_t bytes;
};

/* What a primitive's scratch came to when it was last asked for: asking costs host time between
 * two launches. */
struct cuda_scratch_size {
    size_t n, segments;
    int detail; /* key bits, or the type of a sum */
    size_t bytes;
};

enum cuda_primitive { CUDA_SORT, CUDA_SCAN, CUDA_SUM, CUDA_LIBRARY_SUM, CUDA_PRIMITIVES };

struct cuda_device {
    struct device head;
    struct cuda_library driver;
    struct nvrtc_library nvrtc;
    struct cufft_library fft; /* opened by the first transform */
    bool fft_sought;
    struct nvml *nvml; /* NULL: none here */
    CUdevice device;
    CUcontext context;
    CUcontext outside; /* what a thread of the program that the process is of had before */
    bool entered;      /* by a call for a shared device, whose thread has the context */
    CUstream stream;   /* that work goes to: our own, or one that was adopted */
    CUstream own_stream;
    CUevent order;         /* between streams; NULL: none was ordered yet */
    CUevent left;          /* behind what an adopted stream was left with; NULL: none was yet */
    CUstream beside, main; /* for work beside that of the other; NULL: there was none yet */
    /* The stream that was adopted last, and all work since: then it need not wait for ours. */
    unsigned long long adopted;
    bool adopted_all;
    bool waits;       /* for `left`, before our stream is given work */
    bool idle;        /* nothing was enqueued since somebody waited for the stream */
    int architecture; /* what kernels are compiled for, as 90 */
    bool as_ptx;      /* NVRTC does not know this device: PTX, which the driver compiles */
    struct cuda_scratch scratch;
    struct cuda_scratch tickets; /* zeros, for cub_sum() */
    struct cuda_scratch_size sizes[CUDA_PRIMITIVES];
};

struct cuda_buffer {
    struct buffer head;
    CUdeviceptr address;
    bool is_view; /* the memory is another's */
};

static inline struct cuda_device *cuda_device_of(const struct device *device) {
    return (struct cuda_device *)device; /* its head */
}

static inline CUdeviceptr cuda_address(const struct buffer *buffer) {
    return ((const struct cuda_buffer *)buffer)->address;
}

/* Makes the device's context the calling thread's: each call that comes from outside begins so. */
bool cuda_enter(struct cuda_device *cuda, struct error *error);

/* Whether the driver did `what`; if not, its words as *error: STATUS_OUT_OF_MEMORY, else
 * STATUS_LAUNCH_ERROR. */
bool cuda_check(const struct cuda_device *cuda, CUresult result, const char *what,
                struct error *error);

/* Makes the scratch at least `bytes` long, which may be zero; what it held is lost when it
 * grows. */
bool cuda_scratch_grow(struct cuda_device *cuda, struct cuda_scratch *scratch, size_t bytes,
                       struct error *error);
void cuda_scratch_free(struct cuda_device *cuda, struct cuda_scratch *scratch);

/* Entries of the backend's table (backend.h says what they do). */
void cuda_definitions(const struct device *device, struct strbuf *text);
void cuda_options(const struct device *device, const struct program_source *source,
                  struct strbuf *options);
bool cuda_program_from_source(struct device *device, const struct program_request *request,
                              struct program **program, struct error *error);
bool cuda_program_from_binary(struct device *device, const struct program_request *request,
                              const void *bytes, size_t length, struct program **program);
bool cuda_program_binary(const struct program *program, void **bytes, size_t *length);
void cuda_program_free(struct program *program);
bool cuda_program_write_constant(struct program *program, const char *name, const void *data,
                                 size_t bytes, struct error *error);
bool cuda_kernel_create(struct program *program, const char *name, struct kernel **kernel,
                        struct error *error);
void cuda_kernel_free(struct kernel *kernel);
void cuda_kernel_resources(const struct kernel *kernel, int *registers, int64_t *local_bytes);
void cuda_kernel_divide(struct kernel *kernel, int local_percent);
bool cuda_kernel_launch(struct kernel *kernel, size_t groups, size_t group_size,
                        const struct argument *arguments, size_t argument_count,
                        struct error *error);
bool cuda_kernel_allow_shape(struct kernel *kernel, const struct kernel_shape *shape,
                             struct error *error);
bool cuda_kernel_launch_grid(struct kernel *kernel, const struct kernel_shape *shape,
                             const struct argument *arguments, size_t argument_count,
                             struct error *error);
void cuda_enter_shared(struct device *device);
void cuda_leave_shared(struct device *device);
bool cuda_buffer_wrap(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                      struct error *error);
bool cuda_adopt_queue(struct device *device, void *queue, struct error *error);
bool cuda_return_queue(struct device *device, struct error *error);
bool cuda_beside_begin(struct device *device, struct error *error);
void cuda_beside_end(struct device *device);
bool cuda_beside_join(struct device *device, struct error *error);
bool cuda_capture_begin(struct device *device, struct error *error);
bool cuda_capture_end(struct device *device, void **graph, struct error *error);
bool cuda_graph_is_stale(struct device *device, const void *graph);
bool cuda_graph_launch(struct device *device, void *graph, struct error *error);
void cuda_graph_free(struct device *device, void *graph);
bool cuda_sort_pairs(struct device *device, struct key_values from, struct key_values to, size_t n,
                     int key_bits, struct error *error);
bool cuda_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                         struct error *error);
bool cuda_sum(struct device *device, const struct summands *summands, struct buffer *out,
              struct error *error);
bool cuda_library_sum(struct device *device, const struct summands *summands, struct buffer *out,
                      struct error *error);

/* ---- transforms (cuda_primitives.c) ---- */

bool cuda_transform_create(struct device *device, const size_t size[3],
                           enum transform_extent extent, bool is_double, void **plan,
                           struct error *error);
bool cuda_transform_run(struct device *device, void *plan, bool forward, struct buffer *grid,
                        struct buffer *spectrum, struct error *error);
void cuda_transform_free(struct device *device, void *plan);

/* ---- NVML (nvml.c) ---- */

/*
 * The state of a GPU as the NVIDIA driver reports it: clock, temperature, power, throttling.
 *
 * libnvidia-ml.so.1 is opened at run time. Everything here is best effort: unknown values stay as
 * they were, and nothing is an error.
 */

/* The GPU at this PCI bus id ("0000:65:00.0"): NVML's indices are not CUDA's. NULL where there is
 * no NVML or it does not know the GPU. */
struct nvml *nvml_open(const char *pci_bus_id);
void nvml_close(struct nvml *nvml); /* NULL is fine */

/* "580.65.06"; "" when it is not known. */
void nvml_driver_version(const struct nvml *nvml, char *version, size_t size);

/* The most power that the driver lets it take; 0: not known. */
double nvml_power_limit_w(const struct nvml *nvml);

/* Overwrites those fields of *state that the GPU reports. */
void nvml_read(const struct nvml *nvml, struct device_state *state);
void nvml_read_clock(const struct nvml *nvml, struct device_state *state); /* and the reasons */

/* ---- compiling (cuda_compile.c) ---- */

/* Texts become code by NVRTC, by nvcc, or as another compiler left it. A variable that keeps its
 * value from launch to launch is refused by name. */

/* Machine code, or PTX with its NUL; each by malloc. */
struct cuda_code {
    char *bytes;
    size_t length;
    char *log; /* what the compiler said, where there is no device; NULL: nothing */
};

/* STATUS_COMPILE_ERROR with the compiler's log, or the variable that keeps its value; errors of
 * what it is compiled by. Either way *code is the caller's to free. */
bool cuda_compile(const struct cuda_device *cuda, const struct program_request *request,
                  struct cuda_code *code, struct error *error);
void cuda_code_free(struct cuda_code *code);

#endif
