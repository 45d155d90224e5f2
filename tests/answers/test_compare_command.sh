#!/usr/bin/env bash
# `pairmark compare` from the command line: real runs on PoCL, rows as people and crashes leave them, exit statuses.
. "$2/lib.sh" || exit 1
runs=$tests/data/runs

compare() { # compare STATUS WORDS...
    expect "$1" compare "${@:2}"
}
lines() { # lines REGEX COUNT: of out
    local count
    count=$(grep -cE -- "$1" out)
    [ "$count" -eq "$2" ] || { complain "$count lines of '$1', expected $2"; head -20 out; }
}

# ---- two real runs, and what is made of them ----

bench() { # bench FOLDER WORDS...
    local folder=$1
    shift
    "$pairmark" bench --variant 'all_pairs_loop,all_pairs_tile' --precision float --kind fluid --outputs forces --n 250,500 \
        --warm-up 0 --samples-min 30 --samples-max 60 --time-cap 0.2 --cold 0 --visits 1 --no-plot -o "$folder" "$@" >bench.log 2>&1 ||
        complain "bench: $(tail -3 bench.log)"
}
bench first --shuffle-seed 1
bench second --shuffle-seed 2 --seed 1
"$pairmark" compare first second >out 2>err
[ $? -le 1 ] || complain "two real runs: $(cat err)"
says out "4 cases in both"
says out "0 newly wrong, 0 newly ok"
says out "without a partner: 0 of the baseline, 0 of the other"
cp out again
"$pairmark" compare first second >out 2>err
cmp -s out again || complain "the same runs gave other digits"

# A run against itself: nothing differs, whatever the machine did.
compare 0 first first
says out " 0 slower, 0 faster"

# Runs that visit their cases several times tell by how these differ; no samples are needed for that.
visited() { # visited FOLDER SEED
    "$pairmark" bench --variant 'all_pairs_loop,all_pairs_tile' --precision float --kind fluid --outputs forces --n 250,500 \
        --warm-up 0 --samples-min 30 --samples-max 60 --time-cap 20 --cold 0 --no-plot --shuffle-seed "$2" -o "$1" >bench.log 2>&1 ||
        complain "bench: $(tail -3 bench.log)"
    rm -f "$1/samples.csv"
}
visited visits1 1
visited visits2 2
"$pairmark" compare visits1 visits2 --format csv >out 2>err
[ $? -le 1 ] || complain "two runs with visits: $(cat err)"
lacks err "samples.csv"
lines ',visits,1,1,ok,ok,' 4
"$pairmark" compare visits1 visits2 >out 2>err
lines '4 cases visited several times: visits differ by [0-9.e-]+ % in the median' 2
# Against a run of another kind, its floor counts.
"$pairmark" compare first visits1 >out 2>err
[ $? -le 1 ] || complain "a run with visits against one without: $(cat err)"
says out "4 cases in both"
says out "noise floor"
compare 0 visits1 visits1
says out " 0 slower, 0 faster"

# ---- runs made by hand: known times, known noise ----

