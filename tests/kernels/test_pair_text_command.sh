#!/usr/bin/env bash
# Pair functions as pieces of kernel text, in OpenMM's form: the guide's example, what they find, what is refused and how.
. "$2/lib.sh" || exit 1
examples=$tests/../share/interactions
expect 0 box brick --n 130 -o brick.xyz
awk 'NR > 2 { print 0.5 + NR / 130 }' brick.xyz >k.dat
awk 'NR == 2 { sub(/Properties=/, "&sigma:R:1:epsilon:R:1:") } NR > 2 { $0 = ($NF == "B" ? "0.9 0.5 " : "1 1 ") $0 } 1' brick.xyz >site.xyz
cp "$examples"/*.omm .
box=(--box brick.xyz --cutoff half --variant all_pairs_loop)

# ---- known answers: eval compares with the reference, and ends with 1 where they differ ----
expect 0 eval "${box[@]}" --precision double --interaction-file k1-k2-r2.omm --json
check "rows name it by its file and by what it holds" grep -qE '"k1-k2-r2.omm [0-9a-f]{16}; kparam = particles [0-9a-f]{16}"' out
grep -v derivative k1-k2-r2.omm >literal.omm
expect 1 eval "${box[@]}" --precision float --interaction-file literal.omm
says err 'of 390 force components'
sed 's/dEdR += 2\*kparam1\*kparam2\*r;/dEdR -= 2*kparam1*kparam2;/' literal.omm >own.omm
expect 0 eval "${box[@]}" --precision float --interaction-file own.omm
sed 's/dEdR -= 2/dEdR -= 2.001f/' own.omm >mutant.omm
expect 1 eval "${box[@]}" --precision float --interaction-file mutant.omm
says err 'of 390 force components'
expect 0 eval "${box[@]}" --precision double --json \
    --interaction 'energy = 4*eps*((s/r)^12 - (s/r)^6) + 138.935456*q1*q2/r; eps = 1 geometric; eps.B = 0.5; s = 1 arithmetic; s.B = 0.9'
energy=$(field energy)
expect 0 eval "${box[@]}" --precision double --interaction-file lj-coulomb.omm --json
check "Lennard-Jones and charges: $(field energy), $energy" near "$(field energy)" "$energy" 1e-6 # 138.935456f

# ---- what a text finds: exclusions, arrays (one by a name that kernels have, too), macros; in cells ----
cat >all.omm <<'END'
/* @parameter k real "k.dat"
 * @argument shift "shift.dat" */
// excluded pairs have a term of their own, as in the correction of an Ewald sum
real scale = isExcluded ? -0.5f : 1.0f;
#if defined(USE_PERIODIC) && !defined(NOBODY)
scale *= (real) 2;
#endif
if (atom1 < NUM_ATOMS && atom2 < PADDED_NUM_ATOMS && atom1 != atom2) {
    real sum = 0;
    for (int m = 0; m < 3; m++) {
        sum += shift[m]*r2;
    }
    real2 both = make_real2(k1*k2, EXP(-r));
    tempEnergy += scale*both.x*both.y*sum;
    dEdR -= scale*both.x*both.y*(2*(shift[0]+shift[1]+shift[2]) - sum*invR);
}
END
printf '0.5\n0.25\n1\n' >shift.dat
expect 0 eval --box brick.xyz --cutoff half --precision double --variant linked_cells_by_cell --exclude molecule --interaction-file all.omm

# ---- what is refused ----
refuses_text() { # refuses_text TEXT WORDS: exit status 2, and the words on stderr
    printf '%s\n' "$1" >bad.omm
    refuses "$2" eval "${box[@]}" --interaction-file bad.omm
}
head -n 129 k.dat >short.dat
refuses_text 'tempEnergy += kparam1*r2;' "bad.omm:1: nothing is named 'kparam1'; the nearest is"
refuses_text 'tempEnergy += 1e-400*r2;' "bad.omm:1: expected a number that a double can hold, not '1e-400'"
refuses_text 'tempEnergy += 1e400*r2;' "bad.omm:1: expected a number that a double can hold, not '1e400'"
refuses_text 'tempEnergi += r2;' "bad.omm:1: nothing is named 'tempEnergi'; the nearest is 'tempEnergy'"
refuses_text 'tempEnergy += r2 * ;' "bad.omm:1: expected a number, a name or '(', not ';'"
refuses_text 'tempEnergy += delta.x;' "bad.omm:1: 'delta' is not given"
refuses_text 'tempEnergy += posq1.x;' 'expected posq1.w, the charge'
refuses_text 'tempEnergy += (real) atom1;' 'the energy changes when the two particles change places'
refuses_text 'tempEnergy += f(r);' "bad.omm:1: the reference knows no function 'f'"
refuses_text 'if (r < 2) { tempEnergy += 1;' 'the text ends'
refuses_text '#ifdef X' 'bad.omm:2: #if without #endif'
refuses_text '/* @parameter k real5 "k.dat" */' 'bad.omm:1: expected: @parameter NAME TYPE'
refuses_text '/* @parametr k real "k.dat" */' 'bad.omm:1: expected @parameter, @argument, @define or @dEdR'
refuses_text '/* @parameter k real2 "k.dat" */' 'bad.omm:1: expected the name of a file in quotes'
refuses_text '/* @parameter k real "short.dat" */ tempEnergy += k1*k2;' 'short.dat: 129 values; the box has 130 particles'
expect 3 eval --box brick.xyz --cutoff half --variant list_clusters --interaction-file k1-k2-r2.omm
says err 'excluded pairs are left out before it is reached'
expect 2 eval "${box[@]}" --interaction-file k1-k2-r2.omm --interaction lj
expect 2 eval --workload coordination --box brick.xyz --interaction-file k1-k2-r2.omm
conclude
