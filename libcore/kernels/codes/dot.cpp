#include "libcore/kernels/codes/dot.h"

#include <array>
#include <vector>

#include "libcore/kernels/isa.h"

namespace quern::codes {
namespace {

// Codes as they are, step by step: [steps][count][4].
void gather(const TileRows& rows, std::byte* panel) {
    auto* to = reinterpret_cast<uint8_t*>(panel);
    for (int tap = 0; tap < rows.taps; ++tap)
        for (int k = 0; k < rows.depth; k += step_depth)
            for (int r = 0; r < rows.count; ++r)
                for (int i = 0; i < step_depth; ++i) *to++ = rows.starts[tap * max_rows + r][k + i];
}

void row_sums(const TileRows& rows, int32_t* sums) {
    for (int r = 0; r < rows.count; ++r) {
        sums[r] = 0;
        for (int tap = 0; tap < rows.taps; ++tap)
            for (int k = 0; k < rows.depth; ++k) sums[r] += rows.starts[tap * max_rows + r][k];
    }
}

void sums_of(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* sums) {
    for (int i = 0; i < count * block_columns; ++i) sums[i] = 0;
    const auto* x = reinterpret_cast<const uint8_t*>(panel);
    for (int64_t step = 0; step < steps; ++step, weights += block_columns * step_depth)
        for (int r = 0; r < count; ++r, x += step_depth)
            for (int c = 0; c < block_columns; ++c) {
                const int8_t* w = weights + c * step_depth;
                const int32_t part = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3];
                int32_t& sum = sums[r * block_columns + c];
                sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(part));
            }
}

void depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums) {
    for (int r = 0; r < rows.count; ++r)
        for (int c = 0; c < columns; ++c) {
            int32_t sum = 0;
            for (int tap = 0; tap < rows.taps; ++tap)
                sum += rows.starts[tap * max_rows + r][channel + c] *
                       weights[(tap / step_depth * block_columns + c) * step_depth + tap % step_depth];
            sums[r * block_columns + c] = sum;
        }
}

}  // namespace

const Dot portable_dot{"portable", max_rows, 1, gather, row_sums, sums_of_tiles<sums_of>, depth_sums};

std::span<const Dot* const> all_dots() {
    static const std::vector<const Dot*> dots = [] {
        std::vector<const Dot*> all;
#if defined(__x86_64__)
        const bool has_512 = isa() >= Isa::avx512 && has_avx512_vnni();
        if (has_512 && has_amx()) all.push_back(&amx_dot);
        if (has_512) all.push_back(&avx512_vnni_dot);
        if (isa() >= Isa::avx2 && has_avx_vnni()) all.push_back(&avx_vnni_dot);
        if (isa() >= Isa::avx2) all.push_back(&avx2_dot);
        all.push_back(&sse2_dot);
#elif defined(__aarch64__)
        if (!is_isa_limited() && has_i8mm()) all.push_back(&i8mm_dot);
        if (!is_isa_limited() && has_dotprod()) all.push_back(&dotprod_dot);
        all.push_back(&neon_dot);
#endif
        all.push_back(&portable_dot);
        return all;
    }();
    return dots;
}

const Dot& dot() {
    static const Dot& fastest = *all_dots().front();
    return fastest;
}

}  // namespace quern::codes
