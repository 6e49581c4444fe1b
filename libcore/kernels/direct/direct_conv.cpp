#include "libcore/kernels/direct/direct_conv.h"

#include <algorithm>

#include "libcore/kernels/direct/split.h"
#include "libcore/kernels/direct/tile.h"

namespace quern::direct {
namespace {

constexpr int64_t few_channels = 16, min_filters = 16;
constexpr int64_t min_copy = 16384;  // floats, that are worth a task
// Results whose data lie multiples of this many floats apart share their places in the first cache: fewer of them fit.
constexpr int64_t cache_way = 1024, rows_of_one_way = 10;
// `count` pixels of C channels that lie `channel` apart, to where they lie side by side.
template <int64_t C>
void gather(const float* from, int64_t pixel, int64_t channel, float* to, int64_t count, int64_t channels = C) {
    for (int64_t i = 0; i < count; ++i, from += pixel, to += channels)
        for (int64_t k = 0; k < (C > 0 ? C : channels); ++k) to[k] = from[k * channel];
}

void gather_channels(const float* from, int64_t pixel, int64_t channel, float* to, int64_t count, int64_t channels) {
    switch (channels) {
        case 1: return gather<1>(from, pixel, channel, to, count);
        case 2: return gather<2>(from, pixel, channel, to, count);
        case 3: return gather<3>(from, pixel, channel, to, count);
        case 4: return gather<4>(from, pixel, channel, to, count);
        default: return gather<0>(from, pixel, channel, to, count, channels);
    }
}

}  // namespace

std::string_view DirectConv::obstacle(const ConvSite& conv, const Shape& x) {
    const Dims& filter = conv.filter;
    if (!has_tiles()) return "needs AVX-512";
    if (conv.group != 1 || filter.size() != 4 || !x.ranked || x.rank() != 4) return "is not two-dimensional with one group";
    if (filter[0] < min_filters || count_of(filter) <= 0) return "has few filters";
    if (!sum_and_clamp(conv.tail)) return "more follows than a sum and a clamp";
    if (filter[1] >= few_channels) return "";
    const auto dims = x.concrete();
    if (!dims || count_of(*dims) == 0) return "has few channels and unknown dims";
    const auto at = conv.place(conv.as_graph(*dims));
    if (at->x[1] != filter[1] || count_of(at->out) == 0) return "has an empty result";
    const DirectConv direct(conv, *sum_and_clamp(conv.tail), *at);
    const bool small = direct.padded_height() <= at->x[2] + 2 * filter[2] && direct.padded_width() <= at->x[3] + 2 * filter[3];
    return small && at->window.dilation[1] == 1 ? "" : "has few channels and much padding";
}

DirectConv::DirectConv(const ConvSite& conv, const SumAndClamp& tail, const ConvSite::Place& at)
    : geometry_{at.x[0],
                at.x[1],
                at.x[2],
                at.x[3],
                conv.filter[0],
                at.out[2],
                at.out[3],
                conv.filter[2],
                conv.filter[3],
                at.window.stride[0],
                at.window.stride[1],
                at.window.dilation[0],
                at.window.dilation[1],
                at.window.before[0],
                at.window.before[1]},
      tail_(tail),
      last_(conv.last),
      copied_(at.x[1] < few_channels) {
    max_rows_ = !copied_ && geometry_.stride_w * geometry_.channels % cache_way == 0 ? rows_of_one_way : tile_rows;
}

// [N, padded height, padded width, C].
Buffer DirectConv::padded(const float* x, Memory& memory, ThreadPool& pool) const {
    const Geometry& g = geometry_;
    const int64_t height = padded_height(), width = padded_width(), c = g.channels;
    Buffer buffer = memory.take(static_cast<size_t>(g.batches * height * width * c) * sizeof(float));
    auto* to = reinterpret_cast<float*>(buffer.data.get());
    const int64_t pixel = last_ ? c : 1, channel = last_ ? 1 : g.height * g.width;
    const int64_t left = std::clamp<int64_t>(g.before_w, 0, width), right = std::clamp<int64_t>(g.width + g.before_w, left, width);
    const int64_t before = g.before_w;
    const auto copy_line = [=, &g](int64_t row) {
        const int64_t y = row % height - g.before_h;
        float* line = to + row * width * c;
        if (y < 0 || y >= g.height) {
            std::fill_n(line, width * c, 0.0f);
            return;
        }
        std::fill_n(line, left * c, 0.0f);
        std::fill_n(line + right * c, (width - right) * c, 0.0f);
        const float* from = x + row / height * c * g.height * g.width + y * g.width * pixel;
        const int64_t count = right - left;
        gather_channels(from + (left - before) * pixel, pixel, channel, line + left * c, count, c);
    };
    for_each(pool, g.batches * height, width * c, min_copy, copy_line);
    return buffer;
}

// Where the runs of a few tiles begin, for one thread.
class DirectConv::Runs {
   public:
    Runs(const DirectConv& conv, const float* x, const float* zeros) : conv_(conv), g_(conv.geometry_), x_(x), zeros_(zeros) {
        taps_ = conv.copied_ ? g_.kernel_h : g_.kernel_h * g_.kernel_w;
        tiles_ = std::clamp<int64_t>(8192 / (taps_ * tile_rows), 1, std::min<int64_t>(64, conv.tiles()));
        starts_.resize(static_cast<size_t>(tiles_ * taps_ * tile_rows));
    }
    int64_t tiles() const { return tiles_; }
    int64_t taps() const { return taps_; }
    const float* const* of(int64_t tile) const { return starts_.data() + tile * taps_ * tile_rows; }
    // Results [begin, end) are those of tile number `tile`.
    void set(int64_t tile, int64_t begin, int64_t end) {
        const float** to = starts_.data() + tile * taps_ * tile_rows;
        const int64_t line = begin / g_.out_width;
        int64_t n = line / g_.out_height, y = line % g_.out_height, x = begin % g_.out_width;
        for (int64_t i = begin; i < end; ++i, ++to) {
            conv_.copied_ ? set_copied(to, n, y, x) : set_in_place(to, n, y, x);
            if (++x < g_.out_width) continue;
            x = 0;
            if (++y < g_.out_height) continue;
            y = 0;
            ++n;
        }
    }

