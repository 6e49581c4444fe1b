#include "libcore/passes/recognise/block_tables.h"

#include <map>

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

// A table by its parts, constants that Gather looks rows up in; `minima`: of blocks, or none.
struct Table {
    ValueId codes, scales, zeros = ValueId::none, minima = ValueId::none;
    bool by_row = false;   // scales and zero points are looked up, too; else they are those of all rows
    bool spelled = false;  // by Cast, Sub and Mul, where DequantizeLinear has no blocks yet
    Attrs linear;          // of DequantizeLinear
    Dims dims;
};

class LookUp {
   public:
    LookUp(Graph& graph, NodeId gather, const Table& table)
        : graph_(graph), table_(table), name_(graph.node(gather).name), ids_(graph.node(gather).in[1]), to_(graph.node(gather).out[0]) {
        graph.node(gather).out[0] = ValueId::none;
        graph.value(to_).producer = NodeId::none;
        graph.erase(gather);
    }

    void write() {
        if (table_.spelled) return spell_out();
        std::vector<ValueId> in{rows(table_.codes, "_codes"), by_row(table_.scales, "_scales")};
        if (table_.zeros != ValueId::none) in.push_back(by_row(table_.zeros, "_zeros"));
        if (table_.minima == ValueId::none) {
            graph_.add_node(need_op(ops::DequantizeLinear), name_, std::move(in), {to_}, table_.linear);
            return;
        }
        add_minima(add_node(graph_, ops::DequantizeLinear, name_ + "_scaled", std::move(in), table_.linear));
    }

   private:
    ValueId rows(ValueId table, const char* what) {
        return add_node(graph_, ops::Gather, name_ + what, {table, ids_}, {}, graph_.value(table).type.dtype);
    }
    ValueId by_row(ValueId table, const char* what) { return table_.by_row ? rows(table, what) : table; }

    void spell_out() {
        const auto number = [&](ValueId x, const char* what) {
            return add_node(graph_, ops::Cast, name_ + what, {x}, {{"to", int64_t{row_of(DType::f32).onnx}}});
        };
        ValueId numbers = number(rows(table_.codes, "_codes"), "_numbers");
        if (table_.zeros != ValueId::none)
            numbers = add_node(graph_, ops::Sub, name_ + "_offset", {numbers, number(rows(table_.zeros, "_zeros"), "_zero")});
        graph_.add_node(need_op(ops::Mul), name_, {numbers, rows(table_.scales, "_scales")}, {to_});
    }

    void add_minima(ValueId scaled) {
        const int64_t block = std::get<int64_t>(table_.linear.at("block_size"));
        const auto shape = [&](const char* what, std::vector<int64_t> dims) {
            return graph_.add_constant(name_ + what, Tensor::vector<int64_t>(dims));
        };
        const ValueId last = shape("_last", {-1});
        const ValueId column = add_node(graph_, ops::Unsqueeze, name_ + "_minimum", {rows(table_.minima, "_minima"), last});
        // The dims of the ids, then these.
        const auto dims_with = [&](const char* what, const std::vector<int64_t>& dims) {
            const ValueId first = add_node(graph_, ops::Shape, name_ + "_shape", {ids_}, {}, DType::i64);
            return add_node(graph_, ops::Concat, name_ + what, {first, shape("_tail", dims)}, {{"axis", int64_t{0}}}, DType::i64);
        };
        const ValueId apart =
            add_node(graph_, ops::Reshape, name_ + "_blocks", {scaled, dims_with("_dims", {table_.dims[1] / block, block})});
        const ValueId sum = add_node(graph_, ops::Add, name_ + "_sum", {apart, column});
        graph_.add_node(need_op(ops::Reshape), name_, {sum, dims_with("_back", {table_.dims[1]})}, {to_});
    }

    Graph& graph_;
    const Table& table_;
    const std::string name_;
    const ValueId ids_, to_;
};

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

bool is_table(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    const auto dims = value.type.shape.concrete();
    if (!value.enc || !value.enc->is_fixed() || value.enc->real != DType::f32) return false;
    if (const int bits = bits_of(value.enc->storage); !is_integer(value.enc->storage) || (bits != 4 && bits != 8)) return false;
    if (!dims || dims->size() != 2 || graph.is_output(id) || (value.enc->block > 0 && value.enc->axis != 1)) return false;
    const std::vector<Use> uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        if (use.node == NodeId::none || use.index != 0) return false;
        const Node& node = graph.node(use.node);
        return node.is(ops::Gather) && NodeView(node).integer("axis") == 0;
    });
}

