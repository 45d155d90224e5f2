/*
 * box — N particles in a cell, which every kernel variant and the reference are given: made, read
 * and written.
 *
 * Lengths are in the caller's units (reduced Lennard-Jones units for the boxes made here).
 */
#ifndef PAIRMARK_BOXES_BOX_H
#define PAIRMARK_BOXES_BOX_H

#include "boxes/cell.h"
#include "core/cache.h"
#include "core/error.h"
#include "core/output_file.h"
#include "core/quantity.h"

#include <stdint.h>
#include <stdio.h>

/* The most particles: kernels number them, and the four numbers of each one's position or force, by
 * int (4 i + 3). Memory ends sooner on most machines. */
enum { BOX_KIND_SIZE = 48, SPECIES_SIZE = 16, BOX_MAX_PARTICLES = (1 << 29) - 1 };

struct box {
    size_t n; /* particles, at least 1 */
    /* A batch: so many boxes (1: one of them, by itself), which know nothing of each other;
     * particles of the first, of the second... 0 stands for 1. */
    size_t batch;
    /* Of boxes of drawn sizes; NULL where all have n / batch particles and `cell`. */
    size_t *begin;      /* batch + 1: the first particle of each */
    struct cell *cells; /* batch: the cell of each; `cell` is then one of them, tilted if any is
                         */
    size_t first;       /* of a box of a batch: how many particles are before it */
    bool periodic;      /* along one vector of the cell at least; else an open box */
    /* Vectors of a periodic box along which it has no images: one of a slab, two of a wire. Such a
     * vector is perpendicular to the others; its edge is where particles are put, and means nothing
     * else. */
    bool open_along[3];
    bool rotated; /* read from a cell that was no lower triangle: positions were rotated with it */
    bool reversed[3]; /* vectors that are those of the source times -1 (cell.h) */
    bool uncharged;   /* read from a file that says no charges: they are not known to be zero */
    size_t left_out;  /* frames or models of its file after the first */
    bool in_double;   /* as a device has it whose kernels compute in double */
    union {           /* all zero in an open box; see cell.h */
        struct cell cell;
        struct {
            double edge[3]; /* the lengths of an orthorhombic cell */
            double tilt[3];
        };
    };
    double
        *position;  /* 3n: x, y, z of particle 0, then 1, ...; anywhere, not only inside the cell */
    double *charge; /* n, zero where the source gave none */
    double *velocity;  /* 3n; NULL where the source gave none */
    double *mass;      /* n, > 0; NULL where the source gave none: all are 1, see box_mass() */
    int32_t *type;     /* n, index into species */
    int32_t *molecule; /* n, which molecule; NULL where the source gave none */
    int32_t types;     /* number of species, at least 1 */
    char (*species)[SPECIES_SIZE]; /* names, one a type */
    char kind[BOX_KIND_SIZE];      /* of box_kinds[], or one of them @ angles; "file" when read */
    double density;                /* particles per volume of the cell; NaN in an open box that is
                                      read, and where only some vectors have images */
    double temperature;            /* at which velocities were made; 0: they were not */
    double margin; /* of an open box, on each side: box_bounds() has so much more than particles */
    uint64_t seed; /* 0 for a file */
};

/* Allocates the arrays for n particles of one species "A", all zero, in an open box. */
bool box_allocate(size_t n, struct box *box, struct error *error);
/* Gives the box velocities, all zero, or masses, all 1, where it has none. */
bool box_add_velocities(struct box *box, struct error *error);
bool box_add_masses(struct box *box, struct error *error);
/* How many boxes there are, and how many particles each has where all have as many. */
static inline size_t box_count(const struct box *box) {
    return box->batch > 1 ? box->batch : 1;
}
static inline size_t box_share(const struct box *box) {
    return box->n / box_count(box);
}
/* The first particle of box b; of b = box_count(): n. */
static inline size_t box_begin(const struct box *box, size_t b) {
    return box->begin ? box->begin[b] : b * box_share(box);
}
/* Box b of a batch as a box of its own. Its arrays are parts of the batch's: do not free it. It may
 * have no particles. */
struct box box_of_batch(const struct box *box, size_t b);
/* Which box of a batch each particle is in: n numbers. */
void box_number_particles(const struct box *box, int32_t *box_of);
/* Chooses the cell that stands for those of the boxes, once they are there. */
void box_choose_cell(struct box *box);
/* The box that a particle is in. */
size_t box_of_particle(const struct box *box, size_t particle);
/* Whether the charges are known: zeros that no file says are none. `what` needs them.
 * STATUS_BAD_INPUT. */
