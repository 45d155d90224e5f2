/*
 * box_lists — lists of neighbours of many boxes in one pass: each has a cell of its own, of any vectors,
 * and the cutoff may reach any of its images
 *
 * A work-item has a particle: it looks at all others of its box, at first to count what it has within the
 * cutoff, then, once counts are summed up, to write it. Entries of a row are in the order of their particles.
 */

#if HAVE_FP64
typedef double wide;
#else
typedef float wide;
#endif

/* Of a box, numbers of its frame: the vectors of its cell, zeros along which it has no images; the rows that
 * say how much of each vector is in a point; and how many of each the cutoff reaches. */
enum { ROWS = 9, REACH = 18, BOX_NUMBERS = 21 };

/* As in arrays.cl. */
enum { NOTE_NOWHERE = 2, NOTE_PARTICLE = 3, NOTE_ENTRIES = 6 };
#define MOST_CELLS 1073741824.0f

/* What is wanted of an entry. */
enum { WITH_FIRST = 1, WITH_IMAGE = 2, WITH_VECTOR = 4, WITH_DISTANCE = 8 };

typedef struct {
    int n, once, room, wanted;
} list_args;

/* Where the particle is in its cell, and how many of each vector it was taken back. */
#define TAKE_BOXED(number, take_boxed)                                                                               \
    KERNEL void take_boxed(int n, int width, GLOBAL const int *RESTRICT box_of, GLOBAL const wide *RESTRICT frames,  \
                           GLOBAL const number *RESTRICT positions, GLOBAL real4 *RESTRICT placed,                   \
                           GLOBAL int *RESTRICT crossing, GLOBAL int *notes, GLOBAL int *told, int call)             \
    {                                                                                                                \
        const int i = GLOBAL_ID;                                                                                     \
        if (i < n) {                                                                                                 \
            GLOBAL const wide *frame = frames + (long64)BOX_NUMBERS * box_of[i];                                     \
            place_in_cell(i, positions[(long64)width * i], positions[(long64)width * i + 1],                         \
                          positions[(long64)width * i + 2], frame, placed, crossing, notes, told, call);             \
        }                                                                                                            \
    }

DEVICE void place_in_cell(int i, wide x, wide y, wide z, GLOBAL const wide *frame, GLOBAL real4 *RESTRICT placed,
                          GLOBAL int *RESTRICT crossing, GLOBAL int *notes, GLOBAL int *told, int call)
{
    const wide a = floor(x * frame[ROWS] + y * frame[ROWS + 1] + z * frame[ROWS + 2]);
    const wide b = floor(x * frame[ROWS + 3] + y * frame[ROWS + 4] + z * frame[ROWS + 5]);
    const wide c = floor(x * frame[ROWS + 6] + y * frame[ROWS + 7] + z * frame[ROWS + 8]);
    const int known = fabs(a) < MOST_CELLS && fabs(b) < MOST_CELLS && fabs(c) < MOST_CELLS;
    const real real_x = (real)(x - a * frame[0] - b * frame[3] - c * frame[6]);
    const real real_y = (real)(y - a * frame[1] - b * frame[4] - c * frame[7]);
    const real real_z = (real)(z - a * frame[2] - b * frame[5] - c * frame[8]);
    const int near = known && isfinite(real_x * real_x) && isfinite(real_y * real_y) && isfinite(real_z * real_z);
    real4 place;
    place.x = near ? real_x : 0;
    place.y = near ? real_y : 0;
    place.z = near ? real_z : 0;
    place.w = 0;
    placed[i] = place;
    crossing[3 * (long64)i] = near ? (int)a : 0;
    crossing[3 * (long64)i + 1] = near ? (int)b : 0;
    crossing[3 * (long64)i + 2] = near ? (int)c : 0;
    if (!near) {
        notes[NOTE_PARTICLE] = i;
        notes[NOTE_NOWHERE] = call;
        told[NOTE_PARTICLE] = i;
        told[NOTE_NOWHERE] = call;
    }
}

