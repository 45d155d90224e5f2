#!/usr/bin/env bash
# Box files of other programs: LAMMPS data are read and written; others are refused, with the command that converts them.
. "$2/lib.sh" || exit 1

told() { # told FILE FORMAT: FILE is refused with the line of ASE's command for that format
    refuses "$1:1: " eval --box "$1" --cutoff 1 --variant all_pairs_loop
    says err "ase convert -i $2 -o extxyz $1 box.xyz"
}
printf 'HEADER    A PROTEIN\n' >protein.xyz
refuses 'protein.xyz:1: ' eval --box protein.xyz --cutoff 1 --variant all_pairs_loop
says err 'this looks like a PDB file, whose name ends in .pdb'
printf 'A title\n\n2 atoms\n1 atom types\n0 9 xlo xhi\n' >atoms.xyz
refuses 'this looks like a LAMMPS data file, whose name ends in .data' eval --box atoms.xyz --cutoff 1 --variant all_pairs_loop
printf 'ITEM: TIMESTEP\n0\n' >run.dump
told run.dump lammps-dump-text
printf 'data_quartz\n' >a.cif
told a.cif cif
# Others are refused as before.
printf 'something\n' >a.xyz
refuses "'something'; expected the number of particles" eval --box a.xyz --cutoff 1 --variant all_pairs_loop
lacks err 'looks like'

# ---- mmCIF and CIF are refused, with the command of ASE that converts them ----
printf 'data_1ABC\n_entry.id 1ABC\n' >protein.mmcif
told protein.mmcif cif
says err 'gemmi convert protein.mmcif box.pdb'

# ---- LAMMPS data files ----
lammps=$tests/fuzz/corpus/lammps
expect 0 box --box "$lammps/water.data" --describe -o water.xyz
says_like out '^cell          20 20.0997512 20.0561711, angles'
says_like out '^species       O: 2, mass 15.9994, charge -0.8476$'
says_like out '^molecules     2, in 1 group of identical ones$'
check 'atoms and velocities are in the order of their numbers' grep -q '^H 5 1 0 0.42.* 0 0 0.59999999999999998 1.008$' water.xyz
expect 0 box --box "$lammps/labels.data" --describe
says_like out '^species       Na: 2, mass 1, charge 1$'
says_like out 'alike       1 of Na Cl .2 particles., the first from particle 1 on'
# Excluded within, the charges of both waters: the sum of q q / r over the nine pairs, by awk from the file.
sum=$(awk '/^Atoms/ { on = 1; next } /^Velocities/ { on = 0 } on && NF == 10 { q[++n] = $4; m[n] = $2; x[n] = $5; y[n] = $6; z[n] = $7 }
    END { for (i in q) for (j in q) if (i + 0 < j + 0 && m[i] != m[j]) e += q[i] * q[j] / sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2)
        printf "%.15g", e }' "$lammps/water.data")
expect 0 eval --box "$lammps/water.data" --cutoff 9 --exclude molecule --interaction 'energy = q1*q2/r' --variant all_pairs_loop --precision double --json
check "charges and molecules count: $sum" near "$(field energy)" "$sum" 1e-12
# two <ATOMS> <MORE>: a data file of two atoms
two() { printf 'two\n\n2 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n%s\n\n%b\n' "$1" "$2" >two.lmp; }
two Atoms '1 1 0 0 0\n2 1 1.5 0 0'
expect 0 eval --box two.lmp --cutoff 2.5 --variant all_pairs_loop --precision double --json
check 'atomic, by its columns: 4 (1.5^-12 - 1.5^-6)' near "$(field energy)" -0.32033659427857464 1e-14
for atoms in 'Atoms # full|1 0 1 -1 0 0 0\n2 0 1 1 1.5 0 0' 'Atoms # full|1 1 1 -1 0 0 0 0 0 0\n2 2 1 1 1.5 0 0 1 0 0' 'Atoms # charge|1 1 -1 0 0 0\n2 1 1 1.5 0 0' \
    'Atoms # molecular|1 1 1 0 0 0\n2 2 1 1.5 0 0'; do
    two "${atoms%%|*}" "${atoms#*|}"
    expect 0 box --box two.lmp --describe
    says_like out '^species       1: 2'
