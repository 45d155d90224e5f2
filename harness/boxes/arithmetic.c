#include "boxes/arithmetic.h"

#include <math.h>

double cube_root(double value) {
    double root = 1.0;
    while (root * root * root < value) {
        root *= 2.0;
    }
    while (root * root * root > 8.0 * value) {
        root *= 0.5;
    }
    /* From above, Newton's iteration falls until rounding stops it. */
    for (;;) {
        double next = (2.0 * root + value / (root * root)) / 3.0;
        if (!(next < root)) {
            return root;
        }
        root = next;
    }
}

double wrap_coordinate(double x, double edge) {
    if (!(x >= 0.0 && x < edge)) {
        x = fmod(x, edge); /* exact */
        x = x < 0.0 ? x + edge : x;
        x = x < edge ? x : 0.0; /* -tiny + edge may round to edge */
    }
    return x + 0.0; /* -0 becomes 0 */
}

struct wrapping {
    double *position;
    const double *edge;
};

static void wrap_some(void *context, size_t first, size_t end) {
    const struct wrapping *wrapping = context;
    for (size_t i = first; i < end; i++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double *x = &wrapping->position[3 * i + axis];
            *x = wrap_coordinate(*x, wrapping->edge[axis]);
        }
    }
}

void wrap_positions(double *position, size_t n, const double edge[3], struct threads *threads) {
    struct wrapping wrapping = { position, edge };
    threads_each(n, threads, wrap_some, &wrapping);
}
