#include "formats/tflite/form.h"

#include "formats/tflite/read/import.h"
#include "formats/tflite/write/export.h"
#include "libcore/graph/op.h"

namespace quern::tflite_format {

Graph form_of(const Model& model, std::string_view format) {
    File file = export_model(model, format, {}, true);
    size_t size = 0;
    for (const Subgraph& part : file.subgraphs)
        for (const FileTensor& tensor : part.tensors) size += tensor.data.size();
    Graph graph = import_file(std::move(file), format, size).graph;
    for_each_graph(graph, [](Graph& part, const std::string&) { part.sort(); });
    infer_types(graph);
    verify(graph);
    return graph;
}

}  // namespace quern::tflite_format
