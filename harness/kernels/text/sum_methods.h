/*
 * sum_methods — how energies, virials and counts come from many work-items to one number each.
 *
 * Every group of a launch adds up its own; what becomes of these is the method's business.
 */
#ifndef PAIRMARK_KERNELS_TEXT_SUM_METHODS_H
#define PAIRMARK_KERNELS_TEXT_SUM_METHODS_H

#include "core/strings.h"
#include "devices/device.h"
#include "kernels/case.h"

struct sum_method {
    bool in_place; /* groups add to the sums, which begin as zero; else each has its own place in
                      the partial sums, and `add` adds these up */
    bool by_warps; /* groups shuffle */
    /* What the device lacks for it, in words; NULL: nothing. */
    const char *(*lacks)(const struct device_info *info, bool sums_are_double);
    /* As device_sum(); NULL where sums are in place. */
    bool (*add)(struct device *device, enum sum_type type, struct buffer *in, size_t n,
                size_t segments, struct buffer *out, struct error *error);
};

/* That of the case; of counts, which have no axis, the first. */
const struct sum_method *sum_method_of(const struct case_spec *spec);
const struct sum_method *sum_method_of_counts(void);

/* STATUS_UNSUPPORTED: the device lacks something for it. */
bool sum_method_check(const struct sum_method *method, const struct device_info *info,
                      bool sums_are_double, struct error *error);

/* Appends the definitions that kernels see. */
void sum_method_define(const struct sum_method *method, struct strbuf *text);

#endif