done
# As write_data calls a style that ran by a package, and numbers as Fortran writes them.
two 'Atoms # full/kk' '1 1 1 -1.0D0 0.0d+00 0 0\n2 1 1 1 +.15D+01 0 0'
expect 0 box --box two.lmp --describe -o two.xyz
says out 'charge -1 to 1'
check 'exponents of Fortran' grep -q '^X 1.5 0 0 1 ' two.xyz
# What a name does not say its content does; data.NAME is LAMMPS's own way.
expect 0 box --box two.lmp -o whole.xyz
for name in data.two restarted dir/data.x.1 two.txt; do
    mkdir -p dir
    rm -f other.xyz
    cp two.lmp $name
    expect 0 box --box $name -o other.xyz
    check "$name is read as LAMMPS data" cmp -s whole.xyz other.xyz
    refuses "$name:9: atom_style full; --atom-style says charge" box --box $name --atom-style charge --describe
done
cp whole.xyz data.two.xyz
cp whole.xyz data.whole
for name in data.two.xyz data.whole; do
    expect 0 box --box $name --describe
    says_like out '^species       1: 2'
done
expect 0 box fluid --n 8 -o data.written
says data.written ' xlo xhi'
refuses 'expected a name that ends in .xyz' eval --box two.lmp --cutoff 2 --variant all_pairs_loop --forces data.forces
printf 'CRYST1    9.000    9.000    9.000  90.00  90.00  90.00 P 1           1\nATOM      1  O   HOH A   1       1.000   2.000   3.000  1.00  0.00           O\nEND\n' >water.txt
expect 0 box --box water.txt --describe
says_like out '^species       O: 1'
# refused FILE WORDS: exit status 2 and the words; bad WORDS SED...: two.lmp, edited
refused() {
    refuses "$1:$2" box --box "$1" --describe
}
bad() {
    local words=$1
    shift
    sed "$@" two.lmp >bad.lmp
    refused bad.lmp "$words"
}
two 'Atoms # charge' '1 1 -1 0 0 0\n2 1 1 1.5 0 0\n\nVelocities\n\n1 0 0 0\n2 1 0 0'
bad '11: 6 columns, which may be of several styles' '9s/ #.*//'
bad '9: atom_style sphere; expected atomic, charge, full' '9s/charge/sphere/'
bad '11: 6 columns; atom_style full has 7, or 10 with image flags' '9s/charge/full/'
bad "11: x is '0x1p3', which is no number" '11s/-1 0/-1 0x1p3/'
bad "11: x is '1D5D', which is no number" '11s/-1 0/-1 1D5D/'
bad "1: the header has no line 'N atoms'" 3d
bad "1: the header has no line 'N atom types'" 4d
bad "1: the header has no line 'ylo yhi'" 6d
bad '1: no section Atoms' '9s/Atoms/Ellipsoids/'
bad '5: xlo is 0 and xhi is -9; expected xlo < xhi' '5s/9/-9/'
bad '7: zlo is 9 and zhi is 0; expected zlo < zhi' '7s/0 9/9 0/'
bad '6: ylo is 0 and yhi is 0; expected ylo < yhi' '6s/9/0/'
bad "3: the number of atoms is '2.5'; expected a whole number" '3s/2/2.5/'
bad "5: xlo is '1e999', which is not finite" '5s/0/1e999/'
bad '12: Atoms ends after 2; expected 3' '3s/2/3/'
bad '12: an atom more; expected 1' '3s/2/1/'
bad '12: Atoms has the number 1 twice' '12s/2/1/'
bad "11: the type of an atom is '2'; expected a whole number from 1 to 1" '11s/1 1/1 2/'
bad "12: y is 'x', which is no number" '12s/0 0/x 0/'
bad '17: atom 3, which is none of Atoms' '17s/2/3/'
# What is said twice, or nearly said, is not taken for anything else.
bad '17: Velocities has atom 1 twice' '17s/2/1/'
bad "14: no section is named 'Velocites' (did you mean 'Velocities'?)" '14s/Velocities/Velocites/'
bad '6: xlo again; expected it once' '5{p;s/9/8/}'
bad '4: the number of atoms again; expected it once' 3p
bad '8: expected three numbers before xy xz yz, once' '7a 0 1 xy xz yz'
bad '8: expected three numbers before xy xz yz, once' '7a 0 1 2 3 xy xz yz'
bad '9: expected three numbers before xy xz yz, once' '7a 0 1 0 xy xz yz\n0 2 0 xy xz yz'
bad '12: Masses has type 1 twice' '8a Masses\n\n1 2\n1 3\n'
bad '16: Velocities has 1 rows; expected 2' 17d
bad '14: Velocities again' -e '9s/Atoms # charge/Velocities/'
bad '1: 3000000 atoms, but only' '3s/2/3000000/'
bad '1: the header says 3 bonds; expected a section Bonds' '3a 3 bonds'
printf '1 0 0 avec\n' >avec; sed '7r avec' two.lmp >bad.lmp
refused bad.lmp '8: avec: general triclinic cells are not read'
sed '8a Masses\n\n1 -2\n' two.lmp >bad.lmp
refused bad.lmp "11: the mass is '-2'; expected a positive number"
sed '4s/1/2/;8a Masses\n\n1 2\n' two.lmp >bad.lmp
refused bad.lmp '11: Masses ends without type 2; expected all 2'
# ---- their coefficients ----
# three STYLE [ROWS]: three atoms of two types, O and H, with Pair Coeffs of the style
three() {
    printf '%s\n\n3 atoms\n2 atom types\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nMasses\n\n1 16 # O\n2 1 # H\n\n' \
        'LAMMPS data file via write_data, version 2 Aug 2023, timestep = 0, units = real' >three.data
    printf 'Pair Coeffs%s\n\n%b\n\n' "$1" "${2:-1 0.25 3\n2 0.16 2}" >>three.data
    printf 'Atoms # charge\n\n1 1 -0.8 0 0 0\n2 2 0.4 3.1 0 0\n3 1 0.4 0 3.3 0\n' >>three.data
}
few=(--box three.data --cutoff 9 --variant all_pairs_loop --precision double)
# energy_of FUNCTION: of the three, mixed geometrically; charges by 332.06371 q q / r where `c` is 1
energy_of() {
    awk -v c="$1" 'function lj(e, s, r) { return 4 * e * ((s / r)^12 - (s / r)^6) }
        BEGIN { d = sqrt(3.1^2 + 3.3^2); e = sqrt(0.25 * 0.16); s = sqrt(3 * 2)
            printf "%.15g", lj(e, s, 3.1) + lj(0.25, 3, 3.3) + lj(e, s, d) + c * 332.06371 * (-0.32 / 3.1 - 0.32 / 3.3 + 0.16 / d) }'
}
three ' # lj/cut'
expect 0 eval "${few[@]}" --json
check 'the energy of its coefficients' near "$(field energy)" "$(energy_of 0)" 1e-13
check 'the first line says what acts' [ "$(head -n 1 err)" = \
    'pairmark eval: three.data: --interaction lj by its coefficients of pairs, two types mixed by geometric means' ]
