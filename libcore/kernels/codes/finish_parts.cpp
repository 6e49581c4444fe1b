// Codes of sums whose data, weights or results have more than 8 bits: the parts' sums (rows_product.h) are joined in 64 bits.
#include <algorithm>
#include <array>

#include "libcore/graph/quantize.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"

namespace quern::codes {
namespace {

using Joined = std::array<int64_t, block_columns>;

// One row.
void join(const FinishParameters& p, const FinishedTile& tile, int row, Joined& sums) {
    for (int c = 0; c < block_columns; ++c) sums[c] = p.wide_bias[tile.column + c];
    const int32_t* from = tile.sums + row * block_columns;
    for (int a = 0; a < p.data_parts; ++a)
        for (int b = 0; b < p.weight_parts; ++b, from += tile.next_sums)
            for (int c = 0; c < block_columns; ++c) {  // wraps, as biases may be anything
                const auto part = static_cast<uint64_t>(int64_t{from[c]}) << 8 * (a + b);
                sums[c] = static_cast<int64_t>(static_cast<uint64_t>(sums[c]) + part);
            }
    if (p.wide) return;
    for (int64_t& sum : sums) sum = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum)));
}

template <class Code>
void run(const FinishParameters& p, const FinishedTile& tile, const Code& code_of) {
    Joined sums;
    for (int r = 0; r < tile.count; ++r) {
        join(p, tile, r, sums);
        uint8_t* out = tile.out + r * tile.stride;
        for (int c = 0; c < tile.columns; ++c) {
            const auto code = static_cast<uint32_t>(code_of(sums[static_cast<size_t>(c)], static_cast<size_t>(tile.column + c)));
            out[c] = static_cast<uint8_t>(code);
            if (p.out_parts > 1) out[tile.next_out + c] = static_cast<uint8_t>(code >> 8);
        }
    }
}

// Are joined sums with these biases exact as doubles? Those of the parts stay below 2^48.
bool are_exact_doubles(const int64_t* bias) {
    constexpr int64_t max = int64_t{1} << 50;
    return std::all_of(bias, bias + block_columns, [](int64_t item) { return item > -max && item < max; });
}

}  // namespace

PartsWay way_of_parts(const FinishParameters& p, int64_t column) {
    if (p.by == SumCodes::By::doubles) return p.wide ? PartsWay::wide_doubles : PartsWay::doubles;
    if (p.by == SumCodes::By::floats) {
        if (!p.wide) return PartsWay::floats;
        return are_exact_doubles(p.wide_bias + column) ? PartsWay::wide_floats : PartsWay::any;
    }
    if (!p.wide) return PartsWay::fixed;
    const auto* shifts = p.shifts.data() + column;
    const bool fits = std::all_of(shifts, shifts + block_columns, [](int32_t shift) { return shift <= max_left; });
    return fits ? PartsWay::wide_fixed : PartsWay::any;
}

void portable_finish_parts(const FinishParameters& p, const FinishedTile& tile) {
    const requant_t grid{0, 0, p.zero, p.low, p.high, 1};
    switch (p.by) {
        case SumCodes::By::floats:
            return run(p, tile,
                       [&](int64_t sum, size_t c) { return ::quantize_one(static_cast<float>(sum) * p.floats[c], p.zero, p.low, p.high); });
        case SumCodes::By::doubles:
            return run(p, tile, [&](int64_t sum, size_t c) { return code_of_double(static_cast<double>(sum), p.doubles[c], &grid); });
        case SumCodes::By::fixed:
            if (p.wide) return run(p, tile, [&](int64_t sum, size_t c) { return code_of_wide_sum(sum, p.factors[c], p.shifts[c], &grid); });
            return run(p, tile,
                       [&](int64_t sum, size_t c) { return code_of_sum(static_cast<int32_t>(sum), p.factors[c], p.shifts[c], &grid); });
    }
}

}  // namespace quern::codes
