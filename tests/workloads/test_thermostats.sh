#!/usr/bin/env bash
# Integrators and thermostats besides velocity Verlet, judged by the reference's; and some that are wrong.
. "$2/lib.sh" || exit 1
folder=$tests/../variants/step
one=(--workload step --kind melt --density 0.5 --n 108 --precision double --outputs energy)

for name in leapfrog langevin rescale berendsen nose_hoover; do
    check "$name" exits 0 check "${one[@]}" --variant "$name+all_pairs_loop"
done
check 'a chain, and another temperature' exits 0 check "${one[@]}" --variant 'nose_hoover+all_pairs_loop' \
    --thermostat nose-hoover:temperature=2,time=0.1,chain=3
check 'noise in float' exits 0 check --workload step --kind melt --n 108 --density 0.5 --precision mixed --outputs forces \
    --variant 'langevin+all_pairs_loop' --thermostat langevin:friction=5,seed=7
check 'a field' exits 0 check --workload step --kind brick --n 65 --precision double --outputs forces --variant 'verlet_field+all_pairs_loop' \
    --field charge=0.5:0:1,mass=0:0:-1,wall-z=0.5:2:10

expect 2 check "${one[@]}" --variant 'rescale+all_pairs_loop' --thermostat rescale:interval=5
check 'the period is the file'"'"'s' err 'the passes of rescale+all_pairs_loop run every 10 steps'
expect 2 check "${one[@]}" --variant 'verlet+all_pairs_loop' --field mass=0:0:1
check 'no field' err 'verlet+all_pairs_loop knows of none'

mutant() { # mutant NAME FILE SED
    sed -e "s/^ \* $2 —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/" "$folder/$2.cl" >same
    sed -e "$3" same >"$1.cl"
    check "$1 is another text" different "$1"
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${one[@]}"
    check "$1 is wrong" said wrong
}
different() { ! cmp -s same "$1.cl"; }
mutant half_the_chain nose_hoover '/move_chain group per box$/{x;s/^/x/;/^xx$/{x;d};x}'
mutant heat_forgotten rescale 's/bath\[BATH_HEAT\] += .*/bath[BATH_HEAT] = 0;/'
mutant noise_by_place langevin 's/(uint)index\[i\]/(uint)i/'

# Mistakes that show from the second interval on, or behind the tenth step: one default case has as many steps.
late_mutant() { # late_mutant NAME SED
    one=(--workload step --precision double --outputs energy --verbose)
    mutant "$1" rescale "$2"
    check "$1 shows in a case of 25 steps" said '/steps:25/'
}
late_mutant heat_of_one_interval 's/bath\[BATH_HEAT\] += /bath[BATH_HEAT] = /'
late_mutant scales_once 's/KERNEL void scale(/&long64 step, /; s/i < n ? scale_velocity/step < 15 \&\& &/'
late_mutant far_behind_the_tenth 's/KERNEL void verlet_first(/&long64 step, /; s/, v, dt, box/, v, step < 10 ? dt : ACCUM(1.01) * dt, box/'

conclude
