#!/usr/bin/env bash
# pairmark run: a short simulation by the serial integrator; its files, its end, how it goes on.
. "$2/lib.sh" || exit 1

melt=(--reference --kind melt --n 108 --seed 3 --cutoff 2)
expect 0 run "${melt[@]}" --steps 60 --log whole.csv --log-every 10 --trajectory whole.xyz --trajectory-every 20 --checkpoint whole.state
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
# A frame is a box: its forces are those of the same state.
expect 0 box --box whole.state --describe
says_like out '^temperature   '
check "the checkpoint's temperature is the log's last" near "$(awk '/^temperature/ { print $2 }' out)" "$(tail -n 1 whole.csv | cut -d, -f3)" 1e-8

# In two goes: the same bytes.
expect 0 run "${melt[@]}" --steps 40 --log parts.csv --log-every 10 --trajectory parts.xyz --trajectory-every 20 --checkpoint parts.state
echo '50,0.25,half a li' | tr -d '\n' >>parts.csv # what a crash behind the checkpoint leaves
head -n 30 whole.xyz >>parts.xyz
expect 0 run --reference --resume parts.state --steps 60 --log parts.csv --log-every 10 --trajectory parts.xyz --trajectory-every 20 --checkpoint parts.state
check "the log goes on bit by bit" cmp whole.csv parts.csv
check "the trajectory goes on bit by bit" cmp whole.xyz parts.xyz
check "the last state is the same" cmp whole.state parts.state

# As one began alone.
expect 2 run --reference --resume parts.state --steps 80 --dt 0.004
says err "the checkpoint has the rules 'verlet:dt=0.005 thermostat=none', the command line 'verlet:dt=0.004"
expect 2 run --reference --resume parts.state --steps 80 --cutoff 1.9
says err 'the checkpoint has the cutoff 2,'
expect 2 run --reference --resume parts.state --steps 80 --interaction lj:epsilon=2
says err 'the checkpoint has the interaction'
expect 2 run --reference --resume parts.state --steps 50
says err 'is at step 60 already'
expect 2 run --reference --resume parts.state --steps 80 --kind melt
says err "beside --resume: the box is the checkpoint's"
expect 2 run --reference --resume whole.xyz --steps 80
says err "no checkpoint of pairmark's"
sed '2s/ heat="[^"]*"//' parts.state >damaged.state
expect 2 run --reference --resume damaged.state --steps 80
says err '--resume: damaged.state: a checkpoint that is damaged'
head -n 50 parts.state >torn.state
expect 2 run --reference --resume torn.state --steps 80
says err '--resume: torn.state'
lacks err --box
expect 2 run --reference --resume none.state --steps 80
says err '--resume: none.state'

# A link is followed, also to a file that is not there yet.
mkdir linked
ln -s linked/log.csv there.csv
expect 0 run "${melt[@]}" --steps 10 --log there.csv --log-every 10
check "the log lies where its link points" has_file linked/log.csv
ln -s nowhere/log.csv nowhere.csv
expect 2 run "${melt[@]}" --steps 10 --log nowhere.csv --log-every 10
says err '--log: a symbolic link to what cannot be made: nowhere.csv: No such file or directory'

# What was cut off before the checkpoint is missed: nothing goes on with a gap.
head -n 4 parts.csv >short.csv # its steps 0, 10 and 20
expect 2 run --reference --resume parts.state --steps 80 --log short.csv --log-every 10
says err "--log: short.csv: its last line before the checkpoint's step 60 is of step 20; those in between are missing"
check "nothing was added" [ "$(wc -l <short.csv)" -eq 4 ]
head -n 220 parts.xyz >short.xyz
expect 2 run --reference --resume parts.state --steps 80 --trajectory short.xyz --trajectory-every 20
says err "--trajectory: short.xyz: its last frame before the checkpoint's step 60 is of step 20; those in between are missing"
# A trajectory that is refused leaves the log as it is, with its lines behind the checkpoint.
{ cat parts.csv; sed -n '$s/^60,/70,/p' parts.csv; } >beyond.csv
cp beyond.csv before.csv
expect 2 run --reference --resume parts.state --steps 80 --log beyond.csv --log-every 10 --trajectory short.xyz --trajectory-every 20
check "nothing was cut off the log" cmp beyond.csv before.csv
sed -n '1p;$p' parts.csv >late.csv # a log that was begun with the checkpoint
expect 0 run --reference --resume parts.state --steps 70 --log late.csv --log-every 10
check "a log that begins late goes on" [ "$(tail -n +2 late.csv | cut -d, -f1 | xargs)" = "60 70" ]
awk 'NR == 1 || NR % 3 == 2' parts.csv | head -n 3 >sparse.csv # 0 and 30
expect 0 run --reference --resume parts.state --steps 70 --log sparse.csv --log-every 40
check "so does one whose lines are as far apart" [ "$(tail -n +2 sparse.csv | cut -d, -f1 | xargs)" = "0 30 70" ]

