#include "libcore/kernels/direct/factors.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/kernels/direct/tile.h"

namespace quern::direct {
namespace {

int64_t blocks_of(int64_t columns) { return (columns + tile_columns - 1) / tile_columns; }

void pack_block(const FilterLayout& layout, int64_t block, const float* from, float* to) {
    constexpr int64_t run = 16;  // depths at a time: a cache line of a column that lies densely
    const int64_t first = block * tile_columns, columns = std::min<int64_t>(tile_columns, layout.columns - first);
    for (int64_t tap = 0; tap < layout.taps; ++tap)
        for (int64_t begin = 0; begin < layout.depth; begin += run) {
            const int64_t end = std::min(begin + run, layout.depth);
            for (int64_t c = 0; c < columns; ++c) {
                const float* column = from + (first + c) * layout.column_step + tap * layout.tap_step;
                for (int64_t k = begin; k < end; ++k) to[(tap * layout.depth + k) * tile_columns + c] = column[k * layout.depth_step];
            }
        }
    if (columns == tile_columns) return;
    for (int64_t k = 0; k < layout.taps * layout.depth; ++k) std::fill(to + k * tile_columns + columns, to + (k + 1) * tile_columns, 0.0f);
}

Bytes packed_by(ThreadPool* pool, const FilterLayout& layout, const Bytes& source) {
    MutableBytes out(layout.packed_bytes());
    const auto* from = reinterpret_cast<const float*>(source.data());
    auto* to = reinterpret_cast<float*>(out.data());
    const auto pack_range = [&](size_t first, size_t last) {
        for (auto block = static_cast<int64_t>(first); block < static_cast<int64_t>(last); ++block)
            pack_block(layout, block, from, to + block * layout.taps * layout.depth * tile_columns);
    };
    const auto blocks = static_cast<size_t>(blocks_of(layout.columns));
    pool ? pool->run_ranges(blocks, 1, pack_range) : pack_range(0, blocks);
    return std::move(out).freeze();
}

}  // namespace

size_t FilterLayout::packed_bytes() const {
    auto bytes = static_cast<int64_t>(sizeof(float));
    for (const int64_t factor : {blocks_of(columns), int64_t{tile_columns}, taps, depth})
        if (__builtin_mul_overflow(bytes, factor, &bytes)) throw bad_input("weights of {} x {} x {} are too large", columns, taps, depth);
    return static_cast<size_t>(bytes);
}

Factors::Factors(FilterLayout layout, std::span<const Bytes> state) : layout_(layout), restored_(true) {
    if (state.size() != 2) throw bad_input("its state does not fit");
    packed_ = state[0];
    bias_ = state[1];
    if (packed_.size() != layout.packed_bytes()) throw bad_input("weights have {} bytes, need {}", packed_.size(), layout.packed_bytes());
    // There are no more columns than that many weights.
    if (bias_.size() != static_cast<size_t>(layout.columns) * sizeof(float)) throw bad_input("its state does not fit");
}

void Factors::pack(ThreadPool* pool) const {
    if (restored_) return;
    std::call_once(once_, [&] {
        const Bytes source = source_();
        packed_ = packed_by(pool, layout_, source);
        source.release();
        source_ = nullptr;
    });
}

}  // namespace quern::direct
