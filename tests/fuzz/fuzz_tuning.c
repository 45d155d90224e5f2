/* Stored tunables: read, and looked up. */
#include "commands/search/stored_tunables.h"
#include "fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = { 0 };
    struct tuning_store store;
    if (!tuning_store_read(fuzz_file(0, data, size), NULL, &store, &error)) {
        fuzz_require_reason(&error);
        return 0;
    }
    for (size_t i = 0; i < store.count; i++) {
        fuzz_require(tuning_store_find(&store, &store.entries[i]) != NULL);
    }
    tuning_store_free(&store);
    return 0;
}
