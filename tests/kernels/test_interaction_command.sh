#!/usr/bin/env bash
# Interactions from the command line: sums, tables, exclusions, what eval prints, what is refused; and the gate over every function.
. "$2/lib.sh" || exit 1

# adds_up: energy = energy_vdw + energy_coulomb, all of them there
adds_up() {
    awk -v e="$(field energy)" -v v="$(field energy_vdw)" -v c="$(field energy_coulomb)" \
        'BEGIN { d = e - v - c; exit !(e != "" && v * v > 0 && c * c > 0 && d * d <= 1e-24 * e * e) }'
}
salt=(--kind salt --n 125 --cutoff 2)
loop=(eval --variant all_pairs_loop "${salt[@]}")

# ---- what is printed ----
check "a sum of both kinds" exits 0 "${loop[@]}" --interaction lj+ewald-real:alpha=0.9,coulomb=14.399645 --json
check "tells both energies, which add up" adds_up
check "in words" exits 0 "${loop[@]}" --interaction lj+ewald-real --outputs energy
check "too" out energy_coulomb
check "one kind alone" exits 0 "${loop[@]}" --interaction ewald-real --json
check "has one energy" [ "$(field energy_vdw)$(field energy_coulomb)" = "" ]

# ---- tables ----
printf 'type_a,type_b,function,epsilon,sigma\nNa,Na,lj,1,1\nNa,Cl,lj,1,1\nCl,Cl,lj,1,1\n' >"$work/same.csv"
check "lj" exits 0 "${loop[@]}" --interaction lj --json
energy=$(field energy)
check "a table that says the same of all pairs" exits 0 "${loop[@]}" --interaction lj --table "$work/same.csv" --json
check "gives the same" [ "$(field energy)" = "$energy" ]
check "mixing of equal types" exits 0 "${loop[@]}" --interaction lj:sigma.Na=1,epsilon.Cl=1 --json
check "gives the same" [ "$(field energy)" = "$energy" ]
sed -i 's/^Na,Cl,.*//' "$work/same.csv"
check "a pair of types left out" exits 0 "${loop[@]}" --interaction lj+ewald-real --table "$work/same.csv" --json
check "is another energy" [ "$(field energy_vdw)" != "$energy" ]

# ---- exclusions ----
printf '2\n8 8 8\nNa 1 1 1\nCl 2 1 1\n' >"$work/two.xyz"
printf '2 1\n' >"$work/pair.txt"
two=(eval --variant all_pairs_loop --box "$work/two.xyz" --cutoff 2.5 --json)
check "two particles" exits 0 "${two[@]}"
check "are a pair" [ "$(field pairs_in_cutoff) $(json '.energy == 0')" = '1 true' ] # sigma apart
check "buckingham between them" exits 0 "${two[@]}" --interaction buckingham
check "acts" [ "$(json '.energy == 0')" = false ]
check "but not where excluded" exits 0 "${two[@]}" --interaction buckingham --exclude "$work/pair.txt"
check "while the box's pairs are what they were" [ "$(field pairs_in_cutoff) $(json '.energy == 0')" = '1 true' ]
cat >"$work/molecules.xyz" <<END
3
Lattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3:molecule:I:1
O 1 1 1 5
H 2 1 1 5
O 4 1 1 -6
END
mol=(eval --variant all_pairs_loop --box "$work/molecules.xyz" --cutoff 4 --interaction buckingham --exclude molecule --json)
check "molecules" exits 0 "${mol[@]}" --forces "$work/forces.xyz"
check "are kept in files" grep -q 'molecule:I:1' "$work/forces.xyz"
check "with their numbers" [ "$(awk 'NR == 5 { print $5 }' "$work/forces.xyz")" = -6 ]
sed -i 's/ -6$/ 1.5/' "$work/molecules.xyz"
refuses "molecules.xyz:5: the molecule is '1.5'; expected a whole number" "${mol[@]}"

