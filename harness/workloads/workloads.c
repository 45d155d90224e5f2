/* The workloads that there are: those of workloads.def, a file of this module each. */
#include "workloads/workload_buffers.h"

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

/* ---- their buffers ---- */

/* The parameters of kernels that some arguments are the values of; it ends with a name of NULL. */
static const struct kernel_parameter *parameters_of(const struct workload *workload,
                                                    const struct workload_arguments *arguments) {
    const struct parameter_table *table = workload->parameter_tables;
    while (table->at != arguments->at) {
        table++;
    }
    return table->table;
}

/* Calls `visit` for each buffer among the arguments whose type begins with `type`. */
static void visit_arguments(const struct workload *workload, const void *buffers, const char *type,
                            workload_buffer_visitor *visit, void *context) {
    for (int a = 0; a < WORKLOAD_MAX_ARGUMENTS && workload->buffers->arguments[a].size > 0; a++) {
        const struct workload_arguments *arguments = &workload->buffers->arguments[a];
        for (const struct kernel_parameter *p = parameters_of(workload, arguments); p->name; p++) {
            if (p->kind == VALUE_BUFFER && begins_with(p->type, type)) {
                visit(context,
                      kernel_parameter_value(p, (const char *)buffers + arguments->own).buffer,
                      p->name);
            }
        }
    }
}

void workload_buffers_visit(const struct workload *workload, const void *buffers,
                            workload_buffer_visitor *visit, void *context) {
    visit_arguments(workload, buffers, "GLOBAL const", visit, context);
}

static void free_one(void *context, struct buffer *buffer, const char *name) {
    (void)context;
    (void)name;
    buffer_free(buffer);
}

void workload_buffers_free(const struct workload *workload, void *buffers) {
    visit_arguments(workload, buffers, "GLOBAL", free_one, NULL);
    if (workload->buffers->free) {
        workload->buffers->free(buffers);
    }
}

void workload_buffers_fill(const struct workload *workload, const void *buffers,
                           struct case_arguments *arguments) {
    for (int a = 0; a < WORKLOAD_MAX_ARGUMENTS; a++) {
        const struct workload_arguments *part = &workload->buffers->arguments[a];
        memcpy((char *)arguments + part->at, (const char *)buffers + part->own, part->size);
    }
}
