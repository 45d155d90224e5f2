#!/usr/bin/env bash
# pairmark run: a short simulation by the serial integrator; its files and its end.
. "$2/lib.sh" || exit 1

melt=(--reference --kind melt --n 108 --seed 3 --cutoff 2)
expect 0 run "${melt[@]}" --steps 60 --log whole.csv --log-every 10 --trajectory whole.xyz --trajectory-every 20
says_like out '^ +60 +0.3 '
says_like out '^60 steps of 108 particles by the serial reference in '
says_like out '^conserved .* drift .* per particle and time'
check "the log has its header" [ "$(head -n 1 whole.csv)" = step,time,temperature,potential,kinetic,pressure,conserved,face_pressure ]
check "a line every ten steps" [ "$(tail -n +2 whole.csv | cut -d, -f1 | xargs)" = "0 10 20 30 40 50 60" ]
check "three frames behind the first" [ "$(grep -o 'step=[0-9]*' whole.xyz | xargs)" = "step=0 step=20 step=40 step=60" ]
check "the temperature at the start" near "$(sed -n 2p whole.csv | cut -d, -f3)" 1.44 1e-12
# K = 3/2 (n - 1) T, and p = (2 K + W) / 3 V, of which the potential knows nothing: the first alone.
check "kinetic energy and temperature go together" near "$(sed -n 5p whole.csv | awk -F, '{ print $5 / (1.5 * 107 * $3) }')" 1 1e-12
check "energy is conserved" near "$(tail -n 1 whole.csv | cut -d, -f7)" "$(sed -n 2p whole.csv | cut -d, -f7)" 0.08 # pairs at the cutoff come and go
# The first frame is a box: the state at the start.
expect 0 box --box whole.xyz --describe
says_like out '^temperature   '
check "the frame's temperature is the log's first" near "$(awk '/^temperature/ { print $2 }' out)" 1.44 1e-8

# Few lines have no mean and no drift; what is at rest is said to be.
expect 0 run "${melt[@]}" --steps 30 --log-every 10
says out 'no means, no drift: the log has 4 lines, 5 are needed (--steps, --log-every)'
lacks out 'per particle and time'
lacks err 'velocities are 0'
expect 0 run --reference --kind fluid --n 64 --cutoff 1.5 --steps 1
says err 'all velocities are 0 at the start; --temperature T draws others'
printf '2\nno cell\nA 0 0 0\nA 1.1 0 0\n' >open.xyz
expect 0 run --reference --box open.xyz --cutoff 3 --steps 1
says err 'open.xyz: open box (its file has no Lattice)'

lacks out --resume

# A link is followed, also to a file that is not there yet.
mkdir linked
ln -s linked/log.csv there.csv
expect 0 run "${melt[@]}" --steps 10 --log there.csv --log-every 10
check "the log lies where its link points" has_file linked/log.csv
ln -s nowhere/log.csv nowhere.csv
refuses '--log: nowhere.csv: the folder nowhere: No such file or directory' run "${melt[@]}" --steps 10 --log nowhere.csv --log-every 10

# Nothing is replaced.
cp whole.csv before.csv
refuses '--log: whole.csv is there already, and is not replaced' run "${melt[@]}" --steps 10 --log whole.csv
check "the log is as it was" cmp whole.csv before.csv
refuses '--trajectory: whole.xyz is there already' run "${melt[@]}" --steps 10 --log new.csv --trajectory whole.xyz
check "nor is the log made" [ ! -e new.csv ]

# Ctrl-C: what is there is whole.
set -m # else SIGINT is ignored behind &
"$pairmark" run "${melt[@]}" --steps 100k --log cut.csv --log-every 5 --trajectory cut.xyz --trajectory-every 5 >out 2>err &
run=$!
set +m
for _ in $(seq 1200); do [ -f cut.csv ] && [ "$(wc -l <cut.csv)" -ge 4 ] && break; sleep 0.05; done
kill -INT $run
wait $run
check "the exit status tells the signal" [ $? -eq 130 ]
says_like err 'interrupted after step [0-9]+$'
check "lines are whole" [ "$(awk -F, 'NF != 8' cut.csv | wc -l)" -eq 0 ]
check "frames are whole" [ $(($(wc -l <cut.xyz) % 110)) -eq 0 ]

