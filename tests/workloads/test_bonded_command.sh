#!/usr/bin/env bash
# Bonded terms on the command line: numbers by files of terms, what is refused and where, boxes of chains, records.
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors/bonded
box=(--box "$vectors/positions.xyz")

# Known answers; files name the workload by themselves.
expect 0 eval --variant bonded_buffers "${box[@]}" --bonds "$vectors/bonds.csv" --angles "$vectors/angles.csv" --json
check "energy $(json .energy)" near "$(json .energy)" 46.320191921092306 1e-13
check "virial xx $(json '.virial[0]')" near "$(json '.virial[0]')" 11.383780904287811 1e-12
check "bonds by themselves" near "$(json .reference_terms.bonds.energy)" 4.789374024601252 1e-13
check "angles by themselves" near "$(json .reference_terms.angles.energy)" 41.53081789649105 1e-13
check "54 terms" [ "$(json .pairs_in_cutoff)" = 54 ]
check "workload" [ "$(json .workload)" = bonded ]

# test_bonded_fixed has every variant and precision.
bonded_line
expect 0 check --box line.xyz "${terms[@]}" --variant bonded_gather --precision double --outputs virial
says out '1 passed, 0 failed'

# What is refused: the file, the line, what was expected; status 2.
printf 'i,j,k,r0\n1,2,50,0.9\n2,10,50,1\n' >missing.csv
refuses_terms() { refuses "$1" eval --variant bonded_gather "${@:2}"; }
refuses_terms 'missing.csv:3: there is no particle 10; the box has 9' --box line.xyz --bonds missing.csv
printf 'i,j,k,force_constant,theta0_degrees\n1,2,1,20,180\n' >twice.csv
refuses_terms '--angles: twice.csv:2: particle 1 stands twice in an angle' --box line.xyz --angles twice.csv
printf 'i,j,k,r0\n1,2,fifty,1\n' >malformed.csv
refuses_terms '--bonds: malformed.csv:2: "1,2,fifty,1"; expected i,j,k,r0: 2 numbers of particles' --box line.xyz --bonds malformed.csv
refuses_terms '--torsions: bonds.csv:1: "i,j,k,r0"; expected the columns i,j,k,l,force_constant' --box line.xyz --torsions bonds.csv
mkfifo pipe
refuses_terms '--bonds: pipe: is a pipe; expected a file' --box line.xyz --bonds pipe
refuses_terms '--cutoff: workload bonded has none' --box line.xyz "${terms[@]}" --cutoff 2
refuses_terms 'needs bonded terms: --bonds' --kind fluid
refuses_terms 'needs bonded terms: --bonds' --box line.xyz
refuses '--bonds: workload forces has no bonded terms' eval --workload forces --variant sorted_cells --bonds bonds.csv
refuses '--interaction: bonded has no pair function: workload bonded computes it' eval --variant sorted_cells --interaction lj+bonded

# Where a cell leans, the image of what is farther than half its least height may be another than the nearest.
refuses 'bonds:8: particles 6 and 9 are 1.8988' eval --variant bonded_gather --kind proteins@65:80:110 --n 33
says err 'in a cell that leans expected less than half its least height'
expect 0 eval --variant bonded_gather --kind proteins --n 33

# Chains have terms of their own, open, periodic and sheared.
expect 0 check --variant bonded_gather --kind chains,chains@75:100:60 --n 65 --precision double --outputs virial
says out '4 passed, 0 failed' # open ones, too

# Terms that are written are those that the box has.
expect 0 box chains --n 65 -o chains.xyz --terms chains
expect 0 box chains --n 65 -o chains.xyz --terms chains
expect 0 eval --variant bonded_gather --kind chains --n 65 --json
made=$(json .energy)
expect 0 eval --variant bonded_gather --box chains.xyz --bonds chains.bonds.csv --angles chains.angles.csv \
    --torsions chains.torsions.csv --rb-torsions chains.rb_torsions.csv --json
