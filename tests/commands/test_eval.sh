#!/usr/bin/env bash
# eval: what it computed, for which cutoff and interaction, and how it compares with the reference.
. "$2/lib.sh" || exit 1

kernel wrong 'if (i < n) force[i] = make_accum4(1, 2, 3, 0);'
kernel infinite 'if (i < n) force[i] = make_accum4(1 / (accum)(i - i), 2, 3, 0);'
# In angstrom: nothing is within 2.5 of anything, and there is one pair within 4.
printf '3\nLattice="30 0 0 0 40 0 0 0 50" Properties=species:S:1:pos:R:3\nAr 1 1 1\nAr 4.7 1 1\nAr 20 20 20\n' >argon.xyz
printf '2\nan open box\nAr 1 1 1\nAr 4.7 1 1\n' >open.xyz
argon=(--box argon.xyz --interaction lj:epsilon=0.996,sigma=3.4)
loop=(eval --variant all_pairs_loop)

# ---- compared unless told otherwise ----
check 'a right kernel' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9
check 'is said to be right' grep -qE '^reference +ok, ' out
check 'its interaction' grep -qxE 'interaction +lj:epsilon=0\.996.*,sigma=3\.[34].*' out
check 'its cutoff' grep -qxE 'cutoff +9' out
check 'its pairs' grep -qxE 'pairs_in_cutoff +1' out
check 'the same as JSON' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9 --json
check 'one line' [ "$(wc -l <out)" -eq 1 ]
check 'compared, and right' [ "$(field compared) $(field status)" = 'true ok' ]
check 'its cutoff in JSON' near "$(field cutoff)" 9 0
check 'its interaction in JSON' grep -qE '"interaction": ?"lj:epsilon=0\.996[^"]*,sigma=' out
check 'how near to the bound' grep -qE '"worst_ratio": ?[0-9.e-]+' out

# ---- a box whose file has no cell is open, and is said to be ----
check 'an open box' exits 0 "${loop[@]}" --box open.xyz --cutoff 9
check 'is said to be open' grep -qxE 'box +open box \(its file has no Lattice\)' out
check 'the same as JSON' exits 0 "${loop[@]}" --box open.xyz --cutoff 9 --json
check 'an open box in JSON' [ "$(field periodic)" = false ]
check 'a periodic one' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9 --json
check 'in JSON' [ "$(json .periodic)" = true ]

# ---- whoever names no variant gets the likeliest of recorded rows, or without such rows one that walks nothing ----
check 'no variant' exits 0 eval --kind fluid --n 4k
class=$(grep -qE '^device +cuda' out && echo gpu || echo cpu)
likeliest=$(grep "^$class 4000 " "$tests/../share/presets/likely.txt" | cut -d' ' -f3)
check 'the likeliest' grep -qx "variant  *$likeliest" out
check 'is said to be taken' err "pairmark eval: no variant is named: --variant $likeliest is taken"
check 'one that is named' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9
check 'is not' eval '! err "is taken"'

wrong=(eval --variant-file wrong.cl --box argon.xyz --cutoff 9 --outputs forces)
check 'a wrong kernel' exits 1 "${wrong[@]}"
check 'is marked wrong' grep -qE '^reference +wrong: .*particle' out
check 'its numbers are printed' grep -qE '^pairs_in_cutoff +1$' out
check 'and it is told' err 'wrong: wrong: '
check 'the same as JSON' exits 1 "${wrong[@]}" --json --forces forces.xyz
check 'compared, and wrong' [ "$(field compared) $(field status)" = 'true wrong' ]
check 'with the reason' grep -qE '"message": ?".*particle' out
check 'its forces are written' has_file forces.xyz
check 'what is not finite' exits 1 eval --variant-file infinite.cl --box argon.xyz --cutoff 9 --outputs forces
check 'is told of' err 'not finite'
check 'with the particle' err 'particle 1'

