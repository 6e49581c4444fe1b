// The constants of a product of codes as the inner loops read them (dot.h): weights in one order for every instruction set, and for each
// column a bias with the zero points of both sides in it.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/graph/encoding.h"

namespace quern::codes {

// `groups` products of `columns` columns and `taps` x `channels` rows each. Weight (group, column, tap, channel) is element
// (group * columns + column) * column_step + tap * tap_step + channel * channel_step of the constant.
struct WeightLayout {
    int64_t groups, columns, taps, channels;
    int64_t column_step, tap_step, channel_step;

    int64_t depth() const { return taps * channels; }
    int64_t steps() const;                   // depth in steps of the inner loops
    int64_t blocks() const;                  // of columns, of one group
    int64_t block_bytes() const;             // of weights
    int64_t filled_columns() const;          // of all groups
    int64_t place_of(int64_t column) const;  // of column group * columns + c among the filled ones
    // One item a column, or one for all, in the order of filled columns.
    template <class T>
    std::vector<T> filled(std::span<const T> items) const {
        std::vector<T> all(static_cast<size_t>(filled_columns()), T{});
        for (int64_t i = 0; i < groups * columns; ++i)
            all[static_cast<size_t>(place_of(i))] = items[items.size() == 1 ? 0 : static_cast<size_t>(i)];
        return all;
    }
    size_t packed_bytes() const;  // throws Exit::bad_input if no memory could hold them
};

// Codes of 8 bits as they lie in a tensor; or one of the two bytes of those of 16.
struct PlainWeights {
    const std::byte* data;
    bool is_signed;
    std::vector<int64_t> zeros;  // one, or one a column
    int64_t bytes = 1;           // from one element to the next
};
// Codes of `storage` in parts of 8 bits: their sum, part b times 256^b, is that of the codes minus their zero points.
std::vector<PlainWeights> parts_of(DType storage, const std::byte* data, const std::vector<int64_t>& zeros);

class Weights {
   public:
    // `bias` at the scale of the sums, one a column; empty: none. `x_zero`: what the data's zero is as a byte.
    Weights(const WeightLayout& layout, const PlainWeights& weights, std::span<const int64_t> bias, int32_t x_zero);
    // What state() gave in another process. Throws Exit::bad_input if it is of another size.
    Weights(const WeightLayout& layout, std::span<const Bytes> state);

    // Of one part of wider weights: its biases are the sums of the columns.
    Weights(const WeightLayout& layout, const PlainWeights& part) : Weights(layout, part, {}, -1) {}

    const int8_t* block(int64_t group, int64_t block) const {
        return reinterpret_cast<const int8_t*>(packed_.data()) + (group * layout_.blocks() + block) * layout_.block_bytes();
    }
    const int32_t* bias() const { return reinterpret_cast<const int32_t*>(bias_.data()); }  // [groups][blocks][block_columns]
    // What the packed weights of each column have more than the weights: sums are less by this times the sum of the data. In the order of
    // biases; nullptr where no column has any.
    const int32_t* offsets() const { return offsets_.empty() ? nullptr : reinterpret_cast<const int32_t*>(offsets_.data()); }
    const WeightLayout& layout() const { return layout_; }
    static constexpr size_t states = 3;
    std::vector<Bytes> state() const { return {packed_, bias_, offsets_}; }

   private:
    WeightLayout layout_;
    Bytes packed_, bias_, offsets_;
};

constexpr size_t max_parts = 2;  // of data and of weights

// Data of a product: parts of 8 bits lie `next` bytes apart.
struct DataParts {
    const uint8_t* first;
    int64_t next = 0;
};

// What a product reads beside its data.
struct ProductParts {
    std::span<const Weights> weights;          // one for each part, of one layout
    std::array<uint8_t, max_parts> padding{};  // the byte beside the data, one for each part of them
    size_t data_parts = 1;

    ProductParts(const Weights& only, uint8_t beside) : weights(&only, 1), padding{beside} {}
    ProductParts(std::span<const Weights> all, std::span<const uint8_t> beside) : weights(all), data_parts(beside.size()) {
        std::copy(beside.begin(), beside.end(), padding.begin());
    }
};

}  // namespace quern::codes
