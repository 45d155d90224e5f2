# shellcheck shell=bash disable=SC2016 # texts that `eval` reads
# What the pages print has happened: the blocks marked `console` of the tutorials are run, command by command, and what comes is
# compared with what stands there. A block marked by a language and a file's name is saved under that name first.
#   - numbers are compared as numbers (any) with any unit of time behind, runs of blanks as one; `...` stands for any text, lines too
#   - standard error is part of what is shown where a command does not send it elsewhere
. "$2/lib.sh" || exit 1
docs=$tests/../docs
PATH=$(dirname "$pairmark"):$PATH
evidence=(want got)

plain() { # numbers, units of time and blanks made alike
    sed -E -e 's/[-+]?(nan|inf|[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?)( (ns|us|ms|s)\b)?/#/g' -e 's/[[:blank:]]+/ /g' -e 's/ $//'
}
# matches WANT GOT: the texts are alike, `...` being anything.
matches() {
    local pattern
    pattern=$(printf '%s' "$1" | sed -e 's/[][*?\\]/\\&/g' -e 's/\.\.\./*/g')
    # shellcheck disable=SC2053 # a pattern
    [[ $2 == $pattern ]]
}
last=0
# shows PAGE LINE COMMAND: runs the command in this shell, as a reader does, and compares with the file `want`.
shows() {
    (exit $last)
    eval "$3" >got 2>&1 </dev/null
    last=$?
    if matches "$(plain <want)" "$(plain <got)"; then pass; else complain "$1, line $2: $3"; fi
}
# page NAME: all of its blocks, in a folder of its own; its number of commands as $ran.
page() {
    local line number=0 command='' kind='' at=0
    ran=0
    mkdir -p "$work/$1" && cd "$work/$1" || exit 1
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        case $kind,$line in
        ,'```console') kind=console command='' ;;
        ,'```'[a-z]*' '*) kind=${line##* } && : >"$kind" ;;
        ,'```'*) kind=other ;;
        console,'```' | console,'$ '*)
            [ -z "$command" ] || { shows "$1" "$at" "$command" && ran=$((ran + 1)); }
            : >want
            command=${line#'$ '} at=$number
            [ "$line" != '```' ] || kind=''
            ;;
        console,*) printf '%s\n' "$line" >>want ;;
        *,'```') kind='' ;;
        other,* | ,*) ;;
        *) printf '%s\n' "$line" >>"$kind" ;;
        esac
    done <"$docs/$1.md"
}

# What compares is tried first.
check 'a text is like itself' matches "$(printf 'a 12 us\nb' | plain)" "$(printf 'a  3.5e-6 s\nb' | plain)"
check 'but not like another' eval '! matches "a" "b"'
check 'nor like a longer one' eval '! matches "a" "$(printf "a\nb")"'
check 'three dots are any text' matches 'a...c' "$(printf 'a b\nb c')"
check 'a star is a star' eval '! matches "a*" "abc"'

mkdir -p "$work/which-gpu" && ln -s "$tests/../results" "$work/which-gpu/results"
for name in tutorial which-gpu; do
    page $name
    check "commands of $name were run" [ "$ran" -ge 6 ]
done
conclude
