// ai.onnx.ml: TreeEnsemble TreeEnsembleRegressor TreeEnsembleClassifier. Where the standard is silent (of two classes one alone has
// scores), as onnxruntime's CPU kernels have it; of two classes that both have scores the greater is the label, for which those give 1.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "libcore/ops/ml/forest.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

enum class Aggregate : uint8_t { average, sum, min, max };
enum class Transform : uint8_t { none, softmax, logistic, softmax_zero, probit };

template <class Kind, size_t count>
Kind named(const std::array<std::string_view, count>& names, std::string_view name, std::string_view what) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw bad_input("{} is \"{}\"", what, name);
    return static_cast<Kind>(found - names.begin());
}

Transform transform_of(const NodeView& view) {
    constexpr std::array<std::string_view, 5> names{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    return named<Transform>(names, view.text("post_transform"), "post_transform");
}

// Of a target that no leaf has spoken of `has` is false.
struct Score {
    double sum = 0;
    bool has = false;
};
using Scores = std::vector<Score>;

void add(Score& to, double weight, Aggregate how) {
    if (!to.has || how == Aggregate::average || how == Aggregate::sum)
        to.sum += weight;
    else
        to.sum = how == Aggregate::min ? std::min(to.sum, weight) : std::max(to.sum, weight);
    to.has = true;
}

Scores scores_of(const Forest& forest, std::span<const double> features, Aggregate how) {
    Scores scores(forest.targets);
    for (const size_t root : forest.roots)
        for (const auto& [target, weight] : forest.leaf(root, features).weights) add(scores[target], weight, how);
    if (how == Aggregate::average)
        for (Score& score : scores) score.sum /= static_cast<double>(std::max<size_t>(forest.roots.size(), 1));
    return scores;
}

// ---- what is made of the sums ------------------------------------------------------------------------------------------

float logistic(float x) {
    const float v = 1 / (1 + portable::exp(-std::abs(x)));
    return x < 0 ? 1 - v : v;
}

// The inverse of the normal distribution, by Winitzki's approximation of the inverse error function.
float probit(float p) {
    float x = 2 * p - 1;
    const float sign = x < 0 ? -1.0f : 1.0f;
    x = (1 - x) * (1 + x);
    const float log = portable::log(x), v = 2 / (std::numbers::pi_v<float> * 0.147f) + 0.5f * log, w = 1 / 0.147f * log;
    return 1.41421356f * (sign * std::sqrt(std::sqrt(v * v - w) - v));
}

// Of SOFTMAX_ZERO, zeros stay and do not count.
void softmax(std::span<float> scores, bool zeros_stay) {
    float max = -std::numeric_limits<float>::infinity(), sum = 0;
    for (const float score : scores) max = std::max(max, score);
    for (float& score : scores) {
        if (zeros_stay && std::abs(score) <= 1e-7f) {
            score *= portable::exp(-max);
            continue;
        }
        score = portable::exp(score - max);
        sum += score;
    }
    for (float& score : scores) score /= sum;
}

void transform(std::span<float> scores, Transform how) {
    if (how == Transform::softmax || how == Transform::softmax_zero) return softmax(scores, how == Transform::softmax_zero);
    for (float& score : scores) {
        if (how == Transform::logistic) score = logistic(score);
        if (how == Transform::probit) score = probit(score);
    }
}

// ---- the samples ---------------------------------------------------------------------------------------------------------

struct Samples {
    explicit Samples(const Tensor& x) : numbers(to_doubles(x)), count(x.dims.size() == 2 ? static_cast<size_t>(x.dims[0]) : 1) {
        if (x.dims.empty() || x.dims.size() > 2) throw bad_input("input 0 is {}, need [N,F]", to_string(x.dims));
        width = static_cast<size_t>(x.dims.back());
    }
    std::span<const double> operator[](size_t i) const { return std::span(numbers).subspan(i * width, width); }

    std::vector<double> numbers;
    size_t count, width = 0;
};

Shape scores_shape(InferCtx& ctx, int64_t width) {
    const Shape& x = ctx.shape(0);
    Shape shape = Shape::of_rank(2);
    if (x.ranked) shape.dims[0] = x.rank() == 2 ? x.dims[0] : Dim::of(1);
    shape.dims[1] = Dim::of(width);
    return shape;
}

void give_sums(EvalCtx& ctx, const Forest& forest, Aggregate how, Transform after, const std::vector<double>& base, DType dtype) {
    const Samples samples(ctx.need(0));
    if (!base.empty() && base.size() != forest.targets) throw bad_input("has {} base values, need {}", base.size(), forest.targets);
    NumbersOut<double> out(ctx, 0, dtype, {static_cast<int64_t>(samples.count), static_cast<int64_t>(forest.targets)});
    for (size_t i = 0; i < samples.count; ++i) {
        const Scores scores = scores_of(forest, samples[i], how);
        const auto row = out.span().subspan(i * forest.targets, forest.targets);
        for (size_t t = 0; t < forest.targets; ++t) row[t] = scores[t].sum + (base.empty() ? 0 : base[t]);
        if (after == Transform::none) continue;
        std::vector<float> numbers(row.begin(), row.end());
        transform(numbers, after);
        std::ranges::copy(numbers, row.begin());
    }
}

// ---- TreeEnsemble, TreeEnsembleRegressor -----------------------------------------------------------------------------------

void infer_ensemble(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), scores_shape(ctx, ctx.integer("n_targets")))); }

