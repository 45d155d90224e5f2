/*
 * step_words — what integrators say the same way: positions that are moved and wrapped, sums over all particles
 *
 * The harness puts this text before the variants of workload step, behind the words of the forces. What is kept from step to
 * step: position (real4: inside the cell, charge), position_rest (real4), velocity (accum4: velocity, one over the mass), crossing
 * (int4: by vector of the cell, and the particle's type) and force (accum4). Under mixed a position and its rest are two floats
 * that together give the double; else the rest is neither read nor written.
 *
 * Tunables that it looks at: WRAP, 0 by branches and 1 by floor; COUNT_CROSSINGS, 0 not at all, 1 of each particle, 2 also by type
 * and face, with the momentum carried; PARTICLES_PER_ITEM of kernels that say EACH_PARTICLE and are launched so many times smaller;
 * PARAMETERS of kernels that say STEP_PARAMETERS, see there.
 */

#define POSITIONS_HAVE_RESTS (ACCUM_IS_DOUBLE && !REAL_IS_DOUBLE)
#ifndef WRAP
#define WRAP 0
#endif
#ifndef COUNT_CROSSINGS
#define COUNT_CROSSINGS 1
#endif

#ifndef PARTICLES_PER_ITEM
#define PARTICLES_PER_ITEM 1
#endif

#ifndef PARAMETERS
#define PARAMETERS 0
#endif

/* In the format of velocities. a b + c is rounded once: where a compiler may join the two or not, the same product of two kicks is not
 * joined, and the halves of a step in one kernel give other bits than apart. */
#define SQRT_ACCUM(x) sqrt((accum)(x))
#define FMA_ACCUM(a, b, c) fma((accum)(a), (accum)(b), (accum)(c))
#define EXP_ACCUM(x) exp((accum)(x))
#define FABS_ACCUM(x) ((x) < 0 ? -(x) : (x))

/* ---- parameters ---- */

/* The numbers of a step. A kernel whose parameters end with STEP_PARAMETERS, with no comma before it, and whose body begins with
 * NAME_STEP_PARAMETERS has n, dt, box and face_scale: by PARAMETERS 0 each is an argument, 1 they are a struct by value, 2 they lie in
 * constant memory. */
typedef struct {
    box_args box;
    accum dt, face_scale;
    int n;
} step_parameters;

#define NAMED_PARAMETERS_OF(of) \
    const int n = (of).n; \
    const accum dt = (of).dt; \
    const accum face_scale = (of).face_scale; \
    const box_args box = (of).box; \
    (void)dt, (void)face_scale, (void)box;

#if PARAMETERS == 0
#define STEP_PARAMETERS , int n, accum dt, box_args box, accum face_scale
#define NAME_STEP_PARAMETERS
#elif PARAMETERS == 1
#define STEP_PARAMETERS , step_parameters parameters_of_step
#define NAME_STEP_PARAMETERS NAMED_PARAMETERS_OF(parameters_of_step)
#elif HAVE_CONSTANT_ARRAYS
CONSTANT_ARRAY step_parameters parameters_of_step;
#define STEP_PARAMETERS
#define NAME_STEP_PARAMETERS NAMED_PARAMETERS_OF(parameters_of_step)
#else
#define STEP_PARAMETERS , CONSTANT_ARG const step_parameters *parameters_of_step
#define NAME_STEP_PARAMETERS NAMED_PARAMETERS_OF(*parameters_of_step)
#endif

/* ---- work ---- */

/* The work-items of a launch over n particles, full groups. */
DEVICE int items_launched(int n)
{
    const int items = (n + PARTICLES_PER_ITEM - 1) / PARTICLES_PER_ITEM;
    return (items + GROUP_SIZE - 1) / GROUP_SIZE * GROUP_SIZE;
}

/* Goes through the particles i of a work-item, which lie as far apart as the launch is wide, so that those of neighbours lie side
 * by side. */
#if PARTICLES_PER_ITEM > 1
#define EACH_PARTICLE(i, n) for (int i = GLOBAL_ID; i < (n); i += items_launched(n))
#else
#define EACH_PARTICLE(i, n) for (int i = GLOBAL_ID; i < (n); i = (n))
#endif

/* ---- positions ---- */

