// Mixed runs: partitions on several back ends give what one device gives.
#include <boost/test/unit_test.hpp>

#include "libcore/deploy/mixed.h"
#include "libcore/graph/quantize.h"
#include "tests/common/graph_of.h"

using namespace quern;

namespace {

Encoding grid(float scale, int8_t zero) { return make_encoding(DType::i8, Tensor::scalar(scale), Tensor::scalar(zero)); }

// Two branches that meet: out = tanh(conv(x)) + relu(mul(x, 0.5)), and x itself as a second output.
Graph branches(bool encoded) {
    std::vector<float> weights(2 * 2 * 9);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.03f * static_cast<float>(i % 7) - 0.08f;
    Graph graph = graph_of(R"(func.func @main(%x: tensor<1x2x5x5xf32>, %w: tensor<*xf32>) -> (tensor<*xf32>, tensor<1x2x5x5xf32>) {
  %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %conv = "onnx.Conv"(%x, %w) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<1x2x5x5xf32>, tensor<*xf32>) -> tensor<*xf32>
  %active = "onnx.Relu"(%conv) {onnx_node_name = "active"} : (tensor<*xf32>) -> tensor<*xf32>
  %tanh = "onnx.Tanh"(%active) {onnx_node_name = "tanh"} : (tensor<*xf32>) -> tensor<*xf32>
  %scaled = "onnx.Mul"(%x, %half) {onnx_node_name = "scaled"} : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<*xf32>
  %relu = "onnx.Relu"(%scaled) {onnx_node_name = "relu"} : (tensor<*xf32>) -> tensor<*xf32>
  %sum = "onnx.Add"(%tanh, %relu) {onnx_node_name = "sum"} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %sum, %x : tensor<*xf32>, tensor<1x2x5x5xf32>
})",
                           {{"w", Tensor::make<float>({2, 2, 3, 3}, weights)}});
    const auto encode = [&](const char* name, Encoding codes) { graph.value(graph.find(name)).enc = std::move(codes); };
    if (encoded) {
        const ValueId w = graph.find("w");
        encode("x", grid(0.02f, -3));
        const Encoding codes = grid(0.002f, 0);
        graph.value(w).data = quantize(*graph.constant(w), codes).data;
        encode("w", codes);
        encode("active", grid(0.01f, -128));
        encode("tanh", grid(0.0078f, 0));
        encode("relu", Encoding{Encoding::Kind::dynamic, DType::u8, DType::f32, 0, 255, -1, 0, {}, {}, {}});
        encode("sum", grid(0.016f, -7));
    }
    verify(graph);
    return graph;
}

std::vector<Tensor> inputs() {
    std::vector<float> items(50);
    for (size_t i = 0; i < items.size(); ++i) items[i] = 0.11f * static_cast<float>(i % 17) - 0.9f;
    return {Tensor::make<float>({1, 2, 5, 5}, items)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_placement_gives_the_result_of_one_device) {
    for (const bool encoded : {false, true})
        for (const Mode mode : {Mode::floating, Mode::fake, Mode::integer}) {
            const Graph whole = branches(encoded);
            const CompileOptions compile{.mode = mode, .reference = true};
            ThreadPool pool(1);
            Session session(Program::compile(whole, compile), pool);
            const auto expected = session.run(inputs());
            for (unsigned mask = 0; mask < 64; ++mask) {
                Graph placed = whole;
                for (size_t i = 0; i < placed.order().size(); ++i) placed.node(placed.order()[i]).device = mask >> i & 1 ? "ref" : "cpu";
                const auto program = MixedProgram::compile(placed, {.compile = compile});
                // With more threads parts that do not need each other run side by side.
                const auto mixed = program->open({.threads = mask % 4 < 2 ? 1 : 3, .timing = true});
                for (int turn = 0; turn < 2; ++turn) {
                    const auto got = mixed->run(inputs());
                    for (size_t i = 0; i < expected.size(); ++i)
                        BOOST_TEST(identical(got[i], expected[i]), "placement " << mask << ", output " << i);
                }
                BOOST_TEST(!mixed->step_times().empty());
            }
        }
}

BOOST_AUTO_TEST_CASE(devices_without_back_end_are_simulated_and_it_is_said) {
    Graph graph = branches(false);
    graph.node(graph.order()[2]).device = "npu7";
    std::vector<std::string> notes;
    MixedOptions options;
    options.note = [&](const std::string& text) { notes.push_back(text); };
    const auto program = MixedProgram::compile(graph, options);
    BOOST_TEST(notes.size() == 1u);
    BOOST_TEST(notes.at(0) == "device \"npu7\" has no back end: simulated on ref");
    BOOST_TEST(is_placed(graph));
    bool seen = false;
    for (const Choice& choice : program->choices()) seen = seen || (choice.node == "tanh" && choice.device == "npu7");
    BOOST_TEST(seen);
}

BOOST_AUTO_TEST_CASE(named_back_ends_take_what_they_can) {
    Graph graph = branches(false);
    const ValueId odd = graph.add_value("odd", Type::tensor(DType::f32));
    graph.add_node(unknown_op("Warp", "com.example", 1), "warp", {graph.outputs[0]}, {odd});
    graph.outputs.push_back(odd);
    MixedOptions options;
    options.backends = {"ref"};
    BOOST_CHECK_EXCEPTION(MixedProgram::compile(graph, options), Error, [](const Error& error) {
        return error.exit() == Exit::unsupported &&
               error.message() == "node \"warp\" (Warp): ref does not run it: there is no implementation of operator com.example.Warp";
    });
    const auto program = MixedProgram::compile(branches(false), options);
    BOOST_TEST(program->parts().size() == 1u);
    BOOST_TEST(program->parts()[0].backend == "ref");
}
