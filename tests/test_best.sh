#!/usr/bin/env bash
# pairmark best: one answer per case, over variants and their tunables; a small box.
. "$2/lib.sh" || exit 1

# all_pairs_loop, and the same that does everything 40 or 80 times: the one is surely the best.
sed -e 's/all_pairs_loop/slow/g' -e 's/^ \* @tunable   GROUP_SIZE.*/ * @tunable   GROUP_SIZE 64\n * @tunable   REPEATS 80* 40/' \
    "$tests/../variants/forces/all_pairs_loop.cl" >slow.cl
awk '/for \(int j = 0; j < n; j\+\+\)/ && !done { print "for (int k = 0; k < REPEATS; k++) { fx = 0; fy = 0; fz = 0; clear_sums(&sums);"; inside = 1; done = 1 }
     { print } inside && /^        }$/ { print "}"; inside = 0 }' slow.cl >slower.cl
mv slower.cl slow.cl
both=(--variant-file slow.cl --variant 'slow,all_pairs_loop' --tune GROUP_SIZE=64 --precision float --time-cap 0.01 --budget 5)
expect 0 best "${both[@]}" --n 300 --within 5000
says out 'forces of fluid, N = 300, float, cutoff 2.5'
says_like out '^best: all_pairs_loop, '
says_like out 'sure: each of its 5 times is below each of the others'
says cache/tuned.csv ',all_pairs_loop,'
says cache/tuned.csv ',slow,'
says err "for \`pairmark bench --tuned\`"

# What is far behind is not tuned; two cases, two answers; as JSON.
expect 0 best "${both[@]}" --n 100,200 --within 1.5 --json --store other.csv
check 'two answers in which all_pairs_loop is the best and slow not tuned' python3 - <<'END'
import json
answers = json.load(open("out"))
assert len(answers) == 2, answers
for answer in answers:
    assert answer["best"] == "all_pairs_loop", answer
    first, second = answer["variants"]
    assert first["state"] == "finalist" and first["median_s"] > 0 and first["least_s"] <= first["most_s"]
    assert second["variant"] == "slow" and second["state"] == "behind" and second["preset_s"] > 10 * first["preset_s"]
END
check 'the store of --store is used' test -s other.csv

# What is wrong wins nothing, and is told; what no variant passes has no best.
sed 's/fx += f \* d.x/fx += f * d.y/; s/@tunable   REPEATS 80\* 40/@tunable   REPEATS 1/' slow.cl >wrong.cl
sed -i 's/slow/wrong/g' wrong.cl
expect 1 best --variant-file wrong.cl --variant 'wrong,all_pairs_loop' --tune GROUP_SIZE=64 --precision float --n 200 --time-cap 0.01
says_like out '^best: all_pairs_loop'
says_like out '^  wrong  *wrong'
says_like out 'no other variant passes'
expect 1 best --variant-file wrong.cl --variant wrong --precision float --n 200 --time-cap 0.01
says out 'no variant passes'

# All pairs of more particles than the device walks soon are left out.
expect 1 best --variant all_pairs_loop --precision float --n 600k --time-cap 0.02
says out 'left out: all pairs of too many particles'

for bad in '--within 0.5' '--budget none' '--steps-per-build 0' '--store' '--wihtin 2'; do
    # shellcheck disable=SC2086 # words
    expect 2 best --variant all_pairs_loop $bad
    says err "${bad%% *}"
done
conclude
