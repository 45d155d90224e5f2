#!/usr/bin/env bash
# A kernel with barriers is compiled rightly by every process. PoCL 5.0 to 6.x compile it wrongly in most, by chance, unless freed
# blocks are kept (devices/kept_blocks/kept_blocks.h). A PoCL that compiles wrongly is one that libpairmark warns of.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")

# The fewer freed blocks a thread keeps for itself, the sooner another use of a block's address: each process has another layout.
for blocks in 0 1 7 4000; do
    mkdir "cache_$blocks"
    export POCL_CACHE_DIR=$work/cache_$blocks
    GLIBC_TUNABLES=glibc.malloc.tcache_count=$blocks \
        all_pass "tcache_count $blocks" --workload forces --variant all_pairs_shares --precision float --outputs virial --kind brick --n 130 \
        --interaction born-mayer-huggins+ewald-real:alpha=0.9
done

if ! sanitized && [ -f "$build/libpairmark.so" ]; then
    check 'the report compiles' cc -std=c11 -Wall -Wextra -Wconversion -Werror -rdynamic "$tests/data/library/stale_uniformity.c" -lOpenCL -lm -o report
    cat >caution.c <<'END'
#include <pairmark.h>
#include <stdio.h>
int main(void) {
    pm_context *context = NULL;
    if (pm_open("opencl:0:0", &context, NULL) != PM_OK) return 2;
    puts(pm_caution(context));
    pm_close(context);
    return 0;
}
END
    check 'a program compiles' cc -I "$tests/../harness/library" caution.c -L "$build" -lpairmark -o caution
    env -u LD_PRELOAD LD_LIBRARY_PATH="$build" ./caution >caution.out 2>err # without libpairmark_pocl.so, which tests of the library have
    check 'and opens PoCL' [ $? -eq 0 ]
    evidence=(report.out err caution.out)
    POCL_KERNEL_CACHE=0 ./report >report.out 2>err
    case $?-$(cat report.out) in
    0-right) pass ;;
    1-wrong) check 'libpairmark warns of this PoCL' grep -q PoCL caution.out ;;
    *) complain 'the report neither says right nor wrong' ;;
    esac
fi
conclude