expect 0 eval "${few[@]}" --interaction lj --table three.data --json
check 'the same by --table' near "$(field energy)" "$(energy_of 0)" 1e-13
empty err || complain "said though asked for: $(cat err)"
expect 0 run --box three.data --cutoff 9 --reference --steps 1 --dt 0.0001 --temperature 1
check 'so does run' near "$(awk '$1 == 0 { print $4 }' out)" "$(energy_of 0)" 1e-8
says err 'pairmark run: three.data: --interaction lj by its coefficients'
expect 0 best --box three.data --cutoff 9 --variant all_pairs_loop --precision float --budget 0.001 --time-cap 0.01
says_like out '^forces of three.data, N = 3, float, cutoff 9, lj:table=[0-9a-f]+, outputs'
expect 0 bench --box three.data --cutoff 9 --variant all_pairs_loop --samples-min 3 --samples-max 5 --time-cap 0.02 --visits 1 --twins 0 --no-plot -o coefficients
says coefficients/rows.csv ',lj:table='
expect 0 bench --resume coefficients --no-plot
says err 'three.data: --interaction lj by its coefficients'
three ' # lj/cut/coul/cut'
expect 0 eval "${few[@]}" --json
check 'with charges in the units of the first line' near "$(field energy)" "$(energy_of 1)" 1e-12
sed -i '1s/units.*//' three.data
expect 2 eval "${few[@]}"
says err 'three.data:14: pair style lj/cut/coul/cut, whose units the file does not say; expected --interaction lj+ewald-real:alpha=0,coulomb=C --table three.data'
# of pairs, in the place of what would be mixed; nothing of a type that has no depth
three ' # lj/cut/omp'
printf '\nPairIJ Coeffs # lj/cut\n\n1 1 0.25 3 9\n1 2 0 3 9\n2 2 0.16 2 9\n' >>three.data
expect 0 eval "${few[@]}" --json
check 'PairIJ Coeffs go first' near "$(field energy)" "$(awk 'BEGIN { printf "%.15g", ((3 / 3.3)^12 - (3 / 3.3)^6) }')" 1e-13
three ' # lj/cut' '1 0.25 3 4\n2 0.16 2 9'
expect 0 eval "${few[@]}" --json
check 'cutoffs are mixed, too' [ "$(field pairs_in_cutoff)" = 3 ]
sum=$(awk 'function lj(e, s, r) { return 4 * e * ((s / r)^12 - (s / r)^6) } BEGIN { e = sqrt(0.25 * 0.16); s = sqrt(3 * 2)
    printf "%.15g", lj(e, s, 3.1) + lj(0.25, 3, 3.3) + lj(e, s, sqrt(3.1^2 + 3.3^2)) }') # sqrt(4 * 9) is beyond all distances
