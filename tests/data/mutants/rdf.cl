/*
 * rdf_mutant — rdf_local, broken on purpose
 *
 * What is wrong, by MUTATION: 0 nothing, 1 edges of bins are off by a thousandth of the longest distance, 2 a pair of particles
 * whose numbers differ by one counts twice, 3 pairs are seen without images, 4 additions of a group that meet are lost, 5 the
 * types of a pair change places, 6 the last particle has no pairs, 7 of an even number both of a pair of opposite particles
 * count it, 8 what stood in the histogram stays, 9 counts of a group have eight bits, 10 longer distances are in the last bin,
 * 11 the last bin is empty, 12 two particles of the second type are of the first pair of types.
 *
 * @workload  rdf
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      rdf_mutant_begin item per bin
 * @pass      rdf_mutant item per particle
 * @tunable   MUTATION 0 1 2 3 4 5 6 7 8 9 10 11 12
 */
KERNEL void rdf_mutant_begin(GLOBAL long64 *RESTRICT histogram)
{
#if MUTATION != 8
    RDF_CLEAR(histogram)
#endif
}

DEVICE int mutated_number(real r2, int one, int other)
{
#if MUTATION == 1
    const real moved = SQRT(r2) + RDF_RC * REAL(0.001);
    return rdf_number(moved * moved, one, other);
#elif MUTATION == 5 && RDF_TYPE_COUNT > 1
    const int bin = rdf_number(r2, 0, 0);
    return bin < 0 ? bin : bin + RDF_BIN_COUNT * (one * (2 * RDF_TYPE_COUNT - 1 - one) / 2 + (other > one ? other : one));
#elif MUTATION == 10
    const int number = rdf_number(r2, one, other);
    return number >= 0 ? number : rdf_number(REAL(0.0), one, other) + RDF_BIN_COUNT - 1;
#elif MUTATION == 11
    const int number = rdf_number(r2, one, other);
    return (number + 1) % RDF_BIN_COUNT == 0 ? -1 : number;
#elif MUTATION == 12
    return one == 1 && other == 1 ? rdf_number(r2, 0, 0) : rdf_number(r2, one, other);
#else
    return rdf_number(r2, one, other);
#endif
}

KERNEL void rdf_mutant(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT elements, box_args box,
                       real cutoff2, GLOBAL long64 *RESTRICT histogram)
{
    RDF_LOCAL
    const int i = GLOBAL_ID;
    const int last = MUTATION == 6 ? n - 1 : n;
    const real4 own = position[i < n ? i : 0];
    const int partners = i < n ? (n - 1) / 2 + (n % 2 == 0 && (MUTATION == 7 || i < n / 2)) : 0;
    const real longest2 = MUTATION == 10 ? cutoff2 * REAL(1.01) : cutoff2;
    rdf_local_clear(rdf_local);
    for (int k = 0; k < n / 2; k++) {
        const int j = (i + 1 + k) % n;
        int number = -1;
        if (k < partners && i < last && j < last) {
#if MUTATION == 3
            const real dx = own.x - position[j].x;
            const real dy = own.y - position[j].y;
            const real dz = own.z - position[j].z;
            const real r2 = dx * dx + dy * dy + dz * dz;
#else
            const real r2 = displacement(own, position[j], box).w;
#endif
            if (IN_CUTOFF(r2, longest2)) {
                number = mutated_number(r2, RDF_TYPE_OF(elements, i), RDF_TYPE_OF(elements, j));
            }
        }
#if MUTATION == 4
        const int before = number >= 0 ? rdf_local[number] : 0;
        SYNC_THREADS;
        if (number >= 0) {
            rdf_local[number] = before + 1;
        }
        SYNC_THREADS;
#else
        rdf_local_add(rdf_local, number);
#endif
        if (MUTATION == 2 && k == 0) {
            rdf_local_add(rdf_local, number);
        }
    }
#if MUTATION == 9
    SYNC_THREADS;
    for (int k = LOCAL_ID; k < RDF_NUMBERS; k += LOCAL_SIZE) {
        rdf_local[k] %= 256;
    }
#endif
    rdf_local_end(rdf_local, histogram);
}
