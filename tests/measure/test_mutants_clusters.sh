#!/usr/bin/env bash
# Walks over the lists of super-clusters that are broken, each in one way: the gate refuses every one, and passes the one that is not.
. "$2/lib.sh" || exit 1

check "broken walks over clusters" exits 1 check --variant-file "$tests/data/mutants/clusters.cl" --variant clusters --kind water@80:80:80 --n 600 --cutoff 7 \
    --precision float --outputs forces --interaction 'ewald-real:alpha=0.3' --exclude molecule --tune MUTATION=0,2,3,4,6 -v
says() { grep -qE "^$2 .*MUTATION=$1\b" out; } # says MUTATION VERDICT
not_said() { ! says "$@"; }
check "no walk is broken" says 0 ok
check "no walk is wrong in none" not_said 0 wrong
for mutation in 2 3 4 6; do
    check "clusters mutation $mutation" says $mutation wrong
done

conclude