check 'within them' near "$(field energy)" "$sum" 1e-13
# Whoever does what a message says gets on: cutoffs of the coefficients are the least that the case needs.
expect 2 eval --box three.data --variant all_pairs_loop
says_like err 'for example: --cutoff 9$'
expect 2 eval --box three.data --variant all_pairs_loop --cutoff 8
says err ": three.data:17: the cutoff 9 of types H and H is longer than the case's, 8; expected a cutoff of at least 9"
sed 's/^0 20 /0 17 /' three.data >small.data
refuses 'small.data: the interaction has a cutoff of 9; expected a cell whose shortest edge is at least 18, not 17' eval --box small.data --variant all_pairs_loop
three ' # lj/cut'
sed -i 's/^Pair Coeffs.*/PairIJ Coeffs # lj\/cut/; s/^1 0.25 3$/1 1 0.25 3/; s/^2 0.16 2$/2 2 0.16 2/' three.data
refuses 'three.data:14: PairIJ Coeffs has no row of types 1 and 2; expected "1 2 EPSILON SIGMA"' eval "${few[@]}"
# What the file does not say, and what is malformed, is refused, by each command.
while IFS='|' read -r style rows words; do
    three "$style" "$rows"
    for command in 'run --steps 1' best bench eval; do
        # shellcheck disable=SC2086 # words
        refuses "--box: three.data:$words" $command --box three.data --cutoff 9
    done
done <<'END'
||14: coefficients of a pair style that the file does not name; expected Pair Coeffs # lj/cut
 # buck|1 1 2 3|14: coefficients of pair style buck, of which only lj/cut is read
 # lj/cut/coul/long||14: pair style lj/cut/coul/long, whose screening of charges the file does not say; expected --interaction lj+ewald-real:alpha=A,coulomb=332.06371 --table three.data
 # lj/cut|1 0.25 -3\n2 1 1|16: sigma is '-3'; expected a number that is not negative
 # lj/cut|1 0.25 3\n2 1|17: 2 columns; expected a type, epsilon, sigma
 # lj/cut|1 0.25 3\n2 1 1 2 3|17: 5 columns; expected a type, epsilon, sigma
 # lj/cut|1 0.25 3\n3 1 1|17: the type of an atom is '3'
 # lj/cut|1 0.25 3 4\n2 1 1|16: a cutoff for one type, and none for another
 # lj/cut|1 0.25 3|14: Pair Coeffs has no row of type 2; expected "2 EPSILON SIGMA"
 # lj/cut|2 0.25 3 9|14: Pair Coeffs has no row of type 1; expected "1 EPSILON SIGMA CUTOFF"
 # lj/cut|1 0 3\n2 0 1|14: every epsilon or sigma is 0
