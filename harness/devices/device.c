#include "devices/device.h"

#include "devices/backend.h"

#include <math.h>
#include <stdlib.h>

bool device_list_add(struct device_list *list, const struct device_info *info,
                     struct error *error) {
    struct device_info *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        return fail_out_of_memory(error, "the list of devices");
    }
    items[list->count] = *info;
    list->items = items;
    list->count++;
    return true;
}

void device_close(struct device *device) {
    if (device) {
        buffer_free(device->flush);
        buffers_close(device);
        device->backend->close(device);
    }
}

const struct device_info *device_describe(const struct device *device) {
    return &device->info;
}

bool device_finish(struct device *device, struct error *error) {
    return !device->backend->finish || device->backend->finish(device, error);
}

bool device_wait_for_word(struct device *device, const int32_t *word, int32_t wanted,
                          struct error *error) {
    return device->backend->wait_for_word
               ? device->backend->wait_for_word(device, word, wanted, error)
               : device_finish(device, error);
}

void device_enter(struct device *device) {
    if (device->backend->enter) {
        device->backend->enter(device);
    }
}

void device_leave(struct device *device) {
    if (device->backend->leave) {
        device->backend->leave(device);
    }
}

bool device_adopt_queue(struct device *device, void *queue, struct error *error) {
    return device->backend->adopt_queue(device, queue, error);
}

bool device_return_queue(struct device *device, struct error *error) {
    return device->backend->return_queue(device, error);
}

static const struct device_state nothing_reported = {
    .sm_clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN, .energy_j = NAN
};

void device_read_state(struct device *device, struct device_state *state) {
    *state = nothing_reported;
    if (device->backend->read_state) {
        device->backend->read_state(device, state);
    }
}

void device_read_clock(struct device *device, struct device_state *state) {
    *state = nothing_reported;
    if (device->backend->read_clock) {
        device->backend->read_clock(device, state);
    }
}

bool device_works(struct device *device) {
    static const uint32_t stored = 0x5a17c0deu;
    uint32_t returned = 0;
    struct buffer *buffer = NULL;
    struct error ignored;
    if (device->guards_broken || !buffer_allocate(device, sizeof stored, &buffer, &ignored)) {
        return false;
    }
    const bool works = buffer_write(buffer, 0, &stored, sizeof stored, &ignored) &&
                       buffer_read(buffer, 0, &returned, sizeof returned, &ignored);
    buffer_free(buffer);
    return works && returned == stored;
}

/* ---- time ---- */

bool event_create(struct device *device, struct event **event, struct error *error) {
    if (!device->backend->event_create(device, event, error)) {
        return false;
    }
    (*event)->device = device;
    return true;
}

void event_free(struct event *event) {
    if (event) {
        event->device->backend->event_free(event);
    }
}

bool event_record(struct event *event, struct error *error) {
    event->recorded = event->device->backend->event_record(event, error);
    return event->recorded;
}

bool event_wait(struct event *event, struct error *error) {
    return event->recorded
               ? event->device->backend->event_wait(event, error)
               : fail(error, STATUS_LAUNCH_ERROR, "waiting for a stamp that was not recorded");
}

bool event_elapsed(struct event *from, struct event *to, double *seconds, struct error *error) {
    if (!from->recorded || !to->recorded || from->device != to->device) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "elapsed time asked between stamps that were not both recorded");
    }
    return from->device->backend->event_elapsed(from, to, seconds, error);
}

/* How much is written to empty the cache: twice its size; 128 MiB at least, since drivers may
 * understate the size or not report it; an eighth of the memory at most, which twice the cache of a
 * large host can exceed. */
static size_t flush_bytes(const struct device_info *info) {
    const uint64_t least = (uint64_t)128 << 20;
    uint64_t bytes = 2 * info->l2_bytes > least ? 2 * info->l2_bytes : least;
    uint64_t most = info->memory_bytes / 8;
    return (size_t)(most > 0 && bytes > most ? most : bytes);
}

bool device_flush_cache(struct device *device, struct error *error) {
    if (!device->flush &&
        !buffer_allocate(device, flush_bytes(&device->info), &device->flush, error)) {
        return false;
    }
    return buffer_fill(device->flush, 0, buffer_bytes(device->flush), error);
}

/* ---- device-wide primitives ---- */

/* `count` numbers of `size` bytes; written so that it cannot overflow. */
static bool check_holds(const struct buffer *buffer, size_t count, size_t size, const char *what,
                        struct error *error) {
    if (buffer->bytes / size < count) {
        return fail(error, STATUS_LAUNCH_ERROR,
                    "%s: a buffer of %zu bytes does not hold %zu numbers of %zu bytes", what,
                    buffer->bytes, count, size);
    }
    return true;
}

static bool check_count(size_t n, const char *what, struct error *error) {
    return n <= INT32_MAX ||
           fail(error, STATUS_LAUNCH_ERROR, "%s: %zu numbers are more than 2^31 - 1", what, n);
}

