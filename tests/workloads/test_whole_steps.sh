#!/usr/bin/env bash
# Time steps with all of an Ewald sum: the gate passes them, what they conserve, the energy in parts, and what is refused.
. "$2/lib.sh" || exit 1
coulomb=coulomb=1389.35457644

# ---- the gate: cells, exclusions, variants of either part, in every precision that steps have ----
whole() { # whole DESCRIPTION ARGUMENT...
    expect 0 check --workload step "${@:2}"
    check "$1" out '1 passed, 0 failed'
}
water=(--kind water --n 192 --water spce --interaction "lj+ewald-real:alpha=0.6,$coulomb" --cutoff 6 --dt 0.003)
whole 'rigid waters' "${water[@]}" --steps 1 --variant 'verlet_settle+list_clusters' --precision float --outputs energy --long-range pme
whole 'waters, mixed' "${water[@]}" --steps 3 --variant 'verlet+all_pairs_loop' --precision mixed --outputs virial --long-range pme_lanes:order=6
whole 'waters, mixed but for the reciprocal part' "${water[@]}" --steps 3 --variant 'verlet+all_pairs_loop' --precision mixed --outputs virial \
    --long-range pme_tiles:PRECISION=float
whole 'molecules that change places' "${water[@]}" --steps 3 --variant 'verlet+all_pairs_loop' --precision double --outputs virial \
    --exchange hilbert:2 --long-range pme_atomic:order=4,STREAMS=2
whole 'neighbours in number that are left out, in a cell that leans' --kind salt@75:100:65 --n 216 --exclude next:2 --cutoff 2.2 \
    --charges Na=1.2,Cl=-1 --interaction born-mayer-huggins+ewald-real:alpha=1.2 --dt 0.0005 --variant 'leapfrog+all_pairs_loop' \
    --precision double --outputs virial --long-range pme_atomic:tolerance=1e-3
whole 'neighbours in number that are farther apart than half of a cell that leans' --kind warm-water@75:100:65 --n 192 --exclude next:3 \
    --interaction lj+ewald-real:alpha=0.9 --dt 0.0002 --steps 1 --variant 'verlet+all_pairs_loop' --precision double --outputs virial \
    --long-range pme_atomic:order=4
# Four that are half of the cell apart: either image is right, and in steps as short nothing else is left to judge.
printf '%s\n' 4 'Lattice="4.4 0 0 0 4.4 0 0 0 4.4" Properties=species:S:1:pos:R:3:q:R:1' \
    'A 0.3 0.2 0.7 1' 'B 2.5 0.2 0.7 -1' 'A 0.3 2.4 0.7 1' 'B 0.3 0.2 2.9 -1' >half.xyz
expect 3 check --workload step --box half.xyz --exclude next:3 --cutoff 2 --interaction ewald-real:alpha=0.9 --long-range pme_atomic:order=4 \
    --variant 'verlet+all_pairs_loop' --precision float --steps 1 --dt 0.005
check 'no side is taken where two images are as near' err 'nothing is left to judge'

# ---- what is conserved: forces are minus the gradient of the energy ----
long=(--kind water --n 81 --charges O=-0.8476,H=0.4238 --exclude molecule --cutoff 4.5 --temperature 2.5 --integrator settle
    --interaction "lj-switch+ewald-real:epsilon.O=0.65,sigma.O=3.166,epsilon.H=0,sigma.H=1,inner=3.5,outer=4.5,alpha=0.9,$coulomb")
