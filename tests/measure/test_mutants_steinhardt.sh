#!/usr/bin/env bash
# The gate rejects every kernel of bond order parameters that is broken on purpose, by the cases that check lists, and accepts the same
# kernel unbroken.
. "$2/lib.sh" || exit 1

rejects_mutants 7 steinhardt --workload steinhardt --variant-file "$tests/data/mutants/steinhardt.cl" --variant steinhardt_mutant --precision float
conclude
