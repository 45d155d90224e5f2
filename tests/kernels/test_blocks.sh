#!/usr/bin/env bash
# The variants over blocks and clusters of particles, where they could go wrong: blocks that are not full, a pair met once or
# by both, exclusions by masks, lists and molecules, types in local memory, cells that lean; and walks that are broken.
. "$2/lib.sh" || exit 1

printf '1 2\n2 3\n5 200\n200 7\n33 32\n' >pairs.txt
all_pass "blocks" --variant blocks_32 --kind fluid --n 3,333 --open --precision float --outputs energy --tune SIDES=1 --tune GROUP_SIZE=64 --tune SPLIT=4
all_pass "blocks, exclusions by molecule and types" --variant blocks_32 --kind water --n 600 --cutoff 8 --precision mixed \
    --outputs forces --interaction 'lj+ewald-real:alpha=0.3,epsilon.O=0.65,epsilon.H=0.1' --exclude molecule \
    --tune SIDES=2 --tune TYPE_TABLE=2 --tune SPLIT=2
all_pass "blocks, listed exclusions, leaning cells" --variant blocks_32 --kind fluid@80:70:60 --n 333 --cutoff 2 --precision double \
    --outputs energy --exclude pairs.txt --tune SIDES=1 --tune GROUP_SIZE=32
all_pass "clusters, exclusions by molecule and types" --variant list_clusters --kind water --n 600 --cutoff 8 --precision float \
    --outputs forces --interaction 'lj+ewald-real:alpha=0.3,epsilon.O=0.65,epsilon.H=0.1' --exclude molecule --tune MASKED=0
all_pass "clusters, listed exclusions, leaning cells" --variant list_clusters --kind fluid@80:70:60 --n 333 --cutoff 2 --precision double \
    --outputs virial --exclude pairs.txt --tune PARTICLES=2 --tune LANES=1
# Partners without a term of their own stand last: whichever type that is, in lists that grow, too.
for bare in O,H H,O; do
    printf 'type_a,type_b,function,epsilon,sigma\n%s,%s,lj,0.65,3.166\n' "${bare#*,}" "${bare#*,}" >one_term.csv
    all_pass "clusters, no term of ${bare%,*}" --variant list_clusters --kind water --n 375 --cutoff 7 --precision double --outputs energy \
        --interaction 'lj+ewald-real:alpha=0.3' --table one_term.csv --exclude molecule --tune PARTICLES=2,3 --tune LANES=8
done
sed -e 's/^ \* list_clusters —/ * few_places —/; s/^ \* @tunable *SKIN 12/&\n * @tunable LIST_CAPACITY 4/' \
    "$tests/../variants/forces/list_clusters.cl" >few_places.cl
all_pass "clusters, lists that grow" --variant-file few_places.cl --variant few_places --kind water --n 375 --open --cutoff 7 --precision float \
    --outputs energy --interaction 'lj+ewald-real:alpha=0.3' --table one_term.csv
all_pass "hardly any particles" --variant list_clusters --kind fluid --n 1,4 --open --precision float --outputs energy

check "broken walks over blocks" exits 1 check --variant-file "$tests/data/mutants/blocks.cl" --variant blocks --kind water --n 600 --cutoff 7 \
    --precision float --outputs forces --interaction 'ewald-real:alpha=0.3' --exclude molecule \
    --tune MUTATION=0,1,2,3,4,5,6 -v
says() { grep -qE "^$2 .*MUTATION=$1\b" out; } # says MUTATION VERDICT
not_said() { ! says "$@"; }
check "no block is broken" says 0 ok
check "no block is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5 6; do
    check "block mutation $mutation" says $mutation wrong
done

conclude
