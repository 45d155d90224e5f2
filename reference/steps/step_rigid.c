#include "reference/steps/step_rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 60 };

static const int ends[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };

/* ---- molecules ---- */

struct numbered {
    int32_t molecule;
    size_t particle;
};

static int by_molecule(const void *left, const void *right) {
    const struct numbered *a = left;
    const struct numbered *b = right;
    if (a->molecule != b->molecule) {
        return a->molecule < b->molecule ? -1 : 1;
    }
    return a->particle < b->particle ? -1 : 1;
}

/* Which of three differs from the two others, that are alike; 3: none does. */
static int tip_of(const struct box *box, const struct numbered *site) {
    for (int tip = 0; tip < 3; tip++) {
        const size_t a = site[(tip + 1) % 3].particle;
        const size_t b = site[(tip + 2) % 3].particle;
        if (box->type[a] == box->type[b] && box_mass(box, a) == box_mass(box, b)) {
            return tip;
        }
    }
    return 3;
}

static bool take_waters(const struct box *box, const struct numbered *numbered,
                        struct step_rigid *rigid, struct error *error) {
    for (size_t first = 0; first < box->n;) {
        size_t end = first + 1;
        while (end < box->n && numbered[end].molecule == numbered[first].molecule) {
            end++;
        }
        const int tip = end - first == 3 ? tip_of(box, &numbered[first]) : 3;
        if (end - first != 1 && tip == 3) {
            return fail(error, STATUS_UNSUPPORTED,
                        "the molecule of particle %zu is no rigid water and no single particle",
                        numbered[first].particle + 1);
        }
        if (end - first == 3) {
            struct rigid_water *water = &rigid->waters[rigid->count++];
            for (int k = 0; k < 3; k++) {
                water->atom[k] = numbered[first + (size_t)((tip + k) % 3)].particle;
            }
        }
        first = end;
    }
    return true;
}

bool step_rigid_begin(struct motion *motion, struct error *error) {
    const struct box *box = &motion->box;
    struct step_rigid *rigid = &motion->rigid;
    if (motion->rules->integrator != INTEGRATOR_SETTLE) {
        return true;
    }
    if (!box->molecule) {
        return fail(error, STATUS_UNSUPPORTED, "rigid waters in a box without molecules");
    }
    struct numbered *numbered = calloc(box->n, sizeof *numbered);
    rigid->waters = calloc(box->n / 3 + 1, sizeof *rigid->waters);
    rigid->before = calloc(box->n, 3 * sizeof *rigid->before);
    bool good =
        (numbered && rigid->waters && rigid->before) || fail_out_of_memory(error, "rigid waters");
    for (size_t i = 0; good && i < box->n; i++) {
        numbered[i] = (struct numbered){ box->molecule[i], i };
    }
    if (good) {
        qsort(numbered, box->n, sizeof *numbered, by_molecule);
        good = take_waters(box, numbered, rigid, error);
    }
    free(numbered);
    motion->degrees -= 3.0 * (double)rigid->count;
    return good;
}

void step_rigid_free(struct step_rigid *rigid) {
    free(rigid->waters);
    free(rigid->before);
    *rigid = (struct step_rigid){ 0 };
}

/* ---- one of them ---- */

struct solving {
    const struct motion *motion;
    size_t atom[3];
    double w[3];       /* one over the masses */
    double length[3];  /* of the sides */
    double side[3][3]; /* before the step, or now */
};

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* From particle j to the nearest image of i; sides are far shorter than half the cell. */
static void nearest(const struct box *box, const double *i, const double *j, double r[3]) {
    const double vectors[3][3] = { { box->edge[0], 0.0, 0.0 },
                                   { box->tilt[0], box->edge[1], 0.0 },
                                   { box->tilt[1], box->tilt[2], box->edge[2] } };
    for (int k = 0; k < 3; k++) {
        r[k] = i[k] - j[k];
    }
    for (int v = 2; v >= 0 && box->periodic; v--) {
        const double times = box->open_along[v] ? 0.0 : floor(r[v] / vectors[v][v] + 0.5);
        for (int k = 0; k < 3; k++) {
            r[k] -= times * vectors[v][k];
        }
    }
}

