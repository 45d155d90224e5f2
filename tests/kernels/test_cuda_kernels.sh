#!/usr/bin/env bash
# Kernels in CUDA C++: headers, types and launches are checked without a device, and everything is compiled where there is a
# toolkit. What the small kernels of tests/data/cuda compute is judged where there is a CUDA device.
. "$2/lib.sh" || exit 1
plain=$tests/data/cuda/plain.cu

# changed NAME SED...: plain.cu, edited, in NAME.cu
changed() {
    local name=$1
    shift
    sed "$@" "$plain" >"$name.cu"
    check "$name is another text" not_same "$name.cu" "$plain"
}
not_same() { ! cmp -s "$1" "$2"; }
# refused NAME WORDS: exit status 2 and the words, behind the file's name
refused() {
    check "$1: exit status 2" exits 2 list --variant-file "$1.cu"
    check "$1: '$2'" err "$1.cu:$2"
}

# ---- headers, without any device ----
expect 0 list --variant-file "$plain"
check 'the launch is listed' out 'plain_cuda: grid particle / TILE block TILE shared TILE * real4'
changed no_block -e 's/block TILE shared.*/shared 16/'
refused no_block '9: @pass plain_cuda: expected grid COUNT[, COUNT[, COUNT]] block COUNT[, ...] [shared BYTES] [cluster COUNT[, ...]]'
changed unknown_unit -e 's,grid particle /,grid cell /,'
refused unknown_unit '11: @pass plain_cuda: "cell" is no launch unit and no @tunable; expected one of particle, compute_unit, box, a tunable or a number'
changed four_dimensions -e 's/block TILE/block 1, 1, 1, 1/'
refused four_dimensions '9: @pass plain_cuda: expected grid'
changed architecture -e 's/@boxes     open/@arch hopper/'
refused architecture '8: @arch "hopper"; expected sm_90 (that one and up), sm_90a (that one alone) or another'
changed standard -e 's/@boxes     open/@std c++11/'
refused standard '8: @std "c++11"; expected c++17 or c++20'
changed compiler -e 's/@boxes     open/@compiler gcc/'
refused compiler '8: @compiler "gcc"; expected nvrtc or nvcc'
cp "$plain" dialect.cl
expect 2 list --variant-file dialect.cl
check 'a grid in the dialect is refused' err 'dialect.cl:9: @pass plain_cuda grid: a file of the dialect is launched by item or group per UNIT; grids are of CUDA C++, in a file that ends in .cu'
sed -e 's/@pass.*/@arch sm_90/' "$plain" >arch.cl
expect 2 list --variant-file arch.cl
check 'an architecture in the dialect is refused' err 'arch.cl:9: @arch is of CUDA C++; expected it in a file that ends in .cu'

# ---- parameters ----
changed mismatch -e 's/float cutoff2/int cutoff2/'
refused mismatch '13: kernel plain_cuda: parameter cutoff2 is an int here, and a float or double is expected'
changed written -e 's/const float4 \*__restrict__ position/float4 *position/'
refused written '13: kernel plain_cuda: parameter position is a float4 * here, and a const float4 * or const double4 * is expected'
changed both -e 's/float cutoff2/double cutoff2/'
refused both '13: kernel plain_cuda: the type of parameter cutoff2 is right in precisions in which those before it are not; expected floats or doubles, not both'
changed unknown -e 's/float cutoff2/float range2/'
refused unknown '13: kernel plain_cuda: nothing is known by the name of parameter "range2"'
changed absent -e 's/^plain_cuda(/another(/'
refused absent ' @pass names kernel plain_cuda, but the text has none; expected extern "C" __global__ void plain_cuda(...)'
changed mangled -e 's/^extern "C" //'
refused mangled '13: kernel plain_cuda has no name that can be found; expected extern "C" __global__ void plain_cuda(...)'

# ---- what is included: a part of the text, wherever it is read again ----
mkdir -p headers/lj
cat >headers/lj/force.h <<'END'
#pragma once
#include "power.h"
static __device__ float lj_force(float r2)
{
    const float s6 = power(1.0f / r2);
    return 24.0f * s6 * (2.0f * s6 - 1.0f) / r2;
}
END
cat >headers/lj/power.h <<'END'
#ifndef POWER_H
#define POWER_H
static __device__ float power(float x) { return x * x * x; }
#endif
END
changed including -e 's,^extern "C",#include <lj/force.h>\n#include <lj/force.h>\n#include "headers/lj/power.h"\n&,' \
    -e 's/const float f = .*/const float f = lj_force(r2);/'
