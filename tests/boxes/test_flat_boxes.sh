#!/usr/bin/env bash
# Particles on a plane, a line, at nearly one point, or off it by less than any cell is wide: all built-in kernels are right.
. "$2/lib.sh" || exit 1

# flat NAME X Y Z: 60 particles 1.05 apart along a coordinate that is `far`; along others they differ by as much as is said
flat() {
    awk -v seed=7 -v x="$2" -v y="$3" -v z="$4" 'BEGIN {
        srand(seed)
        print "60\nProperties=species:S:1:pos:R:3 pbc=\"F F F\""
        for (i = 0; i < 60; i++) {
            print "A", along(x, i), along(y, i), along(z, i)
        }
    }
    function along(word, i) { return word == "far" ? 1.05 * i + 0.04 * rand() : word * rand() }' >"$1.xyz"
}
lines() { # lines WORKLOAD OPTION...: all kernels of a workload, with each of the boxes
    for box in plane.xyz line.xyz across.xyz exact.xyz; do
        expect 0 check --workload "$1" --box "$box" --precision float,double "${@:2}"
        says_like out '^[1-9][0-9]* passed, 0 failed'
    done
}
flat line far 1e-11 1e-12
flat across 1e-10 1e-30 far
flat exact 0 far 0
awk 'BEGIN {
    print "60\nProperties=species:S:1:pos:R:3 pbc=\"F F F\""
    for (i = 0; i < 60; i++) print "A", 1.05 * (i % 10), 1.05 * int(i / 10), i % 7 * 1e-13
}' >plane.xyz
lines forces --cutoff 2.5 --outputs forces
lines coordination --outputs forces
lines neighbours --cutoff 2.5
# A cutoff that reaches beyond all of them: no images are counted where there are none.
lines neighbours --cutoff 200
printf '4\nProperties=species:S:1:pos:R:3 pbc="F F F"\nA 0 0 0\nA 1e-9 0 0\nA 0 1e-9 0\nA 0 0 1e-9\n' >point.xyz
expect 0 check --workload neighbours --box point.xyz --cutoff 20 --precision float,double
expect 0 check --workload neighbours --variant neighbours_loop --kind plate --n 2 --cutoff 20 --precision float --list matrix --open
says out '2 passed, 0 failed'
# A pair at the cutoff that is all that a particle has, and nearly along an axis: its own rounding is in the bound, too.
for seed in 777 779; do
    expect 0 check --workload forces --variant all_pairs_half,all_pairs_loop --kind borders --n 32 --density 0.0002 --seed $seed \
        --precision float,double --outputs virial
done
conclude