static void begin_solving(const struct motion *motion, const struct rigid_water *water,
                          const double *position, struct solving *solving) {
    solving->motion = motion;
    for (int k = 0; k < 3; k++) {
        solving->atom[k] = water->atom[k];
        solving->w[k] = 1.0 / box_mass(&motion->box, water->atom[k]);
        solving->length[k] = k < 2 ? motion->rules->oh : motion->rules->hh;
    }
    for (int c = 0; c < 3; c++) {
        nearest(&motion->box, position + 3 * water->atom[ends[c][0]],
                position + 3 * water->atom[ends[c][1]], solving->side[c]);
    }
}

/* How a multiplier of side d changes side c: the sign and the mass that they share. */
static double coupling(const struct solving *solving, int c, int d) {
    double sum = 0.0;
    for (int e = 0; e < 2; e++) {
        for (int f = 0; f < 2; f++) {
            if (ends[c][e] == ends[d][f]) {
                sum += (e == f ? 1.0 : -1.0) * solving->w[ends[c][e]];
            }
        }
    }
    return sum;
}

static double determinant(const double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* m x = b by Cramer's rule. */
static void solve(const double m[3][3], const double b[3], double x[3]) {
    const double whole = determinant(m);
    for (int k = 0; k < 3; k++) {
        double replaced[3][3];
        memcpy(replaced, m, sizeof replaced);
        for (int row = 0; row < 3; row++) {
            replaced[row][k] = b[row];
        }
        x[k] = determinant(replaced) / whole;
    }
}

/* Multiplier g of side c moves both its ends along the side. */
static void apply(const struct solving *solving, int c, double g, double moved[3][3]) {
    for (int k = 0; k < 3; k++) {
        moved[ends[c][0]][k] += g * solving->w[ends[c][0]] * solving->side[c][k];
        moved[ends[c][1]][k] -= g * solving->w[ends[c][1]] * solving->side[c][k];
    }
}

/* Displacements at which the sides are as long as they are to be; `now` gets the sides then.
 * False: none are found. */
static bool solve_places(const struct solving *solving, double moved[3][3], double now[3][3]) {
    double worst = INFINITY;
    for (int iteration = 0; iteration < MAX_ITERATIONS && worst > 1e-15; iteration++) {
        double matrix[3][3];
        double rest[3];
        double g[3];
        worst = 0.0;
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                now[c][k] = solving->side[c][k] + moved[ends[c][0]][k] - moved[ends[c][1]][k];
            }
            const double square = solving->length[c] * solving->length[c];
            rest[c] = 0.5 * (square - dot(now[c], now[c]));
            worst = fmax(worst, fabs(rest[c]) / square);
        }
        for (int c = 0; c < 3; c++) {
            for (int d = 0; d < 3; d++) {
                matrix[c][d] = coupling(solving, c, d) * dot(now[c], solving->side[d]);
            }
        }
        solve((const double(*)[3])matrix, rest, g);
        for (int c = 0; c < 3; c++) {
            apply(solving, c, g[c], moved);
        }
    }
    return worst < 1e-13;
}

/* ---- errors ---- */

/* s: the least singular value of the sides, at least. */
static double least_singular(const struct solving *solving, const double side[3][3]) {
    double gram[3][3];
    for (int c = 0; c < 3; c++) {
        for (int d = 0; d < 3; d++) {
            const double own = coupling(solving, c, c) * dot(side[c], side[c]);
            const double other = coupling(solving, d, d) * dot(side[d], side[d]);
            gram[c][d] = coupling(solving, c, d) * dot(side[c], side[d]) / sqrt(own * other);
        }
    }
    return sqrt(fmax(4.0 * determinant((const double(*)[3])gram) / 9.0, 1e-12));
}

/* E of errors that have grown since they were E / sqrt(m). */
static double grown(const struct solving *solving, double norm, const double *error) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        const double more = fmax(error[solving->atom[k]] - norm * sqrt(solving->w[k]), 0.0);
        square += more * more / solving->w[k];
    }
    return norm + sqrt(square);
}

