#!/usr/bin/env bash
# What somebody writes who has never seen pairmark: misspelt words, one name for two files, files of other kinds. Each is met by
# exit status 2 and a message that says where, and nothing is lost.
. "$2/lib.sh" || exit 1
recorded=$tests/data/runs/card

# refuses WORDS COMMAND...: exit status 2, and the words on standard error
one=(eval --variant all_pairs_loop --n 20 --reference none)

# ---- misspelt words: the nearest is offered ----
refuses 'unknown interaction "ljj" (did you mean "lj"?)' "${one[@]}" --interaction ljj
refuses 'unknown interaction "ewald_real" (did you mean "ewald-real"?)' "${one[@]}" --interaction lj+ewald_real
refuses 'unknown interaction "zzzzzz"; expected one of' "${one[@]}" --interaction zzzzzz
refuses 'no parameter "epslon" (did you mean "epsilon"?)' "${one[@]}" --interaction lj:epslon=1
refuses 'no parameter "cutof" (did you mean "cutoff"?)' "${one[@]}" --interaction lj+ewald-real:cutof=1
refuses "there is no precision 'FLOAT' (did you mean 'float'?)" "${one[@]}" --precision FLOAT
refuses "pairmark help: 'more' after box; expected one command" help box more

for value in 1 true ''; do
    refuses 'pairmark judge: --json takes no value; expected --json alone' judge k.cl --json=$value
    refuses 'pairmark eval: --open takes no value; expected --open alone' "${one[@]}" --open=$value
done

# ---- a variant of another workload: the option that was given is named ----
"$pairmark" box chains --n 12 -o chains.xyz --terms chains
refuses '--bonds: workload forces has no bonded terms' eval --variant all_pairs_loop --box chains.xyz --bonds chains.bonds.csv
lacks err structure
refuses "--structure: none of these variants has the workload 'bonded' and the structure 'sorted_cells'" \
    check --workload bonded --structure sorted_cells


# ---- each word that selects variants selects some of those chosen, and each file is one of them ----
variants=$tests/../variants
sed 's/^ \* all_pairs_loop —/ * mine —/' "$variants/forces/all_pairs_loop.cl" >mine.cl
sed 's/^ \* rdf_loop —/ * my_rdf —/' "$variants/rdf/rdf_loop.cl" >my_rdf.cl
small=(--n 20 --reference none)
refuses "--variant: 'rdf_loop' is of workload rdf, and what else is chosen is of forces: expected one workload (--workload rdf chooses that)" \
    eval --variant-file mine.cl --variant rdf_loop "${small[@]}"
refuses "--variant: 'rdf_*' is of workload rdf" check --variant 'sorted_cells,rdf_*'
refuses "--variant: 'verlet+mine' is of workload step" check --variant-file mine.cl --variant verlet+mine
refuses "--variant-file: 'mine.cl' is of workload forces, and what else is chosen is of rdf" \
    bench --workload rdf --variant-file mine.cl --variant rdf_loop
refuses "--variant-file: 'my_rdf.cl' is of workload rdf" check --variant-file mine.cl --variant-file my_rdf.cl
refuses "--variant: 'sorted_cells' has nothing in common with the other words" \
    check --variant list_walk,sorted_cells --structure pair_list
for structure in sorted_cells,pair_list pair_list,sorted_cells; do
    refuses "--structure: 'sorted_cells' has nothing in common with the other words: no variant has all; see \`pairmark list --workload forces\`" \
        check --variant list_walk --structure $structure
done
refuses "--structure: none of the variants that are named walks 'pair_list'" check --variant rdf_loop --structure pair_list
refuses 'as `pairmark list` names them, without --variant' export shake --variant boxes_tile -o folder
refuses "--structure: 'clusters_8x8' is of workload forces" check --workload rdf --structure sorted_cells,clusters_8x8
refuses "--precision: 'fixed': no case is in it" check --workload eam --kind copper --n 108 --precision float,fixed
refuses "--precision: 'fixed': no case is in it" bench --workload eam --kind copper --n 108 --precision float,fixed
expect 0 check --workload eam --variant eam_loop --kind copper --n 108 --precision 'f*' --outputs forces
expect 0 check --workload step --variant-file mine.cl --variant verlet+mine --kind fluid --n 33 --precision float --outputs forces

