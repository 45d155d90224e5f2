#!/usr/bin/env bash
# bench --shard and merge: shares that ran at the same time become one run; a lost one costs its open cases alone; what does not
# belong together is refused.
. "$2/lib.sh" || exit 1
plan=(--variant 'all_pairs_loop,sorted_cells' --n '60,80,100' --precision float --time-cap 0.01 --visits 1 --twins 0 --no-plot)

share() { # share K/N FOLDER [WORDS...]
    local which=$1 folder=$2
    shift 2
    "$pairmark" bench "${plan[@]}" --shard "$which" -o "$folder" "$@" >"$folder.out" 2>"$folder.err" </dev/null
}
cases() { json '.[] | .case_id' <("$pairmark" query --json 'SELECT case_id FROM rows' "$@") | sort; }

for k in 1 2 3; do share $k/3 s$k & done
wait
check "each has two of six cases" [ "$(cases s1 | wc -l) $(cases s2 | wc -l) $(cases s3 | wc -l)" = '2 2 2' ]
expect 0 merge s1 s2 s3 -o all
says err '6 of 6 cases have a row'
says all/summary.txt 'all_pairs_loop'
"$pairmark" bench "${plan[@]}" -o whole >out 2>err
check "together they are the whole plan" [ "$(cases all)" = "$(cases whole)" ]
check "with all their samples" [ "$(wc -l <all/samples.csv)" -eq "$(($(cat s?/samples.csv | wc -l) - 2))" ]
check "and stages" [ "$(wc -l <all/stages.csv)" -eq "$(($(cat s?/stages.csv | wc -l) - 2))" ]
check "the environment is of the whole plan" [ "$(json '"\(.plan.cases) \(has("shard")) \(.merged_runs | length) \([.command_line[] | select(test("shard|s1"))] | length)"' all/environment.json)" = '6 false 3 0' ]
check "and keeps to its schema" [ -z "$(jq -n -r --slurpfile schema "$tests/../share/schemas/environment.json" --slurpfile document all/environment.json -f "$tests/validate.jq")" ]
check "a share's own tells which it is" [ "$(json '.shard | "\(.index)/\(.of) of \(.cases)"' s2/environment.json)" = '2/3 of 6' ]
expect 0 bench --resume all --no-plot
lacks err 'no row yet'

# ---- a lost share ----
expect 1 merge s1 s3 -o some
says err '4 of 6 cases have a row'
says err 'share 2/3 is missing'
cp some/rows.csv before.csv
expect 0 bench --resume some --no-plot
check "its open cases are named" [ "$(grep -c '^no row yet: forces/lj/' err)" -eq 2 ]
check "and measured" [ "$(cases some)" = "$(cases whole)" ]
check "the others stay as they were" cmp -s before.csv <(head -n "$(wc -l <before.csv)" some/rows.csv)

# ---- a share cut short goes on by itself ----
cp -r s2 cut
head -n 2 s2/rows.csv >cut/rows.csv
forget_checksums cut
expect 1 merge s1 cut s3 -o short
lacks err 'is missing'
expect 0 bench --resume cut --no-plot
expect 0 merge s1 cut s3 -o mended
check "merged, it is whole" [ "$(cases mended)" = "$(cases whole)" ]

# ---- what is refused ----
share 1/2 half
share 2/3 other --cutoff 1.5
share 2/3 longer --samples-max 50
refuses 'expected the folders of shares' merge -o none
refuses 'expected -o DIR' merge s1
refuses 'No such file' merge s1 nothing -o none
refuses 'an empty name; expected the folder of a share' merge s1 '' -o none
refuses 'whole is no share of a plan' merge s1 whole -o none
refuses 'both have a row of forces/lj/' merge s1 s2 s1 -o none
refuses 'number of shares differs: 3 and 2' merge s1 half -o none
refuses 'their plan (hash of its cases) differs' merge s1 other -o none
refuses 'their sampling differs' merge s1 longer -o none
check 'nothing is made' [ ! -e none ]
cp -r s3 changed
sed -i "1s/$/ /" "$(ls changed/kernels/*.cl | head -n 1)" # whichever the share has
expect 2 merge s1 changed -o none
refuses 'is there already' merge s1 s2 -o all
check "which stays" [ "$(cases all)" = "$(cases whole)" ]
# What a hand wrote is named by its line, whoever reads it.
edited() { # edited WORDS SED-SCRIPT COMMAND ARGUMENT...: refused over the rows of s2 so edited, in ./edited
    rm -rf edited && cp -r s2 edited && sed -i "$2" edited/rows.csv
    refuses "$1" "${@:3}"
    check "nothing is made of it" [ ! -e none ]
}
value() { # value COLUMN: of the first row of s2
    local place
    place=$(head -n 1 s2/rows.csv | tr ',' '\n' | grep -nx "$1" | cut -d: -f1)
    sed -n '2s/"[^"]*"/quoted/gp' s2/rows.csv | cut -d, -f"$place"
}
for reader in 'merge --despite-checksums s1 edited s3 -o none' 'bench --resume edited --despite-checksums --no-plot'; do
    read -ra words <<<"$reader"
    edited "edited/rows.csv:2: force_s_median '-1': expected a finite number, 0 or more" "2s/,$(value force_s_median),/,-1,/" "${words[@]}"
    edited "edited/rows.csv:2: n 'nan': expected a finite number" "2s/,$(value n),/,nan,/" "${words[@]}"
    edited 'edited/rows.csv:3: the result of line 2 once more' 2p "${words[@]}"
done
sed -i "2s/,$(value force_s_median),/,-1,/" edited/rows.csv
for reader in 'plot --despite-checksums edited' 'report --despite-checksums edited -o edited.html' 'query --despite-checksums --csv SELECT(force_s_median)FROM(rows) edited'; do
    read -ra words <<<"$reader"
    expect 0 "${words[@]}"
    says err "edited/rows.csv:2: force_s_median '-1': expected a finite number, 0 or more; it counts as unknown"
done
lacks out -1
edited "edited/rows.csv:2: the status is 'fine'" '2s/,ok,/,fine,/' merge --despite-checksums s1 edited s3 -o none
for words in 0/3 4/3 3 a/b 1/; do
    refuses '--shard' bench "${plan[@]}" --shard "$words" -o none
done
refuses 'the plan has 6 cases alone' bench "${plan[@]}" --shard 8/8 -o none

conclude
