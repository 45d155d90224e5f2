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

/* From the program's coordinates to those of the kernels' cell, where `rotates` is not 0: rows of an
 * orthogonal matrix. */
typedef struct {
    wide xx, xy, xz, yx, yy, yz, zx, zy, zz, rotates;
} rotation_args;

/* Of n particles so many copies side by side along each vector: particle p is copy p / n of p % n.
 */
typedef struct {
    int n, a, b, c;
} copies_args;

/* What is noted of positions, in ints: the last call in which */
enum {
    NOTE_OUTSIDE,  /* one was out of bounds along an axis without images */
    NOTE_CROSSED,  /* one was taken back into the cell, where that is kept */
    NOTE_NOWHERE,  /* one was not finite, or too far away, */
    NOTE_PARTICLE, /* and whose it was */
    NOTE_MOVED,    /* one was too far from where it was when what is kept was built */
    NOTE_CELL,     /* the cell was another than was expected */
    NOTE_ENTRIES,  /* not that, but how many entries a list has, */
    NOTE_LISTED    /* that of the last call */
};

/* Whether that is looked for; whether places that were kept have an index; and how far, squared. */
typedef struct {
    int asks, by_index;
    wide limit2;
} moved_args;

/* Also written to host memory, but at most once each, since that memory is far. */
DEVICE void note_and_tell(int note, int value, GLOBAL int *notes, GLOBAL int *told)
{
    if (notes[note] != value) {
        notes[note] = value;
        told[note] = value;
    }
}
/* Both in one store: who sees the call sees the number. */
DEVICE void tell_entries(int entries, int call, GLOBAL int *told)
{
    ((GLOBAL long64 *)told)[NOTE_ENTRIES / 2] = (long64)call << 32 | (long64)(uint)entries;
}

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
                    GLOBAL int *notes, GLOBAL int *told, int call, int particle, int keeps,
                    GLOBAL int *crossing)
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
                notes[NOTE_CROSSED] = call;
            }
        }
    }
    x += frame.moved_x;
    y += frame.moved_y;
    z += frame.moved_z;
    if (nowhere || !is_near((real)x) || !is_near((real)y) || !is_near((real)z)) {
        note_and_tell(NOTE_PARTICLE, particle, notes, told);
        note_and_tell(NOTE_NOWHERE, call, notes, told);
        return old;
    }
    old.x = (real)x;
    old.y = (real)y;
    old.z = (real)z;
    if (images != 7 && (old.x < frame.least_x || old.x > frame.most_x || old.y < frame.least_y ||
                        old.y > frame.most_y || old.z < frame.least_z || old.z > frame.most_z)) {
        note_and_tell(NOTE_OUTSIDE, call, notes, told);
    }
    return old;
}

/* The square of how far a is from b, at its nearest image along vectors that have images. */
DEVICE wide far2(real4 a, real4 b, int images, frame_args frame)
{
    wide x = (wide)a.x - b.x;
    wide y = (wide)a.y - b.y;
    wide z = (wide)a.z - b.z;
    if (images) {
        const wide along_c = images & 4 ? floor(z / frame.c_z + (wide)0.5) : 0;
        x -= along_c * frame.c_x;
        y -= along_c * frame.c_y;
        z -= along_c * frame.c_z;
        const wide along_b = images & 2 ? floor(y / frame.b_y + (wide)0.5) : 0;
        x -= along_b * frame.b_x;
        y -= along_b * frame.b_y;
        x -= images & 1 ? floor(x / frame.a_x + (wide)0.5) * frame.a_x : 0;
    }
    return x * x + y * y + z * z;
}

/* The place of a copy, in the frame of all copies: from that of the particle itself. */
DEVICE wide moved_by(int copy, copies_args copies, wide a, wide b, wide c)
{
    const int along_a = copy % copies.a;
    const int along_b = copy / copies.a % copies.b;
    const int along_c = copy / copies.a / copies.b;
    return a * ((wide)along_a / copies.a) + b * ((wide)along_b / copies.b) +
           c * ((wide)along_c / copies.c);
}

/* A result, or NaN where a particle was nowhere. */
#define GIVEN(number, result)                                                                      \
    (notes[NOTE_NOWHERE] == call ? (number)0 / (number)0 : (number)(result))

/* The same, added to what is there where `adds`. */
#define GIVE(number, place, result)                                                                \
    (place) = (adds ? (place) : (number)0) + GIVEN(number, result)

