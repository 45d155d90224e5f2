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

# From rest, with forces within the molecules that are far larger than what they leave of the velocities.
expect 0 check --workload step --kind water --n 120 --variant 'verlet_settle+all_pairs_loop' --precision double --outputs forces --dt 0.0005 --steps 3
check 'large forces along the sides' out '1 passed, 0 failed'

# ---- mutants ----
mutant() { # mutant NAME SED WORDS: refused, and why
    sed -e "s/^ \\* verlet_settle —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; $2" "$tests/../variants/step/verlet_settle.cl" >"$1.cl"
    check "$1 is another text" sh -c "! sed -e 's/^ \* verlet_settle —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/' '$tests/../variants/step/verlet_settle.cl' | cmp -s - $1.cl"
    expect 1 check "${one[@]}" --box warm.xyz --variant-file "$1.cl" --variant "$1+*" --precision double --outputs forces
    check "$1: $3" said "$3"
}
mutant velocities_free '/settle_velocities(/,/right);/d' 'how fast the side of the rigid particles'
mutant wrong_mass 's/settle_displacements(/tip.w *= ACCUM(1.01); &/' wrong
mutant velocity_not_corrected 's/velocity\[atoms.y\] = velocity_of(left, dt);//' wrong

# ---- along many steps, by the reference: what is conserved, and degrees of freedom ----
smooth='energy = 100*q1*q2*exp(-(r/1.15)^2)/r + (2/r)^12'
long=(--kind water --n 81 --interaction "$smooth" --exclude molecule --cutoff 4.5 --temperature 2.5 --integrator settle)
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

# ---- what is refused ----
expect 3 check --workload step --variant 'verlet_settle+all_pairs_loop' --kind fluid --n 65 --precision float --outputs forces -v
check 'no molecules' said 'rigid waters in a box without molecules'
expect 2 run --reference --kind water --n 81 --steps 1 --integrator settle:oh=1,hh=2.1
says err 'no side of a triangle'

conclude
