#include "libcore/kernels/codes/finish.h"

#include <cmath>

#include "libcore/integer/code_of_double.h"
#include "libcore/integer/code_of_sum.h"
#include "libcore/integer/quantize_one.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/kinds.h"

namespace quern::codes {
namespace {

int32_t code_of(const FinishParameters& p, const requant_t& grid, int32_t sum, size_t column) {
    if (p.by == SumCodes::By::floats) return ::quantize_one(static_cast<float>(sum) * p.floats[column], p.zero, p.low, p.high);
    if (p.by == SumCodes::By::doubles) return code_of_double(sum, p.doubles[column], &grid);
    return code_of_sum(sum, p.factors[column], p.shifts[column], &grid);
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    const requant_t grid{0, 0, p.zero, p.low, p.high, 1};
    for (int r = 0; r < tile.count; ++r)
        for (int c = 0; c < tile.columns; ++c) {
            const auto column = static_cast<size_t>(tile.column + c);
            const auto sum = static_cast<uint32_t>(tile.sums[r * block_columns + c]) + static_cast<uint32_t>(p.bias[column]);
            tile.out[r * tile.stride + c] = static_cast<uint8_t>(code_of(p, grid, static_cast<int32_t>(sum), column));
        }
}

}  // namespace

const Finish portable_finish{"portable", run, portable_finish_parts};

std::span<const Finish* const> all_finishes() { return all_kinds<avx2_finish, portable_finish>(); }

const Finish& finish() { return *all_finishes().front(); }

int32_t bias_of(DType storage) { return storage == DType::i8 ? 128 : storage == DType::i16 ? 32768 : 0; }

std::string_view FinishParameters::obstacle(const SumCodes& codes) {
    for (const float factor : codes.floats)
        if (!std::isfinite(factor)) return "has a factor that is not finite";
    for (const double factor : codes.doubles)
        if (!std::isfinite(factor)) return "has a factor that is not finite";
    for (const FixedFactor& fixed : codes.fixed)
        if (fixed.factor < 0 || fixed.shift < -31 || fixed.shift > 31) return "has a factor beyond 32 bits";
    return "";
}

FinishParameters::FinishParameters(const SumCodes& codes, const Encoding& out, size_t columns)
    : by(codes.by), floats(codes.floats), doubles(codes.doubles), out_parts(bits_of(out.storage) / 8), wide(codes.wide) {
    for (const FixedFactor& fixed : codes.fixed) factors.push_back(fixed.factor), shifts.push_back(fixed.shift);
    const size_t whole = (columns + block_columns - 1) / block_columns * block_columns;
    for (auto* items : {&factors, &shifts}) items->resize(whole);
    floats.resize(whole);
    doubles.resize(whole);
    const int32_t added = bias_of(out.storage);
    zero = static_cast<int32_t>(out.zero_at()) + added;
    low = static_cast<int32_t>(out.qmin) + added;
    high = static_cast<int32_t>(out.qmax) + added;
}

}  // namespace quern::codes
