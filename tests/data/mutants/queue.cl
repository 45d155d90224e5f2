/*
 * queue — all pairs by work-items that take the next particle from a queue until there is none
 *
 * Where work-items run one after another, as on a processor, the first one may take nearly all, and add up all energies in
 * one number: right, if not as good as others. With MUTATION 1 one particle's energies are left out, which is wrong.
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      begin item per box
 * @pass      queue group per compute_unit
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1
 * @scratch   next int 1
 */
KERNEL void begin(GLOBAL int *RESTRICT next)
{
    if (GLOBAL_ID == 0) {
        next[0] = 0;
    }
}

KERNEL void queue(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2, GLOBAL int *RESTRICT next,
                  GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    pair_sums sums;
    clear_sums(&sums);
    for (int i = ATOMIC_ADD_INT(next, 1); i < n; i = ATOMIC_ADD_INT(next, 1)) {
        const real4 own = position[i];
        accum x = 0;
        accum y = 0;
        accum z = 0;
        for (int j = 0; j < n; j++) {
            const real4 d = displacement(own, position[j], box);
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, position[j], i, j, &energy);
                x += f * d.x;
                y += f * d.y;
                z += f * d.z;
                if (MUTATION != 1 || i != n / 2) {
                    add_to_sums(&sums, energy, f, d.x, d.y, d.z);
                }
            }
        }
        force[i] = make_accum4(x, y, z, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
