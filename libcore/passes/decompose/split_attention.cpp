// com.microsoft.Attention with a constant projection of its input:
//     x -> MatMul -> Add -> Split -> MultiHeadAttention
// whose caches of keys and of values are two where Attention's is one.
// The projection holds most weights of a transformer's attention, and as a product it can be quantized like any other.
#include <utility>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

namespace packed_in {
constexpr size_t weights = 1, bias = 2, mask = 3, past = 4, scores_bias = 5, past_length = 6;
}

class Splitting {
   public:
    Splitting(Graph& graph, NodeId id) : graph_(graph), id_(id), node_(graph.node(id)) {}

    // MultiHeadAttention does not rotate, and shares no buffers.
    bool possible() const {
        using namespace packed_in;
        const Value& projection = graph_.value(node_.in[weights]);
        const Shape& x = graph_.value(node_.in[0]).type.shape;
        if (!projection.constant() || projection.type.dtype != DType::f32 || !x.ranked || x.rank() != 3) return false;
        if (in(past_length) != ValueId::none) return false;
        const NodeView view(node_);
        return view.integer("do_rotary") == 0 && view.integer("past_present_share_buffer") == 0 && mask_is_known(x);
    }

    void split() {
        using namespace packed_in;
        const std::vector<int64_t> sizes = columns();
        const std::vector<Dim> dims = graph_.value(node_.in[0]).type.shape.dims;
        const auto type = [&](int64_t last) { return Type::tensor(DType::f32, Shape::of_dims({dims[0], dims[1], Dim::of(last)})); };
        const int64_t all = sizes[0] + sizes[1] + sizes[2];
        ValueId data = add(ops::MatMul, "projected", {in(0), in(weights)}, type(all));
        if (in(bias) != ValueId::none) data = add(ops::Add, "biased", {data, in(bias)}, type(all));
        std::vector<ValueId> parts;
        for (size_t i = 0; i < sizes.size(); ++i)
            parts.push_back(graph_.add_value(graph_.unique_name(name() + "/" + std::string(1, "qkv"[i])), type(sizes[i])));
        const ValueId counts = graph_.add_constant(graph_.unique_name(name() + "/columns"), Tensor::vector<int64_t>(sizes));
        place(graph_.add_node(need_op(ops::Split), graph_.unique_node_name(node_.name + "/Split"), {data, counts}, parts,
                              {{"axis", int64_t{2}}}, id_));
        Attrs attrs;
        for (const char* kept : {"num_heads", "scale", "mask_filter_value", "unidirectional"})
            if (const auto found = node_.attrs.find(kept); found != node_.attrs.end()) attrs.insert(*found);
        std::vector<ValueId> operands{parts[0], parts[1], parts[2], ValueId::none, in(mask), in(scores_bias)};
        if (in(past) != ValueId::none)
            for (const int64_t half : {0, 1}) operands.push_back(half_of_past(half));
        const std::vector<ValueId> halves = halves_of_present();
        const NodeId made =
            take_over(graph_, node_.out[0], need_op(ops::microsoft::MultiHeadAttention), std::move(operands), std::move(attrs));
        for (const ValueId half : halves) {
            graph_.node(made).out.push_back(half);
            graph_.value(half).producer = made;
        }
    }

   private:
    ValueId in(size_t i) const { return input_of(node_, i); }
    const std::string& name() const { return graph_.value(node_.out[0]).name; }

    // Ends of rows, keys or pairs, whose forms are those of MultiHeadAttention; not ends and starts in one list.
    bool mask_is_known(const Shape& x) const {
        if (in(packed_in::mask) == ValueId::none) return true;
        const Shape& mask = graph_.value(in(packed_in::mask)).type.shape;
        return mask.ranked && ((mask.rank() == 1 && mask.dims[0] == x.dims[0]) || mask.rank() == 2 || mask.rank() == 3);
    }

    // Keys or values of [2, batch, heads, length, size].
    ValueId half_of_past(int64_t half) {
        Type type = graph_.value(in(packed_in::past)).type;
        if (type.shape.ranked) type.shape.dims.erase(type.shape.dims.begin());
        const ValueId at = graph_.add_constant(name() + "/half", Tensor::scalar(half));
        return add(ops::Gather, half == 0 ? "past_keys" : "past_values", {in(packed_in::past), at}, std::move(type));
    }

    // The new keys and values, which are joined here for consumers of both.
    std::vector<ValueId> halves_of_present() {
        if (node_.out.size() < 2 || node_.out[1] == ValueId::none) return {};
        const ValueId present = std::exchange(graph_.node(id_).out[1], ValueId::none);
        const ValueId front = graph_.add_constant(name() + "/front", Tensor::vector<int64_t>(std::vector<int64_t>{0}));
        std::vector<ValueId> halves, parts;
        for (const char* what : {"present_keys", "present_values"}) {
            halves.push_back(graph_.add_value(graph_.unique_name(name() + "/" + what), Type::tensor(DType::f32, Shape::of_rank(4))));
            parts.push_back(
                add(ops::Unsqueeze, std::string(what) + "_in_front", {halves.back(), front}, Type::tensor(DType::f32, Shape::of_rank(5))));
        }
        place(graph_.add_node(need_op(ops::Concat), graph_.unique_node_name(node_.name + "/Concat"), std::move(parts), {present},
                              {{"axis", int64_t{0}}}, id_));
        return halves;
    }

    std::vector<int64_t> columns() const {
        const std::vector<int64_t> stated = NodeView(node_).integers("qkv_hidden_sizes");
        const int64_t all = graph_.value(in(packed_in::weights)).type.shape.dims[1].value;
        return stated.empty() ? std::vector<int64_t>(3, all / 3) : stated;
    }

    ValueId add(OpId op, std::string_view what, std::vector<ValueId> inputs, Type type) {
        const ValueId made = graph_.add_value(graph_.unique_name(name() + "/" + std::string(what)), std::move(type));
        place(graph_.add_node(need_op(op), graph_.unique_node_name(node_.name + "/" + std::string(op.name)), std::move(inputs), {made}, {},
                              id_));
        return made;
    }

    void place(NodeId made) {
        graph_.node(made).scope = node_.scope;
        graph_.node(made).device = node_.device;
    }

    Graph& graph_;
    NodeId id_;
    const Node node_;  // as it was
};

int split_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!graph.node(id).is(ops::microsoft::Attention)) continue;
        Splitting splitting(graph, id);
        if (!splitting.possible()) continue;
        splitting.split();
        ++changes;
    }
    if (changes > 0) graph.sort();  // what joins caches stood before
    return changes;
}

}  // namespace

constinit const Pass split_attention{"split_attention",
                                     "com.microsoft.Attention becomes the product that projects its input and MultiHeadAttention",
                                     [](Graph& graph) { return on_every_graph(graph, split_in); }, 1e-5f, false};

}  // namespace quern
