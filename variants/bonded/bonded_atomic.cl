/*
 * bonded_atomic — one bonded term per work-item, its forces added to its particles by atomics
 *
 * Terms of all kinds stand in one row, so that one launch does them all; only the groups in which one kind ends and the
 * next begins diverge. Every term reads its particles (16 bytes), its parameters and two to four positions, and adds three
 * numbers per particle. A particle of a chain is in some ten terms: their additions meet in the same place, and the array
 * begins as zero. How far apart in memory the terms of a group are is TERM_ORDER: 0 as they are listed, 1 sorted by the
 * least particle of each, 2 scattered, which says what order is worth. The order of additions changes from run to run; in precision
 * fixed the sums do not depend on it.
 *
 * @workload    bonded
 * @structure   none
 * @boxes       open periodic triclinic
 * @accumulates force
 * @pass        bonded_atomic item per term
 * @tunable     GROUP_SIZE 64 128* 256
 * @tunable     TERM_ORDER 0* 1 2
 */
/* What a term does to one of its particles. */
DEVICE void add_term_force(GLOBAL force_sum *force, int plane, int particle, real4 f)
{
    add_force(force, plane, particle, f.x, f.y, f.z);
}

KERNEL void bonded_atomic(int term_count, box_args box, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const int4 *RESTRICT term_atoms, int bond_count, int angle_count, int torsion_count,
                          GLOBAL const real2 *RESTRICT bond_parameters, GLOBAL const real2 *RESTRICT angle_parameters,
                          GLOBAL const real4 *RESTRICT torsion_parameters,
                          GLOBAL const real2 *RESTRICT rb_torsion_parameters,
                          GLOBAL force_sum *RESTRICT force, int force_plane, GLOBAL accum *RESTRICT partial_sums)
{
    SUM_SCRATCH
    const int t = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (t < term_count) {
        bonded_term term;
        evaluate_term(t, TERM_ARGUMENTS, &term);
        add_term_force(force, force_plane, term.atoms.x, term.on_x);
        add_term_force(force, force_plane, term.atoms.y, term.on_y);
        if (term.count > 2) {
            add_term_force(force, force_plane, term.atoms.z, term.on_z);
        }
        if (term.count > 3) {
            add_term_force(force, force_plane, term.atoms.w, term.on_w);
        }
        add_term_to_sums(&sums, &term, 1);
    }
    STORE_SUMS(partial_sums, &sums, 1.0);
}
