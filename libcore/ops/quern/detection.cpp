// Detection as TensorFlow Lite does it: boxes chosen by falling score, those that overlap a chosen one left out. quern's own rows, because
// ONNX's NonMaxSuppression neither weakens scores nor fills up its results.
#include <algorithm>
#include <array>
#include <numeric>
#include <queue>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

struct Corners {
    float y0, x0, y1, x1;
    float area() const { return (y1 - y0) * (x1 - x0); }
};

// Intersection over union; 0 if one of the boxes has no area.
float overlap(const Corners& a, const Corners& b) {
    if (a.area() <= 0 || b.area() <= 0) return 0;
    const float height = std::max(std::min(a.y1, b.y1) - std::max(a.y0, b.y0), 0.0f);
    const float width = std::max(std::min(a.x1, b.x1) - std::max(a.x0, b.x0), 0.0f);
    const float common = height * width;
    return common / (a.area() + b.area() - common);
}

float one_float(EvalCtx& ctx, size_t at) {
    if (ctx.need(at).count() != 1) throw bad_input("input {} is {}, need one number", at, to_string(ctx.need(at).dims));
    return to_floats(ctx.need(at))[0];
}

// ---- SoftNonMaxSuppression ---------------------------------------------------------------------------------------------

struct Candidate {
    float score;
    size_t box;
    size_t seen;  // chosen boxes that it has been compared with
    bool operator<(const Candidate& other) const { return score != other.score ? score < other.score : box > other.box; }
};

struct Choice {
    size_t box;
    float score;
};

// Bodla et al., "Soft-NMS" (2017): a box that overlaps a chosen one by less than `iou` loses score by a Gaussian of width `sigma` (0: it
// loses none) and queues again.
std::vector<Choice> chosen_boxes(std::span<const Corners> boxes, std::span<const float> scores, size_t max, float iou, float min,
                                 float sigma) {
    std::priority_queue<Candidate> queue;
    for (size_t i = 0; i < boxes.size(); ++i)
        if (scores[i] > min) queue.push({scores[i], i, 0});
    std::vector<Choice> chosen;
    while (chosen.size() < max && !queue.empty()) {
        Candidate next = queue.top();
        queue.pop();
        const float before = next.score;
        bool out = false;
        for (size_t k = chosen.size(); k-- > next.seen && !out;) {
            const float common = overlap(boxes[next.box], boxes[chosen[k].box]);
            out = common >= iou;
            if (out) break;
            if (sigma > 0) next.score *= portable::exp(-0.5f / sigma * common * common);
            if (next.score <= min) break;
        }
        next.seen = chosen.size();
        if (out) continue;
        if (next.score == before)
            chosen.push_back({next.box, next.score});
        else if (next.score > min)
            queue.push(next);
    }
    return chosen;
}

void infer_soft_nms(InferCtx& ctx) {
    const Tensor* max = ctx.constant(2);
    const bool known = max && max->count() == 1;
    const Shape shape = Shape::of_dims({known ? Dim::of(to_ints(*max)[0]) : Dim::unknown()});
    if (known && to_ints(*max)[0] < 0) throw bad_input("input 2 is {}, need 0 or more", to_ints(*max)[0]);
    ctx.set(0, Type::tensor(DType::i32, shape));
    ctx.set(1, Type::tensor(DType::f32, shape));
    ctx.set(2, Type::tensor(DType::i32, Shape::of_dims({})));
}

void eval_soft_nms(EvalCtx& ctx) {
    const Tensor &boxes = ctx.need(0), &scores = ctx.need(1);
    if (boxes.dims.size() != 2 || boxes.dims[1] != 4 || scores.dims != Dims{boxes.dims[0]})
        throw bad_input("boxes are {} and scores {}, need [n,4] and [n]", to_string(boxes.dims), to_string(scores.dims));
    if (ctx.need(2).count() != 1) throw bad_input("input 2 is {}, need one number", to_string(ctx.need(2).dims));
    const int64_t max = to_ints(ctx.need(2))[0];
    if (max < 0 || max > INT32_MAX) throw bad_input("input 2 is {}, need 0 to {}", max, INT32_MAX);
    const auto items = to_floats(boxes), points = to_floats(scores);
    std::vector<Corners> corners;
    for (size_t i = 0; i < points.size(); ++i) {
        const float* b = &items[4 * i];
        corners.push_back({std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])});
    }
    const auto chosen =
        chosen_boxes(corners, points, static_cast<size_t>(max), one_float(ctx, 3), one_float(ctx, 4), ctx.in(5) ? one_float(ctx, 5) : 0.0f);
    const auto places = ctx.out_as<int32_t>(0, {max});
    std::ranges::fill(places, 0);
    for (size_t i = 0; i < chosen.size(); ++i) places[i] = static_cast<int32_t>(chosen[i].box);
    if (ctx.wants(1)) {
        const auto kept = ctx.out_as<float>(1, {max});
        std::ranges::fill(kept, 0.0f);
        for (size_t i = 0; i < chosen.size(); ++i) kept[i] = chosen[i].score;
    }
    if (ctx.wants(2)) ctx.out_as<int32_t>(2, {})[0] = static_cast<int32_t>(chosen.size());
}

