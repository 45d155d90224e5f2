#!/usr/bin/env bash
# Rigid waters along time steps: SETTLE of positions and of velocities, judged by the reference and by the sides.
. "$2/lib.sh" || exit 1
echo 'type_a,type_b,function,epsilon,sigma,cutoff
O,O,lj,0.65,3.166,' >water.csv
forces=(--interaction 'lj+ewald-real:alpha=0.45,coulomb=1389.35457644' --table "$work/water.csv" --exclude molecule --cutoff 6)
one=(--workload step "${forces[@]}" --dt 0.003)
expect 0 box water --n 192 --temperature 2.5 -o warm.xyz

expect 0 check "${one[@]}" --box warm.xyz --variant 'verlet_settle+all_pairs_loop' --precision mixed --outputs energy
check 'ten steps of warm waters' out '1 passed, 0 failed'

# From rest, with forces within the molecules that are far larger than what they leave of the velocities: in a periodic box and an open one.
expect 0 check --workload step --kind water --n 120 --variant 'verlet_settle+all_pairs_loop' --precision double --outputs forces --dt 0.0005 --steps 3
check 'large forces along the sides' out '2 passed, 0 failed'

# ---- mutants ----
# changed NAME SED: $source and the words of waters.cl, by names of their own, changed, in NAME.cl
source=verlet_settle
changed() {
    sed -e "/^ \*\/$/r $tests/../variants/waters.cl" "$tests/../variants/step/$source.cl" |
        sed -e "s/_molecule\\b/_three/g; s/^ \* $source —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; $2" >"$1.cl"
}
mutant() { # mutant NAME SED WORDS: refused, and why
    changed "$1" "$2"
    changed same ''
    check "$1 is another text" sh -c "! sed 's/^ \* same —/ * $1 —/' same.cl | cmp -s - $1.cl"
    expect 1 check "${one[@]}" --box warm.xyz --variant-file "$1.cl" --variant "$1+*" --precision double --outputs forces
    check "$1: $3" said "$3"
}
mutant velocities_free '/settle_velocities(/d' 'how fast the side of the rigid particles'
mutant wrong_mass 's/settle_displacements(/way.tip.w *= ACCUM(1.01); &/' wrong
mutant between_not_kicked '/^KERNEL void settle_between/,/^}/{/kick_three/d;}' wrong
mutant velocity_not_corrected '/^DEVICE void store_three/,/^}/s/velocity\[atoms.y\] = v.left;//' wrong

# Thermostats: noise of each particle, which the drift behind it makes rigid; degrees of freedom.
for source in settle_langevin settle_hoover; do
    changed same ''
    expect 0 check "${one[@]}" --box warm.xyz --variant-file same.cl --variant 'same+*' --precision mixed,double --outputs energy
    check "$source" out '2 passed, 0 failed'
done
mutant waters_free 's/thermostat_time, freedom, links, bath)/thermostat_time, freedom + ACCUM(192.0), links, bath)/' wrong
mutant scaled_once '/^KERNEL void settle_first/,/^}/s/scale_three(\(.*\), factor\[0\])/\1/' wrong
source=settle_langevin
mutant noise_behind '/^ *drift_three(atoms, half_step/{s/half_step/dt/;x;s/^/x/;/xx/{x;d;};x;}' wrong
mutant noise_unconstrained '/^KERNEL void settle_langevin_second/,/^}/s/^ *kinetic = .*/&\n        velocity[water_atoms[m].y] = with_noise(velocity[water_atoms[m].y], make_real4(1, 1, 1, 0), ACCUM(1.0), ACCUM(1e-3));/' 'how fast the side of the rigid particles'
mutant velocities_not_projected '/^DEVICE accum finish_three/,/^}/{/settle_three/d;}' 'how fast the side of the rigid particles'
mutant noise_of_the_tip 's/index\[atoms.y\]/index[atoms.x]/' wrong
mutant noise_of_equal_masses 's/v.tip = with_noise(v.tip/v.tip.w = v.left.w; &/' wrong
expect 2 check "${one[@]}" --box warm.xyz --variant 'settle_langevin+all_pairs_loop' --thermostat berendsen:temperature=1
refuses 'the thermostat langevin is of rigid waters' run --reference --kind water --n 81 --steps 1 --thermostat langevin:temperature=1

# Velocities along the sides that are off in timed launches alone, which know themselves by the order of the particles and where the
# first one is, and by so little that along ten steps each particle stays within its bound.
first=$(awk 'NR == 3 { print $2 }' warm.xyz)
off_in_time() { # off_in_time NAME CONDITION: a copy of verlet_settle whose velocities are off where it holds at the first step
    sed -e "s/^ \* verlet_settle —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; s/^ \* @scratch .*/&\n * @scratch    note int box/" \
        -e "s/KERNEL void settle_first(/&int n, long64 step, GLOBAL const int *RESTRICT index, GLOBAL int *RESTRICT note, /" \
        -e "s/KERNEL void settle_second(/&GLOBAL const int *RESTRICT note, /" \
        -e "0,/const int4 atoms = .*/s//&\n        const int d = index[1] - index[0];\n        if (step == 0 \&\& index[atoms.x] == 0) {\n            note[0] = $2;\n        }/" \
        -e "/^KERNEL void settle_second/,/^}/s/^ *kinetic = finish_molecule.*/&\n        const int4 atoms = all_atoms(water_atoms[m]);\n        const of_molecule x = load_positions(atoms, position, position_rest);\n        velocity[atoms.y] = moved_accum(velocity[atoms.y], note[0] == 1 ? ACCUM(1e-9) : ACCUM(0.0), side_of(x.left, x.tip, box));/" \
        "$tests/../variants/step/verlet_settle.cl" >"$1.cl"
}
off_in_time never_off 0
expect 0 check "${one[@]}" --box warm.xyz --variant-file never_off.cl --variant 'never_off+*' --precision double --outputs forces
off_in_time timed_off "(d == 1 || d == -1 || d == n - 1 || d == 1 - n) \&\& index[0] != 0 \&\& FABS(position[atoms.x].x - REAL($first)) < REAL(1e-9)"
for command in check bench; do
    more=()
    [ $command = bench ] && more=(--time-cap 0.02 --visits 1 --twins 0 --no-plot -o timed_off)
    expect 1 "$command" "${one[@]}" --box warm.xyz --variant-file timed_off.cl --variant 'timed_off+*' --precision double --outputs forces "${more[@]}"
