#!/usr/bin/env bash
# The gate rejects every kernel of bond order parameters that is broken on purpose, by the cases that check lists, and accepts the same
# kernel unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=${1}[,:]" out; } # says_so MUTATION VERDICT
mutations=$(seq -s , 0 7)
"$pairmark" check --workload steinhardt --variant-file "$tests/data/mutants/steinhardt.cl" --variant steinhardt_mutant \
    --tune "MUTATION=$mutations" --precision float --budget 0 -v >out 2>err </dev/null
check 'the unbroken one passes' says_so 0 ok
check 'in every case' [ "$(grep -c '^wrong .*MUTATION=0[,:]' out)" = 0 ]
for mutation in ${mutations//,/ }; do
    [ "$mutation" = 0 ] || check "mutation $mutation" says_so "$mutation" wrong
done
conclude
