# The tables stand before this.

# Values of a list: the last item is completed, behind the separator. FILE and DIR stand for names of files and folders; - for what
# is open.
_pairmark_values_of() {
    local values=$1 separator=$2
    case $values in
    FILE) _files ;;
    DIR) _files -/ ;;
    -) ;;
    *)
        compset -P "*$separator"
        compadd -- ${=values}
        ;;
    esac
}

_pairmark() {
    local command=${words[2]} current=${words[CURRENT]} previous=${words[CURRENT-1]} option= separator=,
    if (( CURRENT == 2 )); then
        compadd -- ${(k)_pairmark_options} help --help --version
        return
    fi
    if [[ $current == --*=* ]]; then
        option=${current%%=*}
        compset -P 1 '*='
    elif [[ $previous == -* && $previous != *=* ]]; then
        option=$previous
    fi
    local values=
    if [[ -n $option && " ${_pairmark_options[$command]} " == *" $option "* ]]; then
        values=${_pairmark_values[$command $option]-${_pairmark_values[$option]-}}
    fi
    if [[ $option == --interaction ]]; then separator=';'; fi
    if [[ -n $values ]]; then
        _pairmark_values_of $values $separator
    elif [[ $current == -* ]]; then
        compadd -- ${=_pairmark_options[$command]}
    else
        _pairmark_values_of "${_pairmark_operands[$command]:--}" ,
    fi
}

compdef _pairmark pairmark
