#!/usr/bin/env bash
# Lists that are kept over time steps: in memory of the variant's own, renewed where a particle has moved by half the skin.
. "$2/lib.sh" || exit 1
cp "$tests/kernels/own_list.cl" .
one=(--workload step --kind melt --n 256 --precision double --outputs forces --steps 20)
listed() { # listed NAME SED: verlet over own_list, changed
    sed -e "$2" "$tests/kernels/own_list.cl" >own_list.cl
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces own_list.cl/" "$tests/../variants/step/verlet.cl" >"$1.cl"
}
listed kept ''
check 'a list of its own' exits 0 check --variant-file kept.cl --variant 'kept+own_list' "${one[@]}"
listed no_skin 's/REAL(1.0001) \* (REAL(1.0) + REAL(0.01) \* SKIN)/REAL(1.0001)/'
check 'a skin too small' exits 1 check --variant-file no_skin.cl --variant 'no_skin+own_list' "${one[@]}"
check 'is wrong' said wrong
listed kept_too_long 's/SKIN 1 12\* 40/SKIN 90/; s/REAL(0.01) \* SKIN/REAL(0.03)/'
check 'a list kept too long' exits 1 check --variant-file kept_too_long.cl --variant 'kept_too_long+own_list' "${one[@]}"
check 'is wrong, too' said wrong

# Pruned and built anew on the way.
check 'an outer and an inner list' exits 0 check --variant 'verlet+clusters_8x8' "${one[@]}" --tune SKIN=2 --tune OUTER=4

conclude
