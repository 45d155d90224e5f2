/* Boxes of molecules. */
#include "boxes/kinds/makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- chains, proteins: molecules for bonded terms: chains of up to 50 particles that follow each
 * other in memory and wind up columns of a jittered simple-cubic lattice; or a backbone with side
 * groups that does.
 *
 * A column is two sites wide along x and y. A chain goes round its four sites and then up to the
 * next four, there round the other way: every step is to a neighbouring site, every angle is about
 * a right one, torsions are about 0 or a quarter turn to either side, and no two particles are
 * nearer than three quarters of a step. A chain ends at the end of its column. The whole is shifted
 * by a random vector, so that chains cross the faces of the cell.
 *
 * A protein has a residue of four particles per layer: two of the backbone, which goes on from the
 * second one to the layer above, and two of a side group that begins there, too. It has up to 150
 * residues. */

enum { CHAIN_LENGTH = 50, PROTEIN_LENGTH = 600, LAYER = 4 };

static const double chain_jitter = 0.12; /* of the step along each axis */

/* The fewest sites that suffice, about as far apart along each axis; even numbers along x and y. */
static void choose_sites(size_t n, size_t repeats[3]) {
    repeats[0] = repeats[1] = 2;
    repeats[2] = 1;
    while (repeats[0] * repeats[1] * repeats[2] < n) {
        int fewest = 2;
        for (int axis = 0; axis < 2; axis++) {
            if (repeats[axis] < repeats[fewest]) {
                fewest = axis;
            }
        }
        repeats[fewest] += fewest == 2 ? 1 : 2;
    }
}

