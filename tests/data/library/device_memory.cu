/*
 * device_memory — libpairmark on memory and streams that a program of CUDA has: the numbers of host memory to the bit, in the order of
 * the stream, without touching the thread's context; slabs, groups, random numbers; lists of neighbours; a simulation that never leaves the device; what a call costs.
 *
 *   nvcc -arch=sm_90 device_memory.cu -lpairmark; ./a.out [DEVICE]
 */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pairmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
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

static pm_kernel *make_kernel(pm_context *context, const char *variant, enum pm_precision precision, const char *tunables) {
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    pm_choice choice = {};
    choice.size = sizeof choice;
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    choice.variant = variant;
    choice.precision = precision;
    choice.outputs = PM_OUTPUTS_VIRIAL;
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
    /* To the bit; says what is not. */
    bool operator==(const result &other) const {
        int differ = 0;
        double worst = 0;
        for (int k = 0; k < 3 * N; k++) {
            differ += !(force[k] == other.force[k]);
            worst = fmax(worst, fabs(force[k] - other.force[k]));
        }
        const bool sums = energy == other.energy && memcmp(virial, other.virial, sizeof virial) == 0;
        if (differ || !sums) {
            printf("    %d numbers of forces differ, by %g at most; energy %.17g and %.17g\n", differ, worst, energy, other.energy);
        }
        return !differ && sums;
    }
};

static result by_host(pm_kernel *kernel, const std::vector<double> &x) {
    result r;
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
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
    arrays.size = sizeof arrays;
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
    static const struct {
        const char *variant;
        enum pm_precision precision;
        const char *word;
    } cases[] = { { "sorted_cells", PM_PRECISION_FLOAT, "float" },
                  { "list_walk", PM_PRECISION_MIXED, "mixed" },
                  { "list_walk", PM_PRECISION_DOUBLE, "double" },
                  { "clusters_8x8", PM_PRECISION_FIXED, "fixed" } };
    device_arrays on;
    cudaStream_t streams[2] = { nullptr, nullptr };
    CUDA(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    for (const auto &one : cases) {
        char what[128];
        std::vector<double> x = lattice();
        pm_kernel *host = make_kernel(context, one.variant, one.precision, "STABLE_SORT=1");
        pm_kernel *device = make_kernel(context, one.variant, one.precision, "STABLE_SORT=1");
        const result expected = by_host(host, x);
        for (int s = 0; s < 2; s++) {
            snprintf(what, sizeof what, "%s in %s: device memory, %s", one.variant, one.word,
                     s ? "a stream of its own" : "the default stream");
            check(what, by_device(device, x, on, streams[s]) == expected);
        }
        for (double &place : x) {
            place += 0.3 * sin(17 * place); /* farther than half the skin */
        }
        const result moved = by_host(host, x);
        snprintf(what, sizeof what, "%s in %s: after a move", one.variant, one.word);
        check(what, by_device(device, x, on, streams[1]) == moved && moved.energy != expected.energy);
        snprintf(what, sizeof what, "%s in %s: host and device in turns", one.variant, one.word);
        check(what, by_host(device, x) == moved && by_device(device, x, on, streams[1]) == moved);
        pm_kernel_free(host);
        pm_kernel_free(device);
    }
    CUDA(cudaStreamDestroy(streams[1]));
}

/* A slab; two groups, which some particles are both in. */
static void compare_parts(pm_context *context) {
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    const int along[3] = { 1, 1, 0 };
    std::vector<int> a(N / 2), b(N / 3);
    for (size_t k = 0; k < a.size(); k++) {
        a[k] = 2 * (int)k;
    }
    for (size_t k = 0; k < b.size(); k++) {
        b[k] = 3 * (int)k;
    }
    device_arrays on;
    cudaStream_t stream;
    pm_error error;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int groups = 0; groups < 2; groups++) {
        std::vector<double> x = lattice();
        pm_choice choice = {};
        choice.size = sizeof choice;
        pm_system *system;
        pm_kernel *kernel;
        choice.variant = groups ? "two_groups_cells" : "list_walk";
        choice.precision = PM_PRECISION_DOUBLE;
        choice.outputs = PM_OUTPUTS_VIRIAL;
        choice.tunables = "STABLE_SORT=1";
        must(pm_system_create(N, cell, &system, &error), error);
        must(pm_system_periodic(system, along, &error), error);
        must(pm_system_potential(system, groups ? "rational:r0=1.1,dmax=2.5" : "lj", nullptr, 2.5, &error), error);
        if (groups) {
            const pm_groups both = {sizeof both, a.data(), a.size(), b.data(), b.size(), 0};
            must(pm_system_groups(system, &both, &error), error);
        }
        must(pm_kernel_create(context, system, &choice, &kernel, &error), error);
        const result expected = by_host(kernel, x);
        check(groups ? "groups: device memory" : "a slab: device memory", by_device(kernel, x, on, stream) == expected);
        for (int i = 0; i < N; i++) {
            x[3 * i + 2] *= 1.5; /* beyond the room that was sized */
        }
        const result moved = by_host(kernel, x);
        check("and when it has grown", by_device(kernel, x, on, stream) == moved && moved.energy != expected.energy);
        pm_kernel_free(kernel);
        pm_system_free(system);
    }
    CUDA(cudaStreamDestroy(stream));
}

