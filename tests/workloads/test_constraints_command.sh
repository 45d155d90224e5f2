#!/usr/bin/env bash
# Constraints on the command line: numbers by a file of constraints, what is refused and where, kinds of boxes, records.
. "$2/lib.sh" || exit 1

# Two particles of masses 1 and 3, the first moved aside by 0.6; a water; one by itself.
cat >few.xyz <<END
6
Properties=species:S:1:pos:R:3:velo:R:3:mass:R:1 pbc="F F F"
A 0 0 0 0 0.6 0 1
B 1 0 0 0 0 0 3
O 5 0 0 0.01 0.02 -0.03 16
H 5.8 0.6 0 -0.05 0.04 0.06 1
H 4.2 0.6 0 0.07 0.01 -0.02 1
A 9 9 9 0.5 0.25 0.125 1
END
printf 'i,j,length\n1,2,1\n3,4,1\n3,5,1 # the other leg\n5,4,1.6\n' >few.csv
few=(--box few.xyz --constraints few.csv)
expect 0 eval --variant shake "${few[@]}" --precision double --interaction constraints:tolerance=1e-10 --json --forces moved.xyz
check "workload" [ "$(json .workload)" = constraints ]
check "four constraints" [ "$(json .pairs_in_cutoff)" = 4 ]
moved() { awk -v line="$1" -v field="$2" 'NR == line + 2 { print $field }' moved.xyz; } # moved PARTICLE FIELD-FROM-THE-END
columns=$(awk 'NR == 3 { print NF }' moved.xyz)
check "the first gives three quarters of the way" near "$(moved 1 $((columns - 2)))" 0.15 1e-9
check "the second a quarter" near "$(moved 2 $((columns - 2)))" -0.05 1e-9
says moved.xyz ':constrained_displacements:R:3'
expect 0 eval --variant shake --box moved.xyz --constraints few.csv --precision double --interaction constraints:tolerance=1e-10
check "across, nothing changes" near "$(moved 1 $((columns - 1)))" 0.6 1e-12
check "one by itself stays" near "$(moved 6 $((columns - 2)))" 0.5 1e-12
expect 0 check "${few[@]}" --variant shake,ccma --precision mixed,double --interaction 'constraints;constraints:velocities=1'
says out '8 passed, 0 failed'

# SETTLE says what it does not take.
expect 3 check "${few[@]}" --variant settle --precision float
says err 'settle takes rigid waters alone: three particles, three constraints, of which two are equal, and two like masses; the molecule of particle 1 has 2 particles and 1 constraints'
printf 'i,j,length\n3,4,1\n3,5,1\n4,5,1.6\n' >water.csv
expect 0 check --box few.xyz --constraints water.csv --variant settle --precision float --interaction 'constraints:tolerance=1e-6,velocities=1;constraints'
says out '2 passed, 0 failed'
printf 'i,j,length\n3,4,1\n3,5,1.01\n4,5,1.6\n' >lame.csv
expect 3 check --box few.xyz --constraints lame.csv --variant settle --precision float
says err 'the molecule of particle 3 has 3 particles and 3 constraints, but other lengths or masses'
printf 'i,j,length\n4,3,1\n3,5,1\n1,2,1\n' >clusters.csv
expect 0 check --box few.xyz --constraints clusters.csv --variant shake_clusters --precision float,double
says out '2 passed, 0 failed'
expect 3 check "${few[@]}" --variant shake_clusters --precision float
says err 'shake_clusters takes clusters alone: up to three constraints from one particle to others; the molecule of particle 3 has 3 constraints that are not all of one particle'
refuses 'takes rigid waters alone: a box of kind water or triangles, or --constraints' check --variant settle --kind oligomers

# Molecules of a cell that leans keep their lengths; a kernel that is wrong in such cells is found among the cases that are drawn.
skewed=$(for kind in water hydrogens oligomers; do printf '%s,' "$kind@75:100:65" "$kind@115:80:110"; done)
expect 0 check --variant shake,ccma --kind "${skewed%,}" --n 130 --precision double
says out '12 passed, 0 failed'
sed 's/accum4 r = constraint_vector.*/&\n#if TRICLINIC\n                if (box.tilt.x < 0 \&\& r.x > 0.5) { continue; }\n#endif/; s/^ \* shake —/ * leaning —/' \
    "$tests/../variants/constraints/shake.cl" >leaning.cl
expect 1 check --variant-file leaning.cl --kind water@115:80:110 --n 130 --precision double
expect 2 check --variant shake --kind polymers@75:100:65

