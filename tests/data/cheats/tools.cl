/*
 * tools — forces in fixed point that have the harness's own kernels do the work, where no time is taken; TRICK says how
 *
 *  0  none: works each time
 *  1  leaves notes in place of forces, and a macro that has whoever makes a result of them compute the force: a kernel of
 *     the harness does, behind those that are timed, and would be changed by it if it stood behind this text
 *
 * @workload  forces
 * @structure none
 * @boxes     periodic
 * @pass      tools item per particle
 * @tunable   GROUP_SIZE 64
 * @tunable   TRICK 0* 1
 */
DEVICE accum4 force_on(int n, int i, GLOBAL const real4 *position, real edge, real cutoff2)
{
    const real4 edges = make_real4(edge, edge, edge, 0);
    const real4 inverse_edges = make_real4(1 / edge, 1 / edge, 1 / edge, 0);
    const real4 own = position[i];
    accum4 sum = make_accum4(0, 0, 0, 0);
    for (int j = 0; j < n; j++) {
        const real4 other = position[j];
        const real4 d = nearest_difference(own, other, edges, inverse_edges);
        if (IN_CUTOFF(d.w, cutoff2) && j != i) {
            pair_energy energy = NO_ENERGY;
            const real f = PAIR_FORCE(d.w, own, other, i, j, &energy);
            sum.x += f * d.x;
            sum.y += f * d.y;
            sum.z += f * d.z;
        }
    }
    return sum;
}

KERNEL void tools(int n, GLOBAL const real4 *RESTRICT position, real4 edge, real cutoff2, int force_plane,
                  GLOBAL force_sum *RESTRICT force)
{
    const int i = GLOBAL_ID;
    if (i < n) {
#if TRICK == 1
        force[i] = (long64)position;
        force[force_plane + i] = (long64)(edge.x * REAL(1048576.0));
        force[2 * force_plane + i] = (long64)(cutoff2 * REAL(1048576.0));
        force[3 * force_plane + i] = 0;
#else
        const accum4 sum = force_on(n, i, position, edge.x, cutoff2);
        own_force own;
        clear_force(&own);
        add_to_force(&own, sum.x, sum.y, sum.z);
        store_own_force(force, force_plane, i, &own);
#endif
    }
}
#if TRICK == 1
#undef make_accum4
#define make_accum4(x, y, z, w)                                                                                        \
    force_on(n, i, (GLOBAL const real4 *)force[i], force[plane + i] / REAL(1048576.0), force[2 * plane + i] / REAL(1048576.0))
#endif
