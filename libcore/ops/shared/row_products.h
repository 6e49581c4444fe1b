// Sums of products of numbers of 16 bits: the inner loops of the reference's integer products, which compilers vectorize. They share
// nothing with libcore/kernels/codes, whose oracle they are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libcore/ops/shared/factors.h"

namespace quern {

// y[i * y_row + j * y_column] += scale * sum over k of a[i][k] * b[j][k], where the rows of a and of b are contiguous and have `depth`
// numbers each; `block` products are summed in 32 bits.
struct RowProducts {
    const int16_t *a, *b;
    int64_t rows, columns, depth, block, scale;
    int64_t y_row, y_column;
};
void add_products(const RowProducts& s, int32_t* y);
void add_products(const RowProducts& s, int64_t* y);

// y[i * count + c] += scale * x[i * x_step + c] * w[c], for `rows` rows of `count` numbers.
struct PairProducts {
    const int16_t *x, *w;
    int64_t rows, count, scale;
    int64_t x_step;
};
void add_pair_products(const PairProducts& s, int32_t* y);
void add_pair_products(const PairProducts& s, int64_t* y);

// fn(part of a, part of b, what their products are multiplied by, how many of them are summed in 32 bits), for each pair of parts.
template <class Fn>
void over_parts(const Factors& a, const Factors& b, const Fn& fn) {
    for (size_t i = 0; i < a.parts.size(); ++i)
        for (size_t j = 0; j < b.parts.size(); ++j) {
            const int64_t max = std::max<int64_t>(a.parts[i].reach * b.parts[j].reach, 1);
            fn(a.parts[i].items.data(), b.parts[j].items.data(), int64_t{1} << (8 * (i + j)), std::max<int64_t>(INT32_MAX / max, 1));
        }
}

// The same sums; what 32 bits do not hold wraps.
template <class To, class From>
std::vector<To> as_sums(std::vector<From> sums) {
    if constexpr (std::is_same_v<To, From>)
        return sums;
    else
        return {sums.begin(), sums.end()};
}

}  // namespace quern
