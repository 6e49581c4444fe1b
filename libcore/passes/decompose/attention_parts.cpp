#include "libcore/passes/decompose/attention_parts.h"

#include <cmath>
#include <limits>
#include <map>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/expansion.h"

namespace quern {
namespace {

constexpr DType t = DType::f32;

bool has_input(const Node& node, size_t i) { return i < node.in.size() && node.in[i] != ValueId::none; }

// What stands for one Attention.
class AttentionParts {
   public:
    AttentionParts(Graph& graph, NodeId id) : graph_(graph), id_(id), view_(graph.node(id)), add_(graph, id) {
        by_head_ = graph.value(graph.node(id).in[0]).type.shape.rank() == 4;
        q_heads_ = by_head_ ? known(0, 1) : view_.integer("q_num_heads");
        kv_heads_ = by_head_ ? known(1, 1) : view_.integer("kv_num_heads");
        size_ = by_head_ ? known(0, 3) : known(0, 2) / q_heads_;
    }

    void expand() {
        const Node& node = graph_.node(id_);
        const ValueId q = split(node.in[0], q_heads_, "query");
        keys_ = joined(4, split(node.in[1], kv_heads_, "key"), 1);
        const ValueId v = joined(5, split(node.in[2], kv_heads_, "value"), 2);
        const double scale = view_.has("scale") ? static_cast<double>(view_.real("scale")) : 1 / std::sqrt(static_cast<double>(size_));
        const ValueId scaled = add_.add(ops::Mul, {q, add_.number(t, scale)});
        const ValueId turned = add_.add(ops::Transpose, {keys_}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
        ValueId scores = apart(add_.add(ops::MatMul, {grouped(scaled), turned}));
        if (const float cap = view_.real("softcap"); cap > 0) scores = capped(scores, static_cast<double>(cap));
        if (const ValueId hidden = hidden_keys(); hidden != ValueId::none) scores = add_.add(ops::Add, {scores, hidden});
        const ValueId shares = add_.add(ops::Softmax, {scores}, {{"axis", int64_t{-1}}});
        const ValueId y = add_.add(ops::MatMul, {grouped(shares), v});
        const ValueId shape = add_.integers({0, q_heads_, -1, value_size()}, "heads");
        if (by_head_) return add_.finish(ops::Reshape, {y, shape});
        const ValueId heads = add_.add(ops::Reshape, {y, shape});
        const ValueId lines = add_.add(ops::Transpose, {heads}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
        add_.finish(ops::Reshape, {lines, add_.integers({0, 0, q_heads_ * value_size()}, "joined")});
    }

   private:
    int64_t known(size_t operand, size_t axis) const { return graph_.value(graph_.node(id_).in[operand]).type.shape.dims[axis].value; }
    int64_t value_size() const { return by_head_ ? known(2, 3) : known(2, 2) / kv_heads_; }

    // [batch, length, heads * size] to [batch, heads, length, size].
    ValueId split(ValueId x, int64_t heads, const char* what) {
        if (by_head_) return x;
        const ValueId apart = add_.add(ops::Reshape, {x, add_.integers({0, 0, heads, -1}, what)});
        return add_.add(ops::Transpose, {apart}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    }

    // Behind the cache that input `i` is; result `out` of the operator, if it is asked for.
    ValueId joined(size_t i, ValueId fresh, size_t out) {
        const Node& node = graph_.node(id_);
        const bool wanted = out < node.out.size() && node.out[out] != ValueId::none;
        if (!has_input(node, i) && !wanted) return fresh;
        const std::vector<ValueId> parts = has_input(node, i) ? std::vector{node.in[i], fresh} : std::vector{fresh};
        return wanted ? add_.give(out, ops::Concat, parts, {{"axis", int64_t{2}}}) : add_.add(ops::Concat, parts, {{"axis", int64_t{2}}});
    }

    // The heads that share keys and values one below the other, and back.
    ValueId grouped(ValueId x) { return q_heads_ == kv_heads_ ? x : shaped(x, "grouped", {0, kv_heads_, -1, 0}); }
    ValueId apart(ValueId x) { return q_heads_ == kv_heads_ ? x : shaped(x, "apart", {0, q_heads_, -1, 0}); }
    ValueId shaped(ValueId x, const char* what, const Dims& dims) { return add_.add(ops::Reshape, {x, add_.integers(dims, what)}); }

    ValueId capped(ValueId x, double cap) {
        const ValueId limit = add_.number(t, cap);
        return add_.add(ops::Mul, {add_.add(ops::Tanh, {add_.add(ops::Div, {x, limit})}), limit});
    }

    // A length as a number of rank 0: of an input of the graph that has the same, so that all layers can share what comes of it.
    ValueId length(ValueId of, size_t axis) {
        const Dim dim = graph_.value(of).type.shape.dims[axis];
        if (dim.known()) return add_.scalar(dim.value, DType::i64, "length");
        for (const ValueId input : graph_.inputs) {
            const Shape& shape = graph_.value(input).type.shape;
            for (size_t i = 0; i < shape.rank(); ++i)
                if (same(shape.dims[i], dim)) return length_of(input, i);
        }
        return length_of(of, axis);
    }
    ValueId length_of(ValueId of, size_t axis) {
        const ValueId shape = add_.add(ops::Shape, {of});
        return add_.add(ops::Gather, {shape, add_.scalar(axis, DType::i64, "axis")});
    }

    bool has_lengths() const { return has_input(graph_.node(id_), 6); }
    bool ordered() const {
        return view_.integer("is_causal") != 0 || view_.integer("left_window_size") >= 0 || view_.integer("right_window_size") >= 0;
    }
    ValueId whole(int64_t number) {
        const auto [found, is_new] = wholes_.emplace(number, ValueId::none);
        if (is_new) found->second = add_.scalar(number, DType::i64, "whole");
        return found->second;
    }

    // Places of the queries among the keys, behind the cache, or the last where a row ends: [queries, 1], or [batch, 1, queries, 1].
    ValueId places(ValueId keys) {
        const Node& node = graph_.node(id_);
        const size_t axis = by_head_ ? 2 : 1;
        const ValueId queries = length(node.in[0], axis);
        if (has_lengths()) {
            const ValueId first = add_.add(ops::Sub, {node.in[6], queries});
            const ValueId steps =
                add_.add(ops::Unsqueeze, {add_.add(ops::Range, {whole(0), queries, whole(1)}), add_.integers({1}, "axes")});
            return add_.add(ops::Add, {add_.add(ops::Unsqueeze, {first, add_.integers({1, 2, 3}, "axes")}), steps});
        }
        const bool all_new = same(graph_.value(node.in[0]).type.shape.dims[axis], graph_.value(node.in[1]).type.shape.dims[axis]);
        const ValueId first = add_.add(ops::Sub, {keys, all_new ? queries : length(node.in[1], axis)});
        const ValueId end = all_new ? keys : add_.add(ops::Add, {first, queries});
        return add_.add(ops::Unsqueeze, {add_.add(ops::Range, {first, end, whole(1)}), add_.integers({1}, "axes")});
    }

    // Which keys each query sees, bool [queries, keys], by rows [batch, 1, queries, keys]: those up to its own place, of a window those
    // that are near.
    ValueId near(ValueId keys) {
        const ValueId columns = add_.add(ops::Range, {whole(0), keys, whole(1)}), rows = places(keys);
        const int64_t left = view_.integer("left_window_size"), right = view_.integer("right_window_size");
        ValueId seen = ValueId::none;
        if (view_.integer("is_causal") != 0 || right >= 0) {
            const bool ahead = view_.integer("is_causal") == 0 && right > 0;
            const ValueId last = ahead ? add_.add(ops::Add, {rows, whole(right)}) : rows;
            seen = add_.add(ops::LessOrEqual, {columns, last});
        }
        if (left < 0) return seen;
        const ValueId first = add_.add(ops::Sub, {rows, whole(left)});
        const ValueId late = add_.add(ops::GreaterOrEqual, {columns, first});
        return seen == ValueId::none ? late : add_.add(ops::And, {seen, late});
    }

    // bool [batch, 1, 1, keys]: those that a row has.
    ValueId filled() {
        const ValueId columns = add_.add(ops::Range, {whole(0), length_of(keys_, 2), whole(1)});
        const ValueId lengths = add_.add(ops::Unsqueeze, {graph_.node(id_).in[6], add_.integers({1, 2, 3}, "axes")});
        return add_.add(ops::Less, {columns, lengths});
    }

    // A mask with fewer columns than there are keys hides those behind its end; one column stands for all.
    ValueId as_wide(ValueId mask) {
        const Shape shape = graph_.value(mask).type.shape;
        if (!shape.ranked || shape.rank() == 0 || !shape.dims.back().known() || shape.dims.back().value == 1) return mask;
        const Dim keys = all_keys();
        if (same(keys, shape.dims.back())) return mask;
        const DType dtype = graph_.value(mask).type.dtype;
        const int64_t columns = shape.dims.back().value;
        const ValueId count = keys.known() ? whole(keys.value) : length_of(keys_, 2);
        const ValueId missing = add_.add(ops::Unsqueeze, {add_.add(ops::Sub, {count, whole(columns)}), add_.integers({0}, "axes")});
        const ValueId before = add_.integers(std::vector<int64_t>(2 * shape.rank() - 1, 0), "pads");
        const ValueId pads = add_.add(ops::Concat, {before, missing}, {{"axis", int64_t{0}}});
        const double least = dtype == DType::boolean ? 0 : static_cast<double>(std::numeric_limits<float>::lowest());
        return add_.add(ops::Pad, {mask, pads, add_.number(dtype, least)});
    }
    // Of the cache and the new ones, where both are known.
    Dim all_keys() const {
        const Node& node = graph_.node(id_);
        const auto dim = [&](size_t i, size_t axis) { return graph_.value(node.in[i]).type.shape.dims[axis]; };
        Dim fresh = dim(1, by_head_ ? 2 : 1);
        if (!has_input(node, 4)) return fresh;
        if (graph_.value(node.in[4]).type.shape.rank() != 4 || !dim(4, 2).known() || !fresh.known()) return Dim::unknown();
        return Dim::of(dim(4, 2).value + fresh.value);
    }

    // What is added to the scores: nothing, or the least number where a key is hidden. none: all keys are seen.
    ValueId hidden_keys() {
        const Node& node = graph_.node(id_);
        const bool masked = has_input(node, 3), by_numbers = masked && graph_.value(node.in[3]).type.dtype != DType::boolean;
        const ValueId mask = masked ? as_wide(node.in[3]) : ValueId::none, seen = seen_keys(by_numbers ? ValueId::none : mask);
        if (seen == ValueId::none) return by_numbers ? mask : seen;
        const ValueId least = add_.number(t, static_cast<double>(std::numeric_limits<float>::lowest()));
        return add_.add(ops::Where, {seen, by_numbers ? mask : add_.number(t, 0), least});
    }

    // bool, by a mask of bool or none; none: all are.
    ValueId seen_keys(ValueId mask) {
        ValueId seen = mask;
        if (ordered()) {
            const Shape& shape = mask != ValueId::none ? graph_.value(mask).type.shape : Shape::unranked();
            const bool by_mask = shape.rank() == 4 && shape.dims[3].symbol != "";
            const ValueId keys = by_mask ? length(mask, 3) : length_of(keys_, 2);
            const ValueId order = near(keys);
            seen = mask != ValueId::none ? add_.add(ops::And, {order, mask}) : order;
        }
        if (!has_lengths()) return seen;
        return seen == ValueId::none ? filled() : add_.add(ops::And, {filled(), seen});
    }

    Graph& graph_;
    NodeId id_;
    NodeView view_;
    Expansion add_;
    bool by_head_ = false;          // operands are [batch, heads, length, size]
    ValueId keys_ = ValueId::none;  // of the cache and the new ones
    int64_t q_heads_ = 1, kv_heads_ = 1, size_ = 1;
    std::map<int64_t, ValueId> wholes_;
};

}  // namespace

std::string attention_obstacle(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const size_t rank = graph.value(node.in[0]).type.shape.rank();
    for (size_t i = 0; i < 3; ++i)
        if (graph.value(node.in[i]).type.dtype != t || graph.value(node.in[i]).type.shape.rank() != rank || (rank != 3 && rank != 4))
            return "of other data than float32 of rank 3 or 4 needs opset 23";
    if (node.out.size() > 3 && node.out[3] != ValueId::none) return "its scores as a result need opset 23";
    const std::vector<size_t> known = rank == 4 ? std::vector<size_t>{1, 3} : std::vector<size_t>{2};
    for (size_t i = 0; i < 3; ++i)
        for (const size_t axis : known)
            if (!graph.value(node.in[i]).type.shape.dims[axis].known()) return "heads of an unknown number or size need opset 23";
    return {};
}

void spell_attention(Graph& graph, NodeId id) { AttentionParts(graph, id).expand(); }

}  // namespace quern
