#!/usr/bin/env bash
# --reference: both ways judge alike, in every command that compares; the words that it takes.
. "$2/lib.sh" || exit 1

kept() { find "$work/cache/references" -type f 2>/dev/null | wc -l; }
case=(--variant sorted_cells --kind fluid --n 4000 --precision double --outputs virial --reduction tree)

check "threads" exits 0 check "${case[@]}" --cutoff 3 --reference threads
check "pass" grep -q '^[1-9] passed, 0 failed' out
threads=$(kept)
check "are kept on disk" [ "$threads" -gt 0 ]
check "and are what nothing said means" exits 0 check "${case[@]}" --cutoff 3
check "from the disk" [ "$(kept)" -eq "$threads" ]
check "serial" exits 0 check "${case[@]}" --cutoff 3 --reference=serial
check "passes" grep -q '^[1-9] passed, 0 failed' out
check "and is computed by itself" [ "$(kept)" -gt "$threads" ]
check "eval takes it" exits 0 eval "${case[@]}" --reference serial
for command in check eval bench tune; do
    check "$command refuses another word" exits 2 $command --reference cells
    check "$command says which there are" err "expected threads or serial"
    check "$command says it of two" exits 2 $command --reference serial --reference threads
done
check "a misspelt option" exits 2 check --refernce serial
check "is told the right one" err "'--reference'"

conclude
