/* axes — boxes that are periodic along some vectors of their cell only: slabs and wires. */
#include "boxes/box.h"

#include "core/strings.h"

#include <math.h>
#include <string.h>

void box_axes(const struct box *box, char axes[AXES_SIZE]) {
    size_t count = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        if (box_has_images(box, axis)) {
            axes[count++] = "xyz"[axis];
        }
    }
    axes[count] = '\0';
}

bool axes_check(const char *axes, struct error *error) {
    static const char *const known[] = { "x", "y", "z", "xy", "xz", "yz", "xyz", NULL };
    return word_place(known, axes) >= 0 ||
           fail(error, STATUS_BAD_INPUT, "'%.20s'; expected the axes with images: xy, say, or z",
                axes);
}

/* Makes each non-periodic cell vector perpendicular to the others. This is always possible for c.
 * For a and b it is refused when a periodic vector is tilted along them. */
static bool straighten_cell(const struct box *box, struct cell *cell, struct error *error) {
    static const struct {
        size_t upon, along; /* the vector of this place leans along that axis, by a tilt */
    } leans[3] = { { 1, 0 }, { 2, 0 }, { 2, 1 } };
    for (size_t k = 0; k < 3; k++) {
        if (box->open_along[leans[k].upon]) {
            cell->tilt[k] = 0.0;
        } else if (cell->tilt[k] != 0.0 && box->open_along[leans[k].along]) {
            return fail(error, STATUS_BAD_INPUT,
                        "the vector %c of the cell leans along %c, where there are no images; "
                        "expected vectors with images that are perpendicular to that axis (or, as "
                        "vector c, the one without)",
                        "abc"[leans[k].upon], "xyz"[leans[k].along]);
        }
    }
    return true;
}

bool box_keep_axes(struct box *box, const char *axes, struct error *error) {
    char present[AXES_SIZE];
    struct box kept = *box;
    box_axes(box, present);
    if (!axes_check(axes, error)) {
        return false;
    }
    for (size_t axis = 0; axis < 3; axis++) {
        kept.open_along[axis] = !strchr(axes, "xyz"[axis]);
        if (!kept.open_along[axis] && !box_has_images(box, axis)) {
            return fail(error, STATUS_BAD_INPUT, "'%s', but the box is %s%s", axes,
                        *present ? "periodic only along " : "open", present);
        }
    }
    if (!straighten_cell(&kept, &kept.cell, error)) {
        return false;
    }
    for (size_t b = 0; box->cells && b < box->batch; b++) {
        if (!straighten_cell(&kept, &box->cells[b], error)) {
            return false;
        }
    }
    memcpy(box->open_along, kept.open_along, sizeof box->open_along);
    box->cell = kept.cell;
    box->density = box_is_partly_periodic(box) ? NAN : box->density;
    return true;
}

double box_least_repeat(const struct box *box) {
    double least = INFINITY;
    for (size_t b = 0; box->cells && b < box->batch; b++) {
        const struct box one = box_of_batch(box, b);
        least = one.n > 0 ? fmin(least, box_least_repeat(&one)) : least;
    }
    if (box->cells) {
        return least;
    }
    double height[3];
    struct cell cell = box->cell;
    for (size_t axis = 0; axis < 3 && box->periodic; axis++) {
        cell.edge[axis] = box->open_along[axis] ? 1.0 : cell.edge[axis];
    }
    cell_heights(&cell, height);
    for (size_t axis = 0; axis < 3; axis++) {
        least = box_has_images(box, axis) ? fmin(least, height[axis]) : least;
    }
    return least;
}

void box_make_room(struct box *box, double margin, double moved[3]) {
    for (size_t axis = 0; axis < 3; axis++) {
        if (moved) {
            moved[axis] = 0;
        }
        if (!box->periodic || !box->open_along[axis]) {
            continue;
        }
        double least = box->position[axis];
        double most = least;
        for (size_t i = 1; i < box->n; i++) {
            least = fmin(least, box->position[3 * i + axis]);
            most = fmax(most, box->position[3 * i + axis]);
        }
        const double extent = most - least;
        const double free = isfinite(margin) ? margin : fmax(0.75 * extent, box_least_repeat(box));
        box->edge[axis] = extent + 2.0 * free;
        if (moved) {
            moved[axis] = free - least;
        }
        for (size_t i = 0; i < box->n; i++) {
            box->position[3 * i + axis] += free - least;
        }
    }
}