void eval_ensemble(EvalCtx& ctx) {
    const auto kind = [&](const char* name, int64_t end) {
        const int64_t number = ctx.integer(name);
        if (number < 0 || number >= end) throw bad_input("{} is {}, need 0 to {}", name, number, end - 1);
        return number;
    };
    give_sums(ctx, forest_of_ensemble(ctx), static_cast<Aggregate>(kind("aggregate_function", 4)),
              static_cast<Transform>(kind("post_transform", 5)), {}, ctx.need(0).dtype);
}

void infer_regressor(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::f32, scores_shape(ctx, ctx.integer("n_targets")))); }

void eval_regressor(EvalCtx& ctx) {
    constexpr std::array<std::string_view, 4> names{"AVERAGE", "SUM", "MIN", "MAX"};
    const auto how = named<Aggregate>(names, ctx.text("aggregate_function"), "aggregate_function");
    give_sums(ctx, forest_of_regressor(ctx), how, transform_of(ctx), reals_of(ctx, "base_values"), DType::f32);
}

// ---- TreeEnsembleClassifier --------------------------------------------------------------------------------------------------

struct Classes {
    explicit Classes(const NodeView& view) : texts(view.texts("classlabels_strings")), numbers(view.integers("classlabels_int64s")) {
        if (texts.empty() == numbers.empty()) throw bad_input("need either classlabels_strings or classlabels_int64s");
    }
    size_t count() const { return texts.empty() ? numbers.size() : texts.size(); }
    DType dtype() const { return texts.empty() ? DType::i64 : DType::string; }

    std::vector<std::string> texts;
    std::vector<int64_t> numbers;
};

void infer_classifier(InferCtx& ctx) {
    const Classes classes(ctx);
    const Shape scores = scores_shape(ctx, static_cast<int64_t>(classes.count()));
    Shape labels = Shape::of_rank(1);
    labels.dims[0] = scores.dims[0];
    ctx.set(0, Type::tensor(classes.dtype(), std::move(labels)));
    if (ctx.out_count() > 1) ctx.set(1, Type::tensor(DType::f32, scores));
}

class Classifier {
   public:
    explicit Classifier(EvalCtx& ctx)
        : ctx_(ctx), classes_(ctx), forest_(forest_of_classifier(ctx, classes_.count())), base_(reals_of(ctx, "base_values")) {
        std::set<size_t> spoken_of;
        for (const TreeNode& node : forest_.nodes)
            for (const auto& [target, weight] : node.weights) {
                spoken_of.insert(target);
                positive_ = positive_ && weight >= 0;
            }
        one_of_two_ = classes_.count() == 2 && spoken_of.size() == 1;
        if (one_of_two_) spoken_of_ = *spoken_of.begin();
    }

