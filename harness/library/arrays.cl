/*
 * arrays — a program's positions to those that kernels have, and results back to its arrays: of
 * float or double, three or four numbers a particle, whatever the kernels compute in.
 */

/* As wide as the device has it. */
#if HAVE_FP64
typedef double wide;
#else
typedef float wide;
#endif

/* The cell (a.x, 0, 0), (b.x, b.y, 0), (c.x, c.y, c.z). Along axes without images: between what
 * coordinates the plan serves, and how far particles are moved to get there. */
typedef struct {
    wide a_x, b_x, b_y, c_x, c_y, c_z;
    wide least_x, least_y, least_z, most_x, most_y, most_z;
    wide moved_x, moved_y, moved_z;
} frame_args;

/* What is noted of positions, in four ints: */
enum {
    NOTE_OUTSIDE, /* 1: one is out of bounds along an axis without images */
    NOTE_CROSSED, /* 1: one was taken back into the cell, where that is kept */
    NOTE_NOWHERE, /* the last call in which one was not finite, or too far away */
    NOTE_PARTICLE /* whose it was */
};
/* Farther away there is no particle: an int counts the cells to it, and differences of two. */
#define MOST_CELLS 1073741824.0f

/* Whether the square of a coordinate, and so a distance, is finite. */
DEVICE int is_near(real x)
{
    return isfinite(x * x);
}

/* Along vectors with images (of `images` a bit each) into the cell, as the host wraps boxes. Where
 * `keeps`, crossing says by how many of each vector a particle was taken back. A particle that is
 * nowhere stays where it was: kernels are not to see it. */
DEVICE real4 framed(wide x, wide y, wide z, real4 old, int images, frame_args frame,
                    GLOBAL int *notes, int call, int particle, int keeps, GLOBAL int *crossing)
{
    int nowhere = 0;
    if (images) {
        const wide along_c = z / frame.c_z;
        const wide along_b = (y - frame.c_y * along_c) / frame.b_y;
        const wide along_a = (x - frame.b_x * along_b - frame.c_x * along_c) / frame.a_x;
        const wide c = images & 4 ? floor(along_c) : 0;
        const wide b = images & 2 ? floor(along_b) : 0;
        const wide a = images & 1 ? floor(along_a) : 0;
        x = x - c * frame.c_x - b * frame.b_x - a * frame.a_x;
        y = y - c * frame.c_y - b * frame.b_y;
        z = z - c * frame.c_z;
        nowhere = !(fabs(a) < MOST_CELLS && fabs(b) < MOST_CELLS && fabs(c) < MOST_CELLS);
        if (keeps && !nowhere) {
            crossing[0] = (int)a;
            crossing[1] = (int)b;
            crossing[2] = (int)c;
            if (a != 0 || b != 0 || c != 0) {
                notes[NOTE_CROSSED] = 1;
            }
        }
    }
    x += frame.moved_x;
    y += frame.moved_y;
    z += frame.moved_z;
    if (nowhere || !is_near((real)x) || !is_near((real)y) || !is_near((real)z)) {
        notes[NOTE_NOWHERE] = call;
        notes[NOTE_PARTICLE] = particle;
        return old;
    }
    old.x = (real)x;
    old.y = (real)y;
    old.z = (real)z;
    if (images != 7 && (old.x < frame.least_x || old.x > frame.most_x || old.y < frame.least_y ||
                        old.y > frame.most_y || old.z < frame.least_z || old.z > frame.most_z)) {
        notes[NOTE_OUTSIDE] = 1;
    }
    return old;
}

/* A result, or NaN where a particle was nowhere. */
#define GIVEN(number, result)                                                                      \
    (notes[NOTE_NOWHERE] == call ? (number)0 / (number)0 : (number)(result))

