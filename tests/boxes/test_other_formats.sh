#!/usr/bin/env bash
# Box files of other programs: LAMMPS data are read and written; others are refused, with the command that converts them.
. "$2/lib.sh" || exit 1

told() { # told FILE FORMAT: FILE is refused with the line of ASE's command for that format
    expect 2 eval --box "$1" --cutoff 1 --variant all_pairs_loop
    says err "$1:1: "
    says err "ase convert -i $2 -o extxyz $1 box.xyz"
}
printf 'HEADER    A PROTEIN\n' >protein
expect 2 eval --box protein --cutoff 1 --variant all_pairs_loop
says err 'protein:1: '
says err 'this looks like a PDB file, which is known by a name that ends in .pdb'
printf 'LAMMPS data file\n\n2 atoms\n' >atoms
expect 2 eval --box atoms --cutoff 1 --variant all_pairs_loop
says err 'this looks like a LAMMPS data file, which is known by a name that ends in .data'
printf 'ITEM: TIMESTEP\n0\n' >run.dump
told run.dump lammps-dump-text
printf 'data_quartz\n' >a.cif
told a.cif cif
# Others are refused as before.
printf 'something\n' >a.xyz
expect 2 eval --box a.xyz --cutoff 1 --variant all_pairs_loop
says err "'something'; expected the number of particles"
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
for atoms in 'Atoms # full|1 0 1 -1 0 0 0\n2 0 1 1 1.5 0 0' 'Atoms|1 1 1 -1 0 0 0 0 0 0\n2 2 1 1 1.5 0 0 1 0 0' 'Atoms # charge|1 1 -1 0 0 0\n2 1 1 1.5 0 0' \
    'Atoms # molecular|1 1 1 0 0 0\n2 2 1 1.5 0 0'; do
    two "${atoms%%|*}" "${atoms#*|}"
    expect 0 box --box two.lmp --describe
    says_like out '^species       1: 2'
done
# refused FILE WORDS: exit status 2 and the words; bad WORDS SED...: two.lmp, edited
refused() {
    expect 2 box --box "$1" --describe
    says err "$1:$2"
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
bad "1: the header has no line 'N atoms'" 3d
bad "1: the header has no line 'N atom types'" 4d
bad "1: the header has no line 'ylo yhi'" 6d
bad '1: no section Atoms' '9s/Atoms/Ellipsoids/'
bad '1: the cell of the header: ' '5s/9/-9/'
bad "3: the number of atoms is '2.5'; expected a whole number" '3s/2/2.5/'
bad "5: xlo is '1e999', which is not finite" '5s/0/1e999/'
bad '12: Atoms ends after 2; expected 3' '3s/2/3/'
bad '12: an atom more; expected 1' '3s/2/1/'
bad '12: Atoms has the number 1 twice' '12s/2/1/'
bad "11: the type of an atom is '2'; expected a whole number from 1 to 1" '11s/1 1/1 2/'
bad "12: y is 'x', which is no number" '12s/0 0/x 0/'
bad '17: atom 3, which is none of Atoms' '17s/2/3/'
bad '16: Velocities has 1 rows; expected 2' 17d
bad '14: Velocities again' -e '9s/Atoms # charge/Velocities/'
bad '1: 3000000 atoms, but only' '3s/2/3000000/'
printf '1 0 0 avec\n' >avec; sed '7r avec' two.lmp >bad.lmp
refused bad.lmp '8: avec: general triclinic cells are not read'
sed '8a Masses\n\n1 -2\n' two.lmp >bad.lmp
refused bad.lmp "11: the mass is '-2'; expected a positive number"
sed '4s/1/2/;8a Masses\n\n1 2\n' two.lmp >bad.lmp
refused bad.lmp '11: Masses ends without type 2; expected all 2'
# written and read again
rm water.xyz
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.xyz
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.data
expect 0 box water@80:70:60 --n 30 --temperature 2.5 -o water.data # replaced: pairmark wrote it
expect 0 box --box water.data -o again.xyz
check 'written, and read again bit by bit, but for the numbers of molecules' cmp -s <(tail -n +3 water.xyz | cut -d' ' -f1-5,7-) <(tail -n +3 again.xyz | cut -d' ' -f1-5,7-)
expect 2 box fluid --n 8 --open -o open.data
says err 'the box is open, and a LAMMPS data file has a cell'
expect 2 box --box two.lmp -o "$tests/fuzz/corpus/lammps/water.data"
expect 2 eval --box two.lmp --cutoff 2 --variant all_pairs_loop --forces forces.data
says err 'expected a name that ends in .xyz'

conclude
