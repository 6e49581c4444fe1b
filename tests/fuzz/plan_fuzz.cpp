// The plan of a program on any bytes, around a small graph that is whole: refused, or what it says of steps, arrays and memory holds.
#include <array>

#include "formats/context/sections.h"
#include "formats/native/native.h"
#include "formats/text/text.h"
#include "libcore/backend/program_blob.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quern;
using context_format::Section;
using context_format::Sections;

Bytes program() {
    Graph graph = parse_text(R"(func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x2xf32>) {
    %w = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
    %m = "onnx.MatMul"(%x, %w) {onnx_node_name = "m"} : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
    %y = "onnx.Softmax"(%m) {onnx_node_name = "s"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
    onnx.Return %y : tensor<1x2xf32>
  }
)")
                      .graph;
    infer_types(graph);
    verify(graph);
    SpoolFile spool;
    context_format::write_program(graph, {}, spool.file());
    return spool.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Bytes whole = program();
    static const Sections sections("QUERNPRG", whole);
    // The graph and arrays of the whole program; the plan is the input, or the whole one with its bytes added to it one by one.
    MutableBytes plan(std::max<size_t>(size, 1));
    if (size > 0) std::memcpy(plan.data(), data, size);
    const Bytes own = sections.need("plan");
    if (size > 0 && data[0] == 0) {
        MutableBytes changed(own.size());
        for (size_t i = 0; i < own.size(); ++i)
            changed.data()[i] = static_cast<std::byte>(static_cast<uint8_t>(own.data()[i]) + (i + 1 < size ? data[i + 1] : 0));
        plan = std::move(changed);
    }
    SpoolFile spool;
    const Bytes bytes = std::move(plan).freeze();
    expect_only_refusals([&] {
        context_format::write_sections("QUERNPRG",
                                       {Section{"plan", 0, {bytes}}, Section{"graph", 0, {sections.need("graph")}, true},
                                        Section{"arrays", 0, {sections.need("arrays")}, true}},
                                       spool.file());
        const auto program = context_format::load_program(spool.finish());
        ThreadPool pool(1);
        Session session(program, pool);
        const std::array<float, 4> x{1, 2, 3, 4};
        session.run(std::vector{Tensor::make<float>({1, 4}, x)});
    });
    return 0;
}