# The start of the standard melt as LAMMPS prints it (bench/in.lj): 32 000 particles; energies per particle.
expect 0 run --reference --kind melt --n 32k --steps 1 --log-every 1 --log -
first() { sed -n 2p out | cut -d, -f"$1"; }
check "LAMMPS's potential energy" near "$(awk -v u="$(first 4)" 'BEGIN { printf "%.12g", u / 32000 }')" -6.7733681 1e-8
check "LAMMPS's total energy" near "$(awk -v u="$(first 7)" 'BEGIN { printf "%.12g", u / 32000 }')" -4.6134356 2e-8
check "LAMMPS's pressure" near "$(first 6)" -5.0197073 1e-8

# Integrators and thermostats; a field; what goes to standard output.
expect 0 run "${melt[@]}" --steps 20 --log-every 20 --thermostat nose-hoover:chain=3,time=0.1 --temperature 0.8 --log -
check "only the log is on standard output" [ "$(wc -l <out)" -eq 3 ]
check "velocities were drawn at that temperature" near "$(sed -n 2p out | cut -d, -f3)" 0.8 1e-12
expect 0 run "${melt[@]}" --steps 20 --log-every 20 --thermostat rescale:temperature=0.5 --log -
check "and rescaled" near "$(tail -n 1 out | cut -d, -f3)" 0.5 1e-9
expect 0 run "${melt[@]}" --steps 20 --log-every 5 --integrator langevin:temperature=1 --dt 0.002
says_like out "^conserved .* drift"
expect 0 run --reference --kind gas --n 50 --steps 400 --log-every 50 --field mass=0:0:-2 --log -
check "the field's energy is by unwrapped positions" near "$(tail -n 1 out | cut -d, -f7)" "$(sed -n 2p out | cut -d, -f7)" 1e-3
# Charges that no file says are none.
printf '2\n\nA 0 0 0\nA 1.5 0 0\n' >bare.xyz
expect 2 run --reference --box bare.xyz --cutoff 2 --steps 10 --field charge=1:0:0
says err 'bare.xyz: --field charge= is of charges, and the file of the box says none; expected --charges S=Q,...'
refuses 'bare.xyz: --field charge= is of charges' eval --workload step --box bare.xyz --cutoff 2 --steps 1 --field charge=1:0:0 --variant verlet_field+all_pairs_loop
refuses 'bare.xyz: ewald-real is of charges' eval --box bare.xyz --cutoff 2 --interaction ewald-real:alpha=0.3,coulomb=1 --variant all_pairs_loop
expect 0 run --reference --box bare.xyz --cutoff 2 --steps 10 --field mass=1:0:0,charge=0:0:0
expect 0 run --reference --box bare.xyz --cutoff 2 --steps 10 --field charge=1:0:0 --charges A=1

refuses "none of these variants has the workload 'step'" run --kind melt --n 108 --steps 10 --variant all_pairs_tile
refuses 'no number of steps; expected --steps N' run "${melt[@]}"
refuses 'berendsen needs a temperature' run "${melt[@]}" --steps 10 --thermostat berendsen
refuses "--integrator: unknown integrator 'euler'" run "${melt[@]}" --steps 10 --integrator euler
refuses '--all-pairings beside --reference' run "${melt[@]}" --steps 10 --all-pairings
refuses "--workload: by 'rdf' no particle moves; expected step, eam_step or three_body_step" run --kind melt --n 108 --steps 10 --workload rdf
refuses "--workload: there is no workload 'steps' (did you mean 'step'?)" run --kind melt --n 108 --steps 10 --workload steps
refuses '--variant beside --reference' run "${melt[@]}" --steps 10 --variant all_pairs_tile
refuses 'the axes span 2 boxes' run --reference --kind melt,fluid --n 108 --steps 10
expect 2 run "${melt[@]}" --steps 10 --dt 5
says err 'is the time step too long'
for value in 0 -1 x; do
    refuses "--dt '$value'" run "${melt[@]}" --steps 10 --dt "$value"
    refuses "--steps '$value'" run "${melt[@]}" --steps "$value"
done
if [ -w /dev/full ]; then
    expect 3 run "${melt[@]}" --steps 10 --log /dev/full
    says err 'No space left'
fi

conclude