bool box_says_charges(const struct box *box, const char *what, struct error *error);
/* The mass of particle i. */
static inline double box_mass(const struct box *box, size_t i) {
    return box->mass ? box->mass[i] : 1.0;
}
/* Velocities drawn by Maxwell's distribution for the box's masses, then of zero total momentum and
 * of exactly this temperature (k_B T, an energy; degrees of freedom are 3n - 3; a particle alone
 * rests). The same seed gives the same bytes on every machine. STATUS_BAD_INPUT for a temperature
 * below 0. */
bool box_set_temperature(struct box *box, double temperature, uint64_t seed, struct error *error);
/* 2 K / (3n - 3), of one particle 2 K / 3; NaN without velocities. */
double box_temperature(const struct box *box);
void box_momentum(const struct box *box, double momentum[3]); /* zeros without velocities */
/* Gives all particles of species charges: "O=-0.8476,H=0.4238". Others keep theirs.
 * STATUS_BAD_INPUT, naming --charges, for a species that the box does not have, one that is named
 * twice, and what is no number. */
bool box_set_charges(struct box *box, const char *words, struct error *error);
/* Takes the cell away: no images. */
void box_open(struct box *box);

/* ---- axes: the vectors of the cell along which a box is periodic ---- */

enum { AXES_SIZE = 4 };

static inline bool box_has_images(const struct box *box, size_t axis) {
    return box->periodic && !box->open_along[axis];
}
/* A slab or a wire. */
static inline bool box_is_partly_periodic(const struct box *box) {
    return box->periodic && (box->open_along[0] || box->open_along[1] || box->open_along[2]);
}
/* "xy" of a slab in that plane; "" of an open box. */
void box_axes(const struct box *box, char axes[AXES_SIZE]);
/* Whether they are some of x, y and z, in this order. STATUS_BAD_INPUT, which says so. */
bool axes_check(const char *axes, struct error *error);
/* Leaves the box periodic along these axes alone, and makes each of the other vectors perpendicular
 * to the rest. STATUS_BAD_INPUT where the box is not periodic along all of these axes, or a vector
 * cannot be made perpendicular without turning the cell. */
bool box_keep_axes(struct box *box, const char *axes, struct error *error);
/* Prepares a made box for images along these axes alone ("": none): molecules that cross a face of
 * another axis are put together, and boxes of some kinds get the origin in their middle. */
void box_unwrap(struct box *box, const char *axes);
/* The least height of the cell along vectors with images; INFINITY in an open box. */
double box_least_repeat(const struct box *box);
/* Lets a kernel take a partly periodic box for a periodic one. Along the axes without images, edges
 * get so long that there is `margin` on both sides of the particles, which are moved into the
 * middle; two images are then at least 2 margins apart. INFINITY: edges of more than twice the
 * particles' extent, so that the nearest image of any pair is the pair itself. `moved`, unless
 * NULL, is by how much particles were moved. */
void box_make_room(struct box *box, double margin, double moved[3]);
void box_free(struct box *box); /* also of a zeroed box; zeroes it */

/* What the device gets, in double: positions wrapped into the cell where periodic (along an axis
 * without images as they are), then positions,
 * the cell, charges and masses rounded to the format of the precision's positions, velocities to
 * that of what it accumulates. The reference is computed from this. */
bool box_as_device(const struct box *box, enum precision precision, struct box *rounded,
                   struct error *error);
/* The same after box_make_room(). */
bool box_as_device_in_room(const struct box *box, double margin, enum precision precision,
                           struct box *rounded, double moved[3], struct error *error);

/* Hash over n, cell, positions, charges, types and molecules, and velocities and masses where there
 * are some (masses: other than 1), and the axes without images: the same physics, the same text. */
void box_hash(const struct box *box, char text[HASH_TEXT_SIZE]);

/* Where particles can be along x, y and z: along the edges of the cell, from zero; in an open box,
 * from the least coordinate to the most, and its margin. */
void box_bounds(const struct box *box, double least[3], double most[3]);

/* The vector from a point to the nearest image of another, as cell_nearest() finds it. */
void box_vector(const struct box *box, const double *from, const double *to, double vector[3]);

