#!/usr/bin/env bash
# The variant clusters_8x8 where it could go wrong: whole numbers, types and molecules that are excluded, clusters of 4, groups that share a
# super-cluster; listed exclusions and cells that lean. What its lists hold: test_super_clusters.c.
. "$2/lib.sh" || exit 1

all_pass() { # all_pass DESCRIPTION ARGUMENT...: `pairmark check` passes every case, and there are some
    check "$1" exits 0 check --variant clusters_8x8 "${@:2}"
    check "$1: some cases" grep -q '^[1-9][0-9]* passed, 0 failed, 0 unsupported' out
}

printf '1 2\n2 3\n5 200\n200 7\n33 32\n' >pairs.txt
all_pass "molecules" --kind water --n 600 --open --cutoff 7 --precision double --outputs forces \
    --interaction 'ewald-real:alpha=0.3' --exclude molecule --tune PARTNERS=4 --tune GROUP_SIZE=64 --tune SPLIT=2
all_pass "whole numbers, types, listed exclusions, leaning cells" --kind brick@80:70:60 --n 333 --cutoff 2 --precision fixed --outputs forces \
    --interaction 'lj:sigma.B=0.9,epsilon.C=0.5' --exclude pairs.txt --tune OUTER=0 --tune PARTS=3 --tune PARTNERS=8

conclude
