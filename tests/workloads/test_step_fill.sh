#!/usr/bin/env bash
# Cells that the first half of a step fills: as right as those built apart, and nobody else builds them; mistakes are found.
. "$2/lib.sh" || exit 1
source=$tests/../variants/step/verlet_fill.cl
fluid=(--workload step --kind fluid --n 500 --outputs forces)

for fill in 0 1; do
    check "FILL_CELLS=$fill passes" exits 0 check "${fluid[@]}" --variant 'verlet_fill+*' --precision float,mixed,double --tune "FILL_CELLS=$fill"
    check "in all cases with FILL_CELLS=$fill" out '3 passed, 0 failed, 0 unsupported'
    check "and in cells that lean" exits 0 check --workload step --kind fluid@85:95:80 --dt 0.0005 --n 500 --variant 'verlet_fill+*' --precision mixed,double \
        --outputs virial --tune "FILL_CELLS=$fill" --tune CELLS_PER_CUTOFF=2
    check "in all of these with FILL_CELLS=$fill" out '2 passed, 0 failed, 0 unsupported'
done

# Cells that are looked up, by whoever fills them.
for fill in 0 1; do
    check "looked up, FILL_CELLS=$fill" exits 0 check "${fluid[@]}" --variant 'verlet_fill+*' --precision float,mixed --tune "FILL_CELLS=$fill" \
        --tune CELL_LOOKUP=8
    check "in all cases looked up, FILL_CELLS=$fill" out '2 passed, 0 failed, 0 unsupported'
    check "looked up in cells that lean, FILL_CELLS=$fill" exits 0 check --workload step --kind fluid@85:95:80 --dt 0.0005 --n 500 --variant 'verlet_fill+*' \
        --precision mixed,double --outputs virial --tune "FILL_CELLS=$fill" --tune CELLS_PER_CUTOFF=2 --tune CELL_LOOKUP=8
    check "all of these, FILL_CELLS=$fill" out '2 passed, 0 failed, 0 unsupported'
done

# Stages say who builds what: with 1 nothing is renewed, and chains are emptied.
for fill in 0 1; do
    expect 0 bench "${fluid[@]}" --variant 'verlet_fill+*' --precision float --tune "FILL_CELLS=$fill" --time-cap 0.05 --visits 1 --twins 0 --no-plot -o "stages$fill"
done
check 'built apart is a stage' grep -q 'renew linked_cells' stages0/stages.csv
check 'filled is none' [ "$(grep -c 'renew linked_cells' stages1/stages.csv)" -eq 0 ]
check 'but emptying is' grep -q 'clear linked_cells' stages1/stages.csv

# Whoever says that he fills, and does not, finds nobody in the cells; half-heartedly is found, too.
mutant() { # mutant NAME SED
    sed -e "s/^ \* verlet_fill —/ * $1 —/; $2" "$source" >"$1.cl"
    check "$1 is another text" [ "$(diff "$source" "$1.cl" | grep -c '^>')" -ge 2 ]
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${fluid[@]}" --precision double
    check "$1 is wrong" said wrong
}
mutant nobody_fills 's/^#if FILL_CELLS/#if 0/'
mutant one_is_not_noted 's/^        particle_next\[i\] = .*/        if (i != 17) {\n&\n        }/'
mutant noted_beside 's/ATOMIC_EXCHANGE(&cell_head\[cell\]/ATOMIC_EXCHANGE(\&cell_head[(cell + 1) % cells.w]/'
mutant chain_lost 's/particle_next\[i\] = ATOMIC_EXCHANGE/particle_next[i] = -1;\n        (void)ATOMIC_EXCHANGE/'

# Bins of another width than the table's.
sed -e 's/^ \* verlet_fill —/ * other_bins —/; s/^        const int cell = /        inverse_cell_width.x *= CELL_LOOKUP ? REAL(0.9) : REAL(1.0);\n&/' "$source" >other_bins.cl
check 'wrong bins are another text' grep -q '0\.9' other_bins.cl
check 'without a table nothing is wrong' exits 0 check --variant-file other_bins.cl --variant 'other_bins+*' "${fluid[@]}" --precision double
check 'with one it is refused' exits 1 check --variant-file other_bins.cl --variant 'other_bins+*' "${fluid[@]}" --precision double --tune CELL_LOOKUP=8
check 'as wrong' said wrong

# ---- what is refused ----
refused() { # refused SED WORDS
    sed -e "$1" "$source" >refused.cl
    check "exit status 2: $1" exits 2 check --variant-file refused.cl
    check "$2" err "$2"
}
refused 's/@fills      linked_cells FILL_CELLS/@fills      linked_cells FILL/' '@fills linked_cells FILL: expected a @tunable of that name'
refused 's/@forces     .*/@forces     sorted_cells/' '@fills linked_cells: expected the structure that the forces walk, sorted_cells here, and one that can be filled: linked_cells'
refused 's/@fills      linked_cells FILL_CELLS/@fills      sorted_cells/; s/@forces     .*/@forces     sorted_cells/' '@fills sorted_cells: expected the structure that'
refused 's/^ \* @fills .*//' 'parameter cell_head is a GLOBAL int * here, and a GLOBAL const int * is expected'
refused 's/@fills      linked_cells/& FILL_CELLS twice/' 'expected, once: @fills STRUCTURE [TUNABLE]'
sed -e 's/^ \* verlet_fill —/ * thirds —/; s/CELL_LOOKUP 0\* 8/CELL_LOOKUP 3/' "$source" >thirds.cl
check 'bins are a power of two per cell' exits 3 check --variant-file thirds.cl --variant 'thirds+*' "${fluid[@]}" --precision double -v
check 'and it is said' said 'CELL_LOOKUP=3: expected 0 or a power of two'
sed 's/^ \* @structure   linked_cells/&\n * @fills linked_cells/' "$tests/../variants/forces/linked_cells_by_pair.cl" >of_forces.cl
check 'forces fill nothing' exits 2 check --variant-file of_forces.cl
check 'and it is said' err '@fills are of time steps'

conclude
