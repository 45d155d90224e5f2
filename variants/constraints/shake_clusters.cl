/*
 * shake_clusters — one cluster per work-item: a particle and up to three that are joined to it, all in registers
 *
 * The iteration of shake, for the molecules that most of a box's constraints are of where only hydrogens are constrained. Their
 * shape is known beforehand: a centre, and constraints from it to one, two or three others. So vectors, lengths and
 * displacements are read once and stay in registers, and results are written once, at the end. One that does not come to an
 * end within ITERATIONS sweeps is found out by its lengths.
 *
 * Takes molecules of such a shape alone. star_atoms has the centre first, then the others; -1 where there are no more.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      shake_clusters item per molecule
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   ITERATIONS 150* 1000
 * @source    J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; clusters: the OpenCL platform in
 *            the developer guide of OpenMM
 */

/* Brings one constraint to what it wants, where it is off. */
DEVICE void pull_together(accum4 r, accum length, accum4 *centre, accum4 *other, int *again)
{
    int off;
    const accum want = find_want(r, moved_accum(*centre, -1, *other), length, &off);
    if (off) {
        const accum g = want / (centre->w + other->w);
        *centre = moved_accum(*centre, g * centre->w, r);
        *other = moved_accum(*other, -g * other->w, r);
        *again = 1;
    }
}

KERNEL void shake_clusters(int molecule_count, box_args box, GLOBAL const real4 *RESTRICT position,
                           GLOBAL const accum4 *RESTRICT displacement, GLOBAL const int4 *RESTRICT star_atoms,
                           GLOBAL const accum4 *RESTRICT star_lengths, GLOBAL accum4 *RESTRICT constrained)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = star_atoms[m];
        const accum4 none = make_accum4(0, 0, 0, 0);
        const accum4 lengths = star_lengths[m];
        const real4 origin = position[atoms.x];
        accum4 centre = displacement[atoms.x];
        accum4 first = none;
        accum4 second = none;
        accum4 third = none;
        accum4 to_first = none;
        accum4 to_second = none;
        accum4 to_third = none;
        if (atoms.y >= 0) {
            first = displacement[atoms.y];
            to_first = constraint_vector(origin, position[atoms.y], box);
        }
        if (atoms.z >= 0) {
            second = displacement[atoms.z];
            to_second = constraint_vector(origin, position[atoms.z], box);
        }
        if (atoms.w >= 0) {
            third = displacement[atoms.w];
            to_third = constraint_vector(origin, position[atoms.w], box);
        }
        int again = atoms.y >= 0;
        for (int sweep = 0; again && sweep < ITERATIONS; sweep++) {
            again = 0;
            pull_together(to_first, lengths.x, &centre, &first, &again);
            if (atoms.z >= 0) {
                pull_together(to_second, lengths.y, &centre, &second, &again);
            }
            if (atoms.w >= 0) {
                pull_together(to_third, lengths.z, &centre, &third, &again);
            }
        }
        constrained[atoms.x] = centre;
        if (atoms.y >= 0) {
            constrained[atoms.y] = first;
        }
        if (atoms.z >= 0) {
            constrained[atoms.z] = second;
        }
        if (atoms.w >= 0) {
            constrained[atoms.w] = third;
        }
    }
}