TAKE_BOXED(float, take_boxed_float)
#if HAVE_FP64
TAKE_BOXED(double, take_boxed_double)
#endif

#define ENTRY_ARRAYS                                                                                                 \
    GLOBAL const int *RESTRICT crossing, GLOBAL int *RESTRICT first, GLOBAL int *RESTRICT neighbours,                \
        GLOBAL int *RESTRICT shifts, GLOBAL real *RESTRICT vectors, GLOBAL real *RESTRICT distances
#define ENTRY_ARGUMENTS crossing, first, neighbours, shifts, vectors, distances

DEVICE void store_entry(long64 e, int i, int j, int a, int b, int c, real4 r, int wanted, ENTRY_ARRAYS)
{
    neighbours[e] = j;
    if (wanted & WITH_FIRST) {
        first[e] = i;
    }
    if (wanted & WITH_IMAGE) { /* from where the program has the particles */
        shifts[3 * e] = a + crossing[3 * (long64)i] - crossing[3 * (long64)j];
        shifts[3 * e + 1] = b + crossing[3 * (long64)i + 1] - crossing[3 * (long64)j + 1];
        shifts[3 * e + 2] = c + crossing[3 * (long64)i + 2] - crossing[3 * (long64)j + 2];
    }
    if (wanted & WITH_VECTOR) {
        vectors[3 * e] = r.x;
        vectors[3 * e + 1] = r.y;
        vectors[3 * e + 2] = r.z;
    }
    if (wanted & WITH_DISTANCE) {
        distances[e] = SQRT(r.w);
    }
}

DEVICE int is_other(int i, int j, int a, int b, int c, int once)
{
    const int sign = a != 0 ? a : b != 0 ? b : c;
    return j != i || (once ? sign > 0 : sign != 0);
}

#define FRAME_REAL(k) ((real)frame[k])
#define LEAST_IMAGE(along, reach) ((int)ceil((wide)(-(along) - (reach))))
#define MOST_IMAGE(along, reach) ((int)floor((wide)((reach) - (along))))

/* How many entries particle i has; where there are any to be written, from `at` on, they are. Every product is of an FMA: both
 * kernels are to find the same, and so are both particles of a pair. */
DEVICE int list_particle(int i, int writes, int at, list_args list, real cutoff2, GLOBAL const int *RESTRICT box_of,
                         GLOBAL const int *RESTRICT begin, GLOBAL const wide *RESTRICT frames, GLOBAL const real4 *RESTRICT placed,
                         ENTRY_ARRAYS)
{
    const int box = box_of[i];
    const int stop = begin[box + 1];
    GLOBAL const wide *frame = frames + (long64)BOX_NUMBERS * box;
    const real ax = FRAME_REAL(0), ay = FRAME_REAL(1), az = FRAME_REAL(2);
    const real bx = FRAME_REAL(3), by = FRAME_REAL(4), bz = FRAME_REAL(5);
    const real cx = FRAME_REAL(6), cy = FRAME_REAL(7), cz = FRAME_REAL(8);
    const real ux = FRAME_REAL(9), uy = FRAME_REAL(10), uz = FRAME_REAL(11);
    const real vx = FRAME_REAL(12), vy = FRAME_REAL(13), vz = FRAME_REAL(14);
    const real wx = FRAME_REAL(15), wy = FRAME_REAL(16), wz = FRAME_REAL(17);
    const real reach_a = FRAME_REAL(18), reach_b = FRAME_REAL(19), reach_c = FRAME_REAL(20);
    const real4 own = placed[i];
    int count = 0;
    for (int j = list.once ? i : begin[box]; j < stop; j++) {
        const real4 other = placed[j];
        const real dx = other.x - own.x;
        const real dy = other.y - own.y;
        const real dz = other.z - own.z;
        const real along_a = FMA(dx, ux, FMA(dy, uy, dz * uz));
        const real along_b = FMA(dx, vx, FMA(dy, vy, dz * vz));
        const real along_c = FMA(dx, wx, FMA(dy, wy, dz * wz));
        const int most_a = MOST_IMAGE(along_a, reach_a);
        const int most_b = MOST_IMAGE(along_b, reach_b);
        const int most_c = MOST_IMAGE(along_c, reach_c);
        for (int a = LEAST_IMAGE(along_a, reach_a); a <= most_a; a++) {
            for (int b = LEAST_IMAGE(along_b, reach_b); b <= most_b; b++) {
                for (int c = LEAST_IMAGE(along_c, reach_c); c <= most_c; c++) {
                    real4 r;
                    r.x = FMA((real)a, ax, FMA((real)b, bx, FMA((real)c, cx, dx)));
                    r.y = FMA((real)a, ay, FMA((real)b, by, FMA((real)c, cy, dy)));
                    r.z = FMA((real)a, az, FMA((real)b, bz, FMA((real)c, cz, dz)));
                    r.w = FMA(r.x, r.x, FMA(r.y, r.y, r.z * r.z));
                    if (r.w <= cutoff2 && is_other(i, j, a, b, c, list.once)) {
                        if (writes && at + count < list.room) {
                            store_entry(at + count, i, j, a, b, c, r, list.wanted, ENTRY_ARGUMENTS);
                        }
                        count++;
                    }
                }
            }
        }
    }
    return count;
}