# ---- a file where a kind is expected: the option that reads it is named ----
refuses 'pairmark box: chains.xyz: a file, where a kind of box is expected; --box chains.xyz reads it' box chains.xyz --describe

refuses 'pairmark box: --kind is no option of this command: the kind stands alone, as in `pairmark box fluid`' box --kind fluid --n 5 -o -

# ---- a file has one writer, and an input none ----
simulation=(run --reference --kind melt --n 108 --steps 2)
mkdir sub
ln -s . here
refuses '--log and --trajectory name one file, one.csv; expected two' "${simulation[@]}" --log one.csv --trajectory one.csv
refuses '--log and --trajectory name one file' "${simulation[@]}" --log sub/../one.csv --trajectory here/one.csv
refuses '--log and --trajectory name one file' "${simulation[@]}" --log "$PWD/one.csv" --trajectory one.csv
refuses '--log and --trajectory name one file' "${simulation[@]}" --log - --trajectory -
check "nothing was made" [ ! -e one.csv ]
expect 0 "${simulation[@]}" --log one.csv --trajectory sub/one.csv
expect 0 "${simulation[@]}" --log /dev/null --trajectory /dev/null
refuses '--trajectory-every without a file; expected --trajectory FILE' "${simulation[@]}" --trajectory-every 1

# ---- names that would be read as another format ----
for name in box.gro box.PDB box.ent; do
    refuses "$name: particles are written as extended XYZ" box fluid --n 5 -o $name
    check "$name is not made" [ ! -e $name ]
done
refuses '--forces: f.gro: particles are written' "${one[@]}" --forces f.gro
refuses '--trajectory: t.pdb: particles are written' "${simulation[@]}" --trajectory t.pdb

# ---- the mark by which some editors say UTF-8 is part of no file ----
mark=$'\xef\xbb\xbf'
printf '%s1 4\r\n2 5\r\n3 7\r\n' "$mark" >u.dat
printf '%senergy = u(r)*k; u = table "u.dat"; k = particles "k.dat" arithmetic\n' "$mark" >u.text
{ printf %s "$mark" && yes 1 | head -n 20; } >k.dat
expect 0 "${one[@]}" --interaction-file u.text
printf '%s# silicon\nA A A 2.1683 2.0951 1.8 21 1.2 -0.333333333333 7.049556277 0.6022245584 4 0 0\n' "$mark" >si.sw
expect 0 eval --kind diamond --n 64 --variant three_body_list --interaction stillinger-weber --table si.sw --reference none

# ---- lines that end in a carriage return alone: behind a remark, too ----
printf '# r\r1 4\r2 5\r3 7\r' >mac.dat
printf '# a table\renergy = u(r); u = table "mac.dat"\r' >mac.text
expect 0 "${one[@]}" --interaction-file mac.text
printf '# pairs\r1 2\r3 4\r' >pairs
expect 0 "${one[@]}" --exclude pairs --json
with=$(field energy)
tr '\r' '\n' <pairs >pairs.lf
expect 0 "${one[@]}" --exclude pairs.lf --json
check 'exclusions behind a remark' [ "$(field energy)" = "$with" ]

# ---- files of another kind, or cut short ----
gzip -c chains.xyz >chains.xyz.gz
refuses 'this looks like a gzip file' box --box chains.xyz.gz --describe
printf 'energy = k*r\n' >bonds.csv
refuses 'bonds.csv:1: the file ends after its energy' eval --variant bonded_gather --box chains.xyz --bonds bonds.csv
printf 'i,j,length\n1,2,nan\n' >constraints.csv
refuses 'i,j,length: 2 numbers of particles, 1 or more, and 1 number' eval --variant shake --box chains.xyz --constraints constraints.csv
lacks err '1 numbers'
refuses 'velocities must be 0 or 1' eval --variant settle --kind water --n 12 --interaction constraints:velocities=2
printf '/* a comment alone */\n' >nothing.omm
refuses 'nothing.omm: no text' "${one[@]}" --interaction-file nothing.omm
mkdir run
head -c 100 "$recorded/rows.csv" >run/rows.csv
refuses 'run/rows.csv: its first line is cut short' query 'SELECT 1' run
: >run/rows.csv
refuses 'run/rows.csv: empty' query 'SELECT 1' run

