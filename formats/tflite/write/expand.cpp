#include "formats/tflite/write/expand.h"

#include <array>
#include <utility>

#include "libcore/graph/quantize.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

using Rows = std::span<const ExpandRow>;

const ExpandRow* expand_row(const Node& node, std::span<const Rows> families) {
    for (const Rows rows : families)
        for (const ExpandRow& row : rows)
            if (node.is(row.op)) return &row;
    return nullptr;
}

int expand(Graph& graph, std::string_view format, std::span<const Rows> families) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            const ExpandRow* row = part.node(id).erased ? nullptr : expand_row(part.node(id), families);
            if (!row) continue;
            Spelling at(part, id, format);
            changes += row->expand(at);
        }
    });
    return changes;
}

}  // namespace

std::optional<Dims> Spelling::dims(size_t i) { return has(i) ? type_of(in(i)).shape.concrete() : std::nullopt; }

std::optional<Tensor> Spelling::plain(size_t i) {
    if (!has(i) || graph().value(in(i)).enc) return std::nullopt;
    return graph().constant(in(i));
}

std::optional<Dims> Spelling::ints(size_t i) {
    const auto tensor = plain(i);
    return tensor && is_integer(tensor->dtype) ? std::optional(to_ints(*tensor)) : std::nullopt;
}

std::vector<Dim> Spelling::space() {
    const std::vector<Dim>& all = type_of(in(0)).shape.dims;
    return {all.begin() + 2, all.end()};
}

ValueId Spelling::encoded_as(ValueId like, ValueId made) {
    graph().value(made).enc = graph().value(like).enc;
    graph().value(made).type.dtype = graph().value(like).type.dtype;  // of a constant that was made of codes
    return made;
}

ValueId Spelling::gathered(ValueId x, size_t axis, const Dims& places) {
    return moved(ops::Gather, {x, integers(places, "places")}, {{"axis", static_cast<int64_t>(axis)}});
}

ValueId Spelling::recoded(ValueId x, ValueId like) {
    if (graph().value(x).enc == graph().value(like).enc) return x;
    const auto& wanted = graph().value(like).enc;
    if (const auto numbers = graph().value(x).enc ? std::nullopt : graph().constant(x); numbers && wanted)
        return encoded_as(like, constant(quantize(*numbers, *wanted)));
    return encoded_as(like, add(ops::own::Recode, {x}));
}

ValueId Spelling::zero() {
    const ValueId made = number(dtype_of(in(0)), 0);
    const auto& enc = graph().value(in(0)).enc;
    return enc && enc->is_fixed() && enc->per_tensor() && enc == graph().value(node.out[0]).enc ? recoded(made, in(0)) : made;
}

bool Spelling::end(ValueId made) {
    const NodeId maker = graph().value(made).producer;
    const Node last = graph().node(maker);
    graph().erase(maker);
    graph().erase(made);
    take_over(graph(), node.out.at(0), last.op, last.in, last.attrs);
    return true;
}

int expand_operators(Graph& graph, std::string_view format) {
    const int changes =
        expand(graph, format, std::array{expand_function_rows(), expand_indexed_rows(), expand_place_rows(), expand_product_rows()});
    if (changes > 0) infer_types(graph);
    return changes;
}

int expand_left(Graph& graph, std::string_view format) { return expand(graph, format, std::array{expand_left_rows()}); }

}  // namespace quern::tflite_format
