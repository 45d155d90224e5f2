/*
 * prelude_cuda — the words of pairmark's kernel dialect for CUDA, compiled by NVRTC.
 *
 * The same words as prelude_opencl.h. In front of it stand REAL_IS_DOUBLE and ACCUM_IS_DOUBLE
 * (0 or 1: the types of arithmetic and of accumulation) and, where it is fixed, GROUP_SIZE.
 */

/* ---- functions and memory ---- */

#ifdef GROUP_SIZE
/* A kernel in front of which it is redefined, as `, 8`, has registers kept for so many groups. */
#define GROUPS_KEPT
#define KERNEL extern "C" __global__ __launch_bounds__(GROUP_SIZE GROUPS_KEPT)
#else
#define KERNEL extern "C" __global__
#endif
#define DEVICE static inline __device__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_ARG
#define RESTRICT __restrict__

/* Constant memory is a module's array, which the host fills; pointers into it are plain ones. Of a
 * device's 64 KiB, 4 are left to what compiled functions keep there. */
#define HAVE_CONSTANT_ARRAYS 1
#define CONSTANT_ARRAY __constant__
#define CONSTANT_ARG
#define CONSTANT_ARRAY_BYTES 61440

/* To be said, in a kernel's body, of a parameter `LOCAL_ARG type *name` before its use: the host
 * says how large it is, and has no address for it. At most one a kernel. */
#define LOCAL_ARGUMENT(type, name)                                                                 \
    extern __shared__ __align__(16) type local_argument_room[];                                    \
    (name) = local_argument_room;

/* ---- work-items ---- */

#ifdef GROUP_SIZE
#define LOCAL_SIZE ((int)(GROUP_SIZE))
#else
#define LOCAL_SIZE ((int)blockDim.x)
#endif
#define LOCAL_ID ((int)threadIdx.x)
#define GROUP_ID ((int)blockIdx.x)
#define NUM_GROUPS ((int)gridDim.x)
#define GLOBAL_ID (GROUP_ID * LOCAL_SIZE + LOCAL_ID)
#define GLOBAL_SIZE (NUM_GROUPS * LOCAL_SIZE)

#define SYNC_THREADS __syncthreads()
#define SYNC_WARPS __syncwarp()
#define WARP_SIZE 32
#define HAVE_SHUFFLE 1
/* All 32 work-items of a warp must reach it together. */
#define SHUFFLE(value, lane) __shfl_sync(0xffffffffu, (value), (lane))
/* A bit per work-item of the warp for which it is so, the first one's the lowest: likewise. */
#define HAVE_BALLOT 1
#define BALLOT(is_so) __ballot_sync(0xffffffffu, (is_so))

/* ---- types ---- */

typedef long long long64;
typedef unsigned int uint;

/* CUDA's own double4 is in flux over its alignment. 16 bytes is what a 128-bit access needs: one
 * of these is loaded by two. */
typedef struct __align__(16) {
    double x, y, z, w;
}
pairmark_double4;

static inline __device__ pairmark_double4 pairmark_make_double4(double x, double y, double z,
                                                                double w) {
    pairmark_double4 value = { x, y, z, w };
    return value;
}

#if REAL_IS_DOUBLE
typedef double real;
typedef double2 real2;
typedef pairmark_double4 real4;
#define make_real2(x, y) make_double2((x), (y))
#define make_real4(x, y, z, w) pairmark_make_double4((x), (y), (z), (w))
#else
typedef float real;
typedef float2 real2;
typedef float4 real4;
#define make_real2(x, y) make_float2((x), (y))
#define make_real4(x, y, z, w) make_float4((x), (y), (z), (w))
#endif

#if ACCUM_IS_DOUBLE
typedef double accum;
typedef pairmark_double4 accum4;
#define make_accum4(x, y, z, w) pairmark_make_double4((x), (y), (z), (w))
#else
typedef float accum;
typedef float4 accum4;
#define make_accum4(x, y, z, w) make_float4((x), (y), (z), (w))
#endif

/* Constants, rounded to the type at compile time: no bare literal promotes float to double. */
#define REAL(literal) ((real)(literal))
#define ACCUM(literal) ((accum)(literal))

/* ---- atomics ---- */

#define ATOMIC_ADD(pointer, value) ((void)atomicAdd((pointer), (accum)(value)))

/* Two, three or four numbers at once, where the chip and the compiler have it, of 8 or 16 bytes
 * are aligned. */
#if !ACCUM_IS_DOUBLE && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 &&                          \
    (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1))
#define HAVE_ATOMIC_ADD_VECTOR 1
#define ATOMIC_ADD_QUAD(pointer, x, y, z, w)                                                       \
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"                       \
                 :                                                                                 \
                 : "l"(pointer), "f"(x), "f"(y), "f"(z), "f"(w)                                    \
                 : "memory")
#define ATOMIC_ADD_PAIR(pointer, x, y)                                                             \
    asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};"                               \
                 :                                                                                 \
                 : "l"(pointer), "f"(x), "f"(y)                                                    \
                 : "memory")
