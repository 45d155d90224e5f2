/* Checks the members of groups against the options that asked for them. */
#include "reference/pairs/reference.h"

#include <stdlib.h>

static bool fail_groups(const char *name, struct error *error) {
    return fail(error, STATUS_WRONG, "group %s is not the one that was asked for", name);
}

/* The particles that the runs name, in their order; all n where there is no list. */
static bool check_list(const char *name, const struct particle_list *list, size_t n,
                       const int32_t *member, size_t count, struct error *error) {
    const size_t runs = list ? particle_list_run_count(list) : 1;
    size_t next = 0;
    for (size_t k = 0; k < runs; k++) {
        uint64_t first = 1, last = n, step = 1;
        if (list) {
            particle_list_run(list, k, &first, &last, &step);
        }
        for (uint64_t particle = first; particle <= last; particle += step, next++) {
            if (next >= count || member[next] < 0 || (uint64_t)member[next] + 1 != particle) {
                return fail_groups(name, error);
            }
        }
    }
    return next == count || fail_groups(name, error);
}

/* Marks the members of a drawn group. False: one is marked already, or no particle. */
static bool all_fresh(const int32_t *member, size_t count, size_t n, unsigned char *marked) {
    for (size_t k = 0; k < count; k++) {
        if (member[k] < 0 || (size_t)member[k] >= n || marked[member[k]]++) {
            return false;
        }
    }
    return true;
}

bool reference_checks_groups(const struct group_spec *spec, size_t n, const struct groups *groups,
                             struct error *error) {
    if (groups->mode != spec->mode) {
        return fail(error, STATUS_WRONG, "the groups are paired otherwise than was asked for");
    }
    if (spec->ratio_a == 0) {
        return check_list("A", spec->a, n, groups->a, groups->n_a, error) &&
               (spec->mode == GROUPS_ONE
                    ? groups->n_b == 0 || fail_groups("B", error)
                    : check_list("B", spec->b, n, groups->b, groups->n_b, error));
    }
    unsigned char *marked = calloc(n, sizeof *marked);
    if (!marked) {
        return fail_out_of_memory(error, "the groups of the reference");
    }
    const bool right_a =
        groups->n_a == spec->ratio_a && all_fresh(groups->a, groups->n_a, n, marked);
    const bool right_b =
        groups->n_b == spec->ratio_b && all_fresh(groups->b, groups->n_b, n, marked);
    free(marked);
    return (right_a || fail_groups("A", error)) && (right_b || fail_groups("B", error));
}
