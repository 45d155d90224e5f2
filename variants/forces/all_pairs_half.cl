/*
 * all_pairs_half — each unordered pair once, strided over the work-items, added atomically to both particles
 *
 * Half the distances of all_pairs_loop, paid for with six atomic additions for each pair within the cutoff. The
 * unordered pairs are numbered by how far apart their indices are: i with i + 1, for all i, then i with i + 2, and
 * so on up to n / 2, indices taken modulo n; for even n the last distance holds n / 2 pairs only. So neighbouring
 * work-items read neighbouring particles, and no work-item needs a root or a long division to find its pair: it
 * steps on by the number of work-items. Wins over the loop where few pairs interact; loses where many do, since
 * atomics on one particle wait for each other. The order of additions changes from run to run.
 *
 * @workload    forces
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        all_pairs_half group per compute_unit * GROUPS_PER_UNIT
 * @tunable     GROUP_SIZE 64 128 256*
 * @tunable     GROUPS_PER_UNIT 4 8* 16
 * @source      the kernel all_pair of an article that ports a molecular dynamics code to CUDA; the numbering of
 *              pairs is our own
 */
KERNEL void all_pairs_half(int n, GLOBAL const real4 *RESTRICT position, box_args box,
                           real cutoff2, GLOBAL force_sum *RESTRICT force, int force_plane,
                           GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int last_distance = n / 2;
    const int last_pairs = n % 2 == 0 ? n / 2 : n;
    const int step = GLOBAL_SIZE;
    const int step_distance = step / n;
    const int step_i = step % n;
    int distance = 1 + GLOBAL_ID / n;
    int i = GLOBAL_ID % n;
    pair_sums sums;
    clear_sums(&sums);
    while (distance < last_distance || (distance == last_distance && i < last_pairs)) {
        const int j = i + distance < n ? i + distance : i + distance - n;
        const real4 pi = position[i];
        const real4 pj = position[j];
        const real4 d = displacement(pi, pj, box);
        COUNT_DISTANCE(&sums);
        if (IN_CUTOFF(d.w, cutoff2)) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, pi, pj, i, j, &energy);
            add_force(force, force_plane, i, f * d.x, f * d.y, f * d.z);
            add_force(force, force_plane, j, -f * d.x, -f * d.y, -f * d.z);
            add_to_sums(&sums, energy, f, d.x, d.y, d.z);
        }
        i += step_i;
        distance += step_distance;
        if (i >= n) {
            i -= n;
            distance++;
        }
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
