#!/usr/bin/env bash
# pairmark best: one answer per case, over variants and their tunables; a small box.
. "$2/lib.sh" || exit 1

# all_pairs_loop, and the same that does everything 4 or 8 times: the one is surely the best.
sed -e 's/all_pairs_loop/slow/g' -e 's/^ \* @tunable   GROUP_SIZE.*/ * @tunable   GROUP_SIZE 64\n * @tunable   REPEATS 8* 4/' \
    "$tests/../variants/forces/all_pairs_loop.cl" >slow.cl
awk '/for \(int j = 0; j < n; j\+\+\)/ && !done { print "for (int k = 0; k < REPEATS; k++) { fx = 0; fy = 0; fz = 0; clear_sums(&sums);"; inside = 1; done = 1 }
     { print } inside && /^        }$/ { print "}"; inside = 0 }' slow.cl >slower.cl
mv slower.cl slow.cl
both=(--variant-file slow.cl --variant 'slow,all_pairs_loop' --tune GROUP_SIZE=64 --precision float --time-cap 0.01 --budget 300)
expect 0 best "${both[@]}" --n 130 --within 5000
says_like out '^time per step: forces, and building shared'
says out 'forces of fluid, N = 130, float, cutoff 2.5'
says_like out '^best: all_pairs_loop, '
says_like out '^    GROUP_SIZE=(64|128)$'
# On a busy machine it says why it is not sure.
says_like out '^  (sure: each of its 5 times is below each of the others|not sure: (other processes|the preset of))'
says cache/tuned.csv ',all_pairs_loop,'
says cache/tuned.csv ',slow,'
says err 'pairmark best: 2 variants on '
says err 'about 5 min 00 s at most (--budget)'
says err "for \`pairmark bench --tuned\`"
check 'lines of at most 80 columns' awk '!/^on |^forces of/ && !/^  not sure/ && length > 80 { exit 1 }' out

# One that is alone was compared with its presets when it was tuned: there are no turns.
expect 0 best "${both[@]/slow,all_pairs_loop/slow}" --n 130 --forces-only --json --store alone.csv
check 'alone it is no finalist' test "$(json '.[0].variants[0] | .state == "tuned" and .median_s <= .preset_s')" = true

# What is far behind is not tuned; two cases, two answers; as JSON.
expect 0 best "${both[@]}" --n 65,100 --within 1.5 --forces-only --json --store other.csv
check 'two answers in which all_pairs_loop is the best and slow not tuned' test "$(json '[.[] | .time == "evaluation" and
    .best == "all_pairs_loop" and (.variants[0] | .median_s > 0 and .median_s == .forces_s and (has("build_s") | not)) and
    (.variants[1] | .variant == "slow" and .preset_s > 0 and (.tunables | contains("REPEATS=8"))) and
    (.variants | map(.median_s) | . == sort)] | tostring')" = '[true,true]'
check 'the store of --store is used' test -s other.csv

# A step: the evaluation, and the building shared over the steps that it lasts; of cells, one.
lists=(--variant 'sorted_cells,list_walk' --tune GROUP_SIZE=128 --tune STABLE_SORT=0 --tune CELLS_PER_CUTOFF=1 --tune LANES=2
    --tune SKIN=12 --precision float --n 1k --time-cap 0.01 --budget 300 --json)
# shellcheck disable=SC2016 # of jq
parts='all(.[0].variants[]; .per_step_s as $step | (.forces_s + .build_s / .steps_per_build - $step) | fabs < 1e-9 * $step)'
expect 0 best "${lists[@]}" --dt 0.002 --temperature 0.7 --store lists.csv
check 'times per step are evaluations and a share of building' test "$(json "$parts")" = true
check 'cells last a step, lists several' test "$(json '.[0].variants | map({(.variant): .steps_per_build}) | add |
    .sorted_cells == 1 and .list_walk > 1')" = true
check 'no time is above that at the presets' test "$(json 'all(.[0].variants[]; .median_s <= .preset_s)')" = true
says_like err 'the tunables of [12] variants? are in lists.csv, for .pairmark bench --tuned --store lists.csv.$'
stored=$(grep -oE 'tunables of [12] ' err)
json '.[0].variants[] | ",\(.tunables),"' >tunables
check 'what is stored is what the answer says' test "$(grep -cFf tunables lists.csv)" -eq "$(tail -n +2 lists.csv | wc -l)"
check 'the conditions are said' test "$(json '.[0] | .time == "step, lives measured" and .dt == 0.002 and .integrator == "verlet"
    and .temperature > 0.5 and .temperature < 0.9')" = true
