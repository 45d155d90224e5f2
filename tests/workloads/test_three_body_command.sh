#!/usr/bin/env bash
# Three-body terms from the command line: LAMMPS's energy and forces; tables of elements; in fixed point the same bits
# however the sums are made; what is refused.
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors/manybody

# ---- LAMMPS's numbers ----
energy=$(awk -F, '$1 == "si-64.xyz" { print $4 }' "$vectors/expected.csv")
for variant in loop partial; do
    expect 0 eval --workload three_body --variant "three_body_$variant" --box "$vectors/si-64.xyz" --table "$vectors/si.sw" --json --forces forces.xyz
    check "three_body_$variant: energy" near "$(json .energy)" "$energy" 1e-13
    check "three_body_$variant: forces" awk -v tolerance=1e-10 '
        NR == FNR { for (k = 1; k <= 3; k++) expected[FNR, k] = $k; next }
        FNR > 2 { for (k = 1; k <= 3; k++) { d = $(NF - 3 + k) - expected[FNR - 2, k]; if (!(d * d <= tolerance * tolerance)) exit 1; seen++ } }
        END { exit seen != 192 }' "$vectors/si-64-forces.txt" forces.xyz
done

# ---- by name ----
expect 0 eval --variant three_body_list --kind diamond --n 64 --json
says out '"interaction": "stillinger-weber:epsilon=2.1683,sigma=2.0951,reach=1.8,'
says out '"cutoff": 3.77118'
expect 0 eval --variant three_body_loop --interaction stillinger-weber:epsilon=1,sigma=1 --kind fluid --n 120 --json
says out '"workload": "three_body"'

# ---- bonds with orders: by every variant, also where rows have more neighbours than are kept ----
for variant in partial $(at_length loop list atomic); do
    expect 0 eval --workload three_body --variant "three_body_$variant" --interaction tersoff --table built-in:share/interactions/brick.tersoff \
        --kind brick --n 200 --precision double --outputs virial --json
    check "three_body_$variant: bonds with orders" [ "$(json .status)" = ok ]
done
mapfile -t more < <(at_length 'partial --tune KEPT=4' 'lanes --tune LANES=2')
for variant in 'atomic --tune LEGS=4' 'lanes --tune LEGS=4' "${more[@]}"; do
    # shellcheck disable=SC2086 # words of an option
    expect 0 eval --workload three_body --interaction tersoff:R=1.7,width=0.2 --kind fluid --n 200 --precision double --json --variant three_body_$variant
    check "three_body_$variant: bonds with orders in short rows" [ "$(json .status)" = ok ]
done

# ---- fixed point ----
evaluated() { # evaluated FILE VARIANT...
    exits 0 eval --workload three_body --interaction stillinger-weber --table built-in:share/interactions/brick.sw --kind brick --n 200 \
        --precision fixed --outputs virial --forces "$1" --variant "${@:2}"
}
check 'gathered over all' evaluated loop three_body_loop
check 'gathered by lists' evaluated list three_body_list
check 'by atomics' evaluated atomic three_body_atomic
check 'by atomics, of legs that are too many to be kept' evaluated many three_body_atomic --tune LEGS=4
check 'by lanes' evaluated lanes three_body_lanes
check 'by more lanes, of legs that are too many to be kept' evaluated crowd three_body_lanes --tune LANES=8 --tune LEGS=4
check 'kept' evaluated partial three_body_partial
check 'kept in rows that are too short' evaluated short three_body_partial --tune KEPT=4
for other in list atomic many lanes crowd partial short; do
    check "the same bits: $other" cmp -s loop "$other"
done

# ---- time steps ----
expect 0 check --workload three_body_step --variant verlet+three_body_atomic,verlet+three_body_lanes --kind diamond --n 216 --outputs virial --dt 0.01 \
    --precision "float$(at_length ,double)"
expect 0 check --workload three_body_step --variant verlet+three_body_atomic --interaction tersoff --kind diamond --n 216 --precision double --outputs virial
for mutation in 1 $(at_length 2); do
    expect 1 check --workload three_body_step --variant-file "$tests/data/mutants/three_body.cl" --variant verlet+three_body_mutant --kind diamond --n 216 \
        --precision float --outputs virial --tune MUTATION=$mutation
done

# ---- what bench takes where nothing is said ----
expect 0 bench --workload three_body --variant three_body_list --n 64 --precision float --visits 1 --twins 0 --time-cap 0.02 --cold 0 --no-plot -o run
check 'a box of its own kind' grep -q ',diamond,64,' run/rows.csv

refuses 'stillinger-weber has no pair function: workload three_body computes it' eval --workload forces --interaction stillinger-weber --n 100
refuses 'workload three_body takes stillinger-weber alone' eval --workload three_body --interaction lj --n 100
refuses 'the reach*sigma can be at most 2.7155' eval --workload three_body --n 8
refuses 'ends by its parameters' eval --workload three_body --cutoff 3 --n 100
refuses 'expected no cutoff among its parameters' eval --workload three_body --interaction stillinger-weber:cutoff=3 --n 100
refuses 'sigma must be greater than 0' eval --interaction stillinger-weber:sigma=0 --n 100
refuses 'expected m to be 1 or 3' eval --workload three_body --interaction tersoff:m=2 --n 100
refuses 'expected no precision fixed' eval --workload three_body --interaction tersoff --precision fixed --n 100
printf 'Si Si Si 1 2\n' >short.sw
refuses 'short.sw:1: the file ends within a record' eval --workload three_body --table short.sw --n 100
refuses 'si.sw: no record for A A A' eval --workload three_body --table "$vectors/si.sw" --n 100
refuses 'nothing.sw' eval --workload three_body --table nothing.sw --n 100
conclude
