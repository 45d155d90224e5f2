/*
 * memory_needs — the memory that N particles need, estimated before anything is allocated.
 *
 * Estimates from the arrays that every case has, per particle; the structure of a variant adds what
 * its class says it keeps per particle, and @scratch what it comes to. Small arrays, programs and
 * the libraries' own memory are not counted, so that a case just inside an estimate may still run
 * out: it is then refused where that happens.
 */
#ifndef PAIRMARK_KERNELS_MEMORY_NEEDS_H
#define PAIRMARK_KERNELS_MEMORY_NEEDS_H

#include "devices/device.h"
#include "kernels/case.h"

enum {
    /* Making or reading a box: the box (36), moves or velocities (24), the list of near pairs. */
    HOST_BYTES_OF_BOX = 176,
    /* A case: the box as made and as the device has it (76), its reference while it is computed
     * (176), or kept (44) beside three results (72) and what is copied to or from the device (32).
     */
    HOST_BYTES_OF_CASE = 256
};

/* Whether this machine could ever hold n particles, if nobody else took memory. STATUS_BAD_INPUT,
 * saying what is needed and what there is; begins with `option`. */
bool memory_can_hold(const char *option, double n, int bytes_per_particle, struct error *error);

/* Whether the host has room for a case of n particles now, and `spare` bytes that this process
 * would give back. STATUS_OUT_OF_MEMORY, saying what is needed and what there is. */
bool memory_on_host(size_t n, size_t spare, struct error *error);

/* Whether the device could ever hold the case, of what its box_spec says; `with_double`: also the
 * kernels in double that are to judge it. STATUS_OUT_OF_MEMORY likewise. */
bool memory_on_device(const struct case_spec *spec, const struct device_info *info,
                      bool with_double, struct error *error);

#endif