#define ATOMIC_ADD_VECTOR(pointer, x, y, z) ATOMIC_ADD_QUAD(pointer, x, y, z, 0.0F)
#else
#define HAVE_ATOMIC_ADD_VECTOR 0
#endif
#define ATOMIC_ADD_INT(pointer, value) atomicAdd((pointer), (value))
#define ATOMIC_ADD_LOCAL_INT(pointer, value) atomicAdd((pointer), (value))
#define ATOMIC_EXCHANGE(pointer, value) atomicExch((pointer), (value))
#define ATOMIC_ADD_LONG(pointer, value)                                                            \
    ((void)atomicAdd((unsigned long long *)(pointer), (unsigned long long)(value)))

/* To the nearest whole number, halves to the even one; what does not fit is the largest that does.
 */
#if REAL_IS_DOUBLE
#define ROUND_TO_LONG(value) __double2ll_rn(value)
#else
#define ROUND_TO_LONG(value) __float2ll_rn(value)
#endif

/* ---- reading ---- */

/* What is read once: it is the first to leave the caches, which are left to what is read again. */
#define READ_ONCE(pointer) __ldcs(pointer)

/* ---- whole numbers ---- */

/* c and the products of the four signed bytes of a with those of b, added up. */
#define DOT4(a, b, c) __dp4a((int)(a), (int)(b), (int)(c))
#define LEADING_ZEROS(x) __clz((int)(x))
#define BIT_COUNT(x) __popc((uint)(x))
/* The upper word of the product of two unsigned ones. */
#define MUL_HI(a, b) __umulhi((uint)(a), (uint)(b))

/* ---- arithmetic ---- */

#if REAL_IS_DOUBLE
/*
 * The reciprocal without the branch for special cases that 1.0 / x carries: a guess good to about
 * 19 bits, then one step of third order, y (1 + e + e e) with e = 1 - x y, which leaves e^3. Its
 * error is the final rounding and a little: under 0.6 units in the last place. x must be normal,
 * not zero and not beyond 2^1021 in magnitude; else the result is NaN or zero.
 */
static inline __device__ double pairmark_recip(double x) {
    double y, e;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
#define RECIP(x) pairmark_recip(x)
#define RSQRT(x) rsqrt((double)(x))
#define SQRT(x) sqrt((double)(x))
#define EXP(x) exp((double)(x))
#define EXP2(x) exp2((double)(x))
#define LOG(x) log((double)(x))
#define ERFC(x) erfc((double)(x))
#define ATAN2(y, x) atan2((double)(y), (double)(x))
/* sin(pi x) and cos(pi x), to two variables. */
#define SINCOSPI(x, sine, cosine) sincospi((double)(x), &(sine), &(cosine))
#define SIN(x) sin((double)(x))
#define COS(x) cos((double)(x))
#define TAN(x) tan((double)(x))
#define ASIN(x) asin((double)(x))
#define ACOS(x) acos((double)(x))
#define ATAN(x) atan((double)(x))
#define SINH(x) sinh((double)(x))
#define COSH(x) cosh((double)(x))
#define TANH(x) tanh((double)(x))
#define ERF(x) erf((double)(x))
#define CEIL(x) ceil((double)(x))
#define POW(a, b) pow((double)(a), (double)(b))
#define RINT(x) rint((double)(x))
#define FLOOR(x) floor((double)(x))
#define FABS(x) fabs((double)(x))
#define FMA(a, b, c) fma((double)(a), (double)(b), (double)(c))
#define MIN_REAL(a, b) fmin((double)(a), (double)(b))
#define MAX_REAL(a, b) fmax((double)(a), (double)(b))
#define COPYSIGN(a, b) copysign((double)(a), (double)(b))
#else
/*
 * One instruction of the special-function unit each, where the C functions add steps for subnormal
 * numbers and the last bit. Errors by the PTX manual: RECIP 1 unit in the last place, RSQRT 2^-22.4
 * relative, SQRT 2^-23 relative, EXP2 2^-22.5 relative. Subnormal arguments count as zero.
 */
static inline __device__ float pairmark_recip(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float pairmark_rsqrt(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float pairmark_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __device__ float pairmark_exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#define RECIP(x) pairmark_recip(x)
#define RSQRT(x) pairmark_rsqrt(x)
#define SQRT(x) pairmark_sqrt(x)
#define EXP(x) expf(x)
#define EXP2(x) pairmark_exp2(x)
#define LOG(x) logf(x)
#define ERFC(x) erfcf(x)
#define ATAN2(y, x) atan2f((y), (x))
#define SINCOSPI(x, sine, cosine) sincospif((x), &(sine), &(cosine))
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define TAN(x) tanf(x)
#define ASIN(x) asinf(x)
#define ACOS(x) acosf(x)
#define ATAN(x) atanf(x)
#define SINH(x) sinhf(x)
#define COSH(x) coshf(x)
#define TANH(x) tanhf(x)
#define ERF(x) erff(x)
#define CEIL(x) ceilf(x)
#define POW(a, b) powf((a), (b))
#define RINT(x) rintf(x)
#define FLOOR(x) floorf(x)
#define FABS(x) fabsf(x)
#define FMA(a, b, c) fmaf((a), (b), (c))
#define MIN_REAL(a, b) fminf((a), (b))
#define MAX_REAL(a, b) fmaxf((a), (b))
#define COPYSIGN(a, b) copysignf((a), (b))
#endif
