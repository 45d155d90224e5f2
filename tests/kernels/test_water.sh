#!/usr/bin/env bash
# Models of water by name: --water stands for a table, charges, an interaction and what is left out.
. "$2/lib.sh" || exit 1
case=(--variant all_pairs_loop --precision double --json)

# two molecules, their energy summed by hand from the published numbers
printf '6\nLattice="30 0 0 0 30 0 0 0 30" Properties=species:S:1:pos:R:3:molecule:I:1
O 0 0 0 1\nH 0.9572 0 0 1\nH -0.23999 0.92663 0 1\nO 3 0 0 2\nH 3.9572 0 0 2\nH 2.76001 0.92663 0 2\n' >two.xyz
sum() { # sum CHARGE-OF-H EPSILON SIGMA
    awk -v h="$1" -v epsilon="$2" -v sigma="$3" 'NR > 2 { m[++n] = $5; t[n] = $1; q[n] = $1 == "O" ? -2 * h : h; for (k = 1; k < 4; k++) x[n, k] = $(k + 1) }
        END { for (i = 1; i <= n; i++) for (j = 1; j < i; j++) if (m[i] != m[j]) {
                s = 0; for (k = 1; k < 4; k++) s += (x[i, k] - x[j, k])^2
                e += 1389.35457644 * q[i] * q[j] / sqrt(s)
                if (t[i] t[j] == "OO") e += 4 * epsilon * ((sigma^2 / s)^6 - (sigma^2 / s)^3) }
            printf "%.14g", e }' two.xyz
}
expect 0 eval --box two.xyz --water tip3p "${case[@]}"
check 'TIP3P' near "$(field energy)" "$(sum 0.417 0.636386 3.15061)" 1e-12
expect 0 eval --box two.xyz --water=spce "${case[@]}"
check 'SPC/E' near "$(field energy)" "$(sum 0.4238 0.65 3.166)" 1e-12

# the same as its parts, for a box that is made, too; what is said goes before what the model says
expect 0 eval --water spce --n 600 --cutoff 8 "${case[@]}"
energy=$(field energy)
expect 0 eval --kind water --n 600 --cutoff 8 "${case[@]}" --table "$tests/../share/water/water.csv" --exclude molecule --interaction lj+ewald-real:alpha=0,coulomb=1389.35457644
check "as by the pages' water.csv" near "$(field energy)" "$energy" 1e-14
expect 0 eval --box two.xyz --water spce --charges O=0,H=0 "${case[@]}"
check 'charges that are said' near "$(field energy)" "$(sum 0 0.65 3.166)" 1e-12

# refused
refuses "--water 'tip4p'; expected one of spce, tip3p" eval --water tip4p --n 30
refuses "--water ''" eval --water
refuses '--water is given twice' eval --water spce --water spce
conclude
