#!/usr/bin/env bash
# Several devices in one run: which are measured at the same time, and how such a run ends. Two devices of PoCL stand for two
# cards: --concurrent yes asks for what would not be done by itself.
. "$2/lib.sh" || exit 1
export POCL_DEVICES='pthread pthread'
if ! exits 0 devices --json || ! json '.devices[].name' | grep -q 'opencl:0:1'; then
    echo 'no two devices of PoCL'
    exit 77
fi
both=(--device 'opencl:0:0,opencl:0:1' --kind fluid --n 100 --precision float --outputs forces --no-plot --visits 1 --twins 0 --time-cap 0.02 --cold 0)
expect 2 bench "${both[@]}" --variant all_pairs_loop --concurrent maybe -o none
check 'its words are told' err "--concurrent 'maybe': expected auto, no or yes"

expect 0 bench "${both[@]}" --variant all_pairs_loop -o turns
check 'processors take turns' lacks err 'at the same time'
check 'and the environment says so' [ "$(jq -c '[.devices[].beside]' turns/environment.json)" = '[0,0]' ]

expect 0 bench "${both[@]}" --variant all_pairs_loop,all_pairs_tile --concurrent yes -o both
check 'what is measured at the same time is told' err 'at the same time: opencl:0:0, opencl:0:1'
check 'a row per case and device' [ "$(grep -c ',opencl:0:[01],' both/rows.csv)" -eq 4 ]
check 'the environment says so, too' [ "$(jq -c '[.devices[].beside]' both/environment.json)" = '[1,1]' ]
check 'Google Benchmark has them all' [ "$(jq '.benchmarks | length' both/benchmark.json)" -eq 4 ]
sed -i '$d' both/rows.csv
forget_checksums both
expect 0 bench --resume both
check 'a resumed run runs as it began' err 'at the same time: opencl:0:0, opencl:0:1'
check 'and has all rows again' [ "$(grep -c ',opencl:0:[01],' both/rows.csv)" -eq 4 ]
sed -i '$d' both/rows.csv
forget_checksums both
expect 0 bench --resume both --concurrent no
check 'unless it is told otherwise' lacks err 'at the same time'

# A signal to the program alone ends the workers of both.
long=("${both[@]}")
long[5]=200k
"$pairmark" bench "${long[@]}" --deadline 1000 --variant all_pairs_loop --judge-all-below 10 --judge-sample 10 --concurrent yes -o long >out 2>err &
bench=$!
# shellcheck disable=SC2317
runs() { grep -q 'at the same time' err && [ "$(pgrep -c -P $bench)" -eq 2 ]; }
for ((tries = 0; tries < 1200; tries++)); do
    runs && break
    sleep 0.05
done
sleep 0.5
workers=$(pgrep -P $bench)
kill -TERM $bench # a shell has SIGINT ignored behind &
began=$SECONDS
wait $bench
check 'the exit status is that of a signal' [ $? -eq 143 ]
check 'at once' [ $((SECONDS - began)) -le 500 ] # of the 1000 that a case may take
check 'there were two workers' [ "$(wc -w <<<"$workers")" -eq 2 ]
for worker in $workers; do
    check 'no worker is left' [ ! -e "/proc/$worker" ]
done
check 'how to go on is told' err 'pairmark bench --resume long'
conclude
