/*
 * step_tools — what stands around the time steps of a launch: the state with which it begins, and what became of it
 *
 * Compiled with the case, behind its own text. A place is where kernels find a particle, a member is the particle, as in
 * launch_tools.cl.
 */

DEVICE int step_member_at(int place, int n, int shift, int reversed)
{
    const int member = (reversed ? n - 1 - place : place);
    return member < n - shift ? member + shift : member - (n - shift);
}

KERNEL void step_place_state(int n, int shift, int reversed, GLOBAL const real4 *RESTRICT start_position,
                             GLOBAL const real4 *RESTRICT start_rest, GLOBAL const accum4 *RESTRICT start_velocity,
                             GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                             GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing, GLOBAL int *RESTRICT index)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        const int member = step_member_at(place, n, shift, reversed);
        position[place] = start_position[member];
        position_rest[place] = start_rest[member];
        velocity[place] = start_velocity[member];
        crossing[place] = make_int4(0, 0, 0, 0);
        index[place] = member;
    }
}

/* How far each particle has come, whatever faces it crossed: by the crossings that were counted, else by the nearest
 * image, which is right while nobody has come half an edge. */
KERNEL void step_tell_displacement(int n, int shift, int reversed, int counted, box_args box,
                                   GLOBAL const real4 *RESTRICT start_position, GLOBAL const real4 *RESTRICT start_rest,
                                   GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
                                   GLOBAL const int4 *RESTRICT crossing, GLOBAL accum4 *RESTRICT displacement)
{
    const int place = GLOBAL_ID;
    if (place >= n) {
        return;
    }
    const int member = step_member_at(place, n, shift, reversed);
    const real4 from = start_position[member];
    const real4 from_rest = start_rest[member];
    const real4 to = position[place];
    const real4 to_rest = position_rest[place];
    accum x = ((accum)to.x - (accum)from.x) + ((accum)to_rest.x - (accum)from_rest.x);
    accum y = ((accum)to.y - (accum)from.y) + ((accum)to_rest.y - (accum)from_rest.y);
    accum z = ((accum)to.z - (accum)from.z) + ((accum)to_rest.z - (accum)from_rest.z);
#if PERIODIC
    int4 faces = crossing[place];
    if (!counted) {
        faces.z = -(int)RINT(z * box.inverse_edge.z);
#if TRICLINIC
        y += faces.z * (accum)box.tilt.z;
        x += faces.z * (accum)box.tilt.y;
#endif
        faces.y = -(int)RINT(y * box.inverse_edge.y);
#if TRICLINIC
        x += faces.y * (accum)box.tilt.x;
#endif
        faces.x = -(int)RINT(x * box.inverse_edge.x);
    }
#if TRICLINIC
    else {
        y += faces.z * (accum)box.tilt.z;
        x += faces.z * (accum)box.tilt.y + faces.y * (accum)box.tilt.x;
    }
#endif
    x += faces.x * (accum)box.edge.x;
    y += faces.y * (accum)box.edge.y;
    z += faces.z * (accum)box.edge.z;
#endif
    displacement[place] = make_accum4(x, y, z, 0);
}
