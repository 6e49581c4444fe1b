#include "libcore/kernels/codes/weights.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

int64_t parts(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Codes of one column less a number.
template <class T>
class Column {
   public:
    Column(const WeightLayout& layout, const PlainWeights& weights, int64_t column, int32_t less)
        : layout_(layout),
          bytes_(weights.bytes),
          from_(reinterpret_cast<const T*>(weights.data) + column * layout.column_step * bytes_),
          less_(less) {}

    // To every 16th group of four of `to`; gives the sum.
    int32_t pack(int8_t* to) const {
        int32_t sum = 0;
        int64_t k = 0;
        for (int64_t tap = 0; tap < layout_.taps; ++tap) {
            const T* from = from_ + tap * layout_.tap_step * bytes_;
            for (int64_t channel = 0; channel < layout_.channels; ++channel, ++k, from += layout_.channel_step * bytes_) {
                const auto weight = static_cast<int8_t>(*from - less_);
                to[k / step_depth * (block_columns * step_depth) + k % step_depth] = weight;
                sum += weight;
            }
        }
        return sum;
    }

   private:
    const WeightLayout& layout_;
    int64_t bytes_;
    const T* from_;
    int32_t less_;
};

}  // namespace

int64_t WeightLayout::steps() const { return parts(depth(), step_depth); }
int64_t WeightLayout::blocks() const { return parts(columns, block_columns); }
int64_t WeightLayout::block_bytes() const { return steps() * block_columns * step_depth; }
int64_t WeightLayout::filled_columns() const { return groups * blocks() * block_columns; }

int64_t WeightLayout::place_of(int64_t column) const { return column / columns * blocks() * block_columns + column % columns; }

size_t WeightLayout::packed_bytes() const {
    int64_t bytes = step_depth;
    for (const int64_t factor : {groups, blocks(), int64_t{block_columns}, steps()})
        if (__builtin_mul_overflow(bytes, factor, &bytes))
            throw bad_input("weights of {} x {} x {} are too large", columns, taps, channels);
    return static_cast<size_t>(bytes);
}

std::vector<PlainWeights> parts_of(DType storage, const std::byte* data, const std::vector<int64_t>& zeros) {
    const bool is_signed = storage == DType::i8 || storage == DType::i16;
    if (bits_of(storage) == 8) return {{data, is_signed, zeros}};
    std::vector<int64_t> low, high;
    for (const int64_t zero : zeros) {
        low.push_back(zero & 255);
        high.push_back(zero >> 8);
    }
    return {{data, false, low, 2}, {data + 1, is_signed, high, 2}};
}

Weights::Weights(const WeightLayout& layout, const PlainWeights& weights, std::span<const int64_t> bias, int32_t x_zero) : layout_(layout) {
    MutableBytes packed(layout.packed_bytes());
    const auto columns = static_cast<size_t>(layout.filled_columns());
    std::vector<int32_t> folded(columns), offsets(columns);
    auto* to = reinterpret_cast<int8_t*>(packed.data());
    std::fill_n(to, packed.size(), int8_t{0});
    const int32_t less = weights.is_signed ? 0 : 128;
    for (int64_t i = 0; i < layout.groups * layout.columns; ++i) {
        const int64_t place = layout.place_of(i);
        int8_t* begin = to + place / block_columns * layout.block_bytes() + place % block_columns * step_depth;
        const int32_t sum = weights.is_signed ? Column<int8_t>(layout, weights, i, less).pack(begin)
                                              : Column<uint8_t>(layout, weights, i, less).pack(begin);
        const auto offset = static_cast<int32_t>(weights.zeros[weights.zeros.size() == 1 ? 0 : static_cast<size_t>(i)]) - less;
        const auto all = static_cast<uint32_t>(sum) - static_cast<uint32_t>(offset) * static_cast<uint32_t>(layout.depth());
        const auto own = bias.empty() ? 0u : static_cast<uint32_t>(static_cast<uint64_t>(bias[static_cast<size_t>(i)]));
        folded[static_cast<size_t>(place)] = static_cast<int32_t>(own - static_cast<uint32_t>(x_zero) * all);
        offsets[static_cast<size_t>(place)] = offset;
    }
    packed_ = std::move(packed).freeze();
    bias_ = Bytes::copy_of(std::span<const int32_t>(folded));
    if (std::ranges::any_of(offsets, [](int32_t offset) { return offset != 0; }))
        offsets_ = Bytes::copy_of(std::span<const int32_t>(offsets));
}

Weights::Weights(const WeightLayout& layout, std::span<const Bytes> state) : layout_(layout) {
    if (state.size() != states) throw bad_input("its state does not fit");
    packed_ = state[0];
    bias_ = state[1];
    offsets_ = state[2];
    if (packed_.size() != layout.packed_bytes()) throw bad_input("weights have {} bytes, need {}", packed_.size(), layout.packed_bytes());
    const size_t numbers = static_cast<size_t>(layout.filled_columns()) * sizeof(int32_t);
    if (bias_.size() != numbers || (!offsets_.empty() && offsets_.size() != numbers)) throw bad_input("its state does not fit");
}

}  // namespace quern::codes
