#!/usr/bin/env bash
# libpairmark on memory and streams of CUDA programs (tests/data/library/device_memory.cu, share/examples/melt_cuda.cu): compiled where nvcc
# is, run where a GPU is. What a call costs is printed beside the times of `pairmark bench`.
. "$2/lib.sh" || exit 1
build=$(dirname "$pairmark")
source=$(realpath "$tests/..")
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
[ -x "$nvcc" ] || { echo 'no nvcc: needs the CUDA toolkit'; exit 77; }
[ -f "$build/libpairmark.so" ] || { echo 'no libpairmark.so beside the program: make build-tests makes it'; exit 77; }
sanitized && { echo 'built with AddressSanitizer: needs another build'; exit 77; }
for program in "$tests/data/library/device_memory" "$source/share/examples/melt_cuda"; do
    check "${program##*/} compiles" "$nvcc" -O1 -std=c++17 -arch=sm_90 -I "$source/harness/library" "$program.cu" -o "${program##*/}" \
        -L "$build" -lpairmark
done
"$pairmark" devices --json 2>/dev/null | grep -q '"cuda:0"' || { echo 'compiled, not run: needs a GPU of NVIDIA'; [ "$failed" -eq 0 ] && exit 77; conclude; }
export LD_LIBRARY_PATH=$build
./melt_cuda cuda:0 clusters_8x8 >out 2>err
check 'the example conserves energy' awk '/^step/ { if (!n++) first = $4; if (($4 - first) ^ 2 > 2e-3 ^ 2) bad = 1 } END { exit bad || n != 6 }' out
empty err
"$pairmark" bench --kind lattice --n 4000 --density 0.8442 --cutoff 2.5 --precision float --variant list_walk,clusters_8x8,blocks_32 \
    --visits 1 -o bench >/dev/null 2>&1
"$pairmark" query "SELECT variant, force_s_median * 1e6 AS bench_us FROM rows" bench
./device_memory cuda:0 >out 2>err
check 'and runs' [ $? -eq 0 ]
cat out
lacks out FAILED
says out 'all ok'
conclude
