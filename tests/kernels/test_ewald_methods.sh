#!/usr/bin/env bash
# The methods of ewald-real (tunable ERFC_BY) from the command line: right in every range of their fits, said in rows, refused where none is asked for.
. "$2/lib.sh" || exit 1
water=(--kind water --n 600 --cutoff 8 --exclude molecule --table "$tests/../share/water/water.csv")
ewald() { echo "lj+ewald-real:alpha=$1,coulomb=1389.35457644"; }

# alpha times the cutoff: without screening, both fits, and beyond them
for alpha in 0 0.35 0.54 1; do
    all_pass "alpha $alpha" "${water[@]}" --interaction "$(ewald $alpha)" --variant all_pairs_loop --tune ERFC_BY=1,3 --precision float,double \
        --outputs virial --reduction tree
done
all_pass "without a cutoff" --kind salt --n 64 --cutoff none --open --interaction ewald-real:alpha=0.3 --variant all_pairs_loop --tune ERFC_BY=1,3 --reduction tree
all_pass "over lists" "${water[@]}" --interaction "$(ewald 0.35)" --variant list_clusters,clusters_8x8 --tune ERFC_BY=1 \
    --precision mixed,double --outputs forces

# rows say which, and eval computes by it
evaluated=(eval "${water[@]}" --interaction "$(ewald 0.35)" --variant all_pairs_loop --precision double --json)
expect 0 "${evaluated[@]}"
energy=$(field energy_coulomb)
expect 0 "${evaluated[@]}" --tune ERFC_BY=1
check "the same energy" near "$(field energy_coulomb)" "$energy" 1e-12
check "not the same method" [ "$(field energy_coulomb)" != "$energy" ]
expect 0 bench --no-plot --visits 1 --twins 0 --samples-min 3 --samples-max 3 --kind salt --n 64 --cutoff 2 --interaction ewald-real --variant all_pairs_loop \
    --tune ERFC_BY=3 --precision float --outputs forces -o rows
check "in the row" grep -q 'ERFC_BY=3' rows/rows.csv

# refused
refuses '--tune ERFC_BY: no interaction here has it' check --interaction lj --tune ERFC_BY=1
refuses '--tune: ERFC_BY=7; expected 0 to 3' check --interaction ewald-real --tune ERFC_BY=7
sed 's/^ \* @tunable .*/ * @tunable ERFC_BY 0 1/' "$tests/../variants/forces/list_walk.cl" >own.cl
refuses '@tunable ERFC_BY: every variant has it where an interaction declares it' check --variant-file own.cl

# the coefficients are those of the script
if python3 -c 'import mpmath' 2>/dev/null; then
    for quantity in force energy; do
        "$tests/../scripts/ewald_fits" --only float_${quantity}_near >fits
        check "fits of the $quantity" [ "$(grep -c FMA fits)" -gt 20 ]
        check "in the text" [ -z "$(grep -vxF -f "$tests/../variants/interactions/ewald-real.cl" fits)" ]
    done
fi
conclude
