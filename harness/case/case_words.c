/* What a case says in the columns that it decides by itself. */
#include "case/case.h"

#include "base/strbuf.h"

#include <string.h>

static void append_tunables(const struct case_spec *spec, struct strbuf *words) {
    char tunables[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunables, sizeof tunables);
    strbuf_append(words, "%s", tunables);
}

bool case_words(const struct case_spec *spec, enum column column, struct strbuf *words) {
    const struct variant *variant = spec->variant;
    switch (column) {
    case COLUMN_WORKLOAD:
        strbuf_append(words, "%s", variant->workload->name);
        return true;
    case COLUMN_INTERACTION:
        interaction_describe(&spec->interaction, words);
        return true;
    case COLUMN_VARIANT:
        strbuf_append(words, "%s", variant->name);
        return true;
    case COLUMN_STRUCTURE:
        strbuf_append(words, "%s", variant->structure);
        return true;
    case COLUMN_PRECISION:
        strbuf_append(words, "%s", precision_name(spec->precision));
        return true;
    case COLUMN_OUTPUTS:
        strbuf_append(words, "%s", outputs_name(spec->outputs));
        return true;
    case COLUMN_REDUCTION:
        strbuf_append(words, "%s", axis_value_name(AXIS_REDUCTION, spec->reduction));
        return true;
    case COLUMN_LAUNCH:
        strbuf_append(words, "%s", axis_value_name(AXIS_LAUNCH, spec->launch));
        return true;
    case COLUMN_TUNABLES:
        append_tunables(spec, words);
        return true;
    case COLUMN_TUNED:
        strbuf_append(words, "%s", spec->tuned ? "1" : "");
        return true;
    case COLUMN_GROUPS:
        if (variant->workload->takes_groups) {
            group_spec_describe(&spec->group, words);
        }
        return true;
    default:
        return false;
    }
}

void case_choose(struct case_spec *spec, enum axis axis, size_t value) {
    if (axis == AXIS_PRECISION) {
        spec->precision = (enum precision)value;
    } else if (axis == AXIS_OUTPUTS) {
        spec->outputs = (enum outputs)value;
    } else if (axis == AXIS_REDUCTION) {
        spec->reduction = (enum reduction)value;
    } else if (axis == AXIS_LAUNCH) {
        spec->launch = (enum launch)value;
    }
}

bool case_depends_on(const struct case_spec *spec, enum axis axis) {
    return axis != AXIS_REDUCTION || spec->outputs != OUTPUTS_FORCES;
}

struct case_spec case_of_forces_alone(const struct case_spec *spec) {
    struct case_spec plain = *spec;
    plain.outputs = OUTPUTS_FORCES;
    plain.reduction = REDUCTION_TREE;
    plain.launch = LAUNCH_EACH;
    return plain;
}