static double share(const struct solving *solving, double norm, double *error) {
    double largest = 0.0;
    for (int k = 0; k < 3; k++) {
        error[solving->atom[k]] = norm * sqrt(solving->w[k]);
        largest = fmax(largest, error[solving->atom[k]]);
    }
    return largest;
}

static double mass_weighted(const struct solving *solving, double vectors[3][3]) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        square += dot(vectors[k], vectors[k]) / solving->w[k];
    }
    return sqrt(square);
}

static double root_of_masses(const struct solving *solving) {
    return sqrt(1.0 / solving->w[0] + 1.0 / solving->w[1] + 1.0 / solving->w[2]);
}

/* How long a drift lasts. */
static double drift_of(const struct motion *motion) {
    return motion_has_noise(motion->rules) ? 0.5 * motion->rules->dt : motion->rules->dt;
}

/* The errors of a drift; `corrected` is what was added to displacements. */
static bool bound_places(struct motion *motion, const struct solving *solving,
                         struct rigid_water *water, double corrected[3][3], double now[3][3]) {
    const struct step_units *units = &motion->units;
    const double h = drift_of(motion);
    const double length = fmax(solving->length[0], solving->length[2]);
    const double shortest = fmin(solving->length[0], solving->length[2]);
    const double s = fmin(least_singular(solving, solving->side),
                          least_singular(solving, (const double(*)[3])now));
    const double position = grown(solving, water->position_norm, motion->end->displacement_error);
    const double velocity = grown(solving, water->velocity_norm, motion->end->velocity_error);
    double turned = 0.0;
    double before = 0.0; /* e, before the step */
    double reach = 0.0;  /* u */
    for (int c = 0; c < 3; c++) {
        double change[3];
        for (int k = 0; k < 3; k++) {
            change[k] = now[c][k] - solving->side[c][k];
        }
        turned = fmax(turned, sqrt(dot(change, change)) / solving->length[c]);
        before = fmax(before, water->position_norm * sqrt(solving->w[c]));
        reach = fmax(reach, 1.0 / sqrt(coupling(solving, c, c)));
    }
    const double oblique = 3.0 * turned * turned / (s * s);
    if (oblique > 0.75) {
        return false;
    }
    const double k = 1.0 / sqrt(1.0 - oblique);
    const double rounded = 4.0 * units->position * motion->forces.now.length_scale;
    const double directions = mass_weighted(solving, corrected) / s * 2.0 * before / shortest;
    const double sides = 4.0 * rounded + 2.0 * before * before / shortest + 2.0 * turned * before;
    const double own = 100.0 * units->velocity * length * root_of_masses(solving);
    water->position_norm = k * (position + directions) + own;
    water->velocity_norm =
        k * velocity + k / h * (sqrt(3.0) * sides * reach / s + directions) + own / h;
    (void)share(solving, water->position_norm, motion->end->displacement_error);
    (void)share(solving, water->velocity_norm, motion->end->velocity_error);
    return true;
}

