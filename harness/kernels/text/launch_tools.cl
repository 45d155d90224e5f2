/*
 * launch_tools — what stands between two timed launches of a case: its particles in another
 * order, its outputs judged and then overwritten with garbage, its inputs summed up.
 *
 * What places and members are says workloads/member_order.cl, which stands before this text.
 *
 * Garbage reveals nothing of what it replaced, and what is expected is covered: kernels under test
 * may read whatever they like, and know how all of this is done, but no key. Keys are two words,
 * arguments of these kernels alone, and what is made of them is Philox's (variants/random.cl, which
 * stands before this text), from whose words nobody finds them.
 */

/* Bits that look like chance, from bits that do not (after the finaliser of MurmurHash3, A.
 * Appleby, public domain). */
DEVICE uint mix_bits(uint x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16);
}

/* Evenly from [-1, 1). */
DEVICE accum chance(uint bits)
{
    return (accum)(int)(bits >> 8) * ACCUM(1.1920928955078125e-7) - ACCUM(1.0);
}

KERNEL void reorder_positions(int n, int share, int shift, int stride,
                              GLOBAL const real4 *RESTRICT members, GLOBAL real4 *RESTRICT places)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        places[place] = members[order_member_at(place, n, share, shift, stride)];
    }
}

KERNEL void reorder_ints(int n, int share, int shift, int stride,
                         GLOBAL const int *RESTRICT members, GLOBAL int *RESTRICT places)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        places[place] = members[order_member_at(place, n, share, shift, stride)];
    }
}

/* What a coordinate is along an edge, as a share of it, and the coordinate of what lies in the
 * cell: one period more or less. */
DEVICE real periods_beyond(real share)
{
    return share < REAL(0.0) ? REAL(-1.0) : share >= REAL(1.0) ? REAL(1.0) : REAL(0.0);
}

/*
 * Moves each particle of places `first` to `end` by up to `height` along each axis: along x by a wave that runs along the
 * second vector of the cell, along y by one along the third, along z by one along the first. Such
 * shears change no density, and particles near each other stay so. The cell has its origin at
 * `least`, and the vectors that variants/box.cl says. Whoever leaves a periodic cell comes in at
 * the other side; in an open box, nobody leaves the bounds.
 */
KERNEL void displace_positions(int first, int end, int periodic, real4 least, real4 edge,
                               real4 inverse_edge, real4 tilt, real4 wave_number, real4 phase,
                               real height, GLOBAL real4 *RESTRICT position)
{
    const int i = first + GLOBAL_ID;
    if (i >= end) {
        return;
    }
    const real4 own = position[i];
    real4 to = own;
    const real c = (own.z - least.z) * inverse_edge.z;
    const real b = (own.y - least.y - tilt.z * c) * inverse_edge.y;
    const real a = (own.x - least.x - tilt.x * b - tilt.y * c) * inverse_edge.x;
    to.x += height * SIN(wave_number.y * b + phase.x);
    to.y += height * SIN(wave_number.z * c + phase.y);
    to.z += height * SIN(wave_number.x * a + phase.z);
    if (!periodic) {
        position[i] = make_real4(MIN_REAL(MAX_REAL(to.x, least.x), least.x + edge.x),
                                 MIN_REAL(MAX_REAL(to.y, least.y), least.y + edge.y),
                                 MIN_REAL(MAX_REAL(to.z, least.z), least.z + edge.z), own.w);
        return;
    }
    const real over_c = periods_beyond(to.z * inverse_edge.z);
    to = make_real4(to.x - over_c * tilt.y, to.y - over_c * tilt.z, to.z - over_c * edge.z, own.w);
    const real over_b = periods_beyond((to.y - tilt.z * to.z * inverse_edge.z) * inverse_edge.y);
    to = make_real4(to.x - over_b * tilt.x, to.y - over_b * edge.y, to.z, own.w);
    const real now_c = to.z * inverse_edge.z;
    const real now_b = (to.y - tilt.z * now_c) * inverse_edge.y;
    to.x -= periods_beyond((to.x - tilt.x * now_b - tilt.y * now_c) * inverse_edge.x) * edge.x;
    const real now_a = (to.x - tilt.x * now_b - tilt.y * now_c) * inverse_edge.x;
    const int inside = now_a >= REAL(0.0) && now_a < REAL(1.0) && now_b >= REAL(0.0) &&
                       now_b < REAL(1.0) && now_c >= REAL(0.0) &&
                       now_c < REAL(1.0); /* rounding may put it on the far face */
    position[i] = inside ? to : own;
}

