#!/usr/bin/env bash
# Precision fixed: whole numbers of 64 bits. The same bits in any order, overflow found, faults found, who cannot is refused.
. "$2/lib.sh" || exit 1
fixed=(--precision fixed --kind fluid)

expect 0 check "${fixed[@]}" --variant all_pairs_half --n 130 --outputs energy --reduction atomic --cutoff 2 --open
check 'with energies added atomically' out ' passed, 0 failed, 0 unsupported'
expect 0 check --precision fixed --variant linked_cells_by_pair --kind brick --n 130 --outputs virial --cutoff 1.9 \
    --interaction 'lj+ewald-real:alpha=0.9,sigma.B=0.9,epsilon.C=0.5' --exclude molecule --open
check 'with types, two energies and exclusions' out ' passed, 0 failed, 0 unsupported'

# Parts that were summed in double become whole numbers without a rounding to float.
expect 0 check --precision fixed --variant cell_buffers --kind melt --density 0.499 --n 499 --cutoff 20 --open --outputs virial \
    --interaction '65521/8589934592*r^2'

# Whole numbers know no order: other variants, the same bits. Opposite forces add up to nothing.
evaluated() { # evaluated FILE ARGUMENT...
    exits 0 eval "${fixed[@]}" --n 260 --seed 3 --outputs virial --json --forces "$@" && mv out "$1.json"
}
check 'a list' evaluated half --variant list_half
check 'all pairs' evaluated pairs --variant all_pairs_half
numbers='[.energy, .virial]'
check 'forces are the same to the last bit' cmp -s half pairs
check 'so are energy and virial' [ "$(json "$numbers" half.json)" = "$(json "$numbers" pairs.json)" ]
check 'forces add up to nothing at all' awk '
    NR == 2 { sub(/.*Properties=/, ""); sub(/[ ].*/, ""); count = split($0, of, ":"); column = 1
        for (c = 1; c <= count && of[c] !~ /^forces?$/; c += 3) column += of[c + 2] }
    NR > 2 { x += $column; y += $(column + 1); z += $(column + 2); n++ }
    END { exit !(n == 260 && x == 0 && y == 0 && z == 0) }' half

# What the bits do not depend on is tried, and told. Two ways of adding, one sum of whole numbers: one hash.
expect 0 check "${fixed[@]}" --n 130 --variant list_half,sorted_cells --outputs forces --open --json
check 'whole numbers depend on nothing' [ "$(json '[.cases[].repeatable] | unique | join(";")')" = 'run, order, shape' ]
check 'whoever adds them' [ "$(json '[.cases[].result_hash] | unique | length')" = 1 ]
expect 0 check --kind fluid --n 130 --variant cell_buffers --precision float --outputs forces --open --json
check 'in buffers that nobody shares, float sums depend on the order alone' [ "$(json '.cases[0].repeatable')" = 'run, not order' ]

# Two particles nearly on top of each other; then forces that fit one by one, and do not fit together.
box() { printf '%d\nLattice="10 0 0 0 10 0 0 0 10" Properties=species:S:1:pos:R:3 pbc="T T T"\n' $#; printf 'A %s\n' "$@"; }
box '1 1 1' '1.1 1 1' '5 5 5' >near.xyz
box '1 1 1' '1.2165 1.125 1' '1.2165 0.875 1' '5 5 5' >three.xyz
box '1 1 1' '1.4 1 1' '5 5 5' >fits.xyz
one=(--precision fixed --variant all_pairs_half --cutoff 2.5 --outputs energy)
for box in near three; do
    expect 1 check "${one[@]}" --box $box.xyz -v
    check "$box: the reason is overflow" grep -qE '^wrong .*overflow: force on particle 1, x: expected -[0-9.]+e\+[0-9]+' out
    expect 1 eval "${one[@]}" --box $box.xyz
    check "$box: the device says so" err 'the result is not finite: overflow'
done
expect 0 check "${one[@]}" --box fits.xyz

# Which of two particles is the first must not matter to the last bit: not in a product with charges, not in a shift.
odd() { # 125 particles whose numbers have all their bits
    awk 'BEGIN { srand(7); print 125; print "Lattice=\"5.3 0 0 0 5.3 0 0 0 5.3\" Properties=species:S:1:pos:R:3:charge:R:1:size:R:1 pbc=\"T T T\""
        for (k = 0; k < 125; k++) printf "%s %.9f %.9f %.9f %.9f %.9f\n", k % 3 ? "A" : "B", k % 5 + 0.2 * rand(), int(k / 5) % 5 + 0.2 * rand(),
            int(k / 25) + 0.2 * rand(), 2 * rand() - 1, 1 + rand() }'
}
odd >odd.xyz
printf '%s\n' 'tempEnergy += 0.7f * size1 * size2 * r2; dEdR += 1.4f * size1 * size2 * r;' |
    cat <(printf '/*\n * @parameter size float "odd.xyz" column size\n * @dEdR derivative\n */\n') - >sizes.omm
for interaction in -=lj+coulomb-shift:coulomb=0.37 -=lj+ewald-real:alpha=0.9,coulomb=0.37,epsilon.B=0.7 '-=k*q1*q2/r; k = 0.37' \
    '-=k*size1*size2*q1*q2/r; k = 0.37' -file=sizes.omm; do
    expect 0 check --precision fixed --variant list_half,all_pairs_half --box odd.xyz --cutoff 2 --outputs energy "--interaction${interaction/#-=/=}"
