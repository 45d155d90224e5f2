#!/usr/bin/env bash
# The cases that check draws, by themselves, find mutants: kernels that are always wrong, and those that only a condition shows. A run
# tries every sixteenth of them; PAIRMARK_SEED says which, and EVERY=1 tries all, which takes half an hour.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants
every=${EVERY:-16}
count=$((10#${PAIRMARK_SEED:-$RANDOM}))
printf 'of %d mutants one is tried, by PAIRMARK_SEED=%d\n' "$every" "$count"
is_tried() { ((count++ % every == 0)); }

# found NAME ARGUMENT...: by its results, before the time is up, which a busy machine takes longer for
found() {
    check "$1" exits 1 check "${@:2}" --seed 1 --budget 1000 --deadline 1000 --fail-fast
    check "$1 compiles, and is found in time" is_judged
}
is_judged() { ! grep -E '^(compile_error|timeout) ' out; }

always() { ! is_tried || found "$@"; }
# shellcheck source=tests/data/mutants/always.sh
. "$mutants/always.sh"

# Those of a condition that are found early; scripts/mutants_found has them all.
early='^(row_of_80|shift_of_4_bits|excluded_over_40|draws_of_16_bits|seed_of_32_bits|terms_of_16_bits|molecule_1024|constraint_open|count_of_24_bits|cell_of_box_4|charge_lost|noise_step_of_16_bits|fifth_type|chain_of_5|group_of_256|pairs_of_16_bits|below_the_face|above_the_face|across_the_face|water_of_16_bits|offset_of_24_bits|csr_of_24_bits|terms_over_128|energy_of_one|beyond_200|charge_above_1|water_of_64|pairs_in_whole_groups|image_of_2|faces_of_a_launch|listed_in_one_place|counted_in_one_place|bound_in_one_place|energy_in_one_place|pair_of_1024|farthest_of_1024|neighbour_257|bond_257|rest_of_last|bond_of_no_length|repelling_bond|acute_angle|steinhardt_last|rdf_last|settle_11|fifth_metal|metal_17|shift8_of_7_bits|walls_x_and_z|grid_of_zxy|short_berendsen|draw_tail|cold_chain|atom_across_the_face|row_of_16_bits)$'
mutant() { # mutant NAME VARIANT SOURCE SED
    local file=${3##*/}
    sed -e "$4" "$tests/../variants/$3" >"$file"
    check "$1 is another text" differ "$file" "$tests/../variants/$3"
    [[ $1 =~ $early ]] && is_tried || return 0
    found "$1" --workload "${3%%/*}" --variant-file "$file" --variant "$2"
}
differ() { ! cmp -s "$@"; }
# shellcheck source=tests/data/mutants/conditional.sh
. "$mutants/conditional.sh"
conclude
