/* Work that is enqueued again and again: as one graph where the device has such a thing. */
#include "devices/backend.h"

#include <stdlib.h>

struct graph {
    struct device *device;
    record_function enqueue;
    void *context;
    void *graph; /* NULL: `enqueue` is called each time */
};

bool device_record(struct device *device, record_function enqueue, void *context,
                   struct graph **graph, struct error *error) {
    const struct device_backend *backend = device->backend;
    struct graph *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a recording");
    }
    made->device = device;
    made->enqueue = enqueue;
    made->context = context;
    if (backend->capture_begin) {
        struct error ignored; /* work that cannot be captured is enqueued each time */
        if (!device_finish(device, error) || !backend->capture_begin(device, error)) {
            free(made);
            return false;
        }
        const bool enqueued = enqueue(context, &ignored);
        if (backend->capture_end(device, &made->graph, &ignored) && !enqueued) {
            backend->graph_free(device, made->graph);
            made->graph = NULL;
        }
    }
    *graph = made;
    return true;
}

bool graph_enqueue(struct graph *graph, struct error *error) {
    struct device *device = graph->device;
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
