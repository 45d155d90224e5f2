#!/usr/bin/env bash
# The gate rejects every batch of boxes whose forces or sums are wrong on purpose, says in which box, and accepts the same kernel when it is
# right; kernels of one box refuse batches.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants/boxes.cl

# rejects MUTATIONS KIND OPTION...: each is wrong, and 0 is ok
rejects() {
    local mutation
    "$pairmark" check --variant-file "$mutants" --variant boxes --tune "MUTATION=0,$1" --precision float --kind "${@:2}" -v \
        >out 2>err </dev/null
    check "no fault: ${*:2}" grep -qE "^ok .*MUTATION=0:" out
    for mutation in ${1//,/ }; do
        check "mutation $mutation: ${*:2}" grep -qE "^wrong .*MUTATION=$mutation:" out
    done
}
rejects 1,2,3,8 fluid --n 24 --batch 4 --density 0.1 --cutoff 1.4 --outputs virial --periodic xyz
says_like out 'MUTATION=1: box [1-4] of 4: force on particle [0-9]+'
says_like out 'MUTATION=3: box [12] of 4: '
rejects 3,8 fluid --n 60 --batch 6 --open --outputs energy
rejects 3,8 fluid --n 0-20 --batch 7 --open --outputs virial --reduction atomic
rejects 4,5 fluid --n 130-190 --batch 5 --outputs forces
rejects 2,3,5,6,7,8 fluid --n 0-4 --batch 12 --open --outputs virial
says_like out 'MUTATION=7: box [0-9]+ of 12: got energy 0\.5 of no particles'
rejects 3,4 fluid@75:100:65 --n 200-260 --batch 3 --outputs energy --cutoff 2

# ---- each pair once: blocks that differ by a particle, by shuffles and without ----
half_mutant() { # half_mutant NAME SED OPTION...
    sed -e "s/boxes_half/$1/g; $2" "$tests/../variants/forces/boxes_half.cl" >"$1.cl"
    sed "s/$1/boxes_half/g" "$1.cl" | cmp -s - "$tests/../variants/forces/boxes_half.cl"
    check "$1 is another text" [ $? -eq 1 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1" --kind fluid --batch 3 --precision float --outputs energy "${@:3}"
    check "$1 is wrong" said wrong
}
shuffled=(--n 57-59 --tune GROUP_SIZE=32)
for warps in '' 32; do
    [ -n "$warps" ] && export PAIRMARK_SUBGROUPS=$warps
    check "boxes_half, sub-groups of ${warps:-none}" exits 0 check --variant boxes_half --kind fluid --batch 9 --n 31-98 --precision float --outputs virial --tune GROUP_SIZE=32
    half_mutant place_lacking 's/ && turn != lacks//' "${shuffled[@]}"
    half_mutant facing_twice 's/lane >= turns ? turns - 1/lane >= turns ? turns/' --n 60-60 --tune GROUP_SIZE=32
    half_mutant half_way_short 's/step <= blocks \/ 2/step < blocks \/ 2/' "${shuffled[@]}"
done
half_mutant not_at_home 's/const int home = .*/const int home = lane;/' "${shuffled[@]}"
unset PAIRMARK_SUBGROUPS

# ---- sums in another order: of each box by itself ----
exits 0 check --variant boxes_tile --kind fluid --n 130-200 --batch 3 --open --precision mixed --outputs virial

# ---- as one box, in time steps, too ----
for variant in boxes_tile boxes_half; do
    exits 0 check --workload step --variant "verlet+$variant" --kind melt --n 300 --cutoff 1.5 --steps 4 --precision float --outputs forces,virial
done

# ---- who cannot ----
batch=(--kind fluid --n 600 --batch 3 --precision float)
exits 2 check --variant all_pairs_loop "${batch[@]}"
says_like err 'all_pairs_loop computes one box: a batch takes kernels that ask for box_begin or particles_per_box'
exits 2 check --variant boxes_tile --kind fluid --n 20-500
says err '--n 20-500: sizes of the boxes of a batch; expected --batch of two or more'
exits 2 check --variant boxes_tile --kind fluid --n 500-20 --batch 3
says err "--n: '500-20' is no range of sizes"

conclude