columns=run_id,case_id,workload,interaction,variant,structure,precision,outputs,tunables,box_kind,n,density,cutoff,seed,backend
columns=$columns,device,device_model,status,message,force_s_median,force_s_mad,samples,repetition,git_commit,utc
header() { echo "$columns"; }
row() { # row VARIANT N SECONDS STATUS MESSAGE; device, precision, tunables, commit, run, repetition from the environment
    printf 'r%s,%s-%s-%s,forces,"lj:epsilon=1,sigma=1",%s,none,%s,forces,%s,fluid,%s,0.8442,2.5,1,cuda,%s,H200,%s,%s,%s,%s,%s,%s,%s,%s\n' \
        "${run:-1}" "$1" "$2" "${tunables:-A=1}" "$1" "${precision:-float}" "${tunables:-A=1}" "$2" "${device:-cuda:0}" \
        "${4:-ok}" "${5:-}" "$3" "$(awk "BEGIN { print 0.002 * ${3:-0} }")" "${3:+100}" "${repetition:-0}" "${commit:-c1}" "${utc:-2026}"
}
floor() { # floor FOLDER RATIO_SPREAD
    printf '{"noise_floor": {"ratio_spread": %s, "pairs": 8}}\n' "$2" >"$1/environment.json"
}
mkdir base slow
{ header; row loop 1000 1e-3; row loop 2000 2e-3; row tile 1000 5e-4; row half 1000 4e-4 wrong 'force of particle 3'; row gone 1000 1e-3; } >base/rows.csv
{ header; row loop 1000 1.1e-3; row loop 2000 2.002e-3; row tile 1000 4e-4; row half 1000 4e-4; row new 1000 1e-3; row new 2000 1e-3; } >slow/rows.csv
floor base 0.01
floor slow 0.012
compare 1 base slow
says err "base/samples.csv: not there"
says out "noise floor 1.2 % (8 A/A pairs)"
lines '^ *1000  loop +slower +1\.1000 ' 1
lines '^ *1000  tile +faster +0\.8000 ' 1
lines '^ *2000  loop +same +1\.0010 ' 1
says out "4 cases in both: 1 slower, 1 faster, 1 same, 0 unclear; 0 newly wrong, 1 newly ok"
lacks out 'too noisy'
says out "without a partner: 1 of the baseline, 2 of the other"
says out "wrong -> ok: force of particle 3"
lacks out "variant gone"
compare 1 base slow --list-unmatched
says out "variant gone"
says out "only in other: 2"

# The other way round: what was wrong is newly wrong, and stands first.
compare 1 slow base
says out "1 newly wrong"
[ "$(grep -nE '^(newly wrong| *n .* verdict)' out | head -1 | cut -d: -f2 | cut -c1-11)" = "newly wrong" ] || complain "newly wrong does not stand first"
# Newly wrong alone is enough for exit status 1, and unequal speed the right way is not.
{ header; row half 1000 4e-4; row loop 1000 1e-3; } >half_ok.csv
{ header; row half 1000 '' crashed 'signal 11'; row loop 1000 1e-3; } >half_bad.csv
compare 1 half_ok.csv half_bad.csv
says out "ok -> crashed: signal 11"
compare 0 half_bad.csv half_ok.csv
# What a device cannot do is no fault of the result; on the same device it is.
{ header; device=opencl:0:0 row half 1000 '' unsupported 'no fp64'; row loop 1000 1e-3; } >mixed.csv
{ header; row half 1000 '' unsupported 'no fp64'; } >no_longer.csv
{ header; device=opencl:0:0 row half 1000 '' unsupported 'no fp64'; } >elsewhere.csv
{ header; row half 1000 4e-4; } >half_only.csv
compare 1 half_only.csv no_longer.csv
compare 0 half_only.csv elsewhere.csv
says out "1 unsupported"

# Threshold and floor: nothing under them is called.
compare 0 base slow --threshold 30%
says out "0 slower, 0 faster"
compare 0 base slow --threshold=0.3
floor slow 0.25
compare 0 base slow
says out "noise floor 25 %"
says out "0 slower, 0 faster, 0 same, 3 unclear"
floor slow 1e6
compare 0 base slow
says out "noise floor over 999 %"
rm slow/environment.json
compare 0 base slow
says out "noise floor unknown: 10 % is assumed"
echo '{"noise_floor": null' >slow/environment.json
compare 0 base slow
says err "slow/environment.json: cannot be read as JSON"
rm slow/environment.json
floor slow 0.01

# What others took of the processors can have made the difference, and bounds what is called one.
loaded() { awk -F, -v OFS=, -v loads="$2" 'BEGIN { split(loads, of, " ") } { print $0, NR == 1 ? "machine_load" : of[NR - 1] }' "$1"; }
{ header; for n in 1000 2000 3000 4000; do row loop $n 1e-3; done; } >quiet.csv
{ header; for n in 1000 2000 3000 4000; do row loop $n 1.8e-3; done; } >busy.csv
loaded busy.csv '0.02 0.40 0.50 1' >loaded.csv # at 0.4, 1.67 times the time is nothing; at 0.5, twice
compare 1 quiet.csv busy.csv
says out "4 slower"
compare 1 quiet.csv loaded.csv
says out "2 slower, 0 faster, 0 same, 2 unclear"
lines '^ *2000  slower .* 67 % ' 1
lines '^ *4000  unclear .* over 999 % ' 1
says out 'too noisy: above 10 % nothing is the same'
says out "other processes took up to 100 % of the processors"
compare 0 loaded.csv quiet.csv
says out "2 faster, 0 same, 2 unclear"
loaded quiet.csv '0.1 0.09 0.02 0' >slightly.csv
compare 0 slightly.csv slightly.csv
says out "3 same, 1 unclear"
lacks out "other processes took"

