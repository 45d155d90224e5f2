#!/usr/bin/env bash
# pairmark box on the command line.
. "$2/lib.sh" || exit 1

# box STATUS WORDS ARGUMENT...: the exit status, and the words on stderr
box() {
    local words=$2
    expect "$1" box "${@:3}"
    if [[ -n $words ]]; then
        says err "$words"
        says_like err '^pairmark box: '
    fi
}

box 0 '' fluid --n 64 -o "$work/a.xyz"
box 0 '' --seed=1 --n=64 -o "$work/b.xyz" fluid
cmp -s "$work/a.xyz" "$work/b.xyz" || complain "the default seed is not 1"
box 0 '' fluid --n 64 --seed 2 -o "$work/b.xyz"
cmp -s "$work/a.xyz" "$work/b.xyz" && complain "another seed gave the same box"
[[ $(head -1 "$work/a.xyz") == 64 ]] || complain "line 1 is not the number of particles"
[[ $(wc -l <"$work/a.xyz") -eq 66 ]] || complain "not a line a particle"
[[ $(find "$work" -name '*.tmp') == '' ]] || complain "a temporary file was left"

box 0 '' fluid --n 64 -o -
cmp -s "$work/a.xyz" "$work/out" || complain "-o - differs from -o FILE"
[[ ! -e ./- ]] || complain "-o - made a file"

box 0 '' fluid --n 64 --open -o "$work/open.xyz"
grep -q Lattice "$work/open.xyz" && complain "an open box has a cell"
cmp -s <(tail -n +3 "$work/a.xyz") <(tail -n +3 "$work/open.xyz") || complain "--open moved particles"

box 0 '' salt --n 1k --density 0.5 -o "$work/salt.xyz"
grep -q 'Lattice="12.5992104989487' "$work/salt.xyz" || complain "the edge is not (1000/0.5)^(1/3)"
[[ $(grep -c '^Na .* 1$' "$work/salt.xyz") -eq 500 ]] || complain "not 500 Na of charge 1"
[[ $(grep -c '^Cl .* -1$' "$work/salt.xyz") -eq 500 ]] || complain "not 500 Cl of charge -1"

for kind in lattice uniform fluid gas droplets salt cubic brick plate water warm-water melt chains proteins hydrogens oligomers polymers triangles stars complexes diamond copper degenerate mixture alloy borders; do
    box 0 '' "$kind" --n 1 -o "$work/$kind.xyz"
    "$pairmark" box --help | grep -q "^  $kind " || complain "--help does not tell of $kind"
done
box 0 '' --help

# momenta are velocities times masses, which are those of the column or the elements'
printf '2\nProperties=species:S:1:pos:R:3:momenta:R:3\nO 0 0 0 15.999 0 0\nH 1 0 0 0 -2.016 0\n' >"$work/momenta.xyz"
box 0 '' --box "$work/momenta.xyz" --describe -o -
says_like out 'O 0 0 0 .* 1 0 0 15.999'
says_like out 'H 1 0 0 .* 0 -2 0 1.008$'
sed -i 's/^H/HW/' "$work/momenta.xyz"
box 2 "momenta.xyz:4: momenta, but no mass of 'HW' is known; expected a column masses:R:1" --box "$work/momenta.xyz" --describe
printf '1\nProperties=species:S:1:pos:R:3:momenta:R:3:mass:R:1\nHW 0 0 0 3 0 0 4\n' >"$work/momenta.xyz"
box 0 '' --box "$work/momenta.xyz" --describe -o -
says_like out ' 0.75 0 0 4 HW$'
printf '1\nProperties=species:S:1:pos:R:3:momenta:R:3:mass:R:1\nHW 0 0 0 1e300 0 0 1e-300\n' >"$work/momenta.xyz"
box 2 'momenta.xyz:3: momentum x divided by the mass' --box "$work/momenta.xyz" --describe
# elements keep their names beside species that are none, and masses that nobody has to guess
printf '2\nProperties=species:S:1:pos:R:3:velo:R:3\nO 0 0 0 1 0 0\nMW 1 1 1 0 0 0\n' >"$work/site.xyz"
box 0 '' --box "$work/site.xyz" -o -
says_like out ':masses:R:1:pairmark_species:S:1'
says_like out '^O 0 0 0 1 0 0 1 0 0 1 O$'
says_like out '^X 1 1 1 0 0 0 0 0 0 1 MW$'
# columns by the names of ASE's arrays, arrays as JSON and by commas, cells of zeros, comments of one number
for header in 'Lattice=[[5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0, 0, 5.0]] pbc=[T, T, T] Properties=symbols:S:1:positions:R:3' \
    'Lattice="5,0,0,0,5,0,0,0,5" pbc="T,T,T" Properties=element:S:1:pos:R:3' 'Lattice={{5 0 0} {0 5 0} {0 0 5}} Properties=species:S:1:pos:R:3'; do
    printf '2\n%s\nAr 0 0 0\nHe 1 1 1\n' "$header" >"$work/array.xyz"
    box 0 '' --box "$work/array.xyz" --describe -o -
    says_like out '^Lattice="5 0 0 0 5 0 0 0 5"'
    says_like out '^He 1 1 1$'