/* The particle behind the last one has none. */
KERNEL void count_boxed(list_args list, real cutoff2, GLOBAL const int *RESTRICT box_of, GLOBAL const int *RESTRICT begin,
                        GLOBAL const wide *RESTRICT frames, GLOBAL const real4 *RESTRICT placed, GLOBAL int *RESTRICT row_begin)
{
    const int i = GLOBAL_ID;
    if (i <= list.n) {
        row_begin[i] =
            i < list.n ? list_particle(i, 0, 0, list, cutoff2, box_of, begin, frames, placed, 0, 0, 0, 0, 0, 0) : 0;
    }
}

/* Rows begin where sums of counts say; of more than fit into an int a sum is less than the one before. */
KERNEL void check_boxed(int n, GLOBAL const int *RESTRICT row_begin, GLOBAL int *too_many)
{
    const int i = GLOBAL_ID;
    if (i < n && row_begin[i + 1] < row_begin[i]) {
        too_many[0] = 1;
    }
}

KERNEL void fill_boxed(list_args list, real cutoff2, GLOBAL const int *RESTRICT box_of, GLOBAL const int *RESTRICT begin,
                       GLOBAL const wide *RESTRICT frames, GLOBAL const real4 *RESTRICT placed,
                       GLOBAL const int *RESTRICT sums, GLOBAL const int *RESTRICT too_many, GLOBAL const int *RESTRICT notes,
                       int call, int tells, GLOBAL int *told, GLOBAL int *RESTRICT entries, GLOBAL int *RESTRICT count,
                       GLOBAL int *RESTRICT row_begin, ENTRY_ARRAYS)
{
    const int i = GLOBAL_ID;
    const int is_none = too_many[0] != 0 || notes[NOTE_NOWHERE] == call;
    if (i <= list.n && (list.wanted & WITH_FIRST) == 0) {
        row_begin[i] = is_none ? -1 : sums[i];
    }
    if (i < list.n) {
        count[i] = is_none ? -1 : sums[i + 1] - sums[i];
    }
    if (i == list.n) {
        entries[0] = is_none ? -1 : sums[i];
        if (tells) {
            ((GLOBAL long64 *)told)[NOTE_ENTRIES / 2] = (long64)call << 32 | (long64)(uint)entries[0];
        }
    }
    if (i < list.n && !is_none && sums[i] < list.room) {
        list_particle(i, 1, sums[i], list, cutoff2, box_of, begin, frames, placed, ENTRY_ARGUMENTS);
    }
}
