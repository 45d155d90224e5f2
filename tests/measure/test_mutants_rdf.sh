#!/usr/bin/env bash
# The gate rejects every histogram of distances that is broken on purpose, by the cases that check lists, and accepts the same kernel
# unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=${1}([,:]|$)" out; } # says_so MUTATION VERDICT
mutations=$(seq -s , 0 12)
"$pairmark" check --workload rdf --variant-file "$tests/data/mutants/rdf.cl" --variant rdf_mutant \
    --tune "MUTATION=$mutations" --precision float --budget 0 -v >out 2>err </dev/null
check 'the unbroken one passes' says_so 0 ok
check 'in every case' [ "$(grep -c -E '^wrong .*MUTATION=0([,:]|$)' out)" = 0 ]
for mutation in ${mutations//,/ }; do
    [ "$mutation" = 0 ] || check "mutation $mutation" says_so "$mutation" wrong
done

# What only types show is seen only where they count.
for mutation in 5 12; do
    check "mutation $mutation is right where all are alike" grep -qE "^ok .*/fluid/.*MUTATION=${mutation}([,:]|$)" out
    check "mutation $mutation is wrong in a brick" grep -qE "^wrong .*/brick/.*MUTATION=${mutation}([,:]|$)" out
done
conclude