DEVICE accum4 whole_position(int i, GLOBAL const real4 *RESTRICT position, GLOBAL const real4 *RESTRICT position_rest)
{
    const real4 p = position[i];
#if POSITIONS_HAVE_RESTS
    const real4 rest = position_rest[i];
    return make_accum4((accum)p.x + rest.x, (accum)p.y + rest.y, (accum)p.z + rest.z, p.w);
#else
    return make_accum4(p.x, p.y, p.z, p.w);
#endif
}

/* How often a coordinate along a vector of the cell has left it upwards, less downwards: at most once, by branches. */
DEVICE int faces_crossed(accum x, real edge, real inverse_edge)
{
#if WRAP
    return (int)FLOOR(x * inverse_edge);
#else
    return x < 0 ? -1 : x >= edge ? 1 : 0;
#endif
}

/* Rounding may put back on the upper face what lies just below it. */
DEVICE int faces_rounded_over(accum x, real edge)
{
    return (real)x >= edge ? 1 : 0;
}

/* Moves a position into the cell and returns the faces that it crossed, by vector of the cell. */
DEVICE int4 wrap_into_cell(accum4 *x, box_args box)
{
    int4 crossed = make_int4(0, 0, 0, 0);
#if PERIODIC
    crossed.z = faces_crossed(x->z, box.edge.z, box.inverse_edge.z);
    crossed.z += faces_rounded_over(x->z - crossed.z * (accum)box.edge.z, box.edge.z);
    x->z -= crossed.z * (accum)box.edge.z;
#if TRICLINIC
    x->y -= crossed.z * (accum)box.tilt.z;
    x->x -= crossed.z * (accum)box.tilt.y;
    const accum lean_y = x->z * (accum)box.tilt.z * box.inverse_edge.z;
#else
    const accum lean_y = 0;
#endif
    crossed.y = faces_crossed(x->y - lean_y, box.edge.y, box.inverse_edge.y);
    crossed.y += faces_rounded_over(x->y - lean_y - crossed.y * (accum)box.edge.y, box.edge.y);
    x->y -= crossed.y * (accum)box.edge.y;
#if TRICLINIC
    x->x -= crossed.y * (accum)box.tilt.x;
    const accum along_y = (x->y - lean_y) * box.inverse_edge.y;
    const accum lean_x = along_y * box.tilt.x + x->z * box.inverse_edge.z * box.tilt.y;
#else
    const accum lean_x = 0;
#endif
    crossed.x = faces_crossed(x->x - lean_x, box.edge.x, box.inverse_edge.x);
    crossed.x += faces_rounded_over(x->x - lean_x - crossed.x * (accum)box.edge.x, box.edge.x);
    x->x -= crossed.x * (accum)box.edge.x;
#endif
    return crossed;
}

/* Stores a position, which is inside the cell; x.w is the charge. */
DEVICE void put_position(int i, accum4 x, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest)
{
    const real4 p = make_real4((real)x.x, (real)x.y, (real)x.z, (real)x.w);
    position[i] = p;
#if POSITIONS_HAVE_RESTS
    position_rest[i] = make_real4((real)(x.x - p.x), (real)(x.y - p.y), (real)(x.z - p.z), 0);
#endif
}

/* Puts a position into the cell and stores it; x.w is the charge. Returns the faces that it crossed. */
DEVICE int4 store_position(int i, accum4 x, box_args box, GLOBAL real4 *RESTRICT position, GLOBAL real4 *RESTRICT position_rest,
                           GLOBAL int4 *RESTRICT crossing)
{
    const int4 crossed = wrap_into_cell(&x, box);
    put_position(i, x, position, position_rest);
#if COUNT_CROSSINGS && PERIODIC
    if (crossed.x != 0 || crossed.y != 0 || crossed.z != 0) {
        int4 before = crossing[i];
        before.x += crossed.x;
        before.y += crossed.y;
        before.z += crossed.z;
        crossing[i] = before;
    }
#endif
    return crossed;
}

/* ---- faces ---- */

#if COUNT_CROSSINGS == 2 && PERIODIC
/* No particle carries more in a step: its mass times the height of the cell, over the time step. What is no number does. */
#define MOST_CARRIED REAL(17592186044416.0)

/* Counts a particle through one of a pair of faces; `across`: m v along their normal. `sums` has six counts and six momenta, below and
 * above along each vector. Whole numbers add up to the same in any order. */
