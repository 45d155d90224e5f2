/*
 * clusters_outer — super-clusters of 64 particles that follow each other along a curve, and the clusters near to each
 *
 * A super-cluster is eight clusters of 8, of which every pair of super-clusters, or of one and an image of itself, is listed by one
 * of the two. What it lists are clusters of PARTNERS particles (4 or 8), with a word each: bits 0 to 7 say which of its own
 * clusters are near, those from 8 on the image as list_entries.cl codes it. Near is whose boxes are: the list is longer than it has to be,
 * and clusters_8x8.cl finds by distances what of it matters.
 *
 * A group per super-cluster goes down a tree of boxes (box_tree.cl) whose level 0 is super-clusters.
 *
 * Clusters with a particle that is excluded from a pair with the super-cluster stand in a list of their own, beside two words per
 * particle: bit k of both together says that it is excluded with particle k of the super-cluster. That list begins with the
 * super-cluster itself. Which they are is looked up among the super-cluster's molecules (or particles) in order. What does not fit is
 * counted and not written, and `overflow` says so.
 */
#define SUPER 64
#define SUPER_CLUSTERS (SUPER / PARTNERS)

/* ---- the lists ---- */

/* Who is excluded from pairs with whom: one of the particles of a super-cluster, and how that is known (group_lists.cl). By `own_keys` it is
 * decided whether there is any: the indices of its particles, or their molecules, in order. */
typedef struct {
    int kind;
    GLOBAL const int *excluded_start, *excluded, *molecule;
    LOCAL_ARG const int *own_index, *own_molecule, *own_keys;
} super_exclusions;

/* Puts the keys of the super-cluster's particles in order: every work-item that has one calls it with its number. */
DEVICE void sort_keys(LOCAL_ARG int *own_keys, LOCAL_ARG const int *keys, int number)
{
    int before = 0;
    for (int k = 0; k < SUPER; k++) {
        before += keys[k] < keys[number] || (keys[k] == keys[number] && k < number);
    }
    own_keys[before] = keys[number];
}

DEVICE int is_among(LOCAL_ARG const int *own_keys, int key)
{
    int at = 0;
    for (int step = SUPER / 2; step > 0; step /= 2) {
        at += own_keys[at + step - 1] < key ? step : 0;
    }
    return own_keys[at] == key;
}

/* Whether a cluster has a particle that is excluded from some pair with the super-cluster. */
DEVICE int has_excluded(super_exclusions exclusions, int cluster, uint word, int n, GLOBAL const int *RESTRICT place_index)
{
    int has = 0;
    for (int k = 0; word != 0 && exclusions.kind != 0 && k < PARTNERS; k++) {
        const int place = cluster * PARTNERS + k;
        const int j = place < n ? place_index[place] : 0;
        if (place < n && exclusions.kind == BY_MOLECULE) {
            has |= is_among(exclusions.own_keys, exclusions.molecule[j]);
        } else if (place < n) {
            for (int e = exclusions.excluded_start[j]; e < exclusions.excluded_start[j + 1]; e++) {
                has |= is_among(exclusions.own_keys, exclusions.excluded[e]);
            }
        }
    }
    return has;
}

/* Word k of those of a cluster's particles, two each, for those of the super-cluster that they are excluded with; zero for nobody. */
DEVICE uint excluded_word(super_exclusions exclusions, int cluster, int k, int n, GLOBAL const int *RESTRICT place_index)
{
    const int place = cluster * PARTNERS + k / 2;
    const int first = 32 * (k % 2);
    return place < n ? exclusion_mask(exclusions.kind, place_index[place], exclusions.own_index + first,
                                      exclusions.own_molecule + first, exclusions.excluded_start, exclusions.excluded,
                                      exclusions.molecule)
                     : 0u;
}

/* Brings the super-cluster's particles, and the boxes of its eight clusters, into local memory. */
DEVICE void load_super(int super, int n, GLOBAL const int *RESTRICT place_index, int exclusions,
                       GLOBAL const int *RESTRICT molecule, GLOBAL const real4 *RESTRICT cluster_box,
                       LOCAL_ARG int *own_index, LOCAL_ARG int *own_molecule, LOCAL_ARG real4 *least, LOCAL_ARG real4 *most)
{
    if (LOCAL_ID < SUPER) {
        const int place = super * SUPER + LOCAL_ID;
        own_index[LOCAL_ID] = place < n ? place_index[place] : -1;
        own_molecule[LOCAL_ID] = place < n && exclusions == BY_MOLECULE ? molecule[place_index[place]] : 0;
    }
    if (LOCAL_ID < 8) {
        corners cluster = no_corners();
        for (int c = 0; c < SUPER_CLUSTERS / 8; c++) {
            cluster = join_corners(cluster, read_corners(cluster_box, (super * 8 + LOCAL_ID) * (SUPER_CLUSTERS / 8) + c));
        }
        least[LOCAL_ID] = cluster.least;
        most[LOCAL_ID] = cluster.most;
    }
}

/* Which of the super-cluster's eight clusters a box is near to, a bit each. */
DEVICE uint near_clusters(LOCAL_ARG const real4 *least, LOCAL_ARG const real4 *most, corners theirs, real4 shift, real near2)
{
    uint word = 0;
    for (int c = 0; c < 8; c++) {
        corners ours;
        ours.least = least[c];
        ours.most = most[c];
        word |= (uint)(gap2_to(ours, theirs, shift) <= near2) << c;
    }
    return word;
}

/* The two lists of a super-cluster: `masked` has those with excluded particles, and bits. */
typedef struct {
    block_list plain, masked;
    GLOBAL uint *plain_words, *masked_words, *bits;
} outer_lists;

