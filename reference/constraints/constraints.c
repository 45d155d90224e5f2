#include "reference/constraints/constraints.h"

#include "reference/bonded/nearest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 60, MAX_EXACT = 64 };

static const long double converged = LDBL_EPSILON < 1e-18L ? 1e-17L : 16 * LDBL_EPSILON;
static const long double least_pivot = 1e-9L; /* relative to what stood there before */

/* ---- who is joined to whom ---- */

/* Constraints of each particle, and the walk over all of them: molecule by molecule, of each from
 * one of its ends. */
struct joints {
    size_t n, count;
    size_t *start;      /* n + 1 */
    size_t *constraint; /* 2 count: constraints of particle i from start[i] on */
    size_t *order;      /* count: which constraint is at a place of the walk */
    size_t *place;      /* count: the place of each */
    size_t *from;       /* count: by which particle the walk came to a constraint */
    uint8_t *marked;    /* count */
};

static void joints_free(struct joints *joints) {
    free(joints->start);
    free(joints->constraint);
    free(joints->order);
    free(joints->place);
    free(joints->from);
    free(joints->marked);
}

static size_t end_of(const struct bonded_list *list, size_t c, int which) {
    return (size_t)list->atom[2 * c + (size_t)which];
}

static bool joints_allocate(const struct constrained *asked, struct joints *joints,
                            struct error *error) {
    const size_t count = asked->list->count;
    *joints = (struct joints){ .n = asked->box->n, .count = count };
    joints->start = calloc(joints->n + 2, sizeof *joints->start);
    joints->constraint = malloc((2 * count + 1) * sizeof *joints->constraint);
    joints->order = malloc((count + 1) * sizeof *joints->order);
    joints->place = malloc((count + 1) * sizeof *joints->place);
    joints->from = malloc((count + 1) * sizeof *joints->from);
    joints->marked = calloc(count + 1, sizeof *joints->marked);
    return joints->start && joints->constraint && joints->order && joints->place && joints->from &&
                   joints->marked
               ? true
               : fail_out_of_memory(error, "the reference");
}

static void list_joints(const struct bonded_list *list, struct joints *joints) {
    for (size_t k = 0; k < 2 * joints->count; k++) {
        joints->start[(size_t)list->atom[k] + 2]++;
    }
    for (size_t i = 2; i < joints->n + 2; i++) {
        joints->start[i] += joints->start[i - 1];
    }
    for (size_t k = 0; k < 2 * joints->count; k++) {
        joints->constraint[joints->start[(size_t)list->atom[k] + 1]++] = k / 2;
    }
}

/* Marks the constraints that are reached from one, by distance, and puts them into order[first...].
 * Returns where they end. */
static size_t walk(const struct bonded_list *list, struct joints *joints, size_t begin,
                   size_t first, uint8_t mark) {
    size_t end = first;
    joints->order[end++] = begin;
    joints->marked[begin] = mark;
    joints->from[begin] = end_of(list, begin, 0);
    for (size_t at = first; at < end; at++) {
        const size_t c = joints->order[at];
        for (int which = 0; which < 2; which++) {
            const size_t i = end_of(list, c, which);
            for (size_t k = joints->start[i]; k < joints->start[i + 1]; k++) {
                const size_t next = joints->constraint[k];
                if (joints->marked[next] != mark) {
                    joints->marked[next] = mark;
                    joints->from[next] = i;
                    joints->order[end++] = next;
                }
            }
        }
    }
    return end;
}

/* From any constraint to one that is farthest from it, and from there over the molecule. Returns
 * where its constraints end in the order. */
static size_t walk_molecule(const struct bonded_list *list, struct joints *joints, size_t any,
                            size_t first) {
    const size_t end = walk(list, joints, any, first, 1);
    (void)walk(list, joints, joints->order[end - 1], first, 2);
    for (size_t at = first; at < end; at++) {
        joints->place[joints->order[at]] = at;
    }
    return end;
}

/* ---- one molecule ---- */

