#include "libcore/ops/shared/dense.h"

#include <cstring>

namespace quern {
namespace {

// y += f[0] * x[0] + ... + f[3] * x[3], one addition after the other.
template <class T>
void add_four(T* __restrict y, const T* const x[4], const T f[4], int64_t count) {
    const T *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    const T f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    for (int64_t i = 0; i < count; ++i) y[i] = (((y[i] + f0 * x0[i]) + f1 * x1[i]) + f2 * x2[i]) + f3 * x3[i];
}

template <class T>
void add_one(T* __restrict y, const T* __restrict x, T factor, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[i] += factor * x[i];
}

template <class T>
void add_run(T* __restrict y, const T* __restrict x, T factor, int64_t count, int64_t step) {
    if (step == 1) return add_one(y, x, factor, count);
    for (int64_t i = 0; i < count; ++i) y[i] += factor * x[i * step];
}

template <class T>
void spread_run(T* __restrict y, const T* __restrict x, T factor, int64_t count, int64_t step) {
    if (step == 1) return add_one(y, x, factor, count);
    for (int64_t i = 0; i < count; ++i) y[i * step] += factor * x[i];
}

constexpr int64_t dot_lanes = 16;

template <class T>
T dot(const T* a, const T* b, int64_t count) {
    using Lanes [[gnu::vector_size(dot_lanes * sizeof(T))]] = T;
    Lanes sums{};
    int64_t i = 0;
    for (; i + dot_lanes <= count; i += dot_lanes) {
        Lanes x, y;
        std::memcpy(&x, a + i, sizeof x);
        std::memcpy(&y, b + i, sizeof y);
        sums += x * y;
    }
    T sum{0};
    for (int64_t lane = 0; lane < dot_lanes; ++lane) sum += sums[lane];
    for (; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

// One output plane of a window of a single tap: four channels at a time.
template <class T>
int64_t add_channels(T* y, const T* x, const T* w, int64_t channels, int64_t in_plane, const TapRun& run) {
    int64_t c = 0;
    for (; c + 4 <= channels; c += 4) {
        const T* from = x + c * in_plane + run.large;
        const T* const four[4] = {from, from + in_plane, from + 2 * in_plane, from + 3 * in_plane};
        add_four(y + run.small, four, w + c, run.count);
    }
    return c;
}

// One output plane.
template <class T>
void add_plane(T* y, const T* x, const T* w, int64_t channels, int64_t in_plane, const Taps& taps) {
    int64_t done = 0;
    if (taps.count() == 1 && taps.step() == 1)
        for (const TapRun& run : taps.runs(0)) done = add_channels(y, x, w, channels, in_plane, run);
    x += done * in_plane;
    w += done;
    for (int64_t c = done; c < channels; ++c, x += in_plane)
        for (size_t tap = 0; tap < taps.count(); ++tap, ++w)
            for (const TapRun& run : taps.runs(tap)) add_run(y + run.small, x + run.large, *w, run.count, taps.step());
}

int64_t plane_of(const Dims& dims) { return count_of(std::span(dims).subspan(2)); }

}  // namespace

template <class T>
void add_product(T* y, const T* a, const T* b, int64_t m, int64_t k, int64_t n) {
    for (int64_t row = 0; row < m; ++row, y += n, a += k) {
        int64_t i = 0;
        for (; i + 4 <= k; i += 4) {
            const T* from = b + i * n;
            const T* const four[4] = {from, from + n, from + 2 * n, from + 3 * n};
            add_four(y, four, a + i, n);
        }
        for (; i < k; ++i) add_one(y, b + i * n, a[i], n);
    }
}

template <class T>
void add_dots(T* y, const T* a, int64_t a_step, const T* b, int64_t m, int64_t k, int64_t n) {
    for (int64_t column = 0; column < n; ++column, b += k)
        for (int64_t row = 0; row < m; ++row) y[row * n + column] += dot(a + row * a_step, b, k);
}

template <class T>
void add_conv(const ConvDims& dims, const Taps& taps, const T* x, const T* w, T* y) {
    const int64_t in_plane = plane_of(dims.x), out_plane = plane_of(dims.y), channels = dims.w[1], filters = dims.w[0];
    if (out_plane == 0 || filters == 0) return;
    const int64_t filter_size = channels * static_cast<int64_t>(taps.count()), filters_of_group = filters / dims.group;
    for (int64_t n = 0; n < dims.x[0]; ++n, x += dims.x[1] * in_plane)
        for (int64_t m = 0; m < filters; ++m, y += out_plane)
            add_plane(y, x + m / filters_of_group * channels * in_plane, w + m * filter_size, channels, in_plane, taps);
}

template <class T>
void add_conv_transposed(const ConvDims& dims, const Taps& taps, const T* x, const T* w, T* y) {
    const int64_t in_plane = plane_of(dims.x), out_plane = plane_of(dims.y), channels = dims.x[1], made = dims.w[1];
    const auto tap_count = static_cast<int64_t>(taps.count());
    const int64_t channels_of_group = channels / dims.group;
    for (int64_t n = 0; n < dims.x[0]; ++n, y += dims.y[1] * out_plane)
        for (int64_t c = 0; c < channels; ++c, x += in_plane)
            for (int64_t m = 0; m < made; ++m) {
                T* to = y + (c / channels_of_group * made + m) * out_plane;
                const T* factors = w + (c * made + m) * tap_count;
                for (size_t tap = 0; tap < taps.count(); ++tap)
                    for (const TapRun& run : taps.runs(tap))
                        spread_run(to + run.large, x + run.small, factors[tap], run.count, taps.step());
            }
}

template void add_product(float*, const float*, const float*, int64_t, int64_t, int64_t);
template void add_product(double*, const double*, const double*, int64_t, int64_t, int64_t);
template void add_product(uint64_t*, const uint64_t*, const uint64_t*, int64_t, int64_t, int64_t);
template void add_dots(float*, const float*, int64_t, const float*, int64_t, int64_t, int64_t);
template void add_dots(double*, const double*, int64_t, const double*, int64_t, int64_t, int64_t);
template void add_conv(const ConvDims&, const Taps&, const float*, const float*, float*);
template void add_conv(const ConvDims&, const Taps&, const double*, const double*, double*);
template void add_conv_transposed(const ConvDims&, const Taps&, const float*, const float*, float*);
template void add_conv_transposed(const ConvDims&, const Taps&, const double*, const double*, double*);

}  // namespace quern
