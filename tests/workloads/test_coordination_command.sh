#!/usr/bin/env bash
# Coordinations from the command line: what eval prints and writes, what the words mean, and bad input told before
# anything runs.
# shellcheck disable=SC2016 # what stands in single quotes is awk's
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors/plumed

refuses_option() { # refuses_option OPTION WORDS ARGUMENT...: exit status 2, and a message that names the option and has the words
    local option=$1 words=$2
    shift 2
    check "status 2 of: $*" exits 2 "$@"
    check "'$option' and '$words' said by: $*" grep -q -- "$option.*$words" "$work/err"
    check "nothing printed by: $*" test ! -s "$work/out"
}

# ---- eval, against PLUMED's number ----
set=$vectors/06-pair-ortho-6-12-d0-dmax
plumed=$(awk '!/^#/ { print $2 }' "$set/colvar")
switching=rational:r0=0.8,n=6,m=12,d0=0.1,dmax=1.5
pairs=(--group-a 1-150 --group-b 151-300 --pairs --box "$set/traj.xyz")
check "eval of pairs" exits 0 eval --workload coordination --interaction "$switching" "${pairs[@]}" --json \
    --forces "$work/derivatives.xyz"
check "begins with what was computed" grep -q '^{ "workload": "coordination", "variant": "pairs_direct", ' "$work/out"
check "the value is PLUMED's" near "$(field coordination)" "$plumed" 1e-13
check "nine box derivatives" [ "$(sed -n 's/.*"box_derivatives": *\[\([^]]*\)\].*/\1/p' "$work/out" | tr ',' '\n' | wc -l)" = 9 ]
check "no word of energies" test -z "$(field energy)$(field virial)"
check "derivatives are a column" grep -q 'derivatives:R:3' "$work/derivatives.xyz"
check "of every particle" [ "$(wc -l <"$work/derivatives.xyz")" = 302 ]
check "dS/dx of the first is PLUMED's" near "$(awk 'NR == 3 { print $(NF - 2) }' "$work/derivatives.xyz")" \
    "$(awk '$2 == 0 && !/^#/ { print $3; exit }' "$set/deriv")" 1e-9

check "as text, the workload told by the interaction" exits 0 eval --interaction "$switching" "${pairs[@]}"
check "names the value" grep -q '^coordination  ' "$work/out"
check "and the box derivatives" grep -q '^box_derivatives  ' "$work/out"
check "derivatives alone" exits 0 eval --interaction "$switching" "${pairs[@]}" --outputs forces --json
check "have no value" test -z "$(field coordination)"

check "particles outside the group have none" exits 0 eval --variant coordination_loop --interaction "$switching" \
    --group-a 1-20 --box "$set/traj.xyz" --forces "$work/derivatives.xyz"
check "as the last has" awk 'END { exit !($NF == 0 && $(NF - 1) == 0 && $(NF - 2) == 0) }' "$work/derivatives.xyz"

# ---- several cases ----
short=(--interaction "rational:r0=0.9,n=6,m=12,dmax=1.6")
check "eval of any variant of one group" exits 0 eval "${short[@]}" --n 100 --json
check "takes one that walks nothing" grep -q '"variant": "coordination_loop"' "$work/out"
check "of two groups, without a cutoff" exits 0 eval --interaction rational:r0=0.9,dmax=inf --ratio 3:2 --n 100 --json
check "one of two groups" grep -q '"variant": "two_groups_' "$work/out"
refuses_option "narrow" "--variant" eval "${short[@]}" --structure none
refuses_option "narrow" "--precision" eval "${short[@]}" --precision float,double
refuses_option "narrow" "--ratio" eval "${short[@]}" --variant two_groups_one_pass --ratio 3:2,2:3 --n 100
check "check of open boxes" exits 0 check "${short[@]}" --open --n 60 --variant 'coordination_*' --precision float --outputs virial
check "passes" grep -q '^7 passed, 0 failed' "$work/out"
check "check of drawn groups" exits 0 check "${short[@]}" --variant two_groups_one_pass --ratio 30:7 --n 200 \
    --precision float --outputs virial
check "bench of them" exits 0 bench --visits 1 "${short[@]}" --variant two_groups_one_pass --ratio 30:30,90:10 --kind fluid \
    --n 200 --precision float --time-cap 0.05 --no-plot -o "$work/run"
check "has rows of both" [ "$(grep -c 'ratio=' "$work/run/rows.csv")" -ge 2 ]
check "and end-to-end times" grep -qE "^ +N +fastest +kernels +build +end to end " "$work/run/summary.txt"

# ---- bad input ----
refuses_option --group-a 'particle 301: the box has 300' eval --interaction "$switching" --group-a 1-301 --box "$set/traj.xyz"
refuses_option --group-a 'value is missing' eval "${short[@]}" --group-a ''
refuses_option --group-b 'empty' eval "${short[@]}" --group-b ,
refuses_option --pairs '3 particles and --group-b 4' eval "${short[@]}" --group-a 1-3 --group-b 4-7 --pairs
refuses_option --interaction r0 eval --interaction rational:r0=0,dmax=1
refuses_option --interaction 'm' eval --interaction rational:n=6,m=6,dmax=1
refuses_option --interaction dmax eval --interaction rational:d0=1,dmax=0.5
refuses_option --interaction 'half the shortest edge' eval --interaction "rational:dmax=1.6" --box "$set/traj.xyz"
refuses_option --cutoff dmax eval "${short[@]}" --cutoff 1
refuses_option --group-a coordination eval --workload forces --group-a 1-5

# ---- bench ----
check "bench of coordinations" exits 0 bench --workload coordination -- --benchmark_list_tests
check "takes the box derivatives, too" [ "$(cut -d / -f 5 out | sort -u)" = virial ]

conclude