done
printf '2\nProperties=numbers:I:1:pos:R:3\n18 0 0 0\n2 1 1 1\n' >"$work/array.xyz"
box 0 '' --box "$work/array.xyz" -o -
says_like out '^He 1 1 1$'
for comment in 'Lattice="0 0 0 0 0 0 0 0 0" pbc="F F F"' 0.000 '300 K' '7'; do
    printf '1\n%s\nHe 1 1 1\n' "$comment" >"$work/array.xyz"
    box 0 '' --box "$work/array.xyz" -o -
    says_like out 'pbc="F F F"'
done
printf '1\nProperties=label:S:1:pos:R:3\nHe 1 1 1\n' >"$work/array.xyz"
box 2 'array.xyz:2: Properties has words (column 1), but no species; expected species:S:1 in it' --box "$work/array.xyz" --describe
# what older versions wrote: the species itself in the first column
printf '2\nProperties=species:S:1:pos:R:3:velo:R:3\nA 0 0 0 1 0 0\nA 1 0 0 0 1 0\n' >"$work/older.xyz"
box 0 '' --box "$work/older.xyz" --describe
says_like out '^species       A: 2, mass 1'

# velocities, masses, and what is told of them
box 0 '' melt --n 500 -o "$work/melt.xyz"
grep -q ':velo:R:3.* temperature=1.4' "$work/melt.xyz" || complain "a melt has no velocities of temperature 1.44"
box 0 '' melt --n 500 --describe
says_like out '^particles     500$'
says_like out '^temperature   1.44 '
says_like out '^masses        not given: all are 1$'
says_like out '^molecules     not given$'
box 0 '' water --n 50 --describe
says_like out '^molecules     17, in 2 groups of identical ones$'
says_like out '^  alike       16 of O H H .3 particles., the first from particle 1 on$'
says_like out '^  alike       1 of O H .2 particles., the first from particle 49 on$'
box 0 '' fluid --n 64 --temperature 0.7 -o "$work/warm.xyz"
cmp -s <(tail -n +3 "$work/a.xyz" | cut -d' ' -f1-4) <(tail -n +3 "$work/warm.xyz" | cut -d' ' -f1-4) ||
    complain "--temperature moved particles"
