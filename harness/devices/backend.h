/*
 * backend — what a device library must have so that device.c can drive it. Private to
 * harness/devices.
 *
 * device.c owns everything that backends have in common: the order and the names of devices, the
 * checks of arguments (sizes, ranges, NULL, zero lengths), guards around buffers (buffers.c), the
 * text of a program (definitions +
 * prelude + source), its hash and the disk cache, the list of a program's kernels, and the buffer
 * that flushes the cache. A backend does the rest through the table below.
 *
 * Heads. struct device, buffer, program, kernel and event are heads: a backend embeds one as the
 * first member of a struct of its own, allocates that struct zeroed, and returns the head's
 * address. device.c fills in the head after the call that made it has returned, so a backend may
 * read heads of objects that it is given and never has to write one.
 *
 * Errors. As everywhere: false with *error filled in, nothing left behind. A kernel or copy that
 * failed earlier may be reported by any later call.
 */
#ifndef PAIRMARK_DEVICES_BACKEND_H
#define PAIRMARK_DEVICES_BACKEND_H

#include "core/error.h"
#include "core/strings.h"
#include "devices/device.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_NAME_SIZE = 64, BUFFER_LABEL_SIZE = 64 };

struct device {
    const struct device_backend *backend;
    struct device_info info; /* the one that open() was given */
    struct buffer *flush;    /* device.c: written by device_flush_cache, NULL until then */
    struct buffer *buffers;  /* buffers.c: all that are allocated */
    bool compiles_only;      /* device_open_compiler() */
    const struct device_backend *compiler;   /* likewise: whose programs are compiled, else NULL */
    const struct compile_listener *listener; /* likewise; may be NULL */
    bool has_guards;                         /* buffers.c: whether they have guards */
    int guard_pattern;                       /* buffers.c: what they hold */
    bool guards_broken;                      /* buffers.c: one was once found changed */
    void *guard_copy; /* buffers.c: of host_allocate(), what guards were when last read */
    size_t guard_copy_bytes;
    uint64_t programs_compiled; /* from their text, by the backend */
    uint64_t bytes_moved;       /* buffers.c: between the host and buffers, guards left out */
    bool is_shared;             /* device_open_shared(): the process is another program's */
};

struct buffer {
    struct device *device;
    size_t bytes;                   /* as the caller asked, may be 0 */
    struct buffer *whole;           /* buffers.c: that it is a view of, with its guards; or NULL */
    struct buffer *previous, *next; /* buffers.c: of the device's */
    char label[BUFFER_LABEL_SIZE];  /* for messages; may be empty */
};

/* Frees what looking at guards has taken; before the device is closed. */
void buffers_close(struct device *device);

struct program {
    struct device *device;
    char hash[HASH_TEXT_SIZE];
    char *options;
    char *log;              /* by malloc; NULL: nothing was said */
    struct kernel *kernels; /* those made so far, freed by program_free() */
};

struct kernel {
    struct program *program;
    struct kernel *next;
    char name[KERNEL_NAME_SIZE];
};

struct event {
    struct device *device;
    bool recorded; /* device.c: event_elapsed refuses one that was never recorded */
};

/* What enumerate() found so far. */
struct device_list {
    struct device_info *items;
    size_t count;
};

/* Adds one; STATUS_OUT_OF_MEMORY. */
bool device_list_add(struct device_list *list, const struct device_info *info, struct error *error);

/* A program as the compiler gets it. */
struct program_request {
    const char *name;    /* for messages and profilers */
    const char *text;    /* definitions, prelude and source in one */
    const char *options; /* from the backend's own options() */
    int group_size;      /* 0: not fixed */
    enum source_language language;
    int standard;
    bool arch_specific;
    bool by_nvcc;
};

struct device_backend {
    const char *name; /* "cuda", "opencl": devices are called name:... */
    const char
        *prelude_path; /* of the embedded text, as "harness/devices/opencl/prelude_opencl.h" */

    /* Lists this backend's devices in their own order. Where the backend cannot run here, adds
     * nothing to the list and one line without prefix or newline to `note` ("no driver here"), and
     * returns true. A device that is there and cannot be used is listed with `unusable` filled in.
     */
    bool (*enumerate)(struct device_list *list, struct strbuf *note, struct error *error);