done
says_like timed_off/rows.csv 'launch [0-9]+ of a round, how fast the side of the rigid particles'

# ---- along many steps, by the reference: what is conserved, and degrees of freedom ----
smooth='energy = 100*q1*q2*exp(-(r/1.15)^2)/r + (2/r)^12'
long=(--kind water --n 81 --interaction "$smooth" --exclude molecule --cutoff 4.5 --temperature 2.5 --integrator settle)
bathed() { # bathed FREEDOM THERMOSTAT: the temperature, its fluctuation, and what is conserved with the heat
    rm -f log.csv
    "$pairmark" run --reference "${long[@]}" --thermostat "$2" --dt 0.01 --steps 500 --log log.csv --log-every 5 >out 2>err </dev/null
    check "$2: conserved" awk -F, 'NR > 1 { e = $7 - first; if (NR == 2) { first = $7 } else if (e > 0.2 || e < -0.2) { exit 1 } } END { exit NR != 102 }' log.csv
    check "$2: degrees of freedom" awk -F, -v g="$1" 'NR > 1 { d = 2 * $5 / $3 - g; if (d > 1e-6 || d < -1e-6) { exit 1 } }' log.csv
    check "$2: the temperature" near "$(awk -F, 'NR > 22 { sum += $3; n++ } END { print sum / n }' log.csv)" 2.5 0.1
}
bathed 162 langevin:temperature=2.5,friction=5
bathed 159 nose-hoover:temperature=2.5,time=0.1,chain=3
spread() { # spread DT STEPS EVERY: of what is conserved
    rm -f log.csv
    "$pairmark" run --reference "${long[@]}" --dt "$1" --steps "$2" --log log.csv --log-every "$3" >out 2>err </dev/null
    awk -F, 'NR == 2 { low = high = $7 } NR > 1 { low = $7 < low ? $7 : low; high = $7 > high ? $7 : high } END { print high - low }' log.csv
}
coarse=$(spread 0.01 50 1)
check 'the temperature at the start is the one asked for' near "$(awk -F, 'NR == 2 { print $3 }' log.csv)" 2.5 1e-9
check 'the kinetic energy is not' awk -F, 'NR == 2 { first = $5 } NR == 3 { exit $5 == first }' log.csv
fine=$(spread 0.005 100 2)
check "half the time step leaves a quarter of the fluctuation: $fine of $coarse" near "$fine" "$(awk "BEGIN { print $coarse / 4 }")" 0.1
check 'no pressure is told' sh -c '! grep -q ^pressure out'

# ---- particles that are nowhere: NaN by a time step that is too long; no row of cells has an end for them ----
expect 2 run --kind water --n 999 --interaction "$smooth" --exclude molecule --cutoff 4.5 --temperature 2.5 --integrator settle \
    --variant verlet_settle+sorted_cells --dt 0.01 --steps 100 --log-every 50 --precision double
says err 'or is nowhere'

# ---- velocities that come of sides corrected in the first step: of positions that are rounded, or moved a little ----
corrected() { all_pass "sides that are corrected, $1" --workload step --seed "$1" --steps 1 --exclude molecule "${@:2}"; }
corrected 1179027194 --variant verlet_settle+sorted_cells --kind water@90:90:120 --n 3 --dt 0.005 --cutoff half --precision mixed --outputs virial \
    --interaction lj+ewald-real:alpha=0.9
corrected 1179027194 --variant verlet_settle+sorted_cells --kind water --n 1023 --dt 0.001 --periodic z --precision double --outputs forces
corrected 2999610876 --variant verlet_settle+list_clusters --kind water --n 63 --dt 0.001 --cutoff half --precision mixed --outputs energy

# ---- what is refused ----
settle=(check --workload step --variant 'verlet_settle+all_pairs_loop' --precision float --outputs forces -v)
refuses 'takes rigid waters: a box of kind water' "${settle[@]}" --kind fluid --n 65
refuses 'takes whole rigid waters' "${settle[@]}" --kind water --n 65
expect 0 box fluid --n 65 -o fluid.xyz
expect 3 "${settle[@]}" --box fluid.xyz --cutoff 1.2
check 'no molecules' said 'rigid waters in a box without molecules'
# What is drawn for them has whole ones, whatever its number of particles.
expect 0 check --variant 'verlet_settle+all_pairs_loop' --budget 4 --seed 1 -v
lacks out 'is no rigid water'
refuses 'no side of a triangle' run --reference --kind water --n 81 --steps 1 --integrator settle:oh=1,hh=2.1

conclude
