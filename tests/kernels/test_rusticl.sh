#!/usr/bin/env bash
# Each built-in variant in float by another OpenCL, Mesa's Rusticl on llvmpipe: another compiler, work-items in vectors, no doubles.
. "$2/lib.sh" || exit 1
. "$tests/small_cases.sh" || exit 1

mkdir vendors && echo libRusticlOpenCL.so.1 >vendors/rusticl.icd
export OCL_ICD_VENDORS=$work/vendors/ RUSTICL_ENABLE=llvmpipe MESA_SHADER_CACHE_DISABLE=true
"$pairmark" devices >devices 2>&1
grep -q llvmpipe devices || { echo 'skipped: no Rusticl on llvmpipe (Debian package mesa-opencl-icd)' && exit 77; }

# llvmpipe ends all loops of a work-item after 65535 turns together, without an error (LP_MAX_TGSI_LOOP_ITERATIONS in its
# lp_bld_limits.h): larger boxes come out wrong by its fault. Left out: lists of neighbours, which are judged in double precision, and
# steps of verlet_settle, which take it longer than all others.
small_cases | sed 's/--precision double/--precision float/; /^neighbours/d; /verlet_settle/d' >cases
check 'some cases' [ "$(wc -l <cases)" -ge 70 ]
evaluate_cases cases
: >err
while read -r name _; do
    cp "$name.said" out
    check "$name: right" grep -q '^reference  *ok' out
done <cases
if grep -qE 'llvmpipe.* no +yes$' devices; then
    expect 3 check --variant all_pairs_loop --kind fluid --n 48 --precision double,mixed
    check 'doubles are unsupported, and why' said 'has no double precision'
    expect 3 eval --workload neighbours --variant neighbours_loop --box fluid.xyz --cutoff 1.1 --precision float
    check 'lists of neighbours, too' said 'no double precision, in which lists are judged'
fi
conclude
