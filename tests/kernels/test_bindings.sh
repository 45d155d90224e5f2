#!/usr/bin/env bash
# What kernels are given: parameters of the types that fit, and the box as a struct by value.
. "$2/lib.sh" || exit 1
loop=$tests/../variants/forces/all_pairs_loop.cl

# changed NAME SED...: all_pairs_loop under another name, edited, in NAME.cl
changed() {
    local name=$1
    shift
    sed -e "s/all_pairs_loop/$name/" "$@" "$loop" >"$name.cl"
}
# refused NAME WORDS: exit status 2 by every command that compiles it, with the line and both types
refused() {
    local command
    for command in check eval bench tune list; do
        check "$command: $1: exit status 2" exits 2 $command --variant-file "$1.cl"
        check "$command: $1: '$2'" err "$1.cl:$2"
    done
}

# ---- the box by value, and in two parameters ----
changed in_two_parts -e 's/box_args box,/real4 edge, real4 inverse_edge,/' -e 's/displacement(\(.*\), box)/nearest_difference(\1, edge, inverse_edge)/' \
  -e '/@boxes/d'
check 'the box is taken in two parts' grep -q 'nearest_difference(pi, pj, edge, inverse_edge)' in_two_parts.cl
cp "$loop" plain.cl
quick=(--outputs energy --reduction tree --kind fluid)
for precision in float double; do
    expect 0 check --variant-file in_two_parts.cl --variant in_two_parts --n 100 "${quick[@]}" --precision $precision
done
for name in plain in_two_parts; do
    variant=$(sed -n 's/^ \* \([a-z_]*\) — .*/\1/p' $name.cl)
    expect 0 eval --variant-file $name.cl --variant "$variant" --n 200 --kind fluid --precision float --no-reference --forces $name.xyz
done
check 'the same forces' cmp plain.xyz in_two_parts.xyz

# ---- types ----
changed whole -e 's/real cutoff2,/int cutoff2,/'
refused whole '18: kernel whole: parameter cutoff2 is an int here, and a real is expected'
changed written -e 's/GLOBAL const real4/GLOBAL real4/'
refused written '17: kernel written: parameter position is a GLOBAL real4 * here, and a GLOBAL const real4 * is expected'
changed narrow -e 's/GLOBAL accum4 \*RESTRICT force/GLOBAL real *RESTRICT force/'
refused narrow '18: kernel narrow: parameter force is a GLOBAL real * here, and a GLOBAL accum4 * or GLOBAL accum * or GLOBAL force_sum * is expected'

changed halved -e 's/item per particle$/item per particle \/ 2/'
refused halved '16: @pass halved names 2; expected a @tunable of that name (a number is a tunable of one value)'

# ---- memory of the kernels' own ----
copies=$tests/data/kernels/copies.cl
expect 0 check --variant-file "$copies" --variant copies --n 1,65 "${quick[@]}" --precision mixed --tune COPIES=1,3
expect 0 list --variant-file "$copies" --variant copies
check 'list tells of it' grep -qE '^  scratch +copies accum4 particle \* COPIES$' out
expect 0 bench --variant-file "$copies" --variant copies --n 500 "${quick[@]}" --precision float --time-cap 0.1 --visits 1 -o run
check 'it is timed' grep -q ',ok,' run/rows.csv
stages=$(tail -n +2 run/stages.csv | cut -d, -f4 | sort -u | tr '\n' ';')
check "its stages are timed, sums where there are any: $stages" [ "$stages" = 'pass add_copies;pass fill_copies;reduce fill_copies;' ]
check 'what is kept of the run has it' grep -rq '@scratch   copies accum4' run/kernels

# own NAME SED...: copies under another name, edited
own() {
    local name=$1
    shift
    sed -e "s/^ \* copies —/ * $name —/" "$@" "$copies" >"$name.cl"
}
own other_count -e 's/accum4 particle \* COPIES/accum4 particle + particle * COPIES \/ 2 + 64/'
expect 0 check --variant-file other_count.cl --variant other_count --n 65 "${quick[@]}" --precision float --tune COPIES=2
own short -e 's/accum4 particle \* COPIES/accum4 particle/'
expect 1 check --variant-file short.cl --variant short --n 200 "${quick[@]}" --precision float --tune COPIES=2
check 'a buffer that is too short is named' said 'past the end of buffer copies of 3200 bytes'
own huge -e 's/accum4 particle \* COPIES/accum4 particle * COPIES * 16777216/'
expect 3 check --variant-file huge.cl --variant huge --n 300 "${quick[@]}" --precision float
check 'one that is too large is refused' said '@scratch copies: more elements than kernels can number by int (2^31 - 1)'
own heavy -e 's/accum4 particle \* COPIES/accum4 particle * COPIES * 100000/'
expect 1 check --variant-file heavy.cl --variant heavy --n 7000 "${quick[@]}" --precision double --tune COPIES=3
check 'one that no memory holds is refused' said 'particles need about'
own none -e 's/COPIES 1 2 3\* 8/COPIES 0* 1/'
expect 3 check --variant-file none.cl --variant none --n 300 "${quick[@]}" --precision float
check 'a count of 0 is refused' said '@scratch copies: COPIES is 0; expected at least 1'

conclude
