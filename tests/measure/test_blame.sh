#!/usr/bin/env bash
# A kernel that damages its process is blamed, and no other; a worker that is killed from outside is no lack of memory, and
# its case is tried again.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants
fast=(--samples-min 3 --samples-max 5 --time-cap 0.05 --warm-up 0 --cold 0 --visits 1 --twins 0 --no-plot)
of() { # of FOLDER COLUMN [others]: a column of the rows, one per line; of `others`, of those alone that did not pass and are not of heap
    awk -F, -v column="$2" -v others="${3:-}" '
        { line = line $0 }
        gsub(/"/, "&", line) % 2 { next } # the text goes on in the next line
        { gsub(/"[^"]*"/, "quoted", line); $0 = line; line = "" }
        !at["status"] { for (i = 1; i <= NF; i++) at[$i] = i; next }
        !others || ($at["status"] != "ok" && $at["variant"] != "heap") { print $at[column] }' "$1/rows.csv"
}

# In one process with others; each length of damage has its own way to die, or none.
both=(--variant-file "$mutants/heap.cl" --variant 'all_pairs_half,heap,sorted_cells' --kind fluid --n 500 --precision float)
expect 0 check "${both[@]}" --outputs forces,energy --tune WORDS=0
for beyond in 4096 20000; do
    for words in 1 4000; do
        "$pairmark" check "${both[@]}" --outputs forces,energy --tune "BEYOND=$beyond" --tune "WORDS=$words" -v >out 2>err </dev/null
        check "WORDS=$words BEYOND=$beyond: check blames no other" test -z "$(grep -E '^(crashed|wrong|timeout|launch_error) ' out | grep -v /heap/)"
        check "WORDS=$words BEYOND=$beyond: and passes the others" test "$(grep -cE '^ok .*/(all_pairs_half|sorted_cells)/' out)" -eq 8
        "$pairmark" bench "${both[@]}" --tune "BEYOND=$beyond" --tune "WORDS=$words" --shuffle-seed $words "${fast[@]}" -o "run-$beyond-$words" >out 2>err </dev/null
        check "WORDS=$words BEYOND=$beyond: bench blames no other" test -z "$(of "run-$beyond-$words" case_name others)"
    done
done
expect 1 check "${both[@]}" --outputs forces --tune BEYOND=20000 --tune WORDS=4000
says_like out '^(crashed|wrong) .*/heap/'
expect 1 bench "${both[@]}" --tune BEYOND=20000 --tune WORDS=4000 "${fast[@]}" -o run

# Killed from outside. The worker that describes the device comes first; rows.csv is there after it.
sed 's/heap/hang/g; s/for (int j = 0; j < n; j++)/for (int j = 0; cutoff2 >= 0; j = (j + 1) % n)/' "$mutants/heap.cl" >hang.cl
hang=(--variant-file hang.cl --variant hang --kind fluid --n 300 --precision float "${fast[@]}")
killed_run() { # killed_run: bench, whose workers are killed until it ends
    "$pairmark" bench "${hang[@]}" --deadline 120 -o killed >out 2>err </dev/null &
    local bench=$!
    while kill -0 $bench 2>/dev/null; do
        if [ -s killed/rows.csv ] && worker=$(pgrep -n -P $bench); then
            sleep 0.5
            kill -9 "$worker" 2>/dev/null
        fi
        sleep 0.2
    done
    wait $bench
}
killed_run
check 'a killed worker is a failure' test $? -eq 1
check 'but no lack of memory' test "$(of killed status)" = crashed
says_like killed/rows.csv 'killed from outside by signal 9 \(Killed\)'
check 'the box is as planned: periodic' test "$(of killed periodic)" = 1
check 'its cutoff' test "$(of killed cutoff)" = 2.5
check 'its density' test "$(of killed density)" = 0.8442
expect 1 bench --resume killed "${hang[@]}" --deadline 2
check 'it is tried again' test "$(of killed status | tr '\n' ' ')" = 'crashed timeout '
expect 1 bench --resume killed "${hang[@]}" --deadline 2
check 'and so is what ran out of time' test "$(of killed status | wc -l)" -eq 3
expect 0 report killed -o page.html
check 'what was tried again counts once' test "$(grep -o 'killed from outside' page.html | wc -l)" -eq 0

conclude
