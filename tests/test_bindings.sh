#!/usr/bin/env bash
# What kernels are given: parameters of the types that are offered, and the box as a struct by value.
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

# ---- the box by value ----
changed by_value -e 's/real4 edge, real4 inverse_edge,/box_args box,/' -e 's/edge\.\([xyz]\), inverse_edge\./box.edge.\1, box.inverse_edge./'
check 'the box is taken by value' grep -q 'box.edge.z, box.inverse_edge.z' by_value.cl
cp "$loop" plain.cl
for precision in float mixed double; do
    expect 0 check --variant-file by_value.cl --variant by_value --n 100 --kind fluid,droplets --precision $precision
done
for name in plain by_value; do
    variant=$(sed -n 's/^ \* \([a-z_]*\) — .*/\1/p' $name.cl)
    expect 0 eval --variant-file $name.cl --variant "$variant" --n 200 --kind fluid --precision float --no-reference --forces $name.xyz
done
check 'the same forces' cmp plain.xyz by_value.xyz

# ---- types ----
changed whole -e 's/real cutoff2,/int cutoff2,/'
refused whole '17: kernel whole: parameter cutoff2 is an int here, and a real is offered'
changed written -e 's/GLOBAL const real4/GLOBAL real4/'
refused written '16: kernel written: parameter position is a GLOBAL real4 * here, and a GLOBAL const real4 * is offered'
changed narrow -e 's/GLOBAL accum4 \*RESTRICT force/GLOBAL real *RESTRICT force/'
refused narrow '17: kernel narrow: parameter force is a GLOBAL real * here, and a GLOBAL accum4 * or GLOBAL accum * is offered'

conclude
