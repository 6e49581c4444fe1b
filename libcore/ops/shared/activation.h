// Activation functions of one number, float or double (those without transcendental parts of whole numbers, too). This is the only
// definition of each: the rows of every domain, fused nodes, gates of recurrent operators and tables of codes compute with it, so they give
// the same bits.
#pragma once

#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/portable_math.h"

namespace quern::act {

using portable::sigmoid;
using portable::tanh;

template <class T>
T relu(T x) {
    return x < T{0} ? T{0} : x;
}
template <class T>
T clip(T x, T low, T high) {
    return std::min(std::max(x, low), high);
}
template <class T>
T leaky_relu(T x, T alpha) {
    return x < 0 ? alpha * x : x;
}
template <class T>
T thresholded_relu(T x, T alpha) {
    return x > alpha ? x : T{0};
}
template <class T>
T hard_sigmoid(T x, T alpha, T beta) {
    const T y = alpha * x + beta;
    return y < 0 ? T{0} : y > 1 ? T{1} : y;
}
template <class T>
T hard_swish(T x) {
    const T gate = x / T{6} + T{0.5};
    return x * (gate < 0 ? T{0} : gate > 1 ? T{1} : gate);
}
template <class T>
T softplus(T x) {
    return x > 0 ? x + portable::log1p(portable::exp(-x)) : portable::log1p(portable::exp(x));
}
template <class T>
T softsign(T x) {
    return x / (T{1} + std::fabs(x));
}
template <class T>
T elu(T x, T alpha) {
    return x < 0 ? alpha * portable::expm1(x) : x;
}
template <class T>
T celu(T x, T alpha) {
    return x < 0 ? alpha * portable::expm1(x / alpha) : x;
}
template <class T>
T selu(T x, T alpha, T gamma) {
    return gamma * (x > 0 ? x : alpha * portable::expm1(x));
}
template <class T>
T gelu(T x) {
    return T{0.5} * x * (T{1} + portable::erf(x * static_cast<T>(0.7071067811865476)));
}
template <class T>
T gelu_by_tanh(T x) {
    const T inner = static_cast<T>(0.7978845608028654) * (x + static_cast<T>(0.044715) * x * x * x);  // sqrt(2 / pi)
    return T{0.5} * x * (T{1} + tanh(inner));
}
template <class T>
T mish(T x) {
    return x * tanh(softplus(x));
}
template <class T>
T swish(T x, T alpha) {
    return x * sigmoid(alpha * x);
}
// Limits what is far from 0: cap * tanh(x / cap).
template <class T>
T soft_cap(T x, T cap) {
    return cap * tanh(x / cap);
}

}  // namespace quern::act
