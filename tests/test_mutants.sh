#!/usr/bin/env bash
# The gate rejects every kernel that is broken on purpose, and accepts the same kernel unbroken.
set -u
pairmark=$1
mutants=$2/mutants
passed=0
failed=0

# expect STATUS DESCRIPTION FILE ARGUMENT...: `pairmark check` on one mutant exits with STATUS; when that is 1, because
# the result is wrong and for no other reason.
expect() {
    local status=$1 what=$2 file=$3
    shift 3
    local output got
    output=$("$pairmark" check --variant-file "$mutants/$file" --variant "${file%.cl}" --kind fluid --density 0.8442 \
        --cutoff 2.5 "$@" -v 2>&1)
    got=$?
    if [ "$got" -eq "$status" ] && { [ "$status" -eq 0 ] || grep -qw wrong <<<"$output"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: exit status %d, expected %d\n%s\n' "$what" "$got" "$status" "$output"
    fi
}

for precision in float double; do
    expect 0 "no mutation, $precision" mutant.cl --n 1000,2048 --precision $precision --outputs forces,energy,virial --tune MUTATION=0
    for mutation in 1 2 3 4 5 6 9 11 12; do
        expect 1 "mutation $mutation, $precision" mutant.cl --n 1000 --precision $precision --outputs forces --tune MUTATION=$mutation
    done
    expect 1 "half the virial, $precision" mutant.cl --n 1000 --precision $precision --outputs virial --tune MUTATION=7
    expect 1 "energy twice, $precision" mutant.cl --n 1000 --precision $precision --outputs energy --tune MUTATION=10
    expect 1 "a data race, $precision" race.cl --n 2048 --precision $precision --outputs forces
done
expect 1 "float arithmetic under a double label" mutant.cl --n 1000 --precision double --outputs forces --tune MUTATION=8

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
