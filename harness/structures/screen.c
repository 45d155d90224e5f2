#include "structures/screen.h"

#include <math.h>
#include <string.h>

enum { UNITS_A_TURN = 256, MAX_TURNS = 512 };

/* Partners lie within the cutoff and a cell of each other, in either direction: a turn of this many
 * cutoffs makes none of them look near that is not. */
static const double turn_in_cutoffs = 3.2;

/* ---- the greatest stretch ---- */

/* D S of variants/screen.cl, of which `scale` is the diagonal of D. */
static void straightening(const struct cell *cell, const double scale[3], double matrix[3][3]) {
    const double p = cell->tilt[0] / cell->edge[1];
    const double q = cell->tilt[1] / cell->edge[2];
    const double s = cell->tilt[2] / cell->edge[2];
    const double rows[3][3] = { { 1, -p, p * s - q }, { 0, 1, -s }, { 0, 0, 1 } };
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            matrix[i][j] = scale[i] * rows[i][j];
        }
    }
}

/* product = transpose of left times right */
static void multiply(double left[3][3], double right[3][3], double product[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            product[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                product[i][j] += left[k][i] * right[k][j];
            }
        }
    }
}

static double greatest_row_sum(double matrix[3][3]) {
    double most = 0;
    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(matrix[i][0]) + fabs(matrix[i][1]) + fabs(matrix[i][2]));
    }
    return most;
}

/* No less than the 2-norm of a matrix M, and less than one percent more. The norm's square is the
 * greatest eigenvalue of G = M' M; that of a power of G, which is symmetric, is the power, and is
 * at most the power's greatest row sum and at least that over the root of three. The power is 64,
 * in six squarings of what is first divided by its own greatest row sum. */
static double bound_of_norm(double matrix[3][3]) {
    double power[3][3];
    double squared[3][3];
    double norm_log = 0; /* of G^(2^k) as it was, over 2^k */
    multiply(matrix, matrix, power);
    for (int k = 0; k <= 6; k++) {
        const double sum = greatest_row_sum(power);
        norm_log += log(sum) / (1 << k);
        for (int e = 0; e < 9; e++) {
            power[e / 3][e % 3] /= sum;
        }
        multiply(power, power, squared);
        memcpy(power, squared, sizeof power);
    }
    return exp(0.5 * norm_log) * (1 + 1e-9);
}

/* ---- the scale ---- */

void screen_make_scale(const struct box *box, double cutoff, double scale[4]) {
    const bool triclinic = cell_is_triclinic(&box->cell);
    double height[3];
    double matrix[3][3];
    cell_heights(&box->cell, height);
    for (int d = 0; d < 3; d++) {
        /* MAX_TURNS: float holds a coordinate to some hundredths of a unit then; straightening
         * rounds numbers as long as the cell. */
        const double most =
            triclinic ? MAX_TURNS * box->edge[d] / box_length_scale(box) : MAX_TURNS;
        const double turns = fmax(floor(fmin(height[d] / (turn_in_cutoffs * cutoff), most)), 1);
        scale[d] = box->periodic ? UNITS_A_TURN * turns / box->edge[d]
                                 : UNITS_A_TURN / (turn_in_cutoffs * cutoff);
    }
    scale[3] = fmax(scale[0], fmax(scale[1], scale[2]));
    if (triclinic) {
        straightening(&box->cell, scale, matrix);
        scale[3] = bound_of_norm(matrix);
    }
}
