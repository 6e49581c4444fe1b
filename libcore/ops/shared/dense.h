// The inner loops of the reference that take most of its time: matrix products and sums over windows. The order of each sum is fixed:
// it does not depend on blocking.
#pragma once

#include "libcore/ops/shared/taps.h"

namespace quern {

// y [m,n] += a [m,k] * b [k,n], all row-major; each element is summed over k in order. T: float, double, uint64_t (which wraps).
template <class T>
void add_product(T* y, const T* a, const T* b, int64_t m, int64_t k, int64_t n);

// y [m,n] += a [m,k] * b [n,k]: row i of a starts at i * a_step, b is read as it is stored. Each element is a sum of 16 interleaved
// partial sums, added in order of their index; what is left of k comes last. T: float, double.
template <class T>
void add_dots(T* y, const T* a, int64_t a_step, const T* b, int64_t m, int64_t k, int64_t n);

// Channels-first dims of a convolution.
struct ConvDims {
    const Dims &x, &w, &y;
    int64_t group;
};

// y += conv(x, w): each element is summed over the channels of its group and for each of them over the taps. T: float, double.
template <class T>
void add_conv(const ConvDims& dims, const Taps& taps, const T* x, const T* w, T* y);

// The reverse: x is spread into y, w is [channels of x, channels of y / group, taps].
template <class T>
void add_conv_transposed(const ConvDims& dims, const Taps& taps, const T* x, const T* w, T* y);

// y[n, c, ...] = bias[c]
template <class T>
void fill_channels(std::span<T> y, const Dims& dims, std::span<const T> bias) {
    const auto channels = static_cast<size_t>(dims[1]);
    const size_t plane = y.empty() ? 1 : y.size() / (static_cast<size_t>(dims[0]) * channels);
    for (size_t i = 0; i < y.size(); ++i) y[i] = bias[i / plane % channels];
}

}  // namespace quern