struct solving {
    const struct constrained *asked;
    struct joints joints;
    size_t first, end;      /* its constraints in the order of the walk */
    size_t band;            /* places to either side of the diagonal */
    long double *vector;    /* 3 per constraint of the list: r_i - r_j before the step */
    long double *behind;    /* 3 likewise: s, now */
    long double *corrected; /* 3n */
    long double *multiplier;
    long double *rest;   /* per constraint at its place of the walk: what is to be solved for */
    long double *matrix; /* (2 band + 1) per constraint of the molecule */
    size_t matrix_room;
    double length; /* nearest_length() */
};

static const long double *vector_of(const struct solving *solving, size_t c) {
    return solving->vector + 3 * c;
}

static long double dot(const long double *a, const long double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static long double size_of(const long double *a) {
    return sqrtl(dot(a, a));
}

static long double mass_of(const struct solving *solving, size_t i) {
    return solving->asked->mass[i];
}

/* Element of the matrix: row and column are places of the walk. */
static long double *element(const struct solving *solving, size_t row, size_t column) {
    const size_t width = 2 * solving->band + 1;
    return &solving->matrix[(row - solving->first) * width + column + solving->band - row];
}

static bool make_room(struct solving *solving, struct error *error) {
    const struct joints *joints = &solving->joints;
    const struct bonded_list *list = solving->asked->list;
    solving->band = 0;
    for (size_t at = solving->first; at < solving->end; at++) {
        for (int which = 0; which < 2; which++) {
            const size_t i = end_of(list, joints->order[at], which);
            for (size_t k = joints->start[i]; k < joints->start[i + 1]; k++) {
                const size_t other = joints->place[joints->constraint[k]];
                const size_t apart = other > at ? other - at : at - other;
                solving->band = apart > solving->band ? apart : solving->band;
            }
        }
    }
    const size_t room = (solving->end - solving->first) * (2 * solving->band + 1);
    if (room > solving->matrix_room) {
        free(solving->matrix);
        solving->matrix = malloc(room * sizeof *solving->matrix);
        solving->matrix_room = solving->matrix ? room : 0;
    }
    return solving->matrix ? true : fail_out_of_memory(error, "the reference");
}

/* The vector after the step, and what is wanted of it: a change of s^2 / 2, or of r v. Returns how
 * far it is off, relative to the square of the length. */
static long double find_rest(struct solving *solving, size_t at) {
    const struct constrained *asked = solving->asked;
    const size_t c = solving->joints.order[at];
    const long double *i = solving->corrected + 3 * end_of(asked->list, c, 0);
    const long double *j = solving->corrected + 3 * end_of(asked->list, c, 1);
    const long double *r = vector_of(solving, c);
    const long double wanted = asked->list->parameter[c];
    long double *s = solving->behind + 3 * c;
    if (asked->velocities) {
        memcpy(s, r, 3 * sizeof *s);
        solving->rest[at] = -(r[0] * (i[0] - j[0]) + r[1] * (i[1] - j[1]) + r[2] * (i[2] - j[2]));
        return fabsl(solving->rest[at]) / dot(r, r);
    }
    for (size_t d = 0; d < 3; d++) {
        s[d] = r[d] + i[d] - j[d];
    }
    solving->rest[at] = (wanted * wanted - dot(s, s)) / 2;
    return fabsl(solving->rest[at]) / (wanted * wanted);
}

/* d(s_c^2 / 2) / dg of every constraint that shares a particle with that at a place. */
static void fill_row(struct solving *solving, size_t at) {
    const struct joints *joints = &solving->joints;
    const struct bonded_list *list = solving->asked->list;
    const size_t c = joints->order[at];
    for (int which = 0; which < 2; which++) {
        const size_t i = end_of(list, c, which);
        for (size_t k = joints->start[i]; k < joints->start[i + 1]; k++) {
            const size_t other = joints->constraint[k];
            const bool same_end = end_of(list, other, which) == i;
            const long double sign = same_end ? 1 : -1;
            *element(solving, at, joints->place[other]) +=
                sign * dot(solving->behind + 3 * c, vector_of(solving, other)) /
                mass_of(solving, i);
        }
    }
}

static void fill_matrix(struct solving *solving) {
    const size_t width = 2 * solving->band + 1;
    const size_t rows = solving->end - solving->first;
    for (size_t k = 0; k < rows * width; k++) {
        solving->matrix[k] = 0;
    }
    for (size_t at = solving->first; at < solving->end; at++) {
        fill_row(solving, at);
    }
}

/* LU decomposition in place, without pivoting: the matrix that couples the multipliers of a
 * molecule is close to a positive definite one. Returns the place where a pivot vanishes, else the
 * end. */
static size_t decompose(struct solving *solving) {
    const size_t band = solving->band;
    for (size_t k = solving->first; k < solving->end; k++) {
        const size_t stop = k + band + 1 < solving->end ? k + band + 1 : solving->end;
        const long double pivot = *element(solving, k, k);
        const size_t c = solving->joints.order[k];
        const struct bonded_list *list = solving->asked->list;
        const long double before =
            fabsl(dot(solving->behind + 3 * c, vector_of(solving, c))) *
            (1 / mass_of(solving, end_of(list, c, 0)) + 1 / mass_of(solving, end_of(list, c, 1)));
        if (!(fabsl(pivot) > least_pivot * before)) {
            return k;
        }
        for (size_t row = k + 1; row < stop; row++) {
            const long double factor = *element(solving, row, k) / pivot;
            *element(solving, row, k) = factor;
            for (size_t column = k + 1; factor != 0 && column < stop; column++) {
                *element(solving, row, column) -= factor * *element(solving, k, column);
            }
        }
    }
    return solving->end;
}

/* Solves by the factors, in place; `numbers` begins at the molecule's first place of the walk. */
static void solve(const struct solving *solving, long double *numbers) {
    const size_t rows = solving->end - solving->first;
    const size_t band = solving->band;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = row > band ? row - band : 0; column < row; column++) {
            numbers[row] -=
                *element(solving, solving->first + row, solving->first + column) * numbers[column];
        }
    }
    for (size_t row = rows; row-- > 0;) {
        for (size_t column = row + 1; column < rows && column <= row + band; column++) {
            numbers[row] -=
                *element(solving, solving->first + row, solving->first + column) * numbers[column];
        }
        numbers[row] /= *element(solving, solving->first + row, solving->first + row);
    }
}

