#include "libcore/kernels/codes/rows_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/offsets.h"

namespace quern::codes {
namespace {

constexpr int64_t few_channels = 16;
constexpr int64_t panel_bytes = 192 << 10;  // of the tiles that are computed together: they stay in the second cache
constexpr int64_t least_work = 1'000'000;   // multiplications that are worth a task: some 10 microseconds

// Memory of one thread for one part of the data, which grows to what its largest product takes.
struct Scratch {
    std::vector<std::byte> panels;
    std::vector<uint8_t> copies, padding;
    std::vector<const uint8_t*> starts;
    std::vector<int32_t> row_sums;
};
Scratch& scratch(size_t part) {
    thread_local std::array<Scratch, most_parts> own;
    return own[part];
}

template <class T>
T* at_least(std::vector<T>& items, size_t count) {
    if (items.size() < count) items.resize(count);
    return items.data();
}

}  // namespace

RowsProduct::RowsProduct(const Geometry& geometry, const ProductParts& parts)
    : geometry_(geometry),
      parts_(parts),
      layout_(parts.weights[0].layout()),
      copied_(layout_.channels % step_depth != 0 || (layout_.channels < few_channels && layout_.taps > 1)) {}

// The panels of a few tiles, of one group, one part of the data and one thread.
class RowsProduct::Tiles {
   public:
    Tiles(const RowsProduct& product, const uint8_t* x, size_t part)
        : product_(product), g_(product.geometry_), layout_(product.layout_), kernel_(dot()), x_(x) {
        tile_bytes_ = layout_.steps() * step_depth * kernel_.rows * kernel_.code_bytes;
        most_ = std::clamp<int64_t>(panel_bytes / (tile_bytes_ * static_cast<int64_t>(product.parts_.data_parts)), 1, 64);
        Scratch& own = scratch(part);
        panels_ = at_least(own.panels, static_cast<size_t>(most_ * tile_bytes_));
        taps_ = product.copied_ ? 1 : layout_.taps;
        starts_ = at_least(own.starts, static_cast<size_t>(taps_ * most_rows));
        if (product.copied_) copies_ = at_least(own.copies, static_cast<size_t>(most_rows * layout_.steps() * step_depth));
        if (std::ranges::any_of(product.parts_.weights, [](const Weights& weights) { return weights.offsets(); }))
            row_sums_ = at_least(own.row_sums, static_cast<size_t>(most_ * kernel_.rows));
        own.padding.assign(static_cast<size_t>(layout_.channels), product.parts_.padding[part]);
        padding_ = own.padding.data();
    }
    int64_t most() const { return most_; }
    // Tile number i has results [row(i), row(i + 1)).
    int64_t row(int64_t i) const { return rows_[static_cast<size_t>(i)]; }
    Panels panels(int64_t first, int64_t count) const {
        return {panels_ + first * tile_bytes_, tile_bytes_, rows_.data() + first, count, layout_.steps()};
    }

    const int32_t* row_sums(int64_t row) const { return row_sums_ + (row - rows_[0]); }  // where the weights have offsets

    // Of `count` tiles from number `first` on.
    void gather(int64_t first, int64_t count, int64_t group) {
        rows_.resize(static_cast<size_t>(count) + 1);
        for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = begin_of(first + static_cast<int64_t>(i), g_.places(), product_.tiles());
        for (int64_t i = 0; i < count; ++i)
            for (int64_t begin = row(i), end; begin < row(i + 1); begin = end) {
                end = std::min(begin + most_rows, row(i + 1));
                gather_rows(begin, end, group, panels_ + i * tile_bytes_ + (begin - row(i)) * layout_.steps() * step_depth);
            }
    }

   private:
    // Results [begin, end), as one piece of a panel.
    void gather_rows(int64_t begin, int64_t end, int64_t group, std::byte* to) {
        const uint8_t* x = x_ + group * layout_.channels;
        product_.copied_ ? copy_taps(begin, end, x) : point_at_taps(g_, begin, end, x, pixel(), padding_, starts_);
        const auto depth = static_cast<int>(product_.copied_ ? layout_.steps() * step_depth : layout_.channels);
        const TileRows rows{starts_, static_cast<int>(end - begin), static_cast<int>(taps_), depth};
        kernel_.gather(rows, to);
        if (row_sums_) kernel_.row_sums(rows, row_sums_ + (begin - rows_[0]));
    }
    int64_t pixel() const { return layout_.groups * layout_.channels; }

