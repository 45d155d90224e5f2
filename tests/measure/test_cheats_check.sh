#!/usr/bin/env bash
# What check itself refuses of kernels that use what the harness leaves or launches; the same kernels without their tricks pass.
. "$2/lib.sh" || exit 1
cheats=$tests/data/cheats
"$pairmark" box fluid --n 300 --density 0.8442 -o fluid.xyz # a file: periodic alone

judge() { # judge NAME PRECISION: tricks 0 and 1
    "$pairmark" check --variant-file "$cheats/$1.cl" --variant "$1" --box fluid.xyz --cutoff 2.5 --precision "$2" --outputs forces \
        --tune TRICK=0,1 -v >out 2>err </dev/null
}
is() { grep -qE "^$1 .*TRICK=$2: " out; } # is VERDICT TRICK

judge garbage float
check "garbage is garbage" is ok 0
check "garbage gives away no seed" is wrong 1
judge tools fixed
check "forces in fixed point" is ok 0
check "a macro that has the harness's kernels do the work" is wrong 1

# One work-item may add up all energies in one float where work is handed out while it is done.
"$pairmark" check --variant-file "$tests/data/mutants/queue.cl" --box fluid.xyz --cutoff 2.5 --precision float --outputs virial \
    --tune MUTATION=0,1 -v >out 2>err </dev/null
handed_out() { grep -qE "^$1 .*MUTATION=$2:" out; }
check "plain summation by whoever comes first" handed_out ok 0
check "and one particle's energies less" handed_out wrong 1

# Cells of the default cases: tilts of either sign.
"$pairmark" box fluid@75:100:65 --n 130 --density 0.8442 -o one.xyz
"$pairmark" box brick@115:80:110 --n 130 -o other.xyz
"$pairmark" check --variant-file "$tests/data/mutants/tilts.cl" --variant tilts --box one.xyz --box other.xyz --cutoff 1.5 --precision float \
    --outputs forces --tune MUTATION=0,3,4 -v >out 2>err </dev/null
says() { grep -qE "^$2 .*MUTATION=$1: " out; } # says MUTATION VERDICT
not_said() { ! says "$@"; }
check "tilts as they are" says 0 ok
check "tilts as they are, in each box" not_said 0 wrong
check "a tilt that is below zero" says 3 wrong
check "a tilt that is above zero" says 4 wrong

# Memory that is filled anew at each move could hold the results, which the time of the building would pay for.
sed -e 's/@tunable   SKIN 12/@tunable   SKIN 0 1/; s/^ \* rebuild —/ * no_skin —/' "$cheats/rebuild.cl" >no_skin.cl
"$pairmark" check --variant-file no_skin.cl --box fluid.xyz --cutoff 2.5 --precision float --outputs forces --tune SKIN=0,1 \
    --tune TRICK=0,1 -v >out 2>err </dev/null
filled() { grep -qE "^$1 .*SKIN=$2,TRICK=$3: ?$4" out; }
check "a skin of hardly anything" filled ok 1 0 ''
check "and results in the place of rows" filled wrong 1 1 ''
check "no skin" filled unsupported 0 1 'no_skin has passes when moved'

conclude
