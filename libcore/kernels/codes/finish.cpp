#include "libcore/kernels/codes/finish.h"

#include "libcore/graph/quantize.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
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

std::span<const Finish* const> all_finishes() {
    static const std::vector<const Finish*> finishes = [] {
        const auto narrow = all_kinds<vectors_finish, portable_finish>();
        std::vector<const Finish*> all(narrow.begin(), narrow.end());
#if defined(__x86_64__)
        if (isa() >= Isa::avx512 && has_avx512_vnni()) all.insert(all.begin(), &avx512_finish);
#endif
        return all;
    }();
    return finishes;
}

const Finish& finish() {
    static const Finish& fastest = *all_finishes().front();
    return fastest;
}

}  // namespace quern::codes
