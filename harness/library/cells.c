/* Converts the cells of programs, which have any three vectors and any size, to those that kernels
 * take: a lower triangle, by a rotation, and heights of at least twice the cutoff, by copies of all
 * particles side by side. */
#include "library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors ---- */

/* Scales a vector to length 1; one whose length is zero or NaN stays. */
static void normalize(double *vector) {
    const double length = sqrt(vector_dot(vector, vector));
    for (size_t d = 0; d < 3 && length > 0; d++) {
        vector[d] /= length;
    }
}

/* Removes the component of `vector` along a unit vector. */
static void reject(double *vector, const double *unit) {
    const double part = vector_dot(vector, unit);
    for (size_t d = 0; d < 3; d++) {
        vector[d] -= part * unit[d];
    }
}

/* ---- a lower triangle ---- */

static bool is_triangle(const double *v) {
    return v[1] == 0 && v[2] == 0 && v[5] == 0 && v[0] > 0 && v[4] > 0 && v[8] > 0;
}

/* Replaces vectors without images by others that are perpendicular to those with images. */
static void straighten(const struct box *box, double v[9]) {
    static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    size_t with = 3; /* one that has images */
    for (size_t k = 0; k < 3; k++) {
        with = box->open_along[k] ? with : k;
    }
    for (size_t k = 0; k < 3 && with < 3; k++) {
        const size_t other = 3 - k - with;
        if (!box->open_along[k] || k == with) {
            continue;
        }
        if (box->open_along[other] && k < other) { /* the first of two: any; the second follows */
            double unit[3];
            memcpy(unit, v + 3 * with, sizeof unit);
            normalize(unit);
            const size_t axis = fabs(unit[k]) < 0.9 ? k : with;
            memcpy(v + 3 * k, axes + 3 * axis, sizeof unit);
            reject(v + 3 * k, unit);
        } else {
            vector_cross(v + 3 * ((k + 1) % 3), v + 3 * ((k + 2) % 3), v + 3 * k);
        }
        normalize(v + 3 * k);
    }
}

/* Finds the rotation by Gram and Schmidt's method; where the vectors are left-handed it mirrors,
 * too. */
static void rotate_vectors(const struct box *box, double v[9], double rotation[9]) {
    double triangle[9] = { 0 };
    memcpy(rotation, v, 9 * sizeof *rotation);
    for (size_t k = 0; k < 3; k++) {
        for (size_t twice = 0; twice < 2; twice++) { /* which leaves rounding alone */
            for (size_t l = 0; l < k; l++) {
                reject(rotation + 3 * k, rotation + 3 * l);
            }
        }
        normalize(rotation + 3 * k);
        for (size_t l = 0; l <= k; l++) {
            const bool leans = l == k || !(box->open_along[k] || box->open_along[l]);
            triangle[3 * k + l] = leans ? vector_dot(v + 3 * k, rotation + 3 * l) : 0;
        }
    }
    memcpy(v, triangle, sizeof triangle);
}

/* Makes a vector without images perpendicular to the others. */
static bool keep_images(struct box *box, struct error *error) {
    char axes[AXES_SIZE];
    box_axes(box, axes);
    return box_keep_axes(box, axes, error) || fail_within(error, "images along");
}

static bool take_triangle(const double *vectors, struct box *box, struct error *error) {
    struct cell_frame frame;
    box->periodic = true;
    return cell_from_vectors(vectors, &box->cell, &frame, error) && keep_images(box, error);
}

/* Done before the rotation, whose rounding would give vectors that lie in one plane a volume. */
static bool check_volume(const double v[9], struct error *error) {
    struct cell_frame frame;
    struct cell cell;
    return cell_from_vectors(v, &cell, &frame, error);
}