expect 2 list --variant-file including.cu --include nowhere
check 'a folder that is missing' err '--include: there is no folder nowhere'
expect 2 check --variant all_pairs_loop --include headers
check 'nobody includes' err '--include headers: CUDA C++ alone includes files, and no --variant-file ends in .cu'
printf '#include "circle.h"\n' >circle.h
changed circle -e 's/^extern "C"/#include "circle.h"\n&/'
expect 2 list --variant-file circle.cu
check 'a file that includes itself' err 'circle.h:1: circle.h includes itself; expected #pragma once'
expect 0 bench --open --variant-file including.cu --include headers --device opencl:0:0 --n 100 --outputs forces --precision float --no-plot -o kept
check 'what is included is kept' grep -q 'power(float x)' kept/kernels/plain_cuda.cu
check 'once' [ "$(grep -c 'float lj_force(float r2)' kept/kernels/plain_cuda.cu)" -eq 1 ]
mv headers elsewhere
expect 0 bench --resume kept --no-plot
check 'and serves when the folder is gone' out 'rows     1: 0 ok, 1 unsupported'
mv elsewhere headers

# ---- devices that are no CUDA device ----
expect 3 check --variant-file "$plain" --device opencl:0:0 --n 100 --outputs forces
check 'OpenCL says why it is unsupported' err 'plain_cuda is written in CUDA C++, and needs a CUDA device'

# ---- compiled, with a toolkit and no device ----
one=(--kind fluid --n 1000 --cutoff 2.5 --outputs forces)
if ! exits 0 check --compile-only --variant-file "$plain" "${one[@]}" --precision float --verbose; then
    check 'without a compiler that is said' [ "$(grep -cE 'built without the CUDA toolkit|no NVRTC' err)" -eq 1 ]
    echo 'no toolkit here: nothing is compiled'
    conclude
fi
check 'registers and memory are told' grep -qE '^sm_90: plain_cuda: [0-9]+ registers, 0 bytes spilled, 0 bytes of shared memory: plain_cuda, lj' out
check 'all is counted' out '1 compiled, 0 failed, 0 unsupported'
expect 0 check --compile-only --target sm_80,sm_90 --variant-file "$plain" "${one[@]}" --json
check 'two architectures' [ "$(json '[.[] | select(.registers > 0) | .target] | unique | join(" ")')" = 'sm_80 sm_90' ]
expect 0 check --compile-only --variant-file "$plain" "${one[@]}" --json
check 'what its types do not fit' [ "$(json '[.[] | select(.error) | .error | select(startswith("plain_cuda does not compute in double"))] | length')" -gt 0 ]
expect 2 check --compile-only --target sm_20 --variant-file "$plain" "${one[@]}"
check 'an unknown architecture' err "--target: there is no architecture 'sm_20'"
changed large_block -e 's/block TILE /block TILE, 16 /'
expect 3 check --compile-only --variant-file large_block.cu "${one[@]}" --precision float
check 'a block that no launch can have' err 'kernel plain_cuda: a block of 2048 threads; sm_90 takes 1024 at most'
sed -e 's/@tunable   GROUP_SIZE.*/@tunable   GROUP_SIZE 2048/' "$tests/data/cheats/shown_box.cl" >large_group.cl
check 'the group is another' not_same large_group.cl "$tests/data/cheats/shown_box.cl"
expect 3 check --compile-only --variant-file large_group.cl "${one[@]}" --precision float
check 'a group that no launch can have' err 'a block of 2048 threads; sm_90 takes 1024 at most'
changed broken -e 's/sum.x += f/sum.x += g/'
expect 1 check --compile-only --variant-file broken.cu "${one[@]}" --precision float
check 'errors have their lines' out 'broken.cu(32): error: identifier "g" is undefined'
changed missing -e 's/^extern "C"/#include <nowhere.h>\nextern "C"/'
expect 1 check --compile-only --variant-file missing.cu "${one[@]}" --precision float
check 'a missing header has its line' out 'missing.cu(12): catastrophic error: cannot open source file "nowhere.h"'
expect 0 check --compile-only --variant-file including.cu --include headers "${one[@]}" --precision float
expect 1 check --compile-only --variant-file including.cu "${one[@]}" --precision float
check 'without the folder the header is missing' out 'including.cu(12): catastrophic error: cannot open source file "lj/force.h"'
sed -i 's/x \* x \* x/x * x * y/' headers/lj/power.h
expect 1 check --compile-only --variant-file including.cu --include headers "${one[@]}" --precision float
check 'errors in a header have its name and line' out 'headers/lj/power.h(3): error: identifier "y" is undefined'
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    changed by_nvcc -e 's/@boxes     open/@compiler nvcc\n * &/'
    expect 0 check --compile-only --variant-file by_nvcc.cu "${one[@]}" --precision float --verbose
    check 'nvcc tells registers, too' grep -qE '^sm_90: plain_cuda: [0-9]+ registers, 0 bytes spilled' out
    changed broken_by_nvcc -e 's/@boxes     open/@compiler nvcc\n * &/' -e 's/sum.x += f/sum.x += g/'
    expect 1 check --compile-only --variant-file broken_by_nvcc.cu "${one[@]}" --precision float
    check 'and errors with their lines' out 'broken_by_nvcc.cu(33): error: identifier "g" is undefined'
    check 'nothing is left in the temporary folder' [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'pairmark-compiler-*' -newer by_nvcc.cu 2>/dev/null)" ]
