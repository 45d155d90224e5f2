#!/usr/bin/env bash
# Tricks of CUDA alone: clocks, what lies on a multiprocessor from launch to launch, policies of the cache, heat. Each is refused, or gains nothing:
# its time is no better than that of the same file without its trick. Needs a CUDA device and about three minutes there; every outcome is printed.
. "$2/lib.sh" || exit 1
cheats=$tests/data/cheats
device=${PAIRMARK_CUDA_DEVICE:-cuda:0}
share=0.95 # of the honest time: what is not below it is no gain

if ! { exits 0 devices --json && json '.. | .name? // empty' | grep -q '^cuda:'; }; then
    echo 'no CUDA device: needs a GPU of NVIDIA'
    exit 77
fi

# column FILE NAME: the last row's; no field before it holds a comma but what is quoted
column() {
    sed 's/"[^"]*"/x/g' "$1" | awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print c ? $c : "" }'
}
# time_trick FILE TRICK ARGUMENT...: one timing; sets status, hot, cold, samples
time_trick() {
    local name=$1 trick=$2
    local folder=$work/$name-$trick
    shift 2
    "$pairmark" bench --device "$device" --variant-file "$cheats/$name.cu" --variant "$name" --kind fluid --precision float --outputs forces \
        --tune TRICK="$trick" --time-cap 0.3 --twins 0 --visits 1 --no-plot -o "$folder" "$@" >out 2>err </dev/null
    status='no row' hot='' cold='' samples=''
    if [ -s "$folder/rows.csv" ]; then
        status=$(column "$folder/rows.csv" status)
        hot=$(column "$folder/rows.csv" force_s_median)
        cold=$(column "$folder/rows.csv" cold_force_s_median)
        samples=$(column "$folder/rows.csv" samples)
    fi
}
# no_better A B: B is a time, and A is not below its share
no_better() { [ -n "$1" ] && awk -v a="$1" -v b="$2" -v s=$share 'BEGIN { exit !(a > 0 && b > 0 && a >= s * b) }'; }
is_one_of() { # is_one_of WORD "WORD WORD ..."
    case " $2 " in *" $1 "*) true ;; *) false ;; esac
}

# honest FILE ARGUMENT...: passes without its trick; what follows is compared with this
honest() {
    time_trick "$1" 0 "${@:2}"
    hot_honest=$hot
    cold_honest=$cold
    printf '%-15s 0: %s, %s s, cold %s s, %s samples\n' "$1" "$status" "$hot" "$cold" "$samples"
    check "$1 without a trick passes" [ "$status" = ok ]
}
# trick FILE TRICK STATUSES ARGUMENT...: refused by one of these, or no better
trick() {
    local verdict=GAINS
    time_trick "$1" "$2" "${@:4}"
    if is_one_of "$status" "$3"; then
        verdict=refused
    elif [ "$status" = ok ] && no_better "$hot" "$hot_honest" && { [ -z "$cold" ] || no_better "$cold" "$cold_honest"; }; then
        verdict='gains nothing'
    fi
    printf '%-15s %s: %s (%s), %s s, cold %s s, %s samples\n' "$1" "$2" "$verdict" "$status" "$hot" "$cold" "$samples"
    [ "$status" = ok ] || grep -hm 1 -E 'wrong|stale|error|crashed|timeout' out err | cut -c 1-300 | sed 's/^/    /'
    check "$1, trick $2: $status, $hot s for $hot_honest, cold $cold s for $cold_honest" [ "$verdict" != GAINS ]
}
# must_refuse FILE TRICK STATUS ARGUMENT...: refused, and nothing else will do
must_refuse() {
    trick "$@"
    check "$1, trick $2: expected $3, not $status" is_one_of "$status" "$3"
}

all_pairs=(--n 8192 --cold 0)
honest cuda_clock "${all_pairs[@]}"
for number in 1 2 3; do
    must_refuse cuda_clock $number wrong "${all_pairs[@]}"
done
trick cuda_clock 4 wrong "${all_pairs[@]}"
trick cuda_clock 5 stale "${all_pairs[@]}"
trick cuda_clock 6 stale "${all_pairs[@]}"

honest cuda_leftovers "${all_pairs[@]}"
trick cuda_leftovers 1 'stale wrong' "${all_pairs[@]}"
trick cuda_leftovers 2 'stale wrong' "${all_pairs[@]}"
for number in 3 4; do # tell why: a launch that finds anything is wrong
    time_trick cuda_leftovers $number "${all_pairs[@]}"
    printf '%-15s %s: %s: what a launch leaves in %s is %s\n' cuda_leftovers $number "$status" \
        "$([ $number = 3 ] && echo 'shared memory' || echo 'the stack')" "$([ "$status" = wrong ] && echo 'found by the next' || echo 'never found again')"
    check "cuda_leftovers, trick $number: an answer" is_one_of "$status" 'ok wrong'
done

walk=(--n 32000 --cold 40)
honest cuda_cold "${walk[@]}"
for number in 1 2; do
    trick cuda_cold $number '' "${walk[@]}"
done

# The baseline is the same kernel in each: heat would make its time longer, and the ratio larger.
ratio_of() { # ratio_of TRICK: sets ratio and baseline_s
    "$pairmark" judge "$cheats/cuda_heat.cu" --device "$device" --tune TRICK="$1" --kind fluid --n 8192 --precision float --outputs forces \
        --baseline all_pairs_loop --hidden 0 --turns 3 --json >out 2>err </dev/null
    ratio=$(field ratio)
    printf '%-15s %s: %s, %s times as fast as all_pairs_loop\n' cuda_heat "$1" "$(field verdict)" "$ratio"
}
ratio_of 0
cool=$ratio
ratio_of 1
check "heat before the baseline's turn: $ratio times as fast, $cool without" no_better "$cool" "$ratio"

conclude
