/*
 * device_memory — libpairmark on memory and streams that a program of CUDA has: the numbers of host memory to the bit, in the order of
 * the stream, without touching the thread's context; a simulation that never leaves the device.
 *
 *   nvcc -arch=sm_90 device_memory.cu -lpairmark; ./a.out [DEVICE]
 */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pairmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static int failures = 0;

static void check(const char *what, bool good) {
    printf("%-72s %s\n", what, good ? "ok" : "FAILED");
    failures += !good;
}

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        const cudaError_t code = (call);                                                                               \
        if (code != cudaSuccess) {                                                                                     \
            printf("%s: %s\n", #call, cudaGetErrorString(code));                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void must(pm_status status, const pm_error &error) {
    if (status != PM_OK) {
        printf("FAILED: status %d: %s\n", (int)status, error.message);
        exit(1);
    }
}

enum { SIDE = 20, N = 4 * SIDE * SIDE * SIDE };
static const double density = 0.8442;
static const double edge = SIDE * cbrt(4 / density);

/* A face-centred cubic lattice, jittered. */
static std::vector<double> lattice() {
    static const double site[4][3] = { { 0, 0, 0 }, { .5, .5, 0 }, { .5, 0, .5 }, { 0, .5, .5 } };
    std::vector<double> x(3 * N);
    srand(1);
    for (int i = 0; i < N; i++) {
        const int cell[3] = { i / 4 % SIDE, i / 4 / SIDE % SIDE, i / 4 / SIDE / SIDE };
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = edge / SIDE * (cell[d] + site[i % 4][d]) + 0.1 * (rand() / (double)RAND_MAX);
        }
    }
    return x;
}

static pm_kernel *make_kernel(pm_context *context, const char *variant, const char *precision, const char *tunables) {
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    pm_choice choice = {};
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    choice.variant = variant;
    choice.precision = precision;
    choice.outputs = "virial";
    choice.tunables = tunables;
    must(pm_system_create(N, cell, &system, &error), error);
    must(pm_system_potential(system, "energy = 4*(r^-12 - r^-6) + 0.0163168911", nullptr, 2.5, &error), error);
    must(pm_kernel_create(context, system, &choice, &kernel, &error), error);
    pm_system_free(system);
    return kernel;
}

struct result {
    std::vector<double> force = std::vector<double>(3 * N);
    double energy = 0, virial[9] = {};
    bool operator==(const result &other) const {
        return force == other.force && energy == other.energy && memcmp(virial, other.virial, sizeof virial) == 0;
    }
};

static result by_host(pm_kernel *kernel, const std::vector<double> &x) {
    result r;
    pm_arrays arrays = {};
    pm_error error;
    arrays.positions = x.data();
    arrays.forces = r.force.data();
    arrays.energy = &r.energy;
    arrays.virial = r.virial;
    must(pm_evaluate(kernel, &arrays, &error), error);
    return r;
}

/* Keeps the stream busy, then writes the positions: who does not wait for it sees zeros. */
__global__ void write_late(const double *from, double *to, int count, long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
        to[k] = from[k];
    }
}

struct device_arrays {
    double *source, *x, *f, *energy, *virial;
    device_arrays() {
        CUDA(cudaMalloc(&source, 3 * N * sizeof(double)));
        CUDA(cudaMalloc(&x, 3 * N * sizeof(double)));
        CUDA(cudaMalloc(&f, 3 * N * sizeof(double)));
        CUDA(cudaMalloc(&energy, sizeof(double)));
        CUDA(cudaMalloc(&virial, 9 * sizeof(double)));
    }
    ~device_arrays() {
        for (double *memory : { source, x, f, energy, virial }) {
            CUDA(cudaFree(memory));
        }
    }
};

