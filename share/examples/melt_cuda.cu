/*
 * melt_cuda — a Lennard-Jones melt by velocity Verlet on a GPU: positions, velocities and forces never leave it, libpairmark's kernels and
 * ours share a stream.
 *
 *   nvcc melt_cuda.cu -o melt_cuda $(pkg-config --cflags --libs pairmark)
 *   ./melt_cuda [DEVICE [VARIANT]]          cuda:0 list_walk, unless given
 */
#include <cuda_runtime.h>
#include <pairmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { SIDE = 20, N = 4 * SIDE * SIDE * SIDE, STEPS = 1000, EVERY = 200 };
static const float dt = 0.002f;

static void check(bool good, const char *words) {
    if (!good) {
        fprintf(stderr, "melt_cuda: %s\n", words);
        exit(1);
    }
}

static void check(cudaError_t code) {
    check(code == cudaSuccess, cudaGetErrorString(code));
}

static void check(pm_status status, const pm_error &error) {
    check(status == PM_OK, error.message);
}

/* Half a kick and, before the forces, a drift. */
__global__ void kick(const float4 *f, float4 *v, float4 *x, bool drifts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        v[i] = make_float4(v[i].x + 0.5f * dt * f[i].x, v[i].y + 0.5f * dt * f[i].y, v[i].z + 0.5f * dt * f[i].z, 0);
        if (drifts) {
            x[i] = make_float4(x[i].x + dt * v[i].x, x[i].y + dt * v[i].y, x[i].z + dt * v[i].z, 0);
        }
    }
}

/* A face-centred cubic lattice, with velocities that sum to almost nothing. */
static void start(double edge, float4 *x, float4 *v) {
    static const double site[4][3] = { { 0, 0, 0 }, { .5, .5, 0 }, { .5, 0, .5 }, { 0, .5, .5 } };
    std::vector<float4> places(N), speeds(N);
    for (int i = 0; i < N; i++) {
        const int cell[3] = { i / 4 % SIDE, i / 4 / SIDE % SIDE, i / 4 / SIDE / SIDE };
        float at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = (float)(edge / SIDE * (cell[d] + site[i % 4][d]));
        }
        places[i] = make_float4(at[0], at[1], at[2], 0);
        speeds[i] = make_float4(1.7f * (float)sin(3.0 * i), 1.7f * (float)sin(5.0 * i + 1), 1.7f * (float)cos(7.0 * i), 0);
    }
    check(cudaMemcpy(x, places.data(), N * sizeof(float4), cudaMemcpyHostToDevice));
    check(cudaMemcpy(v, speeds.data(), N * sizeof(float4), cudaMemcpyHostToDevice));
}

static void print(int step, const float4 *v, const float *energy, cudaStream_t stream) {
    std::vector<float4> speeds(N);
    float potential = 0;
    double kinetic = 0;
    check(cudaMemcpyAsync(speeds.data(), v, N * sizeof(float4), cudaMemcpyDeviceToHost, stream));
    check(cudaMemcpyAsync(&potential, energy, sizeof potential, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    for (const float4 &s : speeds) {
        kinetic += 0.5 * ((double)s.x * s.x + (double)s.y * s.y + (double)s.z * s.z);
    }
    printf("step %4d  energy %.5f  temperature %.3f\n", step, (potential + kinetic) / N, 2 * kinetic / (3 * N));
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cuda:0";
    const double edge = SIDE * cbrt(4 / 0.8442);
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    pm_choice choice = {};
    choice.size = sizeof choice;
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
    pm_error error;
    pm_context *context;
    pm_system *system;
    pm_kernel *kernel;
    float4 *x, *v, *f;
    float *energy;
    cudaStream_t stream;
    check(!strncmp(device, "cuda:", 5) && !cudaSetDevice(atoi(device + 5)), "expected a device of CUDA: cuda:0");
    check(pm_open(device, &context, &error), error);
    check(cudaStreamCreate(&stream));
    check(cudaMalloc(&x, N * sizeof *x));
    check(cudaMalloc(&v, N * sizeof *v));
    check(cudaMalloc(&f, N * sizeof *f));
    check(cudaMalloc(&energy, sizeof *energy));
    start(edge, x, v);

    choice.variant = argc > 2 ? argv[2] : "list_walk";
    choice.precision = PM_PRECISION_MIXED;
    choice.outputs = PM_OUTPUTS_ENERGY;
    check(pm_system_create(N, cell, &system, &error), error);
    /* Shifted to zero at the cutoff, so that the total energy stays. */
    check(pm_system_potential(system, "energy = 4*(r^-12 - r^-6) + 0.0163168911", nullptr, 2.5, &error), error);
    check(pm_kernel_create(context, system, &choice, &kernel, &error), error);
    printf("%s on %s\n", pm_kernel_words(kernel), pm_device(context));

    arrays.place = PM_DEVICE;
    arrays.number = PM_FLOAT;
    arrays.width = 4;
    arrays.positions = x;
    arrays.forces = f;
    arrays.queue = stream;
    for (int step = 0; step <= STEPS; step++) {
        arrays.energy = step % EVERY ? nullptr : energy;
        check(pm_evaluate(kernel, &arrays, &error), error);
        if (step > 0) {
            kick<<<(N + 127) / 128, 128, 0, stream>>>(f, v, x, false);
        }
        if (arrays.energy) {
            print(step, v, energy, stream);
        }
        kick<<<(N + 127) / 128, 128, 0, stream>>>(f, v, x, true);
    }
    pm_kernel_free(kernel);
    pm_system_free(system);
    pm_close(context);
    for (void *memory : { (void *)x, (void *)v, (void *)f, (void *)energy }) {
        check(cudaFree(memory));
    }
    check(cudaStreamDestroy(stream));
}
