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
check 'what is new comes first in it' [ "$(grep -m1 '^## ' "$root/CHANGELOG.md")" = '## [Unreleased]' ]

check 'cmake --install' cmake --install "$build" --prefix "$work/there" >"$work/out" 2>"$work/err"
for file in README.md LICENSE CITATION.cff CHANGELOG.md; do
    check "$file is installed" cmp -s "$root/$file" "$work/there/share/doc/pairmark/$file"
done

conclude
