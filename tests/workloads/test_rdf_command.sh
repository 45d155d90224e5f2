#!/usr/bin/env bash
# Histograms of distances from the command line, by every variant: shells of a crystal, an ideal gas, pairs of types counted one by one;
# what is refused.
. "$2/lib.sh" || exit 1
variants="rdf_loop rdf_cells $(unsanitized rdf_local rdf_list)"
counts() { json '.counts | map(floor | tostring) | join(" ")'; }  # floor: jq 1.7 prints 1.0 as it was written

# ---- 12, 6, 24 and 12 neighbours of each of 500 particles, each pair once ----
for variant in $variants; do
    expect 0 eval --variant "$variant" --kind melt --n 500 --interaction rdf:bins=10,rc=2.5 --json
    check "$variant: shells" [ "$(counts)" = '0 0 0 0 3000 0 1500 0 6000 3000' ]
done

# ---- an ideal gas: within five standard deviations of pairs times the share of the volume ----
awk 'BEGIN { srand(7); print 4000; print "Lattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3"
    for (i = 0; i < 4000; i++) print "A", 10 * rand(), 10 * rand(), 10 * rand() }' >gas.xyz
for variant in $variants; do
    expect 0 eval --variant "$variant" --box gas.xyz --interaction rdf:bins=10,rc=4 --json
    counts >"$variant.gas"
    check "$variant: the same counts" cmp "$variant.gas" rdf_loop.gas
done
check 'an ideal gas' awk '{ for (k = 1; k <= 10; k++) {
        shell = 4 / 3 * 3.14159265358979 * ((0.4 * k) ^ 3 - (0.4 * (k - 1)) ^ 3)
        expected = 4000 * 3999 / 2 * shell / 1000
        if (($k - expected) ^ 2 > 25 * expected) exit 1
    } exit NF != 10 }' rdf_loop.gas

# ---- pairs of three types, by brute force ----
"$pairmark" box brick --n 200 -o brick.xyz >/dev/null
awk 'NR == 2 { match($0, /Lattice="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), cell, " ") }
    NR > 2 { if (!($NF in number)) number[$NF] = types++ # as they come in the file
        type[NR] = number[$NF]; for (k = 0; k < 3; k++) at[NR, k] = $(2 + k) }
    END { for (i = 3; i <= NR; i++) for (j = i + 1; j <= NR; j++) {
            sum = 0
            for (k = 0; k < 3; k++) {
                d = at[i, k] - at[j, k]; edge = cell[4 * k + 1]
                while (d > edge / 2) d -= edge
                while (d < -edge / 2) d += edge
                sum += d * d
            }
            low = type[i] < type[j] ? type[i] : type[j]; high = type[i] + type[j] - low
            bin = int(sqrt(sum) / 1.5 * 4)
            if (bin < 4) count[(low * (5 - low) / 2 + high) * 4 + bin]++
        }
        for (k = 0; k < 24; k++) printf "%s%d", k ? " " : "", count[k]
        print "" }' brick.xyz >brick.counts
for variant in $variants; do
    expect 0 eval --variant "$variant" --box brick.xyz --interaction rdf:bins=4,types=3,rc=1.5 --json
    check "$variant: pairs of types" [ "$(counts)" = "$(cat brick.counts)" ]
done
expect 0 eval --workload rdf --kind fluid --n 300 --interaction rdf:bins=100,rc=2
check 'every count is shown' [ "$(sed -n '/^counts/,/^reference/p' out | wc -l)" = 101 ]

# ---- what is refused ----
expect 0 eval --workload rdf --kind fluid --n 300 --interaction rdf:bins=300,rc=2 --json --reference none
says out '"interaction": "rdf:bins=300,'
refuses 'a box of 3 types: expected rdf:types=3 or more' eval --workload rdf --variant rdf_loop --kind brick --n 500 --interaction rdf:types=2
refuses 'expected whole numbers of bins and types' eval --workload rdf --kind fluid --n 300 --interaction rdf:bins=2.5
refuses 'expected bins * types' eval --workload rdf --kind fluid --n 300 --interaction rdf:bins=2049
refuses '--outputs: workload rdf sums neither energies nor virials' eval --workload rdf --kind fluid --n 300 --outputs virial
refuses '--reduction: workload rdf sums neither energies nor virials' eval --workload rdf --kind fluid --n 300 --reduction atomic
refuses 'give --interaction rdf:rc=' eval --workload rdf --kind fluid --n 300 --cutoff 2
refuses 'the rc can be at most' eval --workload rdf --kind fluid --n 50
refuses 'workload rdf takes rdf alone' eval --workload rdf --interaction lj --n 300
refuses 'rdf has no pair function: workload rdf computes it' eval --workload forces --interaction rdf --n 300
conclude
