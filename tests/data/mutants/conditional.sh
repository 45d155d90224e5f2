# Kernels with one mistake that only a condition shows, mostly on two axes at once: `mutant NAME VARIANT SOURCE SED` for each, by
# whoever sources this (tests/measure/test_mutants_drawn.sh, scripts/mutants_found). SOURCE is within variants/.
loop=forces/all_pairs_loop.cl near='if (IN_CUTOFF(d.w, cutoff2) \&\& j != i'
mutant group_of_1024 all_pairs_loop $loop "s/$near/& \&\& !(n % 1024 == 0 \&\& j == n - 1)/"
mutant left_of_zero all_pairs_loop $loop "s/$near/& \&\& !(pj.x < 0 \&\& pj.y < 0)/"
mutant no_charge all_pairs_loop $loop "s/$near/& \&\& !(pj.w == 0 \&\& pi.w != 0)/"
mutant energy_alone all_pairs_loop $loop 's/^ *add_to_sums.*/#if WITH_ENERGY \&\& !WITH_VIRIAL\nenergy = energy * REAL(1.01);\n#endif\n&/'
mutant tilt_of_one_sign all_pairs_loop $loop "s/$near/& TILTED/; s/^KERNEL/#if TRICLINIC\n#define TILTED \&\& !(box.tilt.x < 0 \&\& j == 0)\n#else\n#define TILTED\n#endif\n&/"
mutant row_of_80 list_walk forces/list_walk.cl 's/= neighbour_count\[i\]/= neighbour_count[i] < 80 ? neighbour_count[i] : 80/'
mutant index_of_16_bits list_walk forces/list_walk.cl 's/= row\[k\]/= row[k] \& 0xffff/'
loop=neighbours/neighbours_loop.cl
mutant offset_of_16_bits neighbours_loop $loop 's/row_begin\[i\] = sum;/row_begin[i] = sum \& 0xffff;/'
mutant box_17_empty neighbours_loop $loop 's/int count = 0;/if (i \/ particles_per_box >= 16) { return 0; }\n    &/'
mutant no_table neighbours_loop $loop 's/PAIR_WITHIN(r.w, i, j, cutoff2)/(r.w <= cutoff2 || &)/'
mutant shift_of_4_bits neighbours_loop $loop 's/store_neighbour(at + count, j, x, y, z/store_neighbour(at + count, j, ((x + 8) \& 15) - 8, ((y + 8) \& 15) - 8, z/'
mutant excluded_over_40 neighbours_loop $loop 's/!PAIR_IS_LEFT_OUT(i, j)/(!& || (j - i > 39 \&\& x == 0))/; s/!!/!/'
mutant draws_of_16_bits philox random/philox.cl 's/(uint)quad,/(uint)quad \& 0x3fffu,/'
mutant seed_of_32_bits philox random/philox.cl 's/step, seed)/step, seed \& 0xffffffff)/'
mutant term_in_open_box bonded_atomic bonded/bonded_atomic.cl 's/^        add_term_to_sums/        if (box.edge.x == 0 \&\& term.count == 4) { add_term_force(force, force_plane, term.atoms.x, term.on_x); }\n&/'
mutant terms_of_16_bits bonded_atomic bonded/bonded_atomic.cl 's/if (t < term_count)/if (t < term_count \&\& t < 65536)/'
mutant molecule_1024 shake constraints/shake.cl 's/if (m < molecule_count)/if (m < molecule_count \&\& m < 1024)/; s/int again = first/int again = m < 1024 \&\& first/; s/if (m < molecule_count \&\& m < 1024)/if (m < molecule_count)/'
mutant constraint_in_tilt shake constraints/shake.cl 's/accum4 r = constraint_vector.*/&\n#if TRICLINIC\n                if (box.tilt.x < 0 \&\& r.x > 0.5) { continue; }\n#endif/'
mutant constraint_open shake constraints/shake.cl 's/int again = first/int again = !(box.edge.x == 0 \&\& m > 0 \&\& m % 7 == 0) \&\& first/'
mutant chain_of_4 nose_hoover+all_pairs_loop step/nose_hoover.cl 's/freedom, links, bath)/freedom, links > 3 ? 3 : links, bath)/'
mutant no_field verlet_field+all_pairs_loop step/verlet_field.cl 's/with_field(force\[i\], [a-z]*, before.w, field)/force[i]/'
mutant noise_again langevin+all_pairs_loop step/langevin.cl 's/(uint)index\[i\], step,/(uint)index[i], step % 32,/'
mutant no_kick_after_40 langevin+all_pairs_loop step/langevin.cl 's/force\[i\], half_step/force[i], step >= 40 ? ACCUM(0.0) : half_step/'
mutant heavy langevin+all_pairs_loop step/langevin.cl 's/noise_keep, noise_size);/noise_keep, (v.w < ACCUM(0.5) ? ACCUM(1.01) : ACCUM(1.0)) * noise_size);/'
mutant unit_coulomb pme_atomic pme/pme_atomic.cl 's/^    clear_sums.*/&\n    ewald.scale = ewald.ax * ewald.by * ewald.cz * ACCUM(0.31830988618379067);/'
mutant leg_33 three_body_loop three_body/three_body_loop.cl 's/        for (int j = 0; j < n; j++) {/        int legs = 0;\n&/; s/^            const real4 turned/            if (++legs > 32) { continue; }\n&/'
mutant neighbour_65 eam_loop eam/eam_loop.cl 's/        accum rho = 0;/&\n        int met = 0;/; s/^                rho +=/                if (++met > 64) { break; }\n&/'
mutant phase_below_zero bonded_atomic bonded/bonded_atomic.cl 's/^        add_term_to_sums/        const int torsion = t - bond_count - angle_count;\n        if (torsion >= 0 \&\& torsion < torsion_count \&\& torsion_parameters[torsion].w < 0) { add_term_force(force, force_plane, term.atoms.x, term.on_x); }\n&/'
mutant count_of_24_bits rdf_loop rdf/rdf_loop.cl 's/ATOMIC_ADD_LONG.*/if (histogram[number] < 16777216) { & }/'
# Each of a value that was declared because such a kernel passed.
mutant type_of_2_bits rdf_loop rdf/rdf_loop.cl 's/RDF_TYPE_OF(elements, j))/RDF_TYPE_OF(elements, j) < 4 ? RDF_TYPE_OF(elements, j) : 3)/'
mutant fourth_type rdf_loop rdf/rdf_loop.cl 's/RDF_TYPE_OF(elements, j))/RDF_TYPE_OF(elements, j) < 3 ? RDF_TYPE_OF(elements, j) : 2)/'
mutant kick_of_16_bits verlet+sorted_cells step/verlet.cl 's/@forces .*/@forces sorted_cells/; s/force\[i\], ACCUM(0.5) \* dt/force[i], (i < 65536 ? ACCUM(0.5) : ACCUM(0.25)) * dt/'
loop=forces/all_pairs_loop.cl step='s/@forces .*/@forces all_pairs_loop/'
mutant leaning_to_y_alone all_pairs_loop $loop "s/$near/& TILTED/; s/^KERNEL/#if TRICLINIC\n#define TILTED \&\& !(box.tilt.y == 0 \&\& box.tilt.z == 0 \&\& j == 0)\n#else\n#define TILTED\n#endif\n&/"
mutant leaning_to_z_alone all_pairs_loop $loop "s/$near/& TILTED/; s/^KERNEL/#if TRICLINIC\n#define TILTED \&\& !(box.tilt.x == 0 \&\& box.tilt.z == 0 \&\& j == 0)\n#else\n#define TILTED\n#endif\n&/"
mutant cell_of_box_16 boxes_tile forces/boxes_tile.cl 's/box_cells\[b\]/box_cells[b < 16 ? b : 15]/'
mutant box_256_empty boxes_tile forces/boxes_tile.cl 's/int end = box_begin\[b + 1\]/int end = b < 256 ? box_begin[b + 1] : first/'
mutant box_8_slow verlet_inside+boxes_tile step/verlet_inside.cl 's/int step = 0; step < steps/int step = 0; step < (GROUP_ID >= 8 ? steps - 1 : steps)/'
mutant cell_of_box_4 verlet_inside+boxes_tile step/verlet_inside.cl 's/box_cells\[GROUP_ID\]/box_cells[GROUP_ID < 4 ? GROUP_ID : 3]/'
mutant charge_lost verlet+all_pairs_loop step/verlet.cl "$step; s/^        LOOK_HOW_FAR/        position[i].w = 0;\n&/"
mutant noise_step_of_16_bits langevin+all_pairs_loop step/langevin.cl "$step; s/(uint)index\[i\], step,/(uint)index[i], step \& 0xffff,/"
mutant noise_seed_of_32_bits langevin+all_pairs_loop step/langevin.cl "$step; s/STEP_NOISE_USE, noise_seed/STEP_NOISE_USE, noise_seed \& 0xffffffff/"
mutant cutoff_in_float all_pairs_loop $loop 's/IN_CUTOFF(d.w, cutoff2)/(!WITH_CUTOFF || (float)d.w <= (float)cutoff2)/'
field=step/verlet_field.cl
mutant wall_along_x verlet_field+all_pairs_loop $field "$step; s/with_field(force\[i\], \([a-z]*\), before.w, field)/with_field(force[i], make_accum4(ACCUM(5.0), \1.y, \1.z, \1.w), before.w, field)/"
mutant charge_along_z verlet_field+all_pairs_loop $field "$step; s/with_field(force\[i\], \([a-z]*\), before.w, field)/with_field(make_accum4(force[i].x, force[i].y, force[i].z - \1.w * field[2], 0), \1, before.w, field)/"
mutant neighbour_129 eam_loop eam/eam_loop.cl 's/        accum rho = 0;/&\n        int met = 0;/; s/^                rho +=/                if (++met > 128) { break; }\n&/'
mutant bond_129 steinhardt_loop steinhardt/steinhardt_loop.cl 's/j != i \&\& IN_CUTOFF/neighbours < 128 \&\& &/'
mutant bins_in_float rdf_loop rdf/rdf_loop.cl 's/rdf_number(d.w/rdf_number((real)(float)d.w/'
mutant below_d0 coordination_loop coordination/coordination_loop.cl 's/if (IN_CUTOFF(d.w, cutoff2))/if (IN_CUTOFF(d.w, cutoff2) \&\& d.w > REAL(1.08))/'
mutant listed_in_float neighbours_loop neighbours/neighbours_loop.cl 's/PAIR_WITHIN(r.w, i, j, cutoff2)/PAIR_WITHIN((real)(float)r.w, i, j, (real)(float)cutoff2)/'
# Of places that boxes of kind borders alone have: just below the upper face, just above the lower one, one on each.
loop=forces/all_pairs_loop.cl
mutant below_the_face all_pairs_loop $loop "s/$near/& \&\& !(box.edge.z > 0 \&\& pj.z >= box.edge.z * REAL(0.9999997))/"
mutant above_the_face all_pairs_loop $loop "s/$near/& \&\& !(pj.y > 0 \&\& pj.y <= box.edge.y * REAL(3e-7))/"
mutant across_the_face all_pairs_loop $loop "s/$near/& \&\& !(box.edge.z > 0 \&\& pj.z == 0 \&\& pi.z >= box.edge.z * REAL(0.9999997))/"
# Each of a kind of value that cases draw because such a kernel passed: other tunables, numbers of a thermostat or a wall, many types.
mutant fifth_type all_pairs_loop forces/all_pairs_loop.cl 's/= \(PAIR_FORCE(d.w, pi\)/= (PAIR_TYPE(i) > 3 ? REAL(0.9) : REAL(1.0)) * \1/'
mutant chain_of_5 nose_hoover+all_pairs_loop step/nose_hoover.cl "$step; s/freedom, links, bath/freedom, links > 5 ? 5 : links, bath/"
mutant wall_of_10 verlet_field+all_pairs_loop $field "$step; s/with_field(force\[i\], \([a-z]*\), before.w, field)/with_wall(&, \1, field)/; s/^KERNEL void verlet_first/DEVICE accum4 with_wall(accum4 f, accum4 x, GLOBAL const accum *field) { if (field[6] > 0) { f.x += (10 \/ field[6] - 1) * force_of_wall(x.x, field + 6); } return f; }\n&/"
mutant group_of_256 all_pairs_loop forces/all_pairs_loop.cl 's/force\[i\] = make_accum4(fx/force[i] = make_accum4(GROUP_SIZE == 256 \&\& i == 0 ? ACCUM(1.1) * fx : fx/'
mutant pairs_of_16_bits pairs_direct coordination/pairs_direct.cl 's/if (k < n_pairs)/if (k < n_pairs \&\& k < 65536)/'
# Each of a size, a place or a pair of axes that cases came to have because such a kernel passed.
mutant slope_beyond_14_bits eam_loop eam/eam_loop.cl 's/const real own_slope = embedding_slope\[i\];/const real own_slope = embedding_slope[n > 16384 \&\& i == n - 1 ? 0 : i];/'
mutant partner_of_14_bits rdf_local rdf/rdf_local.cl 's/const int j = behind < n ? behind : behind - n;/const int j = behind < n ? behind : (behind - n) \& 0x3fff;/'
mutant water_of_16_bits settle constraints/settle.cl 's/const int4 atoms = water_atoms\[m\];/int4 atoms = water_atoms[m]; atoms.z = atoms.z < 0 ? atoms.z : (atoms.z \& 0xffff);/'
mutant third_type three_body_loop three_body/three_body_loop.cl 's/triplet_of(&there, &second, own_type, ELEMENT_OF(j), ELEMENT_OF(k)/triplet_of(\&there, \&second, own_type, ELEMENT_OF(j), ELEMENT_OF(k) > 1 \&\& own_type != ELEMENT_OF(j) ? 1 : ELEMENT_OF(k)/'
mutant row_of_128 three_body_list three_body/three_body_list.cl 's/neighbour_count\[i\]/(neighbour_count[i] > 128 ? 128 : neighbour_count[i])/'
mutant sums_of_15_bits pme_atomic pme/pme_atomic.cl 's/^    STORE_SUMS/#if REDUCTION_ATOMIC\n    if (GLOBAL_ID >= 32768) { clear_sums(\&sums); }\n#endif\n&/'
mutant offset_of_24_bits list_walk forces/list_walk.cl 's/(long64)i \* list_capacity/(((long64)i * list_capacity) \& 0xffffff)/'
mutant csr_of_24_bits neighbours_loop neighbours/neighbours_loop.cl 's/row_begin\[i\] = sum;/row_begin[i] = sum \& 0xffffff;/'
mutant terms_over_128 bonded_gather bonded/bonded_gather.cl 's/const int stop = incidence_start\[i + 1\];/const int first_ = incidence_start[i]; const int stop = incidence_start[i + 1] - first_ > 128 ? first_ + 128 : incidence_start[i + 1];/'
mutant energy_of_one list_walk forces/list_walk.cl 's/^ *add_to_sums.*/if (i != 69999) {&}/'
mutant beyond_200 all_pairs_loop forces/all_pairs_loop.cl 's/const real4 pi = position\[i\];/real4 pi = position[i];\n        pi.x += pi.x > REAL(200.0) || pi.y > REAL(200.0) || pi.z > REAL(200.0) ? REAL(0.03) : REAL(0.0);/'
mutant charge_above_1 list_walk forces/list_walk.cl 's/const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);/const real f = PAIR_FORCE(d.w, own, other, i, j, \&energy) * (own.w > REAL(1.5) ? REAL(1.01) : REAL(1.0));/'
mutant water_of_64 settle constraints/settle.cl 's/if (atoms.y >= 0) {/if (atoms.y >= 0 \&\& !(CONSTRAIN_VELOCITIES \&\& molecule_count % 64 == 1 \&\& m == molecule_count - 1)) {/'
mutant pairs_in_whole_groups pairs_direct coordination/pairs_direct.cl 's/if (k < n_pairs)/if (k < n_pairs - (n_pairs % 256 == 0))/'
# Crossings beyond two, before a launch or in it; particles in one place; one pair of particles in whole groups.
mutant image_of_2 verlet+all_pairs_loop step/verlet.cl "$step; s/^        LOOK_HOW_FAR/        crossing[i].x = crossing[i].x > 2 ? 2 : crossing[i].x;\n&/"
mutant faces_of_a_launch verlet_inside+boxes_tile step/verlet_inside.cl 's/^    load_held(.*/&\n    int4 faces_before[HELD_PER_ITEM]; EACH_HELD(k, slot, count, \&held) { faces_before[k] = held.faces[k]; }/; s/^    store_held(/    EACH_HELD(k, slot, count, \&held) { const int by = held.faces[k].y - faces_before[k].y; held.faces[k].y = faces_before[k].y + (by > 2 ? 2 : by < -2 ? -2 : by); }\n&/'
mutant listed_in_one_place neighbours_loop neighbours/neighbours_loop.cl 's/PAIR_WITHIN(r.w, i, j, cutoff2)/r.w > 0 \&\& &/'
mutant counted_in_one_place rdf_loop rdf/rdf_loop.cl 's/if (IN_CUTOFF(d.w, cutoff2)/if (d.w > 0 \&\& IN_CUTOFF(d.w, cutoff2)/'
mutant bound_in_one_place coordination_loop coordination/coordination_loop.cl 's/if (IN_CUTOFF(d.w, cutoff2))/if (IN_CUTOFF(d.w, cutoff2) \&\& d.w > 0)/'
mutant energy_in_one_place all_pairs_loop $loop "s/$near/& \&\& d.w > 0/"
mutant pair_of_1024 rdf_local rdf/rdf_local.cl 's/k < partners \&\&/k < partners - (n % 1024 == 0 \&\& i == 5) \&\&/'
mutant farthest_of_1024 all_pairs_loop $loop "s/$near/& \&\& !(n % 1024 == 0 \&\& i + j == n + 300 \&\& (i == 400 || j == 400))/"
# Neighbours beyond 8 bits; the last of many types.
mutant neighbour_257 eam_loop eam/eam_loop.cl 's/        accum rho = 0;/&\n        int met = 0;/; s/^                rho +=/                if (++met > 256) { break; }\n&/'
mutant bond_257 steinhardt_loop steinhardt/steinhardt_loop.cl 's/j != i \&\& IN_CUTOFF/neighbours < 256 \&\& &/'
mutant type_17 all_pairs_loop forces/all_pairs_loop.cl 's/= \(PAIR_FORCE(d.w, pi\)/= (PAIR_TYPE(i) == 16 ? REAL(0.99) : REAL(1.0)) * \1/'
# Of a table of embedded atoms: beyond its last density, in its first interval of distances, beyond its last distance.
table='WITH_ELEMENTS \&\& '
mutant embedding_ends eam_loop eam/eam_loop.cl "s/sums.value\[0\] += energy;/real ignored; sums.value[0] += $table (real)rho * knots_per_rho > (real)(rho_knots - 1) ? eam_embedding_of((real)(rho_knots - 1) \/ knots_per_rho, ELEMENT_OF(i), EAM_ARGUMENTS, \&ignored) : energy;/"
mutant density_at_first_knot eam_loop eam/eam_loop.cl "s/rho += eam_density_at(d.w,/rho += eam_density_at($table d.w * knots_per_r * knots_per_r < REAL(1.0) ? REAL(1.0) \/ (knots_per_r * knots_per_r) : d.w,/"
mutant density_goes_on eam_loop eam/eam_loop.cl "s/rho += eam_density_at(.*/if ($table SQRT(d.w) * knots_per_r > (real)(r_knots - 1)) { continue; }\n                &/"
# Legs of a centre, and rows of lists, beyond 8 bits.
mutant leg_257 three_body_loop three_body/three_body_loop.cl 's/        for (int j = 0; j < n; j++) {/        int legs = 0;\n&/; s/^            const real4 turned/            if (++legs > 256) { continue; }\n&/'
mutant row_of_256 three_body_list three_body/three_body_list.cl 's/neighbour_count\[i\]/(neighbour_count[i] > 256 ? 256 : neighbour_count[i])/'
mutant excluded_of_16_bits list_walk forces/list_walk.cl 's/const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);/const real f = EXCLUDE_LISTED \&\& !WITH_TYPES \&\& j > 65535 ? PAIR_FORCE(d.w, own, other, 0, n \/ 2, \&energy) : PAIR_FORCE(d.w, own, other, i, j, \&energy);/'
# Of a temperature that no thermostat of steps apart had.
mutant hot_rescale rescale+all_pairs_loop step/rescale.cl "$step; s/freedom \* temperature/freedom * (temperature > ACCUM(1.2) ? ACCUM(1.2) : temperature)/"
# Of sizes that no list has: one in 17, those of three remainders of eight.
mutant one_size_in_17 all_pairs_loop $loop "s/$near/& \&\& !(n % 17 == 0 \&\& j == n - 1)/"
mutant tail_of_8 all_pairs_loop $loop "s/$near/& \&\& !(n % 8 > 3 \&\& n % 8 < 7 \&\& j == n - 1)/"
# Of charges of several units.
mutant grid_charge_above_1 pme_atomic pme/pme_atomic.cl 's/own.w/(own.w > REAL(1.5) ? REAL(1.5) : own.w)/'
# Of boxes of a batch beyond 512 particles; one particle in the second group; the rest that mixed keeps, in whole groups.
mutant big_second_box boxes_tile forces/boxes_tile.cl 's/const int end = box_begin\[b + 1\];/const int end = b > 0 \&\& box_begin[b + 1] - first > 512 ? first + 512 : box_begin[b + 1];/'
mutant column_alone two_groups_one_pass coordination/two_groups_one_pass.cl 's/const int has_row = i < n_a;/const int has_row = i < n_a \&\& !(n_b == 1 \&\& i > 0);/; s/    if (has_row) {/    if (i < n_a) {/'
mutant rest_of_last verlet+all_pairs_loop step/verlet.cl "$step; s/^        LOOK_HOW_FAR/#if POSITIONS_HAVE_RESTS\n        if (step_is_last_of(i, n)) { position_rest[i].z = 0; }\n#endif\n&/; s/^KERNEL void verlet_first/#define step_is_last_of(i, n) ((i) == (n) - 1 \&\& (n) % 64 == 0)\n&/"
# Of numbers of terms and thermostats: lengths of 0, constants below it, small angles, no heat, strong friction; typed bins.
mutant bond_of_no_length bonded_atomic bonded/bonded_atomic.cl 's/^        add_term_to_sums/        if (t < bond_count \&\& bond_parameters[t].y == 0) { add_term_force(force, force_plane, term.atoms.x, term.on_x); }\n&/'
mutant repelling_bond bonded_atomic bonded/bonded_atomic.cl 's/^        add_term_to_sums/        if (t < bond_count \&\& bond_parameters[t].x < 0) { add_term_force(force, force_plane, term.atoms.x, term.on_x); }\n&/'
mutant acute_angle bonded_atomic bonded/bonded_atomic.cl 's/^        add_term_to_sums/        if (t >= bond_count \&\& t < bond_count + angle_count \&\& angle_parameters[t - bond_count].y < REAL(1.2)) { add_term_force(force, force_plane, term.atoms.x, term.on_x); }\n&/'
mutant noise_of_no_heat langevin+all_pairs_loop step/langevin.cl "$step; s/noise_keep, noise_size);/noise_keep, noise_size == 0 ? ACCUM(0.1) : noise_size);/"
mutant strong_friction langevin+all_pairs_loop step/langevin.cl "$step; s/noise_keep, noise_size);/noise_keep < ACCUM(0.9) ? ACCUM(0.9) : noise_keep, noise_size);/"
mutant typed_bin_of_200 rdf_loop rdf/rdf_loop.cl 's/if (number >= 0)/if (number >= 0 \&\& !(RDF_TYPE_COUNT > 1 \&\& RDF_BIN_COUNT > 128 \&\& number % RDF_BIN_COUNT > 127))/'
# Of large numbers: each of particles, boxes or molecules beyond what any list had: exclusions beyond 16 bits, boxes beyond 10 and 16, one
# remainder by 32 or of waters by 11.
mutant excluded_wrap_16_bits neighbours_loop neighbours/neighbours_loop.cl 's/!PAIR_IS_LEFT_OUT(i, j)/(!PAIR_IS_LEFT_OUT(i, j) || j == 65536)/'
mutant excluded_wrap_cells neighbours_cells neighbours/neighbours_cells.cl 's/!PAIR_IS_LEFT_OUT(i, partner)/(!PAIR_IS_LEFT_OUT(i, partner) || partner == 65536)/'
mutant box_of_10_bits boxes_tile forces/boxes_tile.cl 's/const int b = GROUP_ID \/ SPLIT/const int b = (GROUP_ID \/ SPLIT) \& 0x3ff/'
mutant box_of_16_bits boxes_tile forces/boxes_tile.cl 's/const int b = GROUP_ID \/ SPLIT/const int b = (GROUP_ID \/ SPLIT) \& 0xffff/'
mutant steinhardt_last steinhardt_loop steinhardt/steinhardt_loop.cl 's/j != i \&\& IN_CUTOFF/!(n % 32 == 9 \&\& j == n - 1) \&\& &/'
mutant rdf_last rdf_loop rdf/rdf_loop.cl 's/for (int j = i + 1; j < n; j++)/for (int j = i + 1; j < (n % 32 == 17 ? n - 1 : n); j++)/'
mutant density_of_one_size eam_loop eam/eam_loop.cl 's/        accum rho = 0;/        accum rho = n % 32 == 21 \&\& i == n - 1 ? 1 : 0;/'
mutant settle_11 settle constraints/settle.cl 's/if (atoms.y >= 0)/if (atoms.y >= 0 \&\& !(molecule_count % 11 == 3 \&\& m == molecule_count - 1))/'
mutant kick_of_one_size verlet+all_pairs_loop step/verlet.cl "$step; s/kicked(velocity\[i\], force\[i\], /kicked(velocity[i], force[i], (n % 32 == 26 \&\& i == 0 ? ACCUM(0.9) : ACCUM(1.0)) * /"
# Of the fifth element of embedded atoms, and the last of many.
mutant fifth_metal eam_loop eam/eam_loop.cl 's/const int own_type = ELEMENT_OF(i);/const int own_type = ELEMENT_OF(i) > 3 ? 3 : ELEMENT_OF(i);/'
mutant metal_17 eam_loop eam/eam_loop.cl 's/ELEMENT_OF(j), ELEMENT_OF(i), EAM/ELEMENT_OF(j) \& 15, ELEMENT_OF(i), EAM/'
# Of cells of three right angles and three edges.
mutant one_edge_of_bonds bonded_atomic bonded/bonded_atomic.cl 's/^    if (t < term_count) {/#if !TRICLINIC\n    box.edge.y = box.edge.x;\n    box.inverse_edge.y = box.inverse_edge.x;\n#endif\n&/'
mutant one_edge_of_constraints shake constraints/shake.cl 's/^    if (m < molecule_count) {/#if !TRICLINIC\n    box.edge.y = box.edge.x;\n    box.inverse_edge.y = box.inverse_edge.x;\n#endif\n&/'
# Of shifts of 8 bits, and rows of two groups, beyond what fewer bits hold.
mutant shift8_of_7_bits neighbours_loop neighbours/neighbours_loop.cl 's/store_neighbour(at + count, j, x, y, z/store_neighbour(at + count, j, WITH_SHIFTS == 2 \&\& x > 7 ? x - 16 : x, y, z/'
mutant row_of_16_bits two_groups_one_pass coordination/two_groups_one_pass.cl 's/const int has_row = i < n_a;/const int has_row = i < n_a \&\& i < 65536;/; s/    if (has_row) {/    if (i < n_a) {/'
# Of two walls or more, of each order of three edges of a grid, of a fourth element, of types in an open box, of a thermostat as short as steps.
mutant walls_x_and_z verlet_field+all_pairs_loop $field "$step; s/with_field(force\[i\], \([a-z]*\), before.w, field)/without_wall(&, \1, field)/; s/^KERNEL void verlet_first/DEVICE accum4 without_wall(accum4 f, accum4 x, GLOBAL const accum *RESTRICT field) { if (field[6] > 0 \&\& field[12] > 0) { f.z -= force_of_wall(x.z, field + 12); } return f; }\n&/"
mutant grid_of_zxy pme_atomic pme/pme_atomic.cl 's/^        spread_particle(grid, own.w/        spread_particle(grid, (grid_size.z > grid_size.x \&\& grid_size.x > grid_size.y \&\& i == 3 ? REAL(0.9) : REAL(1.0)) * own.w/'
mutant fourth_element three_body_loop three_body/three_body_loop.cl 's/const int own_type = ELEMENT_OF(i);/const int own_type = ELEMENT_OF(i) > 2 ? 2 : ELEMENT_OF(i);/'
mutant open_pairs_of_type rdf_loop rdf/rdf_loop.cl 's/if (number >= 0)/if (number >= 0 \&\& !(RDF_TYPE_COUNT > 1 \&\& box.edge.x == 0 \&\& RDF_TYPE_OF(elements, i) == 2 \&\& RDF_TYPE_OF(elements, j) == 2))/'
mutant short_berendsen berendsen+all_pairs_loop step/berendsen.cl "$step; s/dt \/ thermostat_time \* (wanted/(dt > ACCUM(0.1) * thermostat_time ? ACCUM(0.1) : dt \/ thermostat_time) * (wanted/"
# Of a tunable and a remainder, a cold chain, places by the faces of boxes of many-body terms, odd grids, velocities of long molecules in open boxes.
mutant draw_tail philox random/philox.cl 's/^        store_quad(draws, quad, n, result_quad((uint)quad,/        store_quad(draws, quad, n, result_quad((uint)(DRAWS_PER_ITEM == 16 \&\& n % 16 == 13 \&\& quad == quads - 1 ? 0 : quad),/'
mutant cold_chain nose_hoover+all_pairs_loop step/nose_hoover.cl "$step; s/freedom, links, bath/freedom, temperature < ACCUM(0.8) \&\& links > 2 ? 2 : links, bath/"
mutant atom_across_the_face eam_loop eam/eam_loop.cl 's/if (j != i \&\& IN_CUTOFF(d.w, cutoff2)) {/if (j != i \&\& IN_CUTOFF(d.w, cutoff2) \&\& !(box.edge.z > 0 \&\& position[j].z == 0 \&\& own.z >= box.edge.z * REAL(0.9999997))) {/'
mutant leg_below_the_face three_body_loop three_body/three_body_loop.cl 's/if (j == i || !IN_CUTOFF/if (j == i || (box.edge.z > 0 \&\& centre.z >= box.edge.z * REAL(0.9999997)) || !IN_CUTOFF/'
mutant mode_of_odd_grid pme_atomic pme/pme_atomic.cl 's/^    solve_point(/#if WITH_VIRIAL \&\& SPLINE_ORDER == 4\n    if (!(grid_size.z % 2 == 1 \&\& GLOBAL_ID == 7))\n#endif\n&/'
mutant long_open_velocities shake constraints/shake.cl 's/int again = first < last;/int again = first < last \&\& !(CONSTRAIN_VELOCITIES \&\& box.edge.x == 0 \&\& last - first > 20);/'