fi
changed later -e 's/@boxes     open/@arch sm_100/'
expect 3 check --compile-only --variant-file later.cu "${one[@]}" --precision float --verbose
check 'nothing compiled is no success' err 'nothing was compiled: every case is unsupported: plain_cuda says @arch sm_100'
check 'a later architecture is unsupported' out 'plain_cuda says @arch sm_100 (and up); sm_90 is sm_90'
changed remembers -e 's/^extern "C"/__device__ float4 kept;\nextern "C"/' -e 's/force\[i\] = .*/if (kept.x == 0) { kept.x = sum.x; } force[i] = kept;/'
expect 1 check --compile-only --variant-file remembers.cu "${one[@]}" --precision float
check 'state is refused by its name' out 'the variable kept keeps its value from launch to launch'
changed remembers_in_ptx -e 's/force\[i\] = .*/float old; asm volatile("{ .global .f32 hidden; ld.global.f32 %0, [hidden]; st.global.f32 [hidden], %1; }" : "=f"(old) : "f"(sum.x)); force[i].x = old;/'
expect 1 check --compile-only --variant-file remembers_in_ptx.cu "${one[@]}" --precision float
check 'state in inline PTX is refused by its name' out 'the variable hidden keeps its value from launch to launch'
kernels=(cub_block_reduce cub_warp_reduce cooperative half_and_bfloat bulk_copy cluster_memory matrix_double warpgroup_matrix)
changed remembers_managed -e 's/^extern "C"/__managed__ float4 kept;\nextern "C"/' -e 's/force\[i\] = .*/kept.x += 1; force[i] = kept;/'
expect 1 check --compile-only --variant-file remembers_managed.cu "${one[@]}" --precision float
check 'managed memory is refused by its name' out 'the variable kept keeps its value from launch to launch'
changed launches -e 's/^extern "C"/extern "C" __global__ void child(float4 *f) { f[0].x = 1; }\nextern "C"/' -e 's/force\[i\] = .*/child<<<1, 1>>>(force);/'
expect 1 check --compile-only --variant-file launches.cu "${one[@]}" --precision float
check 'launches from the device are refused with their line' out 'launches.cu(40): error: device-side kernel launch could not be processed'
files=()
for kernel in "${kernels[@]}"; do
    files+=(--variant-file "$tests/data/cuda/$kernel.cu")
done
expect 0 check --compile-only "${files[@]}" --open --kind fluid --n 1000 --cutoff 2.5 --outputs energy --precision mixed
check 'CUB, cooperative groups, half precision, bulk copies, clusters and tensor cores compile' out '16 compiled, 0 failed, 0 unsupported'

expect 0 check --compile-only --target sm_80 --variant all_pairs_tensor --kind fluid --n 1000 --cutoff 2.5 --outputs virial --reduction tree --precision float
check 'the built-in kernels, too' out ' 0 failed, 0 unsupported'

# ---- computed, where there is a CUDA device ----
if exits 0 devices --json && json '.. | .name? // empty' | grep -q '^cuda:'; then
    expect 0 check --variant-file "$plain" --device cuda:0 --n 100,1000 --outputs forces --precision float
    for kernel in "${kernels[@]}"; do
        expect 0 check --variant-file "$tests/data/cuda/$kernel.cu" --device cuda:0 --n 1000 --cutoff 2.5 --outputs virial
    done
    changed greedy -e 's/shared TILE \* real4/shared 20000 * real4/'
    expect 3 check --variant-file greedy.cu --device cuda:0 --n 100 --outputs forces --precision float
    check 'too much shared memory' said '320000 bytes of dynamic shared memory and 0 of its own; a block has'
    expect 3 check --variant-file "$tests/data/cuda/cluster_memory.cu" --tune BLOCKS=32 --device cuda:0 --n 1000 --outputs forces
    check 'a cluster too large' said 'cannot run a cluster of 32 blocks of this size at once'
    # what fails leaves the others their device: each beside a built-in kernel that passes
    fails() { # fails NAME WORDS SED...: the kernel fails with these words, and all_pairs_tile passes
        local name=$1 words=$2
        shift 2
        changed "$name" -e "s/plain_cuda/$name/" "$@"
        expect 1 check --variant-file "$name.cu" --variant all_pairs_tile --device cuda:0 --kind fluid --n 1000 --cutoff 2.5 \
            --interaction lj --outputs forces --precision float --deadline 8 --verbose
        check "$name: $words" grep -qE "^$words" out
        check "$name: the others pass" grep -q '^2 passed, 1 failed' out
    }
    fails traps 'launch_error .*/traps/' -e 's/force\[i\] = .*/__trap();/'
    fails crashes 'launch_error .*/crashes/.*(illegal memory access|misaligned address)' -e 's/force\[i\] = .*/*(volatile float *)(size_t)(16 + i) = sum.x;/'
    fails hangs 'timeout .*/hangs/' -e 's/force\[i\] = .*/for (volatile const float4 *p = position; p->x == position[0].x;) { }/'
    fails outside 'wrong .*/outside/.*wrote outside of its buffers' -e 's/force\[i\] = .*/force[n + i] = make_float4(1, 1, 1, 1);/'
fi
conclude
