/*
 * rdf_loop — one particle per work-item, against those behind it; each pair adds to the histogram in global memory
 *
 * The simplest kernel that is right. Pairs of one bin wait for each other at its number, so that a short histogram makes it
 * slower; the work-items of the first particles have the longest loops.
 *
 * @workload  rdf
 * @structure none
 * @boxes     open periodic triclinic
 * @pass      rdf_loop_clear item per bin
 * @pass      rdf_loop item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 */
KERNEL void rdf_loop_clear(GLOBAL long64 *RESTRICT histogram)
{
    RDF_CLEAR(histogram)
}

KERNEL void rdf_loop(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT elements, box_args box,
                     real cutoff2, GLOBAL long64 *RESTRICT histogram)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 own = position[i];
        for (int j = i + 1; j < n; j++) {
            const real4 d = displacement(own, position[j], box);
            if (IN_CUTOFF(d.w, cutoff2)) {
                const int number = rdf_number(d.w, RDF_TYPE_OF(elements, i), RDF_TYPE_OF(elements, j));
                if (number >= 0) {
                    ATOMIC_ADD_LONG(&histogram[number], 1);
                }
            }
        }
    }
}
