#include "workloads/constraints/constraint_molecules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void constraint_host_free(struct constraint_host *host) {
    if (host) {
        free(host->molecule);
        free(host->molecule_start);
        free(host->constraint_start);
        free(host->particle);
        free(host->slot);
        free(host->pair);
        free(host->length);
        free(host->moved);
        free(host->joint_start);
        free(host->joint);
        free(host->block_constraint);
        free(host->block_particle);
        free(host->shaped);
        free(host->lengths);
        free(host);
    }
}

static struct constraint_host *tables_allocate(size_t n, size_t count) {
    struct constraint_host *host = calloc(1, sizeof *host);
    if (!host) {
        return NULL;
    }
    host->n = n;
    host->count = count;
    host->molecule = calloc(n + 1, sizeof(int32_t));
    host->molecule_start = calloc(n + 2, sizeof(int32_t));
    host->constraint_start = calloc(n + 2, sizeof(int32_t));
    host->particle = calloc(n + 1, sizeof(int32_t));
    host->slot = calloc(n + 1, sizeof(int32_t));
    host->pair = calloc(2 * count + 1, sizeof(int32_t));
    host->length = calloc(count + 1, sizeof(double));
    host->moved = calloc(4 * n + 1, sizeof(double));
    host->joint_start = calloc(n + 2, sizeof(int32_t));
    host->joint = calloc(2 * count + 1, sizeof(int32_t));
    host->block_constraint = calloc(n + 2, sizeof(int32_t));
    host->block_particle = calloc(n + 2, sizeof(int32_t));
    host->shaped = calloc(4 * n + 1, sizeof(int32_t));
    host->lengths = calloc(4 * n + 1, sizeof(double));
    if (host->molecule && host->molecule_start && host->constraint_start && host->particle &&
        host->slot && host->pair && host->length && host->moved && host->joint_start &&
        host->joint && host->block_constraint && host->block_particle && host->shaped &&
        host->lengths) {
        return host;
    }
    constraint_host_free(host);
    return NULL;
}

/* ---- the order of molecules ---- */

/* Counts become where each begins. */
static void begin_each(int32_t *start, size_t count) {
    int32_t sum = 0;
    for (size_t k = 0; k <= count; k++) {
        const int32_t own = start[k];
        start[k] = sum;
        sum += own;
    }
}

/* Back to where each begins, after each start has been moved to its end. */
static void rewind_each(int32_t *start, size_t count) {
    for (size_t k = count; k > 0; k--) {
        start[k] = start[k - 1];
    }
    start[0] = 0;
}

static void order_molecules(const struct bonded_list *list, struct constraint_host *host) {
    host->molecules = constraints_molecules(list, host->n, host->molecule);
    for (size_t i = 0; i < host->n; i++) {
        host->molecule_start[host->molecule[i]]++;
    }
    for (size_t c = 0; c < host->count; c++) {
        host->constraint_start[host->molecule[list->atom[2 * c]]]++;
    }
    begin_each(host->molecule_start, host->molecules);
    begin_each(host->constraint_start, host->molecules);
    for (size_t i = 0; i < host->n; i++) {
        const int32_t slot = host->molecule_start[host->molecule[i]]++;
        host->particle[slot] = (int32_t)i;
        host->slot[i] = slot;
    }
    for (size_t c = 0; c < host->count; c++) {
        const size_t at = (size_t)host->constraint_start[host->molecule[list->atom[2 * c]]]++;
        memcpy(&host->pair[2 * at], &list->atom[2 * c], 2 * sizeof *host->pair);
        host->length[at] = list->parameter[c];
    }
    rewind_each(host->molecule_start, host->molecules);
    rewind_each(host->constraint_start, host->molecules);
}

static void list_joints(struct constraint_host *host) {
    for (size_t k = 0; k < 2 * host->count; k++) {
        host->joint_start[host->slot[host->pair[k]]]++;
    }
    begin_each(host->joint_start, host->n);
    for (size_t k = 0; k < 2 * host->count; k++) {
        host->joint[host->joint_start[host->slot[host->pair[k]]]++] = (int32_t)k;
    }
    rewind_each(host->joint_start, host->n);
}

/* Cuts the molecules into blocks of whole ones. A block has up to `room` constraints and twice as
 * many particles; a molecule that has more is a block by itself. */
static void cut_blocks(size_t room, struct constraint_host *host) {
    size_t constraints = 0;
    size_t particles = 0;
    for (size_t m = 0; m < host->molecules; m++) {
        const size_t own = (size_t)(host->constraint_start[m + 1] - host->constraint_start[m]);
        const size_t with = (size_t)(host->molecule_start[m + 1] - host->molecule_start[m]);
        if (particles > 0 && (constraints + own > room || particles + with > 2 * room)) {
            host->blocks++;
            host->block_constraint[host->blocks] = host->constraint_start[m];
            host->block_particle[host->blocks] = host->molecule_start[m];
            constraints = particles = 0;
        }
        constraints += own;
        particles += with;
    }
    host->blocks++;
    host->block_constraint[host->blocks] = (int32_t)host->count;
    host->block_particle[host->blocks] = (int32_t)host->n;
}

struct constraint_host *constraint_host_make(const struct box *box, const struct bonded_list *list,
                                             size_t room) {
    struct constraint_host *host = tables_allocate(box->n, list->count);
    if (!host) {
        return NULL;
    }
    for (size_t i = 0; i < box->n; i++) {
        constraints_displacement(box, i, &host->moved[4 * i]);
        host->moved[4 * i + 3] = 1 / constraints_mass(box, i);
    }
    order_molecules(list, host);
    list_joints(host);
    cut_blocks(room, host);
    return host;
}

/* ---- waters ---- */