/* A number that a right kernel might have written, but not here. */
DEVICE accum likely_garbage(accum likely, accum tolerance, uint bits)
{
    return likely * (ACCUM(1.0) + ACCUM(0.5) * chance(bits)) +
           ACCUM(1000.0) * tolerance * chance(mix_bits(bits));
}

enum { USE_COVER = 1, USE_GARBAGE = 2, BLOCKS_PER_RESULT = sizeof(accum4) / (4 * sizeof(uint)) };

DEVICE uint4 secret_words(int block, uint use, int key_low, int key_high)
{
    return philox4x32_10(make_uint4((uint)block, use, 0u, 0u),
                         make_uint2((uint)key_low, (uint)key_high));
}

/* Covers four words per work-item, and uncovers them when it is done again. */
KERNEL void cover_words(int blocks, GLOBAL uint *RESTRICT words, int key_low, int key_high)
{
    const int block = GLOBAL_ID;
    if (block < blocks) {
        const uint4 cover = secret_words(block, USE_COVER, key_low, key_high);
        words[4 * (long64)block] ^= cover.x;
        words[4 * (long64)block + 1] ^= cover.y;
        words[4 * (long64)block + 2] ^= cover.z;
        words[4 * (long64)block + 3] ^= cover.w;
    }
}

typedef union {
    uint words[4 * BLOCKS_PER_RESULT];
    accum numbers[4];
} uncovered_result;

/* What is expected of a member. */
DEVICE accum4 uncovered(GLOBAL const uint *RESTRICT covered, int member, int key_low, int key_high)
{
    uncovered_result result;
    for (int b = 0; b < BLOCKS_PER_RESULT; b++) {
        const int block = BLOCKS_PER_RESULT * member + b;
        const uint4 cover = secret_words(block, USE_COVER, key_low, key_high);
        result.words[4 * b] = covered[4 * (long64)block] ^ cover.x;
        result.words[4 * b + 1] = covered[4 * (long64)block + 1] ^ cover.y;
        result.words[4 * b + 2] = covered[4 * (long64)block + 2] ^ cover.z;
        result.words[4 * b + 3] = covered[4 * (long64)block + 3] ^ cover.w;
    }
    return make_accum4(result.numbers[0], result.numbers[1], result.numbers[2], result.numbers[3]);
}

/*
 * Compares each result with what is expected (x, y, z, and in w how far each may be off; covered by
 * the first key), counts those that are wrong (found[2 launch]), keeps one of them (found[2 launch
 * + 1] is its member, wrong[launch] what it had), and leaves in its place, unless `poison` is 0,
 * what was expected of another member, distorted by the second key: a launch that leaves it there
 * is wrong, and nothing distinguishes garbage from results.
 */
KERNEL void judge_results(int n, int share, int shift, int stride,
                          GLOBAL const uint *RESTRICT expected, int key_low, int key_high,
                          GLOBAL accum4 *RESTRICT result, int launch, GLOBAL int *RESTRICT found,
                          GLOBAL accum4 *RESTRICT wrong, int poison, int garbage_low,
                          int garbage_high)
{
    const int place = GLOBAL_ID;
    if (place >= n) {
        return;
    }
    const int member = order_member_at(place, n, share, shift, stride);
    const accum4 right = uncovered(expected, member, key_low, key_high);
    const accum4 got = result[place];
    const accum x = got.x - right.x;
    const accum y = got.y - right.y;
    const accum z = got.z - right.z;
    /* Written so that NaN is wrong. */
    const int within = x <= right.w && -x <= right.w && y <= right.w && -y <= right.w &&
                       z <= right.w && -z <= right.w;
    if (!within && ATOMIC_ADD_INT(&found[2 * launch], 1) == 0) {
        found[2 * launch + 1] = member;
        wrong[launch] = got;
    }
    if (!poison) {
        return;
    }
    const uint4 bits = secret_words(place, USE_GARBAGE, garbage_low, garbage_high);
    const accum4 other = uncovered(expected, (int)(bits.w % (uint)n), key_low, key_high);
    result[place] = make_accum4(likely_garbage(other.x, right.w, bits.x),
                                likely_garbage(other.y, right.w, bits.y),
                                likely_garbage(other.z, right.w, bits.z), chance(mix_bits(bits.w)));
}

