// MatMul by a constant [K, N], Add of N constant numbers, an activation that the codes of the sums wait for:
//     [..., K] -> Reshape [rows, K] -> Gemm -> activation -> Reshape [..., N]
// Data of two dims needs no Reshape, and nothing behind the Gemm moves.
#include "libcore/passes/make_gemm.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Ints = std::vector<int64_t>;

class Product {
   public:
    Product(Graph& graph, NodeId id)
        : graph_(graph), id_(id), x_(graph.node(id).in[0]), weights_(graph.node(id).in[1]), result_(graph.node(id).out[0]) {}

    // Is it a product that can be Gemm? Finds what belongs to it.
    bool find() {
        const auto weights = graph_.value(weights_).type.shape.concrete();
        const Shape& x = graph_.value(x_).type.shape;
        if (!graph_.value(weights_).constant() || !weights || weights->size() != 2 || !x.ranked || x.rank() < 2) return false;
        depth_ = (*weights)[0];
        units_ = (*weights)[1];
        rank_ = x.rank();
        if (const NodeId add = reader(); add != NodeId::none && graph_.node(add).is(ops::Add) && !take_bias(add)) return false;
        if (rank_ == 2) return true;
        const auto& enc = graph_.value(x_).enc;
        if (enc && enc->is_dynamic()) return false;  // each Reshape would measure again
        find_activation();
        return find_shape();
    }

    bool on_codes() const { return graph_.value(x_).enc && graph_.value(result_).enc; }

    void make() {
        const ValueId product = graph_.node(id_).out[0];
        const Node& matmul = graph_.node(id_);
        const std::string name = matmul.name;
        const Attrs attrs = matmul.attrs;
        std::vector<ValueId> in{x_, weights_};
        if (bias_ != ValueId::none) in.push_back(bias_);
        NodeId gemm = NodeId::none;
        if (rank_ == 2) {
            gemm = take_over(graph_, result_, need_op(ops::Gemm), in, attrs);
        } else {
            in[0] = add("rows", ops::Reshape, {x_, numbers("rows_shape", {-1, depth_})}, graph_.value(x_).enc);
            const bool active = activation_ != NodeId::none;
            ValueId made = add("product", ops::Gemm, in, active ? std::nullopt : graph_.value(result_).enc, attrs);
            gemm = last_;
            if (active) made = add_activation(made);
            take_over(graph_, result_, need_op(ops::Reshape), {made, numbers("shape", shape_)});
        }
        erase_unread(graph_, activation_ == NodeId::none ? product : summed_);
        if (graph_.find_node(name) == NodeId::none) graph_.rename(gemm, name);
    }

   private:
    // The only node that reads the result; none if the result is held as codes.
    NodeId reader() const { return graph_.value(result_).enc ? NodeId::none : graph_.only_reader(result_); }

    // False for a summand of codes that is not a bias: the two are one on codes, and stay so.
    bool take_bias(NodeId id) {
        const Node& node = graph_.node(id);
        const ValueId other = node.in[node.in[0] == result_ ? 1 : 0];
        const auto dims = graph_.value(other).type.shape.concrete();
        if (graph_.value(other).constant() && dims && !dims->empty() && dims->size() <= 2 && dims->back() == units_ &&
            count_of(*dims) == units_) {
            bias_ = other;
            result_ = node.out[0];
            return true;
        }
        return !graph_.value(node.out[0]).enc;
    }

    void find_activation() {
        const NodeId id = reader();
        if (id == NodeId::none) return;
        const Node& node = graph_.node(id);
        if (!has(node.op->traits, Trait::activation) || node.in[0] != result_ || !graph_.value(node.out[0]).enc) return;
        activation_ = id;
        summed_ = result_;
        result_ = node.out[0];
    }

    // As a constant: one dim may be open.
    bool find_shape() {
        for (const Dim& dim : graph_.value(x_).type.shape.dims) shape_.push_back(dim.known() ? dim.value : -1);
        shape_.back() = units_;
        return std::ranges::count(shape_, -1) < 2 && std::ranges::count(shape_, 0) == 0;
    }

