#include "boxes/box.h"

#include "boxes/files/readers.h"
#include "core/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- LAMMPS data files ---- */

/* A LAMMPS data file of atom_style full, which ASE and MDAnalysis read as well. */
static const char lammps_mark[] = "LAMMPS data file written by pairmark";

/* The mass of each type; LAMMPS has no others. */
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

static bool lammps_write(FILE *file, const struct box *box, struct error *error) {
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
    if (box_is_partly_periodic(box)) {
        char axes[AXES_SIZE];
        free(mass);
        box_axes(box, axes);
        return fail(error, STATUS_BAD_INPUT,
                    "the box is periodic along %s only, which a LAMMPS data file does not say; "
                    "expected a name that ends in .xyz",
                    axes);
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

/* ---- extended XYZ ---- */

/* Extended XYZ, written so that reading it back gives the same numbers bit for bit. */
/* Which columns the rows have beside species and positions. */
struct layout {
    bool name;   /* some species is no element: other programs read X, and names stand apart */
    bool type;   /* two types share a name, so that the name alone does not distinguish them */
    bool charge; /* some charge is not zero */
    bool mass;   /* some mass is not what ASE assumes: 1 of X, of an element its own */
};

static bool is_elements(const char *species) {
    return is_element(species, strlen(species));
}

static struct layout layout_of(const struct box *box) {
    struct layout layout = { 0 };
    bool elements = false;
    for (int32_t type = 0; type < box->types; type++) {
        layout.name = layout.name || !is_elements(box->species[type]);
        elements = elements || is_elements(box->species[type]);
    }
    for (int32_t a = 0; a < box->types; a++) {
        for (int32_t b = 0; b < a; b++) {
            layout.type = layout.type || strcmp(box->species[a], box->species[b]) == 0;
        }
    }
    for (size_t i = 0; i < box->n && !layout.charge; i++) {
        layout.charge = box->charge[i] != 0.0 || signbit(box->charge[i]);
    }
    layout.mass = box->velocity && elements;
    for (size_t i = 0; box->mass && i < box->n && !layout.mass; i++) {
        layout.mass = box->mass[i] != 1.0;
    }
    return layout;
}

/* Marks a file of forces as pairmark's. */
static const char vectors_mark[] = " written_by=pairmark";

/* The sign of a cell vector as the source has it. */
static int sign_of(const struct box *box, size_t axis) {
    return box->reversed[axis] ? -1 : 1;
}

static double unsigned_zero(double x) {
    return x + 0.0;
}

/* The count and the second line without its end. `last` are columns after the others. */
static void write_head(FILE *file, const struct box *box, struct layout layout, const char *last) {
    (void)fprintf(file, "%zu\n", box->n);
    if (box->periodic) {
        const double *edge = box->edge;
        const double *tilt = box->tilt;
        const int a = sign_of(box, 0);
        const int b = sign_of(box, 1);
        const int c = sign_of(box, 2);
        (void)fprintf(file, "Lattice=\"%.17g 0 0 %.17g %.17g 0 %.17g %.17g %.17g\" ", a * edge[0],
                      unsigned_zero(b * tilt[0]), b * edge[1], unsigned_zero(c * tilt[1]),
                      unsigned_zero(c * tilt[2]), c * edge[2]);
    }
    (void)fprintf(file, "Properties=species:S:1:pos:R:3%s%s%s%s%s", layout.type ? ":type:I:1" : "",
                  layout.charge ? ":charge:R:1" : "", box->molecule ? ":molecule:I:1" : "",
                  box->velocity ? ":momenta:R:3:velo:R:3" : "", layout.mass ? ":masses:R:1" : "");
    (void)fprintf(file, "%s%s pbc=\"%c %c %c\"", layout.name ? ":pairmark_species:S:1" : "", last,
                  box_has_images(box, 0) ? 'T' : 'F', box_has_images(box, 1) ? 'T' : 'F',
                  box_has_images(box, 2) ? 'T' : 'F');
}

/* How to make the box again. */
static void write_making(FILE *file, const struct box *box) {
    if (box->kind[0] != '\0' && strcmp(box->kind, "file") != 0) { /* how to make it again */
        (void)fprintf(file, " kind=%s", box->kind);
        if (isfinite(box->density)) {
            (void)fprintf(file, " density=%.17g", box->density);
        }
        (void)fprintf(file, " seed=%llu", (unsigned long long)box->seed);
        if (box_is_partly_periodic(box)) {
            char axes[AXES_SIZE];
            box_axes(box, axes);
            (void)fprintf(file, " periodic=%s", axes);
        }
        if (box->temperature > 0.0) {
            (void)fprintf(file, " temperature=%.17g", box->temperature);
        }
    }
}

static void write_three(FILE *file, const double *three) {
    (void)fprintf(file, " %.17g %.17g %.17g", three[0], three[1], three[2]);
}

/* ASE reads momenta. pairmark reads velocities, which alone come back bit for bit. */
static void write_momentum(FILE *file, const struct box *box, size_t i) {
    const double *velocity = box->velocity + 3 * i;
    const double mass = box_mass(box, i);
    write_three(file,
                (const double[3]){ mass * velocity[0], mass * velocity[1], mass * velocity[2] });
}

/* Ends at once when the stream takes an error, such as a full disk. */
static void write_rows(FILE *file, const struct box *box, struct layout layout,
                       const double *vectors, const int32_t *image) {
    for (size_t i = 0; i < box->n && !ferror(file); i++) {
        const char *name = box->species[box->type[i]];
        (void)fputs(is_elements(name) ? name : "X", file);
        write_three(file, box->position + 3 * i);
        if (layout.type) {
            (void)fprintf(file, " %d", (int)box->type[i]);
        }
        if (layout.charge) {
            (void)fprintf(file, " %.17g", box->charge[i]);
        }
        if (box->molecule) {
            (void)fprintf(file, " %d", (int)box->molecule[i]);
        }
        if (box->velocity) {
            write_momentum(file, box, i);
            write_three(file, box->velocity + 3 * i);
        }
        if (layout.mass) {
            (void)fprintf(file, " %.17g", box_mass(box, i));
        }
        if (layout.name) {
            (void)fprintf(file, " %s", name);
        }
        if (vectors) {
            write_three(file, vectors + 3 * i);
        }
        if (image) {
            (void)fprintf(file, " %d %d %d", sign_of(box, 0) * image[3 * i],
                          sign_of(box, 1) * image[3 * i + 1], sign_of(box, 2) * image[3 * i + 2]);
        }
        (void)fputc('\n', file);
    }
}

static void write_all(FILE *file, const struct box *box, const double *vectors,
                      const char *vectors_name) {
    const struct layout layout = layout_of(box);
    char last[64] = "";
    if (vectors) {
        (void)snprintf(last, sizeof last, ":%s:R:3", vectors_name);
        for (char *blank = strchr(last, ' '); blank; blank = strchr(blank, ' ')) {
            *blank = '_'; /* one would end Properties */
        }
    }
    write_head(file, box, layout, last);
    write_making(file, box);
    (void)fprintf(file, "%s\n", vectors ? vectors_mark : "");
    write_rows(file, box, layout, vectors, NULL);
}

void box_write_frame(FILE *file, const struct box *box, const int32_t *image, const char *comment) {
    const struct layout layout = layout_of(box);
    write_head(file, box, layout, image ? ":image:I:3" : "");
    (void)fprintf(file, "%s\n", comment);
    write_rows(file, box, layout, NULL, image);
}

/* ---- the file ---- */

/* Where the second line of a file with this beginning ends. NULL: the beginning holds no such end,
 * or the first line is no count. */
static const char *end_of_comment(const char *head) {
    const char *line = head + strspn(head, "0123456789");
    return line > head && *line == '\n' ? strchr(line + 1, '\n') : NULL;
}

static bool comment_holds(const char *head, const char *words) {
    const char *end = end_of_comment(head);
    const char *found = end ? strstr(head, words) : NULL;
    return found && found < end;
}

/* A file that can be made again from its second line. */
static bool is_made_box(const char *head) {
    return begins_with(head, lammps_mark) ||
           (comment_holds(head, " kind=") && comment_holds(head, " seed=") &&
            !comment_holds(head, vectors_mark));
}

static bool is_vectors(const char *head) {
    return comment_holds(head, vectors_mark);
}

const struct output_kind box_output = { "a box that pairmark made", is_made_box };
const struct output_kind box_vectors_output = { "forces or derivatives that pairmark wrote",
                                                is_vectors };

bool box_write(const char *path, const struct box *box, const double *vectors,
               const char *vectors_name, struct error *error) {
    struct output *output = NULL;
    if (!output_open(path, vectors ? &box_vectors_output : &box_output, &output, error)) {
        return false;
    }
    bool written = true;
    if (!vectors && box_is_lammps_name(path)) {
        written = lammps_write(output_stream(output), box, error);
    } else {
        write_all(output_stream(output), box, vectors, vectors_name);
    }
    return output_close(output, written, error) && written;
}
