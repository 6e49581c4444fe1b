#include "libcore/kernels/codes/rows_product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/offsets.h"

namespace quern::codes {
namespace {

constexpr int64_t few_channels = 16;
constexpr int64_t panel_bytes = 192 << 10;  // of the tiles that are computed together: they stay in the second cache
constexpr int64_t max_tiles = 64;           // that are
constexpr int64_t min_work = 1'000'000;     // multiplications that are worth a task: some 10 microseconds

// Memory of one thread for one part of the data, which grows to what its largest product takes.
struct Scratch {
    std::vector<std::byte> panels;
    std::vector<uint8_t> copies, padding;
    std::vector<const uint8_t*> starts;
    std::vector<int32_t> row_sums;
};
Scratch& scratch(size_t part) {
    thread_local std::array<Scratch, max_parts> own;
    return own[part];
}

template <class T>
T* at_least(std::vector<T>& items, size_t count) {
    if (items.size() < count) items.resize(count);
    return items.data();
}

}  // namespace

RowsProduct::RowsProduct(const Geometry& geometry, const ProductParts& parts, const Dot& kernel)
    : geometry_(geometry),
      parts_(parts),
      layout_(parts.weights[0].layout()),
      kernel_(kernel),
      copied_(layout_.channels % step_depth != 0 || (layout_.channels < few_channels && layout_.taps > 1)) {}

// The panels of a few tiles, of one group, one part of the data and one thread.
class RowsProduct::Tiles {
   public:
    Tiles(const RowsProduct& product, const uint8_t* x, size_t part)
        : product_(product), g_(product.geometry_), layout_(product.layout_), kernel_(product.kernel_), x_(x) {
        const int64_t bytes = layout_.steps() * step_depth;
        copy_bytes_ = (bytes + 15) / 16 * 16;
        tile_bytes_ = bytes * kernel_.rows * kernel_.code_bytes;
        max_ = std::clamp<int64_t>(panel_bytes / (tile_bytes_ * static_cast<int64_t>(product.parts_.data_parts)), 1, max_tiles);
        Scratch& own = scratch(part);
        panels_ = at_least(own.panels, static_cast<size_t>(max_ * tile_bytes_ + (copy_bytes_ - bytes) * kernel_.rows * kernel_.code_bytes));
        taps_ = product.copied_ ? 1 : layout_.taps;
        starts_ = at_least(own.starts, static_cast<size_t>(taps_ * max_rows));
        if (product.copied_) copies_ = at_least(own.copies, static_cast<size_t>(max_rows * copy_bytes_));
        if (std::ranges::any_of(product.parts_.weights, [](const Weights& weights) { return weights.offsets(); }))
            row_sums_ = at_least(own.row_sums, static_cast<size_t>(max_ * kernel_.rows));
        own.padding.assign(static_cast<size_t>(layout_.channels), product.parts_.padding[part]);
        padding_ = own.padding.data();
        lies_in_lines_ = layout_.groups == 1 && g_.dilation[2] == 1;
    }
    int64_t max() const { return max_; }
    // Tile number i has results [row(i), row(i + 1)).
    int64_t row(int64_t i) const { return rows_[static_cast<size_t>(i)]; }
    Panels panels(int64_t first, int64_t count) const {
        return {panels_ + first * tile_bytes_, tile_bytes_, rows_.data() + first, count, layout_.steps()};
    }

    const int32_t* row_sums(int64_t row) const { return row_sums_ + (row - rows_[0]); }  // where the weights have offsets

    // Of `count` tiles from number `first` on.
    void gather(int64_t first, int64_t count, int64_t group) {
        for (int64_t i = 0; i <= count; ++i) rows_[static_cast<size_t>(i)] = begin_of(first + i, g_.places(), product_.tiles());
        Cursor at(g_, row(0));
        for (int64_t i = 0; i < count; ++i)
            for (int64_t begin = row(i), end; begin < row(i + 1); begin = end) {
                end = std::min(begin + max_rows, row(i + 1));
                gather_rows(at, begin, end - begin, group, panels_ + i * tile_bytes_ + (begin - row(i)) * layout_.steps() * step_depth);
            }
    }

   private:
    // The `count` results from `begin` on, where `at` is, as one piece of a panel.
    void gather_rows(Cursor& at, int64_t begin, int64_t count, int64_t group, std::byte* to) {
        const uint8_t* x = x_ + group * layout_.channels;
        product_.copied_ ? copy_taps(at, count, x) : point_at_taps(g_, at, count, x, pixel(), padding_, starts_);
        const auto depth = static_cast<int>(product_.copied_ ? layout_.steps() * step_depth : layout_.channels);
        const TileRows rows{starts_, static_cast<int>(count), static_cast<int>(taps_), depth, product_.copied_};
        kernel_.gather(rows, to);
        if (row_sums_) kernel_.row_sums(rows, row_sums_ + (begin - rows_[0]));
    }
    int64_t pixel() const { return layout_.groups * layout_.channels; }

