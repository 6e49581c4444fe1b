// com.microsoft.MultiHeadAttention and GroupQueryAttention become Attention of ai.onnx, and that the products and the softmax that it
// computes.
#include "libcore/passes/decompose/expand_attention.h"

#include <algorithm>
#include <utility>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/decompose/attention_parts.h"
#include "libcore/passes/decompose/expand_grouped.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

namespace heads_in {
constexpr size_t query = 0, key = 1, value = 2, bias = 3, mask = 4, scores_bias = 5, past_key = 6, past_value = 7, past_length = 8,
                 beams = 9;
}
namespace attention_in {
constexpr size_t key = 1, mask = 3, past_key = 4;
}

bool is_f32(const Graph& graph, ValueId id) { return graph.value(id).type.dtype == DType::f32 && graph.value(id).type.shape.ranked; }

class Heads {
   public:
    Heads(Graph& graph, NodeId id)
        : graph_(graph), id_(id), node_(graph.node(id)), view_(node_), add_(graph, id), heads_(view_.integer("num_heads")) {}

    bool possible() const {
        using namespace heads_in;
        if (heads_ < 1 || in(past_length) != ValueId::none || in(beams) != ValueId::none || wanted(3)) return false;
        if ((in(past_key) == ValueId::none) != (in(past_value) == ValueId::none)) return false;
        if (in(bias) != ValueId::none && !is_plain_constant(graph_, in(bias))) return false;
        for (const size_t i : {query, key, value})
            if (in(i) != ValueId::none && !is_f32(graph_, in(i))) return false;
        return operands_fit() && order_fits() && mask_fits();
    }

    // The Attention in its place.
    NodeId replace() {
        using namespace heads_in;
        std::vector<ValueId> operands = rank(query) == 5 ? apart(in(query), 3)
                                        : rank(key) == 5 ? apart(in(key), 2)
                                                         : std::vector{in(key), in(value)};
        if (rank(query) == 3) operands.insert(operands.begin(), in(query));
        if (in(bias) != ValueId::none) add_bias(operands);
        const ValueId hidden = hidden_keys(operands[key]);
        Attrs attrs{{"q_num_heads", heads_}, {"kv_num_heads", heads_}, {"is_causal", view_.integer("unidirectional")}};
        if (view_.has("scale") && view_.real("scale") != 0) attrs["scale"] = view_.real("scale");
        std::vector<ValueId> presents;
        for (size_t i = 1; i < 3; ++i)
            presents.push_back(wanted(i) ? std::exchange(graph_.node(id_).out[i], ValueId::none) : ValueId::none);
        const NodeId made = take_over(graph_, node_.out[0], need_op(ops::Attention),
                                      {operands[0], operands[1], operands[2], hidden, in(past_key), in(past_value)}, std::move(attrs));
        for (const ValueId present : presents) {
            graph_.node(made).out.push_back(present);
            if (present != ValueId::none) graph_.value(present).producer = made;
        }
        return made;
    }

   private:
    ValueId in(size_t i) const { return input_of(node_, i); }
    bool wanted(size_t out) const { return out < node_.out.size() && node_.out[out] != ValueId::none; }
    const std::vector<Dim>& dims(size_t i) const { return graph_.value(in(i)).type.shape.dims; }
    size_t rank(size_t i) const { return in(i) == ValueId::none ? 0 : dims(i).size(); }
    bool is_known(size_t i, size_t axis, int64_t divisor) const { return dims(i)[axis].known() && dims(i)[axis].value % divisor == 0; }
    // [batch, length, heads, parts, size]
    bool is_packed(size_t i, int64_t parts) const {
        return rank(i) == 5 && is_known(i, 4, 1) && dims(i)[2].known() && dims(i)[2].value == heads_ && dims(i)[3].known() &&
               dims(i)[3].value == parts;
    }

    bool operands_fit() const {
        using namespace heads_in;
        if (in(key) == ValueId::none) return is_packed(query, 3) && in(bias) == ValueId::none;
        if (rank(query) != 3 || !is_known(query, 2, heads_)) return false;
        if (in(value) == ValueId::none) return is_packed(key, 2) && in(bias) == ValueId::none;
        return rank(key) == 3 && rank(value) == 3 && is_known(key, 2, heads_) && is_known(value, 2, heads_);
    }

    // With as many new keys as queries the order is that of ai.onnx; with others its last query sees the last key, not so there.
    bool order_fits() const {
        using namespace heads_in;
        return view_.integer("unidirectional") == 0 || in(key) == ValueId::none || same(dims(query)[1], dims(key)[1]);
    }

    // Ends of rows, keys, or pairs of queries and keys.
    bool mask_fits() const {
        using namespace heads_in;
        const bool masked = in(mask) != ValueId::none;
        if (masked && !graph_.value(in(mask)).type.shape.ranked) return false;
        if (masked && graph_.value(in(mask)).type.dtype != DType::i32 && graph_.value(in(mask)).type.dtype != DType::i64) return false;
        if (masked && rank(mask) == 1) return same(dims(mask)[0], dims(query)[0]);
        return (!masked || rank(mask) == 2 || rank(mask) == 3) && (in(scores_bias) == ValueId::none || rank(scores_bias) == 4);
    }

    ValueId typed(ValueId id, std::vector<Dim> dims) {
        graph_.value(id).type.shape = Shape::of_dims(std::move(dims));
        return id;
    }

