#include "libcore/passes/static_cache.h"

#include <numeric>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr std::string_view positions_name = "position_ids";
constexpr size_t mask_operand = 3, past_key = 4, past_value = 5;

ValueId output_of(const Node& node, size_t i) { return i < node.out.size() ? node.out[i] : ValueId::none; }

bool grows(const Graph& graph, const Node& node) {
    if (!node.is(ops::Attention) || NodeView(node).integer("is_causal") == 0) return false;
    for (const size_t i : {past_key, past_value})
        if (input_of(node, i) == ValueId::none || !graph.is_input(node.in[i])) return false;
    return output_of(node, 1) != ValueId::none && output_of(node, 2) != ValueId::none && graph.is_output(node.out[1]) &&
           graph.is_output(node.out[2]);
}

class CacheMaker {
   public:
    CacheMaker(Graph& graph, int64_t capacity) : graph_(graph), capacity_(capacity), positions_(graph.find(positions_name)) {}

    void run() {
        std::vector<NodeId> all;
        for (const NodeId id : graph_.order())
            if (grows(graph_, graph_.node(id))) all.push_back(id);
        before_ = all.front();
        first_ = first_positions();
        lengths_ = lengths();
        for (const NodeId id : all) {
            const Node& node = graph_.node(id);
            at_place(fmt::format("node \"{}\" (Attention)", node.name), [&] { change(id); });
        }
        drop_mask();
        graph_.sort();
        infer_types(graph_);
    }

   private:
    ValueId add(OpId op, const std::string& name, std::vector<ValueId> in, DType dtype, Attrs attrs = {}) {
        const ValueId out = graph_.add_value(graph_.unique_name(name), Type::tensor(dtype));
        graph_.add_node(need_op(op), graph_.unique_node_name(name), std::move(in), {out}, std::move(attrs), before_);
        return out;
    }
    ValueId whole(const std::string& name, std::vector<int64_t> numbers) {
        return graph_.add_constant(name, Tensor::vector<int64_t>(numbers));
    }

    // [batch]: where each row begins.
    ValueId first_positions() {
        const ValueId zero = graph_.add_constant("cache.first", Tensor::scalar<int64_t>(0));
        return add(ops::Gather, "cache.begin", {positions_, zero}, DType::i64, {{"axis", int64_t{1}}});
    }
    // [batch]: how many positions of each row are filled after this run.
    ValueId lengths() {
        const ValueId last =
            add(ops::ReduceMax, "cache.last", {positions_, whole("cache.axes", {1})}, DType::i64, {{"keepdims", int64_t{0}}});
        return add(ops::Add, "cache.length", {last, graph_.add_constant("cache.one", Tensor::scalar<int64_t>(1))}, DType::i64);
    }

    // bool [batch, 1, sequence, capacity]: which positions each token sees; window < 0: all before it.
    ValueId seen(int64_t window) {
        if (const auto found = masks_.find(window); found != masks_.end()) return found->second;
        std::vector<int64_t> places(static_cast<size_t>(capacity_));
        std::iota(places.begin(), places.end(), 0);
        const std::string name = window < 0 ? "cache.seen" : fmt::format("cache.seen_{}", window);
        const ValueId own = add(ops::Unsqueeze, name + ".rows", {positions_, whole(name + ".axes", {1, 3})}, DType::i64);
        const ValueId all = whole(name + ".places", places);
        ValueId mask = add(ops::LessOrEqual, name, {all, own}, DType::boolean);
        if (window >= 0) {
            const ValueId least = add(ops::Sub, name + ".first", {own, whole(name + ".window", {window})}, DType::i64);
            mask = add(ops::And, name + ".near", {mask, add(ops::GreaterOrEqual, name + ".inside", {all, least}, DType::boolean)},
                       DType::boolean);
        }
        return masks_[window] = mask;
    }

