/*
 * list_clusters — columns of particles that are near to each other, such as molecules, and lists of the columns near to each
 *
 * The particles of a column are put in the order of their charges, so that of columns with the same kinds of particles, such
 * as molecules of water, the first of each are of one kind. Columns that a face of the cell cuts are made whole: their particles are seen
 * in images next to each other, and so are the 32 columns of a group. What a column lists are columns with a particle near to one of its own, as entries
 * (list_entries.cl) whose places are numbers of columns, and whose image is that of all particles of the column. Columns with a particle
 * that is excluded from a pair with one of the column stand in a second list: no pair of the first list is excluded.
 *
 * Lists lie in groups of 32 columns, four entries of a column together: int4 number k of column c is at
 * ((c / 32) * quads + k) * 32 + c % 32, where quads is how many a column has room for. So a warp that walks 32 columns reads whole lines.
 * What does not fit is counted and not written, and the first of the flags says so; the second, whether columns differ by the types of
 * their particles.
 *
 * Where all molecules are known, near together and of as many particles as a column, they are the columns, and no cells are needed.
 *
 * A group fills the lists of LISTED columns. It finds by a tree of boxes (box_tree.cl) which 32 others are near to these together, and which
 * of their columns are: these wait in a queue, of which it takes a tile of 128 at a time. Each work-item tests LISTED of them against one
 * column, a bit each, first by the balls around both: of two whose centres are not much farther apart than the radius no particles are
 * looked at. What is left is put into rows in local memory, and whole int4s go from there to the lists.
 */
#define GROUP_COLUMNS 32
#define LISTED 16
#define TILE GROUP_SIZE
#define WORDS (GROUP_SIZE / LISTED) /* of a tile, for each column: LISTED bits each */
#define ROW (TILE + 4) /* a tile, behind up to three entries that were left from before */
#define SEEN 4 /* columns that a work-item looks at together */
#define MARKS 512

/* ---- columns ---- */

/* The image of a particle next to another one. The particle itself where that lies outside of the cell by more than a part
 * `most_outside` of an edge: so, partners are at most one image away. */
DEVICE real4 brought_next_to(real4 position, real4 other, real most_outside, box_args box)
{
#if PERIODIC
    const real4 next = image_next_to(position, other, box);
    const real4 along = straighten(next, box);
    const real x = FABS(along.x * box.inverse_edge.x - REAL(0.5));
    const real y = FABS(along.y * box.inverse_edge.y - REAL(0.5));
    const real z = FABS(along.z * box.inverse_edge.z - REAL(0.5));
    return MAX_REAL(x, MAX_REAL(y, z)) <= REAL(0.5) + most_outside ? next : position;
#else
    return position;
#endif
}

/* The particles of each molecule, as they come; `count` is zero before. `rank` numbers molecules, the least name first. */
KERNEL void gather_molecules(int n, GLOBAL const int *RESTRICT molecule, int least, GLOBAL const int *RESTRICT rank,
                             GLOBAL int *RESTRICT count, GLOBAL int *RESTRICT molecule_particles)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int m = rank[molecule[i] - least];
        molecule_particles[m * PARTICLES + ATOMIC_ADD_INT(&count[m], 1)] = i;
    }
}

/* Puts those of each in the order of their numbers, makes its count zero again and says in which bin of the curve the first lies; `value` is
 * a ticket of that bin, or, for a sort, the molecule. */
KERNEL void number_molecules(int n, GLOBAL const real4 *RESTRICT position, real4 origin, real4 inverse_bin, int4 bins, box_args box,
                             GLOBAL int *RESTRICT count, GLOBAL int *RESTRICT molecule_particles, int by_ticket,
                             GLOBAL int *RESTRICT bin_count, GLOBAL int *RESTRICT key, GLOBAL int *RESTRICT value)
{
    const int m = GLOBAL_ID;
    if (m * PARTICLES < n) {
        int own[PARTICLES];
        for (int p = 0; p < PARTICLES; p++) {
            int particle = molecule_particles[m * PARTICLES + p];
            for (int q = 0; q < p; q++) {
                const int lower = own[q] < particle ? own[q] : particle;
                particle = own[q] < particle ? particle : own[q];
                own[q] = lower;
            }
            own[p] = particle;
        }
        for (int p = 0; p < PARTICLES; p++) {
            molecule_particles[m * PARTICLES + p] = own[p];
        }
        count[m] = 0;
        const int bin = hilbert_number(cell_in_box(position[own[0]], box, origin, inverse_bin, bins), bins.w);
        key[m] = bin;
        value[m] = by_ticket ? ATOMIC_ADD_INT(&bin_count[bin], 1) : m;
    }
}

