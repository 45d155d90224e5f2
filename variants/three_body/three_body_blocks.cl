/*
 * three_body_blocks — three_body_atomic over lists of 16 bits into partners in local memory
 *
 * As list_blocks of workload `forces`: a work-group is a block of 128 particles that lie together, whose partners are put into
 * local memory once. A centre finds its legs there and keeps them; then it works as three_body_atomic does. One that has more
 * than LEGS legs finds them again for each, in device memory.
 *
 * @workload    three_body
 * @structure   list_blocks
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        note_images item per particle every rebuild
 * @pass        gather_sorted item per particle
 * @pass        three_body_blocks item per particle
 * @scratch     sorted_thirds int particle
 * @scratch     sorted_now real4 particle
 * @tunable     GROUP_SIZE 128
 * @tunable     LEGS 4 8 16* 32
 * @tunable     STAGED 512* 768 1024
 * @tunable     SUB_BLOCK 4 8 16*
 * @tunable     BUILD_GROUPS 5 6*
 * @tunable     SPREAD 0 1*
 * @tunable     ORDER 0 1 2 3*
 * @tunable     CELLS_PER_CUTOFF 1 2*
 * @tunable     SKIN 12
 * @tunable     STABLE_SORT 0* 1
 */
KERNEL void note_images(int n, GLOBAL const real4 *RESTRICT sorted_position, box_args box, GLOBAL int *RESTRICT sorted_thirds)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_thirds[k] = THIRDS_SINCE(sorted_position[k], box);
    }
}

KERNEL void gather_sorted(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT sorted_index,
                          GLOBAL const real4 *RESTRICT sorted_position, GLOBAL const int *RESTRICT sorted_thirds,
                          box_args box, GLOBAL real4 *RESTRICT sorted_now)
{
    const int k = GLOBAL_ID;
    if (k < n) {
        sorted_now[k] = position_since(position[sorted_index[k]], k, sorted_position, sorted_thirds, box);
    }
}

/* What a centre's list is of. */
typedef struct {
    GLOBAL const real4 *sorted_now;
    GLOBAL const int *sorted_index;
    GLOBAL const int *entries; /* of the block's first part */
    GLOBAL const int *begin;   /* of its share of the first part; those of the others are `places` apart */
    GLOBAL const int *stop;
    GLOBAL const int4 *eights;
    int parts, places, type;
    real4 at;
} centre_list;

/* A place in it: entry u of eight k of a part. */
typedef struct {
    int part, k, u;
} list_place;

DEVICE list_place first_place(const centre_list *list)
{
    list_place place;
    place.part = 0;
    place.k = list->parts > 0 ? list->begin[0] : 0;
    place.u = 0;
    return place;
}

/* The next leg from a place on, which moves behind it; 0: there is none. */
DEVICE int next_leg(const centre_list *list, list_place *place, box_args box, real cutoff2, ELEMENT_PARAMETERS, body_leg *leg,
                    int *end)
{
    while (place->part < list->parts) {
        if (place->k >= list->stop[place->part * list->places]) {
            place->part++;
            place->u = 0;
            place->k = place->part < list->parts ? list->begin[place->part * list->places] : 0;
            continue;
        }
        GLOBAL const int *entries = list->entries + (long64)place->part * (STAGED + 32);
        const int slot = (int)(entry_of_eight(list->eights[place->k * 32], place->u) / 16);
        place->k += place->u == 7;
        place->u = (place->u + 1) % 8;
        if (slot < STAGED) {
            const int sorted = entry_place(entries[slot]);
            const real4 d = difference_to(placed_at(list->sorted_now[sorted], entries[slot], box), list->at);
            *end = list->sorted_index[sorted];
            if (IN_CUTOFF(d.w, cutoff2) && make_leg(d, list->type, ELEMENT_OF(*end), ELEMENT_ARGUMENTS, leg)) {
                return 1;
            }
        }
    }
    return 0;
}

