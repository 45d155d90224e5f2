#!/usr/bin/env bash
# Integrators with one mistake each: the gate refuses them.
. "$2/lib.sh" || exit 1
source=$tests/../variants/step/verlet.cl

mutant() { # mutant NAME SED CHECK_ARGUMENT...: verlet, changed, over all pairs
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; $2" "$source" >"$1.cl"
    check "$1 is another text" differs "$1"
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" --workload step --kind fluid --precision double "${@:3}"
    check "$1 is wrong" said wrong
}
differs() {
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/" "$source" | cmp -s - "$1.cl"
    [ $? -eq 1 ]
}
half='kicked(velocity\[i\], force\[i\], ACCUM(0.5) \* dt)'

sed -e 's/^ \* verlet —/ * same —/; s/@forces .*/@forces all_pairs_loop/' "$source" >same.cl
check 'unchanged it passes' exits 0 check --variant-file same.cl --variant 'same+*' --workload step --kind fluid --precision double --n 65 \
    --outputs energy
mutant half_kick_left_out "0,/$half/s//velocity[i]/" --n 65 --outputs forces
mutant whole_kick "0,/ACCUM(0.5) \* dt/s//dt/" --n 65 --outputs forces
mutant last_half_left_out 's/kick_half(i, dt, velocity, force)/kinetic_energy(velocity[i])/' --n 65 --outputs forces
mutant wrong_dt 's/position_rest), v, dt,/position_rest), v, ACCUM(1.0001) * dt,/' --n 65 --outputs forces
mutant one_particle_rests 's/^        move_from/        velocity[i] = v;\n        if (i != 17) move_from/' --n 65 --outputs forces
mutant crossing_lost 's/^        LOOK_HOW_FAR/        crossing[i].x = 0;\n&/' --n 500 --outputs forces
mutant left_outside 's/^        LOOK_HOW_FAR/        position[i].x += crossing[i].x * box.edge.x;\n        crossing[i].x = 0;\n&/' --n 500 --outputs forces
check 'and who is outside of the cell is nowhere' said 'got nan'
mutant velocity_of_one 's/kick_half(i, dt, velocity, force);/&\n        if (i == 17) { velocity[i] = scaled(velocity[i], ACCUM(1.0001)); }/' --n 65 --steps 1 \
    --outputs forces
check 'and it is the velocity' said 'velocity of particle'
# Right where the particles stand in input order, as they do in the gate's first runs: in no launch that is timed do they.
mutant lazy_in_time 's/verlet_second(/&GLOBAL const int *RESTRICT index, /
    s/kinetic += kick_half/if (index[0] == 0 \&\& index[1] == 1) kick_half/' --n 65 --steps 1 --outputs forces
check 'and each launch tells' said 'launch 1 of a round, velocity of particle'
mutant kinetic_zeroed_late 's/^    store_total.*/&\n    totals[0] = 0;/' --n 65 --outputs energy
mutant first_group 's/store_total(scratch, items_launched(n),/store_total(scratch, n > 128 ? 128 : n,/' --n 200 --outputs energy

# Under mixed: what is kept in float lies within the bounds, which leave room for forces in float. Its digits tell.
in_float='    for (int i = GLOBAL_ID; i < n; i = n) {\n        velocity[i] = make_accum4((float)velocity[i].x, (float)velocity[i].y, (float)velocity[i].z, velocity[i].w);\n    }'
no_rest='        position_rest[i] = make_real4(0, 0, 0, 0);'
input_order='index[0] == 0 \&\& index[1] == 1'
kept_short() { # kept_short NAME SED WORDS
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; $2" "$source" >"$1.cl"
    check "$1 is another text" differs "$1"
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" --workload step --kind fluid --precision mixed --n 500 --outputs forces
    check "$1: $3" said "$3"
}
check 'under mixed it passes, too' exits 0 check --variant-file same.cl --variant 'same+*' --workload step --kind fluid --precision mixed --n 500 \
    --outputs forces
kept_short float_velocities "s/^    store_sum_if_asked.*/$in_float\n&/" 'velocity: 1500 of 1500 components'
kept_short float_positions "s/^        LOOK_HOW_FAR/$no_rest\n&/" 'positions as two floats'
kept_short float_in_time "s/verlet_second(/&GLOBAL const int *RESTRICT index, /; s/^    store_sum_if_asked.*/    if (!($input_order)) {\n$in_float\n    }\n&/" \
    ' of a round, velocity: '

