#include "libcore/passes/decompose/expand_grouped.h"

#include <algorithm>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

namespace in_at {
constexpr size_t query = 0, key = 1, value = 2, past_key = 3, past_value = 4, last = 5, total = 6, cosine = 7, sine = 8, positions = 9,
                 bias = 10, first_refused = 11, end = 14;
}

class GroupedParts {
   public:
    GroupedParts(Graph& graph, NodeId id)
        : graph_(graph),
          node_(graph.node(id)),
          view_(node_),
          add_(graph, id),
          heads_(view_.integer("num_heads")),
          kv_heads_(view_.integer("kv_num_heads")) {}

    bool possible() const {
        using namespace in_at;
        if (heads_ < 1 || kv_heads_ < 1 || heads_ % kv_heads_ != 0 || view_.integer("smooth_softmax") > 0 || wanted(3)) return false;
        for (size_t i = first_refused; i < end; ++i)
            if (has(i)) return false;
        if (has(past_key) != has(past_value) || has(key) != has(value) || !has(last) || !has(total)) return false;
        return operands_fit() && (view_.integer("do_rotary") == 0 || tables_fit());
    }

    NodeId replace() {
        using namespace in_at;
        std::vector<ValueId> operands = has(key) ? std::vector{in(query), in(key), in(value)} : apart();
        find_places();
        if (view_.integer("do_rotary") != 0) {
            operands[query] = turned(operands[query], heads_);
            operands[key] = turned(operands[key], kv_heads_);
        }
        for (const size_t i : {key, value}) operands[i] = cached(operands[i], i);
        const ValueId mask = hidden(seen());
        Attrs attrs{{"q_num_heads", heads_}, {"kv_num_heads", kv_heads_}};
        if (view_.has("scale") && view_.real("scale") != 0) attrs["scale"] = view_.real("scale");
        if (const float cap = view_.real("softcap"); cap > 0) attrs["softcap"] = cap;
        return take_over(graph_, node_.out[0], need_op(ops::Attention), {operands[query], operands[key], operands[value], mask},
                         std::move(attrs));
    }

   private:
    ValueId in(size_t i) const { return input_of(node_, i); }
    bool has(size_t i) const { return in(i) != ValueId::none; }
    bool wanted(size_t out) const { return out < node_.out.size() && node_.out[out] != ValueId::none; }
    const std::vector<Dim>& dims(size_t i) const { return graph_.value(in(i)).type.shape.dims; }
    int64_t parts() const { return has(in_at::key) ? heads_ : heads_ + 2 * kv_heads_; }
    int64_t size() const { return dims(in_at::query)[2].value / parts(); }

    bool is_real(size_t i, size_t rank) const {
        const Type& type = graph_.value(in(i)).type;
        return type.dtype == DType::f32 && type.shape.ranked && type.shape.rank() == rank;
    }
    bool has_columns(size_t i, int64_t heads) const {
        return is_real(i, 3) && dims(i)[2].known() && dims(i)[2].value > 0 && dims(i)[2].value % heads == 0;
    }
    bool operands_fit() const {
        using namespace in_at;
        if (!has_columns(query, parts())) return false;
        for (const size_t i : {key, value})
            if (has(i) && (!has_columns(i, kv_heads_) || dims(i)[2].value != kv_heads_ * size())) return false;
        for (const size_t i : {past_key, past_value, bias})
            if (has(i) && !is_real(i, 4)) return false;
        return true;
    }
    bool tables_fit() const {
        using namespace in_at;
        return has(cosine) && has(sine) && is_real(cosine, 2) && is_real(sine, 2) && dims(cosine)[1].known();
    }

    ValueId add(OpId op, std::vector<ValueId> operands, Attrs attrs = {}) { return add_.add(op, std::move(operands), std::move(attrs)); }
    ValueId whole(int64_t number) { return add_.scalar(number, DType::i64, "whole"); }
    ValueId unsqueezed(ValueId x, const Dims& axes) { return add(ops::Unsqueeze, {x, add_.integers(axes, "axes")}); }
    ValueId lines(ValueId x, int64_t columns) {
        std::vector<Dim> dims = this->dims(in_at::query);
        dims[1] = Dim::unknown();
        dims[2] = Dim::of(columns);
        graph_.value(x).type.shape = Shape::of_dims(std::move(dims));
        return x;
    }
    ValueId length(size_t i, size_t axis) {
        const Dim& dim = dims(i)[axis];
        return dim.known() ? whole(dim.value) : add(ops::Gather, {add(ops::Shape, {in(i)}), whole(static_cast<int64_t>(axis))});
    }
    ValueId as_i64(size_t i, const Dims& dims) {
        const ValueId wide = add(ops::Cast, {in(i)}, {{"to", onnx_type(DType::i64)}});
        return add(ops::Reshape, {wide, add_.integers(dims, "dims")});
    }

    // Query, key and value that stand side by side.
    std::vector<ValueId> apart() {
        const int64_t q = heads_ * size(), kv = kv_heads_ * size();
        std::vector<ValueId> made;
        int64_t first = 0;
        for (const int64_t columns : {q, kv, kv}) {
            const std::vector<ValueId> operands{in(in_at::query), add_.integers({first}, "first"), add_.integers({first + columns}, "last"),
                                                add_.integers({2}, "axis")};
            made.push_back(lines(add(ops::Slice, operands), columns));
            first += columns;
        }
        return made;
    }