#define FOR_NUMBER(number, take_positions, give_vectors, give_members, give_sums, spoil)           \
    /* Of n particles or, where there is an index, n members of a group. */                        \
    KERNEL void take_positions(                                                                    \
        int n, int width, int images, frame_args frame, GLOBAL const number *RESTRICT from,        \
        GLOBAL real4 *RESTRICT position, GLOBAL int *notes, int call, int keeps,                   \
        GLOBAL int *crossing, int is_group, GLOBAL const int *RESTRICT index)                      \
    {                                                                                              \
        const int m = GLOBAL_ID;                                                                   \
        if (m < n) {                                                                               \
            const int i = is_group ? index[m] : m;                                                 \
            position[m] =                                                                          \
                framed(from[width * i], from[width * i + 1], from[width * i + 2], position[m],     \
                       images, frame, notes, call, i, keeps, crossing + (keeps ? 3 * i : 0));      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    KERNEL void give_vectors(int n, int width, int sign, GLOBAL const int *RESTRICT notes,         \
                             int call, GLOBAL const accum4 *RESTRICT result,                       \
                             GLOBAL number *RESTRICT to)                                           \
    {                                                                                              \
        const int i = GLOBAL_ID;                                                                   \
        if (i < n) {                                                                               \
            const accum4 vector = result[i];                                                       \
            to[width * i] = GIVEN(number, (accum)sign * vector.x);                                 \
            to[width * i + 1] = GIVEN(number, (accum)sign * vector.y);                             \
            to[width * i + 2] = GIVEN(number, (accum)sign * vector.z);                             \
            if (width == 4) {                                                                      \
                to[width * i + 3] = 0;                                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Of each particle, the sum over its places in two groups, n_a of the first. */               \
    KERNEL void give_members(int n, int width, int sign, int n_a,                                  \
                             GLOBAL const int *RESTRICT notes, int call,                           \
                             GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT place,   \
                             GLOBAL const accum4 *RESTRICT a, GLOBAL const accum4 *RESTRICT b,     \
                             GLOBAL number *RESTRICT to)                                           \
    {                                                                                              \
        const int i = GLOBAL_ID;                                                                   \
        if (i < n) {                                                                               \
            wide x = 0;                                                                            \
            wide y = 0;                                                                            \
            wide z = 0;                                                                            \
            for (int k = begin[i]; k < begin[i + 1]; k++) {                                        \
                const accum4 vector = place[k] < n_a ? a[place[k]] : b[place[k] - n_a];            \
                x += (accum)sign * vector.x;                                                       \
                y += (accum)sign * vector.y;                                                       \
                z += (accum)sign * vector.z;                                                       \
            }                                                                                      \
            to[width * i] = GIVEN(number, x);                                                      \
            to[width * i + 1] = GIVEN(number, y);                                                  \
            to[width * i + 2] = GIVEN(number, z);                                                  \
            if (width == 4) {                                                                      \
                to[width * i + 3] = 0;                                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* The energy is the first sum, and the last where Coulomb's comes apart; then xx xy xz yy yz  \
     * zz. */                                                                                      \
    KERNEL void give_sums(int count, int apart, int wants_energy, int wants_virial,                \
                          GLOBAL const int *RESTRICT notes, int call,                              \
                          GLOBAL const wide *RESTRICT total, GLOBAL number *RESTRICT energy,       \
                          GLOBAL number *RESTRICT virial)                                          \
    {                                                                                              \
        if (GLOBAL_ID == 0 && wants_energy) {                                                      \
            energy[0] = GIVEN(number, apart ? total[0] + total[count - 1] : total[0]);             \
        }                                                                                          \
        if (GLOBAL_ID == 0 && wants_virial) {                                                      \
            virial[0] = GIVEN(number, total[1]);                                                   \
            virial[1] = virial[3] = GIVEN(number, total[2]);                                       \
            virial[2] = virial[6] = GIVEN(number, total[3]);                                       \
            virial[4] = GIVEN(number, total[4]);                                                   \
            virial[5] = virial[7] = GIVEN(number, total[5]);                                       \
            virial[8] = GIVEN(number, total[6]);                                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Vectors that kernels wrote themselves, where a particle was nowhere. */                     \
    KERNEL void spoil(int numbers, GLOBAL const int *RESTRICT notes, int call, GLOBAL number *to)  \
    {                                                                                              \
        for (int k = GLOBAL_ID; notes[NOTE_NOWHERE] == call && k < numbers; k += GLOBAL_SIZE) {    \
            to[k] = GIVEN(number, 0);                                                              \
        }                                                                                          \
    }

FOR_NUMBER(float, take_positions_float, give_vectors_float, give_members_float, give_sums_float,
           spoil_float)
#if HAVE_FP64
FOR_NUMBER(double, take_positions_double, give_vectors_double, give_members_double,
           give_sums_double, spoil_double)
#endif

/* The sums of one pass more. */
KERNEL void add_sums(int count, int is_first, GLOBAL const accum *RESTRICT sums,
                     GLOBAL wide *RESTRICT total)
{
    const int s = GLOBAL_ID;
    if (s < count) {
        total[s] = (is_first ? 0 : total[s]) + sums[s];
    }
}

/* ---- lists of neighbours ---- */

/* From images of particles in the cell to those of particles where the program has them: r_j + S .
 * cell - r_i stays. Of rows of a matrix (form 0) or one after the other (1), 32 work-items a row;
 * or of entries that say whose they are (2). */
DEVICE void move_shifts(int form, int n, int room, GLOBAL const int *RESTRICT crossing,
                        GLOBAL const int *RESTRICT count, GLOBAL const int *RESTRICT row_begin,
                        GLOBAL const int *RESTRICT first, GLOBAL const int *RESTRICT entries,
                        GLOBAL const int *RESTRICT neighbours, GLOBAL int *RESTRICT shifts)
{
    const int rows = form == 2 ? 1 : n;
    const int lanes = form == 2 ? GLOBAL_SIZE : 32;
    for (int row = GLOBAL_ID / lanes; row < rows; row += GLOBAL_SIZE / lanes) {
        const long64 begin = form == 0 ? (long64)row * room : form == 1 ? row_begin[row] : 0;
        const long64 end = begin + (form == 2 ? entries[0] : count[row]);
        const long64 stop = form == 0 ? begin + room : room;
        for (long64 e = begin + GLOBAL_ID % lanes; e < end && e < stop; e += lanes) {
            const int i = form == 2 ? first[e] : row;
            for (int d = 0; d < 3; d++) {
                shifts[3 * e + d] += crossing[3 * i + d] - crossing[3 * neighbours[e] + d];
            }
        }
    }
}

/* Where a particle was nowhere, -1 for every number of entries. */
KERNEL void finish_list(int form, int n, int room, GLOBAL const int *RESTRICT notes, int call,
                        GLOBAL const int *RESTRICT crossing, GLOBAL int *RESTRICT count,
                        GLOBAL int *RESTRICT row_begin, GLOBAL const int *RESTRICT first,
                        GLOBAL int *RESTRICT entries, GLOBAL const int *RESTRICT neighbours,
                        GLOBAL int *RESTRICT shifts)
{
    if (notes[NOTE_NOWHERE] != call) {
        if (notes[NOTE_CROSSED]) {
            move_shifts(form, n, room, crossing, count, row_begin, first, entries, neighbours,
                        shifts);
        }
        return;
    }
    for (int i = GLOBAL_ID; i <= n; i += GLOBAL_SIZE) {
        if (form != 2 && i < n) {
            count[i] = -1;
        }
        if (form == 1) {
            row_begin[i] = -1;
        }
        if (i == 0) {
            entries[0] = -1;
        }
    }
}
