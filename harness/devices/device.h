/*
 * device — the only thing the rest of the harness knows of CUDA and OpenCL.
 *
 * A device runs everything in order on one queue: copies, fills, launches, primitives and time
 * stamps happen in the order of the calls. Calls that enqueue may return before the work is done;
 * those that bring something back to the host (device_read, device_finish, device_elapsed, sums)
 * wait. Only a worker process opens devices.
 */
#ifndef PAIRMARK_DEVICES_DEVICE_H
#define PAIRMARK_DEVICES_DEVICE_H

#include "core/cache.h"
#include "core/error.h"
#include "core/strings.h"

#include <stdint.h>

/* ---- what there is ---- */

enum device_class { DEVICE_CUDA, DEVICE_OPENCL_GPU, DEVICE_OPENCL_OTHER, DEVICE_OPENCL_CPU };

struct device_info {
    char name[32]; /* cuda:0, opencl:0:0 */
    enum device_class kind;
    char model[128];   /* NVIDIA H200, pthread-skylake-avx512... */
    char driver[128];  /* driver version, as the driver words it */
    char toolkit[128]; /* what compiles kernels: NVRTC 13.0; OpenCL platform version */
    uint64_t memory_bytes;
    uint64_t l2_bytes;            /* 0: unknown */
    uint64_t local_bytes;         /* local (shared) memory a work-group may use */
    uint64_t dynamic_local_bytes; /* the same where the launch asks for it (CUDA C++); 0: no more */
    uint64_t constant_bytes;      /* constant memory a kernel may use; 0: unknown */
    uint64_t argument_bytes;      /* of all arguments of a launch together; 0: unknown */
    int compute_units;
    int clock_mhz;        /* 0: unknown */
    double power_limit_w; /* 0: unknown */
    int max_group_size;
    int subgroup_size; /* 32 on CUDA; 1 where there are none, or none that shuffle; of several 32 or
                          the widest below it */
    unsigned subgroup_sizes; /* all that a kernel can ask for, powers of two, added up; 0: none */
    bool subgroups_emulated; /* PAIRMARK_SUBGROUPS: by memory, see docs/devices.md */
    int architecture;        /* of CUDA: 90 for sm_90; else 0 */
    bool fp64;
    bool atomics64; /* 64-bit integer atomics */
    bool is_cpu;
    bool in_place;      /* kernels reach memory of the host where it is: buffer_in_place() */
    char place[16];     /* of the card on the bus, "0000:1b:00"; "": not known */
    char unusable[256]; /* empty: pairmark can use it; else why not */
    char caution[192];  /* empty: nothing; else what can go wrong on it all the same */
};

/* The backend that has devices of this class, as their names begin: "cuda", "opencl". */
const char *backend_of_class(enum device_class kind);

/* Lists all devices, best first within their class: CUDA, OpenCL GPU, other, OpenCL CPU. `notes`
 * (may be NULL) gets one line for each backend that is absent and why ("cuda: built without the
 * CUDA toolkit"). Caller frees *list. Finding none is no error. */
bool devices_enumerate(struct device_info **list, size_t *count, char *notes, size_t notes_size,
                       struct error *error);

/* ---- one device ---- */

struct device;
struct buffer;
struct program;
struct kernel;
struct event;

/* `name` as listed; NULL or "" takes the best one that is usable. Errors: STATUS_BAD_INPUT for a
 * name that is not there (listing those that are), STATUS_SYSTEM when opening fails. */
bool device_open(const char *name, struct device **device, struct error *error);
void device_close(
    struct device *device); /* NULL is fine; buffers and programs of it must be freed before */
const struct device_info *device_describe(const struct device *device);

/* Called for the programs that are compiled where there is only a compiler. */
struct compile_listener {
    /* Whether the program of this hash is to be compiled; else it is as if it were. */
    bool (*wants)(void *context, const char hash[HASH_TEXT_SIZE]);
    /* What came of it: program_log(), or an error; the other is NULL. */
    void (*compiled)(void *context, const char *name, const char *log, const struct error *error);
    void *context;
};

