/*
 * rdf — the histogram of the distances of pairs, one for each pair of types
 *
 * The interaction of workload `rdf` alone; it has no pair function. Bin k of two types has the pairs with
 * k rc / bins <= r < (k + 1) rc / bins, each pair once. Histograms follow each other: of types 0 0, 0 1, ..., 1 1, ... Kernels
 * have the words below, and RDF_BIN_COUNT, RDF_TYPE_COUNT, and RDF_NUMBERS of all histograms.
 *
 * @workload rdf
 * @parameter bins 100 positive of each pair of types
 * @parameter types 1 positive of particles; 1: all are taken for alike
 * @parameter rc 2.5 positive where the histogram ends, length
 * @cutoff rc
 * @flops distance 9 three differences, three squares, two sums, one comparison
 * @flops pair 3 a root, a product, a whole number
 */

/* The number that a pair adds to; -1 where rounding puts it past the last bin. */
DEVICE int rdf_number(real r2, int one, int other)
{
    const int bin = (int)(SQRT(r2) * (REAL(RDF_BIN_COUNT) / RDF_RC));
#if RDF_TYPE_COUNT == 1
    const int types = 0;
#else
    const int low = one < other ? one : other;
    const int high = one < other ? other : one;
    const int types = low * (2 * RDF_TYPE_COUNT - 1 - low) / 2 + high;
#endif
    return bin < RDF_BIN_COUNT ? types * RDF_BIN_COUNT + bin : -1;
}

#if RDF_TYPE_COUNT == 1
#define RDF_TYPE_OF(elements, i) 0
#else
#define RDF_TYPE_OF(elements, i) ((elements)[i])
#endif

/* ---- histograms of a group, in local memory: of fewer than 2^31 pairs between two calls of the last ---- */

#define RDF_LOCAL LOCAL int rdf_local[RDF_NUMBERS + 1]; /* the last: of pairs that rounding puts past the last bin */

DEVICE void rdf_local_clear(LOCAL_ARG int *rdf_local)
{
    for (int k = LOCAL_ID; k < RDF_NUMBERS; k += LOCAL_SIZE) {
        rdf_local[k] = 0;
    }
    SYNC_THREADS;
}

DEVICE void rdf_local_add(LOCAL_ARG int *rdf_local, int number)
{
    if (number >= 0) {
        ATOMIC_ADD_LOCAL_INT(&rdf_local[number], 1);
    }
}

/* Adds a pair: RDF_ADD_PAIR, in a kernel that begins with RDF_FIND_LOCAL. In float CUDA takes the number from the last digits of
 * r / width + 2^23, rounded down, and the address stays in a register, since the compiler does not know that `positive` is that. */
#if defined(__CUDA_ARCH__) && !REAL_IS_DOUBLE && RDF_TYPE_COUNT == 1
#define RDF_FIND_LOCAL(positive)                                                                           \
    const uint rdf_origin = (uint)__cvta_generic_to_shared(rdf_local) - 4u * 0x4b000000u + ((uint)(positive) >> 31);
#define RDF_ADD_PAIR(r2, one, other) rdf_add_at(rdf_origin, r2)

DEVICE void rdf_add_at(uint origin, real r2)
{
    const uint digits = __float_as_uint(__fmaf_rz(SQRT(r2), REAL(RDF_BIN_COUNT) / RDF_RC, 8388608.0f));
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(origin + 4u * min(digits, 0x4b000000u + RDF_BIN_COUNT)) : "memory");
}
#else
#define RDF_FIND_LOCAL(positive)
#define RDF_ADD_PAIR(r2, one, other) rdf_local_add(rdf_local, rdf_number((r2), (one), (other)))
#endif

/* Adds them to those of the case, and clears them: by all work-items of the group. */
DEVICE void rdf_local_end(LOCAL_ARG int *rdf_local, GLOBAL long64 *RESTRICT histogram)
{
    SYNC_THREADS;
    for (int k = LOCAL_ID; k < RDF_NUMBERS; k += LOCAL_SIZE) {
        if (rdf_local[k] != 0) {
            ATOMIC_ADD_LONG(&histogram[k], (long64)rdf_local[k]);
        }
        rdf_local[k] = 0;
    }
    SYNC_THREADS;
}

/* The first pass: what is added to begins as zero. */
#define RDF_CLEAR(histogram)                                                                                  \
    if (GLOBAL_ID < RDF_NUMBERS) {                                                                            \
        (histogram)[GLOBAL_ID] = 0;                                                                           \
    }
