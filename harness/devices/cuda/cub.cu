/*
 * Sorting and scanning are CUB's. The default sum of variants is written here,
 * because it sits inside timed evaluations: CUB's segmented sum adds in an order of its own
 * choice (it may change with the version) and gives a whole segment to one block, which a few 10k
 * numbers in one to seven segments would keep waiting. Here each block adds up a tile, and the
 * block that finishes last adds up the tiles.
 */
#include "devices/cuda/cub.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstdio>

namespace {

constexpr int threads = 256; /* of a block that sums */
constexpr int items = 16;    /* numbers that each of them adds */
constexpr int tile = threads * items;
constexpr int warp_size = 32;
constexpr int warps = threads / warp_size;

/* COUNT numbers, `threads` apart, as a tree; beyond n they count as zero. All loads are
 * independent, so they are in flight together. */
template <int COUNT, typename T> __device__ T sum_strided(const T *in, size_t first, size_t n) {
    if constexpr (COUNT == 1) {
        return first < n ? in[first] : T(0);
    } else {
        return sum_strided<COUNT / 2>(in, first, n) +
               sum_strided<COUNT / 2>(in, first + COUNT / 2 * threads, n);
    }
}

template <typename T, int LANES> __device__ T sum_lanes(T value) {
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, distance);
    }
    return value;
}

/* The sum of in[0 .. min(n, tile) - 1], in thread 0. Every thread of the block calls it. */
template <typename T> __device__ T sum_tile(const T *in, size_t n, T *of_warps) {
    T value = sum_lanes<T, warp_size>(sum_strided<items>(in, threadIdx.x, n));
    if (threadIdx.x % warp_size == 0) {
        of_warps[threadIdx.x / warp_size] = value;
    }
    __syncthreads();
    if (threadIdx.x < warp_size) {
        value = sum_lanes<T, warps>(threadIdx.x < warps ? of_warps[threadIdx.x] : T(0));
    }
    __syncthreads();
    return value;
}

/* One block a tile, the tiles of a segment in a row; `partial` gets the sum of each. With tickets,
 * the last block of a segment to draw one adds the segment's tiles (tile of them at most). */
template <typename T>
__global__ void __launch_bounds__(threads)
    sum_kernel(const T *in, size_t n, unsigned tiles, T *partial, uint32_t *tickets, T *out) {
    __shared__ T of_warps[warps];
    __shared__ bool last;
    size_t segment = blockIdx.x / tiles;
    size_t begin = blockIdx.x % tiles * static_cast<size_t>(tile);
    T value = sum_tile(in + segment * n + begin, n - begin, of_warps);
    if (threadIdx.x == 0) {
        (tiles == 1 ? out : partial)[blockIdx.x] = value;
    }
    if (tiles == 1 || !tickets) {
        return;
    }
    if (threadIdx.x == 0) {
        __threadfence(); /* the tile's sum before the ticket that announces it */
        last = atomicInc(&tickets[segment], tiles - 1) == tiles - 1; /* wraps: zero again */
    }
    __syncthreads();
    if (last) {
        __threadfence();
        value = sum_tile(partial + segment * tiles, tiles, of_warps);
        if (threadIdx.x == 0) {
            out[segment] = value;
        }
    }
}

/* More tiles than one block adds up: their sums are summed in their turn, tile by tile. */
template <typename T>
cudaError_t sum(T *scratch, size_t *scratch_bytes, uint32_t *tickets, const T *in, size_t n,
                size_t segments, T *out, cudaStream_t stream) {
    size_t tiles = (n + tile - 1) / tile;
    if (!scratch) {
        *scratch_bytes = (tiles + (tiles + tile - 1) / tile) * segments * sizeof(T);
        return cudaSuccess;
    }
    if (tiles * segments > INT32_MAX) {
        return cudaErrorInvalidConfiguration;
    }
    bool again = tiles > tile;
    sum_kernel<<<static_cast<unsigned>(tiles * segments), threads, 0, stream>>>(
        in, n, static_cast<unsigned>(tiles), scratch, again ? nullptr : tickets, out);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess && again) {
        error = sum(scratch + tiles * segments, scratch_bytes, tickets, scratch, tiles, segments,
                    out, stream);
    }
    return error;
}