bool device_sort_pairs(struct device *device, struct key_values from, struct key_values to,
                       size_t n, int key_bits, struct error *error) {
    if (!check_count(n, "sort", error) || !check_holds(from.keys, n, 4, "sort", error) ||
        !check_holds(from.values, n, 4, "sort", error) ||
        !check_holds(to.keys, n, 4, "sort", error) ||
        !check_holds(to.values, n, 4, "sort", error)) {
        return false;
    }
    if (key_bits < 1 || key_bits > 32) {
        return fail(error, STATUS_LAUNCH_ERROR, "sort: %d key bits; expected 1 to 32", key_bits);
    }
    return n == 0 || device->backend->sort_pairs(device, from, to, n, key_bits, error);
}

bool device_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                           struct error *error) {
    if (!check_count(n, "scan", error) || !check_holds(in, n, 4, "scan", error) ||
        !check_holds(out, n, 4, "scan", error)) {
        return false;
    }
    return n == 0 || device->backend->exclusive_scan(device, in, out, n, error);
}

static bool check_sum(const struct device *device, const struct summands *summands,
                      const struct buffer *out, struct error *error) {
    const size_t size = summands->type == SUM_FLOAT ? sizeof(float) : 8;
    if (!check_count(summands->n, "sum", error) || !check_count(summands->segments, "sum", error) ||
        !check_holds(summands->in, summands->n * summands->segments, size, "sum", error) ||
        !check_holds(out, summands->segments, size, "sum", error)) {
        return false;
    }
    return summands->type != SUM_DOUBLE || device->info.fp64 ||
           fail(error, STATUS_UNSUPPORTED, "%s has no double precision", device->info.name);
}

bool device_sum(struct device *device, const struct summands *summands, struct buffer *out,
                struct error *error) {
    return summands->n == 0 || summands->segments == 0 ||
           (check_sum(device, summands, out, error) &&
            device->backend->sum(device, summands, out, error));
}

bool device_library_sum(struct device *device, const struct summands *summands, struct buffer *out,
                        struct error *error) {
    if (!device->backend->library_sum) {
        return fail(error, STATUS_UNSUPPORTED, "%s has no CUB: it needs a CUDA device",
                    device->info.name);
    }
    return summands->n == 0 || summands->segments == 0 ||
           (check_sum(device, summands, out, error) &&
            device->backend->library_sum(device, summands, out, error));
}

/* ---- recorded work ---- */

/* Work that is enqueued again and again: as one graph where the device has such a thing. */

struct graph {
    struct device *device;
    record_function enqueue;
    void *context;
    void *graph; /* NULL: `enqueue` is called each time */
};

static bool capture(struct graph *graph, struct error *error) {
    struct device *device = graph->device;
    const struct device_backend *backend = device->backend;
    struct error ignored; /* work that cannot be captured is enqueued each time */
    if (!device_finish(device, error) || !backend->capture_begin(device, error)) {
        return false;
    }
    const bool enqueued = graph->enqueue(graph->context, &ignored);
    if (backend->capture_end(device, &graph->graph, &ignored) && !enqueued) {
        backend->graph_free(device, graph->graph);
        graph->graph = NULL;
    }
    return true;
}

bool device_record(struct device *device, record_function enqueue, void *context,
                   struct graph **graph, struct error *error) {
    struct graph *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a recording");
    }
    made->device = device;
    made->enqueue = enqueue;
    made->context = context;
    if (device->backend->capture_begin && !capture(made, error)) {
        free(made);
        return false;
    }
    *graph = made;
    return true;
}

/* Other work on the device may have moved what the graph names: then it is captured again. */
static bool keep_current(struct graph *graph, struct error *error) {
    struct device *device = graph->device;
    if (!graph->graph || !device->backend->graph_is_stale(device, graph->graph)) {
        return true;
    }
    device->backend->graph_free(device, graph->graph);
    graph->graph = NULL;
    return capture(graph, error);
}

bool graph_enqueue(struct graph *graph, struct error *error) {
    struct device *device = graph->device;
    if (!keep_current(graph, error)) {
        return false;
    }
    return graph->graph ? device->backend->graph_launch(device, graph->graph, error)
                        : graph->enqueue(graph->context, error);
}

bool device_beside_begin(struct device *device, struct error *error) {
    return !device->backend->beside_begin || device->backend->beside_begin(device, error);
}

void device_beside_end(struct device *device) {
    if (device->backend->beside_end) {
        device->backend->beside_end(device);
    }
}

bool device_beside_join(struct device *device, struct error *error) {
    return !device->backend->beside_join || device->backend->beside_join(device, error);
}

bool graph_is_one_launch(const struct graph *graph) {
    return graph->graph != NULL;
}

void graph_free(struct graph *graph) {
    if (graph && graph->graph) {
        graph->device->backend->graph_free(graph->device, graph->graph);
    }
    free(graph);
}
