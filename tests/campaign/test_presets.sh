#!/usr/bin/env bash
# pairmark bench --preset accumulation and interactions: their cases, that the user's words go before theirs, and that they run.
. "$2/lib.sh" || exit 1
listed() { # listed PRESET ARGUMENT...: which warns of nothing
    expect 0 bench --preset "$@" -- --benchmark_list_tests && echo "$1" >>presets
    check "$1: one line, of what there is" [ "$(wc -l <err)" -eq 1 ]
    lacks err 'holds less'
}
cases() { grep -c -- "$1" out; } # cases PATTERN

# ---- every way of adding, and both numbers that a processor is asked for ----
listed accumulation
for variant in list_half list_walk linked_cells_by_cell cell_buffers clusters_8x8 all_pairs_half; do
    for precision in float fixed; do
        check "$variant adds in $precision" [ "$(cases "/$variant/$precision/forces/fluid/")" = 1 ]
    done
done
check "buffers that depend on the order in float alone" [ "$(cases '/all_pairs_buffers/float/')" = 1 ]
check "and no more" [ "$(cases .)" = 13 ]
check "all pairs of fewer particles" [ "$(cases '/all_pairs_.*/n:1000/')" = 3 ]
listed accumulation --variant list_half --precision float,mixed,fixed,double --n 500
check "the user's variant, precisions and size" [ "$(cases '/list_half/.*/n:500/')/$(cases .)" = 4/4 ]

# ---- the built-in function, the same as a text, and the examples, wherever the program is called from ----
listed interactions
check "two variants of eight interactions" [ "$(cases '/sorted_cells/')/$(cases '/list_blocks/')/$(cases .)" = 8/8/16 ]
check "lj is built in" [ "$(cases 'forces/lj/')" = 2 ]
check "charges have their box" [ "$(cases '/salt/')" = 2 ]
listed interactions --n 500
check "the user's size, and no box of the preset's own" [ "$(cases '/fluid/n:500/')/$(cases .)" = 14/14 ]
printf '4*(1/r^12 - 1/r^6)\n' >mine.pair
for given in --interaction=lj --interaction-file=mine.pair; do
    listed interactions "$given" --n 500
    check "${given%%=*}: the user's alone" [ "$(cases .)" = 2 ]
done
listed interactions --workload coordination --kind uniform --n 500
check "what takes no texts has one function" [ "$(cases '^coordination/rational:')" = "$(cases .)" ]
expect 0 bench --preset standard --interaction-file mine.pair --variant sorted_cells --n 500 --precision float -- --benchmark_list_tests
lacks out water
expect 0 bench --preset standard --workload constraints --n 500 --precision float -- --benchmark_list_tests
check "a span with a table is of workloads that take one" [ "$(cases '^constraints/')" = "$(cases .)" ]

# ---- water as it is simulated ----
listed water
check "five lists and three ways of computing erfc, in float" [ "$(cases '^forces/.*alpha=0.35.*/float/forces/water/n:3000/cutoff:9')/$(cases .)" = 15/15 ]
check "with the table and without pairs of a molecule" [ "$(cases 'table=[0-9a-f]*,exclude=molecule')" = 15 ]
listed water-step
check "steps of a femtosecond over the same" [ "$(cases '^step/.*/verlet_settle+.*/n:3000/steps:2/settle:dt=0.01')/$(cases .)" = 10/10 ]
listed water-pme
check "with each variant of pme, and one beside the pairs" [ "$(cases '/pme_tiles:.*STREAMS=2')/$(cases '/pme_[a-z]*:order=5,.*STREAMS=1')/$(cases '^step/.*/pme_')" = 2/$(($(cases .) - 2))/$(cases .) ]
listed water-step --n 999 --precision double --variant verlet_settle+blocks_32
check "the user's variant, precision and size" [ "$(cases 'verlet_settle+blocks_32/double/.*/n:999/')/$(cases .)" = 2/2 ]

# ---- neighbour lists, each span with a density, cutoff and form of its own ----
listed neighbours
check "boxes of learned potentials in every form" [ "$(cases '/neighbours_cells/.*/n:8000/.*/csr/full/shifts/cutoff:6/')/$(cases '/coo/')" = 1/7 ]
check "and with other entries" [ "$(cases '/matrix/full/shifts+vectors+distances/')/$(cases '/half/')" = 7/7 ]
check "no large box by a kernel that keeps small ones" [ "$(cases '/neighbours_boxes/.*/n:8000/')/$(cases '/neighbours_boxes/.*/n:1000/')" = 0/11 ]
check "and batches" [ "$(cases '/neighbours_boxes/.*/batch:')" = 4 ]
listed neighbours --list csr --n 501
check "the user's form and size" [ "$(cases '/n:501/.*csr/')" = "$(cases .)" ]

# ---- batches, whose kernels leave all but one work-group of a large box at rest ----
for preset in bonded quick; do
    listed "$preset"
    check "$preset: no kernel of batches over a large box" [ "$(grep '/boxes_\|_boxes' out | grep -vcE '/n:(500|1000)/')" = 0 ]
done
listed batches
check "boxes of each size by all kernels, drawn ones, and in steps" [ "$(cases '/batch:[0-9]*/200-200/')/$(cases '/open/.*/20-500/')/$(cases .)" = 18/4/42 ]

# ---- precisions of a span ----
listed rdf
check "both precisions, one where N is largest" [ "$(cases '/double/')/$(cases '/double/.*n:64000/')/$(cases '/float/.*n:64000/')" = 8/0/2 ]

# ---- every other preset has cases ----
for preset in $(sed -n 's/^preset \([^:]*\):.*/\1/p' "$tests/../share/presets/presets.txt" | grep -vxFf presets); do
    listed "$preset"
    check "$preset has cases" [ "$(cases .)" -gt 0 ]
done

# ---- they run; texts are those of the files; a run goes on ----
fast=(--samples-min 1 --samples-max 3 --time-cap 0.01 --warm-up 0 --cold 0 --visits 1 --no-plot)
expect 0 bench --preset interactions "${fast[@]}" -o run -- '--benchmark_filter=sorted_cells'
says_like out '^rows +8: 8 ok'
for example in soft-core mie-14-7 buffered-14-7 morse table; do
    expect 0 eval --variant sorted_cells --n 130 --precision float --interaction-file "$tests/../share/interactions/$example.pair" --json
    field interaction >identity
    expect 0 query --csv "SELECT interaction FROM rows" run
    check "the preset has $example.pair" grep -qF "$(cat identity)" out
done
cp run/rows.csv before.csv
expect 0 bench --preset interactions "${fast[@]}" --resume run -- '--benchmark_filter=sorted_cells'
check "nothing is measured again" cmp -s run/rows.csv before.csv
expect 0 bench --preset accumulation "${fast[@]}" -o adding -- '--benchmark_filter=all_pairs_half'
says_like out '^rows +2: 2 ok'
conclude
