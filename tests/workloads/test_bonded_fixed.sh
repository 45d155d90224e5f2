#!/usr/bin/env bash
# Kernels of bonded terms where they could go wrong: in fixed point the same bits from term by term and from buffers, in any order; particles
# on one line, where angles have no derivative; boxes of proteins and their terms.
. "$2/lib.sh" || exit 1
evaluated() { # evaluated FILE VARIANT...
    exits 0 eval --workload bonded --kind proteins --n 130 --precision fixed --outputs virial --forces "$1" --variant "${@:2}"
}
check 'by atomics' evaluated atomic bonded_atomic
check 'by buffers' evaluated buffers bonded_buffers
check 'particle by particle' evaluated gather bonded_gather
check 'in buffers the same bits' cmp -s atomic buffers
check 'and per particle' cmp -s atomic gather

# 4 bonds, 5 angles, 8 torsions and one of Ryckaert and Bellemans per residue of four particles; the last ones have fewer.
expect 0 box proteins --n 130 -o p.xyz --terms p
count() { grep -c '^[0-9]' "p.$1.csv"; }
check "as many bonds as particles less molecules: $(count bonds)" [ "$(count bonds)" = "$((130 - $(awk 'NR > 2 { print $5 }' p.xyz | sort -u | wc -l)))" ]
check "torsions: $(count torsions)" [ "$(count torsions)" -gt 180 ]

# Particles on one line, in one place, across it by little: every way of adding agrees with the reference in every precision.
bonded_line
expect 0 check --box line.xyz "${terms[@]}" --precision float,double --outputs virial
says out '8 passed, 0 failed'

# On lines along no axis, where a product that is fused into a difference leaves its rounding behind: an energy, no force.
cat >diagonal.xyz <<END
7
Properties=species:S:1:pos:R:3 pbc="F F F"
C 0.1 0.1 0.1
C 0.2 0.2 0.2
C 0.3 0.3 0.3
C 1 0 0
C 0.1 0.2 0.3
C 0 0 0
C 0.2 0.4 0.6
END
printf 'i,j,k,force_constant,theta0_degrees\n5,6,7,20,50\n' >three.csv
printf 'i,j,k,l,force_constant,multiplicity,phi0_degrees\n1,2,3,4,3,1,30\n4,3,2,1,2,6,-50\n' >four.csv
printf 'i,j,k,l,c0,c1,c2,c3,c4,c5\n1,2,3,4,1,2,3,4,5,6\n' >four.rb.csv
diagonal=(--box diagonal.xyz --angles three.csv --torsions four.csv --rb-torsions four.rb.csv)
for way in 'bonded_gather float' 'bonded_gather double' 'bonded_atomic mixed' 'bonded_buffers fixed'; do
    expect 0 eval --variant "${way% *}" --precision "${way#* }" "${diagonal[@]}" --json --forces pushed.xyz
    check "$way: theta and phi are 0" near "$(json .energy)" 13.499086925394108 1e-6
    check "$way: no force" [ "$(awk 'NR > 2 && $NF == 0 && $(NF - 1) == 0 && $(NF - 2) == 0' pushed.xyz | wc -l)" = 7 ]
done

# Terms that are nearly degenerate, in cells that lean.
for cell in 115:80:110 90:90:120; do
    expect 0 check --workload bonded --kind degenerate@$cell --n 4099 --precision float,fixed --outputs virial --seed 5000001
    says out '16 passed, 0 failed, 0 unsupported'
done
conclude
