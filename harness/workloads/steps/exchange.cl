/*
 * exchange — identical molecules change places as wholes, along Hilbert's curve
 *
 * A rank is a molecule's number among all, groups of identical ones side by side; a seat is a
 * particle's number in the input, a place where kernels find what sits there now. `start` and
 * `seats` list the seats of each rank. Behind variants/structures/curve.cl and member_order.cl.
 */

DEVICE int exchange_bin(real x, real origin, real inverse_bin, int bins)
{
    const int bin = (int)((x - origin) * inverse_bin);
    return bin < 0 ? 0 : bin >= bins ? bins - 1 : bin;
}

/* A molecule is where its first particle is. */
KERNEL void exchange_number(int molecules, int n, int shift, int back, real4 origin,
                            real4 inverse_bin, int bits, GLOBAL const int *RESTRICT start,
                            GLOBAL const int *RESTRICT seats, GLOBAL const int *RESTRICT group,
                            GLOBAL const real4 *RESTRICT position, GLOBAL int *RESTRICT key,
                            GLOBAL int *RESTRICT rank)
{
    const int m = GLOBAL_ID;
    if (m < molecules) {
        const real4 x = position[order_place_of(seats[start[m]], n, shift, back)];
        const int4 bin = make_int4(exchange_bin(x.x, origin.x, inverse_bin.x, 1 << bits),
                                   exchange_bin(x.y, origin.y, inverse_bin.y, 1 << bits),
                                   exchange_bin(x.z, origin.z, inverse_bin.z, 1 << bits), 0);
        key[m] = (int)((uint)group[m] << (3 * bits) | (uint)hilbert_number(bin, bits));
        rank[m] = m;
    }
}

/* What every seat will hold: particle k of the molecule that comes to its rank. */
KERNEL void exchange_take(int n, int shift, int back, GLOBAL const int *RESTRICT start,
                          GLOBAL const int *RESTRICT seats, GLOBAL const int *RESTRICT rank_of_seat,
                          GLOBAL const int *RESTRICT comes, GLOBAL const real4 *RESTRICT position,
                          GLOBAL const real4 *RESTRICT position_rest,
                          GLOBAL const accum4 *RESTRICT velocity,
                          GLOBAL const accum4 *RESTRICT force, GLOBAL const int4 *RESTRICT crossing,
                          GLOBAL const int *RESTRICT index, GLOBAL real4 *RESTRICT new_position,
                          GLOBAL real4 *RESTRICT new_rest, GLOBAL accum4 *RESTRICT new_velocity,
                          GLOBAL accum4 *RESTRICT new_force, GLOBAL int4 *RESTRICT new_crossing,
                          GLOBAL int *RESTRICT new_index)
{
    const int at = GLOBAL_ID; /* seats by rank */
    if (at < n) {
        const int rank = rank_of_seat[at];
        const int from =
            order_place_of(seats[start[comes[rank]] + at - start[rank]], n, shift, back);
        const int to = order_place_of(seats[at], n, shift, back);
        new_position[to] = position[from];
        new_rest[to] = position_rest[from];
        new_velocity[to] = velocity[from];
        new_force[to] = force[from];
        new_crossing[to] = crossing[from];
        new_index[to] = index[from];
    }
}

KERNEL void exchange_put(int n, GLOBAL const real4 *RESTRICT new_position,
                         GLOBAL const real4 *RESTRICT new_rest,
                         GLOBAL const accum4 *RESTRICT new_velocity,
                         GLOBAL const accum4 *RESTRICT new_force,
                         GLOBAL const int4 *RESTRICT new_crossing,
                         GLOBAL const int *RESTRICT new_index, GLOBAL real4 *RESTRICT position,
                         GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity,
                         GLOBAL accum4 *RESTRICT force, GLOBAL int4 *RESTRICT crossing,
                         GLOBAL int *RESTRICT index)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        position[place] = new_position[place];
        position_rest[place] = new_rest[place];
        velocity[place] = new_velocity[place];
        force[place] = new_force[place];
        crossing[place] = new_crossing[place];
        index[place] = new_index[place];
    }
}
