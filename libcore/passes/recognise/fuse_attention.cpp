// Causal Attention over caches that grow spelled out, as the ONNX writer does for opsets that lack it: products of rank 4, heads that share
// keys one below the other, the mask as numbers to add. Which positions a query sees is read back from how that mask is made.
#include <algorithm>
#include <limits>
#include <set>
#include <variant>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Ints = std::vector<int64_t>;

struct Mask {
    ValueId padding = ValueId::none;
    int64_t window = -1;
};

struct Found {
    ValueId query = ValueId::none, key = ValueId::none, value = ValueId::none, past_key = ValueId::none, past_value = ValueId::none;
    ValueId present_key = ValueId::none, present_value = ValueId::none;
    Mask mask;
    int64_t heads = 0, kv_heads = 0;
    float scale = 0, cap = 0;
};

class Reader {
   public:
    explicit Reader(const Graph& graph) : graph_(graph) {}

    std::optional<Found> read(const Node& root) const {
        Found f;
        const auto joined = root.is(ops::Reshape) ? ints_of(graph_, root.in[1]) : std::nullopt;
        const Node* lines = joined && joined->size() == 3 ? plain(root.in[0], ops::Transpose) : nullptr;
        if (!lines || (*joined)[0] != 0 || (*joined)[1] != 0 || !has_order(*lines, {0, 2, 1, 3})) return std::nullopt;
        const Node* products = plain(unshaped(lines->in[0]), ops::MatMul);
        const Node* shares = products ? plain(unshaped(products->in[0]), ops::Softmax) : nullptr;
        if (!shares || !read_cache(products->in[1], f.value, f.past_value, f.kv_heads) || !read_scores(shares->in[0], f))
            return std::nullopt;
        f.present_value = products->in[1];
        const int64_t axis = NodeView(*shares).integer("axis");
        return axis == -1 || axis == 3 ? std::optional(f) : std::nullopt;
    }

   private:
    // The node that makes a value, which is on no grid.
    const Node* plain(ValueId id, OpId op) const { return id == ValueId::none || graph_.value(id).enc ? nullptr : made_by(graph_, id, op); }

    static bool has_order(const Node& node, const Ints& order) {
        const auto found = node.attrs.find("perm");
        const Ints* perm = found == node.attrs.end() ? nullptr : std::get_if<Ints>(&found->second);
        return perm && *perm == order;
    }

    // Before a Reshape of [batch, heads, length, size] to other heads.
    ValueId unshaped(ValueId id) const {
        const Node* node = plain(id, ops::Reshape);
        const auto dims = node ? ints_of(graph_, node->in[1]) : std::nullopt;
        return dims && dims->size() == 4 && (*dims)[0] == 0 && (*dims)[2] == -1 ? node->in[0] : id;
    }

    // What Reshape and Transpose make [batch, heads, length, size].
    ValueId lines_of(ValueId id, int64_t& heads) const {
        const Node* turned = plain(id, ops::Transpose);
        const Node* split = turned && has_order(*turned, {0, 2, 1, 3}) ? plain(turned->in[0], ops::Reshape) : nullptr;
        const auto dims = split ? ints_of(graph_, split->in[1]) : std::nullopt;
        if (!dims || dims->size() != 4 || (*dims)[0] != 0 || (*dims)[1] != 0 || graph_.value(split->in[0]).type.shape.rank() != 3)
            return ValueId::none;
        heads = (*dims)[2];
        return split->in[0];
    }

    bool read_cache(ValueId id, ValueId& fresh, ValueId& past, int64_t& heads) const {
        const Node* both = plain(id, ops::Concat);
        if (!both || both->in.size() != 2 || NodeView(*both).integer("axis") != 2 || !graph_.is_output(id) || !graph_.is_input(both->in[0]))
            return false;
        past = both->in[0];
        fresh = lines_of(both->in[1], heads);
        return fresh != ValueId::none;
    }

    bool read_scores(ValueId id, Found& f) const {
        const Node* sum = plain(id, ops::Add);
        const Node* where = sum ? plain(sum->in[1], ops::Where) : nullptr;
        if (!where || scalar_of(graph_, where->in[1]) != 0.0f || scalar_of(graph_, where->in[2]) != std::numeric_limits<float>::lowest())
            return false;
        ValueId scores = sum->in[0];
        if (const Node* capped = plain(scores, ops::Mul)) {
            const Node* tanh = plain(capped->in[0], ops::Tanh);
            const Node* div = tanh ? plain(tanh->in[0], ops::Div) : nullptr;
            const auto cap = scalar_of(graph_, capped->in[1]);
            if (!div || !cap || scalar_of(graph_, div->in[1]) != cap) return false;
            f.cap = *cap;
            scores = div->in[0];
        }
        const Node* product = plain(unshaped(scores), ops::MatMul);
        const Node* scaled = product ? plain(unshaped(product->in[0]), ops::Mul) : nullptr;
        const Node* turned = product ? plain(product->in[1], ops::Transpose) : nullptr;
        const auto scale = scaled ? scalar_of(graph_, scaled->in[1]) : std::nullopt;
        int64_t heads = 0;
        if (!scale || !turned || !has_order(*turned, {0, 1, 3, 2}) || !read_cache(turned->in[0], f.key, f.past_key, heads)) return false;
        f.scale = *scale;
        f.present_key = turned->in[0];
        f.query = lines_of(scaled->in[0], f.heads);
        if (f.query == ValueId::none || heads != f.kv_heads || heads <= 0 || f.heads <= 0) return false;
        const auto mask = mask_of(where->in[0], graph_.value(f.query).type.shape.dims[1]);
        if (!mask || (mask->padding != ValueId::none && (depends(mask->padding, f.present_key) || depends(mask->padding, f.present_value))))
            return false;
        f.mask = *mask;
        return true;
    }

