/*
 * launch — what a header says that a kernel needs to be launched: the shape of a CUDA kernel's
 * launch, `grid COUNT, ... block COUNT, ... shared BYTES cluster COUNT, ...`; the architectures;
 * and memory of the kernels' own, `@scratch NAME TYPE COUNT`.
 */
#ifndef PAIRMARK_KERNELS_LAUNCH_H
#define PAIRMARK_KERNELS_LAUNCH_H

#include "core/quantity.h"
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

/* ---- @scratch ---- */

/* COUNT is a count of elements (count.h). What such memory holds does not outlast an evaluation,
 * unless its passes say so (schedule.h). */

/* What stands behind @scratch; false when it does not parse, with what was expected in `expected`
 * (a text that lives as long as the program, or in `scratch`). Whether the names in COUNT are units
 * or tunables is not looked at. */
bool scratch_parse(const char *words, struct scratch_buffer *scratch, const char **expected);

/* "copies accum4 particle * COPIES", at most size - 1 characters. */
enum { SCRATCH_WORDS_SIZE = (COUNT_MAX_FACTORS + 2) * (VARIANT_NAME_SIZE + 4) };
void scratch_describe(const struct scratch_buffer *scratch, char *words, size_t size);

/* The types that there are, "int, real, ...", for messages. */
const char *scratch_types(void);

/* Bytes per element of a type that there is, 0 of another; real and accum are doubles or floats. */
size_t scratch_type_bytes(const char *type, struct numeric numeric);
/* The same of the type of a buffer's elements. */
size_t scratch_element_bytes(const struct scratch_buffer *scratch, struct numeric numeric);

/* "GLOBAL accum4 * or GLOBAL accum *": how a kernel declares it. */
void scratch_parameter_type(const struct scratch_buffer *scratch, char *type, size_t size);

/* How many elements COUNT comes to. STATUS_UNSUPPORTED where a tunable in it is 0, or where it is
 * more than an int can number. Units that there are none of make no elements. */
bool scratch_count(const struct scratch_buffer *scratch, const struct tunings *tunings,
                   count_units_of units, const void *context, size_t *count, struct error *error);

#endif
