#!/usr/bin/env bash
# The gate finds what goes wrong between the user's words and the kernels: pairmark_faulty (data/faults/faults.cmake) has a fault
# in the mixing rules, in tables, exclusions, defaults of the switching function, groups and lists, all of which the reference
# works out by itself. A reference that shared one of them would agree with the faulty kernels.
. "$2/lib.sh" || exit 1
right=$pairmark
faulty=$(dirname "$pairmark")/tests/pairmark_faulty

judged() { # judged DESCRIPTION ARGUMENT...: `check` passes the case, and fails it where the fault is in
    pairmark=$right
    check "$1: passes" exits 0 check --variant "${@:2}"
    check "$1: a case" grep -q '^[1-9] passed, 0 failed' out
    pairmark=$faulty
    check "$1: the fault is found" exits 1 check --variant "${@:2}"
    check "$1: as wrong" grep -q 'wrong' out
}
one=(--precision float --reduction tree)
brick=(all_pairs_loop --kind brick --n 200 --cutoff 2.5 --outputs energy "${one[@]}")
cubic=(coordination_loop --workload coordination --kind cubic --outputs energy "${one[@]}")

pairmark=$faulty
check "without a fault in the way" exits 0 check --variant "${brick[@]}" --interaction lj
check "the faulty program computes" grep -q '^[1-9] passed, 0 failed' out

for count in 5 7; do
    judged "$count evaluations in one launch" all_pairs_loop --kind fluid --n 100 --launch each:$count "${one[@]}"
done
judged "mixing" "${brick[@]}" --interaction lj:epsilon.A=0.2,sigma.B=1.1
printf 'type_a,type_b,function,epsilon,sigma,cutoff\nA,A,lj,1,1,\nA,B,lj,1,1,1.9\nB,B,lj,1,1,\n' >table.csv
judged "tables" "${brick[@]}" --interaction lj --table "$work/table.csv"
seq 1 2 199 | awk '{ print $1, $1 + 1 }' >pairs.txt
check "a box of pairs" exits 0 box lattice --n 200 -o pairs.xyz
judged "listed exclusions" all_pairs_loop --box pairs.xyz --interaction lj --exclude pairs.txt --cutoff 2.5 \
    --outputs energy "${one[@]}"
judged "molecules" "${brick[@]}" --interaction lj --exclude molecule
judged "the switching function's end" "${cubic[@]}" --n 512 --interaction rational:r0=0.35,n=6,m=12
judged "the switching function's exponent" "${cubic[@]}" --n 125 --interaction rational:r0=1.1,n=6,dmax=2
judged "lists" list_walk --kind fluid --n 300 --cutoff 2.5 --outputs energy "${one[@]}"
judged "the derivative of an expression" "${brick[@]}" --interaction 'energy = 4*((1/r)^12 - (1/r)^6 + exp(-r)/r)'
judged "a step of an expression" "${brick[@]}" --interaction 'energy = step(r - 1.3)/r + step(1.3 - r)*r'
judged "bonded terms" bonded_gather --kind chains --n 50 --outputs forces --precision float
printf '/* @parameter k real "k.dat" */ tempEnergy += k1*k2*r2; dEdR -= 2*k1*k2;\n' >charges.omm
seq 1 200 | awk '{ print 0.5 + $1 / 200 }' >k.dat
judged "a parameter of a kernel text" "${brick[@]}" --interaction-file charges.omm
printf 'if (r2 < 0.7f*CUTOFF_SQUARED) { tempEnergy += r2*r2; dEdR -= 4*r2; }\n' >short.omm
judged "a macro of a kernel text" "${brick[@]}" --interaction-file short.omm
cat >spring.omm <<'END'
/* @parameter PARAMS float2 r0 k */
real3 delta = make_real3(pos2.x-pos1.x, pos2.y-pos1.y, pos2.z-pos1.z);
real r = SQRT(dot(delta, delta));
energy += 0.5f*PARAMS[index].y*(r-PARAMS[index].x)*(r-PARAMS[index].x);
real3 force1 = delta*(PARAMS[index].y*(r-PARAMS[index].x)/r);
real3 force2 = -force1;
END
check "a box of chains" exits 0 box chains --n 50 -o chains.xyz --terms chains
{ echo 'energy = kernel "spring.omm"'; cat chains.bonds.csv; } >springs.csv
judged "a parameter of the text of a term" bonded_gather --box chains.xyz --bonds springs.csv --outputs forces --precision float
judged "constraints" shake --kind water --n 30 --precision float
# Pairs of opposite charges, each a molecule and a species of its own: what takes one for the other leaves out the same.
{
    printf '16\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3:charge:R:1:molecule:I:1 pbc="T T T"\n'
    for k in 0 1 2 3 4 5 6 7; do
        awk -v k=$k 'BEGIN { x = 4 * (k % 2) + 0.7; y = 4 * (int(k / 2) % 2) + 0.5; z = 4 * int(k / 4) + 0.3 + 0.1 * k
            printf "A%c %g %g %g 1 %d\nA%c %g %g %g -1 %d\n", 97 + k, x, y, z, k + 1, 97 + k, x + 0.9, y + 0.4, z + 0.2, k + 1 }'
    done
} >dimers.xyz
whole=('verlet+all_pairs_loop' --workload step --box dimers.xyz --exclude molecule --interaction ewald-real:alpha=1 --cutoff 3.9
    --precision double --outputs virial --steps 3 --dt 0.003)
for fault in '16 reciprocal forces in every step' '18 of this step' '20 the sign of what excluded pairs have of it' '21 excluded pairs at all' \
    '24 the virial of the reciprocal part' '25 self energy'; do
    judged "${fault#* }" "${whole[@]}" --long-range "pme_atomic:grid_x=${fault%% *},grid_y=16,grid_z=16"
done
pairmark=$faulty
check "another grid, without a fault" exits 0 check --variant "${whole[@]}" --long-range pme_atomic:grid_x=27,grid_y=16,grid_z=16
steps=('verlet+all_pairs_loop' --workload step --precision float --outputs forces --steps 2)
judged "exchanges among unlike particles" "${steps[@]}" --kind salt --n 64 --cutoff 1.9 --interaction lj:sigma.Na=0.9 --exchange hilbert
judged "the way back from exchanges" "${steps[@]}" --kind fluid --n 100 --exchange hilbert
judged "an outer list that no longer serves" 'verlet+clusters_8x8' --workload step --kind melt --n 1000 --density 0.2 --cutoff 1.5 --precision double \
    --outputs forces --steps 20 --dt 0.01 --tune SKIN=4 --tune OUTER=6
in_parts=('verlet+clusters_8x8' --workload step --kind melt --n 1000 --density 0.2 --cutoff 1.5 --precision double --outputs forces --steps 100
    --dt 0.002 --tune SKIN=10 --tune OUTER=80)
judged "a part that is not pruned again" "${in_parts[@]}" --tune PARTS=3
judged "parts that serve too long" "${in_parts[@]}" --tune PARTS=2
judged "groups" "${cubic[@]}" --n 125 --interaction rational:r0=1.1,n=6,m=12,dmax=2 --group-a 3-100:2

conclude
