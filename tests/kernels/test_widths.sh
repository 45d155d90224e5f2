#!/usr/bin/env bash
# Sub-groups of 8, 16, 32 and 64 work-items, emulated on a processor: kernels that shuffle or vote are right in each, and a kernel that counts
# on 32 is found out in the others. The votes of neighbours_* are tried on CUDA alone: PoCL compiles one of them for minutes.
. "$2/lib.sh" || exit 1
few=(--kind fluid --n 130 --precision float --deadline 600)

# ---- the header ----
cat >lanes.cl <<'END'
/*
 * lanes — all pairs; each partner is read by one lane, which hands it to the others of its sub-group
 *
 * @workload  forces
 * @structure none
 * @pass      lanes item per particle
 * @tunable   GROUP_SIZE 64
 * @warps     32
 */
KERNEL void lanes(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                  GLOBAL accum4 *RESTRICT force PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID;
    const real4 own = position[i < n ? i : 0];
    accum4 sum = make_accum4(0, 0, 0, 0);
    for (int start = 0; start < n; start += WARP_SIZE) {
        const int mine = start + LOCAL_ID % WARP_SIZE;
        const real4 read = position[mine < n ? mine : 0];
        for (int k = 0; k < WARP_SIZE; k++) {
            const real4 other =
                make_real4(SHUFFLE(read.x, k), SHUFFLE(read.y, k), SHUFFLE(read.z, k), SHUFFLE(read.w, k));
            const int j = start + k;
            const real4 d = displacement(own, other, box);
            const real r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            if (i < n && j < n && j != i && IN_CUTOFF(r2, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
            }
        }
    }
    if (i < n) force[i] = sum;
}
END
# Votes there are of 32 lanes alone: elsewhere a kernel does without.
cat >votes.cl <<'END'
/*
 * votes — a warp per particle: each lane tries a partner, the votes say which of them count
 *
 * @workload  forces
 * @structure none
 * @pass      votes item per particle * LANES
 * @tunable   LANES 32
 * @tunable   GROUP_SIZE 64
 * @warps     32
 */
KERNEL void votes(int n, GLOBAL const real4 *RESTRICT position, box_args box, real cutoff2,
                  GLOBAL accum4 *RESTRICT force PAIR_PARAMETERS)
{
    const int i = GLOBAL_ID / LANES;
    const int lane = LOCAL_ID % LANES;
    const real4 own = position[i < n ? i : 0];
    accum4 sum = make_accum4(0, 0, 0, 0);
    for (int start = 0; start < n; start += LANES) {
        uint counted = ~0u;
#if HAVE_BALLOT
        const int mine = start + lane;
        const real4 tried = displacement(own, position[mine < n ? mine : 0], box);
        counted = BALLOT(mine < n && tried.x * tried.x + tried.y * tried.y + tried.z * tried.z < cutoff2);
#endif
        for (int k = 0; k < LANES && start + k < n; k++) {
            const int j = start + k;
            const real4 other = position[j];
            const real4 d = displacement(own, other, box);
            const real r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            if (counted >> k & 1u && i < n && j != i && IN_CUTOFF(r2, cutoff2)) {
                pair_energy energy = NO_ENERGY;
                const real f = PAIR_FORCE(r2, own, other, i, j, &energy);
                sum.x += f * d.x;
                sum.y += f * d.y;
                sum.z += f * d.z;
            }
        }
    }
    if (i < n && lane == 0) force[i] = sum;
}
END
expect 0 list --variant-file lanes.cl
check 'the list tells' out 'warps      sub-groups of 32, where a device has them'
sed 's/@warps     32/@warps     24/' lanes.cl >wrong.cl
expect 2 list --variant-file wrong.cl
check 'a width that there is not' err '@warps "24"; expected 8, 16, 32 or 64'

# ---- every width ----
few+=(--device opencl:0:0)
if ! exits 3 check --variant all_pairs_tile "${few[@]}" --outputs virial --reduction warp; then
    cat err
    echo 'no OpenCL device without sub-groups of its own'
    conclude
fi
check 'a device without sub-groups' err 'reduction warp: opencl:0:0 has no shuffles within a warp'
for width in 8 16 32 64; do
    export PAIRMARK_SUBGROUPS=$width
    sed "s/@warps     32/@warps     $width/; s/GROUP_SIZE 64/GROUP_SIZE $width/" lanes.cl >right.cl
    all_pass "lanes of $width" --variant-file right.cl "${few[@]}" --outputs forces
    sed 's/SHUFFLE(read.x, k)/SHUFFLE(read.x, k ^ 1)/' right.cl >other_lane.cl
    expect 1 check --variant-file other_lane.cl "${few[@]}" --outputs forces
    sed 's/k < WARP_SIZE/k < 32/' right.cl >counts_on_32.cl
    expect $((width == 32 ? 0 : 1)) check --variant-file counts_on_32.cl "${few[@]}" --outputs forces
    sed "s/GROUP_SIZE 64/GROUP_SIZE $width/" votes.cl >right.cl # votes are emulated in groups of one sub-group
    all_pass "votes, where there are some, in warps of $width" --variant-file right.cl "${few[@]}" --outputs forces
    if [ $width = 32 ]; then
        sed 's/counted = BALLOT(.*);/& counted <<= 1;/' right.cl >miscounted.cl
    else
        sed "s/@warps     32/@warps     $width/; s/^#if HAVE_BALLOT/#if 1/" right.cl >miscounted.cl
        all_pass "a list without votes in warps of $width" --variant neighbours_tile --workload neighbours "${few[@]}"
    fi
    expect 1 check --variant-file miscounted.cl "${few[@]}" --outputs forces
    check 'miscounted votes are wrong' out 'wrong forces'
    all_pass "sums of $width" --variant all_pairs_tile "${few[@]}" --tune GROUP_SIZE=64 --outputs virial --reduction warp
done
export PAIRMARK_SUBGROUPS=32
for variant in blocks_32 clusters_8x8 sorted_cells_ballot boxes_half; do
    all_pass "$variant by shuffles" --variant $variant "${few[@]}" --outputs forces --tune GROUP_SIZE=32
done
sed 's/= SHUFFLE(partner->particle.position.y, next)/= SHUFFLE(partner->particle.position.y, next ^ 1)/' \
    "$tests/../variants/forces/blocks_32.cl" >blocks_32.cl
expect 1 check --variant-file blocks_32.cl "${few[@]}" --outputs forces --tune GROUP_SIZE=32
conclude
