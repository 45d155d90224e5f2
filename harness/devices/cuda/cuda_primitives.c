/* What CUDA's libraries compute: sorts, scans and sums by CUB, transforms by cuFFT. */
#include "devices/cuda/cub.h"

#include "devices/cuda/cuda_device.h"

#include <stdlib.h>
#include <string.h>

static bool cub_fail(int result, const char *what, struct error *error) {
    char words[256];
    cub_error_words(result, words, sizeof words);
    return fail(
        error, result == (int)CUDA_ERROR_OUT_OF_MEMORY ? STATUS_OUT_OF_MEMORY : STATUS_LAUNCH_ERROR,
        "%s: %s", what, words);
}

/* The libraries take plain pointers of the device's memory. */
static void *pointer(CUdeviceptr address) {
    void *pointer = NULL;
    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

static bool size_known(const struct cuda_scratch_size *size, size_t n, size_t segments,
                       int detail) {
    return size->n == n && size->segments == segments && size->detail == detail;
}

bool cuda_sort_pairs(struct device *device, struct key_values from, struct key_values to, size_t n,
                     int key_bits, struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct cuda_scratch_size *size = &cuda->sizes[CUDA_SORT];
    int result = 0;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    if (!size_known(size, n, 1, key_bits)) {
        *size = (struct cuda_scratch_size){ 0 };
        result =
            cub_sort_pairs(NULL, &size->bytes, NULL, NULL, NULL, NULL, n, key_bits, cuda->stream);
        if (result) {
            return cub_fail(result, "sorting", error);
        }
        size->n = n;
        size->segments = 1;
        size->detail = key_bits;
    }
    if (!cuda_scratch_grow(cuda, &cuda->scratch, size->bytes, error)) {
        return false;
    }
    result = cub_sort_pairs(pointer(cuda->scratch.address), &size->bytes,
                            pointer(cuda_address(from.keys)), pointer(cuda_address(from.values)),
                            pointer(cuda_address(to.keys)), pointer(cuda_address(to.values)), n,
                            key_bits, cuda->stream);
    return result == 0 || cub_fail(result, "sorting", error);
}

bool cuda_exclusive_scan(struct device *device, struct buffer *in, struct buffer *out, size_t n,
                         struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct cuda_scratch_size *size = &cuda->sizes[CUDA_SCAN];
    int result = 0;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    if (!size_known(size, n, 1, 0)) {
        *size = (struct cuda_scratch_size){ 0 };
        result = cub_exclusive_scan(NULL, &size->bytes, NULL, NULL, n, cuda->stream);
        if (result) {
            return cub_fail(result, "scanning", error);
        }
        size->n = n;
        size->segments = 1;
    }
    if (!cuda_scratch_grow(cuda, &cuda->scratch, size->bytes, error)) {
        return false;
    }
    result =
        cub_exclusive_scan(pointer(cuda->scratch.address), &size->bytes, pointer(cuda_address(in)),
                           pointer(cuda_address(out)), n, cuda->stream);
    return result == 0 || cub_fail(result, "scanning", error);
}

/* One zero for each segment; the sum's kernels leave them zero. */
static bool prepare_tickets(struct cuda_device *cuda, size_t segments, struct error *error) {
    size_t bytes = segments * sizeof(uint32_t);
    if (cuda->tickets.bytes >= bytes) {
        return true;
    }
    if (!cuda_scratch_grow(cuda, &cuda->tickets, bytes, error)) {
        return false;
    }
    CUresult result =
        cuda->driver.cuMemsetD8Async(cuda->tickets.address, 0, cuda->tickets.bytes, cuda->stream);
    if (result != CUDA_SUCCESS) {
        cuda_scratch_free(cuda, &cuda->tickets);
        return cuda_check(cuda, result, "summing", error);
    }
    return true;
}

static const enum cub_type cub_types[] = {
    [SUM_FLOAT] = CUB_FLOAT, [SUM_DOUBLE] = CUB_DOUBLE, [SUM_INT64] = CUB_INT64
};

bool cuda_sum(struct device *device, const struct summands *summands, struct buffer *out,
              struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct cuda_scratch_size *size = &cuda->sizes[CUDA_SUM];
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    if (!size_known(size, summands->n, summands->segments, (int)summands->type)) {
        *size = (struct cuda_scratch_size){ .n = summands->n,
                                            .segments = summands->segments,
                                            .detail = (int)summands->type };
        (void)cub_sum(NULL, &size->bytes, NULL, cub_types[summands->type], NULL, summands->n,
                      summands->segments, NULL, NULL);
    }
    if (!cuda_scratch_grow(cuda, &cuda->scratch, size->bytes, error) ||
        !prepare_tickets(cuda, summands->segments, error)) {
        return false;
    }
    int result =
        cub_sum(pointer(cuda->scratch.address), &size->bytes, pointer(cuda->tickets.address),
                cub_types[summands->type], pointer(cuda_address(summands->in)), summands->n,
                summands->segments, pointer(cuda_address(out)), cuda->stream);
    return result == 0 || cub_fail(result, "summing", error);
}

bool cuda_library_sum(struct device *device, const struct summands *summands, struct buffer *out,
                      struct error *error) {
    struct cuda_device *cuda = cuda_device_of(device);
    struct cuda_scratch_size *size = &cuda->sizes[CUDA_LIBRARY_SUM];
    int result = 0;
    if (!cuda_enter(cuda, error)) {
        return false;
    }
    if (summands->n * summands->segments > INT32_MAX) {
        return fail(error, STATUS_LAUNCH_ERROR, "CUB's sum: %zu numbers are more than 2^31 - 1",
                    summands->n * summands->segments);
    }
    if (!size_known(size, summands->n, summands->segments, (int)summands->type)) {
        *size = (struct cuda_scratch_size){ 0 };
        result = cub_library_sum(NULL, &size->bytes, cub_types[summands->type], NULL, summands->n,
                                 summands->segments, NULL, cuda->stream);
        if (result) {
            return cub_fail(result, "summing by CUB", error);
        }
        size->n = summands->n;
        size->segments = summands->segments;
        size->detail = (int)summands->type;
    }
    if (!cuda_scratch_grow(cuda, &cuda->scratch, size->bytes, error)) {
        return false;
    }
    result =
        cub_library_sum(pointer(cuda->scratch.address), &size->bytes, cub_types[summands->type],
                        pointer(cuda_address(summands->in)), summands->n, summands->segments,
                        pointer(cuda_address(out)), cuda->stream);
    return result == 0 || cub_fail(result, "summing by CUB", error);
}

/* ---- transforms, by cuFFT ---- */

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

/* A plan of cuFFT; the numbers of a grid lie one after the other. */
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
        result = transform->is_double ? fft->cufftExecD2Z(own, pointer(cuda_address(grid)),
                                                          pointer(cuda_address(spectrum)))
                                      : fft->cufftExecR2C(own, pointer(cuda_address(grid)),
                                                          pointer(cuda_address(spectrum)));
    } else {
        result = transform->is_double ? fft->cufftExecZ2D(own, pointer(cuda_address(spectrum)),
                                                          pointer(cuda_address(grid)))
                                      : fft->cufftExecC2R(own, pointer(cuda_address(spectrum)),
                                                          pointer(cuda_address(grid)));
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