/* Where the chains' i-th site is, in steps along each axis. */
static void find_site(size_t i, const size_t repeats[3], bool branches, size_t site[3]) {
    static const size_t round[LAYER][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    const size_t column = i / (LAYER * repeats[2]);
    const size_t layer = i / LAYER % repeats[2];
    const size_t corner = layer % 2 == 0 || branches ? i % LAYER : LAYER - 1 - i % LAYER;
    size_t own[2] = { round[corner][0], round[corner][1] };
    if (branches) { /* the backbone along y, the side group along x */
        own[0] = round[corner][1];
        own[1] = layer % 2 == 0 ? round[corner][0] : 1 - round[corner][0];
    }
    site[0] = column % (repeats[0] / 2) * 2 + own[0];
    site[1] = column / (repeats[0] / 2) * 2 + own[1];
    site[2] = layer;
}

/* Molecules of up to `length` particles. */
static bool wind_up(struct box *box, size_t length, bool branches, struct random *random,
                    struct threads *threads, struct error *error) {
    size_t repeats[3];
    double shift[3];
    int32_t molecule = -1;
    choose_sites(box->n, repeats);
    const size_t column = LAYER * repeats[2];
    box->molecule = malloc(box->n * sizeof *box->molecule);
    if (!box->molecule) {
        return fail_out_of_memory(error, "the molecules of a box");
    }
    for (size_t axis = 0; axis < 3; axis++) {
        shift[axis] = box->edge[axis] * random_unit(random);
    }
    for (size_t i = 0; i < box->n; i++) {
        size_t site[3];
        find_site(i, repeats, branches, site);
        for (size_t axis = 0; axis < 3; axis++) {
            const double step = box->edge[axis] / (double)repeats[axis];
            const double off = chain_jitter * random_signed(random);
            box->position[3 * i + axis] = ((double)site[axis] + off) * step + shift[axis];
        }
        molecule += i % column % length == 0;
        box->molecule[i] = molecule;
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

bool make_chains(struct box *box, struct random *random, struct threads *threads,
                 struct error *error) {
    return wind_up(box, CHAIN_LENGTH, false, random, threads, error);
}

bool make_proteins(struct box *box, struct random *random, struct threads *threads,
                   struct error *error) {
    return wind_up(box, PROTEIN_LENGTH, true, random, threads, error);
}

/* ---- water: rigid molecules of three charged sites, O, H and H, as peers time them: what types,
 * charges and pairs that are left out cost.
 *
 * The geometry and the charges of SPC/E (H. J. C. Berendsen, J. R. Grigera, T. P. Straatsma, J.
 * Phys. Chem. 91 (1987) 6269): O-H 1 angstrom, the angle tetrahedral. Molecules of random
 * orientation stand on a simple-cubic lattice of 3.1 angstrom (0.1007 sites per cubic angstrom),
 * each up to 0.15 angstrom off along each axis; which of them stands where is drawn, so that the
 * order of the particles means nothing. Where n is no multiple of three the last molecule lacks a
 * hydrogen or both. Lengths are angstrom; another density stretches the lattice and leaves the
 * molecules as they are. The lattice of a small box may be closer, since its sites are a cube of a
 * whole number: there, each molecule takes the best of some orientations. */

enum { SITES = 3, SMALL = 300, ORIENTATIONS = 64 };

static const double water_jitter = 0.15 / 3.1; /* of the spacing */
static const double water_mass[SITES] = { 15.999, 1.008, 1.008 };
static const double water_charge[SITES] = { -0.8476, 0.4238, 0.4238 };

/* The hydrogens lie on both sides of the first direction. Half the tetrahedral angle has a cosine
 * of sqrt(1/3) and a sine of sqrt(2/3). */
static void place_molecule(const double centre[3], struct random *random, double site[SITES][3]) {
    double axis_of[3];
    double across[3];
    draw_direction(random, axis_of);
    draw_perpendicular(random, axis_of, across);
    for (size_t k = 0; k < 3; k++) {
        const double along = sqrt(1.0 / 3.0) * axis_of[k];
        const double aside = sqrt(2.0 / 3.0) * across[k];
        site[0][k] = centre[k];
        site[1][k] = centre[k] + along + aside;
        site[2][k] = centre[k] + along - aside;
    }
}

/* The centre of the molecule that stands at this rank among the sites of the lattice, x fastest;
 * vacancies are spread evenly. */
static void choose_centre(const struct box *box, size_t repeats, size_t molecules, size_t rank,
                          struct random *random, double centre[3]) {
    size_t site = rank * (repeats * repeats * repeats) / molecules;
    for (size_t axis = 0; axis < 3; axis++) {
        const double spacing = box->edge[axis] / (double)repeats;
        const double off = 0.5 + water_jitter * random_signed(random);
        centre[axis] = ((double)(site % repeats) + off) * spacing;
        site /= repeats;
    }
}

/* The square of the least distance of the sites to the particles before them. */
static double least_distance2(const struct box *box, size_t before, double site[SITES][3]) {
    double least2 = 3 * box->edge[0] * box->edge[0];
    for (size_t i = 0; i < SITES * before; i++) {
        double distance2 = 0.0;
        for (size_t axis = 0; axis < 3; axis++) {
            const double wrapped = wrap_coordinate(site[i / before][axis], box->edge[axis]);
            const double d =
                nearest_image(wrapped - box->position[3 * (i % before) + axis], box->edge[axis]);
            distance2 += d * d;
        }
        least2 = distance2 < least2 ? distance2 : least2;
    }
    return least2;
}

static void orient_best(const struct box *box, size_t before, const double centre[3],
                        struct random *random, double site[SITES][3]) {
    double best2 = -1.0;
    for (int o = 0; o < ORIENTATIONS; o++) {
        double tried[SITES][3];
        place_molecule(centre, random, tried);
        const double least2 = least_distance2(box, before, tried);
        if (least2 > best2) {
            best2 = least2;
            memcpy(site, tried, sizeof tried);
        }
    }
}

static void fill_molecule(struct box *box, size_t molecule, const double centre[3],
                          struct random *random) {
    double site[SITES][3];
    if (box->n <= SMALL) {
        orient_best(box, SITES * molecule, centre, random, site);
    } else {
        place_molecule(centre, random, site);
    }
    for (size_t s = 0; s < SITES && SITES * molecule + s < box->n; s++) {
        const size_t i = SITES * molecule + s;
        for (size_t axis = 0; axis < 3; axis++) {
            box->position[3 * i + axis] = wrap_coordinate(site[s][axis], box->edge[axis]);
        }
        box->molecule[i] = (int32_t)molecule;
        box->type[i] = box_type_of(box, "OHH"[s]);
        box->charge[i] = water_charge[s];
        box->mass[i] = water_mass[s];
    }
}

bool make_water(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    (void)threads; /* it is all drawing */
    const size_t molecules = (box->n + SITES - 1) / SITES;
    size_t repeats = 1;
    int32_t *rank = malloc(molecules * sizeof *rank);
    if (!rank || !box_room_for_types(box, 2, error) || !box_add_masses(box, error)) {
        free(rank);
        return fail_out_of_memory(error, "a box being made");
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    draw_order(rank, molecules, random);
    for (size_t m = 0; m < molecules; m++) {
        double centre[3];
        choose_centre(box, repeats, molecules, (size_t)rank[m], random, centre);
        fill_molecule(box, m, centre, random);
    }
    free(rank);
    return true;
}

/* ---- warm-water: the same waters, which move and turn.
 *
 * Of Maxwell velocities of the particles the momentum and the angular momentum of each molecule
 * are kept, and are those of a rigid body at the same temperature: what does not change a side is
 * the projection of all velocities, weighted with masses. */

static double mixed_product(const double *a, const double *b, const double *c) {
    double product[3];
    vector_cross(b, c, product);
    return vector_dot(a, product);
}

/* The angular velocity of this angular momentum: the moments of inertia are a symmetric matrix, and
 * Cramer's rule solves inertia times spin = momentum. */
static void solve_inertia(const double inertia[3][3], const double momentum[3], double spin[3]) {
    const double whole = mixed_product(inertia[0], inertia[1], inertia[2]);
    spin[0] = mixed_product(momentum, inertia[1], inertia[2]) / whole;
    spin[1] = mixed_product(inertia[0], momentum, inertia[2]) / whole;
    spin[2] = mixed_product(inertia[0], inertia[1], momentum) / whole;
}

/* Takes from the particles' velocities the momentum of the molecule over its mass. `from` is where
 * each is, seen from the centre of mass. */
static void take_centre(const struct box *box, size_t first, double from[SITES][3],
                        double velocity[SITES][3], double drift[3]) {
    double centre[3] = { 0, 0, 0 };
    double mass = 0;
    for (size_t s = 0; s < SITES; s++) {
        mass += water_mass[s];
        for (size_t k = 0; k < 3; k++) {
            from[s][k] = nearest_image(
                box->position[3 * (first + s) + k] - box->position[3 * first + k], box->edge[k]);
            velocity[s][k] = box->velocity[3 * (first + s) + k];
            centre[k] += water_mass[s] * from[s][k];
            drift[k] += water_mass[s] * velocity[s][k];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        drift[k] /= mass;
        for (size_t s = 0; s < SITES; s++) {
            from[s][k] -= centre[k] / mass;
            velocity[s][k] -= drift[k];
        }
    }
}

static void make_rigid(struct box *box, size_t first) {
    double from[SITES][3];
    double velocity[SITES][3];
    double drift[3] = { 0, 0, 0 };
    double inertia[3][3] = { { 0 } };
    double momentum[3] = { 0, 0, 0 };
    double spin[3];
    take_centre(box, first, from, velocity, drift);
    for (size_t s = 0; s < SITES; s++) {
        double angular[3];
        vector_cross(from[s], velocity[s], angular);
        for (size_t a = 0; a < 3; a++) {
            momentum[a] += water_mass[s] * angular[a];
            for (size_t b = 0; b < 3; b++) {
                inertia[a][b] += water_mass[s] * ((a == b ? vector_dot(from[s], from[s]) : 0) -
                                                  from[s][a] * from[s][b]);
            }
        }
    }
    solve_inertia(inertia, momentum, spin);
    for (size_t s = 0; s < SITES; s++) {
        double speed[3];
        vector_cross(spin, from[s], speed);
        for (size_t k = 0; k < 3; k++) {
            box->velocity[3 * (first + s) + k] = drift[k] + speed[k];
        }
    }
}

bool make_warm_water(struct box *box, struct random *random, struct threads *threads,
                     struct error *error) {
    const double temperature = 1;
    if (!make_water(box, random, threads, error) ||
        !box_set_temperature(box, temperature, box->seed, error)) {
        return false;
    }
    for (size_t first = 0; first + SITES <= box->n; first += SITES) {
        make_rigid(box, first);
    }
    return true;
}

/* ---- hydrogens: molecules for constraints: a carbon with one, two and three hydrogens in turn, at
 * tetrahedral angles and 1.09 from it, of random orientation, on the sites of a simple-cubic
 * lattice. The last molecule may lack hydrogens. */

static const double bond = 1.09;

enum { MOST_HYDROGENS = 3, IN_A_TURN = 2 + 3 + 4 };

/* Where particle i is: in which molecule, and at which place of it. */
static size_t molecule_of(size_t i, size_t *place) {
    static const size_t of_turn[IN_A_TURN] = { 0, 0, 1, 1, 1, 2, 2, 2, 2 };
    static const size_t place_of[IN_A_TURN] = { 0, 1, 0, 1, 2, 0, 1, 2, 3 };
    *place = place_of[i % IN_A_TURN];
    return i / IN_A_TURN * MOST_HYDROGENS + of_turn[i % IN_A_TURN];
}

/* The directions to three corners of a tetrahedron, the fourth being opposite to `axis`. */
static void choose_corners(struct random *random, double corner[MOST_HYDROGENS][3]) {
    const double high = 1.0 / 3.0;
    const double wide = sqrt(8.0) / 3.0;
    double axis[3];
    double one[3];
    double other[3];
    draw_direction(random, axis);
    draw_perpendicular(random, axis, one);
    for (int d = 0; d < 3; d++) {
        other[d] = axis[(d + 1) % 3] * one[(d + 2) % 3] - axis[(d + 2) % 3] * one[(d + 1) % 3];
    }
    for (int d = 0; d < 3; d++) {
        corner[0][d] = high * axis[d] + wide * one[d];
        corner[1][d] = high * axis[d] + wide * (-0.5 * one[d] + sqrt(0.75) * other[d]);
        corner[2][d] = high * axis[d] + wide * (-0.5 * one[d] - sqrt(0.75) * other[d]);
    }
}

bool make_hydrogens(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    size_t place;
    const size_t molecules = molecule_of(box->n - 1, &place) + 1;
    double corner[MOST_HYDROGENS][3];
    size_t repeats = 1;
    if (!box_room_for_types(box, 2, error)) {
        return false;
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    for (size_t i = 0; i < box->n; i++) {
        size_t site = molecule_of(i, &place);
        box->molecule[i] = (int32_t)site;
        box->type[i] = box_type_of(box, place == 0 ? 'C' : 'H');
        if (place == 0) {
            choose_corners(random, corner);
        }
        for (size_t d = 0; d < 3; d++, site /= repeats) {
            const double centre = ((double)(site % repeats) + 0.5) * box->edge[d] / (double)repeats;
            box->position[3 * i + d] = centre + (place == 0 ? 0 : bond * corner[place - 1][d]);
        }
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

/* ---- triangles, stars, complexes: molecules for constraints whose species are drawn, and with
 * them masses and lengths: where all are alike, a kernel that takes those of another bond or
 * molecule is right. Rigid ones of three; centres with one to three others in turn; with four to
 * six.
 *
 * As waters, molecules stand on a simple-cubic lattice, here in their order. Lengths are sums of
 * covalent radii (B. Cordero et al., Dalton Trans. (2008) 2832). No hydrogen is a centre: where one
 * is between heavy others, the tolerance of their lengths says little. */

enum { MOST_ARMS = 6 };

static double covalent_radius(const struct box *box, size_t i) {
    switch (box->species[box->type[i]][0]) {
    case 'H':
        return 0.31;
    case 'C':
        return 0.76;
    default:
        return box->species[box->type[i]][0] == 'N' ? 0.71 : 0.66;
    }
}

double box_bond_length(const struct box *box, size_t i, size_t j) {
    return covalent_radius(box, i) + covalent_radius(box, j);
}

double box_triangle_base(const struct box *box, size_t tip, size_t side) {
    return box_bond_length(box, tip, side) + covalent_radius(box, tip);
}

/* Directions near those of an octahedron, the first three at about right angles. */
static void draw_arms(struct random *random, double arm[MOST_ARMS][3]) {
    const double off = 0.2; /* along each axis */
    double frame[3][3];
    draw_direction(random, frame[0]);
    draw_perpendicular(random, frame[0], frame[1]);
    vector_cross(frame[0], frame[1], frame[2]);
    for (size_t a = 0; a < MOST_ARMS; a++) {
        for (size_t d = 0; d < 3; d++) {
            arm[a][d] = (a < 3 ? 1 : -1) * frame[a % 3][d] + off * random_signed(random);
        }
        const double length = sqrt(vector_dot(arm[a], arm[a]));
        for (size_t d = 0; d < 3; d++) {
            arm[a][d] /= length;
        }
    }
}

/* Directions of two sides whose ends are this far apart, of sides of length 1. */
static void draw_sides(double base, struct random *random, double arm[MOST_ARMS][3]) {
    const double high = sqrt(1.0 - 0.25 * base * base);
    double along[3];
    double across[3];
    draw_direction(random, along);
    draw_perpendicular(random, along, across);
    for (size_t d = 0; d < 3; d++) {
        arm[0][d] = high * along[d] + 0.5 * base * across[d];
        arm[1][d] = high * along[d] - 0.5 * base * across[d];
    }
}

/* Puts a molecule, whose first particle is at a centre, behind those before it. */
static void put_arms(struct box *box, size_t first, size_t arms, bool rigid, const double centre[3],
                     struct random *random) {
    double arm[MOST_ARMS][3];
    for (size_t i = first; i <= first + arms; i++) {
        const size_t drawn = random_next(random) % 12;
        const char species = i == first ? "CNO"[drawn % 3] : "CNOH"[drawn % 4];
        box->molecule[i] = first > 0 ? box->molecule[first - 1] + 1 : 0;
        box->type[i] = rigid && i == first + 2 ? box->type[i - 1] : box_type_of(box, species);
    }
    if (rigid && arms > 0) {
        const double side = box_bond_length(box, first, first + 1);
        draw_sides(box_triangle_base(box, first, first + 1) / side, random, arm);
    } else {
        draw_arms(random, arm);
    }
    for (size_t a = 0; a <= arms; a++) {
        const double length = a > 0 ? box_bond_length(box, first, first + a) : 0;
        for (size_t d = 0; d < 3; d++) {
            const double x = centre[d] + (a > 0 ? length * arm[a - 1][d] : 0);
            box->position[3 * (first + a) + d] = wrap_coordinate(x, box->edge[d]);
        }
    }
}

/* Molecules of one centre and `fewest` others or, unless they are rigid, up to two more. The last
 * one is cut short, a rigid one to particles by themselves. */
static bool make_arms(struct box *box, size_t fewest, bool rigid, struct random *random,
                      struct error *error) {
    const size_t molecules = box->n / (fewest + (rigid ? 1 : 2)) + 2; /* at most */
    size_t repeats = 1;
    if (!box_room_for_types(box, 4, error)) {
        return false;
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    for (size_t first = 0, m = 0; first < box->n; m++) {
        const size_t left = box->n - first - 1;
        const size_t wanted = fewest + (rigid ? 0 : m % 3);
        const size_t arms = wanted <= left ? wanted : rigid ? 0 : left;
        double centre[3];
        choose_centre(box, repeats, molecules, m, random, centre);
        put_arms(box, first, arms, rigid, centre, random);
        first += arms + 1;
    }
    return true;
}

bool make_triangles(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    (void)threads; /* it is all drawing */
    return make_arms(box, 2, true, random, error);
}

bool make_stars(struct box *box, struct random *random, struct threads *threads,
                struct error *error) {
    (void)threads;
    return make_arms(box, 1, false, random, error);
}

bool make_complexes(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    (void)threads;
    return make_arms(box, 4, false, random, error);
}

/* ---- oligomers, polymers: molecules for constraints: 11 or 1501 particles in a row, a carbon, a
 * carbon, a nitrogen in turn, every two that follow each other exactly one apart.
 *
 * All particles stand along one line that winds up the periodic cell: where it leaves the top it
 * enters the bottom, one M-th of an edge farther along y and one M^2-th along x, and after M^2
 * turns it would close. Beside it they lie to either side in turn, so that every angle is about 110
 * degrees. M is as small as the length of the line allows. The whole is shifted by a random vector,
 * so that molecules cross the faces of the cell. */

static const double step_along = 0.82; /* of a bond of length 1 */

static const char row[] = "CCN";

/* The direction of the line, and one at right angles to it. */
static void choose_directions(double turns, double along[3], double across[3]) {
    const double lean[3] = { 1.0 / (turns * turns), 1.0 / turns, 1.0 };
    const double length = sqrt(lean[0] * lean[0] + lean[1] * lean[1] + 1.0);
    const double width = sqrt(1.0 + lean[0] * lean[0]);
    for (int d = 0; d < 3; d++) {
        along[d] = lean[d] / length;
    }
    across[0] = 1.0 / width;
    across[1] = 0.0;
    across[2] = -lean[0] / width;
}

static bool make_zigzag(struct box *box, size_t length, struct random *random,
                        struct threads *threads, struct error *error) {
    const double half_width = 0.5 * sqrt(1.0 - step_along * step_along);
    double along[3];
    double across[3];
    double shift[3];
    double turns = 1;
    if (!box_room_for_types(box, 2, error)) {
        return false;
    }
    while (turns * turns * box->edge[2] < (double)(box->n + 2) * step_along) {
        turns++;
    }
    choose_directions(turns, along, across);
    for (size_t d = 0; d < 3; d++) {
        shift[d] = box->edge[d] * random_unit(random);
    }
    for (size_t i = 0; i < box->n; i++) {
        const double side = i % 2 == 0 ? half_width : -half_width;
        for (size_t d = 0; d < 3; d++) {
            box->position[3 * i + d] =
                shift[d] + step_along * (double)i * along[d] + side * across[d];
        }
        box->molecule[i] = (int32_t)(i / length);
        box->type[i] = box_type_of(box, row[i % length % 3]);
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}

bool make_oligomers(struct box *box, struct random *random, struct threads *threads,
                    struct error *error) {
    return make_zigzag(box, 11, random, threads, error);
}

bool make_polymers(struct box *box, struct random *random, struct threads *threads,
                   struct error *error) {
    return make_zigzag(box, 1501, random, threads, error);
}

/* ---- degenerate: molecules for bonded terms where these are not defined, or nearly so ---- */

enum { SHAPE_SIZE = 4 };

/* In units of `side`. */
static const signed char shapes[DEGENERATE_SHAPES][SHAPE_SIZE][3] = {
    { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 } },  /* the first angle is straight */
    { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } },  /* the last one */
    { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 2, 0 }, { 0, 3, 0 } },  /* both */
    { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 } },  /* along no axis */
    { { 1, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },  /* an angle of 0, ends in one place */
    { { 2, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },  /* ends apart */
    { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 0 }, { 0, 0, 1 } },  /* folded twice */
    { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },  /* bonds of no length: the first */
    { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },  /* the axis of the torsion */
    { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },  /* all */
    { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } },  /* cis */
    { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 } }, /* trans */
    { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 1 } },  /* a quarter turn */
    { { 0, 1, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, -1 } }, /* to the other side */
};

bool make_degenerate(struct box *box, struct random *random, struct threads *threads,
                     struct error *error) {
    static const double side = 0.75;
    const size_t molecules = (box->n + SHAPE_SIZE - 1) / SHAPE_SIZE;
    double shift[3];
    size_t repeats = 1;
    if (!box_room_for_types(box, 1, error)) {
        return false;
    }
    while (repeats * repeats * repeats < molecules) {
        repeats++;
    }
    for (size_t d = 0; d < 3; d++) {
        box->edge[d] = make_coarse(box->edge[d]);
        shift[d] = box->edge[d] * random_unit(random);
    }
    for (size_t i = 0; i < box->n; i++) {
        const size_t molecule = i / SHAPE_SIZE;
        size_t site = molecule;
        for (size_t d = 0; d < 3; d++, site /= repeats) {
            const double first =
                shift[d] + (double)(site % repeats) * box->edge[d] / (double)repeats;
            box->position[3 * i + d] =
                make_coarse(first) + side * shapes[molecule % DEGENERATE_SHAPES][i % SHAPE_SIZE][d];
        }
        box->molecule[i] = (int32_t)molecule;
        box->type[i] = box_type_of(box, 'A');
    }
    wrap_positions(box->position, box->n, box->edge, threads);
    return true;
}