/* To row i of `to` the vector x, y, z, rotated back. */
#define GIVE_TURNED(number)                                                                        \
    const int rotates = rotation.rotates != 0;                                                             \
    GIVE(number, to[width * i], rotates ? rotation.xx * x + rotation.yx * y + rotation.zx * z : x);              \
    GIVE(number, to[width * i + 1], rotates ? rotation.xy * x + rotation.yy * y + rotation.zy * z : y);          \
    GIVE(number, to[width * i + 2], rotates ? rotation.xz * x + rotation.yz * y + rotation.zz * z : z);          \
    if (width == 4) {                                                                              \
        to[width * i + 3] = 0;                                                                     \
    }

/* Of a symmetric matrix in six numbers, what it is along two vectors. */
DEVICE wide between(GLOBAL const wide *m, wide ax, wide ay, wide az, wide bx, wide by, wide bz)
{
    return ax * (m[0] * bx + m[1] * by + m[2] * bz) + ay * (m[1] * bx + m[3] * by + m[4] * bz) +
           az * (m[2] * bx + m[4] * by + m[5] * bz);
}
#define COLUMN_X rotation.xx, rotation.yx, rotation.zx
#define COLUMN_Y rotation.xy, rotation.yy, rotation.zy
#define COLUMN_Z rotation.xz, rotation.yz, rotation.zz
/* Number k of the virial, or what two columns of the rotation make of it; of one of the copies. */
#define VIRIAL(k, one, other)                                                                      \
    ((rotation.rotates != 0 ? between(total + 1, one, other) : total[k]) / copies)

