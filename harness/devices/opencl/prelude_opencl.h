/*
 * The dialect's words in OpenCL C 1.2. In front of this file come REAL_IS_DOUBLE, ACCUM_IS_DOUBLE,
 * HAVE_FP64, HAVE_ATOMICS64, DEVICE_IS_CPU, DEVICE_IS_NVIDIA (0 or 1) and, where every kernel has
 * the same work-group size, GROUP_SIZE; WITH_WARPS and SUBGROUP_SIZE, where kernels demand
 * sub-groups of that size; SUBGROUPS_ARE_EMULATED, where they find none and memory stands in.
 */
#if HAVE_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if HAVE_ATOMICS64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

/* ---- functions and memory ---- */

/* A size of sub-groups that nobody needs could only cost time. */
#if !defined(WITH_WARPS) || DEVICE_IS_NVIDIA
#define WARPS_ARE_SUBGROUPS 0
#define OF_WARPS
#elif defined(SUBGROUPS_ARE_EMULATED)
#define WARPS_ARE_SUBGROUPS 1
#define OF_WARPS
#else
#define WARPS_ARE_SUBGROUPS 1
#define OF_WARPS __attribute__((intel_reqd_sub_group_size(SUBGROUP_SIZE)))
#endif
#ifdef GROUP_SIZE
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) OF_WARPS
#else
#define KERNEL __kernel OF_WARPS
#endif
#define DEVICE static inline
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_ARG __local
#define RESTRICT restrict

/* Constant memory is a buffer that a parameter names so. */
#define HAVE_CONSTANT_ARRAYS 0
#define CONSTANT_ARG __constant

/* What CUDA needs for a parameter `LOCAL_ARG type *name`; here it is one. */
#define LOCAL_ARGUMENT(type, name)

/* ---- where a work-item is ---- */

#define GLOBAL_ID ((int)get_global_id(0))
#define LOCAL_ID ((int)get_local_id(0))
#define GROUP_ID ((int)get_group_id(0))
#define GLOBAL_SIZE ((int)get_global_size(0))
#ifdef GROUP_SIZE
#define LOCAL_SIZE ((int)(GROUP_SIZE))
#else
#define LOCAL_SIZE ((int)get_local_size(0))
#endif
#define NUM_GROUPS ((int)get_num_groups(0))

/* Both kinds of memory are in order after it, as after CUDA's __syncthreads(). */
#define SYNC_THREADS barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* ---- types ---- */

#if REAL_IS_DOUBLE
typedef double real;
typedef double2 real2;
typedef double4 real4;
#else
typedef float real;
typedef float2 real2;
typedef float4 real4;
#endif
#if ACCUM_IS_DOUBLE
typedef double accum;
typedef double4 accum4;
#else
typedef float accum;
typedef float4 accum4;
#endif
typedef long long64;

#define make_real2(x, y) ((real2)((x), (y)))
#define make_real4(x, y, z, w) ((real4)((x), (y), (z), (w)))
#define make_accum4(x, y, z, w) ((accum4)((x), (y), (z), (w)))
#define make_int4(x, y, z, w) ((int4)((x), (y), (z), (w)))
#define make_uint2(x, y) ((uint2)((x), (y)))
#define make_uint4(x, y, z, w) ((uint4)((x), (y), (z), (w)))

/* Constants, rounded to the type at compile time: no bare literal promotes float to double. */
#define REAL(literal) ((real)(literal))
#define ACCUM(literal) ((accum)(literal))

/* ---- reading ---- */

/* What is read once; a hint that OpenCL has no word for. */
#define READ_ONCE(pointer) (*(pointer))

/* ---- whole numbers ---- */

#define LEADING_ZEROS(x) ((int)clz((uint)(x)))
#define BIT_COUNT(x) ((int)popcount((uint)(x)))
#define MUL_HI(a, b) mul_hi((uint)(a), (uint)(b))
#define ROUND_TO_LONG(value) convert_long_sat_rte((real)(value))
#define DOT4(a, b, c) pairmark_dot4((int)(a), (int)(b), (int)(c))

static inline int pairmark_dot4(int a, int b, int c) {
#if DEVICE_IS_NVIDIA
    int sum;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
#elif defined(__GFX11__) /* clang 15 selects an instruction that is not there, and breaks off */
    return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#else
    const int4 products = convert_int4(as_char4(a)) * convert_int4(as_char4(b));
    return c + products.x + products.y + products.z + products.w;
#endif
}

