#include "commands/console/check_judged.h"
#include "core/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void judged_free(struct judged_cases *judged) {
    free(judged->groups);
    free(judged->variants);
    *judged = (struct judged_cases){ 0 };
}

/* The group of a case, added where it is new; NULL when memory ran out. */
static struct judged_group *group_of(struct judged_cases *judged, const struct case_spec *spec) {
    struct judged_group group = { .passed = 0 };
    (void)snprintf(group.name, sizeof group.name, "%s, %s, %s", spec->variant->name,
                   spec->interaction.name, outputs_name(spec->outputs));
    for (size_t i = 0; i < judged->group_count; i++) {
        if (strcmp(judged->groups[i].name, group.name) == 0) {
            return &judged->groups[i];
        }
    }
    struct judged_group *groups =
        realloc(judged->groups, (judged->group_count + 1) * sizeof *groups);
    if (!groups) {
        return NULL;
    }
    judged->groups = groups;
    groups[judged->group_count] = group;
    return &groups[judged->group_count++];
}

static struct judged_variant *variant_of(struct judged_cases *judged,
                                         const struct variant *variant) {
    for (size_t i = 0; i < judged->variant_count; i++) {
        if (judged->variants[i].variant == variant) {
            return &judged->variants[i];
        }
    }
    struct judged_variant *variants =
        realloc(judged->variants, (judged->variant_count + 1) * sizeof *variants);
    if (!variants) {
        return NULL;
    }
    judged->variants = variants;
    variants[judged->variant_count] = (struct judged_variant){ .variant = variant };
    return &variants[judged->variant_count++];
}

bool judged_add(struct judged_cases *judged, const struct case_spec *spec,
                const struct verdict *verdict, double seconds, struct error *error) {
    struct judged_variant *variant = variant_of(judged, spec->variant);
    if (!variant) {
        return fail_out_of_memory(error, "the times of the variants");
    }
    variant->cases++;
    variant->seconds += seconds;
    if (verdict->status != STATUS_OK) {
        return true;
    }
    struct judged_group *group = group_of(judged, spec);
    if (!group) {
        return fail_out_of_memory(error, "the cases that passed");
    }
    group->passed++;
    group->with_pairs += verdict->pairs_in_cutoff != 0;
    return true;
}

size_t judged_append_empty(const struct judged_cases *judged, struct strbuf *lines) {
    size_t empty = 0;
    for (size_t i = 0; i < judged->group_count; i++) {
        const struct judged_group *group = &judged->groups[i];
        if (group->with_pairs == 0) {
            empty++;
            strbuf_append(lines,
                          "nothing was judged: %s: no pair is within the cutoff in any of the %zu "
                          "cases that passed\n",
                          group->name, group->passed);
        }
    }
    return empty;
}

void judged_append_times(const struct judged_cases *judged, struct strbuf *lines) {
    for (size_t i = 0; i < judged->variant_count; i++) {
        const struct judged_variant *variant = &judged->variants[i];
        strbuf_append(lines, "%8.1f s  %s, %zu cases\n", variant->seconds, variant->variant->name,
                      variant->cases);
    }
}
