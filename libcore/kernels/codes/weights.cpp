#include "libcore/kernels/codes/weights.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

int64_t parts(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Codes less their zero point, of one column.
template <class T>
class Column {
   public:
    Column(const WeightLayout& layout, const std::byte* data, int64_t column, int64_t zero)
        : layout_(layout), from_(reinterpret_cast<const T*>(data) + column * layout.column_step), zero_(static_cast<int32_t>(zero)) {}

    // To every 16th group of four of `to`; gives the sum.
    int32_t pack(int8_t* to) const {
        int32_t sum = 0;
        int64_t k = 0;
        for (int64_t tap = 0; tap < layout_.taps; ++tap) {
            const T* from = from_ + tap * layout_.tap_step;
            for (int64_t channel = 0; channel < layout_.channels; ++channel, ++k, from += layout_.channel_step) {
                const auto weight = static_cast<int8_t>(*from - zero_);
                to[k / step_depth * (block_columns * step_depth) + k % step_depth] = weight;
                sum += weight;
            }
        }
        return sum;
    }

   private:
    const WeightLayout& layout_;
    const T* from_;
    int32_t zero_;
};

}  // namespace

int64_t WeightLayout::steps() const { return parts(depth(), step_depth); }
int64_t WeightLayout::blocks() const { return parts(columns, block_columns); }
int64_t WeightLayout::block_bytes() const { return steps() * block_columns * step_depth; }
int64_t WeightLayout::filled_columns() const { return groups * blocks() * block_columns; }

size_t WeightLayout::packed_bytes() const {
    int64_t bytes = step_depth;
    for (const int64_t factor : {groups, blocks(), int64_t{block_columns}, steps()})
        if (__builtin_mul_overflow(bytes, factor, &bytes))
            throw bad_input("weights of {} x {} x {} are too large", columns, taps, channels);
    return static_cast<size_t>(bytes);
}

std::string_view weights_obstacle(const Encoding& encoding) {
    if (encoding.storage != DType::i8 && encoding.storage != DType::u8) return "the weights are not 8-bit codes";
    const int64_t least = encoding.storage == DType::i8 ? -128 : 0;
    for (const int64_t zero : encoding.zeros())
        if (least - zero < -128 || least + 255 - zero > 127) return "weights less their zero point take more than 8 bits";
    return "";
}

Weights::Weights(const WeightLayout& layout, const PlainWeights& weights, std::span<const int64_t> bias, int32_t x_zero) : layout_(layout) {
    MutableBytes packed(layout.packed_bytes());
    std::vector<int32_t> folded(static_cast<size_t>(layout.filled_columns()));
    auto* to = reinterpret_cast<int8_t*>(packed.data());
    std::fill_n(to, packed.size(), int8_t{0});
    for (int64_t group = 0; group < layout.groups; ++group)
        for (int64_t c = 0; c < layout.columns; ++c) {
            const int64_t column = group * layout.columns + c, place = group * layout.blocks() * block_columns + c;
            int8_t* begin = to + place / block_columns * layout.block_bytes() + place % block_columns * step_depth;
            const int64_t zero = weights.zeros[weights.zeros.size() == 1 ? 0 : static_cast<size_t>(column)];
            const int32_t sum = weights.is_signed ? Column<int8_t>(layout, weights.data, column, zero).pack(begin)
                                                  : Column<uint8_t>(layout, weights.data, column, zero).pack(begin);
            const auto own = bias.empty() ? 0u : static_cast<uint32_t>(static_cast<uint64_t>(bias[static_cast<size_t>(column)]));
            folded[static_cast<size_t>(place)] = static_cast<int32_t>(own - static_cast<uint32_t>(x_zero) * static_cast<uint32_t>(sum));
        }
    packed_ = std::move(packed).freeze();
    bias_ = Bytes::copy_of(std::span<const int32_t>(folded));
}

Weights::Weights(const WeightLayout& layout, std::span<const Bytes> state) : layout_(layout) {
    if (state.size() != 2) throw bad_input("its state does not fit");
    packed_ = state[0];
    bias_ = state[1];
    if (packed_.size() != layout.packed_bytes()) throw bad_input("weights have {} bytes, need {}", packed_.size(), layout.packed_bytes());
    if (bias_.size() != static_cast<size_t>(layout.filled_columns()) * sizeof(int32_t)) throw bad_input("its state does not fit");
}

}  // namespace quern::codes
