/* Work that is enqueued again and again: as one graph where the device has such a thing. */
#include "device/backend.h"

#include <stdlib.h>

struct recording {
    struct device *device;
    record_function enqueue;
    void *context;
    void *graph; /* NULL: `enqueue` is called each time */
};

bool device_record(struct device *device, record_function enqueue, void *context,
                   struct recording **recording, struct error *error) {
    const struct device_backend *backend = device->backend;
    struct recording *made = calloc(1, sizeof *made);
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
    *recording = made;
    return true;
}

bool recording_enqueue(struct recording *recording, struct error *error) {
    struct device *device = recording->device;
    return recording->graph ? device->backend->graph_launch(device, recording->graph, error)
                            : recording->enqueue(recording->context, error);
}

bool recording_is_one_launch(const struct recording *recording) {
    return recording->graph != NULL;
}

void recording_free(struct recording *recording) {
    if (recording && recording->graph) {
        recording->device->backend->graph_free(recording->device, recording->graph);
    }
    free(recording);
}
