#!/usr/bin/env bash
# Boxes of GROMACS and PDB: what is read of them, in which units, and what is refused at which line and columns.
. "$2/lib.sh" || exit 1
corpus=$tests/fuzz/corpus

# as_xyz FILE: it is read, and written as box.xyz
as_xyz() {
    rm -f box.xyz
    expect 0 box --box "$1" -o box.xyz
}
line() { sed -n "$1p" box.xyz; }

# ---- GROMACS ----
as_xyz "$corpus/gro/water.gro"
check 'six particles' [ "$(line 1)" = 6 ]
check 'the cell is in angstrom' grep -q 'Lattice="18.206[0-9]* 0 0 0 18.206[0-9]* 0 0 0 18.206' box.xyz
check 'a coordinate is rounded once' grep -qE '^X 1\.26 16\.239999999999998 .* OW( |$)' box.xyz
check 'digits that number atoms are no species' [ "$(grep -cE ' HW( |$)' box.xyz)" -eq 4 ]
check 'residues are molecules' [ "$(awk 'NR > 2' box.xyz | grep -cE ' 2( |$)')" -ge 3 ]
check 'velocities are in angstrom per ps' grep -qF 1.227 box.xyz
expect 0 eval --box "$corpus/gro/water.gro" --cutoff 9 --exclude molecule --variant all_pairs_loop --device opencl:0:0 --json
check 'the pairs of a water are left out, and there are no others within 9 angstrom' out '"energy": 0.0,'
sed '3s/^    1/   -3/' "$corpus/gro/water.gro" >tag.gro
as_xyz tag.gro
as_xyz "$corpus/gro/triclinic-open-digits.gro"
check 'a triclinic cell in the order of its vectors' grep -qF 'Lattice="20 0 0 5 20 0 5 -5 15"' box.xyz
check 'five decimals' grep -qE '^X 1\.2344999+ .* HB( |$)' box.xyz
as_xyz "$corpus/gro/open.gro"
check 'zeros are no cell' grep -qF 'pbc="F F F"' box.xyz

# ---- PDB ----
as_xyz "$corpus/pdb/water.pdb"
check 'CRYST1' grep -qF 'Lattice="18.206' box.xyz
check 'elements' [ "$(awk 'NR > 2 { print $1 }' box.xyz | tr '\n' ' ')" = 'O H H Na ' ]
as_xyz "$corpus/pdb/triclinic-two-models.pdb"
check 'the first model' [ "$(line 1)" = 2 ]
check 'elements of names' [ "$(awk 'NR > 2 { print $1 }' box.xyz | tr '\n' ' ')" = 'H C ' ]
expect 0 box --box "$corpus/pdb/triclinic-two-models.pdb" --describe
check 'angles' said '80'

# atom SERIAL NAME RESIDUE NUMBER: a line without the element, all four as they stand in their columns
atom() { printf 'HETATM%5s %-4s %3s B%4s    %8.3f%8.3f%8.3f  1.00  0.00\n' "$1" "$2" "$3" "$4" "$1" 1 1; }
{ atom 1 ' CL ' ' CL' 1; atom 2 'ZN  ' ' ZN' 2; atom 3 ' CA ' ALA 3; atom 4 ' CA ' ' CA' 4; atom 5 ' NA ' ' NA' 5; } >ions.pdb
as_xyz ions.pdb
check 'ions without an element, from either column' [ "$(awk 'NR > 2 { print $1 }' box.xyz | tr '\n' ' ')" = 'Cl Zn C Ca Na ' ]
{ atom 9999 ' O  ' HOH 9999; atom 10 ' O  ' HOH '****'; atom 11 ' O  ' HOH '****'; } >overflow.pdb
expect 0 box --box overflow.pdb --describe
check 'residues whose numbers are lost are no molecule' out 'molecules     not given'
expect 2 eval --box overflow.pdb --cutoff 9 --exclude molecule --variant all_pairs_loop
check 'which is said where molecules are asked for' err 'the box says no molecules'

# Old files number their lines where elements stand today, and TER parts residues of one number.
printf '%-72s1CRN%4s\n' "$(atom 1 ' N  ' ALA 1)" 327 TER '' "$(atom 2 ' CA ' ALA 1)" 1328 >old.pdb
as_xyz old.pdb
check 'elements of names beside numbers of lines' [ "$(awk 'NR > 2 { print $1 $5 }' box.xyz | tr '\n' ' ')" = 'N1 C2 ' ]