static void apply(struct solving *solving, size_t at) {
    const struct bonded_list *list = solving->asked->list;
    const size_t c = solving->joints.order[at];
    const long double *r = vector_of(solving, c);
    const long double g = solving->rest[at];
    solving->multiplier[c] += g;
    for (int which = 0; which < 2; which++) {
        const size_t i = end_of(list, c, which);
        const long double share = (which == 0 ? g : -g) / mass_of(solving, i);
        for (size_t d = 0; d < 3; d++) {
            solving->corrected[3 * i + d] += share * r[d];
        }
    }
}

static bool refuse(const struct solving *solving, size_t at, const char *reason,
                   struct error *error) {
    const struct bonded_list *list = solving->asked->list;
    const size_t c = solving->joints.order[at < solving->end ? at : solving->first];
    return fail(error, STATUS_BAD_INPUT, "%s:%d: particles %zu and %zu: %s",
                list->path ? list->path : "constraints",
                list->line ? (int)list->line[c] : (int)c + 1, end_of(list, c, 0) + 1,
                end_of(list, c, 1) + 1, reason);
}

static bool solve_molecule(struct solving *solving, struct error *error) {
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        long double worst = 0;
        for (size_t at = solving->first; at < solving->end; at++) {
            const long double off = find_rest(solving, at);
            worst = off > worst || isnan(off) ? off : worst;
        }
        fill_matrix(solving);
        const size_t lost = decompose(solving);
        if (lost < solving->end) {
            return refuse(solving, lost,
                          "the constraint depends on others of its molecule, or the displacements "
                          "have turned it over",
                          error);
        }
        if (worst <= converged || (solving->asked->velocities && iteration > 1)) {
            return true;
        }
        solve(solving, solving->rest + solving->first);
        for (size_t at = solving->first; at < solving->end; at++) {
            apply(solving, at);
        }
    }
    return refuse(solving, solving->end,
                  "no solution was found: the displacements are too large for the constraints",
                  error);
}

/* ---- how far off a result may be ---- */

static long double difference_of(const struct solving *solving, size_t c,
                                 const long double *vectors) {
    long double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = vectors[3 * end_of(solving->asked->list, c, 0) + k] -
               vectors[3 * end_of(solving->asked->list, c, 1) + k];
    }
    return size_of(d);
}

