#!/usr/bin/env bash
# bench gives no time to a kernel that is paid without working; the same kernel without its trick passes.
. "$2/lib.sh" || exit 1
cheats=$tests/data/cheats
kind=fluid

# bench_trick FILE TRICK ARGUMENT...: one short timing of it, in $work/FILE-TRICK
bench_trick() {
    local name=$1 trick=$2
    shift 2
    "$pairmark" bench --variant-file "$cheats/$name.cl" --variant "$name" --kind "$kind" --precision float --tune TRICK="$trick" \
        --time-cap 0.2 --twins 0 --visits 1 -o "$work/$name-$trick" "$@" >out 2>err </dev/null
}
# refused FILE TRICK STATUS ARGUMENT...: every row has that status, and the command fails
refused() {
    local name=$1 trick=$2 status=$3
    shift 3
    bench_trick "$name" "$trick" "$@"
    check "$name, trick $trick: exit status 1" [ $? -eq 1 ]
    check "$name, trick $trick: $status" grep -qE ",($status)," "$work/$name-$trick/rows.csv"
    check "$name, trick $trick: no row is ok" not_ok "$work/$name-$trick/rows.csv"
}
# gains_nothing FILE TRICK ARGUMENT...: refused, or no time (hot, cold, with copies) below a third of that of launches over moved particles; a busy machine, which
# keeps launches waiting, is tried three times
gains_nothing() {
    for _ in 1 2 3; do
        bench_trick "$@"
        no_row_gains "$work/$1-$2/rows.csv" && break
        rm -r "$work/$1-$2"
    done
    check "$1, trick $2: gains nothing" [ -e "$work/$1-$2" ]
}
not_ok() { ! grep -q ',ok,' "$1"; }

for name in forces structure coordination scratch rebuild; do
    arguments=(--n 1000)
    [ $name = coordination ] && arguments+=(--workload coordination)
    bench_trick $name 0 "${arguments[@]}"
    check "$name without a trick passes" [ $? -eq 0 ]
done

for trick in 1 4 5; do
    refused forces $trick wrong --n 1000 --outputs forces
done
for trick in 2 3; do # only the time tells: they work whenever they would be found out
    refused forces $trick stale --n 4000 --outputs forces
done
refused forces 6 wrong --n 100 --outputs forces
refused forces 7 wrong --n 1000 --outputs energy
# It writes over the heap of a process that may fail, crash or hang of it.
refused forces 9 'wrong|crashed|timeout' --n 1000 --outputs forces --deadline 30
if ! sanitized && [ "$(uname -m)" = x86_64 ] && "$pairmark" devices | grep -q 'pthread'; then
    refused forces 8 stale --n 2000 --outputs forces
    refused forces 15 wrong --n 1000 --outputs forces
    for trick in 11 12; do # they work wherever a launch by itself is timed
        gains_nothing forces $trick --n 1000 --outputs forces
    done
    for trick in 13 14; do
        gains_nothing forces $trick --n 2500 --outputs forces --cold 20
    done
    bench_trick old_list 0 --n 1000 --outputs forces
    check "old_list without a trick passes" [ $? -eq 0 ]
    gains_nothing old_list 1 --n 4000 --outputs forces
    # It works in each launch of one evaluation, and in one of several at the first of them.
    refused forces 10 wrong --n 1000 --outputs forces --launch each:3
    check "forces, trick 10: in which evaluation" grep -q 'evaluation [123] of 3 in one launch: ' err
    rm -r "$work/forces-10"
    bench_trick forces 10 --n 1000 --outputs forces --launch each
    check "forces, trick 10, one evaluation in a launch: not to be told" [ $? -eq 0 ]
fi
for trick in 1 2; do
    refused structure $trick wrong --n 1000 --outputs forces
done
for trick in 1 2 3; do
    refused scratch $trick wrong --n 1000 --outputs forces
done
for trick in 1 3 4 5 6; do
    refused rebuild $trick wrong --n 1000 --outputs forces
done
# Launches find what was built for other places, so that its time is that of the work; it counts none where nobody has moved.
refused rebuild 2 wrong --n 1000 --outputs forces
refused rebuild 8 wrong --n 1000 --outputs forces
kind=lattice # of which the particles lie in memory as their sites do
bench_trick order 0 --n 2048
check "order without a trick passes" [ $? -eq 0 ]
refused order 1 wrong --n 2048 --outputs forces
kind=fluid
# The same over a list that says itself when it is built again.
sed 's/@structure none/@structure pair_list/; s/when moved/every rebuild/; s/^ \* rebuild —/ * rebuild_list —/' "$cheats/rebuild.cl" >rebuild_list.cl
cheats=$work
bench_trick rebuild_list 0 --n 1000
check "rebuild_list without a trick passes" [ $? -eq 0 ]
for trick in 1 3; do
    refused rebuild_list $trick wrong --n 1000 --outputs forces
done
refused rebuild_list 2 wrong --n 1000 --outputs forces
cheats=$tests/data/cheats
for trick in 1 3; do
    refused coordination $trick 'wrong|stale' --n 2000 --workload coordination
done
refused coordination 2 stale --n 3000 --workload coordination
# Lists, whose structures are built within launches.
lists=(--workload neighbours --list-pairs half)
bench_trick listed 0 --n 100 "${lists[@]}"
check "listed without a trick passes" [ $? -eq 0 ]
for trick in 1 2 3; do
    refused listed $trick wrong --n 100 "${lists[@]}"
    check "listed, trick $trick: what it changed" grep -q 'changed what it is only given to read: sorted_' err
done
if ! sanitized && [ "$(uname -m)" = x86_64 ] && "$pairmark" devices | grep -q 'pthread'; then
    refused listed 4 stale --n 300 "${lists[@]}"
fi

conclude