    /* `info` is one that enumerate() listed and that is usable. */
    bool (*open)(const struct device_info *info, struct device **device, struct error *error);
    /* As device_open_compiler(); may be NULL. *info, which outlives the call, gets what programs
     * may know of the device. */
    bool (*open_compiler)(const char *name, struct device **device, struct device_info *info,
                          struct error *error);
    /* Waits for what is enqueued; never fails. */
    void (*close)(struct device *device);
    /* Where there is no more than a compiler, this and what copies, fills and launches are NULL:
     * nothing is done, and zeros are read. */
    bool (*finish)(struct device *device, struct error *error);
    /* NULL: by finish. */
    bool (*wait_for_word)(struct device *device, const int32_t *word, int32_t wanted,
                          struct error *error);
    /* *state comes in as NaN and "". NULL: nothing is known. */
    void (*read_state)(struct device *device, struct device_state *state);
    /* The same for the clock and the throttle reasons alone. */
    void (*read_clock)(struct device *device, struct device_state *state);

    /* Buffers: bytes >= 1; offsets and lengths are in range and bytes >= 1. Zero is the first of
     * the byte values to be good at. A full device is STATUS_OUT_OF_MEMORY; other failures of
     * copies are STATUS_LAUNCH_ERROR. */
    bool (*buffer_allocate)(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *error);
    void (*buffer_free)(struct buffer *buffer);
    /* A part of a buffer as a buffer of its own, freed before it. `offset` is a multiple of 4096;
     * the part lies within. */
    bool (*buffer_view)(struct buffer *whole, size_t offset, size_t bytes, struct buffer **view,
                        struct error *error);
    /* The data may be reused as soon as the call returns. */
    bool (*buffer_write)(struct buffer *buffer, size_t offset, const void *data, size_t bytes,
                         struct error *error);
    bool (*buffer_read)(const struct buffer *buffer, size_t offset, void *data, size_t bytes,
                        struct error *error);
    bool (*buffer_fill)(struct buffer *buffer, unsigned char value, size_t bytes,
                        struct error *error);
    /* The data stays as it is until finish(). */
    bool (*buffer_write_enqueued)(struct buffer *buffer, size_t offset, const void *data,
                                  size_t bytes, struct error *error);
    bool (*buffer_read_enqueued)(const struct buffer *buffer, size_t offset, void *data,
                                 size_t bytes, struct error *error);
    /* bytes >= 1. Both NULL: plain memory is as good. */
    bool (*host_allocate)(struct device *device, size_t bytes, void **memory, struct error *error);
    void (*host_free)(struct device *device, void *memory);

    /* What is enqueued between the two calls is not done but becomes a graph. All five NULL: there
     * is no such thing. capture_end() ends the capture also when it returns false. A graph is stale
     * once memory of the device's own, which it names, has moved: it is to be captured again. */
    bool (*capture_begin)(struct device *device, struct error *error);
    bool (*capture_end)(struct device *device, void **graph, struct error *error);
    bool (*graph_is_stale)(struct device *device, const void *graph);
    bool (*graph_launch)(struct device *device, void *graph, struct error *error);
    void (*graph_free)(struct device *device, void *graph);

    /* See device_beside_begin(). All NULL: what is enqueued is done one after the other. */
    bool (*beside_begin)(struct device *device, struct error *error);
    void (*beside_end)(struct device *device);
    bool (*beside_join)(struct device *device, struct error *error);

    /* Programs. definitions(): the #define lines that describe this device to the prelude; may add
     * nothing. options(): the compiler's options, by spaces, without name or text in them
     * (architecture included: they are part of the cache's key). Appends to the text; no error but
     * text->failed.
     *
     * device.c writes in front of the prelude, in this order: REAL_IS_DOUBLE and ACCUM_IS_DOUBLE
     * (0 or 1), HAVE_FP64 and HAVE_ATOMICS64 (0 or 1), DEVICE_IS_CPU (0 or 1), GROUP_SIZE when it
     * is fixed, and definitions(); then the prelude, then `#line 1 "name"`, then the source. */
    void (*definitions)(const struct device *device, struct strbuf *text);
    void (*options)(const struct device *device, const struct program_source *source,
                    struct strbuf *options);
    /* STATUS_COMPILE_ERROR with the log. */
    bool (*program_from_source)(struct device *device, const struct program_request *request,
                                struct program **program, struct error *error);
    /* From bytes that program_binary() gave once. False (and no error) when they are refused: the
     * caller then compiles the source. */
    bool (*program_from_binary)(struct device *device, const struct program_request *request,
                                const void *bytes, size_t length, struct program **program);
    /* The binary, allocated by malloc; false when there is none to be had. */
    bool (*program_binary)(const struct program *program, void **bytes, size_t *length);
    void (*program_free)(struct program *program); /* its kernels have been freed */
    /* As device.h says, bytes >= 1; NULL where the prelude has HAVE_CONSTANT_ARRAYS 0. */
    bool (*program_write_constant)(struct program *program, const char *name, const void *data,
                                   size_t bytes, struct error *error);

