/*
 * ccma — one work-group per block of molecules, all constraints at once through an approximate inverse
 *
 * The matrix that couples the multipliers of a molecule hardly changes from step to step, and the elements of its inverse
 * fall off quickly with how far apart two constraints are. So a sparse inverse is made once, by the host, of the matrix at
 * the positions that the box began with: of each constraint's neighbourhood, without the elements below a fiftieth of the
 * diagonal. An iteration finds what every constraint wants, multiplies by the inverse and moves the particles: no
 * constraint waits for another, and the number of iterations does not grow with the length of a chain.
 *
 * A block is as many molecules as have GROUP_SIZE constraints together, or one that has more. Its work-items share the
 * constraints, then the particles: each adds up what its own constraints say, so that there are no atomics and the same bits
 * in every run. What a constraint wants and its multiplier lie in memory of the kernels' own. One that does not come to an
 * end within ITERATIONS is found out by its lengths.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @scratch   unit_vector accum4 constraint
 * @scratch   want accum constraint
 * @scratch   multiplier accum constraint
 * @pass      ccma group per block
 * @tunable   GROUP_SIZE 64 128 256*
 * @tunable   ITERATIONS 150* 1000
 * @source    P. Eastman, V. S. Pande, J. Chem. Theory Comput. 6 (2010) 434
 */
KERNEL void ccma(box_args box, GLOBAL const real4 *RESTRICT position, GLOBAL const accum4 *RESTRICT displacement,
                 GLOBAL const int *RESTRICT block_constraints, GLOBAL const int *RESTRICT block_particles,
                 GLOBAL const int *RESTRICT molecule_particles, GLOBAL const int4 *RESTRICT constraint_atoms,
                 GLOBAL const accum *RESTRICT constraint_length, GLOBAL const int *RESTRICT joint_start,
                 GLOBAL const int *RESTRICT joints, GLOBAL const int *RESTRICT inverse_start,
                 GLOBAL const int *RESTRICT inverse_column, GLOBAL const accum *RESTRICT inverse_value,
                 GLOBAL accum4 *unit_vector, GLOBAL accum *want, GLOBAL accum *multiplier, GLOBAL accum4 *constrained)
{
    LOCAL int unsettled[2];
    const int first = block_constraints[GROUP_ID];
    const int last = block_constraints[GROUP_ID + 1];
    const int first_particle = block_particles[GROUP_ID];
    const int last_particle = block_particles[GROUP_ID + 1];
    int again = 1;
    for (int k = first_particle + LOCAL_ID; k < last_particle; k += LOCAL_SIZE) {
        constrained[molecule_particles[k]] = displacement[molecule_particles[k]];
    }
    for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
        const int4 atoms = constraint_atoms[c];
        const accum4 r = constraint_vector(position[atoms.x], position[atoms.y], box);
        const accum size = SQRT_ACCUM(dot_accum(r, r));
        accum4 unit = scale_accum(1 / size, r);
        unit.w = size;
        unit_vector[c] = unit;
    }
    if (LOCAL_ID < 2) {
        unsettled[LOCAL_ID] = 0;
    }
    SYNC_THREADS;
    for (int iteration = 0; again && iteration < ITERATIONS; iteration++) {
        /* what every constraint wants; the flag of the next iteration is lowered meanwhile */
        for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
            const int4 atoms = constraint_atoms[c];
            const accum4 unit = unit_vector[c];
            int off;
            want[c] = unit.w * find_want(scale_accum(unit.w, unit),
                                         moved_accum(constrained[atoms.x], -1, constrained[atoms.y]),
                                         constraint_length[c], &off);
            if (off) {
                unsettled[iteration % 2] = 1;
            }
        }
        SYNC_THREADS;
        again = unsettled[iteration % 2];
        if (again) {
            /* its multiplier, along a vector of length 1 */
            for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
                accum sum = 0;
                for (int k = inverse_start[c]; k < inverse_start[c + 1]; k++) {
                    sum += inverse_value[k] * want[inverse_column[k]];
                }
                multiplier[c] = sum;
            }
            SYNC_THREADS;
            /* what the constraints of a particle come to */
            for (int k = first_particle + LOCAL_ID; k < last_particle; k += LOCAL_SIZE) {
                const int i = molecule_particles[k];
                accum4 d = constrained[i];
                accum4 push = make_accum4(0, 0, 0, 0);
                for (int joint = joint_start[k]; joint < joint_start[k + 1]; joint++) {
                    const int c = joints[joint] / 2;
                    push = moved_accum(push, joints[joint] % 2 ? -multiplier[c] : multiplier[c], unit_vector[c]);
                }
                constrained[i] = moved_accum(d, d.w, push);
            }
            if (LOCAL_ID == 0) {
                unsettled[(iteration + 1) % 2] = 0;
            }
            SYNC_THREADS;
        }
    }
}
