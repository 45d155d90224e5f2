#!/usr/bin/env bash
# Cases that `check` draws: by a seed that repeats them, over what the user leaves open; and what was met is said.
. "$2/lib.sh" || exit 1

drawn() { sed -n 's/^ok \([^ ]*\): .*/\1/p' out; }
few=(check --variant sorted_cells --precision float --outputs forces --budget 1 -v)
expect 0 "${few[@]}" --seed 5
drawn >first
says_like out '^drawn by --seed 5: [0-9]+ of [0-9]+ values, [0-9]+ of [0-9]+ pairs were met$'
says_like out '^sorted_cells: not met: [0-9]+$'
check 'a word is kept in all cases' [ "$(grep -c '^ok ' out)" -eq "$(grep -c '^ok .*/sorted_cells/float/forces/' out)" ]
expect 0 "${few[@]}" --seed 5
drawn >second
both=$(sort -n <(wc -l <first) <(wc -l <second) | head -n 1)
check 'a seed repeats the cases, as far as the time goes' [ "$both" -ge 1 ]
check 'they are the same' [ "$(head -n "$both" first)" = "$(head -n "$both" second)" ]
expect 0 "${few[@]}"
says_like out '^drawn by --seed [0-9]+: '
expect 2 "${few[@]}" --seed 1,2
expect 0 check --variant sorted_cells --precision float --outputs forces --budget 1 --seed 5 --json
check 'JSON has the seed' [ "$(json .drawn_by_seed)" = 5 ]
expect 2 check --budget -1
expect 0 check --variant all_pairs_loop --kind fluid --n 65 --precision float --outputs forces
lacks out 'drawn by'

# Rows of boxes that no kernel of rigid waters runs are none; and cases are drawn until one had pairs to judge.
all_pass 'rigid waters' --workload step --variant verlet_settle+list_lanes --seed 2241414884 --budget 10 -v
says_like out '^ok .*/warm-water[/@]'
# Waters move, and no further than can be followed: rows are judged.
"$pairmark" check --workload step --variant settle_hoover+all_pairs_loop,verlet_settle+list_lanes --seed 11 --budget 20 -v >out 2>err
check 'most rows are judged' [ $((4 * $(grep -c 'nothing is left to judge' out))) -le "$(grep -c '^ok ' out)" ]

# Boxes that are named stay, where a budget asks for more of them.
expect 0 check --variant sorted_cells --kind fluid --n 65 --precision float --outputs forces --budget 1 --seed 1 -v
check 'n and kind are kept' [ "$(grep -c '^ok ' out)" -eq "$(grep '^ok .*/fluid' out | grep -cE '/n:65(/|$)')" ]

# `bench` says whether `check` has passed for these very bytes.
export PAIRMARK_CACHE=$work/cache
sed 's/^ \* philox —/ * mine —/' "$tests/../variants/random/philox.cl" >mine.cl
timed=(bench --variant-file mine.cl --variant mine --n 1000 --visits 1 --twins 0 --time-cap 0.02 --no-plot -o)
expect 0 "${timed[@]}" before
says err 'mine.cl: `check` has not passed for these bytes'
expect 0 check --variant-file mine.cl --variant mine --seed 1 --budget 1000
expect 0 "${timed[@]}" after
says_like err 'mine.cl: `check` has passed for these bytes: .*--seed 1, [0-9]+ of [0-9]+ pairs'
echo '/* changed */' >>mine.cl
expect 0 "${timed[@]}" changed
says err 'mine.cl: `check` has not passed for these bytes'

# What a condition on two axes hides.
expect 1 check --variant-file "$tests/data/mutants/limits.cl" --variant limits --precision float --outputs forces --tune MUTATION=2 \
    --seed 1 --budget 1000 --fail-fast
says_like out '^wrong '
# A box whose energies fixed point does not hold says nothing of a kernel; one whose pair lies at the cutoff keeps its seed.
crowded=(check --variant list_walk --kind plate --periodic z --n 4099 --density 0.02 --precision fixed --outputs virial --interaction lj)
expect 1 "${crowded[@]}"
says_like out '^wrong .*: overflow: '
"$pairmark" "${crowded[@]}" --budget 0.1 --seed 1 >out 2>err
lacks out 'wrong '
says out '0 passed, 0 failed'
finds_changed all_pairs_loop forces/all_pairs_loop.cl 's/IN_CUTOFF(d.w, cutoff2)/(!WITH_CUTOFF || (float)d.w <= (float)cutoff2)/' 'force on particle' \
    --seed 1 --budget 1
says_like out '^wrong .*seed:494'

# ---- what is drawn by default passes, of a kernel of each workload, in each precision ----
expect 0 list --json
jq -r 'map(select((.file | endswith(".cl")) and (.name | contains("settle") | not))) | group_by(.workload)[] | last | "\(.workload) \(.name)"' out >chosen
while read -r workload kernel; do
    all_pass "$workload in each precision" --workload "$workload" --variant "$kernel" --precision '*' --budget 6
done <chosen
# ---- why nothing was checked ----
expect 2 check --workload rdf --variant rdf_loop --interaction rdf:bins=10,types=2,rc=1 --kind brick --n 300 --budget 3
says err 'nothing was checked: no case that was drawn can be run: a box of 3 types: expected rdf:types=3 or more'
conclude
