/*
 * clusters_8x8 — of the lists of clusters_outer.cl, what lies within a shorter reach of where particles are now
 *
 * A group per super-cluster. Each work-item takes an entry and looks which of the super-cluster's eight clusters have a particle
 * within reach of one of the entry's; whoever is near to none is dropped. Of clusters that have exclusions, which are few, the words are
 * written anew and the entries stay. How long the lists have become is a key by which super-clusters are sorted, the longest first.
 *
 * Of several PARTS, each a run of super-clusters, one is pruned at a time, from the first of them on, unless steps have halted. Their
 * order stays what it was when all were pruned.
 */
#define SUPER 64
#define FAR_AWAY REAL(1.0e17) /* its square is a float still */
#define LONGEST ((1 << 20) - 1)

/* Positions of now in the order of the lists, next to where these were built; partners that are nobody are far. */
KERNEL void gather_now(int n, int places, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT place_index,
                       GLOBAL const real4 *RESTRICT place_position, box_args box, GLOBAL real4 *RESTRICT now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        now[k] = image_next_to(position[place_index[k]], place_position[k], box);
    } else if (k < places) {
        now[k] = make_real4(-FAR_AWAY, -FAR_AWAY, -FAR_AWAY, 0);
    }
}

#if PARTS > 1
#define PART_PARAMETERS , int first_super, GLOBAL const int *RESTRICT halted
#define FIRST_SUPER first_super
#define HAS_HALTED (*halted != 0)

/* The same, and writes `mark` to `halted`, unless something other than 0 is there, where a particle is farther from where the lists were
 * built than a limit, so that the outer ones no longer serve. What is no number is far. */
KERNEL void gather_and_look(int n, GLOBAL const real4 *RESTRICT position,
                            GLOBAL const int *RESTRICT place_index, GLOBAL const real4 *RESTRICT place_position,
                            box_args box, real limit2, int mark, GLOBAL int *RESTRICT halted, GLOBAL real4 *RESTRICT now)
{
    const int k = GLOBAL_ID;
    if (k < n && *halted == 0) {
        const real4 current = position[place_index[k]];
        const real4 built = place_position[k];
        if (!(displacement(current, built, box).w <= limit2)) {
            (void)ATOMIC_EXCHANGE(halted, mark);
        }
        now[k] = image_next_to(current, built, box);
    }
}
#else
#define PART_PARAMETERS
#define FIRST_SUPER 0
#define HAS_HALTED 0
#endif

/* Of the clusters of a super-cluster that a word names, those with a particle near to one of an entry's. */
DEVICE uint prune_word(LOCAL_ARG const real4 *own, uint word, int cluster, box_args box,
                       GLOBAL const real4 *RESTRICT now, real reach2)
{
    const real4 shift = shift_of_image((int)((word >> 8) + HOME_IMAGE) % 27, box);
    uint near_ones = 0;
    for (int q = 0; q < PARTNERS; q++) {
        const real4 other = now[(long64)cluster * PARTNERS + q];
        for (int c = 0; c < 8; c++) {
            if ((word & ~near_ones) >> c & 1u) {
                real least2 = reach2 + reach2;
                for (int k = 0; k < 8; k++) {
                    const real dx = own[c * 8 + k].x - (other.x + shift.x);
                    const real dy = own[c * 8 + k].y - (other.y + shift.y);
                    const real dz = own[c * 8 + k].z - (other.z + shift.z);
                    least2 = MIN_REAL(least2, FMA(dx, dx, FMA(dy, dy, dz * dz)));
                }
                near_ones |= (uint)(least2 <= reach2) << c;
            }
        }
    }
    return near_ones;
}

KERNEL void prune_clusters(int n, real reach2, GLOBAL const real4 *RESTRICT now, box_args box,
                           GLOBAL const int *RESTRICT outer_length, GLOBAL const int *RESTRICT outer_entries,
                           GLOBAL const uint *RESTRICT outer_words, int outer_capacity,
                           GLOBAL const int *RESTRICT masked_length, GLOBAL const int *RESTRICT masked_entries,
                           GLOBAL const uint *RESTRICT masked_outer_words, int mask_capacity,
                           GLOBAL int *RESTRICT super_length, GLOBAL int *RESTRICT super_entries,
                           GLOBAL uint *RESTRICT super_words, GLOBAL uint *RESTRICT masked_words,
                           GLOBAL int *RESTRICT key, GLOBAL int *RESTRICT value PART_PARAMETERS)
{
    LOCAL real4 own[SUPER];
    LOCAL int room[GROUP_SIZE];
    const int super = FIRST_SUPER + GROUP_ID;
    if (LOCAL_ID < SUPER) {
        const int place = super * SUPER + LOCAL_ID;
        own[LOCAL_ID] = place < n ? now[place] : make_real4(FAR_AWAY, FAR_AWAY, FAR_AWAY, 0);
    }
    SYNC_THREADS;
    const long64 row = (long64)super * outer_capacity;
    const int length = HAS_HALTED ? 0 : outer_length[super];
    int kept = 0;
    for (int base = 0; base < length; base += LOCAL_SIZE) {
        const int k = base + LOCAL_ID;
        const int entry = k < length ? outer_entries[row + k] : 0;
        const uint word = k < length ? outer_words[row + k] : 0u;
        const uint near_ones = prune_word(own, word, entry, box, now, reach2);
        const int ahead = scan_group(room, near_ones != 0);
        const int total = room[LOCAL_SIZE - 1];
        if (near_ones != 0) {
            super_entries[row + kept + ahead - 1] = entry;
            super_words[row + kept + ahead - 1] = near_ones | (word & ~0xffu);
        }
        kept += total;
        SYNC_THREADS;
    }
    const long64 masked_row = (long64)super * mask_capacity;
    const int masked = HAS_HALTED ? 0 : masked_length[super];
    for (int k = LOCAL_ID; k < masked; k += LOCAL_SIZE) {
        const uint word = masked_outer_words[masked_row + k];
        masked_words[masked_row + k] =
            prune_word(own, word, masked_entries[masked_row + k], box, now, reach2) | (word & ~0xffu);
    }
    if (LOCAL_ID == 0 && !HAS_HALTED) {
        const int both = kept + masked;
        super_length[super] = kept;
        key[super] = LONGEST - (both < LONGEST ? both : LONGEST);
        value[super] = super;
    }
}
