#!/usr/bin/env bash
# A kernel with barriers is compiled rightly by every process. PoCL 5.0 to 6.x compile it wrongly in most, by chance, unless freed
# blocks are kept (devices/kept_blocks/kept_blocks.h).
. "$2/lib.sh" || exit 1

for process in 1 2 3 4; do
    mkdir "cache_$process"
    export POCL_CACHE_DIR=$work/cache_$process
    all_pass "process $process" --workload forces --variant all_pairs_shares --precision float --outputs virial --kind brick --n 130 \
        --interaction born-mayer-huggins+ewald-real:alpha=0.9
done
conclude
