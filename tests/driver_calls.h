/* What the driver of OpenCL is asked for, as counting_layer.c counts it between a program and the
 * driver. */
#ifndef PAIRMARK_TESTS_DRIVER_CALLS_H
#define PAIRMARK_TESTS_DRIVER_CALLS_H

struct driver_calls {
    int kernels, copies, waits, allocations; /* copies: to and from the host, fills */
};

#endif