# With digits of their own, by factors near 1: where no forces act, nothing but motion errs.
free=(--workload step --kind melt --density 0.05 --n 257 --precision mixed --outputs energy)
exits 1 check --variant-file same.cl --variant 'same+*' "${free[@]}" # no pairs: nothing but motion is judged
check 'under mixed free motion passes' said '2 passed, 0 failed'
near_one() { # near_one NAME SED WORDS
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; $2" "$source" >"$1.cl"
    check "$1 is another text" differs "$1"
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${free[@]}"
    says_like out "^wrong .*: $3 of particle .*: got .*, expected"
}
near_one velocities_near_one "s/^    store_sum_if_asked.*/${in_float//(float)/ACCUM(1.0000000013) * (float)}\n&/" velocity
near_one positions_near_one "s/^        LOOK_HOW_FAR/        position_rest[i] = make_real4(REAL(1e-9) * position[i].x, REAL(1e-9) * position[i].y, REAL(1e-9) * position[i].z, 0);\n&/" \
    displacement
# Where forces act, in steps so short that their errors do not matter.
where_forces="    for (int i = GLOBAL_ID; i < n \&\& force[i].x != 0; i = n) {\n${in_float#*\\n}"
free=(--workload step --precision mixed --budget 1 --fail-fast)
near_one velocities_under_force "s/^    store_sum_if_asked.*/${where_forces//(float)/ACCUM(1.0000000013) * (float)}\n&/" velocity
says_like out '^wrong .*/melt/n:257/.*dt=1e-09'
sed -e 's/^ \* verlet —/ * drawn_free —/; s/@forces .*/@forces all_pairs_loop/' \
    -e "s/^    store_sum_if_asked.*/${in_float//(float)/ACCUM(1.0000000013) * (float)}\n&/" "$source" >drawn_free.cl
check 'free motion is among the cases that are drawn' exits 1 check --variant-file drawn_free.cl --variant 'drawn_free+*' --workload step \
    --precision mixed --budget 1 --fail-fast
says_like out '^wrong .*/melt/n:[0-9]+/density:0.05.*: velocity of particle'

# By the listed cases: masses where energies are asked for, and more groups than a group has work-items (over cells, for processors are
# spared all pairs of so many particles).
by_default() { # by_default NAME FORCES SED WORDS
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces $2/; $3" "$source" >"$1.cl"
    check "$1 is another text" sh -c "! sed -e 's/^ \* verlet —/ * $1 —/; s/@forces .*/@forces $2/' '$source' | cmp -s - '$1.cl'"
    expect 1 check --variant-file "$1.cl" --variant "$1+*" --workload step --precision double --outputs energy --budget 0 --fail-fast
    says_like out "^wrong .*$4.*kinetic energy: "
}
by_default without_masses all_pairs_loop \
    's/kinetic += kick_half(i, dt, velocity, force);/(void)kick_half(i, dt, velocity, force); { const accum4 v = velocity[i]; kinetic += ACCUM(0.5) * (v.x * v.x + v.y * v.y + v.z * v.z); }/' /water/n:30
by_default few_groups sorted_cells \
    's/store_total(scratch, items_launched(n),/store_total(scratch, n > GROUP_SIZE * GROUP_SIZE ? GROUP_SIZE * GROUP_SIZE : n,/' /melt/n:20011

# What a launch leaves in the place of forces is not there when those of the next one's start are computed, which no time is taken of.
sed -e 's/^ \* all_pairs_loop —/ * left_forces —/; s/make_accum4(fx,/make_accum4(fx + (force[i].w == ACCUM(4242.0) ? ACCUM(100.0) : ACCUM(0.0)),/' \
    "$tests/../variants/forces/all_pairs_loop.cl" >left_forces.cl
sed -e 's/^ \* verlet —/ * left —/; s/@forces .*/@forces left_forces.cl/; s/^ *kinetic += kick_half.*/&((GLOBAL accum4 *)force)[i].w = ACCUM(4242.0);/' \
    "$source" >left.cl
check 'a note is left, and looked for' [ "$(grep -c 4242.0 left.cl left_forces.cl | paste -sd' ')" = 'left.cl:1 left_forces.cl:1' ]
check 'and not found' exits 0 check --variant-file left.cl --variant 'left+*' --workload step --kind fluid --precision double --n 65 --steps 1 \
    --outputs forces

# Nor is what the kernels of the forces leave in memory of their own when they compute those of the start.
sed -e 's/^ \* all_pairs_loop —/ * noted_forces —/; s/^ \* @tunable.*/&\n * @scratch   note accum particle/; s/GLOBAL accum4 \*RESTRICT force,/GLOBAL accum *note, &/' \
    -e 's/make_accum4(fx,/make_accum4(fx + (note[i] == ACCUM(4242.0) ? ACCUM(100.0) : ACCUM(0.0)),/; s/^        force\[i\] = .*/&\n        note[i] = ACCUM(4242.0);/' \
    "$tests/../variants/forces/all_pairs_loop.cl" >noted_forces.cl
sed -e 's/^ \* verlet —/ * noted —/; s/@forces .*/@forces noted_forces.cl/' "$source" >noted.cl
check 'a note is kept, and looked for' [ "$(grep -c 4242.0 noted_forces.cl)" -eq 2 ]
check 'and is gone' exits 0 check --variant-file noted.cl --variant 'noted+*' --workload step --kind fluid --precision double --n 65 --steps 1 \
    --outputs forces