box 0 '' fluid --n 64 --temperature 0.7 -o -
cmp -s "$work/warm.xyz" "$work/out" || complain "a temperature does not give the same bytes again"
printf '3\nProperties=species:S:1:pos:R:3:masses:R:1:charge:R:1\nO 0 0 0 16 -0.8\nH 1 0 0 1 0.4\nH 0 1 0 2 0.4\n' >"$work/heavy.xyz"
box 0 '' --box "$work/heavy.xyz" --describe
says_like out '^species       H: 2, mass 1 to 2, charge 0.4$'
says_like out '^velocities    none$'
box 0 '' --box "$work/heavy.xyz" --temperature 2 --seed 3 --describe -o "$work/moving.xyz"
says_like out '^temperature   2 '
grep -q 'pos:R:3:charge:R:1:momenta:R:3:velo:R:3:masses:R:1' "$work/moving.xyz" || complain "masses and velocities are not written"
box 0 '' --box "$work/moving.xyz" --describe
says_like out '^temperature   2 '
expect 0 box fluid --n 64 --temperature 0.7 --describe -o - # what is piped on stays a box
says_like err '^temperature   0.7 '
cmp -s "$work/warm.xyz" "$work/out" || complain "--describe is among the particles"
box 2 'is the box that is read' --box "$work/heavy.xyz" -o "$work/heavy.xyz"
box 2 'beside the kind fluid' fluid --box "$work/heavy.xyz" --describe
box 2 'has its own particles; expected no --n' --n 3 --box "$work/heavy.xyz" --describe
for temperature in -1 nan hot; do
    box 2 "--temperature '$temperature'" fluid --n 64 --temperature "$temperature" -o "$work/c.xyz"
done

box 2 'did you mean' fluidd --n 64 -o "$work/c.xyz"
box 2 'no kind of box; expected lattice, uniform, fluid, gas, droplets, salt, cubic, brick, plate, water, warm-water, melt, chains, proteins, hydrogens, oligomers, polymers, triangles, stars, complexes, diamond, copper, degenerate, mixture, alloy or borders' --n 64 -o "$work/c.xyz"
box 2 "'gas' after the kind fluid" fluid gas --n 64 -o "$work/c.xyz"
box 2 '--n N' fluid -o "$work/c.xyz"
box 2 '-o FILE' fluid --n 64
box 2 '-o' fluid --n 64 -o
box 2 '--n: a value is missing' fluid -o "$work/c.xyz" --n
box 2 '--n: a value is missing' fluid -o "$work/c.xyz" --n ''
box 2 '--density: a value is missing' fluid --density= --n 64 -o "$work/c.xyz"
for n in 0 -5 1000000000000 537M 1.5 many nan; do
    box 2 "--n '$n'" fluid --n "$n" -o "$work/c.xyz"
done
for density in 0 -1 nan inf thick; do
    box 2 "--density '$density'" fluid --n 64 --density "$density" -o "$work/c.xyz"
done
for seed in -1 1.5 x; do
    box 2 "--seed '$seed'" fluid --n 64 --seed "$seed" -o "$work/c.xyz"
done
box 2 '--n: given twice' fluid --n 64 --n 128 -o "$work/c.xyz"
box 2 'can be made at' fluid --n 64 --density 2 -o "$work/c.xyz"
box 2 'can be made at' droplets --n 64 --density 1 -o "$work/c.xyz"
box 2 "did you mean '--density'" fluid --n 64 --densty 1 -o "$work/c.xyz"
box 2 "$work/none/c.xyz: the folder $work/none: No such file or directory" fluid --n 64 -o "$work/none/c.xyz"
box 2 "$work is a folder" fluid --n 64 -o "$work"
[[ ! -e $work/c.xyz ]] || complain "a refused request made a file"

if [[ -w /dev/full ]]; then
    box 3 '/dev/full: No space left on device' fluid --n 64 -o /dev/full
    "$pairmark" box fluid --n 64 -o - >/dev/full 2>"$work/err"
    [[ $? -eq 3 ]] || complain "a full standard output does not exit 3"
    grep -q 'standard output: No space left' "$work/err" || complain "a full standard output: $(cat "$work/err")"
    [[ -c /dev/full ]] || complain "writing replaced a device by a file"
fi

conclude
