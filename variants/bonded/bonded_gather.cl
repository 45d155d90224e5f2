/*
 * bonded_gather — one particle per work-item, which computes every term that it is in and keeps its own force
 *
 * No atomics, no array that begins as zero, and the same bits in every run. What it costs: a bond is computed twice, an
 * angle three times, a torsion four times, and work-items of a warp are in terms of different kinds. incidences[] has of
 * each particle 4 t + k for every term t whose k-th particle it is.
 *
 * @workload  bonded
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      bonded_gather item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void bonded_gather(int n, box_args box, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const int4 *RESTRICT term_atoms, int bond_count, int angle_count, int torsion_count,
                          GLOBAL const real2 *RESTRICT bond_parameters, GLOBAL const real2 *RESTRICT angle_parameters,
                          GLOBAL const real4 *RESTRICT torsion_parameters,
                          GLOBAL const real2 *RESTRICT rb_torsion_parameters,
                          GLOBAL const int *RESTRICT incidence_start, GLOBAL const int *RESTRICT incidences,
                          GLOBAL force_sum *RESTRICT force, int force_plane, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n) {
        const int stop = incidence_start[i + 1];
        own_force sum;
        clear_force(&sum);
        for (int k = incidence_start[i]; k < stop; k++) {
            const int incidence = incidences[k];
            const int which = incidence % 4;
            bonded_term term;
            evaluate_term(incidence / 4, TERM_ARGUMENTS, &term);
            const real4 own = which == 0   ? term.on_x
                              : which == 1 ? term.on_y
                              : which == 2 ? term.on_z
                                           : term.on_w;
            add_to_force(&sum, own.x, own.y, own.z);
            add_term_to_sums(&sums, &term, REAL(1.0) / term.count);
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
