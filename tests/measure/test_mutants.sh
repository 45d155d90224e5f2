#!/usr/bin/env bash
# The gate rejects every kernel that is broken on purpose, and accepts the same kernel unbroken.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants

# Many mutations per check: what PoCL loads to compile is then loaded once. Periodic boxes alone, from files: an open one beside
# each has every kernel compiled a second time; those of "limits" below are open, too.
"$pairmark" box fluid --n 1000 --density 0.8442 -o fluid.xyz
"$pairmark" box fluid --n 500 --density 0.8442 -o small.xyz
"$pairmark" box fluid --n 2048 --density 0.8442 -o large.xyz

# judge FILE MUTATIONS ARGUMENT...: `pairmark check -v` of these mutations of a mutant, into out
judge() {
    "$pairmark" check --variant-file "$mutants/$1.cl" --variant "$1" --cutoff 2.5 --tune "MUTATION=$2" "${@:3}" -v >out 2>err </dev/null
}
# is VERDICT MUTATION [WORDS]: a case of that mutation, with these words of its name ("/double/"), has that verdict, and none another
is() { grep -qE "^$1 .*${3:-}.*MUTATION=$2:?( |\$)" out && ! grep -E "${3:-}.*MUTATION=$2:?( |\$)" out | grep -qvE "^$1 "; }

judge mutant 0 --kind fluid --n 1000 --precision float,double --outputs forces,energy,virial
check "no mutation: every case passes" grep -q '^12 passed, 0 failed' out
# The bounds of float are the wider ones: what is wrong by them is by those of double.
judge mutant 1,2,3,4,5,6,9,11,12,13 --box fluid.xyz --precision float --outputs forces
for mutation in 1 2 3 4 5 6 9 11 12 13; do
    check "mutation $mutation" is wrong $mutation
done
check "a particle more than there are: where it was written" \
    grep -q 'MUTATION=13: .*from byte offset 16000 on, past the end of buffer force of 16000 bytes' out
judge mutant 1,8,13 --box fluid.xyz --precision float,double --outputs forces
for mutation in 1 13; do
    check "mutation $mutation, double" is wrong $mutation /double/
done
check "float arithmetic under a double label" is wrong 8 /double/
check "and under its own" is ok 8 /float/
judge mutant 7,10 --box fluid.xyz --precision float,double --outputs energy,virial
for precision in float double; do
    check "half the virial, $precision" is wrong 7 "/$precision/virial/"
    check "energy twice, $precision" is wrong 10 "/$precision/energy/"
done
check "a data race" exits 1 check --variant-file "$mutants/race.cl" --variant race --box large.xyz --cutoff 2.5 --precision float,double \
    --outputs forces -v
for precision in float double; do
    check "a data race, $precision" grep -q "^wrong .*/$precision/" out
done

# Beyond arrays there are guards: who writes there is found, and who computes with what is read there has it wrong.
judge outside 0,1,2,3,4,5,6,7,8 --box small.xyz --precision float --outputs energy
outside='wrote outside of its buffers: [0-9]+ bytes changed from byte offset -?[0-9]+ on, .* buffer (force|position|partial_sums) of [0-9]+ bytes'
check "no access beyond an array" is ok 0
for mutation in 1 2 3 4 5; do # 1, 3 and 4 may pass without guards, or take the worker down
    check "write $mutation beyond an array" is wrong $mutation
    check "write $mutation: says so" grep -qE "^wrong .*MUTATION=$mutation: $outside" out
done
for mutation in 6 8; do
    check "read $mutation beyond an array" is wrong $mutation
done
check "a wild index: wrong, or where nothing lies" is '(wrong|crashed|launch_error|timeout)' 7
judge outside 0,1,6 --box small.xyz --precision double --outputs energy
check "no access beyond an array, double" is ok 0
check "a write beyond an array, double" is wrong 1
check "a read beyond an array, double" is wrong 6
check "it is no result of bench" exits 1 bench --variant-file "$mutants/outside.cl" --variant outside --box small.xyz \
    --cutoff 2.5 --precision float --outputs forces --time-cap 0.05 --visits 1 --twins 0 --no-plot --tune MUTATION=3 -o "$work/outside"