static void bound_velocities(struct motion *motion, const struct solving *solving,
                             struct rigid_water *water, double velocity[3][3]) {
    const double shortest = fmin(solving->length[0], solving->length[2]);
    const double s = least_singular(solving, solving->side);
    double mean[3] = { 0.0, 0.0, 0.0 };
    double mass = 0.0;
    double about[3][3];
    double off = 0.0;
    for (int i = 0; i < 3; i++) {
        mass += 1.0 / solving->w[i];
        off = fmax(off, motion->end->displacement_error[solving->atom[i]]);
        for (int k = 0; k < 3; k++) {
            mean[k] += velocity[i][k] / solving->w[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            about[i][k] = velocity[i][k] - mean[k] / mass;
        }
    }
    const double directions = 2.0 * sqrt(3.0) * 2.0 * off / shortest / s;
    water->velocity_norm = grown(solving, water->velocity_norm, motion->end->velocity_error) +
                           directions * mass_weighted(solving, about) +
                           100.0 * motion->units.velocity / s * mass_weighted(solving, velocity);
    (void)share(solving, water->velocity_norm, motion->end->velocity_error);
}

/* ---- steps ---- */

void step_rigid_note(struct motion *motion) {
    if (motion->rigid.count > 0) {
        memcpy(motion->rigid.before, motion->box.position,
               3 * motion->box.n * sizeof *motion->rigid.before);
    }
}

bool step_rigid_place(struct motion *motion, struct error *error) {
    const bool exact = motion->units.velocity == 0.0;
    for (size_t m = 0; m < motion->rigid.count; m++) {
        struct rigid_water *water = &motion->rigid.waters[m];
        struct solving solving;
        double moved[3][3];
        double corrected[3][3];
        double now[3][3];
        begin_solving(motion, water, motion->rigid.before, &solving);
        for (int i = 0; i < 3; i++) {
            for (size_t k = 0; k < 3; k++) {
                const size_t at = 3 * water->atom[i] + k;
                moved[i][k] = motion->box.position[at] - motion->rigid.before[at];
                corrected[i][k] = moved[i][k];
            }
        }
        const bool solved = solve_places(&solving, moved, now);
        for (int i = 0; i < 3; i++) {
            for (size_t k = 0; k < 3; k++) {
                const size_t at = 3 * water->atom[i] + k;
                corrected[i][k] = moved[i][k] - corrected[i][k];
                motion->box.position[at] = motion->rigid.before[at] + moved[i][k];
                motion->end->velocity[at] = moved[i][k] / drift_of(motion);
            }
        }
        if (!solved || (!exact && !bound_places(motion, &solving, water, corrected, now))) {
            return fail(
                error, STATUS_BAD_INPUT,
                "the water of particle %zu turns too far in a step to be kept rigid: is the "
                "time step too long, or do particles overlap at the start?",
                water->atom[0] + 1);
        }
    }
    return true;
}

/* Takes from velocities what changes sides. */
static void project(const struct solving *solving, double velocity[3][3]) {
    double matrix[3][3];
    double rest[3];
    double g[3];
    for (int c = 0; c < 3; c++) {
        rest[c] = dot(solving->side[c], velocity[ends[c][1]]) -
                  dot(solving->side[c], velocity[ends[c][0]]);
        for (int d = 0; d < 3; d++) {
            matrix[c][d] = coupling(solving, c, d) * dot(solving->side[c], solving->side[d]);
        }
    }
    solve((const double(*)[3])matrix, rest, g);
    for (int c = 0; c < 3; c++) {
        apply(solving, c, g[c], velocity);
    }
}

static void velocities_of(const struct motion *motion, const struct rigid_water *water,
                          double velocity[3][3]) {
    for (int i = 0; i < 3; i++) {
        memcpy(velocity[i], motion->end->velocity + 3 * water->atom[i], sizeof velocity[i]);
    }
}

void step_rigid_velocities(struct motion *motion) {
    for (size_t m = 0; m < motion->rigid.count; m++) {
        struct rigid_water *water = &motion->rigid.waters[m];
        struct solving solving;
        double velocity[3][3];
        begin_solving(motion, water, motion->box.position, &solving);
        velocities_of(motion, water, velocity);
        if (motion->units.velocity > 0.0) {
            bound_velocities(motion, &solving, water, velocity);
        }
        project(&solving, velocity);
        for (int i = 0; i < 3; i++) {
            memcpy(motion->end->velocity + 3 * water->atom[i], velocity[i], sizeof velocity[i]);
        }
    }
}

double step_rigid_kinetic(const struct motion *motion) {
    double sum = 0.0;
    for (size_t i = 0; i < motion->box.n; i++) {
        const double *v = motion->end->velocity + 3 * i;
        sum += 0.5 * box_mass(&motion->box, i) * dot(v, v);
    }
    for (size_t m = 0; m < motion->rigid.count; m++) {
        struct solving solving;
        double velocity[3][3];
        begin_solving(motion, &motion->rigid.waters[m], motion->box.position, &solving);
        velocities_of(motion, &motion->rigid.waters[m], velocity);
        const double whole = mass_weighted(&solving, velocity);
        project(&solving, velocity);
        const double left = mass_weighted(&solving, velocity);
        sum += 0.5 * (left * left - whole * whole);
    }
    return sum;
}
