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

# Under mixed, what is kept in float on the way, with digits of its own; under fixed, coarser units.
near_one='ACCUM(1.0000000013) * (accum)(real)'
in_spectrum="    for (int p = 2 * GLOBAL_ID; p < 2 * GLOBAL_ID + 2 \&\& p < 2 * grid_size.x * grid_size.y * (grid_size.z \/ 2 + 1); p++) {\n        spectrum[p] = ${near_one}spectrum[p];\n    }"
in_force="        whole.x = ${near_one}whole.x;\n        whole.y = ${near_one}whole.y;\n        whole.z = ${near_one}whole.z;"
mixed=(--variant pme_atomic --kind salt --n 300 --precision mixed)
finds_changed 'a spectrum in float' pme/pme_atomic.cl "s/^    solve_point/$in_spectrum\n&/" 'charges that are added up: ' "${mixed[@]}" --outputs energy
finds_changed 'forces in float' pme/pme_atomic.cl "s/^        const accum4 whole/        accum4 whole/; s/^        STORE_FORCE/$in_force\n&/" \
    'charges that are added up: force on' "${mixed[@]}" --outputs forces
finds_changed 'coarse units' pme/pme_atomic.cl "$coarse_units" 'energies and virials of particles that were moved' --variant pme_atomic \
    --precision fixed --budget 1 --fail-fast

# By the listed cases and those that are drawn.
"$pairmark" check --workload pme --variant-file "$tests/data/mutants/pme.cl" --variant pme_mutant --tune MUTATION=2 --precision float >out 2>err </dev/null
check "points that are missed are found by the default cases" out wrong

conclude
