/*
 * step_tools — what stands around the time steps of a launch: the state with which it begins, and
 * what became of it
 *
 * Compiled with the case, in front of its own text and behind workloads/member_order.cl,
 * which says what places and members are.
 */

KERNEL void step_place_state(int n, int share, int shift, int stride,
                             GLOBAL const real4 *RESTRICT start_position,
                             GLOBAL const real4 *RESTRICT start_rest,
                             GLOBAL const accum4 *RESTRICT start_velocity,
                             GLOBAL const int4 *RESTRICT start_crossing,
                             GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                             GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                             GLOBAL int *RESTRICT index)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        const int member = order_member_at(place, n, share, shift, stride);
        position[place] = start_position[member];
        position_rest[place] = start_rest[member];
        velocity[place] = start_velocity[member];
        crossing[place] = start_crossing[member];
        index[place] = member;
    }
}

#if PERIODIC
/* Whether a coordinate along a vector of the cell is beyond its ends by more than rounding may put
 * it there. */
DEVICE int is_outside(accum x, real edge)
{
    const accum rounding = edge * (REAL_IS_DOUBLE ? REAL(1e-14) : REAL(4e-6));
    return !(x >= -rounding && x <= edge + rounding);
}

/* Whether a particle has been left outside of the cell. */
DEVICE int is_outside_cell(real4 p, real4 rest, box_args box)
{
    accum x = (accum)p.x + rest.x;
    accum y = (accum)p.y + rest.y;
    const accum z = (accum)p.z + rest.z;
#if TRICLINIC
    const accum along_z = z * box.inverse_edge.z;
    y -= along_z * (accum)box.tilt.z;
    x -= along_z * (accum)box.tilt.y + y * box.inverse_edge.y * (accum)box.tilt.x;
#endif
    return is_outside(x, box.edge.x) || is_outside(y, box.edge.y) || is_outside(z, box.edge.z);
}
#endif

/* How far each particle has come, whatever faces it crossed: by the crossings that were counted,
 * else by the nearest image, which is right while nobody has come half an edge. Where molecules
 * were exchanged, `index` says who is where; never in batches. Of these, boxes that have cells of
 * their own have them in `cells`, by the box that `box_of` has for each member; else cells is NULL. */
KERNEL void step_write_displacement(
    int n, int share, int shift, int stride, int back, int counted, int exchanged, box_args one_box,
    int has_cells, GLOBAL const box_args *RESTRICT cells, GLOBAL const int *RESTRICT box_of,
    GLOBAL const real4 *RESTRICT start_position, GLOBAL const real4 *RESTRICT start_rest,
    GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
    GLOBAL const int4 *RESTRICT start_crossing, GLOBAL const int4 *RESTRICT crossing,
    GLOBAL const int *RESTRICT index, GLOBAL accum4 *RESTRICT displacement)
{
    const int place = GLOBAL_ID;
    if (place >= n) {
        return;
    }
    const int member = exchanged ? index[place] : order_member_at(place, n, share, shift, stride);
    if (member < 0 || member >= n) {
        return;
    }
    const box_args box = has_cells ? cells[box_of[member]] : one_box;
    (void)box; /* of an open one */
    const real4 from = start_position[member];
    const real4 from_rest = start_rest[member];
    const real4 to = position[place];
    const real4 to_rest = position_rest[place];
    accum x = ((accum)to.x - (accum)from.x) + ((accum)to_rest.x - (accum)from_rest.x);
    accum y = ((accum)to.y - (accum)from.y) + ((accum)to_rest.y - (accum)from_rest.y);
    accum z = ((accum)to.z - (accum)from.z) + ((accum)to_rest.z - (accum)from_rest.z);
#if PERIODIC
    const int4 before = start_crossing[member];
    int4 faces = crossing[place];
    faces.x -= before.x;
    faces.y -= before.y;
    faces.z -= before.z;
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
    if (is_outside_cell(to, to_rest, box)) {
        x = ACCUM(0.0) / ACCUM(0.0); /* NaN, which no reference is near */
    }
#endif
    displacement[exchanged ? order_place_of(member, n, shift, back) : place] = make_accum4(x, y, z, 0);
}

/* ---- sums over particles ---- */

#if HAVE_FP64
typedef double step_real;
#else
typedef accum step_real;
#endif

DEVICE step_real step_sum_of_group(LOCAL_ARG step_real *scratch, step_real term)
{
    scratch[LOCAL_ID] = term;
    SYNC_THREADS;
    for (int half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        if (LOCAL_ID < half_size) {
            scratch[LOCAL_ID] += scratch[LOCAL_ID + half_size];
        }
        SYNC_THREADS;
    }
    const step_real sum = scratch[0];
    SYNC_THREADS;
    return sum;
}

/* ---- simulations ---- */

#if HAVE_FP64
/* The state of now becomes the one that the next launch begins with, split as the host splits what
 * it sends. `counted`: crossings are known to the host, and begin again. `index` says who is where.
 */
