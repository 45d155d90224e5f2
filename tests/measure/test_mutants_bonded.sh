#!/usr/bin/env bash
# The gate rejects every kernel of bonded terms that is broken on purpose, and accepts the same kernel unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=$1:" out; } # says_so MUTATION VERDICT
"$pairmark" check --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=0,1,2,3,4,5 \
    --kind chains --n 500 --precision float --outputs virial -v >out 2>err </dev/null
for mutation in 0 1 2 3 4 5; do
    check "mutation $mutation" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
done

# By the listed cases, of which one is large enough.
"$pairmark" check --workload bonded --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=6 --precision float \
    --budget 0 -v >out 2>err </dev/null
check "terms beyond 2^16 that are lost" says_so 6 wrong

check "hubs are among the default cases" grep -qE "^ok .*/float/virial/polymers/n:130/.*MUTATION=6:" out

# Sums in float under another label.
"$pairmark" check --workload bonded --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=0,14,15 \
    --kind polymers --n 70001 --open --precision mixed --outputs virial -v >out 2>err </dev/null
for mutation in 0 14 15; do
    check "mutation $mutation" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
done

# Where terms are not defined, and beside that.
"$pairmark" check --workload bonded --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=0,8,16,17 \
    --kind degenerate --n 56 --precision float --outputs energy -v >out 2>err </dev/null
for mutation in 0 8 16 17; do
    check "mutation $mutation" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
done
expect 0 check --workload bonded --kind degenerate --n 229 --precision double,fixed --outputs virial
"$pairmark" bench --workload forces --variant all_pairs_loop --kind '*' --n 64 -- --benchmark_list_tests=true >out 2>err
says out plate
lacks out degenerate

# Hubs of 76 terms, and terms of the same particles.
"$pairmark" check --workload bonded --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=0,9,10,11,12,13 \
    --kind polymers --n 130 --precision float --outputs virial -v >out 2>err </dev/null
for mutation in 0 9 10 11 12 13; do
    check "mutation $mutation" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
done

# Torsions of large multiplicities and angles of 180 degrees, which chains have not, are among the listed cases.
for mutation in 7 8; do
    "$pairmark" check --workload bonded --variant-file "$tests/data/mutants/bonded.cl" --variant bonded_mutant --tune MUTATION=$mutation \
        --precision float --budget 0 -v >out 2>err </dev/null
    check "mutation $mutation" says_so $mutation wrong
done

finds_changed 'coarse units' bonded/bonded_atomic.cl "$coarse_units" 'energies and virials of particles that were moved' --variant bonded_atomic \
    --precision fixed --budget 1 --fail-fast

conclude