# In CI, what cannot be known is no pass.
{ header; for n in 1000 2000; do row loop $n 1e-3; done; } >known.csv
{ header; row loop 1000 1e-3; } >fewer.csv
mkdir quiet_floor wide_floor
cp known.csv quiet_floor/rows.csv
cp known.csv wide_floor/rows.csv
floor quiet_floor 0.01
floor wide_floor 0.08
compare 0 quiet_floor quiet_floor --strict
compare 0 quiet_floor wide_floor
compare 1 quiet_floor wide_floor --strict
says err "2 cases: 0 unclear, 2 the same within more than that"
compare 0 quiet_floor wide_floor --strict --threshold 8%
compare 0 base slow --threshold 30%
compare 1 base slow --threshold 30% --strict # two that came and one that went
says err "3 without a partner"
compare 0 quiet.csv loaded.csv --threshold 90%
says out "1 same, 3 unclear"
compare 1 quiet.csv loaded.csv --threshold 90% --strict
says err "3 cases: 3 unclear"
compare 0 half_bad.csv half_bad.csv
compare 1 half_bad.csv half_bad.csv --strict
says err "1 without a time"
compare 2 known.csv half_only.csv
compare 1 known.csv half_only.csv --strict
says err "no case in common"
compare 0 half_bad.csv half_ok.csv --threshold 20% --strict # newly ok is an answer
compare 1 base slow --strict

# Cases that repeat to 0.1 % and one that strays by 10 %: each by its own measure.
with_visits() { # with_visits SECONDS_OF_QUIET SECONDS_OF_LOUD: rows whose visits are told
    echo "$columns,visits,visit_s_sd"
    for n in $(seq 1000 1019); do echo "$(row loop "$n" "$1"),3,$(awk "BEGIN { print $1 * 0.0005 * (1 + $n % 3) }")"; done
    echo "$(row half 1000 "$2"),3,$(awk "BEGIN { print 0.1 * $2 }")"
}
with_visits 1e-3 1e-5 >repeats.csv
with_visits 1.05e-3 1.08e-5 >slowed.csv
with_visits 1.001e-3 1.08e-5 >again.csv
compare 1 repeats.csv slowed.csv
says out "21 cases in both: 20 slower, 0 faster, 0 same, 1 unclear"
lines '^ *1000  half +unclear ' 1
compare 0 repeats.csv again.csv
says out "0 slower, 0 faster, 20 same, 1 unclear"
compare 1 repeats.csv again.csv --strict
says out "21 cases visited several times: visits differ by 0.10 % in the median"
# Two visits that differ by so much leave an interval that says nothing, and is not written out.
{ grep -v half repeats.csv; echo "$(row half 1000 1e-5),2,6e-6"; } | sed 's/,3,\([^,]*\)$/,2,\1/' >twice.csv
compare 0 twice.csv twice.csv
lines '^ *1000  half +unclear .* \(few samples\)' 1
# What a hand has done to them costs no more than what they tell.
sed 's/,3,[^,]*$/,3,much/' slowed.csv >edited_visits.csv
compare 0 repeats.csv edited_visits.csv
says out "edited_visits.csv, noise floor unknown: 10 % is assumed"
says out "*          from median and MAD"

