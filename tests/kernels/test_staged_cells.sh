#!/usr/bin/env bash
# The variants that stage runs of cells in local memory, x_pencil and all_in_sm, where they could go wrong: boxes of few cells an edge,
# more particles than there is room for, more rows than work-items, several particles and blocks per work-item; and walks that are broken.
. "$2/lib.sh" || exit 1

both=(--variant 'x_pencil,all_in_sm')
"$pairmark" box fluid --n 1000 --density 0.8442 -o fluid.xyz # an edge of 10.58: five cells of 2.1
"$pairmark" box fluid --n 300 --density 0.5859375 -o few.xyz
"$pairmark" box brick@75:100:60 --n 500 -o leaning.xyz

# The edge of a fluid of 300 particles at this density is 8: six cells an edge of which a particle reaches all, and three.
while read -r cutoff fineness; do
    all_pass "few cells an edge, cutoff $cutoff" "${both[@]}" --box few.xyz --cutoff "$cutoff" --precision double \
        --outputs energy --tune "CELLS_PER_CUTOFF=$fineness"
done <<<$'4 3\n2.6 1'
all_pass "hardly any particles" "${both[@]}" --kind fluid --n 1,17 --precision float --outputs energy
all_pass "crowded and empty cells" "${both[@]}" --kind droplets --n 700 --open --precision float --outputs forces --tune GROUP_SIZE=32 \
    --tune STAGED=128
all_pass "staged in parts" "${both[@]}" --box fluid.xyz --cutoff 2.1 --precision fixed --outputs forces --tune GROUP_SIZE=32 \
    --tune STAGED=64 --tune PENCIL=16 --tune CELLS_PER_GROUP=16
all_pass "staged once for several particles per work-item" "${both[@]}" --box fluid.xyz --cutoff 2.1 --precision float --outputs forces \
    --tune GROUP_SIZE=64 --tune STAGED=1024
all_pass "lanes, and one or two cells per group" "${both[@]}" --box fluid.xyz --cutoff 2.1 --precision mixed --outputs forces \
    --tune LANES=8 --tune GROUP_SIZE=32 --tune PENCIL=1 --tune CELLS_PER_GROUP=2
all_pass "cells that lean, smaller than the cutoff" "${both[@]}" --box leaning.xyz --cutoff half --precision double --outputs energy \
    --tune CELLS_PER_CUTOFF=3
all_pass "types and molecules" "${both[@]}" --kind water --n 600 --cutoff 7 --precision float --outputs forces \
    --interaction 'lj+ewald-real:alpha=0.3,epsilon.O=0.65,epsilon.H=0.1' --exclude molecule --tune TYPE_TABLE=2
all_pass "a coordination" --variant 'coordination_x_pencil,coordination_all_in_sm' --kind fluid --n 300 --precision double \
    --interaction rational:r0=0.9,n=6,m=12,dmax=1.6 --outputs energy --open

# ---- broken walks ----
files=()
broken() { # broken NAME VARIANT EXPRESSION: the variant's text, changed by sed
    sed -e "s/$2/$1/g" -e '/@holds/,/@tunable/{/@tunable/!d}' -e "$3" "$tests/../variants/forces/$2.cl" >"$1.cl"
    check "$1 is changed" [ "$(sed "s/$2/$1/g" "$tests/../variants/forces/$2.cl" | diff - "$1.cl" | grep -c '^>')" = "${4:-1}" ]
    files+=(--variant-file "$1.cl")
}
broken pencil_as_it_is x_pencil '' 0
broken pencil_without_halo x_pencil 's/= own_cells.first - reach.x;/= own_cells.first;/'
broken pencil_of_one_part x_pencil 's/part.begin += STAGED;/part.begin = run.stop;/'
broken pencil_once_per_group x_pencil 's/pencil += NUM_GROUPS/pencil = pencils/'
broken pencil_of_one_round x_pencil 's/round += GROUP_SIZE/round += of_pencil.stop + GROUP_SIZE/'
broken block_as_it_is all_in_sm '' 0
broken block_of_one_part all_in_sm 's/part.begin += STAGED;/part.begin = slots;/'
broken block_of_some_rows all_in_sm 's/first_row += ROWS_AT_ONCE;/first_row = block.halo_rows;/'
broken block_taken_for_whole all_in_sm 's/is_whole = .*;/is_whole = 1;/' 2
broken block_once_per_group all_in_sm 's/number += NUM_GROUPS/number = blocks.w/'
"$pairmark" check "${files[@]}" --variant 'pencil_*,block_*' --box fluid.xyz --cutoff 3.5 --precision float --outputs forces \
    --tune GROUP_SIZE=32 --tune STAGED=64 --tune PENCIL=2 --tune CELLS_PER_GROUP=8 -v >out 2>err </dev/null
for name in "${files[@]}"; do
    [ "$name" != --variant-file ] || continue
    name=${name%.cl}
    case $name in
    *_as_it_is) check "$name is right" grep -q "^ok .*/$name/" out ;;
    *) check "$name is found out" grep -q "^wrong .*/$name/" out ;;
    esac
done

conclude
