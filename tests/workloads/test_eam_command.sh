#!/usr/bin/env bash
# Embedded atoms from the command line: LAMMPS's energy and forces; what is refused.
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors/manybody

energy=$(awk -F, '$1 == "cd-256.xyz" { print $4 }' "$vectors/expected.csv")
mapfile -t more < <(at_length 'kept --tune KEPT=32')
for variant in list 'blocks --tune STAGED=256' "${more[@]}"; do
    # shellcheck disable=SC2086 # words of an option
    expect 0 eval --interaction eam --table "$vectors/ab.eam.alloy" --variant eam_$variant --box "$vectors/cd-256.xyz" --json --forces forces.xyz
    check "eam_$variant: energy" near "$(json .energy)" "$energy" 1e-13
    check "eam_$variant: forces" awk -v tolerance=1e-11 '
        NR == FNR { for (k = 1; k <= 3; k++) expected[FNR, k] = $k; next }
        FNR > 2 { for (k = 1; k <= 3; k++) { d = $(NF - 3 + k) - expected[FNR - 2, k]; if (!(d * d <= tolerance * tolerance)) exit 1; seen++ } }
        END { exit seen != 768 }' "$vectors/cd-256-forces.txt" forces.xyz
done
expect 0 eval --variant eam_list --kind copper --n 200 --precision float
says out 'sutton-chen:epsilon=0.012382,a=3.61'

# ---- time steps ----
expect 0 check --workload eam_step --variant verlet+eam_list,verlet+eam_blocks --kind copper --n 256 --outputs virial --dt 0.01 \
    --precision "float$(at_length ,mixed,double)"
expect 0 check --workload eam_step --variant leapfrog+eam_list --interaction eam --table built-in:share/interactions/brick.eam.alloy --kind brick --n 300 \
    --precision double --outputs virial
expect 0 eval --workload eam_step --variant verlet+eam_loop --interaction sutton-chen:epsilon=1,a=1.6,n=9,m=6,c=30,rc=2.4 --kind melt --open --n 1 \
    --precision double --json
check 'one particle' [ "$(json .status)" = ok ]
for mutation in 1 $(at_length 2 3 7); do # what is wrong with forces, steps show
    expect 1 check --workload eam_step --variant-file "$tests/data/mutants/eam.cl" --variant verlet+eam_mutant --kind brick --n 300 --precision double \
        --interaction eam --table built-in:share/interactions/brick.eam.alloy --outputs virial --tune MUTATION=$mutation
done

# ---- what bench takes where nothing is said ----
expect 0 bench --workload eam --variant eam_list --n 200 --precision float --visits 1 --twins 0 --time-cap 0.02 --cold 0 --no-plot -o run
check 'a box of its own kind' grep -q ',copper,200,' run/rows.csv

refuses 'sutton-chen has no pair function: workload eam computes it' eval --workload forces --interaction sutton-chen --n 100
refuses 'sutton-chen has no pair function: workload eam computes it' eval --workload step --interaction sutton-chen --kind copper --n 500
refuses 'keeps particles where they are' eval --workload eam_step --exchange hilbert --kind copper --n 500
refuses 'interaction eam needs a table, in LAMMPS' eval --workload eam --interaction eam --kind copper --n 200
refuses 'ends by its interaction' eval --workload eam --cutoff 3 --n 100
refuses 'the rc can be at most 4.548314' eval --workload eam --n 64
printf '1\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3\nC 0 0 0\n' >small.xyz
refuses 'table: cutoff: 5.5 is more than half' eval --interaction eam --table "$vectors/ab.eam.alloy" --box small.xyz
refuses 'ab.eam.alloy: no element A' eval --workload eam --interaction eam --table "$vectors/ab.eam.alloy" --kind copper --n 200
# a table whose densities are of two elements: as many numbers as it needs, no fewer and no more
fs=$tests/../share/interactions/brick.eam.fs
expect 0 check --workload eam --variant eam_list,eam_kept,eam_blocks --interaction eam --table "$fs" --kind brick --n 300 --precision double --outputs virial
expect 0 eval --workload eam --variant eam_blocks --interaction eam --table "$fs" --kind brick --n 300 --tune TABLE_CACHE=75
refuses '--tune: TABLE_CACHE=101; expected a whole number of 0 to 100' eval --workload eam --variant eam_blocks --interaction eam --table "$fs" \
    --kind brick --n 300 --tune TABLE_CACHE=101
sed '$d' "$fs" >short.fs
refuses 'short.fs:284: the file ends here; expected r times a pair energy' eval --workload eam --interaction eam --table short.fs --kind brick --n 100
{ cat "$fs" && echo 1; } >long.fs
refuses 'long.fs:284: more numbers; expected the end of the file' eval --workload eam --interaction eam --table long.fs --kind brick --n 100
sed '30s/^[^ ]*/x/' "$fs" >word.fs
refuses 'word.fs:30: "x"; expected a density' eval --workload eam --interaction eam --table word.fs --kind brick --n 100
head -n 20 "$vectors/ab.eam.alloy" >short.alloy
refuses 'short.alloy:21: the file ends here; expected an embedding energy' eval --workload eam --interaction eam --table short.alloy --n 100
conclude
