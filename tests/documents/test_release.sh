#!/usr/bin/env bash
# What a release consists of besides the program: licence, citation and changelog are there, agree on the version, and are
# installed.
. "$2/lib.sh" || exit 1
root=$(realpath "$tests/..")
build=$(dirname "$pairmark")
version=$("$pairmark" --version | awk '{ print $2 }')

check 'the program tells a version' test -n "$version"
says_like "$root/LICENSE" '^MIT License$'
says_like "$root/LICENSE" "^Copyright \(c\) [0-9]{4} pairmark's developers$"
says_like "$root/CITATION.cff" '^cff-version: 1\.2\.0$'
says_like "$root/CITATION.cff" '^license: MIT$'
for key in message title authors; do
    says_like "$root/CITATION.cff" "^$key:" # the schema wants them
done
check 'CITATION.cff has the program'\''s version' grep -qxF "version: $version" "$root/CITATION.cff"
check 'CHANGELOG.md has it too' grep -qF "## [$version]" "$root/CHANGELOG.md"
newest=$(sed -n 's/^## \[\([^]]*\)\].*/\1/p' "$root/CHANGELOG.md" | head -n 1)
check 'what is new comes first in it' grep -qxE "Unreleased|${version//./\\.}" <<<"$newest"
# Merging keeps the lines of both sides, so a shortened heading could grow back unseen.
check 'a version has at most sixty lines' awk '/^## / { n = 0 } ++n > 60 { exit 1 }' "$root/CHANGELOG.md"

# The address stands in one place, from which `make address` writes it into the pages.
address=$(sed -n 's/^repository-code: "\(.*\)".*/\1/p' "$root/CITATION.cff")
cloned=$(sed -n 's/^git clone \([^ ]*\) pairmark .*/\1/p' "$root/README.md" "$root/docs/tutorial.md")
check "README.md and docs/tutorial.md clone what CITATION.cff names: $address" [ "$cloned" = "$address"$'\n'"$address" ]
if command -v make >/dev/null; then
    mkdir tree tree/docs
    cp "$root/Makefile" "$root/CITATION.cff" "$root/README.md" tree && cp "$root/docs/tutorial.md" tree/docs
    check 'make address' make -s -C tree address URL=ssh://git@host/pairmark.git
    check 'writes it thrice' [ "$(grep -hoE '(^git clone |^repository-code: ").*ssh://git@host/pairmark.git' -r tree | wc -l)" = 3 ]
    # The latest run that has rows, not one that was interrupted before the first.
    mkdir -p tree/runs/1 tree/runs/2
    printf 'n\n1\n' >tree/runs/1/rows.csv
    printf 'n\n' >tree/runs/2/rows.csv
    for target in plot report; do
        check "make $target takes the latest run that has rows" grep -q 'pairmark '$target' runs/1\b' <(make -s -n -C tree "$target")
    done
fi

check 'cmake --install' cmake --install "$build" --prefix "$work/there" >"$work/out" 2>"$work/err"
for file in README.md LICENSE CITATION.cff CHANGELOG.md; do
    check "$file is installed" cmp -s "$root/$file" "$work/there/share/doc/pairmark/$file"
done

conclude
