#!/usr/bin/env bash
# pairmark bench on the command line, on whatever device is the best here: small boxes only.
. "$2/lib.sh" || exit 1

bench() { # bench STATUS WORDS...
  expect "$1" bench "${@:2}"
}
rows() { # rows FOLDER COUNT: messages of cases that pass hold no newlines, so lines are rows
  local count
  count=$(($(wc -l <"$1/rows.csv") - 1))
  [ $count -eq "$2" ] || complain "$count rows in $1, expected $2"
}

column() { # column FOLDER NAME: its values, of rows whose messages are empty
  local place
  place=$(head -n 1 "$1/rows.csv" | tr ',' '\n' | grep -nx "$2" | cut -d: -f1)
  tail -n +2 "$1/rows.csv" | sed 's/"[^"]*"/quoted/g' | cut -d, -f"$place"
}

brief=(--samples-min 3 --samples-max 5 --time-cap 0.05 --warm-up 0 --cold 1 --no-plot)
quick=("${brief[@]}" --visits 1)
fast=("${quick[@]}" --twins 0)
case=(--variant 'all_pairs_loop,sorted_cells' --precision float --kind fluid)
small=("${case[@]}" --n 500,1k)

# One folder holds it all.
bench 0 "${small[@]}" "${fast[@]}" -o first --shuffle-seed 7
rows first 4
for file in rows.csv samples.csv stages.csv benchmark.json environment.json summary.txt; do
  [ -s "first/$file" ] || complain "no first/$file"
done
says out "4 ok"
cmp -s out first/summary.txt || complain "summary.txt is not what was printed"
says first/environment.json '"shuffle_seed":7'
says err "[4/4]"
# What each stage took: sorted_cells has a structure, all_pairs_loop none.
stages=$(tail -n +2 first/stages.csv | cut -d, -f4 | sort | uniq -c | tr -s ' ' | tr '\n' ';')
[ "$stages" = ' 6 build sorted_cells; 6 pass all_pairs_loop; 6 pass sorted_cells;' ] ||
  complain "stages: $stages"
[ "$(tail -n +2 first/stages.csv | cut -d, -f5 | sort -u | tr '\n' ' ')" = 'median_s min_s samples ' ] || complain 'statistics of stages'
tail -n +2 first/stages.csv | awk -F, '$6 <= 0 || $3 != 0 { exit 1 }' || complain 'stages without a time'
[ "$(tail -n +2 first/stages.csv | cut -d, -f1 | sort -u)" = "$(tail -n +2 first/samples.csv | cut -d, -f1 | sort -u)" ] ||
  complain 'cases of stages.csv'
[ "$(grep -c '"pairs_per_s": [1-9]' first/benchmark.json)" -eq 4 ] || complain "benchmark.json"

# Nothing is overwritten.
cp first/rows.csv before.csv
bench 2 "${small[@]}" "${fast[@]}" -o first
says err "--resume"
cmp -s first/rows.csv before.csv || complain "a refused run changed rows.csv"

# What has a row is not measured again; the axes come from the folder, or from the user.
bench 0 --resume first --no-plot
cmp -s first/rows.csv before.csv || complain "resuming a complete run changed rows.csv"
head -n 3 before.csv >first/rows.csv
forget_checksums first
printf 'cut,short' >>first/rows.csv
bench 0 --resume first
rows first 4
head -c "$(head -n 3 before.csv | wc -c)" first/rows.csv | cmp -s - <(head -n 3 before.csv) ||
  complain "resuming changed the rows that were there"
bench 0 "${case[@]}" --n 250,500,1k "${fast[@]}" --resume first
rows first 6

# A run measures its noise by timing some cases again; those are no results.
bench 0 "${small[@]}" "${quick[@]}" -o twice
rows twice 5
says out "rows     4: 4 ok; 1 more timed a second time"
says out "smaller differences mean nothing (from 1 case timed twice)"
[ "$(grep -c 'n:.*/again' twice/rows.csv)" -eq 1 ] || complain "no twin in twice/rows.csv"
says twice/environment.json '"noise_floor":{'
says twice/environment.json '"pairs":1'
grep -q '"ratio_spread":[0-9]' twice/environment.json || complain "no ratio_spread"
bench 0 --resume twice --no-plot
rows twice 5
head -n 2 twice/rows.csv >cut.csv && mv cut.csv twice/rows.csv
forget_checksums twice
bench 0 --resume twice --no-plot
rows twice 5
grep -q '"ratio_spread":null' first/environment.json || complain "a noise floor without twins"