check '--no-reference' exits 0 "${wrong[@]}" --no-reference
check 'says that nothing was compared' grep -qxE 'reference +not compared \(--no-reference\)' out
lacks out pairs_in_cutoff # the reference counts them
check '--reference none' exits 0 "${wrong[@]}" --reference none
check 'is the same' grep -qE '^reference +not compared' out
check '--reference of another word' exits 2 "${wrong[@]}" --reference nune
check 'names the words' err 'threads or serial, or none'
check '--reference serial compares' exits 1 "${wrong[@]}" --reference serial
check '--reference none of a gate' exits 2 check --variant all_pairs_loop --reference none
check 'is none' err 'threads or serial'
check '--no-reference --json' exits 0 "${wrong[@]}" --no-reference --json
check 'says so, too' [ "$(field compared)$(field status)" = false ]
check '--no-reference of a right kernel' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9 --json --no-reference
energy=$(field energy)
check 'has the numbers' exits 0 "${loop[@]}" "${argon[@]}" --cutoff 9 --json
check 'of the other' [ "$energy" = "$(field energy)" ]
check 'no cutoff is one' exits 0 "${loop[@]}" --box open.xyz --cutoff none
check 'and said' grep -qxE 'cutoff +none' out
check 'null in JSON' exits 0 "${loop[@]}" --box open.xyz --cutoff none --json
check 'where infinity is no number' grep -qE '"cutoff": ?null' out

# ---- the cutoff of a box that is read ----
for command in 'eval --variant all_pairs_loop' 'check --variant all_pairs_loop' 'bench --variant all_pairs_loop -o run' \
    'tune --variant all_pairs_loop --store tuned.csv'; do
    # shellcheck disable=SC2086 # words
    check "no cutoff: $command" exits 2 $command "${argon[@]}"
    check 'is asked for' err '--cutoff: needed for argon.xyz'
    check 'with the edges' err '30 x 40 x 50'
    check 'and a suggestion' grep -qE -- 'for example: --cutoff [0-9h]' err
    check 'nothing printed' empty out
done
check 'no cutoff for an open box' exits 2 "${loop[@]}" --box open.xyz
check 'may be none' err 'a number, or none'
suggestion=$("$pairmark" "${loop[@]}" --box "$tests/data/vectors/nist/lj-fluid-30.xyz" 2>&1 | sed -n 's/.*for example: --cutoff //p')
check "what is suggested, '$suggestion', is taken" exits 0 "${loop[@]}" --box "$tests/data/vectors/nist/lj-fluid-30.xyz" --cutoff "$suggestion"
check 'a box is made' exits 0 box fluid --n 1k -o fluid.xyz
check 'and read without a cutoff' exits 2 "${loop[@]}" --box fluid.xyz
check 'in its unit, what is suggested is the default' grep -qE -- '--cutoff 2\.5$' err
check 'a box that is made has a default' exits 0 "${loop[@]}" --kind fluid --n 1k
check 'which is printed' grep -qxE 'cutoff +2\.5' out
check 'a coordination ends at its dmax' exits 0 eval --box argon.xyz --interaction rational:r0=3,n=6,m=12,dmax=9
check 'which is printed' grep -qxE 'cutoff +9' out
check 'and compared' grep -qE '^reference +ok' out

# ---- known answers of cells that lean: tests/data/vectors/README.md ----
nist=$tests/data/vectors/nist
known() { # known DESCRIPTION EXPECTED TOLERANCE ARGUMENT...
    expect 0 eval --variant all_pairs_loop --precision double --json "${@:4}"
    check "$1" near "$(json .energy)" "$2" "$3"
}
known 'Lennard-Jones' -505.78567945268367 1e-14 --box "$nist/lj-triclinic-300.xyz" --cutoff 3 --interaction lj:epsilon=1,sigma=1
water=(--box "$nist/spce-monoclinic-100.xyz" --exclude molecule --cutoff 10)
known 'water, Lennard-Jones' 25025.1 2e-6 "${water[@]}" --interaction lj:epsilon=78.19743111,sigma=3.16555789,epsilon.H=0
known 'water, Coulomb' -171462 3e-6 "${water[@]}" --interaction ewald-real:alpha=0.285,coulomb=167100.9567

conclude