/* The error of a vector between two positions. */
static long double blur_of(const struct solving *solving) {
    return 4 * (long double)solving->asked->unit * solving->length;
}

/* How far s^2 / 2, or r v, may be from what is wanted. */
static long double allowed_rest(const struct solving *solving, size_t at) {
    const struct constrained *asked = solving->asked;
    const size_t c = solving->joints.order[at];
    const long double r = size_of(vector_of(solving, c));
    const long double moved = difference_of(solving, c, solving->corrected);
    const long double wanted = asked->list->parameter[c];
    if (asked->velocities) {
        return asked->tolerance * r * r + moved * (blur_of(solving) + 8 * asked->unit * r);
    }
    return asked->tolerance * wanted * wanted +
           wanted * (blur_of(solving) + 8 * asked->unit * (moved + wanted));
}

static bool bound_by_comparison(struct solving *solving, long double *bound) {
    const size_t rows = solving->end - solving->first;
    fill_matrix(solving);
    for (size_t row = 0; row < rows; row++) {
        for (size_t k = 0; k < 2 * solving->band + 1; k++) {
            long double *entry = &solving->matrix[row * (2 * solving->band + 1) + k];
            *entry = k == solving->band ? fabsl(*entry) : -fabsl(*entry);
        }
        bound[row] = allowed_rest(solving, solving->first + row);
    }
    if (decompose(solving) < solving->end) {
        return false;
    }
    solve(solving, bound);
    for (size_t row = 0; row < rows; row++) {
        if (!(bound[row] > 0)) {
            return false;
        }
    }
    return true;
}

static void bound_exactly(struct solving *solving, long double *bound, long double *column) {
    const size_t rows = solving->end - solving->first;
    fill_matrix(solving);
    (void)decompose(solving); /* which it could be at the end of solve_molecule() */
    for (size_t row = 0; row < rows; row++) {
        bound[row] = 0;
    }
    for (size_t c = 0; c < rows; c++) {
        for (size_t row = 0; row < rows; row++) {
            column[row] = 0;
        }
        column[c] = allowed_rest(solving, solving->first + c);
        solve(solving, column);
        for (size_t row = 0; row < rows; row++) {
            bound[row] += fabsl(column[row]);
        }
    }
}

/* Adds what the multipliers may be off by to the bound of each particle. */
static bool bound_molecule(struct solving *solving, double *allowed, struct error *error) {
    const size_t rows = solving->end - solving->first;
    const struct constrained *asked = solving->asked;
    long double *bound = calloc(2 * rows, sizeof *bound);
    if (!bound) {
        return fail_out_of_memory(error, "the reference");
    }
    if (rows <= MAX_EXACT || !bound_by_comparison(solving, bound)) {
        bound_exactly(solving, bound, bound + rows);
    }
    for (size_t row = 0; row < rows; row++) {
        const size_t c = solving->joints.order[solving->first + row];
        const long double r = size_of(vector_of(solving, c));
        const long double turned =
            fabsl(solving->multiplier[c]) * (16 * asked->unit + 4 * blur_of(solving) / r);
        for (int which = 0; which < 2; which++) {
            const size_t i = end_of(asked->list, c, which);
            allowed[i] += (double)((bound[row] + turned) * r / mass_of(solving, i));
        }
    }
    free(bound);
    return true;
}

/* ---- the whole ---- */

static void solving_free(struct solving *solving) {
    joints_free(&solving->joints);
    free(solving->vector);
    free(solving->behind);
    free(solving->corrected);
    free(solving->multiplier);
    free(solving->rest);
    free(solving->matrix);
}

