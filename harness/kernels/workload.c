/* What a workload says of itself. workloads/workloads.c lists them. */
#include "kernels/case.h"

#include "core/strings.h"

#include <string.h>

bool workload_lists_axis(const struct workload *workload, const char *option) {
    return word_place(workload->axes, option) >= 0;
}

bool workload_has_word(const struct workload *workload, const char *word) {
    return word_place(workload->header_words, word) >= 0;
}

bool workload_owns_interaction(const struct workload *workload, const char *name) {
    return word_place(workload->interactions, name) >= 0;
}

const struct workload_field workload_force_fields[] = {
    { "position", "real4", GROUPS_ONE_BIT, FIELD_IN, { { "position", 1 } } },
    { "force", "accum4", GROUPS_ONE_BIT, FIELD_OUT, { { "force", 1 } } },
    { .name = NULL },
};

bool workload_takes_any_cutoff(const struct box *box, bool endless) {
    (void)box;
    (void)endless;
    return true;
}

bool workload_all_pairs_exceed(const struct case_spec *spec, size_t particles) {
    const struct group_spec *group = &spec->group;
    if (group->mode == GROUPS_PAIRS) {
        return false; /* they are listed */
    }
    if (group->ratio_a > 0) {
        return group->ratio_b > 0 && group->ratio_a > 2 * particles * particles / group->ratio_b;
    }
    const double pairs = (double)spec->box.n * (double)box_spec_share(&spec->box);
    return pairs > (double)particles * (double)particles;
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
