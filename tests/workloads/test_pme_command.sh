#!/usr/bin/env bash
# Reciprocal space by the command line: known energies, what eval prints besides, grids that are derived, and what is refused.
. "$2/lib.sh" || exit 1
vectors=$tests/data/vectors/pme
evaluate() { expect 0 eval --workload pme --precision double --outputs virial --json "$@"; } # evaluate ARGUMENT...

# With splines of order 6 on a fine grid the direct sum, and OpenMM's energy on OpenMM's grid.
for variant in pme_tiles $(at_length pme_atomic pme_lanes); do
    evaluate --variant $variant --box "$vectors/neutral-40.xyz" --interaction \
        pme:alpha=0.35,coulomb=1389.35457644,order=6,grid_x=36,grid_y=40,grid_z=42
    check "$variant: the direct sum: $(json .energy)" near "$(json .energy)" 3102.249710195128 1e-6
    check "$variant: self energy" near "$(json .self_energy)" -5377.275345989511 1e-13
    evaluate --variant $variant --box "$vectors/triclinic-50.xyz" --interaction \
        pme:alpha=0.32,coulomb=1389.3545764438198,grid_x=20,grid_y=21,grid_z=24
    check "$variant: OpenMM: $(json .energy)" near "$(jq '.energy + .self_energy' out)" -3141.644813865074 1e-12
done

# Particles that find no room in their tile, which are others in another order, are rounded as those that do.
expect 0 check --workload pme --variant pme_tiles --kind water --n 600 --precision "fixed,float$(at_length ,mixed)" --outputs forces --tune CAPACITY=8 \
    --interaction pme:alpha=0.35,coulomb=1389.35457644
says_like out '^[23] passed, 0 failed'

# Charges that a precision does not hold are no fault of kernels; others, all of one sign or zero, are judged.
for charge in 0 1e-20 $(at_length 1 1e10); do
    awk -v charge=$charge 'BEGIN {
        print "64\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=species:S:1:pos:R:3:charge:R:1"
        for (i = 0; i < 64; i++) print "A", 2 * (i % 4), 2 * (int(i / 4) % 4), 2 * int(i / 16), charge
    }' >alike.xyz
    "$pairmark" check --variant pme_tiles --box alike.xyz --precision '*' --outputs virial -v >out 2>err
    lacks out 'wrong '
    case $charge in
        1e-20) says out ': charges of 1e-20 at most: float loses' ;;
        1e10) says out 'or an energy of ' ;;
        *) says out '4 passed, 0 failed, 0 unsupported' ;;
    esac
done

# The error of the grid is about the tolerance that alpha and grid are derived from, by either rule.
for rule in 0 1; do
    evaluate --variant pme_atomic --box "$vectors/triclinic-50.xyz" --interaction "pme:tolerance=1e-4,rule=$rule,real_cutoff=5"
    check "rule $rule: error of the grid $(json .grid_error)" jq -e '.grid_error > 1e-6 and .grid_error < 1e-2' out
done

# --ewald-tolerance is the parameter, by either rule; the finer, the less the error.
evaluate --box "$vectors/triclinic-50.xyz" --interaction pme:tolerance=1e-4,rule=1
by_parameter=$(jq -c '[.interaction, .energy, .grid_error]' out)
coarse=$(json .grid_error)
evaluate --box "$vectors/triclinic-50.xyz" --interaction pme:rule=1 --ewald-tolerance 1e-4
check "--ewald-tolerance: $by_parameter" [ "$(jq -c '[.interaction, .energy, .grid_error]' out)" = "$by_parameter" ]
exits 0 eval --box "$vectors/triclinic-50.xyz" --ewald-tolerance 1e-6 --json
check '--ewald-tolerance implies the workload' [ "$(json .workload)" = pme ]
check "the error of the grid: $coarse, $(json .grid_error)" jq -e ".grid_error < $coarse" out

