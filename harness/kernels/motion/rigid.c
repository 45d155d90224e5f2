#include "kernels/motion/step_rules.h"

#include "boxes/box.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_SWEEPS = 200 };

void rigid_molecules_free(struct rigid_molecules *molecules) {
    free(molecules->atom);
    *molecules = (struct rigid_molecules){ 0 };
}

/* ---- shapes ---- */

static bool are_like(const struct box *box, int32_t i, int32_t j) {
    return box->type[i] == box->type[j] && box_mass(box, (size_t)i) == box_mass(box, (size_t)j);
}

/* Tip first: the one that is not like both others; of three that are alike, the first. */
static bool find_tip(const struct box *box, const int32_t site[3], int32_t atom[4]) {
    for (int tip = 0; tip < 3; tip++) {
        const int32_t left = site[(tip + 1) % 3];
        const int32_t right = site[(tip + 2) % 3];
        if (are_like(box, left, right)) {
            atom[0] = site[tip];
            atom[1] = left < right ? left : right;
            atom[2] = left < right ? right : left;
            return true;
        }
    }
    return false;
}

static bool check_sides(const struct box *box, const struct step_rules *rules,
                        const int32_t atom[4], struct error *error) {
    static const int ends[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    const struct box own = box_of_batch(box, box_of_particle(box, (size_t)atom[0])); /* its cell */
    for (int s = 0; s < 3; s++) {
        const double wanted = s < 2 ? rules->oh : rules->hh;
        const int32_t i = atom[ends[s][0]];
        const int32_t j = atom[ends[s][1]];
        double side[3];
        box_vector(&own, &box->position[3 * (size_t)j], &box->position[3 * (size_t)i], side);
        const double length = sqrt(vector_dot(side, side));
        if (!(fabs(length - wanted) <= 0.01 * wanted)) {
            return fail(error, STATUS_UNSUPPORTED,
                        "rigid molecules: particles %d and %d are %.6g apart; expected %.6g, which "
                        "settle:oh=,hh= says",
                        (int)i + 1, (int)j + 1, length, wanted);
        }
    }
    return true;
}

static bool take_molecule(const struct box *box, const struct step_rules *rules,
                          const int32_t *particle, int32_t count, int32_t atom[4],
                          struct error *error) {
    atom[0] = particle[0];
    atom[1] = atom[2] = -1;
    atom[3] = 0;
    if (count == 1) {
        return true;
    }
    if (count != 3 || !find_tip(box, particle, atom)) {
        return fail(
            error, STATUS_UNSUPPORTED,
            "rigid molecules: that of particle %d has %d particles%s; expected three, two of "
            "them alike, or one",
            (int)particle[0] + 1, (int)count, count == 3 ? ", none like another" : "");
    }
    return check_sides(box, rules, atom, error);
}

bool rigid_molecules_find(const struct box *box, const struct step_rules *rules,
                          struct rigid_molecules *molecules, struct error *error) {
    struct alike alike = { 0 };
    *molecules = (struct rigid_molecules){ 0 };
    if (!box->molecule) {
        return fail(error, STATUS_UNSUPPORTED,
                    "rigid molecules: the box says of no particle in which "
                    "molecule it is");
    }
    bool good = alike_find(box, &alike, error);
    molecules->atom = good ? malloc(4 * alike.molecules * sizeof *molecules->atom) : NULL;
    good = good && (molecules->atom || fail_out_of_memory(error, "the molecules of a box"));
    for (size_t m = 0; good && m < alike.molecules; m++) {
        const int32_t count = alike.start[m + 1] - alike.start[m];
        good = take_molecule(box, rules, &alike.particle[alike.start[m]], count,
                             &molecules->atom[4 * m], error);
        molecules->count++;
        molecules->rigid += count == 3;
    }
    alike_free(&alike);
    if (!good) {
        rigid_molecules_free(molecules);
    }
    return good;
}

/* ---- velocities ---- */

/* One sweep over the three sides; returns the largest rate of change that was left, relative. */
static double correct_molecule(struct box *box, const int32_t atom[4]) {
    static const int ends[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    double worst = 0;
    for (int s = 0; s < 3; s++) {
        const size_t i = (size_t)atom[ends[s][0]];
        const size_t j = (size_t)atom[ends[s][1]];
        const double w[2] = { 1 / box_mass(box, i), 1 / box_mass(box, j) };
        double *v[2] = { &box->velocity[3 * i], &box->velocity[3 * j] };
        double r[3];
        box_vector(box, &box->position[3 * j], &box->position[3 * i], r);
        const double rate = vector_dot(r, v[0]) - vector_dot(r, v[1]);
        const double g = -rate / (vector_dot(r, r) * (w[0] + w[1]));
        for (int k = 0; k < 3; k++) {
            v[0][k] += g * w[0] * r[k];
            v[1][k] -= g * w[1] * r[k];
        }
        const double speed = sqrt(vector_dot(v[0], v[0])) + sqrt(vector_dot(v[1], v[1]));
        worst = fmax(worst, speed > 0 ? fabs(rate) / (sqrt(vector_dot(r, r)) * speed) : 0);
    }
    return worst;
}

bool rigid_set_velocities(struct box *box, const struct step_rules *rules, double temperature,
                          struct error *error) {
    struct rigid_molecules molecules;
    if (!box_add_velocities(box, error) || !rigid_molecules_find(box, rules, &molecules, error)) {
        return false;
    }
    for (size_t m = 0; m < molecules.count; m++) {
        const int32_t *atom = molecules.atom + 4 * m;
        for (int sweep = 0; atom[1] >= 0 && sweep < MAX_SWEEPS; sweep++) {
            if (correct_molecule(box, atom) < 1e-15) {
                break;
            }
        }
    }
    double twice_kinetic = 0;
    for (size_t k = 0; k < 3 * box->n; k++) {
        twice_kinetic += box_mass(box, k / 3) * box->velocity[k] * box->velocity[k];
    }
    const double freedom = 3 * (double)box->n - 3 - 3 * (double)molecules.rigid;
    const double wanted = temperature * freedom;
    const double scale =
        temperature >= 0 && twice_kinetic > 0 && freedom > 0 ? sqrt(wanted / twice_kinetic) : 1;
    for (size_t k = 0; k < 3 * box->n; k++) {
        box->velocity[k] *= scale;
    }
    rigid_molecules_free(&molecules);
    return true;
}