/* No device but a compiler for one: programs are compiled, buffers hold nothing, launches do
 * nothing, so that all can be prepared as for a device. `name` is an architecture of CUDA, "sm_90",
 * which NVRTC compiles for; one of AMD, "gfx90a", or "spirv", for which clang compiles the
 * dialect's OpenCL. STATUS_BAD_INPUT for another, listing those that there are, and where there is
 * no clang for it; STATUS_SYSTEM where there is no NVRTC. `listener` may be NULL, and outlives the
 * device. */
bool device_open_compiler(const char *name, const struct compile_listener *listener,
                          struct device **device, struct error *error);

/* What a program is written in. */
enum source_language {
    SOURCE_DIALECT,
    SOURCE_CUDA, /* CUDA C++, compiled with the toolkit's headers and no prelude: on CUDA alone */
    SOURCE_COMPILED /* PTX or machine code as compiled_code.h has them: likewise */
};

/* No device at all but what programs are written for: each that would be compiled is handed over
 * with its whole text, prelude included. Buffers hold nothing, launches do nothing, so that all can
 * be prepared as for a device. `kind`: DEVICE_CUDA or DEVICE_OPENCL_GPU, with what such a device
 * usually has; info.compute_units are as many as are said. */
struct text_receiver {
    bool (*take)(void *context, const char *name, const char *text, enum source_language language,
                 struct error *error);
    void *context;
};
bool device_open_texts(enum device_class kind, int compute_units,
                       const struct text_receiver *receiver, struct device **device,
                       struct error *error);

/* Buffers: `bytes` may be 0 (one byte is then allocated). STATUS_OUT_OF_MEMORY when the device is
 * full. Before and after each lie 4096 guard bytes, unless PAIRMARK_GUARDS=0 is in the
 * environment: NaN as float or double and a wild index as int; or zeros. */
bool buffer_allocate(struct device *device, size_t bytes, struct buffer **buffer,
                     struct error *error);
void buffer_free(struct buffer *buffer); /* NULL is fine */
/* Frees *buffer and allocates another in its place; NULL where that fails. */
bool buffer_replace(struct device *device, size_t bytes, struct buffer **buffer,
                    struct error *error);
/* The same where *buffer is NULL or has fewer bytes. */
bool buffer_reserve(struct device *device, size_t bytes, struct buffer **buffer,
                    struct error *error);
size_t buffer_bytes(const struct buffer *buffer);
bool buffer_write(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                  struct error *error);
bool buffer_read(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                 struct error *error);
/* The first `bytes` of a buffer, allocated; NULL where that fails. */
void *buffer_copy(const struct buffer *buffer, size_t bytes, struct error *error);
/* How many bytes these, and those below, have copied since the device was opened. */
uint64_t device_bytes_moved(const struct device *device);
/* Copies that only enqueue: the memory stays as it is, and is not read, until device_finish(). They
 * are as quick as the device can be where the memory is of host_allocate(). */
bool buffer_write_enqueued(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                           struct error *error);
bool buffer_read_enqueued(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                          struct error *error);
/* Host memory that the device reaches by itself: page-locked on CUDA, plain elsewhere. `bytes` may
 * be 0. Freed before the device is closed. */
bool host_allocate(struct device *device, size_t bytes, void **memory, struct error *error);
void host_free(struct device *device, void *memory); /* NULL is fine */
/* The same memory for kernels that write a few numbers there; they are there when the host has
 * waited. UNSUPPORTED where kernels do not reach it. */
bool buffer_of_host(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                    struct error *error);
/* What messages call a buffer of the device; cut to 63 bytes. */
void buffer_label(struct buffer *buffer, const char *label);
/* A buffer that is allocated and labelled; that is also filled. */
bool buffer_allocate_labelled(struct device *device, const char *label, size_t bytes,
                              struct buffer **buffer, struct error *error);
bool buffer_upload(struct device *device, const char *label, const void *data, size_t bytes,
                   struct buffer **buffer, struct error *error);
/* Numbers as a device's reals, which are doubles or floats: one of an array, in a buffer from its
 * start, in one as buffer_upload() makes it. */
