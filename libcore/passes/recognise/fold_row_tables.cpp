// What lower_row_table makes, back as a Gather of a constant with an encoding.
#include <algorithm>
#include <cstring>

#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/microsoft/coded_table.h"
#include "libcore/passes/recognise/block_tables.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

bool has_code(const Tensor& codes, int64_t code) {
    if (codes.dtype == DType::i8)
        return !codes.data.empty() && std::memchr(codes.data.data(), static_cast<int8_t>(code), codes.data.size());
    const auto numbers = to_ints(codes);
    return std::ranges::find(numbers, code) != numbers.end();
}

class RowTables {
   public:
    explicit RowTables(Graph& graph) : graph_(graph) {}

    int run() {
        int changes = 0;
        for (const NodeId id : std::vector<NodeId>(graph_.order())) {
            const Node& node = graph_.node(id);
            if (node.erased) continue;
            const bool folded = node.is(ops::microsoft::GatherBlockQuantized) ? fold_contrib(id)
                                : node.is(ops::DequantizeLinear)              ? fold_blocks(id)
                                                                              : node.is(ops::Mul) && fold_rows(id);
            changes += folded ? 1 : 0;
        }
        return changes;
    }

   private:
    // The constant that a Gather of rows by `ids` reads; none: it is no such node. `ids` is set by the first.
    ValueId table_of(ValueId rows, ValueId& ids) const {
        const Node* gather = rows == ValueId::none ? nullptr : made_by(graph_, rows, ops::Gather);
        if (!gather || NodeView(*gather).integer("axis") != 0) return ValueId::none;
        const Value& table = graph_.value(gather->in[0]);
        if (!table.constant() || table.enc || table.type.shape.rank() != 2) return ValueId::none;
        if (ids != ValueId::none && gather->in[1] != ids) return ValueId::none;
        ids = gather->in[1];
        return gather->in[0];
    }

    // Once for all nodes that read the codes so.
    ValueId coded(ValueId codes, const Tensor& stored, const Encoding& encoding) {
        for (const auto& [source, made] : made_)
            if (source == codes && *graph_.value(made).enc == encoding) return made;
        const std::string name = graph_.value(codes).name;
        const ValueId made = graph_.add_value(graph_.unique_name(name_behind_codes(name).value_or(name)),
                                              Type::tensor(encoding.real, Shape::of(stored.dims)));
        graph_.value(made).data = stored.data;
        graph_.value(made).enc = encoding;
        made_.emplace_back(codes, made);
        return made;
    }

    void look_up(NodeId id, ValueId table, ValueId ids, Attrs attrs) {
        const std::vector<ValueId> in = graph_.node(id).in;
        take_over(graph_, graph_.node(id).out[0], need_op(ops::Gather), {table, ids}, std::move(attrs));
        for (const ValueId read : in) erase_unread(graph_, read);
    }

    // How the lookup of the codes says its axis.
    Attrs attrs_of(NodeId id) const {
        const ValueId rows = graph_.node(id).in[0];
        const Node* cast = made_by(graph_, rows, ops::Cast);
        return made_by(graph_, cast ? cast->in[0] : rows, ops::Gather)->attrs;
    }

    bool fold_contrib(NodeId id) {
        const Node& node = graph_.node(id);
        const NodeView view(node);
        const ValueId zeros = input_of(node, 3);
        const auto plain = [&](ValueId value) { return graph_.value(value).constant() && !graph_.value(value).enc; };
        if (!plain(node.in[0]) || !plain(node.in[2]) || (zeros != ValueId::none && !plain(zeros))) return false;
        const Tensor stored = *graph_.constant(node.in[0]), scales = *graph_.constant(node.in[2]);
        if (scales.dtype != DType::f32 || !is_integer(stored.dtype)) return false;
        const std::optional<Tensor> zero = zeros == ValueId::none ? std::nullopt : std::optional(*graph_.constant(zeros));
        const CodedTable table = coded_table(view, stored, scales, zero ? &*zero : nullptr);
        if (normal_axis(view.integer("gather_axis"), table.codes.dims.size()) != 0) return false;
        look_up(id, coded(node.in[0], table.codes, of_weights(table.encoding, table.codes)), node.in[1], {});
        return true;
    }

    bool fold_blocks(NodeId id) {
        const Node& node = graph_.node(id);
        const NodeView view(node);
        const int64_t block = view.has("block_size") ? view.integer("block_size") : 0;
        ValueId ids = ValueId::none, zeros = ValueId::none;
        const ValueId codes = table_of(node.in[0], ids), scales = table_of(node.in[1], ids);
        if (codes == ValueId::none || scales == ValueId::none || block <= 0) return false;
        if (input_of(node, 2) != ValueId::none && (zeros = table_of(node.in[2], ids)) == ValueId::none) return false;
        const Shape& shape = graph_.value(node.out[0]).type.shape;
        const int64_t axis = view.has("axis") ? view.integer("axis") : 1;
        if (axis != -1 && !(shape.ranked && axis + 1 == static_cast<int64_t>(shape.rank()))) return false;
        return fold(id, codes, scales, zeros, ids, block);
    }

    bool fold_rows(NodeId id) {
        const Node& node = graph_.node(id);
        const Node* cast = made_by(graph_, node.in[0], ops::Cast);
        ValueId ids = ValueId::none;
        const ValueId codes = cast ? table_of(cast->in[0], ids) : ValueId::none, scales = table_of(node.in[1], ids);
        if (codes == ValueId::none || scales == ValueId::none || graph_.value(scales).type.shape.concrete()->at(1) != 1) return false;
        return fold(id, codes, scales, ValueId::none, ids, 0);
    }

    // block 0: a scale per row.
    bool fold(NodeId id, ValueId codes, ValueId scales, ValueId zeros, ValueId ids, int64_t block) {
        const Tensor stored = *graph_.constant(codes);
        Tensor scale = *graph_.constant(scales);
        if (!is_integer(stored.dtype) || !is_scaled(stored.dtype) || scale.dtype != DType::f32 || scale.dims[0] != stored.dims[0])
            return false;
        if (block > 0 && scale.dims[1] != (stored.dims[1] + block - 1) / block) return false;
        if (block == 0) scale.dims.pop_back();
        Tensor zero = zeros == ValueId::none
                          ? from_ints(stored.dtype, scale.dims, std::vector<int64_t>(static_cast<size_t>(scale.count()), 0))
                          : *graph_.constant(zeros);
        if (zero.dims != scale.dims || zero.dtype != stored.dtype) return false;
        Encoding e = make_encoding(stored.dtype, std::move(scale), std::move(zero), block > 0 ? 1 : 0);
        e.block = block;
        look_up(id, coded(codes, stored, of_weights(e, stored)), ids, attrs_of(id));
        return true;
    }

    Graph& graph_;
    std::vector<std::pair<ValueId, ValueId>> made_;
};

}  // namespace

Encoding of_weights(Encoding encoding, const Tensor& codes) {
    const int bits = bits_of(encoding.storage);
    if (!encoding.symmetric() || encoding.qmin >= 0 || bits > 16) return encoding;
    if (!has_code(codes, encoding.qmin)) ++encoding.qmin;
    codes.data.release();
    return encoding;
}

int fold_row_tables(Graph& graph) { return RowTables(graph).run(); }

}  // namespace quern
