#!/usr/bin/env bash
# The gate rejects every kernel of embedded atoms that is broken on purpose, by the cases that check lists, and accepts the same kernel
# unbroken.
. "$2/lib.sh" || exit 1

rejects_mutants 10 eam --workload eam --variant-file "$tests/data/mutants/eam.cl" --variant eam_mutant --precision float

# What only several elements show is seen only there.
for mutation in 1 4 5; do
    check "mutation $mutation is wrong in a brick" grep -qE "^wrong .*/brick/.*MUTATION=${mutation}[,:]" out
done
check 'mutation 10 is wrong where densities are of two elements' grep -qE '^wrong .*/brick/.*MUTATION=10[,:]' out
check "mutation 1 is right where all are one element" grep -qE "^ok .*/copper/.*MUTATION=1[,:]" out
conclude
