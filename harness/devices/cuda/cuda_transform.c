/* Transforms by cuFFT. */
#include "devices/cuda/cuda_device.h"

#include <stdlib.h>
#include <string.h>

/* As cuFFT numbers kinds of transforms, and errors. */
enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c, ALLOCATION_FAILED = 2 };

struct cuda_transform {
    int forward, backward; /* plans */
    bool is_double;
};

static bool check(int result, const char *what, struct error *error) {
    return result == 0 ||
           fail(error, result == ALLOCATION_FAILED ? STATUS_OUT_OF_MEMORY : STATUS_LAUNCH_ERROR,
                "%s by cuFFT: error %d", what, result);
}

static bool has_library(struct cuda_device *cuda) {
    if (!cuda->fft_sought) {
        cuda->fft_sought = true;
        (void)cufft_library_open(cuda->driver.version / 1000, &cuda->fft);
    }
    return cuda->fft.handle != NULL;
}

/* Of a grid, numbers lie one after the other. */
static bool plan_one(const struct cufft_library *fft, const size_t size[3],
                     enum transform_extent extent, int kind, int *plan, struct error *error) {
    int n[3] = { (int)size[0], (int)size[1], (int)size[2] };
    if (extent == TRANSFORM_GRID) {
        return check(fft->cufftPlanMany(plan, 3, n, NULL, 1, 0, NULL, 1, 0, kind, 1),
                     "planning a transform", error);
    }
    const int row = (int)transform_row(size[2]);
    const bool backward = kind == C2R || kind == Z2D;
    int reals[2] = { n[1], row };
    int points[2] = { n[1], row / 2 };
    int *from = backward ? points : reals;
    int *to = backward ? reals : points;
    return check(fft->cufftPlanMany(plan, 2, n + 1, from, 1, n[1] * from[1], to, 1, n[1] * to[1],
                                    kind, n[0]),
                 "planning a transform", error);
}

bool cuda_transform_create(struct device *device, const size_t size[3],
                           enum transform_extent extent, bool is_double, void **plan,
                           struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cufft_library *fft = &cuda->fft;
    if (!has_library(cuda)) {
        return true;
    }
    struct cuda_transform *made = calloc(1, sizeof *made);
    if (!made) {
        return fail_out_of_memory(error, "a transform");
    }
    made->is_double = is_double;
    bool planned = cuda_enter(cuda, error) &&
                   plan_one(fft, size, extent, is_double ? D2Z : R2C, &made->forward, error);
    if (planned && !plan_one(fft, size, extent, is_double ? Z2D : C2R, &made->backward, error)) {
        (void)fft->cufftDestroy(made->forward);
        planned = false;
    }
    if (!planned) {
        free(made);
        return false;
    }
    *plan = made;
    return true;
}

/* cuFFT takes plain pointers of the device's memory. */
static void *pointer(const struct buffer *buffer) {
    const CUdeviceptr address = cuda_address(buffer);
    void *pointer = NULL;
    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

bool cuda_transform_run(struct device *device, void *plan, bool forward, struct buffer *grid,
                        struct buffer *spectrum, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cufft_library *fft = &cuda->fft;
    const struct cuda_transform *transform = plan;
    const int own = forward ? transform->forward : transform->backward;
    if (!cuda_enter(cuda, error) ||
        !check(fft->cufftSetStream(own, cuda->stream), "a transform", error)) {
        return false;
    }
    int result;
    if (forward) {
        result = transform->is_double ? fft->cufftExecD2Z(own, pointer(grid), pointer(spectrum))
                                      : fft->cufftExecR2C(own, pointer(grid), pointer(spectrum));
    } else {
        result = transform->is_double ? fft->cufftExecZ2D(own, pointer(spectrum), pointer(grid))
                                      : fft->cufftExecC2R(own, pointer(spectrum), pointer(grid));
    }
    return check(result, "a transform", error);
}

void cuda_transform_free(struct device *device, void *plan) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct cuda_transform *transform = plan;
    struct error error;
    if (cuda_enter(cuda, &error)) {
        (void)cuda->fft.cufftDestroy(transform->forward);
        (void)cuda->fft.cufftDestroy(transform->backward);
    }
    free(transform);
}