/* ---- arithmetic, in real ---- */

#define SQRT(x) sqrt((real)(x))
#define EXP(x) exp((real)(x))
#define EXP2(x) exp2((real)(x))
#define LOG(x) log((real)(x))
#define ERFC(x) erfc((real)(x))
#define ATAN2(y, x) atan2((real)(y), (real)(x))
/* sin(pi x) and cos(pi x), to two variables. */
#define SINCOSPI(x, sine, cosine) ((sine) = sinpi((real)(x)), (cosine) = cospi((real)(x)))
#define SIN(x) sin((real)(x))
#define COS(x) cos((real)(x))
#define TAN(x) tan((real)(x))
#define ASIN(x) asin((real)(x))
#define ACOS(x) acos((real)(x))
#define ATAN(x) atan((real)(x))
#define SINH(x) sinh((real)(x))
#define COSH(x) cosh((real)(x))
#define TANH(x) tanh((real)(x))
#define ERF(x) erf((real)(x))
#define CEIL(x) ceil((real)(x))
#define POW(x, y) pow((real)(x), (real)(y))
#define RINT(x) rint((real)(x))
#define FLOOR(x) floor((real)(x))
#define FABS(x) fabs((real)(x))
#define FMA(x, y, z) fma((real)(x), (real)(y), (real)(z))
#define MIN_REAL(x, y) fmin((real)(x), (real)(y))
#define MAX_REAL(x, y) fmax((real)(x), (real)(y))
#define COPYSIGN(x, y) copysign((real)(x), (real)(y))

/* The fast ones only where they are known to be within 2 ulp. */
#if DEVICE_IS_NVIDIA && !REAL_IS_DOUBLE
#define RECIP(x) native_recip((real)(x))
#define RSQRT(x) native_rsqrt((real)(x))
#elif REAL_IS_DOUBLE
#define RECIP(x) (1.0 / (real)(x))
#define RSQRT(x) (1.0 / sqrt((real)(x)))
#else
#define RECIP(x) (1.0f / (real)(x))
#define RSQRT(x) rsqrt((real)(x))
#endif

/* ---- work-items that run together ---- */

#if DEVICE_IS_NVIDIA
#define HAVE_SHUFFLE 1
#define WARP_SIZE 32
#define SYNC_WARPS asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define SHUFFLE(value, lane) pairmark_shuffle((value), (lane))
#define HAVE_BALLOT 1
#define BALLOT(is_so) pairmark_ballot((is_so) != 0)

static inline uint pairmark_ballot(int is_so) {
    uint votes;
    asm volatile("{\n"
                 ".reg .pred so;\n"
                 "setp.ne.s32 so, %1, 0;\n"
                 "vote.sync.ballot.b32 %0, so, 0xffffffff;\n"
                 "}"
                 : "=r"(votes)
                 : "r"(is_so));
    return votes;
}

static inline __attribute__((overloadable)) int pairmark_shuffle(int value, int lane) {
    int other;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(other)
                 : "r"(value), "r"(lane));
    return other;
}

static inline __attribute__((overloadable)) uint pairmark_shuffle(uint value, int lane) {
    return as_uint(pairmark_shuffle(as_int(value), lane));
}

static inline __attribute__((overloadable)) float pairmark_shuffle(float value, int lane) {
    return as_float(pairmark_shuffle(as_int(value), lane));
}

static inline __attribute__((overloadable)) long pairmark_shuffle(long value, int lane) {
    int2 halves = as_int2(value);
    halves.x = pairmark_shuffle(halves.x, lane);
    halves.y = pairmark_shuffle(halves.y, lane);
    return as_long(halves);
}

#if REAL_IS_DOUBLE || ACCUM_IS_DOUBLE
static inline __attribute__((overloadable)) double pairmark_shuffle(double value, int lane) {
    return as_double(pairmark_shuffle(as_long(value), lane));
}
#endif
#elif WARPS_ARE_SUBGROUPS && defined(SUBGROUPS_ARE_EMULATED)
/* All work-items of a group shuffle together, by a row of memory that no other group at work has:
 * a processor has 4096 groups at work at no time. */
