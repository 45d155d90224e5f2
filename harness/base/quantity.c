#include "base/quantity.h"

#include <math.h>
#include <stdio.h>

static const struct unit {
    double seconds;
    const char *name;
} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };

/* The largest in which three digits do not come to less than one. */
static const struct unit *unit_of(double seconds) {
    size_t u = 0;
    while (u < 3 && seconds < 0.9995 * units[u].seconds) {
        u++;
    }
    return &units[u];
}

void quantity_seconds(double seconds, char *text, size_t size) {
    const struct unit *unit = unit_of(seconds);
    if (!isfinite(seconds)) {
        (void)snprintf(text, size, "-");
        return;
    }
    (void)snprintf(text, size, "%.3g %s", seconds / unit->seconds, unit->name);
}

void quantity_even_seconds(double seconds, char *text, size_t size) {
    const struct unit *unit = unit_of(seconds);
    const double value = seconds / unit->seconds;
    if (!isfinite(seconds)) {
        (void)snprintf(text, size, "-");
        return;
    }
    (void)snprintf(text, size, "%.*f %s", value < 9.995 ? 2 : (value < 99.95 ? 1 : 0), value,
                   unit->name);
}

void quantity_number(double value, const char *unit, char *text, size_t size) {
    (void)snprintf(text, size, isfinite(value) ? "%.3g%s" : "-", value, unit);
}