# Slower by the clock alone is not slower; where a clock is not known, times decide.
at_clock() { awk -F, -v OFS=, -v mhz="$2" '{ print $0, NR == 1 ? "sm_clock_mhz" : mhz }' "$1"; }
at_clock repeats.csv 1980 >at_1980.csv
at_clock slowed.csv 1980 >slowed_at_1980.csv
at_clock slowed.csv 1886 >slowed_at_1886.csv # 1980 / 1.05
at_clock slowed.csv '' >slowed_at_unknown.csv
compare 1 at_1980.csv slowed_at_1980.csv
says out "20 slower, 0 faster, 0 same, 1 unclear"
says out "cycles     of 21 cases known"
compare 0 at_1980.csv slowed_at_1886.csv
says out "0 slower, 0 faster, 0 same, 21 unclear"
says out "20 unclear: the clock differs, the cycles do not"
compare 0 at_1980.csv slowed_at_1886.csv --format csv -o clocks.csv
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles_ratio") at = i; next } $at ~ /^1\.0001/ { n++ } END { print n + 0 }' clocks.csv)" -eq 20 ] ||
    complain "cycles_ratio in clocks.csv"
compare 0 slowed_at_1886.csv at_1980.csv
compare 1 at_1980.csv slowed_at_unknown.csv
says out "cycles     not known: differences are of times alone"

# N and variant come first, and only those tunables that tell lines of a variant apart; a line fits.
{ header; for lanes in 1 4; do tunables="CELLS=1 LANES=$lanes" row loop 1000 1e-3; done; tunables=B=2 row tile 1000 1e-3; } >tuned.csv
compare 0 tuned.csv tuned.csv
lines '^loop +same .*  LANES=[14]$' 2
lacks out 'CELLS=1'
lacks out 'B=2'
compare 0 tuned.csv tuned.csv --verbose
lines '^loop +same .*  CELLS=1 LANES=[14]$' 2
COLUMNS=70 compare 0 tuned.csv tuned.csv
lines '^    LANES=[14]$' 2

# Formats.
compare 1 base slow --format csv -o table.csv
says out "4 cases in both"
[ "$(wc -l <table.csv)" -eq 5 ] || complain "table.csv"
head -1 table.csv | grep -q '^baseline_side,other_side,verdict,ratio,ratio_low,ratio_high,' || complain "columns of table.csv"
grep -q '^base,slow,slower,1.1,' table.csv || complain "the slower case in table.csv"
compare 1 base slow --format csv -o -
says out "base,slow,slower,1.1,"
compare 1 base slow --format markdown
lines '^\| 1000 \| loop \| slower \| 1\.1000 \|' 1
compare 1 base slow --format=csv --list-unmatched
lines 'only in (baseline|other)' 3

# More than two runs: each against the first.
compare 1 base slow base
says out "slow against base: 4 cases in both: 1 slower"
says out "base against base: 5 cases in both: 0 slower"
compare 1 base slow base --baseline slow
says out "base against slow"
compare 2 base slow --baseline slwo
says err "slow"

# ---- by what the rows say ----

{
    header
    row loop 1000 1e-3
    precision=double row loop 1000 2e-3
    tunables=B=1 row tile 1000 9e-4
    tunables=B=2 row tile 1000 5e-4
    tunables=B=4 row tile 1000 '' wrong 'no'
    device=opencl:1:0 row loop 1000 3e-3
} >all.csv
{
    header
    row loop 1000 1e-3
    commit=c2 utc=2025 run=2 row loop 1000 4e-3
} >commits.csv
compare 1 all.csv --by precision
says out "double against float: 1 case in both: 1 slower"
compare 0 all.csv --by variant
lines '^faster ' 1
lines '^    A=1$' 1 # below: beside it, the table would be wider than 80 columns
lines '^    B=2$' 1
compare 1 all.csv --by device --baseline '*cuda*'
says out "H200 opencl:1:0 against H200 cuda:0: 1 case in both: 1 slower"
compare 0 all.csv --by device --baseline '*opencl*'
compare 0 commits.csv --by commit
says out "c1 against c2" # c2 is the older
compare 1 commits.csv --by commit --baseline c1
says out "c2 against c1"
compare 2 half_only.csv --by commit
says err "all rows are of one commit"
compare 2 half_only.csv --by colour
says err "precision"

