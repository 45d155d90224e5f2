#!/usr/bin/env bash
# The variants that walk cells, where they could go wrong: boxes of one, two and three cells an edge, cells smaller than
# the cutoff, crowded cells that overflow a table and the room in local memory, groups divided every way.
. "$2/lib.sh" || exit 1

# Boxes from files are periodic alone: of a kind there is an open one, too, and every kernel is compiled a second time for it.
"$pairmark" box droplets --n 200 -o droplets.xyz
"$pairmark" box fluid --n 300 -o fluid.xyz
"$pairmark" box fluid --n 400 --density 0.8442 -o crowded.xyz

cells=linked_cells_by_cell,linked_cells_by_pair,cell_pairs_two_pass,cell_star

# The edge of a fluid of 300 particles at this density is 8: cutoffs that make one, two and three cells an edge.
density=0.5859375
while read -r cutoff fineness; do
    all_pass "few cells an edge, cutoff $cutoff" --variant $cells --kind fluid --n 300 --density $density --cutoff "$cutoff" \
        --precision double --outputs energy --tune "CELLS_PER_CUTOFF=$fineness"
done <<<$'4 1,3\n3.9 2\n2.6 1'
all_pass "few cells an edge, open" --variant $cells --kind fluid --n 300 --density $density --cutoff 4,2.6 --open \
    --precision float --outputs energy --tune CELLS_PER_CUTOFF=2
all_pass "hardly any particles" --variant $cells --kind fluid --n 1,2,3,17 --precision double --outputs energy
all_pass "crowded cells" --variant $cells --kind droplets --n 700 --precision double --outputs energy
all_pass "a cell of more than local memory stages" --variant cell_pairs_two_pass,cell_star --box crowded.xyz \
    --cutoff 3.8 --precision float --outputs forces --tune GROUP_SIZE=32
all_pass "every division of a group" --variant cell_pairs_two_pass --box droplets.xyz --cutoff 2.5 --precision float \
    --outputs forces --tune GROUP_SIZE=32 --tune PAIRS_PER_GROUP=1,2,8,16
all_pass "a large group divided" --variant cell_pairs_two_pass --box droplets.xyz --cutoff 2.5 --precision float \
    --outputs forces --tune GROUP_SIZE=256 --tune PAIRS_PER_GROUP=16
all_pass "a star of small parts" --variant cell_star --box droplets.xyz --cutoff 2.5 --precision float --outputs forces \
    --tune GROUP_SIZE=256 --tune STAGED=4 --tune ITEMS_PER_CELL=8
all_pass "a star of one part" --variant cell_star --box droplets.xyz --cutoff 2.5 --precision float --outputs forces \
    --tune GROUP_SIZE=32 --tune STAGED=8 --tune ITEMS_PER_CELL=32
all_pass "ranges of cells and of pairs" --variant 'linked*' --box fluid.xyz --cutoff 2.5 --precision float --outputs forces \
    --tune CELLS_PER_ITEM=4
all_pass "ranges of pairs" --variant linked_cells_by_pair --box fluid.xyz --cutoff 2.5 --precision float --outputs forces \
    --tune PAIRS_PER_ITEM=8
all_pass "sorted cells finer along x and y, partners by twos and threes" --variant sorted_cells --box crowded.xyz --cutoff 2.5 \
    --precision double --outputs virial --tune FINER_X=8 --tune FINER_Y=2 --tune AT_ONCE=2,3 --tune LANES=1,4
# Teams of every size, queues that are nearly full, rows of one candidate and of many.
all_pass "ballots: few cells an edge" --variant sorted_cells_ballot --kind fluid --n 300 --density $density --cutoff 4,2.6 \
    --precision double --outputs energy --tune CELLS_PER_CUTOFF=1,3
all_pass "ballots: open, hardly any particles" --variant sorted_cells_ballot --kind fluid --n 1,3,17 --open --precision double --outputs energy
all_pass "ballots: teams of every size" --variant sorted_cells_ballot --box droplets.xyz --cutoff 2.5 --precision fixed --outputs virial \
    --tune LANES=4,32 --tune DEPTH=2
all_pass "ballots: groups smaller than a warp, and than a team" --variant sorted_cells_ballot --box droplets.xyz --cutoff 2.5 \
    --precision float --outputs forces --tune GROUP_SIZE=4,16
# Work-items that take no sums add none: few others add up everything in a box of one cell.
all_pass "energies of a box of one cell" --variant cell_buffers --kind fluid --n 500 --cutoff half --precision float --outputs virial


# Cells so long that float rounds positions by more than a cutoff: computed where nothing needs cells, refused where rows of cells would be met
# twice.
for power in 5 6.$((RANDOM % 10)) 7 $((8 + RANDOM % 3)).$((RANDOM % 10)); do
    length=$(awk -v power="$power" 'BEGIN { printf "%.0f", 10 ^ power }')
    printf '17\nLattice="6 0 0 0 %s 0 0 0 6" Properties=species:S:1:pos:R:3 pbc="T T T"\n' "$length" >long.xyz
    awk 'BEGIN { for (i = 0; i < 17; i++) print "A", 1.9 * (i % 3), 1.9 * int(i / 3 % 3), 1.9 * int(i / 9) }' >>long.xyz
    "$pairmark" check --box long.xyz --variant $cells,sorted_cells,list_lanes,list_blocks,all_pairs_tile --precision float --cutoff 1.9 \
        --outputs forces >out 2>err
    check "a cell $length long: none fails" grep -Eq '^[1-9][0-9]* passed, 0 failed' out
done
conclude
