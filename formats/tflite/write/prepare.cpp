#include "formats/tflite/write/prepare.h"

#include <algorithm>
#include <array>

#include "formats/shared/interface.h"
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

// A shape with at most that many open dimensions, as a Reshape says it; nullopt: it cannot be said.
std::optional<std::vector<int64_t>> settled(const Shape& shape, int open) {
    const auto count = std::ranges::count_if(shape.dims, [](const Dim& dim) { return !dim.known(); });
    const bool empty = std::ranges::any_of(shape.dims, [](const Dim& dim) { return dim.known() && dim.value == 0; });
    if (!shape.ranked || empty || count > open) return std::nullopt;
    std::vector<int64_t> dims;
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : -1);
    return dims;
}

// A shape with at most one open dimension is said outright: what computes it is left out.
void settle_shapes(Graph& graph) {
    for (const NodeId id : graph.topo()) {
        Node& node = graph.node(id);
        const bool reshape = node.is(ops::Reshape);
        if ((!reshape && !node.is(ops::Expand)) || graph.value(node.in[1]).constant()) continue;
        if (const auto dims = settled(graph.value(node.out[0]).type.shape, reshape ? 1 : 0))
            node.in[1] = graph.add_constant(graph.value(node.out[0]).name + "/shape", Tensor::vector<int64_t>(*dims));
    }
}

// Where only dims of 1 change places nothing moves.
bool moves_nothing(const Graph& graph, const Node& node) {
    const std::vector<Dim>& dims = graph.value(node.in[0]).type.shape.dims;
    std::vector<int64_t> order = NodeView(node).integers("perm");
    if (order.size() != dims.size()) return false;
    std::erase_if(order, [&](int64_t i) { return dims[static_cast<size_t>(i)].known() && dims[static_cast<size_t>(i)].value == 1; });
    return std::ranges::is_sorted(order);
}

// A Transpose that moves nothing is a Reshape, which is joined with those around it.
void settle_transposes(Graph& graph) {
    for (const NodeId id : graph.topo()) {
        Node& node = graph.node(id);
        if (!node.is(ops::Transpose) || graph.value(node.in[0]).enc != graph.value(node.out[0]).enc || !moves_nothing(graph, node))
            continue;
        const std::optional<std::vector<int64_t>> dims = settled(graph.value(node.out[0]).type.shape, 1);
        if (!dims) continue;
        node.op = need_op(ops::Reshape);
        node.attrs.clear();
        node.in.push_back(graph.add_constant(graph.value(node.out[0]).name + "/shape", Tensor::vector<int64_t>(*dims)));
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
        settle_transposes(g);
        settle_shapes(g);
        join_reshapes(g, true);
    });
    run_passes(graph, std::array{&drop_neutral, &merge_common, &drop_dead});  // what came of nodes that were alike is alike
    for_each_graph(graph, [](Graph& g, const std::string&) {
        if (make_gemms(g, Products::all) > 0) infer_types(g);
    });
    run_passes(graph, std::array{&merge_common, &drop_dead});  // what came of nodes that were alike is alike
    store_interface(graph, StoredInterface(options.io));
    infer_types(graph);
    if (!is_of_tflite(graph)) count_from_start(graph, format);
    graph.sort();
    restore_operators(graph, format);
    if (expand_left(graph, format) > 0) {
        merge_common.run(graph);
        graph.sort();
    }
    for_each_graph(graph, [](Graph& g, const std::string&) {
        settle_transposes(g);
        join_reshapes(g, false);
    });
    drop_identity.run(graph);
    drop_dead.run(graph);
}

}  // namespace quern::tflite_format