/* The forces of a centre whose legs are too many to be kept. */
DEVICE void add_legs_of_list(const centre_list *list, box_args box, real cutoff2, ELEMENT_PARAMETERS,
                            GLOBAL force_sum *RESTRICT force, int force_plane, own_force *sum, pair_sums *sums)
{
    body_leg first;
    body_leg second;
    int j;
    int k;
    int a = 0;
    for (list_place one = first_place(list); next_leg(list, &one, box, cutoff2, ELEMENT_ARGUMENTS, &first, &j); a++) {
        own_force on_first;
        real order = REAL(0.0);
        int b = 0;
        clear_force(&on_first);
#if WITH_ORDERS
        for (list_place other = first_place(list); next_leg(list, &other, box, cutoff2, ELEMENT_ARGUMENTS, &second, &k); b++) {
            if (b != a) {
                order += order_of(&first, &second, list->type, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS);
            }
        }
        b = 0;
#endif
        const real weight = add_bond(sum, &on_first, sums, &first, list->type, ELEMENT_OF(j), ELEMENT_ARGUMENTS, order);
        for (list_place other = first_place(list); next_leg(list, &other, box, cutoff2, ELEMENT_ARGUMENTS, &second, &k); b++) {
            if (b != a && b >= FIRST_AFTER(a)) {
                const body_triplet triplet =
                    triplet_of(&first, &second, list->type, ELEMENT_OF(j), ELEMENT_OF(k), ELEMENT_ARGUMENTS, weight);
                add_to_centre(sum, &triplet);
                add_vector(&on_first, triplet.on_first);
                add_force(force, force_plane, k, triplet.on_second.x, triplet.on_second.y, triplet.on_second.z);
                add_triplet_to_sums(sums, &first, &second, &triplet);
            }
        }
        add_own_force(force, force_plane, j, &on_first);
    }
}

KERNEL void three_body_blocks(int n, GLOBAL const real4 *RESTRICT sorted_now, GLOBAL const int *RESTRICT place_sorted,
                              GLOBAL const int *RESTRICT sorted_index, GLOBAL const int *RESTRICT block_parts,
                              GLOBAL const int *RESTRICT block_entries, GLOBAL const int *RESTRICT part_begin,
                              GLOBAL const int *RESTRICT part_stop, GLOBAL const int4 *RESTRICT slot_lists, int part_capacity,
                              int slot_capacity, box_args box, real cutoff2, int element_count,
                              GLOBAL const int *RESTRICT elements, GLOBAL const real4 *RESTRICT element_pairs,
                              GLOBAL const real2 *RESTRICT element_triplets, GLOBAL force_sum *RESTRICT force, int force_plane,
                              GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    STAGED_POSITIONS
    const int place = GLOBAL_ID;
    const int sorted = place < n ? place_sorted[place] : 0;
    const int i = sorted_index[sorted];
    centre_list list;
    list.sorted_now = sorted_now;
    list.sorted_index = sorted_index;
    list.entries = ENTRIES_OF_PART(0);
    list.begin = part_begin + place;
    list.stop = part_stop + place;
    list.eights = slot_lists + (long64)(place / 32) * (slot_capacity / 8) * 32 + place % 32;
    list.parts = block_parts[GROUP_ID];
    list.places = GLOBAL_SIZE;
    list.type = ELEMENT_OF(i);
    list.at = sorted_now[sorted];
    pair_sums sums;
    own_force sum;
    body_leg legs[LEGS];
    int ends[LEGS];
    int count = 0;
    clear_sums(&sums);
    clear_force(&sum);
    for (int part = 0; part < list.parts; part++) {
        GLOBAL const int *entries = ENTRIES_OF_PART(part);
        const int stop = part_stop[part * GLOBAL_SIZE + place];
        STAGE_PART(entries, sorted_now, placed_at(at, entry, box));
        SYNC_THREADS;
        for (int k = part_begin[part * GLOBAL_SIZE + place]; k < stop; k++) {
            const int4 eight = READ_ONCE(&list.eights[k * 32]);
            UNROLLED for (int u = 0; u < 8; u++) {
                const uint entry = entry_of_eight(eight, u);
                const real4 d = difference_to(STAGED_AT(entry), list.at);
                if (IN_CUTOFF(d.w, cutoff2)) {
                    const int end = sorted_index[entry_place(entries[entry / 16])];
                    body_leg leg;
                    if (make_leg(d, list.type, ELEMENT_OF(end), ELEMENT_ARGUMENTS, &leg)) {
                        if (count < LEGS) {
                            legs[count] = leg;
                            ends[count] = end;
                        }
                        count++;
                    }
                }
            }
        }
        SYNC_THREADS;
    }
    if (place < n) {
        if (count <= LEGS) {
            weigh_legs(legs, ends, count, list.type, ELEMENT_ARGUMENTS);
            for (int a = 0; a < count; a++) {
                const own_force on_end = force_on_end(legs, ends, count, a, list.type, ELEMENT_ARGUMENTS, &sum, &sums);
                add_own_force(force, force_plane, ends[a], &on_end);
            }
        } else {
            add_legs_of_list(&list, box, cutoff2, ELEMENT_ARGUMENTS, force, force_plane, &sum, &sums);
        }
        add_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