/* Sums are saved for the host to judge. Unless `poison` is 0, garbage of the same size takes their
 * place: what a launch wrote there would else be its message to the next one. */
KERNEL void keep_sums(int count, GLOBAL accum *RESTRICT sums, GLOBAL accum *RESTRICT kept,
                      int offset, int poison, accum size, int seed)
{
    const int s = GLOBAL_ID;
    if (s < count) {
        kept[offset + s] = sums[s];
        if (poison) {
            sums[s] = size * chance(mix_bits((uint)s ^ mix_bits((uint)seed)));
        }
    }
}

KERNEL void poison_numbers(int n, GLOBAL accum *RESTRICT numbers, int seed)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        numbers[i] = ACCUM(64.0) * chance(mix_bits((uint)i ^ mix_bits((uint)seed)));
    }
}

/* Results at some places, of so many words each, are kept aside for the host to judge, from result
 * `offset` on. */
KERNEL void keep_words(int count, int words, GLOBAL const int *RESTRICT places,
                       GLOBAL const int *RESTRICT results, GLOBAL int *RESTRICT kept, int offset)
{
    const int k = GLOBAL_ID;
    for (int w = 0; k < count && w < words; w++) {
        kept[(offset + k) * words + w] = results[(long64)places[k] * words + w];
    }
}

/* All results of a launch are saved for the host to judge, and restored when it does. */
KERNEL void copy_results(int n, GLOBAL const accum4 *RESTRICT from, GLOBAL accum4 *RESTRICT to)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        to[i] = from[i];
    }
}

/* Of time steps: the velocities at the end, from the order of the particles into that of results.
 * `exchanged`: `index` says who is where. */
KERNEL void tell_velocities(int n, int shift, int back, int exchanged,
                            GLOBAL const int *RESTRICT index,
                            GLOBAL const accum4 *RESTRICT velocity, GLOBAL accum4 *RESTRICT told)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        const int member = exchanged ? index[place] : 0;
        if (member >= 0 && member < n) {
            told[exchanged ? order_place_of(member, n, shift, back) : place] = velocity[place];
        }
    }
}

KERNEL void poison_words(int n, GLOBAL int *RESTRICT words, int seed)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        words[i] = (int)mix_bits((uint)i ^ mix_bits((uint)seed));
    }
}

/* Adds to sums[at] and the one behind it, over all words, a number that depends on the word, its
 * place and the seed alone: what changes a word and does not know the seed changes the sums. Of
 * more words than an int counts, n from slice * slice_words on. */
KERNEL void sum_up_words(int n, int slice, int slice_words, GLOBAL const int *RESTRICT words,
                         int seed, GLOBAL int *RESTRICT sums, int at)
{
    GLOBAL const int *own = words + (long64)slice * slice_words;
    const uint first = (uint)slice * (uint)slice_words + (uint)seed;
    uint one = 0, other = 0;
    for (int i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        const uint place = mix_bits((uint)i + first);
        const uint word = (uint)own[i];
        one += mix_bits(word ^ place);
        other += mix_bits((word + 0x9e3779b9u) ^ mix_bits(place));
        if (n - i <= GLOBAL_SIZE) {
            break; /* before i could pass what an int holds */
        }
    }
    (void)ATOMIC_ADD_INT(&sums[at], (int)one);
    (void)ATOMIC_ADD_INT(&sums[at + 1], (int)other);
}

/* Keeps the device at work for a while, so that what is enqueued behind is there before it is
 * needed. */
KERNEL void spend_time(int rounds, GLOBAL int *RESTRICT nothing)
{
    uint x = (uint)rounds;
    for (int t = 0; t < rounds; t++) {
        x = x * 1664525u + 1013904223u;
    }
    if (x == 1u && rounds < 0) {
        nothing[0] = 1;
    }
}
