#include "libcore/quant/plan/spell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/passes/affine.h"
#include "libcore/passes/shared.h"
#include "libcore/quant/plan/joined.h"
#include "libcore/quant/plan/norm_parts.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

using Curve = std::function<float(float)>;

// What `curve`, which does not fall, makes of numbers that were seen; those of a bin are taken at its middle.
ValueRange through(const ValueRange& seen, const Curve& curve) {
    ValueRange made;
    made.min = curve(seen.min);
    made.max = curve(seen.max);
    made.count = seen.count;
    made.runs_left_out = seen.runs_left_out;
    for (const auto& [bin, count] : seen.histogram.bins) {
        const auto [first, second] = Histogram::edges(bin);
        made.histogram.bins[Histogram::bin_of(curve(std::clamp(first + (second - first) / 2, seen.min, seen.max)))] += count;
    }
    for (const auto& [sample, extremes] : seen.runs) made.runs[sample] = {curve(extremes.first), curve(extremes.second)};
    return made;
}

class Speller {
   public:
    Speller(Graph& graph, const std::string& path, Ranges& ranges, const QuantWork& work)
        : graph_(graph), path_(path), ranges_(ranges), work_(work) {}

    bool run(NodeId id) {
        for (const Row& row : rows) {
            const Node& node = graph_.node(id);
            if (!node.is(row.op) || (row.only_16_bits && bits_of(work_.request.scheme->activation) != 16) || !wanted(node)) continue;
            id_ = id;
            result_ = node.out[0];
            return (this->*row.spell)();
        }
        return false;
    }

   private:
    struct Row {
        OpId op;
        bool (Speller::*spell)();
        bool only_16_bits;
    };
    static const std::array<Row, 8> rows;

    const ValueRange* seen(ValueId id) const {
        const auto found = ranges_.values.find(path_ + graph_.value(id).name);
        return found == ranges_.values.end() ? nullptr : &found->second;
    }

    // Is it to be on codes, as far as can be known before the plan?
    bool wanted(const Node& node) const {
        const Value& result = graph_.value(node.out[0]);
        return !result.enc && result.type.dtype == DType::f32 && seen(node.in[0]) && !kept_from_codes(node, path_, work_);
    }

    ValueId constant(std::string_view what, float number) {
        return graph_.add_constant(graph_.value(result_).name + "/" + std::string(what), Tensor::scalar(number));
    }

    // A part before the last; what it holds is `curve` of what the operand `x` holds.
    ValueId part(std::string_view what, OpId op, std::vector<ValueId> in, ValueId x, const Curve& curve) {
        const Value& result = graph_.value(result_);
        const std::string name = graph_.unique_name(result.name + "/" + std::string(what));
        const ValueId made = graph_.add_value(name, result.type);
        const std::string node = graph_.unique_node_name(graph_.node(id_).name + "/" + std::string(what));
        const NodeId added = graph_.add_node(need_op(op), node, std::move(in), {made}, {}, id_);
        graph_.node(added).scope = graph_.node(id_).scope;
        graph_.node(added).device = graph_.node(id_).device;
        if (const ValueRange* before = seen(x)) ranges_.values.emplace(path_ + name, through(*before, curve));
        return made;
    }

    // min(max(x + shift, 0), top)
    ValueId limited(ValueId x, float shift, float top) {
        const ValueId raised = part("raised", ops::Add, {x, constant("shift", shift)}, x, [=](float v) { return v + shift; });
        return part("limited", ops::Clip, {raised, constant("low", 0), constant("top", top)}, x,
                    [=](float v) { return std::min(std::max(v + shift, 0.0f), top); });
    }

    // max(0, min(1, alpha x + beta)) = limited(x + beta / alpha) * alpha
    bool hard_sigmoid() {
        const NodeView view(graph_.node(id_));
        const float alpha = view.real("alpha"), beta = view.real("beta");
        if (!(alpha > 0)) return false;
        const auto whole = [](float x) { return std::abs(x - std::round(x)) < 1e-4f ? std::round(x) : x; };  // alpha is a rounded 1/6
        const float top = whole(1 / alpha);
        const ValueId bounded = limited(graph_.node(id_).in[0], whole(beta / alpha), top);
        take_over(graph_, result_, need_op(ops::Mul), {bounded, constant("scale", 1 / top)});
        return true;
    }

    bool hard_swish() {
        const ValueId x = graph_.node(id_).in[0];
        const ValueId bounded = limited(x, 3, 6);
        const ValueId gate = part("gate", ops::Mul, {bounded, constant("scale", 1.0f / 6)}, x,
                                  [](float v) { return std::min(std::max(v + 3, 0.0f), 6.0f) / 6; });
        take_over(graph_, result_, need_op(ops::Mul), {x, gate});
        return true;
    }

    // x * sigmoid(alpha x)
    bool swish() {
        const float alpha = NodeView(graph_.node(id_)).real("alpha");
        if (!(alpha > 0)) return false;
        const ValueId x = graph_.node(id_).in[0];
        ValueId inside = x;
        if (alpha != 1) inside = part("scaled", ops::Mul, {x, constant("alpha", alpha)}, x, [=](float v) { return v * alpha; });
        const ValueId gate = part("gate", ops::Sigmoid, {inside}, x, [=](float v) { return portable::sigmoid(alpha * v); });
        take_over(graph_, result_, need_op(ops::Mul), {x, gate});
        return true;
    }