/* Puts molecules where their tickets say, and makes the counts of bins zero again. */
KERNEL void place_molecules(int molecules, GLOBAL const int *RESTRICT key, GLOBAL const int *RESTRICT ticket,
                            GLOBAL const int *RESTRICT bin_begin, GLOBAL int *RESTRICT bin_count, GLOBAL int *RESTRICT sorted_place)
{
    const int m = GLOBAL_ID;
    if (m < molecules) {
        sorted_place[bin_begin[key[m]] + ticket[m]] = m;
        bin_count[key[m]] = 0;
    }
}

/* Which of the particles is to be at place p of a column: of its molecule, if columns are molecules. */
DEVICE int particle_of_column(int column, int p, int by_molecule, GLOBAL const int *RESTRICT sorted_place,
                              GLOBAL const int *RESTRICT molecule_particles)
{
    return by_molecule ? molecule_particles[sorted_place[column] * PARTICLES + p] : sorted_place[column * PARTICLES + p];
}

/* Puts the particles of each column in the order of their charges, next to each other, and finds the box around them. `position` and
 * `index` are of what is sorted: of the particles as they are where columns are molecules, else of those that cells have sorted. */
KERNEL void sort_columns(int n, int columns, int by_molecule, GLOBAL const int *RESTRICT sorted_place,
                         GLOBAL const int *RESTRICT molecule_particles, GLOBAL const real4 *RESTRICT position,
                         GLOBAL const int *RESTRICT index, real most_outside, box_args box, GLOBAL int *RESTRICT place_index,
                         GLOBAL real4 *RESTRICT place_position, GLOBAL real4 *RESTRICT column_box)
{
    const int column = GLOBAL_ID;
    const int begin = column * PARTICLES;
    corners bounds = no_corners();
    if (begin < n) {
        int from[PARTICLES];
        for (int p = 0; p < PARTICLES; p++) {
            from[p] = begin + p < n ? particle_of_column(column, p, by_molecule, sorted_place, molecule_particles) : -1;
        }
        for (int p = 1; p < PARTICLES; p++) {
            for (int q = p; q > 0; q--) {
                const int one = from[q - 1];
                const int other = from[q];
                if (other >= 0 && position[other].w < position[one].w) {
                    from[q - 1] = other;
                    from[q] = one;
                }
            }
        }
        /* the columns of a group follow its first particle */
        const int lead = particle_of_column(column / GROUP_COLUMNS * GROUP_COLUMNS, 0, by_molecule, sorted_place, molecule_particles);
        const real4 first = brought_next_to(position[from[0]], position[lead], most_outside, box);
        for (int p = 0; p < PARTICLES; p++) {
            if (from[p] >= 0) {
                corners point;
                point.least = brought_next_to(position[from[p]], first, most_outside, box);
                point.most = point.least;
                bounds = join_corners(bounds, point);
                place_index[begin + p] = by_molecule ? from[p] : index[from[p]];
                place_position[begin + p] = point.least;
            }
        }
    }
    if (column < columns) {
        column_box[2 * (long64)column] = bounds.least;
        column_box[2 * (long64)column + 1] = bounds.most;
    }
}

/* Of a column's place p; behind the last particle, that one once more. */
DEVICE int place_of_column(int column, int p, int n)
{
    const int place = column * PARTICLES + p;
    return place < n ? place : n - 1;
}

/* The ball around particles: its centre, and in w its radius, which is not 0. */
DEVICE real4 ball_around(const real4 *particles)
{
    corners bounds = no_corners();
    real farthest2 = REAL(1.0e-20);
    for (int p = 0; p < PARTICLES; p++) {
        corners point;
        point.least = particles[p];
        point.most = particles[p];
        bounds = join_corners(bounds, point);
    }
    real4 ball = make_real4(REAL(0.5) * (bounds.least.x + bounds.most.x), REAL(0.5) * (bounds.least.y + bounds.most.y),
                            REAL(0.5) * (bounds.least.z + bounds.most.z), 0);
    for (int p = 0; p < PARTICLES; p++) {
        const real dx = particles[p].x - ball.x;
        const real dy = particles[p].y - ball.y;
        const real dz = particles[p].z - ball.z;
        farthest2 = MAX_REAL(farthest2, FMA(dx, dx, FMA(dy, dy, dz * dz)));
    }
    ball.w = SQRT(farthest2);
    return ball;
}

/* ---- exclusions ---- */

