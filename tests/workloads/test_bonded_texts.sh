#!/usr/bin/env bash
# Bonded terms whose energy the file says: those of the built-in forms written down are these; what is refused and how.
. "$2/lib.sh" || exit 1
expect 0 box chains --n 200 -o chains.xyz --terms c
radians() { awk -F, -v column="$1" -v OFS=, '$1 ~ /^[0-9]/ { $column = sprintf("%.17g", $column * 3.14159265358979323846 / 180); print }' "$2"; }
{ printf 'energy = k/2*(r - r0)^2\ni,j,k,r0\n'; grep '^[0-9]' c.bonds.csv; } >bonds.csv
{ printf 'energy = half*k*d^2; d = theta - theta0; half = 0.5 # a constant of its own\ni,j,k,k,theta0\n'; radians 5 c.angles.csv; } >angles.csv
{ printf 'energy = k*(1 + cos(n*phi - phi0))\ni,j,k,l,k,n,phi0\n'; radians 7 c.torsions.csv; } >torsions.csv
written=(--bonds bonds.csv --angles angles.csv --torsions torsions.csv)

# ---- known answers: eval compares with the reference, and ends with 1 where they differ ----
expect 0 eval --box chains.xyz --variant bonded_gather --precision double --bonds c.bonds.csv --angles c.angles.csv --torsions c.torsions.csv --json
energy=$(field energy)
expect 0 eval --box chains.xyz --variant bonded_gather --precision double "${written[@]}" --json
check "harmonic and periodic terms, written: $(field energy), $energy" near "$(field energy)" "$energy" 1e-12
expect 0 eval --box chains.xyz --variant bonded_atomic --precision float "${written[@]}" --rb-torsions c.rb_torsions.csv
printf 'energy = D*(1 - exp(-a*(r - r0)))^2\ni,j,D,a,r0\n1,2,3,1.5,1.1\n2,3,3,1.5,0.9\n' >morse.csv
printf 'energy = k*abs(phi)^3 + sin(phi) + phi^2\ni,j,k,l,k\n1,2,3,4,0.3\n2,3,4,5,0.5\n' >odd.csv
expect 0 eval --box chains.xyz --variant bonded_buffers --precision float --bonds morse.csv --torsions odd.csv

# ---- what is refused ----
refuses_text() { # refuses_text FILE WORDS: exit status 2, and the words on stderr
    printf '%b' "$1" >bad.csv
    refuses "$2" eval --box chains.xyz --variant bonded_gather --bonds bad.csv
}
refuses_text 'energy = D*al*r\ni,j,D,a\n1,2,3,1\n' "bad.csv:1: column 12: nothing is named 'al'; the nearest is 'a' (expected r, a column of the file"
refuses_text '\nenergy = D*r*q1\ni,j,D\n1,2,1\n' "bad.csv:2: column 14: nothing is named 'q1'"
refuses_text 'energy = D*theta\ni,j,D\n1,2,1\n' "nothing is named 'theta'; the nearest is 'r'"
refuses_text 'energy = D*(r -\ni,j,D\n1,2,1\n' "bad.csv:1: column 16: expected a number, a name or '('"
refuses_text 'energy = D*r\ni,j,D,a\n1,2,1,2\n' "nothing that the energy needs uses 'a'"
refuses_text 'energy = D*r\ni,j,r\n1,2,1\n' "'r' has a meaning of its own"
refuses_text 'energy = D*r\ni,k,D\n1,2,1\n' 'bad.csv:2: "i,k,D"; expected the columns of particles first'
refuses_text 'energy = D*r + log(-r)\ni,j,D\n1,2,1\n' 'bad.csv:3: the energy of this term, or its derivative, is no finite number at r = '
refuses_text 'energy = D/(r - r)\ni,j,D\n1,2,1\n' 'bad.csv:1: column 11: a constant that is no finite number'
refuses_text 'energy = D*r\ni,j,D\n1,2\n' 'bad.csv:3: "1,2"; expected i,j,...: 2 numbers of particles, 1 or more, and 1 number'
refuses_text 'energy = D*r\ni,j,D\n1,2,nan\n' 'bad.csv:3: "1,2,nan"'
refuses_text 'energy = D*r\ni,j,D\n1,201,1\n' 'bad.csv:3: there is no particle 201'
refuses_text 'energy = D*r\nenergy = r\n' 'bad.csv:2: "energy = r"; expected one line'
refuses_text 'energy\n= D*r\ni,j,D\n1,2,1\n' 'bad.csv:1: "energy"; expected the columns'
refuses_text 'energy = D*u(r); u = table "t.dat"\ni,j,D\n1,2,1\n' 't.dat'
conclude