static bool solving_begin(const struct constrained *asked, struct solving *solving,
                          struct error *error) {
    const size_t count = asked->list->count;
    *solving = (struct solving){ .asked = asked, .length = nearest_length(asked->box) };
    if (!joints_allocate(asked, &solving->joints, error)) {
        return false;
    }
    solving->vector = malloc((3 * count + 1) * sizeof *solving->vector);
    solving->behind = malloc((3 * count + 1) * sizeof *solving->behind);
    solving->corrected = malloc((3 * asked->box->n + 1) * sizeof *solving->corrected);
    solving->multiplier = calloc(count + 1, sizeof *solving->multiplier);
    solving->rest = calloc(count + 1, sizeof *solving->rest);
    if (!solving->vector || !solving->behind || !solving->corrected || !solving->multiplier ||
        !solving->rest) {
        return fail_out_of_memory(error, "the reference");
    }
    list_joints(asked->list, &solving->joints);
    for (size_t c = 0; c < count; c++) {
        nearest_step(asked->box, end_of(asked->list, c, 1), end_of(asked->list, c, 0),
                     solving->vector + 3 * c);
    }
    for (size_t k = 0; k < 3 * asked->box->n; k++) {
        solving->corrected[k] = asked->given[k];
    }
    return true;
}

static bool begin_reference(const struct constrained *asked, struct reference *reference,
                            struct error *error) {
    const size_t n = asked->box->n;
    *reference = (struct reference){ .n = n,
                                     .cutoff = INFINITY,
                                     .length_scale = nearest_length(asked->box),
                                     .pairs_in_cutoff = asked->list->count };
    reference->force = calloc(3 * n, sizeof *reference->force);
    reference->scale = calloc(n, sizeof *reference->scale);
    reference->slope = calloc(n, sizeof *reference->slope);
    reference->neighbours = calloc(n, sizeof *reference->neighbours);
    reference->motion.displacement_error = calloc(n, sizeof *reference->scale);
    if (!reference->force || !reference->scale || !reference->slope || !reference->neighbours ||
        !reference->motion.displacement_error) {
        reference_free(reference);
        return fail_out_of_memory(error, "the reference");
    }
    return true;
}

static void fill_reference(const struct solving *solving, struct reference *reference) {
    const struct constrained *asked = solving->asked;
    for (size_t i = 0; i < reference->n; i++) {
        double largest = 0;
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            reference->force[k] = (double)solving->corrected[k];
            largest = fmax(largest, fabs(asked->given[k]) + fabs(reference->force[k]));
        }
        reference->neighbours[i] =
            (uint32_t)(solving->joints.start[i + 1] - solving->joints.start[i]);
        reference->motion.displacement_error[i] += 8 * asked->unit * largest;
    }
}

static bool solve_all(struct solving *solving, double *allowed, struct error *error) {
    bool solved = true;
    for (size_t c = 0; solved && c < solving->joints.count; c++) {
        if (solving->joints.marked[c] == 0) {
            solving->end = walk_molecule(solving->asked->list, &solving->joints, c, solving->first);
            solved = make_room(solving, error) && solve_molecule(solving, error) &&
                     bound_molecule(solving, allowed, error);
            solving->first = solving->end;
        }
    }
    return solved;
}

bool reference_constraints(const struct constrained *asked, struct reference *reference,
                           double *multiplier, struct error *error) {
    struct solving solving;
    if (!begin_reference(asked, reference, error)) {
        return false;
    }
    const bool solved = solving_begin(asked, &solving, error) &&
                        solve_all(&solving, reference->motion.displacement_error, error);
    if (solved) {
        fill_reference(&solving, reference);
    } else {
        reference_free(reference);
    }
    for (size_t c = 0; solved && multiplier && c < asked->list->count; c++) {
        multiplier[c] = (double)solving.multiplier[c];
    }
    solving_free(&solving);
    return solved;
}

/* ---- what a result leaves to be desired ---- */

static void take_fault(struct constraint_fault *fault, size_t place, long double error,
                       long double allowed) {
    const bool worse =
        isnan((double)error) || (double)error * fault->allowed > fault->error * (double)allowed;
    if (worse && !isnan(fault->error)) {
        *fault = (struct constraint_fault){ place, (double)error, (double)allowed };
    }
}

