#!/usr/bin/env bash
# scripts/pocl_header and scripts/pocl_library: what they say does not hang on chance, and kernels compiled their way are those
# compiled without them, byte for byte.
. "$2/lib.sh" || exit 1
scripts=$tests/../scripts
unset POCL_EXTRA_BUILD_FLAGS OCL_ICD_VENDORS

flags=$("$scripts/pocl_header" "$pairmark") || complain 'pocl_header ends well'
vendors=$("$scripts/pocl_library" "$pairmark") || complain 'pocl_library ends well'
if [ -z "$flags$vendors" ]; then
    echo 'skipped: PoCL is not the only OpenCL here, or its clang is missing'
    [ $failed -eq 0 ] && exit 77
fi
[ -z "$vendors" ] || check 'where PoCL has fewer functions, its declarations come compiled' [ -n "$flags" ]

# Lists of libraries whose end comes late, and long ones: a reader that leaves early has their writer fail.
real=$(command -v ldconfig)
mkdir slow
printf '#!/bin/sh\n%s "$@"\nsleep 0.3\nfor i in 0 1 2 3 4 5 6 7 8 9; do %s "$@" | grep -v pocl; done\n' "$real" "$real" >slow/ldconfig
chmod +x slow/ldconfig
check 'pocl_header says the same of a slow list' [ "$(PATH=$work/slow:$PATH "$scripts/pocl_header" "$pairmark")" = "$flags" ]
check 'pocl_library, too' [ "$(PATH=$work/slow:$PATH "$scripts/pocl_library" "$pairmark")" = "$vendors" ]

"$pairmark" box fluid --n 100 --density 0.5 -o small.xyz
# compiled FOLDER [VARIABLE=VALUE]...: a variant, whose machine code lies in that folder then
compiled() {
    mkdir "$work/$1" &&
        env "${@:2}" POCL_CACHE_DIR="$work/$1" POCL_DEBUG=llvm "$pairmark" check --variant all_pairs_loop --box small.xyz --cutoff 2.5 \
            --precision float,double --outputs forces >out 2>err </dev/null
}
names() { (cd "$1" && find . -name '*.so' | sort); }
check 'as it is installed' compiled whole
check 'there is machine code' [ "$(names whole | grep -c .)" -ge 2 ]
if [ -n "$vendors" ]; then
    check 'with fewer functions' compiled fewer "OCL_ICD_VENDORS=$vendors"
    check 'which were those that were read' err "Using $(dirname "$vendors")/"
    check 'the same kernels' [ "$(names whole)" = "$(names fewer)" ]
    while read -r kernel; do
        check "the same machine code: $kernel" cmp "whole/$kernel" "fewer/$kernel"
    done < <(names whole)
    # Those of vectors as wide as the processor's registers, which the kernels of its peaks use.
    POCL_CACHE_DIR=$work/fewer OCL_ICD_VENDORS=$vendors exits 0 bench --variant all_pairs_loop --box small.xyz --cutoff 2.5 --precision float \
        --outputs forces --time-cap 0.01 --visits 1 --twins 0 --no-plot -o peaks || complain 'a bench with fewer functions'
    for peak in fp32_operations fp64_operations fp32_rsqrt copy_bytes local_read_bytes; do
        says_like peaks/environment.json "\"${peak}_per_s\": ?[1-9]"
    done
fi
if [ -n "$flags" ]; then
    check 'with declarations that come compiled' compiled header "POCL_EXTRA_BUILD_FLAGS=$flags"
    check 'as many kernels' [ "$(names whole | grep -c .)" -eq "$(names header | grep -c .)" ]
fi

# A program knows the tunables that its text names: what finds moved particles is one, whatever the skin.
POCL_CACHE_DIR=$work/skins expect 0 check --variant list_walk --box small.xyz --cutoff 2 --precision float --outputs forces --tune SKIN=5,12
check 'programs that find moved particles' [ "$(find skins -type d -name find_moved | wc -l)" -eq 1 ]
conclude