# Unless said otherwise every case is visited three times, in three rounds, and has no twin; a row is made of its visits.
several=("${brief[@]/#0.05/20}") # a --time-cap that no launch is long for
bench 0 "${small[@]}" "${several[@]}" -o visits --shuffle-seed 7
rows visits 4
says err "[4/4] done in"
says_like err '^\[sweep 1/3, 1/4\] estimating\.\.\., (all_pairs_loop|sorted_cells), N = (500|1000), float, fluid, forces$'
says visits/environment.json '"visits":3'
says visits/environment.json '"twins":0'
[ "$(wc -l <visits/visits.csv)" -eq 13 ] || complain "$(wc -l <visits/visits.csv) lines in visits.csv, expected 13"
[ "$(column visits visits | sort -u)" = 3 ] || complain "visits: $(column visits visits)"
column visits visit_s_sd | grep -qvE '^[0-9.e-]+$' && complain "visit_s_sd: $(column visits visit_s_sd)"
[ "$(cut -d, -f8 visits/samples.csv | sort -u | tr '\n' ' ')" = "0 1 2 visit " ] || complain "visits of samples.csv"
[ "$(tail -n +2 visits/stages.csv | cut -d, -f3 | sort -u)" = 0 ] || complain "visits of stages.csv"
says out "visits   of one case differ by"
# Whether a made box has images is not told by its density.
bench 0 --variant all_pairs_loop --kind fluid --n 100 --open --precision float --outputs forces "${fast[@]}" -o open
[ "$(column open periodic)" = 0 ] || complain "periodic of an open box: $(column open periodic)"
# A row that a crash has kept from the file is made of its visits again, and nothing is measured.
cp visits/rows.csv whole.csv
cp visits/visits.csv before.csv
head -n 3 whole.csv >visits/rows.csv
forget_checksums visits
bench 0 --resume visits --no-plot
[ "$(sort visits/rows.csv)" = "$(sort whole.csv)" ] || complain "rows made again of their visits differ"
cmp -s visits/visits.csv before.csv || complain "resuming a run whose visits are complete measured some"
# A visit that is missing is made up for.
head -n 2 whole.csv >visits/rows.csv
head -n 11 before.csv >visits/visits.csv
forget_checksums visits
bench 0 --resume visits --no-plot
rows visits 4
[ "$(wc -l <visits/visits.csv)" -eq 13 ] || complain "$(wc -l <visits/visits.csv) lines in visits.csv after resuming"
[ "$(column visits visits | sort -u)" = 3 ] || complain "visits after resuming: $(column visits visits)"
bench 2 "${small[@]}" "${several[@]}" -o visits

# What the device can do at best, measured once and then kept.
for peak in fp32_operations_per_s fp64_operations_per_s fp32_rsqrt_per_s copy_bytes_per_s \
  local_read_bytes_per_s; do
  grep -q "\"$peak\":[1-9]" twice/environment.json || complain "no peak $peak"
done
grep -q '"launch_overhead_us":[0-9]' twice/environment.json || complain "no launch_overhead_us"
[ -n "${PAIRMARK_TEST_PEAKS:-}" ] || says first/environment.json '"cached":false'
# They are measured again where others had taken the processors.
load=$(json 'first(.. | objects | .machine_load | numbers)' first/environment.json)
awk "BEGIN { exit !(${load:-0} <= 0.1) }" && ! grep -q '"cached":true' twice/environment.json &&
  complain "the peaks were measured twice"

# How far a time can be trusted: a processor tells of its load; nothing of it has an energy counter.
bench 0 "${case[@]}" --n 1k --samples-min 300 --samples-max 4k --noise 1e-9 --time-cap 0.3 --energy \
  --visits 1 --twins 0 --no-plot -o long
