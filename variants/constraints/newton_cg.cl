/*
 * newton_cg — one work-group per block of molecules, the multipliers by conjugate gradients without a matrix
 *
 * Newton's iteration on the lengths, with the coupling of the multipliers as it is before the step, which is symmetric. Each
 * of its systems is solved by INNER iterations of conjugate gradients, divided by the diagonal: the product with the matrix is made
 * of two sweeps, from constraints to particles and back, so that no element of it is ever stored. Nothing is made by the
 * host but who is joined to whom: where masses or constraints change, nothing has to be made anew. What it costs beside
 * ccma are two sums over the group per iteration. The molecules of a block are one system to it.
 *
 * A block is as many molecules as have GROUP_SIZE constraints together, or one that has more. The same bits in every run.
 * One that does not come to an end within ITERATIONS is found out by its lengths.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @scratch   unit_vector accum4 constraint
 * @scratch   multiplier accum constraint
 * @scratch   rest accum constraint
 * @scratch   search accum constraint
 * @scratch   product accum constraint
 * @scratch   push accum4 particle
 * @pass      newton_cg group per block
 * @tunable   GROUP_SIZE 64* 128 256
 * @tunable   INNER 2 4* 8 16
 * @tunable   ITERATIONS 60* 400
 * @source    linearised constraints and conjugate gradients: M. R. Hestenes, E. Stiefel, J. Res. Natl. Bur. Stand. 49 (1952)
 *            409
 */

/* The sum of a term of each work-item, the same in all of them. */
DEVICE accum add_up_group(LOCAL_ARG accum *scratch, accum term)
{
    scratch[LOCAL_ID] = term;
    SYNC_THREADS;
    for (int half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        if (LOCAL_ID < half_size) {
            scratch[LOCAL_ID] += scratch[LOCAL_ID + half_size];
        }
        SYNC_THREADS;
    }
    const accum sum = scratch[0];
    SYNC_THREADS;
    return sum;
}

/* What a number per constraint comes to at a particle: k is its place among those of the molecules. */
DEVICE accum4 push_of(int k, GLOBAL const int *RESTRICT joint_start, GLOBAL const int *RESTRICT joints,
                      GLOBAL const accum *of_constraint, GLOBAL const accum4 *unit_vector)
{
    accum4 push = make_accum4(0, 0, 0, 0);
    for (int joint = joint_start[k]; joint < joint_start[k + 1]; joint++) {
        const int c = joints[joint] / 2;
        push = moved_accum(push, joints[joint] % 2 ? -of_constraint[c] : of_constraint[c], unit_vector[c]);
    }
    return push;
}

KERNEL void newton_cg(box_args box, GLOBAL const real4 *RESTRICT position, GLOBAL const accum4 *RESTRICT displacement,
                      GLOBAL const int *RESTRICT block_constraints, GLOBAL const int *RESTRICT block_particles,
                      GLOBAL const int *RESTRICT molecule_particles, GLOBAL const int4 *RESTRICT constraint_atoms,
                      GLOBAL const accum *RESTRICT constraint_length, GLOBAL const int *RESTRICT joint_start,
                      GLOBAL const int *RESTRICT joints, GLOBAL accum4 *unit_vector, GLOBAL accum *multiplier,
                      GLOBAL accum *rest, GLOBAL accum *search, GLOBAL accum *product, GLOBAL accum4 *push,
                      GLOBAL accum4 *constrained)
{
    LOCAL accum scratch[GROUP_SIZE];
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
    SYNC_THREADS;
    for (int iteration = 0; again && iteration < ITERATIONS; iteration++) {
        /* what every constraint wants: the right-hand side, and the first direction of the search */
        accum count = 0;
        accum own = 0;
        for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
            const int4 atoms = constraint_atoms[c];
            const accum4 unit = unit_vector[c];
            const accum4 d_i = constrained[atoms.x];
            const accum4 d_j = constrained[atoms.y];
            int off;
            const accum wanted = unit.w * find_want(scale_accum(unit.w, unit), moved_accum(d_i, -1, d_j),
                                                    constraint_length[c], &off);
            multiplier[c] = 0;
            rest[c] = wanted;
            search[c] = wanted / (d_i.w + d_j.w);
            own += wanted * search[c];
            count += off;
        }
        again = add_up_group(scratch, count) > 0;
        accum square = add_up_group(scratch, own);
        for (int inner = 0; again && inner < INNER; inner++) {
            /* the product with the matrix, by way of the particles */
            for (int k = first_particle + LOCAL_ID; k < last_particle; k += LOCAL_SIZE) {
                push[k] = scale_accum(displacement[molecule_particles[k]].w,
                                      push_of(k, joint_start, joints, search, unit_vector));
            }
            SYNC_THREADS;
            own = 0;
            for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
                const int4 atoms = constraint_atoms[c];
                product[c] = dot_accum(unit_vector[c], moved_accum(push[atoms.z], -1, push[atoms.w]));
                own += search[c] * product[c];
            }
            const accum curvature = add_up_group(scratch, own);
            const accum step = curvature > 0 ? square / curvature : ACCUM(0.0);
            own = 0;
            for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
                const int4 atoms = constraint_atoms[c];
                const accum w = displacement[atoms.x].w + displacement[atoms.y].w;
                multiplier[c] += step * search[c];
                rest[c] -= step * product[c];
                own += rest[c] * rest[c] / w;
            }
            const accum next = add_up_group(scratch, own);
            const accum keep = square > 0 ? next / square : ACCUM(0.0);
            square = next;
            for (int c = first + LOCAL_ID; c < last; c += LOCAL_SIZE) {
                const int4 atoms = constraint_atoms[c];
                search[c] = rest[c] / (displacement[atoms.x].w + displacement[atoms.y].w) + keep * search[c];
            }
            SYNC_THREADS;
        }
        if (again) {
            for (int k = first_particle + LOCAL_ID; k < last_particle; k += LOCAL_SIZE) {
                const int i = molecule_particles[k];
                const accum4 d = constrained[i];
                constrained[i] = moved_accum(d, d.w, push_of(k, joint_start, joints, multiplier, unit_vector));
            }
        }
        SYNC_THREADS;
    }
}
