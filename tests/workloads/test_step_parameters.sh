#!/usr/bin/env bash
# Numbers of a step as arguments, as a struct and in constant memory: the same bits from each; what cannot be is refused.
. "$2/lib.sh" || exit 1
source=$tests/../variants/step/verlet.cl
few=(--workload step --variant 'verlet+all_pairs_loop' --n 65 --tune COUNT_CROSSINGS=2)

# A particle alone needs no order of additions: each place of the numbers gives the same bits, the count of faces among them.
told() { # told KIND PRECISION PARAMETERS: what the case computes, in full
    expect 0 eval "${few[@]}" --kind "$1" --precision "$2" --outputs virial --json --no-reference --forces "told.$3" --tune "PARAMETERS=$3"
    json '.. | objects | select(has("energy")) | .energy, .kinetic_energy' >"energy.$3"
}
for case in 'fluid float' 'fluid@75:100:60 mixed' 'fluid@75:100:60 double'; do
    for place in 0 1 2; do
        # shellcheck disable=SC2086 # two words
        told $case $place
    done
    for place in 1 2; do
        check "$case: PARAMETERS=$place moves them as 0 does" cmp -s told.0 told.$place
        check "$case: and tells the energies" cmp -s energy.0 energy.$place
    done
done
check 'something is told' [ "$(wc -l <told.0)" -ge 65 ]
check 'and energies are' [ "$(grep -c '[0-9]' energy.0)" -ge 2 ]

expect 0 check "${few[@]}" --kind fluid@75:100:60 --dt 0.0005 --precision float,mixed,double --outputs virial --tune PARAMETERS=0,1,2
check "each place passes in every precision" out '18 passed, 0 failed, 0 unsupported'

# A number that a kernel takes for another is found, wherever it lies.
sed -e 's/^ \* verlet —/ * mistaken —/; s/@forces .*/@forces all_pairs_loop/; s/position_rest), v, dt, box,/position_rest), v, face_scale > 0 ? ACCUM(1.001) * dt : dt, box,/' \
    "$source" >mistaken.cl
expect 1 check --variant-file mistaken.cl --variant 'mistaken+*' --workload step --kind fluid --precision double --n 65 --outputs forces \
    --tune PARAMETERS=0,1,2 --tune COUNT_CROSSINGS=2 -v
for place in 0 1 2; do
    says_like out "^wrong .*PARAMETERS=$place,"
done

# ---- what is refused ----
refused() { # refused SED WORDS
    sed -e "$1" "$source" >refused.cl
    check "exit status 2: $1" exits 2 check --variant-file refused.cl
    check "$2" err "$2"
}
refused 's/force STEP_PARAMETERS/force, STEP_PARAMETERS/' 'expected no comma before STEP_PARAMETERS, after at least one parameter'
refused 's/^ \* @pass       verlet_first.*/ * @pass       ahead item per particle when moved\n&/; s/^ \* @tunable    WRAP.*/&\n * @tunable    SKIN 30\n * @scratch    ahead_of accum particle/
    s/^KERNEL void verlet_first/KERNEL void ahead(GLOBAL accum *RESTRICT ahead_of STEP_PARAMETERS) { }\n\n&/' 'kernels take STEP_PARAMETERS in passes of every step alone'
sed 's/ PAIR_PARAMETERS)/ STEP_PARAMETERS)/' "$tests/../variants/forces/all_pairs_loop.cl" >all_pairs_step.cl
check 'nothing but steps has them' exits 2 check --variant-file all_pairs_step.cl
check 'and says so' err 'STEP_PARAMETERS'

conclude
