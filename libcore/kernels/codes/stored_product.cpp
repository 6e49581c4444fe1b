#include "libcore/kernels/codes/stored_product.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace quern::codes {
namespace {

constexpr int64_t piece = 128;         // rows of weights that are decoded at a time: 16 KiB of numbers
constexpr int64_t tile_rows = 48;      // of data, whose sums stay in the first cache beside them
constexpr int64_t min_work = 100'000;  // weights and multiplications that are worth a task

// [columns][blocks] as [blocks of columns][blocks][32].
Bytes filled(const StoredLayout& layout, std::span<const float> items) {
    const int64_t blocks = layout.blocks(), all = (layout.columns + stored_columns - 1) / stored_columns;
    std::vector<float> out(static_cast<size_t>(all * blocks * stored_columns));
    for (int64_t c = 0; c < layout.columns; ++c)
        for (int64_t b = 0; b < blocks; ++b)
            out[static_cast<size_t>((c / stored_columns * blocks + b) * stored_columns + c % stored_columns)] =
                items[static_cast<size_t>(c * blocks + b)];
    return Bytes::copy_of(std::span<const float>(out));
}

}  // namespace

StoredWeights::StoredWeights(const StoredLayout& layout, int bits, const std::function<int(int64_t k, int64_t column)>& code,
                             std::span<const float> scales, std::span<const float> zeros)
    : layout_(layout), bits_(bits), scales_(filled(layout, scales)), zeros_(filled(layout, zeros)) {
    MutableBytes packed(static_cast<size_t>(blocks() * block_bytes()));
    auto* to = reinterpret_cast<uint8_t*>(packed.data());
    std::fill_n(to, packed.size(), uint8_t{0});
    for (int64_t c = 0; c < layout.columns; ++c) {
        uint8_t* column = to + c / stored_columns * block_bytes() + c % stored_columns;
        for (int64_t k = 0; k < layout.depth; ++k) {
            const auto own = static_cast<uint8_t>(code(k, c));
            uint8_t& at = column[(bits == 8 ? k : k / 2) * stored_columns];
            at = bits == 8 ? own : static_cast<uint8_t>(at | own << k % 2 * 4);
        }
    }
    codes_ = std::move(packed).freeze();
}

StoredWeights::StoredWeights(const StoredLayout& layout, int bits, std::span<const Bytes> state) : layout_(layout), bits_(bits) {
    if (state.size() != 3) throw bad_input("its state does not fit");
    codes_ = state[0];
    scales_ = state[1];
    zeros_ = state[2];
    const size_t numbers = scale_count() * sizeof(float);
    if (codes_.size() != static_cast<size_t>(blocks() * block_bytes()) || scales_.size() != numbers || zeros_.size() != numbers)
        throw bad_input("its state does not fit");
}

StoredBlock StoredWeights::block(int64_t i) const {
    const int64_t scales = i * layout_.blocks() * stored_columns;
    return {reinterpret_cast<const uint8_t*>(codes_.data()) + i * block_bytes(), bits_,
            reinterpret_cast<const float*>(scales_.data()) + scales, reinterpret_cast<const float*>(zeros_.data()) + scales, layout_.block};
}

void StoredWeights::multiply_tile(int64_t number, const float* x, int64_t rows, std::span<const float> bias, float* out) const {
    alignas(64) float weights[piece * stored_columns], sums[tile_rows * stored_columns];
    std::fill_n(sums, rows * stored_columns, 0.0f);
    const StoredBlock own = block(number);
    if (rows == 1) decoding().add_one(own, layout_.depth, x, sums);
    for (int64_t k = 0; rows > 1 && k < layout_.depth; k += piece) {
        const int64_t count = std::min(piece, layout_.depth - k);
        decoding().decode(own, k, count, weights);
        decoding().add(weights, count, x + k, layout_.depth, rows, sums);
    }
    const int64_t first = number * stored_columns, columns = std::min<int64_t>(stored_columns, layout_.columns - first);
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            const float sum = sums[r * stored_columns + c];
            out[r * layout_.columns + first + c] = bias.empty() ? sum : sum + bias[static_cast<size_t>(first + c)];
        }
}

void StoredWeights::multiply(const float* x, int64_t rows, std::span<const float> bias, float* out, ThreadPool& pool) const {
    const int64_t tiles = (rows + tile_rows - 1) / tile_rows, work = layout_.depth * stored_columns * std::min(rows, tile_rows);
    const auto grain = static_cast<size_t>(min_work / std::max<int64_t>(work, 1) + 1);
    pool.run_ranges(static_cast<size_t>(tiles * blocks()), grain, [&](size_t begin, size_t end) {
        for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
            const int64_t row = i / blocks() * tile_rows;
            multiply_tile(i % blocks(), x + row * layout_.depth, std::min(tile_rows, rows - row), bias, out + row * layout_.columns);
        }
    });
}

}  // namespace quern::codes
