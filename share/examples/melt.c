/*
 * melt — a Lennard-Jones melt by velocity Verlet, its forces by libpairmark.
 *
 *   cc -O2 melt.c -o melt $(pkg-config --cflags --libs pairmark) -lm
 *   ./melt [DEVICE [VARIANT]]
 *
 * 4000 particles at density 0.8442 and temperature 1.44, as in LAMMPS' bench/in.lj. The total
 * energy per particle must stay.
 */
#include <math.h>
#include <pairmark.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 10, N = 4 * SIDE * SIDE * SIDE, STEPS = 100 };

static double x[3 * N], v[3 * N], f[3 * N];

static void check(enum pm_status status, const pm_error *error) {
    if (status != PM_OK) {
        fprintf(stderr, "melt: %s\n", error->message);
        exit(1);
    }
}

/* A face-centred cubic lattice, and velocities of zero total momentum. */
static double start(void) {
    static const double site[4][3] = {
        { 0, 0, 0 }, { 0.5, 0.5, 0 }, { 0.5, 0, 0.5 }, { 0, 0.5, 0.5 }
    };
    const double a = cbrt(4 / 0.8442);
    double mean[3] = { 0, 0, 0 }, square = 0;
    for (int i = 0; i < N; i++) {
        const int cell[3] = { i / 4 % SIDE, i / 4 / SIDE % SIDE, i / 4 / SIDE / SIDE };
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = a * (cell[d] + site[i % 4][d]);
            v[3 * i + d] = rand() / (double)RAND_MAX - 0.5;
            mean[d] += v[3 * i + d] / N;
        }
    }
    for (int k = 0; k < 3 * N; k++) {
        v[k] -= mean[k % 3];
        square += v[k] * v[k];
    }
    for (int k = 0; k < 3 * N; k++) {
        v[k] *= sqrt(1.44 * 3 * N / square);
    }
    return SIDE * a;
}

int main(int argc, char **argv) {
    const double edge = start(), dt = 0.004;
    const double cell[9] = { edge, 0, 0, 0, edge, 0, 0, 0, edge };
    const pm_choice choice =
        PM_CHOICE(.variant = argc > 2 ? argv[2] : "list_walk", .precision = PM_PRECISION_MIXED,
                  .outputs = PM_OUTPUTS_ENERGY);
    pm_context *context;
    pm_system *melt;
    pm_kernel *kernel;
    pm_error error;
    double energy;
    const pm_arrays arrays = PM_ARRAYS(.positions = x, .forces = f,
                                       .energy = &energy); /* host memory, doubles, triples */
    check(pm_open(argc > 1 ? argv[1] : NULL, &context, &error), &error);
    check(pm_system_create(N, cell, &melt, &error), &error);
    /* Shifted to zero at the cutoff; unshifted it would be "lj:epsilon=1,sigma=1". */
    check(pm_system_potential(melt, "energy = 4*(r^-12 - r^-6) + 0.0163168911", NULL, 2.5, &error),
          &error);
    check(pm_kernel_create(context, melt, &choice, &kernel, &error), &error);
    check(pm_evaluate(kernel, &arrays, &error), &error);
    printf("%s on %s\n", choice.variant, pm_device(context));
    for (int step = 0; step <= STEPS; step++) {
        double kinetic = 0;
        for (int k = 0; k < 3 * N; k++) {
            kinetic += 0.5 * v[k] * v[k];
            v[k] += 0.5 * dt * f[k];
            x[k] += dt * v[k];
        }
        const double total = (energy + kinetic) / N;
        if (step % 20 == 0) {
            printf("step %3d  energy %.5f  temperature %.3f\n", step, total, 2 * kinetic / (3 * N));
        }
        check(pm_evaluate(kernel, &arrays, &error), &error);
        for (int k = 0; k < 3 * N; k++) {
            v[k] += 0.5 * dt * f[k];
        }
    }
    pm_kernel_free(kernel);
    pm_system_free(melt);
    pm_close(context);
    return 0;
}
