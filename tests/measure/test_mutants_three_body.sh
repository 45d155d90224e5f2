#!/usr/bin/env bash
# The gate rejects every kernel of three-body terms that is broken on purpose, by the cases that check lists, and accepts the same kernel
# unbroken.
. "$2/lib.sh" || exit 1

rejects_mutants 12 three_body --workload three_body --variant-file "$tests/data/mutants/three_body.cl" --variant three_body_mutant --precision float

# What only the parameters of elements show is seen only there.
for mutation in 4 5; do
    check "mutation $mutation is right where all are one element" grep -qE "^ok .*/diamond/.*MUTATION=${mutation}[,:]" out
    check "mutation $mutation is wrong in a brick" grep -qE "^wrong .*/brick/.*MUTATION=${mutation}[,:]" out
done

# ---- bonds with orders ----
rejects_mutants 13 'with orders' --workload three_body --variant-file "$tests/data/mutants/tersoff.cl" --variant tersoff_mutant \
    --interaction tersoff --table built-in:share/interactions/brick.tersoff --kind brick --n 500 --outputs virial --precision float

finds_changed 'coarse units' three_body/three_body_atomic.cl "$coarse_units" 'energies and virials of particles that were moved' \
    --variant three_body_atomic --precision fixed --budget 1 --fail-fast
conclude
