/* Memory of the host that copies to and from the device may use directly. */
#include "devices/backend.h"

#include <stdlib.h>

bool host_allocate(struct device *device, size_t bytes, void **memory, struct error *error) {
    bytes = bytes ? bytes : 1;
    if (device->backend->host_allocate) {
        return device->backend->host_allocate(device, bytes, memory, error);
    }
    *memory = malloc(bytes);
    return *memory || fail_out_of_memory(error, "host memory");
}

void host_free(struct device *device, void *memory) {
    if (memory && device->backend->host_free) {
        device->backend->host_free(device, memory);
    } else {
        free(memory);
    }
}
