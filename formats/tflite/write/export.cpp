#include "formats/tflite/write/export.h"

#include "formats/tflite/file/metadata.h"
#include "formats/tflite/lower/lower.h"
#include "formats/tflite/write/fit.h"
#include "formats/tflite/write/prepare.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/ops/integer/family.h"
#include "libcore/passes/shared.h"
#include "libcore/support/runtime.h"

namespace quern::tflite_format {
namespace {

File lowered(Exporter& exporter, const Graph& graph) {
    ExportScope scope{graph, 0, graph.all_uses()};
    for (const auto& [state, next] : states_of(graph)) scope.uses[index_of(next)].push_back({NodeId::none, 0});  // as of an output
    exporter.file().version = exporter.format() == "tflite" ? 3 : 0;
    exporter.file().subgraphs.emplace_back().name = graph.name;
    for (const ValueId id : graph.inputs) exporter.add_input(scope, exporter.tensor(scope, id));
    lower_all(exporter, scope);
    for (const auto& [handle, next] : scope.assigned)
        exporter.add_operator(scope, Code::ASSIGN_VARIABLE, {handle, exporter.tensor(scope, next)}, {});
    for (const ValueId id : graph.outputs) exporter.add_output(scope, exporter.tensor(scope, id));
    return std::move(exporter.file());
}

}  // namespace

File export_model(const Model& model, std::string_view format, const WriteOptions& options, bool asked_about) {
    Graph graph = model.graph;
    prepare(graph, format, options);
    const bool from_tflite = is_of_tflite(graph);
    Exporter exporter(std::string(format), from_tflite || format == "circle");
    File file = lowered(exporter, graph);
    if (const size_t count = exporter.rounded(); count > 0)
        say_notice(fmt::format("{} product{} of weights alone in codes: {}'s operator rounds its activations, too", count,
                               count > 1 ? "s" : "", format));
    const bool circle = format == "circle";
    fit(file, {.runtime = &support::runtime_named(circle ? "onert" : "litert"),
               .called = circle ? "onert" : "LiteRT",
               .others = circle,
               .narrow_biases = from_tflite,
               .keep = from_tflite || asked_about,
               .silent = circle && asked_about,
               .strict = options.strict});
    for (Subgraph& written : file.subgraphs) {
        join_transposes(written);
        order_tensors(written);
    }
    take_metadata(graph, file);
    return file;
}

}  // namespace quern::tflite_format