/* The longest distance that can occur in the box's arithmetic: the longest edge, in a triclinic
 * cell twice the cell's longest extent along x, y or z (finding an image takes three steps, each of
 * which rounds a number as long as that), or in an open box the longest extent of the positions. */
double box_length_scale(const struct box *box);

/* The minimum image is unique only for cutoff <= half the least height of the cell along vectors
 * with images (of an orthorhombic one: its shortest edge). Errors: STATUS_BAD_INPUT
 * with the reason. An infinite cutoff is right in an open box only. */
bool box_accepts_cutoff(const struct box *box, double cutoff, struct error *error);

/* ---- identical molecules ----
 *
 * A molecule is all particles that share a number in `molecule`, in their order; where the box has
 * no such numbers, every particle is one by itself. Molecules are identical if they have as many
 * particles, and place by place the same type, charge and mass. Where nothing else distinguishes
 * them, they may be reordered as wholes: bonds, exclusions and parameters stay as they are. */

/* Groups of identical molecules, in the order of their first molecules; molecules in that of their
 * first particles. */
struct alike {
    size_t molecules, groups;
    int32_t *start;    /* molecules + 1: where the particles of each begin */
    int32_t *particle; /* n, by molecules */
    int32_t *group;    /* molecules: of which group each is */
    int32_t *first;    /* groups: the first molecule of each */
    int32_t *count;    /* groups: molecules */
};

/* Numbers of particles, molecules or terms, each with what it is sorted by. */
struct keyed {
    uint64_t key;
    int32_t number;
};
/* Sorts by keys; numbers of one key ascend. */
void keyed_sort(struct keyed *keyed, size_t count);

/* STATUS_OUT_OF_MEMORY. Free in any case. */
bool alike_find(const struct box *box, struct alike *alike, struct error *error);
void alike_free(struct alike *alike); /* also of a zeroed one; zeroes it */

/* ---- particles that bonds or constraints join ---- */

/* Every particle of n a molecule by itself; to be joined. */
void joined_begin(size_t n, int32_t *molecule);
void joined_add(int32_t *molecule, int32_t a, int32_t b);
/* Gives each particle the first one of its molecule. */
void joined_end(size_t n, int32_t *molecule);

/* ---- boxes that are made ---- */

/* A box of one of the kinds in box_kinds[], deterministic: the same kind, n, density and seed give
 * the same bytes on every machine (only + - * / sqrt are used, in a fixed order; no libm, no fused
 * multiply-add).
 *
 *   lattice   fcc sites, jittered
 *   uniform   random with a least distance
 *   fluid     Lennard-Jones melt without overlap (least distance >= 0.85 sigma where density <= 1)
 *   gas       random at density 0.01 unless another is asked for
 *   droplets  dense clusters in an empty cell: the load-imbalance case
 *   salt      charges +1 (species Na) and -1 (species Cl) on a jittered simple-cubic lattice
 *   cubic     simple-cubic sites, each coordinate up to a tenth of the spacing off
 *   brick     a jittered lattice in a cell of edges 0.8 : 1 : 1.25, its first layers on the faces,
 *             types A, B, C of charges -1, 0.25, 0.75, molecules of one of each, in no order
 *   melt      fcc sites, and velocities of temperature 1.44: what LAMMPS, miniMD and MD-Bench run
 *   plate     a jittered lattice in a cell of edges 4.4 : 2.1 : 1, one in nine particles as near as
 *             0.3 to 0.6 to another, in no order
 *   water     rigid SPC/E molecules on a jittered simple-cubic lattice, lengths in angstrom
 *   warm-water  the same boxes; molecules move and turn, with velocities of temperature 1
 *   chains    molecules of up to 50 particles in a row on a jittered simple-cubic lattice, which
 *             have bonded terms (kernels/potentials/bonded.h)
 *   proteins  molecules of up to 600 particles on the same lattice: residues of two particles of a
 *             backbone and two of a side group, likewise
 *   hydrogens clusters of a carbon and one, two, three hydrogens in turn, at 1.09, on a
 *             simple-cubic lattice
 *   oligomers molecules of 11 particles (C, C, N in turn) in a zigzag of steps of 1 and angles of
 *             about 110 degrees
 *   polymers  the same of 1501 particles
 *   triangles rigid molecules of three of drawn species: two sides of box_bond_length(), a base of
 *             box_triangle_base(); particles that are too few for one are by themselves
 *   stars     a centre and one, two, three others in turn, of drawn species, at
 *             box_bond_length(), in directions that are drawn
 *   complexes the same with four, five and six
 *   diamond   a jittered diamond lattice, at the density of silicon in angstrom
 *   copper    as lattice, at the density of copper in angstrom
 *   mixture   as cubic, of 17 types A to Q, drawn, of charges -1 to 1
 *   alloy     the same of 5 types A to E
 *   borders   on sites that begin at a corner: whole fractions of cells or of cutoffs, planes,
 *             lines or a cube around the corner, as the seed and n say; one coordinate in four is
 *             off by a rounding of float, to either side. Types A, B, C, a molecule of each;
 *             charges -0.5 and 0.5
 *   degenerate  molecules of 4 particles, straight, folded back or in one place, which have bonded
 *             terms whose coordinates are not defined everywhere; the cell, tilted or not, and
 *             places are of whole 64ths, so that float makes no straight line a bent one
 *
 * KIND@ALPHA:BETA:GAMMA, as in "fluid@80:70:60", is the box of the kind with its cell, and the
 * particles with it, sheared to these angles (degrees) and stretched so that the volume stays: what
 * is said of distances above holds before that. KIND@brick is stretched to the proportions of a
 * brick. Molecules of water, hydrogens, oligomers, triangles, stars, complexes and degenerate keep
 * their shapes.
 *
 * density <= 0 means the kind's own default (box_default_density). The cell is cubic with edge
 * (n/density)^(1/3) (a brick's and a plate's are of that volume), periodic. Errors:
 * STATUS_BAD_INPUT for an unknown kind, n outside 1..BOX_MAX_PARTICLES, or a density at which the
 * kind cannot be made (says the most it can take). */