double real_at(const void *reals, bool are_doubles, size_t at);
void real_set(void *reals, bool are_doubles, size_t at, double value);
bool buffer_write_reals(struct buffer *buffer, const double *numbers, size_t count,
                        bool are_doubles, struct error *error);
struct reals {
    const double *numbers;
    size_t count;
    bool are_doubles; /* on the device; else floats */
};
bool buffer_upload_reals(struct device *device, const char *label, const struct reals *reals,
                         struct buffer **buffer, struct error *error);
/* Waits, reads the guard bytes of all buffers that are allocated, and fills them with NaN where
 * they were zeros and the other way round. STATUS_WRONG when some have changed, naming the buffer
 * and the byte offset from its start: a kernel wrote where it may not, and may have written
 * elsewhere, too: from then on device_works() is false. */
bool device_check_guards(struct device *device, struct error *error);
/* Fills the first `bytes` with a byte value, enqueued. */
bool buffer_fill(struct buffer *buffer, unsigned char value, size_t bytes, struct error *error);

/* Programs: `source` is the whole text below the backend's own prelude, which device_compile puts
 * in front (the words of docs/kernels.md: KERNEL, GLOBAL, real, ...). `precision_words` is one of
 * "float", "mixed", "double", "fixed" and decides what real and accum are. Binaries are cached on
 * disk by a hash of everything. STATUS_COMPILE_ERROR carries the compiler's log; STATUS_UNSUPPORTED
 * when the device lacks what the precision needs (fp64). */
struct program_source {
    const char *name; /* for messages and profilers */
    const char *text;
    const char *precision_words;
    int group_size; /* the fixed work-group size of every kernel; becomes GROUP_SIZE; 0: not fixed,
                       undefined */
    int warp_size;  /* of the sub-groups in which the kernels shuffle, one of those that the device
                       has; 0: they do not */
    bool of_case;   /* part of a case: a run that is resumed compiles it with the prelude that its
                       folder keeps (embedded_text), everything else with the built-in one */
    enum source_language language;
    int standard;       /* of C++, 17 or 20 */
    bool arch_specific; /* compiled for sm_90a and not sm_90 */
    bool by_nvcc;       /* CUDA C++ that nvcc compiles, not NVRTC */
};
bool program_compile(struct device *device, const struct program_source *source,
                     struct program **program, struct error *error);
void program_free(struct program *program); /* frees its kernels too */
/* How many programs the device's compiler was given since it was opened: not those that a cache
 * had, or that were compiled before. */
uint64_t device_programs_compiled(const struct device *device);
/* The hash of prelude, text, options, device and driver, and the options given to the compiler.
 * Lines that begin with "#line", and so where a file lies, do not count. */
void program_hash(const struct program *program, char text[HASH_TEXT_SIZE]);
const char *program_options(const struct program *program);
/* What the compiler said of it, of a device of device_open_compiler(): registers, spills and memory
 * as ptxas words them, or clang for AMD (kernel-resource-usage). "" of others. */
const char *program_log(const struct program *program);

/* A kernel by name; STATUS_COMPILE_ERROR when the program has none of that name. */
bool program_kernel(struct program *program, const char *name, struct kernel **kernel,
                    struct error *error);
/* Compiles `text` in the place of source->text, which is freed, and finds kernels by their names
 * (NULL: none); fails where putting the text together did. */
struct named_kernels {
    const char *const *names;
    size_t count;
    struct kernel **kernels; /* filled in */
};
bool program_build(struct device *device, const struct program_source *source, struct strbuf *text,
                   const struct named_kernels *kernels, struct program **program,
                   struct error *error);
/* The same of embedded texts, by their paths, of which the last is NULL. */
bool program_build_embedded(struct device *device, const struct program_source *source,
                            const char *const *paths, struct program **program,
                            struct error *error);
/* Registers a work-item and local bytes a group; -1 where they are not known. */
void kernel_resources(const struct kernel *kernel, int *registers, int64_t *local_bytes);
/* Says how many percent local memory should get, 0 to 100, of the memory that is both cache and
 * local memory of a CUDA multiprocessor. The driver divides it for the kernel that runs there, so
 * that as many groups as possible fit: that may leave little cache. And a kernel that needs another
 * division waits until the multiprocessor is empty. A preference; other devices ignore it. */
