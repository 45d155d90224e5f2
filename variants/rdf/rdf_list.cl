/*
 * rdf_list — one particle per work-item, down a row that has each pair once; a histogram per group in local memory
 *
 * Over half of a list, which lasts until a particle has moved by half the skin. As rdf_local adds them up.
 *
 * @workload  rdf
 * @structure pair_list
 * @boxes     open periodic triclinic
 * @pass      rdf_list_begin item per bin
 * @pass      rdf_list item per particle
 * @tunable   GROUP_SIZE 64 128* 256
 * @tunable   HALF 1
 * @tunable   SKIN 12
 * @tunable   STABLE_SORT 0* 1
 */
KERNEL void rdf_list_begin(GLOBAL long64 *RESTRICT histogram)
{
    RDF_CLEAR(histogram)
}

KERNEL void rdf_list(int n, GLOBAL const real4 *RESTRICT position, GLOBAL const int *RESTRICT neighbour_count,
                     GLOBAL const int *RESTRICT neighbours, int list_capacity, GLOBAL const int *RESTRICT elements,
                     box_args box, real cutoff2, GLOBAL long64 *RESTRICT histogram)
{
    RDF_LOCAL
    RDF_FIND_LOCAL(n)
    const int i = GLOBAL_ID;
    const int count = i < n ? neighbour_count[i] : 0;
    rdf_local_clear(rdf_local);
    for (int e = 0; e < count; e++) {
        const int j = neighbours[(long64)i * list_capacity + e];
        const real4 d = displacement(position[i], position[j], box);
        if (IN_CUTOFF(d.w, cutoff2)) {
            RDF_ADD_PAIR(d.w, RDF_TYPE_OF(elements, i), RDF_TYPE_OF(elements, j));
        }
    }
    rdf_local_end(rdf_local, histogram);
}
