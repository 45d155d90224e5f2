#!/usr/bin/env bash
# libpairmark on memory and streams of a CUDA program (tests/data/library/device_memory.cu): compiled where nvcc is, run where a GPU is.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")
source=$(realpath "$tests/..")
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
[ -x "$nvcc" ] || { echo 'no nvcc'; exit 77; }
[ -f "$build/libpairmark.so" ] || { echo 'no libpairmark.so beside the program'; exit 77; }
sanitized && { echo 'built with AddressSanitizer'; exit 77; }
check 'compiles' "$nvcc" -O1 -std=c++17 -arch=sm_90 -I "$source/harness/library" "$tests/data/library/device_memory.cu" \
    -o device_memory -L "$build" -lpairmark
"$pairmark" devices --json 2>/dev/null | grep -q '"cuda:0"' || { echo 'compiled; no GPU to run it on'; [ "$failed" -eq 0 ] && exit 77; conclude; }
LD_LIBRARY_PATH=$build ./device_memory cuda:0 >out 2>err
check 'and runs' [ $? -eq 0 ]
cat out
lacks out FAILED
says out 'all ok'
conclude
