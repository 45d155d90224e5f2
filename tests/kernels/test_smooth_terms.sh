#!/usr/bin/env bash
# Terms that end smoothly (lj-shift, lj-switch, reaction-field, coulomb-shift) from the command line: right in sums and with types, zero where they end; and 1-4 pairs.
. "$2/lib.sh" || exit 1
salt=(--kind salt --n 216 --cutoff 2.4 --variant all_pairs_loop --precision float,double --reduction tree --outputs virial)
all_pass "with types" "${salt[@]}" --interaction lj-switch+reaction-field:inner=1.5,outer=2.2,rc=2.3,epsilon.Na=0.4,sigma.Cl=0.9
all_pass "to the cutoff" "${salt[@]}" --interaction lj-shift+coulomb-shift:zero=2.4,rc=2.4,coulomb=3
printf 'type_a,type_b,function,epsilon,sigma,inner,outer\nNa,Cl,lj-switch,0.7,0.9,1.2,1.9\nNa,Na,lj-switch,1,0.8,1.5,2.3\n' >types.csv
all_pass "by a table" "${salt[@]}" --interaction lj-switch+ewald-real:alpha=0.9 --table types.csv

# two particles just within the end: neither energy nor force is left, but for what a dielectric leaves
for words in lj-shift:zero=1.5 lj-switch:inner=1.2,outer=1.5 reaction-field:rc=1.5 reaction-field:rc=1.5,dielectric=0 coulomb-shift:rc=1.5; do
    printf '2\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3:charge:R:1\nA 1 1 1 1\nA 2.4999999 1 1 -1\n' >two.xyz
    expect 0 eval --box two.xyz --cutoff 2 --variant all_pairs_loop --precision double --interaction "$words" --forces forces.xyz --json
    check "no energy at the end of $words" awk -v e="$(field energy)" 'BEGIN { exit !(e != "" && e * e < 1e-12) }'
    force=$(awk 'NR == 3 { print $7 }' forces.xyz)
    case $words in
    lj-shift*) ;;
    reaction-field:rc=1.5) check "the rest of the force" near "$force" 0.0084389 1e-5 ;;
    *) check "no force at the end of $words" awk -v f="$force" 'BEGIN { exit !(f != "" && f * f < 1e-12) }' ;;
    esac
done

# refused
refuses 'interaction lj-switch: inner = 3, outer = 2.5; expected inner less than outer' check --interaction lj-switch:inner=3,outer=2.5
refuses 'rc must be greater than 0' check --interaction reaction-field:rc=0
refuses 'has no parameter "cutoff"' check --interaction coulomb-shift:rc=2,cutoff=2

# 1-4 pairs with energies of their own: bonds whose energy is written, as docs/interactions.md has them
expect 0 box chains --n 40 -o chains.xyz --terms chains
{ printf 'energy = qq/r + 4*epsilon*((sigma/r)^12 - (sigma/r)^6)\ni,j,qq,epsilon,sigma\n'
    awk -F, '/^[0-9]/ { print $1 "," $4 ",-0.2,0.5,0.6" }' chains.torsions.csv; } >pairs.csv
check "some 1-4 pairs" [ "$(wc -l <pairs.csv)" -gt 12 ]
all_pass "1-4 pairs" --workload bonded --box chains.xyz --bonds pairs.csv --variant bonded_gather --precision float,double --reduction tree
conclude
