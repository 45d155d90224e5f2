#!/usr/bin/env bash
# Kernels whose forces are right, but which count distances and pairs that they do not compute, or not those that they do:
# bench records them as wrong, and check finds them, too.
. "$2/lib.sh" || exit 1
cheats=$tests/data/cheats

# tricks FILE TRICKS ARGUMENT...: `pairmark check -v` of these tricks, in one process, into out
tricks() {
    "$pairmark" check --variant-file "$cheats/$1.cl" --variant "$1" --kind fluid --n 130 --precision float --outputs forces \
        --tune "TRICK=$2" -v "${@:3}" >out 2>err </dev/null
}
passes() { grep -qE "^ok .*TRICK=$1:" out && ! grep -E "TRICK=$1:" out | grep -qv '^ok '; } # passes TRICK: in each case
wrong() { grep -E "^wrong .*TRICK=$1: " out | grep -qF -- "$2"; }                           # wrong TRICK WORDS: in one, which says why

tricks counts_forces 0,1,2,3,4,5,6,7,8,9,10
check "counts_forces: without a trick" passes 0
for trick in 1 2 3 4 9 10; do
    check "counts_forces, trick $trick" wrong $trick "pairs within the cutoff, once or from both sides"
done
for trick in 6 7 8; do
    check "counts_forces, trick $trick" wrong $trick "a pair within the cutoff has a distance to be computed"
done
check "counts_forces, trick 5" wrong 5 "all pairs at all images are"

tricks counts_coordination 0,1,2,3 --workload coordination --group-a 1-60,130 --group-b 50-120,130,1
for trick in 0 2; do
    check "counts_coordination, trick $trick" passes $trick
done
for trick in 1 3; do
    check "counts_coordination, trick $trick" wrong $trick ''
done

check "bench finds them" exits 1 bench --variant-file "$cheats/counts_forces.cl" --variant counts_forces --kind fluid --n 130 \
    --precision float --tune TRICK=0,1 --time-cap 0.02 --warm-up 0.001 --twins 0 --visits 1 --no-plot -o "$work/cheat"
check "one is right" [ "$(grep -c ',ok,.*TRICK=0\|TRICK=0.*,ok,' "$work/cheat/rows.csv")" -eq 1 ]
check "one is wrong" [ "$(grep -c ',wrong,.*TRICK=1\|TRICK=1.*,wrong,' "$work/cheat/rows.csv")" -eq 1 ]

# Distances that are within bounds, and far more than are computed: what a result is paid for does not depend on them.
expect 0 bench --variant-file "$cheats/counts_forces.cl" --variant counts_forces --kind fluid --n 130 --precision float --tune TRICK=0,11 \
    --time-cap 0.02 --warm-up 0.001 --twins 0 --visits 1 --no-plot -o inflated
work_of() { # work_of TRICK COLUMN: percent of the peak times the time
    "$pairmark" query "SELECT $2 * force_s_median AS work FROM rows WHERE tunables LIKE '%TRICK=$1'" inflated --csv 2>&1 | tail -n 1
}
times_honest() { # times_honest COLUMN: what the trick has of what there is without it
    awk -v inflated="$(work_of 11 "$1")" -v honest="$(work_of 0 "$1")" 'BEGIN { printf "%.9g", (honest > 0 ? inflated / honest : 0) }'
}
check "work that is needed: $(times_honest percent_of_peak) times" near "$(times_honest percent_of_peak)" 1 1e-6
check "work that is counted: $(times_honest counted_percent_of_peak) times" near "$(times_honest counted_percent_of_peak)" 3.5 0.4

# A kernel without partial_sums has nowhere to store counts: they are not known, and it is not built to count. One that takes
# partial_sums and stores nothing there counts nothing, which is wrong.
cat >silent.cl <<'END'
/*
 * silent — for tests: forces alone
 *
 * @workload  forces
 * @structure none
 * @pass      silent item per particle
 */
#if COUNT_PAIRS
#error built to count
#endif
KERNEL void silent(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real4 inverse_edge, real cutoff2,
                   GLOBAL accum4 *RESTRICT force)
{
    const int i = GLOBAL_ID;
    accum4 sum = make_accum4(0, 0, 0, 0);
    for (int j = 0; i < n && j < n; j++) {
        const real4 d = nearest_difference(position[i], position[j], edge, inverse_edge);
        if (IN_CUTOFF(d.w, cutoff2) && j != i) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, position[i], position[j], i, j, &energy);
            sum.x += f * d.x;
            sum.y += f * d.y;
            sum.z += f * d.z;
        }
    }
    if (i < n) {
        force[i] = sum;
    }
}
END
sed -e 's/silent/forgetful/g' -e 's/^#if COUNT_PAIRS.*/#if 0/' -e 's/RESTRICT force)/RESTRICT force, GLOBAL accum *RESTRICT partial_sums)/' \
    silent.cl >forgetful.cl
last_row() { # last_row COLUMN: of silent/rows.csv; no field before it holds a comma but what is quoted
    sed 's/"[^"]*"/x/g' silent/rows.csv |
        awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print c ? $c : "no column" }'
}
box=(--kind fluid --n 130 --precision float)
expect 0 check --variant-file silent.cl "${box[@]}" --outputs forces
expect 0 bench --variant-file silent.cl "${box[@]}" --time-cap 0.02 --warm-up 0.001 --visits 1 --twins 0 -o silent
check "a row that is right" [ "$(last_row status)" = ok ]
for name in pairs_evaluated hit_ratio counted_percent_of_peak; do
    check "without $name: $(last_row $name)" [ "$(last_row $name)" = "" ]
done
expect 1 check --variant-file forgetful.cl "${box[@]}" --outputs forces -v
check "what is not stored counts as nothing" out "counts 0 distances and 0 pairs"

# What the interaction leaves out is within the cutoff all the same, and every built-in variant counts it.
expect 0 check --variant all_pairs_half,all_pairs_loop --kind brick --n 130 --precision float --outputs forces \
    --interaction lj --exclude molecule
conclude