bool box_make(const char *kind, size_t n, double density, uint64_t seed, struct box *box,
              struct error *error);
/* The same errors, but for those of memory and angles, and no box. */
bool box_check_made(const char *kind, size_t n, double density, struct error *error);
/* A batch of boxes of this seed and those that follow it, n / batch particles each, or numbers that
 * are drawn; batch 0 or 1: box_make(). STATUS_BAD_INPUT where n is no multiple of batch. */
struct box_batch {
    const char *kind;
    size_t n,
        batch; /* particles of all boxes, those of batch_total() where sizes are drawn; boxes */
    struct batch_sizes {
        size_t least, most; /* of a box; all sizes between them are as likely. most 0: not drawn */
        bool of_waters;     /* whole molecules of three, and one particle more at most */
    } sizes;
    double density;
    uint64_t seed;
};
bool box_make_batch(const struct box_batch *batch, struct box *box, struct error *error);
/* The particles of box b of those that are drawn, and of all. */
size_t batch_box_size(const struct batch_sizes *sizes, uint64_t seed, size_t b);
size_t batch_total(const struct batch_sizes *sizes, uint64_t seed, size_t batch);
extern const char *const box_kinds[]; /* NULL-terminated */
enum { BOX_MIXTURE_TYPES = 17, BOX_ALLOY_TYPES = 5 };
/* Shapes of the molecules of kind degenerate, in turn; torsions of the last ones are defined. */
enum { DEGENERATE_SHAPES = 14, DEGENERATE_BUT_FOR_TORSIONS = 10 };
/* Whether particles of the kind lie in one place, where pairs have no forces: `--kind *` leaves it
 * out. */
bool box_kind_overlaps(const char *kind);
/* Whether it has particles of several types. */
bool box_kind_has_types(const char *kind);
/* Says that there is no such kind (NULL: that none was named), and which there are. */
bool box_fail_kind(const char *kind, struct error *error);
/* Whether a kind of box, which angles may follow, is the named one. */
bool box_is_of_kind(const char *kind, const char *name);
bool box_is_of_waters(const char *kind); /* of rigid waters, and of nothing else */
/* Between the centre of a molecule of triangles, stars or complexes and another particle of it; and
 * between the other two of triangles, by the numbers of the tip and of either. */
