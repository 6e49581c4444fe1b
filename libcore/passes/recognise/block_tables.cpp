#include "libcore/passes/recognise/block_tables.h"

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"
#include "libcore/os/spool.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr DType number = DType::f32;

ValueId add_node(Graph& graph, OpId op, const std::string& name, std::vector<ValueId> in, Attrs attrs = {}, DType dtype = number) {
    const ValueId out = graph.add_value(graph.unique_name(name), Type::tensor(dtype));
    graph.add_node(need_op(op), graph.unique_node_name(name), std::move(in), {out}, std::move(attrs));
    return out;
}

// The same bytes with a dim of 1 behind `axis`.
Tensor with_dim(const Tensor& tensor, size_t axis) {
    Dims dims = tensor.dims;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
    return {tensor.dtype, std::move(dims), tensor.data};
}

// What one Gather of the table gives, by its parts.
void look_up(Graph& graph, NodeId gather, ValueId codes, ValueId scale, ValueId min, int64_t block) {
    const ValueId ids = graph.node(gather).in[1], to = graph.node(gather).out[0];
    const std::string name = graph.node(gather).name;
    const auto rows = [&](ValueId table, const char* what, DType dtype) {
        return add_node(graph, ops::Gather, name + what, {table, ids}, {}, dtype);
    };
    const ValueId some = rows(codes, "_codes", graph.value(codes).type.dtype), scales = rows(scale, "_scales", number);
    const ValueId mins = min == ValueId::none ? min : rows(min, "_minima", number);
    const Attrs blocks{{"axis", int64_t{-1}}, {"block_size", block}};
    graph.node(gather).out[0] = ValueId::none;
    graph.value(to).producer = NodeId::none;
    graph.erase(gather);
    if (mins == ValueId::none) {
        graph.add_node(need_op(ops::DequantizeLinear), name, {some, scales}, {to}, blocks);
        return;
    }
    const ValueId scaled = add_node(graph, ops::DequantizeLinear, name + "_scaled", {some, scales}, blocks);
    const auto shape = [&](const char* what, std::vector<int64_t> dims) {
        return graph.add_constant(name + what, Tensor::vector<int64_t>(dims));
    };
    const Dims table = *graph.value(codes).type.shape.concrete();
    const ValueId last = shape("_last", {-1});
    const ValueId column = add_node(graph, ops::Unsqueeze, name + "_minimum", {mins, last});
    // The dims of the ids, then these.
    const auto dims_with = [&](const char* what, const std::vector<int64_t>& dims) {
        const ValueId first = add_node(graph, ops::Shape, name + "_shape", {ids}, {}, DType::i64);
        return add_node(graph, ops::Concat, name + what, {first, shape("_tail", dims)}, {{"axis", int64_t{0}}}, DType::i64);
    };
    const ValueId apart = add_node(graph, ops::Reshape, name + "_blocks", {scaled, dims_with("_dims", {table[1] / block, block})});
    const ValueId sum = add_node(graph, ops::Add, name + "_sum", {apart, column});
    graph.add_node(need_op(ops::Reshape), name, {sum, dims_with("_back", {table[1]})}, {to});
}

}  // namespace

void add_minima(Graph& graph, ValueId scaled, const Encoding& e, const Dims& dims, ValueId to) {
    const std::string name = graph.value(to).name;
    const auto axis = static_cast<size_t>(e.axis);
    if (dims[axis] % e.block != 0) throw unsupported("value \"{}\" has minima of a block that is not full, which ONNX cannot say", name);
    std::vector<int64_t> apart(dims.begin(), dims.end());
    apart[axis] = dims[axis] / e.block;
    apart.insert(apart.begin() + e.axis + 1, e.block);
    Tensor min = e.min;
    min.dims = dims;
    min.dims[axis] = dims[axis] / e.block;
    const auto shape = [&](const char* what, std::span<const int64_t> items) {
        return graph.add_constant(name + what, Tensor::vector<int64_t>(items));
    };
    const ValueId blocks = add_node(graph, ops::Reshape, name + "_blocks", {scaled, shape("_apart", apart)});
    const ValueId sum = add_node(graph, ops::Add, name + "_sum", {blocks, graph.add_constant(name + "_min", with_dim(min, axis))});
    graph.add_node(need_op(ops::Reshape), graph.unique_node_name(name + "_joined"), {sum, shape("_dims", dims)}, {to});
}

bool is_block_table(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    const auto dims = value.type.shape.concrete();
    if (!value.enc || value.enc->block <= 0 || value.enc->axis != 1 || !dims || dims->size() != 2 || graph.is_output(id)) return false;
    const std::vector<Use> uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        if (use.node == NodeId::none || use.index != 0) return false;
        const Node& node = graph.node(use.node);
        return node.is(ops::Gather) && NodeView(node).integer("axis") == 0;
    });
}

void lower_block_table(Graph& graph, ValueId id) {
    const Encoding e = *graph.value(id).enc;
    const std::string name = graph.value(id).name;
    const Dims dims = *graph.value(id).type.shape.concrete();
    Tensor bytes = in_bytes({e.storage, dims, *graph.value(id).data});  // ONNX looks up no codes of 4 bits
    bytes.data = Spool().put(std::move(bytes.data));
    const ValueId codes = graph.add_constant(name + "_quantized", bytes);
    const ValueId scale = graph.add_constant(name + "_scale", e.scale);
    const ValueId min = e.min.defined() ? graph.add_constant(name + "_min", e.min) : ValueId::none;
    for (const Use& use : graph.uses(id)) look_up(graph, use.node, codes, scale, min, e.block);
    graph.erase(id);
}

}  // namespace quern
