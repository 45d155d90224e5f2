/* The workloads that there are: those of workloads.def, a file of this module each. */
#include "kernels/case.h"

#include "core/strings.h"

#include <string.h>

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/workloads.def"
#undef WORKLOAD

#define WORKLOAD(name) &workload_##name,
const struct workload *const workloads[] = {
#include "workloads/workloads.def"
    NULL
};
#undef WORKLOAD

const struct workload *workload_default(void) {
    return &workload_forces;
}

const struct workload *workload_find(const char *name) {
    for (size_t w = 0; workloads[w]; w++) {
        if (strcmp(workloads[w]->name, name) == 0) {
            return workloads[w];
        }
    }
    return NULL;
}

const struct workload *workload_of_function(const struct interaction_function *function) {
    return workload_find(*function->workload ? function->workload : function->name);
}

const struct workload *workload_of_others(const struct workload *workload,
                                          const struct interaction_function *function) {
    const struct workload *owner = workload_of_function(function);
    const bool is_own = owner == workload || (owner && workload->forces_by &&
                                              strcmp(workload->forces_by, owner->name) == 0);
    return is_own ? NULL : owner;
}

const struct workload *workload_of_steps(const struct workload *forces) {
    for (size_t w = 0; workloads[w]; w++) {
        if (workload_has_word(workloads[w], "@forces") &&
            strcmp(workloads[w]->forces_by, forces->name) == 0) {
            return workloads[w];
        }
    }
    return NULL;
}

bool workload_fills_column(const struct workload *workload, const char *column) {
    bool is_listed_by_others = false;
    for (size_t w = 0; workloads[w]; w++) {
        is_listed_by_others = is_listed_by_others || word_place(workloads[w]->columns, column) >= 0;
    }
    return !is_listed_by_others || word_place(workload->columns, column) >= 0;
}

void workloads_list(struct strbuf *names) {
    for (size_t w = 0; workloads[w]; w++) {
        const char *between = w == 0 ? "" : workloads[w + 1] ? ", " : " or ";
        strbuf_append(names, "%s%s", between, workloads[w]->name);
    }
}
