#!/usr/bin/env bash
# Every command of pairmark's that README and the pages print, in blocks and within sentences, is one that there is, with options
# that it has. What pages print is run and compared by test_pages.sh and test_documents.sh.
. "$2/lib.sh" || exit 1
source=$tests/..
mkdir help

# commands FILE: a command per line, continued lines joined; in sentences what stands between backquotes. Three
# blanks begin an explanation.
commands() {
    awk '/^```/ { fenced = !fenced } { print (fenced ? "" : " ") $0 }' "$1" |
        sed -e ':join' -e '/\\$/ { N; s/\\\n */ /; b join; }' |
        grep -oE '(^|^\$ |`|[;&|(] *)(\./)?pairmark [a-z][^`]*' | sed -E -e 's/^[^p]*pairmark/pairmark/' -e 's/   .*//'
}
# helped COMMAND: its help is in help/COMMAND.
helped() {
    [ -s "help/$1" ] || "$pairmark" "$1" --help >"help/$1" 2>/dev/null
}
# Options of a command line, up to what is Google Benchmark's, a comment, or another command.
options() {
    local word
    for word in $1; do
        case $word in
        --help) ;;
        -- | '#'* | '|' | '&&' | ';' | '>' | '2>&1') return ;;
        --[a-z]*) sed -E 's/^(--[a-z-]*[a-z]).*/\1/' <<<"$word" ;;
        esac
    done
}
count=0
for page in "$source/README.md" "$source"/docs/*.md; do
    while IFS= read -r line; do
        read -r _ name rest <<<"$line"
        name=${name%%[^a-z-]*}
        helped "$name"
        check "${page##*/}: pairmark $name" [ -s "help/$name" ]
        set -f
        for option in $(options "$rest"); do
            check "${page##*/}: pairmark $name $option" grep -qE -- "(^|[ ,\`[])$option([] ,=]|\$)" "help/$name"
        done
        set +f
        count=$((count + 1))
    done < <(commands "$page")
done
check 'many commands were found' [ "$count" -gt 100 ]
evidence=()
conclude
