#!/usr/bin/env bash
# Bonded terms as pieces of kernel text, in OpenMM's form: the examples are the built-in forms, wrong forces and wrong texts
# are refused.
. "$2/lib.sh" || exit 1
cp "$tests"/../share/interactions/*.omm .
expect 0 box chains --n 60 -o chains.xyz --terms c
radians() { awk -F, -v column="$1" -v OFS=, '/^[0-9]/ { $column = sprintf("%.17g", $column * 3.14159265358979323846 / 180); print }' "$2"; }
cosines() { awk -F, -v OFS=, '/^[0-9]/ { $5 = sprintf("%.17g", cos($5 * 3.14159265358979323846 / 180)); print }' "$1"; }
{ printf 'energy = kernel "bond.omm"\ni,j,k,r0\n'; grep '^[0-9]' c.bonds.csv; } >bonds.csv
{ printf 'energy = kernel "angle.omm" # beside this file\ni,j,k,k,cosine0\n'; cosines c.angles.csv; } >angles.csv
{ printf 'energy = kernel "torsion.omm"\ni,j,k,l,k,n,phi0\n'; radians 7 c.torsions.csv; } >torsions.csv

# ---- right texts: eval compares with the reference, and ends with 1 where they differ ----
expect 0 eval --box chains.xyz --variant bonded_gather --precision double --bonds c.bonds.csv --torsions c.torsions.csv --json
energy=$(field energy)
expect 0 eval --box chains.xyz --variant bonded_gather --precision double --bonds bonds.csv --torsions torsions.csv --json
check "bonds and torsions as texts: $(field energy), $energy" near "$(field energy)" "$energy" 1e-12
expect 0 eval --box chains.xyz --variant bonded_atomic --precision float --bonds bonds.csv --angles angles.csv --torsions torsions.csv --rb-torsions c.rb_torsions.csv
says out '(reference, 52 terms)'

# ---- what a text finds of its particles: the same in all orders of terms and particles ----
cat >atoms.omm <<'END'
/* @parameter P float2 k r0
 * @argument q "q.dat" */
real3 delta = make_real3(pos2.x-pos1.x, pos2.y-pos1.y, pos2.z-pos1.z);
real r = SQRT(dot(delta, delta));
real k = P[index].x*q[atom1]*q[atom2]*(atom2 > atom1 ? 1 : 2);
energy += 0.5f*k*(r-P[index].y)*(r-P[index].y);
real3 force1 = delta*(k*(r-P[index].y)/r);
real3 force2 = -force1;
END
seq 60 | awk '{ print 0.5 + $1 % 7 }' >q.dat
{ printf 'energy = kernel "atoms.omm"\ni,j,k,r0\n'; grep '^[0-9]' c.bonds.csv | awk -F, -v OFS=, 'NR % 3 == 0 { t = $1; $1 = $2; $2 = t } 1'; } >atoms.csv
awk -F, -v OFS=, 'NR == FNR { q[NR - 1] = $1; next } /^[0-9]/ { $3 = sprintf("%.17g", $3*q[$1 - 1]*q[$2 - 1]*($2 > $1 ? 1 : 2)); print }' q.dat atoms.csv >by_hand.csv
sed -i '1i i,j,k,r0' by_hand.csv
expect 0 eval --box chains.xyz --variant bonded_gather --precision double --bonds by_hand.csv --json
energy=$(field energy)
for variant in bonded_gather bonded_atomic bonded_buffers; do
    expect 0 eval --box chains.xyz --variant "$variant" --precision double --bonds atoms.csv --json
    check "$variant: particles told: $(field energy), $energy" near "$(field energy)" "$energy" 1e-12
done
expect 0 check --box chains.xyz --variant bonded_gather,bonded_atomic,bonded_buffers --precision float,fixed --outputs virial --bonds atoms.csv

# ---- wrong forces: the energy says what they should be ----
sed 's/force3 = dEd/force3 = 0.999f*dEd/' angle.omm >mutant.omm
sed 's/angle.omm/mutant.omm/' angles.csv >mutant.csv
expect 1 eval --box chains.xyz --variant bonded_gather --precision double --angles mutant.csv
says err 'out of tolerance: 168 of 180 force components'

# ---- what is refused ----
refuses_text() { # refuses_text TEXT HEADER WORDS: exit status 2, and the words on stderr
    printf '%s\n' "$1" >bad.omm
    printf 'energy = kernel "bad.omm"\n%s\n1,2,300,1\n' "$2" >bad.csv
    refuses "$3" eval --box chains.xyz --variant bonded_gather --bonds bad.csv
}
refuses_text 'energy += pos2.x*pos2.x + PARAM;' i,j,k,r0 'bad.csv:2: no @parameter of bad.omm has the column '"'k'"
refuses_text '/* @parameter P real2 k r */' i,j,k,r0 "bad.omm:1: the terms' file has no column 'r'"
refuses_text '/* @parameter P real5 k */' i,j,k,r0 'bad.omm:1: expected: @parameter NAME TYPE COLUMN'
refuses_text '/* @parameter pos1 real k */' i,j,k,r0 "'pos1' is named twice, or has a meaning of its own"
refuses_text '/* @dEdR derivative */' i,j,k,r0 'bad.omm:1: expected @parameter, @argument or @define'
refuses_text '/* @parameter P real2 k r0 */ energi += P[index].x;' i,j,k,r0 "bad.omm:1: nothing is named 'energi'; the nearest is 'energy'"
refuses_text '/* @parameter P real2 k r0 */ energy += P[index].x;' i,j,k,r0 'expected a declaration "real3 force1 = ..."'
printf 'energy = kernel "nobody.omm"\ni,j\n1,2\n' >bad.csv
refuses 'bad.csv:1: nobody.omm' eval --box chains.xyz --variant bonded_gather --bonds bad.csv
printf 'energy = kernel "bond.omm" + 1\ni,j\n1,2\n' >bad.csv
refuses 'bad.csv:1: expected energy = kernel "FILE", and nothing after it' eval --box chains.xyz --variant bonded_gather --bonds bad.csv

conclude
