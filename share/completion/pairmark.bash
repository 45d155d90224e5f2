# shellcheck shell=bash disable=SC2154 # the tables stand before this

# Words that begin as the current one does. Of lists, the last item: LIST SEPARATOR WORDS. "FILE" and "DIR" among the words
# stand for the names of files and folders.
_pairmark_complete() {
    local current=$1 separator=$2 words=$3 stem='' word
    if [[ -n $separator && $current == *"$separator"* ]]; then
        stem=${current%"$separator"*}$separator
    fi
    case $words in
    FILE) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
    DIR) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
    *)
        for word in $words; do
            if [[ $word != - && $stem$word == "$current"* ]]; then
                COMPREPLY+=("$stem$word")
            fi
        done
        ;;
    esac
}

_pairmark() {
    local line=${COMP_LINE:0:COMP_POINT} current previous command option value prefix='' values separator=, words i
    COMPREPLY=()
    read -ra words <<<"$line"
    if ((${#words[@]} == 0)); then return; fi
    if [[ $line == *[[:space:]] ]]; then words+=(''); fi
    current=${words[-1]}
    command=${words[1]-}
    if ((${#words[@]} <= 2)); then
        _pairmark_complete "$current" '' "${!_pairmark_options[*]} help --help --version"
    else
        option=''
        value=$current
        previous=${words[-2]}
        if [[ $current == --*=* ]]; then
            option=${current%%=*}
            value=${current#*=}
            prefix=$option=
        elif [[ $previous == -* && $previous != *=* ]]; then
            option=$previous
        fi
        values=''
        if [[ -n $option && " ${_pairmark_options[$command]-} " == *" $option "* ]]; then
            values=${_pairmark_values["$command $option"]-${_pairmark_values["$option"]-}}
        fi
        if [[ $option == --interaction ]]; then separator=';'; fi
        if [[ -n $values ]]; then
            _pairmark_complete "$value" "$separator" "$values"
            for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$prefix${COMPREPLY[i]}; done
        elif [[ $current == -* ]]; then
            _pairmark_complete "$current" '' "${_pairmark_options[$command]-}"
        else
            _pairmark_complete "$current" '' "${_pairmark_operands[$command]-}"
        fi
    fi
    # Bash completes behind the last letter that breaks words, such as = and :.
    local broken=${current%"${current##*["$COMP_WORDBREAKS"]}"}
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$broken"}; done
    # A folder is gone into, and a list goes on.
    if ((${#COMPREPLY[@]} == 1)) && [[ -d ${COMPREPLY[0]} ]]; then
        COMPREPLY[0]+=/
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _pairmark pairmark