END
three ' # lj/cut'
sed 's/# H/# O/' three.data >same.data
refuses 'same.data:14: types 1 and 2 are both called O and have different coefficients' eval --box same.data --cutoff 9 --variant all_pairs_loop
sed 's/# H/# H,2/' three.data >comma.data
refuses 'comma.data:14: type 2 is called H,2; expected a name without comma and quote' eval --box comma.data --cutoff 9 --variant all_pairs_loop
expect 2 eval "${few[@]}" --interaction buckingham --table three.data
refuses '--table: two.lmp: neither Pair Coeffs nor PairIJ Coeffs' eval --box two.lmp --cutoff 2 --variant all_pairs_loop --interaction lj --table two.lmp
refuses 'three.data has coefficients of its own, and there are other boxes' bench --box two.lmp --box three.data --cutoff 2
# Types by their labels in the coefficients, and a style that the file does not say.
three ' # lj/cut' 'O 0.25 3\nH 0.16 2'
sed -i 's/^Masses/Atom Type Labels\n\n1 O\n2 H\n\n&/; s/^1 16.*/O 16/; s/^2 1 #.*/H 1/; s/^\([123]\) 1 /\1 O /; s/^2 2 /2 H /' three.data
expect 0 eval "${few[@]}" --json
check 'coefficients of labels' near "$(field energy)" "$(energy_of 0)" 1e-13
sed -i 's/^Atoms # charge/Atoms/' three.data
expect 0 eval "${few[@]}" --atom-style charge --json
check 'coefficients beside --atom-style' near "$(field energy)" "$(energy_of 0)" 1e-13
expect 0 eval "${few[@]}" --atom-style charge --interaction lj --table three.data --json
check 'also by --table' near "$(field energy)" "$(energy_of 0)" 1e-13
three ' # lj/cut'
# Boxes without coefficients that hardly mean the default are warned of.
sed '/^Pair/,/^2 0.16/d' three.data >bare.data
expect 0 eval --box bare.data --cutoff 9 --variant all_pairs_loop
says err 'pairmark eval: bare.data has chemical elements and charges, and the default interaction is lj:epsilon=1,sigma=1: --interaction says which you mean'
printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:molecule:I:1\nX1 0 0 0 1\nX2 1.2 0 0 1\n' >typed.xyz
expect 0 run --box typed.xyz --cutoff 2 --reference --steps 1 --temperature 1
says err 'pairmark run: typed.xyz has several types and molecules, and the default'
expect 0 eval --box two.lmp --cutoff 2 --variant all_pairs_loop --interaction lj
lacks err default
# Columns that are of several styles are of none, unless it is said.
for row in '1 1 1 0 0 0' '1 1 1 -1 0 0 0' '1 1 1 2 1 3.5 4.5 1' '1 1 1 -1 0 0 0 0 0 0'; do
    two Atoms "$row\n2${row:1}"
    refused two.lmp "11: $(wc -w <<<"$row") columns, which may be of several styles or of none; say which it is by --atom-style or after the title"
done
two Atoms '1 1 1 -1 0 0 0\n2 2 1 1 1.5 0 0'
expect 0 box --box two.lmp --atom-style full --describe
says out 'charge -1 to 1'
expect 0 eval --box two.lmp --atom-style full --cutoff 3 --interaction q1*q2/r --variant all_pairs_loop --precision double --json
check '-1 / 1.5' near "$(field energy)" -0.66666666666666663 1e-15
refuses '9: atom_style sphere; expected atomic, charge, full' box --box two.lmp --atom-style sphere --describe
refuses '--atom-style full: no LAMMPS data file is read' box fluid --n 8 --atom-style full --describe
refuses '--atom-style full: no LAMMPS data file is read' eval --kind fluid --n 8 --atom-style full --variant all_pairs_loop
two 'Atoms # full' '1 1 1 -1 0 0 0\n2 2 1 1 1.5 0 0'
refuses '9: atom_style full; --atom-style says charge' box --box two.lmp --atom-style charge --describe
# Types by their labels, wherever sections stand.
printf 'labels\n\n2 atoms\n2 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\nC-2 12\nAr 39.95\n\nAtom Type Labels\n\n1 Ar\n2 C-2\n\nAtoms # atomic\n\n1 Ar 1 2 3\n2 C-2 4 5 6\n\nVelocities\n\n1 0 0 0\n2 0 0 0\n' >typed.lmp
expect 0 box --box typed.lmp --describe
says out 'species       Ar: 1, mass 39.95'
says out 'species       C-2: 1, mass 12'
sed 's/^C-2 12/C-3 12/' typed.lmp >bad.lmp
refused bad.lmp '9: Masses ends without type 1'
# written and read again
rm water.xyz
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.xyz
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.data
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.data # replaced: pairmark wrote it
expect 0 box --box water.data -o again.xyz
check 'written, and read again bit by bit, but for the numbers of molecules' cmp -s <(tail -n +3 water.xyz | cut -d' ' -f1-5,7-) <(tail -n +3 again.xyz | cut -d' ' -f1-5,7-)
refuses 'the box is open, and a LAMMPS data file has a cell' box fluid --n 8 --open -o open.data
expect 2 box --box two.lmp -o "$tests/fuzz/corpus/lammps/water.data"
refuses 'expected a name that ends in .xyz' eval --box two.lmp --cutoff 2 --variant all_pairs_loop --forces forces.data

conclude
