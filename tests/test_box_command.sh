#!/usr/bin/env bash
# pairmark box on the command line: bash test_box_command.sh PAIRMARK TESTS_DIR
set -u
pairmark=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

complain() {
    printf 'FAILED: %s\n' "$*"
    failures=$((failures + 1))
}

# expect STATUS WORDS ARGUMENT...: the exit status, and the words on stderr
expect() {
    local status=$1 words=$2 got
    shift 2
    "$pairmark" box "$@" >"$folder/out" 2>"$folder/err"
    got=$?
    [[ $got -eq $status ]] || complain "box $*: exit status $got, expected $status"
    if [[ -n $words ]]; then
        grep -qF -- "$words" "$folder/err" || complain "box $*: '$(cat "$folder/err")', expected '$words'"
        grep -q '^pairmark box: ' "$folder/err" || complain "box $*: no 'pairmark box: ' before the message"
    fi
}

expect 0 '' fluid --n 64 -o "$folder/a.xyz"
expect 0 '' --seed=1 --n=64 -o "$folder/b.xyz" fluid
cmp -s "$folder/a.xyz" "$folder/b.xyz" || complain "the default seed is not 1"
expect 0 '' fluid --n 64 --seed 2 -o "$folder/b.xyz"
cmp -s "$folder/a.xyz" "$folder/b.xyz" && complain "another seed gave the same box"
[[ $(head -1 "$folder/a.xyz") == 64 ]] || complain "line 1 is not the number of particles"
[[ $(wc -l <"$folder/a.xyz") -eq 66 ]] || complain "not a line a particle"
[[ $(find "$folder" -name '*.tmp') == '' ]] || complain "a temporary file was left"

expect 0 '' fluid --n 64 -o -
cmp -s "$folder/a.xyz" "$folder/out" || complain "-o - differs from -o FILE"
[[ ! -e ./- ]] || complain "-o - made a file"

expect 0 '' fluid --n 64 --open -o "$folder/open.xyz"
grep -q Lattice "$folder/open.xyz" && complain "an open box has a cell"
cmp -s <(tail -n +3 "$folder/a.xyz") <(tail -n +3 "$folder/open.xyz") || complain "--open moved particles"

expect 0 '' salt --n 1k --density 0.5 -o "$folder/salt.xyz"
grep -q 'Lattice="12.5992104989487' "$folder/salt.xyz" || complain "the edge is not (1000/0.5)^(1/3)"
[[ $(grep -c '^Na .* 1$' "$folder/salt.xyz") -eq 500 ]] || complain "not 500 Na of charge 1"
[[ $(grep -c '^Cl .* -1$' "$folder/salt.xyz") -eq 500 ]] || complain "not 500 Cl of charge -1"

for kind in lattice uniform fluid gas droplets salt cubic; do
    expect 0 '' "$kind" --n 1 -o "$folder/$kind.xyz"
    "$pairmark" box --help | grep -q "^  $kind " || complain "--help does not tell of $kind"
done
expect 0 '' --help

expect 2 'did you mean' fluidd --n 64 -o "$folder/c.xyz"
expect 2 'no kind of box' --n 64 -o "$folder/c.xyz"
expect 2 "'gas' after the kind fluid" fluid gas --n 64 -o "$folder/c.xyz"
expect 2 '--n N' fluid -o "$folder/c.xyz"
expect 2 '-o FILE' fluid --n 64
expect 2 '-o' fluid --n 64 -o
expect 2 '--n: a value is missing' fluid -o "$folder/c.xyz" --n
expect 2 '--n: a value is missing' fluid -o "$folder/c.xyz" --n ''
expect 2 '--density: a value is missing' fluid --density= --n 64 -o "$folder/c.xyz"
for n in 0 -5 1000000000000 17M 1.5 many nan; do
    expect 2 "--n '$n'" fluid --n "$n" -o "$folder/c.xyz"
done
for density in 0 -1 nan inf thick; do
    expect 2 "--density '$density'" fluid --n 64 --density "$density" -o "$folder/c.xyz"
done
for seed in -1 1.5 x; do
    expect 2 "--seed '$seed'" fluid --n 64 --seed "$seed" -o "$folder/c.xyz"
done
expect 2 'can be made at' fluid --n 64 --density 2 -o "$folder/c.xyz"
expect 2 'can be made at' droplets --n 64 --density 1 -o "$folder/c.xyz"
expect 2 "did you mean '--density'" fluid --n 64 --densty 1 -o "$folder/c.xyz"
expect 3 "$folder/none/c.xyz: No such file or directory" fluid --n 64 -o "$folder/none/c.xyz"
expect 3 "$folder: Is a directory" fluid --n 64 -o "$folder"
[[ ! -e $folder/c.xyz ]] || complain "a refused request made a file"

if [[ -w /dev/full ]]; then
    expect 3 '/dev/full: No space left on device' fluid --n 64 -o /dev/full
    "$pairmark" box fluid --n 64 -o - >/dev/full 2>"$folder/err"
    [[ $? -eq 3 ]] || complain "a full standard output does not exit 3"
    grep -q 'standard output: No space left' "$folder/err" || complain "a full standard output: $(cat "$folder/err")"
    [[ -c /dev/full ]] || complain "writing replaced a device by a file"
fi

[[ $failures -eq 0 ]] && echo "all as expected"
exit $((failures > 0))