    // Where the new tokens of each row go: behind its own past; a run whose tokens are all new has none.
    void find_places() {
        using namespace in_at;
        fresh_ = length(query, 1);
        const ValueId total_length = as_i64(total, {}), ends = add(ops::Add, {as_i64(last, {-1}), whole(1)});
        const ValueId is_first = add(ops::Equal, {total_length, fresh_});
        before_ = unsqueezed(add(ops::Where, {is_first, whole(0), add(ops::Sub, {ends, fresh_})}), {1});
        places_ = add(ops::Add, {before_, add(ops::Range, {whole(0), fresh_, whole(1)})});
        all_ = has(past_key) ? add(ops::Max, {length(past_key, 2), total_length}) : fresh_;
        columns_ = add(ops::Range, {whole(0), all_, whole(1)});
    }

    ValueId turned(ValueId x, int64_t heads) {
        using namespace in_at;
        const int64_t turned_size = 2 * dims(cosine)[1].value;
        Attrs attrs{{"num_heads", heads}, {"interleaved", view_.integer("rotary_interleaved")}};
        if (turned_size != size()) attrs["rotary_embedding_dim"] = turned_size;
        const ValueId positions = has(in_at::positions) ? as_i64(in_at::positions, {0, -1}) : places_;
        return lines(add(ops::RotaryEmbedding, {x, in(cosine), in(sine), positions}, std::move(attrs)), heads * size());
    }

    // [batch, 1 or length, ...] of the past and what is new: of each place of the new cache, where it stands in both, one after the other.
    ValueId sources() {
        if (sources_ != ValueId::none) return sources_;
        const ValueId past = length(in_at::past_key, 2), end = add(ops::Sub, {add(ops::Add, {past, fresh_}), whole(1)});
        const ValueId behind = add(ops::Min, {add(ops::Add, {columns_, add(ops::Sub, {past, before_})}), end});
        return sources_ = unsqueezed(add(ops::Where, {add(ops::Less, {columns_, before_}), columns_, behind}), {2});
    }

    // Keys (`i` is 1) or values (2) of all places, [batch, places, heads * size]; the new cache, if it is asked for.
    ValueId cached(ValueId x, size_t i) {
        const size_t past = i + in_at::past_key - in_at::key;
        if (has(past)) {
            const ValueId turned = add(ops::Transpose, {in(past)}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
            const ValueId old = add(ops::Reshape, {turned, add_.integers({0, 0, kv_heads_ * size()}, "lines")});
            const ValueId both = add(ops::Concat, {old, x}, {{"axis", int64_t{1}}});
            x = lines(add(ops::GatherND, {both, sources()}, {{"batch_dims", int64_t{1}}}), kv_heads_ * size());
        }
        if (wanted(i)) give_cache(x, i, has(past));
        return x;
    }
    void give_cache(ValueId x, size_t i, bool filled) {
        const ValueId heads = add(ops::Reshape, {x, add_.integers({0, 0, kv_heads_, size()}, "heads")});
        const Attrs perm{{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
        if (!filled) {
            add_.give(i, ops::Transpose, {heads}, perm);
            return;
        }
        const ValueId inside = add(ops::Less, {columns_, add(ops::Add, {before_, fresh_})});
        add_.give(i, ops::Where, {unsqueezed(inside, {1, 3}), add(ops::Transpose, {heads}, perm), add_.number(DType::f32, 0)});
    }

    // bool, [batch, 1, queries, keys]: up to its own place, in a window if there is one.
    ValueId seen() {
        const ValueId rows = unsqueezed(places_, {2});
        ValueId seen = add(ops::LessOrEqual, {columns_, rows});
        if (const int64_t window = view_.integer("local_window_size"); window >= 0)
            seen = add(ops::And, {seen, add(ops::Greater, {columns_, add(ops::Sub, {rows, whole(window)})})});
        return unsqueezed(seen, {1});
    }

    ValueId hidden(ValueId seen) {
        if (!has(in_at::bias)) return seen;
        const ValueId missing = unsqueezed(add(ops::Sub, {all_, length(in_at::bias, 3)}), {0});
        const ValueId pads = add(ops::Concat, {add_.integers(std::vector<int64_t>(7, 0), "pads"), missing}, {{"axis", int64_t{0}}});
        const ValueId numbers = add(ops::Pad, {in(in_at::bias), pads});
        const double least = static_cast<double>(std::numeric_limits<float>::lowest());
        return add(ops::Where, {seen, numbers, add_.number(DType::f32, least)});
    }

    Graph& graph_;
    const Node node_;  // as it was
    NodeView view_;
    Expansion add_;
    int64_t heads_, kv_heads_;
    // int64: of rank 0 the number of new tokens and of all; [batch, 1] tokens before; [batch, queries] and [keys] places
    ValueId fresh_ = ValueId::none, all_ = ValueId::none, before_ = ValueId::none, places_ = ValueId::none, columns_ = ValueId::none;
    ValueId sources_ = ValueId::none;
};

}  // namespace

NodeId replace_grouped_attention(Graph& graph, NodeId id) {
    GroupedParts grouped(graph, id);
    return grouped.possible() ? grouped.replace() : NodeId::none;
}

}  // namespace quern