void kernel_divide(struct kernel *kernel, int local_percent);

/* Fills the CONSTANT_ARRAY of that name from its start, enqueued. STATUS_UNSUPPORTED where the
 * dialect has none (HAVE_CONSTANT_ARRAYS 0: OpenCL takes buffers as CONSTANT_ARG),
 * STATUS_COMPILE_ERROR when the program has none of that name, STATUS_UNSUPPORTED when the data do
 * not fit it. */
bool program_write_constant(struct program *program, const char *name, const void *data,
                            size_t bytes, struct error *error);

enum { ARGUMENT_OWN_BYTES = 128 };
struct argument {
    struct buffer *buffer; /* a buffer, or NULL and: */
    size_t size;           /* bytes of a value passed as it is, or of local memory */
    bool is_local;         /* local memory for the group, unwritten: see LOCAL_ARGUMENT */
    const void *far_value; /* a value of more than ARGUMENT_OWN_BYTES, else NULL and: */
    _Alignas(16) unsigned char value[ARGUMENT_OWN_BYTES];
};
struct argument argument_buffer(struct buffer *buffer);
/* A struct, laid out as kernels have it. One of at most ARGUMENT_OWN_BYTES is copied; of a larger
 * one the bytes must outlive the argument. What a launch may be given is up to the device: see
 * device_info. */
struct argument argument_value(const void *bytes, size_t size);
/* The bytes of a value. */
const void *argument_bytes(const struct argument *argument);
/* At most one a kernel; `bytes` may not be 0. */
struct argument argument_local(size_t bytes);
struct argument argument_int(int32_t value);
/* `value` as the precision's real; `values` as its real4. */
struct argument argument_real(double value, bool is_double);
struct argument argument_real4(const double values[4], bool is_double);
/* real4 and int4 from three numbers; the fourth of the real4 is zero. */
struct argument argument_real3(const double values[3], bool is_double);
struct argument argument_int4(const int values[3], int fourth);
/* Two parameters in a row: arguments, and how many. */
#define ARGUMENTS(...)                                                                             \
    (const struct argument[]){ __VA_ARGS__ },                                                      \
        sizeof((const struct argument[]){ __VA_ARGS__ }) / sizeof(struct argument)
/* The same as one: (struct arguments){ ARGUMENTS(...) }. */
struct arguments {
    const struct argument *items;
    size_t count;
};

/* Launches groups x group_size work-items, enqueued. groups >= 1. STATUS_LAUNCH_ERROR, also where
 * there are more work-items than an int numbers, as GLOBAL_ID does; STATUS_OUT_OF_MEMORY;
 * STATUS_UNSUPPORTED where the device takes fewer bytes of arguments. */
bool kernel_launch(struct kernel *kernel, size_t groups, size_t group_size,
                   const struct argument *arguments, size_t argument_count, struct error *error);

/* A grid of blocks, in up to three dimensions, of CUDA C++. All sizes are 1 at least. */
struct kernel_shape {
    size_t grid[3], block[3];
    size_t cluster[3];   /* of blocks, which divide the grid; 1 1 1: none */
    size_t shared_bytes; /* dynamic shared memory per block */
};
/* Whether the device can launch it so, and lets it: STATUS_UNSUPPORTED where the block, the shared
 * memory or the cluster is more than the device has, or where it has no grids. To be called once
 * before launches. */
bool kernel_allow_shape(struct kernel *kernel, const struct kernel_shape *shape,
                        struct error *error);
/* As kernel_launch(); the shape has been allowed. */
bool kernel_launch_grid(struct kernel *kernel, const struct kernel_shape *shape,
                        const struct argument *arguments, size_t argument_count,
                        struct error *error);

bool device_finish(struct device *device,
                   struct error *error); /* waits for all; reports what failed meanwhile */
/* Waits until a kernel has left `wanted` in memory of the host that it reaches, or until all is
 * done; what comes behind that may not be. */
