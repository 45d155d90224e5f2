/*
 * constraints_mutant — shake, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing; 1 the last constraint is lost; 2 both particles are moved by the first one's mass, so
 * that momentum is not kept; 3 forces act along the vector behind the step, so that angular momentum is not; 4 images are
 * not looked for; 5 it stops at ten times the tolerance; 6 particles without constraints are left unwritten; 7 constraints
 * whose particles lie far apart in memory are lost, which none does in input order; 8 displacements come back as
 * they were.
 *
 * @workload  constraints
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      constraints_mutant item per molecule
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8
 */
KERNEL void constraints_mutant(int n, int molecule_count, int constraint_count, box_args box,
                               GLOBAL const real4 *RESTRICT position, GLOBAL const accum4 *RESTRICT displacement,
                               GLOBAL const int *RESTRICT molecule_start, GLOBAL const int *RESTRICT molecule_particles,
                               GLOBAL const int *RESTRICT constraint_start, GLOBAL const int4 *RESTRICT constraint_atoms,
                               GLOBAL const accum *RESTRICT constraint_length, GLOBAL accum4 *constrained)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int first = constraint_start[m];
        int last = constraint_start[m + 1];
        if (MUTATION != 6 || first < last) {
            for (int k = molecule_start[m]; k < molecule_start[m + 1]; k++) {
                constrained[molecule_particles[k]] = displacement[molecule_particles[k]];
            }
        }
        if (MUTATION == 1 && last == constraint_count) {
            last--;
        }
        int again = MUTATION != 8;
        for (int sweep = 0; again && sweep < 300; sweep++) {
            again = 0;
            for (int c = first; c < last; c++) {
                const int4 atoms = constraint_atoms[c];
                if (MUTATION == 7 && (atoms.x - atoms.y > n / 2 || atoms.y - atoms.x > n / 2)) {
                    continue;
                }
                const real4 p_i = position[atoms.x];
                const real4 p_j = position[atoms.y];
                const accum4 d_i = constrained[atoms.x];
                const accum4 d_j = constrained[atoms.y];
                accum4 r = constraint_vector(p_i, p_j, box);
                if (MUTATION == 4) {
                    r = make_accum4((accum)p_i.x - p_j.x, (accum)p_i.y - p_j.y, (accum)p_i.z - p_j.z, 0);
                }
                int off;
                accum want = find_want(r, moved_accum(d_i, -1, d_j), constraint_length[c], &off);
                if (MUTATION == 5) {
                    const accum4 s = moved_accum(r, 1, moved_accum(d_i, -1, d_j));
                    const accum rest = dot_accum(s, s) / (constraint_length[c] * constraint_length[c]) - 1;
                    off = rest > 20 * CONSTRAINTS_TOLERANCE || rest < -20 * CONSTRAINTS_TOLERANCE;
                }
                if (off) {
                    const accum g = want / (d_i.w + (MUTATION == 2 ? d_i.w : d_j.w));
                    if (MUTATION == 3) {
                        r = moved_accum(r, 1, moved_accum(d_i, -1, d_j));
                    }
                    constrained[atoms.x] = moved_accum(d_i, g * d_i.w, r);
                    accum4 other = moved_accum(d_j, -g * (MUTATION == 2 ? d_i.w : d_j.w), r);
                    other.w = d_j.w;
                    constrained[atoms.y] = other;
                    again = 1;
                }
            }
        }
    }
}
