#!/usr/bin/env bash
# check --compile-only --target: OpenCL texts compiled for AMD's GPUs and to SPIR-V by clang, with none of these devices.
. "$2/lib.sh" || exit 1
few=(--kind fluid --n 65 --precision float --outputs forces)
compile() { # compile STATUS TARGETS ARGUMENT...
    expect "$1" check --compile-only --target "${@:2}" "${few[@]}"
}

# ---- what cannot be ----
expect 2 check --target spirv
check 'without --compile-only' err '--target is of --compile-only'
compile 2 gcn --variant all_pairs_loop
check 'no such target' err "--target: there is no target 'gcn'; expected sm_90, gfx90a or another of these kinds, or spirv"
for target in gfx90a spirv; do
    PATH=$work compile 2 $target --variant all_pairs_loop
    check 'no clang' err "--target: $target: no clang in PATH; clang compiles for it (Debian 12: clang-15 libclc-15"
done
PAIRMARK_CLANG=$work/none compile 2 gfx90a --variant all_pairs_loop
check 'none of that name' err 'PAIRMARK_CLANG names no program'

# ---- what a compiler says, by one that says little ----
cat >clang <<'END'
#!/bin/sh
for word; do last=$word; done
grep -q 'broken' "$last" && { echo 'kernel.cl:7:1: error: broken'; exit 1; }
for kernel in $(sed -n 's/^KERNEL void \([a-z_]*\)(.*/\1/p' "$last"); do
    printf 'k.cl:1:1: remark: %s [-Rpass]\n' "Function Name: $kernel" '    SGPRs: 11' '    VGPRs: 120' '    AGPRs: 4' \
        '    ScratchSize [bytes/lane]: 24' '    Occupancy [waves/SIMD]: 6' '    SGPRs Spill: 0' '    VGPRs Spill: 5' \
        '    LDS Size [bytes/block]: 512'
done
END
chmod +x clang
export PAIRMARK_CLANG=$work/clang
compile 0 gfx90a --variant sorted_cells
check 'a row per kernel' out '| sorted_cells | sorted_cells | 124, 24, 512, 6 spills 5 |'
check 'structures, too' out '| few_cells.cl | sort_few | 124,'
compile 0 gfx90a --variant all_pairs_loop --json
check 'the same as JSON' [ "$(json '.[0] | [.target, .program, .kernel, .registers, .spilled_registers, .waves] | join(" ")')" = \
    'gfx90a all_pairs_loop all_pairs_loop 124 5 6' ]
sed -e 's/@workload/broken\n&/' "$tests/data/cheats/shown_box.cl" >wrong.cl
compile 1 gfx90a --variant-file wrong.cl
check 'what does not compile' out 'kernel.cl:7:1: error: broken'
check 'as a cell' out '|  | FAILED |'
check 'nothing is left' [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'pairmark-compiler-*' -newer wrong.cl 2>/dev/null)" ]
unset PAIRMARK_CLANG

# ---- clang ----
if ! exits 0 check --compile-only --target gfx90a,gfx1100,spirv --variant all_pairs_loop "${few[@]}"; then
    cat err
    echo 'skipped: no clang, libclc and llvm-spirv, which scripts/setup --all installs'
    [ "$failed" -gt 0 ] || exit 77
    conclude
fi
check 'valid SPIR-V' grep -qE '^\| all_pairs_loop \| all_pairs_loop \|( [0-9]+, 0, 0, [0-9]+ \|){2} valid \|' out
compile 0 gfx90a,gfx1100,spirv --variant all_pairs_screened,clusters_8x8,list_clusters,list_columns
check 'no register is spilled' lacks out 'spills '
check 'all compile' out ' 0 failed, 0 unsupported'
compile 0 gfx90a,spirv --variant all_pairs_tensor,all_pairs_loop
check 'CUDA C++ is unsupported' out '| all_pairs_tensor |  | unsupported | unsupported |'
# The table that docs/devices.md tells of.
"$tests/../scripts/compile_table" "$pairmark" gfx90a,spirv --variant all_pairs_loop,sorted_cells --kind fluid --n 65 --outputs forces >out 2>err
check 'a table by program' [ "$(sed 's/ [0-9]*, 0 / R, 0 /' out | head -n 3)" = $'| program | gfx90a |\n| --- | --- |\n| all_pairs_loop | R, 0 |' ]
check 'structures last' [ "$(sed -n '$s/ |.*//p' out)" = '| few_cells.cl' ]
conclude