# Nor what steps leave in memory that is built for each launch, and that they are only given to read.
late() { # late NAME: a copy of verlet with memory that is kept from building to building
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; s/^ \* @pass       verlet_first.*/ * @pass       fill item per particle when moved\n&/" \
        -e "s/^ \* @tunable    WRAP.*/ * @scratch    note accum particle\n * @tunable    SKIN 30\n&/" \
        -e "s/^KERNEL void verlet_first/KERNEL void fill(int n, GLOBAL accum *RESTRICT note) {}\n\n&/; s/KERNEL void verlet_[a-z]*(/&GLOBAL const accum *RESTRICT note, /" \
        -e "s/const accum4 v = kicked(velocity\[i\], force\[i\], /&(note[i] == ACCUM(4242.0) ? ACCUM(2.0) : ACCUM(1.0)) * /" \
        -e "s/^ *kinetic += kick_half.*/&\n        ((GLOBAL accum *)note)[i] = ACCUM(4242.0);/" "$source" >"$1.cl"
}
late late
check 'a note is kept beyond a launch, and looked for' [ "$(grep -c 4242.0 late.cl)" -eq 2 ]
check 'and not found in the next' exits 0 check --variant-file late.cl --variant 'late+*' --workload step --kind fluid --precision double --n 65 --steps 1 \
    --outputs forces
# A force kernel counts its launches in the spare place of its row.
sed -e 's/^ \* list_walk —/ * counting_walk —/; s/^        own_force sum;/        GLOBAL int *spare = (GLOBAL int *)row + list_capacity - 1;\n        const int met = count < list_capacity ? *spare - 4240 : 0;\n&/' \
    -e 's/^        store_own_force.*/        if (count < list_capacity) {\n            *spare = met == 1 || met == 2 ? met + 4241 : 4241;\n        }\n        if (met == 2) {\n            add_to_force(\&sum, 1, 0, 0);\n        }\n&/' \
    "$tests/../variants/forces/list_walk.cl" >counting_walk.cl
sed -e 's/^ \* verlet —/ * spare —/; s/@forces .*/@forces counting_walk.cl/' "$source" >spare.cl
check 'a note is left in a list, and looked for' [ "$(grep -c 'spare' counting_walk.cl)" -eq 3 ]
check 'and not found in the next launch' exits 0 check --variant-file spare.cl --variant 'spare+*' --workload step --kind fluid --precision double --n 65 \
    --steps 1 --cutoff 1.5 --outputs forces

# Passes that run before the time begins are not told how particles move: one could compute there what the steps are to.
foreseeing() { # foreseeing PARAMETER NAME: exit status 2
    sed -e "s/^ \* verlet —/ * foreseeing —/; s/@forces .*/@forces all_pairs_loop/; s/^ \* @pass       verlet_first.*/ * @pass       foresee item per particle when moved\n&/" \
        -e "s/^ \* @tunable    WRAP.*/ * @scratch    foreseen accum4 particle\n * @tunable    SKIN 30\n&/" \
        -e "s/^KERNEL void verlet_first/KERNEL void foresee(int n, $1, GLOBAL accum4 *RESTRICT foreseen) {}\n\n&/" "$source" >foreseeing.cl
    check "$2 is refused before the time begins" exits 2 list --variant-file foreseeing.cl
    check "$2 is named" err "kernels take $2 in passes of every step alone"
}
foreseeing 'GLOBAL const accum4 *RESTRICT velocity' velocity
foreseeing 'accum dt' dt

# Of many particles that are moved a little, a sample from few places is followed: who goes by where the lattice has them is found there.
many=(--workload step --kind melt --n 5324 --cutoff 1.5 --precision float --outputs forces --steps 3)
by_place() { # by_place NAME FACTOR: who is off his site at the start is faster by it
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces sorted_cells/; /^KERNEL void verlet_first/,/force STEP/s/force STEP/force, long64 step STEP/" \
        -e "0,/const accum4 v = /s/const accum4 v = .*/const real site = position[i].x * box.inverse_edge.x * 22 - REAL(0.5);\n\
        accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);\n        if (step == 0 \&\& FABS(site - RINT(site)) > REAL(1e-4)) { v.x *= ACCUM($2); }/" \
        "$source" >"$1.cl"
}
by_place right_there 1
check 'many particles pass' exits 0 check --variant-file right_there.cl --variant 'right_there+*' "${many[@]}"
by_place wrong_there 1.02
check 'wrong where they were moved is refused' exits 1 check --variant-file wrong_there.cl --variant 'wrong_there+*' "${many[@]}"
check 'by the sample' said 'one of a sample of 64'

conclude
