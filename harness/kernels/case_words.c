/* What a case says in the columns that it decides by itself. */
#include "kernels/case.h"

#include "core/strbuf.h"

#include <stddef.h>
#include <string.h>

/* Where a case has the words that an axis knows by their numbers: an enum each. */
static const struct {
    enum axis axis;
    size_t at;
} numbered[] = {
    { AXIS_PRECISION, offsetof(struct case_spec, precision) },
    { AXIS_OUTPUTS, offsetof(struct case_spec, outputs) },
    { AXIS_REDUCTION, offsetof(struct case_spec, reduction) },
    { AXIS_LAUNCH, offsetof(struct case_spec, launch) },
    { AXIS_DISTRIBUTION, offsetof(struct case_spec, distribution) },
};
enum { NUMBERED = sizeof numbered / sizeof numbered[0] };
_Static_assert(sizeof(enum precision) == sizeof(unsigned) &&
                   sizeof(enum launch) == sizeof(unsigned),
               "enums are as large as what they are copied by");

static void append_tunables(const struct case_spec *spec, struct strbuf *words) {
    char tunables[TUNINGS_WORDS_SIZE];
    tunings_describe(&spec->tunings, tunables, sizeof tunables);
    strbuf_append(words, "%s", tunables);
}

static bool append_numbered(const struct case_spec *spec, enum column column,
                            struct strbuf *words) {
    for (int n = 0; n < NUMBERED; n++) {
        if (axis_table[numbered[n].axis].column == column) {
            unsigned value;
            memcpy(&value, (const char *)spec + numbered[n].at, sizeof value);
            strbuf_append(words, "%s", axis_value_name(numbered[n].axis, value));
            return true;
        }
    }
    return false;
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
    case COLUMN_OUTPUTS: /* of draws, what they are drawn from */
        return append_numbered(spec, variant->workload->is_of_draws ? COLUMN_DISTRIBUTION : column,
                               words);
    case COLUMN_DISTRIBUTION:
        if (!variant->workload->is_of_draws) {
            strbuf_append(words, "%s", "");
            return true;
        }
        return append_numbered(spec, column, words);
    case COLUMN_STEPS:
        if (variant->workload->forces_of) {
            strbuf_append(words, "%llu", (unsigned long long)spec->step.steps);
        }
        return true;
    case COLUMN_DT:
        if (variant->workload->forces_of) {
            strbuf_append(words, "%.15g", spec->step.dt);
        }
        return true;
    case COLUMN_DYNAMICS:
        if (variant->workload->forces_of) {
            step_rules_describe(&spec->step, words);
        }
        return true;
    case COLUMN_EXCHANGE:
        strbuf_append(words, "%s", spec->exchange.by_hilbert ? "hilbert" : "none");
        if (spec->exchange.every > 0) {
            strbuf_append(words, ":%llu", (unsigned long long)spec->exchange.every);
        }
        return true;
    default:
        return append_numbered(spec, column, words);
    }
}

void case_choose(struct case_spec *spec, enum axis axis, size_t value) {
    const unsigned number = (unsigned)value;
    for (int n = 0; n < NUMBERED; n++) {
        if (numbered[n].axis == axis) {
            memcpy((char *)spec + numbered[n].at, &number, sizeof number);
        }
    }
}

bool case_depends_on(const struct case_spec *spec, enum axis axis) {
    const bool draws = spec->variant->workload->is_of_draws;
    switch (axis) {
    case AXIS_REDUCTION:
        return spec->outputs != OUTPUTS_FORCES;
    case AXIS_OUTPUTS: /* of what has sums */
        return !draws && spec->variant->workload->scalars->name;
    case AXIS_LAUNCH:
        return !draws;
    case AXIS_DISTRIBUTION:
        return draws;
    default:
        return true;
    }
}

struct case_spec case_of_forces_alone(const struct case_spec *spec) {
    struct case_spec plain = *spec;
    plain.outputs = OUTPUTS_FORCES;
    plain.reduction = REDUCTION_TREE;
    plain.launch = LAUNCH_EACH;
    return plain;
}
