#!/usr/bin/env bash
# The gate rejects every kernel of three-body terms that is broken on purpose, by the cases that check lists, and accepts the same kernel
# unbroken.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=${1}[,:]" out; } # says_so MUTATION VERDICT
mutations=$(seq -s , 0 12)
"$pairmark" check --workload three_body --variant-file "$tests/data/mutants/three_body.cl" --variant three_body_mutant \
    --tune "MUTATION=$mutations" --precision float --budget 0 -v >out 2>err </dev/null
check 'the unbroken one passes' says_so 0 ok
check 'in every case' [ "$(grep -c '^wrong .*MUTATION=0[,:]' out)" = 0 ]
for mutation in ${mutations//,/ }; do
    [ "$mutation" = 0 ] || check "mutation $mutation" says_so "$mutation" wrong
done

# What only the parameters of elements show is seen only there.
for mutation in 4 5; do
    check "mutation $mutation is right where all are one element" grep -qE "^ok .*/diamond/.*MUTATION=${mutation}[,:]" out
    check "mutation $mutation is wrong in a brick" grep -qE "^wrong .*/brick/.*MUTATION=${mutation}[,:]" out
done

# ---- bonds with orders ----
mutations=$(seq -s , 0 13)
"$pairmark" check --workload three_body --variant-file "$tests/data/mutants/tersoff.cl" --variant tersoff_mutant --tune "MUTATION=$mutations" \
    --interaction tersoff --table built-in:share/interactions/brick.tersoff --kind brick --n 500 --outputs virial --precision float \
    --budget 0 -v >out 2>err </dev/null
check 'the unbroken one with orders passes' says_so 0 ok
for mutation in ${mutations//,/ }; do
    [ "$mutation" = 0 ] || check "mutation $mutation of orders" says_so "$mutation" wrong
done
conclude
