#!/usr/bin/env bash
# What particles carry through faces: by type and face, as the reference counts it; mistakes are found; a simulation's pressure tells it.
. "$2/lib.sh" || exit 1
source=$tests/../variants/step/verlet.cl
awk 'BEGIN { srand(5); print 216; print "Lattice=\"6.6 0 0 1.1 6.5 0 -0.7 0.9 6.4\" Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1"
    for (i = 0; i < 216; i++) { z = int(i / 36) * 1.0667; y = int(i % 36 / 6) * 1.0833 + z * 0.14; x = i % 6 * 1.1
        print i % 3 ? "A" : "B", x, y, z, rand() - 0.5, rand() - 0.5, 2 * rand() - 1, i % 3 ? 1 : 2.5 } }' >leaning.xyz
leaning=(--workload step --box leaning.xyz --cutoff 2 --outputs forces --tune COUNT_CROSSINGS=2)

check 'a leaning cell of two types' exits 0 check "${leaning[@]}" --tune WRAP=1 --precision mixed --variant 'leapfrog+all_pairs_loop'

# Particles start on faces, from rest: one that has gone through by less than a float of the edge tells is counted steps later.
check 'particles on faces, kept in two floats' exits 0 check --workload step --variant 'verlet+all_pairs_loop' --kind brick --n 500 --seed 1,2,3 \
    --precision mixed --outputs forces --tune COUNT_CROSSINGS=2 --tune WRAP=0,1
check 'particles on the faces of a cell that leans' exits 0 check --workload step --variant 'verlet+all_pairs_loop' --kind brick@65:80:110 \
    --n 129 --seed 154929692 --precision double --outputs forces --steps 2 --dt 0.001 --tune COUNT_CROSSINGS=2

mutant() { # mutant NAME FACES VELOCITY TYPE: verlet that counts so, in C
    sed -e "s/^ \* verlet —/ * $1 —/; s/@forces .*/@forces all_pairs_loop/; s/verlet_first(/&GLOBAL const int *RESTRICT index, /; / move_from(/{N;s/.*/velocity[i] = v; \
        int4 c = store_position(i, drifted(whole_position(i, position, position_rest), v, dt), box, position, position_rest, crossing); \
        const int type = crossing[i].w; $2 if (c.x != 0 || c.y != 0 || c.z != 0) { count_at_faces(c, $3, box, face_sums + 12 * $4, face_scale); }/}" \
        "$source" >"$1.cl"
    check "$1 is another text" grep -q count_at_faces "$1.cl"
    check "$1 is refused" exits 1 check --variant-file "$1.cl" --variant "$1+*" "${leaning[@]}" --precision double
}
mutant face_forgotten 'c.z = 0;' v type
check 'whose it was' said 'face along c'
mutant lazy_in_time 'if (index[0] != 0 || index[1] != 1) { c = make_int4(0, 0, 0, 0); }' v type # as test_step_mutants.sh has it
check 'and each launch tells' said 'launch 1 of a round, particles of type'
mutant one_type '' v 0
check 'and that it is a type' said 'particles of type'
mutant velocity_off '' 'scaled(v, ACCUM(1.000001))' type
check 'and that it is the momentum' said 'momentum of particles'

# The kernels' log is the reference's.
melt=(--kind melt --n 108 --seed 3 --cutoff 2 --temperature 3 --log-every 10)
expect 0 run "${melt[@]}" --reference --steps 40 --log reference.csv
expect 0 run "${melt[@]}" --variant 'verlet+all_pairs_loop' --precision double --steps 40 --log device.csv
check 'printed, too' out 'its kinetic part by crossings of faces: '
pressure() { tail -n 1 "$1" | cut -d, -f8; }
check 'the pressure by faces is the reference'"'"'s' near "$(pressure device.csv)" "$(pressure reference.csv)" 1e-7
check 'and it is not nothing' awk -v p="$(pressure device.csv)" 'BEGIN { exit !(p > 0.1) }'

# ---- a particle on a face of a cell that leans: of its images either may be the one that a wall pulls ----
for case in '65:80:110 257 215513985 1' '115:80:110 512 2233528738 10'; do
    read -r angles n seed steps <<<"$case"
    "$pairmark" check --workload step --variant verlet_field+all_pairs_loop --kind "brick@$angles" --n "$n" --seed "$seed" --steps "$steps" \
        --dt 0.0002 --precision double --outputs forces --cutoff 1.2 --field wall-x=1:4:10,wall-y=2:3:5 -v >out 2>err
    lacks out 'wrong '
    says_like out '^unsupported .*: particle [0-9]+ lies on a face of the cell, within errors, and a wall pulls it'
done

conclude