if grep -q '"is_cpu":true' long/environment.json; then
  column long machine_load | grep -qvE '^(0|1|0?\.[0-9]+|[0-9.]+e-[0-9]+)$' &&
    complain "machine_load is no share: $(column long machine_load)"
  column long energy_j | grep -q . && complain "a processor without a counter has an energy"
fi
column long short_kernel | grep -qvx '[01]' && complain "short_kernel: $(column long short_kernel)"
says long/environment.json '"energy":true'

# Others that take the processors are told of, in the row and in the summary.
if grep -q '"is_cpu":true' long/environment.json; then
  others=()
  for _ in $(seq "$(nproc)"); do
    timeout 300 sh -c 'while :; do :; done' &
    others+=($!)
  done
  bench 0 "${case[@]}" --n 1k --samples-min 4k --samples-max 4k --time-cap 0.3 --visits 1 --twins 0 --no-plot -o loaded
  kill "${others[@]}"
  wait "${others[@]}" 2>/dev/null
  for load in $(column loaded machine_load); do
    awk "BEGIN { exit !($load > 0.1 && $load <= 1) }" || complain "machine_load $load beside busy loops"
  done
  says out "other processes took more than 10 % of the processors"
fi

# Google Benchmark's words.
bench 0 "${small[@]}" "${fast[@]}" -- --benchmark_list_tests
[ "$(grep -c n:1000 out)" -eq 2 ] || complain "--benchmark_list_tests"
[ -z "$(ls -d results-* 2>/dev/null)" ] || complain "listing made a folder"
bench 0 "${small[@]}" "${fast[@]}" -o words -- --benchmark_filter=loop.*n:500 \
  --benchmark_repetitions=2 --benchmark_enable_random_interleaving=true --benchmark_out=own.json
rows words 2
[ -s own.json ] || complain "--benchmark_out"
[ ! -e words/benchmark.json ] || complain "benchmark.json beside --benchmark_out"
bench 2 "${small[@]}" "${fast[@]}" -o none -- --benchmark_filter=nothing
bench 2 "${small[@]}" "${fast[@]}" -o none -- --benchmark_fliter=x
says err "benchmark_fliter"

# Arguments that make no sense.
bench 2 --preset quik -o none
says err "quick"
bench 2 --samples-mni 3
says err "--samples-min"
bench 2 --samples-min 9 --samples-max 3 -o none
bench 2 --samples-max 0
bench 2 --noise nan
bench 2 --visits 0
says err "--visits"
bench 2 --visits 100
bench 2 --visits some
bench 2 --visits
bench 2 --twins -1
says err "--twins"
bench 2 --twins many
bench 2 --twins
bench 2 --energy=1
bench 2 --deadline -1
bench 2 --variant all_pairs_lop -o none
says err "all_pairs_loop"
bench 2 --resume nowhere "${small[@]}"
bench 2 --resume nowhere
# A folder that a hand or a crash has been at: what is wrong is named, and all stays as it was.
marred() { # marred FILE SED-SCRIPT WORDS: --resume of `first` with that file edited is refused
  rm -rf marred
  cp -r first marred
  sed -i "$2" "marred/$1"
  cp "marred/$1" before
  bench 2 --resume marred --despite-checksums "${@:4}"
  says err "$3"
  cmp -s before "marred/$1" || complain "$1 was changed by a refused --resume: $2"
}
marred rows.csv '2s/,ok,/,fine,/' "marred/rows.csv:2: the status is 'fine'"
marred rows.csv '2s/,ok,/,,/' "marred/rows.csv:2: the status is ''"
median=$(column first force_s_median | head -n 1)
marred rows.csv "2s/,$median,/,nan,/" "marred/rows.csv:2: force_s_median 'nan': expected a finite number"
marred rows.csv "2s/,$median,/,,/" "marred/rows.csv:2: the status is ok and force_s_median ''"
marred environment.json '2,$d' 'and would be written over' "${case[@]}" --n 250
marred environment.json 's/"shuffle_seed":[0-9]*/"shuffle_seed":-1/' 'lacks the command line'
marred environment.json '/"command_line":\[/,/\]/{/^ *"/{/command_line/!d}}' 'records no command line of bench'
bench 2 --device cuda:99 -o none
bench 2 "${small[@]}" --device opencl:0:0,opencl:0:0 -o none
says err "twice"
bench 2 "${small[@]}" "${fast[@]}" -o /proc/none
bench 0 --help
says out "standard"
says out "--twins"
says out "--visits"
says out "--energy"
[ ! -e none ] || complain "a refused run made its folder"

