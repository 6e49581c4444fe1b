// RoiAlign and NonMaxSuppression.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// ---- RoiAlign ----------------------------------------------------------------------------------------------------------

constexpr int64_t max_samples = 4096;  // a side of a bin; a region of sane coordinates has far fewer

struct Region {
    float top, left, bin_height, bin_width;
    int64_t rows, columns;  // samples a bin
};

// Four corner pixels of a sample and their weights; weight 0 outside of the image.
struct Sample {
    std::array<int64_t, 4> at{};
    std::array<float, 4> weight{};
};

Region region_of(const NodeView& view, std::span<const float> roi, int64_t out_height, int64_t out_width) {
    const bool half = view.text("coordinate_transformation_mode") == "half_pixel";
    const float scale = view.real("spatial_scale"), offset = half ? 0.5f : 0.0f;
    Region r{.top = roi[1] * scale - offset, .left = roi[0] * scale - offset, .bin_height = 0, .bin_width = 0, .rows = 0, .columns = 0};
    float width = roi[2] * scale - offset - r.left, height = roi[3] * scale - offset - r.top;
    if (!half) {
        width = std::max(width, 1.0f);
        height = std::max(height, 1.0f);
    }
    r.bin_height = height / static_cast<float>(out_height);
    r.bin_width = width / static_cast<float>(out_width);
    const int64_t ratio = view.integer("sampling_ratio");
    const auto adaptive = [&](float bin) {
        const float samples = ratio > 0 ? static_cast<float>(ratio) : std::ceil(bin);
        if (!(samples <= static_cast<float>(max_samples))) throw bad_input("a region takes more than {} samples a bin", max_samples);
        return std::max<int64_t>(0, static_cast<int64_t>(samples));
    };
    r.rows = adaptive(r.bin_height);
    r.columns = adaptive(r.bin_width);
    return r;
}

Sample sample_at(float y, float x, int64_t height, int64_t width) {
    Sample s;
    if (!(y >= -1 && y <= static_cast<float>(height) && x >= -1 && x <= static_cast<float>(width))) return s;
    y = std::max(y, 0.0f);
    x = std::max(x, 0.0f);
    const auto settle = [](float& at, int64_t length) {
        const auto low = static_cast<int64_t>(at);
        if (low < length - 1) return std::pair(low, low + 1);
        at = static_cast<float>(length - 1);
        return std::pair(length - 1, length - 1);
    };
    const auto [y0, y1] = settle(y, height);
    const auto [x0, x1] = settle(x, width);
    const float ly = y - static_cast<float>(y0), lx = x - static_cast<float>(x0), hy = 1 - ly, hx = 1 - lx;
    s.at = {y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1};
    s.weight = {hy * hx, hy * lx, ly * hx, ly * lx};
    return s;
}

// The samples of each output bin of a region, bin after bin.
std::vector<Sample> samples_of(const Region& r, int64_t out_height, int64_t out_width, int64_t height, int64_t width) {
    std::vector<Sample> samples;
    for (int64_t py = 0; py < out_height; ++py)
        for (int64_t px = 0; px < out_width; ++px)
            for (int64_t i = 0; i < r.rows; ++i)
                for (int64_t j = 0; j < r.columns; ++j) {
                    const float y = r.top + static_cast<float>(py) * r.bin_height +
                                    (static_cast<float>(i) + 0.5f) * r.bin_height / static_cast<float>(r.rows);
                    const float x = r.left + static_cast<float>(px) * r.bin_width +
                                    (static_cast<float>(j) + 0.5f) * r.bin_width / static_cast<float>(r.columns);
                    samples.push_back(sample_at(y, x, height, width));
                }
    return samples;
}

template <class T>
T pooled(std::span<const Sample> samples, const T* plane, bool average) {
    T out = 0;
    bool first = true;
    for (const Sample& s : samples) {
        T sum = 0, max = 0;
        for (size_t k = 0; k < 4; ++k) {
            const T term = static_cast<T>(s.weight[k]) * plane[s.at[k]];
            sum += term;
            max = k == 0 ? term : std::max(max, term);
        }
        if (average)
            out += sum;
        else
            out = first ? max : std::max(out, max);
        first = false;
    }
    return average && !samples.empty() ? out / static_cast<T>(samples.size()) : out;
}

// ---- NonMaxSuppression ---------------------------------------------------------------------------------------------------

struct Box {
    float y0, x0, y1, x1;
    float area() const { return (y1 - y0) * (x1 - x0); }
};

Box box_at(const float* b, bool center) {
    if (center) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
    return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
    const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0), width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
    if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return false;
    const float common = height * width, both = a.area() + b.area() - common;
    return both > 0 && common / both > threshold;
}

float scalar_or(EvalCtx& ctx, size_t at, float fallback) {
    const Tensor* tensor = ctx.in(at);
    if (!tensor) return fallback;
    if (tensor->count() != 1) throw bad_input("input {} is {}, need one number", at, to_string(tensor->dims));
    return to_floats(*tensor)[0];
}

std::vector<size_t> kept_boxes(std::span<const Box> boxes, std::span<const float> scores, size_t max, float iou, float min,
                               bool has_least) {
    std::vector<size_t> order;
    for (size_t i = 0; i < boxes.size(); ++i)
        if (!has_least || scores[i] > min) order.push_back(i);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    std::vector<size_t> kept;
    for (const size_t i : order) {
        if (kept.size() >= max) break;
        if (std::ranges::none_of(kept, [&](size_t k) { return overlaps(boxes[i], boxes[k], iou); })) kept.push_back(i);
    }
    return kept;
}

}  // namespace

