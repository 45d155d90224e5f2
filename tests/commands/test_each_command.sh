#!/usr/bin/env bash
# The commands whose own tests are those of `make test-all`, once each: bench in shares, merge, compare, tune, best, judge.
. "$2/lib.sh" || exit 1
both=(--variant all_pairs_loop,all_pairs_tile --kind fluid --n 300 --precision float --outputs forces --time-cap 0.02)

for share in 1 2; do
    expect 0 bench "${both[@]}" --cold 0 --no-plot --shard $share/2 -o share$share
done
expect 0 merge share1 share2 -o all
check 'two rows that are ok' [ "$(grep -c ',ok,' all/rows.csv)" -eq 2 ]
expect 0 bench --resume all
says err '[2/2]'

expect 0 compare "$tests"/data/runs/{processor,card}
says_like out '6 cases in both: 0 slower, 6 faster, '
recorded=$(find "$tests/../results" -name rows.csv -print -quit)
[ -z "$recorded" ] || expect 0 rows check "$(dirname "$recorded")"

expect 0 tune --variant all_pairs_loop --kind fluid --n 300 --precision float --outputs forces --time-cap 0.02 --budget 2 --store tuned.csv
says tuned.csv all_pairs_loop
expect 0 best "${both[@]}" --budget 4 --forces-only --store tuned.csv
says_like out '^best: all_pairs_(loop|tile), '

expect 0 init mine
expect 0 judge mine.cl --baseline all_pairs_loop --kind fluid --n 300 --precision float --turns 2 --hidden 1
says out correct
expect 1 judge "$tests/data/cheats/shown_box.cl" --tune TRICK=1 --kind fluid --n 300 --precision float --outputs forces --turns 2 --hidden 1
conclude
