// The TFLite and Circle readers, inference and printing on any bytes.
#include "formats/circle/circle.h"
#include "formats/text/text.h"
#include "formats/tflite/tflite.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::copy(data, size);
    expect_only_refusals([&] {
        Model model = circle_format::sniff(bytes) ? circle_format::read(bytes, "-") : tflite_format::read(bytes, "-");
        for_each_graph(model.graph, [](Graph& graph, const std::string&) { graph.sort(); });
        infer_types(model.graph);
        verify(model.graph);
        print_text(model, {}, [](std::string_view) {});
    });
    return 0;
}
