#!/usr/bin/env bash
# The manual page renders without a warning, and it and the --help texts have the same commands, presets and options.
. "$2/lib.sh" || exit 1
page=$tests/../docs/pairmark.1

same() { # same FILE FILE: they hold the same lines; what differs is shown
    diff "$1" "$2" | grep '^[<>]'
    [ "${PIPESTATUS[0]}" -eq 0 ]
}
options() { grep -oE -- '--[a-z][a-z-]*[a-z]' | grep -v '^--benchmark' | sort -u; }

mapfile -t commands < <("$pairmark" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
check "there are commands" [ "${#commands[@]}" -ge 10 ]
sed 's/\\-/-/g' "$page" >"$work/page"
for command in "${commands[@]}"; do
    "$pairmark" "$command" --help >"$work/help-$command"
    check "the synopsis has $command" grep -qE "^\.B pairmark $command\$" "$work/page"
    check "$command is told of" grep -qE "^\.B $command\$" "$work/page"
done

# An option, and from the 24th letter on what it does, behind it or beneath.
awk 'FNR == 1 || /^$/ { on = 0 } /^Options/ { on = 1; next }
    on && !/^  -[^ ]*( [^ ]*)?$/ && (substr($0, 23, 1) != " " || substr($0, 24, 1) == " ")' "$work"/help-* >out
check 'options stand in two columns' [ ! -s out ]
cat "$work"/help-* | options >"$work/helped"
options <"$work/page" >"$work/told"
check "there are options" [ "$(wc -l <"$work/helped")" -gt 40 ]
check "help (<) and manual (>) have the same options" same "$work/helped" "$work/told"

awk '/^  [a-z-]+ +[a-z].*: / && on { print $1 } /^Presets/ { on = 1 } /^Options/ { on = 0 }' "$work/help-bench" >"$work/presets"
check "there are presets" [ "$(wc -l <"$work/presets")" -ge 5 ]
sed '/^\.SH DESCRIPTION/q' "$work/page" >"$work/synopsis"
while read -r preset; do
    check "the synopsis has the preset $preset" grep -qE "^\.BR (.* )?$preset( |$)" "$work/synopsis"
    check "the page says what the preset $preset measures" grep -qx "\.B $preset" "$work/page"
done <"$work/presets"

# Of a command the synopsis has its own options: those of its help, be they axes.
for command in "${commands[@]}"; do
    awk -v command="$command" '/^\.B pairmark / { on = $3 == command } /^\.SH DESC/ { exit } on' "$work/synopsis" | options >"$work/brief"
    check "$command: its help has what the synopsis has: $(comm -23 "$work/brief" <(options <"$work/help-$command") | head -n 3)" \
        [ -z "$(comm -23 "$work/brief" <(options <"$work/help-$command"))" ]
done
for file in "$tests"/../variants/interactions/*.cl; do
    name=$(basename "$file" .cl)
    [[ $name == bonded || $name == neighbours ]] || check "the page has the function $name" grep -qE "^\.BR?( .*)? $name( |\$|:)" "$work/page"
done

if command -v man >/dev/null && man --help 2>&1 | grep -q -- --warnings; then
    MANWIDTH=80 man --warnings -E UTF-8 -l "$page" >/dev/null 2>"$work/warnings"
    check "renders without a warning: $(head -n 3 "$work/warnings")" test ! -s "$work/warnings"
fi

conclude
