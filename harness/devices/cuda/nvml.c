#include "devices/cuda/cuda_device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* NVML's stable interface, as far as it is used here; the toolkit's header is often not there. */
typedef struct nvml_device_of_library *nvml_device;
enum { NVML_OK = 0, NVML_SENSOR_GPU = 0, NVML_CLOCK_SM = 1, NVML_VERSION_SIZE = 80 };

/* name in the struct, symbol, parameters; all return int, 0 being success. */
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, "nvmlInit_v2", void)                                                                   \
    X(shutdown, "nvmlShutdown", void)                                                              \
    X(handle_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", const char *, nvml_device *)           \
    X(driver_version, "nvmlSystemGetDriverVersion", char *, unsigned)                              \
    X(clock, "nvmlDeviceGetClockInfo", nvml_device, int, unsigned *)                               \
    X(temperature, "nvmlDeviceGetTemperature", nvml_device, int, unsigned *)                       \
    X(power, "nvmlDeviceGetPowerUsage", nvml_device, unsigned *)                                   \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", nvml_device, unsigned *)                     \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", nvml_device, unsigned long long *)            \
    X(reasons, "nvmlDeviceGetCurrentClocksEventReasons", nvml_device, unsigned long long *)        \
    X(reasons_old, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml_device, unsigned long long *)

struct nvml {
    void *library;
    nvml_device device;
    char driver[NVML_VERSION_SIZE];
#define NVML_MEMBER(name, symbol, ...) int (*(name))(__VA_ARGS__);
    NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

static const struct {
    unsigned long long bit;
    const char *word;
} reason_words[] = {
    { 0x001, "idle" },        { 0x002, "application_clocks" }, { 0x004, "power_cap" },
    { 0x008, "hw_slowdown" }, { 0x010, "sync_boost" },         { 0x020, "sw_thermal" },
    { 0x040, "hw_thermal" },  { 0x080, "power_brake" },        { 0x100, "display_clocks" },
};

/* dlsym returns an object pointer; POSIX makes its bytes good as a function's address. */
static void nvml_bind(void *library, const char *symbol, void *function) {
    void *address = dlsym(library, symbol);
    memcpy(function, &address, sizeof address);
}

struct nvml *nvml_open(const char *pci_bus_id) {
    struct nvml *nvml = calloc(1, sizeof *nvml);
    if (!nvml) {
        return NULL;
    }
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library) {
        free(nvml);
        return NULL;
    }
#define NVML_BIND(name, symbol, ...) nvml_bind(nvml->library, symbol, &nvml->name);
    NVML_FUNCTIONS(NVML_BIND)
#undef NVML_BIND
    if (!nvml->init || !nvml->shutdown || !nvml->handle_by_bus_id || nvml->init() != NVML_OK) {
        (void)dlclose(nvml->library);
        free(nvml);
        return NULL;
    }
    if (nvml->handle_by_bus_id(pci_bus_id, &nvml->device) != NVML_OK) {
        nvml_close(nvml);
        return NULL;
    }
    if (!nvml->driver_version ||
        nvml->driver_version(nvml->driver, sizeof nvml->driver) != NVML_OK) {
        nvml->driver[0] = '\0';
    }
    return nvml;
}

void nvml_close(struct nvml *nvml) {
    if (nvml) {
        (void)nvml->shutdown();
        (void)dlclose(nvml->library);
        free(nvml);
    }
}

void nvml_driver_version(const struct nvml *nvml, char *version, size_t size) {
    size_t length = strnlen(nvml->driver, sizeof nvml->driver);
    length = length < size ? length : size - 1;
    memcpy(version, nvml->driver, length);
    version[length] = '\0';
}

double nvml_power_limit_w(const struct nvml *nvml) {
    unsigned value = 0; /* in mW */
    return nvml->power_limit && nvml->power_limit(nvml->device, &value) == NVML_OK ? 1e-3 * value
                                                                                   : 0;
}

static void describe_reasons(unsigned long long reasons, char *words, size_t size) {
    char *end = words + size - 1;
    char *at = words;
    for (size_t i = 0; i < sizeof reason_words / sizeof reason_words[0]; i++) {
        const char *word = reason_words[i].word;
        size_t length = strlen(word);
        if ((reasons & reason_words[i].bit) && length + 1 <= (size_t)(end - at)) {
            if (at > words) {
                *at++ = '+';
            }
            memcpy(at, word, length);
            at += length;
        }
    }
    *at = '\0';
    if (at == words) {
        (void)strncpy(words, reasons ? "other" : "none", size - 1);
        *end = '\0';
    }
}

void nvml_read_clock(const struct nvml *nvml, struct device_state *state) {
    unsigned value = 0;
    unsigned long long wide = 0;
    if (nvml->clock && nvml->clock(nvml->device, NVML_CLOCK_SM, &value) == NVML_OK) {
        state->sm_clock_mhz = value;
    }
    if ((nvml->reasons && nvml->reasons(nvml->device, &wide) == NVML_OK) ||
        (nvml->reasons_old && nvml->reasons_old(nvml->device, &wide) == NVML_OK)) {
        describe_reasons(wide, state->throttle_reasons, sizeof state->throttle_reasons);
    }
}

void nvml_read(const struct nvml *nvml, struct device_state *state) {
    unsigned value = 0;
    unsigned long long wide = 0;
    nvml_read_clock(nvml, state);
    if (nvml->temperature && nvml->temperature(nvml->device, NVML_SENSOR_GPU, &value) == NVML_OK) {
        state->temperature_c = value;
    }
    if (nvml->power && nvml->power(nvml->device, &value) == NVML_OK) {
        state->power_w = 1e-3 * value; /* in mW */
    }
    if (nvml->energy && nvml->energy(nvml->device, &wide) == NVML_OK) {
        state->energy_j = 1e-3 * (double)wide; /* in mJ */
    }
}
