#!/usr/bin/env bash
# Each built-in variant under Oclgrind, which interprets OpenCL: no race, no value that nobody wrote, nothing out of bounds, no
# barrier that some pass by. One evaluation each of a small box, in groups so small that there are several.
. "$2/lib.sh" || exit 1
. "$tests/small_cases.sh" || exit 1

library=$(compgen -G '/usr/lib*/oclgrind/liboclgrind-rt-icd.so' | head -n 1)
[ -n "$library" ] || { echo 'skipped: no Oclgrind (Debian package oclgrind)' && exit 77; }
mkdir vendors && echo "$library" >vendors/oclgrind.icd
# Its record of what is written takes parts of buffers for buffers, hence no guards beside them (it checks bounds itself), and is
# kept right by one thread alone. Compiled with optimisation, kernels call functions that it lacks.
export OCL_ICD_VENDORS=$work/vendors/ PAIRMARK_GUARDS=0 OCLGRIND_DATA_RACES=1 OCLGRIND_UNINITIALIZED=1 OCLGRIND_CHECK_API=1 \
    OCLGRIND_NUM_THREADS=1 OCLGRIND_LOCAL_MEM_SIZE=65536 OCLGRIND_BUILD_OPTIONS='-cl-opt-disable -Dalways_inline=unused -w'

small_cases >cases
check 'some cases' [ "$(wc -l <cases)" -ge 80 ]
evaluate_cases cases

# A report begins with what is wrong, behind an empty line, and goes on with a tab. One is expected: an atomic addition of floats reads
# the sum at first as any memory is read (prelude_opencl.h); if others have added since, its exchange fails, and it tries again.
reports() {
    awk -v RS= '!/\n\t(Kernel|Function):/ { next }
        /^Read-write data race/ && /load volatile/ && /cmpxchg/ { next }
        { print; if (++shown == 3) exit }' "$1"
}
while read -r name _; do
    reports "$name.said" >out
    cp "$name.said" err
    check "$name: nothing reported" [ ! -s out ]
    check "$name: right" grep -q '^reference  *ok' "$name.said"
done <cases
conclude