template <typename T>
int sum_of(void *scratch, size_t *scratch_bytes, uint32_t *tickets, const void *in, size_t n,
           size_t segments, void *out, void *stream) {
    return sum(static_cast<T *>(scratch), scratch_bytes, tickets, static_cast<const T *>(in), n,
               segments, static_cast<T *>(out), static_cast<cudaStream_t>(stream));
}

/* ---- CUB's own ---- */

/* Where segment s begins: every segment has n numbers. */
struct segment_start {
    long long n;
    __host__ __device__ long long operator()(long long s) const {
        return s * n;
    }
};

template <typename T>
cudaError_t library_sum(void *scratch, size_t *scratch_bytes, const void *in, size_t n,
                        size_t segments, void *out, void *stream) {
    const T *from = static_cast<const T *>(in);
    T *to = static_cast<T *>(out);
    if (segments == 1) {
        return cub::DeviceReduce::Sum(scratch, *scratch_bytes, from, to, static_cast<int>(n),
                                      static_cast<cudaStream_t>(stream));
    }
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(0LL),
                                                        segment_start{ static_cast<long long>(n) });
    return cub::DeviceSegmentedReduce::Sum(scratch, *scratch_bytes, from, to,
                                           static_cast<int>(segments), starts, starts + 1,
                                           static_cast<cudaStream_t>(stream));
}

} // namespace

extern "C" void cub_error_words(int error, char *words, size_t size) {
    cudaError_t number = static_cast<cudaError_t>(error);
    std::snprintf(words, size, "%s: %s", cudaGetErrorName(number), cudaGetErrorString(number));
}

extern "C" int cub_runtime_version(void) {
    return CUDART_VERSION;
}

extern "C" int cub_sort_pairs(void *scratch, size_t *scratch_bytes, const uint32_t *keys_in,
                              const uint32_t *values_in, uint32_t *keys_out, uint32_t *values_out,
                              size_t n, int key_bits, void *stream) {
    return cub::DeviceRadixSort::SortPairs(scratch, *scratch_bytes, keys_in, keys_out, values_in,
                                           values_out, static_cast<int>(n), 0, key_bits,
                                           static_cast<cudaStream_t>(stream));
}

extern "C" int cub_exclusive_scan(void *scratch, size_t *scratch_bytes, const int32_t *in,
                                  int32_t *out, size_t n, void *stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, *scratch_bytes, in, out, static_cast<int>(n),
                                         static_cast<cudaStream_t>(stream));
}

extern "C" int cub_sum(void *scratch, size_t *scratch_bytes, uint32_t *tickets, enum cub_type type,
                       const void *in, size_t n, size_t segments, void *out, void *stream) {
    switch (type) {
    case CUB_FLOAT:
        return sum_of<float>(scratch, scratch_bytes, tickets, in, n, segments, out, stream);
    case CUB_DOUBLE:
        return sum_of<double>(scratch, scratch_bytes, tickets, in, n, segments, out, stream);
    default:
        return sum_of<long long>(scratch, scratch_bytes, tickets, in, n, segments, out, stream);
    }
}

extern "C" int cub_library_sum(void *scratch, size_t *scratch_bytes, enum cub_type type,
                               const void *in, size_t n, size_t segments, void *out, void *stream) {
    switch (type) {
    case CUB_FLOAT:
        return library_sum<float>(scratch, scratch_bytes, in, n, segments, out, stream);
    case CUB_DOUBLE:
        return library_sum<double>(scratch, scratch_bytes, in, n, segments, out, stream);
    default:
        return library_sum<long long>(scratch, scratch_bytes, in, n, segments, out, stream);
    }
}
