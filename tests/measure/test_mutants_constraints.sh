#!/usr/bin/env bash
# The gate rejects every kernel of constraints that is broken on purpose, and accepts the same kernel unbroken; one that does
# not come to an end is told so.
. "$2/lib.sh" || exit 1

says_so() { grep -qE "^$2 .*MUTATION=$1:" out; } # says_so MUTATION VERDICT
mutants() { # mutants MUTATIONS ARGUMENT...
    "$pairmark" check --variant-file "$tests/data/mutants/constraints.cl" --variant constraints_mutant \
        --tune "MUTATION=$1" "${@:2}" -v >out 2>err </dev/null
    for mutation in ${1//,/ }; do
        check "mutation $mutation of ${*:2}" says_so "$mutation" "$([ "$mutation" -eq 0 ] && echo ok || echo wrong)"
    done
}
# Chains cross the faces of the cell; of 298 particles of water the last is by itself.
mutants 0,4 --kind oligomers --n 110 --precision float
mutants 0,7 --kind oligomers --n 22 --precision float # every order but two takes a molecule apart
mutants 0,1,2,3,5,6,8 --kind water --n 298 --precision float
says_like out 'MUTATION=2: .*the momentum of the molecule of particle'
says_like out 'MUTATION=3: .*the angular momentum of the molecule of particle'
says_like out 'MUTATION=5: .*: the length is off by'

# What molecules that are alike hide: the lengths of another bond, the shape of another molecule, a fourth constraint of a particle.
drawn_mutant() { # drawn_mutant VARIANT LINES SED: the variant, changed in so many lines, is wrong in a case that is drawn
    sed -e "$3" "$tests/../variants/constraints/$1.cl" >"$1.cl"
    check "$1 is another text" [ "$(diff "$1.cl" "$tests/../variants/constraints/$1.cl" | grep -c '^<')" -eq "$2" ]
    expect 1 check --workload constraints --variant-file "$1.cl" --variant "$1" --budget 20 --seed 1 --fail-fast
}
drawn_mutant shake_clusters 2 's/lengths[.][yz]/lengths.x/'
says_like out '^wrong .*/stars'
drawn_mutant settle 1 's/water_shape\[m\]/water_shape[m > 0 \&\& water_atoms[m - 1].y >= 0 ? m - 1 : m]/'
says_like out '^wrong .*/triangles'
drawn_mutant newton_cg 1 's/joint < joint_start\[k + 1\]; joint++/joint < joint_start[k + 1] \&\& joint < joint_start[k] + 3; joint++/'
says_like out '^wrong .*/complexes'
expect 0 check --workload constraints --kind triangles,stars,complexes --n 330 --precision double
says out '11 passed, 0 failed'

# Lengths that are looser in timed launches alone, which know themselves by where the first particle is. Particles stay within their bounds.
expect 0 box water --n 6000 -o waters.xyz
first=$(awk 'NR == 3 { print $2 }' waters.xyz)
sed -e 's/^ \* shake —/ * loose —/; s/KERNEL void shake(/KERNEL void loose(/; s/^\( \* @pass *\)shake /\1loose /' \
    -e "s/^\( *\)accum4 *r = const.*//; s/^\( *\)const accum want = find_want.*/&\n\1const int is_near = want <= ACCUM(2.9) * CONSTRAINTS_TOLERANCE \&\& want >= ACCUM(-2.9) * CONSTRAINTS_TOLERANCE;\n\1off = off \&\& !(is_near \&\& FABS(position[0].x - REAL($first)) > REAL(0.001));/" \
    "$tests/../variants/constraints/shake.cl" >loose.cl
expect 1 check --kind water --n 6000 --variant-file loose.cl --variant loose --precision float
says_like out 'launched again: launch [0-9]+ of a round, constraint .* the length is off by'
expect 1 bench --kind water --n 6000 --variant-file loose.cl --variant loose --precision float --time-cap 0.05 --no-plot -o loose
says_like loose/rows.csv 'launch [0-9]+ of a round, constraint .* the length is off by'

# Too few sweeps for a chain are told as what they are.
expect 1 check --variant shake --kind oligomers --n 110 --precision float --tune ITERATIONS=2
says out 'it did not converge within ITERATIONS=2'
expect 1 check --variant ccma --kind oligomers --n 110 --precision float --tune ITERATIONS=1
says out 'it did not converge within ITERATIONS=1'
conclude
