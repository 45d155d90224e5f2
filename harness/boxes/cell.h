/*
 * cell — the periodic cell as three vectors, the rows of a lower triangle:
 *
 *     a = (edge[0], 0, 0)    b = (tilt[0], edge[1], 0)    c = (tilt[1], tilt[2], edge[2])
 *
 * Every lattice has such vectors: those of a right-handed cell are such a triangle after a
 * rotation, and one vector of a left-handed cell is reversed before. An orthorhombic cell is one
 * whose tilts are zero; any other is called triclinic here.
 *
 * Its height along a vector is the distance of the two faces that the other two vectors span. A
 * cutoff of half the least height meets each particle at one image at most, and in cells that are
 * cut along the vectors a sphere reaches no farther than its radius over the height.
 */
#ifndef PAIRMARK_BOXES_CELL_H
#define PAIRMARK_BOXES_CELL_H

#include "core/error.h"
#include "core/threads.h"

#include <stddef.h>

struct cell {
    double edge[3]; /* what a, b and c add along x, y and z: > 0; all zero in an open box */
    double tilt[3]; /* x of b, x of c, y of c; all zero in an orthorhombic cell */
};

bool cell_is_triclinic(const struct cell *cell);

/* Of a, b and c. Those of an orthorhombic cell are its edges, bit for bit. */
void cell_heights(const struct cell *cell, double height[3]);
double cell_least_height(const struct cell *cell);

/* Lengths of a, b and c, and the angles between b and c, a and c, a and b, in degrees. */
void cell_lengths(const struct cell *cell, double length[3]);
void cell_angles(const struct cell *cell, double angle[3]);

/* Finds shorter vectors of the same lattice, by adding whole vectors to each other: the k-th is row
 * k of `whole` times a, b and c. Returns the least height of the cell that they span. Half of it is
 * the longest cutoff that the lattice allows; the vectors as given allow less where they lean far.
 * */
double cell_shorten(const struct cell *cell, int whole[9]);
/* Describes such rows: "a, b - a, c + 2 a". */
void cell_whole_words(const int whole[9], char *words, size_t size);

/* The fractions of a, b and c whose sum is the point. */
void cell_fractions(const struct cell *cell, const double point[3], double fraction[3]);

/* Moves a point by whole vectors into the cell, where all fractions are in [0, 1), but for
 * rounding. */
void cell_wrap(const struct cell *cell, double point[3]);

/* Makes the difference of two points that of nearest images: subtracts whole vectors, c first, as
 * kernels do, `times` of each and none of those that are `open`. In a triclinic cell the result is
 * certain to be the shortest only if it is shorter than half the least height. */
void cell_nearest(const struct cell *cell, const bool open[3], double d[3], double times[3]);

/* How the vectors that a user has become those of a cell. */
struct cell_frame {
    double rotation[9]; /* row-major: a point x becomes rotation x; the identity unless `rotated` */
    bool rotated;
    bool reversed[3]; /* the cell's vector is the user's times -1: a shift by S of the user's is one
                         by -S of the cell's */
};

/* The cell of the lattice of three vectors (row-major: a, b, c). Vectors that are such a triangle
 * already are taken as they are, numbers above the diagonal that are no more than rounding as
 * zeros. Those of a triangle whose diagonal has negative numbers are reversed; so is c of other
 * left-handed vectors. What is no triangle then is rotated. Errors, without a place:
 * STATUS_BAD_INPUT for vectors that span no volume worth the name (1e-6 of the product of their
 * lengths). */
bool cell_from_vectors(const double vectors[9], struct cell *cell, struct cell_frame *frame,
                       struct error *error);

/* The angles of "80:75:60": alpha, between b and c, beta, between a and c, and gamma, between a and
 * b, in degrees. Errors: STATUS_BAD_INPUT for other text, for angles outside 30 to 150, for three
 * right angles, and for angles that span less than a tenth of an orthorhombic cell's volume.
 * "brick": right angles, of a cell of three different edges. */
bool cell_angles_parse(const char *text, double angle[3], struct error *error);

/* Whether these angles are those of "brick". */
bool cell_angles_are_right(const double angle[3]);

/* The cell with these angles that has the volume of an orthorhombic one, and vectors of lengths in
 * its proportions. By + - * / sqrt alone, so that it is the same everywhere. */
struct cell cell_from_angles(const double edge[3], const double angle[3]);

/* ---- arithmetic that boxes and their makers share ---- */

double vector_dot(const double *a, const double *b); /* of three numbers */
void vector_cross(const double *a, const double *b, double *product);

/* The cube root of a positive number by Newton's iteration in plain arithmetic (cbrt differs
 * between C libraries). */
double cube_root(double value);

/* x moved by whole edges into [0, edge). */
double wrap_coordinate(double x, double edge);
void wrap_positions(double *position, size_t n, const double edge[3], struct threads *threads);

/* The component of a separation of two points of the cell along one axis, nearest image. Right for
 * points at most half an edge outside the cell. */
static inline double nearest_image(double d, double edge) {
    double half = 0.5 * edge;
    d = d > half ? d - edge : d;
    return d < -half ? d + edge : d;
}

#endif
