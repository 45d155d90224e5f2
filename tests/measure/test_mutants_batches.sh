#!/usr/bin/env bash
# The gate rejects every batch of boxes whose forces or sums are wrong on purpose, says in which box, and accepts the same kernel when it is
# right; kernels of one box refuse batches.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants/boxes.cl

# rejects MUTATIONS KIND OPTION...: each is wrong, and 0 is ok
rejects() {
    local mutation
    "$pairmark" check --variant-file "$mutants" --variant boxes --tune "MUTATION=0,$1" --precision float --kind "${@:2}" -v \
        >out 2>err </dev/null
    check "no fault: ${*:2}" grep -qE "^ok .*MUTATION=0:" out
    for mutation in ${1//,/ }; do
        check "mutation $mutation: ${*:2}" grep -qE "^wrong .*MUTATION=$mutation:" out
    done
}
rejects 1,2,3,8 fluid --n 24 --batch 4 --density 0.1 --cutoff 1.4 --outputs virial --periodic xyz
says_like out 'MUTATION=1: box [1-4] of 4: force on particle [0-9]+'
says_like out 'MUTATION=3: box [12] of 4: '
rejects 3,8 fluid --n 60 --batch 6 --open --outputs energy
rejects 3,8 fluid --n 0-20 --batch 7 --open --outputs virial --reduction atomic
rejects 4,5 fluid --n 130-190 --batch 5 --outputs forces
rejects 2,3,5,6,7,8 fluid --n 0-4 --batch 12 --open --outputs virial
says_like out 'MUTATION=7: box [0-9]+ of 12: got energy 0\.5 of no particles'
rejects 3,4 fluid@75:100:65 --n 200-260 --batch 3 --outputs energy --cutoff 2

# ---- each pair once: blocks that differ by a particle, by shuffles and without ----
half_mutant() { # half_mutant NAME SED OPTION...
    sed -e "s/boxes_half/$1/g; $2" "$tests/../variants/forces/boxes_half.cl" >"$1.cl"
    sed "s/$1/boxes_half/g" "$1.cl" | cmp -s - "$tests/../variants/forces/boxes_half.cl"
    check "$1 is another text" [ $? -eq 1 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1" --kind fluid --batch 3 --precision float --outputs energy "${@:3}"
    check "$1 is wrong" said wrong
}
for workload in forces coordination; do
    check "$workload: boxes that fit beside boxes that do not" exits 0 check --workload "$workload" --variant '*boxes*' --kind fluid --batch 5 --n 40-100 \
        --precision float --outputs virial --tune TILE=64
done
shuffled=(--n 57-59 --tune GROUP_SIZE=32)
for warps in '' 32; do
    [ -n "$warps" ] && export PAIRMARK_SUBGROUPS=$warps
    check "boxes_half, sub-groups of ${warps:-none}" exits 0 check --variant boxes_half --kind fluid --batch 9 --n 31-98 --precision float --outputs virial --tune GROUP_SIZE=32
    half_mutant place_lacking 's/ && turn != lacks//' "${shuffled[@]}"
    half_mutant facing_twice 's/lane >= turns ? turns - 1/lane >= turns ? turns/' --n 60-60 --tune GROUP_SIZE=32
    half_mutant half_way_short 's/step <= blocks \/ 2/step < blocks \/ 2/' "${shuffled[@]}"
done
half_mutant not_at_home 's/const int home = .*/const int home = lane;/' "${shuffled[@]}"
unset PAIRMARK_SUBGROUPS

# ---- rows of the particles of a box, which outlive moves ----
rows=(--variant list_boxes --precision float --kind fluid)
row_mutant() { # row_mutant NAME SED OPTION...
    finds_changed "$1" forces/list_boxes.cl "$2" '.*force on particle' "${rows[@]}" "${@:3}"
}
drawn=(--n 130-400 --batch 4 --periodic xyz --outputs forces)
check 'list_boxes, drawn cells' exits 0 check "${rows[@]}" "${drawn[@]}"
check 'list_boxes, none and one' exits 0 check "${rows[@]}" --n 0-3 --batch 12 --open --outputs virial
check 'list_boxes, rows and boxes that are too long' exits 0 check "${rows[@]}" --n 130-190 --batch 3 --outputs virial --tune TILE=64,512 --tune ROOM=32
row_mutant cell_of_the_first '/^KERNEL void list_boxes_fill/,/^}/s/box_cells\[GROUP_ID\]/box_cells[0]/' "${drawn[@]}"
row_mutant walked_in_the_first '/^KERNEL void list_boxes(/,/^}/s/box_cells\[GROUP_ID\]/box_cells[0]/' "${drawn[@]}"
row_mutant rows_of_the_first '/^KERNEL void list_boxes(/,/^}/s/(long64)first \* ROW_WORDS/0/' "${drawn[@]}"
row_mutant last_box_short 's/box_begin\[GROUP_ID + 1\] - first;/box_begin[GROUP_ID + 1] - first - (GROUP_ID == NUM_GROUPS - 1);/' "${drawn[@]}"
row_mutant next_box_met 's/other < count; other++/other < count + (count > 1); other++/' --n 60 --batch 3 --open --outputs forces --tune TILE=64 --tune ROOM=32
# Rows that lack the skin along one axis: particles move in any direction; and as far where a cell has no room for it.
far=(--n 600:900:+100 --cutoff 2 --periodic xyz --outputs forces)
near='nearest2(own, tile\[other\], cell) <= reach2'
for axis in x y z; do
    row_mutant no_skin_along_$axis "s/$near/& \&\& FABS(displacement(own, tile[other], cell).$axis) <= SQRT(cutoff2)/" "${far[@]}"
done
check 'list_boxes, no room for the skin' exits 0 check "${rows[@]:0:4}" --kind fluid@90:90:120 --cutoff half "${far[@]:0:2}" "${far[@]:4}"
row_mutant lone_particle_left 's/t < count; t += GROUP_SIZE/t < count \&\& count > 1; t += GROUP_SIZE/' --n 0-3 --batch 12 --open --outputs forces
row_mutant no_skin 's/const real reach = .*/const real reach = REAL(1.0);/' "${drawn[@]}"
row_mutant row_short 's/k < listed; k += PER_WORD/k + PER_WORD < listed; k += PER_WORD/' "${drawn[@]}"

# ---- bonded terms of each box, and coordination numbers ----
terms=(--variant bonded_boxes --precision double --kind)
finds_changed next_box bonded/bonded_boxes.cl 's/const int end = .*/const int end = box_begin[GROUP_ID + 1] - 1;/' 'box ' "${terms[@]}" chains --n 130-190 --batch 3 --outputs forces
finds_changed last_box_short bonded/bonded_boxes.cl 's/ = box_begin\[GROUP_ID + 1\]/& - (GROUP_ID == NUM_GROUPS - 1)/' 'box [0-9]+ of 9' "${terms[@]}" chains --n 1-9 --batch 9 --open --outputs forces
finds_changed first_cell bonded/bonded_boxes.cl 's/box_cells\[GROUP_ID\]/box_cells[0]/' 'box ' "${terms[@]}" chains --n 130-190 --batch 3 --outputs forces
finds_changed term_of_a_neighbour bonded/bonded_boxes.cl 's/k < incidence_start\[i + 1\]/k < incidence_start[i + 1 + (i == end - 1 \&\& GROUP_ID == 1)]/' 'box ' "${terms[@]}" water --n 90 --batch 3 --outputs energy
finds_changed two_boxes_added bonded/bonded_boxes.cl 's/^    STORE_SUMS/    if (GROUP_ID == 1 \&\& LOCAL_ID == 0) { add_to_sums(\&sums, REAL(1e-3), REAL(0.0), REAL(0.0), REAL(0.0), REAL(0.0)); }\n&/' 'box ' \
    "${terms[@]}" chains --n 40-60 --batch 3 --outputs energy
finds_changed lone_particle_left bonded/bonded_boxes.cl 's/i < end; i +=/i < end \&\& end - box_begin[GROUP_ID] > 1; i +=/' 'box ' "${terms[@]}" chains --n 0-3 --batch 12 --open --outputs forces
exits 0 check "${terms[@]}" chains --workload bonded --n 0-3 --batch 12 --open --outputs virial
# totals that are large together are as often even as they are
check 'large energies in fixed point' exits 0 check --workload bonded --variant bonded_boxes --kind water --n 900 --batch 5 --periodic xyz --precision fixed --outputs energy
exits 3 check --workload bonded --variant bonded_gather --precision double --kind chains --n 90 --batch 3 --outputs energy
says err 'sums of each box of a batch take groups of one box each'
exits 2 check --workload bonded --variant bonded_gather --precision double --kind chains --n 130-190 --batch 3 --periodic xyz --outputs forces
says err 'knows one cell: boxes of several sizes have their own'

# ---- molecules under constraints ----
held=(--precision double --kind water --n 90 --batch 5)
finds_changed one_water_free constraints/settle.cl 's/if (atoms.y >= 0) {/if (m == 17) { constrained[atoms.y] = displacement[atoms.y]; constrained[atoms.z] = displacement[atoms.z]; } else &/' \
    'box [0-9] of 5: .*constraint' --variant settle "${held[@]}"
finds_changed water_of_two_boxes constraints/settle.cl 's/const int4 atoms = .*/int4 atoms = water_atoms[m]; if (m == 5) { atoms.z = water_atoms[6].z; }/' 'box ' --variant settle "${held[@]}"
finds_changed single_particle_left constraints/settle.cl 's/constrained\[atoms.x\] = tip;/if (atoms.y >= 0) { & }/' 'box ' --variant settle --precision double --kind water --n 36 --batch 9
exits 2 check --workload constraints --variant settle --precision double --kind water --n 90-150 --batch 3 --periodic xyz
says err 'knows one cell: boxes of several sizes have their own'

counted=(--precision double --interaction rational:r0=0.9,n=6,m=12,d0=0.1,dmax=1.6 --kind)
sed 's/const int end = box_begin\[b + 1\]/& + (b == 1)/' "$tests/../variants/forces/boxes_tile.cl" >boxes_tile.cl
exits 1 check --variant-file boxes_tile.cl --workload coordination --variant coordination_boxes_tile "${counted[@]}" fluid --n 60 --batch 3 --open --outputs energy
says_like out '^wrong .*: box [0-9] of 3: '
check 'numbers by lists' exits 0 check --workload coordination --variant coordination_list_boxes "${counted[@]}" fluid --n 60-150 --batch 3 --outputs virial
sed 's/(long64)first \* ROW_WORDS/(long64)(GROUP_ID == 1 ? 0 : first) * ROW_WORDS/' "$tests/../variants/forces/list_boxes.cl" >list_boxes.cl
exits 1 check --variant-file list_boxes.cl --workload coordination --variant coordination_list_boxes "${counted[@]}" fluid --n 60 --batch 3 --open --outputs energy
exits 2 check --workload coordination --variant 'coordination_boxes_*' "${counted[@]}" fluid --n 90 --batch 3 --group-a 1-20
says err 'counts all particles of each box: expected no groups'
exits 2 check --workload coordination --variant coordination_boxes_tile "${counted[@]}" fluid --n 90 --group-a 3-31:3
says err 'counts all particles of each box: expected no groups'

# ---- sums in another order: of each box by itself ----
exits 0 check --variant boxes_tile --kind fluid --n 130-200 --batch 3 --open --precision mixed --outputs virial

# ---- as one box, in time steps, too ----
for variant in boxes_tile boxes_half; do
    exits 0 check --workload step --variant "verlet+$variant" --kind melt --n 300 --cutoff 1.5 --steps 4 --precision float --outputs forces,virial
done

# ---- who cannot ----
batch=(--kind fluid --n 600 --batch 3 --precision float)
exits 2 check --variant all_pairs_loop "${batch[@]}"
says_like err 'all_pairs_loop computes one box: a batch takes kernels that ask for box_begin or particles_per_box'
exits 2 check --variant boxes_tile --kind fluid --n 20-500
says err '--n 20-500: sizes of the boxes of a batch; expected --batch of two or more'
exits 2 check --variant boxes_tile --kind fluid --n 500-20 --batch 3
says err "--n: '500-20' is no range of sizes"

conclude
