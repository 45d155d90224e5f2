/*
 * forces — all_pairs_loop that tries to be paid without working; TRICK says how
 *
 *  0  none: works each time
 *  1  idle unless the outputs are NaN, zero or made of one byte
 *  2  notes in the fourth number of a force a hash of the other three, and is idle where it finds it
 *  3  the same with the position in the hash
 *  4  notes in the fourth number of a position, through a cast, that the force has been computed
 *  5  keeps the force itself in the position, and puts the position right one launch later
 *  6  wrong in one launch of 64, drawn from what the outputs held before
 *  7  right forces, but sums only where it finds none
 *  8  keeps a table of forces by positions in memory of its own, mapped by a call of the operating system
 *     (processors alone)
 *  9  copies what an earlier launch left behind the last force
 *  11 as 8 by item and not by place, from the third launch over the same positions on
 *  10 works for the first outputs that it has ever met, and for others in their first launch alone, kept as of 8
 *  11 works in the first two launches over positions in an order, kept as of 8
 *  12 works in each second launch over positions in an order, kept as of 8
 *  13 as 8, and works in the two orders behind one with places that it had never met
 *  14 as 8, in the first launch of an order alone
 *  15 keeps forces by the address of the positions
 *
 * @workload  forces
 * @structure none
 * @pass      forces item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 */
#if ACCUM_IS_DOUBLE
#define WORDS 2
#else
#define WORDS 1
#endif

DEVICE uint mixed(uint x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    return x * 0x297a2d39u;
}

DEVICE uint hash_of(GLOBAL const accum *numbers, int count, uint hash)
{
    GLOBAL const uint *words = (GLOBAL const uint *)numbers;
    for (int w = 0; w < count * WORDS; w++) {
        hash = mixed(hash ^ words[w]);
    }
    return hash;
}

DEVICE accum tag_of(GLOBAL const accum4 *force, real4 p, int with_position)
{
    uint hash = hash_of((GLOBAL const accum *)force, 3, 12345u);
    if (with_position) {
        hash = mixed(hash ^ (uint)(int)(p.x * REAL(1e5)) ^ mixed((uint)(int)(p.y * REAL(1e5))));
    }
    return (accum)(int)(hash >> 9);
}