    // Laid side by side, as what starts_ points at.
    void copy_taps(int64_t begin, int64_t end, const uint8_t* x) const {
        const int64_t bytes = layout_.steps() * step_depth, image = g_.in[0] * g_.in[1] * g_.in[2] * pixel();
        const auto channels = static_cast<size_t>(layout_.channels);
        const Walk walk(g_);
        walk.results(begin, end, [&](int64_t r, int64_t batch, const Space& place) {
            uint8_t* const first = copies_ + (r - begin) * bytes;
            uint8_t* to = first;
            const uint8_t* from = x + batch * image;
            starts_[r - begin] = first;
            if (lies_in_lines() && is_inside(g_, place))
                to = copy_lines(place, from, to);
            else
                walk.taps(place, [&](int64_t, int64_t at) {
                    std::memcpy(to, at < 0 ? padding_ : from + at * pixel(), channels);
                    to += channels;
                });
            std::memset(to, 0, static_cast<size_t>(first + bytes - to));
        });
    }

    // Is each line of a window one run of bytes?
    bool lies_in_lines() const { return layout_.groups == 1 && g_.dilation[2] == 1; }
    uint8_t* copy_lines(const Space& place, const uint8_t* image, uint8_t* to) const {
        const int64_t bytes = g_.kernel[2] * pixel();
        Space first;
        for (size_t d = 0; d < 3; ++d) first[d] = place[d] * g_.stride[d] - g_.before[d];
        for (int64_t a = 0; a < g_.kernel[0]; ++a)
            for (int64_t b = 0; b < g_.kernel[1]; ++b, to += bytes) {
                const int64_t line = (first[0] + a * g_.dilation[0]) * g_.in[1] + first[1] + b * g_.dilation[1];
                std::memcpy(to, image + (line * g_.in[2] + first[2]) * pixel(), static_cast<size_t>(bytes));
            }
        return to;
    }

    const RowsProduct& product_;
    const Geometry& g_;
    const WeightLayout& layout_;
    const Dot& kernel_;
    const uint8_t* x_;
    int64_t tile_bytes_, most_, taps_;
    std::byte* panels_;
    uint8_t* copies_ = nullptr;
    const uint8_t* padding_;
    const uint8_t** starts_;
    int32_t* row_sums_ = nullptr;
    std::vector<int64_t> rows_;
};

// The results of the tiles lie one after the other: a few tiles are finished together.
void RowsProduct::run_blocks(std::span<const Tiles> all, const BlockRange& range, const TileSink& sink) const {
    constexpr int64_t rows_together = 96, part_sums = rows_together * block_columns;
    const Dot& kernel = dot();
    const int64_t together = rows_together / kernel.rows;
    alignas(64) int32_t sums[most_parts * most_parts * part_sums];
    const auto row = [&](int64_t tile) { return all[0].row(tile); };
    for (int64_t block = range.first; block < range.last; ++block) {
        const int64_t column = block * block_columns, place = range.group * layout_.blocks() * block_columns + column;
        const auto columns = static_cast<int>(std::min<int64_t>(block_columns, layout_.columns - column));
        for (int64_t tile = 0; tile < range.tiles; tile += together) {
            const int64_t begin = row(tile), end_tile = std::min(tile + together, range.tiles), rows = row(end_tile) - begin;
            int32_t* to = sums;
            for (const Tiles& some : all)
                for (const Weights& weights : parts_.weights) {
                    kernel.sums(some.panels(tile, end_tile - tile), weights.block(range.group, block), to);
                    if (weights.offsets()) take_row_offsets(weights.offsets() + place, some.row_sums(begin), rows, to);
                    to += part_sums;
                }
            sink.take({sums, begin, range.group * layout_.columns + column, place, static_cast<int>(rows), columns, part_sums});
        }
    }
}

void RowsProduct::run_part(const DataParts& x, const TileSink& sink, const TileSplit& split, int64_t part) const {
    std::vector<Tiles> all;
    for (size_t a = 0; a < parts_.data_parts; ++a) all.emplace_back(*this, x.first + static_cast<int64_t>(a) * x.next, a);
    const int64_t row = part / split.blocks, column = part % split.blocks, blocks = layout_.blocks();
    const int64_t first_block = begin_of(column, all_blocks(), split.blocks), last_block = begin_of(column + 1, all_blocks(), split.blocks);
    const int64_t last_tile = begin_of(row + 1, tiles(), split.rows);
    for (int64_t tile = begin_of(row, tiles(), split.rows); tile < last_tile; tile += all[0].most()) {
        const int64_t count = std::min(all[0].most(), last_tile - tile);
        for (int64_t block = first_block; block < last_block;) {
            const int64_t group = block / blocks, end = std::min(last_block, (group + 1) * blocks);
            for (Tiles& some : all) some.gather(tile, count, group);
            run_blocks(all, {count, group, block - group * blocks, end - group * blocks}, sink);
            block = end;
        }
    }
}

void RowsProduct::run(const DataParts& x, const TileSink& sink, ThreadPool& pool) const {
    const int64_t work = geometry_.places() * layout_.groups * layout_.columns * layout_.depth();
    const TileSplit split = split_tiles(tiles(), all_blocks(), work, least_work, pool.size());
    pool.run(static_cast<size_t>(split.parts()), [&](size_t part) { run_part(x, sink, split, static_cast<int64_t>(part)); });
}

}  // namespace quern::codes