# ---- what is refused ----
refuses "--table: $work/none.csv" "${loop[@]}" --table "$work/none.csv"
printf 'type_a,type_b,function,epsilon,sigma\nNa,Xe,lj,1,1\n' >"$work/bad.csv"
refuses "bad.csv:2: the box has no type \"Xe\"; expected one of Na, Cl" "${loop[@]}" --table "$work/bad.csv"
printf 'type_a,type_b,function,epsilon,sigma\nNa,Cl,lj,1,-1\n' >"$work/bad.csv"
refuses "bad.csv:2: sigma must be greater than 0" "${loop[@]}" --table "$work/bad.csv"
printf 'type_a,type_b,function,epsilon,sigma,cutoff\nNa,Cl,lj,1,1,2.1\n' >"$work/bad.csv"
refuses "bad.csv:2: the cutoff 2.1 of types Na and Cl is longer than the case's, 2; expected a cutoff of at least 2.1" "${loop[@]}" --table "$work/bad.csv"
refuses "sigma of lj is given with the interaction's name, too; expected it in one place" "${loop[@]}" --table "$work/same.csv" --interaction lj:sigma=1
refuses "no van der Waals function" "${loop[@]}" --table "$work/same.csv" --interaction ewald-real
refuses "the cutoff 2.5 of lj is longer than the case's, 2" "${loop[@]}" --interaction lj:cutoff=2.5
refuses "longer than the case's" eval --variant all_pairs_loop --n 20 --interaction lj:cutoff=2.4
refuses "the box has no type \"K\"" "${loop[@]}" --interaction lj:sigma.K=1
printf '1 126\n' >"$work/pair.txt"
refuses "pair.txt:1: there is no particle 126; the box has 125" "${loop[@]}" --exclude "$work/pair.txt"
printf '\n7 7\n' >"$work/pair.txt"
refuses "pair.txt:2: particle 7 is paired with itself" "${loop[@]}" --exclude "$work/pair.txt"
refuses "says no molecules" "${loop[@]}" --exclude molecule
refuses "--table: given twice" "${loop[@]}" --table a --table b
refuses "bad.csv" check "${salt[@]}" --table "$work/bad.csv"

# A variant that does not ask for PAIR_PARAMETERS runs what needs none, and says so of the rest.
cat >"$work/plain.cl" <<'END'
/*
 * plain — takes no pair parameters
 *
 * @workload  forces
 * @structure none
 * @pass      plain item per particle
 */
KERNEL void plain(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                  GLOBAL accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    accum4 f = make_accum4(0, 0, 0, 0);
    for (int j = 0; i < n && j < n; j++) {
        const real dx = nearest_image(position[i].x - position[j].x, edge.x, inverse_edge.x);
        const real dy = nearest_image(position[i].y - position[j].y, edge.y, inverse_edge.y);
        const real dz = nearest_image(position[i].z - position[j].z, edge.z, inverse_edge.z);
        const real r2 = dx * dx + dy * dy + dz * dz;
        if (i != j && r2 <= cutoff2) {
            pair_energy energy = NO_ENERGY;
            const real f_over_r = PAIR_FORCE(r2, position[i], position[j], i, j, &energy);
            f.x += f_over_r * dx;
            f.y += f_over_r * dy;
            f.z += f_over_r * dz;
        }
    }
    if (i < n) {
        force[i] = f;
    }
}
END
printf '1 2\n' >"$work/pair.txt"
plain=(check --variant-file "$work/plain.cl" "${salt[@]}" --precision double --outputs forces -v)
check "a variant without PAIR_PARAMETERS" exits 0 "${plain[@]}" --interaction lj+ewald-real:alpha=0.9
check "cannot exclude" exits 3 "${plain[@]}" --exclude "$work/pair.txt"
check "and says why" out "plain takes no PAIR_PARAMETERS"

# ---- where the table of types lies ----
refuses "TYPE_TABLE: no interaction here has types" "${loop[@]}" --tune TYPE_TABLE=1
typed=(--interaction 'lj:epsilon.Na=0.5,sigma.Cl=0.9')
refuses "TYPE_TABLE=3; expected 0 (read-only global memory), 1 (constant) or 2 (local)" "${loop[@]}" "${typed[@]}" \
    --tune TYPE_TABLE=1,3
