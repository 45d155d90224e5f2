#!/usr/bin/env bash
# Kernels that another compiler made: PTX and machine code, declared by a header beside them. Headers and lists of parameters are
# checked without a device, PTX is compiled where there is a toolkit, and what it computes is judged where there is a CUDA device.
. "$2/lib.sh" || exit 1
triton=$tests/../share/kernels/triton_all_pairs.ptx
cp "$tests"/data/cuda/plain.ptx* .
one=(--kind fluid --n 1000 --cutoff 2.5 --interaction lj --outputs forces --precision float)

# changed NAME SED...: plain.ptx in NAME.ptx, beside its edited header
changed() {
    local name=$1
    shift
    cp plain.ptx "$name.ptx"
    sed "$@" plain.ptx.header >"$name.ptx.header"
    check "$name is another header" not_same "$name.ptx.header" plain.ptx.header
}
not_same() { ! cmp -s "$1" "$2"; }
# refused NAME WORDS: exit status 2 and the words
refused() {
    check "$1: exit status 2" exits 2 list --variant-file "$1"
    check "$1: '$2'" err "$2"
}

# strip_symbols FILE: the table of symbols of an ELF file of 64 bits is said to have no bytes
strip_symbols() {
    local table=2 section
    number_at() { od -An -tu"$3" -j"$2" -N"$3" "$1" | tr -d ' '; } # FILE OFFSET BYTES
    section=$(number_at "$1" 40 8)
    while [ "$(number_at "$1" $((section + 4)) 4)" != $table ]; do
        section=$((section + 64))
        [ "$section" -lt "$(wc -c <"$1")" ] || return 1
    done
    printf '\0\0\0\0\0\0\0\0' | dd of="$1" bs=1 seek=$((section + 32)) conv=notrunc status=none
}

# ---- headers and parameters, without any device ----
expect 0 list --variant-file plain.ptx
check 'the launch is listed' out 'plain_cuda: grid particle / 128 block 128 shared 128 * real4'
check 'what it was compiled for, too' out 'cuda, sm_80 and up'
cat plain.ptx.header plain.ptx >joined.ptx
expect 0 list --variant-file joined.ptx
cp plain.ptx alone.ptx
refused alone.ptx 'alone.ptx: nothing says what it computes: expected alone.ptx.header'
changed longer -e 's/int n, /int n, float4 edge, /'
refused longer.ptx 'longer.ptx.header:11: kernel plain_cuda: there are 5 parameters here (4, 16, 8, 4, 8 bytes), and 4 in longer.ptx (4, 8, 4, 8 bytes)'
changed wider -e 's/float cutoff2/float4 edge/'
refused wider.ptx 'wider.ptx.header:11: kernel plain_cuda: parameter edge is of 16 bytes here; in wider.ptx parameter 3 is of 4'
changed swapped -e 's/int n, const float4 \*position/const float4 *position, int n/'
refused swapped.ptx 'kernel plain_cuda: parameter position is of 8 bytes here; in swapped.ptx parameter 1 is of 4'
changed another -e 's/plain_cuda/plain/'
refused another.ptx 'another.ptx.header:11: kernel plain: another.ptx has none of that name; it has plain_cuda'
changed dialect -e 's/const float4/const real4/'
refused dialect.ptx 'parameter position is a const real4 * here, which depends on the precision; dialect.ptx was compiled for one'
changed mismatch -e 's/float cutoff2/int cutoff2/'
refused mismatch.ptx 'kernel plain_cuda: parameter cutoff2 is an int here, and a float or double is expected'
changed sums -e 's/float4 \*force/float *partial_sums/'
refused sums.ptx 'kernel plain_cuda: compiled code computes forces of one interaction; expected no partial_sums'
changed older -e 's/@boxes/@arch sm_75\n * &/'
refused older.ptx 'older.ptx.header: @arch sm_75: the code was compiled for sm_80; expected that one or none'
changed standard -e 's/@boxes/@std c++20\n * &/'
refused standard.ptx '@std is of CUDA C++'
printf '\177ELF and nothing of CUDA' >'100%s%n.cubin'
cp plain.ptx.header '100%s%n.cubin.header'
refused '100%s%n.cubin' '100%s%n.cubin: this is no machine code of CUDA'
changed interaction -e 's/@boxes/@interaction ljx\n * &/'
refused interaction.ptx '@interaction ljx: unknown interaction "ljx" (did you mean "lj"?); expected one of'
changed null -e 's/@boxes/@null cutoff2\n * &/'
refused null.ptx '@null cutoff2: something else has that name'
sed -e 's/@boxes .*/@null room/' "$tests/data/cuda/plain.cu" >null.cu
refused null.cu 'null.cu:8: @null is of compiled code'
cp plain.ptx.header bare.ptx
refused bare.ptx 'bare.ptx: there is no code after the header'
changed untold -e 's/plain_ptx/untold/'
sed -e '/^\.target/d' plain.ptx >untold.ptx
refused untold.ptx 'untold.ptx: it does not say what it was compiled for'
sed -e 's/ptx/cubin/' plain.ptx.header >bad.cubin.header
printf 'no\0code' >bad.cubin
refused bad.cubin 'bad.cubin: this is no machine code of CUDA (a cubin)'
expect 2 check plain.ptx
check 'a file that stands alone' err "did you mean '--variant-file plain.ptx'?"
sed -e 's/@null .*/@null global_scratch/' "$triton.header" >hidden.ptx.header
cp "$triton" hidden.ptx
refused hidden.ptx 'hidden.ptx.header:16: kernel triton_all_pairs: nothing is known by the name of parameter "profile_scratch"'
expect 3 check --variant-file plain.ptx --device opencl:0:0 "${one[@]}"
check 'OpenCL says why it is unsupported' err 'plain_ptx is compiled for NVIDIA'"'"'s GPUs, and needs a CUDA device'

