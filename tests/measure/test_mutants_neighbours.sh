#!/usr/bin/env bash
# The gate rejects every list that is wrong on purpose, says what is wrong with it, and accepts the same one when it is right.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants/neighbours.cl

# rejects MUTATIONS OPTION...: each is wrong, and 0 is ok
rejects() {
    local mutation
    "$pairmark" check --variant-file "$mutants" --variant neighbours --tune "MUTATION=0,$1" --precision float --kind fluid --n 12 --cutoff 3 \
        "${@:2}" -v >out 2>err </dev/null
    check "the list without a fault: ${*:2}" grep -qE "^ok .*MUTATION=0:" out
    for mutation in ${1//,/ }; do
        check "mutation $mutation: ${*:2}" grep -qE "^wrong .*MUTATION=$mutation:" out
    done
}
rejects 1,2,3,4,5,6,7,8,9,12,14,15 --list matrix
says_like out 'MUTATION=1: particle 1: neighbour [0-9]+ in image .* is listed at a distance of .*, beyond the cutoff 3; wrong rows: 12 of 12'
says_like out 'MUTATION=2: particle [0-9]+: neighbour [0-9]+ in image .* is missing \(distance 2\.[0-9]*, cutoff 3\)'
says_like out 'MUTATION=4: wrote outside of its buffers: .* past the end of buffer neighbour'
says_like out 'MUTATION=5: particle [0-9]+: entry [0-9]+ of its row is -1'
says_like out 'MUTATION=6: particle 1: neighbour [0-9]+ in image .* is listed 2 times'
says out 'MUTATION=9: particle 1: the rest of its row is not -1'
says out 'MUTATION=15: particle 1: lists itself'
rejects 3,4,5,6,7,12,13 --list csr --list-pairs half --list-entries indices
says_like out 'MUTATION=13: particle [0-9]+: row_begin, neighbour_count and pair_count disagree'
says_like out 'MUTATION=7: particle 1: .* listed [0-9]+ times, from both sides together'
rejects 1,2,3,4,5,6,7,10,11 --list coo --list-entries shifts8+vectors+distances
says_like out 'MUTATION=10: particle 1: the vector to neighbour [0-9]+ is .* along x, expected'
says_like out 'MUTATION=11: particle 1: the distance to neighbour [0-9]+ is .*, expected'
rejects 10 --list coo --list-entries vectors

# ---- of more ----
# more MUTATION OPTION...
more() {
    local mutation
    "$pairmark" check --variant-file "$mutants" --variant neighbours --tune "MORE=0,$1" --tune MUTATION=0 --precision float "${@:2}" -v >out 2>err </dev/null
    check "the list without a fault: ${*:2}" grep -qE "^ok .*MORE=0" out
    for mutation in ${1//,/ }; do
        check "mutation $mutation: ${*:2}" grep -qE "^wrong .*MORE=$mutation\\b" out
    done
}
more 16 --kind brick --n 60 --exclude molecule
says_like out 'neighbour [0-9]+ in image .* is listed, but excluded'
more 19 --kind fluid --n 12 --cutoff 3
says_like out 'particle 1: entry [0-9]+ of its row is 12 \(expected 0 to 11\)'
for form in matrix csr coo; do
    more 23 --kind fluid --n 12 --cutoff 3 --list $form --list-entries distances
done
more 23 --kind fluid --n 12 --cutoff 3 --list-pairs half --list-entries distances
says_like out 'MORE=23.*: particle [0-9]+: a vector or a distance is not that of its entry'
more 24 --kind fluid --n 200 --cutoff 2 --list matrix
says_like out 'MORE=24.*: where room is short, entries of another row are in that of particle [0-9]+'

# Batches; the boxes are narrower than twice the cutoff.
batch=(--kind fluid --n 24 --batch 4 --density 0.1 --cutoff 3)
more 20,21,22 "${batch[@]}"
says_like out 'MORE=20.*: particle 1, of box 1: neighbour [0-9]+ is listed, which is of box [2-4]'
says_like out 'MORE=22.*: particle [0-9]+: neighbour [0-9]+ in image .* is missing \(distance [12]\.[0-9]*, cutoff 3\)'
more 20,21,22 "${batch[@]}" --list coo --list-entries indices
more 20,21,22 "${batch[@]}" --list csr --list-pairs half

# Particles a cutoff apart: they may be listed or not, but not twice, and by both or none.
cat >pair.xyz <<'END'
3
Lattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3 pbc="T T T"
A 1 1 1
A 2 1 1
A 6 6 6
END
more 17 --box pair.xyz --cutoff 1
says_like out 'particle 1: neighbour 2 in image 0 0 0 is listed 2 times'
more 18 --box pair.xyz --cutoff 1
says out 'particle 2: neighbour 1 in image 0 0 0 (distance 1, cutoff 1) is listed by 2 and not by 1'
more 17 --box pair.xyz --cutoff 1 --list coo --list-entries indices
more 18 --box pair.xyz --cutoff 1 --list csr --list-entries indices

conclude
