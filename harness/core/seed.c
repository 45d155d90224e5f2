#include "core/seed.h"

#include "core/clock.h"

#include <string.h>
#include <sys/random.h>

uint64_t draw_seed(void) {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        const double now = clock_s();
        memcpy(&bits, &now, sizeof bits);
    }
    return bits;
}