check "nor of eval" exits 1 eval --variant-file "$mutants/outside.cl" --variant outside --box small.xyz --cutoff 2.5 --tune MUTATION=3
check "which says why" err 'wrote outside of its buffers'

judge narrow_sums 0,1 --box fluid.xyz --precision float,mixed --outputs forces
check "sums in the arithmetic's precision, float" is ok '[01]' /float/
check "sums in the other's precision, mixed" is ok 0 /mixed/
check "sums in the arithmetic's precision, mixed" is wrong 1 /mixed/
# Near pairs outweigh the thousands that an unbounded cutoff adds.
"$pairmark" check --variant-file "$mutants/narrow_sums.cl" --variant narrow_sums --tune MUTATION=1,2 --kind fluid --n 2500 --open --cutoff 30 \
    --precision mixed --outputs forces -v >out 2>err </dev/null
check "sums of few pairs in the arithmetic's precision" is ok 2
check "sums of all of them" is wrong 1

# What cubic boxes of like particles hide, the default cases of a size find. (Energies, so that fault 8 shows.)
"$pairmark" check --variant-file "$mutants/axes.cl" --variant axes --n 130 --precision float --outputs energy \
    --tune MUTATION=0,1,2,3,4,5,6,7,8,9 -v >out 2>err </dev/null
says() { grep -qE "^$2 .*MUTATION=$1\b" out; } # says MUTATION VERDICT
not_said() { ! says "$@"; }
check "no fault passes in each box" says 0 ok
check "no fault is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5 6 7 8 9; do
    check "fault $mutation in the default cases" says $mutation wrong
done

# Lists that outlive launches.
check "broken walks of a list" exits 1 check --variant-file "$mutants/lists.cl" --variant lists --kind fluid --n 400 \
    --precision float --outputs forces --tune MUTATION=0,1,2,3,4,5 -v
check "no list is broken" says 0 ok
check "no list is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5; do
    check "list mutation $mutation" says $mutation wrong
done
check "the list outlives a move" grep -qE 'MUTATION=5\b.*: launched again: ' out
check "broken walks from bit to bit" exits 1 check --variant-file "$mutants/bits.cl" --variant bits --kind fluid --n 400 \
    --precision float --outputs forces --tune MUTATION=0,1,2,3,4,5,6,7 -v
check "no bit is broken" says 0 ok
check "no bit is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5 6 7; do
    check "bit mutation $mutation" says $mutation wrong
done
check "bits outlive a move" grep -qE 'MUTATION=6\b.*: launched again: ' out

