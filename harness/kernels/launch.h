/*
 * launch — what a header says that a kernel needs to be launched: the shape of a CUDA kernel's
 * launch, `grid COUNT, ... block COUNT, ... shared BYTES cluster COUNT, ...`; the architectures;
 * and memory of the kernels' own, `@scratch NAME TYPE COUNT`.
 */
#ifndef PAIRMARK_KERNELS_LAUNCH_H
#define PAIRMARK_KERNELS_LAUNCH_H

#include "core/quantity.h"
#include "devices/device.h"
#include "kernels/variant.h"

/* ---- formulas ---- */

/* The two kinds of formulas that a kernel's header may have.
 *
 * A COUNT says how many: a sum of products of launch units, tunables and whole numbers, as
 * "particle * COPIES + 64"; * and / bind tighter than +, and a quotient is rounded up. @holds says
 * how large a tunable must be for the box: any arithmetic, in double. */

/* What a message says was expected. */
extern const char count_expected[];

/* Takes a count from the front of `*words` and leaves there what is no part of it. False where
 * there is none, where a number is out of 1 to 2^24, or where it has too many factors. What the
 * names mean is not looked at. */
bool count_parse(const char **words, struct count *count);

/* Appends "particle * COPIES + 64". */
void count_describe(const struct count *count, struct strbuf *words);

/* How many there are of a launch unit; false when there is no such unit. */
typedef bool (*count_units_of)(const void *context, const char *unit, size_t *count);

/* Where the names in the counts come from. */
struct launch_counts {
    const struct tunings *tunings;
    count_units_of units;
    const void *context; /* of `units` */
    struct numeric numeric;
};

/* What it comes to, at most 2^31 - 1. A name that is no unit is a tunable's. STATUS_UNSUPPORTED,
 * beginning with `what` ("@scratch copies"), where a tunable in it is 0, where something is divided
 * by no units, or where it is more than an int can number. */
bool count_value(const struct count *count, const char *what, const struct launch_counts *counts,
                 size_t *value, struct error *error);

/* ---- @holds ---- */

/*
 * "@holds WORDS 8 + density * cutoff * cutoff * cutoff / LANES": numbers, quantities of the case
 * (holds_is_quantity), tunables, + - * / and parentheses, min(a, b), max(a, b) and ceil(a). The
 * text is parsed anew at each evaluation: headers are short.
 */

/* The value of a name; false where nothing has it. */
typedef bool (*holds_find)(const void *context, const char *name, double *value);

/* n, density or cutoff: particles, particles per volume, length. */
bool holds_is_quantity(const char *name);

/* What it comes to, which may be infinite or NaN. STATUS_BAD_INPUT, saying what was expected, where
 * it is no such expression or names what there is not. */
bool holds_value(const char *words, holds_find find, const void *context, double *value,
                 struct error *error);

/* Of the values that the author of the tunable lists the smallest that is not below `need`, else
 * the largest; its preset where `need` is NaN or not above 0. */
int holds_choose(const struct tunable *tunable, double need);

/* ---- shapes ---- */

/* What stands after the word `grid`, to the end of the words; false when it does not parse. What
 * names mean is not looked at. */
bool launch_parse(const char *words, struct launch_grid *launch);

/* Appends "grid particle / 16, 4 block 16, 8 shared GROUP_SIZE * real4 cluster 2". */
void launch_describe(const struct launch_grid *launch, struct strbuf *words);

/* Works the counts out: all dimensions are 1 at least, grids are rounded up to whole clusters.
 * STATUS_UNSUPPORTED, which names the kernel, as count_value(). */
bool launch_shape(const struct launch_grid *launch, const char *kernel,
                  const struct launch_counts *counts, struct kernel_shape *shape,
                  struct error *error);

/* "sm_90" or "sm_90a"; false for other words. */
bool arch_from_name(const char *name, int *arch, bool *is_exact);

/* ---- @scratch ---- */

/* COUNT is a count of elements (above). What such memory holds does not outlast an evaluation,
 * unless its passes say so (schedule.h). */

/* What stands after @scratch; false when it does not parse, with what was expected in `expected`
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
