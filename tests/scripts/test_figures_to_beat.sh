#!/usr/bin/env bash
# scripts/figures_to_beat: rows that are chosen, runs that are kept, cut off and gone on with, and goals that are met or not. The program is
# a stand-in that writes what it is told to; one row is run by the real one.
# shellcheck disable=SC2016 # what the stand-in expands is expanded by it
. "$2/lib.sh" || exit 1
script=$tests/../scripts/figures_to_beat
figures() { # figures STATUS ARGUMENT...: it ends with that status
    local status=$1
    shift
    bash "$script" "$@" >out 2>err </dev/null
    [ $? -eq "$status" ]
}
# A bench writes rows of $TIME seconds, or none where FAIL is; queries are answered by the real program.
printf '%s\n' '#!/usr/bin/env bash' 'echo "$*" >>'"$work/asked" \
    'case $1 in' \
    '--version) echo pairmark 0 ;;' 'devices) ;;' "query) exec $pairmark"' "$@" ;;' \
    'bench) while [ $# -gt 1 ]; do case $1 in -o | --resume) folder=$2 ;; --n) n=$2 ;; esac; shift; done' \
    '    mkdir -p "$folder"; echo "case_id,variant,tunables,n,status,twin,force_s_median,build_s_median,pairs_per_s,atom_steps_per_s" >"$folder/rows.csv"' \
    '    [ -z "${FAIL:-}" ] || exit 1' \
    '    echo "a,slow,A=1 B=2,${n:-5},ok,0,9,99,1,1" >>"$folder/rows.csv"; echo "b,wrong,A=1,${n:-5},wrong,0,1e-9,1e-9,1e15,1e15" >>"$folder/rows.csv"' \
    '    echo "c,quick,A=2,${n:-5},ok,0,$(awk -v t="${TIME:-1e-9}" -v n="${n:-5}" "BEGIN { print t * n }"),0.01,3e11,6e9" >>"$folder/rows.csv" ;;' \
    'esac' >stand_in
chmod +x stand_in

check 'rows by the beginnings of their names' figures 0 stand_in --list --only water,melt-4000
says_like out '^water-double +[0-9]+ s  water'
says_like out '^melt-4000 '
lacks out list-
check 'a name that none has' figures 2 stand_in --only ice
says err 'no row begins so'
check 'no program' figures 2 nowhere --list
check 'a word that is none' figures 2 stand_in --quick

check 'goals met' figures 0 stand_in --only list-open-float,build-blocks-float,melt-2m-float,growth-16m -o one
check 'a run that two rows need is made once' [ "$(grep -c '^bench.*--open.*float' asked)" = 1 ]
says_like out '^list-open-float .* 3e\+11 pairs/s .* yes .* quick$'
says_like out '^build-blocks-float .* 4.883 evaluations .* yes '
says_like out '^melt-2m-float .* 6e\+09 atom-steps/s .* yes '
says_like out '^growth-16m .* 1 slope .* yes '
check 'a step in microseconds' figures 0 stand_in --only melt-4000 -o one
says_like out '^melt-4000 .* 0.6667 us/step +7 yes '
check 'rows for pages: how many cases are right' figures 0 stand_in --only random -o one
says_like out '^random .* 2 cases '
says asked 'bench --preset random --visits 1'
check 'in JSON' [ "$(jq -r '.[] | select(.row == "list-open-float") | "\(.measured) \(.tunables) \(.aimed_at) \(.met) \(.others)"' one/figures.json)" = '300000000000 A=2 300000000000 true 180000000000' ]
says one/figures.csv 'list-open-float,"one force evaluation, list given, open box",float,pairs/s,'

# What is there is not measured again, and stands in the table with what is new; a run that was cut off goes on.
asked=$(grep -c ^bench asked)
export FAIL=1
check 'no figure, no success' figures 1 stand_in --only list-open-float,few -o one
unset FAIL
says_like out '^few-float .* none us '
says_like out '^growth-16m .* yes'
says err 'few-float: exit status 1'
check 'one run was made' [ "$(grep -c ^bench asked)" = $((asked + 1)) ]
check 'it goes on' figures 0 stand_in --only few -o one
says asked "--resume few-float/rows"
says_like out '^few-float .* 0.005 us .* yes '
export TIME=1
check 'a goal missed is no failure' figures 0 stand_in --only wide-float -o one
says_like out '^wide-float .* ms .* no '

# The real program, few particles, no goal.
check 'a row on this device' figures 0 "$pairmark" --only melt-4000 --shrink 100 --device "$("$pairmark" devices | awk 'NR == 2 { print $1 }')" -o two
says_like out '^melt-4000 .* [0-9.e+]+ us/step +7 -  '

# scripts/slowed_kernel.cl is right as it is and slowed, so that both can be timed.
sed 's/^#define AGAIN 0$/#define AGAIN 1/; s/^#define EVERY 20$/#define EVERY 5/' "$tests/../scripts/slowed_kernel.cl" >slowed.cl
for kernel in "$tests/../scripts/slowed_kernel.cl" slowed.cl; do
    check "$kernel is right" "$pairmark" check --variant-file "$kernel" --variant all_pairs_tile --kind gas --n 1280 --precision float --outputs forces \
        --device "$("$pairmark" devices | awk 'NR == 2 { print $1 }')"
done
conclude