    // [batch, length, heads * size] to [batch, heads, length, size].
    ValueId heads_of(ValueId x, int64_t heads, const std::string& name) {
        if (graph_.value(x).type.shape.rank() == 4) return x;
        const ValueId apart = add(ops::Reshape, name + ".heads", {x, whole(name + ".shape", {0, 0, heads, -1})}, DType::f32);
        return add(ops::Transpose, name + ".by_head", {apart}, DType::f32, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    }

    // The cache with the new positions, under the name of what grew.
    void write_into(NodeId id, size_t past, size_t fresh, size_t present) {
        const ValueId cache = graph_.node(id).in[past], to = graph_.node(id).out[present];
        graph_.value(cache).type.shape.dims.at(2) = Dim::of(capacity_);
        graph_.value(to).type.shape = Shape::unranked();
        const ValueId rows = heads_of(graph_.node(id).in[fresh], NodeView(graph_.node(id)).integer("kv_num_heads"), graph_.value(to).name);
        graph_.node(id).out[present] = ValueId::none;
        graph_.value(to).producer = NodeId::none;
        graph_.add_node(need_op(ops::TensorScatter), graph_.unique_node_name(graph_.value(to).name), {cache, rows, first_}, {to}, {}, id);
        graph_.node(id).in[fresh] = to;
        graph_.node(id).in[past] = ValueId::none;
    }

    void change(NodeId id) {
        const NodeView view(graph_.node(id));
        for (size_t i = 6; i < graph_.node(id).in.size(); ++i)
            if (graph_.node(id).in[i] != ValueId::none) throw unsupported("has lengths already");
        if (view.integer("right_window_size") >= 0) throw unsupported("has a window to the right");
        before_ = id;
        const int64_t window = view.integer("left_window_size");
        write_into(id, past_key, 1, 1);
        write_into(id, past_value, 2, 2);
        widen(id, view.integer("q_num_heads"));
        Node& node = graph_.node(id);
        for (const char* name : {"is_causal", "left_window_size", "q_num_heads", "kv_num_heads"}) node.attrs.erase(name);
        node.out.resize(1);
        std::vector<ValueId> in(node.in.begin(), node.in.end());
        in.resize(7, ValueId::none);
        in[mask_operand] = seen(window);
        in[6] = lengths_;
        node.in = in;
    }

    // Queries and results by head, too, as keys and values are.
    void widen(NodeId id, int64_t heads) {
        const std::string name = graph_.node(id).name;
        if (graph_.value(graph_.node(id).in[0]).type.shape.rank() == 4) return;
        graph_.node(id).in[0] = heads_of(graph_.node(id).in[0], heads, name + ".query");
        const ValueId y = graph_.node(id).out[0];
        const auto& shape = graph_.value(y).type.shape;
        if (shape.rank() != 3 || !shape.dims[2].known()) throw unsupported("has a result of an unknown width");
        const int64_t width = shape.dims[2].value;
        const ValueId by_head = graph_.add_value(graph_.unique_name(name + ".by_head"), Type::tensor(DType::f32));
        graph_.node(id).out[0] = by_head;
        graph_.value(by_head).producer = id;
        graph_.value(y).producer = NodeId::none;
        const ValueId lines = graph_.add_value(graph_.unique_name(name + ".lines"), Type::tensor(DType::f32));
        const std::vector<NodeId>& order = graph_.order();
        const auto next = std::next(std::ranges::find(order, id));
        const NodeId behind = next == order.end() ? NodeId::none : *next;
        graph_.add_node(need_op(ops::Transpose), graph_.unique_node_name(name + ".lines"), {by_head}, {lines},
                        {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}, behind);
        graph_.add_node(need_op(ops::Reshape), graph_.unique_node_name(name + ".joined"), {lines, whole(name + ".width", {0, 0, width})},
                        {y}, {}, behind);
    }

    // What made the old mask, and the input that it came of if nobody else reads it.
    void drop_mask() {
        drop_dead.run(graph_);
        std::erase_if(graph_.inputs,
                      [&](ValueId id) { return id != positions_ && graph_.value(id).name == "attention_mask" && graph_.uses(id).empty(); });
    }

    Graph& graph_;
    int64_t capacity_;
    ValueId positions_;
    NodeId before_ = NodeId::none;
    ValueId first_ = ValueId::none, lengths_ = ValueId::none;
    std::map<int64_t, ValueId> masks_;
};

}  // namespace

bool has_growing_caches(const Graph& graph) {
    const ValueId positions = graph.find(positions_name);
    return positions != ValueId::none && graph.is_input(positions) && graph.value(positions).type.shape.rank() == 2 &&
           std::ranges::any_of(graph.order(), [&](NodeId id) { return grows(graph, graph.node(id)); });
}

void make_static_caches(Graph& graph, int64_t capacity) {
    if (!has_growing_caches(graph)) throw unsupported("there are no caches of keys and values that grow");
    CacheMaker(graph, capacity).run();
}

}  // namespace quern
