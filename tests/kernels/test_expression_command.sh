#!/usr/bin/env bash
# Interactions written as text, from the command line: known answers, what is recorded, what is refused and how.
. "$2/lib.sh" || exit 1
small=(--variant all_pairs_loop --n 64 --cutoff half)
text='energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1'

# ---- known answers: eval compares with the reference, and ends with 1 where they differ ----
expect 0 eval "${small[@]}" --precision double --interaction lj --json
energy=$(field energy)
expect 0 eval "${small[@]}" --precision double --interaction " energy=4*eps * ((s/r)^12-((s/r))^6 ) ;eps=1.0;s=1; " --json
check "lj as an expression is lj: $(field energy), $energy" near "$(field energy)" "$energy" 1e-13
check "the identity is the text, normalised" [ "$(field interaction)" = "$text" ]
expect 0 eval "${small[@]}" --interaction "$text" --json
check "and in float" near "$(field energy)" "$energy" 1e-5
brick=(--variant sorted_cells --kind brick --n 130 --precision double --cutoff half)
expect 0 eval "${brick[@]}" --interaction lj:epsilon=1,epsilon.B=0.5,sigma=1,sigma.B=0.9 --json
energy=$(field energy)
expect 0 eval "${brick[@]}" --json --interaction "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1 geometric; s = 1 arithmetic; eps.B = 0.5; s.B = 0.9"
check "values of types are mixed as lj's: $(field energy), $energy" near "$(field energy)" "$energy" 1e-13
expect 0 eval "${brick[@]}" --interaction ewald-real:alpha=0.3,coulomb=2 --json
energy=$(field energy)
cat >ewald.pair <<END
2*q1*q2*screen/r;   # a file may leave out "energy =": this is one
screen = erfc(alpha*r);
alpha = 0.3
END
expect 0 eval "${brick[@]}" --interaction-file ewald.pair --json
check "charges, from a file: $(field energy), $energy" near "$(field energy)" "$energy" 1e-13
check "whose text is the identity" [ "$(field interaction)" = "energy = 2*q1*q2*screen/r; screen = erfc(alpha*r); alpha = 0.3" ]
# Every function, branches of both sides, roots, and powers that are no products.
expect 0 eval "${small[@]}" --precision double --interaction \
    'energy = exp(-r) + log(r) + sqrt(1 + r) + sin(r)*cos(r) + tan(r/3) + asin(r/9) + acos(r/9) + atan(r) + sinh(r/2) - cosh(r/2) + tanh(r) + erf(r) + erfc(r) + r^r + pow(r, 2.3) + r^-5 + r^70/9^70'
expect 0 eval "${small[@]}" --precision double --interaction \
    'energy = abs(r - 1.3) + floor(2*r) + ceil(r) + min(r, 1.5) + max(r^2, 2) + step(r - 1.1) + delta(r) + select(step(r - 1.7), r, r^2); '
# Forces of rounding alone: what a pair adds to the virial is known no better than its force.
expect 0 eval "${small[@]}" --precision double --outputs virial --interaction 'energy = r/r'
expect 0 eval "${small[@]}" --precision float --outputs virial --interaction 'energy = r^2/r - r'

# One number for all pairs: additions err alike, though no two distances are.
expect 0 check --kind fluid --n 130 --variant all_pairs_loop --precision float --outputs energy --interaction 'energy = atan(1/r) + atan(r)'