    // The parts of a packed operand, [batch, length, heads * size] each.
    std::vector<ValueId> apart(ValueId packed, int64_t parts) {
        const std::vector<Dim> all = graph_.value(packed).type.shape.dims;
        const int64_t size = all[4].value;
        std::vector<ValueId> made;
        for (int64_t i = 0; i < parts; ++i) {
            const ValueId at = add_.constant(Tensor::scalar(i), "part");
            const ValueId part = add_.add(ops::Gather, {packed, at}, {{"axis", int64_t{3}}});
            const ValueId lines = add_.add(ops::Reshape, {part, add_.integers({0, 0, heads_ * size}, "lines")});
            made.push_back(typed(lines, {all[0], all[1], Dim::of(heads_ * size)}));
        }
        return made;
    }

    // Of query, key and value side by side.
    void add_bias(std::vector<ValueId>& operands) {
        const std::vector<float> all = to_floats(*graph_.constant(in(heads_in::bias)));
        size_t first = 0;
        for (ValueId& operand : operands) {
            const std::vector<Dim> dims = graph_.value(operand).type.shape.dims;
            const auto columns = static_cast<size_t>(dims[2].value);
            if (first + columns > all.size())
                throw bad_input("bias of \"{}\" has {} numbers, need {} or more", node_.name, all.size(), first + columns);
            const std::vector<float> own(all.begin() + static_cast<int64_t>(first), all.begin() + static_cast<int64_t>(first + columns));
            const ValueId row = add_.constant(Tensor::vector<float>(own), "bias");
            operand = typed(add_.add(ops::Add, {operand, row}), dims);
            first += columns;
        }
    }

    // The numbers that are added to the scores; none: all keys count alike.
    ValueId hidden_keys(ValueId key) {
        using namespace heads_in;
        ValueId numbers = in(mask) == ValueId::none ? ValueId::none : numbers_of(seen_keys(key));
        if (in(scores_bias) == ValueId::none) return numbers;
        return numbers == ValueId::none ? in(scores_bias) : add_.add(ops::Add, {numbers, in(scores_bias)});
    }
    ValueId numbers_of(ValueId seen) {
        const double hidden = static_cast<double>(view_.real("mask_filter_value"));
        return add_.add(ops::Where, {seen, add_.number(DType::f32, 0), add_.number(DType::f32, hidden)});
    }

    // bool, [batch, 1, 1 or queries, keys]
    ValueId seen_keys(ValueId key) {
        using namespace heads_in;
        if (rank(mask) > 1) {
            const ValueId seen = add_.add(ops::Greater, {in(mask), add_.number(graph_.value(in(mask)).type.dtype, 0)});
            return add_.add(ops::Unsqueeze, {seen, add_.integers(rank(mask) == 2 ? Dims{1, 2} : Dims{1}, "axes")});
        }
        const ValueId ends = add_.add(ops::Cast, {in(mask)}, {{"to", onnx_type(DType::i64)}});
        const ValueId columns = add_.add(ops::Unsqueeze, {ends, add_.integers({1, 2, 3}, "axes")});
        return add_.add(ops::Less, {places(key), columns});
    }

    // 0, 1, 2 ... of all keys.
    ValueId places(ValueId key) {
        const auto whole = [&](int64_t number) { return add_.constant(Tensor::scalar(number), "whole"); };
        const auto length = [&](ValueId of, int64_t axis) { return add_.add(ops::Gather, {add_.add(ops::Shape, {of}), whole(axis)}); };
        ValueId count = length(key, 1);
        if (in(heads_in::past_key) != ValueId::none) count = add_.add(ops::Add, {count, length(in(heads_in::past_key), 2)});
        return add_.add(ops::Range, {whole(0), count, whole(1)});
    }

    Graph& graph_;
    NodeId id_;
    const Node node_;  // as it was
    NodeView view_;
    Expansion add_;
    int64_t heads_;
};

// Can the parts say the same? A mask of an unknown number of columns may have one, or as many as there are keys, or fewer.
bool standard_fits(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const int64_t precision = view.has("softmax_precision") ? view.integer("softmax_precision") : row_of(DType::f32).onnx;
    if (precision != row_of(DType::f32).onnx || !attention_obstacle(graph, node).empty()) return false;
    const ValueId mask = input_of(node, attention_in::mask);
    if (mask == ValueId::none) return true;
    const Shape &shape = graph.value(mask).type.shape, &keys = graph.value(node.in[attention_in::key]).type.shape;
    if (!shape.ranked || shape.rank() == 0) return false;
    return shape.dims.back().known() ||
           (input_of(node, attention_in::past_key) == ValueId::none && same(shape.dims.back(), keys.dims[keys.rank() - 2]));
}

bool expand(Graph& graph, NodeId id) {
    if (graph.node(id).is(ops::Attention)) {
        if (!standard_fits(graph, graph.node(id))) return false;
        spell_attention(graph, id);
        return true;
    }
    if (graph.node(id).is(ops::microsoft::GroupQueryAttention)) {
        const NodeId made = replace_grouped_attention(graph, id);
        if (made != NodeId::none) spell_attention(graph, made);
        return made != NodeId::none;
    }
    Heads heads(graph, id);
    if (!heads.possible()) return false;
    spell_attention(graph, heads.replace());
    return true;
}

}  // namespace

int expand_attention_where(Graph& graph, const std::function<bool(const Node& node, const std::string& path)>& wanted) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& part, const std::string& path) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            const Node& node = part.node(id);
            if (node.is(ops::Attention, ops::microsoft::MultiHeadAttention, ops::microsoft::GroupQueryAttention) && wanted(node, path))
                changes += expand(part, id);
        }
    });
    return changes;
}

constinit const Pass expand_attention{
    "expand_attention", "Attention of all kinds, caches too, becomes the products and the softmax that it computes",
    [](Graph& graph) { return expand_attention_where(graph, [](const Node&, const std::string&) { return true; }); }, 1e-5f, false};

}  // namespace quern
