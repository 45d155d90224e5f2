#!/usr/bin/env bash
# The gate rejects every generator that is broken on purpose, and accepts the same one unbroken.
. "$2/lib.sh" || exit 1
mutants=$tests/data/mutants

# rejects MUTATIONS DISTRIBUTION PRECISION: each is wrong, and 0 is ok
rejects() {
    local mutation
    "$pairmark" check --variant-file "$mutants/random.cl" --tune "MUTATION=0,$1" --distribution "$2" --precision "$3" \
        --n 20001 --seed 12884901889 -v >out 2>err </dev/null
    check "the mutant without a fault: $2 $3" grep -qE "^ok .*MUTATION=0:" out
    for mutation in ${1//,/ }; do
        check "mutation $mutation: $2 $3" grep -qE "^wrong .*MUTATION=$mutation:" out
    done
}
rejects 1,3,4,5,6,9,12,14,15 words float
rejects 7,10 uniform double
rejects 2,8 gaussian float

# What a sample of 2048 meets with a probability of 3 % per launch.
"$pairmark" check --variant-file "$mutants/random.cl" --tune MUTATION=0,13 --distribution words --precision float --n 262144 \
    --seed 12884901889 -v >out 2>err </dev/null
check "all draws of 262144" grep -qE "^ok .*MUTATION=0:" out
check "one four of them that is left out" grep -qE "^wrong .*MUTATION=13:.*draw 17284 of seed" out

# ---- streams ----
streams=$tests/../variants/random/xorshift128.cl
# broken NAME SED: the variant with that change is wrong
broken() {
    sed "$2" "$streams" >"$1.cl"
    check "$1 changes the text" sh -c "! cmp -s '$streams' '$1.cl'"
    expect 1 check --variant-file "$1.cl" --n 20001 --distribution words --precision float --tune STREAMS=1024
    says out "1 failed"
}
forgetting='s/^ *STREAM_DRAW.*/const uint4 before = state[GLOBAL_ID];\n&\nstate[GLOBAL_ID] = before;/' # as many work-items as streams
broken forgotten "$forgetting"
broken shared 's/(uint)GLOBAL_ID, seed/(uint)GLOBAL_ID \/ 2u, seed/'
broken unseeded 's/GLOBAL_ID, seed)/GLOBAL_ID, (long64)1)/'

# ---- KISS ----
streams=$tests/../variants/random/kiss.cl
broken kiss_forgotten "$forgetting"
broken kiss_shifts_alone 's/^KERNEL void draw/DEVICE uint shifts_alone(uint4 own) { return own.z; }\n&/; s/kiss_word/shifts_alone/'

# ---- numbers that are made where a state is seeded, which no time is taken of ----
ahead=$tests/data/cheats/drawn_ahead.cl
expect 2 list --variant-file "$ahead"
check 'philox has nothing to seed' err 'the numbers of this generator come from seed and step alone, and it has no state; expected every step'
sed -e 's/@generator philox4x32-10/@generator kiss/; s/^ \* @tunable   TRICK/ * @tunable   STREAMS 1024\n&/' "$ahead" >streams_ahead.cl
expect 3 check --variant-file streams_ahead.cl --n 20001 --distribution words --precision float
check 'streams keep their state alone' err 'keeps 5120256 bytes from step to step; the states of its streams are 16384'

# ---- a state that is the numbers of the first step: those of the other steps count, too ----
# median_of TRICK: seconds
median_of() {
    "$pairmark" bench --variant-file "$tests/data/cheats/drawn_first.cl" --variant drawn_first --workload random --n 65536 --distribution kick \
        --precision float --tune "TRICK=$1" --visits 1 --time-cap 0.3 --no-plot -o "first$1" >out 2>err </dev/null || return 1
    "$pairmark" query 'select force_s_median from rows' "first$1" --csv | tail -n 1
}
honest=$(median_of 0)
first=$(median_of 1)
# Or it is found to be remembered, and has none.
check "the first step alone makes no median: ${first:-none} s, honestly $honest s" \
    awk -v a="$first" -v b="$honest" 'BEGIN { exit !(a == "" || a > 0.3 * b) }'

# ---- a pool of one seed ----
streams=$tests/../variants/random/philox_pool.cl
sed 's/draw_quad((uint)quad, step, seed)/draw_quad((uint)quad, step, seed + 2 * quad \/ quads)/' "$streams" >two_seeds.cl
check "two_seeds changes the text" sh -c "! cmp -s '$streams' two_seeds.cl"
expect 1 check --variant-file two_seeds.cl --n 20001 --distribution words --precision float --tune DRAWS_PER_ITEM=4
says out "1 failed"

conclude
