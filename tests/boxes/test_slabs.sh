#!/usr/bin/env bash
# Boxes that are periodic along some axes alone: read, written and described; every variant in a slab and a wire; a slab beside the same
# particles in a long periodic cell; what is refused.
. "$2/lib.sh" || exit 1

# ---- files ----
expect 0 box fluid --n 400 --periodic xy -o slab.xyz
says slab.xyz 'pbc="T T F" kind=fluid seed=1 periodic=xy'
expect 0 box --box slab.xyz --describe -o again.xyz
says out 'periodic      along xy only'
lacks out density
check 'the same particles' cmp <(sed 's/ kind=.*//' slab.xyz) again.xyz
expect 0 box --box again.xyz -o - && cmp -s again.xyz out || complain 'a slab that is read again is another'
sed '2s/Lattice="\([^ ]*\) 0 0 0 \([^ ]*\) 0 0 0 [^"]*"/Lattice="\1 0 0 0 \2 0 0 0 0"/' again.xyz >flat.xyz # as ASE writes it
says flat.xyz ' 0 0 0 0" Properties'
sed '2s/Lattice="\([^ ]*\) 0 0 0 \([^ ]*\) 0 0 0 [^"]*"/Lattice="\1 0 0 0 \2 0 3 -4 -5"/' again.xyz >askew.xyz # a left-handed c
energy() { # energy ARGUMENT...: by the kernel, which the reference must agree with
    exits 0 eval --variant sorted_cells --cutoff 2 --outputs virial "$@" || complain "eval $*"
    sed -n 's/^energy *//p' out
}
near "$(energy --box flat.xyz)" "$(energy --box slab.xyz)" 1e-12 || complain 'a vector of length 0 is another slab'
near "$(energy --box askew.xyz)" "$(energy --box slab.xyz)" 1e-12 || complain 'a vector that leans is another slab'
near "$(energy --kind fluid --n 400 --periodic xy)" "$(energy --box slab.xyz)" 1e-12 || complain 'made and read slabs differ'
expect 0 box --box slab.xyz --periodic x --describe
says out 'along x only'
refuses 'periodic along xy only, which a LAMMPS data file does not say' box --box slab.xyz -o slab.data

# ---- what a slab is: the same particles in a cell without neighbours along z ----
sed '2s/Lattice="\([^ ]*\) 0 0 0 \([^ ]*\) 0 0 0 [^"]*"/Lattice="\1 0 0 0 \2 0 0 0 50"/; 2s/T T F/T T T/' slab.xyz >long.xyz
near "$(energy --box long.xyz)" "$(energy --box slab.xyz)" 1e-12 || complain 'a slab is no box with a void'
near "$(energy --kind fluid --n 400)" "$(energy --box slab.xyz)" 1e-3 && complain 'a slab has images along z'

# Two particles, 1.5 apart through the face of one axis: pbc by pbc.
for pbc in 'T T F' 'F T T' 'T F T' 'F T F' 'F F T'; do
    for axis in 1 2 3; do
        awk -v axis="$axis" -v pbc="$pbc" 'BEGIN {
            printf "2\nLattice=\"8 0 0 0 8 0 0 0 8\" Properties=species:S:1:pos:R:3 pbc=\"%s\"\n", pbc
            for (far = 0; far < 2; far++) {
                printf "Ar"
                for (k = 1; k <= 3; k++) printf " %s", k == axis ? (far ? 7.25 : 0.75) : 4
                print ""
            }
        }' >pair.xyz
        wanted=0
        read -ra words <<<"$pbc"
        [ "${words[axis - 1]}" = T ] && wanted=-0.32033659427857464 # 4 (1.5^-12 - 1.5^-6)
        near "$(energy --box pair.xyz)" "$wanted" 1e-12 || complain "pbc=\"$pbc\" along axis $axis"
    done
done

# ---- every variant ----
variants_of() { "$pairmark" list --short --workload "$1" | grep -c .; }
passes() { # passes CASES ARGUMENT...
    local least=$1 cases
    expect 0 check --precision float "${@:2}"
    cases=$(sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' out)
    check "$least cases of ${*:2}: ${cases:-none}" [ "${cases:-0}" -ge "$least" ]
}
passes $(($(variants_of forces) - 1)) --workload forces --kind brick --n 130 --periodic yz --cutoff 1.3 --outputs virial --interaction lj
passes 3 --kind brick@90:90:70 --n 130 --periodic xy --cutoff half --outputs virial --variant sorted_cells,list_walk,blocks_32
passes 2 --kind plate --n 130 --periodic z --cutoff half --outputs virial --variant sorted_cells,all_pairs_tile
passes 5 --workload coordination --kind fluid --n 130 --ratio 31:70 --periodic x --interaction rational:r0=0.9,n=6,m=12,dmax=1.2 --outputs virial
passes 1 --variant coordination_tile --kind fluid --n 130 --periodic xy --interaction rational:r0=0.9,n=6,m=12,dmax=inf --outputs virial
passes "$(variants_of bonded)" --workload bonded --kind chains --n 50 --periodic xz --outputs virial
passes 4 --workload constraints --kind water --n 30 --periodic xy
passes "$(variants_of neighbours)" --workload neighbours --kind fluid --n 130 --periodic xy --cutoff 2
passes "$(variants_of neighbours)" --workload neighbours --kind brick --n 60 --periodic z --cutoff 7
expect 0 box fluid --n 200 --temperature 1 --periodic xy -o warm.xyz
passes 3 --workload step --variant 'verlet+sorted_cells,verlet+list_walk,leapfrog+sorted_cells' --box warm.xyz --cutoff 2 --steps 5 --outputs virial

# ---- rows ----
expect 0 bench -o run --kind fluid --n 200 --periodic xy --cutoff 2 --variant all_pairs_loop --visits 1 --samples-min 5
says_like run/rows.csv '/periodic:xy'
expect 0 query 'select axes, periodic, density from rows' run --csv
says out 'xy,1,'

# ---- what is refused ----
for axes in q yx xx T; do
    refuses "--periodic: '$axes'; expected the axes with images: xy, say, or z" box fluid --n 64 --periodic $axes --describe
    refuses "--periodic: '$axes'" check --kind fluid --periodic $axes
done
refuses '--periodic xy beside --open' check --kind fluid --periodic xy --open
refuses "--periodic: 'xyz', but the box is periodic only along xy" check --box slab.xyz --cutoff 2 --periodic xyz
refuses 'leans along an axis without' check --kind fluid@80:75:60 --n 200 --periodic y
refuses 'half the shortest edge' check --box slab.xyz --cutoff 5
refuses 'periodic along xy only' run --box slab.xyz --cutoff 2 --steps 5
refuses 'periodic along xy only' best --box slab.xyz --cutoff 2
expect 0 eval --workload step --variant verlet_field+sorted_cells --box warm.xyz --cutoff 2 --field wall-x=0:6:3 --steps 1
refuses 'walls along z, where the box has no images' eval --workload step --variant verlet_field+sorted_cells --box warm.xyz --cutoff 2 --field wall-z=0:6:3 --steps 1
conclude
