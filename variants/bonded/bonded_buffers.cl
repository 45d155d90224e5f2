/*
 * bonded_buffers — one bonded term per work-item into force buffers that no two terms share; then a sum per particle
 *
 * The k-th term of a particle writes its force on it into buffer k, at the particle's place: as many buffers as the particle
 * with most terms has of them, every term computed once, no atomics, no zeroing, and the same bits in every run. What it
 * costs is memory: each force is written and read once more, 16 bytes (float) per particle of a term, and the buffers
 * take 16 bytes per particle each. The second pass reads them in the order of the particles.
 *
 * @workload  bonded
 * @structure none
 * @boxes     open periodic triclinic
 * @scratch   force_buffers real4 particle * force_buffer
 * @pass      fill_buffers item per term
 * @pass      sum_buffers item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   TERM_ORDER 0* 1 2
 * @source    force buffers: the OpenCL platform in the developer guide of OpenMM
 */
DEVICE void store_force(GLOBAL real4 *force_buffers, int n, int rank, int particle, real4 f)
{
    force_buffers[(long64)rank * n + particle] = f;
}

KERNEL void fill_buffers(int n, int term_count, box_args box, GLOBAL const real4 *RESTRICT position,
                         GLOBAL const int4 *RESTRICT term_atoms, int bond_count, int angle_count, int torsion_count,
                         GLOBAL const real2 *RESTRICT bond_parameters, GLOBAL const real2 *RESTRICT angle_parameters,
                         GLOBAL const real4 *RESTRICT torsion_parameters,
                         GLOBAL const real2 *RESTRICT rb_torsion_parameters,
                         GLOBAL const int4 *RESTRICT term_ranks, GLOBAL real4 *RESTRICT force_buffers,
                         GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int t = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (t < term_count) {
        const int4 ranks = term_ranks[t];
        bonded_term term;
        evaluate_term(t, TERM_ARGUMENTS, &term);
        store_force(force_buffers, n, ranks.x, term.atoms.x, term.on_x);
        store_force(force_buffers, n, ranks.y, term.atoms.y, term.on_y);
        if (term.count > 2) {
            store_force(force_buffers, n, ranks.z, term.atoms.z, term.on_z);
        }
        if (term.count > 3) {
            store_force(force_buffers, n, ranks.w, term.atoms.w, term.on_w);
        }
        add_term_to_sums(&sums, &term, 1);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}

KERNEL void sum_buffers(int n, GLOBAL const int *RESTRICT incidence_start, GLOBAL const real4 *RESTRICT force_buffers,
                        GLOBAL force_sum *RESTRICT force, int force_plane)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const int count = incidence_start[i + 1] - incidence_start[i];
        own_force sum;
        clear_force(&sum);
        for (int k = 0; k < count; k++) {
            const real4 f = force_buffers[(long64)k * n + i];
            add_to_force(&sum, f.x, f.y, f.z);
        }
        store_own_force(force, force_plane, i, &sum);
    }
}