   private:
    void set_copied(const float** to, int64_t n, int64_t y, int64_t x) const {
        const int64_t width = conv_.padded_width() * g_.channels;
        const float* from = x_ + (n * conv_.padded_height() + y * g_.stride_h) * width + x * g_.stride_w * g_.channels;
        for (int64_t tap = 0; tap < taps_; ++tap) to[tap * tile_rows] = from + tap * g_.dilation_h * width;
    }
    void set_in_place(const float** to, int64_t n, int64_t y, int64_t x) const {
        const int64_t top = y * g_.stride_h - g_.before_h, left = x * g_.stride_w - g_.before_w;
        const float* image = x_ + n * g_.height * g_.width * g_.channels;
        for (int64_t i = 0; i < g_.kernel_h; ++i)
            for (int64_t k = 0; k < g_.kernel_w; ++k, to += tile_rows) {
                const int64_t row = top + i * g_.dilation_h, column = left + k * g_.dilation_w;
                const bool inside = row >= 0 && row < g_.height && column >= 0 && column < g_.width;
                *to = inside ? image + (row * g_.width + column) * g_.channels : zeros_;
            }
    }

    const DirectConv& conv_;
    const Geometry& g_;
    const float *x_, *zeros_;
    int64_t taps_, tiles_;
    std::vector<const float*> starts_;
};

struct DirectConv::Task {
    const float *x, *zeros, *filter, *bias;
    float* out;
};

void DirectConv::run_part(const Task& task, const TileSplit& parts, int64_t part) const {
    const Geometry& g = geometry_;
    const int64_t depth = copied_ ? g.channels * g.kernel_w : g.channels, all = g.channels * g.kernel_h * g.kernel_w;
    Runs runs(*this, task.x, task.zeros);
    const int64_t row = part / parts.blocks, column = part % parts.blocks;
    const int64_t first_block = begin_of(column, blocks(), parts.blocks), last_block = begin_of(column + 1, blocks(), parts.blocks);
    const int64_t last_tile = begin_of(row + 1, tiles(), parts.rows);
    for (int64_t group = begin_of(row, tiles(), parts.rows); group < last_tile; group += runs.tiles()) {
        const int64_t count = std::min(runs.tiles(), last_tile - group);
        const auto begin = [&](int64_t i) { return begin_of(group + i, results(), tiles()); };
        for (int64_t i = 0; i < count; ++i) runs.set(i, begin(i), begin(i + 1));
        for (int64_t block = first_block; block < last_block; ++block)
            for (int64_t i = 0; i < count; ++i) {
                const int64_t channel = block * tile_columns;
                run_tile({runs.of(i), static_cast<int>(runs.taps()), static_cast<int>(depth), task.filter + channel * all,
                          task.bias + channel, task.out + begin(i) * g.filters + channel, static_cast<size_t>(g.filters),
                          static_cast<int>(std::min<int64_t>(tile_columns, g.filters - channel)), tail_.sum, tail_.low, tail_.high},
                         static_cast<int>(begin(i + 1) - begin(i)));
            }
    }
}

void DirectConv::run(const float* x, const float* filter, const float* bias, float* out, Memory& memory, ThreadPool& pool) const {
    const Buffer copy = copied_ ? padded(x, memory, pool) : Buffer();
    const std::vector<float> zeros(copied_ ? 0 : static_cast<size_t>(geometry_.channels));
    const int64_t work = results() * geometry_.filters * geometry_.channels * geometry_.kernel_h * geometry_.kernel_w;
    const TileSplit parts = split_tiles(tiles(), blocks(), work, min_work, pool.size());
    const Task task{copied_ ? reinterpret_cast<const float*>(copy.data.get()) : x, zeros.data(), filter, bias, out};
    pool.run(static_cast<size_t>(parts.rows * parts.blocks), [&](size_t part) { run_part(task, parts, static_cast<int64_t>(part)); });
}

}  // namespace quern::direct
