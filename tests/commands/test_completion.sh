#!/usr/bin/env bash
# Completion in bash: what `pairmark completion bash` prints is run by bash, and completes commands, options and what is known
# by name.
. "$2/lib.sh" || exit 1
evidence=(err)

# bash before 4.4 has no such arrays; a shell without completion has no `complete`.
if ! (declare -A _ && complete -p >/dev/null) 2>/dev/null; then
    echo 'skipped: this bash completes nothing: needs one with programmable completion'
    exit 77
fi

expect 0 completion bash
cp out script
check "bash takes the script" bash -n script
# shellcheck source=/dev/null
. ./script
check "it completes pairmark" [ "$(complete -p pairmark)" = "complete -F _pairmark pairmark" ]

completed() { # completed LINE: what bash would offer for it, in a line
    COMP_LINE="pairmark $1"
    COMP_POINT=${#COMP_LINE}
    _pairmark
    (IFS=' ' && printf '%s' "${COMPREPLY[*]}")
}
completes() { # completes LINE WORDS
    check "'$1': $(completed "$1"), expected $2" [ "$(completed "$1")" = "$2" ]
}
has_word() { [[ " $1 " == *" $2 "* ]]; }
offers() { # offers LINE WORD
    check "'$1' offers no $2: $(completed "$1")" has_word "$(completed "$1")" "$2"
}

completes ben bench
completes 'help compa' compare
completes 'bench --prec' --precision
completes 'bench --precision ' 'float mixed double fixed'
completes 'bench --precision float,d' float,double
completes 'eval --precision=mi' mixed
completes 'check --reduction at' atomic
completes 'bench --launch gr' graph
completes 'eval --outputs vi' virial
completes 'check --workload coo' coordination
completes 'list --workload fo' forces
completes 'tune --interaction ew' ewald-real
completes 'bench --variant all_pairs_lo' all_pairs_loop
completes 'plot --variant all_pairs_half,all_pairs_lo' all_pairs_half,all_pairs_loop
completes 'list --structure cell_t' cell_table
completes 'bench --cutoff h' half
completes 'eval --reference ' 'threads serial none'
completes 'check --reference ' 'threads serial'
completes 'run --reference ' ''
completes 'bench --preset bal' balance
completes 'plot --format svg,p' svg,png
completes 'compare --by v' variant
completes 'compare --strict --li' --list-unmatched
completes 'box sa' salt
completes 'completion ' 'bash zsh'
completes 'bench --n ' ''
completes 'compare --precision fl' ''
completes 'unknown --prec' ''
mkdir folder && : >one.csv && : >'two words.xyz'
completes 'eval --box one' one.csv
completes 'bench -o fol' folder/
completes 'report fol' folder/
check "a name with a blank is one word" [ "$(completed 'eval --box tw')" = "two words.xyz" ]

# Every command, and every option that its help names.
while read -r command; do
    offers '' "$command"
    "$pairmark" "$command" --help >help
    while read -r option; do
        offers "$command --" "$option"
    done < <(grep -oE '^  (-[a-z], )?--[a-z][a-z-]*[a-z]' help | grep -oE -- '--[a-z-]+' | sort -u)
done < <("$pairmark" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
# The presets are those of the help.
"$pairmark" bench --help | awk '/^  [a-z-]+ +[a-z].*: / && on { print $1 } /^Presets/ { on = 1 } /^Options/ { on = 0 }' >presets
check "there are presets" [ "$(wc -l <presets)" -ge 5 ]
check "all presets are completed" [ "$(completed 'bench --preset ')" = "$(paste -sd ' ' presets)" ]

# ---- zsh: the same tables; what zsh itself does with words is stood in for ----
expect 0 completion zsh
cp out script.zsh
if zsh=$(command -v zsh); then
    cat >complete.zsh <<'END'
compdef() { :; }
compset() { if [[ $2 == 1 ]]; then PREFIX=${PREFIX#${~3}}; else PREFIX=${PREFIX##${~2}}; fi; }
compadd() { shift; for word in "$@"; do [[ $word == "$PREFIX"* ]] && offered+=($word); done; }
_files() { offered+=(FILES $@); }
source ./script.zsh
while IFS= read -r line; do
    words=(pairmark ${(s: :)line})
    [[ $line == *' ' ]] && words+=('')
    CURRENT=$#words PREFIX=$words[-1] offered=()
    _pairmark
    print -r -- ${(o)offered}
done
END
    zsh_completes() { # zsh_completes LINE WORDS
        local got
        got=$("$zsh" -f complete.zsh <<<"$1" 2>&1)
        check "zsh, '$1': $got, expected $2" [ "$got" = "$2" ]
    }
    zsh_completes ben bench
    zsh_completes 'bench --prec' --precision
    zsh_completes 'bench --precision ' 'double fixed float mixed'
    zsh_completes 'bench --precision float,d' double
    zsh_completes 'eval --precision=mi' mixed
    zsh_completes 'bench --preset bal' balance
    zsh_completes 'compare --strict --li' --list-unmatched
    zsh_completes 'box sa' salt
    zsh_completes 'eval --box ' FILES
    zsh_completes 'bench -o ' '-/ FILES'
    zsh_completes 'bench --n ' ''
    zsh_completes 'tune --interaction lj;ew' ewald-real
    zsh_completes 'unknown --prec' ''
fi

expect 2 completion
check "the shell is asked for" err "bash"
expect 2 completion fish
expect 2 completion --bsh
check "an option that is none is told" err "there is no such option"
conclude