done
expect 0 check --precision fixed --variant clusters_8x8 --kind water --n 3k --cutoff 3 --seed 3 --outputs forces

# Who writes accum has no part in it.
expect 2 check "${fixed[@]}" --variant cell_star --n 130
check 'with the reason' err 'cell_star does not add up in fixed point, which kernels of workload forces do that take a GLOBAL force_sum *'
expect 0 check "${fixed[@]}" --variant cell_star,all_pairs_half --n 130 --outputs energy --reduction atomic --cutoff 2 --open
check 'a list of variants leaves it out' out ' passed, 0 failed, 0 unsupported'
expect 2 check --workload coordination --precision fixed --variant coordination_cells --n 130
check 'nor are coordinations' err 'does not add up in fixed point'
expect 2 check --workload step --precision fixed --variant 'verlet+list_walk' --n 130
check 'time steps are not in fixed point' err 'does not add up in fixed point'

expect 1 check --variant-file "$tests/data/mutants/fixed.cl" "${fixed[@]}" --n 130 --outputs forces -v \
    --tune MUTATION=0,1,2,3,4
cp out found
# Where pairs are exact in float, and odd numbers of units, nothing but sums errs: those of 2^-20, of 2^-31, those of one work-item in
# float, be it by a factor near 1, which gives them digits that no float has.
exact=(--kind melt --density 0.499 --n 499 --outputs virial --cutoff 20 --open '--interaction=65521/8589934592*r^2')
expect 1 check --variant-file "$tests/data/mutants/fixed.cl" --precision fixed "${exact[@]}" -v --tune MUTATION=0,4,5,6
cat out >>found
mixed() { # mixed NAME TYPE FACTOR: all_pairs_loop, whose forces are sums of the type
    sed -e "s/all_pairs_loop/$1/; s/accum \(f[xyz]\) = 0/$2 \1 = 0/; s/make_accum4(fx, fy, fz, 0)/make_accum4($3 * fx, $3 * fy, $3 * fz, 0)/" \
        "$tests/../variants/forces/all_pairs_loop.cl" >"$1.cl"
}
mixed right accum 1.0
mixed scaled real 1.0000000013
expect 0 check --variant-file right.cl --precision mixed "${exact[@]}"
expect 1 check --variant-file scaled.cl --precision mixed "${exact[@]}" -v
sums() { # sums NAME VARIANT NUMBER TYPE TERM STORED: the variant, where one of its sums is `of_item`, of such terms, and stored as that
    local if='#if WITH_ENERGY\n'
    sed -e "s/$2/$1/; s/^    clear_sums.*/&\n    $4 of_item = 0;/; s/^ *add_to_sums.*/&\n${if}of_item += $5;\n#endif/" \
        -e "s/^    STORE_SUMS/${if}sums.value[$3] = $6;\n#endif\n&/" "$tests/../variants/forces/$2.cl" >"$1.cl"
}
wrong_sum() { # wrong_sum PRECISION NAME WORDS
    expect 1 check --variant-file "$2.cl" --precision "$1" "${exact[@]}" -v
    says_like out "^wrong .*: $3: got .*, expected .*, tolerance"
}
sums same_mixed all_pairs_loop 0 accum energy of_item
expect 0 check --variant-file same_mixed.cl --precision mixed "${exact[@]}"
sums float_energy all_pairs_loop 0 real energy 'ACCUM(1.0000000013) * of_item'
wrong_sum mixed float_energy energy
sums float_virial all_pairs_loop 1 real 'f * d.x * d.x' 'ACCUM(1.0000000013) * of_item'
wrong_sum mixed float_virial 'virial xx'
sums same_fixed list_walk 0 long64 'TO_SUM(energy)' of_item
expect 0 check --variant-file same_fixed.cl --precision fixed "${exact[@]}"
for unit in 1048576.0,12 2147483648.0,1; do
    sums coarse_energy list_walk 0 long64 "ROUND_TO_LONG(energy * REAL(${unit%,*})) << ${unit#*,}" of_item
    wrong_sum fixed coarse_energy energy
    sums coarse_virial list_walk 4 long64 "ROUND_TO_LONG(f * d.y * d.y * REAL(${unit%,*})) << ${unit#*,}" of_item
    wrong_sum fixed coarse_virial 'virial yy'
done
# It is among the cases that check draws.
expect 1 check --variant-file float_energy.cl --precision mixed --budget 1 -v
says_like out '^wrong .*/melt/.*energy: got .*'
# In float alone, where its terms would all be rounded alike, it is not.
expect 0 check --variant list_columns --precision float,mixed --budget 1 -v
says_like out '^ok .*/mixed/.*/melt/open/n:499/.*/cutoff:20/'
lacks out /float/virial/melt/open/n:499/density:0.499/
# A pair that is left out and at the cutoff may be counted or not.
expect 0 check --variant sorted_cells --precision float --outputs virial --kind melt --periodic xy --n 64 --seed 419381985 --cutoff half --exclude next:40 --budget 0
for mutation in 0 1 2 3 4 5 6; do
    verdict=wrong
    [ $mutation -ne 0 ] || verdict=ok
    check "mutation $mutation: $verdict" grep -qE "^$verdict .*MUTATION=$mutation\b" found
done
conclude