# Of the whole sum nothing depends on alpha: real and reciprocal part, self energy, and what excluded pairs have of it.
total() { # total ALPHA: of waters, in words of the interaction
    "$pairmark" eval --workload forces --kind water --n 192 --cutoff half --exclude molecule --precision double --outputs energy --json \
        --interaction "ewald-real:alpha=$1" >real
    "$pairmark" eval --workload pme --kind water --n 192 --precision double --outputs energy --json \
        --interaction "pme:alpha=$1,order=6,grid_x=64,grid_y=64,grid_z=64" >smooth
    jq -n '[inputs | [.energy, .self_energy, .background_energy, .excluded_energy] | map(. // 0) | add] | add' real smooth
}
first=$(total 0.8) second=$(total 0.9)
check "totals of two alphas: $first, $second" near "$first" "$second" 2e-5

# ---- refusals ----
# 49 points are asked for, 50 are faster: by the grid's error, which is the reference's own.
for grid in '' ,grid_x=50,grid_y=50,grid_z=50; do
    expect 0 eval --workload pme --variant pme_atomic --kind salt --n 64 --precision double --interaction "pme:alpha=3.692$grid"
    grep grid_error out >"error-of$grid"
done
check 'a derived grid is no multiple of 49' cmp -s error-of error-of,grid_x=50,grid_y=50,grid_z=50

refuses_pme() { refuses "$1" eval --workload pme "${@:2}"; }
refuses_pme 'periodic' --kind salt --n 64 --open
refuses_pme 'order=7; expected 4, 5 or 6' --kind salt --n 64 --interaction pme:order=7
refuses_pme 'grid_x=22; expected a product of 2, 3, 5 and 7' --kind salt --n 64 --interaction pme:grid_x=22
refuses_pme 'grid_y=4; expected' --kind salt --n 64 --interaction pme:grid_y=4
refuses_pme 'tolerance=0.6; expected less than 0.5' --kind salt --n 64 --interaction pme:tolerance=0.6
for word in 0 -1 0.5 1 nan inf 1e-4,1e-5 x; do
    refuses_pme "--ewald-tolerance: '$word'; expected a number above 0 and below 0.5" --kind salt --n 64 "--ewald-tolerance=$word"
done
for given in tolerance=0.001 alpha=0.3 grid_x=20 grid_y=20 grid_z=20; do
    refuses_pme "--ewald-tolerance: --interaction has $given; expected one of the two" --kind salt --n 64 --ewald-tolerance 1e-4 \
        --interaction "pme:$given"
done
exits 2 eval --workload forces --kind salt --n 64 --ewald-tolerance 1e-4
check 'a tolerance of what has no grid' said '--ewald-tolerance: workload forces has no grid; expected --workload pme'
expect 0 box salt --n 64 -o salt.xyz
sed -i 's/pbc="T T T"/pbc="T T F"/' salt.xyz
expect 3 eval --workload pme --box salt.xyz
says err 'not periodic along all three vectors'

# A file's transforms are checked as its passes are.
sed 's/ pme_atomic —/ own —/; s/^ \* @transform forward grid/ * @transform forward sideways/' "$tests/../variants/pme/pme_atomic.cl" >own.cl
exits 2 eval --variant-file own.cl --variant own --kind salt --n 64
check 'a transform of what there is not' said '@transform forward sideways: expected the name of a @scratch of accum'
sed 's/ pme_atomic —/ own —/; s/^ \* @transform forward grid.*/ * @transform there grid spectrum/' "$tests/../variants/pme/pme_atomic.cl" >own.cl
exits 2 eval --variant-file own.cl --variant own --kind salt --n 64
check 'a transform that is none' said 'expected: @transform forward GRID SPECTRUM'
of_planes() { # what it says where the transforms of pme_tiles are changed by a sed script
    sed "s/ pme_tiles —/ own —/; $1" "$tests/../variants/pme/pme_tiles.cl" >own.cl
    exits 2 eval --variant-file own.cl --variant own --kind salt --n 64
    check "transforms: $1" said "$2"
}
of_planes 's/grid grid planes/grid grid/' '@transform forward: planes are transformed in place, a grid is not'
of_planes 's/forward grid grid planes/forward grid block_count planes/' '@transform forward: planes are transformed in place'
of_planes 's/grid grid planes/grid grid lines/' 'and planes where x is left out'

conclude