# Two devices in each run are not mixed.
{ header; row loop 1000 1e-3; device=opencl:1:0 row loop 1000 2e-3; } >two_devices.csv
compare 0 two_devices.csv two_devices.csv
says out "2 cases in both: 0 slower, 0 faster, 2 same"
# One case on one device against the same on another is joined.
{ header; row loop 1000 1e-3; } >cuda.csv
{ header; device=opencl:0:0 row loop 1000 9e-3; } >pocl.csv
compare 1 cuda.csv pocl.csv
says out "1 case in both: 1 slower"

# Repetitions are pooled; where they disagree by more than the difference, nothing is known.
{ header; for r in 0 1 2; do repetition=$r row loop 1000 1e-3; done; } >steady.csv
{ header; repetition=0 row loop 1000 1e-3; repetition=1 row loop 1000 1.5e-3; repetition=2 row loop 1000 2e-3; } >unsteady.csv
{ header; for r in 0 1 2; do repetition=$r row loop 1000 1.2e-3; done; } >slower.csv
compare 1 steady.csv slower.csv
compare 0 steady.csv unsteady.csv
says out "0 slower, 0 faster, 0 same, 1 unclear"
# So are runs joined by a comma, and each run counts once: steady within themselves, they may stray.
{ header; run=1 row loop 1000 1e-3; } >a1.csv
{ header; run=2 row loop 1000 1.001e-3; } >a2.csv
{ header; run=3 row loop 1000 1.2e-3; } >b1.csv
{ header; run=4 row loop 1000 1.2e-3; } >b2.csv
{ header; run=5 row loop 1000 2e-3; } >b3.csv
compare 1 a1.csv,a2.csv b1.csv,b2.csv
says out "b1.csv,b2.csv against a1.csv,a2.csv: 1 case in both: 1 slower"
compare 1 a1.csv b1.csv
compare 0 a1.csv,a2.csv b1.csv,b3.csv
says out "1 unclear"
cp b1.csv with,comma.csv
compare 1 a1.csv with,comma.csv
compare 2 a1.csv, b1.csv
says err "'a1.csv,'"
# One repetition that failed is a case that failed.
{ header; repetition=0 row loop 1000 1e-3; repetition=1 row loop 1000 '' wrong bad; } >half_wrong.csv
compare 1 steady.csv half_wrong.csv
says out "1 newly wrong"

# ---- files as people and crashes leave them ----

# Cut in the middle of a line, as a killed run leaves it.
head -c -20 base/rows.csv >cut.csv
compare 0 base/rows.csv cut.csv
says err "cut.csv:6: dropped: the line is cut short"
says out "4 cases in both"
says out "without a partner: 1 of the baseline"
# A column that is not ours, others that are missing, another order, numbers spelled otherwise.
awk -F, -v OFS=, 'NR == 1 { print $0, "mood" } NR > 1 { print $0, "fine" }' base/rows.csv >more.csv
compare 0 base/rows.csv more.csv
says err "more.csv:1: unknown column skipped: mood"
says out "5 cases in both"
sed 's/,0.8442,2.5,1,/,0.84420,2.50,1,/' base/rows.csv >spelled.csv
compare 0 base/rows.csv spelled.csv
says out "5 cases in both"
# Rows of a format without reductions are those of the usual one.
awk -F, -v OFS=, 'NR == 1 { print $0, "reduction" } NR > 1 { print $0, "tree" }' base/rows.csv >tree.csv
compare 0 base/rows.csv tree.csv
says out "5 cases in both"
sed 's/,tree$/,atomic/' tree.csv >atomic.csv
compare 2 tree.csv atomic.csv
# Hand edits: a word where a number was, a status that there is not, a line with a field too many, a line twice.
sed -e '2s/,0.001,/,fast,/; 2s/,1e-3,/,fast,/' -e '3s/,ok,/,fine,/' -e '4s/$/,more/' base/rows.csv >edited.csv
tail -1 base/rows.csv >>edited.csv
compare 0 base/rows.csv edited.csv
says err "edited.csv:2: left without a time: force_s_median is 'fast'"
says err "edited.csv:3: skipped: there is no status fine"
says err "edited.csv:4: dropped: 26 fields where 25 were expected"
says err "edited.csv:7: skipped: the case and repetition stand above already"
says out "3 cases in both"
says out "1 untimed"

