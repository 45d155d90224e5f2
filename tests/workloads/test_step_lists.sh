#!/usr/bin/env bash
# Lists that are kept over time steps: in memory of the variant's own, renewed where a particle has moved by half the skin.
. "$2/lib.sh" || exit 1
cp "$tests/data/kernels/own_list.cl" .
one=(--workload step --kind melt --n 256 --precision double --outputs forces --steps 20)
listed() { # listed NAME SED: verlet over own_list, changed
    sed -e "$2" "$tests/data/kernels/own_list.cl" >own_list.cl
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
# Part by part, by an integrator that joins steps, too; to the numbers of the reference.
parts=(--kind melt --n 500 --density 0.4 --cutoff 1.5 --precision double --tune SKIN=20 --tune OUTER=30 --tune PARTS=3)
check 'parts of a list, pruned in turn' exits 0 check --workload step --variant 'verlet+clusters_8x8,verlet_fused+clusters_8x8' "${parts[@]}" --steps 30 --dt 0.004 --outputs forces
check 'by two integrators' said '2 passed, 0 failed, 0 unsupported'
check 'of parts' exits 0 run --variant 'verlet_fused+clusters_8x8' "${parts[@]}" --steps 60 --dt 0.004 --log-every 60
check 'were many' grep -Eq '^lists .*; [1-9][0-9] parts were pruned besides$' out

# No launch's time has the beginning in it, the list's building and the forces of the start: half of them then take several times
# as long as the quickest, in every run. What a busy machine adds differs from run to run.
only_the_steps() {
    local run
    for run in 1 2 3 4 5 6 7 8; do
        "$pairmark" bench --workload step --kind melt --n 256 --precision float --outputs forces --steps 1 --variant verlet+list_walk \
            --time-cap 0.3 --cold 0 --visits 1 --twins 0 --no-plot -o "timed$run" >out 2>err || return 1
        "$pairmark" query 'SELECT force_s_median < 2.5 * force_s_p05 AS only_steps FROM rows' "timed$run" --csv >out 2>err
        ! grep -qx 1 out || return 0
    done
    return 1
}
check 'only the steps are timed, in every launch' only_the_steps

# Passes of forces by groups, in which some work-items have no particle.
check 'rows of a box in groups that are not full' exits 0 check --workload step --variant verlet+list_boxes,verlet_fused+list_boxes --kind melt \
    --density 0.5 --n 65,100 --periodic xyz --cutoff 1.2 --precision float --outputs forces --steps 10 --tune TILE=128
conclude
