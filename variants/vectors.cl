/*
 * Vectors for kernel text that a user brings: real3, and what OpenCL has of vectors, for CUDA
 */
#ifdef __OPENCL_VERSION__
#if REAL_IS_DOUBLE
typedef double3 real3;
#else
typedef float3 real3;
#endif
#define make_real3(x, y, z) ((real3)((x), (y), (z)))
#define trimTo3(v) ((v).xyz)
#else
#if REAL_IS_DOUBLE
typedef double3 real3;
#define make_real3(x, y, z) make_double3((x), (y), (z))
#else
typedef float3 real3;
#define make_real3(x, y, z) make_float3((x), (y), (z))
#endif

#define PAIRMARK_SIGN_2(sign) make_real2(a.x sign b.x, a.y sign b.y)
#define PAIRMARK_SIGN_3(sign) make_real3(a.x sign b.x, a.y sign b.y, a.z sign b.z)
#define PAIRMARK_SIGN_4(sign) make_real4(a.x sign b.x, a.y sign b.y, a.z sign b.z, a.w sign b.w)
#define PAIRMARK_ALL_2(number) make_real2((number), (number))
#define PAIRMARK_ALL_3(number) make_real3((number), (number), (number))
#define PAIRMARK_ALL_4(number) make_real4((number), (number), (number), (number))

/* Component by component; a single number stands beside each. */
#define PAIRMARK_OPERATOR(vector, size, sign)                                                                      \
    DEVICE vector operator sign(vector a, vector b) { return PAIRMARK_SIGN_##size(sign); }                         \
    DEVICE vector operator sign(vector a, real number) { return a sign PAIRMARK_ALL_##size(number); }              \
    DEVICE vector operator sign(real number, vector b) { return PAIRMARK_ALL_##size(number) sign b; }              \
    DEVICE vector &operator sign##=(vector &a, vector b) { return a = a sign b; }                                  \
    DEVICE vector &operator sign##=(vector &a, real number) { return a = a sign number; }
#define PAIRMARK_OPERATORS(vector, size)                                                                           \
    PAIRMARK_OPERATOR(vector, size, +)                                                                             \
    PAIRMARK_OPERATOR(vector, size, -)                                                                             \
    PAIRMARK_OPERATOR(vector, size, *)                                                                             \
    PAIRMARK_OPERATOR(vector, size, /)                                                                             \
    DEVICE vector operator-(vector a) { return a * REAL(-1.0); }
PAIRMARK_OPERATORS(real2, 2)
PAIRMARK_OPERATORS(real3, 3)
PAIRMARK_OPERATORS(real4, 4)

DEVICE real dot(real2 a, real2 b) { return a.x * b.x + a.y * b.y; }
DEVICE real dot(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE real dot(real4 a, real4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
DEVICE real3 cross(real3 a, real3 b)
{
    return make_real3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
DEVICE real4 cross(real4 a, real4 b)
{
    return make_real4(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0);
}
DEVICE real3 normalize(real3 a) { return a * RSQRT(dot(a, a)); }
DEVICE real4 normalize(real4 a) { return a * RSQRT(dot(a, a)); }
DEVICE real3 trimTo3(real4 a) { return make_real3(a.x, a.y, a.z); }
#endif
