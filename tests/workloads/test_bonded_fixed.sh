#!/usr/bin/env bash
# Bonded terms in fixed point: the same bits from term by term and from buffers, in any order; boxes of proteins and their terms.
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
conclude
