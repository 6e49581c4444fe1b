// The ONNX reader, inference and verifier on any bytes; what is accepted goes through the writer, too.
#include "formats/onnx/downgrade.h"
#include "formats/onnx/export.h"
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx.pb.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    expect_only_refusals([&] {
        Model model = onnx_format::read(Bytes::borrow(data, size), "-");
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        infer_types(model.graph);
        verify(model.graph);
        for (const int opset : {11, 21}) {
            expect_only_refusals([&] {
                Graph graph = model.graph;
                onnx_format::downgrade(graph, opset);
                onnx::Model message;
                onnx_format::Exporter(opset).run(graph, message);
            });
        }
    });
    return 0;
}
