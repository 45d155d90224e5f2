/*
 * rdf_local — one particle per work-item, against the half of the others that follow it; a histogram per group in local memory
 *
 * Particle i meets i + 1, ..., i + n / 2, from the first again after the last: each pair once, and all loops are as long. A group
 * adds to a histogram of its own, whose atomics wait for its own work-items alone, and at the end each of its numbers to that of
 * the case.
 *
 * @workload  rdf
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      rdf_local_begin item per bin
 * @pass      rdf_local item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
#define PARTNERS_AT_ONCE (1 << 20) /* times work-items of a group: fewer than 2^31 pairs */

KERNEL void rdf_local_begin(GLOBAL long64 *RESTRICT histogram)
{
    RDF_CLEAR(histogram)
}

KERNEL void rdf_local(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT elements, box_args box,
                      real cutoff2, GLOBAL long64 *RESTRICT histogram)
{
    RDF_LOCAL
    RDF_FIND_LOCAL(n)
    const int i = GLOBAL_ID;
    const real4 own = position[i < n ? i : 0];
    /* Of an even number, the first half of the particles meets the one opposite. */
    const int partners = i < n ? (n - 1) / 2 + (n % 2 == 0 && i < n / 2) : 0;
    rdf_local_clear(rdf_local);
    for (int first = 0; first <= n / 2; first += PARTNERS_AT_ONCE) {
        for (int k = first; k < partners && k < first + PARTNERS_AT_ONCE; k++) {
            const int behind = i + 1 + k;
            const int j = behind < n ? behind : behind - n;
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
                RDF_ADD_PAIR(d.w, RDF_TYPE_OF(elements, i), RDF_TYPE_OF(elements, j));
            }
        }
        rdf_local_end(rdf_local, histogram);
    }
}
