#!/usr/bin/env bash
# Whatever answers from recorded rows refuses a run that does not fit its checksums, and goes on with --despite-checksums, saying so wherever it writes.
. "$2/lib.sh" || exit 1

variants=all_pairs_loop,sorted_cells
one=(--kind fluid --n "64,125" --variant "$variants" --precision float --time-cap 0.02 --visits 2 --no-plot)
"$pairmark" bench "${one[@]}" -o run >out 2>err || complain 'no run'
for share in 1 2; do "$pairmark" bench "${one[@]}" --shard $share/2 -o share$share >/dev/null 2>&1; done
"$pairmark" bench "${one[@]}" -o other >/dev/null 2>&1
cp -r run whole
cp -r share2 whole2

# What each command that reads runs writes, and where the answer is. git_commit of `other` is another, for history.
sed -i "s/$(json .git_commit other/environment.json)/0000000000000000000000000000000000000000/" other/*.csv other/environment.json
forget_checksums other
sql='SELECT variant, force_s_median FROM rows'
commands=("query|$sql|run" "query|--csv|$sql|run" "query|--json|$sql|run" 'query|SELECT count(*) FROM samples|run/rows.csv'
    'compare|other|run' 'compare|--format|csv|other|run' 'compare|--format|markdown|other|run' 'compare|other,run|other' 'compare|-o|answer|other|run'
    'history|run|other' 'history|--csv|run|other' 'report|-o|answer.html|run' 'report|-o|answer.html|other|run'
    'report|--devices|-o|answer.md|.' 'report|--kernel-tuner|-o|answer.json|run')
command -v gnuplot >/dev/null && commands+=('plot|--format|svg|-o|answer|run' 'plot|--format|svg|-o|answer|--n|125|other/rows.csv|run/rows.csv')

each() { # each FUNCTION WORDS...: the function with each command, after anything that earlier ones wrote is gone
    local command
    for command in "${commands[@]}"; do
        rm -rf answer*
        IFS='|' read -ra words <<<"$command"
        "$1" "${@:2}"
    done
}
answers() { exits 0 "${words[@]}" || exits 1 "${words[@]}"; } # compare has 1 for what became slower
passes() { # passes: not a word of it
    answers || complain "refused: ${words[*]}"
    if grep -qrF checksums.txt:1 out err answer* 2>/dev/null; then complain "not said: ${words[*]}"; else pass; fi
}
doubts() { # doubts WORDS: names the place; nothing is written; --despite-checksums does, and everything that it writes says so
    refuses "$1" "${words[@]}"
    says err '--despite-checksums'
    check "no answer: ${words[*]}" empty out
    check "no file: ${words[*]}" [ ! -e answer ]
    words+=(--despite-checksums)
    answers || complain "refused even so: ${words[*]}"
    says err 'doubtful: '
    case " ${words[*]} " in
    *' -o '*) for file in answer* answer/*.svg answer/*.dat; do
        [ ! -f "$file" ] || [ "${file##*.}" = plt ] || check "$file of ${words[*]} says so" grep -qiE 'doubt(s|ful)' "$file"
    done ;;
    *) check "out of ${words[*]} says so" grep -qiE 'doubt(s|ful)' out ;;
    esac
    [[ $command != *json* ]] || [ ! -s answer.json ] || check 'JSON' jq -e .doubts answer.json >jq.out
}

each passes
sed -i '2s/,0\.000/,0.0000/' run/rows.csv # a time of a tenth
cmp -s run/rows.csv whole/rows.csv && sed -i '2s/e-0/e-1/' run/rows.csv
each doubts 'run/rows.csv was changed after the run (checksums.txt:1)'
check 'JSON says it of each row' [ "$("$pairmark" query --json "$sql" run --despite-checksums 2>/dev/null | jq 'all(.doubts | contains("rows.csv"))')" = true ]

# The other ways in which a run can be another: one command each.
other_ways() { # other_ways WORDS: run/ is refused with these words, and is as it was again
    refuses "$1" query "$sql" run
    expect 0 query "$sql" run --despite-checksums
    rm -rf run && cp -r whole run
}
rm -rf run && cp -r whole run
for file in visits.csv samples.csv stages.csv; do
    sed -i '$d' run/$file
    other_ways "run/$file was changed after the run"
done
sed -i '/"model"/s/:"/:"Tesla /' run/environment.json
other_ways 'run/environment.json was changed'
rm run/visits.csv
other_ways 'run/visits.csv was recorded and has been left out'
rm run/checksums.txt
other_ways 'run/checksums.txt is missing, though environment.json names it'
sed -i 1d run/checksums.txt
other_ways 'run/rows.csv has no line in checksums.txt'
cp run/rows.csv run/better.csv
refuses 'run/better.csv has no line' query "$sql" run/better.csv
rm -r run/samples.csv run/kernels run/benchmark.json
expect 0 query "$sql" run
ln -s run/rows.csv linked.csv && rm -rf run && cp -r whole run

# An edited share is not merged; where it is all the same, what comes of it is doubtful for good.
sed -i 's/\(all_pairs_loop.*\),ok,/\1,wrong,/' share2/rows.csv
cmp -s share2/rows.csv whole2/rows.csv && sed -i '$d' share2/rows.csv
refuses 'share2/rows.csv was changed after the run' merge share1 share2 -o merged
check 'nothing is merged' [ ! -e merged ]
exits 0 merge share1 share2 -o merged --despite-checksums || exits 1 merge share1 share2 -o other_merged --despite-checksums || complain 'not merged'
says out 'doubtful: '
says merged/summary.txt 'doubtful: '
refuses 'merged/environment.json says of rows.csv: changed after a run' report -o answer.html merged

# So is what `bench --resume` makes of an edited run; it asks for that each time, whatever the folder's command line says.
sed -i '$d' run/rows.csv
cp run/rows.csv edited.csv
for words in '' "${one[*]}"; do
    read -ra axes <<<"$words"
    refuses 'run/rows.csv was changed after the run (checksums.txt:1)' bench --resume run "${axes[@]}"
    says err '--despite-checksums goes on'
    check 'nothing is measured' cmp -s run/rows.csv edited.csv
done
expect 0 bench --resume run --despite-checksums
says err 'doubtful: run/rows.csv was changed'
check 'once' [ "$(grep -c 'changed' err)" = 1 ]
says run/summary.txt 'doubtful: '
refuses 'says of rows.csv: changed after a run' query "$sql" run
refuses 'says of rows.csv: changed after a run' bench --resume run

refuses '--despite-checksums: only --resume' bench "${one[@]}" --despite-checksums -o fresh
check 'nothing is measured' [ ! -e fresh ]

# A run that was stopped has no checksums, and names none.
rm -rf run
"$pairmark" bench --kind fluid --n 2000 --variant all_pairs_loop --precision float --visits 99 --time-cap 100 --no-plot -o run >out 2>err &
until grep -q ,ok, run/visits.csv 2>/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
kill -TERM $!
wait $!
lacks run/environment.json checksums
expect 0 query 'SELECT count(*) FROM rows' run

conclude