/* How they are known, and the names of a column's particles. */
typedef struct {
    int kind;
    GLOBAL const int *excluded_start, *excluded, *molecule;
    int own_name[PARTICLES];
} column_exclusions;

/* What tells whom particle j is excluded with: its molecule, or its own number. */
DEVICE int exclusion_name(column_exclusions *own, int j)
{
    return own->kind == BY_MOLECULE ? own->molecule[j] : j;
}

/* Whether a particle of that name is excluded from a pair with any particle of the column. */
DEVICE int is_excluded(column_exclusions *own, int name)
{
    int found = 0;
    if (own->kind == BY_MOLECULE) {
        for (int p = 0; p < PARTICLES; p++) {
            found |= own->own_name[p] == name;
        }
    } else if (own->kind == BY_LISTS) {
        for (int e = own->excluded_start[name]; e < own->excluded_start[name + 1]; e++) {
            for (int p = 0; p < PARTICLES; p++) {
                found |= own->own_name[p] == own->excluded[e];
            }
        }
    }
    return found;
}

/* Leaves a mark for each particle of the column, where may_be_excluded() looks. Others may share a mark. */
DEVICE void leave_marks(column_exclusions *own, LOCAL_ARG int *marks)
{
    for (int p = 0; p < PARTICLES; p++) {
        marks[own->own_name[p] & (MARKS - 1)] = 1;
    }
}

/* Whether a particle of that name may be excluded from a pair with any particle that left a mark. */
DEVICE int may_be_excluded(column_exclusions *own, int name, LOCAL_ARG const int *marks)
{
    int found = 0;
    if (own->kind == BY_MOLECULE) {
        found = marks[name & (MARKS - 1)];
    } else if (own->kind == BY_LISTS) {
        for (int e = own->excluded_start[name]; e < own->excluded_start[name + 1]; e++) {
            found |= marks[own->excluded[e] & (MARKS - 1)];
        }
    }
    return found;
}

/* ---- lists ---- */

/* Whether any particle of a column is near to any of those in a seat. */
DEVICE int is_near_seat(const real4 *own, LOCAL_ARG const real4 *seats, int seat, real search_radius2)
{
    real nearest2 = search_radius2 + search_radius2;
    for (int q = 0; q < PARTICLES; q++) {
        const real4 other = seats[q * TILE + seat];
        for (int p = 0; p < PARTICLES; p++) {
            const real dx = own[p].x - other.x;
            const real dy = own[p].y - other.y;
            const real dz = own[p].z - other.z;
            nearest2 = MIN_REAL(nearest2, FMA(dx, dx, FMA(dy, dy, dz * dz)));
        }
    }
    return nearest2 <= search_radius2;
}

