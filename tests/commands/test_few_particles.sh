#!/usr/bin/env bash
# Boxes of no particle to three: every workload in every command works, or is refused in one line, by status 2; nothing is called right
# where nothing was judged.
. "$2/lib.sh" || exit 1
"$pairmark" list --json >list.json
plain=(--precision float --outputs forces)
timed=(--visits 1 --time-cap 0.01 --twins 0 --cold 0 --no-plot)

# One kernel of each workload, in OpenCL; none that needs molecules of water.
kernels() { jq -r 'map(select((.file | endswith(".cl")) and (.name | contains("settle") | not))) | group_by(.workload)[] | last | "\(.workload) \(.name) \(.file)"' list.json; }

# The command that `out` and `err` are of said a result, or why there is none.
answered() { # answered STATUS COMMAND
    case $1 in
    0) ! empty out && ! out 'nothing was judged' ;;
    1) [[ $2 == check ]] && out 'nothing was judged' ;;
    2) says_why "$2" ;;
    3) [[ $2 == judge ]] && out 'nothing was judged' ;;
    *) false ;;
    esac
}
says_why() { # says_why COMMAND: in the last line, behind the command's name, or for each case
    grep -q bad_input out || { empty out && tail -n 1 err | grep -q "^pairmark $1: "; }
}
tries() { # tries COMMAND ARGUMENT...
    rm -rf timed
    "$pairmark" "$@" >out 2>err </dev/null
    check "status $?: $*" answered $? "$1"
}

kernels >chosen
check 'a kernel of each workload' [ "$(wc -l <chosen)" = "$(jq -r '.[].workload' list.json | sort -u | wc -l)" ]
commands="bench $(unsanitized best run box judge)" # each with one workload
timing="bench judge best"
while read -r workload kernel file; do
    for command in eval check $commands; do
        case $command in
        box) arguments=(fluid -o empty.xyz) ;;
        judge) arguments=("$tests/../$file") ;;
        run) arguments=(--steps 2) ;;
        *) arguments=(--variant "$kernel") ;;
        esac
        expect 2 "$command" "${arguments[@]}" --n 0
        check "no particle, one line: $workload, $command" [ "$(wc -l <err)" = 1 ]
    done
    commands=
    tries eval --variant "$kernel" --n 1
    tries check --variant "$kernel" --n 1 "${plain[@]}"
    tries check --variant "$kernel" --n 2,3 "${plain[@]}"
    # What times goes the same way for every workload: each has one command in turn, and at length all.
    # shellcheck disable=SC2086 # words
    set -- $timing
    timing="$2 $3 $1"
    for command in "$1" $(at_length "$2" "$3"); do
        case $command in
        bench) tries bench --variant "$kernel" --n 1 "${plain[@]:0:2}" "${timed[@]}" -o timed ;;
        judge) tries judge "$tests/../$file" --n 1 --hidden 0 --turns 1 --time-cap 0.01 "${plain[@]:0:2}" ;;
        best) tries best --variant "$kernel" --n 1 --budget 1 "${plain[@]:0:2}" ;;
        esac
    done
done <chosen

# Files, and what steps.
for n in 0 1 2 3; do
    awk -v n=$n 'BEGIN { print n "\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3 pbc=\"T T T\""
        for (i = 0; i < n; i++) print "A", 2 * i, 1, 1 }' >few.xyz
    tries eval --box few.xyz
    tries check --box few.xyz --variant sorted_cells "${plain[@]}"
    tries run --box few.xyz --cutoff 2.5 --steps 2
    [ $n = 0 ] || tries run --n $n --kind gas --steps 2
done
conclude
