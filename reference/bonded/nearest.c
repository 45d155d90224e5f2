#include "reference/bonded/nearest.h"

#include "reference/pairs/tilt.h"

#include <math.h>
#include <string.h>

static void add_vectors(const struct cell *cell, const long double times[3], long double d[3]) {
    d[0] += times[0] * cell->edge[0] + times[1] * cell->tilt[0] + times[2] * cell->tilt[1];
    d[1] += times[1] * cell->edge[1] + times[2] * cell->tilt[2];
    d[2] += times[2] * cell->edge[2];
}

/* The shortest of the 27 images around d, of which each is d less whole vectors. */
static void shorten(const struct box *box, long double d[3]) {
    long double best[3];
    memcpy(best, d, sizeof best);
    for (int image = 0; image < 27; image++) {
        const int along[3] = { image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1 };
        const long double times[3] = { box->open_along[0] ? 0 : along[0],
                                       box->open_along[1] ? 0 : along[1],
                                       box->open_along[2] ? 0 : along[2] };
        long double other[3];
        memcpy(other, d, sizeof other);
        add_vectors(&box->cell, times, other);
        if (other[0] * other[0] + other[1] * other[1] + other[2] * other[2] <
            best[0] * best[0] + best[1] * best[1] + best[2] * best[2]) {
            memcpy(best, other, sizeof best);
        }
    }
    memcpy(d, best, sizeof best);
}

void nearest_step(const struct box *box, size_t a, size_t b, long double d[3]) {
    const struct cell *cell = &box->cell;
    for (size_t k = 0; k < 3; k++) {
        d[k] = (long double)box->position[3 * b + k] - (long double)box->position[3 * a + k];
    }
    if (!box->periodic) {
        return;
    }
    for (int k = 2; k >= 0; k--) {
        long double times[3] = { 0, 0, 0 };
        times[k] = box->open_along[k] ? 0 : -rintl(d[k] / cell->edge[k]);
        add_vectors(cell, times, d);
    }
    if (tilt_leans(cell->tilt)) {
        shorten(box, d);
    }
}

double nearest_length(const struct box *box) {
    const struct cell *cell = &box->cell;
    double length = 0.0;
    double extent2 = 0.0;
    for (size_t d = 0; d < 3; d++) {
        double least = INFINITY;
        double most = -INFINITY;
        for (size_t i = 0; i < box->n; i++) {
            least = fmin(least, box->position[3 * i + d]);
            most = fmax(most, box->position[3 * i + d]);
        }
        extent2 += (most - least) * (most - least);
        length = fmax(length, fmax(fabs(least), fabs(most)));
        length = box->open_along[d] ? length : fmax(length, cell->edge[d]);
    }
    if (!box->periodic) {
        return sqrt(extent2);
    }
    const double along_x = cell->edge[0] + fabs(cell->tilt[0]) + fabs(cell->tilt[1]);
    const double along_y = cell->edge[1] + fabs(cell->tilt[2]);
    return tilt_leans(cell->tilt) ? fmax(length, 2 * fmax(along_x, fmax(along_y, cell->edge[2])))
                                  : length;
}
