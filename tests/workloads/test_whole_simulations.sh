#!/usr/bin/env bash
# Simulations with all of an Ewald sum: the virial is what a strain says, thermostats pass the gate, and particles that fly apart end in an error.
. "$2/lib.sh" || exit 1
coulomb=coulomb=1389.35457644

# ---- the virial is minus the derivative of the energy by a strain, whatever the cell, a net charge and excluded pairs ----
"$pairmark" box water --n 192 -o water.xyz >out 2>err
"$pairmark" box salt@75:100:65 --n 216 -o salt.xyz >out 2>err
strained() { # strained FILE ROW COLUMN STRAIN: a point's coordinate COLUMN times STRAIN is added to its coordinate ROW
    awk -v row="$2" -v column="$3" -v strain="$4" '
        NR == 2 {
            match($0, /Lattice="[^"]*"/)
            count = split(substr($0, RSTART + 9, RLENGTH - 10), edge, " ")
            for (v = 0; v < count; v += 3) edge[v + row] += strain * edge[v + column]
            words = ""
            for (v = 1; v <= count; v++) words = words (v > 1 ? " " : "") sprintf("%.17g", edge[v])
            sub(/Lattice="[^"]*"/, "Lattice=\"" words "\"")
        }
        NR > 2 { $(1 + row) = sprintf("%.17g", $(1 + row) + strain * $(1 + column)) }
        { print }' "$1"
}
evaluate() { expect 0 eval --workload step --variant 'verlet+all_pairs_loop' --precision double --steps 1 --dt 1e-9 --outputs virial --json "$@"; }
strain=1e-4
agrees() { # agrees FILE ARGUMENT...: for every strain that leaves the cell's first vector along x
    local file=$1 axes row column side virial low high
    shift
    evaluate --box "$file" "$@"
    cp out whole.json
    for axes in '1 1' '1 2' '1 3' '2 2' '2 3' '3 3'; do
        read -r row column <<<"$axes"
        for side in -$strain $strain; do
            strained "$file" "$row" "$column" "$side" >strained.xyz
            evaluate --box strained.xyz "$@"
            json .energy >"energy$side"
        done
        low=$(cat "energy-$strain") high=$(cat "energy$strain")
        virial=$(jq ".virial[3 * ($row - 1) + $column - 1]" whole.json)
        # A central difference errs by the third derivative: by less than 1e-6 of the largest component.
        check "$file: $row $column: $virial" awk -v v="$virial" -v low="$low" -v high="$high" -v s=$strain -v scale="$(jq '[.virial[] | fabs] | max' whole.json)" \
            'BEGIN { d = v + (high - low) / (2 * s); exit !(d < 1e-5 * scale && -d < 1e-5 * scale) }'
    done
}
# No pair jumps where it ends.
agrees water.xyz --charges O=-0.8476,H=0.4238 --exclude molecule --cutoff 4.5 --long-range pme_tiles:order=5,grid_x=20,grid_y=24,grid_z=25 \
    --interaction "lj-switch+ewald-real:epsilon.O=0.65,sigma.O=3.166,epsilon.H=0,sigma.H=1,inner=3.5,outer=4.5,alpha=1.2,$coulomb"
agrees salt.xyz --charges Na=1.2,Cl=-1 --exclude next:2 --cutoff 2.2 --interaction ewald-real:alpha=2.5 --long-range pme_lanes:order=4,grid_x=20,grid_y=24,grid_z=25

# ---- every integrator and thermostat ----
for integrator in verlet_fused langevin rescale berendsen nose_hoover; do
    expect 0 check --workload step --variant "$integrator+list_columns" --kind salt@75:100:65 --n 216 --exclude next:2 --cutoff 2.2 --charges Na=1.2,Cl=-1 \
        --interaction born-mayer-huggins+ewald-real:alpha=1.2 --dt 0.0005 --steps 4 --precision double --outputs virial --long-range pme_atomic:order=4
    check "$integrator" out '1 passed, 0 failed'
done

# ---- hydrogens without a repulsion fall into other oxygens, and numbers grow until they are none ----
for variant in pme_atomic pme_lanes pme_tiles; do
    exits 2 run --kind water --n 81 --water spce --interaction "lj+ewald-real:alpha=0.9,$coulomb" --cutoff 4.5 --temperature 2.5 --dt 0.01 --steps 2000 \
        --precision float --variant 'verlet+all_pairs_loop' --long-range "$variant"
    check "$variant: particles that fly apart" said 'or is nowhere'
done

conclude
