# shellcheck shell=bash disable=SC2016 # texts that `eval` reads
# What the tutorials print has happened; test_pages.sh has the other pages.
. "$2/lib.sh" || exit 1
. "$tests/documents.sh" || exit 1

for name in tutorial which-gpu; do
    page "$docs/$name.md" $name
    check "commands of $name were run" [ "$ran" -ge 6 ]
done
conclude