#define FOR_NUMBER(number, take_positions, give_vectors, give_members, give_sums,                  \
                   give_energies, spoil)                                                         \
    /* Of n particles or, where there is an index, n members of a group. */                        \
    KERNEL void take_positions(                                                                    \
        int n, int width, int images, frame_args frame, int has_boxes,                             \
        GLOBAL const frame_args *RESTRICT frames, GLOBAL const int *RESTRICT box_of,               \
        rotation_args rotation, copies_args copies,                                                        \
        GLOBAL const number *RESTRICT from, GLOBAL real4 *RESTRICT position, GLOBAL int *notes,    \
        GLOBAL int *told, int call, int keeps, GLOBAL int *crossing, int is_group,                 \
        GLOBAL const int *RESTRICT index, moved_args moved,                                        \
        GLOBAL const real4 *RESTRICT kept_position, GLOBAL const int *RESTRICT kept_index,         \
        int begins_list, GLOBAL int *pair_count, rotation_args expected,                           \
        GLOBAL const number *RESTRICT cell)                                                        \
    {                                                                                              \
        const int k = GLOBAL_ID;                                                                   \
        if (k < 9 && expected.rotates != 0 && !(cell[k] == (number)(&expected.xx)[k])) {           \
            note_and_tell(NOTE_CELL, call, notes, told);                                           \
        }                                                                                          \
        if (k == 0 && begins_list) {                                                               \
            pair_count[0] = 0;                                                                     \
        }                                                                                          \
        if (k < n) {                                                                               \
            const int m = moved.by_index ? kept_index[k] : k;                                      \
            const int p = is_group ? index[m] : m;                                                 \
            const int copy = p / copies.n;                                                         \
            const int i = p - copy * copies.n;                                                     \
            wide x = from[width * i];                                                              \
            wide y = from[width * i + 1];                                                          \
            wide z = from[width * i + 2];                                                          \
            if (rotation.rotates != 0) {                                                                 \
                const wide x_given = x;                                                            \
                const wide y_given = y;                                                            \
                x = rotation.xx * x_given + rotation.xy * y_given + rotation.xz * z;                           \
                y = rotation.yx * x_given + rotation.yy * y_given + rotation.yz * z;                           \
                z = rotation.zx * x_given + rotation.zy * y_given + rotation.zz * z;                           \
            }                                                                                      \
            if (copy > 0) {                                                                        \
                x += moved_by(copy, copies, frame.a_x, frame.b_x, frame.c_x);                      \
                y += moved_by(copy, copies, 0, frame.b_y, frame.c_y);                              \
                z += moved_by(copy, copies, 0, 0, frame.c_z);                                      \
            }                                                                                      \
            const frame_args of_box = has_boxes ? frames[box_of[p]] : frame;                       \
            const real4 placed = framed(x, y, z, position[m], images, of_box, notes, told, call,   \
                                        i, keeps, crossing + (keeps ? 3 * i : 0));                 \
            position[m] = placed;                                                                  \
            if (moved.asks && !(far2(placed, kept_position[k], images, of_box) <= moved.limit2)) { \
                note_and_tell(NOTE_MOVED, call, notes, told);                                      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    KERNEL void give_vectors(int n, int width, int sign, int adds, rotation_args rotation,                 \
                             GLOBAL const int *RESTRICT notes, int call,                           \
                             GLOBAL const accum4 *RESTRICT result, GLOBAL number *RESTRICT to)     \
    {                                                                                              \
        const int i = GLOBAL_ID;                                                                   \
        if (i < n) {                                                                               \
            const accum4 vector = result[i];                                                       \
            const wide x = (accum)sign * vector.x;                                                 \
            const wide y = (accum)sign * vector.y;                                                 \
            const wide z = (accum)sign * vector.z;                                                 \
            GIVE_TURNED(number)                                                                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Of each particle, the sum over its places in two groups, n_a of the first. */               \
    KERNEL void give_members(int n, int width, int sign, rotation_args rotation, int n_a,                  \
                             GLOBAL const int *RESTRICT notes, int call,                           \
                             GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT place,   \
                             GLOBAL const accum4 *RESTRICT a, GLOBAL const accum4 *RESTRICT b,     \
                             GLOBAL number *RESTRICT to)                                           \
    {                                                                                              \
        const int i = GLOBAL_ID;                                                                   \
        const int adds = 0;                                                                        \
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
            GIVE_TURNED(number)                                                                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* The energy is the first sum, and the last where Coulomb's comes apart; then xx xy xz yy yz  \
     * zz. */                                                                                      \
    KERNEL void give_sums(int count, int boxes, int apart, int wants_energy, int wants_virial,     \
                          int copies, int adds, rotation_args rotation, GLOBAL const int *RESTRICT notes,  \
                          int call, GLOBAL const wide *RESTRICT totals,                            \
                          GLOBAL number *RESTRICT energies, GLOBAL number *RESTRICT virials)       \
    {                                                                                              \
        const int b = GLOBAL_ID;                                                                   \
        GLOBAL const wide *total = totals + count * (b < boxes ? b : 0);                           \
        GLOBAL number *virial = virials + 9 * (b < boxes ? b : 0);                                 \
        if (b < boxes && wants_energy) {                                                           \
            GIVE(number, energies[b],                                                              \
                 (apart ? total[0] + total[count - 1] : total[0]) / copies);                       \
        }                                                                                          \
        if (b < boxes && wants_virial) {                                                           \
            GIVE(number, virial[0], VIRIAL(1, COLUMN_X, COLUMN_X));                                \
            GIVE(number, virial[1], VIRIAL(2, COLUMN_X, COLUMN_Y));                                \
            GIVE(number, virial[2], VIRIAL(3, COLUMN_X, COLUMN_Z));                                \
            GIVE(number, virial[4], VIRIAL(4, COLUMN_Y, COLUMN_Y));                                \
            GIVE(number, virial[5], VIRIAL(5, COLUMN_Y, COLUMN_Z));                                \
            GIVE(number, virial[8], VIRIAL(6, COLUMN_Z, COLUMN_Z));                                \
            virial[3] = virial[1];                                                                 \
            virial[6] = virial[2];                                                                 \
            virial[7] = virial[5];                                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Of the kernels of energies, which leave them in the first number. */                        \
    KERNEL void give_energies(int n, GLOBAL const int *RESTRICT notes, int call,                   \
                              GLOBAL const accum4 *RESTRICT result, GLOBAL number *RESTRICT to)    \
    {                                                                                              \
        const int i = GLOBAL_ID;                                                                   \
        if (i < n) {                                                                               \
            to[i] = GIVEN(number, result[i].x);                                                    \
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
           give_energies_float, spoil_float)
#if HAVE_FP64
FOR_NUMBER(double, take_positions_double, give_vectors_double, give_members_double,
           give_sums_double, give_energies_double, spoil_double)
#endif

/* The sums of one pass more: all boxes of the first sum, then of the next; totals are by boxes. */
KERNEL void add_sums(int count, int boxes, int is_first, GLOBAL const accum *RESTRICT sums,
                     GLOBAL wide *RESTRICT total)
{
    const int t = GLOBAL_ID;
    if (t < count * boxes) {
        total[t] = (is_first ? 0 : total[t]) + sums[t % count * boxes + t / count];
    }
}

/* ---- charges beyond the cutoff ---- */

enum { SUMS = 7 }; /* energy, xx xy xz yy yz zz */

typedef struct {
    wide alpha, coulomb;
} screen_args;

typedef struct {
    wide energy, background;
} constant_args;

/* From j to i at its nearest image. */
DEVICE real4 nearest(real4 i, real4 j, frame_args frame)
{
    wide x = (wide)i.x - j.x;
    wide y = (wide)i.y - j.y;
    wide z = (wide)i.z - j.z;
    const wide c = floor(z / frame.c_z + (wide)0.5);
    x -= c * frame.c_x;
    y -= c * frame.c_y;
    z -= c * frame.c_z;
    const wide b = floor(y / frame.b_y + (wide)0.5);
    x -= b * frame.b_x;
    y -= b * frame.b_y;
    x -= floor(x / frame.a_x + (wide)0.5) * frame.a_x;
    const image_vectors cell = { (real)frame.a_x, (real)frame.b_x, (real)frame.b_y,
                                 (real)frame.c_x, (real)frame.c_y, (real)frame.c_z };
    return nearest_of_all(
        make_real4((real)x, (real)y, (real)z, (real)(x * x + y * y + z * z)), cell);
}

/* Minus coulomb q q erf(alpha r) / r of each excluded pair: on forces, and in sums of each group. */
KERNEL void correct_excluded(int n, frame_args frame, screen_args screen,
                             GLOBAL const real4 *RESTRICT position,
                             GLOBAL const int *RESTRICT start, GLOBAL const int *RESTRICT partner,
                             GLOBAL accum4 *RESTRICT result, GLOBAL wide *RESTRICT partial)
{
    LOCAL wide scratch[GROUP_SIZE];
    const real alpha = (real)screen.alpha;
    wide sums[SUMS];
    for (int s = 0; s < SUMS; s++) {
        sums[s] = 0;
    }
    for (int i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        const real4 own = position[i];
        accum4 force = result[i];
        for (int k = start[i]; k < start[i + 1]; k++) {
            const real4 other = position[partner[k]];
            const real4 d = nearest(own, other, frame);
            const real charges = (real)screen.coulomb * alpha * own.w * other.w;
            real potential;
            const real f = -charges * alpha * alpha * excluded_slope(alpha * alpha * d.w, &potential);
            force.x += f * d.x;
            force.y += f * d.y;
            force.z += f * d.z;
            sums[0] -= charges * potential / 2; /* the other half is the partner's */
            sums[1] += f * d.x * d.x / 2;
            sums[2] += f * d.x * d.y / 2;
            sums[3] += f * d.x * d.z / 2;
            sums[4] += f * d.y * d.y / 2;
            sums[5] += f * d.y * d.z / 2;
            sums[6] += f * d.z * d.z / 2;
        }
        result[i] = force;
    }
    for (int s = 0; s < SUMS; s++) {
        scratch[LOCAL_ID] = sums[s];
        SYNC_THREADS;
        for (int apart = GROUP_SIZE / 2; apart > 0; apart /= 2) {
            if (LOCAL_ID < apart) {
                scratch[LOCAL_ID] += scratch[LOCAL_ID + apart];
            }
            SYNC_THREADS;
        }
        if (LOCAL_ID == 0) {
            partial[SUMS * GROUP_ID + s] = scratch[0];
        }
        SYNC_THREADS;
    }
}

KERNEL void add_corrections(int count, int groups, constant_args constants,
                            GLOBAL const wide *RESTRICT partial, GLOBAL wide *RESTRICT total)
{
    const int s = GLOBAL_ID;
    if (s < count) {
        wide sum = total[s];
        for (int g = 0; g < groups; g++) {
            sum += partial[SUMS * g + s];
        }
        total[s] = sum + (s == 0 ? constants.energy
                          : s == 1 || s == 4 || s == 6 ? constants.background
                                                        : 0);
    }
}

/* ---- lists of neighbours ---- */

/* An entry's shift, from images of particles in the cell to those of particles where the program
 * has them, so that r_j + S . cell - r_i stays. */
DEVICE void move_shift(long64 e, int i, int j, GLOBAL const int *RESTRICT crossing,
                       GLOBAL int *RESTRICT shifts)
{
    for (int d = 0; d < 3; d++) {
        shifts[3 * e + d] += crossing[3 * i + d] - crossing[3 * j + d];
    }
}

DEVICE void rotate_vector(long64 e, rotation_args rotation, GLOBAL real *RESTRICT vectors)
{
    const wide x = vectors[3 * e];
    const wide y = vectors[3 * e + 1];
    const wide z = vectors[3 * e + 2];
    vectors[3 * e] = (real)(rotation.xx * x + rotation.yx * y + rotation.zx * z);
    vectors[3 * e + 1] = (real)(rotation.xy * x + rotation.yy * y + rotation.zy * z);
    vectors[3 * e + 2] = (real)(rotation.xz * x + rotation.yz * y + rotation.zz * z);
}

/* Where a particle was nowhere, -1 for every number of entries. Else entries become the program's:
 * of rows of a matrix (form 0) or one after the other (1), 32 work-items a row; or of entries that
 * say whose they are (2). If it `writes_count`, the host is told how many entries there are. */
KERNEL void finish_list(int form, int n, int room, GLOBAL const int *RESTRICT notes, int call,
                        int rotates, rotation_args rotation, GLOBAL const int *RESTRICT crossing,
                        GLOBAL int *RESTRICT count, GLOBAL int *RESTRICT row_begin,
                        GLOBAL const int *RESTRICT first, GLOBAL int *RESTRICT entries,
                        GLOBAL const int *RESTRICT neighbours, GLOBAL int *RESTRICT shifts,
                        GLOBAL real *RESTRICT vectors, int writes_count, GLOBAL int *told)
{
    const int nowhere = notes[NOTE_NOWHERE] == call;
    const int crossed = notes[NOTE_CROSSED] == call;
    const int rows = nowhere || !(crossed || rotates) ? 0 : form == 2 ? 1 : n;
    const int lanes = form == 2 ? GLOBAL_SIZE : 32;
    if (writes_count && GLOBAL_ID == 0) {
        tell_entries(nowhere ? -1 : entries[0], call, told);
    }
    for (int row = GLOBAL_ID / lanes; row < rows; row += GLOBAL_SIZE / lanes) {
        const long64 begin = form == 0 ? (long64)row * room : form == 1 ? row_begin[row] : 0;
        const long64 end = begin + (form == 2 ? entries[0] : count[row]);
        const long64 stop = form == 0 ? begin + room : room;
        for (long64 e = begin + GLOBAL_ID % lanes; e < end && e < stop; e += lanes) {
            if (crossed) {
                move_shift(e, form == 2 ? first[e] : row, neighbours[e], crossing, shifts);
            }
            if (rotates) {
                rotate_vector(e, rotation, vectors);
            }
        }
    }
    for (int i = GLOBAL_ID; nowhere && i <= n; i += GLOBAL_SIZE) {
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

/* ---- entries by their first particles ---- */

/* What a work-item has of the entries, and a run of these, which are of one particle. */
#define FOR_RUNS(first, entries, each)                                                             \
    const int stop_ = GLOBAL_ID < (entries) / (each)                                               \
                          ? (GLOBAL_ID + 1) * (each)                                               \
                          : (GLOBAL_ID == (entries) / (each) ? (entries) : 0);                     \
    int end = 0;                                                                                   \
    for (int e = GLOBAL_ID * (each); e < stop_ && (end = run_end(first, e, stop_)); e = end)

DEVICE int run_end(GLOBAL const int *RESTRICT first, int e, int stop)
{
    const int of = first[e];
    int end = e + 1;
    while (end < stop && first[end] == of) {
        end++;
    }
    return end;
}

/* How many entries each particle has: `count` holds zeros before. */
KERNEL void count_runs(int entries, int each, GLOBAL const int *RESTRICT first,
                       GLOBAL int *RESTRICT count)
{
    FOR_RUNS(first, entries, each)
    {
        (void)ATOMIC_ADD_INT(&count[first[e]], end - e);
    }
}

/* Each run to behind those of its particle that are there: `begin` is the place of its next. */
KERNEL void place_runs(int entries, int each, int parts, GLOBAL const int *RESTRICT first,
                       GLOBAL const int *RESTRICT second, GLOBAL const int *RESTRICT shifts,
                       GLOBAL const real *RESTRICT vectors, GLOBAL const real *RESTRICT distances,
                       GLOBAL int *RESTRICT begin, GLOBAL long64 *RESTRICT to_first,
                       GLOBAL long64 *RESTRICT to_second, GLOBAL long64 *RESTRICT to_shifts,
                       GLOBAL real *RESTRICT to_vectors, GLOBAL real *RESTRICT to_distances)
{
    FOR_RUNS(first, entries, each)
    {
        const int of = first[e];
        const int moved = ATOMIC_ADD_INT(&begin[of], end - e) - e;
        for (int k = e; k < end; k++) {
            to_first[k + moved] = of;
            to_second[k + moved] = second[k];
        }
        for (long64 k = 3 * (long64)e; (parts & 1) && k < 3 * (long64)end; k++) {
            to_shifts[k + 3 * (long64)moved] = shifts[k];
        }
        for (long64 k = 3 * (long64)e; (parts & 2) && k < 3 * (long64)end; k++) {
            to_vectors[k + 3 * (long64)moved] = vectors[k];
        }
        for (int k = e; (parts & 4) && k < end; k++) {
            to_distances[k + moved] = distances[k];
        }
    }
}
