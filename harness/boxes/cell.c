#include "boxes/cell.h"

#include "core/strings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arithmetic that boxes and their makers share ---- */

double vector_dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void vector_cross(const double *a, const double *b, double *product) {
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

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

/* ---- the cell ---- */

static const double min_angle = 30.0, max_angle = 150.0;
static const double min_volume = 0.1;       /* of that of an orthorhombic cell */
static const double min_read_volume = 1e-6; /* the same of a cell that is read */
static const double rounding = 1e-12;       /* of the longest number of a cell */

bool cell_is_triclinic(const struct cell *cell) {
    return cell->tilt[0] != 0.0 || cell->tilt[1] != 0.0 || cell->tilt[2] != 0.0;
}

void cell_heights(const struct cell *cell, double height[3]) {
    const double *edge = cell->edge;
    const double *tilt = cell->tilt;
    memcpy(height, edge, 3 * sizeof *height);
    if (cell_is_triclinic(cell)) {
        /* The volume over the area of the face that the other two vectors span. */
        const double across[3] = { edge[1] * edge[2], -tilt[0] * edge[2],
                                   tilt[0] * tilt[2] - edge[1] * tilt[1] };
        const double area =
            sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
        height[0] = edge[0] * edge[1] * edge[2] / area;
        height[1] = edge[1] * edge[2] / sqrt(edge[2] * edge[2] + tilt[2] * tilt[2]);
    }
}

double cell_least_height(const struct cell *cell) {
    double height[3];
    cell_heights(cell, height);
    const double least = height[1] < height[0] ? height[1] : height[0];
    return height[2] < least ? height[2] : least;
}

void cell_lengths(const struct cell *cell, double length[3]) {
    length[0] = cell->edge[0];
    length[1] = hypot(cell->tilt[0], cell->edge[1]);
    length[2] = hypot(hypot(cell->tilt[1], cell->tilt[2]), cell->edge[2]);
}

void cell_angles(const struct cell *cell, double angle[3]) {
    const double degrees = 57.29577951308232;
    const double *tilt = cell->tilt;
    double length[3];
    cell_lengths(cell, length);
    const double b_c = tilt[0] * tilt[1] + cell->edge[1] * tilt[2];
    angle[0] = 90.0 - degrees * asin(b_c / (length[1] * length[2]));
    angle[1] = 90.0 - degrees * asin(tilt[1] / length[2]);
    angle[2] = 90.0 - degrees * asin(tilt[0] / length[1]);
}

void cell_fractions(const struct cell *cell, const double point[3], double fraction[3]) {
    fraction[2] = point[2] / cell->edge[2];
    fraction[1] = (point[1] - cell->tilt[2] * fraction[2]) / cell->edge[1];
    fraction[0] =
        (point[0] - cell->tilt[0] * fraction[1] - cell->tilt[1] * fraction[2]) / cell->edge[0];
}

void cell_wrap(const struct cell *cell, double point[3]) {
    double fraction[3];
    cell_fractions(cell, point, fraction);
    const double c = floor(fraction[2]);
    point[0] -= c * cell->tilt[1];
    point[1] -= c * cell->tilt[2];
    point[2] -= c * cell->edge[2];
    const double b = floor(fraction[1]);
    point[0] -= b * cell->tilt[0];
    point[1] -= b * cell->edge[1];
    point[0] -= floor(fraction[0]) * cell->edge[0];
}

void cell_nearest(const struct cell *cell, const bool open[3], double d[3], double times[3]) {
    const double vector[3][3] = { { cell->edge[0], 0, 0 },
                                  { cell->tilt[0], cell->edge[1], 0 },
                                  { cell->tilt[1], cell->tilt[2], cell->edge[2] } };
    for (size_t v = 3; v-- > 0;) {
        times[v] = open[v] ? 0 : rint(d[v] / vector[v][v]);
        for (size_t k = 0; k < 3; k++) {
            d[k] -= times[v] * vector[v][k];
        }
    }
}

/* ---- shorter vectors ---- */

/* Vectors, and how many of a, b and c each is. */
struct basis {
    double vector[3][3];
    int whole[3][3];
};

static bool shorten_by(struct basis *basis, int i, int j, int times_j, int k, int times_k) {
    double sum[3];
    for (int d = 0; d < 3; d++) {
        sum[d] =
            basis->vector[i][d] + times_j * basis->vector[j][d] + times_k * basis->vector[k][d];
    }
    /* By more than rounding, so that it ends. */
    if (!(vector_dot(sum, sum) < (1.0 - 1e-9) * vector_dot(basis->vector[i], basis->vector[i]))) {
        return false;
    }
    for (int d = 0; d < 3; d++) {
        basis->vector[i][d] = sum[d];
        basis->whole[i][d] += times_j * basis->whole[j][d] + times_k * basis->whole[k][d];
    }
    return true;
}

/* Shortens each vector by whole multiples of another, and then replaces a vector by a sum of all
 * three where that is shorter. */
static bool shorten_once(struct basis *basis) {
    bool shortened = false;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const double *own = basis->vector[i];
        const double of_j =
            vector_dot(own, basis->vector[j]) / vector_dot(basis->vector[j], basis->vector[j]);
        shortened |= fabs(of_j) < 1e6 && shorten_by(basis, i, j, -(int)round(of_j), k, 0);
        const double of_k =
            vector_dot(own, basis->vector[k]) / vector_dot(basis->vector[k], basis->vector[k]);
        shortened |= fabs(of_k) < 1e6 && shorten_by(basis, i, k, -(int)round(of_k), j, 0);
        for (int signs = 0; signs < 4; signs++) {
            shortened |= shorten_by(basis, i, j, signs % 2 ? 1 : -1, k, signs / 2 ? 1 : -1);
        }
    }
    return shortened;
}

