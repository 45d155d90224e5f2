/*
 * launch_tools — what stands between two timed launches of a case: its particles in another order, its outputs
 * judged and then spoilt, its inputs summed up.
 *
 * A place is where a kernel under test finds a particle; a member is the particle. Orders are shifts and reversals,
 * so that neighbours in memory stay neighbours.
 */

DEVICE int member_at(int place, int n, int shift, int reversed)
{
    const int member = (reversed ? n - 1 - place : place);
    return member < n - shift ? member + shift : member - (n - shift);
}

/* Bits that look like chance, from bits that do not (after the finaliser of MurmurHash3, A. Appleby, public domain). */
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

KERNEL void reorder_positions(int n, int shift, int reversed, GLOBAL const real4 *RESTRICT members,
                              GLOBAL real4 *RESTRICT places)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        places[place] = members[member_at(place, n, shift, reversed)];
    }
}

KERNEL void reorder_ints(int n, int shift, int reversed, GLOBAL const int *RESTRICT members,
                         GLOBAL int *RESTRICT places)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        places[place] = members[member_at(place, n, shift, reversed)];
    }
}

/* A number that a right kernel might have written, but not here. */
DEVICE accum likely_garbage(accum likely, accum tolerance, uint bits)
{
    return likely * (ACCUM(1.0) + ACCUM(0.5) * chance(mix_bits(bits))) +
           ACCUM(1000.0) * tolerance * chance(mix_bits(bits ^ 0x9e3779b9u));
}

/*
 * Compares each result with what is expected (x, y, z, and in w how far each may be off), counts those that are
 * wrong (found[2 launch]), keeps one of them (found[2 launch + 1] is its member, wrong[launch] what it had), and leaves
 * in its place, unless told otherwise, what was expected of another member, distorted: a launch that leaves it there is
 * wrong, and nothing tells garbage from results.
 */
KERNEL void judge_results(int n, int shift, int reversed, GLOBAL const accum4 *RESTRICT expected,
                          GLOBAL accum4 *RESTRICT result, int launch, GLOBAL int *RESTRICT found,
                          GLOBAL accum4 *RESTRICT wrong, int spoil, int seed)
{
    const int place = GLOBAL_ID;
    if (place >= n) {
        return;
    }
    const int member = member_at(place, n, shift, reversed);
    const accum4 right = expected[member];
    const accum4 got = result[place];
    const accum x = got.x - right.x;
    const accum y = got.y - right.y;
    const accum z = got.z - right.z;
    /* Written so that NaN is wrong. */
    const int within = x <= right.w && -x <= right.w && y <= right.w && -y <= right.w && z <= right.w && -z <= right.w;
    if (!within && ATOMIC_ADD_INT(&found[2 * launch], 1) == 0) {
        found[2 * launch + 1] = member;
        wrong[launch] = got;
    }
    if (!spoil) {
        return;
    }
    const uint bits = mix_bits((uint)place ^ mix_bits((uint)seed));
    const accum4 other = expected[(int)(bits % (uint)n)];
    result[place] = make_accum4(likely_garbage(other.x, right.w, bits + 1u), likely_garbage(other.y, right.w, bits + 2u),
                                likely_garbage(other.z, right.w, bits + 3u), chance(bits + 4u));
}

/* Sums are kept aside for the host to judge, and spoilt unless told otherwise. */
KERNEL void keep_sums(int count, GLOBAL accum *RESTRICT sums, GLOBAL accum *RESTRICT kept, int offset, int spoil, int seed)
{
    const int s = GLOBAL_ID;
    if (s < count) {
        const accum sum = sums[s];
        const accum factor = ACCUM(1.0) + ACCUM(0.5) * chance(mix_bits((uint)s ^ (uint)seed));
        kept[offset + s] = sum;
        if (spoil) {
            sums[s] = sum == sum ? sum * factor + chance((uint)seed) : chance((uint)seed);
        }
    }
}

KERNEL void spoil_numbers(int n, GLOBAL accum *RESTRICT numbers, int seed)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        numbers[i] = ACCUM(64.0) * chance(mix_bits((uint)i ^ mix_bits((uint)seed)));
    }
}

/* Results at some places, of so many words each, are kept aside for the host to judge, from result `offset` on. */
KERNEL void keep_words(int count, int words, GLOBAL const int *RESTRICT places, GLOBAL const int *RESTRICT results,
                       GLOBAL int *RESTRICT kept, int offset)
{
    const int k = GLOBAL_ID;
    for (int w = 0; k < count && w < words; w++) {
        kept[(offset + k) * words + w] = results[(long64)places[k] * words + w];
    }
}

KERNEL void spoil_words(int n, GLOBAL int *RESTRICT words, int seed)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        words[i] = (int)mix_bits((uint)i ^ mix_bits((uint)seed));
    }
}

/* Adds to sums[at] and the one behind it, over all words, a number that depends on the word, its place and the seed alone: what changes a
 * word and does not know the seed changes the sums. */
KERNEL void sum_up_words(int n, GLOBAL const int *RESTRICT words, int seed, GLOBAL int *RESTRICT sums, int at)
{
    uint one = 0, other = 0;
    for (int i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        const uint place = mix_bits((uint)i + (uint)seed);
        const uint word = (uint)words[i];
        one += mix_bits(word ^ place);
        other += mix_bits((word + 0x9e3779b9u) ^ mix_bits(place));
        if (n - i <= GLOBAL_SIZE) {
            break; /* before i could pass what an int holds */
        }
    }
    (void)ATOMIC_ADD_INT(&sums[at], (int)one);
    (void)ATOMIC_ADD_INT(&sums[at + 1], (int)other);
}

/* Keeps the device at work for a while, so that what is enqueued behind is there before it is needed. */
KERNEL void spend_time(int turns, GLOBAL int *RESTRICT nothing)
{
    uint x = (uint)turns;
    for (int t = 0; t < turns; t++) {
        x = x * 1664525u + 1013904223u;
    }
    if (x == 1u && turns < 0) {
        nothing[0] = 1;
    }
}
