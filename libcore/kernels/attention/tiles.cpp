#include "libcore/kernels/attention/tiles.h"

#include <array>

#include "libcore/kernels/attention/tile.h"
#include "libcore/kernels/simd/math.h"

namespace quern::attention {
namespace {

constexpr size_t enough_tiles = 16;      // fewer have their keys split
constexpr int64_t split_keys = 512;      // keys of a part
constexpr double serial_products = 3e4;  // below, threads cost more than they bring
constexpr float none = minus_infinity<float>;

size_t parts_of(int64_t count, int64_t size) { return static_cast<size_t>((count + size - 1) / size); }

// The rows [first, first + count) of those that share key head `kv_head` of batch row `batch`: row r is head r % group at position r /
// group.
struct Tile {
    int64_t batch, kv_head, first;
    size_t count;
};

class Run {
   public:
    Run(const Attention& what, Memory& memory, ThreadPool& pool)
        : a_(what),
          s_(what.shape),
          loops_(tile_loops()),
          pool_(pool),
          group_(s_.q_heads / s_.kv_heads),
          rows_(group_ * s_.q_len),
          tiles_a_head_(parts_of(rows_, max_rows)),
          tiles_(static_cast<size_t>(s_.batch * s_.kv_heads) * tiles_a_head_),
          splits_(tiles_ < enough_tiles ? std::max<size_t>(1, parts_of(s_.kv_len, split_keys)) : 1) {
        if (splits_ > 1) partials_ = memory.take(tiles_ * splits_ * partial_size() * sizeof(float));
    }

    void run() {
        each(tiles_ * splits_, [&](size_t i) { splits_ == 1 ? whole(tile(i)) : part(i / splits_, i % splits_); });
        if (splits_ > 1) each(tiles_, [&](size_t i) { join(i); });
    }

   private:
    using Ranges = std::array<VisibleKeys::Range, max_rows>;

    template <class Body>
    void each(size_t count, const Body& body) {
        const double keys = static_cast<double>(std::min(s_.kv_len, last_key())),
                     rows = static_cast<double>(s_.batch * s_.q_heads * s_.q_len);
        if (keys * rows * static_cast<double>(s_.size + s_.v_size) >= serial_products) return pool_.run(count, body);
        for (size_t i = 0; i < count; ++i) body(i);
    }
    // Behind those that the last query of any batch row sees.
    int64_t last_key() const {
        int64_t end = 0;
        for (int64_t b = 0; b < s_.batch; ++b) end = std::max(end, a_.visible.of(b, s_.q_len - 1).end);
        return end;
    }

    Tile tile(size_t i) const {
        const auto head = static_cast<int64_t>(i / tiles_a_head_), first = static_cast<int64_t>(i % tiles_a_head_ * max_rows);
        return {head / s_.kv_heads, head % s_.kv_heads, first, std::min(max_rows, static_cast<size_t>(rows_ - first))};
    }
    int64_t position(const Tile& t, size_t r) const { return (t.first + static_cast<int64_t>(r)) / group_; }
    int64_t head(const Tile& t, size_t r) const { return t.kv_head * group_ + (t.first + static_cast<int64_t>(r)) % group_; }

    size_t v_size() const { return static_cast<size_t>(s_.v_size); }
    size_t partial_size() const { return max_rows * (2 + v_size()); }
    Partial partial(float* at) const { return {at, at + max_rows, at + 2 * max_rows}; }
    Partial partial(size_t tile, size_t split) const {
        return partial(reinterpret_cast<float*>(partials_.data.get()) + (tile * splits_ + split) * partial_size());
    }

    void whole(const Tile& t) const {
        thread_local std::vector<float> own;
        own.resize(std::max(own.size(), partial_size()));
        const Partial result = partial(own.data());
        Ranges ranges;
        const auto [begin, end] = visible(t, ranges);
        add_keys(t, ranges, begin, end, result);
        for (size_t r = 0; r < t.count; ++r) give(t, r, result.values + r * v_size(), result.sum[r]);
    }

    void part(size_t i, size_t split) const {
        const Tile t = tile(i);
        Ranges ranges;
        const auto [begin, end] = visible(t, ranges);
        const int64_t from = begin + static_cast<int64_t>(split) * split_keys;
        add_keys(t, ranges, from, std::min(end, from + split_keys), partial(i, split));
    }

    // The splits in their order.
    void join(size_t i) const {
        const Tile t = tile(i);
        thread_local std::vector<float> own;
        own.resize(std::max(own.size(), v_size()));
        for (size_t r = 0; r < t.count; ++r) {
            float max = none, sum = 0;
            for (size_t split = 0; split < splits_; ++split) max = std::max(max, partial(i, split).max[r]);
            std::fill_n(own.begin(), v_size(), 0.0f);
            for (size_t split = 0; split < splits_; ++split) {
                const Partial part = partial(i, split);
                if (part.max[r] == none) continue;
                const float factor = simd::exp(part.max[r] - max);
                sum += part.sum[r] * factor;
                for (size_t c = 0; c < v_size(); ++c) own[c] += part.values[r * v_size() + c] * factor;
            }
            give(t, r, own.data(), sum);
        }
    }

    // A row that sees no key is 0.
    void give(const Tile& t, size_t r, const float* values, float sum) const {
        float* to = a_.y + a_.y_strides.at(t.batch, head(t, r)) + position(t, r) * a_.y_strides.row;
        const float factor = sum == 0 ? 0 : 1 / sum;
        for (size_t c = 0; c < v_size(); ++c) to[c] = values[c] * factor;
    }

