// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <array>
#include <optional>

#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

enum class Reduction : uint8_t { none, sum, mean };

Reduction reduction_of(const NodeView& node) {
    const std::string name = node.text("reduction");
    if (name == "none") return Reduction::none;
    if (name == "sum") return Reduction::sum;
    if (name == "mean") return Reduction::mean;
    throw bad_input("attribute \"reduction\" is \"{}\", need none, sum or mean", name);
}

void infer_loss(InferCtx& ctx) {
    const Shape target = reduction_of(ctx) == Reduction::none ? ctx.shape(1) : Shape::of_rank(0);
    ctx.set(0, Type::tensor(ctx.dtype(0), target));
    ctx.set(1, ctx.in(0));
}

// Scores [N, C, positions...] and one class a position.
struct Targets {
    int64_t batch, classes, positions;
    std::vector<int64_t> labels;
    std::optional<int64_t> ignored;

    Targets(EvalCtx& ctx) : labels(to_ints(ctx.need(1))) {
        const Dims& dims = ctx.need(0).dims;
        if (dims.size() < 2) throw bad_input("input 0 is {}, need rank 2 or more", to_string(dims));
        Dims want = dims;
        want.erase(want.begin() + 1);
        if (ctx.need(1).dims != want) throw bad_input("input 1 is {}, need {}", to_string(ctx.need(1).dims), to_string(want));
        batch = dims[0];
        classes = dims[1];
        positions = count_of(space_of(dims));
        if (ctx.has("ignore_index")) ignored = ctx.integer("ignore_index");
        for (const int64_t label : labels)
            if (label != ignored && (label < 0 || label >= classes)) throw bad_input("class {} is outside of 0..{}", label, classes - 1);
    }
};

// Gives the reduced losses of log-probabilities.
template <class T>
void give_loss(EvalCtx& ctx, const Targets& targets, std::span<const T> log_probabilities) {
    const Reduction reduction = reduction_of(ctx);
    std::optional<Numbers<double>> weights;
    if (ctx.in(2)) {
        if (ctx.in(2)->count() != targets.classes) throw bad_input("input 2 has {} weights, need {}", ctx.in(2)->count(), targets.classes);
        weights.emplace(*ctx.in(2));
    }
    std::vector<T> losses(targets.labels.size(), T{0});
    double sum = 0, weight_sum = 0;
    for (size_t i = 0; i < losses.size(); ++i) {
        const int64_t label = targets.labels[i], at = static_cast<int64_t>(i);
        if (label == targets.ignored) continue;
        const double weight = weights ? (*weights)[static_cast<size_t>(label)] : 1;
        const int64_t n = at / targets.positions, position = at % targets.positions;
        const T item = log_probabilities[static_cast<size_t>((n * targets.classes + label) * targets.positions + position)];
        losses[i] = static_cast<T>(-item * weight);
        sum -= item * weight;
        weight_sum += weight;
    }
    if (!ctx.wants(0)) return;
    NumbersOut<T> out(ctx, 0, ctx.need(0).dtype, reduction == Reduction::none ? ctx.need(1).dims : Dims{});
    if (reduction == Reduction::none)
        std::copy(losses.begin(), losses.end(), out.span().begin());
    else
        out[0] = static_cast<T>(reduction == Reduction::sum ? sum : sum / weight_sum);
}

void eval_nll(EvalCtx& ctx) {
    const Targets targets(ctx);
    with_float(ctx.need(0).dtype, [&](auto zero) {
        using T = decltype(zero);
        give_loss<T>(ctx, targets, Numbers<T>(ctx.need(0)).span());
    });
}

// x - log(sum(exp(x))) along axis 1.
template <class T>
std::vector<T> log_softmax(const Targets& targets, std::span<const T> x) {
    std::vector<T> out(x.size());
    for (int64_t n = 0; n < targets.batch; ++n)
        for (int64_t p = 0; p < targets.positions; ++p) {
            const auto at = [&](int64_t c) { return static_cast<size_t>((n * targets.classes + c) * targets.positions + p); };
            if (targets.classes == 0) continue;
            T max = x[at(0)], sum = 0;
            for (int64_t c = 1; c < targets.classes; ++c) max = std::max(max, x[at(c)]);
            for (int64_t c = 0; c < targets.classes; ++c) sum += portable::exp(x[at(c)] - max);
            const T shift = portable::log(sum);
            for (int64_t c = 0; c < targets.classes; ++c) out[at(c)] = x[at(c)] - max - shift;
        }
    return out;
}

void eval_cross_entropy(EvalCtx& ctx) {
    const Targets targets(ctx);
    const Tensor& scores = ctx.need(0);
    with_float(scores.dtype, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<T> logs = log_softmax<T>(targets, Numbers<T>(scores).span());
        give_loss<T>(ctx, targets, logs);
        if (!ctx.wants(1)) return;
        NumbersOut<T> out(ctx, 1, scores.dtype, scores.dims);
        std::copy(logs.begin(), logs.end(), out.span().begin());
    });
}

Cost loss_cost(const CostCtx& ctx) { return {elements(ctx.in[0]), moved_bytes(ctx)}; }

constexpr std::array loss_attrs{AttrDef{"ignore_index", AttrKind::integer}, AttrDef{"reduction", AttrKind::text, "mean"}};

constexpr std::array loss_table{
    plain("NegativeLogLikelihoodLoss", {2, 3}, loss_attrs, dtypes::floats, infer_loss, eval_nll,
          "weighted negative log-likelihood of the target classes", loss_cost),
    Op{.name = "SoftmaxCrossEntropyLoss",
       .in = {2, 3},
       .out = {1, 2},
       .attrs = loss_attrs,
       .types = dtypes::floats,
       .infer = infer_loss,
       .eval = eval_cross_entropy,
       .cost = loss_cost,
       .doc = "cross entropy of softmax scores and target classes"},
};

}  // namespace

std::span<const Op> loss_ops() { return loss_table; }

}  // namespace quern
