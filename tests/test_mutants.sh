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

# What stops working among the launches that are timed leaves right results behind.
check "idle when timed" exits 1 bench --variant-file "$mutants/axes.cl" --variant axes --kind fluid --n 130 \
    --precision float --tune MUTATION=10 -o "$work/idle"
check "idle when timed: for being wrong, then" grep -q ',wrong,.*after the timed launches' "$work/idle/rows.csv"

conclude