    ValueId add(std::string_view what, OpId op, std::vector<ValueId> in, const std::optional<Encoding>& enc, Attrs attrs = {}) {
        const ValueId made = graph_.add_value(graph_.unique_name(graph_.value(result_).name + "/" + std::string(what)), Type{});
        graph_.value(made).enc = enc;
        const NodeId before = graph_.value(result_).producer;
        const std::string name = graph_.unique_node_name(graph_.node(id_).name + "/" + std::string(what));
        last_ = graph_.add_node(need_op(op), name, std::move(in), {made}, std::move(attrs), before);
        graph_.node(last_).scope = graph_.node(id_).scope;
        graph_.node(last_).device = graph_.node(id_).device;
        return made;
    }

    ValueId add_activation(ValueId sums) {
        const Node& node = graph_.node(activation_);
        std::vector<ValueId> in = node.in;
        in[0] = sums;
        return add("active", node.op->id(), in, graph_.value(result_).enc, node.attrs);
    }

    ValueId numbers(std::string_view what, const Ints& items) {
        return graph_.add_constant(graph_.value(result_).name + "/" + std::string(what), Tensor::vector<int64_t>(items));
    }

    Graph& graph_;
    NodeId id_, activation_ = NodeId::none, last_ = NodeId::none;
    ValueId x_, weights_, bias_ = ValueId::none, result_;  // behind the bias and the activation
    ValueId summed_ = ValueId::none;                       // what the activation read
    size_t rank_ = 0;
    int64_t depth_ = 0, units_ = 0;
    Ints shape_;
};

int make_all(Graph& graph) { return make_gemms(graph, Products::all); }
int make_everywhere(Graph& graph) { return on_every_graph(graph, make_all); }

}  // namespace

int make_gemms(Graph& graph, Products which) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (graph.node(id).erased || !graph.node(id).is(ops::MatMul)) continue;
        Product product(graph, id);
        if (!product.find() || (which == Products::on_codes && !product.on_codes())) continue;
        product.make();
        ++changes;
    }
    return changes;
}

namespace {

ValueId scaled(Graph& graph, ValueId id, float factor, int64_t copies) {
    const Tensor from = *graph.constant(id);
    std::vector<float> items = to_floats(from);
    for (float& item : items) item *= factor;
    Dims dims = from.dims;
    if (copies > 1) {
        items.assign(static_cast<size_t>(copies), items.at(0));
        dims = {copies};
    }
    return graph.add_constant(graph.value(id).name, from_floats(from.dtype, dims, items));
}

// Operand `i` takes in its factor, and is given once for each unit.
bool absorb(Graph& graph, Node& node, size_t i, const char* attribute, int64_t units) {
    const float factor = NodeView(node).real(attribute);
    if (!is_plain_constant(graph, input_of(node, i))) return false;
    const auto dims = stored_dims(graph.value(node.in[i]));
    const bool one = i == 2 && count_of(dims) == 1 && units > 1;
    if (factor == 1 && !one) return false;
    node.in[i] = scaled(graph, node.in[i], factor, one ? units : 1);
    node.attrs.erase(attribute);
    return true;
}

int absorb_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        if (!node.is(ops::Gemm)) continue;
        const Shape& shape = graph.value(node.out[0]).type.shape;
        const int64_t units = shape.ranked && shape.rank() == 2 && shape.dims[1].known() ? shape.dims[1].value : 0;
        changes += absorb(graph, node, 1, "alpha", units);
        changes += absorb(graph, node, 2, "beta", units);
    }
    return changes;
}

}  // namespace

int absorb_factors(Graph& graph) { return on_every_graph(graph, absorb_in); }

constinit const Pass make_gemm{"make_gemm", "rewrite products with constant matrices, and what is added to them, as Gemm", make_everywhere,
                               1e-5f, false};

}  // namespace quern