/* The super-cluster itself: of two of its clusters, the later one is a partner of the earlier one. */
DEVICE void list_own_clusters(outer_lists lists, int super, int n)
{
    if (LOCAL_ID < SUPER_CLUSTERS) {
        const int cluster = super * SUPER_CLUSTERS + LOCAL_ID;
        lists.masked.entries[LOCAL_ID] = cluster;
        lists.masked_words[LOCAL_ID] = cluster * PARTNERS < n ? (2u << (LOCAL_ID * PARTNERS / 8)) - 1u : 0u;
    }
}

/* Puts a cluster at a place of one of the lists, where there is room. No branch within a branch: the compiler of PoCL 5.0 aborts where
 * one ends in front of a barrier, as the caller's does. */
DEVICE void list_cluster(outer_lists lists, int is_masked, int to, int cluster, uint word)
{
    if (is_masked && to < lists.masked.capacity) {
        lists.masked.entries[to] = cluster;
        lists.masked_words[to] = word;
    } else if (!is_masked && to < lists.plain.capacity) {
        lists.plain.entries[to] = cluster;
        lists.plain_words[to] = word;
    }
}

KERNEL void fill_outer(int n, int supers, real search_radius2, GLOBAL const int *RESTRICT place_index,
                       GLOBAL const real4 *RESTRICT cluster_box, GLOBAL const real4 *RESTRICT node_box, box_args box,
                       int exclusions, GLOBAL const int *RESTRICT excluded_start, GLOBAL const int *RESTRICT excluded,
                       GLOBAL const int *RESTRICT molecule, int outer_capacity, int mask_capacity,
                       GLOBAL int *RESTRICT outer_length, GLOBAL int *RESTRICT outer_entries,
                       GLOBAL uint *RESTRICT outer_words, GLOBAL int *RESTRICT masked_length,
                       GLOBAL int *RESTRICT masked_entries, GLOBAL uint *RESTRICT masked_outer_words,
                       GLOBAL uint *RESTRICT excluded_bits, GLOBAL int *RESTRICT overflow)
{
    LOCAL int own_index[SUPER];
    LOCAL int own_molecule[SUPER];
    LOCAL int own_keys[SUPER];
    LOCAL real4 least[8];
    LOCAL real4 most[8];
    LOCAL int room[GROUP_SIZE];
    LOCAL int stack[STACK];
    LOCAL int found[GROUP_SIZE];
    const int super = GROUP_ID;
    const real near2 = search_radius2 * HAIR;
    const box_tree tree = make_tree(supers);
    const corners own = read_corners(node_box, super);
    load_super(super, n, place_index, exclusions, molecule, cluster_box, own_index, own_molecule, least, most);
    SYNC_THREADS;
    if (LOCAL_ID < SUPER) {
        sort_keys(own_keys, exclusions == BY_MOLECULE ? own_molecule : own_index, LOCAL_ID);
    }
    const super_exclusions excluding = { exclusions, excluded_start, excluded, molecule, own_index, own_molecule, own_keys };
    const long64 plain_row = (long64)super * outer_capacity;
    const long64 masked_row = (long64)super * mask_capacity;
    outer_lists lists = { { outer_entries + plain_row, 0, outer_capacity },
                          { masked_entries + masked_row, SUPER_CLUSTERS, mask_capacity },
                          outer_words + plain_row, masked_outer_words + masked_row,
                          excluded_bits + masked_row * (2 * PARTNERS) };
    list_own_clusters(lists, super, n);
    int waiting = begin_walk(tree, stack);
    SYNC_THREADS;
    while (waiting > 0) {
        const int total = find_children(super, 1, own, tree, node_box, box, near2, room, stack, &waiting, found);
        SYNC_THREADS;
        /* the clusters of super-clusters */
        for (int base = 0; base < total * SUPER_CLUSTERS; base += LOCAL_SIZE) {
            const int at = base + LOCAL_ID;
            int cluster = 0;
            int image = HOME_IMAGE;
            uint word = 0;
            if (at < total * SUPER_CLUSTERS) {
                const int node = found[at / SUPER_CLUSTERS];
                image = found_image(node);
                cluster = found_node(node) * SUPER_CLUSTERS + at % SUPER_CLUSTERS;
                word = near_clusters(least, most, read_corners(cluster_box, cluster), shift_of_image(image, box), near2);
            }
            const int is_listed = word != 0;
            const int is_masked = has_excluded(excluding, cluster, word, n, place_index);
            word |= (uint)((image + 27 - HOME_IMAGE) % 27) << 8;
            /* both lists' counts in one number: there are fewer than 2^16 work-items */
            const int ahead = scan_group(room, is_listed ? (is_masked ? 1 << 16 : 1) : 0);
            const int both = room[LOCAL_SIZE - 1];
            if (is_listed) {
                const int to = is_masked ? lists.masked.count + (ahead >> 16) - 1 : lists.plain.count + (ahead & 0xffff) - 1;
                list_cluster(lists, is_masked, to, cluster, word);
            }
            lists.plain.count += both & 0xffff;
            lists.masked.count += both >> 16;
            SYNC_THREADS;
        }
    }
    /* the words of those with excluded pairs, which few are: a work-item each */
    const int masked = lists.masked.count < mask_capacity ? lists.masked.count : mask_capacity;
    for (int k = LOCAL_ID; k < masked * (2 * PARTNERS); k += LOCAL_SIZE) {
        lists.bits[k] = excluded_word(excluding, lists.masked.entries[k / (2 * PARTNERS)], k % (2 * PARTNERS), n, place_index);
    }
    if (LOCAL_ID == 0) {
        outer_length[super] = lists.plain.count;
        masked_length[super] = lists.masked.count;
        if (lists.plain.count > outer_capacity || lists.masked.count > mask_capacity) {
            (void)ATOMIC_EXCHANGE(overflow, 1);
        }
    }
}
