#include "core/numeric.h"

#include <string.h>

static const struct {
    const char *name;
    struct numeric numeric;
} precisions[] = {
    [PRECISION_FLOAT] = { "float", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_FLOAT } },
    [PRECISION_MIXED] = { "mixed", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_DOUBLE } },
    [PRECISION_DOUBLE] = { "double", { FORMAT_DOUBLE, FORMAT_DOUBLE, FORMAT_DOUBLE } },
    [PRECISION_FIXED] = { "fixed", { FORMAT_FLOAT, FORMAT_FLOAT, FORMAT_FIXED } },
};

const char *precision_name(enum precision precision) {
    return precisions[precision].name;
}

bool precision_from_name(const char *name, enum precision *precision) {
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (strcmp(name, precisions[i].name) == 0) {
            *precision = (enum precision)i;
            return true;
        }
    }
    return false;
}

struct numeric precision_numeric(enum precision precision) {
    return precisions[precision].numeric;
}

size_t format_bytes(enum number_format format) {
    return format == FORMAT_FLOAT ? sizeof(float) : sizeof(double);
}

double format_unit(enum number_format format) {
    return format == FORMAT_FLOAT ? 0x1p-24 : 0x1p-53;
}