check "the energies $made and $(json .energy)" near "$(json .energy)" "$made" 1e-14
expect 2 box fluid --n 65 -o fluid.xyz --terms fluid
says err '--terms: a box that is of kind fluid has no bonded terms of its own; expected the kind chains, proteins, water, hydrogens, oligomers or polymers'
echo mine >mine.bonds.csv
refuses '--terms: mine.bonds.csv' box chains --n 65 -o chains.xyz --terms mine

# A run keeps the files of terms, and goes on without them.
expect 0 bench --variant bonded_gather --box line.xyz --bonds bonds.csv --precision float --visits 1 --time-cap 0.01 --no-plot -o run
check "the row" [ "$("$pairmark" query --csv 'SELECT workload, status, n FROM rows' run | tail -n 1)" = bonded,ok,9 ]
check "the terms are kept" sh -c 'ls run/kernels/inputs/bonds-*.txt >out'
rm bonds.csv
expect 0 bench --resume run --no-plot

# ---- rows say how many terms of each kind there are ----
expect 0 bench --workload bonded --variant bonded_gather --kind chains --n 12 --precision float --visits 1 --time-cap 0.01 --no-plot -o counts
check "terms by kind" [ "$("$pairmark" query --csv 'SELECT bonds, angles, torsions, rb_torsions FROM rows' counts | tail -n 1)" = 11,10,9,3 ]
cut -d, -f1-20 counts/rows.csv >older.csv
check "older rows do not say" [ "$("$pairmark" query --csv 'SELECT workload, bonds FROM rows' older.csv | tail -n 1)" = bonded, ]

# ---- torsions that are nearly straight ----
bent() { # bent SINE EDGE: 100 molecules, whose particles lie off a line by up to half of that
    awk -v sine="$1" -v edge="$2" 'BEGIN {
        srand(1)
        print "400\nLattice=\"" edge " 0 0 2 " edge " 0 0 1 " edge "\" Properties=species:S:1:pos:R:3"
        print "i,j,k,l,force_constant,multiplicity,phi0_degrees" >"bent.csv"
        for (i = 0; i < 400; i++) {
            for (d = 0; d < 3; d++) {
                x[d] = i % 4 == 0 ? edge * rand() : x[d] + along[d] + sine * (rand() - 0.5)
                along[d] = i % 4 == 0 ? rand() - 0.5 : along[d]
            }
            printf "C %.17g %.17g %.17g\n", x[0], x[1], x[2]
            if (i % 4 == 0) printf "%d,%d,%d,%d,%g,%d,30\n", i + 1, i + 2, i + 3, i + 4, 1 + rand(), 1 + i % 6 >"bent.csv"
        }
    }' >bent.xyz
}
# Not 1e-12, where about one molecule of 100 is without a bound in double: by chance none is, and awks draw differently.
for sine in 1e-13 1e-9 1e-5 1e-3 1e-1; do
    bent $sine 20
    "$pairmark" check --workload bonded --box bent.xyz --torsions bent.csv --precision '*' --outputs virial -v >out 2>err
    lacks out 'wrong '
    case $sine in
        1e-1) says out '16 passed, 0 failed' ;;
        1e-9) says out '4 passed, 0 failed, 12 unsupported' ;;
        1e-13) says out '0 passed, 0 failed, 16 unsupported' ;;
    esac
done
bent 1e-5 20
"$pairmark" check --box bent.xyz --torsions bent.csv --variant bonded_gather --precision float --outputs forces -v >out 2>err
says out 'three particles of a torsion on one line, or two of an angle in one place, nearly so, have forces without a bound'

# ---- waters ----
expect 0 box water --n 8 -o water.xyz --terms water
check 'two bonds per whole molecule, one of the last' [ "$(grep -c '^[0-9]' water.bonds.csv)" = 5 ]
check 'an angle at the oxygen' grep -q '^2,1,3,317' water.angles.csv
expect 0 eval --workload bonded --kind water --n 30 --variant bonded_gather --precision double --outputs energy
says out '(reference, 20 terms)'

conclude
