#!/usr/bin/env bash
# pairmark tune on the command line, and bench --tuned: whatever device is the best here, small boxes only.
. "$2/lib.sh" || exit 1

# A kernel that computes everything REPEATS times, and with SKIP set nothing at all: which is fast and wrong. What it counts
# and sums is of the first time alone, as counts must be of each pair once or from both sides.
cat >mine.cl <<'END'
/*
 * mine — for tests: slow by preset, fast, or fast and wrong
 *
 * @workload  forces
 * @structure none
 * @pass      mine item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   REPEATS 1 40*
 * @tunable   SKIP 0* 1
 */
KERNEL void mine(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                 GLOBAL accum4 *RESTRICT force, GLOBAL accum *RESTRICT partial_sums PAIR_PARAMETERS)
{
    SUM_SCRATCH
    const int i = GLOBAL_ID;
    pair_sums sums;
    clear_sums(&sums);
    if (i < n && !SKIP) {
        const real4 pi = position[i];
        accum fx = 0;
        accum fy = 0;
        accum fz = 0;
        for (int k = 0; k < REPEATS; k++) {
            for (int j = 0; j < n; j++) {
                const real4 pj = position[j];
                const real dx = nearest_image(pi.x - pj.x, edge.x, inverse_edge.x);
                const real dy = nearest_image(pi.y - pj.y, edge.y, inverse_edge.y);
                const real dz = nearest_image(pi.z - pj.z, edge.z, inverse_edge.z);
                const real r2 = FMA(dx, dx, FMA(dy, dy, dz * dz));
                if (k == 0) {
                    COUNT_DISTANCE(&sums);
                }
                if (IN_CUTOFF(r2, cutoff2) && j != i) {
                    pair_energy energy = NO_ENERGY;
                    const real f = PAIR_FORCE(r2, pi, pj, i, j, &energy);
                    fx += f * dx;
                    fy += f * dy;
                    fz += f * dz;
                    if (k == 0) {
                        add_to_sums(&sums, energy, f, dx, dy, dz);
                    }
                }
            }
        }
        force[i] = make_accum4(fx / REPEATS, fy / REPEATS, fz / REPEATS, 0);
    }
    STORE_SUMS(partial_sums, &sums, 0.5);
}
END
mine=(--variant-file mine.cl --precision float --n 500)
fast=(--samples-min 3 --samples-max 5 --time-cap 0.05 --warm-up 0 --cold 1 --no-plot --visits 1 --twins 0)

# The best of all that is right; what is wrong is told and makes the exit status 1.
expect 1 tune "${mine[@]}" --time-cap 0.1
says out "4/4"
says out "GROUP_SIZE=64 REPEATS=1 SKIP=0"
says out "kept in $work/cache/tuned.csv"
says err "SKIP=1: wrong"
says cache/tuned.csv "256-1023,GROUP_SIZE=64 REPEATS=1 SKIP=0,GROUP_SIZE=64 REPEATS=40 SKIP=0"
[ "$(wc -l <cache/tuned.csv)" -eq 2 ] || complain "tuned.csv is not one record"

# What is fast since it remembers is wrong, too. Only its times tell; a device that is short of time may not show them.
cheat=(--variant-file "$tests/data/cheats/forces.cl" --variant forces --precision float --n 4000 --outputs forces --tune TRICK=0,2)
expect 1 tune "${cheat[@]}" --time-cap 0.1 --store stale.csv
says err "TRICK=2: stale"
says stale.csv "TRICK=0"

# bench --tuned finds it for an N of the same class, and the rows say so.
expect 0 bench --variant-file mine.cl --precision float --n 600 "${fast[@]}" --tuned -o tuned
says err "cache/tuned.csv: tunables of 1 case"
says tuned/rows.csv "GROUP_SIZE=64 REPEATS=1 SKIP=0"
column() { # column NAME FILE: of its last row; no field before it holds a comma but the quoted interaction
  sed 's/"[^"]*"/x/g' "$2" | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print $c }'
}
[ "$(column tuned tuned/rows.csv)" = 1 ] || complain "the row does not say that it was tuned"

# Another precision and another class of N have nothing stored: presets, told once.
expect 0 bench --variant-file mine.cl --n 100,200 --precision double "${fast[@]}" --tuned -o untuned
[ "$(grep -c 'nothing is stored for' err)" -eq 1 ] || complain "not told once that nothing is stored"
says err "nothing is stored for 2 cases"
says untuned/rows.csv "REPEATS=40"
[ "$(column tuned untuned/rows.csv)" = "" ] || complain "a preset is called tuned"

# --tune restricts: values of hand, none of them wrong.
expect 0 tune "${mine[@]}" --time-cap 0.1 --tune SKIP=0 --tune REPEATS=2,40 --store here/best.csv
says out "2/2"
says here/best.csv "REPEATS=2"
lacks here/best.csv "REPEATS=1 "
expect 0 bench "${mine[@]}" "${fast[@]}" --tuned --store here/best.csv -o restricted
says restricted/rows.csv "REPEATS=2 "

# A kernel whose text has changed since is another kernel.
sed -i 's/for tests:/for more tests:/' mine.cl
expect 0 bench "${mine[@]}" "${fast[@]}" --tuned -o stale
says err "of another kernel text"
says stale/rows.csv "REPEATS=40"

# A tunable that makes no difference: what is printed is what is kept, whatever the noise says.
sed 's/SKIP 0\* 1/NOTHING 1* 2 3/; s/ && !SKIP//; s/REPEATS 1 40\*/REPEATS 4*/' mine.cl >same.cl
expect 0 tune --variant-file same.cl --precision float --n 500 --time-cap 0.02 --store same.csv
kept=$(grep -o 'GROUP_SIZE=64 NOTHING=[123] REPEATS=4' same.csv | head -n 1)
says_like out "  $kept( \\(the preset.*)?\$"

# A coordination is tuned for the switching function that bench takes, too, where none is named.
expect 0 tune --variant pairs_direct --ratio 40:40 --pairs --n 200 --precision float --time-cap 0.1 --tune PAIRS=1,2 \
    --tune GROUP_SIZE=128 --store coordination.csv
says coordination.csv "pairs_direct"
expect 0 bench --variant pairs_direct --ratio 40:40 --pairs --n 200 --precision float "${fast[@]}" --tuned \
    --store coordination.csv -o switching
lacks err "nothing is stored"
[ "$(column tuned switching/rows.csv)" = 1 ] || complain "the coordination's row does not say that it was tuned"

# Arguments and files as people and crashes leave them.
refuses "exclude each other" bench "${mine[@]}" --tuned --tune SKIP=0
refuses "--tuned" bench "${mine[@]}" --store here/best.csv
refuses "--budget 'soon'" tune "${mine[@]}" --budget soon
refuses "NOTHING" tune "${mine[@]}" --tune NOTHING=1
refuses "did you mean '--budget'" tune "${mine[@]}" --budge 3s
expect 0 tune --help
says out "--budget S"
echo 'some,other,table' >other.csv
refuses "other.csv" bench "${mine[@]}" "${fast[@]}" --tuned --store other.csv -o never
refuses "other.csv: line 1: these are not the columns" tune "${mine[@]}" --store other.csv
empty out || complain "what cannot be kept was measured: $(cat out)"
[ ! -e never ] || complain "a refused run left a folder"
printf 'half a li' >>here/best.csv
expect 0 bench "${mine[@]}" "${fast[@]}" --tuned --store here/best.csv -o torn
says err "best.csv:3: skipped"

conclude
