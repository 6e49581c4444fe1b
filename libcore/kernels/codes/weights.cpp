#include "libcore/kernels/codes/weights.h"

#include <algorithm>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "libcore/base/error.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

int64_t parts(int64_t count, int64_t size) { return (count + size - 1) / size; }

constexpr int64_t step_bytes = block_columns * step_depth;

// Codes to signed bytes: those that are not signed have their highest bit turned.
class Packer {
   public:
    Packer(const WeightLayout& layout, const PlainWeights& weights)
        : layout_(layout),
          data_(reinterpret_cast<const uint8_t*>(weights.data)),
          bytes_(weights.bytes),
          turn_(weights.is_signed ? 0 : 0x80) {}

    // Columns [first, first + columns) of all groups, which lie in one block; gives their sums.
    void pack(int64_t first, int64_t columns, int8_t* to, int32_t* sums) const {
#if defined(__x86_64__)
        if (columns == block_columns && layout_.column_step * bytes_ == 1) return pack_rows(first, to, sums);
#endif
        for (int64_t c = 0; c < columns; ++c) sums[c] = pack_column(first + c, to + c * step_depth);
    }

   private:
    const uint8_t* at(int64_t column, int64_t tap, int64_t channel) const {
        return data_ + (column * layout_.column_step + tap * layout_.tap_step + channel * layout_.channel_step) * bytes_;
    }
    int8_t turned(uint8_t code) const { return static_cast<int8_t>(code ^ turn_); }

    int32_t pack_column(int64_t column, int8_t* to) const {
        int32_t sum = 0;
        int64_t k = 0;
        for (int64_t tap = 0; tap < layout_.taps; ++tap) {
            const uint8_t* from = at(column, tap, 0);
            for (int64_t channel = 0; channel < layout_.channels; ++channel, ++k, from += layout_.channel_step * bytes_) {
                const int8_t weight = turned(*from);
                to[k / step_depth * step_bytes + k % step_depth] = weight;
                sum += weight;
            }
        }
        return sum;
    }

#if defined(__x86_64__)
    // Sixteen columns that lie side by side, a row after the other.
    void pack_rows(int64_t first, int8_t* to, int32_t* sums) const {
        std::fill_n(sums, block_columns, 0);
        const __m128i turn = _mm_set1_epi8(static_cast<char>(turn_));
        __m128i rows[step_depth] = {};
        int64_t k = 0;
        for (int64_t tap = 0; tap < layout_.taps; ++tap)
            for (int64_t channel = 0; channel < layout_.channels; ++channel) {
                __m128i& row = rows[k % step_depth];
                row = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at(first, tap, channel))), turn);
                alignas(16) int8_t codes[block_columns];
                _mm_store_si128(reinterpret_cast<__m128i*>(codes), row);
                for (int c = 0; c < block_columns; ++c) sums[c] += codes[c];
                if (++k % step_depth == 0) store_step(rows, to + (k / step_depth - 1) * step_bytes);
            }
        if (k % step_depth != 0) store_step(rows, to + k / step_depth * step_bytes);
    }

    // Four rows of sixteen as sixteen columns of four; the rows are zeros afterwards.
    static void store_step(__m128i (&rows)[step_depth], int8_t* to) {
        const __m128i low = _mm_unpacklo_epi8(rows[0], rows[1]), high = _mm_unpackhi_epi8(rows[0], rows[1]);
        const __m128i low_next = _mm_unpacklo_epi8(rows[2], rows[3]), high_next = _mm_unpackhi_epi8(rows[2], rows[3]);
        auto* out = reinterpret_cast<__m128i*>(to);
        _mm_storeu_si128(out, _mm_unpacklo_epi16(low, low_next));
        _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(low, low_next));
        _mm_storeu_si128(out + 2, _mm_unpacklo_epi16(high, high_next));
        _mm_storeu_si128(out + 3, _mm_unpackhi_epi16(high, high_next));
        for (__m128i& row : rows) row = _mm_setzero_si128();
    }
#endif

    const WeightLayout& layout_;
    const uint8_t* data_;
    int64_t bytes_;
    uint8_t turn_;
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
    const Packer packer(layout, weights);
    for (int64_t group = 0; group < layout.groups; ++group)
        for (int64_t block = 0; block < layout.blocks(); ++block) {
            const int64_t place = (group * layout.blocks() + block) * block_columns, c = block * block_columns;
            packer.pack(group * layout.columns + c, std::min<int64_t>(block_columns, layout.columns - c),
                        to + place / block_columns * layout.block_bytes(), folded.data() + place);
        }
    for (int64_t i = 0; i < layout.groups * layout.columns; ++i) {
        const auto place = static_cast<size_t>(layout.place_of(i));
        const auto zero = static_cast<int32_t>(weights.zeros[weights.zeros.size() == 1 ? 0 : static_cast<size_t>(i)]);
        offsets[place] = zero - (weights.is_signed ? 0 : 128);
        const auto all =
            static_cast<uint32_t>(folded[place]) - static_cast<uint32_t>(offsets[place]) * static_cast<uint32_t>(layout.depth());
        const auto own = bias.empty() ? 0u : static_cast<uint32_t>(static_cast<uint64_t>(bias[static_cast<size_t>(i)]));
        folded[place] = static_cast<int32_t>(own - static_cast<uint32_t>(x_zero) * all);
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