bool device_wait_for_word(struct device *device, const int32_t *word, int32_t wanted,
                          struct error *error);
/* Whether it still stores and returns four bytes, and no guard was found changed. A kernel that
 * faults can take the device away from the process for good (CUDA: an illegal address), and one
 * that writes outside of its buffers can damage the process; only a new process is as good as
 * before. */
bool device_works(struct device *device);

/* Work recorded once and enqueued as often as wanted, at the price of a single launch where the
 * device can (a CUDA graph); elsewhere, and for work that waits or allocates, `enqueue` is called
 * again each time. What it uses outlives the recording. device_record() itself may call `enqueue`
 * but leaves nothing enqueued; sizes and scratch memory should have settled by an earlier run. */
struct graph;
typedef bool (*record_function)(void *context, struct error *error);
bool device_record(struct device *device, record_function enqueue, void *context,
                   struct graph **graph, struct error *error);
bool graph_enqueue(struct graph *graph, struct error *error);
bool graph_is_one_launch(const struct graph *graph);
void graph_free(struct graph *graph); /* NULL is fine; before the device is closed */

/* Work beside other work, where the device can (CUDA: a stream of its own), else after it. What is
 * enqueued from begin() to end() is done after all that was before it, and beside what follows;
 * what is enqueued after join() is done after it. Neither waits. Primitives that work in memory of
 * the device's own (sorting, scans, sums) are not to be beside each other. May be recorded. */
bool device_beside_begin(struct device *device, struct error *error);
void device_beside_end(struct device *device);
bool device_beside_join(struct device *device, struct error *error);

/* ---- a device that another program uses, too ---- */

/* As device_open(), in the process of a program with work of its own on the device: nothing is put
 * on standard error, or that on standard error elsewhere, while kernels are compiled. `context` and
 * `id`, of OpenCL, are the program's cl_context and the cl_device_id in it that is meant; both
 * NULL: a context of our own. */
bool device_open_shared(const char *name, void *context, void *id, struct device **device,
                        struct error *error);

/* Around calls for a shared device, on the same thread: leave() gives the thread back the context
 * of CUDA that it had at enter(). After device_open_shared(), leave() alone; before device_close(),
 * enter() alone. */
void device_enter(struct device *device);
void device_leave(struct device *device);

/* The program's own memory on the device, an address of CUDA or a cl_mem, as a buffer without
 * guards that does not own it; free it with buffer_free(). STATUS_BAD_INPUT where it is none of the
 * device's, or OpenCL knows that it is smaller. */
bool buffer_wrap(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                 struct error *error);

/* Memory of the host that kernels read and write where it is, on a device that is `in_place`. What
 * they wrote is there once they are done; it outlives the buffer. Without guards, too. */
bool buffer_in_place(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                     struct error *error);

/* What is enqueued from now on is done after all that is in the program's own queue: a stream of
 * CUDA (NULL: the default one), a cl_command_queue. device_return_queue(): what the program
 * enqueues there from now on is done after all of ours, and the device has its own queue again.
 * Neither waits. STATUS_BAD_INPUT where it is no queue of the device. */
bool device_adopt_queue(struct device *device, void *queue, struct error *error);
bool device_return_queue(struct device *device, struct error *error);

/* ---- time ---- */

/* A stamp is set when all work enqueued before it is done and before any enqueued after it starts.
 */
bool event_create(struct device *device, struct event **event, struct error *error);
void event_free(struct event *event);
bool event_record(struct event *event, struct error *error);
/* Waits until it is set, which has to have been recorded. */
bool event_wait(struct event *event, struct error *error);
/* Seconds from `from` to `to`, waiting until both are set. */
bool event_elapsed(struct event *from, struct event *to, double *seconds, struct error *error);

/* Evicts the last-level cache by writing a buffer larger than it, enqueued. */
bool device_flush_cache(struct device *device, struct error *error);

/* The current state of the device; NaN and "" where it is not known (NVML on CUDA). */
struct device_state {
    double sm_clock_mhz;
    double temperature_c;
    double power_w;
    double energy_j;            /* counter since the driver was loaded */
    char throttle_reasons[128]; /* words joined by '+'; "none" when known to be none */
};
void device_read_state(struct device *device, struct device_state *state);
/* The same, but only the clock and the throttle reasons: cheap enough to ask for every few
 * milliseconds. */