#define HAVE_SHUFFLE 1
#define WARP_SIZE SUBGROUP_SIZE
#define SYNC_WARPS SYNC_THREADS
#define SHUFFLE(value, lane) pairmark_shuffle((value), (lane))
#define HAVE_BALLOT (SUBGROUP_SIZE == 32)
#define BALLOT(is_so) pairmark_ballot((is_so) != 0)

#ifdef GROUP_SIZE
static __global long pairmark_lanes[4096][GROUP_SIZE];
#else
static __global long pairmark_lanes[4096][1024];
#endif

static inline __attribute__((overloadable)) long pairmark_shuffle(long value, int lane) {
    __global long *lanes = pairmark_lanes[get_group_id(0) % 4096];
    lanes[LOCAL_ID] = value;
    SYNC_THREADS;
    const long other = lanes[LOCAL_ID / WARP_SIZE * WARP_SIZE + lane % WARP_SIZE];
    SYNC_THREADS;
    return other;
}

static inline __attribute__((overloadable)) int pairmark_shuffle(int value, int lane) {
    return (int)pairmark_shuffle((long)value, lane);
}

static inline __attribute__((overloadable)) uint pairmark_shuffle(uint value, int lane) {
    return (uint)pairmark_shuffle((long)value, lane);
}

static inline __attribute__((overloadable)) float pairmark_shuffle(float value, int lane) {
    return as_float(pairmark_shuffle(as_int(value), lane));
}

#if REAL_IS_DOUBLE || ACCUM_IS_DOUBLE
static inline __attribute__((overloadable)) double pairmark_shuffle(double value, int lane) {
    return as_double(pairmark_shuffle(as_long(value), lane));
}
#endif

static inline uint pairmark_ballot(int is_so) {
    __global long *lanes = pairmark_lanes[get_group_id(0) % 4096];
    uint votes = 0;
    lanes[LOCAL_ID] = is_so;
    SYNC_THREADS;
    for (int lane = 0; lane < WARP_SIZE && lane < 32; lane++) {
        votes |= (uint)lanes[LOCAL_ID / WARP_SIZE * WARP_SIZE + lane] << lane;
    }
    SYNC_THREADS;
    return votes;
}
#elif WARPS_ARE_SUBGROUPS
#define HAVE_SHUFFLE 1
#define WARP_SIZE SUBGROUP_SIZE
#define SYNC_WARPS SYNC_THREADS /* a warp can be narrower than the 32 that kernels count on */
#define SHUFFLE(value, lane) sub_group_shuffle((value), (uint)(lane))
#define HAVE_BALLOT 0
#else
#define HAVE_SHUFFLE 0
#define HAVE_BALLOT 0
#define SYNC_WARPS SYNC_THREADS
#endif

/* ---- atomics ---- */

#define ATOMIC_ADD_INT(pointer, value) atomic_add((volatile __global int *)(pointer), (value))
#define ATOMIC_ADD_LOCAL_INT(pointer, value) atomic_add((volatile __local int *)(pointer), (value))
#define ATOMIC_EXCHANGE(pointer, value) atomic_xchg((volatile __global int *)(pointer), (value))
#if HAVE_ATOMICS64
#define ATOMIC_ADD_LONG(pointer, value)                                                            \
    ((void)atom_add((volatile __global long *)(pointer), (value)))
#endif

#define ATOMIC_ADD(pointer, value) pairmark_atomic_add((pointer), (accum)(value))

#if DEVICE_IS_NVIDIA
static inline void pairmark_atomic_add(volatile __global accum *sum, accum value) {
#if ACCUM_IS_DOUBLE
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(sum), "d"(value) : "memory");
#else
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(sum), "f"(value) : "memory");
#endif
}
#elif !ACCUM_IS_DOUBLE
/* OpenCL 1.2 adds no floating-point numbers atomically: compare and swap until nobody came between.
 */
static inline void pairmark_atomic_add(volatile __global accum *sum, accum value) {
    volatile __global uint *bits = (volatile __global uint *)sum;
    uint expected = *bits;
    uint found;
    while ((found = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value))) !=
           expected) {
        expected = found;
    }
}
#elif HAVE_ATOMICS64
static inline void pairmark_atomic_add(volatile __global accum *sum, accum value) {
    volatile __global ulong *bits = (volatile __global ulong *)sum;
    ulong expected = *bits;
    ulong found;
    while ((found = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + value))) !=
           expected) {
        expected = found;
    }
}
#endif