DEVICE void count_at_face(GLOBAL long64 *RESTRICT sums, accum scale, int vector, int crossed, accum across)
{
    const int face = 2 * vector + (crossed > 0);
    const int times = crossed < 0 ? -crossed : crossed;
    if (times > 0) {
        const real carried = (real)(scale * FABS_ACCUM(across));
        ATOMIC_ADD_LONG(&sums[face], times);
        ATOMIC_ADD_LONG(&sums[6 + face], times * ROUND_TO_LONG(carried < MOST_CARRIED ? carried : MOST_CARRIED));
    }
}

/* The same of all faces that a particle of velocity v crossed; v.w is one over the mass. */
DEVICE void count_at_faces(int4 crossed, accum4 v, box_args box, GLOBAL long64 *RESTRICT sums, accum scale)
{
    const accum mass = ACCUM(1.0) / v.w;
    accum x = v.x;
    accum y = v.y;
#if TRICLINIC
    /* normals of a cell whose vectors are a lower triangle: the lower a vector, the more it leans */
    const accum lean_x = (accum)box.tilt.x * box.inverse_edge.y;
    const accum lean_y = (accum)box.tilt.z * box.inverse_edge.z;
    const accum lean_z = lean_x * lean_y - (accum)box.tilt.y * box.inverse_edge.z;
    x = (v.x - lean_x * v.y + lean_z * v.z) / SQRT_ACCUM(ACCUM(1.0) + lean_x * lean_x + lean_z * lean_z);
    y = (v.y - lean_y * v.z) / SQRT_ACCUM(ACCUM(1.0) + lean_y * lean_y);
#endif
    count_at_face(sums, scale, 0, crossed.x, mass * x);
    count_at_face(sums, scale, 1, crossed.y, mass * y);
    count_at_face(sums, scale, 2, crossed.z, mass * v.z);
}
#endif

/* As store_position, of a particle that came there with velocity v: COUNT_CROSSINGS 2 adds to face_sums what it carries through
 * faces, in units of one over face_scale. */
DEVICE void store_moved(int i, accum4 x, accum4 v, box_args box, GLOBAL real4 *RESTRICT position,
                        GLOBAL real4 *RESTRICT position_rest, GLOBAL int4 *RESTRICT crossing,
                        GLOBAL long64 *RESTRICT face_sums, accum face_scale)
{
    const int4 crossed = store_position(i, x, box, position, position_rest, crossing);
#if COUNT_CROSSINGS == 2 && PERIODIC
    if (crossed.x != 0 || crossed.y != 0 || crossed.z != 0) {
        count_at_faces(crossed, v, box, face_sums + 12 * crossing[i].w, face_scale);
    }
#endif
}

/* ---- velocities ---- */

/* After a force has acted for a time; v.w is one over the mass. */
DEVICE accum4 kicked(accum4 v, accum4 force, accum time)
{
    const accum factor = time * v.w;
    v.x = FMA_ACCUM(factor, force.x, v.x);
    v.y = FMA_ACCUM(factor, force.y, v.y);
    v.z = FMA_ACCUM(factor, force.z, v.z);
    return v;
}

/* After a velocity has lasted for a time. */
DEVICE accum4 drifted(accum4 x, accum4 v, accum time)
{
    x.x = FMA_ACCUM(time, v.x, x.x);
    x.y = FMA_ACCUM(time, v.y, x.y);
    x.z = FMA_ACCUM(time, v.z, x.z);
    return x;
}

DEVICE accum4 scaled(accum4 v, accum factor)
{
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    return v;
}

/* What friction leaves of a velocity, and noise: Gaussian draws by noise_size over the root of the mass. */
DEVICE accum4 with_noise(accum4 v, real4 drawn, accum noise_keep, accum noise_size)
{
    const accum size = noise_size * SQRT_ACCUM(v.w);
    v.x = noise_keep * v.x + size * drawn.x;
    v.y = noise_keep * v.y + size * drawn.y;
    v.z = noise_keep * v.z + size * drawn.z;
    return v;
}

DEVICE accum kinetic_energy(accum4 v)
{
    return ACCUM(0.5) * (v.x * v.x + v.y * v.y + v.z * v.z) / v.w;
}

/* As store_moved, of a particle that was at x and goes on with velocity v for a time: the half of a step before the forces. */
DEVICE void move_from(int i, accum4 x, accum4 v, accum time, box_args box, GLOBAL real4 *RESTRICT position,
                      GLOBAL real4 *RESTRICT position_rest, GLOBAL accum4 *RESTRICT velocity, GLOBAL int4 *RESTRICT crossing,
                      GLOBAL long64 *RESTRICT face_sums, accum face_scale)
{
    velocity[i] = v;
    store_moved(i, drifted(x, v, time), v, box, position, position_rest, crossing, face_sums, face_scale);
}

