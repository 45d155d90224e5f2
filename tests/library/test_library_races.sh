#!/usr/bin/env bash
# libpairmark compiled for ThreadSanitizer: threads with contexts of their own, and threads that share one, race for nothing.
. "$2/lib.sh" || exit 1
sanitized && { echo 'built with AddressSanitizer, which goes with no other'; exit 77; }
source=$(realpath "$tests/..")
echo 'int main(void) { return 0; }' >plain.c
cc -fsanitize=thread plain.c -o plain 2>/dev/null && setarch -R ./plain 2>/dev/null || { echo 'no ThreadSanitizer here'; exit 77; }
check 'configured' bash -c 'cmake -S "$1" -B there -DPAIRMARK_CUDA=OFF -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-O1 -g1 -fsanitize=thread" -DCMAKE_CXX_FLAGS=-fsanitize=thread >out 2>err' _ "$source"
check 'built' bash -c 'cmake --build there --target pairmark_static --parallel 2 >out 2>err'
check 'linked' bash -c 'cc -std=gnu11 -O1 -g -fsanitize=thread -I "$1/harness/library" "$1/tests/data/library/races.c" there/libpairmark.a -o races -lstdc++ -lpthread -lm -ldl -lrt 2>err' _ "$source"
export PAIRMARK_TEST_DEVICE=${PAIRMARK_TEST_DEVICE:-opencl:0:0}
check 'no races' bash -c 'TSAN_OPTIONS=exitcode=66 setarch -R ./races >out 2>err && grep -qx right out'
conclude
