#!/usr/bin/env bash
# What pairmark bench prints: every variant's time at every N, beside the fastest or a baseline.
. "$2/lib.sh" || exit 1

variants=$tests/../variants
fast=(--samples-min 3 --samples-max 3 --time-cap 0.02 --warm-up 0 --cold 0 --visits 1 --twins 0 --no-plot)
case=(--precision float --kind fluid --outputs forces)
sed 's/all_pairs_loop/mine/g' "$variants/forces/all_pairs_loop.cl" >mine.cl
sed 's/all_pairs_loop/broken/g; $a this does not compile' "$variants/forces/all_pairs_loop.cl" >broken.cl

# The one that the user wrote is there, however slow.
expect 0 bench --variant-file mine.cl --variant mine,all_pairs_half,sorted_cells "${case[@]}" --n 300,500 "${fast[@]}" -o three
for name in mine all_pairs_half sorted_cells; do
    says_like out "^  $name +[0-9.]+ [mun]s[*]? +[0-9.]+x +[0-9.]+ [mun]s[*]? +[0-9.]+x$"
done
says_like out '^  variant +N = 300 +N = 500$'
says out 'its ratio to that of the fastest at the same N'
check 'one at each N is the fastest' test "$(grep -E '^  (mine|all_|sorted)' out | grep -oE ' 1\.00x' | wc -l)" -ge 2
check 'summary.txt is what is printed' cmp -s out three/summary.txt

# A baseline of the user's own; it decides nothing about what is measured.
cp three/rows.csv before.csv
expect 0 bench --resume three --baseline mine --no-plot
says out 'its ratio to that of mine'
says_like out '^  mine +[0-9.]+ [mun]s[*]? +1\.00x +[0-9.]+ [mun]s[*]? +1\.00x$'
check 'nothing is measured for it' cmp -s three/rows.csv before.csv
expect 2 bench --variant all_pairs_loop,all_pairs_half "${case[@]}" --n 300 "${fast[@]}" --baseline mine -o none
says err "--baseline 'mine': not run here; expected one of all_pairs_half, all_pairs_loop"
check 'a refused run makes no folder' test ! -e none
expect 2 bench --baseline

# All of them fit on a screen, at every size; a failure stands by its status.
table() { sed -n '/time of every variant/,/^$/p' out; }
names() { table | sed -nE 's/^  ([a-z_0-9]+) +[0-9].*/\1/p' | sort -u | wc -l; }
fits() { check 'no line is longer than 100 characters' test "$(table | awk 'length($0) > 100' | wc -l)" -eq 0; }
every='*'
if sanitized; then every='all_pairs_*,broken'; fi # of which sanitizers see the harness alone
expect 1 bench --workload forces --variant "$every" --variant-file broken.cl "${case[@]}" --n 200 "${fast[@]}" -o many
says_like out '^  broken +compile_error'
sanitized || check 'every built-in variant' test "$(names)" -eq "$(find "$variants/forces" -name '*.cl' | wc -l)"
fits
expect 1 bench --variant broken,mine,all_pairs_loop,sorted_cells_screened --variant-file broken.cl --variant-file mine.cl "${case[@]}" \
    --tune WORDS=8 --n 200:260:+10 "${fast[@]}" -o sizes
check 'once, which tunable is too small for these boxes' \
    test "$(grep -c 'sorted_cells_screened: WORDS=8 holds less than the box brings; --tune WORDS=14 would hold it$' err)" -eq 1
says_like out '^  broken +compile_error +compile_error'
check 'every N' test "$(table | grep -oE 'N = 2[0-6]0' | sort -u | wc -l)" -eq 7
check 'all four at each of them' test "$(table | grep -cE '^  (mine|broken|all_pairs_loop|sorted_cells_screened) ')" -ge 4
fits

# Numbers of a box that is read have as many digits as people want; its row has all.
awk 'BEGIN { print 27; print "Lattice=\"3.3 0 0 0 3.3 0 0 0 3.3\"" ; for (k = 0; k < 27; k++) print "A", k % 3 * 1.1, int(k / 3) % 3 * 1.1, int(k / 9) * 1.1 }' >small.xyz
expect 0 bench --box small.xyz --cutoff 1.6 --variant all_pairs_loop --precision float "${fast[@]}" -o read
says_like out ': box of a file, density 0\.751315, cutoff 1\.6, '
check 'all digits' test -n "$(grep -oE ',0\.75131480[0-9]{6,},' read/rows.csv)"

# Coordinations, with their transfers.
expect 0 bench --variant coordination_loop,coordination_cells --kind cubic --precision float --n 300 "${fast[@]}" -o coordination
says out 'time end to end of every variant'
check 'both tables have both' test "$(grep -cE '^  coordination_(loop|cells) +[0-9.]+ [mun]s[*]? +[0-9.]+x$' out)" -eq 4

conclude
