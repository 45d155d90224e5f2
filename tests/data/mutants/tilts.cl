/*
 * tilts — all pairs with one fault, chosen by MUTATION, that triclinic boxes of one shape do not show
 *
 *  0 none: must pass
 *  1 to 3: a tilt, x, y or z, is taken without its sign       4 to 6: with a minus, whatever its sign is
 *
 * @workload  forces
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      tilts item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   MUTATION 0 1 2 3 4 5 6
 */
DEVICE box_args faulty(box_args box)
{
#if TRICLINIC
    box.tilt.x = MUTATION == 1 ? FABS(box.tilt.x) : MUTATION == 4 ? -FABS(box.tilt.x) : box.tilt.x;
    box.tilt.y = MUTATION == 2 ? FABS(box.tilt.y) : MUTATION == 5 ? -FABS(box.tilt.y) : box.tilt.y;
    box.tilt.z = MUTATION == 3 ? FABS(box.tilt.z) : MUTATION == 6 ? -FABS(box.tilt.z) : box.tilt.z;
#endif
    return box;
}

KERNEL void tilts(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2, GLOBAL accum4 *RESTRICT force,
                  GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const real4 own = position[i];
        accum4 sum = make_accum4(0, 0, 0, 0);
        for (int j = 0; j < n; j++) {
            const real4 other = position[j];
            const real4 d = displacement(own, other, faulty(box));
            COUNT_DISTANCE(&sums);
            if (IN_CUTOFF(d.w, cutoff2) && j != i) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
                add_to_sums(&sums, energy, f, d.x, d.y, d.z);
            }
        }
        force[i] = sum;
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
