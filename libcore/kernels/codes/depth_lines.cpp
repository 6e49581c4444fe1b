#include "libcore/kernels/codes/depth_lines.h"

#include <algorithm>
#include <array>
#include <functional>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/offsets.h"

namespace quern::codes {
namespace {

constexpr int64_t max_results = 32;  // whose sums stay in the first cache
constexpr int64_t block_sums = max_results * block_columns;

int64_t reach_of(const Geometry& g) { return (g.kernel[2] - 1) * g.dilation[2] + 1; }

// Results of one line that are made together.
int64_t results_at_once(const Geometry& g) { return std::min(max_results, (line_places - reach_of(g)) / g.stride[2] + 1); }

// A part of the lines of results, by one thread.
class Lines {
   public:
    Lines(const Geometry& geometry, const ProductParts& parts, const DataParts& x, const TileSink& sink)
        : g_(geometry), parts_(parts), layout_(parts.weights[0].layout()), x_(x), sink_(sink), line_{starts_.data(), 0, 0, 0, 0, 0} {
        line_.height = static_cast<int>(g_.kernel[1]);
        line_.width = static_cast<int>(g_.kernel[2]);
        line_.stride = static_cast<int>(g_.stride[2]);
        line_.dilation = static_cast<int>(g_.dilation[2]);
        for (const Weights& weights : parts_.weights)
            for (int64_t channel = 0; channel < layout_.columns; channel += line_columns)
                arrange(weights.block(0, channel / block_columns), layout_.block_bytes(), blocks_at(channel));
        if (std::any_of(parts_.weights.begin(), parts_.weights.end(), [](const Weights& weights) { return weights.offsets(); }))
            arrange_ones();
    }

    void run(int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line)
            for (int64_t first = 0; first < g_.out[2]; first += results_at_once(g_)) {
                line_.count = static_cast<int>(std::min(results_at_once(g_), g_.out[2] - first));
                run_stretch(line, first);
            }
    }

   private:
    int64_t weight_bytes() const { return g_.kernel[2] * line_columns * line_height; }
    int columns_at(int64_t channel) const { return static_cast<int>(std::min<int64_t>(line_columns, layout_.columns - channel)); }
    int blocks_at(int64_t channel) const { return (columns_at(channel) + block_columns - 1) / block_columns; }

    void arrange(const int8_t* weights, int64_t block_bytes, int blocks) {
        arranged_.resize(arranged_.size() + static_cast<size_t>(weight_bytes()));
        dot().lines->arrange(weights, block_bytes, blocks, line_, arranged_.data() + arranged_.size() - weight_bytes());
    }

    // The sum of each channel's data is that of its products with ones.
    void arrange_ones() {
        const std::vector<int8_t> ones(static_cast<size_t>(layout_.block_bytes()), 1);
        arrange(ones.data(), 0, line_columns / block_columns);
    }
    const int8_t* ones() const { return arranged_.data() + arranged_.size() - weight_bytes(); }

    void point(int64_t line, int64_t first, size_t part) {
        padding_.assign(static_cast<size_t>(layout_.columns), parts_.padding[part]);
        const int64_t image = line / g_.out[1], row = line % g_.out[1] * g_.stride[1] - g_.before[1];  // of a batch and a plane
        const int64_t plane = image % g_.out[0] * g_.stride[0] - g_.before[0], column = first * g_.stride[2] - g_.before[2];
        const int64_t lines = (image / g_.out[0] * g_.in[0] + plane) * g_.in[1];  // of the data before this plane
        const uint8_t* from = x_.first + static_cast<int64_t>(part) * x_.next;
        size_t to = 0;
        for (int64_t place = column; place < column + line_.places(); ++place)
            for (int64_t a = 0; a < g_.kernel[1]; ++a) {
                const Space at{plane, row + a * g_.dilation[1], place};
                starts_[to++] = is_inside(at) ? from + ((lines + at[1]) * g_.in[2] + at[2]) * layout_.columns : padding_.data();
            }
    }
    bool is_inside(const Space& at) const {
        for (size_t i = 0; i < at.size(); ++i)
            if (at[i] < 0 || at[i] >= g_.in[i]) return false;
        return true;
    }

    void run_stretch(int64_t line, int64_t first) {
        for (int64_t channel = 0; channel < layout_.columns; channel += line_columns) {
            int32_t* to = sums_.data();
            for (size_t a = 0; a < parts_.data_parts; ++a) {
                if (channel == 0 || parts_.data_parts > 1) point(line, first, a);
                for (size_t b = 0; b < parts_.weights.size(); ++b, to += part_sums) add_sums(channel, b, to);
            }
            give(line * g_.out[2] + first, channel);
        }
    }

    void add_sums(int64_t channel, size_t part, int32_t* to) {
        const int64_t groups = (layout_.columns + line_columns - 1) / line_columns;
        const int8_t* weights = arranged_.data() + (static_cast<int64_t>(part) * groups + channel / line_columns) * weight_bytes();
        dot().lines->sums(line_, channel, columns_at(channel), weights, to, block_sums);
        const int32_t* offsets = parts_.weights[part].offsets();
        if (!offsets) return;
        dot().lines->sums(line_, channel, columns_at(channel), ones(), data_.data(), block_sums);
        for (int i = 0; i < blocks_at(channel); ++i)
            take_column_offsets(offsets + channel + i * block_columns, data_.data() + i * block_sums, line_.count, to + i * block_sums);
    }

    void give(int64_t row, int64_t channel) const {
        for (int i = 0; i < blocks_at(channel); ++i) {
            const int64_t at = channel + i * block_columns;
            const auto columns = static_cast<int>(std::min<int64_t>(block_columns, layout_.columns - at));
            sink_.take({sums_.data() + i * block_sums, row, at, at, line_.count, columns, part_sums});
        }
    }

    static constexpr int64_t part_sums = line_columns / block_columns * block_sums;
    const Geometry& g_;
    const ProductParts& parts_;
    const WeightLayout& layout_;
    const DataParts& x_;
    const TileSink& sink_;
    std::array<const uint8_t*, line_places * line_height> starts_;
    DepthLine line_;
    std::vector<int8_t> arranged_;  // [weight parts][line_columns channels], then ones
    std::vector<uint8_t> padding_;
    std::array<int32_t, max_parts * max_parts * part_sums> sums_;
    std::array<int32_t, part_sums> data_;
};

}  // namespace

bool has_depth_lines(const Geometry& g) {
    return dot().lines && g.kernel[0] == 1 && g.kernel[1] > 1 && g.kernel[1] <= line_height && reach_of(g) <= line_places / 4 &&
           g.stride[2] <= 4;
}

void run_depth_lines(const Geometry& g, const ProductParts& parts, const DataParts& x, const TileSink& sink, ThreadPool& pool) {
    const int64_t lines = g.batches * g.out[0] * g.out[1],
                  work = std::max<int64_t>(g.out[2] * parts.weights[0].layout().columns * g.taps(), 1);
    const auto range = [&](size_t begin, size_t end) {
        Lines(g, parts, x, sink).run(static_cast<int64_t>(begin), static_cast<int64_t>(end));
    };
    pool.run_ranges(static_cast<size_t>(lines), static_cast<size_t>(std::max<int64_t>(min_depth_work / work, 1)), std::ref(range));
}

}  // namespace quern::codes
