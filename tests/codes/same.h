// Results of real numbers, to the bit; NaN is NaN.
#pragma once

#include <algorithm>
#include <cstring>

#include "libcore/graph/tensor.h"

namespace code_tests {

inline bool same(const quern::Tensor& a, const quern::Tensor& b) {
    const auto x = a.view<float>(), y = b.view<float>();
    const auto equal = [](float u, float v) { return std::memcmp(&u, &v, sizeof u) == 0 || (u != u && v != v); };
    return a.dims == b.dims && std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}

}  // namespace code_tests
