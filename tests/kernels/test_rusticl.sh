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
# steps of settle and verlet_settle, which take it longer than all others.
#
# Nor is its compiler to be trusted with loops over -1 and 1 around a loop whose length differs among work-items, as sorted_cells and
# coordination_cells have them: pairs across the border are missing, and are there when the same two turns are written out.
#
# rdf needs 64-bit atomics: where there are none, it is left out here and refused below.
rdf=
if ! "$pairmark" devices --json | grep -A 15 llvmpipe | grep -q '"atomics64":true'; then
    rdf=$("$pairmark" list --short --workload rdf | awk '{ print $3 }')
fi
small_cases | sed "${rdf:+/^rdf/d;}"'s/--precision double/--precision float/; /^neighbours/d; /^step.*settle/d; /[.+]sorted_cells /d; /coordination_cells/d' >cases
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
    for variant in $rdf; do
        expect 3 eval --workload rdf --variant "$variant" --box fluid.xyz --interaction rdf:rc=1.1 --precision float
        check "$variant has no atomics for it" said 'has no 64-bit atomics'
    done
    expect 3 eval --workload neighbours --variant neighbours_loop --box fluid.xyz --cutoff 1.1 --precision float
    check 'lists of neighbours, too' said 'no double precision, in which lists are judged'
fi
conclude