# ---- what is refused ----
refuses_text() { # refuses_text TEXT WORDS: exit status 2, and the words on stderr
    refuses "$2" eval "${small[@]}" --interaction "$1"
}
refuses_text 'energy = 4*eps*((s/r)^12 - (s/r)^6; eps = 1; s = 1' "column 35: expected ')' or an operator, not ';'"
refuses_text 'energy = eps*r; epz = 1' "column 10: nothing is named 'eps'; the nearest is 'epz'"
refuses_text 'energy = sigma1*sigma2*r; sigma = 1' "nothing is named 'sigma1'; the nearest is 'sigma' (expected r, q1, q2, a column sigma:R:1 of the box, or a later definition"
refuses_text 'energy = exq(r)' "column 10: no function is named 'exq'; the nearest is 'exp'"
refuses_text 'energy = 2 r' "column 12: expected an operator, ';' or the end, not 'r'"
refuses_text 'energy = pow(r)' "column 15: expected ',' (pow has 2 arguments), not ')'"
refuses_text 'energy = r; a = 1' "column 13: nothing that the energy needs uses 'a'"
refuses_text 'energy = a; a = b; b = a' "column 24: 'a' is defined before 'b'"
refuses_text 'energy = r; r = 1' "column 13: 'r' has a meaning of its own"
refuses_text 'energy = q1/q2' 'the energy changes when the two particles change places'
refuses_text 'energy = r/0' "column 11: a constant that is no finite number (as 1/0 or log(-1))"
refuses_text 'energy = r + a; a = 2*b; b = log(c); c = -1' "column 30: a constant that is no finite number"
refuses_text 'energy = r + 1e200^2*r' "column 19: a constant that is no finite number"
printf '# a file\nr^2\n + sqrt(-1)\n' >mine.pair
refuses 'mine.pair:3:4: a constant that is no finite number' eval "${small[@]}" --interaction-file mine.pair
refuses_text 'energy = r + 1e-400' "column 14: '1e-400' is beyond what a number can be"
refuses_text 'energy = a*r; a = 1e400' "column 19: '1e400' is beyond what a number can be"
refuses_text 'energy = a*r; a = 0.00e5 arithmetic; a.B = 0.1e-399' "column 44: '0.1e-399' is beyond what a number can be"
refuses_text 'energy = a*r; a = 1; a.B = 2' "column 22: 'a' has values for single types and no mixing rule"
refuses_text 'energy = a*r; a = 1 geometric; a.Xx = 2' 'the box has no type "Xx"'
refuses_text 'energy = u(r); u = table "none.dat"' 'none.dat'
refuses_text 'energy = u; u = table "none.dat"' 'none.dat'
refuses_text 'energy = 2*é' "column 12: expected a number, a name or '(', not 'é'"
valueless() { # valueless TEXT WORDS: exit status 1, and the words on stderr
    expect 1 eval --variant all_pairs_loop --precision double --box two.xyz --cutoff none --interaction "$1"
    says err "$2"
}
printf '2\n\nA 1 1 1\nA 2.25 1 1\n' >two.xyz
valueless 'energy = log(1 - r)' 'the interaction has no finite value at r = 1.25, the distance of particles 1 and 2: energy nan, force '
valueless 'energy = sqrt(1 - r)' 'at r = 1.25, the distance of particles 1 and 2: energy nan, force nan'
valueless 'energy = (r - a)/(r - b); a = 1.25; b = 1.25' 'at r = 1.25, the distance of particles 1 and 2: energy nan, force nan'
valueless 'energy = 1/(r - 1.25)' 'at r = 1.25, the distance of particles 1 and 2: energy inf, force '
valueless 'energy = acos(r)' 'at r = 1.25, the distance of particles 1 and 2: energy nan, force nan'
printf '2\n\nA 1 1 1\nA 2.5 1 1\n' >two.xyz
expect 1 eval --variant all_pairs_loop --precision float --box two.xyz --cutoff none --interaction 'energy = r^300'
says err 'the interaction overflows float at r = 1.5, the distance of particles 1 and 2: energy 6.7'
lacks err coincide
expect 0 eval --variant all_pairs_loop --precision double --box two.xyz --cutoff none --interaction 'energy = r^300'
# Guards and what they guard, where both are 0 but for rounding: neighbours of a lattice, at a contact.
awk 'BEGIN { print 27; print "Lattice=\"3.3 0 0 0 3.3 0 0 0 3.3\" Properties=species:S:1:pos:R:3"
    for (i = 0; i < 27; i++) printf "Ar %.1f %.1f %.1f\n", 1.1 * (i % 3), 1.1 * (int(i / 3) % 3), 1.1 * int(i / 9) }' >contact.xyz
for guarded in 'select(step(s-r), (1-r/s)^2.5, 0); s=1.1' 'select(step(s-r), (1-(r/s)^2)^2.3, 0); s=1.1' 'max(0, 1-r/s)^2.5; s=1.1' \
    'step(s-r)*(1-r/s)^3.5; s=1.1' 'step(s-r)*sqrt(1-r/s)^3; s=1.1' 'select(step(s-r), acos(r/s)^3, 0); s=1.1' \
    'select(step(s-r), (s-r)^2*log(1-r/s), 0); s=1.1' 'sqrt(max(0, s-r)); s=1'; do
    for precision in float mixed double; do
        expect 0 eval --box contact.xyz --cutoff 1.5 --interaction "$guarded" --variant all_pairs_loop --precision "$precision"
        lacks out nan
    done