    void run() {
        const Samples samples(ctx_.need(0));
        const size_t width = classes_.count();
        std::vector<float> scores(samples.count * width);
        std::vector<size_t> labels;
        for (size_t i = 0; i < samples.count; ++i)
            labels.push_back(sample(scores_of(forest_, samples[i], Aggregate::sum), std::span(scores).subspan(i * width, width)));
        give_labels(labels);
        if (ctx_.out_count() > 1 && ctx_.wants(1))
            ctx_.give(1, from_floats(DType::f32, {static_cast<int64_t>(samples.count), static_cast<int64_t>(width)}, scores));
    }

   private:
    // The label, and the scores of all classes.
    size_t sample(Scores sums, std::span<float> out) const {
        if (one_of_two_) return two(sums, out);
        if (!base_.empty() && base_.size() != sums.size()) throw bad_input("has {} base values, need {}", base_.size(), sums.size());
        size_t best = 0;
        for (size_t i = 0; i < sums.size(); ++i) {
            if (!base_.empty()) sums[i].sum += base_[i];
            if (sums[i].sum > sums[best].sum) best = i;
            out[i] = static_cast<float>(sums[i].sum);
        }
        transform(out, transform_of(ctx_));
        return best;
    }

    // One of two classes alone has scores: what they say of the other one follows.
    size_t two(const Scores& sums, std::span<float> out) const {
        if (!base_.empty()) throw unsupported("base values where one of two classes has scores");
        const size_t label = sums[spoken_of_].sum > (positive_ ? 0.5 : 0.0);
        const Transform after = transform_of(ctx_);
        out[0] = static_cast<float>(sums[0].sum);
        out[1] = static_cast<float>(sums[1].sum);
        if (spoken_of_ == 1) {
            transform(out, after);
        } else if (after == Transform::probit) {
            out[0] = probit(out[0]);
        } else if (after == Transform::logistic) {
            out[1] = logistic(out[0]);
            out[0] = logistic(-out[0]);
        } else {
            out[1] = out[0];
            out[0] = positive_ ? 1 - out[0] : -out[0];
        }
        return label;
    }

    void give_labels(const std::vector<size_t>& labels) const {
        const Dims dims{static_cast<int64_t>(labels.size())};
        if (classes_.dtype() == DType::string) {
            std::vector<std::string> items;
            for (const size_t label : labels) items.push_back(classes_.texts[label]);
            return ctx_.give(0, Tensor::strings(dims, items));
        }
        const auto out = ctx_.out_as<int64_t>(0, dims);
        for (size_t i = 0; i < labels.size(); ++i) out[i] = classes_.numbers[labels[i]];
    }

    EvalCtx& ctx_;
    Classes classes_;
    Forest forest_;
    std::vector<double> base_;
    bool positive_ = true, one_of_two_ = false;
    size_t spoken_of_ = 0;  // of one_of_two_: the class that has scores
};

void eval_classifier(EvalCtx& ctx) { Classifier(ctx).run(); }

// ---- rows ------------------------------------------------------------------------------------------------------------------

constexpr AttrDef false_nodes{"nodes_falsenodeids", AttrKind::integers}, features{"nodes_featureids", AttrKind::integers},
    missing{"nodes_missing_value_tracks_true", AttrKind::integers}, true_nodes{"nodes_truenodeids", AttrKind::integers};