# What is refused: the file, the line, what was expected; status 2.
refuses_lines() { # refuses_lines LINES TEXT: of a file behind the line of the columns
    printf 'i,j,length\n%b' "$1" >bad.csv
refuses_few() { refuses "$1" eval --variant shake "${@:2}"; }
    refuses_few "$2" --box few.xyz --constraints bad.csv
}
refuses_lines '1,2,1\n2,7,1\n' 'bad.csv:3: there is no particle 7; the box has 6'
refuses_lines '1,2,0\n' '--constraints: bad.csv:2: "1,2,0"; expected a length above 0'
refuses_lines '1,2,1\n2,1,1\n' 'bad.csv:3: particles 1 and 2 are constrained by an earlier line, too'
refuses_lines '1,2,x\n' '--constraints: bad.csv:2: "1,2,x"; expected i,j,length: 2 numbers of particles, 1 or more, and 1 number'
refuses_lines '1,2,1\n1,3,5\n1,4,6\n1,5,4\n2,3,4\n2,4,5\n2,5,3\n3,4,1\n3,5,1\n4,5,1.6\n' \
    'bad.csv:2: particle 1 is in a molecule of 5 particles with 10 constraints; expected at most 9'
refuses_lines '' 'bad.csv: there are no constraints'
printf '3\nProperties=species:S:1:pos:R:3:velo:R:3 pbc="F F F"\nA 0 0 0 0 0 0\nA 1 0 0 0 0 0\nA 2 0 0 0 0 0\n' >line.xyz
printf 'i,j,length\n1,2,1\n2,3,1\n1,3,2\n' >line.csv
refuses_few 'the constraint depends on others of its molecule' --box line.xyz --constraints line.csv
sed 's/16$/0/' few.xyz >massless.xyz
refuses_few 'expected a positive number' --box massless.xyz --constraints few.csv
printf '2\nProperties=species:S:1:pos:R:3 pbc="F F F"\nA 0 0 0\nA 1 0 0\n' >still.xyz
printf 'i,j,length\n1,2,1\n' >pair.csv
refuses_few 'the box has no velocities' --box still.xyz --constraints pair.csv
refuses_few 'needs constraints: --constraints' --kind fluid
refuses_few 'needs constraints: --constraints' --kind polymers@80:90:90
refuses_few '--cutoff: workload constraints has none' "${few[@]}" --cutoff 2
refuses '--constraints: workload forces has no constraints' eval --workload forces --variant sorted_cells --constraints pair.csv
refuses '--constraints: workload bonded has no constraints' eval --workload bonded --variant bonded_gather --constraints pair.csv
expect 3 check --variant shake --kind water --n 30 --precision float --interaction constraints:tolerance=1e-8
says err 'tolerance=1e-08: float arithmetic resolves lengths to 1e-06'

# A chain through a triclinic cell, from a file.
{
    printf '40\nLattice="8 0 0 2.5 7 0 -1.5 3 9" Properties=species:S:1:pos:R:3:velo:R:3\n'
    awk 'BEGIN { for (i = 1; i <= 40; i++) print "A", i % 2 * sqrt(1 - 0.82 ^ 2), 0.3, 0.82 * i, 0.05 * sin(i), 0.05 * cos(7 * i), 0.05 * sin(3 * i) }'
} >leaning.xyz
awk 'BEGIN { print "i,j,length"; for (i = 1; i < 40; i++) print i "," i + 1 ",1" }' >leaning.csv
expect 0 check --box leaning.xyz --constraints leaning.csv --variant shake,ccma --precision float,double
says out '4 passed, 0 failed'

# A run keeps the file of constraints, and goes on without it.
expect 0 bench --variant shake "${few[@]}" --precision float --visits 1 --time-cap 0.01 --no-plot -o run
check "the row" [ "$("$pairmark" query --csv 'SELECT workload, status, n FROM rows' run | tail -n 1)" = constraints,ok,6 ]
check "the constraints are kept" sh -c 'ls run/kernels/inputs/constraints-*.txt >out'
mv few.csv away.csv
expect 0 bench --resume run --no-plot

# ---- presets: of what molecules bring, its own kinds; a variant that some of them have no use for ----
expect 0 bench --preset molecules -- --benchmark_list_tests
for case in bonded_gather/float/forces/proteins bonded_atomic/float/virial/proteins bonded_buffers/float/forces/water settle/float/forces/water \
    shake_clusters/float/forces/hydrogens; do
    says out "$case/n:"
done
lacks out chains
expect 0 bench --preset molecules --workload bonded -- --benchmark_list_tests
lacks out chains
expect 0 bench --preset constraints --variant settle -- --benchmark_list_tests
says out settle/float/forces/water
lacks out hydrogens
refuses 'no case is left: settle takes rigid waters alone' bench --preset constraints --variant settle --kind hydrogens -- --benchmark_list_tests
conclude