double box_bond_length(const struct box *box, size_t i, size_t j);
double box_triangle_base(const struct box *box, size_t tip, size_t side);
/* Angles may follow the kind. */
const char *box_kind_words(const char *kind); /* what it is, for help; "" for an unknown kind */
double box_default_density(const char *kind); /* NaN for an unknown kind */
/* The least height along these axes ("": all) of the cell that would be made; density <= 0: the
 * default; NaN for an unknown kind. */
double box_least_height(const char *kind, size_t n, double density, const char *axes);

/* ---- boxes in files: XYZ, GROMACS, PDB, LAMMPS ---- */

/* Reads extended XYZ (Lattice, Properties, pbc; columns species, pos, and where present type,
 * charge, molecule, velo, mass) or the plain XYZ of `plumed driver` (line 2: three or nine numbers;
 * three zeros: open). Only the first frame: left_out counts the others. Refused with path, line and
 * what was expected: bad counts, short lines, non-numbers, NaN and flat cells. With pbc="T T F" the
 * third vector may be anything, and zero: it is made perpendicular to the others. A cell that is no
 * lower triangle (cell.h) is rotated into one, and the positions with it: `rotated` says so. A name
 * that ends in .gro, .pdb or .ent says that the file is of GROMACS or PDB, as readers.h has them;
 * lengths are then in angstrom. One that ends in .data, .lmp or .lammps is a data file of LAMMPS,
 * likewise. */
bool box_read(const char *path, struct box *box, struct error *error);
/* The same by `atom_style`, for a LAMMPS data file that does not name its own ("" or NULL: none is
 * said), and, unless `content` is NULL, the hash of the bytes that the file held: they are read
 * once. */
bool box_read_styled(const char *path, const char *atom_style, struct box *box,
                     char content[HASH_TEXT_SIZE], struct error *error);

/* The styles of LAMMPS data files that are read. */
extern const char *const box_atom_styles[]; /* NULL-terminated */

/* What a LAMMPS data file says of the pairs of a box. Zero-initialise; release with
 * box_pairs_free. */
struct box_pairs {
    const char *atom_style; /* set by the caller: see box_read_styled() */
    bool as_lj;             /* set by the caller: where the file names no style, it is lj/cut */
    size_t line;            /* of the title Pair Coeffs or PairIJ Coeffs; 0: there is none */
    char style[32];         /* that it names, without the suffix of an accelerator; "": none */
    char *lj;       /* of lj/cut and lj/cut/...: a table of types (kernels/potentials/type_table.h)
                       for function lj. Two types are mixed by geometric means, as lj/cut does
                       unless pair_modify says otherwise. NULL: another style, or none */
    int *lj_line;   /* of the file, for each row of the table; of two types mixed the first's */
    double coulomb; /* the constant of the units that the first line names; NaN: it names none */
    bool has_bonds;
};
void box_pairs_free(struct box_pairs *pairs);
/* box_read(), and *pairs where it is a LAMMPS data file. Errors likewise, also for coefficients of
 * a known style that are malformed, and for types of one name with different ones. */
bool box_read_pairs(const char *path, struct box *box, struct box_pairs *pairs,
                    struct error *error);

/* Whether a file that is written under this name would be read as XYZ again. STATUS_BAD_INPUT,
 * naming the path, for one of another format. */
bool box_check_name(const char *path, struct error *error);
/* Whether it is the name of a LAMMPS data file, which box_write writes where there are no vectors.
 */
bool box_is_lammps_name(const char *path);
/* Whether the file that is there is one, by its name or its content. */
bool box_is_lammps_file(const char *path);

/* Extended XYZ with all 17 digits; `vectors` (3n, may be NULL) is written as columns named
 * `vectors_name`. By output_open of core/output_file.h: a file that is there is replaced only
 * where it is a box that pairmark made or, with vectors, such a file of pairmark's. */
bool box_write(const char *path, const struct box *box, const double *vectors,
               const char *vectors_name, struct error *error);

/* The same as a frame of a trajectory, into an open stream, whose errors are the caller's to look
 * for: without how the box was made, with `comment` (begins with a blank) at the end of the second
 * line and, unless NULL, columns image:I:3 (3n). */
void box_write_frame(FILE *file, const struct box *box, const int32_t *image, const char *comment);

/* What box_write takes for its own: without vectors, and with them. */
extern const struct output_kind box_output, box_vectors_output;

/* Whether so many characters are the symbol of an element, spelt as in the periodic table: Na, not
 * NA. */
bool is_element(const char *symbol, size_t length);

#endif
