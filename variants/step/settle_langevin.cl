/*
 * settle_langevin — BAOAB of rigid waters, one molecule per work-item
 *
 * As langevin, but each half of the drift makes waters rigid again, as verlet_settle does. Noise along sides needs no projection: the
 * drift behind it takes from it what would change them. The particles of a molecule stay in registers from the kick to the end of the drift.
 *
 * @workload   step
 * @integrator settle
 * @thermostat langevin:friction=1,temperature=1
 * @boxes      open periodic triclinic
 * @pass       settle_langevin_first item per molecule
 * @forces     all_pairs_loop sorted_cells list_columns list_clusters boxes_tile
 * @pass       settle_langevin_second item per molecule
 * @pass       sum_kinetic group per box when asked
 * @scratch    kinetic_of_group accum molecule / GROUP_SIZE + 1
 * @tunable    WRAP 0* 1
 * @tunable    COUNT_CROSSINGS 0 1* 2
 * @source     B. Leimkuhler, C. Matthews, Proc. R. Soc. A 472 (2016) 20160138 (g-BAOAB); SETTLE: see verlet_settle
 */
KERNEL void settle_langevin_first(int molecule_count, accum dt, box_args box, GLOBAL real4 *RESTRICT position,
                                  GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                                  GLOBAL int4 *RESTRICT crossing, GLOBAL long64 *RESTRICT face_sums, accum face_scale,
                                  GLOBAL const accum4 *RESTRICT force, GLOBAL const int *RESTRICT index, long64 step,
                                  long64 noise_seed, accum noise_keep, accum noise_size,
                                  GLOBAL const int4 *RESTRICT water_atoms, GLOBAL const accum *RESTRICT water_sides)
{
    const int m = GLOBAL_ID;
    if (m < molecule_count) {
        const int4 atoms = all_atoms(water_atoms[m]);
        const accum half_step = ACCUM(0.5) * dt;
        of_molecule x = load_positions(atoms, position, position_rest);
        of_molecule v = load_vectors(atoms, velocity);
        kick_molecule(&v, load_vectors(atoms, force), dt);
        drift_molecule(atoms, half_step, box, water_sides, &x, &v);
        v.tip = with_noise(v.tip, random_gaussian4((uint)index[atoms.x], step, STEP_NOISE_USE, noise_seed), noise_keep, noise_size);
        if (is_rigid(atoms)) {
            v.left = with_noise(v.left, random_gaussian4((uint)index[atoms.y], step, STEP_NOISE_USE, noise_seed), noise_keep, noise_size);
            v.right = with_noise(v.right, random_gaussian4((uint)index[atoms.z], step, STEP_NOISE_USE, noise_seed), noise_keep, noise_size);
        }
        drift_molecule(atoms, half_step, box, water_sides, &x, &v);
        store_molecule(atoms, x, v, box, position, position_rest, velocity, crossing, face_sums, face_scale);
        LOOK_HOW_FAR(atoms.x, position, box);
        LOOK_HOW_FAR(atoms.y, position, box);
        LOOK_HOW_FAR(atoms.z, position, box);
    }
}

KERNEL void settle_langevin_second(int molecule_count, accum dt, box_args box, GLOBAL const real4 *RESTRICT position,
                                   GLOBAL const real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                                   GLOBAL const accum4 *RESTRICT force, GLOBAL const int4 *RESTRICT water_atoms,
                                   GLOBAL accum *RESTRICT kinetic_of_group)
{
    LOCAL accum scratch[GROUP_SIZE];
    const int m = GLOBAL_ID;
    accum kinetic = 0;
    if (m < molecule_count) {
        kinetic = finish_molecule(all_atoms(water_atoms[m]), dt, box, position, position_rest, velocity, force);
    }
    store_sum_if_asked(scratch, kinetic, kinetic_of_group);
}

KERNEL void sum_kinetic(int molecule_count, GLOBAL const accum *RESTRICT kinetic_of_group, GLOBAL accum *RESTRICT totals)
{
    LOCAL accum scratch[GROUP_SIZE];
    store_total(scratch, molecule_count, kinetic_of_group, totals);
}
