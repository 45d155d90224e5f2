#!/usr/bin/env bash
# Kernels that take all steps: verlet_inside, langevin_inside, nose_hoover_inside and settle_inside, over batches that are judged box by box, and verlet_resident,
# over one box, with one mistake each; and what batches of steps refuse.
. "$2/lib.sh" || exit 1
source=$tests/../variants/step/verlet_inside.cl
batch=(--workload step --kind fluid --n 0-40 --batch 9 --open --precision double --outputs forces --steps 4)
cells=(--workload step --kind melt --n 130-200 --batch 3 --precision double --outputs forces --steps 4)

# changed NAME SED: $source and the words of held.cl, by names of their own, changed, in NAME.cl
changed() {
    sed -e "/^ \*\/$/r $tests/../variants/held.cl" "$source" | sed -e 's/EACH_HELD/EACH_KEPT/g; s/HELD_/KEPT_/g; s/held_/kept_/g; s/_held/_kept/g' \
        -e "s/^ \* [a-z_]*_inside —/ * $1 —/; s/@forces .*/@forces boxes_tile/; $2" >"$1.cl"
}
changed same ''
mutant() { # mutant NAME SED WORDS ARGUMENT...
    changed "$1" "$2"
    sed "s/^ \* $1 —/ * same —/" "$1.cl" | cmp -s - same.cl
    check "$1 is another text" [ $? -eq 1 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${@:4}"
    check "$1: $3" said "$3"
}
for arguments in batch cells; do
    declare -n these=$arguments
    check "unchanged it passes: $arguments" exits 0 check --variant-file same.cl --variant 'same+*' "${these[@]}"
done
mutant neighbours_box 's/t < count; t++/t < count + (GROUP_ID == 1); t++/' 'box ' "${cells[@]}" --tune ROOM=1
mutant last_box_short 's/step < steps; step/step < steps - (GROUP_ID == 2); step/' ' of 3: displacement' "${cells[@]}"
mutant one_step_less 's/step < steps; step/step < steps - 1; step/' 'box 1 of 9: ' "${batch[@]}"
mutant lone_particle_pushed 's/^ *held->v\[k\] = velocity.*/&\n        held->v[k].x += count == 1;/' ' of 9: velocity of particle 1,' \
    --workload step --kind fluid --n 0-3 --batch 9 --open --precision double --outputs forces --steps 4
mutant first_cell 's/box_cells\[GROUP_ID\]/box_cells[0]/' 'box 2 of 3: ' "${cells[@]}"
mutant last_left_out 's/t < count; t++/t < count - 1; t++/' 'displacement' "${cells[@]}" --tune ROOM=1
mutant lost_half_kick 's/^ *step_kept(dt, .*/&\n        kick_kept(count, ACCUM(step + 1 == steps ? -0.5 : 0.0) * dt, \&held);/' 'velocity of particle' "${batch[@]}"
mutant forces_of_the_start 's/held->f\[k\] = held->listed/held->f[k] = 1 ? held->f[k] : held->listed/' 'displacement' "${cells[@]}"
mutant faces_lost 's/faces\[k\]\.\([xyz]\) += crossed\.[xyz]/faces[k].\1 += 0/' 'displacement' --workload step --kind fluid --n 440-500 --batch 3 \
    --precision double --outputs forces --steps 10 --periodic xyz
mutant writes_beyond 's/^\( *\)force\[first + slot\] = held->f\[k\]/&;\n        if (slot == count - 1) { velocity[first + count] = held->v[k]; }/' 'box ' "${cells[@]}"

# Noise, and thermostats, of each box by itself.
source=$tests/../variants/step/langevin_inside.cl
changed same ''
check 'friction and noise' exits 0 check --variant-file same.cl --variant 'same+*' "${batch[@]}"
check 'and by launches' exits 0 check --workload step --variant langevin+boxes_tile --kind melt --n 300 --batch 3 --precision float --outputs forces --steps 4
mutant noise_of_neighbours 's/index\[first + slot\]/index[(first + count + slot) % box_begin[NUM_GROUPS]]/' 'box ' "${cells[@]}"
mutant same_noise_in_all 's/index\[first + slot\]/slot/' 'box ' "${cells[@]}"
mutant one_box_hot 's/noise_keep, noise_size);/noise_keep, ACCUM(GROUP_ID == 1 ? 1.01 : 1.0) * noise_size);/' 'box ' "${cells[@]}"
mutant noise_repeated 's/step + s,/step,/' 'box ' "${batch[@]}"
source=$tests/../variants/step/nose_hoover_inside.cl
changed same ''
check 'a chain each' exits 0 check --variant-file same.cl --variant 'same+*' "${batch[@]}" --thermostat nose-hoover:temperature=1,chain=3
mutant one_chain_for_all 's/chains + GROUP_ID \* CHAIN_NUMBERS/chains/' 'box ' "${cells[@]}"
mutant one_box_warm 's/own->temperature = temperature/own->temperature = ACCUM(GROUP_ID == 1 ? 1.01 : 1.0) * temperature/' 'box ' "${cells[@]}"
mutant freedom_of_all 's/count > 1 ? 3 \* count - 3 : 3 \* count/3 * box_begin[NUM_GROUPS]/' 'box ' "${cells[@]}"
mutant last_half_lost 's/part < 2 \* steps/part < 2 * steps - 1/' 'velocity of particle' "${cells[@]}"
check 'sums of one box' exits 0 check --workload step --variant 'langevin_inside+boxes_tile,nose_hoover_inside+boxes_tile' --kind melt --n 200 \
    --precision double --outputs virial --steps 4

# Rigid waters: their molecules, by the sides; the same with particles by themselves; who holds too few.
source=$tests/../variants/step/settle_inside.cl
changed same ''
waters=(--workload step --kind water --n 0-50 --batch 9 --open --density 0.03 --cutoff 4 --exclude molecule --precision double --outputs forces --dt 0.0005 --steps 3)
wet=(--workload step --kind water --n 120-200 --batch 3 --cutoff 4 --exclude molecule --precision double --outputs forces --dt 0.0005 --steps 3)
tilted=(--workload step --kind water@75:100:65 --n 120-200 --batch 3 --cutoff 3 --exclude molecule --precision double --outputs forces --dt 0.0005 --steps 3)
for arguments in waters wet tilted; do
    declare -n these=$arguments
    check "rigid waters: $arguments" exits 0 check --variant-file same.cl --variant 'same+*' "${these[@]}"
done
mutant one_water_free 's/^\( *\)settle_displacements(/\1if (GROUP_ID != 1 || held->slot[t] != 51) settle_displacements(/' \
    'the side of the rigid particles' "${wet[@]}"
mutant one_box_free 's/^\( *\)settle_kept(cell/\1if (GROUP_ID != 1) settle_kept(cell/' 'how fast the side of the rigid particles' "${wet[@]}"
mutant velocities_not_settled '/^ *settle_kept(cell/d' 'box ' "${waters[@]}"
mutant velocities_of_the_drift '/held->v\[t + 1\] = times_accum/d' 'box ' "${waters[@]}"
mutant molecules_split 's/held->slot\[t + 2\] = atoms.z < 0 ?/held->slot[t + 2] = atoms.z < 0 || m % 2 == 1 ?/' 'box ' "${wet[@]}"
mutant molecules_of_neighbours 's/hold_molecules(molecule_begin\[GROUP_ID\]/hold_molecules((GROUP_ID > 1) + molecule_begin[GROUP_ID]/' 'box ' "${wet[@]}"
mutant single_left 's/atoms.x < 0 ? -1/atoms.x < 0 || atoms.y < 0 ? -1/' 'box ' "${waters[@]}"
check 'half the pairs of waters, and sums of one box' exits 0 check --workload step --variant 'settle_inside+boxes_*' --kind water --n 120 --exclude molecule \
    --precision mixed --outputs virial --dt 0.0005 --steps 3
check 'waters by launches' exits 0 check --workload step --variant verlet_settle+boxes_tile --kind water --n 360 --batch 3 --exclude molecule --precision mixed \
    --outputs forces --dt 0.0005 --steps 3
# Groups on several threads, of which PoCL 3.1 once gave each the local memory of all.
for seed in 1 2 3 4; do
    check "boxes of waters with rows, side by side, seed $seed" exits 0 check --workload step --variant settle_inside+boxes_tile --kind water --n 192-192 \
        --batch 3 --exclude molecule --periodic xyz --cutoff 6 --dt 0.001 --steps 2 --precision double --outputs forces --tune ROOM=192 --seed "$seed"
done
exits 3 check --variant settle_inside+boxes_tile "${wet[@]}" -v --tune HELD=64
says_like out 'a box takes [0-9]+ places, and HELD=64 holds fewer'

# Their thermostats: waters have three degrees of freedom less each.
source=$tests/../variants/step/settle_hoover_inside.cl
changed same ''
for arguments in waters wet tilted; do
    declare -n these=$arguments
    check "a chain each, of waters: $arguments" exits 0 check --variant-file same.cl --variant 'same+*' "${these[@]}" --thermostat nose-hoover:temperature=1,time=0.1,chain=3
done
slow=(--thermostat nose-hoover:temperature=1e-10,time=0.003) # as slow as waters are that rested
mutant free_waters 's/ - 3 \* rigid;/;/' 'box ' "${waters[@]}" "${slow[@]}"
mutant single_ones_rigid 's/(count - molecules) \/ 2/molecules/' 'box ' "${waters[@]}" "${slow[@]}"
mutant waters_of_all 's/const int molecules = .*/const int molecules = molecule_begin[NUM_GROUPS];/' 'box ' "${wet[@]}" "${slow[@]}"
mutant chain_of_waters 's/chains + GROUP_ID \* CHAIN_NUMBERS/chains/' 'box ' "${wet[@]}"
mutant sides_grow '/^ *settle_kept(cell/d' 'box ' "${wet[@]}"
check 'sums of one box of waters' exits 0 check --workload step --variant settle_hoover_inside+boxes_half --kind water --n 120 --exclude molecule \
    --precision mixed --outputs virial --dt 0.0005 --steps 3
source=$tests/../variants/step/settle_langevin_inside.cl
changed same ''
for arguments in waters wet tilted; do
    declare -n these=$arguments
    check "noise of waters: $arguments" exits 0 check --variant-file same.cl --variant 'same+*' "${these[@]}"
done
mutant half_drifts_free 's/^\( *\)settle_displacements(/\1if (GROUP_ID != 1) settle_displacements(/' 'the side of the rigid particles' "${wet[@]}"
mutant noise_not_settled '/^ *settle_kept(cell/d' 'box ' "${wet[@]}"
mutant noise_of_other_waters 's/index\[first + slot\]/index[(first + count + slot) % box_begin[NUM_GROUPS]]/' 'box ' "${wet[@]}"
mutant warm_waters 's/noise_keep, noise_size/noise_keep, ACCUM(GROUP_ID == 1 ? 1.01 : 1.0) * noise_size/; s/^ *noise_size);/ACCUM(GROUP_ID == 1 ? 1.01 : 1.0) * noise_size);/' 'box ' "${wet[@]}"
check 'sums of one box of waters, with noise; and by launches' exits 0 check --workload step --variant 'settle_langevin_inside+boxes_half,settle_langevin+all_pairs_loop' \
    --kind water --n 120 --exclude molecule --precision mixed --outputs virial --dt 0.0005 --steps 3
check 'noise of a batch by launches' exits 0 check --workload step --variant settle_langevin+boxes_tile --kind water --n 360 --batch 3 --exclude molecule \
    --precision mixed --outputs forces --dt 0.0005 --steps 3
source=$tests/../variants/step/settle_hoover_inside.cl
refused_bath() { # refused_bath THERMOSTAT
    sed -e "s/@thermostat .*/@thermostat $1/; s/settle_hoover_inside/bathed/" "$source" >bathed.cl
    exits 2 check --variant-file bathed.cl --variant 'bathed+boxes_tile' "${wet[@]}"
    says err "settle has no thermostat ${1%%:*}; expected none, nose-hoover or langevin"
}
refused_bath berendsen:temperature=1
refused_bath rescale:temperature=1

# Each pair once, between steps too.
check 'by half the pairs' exits 0 check --workload step --variant verlet_inside+boxes_half --kind melt --n 130-200 --batch 3 --precision double \
    --outputs forces --steps 4

# Rows of neighbours, which are found again once somebody has moved too far; those that are too long.
source=$tests/../variants/step/verlet_inside.cl
changed same ''
again=(--workload step --kind melt --n 130-200 --batch 3 --precision double --outputs forces --steps 30 --tune MARGIN=6)
leaning=(--workload step --kind melt@75:100:65 --n 200-300 --batch 3 --precision double --outputs forces --steps 4)
for arguments in again leaning; do
    declare -n these=$arguments
    check "rows: $arguments" exits 0 check --variant-file same.cl --variant 'same+*' "${these[@]}" --tune ROOM=96
done
check 'rows that are too long, none and one' exits 0 check --variant-file same.cl --variant 'same+*' --workload step --kind fluid --n 0-90 --batch 9 --open \
    --precision float --outputs forces --steps 4 --tune ROOM=32
check 'places of 16 bits' exits 0 check --workload step --variant 'verlet_inside+*' --kind melt --n 260-330 --batch 2 --precision mixed --outputs forces --steps 3
mutant rows_kept 's/ || !(displacement(place\[slot\], held->built.*) {/) {/' 'box ' "${again[@]}"
mutant no_margin 's/const real reach = .*/const real reach = REAL(1.0);/' 'box ' "${again[@]}"
mutant last_in_no_row 's/(1u << (count - base)) - 1u/(1u << (count - base - 1)) - 1u/' 'box ' "${cells[@]}"
mutant self_in_row '/mask &= ~(1u << (slot/d' '' "${cells[@]}"
mutant first_of_32_in_no_row 's/bit = 31 - (int)LEADING_ZEROS(mask);/&\n                if (mask == 1u) { break; }/' 'box ' "${cells[@]}"
mutant row_short 's/begin < listed; begin += /begin + 1 < listed; begin += /' 'box ' "${again[@]}"
mutant rows_of_the_first 's/(long64)first \* (ROOM/(long64)0 * (ROOM/' 'box ' --workload step --kind melt --n 260-330 --batch 3 --precision double --outputs forces --steps 2
mutant one_row_only 's/held->listed\[k\] <= ROOM/1/' 'box ' "${cells[@]}" --tune ROOM=32
mutant told_to_nobody 's/sum\[0\] = 1;/sum[0] = LOCAL_ID == 0;/' 'box ' "${again[@]}"

# Another integrator, over boxes of one cell; and one box inside a kernel, energies at the end included.
check 'verlet over boxes of one cell' exits 0 check --workload step --variant 'verlet+boxes_tile,verlet_fused+boxes_tile,verlet_fused+list_boxes' --kind melt --n 600 --batch 3 --precision float \
    --outputs forces --steps 4
check 'one box' exits 0 check --workload step --variant 'verlet_inside+boxes_*' --kind melt --n 200 --precision float,double --outputs forces,virial --steps 5

# ---- who cannot ----
refused() { # refused WORDS ARGUMENT...
    exits "$1" check --workload step --kind melt --precision float "${@:3}"
    check "$2" said "$2"
}
refused 2 'boxes of several sizes have their own' --variant verlet+boxes_tile --n 130-300 --batch 3 --periodic xyz --outputs forces
refused 3 'a batch of time steps takes --outputs forces' --variant verlet_inside+boxes_tile --n 600 --batch 3 --outputs energy
refused 3 'has one bath for all particles' --variant nose_hoover+boxes_tile --n 600 --batch 3 --outputs forces
refused 2 'computes one box' --variant verlet+all_pairs_loop --n 600 --batch 3 --outputs forces
refused 3 'HELD' --variant verlet_inside+boxes_tile --n 2000 --outputs forces
exits 2 run --kind melt --n 600 --batch 3 --steps 4 --variant verlet+boxes_tile
says err '--batch: a simulation is of one box'
exits 2 best --workload step --kind melt --n 600 --batch 3
says err '--batch: whole steps are timed as a simulation, which is of one box'
source=$tests/../variants/step/verlet_inside.cl
refused_header() { # refused_header SED WORDS
    changed header "$1"
    exits 2 check --variant-file header.cl --variant 'header+*' "${batch[@]}"
    says err "$2"
}
refused_header 's/@forces .*/@forces list_walk/' 'nothing is built between steps; expected forces with @structure none'
refused_header 's/^ \* @pass.*/&\n * @pass verlet_inside group per box when asked/' 'it stands for all passes; expected none of another time'
# An integrator of a long name is found with that of its forces; a longer one is refused.
named() { changed "$1" "s/verlet_inside/$1/"; } # named NAME
named whose_name_has_thirty_letters_
check 'a long name' exits 0 check --variant-file whose_name_has_thirty_letters_.cl --variant whose_name_has_thirty_letters_+boxes_tile "${batch[@]}"
named whose_name_has_thirty_eight_characters
exits 2 check --variant-file whose_name_has_thirty_eight_characters.cl --variant 'whose_*' "${batch[@]}"
says err 'whose_name_has_thirty_eight_characters+boxes_tile: a name of 49 characters; expected up to 47 with that of the forces'

# ---- one box that stays on the device for all steps ----
source=$tests/../variants/step/verlet_resident.cl
kept() { sed -e "s/^ \* verlet_resident —/ * $1 —/; $2" "$source" >"$1.cl"; } # kept NAME SED
kept stays ''
far=(--workload step --kind melt --n 130 --precision double --outputs forces --steps 30 --periodic xyz --tune MARGIN=6)
check 'it passes, over rows that are built again' exits 0 check --variant-file stays.cl --variant 'stays+*' "${far[@]}" --tune LANES=4
check 'and with the sums of the end' exits 0 check --variant-file stays.cl --variant 'stays+*' --workload step --kind fluid --n 1,65 \
    --precision mixed --outputs virial --steps 3
check 'rows without room, particles beyond the sets' exits 0 check --variant-file stays.cl --variant 'stays+*' "${far[@]}" --tune LANES=4,32 \
    --tune ROOM=64 --tune GROUP_SIZE=256
export PAIRMARK_SUBGROUPS=32
check 'rows by ballots' exits 0 check --variant-file stays.cl --variant 'stays+*' "${far[@]}" --tune LANES=8,32 --tune GROUP_SIZE=32
unset PAIRMARK_SUBGROUPS
kept_mutant() { # kept_mutant NAME SED ARGUMENT...
    kept "$1" "$2"
    sed "s/^ \* $1 —/ * stays —/" "$1.cl" | cmp -s - stays.cl
    check "$1 is another text" [ $? -eq 1 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${far[@]}" "${@:3}"
    check "$1 is wrong" said wrong
}
kept_mutant never_again 's/ || !(distance2(p, at, box) <= way2)//' --tune LANES=4
kept_mutant short_reach 's/REAL(0.01) \* MARGIN/REAL(-0.1)/g' --tune LANES=4
kept_mutant of_the_step_before 's/other\[u\] = now\[partner/other[u] = (step == 5 ? place : now)[partner/' --tune LANES=4
kept_mutant one_lane_lost 's/sum_over_lanes(scratch, LANES/sum_over_lanes(scratch, LANES - 1/' --tune LANES=4
kept_mutant row_cut 's/listed = found;/listed = found > 6 ? 6 : found;/' --tune LANES=4
kept_mutant last_kick_twice 's/f = sum;/f = sum; v = kicked(v, f, ACCUM(0.5) * dt * (step + 1 == own_steps));/' --tune LANES=4
kept_mutant beyond_not_kicked 's/velocity\[i\] = kicked(velocity\[i\], sum/velocity[i] = kicked(velocity[i], force[i]/; s/force\[i\] = sum;//' --tune LANES=32

conclude