// ---- DetectionPostProcess ----------------------------------------------------------------------------------------------

struct Detection {
    size_t box;
    int64_t label;
    float score;
};

class Detector {
   public:
    explicit Detector(EvalCtx& ctx) : ctx_(ctx), scores_(to_floats(ctx.need(1))) {
        const Dims &boxes = ctx.need(0).dims, &scores = ctx.need(1).dims, &anchors = ctx.need(2).dims;
        if (boxes.size() != 3 || boxes[0] != 1 || boxes[2] < 4 || scores.size() != 3 || scores[0] != 1 || scores[1] != boxes[1] ||
            anchors != Dims{boxes[1], 4})
            throw bad_input("boxes {}, scores {} and anchors {} do not belong together", to_string(boxes), to_string(scores),
                            to_string(anchors));
        n_ = static_cast<size_t>(boxes[1]);
        columns_ = scores[2];
        classes_ = ctx.integer("num_classes");
        max_ = ctx.integer("max_detections");
        per_box_ = ctx.integer("max_classes_per_detection");
        if (classes_ < 1 || classes_ > columns_ || max_ < 0 || per_box_ < 1 || ctx.integer("detections_per_class") < 0)
            throw bad_input("{} classes of {}, {} detections with {} classes", classes_, columns_, max_, per_box_);
        decode(static_cast<size_t>(boxes[2]));
    }

    void run() {
        const bool by_class = ctx_.integer("use_regular_nms") != 0;
        const auto found = by_class ? of_each_class() : of_all_classes();
        const int64_t rows = by_class ? max_ : count_of(Dims{max_, per_box_});
        check_size(DType::f32, Dims{1, rows, 4});
        const auto corners = ctx_.out_as<float>(0, {1, rows, 4});
        std::ranges::fill(corners, 0.0f);
        for (size_t i = 0; i < found.size(); ++i) {
            const Corners& c = boxes_[found[i].box];
            std::ranges::copy(std::array{c.y0, c.x0, c.y1, c.x1}, corners.begin() + static_cast<std::ptrdiff_t>(4 * i));
        }
        const auto column = [&](size_t out, const auto& item) {
            if (!ctx_.wants(out)) return;
            const auto items = ctx_.out_as<float>(out, {1, rows});
            std::ranges::fill(items, 0.0f);
            for (size_t i = 0; i < found.size(); ++i) items[i] = item(found[i]);
        };
        column(1, [](const Detection& d) { return static_cast<float>(d.label); });
        column(2, [](const Detection& d) { return d.score; });
        if (ctx_.wants(3)) ctx_.out_as<float>(3, {1})[0] = static_cast<float>(by_class ? found.size() : kept_);
    }

   private:
    // Offsets from the anchors, which are given by centre and size.
    void decode(size_t width) {
        const auto codes = to_floats(ctx_.need(0)), anchors = to_floats(ctx_.need(2));
        const float y = ctx_.real("y_scale"), x = ctx_.real("x_scale"), h = ctx_.real("h_scale"), w = ctx_.real("w_scale");
        for (size_t i = 0; i < n_; ++i) {
            const float *c = &codes[i * width], *a = &anchors[4 * i];
            const float row = c[0] / y * a[2] + a[0], column = c[1] / x * a[3] + a[1];
            const float high = 0.5f * portable::exp(c[2] / h) * a[2], wide = 0.5f * portable::exp(c[3] / w) * a[3];
            boxes_.push_back({row - high, column - wide, row + high, column + wide});
        }
    }

    float score(size_t box, int64_t label) const {
        return scores_[box * static_cast<size_t>(columns_) + static_cast<size_t>(columns_ - classes_ + label)];
    }

    std::vector<size_t> kept(std::span<const float> scores, size_t max) const {
        const float min = ctx_.real("nms_score_threshold"), iou = ctx_.real("nms_iou_threshold");
        std::vector<size_t> order, out;
        for (size_t i = 0; i < n_; ++i)
            if (scores[i] >= min) order.push_back(i);
        std::ranges::stable_sort(order, [&](size_t a, size_t b) { return scores[a] > scores[b]; });
        for (const size_t i : order) {
            if (out.size() >= max) break;
            if (std::ranges::none_of(out, [&](size_t k) { return overlap(boxes_[k], boxes_[i]) > iou; })) out.push_back(i);
        }
        return out;
    }