KERNEL void fill_clusters(int n, int nodes, real search_radius2, GLOBAL const int *RESTRICT place_index,
                          GLOBAL const real4 *RESTRICT place_position, GLOBAL const real4 *RESTRICT column_box,
                          GLOBAL const real4 *RESTRICT node_box, box_args box, int exclusions,
                          GLOBAL const int *RESTRICT excluded_start, GLOBAL const int *RESTRICT excluded,
                          GLOBAL const int *RESTRICT molecule, int list_capacity, int apart_capacity,
                          GLOBAL int *RESTRICT column_length, GLOBAL int4 *RESTRICT columns,
                          GLOBAL int *RESTRICT apart_length, GLOBAL int *RESTRICT columns_apart, int types,
                          GLOBAL const int *RESTRICT type, GLOBAL int *RESTRICT type_of_place, GLOBAL int *RESTRICT flags)
{
    LOCAL real4 seats[PARTICLES * TILE];
    LOCAL int names[PARTICLES * TILE];
    LOCAL real4 balls[TILE]; /* of a column that may be excluded, or is of this group, the radius is negative */
    LOCAL int queue[(SEEN + 1) * TILE];
    LOCAL int rows[LISTED * ROW];
    LOCAL int marks[MARKS];
    LOCAL int room[GROUP_SIZE];
    LOCAL int stack[STACK];
    LOCAL real4 shifts[27];
    LOCAL int found[GROUP_SIZE];
    const real near2 = search_radius2 * HAIR;
    const box_tree tree = make_tree(nodes);
    const int c = LOCAL_ID % LISTED;
    const int word = LOCAL_ID / LISTED;
    const int column = GROUP_ID * LISTED + c;
    const int is_there = column * PARTICLES < n;
    real4 own[PARTICLES];
    column_exclusions excluding = { exclusions, excluded_start, excluded, molecule, { 0 } };
    for (int p = 0; p < PARTICLES; p++) {
        const int place = place_of_column(column, p, n);
        own[p] = place_position[place];
        excluding.own_name[p] = exclusion_name(&excluding, place_index[place]);
    }
    const real4 ball = ball_around(own);
    const real reach = (ball.w + SQRT(search_radius2)) * HAIR;
    const real sure = SQRT(search_radius2) + REAL(0.5) * ball.w;
    for (int k = LOCAL_ID; k < MARKS; k += LOCAL_SIZE) {
        marks[k] = 0;
    }
    if (LOCAL_ID < 27) {
        shifts[LOCAL_ID] = shift_of_image(LOCAL_ID, box);
    }
    if (LOCAL_ID < 2 * LISTED) {
        balls[LOCAL_ID] = column_box[2 * GROUP_ID * LISTED + LOCAL_ID];
    }
    SYNC_THREADS;
    corners together = no_corners();
#pragma unroll 2
    for (int k = 0; k < LISTED; k++) {
        corners one;
        one.least = balls[2 * k];
        one.most = balls[2 * k + 1];
        together = join_corners(together, one);
    }
    if (word == 0) {
        leave_marks(&excluding, marks);
        for (int p = 0; types && p < PARTICLES && column * PARTICLES + p < n; p++) {
            type_of_place[column * PARTICLES + p] = type[place_index[column * PARTICLES + p]];
            if (type_of_place[column * PARTICLES + p] != type[place_index[p]]) {
                (void)ATOMIC_EXCHANGE(&flags[1], 1);
            }
        }
    }
    const long64 first_quad = (long64)(column / GROUP_COLUMNS) * (list_capacity / 4) * GROUP_COLUMNS + column % GROUP_COLUMNS;
    const long64 first_apart = (long64)(column / GROUP_COLUMNS) * (apart_capacity / 4) * GROUP_COLUMNS + column % GROUP_COLUMNS;
    LOCAL_ARG int *row = rows + c * ROW;
    int count = 0;
    int apart_count = 0;
    int queued = 0;
    int waiting = begin_walk(tree, stack);
    SYNC_THREADS;
    while (waiting > 0) {
        const int candidates =
            GROUP_COLUMNS * find_children(0, 0, together, tree, node_box, box, near2, room, stack, &waiting, found);
        SYNC_THREADS;
        for (int base = 0; base < candidates || (waiting == 0 && queued > 0); base += SEEN * LOCAL_SIZE) {
            uint is_near = 0;
            for (int s = 0; s < SEEN; s++) {
                const int at = base + s * LOCAL_SIZE + LOCAL_ID;
                if (at < candidates) {
                    const int node = found[at / GROUP_COLUMNS];
                    const corners other = read_corners(column_box, found_node(node) * GROUP_COLUMNS + at % GROUP_COLUMNS);
                    is_near |= (uint)(gap2_to(together, other, shifts[found_image(node)]) <= near2) << s;
                }
            }
            int end = queued + scan_group(room, BIT_COUNT(is_near)) - BIT_COUNT(is_near);
            for (int s = 0; s < SEEN; s++) {
                const int at = base + s * LOCAL_SIZE + LOCAL_ID;
                if (is_near >> s & 1) {
                    const int node = found[at / GROUP_COLUMNS];
                    queue[end++] = list_entry(found_node(node) * GROUP_COLUMNS + at % GROUP_COLUMNS, found_image(node));
                }
            }
            queued += room[LOCAL_SIZE - 1];
            SYNC_THREADS;
            const int is_last = waiting == 0 && base + SEEN * LOCAL_SIZE >= candidates;
            while (queued >= TILE || (is_last && queued > 0)) {
                /* a tile takes its seats */
                const int taken = queued < TILE ? queued : TILE;
                real4 around = make_real4(NOWHERE, NOWHERE, NOWHERE, 0);
                if (LOCAL_ID < taken) {
                    const int seated = entry_place(queue[LOCAL_ID]);
                    const real4 away = shifts[entry_image(queue[LOCAL_ID])];
                    int is_suspect = seated / LISTED == GROUP_ID;
                    real4 seat[PARTICLES];
                    int name[PARTICLES];
                    for (int p = 0; p < PARTICLES; p++) {
                        const int place = place_of_column(seated, p, n);
                        seat[p] = place_position[place];
                        name[p] = exclusions ? exclusion_name(&excluding, place_index[place]) : 0;
                    }
                    for (int p = 0; p < PARTICLES; p++) {
                        seat[p].x += away.x;
                        seat[p].y += away.y;
                        seat[p].z += away.z;
                        seats[p * TILE + LOCAL_ID] = seat[p];
                        names[p * TILE + LOCAL_ID] = name[p];
                        is_suspect |= may_be_excluded(&excluding, name[p], marks);
                    }
                    around = ball_around(seat);
                    around.w = is_suspect ? -around.w : around.w;
                }
                balls[LOCAL_ID] = around;
                SYNC_THREADS;
                /* a bit of those near, the first one's the highest */
                const int first = word * LISTED;
                uint near = 0;
                uint surely = 0;
                uint suspect = 0;
                for (int k = 0; k < LISTED; k++) {
                    const real4 other_ball = balls[first + k];
                    const real dx = ball.x - other_ball.x;
                    const real dy = ball.y - other_ball.y;
                    const real dz = ball.z - other_ball.z;
                    const real far = reach + FABS(other_ball.w);
                    const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                    near += near + (r2 <= far * far);
                    surely += surely + (r2 <= sure * sure);
                    suspect += suspect + (other_ball.w < 0);
                }
                near = is_there ? near << (32 - LISTED) : 0u;
                surely <<= 32 - LISTED;
                suspect <<= 32 - LISTED;
                for (uint left = near & ~surely; left != 0;) {
                    const int k = LEADING_ZEROS(left);
                    const uint bit = 0x80000000u >> k;
                    left ^= bit;
                    near ^= is_near_seat(own, seats, first + k, search_radius2) ? 0u : bit;
                }
                uint apart = 0;
                for (uint left = near & suspect; left != 0;) {
                    const int k = LEADING_ZEROS(left);
                    const uint bit = 0x80000000u >> k;
                    const int entry = queue[first + k];
                    int is_apart = 0;
                    for (int p = 0; p < PARTICLES; p++) {
                        is_apart |= is_excluded(&excluding, names[p * TILE + first + k]);
                    }
                    left ^= bit;
                    near ^= entry == column || is_apart ? bit : 0u; /* an entry without an image is a number alone */
                    apart ^= entry != column && is_apart ? bit : 0u;
                }
                /* both lists' counts in one number */
                room[LOCAL_ID] = BIT_COUNT(near) | BIT_COUNT(apart) << 16;
                SYNC_THREADS;
                int before = 0;
                int all = 0;
                for (int w = 0; w < WORDS; w++) {
                    before += w < word ? room[w * LISTED + c] : 0;
                    all += room[w * LISTED + c];
                }
                int to = count % 4 + (before & 0xffff);
                for (uint left = near; left != 0;) {
                    const int k = LEADING_ZEROS(left);
                    left ^= 0x80000000u >> k;
                    row[to++] = queue[first + k];
                }
                to = apart_count + (before >> 16);
                for (uint left = apart; left != 0; to++) {
                    const int k = LEADING_ZEROS(left);
                    left ^= 0x80000000u >> k;
                    if (to < apart_capacity) {
                        columns_apart[4 * (first_apart + (long64)(to / 4) * GROUP_COLUMNS) + to % 4] = queue[first + k];
                    }
                }
                SYNC_THREADS;
                const int full = (count % 4 + (all & 0xffff)) / 4;
                for (int q = word; q < full; q += WORDS) {
                    if (count / 4 + q < list_capacity / 4) {
                        columns[first_quad + (long64)(count / 4 + q) * GROUP_COLUMNS] =
                            make_int4(row[4 * q], row[4 * q + 1], row[4 * q + 2], row[4 * q + 3]);
                    }
                }
                count += all & 0xffff;
                apart_count += all >> 16;
                queued -= taken;
                SYNC_THREADS;
                /* the rest waits in front */
                if (word == 0) {
                    for (int k = 0; k < count % 4; k++) {
                        row[k] = row[4 * full + k];
                    }
                }
                for (int k = LOCAL_ID; k < queued; k += TILE) {
                    queue[k] = queue[TILE + k];
                }
            }
        }
    }
    if (word == 0 && is_there) {
        const int nobody = (n + PARTICLES - 1) / PARTICLES;
        if (count % 4 != 0 && count < list_capacity) {
            columns[first_quad + (long64)(count / 4) * GROUP_COLUMNS] =
                make_int4(row[0], count % 4 > 1 ? row[1] : nobody, count % 4 > 2 ? row[2] : nobody, nobody);
        }
        column_length[column] = count;
        apart_length[column] = apart_count;
        if (count > list_capacity || apart_count > apart_capacity) {
            (void)ATOMIC_EXCHANGE(&flags[0], 1);
        }
    }
}
