#!/usr/bin/env bash
# The gate rejects every kernel of coordinations that is broken on purpose, and accepts the same kernel unbroken.
# shellcheck disable=SC2016 # what stands in single quotes is awk's
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants

# rejects VARIANT MUTATIONS ARGUMENT...: `pairmark check` finds each of these mutations wrong (a list by commas), and the
# mutation 0, where it is in the list, ok.
rejects() {
    local variant=$1 mutations=$2 mutation
    "$pairmark" check --variant-file "$mutants/$variant.cl" --variant "$variant" --tune "MUTATION=$mutations" "${@:3}" -v \
        >out 2>err </dev/null
    for mutation in ${mutations//,/ }; do
        check "mutation $mutation: ${*:3}" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
    done
}
says_so() { grep -qE "^$2 .*MUTATION=$1:" out; } # says_so MUTATION VERDICT

# Pairs at r0 = 1, and a tenth, a hundredth, ... off it on either side.
awk 'BEGIN {
    print "200\nLattice=\"60 0 0 0 60 0 0 0 60\" Properties=species:S:1:pos:R:3 pbc=\"T T T\""
    for (k = 0; k < 200; k++) {
        pair = k % 100
        off = pair % 16 == 0 ? 0 : (pair % 2 ? 1 : -1) * 10 ^ -(pair % 16)
        printf "X %.17g %d 30\n", 3 + 6 * (pair % 10) + (k < 100 ? 0 : 1 + off), 3 + 6 * int(pair / 10)
    }
}' >"$work/dimers.xyz"

fluid=(--kind fluid --n 1000 --group-a 1-600 --group-b 401-1000 --interaction "rational:r0=1,n=6,m=12,dmax=2.5")
small=(--kind fluid --n 300 --group-a 1-200 --group-b 101-300)
dimers=(--box "$work/dimers.xyz" --group-a 1-100 --group-b 101-200 --interaction "rational:r0=1,n=8,m=12,dmax=inf")
rejects coordination 0,1,2,3,4,5,6,7,8,9,10,11,12,13,18 "${fluid[@]}" --precision double --outputs virial
rejects coordination 0,2,4,10 "${fluid[@]}" --precision float --outputs virial
for precision in float double; do
    rejects coordination 14,15 "${dimers[@]}" --precision $precision --outputs energy
done
rejects coordination 16 "${small[@]}" --precision double --outputs energy --interaction "rational:r0=1,n=5,m=11,dmax=inf"
rejects coordination 17 "${small[@]}" --precision double --outputs energy \
    --interaction "rational:r0=0.5,n=6,m=12,d0=1.1,dmax=inf"
# Sums in float under another label.
many=(--workload coordination --kind fluid --n 4k --ratio 200:3000 --open --interaction "rational:r0=3,n=2,m=4,dmax=40")
rejects coordination 0,19,20,21 "${many[@]}" --precision mixed --outputs virial
rejects column_race 1 --kind fluid --n 2048 --group-a 1-1024 --group-b 1025-2048 \
    --interaction "rational:r0=1,dmax=2.5" --precision double --outputs forces

conclude