# Samples: gone, cut, or at odds with their row.
cp -r first samples_gone
rm samples_gone/samples.csv
compare 0 first samples_gone --threshold 50%
says err "samples_gone/samples.csv: not there"
says out "4 cases in both"
says out "*          from median and MAD"
cp -r first samples_cut
half=$(($(wc -l <first/samples.csv) / 2))
{ head -n "$half" first/samples.csv && tail -n "+$((half + 1))" first/samples.csv | head -c 20; } >samples_cut/samples.csv
compare 0 first samples_cut --despite-checksums --threshold 50%
says err "the line is cut short"
says out "4 cases in both"
cp -r first samples_odd
awk -F, -v OFS=, 'NR > 1 { $5 *= 2 } 1' first/samples.csv >samples_odd/samples.csv
"$pairmark" compare first samples_odd --despite-checksums >out 2>err
[ $? -le 1 ] || complain "samples that are not their row's"
says err "is not the median of its samples"
lines ' +2\.0000 ' 4

# What would drive a terminal is not sent to one, whichever file it stands in.
cp -r first dressed
sed -i $'2s/,ok,/,o\e[2Jk,/; 3s/,ok,/,wrong,/; 3s/all_pairs_loop/\e[31mred/' dressed/rows.csv
echo $'case_id,seconds,seconds\n' >dressed/samples.csv
"$pairmark" compare first dressed --despite-checksums --list-unmatched >out 2>err
says err "dressed/rows.csv:2: skipped: there is no status o?[2Jk"
says err "dressed/samples.csv: line 1: the column seconds stands twice: intervals come from the medians"
says out "?[31mred"
compare 2 first dressed -o dressed/samples.csv
says err "-o: dressed/samples.csv is what a run recorded"
if grep -q $'\e' out err; then complain "a control character came through"; else pass; fi

# The format of 61 columns, without samples, against itself and against another device.
compare 0 "$runs/card" "$runs/card"
says out "6 cases in both: 0 slower, 0 faster"
compare 1 "$runs/card" "$runs/processor"
says out "6 cases in both: 6 slower"
compare 2 "$runs/card" first
says err "no case in common"

# A run that is killed compares with what it has.
sizes=(--variant all_pairs_loop --precision float --kind fluid --outputs forces --n '300:1k:+100' --warm-up 0 --samples-min 11
    --samples-max 20 --time-cap 0.1 --cold 0 --visits 1 --no-plot)
"$pairmark" bench "${sizes[@]}" -o whole >bench.log 2>&1
"$pairmark" bench "${sizes[@]}" -o killed >bench.log 2>&1 &
bench=$!
for _ in $(seq 1200); do
    [ -f killed/rows.csv ] && [ "$(wc -l <killed/rows.csv)" -ge 6 ] && break # two of the rows may be twins
    sleep 0.05
done
{ kill -KILL $bench; wait $bench; } 2>/dev/null
"$pairmark" compare whole killed --threshold 90% >out 2>err
[ $? -le 1 ] || complain "a killed run: $(cat err)" # what the machine did meanwhile may have slowed one of them, truly
says out "0 newly wrong, 0 newly ok"
says out "0 of the other"
both=$(sed -n 's/.*: \([0-9]*\) cases in both.*/\1/p' out)
[ "${both:-0}" -ge 2 ] || complain "$both cases of the killed run"

# ---- arguments ----

compare 2
compare 2 first
says err "--by device"
compare 2 first nowhere
says err "nowhere"
compare 2 first /dev/null
# A run counted twice would seem to know better what it took.
compare 2 first,second/,first/rows.csv second
says err "first/rows.csv: the same run as first, on one side"
compare 0 first first
compare 2 first second --threshold 3x
compare 2 first second --threshold -1
compare 2 first second --threshold nan
compare 2 first second --format html
says err "markdown"
compare 2 first second --formt csv
says err "--format"
compare 2 first second --by
compare 2 first second -o /proc/none/x
compare 0 --help
says out "--list-unmatched"

conclude