    // Laid side by side, as what starts_ points at.
    void copy_taps(Cursor& at, int64_t count, const uint8_t* x) const {
        const int64_t image = g_.in[0] * g_.in[1] * g_.in[2] * pixel();
        for (int64_t r = 0; r < count; ++r) {
            starts_[r] = copies_ + r * copy_bytes_;
            std::memset(copies_ + r * copy_bytes_ + layout_.steps() * step_depth - step_depth, 0, step_depth);  // what is filled up
        }
        uint8_t* to = copies_;
        at.advance(count, [&](int64_t batch, const Space& place, int64_t run) {
            each_line(g_, place, [&](int64_t tap, const Line& line) {
                copy_lines(line, run, x + batch * image + line.number * g_.in[2] * pixel(), to + tap * layout_.channels);
            });
            to += run * copy_bytes_;
        });
    }
    // A line of the windows of `count` results side by side; `line` is that of the first one, in the data at `from`.
    void copy_lines(Line line, int64_t count, const uint8_t* from, uint8_t* to) const {
        for (int64_t i = 0; i < count; ++i, line.first += g_.stride[2], to += copy_bytes_)
            if (line.there && lies_in_lines_ && line.first >= 0 && line.first + g_.kernel[2] <= g_.in[2])
                copy_codes(from + line.first * pixel(), g_.kernel[2] * pixel(), to);
            else
                copy_places(line, from, to);
    }
    void copy_places(const Line& line, const uint8_t* from, uint8_t* to) const {
        for (int64_t c = 0; c < g_.kernel[2]; ++c, to += layout_.channels) {
            const int64_t column = line.first + c * g_.dilation[2];
            const bool there = line.there && column >= 0 && column < g_.in[2];
            copy_codes(there ? from + column * pixel() : padding_, layout_.channels, to);
        }
    }
    // Short runs: whole words, of which the last may lie over the one before it.
    static void copy_codes(const uint8_t* from, int64_t bytes, uint8_t* to) {
        if (bytes < 8 || bytes > 64) {
            std::memcpy(to, from, static_cast<size_t>(bytes));
        } else {
            for (int64_t i = 0; i + 8 < bytes; i += 8) std::memcpy(to + i, from + i, 8);
            std::memcpy(to + bytes - 8, from + bytes - 8, 8);
        }
    }

    const RowsProduct& product_;
    const Geometry& g_;
    const WeightLayout& layout_;
    const Dot& kernel_;
    const uint8_t* x_;
    int64_t tile_bytes_, max_, taps_, copy_bytes_;
    std::byte* panels_;
    uint8_t* copies_ = nullptr;
    const uint8_t* padding_;
    const uint8_t** starts_;
    int32_t* row_sums_ = nullptr;
    bool lies_in_lines_;  // is each line of a window one run of bytes?
    std::array<int64_t, max_tiles + 1> rows_;
};

// The results of the tiles lie one after the other: a few tiles are finished together.
void RowsProduct::run_blocks(std::span<const Tiles> all, const BlockRange& range, const TileSink& sink) const {
    constexpr int64_t rows_together = 96, part_sums = rows_together * block_columns;
    const int64_t together = rows_together / kernel_.rows;
    alignas(64) int32_t sums[max_parts * max_parts * part_sums];
    const auto row = [&](int64_t tile) { return all[0].row(tile); };
    for (int64_t block = range.first; block < range.last; ++block) {
        const int64_t column = block * block_columns, place = range.group * layout_.blocks() * block_columns + column;
        const auto columns = static_cast<int>(std::min<int64_t>(block_columns, layout_.columns - column));
        for (int64_t tile = 0; tile < range.tiles; tile += together) {
            const int64_t begin = row(tile), end_tile = std::min(tile + together, range.tiles), rows = row(end_tile) - begin;
            int32_t* to = sums;
            for (const Tiles& some : all)
                for (const Weights& weights : parts_.weights) {
                    kernel_.sums(some.panels(tile, end_tile - tile), weights.block(range.group, block), to);
                    if (weights.offsets()) take_row_offsets(weights.offsets() + place, some.row_sums(begin), rows, to);
                    to += part_sums;
                }
            sink.take({sums, begin, range.group * layout_.columns + column, place, static_cast<int>(rows), columns, part_sums});
        }
    }
}

void RowsProduct::run_part(const DataParts& x, const TileSink& sink, const TileSplit& split, int64_t part) const {
    std::vector<Tiles> all;
    all.reserve(parts_.data_parts);
    for (size_t a = 0; a < parts_.data_parts; ++a) all.emplace_back(*this, x.first + static_cast<int64_t>(a) * x.next, a);
    const int64_t row = part / split.blocks, column = part % split.blocks, blocks = layout_.blocks();
    const int64_t first_block = begin_of(column, all_blocks(), split.blocks), last_block = begin_of(column + 1, all_blocks(), split.blocks);
    const int64_t last_tile = begin_of(row + 1, tiles(), split.rows);
    for (int64_t tile = begin_of(row, tiles(), split.rows); tile < last_tile; tile += all[0].max()) {
        const int64_t count = std::min(all[0].max(), last_tile - tile);
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
    const TileSplit split = split_tiles(tiles(), all_blocks(), work, min_work, pool.size());
    const auto run = [&](size_t part) { run_part(x, sink, split, static_cast<int64_t>(part)); };
    pool.run(static_cast<size_t>(split.parts()), std::ref(run));
}

}  // namespace quern::codes
