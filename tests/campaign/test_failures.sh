#!/usr/bin/env bash
# How failures are told: the first of its kind in full, the rest counted; all of them with --verbose; none but the first with
# --fail-fast.
. "$2/lib.sh" || exit 1

lines() { grep -cE -- "$1" "$work/out"; } # lines REGEX: how many of $work/out match
kernel mine 'if (i < n) force[i] = make_accum4(1, 2, 3, 0);'
kernel typo 'force[i] = 0 0;'
kernel partly 'if (i < n) force[i] = make_accum4(1, 2, 3, 0) PARTLY;'
sed -i 's/^ \* @tunable .*/&\n * @tunable   BAD 0* 1/; s/^KERNEL/#if BAD\n#define PARTLY 0\n#else\n#define PARTLY\n#endif\n&/' partly.cl
boxes=(--kind fluid --n 2,3,4,5 --outputs forces) # by three precisions, periodic and open

# ---- check ----
check 'a wrong kernel' exits 1 check --variant-file mine.cl "${boxes[@]}"
check 'is told once in full' [ "$(lines '^wrong forces/lj/mine/.*: ')" -eq 1 ]
check 'the rest is counted' grep -qxE 'and [0-9]+ more cases of mine: wrong \([0-9]+\)' out
check 'in one line' [ "$(lines '^and ')" -eq 1 ]
wrong=$(sed -n 's/^0 passed, \([0-9]*\) failed, .*/\1/p' out)
rest=$(sed -n 's/^and \([0-9]*\) more .*/\1/p' out)
check 'the counts agree' [ "$((${rest:-0} + 1))" -eq "${wrong:-0}" ]
check 'it is told how to see all' out --verbose
check 'all of it is short' [ "$(wc -l <out)" -le 5 ]

check '--verbose' exits 1 check --variant-file mine.cl "${boxes[@]}" --verbose
check 'tells each case in full' [ "$(lines '^wrong forces/lj/mine/.*: ')" -eq "${wrong:-0}" ]
check 'and counts none' [ "$(lines '^and ')" -eq 0 ]

check 'a kernel that does not compile' exits 1 check --variant-file typo.cl "${boxes[@]}"
check 'is named once, with the compiler'\''s words' [ "$(lines '^compile_error ')" -eq 1 ]
check 'which name the line' grep -q 'typo\.cl[:(][0-9]' out
check 'the rest of it is counted' grep -qxE 'and [0-9]+ more cases of typo: compile_error \([0-9]+\)' out

check 'two kernels' exits 1 check --variant-file mine.cl --variant-file typo.cl "${boxes[@]}" --precision float
check 'the first of each in full' [ "$(lines '^wrong .*/mine/')$(lines '^compile_error .*/typo/')" = 11 ]
check 'each counted by itself' [ "$(lines '^and [0-9]+ more cases of (mine|typo): ')" -eq 2 ]

check 'two reasons' exits 1 check --variant-file partly.cl --kind fluid --n 4,5 --outputs forces --precision float --tune BAD=0,1
check 'the first of each reason in full' [ "$(lines '^wrong ')$(lines '^compile_error ')" = 11 ]
check 'the rest by reason' grep -qxE 'and 6 more cases of partly: wrong \(3\), compile_error \(3\)' out

check 'one failure' exits 1 check --variant-file mine.cl --kind fluid --n 2 --outputs forces --precision float --open
check 'leaves nothing to count' [ "$(lines '^and ')" -eq 0 ]

check '--fail-fast' exits 1 check --variant-file mine.cl --variant all_pairs_loop "${boxes[@]}" --fail-fast
check 'stops at the first' out ' 1 failed, '
check 'and says that it did' out '--fail-fast'
check '--fail-fast of what is right' exits 0 check --variant all_pairs_loop "${boxes[@]}" --precision float --fail-fast
check 'stops nothing' out '8 passed, 0 failed'
lacks out '--fail-fast'
check '--fail-fast --json' exits 1 check --variant-file mine.cl "${boxes[@]}" --fail-fast --json
check 'is as short' [ "$(lines '"status"')$(field failed)" = 11 ]
check '--json of failures' exits 1 check --variant-file mine.cl "${boxes[@]}" --json
check 'lists each, grouped or not' [ "$(lines '"status":')" -eq "${wrong:-0}" ]

# ---- bench ----
bench=(--variant-file typo.cl --kind fluid --n 2,3,4,5 --precision float --no-plot --twins 0)
check 'bench of a kernel that does not compile' exits 1 bench "${bench[@]}" -o first
check 'tells it once' [ "$(grep -c 'compile_error: ' err)" -eq 1 ]
check 'counts the rest' grep -qxE 'and 3 more cases of typo: compile_error \(3\)' err
check 'and records all' [ "$(grep -c ',compile_error,' first/rows.csv)" -eq 4 ]
check 'bench --verbose' exits 1 bench "${bench[@]}" -o second --verbose
check 'tells each' [ "$(grep -c 'compile_error: ' err)" -eq 4 ]
check 'bench --fail-fast' exits 1 bench "${bench[@]}" -o third --fail-fast
check 'records the first failure' [ "$(grep -c ',compile_error,' third/rows.csv)" -eq 1 ]
check 'and says that it stopped' err '--fail-fast'
check 'which --resume goes on from' exits 1 bench --resume third --no-plot
check 'to the end' [ "$(grep -c ',compile_error,' third/rows.csv)" -eq 4 ]

conclude