/* Half a kick by the forces of now; returns the kinetic energy behind it. */
DEVICE accum kick_half(int i, accum dt, GLOBAL accum4 *RESTRICT velocity, GLOBAL const accum4 *RESTRICT force)
{
    const accum4 v = kicked(velocity[i], force[i], ACCUM(0.5) * dt);
    velocity[i] = v;
    return kinetic_energy(v);
}

/* Scales a velocity; returns the kinetic energy behind it. */
DEVICE accum scale_velocity(int i, accum factor, GLOBAL accum4 *RESTRICT velocity)
{
    const accum4 v = scaled(velocity[i], factor);
    velocity[i] = v;
    return kinetic_energy(v);
}

/* ---- thermostats ---- */

/* Places of `bath`: positions and velocities of the links of a chain, and the kinetic energy that a thermostat has put in. */
#define BATH_POSITION 0
#define BATH_VELOCITY 10
#define BATH_HEAT 20

/* What `step_rules.h` calls the use of a stream of random numbers. */
#define STEP_NOISE_USE 0x62616f62u

/* ---- fields ---- */

/* `field` holds a force per charge (3), one per mass (3), and of each axis a wall's strength, where it begins below and
 * above (9): 0 is no wall. x.w is the charge. */
DEVICE accum force_of_wall(accum x, GLOBAL const accum *RESTRICT wall)
{
    return x < wall[1] ? wall[0] * (wall[1] - x) : x > wall[2] ? wall[0] * (wall[2] - x) : ACCUM(0.0);
}

DEVICE accum4 with_field(accum4 force, accum4 x, accum inverse_mass, GLOBAL const accum *RESTRICT field)
{
    const accum mass = ACCUM(1.0) / inverse_mass;
    force.x += x.w * field[0] + mass * field[3] + force_of_wall(x.x, field + 6);
    force.y += x.w * field[1] + mass * field[4] + force_of_wall(x.y, field + 9);
    force.z += x.w * field[2] + mass * field[5] + force_of_wall(x.z, field + 12);
    return force;
}

/* ---- sums ---- */

/* The sum over a work-group, in its first work-item; every work-item calls it. `scratch` has GROUP_SIZE places. */
DEVICE accum sum_of_group(LOCAL_ARG accum *scratch, accum term)
{
    scratch[LOCAL_ID] = term;
    SYNC_THREADS;
    for (int half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        if (LOCAL_ID < half_size) {
            scratch[LOCAL_ID] += scratch[LOCAL_ID + half_size];
        }
        SYNC_THREADS;
    }
    const accum sum = scratch[0];
    SYNC_THREADS;
    return sum;
}

/* Puts the sum over a work-group where it belongs. */
DEVICE void store_group_sum(LOCAL_ARG accum *scratch, accum term, GLOBAL accum *RESTRICT of_group)
{
    const accum sum = sum_of_group(scratch, term);
    if (LOCAL_ID == 0) {
        of_group[GROUP_ID] = sum;
    }
}

/* The sum of one number per work-group of a launch over particles, by one work-group. */
DEVICE accum sum_of_groups(LOCAL_ARG accum *scratch, int n, GLOBAL const accum *RESTRICT of_group)
{
    accum sum = 0;
    for (int g = LOCAL_ID; g < (n + GROUP_SIZE - 1) / GROUP_SIZE; g += GROUP_SIZE) {
        sum += of_group[g];
    }
    return sum_of_group(scratch, sum);
}

/* Puts the sum over a work-group where it belongs, where energies are asked for. */
DEVICE void store_sum_if_asked(LOCAL_ARG accum *scratch, accum term, GLOBAL accum *RESTRICT of_group)
{
#if WITH_ENERGY
    store_group_sum(scratch, term, of_group);
#endif
}

/* Puts the sum of one number per work-group in a total, by one work-group. */
DEVICE void store_total(LOCAL_ARG accum *scratch, int n, GLOBAL const accum *RESTRICT of_group, GLOBAL accum *RESTRICT total)
{
    const accum sum = sum_of_groups(scratch, n, of_group);
    if (LOCAL_ID == 0) {
        *total = sum;
    }
}