expect 0 best "${lists[@]}" --steps-per-build 10
check 'of ten steps as stated' test "$(json "$parts and (.[0].variants | map({(.variant): .steps_per_build}) | add |
    .sorted_cells == 1 and .list_walk == 10)")" = true
for bodies in '--kind copper --n 500 --variant eam_list' '--kind diamond --n 216 --variant three_body_lanes'; do
    # shellcheck disable=SC2086 # words of options
    expect 0 best $bodies --precision double --temperature 0.05 --budget 2 --json
    check "lists last: $bodies" test "$(json ".[0].time == \"step, lives measured\" and .[0].variants[0].steps_per_build > 5")" = true
done

expect 0 bench --variant 'sorted_cells,list_walk' --precision float --n 1k --samples-min 3 --samples-max 5 --time-cap 0.02 --visits 1 --no-plot \
    --tuned --store lists.csv -o stored
says err "lists.csv: ${stored}case"

# A budget that is spent leaves variants that may win: nothing is sure, and no variant is said to fail.
short=(--variant 'all_pairs_loop,sorted_cells' --precision float --n 300)
expect 0 best "${short[@]}" --time-cap 0.02 --budget 0.001 --store none.csv
says_like out '^  (all_pairs_loop|sorted_cells) +not timed: budget'
check 'the last line says how many were timed' [ "$(tail -n 1 out)" = 'best of 1 of 2 timed; 1 not timed: give --budget 30' ]
lacks out '  sure'
# Each reason, a line of its own.
says_like out '^  not sure: 1 variant was not timed within --budget$'
says_like out '^            1 variant was not tuned within --budget$'
lacks out 'no other variant passes'
says out 'no other variant was timed'
# Nothing was tuned, so nothing is stored, and bench agrees.
says err 'nothing is stored in none.csv: no variant was tuned within --budget'
check 'no store' test ! -e none.csv
expect 0 bench "${short[@]}" --samples-min 3 --samples-max 5 --time-cap 0.02 --visits 1 --no-plot --tuned --store none.csv -o none
says err 'none.csv: there is no such file: all run at their presets'

# The budget that it names does.
expect 0 best "${short[@]}" --tune GROUP_SIZE=64 --time-cap 0.02 --budget 30
lacks out 'not timed'

# A tunable that is a length, and a box that is open because its file says no cell.
expect 0 best --variant list_walk --precision float --n 500 --time-cap 0.01 --budget 0.001
says out '(SKIN is in hundredths of the cutoff: a skin of 0.3)'
printf '2\nno cell\nA 0 0 0\nA 1.1 0 0\n' >open.xyz
expect 0 best --box open.xyz --cutoff 3 --variant all_pairs_loop --precision float --time-cap 0.01 --budget 0.001
says_like out '^forces of open.xyz, N = 2, float, open box \(its file has no Lattice\), cutoff 3, '

# The likeliest of recorded rows is timed first; its list is that of the rows, and names variants that there are.
root=$tests/..
check 'the order is that of recorded rows' cmp -s <("$root/scripts/likely_order" "$pairmark") "$root/share/presets/likely.txt"
"$pairmark" list --workload forces --json | jq -r '.[].name' | sort >names
check 'it names variants' [ -z "$(grep -v '^#' "$root/share/presets/likely.txt" | cut -d' ' -f3- | tr ' ' '\n' | sort -u | comm -23 - names)" ]
expect 0 best --variant cell_buffers,list_walk,sorted_cells --precision float --n 4k --forces-only --time-cap 0.02 --budget 0.001
class=$(grep -q '(pthread\|(cpu' out && echo cpu || echo gpu)
first=$(grep "^$class 4000 " "$root/share/presets/likely.txt" | tr ' ' '\n' | grep -xE 'cell_buffers|list_walk|sorted_cells' | head -n 1)
says_like out "^best: $first, "

# What no other device runs is not for want of time.
expect 0 best --variant 'all_pairs_loop,all_pairs_tensor' --precision float --n 300 --time-cap 0.02 --budget 0.001
if grep -q '^on opencl' out; then
    says_like out '^  all_pairs_tensor +skipped: it needs CUDA'
    lacks out 'not timed'
fi

# Whole steps, of one integrator.
expect 0 best --workload step --integrator verlet --variant 'verlet+sorted_cells,leapfrog+sorted_cells' --n 300 --cutoff 2 \
    --precision float --budget 4 --time-cap 0.02
