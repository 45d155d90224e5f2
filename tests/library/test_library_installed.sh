#!/usr/bin/env bash
# libpairmark as it is installed: found by pkg-config and CMake, shared and static, from C and C++; nothing but pm_* is seen of it; the
# example conserves energy, prints nothing of the library's own, and loses no memory.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")
source=$(realpath "$tests/..")
[ -f "$build/libpairmark.so" ] || { echo 'no libpairmark.so beside the program: make build-tests makes it'; exit 77; }
sanitized && { echo 'built with AddressSanitizer, which programs that link the library would need'; exit 77; }
command -v pkg-config >/dev/null || { echo 'no pkg-config (Debian package pkg-config)'; exit 77; }

check 'cmake --install' bash -c "cmake --install '$build' --prefix '$work/there' >out 2>err"
config=$(find there -name pairmark.pc)
export PKG_CONFIG_PATH=$work/${config%/*}
library=$work/${config%/pkgconfig/*}
check 'its version' [ "$(pkg-config --modversion pairmark)" = "$("$pairmark" --version | awk '{ print $2; exit }')" ]
nm -D --defined-only "$library/libpairmark.so" >names
check 'every function of the header is there' [ "$(grep -c ' T pm_.*@@PAIRMARK_1$' names)" -eq "$(grep -c '^PM_API' there/include/pairmark.h)" ]
check 'and nothing else' [ "$(grep -vc ' T pm_\| A PAIRMARK_1' names)" -eq 0 ]
check 'of the archive, too' [ "$(nm "$library/libpairmark.a" 2>/dev/null | grep -c ' [TDBRVW] [^p]')" -eq 0 ]

# By hand, as the example says, and strictly.
read -ra shared <<<"$(pkg-config --cflags --libs pairmark)"
read -ra static <<<"$(pkg-config --static --cflags --libs pairmark)"
example=there/share/pairmark/examples/melt.c
check 'shared' bash -c 'cc -std=c99 -pedantic -Wall -Wextra -Werror -O2 "$@" -lm 2>err' _ "$example" -o melt "${shared[@]}"
check 'static' bash -c 'cc -O2 "$@" -lm 2>err' _ "$example" -o melt_static "${static[@]/-lpairmark/$library/libpairmark.a}"
cat >one.cc <<'C'
#include <cstring>
#include <pairmark.h>
int main() {
    pm_error error;
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
    return pm_open("none", 0, &error) == PM_BAD_INPUT && !std::strcmp(pm_version(), PAIRMARK_VERSION) && arrays.size > 0 ? 0 : 1;
}
C
check 'from C++' bash -c 'c++ -pedantic -Wall -Wextra -Werror "$@" 2>err' _ one.cc -o one "${shared[@]}"
export LD_LIBRARY_PATH=$library
check 'which runs' ./one

# 100 steps: the total energy per particle, to four digits, and nothing else said.
runs_well() { # runs_well PROGRAM VARIANT
    "./$1" "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" "$2" >out 2>err &&
        awk '/^step/ { if (!n++) first = $4; if (($4 - first) ^ 2 > 2e-3 ^ 2) bad = 1 } END { exit bad || n != 6 }' out && empty err
}
check 'a list' runs_well melt list_walk
cp out shared_out
check 'cells' runs_well melt sorted_cells
check 'the archive' runs_well melt_static list_walk
check 'finds the same' cmp -s shared_out out
if ./melt "${PAIRMARK_TEST_DEVICE:-opencl:0:0}" no_such >out 2>err; then complain 'an unknown variant'; else says err "no variant 'no_such'"; fi
lacks err 'pm_'

# CMake.
mkdir user
printf 'cmake_minimum_required(VERSION 3.22)\nproject(user C CXX)\nfind_package(pairmark 1.0 REQUIRED)\n' >user/CMakeLists.txt
printf 'add_executable(%s ../%s)\ntarget_link_libraries(%s pairmark::%s m)\n' a "$example" a pairmark b "$example" b pairmark_static >>user/CMakeLists.txt
check 'find_package' bash -c 'cmake -S user -B user/build -DCMAKE_PREFIX_PATH="$PWD/there" >out 2>err && cmake --build user/build >out 2>err'
check 'and runs' ./user/build/b "${PAIRMARK_TEST_DEVICE:-opencl:0:0}"

# Under ThreadSanitizer: a program of the archive, and what chooses functions by processor before the sanitizer is ready.
cat >widest.c <<'C'
#include "core/host.h"
WIDEST int twice(int x);
WIDEST int twice(int x) { return 2 * x; }
int main(int count, char **words) { return words && twice(count) == 2 ? 0 : 1; }
C
printf 'int main(void) { return 0; }\n' >plain.c
if cc -fsanitize=thread plain.c -o plain 2>/dev/null && ./plain 2>/dev/null; then
    check 'functions by processor' bash -c 'cc -O1 -fsanitize=thread -D_GNU_SOURCE -I "$1/harness" widest.c -o widest 2>err && ./widest 2>err' _ "$source"
    check 'the archive under ThreadSanitizer' bash -c 'cc -O1 -g -fsanitize=thread "$@" -lm 2>err' _ "$example" -o melt_thread "${static[@]/-lpairmark/$library/libpairmark.a}"
    check 'runs' runs_well melt_thread list_walk
    lacks err 'WARNING: ThreadSanitizer'
fi

# What the library itself allocates it gives back; drivers keep what they like.
if command -v valgrind >/dev/null; then
    sed 's/SIDE = 10/SIDE = 4/; s/STEPS = 100/STEPS = 2/' "$example" >small.c
    check 'a small one' bash -c 'cc -g -O1 "$@" -lm 2>err' _ small.c -o small "${shared[@]}"
    # Valgrind's processor is another than the one that the PoCL of the tests was made for.
    env -u OCL_ICD_VENDORS -u POCL_EXTRA_BUILD_FLAGS valgrind --leak-check=full --show-leak-kinds=definite --log-file=report ./small >out 2>err
    awk '/(malloc|calloc|realloc|strdup|memalign) \(/ { first = 1; next } first && / by / { print; first = 0 }' report >leaks
    lacks leaks 'libpairmark'
    check 'all of its own output' [ "$(grep -c '^step' out)" -eq 1 ]
fi
conclude
