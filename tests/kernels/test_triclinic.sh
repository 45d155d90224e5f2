#!/usr/bin/env bash
# Triclinic cells from the command line: cells of every shape, the same lattice by another cell, what is refused, and kernels that are wrong
# in them. (test_each_kernel has every variant in one that leans.)
. "$2/lib.sh" || exit 1

few=(sorted_cells sorted_cells_screened cell_star linked_cells_by_pair list_walk)
all_pass 'cells that are many' --variant "$(IFS=,; echo "${few[*]}")" --kind fluid@75:100:60 --n 1000 --cutoff 1.6 \
    --precision float --outputs virial
all_pass 'cells smaller than the cutoff' --variant sorted_cells --tune CELLS_PER_CUTOFF=3 \
    --kind fluid@130:110:100 --n 500 --cutoff half --precision double --outputs virial
all_pass 'a box judged by a sample' --variant all_pairs_loop --kind fluid@75:100:60 --n 1200 --cutoff 2 --precision float \
    --outputs virial --judge-all-below 1000 --judge-sample 50
all_pass 'in double' --variant all_pairs_loop,all_pairs_half --kind fluid@75:100:60,plate@90:90:60 --n 130 --precision double --outputs virial
switching=rational:r0=0.9,n=6,m=12,dmax=1.2
all_pass 'pairs' --interaction $switching --kind fluid@75:100:60 --n 130 --ratio 65:65 --pairs --precision double

# ---- the same lattice by another cell ----
"$pairmark" box cubic --n 343 -o straight.xyz || exit 1 # an edge of 7
sed '2s/Lattice="7 0 0 0 7 0 0 0 7"/Lattice="7 0 0 7 7 0 -7 7 7"/' straight.xyz >leaning.xyz
check 'the cell is another' grep -q '7 0 0 7 7 0 -7 7 7' leaning.xyz
for box in straight leaning; do
    expect 0 eval --variant all_pairs_loop --box $box.xyz --cutoff 1.4 --json --forces $box.forces.xyz
    cp out $box.json
done
check 'the same energy' near "$(json .energy leaning.json)" "$(json .energy straight.json)" 1e-13
check 'the same virial' near "$(json '.virial[1]' leaning.json)" "$(json '.virial[1]' straight.json)" 1e-11
check 'eval shows the cell' [ "$(json '.cell | map(. + 0) | tostring' leaning.json | sed 's/\.0//g')" = '[7,0,0,7,7,0,-7,7,7]' ]
check 'an orthorhombic one has none' [ "$(json .cell straight.json)" = null ]
paste -d ' ' straight.forces.xyz leaning.forces.xyz | awk 'NR > 2 {
    for (k = 5; k <= 7; k++) { d = $k - $(k + NF / 2); if (d < -1e-10 || d > 1e-10) wrong++; seen++ }
} END { exit !(seen == 1029 && !wrong) }' && pass || complain 'the forces differ'

# ---- the same box turned: x, y, z become y, z, x ----
sed '2s/7 0 0 7 7 0 -7 7 7/0 7 0 0 7 7 7 -7 7/' leaning.xyz | awk '
    NR > 2 { x = $2; $2 = $4; $4 = $3; $3 = x }
    { print }' >turned.xyz
expect 0 eval --variant all_pairs_loop --box turned.xyz --cutoff 1.4 --json --forces turned.forces.xyz
check 'turned, the same energy' near "$(json .energy)" "$(json .energy straight.json)" 1e-13
strength() { awk 'NR > 2 { printf "%.9f\n", sqrt($5 * $5 + $6 * $6 + $7 * $7) }' "$1"; }
check 'turned, forces as strong' cmp -s <(strength turned.forces.xyz) <(strength straight.forces.xyz)

# ---- a cell in any position ----
printf '2\nLattice="0 5 5 5 0 5 5 5 0" Properties=species:S:1:pos:R:3\nA 0 0 0\nA 1.1 0 0\n' >turned.xyz
expect 0 eval --variant all_pairs_tile --box turned.xyz --cutoff 2.5
check 'it is told' out 'rotated          the file'
check 'with its angles' out 'angles           60 60 60'

# ---- vectors of either hand: the same lattice, and shifts by the vectors of the file ----
# lattice V1 V2 V3 [PBC]: leaning.xyz by these of its vectors, 1 to 3, or -1 to -3, reversed
lattice() {
    awk -v v="$1 $2 $3" -v pbc="${4:-T T T}" 'NR == 2 {
            match($0, /Lattice="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), m, " ")
            split(v, which, " ")
            for (i = 1; i <= 3; i++) for (k = 1; k <= 3; k++) {
                row = which[i] < 0 ? -which[i] : which[i]
                words = words " " (which[i] < 0 ? -1 : 1) * m[3 * row - 3 + k]
            }
            printf "Lattice=\"%s\" Properties=species:S:1:pos:R:3 pbc=\"%s\"\n", substr(words, 2), pbc; next
        } { print $1, $2, $3, $4 }' any.xyz >hand.xyz
}
# listed V1 V2 V3: entries of the list, i j and the vector from i to j by shifts and the vectors of hand.xyz, in order
listed() {
    lattice "$@"
    exits 0 eval --workload neighbours --variant neighbours_cells --box hand.xyz --cutoff 3 --precision double --json || complain "$*"
    jq -r '.entries[] | @tsv' out | awk 'NR == FNR { if (FNR == 2) { match($0, /Lattice="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), m, " ") }
            else if (FNR > 2) for (k = 1; k <= 3; k++) x[FNR - 2, k] = $(k + 1); next }
        { printf "%d %d", $1, $2; for (k = 1; k <= 3; k++) printf " %.3f", x[$2, k] - x[$1, k] + $3 * m[k] + $4 * m[3 + k] + $5 * m[6 + k] + 1e-9; print "" }' hand.xyz - | sort
}
expect 0 box fluid@70:80:100 --n 60 --density 0.2 -o any.xyz
listed 1 2 3 >right
check 'there are entries across faces' [ "$(wc -l <right)" -gt 100 ]
for hand in '1 2 -3' '-1 2 3' '1 -2 3' '-1 -2 -3' '-1 -2 3'; do
    read -r a b c <<<"$hand"
    listed "$a" "$b" "$c" >other
    check "entries by vectors $hand" cmp -s right other