# Serial numbers of six digits, and records in lower case.
{
    printf 'CRYST1   30.000   30.000   30.000  90.00  90.00  90.00 P 1           1\n'
    for start in 'ATOM  99999' 'ATOM 100000' 'HETATM100001' 'atom 100002' 'hetatm100003' 'ATOM  A0000' 'ATOM  *****'; do
        printf '%-12s O   HOH A   1    %8.3f%8.3f%8.3f\n' "$start" 1 2 3
    done
    printf 'end\n'
} >serials.pdb
as_xyz serials.pdb
check 'all atoms are read' [ "$(line 1)" = 7 ]
for word in ATOM HETATM CRYST1 END atom ENDMDL; do
    sed "3i\\ $word" serials.pdb >shifted.pdb
    refuses "shifted.pdb:3: '$word' begins in column 2; expected records to begin in column 1" box --box shifted.pdb --describe
done
# A newline that was lost, or a record that was misspelt, takes no atom along.
for edit in '3{N;s/\n//}' '2,3{N;s/\n//}' '2s/^ATOM/TER/;2{N;s/\n//}' '$s/$/ATOM  /' '$s/.*/ENDMDLHETATM/'; do
    sed "$edit" serials.pdb >joined.pdb
    refuses ': an atom behind another record; expected a line of its own' box --box joined.pdb --describe
done
for name in HETATN 3 'A TOM'; do
    sed "2s/^ATOM  /$(printf %-6s "$name")/" serials.pdb >misspelt.pdb
    refuses "misspelt.pdb:2: '${name%% *}" box --box misspelt.pdb --describe
    says err 'has coordinates in columns 31-54; expected ATOM or HETATM before them'
done
{ printf 'TITLE     OF AN ATOM  AND A HETATM\nREMARK 1                         1.000   2.000   3.000\n' && cat serials.pdb; } >remarks.pdb
as_xyz remarks.pdb
check 'remarks may say anything' [ "$(line 1)" = 7 ]
# MASTER counts the coordinates of the first model; where it does not say how many, or cannot, nothing is compared.
master() { printf 'MASTER    %5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s%5s\n' 0 0 0 0 0 0 0 0 "$1" 0 0 0; }
for count in 7 07 ''; do
    { sed '$d' serials.pdb && master "$count" && echo END; } >counted.pdb
    as_xyz counted.pdb
    check "MASTER counts '$count'" [ "$(line 1)" = 7 ]
done
for count in 6 8 0 -7 '****' 1e1; do
    { sed '$d' serials.pdb && master "$count" && echo END; } >counted.pdb
    refuses "counted.pdb:9: MASTER counts '$count' lines of ATOM and HETATM (columns 51-55), the first model has 7" box --box counted.pdb --describe
    { cat serials.pdb && master "$count"; } >counted.pdb
    refuses "counted.pdb:10: MASTER counts '$count'" box --box counted.pdb --describe
done
# Lines that end in \r alone, in \r\n and in both.
for file in serials.pdb "$corpus/gro/water.gro" "$corpus/lammps/water.data" "$corpus/box/plain.xyz"; do
    as_xyz "$file"
    cp box.xyz read.xyz
    for edit in 's/\n/\r/g' 's/\n/\r\n/g' 's/\n/\r/2'; do
        sed -z "$edit" "$file" >"lines.${file##*.}"
        as_xyz "lines.${file##*.}"
        check "$edit of $file" cmp -s read.xyz box.xyz
    done
done
# Models behind the first are counted; atoms of none are not left out.
says_left_out() { check "$1 later frames" err "serials.pdb: the first frame is read, and $1 behind it are left out"; }
lacks err 'left out'
cp serials.pdb alone.pdb
for model in MODEL CRYST1; do
    { cat alone.pdb; for k in 2 3; do echo "$model        $k"; sed 1d alone.pdb; done; } >serials.pdb
    as_xyz serials.pdb
    check "one of three by $model" [ "$(line 1)" = 7 ]
    says_left_out 2
