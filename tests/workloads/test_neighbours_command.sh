#!/usr/bin/env bash
# Lists of lattices have as many neighbours as crystallography says, in cells of one particle and of several, in every form; what cannot be
# listed is refused.
. "$2/lib.sh" || exit 1

# lattice NAME VECTORS POSITION...: a box of one species
lattice() {
    {
        echo $(($# - 2))
        echo "Lattice=\"$2\" Properties=species:S:1:pos:R:3 pbc=\"T T T\""
        printf 'A %s\n' "${@:3}"
    } >"$1.xyz"
}
lattice sc "1 0 0 0 1 0 0 0 1" "0.25 0.5 0.75"
lattice fcc1 "0 0.5 0.5 0.5 0 0.5 0.5 0.5 0" "0.1 0.1 0.1"
lattice fcc4 "1 0 0 0 1 0 0 0 1" "0 0 0" "0 0.5 0.5" "0.5 0 0.5" "0.5 0.5 0"
lattice bcc1 "-0.5 0.5 0.5 0.5 -0.5 0.5 0.5 0.5 -0.5" "0 0 0"
lattice bcc2 "1 0 0 0 1 0 0 0 1" "0 0 0" "0.5 0.5 0.5"
lattice graphite "2.46 0 0 -1.23 2.13042 0 0 0 6.7" "0 0 0" "0 1.42028 0" "0 0 3.35" "1.23 0.71014 3.35"

# shell BOX CUTOFF NEIGHBOURS OPTION...: each particle has so many
shell() {
    expect 0 eval --workload neighbours --variant neighbours_loop --box "$1.xyz" --cutoff "$2" "${@:4}" --json
    check "$1 within $2 ${*:4}: $(field row_least) to $(field row_most), not $3" [ "$(field row_least) $(field row_most)" = "$3 $3" ]
}
known=('sc 1.1 6' 'sc 5.05 514' 'fcc1 0.8 12' 'fcc4 0.8 12' 'fcc1 1.5 54' 'fcc4 1.5 54' 'bcc1 1.5 26' 'bcc2 1.5 26' 'graphite 2.6 9')
mapfile -t more < <(at_length 'sc 1.5 18' 'sc 1.8 26' fcc{1,4}' 1.1 18' fcc{1,4}' 1.3 42' bcc{1,2}' 0.9 8' bcc{1,2}' 1.1 14' 'graphite 1.6 3')
for words in "${known[@]}" "${more[@]}"; do
    # shellcheck disable=SC2086 # words
    shell $words
done

# ---- every form of the same list ----
entries() { json '.entries[] | @csv' | sort; }
expect 0 eval --workload neighbours --variant neighbours_loop --box fcc4.xyz --cutoff 1.3 --json
entries >whole
check "a list of $(wc -l <whole) entries" [ "$(wc -l <whole)" = 168 ]
for form in csr coo; do
    expect 0 eval --workload neighbours --variant neighbours_loop --box fcc4.xyz --cutoff 1.3 --list $form --list-entries shifts8 --json
    entries >other
    check "$form has the entries of the matrix" cmp -s whole other
done
for form in matrix csr coo; do
    expect 0 eval --workload neighbours --variant neighbours_loop --box fcc4.xyz --cutoff 1.3 --list $form --list-pairs half --json
    { entries; json '.entries[] | [.[1], .[0], -.[2], -.[3], -.[4]] | @csv' | sed 's/-0/0/g'; } | sort >other
    check "a half list as $form, from both sides" cmp -s whole other
done
exits 0 eval --workload neighbours --variant neighbours_loop --box sc.xyz --cutoff 1.1
says_like out '^listed  *6$'
says_like out '^of a particle  *6 to 6$'
says_like out '1 1  0 0 -1$'

# ---- what is refused ----
refuses 'lists what is within a cutoff, and there is none' eval --workload neighbours --open --cutoff none --n 9
refuses 'sums nothing: expected float or double' check --workload neighbours --n 9 --precision mixed
refuses 'lists pairs, and computes nothing of them' check --workload neighbours --n 9 --interaction lj
refuses 'lists no neighbours' check --n 9 --workload forces --list coo
refuses 'has no particles or no vector for each' eval --variant neighbours_loop --n 9 --forces out.xyz
exits 3 check --variant neighbours_loop --precision float --box sc.xyz --cutoff 130 --list-entries shifts8
says err 'shifts hold 127'

refuses 'neighbours_cells lists one box: a batch takes kernels that ask for particles_per_box' check --variant neighbours_cells --n 60 --batch 6
refuses '--batch 7: 60 particles (--n) are no whole number in each box' check --workload neighbours --n 60 --batch 7
refuses 'workload eam is of one box' check --workload eam --batch 6
refuses 'lists boxes of one size: --n LEAST-MOST is of forces' check --workload neighbours --n 2-9 --batch 6 --variant neighbours_tile
refuses '--batch' check --workload neighbours --box sc.xyz --batch 2

# ---- a cutoff for each pair of types ----
cat >three.xyz <<'END'
3
Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 pbc="T T T"
A 1 1 1
A 2 1 1
B 1 3 1
END
printf 'type_a,type_b,function,cutoff\nA,A,neighbours,1.1\nB,A,neighbours,2.1\n' >types.csv
expect 0 eval --workload neighbours --variant neighbours_loop --box three.xyz --cutoff 3 --table types.csv --json
check 'pairs within the cutoffs of their types' [ "$(json '.entries | map(.[0:2]) | sort | tostring')" = '[[1,2],[1,3],[2,1],[3,1]]' ]
printf 'type_a,type_b,function,cutoff\nA,A,neighbours,1.1\n' >types.csv
expect 0 eval --workload neighbours --variant neighbours_loop --box three.xyz --cutoff 3 --table types.csv --json --list csr --list-entries indices
check 'pairs of types that a table leaves out' [ "$(json '.entries | map(.[0:2]) | sort | tostring')" = '[[1,2],[2,1]]' ]
loop=$tests/../variants/neighbours/neighbours_loop.cl
sed 's/PAIR_WITHIN(r.w, i, j, cutoff2)/(r.w <= cutoff2 || &)/' "$loop" >untyped.cl
exits 1 check --variant-file untyped.cl --variant neighbours_loop --box three.xyz --cutoff 3 --table types.csv --precision float -v
says out 'particle 1: neighbour 3 in image 0 0 0 is listed, but the table has no cutoff of their types'
sed 's/PAIR_WITHIN(r.w, i, j, cutoff2)/IN_CUTOFF(r.w, cutoff2)/' "$loop" >untyped.cl
expect 3 check --variant-file untyped.cl --variant neighbours_loop --box three.xyz --cutoff 3 --table types.csv --precision float
says err 'neighbours_loop has one cutoff for all pairs: it does not ask PAIR_WITHIN'
refuses 'neighbours has no pair function: workload neighbours computes it' check --interaction neighbours
printf 'type_a,type_b,function,cutoff\nA,A,neighbours,2.5\nA,B,neighbours,1.5\nB,C,neighbours,1.9\n' >types3.csv
all_pass 'types and half lists' --workload neighbours --kind brick --n 60 --precision float --table \
    types3.csv --list csr --list-pairs '*'

# ---- batches ----
batch=(--workload neighbours --kind fluid --n 42 --batch 6 --cutoff 3)
all_pass 'boxes narrower than the cutoff' "${batch[@]}" --variant neighbours_loop,neighbours_boxes --precision float --list '*'
all_pass 'half lists of boxes that lean' --workload neighbours --variant neighbours_tile,neighbours_boxes --kind brick@75:100:65 --n 42 --batch 3 --precision double \
    --cutoff 4 --list-pairs half --exclude molecule
expect 0 eval "${batch[@]}" --variant neighbours_boxes --json
check 'pairs are of one box' [ "$(json '[.entries[] | select(((.[0] - 1) / 7 | floor) != ((.[1] - 1) / 7 | floor))] | length')" = 0 ]
check 'the last particle of the last box is listed' [ "$(json '[.entries[] | select(.[0] == 42)] | length')" -gt 0 ]

# ---- a row knows what was listed ----
expect 0 bench --workload neighbours --n 30 --batch 1,3 --list csr --list-pairs half --variant neighbours_loop --visits 1 --twins 0 --time-cap 0.05 --no-plot -o run
says out 'half list as csr, shifts'
says out 'half list as csr, shifts, batches of 3 boxes'
lacks out 'none passed'
for of in csr,half,shifts,30, csr,half,shifts,30,3; do
    check "columns of lists: $of" grep -qxF "$of" <("$pairmark" query 'select list, list_pairs, list_entries, n, batch from rows' run --csv)
done

# ---- what check tries where nothing is said ----
all_pass 'images of a particle itself' --workload neighbours --variant neighbours_loop --kind fluid --n 1,3 --cutoff 3 --precision float,double --list csr
all_pass 'a cell that leans' --workload neighbours --variant neighbours_loop --kind brick@115:80:110 --n 20 --cutoff 4 --precision float --list coo
all_pass 'an open box' --workload neighbours --variant neighbours_loop --kind fluid --n 65 --open --precision double --list-pairs '*'
all_pass 'exclusions' --workload neighbours --variant neighbours_loop --kind brick --n 60 --precision float --exclude next:7 --list coo --list-pairs '*'

# ---- a grid, whose pairs lie at the cutoff: rounding is the same from both sides, across a face, too ----
awk 'BEGIN {
    print "210\nLattice=\"7.7 0 0 0 6.6 0 0 0 5.5\" Properties=species:S:1:pos:R:3"
    for (i = 0; i < 210; i++) print "A", 1.1 * (i % 7), 1.1 * (int(i / 7) % 6), 1.1 * int(i / 42)
}' >grid.xyz
expect 0 check --workload neighbours --box grid.xyz --cutoff 2.2 --precision float
says out '4 passed, 0 failed'

# ---- cells see one image to either side ----
expect 0 check --variant neighbours_cells --kind fluid --n 3 --cutoff 2.5 --precision float --list matrix --verbose
says out 'sorted_cells sees one image to either side, and the cell is 1.52601 high'

conclude
