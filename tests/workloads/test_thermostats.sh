#!/usr/bin/env bash
# Integrators and thermostats besides velocity Verlet, judged by the reference's; and some that are wrong.
. "$2/lib.sh" || exit 1
folder=$tests/../variants/step
melt=(--kind melt --density 0.5 --n 108 --precision double)
one=(--workload step "${melt[@]}" --outputs energy)

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
# A thermostat that its steps are too long for grows without bounds: nothing that a kernel could be wrong in.
for words in nose-hoover:temperature=1,time=0.003 berendsen:temperature=1,time=0.003; do
    name=${words%%:*}
    check "$words is refused" exits 2 check "${one[@]}" --variant "${name/-/_}+all_pairs_loop" --thermostat "$words"
    says err "thermostat $name:time=0.003 at dt 0.005; expected a time of 0.0"
    check "$words is refused of a simulation" exits 2 run "${melt[@]}" --steps 1 --thermostat "$words"
    says err "thermostat $name:time=0.003 at dt 0.005; expected a time of 0.0"
done
check 'default cases of longer steps are left out' exits 0 check --variant nose_hoover+all_pairs_loop --budget 1 --thermostat nose-hoover:temperature=1,time=0.1
expect 3 check "${one[@]}" --variant 'nose_hoover+all_pairs_loop' --verbose --thermostat nose-hoover:temperature=0.01,time=0.01,chain=8
check 'a chain too far from the temperature of the particles' said 'the chain of thermostats diverges'

mutant() { # mutant NAME FILE SED
    sed -e "s/^ \* $2 —/ * $1 —/; s/@forces .*/@forces ${forces:-all_pairs_loop}/" "$folder/$2.cl" >same
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
    local forces=sorted_cells
    one=(--workload step --precision double --outputs energy --verbose --budget 0) # those that are listed
    mutant "$1" rescale "$2"
    check "$1 shows in a case of 25 steps" said '/steps:25/'
}
late_mutant heat_of_one_interval 's/bath\[BATH_HEAT\] += /bath[BATH_HEAT] = /'
late_mutant scales_once 's/KERNEL void scale(/&long64 step, /; s/i < n ? scale_velocity/step < 15 \&\& &/'
late_mutant far_behind_the_tenth 's/KERNEL void verlet_first(/&long64 step, /; s/, v, dt, box/, v, step < 10 ? dt : ACCUM(1.01) * dt, box/'

conclude