void lower_table(Graph& graph, ValueId id, int opset) {
    const Encoding e = *graph.value(id).enc;
    const std::string name = graph.value(id).name;
    Table table{.dims = *graph.value(id).type.shape.concrete()};
    Tensor bytes = in_bytes({e.storage, table.dims, *graph.value(id).data}), scales = e.scale;  // ONNX looks up no codes of 4 bits
    std::optional<Tensor> zeros;
    if (!e.symmetric()) zeros = in_bytes(e.zero);
    bytes.data = Spool().put(std::move(bytes.data));
    table.codes = graph.add_constant(name + "_quantized", bytes);
    table.by_row = e.block > 0 || e.axis == 0;
    if (e.axis == 0 && e.block == 0) {  // a row is one block
        scales.dims = {table.dims[0], 1};
        if (zeros) zeros->dims = scales.dims;
    }
    table.spelled = table.by_row && e.block == 0 && opset < 21;
    if (e.axis == 1 || table.by_row) table.linear["axis"] = int64_t{-1};
    if (table.by_row) table.linear["block_size"] = e.block > 0 ? e.block : table.dims[1];
    table.scales = graph.add_constant(name + "_scale", scales);
    if (zeros) table.zeros = graph.add_constant(name + "_zero_point", *zeros);
    if (e.min.defined()) table.minima = graph.add_constant(name + "_min", e.min);
    for (const Use& use : graph.uses(id)) LookUp(graph, use.node, table).write();
    graph.erase(id);
}

namespace {

// The constant of which Gather takes the rows `ids`, which nothing else reads; none: it is something else.
ValueId table_of(const Graph& graph, ValueId rows, std::optional<ValueId> ids) {
    const NodeId producer = rows == ValueId::none ? NodeId::none : graph.value(rows).producer;
    if (producer == NodeId::none || graph.uses(rows).size() != 1) return ValueId::none;
    const Node& gather = graph.node(producer);
    if (!gather.is(ops::Gather) || NodeView(gather).integer("axis") != 0 || (ids && gather.in[1] != *ids)) return ValueId::none;
    const Value& table = graph.value(gather.in[0]);
    return table.constant() && !table.enc && table.type.shape.rank() == 2 ? gather.in[0] : ValueId::none;
}

// Is it Reshape to blocks and Add, as minima are added behind rows?
bool has_minima(const Graph& graph, ValueId rows) {
    const NodeId reshape = graph.only_reader(rows);
    if (reshape == NodeId::none || !graph.node(reshape).is(ops::Reshape)) return false;
    const NodeId sum = graph.only_reader(graph.node(reshape).out[0]);
    return sum != NodeId::none && graph.node(sum).is(ops::Add);
}

bool fold_rows(Graph& graph, NodeId id, std::map<ValueId, ValueId>& folded) {
    const Node& node = graph.node(id);
    const ValueId codes = table_of(graph, node.in[0], std::nullopt);
    if (codes == ValueId::none || has_minima(graph, node.out[0])) return false;
    const NodeId gather = graph.value(node.in[0]).producer;
    const ValueId ids = graph.node(gather).in[1];
    std::vector<ValueId> in{codes};
    const int64_t block = NodeView(node).has("block_size") ? NodeView(node).integer("block_size") : 0;
    for (size_t i = 1; i < node.in.size(); ++i) {
        in.push_back(block > 0 ? table_of(graph, node.in[i], ids) : node.in[i]);
        if (in.back() == ValueId::none || !graph.value(in.back()).constant()) return false;
    }
    const Dims dims = *graph.value(codes).type.shape.concrete();
    Attrs attrs;
    if (block > 0)
        attrs = {{"axis", int64_t{1}}, {"block_size", block}};
    else if (graph.value(in[1]).type.shape.rank() == 1)
        attrs = {{"axis", int64_t{1}}};
    ValueId& table = folded.try_emplace(codes, ValueId::none).first->second;
    if (table == ValueId::none) {
        std::string name = graph.value(codes).name;
        if (name.ends_with("_quantized")) name.resize(name.size() - std::string_view("_quantized").size());
        table = graph.add_value(graph.unique_name(name), Type::tensor(number, Shape::of(dims)));
        graph.add_node(need_op(ops::DequantizeLinear), graph.unique_node_name(name + "_DequantizeLinear"), std::move(in), {table},
                       std::move(attrs));
    }
    take_over(graph, graph.node(id).out[0], need_op(ops::Gather), {table, ids});
    return true;
}

}  // namespace

int fold_tables(Graph& graph) {
    int changes = 0;
    std::map<ValueId, ValueId> folded;  // tables of numbers, by those of codes
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        if (!graph.node(id).erased && graph.node(id).is(ops::DequantizeLinear)) changes += fold_rows(graph, id, folded);
    return changes;
}

}  // namespace quern