    std::vector<Detection> of_each_class() const {
        std::vector<Detection> found;
        std::vector<float> own(n_);
        for (int64_t label = 0; label < classes_; ++label) {
            for (size_t i = 0; i < n_; ++i) own[i] = score(i, label);
            for (const size_t i : kept(own, static_cast<size_t>(ctx_.integer("detections_per_class")))) found.push_back({i, label, own[i]});
            std::ranges::stable_sort(found, [](const Detection& a, const Detection& b) { return a.score > b.score; });
            if (found.size() > static_cast<size_t>(max_)) found.resize(static_cast<size_t>(max_));
        }
        return found;
    }

    // Boxes compete by their best class; each gives its `per_box` best classes.
    std::vector<Detection> of_all_classes() {
        const auto each = static_cast<size_t>(std::min(per_box_, classes_));
        std::vector<float> best(n_);
        std::vector<int64_t> labels(static_cast<size_t>(classes_));
        for (size_t i = 0; i < n_; ++i) {
            best[i] = score(i, 0);
            for (int64_t label = 1; label < classes_; ++label) best[i] = std::max(best[i], score(i, label));
        }
        const auto boxes = kept(best, static_cast<size_t>(max_));
        kept_ = boxes.size();
        std::vector<Detection> found;
        for (const size_t i : boxes) {
            std::iota(labels.begin(), labels.end(), 0);
            std::ranges::stable_sort(labels, [&](int64_t a, int64_t b) { return score(i, a) > score(i, b); });
            for (size_t k = 0; k < static_cast<size_t>(per_box_); ++k)
                found.push_back(k < each ? Detection{i, labels[k], score(i, labels[k])} : Detection{i, 0, 0});
        }
        return found;
    }

    EvalCtx& ctx_;
    std::vector<float> scores_;
    std::vector<Corners> boxes_;
    size_t n_ = 0, kept_ = 0;
    int64_t columns_ = 0, classes_ = 0, max_ = 0, per_box_ = 0;
};

void infer_detection(InferCtx& ctx) {
    const int64_t max = ctx.integer("max_detections"), each = ctx.integer("max_classes_per_detection");
    if (max < 0 || each < 1) throw bad_input("{} detections with {} classes, need 0 or more with at least 1", max, each);
    const Dim rows = checked_dim(Dim::of(ctx.integer("use_regular_nms") != 0 ? max : count_of(Dims{max, each})));
    ctx.set(0, Type::tensor(DType::f32, Shape::of_dims({Dim::of(1), rows, Dim::of(4)})));
    for (const size_t i : {1, 2}) ctx.set(i, Type::tensor(DType::f32, Shape::of_dims({Dim::of(1), rows})));
    ctx.set(3, Type::tensor(DType::f32, Shape::of_dims({Dim::of(1)})));
}

void eval_detection(EvalCtx& ctx) { Detector(ctx).run(); }

constexpr std::array detection_attrs{
    AttrDef{"detections_per_class", AttrKind::integer, "100"},
    AttrDef{"h_scale", AttrKind::real, {}, true},
    AttrDef{"max_classes_per_detection", AttrKind::integer, {}, true},
    AttrDef{"max_detections", AttrKind::integer, {}, true},
    AttrDef{"nms_iou_threshold", AttrKind::real, {}, true},
    AttrDef{"nms_score_threshold", AttrKind::real, {}, true},
    AttrDef{"num_classes", AttrKind::integer, {}, true},
    AttrDef{"use_regular_nms", AttrKind::integer, "0"},
    AttrDef{"w_scale", AttrKind::real, {}, true},
    AttrDef{"x_scale", AttrKind::real, {}, true},
    AttrDef{"y_scale", AttrKind::real, {}, true},
};

constexpr std::array detection_table{
    Op{.name = "SoftNonMaxSuppression",
       .domain = "quern",
       .in = {5, 6},
       .out = {1, 3},
       .types = DType::f32,
       .infer = infer_soft_nms,
       .eval = eval_soft_nms,
       .cost = cost_elementwise,
       .doc = "best boxes of one class, overlapping ones left out or weakened (TFLite)"},
    Op{.name = "DetectionPostProcess",
       .domain = "quern",
       .in = {3, 3},
       .out = {1, 4},
       .attrs = detection_attrs,
       .types = DType::f32,
       .infer = infer_detection,
       .eval = eval_detection,
       .cost = cost_elementwise,
       .doc = "boxes from anchors, and the best of them (TFLite)"},
};

}  // namespace

std::span<const Op> detection_ops() { return detection_table; }

}  // namespace quern
