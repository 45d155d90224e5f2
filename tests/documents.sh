# shellcheck shell=bash disable=SC2034,SC2154 # what lib.sh sets, and what the tests do with what is set here
# How the tests read a page: a block says by the words behind its fence what becomes of it.
#   console            commands behind `$ ` (and `> ` where one goes on) are run, and what comes is compared with what stands there:
#                      numbers as numbers (any) with any unit of time behind, runs of blanks as one; `...` stands for any text, lines too
#   console exact      the same, and every number is the one that came, to 1e-6 of itself; no `...`
#   console toolkit    the same as console, where there is a CUDA toolkit; else it is passed over, and so are the page's further ones
#   console shown: WHY an output that is not made again, and why not
#   sh                 commands, no output; test_documented_options.sh looks at them
#   LANGUAGE FILE      a text that is saved by that name for the commands behind it
#   LANGUAGE           any other text: a form, a formula, a piece of a program
# Standard error is part of what is shown where a command does not send it elsewhere. Commands of a page share a folder, which
# has links to results/, tests/ and share/.
docs=$tests/../docs
PATH=$(dirname "$pairmark"):$PATH
evidence=(want got)

plain() { # numbers, units of time and blanks made alike
    sed -E -e 's/[-+]?(nan|inf|[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?)( (ns|us|ms|s)\b)?/#/g' -e 's/[[:blank:]]+/ /g' -e 's/ $//'
}
numbers() { grep -oE '[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?( (ns|us|ms|s)\b)?'; }
# matches WANT GOT: the texts are alike, `...` being anything.
matches() {
    local pattern
    pattern=$(printf '%s' "$1" | sed -e 's/[][*?\\]/\\&/g' -e 's/\.\.\./*/g')
    # shellcheck disable=SC2053 # a pattern
    [[ $2 == $pattern ]]
}
# same_numbers FILE FILE: as many, each within 1e-6 of the other, in the same unit.
same_numbers() {
    paste <(numbers <"$1") <(numbers <"$2") -d '|' | awk -F '|' '{
        split($1, a, " "); split($2, b, " ")
        d = a[1] - b[1]; size = a[1] < 0 ? -a[1] : a[1]
        if (a[1] == "" || b[1] == "" || a[2] != b[2] || (d < 0 ? -d : d) > 1e-6 * size) { print "here " $1 ", came " $2; exit 1 }
    }'
}
last=0
# shows PAGE LINE COMMAND MODE: runs the command in this shell, as a reader does, and compares with the file `want`.
shows() {
    (exit $last)
    eval "$3" >got 2>&1 </dev/null
    last=$?
    if matches "$(plain <want)" "$(plain <got)" && { [ "$4" != exact ] || same_numbers want got; }; then pass; else
        evidence=("$PWD/want" "$PWD/got")
        complain "$1, line $2: $3"
    fi
}
# page FILE NAME: all of its blocks, in a folder NAME of its own; its number of commands as $ran.
page() {
    local line number=0 command='' kind='' mode='' at=0
    ran=0
    mkdir -p "$work/$2" && cd "$work/$2" || exit 1
    [ -e results ] || ln -s "$tests/../results" "$tests" "$tests/../share" .
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        case $kind,$line in
        ,'```console shown: '*) kind=other ;;
        ,'```console'*)
            mode=${line#'```console'} mode=${mode# }
            kind=console command=''
            [ "$mode" != toolkit ] || has_toolkit || kind=other
            ;;
        ,'```'[a-z]*' '*) kind=${line##* } && : >"$kind" ;;
        ,'```'*) kind=other ;;
        console,'```' | console,'$ '*)
            [ -z "$command" ] || { shows "$2" "$at" "$command" "$mode" && ran=$((ran + 1)); }
            : >want
            command=${line#'$ '} at=$number
            [ "$line" != '```' ] || kind=''
            ;;
        console,'> '*)
            if [ -s want ]; then printf '%s\n' "$line" >>want; else command=$command$'\n'${line#'> '}; fi
            ;;
        console,*) printf '%s\n' "$line" >>want ;;
        *,'```') kind='' ;;
        other,* | ,*) ;;
        *) printf '%s\n' "$line" >>"$kind" ;;
        esac
    done <"$1"
}
# has_toolkit: whether kernels can be compiled for CUDA.
has_toolkit() {
    [ -n "${toolkit:-}" ] || {
        toolkit=no
        "$pairmark" check --compile-only --variant all_pairs_loop --kind fluid --n 100 --precision float --outputs forces \
            >/dev/null 2>&1 && toolkit=yes
    }
    [ "$toolkit" = yes ]
}