void infer_roi_align(InferCtx& ctx) {
    Shape out = Shape::of_rank(4);
    if (ctx.shape(1).ranked && ctx.shape(1).rank() == 2) out.dims[0] = ctx.shape(1).dims[0];
    if (ctx.shape(0).ranked) {
        if (ctx.shape(0).rank() != 4) throw bad_input("input 0 is {}, need rank 4", to_string(ctx.shape(0)));
        out.dims[1] = ctx.shape(0).dims[1];
    }
    const int64_t height = ctx.integer("output_height"), width = ctx.integer("output_width");
    if (height < 1 || width < 1) throw bad_input("output is {} x {}, need at least 1", height, width);
    out.dims[2] = Dim::of(height);
    out.dims[3] = Dim::of(width);
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_roi_align(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &rois = ctx.need(1), &batches = ctx.need(2);
    if (x.dims.size() != 4) throw bad_input("input 0 is {}, need rank 4", to_string(x.dims));
    if (rois.dims.size() != 2 || rois.dims[1] != 4) throw bad_input("rois are {}, need [n,4]", to_string(rois.dims));
    if (batches.count() != rois.dims[0]) throw bad_input("{} batch indices, need {}, one per region", batches.count(), rois.dims[0]);
    const std::string mode = ctx.text("mode");
    if (mode != "avg" && mode != "max") throw bad_input("mode is \"{}\", need avg or max", mode);
    const int64_t out_height = ctx.integer("output_height"), out_width = ctx.integer("output_width");
    if (out_height < 1 || out_width < 1) throw bad_input("output is {} x {}, need at least 1", out_height, out_width);
    const int64_t height = x.dims[2], width = x.dims[3];
    if (height == 0 || width == 0) throw bad_input("input 0 is {}, which has no pixels", to_string(x.dims));
    const auto regions = to_floats(rois);
    const auto batch = to_ints(batches);
    const auto channels = static_cast<size_t>(x.dims[1]), plane = static_cast<size_t>(height * width);
    const auto bins = static_cast<size_t>(count_of(Dims{out_height, out_width}));
    with_arithmetic(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, {rois.dims[0], x.dims[1], out_height, out_width});
        for (size_t r = 0; r < batch.size(); ++r) {
            if (batch[r] < 0 || batch[r] >= x.dims[0]) throw bad_input("batch index {}, need one below the {} images", batch[r], x.dims[0]);
            const Region region = region_of(ctx, std::span(regions).subspan(r * 4, 4), out_height, out_width);
            const auto samples = samples_of(region, out_height, out_width, height, width);
            const size_t each = samples.size() / bins;
            for (size_t c = 0; c < channels; ++c) {
                const T* from = in.span().data() + (static_cast<size_t>(batch[r]) * channels + c) * plane;
                for (size_t b = 0; b < bins; ++b)
                    out[(r * channels + c) * bins + b] = pooled(std::span(samples).subspan(b * each, each), from, mode == "avg");
            }
        }
    });
}

void infer_non_max_suppression(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::i64, Shape::of_dims({Dim::unknown(), Dim::of(3)}))); }

void eval_non_max_suppression(EvalCtx& ctx) {
    const Tensor &boxes = ctx.need(0), &scores = ctx.need(1);
    if (boxes.dims.size() != 3 || boxes.dims[2] != 4) throw bad_input("boxes are {}, need [batch,n,4]", to_string(boxes.dims));
    if (scores.dims.size() != 3 || scores.dims[0] != boxes.dims[0] || scores.dims[2] != boxes.dims[1])
        throw bad_input("scores are {}, need [{},classes,{}]", to_string(scores.dims), boxes.dims[0], boxes.dims[1]);
    const Tensor* limit = ctx.in(2);
    if (limit && limit->count() != 1) throw bad_input("input 2 is {}, need one number", to_string(limit->dims));
    const int64_t max = limit ? to_ints(*limit)[0] : 0;
    const float iou = scalar_or(ctx, 3, 0), min = scalar_or(ctx, 4, 0);
    const bool center = ctx.integer("center_point_box") != 0;
    const auto corners = to_floats(boxes), points = to_floats(scores);
    const auto n = static_cast<size_t>(boxes.dims[1]), classes = static_cast<size_t>(scores.dims[1]);
    std::vector<int64_t> out;
    for (size_t b = 0; b < static_cast<size_t>(boxes.dims[0]) && max > 0; ++b) {
        std::vector<Box> here;
        for (size_t i = 0; i < n; ++i) here.push_back(box_at(&corners[(b * n + i) * 4], center));
        for (size_t c = 0; c < classes; ++c)
            for (const size_t i : kept_boxes(here, std::span(points).subspan((b * classes + c) * n, n), static_cast<size_t>(max), iou, min,
                                             ctx.in(4) != nullptr))
                out.insert(out.end(), {static_cast<int64_t>(b), static_cast<int64_t>(c), static_cast<int64_t>(i)});
    }
    ctx.give(0, Tensor::make<int64_t>({static_cast<int64_t>(out.size() / 3), 3}, out));
}

}  // namespace quern