bool library_cell_take(const double *vectors, struct box *box, struct rotation *rotation,
                       struct error *error) {
    struct error ignored;
    double v[9];
    memset(rotation, 0, sizeof *rotation);
    for (size_t k = 0; k < 9; k++) {
        if (!isfinite(vectors[k])) {
            return fail(error, STATUS_BAD_INPUT, "cell: not 9 finite numbers");
        }
    }
    memcpy(v, vectors, sizeof v);
    if (!is_triangle(v) || !take_triangle(v, box, &ignored)) {
        straighten(box, v);
        if (!check_volume(v, error)) {
            return fail_within(error, "cell");
        }
        rotate_vectors(box, v, rotation->rows);
        rotation->rotates = true;
        if (!take_triangle(v, box, error)) {
            return fail_within(error, "cell");
        }
    }
    box->density = (double)box->n / (box->edge[0] * box->edge[1] * box->edge[2]);
    box->density = box_is_partly_periodic(box) ? NAN : box->density;
    return true;
}

void library_rotate(const struct rotation *rotation, double point[3]) {
    const double from[3] = { point[0], point[1], point[2] };
    for (size_t d = 0; d < 3 && rotation->rotates; d++) {
        point[d] = vector_dot(rotation->rows + 3 * d, from);
    }
}

void library_rotate_back(const struct rotation *rotation, double point[3]) {
    const double from[3] = { point[0], point[1], point[2] };
    for (size_t d = 0; d < 3 && rotation->rotates; d++) {
        point[d] = rotation->rows[d] * from[0] + rotation->rows[3 + d] * from[1] +
                   rotation->rows[6 + d] * from[2];
    }
}

/* ---- copies side by side ---- */

size_t library_product(const int copies[3]) {
    return (size_t)copies[0] * (size_t)copies[1] * (size_t)copies[2];
}

void library_copies(const struct box *box, double cutoff, int copies[3]) {
    double height[3];
    cell_heights(&box->cell, height);
    for (size_t k = 0; k < 3; k++) {
        const bool repeats =
            box_has_images(box, k) && isfinite(cutoff) && cutoff > 0 && !box->begin;
        copies[k] = repeats ? (int)fmax(1, fmin(ceil(2 * cutoff / height[k]), MOST_COPIES)) : 1;
        copies[k] += repeats && copies[k] * height[k] < 2 * cutoff; /* by rounding */
    }
}

void library_cell_copy(const int copies[3], struct cell *cell) {
    cell->edge[0] *= copies[0];
    cell->tilt[0] *= copies[1];
    cell->edge[1] *= copies[1];
    cell->tilt[1] *= copies[2];
    cell->tilt[2] *= copies[2];
    cell->edge[2] *= copies[2];
}

/* Repeats the numbers once for each copy, and frees what is given. NULL: there is nothing to
 * repeat. */
static void *repeated(void *numbers, size_t bytes, size_t all, bool *done) {
    unsigned char *made = numbers ? malloc(all * bytes) : NULL;
    *done = *done && (made || !numbers);
    for (size_t c = 0; made && c < all; c++) {
        memcpy(made + c * bytes, numbers, bytes);
    }
    free(numbers);
    return made;
}

bool library_box_copy(const int copies[3], struct box *box, struct error *error) {
    const size_t n = box->n;
    const size_t all = library_product(copies);
    bool done = true;
    library_cell_copy(copies, &box->cell);
    if (all == 1 || n == 0) {
        return true;
    }
    box->n = all * n;
    box->position = repeated(box->position, 3 * n * sizeof *box->position, all, &done);
    box->velocity = repeated(box->velocity, 3 * n * sizeof *box->velocity, all, &done);
    box->charge = repeated(box->charge, n * sizeof *box->charge, all, &done);
    box->mass = repeated(box->mass, n * sizeof *box->mass, all, &done);
    box->molecule = repeated(box->molecule, n * sizeof *box->molecule, all, &done);
    box->type = repeated(box->type, n * sizeof *box->type, all, &done);
    return done || fail_out_of_memory(error, "copies of the particles");
}
