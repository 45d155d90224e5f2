#!/usr/bin/env bash
# Passes that run when the structure is built again, or when particles have moved, and what they keep.
. "$2/lib.sh" || exit 1
quick=(--kind fluid --outputs energy --reduction tree)

# The life of what is kept, step by step: tests/structures/test_pair_list.c.
for name in own_list other_rows; do
    cp "$tests/data/kernels/$name.cl" .
    check "$name" exits 0 check --variant-file $name.cl --variant $name --n 70 "${quick[@]}" --precision float
done
check 'in a triclinic cell' exits 0 check --variant-file own_list.cl --variant own_list --kind fluid@80:70:60 --n 150 --precision double \
    --outputs energy --reduction tree --tune PLACES=8
expect 0 list --variant-file own_list.cl --variant own_list
says out 'fill_rows: an item per particle, when moved'

# ---- time ----
expect 0 bench --variant-file own_list.cl --variant-file other_rows.cl --variant own_list,other_rows --n 300 "${quick[@]}" \
    --precision float --time-cap 0.05 --visits 1 --twins 0 -o run
expect 0 query "SELECT variant, stage FROM stages JOIN rows USING (case_id) WHERE statistic = 'median_s' AND value > 0 ORDER BY 1, 2" run --csv
printf '%s\n' variant,stage 'other_rows,build pair_list' 'other_rows,build sorted_cells' 'other_rows,build turn_rows' \
    'other_rows,pass walk_turned' 'other_rows,reduce walk_turned' 'own_list,build fill_rows' 'own_list,note positions' \
    'own_list,pass walk_rows' 'own_list,reduce walk_rows' >expected
check 'every stage is timed' cmp out expected
expect 0 query "SELECT count(*) AS n FROM rows WHERE status = 'ok' AND build_s_median > 0" run --csv
check 'and the building together' [ "$(tail -n 1 out)" = 2 ]

# ---- one launch ----
launches() { # launches WORDS: cases of two passes and a sum, launched so
    exits "$1" check --variant-file "$tests/data/kernels/copies.cl" --variant copies --n 100 "${quick[@]}" --precision float --launch "$2"
}
if "$pairmark" devices | grep -q cuda: && [[ ${PAIRMARK_TEST_DEVICE:-cuda} == cuda* ]]; then
    check 'kernels as one graph' launches 0 each,graph
else
    check 'no graphs here' launches 3 graph
    check 'and why' said 'has no graphs'
fi
check 'each by itself' launches 0 each
check 'several in a launch' launches 0 each:3
for words in each:1 each:65 each:x graph: grape; do
    check "--launch $words" launches 2 "$words"
    check 'and why' said "--launch: '$words'; expected each, graph, each:K or graph:K, K from 2 to 64"
done
check 'time steps' exits 3 check --workload step --variant verlet+all_pairs_loop --n 65 --precision float --launch each:3
check 'and why' said 'launch each:3: of time steps a launch has as many as the case'
expect 0 bench --variant all_pairs_loop --n 100 --precision float --launch each,each:3 --visits 1 --twins 0 --time-cap 0.05 -o amortized
expect 0 query "SELECT launch, amortized_s_median > 0 AS known FROM rows ORDER BY launch" amortized --csv
check 'the time of one of several' [ "$(tr '\n' ' ' <out)" = 'launch,known each, each:3,1 ' ]

# ---- rows that are too short when particles have moved far ----
sed 's/REAL(0.01) \* SKIN/REAL(0.005) * SKIN/; s/^ \* own_list —/ * half_skin —/' "$tests/data/kernels/own_list.cl" >half_skin.cl
check 'half a skin' exits 1 check --variant-file half_skin.cl --variant half_skin --n 1000 "${quick[@]}" --precision double
says_like out '; built for particles up to 0\.[01][0-9]* away|particles moved by nearly half the skin: '

# ---- refusals ----
refused() { # refused SED WORDS
    sed -e "$1" "$tests/data/kernels/own_list.cl" >changed.cl
    check "exit status 2: $1" exits 2 check --variant-file changed.cl
    check "$2" err "changed.cl:$2"
}
refused 's/when moved/every 20 steps/' '9: @pass fill_rows every 20 steps: workload forces has no steps'
refused 's/when moved/every rebuild/' '9: @pass fill_rows every rebuild: structure none is built again whenever particles move'
refused 's/when moved/at night/' "9: expected: @pass KERNEL"
refused 's/when moved/when hot/' '9: "when hot": when? expected all steps, every step, every N steps, every rebuild, when moved or when asked'
refused 's/GLOBAL const int \*RESTRICT rows/GLOBAL int *RESTRICT rows/' '10: @pass walk_rows: @scratch rows is kept'
check 'no cutoff, no skin' exits 3 check --variant-file own_list.cl --variant own_list --n 65 "${quick[@]}" --open --cutoff none --precision float
check 'and why' said 'when moved, by hundredths of a cutoff, and there is none'

conclude
