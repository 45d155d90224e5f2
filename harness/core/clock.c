#include "core/clock.h"

#include <time.h>

double clock_s(void) {
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* Linux always has it */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
