#!/usr/bin/env bash
# pairmark bench --preset article: its cases run, pass, and answer the questions.
. "$2/lib.sh" || exit 1

bench() { # bench STATUS WORDS...
  expect "$1" bench --preset article "${@:2}"
}
# So many samples however slow the machine is at the moment: with fewer there is no interval.
fast=(--samples-min 11 --samples-max 20 --time-cap 30 --warm-up 0 --cold 0 --visits 1 --no-plot)

# The spans are joined without duplicates, and hold every kernel, the article's point and the sweep.
bench 0 -- --benchmark_list_tests
[ -z "$(sort out | uniq -d)" ] || complain "a case is there twice"
for kernel in all_pairs_half linked_cells_by_cell linked_cells_by_pair cell_pairs_two_pass cell_star; do
  [ "$(grep -c "/$kernel/.*/n:1400/" out)" -ge 1 ] || complain "no $kernel at 1400"
  [ "$(grep "/$kernel/" out | grep -o 'n:[0-9]*' | sort -u | wc -l)" -ge 3 ] || complain "no sweep of $kernel"
done
for pairs in 1 2 4 8 16; do
  says_like out "/n:1400/.*PAIRS_PER_GROUP=$pairs/"
done
listed=$(grep -c . out)
[ "$(grep -c 'density:0.0213/cutoff:6' out)" -eq "$listed" ] || complain "a case of another box"

# A few of them, those of each question: all pass, and each question has its ratio and interval.
few="CUTOFF=2.*(STAGE_LOADS|INNER_CHECK)|/all_pairs_half/float/(forces|energy)/.*n:1400/.*UNIT=8,GROUP_SIZE=256"
few="$few|GROUP_SIZE=32,PAIRS_PER_GROUP=(1|16)/|/all_pairs_half/.*n:1400/.*TYPE_TABLE"
bench 0 "${fast[@]}" -o first -- "--benchmark_filter=$few"
says_like out '^rows +12: 12 ok'
says_like out 'about 2 with one pair, about 1 with 8 or 16'
interval='[0-9]+\.[0-9]+ \[[0-9.]+, [0-9.]+\]'
says_like out "$interval +PAIRS_PER_GROUP 1, N = 1400"
says_like out "$interval +PAIRS_PER_GROUP 16, N = 1400"
# Where a table of types lies, and what choosing by types costs: a pair of cases for each.
for question in 'constant memory / read from global' 'each group / read from global' \
  'from a table of types / compiled in' 'pair of types' 'from the table / compiled in'; do
  grep -A1 -E "$question" out | grep -qE "^ +$interval +all_pairs_half, N = 1400" || complain "no answer: $question"
done
for question in 'energy / forces alone' 'left to the compiler / staged' 'cell dropped / kept'; do
  grep -A1 -E "$question" out | grep -qE "^ +$interval " || complain "no answer: $question"
done
# What was not measured is not answered.
grep -A1 'energy and virial / forces' out | grep -q 'no pair of cases' || complain "virial answered"
cmp -s out first/summary.txt || complain "summary.txt is not what was printed"

# Resumed, nothing is measured again; a case that did not pass answers nothing.
cp first/rows.csv before.csv
bench 0 "${fast[@]}" --resume first -- "--benchmark_filter=$few"
cmp -s first/rows.csv before.csv || complain "resuming a complete run changed rows.csv"
sed -i '/STAGE_LOADS=0/s/,ok,/,wrong,/' first/rows.csv
"$pairmark" bench --resume first --no-plot >out 2>err </dev/null
grep -A1 'left to the compiler' out | grep -q 'no pair of cases' || complain "a wrong case was compared"

# The user's words go before the preset's.
bench 0 --n 200 --variant all_pairs_half -- --benchmark_list_tests
[ "$(grep -c . out)" -eq 7 ] || complain "--n and --variant: $(cat out)"
bench 0 --n 200 --variant all_pairs_half --interaction lj -- --benchmark_list_tests
[ "$(grep -c . out)" -eq 3 ] || complain "--interaction: $(cat out)"
bench 0 --tune STAGE_LOADS=0 --variant linked_cells_by_cell --n 400 --outputs forces -- --benchmark_list_tests
says_like out 'STAGE_LOADS=0/'
[ "$(grep -c . out)" -eq 3 ] || complain "--tune: $(cat out)"
"$pairmark" bench --help | grep -q '^  article ' || complain "--help"

# The article's whole step: cases of each question pass, and it has its answer.
expect 0 bench --preset step-article "${fast[@]}" -o steps -- \
    "--benchmark_filter=sorted_cells/float/forces/.*/n:1400/.*(COUNT_CROSSINGS=(1,.*PARTICLES_PER_ITEM=1,.*WRAP|2,.*PARTICLES_PER_ITEM=1,.*WRAP=0)|FACTOR_BY_ALL|STAGE_VELOCITIES=0|PARAMETERS=[12])|verlet_fill.*/n:1400/"
says_like out '^rows +12: 12 ok'
answered() { # answered QUESTION: its first answer is a ratio with an interval
  grep -F -A 1 -- "$1" out | tail -n 1 | grep -Eq "^ +$interval"
}
check 'wrapping is answered' answered 'wrapping into the cell by floor / by branches'
check 'and what sums at faces cost' answered 'particles and momenta summed by type and face / crossings counted per particle'
check 'and loads' answered 'velocities loaded at each use, by the integrator / kept in registers'
check 'and where numbers lie' answered 'numbers of a step in a struct by value / in arguments'
check 'and constant memory' answered 'numbers of a step in constant memory / in arguments'
check 'and who fills cells' answered 'cells filled in the first half of the step / built apart'
check 'and how cells are found' answered 'cell of a particle looked up in a table per axis / found by arithmetic'
check 'and the factor' answered 'factor of a thermostat worked out by every work-item / by one'
check 'what was not timed is not' says out 'no pair of cases that passed'

conclude
