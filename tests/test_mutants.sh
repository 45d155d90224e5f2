#!/usr/bin/env bash
# The gate rejects every kernel that is broken on purpose, and accepts the same kernel unbroken.
. "$2/lib.sh" || exit 1
mutants=$tests/mutants

# judged STATUS DESCRIPTION FILE ARGUMENT...: `pairmark check` on one mutant exits with STATUS; when that is 1, because the
# result is wrong and for no other reason.
judged() {
    local status=$1 what=$2 file=$3
    check "$what" exits "$status" check --variant-file "$mutants/$file" --variant "${file%.cl}" --kind fluid \
        --density 0.8442 --cutoff 2.5 "${@:4}" -v
    [ "$status" -eq 0 ] || check "$what: for being wrong" grep -qw wrong out
}

for precision in float double; do
    judged 0 "no mutation, $precision" mutant.cl --n 1000,2048 --precision $precision --outputs forces,energy,virial --tune MUTATION=0
    for mutation in 1 2 3 4 5 6 9 11 12; do
        judged 1 "mutation $mutation, $precision" mutant.cl --n 1000 --precision $precision --outputs forces --tune MUTATION=$mutation
    done
    judged 1 "half the virial, $precision" mutant.cl --n 1000 --precision $precision --outputs virial --tune MUTATION=7
    judged 1 "energy twice, $precision" mutant.cl --n 1000 --precision $precision --outputs energy --tune MUTATION=10
    judged 1 "a data race, $precision" race.cl --n 2048 --precision $precision --outputs forces
done
judged 1 "float arithmetic under a double label" mutant.cl --n 1000 --precision double --outputs forces --tune MUTATION=8

# Beyond arrays there are guards: who writes there is found, and who computes with what is read there has it wrong.
for precision in float double; do
    judged 0 "no access beyond an array, $precision" outside.cl --n 500 --precision $precision --outputs energy --tune MUTATION=0
    for mutation in 1 2 3 4 5; do # 1, 3 and 4 may pass without guards, or take the worker down
        judged 1 "write $mutation beyond an array, $precision" outside.cl --n 500 --precision $precision --outputs energy --tune MUTATION=$mutation
        check "write $mutation: says so" grep -qE 'wrote outside of its buffers: [0-9]+ bytes changed from byte offset -?[0-9]+ on, .* buffer (force|position|partial_sums) of [0-9]+ bytes' out
    done
    for mutation in 6 8; do
        judged 1 "read $mutation beyond an array, $precision" outside.cl --n 500 --precision $precision --outputs energy --tune MUTATION=$mutation
    done
    check "a wild index, $precision: wrong, or where nothing lies" exits 1 check --variant-file "$mutants/outside.cl" --variant outside \
        --kind fluid --n 500 --precision $precision --outputs energy --tune MUTATION=7
done
judged 1 "a particle more than there are" mutant.cl --n 1000 --precision float --outputs forces --tune MUTATION=13
check "where it was written" grep -q 'from byte offset 16000 on, behind the end of buffer force of 16000 bytes' out
check "it is no result of bench" exits 1 bench --variant-file "$mutants/outside.cl" --variant outside --kind fluid --n 500 \
    --precision float --time-cap 0.05 --tune MUTATION=3 -o "$work/outside"
check "nor of eval" exits 1 eval --variant-file "$mutants/outside.cl" --variant outside --kind fluid --n 500 --tune MUTATION=3
check "which says why" err 'wrote outside of its buffers'

for mutation in 0 1; do
    judged 0 "sums in the arithmetic's precision, float, $mutation" narrow_sums.cl --n 1000 --precision float --outputs forces \
        --tune MUTATION=$mutation
    judged $mutation "sums in the arithmetic's precision, mixed, $mutation" narrow_sums.cl --n 1000 --precision mixed \
        --outputs forces --tune MUTATION=$mutation
done

# What cubic boxes of like particles hide, the default cases of a size find. (Energies, so that fault 8 shows.)
"$pairmark" check --variant-file "$mutants/axes.cl" --variant axes --n 130 --precision float --outputs energy \
    --tune MUTATION=0,1,2,3,4,5,6,7,8,9 -v >out 2>err </dev/null
says() { grep -qE "^$2 .*MUTATION=$1\b" out; } # says MUTATION VERDICT
not_said() { ! says "$@"; }
check "no fault passes in each box" says 0 ok
check "no fault is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5 6 7 8 9; do
    check "fault $mutation in the default cases" says $mutation wrong
done

# Lists that outlive launches.
check "broken walks of a list" exits 1 check --variant-file "$mutants/lists.cl" --variant lists --kind fluid --n 400 \
    --precision float --outputs forces --tune MUTATION=0,1,2,3,4,5 -v
check "no list is broken" says 0 ok
check "no list is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5; do
    check "list mutation $mutation" says $mutation wrong
done
check "the list outlives a move" grep -qE 'MUTATION=5\b.*: particles moved a little: ' out

# Flat boxes, tails of 7 and 31, close pairs, large N, long edges: among the default cases.
"$pairmark" check --variant-file "$mutants/limits.cl" --variant limits --precision float --outputs virial \
    --tune MUTATION=0,1,2,3,4,5,6,7,8 -v >out 2>err </dev/null
check "no limit passes in each box" says 0 ok
check "no limit is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5 6 7 8; do
    check "limit $mutation in the default cases" says $mutation wrong
done
check "how long a variant takes is told" grep -qE '^ +[0-9.]+ s  limits, [0-9]+ cases$' out

# Boxes without a pair in reach say nothing of a kernel, unless others beside them do.
check "one particle beside many" exits 0 check --variant-file "$mutants/mutant.cl" --variant mutant --kind fluid --n 1,1000 \
    --precision float --outputs forces --tune MUTATION=0
check "one particle alone" exits 1 check --variant-file "$mutants/mutant.cl" --variant mutant --kind fluid --n 1 --precision float \
    --outputs forces --tune MUTATION=0
check "one particle alone: says so" grep -q '^nothing was judged: mutant, lj, forces: no pair is within the cutoff in any of the 2 cases' out

conclude
