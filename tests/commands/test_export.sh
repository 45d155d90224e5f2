#!/usr/bin/env bash
# pairmark export: texts that compilers take as they are, once each, with the launches and parameters of the case; refusals.
. "$2/lib.sh" || exit 1
clang=$(command -v clang || true)
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")

compiles() { # compiles FOLDER: every text of it
    local text
    for text in "$1"/*.cu; do
        [ ! -e "$text" ] || [ ! -x "$nvcc" ] || "$nvcc" -w -ptx -arch=sm_90 -o /dev/null "$text" >out 2>err || return 1
    done
    for text in "$1"/*.cl; do
        [ ! -e "$text" ] || [ -z "$clang" ] ||
            "$clang" -w -cl-std=CL1.2 -Xclang -finclude-default-header -x cl -fsyntax-only "$text" >out 2>err || return 1
    done
}

expect 0 export list_walk --n 4k --precision mixed --outputs virial -o cuda
check 'a file per program' [ "$(wc -l <out)" -eq 5 ]
check 'all are there' bash -c 'xargs ls <out >names 2>err'
check 'each text once' [ "$(cat cuda/*.cu | grep -c 'KERNEL void list_walk(')" -eq 1 ]
says cuda/parameters.txt 'list_walk: 32 groups of 128'
says_like cuda/parameters.txt '^    n +4000$'
says_like cuda/parameters.txt '^    cutoff2 +6.25$'
says_like cuda/parameters.txt '^    position +device memory, 64000 bytes$'
check 'CUDA' compiles cuda

expect 0 export clusters_8x8 --kind water --n 600 --cutoff 8 --exclude molecule --opencl -o opencl \
    --interaction 'lj+ewald-real:epsilon.O=0.65,sigma.O=3.166,epsilon.H=0,sigma.H=1,alpha=0.28,coulomb=1389'
says opencl/parameters.txt 'note_types: '
says opencl/parameters.txt ', every rebuild'
check 'OpenCL' compiles opencl
expect 0 export ccma --kind polymers --n 3002 -o constraints
check 'another workload' compiles constraints
expect 0 export verlet+list_columns --kind melt --n 500 --steps 5 -o steps
check 'steps' compiles steps

# A wire along x: as in evaluations, kernels get room along y and z, more than the cell has.
expect 0 export sorted_cells --kind fluid --n 500 --periodic x --precision double -o wire
check 'a wire has no images along y and z' awk '$1 == "box" { good = $4 > 8.39 && $4 < 8.4 && $5 > 15 && $6 > 15 } END { exit !good }' wire/parameters.txt

refuses 'expected a variant' export
refuses 'expected a folder' export list_walk
refuses 'is there already' export list_walk -o cuda
refuses 'expected one' export 'list_*' -o several
check 'nothing is made' [ ! -e several ]
refuses 'one variant' export list_walk list_half -o two
expect 2 export no_such -o none
conclude
