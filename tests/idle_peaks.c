/*
 * idle_peaks FOLDER — for scripts/run_tests: measures what the default device can do at best, and
 * keeps it in the cache FOLDER as if the machine had been idle.
 *
 * Tests run beside each other. Peaks that were measured on a busy machine are measured again by
 * every process, a second each time, though no test depends on how high they are.
 */
#include "core/cache.h"
#include "devices/device.h"
#include "devices/machine/peak.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void call_idle(const char *key) {
    void *data;
    size_t length;
    if (cache_load("peaks", key, &data, &length)) {
        if (length == sizeof(struct peaks)) {
            struct peaks peaks;
            memcpy(&peaks, data, sizeof peaks);
            peaks.machine_load = 0;
            cache_store("peaks", key, &peaks, sizeof peaks);
        }
        free(data);
    }
}

int main(int argc, char **argv) {
    struct error error;
    struct device *device;
    struct peaks peaks;
    char pattern[4096];
    glob_t found;
    if (argc != 2 || setenv("PAIRMARK_CACHE", argv[1], 1) != 0) {
        return 2;
    }
    if (!device_open("", &device, &error)) {
        (void)fprintf(stderr, "idle_peaks: %s\n", error.message);
        return 1;
    }
    peaks_measure(device, &peaks);
    device_close(device);
    (void)snprintf(pattern, sizeof pattern, "%s/peaks/*", argv[1]);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            call_idle(strrchr(found.gl_pathv[i], '/') + 1);
        }
        globfree(&found);
    }
    return 0;
}