    // What each row sees, and all of them together.
    VisibleKeys::Range visible(const Tile& t, Ranges& ranges) const {
        VisibleKeys::Range all{s_.kv_len, 0};
        for (size_t r = 0; r < t.count; ++r) {
            VisibleKeys::Range& own = ranges[r] = a_.visible.of(t.batch, position(t, r));
            if (a_.mask.data) own.end = std::max(own.begin, std::min(own.end, a_.mask.columns));
            if (own.begin < own.end) all = {std::min(all.begin, own.begin), std::max(all.end, own.end)};
        }
        return all;
    }

    void add_keys(const Tile& t, const Ranges& ranges, int64_t begin, int64_t end, const Partial& result) const {
        std::fill_n(result.max, t.count, none);
        std::fill_n(result.sum, t.count, 0.0f);
        std::fill_n(result.values, t.count * v_size(), 0.0f);
        if (begin >= end) return;
        Scratch& scratch = prepared(t);
        const int64_t k_at = a_.k.strides.at(t.batch, t.kv_head), v_at = a_.v.strides.at(t.batch, t.kv_head);
        const auto size = static_cast<size_t>(s_.size);
        for (int64_t j = begin; j < end; j += static_cast<int64_t>(block_keys)) {
            const size_t count = std::min(block_keys, static_cast<size_t>(end - j));
            float* scores = scratch.scores.data();
            loops_.scores(scratch.queries.data(), t.count, rows_of(a_.k, k_at, j), count, size, scratch);
            if (a_.softcap > 0) loops_.cap(scores, t.count * block_keys, a_.softcap);
            hide(t, ranges, j, count, scores);
            loops_.weigh(scores, t.count, count, scratch.factors.data(), result);
            loops_.add_values(scores, t.count, rows_of(a_.v, v_at, j), count, v_size(), scratch.factors.data(), result.values);
        }
    }

    static Rows rows_of(const Operand& operand, int64_t at, int64_t row) {
        return {operand.data + at + row * operand.strides.row, static_cast<size_t>(operand.strides.row)};
    }

    // The scaled queries of a tile, and room for the rest.
    Scratch& prepared(const Tile& t) const {
        thread_local Scratch scratch;
        const auto size = static_cast<size_t>(s_.size);
        const auto room = [](std::vector<float>& items, size_t count) { items.resize(std::max(items.size(), count)); };
        room(scratch.queries, max_rows * size);
        room(scratch.panel, size * block_keys);
        room(scratch.scores, max_rows * block_keys);
        room(scratch.factors, max_rows);
        for (size_t r = 0; r < t.count; ++r) {
            const float* from = a_.q.data + a_.q.strides.at(t.batch, head(t, r)) + position(t, r) * a_.q.strides.row;
            for (size_t i = 0; i < size; ++i) scratch.queries[r * size + i] = from[i] * a_.scale;
        }
        return scratch;
    }

    void hide(const Tile& t, const Ranges& ranges, int64_t first, size_t count, float* scores) const {
        for (size_t r = 0; r < t.count; ++r, scores += block_keys) {
            if (a_.mask.data) add_mask(t, r, first, count, scores);
            const auto within = [&](int64_t key) { return std::clamp<int64_t>(key - first, 0, static_cast<int64_t>(count)); };
            std::fill(scores, scores + within(ranges[r].begin), none);
            std::fill(scores + within(ranges[r].end), scores + count, none);
        }
    }

    void add_mask(const Tile& t, size_t r, int64_t first, size_t count, float* scores) const {
        const Mask& m = a_.mask;
        const int64_t at = t.batch * m.batch + head(t, r) * m.head + position(t, r) * m.row + first * m.column;
        const size_t step = static_cast<size_t>(m.column);
        count = std::min(count, static_cast<size_t>(std::max<int64_t>(0, m.columns - first)));
        if (m.boolean)
            for (size_t j = 0; j < count; ++j) scores[j] = m.data[at + static_cast<int64_t>(j * step)] != std::byte{} ? scores[j] : none;
        else
            for (size_t j = 0; j < count; ++j) scores[j] += reinterpret_cast<const float*>(m.data)[at + static_cast<int64_t>(j * step)];
    }

    const Attention& a_;
    const AttentionShape& s_;
    const TileLoops& loops_;
    ThreadPool& pool_;
    int64_t group_, rows_;
    size_t tiles_a_head_, tiles_, splits_;
    Buffer partials_;
};

}  // namespace

Mask::Mask(const Tensor& mask, const AttentionShape& shape)
    : data(mask.data.data()), boolean(mask.dtype == DType::boolean), columns(mask_dims(shape, mask.dims).back()) {
    int64_t step = 1;
    const std::array places{&column, &row, &head, &batch};
    for (size_t i = 0; i < mask.dims.size(); ++i) {
        const int64_t length = mask.dims[mask.dims.size() - 1 - i];
        if (length != 1) *places[i] = step;
        step *= length;
    }
}

void attend(const Attention& what, Memory& memory, ThreadPool& pool) {
    if (count_of(Dims{what.shape.batch, what.shape.q_heads, what.shape.q_len}) == 0) return;
    Run(what, memory, pool).run();
}

}  // namespace quern::attention