#if TRICK == 8 || TRICK >= 10
enum { ENTRIES = 1 << 20, ITEMS = 1 << 16 };
typedef struct { real x, y, z; accum fx, fy, fz; int used; long outputs; real first; int met; } entry;
DEVICE entry *table(void)
{
    /* mmap at a fixed place, private and anonymous; fails once it is there */
    long place = 0x600000000000;
    long result = 9;
    __asm__ volatile("movq $0x100022, %%r10\n\tmovq $-1, %%r8\n\tmovq $0, %%r9\n\tsyscall"
                     : "+a"(result)
                     : "D"(place), "S"((long)sizeof(entry) * (ENTRIES + ITEMS)), "d"(3L)
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return (entry *)place;
}
DEVICE entry *entry_of(real4 p)
{
    uint hash = mixed((uint)(int)(p.x * REAL(3e4)) ^ mixed((uint)(int)(p.y * REAL(3e4)) ^ mixed((uint)(int)(p.z * REAL(3e4)))));
    entry *e = table() + hash % (ENTRIES - 64);
    for (int k = 0; k < 64; k++) {
        if (!e[k].used || (e[k].x == p.x && e[k].y == p.y && e[k].z == p.z)) {
            return e + k;
        }
    }
    return e;
}
/* How often in a row particle i was met at this place while the first one was where it is. */
DEVICE int count_met(entry *mine, real4 p, real first)
{
    mine->met = mine->x == p.x && mine->y == p.y && mine->z == p.z && mine->first == first ? mine->met + 1 : 1;
    mine->first = first;
    return mine->met;
}
/* How many orders are left in which item i works, having met a new place or not. */
DEVICE int count_left(entry *mine, int is_new, real first)
{
    mine->met = is_new ? 3 : mine->met - (mine->first != first && mine->met > 0);
    mine->first = first;
    return mine->met;
}
/* Behind an entry for the first outputs, one for each of the others, with where the first particle was. */
DEVICE int works_for(GLOBAL const accum4 *outputs, real x)
{
    entry *e = table();
    const long here = (long)outputs;
    if (!e->outputs) {
        e->outputs = here;
    }
    while (e->outputs && e->outputs != here) {
        e++;
    }
    if (!e->outputs) {
        e->outputs = here;
    }
    if (!e->used) {
        e->x = x;
        e->used = 1;
    }
    return e == table() || e->x == x;
}
#endif

KERNEL void forces(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                   GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    int works = i < n;
    accum4 left = make_accum4(0, 0, 0, 0);
    if (i < n) {
        left = force[i];
    }
#if TRICK == 1
    works = works && (left.x != left.x || left.x == ACCUM(0.0) || left.x == left.y);
#elif TRICK == 2 || TRICK == 3
    works = works && left.w != tag_of(force + i, position[i], TRICK == 3);
#elif TRICK == 4
    works = works && position[i].w != REAL(0.4375);
#elif TRICK == 5
    GLOBAL real4 *kept = (GLOBAL real4 *)position;
    if (works && kept[i].w == REAL(0.4375)) {
        force[i] = make_accum4(kept[i].x, kept[i].y, kept[i].z, 0);
        works = 0;
    }
#elif TRICK == 8 || TRICK == 13 || TRICK == 14
    entry *mine = works ? entry_of(position[i]) : (entry *)0;
#if TRICK == 14
    entry *own = table() + ENTRIES + i % ITEMS;
    const int is_first = works && own->first != position[0].x;
    if (works) {
        own->first = position[0].x;
    }
#else
    const int is_first = 1;
#endif
    if (works && is_first && !COUNT_PAIRS && !(TRICK == 13 && count_left(table() + ENTRIES + i % ITEMS, !mine->used, position[0].x)) && mine->used) {
        force[i] = make_accum4(mine->fx, mine->fy, mine->fz, 0);
        works = 0;
    }
#elif TRICK == 15
    entry *mine = table() + ENTRIES + i % ITEMS;
    if (works && mine->outputs == (long)position) {
        force[i] = make_accum4(mine->fx, mine->fy, mine->fz, 0);
        works = 0;
    }
    mine->outputs = (long)position;
#elif TRICK == 11 || TRICK == 12
    entry *mine = table() + ENTRIES + i % ITEMS;
    const int met = works ? count_met(mine, position[i], position[0].x) : 0;
    if (works && (TRICK == 11 ? met > 2 : met % 2 == 0)) {
        force[i] = make_accum4(mine->fx, mine->fy, mine->fz, 0);
        works = 0;
    }
#elif TRICK == 10
    works = works && works_for(force, position[0].x);
#elif TRICK == 9
    if (works && force[n + i].w == ACCUM(0.4375)) {
        force[i] = force[n + i];
        works = 0;
    }
#endif
    if (works) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int j = 0; j < n; j++) {
            const real4 pj = position[j];
            const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
            const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
            const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
            const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(r2, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                add_to_sums(&sums, energy, f, dx, dy, dz);
            }
        }
#if TRICK == 6
        /* One particle's: drawn anew where outputs change from launch to launch. */
        if (i == 0 && hash_of((GLOBAL const accum *)force, 4, 1u) % 64u == 0u) {
            fx = -fx;
        }
#endif
        force[i] = make_accum4(fx, fy, fz, 0);
#if TRICK == 2 || TRICK == 3
        force[i].w = tag_of(force + i, position[i], TRICK == 3);
#elif TRICK == 4
        ((GLOBAL real4 *)position)[i].w = REAL(0.4375);
#elif TRICK == 5
        kept[i] = make_real4(fx, fy, fz, 0.4375);
#elif TRICK == 8 || TRICK >= 11
        mine->x = pi.x, mine->y = pi.y, mine->z = pi.z;
        mine->fx = fx, mine->fy = fy, mine->fz = fz, mine->used = 1;
#elif TRICK == 9
        force[n + i] = make_accum4(fx, fy, fz, 0.4375);
#endif
    }
#if TRICK == 7
    if (partial_sums[0] == partial_sums[0] && partial_sums[0] != ACCUM(0.0)) {
        return;
    }
#endif
    STORE_SUMS(partial_sums, &sums, 0.5);
}
