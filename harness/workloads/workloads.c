/* The workloads that there are: those of workloads.def, a file of this room each. */
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

bool workload_lists_axis(const struct workload *workload, const char *option) {
    return word_place(workload->axes, option) >= 0;
}

bool workload_fills_column(const struct workload *workload, const char *column) {
    bool is_listed_by_others = false;
    for (size_t w = 0; workloads[w]; w++) {
        is_listed_by_others = is_listed_by_others || word_place(workloads[w]->columns, column) >= 0;
    }
    return !is_listed_by_others || word_place(workload->columns, column) >= 0;
}

bool workload_has_word(const struct workload *workload, const char *word) {
    return word_place(workload->header_words, word) >= 0;
}

bool workload_owns_interaction(const struct workload *workload, const char *name) {
    return word_place(workload->interactions, name) >= 0;
}

bool workload_has_more_pairs(const struct case_spec *spec, size_t particles) {
    const struct group_spec *group = &spec->group;
    if (group->mode == GROUPS_PAIRS) {
        return false; /* they are listed */
    }
    if (group->ratio_a > 0) {
        return group->ratio_b > 0 && group->ratio_a > 2 * particles * particles / group->ratio_b;
    }
    return spec->box.n > particles;
}

void workloads_list(struct strbuf *names) {
    for (size_t w = 0; workloads[w]; w++) {
        const char *between = w == 0 ? "" : workloads[w + 1] ? ", " : " or ";
        strbuf_append(names, "%s%s", between, workloads[w]->name);
    }
}

const struct workload_field *workload_result(const struct workload *workload) {
    const struct workload_field *field = workload->fields;
    while (field->use != FIELD_OUT) {
        field++;
    }
    return field;
}

int workload_sums(const struct workload *workload, enum outputs outputs) {
    int sums = 0;
    for (const struct workload_scalar *scalar = workload->scalars; scalar->name; scalar++) {
        sums += outputs >= scalar->from ? scalar->sums : 0;
    }
    return sums;
}

const char *const outputs_names[] = {
    [OUTPUTS_FORCES] = "forces", [OUTPUTS_ENERGY] = "energy", [OUTPUTS_VIRIAL] = "virial", NULL
};

const char *outputs_name(enum outputs outputs) {
    return outputs_names[outputs];
}

bool workload_has_particles(const struct workload *workload) {
    const struct workload_field *field = workload->fields;
    while (field->name && strcmp(field->name, "position") != 0) {
        field++;
    }
    return field->name != NULL;
}
