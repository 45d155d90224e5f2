/*
 * list_lanes — LANES work-items per particle, side by side down its row of a list of neighbours
 *
 * As list_walk, but a row is read by several lanes at a time, from one run of memory, and their sums are added up in local
 * memory. Few particles fill a device so, and lanes of a warp have rows of few lengths to wait for. Every neighbour's
 * position is gathered for one pair, and gathers are what binds it; what a lane adds up is little, and the sum over lanes
 * takes the more of the time the more of them there are. Where particles are few it is waiting that binds: a lane asks for
 * AT_ONCE positions at a time. Each pair is computed from both sides; no atomics. On an H200 (density 0.8442, cutoff 2.5, skin
 * 0.3, float), over 16 000 particles: LANES=4 AT_ONCE=1 14.4 us, LANES=8 10.2, LANES=8 AT_ONCE=4 9.7; over 2 048 000, LANES=4:
 * 0.45 ms, with AT_ONCE=1 0.53, where list_walk takes 0.89.
 *
 * @workload  forces
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      list_lanes item per particle * LANES
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   LANES 2 4* 8 16 32
 * @tunable   AT_ONCE 1 2 4* 8
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 * @source    W. M. Brown, P. Wang, S. J. Plimpton, A. N. Tharrington, Comput. Phys. Commun. 182, 898 (2011); J. Glaser et
 *            al., Comput. Phys. Commun. 192, 97 (2015)
 */
KERNEL void list_lanes(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                       GLOBAL const int *RESTRICT neighbours, int list_capacity, box_args box,
                       real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                       GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    LOCAL force_sum of_lane[OWN_FORCE_NUMBERS * GROUP_SIZE];
    const int i = GLOBAL_ID / LANES_PER_PARTICLE;
    const int lane = GLOBAL_ID % LANES_PER_PARTICLE;
    own_force sum;
    pair_sums sums;
    clear_force(&sum);
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        const int count = neighbour_count[i];
        GLOBAL const int *row = neighbours + (long64)i * list_capacity;
        for (int k = lane; k < count; k += AT_ONCE * LANES_PER_PARTICLE) {
            int partner[AT_ONCE];
            real4 other[AT_ONCE];
            for (int u = 0; u < AT_ONCE; u++) {
                const int at = k + u * LANES_PER_PARTICLE;
                partner[u] = row[at < count ? at : k];
            }
            for (int u = 0; u < AT_ONCE; u++) {
                other[u] = position[partner[u]];
            }
            for (int u = 0; u < AT_ONCE; u++) {
                const real4 d = displacement(own, other[u], box);
                const int counts = k + u * LANES_PER_PARTICLE < count;
                if (counts) {
                    COUNT_DISTANCE(&sums);
                }
                if (counts && IN_CUTOFF(d.w, cutoff2)) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(d.w, own, other[u], i, partner[u], &energy);
                    add_to_force(&sum, f * d.x, f * d.y, f * d.z);
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
        }
    }
    own_force_over_lanes(of_lane, LANES_PER_PARTICLE, 1, lane == 0, &sum);
    if (i < n && lane == 0) {
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
