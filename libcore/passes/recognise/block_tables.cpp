#include "libcore/passes/recognise/block_tables.h"

#include <algorithm>
#include <bit>

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

// A table by its parts, each with a row for each of its rows.
struct Table {
    ValueId codes, scale, zero = ValueId::none, min = ValueId::none;
    int64_t row, block;  // block 0: one scale per row
};

// What one Gather of the table gives.
class LookUp {
   public:
    LookUp(Graph& graph, NodeId gather, const Table& table)
        : graph_(graph),
          table_(table),
          ids_(graph.node(gather).in[1]),
          to_(graph.node(gather).out[0]),
          attrs_(graph.node(gather).attrs),
          name_(graph.node(gather).name) {
        graph_.node(gather).out[0] = ValueId::none;
        graph_.value(to_).producer = NodeId::none;
        graph_.erase(gather);
    }

    void run() {
        const ValueId codes = rows(table_.codes, "_codes", graph_.value(table_.codes).type.dtype),
                      scales = rows(table_.scale, "_scales", number);
        if (table_.block == 0) return scale_rows(codes, scales);
        std::vector<ValueId> in{codes, scales};
        if (table_.zero != ValueId::none) in.push_back(rows(table_.zero, "_zeros", graph_.value(table_.zero).type.dtype));
        const Attrs blocks{{"axis", int64_t{-1}}, {"block_size", table_.block}};
        if (table_.min == ValueId::none)
            graph_.add_node(need_op(ops::DequantizeLinear), name_, std::move(in), {to_}, blocks);
        else
            add_rows_of_minima(add_node(graph_, ops::DequantizeLinear, name_ + "_scaled", std::move(in), blocks));
    }

   private:
    ValueId rows(ValueId table, const char* what, DType dtype) {
        return add_node(graph_, ops::Gather, name_ + what, {table, ids_}, attrs_, dtype);
    }

    void scale_rows(ValueId codes, ValueId scales) {
        const ValueId numbers = add_node(graph_, ops::Cast, name_ + "_numbers", {codes}, {{"to", int64_t{row_of(number).onnx}}});
        graph_.add_node(need_op(ops::Mul), name_, {numbers, scales}, {to_});
    }

    ValueId shape(const char* what, std::vector<int64_t> dims) { return graph_.add_constant(name_ + what, Tensor::vector<int64_t>(dims)); }
    // The dims of the ids, then these.
    ValueId dims_with(const char* what, const std::vector<int64_t>& dims) {
        const ValueId first = add_node(graph_, ops::Shape, name_ + "_shape", {ids_}, {}, DType::i64);
        return add_node(graph_, ops::Concat, name_ + what, {first, shape("_tail", dims)}, {{"axis", int64_t{0}}}, DType::i64);
    }

    void add_rows_of_minima(ValueId scaled) {
        const ValueId mins = rows(table_.min, "_minima", number), last = shape("_last", {-1});
        const ValueId column = add_node(graph_, ops::Unsqueeze, name_ + "_minimum", {mins, last});
        const int64_t row = table_.row, block = table_.block;
        const ValueId apart = add_node(graph_, ops::Reshape, name_ + "_blocks", {scaled, dims_with("_dims", {row / block, block})});
        const ValueId sum = add_node(graph_, ops::Add, name_ + "_sum", {apart, column});
        graph_.add_node(need_op(ops::Reshape), name_, {sum, dims_with("_back", {row})}, {to_});
    }

    Graph& graph_;
    const Table& table_;
    const ValueId ids_, to_;
    const Attrs attrs_;  // as the lookup says its axis
    const std::string name_;
};

// Scales, zero points or minima with a row for each of the table's: those of whole rows as one column.
Tensor in_rows(Tensor tensor) {
    if (tensor.dims.size() == 1) tensor.dims.push_back(1);
    return tensor;
}

// The block size by which com.microsoft's GatherBlockQuantized reads such rows of 4-bit codes: a power of two, 16 at least, and of a row
// that is one block whatever covers it. 0: it does not.
int64_t contrib_block(const Encoding& e, int64_t row) {
    if (bits_of(e.storage) != 4 || e.min.defined()) return 0;
    const auto block = static_cast<uint64_t>(
        e.block == 0 || e.block >= row ? std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(row, 16))) : static_cast<uint64_t>(e.block));
    return block >= 16 && std::has_single_bit(block) ? static_cast<int64_t>(block) : 0;
}

void look_up_packed(Graph& graph, ValueId id, int64_t block) {
    const Encoding e = *graph.value(id).enc;
    const std::string name = graph.value(id).name;
    const Dims dims = *graph.value(id).type.shape.concrete();
    const ValueId codes = graph.add_constant(name + "_quantized", {e.storage, dims, *graph.value(id).data});
    const ValueId scale = graph.add_constant(name + "_scale", in_rows(from_floats(number, e.scale.dims, to_floats(e.scale))));
    const ValueId zero = e.symmetric() ? ValueId::none : graph.add_constant(name + "_zero_point", in_rows(e.zero));
    const Attrs attrs{{"bits", int64_t{4}}, {"block_size", block}, {"gather_axis", int64_t{0}}, {"quantize_axis", int64_t{1}}};
    for (const Use& use : graph.uses(id)) {
        std::vector<ValueId> in{codes, graph.node(use.node).in[1], scale};
        if (zero != ValueId::none) in.push_back(zero);
        take_over(graph, graph.node(use.node).out[0], need_op(ops::microsoft::GatherBlockQuantized), std::move(in), attrs);
    }
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

bool is_row_table(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    const auto dims = value.type.shape.concrete();
    if (!value.constant() || !value.enc || value.enc->format || !dims || dims->size() != 2 || graph.is_output(id)) return false;
    const Encoding& e = *value.enc;
    const bool rows = e.axis == 0 && e.block == 0 && (e.symmetric() || bits_of(e.storage) == 4);
    if (!is_integer(e.storage) || bits_of(e.storage) < 4 || !(rows || (e.axis == 1 && e.block > 0))) return false;
    const std::vector<Use> uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        if (use.node == NodeId::none || use.index != 0) return false;
        const Node& node = graph.node(use.node);
        return node.is(ops::Gather) && NodeView(node).integer("axis") == 0;
    });
}

void lower_row_table(Graph& graph, ValueId id, bool standard) {
    const Encoding e = *graph.value(id).enc;
    const Dims dims = *graph.value(id).type.shape.concrete();
    if (const int64_t block = standard ? 0 : contrib_block(e, dims[1]); block > 0) {
        look_up_packed(graph, id, block);
        return graph.erase(id);
    }
    const std::string name = graph.value(id).name;
    Tensor bytes = in_bytes({e.storage, dims, *graph.value(id).data});  // ONNX looks up no codes of 4 bits
    bytes.data = Spool().put(std::move(bytes.data));
    const auto part = [&](const char* what, const Tensor& tensor) { return graph.add_constant(name + what, in_rows(tensor)); };
    Table table{
        .codes = graph.add_constant(name + "_quantized", bytes), .scale = part("_scale", e.scale), .row = dims[1], .block = e.block};
    if (!e.symmetric()) table.zero = part("_zero_point", in_bytes(e.zero));
    if (e.min.defined()) table.min = part("_min", e.min);
    for (const Use& use : graph.uses(id)) LookUp(graph, use.node, table).run();
    graph.erase(id);
}

}  // namespace quern
