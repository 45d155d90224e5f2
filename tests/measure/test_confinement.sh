#!/usr/bin/env bash
# What a kernel that makes system calls comes to: nothing outside of the caches and the temporary folder, and no network.
. "$2/lib.sh" || exit 1

skip() {
    echo "skipped: $*"
    exit 77
}
"$pairmark" devices >out 2>err
grep -q '^confinement of kernels: landlock' out || skip "no Landlock here: $(grep '^confinement' out)"
grep -q ', seccomp$' out || skip 'no filter of system calls for this processor'
[ "$(uname -m)" = x86_64 ] || skip 'the kernels of this test are written for x86-64'
device=$(awk '/^opencl:/ { last = $1 } END { print last }' out) # processors come last
[ -n "$device" ] || skip 'no OpenCL here'

signs=$PAIRMARK_CACHE/signs # a kernel may write in the cache
mkdir -p tmp/run outside "$signs"
echo results >tmp/run/rows.csv
echo precious >outside/file
touch outside/old
chmod 666 outside/file
export TMPDIR=$work/tmp POCL_CACHE_DIR=$work/pocl

# kernel NAME CODE: a right kernel that runs CODE once per launch, with CALL(number, a, b, c) for a system call and what it
# returns, and TELL(path) to leave a folder behind as a sign.
kernel() {
    {
        cat <<END
/*
 * $1 — a kernel of this test
 *
 * One particle per work-item.
 *
 * @workload  forces
 * @structure none
 * @pass      $1 item per particle
 * @tunable   GROUP_SIZE 64
 */
END
        cat <<'END'
static long CALL(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
#define MKDIR(path) ({ char text[] = path; CALL(83, (long)text, 0777, 0); })
END
        cat <<END
KERNEL void $1(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
               GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums)
{
    if (GLOBAL_ID == 0) {
        $2
    }
    if (GLOBAL_ID < n) {
        force[GLOBAL_ID] = make_accum4(1, 2, 3, 0);
    }
}
END
    } >"$1.cl"
}
run() { # run NAME [OPTION...]: the kernel, over one small box
    "$pairmark" check --variant-file "$1.cl" --kind lattice --n 8 --cutoff 1 --precision float --outputs forces --device "$device" \
        "${@:2}" >out 2>err </dev/null
    ! grep -q 'compile_error\|crashed' out
}
# What is attempted: a name, and code that comes to a number below 0 where it is refused. Each leaves attempted-NAME in the
# cache, and done-NAME where it was let.
names=()
code="MKDIR(\"$signs/probe\");"
attempt() { # attempt NAME CODE
    names+=("$1")
    code+="if (($2) >= 0) { MKDIR(\"$signs/done-$1\"); } MKDIR(\"$signs/attempted-$1\");"
}
attempt folder "MKDIR(\"$work/outside/folder\")"
attempt file "({ char path[] = \"$work/outside/new\"; CALL(2, (long)path, 0101, 0666); })"
attempt write "({ char path[] = \"$work/outside/file\"; CALL(2, (long)path, 01, 0); })"
attempt remove "({ char path[] = \"$work/outside/old\"; CALL(87, (long)path, 0, 0); })"
attempt internet 'CALL(41, 2, 1, 0)'
attempt datagrams 'CALL(41, 10, 2, 0)'
attempt results "({ char path[] = \"$work/tmp/run/rows.csv\"; CALL(2, (long)path, 02001, 0); })"
attempt temporary "({ char path[] = \"$work/tmp/new\"; CALL(2, (long)path, 0101, 0666); })"
attempt memory 'CALL(29, 0, 4096, 01600)'
attempt priority 'CALL(141, 0, CALL(110, 0, 0, 0), CALL(140, 0, 0, 0) < 0 ? 0 : 20 - CALL(140, 0, 0, 0))'
attempt processors '({ long all[16]; CALL(204, 0, sizeof all, (long)all) < 0 ? -1 : CALL(203, CALL(110, 0, 0, 0), sizeof all, (long)all); })'
attempt ring 'CALL(425, 1, (long)(char[120]){ 0 }, 0)'
[ "$(sed -n 's/^confinement of kernels: landlock \([0-9]*\).*/\1/p' out)" -lt 6 ] ||
    attempt signal 'CALL(62, CALL(110, 0, 0, 0), 0, 0)'
kernel attempts "$code"

run attempts --no-confinement
[ -d "$signs/probe" ] || skip "$device makes no system calls: it is no processor"
cp out out.free
for name in "${names[@]}"; do
    check "$name is possible without confinement" [ -d "$signs/done-$name" ]
done
rm -rf "$signs"/* tmp/new outside/folder outside/new
touch outside/old
check 'the kernel runs confined' run attempts
for name in "${names[@]}"; do
    check "$name was tried, and the cache can be written" [ -d "$signs/attempted-$name" ]
    check "$name is refused" [ ! -e "$signs/done-$name" ]
done
check 'nothing outside was harmed' [ "$(cat outside/file) $(ls outside | tr '\n' ' ')" = 'precious file old ' ]
check 'the verdict is the same' cmp -s <(grep -v ' s$' out) <(grep -v ' s$' out.free)

# Nor does a kernel answer in the worker's place, or speak in ours.
kernel forges "for (int f = 0; f < 64; f++) { long head[2] = { 0, 1 }; CALL(1, f, (long)head, 16); }"
run forges
check 'what was forged is no answer' grep -q 'crashed .*not sealed as its answer' out
lacks out '1 passed'
kernel speaks '({ char text[] = "\33[2Jok\npairmark: all pass\n"; CALL(1, 2, (long)text, sizeof text - 1); });'
run speaks
says err 'pairmark: the worker says: "?[2Jok"'
says err 'pairmark: the worker says: "pairmark: all pass"'
# Nor does it keep us waiting for the deadline, by itself or by a child that it leaves.
kernel closes 'for (int f = 0; f < 64; f++) { CALL(3, f, 0, 0); } for (;;) { CALL(34, 0, 0, 0); }'
run closes --deadline 1000
check 'silence ends before the deadline' grep -q 'crashed .*closed its descriptors' out
kernel leaves 'if (CALL(57, 0, 0, 0) == 0) { CALL(112, 0, 0, 0); for (;;) { CALL(34, 0, 0, 0); } } CALL(231, 9, 0, 0);'
run leaves --deadline 1000
check 'so does a process of which a child lives on' grep -q 'crashed .*exit status 9' out
# The caches are used: nothing is compiled a second time.
kept() { # what was compiled: in pairmark's cache or, of PoCL, in the driver's own; not the peaks: a busy machine's are measured again
    find "$PAIRMARK_CACHE/kernels" "$work/pocl" -type f \( -name '*.so' -o -path "$PAIRMARK_CACHE/kernels/*" ! -name '*.tmp' \) \
        -printf '%p %i\n' 2>/dev/null | sort
}
check 'what was compiled is kept' [ -n "$(kept)" ]
few=(--variant all_pairs_loop --kind lattice --n 108 --cutoff 1.5 --precision float --outputs forces --device "$device")
check 'a right kernel passes' exits 0 check "${few[@]}"
kept >before
check 'and passes again' exits 0 check "${few[@]}"
kept >after
check 'by what was kept' cmp -s before after

# Results lie where no kernel writes.
check 'results in the temporary folder' exits 0 bench "${few[@]}" --time-cap 0.01 --no-plot -o tmp/results
refuses 'lies where kernels may write' bench "${few[@]}" --time-cap 0.01 --no-plot -o "$PAIRMARK_CACHE/results"

# It is said, and recorded.
check 'bench' exits 0 bench "${few[@]}" --time-cap 0.01 --no-plot -o run
check 'records it' grep -q '"confinement":"landlock [0-9]*, seccomp"' run/environment.json
check 'bench without' exits 0 bench "${few[@]}" --time-cap 0.01 --no-plot -o free --no-confinement
check 'records that' grep -q '"confinement":"off, as asked for"' free/environment.json
run attempts --no-confinement
check 'a file of kernels without it is warned of' err 'kernels of files are programs, and are not confined here'
run attempts
check 'with it there is nothing to say' [ "$(grep -c confined err)" -eq 0 ]
check 'a command that runs no kernels does not know it' exits 2 list --no-confinement

conclude
