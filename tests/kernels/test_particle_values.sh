#!/usr/bin/env bash
# Interactions whose parameters each particle has a value of: known answers, orders of particles, what is refused and how.
. "$2/lib.sh" || exit 1

# ---- known answers: eval compares with the reference, and ends with 1 where they differ ----
expect 0 box brick --n 130 -o brick.xyz
awk 'NR > 2 { print ($NF == "B" ? 0.5 : 1) }' brick.xyz >eps.dat
awk 'NR == 2 { sub(/Properties=/, "&sigma:R:1:") } NR > 2 { $0 = ($NF == "B" ? 0.9 : 1) " " $0 } 1' brick.xyz >sigma.xyz
text='energy = 4*eps*((s/r)^12 - (s/r)^6); eps = particles "eps.dat" geometric; s = particles "sigma.xyz" column sigma arithmetic'
box=(--box brick.xyz --cutoff half --precision double)
expect 0 eval "${box[@]}" --variant sorted_cells --interaction lj:epsilon=1,epsilon.B=0.5,sigma=1,sigma.B=0.9 --json
energy=$(field energy)
for variant in all_pairs_loop sorted_cells; do
    expect 0 eval "${box[@]}" --variant $variant --interaction "$text" --json
    check "$variant: a value per particle, alike within a type, is a value per type: $(field energy), $energy" near "$(field energy)" "$energy" 1e-13
done
check "rows name the values by what they are" grep -qE '"energy = .*; eps = particles [0-9a-f]{16} geometric; s = particles [0-9a-f]{16} arithmetic"' out
expect 0 eval "${box[@]}" --variant all_pairs_loop --interaction 'energy = q1*q2/r - k1*k2/r; k = particles "brick.xyz" column charge' --json
check "the values of both, as they are" near "$(awk -v e="$(field energy)" 'BEGIN { print e + 1 }')" 1 1e-12
expect 0 eval "${box[@]}" --variant list_walk --exclude molecule --interaction 'energy = s*(eps1 + eps2)*eps/r^2; s = 1 arithmetic; s.C = 3; eps = particles "eps.dat" geometric'

# ---- in other orders of the particles, and for particles that have moved ----
seq 130 | awk '{ print 0.5 + $1 / 130 }' >ramp.dat
echo 'k1*k2*r^2*exp(-r); k = particles "ramp.dat"' >ramp.pair
expect 0 check --box brick.xyz --cutoff half --variant all_pairs_loop --precision float --outputs virial --interaction-file ramp.pair

# ---- what is refused ----
refuses_text() { # refuses_text TEXT WORDS: exit status 2, and the words on stderr
    refuses "$2" eval "${box[@]}" --variant sorted_cells --interaction "$1"
}
head -n 129 ramp.dat >short.dat
printf '1 # one\n\nnan\n' >nan.dat
echo '-1' >minus.dat
refuses_text 'energy = k1*k2*r; k = particles "short.dat"' 'short.dat: 129 values; the box has 130 particles'
refuses_text 'energy = k1*k2*r; k = particles "nan.dat"' 'nan.dat:3: expected a finite number, not "nan"'
refuses_text 'energy = k1*k2*r; k = particles "none.dat"' 'none.dat'
refuses_text 'energy = k1*k2*r; k = particles "sigma.xyz" column sigmas' 'sigma.xyz:2: no column "sigmas"; expected one of sigma, species'
refuses_text 'energy = k1*k2*r; k = particles "sigma.xyz" column pos' 'sigma.xyz:2: column "pos" is no single number per particle'
refuses_text 'energy = k1*k2*r; k = particles "sigma.xyz"' 'particles "FILE" column NAME'
(cat sigma.xyz && echo 'behind 1 2 3') >behind.xyz
refuses_text 'energy = k1*k2*r; k = particles "behind.xyz" column sigma' "behind.xyz:133: 'behind' after the 130 particles that line 1 announces"
refuses_text 'energy = k*r; k = particles "ramp.dat"' "column 10: 'k' has a value per particle; expected 'k1' and 'k2', or how it is mixed"
refuses_text 'energy = k*r; k = particles "minus.dat" geometric' "holds -1; 'k' has a geometric mean"
refuses_text 'energy = k1*r; k = particles "ramp.dat"' 'the energy changes when the two particles change places'
refuses_text 'energy = kk1*k2*r; k = particles "ramp.dat"' "nothing is named 'kk1'; the nearest is 'k1'"
refuses_text 'energy = r; k = particles "ramp.dat"' "nothing that the energy needs uses 'k'"
expect 3 eval "${box[@]}" --variant list_clusters --interaction "$text"
says err 'not their indices, by which values of particles are found'
"$pairmark" bench --box brick.xyz --cutoff half --precision float --variant list_clusters --interaction "$text" --visits 1 --twins 0 --no-plot -o refused >out 2>err
says refused/summary.txt 'list_clusters keeps the types of particles beside their positions' # unsupported, and why
expect 2 eval --workload coordination --box brick.xyz --interaction "$text"

# ---- pasted from OpenMM: no "energy =", and parameters per particle are columns of the box ----
expect 0 eval "${box[@]}" --variant all_pairs_loop --interaction lj --json
energy=$(field energy)
expect 0 eval "${box[@]}" --variant all_pairs_loop --interaction '4*epsilon*((sigma/r)^12-(sigma/r)^6); sigma=1; epsilon=1' --json
check 'the same as lj' near "$(field energy)" "$energy" 1e-13
printf '2\nLattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3:sigma:R:1:epsilon:R:1\nAr 0 0 0 1 1\nAr 1.5 0 0 1.2 0.25\n' >two.xyz
pasted='4*epsilon*((sigma/r)^12-(sigma/r)^6); sigma=0.5*(sigma1+sigma2); epsilon=sqrt(epsilon1*epsilon2)'
expect 0 eval --box two.xyz --cutoff 3 --precision double --variant all_pairs_loop --interaction "$pasted" --json
check '4 * 0.5 ((1.1 / 1.5)^12 - (1.1 / 1.5)^6)' near "$(field energy)" -0.2626780673111439 1e-14
mkdir elsewhere
printf '%s\n' "$pasted" >elsewhere/pasted.pair
expect 0 eval --box two.xyz --cutoff 3 --precision double --variant all_pairs_loop --interaction-file elsewhere/pasted.pair --json
check 'from a file in another folder' near "$(field energy)" -0.2626780673111439 1e-14
refuses "nothing is named 'depth1'" eval --box two.xyz --cutoff 3 --variant all_pairs_loop --interaction '4*depth1*depth2/r'
conclude
