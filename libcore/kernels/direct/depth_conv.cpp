#include "libcore/kernels/direct/depth_conv.h"

#include <algorithm>

#include "libcore/kernels/direct/depth_tile.h"
#include "libcore/kernels/direct/split.h"

namespace quern::direct {
namespace {

constexpr int64_t max_floats_by_block = 1 << 18;

// What of a window at result `i` lies inside: taps [begin, end).
struct Span {
    Span(int64_t i, int64_t stride, int64_t before, int64_t dilation, int64_t kernel, int64_t length) : start(i * stride - before) {
        begin = start < 0 ? std::min((-start + dilation - 1) / dilation, kernel) : 0;
        end = std::clamp<int64_t>((length - start + dilation - 1) / dilation, begin, kernel);
    }
    int64_t start, begin, end;
    int64_t count() const { return end - begin; }
};

}  // namespace

std::string_view DepthConv::obstacle(const ConvSite& conv, const Shape& x) {
    if (!has_tiles()) return "needs AVX-512";
    if (conv.filter.size() != 4 || !x.ranked || x.rank() != 4) return "is not two-dimensional";
    if (count_of(conv.filter) <= 0) return "has no filter";
    return sum_and_clamp(conv.tail) ? "" : "more follows than a sum and a clamp";
}

struct DepthConv::Task {
    const float *x, *filter, *bias;
    float* out;
};

// One line of results, of one block of channels: those at the edges one by one, those between together.
void DepthConv::run_line(const Task& task, int64_t line, int64_t block) const {
    const Window& w = at_.window;
    const int64_t channels = at_.x[1], height = at_.x[2], width = at_.x[3], columns = at_.out[3], first = block * tile_columns;
    const Span rows(line % at_.out[2], w.stride[0], w.before[0], w.dilation[0], kernel_h_, height);
    const float *image = task.x + line / at_.out[2] * height * width * channels + first, *bias = task.bias + first;
    const float* filter = task.filter + block * kernel_h_ * kernel_w_ * tile_columns;
    float* out = task.out + line * columns * channels + first;
    const int count = static_cast<int>(std::min<int64_t>(tile_columns, channels - first));
    if (kernel_h_ == 3 && kernel_w_ == 3 && w.dilation[0] == 1 && w.dilation[1] == 1) {
        const auto row = [&](int64_t i) { return rows.begin <= i && i < rows.end ? image + (rows.start + i) * width * channels : nullptr; };
        return run_depth_line({{row(0), row(1), row(2)},
                               channels,
                               width,
                               columns,
                               w.stride[1],
                               w.before[1],
                               filter,
                               bias,
                               out,
                               count,
                               tail_.sum,
                               tail_.low,
                               tail_.high});
    }
    for (int64_t i = 0; i < columns;) {
        const Span taps(i, w.stride[1], w.before[1], w.dilation[1], kernel_w_, width);
        const int64_t last_start = width - 1 - (kernel_w_ - 1) * w.dilation[1];  // of a window that lies inside
        const int64_t together = taps.count() == kernel_w_ ? std::min(columns, (last_start + w.before[1]) / w.stride[1] + 1) - i : 1;
        const int64_t line_at = rows.start + rows.begin * w.dilation[0], column_at = taps.start + taps.begin * w.dilation[1];
        run_depth_tile({image + (line_at * width + column_at) * channels, w.dilation[0] * width * channels, w.dilation[1] * channels,
                        w.stride[1] * channels, static_cast<int>(rows.count()), static_cast<int>(taps.count()),
                        filter + (rows.begin * kernel_w_ + taps.begin) * tile_columns, kernel_w_ * tile_columns, bias, out + i * channels,
                        channels, count, tail_.sum, tail_.low, tail_.high},
                       together);
        i += together;
    }
}

void DepthConv::run(const float* x, const float* filter, const float* bias, float* out, Memory&, ThreadPool& pool) const {
    const int64_t blocks = (at_.x[1] + tile_columns - 1) / tile_columns, lines = at_.out[0] * at_.out[2];
    const int64_t work = at_.out[3] * kernel_h_ * kernel_w_ * tile_columns;
    const Task task{x, filter, bias, out};
    // Of data that the second cache holds block by block: what neighbouring lines share stays in the first. Else as they lie.
    const bool by_block = at_.x[1] * at_.x[2] * at_.x[3] < max_floats_by_block;
    for_each(pool, lines * blocks, work, min_work / 4,
             [&](int64_t i) { by_block ? run_line(task, i % lines, i / lines) : run_line(task, i / blocks, i % blocks); });
}

}  // namespace quern::direct
