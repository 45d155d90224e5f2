#!/usr/bin/env bash
# What commands print on a terminal of 80 columns fits it, but for a name that is longer itself, and tables fit them in a file, too;
# where TERM is dumb, or is not set, no escape sequence is printed.
. "$2/lib.sh" || exit 1
has_terminals || { echo 'no script (Debian package bsdutils), or no pseudo-terminals'; exit 77; }

on_terminal() { # on_terminal ARGUMENT...: pairmark on one of 80 columns: `seen` has what it printed
    local words
    printf -v words ' %q' "$pairmark" "$@"
    script -qec "stty cols 80;$words" /dev/null </dev/null 2>&1 | tr -d '\r' >seen
}
fits() { # fits FILE ARGUMENT...
    local file=$1
    shift
    if ! sed 's/\xe2\x80\x94/-/g' "$file" | LC_ALL=C awk 'length > 80 && !/^ *[^ ]+$/ { print length ": " $0; wide = 1 } END { exit wide || NR == 0 }' >wide; then
        complain "wider than 80 columns: $* $(head -n 3 wide)"
    else
        pass
    fi
}
shows() { # shows ARGUMENT...
    on_terminal "$@"
    fits seen "$@"
    check "no escape sequences: $*" bash -c '! grep -q "$(printf "\033")" seen'
}
tabulates() { # tabulates ARGUMENT...: in a file, too
    shows "$@"
    "$pairmark" "$@" >out 2>&1 </dev/null
    fits out "$@"
}

one=(--kind fluid --n 100 --precision float --outputs forces)
both=(--variant all_pairs_loop,all_pairs_tile "${one[@]}" --time-cap 0.01 --samples-min 3 --samples-max 3 --cold 0 --no-plot)
sed 's/all_pairs_loop/wrong/g; s/force\[i\] = make_accum4(fx/&*1.01f/' "$tests/../variants/forces/all_pairs_loop.cl" >wrong.cl
for TERM in dumb ''; do
    export TERM
    [ -n "$TERM" ] || unset TERM
    shows bench "${both[@]}" -o "a_folder_of_a_long_name_such_as_people_have_${TERM:-none}"
done
TERM=dumb && export TERM
shows help
commands=$("$pairmark" help 2>&1 | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check 'there are commands' [ "$(wc -w <<<"$commands")" -gt 15 ]
for command in $commands; do shows "$command" --help; done
shows devices
shows list
shows compare a_folder*
shows history a_folder*
shows rows check a_folder*none
shows query "SELECT variant, n, force_s_median FROM rows" a_folder*none
tabulates tune --variant all_pairs_loop "${one[@]}" --time-cap 0.01 --budget 1 --store tuned.csv
shows best --variant all_pairs_loop "${one[@]}" --budget 2 --forces-only
shows check --variant-file wrong.cl --variant wrong "${one[@]}" -v
check 'it says why' grep -q 'force on particle' <(tr -s ' \n' ' ' <seen)
shows check --variant nonsense
shows run --variant verlet+sorted_cells --kind fluid --n 100 --steps 20
"$pairmark" run --variant verlet+sorted_cells --kind fluid --n 100 --steps 20 2>/dev/null | sed '/^$/,$d' >out
fits out run
check 'with all columns' grep -q 'step .* conserved$' out
shows judge wrong.cl --baseline all_pairs_loop "${one[@]}" --turns 2 --hidden 1
shows eval --variant all_pairs_loop "${one[@]}"

# What programs read is not wrapped: on a terminal of 40 columns each command with --json or --csv prints what it does into a file; of what
# differs from time to time some line of several words is wider.
on_narrow() { # on_narrow ARGUMENT...: `seen` has what it printed, less messages
    local words
    printf -v words ' %q' "$pairmark" "$@"
    script -qec "stty cols 40;$words 2>/dev/null" /dev/null </dev/null 2>&1 | tr -d '\r' >seen
}
as_in_file() { # as_in_file ARGUMENT...
    on_narrow "$@"
    "$pairmark" "$@" >out 2>/dev/null </dev/null
    check "lines are left as they are: $*" cmp -s seen out
}
wide() { # wide ARGUMENT...
    on_narrow "$@"
    check "lines are left as they are: $*" grep -qE '^.{30}.*[^ ] +[^ ].{10}' seen
}
sentence="SELECT 'a text of several words that is longer than a line of forty characters' AS words"
for command in $commands; do
    for option in $("$pairmark" "$command" --help | grep -oE '^  --(json|csv)\b'); do
        case $command in
        devices | list) as_in_file "$command" "$option" ;;
        eval) as_in_file eval --variant all_pairs_loop "${one[@]}" "$option" ;;
        query) as_in_file query "$sentence" a_folder*none "$option" ;;
        history) as_in_file history a_folder* "$option" ;;
        check) wide check --variant-file wrong.cl --variant wrong "${one[@]}" "$option" ;;
        judge) wide judge wrong.cl --baseline all_pairs_loop "${one[@]}" --turns 2 --hidden 1 "$option" ;;
        best) wide best --variant all_pairs_loop "${one[@]}" --budget 0.001 "$option" ;;
        *) complain "no case of $command $option" ;;
        esac
    done
done
as_in_file compare --format csv a_folder*
as_in_file completion bash
as_in_file run --variant verlet+all_pairs_loop --kind fluid --n 100 --steps 1 --log -

# A terminal that knows escape sequences gets them where a line is rewritten.
TERM=xterm on_terminal check --variant all_pairs_loop "${one[@]}"
check 'lines are rewritten' grep -q "$(printf '\033\[K')" seen
conclude
