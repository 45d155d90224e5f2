#!/usr/bin/env bash
# The gate rejects every histogram of distances that is broken on purpose, by the cases that check lists, and accepts the same kernel
# unbroken.
. "$2/lib.sh" || exit 1

rejects_mutants 12 rdf --workload rdf --variant-file "$tests/data/mutants/rdf.cl" --variant rdf_mutant --precision float

# What only types show is seen only where they count.
for mutation in 5 12; do
    check "mutation $mutation is right where all are alike" grep -qE "^ok .*/fluid/.*MUTATION=${mutation}([,:]|$)" out
    check "mutation $mutation is wrong in a brick" grep -qE "^wrong .*/brick/.*MUTATION=${mutation}([,:]|$)" out
done
conclude
