#include "kernels/long_range.h"

#include "kernels/case.h"

#include <string.h>

bool long_range_is_part(const struct case_spec *spec) {
    return spec->long_range.variant == spec->variant;
}

enum precision long_range_precision(const struct long_range *of, enum precision of_steps) {
    return of->in_float ? PRECISION_FLOAT : of_steps;
}

void long_range_describe(const struct long_range *of, struct strbuf *text) {
    char tunables[TUNINGS_WORDS_SIZE];
    if (!of->variant) {
        strbuf_append(text, "none");
        return;
    }
    strbuf_append(text, "%s:", of->variant->name);
    for (int p = 0; p < of->interaction.parameter_count; p++) {
        const struct interaction_parameter *parameter = &of->interaction.parameters[p];
        if (strcmp(parameter->name, "alpha") != 0 && strcmp(parameter->name, "coulomb") != 0) {
            strbuf_append(text, "%s=%.15g,", parameter->name, parameter->value);
        }
    }
    tunings_describe(&of->tunings, tunables, sizeof tunables);
    for (char *c = tunables; *c; c++) {
        *c = *c == ' ' ? ',' : *c;
    }
    strbuf_append(text, "%s%sSTREAMS=%d%s", tunables, *tunables ? "," : "", of->streams,
                  of->in_float ? ",PRECISION=float" : "");
}