    std::optional<Mask> mask_of(ValueId id, const Dim& queries) const {
        if (const auto window = order_of(id, queries)) return Mask{ValueId::none, *window};
        const Node* both = plain(id, ops::And);
        const auto window = both ? order_of(both->in[0], queries) : std::nullopt;
        return window ? std::optional(Mask{both->in[1], *window}) : std::nullopt;
    }

    // How many positions before its own a query sees; -1: all. nullopt: others.
    std::optional<int64_t> order_of(ValueId id, const Dim& queries) const {
        if (const Node* seen = plain(id, ops::LessOrEqual))
            return are_places(seen->in[0], seen->in[1], queries) ? std::optional<int64_t>(-1) : std::nullopt;
        const Node* both = plain(id, ops::And);
        const Node* near = both ? plain(both->in[1], ops::GreaterOrEqual) : nullptr;
        const Node* first = near ? plain(near->in[1], ops::Sub) : nullptr;
        if (!first || order_of(both->in[0], queries) != -1 || !are_places(near->in[0], first->in[0], queries)) return std::nullopt;
        const auto window = ints_of(graph_, first->in[1]);
        return window && window->size() == 1 && (*window)[0] >= 0 ? std::optional(window->front()) : std::nullopt;
    }

    // All places of keys, and below one another those of the queries, which are the last ones.
    bool are_places(ValueId columns, ValueId rows, const Dim& queries) const {
        const Node* keys = plain(columns, ops::Range);
        const Node* column = plain(rows, ops::Unsqueeze);
        const Node* last = column && ints_of(graph_, column->in[1]) == Ints{1} ? plain(column->in[0], ops::Range) : nullptr;
        const Node* first = last ? plain(last->in[0], ops::Sub) : nullptr;
        if (!keys || !first || ints_of(graph_, keys->in[0]) != Ints{0} || ints_of(graph_, keys->in[2]) != Ints{1} ||
            ints_of(graph_, last->in[2]) != Ints{1})
            return false;
        return keys->in[1] == last->in[1] && keys->in[1] == first->in[0] && is_length(first->in[1], queries);
    }

    bool is_length(ValueId id, const Dim& dim) const {
        const Node* item = plain(id, ops::Gather);
        const Node* shape = item ? plain(item->in[0], ops::Shape) : nullptr;
        const auto at = shape ? ints_of(graph_, item->in[1]) : std::nullopt;
        if (!at || at->size() != 1) return false;
        const Shape& of = graph_.value(shape->in[0]).type.shape;
        return (*at)[0] >= 0 && static_cast<size_t>((*at)[0]) < of.rank() && same(of.dims[static_cast<size_t>((*at)[0])], dim);
    }

    bool depends(ValueId id, ValueId on) const {
        std::vector<ValueId> open{id};
        std::set<ValueId> seen;
        while (!open.empty()) {
            const ValueId next = open.back();
            open.pop_back();
            if (next == on) return true;
            if (next == ValueId::none || !seen.insert(next).second) continue;
            if (const NodeId by = graph_.value(next).producer; by != NodeId::none)
                open.insert(open.end(), graph_.node(by).in.begin(), graph_.node(by).in.end());
        }
        return false;
    }

    const Graph& graph_;
};

void replace(Graph& graph, NodeId root, const Found& f) {
    Attrs attrs{{"is_causal", int64_t{1}}, {"q_num_heads", f.heads}, {"kv_num_heads", f.kv_heads}, {"scale", f.scale}};
    if (f.cap > 0) attrs["softcap"] = f.cap;
    if (f.mask.window >= 0) attrs["left_window_size"] = f.mask.window;
    const ValueId before = graph.node(root).in[0];
    for (const ValueId present : {f.present_key, f.present_value}) graph.erase(graph.value(present).producer);
    const NodeId made = take_over(graph, graph.node(root).out[0], need_op(ops::Attention),
                                  {f.query, f.key, f.value, f.mask.padding, f.past_key, f.past_value}, std::move(attrs));
    for (const ValueId present : {f.present_key, f.present_value}) {
        graph.node(made).out.push_back(present);
        graph.value(present).producer = made;
    }
    erase_unread(graph, before);
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo()) {
        if (graph.node(id).erased) continue;
        const auto found = Reader(graph).read(graph.node(id));
        if (!found) continue;
        replace(graph, id, *found);
        ++changes;
    }
    if (changes > 0) graph.sort();
    return changes;
}

}  // namespace

constinit const Pass fuse_attention{"fuse_attention", "recognise causal Attention over caches in its elementary operations",
                                    [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f, false};

}  // namespace quern