# Queues that ballots fill.
ballot_mutant() { # ballot_mutant NAME SED: sorted_cells_ballot, changed, is another text and wrong
    sed -e "s/^ \* sorted_cells_ballot —/ * $1 —/; $2" "$tests/../variants/forces/sorted_cells_ballot.cl" >"$1.cl"
    check "$1 is another text" [ "$(diff "$1.cl" "$tests/../variants/forces/sorted_cells_ballot.cl" | grep -c '^<')" -eq 2 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1" --box fluid.xyz --cutoff 2.5 --precision float --outputs forces -v
    check "$1 is wrong" grep -q '^wrong ' out
}
ballot_mutant rest_forgotten 's/rest < DEPTH - 1/rest < DEPTH - 2/'
ballot_mutant places_shared 's/BIT_COUNT(votes & before)/BIT_COUNT(before)/'
ballot_mutant one_run_lost 's/walk.runs ^= .*/walk.runs \&= ~(0xc0000000u >> LEADING_ZEROS(walk.runs));/'

# Flat boxes, tails of 7 and 31, close pairs, large N, long edges: among the listed cases. What few particles show is tried at
# such N alone; the cases that show it have to be among the default ones, which are run without a fault.
judge_limits() { # judge_limits MUTATIONS ARGUMENT...
    "$pairmark" check --variant-file "$mutants/limits.cl" --variant limits --precision float --outputs virial --tune "MUTATION=$1" "${@:2}" -v \
        2>err </dev/null
}
judge_limits 1,2,3,4,5 --kind fluid,plate --n 39,65,287 >few
judge_limits 0,6,7,8 --budget 0 >out
shown_by_default() { # shown_by_default MUTATION: a case of few particles that is wrong by it is one of the default cases
    sed -n "s/^wrong \(.*\)MUTATION=$1: .*/\1/p" few | while read -r name; do
        grep -qF -- "ok ${name}MUTATION=0:" out && echo "$name"
    done | grep -q .
}
check "no limit passes in each box" says 0 ok
check "no limit is wrong in none" not_said 0 wrong
for mutation in 1 2 3 4 5; do
    check "limit $mutation in the default cases" shown_by_default $mutation
done
for mutation in 6 7 8; do
    check "limit $mutation in the default cases" says $mutation wrong
done
# Listed exclusions: the cases of few particles that find each, which are among the default ones.
excluded() { # excluded MUTATIONS ARGUMENT...
    "$pairmark" check --variant-file "$mutants/exclusions.cl" --variant exclusions --kind brick --precision float --outputs virial \
        --tune "MUTATION=$1" "${@:2}" -v >listed 2>err </dev/null
}
found_excluded() { grep -qE "^$1 .*MUTATION=$2:" listed && ! grep -E "MUTATION=$2:" listed | grep -qvE "^$1 "; }
for list in '130 next:3' '500 next:40'; do
    check "exclude=${list#* } among the default cases" \
        grep -qE "^ok forces/lj:[^/]*exclude=${list#* }/limits/float/virial/brick/n:${list% *}/" out
done
excluded 0,1,2 --n 130 --exclude next:3
check "listed exclusions" found_excluded ok 0
check "listed exclusions that are ignored" found_excluded wrong 1
check "more than four of them" found_excluded wrong 2
excluded 0,3 --n 500 --exclude next:40
check "up to 80 per particle" found_excluded ok 0
check "more than 64 of them" found_excluded wrong 3
check "how long a variant takes is told" grep -qE '^ +[0-9.]+ s  limits, [0-9]+ cases$' out
check "once: it is the same in all boxes" [ "$(grep -cE '^ +[0-9.]+ s  limits, ' out)" -eq 1 ]

# All pairs of a file that is named, in a large box: once, for it takes a processor seconds.
"$pairmark" check --variant-file "$mutants/large.cl" --variant large --precision float --outputs forces --tune MUTATION=5 --budget 0 -v >out 2>err </dev/null
check "wrong from 20 000 particles on" grep -qE '^wrong .*/fluid/n:47007/.*MUTATION=5: ' out
check "and nowhere else" awk '/^wrong / { gsub(/.*\/n:|\/.*/, ""); few += $0 + 0 < 20000 } END { exit few > 0 }' out
check "its time is said" grep -qE '/n:47007/.*: one launch over all pairs, [0-9.]+ s$' out

# Boxes without a pair in reach say nothing of a kernel, unless others beside them do.
check "one particle beside many" exits 0 check --variant-file "$mutants/mutant.cl" --variant mutant --kind fluid --n 1,1000 \
    --precision float --outputs forces --tune MUTATION=0
check "one particle alone" exits 1 check --variant-file "$mutants/mutant.cl" --variant mutant --kind fluid --n 1 --precision float \
    --outputs forces --tune MUTATION=0
check "one particle alone: says so" grep -q '^nothing was judged: mutant, lj, forces: no pair is within the cutoff in any of the 2 cases' out

conclude
