/*
 * bonded_boxes — of a batch of small boxes a group takes one, and each work-item the terms of its own particles
 *
 * As bonded_gather, in the cell of the box, with the energy and the virial of each box by itself.
 *
 * @workload  bonded
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      bonded_boxes group per box
 * @tunable   GROUP_SIZE 32 64 128* 256
 * @source    our own
 */
KERNEL void bonded_boxes(GLOBAL const int *RESTRICT box_begin, GLOBAL const box_args *RESTRICT box_cells,
                         GLOBAL const real4 *RESTRICT position, GLOBAL const int4 *RESTRICT term_atoms, int bond_count,
                         int angle_count, int torsion_count, GLOBAL const real2 *RESTRICT bond_parameters,
                         GLOBAL const real2 *RESTRICT angle_parameters, GLOBAL const real4 *RESTRICT torsion_parameters,
                         GLOBAL const real2 *RESTRICT rb_torsion_parameters, GLOBAL const int *RESTRICT incidence_start,
                         GLOBAL const int *RESTRICT incidences, GLOBAL force_sum *RESTRICT force, int force_plane,
                         GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const box_args box = box_cells[GROUP_ID];
    const int end = box_begin[GROUP_ID + 1];
    pair_sums sums;
    clear_sums(&sums);
    for (int i = box_begin[GROUP_ID] + LOCAL_ID; i < end; i += GROUP_SIZE) {
        own_force sum;
        clear_force(&sum);
        for (int k = incidence_start[i]; k < incidence_start[i + 1]; k++) {
            const int which = incidences[k] % 4;
            bonded_term term;
            evaluate_term(incidences[k] / 4, TERM_ARGUMENTS, &term);
            const real4 own = which == 0 ? term.on_x : which == 1 ? term.on_y : which == 2 ? term.on_z : term.on_w;
            add_to_force(&sum, own.x, own.y, own.z);
            add_term_to_sums(&sums, &term, REAL(1.0) / term.count);
        }
        store_own_force(force, force_plane, i, &sum);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
