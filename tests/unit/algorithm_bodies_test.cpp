// Algorithms on layers of bodies.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/common/graph_of.h"
#include "tests/unit/algorithm_nets.h"

using namespace quern;

namespace {

// Few great weights among many small ones, whose scales are worth a search.
Tensor weights(unsigned seed) {
    std::vector<float> numbers = to_floats(random_tensor({16, 16}, seed));
    for (float& x : numbers) x = x * x * x;
    return Tensor::make<float>({16, 16}, numbers);
}

// A layer, an If whose branches have one each - which of them runs, the samples say, or only the first -, and a Loop of three rounds.
Graph net_with_bodies(float threshold) {
    return graph_of(
        R"(func.func @main(%x: tensor<4x16xf32>, %t: tensor<*xf32>, %n: tensor<*xi64>, %w0: tensor<*xf32>, %w1: tensor<*xf32>, %w2: tensor<*xf32>, %w3: tensor<*xf32>, %b: tensor<*xf32>) -> tensor<*xf32> {
  %none = "onnx.NoValue"() : () -> none
  %m = "onnx.ReduceMax"(%x) {keepdims = 0 : si64} : (tensor<4x16xf32>) -> tensor<*xf32>
  %yes = "onnx.Greater"(%m, %t) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xi1>
  %a = "onnx.MatMul"(%x, %w0) {onnx_node_name = "before"} : (tensor<4x16xf32>, tensor<*xf32>) -> tensor<*xf32>
  %r = "onnx.Relu"(%a) : (tensor<*xf32>) -> tensor<*xf32>
  %i = "onnx.If"(%yes) ({
    %c = "onnx.Gemm"(%r, %w1, %b) {onnx_node_name = "other"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %c : tensor<*xf32>
  }, {
    %d = "onnx.Gemm"(%r, %w2, %b) {onnx_node_name = "then"} : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %d : tensor<*xf32>
  }) {onnx_node_name = "choice"} : (tensor<*xi1>) -> tensor<*xf32>
  %y = "onnx.Loop"(%n, %none, %i) ({
  ^body(%k: tensor<i64>, %go: tensor<i1>, %v: tensor<4x16xf32>):
    %e = "onnx.Gemm"(%v, %w3, %b) {onnx_node_name = "cell"} : (tensor<4x16xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<4x16xf32>
    %f = "onnx.Tanh"(%e) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    onnx.Yield %go, %f : tensor<i1>, tensor<4x16xf32>
  }) {onnx_node_name = "loop"} : (tensor<*xi64>, none, tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
})",
        {{"t", Tensor::make<float>({}, std::vector<float>{threshold})},
         {"n", Tensor::make<int64_t>({}, std::vector<int64_t>{3})},
         {"w0", weights(1)},
         {"w1", weights(2)},
         {"w2", weights(3)},
         {"w3", weights(4)},
         {"b", random_tensor({16}, 5)}});
}

const LayerGain& gain_of(const AlgorithmReport& report, const std::string& name) {
    const auto found = std::ranges::find(report.layers, name, &LayerGain::layer);
    BOOST_TEST_REQUIRE((found != report.layers.end()), name << " in " << report.text());
    return *found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(algorithm_bodies)

BOOST_AUTO_TEST_CASE(layers_of_bodies_are_fitted) {
    const Graph source = net_with_bodies(1.29f);  // about half of the samples are above
    for (const char* type : {"wo-i4", "w4a16"}) {
        const double before = sqnr(source, quantized(source, type, {}).graph, 1000, 50);
        for (const char* name : {"gptq", "adaround", "seqmse", "bias-correction"}) {
            const Quantized made = quantized(source, type, {name});
            size_t changed = 0;
            for (const char* layer : {"choice/then_branch/then", "choice/else_branch/other", "loop/body/cell"}) {
                const LayerGain& gain = gain_of(made.reports.at(0), layer);
                BOOST_TEST(!std::isnan(gain.before_db), layer << ": " << gain.note);
                BOOST_TEST(gain.after_db >= gain.before_db, layer);
                changed += gain.changed ? 1 : 0;
            }
            BOOST_TEST(changed >= 2, made.reports.at(0).text());
            BOOST_TEST(sqnr(source, made.graph, 1000, 50) > before, name << ", " << before);
        }
    }
}

BOOST_AUTO_TEST_CASE(branches_that_no_sample_ran_are_named) {
    const Graph source = net_with_bodies(1000);
    for (const char* name : {"gptq", "seqmse", "bias-correction"}) {
        const AlgorithmReport report = quantized(source, "wo-i4", {name}).reports.at(0);
        const LayerGain& gain = gain_of(report, "choice/then_branch/then");
        BOOST_TEST(!gain.changed);
        BOOST_TEST(gain.note == "no sample ran \"choice/then_branch\"");
        BOOST_TEST(!std::isnan(gain_of(report, "choice/else_branch/other").before_db));
    }
}

BOOST_AUTO_TEST_CASE(bodies_are_equal_on_any_number_of_threads) {
    const Graph source = net_with_bodies(1.29f);
    const auto codes = [&](int threads) {
        std::string bytes;
        const Graph made = quantized(source, "wo-i4", {"seqmse", "gptq", "bias-correction"}, threads).graph;
        for_each_graph(made, [&](const Graph& part, const std::string&) {
            for (size_t i = 0; i < part.value_count(); ++i)
                if (const Value& value = part.value(static_cast<ValueId>(i)); value.constant()) bytes += value.data->text();
        });
        return bytes;
    };
    const std::string one = codes(1);
    for (const int threads : {2, 5}) BOOST_TEST((codes(threads) == one));
}

BOOST_AUTO_TEST_SUITE_END()