    // A factor and a summand for each channel, which no convolution before it has taken in: a convolution of its own.
    bool batch_norm() {
        const Node& node = graph_.node(id_);
        const Shape& shape = graph_.value(node.in[0]).type.shape;
        if (!shape.ranked || shape.rank() < 3 || shape.rank() > 4 || NodeView(node).text("layout") == "NHWC" || node.out.size() != 1)
            return false;
        const auto affine = affine_of(graph_, node);
        const auto finite = [](const std::vector<float>& numbers) {
            return std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
        };
        if (!affine || !finite(affine->factor) || !finite(affine->offset)) return false;
        const auto channels = static_cast<int64_t>(affine->factor.size());
        Dims dims(shape.rank(), 1);
        dims[0] = channels;
        const std::string& name = graph_.value(result_).name;
        const ValueId weight = graph_.add_constant(name + "/factors", from_floats(DType::f32, dims, affine->factor));
        const ValueId bias = graph_.add_constant(name + "/summands", Tensor::vector<float>(affine->offset));
        take_over(graph_, result_, need_op(ops::Conv), {node.in[0], weight, bias}, {{"group", channels}});
        return true;
    }

    // Padding that counts, in an operator of its own.
    bool average_pool() {
        const Node& node = graph_.node(id_);
        const NodeView view(node);
        const ValueId x = node.in[0];
        const size_t rank = graph_.value(x).type.shape.rank();
        const Dims pads = view.integers("pads");
        if (view.integer("count_include_pad") == 0 || view.integer("ceil_mode") != 0 || rank < 3 || pads.size() != 2 * (rank - 2) ||
            std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; }))
            return false;
        std::vector<int64_t> around(2 * rank, 0);
        const size_t first = view.text("layout") == "NHWC" ? 1 : 2;
        for (size_t i = 0; i < pads.size(); ++i) around[first + i + (i < rank - 2 ? 0 : 2)] = pads[i];
        Attrs attrs = node.attrs;
        attrs.erase("pads");
        attrs.erase("count_include_pad");
        const ValueId widths = graph_.add_constant(graph_.value(result_).name + "/pads", Tensor::vector<int64_t>(around));
        const ValueId padded = part("padded", ops::Pad, {x, widths}, x, [](float v) { return v; });
        graph_.value(padded).type.shape = Shape::of_rank(rank);
        take_over(graph_, result_, need_op(ops::AveragePool), {padded}, std::move(attrs));
        return true;
    }

    bool negative() {
        take_over(graph_, result_, need_op(ops::Mul), {graph_.node(id_).in[0], constant("minus_one", -1)});
        return true;
    }

    bool square() {
        const Node& node = graph_.node(id_);
        if (scalar_of(graph_, node.in[1]) != 2.0f) return false;
        take_over(graph_, result_, need_op(ops::Mul), {node.in[0], node.in[0]});
        return true;
    }

    // By numbers that are known: times what they are the reciprocals of.
    bool quotient() {
        const Node& node = graph_.node(id_);
        if (!is_plain_constant(graph_, node.in[1]) || graph_.value(node.in[0]).constant()) return false;
        const Tensor divisor = *graph_.constant(node.in[1]);
        std::vector<float> factors = to_floats(divisor);
        if (std::ranges::any_of(factors, [](float x) { return !std::isnormal(x) || !std::isnormal(1 / x); })) return false;
        for (float& factor : factors) factor = 1 / factor;
        const std::string name = graph_.value(result_).name + "/factor";
        const ValueId factor = graph_.add_constant(name, from_floats(DType::f32, divisor.dims, factors));
        take_over(graph_, result_, need_op(ops::Mul), {node.in[0], factor});
        return true;
    }

    Graph& graph_;
    const std::string& path_;
    Ranges& ranges_;
    const QuantWork& work_;
    NodeId id_ = NodeId::none;
    ValueId result_ = ValueId::none;
};

const std::array<Speller::Row, 8> Speller::rows{Row{ops::HardSigmoid, &Speller::hard_sigmoid, false},
                                                Row{ops::Swish, &Speller::swish, false},
                                                Row{ops::HardSwish, &Speller::hard_swish, true},
                                                Row{ops::BatchNormalization, &Speller::batch_norm, false},
                                                Row{ops::AveragePool, &Speller::average_pool, false},
                                                Row{ops::Neg, &Speller::negative, false},
                                                Row{ops::Div, &Speller::quotient, false},
                                                Row{ops::Pow, &Speller::square, false}};

}  // namespace

void spell_out(Graph& graph, Ranges& ranges, const QuantWork& work) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& part, const std::string& path) {
        Speller speller(part, path, ranges, work);
        for (const NodeId id : std::vector<NodeId>(part.order()))
            if (!part.node(id).erased) changes += speller.run(id);
    });
    if (changes > 0) infer_types(graph);
}

bool needs_spelling(const QuantWork& work) {
    return work.request.scheme->full() && &recipe_of(*work.request.scheme, work) == &recipe_named("tflite");
}

void spell_for_runtime(Graph& graph, Ranges& ranges, QuantWork& work) {
    join_gelu(graph, work);
    join_lpnorm(graph, work);
    spell_norms(graph, ranges, work);
    spell_out(graph, ranges, work);
}

}  // namespace quern
