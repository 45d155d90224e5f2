/* borders — particles where a cell, a grid of cells or a cutoff ends: on faces, edges and corners,
 * on planes, on lines, around one corner, or whole cutoffs apart. Which of these, the seed and n
 * say. Some places are a rounding of float off, to either side. */
#include "boxes/kinds/makers.h"

#include <math.h>

static const double closest = 0.9;      /* of sites, but in the smallest boxes */
static const double usual_cutoff = 2.5; /* cells of a grid are this wide, or a little more */
static const double rounding = 0x1p-23; /* of an edge: one or two of float */

enum border_style { ON_GRID, WHOLE_CUTOFFS, ON_PLANES, ON_LINES, AT_CORNER, BORDER_STYLES };

/* Sites at `spacing` times whole numbers, from `first` on. */
struct border_sites {
    size_t along[3];
    double spacing[3];
    double first;
};

static size_t sites_on(double edge) {
    const double most = floor(edge / closest);
    return most > 1 ? (size_t)most : 1;
}

static size_t ceil_divide(size_t a, size_t b) {
    return (a + b - 1) / b;
}

static size_t cube_that_holds(size_t n) {
    size_t along = 1;
    while (along * along * along < n) {
        along++;
    }
    return along;
}

/* Whole fractions of a cell that is as wide as a cutoff, if there are not too many. */
static size_t sites_on_grid(size_t n, double edge) {
    const size_t least = cube_that_holds(n);
    const size_t cells = edge > usual_cutoff ? (size_t)(edge / usual_cutoff) : 1;
    const size_t along = cells * ceil_divide(least, cells);
    return edge >= closest * (double)along ? along : least;
}

/* No longer than there is room for: whole fractions of usual cutoffs, and exact in float. */
static double fraction_of_cutoff(double spacing) {
    static const double exact[] = { 2.5, 1.75, 1.25, 1.0, 0.875 };
    for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++) {
        if (exact[k] <= spacing) {
            return exact[k];
        }
    }
    return spacing;
}

static struct border_sites sites_of(const struct box *box, enum border_style style) {
    const size_t n = box->n, most = sites_on(box->edge[0]), least = cube_that_holds(n);
    struct border_sites sites = { { least, least, least }, { 0 }, 0 };
    if (style == ON_GRID) {
        sites.along[0] = sites.along[1] = sites.along[2] = sites_on_grid(n, box->edge[0]);
    } else if (style == ON_PLANES || style == ON_LINES) {
        sites.along[0] = most;
        sites.along[1] = style == ON_PLANES ? most : 1;
        while (style == ON_LINES && sites.along[1] * sites.along[1] * most < n) {
            sites.along[1]++;
        }
        sites.along[2] = ceil_divide(n, sites.along[0] * sites.along[1]);
    }
    for (size_t k = 0; k < 3; k++) {
        sites.spacing[k] = box->edge[k] / (double)sites.along[k];
        if (style == WHOLE_CUTOFFS) {
            sites.spacing[k] = fraction_of_cutoff(sites.spacing[k]);
        } else if (style == AT_CORNER) {
            sites.spacing[k] = fmin(sites.spacing[k], 1.0);
            const size_t below = least / 2;
            sites.first = -(double)below;
        }
    }
    return sites;
}

/* One in four is off its site by a rounding; below 0 is just inside of the other face. */
static double off_by_rounding(double place, double edge, struct random *random) {
    const uint64_t drawn = random_next(random) % 8;
    const double off = drawn == 0 ? rounding : drawn == 1 ? -rounding : 0;
    const double moved = place + off * edge;
    return moved < 0 ? moved + edge : moved >= edge ? moved - edge : moved;
}

/* Where there are more sites than particles, the free sites are spread evenly. */
static void place_on_sites(struct box *box, const struct border_sites *sites, size_t first_axis,
                           struct random *random) {
    const size_t count = sites->along[0] * sites->along[1] * sites->along[2];
    for (size_t i = 0; i < box->n; i++) {
        size_t rest = i * count / box->n;
        for (size_t k = 0; k < 3; k++) {
            const size_t axis = (k + first_axis) % 3;
            const double site = (double)(rest % sites->along[k]) + sites->first;
            double place = site * sites->spacing[k];
            place = place < 0 ? place + box->edge[axis] : place;
            box->position[3 * i + axis] = off_by_rounding(place, box->edge[axis], random);
            rest /= sites->along[k];
        }
    }
}

bool make_borders(struct box *box, struct random *random, struct threads *threads,
                  struct error *error) {
    (void)threads;
    if (!box_room_for_types(box, 3, error)) {
        return false;
    }
    const uint64_t drawn = random_next(random);
    const struct border_sites sites =
        sites_of(box, (enum border_style)((drawn + box->n) % BORDER_STYLES));
    place_on_sites(box, &sites, drawn / BORDER_STYLES % 3, random);
    for (size_t i = 0; i < box->n; i++) {
        box->molecule[i] = (int32_t)(i / 3);
        box->type[i] = box_type_of(box, (char)('A' + i % 3));
        box->charge[i] = i % 2 == 1 ? -0.5 : i + 1 < box->n ? 0.5 : 0;
    }
    return true;
}
