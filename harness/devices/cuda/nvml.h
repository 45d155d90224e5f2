/*
 * nvml — what the NVIDIA driver says of a GPU's state: clock, temperature, power, throttling.
 *
 * libnvidia-ml.so.1 is opened at run time and needs no CUDA toolkit to build. Everything here is
 * best effort: unknown values stay as they were, and nothing is an error.
 */
#ifndef PAIRMARK_DEVICES_CUDA_NVML_H
#define PAIRMARK_DEVICES_CUDA_NVML_H

#include "devices/device.h"

struct nvml;

/* The GPU at this PCI bus id ("0000:65:00.0"): NVML's indices are not CUDA's. NULL where there is
 * no NVML or it does not know the GPU. */
struct nvml *nvml_open(const char *pci_bus_id);
void nvml_close(struct nvml *nvml); /* NULL is fine */

/* "580.65.06"; "" when it is not known. */
void nvml_driver_version(const struct nvml *nvml, char *version, size_t size);

/* Overwrites those fields of *state that the GPU reports. */
void nvml_read(const struct nvml *nvml, struct device_state *state);
void nvml_read_clock(const struct nvml *nvml, struct device_state *state); /* and the reasons */

#endif