says_like out '^time per whole step'
says_like out '^best: verlet\+sorted_cells, '
lacks out leapfrog
says out 'no other variant was asked for'

# Where nothing interacts there is no answer; where elements do, by what is hardly meant.
printf 'Argon\n 2\n    1AR      AR    1   0.000   0.000   0.000\n    2AR      AR    2   1.500   1.500   1.500\n   4.93000   4.93000   4.93000\n' >argon.gro
expect 2 best --box argon.gro --cutoff 0.9 --variant all_pairs_loop --precision float --budget 5
says err 'no two particles of argon.gro are within the cutoff, 0.9 (cell height 49.3 angstrom, from 4.93 nm in the file'
says_like err 'argon.gro has chemical elements and molecules, and the default interaction is .*--interaction'
expect 2 best --box argon.gro --cutoff 0.9 --variant all_pairs_loop --precision float --interaction lj --budget 5
lacks err 'chemical elements'

# What is wrong wins nothing, and is reported; what no variant passes has no best.
sed 's/fx += f \* d.x/fx += f * d.y/; s/@tunable   REPEATS 8\* 4/@tunable   REPEATS 1/' slow.cl >wrong.cl
sed -i 's/slow/wrong/g' wrong.cl
expect 1 best --variant-file wrong.cl --variant 'wrong,all_pairs_loop' --tune GROUP_SIZE=64 --precision float --n 200 --time-cap 0.01
says_like out '^best: all_pairs_loop'
says_like out '^  wrong  *wrong'
says_like out 'no other variant passes'
expect 1 best --variant-file wrong.cl --variant wrong --precision float --n 200 --time-cap 0.01
says out 'no variant passes'

# All pairs of more particles than the device walks soon are skipped.
expect 1 best --variant all_pairs_loop --precision float --n 600k --time-cap 0.02 --forces-only
says out 'skipped: all pairs of too many particles'

for bad in '--within 0.5' '--budget none' '--steps-per-build 0' '--temperature -1' '--dt 0' '--integrator rk4' '--forces-only --dt 1' '--forces-only --steps-per-build 1' '--store' '--wihtin 2'; do
    # shellcheck disable=SC2086 # words
    refuses "${bad%% *}" best --variant all_pairs_loop $bad
done
# More combinations than anyone tries: some are drawn.
tunables=$(for name in A B C D E; do echo " * @tunable   $name 1* 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"; done)
awk -v tunables="$tunables" '/@tunable/ { print; print tunables; next } { gsub(/all_pairs_loop/, "many"); print }' \
    "$tests/../variants/forces/all_pairs_loop.cl" >many.cl
expect 0 best --variant-file many.cl --variant many --kind fluid --n 200 --precision float --outputs forces --time-cap 0.01 --budget 5 --forces-only
says_like out '^best: many, '

# Ctrl-C ends it with the signal's status, whenever it comes.
for pause in 0.02 0.1 0.2 0.4 0.8; do
    set -m # else SIGINT is ignored behind &
    "$pairmark" best --n 500 --precision float --json --store early.csv >out 2>err &
    running=$!
    set +m
    sleep $pause
    kill -INT -- -$running
    wait $running
    check "the status of Ctrl-C after $pause s" [ $? -eq 130 ]
done

# Ctrl-C: what is known so far is printed. A terminal shows when one variant has been timed.
if has_terminals; then
    set -m # else SIGINT is ignored behind &
    script -qfec "echo \$\$ >pid; TERM=xterm exec '$pairmark' best --variant-file many.cl --variant many,all_pairs_loop --n 200 \
        --precision float --time-cap 0.01 --budget 600 --store cut.csv" seen >shown 2>&1 </dev/null &
    running=$!
    set +m
    for _ in $(seq 1200); do grep -q ': all_pairs_loop, 2 of 2\|tunables' seen 2>/dev/null && break; sleep 0.05; done
    kill -INT "$(cat pid)"
    wait $running
    check 'the exit status tells the signal' [ $? -eq 130 ]
    check 'the best so far' grep -qE '^best so far: (many|all_pairs_loop), ' seen
    check 'and how far it came' grep -qE 'not sure: interrupted after [12] of 2 variants' seen
    check 'it blames nothing else' bash -c "! grep -q 'within --budget\|give --budget' seen"
    check 'nothing is stored' [ ! -e cut.csv ]
fi
conclude
