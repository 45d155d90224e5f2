/*
 * launch — the shape of a CUDA kernel's launch: `grid COUNT, ... block COUNT, ... shared BYTES
 * cluster COUNT, ...`, and the architectures that a header names.
 */
#ifndef PAIRMARK_KERNELS_LAUNCH_H
#define PAIRMARK_KERNELS_LAUNCH_H

#include "core/numeric.h"
#include "devices/device.h"
#include "kernels/count.h"

/* What stands behind the word `grid`, to the end of the words; false when it does not parse. What
 * names mean is not looked at. */
bool launch_parse(const char *words, struct launch_grid *launch);

/* Appends "grid particle / 16, 4 block 16, 8 shared GROUP_SIZE * real4 cluster 2". */
void launch_describe(const struct launch_grid *launch, struct strbuf *words);

/* Where the names in the counts come from. */
struct launch_counts {
    const struct tunings *tunings;
    count_units_of units;
    const void *context; /* of `units` */
    struct numeric numeric;
};

/* Works the counts out: all dimensions are 1 at least, grids are rounded up to whole clusters.
 * STATUS_UNSUPPORTED, which names the kernel, as count_value(). */
bool launch_shape(const struct launch_grid *launch, const char *kernel,
                  const struct launch_counts *counts, struct kernel_shape *shape,
                  struct error *error);

/* "sm_90" or "sm_90a"; false for other words. */
bool arch_from_name(const char *name, int *arch, bool *is_exact);

#endif
