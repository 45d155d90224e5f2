/* PoCL 5.0 to 6.x compile this kernel wrongly where memory that was freed last is used first, as
 * this program's operator delete sees to.
 *
 *   cc -rdynamic stale_uniformity.c -lOpenCL -o stale_uniformity && POCL_KERNEL_CACHE=0
 * ./stale_uniformity
 *
 * prints "right" (exit status 0) or "wrong" (1). The cause, of the new pass manager:
 * VariableUniformityAnalysisResult::invalidate() returns false, so the cache of uniform values
 * survives `instcombine`, which runs between the analysis and `workitemloops`. The cache is keyed
 * by `llvm::Value *`. An instruction that instcombine creates at the address of one that it has
 * freed inherits that one's entry; if it says "uniform", shouldBePrivatized() returns false, and a
 * value that differs between work-items is not saved across a barrier. Invalidating the analysis in
 * instcombine, or keying the cache by `llvm::WeakVH`, should mend it. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const text =
    "kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sum(int n, global const float4 "
    "*x, global float *out) {\n"
    "    local float shared[256];\n"
    "    const int item = get_local_id(0);\n"
    "    float sums[8];\n"
    "    for (int s = 0; s < 8; s++) sums[s] = 0;\n"
    "    for (int start = 0; start < n; start += 256) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        shared[item] = x[min(start + item, n - 1)].x;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int t = item / 32 * 32; t < item / 32 * 32 + 32; t++) {\n"
    "            for (int k = 0; k < 4; k++) {\n"
    "                const float4 d = x[t % n] + shared[t] - x[k * 32 + item % 32];\n"
    "                if (d.x * d.x < 6.25f) {\n"
    "                    sums[0] += d.x * d.y; sums[1] += d.x * d.x; sums[2] += d.y * d.y; sums[3] "
    "+= d.z * d.x;\n"
    "                    sums[4] += d.y * d.z; sums[5] += d.z * d.z; sums[6] += d.w; sums[7] += "
    "d.x;\n"
    "                }\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    for (int s = 0; s < 8; s++) {\n"
    "        shared[item] = sums[s];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int half_size = 128; half_size > 0; half_size /= 2) {\n"
    "            if (item < half_size) shared[item] += shared[item + half_size];\n"
    "            barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        }\n"
    "        if (item == 0) out[s * get_num_groups(0) + get_group_id(0)] = shared[0];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n";

enum { LARGEST = 1024, UNIT = 16 };
static _Thread_local void
    *freed[LARGEST / UNIT + 1]; /* lists of blocks by size, the last one freed first */

/* C++'s operator new and delete, by their names in the object code. */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *block);
void _ZdaPv(void *block);
void _ZdlPvm(void *block, size_t size);
void _ZdaPvm(void *block, size_t size);

void *_Znwm(size_t size) {
    const size_t units = size == 0 ? 1 : (size + UNIT - 1) / UNIT;
    if (units > LARGEST / UNIT || freed[units] == NULL)
        return malloc(units * UNIT);
    void *block = freed[units];
    freed[units] = *(void **)block;
    return block;
}

void _ZdlPv(void *block) {
    if (block == NULL)
        return;
    const size_t units = malloc_usable_size(block) / UNIT;
    if (units > LARGEST / UNIT) {
        free(block);
        return;
    }
    *(void **)block = freed[units];
    freed[units] = block;
}

void *_Znam(size_t size) {
    return _Znwm(size);
}
void _ZdaPv(void *block) {
    _ZdlPv(block);
}
void _ZdlPvm(void *block, size_t size) {
    (void)size;
    _ZdlPv(block);
}
void _ZdaPvm(void *block, size_t size) {
    (void)size;
    _ZdlPv(block);
}

static void check(cl_int error, const char *what) {
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "stale_uniformity: %s: error %d\n", what, error);
    exit(2);
}

enum { N = 130, SUMS = 8 };

static void sum_here(cl_float4 x[N], double sums[SUMS]) {
    for (int item = 0; item < 256; item++) {
        for (int t = item / 32 * 32; t < item / 32 * 32 + 32; t++) {
            for (int k = 0; k < 4; k++) {
                const cl_float4 a = x[t % N], b = x[k * 32 + item % 32];
                const float s = x[t < N - 1 ? t : N - 1].s[0];
                const double d[4] = { a.s[0] + s - b.s[0], a.s[1] + s - b.s[1], a.s[2] + s - b.s[2],
                                      a.s[3] + s - b.s[3] };
                if (d[0] * d[0] >= 6.25)
                    continue;
                const double terms[SUMS] = { d[0] * d[1], d[0] * d[0], d[1] * d[1], d[2] * d[0],
                                             d[1] * d[2], d[2] * d[2], d[3],        d[0] };
                for (int i = 0; i < SUMS; i++)
                    sums[i] += terms[i];
            }
        }
    }
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *lines = text;
    cl_program program = clCreateProgramWithSource(context, 1, &lines, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "sum", &error);
    check(error, "clCreateKernel");

    cl_float4 x[N];
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        for (int a = 0; a < 4; a++)
            x[i].s[a] = (float)((state = state * 1664525u + 1013904223u) >> 8) / 4194304.0f;
    }
    float found[SUMS];
    const cl_int n = N;
    cl_mem positions = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(x), x, &error);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(found), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof(n), &n) |
              clSetKernelArg(kernel, 1, sizeof(cl_mem), &positions) |
              clSetKernelArg(kernel, 2, sizeof(cl_mem), &out),
          "clSetKernelArg");
    const size_t items = 256;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(found), found, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    double sums[SUMS] = { 0 };
    sum_here(x, sums);
    int is_wrong = 0;
    for (int i = 0; i < SUMS; i++) {
        if (fabs(found[i] - sums[i]) > 1e-3 * (1 + fabs(sums[i]))) {
            is_wrong = 1;
            fprintf(stderr, "sum %d: %g for %g\n", i, found[i], sums[i]);
        }
    }
    puts(is_wrong ? "wrong" : "right");
    return is_wrong;
}