done
energy_of() {
    exits 0 eval --variant sorted_cells --box hand.xyz --cutoff 2.5 --precision double --outputs virial "$@" || complain "hand.xyz $*"
    sed -n 's/^energy *//p' out
}
lattice 1 2 3
right=$(energy_of)
lattice 2 1 3
near "$(energy_of)" "$right" 1e-12 || complain 'exchanged vectors are another lattice'
lattice 2 1 3 'F F F'
open=$(energy_of)
lattice 1 2 3 'F F F'
near "$open" "$(energy_of)" 1e-12 || complain 'an open box by exchanged vectors is another'
# A trajectory, unwrapped by the vectors of the file that was written.
unwrapped() { # unwrapped FILE: of its last frame
    awk -v n=60 '/Lattice/ { match($0, /Lattice="[^"]*"/); split(substr($0, RSTART + 9, RLENGTH - 10), m, " "); row = 0; next }
        NF > 4 { row++; for (k = 1; k <= 3; k++) x[row, k] = $(k + 1) + $(NF - 2) * m[k] + $(NF - 1) * m[3 + k] + $NF * m[6 + k] }
        END { for (i = 1; i <= n; i++) printf "%.6f %.6f %.6f\n", x[i, 1] + 1e-9, x[i, 2] + 1e-9, x[i, 3] + 1e-9 }' "$1"
}
for hand in '1 2 3' '1 2 -3'; do
    read -r a b c <<<"$hand"
    lattice "$a" "$b" "$c"
    run=(run --cutoff 2.5 --dt 0.002 --precision double --device opencl:0:0)
    expect 0 "${run[@]}" --box hand.xyz --temperature 20 --steps 800 --trajectory "run$c.xyz"
    unwrapped "run$c.xyz" >"unwrapped$c"
    check 'some left the cell' awk 'NF > 4 { for (k = NF - 2; k <= NF; k++) if ($k ~ /^-?[1-9]$/) found = 1 } END { exit !found }' "run$c.xyz"
done
check 'the vectors of the file are written' grep -qE '^Lattice="[^"]* -[0-9.]+"' run-3.xyz
check 'trajectories are the same' cmp -s unwrapped3 unwrapped-3

# ---- limits ----
expect 2 check --variant all_pairs_tile --kind fluid@60:60:60 --n 100 --cutoff 2.4
check 'the least height is named' err 'is more than half the least height of the cell of the fluid@60:60:60 box of n = 100'
expect 2 eval --variant all_pairs_tile --box leaning.xyz --cutoff 3
check 'vectors that lean less are named' err 'the vectors a, b - a, c + 2 a - b span the same lattice and would allow 3.5'
expect 2 check --interaction rational:r0=1,dmax=inf --kind fluid@60:60:60 --n 100
check 'a coordination needs a dmax' err 'no dmax, and the cell of the fluid@60:60:60 box of n = 100 is triclinic'
expect 2 check --kind fluid@60:60 --n 100
check 'three angles' err "--kind: the angles '60:60'; expected three numbers"
expect 0 check --variant all_pairs_tile --kind fluid@60:60:60 --n 100 --cutoff half --precision float --outputs forces

# ---- kernels that know orthorhombic cells alone ----
loop=$tests/../variants/forces/all_pairs_loop.cl
sed -e 's/all_pairs_loop/plain/' -e '/@boxes/d' "$loop" >plain.cl
expect 2 eval --variant-file plain.cl --variant plain --kind fluid@60:60:60 --n 100
check 'one that does not say so is left out' err 'plain takes no triclinic cells (it does not say @boxes triclinic)'
sed -e 's/all_pairs_loop/edges/' -e 's/box_args box,/real4 edge, real4 inverse_edge,/' \
    -e 's/displacement(\(.*\), box)/nearest_difference(\1, edge, inverse_edge)/' "$loop" >edges.cl
expect 1 check --variant-file edges.cl --variant edges --kind fluid@60:60:60 --n 100 --precision float --outputs forces
check 'one that says so and takes the edges alone does not compile' said nearest_difference
sed -e 's/all_pairs_loop/upright/' -e 's/displacement(\(.*\), box)/straight(\1, box)/' \
    -e '/^KERNEL/i DEVICE real one(real d, real edge) { return d - edge * RINT(d / edge); }\nDEVICE real4 straight(real4 a, real4 b, box_args box) {\n  const real x = one(a.x - b.x, box.edge.x), y = one(a.y - b.y, box.edge.y), z = one(a.z - b.z, box.edge.z);\n  return make_real4(x, y, z, x * x + y * y + z * z);\n}' \
    "$loop" >upright.cl
expect 0 eval --variant-file upright.cl --variant upright --kind fluid --n 100 --precision float --outputs forces
expect 1 eval --variant-file upright.cl --variant upright --kind fluid@80:80:80 --n 100 --precision float --outputs forces
check 'one that takes the images of another cell is wrong' said wrong

conclude
