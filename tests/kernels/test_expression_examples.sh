#!/usr/bin/env bash
# The examples of share/interactions, tables, and steps within rounding of a pair's distance: eval compares with the reference, and
# ends with 1 where they differ.
. "$2/lib.sh" || exit 1
small=(--variant all_pairs_loop --n 64 --cutoff half)
brick=(--variant sorted_cells --kind brick --n 130 --precision double --cutoff half)

examples=$tests/../share/interactions
for example in morse mie-14-7 buffered-14-7 soft-core; do
    expect 0 eval "${small[@]}" --precision float --interaction-file "$examples/$example.pair"
done
expect 0 eval "${brick[@]}" --interaction-file "$examples/yukawa.pair"
expect 0 eval "${small[@]}" --precision double --interaction-file "$examples/table.pair" --json
check "a table of lj is lj, nearly: $(field energy)" near "$(field energy)" -303.584 1e-3
check "and is named by what it holds" grep -q '"energy = eps\*u(r/s); u = table [0-9a-f]\{16\}; eps = 1; s = 1"' out
cp "$examples"/table.* . && sed -i 's/^1.10 .*/1.12 0.1/' table.dat
refuses "table.dat:22: a step of 0.04; expected equal steps, the first is 0.02" eval "${small[@]}" --interaction-file table.pair
echo "1 2 3" >table.dat
refuses "table.dat:1: expected two numbers" eval "${small[@]}" --interaction-file table.pair

# ---- a table of parameters by pairs of types ----
expect 0 eval "${brick[@]}" --interaction lj:epsilon=1,sigma=0.9 --json
energy=$(field energy)
printf 'type_a,type_b,function,eps,s\nA A\nA B\nA C\nB B\nB C\nC C\n' | sed '2,$s/\(.\) \(.\)/\1,\2,expression,1,0.9/' >types.csv
expect 0 eval "${brick[@]}" --json --table types.csv --interaction 'energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 2; s = 2'
check "is that of lj: $(field energy), $energy" near "$(field energy)" "$energy" 1e-13

# ---- a box that kernels judge by a sample ----
expect 0 eval --variant sorted_cells --n 600 --precision float --judge-all-below 500 --judge-sample 50 --interaction-file "$examples/morse.pair"

# ---- steps ----
# So many of them that some pairs lie within rounding of one: float finds them on the other side than the reference.
expect 0 eval "${small[@]}" --precision float --interaction 'energy = step(sin(1e5*r))/r'

conclude
