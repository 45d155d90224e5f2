/* Work that is enqueued again and again: as one graph where the device has such a thing. */
#include "devices/backend.h"

#include <stdlib.h>

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

bool graph_is_one_launch(const struct graph *graph) {
    return graph->graph != NULL;
}

void graph_free(struct graph *graph) {
    if (graph && graph->graph) {
        graph->device->backend->graph_free(graph->device, graph->graph);
    }
    free(graph);
}
