/*
 * shake — one molecule per work-item, constraint after constraint until all of its lengths hold
 *
 * Each constraint is brought to its length as if there were no other, with what those before it have done; that moves the
 * others, so that it is repeated. Clusters of hydrogens take a few sweeps, waters some ten, and chains the more the longer
 * they are: one work-item goes through all of a chain, one particle after the other. Displacements are corrected where the
 * results stand. Every molecule stops by itself; one that does not come to an end within ITERATIONS sweeps is left as it
 * is, and is found out by its lengths.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      shake item per molecule
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   ITERATIONS 150* 1000
 * @source    J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; velocities: H. C. Andersen,
 *            J. Comput. Phys. 52 (1983) 24
 */
KERNEL void shake(int molecule_count, box_args box, GLOBAL const real4 *RESTRICT position,
                  GLOBAL const accum4 *RESTRICT displacement, GLOBAL const int *RESTRICT molecule_start,
                  GLOBAL const int *RESTRICT molecule_particles, GLOBAL const int *RESTRICT constraint_start,
                  GLOBAL const int4 *RESTRICT constraint_atoms, GLOBAL const accum *RESTRICT constraint_length,
                  GLOBAL accum4 *constrained)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int first = constraint_start[m];
        const int last = constraint_start[m + 1];
        for (int k = molecule_start[m]; k < molecule_start[m + 1]; k++) {
            constrained[molecule_particles[k]] = displacement[molecule_particles[k]];
        }
        int again = first < last;
        for (int sweep = 0; again && sweep < ITERATIONS; sweep++) {
            again = 0;
            for (int c = first; c < last; c++) {
                const int4 atoms = constraint_atoms[c];
                const accum4 r = constraint_vector(position[atoms.x], position[atoms.y], box);
                const accum4 d_i = constrained[atoms.x];
                const accum4 d_j = constrained[atoms.y];
                int off;
                const accum want = find_want(r, moved_accum(d_i, -1, d_j), constraint_length[c], &off);
                if (off) {
                    const accum g = want / (d_i.w + d_j.w);
                    constrained[atoms.x] = moved_accum(d_i, g * d_i.w, r);
                    constrained[atoms.y] = moved_accum(d_j, -g * d_j.w, r);
                    again = 1;
                }
            }
        }
    }
}