static result by_device(pm_kernel *kernel, const std::vector<double> &x, device_arrays &on, cudaStream_t stream) {
    result r;
    pm_arrays arrays = {};
    pm_error error;
    arrays.place = PM_DEVICE;
    arrays.positions = on.x;
    arrays.forces = on.f;
    arrays.energy = on.energy;
    arrays.virial = on.virial;
    arrays.queue = stream;
    CUDA(cudaMemcpyAsync(on.source, x.data(), 3 * N * sizeof(double), cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemsetAsync(on.x, 0, 3 * N * sizeof(double), stream));
    write_late<<<32, 256, 0, stream>>>(on.source, on.x, 3 * N, 40000000);
    must(pm_evaluate(kernel, &arrays, &error), error);
    CUDA(cudaMemcpyAsync(r.force.data(), on.f, 3 * N * sizeof(double), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(&r.energy, on.energy, sizeof(double), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(r.virial, on.virial, sizeof r.virial, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    return r;
}

static void compare(pm_context *context) {
    static const char *const cases[][3] = { { "sorted_cells", "float", "STABLE_SORT=1" },
                                            { "list_walk", "mixed", "STABLE_SORT=1" },
                                            { "list_walk", "double", "STABLE_SORT=1" },
                                            { "clusters_8x8", "fixed", nullptr } };
    std::vector<double> x = lattice();
    device_arrays on;
    cudaStream_t streams[2] = { nullptr, nullptr };
    CUDA(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (const auto &one : cases) {
        char what[128];
        pm_kernel *host = make_kernel(context, one[0], one[1], one[2]);
        pm_kernel *device = make_kernel(context, one[0], one[1], one[2]);
        const result expected = by_host(host, x);
        for (int s = 0; s < 2; s++) {
            snprintf(what, sizeof what, "%s in %s: device memory, %s", one[0], one[1],
                     s ? "a stream of its own" : "the default stream");
            check(what, by_device(device, x, on, streams[s]) == expected);
        }
        for (double &place : x) {
            place += 0.3 * sin(17 * place); /* farther than half the skin */
        }
        const result moved = by_host(host, x);
        snprintf(what, sizeof what, "%s in %s: after a move", one[0], one[1]);
        check(what, by_device(device, x, on, streams[1]) == moved && !(moved == expected));
        snprintf(what, sizeof what, "%s in %s: host and device in turns", one[0], one[1]);
        check(what, by_host(device, x) == moved && by_device(device, x, on, streams[1]) == moved);
        pm_kernel_free(host);
        pm_kernel_free(device);
    }
    CUDA(cudaStreamDestroy(streams[1]));
}

static void refuse(pm_context *context) {
    std::vector<double> x = lattice();
    pm_kernel *kernel = make_kernel(context, "sorted_cells", "float", nullptr);
    pm_arrays arrays = {};
    pm_error error;
    arrays.place = PM_DEVICE;
    arrays.positions = x.data();
    check("host memory is refused as device memory", pm_evaluate(kernel, &arrays, &error) == PM_BAD_INPUT);
    printf("    %s\n", error.message);
    pm_kernel_free(kernel);
}

/* ---- a simulation on the device ---- */

__global__ void kick_drift(int n, float dt, const float4 *f, float4 *v, float4 *x, int drifts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i].x += 0.5f * dt * f[i].x;
        v[i].y += 0.5f * dt * f[i].y;
        v[i].z += 0.5f * dt * f[i].z;
        if (drifts) {
            x[i].x += dt * v[i].x;
            x[i].y += dt * v[i].y;
            x[i].z += dt * v[i].z;
        }
    }
}

/* Energy per particle. */
static double total(const float4 *v, const float *energy, cudaStream_t stream) {
    std::vector<float4> speeds(N);
    float potential = 0;
    CUDA(cudaMemcpyAsync(speeds.data(), v, N * sizeof(float4), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaMemcpyAsync(&potential, energy, sizeof potential, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    double sum = potential;
    for (const float4 &s : speeds) {
        sum += 0.5 * ((double)s.x * s.x + (double)s.y * s.y + (double)s.z * s.z);
    }
    return sum / N;
}

/* announces: by how far particles may have moved, so that nothing waits. */
static void simulate(pm_context *context, const char *variant, bool announces) {
    enum { STEPS = 2000 };
    const float dt = 0.002f;
    const std::vector<double> start = lattice();
    std::vector<float4> x0(N), v0(N);
    for (int i = 0; i < N; i++) {
        x0[i] = make_float4((float)start[3 * i], (float)start[3 * i + 1], (float)start[3 * i + 2], 0);
        v0[i] = make_float4((float)sin(3.0 * i), (float)sin(5.0 * i + 1), (float)cos(7.0 * i), 0);
    }
    float4 *x, *v, *f;
    float *energy;
    cudaStream_t stream;
    cudaEvent_t from, to;
    CUDA(cudaMalloc(&x, N * sizeof(float4)));
    CUDA(cudaMalloc(&v, N * sizeof(float4)));
    CUDA(cudaMalloc(&f, N * sizeof(float4)));
    CUDA(cudaMalloc(&energy, sizeof(float)));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    CUDA(cudaMemcpy(x, x0.data(), N * sizeof(float4), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(v, v0.data(), N * sizeof(float4), cudaMemcpyHostToDevice));
    pm_kernel *kernel = make_kernel(context, variant, "mixed", "SKIN=16");
    pm_arrays arrays = {};
    pm_error error;
    arrays.place = PM_DEVICE;
    arrays.number = PM_FLOAT;
    arrays.width = 4;
    arrays.positions = x;
    arrays.forces = f;
    arrays.energy = energy;
    arrays.queue = stream;
    must(pm_evaluate(kernel, &arrays, &error), error);
    const double first = total(v, energy, stream);
    CUDA(cudaEventRecord(from, stream));
    for (int step = 0; step < STEPS; step++) {
        kick_drift<<<(N + 127) / 128, 128, 0, stream>>>(N, dt, f, v, x, 1);
        if (announces) {
            must(pm_moved(kernel, 8.0 * dt, &error), error); /* no particle is faster than 8 */
        }
        must(pm_evaluate(kernel, &arrays, &error), error);
        kick_drift<<<(N + 127) / 128, 128, 0, stream>>>(N, dt, f, v, x, 0);
    }
    CUDA(cudaEventRecord(to, stream));
    CUDA(cudaEventSynchronize(to));
    float milliseconds = 0;
    CUDA(cudaEventElapsedTime(&milliseconds, from, to));
    const double last = total(v, energy, stream);
    char what[128];
    snprintf(what, sizeof what, "%s, %s: %d particles, %.1f us a step, energy %.5f to %.5f", variant,
             announces ? "announced" : "asked", (int)N, 1e3 * milliseconds / STEPS, first, last);
    check(what, fabs(last - first) < 2e-3);
    pm_kernel_free(kernel);
    CUDA(cudaFree(x));
    CUDA(cudaFree(v));
    CUDA(cudaFree(f));
    CUDA(cudaFree(energy));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaEventDestroy(from));
    CUDA(cudaEventDestroy(to));
}

/* ---- beside each other ---- */

static void work(const char *device, const result *expected, bool *same) {
    const std::vector<double> x = lattice();
    pm_error error;
    pm_context *context;
    must(pm_open(device, &context, &error), error);
    pm_kernel *kernel = make_kernel(context, "list_walk", "double", "STABLE_SORT=1");
    device_arrays on;
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    *same = true;
    for (int turn = 0; turn < 5; turn++) {
        *same = *same && by_device(kernel, x, on, stream) == *expected;
    }
    CUDA(cudaStreamDestroy(stream));
    pm_kernel_free(kernel);
    pm_close(context);
}

static void beside(const char *device, pm_context *context) {
    pm_kernel *kernel = make_kernel(context, "list_walk", "double", "STABLE_SORT=1");
    const result expected = by_host(kernel, lattice());
    bool same[3] = {};
    std::vector<std::thread> threads;
    for (bool &one : same) {
        threads.emplace_back(work, device, &expected, &one);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    check("three contexts in three threads", same[0] && same[1] && same[2]);
    pm_kernel_free(kernel);
}

/* The driver's idea of the thread's context, without the runtime, which might make one. */
static void *current() {
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
    void *const function = driver ? dlsym(driver, "cuCtxGetCurrent") : nullptr;
    void *context = nullptr;
    if (function) {
        ((int (*)(void **))function)(&context);
    }
    return context;
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cuda:0";
    pm_error error;
    pm_context *context;
    /* A thread that has no context yet keeps none. */
    std::thread([&] {
        void *const before = current();
        pm_context *other;
        must(pm_open(device, &other, &error), error);
        check("a thread without a context keeps none", !before && !current());
        pm_close(other);
        check("also when ours is closed", !current());
    }).join();
    CUDA(cudaSetDevice(atoi(strchr(device, ':') + 1)));
    CUDA(cudaFree(nullptr));
    void *const before = current();
    must(pm_open(device, &context, &error), error);
    printf("libpairmark %s on %s\n", pm_version(), pm_device(context));
    check("the thread's context is the same", before && current() == before);
    compare(context);
    refuse(context);
    for (const char *variant : { "list_walk", "clusters_8x8", "blocks_32", "sorted_cells" }) {
        simulate(context, variant, false);
        simulate(context, variant, true);
    }
    beside(device, context);
    check("and still is", current() == before);
    pm_close(context);
    check("also at the end", current() == before && cudaFree(nullptr) == cudaSuccess);
    printf("%s\n", failures ? "FAILED" : "all ok");
    return failures > 0;
}
