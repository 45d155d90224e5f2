#include "workloads/constraints/constraint_inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 16 };

static const double least_share = 0.02;

/* A constraint and those about it. */
struct part {
    size_t count;
    int32_t of[NEIGHBOURS];
    double matrix[NEIGHBOURS][NEIGHBOURS];
    double row[NEIGHBOURS];
};

static bool has(const struct part *part, int32_t constraint) {
    size_t k = 0;
    while (k < part->count && part->of[k] != constraint) {
        k++;
    }
    return k < part->count;
}

/* By distance in bonds from the first. */
static void gather(const struct constraint_joints *joints, int32_t constraint, struct part *part) {
    part->count = 1;
    part->of[0] = constraint;
    for (size_t at = 0; at < part->count; at++) {
        for (int which = 0; which < 2; which++) {
            const int32_t slot = joints->slot[2 * part->of[at] + which];
            for (int32_t k = joints->start[slot]; k < joints->start[slot + 1]; k++) {
                const int32_t next = joints->joint[k] / 2;
                if (part->count < NEIGHBOURS && !has(part, next)) {
                    part->of[part->count++] = next;
                }
            }
        }
    }
}

static double couple(const struct constraint_joints *joints, int32_t a, int32_t b) {
    const double *u = &joints->vector[3 * (size_t)a];
    const double *v = &joints->vector[3 * (size_t)b];
    const double cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    double sum = 0;
    for (int p = 0; p < 2; p++) {
        for (int q = 0; q < 2; q++) {
            const int32_t slot = joints->slot[2 * a + p];
            if (slot == joints->slot[2 * b + q]) {
                sum += (p == q ? cosine : -cosine) * joints->inverse_mass[slot];
            }
        }
    }
    return sum;
}

/* The first row of the inverse of a symmetric matrix is the solution for the first unit vector:
 * elimination without exchanges, for the matrix is positive definite. */
static void solve(const struct constraint_joints *joints, struct part *part) {
    const size_t n = part->count;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            part->matrix[a][b] = couple(joints, part->of[a], part->of[b]);
        }
        part->row[a] = a == 0 ? 1 : 0;
    }
    for (size_t k = 0; k < n; k++) {
        for (size_t a = k + 1; a < n; a++) {
            const double factor = part->matrix[a][k] / part->matrix[k][k];
            for (size_t b = k; factor != 0 && b < n; b++) {
                part->matrix[a][b] -= factor * part->matrix[k][b];
            }
            part->row[a] -= factor * part->row[k];
        }
    }
    for (size_t a = n; a-- > 0;) {
        for (size_t b = a + 1; b < n; b++) {
            part->row[a] -= part->matrix[a][b] * part->row[b];
        }
        part->row[a] /= part->matrix[a][a];
    }
}

void constraint_inverse_free(struct constraint_inverse *inverse) {
    free(inverse->start);
    free(inverse->column);
    free(inverse->value);
    *inverse = (struct constraint_inverse){ 0 };
}

bool constraint_inverse_make(const struct constraint_joints *joints,
                             struct constraint_inverse *inverse, struct error *error) {
    const size_t most = NEIGHBOURS * joints->count + 1;
    int32_t filled = 0;
    *inverse = (struct constraint_inverse){ 0 };
    if (most > INT32_MAX) {
        return fail(error, STATUS_UNSUPPORTED,
                    "%zu constraints have more elements in an inverse than kernels can number by "
                    "int (2^31 - 1)",
                    joints->count);
    }
    inverse->start = malloc((joints->count + 1) * sizeof *inverse->start);
    inverse->column = malloc(most * sizeof *inverse->column);
    inverse->value = malloc(most * sizeof *inverse->value);
    if (!inverse->start || !inverse->column || !inverse->value) {
        constraint_inverse_free(inverse);
        return fail_out_of_memory(error, "the inverse of the constraints");
    }
    for (size_t c = 0; c < joints->count; c++) {
        struct part part;
        gather(joints, (int32_t)c, &part);
        solve(joints, &part);
        inverse->start[c] = filled;
        for (size_t k = 0; k < part.count; k++) {
            if (fabs(part.row[k]) >= least_share * fabs(part.row[0])) {
                inverse->column[filled] = part.of[k];
                inverse->value[filled++] = part.row[k];
            }
        }
    }
    inverse->start[joints->count] = filled;
    return true;
}
