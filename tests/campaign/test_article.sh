#!/usr/bin/env bash
# pairmark bench --preset article: its cases run and pass, and queries answer its questions.
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

# A few of them, those of each question: all pass.
few="CUTOFF=2.*(STAGE_LOADS|INNER_CHECK)|/all_pairs_half/float/(forces|energy)/.*n:1400/.*UNIT=8,GROUP_SIZE=256"
few="$few|GROUP_SIZE=32,PAIRS_PER_GROUP=(1|16)/|/all_pairs_half/.*n:1400/.*TYPE_TABLE"
bench 0 "${fast[@]}" -o first -- "--benchmark_filter=$few"
says_like out '^rows +12: 12 ok'
cmp -s out first/summary.txt || complain "summary.txt is not what was printed"

# Each question of the article is a pair of cases that differ in one thing: a ratio and its interval.
queries=$tests/../share/queries
answers() { # answers FOLDER: what one thing costs there, by CSV in $work/answers
  expect 0 query "$queries/one-change.sql" "$1" --csv
  cp out answers
}
answered() { # answered CHANGE: such a line, with three numbers, of which the first lies between the others
  grep -E "^$1," answers | head -n 1 | awk -F, '{ fits = $7 > 0 && $7 <= $6 && $6 <= $8 } END { exit !fits }'
}
answers first
for change in 'outputs,forces,energy' 'STAGE_LOADS,0,1' 'INNER_CHECK,0,1' 'TYPE_TABLE,0,1' 'TYPE_TABLE,0,2'; do
  check "$change is answered" answered "$change"
done
# Constants compiled in, by a table of types, chosen by types: three pairs of forms.
check 'and the forms of the interaction' [ "$(grep '^interaction,' answers | cut -d'"' -f2,4 | sort -u | wc -l)" -eq 3 ]
check 'what was not measured is not' [ "$(grep -c '^outputs,forces,virial' answers)" -eq 0 ]
expect 0 query "$queries/article-cells.sql" first --csv
check 'the claim is measured with 1 and 16 pairs of cells' [ "$(tail -n +2 out | cut -d, -f1 | xargs)" = '1 16' ]

# Resumed, nothing is measured again; a case that did not pass answers nothing.
cp first/rows.csv before.csv
bench 0 "${fast[@]}" --resume first -- "--benchmark_filter=$few"
cmp -s first/rows.csv before.csv || complain "resuming a complete run changed rows.csv"
sed -i '/STAGE_LOADS=0/s/,ok,/,wrong,/' first/rows.csv
expect 0 query "$queries/one-change.sql" first --csv --despite-checksums
lacks out STAGE_LOADS,0,1

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
answers steps
for change in WRAP,0,1 COUNT_CROSSINGS,1,2 STAGE_VELOCITIES,0,1 PARAMETERS,0,1 PARAMETERS,0,2 FILL_CELLS,0,1 CELL_LOOKUP,0,8 FACTOR_BY_ALL,0,1; do
  check "$change is answered" answered "$change"
done
check 'what was not timed is not' [ "$(grep -c '^PARTICLES_PER_ITEM' answers)" -eq 0 ]

conclude