static void draw(pm_context *context, const char *variant) {
    enum { DRAWS = 100003, BEHIND = 16 };
    const float guard = 5;
    std::vector<float> here(DRAWS), there(DRAWS + BEHIND, guard);
    float *on;
    cudaStream_t stream;
    pm_choice choice = {};
    choice.size = sizeof choice;
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    char what[64];
    choice.variant = variant;
    choice.distribution = PM_GAUSSIAN;
    must(pm_system_create(DRAWS, nullptr, &system, &error), error);
    must(pm_kernel_create(context, system, &choice, &kernel, &error), error);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&on, there.size() * sizeof(float)));
    CUDA(cudaMemcpy(on, there.data(), there.size() * sizeof(float), cudaMemcpyHostToDevice));
    const pm_draw to_host = {sizeof to_host, 7, 0, here.data(), PM_HOST, nullptr};
    const pm_draw to_device = {sizeof to_device, 7, 0, on, PM_DEVICE, stream};
    const pm_draw askew = {sizeof askew, 7, 0, on + 1, PM_DEVICE, stream};
    must(pm_random(kernel, &to_host, &error), error);
    must(pm_random(kernel, &to_device, &error), error);
    CUDA(cudaMemcpyAsync(there.data(), on, there.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    bool same = std::equal(here.begin(), here.end(), there.begin());
    for (int k = DRAWS; k < DRAWS + BEHIND; k++) {
        same = same && there[k] == guard;
    }
    snprintf(what, sizeof what, "%s: device memory", variant);
    check(what, same && pm_random(kernel, &askew, &error) == PM_BAD_INPUT);
    pm_kernel_free(kernel);
    pm_system_free(system);
    CUDA(cudaFree(on));
    CUDA(cudaStreamDestroy(stream));
}

static void refuse(pm_context *context) {
    std::vector<double> x = lattice();
    pm_kernel *kernel = make_kernel(context, "sorted_cells", PM_PRECISION_FLOAT, nullptr);
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
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
    enum { STEPS = 1000 };
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
    pm_kernel *kernel = make_kernel(context, variant, PM_PRECISION_MIXED, strcmp(variant, "sorted_cells") ? "SKIN=16" : nullptr);
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
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

/* ---- lists of neighbours ---- */

static pm_kernel *make_lister(pm_context *context, enum pm_form list, enum pm_pairs pairs) {
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    pm_choice choice = {};
    choice.size = sizeof choice;
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    choice.variant = "neighbours_cells";
    choice.precision = PM_PRECISION_DOUBLE;
    choice.list = list;
    choice.list_pairs = pairs;
    choice.list_entries = PM_SHIFTS;
    must(pm_system_create(N, cell, &system, &error), error);
    must(pm_system_potential(system, nullptr, nullptr, 2.5, &error), error);
    must(pm_kernel_create(context, system, &choice, &kernel, &error), error);
    pm_system_free(system);
    return kernel;
}

/* The entries of a list as (i, j, S), in order. */
typedef std::vector<std::array<int, 5>> entries;
static entries entries_of(const std::vector<int> &count, const std::vector<int> &begin, const std::vector<int> &j,
                          const std::vector<int> &s, size_t room) {
    entries all;
    for (size_t i = 0; i < N; i++) {
        const size_t from = begin.empty() ? i * room : (size_t)begin[i];
        for (size_t e = from; e < from + (size_t)count[i]; e++) {
            all.push_back({ (int)i, j[e], s[3 * e], s[3 * e + 1], s[3 * e + 2] });
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

/* Arrays of the device beside those of the host, with particles outside of the cell; too little room, too. */
static void list(pm_context *context, enum pm_form form, enum pm_pairs pairs) {
    enum { GUARD = 0x4d, BEHIND = 64 };
    const bool rows = form == PM_CSR;
    std::vector<double> x = lattice();
    for (double &place : x) {
        place = 3 * place - edge;
    }
    device_arrays on;
    cudaStream_t stream;
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
    pm_list here = {};
    here.size = sizeof here;
    pm_error error;
    size_t needed = 0;
    char what[128];
    pm_kernel *kernel = make_lister(context, form, pairs);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    arrays.positions = x.data();
    std::vector<int> count(N), begin(rows ? N + 1 : 0);
    here.count = count.data();
    here.row_begin = rows ? begin.data() : nullptr;
    check("a list without room says what it needs",
          pm_neighbours(kernel, &arrays, &here, &needed, &error) == PM_NO_ROOM && needed > 0);
    for (size_t room : { needed, needed / 2 }) {
        const size_t all = rows ? room : room * N;
        std::vector<int> j(all), s(3 * all), there_count(N), there_begin(begin.size()), there_j(all), there_s(3 * all);
        unsigned char behind[BEHIND], mine[4 * BEHIND];
        int *on_count, *on_begin, *on_j, *on_s;
        size_t again = 0;
        here.room = room;
        here.neighbours = j.data();
        here.shifts = s.data();
        const pm_status status = pm_neighbours(kernel, &arrays, &here, &needed, &error);
        CUDA(cudaMalloc(&on_count, N * sizeof(int)));
        CUDA(cudaMalloc(&on_begin, (N + 1) * sizeof(int)));
        CUDA(cudaMalloc(&on_j, all * sizeof(int) + BEHIND));
        CUDA(cudaMalloc(&on_s, 3 * all * sizeof(int) + BEHIND));
        CUDA(cudaMemset(on_j, GUARD, all * sizeof(int) + BEHIND));
        CUDA(cudaMemset(on_s, GUARD, 3 * all * sizeof(int) + BEHIND));
        pm_arrays far = arrays;
        far.place = PM_DEVICE;
        far.positions = on.x;
        far.queue = stream;
        pm_list there = {};
        there.size = sizeof there;
        there.room = room;
        there.count = on_count;
        there.row_begin = rows ? on_begin : nullptr;
        there.neighbours = on_j;
        there.shifts = on_s;
        CUDA(cudaMemcpyAsync(on.source, x.data(), 3 * N * sizeof(double), cudaMemcpyHostToDevice, stream));
        CUDA(cudaMemsetAsync(on.x, 0, 3 * N * sizeof(double), stream));
        write_late<<<32, 256, 0, stream>>>(on.source, on.x, 3 * N, 40000000);
        const pm_status far_status = pm_neighbours(kernel, &far, &there, room < needed ? &again : nullptr, &error);
        CUDA(cudaMemcpyAsync(there_count.data(), on_count, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaMemcpyAsync(there_begin.data(), on_begin, begin.size() * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaMemcpyAsync(there_j.data(), on_j, all * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaMemcpyAsync(there_s.data(), on_s, 3 * all * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA(cudaMemcpyAsync(behind, on_j + all, BEHIND, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaMemcpyAsync(mine, on_s + 3 * all, BEHIND, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        bool same = there_count == count && there_begin == begin && status == far_status;
        if (room == needed) {
            same = same && status == PM_OK &&
                   entries_of(count, begin, j, s, room) == entries_of(there_count, there_begin, there_j, there_s, room);
        } else {
            same = same && status == PM_NO_ROOM && again == needed;
        }
        for (int b = 0; b < BEHIND; b++) {
            same = same && behind[b] == GUARD && mine[b] == GUARD;
        }
        snprintf(what, sizeof what, "%s, %s: %zu entries%s", rows ? "csr" : "matrix", pairs == PM_HALF_LIST ? "half" : "full", room, room < needed ? ", too few" : "");
        check(what, same);
        there.shifts = on_s + 1;
        check("shifts that lie anywhere are refused", pm_neighbours(kernel, &far, &there, nullptr, &error) == PM_BAD_INPUT);
        for (int *memory : { on_count, on_begin, on_j, on_s }) {
            CUDA(cudaFree(memory));
        }
    }
    pm_kernel_free(kernel);
    CUDA(cudaStreamDestroy(stream));
}

/* ---- what a call costs ---- */

__global__ void spin(long long cycles) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

/* Forces of 4000 particles, arrays as the kernel has them, a list that is kept: calls behind each other on the device, the host having run
 * ahead; and what the host needs for one. tests/library/test_library_cuda.sh compares that with `pairmark bench`. */
static void time_calls(pm_context *context, const char *variant) {
    enum { FEW = 4000, FEW_SIDE = 10, CALLS = 100, TURNS = 21 };
    const double few_edge = FEW_SIDE * cbrt(4 / density);
    const double cell[9] = { few_edge, 0, 0, 0, few_edge, 0, 0, 0, few_edge };
    static const double site[4][3] = { { 0, 0, 0 }, { .5, .5, 0 }, { .5, 0, .5 }, { 0, .5, .5 } };
    std::vector<float4> x0(FEW);
    std::vector<float> on_device, on_host;
    for (int i = 0; i < FEW; i++) {
        const int at[3] = { i / 4 % FEW_SIDE, i / 4 / FEW_SIDE % FEW_SIDE, i / 4 / FEW_SIDE / FEW_SIDE };
        float place[3];
        for (int d = 0; d < 3; d++) {
            place[d] = (float)(few_edge / FEW_SIDE * (at[d] + site[i % 4][d] + 0.25 + 0.05 * sin(7.0 * i + d)));
        }
        x0[i] = make_float4(place[0], place[1], place[2], 0);
    }
    float4 *x, *f;
    cudaStream_t stream;
    cudaEvent_t from, to;
    pm_choice choice = {};
    choice.size = sizeof choice;
    pm_arrays arrays = {};
    arrays.size = sizeof arrays;
    pm_error error;
    pm_system *system;
    pm_kernel *kernel;
    CUDA(cudaMalloc(&x, FEW * sizeof(float4)));
    CUDA(cudaMalloc(&f, FEW * sizeof(float4)));
    CUDA(cudaMemcpy(x, x0.data(), FEW * sizeof(float4), cudaMemcpyHostToDevice));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    choice.variant = variant;
    must(pm_system_create(FEW, cell, &system, &error), error);
    must(pm_system_potential(system, "lj:epsilon=1,sigma=1", nullptr, 2.5, &error), error);
    must(pm_kernel_create(context, system, &choice, &kernel, &error), error);
    arrays.place = PM_DEVICE;
    arrays.number = PM_FLOAT;
    arrays.width = 4;
    arrays.positions = x;
    arrays.forces = f;
    arrays.queue = stream;
    must(pm_evaluate(kernel, &arrays, &error), error);
    for (int turn = 0; turn < TURNS; turn++) {
        float milliseconds = 0;
        spin<<<1, 1, 0, stream>>>(8000000);
        CUDA(cudaEventRecord(from, stream));
        const auto begin = std::chrono::steady_clock::now();
        for (int call = 0; call < CALLS; call++) {
            must(pm_moved(kernel, 0, &error), error);
            must(pm_evaluate(kernel, &arrays, &error), error);
        }
        const std::chrono::duration<float, std::micro> host = std::chrono::steady_clock::now() - begin;
        CUDA(cudaEventRecord(to, stream));
        CUDA(cudaEventSynchronize(to));
        CUDA(cudaEventElapsedTime(&milliseconds, from, to));
        on_device.push_back(1e3f * milliseconds / CALLS);
        on_host.push_back(host.count() / CALLS);
    }
    std::sort(on_device.begin(), on_device.end());
    std::sort(on_host.begin(), on_host.end());
    printf("a call: %s %.2f us on the device, %.2f us of the host\n", variant, on_device[TURNS / 2], on_host[TURNS / 2]);
    /* From call to result, waiting: all that is asked, built or made anew. */
    const auto time = [&](const char *what, double moved, double stretch) {
        double stretched[9];
        std::vector<float> times;
        for (int turn = 0; turn < TURNS; turn++) {
            for (int k = 0; k < 9; k++) {
                stretched[k] = cell[k] * (turn % 2 ? stretch : 1);
            }
            const auto begin = std::chrono::steady_clock::now();
            if (stretch > 1) {
                must(pm_set_cell(kernel, stretched, &error), error);
            } else if (moved >= 0) {
                must(pm_moved(kernel, moved, &error), error);
            }
            must(pm_evaluate(kernel, &arrays, &error), error);
            CUDA(cudaStreamSynchronize(stream));
            times.push_back(std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
        }
        std::sort(times.begin(), times.end());
        printf("  %s: %.1f us\n", what, times[TURNS / 2]);
    };
    time("waiting for it", 0, 1);
    time("the device asked", -1, 1);
    time("a list built", INFINITY, 1);
    time("another cell", -1, 1.01);
    pm_kernel_free(kernel);
    pm_system_free(system);
    CUDA(cudaFree(x));
    CUDA(cudaFree(f));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaEventDestroy(from));
    CUDA(cudaEventDestroy(to));
}

/* ---- beside each other ---- */

static void work(const char *device, const std::vector<double> &x, const result *expected, bool *same) {
    pm_error error;
    pm_context *context;
    must(pm_open(device, &context, &error), error);
    pm_kernel *kernel = make_kernel(context, "list_walk", PM_PRECISION_DOUBLE, "STABLE_SORT=1");
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
    pm_kernel *kernel = make_kernel(context, "list_walk", PM_PRECISION_DOUBLE, "STABLE_SORT=1");
    const std::vector<double> x = lattice();
    const result expected = by_host(kernel, x);
    bool same[3] = {};
    std::vector<std::thread> threads;
    for (bool &one : same) {
        threads.emplace_back(work, device, std::cref(x), &expected, &one);
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
    compare_parts(context);
    draw(context, "philox");
    draw(context, "xorshift128");
    refuse(context);
    for (enum pm_form form : { PM_MATRIX, PM_CSR }) {
        list(context, form, PM_FULL_LIST);
        list(context, form, PM_HALF_LIST);
    }
    for (const char *variant : { "list_walk", "clusters_8x8", "blocks_32" }) {
        time_calls(context, variant);
    }
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