    /* STATUS_COMPILE_ERROR when there is none of that name. */
    bool (*kernel_create)(struct program *program, const char *name, struct kernel **kernel,
                          struct error *error);
    void (*kernel_free)(struct kernel *kernel);
    void (*kernel_resources)(const struct kernel *kernel, int *registers, int64_t *local_bytes);
    /* As of device.h. NULL: there is nothing to divide. */
    void (*kernel_divide)(struct kernel *kernel, int local_percent);
    /* groups >= 1, 1 <= group_size <= info.max_group_size. Every argument is a buffer of this
     * device, a value of 1..32 bytes or, at most one, local memory. A wrong count of arguments is
     * STATUS_LAUNCH_ERROR where the library checks it. */
    bool (*kernel_launch)(struct kernel *kernel, size_t groups, size_t group_size,
                          const struct argument *arguments, size_t argument_count,
                          struct error *error);

    /* As device.h says; both NULL: there are no grids. */
    bool (*kernel_allow_shape)(struct kernel *kernel, const struct kernel_shape *shape,
                               struct error *error);
    bool (*kernel_launch_grid)(struct kernel *kernel, const struct kernel_shape *shape,
                               const struct argument *arguments, size_t argument_count,
                               struct error *error);

    /* As device.h says, with a context that is not NULL; NULL: the library has no such contexts.
     * Fills in *info. */
    bool (*open_within)(void *context, void *id, struct device_info *info, struct device **device,
                        struct error *error);
    /* As device.h says; both NULL: nothing is to be done. */
    void (*enter)(struct device *device);
    void (*leave)(struct device *device);
    bool (*buffer_wrap)(struct device *device, void *memory, size_t bytes, struct buffer **buffer,
                        struct error *error);
    /* bytes >= 1; NULL where no device is `in_place`. */
    bool (*buffer_in_place)(struct device *device, void *memory, size_t bytes,
                            struct buffer **buffer, struct error *error);
    bool (*adopt_queue)(struct device *device, void *queue, struct error *error);
    bool (*return_queue)(struct device *device, struct error *error);

    bool (*event_create)(struct device *device, struct event **event, struct error *error);
    void (*event_free)(struct event *event);
    bool (*event_record)(struct event *event, struct error *error);
    bool (*event_wait)(struct event *event, struct error *error);
    bool (*event_elapsed)(struct event *from, struct event *to, double *seconds,
                          struct error *error);

    /* Primitives: as device.h says; n >= 1, n <= INT32_MAX, segments >= 1, 1 <= key_bits <= 32;
     * the buffers are large enough; SUM_DOUBLE only where info.fp64. */
    bool (*sort_pairs)(struct device *device, struct key_values from, struct key_values to,
                       size_t n, int key_bits, struct error *error);
    bool (*exclusive_scan)(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                           struct error *error);
    bool (*sum)(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error);
    /* NULL: the device has no such library. */
    bool (*library_sum)(struct device *device, const struct summands *summands, struct buffer *out,
                        struct error *error);

    /* Transforms by the device's library, as device.h says; all three NULL: there is none. *plan
     * stays NULL where the library is not here. */
    bool (*transform_create)(struct device *device, const size_t size[3],
                             enum transform_extent extent, bool is_double, void **plan,
                             struct error *error);
    bool (*transform_run)(struct device *device, void *plan, bool forward, struct buffer *grid,
                          struct buffer *spectrum, struct error *error);
    void (*transform_free)(struct device *device, void *plan);
};

/* The backend of a device of which there is no more than a compiler: programs are those of
 * device->compiler, all else does nothing. */
const struct device_backend *text_device_backend(enum device_class kind);
/* The part of device_open_texts() that makes one, its head filled in. */
bool text_device_make(enum device_class kind, int compute_units,
                      const struct text_receiver *receiver, struct device **device,
                      struct error *error);

extern const struct device_backend device_backend_opencl;
extern const struct device_backend device_backend_clang; /* a compiler alone */
#ifdef PAIRMARK_HAVE_CUDA
extern const struct device_backend device_backend_cuda;
#endif

/* ---- compilers that are programs ---- */

/* Compilers that run as child processes, in a temporary folder of their own.
 * Private to harness/devices. */

/* The program of that name in a folder of PATH; one with a slash is a path. */
bool child_find(const char *name, char *path, size_t size);

struct child_folder {
    char path[PATH_MAX - 300];
};

/* To be removed by fs_remove_folder(). */
bool child_folder_make(struct child_folder *folder, struct error *error);
void child_folder_file(const struct child_folder *folder, const char *file, char path[PATH_MAX]);

/* Runs words[0], a path, to its end; `words` end with NULL. *log gets what it said, by malloc,
 * without the line breaks at the end; NULL: nothing. Returns the status as waitpid() has it; -1
 * where it could not be started, with errno. */
int child_run(const struct child_folder *folder, char *const *words, char **log);

#endif