smooth=pme:order=5,grid_x=24,grid_y=24,grid_z=24
spread() { # spread DT STEPS EVERY ARGUMENT...: of what is conserved
    rm -f log.csv
    "$pairmark" run --reference "${long[@]}" --dt "$1" --steps "$2" --log log.csv --log-every "$3" "${@:4}" >out 2>err </dev/null
    awk -F, 'NR == 2 { low = high = $7 } NR > 1 { low = $7 < low ? $7 : low; high = $7 > high ? $7 : high } END { print high - low }' log.csv
}
coarse=$(spread 0.005 50 1 --long-range $smooth)
fine=$(spread 0.0025 100 2 --long-range $smooth)
check "half the time step leaves a quarter of the fluctuation: $fine of $coarse" near "$fine" "$(awk "BEGIN { print $coarse / 4 }")" 0.15
drift() { "$pairmark" run --reference "${long[@]}" --dt 0.0025 --steps 400 --log-every 4 "$@" 2>err </dev/null | sed -n 's/.*drift \([^ ]*\) per.*fluctuation \(.*\)/\1 \2/p'; }
# A slope of 101 lines that fluctuate has a standard deviation of fluctuation sqrt(12 / 101) / (particles x time).
with=$(drift --long-range $smooth)
without=$(drift)
check "the drift $with is no more than that of the real part alone, $without" awk -v a="$with" -v b="$without" 'BEGIN {
    split(a, with, " "); split(b, without, " "); noise = sqrt(12 / 101) / 81
    drift = with[1] < 0 ? -with[1] : with[1]; other = without[1] < 0 ? -without[1] : without[1]
    exit !(drift <= other + 4 * noise * (with[2] + without[2])) }'

# ---- kernels go where the reference goes ----
take() { # take FILE ARGUMENT...: the last line of a log
    rm -f "$1"
    "$pairmark" run "${long[@]}" --dt 0.0025 --steps 40 --log "$1" --log-every 20 --long-range $smooth "${@:2}" >out 2>err </dev/null
}
take reference.csv --reference
take device.csv --precision double --variant 'verlet_settle+list_clusters'
for column in 3 4 7; do
    check "column $column of the log" near "$(awk -F, -v c=$column 'END { print $c }' device.csv)" "$(awk -F, -v c=$column 'END { print $c }' reference.csv)" 1e-9
done

# ---- the energy at the start is the sum of its parts ----
expect 0 eval --workload forces --kind water --n 192 --water spce --interaction "lj+ewald-real:alpha=0.6,$coulomb" --cutoff 6 \
    --precision double --outputs energy --json --variant all_pairs_loop
cp out real.json
expect 0 eval --workload pme --kind water --n 192 --charges O=-0.8476,H=0.4238 --interaction "pme:alpha=0.6,$coulomb,grid_x=20,grid_y=20,grid_z=20" \
    --precision double --outputs energy --json --variant pme_atomic
parts=$(jq -s '[.[] | .energy, .self_energy, .background_energy, .excluded_energy] | map(. // 0) | add' real.json out)
expect 0 run --kind water --n 192 --water spce --interaction "lj+ewald-real:alpha=0.6,$coulomb" --cutoff 6 --steps 1 --dt 0.001 --precision double \
    --log whole.csv --long-range pme:grid_x=20,grid_y=20,grid_z=20
check 'the energy in parts' near "$(awk -F, 'NR == 2 { print $4 }' whole.csv)" "$parts" 1e-11

# ---- what is refused ----
refused() { # refused WORDS ARGUMENT...
    refuses "$1" check --kind salt --n 64 --variant 'verlet+all_pairs_loop' --precision float "${@:2}"
}
refused 'expected an --interaction with its real part' --workload step --interaction lj --long-range pme
refused 'it is that of the pair function ewald-real' --workload step --interaction ewald-real --long-range pme:alpha=1
refused "--long-range: 'pmx'" --workload step --interaction ewald-real --long-range pmx
refused 'expected STREAMS=1 or STREAMS=2' --workload step --interaction ewald-real --long-range pme:STREAMS=3
refused 'expected PRECISION=float' --workload step --interaction ewald-real --long-range pme:PRECISION=double
expect 2 check --workload step --kind salt --n 64 --variant 'verlet+all_pairs_loop' --precision double --interaction ewald-real:alpha=1 --long-range pme:PRECISION=float
says err 'expected --precision mixed'
refused 'has no SIZE' --workload step --interaction ewald-real --long-range pme:SIZE=3
refuses '--long-range: workload forces has no time steps' check --workload forces --interaction ewald-real --long-range pme
expect 3 eval --workload step --kind salt --n 64 --open --variant 'verlet+all_pairs_loop' --interaction ewald-real --long-range pme
says err 'not periodic along all three vectors'

conclude
