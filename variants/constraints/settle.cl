/*
 * settle — one rigid water per work-item, solved in closed form
 *
 * The constraint forces lie in the plane of the molecule before the step, add up to nothing and turn nothing about its normal.
 * In axes of that plane, the triangle behind the step is the rigid one turned about three axes: two angles follow from how far
 * out of the plane each particle has come, the third from what must not turn. No iteration, no tolerance. Velocities take
 * the three multipliers from a symmetric system of three equations, by its cofactors.
 *
 * Takes molecules of three particles alone, all three distances constrained: two equal ones, to the particle at the tip,
 * and the other two particles of like masses. water_atoms has the tip first; a particle by itself has -1 behind it.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      settle item per molecule
 * @tunable   GROUP_SIZE 64 128* 256
 * @source    S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13 (1992) 952
 */

KERNEL void settle(int molecule_count, box_args box, GLOBAL const real4 *RESTRICT position,
                   GLOBAL const accum4 *RESTRICT displacement, GLOBAL const int4 *RESTRICT water_atoms,
                   GLOBAL const accum4 *RESTRICT water_shape, GLOBAL accum4 *RESTRICT constrained)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = water_atoms[m];
        accum4 tip = displacement[atoms.x];
        if (atoms.y >= 0) {
            const real4 origin = position[atoms.x];
            const accum4 b = constraint_vector(position[atoms.y], origin, box);
            const accum4 c = constraint_vector(position[atoms.z], origin, box);
            accum4 left = displacement[atoms.y];
            accum4 right = displacement[atoms.z];
            if (CONSTRAIN_VELOCITIES) {
                settle_velocities(b, c, &tip, &left, &right);
            } else {
                settle_displacements(b, c, water_shape[m], &tip, &left, &right);
            }
            constrained[atoms.y] = left;
            constrained[atoms.z] = right;
        }
        constrained[atoms.x] = tip;
    }
}