double cell_shorten(const struct cell *cell, int whole[9]) {
    const double *edge = cell->edge;
    const double *tilt = cell->tilt;
    struct basis basis = {
        .vector = { { edge[0], 0, 0 }, { tilt[0], edge[1], 0 }, { tilt[1], tilt[2], edge[2] } },
        .whole = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    };
    double largest = 0;
    for (int rounds = 0; rounds < 100 && shorten_once(&basis); rounds++) {
    }
    memcpy(whole, basis.whole, sizeof basis.whole);
    for (int k = 0; k < 3; k++) {
        double face[3];
        vector_cross(basis.vector[k], basis.vector[(k + 1) % 3], face);
        largest = fmax(largest, vector_dot(face, face));
    }
    return edge[0] * edge[1] * edge[2] / sqrt(largest);
}

void cell_whole_words(const int whole[9], char *words, size_t size) {
    struct strbuf text = { 0 };
    for (int k = 0; k < 3; k++) {
        bool first = true;
        strbuf_append(&text, "%s", k > 0 ? ", " : "");
        for (int n = 0; n < 3; n++) { /* its own letter first */
            const int v = (k + n) % 3;
            const int times = whole[3 * k + v];
            if (times == 0) {
                continue;
            }
            strbuf_append(&text, "%s", times < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
            if (abs(times) > 1) {
                strbuf_append(&text, "%d ", abs(times));
            }
            strbuf_append(&text, "%c", 'a' + v);
            first = false;
        }
    }
    (void)snprintf(words, size, "%s", text.failed ? "shorter ones" : text.data);
    strbuf_free(&text);
}

/* ---- from vectors ---- */

/* Whether the vectors are a lower triangle with a positive diagonal. */
static bool take_triangle(const double v[9], struct cell *cell) {
    double longest = 0.0;
    for (int k = 0; k < 9; k++) {
        longest = fmax(longest, fabs(v[k]));
    }
    if (!(v[0] > 0.0 && v[4] > 0.0 && v[8] > 0.0) || fabs(v[1]) > rounding * longest ||
        fabs(v[2]) > rounding * longest || fabs(v[5]) > rounding * longest) {
        return false;
    }
    *cell = (struct cell){ { v[0], v[4], v[8] }, { v[3], v[6], v[7] } };
    for (int k = 0; k < 3; k++) {
        cell->tilt[k] = fabs(cell->tilt[k]) > rounding * longest ? cell->tilt[k] : 0.0;
    }
    return true;
}

/* The rows are where x, y and z of the triangle's axes lie. */
static void find_rotation(const double v[9], double rotation[9]) {
    const double length = sqrt(vector_dot(v, v));
    for (int k = 0; k < 3; k++) {
        rotation[k] = v[k] / length;
    }
    vector_cross(v, v + 3, rotation + 6);
    const double area = sqrt(vector_dot(rotation + 6, rotation + 6));
    for (int k = 6; k < 9; k++) {
        rotation[k] /= area;
    }
    vector_cross(rotation + 6, rotation, rotation + 3);
}

static void reverse(double *vector) {
    for (int d = 0; d < 3; d++) {
        vector[d] = -vector[d];
    }
}

/* Reverses vectors so that they are right-handed and, if that is all it takes, a triangle. */
static void choose_directions(double volume, double v[9], struct cell *cell,
                              struct cell_frame *frame) {
    double turned[9];
    memcpy(turned, v, sizeof turned);
    for (int k = 0; k < 3; k++) {
        frame->reversed[k] = v[4 * k] < 0.0;
        if (frame->reversed[k]) {
            reverse(turned + 3 * k);
        }
    }
    if (take_triangle(turned, cell)) {
        memcpy(v, turned, sizeof turned);
        return;
    }
    memset(frame->reversed, 0, sizeof frame->reversed);
    frame->reversed[2] = volume < 0.0;
    if (frame->reversed[2]) {
        reverse(v + 6);
    }
}

bool cell_from_vectors(const double vectors[9], struct cell *cell, struct cell_frame *frame,
                       struct error *error) {
    double v[9];
    memcpy(v, vectors, sizeof v);
    const double *a = v;
    const double *b = v + 3;
    const double *c = v + 6;
    double face[3];
    vector_cross(a, b, face);
    const double volume = vector_dot(face, c);
    const double lengths = sqrt(vector_dot(a, a)) * sqrt(vector_dot(b, b)) * sqrt(vector_dot(c, c));
    *frame = (struct cell_frame){ .rotation = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    if (!(fabs(volume) > min_read_volume * lengths) || !isfinite(lengths)) {
        return fail(error, STATUS_BAD_INPUT,
                    "the three vectors of the cell span no volume (%g); expected three that do not "
                    "lie in a plane",
                    volume);
    }
    choose_directions(volume, v, cell, frame);
    frame->rotated = !take_triangle(v, cell);
    if (frame->rotated) {
        const double *rotation = frame->rotation;
        find_rotation(v, frame->rotation);
        const double triangle[9] = { sqrt(vector_dot(a, a)),
                                     0.0,
                                     0.0,
                                     vector_dot(rotation, b),
                                     vector_dot(rotation + 3, b),
                                     0.0,
                                     vector_dot(rotation, c),
                                     vector_dot(rotation + 3, c),
                                     vector_dot(rotation + 6, c) };
        (void)take_triangle(triangle, cell);
    }
    return true;
}

/* ---- from angles ---- */

/* Computes the cosine by its series about 90 degrees, where it is exactly 0: that of libm would
 * differ from machine to machine in the last bit. */
static double cosine_of_degrees(double degrees) {
    const double x = (90.0 - degrees) * (3.141592653589793 / 180.0);
    double term = x;
    double sum = x;
    for (int k = 2; k < 40; k += 2) {
        term *= -(x * x) / (double)(k * (k + 1));
        sum += term;
    }
    return sum;
}

/* Unit vectors with these angles: all ones on the diagonal for right angles. */
static struct cell unit_cell(const double angle[3]) {
    const double alpha = cosine_of_degrees(angle[0]);
    const double beta = cosine_of_degrees(angle[1]);
    const double gamma = cosine_of_degrees(angle[2]);
    struct cell unit = { { 1.0, sqrt(1.0 - gamma * gamma), 0.0 }, { gamma, beta, 0.0 } };
    unit.tilt[2] = (alpha - beta * gamma) / unit.edge[1];
    const double left = 1.0 - beta * beta - unit.tilt[2] * unit.tilt[2];
    unit.edge[2] = left > 0.0 ? sqrt(left) : 0.0;
    return unit;
}

bool cell_angles_are_right(const double angle[3]) {
    return angle[0] == 90.0 && angle[1] == 90.0 && angle[2] == 90.0;
}

bool cell_angles_parse(const char *text, double angle[3], struct error *error) {
    char words[64];
    const char *rest = words;
    if (strcmp(text, "brick") == 0) {
        angle[0] = angle[1] = angle[2] = 90.0;
        return true;
    }
    (void)snprintf(words, sizeof words, "%s", text);
    bool good = strlen(text) < sizeof words;
    for (int k = 0; good && k < 3; k++) {
        char *end = words + (rest - words) + strcspn(rest, ":");
        good = (*end == ':') == (k < 2);
        *end = '\0';
        good = good && parse_double(rest, &angle[k]);
        rest = end + (k < 2);
    }
    if (!good) {
        return fail(error, STATUS_BAD_INPUT,
                    "the angles '%s'; expected three numbers of degrees, ALPHA:BETA:GAMMA, or "
                    "brick",
                    text);
    }
    for (int k = 0; k < 3; k++) {
        if (!(angle[k] >= min_angle && angle[k] <= max_angle)) {
            return fail(error, STATUS_BAD_INPUT, "an angle of %.15g degrees; expected %g to %g",
                        angle[k], min_angle, max_angle);
        }
    }
    if (cell_angles_are_right(angle)) {
        return fail(error, STATUS_BAD_INPUT,
                    "three right angles; expected no angles for a cube, or brick");
    }
    const struct cell unit = unit_cell(angle);
    const double volume = unit.edge[1] * unit.edge[2];
    return volume >= min_volume ||
           fail(error, STATUS_BAD_INPUT,
                "the angles '%s' span %.3g of an orthorhombic cell's volume; expected %g or more",
                text, volume, min_volume);
}

struct cell cell_from_angles(const double edge[3], const double angle[3]) {
    const struct cell unit = unit_cell(angle);
    const double stretch = cube_root(1.0 / (unit.edge[1] * unit.edge[2]));
    const double length[3] = { stretch * edge[0], stretch * edge[1], stretch * edge[2] };
    return (struct cell){
        { length[0], length[1] * unit.edge[1], length[2] * unit.edge[2] },
        { length[1] * unit.tilt[0], length[2] * unit.tilt[1], length[2] * unit.tilt[2] },
    };
}