void device_read_clock(struct device *device, struct device_state *state);

/* ---- device-wide primitives (CUB on CUDA, kernels of our own in the same dialect on OpenCL) ----
 */

/* Scratch memory is kept by the device and grows; the calls only enqueue. n up to 2^31 - 1; n = 0
 * does nothing. */

/* Sorts n (key, value) pairs of 32-bit words by the lowest `key_bits` bits of the unsigned key,
 * stably. `to` must not alias `from`, which is left unspecified. */
struct key_values {
    struct buffer *keys, *values;
};
bool device_sort_pairs(struct device *device, struct key_values from, struct key_values to,
                       size_t n, int key_bits, struct error *error);

/* out[i] = in[0] + ... + in[i-1] over 32-bit ints, i = 0..n-1; out may be in. */
bool device_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                           struct error *error);

/* `segments` runs of n consecutive numbers of `in`: run s starts at s*n. */
enum sum_type { SUM_FLOAT, SUM_DOUBLE, SUM_INT64 };
struct summands {
    enum sum_type type;
    struct buffer *in;
    size_t n, segments;
};

/* out[s] = the sum of run s, pairwise (a tree, not a running sum), in the type named: the same
 * order of additions every time. */
bool device_sum(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error);

/* The same by the vendor's library as it comes, in an order of its own choice: CUB's device-wide
 * sum for one segment, its segmented sum for several. STATUS_UNSUPPORTED on devices
 * other than CUDA's. */
bool device_library_sum(struct device *device, const struct summands *summands, struct buffer *out,
                        struct error *error);

/* ---- transforms (cuFFT on CUDA where it is found, else kernels of our own) ---- */

/* A discrete Fourier transform of real numbers on a grid of size[0] x size[1] x size[2] points, the
 * last index running fastest: the sum of x(j) exp(-2 pi i j k / size) along each, of which the
 * spectrum has the first half along the last index, size[2] / 2 + 1 points of two numbers each; the
 * others are their conjugates. And back, by exp(2 pi i j k / size), without a factor: there and
 * back is the number of points times what it was. Of planes: along the last two indices alone, in
 * place; rows, along the last, are transform_row() numbers apart, and have room for theirs. */
struct transform;
enum transform_extent { TRANSFORM_GRID, TRANSFORM_PLANES };

/* In planes, for n points: two numbers for each of the spectrum, rounded up to a multiple of four.
 */
static inline size_t transform_row(size_t n) {
    return (n / 2 + 2) / 2 * 4;
}
/* Whether so many points along an index can be transformed: products of 2, 3, 5 and 7. */
bool transform_takes(size_t n);
/* exp(-2 pi i j / n) for j = 0..n-1, two numbers each, in device memory. */
bool transform_upload_roots(struct device *device, size_t n, bool are_doubles,
                            struct buffer **buffer, struct error *error);
/* Whether n is a product of two numbers of points that transform_append_short() takes, and of
 * which: those that differ least. */
bool transform_line_factors(size_t n, size_t factors[2]);
/* Appends the kernel text of transform_COUNT(x), which transforms so many numbers of type
 * complex_number in place, by exp(-2 pi i). */
void transform_append_short(size_t count, struct strbuf *text);
/* Makes a transform of doubles or floats. STATUS_UNSUPPORTED for sizes and numbers that the device
 * cannot transform. Free it before the device is closed; NULL is fine. */
bool transform_create(struct device *device, const size_t size[3], enum transform_extent extent,
                      bool is_double, struct transform **transform, struct error *error);
void transform_free(struct transform *transform);
/* Enqueued. What is read is unspecified afterwards. The same bits every time. Of planes, grid and
 * spectrum are one buffer. */
bool transform_forward(const struct transform *transform, struct buffer *grid,
                       struct buffer *spectrum, struct error *error);
bool transform_backward(const struct transform *transform, struct buffer *spectrum,
                        struct buffer *grid, struct error *error);

#endif
