#!/usr/bin/env bash
# `pairmark rows check`: a run as bench leaves it has no error, and each edit of it is found; with checksums and, of older runs, without.
. "$2/lib.sh" || exit 1

# The commit is a matter of the program that is tested: the other errors count.
errors() { grep ': error: ' out | grep -v ': git_commit is \(-dirty\|not in the history\)'; }
clean() { # clean DESCRIPTION: run/ has no error
    "$pairmark" rows check run >out 2>err
    check "$1" [ -z "$(errors)" ]
}
found() { # found DESCRIPTION WORDS: run/ has an error with these words; run/ is as it was again
    exits 1 rows check run || complain "exit status not 1: $1"
    if errors | grep -qF -- "$2"; then pass; else complain "not found: $1: $2"; fi
    [ "$kept" = run ] || { rm -rf run && cp -r "$kept" run; }
}
edit() { # edit FILE COLUMN LINE EXPRESSION: awk's, of the field v
    awk -F, -v OFS=, -v column="$2" -v at="$3" '
        { # a field may be quoted, with commas
            n = 0; quoted = 0
            for (i = 1; i <= NF; i++) {
                if (quoted) f[n] = f[n] "," $i; else f[++n] = $i
                if (gsub(/"/, "&", $i) % 2) quoted = !quoted
            }
            line = ""
            for (i = 1; i <= n; i++) {
                if (NR == 1 && f[i] == column) c = i
                if (NR == at && i == c) { v = f[i]; f[i] = '"$4"' }
                line = line (i > 1 ? "," : "") f[i]
            }
            print line
        }' CONVFMT=%.17g "run/$1" >edited && mv edited "run/$1"
}

# ---- boxes in batches are made anew, too ----
"$pairmark" bench --kind fluid --n 20-30 --batch 4 --open --variant boxes_tile --precision float --time-cap 0.02 --visits 1 --no-plot -o run >out 2>err ||
    complain 'no run of batches'
clean 'a run of batches'
kept=run
rm -rf run

"$pairmark" bench --kind fluid --n 125,216 --variant all_pairs_loop,sorted_cells --precision float --time-cap 0.02 --visits 2 --no-plot \
    -o run >out 2>err || complain 'no run'
cp -r run whole
kept=whole
clean 'a run as bench leaves it'
says out 'OpenCL tells neither clock nor power'
if command -v xxh128sum >/dev/null; then check 'xxhsum reads it' sh -c 'cd run && xxh128sum --quiet -c checksums.txt >/dev/null'; fi

for mutant in 'rows.csv force_s_median v*0.99' 'rows.csv build_s_median v*0.99' 'rows.csv kernel_hash "0"substr(v,2)' \
    'rows.csv result_hash "0"substr(v,2,30)"z"' 'rows.csv worst_ratio v/2' 'rows.csv device_model "NVIDIA H300"' \
    'visits.csv force_s_median v*0.99' 'samples.csv seconds v*0.99' 'stages.csv value v*0.99'; do
    read -r file column expression <<<"$mutant"
    edit "$file" "$column" 2 "$expression"
    found "edited: $mutant" "$file: error: was changed after the run"
done
sed -i '/"model"/s/:"/:"Tesla /' run/environment.json
found 'edited: the model of the device' 'environment.json: error: was changed'
sed -i 3d run/samples.csv
found 'a sample is missing' 'samples.csv: error: was changed'
rm run/stages.csv
found 'a file is missing' 'stages.csv: error: was recorded and has been left out'
echo '// faster' >>run/kernels/sorted_cells.cl
found 'edited: a kernel' 'kernels'
rm run/checksums.txt
found 'the checksums are missing' 'checksums.txt: error: is missing'
rm -r run/samples.csv run/kernels run/benchmark.json
clean 'what is large may be left out'
says out 'samples.csv: warning: was recorded and has been left out'
rm -rf run && cp -r whole run

# What checksums do not see, because there are none, the files say of each other.
forget_checksums run
cp -r run older
kept=older
clean 'a run of an older pairmark'
says out 'names no checksums'
for mutant in 'rows.csv force_s_median v*0.99|ns_per_particle is not' 'rows.csv force_s_min v*0.99|not of visits.csv' \
    'rows.csv samples v+1|not of visits.csv' 'rows.csv pairs_in_cutoff v+1|pairs_per_s is not' 'rows.csv n v+1|case_name' \
    'rows.csv kernel_hash "x"substr(v,2)|is no hash' 'rows.csv kernel_hash (substr(v,1,1)=="0"?"1":"0")substr(v,2)|kernel_hash is another' \
    'rows.csv box_hash (substr(v,1,1)=="0"?"1":"0")substr(v,2)|box_hash is' \
    'rows.csv case_id (substr(v,1,1)=="0"?"1":"0")substr(v,2)|case_id is not' 'rows.csv tunables "A=1"|case_id is not' \
    'rows.csv seed v+1|case_id is not' 'rows.csv cutoff 2.4|case_name' 'rows.csv device_model "NVIDIA H300"|device, its model' \
    'rows.csv driver "999"|device, its model' 'rows.csv host "other"|host is another' 'rows.csv status "wrong"|has a time' \
    'rows.csv worst_ratio 1.5|without an error within' 'visits.csv force_s_median v*0.99|not of visits.csv' \
    'rows.csv force_s_p95 v*1.01|force_s_p95 is not of visits.csv' 'rows.csv build_s_median v+1|build_s_median is not of visits.csv' \
    'rows.csv worst_ratio v/2|worst_ratio is not of visits.csv' 'rows.csv energy_j 1|energy_j is not of visits.csv' \
    'rows.csv result_hash "0"substr(v,2,30)"z"|result_hash is not of visits.csv' 'visits.csv force_s_p05 v*0.99|not of samples.csv' \
    'visits.csv samples v+1|not of samples.csv'; do
    read -r file column expression <<<"${mutant%|*}"
    edit "$file" "$column" 2 "$expression"
    found "edited without checksums: $mutant" "${mutant##*|}"
done
sed -i 3d run/samples.csv
found 'a sample is missing' 'not of samples.csv'
sed -i 2d run/visits.csv
found 'a visit is missing' 'not of visits.csv'
sed -i 2d run/rows.csv
found 'a row is missing' 'fewer or more rows'
rm run/environment.json
found 'nobody knows where' 'environment.json: error: is missing'

# What was joined or went on is whole again.
one=(--kind fluid --n 64 --variant all_pairs_loop,sorted_cells --precision float --time-cap 0.02 --visits 1 --twins 0 --cold 0 --no-plot)
for share in 1 2; do "$pairmark" bench "${one[@]}" --shard $share/2 -o share$share >/dev/null 2>&1; done
rm -rf run && "$pairmark" merge share1 share2 -o run >/dev/null 2>&1
clean 'a merged run'
sed -i '$d' run/rows.csv && forget_checksums run
"$pairmark" bench --resume run >/dev/null 2>&1
clean 'a run that went on after it was stopped'
# Sums made anew do not hide what was edited before.
kept=run edited='stages.csv: error: changed after a run, before another went on with it'
sed -i 2d run/stages.csv
for turn in first second; do
    "$pairmark" bench --resume run --despite-checksums >/dev/null 2>err
    found "edited, then resumed: the $turn time" "$edited"
done
sed -i 2d share2/stages.csv
rm -rf run && "$pairmark" merge share1 share2 --despite-checksums -o run >/dev/null 2>&1
found 'edited, then merged' "$edited"
rm -rf run && cp -r share1 run
clean 'a share'
says out 'is of one share'

# A commit: dirty, unknown in this repository.
old=$(json .git_commit older/environment.json)
if [ "$old" != null ]; then
    rm -rf run && cp -r older run
    sed -i "s/$old/0000000000000000000000000000000000000000-dirty/" run/environment.json run/rows.csv run/visits.csv
    expect 1 rows check run
    says out 'git_commit is -dirty'
    lacks out 'is another than in environment.json'
fi
# A repository of pairmark's, with one commit; a commit that it does not have; a clone without its history.
if command -v git >/dev/null && [ "$old" != null ]; then
    mkdir -p repository/harness/campaign/axes && touch repository/harness/campaign/axes/columns.def
    in_git() { git -C repository -c user.name=tester -c user.email=tester@example.org "$@"; }
    in_git init -q && in_git add . && in_git commit -qm one && cp -r older repository/run
    sed -i "s/$old/$(in_git rev-parse HEAD)/g" repository/run/*.csv repository/run/environment.json
    expect 0 rows check repository
    says out 'repository/run: passes'
    says out '1 run: 0 failed; 0 errors'
    sed -i "s/$(in_git rev-parse HEAD)/$(printf '0%.0s' {1..40})/g" repository/run/*.csv repository/run/environment.json
    expect 1 rows check repository
    says out 'git_commit is not in the history'
    in_git commit -q --allow-empty -m two && git clone -q --depth 1 "file://$work/repository" shallow && cp -r repository/run shallow
    expect 0 rows check shallow
    says out 'warning: git_commit cannot be looked up'
fi
refuses "expected \`check\`, then folders" rows check
expect 2 rows check nowhere
mkdir empty
refuses 'holds no run' rows check empty

# A run of each workload, too, of two boxes; and of a kernel whose text has what is derived from the box.
"$pairmark" list --json | jq -r 'group_by(.workload)[] | "\(.[0].workload) \(.[0].name)"' >workloads
echo 'pme pme_tiles' >>workloads
while read -r workload variant; do
    "$pairmark" bench --workload "$workload" --variant "$variant" --n 200,900 --precision double --time-cap 0.02 --visits 2 --no-plot -o "of_$variant" \
        </dev/null >out 2>err || complain "no run of $workload: $(tail -1 err)"
    "$pairmark" rows check "of_$variant" >out 2>err
    check "a run of $variant" [ -z "$(errors)" ]
done <workloads
check 'there are workloads' [ "$(wc -l <workloads)" -gt 5 ]

# What the repository has. The history is that of a whole clone, or a warning.
for folder in "$tests"/../results/*/*/*/; do
    [ -z "$(find "$folder" -name rows.csv)" ] || check "$folder passes" exits 0 rows check "$folder"
done
for folder in "$tests"/../results/*/*; do
    [[ $folder =~ /results/[a-z0-9-]+/[a-z0-9-]+$ ]] || complain "not results/VENDOR/CARD: $folder"
done
conclude