expect 0 bench --open --variant-file plain.ptx --device opencl:0:0 "${one[@]}" --no-plot -o kept
check 'header and code are kept' [ "$(grep -cE '^__global__ void plain_cuda|^\.visible \.entry plain_cuda' kept/kernels/plain_ptx.ptx)" -eq 2 ]
mkdir away
mv plain.ptx* away
expect 0 bench --resume kept --no-plot
check 'and serve when the files are gone' out 'rows     1: 0 ok, 1 unsupported'
mv away/* .

# ---- compiled, with a toolkit and no device ----
if ! exits 0 check --compile-only --variant-file plain.ptx "${one[@]}" --verbose; then
    check 'without a compiler that is said' [ "$(grep -cE 'built without the CUDA toolkit|no NVRTC' err)" -eq 1 ]
    echo 'no toolkit here: nothing is compiled'
    conclude
fi
if out 'there is no nvJitLink'; then
    echo 'no nvJitLink here: nothing is compiled'
    conclude
fi
check 'registers and memory are told' grep -qE '^sm_90: plain_cuda: [0-9]+ registers, 0 bytes spilled, 0 bytes of shared memory: plain_ptx, lj' out
expect 0 check --compile-only --target sm_80,sm_90 --variant-file "$triton" "${one[@]}" --verbose
check 'Triton'"'"'s kernel compiles' out '1 compiled, 0 failed, 1 unsupported'
check 'for what it is for alone' out 'triton_all_pairs is compiled for sm_90a; sm_80 is sm_80'
expect 0 check --compile-only --variant-file "$triton" --kind fluid --n 1000 --precision float --interaction 'lj:epsilon=2;lj' --outputs forces,energy --verbose
check 'other interactions are unsupported' out 'triton_all_pairs says @interaction lj:epsilon=1,sigma=1, which alone it computes'
check 'so are energies, of which there are no sums' out 'triton_all_pairs computes forces alone: no kernel takes partial_sums'
changed broken -e 's/plain_ptx/broken/'
sed -e 's/mov\.u32/movb.u32/' plain.ptx >broken.ptx
expect 1 check --compile-only --variant-file broken.ptx "${one[@]}"
line=$(grep -n 'movb' broken.ptx | head -n 1 | cut -d: -f 1)
check 'errors have the lines of the file' out "line $line; error   : Not a name of any known instruction: 'movb'"
changed remembers -e 's/plain_ptx/remembers/'
sed -e 's/^\.visible/.global .f32 kept;\n&/' -e 's/ret;/st.global.f32 [kept], %f1; ret;/' plain.ptx >remembers.ptx
expect 1 check --compile-only --variant-file remembers.ptx "${one[@]}"
check 'state is refused by its name' out 'the variable kept keeps its value from launch to launch'
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    sed -e 's/plain_ptx/plain_cubin/' plain.ptx.header >plain.cubin.header
    check 'nvcc compiles plain.cu' "$nvcc" -cubin -arch=sm_90 -DTILE=128 -o plain.cubin "$tests/data/cuda/plain.cu"
    expect 0 check --compile-only --target sm_80,sm_90 --variant-file plain.cubin "${one[@]}" --verbose
    check 'machine code is of one generation' out 'plain_cubin is compiled for sm_90 (and up, of that generation); sm_80 is sm_80'
    sed -e 's/float cutoff2/float4 edge/' plain.cubin.header >wider.cubin.header
    cp plain.cubin wider.cubin
    refused wider.cubin 'kernel plain_cuda: parameter edge is of 16 bytes here; in wider.cubin parameter 3 is of 4'
    sed -e 's/^extern "C"/__device__ float4 kept;\nextern "C"/' -e 's/force\[i\] = .*/force[i] = kept; kept.x = sum.x;/' \
        "$tests/data/cuda/plain.cu" >kept.cu
    check 'nvcc compiles a variable' "$nvcc" -cubin -arch=sm_90 -DTILE=128 -o kept.cubin kept.cu
    cp plain.cubin.header kept.cubin.header
    expect 1 check --compile-only --variant-file kept.cubin "${one[@]}"
    check 'state in machine code is refused by its name' out 'the variable kept keeps its value from launch to launch'
    # Without its symbols (their table of no bytes), and under another section's name, the variable is one still.
    cp kept.cubin bare.cubin
    cp kept.cubin.header bare.cubin.header
    check 'the table of symbols is found' strip_symbols bare.cubin
    expect 1 check --compile-only --variant-file bare.cubin "${one[@]}"
    check 'state without symbols is refused by its section' out 'the variable .nv.global keeps its value from launch to launch'
    sed 's/\.nv\.global/.nv.secret/g' bare.cubin >secret.cubin
    cp kept.cubin.header secret.cubin.header
    expect 1 check --compile-only --variant-file secret.cubin "${one[@]}"
    check 'and in a section of another name' out 'the variable .nv.secret keeps its value from launch to launch'
    sed -e 's/force\[i\] = .*/{ float4 *own = (float4 *)malloc(16); *own = make_float4(sum.x, sum.y, sum.z, 0); force[i] = *own; *(float4 **)\&force[i].w = own; }/' \
        "$tests/data/cuda/plain.cu" >heap.cu
    check 'nvcc compiles a call of malloc' "$nvcc" -cubin -arch=sm_90 -DTILE=128 -o heap.cubin heap.cu
    cp plain.cubin.header heap.cubin.header
    expect 1 check --compile-only --variant-file heap.cubin "${one[@]}"
    check 'the heap in machine code is refused' out 'malloc'
fi

# ---- computed, where there is a CUDA device ----
if exits 0 devices --json && json '.. | .name? // empty' | grep -q '^cuda:'; then
    expect 0 check --variant-file plain.ptx --device cuda:0 --interaction lj --n 100,1000 --outputs forces --precision float
    [ ! -f plain.cubin ] || expect 0 check --variant-file plain.cubin --device cuda:0 "${one[@]}"
    expect 0 check --variant-file "$triton" --device cuda:0 --interaction lj --n 31,1000 --outputs forces --precision float
    expect 0 bench --open --variant-file plain.ptx --device cuda:0 "${one[@]}" --no-plot --visits 1 -o rows
    check 'the code is kept' grep -q '^\.visible \.entry plain_cuda' rows/kernels/plain_ptx.ptx
    rm plain.ptx
    expect 0 bench --resume rows
fi
conclude