refuses "TYPE_TABLE=0.5" "${loop[@]}" "${typed[@]}" --tune TYPE_TABLE=0.5
sed 's/@pass/@tunable TYPE_TABLE 1 2\n * @pass/' "$work/plain.cl" >"$work/own.cl"
refuses "@tunable TYPE_TABLE: every variant has it" eval --variant-file "$work/own.cl"
sed 's/force)$/force PAIR_PARAMETERS)/' "$work/plain.cl" >"$work/late.cl"
late=(check --variant-file "$work/late.cl" "${salt[@]}" --precision double --outputs forces "${typed[@]}" -v)
check "a kernel without SUM_SCRATCH" exits 0 "${late[@]}" --tune TYPE_TABLE=0,1
check "takes a table" out "TYPE_TABLE=1:"
check "but stages none" exits 3 "${late[@]}" --tune TYPE_TABLE=2
check "and says why" out "expected both or neither"
# More types than fit: 900 of them take 19 MB in double precision. They lie 3 apart, within the cutoff.
awk 'BEGIN { n = 900; print n; print "Lattice=\"40 0 0 0 40 0 0 0 40\" Properties=species:S:1:pos:R:3"
    for (i = 0; i < n; i++) print "T" i, i % 11 * 3, int(i / 11) % 11 * 3, int(i / 121) * 3 }' >"$work/many.xyz"
many=(check --box "$work/many.xyz" --cutoff 3.5 --variant all_pairs_loop --interaction lj:epsilon.T7=2 --precision double
    --outputs forces -v)
check "a large table" exits 0 "${many[@]}" --tune TYPE_TABLE=0
check "beyond constant and local memory" exits 3 "${many[@]}" --tune TYPE_TABLE=1,2
check "is unsupported, both" [ "$(grep -c '^unsupported' "$work/out")" -eq 2 ]
check "for want of constant memory" out "TYPE_TABLE=1: the table of 900 types takes 12960000 bytes"
check "and of local memory" out "of local memory"
# The gate where helpers are handed the table, in a box of two and of three cells an edge: sums in double.
"$pairmark" box salt --n 216 --density 0.421875 -o "$work/cells.xyz" || exit 1 # an edge of 8
check "every place of the table" exits 0 check --box "$work/cells.xyz" --cutoff 3.9,2.6 --precision mixed \
    --variant cell_star,cell_pairs_two_pass --outputs virial --tune TYPE_TABLE=1,2 --json \
    --interaction lj+ewald-real:epsilon.Na=0.5,alpha=0.9
check "is 8 cases" grep -q '"passed": *8,' "$work/out"

# ---- the gate: every function. (test_each_kernel has every variant with a sum of functions.) ----
functions='buckingham;born-mayer-huggins;ewald-real:alpha=0.9;lj+ewald-real:alpha=0.9,lj.cutoff=1.5'
check "every function" exits 0 check "${salt[@]}" --variant all_pairs_half --precision float --outputs virial \
    --interaction "$functions" --json
# The bounds are for any device: the right kernels of this one stay well below them.
worst=$(sed -n 's/.*"worst_ratio": *\([^,]*\),*/\1/p' "$work/out" | sort -g | tail -n 1)
check "is far from the gate's bounds: $worst" awk -v w="$worst" 'BEGIN { exit !(w > 0 && w < 0.5) }'
# In SI units C is 1e-77 J m^6: nothing that float can hold, whatever the kernel.
awk 'BEGIN { print 8; print "Lattice=\"2e-9 0 0 0 2e-9 0 0 0 2e-9\" Properties=species:S:1:pos:R:3"
             for (i = 0; i < 8; i++) print "A", i % 2 * 4e-10, int(i / 2) % 2 * 4e-10, int(i / 4) * 4e-10 }' >"$work/si.xyz"
si=(check --box "$work/si.xyz" --variant all_pairs_loop --interaction buckingham:A=1.69e-15,rho=2.73e-11,C=1.02e-77
    --cutoff 9e-10 --outputs virial -v)
check "SI units in double" exits 0 "${si[@]}" --precision double
check "SI units in float are not called wrong" exits 0 "${si[@]}" --precision float,double
check "but unsupported, and why" grep -qE '^unsupported .*parameter C=1.02e-77 is beyond the range of float' out
printf 'type_a,type_b,function,A,rho,C\nA,A,buckingham,1.69e-15,2.73e-11,1.02e-77\n' >"$work/si.csv"
si_table=(check --box "$work/si.xyz" --variant all_pairs_loop --interaction buckingham --table "$work/si.csv" --cutoff 9e-10
    --outputs virial -v --tune TYPE_TABLE=0,2)
check "a table in SI units in double" exits 0 "${si_table[@]}" --precision double
check "in float it is not called wrong" exits 0 "${si_table[@]}" --precision float,mixed,double
check "but unsupported, and why" grep -qE '^unsupported .*/float/.*a value for types, 1.02e-77, is beyond the range of float' out

conclude