/* The length of the constraint of two particles of a molecule; NaN where there is none. */
static double length_between(const struct constraint_host *host, size_t molecule, int32_t a,
                             int32_t b) {
    const int32_t last = host->constraint_start[molecule + 1];
    for (int32_t c = host->constraint_start[molecule]; c < last; c++) {
        const int32_t *pair = &host->pair[2 * c];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return host->length[c];
        }
    }
    return NAN;
}

/* Whether the molecule is rigid, of three particles, with the one in this slot at the tip. */
static bool is_water(struct constraint_host *host, size_t molecule, int32_t slot) {
    const int32_t first = host->molecule_start[molecule];
    const int32_t tip = host->particle[first + slot];
    const int32_t left = host->particle[first + (slot + 1) % 3];
    const int32_t right = host->particle[first + (slot + 2) % 3];
    const double leg = length_between(host, molecule, tip, left);
    const double base = length_between(host, molecule, left, right);
    if (!(leg == length_between(host, molecule, tip, right) && base < 2 * leg &&
          host->moved[4 * (size_t)left + 3] == host->moved[4 * (size_t)right + 3])) {
        return false;
    }
    memcpy(&host->shaped[4 * molecule], (const int32_t[]){ tip, left, right, -1 },
           4 * sizeof *host->shaped);
    host->lengths[4 * molecule] = leg;
    host->lengths[4 * molecule + 1] = base;
    return true;
}

bool constraint_host_find_waters(const char *variant, struct constraint_host *host,
                                 struct error *error) {
    for (size_t m = 0; m < host->molecules; m++) {
        const int32_t first = host->molecule_start[m];
        const int32_t particles = host->molecule_start[m + 1] - first;
        if (particles == 1) {
            memcpy(&host->shaped[4 * m], (const int32_t[]){ host->particle[first], -1, -1, -1 },
                   4 * sizeof *host->shaped);
        } else if (particles != 3 ||
                   !(is_water(host, m, 0) || is_water(host, m, 1) || is_water(host, m, 2))) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s takes rigid waters alone: three particles, three constraints, of which "
                        "two are equal, and two like masses; the molecule of particle %d has %d "
                        "particles and %d constraints%s",
                        variant, (int)host->particle[first] + 1, (int)particles,
                        (int)(host->constraint_start[m + 1] - host->constraint_start[m]),
                        particles == 3 ? ", but other lengths or masses" : "");
        }
    }
    return true;
}

/* ---- clusters ---- */

/* Whether all constraints of a molecule are of this particle: then the others in their order. */
static bool is_star(struct constraint_host *host, size_t molecule, int32_t centre) {
    const int32_t first = host->constraint_start[molecule];
    const int32_t last = host->constraint_start[molecule + 1];
    int32_t *star = &host->shaped[4 * molecule];
    memcpy(star, (const int32_t[]){ centre, -1, -1, -1 }, 4 * sizeof *star);
    for (int32_t c = first; c < last; c++) {
        const int32_t *pair = &host->pair[2 * c];
        if (pair[0] != centre && pair[1] != centre) {
            return false;
        }
        star[1 + c - first] = pair[0] == centre ? pair[1] : pair[0];
        host->lengths[4 * molecule + (size_t)(c - first)] = host->length[c];
    }
    return true;
}

bool constraint_host_find_stars(const char *variant, struct constraint_host *host,
                                struct error *error) {
    for (size_t m = 0; m < host->molecules; m++) {
        const int32_t first = host->constraint_start[m];
        const int32_t constraints = host->constraint_start[m + 1] - first;
        const int32_t particle = host->particle[host->molecule_start[m]];
        const int32_t *pair = &host->pair[2 * (constraints > 0 ? first : 0)];
        if (constraints > 3 ||
            !(constraints == 0 ? is_star(host, m, particle)
                               : is_star(host, m, pair[0]) || is_star(host, m, pair[1]))) {
            return fail(error, STATUS_UNSUPPORTED,
                        "%s takes clusters alone: up to three constraints from one particle to "
                        "others; the molecule of particle %d has %d constraints%s",
                        variant, (int)particle + 1, (int)constraints,
                        constraints > 3 ? "" : " that are not all of one particle");
        }
    }
    return true;
}

/* ---- the approximate inverse ---- */

enum { NEIGHBOURS = 16 };

static const double least_share = 0.02;

/* A constraint and those about it. */
struct part {
    size_t count;
    int32_t constraint_at[NEIGHBOURS];
    double matrix[NEIGHBOURS][NEIGHBOURS];
    double row[NEIGHBOURS];
};

static bool has(const struct part *part, int32_t constraint) {
    size_t k = 0;
    while (k < part->count && part->constraint_at[k] != constraint) {
        k++;
    }
    return k < part->count;
}

/* Gathers constraints by their distance in bonds from the first. */
static void gather(const struct constraint_joints *joints, int32_t constraint, struct part *part) {
    part->count = 1;
    part->constraint_at[0] = constraint;
    for (size_t at = 0; at < part->count; at++) {
        for (int which = 0; which < 2; which++) {
            const int32_t slot = joints->slot[2 * part->constraint_at[at] + which];
            for (int32_t k = joints->start[slot]; k < joints->start[slot + 1]; k++) {
                const int32_t next = joints->joint[k] / 2;
                if (part->count < NEIGHBOURS && !has(part, next)) {
                    part->constraint_at[part->count++] = next;
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
            part->matrix[a][b] = couple(joints, part->constraint_at[a], part->constraint_at[b]);
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
                inverse->column[filled] = part.constraint_at[k];
                inverse->value[filled++] = part.row[k];
            }
        }
    }
    inverse->start[joints->count] = filled;
    return true;
}
