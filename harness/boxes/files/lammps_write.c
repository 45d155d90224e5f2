/* A LAMMPS data file of atom_style full, which ASE and MDAnalysis read as well. */
#include "boxes/files/lammps.h"

#include <math.h>
#include <stdlib.h>

const char lammps_mark[] = "LAMMPS data file written by pairmark";

/* Masses by type, of which LAMMPS has one each. */
static bool find_masses(const struct box *box, double *mass, struct error *error) {
    for (size_t i = 0; i < box->n; i++) {
        double *of_type = &mass[box->type[i]];
        if (*of_type > 0.0 && *of_type != box_mass(box, i)) {
            return fail(error, STATUS_BAD_INPUT,
                        "particles of species %s have masses of %g and %g; a LAMMPS data file has "
                        "one mass per type: expected a name that ends in .xyz",
                        box->species[box->type[i]], *of_type, box_mass(box, i));
        }
        *of_type = box_mass(box, i);
    }
    return true;
}

static void write_header(FILE *file, const struct box *box) {
    const double *tilt = box->tilt;
    (void)fprintf(file, "%s\n\n%zu atoms\n%d atom types\n\n", lammps_mark, box->n, (int)box->types);
    for (int axis = 0; axis < 3; axis++) {
        (void)fprintf(file, "0 %.17g %clo %chi\n", box->edge[axis], "xyz"[axis], "xyz"[axis]);
    }
    if (cell_is_triclinic(&box->cell)) {
        (void)fprintf(file, "%.17g %.17g %.17g xy xz yz\n", tilt[0], tilt[1], tilt[2]);
    }
}

/* LAMMPS' molecules are numbered from 1, 0 being none. */
static int64_t first_molecule(const struct box *box) {
    int64_t least = 1;
    for (size_t i = 0; box->molecule && i < box->n; i++) {
        least = box->molecule[i] < least ? box->molecule[i] : least;
    }
    return least;
}

static void write_atoms(FILE *file, const struct box *box) {
    const int64_t first = first_molecule(box);
    (void)fprintf(file, "\nAtoms # full\n\n");
    for (size_t i = 0; i < box->n && !ferror(file); i++) {
        const double *x = box->position + 3 * i;
        const int64_t molecule = box->molecule ? box->molecule[i] - first + 1 : 0;
        (void)fprintf(file, "%zu %lld %d %.17g %.17g %.17g %.17g\n", i + 1, (long long)molecule,
                      (int)box->type[i] + 1, box->charge[i], x[0], x[1], x[2]);
    }
}

static void write_velocities(FILE *file, const struct box *box) {
    (void)fprintf(file, "\nVelocities\n\n");
    for (size_t i = 0; i < box->n && !ferror(file); i++) {
        const double *v = box->velocity + 3 * i;
        (void)fprintf(file, "%zu %.17g %.17g %.17g\n", i + 1, v[0], v[1], v[2]);
    }
}

bool lammps_write(FILE *file, const struct box *box, struct error *error) {
    double *mass = calloc((size_t)box->types, sizeof *mass);
    if (!mass) {
        return fail_out_of_memory(error, "writing a box");
    }
    if (!box->periodic) {
        free(mass);
        return fail(error, STATUS_BAD_INPUT,
                    "the box is open, and a LAMMPS data file has a cell; expected a name that ends "
                    "in .xyz");
    }
    const bool good = find_masses(box, mass, error);
    if (good) {
        write_header(file, box);
        (void)fprintf(file, "\nMasses\n\n");
        for (int32_t t = 0; t < box->types; t++) {
            (void)fprintf(file, "%d %.17g # %s\n", (int)t + 1, mass[t] > 0.0 ? mass[t] : 1.0,
                          box->species[t]);
        }
        write_atoms(file, box);
        if (box->velocity) {
            write_velocities(file, box);
        }
    }
    free(mass);
    return good;
}