done
expect 0 eval --box serials.pdb --workload neighbours --cutoff 3 --variant neighbours_loop
says_left_out 2
{ cat alone.pdb; sed 1d alone.pdb; } >serials.pdb
refuses 'serials.pdb:10: an atom behind the end of the model in line 9; expected MODEL or CRYST1 before it, or one END behind all atoms' box --box serials.pdb --describe
{ sed '$d' alone.pdb; echo 'MODEL        2'; sed 1d alone.pdb; } >serials.pdb
refuses 'serials.pdb:9: MODEL behind atoms; expected ENDMDL before it' box --box serials.pdb --describe
cp box.xyz one.xyz
for file in "$corpus/gro/water.gro" one.xyz; do
    cat "$file" "$file" "$file" >"twice.${file##*.}"
    as_xyz "twice.${file##*.}"
    check "frames of $file" err 'the first frame is read, and 2 behind it are left out'
    { cat "$file" "$file"; echo Ar 1 2 3; } >"twice.${file##*.}"
    expect 2 box --box "twice.${file##*.}" --describe
done
cp alone.pdb serials.pdb
sed '1s/30.000/ 0.000/g;1s/90.00/ 0.00/g' serials.pdb >none.pdb
as_xyz none.pdb
check 'CRYST1 of zeros is no cell' grep -qF 'pbc="F F F"' box.xyz
sed '1s/30.000/ 0.000/' serials.pdb >flat.pdb
refuses 'flat.pdb:1: a (columns 7-15) is 0; expected a positive number' box --box flat.pdb --describe

# ---- charges that no file says ----
for name in charge charges initial_charges q; do
    printf '2\nProperties=species:S:1:pos:R:3:%s:R:1\nNa 0 0 0 1\nCl 2 0 0 -1\n' "$name" >salt.xyz
    expect 0 eval --box salt.xyz --cutoff 4 --interaction 'q1*q2/r' --variant all_pairs_loop --precision double --json
    check "$name: -1/2" [ "$(field energy)" = -0.5 ]
done
printf '1\nProperties=species:S:1:pos:R:3:initial_charges:R:1:charges:R:1\nNa 0 0 0 1 0.7\n' >both.xyz
expect 0 box --box both.xyz --describe
says out 'charge 1'
sed 's/:q:/:spin:/' salt.xyz >unknown.xyz
printf '/* all */\ntempEnergy += posq1.w*posq2.w*invR;\ndEdR += posq1.w*posq2.w*invR*invR*invR;\n' >charges.omm
for box in unknown.xyz "$corpus/gro/water.gro" "$corpus/pdb/water.pdb"; do
    for interaction in '--interaction q1*q2/r' '--interaction lj+reaction-field' '--interaction coulomb-shift' '--interaction-file charges.omm'; do
        read -r option words <<<"$interaction"
        refuses 'expected --charges S=Q,..., or of extended XYZ a column charge:R:1' eval --box "$box" --cutoff 4 "$option" "$words" --variant all_pairs_loop
    done
done
refuses 'expected --charges S=Q' run --box unknown.xyz --cutoff 4 --interaction coulomb-shift --steps 1 --dt 0.001
expect 0 eval --box unknown.xyz --charges Na=1,Cl=-1 --cutoff 4 --interaction 'q1*q2/r' --variant all_pairs_loop

# ---- species by atomic numbers ----
printf '3\nProperties=Z:I:1:pos:R:3:Z2:R:1:momenta:R:3\n8 1 2 3 0.1 1 0 0\n1 2 2 3 0.2 0 1 0\n0 5 2 3 0.2 0 0 0\n' >numbers.xyz
sed -i '5d;1s/3/2/' numbers.xyz
expect 0 box --box numbers.xyz --describe
says out 'species       O: 1, mass 15.999'
says out 'species       H: 1, mass 1.008'
sed '3s/8/119/' numbers.xyz >beyond.xyz
refuses "beyond.xyz:3: Z is '119'; expected the atomic number of an element" box --box beyond.xyz --describe