constexpr std::array ensemble_attrs{
    AttrDef{"aggregate_function", AttrKind::integer, "1"},
    AttrDef{"leaf_targetids", AttrKind::integers, "", true},
    AttrDef{"leaf_weights", AttrKind::tensor, "", true},
    AttrDef{"membership_values", AttrKind::tensor},
    AttrDef{"n_targets", AttrKind::integer, "", true},
    AttrDef{"nodes_falseleafs", AttrKind::integers, "", true},
    false_nodes,
    features,
    AttrDef{"nodes_hitrates", AttrKind::tensor},
    missing,
    AttrDef{"nodes_modes", AttrKind::tensor, "", true},
    AttrDef{"nodes_splits", AttrKind::tensor, "", true},
    AttrDef{"nodes_trueleafs", AttrKind::integers, "", true},
    true_nodes,
    AttrDef{"post_transform", AttrKind::integer, "0"},
    AttrDef{"tree_roots", AttrKind::integers, "", true},
};

// Of the elder two, behind what each has of its own.
template <size_t count>
constexpr auto with_nodes(const std::array<AttrDef, count>& own) {
    constexpr std::array nodes{
        AttrDef{"base_values", AttrKind::reals},
        AttrDef{"base_values_as_tensor", AttrKind::tensor},
        false_nodes,
        features,
        AttrDef{"nodes_hitrates", AttrKind::reals},
        AttrDef{"nodes_hitrates_as_tensor", AttrKind::tensor},
        missing,
        AttrDef{"nodes_modes", AttrKind::texts},
        AttrDef{"nodes_nodeids", AttrKind::integers},
        AttrDef{"nodes_treeids", AttrKind::integers},
        true_nodes,
        AttrDef{"nodes_values", AttrKind::reals},
        AttrDef{"nodes_values_as_tensor", AttrKind::tensor},
        AttrDef{"post_transform", AttrKind::text, "NONE"},
    };
    std::array<AttrDef, count + nodes.size()> all{};
    std::ranges::copy(nodes, std::ranges::copy(own, all.begin()).out);
    return all;
}

constexpr auto regressor_attrs = with_nodes(std::array{
    AttrDef{"aggregate_function", AttrKind::text, "SUM"},
    AttrDef{"n_targets", AttrKind::integer, "", true},
    AttrDef{"target_ids", AttrKind::integers},
    AttrDef{"target_nodeids", AttrKind::integers},
    AttrDef{"target_treeids", AttrKind::integers},
    AttrDef{"target_weights", AttrKind::reals},
    AttrDef{"target_weights_as_tensor", AttrKind::tensor},
});

constexpr auto classifier_attrs = with_nodes(std::array{
    AttrDef{"class_ids", AttrKind::integers},
    AttrDef{"class_nodeids", AttrKind::integers},
    AttrDef{"class_treeids", AttrKind::integers},
    AttrDef{"class_weights", AttrKind::reals},
    AttrDef{"class_weights_as_tensor", AttrKind::tensor},
    AttrDef{"classlabels_int64s", AttrKind::integers},
    AttrDef{"classlabels_strings", AttrKind::texts},
});

constexpr Op tree_op(std::string_view name, std::span<const AttrDef> attrs, uint8_t max_out, DTypes types, void (*infer)(InferCtx&),
                     void (*eval)(EvalCtx&), std::string_view doc) {
    return {.name = name,
            .domain = "ai.onnx.ml",
            .out = {1, max_out},
            .attrs = attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .doc = doc};
}

constexpr DTypes any_number = DType::f32 | DType::f64 | DType::i32 | DType::i64;
constexpr std::array trees_table{
    tree_op("TreeEnsemble", ensemble_attrs, 1, DType::f16 | DType::f32 | DType::f64, infer_ensemble, eval_ensemble,
            "sums over the leaves of decision trees"),
    tree_op("TreeEnsembleClassifier", classifier_attrs, 2, any_number, infer_classifier, eval_classifier,
            "labels and scores by decision trees"),
    tree_op("TreeEnsembleRegressor", regressor_attrs, 1, any_number, infer_regressor, eval_regressor, "numbers by decision trees"),
};

}  // namespace

std::span<const Op> ml_tree_ops() { return trees_table; }

}  // namespace quern
