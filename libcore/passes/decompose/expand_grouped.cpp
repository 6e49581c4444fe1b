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

    ValueId whole(int64_t number) { return graph_.add_constant(node_.name + "_whole", Tensor::scalar(number)); }
    ValueId i64(OpId op, std::vector<ValueId> operands, Attrs attrs = {}) {
        return add_.add(op, std::move(operands), DType::i64, std::move(attrs));
    }
    ValueId truth(OpId op, std::vector<ValueId> operands) { return add_.add(op, std::move(operands), DType::boolean); }
    ValueId unsqueezed(ValueId x, std::vector<int64_t> axes) {
        return add_.add(ops::Unsqueeze, {x, add_.integers("axes", std::move(axes))}, graph_.value(x).type.dtype);
    }
    ValueId lines(ValueId x, int64_t columns) {
        std::vector<Dim> dims = this->dims(in_at::query);
        dims[1] = Dim::unknown();
        dims[2] = Dim::of(columns);
        graph_.value(x).type.shape = Shape::of_dims(std::move(dims));
        return x;
    }
    ValueId length(size_t i, size_t axis) {
        const Dim& dim = dims(i)[axis];
        return dim.known() ? whole(dim.value) : i64(ops::Gather, {i64(ops::Shape, {in(i)}), whole(static_cast<int64_t>(axis))});
    }
    ValueId as_i64(size_t i, std::vector<int64_t> dims) {
        const ValueId wide = i64(ops::Cast, {in(i)}, {{"to", int64_t{row_of(DType::i64).onnx}}});
        return i64(ops::Reshape, {wide, add_.integers("dims", std::move(dims))});
    }

    // Query, key and value that stand side by side.
    std::vector<ValueId> apart() {
        const int64_t q = heads_ * size(), kv = kv_heads_ * size();
        std::vector<ValueId> made;
        int64_t first = 0;
        for (const int64_t columns : {q, kv, kv}) {
            const std::vector<ValueId> operands{in(in_at::query), add_.integers("first", {first}), add_.integers("last", {first + columns}),
                                                add_.integers("axis", {2})};
            made.push_back(lines(add_.add(ops::Slice, operands, DType::f32), columns));
            first += columns;
        }
        return made;
    }

    // Where the new tokens of each row go: behind its own past; a run whose tokens are all new has none.
    void find_places() {
        using namespace in_at;
        fresh_ = length(query, 1);
        const ValueId total_length = as_i64(total, {}), ends = i64(ops::Add, {as_i64(last, {-1}), whole(1)});
        const ValueId is_first = truth(ops::Equal, {total_length, fresh_});
        before_ = unsqueezed(i64(ops::Where, {is_first, whole(0), i64(ops::Sub, {ends, fresh_})}), {1});
        places_ = i64(ops::Add, {before_, i64(ops::Range, {whole(0), fresh_, whole(1)})});
        all_ = has(past_key) ? i64(ops::Max, {length(past_key, 2), total_length}) : fresh_;
        columns_ = i64(ops::Range, {whole(0), all_, whole(1)});
    }

    ValueId turned(ValueId x, int64_t heads) {
        using namespace in_at;
        const int64_t turned_size = 2 * dims(cosine)[1].value;
        Attrs attrs{{"num_heads", heads}, {"interleaved", view_.integer("rotary_interleaved")}};
        if (turned_size != size()) attrs["rotary_embedding_dim"] = turned_size;
        const ValueId positions = has(in_at::positions) ? as_i64(in_at::positions, {0, -1}) : places_;
        return lines(add_.add(ops::RotaryEmbedding, {x, in(cosine), in(sine), positions}, DType::f32, std::move(attrs)), heads * size());
    }

    // [batch, 1 or length, ...] of the past and what is new: of each place of the new cache, where it stands in both, one behind the other.
    ValueId sources() {
        if (sources_ != ValueId::none) return sources_;
        const ValueId past = length(in_at::past_key, 2), end = i64(ops::Sub, {i64(ops::Add, {past, fresh_}), whole(1)});
        const ValueId behind = i64(ops::Min, {i64(ops::Add, {columns_, i64(ops::Sub, {past, before_})}), end});
        return sources_ = unsqueezed(i64(ops::Where, {truth(ops::Less, {columns_, before_}), columns_, behind}), {2});
    }

    // Keys (`i` is 1) or values (2) of all places, [batch, places, heads * size]; the new cache, if it is asked for.
    ValueId cached(ValueId x, size_t i) {
        const size_t past = i + in_at::past_key - in_at::key;
        if (has(past)) {
            const ValueId turned = add_.add(ops::Transpose, {in(past)}, DType::f32, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
            const ValueId old = add_.add(ops::Reshape, {turned, add_.integers("lines", {0, 0, kv_heads_ * size()})}, DType::f32);
            const ValueId both = add_.add(ops::Concat, {old, x}, DType::f32, {{"axis", int64_t{1}}});
            x = lines(add_.add(ops::GatherND, {both, sources()}, DType::f32, {{"batch_dims", int64_t{1}}}), kv_heads_ * size());
        }
        if (wanted(i)) give_cache(x, i, has(past));
        return x;
    }
    void give_cache(ValueId x, size_t i, bool filled) {
        const ValueId heads = add_.add(ops::Reshape, {x, add_.integers("heads", {0, 0, kv_heads_, size()})}, DType::f32);
        const Attrs perm{{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
        if (!filled) {
            add_.give(i, ops::Transpose, {heads}, perm);
            return;
        }
        const ValueId inside = truth(ops::Less, {columns_, i64(ops::Add, {before_, fresh_})});
        add_.give(i, ops::Where,
                  {unsqueezed(inside, {1, 3}), add_.add(ops::Transpose, {heads}, DType::f32, perm), add_.number(DType::f32, 0)});
    }

    // bool, [batch, 1, queries, keys]: up to its own place, in a window if there is one.
    ValueId seen() {
        const ValueId rows = unsqueezed(places_, {2});
        ValueId seen = truth(ops::LessOrEqual, {columns_, rows});
        if (const int64_t window = view_.integer("local_window_size"); window >= 0)
            seen = truth(ops::And, {seen, truth(ops::Greater, {columns_, i64(ops::Sub, {rows, whole(window)})})});
        return unsqueezed(seen, {1});
    }

    ValueId hidden(ValueId seen) {
        if (!has(in_at::bias)) return seen;
        const ValueId missing = unsqueezed(i64(ops::Sub, {all_, length(in_at::bias, 3)}), {0});
        const ValueId pads = i64(ops::Concat, {add_.integers("pads", std::vector<int64_t>(7, 0)), missing}, {{"axis", int64_t{0}}});
        const ValueId numbers = add_.add(ops::Pad, {in(in_at::bias), pads}, DType::f32);
        const double least = static_cast<double>(std::numeric_limits<float>::lowest());
        return add_.add(ops::Where, {seen, numbers, add_.number(DType::f32, least)}, DType::f32);
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
