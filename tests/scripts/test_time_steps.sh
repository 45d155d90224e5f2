#!/usr/bin/env bash
# scripts/time_steps: its table has microseconds per step and atom-steps per second, whatever units `run` prints them in.
. "$2/lib.sh" || exit 1
device=${PAIRMARK_TEST_DEVICE:-opencl:0:0}
status=0
"$tests/../scripts/time_steps" "$pairmark" "$device" table '200 20 verlet_fused+list_lanes float LANES=4 SKIN=8,12' '30 40 verlet+all_pairs_tile double SKIN=0' \
    >out 2>err || status=$?
check 'a run without that tunable has no time' [ $status -eq 1 ]
says_like err 'SKIN=0: no time'
check 'two lines' [ "$(wc -l <table/steps.csv)" -eq 3 ]
check 'n particles in a microsecond are n 1e6 in a second, within three digits' awk -F, '
    NR == 1 { if ($7 != "us_per_step" || $8 != "atom_steps_per_s") exit 1; next }
    { ratio = $7 * $8 / ($1 * 1e6); if (!(ratio > 0.98 && ratio < 1.02) || !($9 >= 1)) exit 1 }' table/steps.csv
check 'the machine' grep -q pairmark table/environment.txt
conclude
