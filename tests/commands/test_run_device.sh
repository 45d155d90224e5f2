#!/usr/bin/env bash
# pairmark run with kernels: the same simulation as the reference's, also by forces of many bodies; its thermostats.
. "$2/lib.sh" || exit 1
melt=(--kind melt --n 108 --seed 3 --cutoff 2)
same=(--variant 'verlet+all_pairs_loop' --precision double)

expect 0 run "${melt[@]}" "${same[@]}" --steps 30 --log-every 10 --log device.csv --trajectory device.xyz --trajectory-every 30
check 'says whose steps they are' out '30 steps of 108 particles by verlet+all_pairs_loop, double, on '
expect 0 run "${melt[@]}" --reference --steps 30 --log-every 10 --log reference.csv --trajectory reference.xyz --trajectory-every 30
close() { # close FILE FILE TOLERANCE: the same lines but for so much of each number, relative to 1 or to it
    paste -d, "$1" "$2" | awk -F, -v tolerance="$3" 'NR > 1 { for (k = 1; k <= NF / 2; k++) {
        off = $k - $(k + NF / 2); size = $k > 1 ? $k : $k < -1 ? -$k : 1
        if (off > tolerance * size || off < -tolerance * size) exit 1 } } END { exit NR < 4 }'
}
check 'the log is the reference'"'"'s' close device.csv reference.csv 1e-9
images() { tail -n 108 "$1" | awk '{ print $(NF - 2), $(NF - 1), $NF }'; }
check 'and the images of the trajectory' [ "$(images device.xyz)" = "$(images reference.xyz)" ]

# The same bytes once more, of kernels that give the same bits.
expect 0 run "${melt[@]}" "${same[@]}" --steps 30 --log-every 10 --log again.csv
check 'the log is the same bit by bit' cmp device.csv again.csv

# Lists, renewed on the way; the same numbers as without.
expect 0 run --kind melt --n 256 --seed 3 --variant 'verlet+all_pairs_loop' --precision double --steps 60 --log-every 20 --log direct.csv
expect 0 run --kind melt --n 256 --seed 3 --variant 'verlet_fused+list_columns' --precision double --steps 60 --log-every 20 --log lists.csv
check 'the log is that of all pairs' close lists.csv direct.csv 1e-9
check 'says how long lists served' out 'lists        each served '
check 'and how fast it was' out ' atom-steps/s, '
says_like out '^start        .*, in no rate: compiling, and the first forces$'
expect 0 run --kind melt --n 256 --seed 3 --variant 'verlet+clusters_8x8' --precision double --steps 60 --log-every 20 --tune SKIN=4 --tune OUTER=40 --log pruned.csv
check 'an outer list serves several times' grep -Eq '^lists +each served .*; [2-9] of [1-9][0-9]* were pruned' out
check 'to the same numbers' close pruned.csv direct.csv 1e-9

# Dimers where floats are 6e-5 apart.
awk 'BEGIN { print 16 "\nLattice=\"1000 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3:velo:R:3 pbc=\"T T T\""
    for (k = 0; k < 8; k++) { x = 980.5 + k % 4 * 4; y = k < 4 ? 2 : 7
        printf "X %.5f %g 5 0.3 0.01 0\nX %.5f %.4f 5 -0.3 0 0.01\n", x, y, x + 1.03125, y + 0.3125 } }' >dimers.xyz
for precision in mixed double; do
    expect 0 run --box dimers.xyz --interaction lj --cutoff 2.5 --variant verlet_fused+list_blocks --precision $precision --steps 400 --log-every 50 \
        --log dimers-$precision.csv
done
check 'positions are not rounded to float' close dimers-mixed.csv dimers-double.csv 5e-5

# ---- forces of many bodies, which nobody needs to name: the steps are the reference's, and energy is conserved ----
vectors=$tests/data/vectors/manybody
bodies() { # bodies KERNELS named|found ARGUMENT...
    local kernels=$1 named=()
    [ "$2" = found ] || named=(--variant "$1")
    shift 2
    rm -f device.csv reference.csv
    expect 0 run "$@" "${named[@]}" --temperature 0.05 --precision double --dt 0.02 --steps 60 --log-every 10 --log device.csv
    check "$kernels: by them" out "by $kernels, double, on "
    expect 0 run "$@" --reference --temperature 0.05 --dt 0.02 --steps 60 --log-every 10 --log reference.csv
    check "$kernels: the log is the reference's" close device.csv reference.csv 1e-9
    # A step errs by dt^2: below 0.003 of the kinetic energy here.
    check "$kernels: energy is conserved" awk -F, 'NR == 2 { kinetic = $5; first = $7 }
        NR > 2 { off = $7 - first; if (off * off > 9e-6 * kinetic * kinetic) exit 1 } END { exit NR != 8 }' device.csv
}
bodies verlet+eam_list found --box "$vectors/cd-256.xyz" --interaction eam --table "$vectors/ab.eam.alloy"
bodies verlet+eam_blocks named --box "$vectors/cd-256.xyz" --interaction eam --table "$vectors/ab.eam.alloy"
bodies verlet+three_body_lanes found --kind diamond --n 216 --interaction stillinger-weber
bodies verlet+three_body_atomic named --kind diamond --n 216 --interaction tersoff

# Who is taken where nobody is named.
expect 0 run "${melt[@]}" --steps 10 --log-every 10 --thermostat nose-hoover:temperature=1,time=0.2,chain=2
check 'the thermostat has its kernels' out 'by nose_hoover+sorted_cells, float, on '
expect 0 run "${melt[@]}" --steps 10 --log-every 10 --precision mixed --integrator langevin:temperature=1
check 'so has noise' out 'by langevin+sorted_cells, mixed, on '
expect 2 run "${melt[@]}" --steps 10 --variant 'verlet+sorted_cells' --thermostat berendsen:temperature=1
check 'a thermostat that it has not' err 'verlet+sorted_cells is of integrator verlet and thermostat none'
expect 2 run "${melt[@]}" --steps 10 --thermostat rescale:temperature=1,interval=3
check 'a period of another file' err 'interval=3'
expect 2 run "${melt[@]}" --steps 10 --precision float,double
check 'one simulation at a time' err 'a simulation is of one'
expect 2 run "${melt[@]}" --steps 10 --variant-file mine.cl
check 'no foreign kernels' err 'takes built-in kernels alone'
expect 2 run "${melt[@]}" "${same[@]}" --steps 10 --dt 5
check 'particles that are thrown about' err 'is the time step too long'

conclude
