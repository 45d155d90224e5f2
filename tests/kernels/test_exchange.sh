#!/usr/bin/env bash
# Identical molecules change places along Hilbert's curve, and results come back in input order.
. "$2/lib.sh" || exit 1
one=(--workload step --precision float --outputs forces --variant 'verlet+all_pairs_loop')

# Molecules of three types in no order, whose pairs are excluded: each as a whole, among its like.
expect 0 check "${one[@]}" --kind brick --n 200 --exclude molecule --exchange hilbert:3
check 'whole molecules' out '2 passed, 0 failed'

# One place is pushed: the particle that sits there is another one once molecules were exchanged.
sed -e 's/^ \* verlet —/ * pushed —/; s/@forces .*/@forces all_pairs_loop/' \
    -e 's/move_from(i, \(whole_position([^)]*)\)/move_from(i, drifted(\1, make_accum4(i == 100 ? ACCUM(0.01) : ACCUM(0.0), 0, 0, 0), 1)/' \
    "$tests/../variants/step/verlet.cl" >pushed.cl
pushed() { # pushed EXCHANGE: the particle that sits at the place
    "$pairmark" check --variant-file pushed.cl --variant 'pushed+*' --workload step --precision float --outputs forces --kind fluid --n 200 \
        --steps 1 --exchange "$1" 2>&1 </dev/null | sed -n 's/.* particle \([0-9]*\),.*/\1/p' | head -n 1
}
check 'as they stand' [ "$(pushed none)" = 101 ]
there=$(pushed hilbert)
check 'another particle is there' [ "${there:-101}" != 101 ]

# ---- what is refused ----
refuses "--exchange: 'morton'; expected none, hilbert or hilbert:K" check "${one[@]}" --kind fluid --n 65 --exchange morton
expect 2 check "${one[@]}" --kind fluid --n 65 --exchange hilbert:0
refuses '--exchange: workload forces has no time steps' check --workload forces --exchange hilbert
refuses '--exchange beside --reference' run --reference --steps 5 --kind fluid --n 65 --exchange hilbert
echo '1 2' >pairs.txt
refuses 'exclusions of a file make particles distinct' eval "${one[@]}" --kind fluid --n 65 --exclude pairs.txt --exchange hilbert

conclude
