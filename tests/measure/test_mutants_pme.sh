#!/usr/bin/env bash
# The gate rejects every kernel of reciprocal space that is broken on purpose, and accepts the same kernel unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=$1[:,]" out; } # says_so MUTATION VERDICT
try() { # try MUTATIONS ARGUMENT...
    local mutations=$1
    shift
    "$pairmark" check --variant-file "$tests/data/mutants/pme.cl" --variant pme_mutant --tune "MUTATION=$mutations" --outputs virial "$@" -v \
        >out 2>err </dev/null
    for mutation in ${mutations//,/ }; do
        check "mutation $mutation of $*" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
    done
}
try 0,1,2,3,4,5,6,8,9,10,11 --kind brick@75:100:65 --n 300 --precision float
# Particles that follow each other and begin at one point.
try 0,7 --kind salt --n 1000 --precision float --interaction pme:grid_x=6,grid_y=7,grid_z=8,alpha=0.2
# Only in double it shows which sign half the points have.
try 0,12 --kind salt --n 300 --precision double --interaction pme:alpha=0.5
try 0,13 --kind salt --n 300 --precision float --interaction pme:grid_x=54,grid_y=50,grid_z=48,alpha=1.5

# By the listed cases and those that are drawn.
"$pairmark" check --workload pme --variant-file "$tests/data/mutants/pme.cl" --variant pme_mutant --tune MUTATION=2 --precision float >out 2>err </dev/null
check "points that are missed are found by the default cases" out wrong

conclude
