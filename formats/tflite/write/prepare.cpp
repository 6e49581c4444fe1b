#include "formats/tflite/write/prepare.h"

#include <algorithm>
#include <array>

#include "formats/tflite/write/expand.h"
#include "formats/tflite/write/indices.h"
#include "formats/tflite/write/restore.h"
#include "libcore/base/text.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/family.h"
#include "libcore/passes/decompose/split_recurrent.h"
#include "libcore/passes/decompose/unroll_recurrent.h"
#include "libcore/passes/make_gemm.h"
#include "libcore/passes/onnx/fold_interface.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

// How the interface of a file is stored; none: as real numbers.
std::optional<DType> io_storage(const std::string& io) {
    if (io == "float") return std::nullopt;
    return io == "int8" ? DType::i8 : io == "uint8" ? DType::u8 : DType::i16;
}

// The same codes in another storage type of the same width; of another width, codes that reach as far: int16 is symmetric there.
Encoding stored_as(const Encoding& from, DType storage, const std::string& name) {
    if (from.storage == storage) return from;
    const int own = bits_of(from.storage), wanted = bits_of(storage);
    if ((own != 8 && own != 16) || !from.per_tensor() || !from.is_fixed())
        throw unsupported("\"{}\" is {}: {} cannot stand for it", escape(name), name_of(from.storage), name_of(storage));
    const int64_t zero = from.zero_at();
    const auto with = [&](float scale, int64_t middle) {
        return make_encoding(storage, Tensor::scalar(scale), middle == 0 ? Tensor() : from_ints(storage, {}, std::array{middle}));
    };
    const float scale = to_floats(from.scale).at(0);
    if (own == wanted) return with(scale, zero + (storage == DType::i8 ? -128 : 128));
    constexpr int64_t greatest = 32767;
    if (wanted == 8) return with(scale * static_cast<float>(greatest) / 127.0f, storage == DType::u8 ? 128 : 0);
    const int64_t reach = std::max(from.qmax - zero, zero - from.qmin);
    return with(scale * static_cast<float>(reach) / static_cast<float>(greatest), 0);
}

// Puts a change of encoding between an input or output and the graph. The interface keeps the name.
void change_interface(Graph& graph, ValueId& at, const std::string& io, bool input) {
    const std::optional<DType> storage = io_storage(io);
    const auto one_step = [&](DType from) {
        return !storage || !((from == DType::u8 && *storage == DType::i16) || (from == DType::i16 && *storage == DType::u8));
    };
    // From uint8 to int16 and back readers go by way of int8.
    if (const auto& enc = graph.value(at).enc; enc && !one_step(enc->storage)) change_interface(graph, at, "int8", input);
    const Value inner = graph.value(at);
    if (!is_float(inner.type.dtype)) return;
    if (!inner.enc) {
        if (storage) throw unsupported("\"{}\" has no encoding: it stays float", escape(inner.name)).with_hint("--io float");
        return;
    }
    std::optional<Encoding> wanted;
    if (storage) wanted = stored_as(*inner.enc, *storage, inner.name);
    if (wanted && *wanted == *inner.enc) return;
    graph.rename(at, graph.unique_name(inner.name + "/codes"));
    const ValueId outside = graph.add_value(inner.name, inner.type);
    graph.value(outside).enc = wanted;
    const std::string name = graph.unique_node_name(inner.name + "/recode");
    if (input)
        graph.add_node(need_op(ops::own::Recode), name, {outside}, {at}, {}, graph.order().empty() ? NodeId::none : graph.order().front());
    else
        graph.add_node(need_op(ops::own::Recode), name, {at}, {outside});
    at = outside;
}

// A shape with at most one open dimension is said outright: what computes it is left out.
void settle_shapes(Graph& graph) {
    for (const NodeId id : graph.topo()) {
        Node& node = graph.node(id);
        const bool reshape = node.is(ops::Reshape);
        if ((!reshape && !node.is(ops::Expand)) || graph.value(node.in[1]).constant()) continue;
        const Shape& shape = graph.value(node.out[0]).type.shape;
        const auto open = std::count_if(shape.dims.begin(), shape.dims.end(), [](const Dim& dim) { return !dim.known(); });
        const bool empty = std::any_of(shape.dims.begin(), shape.dims.end(), [](const Dim& dim) { return dim.known() && dim.value == 0; });
        if (!shape.ranked || empty || open > (reshape ? 1 : 0)) continue;
        std::vector<int64_t> dims;
        for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : -1);
        node.in[1] = graph.add_constant(graph.value(node.out[0]).name + "/shape", Tensor::vector<int64_t>(dims));
    }
}

// Of two reshapes one behind the other the last says it all; `computed`: only where the shape of the first is.
void join_reshapes(Graph& graph, bool computed) {
    for (const NodeId id : graph.topo()) {
        Node& node = graph.node(id);
        if (!node.is(ops::Reshape)) continue;
        const Node* before = made_by(graph, node.in[0], ops::Reshape);
        if (before && computed && graph.value(before->in[1]).constant()) continue;
        const auto given = ints_of(graph, node.in[1]);
        const bool whole = given && std::count(given->begin(), given->end(), 0) == 0;
        if (!before || (!whole && !graph.value(node.out[0]).type.shape.concrete()) ||
            graph.value(node.in[0]).enc != graph.value(before->in[0]).enc)
            continue;
        node.in[0] = before->in[0];
    }
}

}  // namespace

void prepare(Graph& graph, std::string_view format, const WriteOptions& options) {
    localize_constants(graph);
    split_recurrent(graph);
    unroll_recurrent_where(graph, needs_steps);
    if (absorb_factors(graph) > 0) infer_types(graph);
    run_pipeline(graph, pipelines::tflite_wholes);
    if (fold_interface(graph) > 0) infer_types(graph);
    expand_operators(graph, format);
    run_pipeline(graph, pipelines::tflite);
    for_each_graph(graph, [](Graph& g, const std::string&) {
        join_reshapes(g, true);  // before shapes that are settled look like given ones
        settle_shapes(g);
        join_reshapes(g, true);
        if (make_gemms(g, Products::all) > 0) infer_types(g);
    });
    drop_dead.run(graph);
    if (!options.io.empty()) {
        for (ValueId& id : graph.inputs) change_interface(graph, id, options.io, true);
        for (ValueId& id : graph.outputs) change_interface(graph, id, options.io, false);
    }
    infer_types(graph);
    if (!is_of_tflite(graph)) count_from_start(graph, format);
    graph.sort();
    restore_operators(graph, format);
    for_each_graph(graph, [](Graph& g, const std::string&) { join_reshapes(g, false); });
    drop_dead.run(graph);
}

}  // namespace quern::tflite_format
