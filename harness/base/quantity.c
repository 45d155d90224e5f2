#include "base/quantity.h"

#include <math.h>
#include <stdio.h>

void quantity_seconds(double seconds, char *text, size_t size) {
    static const struct {
        double unit;
        const char *name;
    } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
    size_t u = 0;
    if (!isfinite(seconds)) {
        (void)snprintf(text, size, "-");
        return;
    }
    while (u < 3 && seconds < 0.9995 * units[u].unit) {
        u++;
    }
    (void)snprintf(text, size, "%.3g %s", seconds / units[u].unit, units[u].name);
}

void quantity_number(double value, const char *unit, char *text, size_t size) {
    (void)snprintf(text, size, isfinite(value) ? "%.3g%s" : "-", value, unit);
}
