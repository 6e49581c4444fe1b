#include "libcore/ops/shared/row_products.h"

#include <algorithm>

#include "libcore/base/wide.h"

namespace quern {
namespace {

constexpr int64_t cached = 1 << 17;  // numbers of rows of a that stay in the second cache

// R rows with C columns.
template <int64_t R, int64_t C, class Y>
[[gnu::always_inline]] inline void add_tile(const RowProducts& s, int64_t row, int64_t column, Y* y) {
    for (int64_t from = 0; from < s.depth; from += s.block) {
        const int64_t count = std::min(s.block, s.depth - from), depth = s.depth;
        const int16_t *a = s.a + row * depth + from, *b = s.b + column * depth + from;
        int32_t sums[R][C] = {};
        for (int64_t k = 0; k < count; ++k)
            for (int64_t i = 0; i < R; ++i)
                for (int64_t j = 0; j < C; ++j) sums[i][j] += int32_t{a[i * depth + k]} * b[j * depth + k];
        for (int64_t i = 0; i < R; ++i)
            for (int64_t j = 0; j < C; ++j) y[(row + i) * s.y_row + (column + j) * s.y_column] += static_cast<Y>(s.scale) * sums[i][j];
    }
}

template <int64_t C, class Y>
[[gnu::always_inline]] inline void add_columns(const RowProducts& s, int64_t first, int64_t end, int64_t column, Y* y) {
    int64_t row = first;
    for (; row + 3 <= end; row += 3) add_tile<3, C>(s, row, column, y);
    for (; row < end; ++row) add_tile<1, C>(s, row, column, y);
}

template <class Y>
[[gnu::always_inline]] inline void add_rows(const RowProducts& s, Y* y) {
    const int64_t block = std::max<int64_t>(cached / std::max<int64_t>(s.depth, 1), 12);
    for (int64_t row = 0; row < s.rows; row += block) {
        const int64_t end = std::min(s.rows, row + block);
        int64_t column = 0;
        for (; column + 4 <= s.columns; column += 4) add_columns<4>(s, row, end, column, y);
        for (; column < s.columns; ++column) add_columns<1>(s, row, end, column, y);
    }
}

template <class Y>
[[gnu::always_inline]] inline void add_pairs(const PairProducts& s, Y* __restrict y) {
    const int16_t* __restrict x = s.x, * __restrict w = s.w;
    const auto scale = static_cast<Y>(s.scale);
    for (int64_t i = 0; i < s.rows; ++i, x += s.x_step, y += s.count)
        for (int64_t c = 0; c < s.count; ++c) y[c] += static_cast<Y>(int32_t{x[c]} * w[c]) * scale;
}

}  // namespace

QUERN_WIDE void add_products(const RowProducts& s, int32_t* y) { add_rows(s, y); }
QUERN_WIDE void add_products(const RowProducts& s, int64_t* y) { add_rows(s, y); }
QUERN_WIDE void add_pair_products(const PairProducts& s, int32_t* y) { add_pairs(s, y); }
QUERN_WIDE void add_pair_products(const PairProducts& s, int64_t* y) { add_pairs(s, y); }

}  // namespace quern