# ---- charges by species, and molecules of residues ----
printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3\nO 0 0 0\nH 1.5 0 0\n' >oh.xyz
coulomb=(--cutoff 4 --interaction 'q1*q2/r' --variant all_pairs_loop --precision double --json)
expect 0 eval --box oh.xyz "${coulomb[@]}" --charges O=-0.8476,H=0.4238
check '-0.8476 * 0.4238 / 1.5' near "$(field energy)" -0.23947525333333334 1e-15
waters=(--box "$corpus/gro/water.gro" --exclude molecule --charges 'OW=-0.8476,HW=0.4238')
as_xyz "$corpus/gro/water.gro"
sum=$(awk 'NR > 2 { m[++n] = $5; q[n] = $NF == "OW" ? -0.8476 : 0.4238; for (k = 1; k <= 3; k++) x[n, k] = $(k + 1) }
    END { for (i = 1; i <= n; i++) for (j = 1; j < i; j++) if (m[i] != m[j]) {
            s = 0; for (k = 1; k <= 3; k++) { d = x[i, k] - x[j, k]; d -= 18.206 * int(d / 18.206 + (d > 0 ? 0.5 : -0.5)); s += d * d }
            if (s < 81) e += q[i] * q[j] / sqrt(s) }
        printf "%.12g", e }' box.xyz)
expect 0 eval "${waters[@]}" --cutoff 9 --interaction 'q1*q2/r' --variant all_pairs_loop --precision double --json
check "of two residues: $sum" near "$(field energy)" "${sum:-none}" 1e-6
for bad in "Q=1|no species 'Q' in the box; expected O, H" 'O=1,O=2|O has two charges' "O|'O'; expected SPECIES=CHARGE" "O=nan|'O=nan'; expected" "O=1,|''; expected"; do
    refuses "--charges: ${bad#*|}" eval --box oh.xyz "${coulomb[@]}" --charges "${bad%%|*}"
done

# ---- refused ----
# refused FILE WORDS: exit status 2 and the words
refused() {
    check "$1: exit status 2" exits 2 box --box "$1" --describe
    check "$1: '$2'" err "$1:$2"
}
changed() { # changed NAME SED...: the waters, edited
    local name=$1
    shift
    sed "$@" "$corpus/${name##*.}/water.${name##*.}" >"$name"
}
changed count.gro -e '2s/6/six/'
refused count.gro "2: 'six'; expected the number of atoms alone"
changed more.gro -e '2s/6/7/'
refused more.gro "9: the vectors of the cell after 6 atoms; line 2 says 7"
changed fewer.gro -e '2s/6/5/'
refused fewer.gro '8: an atom; expected the vectors of the cell after the 5 that line 2 announces'
changed number.gro -e '4s/1.661/1,661/'
refused number.gro "4: y (columns 29-36) is '1,661'; expected a decimal number"
changed shifted.gro -e '5s/   0.177/  0.177/'
refused shifted.gro "5: x (columns 21-28) is '0.177', which does not end there"
changed cut.gro -e '$d'
refused cut.gro '9: the file ends; expected the vectors of the cell'
changed flat.gro -e '$s/1.82060$/0.0/'
refused flat.gro '9: the cell: '
changed nameless.gro -e '3s/ OW/   /'
refused nameless.gro "3: the atom's name (columns 11-15) is ''; expected a name"
for byte in '\t' '\x01' '\x7f' ' '; do # of a name, a letter
    changed name.gro -e "4s/ HW1/H${byte}W1/"
    refused name.gro "4: the atom's name (columns 11-15) is 'H"
done
changed speeds.gro -e '3s/^\(.\{44\}\).*/\1/'
refused speeds.gro "4: '"
says err 'behind the coordinates; expected velocities of all atoms or of none, as the first has none'
changed bytes.gro -e '2s/6/60000/'
refused bytes.gro '2: 60000 atoms, but only'
changed number.pdb -e '3s/16.240/16 240/'
refused number.pdb "3: y (columns 39-46) is '16 240'; expected a decimal number"
changed short.pdb -e '4s/17.470.*//'
refused short.pdb "4: z (columns 47-54) is ''; expected a decimal number"
changed either.pdb -e '3s/ HOH/AHOH/'
refused either.pdb "3: alternate location 'A' (column 17); expected one location per atom"
changed tab.pdb -e '3s/  /\t/'
refused tab.pdb '3: a tab; expected blanks, which columns are counted by'
changed angles.pdb -e '2s/90.00  90.00  90.00/10.00 150.00  90.00/'
refused angles.pdb '2: angles of 10, 150 and 90 degrees; expected those of a cell'
changed cells.pdb -e '2p'
refused cells.pdb '3: CRYST1 again; expected one cell'
printf 'HEADER    NOTHING\n' >none.pdb
refused none.pdb '1: 0 lines of ATOM or HETATM; expected 1 to'
conclude
