#!/usr/bin/env bash
# The cases that check draws, by themselves, find every mutant: kernels that are always wrong, and those that only a condition shows.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants

# found NAME ARGUMENT...: before the time is up, which a busy machine takes longer for
found() { check "$1" exits 1 check "${@:2}" --seed 1 --budget 1000 --fail-fast; }

# What is not looked for: what must pass in one of the precisions or has no condition that is drawn, each with a test of its own.
left_out='^(large|column_race|race|heap|slight) '
for file in "$mutants"/*.cl; do
    name=$(basename "$file" .cl)
    workload=$(sed -n 's/^ \* @workload *//p' "$file")
    for tunable in MUTATION MORE; do
        for value in $(sed -n "s/^ \* @tunable *$tunable *//p" "$file" | tr -d '*'); do
            if [ "$value" = 0 ] || [[ "$name $value" =~ $left_out ]]; then
                continue
            fi
            others=()
            [ "$tunable" = MUTATION ] && grep -q '@tunable *MORE' "$file" && others=(--tune MORE=0)
            [ "$tunable" = MORE ] && others=(--tune MUTATION=0)
            found "$name, $tunable $value" --workload "$workload" --variant-file "$file" --tune "$tunable=$value" "${others[@]}"
        done
    done
done

# Those of a condition that are found early; scripts/mutants_found has them all.
early='^(row_of_80|shift_of_4_bits|excluded_over_40|draws_of_16_bits|seed_of_32_bits|terms_of_16_bits|molecule_1024|constraint_open|count_of_24_bits|cell_of_box_4|charge_lost|noise_step_of_16_bits|fifth_type|chain_of_5|group_of_256|pairs_of_16_bits)$'
mutant() { # mutant NAME VARIANT SOURCE SED
    local file=${3##*/}
    sed -e "$4" "$tests/../variants/$3" >"$file"
    check "$1 is another text" differ "$file" "$tests/../variants/$3"
    [[ $1 =~ $early ]] || return 0
    found "$1" --workload "${3%%/*}" --variant-file "$file" --variant "$2"
}
differ() { ! cmp -s "$@"; }
# shellcheck source=tests/data/mutants/conditional.sh
. "$mutants/conditional.sh"
conclude