# A kernel that does not compile costs its case, and the rest goes on.
sed 's/all_pairs_loop/broken_loop/g; $a this does not compile' \
  "$tests/../variants/forces/all_pairs_loop.cl" >broken.cl
bench 1 --variant all_pairs_loop --variant-file broken.cl --precision float --n 500 "${fast[@]}" -o broken
says out "FAILED"
says broken/rows.csv compile_error
says out "1 ok"

# Ctrl-C, which goes to all processes of the terminal's group: whole rows stay, the summary is
# printed, nothing of ours goes on running. Job control gives the run a group of its own.
set -m
"$pairmark" bench "${case[@]}" --n 500:4k:+100 "${fast[@]}" -o stopped >out 2>err </dev/null &
bench=$!
set +m
for _ in $(seq 600); do
  [ -f stopped/rows.csv ] && [ "$(wc -l <stopped/rows.csv)" -ge 3 ] && break
  kill -0 $bench 2>/dev/null || break
  sleep 0.1
done
kill -INT -- -$bench
wait $bench
got=$?
[ $got -eq 130 ] || { complain "exit $got after Ctrl-C, expected 130"; tail -5 err; }
says out " ok"
says_like err '^\[[0-9]+/72\] stopped after '
recorded=$(($(wc -l <stopped/rows.csv) - 1))
says err "interrupted: $recorded of 72 cases are recorded in stopped; to continue: $pairmark bench --resume stopped"
lacks err 'done in'
grep -q 'FAILED\|crashed' out && complain "Ctrl-C was taken for a failure"
[ "$(tail -c 1 stopped/rows.csv | wc -l)" -eq 1 ] || complain "a row is cut short"
kill -0 -- -$bench 2>/dev/null && complain "a process outlives Ctrl-C"

# What a preset would run is planned only where the device can; what is named has its row.
expect 0 devices
if ! grep -q '^cuda:' out; then
  tiny=(--precision float --kind fluid --n 33 --no-plot --visits 1 --twins 0 -- --benchmark_list_tests)
  bench 0 "${tiny[@]}"
  lacks out all_pairs_tensor
  says err 'left out: 1 case that needs CUDA (all_pairs_tensor)'
  bench 0 --variant all_pairs_tensor "${tiny[@]}"
  says out all_pairs_tensor
  bench 0 --variant all_pairs_tensor --precision float --kind fluid --n 33 "${fast[@]}" -o tensor
  says tensor/rows.csv 'unsupported,'
fi

# On a terminal the line fits it; the run ends with its report and with what to do next.
if has_terminals; then
  script -qec "stty cols 50; '$pairmark' bench --structure none --kind fluid --precision float --outputs forces --n 33 --samples-min 3 --samples-max 3 --time-cap 0.01 --warm-up 0 --cold 0 -o page" \
    /dev/null </dev/null >out 2>&1 || complain 'bench on a terminal'
  longest=$(tr '\r\033' '\n' <out | sed -n 's/^\[K\[sweep/[sweep/p' | awk 'length($0) > most { most = length($0) } END { print most }')
  check "a progress line of ${longest:-no} characters fits 50 columns" [ "${longest:-50}" -lt 50 ]
  tr -s '\r\n ' ' ' <out >flat # lines are wrapped
  says flat "everything on one page: page/report.html"
  next=$(sed -n "s|.* $pairmark \(best .*\) $|\1|p" flat)
  # shellcheck disable=SC2086 # words
  check "what to run next runs: $next" exits 0 $next --budget 1 --variant all_pairs_loop
  says out ' of fluid, N = 33, '
  grep -q '<html' page/report.html || complain 'no page'
fi

conclude