KERNEL void
step_keep_state(int n, int told, GLOBAL const int *RESTRICT index,
                GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest,
                GLOBAL const accum4 *RESTRICT velocity, GLOBAL const int4 *RESTRICT crossing,
                GLOBAL real4 *RESTRICT start_position, GLOBAL real4 *RESTRICT start_rest,
                GLOBAL accum4 *RESTRICT start_velocity, GLOBAL int4 *RESTRICT start_crossing)
{
    const int place = GLOBAL_ID;
    if (place < n) {
        const int member = index[place];
        if (member >= 0 && member < n) {
            const accum4 whole = whole_position(place, position, position_rest);
            const real4 p = make_real4((real)whole.x, (real)whole.y, (real)whole.z, (real)whole.w);
            const int4 crossed = crossing[place];
            start_position[member] = p;
            start_rest[member] =
                make_real4((real)(whole.x - p.x), (real)(whole.y - p.y), (real)(whole.z - p.z), 0);
            start_velocity[member] = velocity[place];
            start_crossing[member] = told ? make_int4(0, 0, 0, crossed.w) : crossed;
        }
    }
}

/* Five sums per work-group: kinetic energy, momentum, squares of velocities, each `lag` behind its
 * position. Who is faster along an axis than `fastest`, or nowhere, leaves its number and 1 in
 * `astray`. */
KERNEL void step_sum_state(int n, accum lag, accum fastest, GLOBAL const real4 *RESTRICT position,
                           GLOBAL const accum4 *RESTRICT velocity,
                           GLOBAL const accum4 *RESTRICT force, GLOBAL const int *RESTRICT index,
                           GLOBAL double *RESTRICT sums, GLOBAL int *RESTRICT astray)
{
    LOCAL double scratch[GROUP_SIZE];
    double sum[5] = { 0, 0, 0, 0, 0 };
    for (int i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        const real4 p = position[i];
        const accum4 v = velocity[i];
        const real far_off = REAL(1.0e30);
        if (!(FABS(p.x) < far_off && FABS(p.y) < far_off && FABS(p.z) < far_off &&
              FABS_ACCUM(v.x) <= fastest && FABS_ACCUM(v.y) <= fastest &&
              FABS_ACCUM(v.z) <= fastest)) {
            (void)ATOMIC_EXCHANGE(astray, index[i] + 1);
        }
        double now[3] = { v.x, v.y, v.z };
        if (lag != 0) {
            const accum4 f = force[i];
            const double push = (double)lag * v.w;
            now[0] += push * f.x;
            now[1] += push * f.y;
            now[2] += push * f.z;
        }
        const double mass = 1.0 / (double)v.w;
        const double square = now[0] * now[0] + now[1] * now[1] + now[2] * now[2];
        sum[0] += 0.5 * mass * square;
        sum[1] += mass * now[0];
        sum[2] += mass * now[1];
        sum[3] += mass * now[2];
        sum[4] += square;
    }
    for (int k = 0; k < 5; k++) {
        const double of_group = step_sum_of_group(scratch, sum[k]);
        if (LOCAL_ID == 0) {
            sums[5 * GROUP_ID + k] = of_group;
        }
    }
}
#endif

/* ---- what steps walk ---- */

/* Has in `built` where particles will be in a while, by their velocities and, where `pushed`, by
 * their forces, but no farther away than `farthest`. A structure that is built for the middle of
 * its life serves about twice as long: a fast particle goes as far past that place as it was away
 * from it. */
KERNEL void step_predict(int n, accum time, int pushed, accum farthest, box_args box,
                         GLOBAL const accum4 *RESTRICT velocity,
                         GLOBAL const accum4 *RESTRICT force,
                         GLOBAL const real4 *RESTRICT position, GLOBAL real4 *RESTRICT built)
{
    const int i = GLOBAL_ID;
    if (i < n) {
        const real4 now = position[i];
        const accum4 v = velocity[i];
        accum4 way = make_accum4(time * v.x, time * v.y, time * v.z, 0);
        if (pushed) {
            const accum4 f = force[i];
            const accum factor = ACCUM(0.5) * time * time * v.w;
            way.x += factor * f.x;
            way.y += factor * f.y;
            way.z += factor * f.z;
        }
        const accum way2 = way.x * way.x + way.y * way.y + way.z * way.z;
        accum share = way2 > farthest * farthest ? farthest / SQRT_ACCUM(way2) : ACCUM(1.0);
        share = way2 < ACCUM(1.0e30) ? share : ACCUM(0.0); /* what is no number, too */
        accum4 x = make_accum4(now.x, now.y, now.z, now.w);
        if (share > 0) {
            x = drifted(x, way, share);
            (void)wrap_into_cell(&x, box);
        }
        built[i] = make_real4((real)x.x, (real)x.y, (real)x.z, (real)x.w);
    }
}

/* Records where particles are, from where their next displacement counts; not once the list has
 * expired. */
KERNEL void step_note_places(int n, GLOBAL const real4 *RESTRICT position,
                             GLOBAL const int *RESTRICT expired, GLOBAL real4 *RESTRICT built)
{
    const int i = GLOBAL_ID;
    if (i < n && *expired == 0) {
        built[i] = position[i];
    }
}

/* Writes `mark` to `expired`, unless something other than 0 is there, where a particle is farther
 * than a limit from where the structure was built for it. What is no number is far. */
KERNEL void step_find_moved(int n, GLOBAL const real4 *RESTRICT position,
                            GLOBAL const real4 *RESTRICT built, box_args box, real limit2, int mark,
                            GLOBAL int *RESTRICT expired)
{
    const int i = GLOBAL_ID;
    if (i < n && *expired == 0 && !(displacement(position[i], built[i], box).w <= limit2)) {
        (void)ATOMIC_EXCHANGE(expired, mark);
    }
}