# Nothing is replaced.
cp whole.csv before.csv
expect 2 run "${melt[@]}" --steps 10 --log whole.csv
says err '--log: whole.csv is there already, and is not replaced'
check "the log is as it was" cmp whole.csv before.csv
expect 2 run "${melt[@]}" --steps 10 --trajectory whole.xyz
says err '--trajectory: whole.xyz is there already'
expect 2 run "${melt[@]}" --steps 10 --checkpoint whole.csv
says err '--checkpoint: whole.csv'
expect 2 run --reference --resume parts.state --steps 80 --log whole.xyz
says err 'no log of a simulation'
check "nothing was cut" cmp whole.xyz parts.xyz

# Ctrl-C: what is there is whole, and it goes on.
set -m # else SIGINT is ignored behind &
"$pairmark" run "${melt[@]}" --steps 100k --log cut.csv --log-every 5 --trajectory cut.xyz --trajectory-every 5 --checkpoint cut.state >out 2>err &
run=$!
set +m
for _ in $(seq 1200); do [ -f cut.csv ] && [ "$(wc -l <cut.csv)" -ge 4 ] && break; sleep 0.05; done
kill -INT $run
wait $run
check "the exit status tells the signal" [ $? -eq 130 ]
says_like err 'interrupted after step [0-9]+; with --resume cut.state it goes on'
last=$(tail -n 1 cut.csv | cut -d, -f1)
check "lines are whole" [ "$(awk -F, 'NF != 8' cut.csv | wc -l)" -eq 0 ]
check "frames are whole" [ $(($(wc -l <cut.xyz) % 110)) -eq 0 ]
check "and the checkpoint is of the last line" grep -q " step=$last " cut.state
expect 0 run --reference --resume cut.state --steps $((last + 5)) --log cut.csv --log-every 5 --trajectory cut.xyz --trajectory-every 5
check "a line was added" [ "$(tail -n 1 cut.csv | cut -d, -f1)" -eq $((last + 5)) ]

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
expect 0 run "${melt[@]}" --steps 20 --integrator langevin:temperature=1 --dt 0.002
says_like out 'conserved '
expect 0 run --reference --kind gas --n 50 --steps 400 --log-every 50 --field mass=0:0:-2 --log -
check "the field's energy is by unwrapped positions" near "$(tail -n 1 out | cut -d, -f7)" "$(sed -n 2p out | cut -d, -f7)" 1e-3

expect 2 run --kind melt --n 108 --steps 10 --variant all_pairs_tile
says err "none of these variants has the workload 'step'"
expect 2 run "${melt[@]}"
says err 'no number of steps; expected --steps N'
expect 2 run "${melt[@]}" --steps 10 --thermostat berendsen
says err 'berendsen needs a temperature'
expect 2 run "${melt[@]}" --steps 10 --integrator euler
says err "--integrator: unknown integrator 'euler'"
expect 2 run "${melt[@]}" --steps 10 --variant all_pairs_tile
says err '--variant beside --reference'
expect 2 run --reference --kind melt,fluid --n 108 --steps 10
says err 'the axes span 2 boxes'
expect 2 run "${melt[@]}" --steps 10 --dt 5
says err 'is the time step too long'
for value in 0 -1 x; do
    expect 2 run "${melt[@]}" --steps 10 --dt "$value"
    says err "--dt '$value'"
    expect 2 run "${melt[@]}" --steps "$value"
    says err "--steps '$value'"
done
if [ -w /dev/full ]; then
    expect 3 run "${melt[@]}" --steps 10 --log /dev/full
    says err 'No space left'
fi

conclude
