#include "libcore/ort/partition.h"

#include <array>

#include "formats/native/native.h"
#include "formats/onnx/downgrade.h"
#include "formats/onnx/onnx.h"
#include "libcore/backend/host.h"
#include "libcore/base/json.h"
#include "libcore/deploy/context.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/passes.h"

namespace quern::ort {
namespace {

// What providers know best: codes of 16 and 4 bits are ONNX's own, and newer operators (TensorScatter), which they lack, are taken apart.
constexpr int usual_opset = 21;

void drop_encodings(Graph& root) {
    for_each_graph(root, [](Graph& graph, const std::string&) {
        for (size_t i = 0; i < graph.value_count(); ++i) {
            Value& value = graph.value(static_cast<ValueId>(i));
            if (value.erased || !value.enc) continue;
            if (value.constant()) value.data = dequantize(*graph.constant(static_cast<ValueId>(i)), *value.enc).data;
            value.enc.reset();
        }
    });
}

}  // namespace

Arithmetic arithmetic_of(const char* options) {
    const Json json = options && *options ? parse_json(options) : Json::object();
    const JsonView view(json);
    if (!view.has("mode")) return Arithmetic::floating;
    const std::string& mode = view["mode"].text();
    if (mode == "int") return Arithmetic::integer;
    if (mode == "fake") return Arithmetic::fake;
    if (mode != "float") view["mode"].fail("need float, fake or int");
    return Arithmetic::floating;
}

Graph graph_of(const quern_host& host, const quern_graph& view) {
    SpoolFile spool;
    const quern_sink sink = c_sink(spool.file());
    if (host.serialize(&host, &view, &sink) != QUERN_OK) throw io_error("the host cannot say the partition");
    return native_format::read(spool.finish(), "-").graph;
}

Bytes onnx_of(const Graph& graph, Arithmetic arithmetic) {
    Model model;
    model.graph = graph;
    if (arithmetic == Arithmetic::floating) drop_encodings(model.graph);
    onnx_format::take_apart(model.graph, std::array{ops::Mish});       // onnxruntime does, and then compiles no context
    run_passes(model.graph, std::array{&fold_constants, &drop_dead});  // QNN has no Shape, and compiling folds nothing
    const auto written = [&](int opset) {
        SpoolFile spool;
        onnx_format::write(model, spool.file(), {.opset = opset, .stored_io = arithmetic == Arithmetic::integer});
        return spool.finish();
    };
    try {
        return written(usual_opset);
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        return written(0);
    }
}

bool holds_context(const Graph& graph) { return !held_contexts(graph).empty(); }

Graph ends_of(const Graph& graph, Arithmetic arithmetic) {
    Graph out;
    const auto end = [&](ValueId id) {
        const Value& value = graph.value(id);
        if (const ValueId known = out.find(value.name); known != ValueId::none) return known;
        const ValueId made = out.add_value(value.name, value.type);
        if (arithmetic == Arithmetic::integer) out.value(made).enc = value.enc;
        return made;
    };
    for (const ValueId id : graph.inputs) out.inputs.push_back(end(id));
    for (const ValueId id : graph.outputs) out.outputs.push_back(end(id));
    return out;
}

}  // namespace quern::ort