static void check_length(const struct solving *solving, size_t c,
                         struct constraint_faults *faults) {
    const struct constrained *asked = solving->asked;
    const long double *i = solving->corrected + 3 * end_of(asked->list, c, 0);
    const long double *j = solving->corrected + 3 * end_of(asked->list, c, 1);
    const long double *r = vector_of(solving, c);
    const long double moved = difference_of(solving, c, solving->corrected);
    const long double wanted = asked->velocities ? size_of(r) : asked->list->parameter[c];
    const long double d[3] = { i[0] - j[0], i[1] - j[1], i[2] - j[2] };
    const long double s[3] = { r[0] + d[0], r[1] + d[1], r[2] + d[2] };
    const long double error = asked->velocities ? fabsl(dot(r, d)) / (wanted * wanted)
                                                : fabsl(size_of(s) - wanted) / wanted;
    const long double blur =
        asked->velocities
            ? moved * (blur_of(solving) + 8 * asked->unit * wanted) / (wanted * wanted)
            : (blur_of(solving) + 8 * asked->unit * (moved + wanted)) / wanted;
    const long double allowed = asked->tolerance + blur;
    faults->violated += !(error <= allowed);
    take_fault(&faults->length, c, error, allowed);
}

/* Of a molecule: sums over its particles, the sizes of their terms beside them. */
struct momenta {
    long double linear[3], angular[3];
    long double linear_size, angular_size, change_size;
};

static void add_particle(const struct solving *solving, size_t i, const long double *at,
                         struct momenta *momenta) {
    const long double m = mass_of(solving, i);
    const double *given = solving->asked->given + 3 * i;
    const long double *got = solving->corrected + 3 * i;
    long double change[3];
    long double size = 0;
    for (int d = 0; d < 3; d++) {
        change[d] = m * (got[d] - given[d]);
        size += m * (fabsl(got[d]) + fabsl(given[d]));
        momenta->linear[d] += change[d];
    }
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        momenta->angular[d] += at[e] * change[f] - at[f] * change[e];
    }
    momenta->linear_size += size;
    momenta->angular_size += size * size_of(at);
    momenta->change_size += size_of(change);
}

/* The walk tells where the particles lie: `at` has 3 numbers per particle, and of the first is 0.
 */
static void check_momenta(const struct solving *solving, long double *at, uint8_t *met,
                          struct constraint_faults *faults) {
    const struct joints *joints = &solving->joints;
    const struct bonded_list *list = solving->asked->list;
    const size_t origin = joints->from[joints->order[solving->first]];
    const long double unit = 64 * (long double)solving->asked->unit;
    struct momenta momenta = { .linear_size = 0 };
    memset(at + 3 * origin, 0, 3 * sizeof *at);
    met[origin] = 1;
    add_particle(solving, origin, at + 3 * origin, &momenta);
    for (size_t k = solving->first; k < solving->end; k++) {
        const size_t c = joints->order[k];
        const int which = end_of(list, c, 0) == joints->from[c] ? 1 : 0;
        const size_t i = end_of(list, c, which);
        const long double sign = which == 0 ? 1 : -1;
        if (met[i]) {
            continue;
        }
        for (size_t d = 0; d < 3; d++) {
            at[3 * i + d] = at[3 * joints->from[c] + d] + sign * vector_of(solving, c)[d];
        }
        met[i] = 1;
        add_particle(solving, i, at + 3 * i, &momenta);
    }
    take_fault(&faults->momentum, origin, size_of(momenta.linear), unit * momenta.linear_size);
    take_fault(&faults->angular, origin, size_of(momenta.angular),
               unit * momenta.angular_size + blur_of(solving) * momenta.change_size);
}

bool reference_constraint_faults(const struct constrained *asked, const double *got,
                                 struct constraint_faults *faults, struct error *error) {
    const size_t n = asked->box->n;
    struct solving solving;
    long double *at = malloc((3 * n + 1) * sizeof *at);
    uint8_t *met = calloc(n + 1, sizeof *met);
    *faults = (struct constraint_faults){ .length.allowed = 1,
                                          .momentum.allowed = 1,
                                          .angular.allowed = 1 };
    const bool begun = solving_begin(asked, &solving, error) &&
                       (at && met ? true : fail_out_of_memory(error, "the constraints"));
    for (size_t k = 0; begun && k < 3 * n; k++) {
        solving.corrected[k] = got[k];
    }
    for (size_t c = 0; begun && c < solving.joints.count; c++) {
        check_length(&solving, c, faults);
        if (solving.joints.marked[c] == 0) {
            solving.end = walk_molecule(asked->list, &solving.joints, c, solving.first);
            check_momenta(&solving, at, met, faults);
            solving.first = solving.end;
        }
    }
    solving_free(&solving);
    free(at);
    free(met);
    return begun;
}