done
printf '2\n\nA 0 0 0\nA 1.5 0 0\n' >zero.xyz
for precision in float double; do
    for zero in '(1-r/1.5)^2.5' 'sqrt(1-r/1.5)^3' 'pow(sqrt(1-r/1.5), 5)' 'select(step(1.5-r), sqrt(1-r/1.5)^3, 0)'; do
        expect 0 eval --box zero.xyz --cutoff none --interaction "$zero" --variant all_pairs_loop --precision "$precision"
    done
    # Bases that are 0 and stay so, whose roots have no slope; and powers of factors, each of which overflows.
    for zero in 'sqrt(step(1-r)*r)' '(r*floor(r/2))^0.3' '(min(r,r^2)*step(1-r)*r)^0.5' 'acos(1-r*step(1-r))' \
        '((1+r^3)/(cosh(r)+r))^120'; do
        expect 0 eval --box zero.xyz --cutoff none --interaction "$zero" --variant all_pairs_loop --precision "$precision"
    done
done
# Steps in what does not change with the distance, at their borders.
printf '3\nProperties=species:S:1:pos:R:3:charge:R:1\nA 0 0 0 1\nA 1 0 0 -1\nA 2.5 0 0 1\n' >charged.xyz
for precision in float double; do
    for step in 'ceil(q1*q2/1e-3)' 'step(q1*q2/0.1-10)*exp(-r)' 'select(floor(q1*q2/0.1)-10, r, r^2)' 'sign(q1*q2/0.1-10)+delta(q1*q2/0.1-10)'; do
        expect 0 eval --box charged.xyz --cutoff none --variant all_pairs_loop --precision "$precision" --outputs virial --interaction "$step"
    done
done
# Any of them, drawn.
seed=${PAIRMARK_TEST_SEED:-$RANDOM}
check "formulas, PAIRMARK_TEST_SEED=$seed" python3 "$tests/kernels/drawn_formulas.py" "$pairmark" "$seed" "${PAIRMARK_TEST_FORMULAS:-12}"
# Functions made of others, beside the reference.
for precision in float double; do
    all_pass "functions in $precision" --kind fluid --n 130 --variant all_pairs_loop --precision "$precision" --outputs virial \
        --interaction 'sec(r/4)+csc(r/2)+cot(r/3)+square(r)/9-cube(r)/40+recip(r)+sign(r-2)*(r-2)^2+atan2(r-1,r^2)+atan2(-r,-3)'
done
printf '2\n\nA 1 1 1\nA 1 1 1\n' >two.xyz
valueless 'energy = 1/r' 'they coincide with others'
refuses_text 'four' 'or an expression (energy = ...)'
refuses_text 'energy =' 'the text ends'
printf 'energy =\n  4*(r\n' >bad.pair
refuses "bad.pair:3:1: expected ')' or an operator; the text ends" eval "${small[@]}" --interaction-file bad.pair
expect 2 eval "${small[@]}" --interaction-file missing.pair
refuses 'expected no --interaction beside it' eval "${small[@]}" --interaction-file ewald.pair --interaction lj
expect 2 eval --workload coordination --interaction "$text"

# ---- what a run records ----
fast=(--precision float --outputs forces --samples-min 3 --samples-max 5 --time-cap 0.05 --warm-up 0 --cold 0 --visits 1 --twins 0 --no-plot)
printf '%s\n' "$text" | tr ';' '\n' | sed '$!s/$/;/' >mine.pair
expect 0 bench "${small[@]}" "${fast[@]}" -o run --interaction-file mine.pair
check "rows have the text" grep -qF "$text" run/rows.csv
check "kernel text is kept, with the words" grep -rqF "expression — $text" run/kernels/shared
check "and the file" cmp -s mine.pair run/kernels/inputs/interaction-*.txt
mv mine.pair gone.pair
cp run/rows.csv full.csv && head -n 1 full.csv >run/rows.csv
forget_checksums run
expect 0 bench --resume run --no-plot
check "goes on with the kept file" [ "$(wc -l <run/rows.csv)" = 2 ]
expect 0 bench --resume run "${small[@]}" "${fast[@]}" --interaction "${text// /}"
check "the same in other spaces is not run again" [ "$(wc -l <run/rows.csv)" = 2 ]
expect 0 bench --resume run "${small[@]}" "${fast[@]}" --interaction "${text/eps = 1/eps = 2}"
check "another one is another case" [ "$(wc -l <run/rows.csv)" = 3 ]
# The rows were cut above.
refuses "the nearest is 'exp'" plot run --despite-checksums --output figures --interaction 'energy = exq(r)'
expect 0 compare run run --despite-checksums
conclude