# ---- numbers of all files: decimal, also as Fortran writes them; hexadecimal ones are refused ----
two='1.5 1.5D0 +.15d+01 0x1.8p0 1.5D 1d999'
printf '2\n\nA 0 0 0\nA 1.2 0 0\n' >two.xyz
pair=(eval --box two.xyz --cutoff 3 --variant all_pairs_loop --precision double --json)
# numbers FILE TEXT COMMAND...: @ in the text is each of these numbers
numbers() {
    local number file=$1 text=$2 first=
    shift 2
    for number in $two; do
        printf '%b' "${text//@/$number}" >"$file"
        case $number in
        *x* | *D | *999)
            expect 2 "$@"
            says err "$file"
            ;;
        *)
            expect 0 "$@"
            first=${first:-$(field energy)}
            check "$file with $number" [ "$(field energy)" = "$first" ]
            ;;
        esac
    done
}
numbers lj.csv 'type_a,type_b,function,epsilon,sigma\nA,A,lj,@,1\n' "${pair[@]}" --interaction lj --table lj.csv
two='1.5 1.5D0 0x1.8p0' # the others' reader is the same
numbers spline.dat '1 3\n@,2\n2 7\n' "${pair[@]}" --interaction 'u(r); u = table "spline.dat"'
numbers spline.dat '1 3\n1.5 @#\n2 7\n' "${pair[@]}" --interaction 'u(r); u = table "spline.dat"'
numbers values.dat '1\n@\n' "${pair[@]}" --interaction 'k/r; k = particles "values.dat" arithmetic'
numbers one.csv 'i,j,k,r0\n1,2,10,@\n' eval --variant bonded_gather --box two.xyz --bonds one.csv --precision double --json
numbers si.sw 'A A A @ 2.0951 1.8 21 1.2 -0.33 7.05 0.602 4 0 0\n' eval --kind diamond --n 64 --variant three_body_list --interaction stillinger-weber --table si.sw --json
# Counts and lengths on command lines are the same numbers, wherever they stand.
for number in 0x10 0x1p3 nan 1e400 1e-400 5, '5 ' ' 5' ''; do
    expect 2 eval --kind fluid --n "$number"
    expect 2 eval --kind fluid --n 20 --cutoff "$number"
    expect 2 box fluid --n 20 --describe --seed "$number"
    expect 2 box fluid --n 20 --describe --density "$number"
    expect 2 "${one[@]}" --interaction lj:epsilon="$number"
    expect 2 "${one[@]}" --judge-seed "$number"
done
for number in +1 1.0 1e0 .1d1; do
    expect 0 "${one[@]}" --cutoff "$number" --seed "$number" --judge-seed "$number" --interaction lj:epsilon="$number"
    expect 0 box fluid --n 20 --describe --seed "$number" --density "$number"
done

# ---- files without a line of what is asked for ----
for nothing in '' '# nothing\n'; do
    printf '%b' "$nothing" >empty
    refuses 'empty: no pair; expected' "${pair[@]}" --exclude empty
    refuses 'empty' "${pair[@]}" --interaction lj --table empty
    refuses 'empty' "${pair[@]}" --interaction 'u(r); u = table "empty"'
    refuses 'empty' "${pair[@]}" --interaction 'k/r; k = particles "empty" arithmetic'
    refuses 'empty' "${pair[@]}" --interaction-file empty
    refuses 'empty' eval --variant bonded_gather --box two.xyz --bonds empty
    refuses 'empty' eval --variant shake --box two.xyz --constraints empty
    refuses 'empty' eval --box empty --cutoff 1
done

# ---- a value without end in a query ----
refuses 'too big' query 'SELECT zeroblob(1e9)' "$recorded"
expect 0 query 'SELECT length(zeroblob(1e6)) AS bytes' "$recorded"

# ---- what whoever starts pairmark leaves to it ----
fast=(--variant all_pairs_loop --n 20 --precision float --outputs forces --time-cap 0.01 --visits 1 --no-plot)
(trap '' CHLD; exec "$pairmark" bench "${fast[@]}" -o here/run-of-a-deaf-parent) >out 2>err
check 'children whose end is ignored' [ $? -eq 0 ]
PAIRMARK_SUBGROUPS=33 expect 3 eval "${fast[@]:0:8}"
says err 'PAIRMARK_SUBGROUPS is no width; expected 8, 16, 32 or 64'

# ---- without gnuplot: no folder is named that is gone ----
PATH=/nonexistent expect 0 report "$recorded" -o page.html
says err 'No figures: gnuplot is not installed'
lacks err '/tmp/'

conclude
