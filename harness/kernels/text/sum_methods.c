#include "kernels/text/sum_methods.h"

static const char *lacks_warps(const struct device_info *info, bool sums_are_double) {
    (void)sums_are_double;
    return info->subgroup_size <= 1 ? "shuffles within a warp" : NULL;
}

static const char *lacks_atomics(const struct device_info *info, bool sums_are_double) {
    return sums_are_double && !info->atomics64 ? "64-bit atomics" : NULL;
}

static const char *lacks_cub(const struct device_info *info, bool sums_are_double) {
    (void)sums_are_double;
    return info->kind != DEVICE_CUDA ? "CUB, which needs a CUDA device" : NULL;
}

static const struct sum_method methods[] = {
    [REDUCTION_TREE] = { .add = device_sum },
    [REDUCTION_WARP] = { .by_warps = true, .lacks = lacks_warps, .add = device_sum },
    [REDUCTION_ATOMIC] = { .in_place = true, .lacks = lacks_atomics },
    [REDUCTION_CUB] = { .lacks = lacks_cub, .add = device_library_sum },
};

const char *const reduction_names[] = { [REDUCTION_TREE] = "tree",
                                        [REDUCTION_WARP] = "warp",
                                        [REDUCTION_ATOMIC] = "atomic",
                                        [REDUCTION_CUB] = "cub",
                                        NULL };

const struct sum_method *sum_method_of(const struct case_spec *spec) {
    return &methods[spec->reduction];
}

const struct sum_method *sum_method_of_counts(void) {
    return &methods[REDUCTION_TREE];
}

bool sum_method_check(const struct sum_method *method, const struct device_info *info,
                      bool sums_are_double, struct error *error) {
    const char *lacks = method->lacks ? method->lacks(info, sums_are_double) : NULL;
    return !lacks || fail(error, STATUS_UNSUPPORTED, "reduction %s: %s has no %s",
                          reduction_names[method - methods], info->name, lacks);
}

void sum_method_define(const struct sum_method *method, struct strbuf *text) {
    strbuf_append(text, "#define REDUCTION_WARP %d\n#define REDUCTION_ATOMIC %d\n",
                  method->by_warps, method->in_place);
}
